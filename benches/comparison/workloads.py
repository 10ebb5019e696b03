"""The texts that are searched: generated from a seed, the same bytes at every run, or
made of the files of a directory. What runs on them is left to the script."""

import gzip
import os
import random
from itertools import accumulate

MIB = 1 << 20
WORDS = (
    "request session kernel opened closed for user by timeout cache worker failed retry accepted "
    "connection from port archive page holds text links style script nobody reads twice report "
    "index catalogue volume author edition library search result record field value number"
).split()
SECTIONS = [f"/{a}/{b}" for a in WORDS[:12] for b in WORDS[12:24]]
# The counter in every host name: a block that is written again gets another number there,
# so its URIs are new ones.
COUNTER = b"-0000."
LINE = 90  # bytes of a line of `dense` and `keys`, its end included

# Workloads of real files: the folders of a collection that they are made of.
FOLDERS = {
    "rare": ["logs"],
    "logs": ["logs"],
    "common": ["prose", "mail"],
    "markup": ["html", "web"],
}

# What hostile texts repeat.
HOSTILE = {
    ":": b":",
    "http://": b"http://",
    "<http://a/": b"<http://a/",
    '"http://a': b'"http://a ',
    "http://a/([{": b"http://a/([{",
    "<http://a/⏎": b"<http://a/\n",
    "<http://a-⏎": b"<http://a-\n",
    "((((": b"((((",
    "one line": b"of words and numbers, 12:30 ",
    "%41": b"%41",
    "bytes > 0x7F": bytes(range(0x80, 0x100)),
}


class Uris:
    """URIs whose hosts are Zipf-distributed and whose paths share their beginnings; one in
    a hundred is in upper case where case means nothing, and one in a hundred has
    percent-encodings in lower case."""

    def __init__(self, seed, hosts=4000):
        self.numbers = random.Random(seed)
        names = [f"{WORDS[rank % len(WORDS)]}{rank}{COUNTER.decode()}example" for rank in range(hosts)]
        self.hosts = ["www." + name if rank % 3 else name for rank, name in enumerate(names)]
        self.weights = list(accumulate(1 / (rank + 1) for rank in range(hosts)))
        self.recent = []

    def start(self):
        """Scheme, host and section: what many URIs share."""
        numbers = self.numbers
        host = numbers.choices(self.hosts, cum_weights=self.weights)[0]
        scheme = "https" if numbers.random() < 0.8 else "http"
        section = numbers.choice(SECTIONS)
        kind = numbers.random()
        if kind < 0.01:
            scheme, host = scheme.upper(), host.upper()
        elif kind < 0.02:
            section += "/caf%c3%a9"
        elif kind < 0.06:
            section += "/na%C3%AFve"
        return f"{scheme}://{host}{section}/"

    def next(self):
        """A URI: every second one came before."""
        numbers = self.numbers
        if self.recent and numbers.random() < 0.5:
            return numbers.choice(self.recent)
        uri = f"{self.start()}{numbers.choice(WORDS)}-{numbers.randrange(100_000)}"
        kind = numbers.random()
        if kind < 0.2:
            uri += f"?id={numbers.randrange(1_000_000)}&ref={numbers.choice(WORDS)}"
        elif kind < 0.25:
            uri += f"#{numbers.choice(WORDS)}"
        if len(self.recent) < 5000:
            self.recent.append(uri)
        else:
            self.recent[numbers.randrange(5000)] = uri
        return uri

    def words(self, count):
        return " ".join(self.numbers.choices(WORDS, k=count))

    def clock(self):
        second = self.numbers.randrange(86_400)
        return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def rare(uris):
    """A system log: one URI in 2 KiB."""
    numbers = uris.numbers
    line = f"2030-01-02T{uris.clock()}Z host{numbers.randrange(7)} app[{numbers.randrange(9999)}]: "
    uri = f" url={uris.next()}" if numbers.random() < 0.055 else ""
    return f"{line}{uris.words(8)}{uri} level=info note: {uris.words(2)}\n"


def logs(uris):
    """Access logs and events in JSON, one URI in some 400 bytes."""
    numbers = uris.numbers
    if numbers.random() < 0.2:
        url = uris.next() if numbers.random() < 0.6 else ""
        if numbers.random() < 0.3:
            url = url.replace("/", "\\/")
        return (
            f'{{"time":"2030-01-02T{uris.clock()}Z","level":"info","msg":"{uris.words(6)}",'
            f'"url":"{url}","ms":{numbers.randrange(999)},"trace":"{numbers.getrandbits(64):016x}"}}\n'
        )
    referrer = uris.next() if numbers.random() < 0.4 else "-"
    return (
        f"192.0.2.{numbers.randrange(255)} - - [02/Jan/2030:{uris.clock()} +0000] "
        f'"GET {numbers.choice(SECTIONS)} HTTP/1.1" 200 {numbers.randrange(99_999)} "{referrer}" '
        f'"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"\n'
    )


