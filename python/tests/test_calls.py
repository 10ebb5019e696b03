"""Calls as such: the messages for wrong arguments, options that are kept from call to call, what
can be pickled, and objects that threads share."""

import concurrent.futures
import copy
import io
import multiprocessing
import pickle
import sys
import threading

import pyarrow as pa
import pytest
import urisieve
from conftest import run

PAGE = '<a href="b" rel=nofollow>b</a>'
TEXT = 'see HTTP://A.example/ü%zz and <urn:isbn:0395363411> "http://b.example/one/\n  two"'


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: urisieve.open(io.BytesIO(), fields="uri"), TypeError, "fields: a list of str expected, not str"),
        (lambda: urisieve.open(io.BytesIO(), fields=[1]), TypeError, "fields: a str expected, not int"),
        (lambda: urisieve.open(io.BytesIO(), fields={"uri"}), TypeError, "fields: a list of str expected, not set"),
        (lambda: urisieve.extract(["a"], fields="uri"), TypeError, "fields: a list of str expected, not str"),
        (lambda: urisieve.Extractor().extract(["a"], fields=7), TypeError, "fields: a list of str expected, not int"),
        (lambda: urisieve.normalize("x", errors=3), TypeError, "errors: a str expected, not int"),
        (lambda: urisieve.normalize("x", errors="x"), ValueError, "errors: \"x\" is not one of keep, null, raise"),
        (lambda: urisieve.normalize("x", surt=1), TypeError, "surt: a str expected, not int"),
        (lambda: urisieve.normalize("x", surt="x"), ValueError, "surt: \"x\" is not one of archive, plain"),
        (lambda: urisieve.Extractor().normalize("x", defang=3), TypeError, "defang: a bool expected, not int"),
        (lambda: urisieve.normalize("x", defang=True, surt="plain"), ValueError, "defang: not with surt"),
        (lambda: urisieve.links(PAGE, base=3), TypeError, "base: a str expected, not int"),
        (lambda: urisieve.Extractor().links(PAGE, base=b"http://a/"), TypeError, "base: a str expected, not bytes"),
        (lambda: urisieve.resolve("http://a/", "b", rfc=[]), TypeError, "rfc: an int or a str expected, not list"),
        (lambda: urisieve.resolve("http://a/", "b", rfc=7), ValueError, "rfc: .*3986"),
        (lambda: urisieve.UriSet().take("x"), TypeError, "parts: an int expected, not str"),
        (lambda: urisieve.UriSet().take(-1), ValueError, "parts: -1 is out of range"),
        (lambda: urisieve.UriSet().take(0), ValueError, "parts: from 1 to 2147483647"),
        (lambda: urisieve.UriSet().pack(1, -1), ValueError, "longest: -1 is out of range"),
        (lambda: urisieve.LinkSet().pack(1.5), TypeError, "parts: an int expected, not float"),
        (lambda: urisieve.extract("x", include=1), TypeError, "include: a str or a list of them expected, not int"),
    ],
)
def test_messages_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_options_are_types_at_run_time():
    assert urisieve.Options.__total__ is False and "level" in urisieve.PageOptions.__annotations__
    assert "base" in urisieve.Options.__annotations__
    for generic in [urisieve.Match[str], urisieve.Matches[bytes], urisieve.Link[str]]:
        assert generic.__args__ in [(str,), (bytes,)]
    assert {"Options", "PageOptions"} <= set(urisieve.__all__) <= set(dir(urisieve))
    with pytest.raises(AttributeError, match="urisieve.*nothing"):
        urisieve.nothing


def test_options_that_are_kept_do_not_mix():
    text = "http://A.example:80/?b&a#c http://a.example:80/?b&a#c ftp://b.example/"
    for _ in range(3):
        for options, wanted in [
            ({}, ["http://a.example:80/?b&a#c", "ftp://b.example/"]),
            ({"level": "scheme"}, ["http://a.example/?b&a#c", "ftp://b.example/"]),
            ({"level": "none", "all": True}, text.split()),
            ({"scheme": "ftp"}, ["ftp://b.example/"]),
            ({"scheme": ["ftp"]}, ["ftp://b.example/"]),
            ({"scheme": ("ftp", "http"), "strip_fragment": True}, ["http://a.example:80/?b&a", "ftp://b.example/"]),
            ({"sort": True}, ["ftp://b.example/", "http://a.example:80/?b&a#c"]),
            ({"count": True, "by": "scheme", "sort": True}, ["ftp", "http"]),
            ({"max_length": 16}, ["ftp://b.example/"]),
        ]:
            assert urisieve.extract(text, **options) == wanted, options
            assert urisieve.Extractor(**options).extract(text) == wanted
            assert urisieve.extract(text.encode(), **options) == [uri.encode() for uri in wanted]
    # Equal for Python, but of another type.
    assert urisieve.extract("http://a.example/", all=True)
    for flag in [1, 1.0]:
        with pytest.raises(TypeError, match="all: a bool"):
            urisieve.extract("http://a.example/", all=flag)
    # More sets of options than are kept.
    for number in range(100):
        assert urisieve.extract(text, host=f"{number}.example") == []
    assert urisieve.extract(text, level="scheme") == ["http://a.example/?b&a#c", "ftp://b.example/"]


def test_a_short_text_is_searched_as_a_long_one():
    """A text of a mebibyte has a run of its own."""
    for options in [{}, {"all": True}, {"level": "scheme"}, {"nested": True}, {"redact": True}, {"problem": "bad-percent"},
                    {"input_format": "html"}, {"input_format": "auto"}, {"exclude": "isbn"}, {"hyphen": "both"}]:
        text = TEXT + PAGE + " http://u:p@c.example/?u=http://d.example/-\n  e "
        long = text + " " * (1 << 20)
        assert urisieve.extract(text, **options) == urisieve.extract(long, **options) != [], options


