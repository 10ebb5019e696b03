"""The links of web archives: each task reads files, and what cannot be read is a row, not a failure."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import urisieve

from .blocks import merged_sets, together
from .files import FilePart, FileTables, Opener, file_options, tables_of
from .findings import BATCH_BYTES, narrow
from .pieces import longest_whole, ranges, sizes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from urisieve import Options

PAIR = pa.schema([("s", pa.string()), ("t", pa.string())])


class LinkTables(FileTables):
    """What `links` returns: the tables of links and of losses.

    >>> tables = LinkTables(None, None)
    >>> pairs, losses = tables
    """

    @property
    def links(self) -> DataFrame:
        """`s` and `t` of each link, each pair once."""
        return self[0]


def links(
    spark: SparkSession,
    paths: Sequence[str],
    *,
    opener: Opener | None = None,
    tasks: int | None = None,
    persist: bool = True,
    **options: Unpack[Options],
) -> LinkTables:
    """Returns two tables of WARC, WAT and WET files: the links, each pair once, and the losses.

    Links have `s` and `t`: pages, or hosts or registered domains in reverse order with `node="host"` and
    `node="domain"`. A file that is
    missing or damaged never fails the job: what is left of it is read, and what is not is a row of the losses, with
    `file`, `offset`, `kind` and `cause`. (WET files have text alone, of which `mentions=True` takes the URIs.)

    Paths are local, or `file:` URLs; anything else with a scheme is opened by `fsspec`, which must then be
    installed on the executors. `opener` is called with each path in its place; it returns an object with `read`, a
    context manager that gives one (`fsspec.open`), or the path of a local file. It must be a function of a module
    that the executors have, or a method of something that can be pickled.

    The files are divided among `tasks` (default: one task a file, at most 10,000). A task has one thread, and up to
    64 MiB of links before they go to the shuffle; `options` are those of `urisieve.open`.

    Nothing is read before a table is used. What is read then is kept by Spark (`persist`, in memory and on disk), so
    that both tables cost one reading; `unpersist()` of the result gives it back. With `persist=False` each use of a
    table reads the files.

    Errors: `ValueError` or `TypeError` for a wrong option; `ImportError` of the job when fsspec, or its package for
    a scheme, is missing.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> pairs, losses = links(spark, ["/missing.warc.gz"])
    >>> pairs.count(), losses.select("file", "kind").collect()
    (0, [Row(file='/missing.warc.gz', kind='open')])
    """
    plain = link_options({**options})
    parts = [FilePart(os.fspath(path)) for path in paths]
    blocks, losses, read = tables_of(
        spark, parts, PAIR.names, opener=opener, tasks=tasks, persist=persist, options=plain
    )
    whole = longest_whole(spark, BATCH_BYTES)
    pairs = together(blocks, whole).mapInArrow(merge_links, "s string, t string")
    return LinkTables(pairs, losses, read)


def link_options(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of `urisieve.open` for a task.

    Errors: `ValueError` and `TypeError` for what `links` has no use for.
    """
    if options.get("nofollow") == "mark":
        raise ValueError("nofollow: mark not with links, whose rows are s and t")
    return file_options(options, "links", links=True)


def merge_links(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a task: the links in blocks that are in order of shares, each once."""
    for merged in merged_sets(batches, urisieve.LinkSet(), BATCH_BYTES):
        pages, targets = pa.array(merged.take()).flatten()
        for start, end in ranges(sizes(pages) + sizes(targets), BATCH_BYTES):
            columns = [narrow(column.slice(start, end - start)) for column in (pages, targets)]
            yield pa.RecordBatch.from_arrays(columns, schema=PAIR)
