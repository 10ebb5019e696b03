//! The command `formats`: what the program reads, writes, knows and notices,
//! printed from the tables that it works with. One thing a line:
//! `KIND<TAB>NAME<TAB>WHAT IT IS`.

use super::args::Formats;
use std::io::{self, Write};
use urisieve::canonicalize::Level;
use urisieve::item::Problem;
use urisieve::output::{RECORD, push_schema};
use urisieve::syntax::scheme::{self, Status};

/// What is read.
const INPUTS: &[(&str, &str)] = &[
    (
        "text",
        "text in an encoding that extends ASCII; bytes need not be UTF-8",
    ),
    ("utf16", "UTF-16 text, by its byte-order mark"),
    (
        "gzip zstd xz bzip2 lz4",
        "undone, by the first bytes, one inside another too (--no-decompress)",
    ),
    (
        "warc arc",
        "the payloads of web archives, by the first bytes, without their codings",
    ),
];

/// What is written.
const OUTPUTS: &[(&str, &str)] = &[
    (
        "text",
        "one URI a line; -n --column -b -H --vimgrep put its place before it",
    ),
    (
        "count",
        "COUNT<TAB>URI (-c), with <TAB>COUNT<TAB>SPELLING lines (--groups)",
    ),
    (
        "jsonl",
        "one JSON object a line (--json); formats --schema describes it",
    ),
];

/// Prints the tables.
///
/// # Errors
/// Those of standard output.
pub(super) fn print(args: &Formats) -> io::Result<()> {
    let mut out = Vec::new();
    if args.schema {
        push_schema(&mut out);
        return io::stdout().write_all(&out);
    }
    let mut rows: Vec<(&str, &str, String)> = Vec::new();
    rows.extend(
        INPUTS
            .iter()
            .map(|(name, what)| ("input", *name, what.to_string())),
    );
    rows.extend(
        OUTPUTS
            .iter()
            .map(|(name, what)| ("output", *name, what.to_string())),
    );
    rows.extend(Level::ALL.map(|level| ("level", level.name(), level.meaning().to_owned())));
    rows.extend(
        RECORD
            .iter()
            .map(|key| ("key", key.name, key.meaning.to_owned())),
    );
    rows.extend(Problem::ALL.map(|p| ("problem", p.code(), p.meaning().to_owned())));
    rows.extend(
        scheme::all()
            .iter()
            .map(|row| ("scheme", row.name, about(row))),
    );
    for (kind, name, what) in rows {
        writeln!(out, "{kind}\t{name}\t{what}")?;
    }
    io::stdout().write_all(&out)
}

fn about(row: &scheme::Scheme) -> String {
    let mut what = match row.status {
        Status::Registered => "registered",
        Status::Conventional => "conventional",
    }
    .to_owned();
    if row.default_port != 0 {
        what += &format!(", port {}", row.default_port);
    }
    if row.needs_host {
        what += ", needs a host";
    }
    what
}
