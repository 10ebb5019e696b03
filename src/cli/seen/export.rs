//! The command `seen export`: what a store has, in byte order.

use super::settings::time_of;
use crate::cli::destination::{Destination, FileCompression, OutputNames, unless_closed};
use crate::cli::flags::MatchFlags;
use crate::cli::flags::Selection;
use crate::cli::report::messages;
use crate::cli::search::select;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::ValueEnum;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use urisieve::item::{Timestamp, UtcOffset};
use urisieve::output::{CellForm, FormError, ParquetSheet, SheetColumn};
use urisieve::store::seen::{SeenCommit, SeenReader};
use urisieve::time_bound;

/// The bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Print what a store has, in byte order
///
/// One URI a line; of a store of links SOURCE<TAB>TARGET.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(in crate::cli) struct ExportSeen {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,

    /// text (default), jsonl, csv or parquet: with the commit of each, its time and its note
    ///
    /// In parquet a URI that is not UTF-8 is in the column uri_b64, as Base64.
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true
    )]
    format: ExportForm,

    /// Lines end with NUL
    #[arg(short = '0', long)]
    null: bool,

    /// Write to FILE, which appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    which: WhichKeys,

    /// Only what begins with TEXT; nothing else is read
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    prefix: String,

    /// Only the commit with this number
    #[arg(long, value_name = "N")]
    commit: Option<u64>,

    /// Only what was added since TIME: a time, a date, or 2h, 7d before now
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

/// The selection of keys.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct WhichKeys {
    /// Only this host and those below it; may be repeated; @FILE: a list
    #[arg(long, value_name = "SUFFIX")]
    host: Vec<String>,

    /// Only what matches; may be repeated; @FILE: a list
    #[arg(long, value_name = "REGEX")]
    include: Vec<String>,
}

impl WhichKeys {
    /// Whether none are left out.
    pub(super) fn is_all(&self) -> bool {
        self.host.is_empty() && self.include.is_empty()
    }

    /// Returns which keys are selected; of pairs the target counts.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn selection(self) -> Result<impl Fn(&[u8]) -> bool, String> {
        let selected = select::selection(&Selection {
            scheme: Vec::new(),
            nid: Vec::new(),
            host: self.host,
            include: self.include,
            exclude: Vec::new(),
            problem: Vec::new(),
            ext: Vec::new(),
            no_ext: Vec::new(),
            matching: MatchFlags::default(),
        })?;
        Ok(move |key: &[u8]| {
            let target = key.rsplit(|&byte| byte == b'\t').next().unwrap_or(key);
            selected.as_ref().is_none_or(|selected| selected(target))
        })
    }
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportForm {
    Text,
    Jsonl,
    Csv,
    Parquet,
}

const EXAMPLES: &str = "\
Examples:
  What was new in the last day
      urisieve seen export --since 1d seen.store
  All of it, for a store with other settings
      urisieve seen export seen.store | urisieve seen import -L scheme new.store
  A copy that keeps the times, as JSON Lines
      urisieve seen export -f jsonl -o seen.jsonl seen.store

Exit codes: 0 something printed, 1 nothing printed, 2 an error.";

/// The columns of an export.
pub(super) const COLUMNS: [&str; 4] = ["uri", "commit", "first_seen", "note"];

/// The column of a table for URIs that are not UTF-8.
pub(super) const ENCODED: &str = "uri_b64";

/// Runs the command.
pub(super) fn run(args: ExportSeen) -> ExitCode {
    match export(args) {
        Ok(number) => ExitCode::from(u8::from(number == 0)),
        Err(message) => messages::usage(&message),
    }
}

/// Returns the bound of time that a flag states, in seconds from 1970 on.
///
/// # Errors
/// A message that names the flag.
pub(super) fn bound(flag: &str, text: &str) -> Result<u64, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    let now = i64::try_from(now).ok();
    let now = now.and_then(|now| Timestamp::since_1970(now, 0));
    let now = now.ok_or_else(|| format!("{flag}: the clock of this machine is wrong"))?;
    let time = time_bound(text, UtcOffset::UTC, now).map_err(|why| format!("{flag}: {why}"))?;
    Ok(u64::try_from(time.instant().0).unwrap_or(0))
}

