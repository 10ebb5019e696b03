"""What the tests share: the program, if it was built, and types of Arrow."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap

import pyarrow as pa
import pytest

# Old versions of pyarrow have no views.
NAMES = ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"]
TEXT_TYPES = [getattr(pa, name)() for name in NAMES if hasattr(pa, name)]


def is_binary(kind):
    return "binary" in str(kind)


def column(values, kind):
    """An array of `kind`; texts become bytes where it is binary."""
    if is_binary(kind):
        values = [value.encode() if isinstance(value, str) else value for value in values]
    return pa.array(values, kind)


def run(code, as_file=False, **env):
    """Runs a program of its own; `as_file` is for programs that start processes, which import it."""
    code = textwrap.dedent(code)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "program.py")
        if as_file:
            with open(path, "w") as file:
                file.write(code)
        return subprocess.run(
            [sys.executable, path] if as_file else [sys.executable, "-c", code],
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            timeout=120,
        )


@pytest.fixture(scope="session")
def program():
    """The command line that belongs to the package."""
    path = os.environ.get("URISIEVE_PROGRAM") or shutil.which("urisieve")
    if path is None:
        pytest.skip("URISIEVE_PROGRAM does not name the program, and it is not on the path")
    return path


@pytest.fixture(params=TEXT_TYPES, ids=str)
def kind(request):
    return request.param
