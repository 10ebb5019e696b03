"""What the tests of Spark share: a session with two threads, and a crawl.

PYTHONPATH of the workers has this folder, because functions of modules are pickled by reference. Needed in the
environment: URISIEVE_PROGRAM (or `urisieve` on the path); for a cluster URISIEVE_WHEEL, the wheel to ship, and
URISIEVE_BARE_PYTHON, a Python with pandas and pyarrow and without urisieve.
"""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

import crawls  # noqa: E402
import sessions  # noqa: E402


@pytest.fixture(scope="session")
def spark():
    session = sessions.session("local[2]")
    yield session
    session.stop()


@pytest.fixture
def conf(spark):
    """Sets settings of the session for a test."""
    before = {}

    def set_to(name, value):
        before.setdefault(name, spark.conf.get(name, None))
        spark.conf.set(name, value)

    yield set_to
    for name, value in before.items():
        spark.conf.unset(name) if value is None else spark.conf.set(name, value)


@pytest.fixture(scope="session")
def crawl(tmp_path_factory):
    """The paths of 200 files of a crawl: WARC, WAT and WET."""
    return crawls.write(tmp_path_factory.mktemp("crawl"), 200)
