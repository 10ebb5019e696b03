"""`python -m urisieve.spark links`: its tables, and that a job which is killed goes on where it was."""

import glob
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import openers
import pyarrow.parquet as pq
import pytest
from test_links import by_program
from urisieve.spark.job import Folder, OtherJob, manifest, run

SETTINGS = "--master local[2] --driver-memory 1g --conf spark.ui.enabled=false pyspark-shell"


def environment(notes):
    return dict(os.environ, PYSPARK_SUBMIT_ARGS=SETTINGS, NOTES=str(notes))


def command(notes, *args):
    """Runs the command; returns what it printed on standard error of its own."""
    arguments = [sys.executable, "-m", "urisieve.spark", "links", *map(str, args)]
    ran = subprocess.run(arguments, stderr=subprocess.PIPE, env=environment(notes), timeout=300)
    said = [line for line in ran.stderr.decode().splitlines() if line.startswith("urisieve:")]
    assert ran.returncode in (0, 2), ran.stderr.decode()[-3000:]
    return ran.returncode, "\n".join(said)


def table(folder):
    files = sorted(glob.glob(f"{folder}/part-*.parquet"))
    return [[tuple(row.values()) for row in pq.read_table(file).to_pylist()] for file in files]


def rows(folder):
    return [row for part in table(folder) for row in part]


@pytest.fixture(scope="module")
def few(crawl):
    return crawl[:24]


def test_the_command(program, few, tmp_path):
    """A manifest of relative paths, compressed, with a base and a missing file: the command's hosts, sorted."""
    base = os.path.dirname(few[0]) + "/"
    names = [*map(os.path.basename, few), "missing.warc.gz", ""]
    (tmp_path / "warc.paths.gz").write_bytes(gzip.compress("\n".join(names).encode()))
    out = tmp_path / "out"
    flags = ["--input_base_url", f"file://{base}", "--num_input_partitions", 5, "--num_output_partitions", 3, "--node", "host"]
    code, said = command(tmp_path, tmp_path / "warc.paths.gz", out, *flags)
    assert (code, said) == (0, "urisieve: 25 files in 5 parts, 0 of them complete before; 1 losses")
    parts = table(out / "links")
    assert len(parts) == 3 and all(part == sorted(part) for part in parts)
    pairs = rows(out / "links")
    assert len(pairs) == len(set(pairs)) and set(pairs) == by_program(program, few, "--node", "host")
    [loss] = rows(out / "losses")
    assert loss[0] == f"file://{base}missing.warc.gz" and loss[2] == "open"
    assert pq.read_schema(glob.glob(f"{out}/links/part-*.parquet")[0]).names == ["s", "t"]
    # What is complete is neither read nor written again.
    written = os.stat(out / "links" / "_SUCCESS").st_mtime_ns
    code, said = command(tmp_path, tmp_path / "warc.paths.gz", out, *flags)
    assert (code, said) == (0, "urisieve: 25 files in 5 parts, 5 of them complete before; 1 losses")
    assert os.stat(out / "links" / "_SUCCESS").st_mtime_ns == written


