"""Openers for the tests: what a task opens is noted, and some files wait or fail.

NOTES in the environment is a folder. `noting` adds a line to a file in it for each path; `gated` also waits at
every path that has a file `wait-NAME` there, until it is gone.
"""

import os
import time


def noting(path):
    notes = os.environ["NOTES"]
    with open(os.path.join(notes, "opened"), "a") as out:
        out.write(f"{path}\n")
    return open(path, "rb")


def gated(path):
    gate = os.path.join(os.environ["NOTES"], "wait-" + os.path.basename(path))
    if os.path.exists(gate):
        # The daemon of Python's workers is a child of the executor.
        with open("/proc/self/status") as status:
            daemon = next(line.split()[1] for line in status if line.startswith("PPid:"))
        with open(f"/proc/{daemon}/status") as status:
            executor = next(line.split()[1] for line in status if line.startswith("PPid:"))
        with open(gate + ".reached", "w") as out:
            out.write(executor)
        deadline = time.monotonic() + 120
        while os.path.exists(gate):
            assert time.monotonic() < deadline, "nobody opened the gate"
            time.sleep(0.02)
    return noting(path)


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
