"""The restartable job behind `python -m urisieve.spark links`.

The files of a manifest are divided into parts. A task reads one part, writes its links to a file with a name of
its own, and then puts a marker beside it, in one step: the part is complete. What has no marker does not count,
so a killed task leaves nothing that is read later, and of two attempts at a part one is chosen whole. The marker
holds the losses of the part. When all parts are complete, Spark makes the tables of them.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import os
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

import urisieve

from .archives import PAIR, link_options
from .files import LOSS_DDL, FilePart, Opener, local, opened, read_file, scheme_of

#: What the parts look like; a number that changes when they do.
FORMAT = 1

_MARKER = re.compile(r"part-(\d{6})-[0-9a-f]{12}\.done")
_GZIP = b"\x1f\x8b"


class Job(NamedTuple):
    """What is to be made of which files: what must be the same when a job is continued."""

    paths: list[str]
    parts: int
    options: dict[str, Any]

    def plan(self) -> dict[str, Any]:
        """Returns what is recorded of the job."""
        paths = hashlib.sha256("\n".join(self.paths).encode()).hexdigest()
        # These change no answer.
        kept = {name: value for name, value in self.options.items() if name not in ("max_memory", "temp_dir", "threads")}
        return {
            "format": FORMAT,
            "urisieve": urisieve.__version__,
            "files": len(self.paths),
            "manifest": paths,
            "num_input_partitions": self.parts,
            "options": kept,
        }

    def files(self, part: int) -> list[str]:
        """Returns the paths of a part: every part has a file more or less than another at most."""
        return self.paths[part :: self.parts]


class Outcome(NamedTuple):
    """What a job did: parts in all, parts that it read itself, losses in all."""

    parts: int
    read: int
    losses: int


class OtherJob(ValueError):
    """The folder belongs to another job."""


def manifest(path: str, base: str | None = None) -> list[str]:
    """Returns the paths in a manifest, one a line, compressed with gzip or not.

    `base` is put before those that are not URLs. Without it, local paths are made absolute, because the tasks run
    elsewhere. Errors: `OSError` for a manifest that cannot be read.
    """
    with opened(path) as source:
        if hasattr(source, "read"):
            data = source.read()
        else:
            with open(source, "rb") as file:
                data = file.read()
    if data.startswith(_GZIP):
        data = gzip.decompress(data)
    lines = [line.strip() for line in data.decode().splitlines()]
    return [_absolute(line, base) for line in lines if line]


def run(
    spark: SparkSession,
    paths: Sequence[str],
    out: str,
    *,
    parts: int,
    output_partitions: int,
    opener: Opener | None = None,
    retry_losses: bool = False,
    **options: Any,
) -> Outcome:
    """Writes the links of files to `out/links` and the losses to `out/losses`, both Parquet; continues what was begun.

    `out` is a local folder that all nodes share, or a URL that pyarrow and Spark can both write. Parts that are
    complete are not read again, except, with `retry_losses`, those that have losses.

    Errors: `OtherJob` when `out` was made of other files or with other options, `OSError` for what cannot be
    written, and those of Spark.
    """
    job = Job(list(paths), max(1, min(parts, len(paths))), link_options(options))
    folder = Folder.of(out)
    folder.claim(job.plan())
    complete = folder.complete()
    if retry_losses:
        complete = {part: marker for part, marker in complete.items() if marker.size == 0}
    missing = [part for part in range(job.parts) if part not in complete]
    if missing:
        folder.forget_tables()
        folder.forget(marker for part in missing for marker in folder.markers(part))
        _read_parts(spark, job, missing, out, opener)
        complete = folder.complete()
        absent = [part for part in range(job.parts) if part not in complete]
        if absent:
            raise OSError(f"{out}: part {absent[0]} is not complete, though its task has ended")
    if folder.table_partitions() != output_partitions:
        folder.forget_tables()
        _write_tables(spark, folder, sorted(complete.items()), output_partitions)
        folder.tables_made(output_partitions)
    losses = spark.read.parquet(folder.url("losses")).count()
    return Outcome(job.parts, len(missing), losses)


def _read_parts(spark: SparkSession, job: Job, missing: Sequence[int], out: str, opener: Opener | None) -> None:
    rows = [(part, job.files(part)) for part in missing]
    # From one partition, rows are dealt out evenly: one task a part.
    given = spark.createDataFrame(rows, "part int, paths array<string>").coalesce(1).repartition(len(rows))
    write = functools.partial(write_parts, out=out, opener=opener, options=job.options)
    given.mapInArrow(write, "part int").write.format("noop").mode("overwrite").save()


def _write_tables(spark: SparkSession, folder: Folder, markers: Sequence[tuple[int, Marker]], partitions: int) -> None:
    pairs = spark.createDataFrame([], "s string, t string")
    files = [folder.url("parts", marker.data) for _, marker in markers]
    if files:
        pairs = spark.read.schema("s string, t string").parquet(*files)
    # Hashed by both columns, so that neither a page nor a target with very many links makes one partition large.
    pairs = pairs.repartition(partitions, "s", "t").dropDuplicates().sortWithinPartitions("s", "t")
    pairs.write.mode("overwrite").parquet(folder.url("links"))
    lost = [folder.url("parts", marker.name) for _, marker in markers if marker.size]
    losses: DataFrame = spark.createDataFrame([], LOSS_DDL)
    if lost:
        losses = spark.read.schema(LOSS_DDL).json(lost)
    losses.coalesce(1).sortWithinPartitions("file", "offset").write.mode("overwrite").parquet(folder.url("losses"))


def write_parts(
    batches: Iterable[pa.RecordBatch], *, out: str, opener: Opener | None, options: dict[str, Any]
) -> Iterator[pa.RecordBatch]:
    """In a task: reads parts, writes them, and returns their numbers."""
    folder = Folder.of(out)
    for batch in batches:
        for row in batch.to_pylist():
            write_part(folder, row["part"], row["paths"], opener, options)
            yield pa.RecordBatch.from_arrays([pa.array([row["part"]], pa.int32())], ["part"])


def write_part(folder: Folder, part: int, paths: Sequence[str], opener: Opener | None, options: dict[str, Any]) -> None:
    """Reads the files of a part into one file of links, and marks the part as complete."""
    name = f"part-{part:06}-{uuid.uuid4().hex[:12]}"
    losses: list[dict[str, Any]] = []
    with folder.writing(f"{name}.parquet") as stream, pyarrow.parquet.ParquetWriter(stream, PAIR) as writer:
        for path in paths:
            for pairs in read_file(FilePart(path), PAIR.names, opener, options, losses):
                writer.write_batch(pairs)
    folder.sync(f"{name}.parquet")
    lines = "".join(json.dumps(loss) + "\n" for loss in losses)
    folder.put(f"{name}.done", lines.encode())


class Marker(NamedTuple):
    """The marker of a complete part: its name, and its size, which is 0 when nothing was lost."""

    name: str
    size: int

    @property
    def data(self) -> str:
        """The name of the file with the part's links."""
        return self.name.removesuffix(".done") + ".parquet"


