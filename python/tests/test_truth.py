"""Every way of finding URIs against texts whose URIs are known; `compare_truth.py` has more of them.

ROWS in the environment is the number of texts.
"""

import os

import compare_truth

ROWS = int(os.environ.get("ROWS", 2000))


def test_every_way_finds_what_is_known(program, capsys):
    good = compare_truth.compare(ROWS, program)
    print(capsys.readouterr().out)
    assert good
