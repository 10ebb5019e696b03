"""`open`: the rows of `urisieve --json` for every kind of input, and damage as losses."""

import gzip
import io
import json
import os
import subprocess
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import urisieve

TEXT = (
    b"see HTTP://A.example/b <URL:http://c.example/one-\n  two> urn:isbn:0395363411\n"
    b"http://d.example/100% http://e.example/x{y http://A.example/b\n"
)
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: </n>; rel=next\r\n\r\n<a rel=nofollow href=q>"
WARC = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: http://a.example/\r\n"
    b"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n" % len(HTTP)
    + HTTP
    + b"\r\n\r\n"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.warc.gz").write_bytes(gzip.compress(WARC))
    (tmp_path / "c.html").write_bytes(b"<html><base href='http://f.example/'><a href='g'>")
    (tmp_path / "d.utf16").write_bytes("http://ü.example/ß".encode("utf-16"))
    return tmp_path


def rows(reader):
    return [row for batch in reader for row in batch.to_pylist()]


def flat(record):
    """A record of JSON with the keys of its objects after a dot."""
    values = {}
    for key, value in record.items():
        if isinstance(value, dict):
            values.update({f"{key}.{inner}": part for inner, part in value.items()})
        else:
            values[key] = value
    return values


def by_program(program, *args):
    ran = subprocess.run([program, *args], stdout=subprocess.PIPE)
    return [flat(json.loads(line)) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"all": True},
        {"level": "scheme", "sort": True},
        {"count": True, "top": 3},
        {"problem": "bad-percent,cut"},
        {"scheme": ["http"], "exclude": ["100"]},
        {"hyphen": "both", "nested": True},
        {"by": "host", "count": True},
        {"status": "2xx", "all": True},
        {"since": "2026-01-01", "until": "2026-01-02", "zone": "+00:00"},
        {"count": True, "requests": "also"},
        {"max_memory": 1},
        {"redact": True, "strip_fragment": True, "max_count": 1},
    ],
    ids=str,
)
def test_rows_are_those_of_the_command(program, folder, options):
    flags = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if name == "max_memory":
            continue
        if value is True:
            flags.append(flag)
        else:
            values = value if isinstance(value, list) else [str(value)]
            flags += [part for one in values for part in (flag, one)]
    reader = urisieve.open(folder, **options)
    wanted = by_program(program, "--json", *flags, str(folder))
    found = rows(reader)
    wanted = [{key: value for key, value in row.items() if value is not None} for row in wanted]
    assert found == wanted and wanted
    assert reader.losses == []


LOG = b"""\
a.example:80 192.0.2.1 - - [04/Oct/2026:23:59:59 +0000] "GET /x HTTP/1.1" 200 2 "http://r.example/" "-"
a.example:80 192.0.2.2 - - [06/Oct/2026:01:00:00 +0200] "POST /x HTTP/1.1" 404 2 "-" "+http://bot.example/"
"""


@pytest.mark.parametrize(
    "options",
    [
        {"all": True},
        {"requests": "only", "status": "4xx"},
        {"count": True, "method": ["get", "post"]},
        {"count": True, "by": "hour"},
        {"since": "2026-10-05", "zone": "+01:00"},
        {"redact": "client"},
    ],
    ids=str,
)
def test_requests_of_logs(program, tmp_path, options):
    path = tmp_path / "a.log"
    path.write_bytes(LOG)
    flags = []
    for name, value in options.items():
        values = value if isinstance(value, list) else [value]
        if name == "redact":
            flags.append(f"--redact={value}")
        elif value is True:
            flags.append("--" + name)
        else:
            flags += [part for one in values for part in ("--" + name, one)]
    found = [{key: value for key, value in row.items() if value is not None} for row in rows(urisieve.open(path, **options))]
    if "by" in options:
        ran = subprocess.run([program, *flags, str(path)], stdout=subprocess.PIPE, text=True)
        wanted = [line.split("\t") for line in ran.stdout.splitlines()]
        found = [[str(row["count"]), row["hour"]] for row in found]
    else:
        wanted = by_program(program, "--json", *flags, str(path))
    assert found == wanted and wanted


