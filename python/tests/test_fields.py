"""The fields of URIs in columns, the components of URIs, and calls on two columns."""

import io

import polars as pl
import pyarrow as pa
import pytest
import urisieve
from conftest import column, is_binary

PARTS = ["uri", "original", "kind", "scheme", "nid", "host", "port", "path", "query", "fragment", "problems"]
LINES = ["HTTP://u@A.example:8080/b?c#d and urn:ISBN:0395363412", None, "no", "http://a.example/%zz mailto:joe@a.example"]


def plain(value):
    return value.decode() if isinstance(value, bytes) else value


def test_fields_are_those_of_open(kind):
    given = column(LINES, kind)
    found = pa.array(urisieve.extract(given, fields=PARTS))
    found.validate(full=True)
    assert [field.name for field in found.type.value_type] == PARTS
    for name in ["uri", "original", "scheme", "host", "port", "path", "query", "fragment", "nid"]:
        assert found.type.value_type.field(name).type == kind, name
    for line, row in zip(LINES, found.to_pylist()):
        if line is None:
            assert row is None
            continue
        reader = urisieve.open(io.BytesIO(line.encode()), fields=PARTS, input_format="text")
        wanted = [{name: uri.get(name) for name in PARTS} for batch in reader for uri in batch.to_pylist()]
        assert [{name: plain(value) for name, value in uri.items()} for uri in row] == wanted


def test_chosen_fields_change_nothing_else():
    texts = [f"http://a{n % 7}.example/{n}?q http://a{n % 7}.example/{n}?q urn:a-b:{n}" for n in range(9000)]
    array = pa.array(texts)
    full = pa.array(urisieve.extract(array, fields=["host", "uri", "wrapper", "offset", "problems", "wrapped"]))
    for threads in [1, 3]:
        for name in ["host", "uri", "wrapper", "offset"]:
            alone = pa.array(urisieve.extract(array, fields=[name], threads=threads))
            assert alone.flatten().field(name).to_pylist() == full.flatten().field(name).to_pylist()
            assert alone.offsets == full.offsets
    extractor = urisieve.Extractor(level="scheme")
    assert extractor.extract(["http://a.example:80"], fields=("path",)).to_pylist() == [[{"path": "/"}]]
    chunks = pa.chunked_array([texts[:3], texts[3:5]])
    assert pa.chunked_array(urisieve.extract(chunks, fields=["host"])).num_chunks == 2
    assert urisieve.extract(pl.Series(texts[:2]), fields=["scheme"])[0] == [{"scheme": "http"}, {"scheme": "urn"}]


def test_fields_of_requests_and_of_data():
    line = '192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 404 5 "-" "-"'
    [[uri]] = urisieve.extract([line], fields=["uri", "request.method", "request.status"], base="http://b.example/")
    assert uri == {"uri": "http://b.example/a", "request.method": "GET", "request.status": 404}
    [[uri]] = urisieve.extract(['{"a": "http://a.example/"}'], fields=["uri", "pointer"], input_format="json")
    assert uri == {"uri": "http://a.example/", "pointer": "/a"}
    [[uri]] = urisieve.extract(["<a href='http://a.example/' rel=x>"], fields=["link.path", "link.rel"], input_format="html")
    assert uri == {"link.path": "A@/href", "link.rel": "x"}


@pytest.mark.parametrize("fields, message", [
    ([], "fields: at least one"), (["uri", "uri"], "fields: .uri. is there twice"), (["x"], "fields: .x. is not one of uri, "),
    (["file"], "fields: .file. is not one of"), (["warc.date"], "is not one of"), (["count"], "is not one of"),
])
def test_wrong_fields(fields, message):
    with pytest.raises(ValueError, match=message):
        urisieve.extract(["x"], fields=fields)
    with pytest.raises(ValueError, match="fields: only with columns"):
        urisieve.extract("x", fields=["uri"])


NAMES = ["uri", "kind", "scheme", "nid", "host", "port", "path", "query", "fragment", "problems"]
URLS = ["HTTP://u@A.example:8080/b?c#d", None, "", "n/a", " URN:isbn:0395363412 ", "http://a.example/%zz"]


