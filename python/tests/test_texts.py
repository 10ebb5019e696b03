"""The calls on texts: what they find, and that spans are indices of the object given."""

import io
import mmap
import subprocess
import tempfile

import pyarrow as pa
import pytest
import urisieve


def test_spans_are_indices_of_the_object():
    uri = "http://bücher.example/ß?q=\U0001f600x"
    for before in ["", "abc ", "ü ", "\U0001f600\U00010348 ", "\ud7ff\uffff ", "日本\n"]:
        for text in [before + "<" + uri + "> and <" + uri + "x>", before + uri + "\n" + uri]:
            found = list(urisieve.find(text))
            assert len(found) == 2
            for match in found:
                assert text[match.start : match.end] == match.original
                assert match.span == (match.start, match.end)
            data = text.encode()
            for match, same in zip(urisieve.find(data), found):
                assert data[match.start : match.end] == match.original == same.original.encode()


def test_identifiers_without_a_scheme():
    text = "é ISBN 0-8044-2957-x, 10.1000/ABC on 10.12.2020/14, 0000-0002-1825-0097"
    assert urisieve.extract(text) == []
    found = list(urisieve.find(text, bare="isbn,doi"))
    assert [match.uri for match in found] == ["urn:isbn:080442957X", "doi:10.1000/ABC"]
    assert [text[match.start : match.end] for match in found] == ["0-8044-2957-x", "10.1000/ABC"]
    assert urisieve.extract(text, bare=["doi", "orcid"], level="scheme") == [
        "doi:10.1000/abc", "https://orcid.org/0000-0002-1825-0097"]
    assert urisieve.extract("Joe <joe@a.example>", bare="email") == ["joe@a.example"]
    with pytest.raises(ValueError, match="bare: .*is not one of isbn"):
        urisieve.extract(text, bare="upc")


def test_spans_include_what_is_taken_out():
    text = "ä \"http://a.example/one/\n  two\" {\"u\":\"http:\\/\\/a.example\\/\"}"
    one, two = urisieve.find(text)
    assert text[one.start : one.end] == "http://a.example/one/\n  two"
    assert (one.original, one.wrapped, one.wrapper) == ("http://a.example/one/two", 1, "dquote")
    assert text[two.start : two.end] == "http:\\/\\/a.example\\/"
    assert two.uri == "http://a.example/"


def test_nested_matches_go_back_in_the_text():
    text = "ü http://a.example/ö?u=http://b.example/ä x"
    found = list(urisieve.find(text, nested=True))
    assert {text[m.start : m.end] for m in found} == {
        "http://a.example/ö?u=http://b.example/ä",
        "http://b.example/ä",
    }


def test_parts_of_a_match():
    text = b"see URL:HTTPS://u:p@A.example:8443/b?c=%zz#d"
    [match] = urisieve.find(text)
    assert match.uri == b"https://u:p@a.example:8443/b?c=%zz#d"
    assert match.original == b"HTTPS://u:p@A.example:8443/b?c=%zz#d"
    assert (match.scheme, match.host, match.port) == (b"https", b"a.example", b"8443")
    assert (match.path, match.query, match.fragment) == (b"/b", b"c=%zz", b"d")
    assert (match.kind, match.nid, match.url_prefix) == ("url", None, True)
    assert match.problems == ("bad-percent",)
    [match] = urisieve.find("urn:isbn:0395363411")
    assert (match.kind, match.nid, match.host) == ("urn", "isbn", None)
    assert match == next(urisieve.find("urn:isbn:0395363411"))
    assert match != next(urisieve.find(" urn:isbn:0395363411"))
    assert len({match, next(urisieve.find("urn:isbn:0395363411"))}) == 1


def test_find_is_lazy():
    text = "http://a.example/ \n" * 500_000
    matches = urisieve.find(text)
    assert next(matches).start == 0
    assert sum(1 for _ in matches) == 499_999


def test_matches_keep_their_text():
    matches = urisieve.find("".join(["http://a.example/", "b ", "http://c.example/"]))
    assert [match.uri for match in matches] == ["http://a.example/b", "http://c.example/"]


def test_extract_gives_each_once_in_order():
    text = "http://b.example/ HTTP://a.example/ http://A.example/ http://b.example/"
    assert urisieve.extract(text) == ["http://b.example/", "http://a.example/"]
    assert urisieve.extract(text.encode()) == [b"http://b.example/", b"http://a.example/"]
    assert urisieve.extract(text, sort=True) == ["http://a.example/", "http://b.example/"]
    assert len(urisieve.extract(text, all=True)) == 4
    assert urisieve.extract(text + " http://b.example/", count=True, top=1) == ["http://b.example/"]
    assert urisieve.extract(text, host="a.example") == ["http://a.example/"]
    assert urisieve.extract("") == []


