"""Whether the links of an archive that urisieve printed are those that Python finds. Prints in
words what the sets of pairs have in common; differences are counted by the rule that makes
them, and what no rule explains is an error."""

import json
import re
import sys
from collections import Counter

import ada_url
from python_links import ATTRIBUTES, links

# Elements on which an attribute of the eight is a link; on all others it is text.
ONLY_ON = {
    "action": {"form"},
    "cite": {"blockquote", "q", "ins", "del"},
    "data": {"object"},
    "formaction": {"button", "input"},
}
DROPPED = re.compile(r"(?i)(?:javascript|data|about):")


def canonical(url):
    try:
        return ada_url.URL(url).href
    except ValueError:
        return url


def why_more(path):
    """Why a link is not among those of Python."""
    element, slash, attribute = path.partition("@/")
    if not slash:
        return {"STYLE/#text": "CSS", "SCRIPT/#jsonld": "JSON-LD"}.get(path)
    if attribute in ("srcset", "imagesrcset"):
        return "srcset"
    if attribute == "style":
        return "CSS"
    if element == "META":
        return "meta"
    if element == "HTTP":
        return "headers"
    return None if attribute in ATTRIBUTES else "other attributes"


def why_missed(element, attribute, reference, target, is_inert):
    """Why a link of Python is not among ours."""
    if DROPPED.match(target):
        return "javascript, data, about"
    if reference.strip().startswith("#"):
        return "fragment alone"
    if element not in ONLY_ON.get(attribute, {element}):
        return f"{attribute} of other elements"
    return "no URL" if is_inert else None


def main(archive, ours):
    mine = {}
    with open(ours, encoding="utf-8", errors="replace") as opened:
        for line in opened:
            record = json.loads(line)
            pair = canonical(record["s"]), canonical(record["t"])
            mine.setdefault(pair, set()).add(record["path"])
    theirs, kinds, wrong = set(), Counter(), []
    for source, element, attribute, reference, target in links(archive, True):
        pair = canonical(source), canonical(target)
        if pair in theirs:
            continue
        if pair not in mine:
            kind = why_missed(element, attribute, reference, target, target == "")
            kinds[f"only in Python: {kind}"] += kind is not None
            if kind is None:
                wrong.append(f"missed: {source} {element}@{attribute} {reference!r} {target}")
            continue
        theirs.add(pair)
    for (source, target), paths in mine.items():
        if (source, target) not in theirs:
            reasons = [why_more(path) for path in sorted(paths)]
            kind = next((reason for reason in reasons if reason), None)
            kinds[f"only here: {kind}"] += kind is not None
            if kind is None:
                wrong.append(f"more: {source} {sorted(paths)} {target}")
    if wrong:
        shown = "\n  ".join(wrong[:20])
        raise SystemExit(f"{len(wrong)} pairs are not explained:\n  {shown}")
    counted = [f"{number:,} {kind}" for kind, number in kinds.most_common() if number]
    print(", ".join([f"{len(theirs):,} equal pairs", *counted]))


main(sys.argv[1], sys.argv[2])
