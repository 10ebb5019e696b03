"""Functions of SQL in DuckDB, which are called with whole vectors. They need pyarrow.

>>> import duckdb
>>> from urisieve.duckdb import register
>>> connection = duckdb.connect()
>>> register(connection, level="scheme")
>>> connection.sql("select uri_normalize('HTTP://a.example:80/%7ejoe')").fetchall()
[('http://a.example/~joe',)]
>>> connection.sql("select uri, original from uris('see HTTP://A.example/ and <urn:isbn:0395363411>')").fetchall()
[('http://a.example/', 'HTTP://A.example/'), ('urn:isbn:0395363411', 'urn:isbn:0395363411')]
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

import urisieve

if TYPE_CHECKING or hasattr(duckdb, "sqltypes"):
    from duckdb import sqltypes
else:  # DuckDB before 1.4
    import duckdb.typing as sqltypes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from urisieve import Options

#: The columns of `uris`, and their types.
FOUND = {"uri": "VARCHAR", "original": "VARCHAR", "offset": "BIGINT", "length": "BIGINT", "kind": "VARCHAR"}

#: The columns of `read_uris`.
READ = {
    "uri": "VARCHAR",
    "original": "VARCHAR",
    "kind": "VARCHAR",
    "scheme": "VARCHAR",
    "host": "VARCHAR",
    "file": "VARCHAR",
    "member": "VARCHAR",
    "line": "BIGINT",
    "offset": "BIGINT",
    "length": "BIGINT",
}

#: The rows of no path.
EMPTY = pa.table(urisieve.open([], fields=list(READ)))

TABLES = """
create or replace temp macro uris(text) as table select unnest(uri_extract(text), recursive := true);
create or replace temp macro read_uris(path) as table select unnest(uri_read(path), recursive := true);
"""


def register(connection: duckdb.DuckDBPyConnection, **options: Unpack[Options]) -> None:
    """Adds the functions to `connection`, in the place of those of an earlier call.

    `uri_normalize(text)` is the canonical form, and `uri_extract(text)` the list of the URIs of a text: structures with
    `uri`, `original`, `offset`, `length` and `kind`. `uris(text)` is the same as a table, `read_uris(path)` the table of
    the URIs of a file, an archive or a directory. A NULL gives NULL, or no row.

    `options` are those of `urisieve.Extractor`. `read_uris` keeps the findings of a path in memory; what it could not
    read is a `RuntimeWarning`, and a path that cannot be opened an error of the query.

    Errors: `ValueError` or `TypeError` for a wrong option.
    """
    extractor = urisieve.Extractor(**options)

    def normalize(texts: Any) -> Any:
        return pa.chunked_array(extractor.normalize(texts))

    def extract(texts: Any) -> Any:
        return pa.chunked_array(extractor.extract(texts))

    def read(paths: Any) -> Any:
        tables = [_read(extractor, path) for path in paths.to_pylist()]
        ends = [0]
        for table in tables:
            ends.append(ends[-1] + table.num_rows)
        rows = pa.concat_tables([EMPTY, *tables])
        columns = [column.combine_chunks() for column in rows.columns]
        structures = pa.StructArray.from_arrays(columns, list(READ))
        return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), structures)

    _replace(connection, "uri_normalize", normalize, sqltypes.VARCHAR)
    _replace(connection, "uri_extract", extract, _structures(FOUND))
    # A file may change between two calls.
    _replace(connection, "uri_read", read, _structures(READ), side_effects=True)
    connection.execute(TABLES)


def _read(extractor: urisieve.Extractor, path: str) -> Any:
    reader = extractor.open(path, fields=list(READ))
    table = pa.table(reader)
    for loss in reader.losses:
        warnings.warn(f"{loss['file']}: {loss['kind']}: {loss['cause']}", RuntimeWarning, stacklevel=1)
    return table


def _structures(columns: dict[str, str]) -> Any:
    return duckdb.list_type(duckdb.struct_type(columns))


def _replace(connection: duckdb.DuckDBPyConnection, name: str, function: Any, kind: Any, side_effects: bool = False) -> None:
    try:
        connection.remove_function(name)
    except duckdb.InvalidInputException:
        pass  # It is not there yet.
    # The stubs have no strings for `type`.
    connection.create_function(  # type: ignore[call-overload]
        name, function, [sqltypes.VARCHAR], kind, type="arrow", side_effects=side_effects
    )
