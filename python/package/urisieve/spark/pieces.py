"""Rows of any size through Arrow batches of a bounded size.

Spark 3.5 fills a batch with a number of rows, whatever they hold. So that a batch stays small, the JVM cuts every
text that is longer than its share of a batch into pieces, one row each, and the task puts them together again.
The pieces of a row follow each other, because a partition is one sequence. Later versions end a batch by its bytes,
too: there, rows stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StringType

# The `which` of the last row of a cut one; others are the number of the text that a piece is of. A whole row has null.
LAST = -1

_PIECES = "array<struct<which:int,bytes:binary>>"


def is_text(df: DataFrame, name: str) -> bool:
    """Whether a column has strings or binary."""
    return isinstance(df.schema[name].dataType, (StringType, BinaryType))


def longest_text(spark: SparkSession, batch_bytes: int) -> int:
    """Returns how long a text may be, so that as many as Spark puts into a batch have at most `batch_bytes`.

    Errors: `ValueError`, when Spark puts any number of rows into a batch.
    """
    rows = int(spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") or 0)
    if rows < 1:
        raise ValueError("spark.sql.execution.arrow.maxRecordsPerBatch: a number of rows is needed, not all of them")
    return max(batch_bytes // rows, 1)


def longest_whole(spark: SparkSession, batch_bytes: int) -> int | None:
    """Returns how long a text may be before it is cut, so that batches have at most `batch_bytes`.

    Returns `None` where Spark itself ends a batch at that many bytes. Errors: those of `longest_text`.
    """
    longest = longest_text(spark, batch_bytes)
    most = bytes_of(_batch_limit(spark))
    return None if most is not None and most <= batch_bytes else longest


def _batch_limit(spark: SparkSession) -> str:
    """Returns the bytes at which Spark ends a batch, as it writes them; an empty string where it has no such setting."""
    try:
        # With a default, Spark would return that in the place of its own value.
        return spark.conf.get("spark.sql.execution.arrow.maxBytesPerBatch") or ""
    except Exception:
        # Which exception it is depends on the version, and on Spark Connect. What else is wrong with the session
        # `longest_text` has raised.
        return ""


def bytes_of(size: str) -> int | None:
    """Returns a size as Spark writes it; `None` for what is none, such as -1.

    >>> [bytes_of(size) for size in ("67108864b", "64m", "1 GB", "512", "-1", "")]
    [67108864, 67108864, 1073741824, 512, None, None]
    """
    written = re.fullmatch(r"(\d+) *([kmgtp]?)b?", size.strip().lower())
    return int(written[1]) << (10 * " kmgtp".index(written[2] or " ")) if written else None


def cut(df: DataFrame, texts: Sequence[str], others: Sequence[str], longest: int | None) -> DataFrame:
    """Returns `texts` as columns `t0`, `t1` …, `others` as `o0` …, and `which` and `bytes` of pieces.

    A row whose texts have at most `longest` bytes, or any row if that is `None`, is one row, whose `which` is null. Of any other, the texts come in
    pieces of at most `longest` bytes, in order; its last row, with `which` -1, has the other columns.
    """
    named = [F.col(_quoted(name)).alias(f"t{at}") for at, name in enumerate(texts)]
    named += [F.col(_quoted(name)).alias(f"o{at}") for at, name in enumerate(others)]
    if longest is None:
        return df.select(*named, F.expr("cast(null as int)").alias("which"), F.expr("cast(null as binary)").alias("bytes"))
    is_long = " or ".join(f"coalesce(octet_length(t{at}), 0) > {longest}" for at in range(len(texts)))
    # The lambda has each text as bytes once; a cast in the inner one would copy the whole for each piece.
    pieces = ", ".join(
        f"case when t{at} is null then cast(array() as {_PIECES}) else flatten(transform(array(cast(t{at} as binary)), "
        f"text -> transform(sequence(0, cast(greatest(octet_length(text) - 1, 0) div {longest} as int)), "
        f"number -> named_struct('which', {at}, 'bytes', substring(text, number * {longest} + 1, {longest}))))) end"
        for at in range(len(texts))
    )
    end = f"cast(array(named_struct('which', {LAST}, 'bytes', cast(null as binary))) as {_PIECES})"
    rows = f"case when {is_long} then concat({pieces}, {end}) end"
    # A long text is absent from the rows that an explosion repeats.
    short = [F.expr(f"case when {is_long} then null else t{at} end").alias(f"t{at}") for at in range(len(texts))]
    kept = [f"o{at}" for at in range(len(others))]
    apart = df.select(*named).select(*short, *kept, F.expr(rows).alias("pieces"))
    # Nothing is made of a short row: it has no array, of which `explode_outer` makes one row.
    apart = apart.select(*(f"t{at}" for at in range(len(texts))), *kept, F.explode_outer("pieces").alias("piece"))
    return apart.select(
        *(f"t{at}" for at in range(len(texts))),
        *(F.expr(f"case when piece.which is null or piece.which = {LAST} then {name} end").alias(name) for name in kept),
        F.expr("piece.which").alias("which"),
        F.expr("piece.bytes").alias("bytes"),
    )


def joined(batches: Iterable[pa.RecordBatch], texts: int) -> Iterator[list[pa.Array]]:
    """Yields the columns of whole rows from batches of what `cut` returns: `texts` texts, then the others."""
    pending: dict[int, list[bytes]] = {}
    for batch in batches:
        columns = batch.columns[:-2]
        which = batch.column(batch.num_columns - 2)
        start = 0
        for at in np.flatnonzero(which.is_valid().to_numpy(zero_copy_only=False)).tolist():
            if at > start:
                yield [column.slice(start, at - start) for column in columns]
            start = at + 1
            text = which[at].as_py()
            if text != LAST:
                piece = batch.column(batch.num_columns - 1)[at].as_py()
                pending.setdefault(text, []).append(piece)
                continue
            row = [column.slice(at, 1) for column in columns]
            for number in range(texts):
                if number in pending:
                    row[number] = _text(b"".join(pending.pop(number)), row[number].type)
            yield row
        if start < batch.num_rows:
            yield [column.slice(start) for column in columns]


def sizes(column: pa.Array) -> np.ndarray:
    """Returns the bytes that each value has, about."""
    kind = column.type
    if pa.types.is_primitive(kind):
        return np.full(len(column), max(kind.bit_width // 8, 1), np.int64)
    if is_texts(kind):
        buffer = column.buffers()[1]
        wide = kind in (pa.large_string(), pa.large_binary())
        offsets = np.frombuffer(buffer, np.int64 if wide else np.int32) if buffer else np.zeros(1, np.int64)
        offsets = offsets[column.offset : column.offset + len(column) + 1].astype(np.int64)
        return np.diff(offsets) if len(column) else np.zeros(0, np.int64)
    return np.array([column.slice(at, 1).nbytes for at in range(len(column))], np.int64)


def ranges(sizes: np.ndarray, most: int) -> Iterator[tuple[int, int]]:
    """Yields the starts and ends of runs of rows with at most `most` bytes, or of one row with more.

    >>> list(ranges(np.array([3, 3, 9, 1]), 6))
    [(0, 2), (2, 3), (3, 4)]
    """
    ends = np.cumsum(sizes)
    start, before = 0, 0
    while start < len(ends):
        end = max(int(np.searchsorted(ends, before + most, "right")), start + 1)
        yield start, end
        start, before = end, int(ends[end - 1])


def is_texts(kind: pa.DataType) -> bool:
    """Whether a type is one of strings or binary."""
    return kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def large(column: pa.Array) -> pa.Array:
    """Returns strings or binary with offsets of 64 bits."""
    return column.cast(pa.large_string() if column.type in (pa.string(), pa.large_string()) else pa.large_binary())


def _text(value: bytes, kind: pa.DataType) -> pa.Array:
    """Returns an array of one text, which is not checked: Spark has what it has."""
    kind = pa.large_string() if kind in (pa.string(), pa.large_string()) else pa.large_binary()
    offsets = pa.py_buffer(np.array([0, len(value)], np.int64))
    return pa.Array.from_buffers(kind, 1, [None, offsets, pa.py_buffer(value)])


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
