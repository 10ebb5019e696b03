"""Lists of indicators, disguises, gateways and shapes, in texts and in columns."""

import io
import json
import pickle
import subprocess
import warnings

import pyarrow as pa
import pytest
import urisieve

LIST = "# known\nevil.example\n=alone.example\n192.0.2.0/24\n!ok.evil.example\nhxxp://c[.]example/x\n"
TEXT = "http://www.evil.example/ http://a.alone.example/ http://0xc0000207/ http://ok.evil.example/ http://C.example:80/x#top"
MATCHED = ["http://www.evil.example/", "http://0xc0000207/", "http://c.example:80/x#top"]
GOOGLE = "https://www.google.com/url?q=http%3A%2F%2FB.example%2F&sa=D"


@pytest.fixture
def known(tmp_path):
    path = tmp_path / "known.txt"
    path.write_text(LIST)
    return path


def test_only_what_an_entry_matches_is_reported(known):
    for options in [{"match": known}, {"match": [str(known)]}, {"match_entries": LIST.splitlines()}]:
        assert urisieve.extract(TEXT, **options) == MATCHED
        assert [match.uri for match in urisieve.find(TEXT, **options)] == MATCHED
        assert [uri["uri"] for uri in urisieve.extract(pa.array([TEXT]), **options)[0]] == MATCHED
        uris = urisieve.UriSet(**options)
        uris.add_from([TEXT])
        uris.add(TEXT.split() + ["n/a"])
        assert uris.take().to_pylist() == [MATCHED]
        reader = urisieve.open(io.BytesIO(TEXT.encode()), **options)
        assert [row["uri"] for batch in reader for row in batch.to_pylist()] == MATCHED
    extractor = pickle.loads(pickle.dumps(urisieve.Extractor(match=known)))
    known.unlink()
    assert extractor.extract(TEXT) == MATCHED


def test_entries_and_their_places(known):
    fields = ["uri", "match", "match_list"]
    wanted = [["evil.example"], ["192.0.2.0/24"], ["hxxp://c[.]example/x"]]
    places = [[f"{known}:{line}"] for line in [2, 4, 6]]
    rows = urisieve.extract([TEXT, None, "", TEXT], fields=fields, match=known, threads=2).to_pylist()
    assert rows[1:3] == [None, []] and rows[0] == rows[3]
    assert [(row["match"], row["match_list"]) for row in rows[0]] == list(zip(wanted, places))
    table = pa.table(urisieve.open(io.BytesIO(TEXT.encode()), fields=fields, match=known))
    assert table["match"].to_pylist() == wanted and table["match_list"].to_pylist() == places
    counts = urisieve.open(io.BytesIO(TEXT.encode()), match=known, count=True, by="match")
    assert dict(row.values() for batch in counts for row in batch.to_pylist()) == {entry: 1 for [entry] in wanted}
    # Without lists there is nothing in these columns.
    assert urisieve.extract(["http://a.example/"], fields=["match"])[0] == [{"match": None}]