def test_bytes_that_are_not_utf8_stay():
    text = b"\xff http://a.example/\xe9\xff x"
    assert urisieve.extract(text) == [b"http://a.example/"]
    [match] = urisieve.find(text)
    assert match.span == (2, 19) and match.problems == ("cut",)


def test_other_objects_with_bytes():
    text = b"see http://a.example/"
    wanted = [b"http://a.example/"]
    assert urisieve.extract(bytearray(text)) == wanted
    assert urisieve.extract(memoryview(text)) == wanted
    with tempfile.TemporaryFile() as file:
        file.write(text)
        file.flush()
        with mmap.mmap(file.fileno(), 0) as mapped:
            assert urisieve.extract(mapped) == wanted
            assert [match.uri for match in urisieve.find(mapped)] == wanted


def test_normalize_one():
    assert urisieve.normalize("HTTP://A.example/") == "http://a.example/"
    assert urisieve.normalize(b" HTTP://A.example/ ") == b"http://a.example/"
    assert urisieve.normalize("no uri") == "no uri"
    assert urisieve.normalize("no uri", errors="null") is None
    with pytest.raises(ValueError, match="not a URI"):
        urisieve.normalize("no uri", errors="raise")
    assert urisieve.normalize("http://a.example:80", level="scheme") == "http://a.example/"
    assert urisieve.normalize("https://www.a.example/b", surt="plain") != "https://www.a.example/b"
    assert urisieve.normalize("http://a.example/", defang=True) == "hxxp://a[.]example/"
    assert urisieve.normalize("http://u:p@a.example/", redact=True) == "http://u:***@a.example/"


def test_equivalent():
    assert urisieve.equivalent("HTTP://a.example/", b"http://A.example/")
    assert not urisieve.equivalent("http://a.example/", "http://b.example/")
    assert urisieve.equivalent("n/a", "n/a") and not urisieve.equivalent("n/a", "N/A")
    assert urisieve.Extractor(level="scheme").equivalent("http://a.example:80", "http://a.example/")


def test_resolve():
    base = "http://a/b/c/d;p?q"
    for rfc in [3986, "3986", "whatwg"]:
        assert urisieve.resolve(base, "../g", rfc=rfc) == "http://a/b/g"
    assert urisieve.resolve(base, "../../../g", 2396) == "http://a/../g"
    assert urisieve.resolve(base.encode(), b"g") == b"http://a/b/c/g"
    for wrong in [{"base": "no", "ref": "g"}, {"base": base, "ref": "a b"}]:
        with pytest.raises(ValueError):
            urisieve.resolve(**wrong)
    with pytest.raises(ValueError, match="rfc"):
        urisieve.resolve(base, "g", rfc=1)


def test_explain_has_the_keys_of_the_command(program):
    import json
    import subprocess

    uri = "HTTP://a.example:80/%7e?q#ü"
    ran = subprocess.run([program, "explain", "--json", uri], stdout=subprocess.PIPE, check=True)
    assert urisieve.explain(uri) == json.loads(ran.stdout)


def test_links():
    page = (
        '<meta charset=iso-8859-1>ü<base href="/d/"><a rel="nofollow x" href="ü?q">1</a>'
        '<img src=b.png><a href="b.png">2</a><a href="#x">3</a>'
    )
    links = urisieve.links(page, base="http://a.example/p")
    uris = [link.uri for link in links]
    assert uris == ["http://a.example/d/ü?q", "http://a.example/d/b.png"] or uris == [
        "http://a.example/d/%C3%BC?q",
        "http://a.example/d/b.png",
    ]
    assert links[0].path == "A@/href" and links[0].nofollow
    assert links[0].source == "http://a.example/p"
    for link, written in zip(links, ["ü?q", "b.png"]):
        assert page[link.span[0] : link.span[1]] == written
    [followed] = urisieve.Extractor(nofollow="drop").links(page, "http://a.example/p")
    assert followed.uri == "http://a.example/d/b.png"
    data = page.encode("latin-1")
    for link in urisieve.links(data, base="http://a.example/p"):
        assert data[link.span[0] : link.span[1]] in [b"\xfc?q", b"b.png"]


def test_extractor_has_the_options_of_the_functions():
    options = {"level": "scheme", "nested": True, "exclude": ["png$"]}
    text = "http://a.example:80/x.png http://b.example/?u=http://c.example:80/"
    extractor = urisieve.Extractor(**options)
    assert extractor.extract(text) == urisieve.extract(text, **options)
    assert [m.uri for m in extractor.find(text)] == [m.uri for m in urisieve.find(text, **options)]
    assert extractor.normalize("http://a.example:80") == "http://a.example/"
    assert extractor.explain("http://a.example:80")["canonical"] == "http://a.example/"


