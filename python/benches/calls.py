"""Small calls by `timeit`, and jobs on a million rows beside what else there is.

    python benches/calls.py [--rows N]
    python benches/calls.py --wheels BEFORE AFTER

Prints a table of the microseconds of each small call, and one of the seconds of each job and the memory that
it took, beside `re`, w3lib and lxml, if they are installed, with the number of answers that are the same. With two wheels (or
folders that have the package) it prints the small calls of both, each the best of turns that alternate.
"""

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import timeit
import zipfile

# A comparison of two wheels needs no package itself.
if "--wheels" not in sys.argv:
    import pyarrow as pa
    import urisieve

LINE = (
    '203.0.113.9 - - [10/Oct/2026:13:55:36 +0200] "GET /shop/item?id=4711&utm_source=mail HTTP/1.1" 200 5120 '
    '"https://www.example.com/search?q=lamp" "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"'
)
URL = "HTTP://www.Example.com:80/%7ejoe/?b=2&a=1"
# The name of a call, the most microseconds that it may take, and the call.
SMALL = [
    ("extract('') of an Extractor", 1.5, lambda e: e.extract("")),
    ("extract('')", 3, lambda e: urisieve.extract("")),
    ("extract('', level='scheme')", 3, lambda e: urisieve.extract("", level="scheme")),
    ("extract(log line) of an Extractor", 5, lambda e: e.extract(LINE)),
    ("extract(log line)", 6.5, lambda e: urisieve.extract(LINE)),
    ("extract(log line, level='scheme', host=[...])", 6.5, lambda e: urisieve.extract(LINE, level="scheme", host=["example.com"])),
    ("normalize(url) of an Extractor", 1.5, lambda e: e.normalize(URL)),
    ("normalize(url, level='scheme')", 3, lambda e: urisieve.normalize(URL, level="scheme")),
    ("shape(url) of an Extractor", 3, lambda e: e.shape(URL)),
    ("unwrap(url) of an Extractor", 3, lambda e: e.unwrap(URL)),
    ("equivalent(url, url)", 3, lambda e: urisieve.equivalent(URL, URL)),
    ("list(find(log line))", 6.5, lambda e: list(urisieve.find(LINE))),
    ("re.findall(log line)", None, lambda e: re.findall(r"https?://[^\s\"'<>]+", LINE)),
]


