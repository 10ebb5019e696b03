"""Whether two programs found the same URIs. What differs is looked up in the text and
counted by kind; what no kind explains is an error of one of them."""

import csv
import html
import itertools
import json
import os
import re
import subprocess
from bisect import bisect_left
from collections import Counter

PARTS = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)(.*)", re.DOTALL)
ENCODED = re.compile(rb"%[0-9A-Fa-f]{2}")
TRAILING = b".,;:!?'\"*)]_~"
# What no bare URI goes on with: excluded bytes, brackets, list separators, references.
ENDS = b"`{}|\\^[](),;&'"
HOST = re.compile(rb"//([^/\s\"]+)")
ESCAPE = re.compile(r"\\+u([0-9A-Fa-f]{4})")
WRITTEN = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"'()\\]+")
# The beginning of the value of an attribute that is a reference, up to the end of the text.
VALUE = re.compile(
    rb"(?i)(?:\b(?:href|src|action|cite|data|poster|content)\s*=\s*(?:\"[^\"<>]+|'[^'<>]+|[^\s\"'<>]+)"
    rb"|\burl\([\"']?[^\s\"'()<>]+)\Z"
)


class Unexplained(Exception):
    """Answers differ in a way that no kind accounts for."""


def lexical(uri):
    """A URI as level `lexical` has it: case of scheme, host and percent-encodings."""
    parts = PARTS.fullmatch(uri)
    if not parts:
        return uri
    scheme, authority, rest = parts.groups()
    user, at, host = authority.rpartition(b"@")
    return ENCODED.sub(lambda code: code[0].upper(), scheme.lower() + user + at + host.lower() + rest)


def lines(path):
    """The set of lines of an answer."""
    with open(path, "rb") as opened:
        return set(opened.read().splitlines())


def compare(ours, theirs, places=None):
    """Whether the answers in two files are the same but for case, and in words what they
    have in common. Other differences are looked up in `places`, if there are any."""
    mine, other = lines(ours), lines(theirs)
    with open(ours, "rb") as opened:
        if sum(1 for _ in opened) != len(mine):
            raise Unexplained("urisieve printed a line twice")
    respelled = {uri: lexical(uri) for uri in other - mine}
    missed = {uri for uri, canonical in respelled.items() if canonical not in mine}
    extra = mine - other - set(respelled.values())
    kinds = Counter(respelled=len(respelled) - len(missed))
    if missed or extra:
        if places is None:
            name = sorted(missed or extra)[0].decode(errors="replace")
            raise Unexplained(f"{len(missed)} missed, {len(extra)} more, for example {name}")
        kinds.update(places.explain(missed, extra).values())
    kinds = [f"{number:,} {kind}" for kind, number in kinds.most_common() if number]
    return not (missed or extra), ", ".join([f"{len(mine) - len(extra):,} equal", *kinds])


def compare_rows(ours, theirs):
    """Whether two tables have the same rows in the columns of the second."""
    with open(ours, newline="", encoding="utf-8") as one, open(theirs, newline="", encoding="utf-8") as other:
        mine, rows = csv.DictReader(one), csv.DictReader(other)
        count = 0
        for count, (row, wanted) in enumerate(itertools.zip_longest(mine, rows), 1):
            if row is None or wanted is None or {name: row[name] for name in wanted} != wanted:
                raise Unexplained(f"row {count}: {row}, not {wanted}")
    return True, f"{count:,} equal rows"


def compare_matched(ours, theirs, entries):
    """Whether two programs print the same lines for a list of hosts. One of them knows that the
    case of hosts does not count."""
    mine, other, hosts = lines(ours), lines(theirs), lines(entries)
    extra = mine - other
    in_capitals = {line for line in extra if not hosts.isdisjoint(HOST.findall(line.replace(b"\\/", b"/").lower()))}
    if other - mine or extra != in_capitals:
        wrong = sorted((other - mine) or extra - in_capitals)[0].decode(errors="replace")
        raise Unexplained(f"{len(other - mine)} missed, {len(extra)} more, for example {wrong}")
    return not extra, f"{len(other):,} equal lines, {len(extra):,} more: in capitals"


def compare_enriched(ours, theirs):
    """Whether events are the same but for the URIs that one program added."""
    with open(ours, encoding="utf-8") as one, open(theirs, encoding="utf-8") as other:
        count = 0
        for count, (line, wanted) in enumerate(itertools.zip_longest(one, other), 1):
            event = json.loads(line or "null")
            event = {name: value for name, value in event.items() if name != "urls"} if event else event
            if event != json.loads(wanted or "null"):
                raise Unexplained(f"event {count}: {line}, not {wanted}")
    return True, f"{count:,} equal events"


