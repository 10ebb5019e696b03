"""Finds every URI and URN in text of any size and keeps each equivalence class once.

>>> import urisieve
>>> urisieve.extract("see HTTP://A.example/ and <urn:isbn:0395363411>")
['http://a.example/', 'urn:isbn:0395363411']

`find` has the places, `normalize` and `equivalent` compare, `parse` has the components,
`resolve` and `links` follow references, `shape` has what pages have in common, `unwrap` what gateways lead to, `explain` says
why, `open` reads archives, `Extractor` keeps options, `UriSet` and `LinkSet` keep the URIs and the links of many columns, and `Seen` remembers URIs from run to run. Columns of Arrow, Polars, DuckDB,
pandas and NumPy, and lists, go in, and arrays of Arrow come out.

Errors: `TypeError` for an argument of a wrong type, `ValueError` for a wrong value, `OSError`
for what cannot be opened. A `RuntimeError` is a bug of this package, or a reader that is used
after a fork.
"""

from ._urisieve import (
    Array,
    ChunkedArray,
    Extractor,
    Link,
    LinkSet,
    Match,
    Matches,
    Reader,
    RecordBatch,
    Seen,
    UriSet,
    __version__,
    equivalent,
    explain,
    extract,
    find,
    links,
    normalize,
    open,
    parse,
    resolve,
    shape,
    unwrap,
)

__all__ = [
    "Array",
    "ChunkedArray",
    "Extractor",
    "Link",
    "LinkSet",
    "Match",
    "Matches",
    "Options",
    "PageOptions",
    "Reader",
    "RecordBatch",
    "Seen",
    "UriSet",
    "__version__",
    "equivalent",
    "explain",
    "extract",
    "find",
    "links",
    "normalize",
    "open",
    "parse",
    "resolve",
    "shape",
    "unwrap",
]


def __getattr__(name):
    # Few programs need the types of options, and `typing` takes longer to import than the rest.
    if name in ("Options", "PageOptions"):
        from . import _options

        return getattr(_options, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
