"""The links of a web archive, as they are extracted in Python: FastWARC reads, Resiliparse
parses. Eight URL attributes, the encoding detected. Prints `source TAB target`, each once;
with `resolved` as the second argument targets are absolute."""

import sys
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree

ATTRIBUTES = ("href", "src", "action", "background", "cite", "data", "formaction", "poster")
SELECTOR = ",".join(f"[{name}]" for name in ATTRIBUTES)


def absolute(tree, source):
    """A function that resolves a reference of the page."""
    import ada_url

    base = source
    element = tree.document.query_selector("base[href]")
    if element is not None:
        base = ada_url.join_url(source, element.getattr("href"))
    return lambda target: ada_url.join_url(base, target)


def main(path, resolved):
    pairs, pages = set(), 0
    with open(path, "rb") as archive:
        for record in ArchiveIterator(archive, record_types=WarcRecordType.response):
            body = record.reader.read()
            tree = HTMLTree.parse_from_bytes(body, detect_encoding(body))
            pages += 1
            source = record.headers["WARC-Target-URI"]
            resolve = absolute(tree, source) if resolved else lambda target: target
            for element in tree.document.query_selector_all(SELECTOR):
                if element.tag == "base":
                    continue
                for name in ATTRIBUTES:
                    target = element.getattr(name)
                    if target:
                        try:
                            pairs.add((source, resolve(target)))
                        except ValueError:
                            pass
    out = sys.stdout
    for source, target in pairs:
        out.write(f"{source}\t{target}\n")
    print(f"{pages} pages", file=sys.stderr)


main(sys.argv[1], "resolved" in sys.argv[2:])
