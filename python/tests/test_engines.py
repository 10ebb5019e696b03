"""Engines find what is known, in the same texts as those of Spark's tests: DuckDB by functions of SQL, Polars by
expressions. An engine that is not installed is skipped.
"""

import doctest
import gzip
import os

import pyarrow as pa
import pytest
import truth
import urisieve

ROWS = int(os.environ.get("ROWS", 1000))


@pytest.fixture(scope="module")
def known():
    known = truth.Truth(ROWS)
    return known, list(known.texts())


@pytest.fixture
def connection():
    duckdb = pytest.importorskip("duckdb")
    from urisieve.duckdb import register

    with duckdb.connect() as connection:
        register(connection)
        yield connection


def test_duckdb_finds_what_is_known(known, connection, tmp_path):
    known, texts = known
    connection.register("texts", pa.table({"id": list(range(ROWS)), "text": texts}))
    rows = connection.sql(
        "select u.uri, first(u.original order by id, u.offset) from texts, uris(text) as u group by u.uri"
    ).fetchall()
    assert dict(rows) == known.spellings
    # The table function, with the texts in an archive.
    path = tmp_path / "texts.gz"
    path.write_bytes(gzip.compress("\n\n".join(texts).encode(), 1))
    rows = connection.execute(
        "select uri, first(original order by \"offset\") from read_uris(?) group by uri", [str(path)]
    ).fetchall()
    assert dict(rows) == known.spellings


def test_duckdb_functions_are_those_of_the_package(known, connection):
    from urisieve.duckdb import register

    _, texts = known
    connection.register("texts", pa.table({"id": list(range(ROWS)), "text": texts}))
    rows = connection.sql("select uri_extract(text) from texts order by id").fetchall()
    assert [row for (row,) in rows] == urisieve.extract(pa.array(texts)).to_pylist()
    register(connection, level="scheme", all=True)
    found = connection.sql("select uri_normalize('HTTP://a.example:80'), len(uri_extract('http://a/ http://a/'))")
    assert found.fetchall() == [("http://a.example/", 2)]
    assert connection.sql("select uri_extract(null), uri_normalize(null)").fetchall() == [(None, None)]
    assert connection.sql("from uris(null)").fetchall() == []
    with pytest.raises(TypeError, match="nolevel"):
        register(connection, nolevel=1)


def test_duckdb_reads_what_can_be_read(connection, tmp_path):
    damaged, empty = tmp_path / "damaged.gz", tmp_path / "empty.txt"
    damaged.write_bytes(gzip.compress(b"http://a.example/ http://b.example/c")[:-4])
    empty.write_bytes(b"")
    paths = pa.table({"path": [str(damaged), str(empty), None, str(tmp_path)]})
    connection.register("paths", paths)
    with pytest.warns(RuntimeWarning, match="damaged.gz: truncated: gzip: the end is missing"):
        rows = connection.sql("select path, host, file from paths, read_uris(path)").fetchall()
    hosts = ["a.example", "b.example"]
    wanted = [(path, host, str(damaged)) for path in [str(damaged), str(tmp_path)] for host in hosts]
    assert sorted(rows) == sorted(wanted)
    with pytest.raises(Exception, match="No such file"):
        connection.execute("from read_uris(?)", [str(tmp_path / "missing")]).fetchall()


def test_the_docstring_of_duckdb():
    pytest.importorskip("duckdb")
    import urisieve.duckdb

    tried = doctest.testmod(urisieve.duckdb)
    assert tried.failed == 0 and tried.attempted > 5


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_polars_finds_what_is_known(known, engine):
    pl = pytest.importorskip("polars")
    known, texts = known
    kind = pl.Series(urisieve.extract(pl.Series(["urn:a-b:c"]))).dtype

    def uris(column):
        return pl.Series(urisieve.extract(column))

    found = pl.col("text").map_batches(uris, return_dtype=kind, is_elementwise=True)
    rows = (
        pl.LazyFrame({"id": range(ROWS), "text": texts})
        .select("id", found.alias("found"))
        .explode("found")
        .unnest("found")
        .group_by("uri")
        .agg(pl.col("original").sort_by("id", "offset").first())
        .collect(engine=engine)
    )
    assert dict(rows.iter_rows()) == known.spellings
