"""Every example of the page and of the docstrings runs, and the types say what there is."""

import doctest
import importlib

import pytest
import test_docs
import urisieve.spark

MODULES = ["urisieve.spark", *(f"urisieve.spark.{name}" for name in ("archives", "blocks", "files", "findings", "job", "pieces", "texts"))]


def test_the_page(spark):
    assert test_docs.failures(test_docs.ROOT / "docs" / "spark.md") == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(spark, name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=test_docs.FLAGS).failed == 0


def test_everything_has_a_docstring_and_calls_an_example():
    for name in urisieve.spark.__all__:
        thing = getattr(urisieve.spark, name)
        assert ">>>" in thing.__doc__
        for member, value in vars(thing).items() if isinstance(thing, type) else []:
            assert member.startswith("_") or callable(value) and value.__doc__ or getattr(value, "__doc__", None)
