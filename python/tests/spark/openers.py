"""Openers for the tests: what a task opens is noted, and some files wait or fail.

NOTES in the environment is a folder. `noting` adds a line to a file in it for each path. `gated` also waits at a
path that has a file `wait-NAME` there, until it is gone, and `holding` at every path once four parts of the job in
`out` are complete, as long as there is a file `hold`. A file whose name ends in `.reached` says that one waits, and
which executor it belongs to.
"""

import glob
import os
import time


def noting(path):
    return noting_in(os.environ["NOTES"], path)


def noting_in(notes, path):
    with open(os.path.join(notes, "opened"), "a") as out:
        out.write(f"{path}\n")
    return open(path, "rb")


def gated(path):
    gate = os.path.join(os.environ["NOTES"], "wait-" + os.path.basename(path))
    if os.path.exists(gate):
        wait(gate)
    return noting(path)


def holding(path):
    notes = os.environ["NOTES"]
    gate = os.path.join(notes, "hold")
    if os.path.exists(gate) and len(glob.glob(f"{notes}/out/parts/*.done")) >= 4:
        wait(gate)
    return noting(path)


def wait(gate):
    # The daemon of Python's workers is a child of the executor.
    executor = parent(parent(os.getpid()))
    with open(f"{gate}-{os.getpid()}.reached", "w") as out:
        out.write(str(executor))
    deadline = time.monotonic() + 120
    while os.path.exists(gate):
        assert time.monotonic() < deadline, "nobody opened the gate"
        time.sleep(0.02)


def parent(process):
    with open(f"/proc/{process}/stat") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


class Failing:
    """Gives the beginning of a file, then an error."""

    def __init__(self, path):
        self.file = open(path, "rb")
        self.left = 2

    def read(self, size):
        self.left -= 1
        if self.left < 0:
            raise OSError("the connection was reset")
        return self.file.read(700)

    def close(self):
        self.file.close()


def failing(path):
    return Failing(path) if path.endswith("broken.warc") else open(path, "rb")


def opened(notes):
    """The paths that were opened, in order."""
    path = os.path.join(notes, "opened")
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return file.read().splitlines()
