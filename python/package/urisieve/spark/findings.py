"""The URIs of a column of texts as rows, and each of them once."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

import urisieve

from .pieces import cut, is_text, is_texts, joined, large, longest_whole, ranges, sizes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from urisieve import Options

#: The most bytes of texts in a batch, unless `batch_bytes` says otherwise.
BATCH_BYTES = 64 << 20

#: What `batch_bytes` may be: two such batches together have less than the 2 GiB of a column of Arrow.
BATCH_BYTES_MAX = 1 << 30

FOUND = ("uri", "original", "offset", "length", "kind")

#: The fields of the request in whose line of a log a URI is.
REQUEST = ("request.part", "request.method", "request.status", "request.time", "request.client")


def extract(
    df: DataFrame,
    column: str,
    *,
    columns: Sequence[str] = (),
    fields: Sequence[str] = FOUND,
    repeats: bool = True,
    batch_bytes: int = BATCH_BYTES,
    **options: Unpack[Options],
) -> DataFrame:
    """Returns the URIs in the texts of `column`, one row each.

    The columns are `uri` (the canonical form), `original`, `offset` and `length` in bytes of the text, `kind`, and
    those of `df` that `columns` names. Each URI of a text is one row, the first occurrence; `all=True` gives every
    one. Strings give strings, binary gives binary. `options` are those of `urisieve.extract`; a task has one
    thread, unless `threads` says otherwise.

    With one of the fields `request.part`, `request.method`, `request.status`, `request.time` and `request.client`,
    or an option about requests, such as `requests="only"`, the lines of the texts are read as those of logs, and
    `base` is the scheme and the host of requests whose line states none.

    What is not needed costs time between Python and Spark. `fields` chooses among these columns, and
    `repeats=False` leaves out rows whose URI the task has returned shortly before, of another text too: for
    `distinct` with `keep="any"`, which would drop them after the way.

    Texts may be of any length: batches between Spark and Python have at most `batch_bytes` bytes of text, a
    longer row excepted.

    Errors: `ValueError` or `TypeError` for a wrong option or column, before anything runs.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> logs = spark.createDataFrame([(7, "HTTP://A.example/b and urn:isbn:0395363411")], "id int, line string")
    >>> [tuple(row) for row in extract(logs, "line", columns=["id"]).collect()]
    [('http://a.example/b', 'HTTP://A.example/b', 0, 18, 'url', 7), ('urn:isbn:0395363411', 'urn:isbn:0395363411', 23, 19, 'urn', 7)]
    """
    for name in columns:
        _check_column(df, name)
    text = text_type(df, column)
    unknown = [name for name in fields if name not in FOUND + REQUEST]
    if unknown or not fields:
        raise ValueError(f"fields: {unknown[0] if unknown else ''!r} is not one of {', '.join(FOUND + REQUEST)}")
    if not repeats and "uri" not in fields:
        raise ValueError("repeats: False needs uri among the fields")
    names = [*fields, *columns]
    taken = [name for at, name in enumerate(names) if name in names[:at]]
    if taken:
        raise ValueError(f"columns: the result would have {taken[0]!r} twice; rename that of the frame")
    if any(name in REQUEST for name in fields):
        options.setdefault("requests", "also")
    plain = checked_options(options, batch_bytes)
    longest = longest_whole(df.sparkSession, batch_bytes)
    texts = [column, *(name for name in columns if is_text(df, name))]
    others = [name for name in columns if name not in texts]
    # The column may be asked for, too.
    texts = texts if column not in columns else texts[1:]
    places = [[*texts, *others].index(name) for name in [column, *columns]]
    find = functools.partial(
        find_rows,
        texts=len(texts),
        places=places,
        fields=list(fields),
        names=list(columns),
        repeats=repeats,
        batch_bytes=batch_bytes,
        options=plain,
    )
    return cut(df, texts, others, longest).mapInArrow(find, _schema(df, text, fields, columns))


def distinct(
    df: DataFrame, keep: Literal["any", "first"] = "any", order: Sequence[str] = ()
) -> DataFrame:
    """Returns one row of each `uri`: what is equal is the canonical form, byte by byte, never a hash.

    `keep="any"` keeps some row of each, as fast as Spark can. `keep="first"` keeps the one that is least by the
    columns of `order`, then by `offset`, `original` and all others; nulls are least. So the answer is the same for
    every partitioning. The columns must be of types that have an order (not `map`).

    Errors: `ValueError` for a wrong `keep`, a missing order, or a missing column.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> logs = spark.createDataFrame([(2, "http://a.example/"), (1, "see HTTP://A.example/")], "id int, line string")
    >>> found = extract(logs, "line", columns=["id"])
    >>> distinct(found).count()
    1
    >>> distinct(found, keep="first", order=["id"]).select("uri", "original", "id").collect()
    [Row(uri='http://a.example/', original='HTTP://A.example/', id=1)]
    """
    if keep not in ("any", "first"):
        raise ValueError(f"keep: {keep!r} is not one of any, first")
    if keep == "any" and order:
        raise ValueError('order: only with keep="first"')
    if keep == "first" and not order:
        raise ValueError('order: keep="first" needs the columns that say which text is first')
    needed = ["uri"] if keep == "any" else ["uri", "offset", "original", *order]
    for name in needed:
        _check_column(df, name)
    kind = df.schema["uri"].dataType
    if isinstance(kind, StringType) and kind != StringType():
        raise ValueError("uri: strings with a collation are not compared byte by byte")
    if keep == "any":
        return df.dropDuplicates(["uri"])
    key = dict.fromkeys([*order, "offset", "original", *df.columns])
    key.pop("uri")
    # A name may have dots.
    least = F.min(F.struct(*(F.col(f"`{name.replace('`', '``')}`") for name in key))).alias("least")
    rows = df.groupBy("uri").agg(least)
    return rows.select(*(F.col("uri") if name == "uri" else F.col("least")[name].alias(name) for name in df.columns))


def find_rows(
    batches: Iterable[pa.RecordBatch],
    *,
    texts: int,
    places: Sequence[int],
    fields: Sequence[str],
    names: Sequence[str],
    repeats: bool,
    batch_bytes: int,
    options: dict[str, Any],
) -> Iterator[pa.RecordBatch]:
    """In a task: the findings in the first of `places` of the columns that `pieces.cut` made, with the rest of them."""
    found = _found(batches, texts, places, fields, names, batch_bytes, urisieve.Extractor(**options))
    return found if repeats else first_of_each(found, batch_bytes)


def _found(
    batches: Iterable[pa.RecordBatch],
    texts: int,
    places: Sequence[int],
    fields: Sequence[str],
    names: Sequence[str],
    batch_bytes: int,
    extractor: urisieve.Extractor,
) -> Iterator[pa.RecordBatch]:
    for columns in joined(batches, texts):
        column, *others = (columns[place] for place in places)
        for start, end in ranges(sizes(column), batch_bytes):
            kept = [other.slice(start, end - start) for other in others]
            rows = pa.array(extractor.extract(large(column.slice(start, end - start))))
            yield from _batches(rows, kept, fields, names, batch_bytes)


def first_of_each(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    """Yields the first row of each `uri` among the rows of as many batches as have `most` bytes together.

    >>> batch = pa.RecordBatch.from_pydict({"uri": ["a", "b", "a"], "at": [1, 2, 3]})
    >>> [one.to_pydict() for one in first_of_each([batch, batch], 1000)]
    [{'uri': ['a', 'b'], 'at': [1, 2]}]
    """
    pending: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        pending.append(batch)
        size += batch.nbytes
        if size >= most:
            yield from _firsts(pending)
            pending, size = [], 0
    if pending:
        yield from _firsts(pending)


def _firsts(batches: Sequence[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    table = pa.Table.from_batches(batches).combine_chunks()
    # A dictionary numbers its values as they are first seen.
    numbers = table["uri"].combine_chunks().dictionary_encode().indices.to_numpy()
    is_first = np.diff(np.maximum.accumulate(numbers), prepend=-1) > 0
    yield from table.filter(pa.array(is_first)).combine_chunks().to_batches()


def _batches(
    rows: pa.ListArray, others: Sequence[pa.Array], fields: Sequence[str], names: Sequence[str], batch_bytes: int
) -> Iterator[pa.RecordBatch]:
    """Yields the findings of rows, each with the other columns of its row, in batches of at most `batch_bytes`."""
    found = rows.flatten()
    if len(found) == 0:
        return
    parents = pc.list_parent_indices(rows)
    values = dict(zip((field.name for field in found.type), found.flatten()))
    total = np.zeros(len(found), np.int64)
    for name in fields:
        total = total + sizes(values[name])
    for other in others:
        total = total + sizes(other)[parents.to_numpy()]
    for start, end in ranges(total, batch_bytes):
        columns = [narrow(values[name].slice(start, end - start)) for name in fields]
        at = parents.slice(start, end - start)
        columns += [narrow(other.take(at)) for other in others]
        yield pa.RecordBatch.from_arrays(columns, [*fields, *names])


def narrow(column: pa.Array) -> pa.Array:
    """Returns texts with the offsets of 32 bits that Spark reads."""
    if not is_texts(column.type):
        return column
    return column.cast(pa.string() if column.type in (pa.string(), pa.large_string()) else pa.binary())


def text_type(df: DataFrame, column: str) -> DataType:
    """Returns the type of the URIs in a column of texts: that of the column, without a collation.

    Errors: `ValueError` for a column that is missing, or not of texts.
    """
    _check_column(df, column)
    if not is_text(df, column):
        raise ValueError(f"column: {column!r} has {df.schema[column].dataType.simpleString()}, not strings or binary")
    kind = df.schema[column].dataType
    return StringType() if isinstance(kind, StringType) else kind


def checked_options(options: Any, batch_bytes: int) -> dict[str, Any]:
    """Returns the options for a task. Errors: `ValueError` and `TypeError` for wrong ones."""
    if not 1 <= batch_bytes <= BATCH_BYTES_MAX:
        raise ValueError(f"batch_bytes: from 1 to {BATCH_BYTES_MAX}")
    plain: dict[str, Any] = {"threads": 1, **options}
    urisieve.extract(pa.array([""]), **plain)
    return plain


def _check_column(df: DataFrame, name: str) -> None:
    if name not in df.columns:
        raise ValueError(f"{name!r} is not a column of the frame, which has {', '.join(df.columns)}")


def _schema(df: DataFrame, text: DataType, fields: Sequence[str], columns: Sequence[str]) -> StructType:
    kinds: dict[str, DataType] = {"uri": text, "original": text}
    kinds |= dict.fromkeys(("offset", "length", "request.status"), LongType())
    found = [StructField(name, kinds.get(name, StringType())) for name in fields]
    return StructType(found + [StructField(name, df.schema[name].dataType, True) for name in columns])
