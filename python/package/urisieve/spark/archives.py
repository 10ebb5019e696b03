"""The links of web archives: each task reads files, and what cannot be read is a row, not a failure."""

from __future__ import annotations

import contextlib
import functools
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Union
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import urisieve

from .blocks import BLOCK, BLOCK_DDL, blocks_of, merged_sets, shares_of, together
from .findings import BATCH_BYTES, narrow
from .pieces import longest_whole, ranges, sizes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from urisieve import Options

#: The memory of a task of the command for what is not written yet, unless `max_memory` says otherwise.
MAX_MEMORY = "512M"

#: The most tasks that `links` makes of its own accord.
MOST_TASKS = 10_000

PAIR = pa.schema([("s", pa.string()), ("t", pa.string())])
LOSS = pa.schema([("file", pa.string()), ("offset", pa.int64()), ("kind", pa.string()), ("cause", pa.string())])

LOSS_DDL = "file string, offset long, kind string, cause string"
_ROWS = pa.schema([*BLOCK, *LOSS])

# Options that make other columns or another meaning of the rows, or that are set for each file.
_NOT_HERE = ("all", "count", "groups", "by", "per", "top", "sort", "max_count", "links", "label", "dedup", "against")

#: Opens a path: returns a file object, a context manager that gives one, or the path of a local file.
Opener = Callable[[str], Any]


class LinkTables(tuple[DataFrame, DataFrame]):
    """What `links` returns: the tables of links and of losses, made of what each task has read once.

    >>> tables = LinkTables(None, None)
    >>> pairs, losses = tables
    """

    read: DataFrame | None

    def __new__(cls, links: DataFrame, losses: DataFrame, read: DataFrame | None = None) -> LinkTables:
        tables = super().__new__(cls, (links, losses))
        tables.read = read
        return tables

    @property
    def links(self) -> DataFrame:
        """`s` and `t` of each link, each pair once."""
        return self[0]

    @property
    def losses(self) -> DataFrame:
        """`file`, `offset`, `kind` and `cause` of what could not be read."""
        return self[1]

    def unpersist(self) -> None:
        """Gives back the storage of what was read; a table that is used afterwards reads the files again."""
        if self.read is not None:
            self.read.unpersist()


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
    names = [os.fspath(path) for path in paths]
    if tasks is not None and tasks < 1:
        raise ValueError("tasks: at least 1")
    most = min(max(len(names), 1), tasks or MOST_TASKS)
    numbers = spark.range(0, most, 1, most)
    whole = longest_whole(spark, BATCH_BYTES)
    # Tasks take the paths with the function: a table of paths would need a shuffle to be dealt out evenly.
    task = functools.partial(
        read_files, paths=names, tasks=most, opener=opener, options=plain, shares=shares_of(spark), longest=whole
    )
    read = numbers.mapInArrow(task, f"{BLOCK_DDL}, {LOSS_DDL}")
    if persist:
        read = read.persist()
    blocks = read.where("kind is null").select(*BLOCK.names)
    pairs = together(blocks, whole).mapInArrow(merge_links, "s string, t string")
    losses = read.where("kind is not null").select(*LOSS.names)
    return LinkTables(pairs, losses, read if persist else None)


