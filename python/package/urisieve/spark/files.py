"""Files that tasks read, whole or by ranges: what is found goes to the shuffle, and what cannot be read is a row."""

from __future__ import annotations

import contextlib
import functools
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import urisieve

from .blocks import BLOCK, BLOCK_DDL, blocks_of, shares_of
from .findings import BATCH_BYTES
from .pieces import longest_whole

if TYPE_CHECKING:
    from typing_extensions import Self

#: The memory of a task of the command for what is not written yet, unless `max_memory` says otherwise.
MAX_MEMORY = "512M"

#: The most tasks that are made of their own accord.
MOST_TASKS = 10_000

LOSS = pa.schema([("file", pa.string()), ("offset", pa.int64()), ("kind", pa.string()), ("cause", pa.string())])

LOSS_DDL = "file string, offset long, kind string, cause string"
_ROWS = pa.schema([*BLOCK, *LOSS])

# Options that make other columns or another meaning of the rows, or that are set for each file.
_NOT_HERE = ("all", "count", "groups", "by", "per", "top", "sort", "max_count", "links", "label", "dedup", "against")

#: Opens a path: returns a file object, a context manager that gives one, or the path of a local file.
Opener = Callable[[str], Any]


class FilePart(NamedTuple):
    """A file, or the range of its bytes from `start` to `end`, or to its end."""

    path: str
    start: int = 0
    end: Union[int, None] = None


class FileTables(tuple[DataFrame, DataFrame]):
    """What was found in files and what was lost, both made of what each task has read once.

    >>> tables = FileTables(None, None)
    >>> found, losses = tables
    """

    read: DataFrame | None

    def __new__(cls, found: DataFrame, losses: DataFrame, read: DataFrame | None = None) -> Self:
        tables = super().__new__(cls, (found, losses))
        tables.read = read
        return tables

    @property
    def losses(self) -> DataFrame:
        """`file`, `offset`, `kind` and `cause` of what could not be read."""
        return self[1]

    def unpersist(self) -> None:
        """Gives back the storage of what was read; a table that is used afterwards reads the files again."""
        if self.read is not None:
            self.read.unpersist()


def file_options(options: dict[str, Any], what: str, **fixed: Any) -> dict[str, Any]:
    """Returns the options of `urisieve.open` for a task.

    Errors: `ValueError` and `TypeError` for what `what` has no use for.
    """
    for name in _NOT_HERE:
        if options.get(name):
            raise ValueError(f"{name}: not with {what}")
    plain = {"threads": 1, "max_memory": MAX_MEMORY, "unordered": True, **options, **fixed}
    urisieve.open(io.BytesIO(b""), **plain).close()
    return plain


def tables_of(
    spark: SparkSession,
    parts: Sequence[FilePart],
    fields: Sequence[str],
    *,
    opener: Opener | None,
    tasks: int | None,
    persist: bool,
    options: dict[str, Any],
) -> tuple[DataFrame, DataFrame, DataFrame | None]:
    """Returns tables of what is found in files: the blocks of `fields`, the losses, and what both are made of if that is kept.

    Errors: `ValueError` for wrong `tasks`.
    """
    if tasks is not None and tasks < 1:
        raise ValueError("tasks: at least 1")
    most = min(max(len(parts), 1), tasks or MOST_TASKS)
    numbers = spark.range(0, most, 1, most)
    # Tasks take the parts with the function: a table of them would need a shuffle to be dealt out evenly.
    task = functools.partial(
        read_files,
        parts=parts,
        fields=fields,
        tasks=most,
        opener=opener,
        options=options,
        shares=shares_of(spark),
        longest=longest_whole(spark, BATCH_BYTES),
    )
    read = numbers.mapInArrow(task, f"{BLOCK_DDL}, {LOSS_DDL}")
    if persist:
        read = read.persist()
    blocks = read.where("kind is null").select(*BLOCK.names)
    losses = read.where("kind is not null").select(*LOSS.names)
    return blocks, losses, read if persist else None


def read_files(
    batches: Iterable[pa.RecordBatch],
    *,
    parts: Sequence[FilePart],
    fields: Sequence[str],
    tasks: int,
    opener: Opener | None,
    options: dict[str, Any],
    shares: int,
    longest: int | None,
) -> Iterator[pa.RecordBatch]:
    """In a task: what is found, in blocks, and the losses of its share of `parts`: the first column has its number of `tasks`."""
    found: urisieve.LinkSet | urisieve.UriSet = urisieve.UriSet()
    if options.get("links"):
        # Each pair once is the work of the set, not of the reader.
        found, options = urisieve.LinkSet(), {**options, "all": True}
    for task in (number for batch in batches for number in batch.column(0).to_pylist()):
        for part in parts[task::tasks]:
            losses: list[dict[str, Any]] = []
            for batch in read_file(part, fields, opener, options, losses):
                found.add(*batch.columns)
                if found.memory > BATCH_BYTES:
                    yield from _rows(found, shares, longest)
            if losses:
                rows = pa.RecordBatch.from_pylist(losses, schema=LOSS)
                nulls = [pa.nulls(rows.num_rows, field.type) for field in BLOCK]
                yield pa.RecordBatch.from_arrays([*nulls, *rows.columns], schema=_ROWS)
    yield from _rows(found, shares, longest)


def _rows(found: Any, shares: int, longest: int | None) -> Iterator[pa.RecordBatch]:
    for blocks in blocks_of(found, shares, longest, BATCH_BYTES):
        nulls = [pa.nulls(blocks.num_rows, field.type) for field in LOSS]
        yield pa.RecordBatch.from_arrays([*blocks.columns, *nulls], schema=_ROWS)


def read_file(
    part: FilePart, fields: Sequence[str], opener: Opener | None, options: dict[str, Any], losses: list[dict[str, Any]]
) -> Iterator[pa.RecordBatch]:
    """Yields the `fields` of what is in a part of a file as batches; what could not be read is appended to `losses`.

    Errors: `ImportError` and `MemoryError`, which are not of the file.
    """
    options = {"temp_dir": local_directory(), **options, "label": part.path}
    extractor = urisieve.Extractor(**options)
    bounds = None if part == FilePart(part.path) else (part.start, part.end)
    kind = "open"
    try:
        with opened(part.path, opener) as source, extractor.open(source, fields=fields, byte_range=bounds) as reader:
            kind = "read"
            try:
                for batch in reader:
                    yield pa.RecordBatch.from_arrays(pa.record_batch(batch).columns, list(fields))
            finally:
                losses.extend(reader.losses)
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}" if not isinstance(error, OSError) else str(error)
        losses.append({"file": part.path, "offset": None, "kind": kind, "cause": cause})


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