def test_a_text_is_a_log_where_requests_are_asked_for():
    target, bot = "http://a.example/x", "http://bot.example/"
    assert urisieve.extract(LOG.decode()) == ["http://r.example/", bot]
    assert urisieve.extract(LOG.decode(), requests="only") == [target]
    assert urisieve.extract(LOG, status="404") == [target.encode(), bot.encode()]
    assert urisieve.extract(LOG, count=True, by="method") == [b"GET", b"POST"]


def test_rows_are_logs_where_requests_are_asked_for(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(LOG)
    names = ["uri", "original", "offset", "length", "kind", *(f"request.{name}" for name in ("part", "method", "status", "time", "client"))]
    lines = LOG.splitlines(keepends=True)
    for threads in (1, 3):
        found = urisieve.extract(pa.array([LOG, None, b"", *lines * 50]), requests="also", all=True, threads=threads).to_pylist()
        wanted = [{name: row[name] for name in names} for row in rows(urisieve.open(path, all=True))]
        shown = [{**row, "uri": row["uri"].decode(), "original": row["original"].decode()} for row in found[0]]
        assert shown == wanted and found[1:3] == [None, []]
        assert [row["request.status"] for one in found[3:] for row in one] == [200, 200, 404, 404] * 50
    line = '192.0.2.1 - - [04/Oct/2026:23:59:59 +0000] "GET /x HTTP/1.1" 200 2'
    [[row]] = urisieve.extract(pa.array([line]), requests="only", base="https://b.example/").to_pylist()
    assert (row["uri"], row["original"], row["request.part"]) == ("https://b.example/x", "/x", "target")
    with pytest.raises(ValueError, match="not with"):
        urisieve.extract(pa.array(["x"]), base="https://b.example/")
    with pytest.raises(ValueError, match="not with"):
        urisieve.extract(pa.array(["x"]), requests="only", sort=True)


def test_spellings_have_rows(program, folder):
    found = rows(urisieve.open(folder / "a.txt", groups=True))
    wanted = by_program(program, "--groups", "--json", str(folder / "a.txt"))
    spellings = [(row["uri"], one["original"], one["count"]) for row in wanted for one in row["spellings"]]
    assert [(row["uri"], row["original"], row["count"]) for row in found] == spellings


@pytest.mark.parametrize("options", [{}, {"node": "host"}, {"nofollow": "mark"}, {"count": True}], ids=str)
def test_links(program, folder, options):
    flags = []
    for name, value in options.items():
        flags += ["--" + name] if value is True else ["--" + name, value]
    path = str(folder / "b.warc.gz")
    found = rows(urisieve.open(path, links=True, **options))
    assert found == by_program(program, "links", "--json", *flags, path) and found


SHAPES = [
    {}, {"all": True}, {"groups": True}, {"count": True}, {"redact": True}, {"links": True}, {"links": True, "nofollow": "mark"},
    {"links": True, "nofollow": "drop"}, {"links": True, "count": True}, {"links": True, "node": "host"},
]


@pytest.mark.parametrize("options", SHAPES, ids=str)
def test_fields_are_the_columns_that_are_asked_for(folder, options):
    """Each column alone, pairs, and all in another order have the values that they have among all."""
    files = [folder / name for name in sorted(os.listdir(folder))]
    whole = pa.table(urisieve.open(files, threads=1, **options))
    names = whole.column_names
    choices = [[name] for name in names] + [list(pair) for pair in zip(names, names[2:])] + [names[::-1], tuple(names)]
    for chosen in choices:
        reader = urisieve.open(files, threads=1, fields=chosen, **options)
        assert reader.column_names == list(chosen)
        assert pa.table(reader).equals(whole.select(chosen)), chosen
    extractor = urisieve.Extractor(threads=1, **options)
    assert pa.table(extractor.open(files, fields=names[:2])).equals(whole.select(names[:2]))


@pytest.mark.parametrize("options", SHAPES, ids=str)
def test_fields_without_an_order(folder, options):
    """What is not wanted may be left out early: the rows are the same."""
    many = folder / "many.warc"
    links = b"".join(b"<a href='/%d'>%d</a>" % (at % 700, at) for at in range(2000))
    http = HTTP + links
    head = WARC[: WARC.index(b"Content-Length")]
    many.write_bytes(b"".join(head.replace(b"a.example", b"%d.example" % at) + b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(http), http) for at in range(9)))
    files = [folder / name for name in sorted(os.listdir(folder))]
    fields = ["s", "t"] if options.get("links") else ["uri"]
    wanted = sorted(zip(*pa.table(urisieve.open(files, threads=1, **options)).select(fields).to_pydict().values()))
    assert len(wanted) > (5 if options.get("node") else 600)
    for threads in (1, 2):
        for memory in (None, "2M"):
            reader = urisieve.open(files, threads=threads, unordered=True, max_memory=memory, fields=fields, **options)
            assert sorted(zip(*pa.table(reader).to_pydict().values())) == wanted, (threads, memory)


