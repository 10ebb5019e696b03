"""`uris` on Spark: the set that `extract` finds, for every division of the rows, of the set and of the blocks."""

import random
import re

import pyarrow as pa
import pytest
import truth
import urisieve
from pyspark.sql import functions as F
from urisieve.spark import distinct, extract, uris
from urisieve.spark.blocks import gather_blocks, merge_blocks
from urisieve.spark.pieces import longest_whole


@pytest.fixture(scope="module")
def known(spark):
    known = truth.Truth(3000)
    texts = list(known.texts())
    return known, spark.createDataFrame(list(enumerate(texts)), "id int, text string").repartition(4).cache()


def column(df):
    return [row.uri for row in df.collect()]


def test_what_is_known_is_found_once(known):
    known, df = known
    assert sorted(column(uris(df, "text"))) == sorted(known.spellings)
    assert uris(df, "text").columns == ["uri"] and uris(df, "text").schema["uri"].dataType.simpleString() == "string"


@pytest.mark.parametrize("partitions, rows, batch_bytes, shuffled", [(1, 10000, 64 << 20, 1), (7, 3, 4096, 5), (3, 50, 200_000, 2), (2, 1, 900, 3)])
def test_divisions_change_nothing(known, conf, partitions, rows, batch_bytes, shuffled):
    _, df = known
    conf("spark.sql.execution.arrow.maxRecordsPerBatch", rows)
    conf("spark.sql.shuffle.partitions", shuffled)
    some = df.where("id < 300").repartition(partitions)
    wanted = column(distinct(extract(some, "text").select("uri")))
    assert sorted(column(uris(some, "text", batch_bytes=batch_bytes))) == sorted(wanted)


def test_options_types_and_nulls(spark):
    rows = [(b"HTTP://a.example:80/%7ej \xff", "urn:a-b:1"), (None, None), (b"http://a.example/~j", "")]
    df = spark.createDataFrame(rows, "data binary, text string")
    found = uris(df, "data", level="scheme")
    assert [bytes(uri) for uri in column(found)] == [b"http://a.example/~j"]
    assert found.schema["uri"].dataType.simpleString() == "binary"
    assert column(uris(df, "text")) == ["urn:a-b:1"]
    assert column(uris(df.where("text is null"), "text")) == []


def test_texts_and_uris_that_are_longer_than_a_batch(spark, conf):
    conf("spark.sql.execution.arrow.maxRecordsPerBatch", 10)
    long = "http://long.example/" + "x" * 30_000
    df = spark.range(0, 8, 1, 3).select(F.concat(F.lit(long + " "), F.expr("repeat('some words ', 5000)"), F.concat(F.lit("urn:a-b:"), "id")).alias("text"))
    wanted = [long, *(f"urn:a-b:{number}" for number in range(8))]
    assert sorted(column(uris(df, "text", batch_bytes=1000))) == sorted(wanted)


def test_rows_stay_whole_where_spark_ends_a_batch_by_its_bytes(spark, conf):
    """The value that Spark itself has counts, not only one that was set; Spark 3.5 has no such setting, Spark 4.0 256 MiB."""
    name, most = "spark.sql.execution.arrow.maxBytesPerBatch", (64 if spark.version >= "4.1" else 256) << 20
    ends = not spark.version.startswith("3.")
    assert longest_whole(spark, most) == (None if ends else most // 10_000)
    assert longest_whole(spark, 1 << 20) == 104
    conf(name, "1m")
    assert longest_whole(spark, 1 << 20) is None and longest_whole(spark, 1 << 19) == 52


def blocks(batch):
    """The rows of a batch, as `pieces.cut` gives them."""
    nothing = [pa.nulls(batch.num_rows, pa.int32()), pa.nulls(batch.num_rows, pa.binary())]
    columns = [batch.column("packed"), batch.column("share")]
    return pa.RecordBatch.from_arrays([*columns, *nothing], ["t0", "o0", "which", "bytes"])


def uris_of(block):
    """The URIs of a block."""
    uris = urisieve.UriSet()
    uris.add_packed(pa.array([block]))
    return uris.take().to_pylist()[0]


@pytest.mark.parametrize("seed", range(20))
def test_blocks_of_many_tasks_make_one_set(seed):
    """Any tasks, shares, sizes and batches: what is merged share by share is what was found."""
    draw = random.Random(seed)
    shares, longest, batch_bytes = draw.randrange(1, 9), draw.choice([1, 60, 7000, None]), draw.choice([100, 5000, 1 << 20])
    wanted, made = set(), []
    for _ in range(draw.randrange(1, 5)):
        found = [f"http://{draw.choice('abc')}.example/{draw.randrange(200)}" for _ in range(draw.randrange(400))]
        wanted.update(found)
        texts = pa.array([" ".join(found[at : at + 7]) for at in range(0, len(found), 7)], pa.string())
        given = pa.RecordBatch.from_arrays([texts, pa.nulls(len(texts), pa.int32()), pa.nulls(len(texts), pa.binary())], ["t0", "which", "bytes"])
        for batch in gather_blocks([given], shares=shares, longest=longest, batch_bytes=batch_bytes, options={"threads": 1}):
            for row in batch.to_pylist():
                uris = uris_of(row["packed"])
                assert longest is None or sum(map(len, uris)) <= longest or len(uris) == 1
            made.append(batch)
    if not made:
        return
    table = pa.Table.from_batches(made).sort_by("share")
    batches = [blocks(batch) for batch in table.to_batches(max_chunksize=draw.randrange(1, 20))]
    got = [uri for batch in merge_blocks(batches, batch_bytes=batch_bytes) for uri in batch.column("uri").to_pylist()]
    assert sorted(got) == sorted(wanted)


def test_a_task_keeps_to_its_memory():
    """The set is given away when it is full; each of its blocks is."""
    texts = pa.array([f"http://a.example/{number}" for number in range(20_000)])
    batch = pa.RecordBatch.from_arrays([texts, pa.nulls(20_000, pa.int32()), pa.nulls(20_000, pa.binary())], ["t0", "which", "bytes"])
    few = [batch.slice(at, 100) for at in range(0, 20_000, 100)]
    sizes = [sum(len(uri) for block in one["packed"].to_pylist() for uri in uris_of(block)) for one in gather_blocks(few, shares=4, longest=1000, batch_bytes=100_000, options={})]
    assert len(sizes) > 4 and max(sizes) <= 100_000


def test_what_is_wrong_is_said_at_once(spark):
    df = spark.createDataFrame([("x", 1)], "text string, id int")
    for call, error, words in [
        (lambda: uris(df, "none"), ValueError, "none.*text, id"),
        (lambda: uris(df, "id"), ValueError, "int, not strings"),
        (lambda: uris(df, "text", batch_bytes=0), ValueError, "batch_bytes"),
        (lambda: uris(df, "text", level="no"), ValueError, "level"),
        (lambda: uris(df, "text", all=True), ValueError, "all"),
        (lambda: uris(df, "text", colour=1), TypeError, "colour"),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert re.search(words, str(raised.value)), raised.value
    assert urisieve.UriSet().take().to_pylist() == [[]]
