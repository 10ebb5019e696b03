"""URIs, each once, when nothing else of them is wanted: the fast way.

A task keeps its URIs in a set of bounded memory, and gives Spark not a row for each, but blocks of many, which are
all of one share: that is given by a hash of the URI. Spark brings the blocks of a share together, and a second
task makes one set of them. So the shuffle has few rows, and Spark itself compares no URI.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DataType, StructField, StructType

import urisieve

from .findings import BATCH_BYTES, checked_options, narrow, text_type
from .pieces import cut, joined, large, longest_whole, ranges, sizes

#: A set that tasks fill and empty.
Gathered = TypeVar("Gathered", urisieve.UriSet, urisieve.LinkSet)

#: The shares for each partition of the shuffle: a task has the URIs of one share in memory.
SHARES = 16

BLOCK = pa.schema([("share", pa.int32()), ("packed", pa.binary())])
BLOCK_DDL = "share int, packed binary"


def uris_of_column(df: DataFrame, column: str, batch_bytes: int, options: Any) -> DataFrame:
    """Returns the URIs in the texts of `column`, each once, as the column `uri`.

    Errors: `ValueError` or `TypeError` for a wrong option or column.
    """
    kind = text_type(df, column)
    plain = checked_options(options, batch_bytes)
    urisieve.UriSet(**plain)
    whole = longest_whole(df.sparkSession, batch_bytes)
    shares = shares_of(df.sparkSession)
    gather = functools.partial(gather_blocks, shares=shares, longest=whole, batch_bytes=batch_bytes, options=plain)
    blocks = cut(df, [column], [], whole).mapInArrow(gather, BLOCK_DDL)
    return uris_of_blocks(blocks, whole, kind, batch_bytes)


def uris_of_blocks(blocks: DataFrame, whole: int | None, kind: DataType, batch_bytes: int) -> DataFrame:
    """Returns the URIs in the blocks of all tasks, each once, as the column `uri` of this kind; `whole` is that of `pieces.cut`."""
    merge = functools.partial(merge_blocks, batch_bytes=batch_bytes)
    return together(blocks, whole).mapInArrow(merge, StructType([StructField("uri", kind)]))


def shares_of(spark: SparkSession) -> int:
    """Returns into how many shares all URIs are divided."""
    return SHARES * int(spark.conf.get("spark.sql.shuffle.partitions") or 200)


def together(blocks: DataFrame, whole: int | None) -> DataFrame:
    """Returns blocks so that those of a share follow each other, for `merged_sets`; `whole` is that of `pieces.cut`."""
    return cut(blocks.repartition("share").sortWithinPartitions("share"), ["packed"], ["share"], whole)


def gather_blocks(
    batches: Iterable[pa.RecordBatch], *, shares: int, longest: int | None, batch_bytes: int, options: dict[str, Any]
) -> Iterator[pa.RecordBatch]:
    """In a task: the URIs in the column that `pieces.cut` made, each once while `batch_bytes` hold them, in blocks."""
    gathered = urisieve.UriSet(**options)
    for [column] in joined(batches, 1):
        for start, end in ranges(sizes(column), batch_bytes):
            gathered.add_from(large(column.slice(start, end - start)))
            if gathered.memory > batch_bytes:
                yield from blocks_of(gathered, shares, longest, batch_bytes)
    yield from blocks_of(gathered, shares, longest, batch_bytes)


def blocks_of(gathered: Gathered, shares: int, longest: int | None, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yields what a set has as blocks of at most `longest` bytes before they are compressed, or of the usual length, and empties it.

    >>> some = urisieve.UriSet()
    >>> some.add(pa.array(["urn:a-b:c", "urn:a-b:d"]))
    >>> [batch.column("share").to_pylist() for batch in blocks_of(some, 1, 100, 1000)], len(some)
    ([[0]], 0)
    """
    if len(gathered) == 0:
        return
    blocks = gathered.pack(shares) if longest is None else gathered.pack(shares, longest)
    part, packed = pa.array(blocks).flatten()
    for start, end in ranges(sizes(packed), batch_bytes):
        columns = [column.slice(start, end - start) for column in (part, packed)]
        yield pa.RecordBatch.from_arrays([narrow(column) for column in columns], schema=BLOCK)


def merge_blocks(batches: Iterable[pa.RecordBatch], *, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """In a task: the URIs in blocks that are in order of shares, each once."""
    for merged in merged_sets(batches, urisieve.UriSet(), batch_bytes):
        values = pa.array(merged.take()).flatten()
        for start, end in ranges(sizes(values), batch_bytes):
            yield pa.RecordBatch.from_arrays([narrow(values.slice(start, end - start))], ["uri"])


def merged_sets(batches: Iterable[pa.RecordBatch], merged: Gathered, batch_bytes: int) -> Iterator[Gathered]:
    """Fills `merged` with the blocks of as many shares as have `batch_bytes` of memory, and yields it to be emptied."""
    share = -1
    for packed, shares in joined(batches, 1):
        numbers: np.ndarray = shares.to_numpy()
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for start, end in zip(cuts, cuts[1:]):
            if numbers[start] != share and merged.memory > batch_bytes:
                yield merged
            share = numbers[start]
            merged.add_packed(packed.slice(start, end - start))
    if len(merged):
        yield merged