def test_what_is_pickled_comes_back():
    extractor = urisieve.Extractor(level="scheme", scheme=["http", "urn"], exclude=r"\.png$", threads=2)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(extractor, protocol))
        assert repr(again) == repr(extractor)
        assert again.extract(TEXT) == extractor.extract(TEXT)
    assert repr(extractor) == "urisieve.Extractor(level='scheme', scheme=['http', 'urn'], exclude='\\\\.png$', threads=2)"
    assert repr(eval(repr(extractor))) == repr(extractor)
    assert copy.deepcopy(extractor).extract(TEXT) == extractor.extract(TEXT)
    for text in [TEXT, TEXT.encode()]:
        for match in urisieve.find(text):
            same = pickle.loads(pickle.dumps(match))
            assert same == match and hash(same) == hash(match) and repr(same) == repr(match)
            for name in dir(urisieve.Match):
                if not name.startswith("_"):
                    assert getattr(same, name) == getattr(match, name), name
    for page in [PAGE, PAGE.encode()]:
        [link] = urisieve.links(page, base="http://a.example/", count=True)
        same = pickle.loads(pickle.dumps(link))
        assert same == link and hash(same) == hash(link) and copy.copy(link) == link
        for name in dir(urisieve.Link):
            if not name.startswith("_"):
                assert getattr(same, name) == getattr(link, name), name
        assert link != urisieve.links(page, base="http://b.example/")[0]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_an_extractor_in_other_processes(method):
    """Its methods are passed to a pool, whose processes have its options."""
    code = f"""
        import multiprocessing, urisieve

        if __name__ == "__main__":
            context = multiprocessing.get_context({method!r})
            extractor = urisieve.Extractor(level="scheme")
            texts = [f"HTTP://a{{n}}.example:80" for n in range(20)]
            with context.Pool(2) as pool:
                found = pool.map(extractor.extract, texts)
                matches = pool.map(urisieve.Extractor(nested=True).normalize, texts)
            assert found == [[f"http://a{{n}}.example/"] for n in range(20)], found
            assert matches == [f"http://a{{n}}.example:80" for n in range(20)], matches
            print("done")
    """
    ran = run(code, as_file=True)
    assert ran.stdout == "done\n", ran.stderr


def test_threads_share_a_set():
    sys.setswitchinterval(1e-5)
    try:
        batches = [pa.array([f"see HTTP://A{n}.example/{m} and urn:a-b:c" for n in range(2000)]) for m in range(12)]
        uris, links = urisieve.UriSet(threads=2), urisieve.LinkSet()

        def add(batch):
            uris.add_from(batch)
            uris.add(pa.array(["URN:a-b:c", "http://z.example/"]))
            links.add(batch, batch)
            return len(uris), len(links), uris.memory, repr(uris)

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(add, batches))
        assert (len(uris), len(links)) == (12 * 2000 + 2, 12 * 2000)
        [taken] = uris.take()
        assert len(taken) == len(set(taken)) == 12 * 2000 + 2
    finally:
        sys.setswitchinterval(0.005)


def test_the_order_does_not_depend_on_threads():
    column = pa.array([f"http://a.example/{n * 7919 % 30_000} http://b.example/{n}" for n in range(40_000)])
    one, many = urisieve.UriSet(), urisieve.UriSet(threads=3)
    for uris in [one, many]:
        uris.add_from(column)
        uris.add_from(column)
    assert one.take().to_pylist() == many.take().to_pylist()


def test_threads_share_matches():
    sys.setswitchinterval(1e-5)
    try:
        wanted = [f"http://a.example/{n}" for n in range(20_000)]
        matches = urisieve.find(" ".join(wanted))
        found, raised = [], []

        def take():
            try:
                found.extend(match.uri for match in matches)
            except BaseException as error:
                raised.append(error)

        threads = [threading.Thread(target=take) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert raised == [] and sorted(found) == sorted(wanted)
    finally:
        sys.setswitchinterval(0.005)


def test_a_set_adds_by_its_options():
    values = pa.array(["HTTP://A.example:80", "http://a.example/", " http://a.example/ ", None, "n/a", "ftp://b.example/"])
    for options, errors, wanted in [
        ({}, "keep", ["http://a.example:80", "http://a.example/", "n/a", "ftp://b.example/"]),
        ({"level": "scheme"}, "keep", ["http://a.example/", "n/a", "ftp://b.example/"]),
        ({"level": "none"}, "null", ["HTTP://A.example:80", "http://a.example/", "ftp://b.example/"]),
        ({"level": "scheme", "scheme": "http"}, "keep", ["http://a.example/"]),
        ({"exclude": "ftp", "level": "scheme"}, None, ["http://a.example/"]),
    ]:
        uris = urisieve.UriSet(**options)
        uris.add(values, errors=errors)
        assert uris.take().to_pylist() == [wanted], options
    uris = urisieve.UriSet(problem="isbn-check")
    uris.add(["urn:isbn:0395363411", "urn:isbn:0395363412"])
    assert uris.take().to_pylist() == [["urn:isbn:0395363412"]]
    with pytest.raises(ValueError, match="x: row 4: not a URI"):
        uris.add(values, errors="raise")
    assert len(uris) == 0
    # What is added, and what is found, is the same class.
    both = urisieve.UriSet(level="scheme")
    both.add([f"HTTP://A{n}.example:80" for n in range(1000)])
    both.add_from([f"see http://a{n}.example/ there" for n in range(1000)])
    assert len(both) == 1000
