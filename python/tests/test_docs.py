"""Every example of the documentation is run: of the docstrings, and of the pages."""

import doctest
import re
from pathlib import Path

import pytest
import urisieve
import urisieve._urisieve

ROOT = Path(__file__).resolve().parent.parent
# The page of Spark needs pyspark; `spark/test_page.py` runs it.
PAGES = sorted([ROOT.parent / "README.md", ROOT / "README.md", *(page for page in (ROOT / "docs").glob("*.md") if page.stem != "spark")])
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
TYPES = {"Options", "PageOptions"}
PUBLIC = [getattr(urisieve, name) for name in urisieve.__all__ if name not in {"__version__", *TYPES}]


def failures(page):
    """Runs the examples of a page; returns the number of those that fail."""
    text = page.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))
    examples = doctest.DocTestParser().get_doctest(code, {"__name__": "page"}, page.name, str(page), 0)
    assert len(examples.examples) >= 2
    assert not re.search(r"```python\n(?!>>>)", text), "each block is a session"
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(examples)
    return runner.failures


# The pages of engines, which are skipped where the engine is not installed.
ENGINES = {"duckdb", "pandas", "polars"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT.parent)))
def test_pages(page):
    if page.stem in ENGINES:
        pytest.importorskip(page.stem)
    assert failures(page) == 0


def docstrings():
    yield "urisieve", urisieve.__doc__
    for thing in PUBLIC:
        yield thing.__name__, thing.__doc__


@pytest.mark.parametrize("name, doc", list(docstrings()), ids=lambda value: value if len(value) < 20 else "")
def test_docstrings(name, doc):
    examples = doctest.DocTestParser().get_doctest(doc, {}, name, None, 0)
    assert examples.examples, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(examples)
    assert runner.failures == 0


def test_docstrings_name_the_options():
    """Notebooks show the docstring, whose signature ends with `**options`."""
    for thing in [urisieve.Extractor, urisieve.open]:
        for name in urisieve.Options.__annotations__:
            assert re.search(rf"\b{name}\b", thing.__doc__.partition("Options of ")[2]), (thing.__name__, name)
    for thing in [urisieve.find, urisieve.extract, urisieve.normalize, urisieve.parse, urisieve.equivalent, urisieve.explain,
                  urisieve.links, urisieve.UriSet]:
        assert "Options of equality:" in thing.__doc__ and "    drop_param: " in thing.__doc__
        options = re.findall(r"^    (\w+):", thing.__doc__, re.M)
        assert set(options) <= set(urisieve.Options.__annotations__)


def test_everything_has_a_docstring():
    for thing in PUBLIC:
        for name, member in vars(thing).items() if isinstance(thing, type) else []:
            if not name.startswith("_"):
                assert member.__doc__, f"{thing.__name__}.{name}"


def test_the_stubs_name_what_there_is():
    import ast

    tree = ast.parse((Path(urisieve.__file__).parent / "__init__.pyi").read_text(encoding="utf-8"))
    stubs = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for thing in PUBLIC:
        assert thing.__name__ in stubs
        if isinstance(thing, type):
            wanted = {name for name in vars(thing) if not name.startswith("_") or name.startswith("__arrow")}
            named = {node.name for node in stubs[thing.__name__].body if isinstance(node, ast.FunctionDef)}
            assert {name for name in named if not name.startswith("__") or name.startswith("__arrow")} == wanted
    assert (Path(urisieve.__file__).parent / "py.typed").exists()


def test_the_stubs_name_every_option():
    """Each option of the stubs is one, and the README has all of them."""
    names = list(urisieve.Options.__annotations__)
    assert len(names) > 40
    urisieve.Extractor(**dict.fromkeys(names))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme[readme.index("## Options") : readme.index("## Errors")]
    assert [name for name in names if f"`{name}`" not in table] == []
