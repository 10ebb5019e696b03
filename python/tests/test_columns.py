"""Columns of every origin: several chunks, nulls alone, dictionaries, sequences of Python, arrays of
NumPy, series of pandas; and what comes out as a sequence."""

import signal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import urisieve
from conftest import is_binary

RAW = ["HTTP://A.example/", None, "n/a", "URN:ISBN:0395363411"]
NORMAL = ["http://a.example/", None, "n/a", "urn:isbn:0395363411"]
URIS = [["http://a.example/"], None, [], ["urn:isbn:0395363411"]]


def uris(rows):
    return [row and [found["uri"] for found in row] if row is not None else None for row in rows]


def test_series_of_several_chunks():
    for dtype in [pd.ArrowDtype(pa.string()), "string", object]:
        series = pd.concat([pd.Series(RAW[:2], dtype=dtype), pd.Series(RAW[2:], dtype=dtype)], ignore_index=True)
        for given in [series, series.array, pa.array(series, pa.string())]:
            normal = pa.array(urisieve.normalize(given))
            assert normal.to_pylist() == NORMAL
            assert uris(pa.array(urisieve.extract(given)).to_pylist()) == URIS


def test_what_pyarrow_makes_of_an_answer():
    one = urisieve.normalize(pa.array(RAW))
    many = urisieve.normalize(pa.chunked_array([RAW[:1], RAW[1:]]))
    none = urisieve.normalize(pa.chunked_array([], pa.string()))
    assert isinstance(pa.array(one), pa.Array) and isinstance(pa.array(many), pa.ChunkedArray)
    assert pa.array(many).num_chunks == 2 and pa.array(none).to_pylist() == []
    for answer in [one, many, none]:
        assert pa.array(answer, pa.large_string()).type == pa.large_string()
        assert pa.array(answer, pa.large_string()).to_pylist() == answer.to_pylist()
        assert pa.array(answer).type == pa.string()
    assert pa.table({"uri": many, "found": urisieve.extract(many)}).num_rows == 4


@pytest.mark.parametrize("chunks", [[4], [1, 3], [0, 2, 0, 2, 0]])
def test_answers_are_sequences(chunks):
    pieces, start = [], 0
    for length in chunks:
        pieces.append(pa.array(RAW[start : start + length], pa.string()))
        start += length
    for answer in [urisieve.normalize(pa.chunked_array(pieces)), urisieve.normalize(pa.concat_arrays(pieces))]:
        assert len(answer) == 4 and list(answer) == answer.to_pylist() == NORMAL
        assert [answer[at] for at in range(-4, 4)] == NORMAL + NORMAL
        for index in [4, -5, 1 << 80]:
            with pytest.raises(IndexError, match="4 values"):
                answer[index]
        with pytest.raises(TypeError, match="index: an int or a slice expected, not str"):
            answer["a"]
        for start in [None, -9, -3, 0, 1, 3, 7]:
            for stop in [None, -1, 0, 2, 4, 9]:
                for step in [None, 1, 2, 3, -1, -2]:
                    at = slice(start, stop, step)
                    assert answer[at].to_pylist() == NORMAL[at], at
                    assert pa.array(answer[at]).to_pylist() == NORMAL[at]
        assert "n/a" in answer
        assert "'http://a.example/', None, 'n/a', 'urn:isbn:0395363411'" in repr(answer)
        assert "<td" in answer._repr_html_() and "&#x27;n/a&#x27;" in answer._repr_html_()


def test_only_the_first_values_are_shown():
    for answer in [urisieve.normalize(pa.array([f"urn:a-b:{n}" for n in range(1000)])), urisieve.UriSet().pack()]:
        assert len(repr(answer)) < 400
        assert len(answer._repr_html_()) < 2000
    assert repr(urisieve.normalize(pa.array([], pa.string()))) == "<urisieve.Array of 0 Utf8: []>"