def test_records_of_catalogs():
    record = "=LDR  00000nam a2200000 a 4500\n=001  1\n=856  40$uhttp://a.example/x$zsee http://b.example/\n"
    assert urisieve.extract(record, input_format="mrk") == ["http://a.example/x", "http://b.example/"]
    assert urisieve.extract(record.encode(), input_format="mrk") == [b"http://a.example/x", b"http://b.example/"]


IS_URI = [
    # The value, whether it is a URI, and whether it is one with `strict`.
    ("http://a.example/", True, True), ("urn:isbn:0395363411", True, True), ("mailto:", True, True), ("http:///b", True, True),
    ("http://[::1]:80/", True, True), ("http://a.example/%zz", True, False), ("http://bücher.example/", True, False),
    ("http://a.example/{b}", True, False), ("http://a:b/", True, False), ("http://[::1", False, False), ("http://[x]/", False, False),
    ("http://a%ZZ/", True, False), ("http://a/[b", True, False), ("http://a[b]/", False, False), ("n/a", False, False), ("", False, False), ("c:/b", False, False),
    ("http://a.example/b c", False, False), ("<http://a.example/>", False, False),
]


def test_what_is_a_uri(program):
    """One answer of `errors`, `strict`, `parse`, `UriSet.add` and of the command line."""
    for strict in [False, True]:
        judge = urisieve.Extractor(strict=strict)
        wanted = [wanted[strict] for _, *wanted in IS_URI]
        values = [value for value, *_ in IS_URI]
        assert [uri is not None for uri in judge.normalize(values, errors="null")] == wanted
        assert [judge.normalize(value, errors="null") is not None for value in values] == wanted
        assert [part["uri"] is not None for part in judge.parse(values)] == wanted
        for value, is_uri in zip(values, wanted):
            assert judge.normalize(value) == value or is_uri
            if is_uri:
                judge.normalize(value, errors="raise")
                continue
            for call in [lambda: judge.normalize(value, errors="raise"), lambda: judge.normalize([value], errors="raise")]:
                with pytest.raises(ValueError, match="not a URI"):
                    call()
        uris = urisieve.UriSet(strict=strict, level="none")
        uris.add(values, errors="null")
        assert len(uris) == sum(wanted)
        args = [program, "normalize", *(["--strict"] if strict else [])]
        ran = subprocess.run(args, input="".join(f"{value}\n" for value in values), capture_output=True, text=True)
        named = [int(line.split("line ")[1].split(":")[0]) for line in ran.stderr.splitlines() if ": line " in line]
        assert named == [number for number, is_uri in enumerate(wanted, 1) if not is_uri][:10], ran.stderr
    # What is found in a text is a URI, and what is found with `strict` is one with `strict`.
    text = "\n".join(value for value, *_ in IS_URI)
    for strict in [False, True]:
        for uri in urisieve.extract(text, strict=strict, level="none"):
            assert urisieve.normalize(uri, errors="null", strict=strict) is not None


def test_utf16_is_on_or_off():
    marked, plain = ("\ufeffsee http://a.example/ü".encode("utf-16-le"), "see http://a.example/ü".encode("utf-16-be"))
    uri = "http://a.example/ü".encode()
    for data in [marked, plain]:
        found = lambda **options: [row["uri"] for batch in urisieve.open(io.BytesIO(data), **options) for row in batch.to_pylist()]  # noqa: E731
        assert found() == found(utf16=None) == found(utf16=True) == [uri.decode()]
        assert found(utf16=False) == []
        column = pa.array([data, None, b"urn:a-b:c"], pa.binary())
        uris = lambda **options: [row and [u["uri"] for u in row] for row in urisieve.extract(column, **options)]  # noqa: E731
        assert uris() == uris(utf16=False) == [[], None, [b"urn:a-b:c"]]
        assert uris(utf16=True) == [[uri], None, []]
        assert urisieve.extract(data) == urisieve.extract(data, utf16=False) == []
        assert urisieve.extract(data, utf16=True) == [uri]
        [match] = urisieve.find(data, utf16=True)
        assert match.uri == uri and data[match.start : match.end] == "http://a.example/ü".encode("utf-16-le" if data is marked else "utf-16-be")
    # A line of UTF-16 among others.
    mixed = b"http://b.example/\n" + "http://c.example/\r\n".encode("utf-16-le")
    for utf16, count in [(None, 2), (False, 1)]:
        assert sum(batch.num_rows for batch in urisieve.open(io.BytesIO(mixed), utf16=utf16)) == count
    for call in [lambda: urisieve.extract("x", utf16=True), lambda: urisieve.extract(["x"], utf16=True), lambda: urisieve.find("x", utf16=True),
                 lambda: urisieve.links("x", utf16=True), lambda: urisieve.UriSet(utf16=True).add_from(["x"])]:
        with pytest.raises(ValueError, match="utf16: only with bytes, not with str"):
            call()
