"""Writes the examples of each page as a program, for type checkers: `recipes.py DIRECTORY`."""

import doctest
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
        program = doctest.script_from_examples("\n".join(blocks))
        (directory / f"recipe_{page.stem.lower()}.py").write_text(program, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