def test_fields_that_are_not_there(folder):
    for fields, options, error, words in [
        (["uri", "s"], {}, ValueError, '"s" is not one of uri, '),
        (["uri"], {"links": True}, ValueError, '"uri" is not one of s, t, '),
        (["path"], {"links": True, "node": "host"}, ValueError, '"path" is not one of s, t$'),
        (["uri", "host", "uri"], {}, ValueError, '"uri" is there twice'),
        (["host"], {"count": True, "by": "host"}, ValueError, "fields: not with by"),
        ([], {}, ValueError, "fields: at least one"),
        ("uri", {}, TypeError, "fields"),
        ([1], {}, TypeError, "fields"),
    ]:
        with pytest.raises(error, match=words):
            urisieve.open(folder, fields=fields, **options)


def test_what_is_known_is_left_out(program, folder):
    known = folder / "known"
    known.mkdir()
    (known / "one.txt").write_bytes(b"http://A.example/b urn:isbn:0395363411")
    path = folder / "a.txt"
    found = rows(urisieve.open(path, against=known))
    assert found == by_program(program, "--json", "--against", str(known), str(path))
    assert found and "http://a.example/b" not in [row["uri"] for row in found]
    assert rows(urisieve.open(path, against=[known / "one.txt", str(path)])) == []
    with pytest.raises(FileNotFoundError):
        urisieve.open(path, against="missing")
    with pytest.raises(ValueError, match="against"):
        urisieve.open(path, against=known, all=True)
    (known / "table.parquet").write_bytes(b"PAR1....PAR1")
    with pytest.raises(ValueError, match="table"):
        urisieve.open(path, against=known)


def test_types_of_columns(folder):
    reader = urisieve.open(folder / "a.txt")
    table = pa.table(reader)
    table.validate(full=True)
    types = dict(zip(table.schema.names, table.schema.types))
    assert types["uri"] == pa.string() and types["offset"] == pa.int64()
    assert types["url_prefix"] == pa.bool_() and types["problems"] == pa.list_(pa.string())
    assert reader.column_names == table.schema.names
    assert not table.schema.field("uri").nullable and table.schema.field("host").nullable


def test_sources(folder):
    wanted = rows(urisieve.open(folder / "a.txt"))
    path = str(folder / "a.txt")
    assert rows(urisieve.open(path)) == wanted
    with open(path, "rb") as file:
        assert rows(urisieve.open(file)) == wanted
    with open(path, encoding="utf-8", newline="") as file:
        assert rows(urisieve.open(file)) == wanted
    named = [dict(row, file="x") for row in wanted]
    assert rows(urisieve.open(io.BytesIO(TEXT), label="x")) == named
    several = rows(urisieve.open([path, io.BytesIO(b"http://new.example/"), folder / "c.html"], all=True))
    assert list(dict.fromkeys(row["file"] for row in several))[1:] == ["(file object)", str(folder / "c.html")]
    packed = io.BytesIO(gzip.compress(TEXT))
    assert [row["uri"] for row in rows(urisieve.open(packed))] == [row["uri"] for row in wanted]