def link_options(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of `urisieve.open` for a task.

    Errors: `ValueError` and `TypeError` for what `links` has no use for.
    """
    for name in _NOT_HERE:
        if options.get(name):
            raise ValueError(f"{name}: not with links")
    if options.get("nofollow") == "mark":
        raise ValueError("nofollow: mark not with links, whose rows are s and t")
    plain = {"threads": 1, "max_memory": MAX_MEMORY, "unordered": True, **options, "links": True}
    urisieve.open(io.BytesIO(b""), **plain).close()
    return plain


def read_files(
    batches: Iterable[pa.RecordBatch],
    *,
    paths: Sequence[str],
    tasks: int,
    opener: Opener | None,
    options: dict[str, Any],
    shares: int,
    longest: int | None,
) -> Iterator[pa.RecordBatch]:
    """In a task: the links, in blocks, and the losses of its share of `paths`: the first column has its number of `tasks`."""
    # Each pair once is the work of the set, not of the reader.
    options = {**options, "all": True}
    found = urisieve.LinkSet()
    for task in (number for batch in batches for number in batch.column(0).to_pylist()):
        for path in paths[task::tasks]:
            losses: list[dict[str, Any]] = []
            for pairs in read_links(path, opener, options, losses):
                found.add(*pairs.columns)
                if found.memory > BATCH_BYTES:
                    yield from _rows(found, shares, longest)
            if losses:
                rows = pa.RecordBatch.from_pylist(losses, schema=LOSS)
                nulls = [pa.nulls(rows.num_rows, field.type) for field in BLOCK]
                yield pa.RecordBatch.from_arrays([*nulls, *rows.columns], schema=_ROWS)
    yield from _rows(found, shares, longest)


def _rows(found: urisieve.LinkSet, shares: int, longest: int | None) -> Iterator[pa.RecordBatch]:
    for blocks in blocks_of(found, shares, longest, BATCH_BYTES):
        nulls = [pa.nulls(blocks.num_rows, field.type) for field in LOSS]
        yield pa.RecordBatch.from_arrays([*blocks.columns, *nulls], schema=_ROWS)


def merge_links(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a task: the links in blocks that are in order of shares, each once."""
    for merged in merged_sets(batches, urisieve.LinkSet(), BATCH_BYTES):
        pages, targets = pa.array(merged.take()).flatten()
        for start, end in ranges(sizes(pages) + sizes(targets), BATCH_BYTES):
            columns = [narrow(column.slice(start, end - start)) for column in (pages, targets)]
            yield pa.RecordBatch.from_arrays(columns, schema=PAIR)


def read_links(
    path: str, opener: Opener | None, options: dict[str, Any], losses: list[dict[str, Any]]
) -> Iterator[pa.RecordBatch]:
    """Yields the links of one file as batches of `s` and `t`; what could not be read is appended to `losses`.

    Errors: `ImportError` and `MemoryError`, which are not of the file.
    """
    options = {"temp_dir": local_directory(), **options, "label": path}
    extractor = urisieve.Extractor(**options)
    kind = "open"
    try:
        with opened(path, opener) as source, extractor.open(source, fields=PAIR.names) as reader:
            kind = "read"
            try:
                for batch in reader:
                    yield pa.RecordBatch.from_arrays(pa.record_batch(batch).columns, schema=PAIR)
            finally:
                losses.extend(reader.losses)
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}" if not isinstance(error, OSError) else str(error)
        losses.append({"file": path, "offset": None, "kind": kind, "cause": cause})


@contextlib.contextmanager
def opened(path: str, opener: Opener | None = None) -> Iterator[Any]:
    """Gives what `urisieve.open` reads a path by: a local path, or a file object, which is closed at the end."""
    if opener is None:
        scheme = scheme_of(path)
        if scheme in ("", "file"):
            yield local(path)
            return
        import fsspec

        opener = functools.partial(fsspec.open, mode="rb")
    source = opener(path)
    if hasattr(source, "read"):
        with contextlib.closing(source) if hasattr(source, "close") else contextlib.nullcontext():
            yield source
    elif hasattr(source, "__enter__"):
        with source as file:
            yield file
    else:
        yield source


def scheme_of(path: str) -> str:
    """Returns the scheme of a path that is a URL, in lower case, or an empty string.

    >>> scheme_of("S3://bucket/key"), scheme_of("crawl-data/a:b.warc.gz"), scheme_of("file:/data/a.warc")
    ('s3', '', 'file')
    """
    head, colon, rest = path.partition(":")
    is_scheme = colon and rest.startswith("/") and head[:1].isalpha() and head.replace("+", "").isalnum()
    return head.lower() if is_scheme else ""


def local(path: str) -> str:
    """Returns the local path of a path or of a `file:` URL.

    >>> local("file:///data/a%20b.warc"), local("/data/a%20b.warc")
    ('/data/a b.warc', '/data/a%20b.warc')
    """
    return unquote(urlsplit(path).path) if scheme_of(path) == "file" else path


def local_directory() -> Union[str, None]:
    """Returns the directory in which Spark keeps temporary files of a task."""
    for directory in os.environ.get("SPARK_LOCAL_DIRS", "").split(","):
        if os.path.isdir(directory):
            return directory
    return None
