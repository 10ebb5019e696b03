"""Compares every way of finding URIs with texts whose URIs are known.

Usage: tests/compare_truth.py [ROWS [PROGRAM]]

ROWS is by default 240,000: 400 MB of text with 2.4 million URIs. PROGRAM is the command line
(default: `urisieve` on the path). The program, `extract` on Arrow, Polars and DuckDB must find exactly
the URIs that were put in, and the spellings that are seen first must be those of the program's
`--original`. Exit code 1 when anything differs.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import truth
import urisieve


def by_program(program, path, *flags):
    ran = subprocess.run([program, *flags, path], stdout=subprocess.PIPE, check=True)
    return ran.stdout.decode().splitlines()


def firsts(uris, originals):
    """Each URI with the spelling that is seen first, in order."""
    spellings = {}
    for uri, original in zip(uris, originals):
        spellings.setdefault(uri, original)
    return spellings


def by_arrow(column, **options):
    rows = urisieve.extract(column, **options)
    rows = pa.chunked_array(rows) if isinstance(rows, urisieve.ChunkedArray) else pa.chunked_array([pa.array(rows)])
    found = pa.chunked_array([chunk.flatten() for chunk in rows.chunks]).combine_chunks()
    if isinstance(found, pa.ChunkedArray):
        found = pa.concat_arrays(found.chunks)
    return firsts(found.field("uri").to_pylist(), found.field("original").to_pylist())


def by_polars(frame):
    found = (
        frame.select(
            pl.col("text").map_batches(lambda s: pl.Series(urisieve.extract(s))).alias("found")
        )
        .explode("found")
        .unnest("found")
        .filter(pl.col("uri").is_not_null())
        .unique("uri", keep="first", maintain_order=True)
    )
    return dict(zip(found["uri"].to_list(), found["original"].to_list()))


def by_duckdb(column):
    texts = pa.table({"row": pa.array(range(len(column))), "text": column})
    connection = duckdb.connect()
    connection.register("texts", texts)
    rows = connection.sql("select text from texts order by row").to_arrow_table()["text"]
    found = pa.table({"row": pa.array(range(len(rows))), "found": pa.chunked_array(as_chunks(rows))})
    connection.register("found", found)
    distinct = connection.sql(
        """
        select u.uri, first(u.original order by row, u.offset) as original
        from (select row, unnest(found) as u from found) group by u.uri
        """
    ).fetchall()
    return dict(distinct)


def as_chunks(rows):
    answer = urisieve.extract(rows)
    return pa.chunked_array(answer).chunks


def same(what, found, wanted, seconds, ordered=True):
    """Prints whether `found` is `wanted`."""
    good = found == wanted and (not ordered or list(found) == list(wanted))
    print(f"{what}: {len(found):,} distinct URIs, {'as known' if good else 'DIFFERENT'}, {seconds:.2f} s")
    if not good:
        missing = [uri for uri in wanted if uri not in found][:5]
        extra = [uri for uri in found if uri not in wanted][:5]
        other = [(uri, found[uri], wanted[uri]) for uri in wanted if uri in found and found[uri] != wanted[uri]][:5]
        print(f"  missing {missing}, extra {extra}, other spellings {other}")
    return good


def compare(rows, program):
    known = truth.Truth(rows)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.txt"
        texts = []
        with open(path, "w", encoding="utf-8", newline="") as out:
            for text in known.texts():
                texts.append(text)
                # Rows are apart, as they are in a column.
                out.write(text + "\n\n")
        wanted = known.spellings
        print(f"{rows:,} texts, {known.bytes / 1e6:.0f} MB, {known.uris:,} URIs, {len(wanted):,} distinct")
        start = time.perf_counter()
        uris = by_program(program, path)
        lap = time.perf_counter() - start
        originals = by_program(program, path, "--original")
        good &= same("urisieve FILE, --original", dict(zip(uris, originals)), wanted, lap)
        start = time.perf_counter()
        good &= same("open(FILE)", by_open(path), wanted, time.perf_counter() - start)
        column = pa.array(texts)
        for kind in [pa.string(), pa.large_string(), pa.string_view()]:
            # Old versions of pyarrow do not cast to views.
            typed = pa.array(texts, kind)
            start = time.perf_counter()
            found = by_arrow(typed)
            good &= same(f"extract, {kind}", found, wanted, time.perf_counter() - start)
        half = len(texts) // 2
        chunks = pa.chunked_array([column[:half], column[half:]])
        start = time.perf_counter()
        found = by_arrow(chunks, threads=2)
        good &= same("extract, two chunks, two threads", found, wanted, time.perf_counter() - start)
        frame = pl.DataFrame({"text": column})
        start = time.perf_counter()
        found = by_polars(frame)
        good &= same("Polars", found, wanted, time.perf_counter() - start)
        del frame
        start = time.perf_counter()
        found = by_duckdb(column)
        good &= same("DuckDB", found, wanted, time.perf_counter() - start, ordered=False)
    return good


def by_open(path):
    table = pa.table(urisieve.open(path))
    return dict(zip(table["uri"].to_pylist(), table["original"].to_pylist()))


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else truth.FULL
    program = sys.argv[2] if len(sys.argv) > 2 else shutil.which("urisieve")
    return 0 if compare(rows, program) else 1


if __name__ == "__main__":
    sys.exit(main())
