"""The URIs of a column or of files, each once. Large files of text are divided among the tasks by ranges of bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, overload

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType

from .blocks import uris_of_blocks, uris_of_column
from .files import FilePart, FileTables, Opener, file_options, local, scheme_of, tables_of
from .findings import BATCH_BYTES
from .pieces import bytes_of, longest_whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from urisieve import Options

#: The bytes of a range, where Spark does not say how large a part of a file is.
RANGE_BYTES = 128 << 20

#: The files that are asked for their size at a time.
AT_A_TIME = 32


class UriTables(FileTables):
    """What `uris` returns for files: the tables of URIs and of losses.

    >>> tables = UriTables(None, None)
    >>> found, losses = tables
    """

    @property
    def uris(self) -> DataFrame:
        """`uri`, each once."""
        return self[0]


@overload
def uris(source: DataFrame, column: str, *, batch_bytes: int = ..., **options: Unpack[Options]) -> DataFrame: ...
@overload
def uris(
    source: SparkSession,
    column: None = None,
    *,
    paths: Sequence[str],
    opener: Opener | None = ...,
    range_bytes: int | None = ...,
    tasks: int | None = ...,
    persist: bool = ...,
    **options: Unpack[Options],
) -> UriTables: ...
def uris(
    source: DataFrame | SparkSession,
    column: str | None = None,
    *,
    batch_bytes: int = BATCH_BYTES,
    paths: Sequence[str] | None = None,
    opener: Opener | None = None,
    range_bytes: int | None = None,
    tasks: int | None = None,
    persist: bool = True,
    **options: Any,
) -> DataFrame | UriTables:
    """Returns the URIs in the texts of `column`, or in the files `paths`, each once, as the column `uri`.

    Of a frame and a `column`, it has the rows of `distinct(extract(df, column).select("uri"))`, and is faster.
    Strings give strings, binary gives binary. `options` are those of `urisieve.extract`; a task has one thread,
    unless `threads` says otherwise. The result has `spark.sql.shuffle.partitions` partitions, or fewer, if Spark
    joins small ones.

    A task keeps URIs in up to `batch_bytes` of memory before it gives them to Spark. After the shuffle it has in
    memory the URIs of one of 16 shares of a partition: more partitions need less.

    Of a session and `paths`, it returns two tables: the URIs, and the losses, with `file`, `offset`, `kind` and
    `cause`. This is the faster way to lines of logs and to long texts, which then need not come through the JVM.
    A file of any format is read, as `urisieve.open` does it with these `options`. A file that is missing or damaged
    never fails the job. Paths and `opener` are those of `links`; a directory has its files, without those whose
    names begin with `.` or `_`.

    Plain text is divided into ranges of about `range_bytes` (default: `spark.sql.files.maxPartitionBytes`), which
    begin and end where no URI is divided: the answer is that of the whole. Anything else is read by one task.
    Logs whose columns change behind their first MiB have a loss, `unsupported`. With an `opener` of your own, files
    are read whole. The parts are divided among `tasks` (default: one task a part, at most 10,000); `persist` and
    `unpersist()` are those of `links`.

    Errors: `ValueError` or `TypeError` for a wrong option or column, before anything runs; `ImportError` when fsspec,
    or its package for a scheme, is missing.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> logs = spark.createDataFrame([("HTTP://A.example/b urn:isbn:0395363411",), ("http://a.example/b",)], "line string")
    >>> uris(logs, "line").orderBy("uri").collect()
    [Row(uri='http://a.example/b'), Row(uri='urn:isbn:0395363411')]
    >>> found, losses = uris(spark, paths=["/missing.log"])
    >>> found.count(), losses.select("file", "kind").collect()
    (0, [Row(file='/missing.log', kind='open')])
    """
    if paths is None or column is not None or isinstance(source, DataFrame):
        if paths is not None or column is None or not isinstance(source, DataFrame):
            raise TypeError("uris: a frame and a column, or a session and paths")
        return uris_of_column(source, column, batch_bytes, options)
    plain = file_options(options, "paths")
    size = range_bytes or bytes_of(source.conf.get("spark.sql.files.maxPartitionBytes") or "") or RANGE_BYTES
    if size < 1:
        raise ValueError("range_bytes: at least 1")
    names = [os.fspath(path) for path in paths]
    parts = [FilePart(name) for name in names] if opener else list(parts_of(names, size))
    blocks, losses, read = tables_of(
        source, parts, ["uri"], opener=opener, tasks=tasks, persist=persist, options=plain
    )
    found = uris_of_blocks(blocks, longest_whole(source, BATCH_BYTES), StringType(), BATCH_BYTES)
    return UriTables(found, losses, read)


def parts_of(paths: Sequence[str], size: int) -> Iterator[FilePart]:
    """Yields the parts of files, of about `size` bytes.

    Errors: `ImportError` when fsspec or its package for a scheme is missing.
    """
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for files in pool.map(files_of, paths):
            for path, length in files:
                # The last range is not much larger than the others, nor a small rest.
                count = max(round(length / size), 1)
                starts = [length * number // count for number in range(count)]
                for start, end in zip(starts, [*starts[1:], None]):
                    yield FilePart(path, start, end)


def files_of(path: str) -> list[tuple[str, int]]:
    """Returns the file that a path names, or those in its directory, in order, and their lengths in bytes.

    What cannot be listed is a file of no length: the task that reads it says why. Errors: those of `parts_of`.
    """
    try:
        if scheme_of(path) in ("", "file"):
            name = local(path)
            if not os.path.isdir(name):
                return [(path, os.path.getsize(name))]
            return [(file, os.path.getsize(file)) for file in _below(os.walk(name, onerror=_raised))]
        import fsspec

        system, name = fsspec.core.url_to_fs(path)
        about = system.info(name)
        if about["type"] != "directory":
            return [(path, about.get("size") or 0)]
        found = system.find(name, detail=True)
        listed = (file for file in sorted(found) if not _is_hidden(file.removeprefix(name)))
        return [(system.unstrip_protocol(file), found[file].get("size") or 0) for file in listed]
    except ImportError:
        raise
    except Exception:
        return [(path, 0)]


def _below(folders: Iterable[tuple[str, list[str], list[str]]]) -> Iterator[str]:
    for folder, inner, files in folders:
        inner[:] = sorted(name for name in inner if not _is_hidden(name))
        yield from (os.path.join(folder, name) for name in sorted(files) if not _is_hidden(name))


def _is_hidden(path: str) -> bool:
    return any(name.startswith((".", "_")) for name in path.split("/"))


def _raised(error: OSError) -> None:
    raise error