def table(head, rows):
    """Prints a table of Markdown, whose columns after the first are numbers."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in [head, *rows]) for at in range(len(head))]

    def line(row):
        print("| " + " | ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(zip(row, widths))) + " |")

    line(head)
    print("|" + "|".join("-" * (width + 1) + (":" if at else "-") for at, width in enumerate(widths)) + "|")
    for row in rows:
        line(row)


def laps():
    """The microseconds of each small call; `None` for one that this version of the package lacks."""
    extractor = urisieve.Extractor()
    found = {}
    for name, _, call in SMALL:
        timer = timeit.Timer(lambda: call(extractor))
        number = 20_000
        try:
            found[name] = min(timer.repeat(5, number)) / number * 1e6
        except (AttributeError, TypeError):
            found[name] = None
    return found


def small():
    found = laps()
    missed = [name for name, most, _ in SMALL if most is not None and found[name] > most]
    table(
        ["small call", "us", "at most", ""],
        [(name, f"{found[name]:.2f}", most or "", "MISSED" if name in missed else "") for name, most, _ in SMALL],
    )
    return not missed


def unpacked(wheel, folder):
    """A folder that has the package of a wheel."""
    if os.path.isdir(wheel):
        return os.path.abspath(wheel)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def both(wheels):
    """Compares the small calls of two wheels, in processes that take turns."""
    best = [{}, {}]
    with tempfile.TemporaryDirectory() as folder:
        paths = [unpacked(wheel, os.path.join(folder, str(at))) for at, wheel in enumerate(wheels)]
        for _ in range(3):
            for at, path in enumerate(paths):
                command = [sys.executable, __file__, "--laps"]
                done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, check=True)
                for name, lap in json.loads(done.stdout).items():
                    if lap is not None:
                        best[at][name] = min(lap, best[at].get(name, lap))
    rows = []
    for name, _, _ in SMALL:
        laps = [best[at].get(name) for at in range(2)]
        ratio = f"{laps[1] / laps[0]:.2f}" if all(laps) else "-"
        rows.append([name, *(f"{lap:.2f}" if lap else "-" for lap in laps), ratio])
    table(["small call", "before, us", "after, us", "ratio"], rows)


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


# The rows of the table of jobs.
JOBS = []


def begin(title):
    JOBS.append([f"**{title}**", "", "", ""])
    print(title, file=sys.stderr)


def measured(name, job):
    with Memory() as memory:
        answer = job()
    JOBS.append([name, f"{memory.lap:.2f}", f"{memory.gain:.0f}", ""])
    return answer, memory.lap


def same(text):
    """Notes beside the last job how many of its answers are those of the package."""
    JOBS[-1][3] = text


def missing(name):
    JOBS.append([f"{name}: not installed", "", "", ""])


def urls(count):
    draw = random.Random(3986)
    forms = ["http://www.example{}.com/path/{}", "HTTP://Example{}.COM:80/a%7eb/{}?b=2&a=1", "https://example{}.org/{}#top"]
    return [draw.choice(forms).format(n % 9973, n % (count // 2)) for n in range(count)]


def lines(count):
    return [f"{n} {LINE.replace('item?id=4711', f'item?id={n}').replace('q=lamp', f'q={n % 5000}')}" for n in range(count)]


def jobs(count):
    data, logs = urls(count), lines(count)
    column, rows = pa.array(data), pa.array(logs)
    begin(f"{count:,} URLs, canonical")
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
        missing("w3lib")
    else:
        part = data[: count // 10]
        theirs, lap = measured("w3lib, a tenth", lambda: [canonicalize_url(url, keep_fragments=True) for url in part])
        same(f"{sum(a == b for a, b in zip(ours, theirs)):,} of {len(part):,} the same; {lap * 10:.2f} s for all")
    begin(f"{count:,} lines of a log, URIs")
    ours, _ = measured("urisieve, Arrow", lambda: pa.array(urisieve.extract(rows, fields=["uri"])))
    measured("urisieve, with places", lambda: pa.array(urisieve.extract(rows)))
    pattern = re.compile(r"https?://[^\s\"'<>]+")
    theirs, _ = measured("re.findall", lambda: [pattern.findall(line) for line in logs])
    equal = sum([uri["uri"] for uri in a] == b for a, b in zip(ours.to_pylist(), theirs))
    same(f"{equal:,} of {count:,} rows the same")
    begin(f"{count:,} lines of a log, each URI once")
    for threads in [1, 2]:
        uris = urisieve.UriSet(threads=threads)
        measured(f"UriSet, threads={threads}", lambda: uris.add_from(rows))
    known, _ = measured("re.findall and set", lambda: {uri for line in logs for uri in pattern.findall(line)})
    found = set(uris.take().to_pylist()[0])
    same(f"{len(found & known):,} of {len(found):,} and {len(known):,} the same")
    seen(data, column)
    engines(data, column)
    links()


def seen(data, column):
    begin(f"{len(data):,} URLs, a store of what was seen")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "store")

        def added():
            with urisieve.Seen(path) as store:
                return store.add(column)

        count, _ = measured("Seen: add and commit", added)
        with urisieve.Seen(path, read_only=True) as store:
            answers, _ = measured("Seen: contains", lambda: store.contains(column))
        assert all(pa.array(answers).to_pylist())
    forms = pa.array(urisieve.normalize(column)).to_pylist()
    known, _ = measured("a set of Python, of canonical forms", lambda: set(forms))
    same(f"{count:,} and {len(known):,} URLs")


def engines(data, column):
    try:
        import pandas as pd
    except ImportError:
        missing("pandas")
    else:
        begin(f"{len(data):,} URLs in pandas")
        half = len(data) // 2
        series = pd.concat([pd.Series(data[:half]), pd.Series(data[half:])], ignore_index=True)
        frame = lambda: pd.Series(pa.array(urisieve.normalize(series, level="scheme")).to_pandas())  # noqa: E731
        measured("normalize, and back", frame)
        measured("groupby of the canonical form", lambda: series.groupby(frame()).size())
    try:
        import polars as pl
    except ImportError:
        missing("polars")
    else:
        begin(f"{len(data):,} URLs in Polars")
        visits = pl.DataFrame({"url": data})
        key = pl.col("url").map_batches(lambda c: pl.Series(urisieve.normalize(c, level="scheme")), return_dtype=pl.String, is_elementwise=True)
        measured("unique by the canonical form, streaming", lambda: visits.lazy().unique(key).collect(engine="streaming"))
    try:
        import duckdb
        from urisieve.duckdb import register
    except ImportError:
        missing("duckdb")
    else:
        begin(f"{len(data):,} URLs in DuckDB")
        connection = duckdb.connect()
        register(connection, level="scheme")
        connection.register("visits", pa.table({"url": column}))
        measured("count(distinct uri_normalize(url))", lambda: connection.sql("select count(distinct uri_normalize(url)) from visits").fetchall())


def links():
    page = "<html><body>" + "".join(f'<p>text {n} <a href="/a/{n}?b#c">x</a> <img src="i/{n % 20}.png"></p>' for n in range(300)) + "</body></html>"
    pages = [page.replace("text", f"text {n}") for n in range(1000)]
    bases = [f"http://a{n}.example/b/" for n in range(1000)]
    begin(f"{len(pages):,} pages of {len(page):,} bytes, links")
    ours, _ = measured("urisieve, columns", lambda: urisieve.links(pa.array(pages), base=pa.array(bases)))
    measured("urisieve, one base", lambda: urisieve.links(pa.array(pages), base=bases[0]))
    measured("urisieve, page by page", lambda: [urisieve.links(page, base=base) for page, base in zip(pages, bases)])
    try:
        from lxml import html
    except ImportError:
        missing("lxml")
        return

    def by_lxml(page, base):
        tree = html.fromstring(page, base_url=base)
        tree.make_links_absolute(base)
        return list(dict.fromkeys(link for _, _, link, _ in tree.iterlinks()))

    theirs, lap = measured("lxml, a tenth", lambda: [by_lxml(page, base) for page, base in zip(pages[:100], bases)])
    equal = sum([link["uri"] for link in ours[n]] == theirs[n] for n in range(100))
    same(f"{equal} of 100 pages the same; {lap * 10:.2f} s for all")


def main():
    args = sys.argv[1:]
    count = int(args[args.index("--rows") + 1]) if "--rows" in args else 1_000_000
    if args == ["--laps"]:
        print(json.dumps(laps()))
        return 0
    if "--wheels" in args:
        wheels = args[args.index("--wheels") + 1 :]
        if len(wheels) != 2:
            sys.exit("--wheels: BEFORE and AFTER expected")
        both(wheels)
        return 0
    good = small()
    jobs(count)
    print()
    table(["job", "s", "MiB", "answers"], JOBS)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