def compare_tops(ours, theirs, origin):
    """Whether the targets that were asked for most are the same: those of `origin` that we
    print with their counts, and lines of `uniq -c`, or the report of GoAccess in JSON. Of the
    targets with the last count any may be there."""
    with open(ours, encoding="utf-8") as opened:
        lines = (line.rstrip("\n").split("\t", 1) for line in opened)
        mine = {uri.removeprefix(origin): int(count) for count, uri in lines}
    with open(theirs, encoding="utf-8") as opened:
        text = opened.read()
    if text.startswith("{"):
        rows = json.loads(text)["requests"]["data"]
        other = {row["data"]: row["hits"]["count"] for row in rows}
    else:
        rows = (line.split(None, 1) for line in text.splitlines())
        other = {target: int(count) for count, target in rows}
    least = min(mine.values(), default=0)
    clear = lambda top: {target: count for target, count in top.items() if count > least}
    if sorted(mine.values()) != sorted(other.values()) or clear(mine) != clear(other):
        raise Unexplained(f"{mine}, not {other}")
    return True, f"{len(mine):,} equal targets with their counts"


def compare_pages(ours, theirs, folder):
    """The same for pages that one of them reads as markup: what differs is explained by what
    that changes. All is one set, so a string is looked for, not its place."""
    mine, other = lines(ours), lines(theirs)
    kinds, left = Counter(), set()
    ordered = sorted(mine)
    for uri in other:
        kind = why_not_in_markup(uri, mine, ordered)
        if kind:
            kinds[kind] += 1
        else:
            left.add(uri)
    inside = inside_references(left, folder) if left else set()
    kinds["inside of a longer reference"] += len(inside)
    if left - inside:
        wrong = sorted(left - inside)
        shown = "\n  ".join(uri.decode(errors="replace") for uri in wrong[:20])
        raise Unexplained(f"{len(wrong)} of the matches are not explained:\n  {shown}")
    # What is in the answer, but no match, is written in another way, or a match goes on.
    extra = mine - other - {lexical(uri) for uri in other}
    verbatim = written(extra, folder)
    kinds["more: decoded, resolved or without //"] += len(extra) - len(verbatim)
    kinds["more: in a longer match"] += len(verbatim)
    kinds = [f"{number:,} {kind}" for kind, number in kinds.most_common() if number]
    return not extra and len(kinds) == 1, ", ".join(kinds)


def why_not_in_markup(uri, mine, ordered):
    """How a match of the pattern in markup is in an answer; nothing if it is not."""
    if lexical(uri) in mine:
        return "equal"
    plain = uri.decode("utf-8", "surrogateescape")
    decoded = html.unescape(plain)
    unescaped = ESCAPE.sub(lambda code: chr(int(code[1], 16)), decoded).replace("\\/", "/")
    encoded = decoded.replace("<", "%3C").replace(">", "%3E").replace('"', "%22")
    for kind, text in (
        ("ended by a delimiter", plain),
        ("references decoded", decoded),
        ("references decoded", encoded),
        ("escapes undone", html.unescape(unescaped)),
    ):
        text = lexical(text.encode("utf-8", "surrogateescape"))
        # Every beginning of it that a delimiter or a character of other scripts ends.
        ends = [at for at, byte in enumerate(text) if byte in ENDS + TRAILING + b'<>" ' or not 0x20 < byte < 0x7F]
        if any(text[:end].rstrip(TRAILING) in mine or text[:end] in mine for end in [*ends, len(text)]):
            return kind
        place = bisect_left(ordered, text)
        if place < len(ordered) and ordered[place].startswith(text):
            return "goes on after a blank or a <wbr>"
        later = text.find(b"://", text.find(b"://") + 1)
        if any(text[at:].rstrip(TRAILING) in mine for at in range(1, max(later, text.find(b"://")))):
            return "begun later"
    scheme, rest = uri.split(b"://", 1)
    if len(scheme) == 1:
        return "with a scheme of one letter"
    authority = re.split(rb"[/?#]", rest, maxsplit=1)[0]
    letters = re.search(rb"[0-9A-Za-z\x80-\xff]", authority.rpartition(b"@")[2].split(b":")[0])
    foreign = re.search(rb"[^0-9A-Za-z._~:@\x80-\xff-]", authority)
    return "without a host" if foreign or not letters else None


def texts(folder):
    """The contents of all files below a folder, each once."""
    seen = set()
    for root, _, names in os.walk(folder):
        for name in sorted(names):
            with open(os.path.join(root, name), "rb") as opened:
                content = opened.read()
            if hash(content) not in seen:
                seen.add(hash(content))
                yield content


