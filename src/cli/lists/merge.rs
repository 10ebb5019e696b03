//! The command `merge`: outputs in byte order become one, without sorting them again.

use crate::cli::destination::form;
use crate::cli::destination::{Destination, FileCompression, OutputNames, unless_closed};
use crate::cli::flags::{LineEndFlag, PathFlag};
use crate::cli::report::messages;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use urisieve::output::{OutputFormat, OutputLayout};

/// The bytes that are read of a file, and collected of the output, at a time.
const BUFFER: usize = 64 << 10;

/// Merge outputs of --sort into one, each URI once
///
/// Reads line by line, so that outputs of any size are merged. A line that is not in byte
/// order ends the run with its file and number. Files may be compressed with gzip or zstd.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(in crate::cli) struct MergeLines {
    /// Outputs of --sort
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Lines are COUNT<TAB>URI, by -c --sort; counts of the same URI are added
    #[arg(short, long)]
    count: bool,

    #[command(flatten)]
    output: PathFlag,

    #[command(flatten)]
    line_end: LineEndFlag,
}

const EXAMPLES: &str = "\
Examples:
  What sixteen machines found, in the order of one
      urisieve merge part-*.txt > all.txt
  How often, in all parts
      urisieve -c --sort a.log > a.txt; urisieve -c --sort b.log > b.txt
      urisieve merge -c a.txt b.txt

Exit codes: 0 something printed, 1 nothing printed, 2 an error.";

/// Runs the command.
pub(in crate::cli) fn run(args: MergeLines) -> ExitCode {
    match merged(args) {
        Ok(number) => ExitCode::from(u8::from(number == 0)),
        Err(message) => messages::usage(&message),
    }
}

/// A file at a line. The greatest of a heap is the one with the least URI; of those, the first.
struct SortedLines {
    name: PathBuf,
    number: usize,
    input: Box<dyn BufRead>,
    end: u8,
    counts: bool,
    line: u64,
    /// The URI of the line, and its count.
    uri: Vec<u8>,
    count: u64,
    buffer: Vec<u8>,
}

impl SortedLines {
    fn open(path: &Path, number: usize, (end, counts): (u8, bool)) -> Result<SortedLines, String> {
        let input = opened(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(SortedLines {
            name: path.to_owned(),
            number,
            input,
            end,
            counts,
            line: 0,
            uri: Vec::new(),
            count: 1,
            buffer: Vec::new(),
        })
    }

    /// Goes to the next line. Returns false after the last one.
    fn advance(&mut self) -> Result<bool, String> {
        self.buffer.clear();
        let read = self.input.read_until(self.end, &mut self.buffer);
        let name = self.name.display();
        if read.map_err(|error| format!("{name}: {error}"))? == 0 {
            return Ok(false);
        }
        self.line += 1;
        if self.buffer.last() == Some(&self.end) {
            self.buffer.pop();
        }
        let mut uri = &self.buffer[..];
        if self.counts {
            let read = count_of(&self.buffer);
            let why = "not COUNT<TAB>URI, as -c --sort prints it";
            let (count, rest) = read.ok_or_else(|| format!("{name}: line {}: {why}", self.line))?;
            (self.count, uri) = (count, rest);
        }
        if self.line > 1 && *uri < self.uri[..] {
            return Err(format!(
                "{name}: line {}: not in byte order; merge reads what --sort printed",
                self.line
            ));
        }
        self.uri.clear();
        self.uri.extend_from_slice(uri);
        Ok(true)
    }
}

impl Ord for SortedLines {
    fn cmp(&self, other: &Self) -> Ordering {
        let lines = other.uri.cmp(&self.uri);
        lines.then_with(|| other.number.cmp(&self.number))
    }
}

impl PartialOrd for SortedLines {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SortedLines {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SortedLines {}

/// Splits the count off a line.
fn count_of(line: &[u8]) -> Option<(u64, &[u8])> {
    let at = line.iter().position(|&byte| byte == b'\t')?;
    let count = str::from_utf8(&line[..at])
        .ok()?
        .trim_start()
        .parse()
        .ok()?;
    Some((count, &line[at + 1..]))
}

/// Opens a file, which is decompressed by its first bytes.
fn opened(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut head = [0; 4];
    let mut file: Box<dyn Read> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(path)?),
    };
    let mut len = 0;
    while len < head.len() {
        match file.read(&mut head[len..])? {
            0 => break,
            read => len += read,
        }
    }
    let whole = io::Cursor::new(head[..len].to_vec()).chain(file);
    let read: Box<dyn Read> = match &head {
        [0x1F, 0x8B, ..] => Box::new(flate2::read::MultiGzDecoder::new(whole)),
        [0x28, 0xB5, 0x2F, 0xFD] => Box::new(zstd::Decoder::new(whole)?),
        _ => Box::new(whole),
    };
    Ok(Box::new(BufReader::with_capacity(BUFFER, read)))
}

fn merged(args: MergeLines) -> Result<u64, String> {
    let end = args.line_end.byte();
    let path = args.output.path();
    let (format, compression) = form::by_flags(path, None, OutputFormat::TEXT)?;
    if format.layout != OutputLayout::Lines {
        return Err("-o: merge writes lines; use another extension".to_owned());
    }
    let mut outputs = OutputNames::new();
    let out = destination(path, compression, &mut outputs)?;
    let mut lines = BinaryHeap::with_capacity(args.files.len());
    for (number, file) in args.files.iter().enumerate() {
        let mut opened = SortedLines::open(file, number, (end, args.count))?;
        if opened.advance()? {
            lines.push(opened);
        }
    }
    write(lines, out, (end, args.count))
}

fn destination(
    path: Option<&Path>,
    compression: FileCompression,
    outputs: &mut OutputNames,
) -> Result<Destination, String> {
    Destination::named(path, compression, 1, true, outputs)
}

/// Writes each line once. Returns the number of lines.
fn write(
    mut lines: BinaryHeap<SortedLines>,
    mut out: Destination,
    (end, counts): (u8, bool),
) -> Result<u64, String> {
    let (mut buffer, mut uri, mut number) = (Vec::with_capacity(2 * BUFFER), Vec::new(), 0);
    while let Some(first) = lines.peek() {
        uri.clear();
        uri.extend_from_slice(&first.uri);
        let mut count = 0_u64;
        while let Some(mut same) = lines.peek_mut()
            && same.uri == uri
        {
            count = count.saturating_add(same.count);
            if !same.advance()? {
                PeekMut::pop(same);
            }
        }
        if counts {
            buffer.extend_from_slice(format!("{count}\t").as_bytes());
        }
        buffer.extend_from_slice(&uri);
        buffer.push(end);
        number += 1;
        if buffer.len() >= BUFFER || lines.is_empty() {
            let given = unless_closed(out.write_all(&buffer));
            if given.map_err(|error| error.to_string())?.is_break() {
                return Ok(number);
            }
            buffer.clear();
        }
    }
    out.finish().map_err(|error| error.to_string())?;
    Ok(number)
}
