"""The texts that are searched: generated from a seed, the same bytes at every run, or
made of the files of a directory. What runs on them is left to the script."""

import base64
import gzip
import json
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

# Hostile texts: how they are read, how they begin, what they repeat, how they end.
HOSTILE = {
    ":": ("-i text", b"", b":", b""),
    "http://": ("-i text", b"", b"http://", b""),
    "<http://a/": ("-i text", b"", b"<http://a/", b""),
    '"http://a': ("-i text", b"", b'"http://a ', b""),
    "http://a/([{": ("-i text", b"", b"http://a/([{", b""),
    "<http://a/⏎": ("-i text", b"", b"<http://a/\n", b""),
    "<http://a-⏎": ("-i text", b"", b"<http://a-\n", b""),
    "((((": ("-i text", b"", b"((((", b""),
    "one line": ("-i text", b"", b"of words and numbers, 12:30 ", b""),
    "%41": ("-i text", b"", b"%41", b""),
    "bytes > 0x7F": ("-i text", b"", bytes(range(0x80, 0x100)), b""),
}
# The same of markup, each as HTML and as XML. A number takes the place of `%07d`.
HOSTILE_MARKUP = {
    "<a": (b"", b"<a ", b""),
    "<!--": (b"", b"<!--", b""),
    "<!-- without an end": (b"<!--", b"of words > and ", b""),
    "&": (b"", b"&", b""),
    '<a href="': (b"", b'<a href="', b""),
    "<script> without an end": (b"<script>", b"if (a < b) { c = '</'; } ", b""),
    "a million attributes": (b"<a ", b"attribute-%07d='the value of this attribute, which is 64 bytes' ", b">"),
    "a million elements in each other": (b"", b"<div class='of-the-page' title='each of them takes 64 bytes..'>\n", b""),
}
for _name, _parts in HOSTILE_MARKUP.items():
    for _form in ("html", "xml"):
        HOSTILE[f"{_form}: {_name}"] = (f"-i {_form}", *_parts)
    HOSTILE[f"links: {_name}"] = ("links -i html", *_parts)


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
    """`size` bytes of a kind."""
    uris = Uris(kind)
    again(lambda: TEXTS[kind](uris), size, path)


def again(part, size, path, before=b""):
    """Writes `size` bytes of parts: a block of 16 MiB, again and again with other hosts."""
    parts, length = [], 0
    while length < min(size, 16 * MIB):
        parts.append(part())
        length += len(parts[-1])
    repeat("".join(parts).encode(), size, path, before)


def repeat(block, size, path, before=b"", after=b""):
    """Writes whole blocks until there are `size` bytes."""
    written, count = 0, 0
    with open(path, "wb") as out:
        out.write(before)
        while block and written < size:
            written += out.write(block.replace(COUNTER, b"-%04d." % count))
            count += 1
        out.write(after)


def message(uris, coded):
    """A message of a mailbox, in 7bit or in base64."""
    numbers = uris.numbers
    head = (
        f"From {numbers.choice(WORDS)}@a.example Mon Feb  2 {uris.clock()} 2026\n"
        f"Received: from {numbers.choice(WORDS)}.example by b.example; Mon, 2 Feb 2026 {uris.clock()} +0000\n"
        f"From: {uris.words(2)} <{numbers.choice(WORDS)}@a.example>\nSubject: {uris.words(6)}\n"
        f"Date: Mon, 2 Feb 2026 {uris.clock()} +0000\nMessage-ID: <{numbers.getrandbits(64):016x}@a.example>\n"
        f"MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
    )
    body = "".join(common(uris) for _ in range(numbers.randrange(2, 20)))
    if coded:
        body = base64.encodebytes(body.encode()).decode()
    return f"{head}Content-Transfer-Encoding: {'base64' if coded else '7bit'}\n\n{body}\n"


def mailbox(size, path, coded):
    """A mailbox; in base64 the hosts are the same again."""
    uris = Uris("mail")
    again(lambda: message(uris, coded), size, path)


def event(uris):
    """An event as a line of JSON, in whose strings some are URIs."""
    numbers = uris.numbers
    record = {
        "time": f"2030-01-02T{uris.clock()}Z",
        "level": numbers.choice(["info", "warn", "error"]),
        "message": uris.words(numbers.randrange(4, 30)),
        "host": {"name": numbers.choice(WORDS), "pid": numbers.randrange(9999), "up": True},
        "tags": numbers.choices(WORDS, k=numbers.randrange(5)),
    }
    if numbers.random() < 0.6:
        record["http"] = {"page": uris.next(), "ms": numbers.randrange(999), "trace": f"{numbers.getrandbits(64):016x}"}
    return json.dumps(record, separators=(",", ":")) + "\n"