def test_tables_of_parquet(program, tmp_path):
    path = tmp_path / "t.parquet"
    links = ["HTTP://a.example/x", None, "http://b.example/f."]
    pq.write_table(pa.table({"id": [1, 2, 3], "link": links, "note": ["see http://n.example/"] * 3}), path)
    for options, flags in [({}, []), ({"field": "link"}, ["--field", "link"]), ({"input_format": "parquet"}, ["-i", "parquet"])]:
        found = rows(urisieve.open(path, all=True, **options))
        assert found == by_program(program, "--json", "--all", *flags, str(path))
        assert [row["row"] for row in found if row["field"] == "link"] == [2, 4]


def test_pipes():
    read, write = os.pipe()

    def feed():
        with os.fdopen(write, "wb") as out:
            for n in range(2000):
                out.write(b"http://a.example/%d\n" % n)

    thread = threading.Thread(target=feed)
    thread.start()
    with os.fdopen(read, "rb") as file:
        assert len(rows(urisieve.open(file))) == 2000
    thread.join()


def test_damage_is_a_loss(folder):
    packed = gzip.compress(TEXT * 1000)
    path = folder / "damaged.gz"
    path.write_bytes(packed[:-9] + b"\0" * 9)
    reader = urisieve.open(path)
    assert [row["uri"] for row in rows(reader)][0] == "http://a.example/b"
    [loss] = reader.losses
    assert loss["file"] == str(path) and loss["kind"] in ["suspect", "damaged", "truncated"]
    reader = urisieve.open(io.BytesIO(b"http://a.example/ http://" + b"x" * 100_000))
    assert len(rows(reader)) == 1
    assert [(loss["kind"], loss["offset"]) for loss in reader.losses] == [("too-long", 18)]


def test_a_file_object_that_fails_is_a_loss():
    class Failing:
        def __init__(self, error):
            self.error = error
            self.reads = 0

        def read(self, size):
            self.reads += 1
            if self.reads == 1:
                return b"http://a.example/ "
            raise self.error

    reader = urisieve.open([Failing(OSError("gone")), io.BytesIO(b"http://b.example/")])
    assert [row["uri"] for row in rows(reader)] == ["http://a.example/", "http://b.example/"]
    [loss] = reader.losses
    assert loss["kind"] == "read" and "gone" in loss["cause"] and loss["offset"] == 18
    with pytest.raises(KeyboardInterrupt):
        rows(urisieve.open(Failing(KeyboardInterrupt())))

    class Odd:
        def read(self, size):
            return 7

    reader = urisieve.open(Odd())
    assert rows(reader) == [] and "int" in reader.losses[0]["cause"]


def test_what_cannot_be_opened(folder):
    with pytest.raises(FileNotFoundError) as raised:
        urisieve.open(folder / "missing")
    assert raised.value.filename == str(folder / "missing")
    for wrong in [7, None, b"x", {}]:
        with pytest.raises(TypeError):
            urisieve.open(wrong)
    os.symlink("missing", folder / "link")
    assert rows(urisieve.open(folder, follow=True, all=True))


def test_closing():
    reader = urisieve.open(io.BytesIO(b"http://a.example/ \n" * 500_000), all=True)
    next(reader)
    reader.close()
    reader.close()
    assert list(reader) == []
    with urisieve.open(io.BytesIO(b"http://a.example/")) as reader:
        pass
    assert list(reader) == []
    for _ in range(20):
        urisieve.open(io.BytesIO(b"http://a.example/ \n" * 50_000), all=True)


def test_many_batches_in_order():
    data = b"".join(b"http://a.example/%d\n" % n for n in range(100_000))
    for options in [{}, {"threads": 2}, {"max_memory": 1 << 20}]:
        batches = list(urisieve.open(io.BytesIO(data), **options))
        assert len(batches) > 3
        found = [row["uri"] for batch in batches for row in batch.to_pylist()]
        assert found == ["http://a.example/%d" % n for n in range(100_000)]


