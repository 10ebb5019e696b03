"""Random calls with random values: only the errors that are documented, and no memory that stays.

CALLS in the environment is their number, by default 100,000. SEED chooses others.
"""

import gc
import io
import os
import pickle
import random
import resource

import pyarrow as pa
import urisieve
from conftest import TEXT_TYPES

CALLS = int(os.environ.get("CALLS", 100_000))
SEED = int(os.environ.get("SEED", 3986))
# Memory that the process may have gained in the second half of the calls, in MiB. The
# allocator keeps some; a leak of one of the texts a call would be 200.
GAIN = 24
# The same for 60 calls on larger values.
SMALL_GAIN = 0.5

DOCUMENTED = (TypeError, ValueError, OSError)

PIECES = [
    "http://a.example/", "HTTP://User:pw@A.example:80/%7e/../x?q=1&utm_source=y#f", "urn:isbn:0395363411",
    "URN:ISBN:0-395-36341-X", "mailto:joe@a.example", "<", ">", '"', "(", ")", "\n> ", " ", "\t", ".", ",",
    "\\/", "\\u002f", "&amp;", "&quot;", "%zz", "ü", "\U0001f600", "\ud800", "\0", "日本語", "www.a.example", "hxxp://b[.]example/",
    "doi:10.1000/182", "ISBN 0-8044-2957-X, ", "10.1000/", "https:\\/\\/a.example\\/x", "//c.example/", "../d", "?e", "#f", "x" * 300, "http://[::1]:99999/",
    '<a href="b">', "<base href=/c/>", "\x1f\x8b\x08", "WARC/1.0\r\n", "http://bücher.example/ß", "a-\n  b",
]
OPTIONS = {
    "level": ["none", "lexical", "syntax", "scheme", "loose", 1],
    "keep_components": [True, False], "strip_fragment": [True, 1], "sort_query": [True], "fold_https": [True],
    "strip_www": [True], "isbn13": [True], "unwrap_resolvers": [True], "drop_param": ["q", ["utm_*"], "@tracking", "@/no/such", "@" + os.devnull, 7],
    "wrap": ["lines", "any", "off", "on"], "wrap_limit": ["8K,20", 100, "x", "1,1", None],
    "hyphen": ["keep", "drop", "both"], "nested": [True, None, "percent", "base64", "x", 1], "abbreviated": [True], "refang": [True],
    "bare": ["isbn,doi", ["orcid"], "x", 1],
    "ascii": [True], "strict": [True], "opaque": ["all", "about,data", []], "all_references": [True],
    "max_length": [1, 64, "64K", "1M", -1, 10**20], "scheme": ["http", ["ftp", "urn"], "!"], "nid": ["isbn"],
    "host": ["a.example", ["b.example"], "/"], "include": ["a", "("], "exclude": ["\\.png$"], "problem": ["cut", "x"],
    "redact": [True, False, "@secrets", "query:q"], "all": [True], "count": [True], "groups": [True], "by": ["host", "file", "shape", "match", "x"],
    "match": [os.devnull, [os.devnull], "/no/such", 3], "match_entries": ["a.example", ["b.example", "/x/i", "!c.example"], "192.0.2.0/33", 1],
    "match_column": ["url"], "unwrap_gateways": [True, "google", ["bing", "@/no/such"], "x"],
    "top": [1, 0], "sort": [True], "unordered": [True], "max_count": [1], "input_format": ["auto", "text", "html", "xml", "marc", "mrk", "csv"],
    "utf16": [True, False], "no_decompress": [True], "base": ["http://a.example/", "x", 3], "label": ["x"], "links": [True],
    "node": ["host", "domain", "private-domain"], "valid_tld": [True], "weights": [True], "nofollow": ["drop", "mark"], "mentions": [True], "threads": [1, 2, 0], "max_memory": [0, "64M"],
    "dedup": ["exact", "hash128"], "against": [os.devnull, [os.devnull], "/no/such", 3], "status": ["2xx"],
    "requests": ["also", "only", "none"], "method": ["get", ["GET", "HEAD"], "GET /"], "since": ["2d", "2026-10-05", "x"],
    "until": ["2026-10-05T00:00:00Z", 1], "zone": ["+02:00", "Z", "CET"], "unknown": [1],
}


