"""Columns of every type of text in Arrow: chunked, sliced, with nulls; in and out."""

import random
import resource

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import urisieve
from conftest import TEXT_TYPES, column, is_binary

VALUES = [
    "see HTTP://A.example/ and http://a.example/ or <urn:A-b:\n c>",
    None,
    "",
    "no uri here",
    "long " * 40 + "https://b.example/" + "x" * 40,
    "ü \U0001f600 http://bücher.example/ß",
]
URIS = [
    [("http://a.example/", "HTTP://A.example/", 4, 17), ("urn:a-b:c", "urn:A-b:c", 48, 11)],
    None,
    [],
    [],
    [("https://b.example/" + "x" * 40, "https://b.example/" + "x" * 40, 200, 58)],
    [("http://bücher.example/ß", "http://bücher.example/ß", 8, 25)],
]
NORMAL = ["http://a.example/", None, "", "n/a", "http://a.example/b", "urn:isbn:0395363411"]
RAW = ["HTTP://A.example/", None, "", "n/a", " http://a.example/b", "URN:ISBN:0395363411"]


def plain(rows):
    """Lists of found URIs without what follows from the URI."""
    found = []
    for row in rows:
        if row is not None:
            row = [(text(u["uri"]), text(u["original"]), u["offset"], u["length"]) for u in row]
        found.append(row)
    return found


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def test_extract(kind):
    answer = urisieve.extract(column(VALUES, kind))
    assert isinstance(answer, urisieve.Array)
    array = pa.array(answer)
    array.validate(full=True)
    assert plain(array.to_pylist()) == URIS == plain(answer.to_pylist())
    values = array.type.value_type
    assert [values.field(n).name for n in range(5)] == ["uri", "original", "offset", "length", "kind"]
    assert values.field("uri").type == values.field("original").type == kind
    assert [u["kind"] for u in array.to_pylist()[0]] == ["url", "urn"]


def test_normalize(kind):
    array = pa.array(urisieve.normalize(column(RAW, kind)))
    array.validate(full=True)
    assert array.type == kind
    assert [text(value) for value in array.to_pylist()] == NORMAL
    nulls = pa.array(urisieve.normalize(column(RAW, kind), errors="null"))
    assert nulls.null_count == 3
    with pytest.raises(ValueError, match="row 2: not a URI"):
        urisieve.normalize(column(RAW, kind), errors="raise")


def test_slices(kind):
    for start in range(len(VALUES) + 1):
        for length in range(len(VALUES) - start + 1):
            sliced = column(VALUES, kind).slice(start, length)
            assert plain(pa.array(urisieve.extract(sliced)).to_pylist()) == URIS[start : start + length]
            sliced = column(RAW, kind).slice(start, length)
            found = [text(value) for value in urisieve.normalize(sliced).to_pylist()]
            assert found == NORMAL[start : start + length]


@pytest.mark.parametrize("cuts", [[], [0], [1], [3, 3], [1, 2, 3, 4, 5]])
def test_chunks(kind, cuts):
    cuts = [0, *cuts, len(VALUES)]
    pieces = [column(VALUES[a:b], kind) for a, b in zip(cuts, cuts[1:])]
    answer = urisieve.extract(pa.chunked_array(pieces, kind))
    assert isinstance(answer, urisieve.ChunkedArray)
    chunked = pa.chunked_array(answer)
    chunked.validate(full=True)
    assert (chunked.num_chunks, len(answer)) == (len(pieces), len(VALUES))
    assert plain(chunked.to_pylist()) == URIS == plain(answer.to_pylist())
    assert pa.chunked_array(urisieve.normalize(pa.chunked_array([], kind))).type == kind


def test_an_answer_is_a_question(kind):
    once = urisieve.normalize(column(RAW, kind))
    assert urisieve.normalize(once).to_pylist() == once.to_pylist()


def test_nulls_alone():
    assert pa.array(urisieve.normalize(pa.nulls(3))).to_pylist() == [None] * 3
    assert pa.array(urisieve.extract(pa.nulls(3))).to_pylist() == [None] * 3
    assert urisieve.extract(pa.array([], pa.string())).to_pylist() == []


