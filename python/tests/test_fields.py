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