class Calls:
    def __init__(self, seed, store):
        self.draw = random.Random(seed)
        self.store = store

    def text(self):
        draw = self.draw
        return "".join(draw.choice(PIECES) for _ in range(draw.randrange(12)))

    def data(self):
        data = self.text().encode("utf-8", "surrogatepass")
        if self.draw.random() < 0.2:
            data += bytes(self.draw.randrange(256) for _ in range(8))
        return data

    def array(self):
        draw = self.draw
        kind = draw.choice(TEXT_TYPES)
        values = [draw.choice([None, self.data().decode("utf-8", "ignore").encode()]) for _ in range(draw.randrange(6))]
        # Not by a cast: pyarrow 21 breaks when it exports what it cast to views.
        array = pa.array(values, kind)
        array = array[draw.randrange(len(values) + 1) :]
        return pa.chunked_array([array, array[:1]]) if draw.random() < 0.3 else array

    def value(self):
        """A text most of the time, else anything."""
        draw = self.draw
        chance = draw.random()
        if chance < 0.4:
            return self.text()
        if chance < 0.6:
            return self.data()
        if chance < 0.85:
            return self.array()
        if chance < 0.9:
            return [draw.choice([None, self.text()]) for _ in range(draw.randrange(4))]
        return draw.choice([
            None, 7, 1.5, [], {}, (b"urn:a-b:c", "x"), {"http://a.example/"}, iter(["urn:a-b:C", None]), self.array().dictionary_encode(), object(), bytearray(self.data()), memoryview(self.data()),
            pa.array([1, 2]), pa.nulls(2), pa.table({"a": ["b"]}), io.BytesIO(self.data()), io.StringIO("http://a.example/"),
            urisieve, str, urisieve.normalize(pa.array(["http://a.example/"])), "/no/such/file", os.devnull,
        ])

    def options(self):
        draw = self.draw
        names = draw.sample(list(OPTIONS), draw.choice([0, 0, 0, 1, 1, 2, 3]))
        return {name: draw.choice(OPTIONS[name]) for name in names}

    def call(self):
        """Makes one call; returns whether it raised."""
        draw = self.draw
        options = self.options()
        owner = urisieve
        try:
            if draw.random() < 0.3:
                owner, options = urisieve.Extractor(**options), {}
            name = draw.choice(["find", "extract", "normalize", "parse", "equivalent", "explain", "links", "open", "resolve", "shape", "unwrap", "UriSet", "Seen"])
            if name == "resolve":
                rfc = draw.choice([None, 3986, 2396, "1993", "whatwg", 7])
                errors = draw.choice([None, "raise", "null", "keep"])
                return self.use(urisieve.resolve(self.value(), self.value(), rfc, errors=errors))
            if name == "UriSet":
                uris = urisieve.UriSet(**options)
                draw.choice([uris.add, uris.add_from])(self.value())
                return self.use(draw.choice([uris.take, uris.pack])())
            if name == "Seen":
                with urisieve.Seen(self.store, **options) as store:
                    self.use(draw.choice([store.new, store.contains])(self.value()))
                    return self.use(store.add(self.value()))
            call = getattr(owner, name)
            if name == "equivalent":
                return self.use(call(self.value(), self.value(), **options))
            if name == "normalize":
                options["errors"] = draw.choice(["keep", "keep", "null", "raise", "x"])
                options["surt"] = draw.choice([None, None, "archive", "plain", "x"])
                options["defang"] = draw.random() < 0.1
            if name in ("shape", "unwrap"):
                options["errors"] = draw.choice(["keep", "keep", "null", "raise", "x"])
            if name == "shape":
                options["values"] = draw.choice([True, False, None])
            if name == "unwrap" and draw.random() < 0.3:
                options["gateways"] = draw.choice(["google", ["bing"], "x", [], 7])
            if name == "links" and draw.random() < 0.5:
                options.setdefault("base", draw.choice(["http://a.example/b/", self.value()]))
            if name in ("extract", "parse") and draw.random() < 0.3:
                options["fields"] = draw.choice([["host", "uri"], ["problems"], ("path", "kind", "query"), [], ["x"], "uri"])
            if name == "open" and draw.random() < 0.7:
                return self.use(call(io.BytesIO(self.data()), **options))
            return self.use(call(self.value(), **options))
        except DOCUMENTED:
            return True

    def use(self, answer):
        """Looks at an answer, so that what is lazy is done, too."""
        draw = self.draw
        if isinstance(answer, urisieve.Matches):
            for match in answer:
                repr(match), match.host, match.original, match.problems, hash(match)
                assert pickle.loads(pickle.dumps(match)) == match
        elif isinstance(answer, urisieve.Reader):
            if draw.random() < 0.8:
                [batch.to_pylist() for batch in answer]
            answer.losses
        elif isinstance(answer, urisieve.Array):
            pa.array(answer).validate(full=True)
            repr(answer), answer[1:].to_pylist(), answer[::-2].to_pylist(), list(answer), answer._repr_html_()
        elif isinstance(answer, urisieve.ChunkedArray):
            pa.chunked_array(answer).validate(full=True)
        elif isinstance(answer, list):
            [repr(one) for one in answer]
        return False