def test_classes_know_the_number_of_their_inputs(tmp_path):
    for name, text in [("a", "http://a.example/ http://a.example/ http://b.example/"), ("b", "http://a.example/")]:
        (tmp_path / name).write_text(text)
    paths = [tmp_path / "a", tmp_path / "b"]
    for options in [{}, {"fields": ["uri", "count", "sources"]}, {"max_memory": "64M"}]:
        found = pa.table(urisieve.open(paths, count=True, **options)).to_pylist()
        assert [(row["uri"], row["count"], row["sources"]) for row in found] == [("http://a.example/", 3, 2), ("http://b.example/", 1, 1)]
    assert pa.table(urisieve.open(paths))["sources"].to_pylist() == [None, None]


LINE = b"see <http://a.example/\n  %07d> and urn:isbn:0395363411\n"


def _ranged(source, bounds, **options):
    """Reads the ranges between `bounds`; returns their rows and losses."""
    rows, losses = [], []
    for start, end in zip([0, *bounds], [*bounds, None]):
        with urisieve.open(source(), byte_range=(start, end), all=True, **options) as reader:
            rows += [(row["uri"], row["offset"]) for batch in reader for row in batch.to_pylist()]
        losses += reader.losses
    return rows, losses


class _Halting(io.RawIOBase):
    """A file of which each call reads a little."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def seekable(self):
        return True

    def seek(self, *args):
        return self.file.seek(*args)

    def read(self, size=-1):
        return self.file.read(min(size, 40_000))


def test_ranges_have_together_what_the_file_has(tmp_path):
    data = b"".join(LINE % number for number in range(60_000))
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with urisieve.open(path, all=True) as reader:
        whole = [(row["uri"], row["offset"]) for batch in reader for row in batch.to_pylist()]
    assert len(whole) == 120_000
    bounds = [1_000_000, 1_200_001, 2_500_000]
    for source in (lambda: path, lambda: io.BytesIO(data), lambda: open(path, "rb"), lambda: _Halting(data)):
        for threads in (1, 2):
            assert _ranged(source, bounds, threads=threads) == (whole, [])
    # What can only be read from its start belongs to the range at 0.
    packed = gzip.compress(data)
    assert _ranged(lambda: io.BytesIO(packed), bounds) == (whole, [])
    assert _ranged(lambda: io.StringIO(data.decode()), bounds) == (whole, [])
    with urisieve.open(path, byte_range=(1 << 20, None), fields=["uri"]) as reader:
        assert reader.column_names == ["uri"]
        found = sum(len(batch.to_pylist()) for batch in reader)
    assert 10_000 < found < 60_000


def test_wrong_ranges(tmp_path):
    (tmp_path / "a").write_bytes(b"http://a.example/")
    (tmp_path / "b").write_bytes(b"http://b.example/")
    for wrong in ((2, 1), (-1, 2), (0, -1), "ab", 7, (1,), (1, 2, 3), ("a", None)):
        with pytest.raises((TypeError, ValueError), match="byte_range|out of range"):
            urisieve.open(tmp_path / "a", byte_range=wrong)
    for several in (tmp_path, [tmp_path / "a", tmp_path / "b"]):
        with pytest.raises(ValueError, match="byte_range: only with one file"):
            urisieve.open(several, byte_range=(0, None))

    class Broken(io.BytesIO):
        def seek(self, *args):
            raise OSError("no such place")

    with pytest.raises(OSError, match="no such place"):
        urisieve.open(Broken(b"http://a.example/"), byte_range=(0, None))

    class Breaking(io.BytesIO):
        place = 0

        def seek(self, place, *how):
            self.place = place
            return super().seek(place, *how)

        def read(self, size=-1):
            if size > 0 and self.place >= 2_000_000:
                raise OSError("worn out")
            return super().read(size)

    data = b"".join(LINE % number for number in range(60_000))
    rows, losses = _ranged(lambda: Breaking(data), [1 << 20])
    assert 50_000 < len(rows) < 120_000
    assert [loss["kind"] for loss in losses] == ["read"]
    assert "worn out" in losses[0]["cause"]
