"""`python -m urisieve.spark links MANIFEST OUT`: the links of a crawl, as a Spark job that can be continued."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any, Union

from pyspark.sql import SparkSession

import urisieve

from .files import Opener
from .job import manifest, run


def main(arguments: Union[Sequence[str], None] = None) -> int:
    """Runs the command; returns 0, or 2 when the arguments, the manifest or the folder are wrong."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    given.pop("command")
    try:
        opener = _named(given.pop("opener"))
        paths = manifest(given.pop("manifest"), given.pop("input_base_url"))
    except (ImportError, AttributeError, OSError, ValueError) as error:
        return _wrong(error)
    out, parts, partitions = given.pop("out"), given.pop("num_input_partitions"), given.pop("num_output_partitions")
    options = {name: value for name, value in given.items() if value is not None}
    spark = SparkSession.builder.appName("urisieve links").getOrCreate()
    try:
        done = run(spark, paths, out, parts=parts, output_partitions=partitions, opener=opener, **options)
    except (ValueError, TypeError) as error:
        return _wrong(error)
    finally:
        spark.stop()
    kept = done.parts - done.read
    print(f"urisieve: {len(paths)} files in {done.parts} parts, {kept} of them complete before; {done.losses} losses", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m urisieve.spark", description="URIs and links on Spark.")
    parser.add_argument("--version", action="version", version=f"urisieve {urisieve.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    links = commands.add_parser(
        "links",
        help="the links of WARC, WAT and WET files",
        description="Writes the links of the files that MANIFEST names to OUT/links, Parquet with s and t, each pair once "
        "and sorted within partitions, and what could not be read to OUT/losses. A job that was killed is continued by "
        "the same command: parts that are complete are not read again.",
    )
    add = links.add_argument
    add("manifest", metavar="MANIFEST", help="file with a path or URL in each line, compressed with gzip or not")
    add("out", metavar="OUT", help="folder that all nodes share, or its URL")
    add("--input_base_url", metavar="URL", help="put before paths that are not URLs, such as s3://commoncrawl/")
    add("--num_input_partitions", type=_count, default=400, metavar="N", help="parts, one task each (default: 400)")
    add("--num_output_partitions", type=_count, default=10, metavar="N", help="files of OUT/links (default: 10)")
    add("--node", choices=["page", "host", "domain"], help="what is linked: pages, or hosts or registered domains, reversed")
    add("--nofollow", choices=["keep", "drop"], help="whether links that ask not to be followed are dropped")
    add("--mentions", action="store_true", default=None, help="also URIs in text, and so those of WET files")
    add("--level", choices=["none", "lexical", "syntax", "scheme"], help="which URIs are equal (default: lexical)")
    add("--status", metavar="CODES", help="only responses with these codes, such as 2xx,301")
    add("--mime", metavar="TYPES", help="only payloads of these media types")
    add("--max_memory", metavar="SIZE", help="memory of a task, beyond which it uses a temporary file (default: 512M)")
    add("--opener", metavar="MODULE:FUNCTION", help="called with each path; returns a file object (default: fsspec for URLs)")
    add("--retry_losses", action="store_true", default=None, help="read parts again in which something was lost")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _named(dotted: Union[str, None]) -> Union[Opener, None]:
    """Returns the function `MODULE:FUNCTION`."""
    if dotted is None:
        return None
    module, colon, function = dotted.partition(":")
    if not colon:
        raise ValueError(f"--opener: {dotted!r} is not MODULE:FUNCTION")
    found: Any = importlib.import_module(module)
    for part in function.split("."):
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def _wrong(error: Exception) -> int:
    print(f"urisieve: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
