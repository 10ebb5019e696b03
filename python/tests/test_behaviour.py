"""How calls behave among others: wrong arguments, panics, Ctrl-C, forks, threads."""

import io
import multiprocessing
import os
import signal
import threading
import time

import pyarrow as pa
import pytest
import urisieve
from conftest import run


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"unknown": 1}, TypeError, "unknown"),
        ({"level": "loose"}, ValueError, "level"),
        ({"level": 3}, TypeError, "level"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": -1}, ValueError, "threads"),
        ({"threads": 10**30}, ValueError, "threads"),
        ({"threads": True}, TypeError, "threads"),
        ({"nested": 1}, TypeError, "nested"),
        ({"scheme": "ht tp"}, ValueError, "scheme"),
        ({"scheme": [1]}, TypeError, "scheme"),
        ({"host": "http://a.example/"}, ValueError, "host"),
        ({"nid": "!"}, ValueError, "nid"),
        ({"include": "("}, ValueError, "include"),
        ({"problem": "bad"}, ValueError, "bad-percent"),
        ({"redact": "@secret"}, ValueError, "redact: \"@secret\" is not a list; the list is @secrets"),
        ({"drop_param": "@trackng"}, FileNotFoundError, "trackng"),
        ({"drop_param": ["utm_*", "@" + os.devnull]}, ValueError, "drop_param: .*: neither rules of ClearURLs nor"),
        ({"nested": "base32"}, ValueError, "nested: \"base32\" is not one of percent, base64"),
        ({"max_length": "2X"}, ValueError, "max_length"),
        ({"max_length": "2G"}, ValueError, "max_length"),
        ({"wrap_limit": "8K,x"}, ValueError, "wrap_limit"),
        ({"wrap": "some"}, ValueError, "wrap"),
        ({"all": True, "count": True}, ValueError, "only one"),
        ({"by": "host"}, ValueError, "by"),
        ({"per": "record"}, ValueError, "per: only with count or groups"),
        ({"per": "row", "count": True}, ValueError, "per"),
        ({"field": "/a~2"}, ValueError, "field"),
        ({"field": [1]}, TypeError, "field"),
        ({"csv_column": "0"}, ValueError, "csv_column: columns are counted from 1"),
        ({"csv_column": 1}, TypeError, "csv_column"),
        ({"csv_delimiter": ",,"}, ValueError, "csv_delimiter"),
        ({"top": 1}, ValueError, "top"),
        ({"sort": True, "unordered": True}, ValueError, "unordered"),
        ({"status": "20"}, ValueError, "status"),
        ({"method": "GET /"}, ValueError, "method"),
        ({"since": "yesterday"}, ValueError, "since"),
        ({"until": "2026-13-01"}, ValueError, "until"),
        ({"zone": "CET"}, ValueError, "zone"),
        ({"requests": "none"}, ValueError, "requests"),
        ({"mime": "html"}, ValueError, "mime"),
        ({"base": "nope"}, ValueError, "base: .* absolute"),
        ({"glob": "{"}, ValueError, "glob"),
        ({"temp_dir": "/no/such"}, ValueError, "temp_dir"),
        ({"resolvers": "/no/such"}, OSError, "No such file"),
    ],
    ids=str,
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        urisieve.Extractor(**options)


@pytest.mark.parametrize("base", ["nope", "/rel", ""])
def test_a_base_is_absolute(base):
    page = "<a href=b>b</a>"
    for links in (urisieve.links, urisieve.Extractor().links):
        with pytest.raises(ValueError, match="base: .* absolute"):
            links(page, base=base)


def test_options_that_a_call_has_no_use_for():
    for options in [{"count": True}, {"sort": True}, {"label": "x"}]:
        with pytest.raises(ValueError, match="not with"):
            urisieve.find("x", **options)
        with pytest.raises(ValueError, match="not with"):
            urisieve.extract(pa.array(["x"]), **options)
    with pytest.raises(ValueError, match="file not with"):
        urisieve.extract("x", count=True, by="file")
    with pytest.raises(ValueError, match="not with"):
        urisieve.open(os.devnull, node="host")