def test_parse(kind):
    given = column(URLS, kind)
    parsed = pa.array(urisieve.parse(given))
    parsed.validate(full=True)
    assert [field.name for field in parsed.type] == NAMES
    assert parsed.type.field("uri").type == parsed.type.field("query").type == kind
    assert parsed.is_null().to_pylist() == [False, True, False, False, False, False]
    rows = [None if row is None else {name: plain(value) for name, value in row.items()} for row in parsed.to_pylist()]
    assert rows[0] == {"uri": "http://u@a.example:8080/b?c#d", "kind": "url", "scheme": "http", "nid": None, "host": "a.example",
                       "port": "8080", "path": "/b", "query": "c", "fragment": "d", "problems": None}
    assert rows[4]["nid"] == "isbn" and rows[4]["problems"] == ["isbn-check"]
    assert rows[5]["uri"] == "http://a.example/%zz" and rows[5]["problems"] == ["bad-percent"]
    for row in rows[2:4]:
        assert row == {**dict.fromkeys(NAMES), "problems": ["no-scheme"]}
    for value, row in zip(URLS, rows):
        if value is not None:
            found = urisieve.parse(value.encode() if is_binary(kind) else value)
            assert {name: plain(part) for name, part in found.items()} == row
    chunks = urisieve.parse(pa.chunked_array([given[:2], given[2:], given[:0]]))
    assert chunks.to_pylist() == parsed.to_pylist()
    words = pa.array(urisieve.parse(given.dictionary_encode())) if "view" not in str(kind) else parsed
    assert words.to_pylist() == parsed.to_pylist()


def test_parse_by_options():
    extractor = urisieve.Extractor(level="scheme", strip_www=True)
    assert extractor.parse("HTTP://www.a.example:80", fields=["uri", "original", "port"]) == {
        "uri": "http://a.example/", "original": "HTTP://www.a.example:80", "port": None}
    many = [f"HTTP://A{n}.example/{n}?q" for n in range(9000)]
    assert urisieve.parse(many, threads=3).to_pylist() == urisieve.parse(many).to_pylist()
    assert urisieve.parse([]).to_pylist() == [] and urisieve.parse(pa.nulls(2)).to_pylist() == [None, None]
    with pytest.raises(ValueError, match="fields: .offset. is not one of uri, original, kind"):
        urisieve.parse("x", fields=["offset"])
    with pytest.raises(ValueError, match="count: not with parse"):
        urisieve.parse("x", count=True)
    with pytest.raises(TypeError, match="x: str, bytes, an Arrow array"):
        urisieve.parse(7)


def test_equivalent_columns(kind):
    one = column(["HTTP://A.example:80", "n/a", None, "urn:a-b:c", "n/a", "urn:a-b:c"], kind)
    other = column(["http://a.example/", "n/a", "x", None, "n/b", "urn:a-b:d"], kind)
    wanted = [True, True, None, None, False, False]
    answer = urisieve.equivalent(one, other, level="scheme")
    assert pa.array(answer).to_pylist() == wanted and pa.array(answer).type == pa.bool_()
    chunked = urisieve.equivalent(pa.chunked_array([one[:1], one[1:]]), pa.chunked_array([other[:4], other[4:]]), level="scheme")
    assert chunked.to_pylist() == wanted and chunked.num_chunks == 2
    assert urisieve.equivalent(one, "http://a.example/", level="scheme").to_pylist() == [True, False, None, False, False, False]
    assert urisieve.equivalent(b"http://a.example/", one, level="scheme")[0] is True
    assert urisieve.equivalent("a", b"a") is True
    with pytest.raises(ValueError, match="b: 2 rows for 6 of a"):
        urisieve.equivalent(one, other[:2])
    with pytest.raises(TypeError, match="b: str, bytes, an Arrow array"):
        urisieve.equivalent(one, 7)


