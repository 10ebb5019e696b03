"""Stores of what was seen before: answers, commits, other processes, kills and damage."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pyarrow as pa
import pytest
import urisieve
from conftest import run

URLS = ["http://a.example/", "HTTP://A.example:80", "urn:a-b:c", None, "n/a", " n/a "]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "seen.store"


def seen(path, values, **options):
    with urisieve.Seen(path, read_only=True, **options) as store:
        return list(store.contains(values))


def test_what_is_new_and_what_was_seen(path):
    with urisieve.Seen(path, level="scheme") as store:
        assert len(store) == 0 and repr(store) == f"<urisieve.Seen {str(path)!r}>"
        assert list(store.contains(URLS)) == [False, False, False, None, False, False]
        # The first of equal ones is new, and asking notes nothing.
        for _ in range(2):
            assert list(store.new(URLS)) == [True, False, True, None, True, False]
        assert store.add(URLS[:2]) == 1 and store.add(URLS) == 2 and store.add(URLS) == 0
        assert list(store.new(URLS)) == [False, False, False, None, False, False]
        assert list(store.contains(URLS)) == [True, True, True, None, True, True]
        assert store.new("http://a.example") is False and store.contains(b"http://a.example") is True
        assert store.new("http://b.example") is True and len(store) == 3
    # The rules are those of the store.
    with urisieve.Seen(path) as store:
        assert store.contains("http://A.example:80/") and len(store) == 3
        assert store.commit() == 0
        assert store.add("http://b.example") == 1 and store.commit() == 1 and store.add("http://b.example/") == 0
    assert seen(path, ["http://b.example", "http://c.example"]) == [True, False]


def test_columns_of_every_kind(path, kind):
    from conftest import column, is_binary

    values = ["http://a.example/", None, "HTTP://a.example/", "urn:a-b:c"]
    array = column(values, kind)
    with urisieve.Seen(path) as store:
        assert pa.array(store.new(array)).equals(pa.array([True, None, False, True]))
        chunks = pa.chunked_array([array[:1], array[1:]])
        answer = pa.chunked_array(store.new(chunks))
        assert answer.num_chunks == 2 and answer.to_pylist() == [True, None, False, True]
        assert store.add(chunks) == 2
    if is_binary(kind):
        assert seen(path, [b"http://A.example/"]) == [True]
    assert seen(path, iter(values)) == [True, None, True, True]
    assert list(urisieve.Seen(path, read_only=True).contains([])) == []


def test_what_is_not_a_uri(path):
    with urisieve.Seen(path) as store:
        assert list(store.new(URLS, errors="null")) == [True, True, True, None, None, None]
        assert store.new("n/a", errors="null") is None
        assert store.add(URLS, errors="null") == 3 and len(store) == 3
        with pytest.raises(ValueError, match="row 4: not a URI"):
            store.add(URLS, errors="raise")
        with pytest.raises(ValueError, match="a key of|longest that a store takes"):
            store.add("urn:a-b:" + "c" * (17 << 20))


def test_nothing_is_remembered_without_a_commit(path):
    with pytest.raises(KeyError):
        with urisieve.Seen(path) as store:
            store.add("http://a.example/")
            store.commit()
            store.add("http://b.example/")
            raise KeyError
    store = urisieve.Seen(path)
    assert list(store.contains(["http://a.example/", "http://b.example/"])) == [True, False]
    store.add("http://c.example/")
    store.close()
    store.close()
    for call in [lambda: store.add("x"), lambda: store.commit(), lambda: store.new(["x"]), lambda: len(store)]:
        with pytest.raises(ValueError, match="the store is closed"):
            call()
    assert seen(path, ["http://c.example/"]) == [False]


def test_errors_are_named(path, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no store"):
        urisieve.Seen(path, read_only=True)
    urisieve.Seen(path, level="scheme", strip_www=True).close()
    with pytest.raises(ValueError, match="other settings: level is scheme there and syntax here; strip-www is on there"):
        urisieve.Seen(path, level="syntax")
    with urisieve.Seen(path, read_only=True) as store:
        with pytest.raises(ValueError, match="read_only: nothing can be added"):
            store.add("http://a.example/")
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").write_text("")
    with pytest.raises(ValueError, match="is not empty and is not a store"):
        urisieve.Seen(other)
    with pytest.raises(OSError, match="No such file"):
        urisieve.Seen(tmp_path / "a" / "b")
    for options, error, message in [
        ({"host": "a.example"}, ValueError, "host: not with Seen"),
        ({"all": True}, ValueError, "all: not with Seen"),
        ({"note": 7}, TypeError, "note: a str"),
        ({"note": "x", "read_only": True}, ValueError, "note: not with read_only"),
        ({"wait": "1"}, TypeError, "wait: "),
        ({"nolevel": 1}, TypeError, "there is no option nolevel"),
    ]:
        with pytest.raises(error, match=message):
            urisieve.Seen(path, **options)
    with pytest.raises(TypeError, match="path: a path"):
        urisieve.Seen(7)


def test_one_process_writes(path):
    with urisieve.Seen(path) as store:
        store.add("http://a.example/")
        store.commit()
        # In this process and in another one.
        with pytest.raises(BlockingIOError, match=f"process {os.getpid()} writes to the store"):
            urisieve.Seen(path)
        other = run("import sys, urisieve; urisieve.Seen(sys.argv[1])".replace("sys.argv[1]", repr(str(path))))
        assert f"BlockingIOError: {path}" in other.stderr and f"process {os.getpid()}" in other.stderr
        reading = urisieve.Seen(path, read_only=True)
        store.add("http://b.example/")
    # A reader keeps the state that it has opened.
    assert list(reading.contains(["http://a.example/", "http://b.example/"])) == [True, False]
    waiting = f"import urisieve\nwith urisieve.Seen({str(path)!r}, wait=30) as store: store.add('http://c.example/')"
    with urisieve.Seen(path):
        process = subprocess.Popen([sys.executable, "-c", waiting])
        time.sleep(0.5)
        assert process.poll() is None
    assert process.wait(timeout=60) == 0
    assert seen(path, ["http://b.example/", "http://c.example/"]) == [True, True]


def test_ctrl_c_ends_the_wait(path):
    code = f"""
        import os, signal, threading, urisieve
        threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
        try:
            urisieve.Seen({str(path)!r}, wait=3600)
        except KeyboardInterrupt:
            print("interrupted")
    """
    with urisieve.Seen(path):
        assert run(code).stdout == "interrupted\n"


def test_two_processes_share_a_store(path):
    """Each adds its own and the common URLs, many times; all of them are there, each once."""
    code = """
        import sys, urisieve
        at = int(sys.argv[1]); new = 0
        for turn in range(12):
            with urisieve.Seen(sys.argv[2], wait=60) as store:
                new += store.add([f"http://{at}.example/{turn}", f"http://common.example/{turn}"])
        print(new)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    tasks = [subprocess.Popen([*command, str(at), str(path)], stdout=subprocess.PIPE) for at in range(2)]
    assert sum(int(task.communicate(timeout=120)[0]) for task in tasks) == 36
    with urisieve.Seen(path) as store:
        assert len(store) == 36
        assert all(store.contains([f"http://{name}.example/{turn}" for name in [0, 1, "common"] for turn in range(12)]))