class Folder(NamedTuple):
    """The folder of a job: `links` and `losses` for the user, `parts` for the job."""

    system: pyarrow.fs.FileSystem
    path: str
    prefix: str

    @classmethod
    def of(cls, out: str) -> Folder:
        """Returns the folder for a path or a URL; `s3a:` and `s3n:` are names of Hadoop's for `s3:`."""
        scheme = scheme_of(out)
        if scheme in ("", "file"):
            path = os.path.abspath(local(out))
            return cls(pyarrow.fs.LocalFileSystem(), path, "file://")
        location = out.rstrip("/")
        known = re.sub(r"^s3[an]:", "s3:", location)
        try:
            system, path = pyarrow.fs.FileSystem.from_uri(known)
        except pa.ArrowInvalid:
            import fsspec

            system, path = fsspec.core.url_to_fs(location)
            system = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(system))
        return cls(system, path.rstrip("/"), location.removesuffix(path.rstrip("/")))

    def url(self, *names: str) -> str:
        """Returns the name by which Spark knows a file of the folder."""
        return self.prefix + "/".join([self.path, *names])

    def _in(self, *names: str) -> str:
        return "/".join([self.path, *names])

    def claim(self, plan: dict[str, Any]) -> None:
        """Makes the folder that of a job with this plan, or continues such a job.

        Errors: `OtherJob` when it is another's, or holds something else.
        """
        found = self._read("parts", "plan.json")
        if found is not None:
            before = json.loads(found)
            other = [name for name in plan if before.get(name) != plan[name]]
            if other:
                names = ", ".join(f"{name} ({before.get(name)}, now {plan[name]})" for name in other)
                raise OtherJob(f"{self.url()}: made with other values of {names}; take another folder, or remove this one")
            return
        if self.system.get_file_info(pyarrow.fs.FileSelector(self.path, allow_not_found=True)):
            raise OtherJob(f"{self.url()}: is not empty, and not the folder of such a job")
        self.system.create_dir(self._in("parts"), recursive=True)
        self.put("plan.json", json.dumps(plan, indent=1).encode())

    def complete(self) -> dict[int, Marker]:
        """Returns the marker of each part that is complete."""
        complete: dict[int, Marker] = {}
        listed = self.system.get_file_info(pyarrow.fs.FileSelector(self._in("parts")))
        names = {info.base_name for info in listed}
        for info in sorted(listed, key=lambda info: info.base_name):
            matched = _MARKER.fullmatch(info.base_name)
            marker = Marker(info.base_name, info.size or 0)
            if matched and marker.data in names:
                complete.setdefault(int(matched[1]), marker)
        return complete

    def markers(self, part: int) -> list[str]:
        """Returns the names of all markers of a part."""
        listed = self.system.get_file_info(pyarrow.fs.FileSelector(self._in("parts")))
        names = (info.base_name for info in listed)
        return [name for name in names if _MARKER.fullmatch(name) and name.startswith(f"part-{part:06}-")]

    def forget(self, markers: Iterable[str]) -> None:
        """Removes markers, so that their parts are not complete any more."""
        for marker in list(markers):
            self.system.delete_file(self._in("parts", marker))

    def writing(self, name: str) -> Any:
        """Opens a new file among the parts."""
        return self.system.open_output_stream(self._in("parts", name))

    def put(self, name: str, data: bytes) -> None:
        """Writes a file among the parts that is there whole, or not at all."""
        if not self._is_local():
            # An object appears when it is complete; in HDFS a file is renamed.
            pending = f"_{uuid.uuid4().hex}" if self.system.type_name == "hdfs" else name
        else:
            pending = f"_{uuid.uuid4().hex}"
        with self.writing(pending) as stream:
            stream.write(data)
        self.sync(pending)
        if pending != name:
            self.system.move(self._in("parts", pending), self._in("parts", name))

    def sync(self, name: str) -> None:
        """Has a local file written to the disk, so that it survives a loss of power if its marker does."""
        if self._is_local():
            file = os.open(self._in("parts", name), os.O_RDONLY)
            try:
                os.fsync(file)
            finally:
                os.close(file)

    def table_partitions(self) -> int | None:
        """Returns the number of partitions of the tables, if they are complete."""
        made = self._read("parts", "tables.json")
        return None if made is None else int(json.loads(made)["num_output_partitions"])

    def tables_made(self, partitions: int) -> None:
        """Notes that the tables are complete."""
        self.put("tables.json", json.dumps({"num_output_partitions": partitions}).encode())

    def forget_tables(self) -> None:
        """Notes that the tables are not those of the parts any more."""
        if self._read("parts", "tables.json") is not None:
            self.system.delete_file(self._in("parts", "tables.json"))

    def _read(self, *names: str) -> bytes | None:
        path = self._in(*names)
        if self.system.get_file_info(path).type == pyarrow.fs.FileType.NotFound:
            return None
        with self.system.open_input_stream(path, compression=None) as stream:
            data: bytes = stream.read()
        return data

    def _is_local(self) -> bool:
        return bool(self.system.type_name == "local")


def _absolute(path: str, base: str | None) -> str:
    if scheme_of(path):
        return path
    if base:
        return base + path
    return os.path.abspath(path)
