"""Small calls by `timeit`, and jobs on a million rows beside what else there is.

    python benches/calls.py [--rows N]

Prints microseconds for each small call, and for each job seconds, the memory that it took, and those of
`re`, w3lib and lxml, if they are installed, with the number of answers that are the same.
"""

import random
import re
import resource
import sys
import threading
import time
import timeit

import pyarrow as pa
import urisieve

LINE = (
    '203.0.113.9 - - [10/Oct/2026:13:55:36 +0200] "GET /shop/item?id=4711&utm_source=mail HTTP/1.1" 200 5120 '
    '"https://www.example.com/search?q=lamp" "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"'
)
URL = "HTTP://www.Example.com:80/%7ejoe/?b=2&a=1"
# The most microseconds of a call.
SMALL = [
    ("extract('') of an Extractor", 1.5, lambda e: e.extract("")),
    ("extract('')", 3, lambda e: urisieve.extract("")),
    ("extract('', level='scheme')", 3, lambda e: urisieve.extract("", level="scheme")),
    ("extract(log line) of an Extractor", 5, lambda e: e.extract(LINE)),
    ("extract(log line)", 6.5, lambda e: urisieve.extract(LINE)),
    ("extract(log line, level='scheme', host=[...])", 6.5, lambda e: urisieve.extract(LINE, level="scheme", host=["example.com"])),
    ("normalize(url) of an Extractor", 1.5, lambda e: e.normalize(URL)),
    ("normalize(url, level='scheme')", 3, lambda e: urisieve.normalize(URL, level="scheme")),
    ("equivalent(url, url)", 3, lambda e: urisieve.equivalent(URL, URL)),
    ("list(find(log line))", 6.5, lambda e: list(urisieve.find(LINE))),
    ("re.findall(log line)", None, lambda e: re.findall(r"https?://[^\s\"'<>]+", LINE)),
]


def small():
    extractor = urisieve.Extractor()
    good = True
    for name, most, call in SMALL:
        timer = timeit.Timer(lambda: call(extractor))
        number = 20_000
        lap = min(timer.repeat(5, number)) / number * 1e6
        missed = most is not None and lap > most
        good &= not missed
        print(f"{name}: {lap:.2f} us{f'; at most {most}' if most else ''}{', MISSED' if missed else ''}")
    return good


class Memory:
    """The most memory of this process during a job, beyond that before it, in MiB."""

    def __enter__(self):
        self.before, self.most, self.going = self.now(), 0, True
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        self.start = time.perf_counter()
        return self

    def now(self):
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() / (1 << 20)

    def watch(self):
        while self.going:
            self.most = max(self.most, self.now())
            time.sleep(0.005)

    def __exit__(self, *_):
        self.lap = time.perf_counter() - self.start
        self.going = False
        self.thread.join()
        self.gain = max(self.most - self.before, 0)


def measured(name, job):
    with Memory() as memory:
        answer = job()
    print(f"  {name}: {memory.lap:.2f} s, {memory.gain:.0f} MiB")
    return answer, memory.lap