def test_after_a_fork(path):
    code = f"""
        import os, urisieve
        store = urisieve.Seen({str(path)!r})
        store.add("http://a.example/")
        if os.fork() == 0:
            try:
                store.commit()
            except RuntimeError as raised:
                print(raised, flush=True)
            os._exit(0)
        os.wait()
        print(store.commit())
    """
    done = run(code)
    assert "opened it; open it after the fork" in done.stdout and done.stdout.endswith("1\n"), done


def test_kills_lose_nothing_that_was_committed(path):
    """What a commit returned for is there after a kill at any time, and nothing that was not added."""
    code = """
        import sys, urisieve
        store = urisieve.Seen(sys.argv[1])
        for turn in range(10**6):
            store.add([f"http://a.example/{sys.argv[2]}/{turn}/{n}" for n in range(200)])
            store.commit()
            print(turn, flush=True)
    """
    draw, committed = random.Random(47), {}
    for life in range(int(os.environ.get("KILLS", 12))):
        command = [sys.executable, "-c", textwrap.dedent(code), str(path), str(life)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        threading.Timer(draw.random() * 0.3, process.send_signal, [signal.SIGKILL]).start()
        turns = process.stdout.read().split()
        process.wait()
        committed[life] = 1 + len(turns)
        with urisieve.Seen(path) as store:
            for turn in range(committed[life]):
                assert all(store.contains([f"http://a.example/{life}/{turn}/{n}" for n in range(200)]))
            # One commit more may be done whose number was not printed, as a whole.
            rest = list(store.contains([f"http://a.example/{life}/{committed[life]}/{n}" for n in range(200)]))
            assert len(set(rest)) == 1
            committed[life] += rest[0]
            assert len(store) == 200 * sum(committed.values())


def test_damage_is_named(path):
    with urisieve.Seen(path) as store:
        store.add([f"http://a.example/{n}" for n in range(20_000)])
    wanted = [f"http://a.example/{n}" for n in range(0, 20_000, 7)]
    files = sorted(file for file in path.iterdir() if file.stat().st_size > 0 and "lock" not in file.name.lower())
    assert len(files) >= 2
    draw, named = random.Random(8), 0
    for file in files:
        whole = file.read_bytes()
        for _ in range(25):
            at = draw.randrange(len(whole))
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1 :])
            try:
                # Never a wrong answer.
                with urisieve.Seen(path, read_only=True) as store:
                    assert all(store.contains(wanted)) and not any(store.contains([url + "x" for url in wanted]))
            except (OSError, ValueError) as raised:
                named += 1
                assert str(path) in str(raised), raised
        file.write_bytes(whole)
    assert named > 25
    files[-1].rename(files[-1].with_suffix(".away"))
    with pytest.raises(OSError, match=str(path)):
        urisieve.Seen(path, read_only=True).contains(wanted)