def test_resolve_columns(kind):
    bases = column(["http://a.example/b/", "http://c.example/d", None, "http://e.example/"], kind)
    refs = column(["../x", "?y", "z", None], kind)
    wanted = ["http://a.example/x", "http://c.example/d?y", None, None]
    answer = pa.array(urisieve.resolve(bases, refs))
    assert [plain(uri) for uri in answer.to_pylist()] == wanted and answer.type == kind
    one = pa.array(urisieve.resolve("http://f.example/g/", refs))
    assert [plain(uri) for uri in one.to_pylist()] == ["http://f.example/x", "http://f.example/g/?y", "http://f.example/g/z", None]
    assert [plain(uri) for uri in urisieve.resolve(bases, "h")] == [
        "http://a.example/b/h", "http://c.example/h", None, "http://e.example/h"]
    assert urisieve.resolve(pa.chunked_array([bases[:3], bases[3:]]), refs).to_pylist() == answer.to_pylist()
    wrong = column(["http://a.example/", "a/b"], kind)
    with pytest.raises(ValueError, match="row 1: the base has no scheme"):
        urisieve.resolve(wrong, "c")
    assert [plain(uri) for uri in urisieve.resolve(wrong, "c", errors="null")] == ["http://a.example/c", None]
    assert urisieve.resolve("a/b", "c", errors="null") is None
    with pytest.raises(ValueError, match="ref: byte 1: a character"):
        urisieve.resolve("http://a.example/", "b c")
    with pytest.raises(ValueError, match="ref: 2 rows for 4 of base"):
        urisieve.resolve(bases, refs[:2])
    with pytest.raises(ValueError, match="errors: .keep. is not one of raise, null"):
        urisieve.resolve(bases, refs, errors="keep")


PAGES = ['<a rel=nofollow href="b">b</a><a href=b><img src="/ü.png">', None, "no page", '<base href="/d/"><a href=e>', "<a href=f>"]
BASES = ["http://a.example/x/", "http://b.example/", "http://b.example/", None, "http://c.example/"]


def test_links_of_columns(kind):
    pages, bases = column(PAGES, kind), column(BASES, kind)
    found = pa.array(urisieve.links(pages, base=bases))
    found.validate(full=True)
    names = ["uri", "original", "path", "rel", "nofollow", "offset", "length"]
    assert [field.name for field in found.type.value_type] == names
    for page, base, row in zip(PAGES, BASES, found.to_pylist()):
        if page is None:
            assert row is None
            continue
        links = urisieve.links(page.encode(), base=base)
        assert [[plain(value) for value in link.values()] for link in row] == [
            [plain(getattr(link, name)) for name in names] for link in links]
    assert [[plain(link["uri"]) for link in row or ()] for row in found.to_pylist()] == [
        ["http://a.example/x/b", "http://a.example/%C3%BC.png"], [], [], [], ["http://c.example/f"]]
    one = urisieve.links(pages, base="http://a.example/x/")
    assert [[plain(link["uri"]) for link in row or ()] for row in one][3] == ["http://a.example/d/e"]
    assert urisieve.links(pa.chunked_array([pages[:2], pages[2:]]), base=bases).to_pylist() == found.to_pylist()
    assert urisieve.Extractor(threads=2, nofollow="drop").links(pages, base=bases).to_pylist()[0][0]["nofollow"] is False


def test_many_pages():
    pages = [f'<a href="{n % 3}">x</a><a href="{n % 5}">' for n in range(5000)]
    for bases in ["http://a.example/", [f"http://a.example/{n // 100}/" for n in range(5000)]]:
        found = urisieve.links(pages, base=bases)
        assert found.to_pylist() == urisieve.links(pages, base=bases, threads=3).to_pylist()
        each = [bases] * 5000 if isinstance(bases, str) else bases
        for at in range(0, 5000, 97):
            assert [link["uri"] for link in found[at]] == [link.uri for link in urisieve.links(pages[at], base=each[at])]


def test_wrong_bases():
    for base, error, message in [
        (["http://a.example/"], ValueError, "base: 1 bases for 5 pages"), (["/rel"] * 5, ValueError, "base: row 0: ./rel. is not an absolute"),
        ("/rel", ValueError, "base: ./rel. is not an absolute"), (7, TypeError, "base: str, bytes, an Arrow array"),
    ]:
        with pytest.raises(error, match=message):
            urisieve.links(PAGES, base=base)
    with pytest.raises(ValueError, match="count: not with links on columns"):
        urisieve.links(PAGES, count=True)
    with pytest.raises(TypeError, match="base: a str expected, not list"):
        urisieve.links(PAGES[0], base=["http://a.example/"])