def events(size, path):
    """JSON Lines."""
    uris = Uris("events")
    again(lambda: event(uris), size, path)


def row(uris):
    """A row of a table. One in twenty has no URI, one in ten a quoted cell."""
    numbers = uris.numbers
    page = uris.next() if numbers.random() < 0.95 else ""
    note = uris.words(numbers.randrange(2, 12))
    if numbers.random() < 0.1:
        note = f'"{note}, ""{numbers.choice(WORDS)}"""'
    return f"{numbers.randrange(10**9)},2030-01-02T{uris.clock()}Z,{page},{numbers.choice(WORDS)},{note},{numbers.randrange(999)}\r\n"


def table(size, path):
    """A table as CSV, in which the column `url` has URIs."""
    uris = Uris("table")
    again(lambda: row(uris), size, path, b"id,time,url,kind,note,ms\r\n")


def indicators(count, size, path):
    """A list of hosts, some of which `logs` of this size has."""
    names = [host for rank, host in enumerate(Uris("logs").hosts) if rank % 10 == 1]
    blocks = range(-(-size // (16 * MIB)))
    there = [name.replace(COUNTER.decode(), f"-{block:04}.") for block in blocks for name in names]
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(f"{host}\n" for host in there[:count])
        out.writelines(f"www.bad{number}.example\n" for number in range(count - len(there)))


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


def today(known, count, path):
    """Lines as `distinct` makes them, of which three in five are among its first `known`."""
    uris = Uris("distinct", hosts=20_000)
    whole = path + ".all"
    distinct(known + count, whole)
    numbers = uris.numbers
    with open(whole, "rb") as lines, open(path, "wb") as out:
        for begin in range(0, count, 100_000):
            picked = []
            for at in range(begin, min(begin + 100_000, count)):
                number = numbers.randrange(known) if numbers.random() < 0.6 else known + at
                lines.seek(number * LINE)
                picked.append(lines.read(LINE))
            out.write(b"".join(picked))
    os.remove(whole)


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


def scattered(count, path):
    """Lines of which about one in four is the first of its kind; the others come again
    anywhere after it."""
    uris = Uris("scattered", hosts=50_000)
    stems = [f"{uris.start()}{uris.numbers.choice(WORDS)}/" for _ in range(1 << 16)]
    kinds = max(1, count // 4)
    with open(path, "wb") as out:
        for begin in range(0, count, 100_000):
            numbers = uris.numbers.choices(range(kinds), k=min(100_000, count - begin))
            lines = ["%s%d\n" % (stems[at * 40_503 & 0xFFFF], at) for at in numbers]
            out.write("".join(lines).encode())


def requests(size, kinds, path):
    """An access log of about `size` bytes with the host before each line of 200 bytes: requests
    of which one in `kinds` is the first of its kind; some come more often than others."""
    uris = Uris("requests")
    numbers = uris.numbers
    count = size // 200
    firsts = max(20, count // kinds)
    weights = list(accumulate((rank + 1) ** -0.5 for rank in range(firsts)))
    with open(path, "wb") as out:
        for begin in range(0, count, 100_000):
            here = min(100_000, count - begin)
            targets = numbers.choices(range(firsts), cum_weights=weights, k=here)
            # Some come for the first time here, whatever was chosen.
            firsts_here = range(begin * firsts // count, (begin + here) * firsts // count)
            targets[: len(firsts_here)] = firsts_here
            lines = []
            for at, target in enumerate(targets):
                path_of = f"{SECTIONS[target % len(SECTIONS)]}/{target}?q={target * 40_503 % 1000}"
                line = (
                    f"www.example.org:443 192.0.2.{at % 251} - - [02/Jan/2030:{uris.clock()} +0000] "
                    f'"GET {path_of} HTTP/1.1" 200 {at % 9973} "https://www.example.org/" "Mozilla/5.0 (X11; Linux) '
                )
                lines.append(f"{line:x<198}\"\n")
            out.write("".join(lines).encode())


def script(uris, length):
    """A script of this length: program text, and some data with escapes."""
    numbers = uris.numbers
    parts = []
    while length > 0:
        names = numbers.choices(WORDS, k=4)
        if numbers.random() < 0.5:
            url = uris.next().replace("/", "\\/")
            part = f'window.{names[0]}={{"url":"{url}","{names[1]}":[{numbers.randrange(999)},null,true]}};\n'
        else:
            part = (
                f"function {names[0]}_{numbers.randrange(999)}({names[1]},{names[2]}){{if({names[1]}<{names[2]}&&"
                f"{names[3]}[{names[1]}]){{return {names[3]}.{names[0]}('{names[2]}')}}return{{{names[3]}:{names[1]}}}}}\n"
            )
        parts.append(part)
        length -= len(part)
    return "".join(parts)


def style(uris, length):
    """A style sheet of this length."""
    numbers = uris.numbers
    parts = []
    while length > 0:
        names = numbers.choices(WORDS, k=3)
        image = f"background:url(/img/{names[2]}.png) no-repeat;" if numbers.random() < 0.05 else ""
        parts.append(
            f".{names[0]}-{names[1]}:hover>{names[2]}{{margin:{numbers.randrange(9)}px auto;{image}"
            f"color:#{numbers.randrange(1 << 24):06x};transition:all .3s ease-in-out}}\n"
        )
        length -= len(parts[-1])
    return "".join(parts)


def link(uris):
    """A reference as pages have them: two in five are relative."""
    numbers = uris.numbers
    kind = numbers.random()
    path = f"{numbers.choice(SECTIONS)}/{numbers.choice(WORDS)}-{numbers.randrange(10_000)}"
    if kind < 0.25:
        return path
    if kind < 0.35:
        return f"{numbers.choice(WORDS)}.html?page={numbers.randrange(99)}&amp;sort={numbers.choice(WORDS)}"
    if kind < 0.4:
        return f"../{numbers.choice(WORDS)}#{numbers.choice(WORDS)}"
    if kind < 0.43:
        return f"//cdn{COUNTER.decode()}example{path}.js"
    if kind < 0.48:
        return numbers.choice(["#top", "javascript:void(0)", "mailto:desk@a.example", "#"])
    return uris.next().replace("&", "&amp;")


def tags(uris):
    """A part of a page that is mostly tags and their attributes, each in a line of its own."""
    numbers = uris.numbers
    number, name = numbers.randrange(99_999), numbers.choice(WORDS)
    kind = numbers.random()
    if kind < 0.4:
        return (
            f'        <div class="col-md-4 card card-{name}" id="card-{number}" data-id="{number}">\n'
            f'          <a class="card-link {name}" href="{link(uris)}" title="{uris.words(4)}" data-track="{name}:{number}">\n'
            f'            <span class="badge" aria-hidden="true"></span>\n            <h3 class="card-title">{uris.words(3)}</h3>\n'
            f'            <time datetime="2030-01-02T{uris.clock()}Z">{uris.words(1)}</time>\n          </a>\n'
            f'          <!-- {name} -->\n          <br />\n        </div>\n'
        )
    if kind < 0.6:
        cells = "".join(f'<td width="9%" align="right"><b>{numbers.randrange(999)}</b></td>' for _ in range(4))
        return f'      <tr class="row-{number % 2}" onmouseover="mark(this)"><th scope="row">{uris.words(1)}</th>{cells}</tr>\n'
    if kind < 0.7:
        choices = "".join(f'\n          <option value="{numbers.choice(WORDS)}">{uris.words(1)}</option>' for _ in range(8))
        return (
            f'        <label for="f{number}">{uris.words(1)}</label>\n        <select id="f{number}" name="{name}" required>{choices}\n        </select>\n'
            f'        <input type="hidden" name="{name}" value="{number}">\n'
        )
    return (
        f'        <svg class="icon icon-{name}" width="24" height="24" viewBox="0 0 24 24" xmlns="http://www.w3.org/2000/svg"><path fill-rule="evenodd" '
        f'd="M{number % 24} 2l3 3-8 9zm2 7.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z"/></svg>\n'
        f'        <p class="{name}" style="margin: 0 auto; color: #333">{uris.words(4)} &amp; <em>{uris.words(2)}</em>: <i class="fa fa-{name}"></i></p>\n'
    )


def picture(uris):
    """A picture for several screens; in half of them a script sets the attributes."""
    numbers = uris.numbers
    image = f"https://img{COUNTER.decode()}example/{numbers.choice(WORDS)}-{numbers.randrange(9999)}"
    sizes = ", ".join(f"{image}-{width}x{width // 2}.jpg {width}w" for width in (300, 768, 1024))
    data = numbers.choice(["", "data-"])
    return (
        f'<figure class="wp-block-image size-large"><img class="size-large" {data}src="{image}.jpg" {data}srcset="{sizes}" '
        f'sizes="(max-width: 300px) 100vw, 300px" alt="{uris.words(4)}" loading="lazy" data-id="{numbers.randrange(99999)}"></figure>\n'
    )


def item(uris, number):
    """An entry of a menu."""
    kind = uris.numbers.choice(WORDS)
    return (
        f'<li id="menu-item-{number}" class="menu-item menu-item-type-post_type menu-item-object-{kind} menu-item-{number}">'
        f'<a href="{link(uris)}" class="menu-link" itemprop="url">{uris.words(2)}</a></li>\n'
    )


def page(uris):
    """A page of HTML as there are many: 100 KB on average, of which tags are three fifths,
    scripts a fifth, text a sixth, and styles the rest; of its links, three in five are those of
    `<a>`, one in four is that of a picture."""
    numbers = uris.numbers
    size = min(800_000, max(4_000, round(numbers.lognormvariate(11.2, 0.75))))
    title, here = uris.words(5), uris.next().replace("&", "&amp;")
    data = ",".join(
        f'{{"@type":"ListItem","position":{n},"item":{{"@id":"{uris.next()}","name":"{uris.words(2)}"}}}}' for n in range(3)
    )
    parts = [
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title} &ndash; {uris.words(2)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="canonical" href="{here}">\n'
        f'<meta property="og:url" content="{here}"><meta property="og:title" content="{title}">\n'
        f'<meta property="og:image" content="{uris.next().replace("&", "&amp;")}">\n',
        *(f'<link rel="stylesheet" id="{numbers.choice(WORDS)}-css" href="/css/{numbers.choice(WORDS)}.css?ver={n}" type="text/css" media="all">\n' for n in range(14)),
        *(f'<script src="/js/{numbers.choice(WORDS)}.min.js?ver={n}" id="{numbers.choice(WORDS)}-js" async></script>\n' for n in range(8)),
        f'<script type="application/ld+json">{{"@context":"https://schema.org","@type":"BreadcrumbList",'
        f'"itemListElement":[{data}]}}</script>\n',
        f"<style>{style(uris, size // 35)}</style>\n<script>{script(uris, size // 12)}</script>\n</head>\n<body>\n<nav><ul>\n",
        *(item(uris, n) for n in range(40)),
        "</ul></nav>\n<main>\n",
    ]
    length = sum(map(len, parts))
    while length < size:
        kind = numbers.random()
        if kind < 0.3:
            part = item(uris, numbers.randrange(99_999))
        elif kind < 0.71:
            part = tags(uris)
        elif kind < 0.81:
            rel = numbers.choice([' rel="nofollow noopener" target="_blank"', ' class="more"', "", ""])
            part = (
                f'<div class="teaser teaser-{numbers.choice(WORDS)}"><h3 class="teaser-title"><a href="{link(uris)}"{rel}>{uris.words(6)}</a></h3>'
                f'<p class="teaser-text">{uris.words(8)}</p></div>\n'
            )
        elif kind < 0.88:
            part = picture(uris)
        elif kind < 0.92:
            part = f"<script>{script(uris, 1100)}</script>\n"
        elif kind < 0.93:
            part = f'<div style="background-image:url(&quot;{link(uris)}&quot;)" onclick="show({numbers.randrange(9)})"></div>\n'
        elif kind < 0.95:
            part = f"<!-- {uris.words(5)} --><p>{uris.words(9)}: {uris.next().replace('&', '&amp;')}</p>\n"
        else:
            part = f"<p>{uris.words(numbers.randrange(10, 50))}&nbsp;&mdash; &ldquo;{uris.words(9)}&rdquo; it&#8217;s.</p>\n"
        parts.append(part)
        length += len(part)
    parts.append(f'</main>\n<footer><a href="/">{uris.words(1)}</a> &copy; 2030</footer>\n</body>\n</html>\n')
    return "".join(parts).encode()


def pages(size, directory):
    """Pages until there are `size` bytes: the HTML files of a directory or generated ones,
    again and again. Those that are generated have other hosts each time."""
    block, length, count = [], 0, 0
    if directory:
        for root, _, names in os.walk(directory):
            for name in names:
                if name.endswith((".html", ".htm")):
                    with open(os.path.join(root, name), "rb") as opened:
                        block.append((name, opened.read()))
        block = [content for _, content in sorted(block)]
        if not block:
            raise SystemExit(f"compare: no .html files in {directory}")
    else:
        uris = Uris("pages")
        while length < min(size, 16 * MIB):
            block.append(page(uris))
            length += len(block[-1])
    written = 0
    while written < size:
        for content in block:
            yield content.replace(COUNTER, b"-%04d." % count)
            written += len(content)
        count += 1


def pages_in_files(size, folder, directory):
    """Writes pages into a directory and returns their length."""
    length = 0
    for number, content in enumerate(pages(size, directory)):
        inner = os.path.join(folder, f"{number // 1000:04}")
        os.makedirs(inner, exist_ok=True)
        with open(os.path.join(inner, f"{number:06}.html"), "wb") as out:
            length += out.write(content)
    return length


def crawl(size, path, directory):
    """Writes pages into a web archive, one gzip member each."""
    with open(path, "wb") as out:
        for number, content in enumerate(pages(size, directory)):
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(content)}\r\n\r\n".encode()
            record = (
                "WARC/1.1\r\nWARC-Type: response\r\n"
                f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\nWARC-Date: 2030-01-02T03:04:05Z\r\n"
                f"WARC-Target-URI: http://www{number % 997}.page.example/of/{number}.html\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(head) + len(content)}\r\n\r\n"
            )
            out.write(gzip.compress(record.encode() + head + content + b"\r\n\r\n", 6, mtime=0))


def checked(digits, weights, modulus):
    """Digits of a number and the one that checks them."""
    rest = -sum(int(digit) * weight for digit, weight in zip(digits, weights)) % modulus
    return digits + ("X" if rest == 10 else str(rest))


def record(uris, number):
    """A record of MARC 21 in UTF-8: two ISBNs, an ISSN, a DOI, a subject with a URI, two links;
    one link in twenty ends with a full stop that does not belong to it."""
    numbers = uris.numbers
    isbn = checked(f"{numbers.randrange(10**9):09}", range(10, 1, -1), 11)
    book = checked("978" + isbn[:9], [1, 3] * 6, 10)
    issn = checked(f"{numbers.randrange(10**7):07}", range(8, 1, -1), 11)
    stop = "." if numbers.random() < 0.05 else ""
    fields = [
        ("001", f"rec{number:08}"),
        ("008", f"{number % 1_000_000:06}s2001    gw a     b    001 0 eng d"),
        ("020", f"  $a{isbn} (paper)"),
        ("020", f"  $a{book}"),
        ("022", f"0 $a{issn[:4]}-{issn[4:]}"),
        ("024", f"7 $a10.{1000 + number % 9000}/{numbers.choice(WORDS)}.{number}$2doi"),
        ("100", "1 $aDoe, Jané,$d1970-"),
        ("245", f"10$a{uris.words(4)} :$b{uris.words(3)} /$cJane Doe."),
        ("264", " 1$aBerlin :$bVerlag,$c2001."),
        ("300", "  $a300 pages ;$c24 cm."),
        ("500", f"  $a{uris.words(8)}."),
        ("650", f" 0$a{uris.words(1)}$x{uris.words(1)}.$0http://id.subject.example/sh{numbers.randrange(99_999_999):08}"),
        ("856", f"40$u{uris.next()}{stop}$yFull text"),
        ("856", f"42$3Table of contents$u{uris.next()}$zAccess for members"),
    ]
    directory, data = b"", b""
    for tag, text in fields:
        content = text.replace("$", "\x1f").encode() + b"\x1e"
        directory += f"{tag}{len(content):04}{len(data):05}".encode()
        data += content
    base = 24 + len(directory) + 1
    leader = f"{base + len(data) + 1:05}nam a22{base:05} i 4500".encode()
    return leader + directory + b"\x1e" + data + b"\x1d"


def catalogue(size, path):
    """Writes records of MARC 21."""
    uris = Uris("catalogue")
    with open(path, "wb") as out:
        number = written = 0
        while written < size:
            number += 1
            written += out.write(record(uris, number))


def document(size, path):
    """One document of XML: entries with references, text and escaped HTML."""
    uris = Uris("document")
    parts, length = [], 0
    while length < min(size, 16 * MIB):
        uri = uris.next().replace("&", "&amp;")
        parts.append(
            f'<entry id="e{uris.numbers.randrange(10**9)}" xml:lang="en"><name>{uris.words(6)}</name><see ref="{uri}"/>\n'
            f"<text>{uris.words(uris.numbers.randrange(20, 90))}</text><date>2030-01-02T{uris.clock()}Z</date></entry>\n"
        )
        length += len(parts[-1])
    repeat("".join(parts).encode(), size, path, b'<?xml version="1.0"?>\n<entries>\n', b"</entries>\n")


def hostile(parts, size, path):
    """A beginning, one sequence again and again, an end."""
    before, unit, after = parts
    is_numbered = b"%07d" in unit
    each = max(1, MIB // len(unit))
    with open(path, "wb") as out:
        left = size - out.write(before) - len(after)
        number = 0
        while left > 0:
            numbered = (unit % at for at in range(number, number + each))
            block = b"".join(numbered) if is_numbered else unit * each
            left -= out.write(block[:left])
            number += each
        out.write(after)