def test_fields_of_data():
    lines = '{"a": "http://a.example/1", "b": ["http://b.example/", 1]}\n{"a": "http://a.example/2"}\n'
    assert urisieve.extract(lines, field="/a") == ["http://a.example/1", "http://a.example/2"]
    assert urisieve.extract(lines, field=["/b/*", "/c"]) == ["http://b.example/"]
    table = "id;url;more\n1;http://a.example/x,y;http://b.example/\n"
    for options in [{"field": "url"}, {"csv_column": "2"}, {"csv_column": ["url"], "csv_delimiter": ";"}]:
        assert urisieve.extract(table, **options) == ["http://a.example/x,y"]
        found = pa.table(urisieve.open(io.BytesIO(table.encode()), **options)).to_pylist()
        assert [(row["uri"], row["row"], row["field"]) for row in found] == [("http://a.example/x,y", 2, "url")]
    with pytest.raises(ValueError, match="csv_column: 1 texts lack a column"):
        urisieve.extract(table, csv_column="none")
    # Rows are texts of their own, of which some may lack a column.
    found = pa.array(urisieve.extract(pa.array([table, "x"]), csv_column="url")).to_pylist()
    assert [[uri["uri"] for uri in row] for row in found] == [["http://a.example/x,y"], []]


def test_uris_that_count_once_in_a_record():
    lines = b'["http://a.example/", "http://a.example/"]\n["http://a.example/"]\n'
    for options, count in [({}, 3), ({"per": "record"}, 2), ({"per": "file"}, 1)]:
        reader = urisieve.open(io.BytesIO(lines), input_format="json", count=True, **options)
        assert pa.table(reader)["count"].to_pylist() == [count]


def test_off_is_not_given():
    assert list(urisieve.find("x", count=False, label=None)) == []


def test_wrong_texts():
    for wrong in [None, 7, {}, object()]:
        for call in [urisieve.find, urisieve.extract, urisieve.normalize, urisieve.explain, urisieve.links]:
            with pytest.raises(TypeError, match="expected, not"):
                call(wrong)
    for call in [urisieve.find, urisieve.extract, urisieve.normalize]:
        with pytest.raises(UnicodeEncodeError) as raised:
            call("ab\ud800")
        assert raised.value.start == 2


def panics():
    """Whether this build has the texts that ask for a panic."""
    try:
        return urisieve.extract("fault-at-scan http://a.example/") is None
    except RuntimeError:
        return True


@pytest.mark.skipif(not panics(), reason="built without failpoints")
def test_a_panic_is_an_exception(capfd):
    for text in ["fault-at-scan http://a.example/", "x" * 2_000_000 + " fault-at-scan http://a.example/"]:
        with pytest.raises(RuntimeError, match="please report"):
            urisieve.extract(text)
        with pytest.raises(RuntimeError, match="please report"):
            list(urisieve.find(text))
        with pytest.raises(RuntimeError, match="please report"):
            urisieve.extract(pa.array(["http://a.example/", text]), threads=2)
        import io

        # Of several inputs only this one ends.
        for read in [list, pa.table]:
            found = urisieve.open(io.BytesIO(text.encode()))
            assert len(read(found)) == 0
            assert [loss["kind"] for loss in found.losses] == ["panic"]
    assert urisieve.extract("http://a.example/") == ["http://a.example/"]
    capfd.readouterr()


LONG = {
    "extract": "urisieve.extract(text, level='scheme')",
    "find": "sum(1 for _ in urisieve.find(text))",
    "rows": "urisieve.extract(rows)",
    "normalize": "urisieve.normalize(uris, level='scheme')",
    "open": "sum(1 for _ in urisieve.open(Endless()))",
    "table": "pyarrow.table(urisieve.open(Endless()))",
    # Their own error comes first, and what is caught is not that of Ctrl-C.
    "reader": "catch(pyarrow.RecordBatchReader.from_stream(urisieve.open(Endless(), all=True)).read_all)",
    "polars": "catch(lambda: polars.DataFrame(urisieve.open(Endless(), all=True)))",
    "duckdb": "catch(lambda: duckdb.sql('select count(*) from reader').fetchall())",
}


@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_ends_long_calls(call):
    code = f"""
        import os, signal, sys, threading, time
        import duckdb, polars, pyarrow, urisieve

        reads = 0

        class Endless:
            def read(self, size):
                global reads
                reads += 1
                return b"http://a.example/ \\n" * 1000

        if {call!r} in ["extract", "find"]:
            text = "HTTP://User@Bücher.example:80/%7e/../x \\n" * 6_000_000
        if {call!r} == "rows":
            rows = pyarrow.array(["HTTP://A.example:80/%7e/../x"] * 4_000_000)
        if {call!r} == "normalize":
            uris = pyarrow.array(["HTTP://User@Bücher.example:80/%7e/../x"] * 6_000_000)

        if {call!r} == "duckdb":
            reader = urisieve.open(Endless(), all=True)

        def catch(call):
            try:
                call()
            except Exception:
                pass
            except BaseException as error:
                # A panic of Polars 1.25 has the name of what ended the stream.
                if "KeyboardInterrupt" in str(error):
                    raise KeyboardInterrupt
                raise

        def interrupt():
            global begun
            time.sleep(0.3)
            # An interrupt while DuckDB looks for the reader is lost in it.
            while {call!r} == "duckdb" and not reads:
                time.sleep(0.01)
            begun = time.process_time()
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        try:
            {LONG[call]}
            # An exception that waits is raised in a call.
            time.sleep(0)
            print("done")
        except KeyboardInterrupt:
            # The work after the signal, whatever else this machine does.
            work = time.process_time() - begun
            print("interrupted" if work < 2 else "late", work)
            sys.exit(0)
    """
    ran = run(code)
    assert ran.stdout.startswith("interrupted"), (ran.stdout, ran.stderr)


