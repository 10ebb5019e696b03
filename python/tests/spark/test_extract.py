"""`extract` and `distinct` on Spark: what is known, for every division of the rows, in batches of a bounded size."""

import os
import random
import re

import numpy as np
import pyarrow as pa
import pytest
import truth
import urisieve
import watching
from pyspark.sql import functions as F
from urisieve.spark import distinct, extract
from urisieve.spark.findings import FOUND, REQUEST, find_rows, first_of_each
from urisieve.spark.pieces import cut, joined, ranges, sizes

ROWS = int(os.environ.get("ROWS", 4000))


@pytest.fixture(scope="module")
def known(spark, tmp_path_factory):
    known = truth.Truth(ROWS)
    path = tmp_path_factory.mktemp("known") / "texts.parquet"
    texts = list(known.texts())
    spark.createDataFrame(list(enumerate(texts)), "id int, text string").repartition(4).write.parquet(str(path))
    return known, spark.read.parquet(str(path)), texts


def spellings(df):
    return {row.uri: row.original for row in df.select("uri", "original").collect()}


def test_what_is_known_is_found(known):
    known, df, _ = known
    found = extract(df, "text", columns=["id"])
    assert spellings(distinct(found, keep="first", order=["id"])) == known.spellings
    some = distinct(found)
    assert some.columns == found.columns
    rows = [row.uri for row in some.collect()]
    assert len(rows) == len(set(rows)) and set(rows) == set(known.spellings)
    assert distinct(found.select("uri")).count() == len(known.spellings)
    fewer = extract(df, "text", fields=["uri"], repeats=False)
    assert fewer.columns == ["uri"] and len(known.spellings) <= fewer.count() < found.count()
    assert {row.uri for row in distinct(fewer).collect()} == set(known.spellings)


@pytest.mark.parametrize("partitions, rows, batch_bytes", [(1, 10000, 64 << 20), (7, 3, 4096), (3, 50, 200_000), (2, 1, 900)])
def test_divisions_change_nothing(known, conf, partitions, rows, batch_bytes):
    _, df, texts = known
    conf("spark.sql.execution.arrow.maxRecordsPerBatch", rows)
    some = df.where("id < 400").repartition(partitions)
    found = extract(some, "text", columns=["id", "text"], batch_bytes=batch_bytes).collect()
    wanted = urisieve.extract(pa.array(texts[:400])).to_pylist()
    wanted = [(one["uri"], one["original"], one["offset"], one["length"], one["kind"], at) for at, row in enumerate(wanted) for one in row]
    assert sorted(tuple(row)[:6] for row in found) == sorted(wanted)
    assert all(row.text == texts[row.id] for row in found)