def set_of(column):
    uris = urisieve.UriSet(threads=2)
    uris.add_from(column)
    uris.add(["URN:a-b:c"])
    return uris.take(parts=3), uris.pack()


def stored(path, column):
    with urisieve.Seen(path) as store:
        return store.new(column), store.add(column), store.contains(column)


def memory():
    """The memory of this process, in MiB."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / (1 << 20)


def test_random_calls(tmp_path, monkeypatch):
    # Some texts are paths, such as `.` and `..`.
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    calls = Calls(SEED, tmp_path / "seen.store")
    raised = 0
    for _ in range(CALLS // 2):
        raised += calls.call()
    before = memory()
    for _ in range(CALLS - CALLS // 2):
        raised += calls.call()
    after = memory()
    print(f"{CALLS:,} calls, {raised:,} raised; {before:.1f} MiB after half of them, {after:.1f} at the end")
    assert after - before < GAIN
    assert CALLS // 10 < raised < CALLS * 9 // 10


def test_one_call_again_and_again(tmp_path):
    """Each call on larger values, many times: the memory does not grow."""
    text = "see HTTP://A.example/b \U0001f600 <urn:isbn:0395363411> " * 200
    column = pa.chunked_array([[text, None], [text] * 20])
    uris = pa.array(["HTTP://A.example/%d" % n for n in range(2000)])
    rounds = {
        "find": lambda: list(urisieve.find(text)),
        "find, not to the end": lambda: next(urisieve.find(text)),
        "extract": lambda: urisieve.extract(text),
        "rows": lambda: urisieve.extract(column),
        "rows, exported": lambda: pa.chunked_array(urisieve.extract(column)),
        "normalize": lambda: pa.array(urisieve.normalize(uris, threads=2)),
        "links": lambda: urisieve.links('<a href="b">' * 200, base="http://a.example/"),
        "explain": lambda: urisieve.explain("HTTP://A.example/b"),
        "open": lambda: pa.table(urisieve.open(io.BytesIO(text.encode()))),
        "open, not to the end": lambda: next(urisieve.open(io.BytesIO(text.encode() * 20), all=True)),
        "parse": lambda: pa.array(urisieve.parse(uris)).to_pylist(),
        "fields": lambda: urisieve.extract(column, fields=["host", "problems"])[0],
        "links of pages": lambda: urisieve.links(['<a href="b">' * 20] * 20, base=["http://a.example/"] * 20),
        "resolve": lambda: list(urisieve.resolve("http://a.example/", uris)),
        "equivalent": lambda: urisieve.equivalent(uris, uris)[::7],
        "lists": lambda: urisieve.normalize(["HTTP://A.example/"] * 2000),
        "dictionary": lambda: urisieve.normalize(uris.dictionary_encode()),
        "pickle": lambda: pickle.loads(pickle.dumps(urisieve.Extractor(level="scheme", host=["a.example"]))).extract(text),
        "options": lambda: [urisieve.extract("x", host=f"{n}.example") for n in range(40)],
        "set": lambda: set_of(column),
        "matched": lambda: urisieve.extract(column, fields=["match"], match_entries=["a.example"])[0],
        "shape": lambda: urisieve.shape(uris),
        "unwrap": lambda: urisieve.unwrap(uris, "google"),
        "store": lambda: stored(tmp_path / "store", uris),
        "stream that nobody takes": lambda: urisieve.open(io.BytesIO(b"x")).__arrow_c_stream__(),
        "array that nobody takes": lambda: urisieve.normalize(uris).__arrow_c_array__(),
    }
    for name, call in rounds.items():
        # The allocator's memory goes up and down; a leak grows each time.
        gains, before = [], memory()
        for _ in range(4):
            for _ in range(60):
                call()
            after = memory()
            gains.append(after - before)
            before = after
        print(f"{name}: {min(gains):.2f} MiB")
        assert min(gains) < SMALL_GAIN, name