def test_rows_do_not_touch():
    values = ["<http://a.example/", "b> http:", "//c.example/", "http://d.example"]
    found = urisieve.extract(pa.array(values)).to_pylist()
    alone = [urisieve.extract(value) for value in values]
    assert [[u["uri"] for u in row] for row in found] == alone


def test_many_uris_in_a_row_are_distinct():
    wanted = [f"http://a.example/{n}" for n in range(500)]
    value = " ".join(wanted + wanted[::-1] + wanted)
    [row] = urisieve.extract(pa.array([value])).to_pylist()
    assert [u["uri"] for u in row] == wanted
    [row] = urisieve.extract(pa.array([value]), all=True).to_pylist()
    assert len(row) == 1500


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(threads):
    values = [f"row {n} HTTP://A{n}.example/ http://a{n}.example/" for n in range(20_000)]
    array = pa.array(values)
    assert pa.array(urisieve.extract(array, threads=threads)) == pa.array(urisieve.extract(array))
    uris = pa.array([f"HTTP://A{n}.example/" for n in range(20_000)])
    answer = pa.array(urisieve.normalize(uris, threads=threads))
    assert answer == pa.array([f"http://a{n}.example/" for n in range(20_000)])


def test_markup_in_a_column():
    pages = pa.array(['<a href="b">', '<a href="http://c.example/">'])
    found = urisieve.extract(pages, input_format="html").to_pylist()
    assert [[u["uri"] for u in row] for row in found] == [[], ["http://c.example/"]]


@pytest.mark.parametrize("kind", list(filter(is_binary, TEXT_TYPES)), ids=str)
def test_bytes_that_are_not_utf8(kind):
    array = pa.array([b"http://a.example/\xff\xfe b", b"\xc3 urn:a-b:c"], kind)
    for row, value in zip(urisieve.extract(array).to_pylist(), array.to_pylist()):
        for uri in row:
            assert value[uri["offset"] : uri["offset"] + uri["length"]] == uri["original"]


def test_strings_that_are_not_utf8_do_not_break_anything():
    """A producer breaks its promise: the answer is UTF-8 all the same."""
    data = pa.array([b"http://a.example/\xff\xfe", b"http://b.example/\xc3"], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), 2, data.buffers())
    pa.array(urisieve.normalize(broken)).validate(full=True)
    pa.array(urisieve.extract(broken)).validate(full=True)


@pytest.mark.parametrize("cuts", [[], [2], [0, 1, 5]])
def test_a_set_has_the_uris_of_all_arrays(kind, cuts):
    """What `extract` finds in the rows, each once, whatever the arrays and their parts are."""
    edges = [0, *cuts, len(VALUES)]
    uris = urisieve.UriSet()
    for start, end in zip(edges, edges[1:]):
        uris.add_from(column(VALUES[start:end], kind))
    uris.add_from(pa.chunked_array([column(VALUES, kind), column(VALUES[:1], kind)]))
    wanted = list(dict.fromkeys(uri for row in URIS if row for uri, *_ in row))
    assert len(uris) == len(wanted) and uris.memory >= sum(map(len, wanted))
    lists = pa.array(uris.take())
    lists.validate(full=True)
    assert lists.type.value_type == kind and len(uris) == 0
    assert [text(uri) for uri in lists.to_pylist()[0]] == wanted
    assert uris.take(3).to_pylist() == [[], [], []]


def test_the_part_of_a_uri_depends_on_its_bytes_alone(kind):
    uris = [f"http://a.example/{number}" for number in range(2000)]
    one, other = urisieve.UriSet(), urisieve.UriSet(level="none")
    one.add(column(uris, kind))
    other.add(pa.array([uri.encode() for uri in reversed(uris)]))
    [one, other] = [taken.take(parts=7).to_pylist() for taken in (one, other)]
    assert [sorted(map(text, part)) for part in one] == [sorted(map(text, part)) for part in other]
    assert sorted(text(uri) for part in one for uri in part) == sorted(uris)
    assert all(150 < len(part) < 450 for part in one)
    # Within a part, they are in the order in which they were added.
    assert all([text(uri) for uri in part] == [uri for uri in uris if uri in set(map(text, part))] for part in one)


