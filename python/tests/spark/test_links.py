"""`links` on Spark: the command's links of 200 files, losses as rows, each file read once."""

import functools
import gzip
import json
import subprocess

import fsspec
import openers
import pytest
from urisieve.spark import links
from urisieve.spark.archives import PAIR, link_options
from urisieve.spark.files import FilePart, read_file


def by_program(program, paths, *flags):
    """The union of the links that the program prints of each file."""
    union = set()
    for path in paths:
        ran = subprocess.run([program, "links", *flags, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        union.update(tuple(line.split("\t")) for line in ran.stdout.decode().splitlines())
    return union


def pairs_of(table):
    rows = [tuple(row) for row in table.collect()]
    assert len(rows) == len(set(rows))
    return set(rows)


@pytest.mark.parametrize("options", [{}, {"node": "host", "mentions": True}, {"nofollow": "drop"}], ids=str)
def test_links_are_the_union_of_the_command(spark, program, crawl, options):
    flags = [part for name, value in options.items() for part in ([f"--{name}"] if value is True else [f"--{name}", value])]
    pairs, losses = links(spark, crawl, tasks=16, **options)
    wanted = by_program(program, crawl, *flags)
    assert len(crawl) == 200 and len(wanted) > 2000
    assert pairs_of(pairs) == wanted and losses.collect() == []


@pytest.mark.parametrize("level", ["none", "lexical", "scheme"])
def test_control_characters_stay_encoded(spark, tmp_path, level):
    """A page and targets that are written with NUL."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href='c\0d'><a href='http://e.example/\0g'><a href='/f'>"
    warc = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/x\0y\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
    (tmp_path / "a.warc").write_bytes(warc % (len(http), http))
    pairs, _ = links(spark, [str(tmp_path / "a.warc")], level=level)
    page = "http://a.example/x%00y"
    assert pairs_of(pairs) == {(page, "http://a.example/c%00d"), (page, "http://e.example/%00g"), (page, "http://a.example/f")}


@pytest.fixture
def damaged(tmp_path, crawl):
    """Files that are damaged, cut, empty, something else, or missing, among others."""
    with open(crawl[0], "rb") as file:
        packed = file.read()
    (tmp_path / "cut.warc.gz").write_bytes(packed[: len(packed) * 2 // 3])
    middle = len(packed) // 2
    (tmp_path / "damaged.warc.gz").write_bytes(packed[:middle] + bytes(60) + packed[middle + 60 :])
    (tmp_path / "empty.warc.gz").write_bytes(b"")
    (tmp_path / "noise.warc.gz").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "ended.warc").write_bytes(gzip.decompress(packed)[:-900])
    (tmp_path / "secret.warc").mkdir()
    names = ["cut.warc.gz", "damaged.warc.gz", "empty.warc.gz", "noise.warc.gz", "ended.warc", "secret.warc"]
    return [str(tmp_path / name) for name in names], str(tmp_path / "missing.warc.gz")


def test_damage_is_a_table(spark, program, crawl, damaged, tmp_path):
    files, missing = damaged
    pairs, losses = links(spark, [*files, missing, *crawl[1:9]])
    assert pairs_of(pairs) == by_program(program, [*files, *crawl[1:9]])
    rows = losses.collect()
    wanted = set()
    for file in files:
        report = tmp_path / "losses.jsonl"
        report.unlink(missing_ok=True)
        subprocess.run([program, "links", "--errors", str(report), file], capture_output=True)
        lines = report.read_text().splitlines() if report.exists() else []
        wanted |= {(loss["file"], loss.get("offset")) for loss in map(json.loads, lines)}
    assert {(row.file, row.offset) for row in rows if row.file != missing} == wanted and wanted
    [absent] = [row for row in rows if row.file == missing]
    assert absent.kind == "open" and absent.offset is None and "No such file" in absent.cause


def test_both_tables_cost_one_reading(spark, crawl, tmp_path):
    opener = functools.partial(openers.noting_in, str(tmp_path))
    tables = links(spark, crawl[:20], opener=opener, tasks=4)
    pairs, losses = tables
    assert openers.opened(tmp_path) == []
    count = pairs.count()
    assert losses.count() == 0 and pairs.count() == count > 0
    assert sorted(openers.opened(tmp_path)) == crawl[:20]
    tables.unpersist()
    assert tables.links.count() == count and tables.losses.count() == 0
    assert len(openers.opened(tmp_path)) > 20
    unkept = links(spark, crawl[:20], persist=False)
    assert unkept.links.count() == count and unkept.read is None


def test_openers(spark, crawl, tmp_path):
    wanted = pairs_of(links(spark, crawl[:6]).links)
    urls = [f"file://{path}" for path in crawl[:6]]
    assert pairs_of(links(spark, urls).links) == wanted
    for opener in [fsspec.open, functools.partial(fsspec.open, mode="rb"), fsspec.filesystem("file").open, str]:
        assert pairs_of(links(spark, crawl[:6], opener=opener).links) == wanted
    # Schemes are those of fsspec.
    assert pairs_of(links(spark, [f"local://{path}" for path in crawl[:6]]).links) == wanted
    [loss] = links(spark, ["local:///missing"]).losses.collect()
    assert loss.file == "local:///missing" and loss.kind == "open"


def test_a_connection_that_breaks_is_a_loss(spark, crawl, tmp_path):
    broken = tmp_path / "broken.warc"
    with open(crawl[1], "rb") as file:
        broken.write_bytes(file.read())
    pairs, losses = links(spark, [str(broken), *crawl[2:4]], opener=openers.failing)
    rows = losses.collect()
    assert {row.file for row in rows} == {str(broken)}
    [loss] = [row for row in rows if row.kind == "read"]
    assert loss.offset == 1400 and "reset" in loss.cause
    assert pairs.count() > 0


def test_a_missing_package_is_an_error(spark):
    with pytest.raises(Exception, match="ImportError|ModuleNotFoundError|Install"):
        links(spark, ["gs://bucket/key"]).links.count()


def test_what_fails_in_a_file_is_of_that_file():
    def opener(path):
        raise KeyError("no credentials")

    losses = []
    assert list(read_file(FilePart("s3://a/b"), PAIR.names, opener, link_options({}), losses)) == []
    assert losses == [{"file": "s3://a/b", "offset": None, "kind": "open", "cause": "KeyError: 'no credentials'"}]


def test_pages_without_a_name_have_that_of_the_path(spark, tmp_path):
    (tmp_path / "page.html").write_text("<html><a href='http://a.example/b'>")
    path = str(tmp_path / "page.html")
    for opener in [None, fsspec.open]:
        assert pairs_of(links(spark, [path], opener=opener).links) == {(path, "http://a.example/b")}


def test_one_thread_and_a_limit_of_memory():
    plain = link_options({"node": "host"})
    assert plain["threads"] == 1 and plain["max_memory"] == "512M"
    assert link_options({"max_memory": "64M"})["max_memory"] == "64M"


@pytest.mark.parametrize("wrong", [{"all": True}, {"count": True}, {"nofollow": "mark"}, {"label": "x"}, {"node": "no"}, {"sort": True}], ids=str)
def test_options_that_make_no_sense(spark, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        links(spark, [], **wrong)


def test_no_files(spark):
    pairs, losses = links(spark, [])
    assert pairs.collect() == losses.collect() == []