def test_lists_of_other_forms(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("id,seen\n1,evil.example\n")
    assert urisieve.extract(TEXT, match=table, match_column="seen") == MATCHED[:1] + ["http://ok.evil.example/"]
    with pytest.raises(ValueError, match="match: .*table.csv: .*none"):
        urisieve.extract(TEXT, match=table, match_column="none")
    hosts = tmp_path / "hosts"
    hosts.write_text("0.0.0.0 www.evil.example ok.evil.example\n")
    assert urisieve.extract(TEXT, match=[table.with_name("hosts")]) == [MATCHED[0], "http://ok.evil.example/"]


def test_lines_that_are_not_entries(tmp_path, known):
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("evil.example\n192.0.2.0/33\n")
    with pytest.warns(UserWarning, match=r"wrong.txt:2: not an entry: .*192.0.2.0/33") as warned:
        assert urisieve.extract(TEXT, match=[wrong, known]) == MATCHED
    assert len(warned) == 1
    wrong.write_text("192.0.2.0/33\n" * 14)
    with pytest.warns(UserWarning) as warned:
        urisieve.Extractor(match=wrong)
    assert len(warned) == 11 and "4 more lines are not entries, 14 in all" in str(warned[-1].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            urisieve.Extractor(match=wrong)
    with pytest.raises(ValueError, match="match_entries: not an entry: .*192.0.2.0/33"):
        urisieve.Extractor(match_entries=["a.example", "192.0.2.0/33"])


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"match": "/missing"}, FileNotFoundError, "/missing"),
        ({"match": 7}, TypeError, "match: a path or a list of them"),
        ({"match_entries": 7}, TypeError, "match_entries: a str or a list of them"),
        ({"match_column": "url"}, ValueError, "match_column: only with match"),
        ({"match_entries": "a.example", "match_column": "url"}, ValueError, "not with match_entries"),
        ({"count": True, "by": "match"}, ValueError, "by: match only with"),
        ({"unwrap_gateways": "nobody"}, ValueError, "unwrap_gateways: .nobody. is not one of .*google"),
        ({"unwrap_gateways": "@/missing"}, FileNotFoundError, "/missing"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        urisieve.Extractor(**options)


def test_a_list_is_read_anew():
    """The options of functions are kept, but files may change."""
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for host in ["a.example", "b.example"]:
            file.seek(0)
            file.truncate()
            file.write(host)
            file.flush()
            assert urisieve.extract("http://a.example/ http://b.example/", match=file.name) == [f"http://{host}/"]


def test_disguises_in_columns():
    texts = ["see hxxps://a[.]example/x", "b(dot)example(dot)com/y", None, "joe[at]a[.]example"]
    wanted = ["https://a.example/x", "http://b.example.com/y", None, "mailto:joe@a.example"]
    rows = urisieve.extract(texts, fields=["uri", "original", "refanged", "given_scheme"], refang=True).to_pylist()
    assert [row and row[0]["uri"] for row in rows] == wanted
    assert rows[0][0]["original"] == "hxxps://a[.]example/x" and rows[0][0]["refanged"] is True
    assert [row and row[0]["given_scheme"] for row in rows] == [None, True, None, True]


def test_unwrap():
    assert urisieve.unwrap(GOOGLE) == "http://B.example/"
    assert urisieve.unwrap(GOOGLE.encode(), level="lexical") == b"http://b.example/"
    assert urisieve.unwrap(GOOGLE, "bing") == urisieve.unwrap(GOOGLE, ["bing", "slack"]) == GOOGLE
    assert urisieve.unwrap("HTTP://A.example/") == "HTTP://A.example/"
    assert urisieve.unwrap("n/a") == "n/a" and urisieve.unwrap("n/a", errors="null") is None
    with pytest.raises(ValueError, match="row 1: not a URI"):
        urisieve.unwrap([GOOGLE, "n/a"], errors="raise")
    for kind in [pa.string(), pa.large_string()]:
        column = pa.array([GOOGLE, None, "n/a"], kind)
        answer = pa.array(urisieve.unwrap(column, errors="null"))
        assert answer.type == kind and answer.to_pylist() == ["http://B.example/", None, None]
    extractor = urisieve.Extractor(level="lexical")
    assert extractor.unwrap(GOOGLE) == "http://b.example/"
    assert extractor.unwrap(GOOGLE, "bing") == GOOGLE


def test_gateways_in_other_calls(tmp_path):
    assert urisieve.extract(GOOGLE, unwrap_gateways=True) == ["http://b.example/"]
    assert urisieve.normalize(GOOGLE, unwrap_gateways="google") == "http://b.example/"
    assert urisieve.normalize(GOOGLE, unwrap_gateways=False) == GOOGLE
    [[uri]] = urisieve.extract([GOOGLE], fields=["uri", "original", "gateway"], unwrap_gateways=True)
    assert uri == {"uri": "http://b.example/", "original": GOOGLE, "gateway": ["google"]}
    table = tmp_path / "own.tsv"
    table.write_text("own\tgo.a.example\t/out\tto\tpercent\n")
    wrapped = "http://go.a.example/out?to=http%3A%2F%2Fb.example"
    assert urisieve.unwrap(wrapped, f"@{table}") == "http://b.example"
    table.write_text("own\tgo.a.example\n")
    with pytest.raises(ValueError, match="own.tsv"):
        urisieve.unwrap(wrapped, f"@{table}")


def test_shape():
    page = "HTTP://A.example/u/17/0af1c5d2-9c3e-4b5a-8d11-1234567890ab?q=x&id=7&q=y#top"
    assert urisieve.shape(page) == "http://a.example/u/{int}/{uuid}?id&q"
    assert urisieve.shape("http://a.example/?q=x&id=7", values=True) == "http://a.example/?id={int}&q=x"
    assert urisieve.shape("n/a") == "n/a" and urisieve.shape("n/a", errors="null") is None
    column = pa.chunked_array([[page, None], ["n/a"]])
    answer = pa.chunked_array(urisieve.shape(column, errors="null"))
    assert answer.num_chunks == 2 and answer.to_pylist() == ["http://a.example/u/{int}/{uuid}?id&q", None, None]
    assert urisieve.Extractor(level="scheme").shape(page, values=False) == urisieve.shape(page)
    with pytest.raises(TypeError, match="values: a bool"):
        urisieve.shape(page, values=1)
    reader = urisieve.open(io.BytesIO(b"http://a.example/1 http://a.example/2 http://a.example/b"), count=True, by="shape")
    rows = [row for batch in reader for row in batch.to_pylist()]
    assert {row["shape"]: row["count"] for row in rows} == {"http://a.example/{int}": 2, "http://a.example/b": 1}


def test_extensions():
    text = "http://a.example/x.PHP?y=.js http://a.example/x.tar.gz http://a.example/ http://a.example/v1.2"
    assert urisieve.extract(text, ext="php, js") == ["http://a.example/x.PHP?y=.js"]
    assert urisieve.extract(text, no_ext=["php", ".gz"]) == ["http://a.example/", "http://a.example/v1.2"]
    assert urisieve.extract([text], fields=["uri"], ext="gz").to_pylist() == [[{"uri": "http://a.example/x.tar.gz"}]]
    for wrong in ["", "a/b", "toolongextension", "7"]:
        with pytest.raises(ValueError, match="no_ext: .* is not an extension"):
            urisieve.Extractor(no_ext=wrong)


def test_shapes_with_values_are_counted():
    data = b"http://a.example/?id=1&q=x http://a.example/?id=2&q=x http://a.example/?id=2&q=y"
    reader = urisieve.open(io.BytesIO(data), count=True, by="shape", shape_values=True)
    rows = {row["shape"]: row["count"] for batch in reader for row in batch.to_pylist()}
    assert rows == {"http://a.example/?id={int}&q=x": 2, "http://a.example/?id={int}&q=y": 1}
    with pytest.raises(ValueError, match="shape_values: only with by"):
        urisieve.Extractor(shape_values=True)


def test_uris_within_uris_in_columns():
    column = ["http://a.example/?u=http://b.example/", None]
    rows = urisieve.extract(column, fields=["uri"], nested=True).to_pylist()
    assert [[uri["uri"] for uri in row] for row in rows if row] == [urisieve.extract(column[0], nested=True)]
    assert len(rows[0]) == 2 and rows[1] is None


def test_uris_in_base64_values():
    text = "http://a.example/?u=aHR0cDovL2IuZXhhbXBsZS8&v=http%3A%2F%2Fc.example%2F"
    plain = [text, "http://c.example/"]
    assert urisieve.extract(text, nested=True) == urisieve.extract(text, nested="percent") == plain
    found = urisieve.extract(text, nested="base64")
    assert sorted(found) == sorted([*plain, "http://b.example/"])
    assert urisieve.extract([text], fields=["uri"], nested="base64").to_pylist() == [[{"uri": uri} for uri in found]]


def test_regular_expressions_of_lists():
    known = urisieve.Extractor(match_entries=[r"/\.php\?id=\d+$/i"])
    assert known.extract("http://a.example/x.PHP?id=7 http://a.example/x.php?id=x") == ["http://a.example/x.PHP?id=7"]


def test_parameters_that_files_name(tmp_path, program):
    clear = tmp_path / "clear.json"
    provider = {"urlPattern": r"^https?:\/\/a\.example", "rules": ["re[fg]"], "exceptions": [r"\/keep"]}
    clear.write_text(json.dumps({"providers": {"a": provider}}))
    guard = tmp_path / "guard.txt"
    guard.write_text("! a list\n||b.example^$removeparam=ref\n")
    names = [f"@{clear}", f"@{guard}", "utm_*"]
    urls = [f"http://{host}/{path}?utm_id=1&ref=2&reg=3" for host in ["a.example", "b.example", "c.example"] for path in ["", "keep"]]
    found = list(urisieve.normalize(urls, drop_param=names))
    assert found[:3] == ["http://a.example/", "http://a.example/keep?ref=2&reg=3", "http://b.example/?reg=3"]
    flags = [flag for name in names for flag in ("--drop-param", name)]
    asked = subprocess.run([program, "normalize", *flags], input="\n".join(urls), text=True, capture_output=True, check=True)
    assert asked.stdout.split() == found