def test_a_killed_job_goes_on(program, few, tmp_path):
    """SIGKILL of the driver, the executor and the workers, with some parts complete and others begun."""
    (tmp_path / "manifest").write_text("\n".join(few))
    out, parts = tmp_path / "out", 8
    gate = tmp_path / "hold"
    gate.touch()
    arguments = [tmp_path / "manifest", out, "--num_input_partitions", parts, "--num_output_partitions", 2, "--opener", "openers:holding"]
    started = subprocess.Popen(
        [sys.executable, "-m", "urisieve.spark", "links", *map(str, arguments)],
        env=environment(tmp_path), stderr=subprocess.DEVNULL, start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 120
        while len(glob.glob(f"{tmp_path}/*.reached")) < 2:
            assert time.monotonic() < deadline and started.poll() is None, "the job has not come to the gate"
            time.sleep(0.05)
    finally:
        workers = workers_of(started.pid)
        os.killpg(started.pid, signal.SIGKILL)
        for worker in workers:
            # The daemon of the workers has a group of its own.
            try:
                os.kill(worker, signal.SIGKILL)
            except ProcessLookupError:
                pass
        started.wait()
    before = openers.opened(tmp_path)
    complete = {int(Path(marker).name[5:11]) for marker in glob.glob(f"{out}/parts/*.done")}
    assert len(complete) in (4, 5) and not (out / "links").exists()
    begun = [name for name in glob.glob(f"{out}/parts/*.parquet") if not os.path.exists(name[: -len("parquet")] + "done")]
    assert len(begun) == 2, "parts that were begun have left their files"
    gate.unlink()
    code, said = command(tmp_path, *arguments)
    assert (code, said) == (0, f"urisieve: 24 files in 8 parts, {len(complete)} of them complete before; 0 losses")
    again = openers.opened(tmp_path)[len(before) :]
    assert sorted(again) == sorted(path for part in range(parts) if part not in complete for path in few[part::parts])
    assert set(rows(out / "links")) == by_program(program, few)


def workers_of(process):
    """The descendants of a process."""
    parents = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = Path(stat).read_text()
        except OSError:
            continue
        parents[int(text.split()[0])] = int(text.rpartition(")")[2].split()[1])
    found = [process]
    for parent in found:
        found.extend(child for child, of in parents.items() if of == parent)
    return found[1:]


def test_what_has_no_marker_does_not_count(spark, few, tmp_path):
    out = str(tmp_path / "out")
    assert run(spark, few, out, parts=4, output_partitions=1) == (4, 4, 0)
    wanted = set(rows(f"{out}/links"))
    # An attempt that was not completed has left wrong links, another no end.
    good = glob.glob(f"{out}/parts/part-000001-*.parquet")[0]
    os.link(good, f"{out}/parts/part-000002-0123456789ab.parquet")
    Path(out, "parts", "part-000003-0123456789ab.parquet").write_bytes(b"PAR1")
    # The links of a part are gone, though its marker is there.
    os.remove(glob.glob(f"{out}/parts/part-000000-*.parquet")[0])
    assert run(spark, few, out, parts=4, output_partitions=1) == (4, 1, 0)
    assert set(rows(f"{out}/links")) == wanted
    # Two attempts at a part were completed: one of them counts.
    marker = glob.glob(f"{out}/parts/part-000001-*.done")[0]
    for end in ["parquet", "done"]:
        os.link(marker[: -len("done")] + end, f"{out}/parts/part-000001-ffffffffffff.{end}")
    assert run(spark, few, out, parts=4, output_partitions=2) == (4, 0, 0)
    pairs = rows(f"{out}/links")
    assert len(pairs) == len(wanted) and set(pairs) == wanted and len(table(f"{out}/links")) == 2


def test_a_loss_is_retried_when_that_is_asked_for(spark, few, tmp_path):
    late = str(tmp_path / "late.warc")
    out = str(tmp_path / "out")
    paths = [*few[:7], late]
    assert run(spark, paths, out, parts=4, output_partitions=1) == (4, 4, 1)
    os.link(few[8], late)
    assert run(spark, paths, out, parts=4, output_partitions=1) == (4, 0, 1)
    assert run(spark, paths, out, parts=4, output_partitions=1, retry_losses=True) == (4, 1, 0)
    assert run(spark, [*few[:7], late], str(tmp_path / "new"), parts=3, output_partitions=1) == (3, 3, 0)
    assert set(rows(f"{out}/links")) == set(rows(f"{tmp_path}/new/links"))


def test_the_folder_of_another_job_is_left_alone(spark, few, tmp_path):
    out = str(tmp_path / "out")
    run(spark, few[:2], out, parts=2, output_partitions=1)
    before = rows(f"{out}/links")
    with pytest.raises(OtherJob, match="manifest"):
        run(spark, few[:3], out, parts=2, output_partitions=1)
    with pytest.raises(OtherJob, match="options.*host"):
        run(spark, few[:2], out, parts=2, output_partitions=1, node="host")
    # What changes no answer may be another.
    assert run(spark, few[:2], out, parts=2, output_partitions=1, max_memory="64M") == (2, 0, 0)
    assert rows(f"{out}/links") == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").touch()
    with pytest.raises(OtherJob, match="not empty"):
        run(spark, few[:2], str(tmp_path / "mine"), parts=2, output_partitions=1)
    assert os.listdir(tmp_path / "mine") == ["precious"]


def test_a_part_is_marked_when_its_links_are_there(few, tmp_path, monkeypatch):
    """The marker is the last thing that is written, and it is there whole or not at all."""
    from urisieve.spark import job
    from urisieve.spark.archives import link_options

    folder = Folder.of(str(tmp_path))
    folder.claim({})
    options = link_options({})

    def fail(path, *_):
        raise MemoryError

    monkeypatch.setattr(job, "read_file", fail)
    with pytest.raises(MemoryError):
        job.write_part(folder, 3, few[:1], None, options)
    assert folder.complete() == {}
    monkeypatch.undo()
    put = Folder.put
    monkeypatch.setattr(Folder, "put", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError):
        job.write_part(folder, 3, few[:1], None, options)
    assert folder.complete() == {}
    monkeypatch.setattr(Folder, "put", put)
    job.write_part(folder, 3, [*few[:1], "/missing"], None, options)
    [(part, marker)] = folder.complete().items()
    assert part == 3 and marker.size > 0
    [loss] = [json.loads(line) for line in (tmp_path / "parts" / marker.name).read_text().splitlines()]
    assert loss["file"] == "/missing"


def test_folders_have_urls(tmp_path):
    assert Folder.of("out").url("links") == f"file://{os.getcwd()}/out/links"
    assert Folder.of(f"file://{tmp_path}/out/").url() == f"file://{tmp_path}/out"
    memory = Folder.of("memory://bucket/out")
    memory.claim({"a": 1})
    memory.put("x", b"12")
    assert memory._read("parts", "x") == b"12"
    memory.claim({"a": 1})
    with pytest.raises(OtherJob):
        memory.claim({"a": 2})


def test_manifests(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m"
    path.write_text("crawl-data/x.warc.gz\r\n\ns3://b/k\n/abs/y.wat\n")
    assert manifest(str(path)) == [f"{tmp_path}/crawl-data/x.warc.gz", "s3://b/k", "/abs/y.wat"]
    based = manifest(str(path), "https://data.commoncrawl.org/")
    assert based[:2] == ["https://data.commoncrawl.org/crawl-data/x.warc.gz", "s3://b/k"]


def test_what_is_wrong_is_said(tmp_path, few):
    (tmp_path / "m").write_text(few[0])
    assert command(tmp_path, tmp_path / "absent", tmp_path / "out")[0] == 2
    code, said = command(tmp_path, tmp_path / "m", tmp_path / "out", "--opener", "nothing")
    assert code == 2 and "MODULE:FUNCTION" in said
    code, said = command(tmp_path, tmp_path / "m", tmp_path / "out", "--max_memory", "much")
    assert code == 2 and "max_memory" in said and not (tmp_path / "out").exists()
    assert command(tmp_path, tmp_path / "m", tmp_path / "out", "--num_input_partitions", "0")[0] == 2