fn export(args: ExportSeen) -> Result<u64, String> {
    let since = args.since.as_deref().map(|text| bound("--since", text));
    let since = since.transpose()?;
    let selected = args.which.selection()?;
    let said = |error: urisieve::store::seen::SeenError| error.to_string();
    let open = SeenReader::open(&args.store, 0).map_err(said)?;
    let commits = match args.format == ExportForm::Text && since.is_none() {
        true => BTreeMap::new(),
        false => open.commits().map_err(said)?,
    };
    let mut outputs = OutputNames::new();
    let path = args.output.as_deref();
    let mut out = Destination::named(path, FileCompression::None, 1, true, &mut outputs)?;
    let table = match args.format {
        ExportForm::Parquet if out.is_terminal() => {
            return Err("-f parquet: not to a terminal; use -o FILE".to_owned());
        }
        ExportForm::Parquet => Some(table().map_err(|error| error.to_string())?),
        _ => None,
    };
    let mut rows = ExportedRows {
        form: args.format,
        table,
        end: if args.null { b'\0' } else { b'\n' },
        buffer: Vec::with_capacity(2 * BUFFER),
        number: 0,
    };
    rows.head();
    let none = SeenCommit::default();
    let given = open.each(args.prefix.as_bytes(), &mut |key, number| {
        let commit = commits.get(&number).unwrap_or(&none);
        let is_wanted = args.commit.is_none_or(|wanted| wanted == number)
            && since.is_none_or(|since| commit.time >= since)
            && selected(key);
        if !is_wanted {
            return Ok(ControlFlow::Continue(()));
        }
        rows.push(key, number, commit);
        match rows.buffer.len() < BUFFER {
            true => Ok(ControlFlow::Continue(())),
            false => unless_closed(rows.write(&mut out)),
        }
    });
    let named = |cause: io::Error| match path {
        Some(path) => format!("-o {}: {cause}", path.display()),
        None => cause.to_string(),
    };
    given.map_err(named)?;
    if let Some(table) = &mut rows.table {
        let finished = table.finish(&mut rows.buffer);
        finished.map_err(|error| error.to_string())?;
    }
    let written = unless_closed(rows.write(&mut out)).map_err(named)?;
    if written.is_continue() {
        out.finish().map_err(named)?;
    }
    Ok(rows.number)
}

/// Rows on their way to the output.
struct ExportedRows {
    form: ExportForm,
    /// The table, where rows are those of Parquet.
    table: Option<ParquetSheet>,
    end: u8,
    buffer: Vec<u8>,
    number: u64,
}

impl ExportedRows {
    fn head(&mut self) {
        if self.form == ExportForm::Csv {
            self.buffer.extend_from_slice(COLUMNS.join(",").as_bytes());
            self.buffer.push(b'\n');
        }
        if let Some(table) = &mut self.table {
            table.begin(&mut self.buffer);
        }
    }

    fn push(&mut self, key: &[u8], number: u64, commit: &SeenCommit) {
        let out = &mut self.buffer;
        self.number += 1;
        match self.form {
            ExportForm::Text => {
                out.extend_from_slice(key);
                out.push(self.end);
                return;
            }
            ExportForm::Jsonl => {
                let [uri, at, seen, note] = COLUMNS;
                let time = Value::from(time_of(commit.time));
                let key = json_of(key);
                let text = Value::from(commit.note.clone());
                let row = format!(
                    "{{\"{uri}\":{key},\"{at}\":{number},\"{seen}\":{time},\"{note}\":{text}}}"
                );
                out.extend_from_slice(row.as_bytes());
            }
            ExportForm::Parquet => {
                let (text, encoded) = match str::from_utf8(key) {
                    Ok(text) => (text, String::new()),
                    Err(_) => ("", BASE64_STANDARD.encode(key)),
                };
                let (number, time) = (number.to_string(), time_of(commit.time));
                if let Some(table) = &mut self.table {
                    let cells = [text, &number, &time, &commit.note, &encoded];
                    table.row(&cells.map(str::as_bytes), out);
                }
                return;
            }
            ExportForm::Csv => {
                quoted(key, out);
                out.extend_from_slice(format!(",{number},{},", time_of(commit.time)).as_bytes());
                quoted(commit.note.as_bytes(), out);
            }
        }
        out.push(b'\n');
    }

    fn write(&mut self, out: &mut Destination) -> io::Result<()> {
        let written = out.write_all(&self.buffer);
        self.buffer.clear();
        written
    }
}

/// Returns the table of an export.
fn table() -> Result<ParquetSheet, FormError> {
    let column = |name: &&str| SheetColumn::new(name, *name == COLUMNS[1]);
    let columns = COLUMNS.iter().chain(&[ENCODED]).map(column);
    ParquetSheet::new(&columns.collect::<Vec<_>>())
}

/// Returns a key as a string of JSON. Bytes that are not UTF-8 become U+DC80 to U+DCFF, as
/// Python's `surrogateescape` has them, so that they come back.
pub(super) fn json_of(key: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in key.utf8_chunks() {
        let text = Value::from(chunk.valid()).to_string();
        out.push_str(&text[1..text.len() - 1]);
        for byte in chunk.invalid() {
            out.push_str(&format!("\\udc{byte:02x}"));
        }
    }
    out.push('"');
    out
}

/// Appends a field of CSV.
fn quoted(field: &[u8], out: &mut Vec<u8>) {
    if !field.iter().any(|byte| b",\"\n\r".contains(byte)) {
        out.extend_from_slice(field);
        return;
    }
    out.push(b'"');
    for &byte in field {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