def common(uris):
    """Prose, lists and mail: URIs in brackets, at the ends of sentences, over two lines."""
    numbers = uris.numbers
    text = uris.words(numbers.randrange(40, 110))
    lines = "\n".join(text[at : at + 72] for at in range(0, len(text), 72))
    uri, kind = uris.next(), numbers.random()
    if kind < 0.05:
        at = uri.rindex("/") + 1
        return f"{lines} <{uri[:at]}\n   {uri[at:]}> {uris.words(3)}.\n\n"
    if kind < 0.2:
        return f"{lines} (see {uri}).\n\n"
    if kind < 0.3:
        return f"* [{uris.words(2)}]({uri}), {lines}\n"
    if kind < 0.32:
        return f"{lines} urn:isbn:978{numbers.randrange(10**10):010} {uris.words(2)}.\n"
    return f"{lines} {uri}{numbers.choice(['.', ',', '', '', '', ''])} {uris.words(4)}\n"


def markup(uris):
    """Pages with links, pictures, styles and scripts."""
    numbers = uris.numbers
    kind, uri = numbers.random(), uris.next().replace("&", "&amp;")
    if kind < 0.25:
        return f'<li class="item"><a href="{uri}" title="{uris.words(3)}">{uris.words(4)}</a></li>\n'
    if kind < 0.35:
        return f'<div style="width:{numbers.randrange(99)}px;background:url({uri})">{uris.words(5)}</div>\n'
    if kind < 0.4:
        return f'<script>var page={{"u":"{uri}","n":{numbers.randrange(99)}}};</script>\n'
    style = f"margin:{numbers.randrange(9)}px;color:#333"
    return f'<p style="{style}" class="{uris.words(1)}">{uris.words(numbers.randrange(15, 60))}</p>\n'


TEXTS = {"rare": rare, "logs": logs, "common": common, "markup": markup}


def text(kind, size, path):
    """`size` bytes of a kind: a block of 16 MiB, again and again with other hosts."""
    uris = Uris(kind)
    parts, length = [], 0
    while length < min(size, 16 * MIB):
        parts.append(TEXTS[kind](uris))
        length += len(parts[-1])
    repeat("".join(parts).encode(), size, path)


def repeat(block, size, path):
    """Writes whole blocks until there are `size` bytes."""
    written, count = 0, 0
    with open(path, "wb") as out:
        while block and written < size:
            written += out.write(block.replace(COUNTER, b"-%04d." % count))
            count += 1


def gather(folders, wanted, size, path):
    """The files of folders, one behind the other, until there are `size` bytes."""
    files = sorted(
        os.path.join(root, name) for folder in folders for root, _, names in os.walk(folder) for name in names
    )
    texts = []
    for file in files:
        with open(file, "rb") as opened:
            texts.append(opened.read())
    block = b"\n".join(text for text in texts if wanted(text))
    if not block:
        raise SystemExit(f"compare: no files for {os.path.basename(path)} in {', '.join(folders)}")
    repeat(block, size, path)


def collection(directory):
    """Which workloads the files of a directory make, and of which folders: those of
    `FOLDERS` that are there, or all files as one workload `files`."""
    found = {}
    for kind, names in FOLDERS.items():
        folders = [os.path.join(directory, name) for name in names]
        folders = [folder for folder in folders if os.path.isdir(folder)]
        if folders:
            found[kind] = folders
    return found or {"files": [directory]}


def real(kind, folders, size, path):
    """A workload of real files."""
    few = lambda content: content.count(b"://") * 1024 < len(content)
    gather(folders, few if kind == "rare" else bool, size, path)


def distinct(count, path):
    """Lines of `LINE` bytes, each another URI."""
    uris = Uris("distinct", hosts=20_000)
    digits = 10
    stems = []
    for _ in range(1 << 16):
        stem = f"{uris.start()}{uris.numbers.choice(WORDS)}?"
        filler = "&".join(uris.numbers.choices(WORDS, k=12))
        stems.append((stem + filler)[: LINE - digits - 2] + "=")
    with open(path, "wb") as out:
        for begin in range(0, count, 100_000):
            # A stride that is odd visits all stems in an order that no sort profits from.
            lines = [
                "%s%010d\n" % (stems[at * 40_503 & 0xFFFF], at) for at in range(begin, min(begin + 100_000, count))
            ]
            out.write("".join(lines).encode())


def repeated(count, path):
    """Lines of which one in a hundred is the first of its kind; some come far more often
    than others."""
    uris = Uris("repeated")
    keys = [f"{uris.start()}{at}\n" for at in range(max(1, count // 100))]
    weights = list(accumulate((rank + 1) ** -0.5 for rank in range(len(keys))))
    block = keys + uris.numbers.choices(keys, cum_weights=weights, k=max(0, count // 10 - len(keys)))
    uris.numbers.shuffle(block)
    block = "".join(block).encode()
    with open(path, "wb") as out:
        for _ in range(10):
            out.write(block)


def crawl(size, path):
    """A web archive of pages, one gzip member each."""
    uris = Uris("crawl")
    written, count = 0, 0
    with open(path, "wb") as out:
        while written < size:
            rows = "".join(markup(uris) for _ in range(uris.numbers.randrange(20, 400)))
            page = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{rows}"
            record = (
                "WARC/1.1\r\nWARC-Type: response\r\n"
                f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{count:012}>\r\n"
                f"WARC-Target-URI: {uris.next()}\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(page)}\r\n\r\n{page}\r\n\r\n"
            )
            written += out.write(gzip.compress(record.encode(), 6, mtime=0))
            count += 1


def hostile(unit, size, path):
    """One sequence, again and again."""
    block = unit * (MIB // len(unit) + 1)
    with open(path, "wb") as out:
        for at in range(0, size, len(block)):
            out.write(block[: size - at])