def test_what_a_set_does_not_take():
    uris = urisieve.UriSet()
    for call, error, words in [
        (lambda: urisieve.UriSet(all=True), ValueError, "all"),
        (lambda: urisieve.UriSet(count=True), ValueError, "count"),
        (lambda: urisieve.UriSet(glob="x"), ValueError, "glob"),
        (lambda: urisieve.UriSet(level="x"), ValueError, "level"),
        (lambda: uris.add_from("http://a.example/"), TypeError, "x: an Arrow array or another sequence of str or bytes expected, not str"),
        (lambda: uris.add(pa.array([1])), TypeError, "Int64"),
        (lambda: uris.take(0), ValueError, "parts"),
    ]:
        with pytest.raises(error, match=words):
            call()
    # Strings stay strings, and equal when they are.
    broken = pa.Array.from_buffers(pa.string(), 2, [None, pa.array([0, 10, 20], pa.int32()).buffers()[1], pa.py_buffer(b"urn:a-b:\xffcurn:a-b:\xfec")])
    uris.add(broken)
    assert pa.array(uris.take()).to_pylist() == [["urn:a-b:\N{REPLACEMENT CHARACTER}c"]]


@pytest.mark.parametrize("longest", [1, 40, 1000, 1 << 20])
@pytest.mark.parametrize("parts", [1, 5])
def test_blocks_are_what_take_gives(kind, parts, longest):
    uris = [f"http://a.example/{number}/{'x' * (number % 60)}" for number in range(1000)]
    one, other, merged = urisieve.UriSet(), urisieve.UriSet(), urisieve.UriSet()
    for filled in (one, other):
        filled.add(column(uris, kind))
    taken = pa.array(one.take(parts)).to_pylist()
    blocks = pa.array(other.pack(parts, longest))
    blocks.validate(full=True)
    numbers, packed = (column.to_pylist() for column in blocks.flatten())
    assert numbers == sorted(numbers) and set(numbers) == set(range(parts)) and len(other) == 0
    for part in range(parts):
        for number, block in zip(numbers, packed):
            if number == part:
                before = len(merged)
                merged.add_packed(pa.array([block, None]))
                assert int.from_bytes(block[1:5], "little") <= longest or len(merged) == before + 1
        # In order, and of the type of the first array.
        lists = pa.array(merged.take())
        assert lists.to_pylist() == [taken[part]]
        assert lists.type.value_type == (pa.large_binary() if is_binary(kind) else pa.large_string())


def test_blocks_of_many_sets_have_each_uri_once():
    draw = random.Random(3986)
    merged, wanted = urisieve.UriSet(), set()
    for _ in range(9):
        some, found = urisieve.UriSet(), [f"urn:a-b:{draw.randrange(3000)}" for _ in range(draw.randrange(2000))]
        some.add(pa.array(found, pa.string()))
        wanted.update(found)
        blocks = pa.array(some.pack(parts=3, longest=draw.choice([1, 100, 10_000]))).field("packed")
        merged.add_packed(pa.chunked_array([blocks[:2], blocks[2:]]))
    [uris] = merged.take().to_pylist()
    assert len(uris) == len(wanted) and set(uris) == wanted


