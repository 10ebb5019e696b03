"""`uris` of files: the program's URIs whatever the ranges, losses as rows, each file read once."""

import gzip
import io
import os
import subprocess

import fsspec
import pytest
from urisieve.spark import uris
from urisieve.spark.texts import files_of, parts_of

LINE = 'h%d.example 192.0.2.1 - - [04/Oct/2026:23:59:59 +0000] "GET /x/%07d HTTP/1.1" 200 2 "http://r.example/%d" "a"\n'


def by_program(program, *paths):
    ran = subprocess.run([program, *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return set(ran.stdout.decode().splitlines())


def uris_of(table):
    rows = [row.uri for row in table.collect()]
    assert len(rows) == len(set(rows))
    return set(rows)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Logs, wrapped text, compressed and other files."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "access.log").write_text("".join(LINE % (n % 7, n // 2, n % 1000) for n in range(40_000)))
    wrapped = "".join(f"see <URL:http://a.example/{n % 50_000}/\n   b-> c\n" for n in range(90_000))
    (folder / "wrapped.txt").write_text(wrapped)
    (folder / "packed.txt.gz").write_bytes(gzip.compress(wrapped.replace("a.ex", "p.ex").encode()))
    (folder / "page.html").write_text("<html>" + "".join(f"<a href='http://q.example/{n}'>x</a>\n" for n in range(60_000)))
    (folder / "wide.txt").write_bytes("".join(f"http://w.example/{n}\n" for n in range(60_000)).encode("utf-16"))
    (folder / "empty.txt").write_bytes(b"")
    (folder / "inner").mkdir()
    (folder / "inner" / "small.txt").write_text("urn:isbn:0395363411")
    (folder / "_SUCCESS").write_text("http://hidden.example/")
    return folder


@pytest.fixture(scope="module")
def shown(texts):
    return [path for path in sorted(texts.rglob("*")) if path.is_file() and path.name != "_SUCCESS"]


@pytest.mark.parametrize("size", [1, 1_500_000, None], ids=str)
def test_uris_are_those_of_the_program(spark, program, texts, shown, size):
    found, losses = uris(spark, paths=[str(texts)], range_bytes=size and max(size, 300_000), tasks=7)
    wanted = by_program(program, *shown)
    assert len(wanted) > 150_000
    assert uris_of(found) == wanted and losses.collect() == []


def test_large_files_are_divided(spark, texts):
    path = str(texts / "access.log")
    parts = list(parts_of([path], 1 << 20))
    assert len(parts) == round(os.path.getsize(path) / (1 << 20)) and parts[0].start == 0 and parts[-1].end is None
    assert all(before.end == after.start for before, after in zip(parts, parts[1:]))
    # More than one of the tasks has something to give.
    tables = uris(spark, paths=[path], range_bytes=1 << 20)
    rows = tables.read.mapInArrow(lambda batches: (b.slice(0, 1) for b in batches if b.num_rows), tables.read.schema)
    assert rows.count() == len(parts)
    tables.unpersist()


def test_options_are_those_of_open(spark, program, texts):
    path = texts / "access.log"
    found, _ = uris(spark, paths=[path], range_bytes=1 << 20, requests="only", host="h3.example")
    flags = ["--requests", "only", "--host", "h3.example"]
    assert uris_of(found) == by_program(program, *flags, path) != set()
    for wrong, error in [({"all": True}, ValueError), ({"links": True}, ValueError), ({"no_such": 1}, TypeError)]:
        with pytest.raises(error):
            uris(spark, paths=[path], **wrong)
    for wrong in ({"tasks": 0}, {"range_bytes": -1}):
        with pytest.raises(ValueError, match="at least 1"):
            uris(spark, paths=[path], **wrong)
    for args, named in [((spark,), {}), ((spark, "line"), {}), ((spark, "line"), {"paths": []}), ((spark.range(1),), {"paths": []})]:
        with pytest.raises(TypeError, match="a frame and a column, or a session and paths"):
            uris(*args, **named)


def test_what_is_lost_is_a_row(spark, tmp_path):
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"see http://a.example/ " * 9000)[:-30])
    header = "#Fields: date time cs-method cs(Host) cs-uri-stem sc-status\n"
    line = "2000-10-10 13:55:36 GET b.example /x%07d 200\n"
    lines = "".join(line % n for n in range(60_000))
    (tmp_path / "iis.log").write_text(header + lines + header.replace(" sc-status", "") + lines.replace(" 200", "") + lines)
    paths = [str(tmp_path / name) for name in ("cut.gz", "missing.txt", "iis.log")]
    found, losses = uris(spark, paths=paths, range_bytes=1 << 20)
    rows = {(os.path.basename(row.file), row.kind) for row in losses.collect()}
    assert rows == {("cut.gz", "truncated"), ("missing.txt", "open"), ("iis.log", "unsupported")}
    assert {"http://a.example/", "http://b.example/x0000007"} <= uris_of(found)
    assert uris(spark, paths=[]).uris.count() == 0


def opener(path):
    """Opens what no file system has."""
    return io.BytesIO(b"http://%s.example/ " % os.path.basename(path).encode() * 3)


def test_paths_are_opened(spark, program, texts):
    """By fsspec, with ranges; and by a function, whole."""
    system = fsspec.filesystem("local")
    path = f"local://{texts}/access.log"
    assert files_of(path) == [(path, os.path.getsize(texts / "access.log"))]
    found, losses = uris(spark, paths=[path, f"file://{texts}/inner"], range_bytes=1 << 20)
    assert uris_of(found) == by_program(program, texts / "access.log", texts / "inner") and losses.collect() == []
    listed = [name for name, _ in files_of(f"local://{texts}")]
    assert [system._strip_protocol(name) for name in listed] == [
        str(path) for path in sorted(texts.rglob("*"), key=str) if path.is_file() and path.name != "_SUCCESS"
    ]
    found, _ = uris(spark, paths=["a/b", "a/c"], opener=opener)
    assert uris_of(found) == {"http://b.example/", "http://c.example/"}