def test_rows_of_any_size_reach_python_in_small_batches(spark, conf):
    """Rows of 32 times the bound, as rows of 2 GiB are for the default; another column is as long."""
    bound, rows = 1 << 18, 16
    conf("spark.sql.execution.arrow.maxRecordsPerBatch", rows)
    words = "some words, http://a.example/b?c=d and "
    times = 32 * bound // len(words)
    df = spark.range(0, 6, 1, 2).select(
        "id",
        F.when(F.col("id") % 2 == 0, F.concat(F.lit("http://first.example/ "), F.expr(f"repeat('{words}', {times})"), F.lit("urn:a-b:last")))
        .otherwise(F.lit("http://short.example/"))
        .alias("text"),
        F.expr(f"case when id = 1 then repeat('x', {4 * bound}) when id = 4 then '' end").alias("note"),
    )
    transported = cut(df, ["text", "note"], ["id"], bound // rows)
    batches = transported.mapInArrow(watching.batch_sizes, "rows long, bytes long").collect()
    assert len(batches) > 32 * 3 and max(batch.bytes for batch in batches) <= bound
    found = extract(df, "text", columns=["id", "note"], batch_bytes=bound)
    notes = {1: "x" * 4 * bound, 4: ""}
    got = {(row.id, row.uri, row.offset, row.note) for row in found.collect()}
    end = len("http://first.example/ ") + times * len(words)
    wanted = {(at, "http://short.example/", 0, notes.get(at)) for at in (1, 3, 5)}
    for at in (0, 2, 4):
        places = [("http://first.example/", 0), ("http://a.example/b?c=d", 34), ("urn:a-b:last", end)]
        wanted |= {(at, uri, place, notes.get(at)) for uri, place in places}
    assert got == wanted


def test_batches_for_spark_are_small():
    """Each batch has at most the bound, or one row; so has a row whose other column is repeated."""
    texts = ["http://a.example/%d " % n * 3 for n in range(200)] + [" ".join("http://b.example/%d" % n for n in range(3000))]
    notes = ["n" * (n % 50) for n in range(200)] + ["N" * 900]
    given = pa.RecordBatch.from_arrays(
        [pa.array(texts), pa.array(notes), pa.nulls(201, pa.int32()), pa.nulls(201, pa.binary())], ["t0", "t1", "which", "bytes"]
    )
    options = {"threads": 1, "all": True}
    batches = list(
        find_rows(
            [given], texts=2, places=[0, 1], fields=FOUND, names=["note"], repeats=True, batch_bytes=2000, options=options
        )
    )
    for batch in batches:
        size = sum(len(row["uri"]) + len(row["original"]) + len(row["note"]) for row in batch.to_pylist())
        assert batch.num_rows == 1 or size <= 2000
        assert batch.schema.field("uri").type == pa.string()
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert len(rows) == 200 * 3 + 3000 and {row["note"] for row in rows[600:]} == {"N" * 900}


def test_the_first_of_each_in_runs_of_batches():
    draw = random.Random(5)
    for most in [1, 200, 10_000]:
        rows = [(draw.choice("abcdefg"), number) for number in range(300)]
        batches = [pa.RecordBatch.from_pydict({"uri": [u for u, _ in rows[at : at + 9]], "at": [n for _, n in rows[at : at + 9]]}) for at in range(0, 300, 9)]
        got = [(row["uri"], row["at"]) for batch in first_of_each(batches, most) for row in batch.to_pylist()]
        assert set(got) <= set(rows) and got == sorted(got, key=lambda row: row[1])
        firsts = {}
        for uri, number in rows:
            firsts.setdefault(uri, number)
        assert set(firsts.items()) <= set(got)
        assert most < 10_000 or dict(got) == firsts and len(got) == len(firsts)


@pytest.mark.parametrize("seed", range(30))
def test_pieces_are_joined(seed):
    """Rows, some of them in pieces, divided into batches anywhere, come out whole."""
    draw = random.Random(seed)
    rows, wanted = [], []
    for number in range(draw.randrange(1, 30)):
        texts = [draw.choice([None, b"", b"x" * draw.randrange(9)]) for _ in range(2)]
        wanted.append((texts[0], texts[1], number))
        if draw.random() < 0.5:
            rows.append((texts[0], texts[1], number, None, None))
            continue
        for which, text in enumerate(texts):
            for at in range(0, max(len(text), 1), 3) if text is not None else []:
                rows.append((None, None, None, which, text[at : at + 3]))
        rows.append((None, None, number, -1, None))
    names = ["t0", "t1", "o0", "which", "bytes"]
    kinds = [pa.binary(), pa.binary(), pa.int64(), pa.int32(), pa.binary()]
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows), kinds)]
    whole = pa.RecordBatch.from_arrays(columns, names)
    batches, start = [], 0
    while start < len(rows):
        end = start + draw.randrange(1, 5)
        batches.append(whole.slice(start, end - start))
        start = end
    got = [row for part in joined(batches, 2) for row in zip(*(column.to_pylist() for column in part))]
    assert got == wanted


def test_sizes_and_ranges():
    for kind in [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]:
        column = pa.array(["", "ab", None, "c" * 9], kind)
        assert sizes(column).tolist() == [0, 2, 0, 9]
        assert sizes(column.slice(1, 2)).tolist() == [2, 0] and sizes(column.slice(4)).tolist() == []
    assert sizes(pa.array([1, None])).tolist() == [8, 8] and sizes(pa.array([True])).tolist() == [1]
    nested = pa.array([["a" * 100], [], ["b" * 900]])
    assert sizes(nested)[2] >= 900 > sizes(nested)[0]
    draw = random.Random(1)
    for _ in range(200):
        lengths = np.array([draw.randrange(12) for _ in range(draw.randrange(30))], np.int64)
        parts = list(ranges(lengths, 10))
        assert [at for start, end in parts for at in range(start, end)] == list(range(len(lengths)))
        assert all(lengths[start:end].sum() <= 10 or end == start + 1 for start, end in parts)


def test_columns_of_every_type(spark):
    row = (1, b"see urn:A-b:c \xff", None, [1, 2], {"a": 1}, True, 1.5)
    kinds = "id int, text binary, nothing string, list array<int>, map map<string,int>, flag boolean, number double"
    df = spark.createDataFrame([row, (2, None, "x", None, None, None, None)], kinds)
    names = ["text", "nothing", "list", "map", "flag", "number"]
    [got] = extract(df, "text", columns=names).collect()
    assert bytes(got.uri) == b"urn:a-b:c" and bytes(got.original) == b"urn:A-b:c" and bytes(got.text) == row[1]
    assert [got[name] for name in names[1:]] == list(row[2:])
    odd = spark.createDataFrame([("urn:a-b:c",)], "`a.b``c` string")
    assert extract(odd, "a.b`c", columns=["a.b`c"]).collect()[0]["a.b`c"] == "urn:a-b:c"


def test_large_types_of_the_session(spark, conf):
    conf("spark.sql.execution.arrow.useLargeVarTypes", "true")
    df = spark.createDataFrame([("x" * 50 + " urn:a-b:c", "k")], "text string, key string")
    for batch_bytes in [1 << 20, 10_000 * 7]:
        [row] = extract(df, "text", columns=["key"], batch_bytes=batch_bytes).collect()
        assert (row.uri, row.offset, row.key) == ("urn:a-b:c", 51, "k")