def test_what_is_no_block_raises():
    uris, links = urisieve.UriSet(), urisieve.LinkSet()
    uris.add(pa.array(["http://a.example/", "http://a.example/b", "urn:a-b:c"]))
    links.add(pa.array(["http://a.example/"]), pa.array(["urn:a-b:c"]))
    [block], [pair] = (pa.array(of.pack()).field("packed").to_pylist() for of in (uris, links))
    # LZ4 of up to 14 bytes is their number and they themselves.
    made = lambda kind, raw: kind + len(raw).to_bytes(4, "little") + bytes([len(raw) << 4]) + raw  # noqa: E731
    right = urisieve.UriSet()
    right.add_packed(pa.array([made(b"b", b"\1\0\0\0x\2\0\0\0yz"), made(b"b", b"\0\0\0\0")]))
    assert right.take().to_pylist() == [[b"x", b"yz", b""]]
    wrong = [block[:end] for end in range(len(block))]
    # The kind, and the length before it was compressed.
    wrong += [block[:at] + bytes([block[at] ^ mask]) + block[at + 1 :] for at in range(5) for mask in (4, 128, 255)]
    wrong += [made(b"s", raw) for raw in (b"\2\0\0\0x", b"\0\0\0", b"\1\0\0\0xy", b"\1\0\0\0\xff")]
    # Keys that are no pairs: without a length, with one beyond the end, of other bytes than UTF-8.
    wrong += [made(b"l", raw) for raw in (b"\1\0\0\0x", b"\5\0\0\0\2\0\0\0x", b"\6\0\0\0\1\0\0\0\xffx", b"\6\0\0\0\1\0\0\0x\xff")]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for packed in wrong:
        for into in (urisieve.UriSet(), urisieve.LinkSet()):
            with pytest.raises(ValueError, match="packed"):
                into.add_packed(pa.array([packed]))
            assert len(into) == 0
    # A length of a GiB is not believed.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10
    # A byte of what is compressed: other keys, or none; never anything else.
    for at in range(5, len(block)):
        for mask in (1, 16, 128, 255):
            into = urisieve.UriSet()
            try:
                into.add_packed(pa.array([block[:at] + bytes([block[at] ^ mask]) + block[at + 1 :]]))
            except ValueError as error:
                assert "packed" in str(error) and len(into) == 0
    for into, strange in [(urisieve.UriSet(), pair), (urisieve.LinkSet(), block)]:
        with pytest.raises(ValueError, match="another kind"):
            into.add_packed(pa.array([strange]))
    binary = urisieve.UriSet()
    binary.add(pa.array([b"urn:a-b:\xff"]))
    with pytest.raises(ValueError, match="another kind"):
        binary.add_packed(pa.array([block]))
    # What comes before is there.
    uris.add_packed(pa.array([block]))
    other = urisieve.UriSet()
    with pytest.raises(ValueError):
        other.add_packed(pa.array([block, block[:9]]))
    assert len(other) == 3
    assert len(uris) == 3
    for call in [lambda: uris.pack(0), lambda: uris.take(0), lambda: uris.pack(1 << 31), lambda: links.pack(0)]:
        with pytest.raises(ValueError, match="parts"):
            call()
    assert len(uris) == 3


@pytest.mark.parametrize("strings", [kind for kind in TEXT_TYPES if not is_binary(kind)], ids=str)
def test_a_set_of_links(strings):
    pairs = [("http://a.example/", f"http://b.example/{number % 700}") for number in range(1000)]
    pairs += [("http://a.example/b", "x"), ("http://a.example/", "bx"), ("", "é"), ("é", ""), ("", "")]
    links = urisieve.LinkSet()
    s, t = (pa.array(list(column), strings) for column in zip(*pairs))
    links.add(s, t)
    links.add(pa.chunked_array([s[:3], s[3:]]), pa.chunked_array([t[:500], t[500:]]))
    links.add(pa.array(["n", None, None], strings), pa.array([None, "n", None], strings))
    wanted = [{"s": s, "t": t} for s, t in dict.fromkeys(pairs)]
    assert len(links) == len(wanted) and links.memory > sum(len(s) + len(t) for s, t in set(pairs))
    parts, blocks = pa.array(links.pack(parts=4, longest=500)).flatten()
    assert len(links) == 0 and set(parts.to_pylist()) == {0, 1, 2, 3} and len(blocks) > 50
    merged = urisieve.LinkSet()
    merged.add_packed(blocks)
    merged.add_packed(blocks)
    rows = pa.array(merged.take())
    rows.validate(full=True)
    key = lambda row: (row["s"], row["t"])  # noqa: E731
    assert sorted(rows.to_pylist(), key=key) == sorted(wanted, key=key)
    assert rows.type == pa.struct([pa.field(name, pa.large_string(), nullable=False) for name in "st"])
    assert merged.take().to_pylist() == []


