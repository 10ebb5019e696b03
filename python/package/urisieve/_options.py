"""The options of the calls, for type checkers and for signatures of one's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict, Union

_Names = Union[str, Sequence[str]]
_Path = Union[str, "os.PathLike[str]"]


class PageOptions(TypedDict, total=False):
    """The options of `links`, whose base is an argument."""

    level: Literal["none", "lexical", "syntax", "scheme"] | None
    keep_components: bool | None
    strip_fragment: bool | None
    drop_param: _Names | None
    sort_query: bool | None
    fold_https: bool | None
    strip_www: bool | None
    isbn13: bool | None
    unwrap_resolvers: bool | None
    resolvers: _Path | None
    unwrap_gateways: bool | _Names | None
    wrap: Literal["lines", "any", "off"] | None
    wrap_limit: int | str | None
    hyphen: Literal["keep", "drop", "both"] | None
    nested: bool | Literal["percent", "base64"] | None
    abbreviated: bool | None
    bare: _Names | None
    refang: bool | None
    ascii: bool | None
    strict: bool | None
    templates: bool | None
    opaque: _Names | None
    all_references: bool | None
    max_length: int | str | None
    scheme: _Names | None
    nid: _Names | None
    host: _Names | None
    include: _Names | None
    exclude: _Names | None
    ext: _Names | None
    no_ext: _Names | None
    problem: _Names | None
    match: _Path | Sequence[_Path] | None
    match_entries: _Names | None
    match_column: str | None
    redact: bool | _Names | None
    all: bool | None
    count: bool | None
    groups: bool | None
    by: (
        Literal[
            "uri", "host", "domain", "suffix", "scheme", "nid", "file", "status", "method", "client", "hour", "day",
            "match", "shape", "path", "dir", "param", "ext", "port",
        ]
        | None
    )
    shape_values: bool | None
    per: Literal["record", "file"] | None
    top: int | None
    sort: bool | None
    unordered: bool | None
    max_count: int | None
    input_format: (
        Literal[
            "auto", "text", "html", "xml", "mail", "calendar", "robots", "marc", "marcxml", "mrk", "pica", "picaxml", "mods", "dc",
            "csv", "tsv", "parquet", "jsonl", "json", "po",
        ]
        | None
    )
    field: _Names | None
    csv_column: _Names | None
    csv_delimiter: str | None
    no_decompress: bool | None
    utf16: bool | None
    label: str | None
    against: _Path | Sequence[_Path] | None
    warc_type: _Names | None
    status: _Names | None
    mime: _Names | None
    requests: Literal["also", "only"] | None
    method: _Names | None
    since: str | None
    until: str | None
    zone: str | None
    glob: _Names | None
    hidden: bool | None
    gitignore: bool | None
    max_depth: int | None
    follow: bool | None
    links: bool | None
    node: Literal["page", "host", "domain", "private-domain"] | None
    valid_tld: bool | None
    weights: bool | None
    nofollow: Literal["keep", "drop", "mark"] | None
    mentions: bool | None
    threads: int | None
    max_memory: int | str | None
    temp_dir: _Path | None
    dedup: Literal["exact", "hash128"] | None


class Options(PageOptions, total=False):
    """The options of `Extractor`, `UriSet` and the functions."""

    base: str | None
