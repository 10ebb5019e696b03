"""The links of a web archive, as they are extracted in Python: FastWARC reads, Resiliparse
parses. Eight URL attributes, the encoding detected. Prints `source TAB target`, each once,
the target as it is written."""

import sys

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree

ATTRIBUTES = ("href", "src", "action", "background", "cite", "data", "formaction", "poster")
SELECTOR = ",".join(f"[{name}]" for name in ATTRIBUTES)


def absolute(tree, source):
    """A function that resolves a reference of the page."""
    import ada_url

    def join(base, reference):
        try:
            return ada_url.join_url(base, reference)
        except ValueError:
            return ""

    element = tree.document.query_selector("base[href]")
    base = element is not None and join(source, element.getattr("href"))
    return lambda reference: join(base or source, reference)


def links(path, resolved=False):
    """Yields page, element, attribute, reference and target."""
    with open(path, "rb") as archive:
        for record in ArchiveIterator(archive, record_types=WarcRecordType.response):
            body = record.reader.read()
            tree = HTMLTree.parse_from_bytes(body, detect_encoding(body))
            source = record.headers["WARC-Target-URI"]
            resolve = absolute(tree, source) if resolved else lambda reference: reference
            for element in tree.document.query_selector_all(SELECTOR):
                tag = element.tag
                if tag == "base":
                    continue
                for name in ATTRIBUTES:
                    reference = element.getattr(name)
                    if reference:
                        yield source, tag, name, reference, resolve(reference)


def main(path):
    pairs = {(source, target) for source, _, _, _, target in links(path)}
    sys.stdout.writelines(f"{source}\t{target}\n" for source, target in pairs)


if __name__ == "__main__":
    main(sys.argv[1])