def inside_references(uris, folder):
    """Those of some matches that begin inside of the value of an attribute that is a
    reference: one that is relative, or has another scheme."""
    found = set()
    for content in texts(folder):
        for uri in uris - found:
            at = content.find(uri)
            if at > 0 and VALUE.search(content, max(0, at - 4096), at):
                found.add(uri)
    return found


def written(uris, folder):
    """Those of some URIs that stand in the files of a folder as they are."""
    found = set()
    for content in texts(folder):
        found.update(uris.intersection(WRITTEN.findall(content)))
    return found


def occurrences(command):
    """The offsets and URIs that a command prints as `OFFSET:URI`, in the order of the text."""
    printed = subprocess.run(command, shell=True, stdout=subprocess.PIPE, check=True).stdout
    pairs = (line.split(b":", 1) for line in printed.splitlines())
    return sorted((int(offset), uri) for offset, uri in pairs)


class Places:
    """Where in a text each program found what. `ours` is a command that prints with their
    offsets what is distinct, `ours --all --original` prints every occurrence as it is
    written; `theirs` prints every match."""

    def __init__(self, ours, theirs, path):
        self.commands = (ours, f"{ours} --all --original", theirs)
        self.path = path

    def explain(self, missed, extra):
        """A kind for each place where a URI stands that only one of them printed."""
        distinct, self.ours, self.theirs = map(occurrences, self.commands)
        kinds, wrong = {}, []
        with open(self.path, "rb") as self.text:
            for found, wanted, why in (
                (self.theirs, set(missed), self.why_missed),
                (distinct, set(extra), self.why_extra),
            ):
                for offset, uri in found:
                    if uri in wanted:
                        wanted.discard(uri)
                        kinds[offset] = why(offset, uri)
                        if not kinds[offset]:
                            wrong.append(f"at byte {offset}: {uri.decode(errors='replace')}")
                wrong += (f"nowhere: {uri.decode(errors='replace')}" for uri in wanted)
        if wrong:
            shown = "\n  ".join(wrong[:20])
            raise Unexplained(f"{len(wrong)} differences are not explained:\n  {shown}")
        return kinds

    def between(self, start, end):
        self.text.seek(start)
        return self.text.read(end - start)

    def at(self, found, offset):
        """What was found at this offset, and before it."""
        place = bisect_left(found, (offset, b""))
        here = found[place][1] if place < len(found) and found[place][0] == offset else None
        return here, found[place - 1] if place else (0, b"")

    def why_missed(self, offset, uri):
        """Why we do not print what the pattern matches at this offset."""
        ours, (before, longer) = self.at(self.ours, offset)
        if ours is not None:
            return self.relation(offset, ours, uri)
        if offset < before + len(longer):
            return "begun earlier"
        place = bisect_left(self.ours, (offset, b""))
        if place < len(self.ours) and self.ours[place][0] < offset + len(uri):
            return "begun later"
        scheme, rest = uri.split(b"://", 1)
        if len(scheme) == 1:
            return "with a scheme of one letter"
        authority = re.split(rb"[/?#]", rest, maxsplit=1)[0]
        letters = re.search(rb"[0-9A-Za-z\x80-\xff]", authority.rpartition(b"@")[2].split(b":")[0])
        foreign = re.search(rb"[^0-9A-Za-z._~:@\x80-\xff-]", authority)
        return "without a host" if foreign or not letters else None

    def why_extra(self, offset, uri):
        """Why the pattern does not match what we print at this offset."""
        theirs, (before, longer) = self.at(self.theirs, offset)
        ours, _ = self.at(self.ours, offset)
        if theirs is not None:
            return self.relation(offset, ours, theirs)
        if offset < before + len(longer):
            return "inside a longer match"
        if b"://" not in ours:
            return "without //"
        if ours.find(b"://") > ours.find(b":"):
            return "begun earlier"
        return "escapes undone" if b"://" not in self.between(offset, offset + len(ours)) else None

    def relation(self, offset, ours, theirs):
        """Why two URIs that begin at the same place do not end there or are not the same."""
        if len(ours) > len(theirs) and ours.startswith(theirs):
            end = offset + len(theirs)
            return "joined over a line break" if self.between(end, end + 1).isspace() else None
        shared = next(n for n in range(len(theirs)) if ours[n : n + 1] != theirs[n : n + 1])
        rest = theirs[shared:]
        if shared < len(ours):
            return "escapes undone" if rest[:1] in (b"\\", b"&") else None
        if not rest.strip(TRAILING):
            return "without trailing punctuation"
        end = offset + len(theirs)
        comment = rest == b"--" and self.between(end, end + 1) == b">"
        ended = comment or rest[0] in ENDS + TRAILING or not 0x20 < rest[0] < 0x7F
        return "ended by a delimiter" if ended else None