def test_what_a_set_of_links_does_not_take():
    links = urisieve.LinkSet()
    one, two, binary = pa.array(["a"]), pa.array(["a", "b"]), pa.array([b"a"])
    for s, t, error, words in [
        (one, two, ValueError, "t: 2 targets for 1 pages"), (two, one, ValueError, "t: 1 targets for 2 pages"),
        (binary, one, TypeError, "s: an array of strings"), (one, binary, TypeError, "t: an array of strings"),
        ("a", "b", TypeError, "s: an Arrow array or another sequence of str or bytes expected, not str"), (one, "b", TypeError, "t: an Arrow array"),
        (pa.array([1]), one, TypeError, "Int64"),
    ]:
        with pytest.raises(error, match=words):
            links.add(s, t)
        assert len(links) == 0
    # Strings stay strings, and equal when they are.
    broken = pa.Array.from_buffers(pa.string(), 2, [None, pa.array([0, 2, 4], pa.int32()).buffers()[1], pa.py_buffer(b"a\xffa\xfe")])
    links.add(broken, broken)
    assert links.take().to_pylist() == [{"s": "a\N{REPLACEMENT CHARACTER}", "t": "a\N{REPLACEMENT CHARACTER}"}]


def test_wrong_types():
    for wrong in [pa.array([1, 2]), pa.array([["a"]]), pa.array([1]).dictionary_encode()]:
        with pytest.raises(TypeError, match="convert"):
            urisieve.extract(wrong)
        with pytest.raises(TypeError):
            urisieve.normalize(wrong)
    with pytest.raises(TypeError, match="columns"):
        urisieve.extract(pa.table({"a": ["b"]}))
    with pytest.raises(TypeError, match="columns"):
        urisieve.extract(pl.DataFrame({"a": ["b"]}))


def test_a_capsule_is_taken_once():
    class Once:
        def __init__(self, array):
            self.capsules = array.__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    once = Once(pa.array(["http://a.example/"]))
    assert len(urisieve.extract(once)) == 1
    with pytest.raises(ValueError, match="taken"):
        urisieve.extract(once)


def test_a_producer_that_fails():
    def batches():
        yield pa.record_batch({"a": ["b"]})
        raise OSError("the disk is gone")

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            schema = pa.schema({"a": pa.string()})
            return pa.RecordBatchReader.from_batches(schema, batches()).__arrow_c_stream__()

    with pytest.raises(ValueError, match="the disk is gone"):
        urisieve.extract(Stream())

    class Wrong:
        def __arrow_c_array__(self, requested_schema=None):
            return pa.array(["a"]).__arrow_c_array__()[::-1]

    with pytest.raises(ValueError):
        urisieve.extract(Wrong())


@pytest.mark.parametrize("kind", [kind for kind in TEXT_TYPES if not is_binary(kind)], ids=str)
def test_polars(kind):
    series = pl.Series("x", column(VALUES, kind))
    found = pl.Series(urisieve.extract(series))
    assert plain([None if row is None else list(row) for row in found.to_list()]) == URIS
    assert pl.Series(urisieve.normalize(pl.Series(RAW))).to_list() == NORMAL


def test_duckdb():
    relation = duckdb.sql("select unnest(['HTTP://A.example/', null, 'n/a']) as uri")
    answer = urisieve.normalize(relation.to_arrow_table()["uri"])
    assert pa.chunked_array(answer).to_pylist() == ["http://a.example/", None, "n/a"]


def test_pandas():
    series = pd.Series(RAW, dtype=pd.ArrowDtype(pa.string()))
    answer = urisieve.normalize(pa.array(series))
    back = pd.Series(pa.array(answer), dtype=pd.ArrowDtype(pa.string()))
    assert [None if value is pd.NA else value for value in back] == NORMAL
    if hasattr(series, "__arrow_c_stream__"):
        assert urisieve.normalize(series).to_pylist() == NORMAL
