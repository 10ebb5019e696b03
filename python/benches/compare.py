"""How fast the calls are, beside what is used in their place: all in one run.

Usage: benches/compare.py [--quick] [LOG...]

LOG are files of log text; without any, text is generated. Needs pyarrow; w3lib and urlextract are
skipped where they are not installed (`pip install w3lib urlextract`). Each time is the best of several runs, taken in
turn. Exit code 1 when a ratio is below the one that is wanted.
"""

import base64
import platform
import random
import re
import sys
import time
from pathlib import Path

import pyarrow as pa
import urisieve

URL = re.compile(r'https?://[^\s<>"]+')
ANY = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"]+')


def log_text(size):
    """Lines of an access log and events in JSON, one URI in some 400 bytes, many repeated."""
    draw = random.Random(3986)
    agents = [f"Mozilla/5.0 (X11; Linux x86_64; rv:{n}.0) Gecko/20100101 Firefox/{n}.0" for n in range(60, 120)]
    lines, length = [], 0
    while length < size:
        number = int(200_000 * draw.random() ** 2)
        host = f"host{number % 977}.example"
        url = f"https://{host.upper() if number % 50 == 0 else host}/shop/item/{number}?ref={number % 13}"
        if draw.random() < 0.5:
            referer = url if draw.random() < 0.55 else "-"
            line = (
                f'192.0.2.{draw.randrange(256)} - - [10/Oct/2026:13:{draw.randrange(60):02}:36 +0000] "GET /item/{number} HTTP/1.1" '
                f'200 {draw.randrange(90000)} "{referer}" "{draw.choice(agents)}" rt={draw.random():.3f} upstream=10.0.0.7:8080\n'
            )
        else:
            line = (
                f'{{"timestamp":"2026-10-10T13:55:{draw.randrange(60):02}.{draw.randrange(10**6):06}+0000","event_type":"http","trace":"{draw.getrandbits(128):032x}",'
                f'"session":"{base64.urlsafe_b64encode(draw.randbytes(45)).decode()}","url":"{url}","node":"web-{draw.randrange(40)}","status":200,'
                f'"payload":"{base64.b64encode(draw.randbytes(60)).decode()}","bytes":{draw.randrange(90000)}}}\n'
            )
        lines.append(line)
        length += len(line)
    return "".join(lines)


def short_uris(count):
    """Short strings as a column of links has them."""
    draw = random.Random(2396)
    forms = [
        "http://www.example{}.com/path/{}", "HTTP://Example{}.COM/a%7eb/{}?b=2&a=1", "https://example{}.org:443/{}#top",
        "https://shop{}.example/item/{}?utm_source=x", "http://example{}.net/{}/../x y".replace(" ", "%20"),
    ]
    return [draw.choice(forms).format(n % 9973, n) for n in range(count)]


def best(runs, **calls):
    """The best time of each call, and its answer; the calls are made in turn."""
    times, answers = {}, {}
    for _ in range(runs):
        for name, call in calls.items():
            start = time.perf_counter()
            answers[name] = call()
            lap = time.perf_counter() - start
            times[name] = min(lap, times.get(name, lap))
    return times, answers


def report(what, ours, theirs, wanted, scale=1.0):
    """Prints a ratio; `theirs` was measured on a part of the work, `scale` times smaller."""
    ratio = theirs * scale / ours
    good = ratio >= wanted
    print(f"{what}: {ratio:.1f} times as fast ({ours:.3f} s, {theirs * scale:.3f} s); wanted {wanted}{'' if good else ', MISSED'}")
    return good


def normalize(count, runs):
    uris = short_uris(count)
    column = pa.array(uris)
    good = True
    scalar = urisieve.Extractor()
    times, answers = best(
        runs,
        array=lambda: urisieve.normalize(column),
        function=lambda: [urisieve.normalize(uri) for uri in uris],
        method=lambda: [scalar.normalize(uri) for uri in uris],
    )
    assert answers["array"].to_pylist() == answers["function"] == answers["method"]
    print(f"normalize, {count:,} short strings as an Arrow array: {count / times['array'] / 1e6:.1f} million a second")
    good &= report("  than a loop over our scalar call", times["array"], times["function"], 3)
    ratio = times["method"] / times["array"]
    print(f"  than a loop over a method of one Extractor: {ratio:.1f} times as fast")
    try:
        from w3lib.url import canonicalize_url
    except ImportError:
        print("  w3lib: not installed")
        return good
    part = uris[: count // 10]
    lap, _ = best(1, theirs=lambda: [canonicalize_url(uri) for uri in part])
    return good & report("  than w3lib's canonicalize_url (a tenth of them)", times["array"], lap["theirs"], 50, 10)


def by_re(pattern, text):
    return list(dict.fromkeys(uri.lower() for uri in pattern.findall(text)))


def extract(text, runs):
    size = len(text.encode())
    times, answers = best(
        runs,
        ours=lambda: urisieve.extract(text, threads=1),
        url=lambda: by_re(URL, text),
    )
    found, theirs = set(answers["ours"]), set(answers["url"])
    lower = {uri.lower() for uri in found}
    print(f"extract, {size / 1e6:.0f} MB of log text, one thread: {size / times['ours'] / 1e6:.0f} MB/s, {len(found):,} URIs")
    print(f"  re: {len(theirs):,}; in lower case {len(lower & theirs):,} are the same")
    good = report("  than re.findall of https?, lower, dict.fromkeys", times["ours"], times["url"], 2)
    part = text[: len(text) // 8]
    lap, _ = best(min(runs, 2), theirs=lambda: by_re(ANY, part))
    good &= report("  than the same with any scheme (an eighth of it)", times["ours"], lap["theirs"], 20, len(text) / len(part))
    try:
        from urlextract import URLExtract
    except ImportError:
        print("  urlextract: not installed")
        return good
    part = text[: min(len(text), 200_000)]
    extractor = URLExtract()
    lines = part.splitlines()
    lap, _ = best(1, theirs=lambda: [extractor.find_urls(line) for line in lines])
    return good & report("  than URLExtract (200 KB of it, line by line)", times["ours"], lap["theirs"], 50, len(text) / len(part))


def rows(text, runs):
    lines = text.splitlines(keepends=True)
    values = ["".join(lines[at : at + 8]) for at in range(0, len(lines), 8)]
    column = pa.array(values)
    times, _ = best(runs, ours=lambda: urisieve.extract(column), two=lambda: urisieve.extract(column, threads=2))
    size = column.nbytes
    print(
        f"extract, the same as an Arrow array of {len(values):,} rows: {size / times['ours'] / 1e6:.0f} MB/s,"
        f" two threads {size / times['two'] / 1e6:.0f} MB/s"
    )


def main():
    args = sys.argv[1:]
    quick = "--quick" in args
    files = [Path(arg) for arg in args if arg != "--quick"]
    text = "".join(file.read_text(errors="replace") for file in files) or log_text((8 if quick else 128) << 20)
    print(f"Python {platform.python_version()}, urisieve {urisieve.__version__}, pyarrow {pa.__version__}, {platform.machine()}")
    good = normalize(100_000 if quick else 1_000_000, 1 if quick else 3)
    good &= extract(text, 1 if quick else 3)
    rows(text, 1 if quick else 3)
    return 0 if good or quick else 1


if __name__ == "__main__":
    sys.exit(main())
