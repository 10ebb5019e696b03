"""Spark jobs with urisieve beside the usual ones, and beside one machine: all in one run, answers compared.

Usage: benches/spark.py [--size MIB] [--runs N] [--folder FOLDER] [lines] [texts] [links]

`lines` and `texts`: distinct URIs of log lines, and of texts whose URIs are known, as a column and as files; the usual job is an RDD with `re.findall`, `lower`, `distinct`.
`links`: from WARC files to links, as cc-pyspark does it: FastWARC reads, and a regular expression or an HTML parser
(Resiliparse 0.16: 2.0 is slower by far, and no baseline) finds, in a Python loop over records. Needs pyspark,
fastwarc, resiliparse, and `urisieve` on the path or in URISIEVE_PROGRAM. All run in one session of `local[2]`, in turn: once without being timed, and then N times. Ratios
are of the best times; the medians are beside them. Exit code 1 when a ratio is below the one that is wanted.
"""

import argparse
import functools
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urljoin

PYTHON = Path(__file__).resolve().parent.parent
FOLDERS = [PYTHON / "benches", PYTHON / "tests", PYTHON / "tests" / "spark", PYTHON.parent / "benches" / "comparison"]
sys.path[:0] = map(str, FOLDERS)
# The workers import what the functions name.
os.environ["PYTHONPATH"] = os.pathsep.join([*map(str, FOLDERS), *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import pyspark  # noqa: E402
import sessions  # noqa: E402
import truth  # noqa: E402
import urisieve  # noqa: E402
import workloads  # noqa: E402
from compare import ANY, URL, log_text, report  # noqa: E402
from urisieve.spark import distinct, extract, links, uris  # noqa: E402

HREF = re.compile(rb"""(?:href|src)\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
MIB = 1 << 20
# How many times as long as the program `uris` of files may take.
COST_MAX = 3
# The number of archives.
FILES = 8


def timed(runs, **calls):
    """The best time of each call after a first one that does not count, and its answer; prints medians, too."""
    laps, answers = {name: [] for name in calls}, {}
    for run in range(runs + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            answers[name] = call()
            if run:
                laps[name].append(time.perf_counter() - start)
    print("  best and median:", ", ".join(f"{name} {min(each):.2f} {statistics.median(each):.2f} s" for name, each in laps.items()))
    return {name: min(each) for name, each in laps.items()}, answers


def counted(path):
    """The number of lines of a command's output."""
    with open(path, "rb") as lines:
        return sum(block.count(b"\n") for block in iter(lambda: lines.read(MIB), b""))


def by_program(folder, *args):
    """Runs urisieve with two threads; returns the number of lines."""
    program = os.environ.get("URISIEVE_PROGRAM") or shutil.which("urisieve")
    if program is None:
        raise SystemExit("urisieve is not on the path, and URISIEVE_PROGRAM does not name it")
    out = folder / "out.txt"
    with open(out, "wb") as file:
        subprocess.run([program, *args, "-j", "2"], stdout=file, check=True)
    return counted(out)


def machine(ours, alone, size):
    print(
        f"  one machine, two cores, `urisieve`: {alone:.2f} s, {size / alone / 2 / 1e6:.0f} MB/s a core; "
        f"Spark: {size / ours / 2 / 1e6:.0f} MB/s a core, {ours / alone:.1f} times the cost"
    )


def usual(rdd, pattern=URL):
    """The usual job."""
    return rdd.flatMap(pattern.findall).map(str.lower).distinct()


def compare_texts(name, df, column, rdd, file, folder, runs):
    size = file.stat().st_size
    print(f"{name}: {size / 1e6:.0f} MB")
    of_file = functools.partial(uris, df.sparkSession, paths=[str(file)], persist=False, input_format="text")
    times, answers = timed(
        runs,
        files=lambda: of_file().uris.count(),
        ours=lambda: uris(df, column).count(),
        rows=lambda: distinct(extract(df, column)).count(),
        theirs=lambda: usual(rdd).count(),
        schemes=lambda: usual(rdd, ANY).count(),
        alone=lambda: by_program(folder, "-i", "text", str(file)),
    )
    assert answers["ours"] == answers["rows"]
    print(f"  {answers['ours']:,} URIs, {answers['theirs']:,} by re; the program {answers['alone']:,}")
    good = report("  than re.findall of https?, lower, distinct", times["ours"], times["theirs"], 2)
    good &= report("  than the same with any scheme", times["ours"], times["schemes"], 2)
    print(f"  than our rows with all fields: {times['rows'] / times['ours']:.1f} times as fast ({times['rows']:.3f} s)")
    machine(times["ours"], times["alone"], size)
    assert answers["files"] == answers["alone"]
    cost = times["files"] / times["alone"]
    good &= cost <= COST_MAX
    print(
        f"  the file itself, by ranges: {times['files']:.2f} s, {size / times['files'] / 2 / 1e6:.0f} MB/s a core, "
        f"{cost:.1f} times the cost of one machine (at most {COST_MAX})"
    )
    ours = {row.uri for row in uris(df, column).collect()}
    theirs = set(usual(rdd).collect())
    lower = {uri.lower() for uri in ours}
    less, more = theirs - lower, lower - theirs
    reasons = Counter(why_text(uri, lower) for uri in less)
    print(f"  equal in lower case {len(lower & theirs):,}; only by re {len(less):,} {dict(reasons)}, such as {sorted(less)[:3]}")
    reasons = Counter("another scheme" if not uri.startswith("http") else "cut otherwise by re" for uri in more)
    print(f"  only here {len(more):,} {dict(reasons)}, such as {sorted(more)[:3]}")
    return good


def why_text(uri, ours):
    """Why the pattern has something else."""
    if "\\/" in uri or "\\" in uri:
        return "escapes of JSON"
    if uri.rstrip(").,;:'!?\"]}") in ours:
        return "punctuation after it"
    return "more than the URI" if any(uri.startswith(uri[:end]) and uri[:end] in ours for end in range(len(uri), 10, -1)) else "other"


def lines(spark, folder, size, runs):
    path = folder / "lines.log"
    if not path.exists():
        part = log_text(min(size, 64) * MIB)
        with open(path, "w") as out:
            for number in range(max(size // 64, 1)):
                # Other hosts in each part, so that the number of URIs grows with the text.
                out.write(part.replace("host", f"host{number}-"))
        del part
    df, rdd = spark.read.text(str(path)), spark.sparkContext.textFile(str(path), 4)
    return compare_texts("log lines", df, "value", rdd, path, folder, runs)


def texts(spark, folder, size, runs):
    table, whole = folder / "texts", folder / "texts.txt"
    if not table.exists():
        table.mkdir()
        rows = list(truth.Truth(size * MIB // 1700).texts())
        whole.write_text("\n\n".join(rows))
        for part in range(4):
            pq.write_table(pa.table({"text": rows[part::4]}), table / f"{part}.parquet")
        del rows
    df = spark.read.parquet(str(table))
    return compare_texts("texts of 1.7 KB, Parquet", df, "text", df.rdd.map(lambda row: row.text), whole, folder, runs)


def by_parser(paths):
    """Pairs of pages and references, as an HTML parser finds them."""
    from python_links import links as references

    for path in paths:
        for source, _, _, reference, _ in references(path):
            pair = joined(source, reference)
            if pair:
                yield pair


def by_pattern(paths):
    """Pairs of pages and references, as a regular expression finds them."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for path in paths:
        with open(path, "rb") as archive:
            for record in ArchiveIterator(archive, record_types=WarcRecordType.response):
                source = record.headers["WARC-Target-URI"]
                for reference in HREF.findall(record.reader.read()):
                    pair = joined(source, reference.decode("utf-8", "replace"))
                    if pair:
                        yield pair


def joined(source, reference):
    try:
        return source, urljoin(source, reference)
    except ValueError:
        return None


def in_a_loop(spark, paths, find):
    """Links as cc-pyspark makes them: rows of a Python loop, then `dropDuplicates`."""
    found = spark.sparkContext.parallelize(paths, len(paths)).mapPartitions(find)
    return spark.createDataFrame(found, "s string, t string").dropDuplicates()


def compare_links(spark, folder, size, runs):
    paths = [str(folder / f"{number}.warc.gz") for number in range(FILES)]
    # Other pages in each: the files of one would be the same.
    for number, path in enumerate(paths):
        if not os.path.exists(path):
            part = folder / "part"
            workloads.crawl(size * MIB // FILES, part, None)
            rename(part, number)
            shutil.move(part, path)
    packed = sum(os.path.getsize(path) for path in paths)
    print(f"links: {packed / 1e6:.0f} MB of .warc.gz, {size * MIB / 1e6:.0f} MB of WARC in it")
    times, answers = timed(
        runs,
        ours=lambda: links(spark, paths, persist=False).links.count(),
        pattern=lambda: in_a_loop(spark, paths, by_pattern).count(),
        parser=lambda: in_a_loop(spark, paths, by_parser).count(),
        alone=lambda: by_program(folder, "links", *paths),
        kept=lambda: kept(spark, paths),
    )
    print(
        f"  pairs: {answers['ours']:,}, by the parser {answers['parser']:,}, by the pattern {answers['pattern']:,}; the program {answers['alone']:,}"
    )
    good = report("  than FastWARC and Resiliparse in a loop", times["ours"], times["parser"], 3)
    pattern = times["pattern"] / times["ours"]
    print(f"  than FastWARC and a pattern in a loop: {pattern:.1f} times as fast ({times['pattern']:.3f} s)")
    print(f"  links and losses of one reading, kept by Spark: {times['kept']:.3f} s")
    machine(times["ours"], times["alone"], packed)
    differences(spark, paths)
    return good


def kept(spark, paths):
    tables = links(spark, paths)
    count = tables.links.count()
    assert tables.losses.count() == 0
    tables.unpersist()
    return count


def rename(path, number):
    """Gives the pages of a file other names: every record is a gzip member, written anew."""
    import gzip

    with gzip.open(path) as file:
        data = file.read()
    parts = re.split(rb"(?=WARC/1\.1\r\n)", data)
    with open(path, "wb") as out:
        for part in filter(None, parts):
            head, blank, rest = part.partition(b"\r\n\r\n")
            head = head.replace(b".page.example/", b".page%d.example/" % number)
            out.write(gzip.compress(head + blank + rest, 6, mtime=0))


def differences(spark, paths):
    """Prints how the answers differ, by the rule that makes the difference."""
    where = {}
    for batch in urisieve.open(paths, links=True):
        for row in batch.to_pylist():
            where.setdefault((row["s"], row["t"]), row.get("path", ""))
    ours = {tuple(row) for row in links(spark, paths, persist=False).links.collect()}
    assert ours == set(where)
    normal = urisieve.Extractor(level="syntax")
    mine = {(normal.normalize(s), normal.normalize(t)): path for (s, t), path in where.items()}
    for name, find in [("parser", by_parser), ("pattern", by_pattern)]:
        theirs = {}
        for s, t in in_a_loop(spark, paths, find).collect():
            theirs[normal.normalize(s), normal.normalize(t)] = s, t
        both = mine.keys() & theirs.keys()
        more = Counter(mine[pair] for pair in mine.keys() - both)
        less = Counter(why_link(*theirs[pair]) for pair in theirs.keys() - both)
        print(f"  {name}: {len(both):,} equal pairs; only here, by place: {dict(more.most_common(8))}; only there: {dict(less.most_common(8))}")


def why_link(source, target):
    """What a pair of theirs is that is not one here."""
    if target.partition("#")[0] == source.partition("#")[0]:
        return "same-document references"
    if re.match(r"(?i)(javascript|data|about):", target):
        return "javascript, data, about"
    if "&" in target:
        return "character references are not decoded"
    if re.search(r"[\\'{}+]", target):
        return "not markup: of a script"
    return "other: " + target[:60]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=384, help="MiB of each input; below 256 what is measured is the start of jobs")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the inputs are made, and found again (default: a temporary folder)")
    parser.add_argument("jobs", nargs="*", metavar="lines|texts|links")
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, urisieve {urisieve.__version__}, pyspark {pyspark.__version__}, {platform.machine()}")
    spark = sessions.session("local[2]", spark__driver__memory="3g")
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = given.folder or Path(name)
        folder.mkdir(exist_ok=True)
        for job, compared in [("lines", lines), ("texts", texts), ("links", compare_links)]:
            if not given.jobs or job in given.jobs:
                good &= compared(spark, folder, given.size, given.runs)
    spark.stop()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