def urls(count):
    draw = random.Random(3986)
    forms = ["http://www.example{}.com/path/{}", "HTTP://Example{}.COM:80/a%7eb/{}?b=2&a=1", "https://example{}.org/{}#top"]
    return [draw.choice(forms).format(n % 9973, n % (count // 2)) for n in range(count)]


def lines(count):
    return [f"{n} {LINE.replace('item?id=4711', f'item?id={n}').replace('q=lamp', f'q={n % 5000}')}" for n in range(count)]


def jobs(count):
    data, logs = urls(count), lines(count)
    column, rows = pa.array(data), pa.array(logs)
    print(f"{count:,} URLs, canonical:")
    ours, _ = measured("urisieve, Arrow", lambda: urisieve.normalize(column, level="scheme", sort_query=True))
    listed, _ = measured("urisieve, a list", lambda: urisieve.normalize(data, level="scheme", sort_query=True))
    assert pa.array(ours).equals(pa.array(listed))
    ours = pa.array(ours).to_pylist()
    words = pa.array(data).dictionary_encode()
    measured("urisieve, a dictionary", lambda: urisieve.normalize(words, level="scheme", sort_query=True))
    measured("urisieve, host, path and problems", lambda: urisieve.parse(column, fields=["host", "path", "problems"]))
    try:
        from w3lib.url import canonicalize_url
    except ImportError:
        print("  w3lib: not installed")
    else:
        part = data[: count // 10]
        theirs, lap = measured("w3lib, a tenth", lambda: [canonicalize_url(url, keep_fragments=True) for url in part])
        print(f"    {sum(a == b for a, b in zip(ours, theirs)):,} of {len(part):,} are the same; {lap * 10:.2f} s for all")
    print(f"{count:,} lines of a log, URIs:")
    ours, _ = measured("urisieve, Arrow", lambda: pa.array(urisieve.extract(rows, fields=["uri"])))
    measured("urisieve, with places", lambda: pa.array(urisieve.extract(rows)))
    pattern = re.compile(r"https?://[^\s\"'<>]+")
    theirs, _ = measured("re.findall", lambda: [pattern.findall(line) for line in logs])
    same = sum([uri["uri"] for uri in a] == b for a, b in zip(ours.to_pylist(), theirs))
    print(f"    {same:,} of {count:,} rows are the same")
    print(f"{count:,} lines of a log, each URI once:")
    for threads in [1, 2]:
        uris = urisieve.UriSet(threads=threads)
        measured(f"UriSet, threads={threads}", lambda: uris.add_from(rows))
    known, _ = measured("re.findall and set", lambda: {uri for line in logs for uri in pattern.findall(line)})
    print(f"    {len(uris):,} and {len(known):,} URIs")
    engines(data, ours, column)
    links()


def engines(data, ours, column):
    try:
        import pandas as pd
    except ImportError:
        print("pandas: not installed")
    else:
        print(f"{len(data):,} URLs in pandas:")
        half = len(data) // 2
        series = pd.concat([pd.Series(data[:half]), pd.Series(data[half:])], ignore_index=True)
        frame = lambda: pd.Series(pa.array(urisieve.normalize(series, level="scheme")).to_pandas())  # noqa: E731
        measured("normalize, and back", frame)
        measured("groupby of the canonical form", lambda: series.groupby(frame()).size())
    try:
        import polars as pl
    except ImportError:
        print("polars: not installed")
    else:
        print(f"{len(data):,} URLs in Polars:")
        table = pl.DataFrame({"url": data})
        key = pl.col("url").map_batches(lambda c: pl.Series(urisieve.normalize(c, level="scheme")), return_dtype=pl.String, is_elementwise=True)
        measured("unique by the canonical form, streaming", lambda: table.lazy().unique(key).collect(engine="streaming"))
    try:
        import duckdb
        from urisieve.duckdb import register
    except ImportError:
        print("duckdb: not installed")
    else:
        print(f"{len(data):,} URLs in DuckDB:")
        connection = duckdb.connect()
        register(connection, level="scheme")
        connection.register("visits", pa.table({"url": column}))
        measured("count(distinct uri_normalize(url))", lambda: connection.sql("select count(distinct uri_normalize(url)) from visits").fetchall())


def links():
    page = "<html><body>" + "".join(f'<p>text {n} <a href="/a/{n}?b#c">x</a> <img src="i/{n % 20}.png"></p>' for n in range(300)) + "</body></html>"
    pages = [page.replace("text", f"text {n}") for n in range(1000)]
    bases = [f"http://a{n}.example/b/" for n in range(1000)]
    print(f"{len(pages):,} pages of {len(page):,} bytes, links:")
    ours, _ = measured("urisieve, columns", lambda: urisieve.links(pa.array(pages), base=pa.array(bases)))
    measured("urisieve, one base", lambda: urisieve.links(pa.array(pages), base=bases[0]))
    measured("urisieve, page by page", lambda: [urisieve.links(page, base=base) for page, base in zip(pages, bases)])
    try:
        from lxml import html
    except ImportError:
        print("  lxml: not installed")
        return

    def by_lxml(page, base):
        tree = html.fromstring(page, base_url=base)
        tree.make_links_absolute(base)
        return list(dict.fromkeys(link for _, _, link, _ in tree.iterlinks()))

    theirs, lap = measured("lxml, a tenth", lambda: [by_lxml(page, base) for page, base in zip(pages[:100], bases)])
    same = sum([link["uri"] for link in ours[n]] == theirs[n] for n in range(100))
    print(f"    {same} of 100 pages have the same links; {lap * 10:.2f} s for all")


def main():
    args = sys.argv[1:]
    count = int(args[args.index("--rows") + 1]) if "--rows" in args else 1_000_000
    good = small()
    jobs(count)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