def test_an_exception_of_a_stream_is_raised_as_it_is():
    """Consumers of streams know only their own errors."""

    class Late(BaseException):
        pass

    def late(*_):
        raise Late("late")

    class Endless:
        def read(self, size):
            return b"http://a.example/ \n" * 1000

    before = signal.signal(signal.SIGALRM, late)
    try:
        for read in [pa.table, lambda reader: list(pa.RecordBatchReader.from_stream(reader))]:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(Late):
                read(urisieve.open(Endless(), all=True))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_lock_is_released():
    text = "HTTP://User@A.example:80/%7e/../x \n" * 1_000_000
    counted = [0]
    going = [True]

    def count():
        while going[0]:
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    urisieve.extract(text, level="scheme")
    after = counted[0]
    going[0] = False
    thread.join()
    assert after - before > 1000


def test_many_threads_at_once():
    text = "".join(f"http://a{n}.example/ " for n in range(20_000))
    wanted = urisieve.extract(text)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(urisieve.extract(text, threads=2))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [wanted] * 8


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
@pytest.mark.parametrize(
    "call", [urisieve.extract, urisieve.normalize, lambda x, **options: urisieve.UriSet(**options).add_from(x)], ids=["extract", "normalize", "UriSet"]
)
def test_threads_work(call):
    column = pa.array(["http://a.example/x%7e"] * 500_000)

    def most(threads):
        """The most threads that are there at a time in a call."""
        seen = 0
        caller = threading.Thread(target=lambda: call(column, threads=threads))
        caller.start()
        while caller.is_alive():
            seen = max(seen, len(os.listdir("/proc/self/task")))
        return seen

    alone = max(most(1) for _ in range(5))
    # On a busy machine a thread may end before it is seen.
    assert any(most(3) > alone for _ in range(200))


def work(n):
    column = pa.array([f"HTTP://A{n}.example/ {'x' * 1000}"] * 5000)
    found = urisieve.extract(column, threads=2).to_pylist()
    return len(found), found[0][0]["uri"]


def test_after_a_fork():
    work(0)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        assert pool.map(work, range(4)) == [(5000, f"http://a{n}.example/") for n in range(4)]


def test_a_reader_in_another_process():
    import io

    reader = urisieve.open(io.BytesIO(b"http://a.example/ \n" * 100_000), all=True)
    next(reader)
    child = os.fork()
    if child == 0:
        try:
            next(reader)
            code = 1
        except RuntimeError:
            code = 0
        del reader
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert sum(batch.num_rows for batch in reader) > 0


def test_the_end_of_the_interpreter():
    """A reader that nobody closes does not keep the process, nor break it."""
    code = """
        import io, urisieve
        class Endless:
            def read(self, size):
                return b"http://a.example/ \\n" * 1000
        reader = urisieve.open(Endless(), all=True)
        next(reader)
        matches = urisieve.find("http://a.example/ " * 100000)
        next(matches)
    """
    ran = run(code)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_reader_is_for_one_thread_at_a_time():
    import io

    class Slow(io.BytesIO):
        def read(self, size):
            time.sleep(0.5)
            return super().read(size)

    reader = urisieve.open(Slow(b"http://a.example/"))
    batches = []
    thread = threading.Thread(target=lambda: batches.extend(reader))
    thread.start()
    time.sleep(0.2)
    with pytest.raises(ValueError, match="in use"):
        next(reader)
    thread.join()
    assert len(batches) == 1


def test_signals_of_the_program_are_handled():
    """A handler that does not raise does not end the call."""
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        text = "HTTP://User@Bücher.example:80/%7e/../x \n" * 500_000
        assert len(urisieve.extract(text, level="scheme")) == 1
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [1]