OPTIONS = {
    "level": ("scheme", ["-L", "scheme"]),
    "keep_components": (True, ["--keep-components"]),
    "strip_fragment": (True, ["--strip-fragment"]),
    "drop_param": (["x,y", "@tracking"], ["--drop-param", "x,y", "--drop-param", "@tracking"]),
    "sort_query": (True, ["--sort-query"]),
    "fold_https": (True, ["--fold-https"]),
    "strip_www": (True, ["--strip-www"]),
    "isbn13": (True, ["--isbn13"]),
    "unwrap_resolvers": (True, ["--unwrap-resolvers"]),
    "unwrap_gateways": (["slack", "bing"], ["--unwrap-gateways=slack,bing"]),
    "redact": ("@secrets,q", ["--redact=@secrets,q"]),
}


def test_rules_of_files_decide_keys(path, program, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text("||a.example^$removeparam=ref\n")
    name = f"@{rules}"
    command = [program, "seen", "import", "--drop-param", name, str(path)]
    subprocess.run(command, input="http://a.example/?ref=1\n", text=True, check=True, capture_output=True)
    for options in [{}, {"drop_param": name}]:
        with urisieve.Seen(path, **options) as store:
            assert list(store.contains(["http://a.example/?ref=2", "http://b.example/?ref=2"])) == [True, False]
    rules.write_text("||a.example^$removeparam=other\n")
    for options in [{}, {"drop_param": name}]:
        with pytest.raises(ValueError, match="params"):
            urisieve.Seen(path, **options)


@pytest.mark.parametrize("names", [[], *([name] for name in OPTIONS), list(OPTIONS)], ids=lambda names: ",".join(names)[:30])
def test_the_command_line_has_the_same_stores(path, program, names):
    options = {name: OPTIONS[name][0] for name in names}
    flags = [flag for name in names for flag in OPTIONS[name][1]]
    urls = "\n".join([
        "https://www.A.example:443/?utm_source=1&x,y=2&b=3&a=4&token=secret#f", "urn:isbn:0395363411?=x", "urn:ISBN:978-0-395-36341-1",
        "https://doi.org/10.1000/182", "not a URI", "https://www.bing.com/ck/a?u=a1aHR0cDovL2IuZXhhbXBsZS8",
    ])
    command = [program, "seen", "import", *flags, str(path)]
    subprocess.run(command, input=urls, text=True, check=True, capture_output=True)
    with urisieve.Seen(path, **options) as store:
        assert all(store.contains(urls.split("\n"))), list(store.contains(urls.split("\n")))
        added = ["http://www.B.example/?token=secret2&q=1#x", "second line"]
        store.add(added)
    # The rules need not be repeated.
    with urisieve.Seen(path, read_only=True) as store:
        assert all(store.contains(urls.split("\n") + added))
    checked = subprocess.run([program, "seen", "check", str(path)], input="\n".join(added), text=True, capture_output=True)
    assert checked.returncode == 0, checked
    listed = subprocess.run([program, "seen", "export", str(path)], text=True, capture_output=True, check=True)
    assert ("secret" in listed.stdout) == ("redact" not in names)


def test_notes_are_kept(path, program):
    with urisieve.Seen(path, note="from a test") as store:
        store.add("http://a.example/")
    listed = subprocess.run([program, "seen", "export", "-f", "jsonl", str(path)], text=True, capture_output=True, check=True)
    assert '"from a test"' in listed.stdout


def test_threads_share_a_store(path):
    urls = [f"http://a.example/{n}" for n in range(3000)]
    added = []
    with urisieve.Seen(path) as store:
        threads = [threading.Thread(target=lambda: added.append(store.add(urls))) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert sum(added) == len(store) == 3000


def test_one_part_of_a_set_is_one_store(tmp_path):
    nights = [["http://a.example/ http://b.example/ urn:a-b:c"], ["urn:a-b:c http://d.example/"]]
    new = []
    for texts in nights:
        uris = urisieve.UriSet()
        uris.add_from(texts)
        for part, urls in enumerate(uris.take(parts=4)):
            with urisieve.Seen(tmp_path / f"{part}.store") as store:
                new.append([url for url, is_new in zip(urls, store.new(urls)) if is_new])
                store.add(urls)
    assert sorted(sum(new[:4], [])) == ["http://a.example/", "http://b.example/", "urn:a-b:c"]
    assert sum(new[4:], []) == ["http://d.example/"]


def test_many_commits_are_merged(path):
    wanted = set()
    for turn in range(20):
        with urisieve.Seen(path) as store:
            urls = [f"http://a.example/{turn}/{n}" for n in range(50)]
            assert store.add(urls + sorted(wanted)[:10]) == 50
            wanted.update(urls)
    with urisieve.Seen(path, read_only=True) as store:
        assert len(store) == len(wanted) and all(store.contains(wanted))
    assert len(list(path.iterdir())) < 16
