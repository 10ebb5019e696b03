"""Texts whose URIs are known, for comparing every way of finding them.

`texts(rows, ...)` yields texts of about 1.7 KB with ten URIs each, in six styles of delimiters. A URI is one of a
number of distinct ones, which are Zipf-distributed, in one of several spellings that differ in
case alone. `Truth` has what must be found: each canonical URI with the spelling that is seen first.
"""

import random

STYLES = 6
# `rows=FULL` makes 400 MB with 2.4 million URIs.
FULL = 240_000
URIS = 10

FILLER = (
    "the quick request was served in time by node and the cache had no entry for it so that "
    "upstream answered; status 200, 2326 bytes, gzip -- note: retry later at 12:30:45, see std::vector "
)


def canonical(number):
    """The canonical form of URI `number`."""
    kind = number % 10
    if kind == 0:
        return "urn:isbn:%013d" % number
    if kind == 1:
        return "ftp://files%d.example/pub/%d.tar" % (number % 97, number)
    if kind == 2:
        return "https://www.site%d.example:8443/a/%d?q=%d" % (number % 977, number, number % 7)
    if kind == 3:
        return "http://xn--bcher-kva.example/%d/index.html" % number
    scheme = "https" if kind % 2 else "http"
    return "%s://host%d.example/path/%d" % (scheme, number % 9973, number)


def spelled(uri, draw):
    """`uri` in other letters that mean the same."""
    style = draw.randrange(12)
    if style > 2:
        return uri
    if uri.startswith("urn:"):
        return ["URN:isbn:", "urn:ISBN:", "Urn:Isbn:"][style] + uri[9:]
    scheme, rest = uri.split("://")
    host, slash, path = rest.partition("/")
    if style == 0:
        return scheme.upper() + "://" + rest
    if style == 1:
        return scheme + "://" + host.upper() + slash + path
    return scheme.capitalize() + "://" + host.title() + slash + path


def wrapped(uri, style):
    """`uri` in delimiters of one of the styles."""
    if style == 0:
        return "see " + uri + " there"
    if style == 1:
        return "<" + uri + ">"
    if style == 2:
        return 'href="' + uri + '"'
    if style == 3:
        return "(" + uri + "),"
    if style == 4:
        return '{"u":"' + uri.replace("/", "\\/") + '"}'
    return "[name](" + uri + ")."


class Truth:
    """What is in `texts`: `spellings` has each canonical URI and its first spelling, in order."""

    def __init__(self, rows, seed=7, distinct=None):
        self.rows = rows
        self.seed = seed
        # Of so many numbers drawn, a good third is distinct.
        self.numbers = distinct or max(1, round(rows * URIS * 0.42))
        self.spellings = {}
        self.uris = 0
        self.bytes = 0

    def texts(self):
        """Yields the texts, and notes what is in them."""
        draw = random.Random(self.seed)
        filler = FILLER * 2
        for row in range(self.rows):
            parts = []
            for at in range(URIS):
                # Some numbers are drawn often.
                number = int(self.numbers * draw.random() ** (1.0 if at % 3 else 6.0))
                uri = canonical(number)
                spelling = spelled(uri, draw)
                self.spellings.setdefault(uri, spelling)
                begin = draw.randrange(len(FILLER))
                parts.append(filler[begin : begin + 108 + draw.randrange(30)])
                parts.append(" ")
                parts.append(wrapped(spelling, (row + at) % STYLES))
                parts.append("\n" if at % 4 == 3 else " ")
            text = "".join(parts) + ("größer 😀 " if row % 5 == 0 else "")
            self.uris += URIS
            self.bytes += len(text.encode())
            yield text
