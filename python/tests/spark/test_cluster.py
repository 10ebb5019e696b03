"""A cluster of two executors that have the package by `spark.archives` alone, and lose one of them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """The environment of a driver whose executors have another Python, with pandas and pyarrow only."""
    wheel, bare = os.environ.get("URISIEVE_WHEEL"), os.environ.get("URISIEVE_BARE_PYTHON")
    if not wheel or not bare:
        pytest.skip("URISIEVE_WHEEL and URISIEVE_BARE_PYTHON are not set")
    tried = subprocess.run([bare, "-I", "-c", "import pandas, pyarrow, urisieve"], stderr=subprocess.PIPE)
    assert b"No module named 'urisieve'" in tried.stderr
    folder = tmp_path_factory.mktemp("cluster")
    # Spark unpacks by the ending of the name; a wheel is a ZIP file.
    shutil.copy(wheel, folder / "urisieve.zip")
    return dict(
        os.environ, PYSPARK_PYTHON=bare, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_WORKER_DIR=str(folder / "work"),
        SPARK_LOCAL_DIRS=str(folder), ARCHIVE=str(folder / "urisieve.zip"),
    )


def job(environment, name, folder):
    """Runs `cluster_job.py` in a process of its own; returns what it found."""
    # What the executors have of this folder is shipped as a Python file, so that the rest is not in their path.
    environment = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    if paths := [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and Path(path) != HERE]:
        environment["DRIVER_PATH"] = os.pathsep.join(paths)
    ran = subprocess.run(
        [sys.executable, str(HERE / "cluster_job.py"), name, str(folder)],
        env=dict(environment, NOTES=str(folder)), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=400,
    )
    assert ran.returncode == 0, ran.stderr.decode()[-4000:]
    return json.loads(ran.stdout.decode().splitlines()[-1])


def test_what_is_known_is_found_by_shipped_executors(shipped, tmp_path):
    found = job(shipped, "known", tmp_path)
    assert found["same"] and found["distinct"] > 10_000
    assert len(found["places"]) == 2, "both executors had work"
    assert all("/shipped/urisieve/" in place for place in found["places"])


def test_without_the_archive_the_executors_have_no_package(shipped, tmp_path):
    found = job(dict(shipped, ARCHIVE=""), "known", tmp_path)
    assert "No module named 'urisieve'" in found["error"]


def test_a_killed_executor_changes_nothing_that_is_known(shipped, tmp_path):
    found = job(shipped, "kill-known", tmp_path)
    assert found["killed_during"] and found["executors_lost"] >= 1
    assert found["same"]


def test_a_killed_executor_changes_no_link(shipped, tmp_path):
    found = job(shipped, "kill-links", tmp_path)
    assert found["killed_during"] and found["executors_lost"] >= 1
    assert found["pairs"] > 1000 and found["same"] and found["losses"] == 0
