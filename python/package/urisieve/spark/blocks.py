"""The URIs of a column, each once, when nothing else of them is wanted: the fast way.

A task keeps its URIs in a set of bounded memory, and gives Spark not a row for each, but blocks of many, which are
all of one share: that is given by a hash of the URI. Spark brings the blocks of a share together, and a second
task makes one set of them. So the shuffle has few rows, and Spark itself compares no URI.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

import urisieve

from .findings import BATCH_BYTES, checked_options, narrow, text_type
from .pieces import cut, joined, large, longest_text, longest_whole, ranges, sizes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from urisieve import Options

#: The shares for each partition of the shuffle: a task has the URIs of one share in memory.
SHARES = 16

BLOCK = pa.schema([("share", pa.int32()), ("lengths", pa.binary()), ("uris", pa.binary())])
BLOCK_DDL = "share int, lengths binary, uris binary"

_LENGTH = np.dtype("<u4")


def uris(df: DataFrame, column: str, *, batch_bytes: int = BATCH_BYTES, **options: Unpack[Options]) -> DataFrame:
    """Returns the URIs in the texts of `column`, each once, as the column `uri`.

    It has the rows of `distinct(extract(df, column).select("uri"))`, and is faster. Strings give strings, binary
    gives binary. `options` are those of `urisieve.extract`; a task has one thread, unless `threads` says
    otherwise. The result has `spark.sql.shuffle.partitions` partitions, or fewer, if Spark joins small ones.

    A task keeps URIs in up to `batch_bytes` of memory before it gives them to Spark. After the shuffle it has in
    memory the URIs of one of 16 shares of a partition: more partitions need less.

    Errors: `ValueError` or `TypeError` for a wrong option or column, before anything runs.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> logs = spark.createDataFrame([("HTTP://A.example/b urn:isbn:0395363411",), ("http://a.example/b",)], "line string")
    >>> uris(logs, "line").orderBy("uri").collect()
    [Row(uri='http://a.example/b'), Row(uri='urn:isbn:0395363411')]
    """
    kind = text_type(df, column)
    plain = checked_options(options, batch_bytes)
    urisieve.UriSet(**plain)
    longest = longest_text(df.sparkSession, batch_bytes)
    shares = shares_of(df.sparkSession)
    gather = functools.partial(gather_blocks, shares=shares, longest=longest, batch_bytes=batch_bytes, options=plain)
    whole = longest_whole(df.sparkSession, batch_bytes)
    blocks = cut(df, [column], [], whole).mapInArrow(gather, BLOCK_DDL)
    merge = functools.partial(merge_blocks, strings=kind.typeName() == "string", batch_bytes=batch_bytes)
    return together(blocks, batch_bytes).mapInArrow(merge, StructType([StructField("uri", kind)]))


def shares_of(spark: SparkSession) -> int:
    """Returns into how many shares all URIs are divided."""
    return SHARES * int(spark.conf.get("spark.sql.shuffle.partitions", "200") or 200)


def together(blocks: DataFrame, batch_bytes: int) -> DataFrame:
    """Returns blocks so that those of a share follow each other, for `merge_blocks`."""
    whole = longest_whole(blocks.sparkSession, batch_bytes)
    return cut(blocks.repartition("share").sortWithinPartitions("share"), ["lengths", "uris"], ["share"], whole)


def gather_blocks(
    batches: Iterable[pa.RecordBatch], *, shares: int, longest: int, batch_bytes: int, options: dict[str, Any]
) -> Iterator[pa.RecordBatch]:
    """In a task: the URIs in the column that `pieces.cut` made, each once while `batch_bytes` hold them, in blocks."""
    gathered = urisieve.UriSet(**options)
    for [column] in joined(batches, 1):
        for start, end in ranges(sizes(column), batch_bytes):
            gathered.add_from(large(column.slice(start, end - start)))
            if gathered.memory > batch_bytes:
                yield from blocks_of(gathered, shares, longest, batch_bytes)
    yield from blocks_of(gathered, shares, longest, batch_bytes)


def blocks_of(gathered: urisieve.UriSet, shares: int, longest: int, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yields what a set has as blocks of at most `longest` bytes, or of one URI, and empties it.

    >>> some = urisieve.UriSet()
    >>> some.add(pa.array(["urn:a-b:c", "urn:a-b:d"]))
    >>> [batch.to_pydict() for batch in blocks_of(some, 1, 100, 1000)]
    [{'share': [0], 'lengths': [b'\\t\\x00\\x00\\x00\\t\\x00\\x00\\x00'], 'uris': [b'urn:a-b:curn:a-b:d']}]
    """
    lists = pa.array(gathered.take(shares))
    values = large(lists.flatten())
    lengths = sizes(values)
    ends = lists.offsets.to_numpy()
    shared, places = [], [0]
    for share in np.flatnonzero(np.diff(ends)).tolist():
        first = int(ends[share])
        for _, end in ranges(lengths[first : int(ends[share + 1])], longest):
            shared.append(share)
            places.append(first + end)
    if not shared:
        return
    at = np.array(places, np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])[at]
    rows = [
        pa.array(shared, pa.int32()),
        _binary(at * _LENGTH.itemsize, pa.py_buffer(lengths.astype(_LENGTH))),
        _binary(offsets, values.buffers()[2]),
    ]
    for start, end in ranges(np.diff(offsets), batch_bytes):
        columns = [narrow(row.slice(start, end - start)) for row in rows]
        yield pa.RecordBatch.from_arrays(columns, schema=BLOCK)


def merge_blocks(batches: Iterable[pa.RecordBatch], *, strings: bool, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """In a task: the URIs in blocks that are in order of shares, each once."""
    merged, share = urisieve.UriSet(), -1
    for lengths, blocks, shares in joined(batches, 2):
        numbers = shares.to_numpy()
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for start, end in zip(cuts, cuts[1:]):
            if numbers[start] != share and merged.memory > batch_bytes:
                yield from _taken(merged, batch_bytes)
            share = numbers[start]
            merged.add(_unpacked(lengths.slice(start, end - start), blocks.slice(start, end - start), strings))
    yield from _taken(merged, batch_bytes)


def _unpacked(lengths: pa.Array, blocks: pa.Array, strings: bool) -> pa.Array:
    """Returns the URIs of blocks."""
    each = np.frombuffer(_bytes(lengths), _LENGTH)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(each, dtype=np.int64)])
    kind = pa.large_string() if strings else pa.large_binary()
    return pa.Array.from_buffers(kind, len(each), [None, pa.py_buffer(offsets), _bytes(blocks)])


def _bytes(column: pa.Array) -> pa.Buffer:
    """Returns the bytes of all values, which follow each other."""
    column = large(column)
    offsets = np.frombuffer(column.buffers()[1], np.int64)
    first, last = int(offsets[column.offset]), int(offsets[column.offset + len(column)])
    data = column.buffers()[2]
    return data.slice(first, last - first) if data else pa.py_buffer(b"")


def _binary(offsets: np.ndarray, data: pa.Buffer) -> pa.Array:
    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), data])


def _taken(merged: urisieve.UriSet, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    values = pa.array(merged.take()).flatten()
    for start, end in ranges(sizes(values), batch_bytes):
        yield pa.RecordBatch.from_arrays([narrow(values.slice(start, end - start))], ["uri"])