def test_options_are_those_of_the_library(spark):
    df = spark.createDataFrame([("HTTP://a.example:80/%7ej http://a.example/~j ftp://b.example/",)], "text string")
    assert [row.uri for row in extract(df, "text", level="scheme", scheme=["http"]).collect()] == ["http://a.example/~j"]
    assert extract(df, "text", level="scheme", all=True).count() == 3


def test_what_is_wrong_is_said_at_once(spark):
    df = spark.createDataFrame([("x", 1, "y")], "text string, id int, uri string")
    for call, error, words in [
        (lambda: extract(df, "none"), ValueError, "none.*text, id, uri"),
        (lambda: extract(df, "id"), ValueError, "int, not strings"),
        (lambda: extract(df, "text", columns=["uri"]), ValueError, "uri"),
        (lambda: extract(df, "text", columns=["id", "id"]), ValueError, "id"),
        (lambda: extract(df, "text", batch_bytes=0), ValueError, "batch_bytes"),
        (lambda: extract(df, "text", batch_bytes=1 << 31), ValueError, "batch_bytes"),
        (lambda: extract(df, "text", fields=["host"]), ValueError, "host.*uri, original"),
        (lambda: extract(df, "text", fields=[]), ValueError, "fields"),
        (lambda: extract(df, "text", fields=["kind"], repeats=False), ValueError, "repeats"),
        (lambda: extract(df, "text", level="no"), ValueError, "level"),
        (lambda: extract(df, "text", colour=1), TypeError, "colour"),
        (lambda: extract(df, "text", count=True), ValueError, "count"),
        (lambda: distinct(df, keep="last"), ValueError, "last"),
        (lambda: distinct(df, keep="first"), ValueError, "order"),
        (lambda: distinct(df, order=["id"]), ValueError, "order"),
        (lambda: distinct(df, keep="first", order=["id"]), ValueError, "offset"),
        (lambda: distinct(df.select("id")), ValueError, "uri"),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert re.search(words, str(raised.value)), raised.value


def test_batches_of_all_rows_are_refused(spark, conf):
    conf("spark.sql.execution.arrow.maxRecordsPerBatch", 0)
    with pytest.raises(ValueError, match="maxRecordsPerBatch"):
        extract(spark.createDataFrame([("x",)], "text string"), "text")


@pytest.mark.parametrize("seed", range(3))
def test_first_is_first_in_the_order(spark, seed):
    draw = random.Random(seed)
    rows = []
    for number in range(300):
        text = " ".join(draw.choice(["http://%s.example/", "HTTP://%s.example/"]) % draw.choice("abcd") for _ in range(3))
        rows.append((draw.choice([None, *range(4)]), number, text))
    df = spark.createDataFrame(rows, "day int, id int, text string").repartition(draw.randrange(1, 6))
    found = extract(df, "text", columns=["id", "day"])
    got = {row.uri: tuple(row) for row in distinct(found, keep="first", order=["day", "id"]).collect()}
    wanted = {}
    for row in sorted(found.collect(), key=lambda row: (row.day is not None, row.day or 0, row.id, row.offset)):
        wanted.setdefault(row.uri, tuple(row))
    assert got == wanted and len(got) == 4


def test_requests_have_the_columns_of_open(spark, tmp_path):
    lines = [
        'a.example:80 192.0.2.1 - - [04/Oct/2026:23:59:59 +0000] "GET /x HTTP/1.1" 200 2 "http://r.example/" "-"',
        'a.example:80 192.0.2.2 - - [06/Oct/2026:01:00:00 +0200] "POST /x HTTP/1.1" 404 2 "-" "+http://bot.example/"',
        "no request: http://t.example/",
    ]
    path = tmp_path / "a.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    df = spark.createDataFrame(list(enumerate(lines)), "id int, line string").repartition(3)
    found = extract(df, "line", columns=["id"], fields=["uri", "original", *REQUEST])
    rows = sorted((row.asDict() for row in found.collect()), key=lambda row: (row["id"], row["request.part"] or ""))
    wanted = pa.RecordBatchReader.from_stream(urisieve.open(path, all=True)).read_all().to_pylist()
    wanted.sort(key=lambda row: (row["line"], row["request.part"] or ""))
    assert [[row[name] for name in ("uri", "original", *REQUEST)] for row in rows] == [
        [row[name] for name in ("uri", "original", *REQUEST)] for row in wanted
    ]
    only = extract(df, "line", fields=["uri", "request.status"], requests="only", status="404")
    assert [tuple(row) for row in only.collect()] == [("http://a.example/x", 404)]
    first = distinct(extract(df, "line", columns=["id"], requests="only", fields=[*FOUND, *REQUEST]), keep="first", order=["id"])
    assert [row.asDict()["request.method"] for row in first.collect()] == ["GET"]