def test_columns_that_are_all_null():
    for nulls in [pa.nulls(2), pa.chunked_array([pa.nulls(1), pa.nulls(1)]), pl.Series([None, None]), [None, None],
                  pd.Series([None, None]), pd.Series([None, None], dtype="string"), np.array([None, float("nan")])]:
        assert urisieve.normalize(nulls).to_pylist() == [None, None]
        assert urisieve.extract(nulls).to_pylist() == [None, None]
        links = urisieve.LinkSet()
        links.add(nulls, nulls)
        uris = urisieve.UriSet()
        uris.add(nulls)
        uris.add_from(nulls)
        assert len(links) == len(uris) == 0


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()], ids=str)
def test_dictionaries_are_worked_on_once(kind):
    values = [value.encode() if is_binary(kind) and value else value for value in RAW] * 30
    array = pa.array(values, kind).dictionary_encode()
    normal = [value.encode() if is_binary(kind) and value else value for value in NORMAL] * 30
    for given in [array, array[3:], pa.chunked_array([array[:5], array[5:]]), array.dictionary, array[:1]]:
        answer = pa.array(urisieve.normalize(given))
        assert answer.type == kind
        plain = given if given is array.dictionary else given.cast(kind)
        assert answer.to_pylist() == pa.array(urisieve.normalize(plain)).to_pylist()
        found = pa.array(urisieve.extract(given))
        assert found.to_pylist() == pa.array(urisieve.extract(plain)).to_pylist()
        if isinstance(found, pa.Array):
            found.validate(full=True)
    assert pa.array(urisieve.normalize(array)).to_pylist() == normal
    # The number is that of a row, and what no row has does not count.
    with pytest.raises(ValueError, match="row 2: not a URI"):
        urisieve.normalize(array, errors="raise")
    unused = pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array(["urn:a-b:c", "n/a"]).cast(kind))
    assert len(urisieve.normalize(unused, errors="raise")) == 2
    empty = pa.DictionaryArray.from_arrays(pa.array([None], pa.int32()), pa.array([], kind))
    assert urisieve.normalize(empty).to_pylist() == [None]
    uris = urisieve.UriSet()
    uris.add_from(array)
    assert len(uris) == 2


def test_categoricals():
    series = [pd.Series(RAW, dtype="category"), pd.Categorical(RAW)]
    # Before, Polars exports the numbers of a categorical as values.
    if tuple(map(int, pl.__version__.split(".")[:2])) >= (1, 33):
        series += [pl.Series(RAW, dtype=pl.Categorical), pl.Series(RAW, dtype=pl.Enum([v for v in RAW if v]))]
    for given in series:
        assert urisieve.normalize(given).to_pylist() == NORMAL
        assert uris(urisieve.extract(given).to_pylist()) == URIS


def test_sequences_of_python():
    for given in [RAW, tuple(RAW), (value for value in RAW), iter(RAW), dict.fromkeys(RAW).keys(),
                  np.array(RAW, dtype=object), pd.Series(RAW, dtype=object), pd.Index(RAW), pd.array(RAW, dtype="string")]:
        assert urisieve.normalize(given).to_pylist() == NORMAL
    assert uris(urisieve.extract(RAW).to_pylist()) == URIS
    assert sorted(urisieve.normalize({"HTTP://A.example/", "urn:a-b:c"})) == ["http://a.example/", "urn:a-b:c"]
    assert list(urisieve.normalize(np.array(["HTTP://A.example/", "b"]))) == ["http://a.example/", "b"]
    assert list(urisieve.normalize(np.array([b"HTTP://A.example/", b"b"]))) == [b"http://a.example/", b"b"]
    assert list(urisieve.normalize([pd.NA, float("nan"), b"URN:a-b:c"])) == [None, None, b"urn:a-b:c"]
    assert list(urisieve.extract([])) == list(urisieve.normalize(())) == []
    links = urisieve.LinkSet()
    links.add(["a", "b"], ("c", None))
    assert len(links) == 1


def test_what_is_no_column():
    for given, words in [
        ([1], "item 0: str, bytes or None expected, not int"),
        (["a", None, b"b"], "item 2: str expected like before it, not bytes"),
        ([b"a", "b"], "item 1: bytes expected like before it, not str"),
        (np.array([["a"]]), "item 0: str, bytes or None expected, not ndarray"),
        (np.array([1.0]), "item 0: str, bytes or None expected, not float64"),
        (pd.DataFrame({"a": ["b"]}), "is a table; pass one of its columns"),
        ({"a": "b"}, "x: str, bytes, an Arrow array or another sequence of str or bytes expected, not dict"),
        (7, "expected, not int"), (None, "expected, not NoneType"), (str, "expected, not type"),
    ]:
        for call in [urisieve.extract, urisieve.normalize]:
            with pytest.raises(TypeError, match=words):
                call(given)
    with pytest.raises(TypeError, match="x: an Arrow array or another sequence of str or bytes expected, not int"):
        urisieve.UriSet().add(7)
    with pytest.raises(ValueError):
        urisieve.normalize(["a\ud800"])


def test_ctrl_c_ends_long_lists():
    """The values of ten million rows as objects, and the objects of a generator."""
    array = urisieve.normalize(pa.array(["http://a.example/"] * 3_000_000))

    def endless():
        while True:
            yield "http://a.example/"

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for call in [array.to_pylist, lambda: urisieve.normalize(endless())]:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(KeyboardInterrupt):
                ended = call()
                # A call that is not interrupted has an end, at which this is.
                assert ended is None
    finally:
        signal.signal(signal.SIGALRM, before)
