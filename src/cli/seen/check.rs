//! The command `seen check`: of each line whether a store has it, and since when.

use super::settings::{StoreKeys, time_of};
use crate::cli::report::messages;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use urisieve::store::seen::{SeenCommit, SeenReader};

/// The bytes that are read and written at a time, and the memory for the store.
const BUFFER: usize = 256 << 10;
const MEMORY: usize = 512 << 20;

/// Print of each line whether a store has it, and since when
///
/// Lines are compared by the settings of the store; of a store of links a line is
/// SOURCE<TAB>TARGET. Prints known<TAB>TIME<TAB>LINE or new<TAB>-<TAB>LINE.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(in crate::cli) struct CheckSeen {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,

    /// Files with one URI a line; without them, or with -, standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print the lines that the store has, byte for byte
    #[arg(long, conflicts_with = "new")]
    known: bool,

    /// Print the lines that the store lacks, byte for byte
    #[arg(long)]
    new: bool,

    /// The further resolvers with which the store was made
    #[arg(long, value_name = "FILE")]
    resolvers: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  Whether a URL was seen
      echo http://a.example/ | urisieve seen check seen.store
  The lines that are new
      urisieve seen check --new seen.store urls.txt

Exit codes: 0 all are known, 1 some are not, 2 an error.";

/// Runs the command.
pub(super) fn run(args: CheckSeen) -> ExitCode {
    match check(args) {
        Ok(is_all) => ExitCode::from(u8::from(!is_all)),
        Err(message) => messages::usage(&message),
    }
}

fn check(args: CheckSeen) -> Result<bool, String> {
    let open = SeenReader::open(&args.store, MEMORY).map_err(|error| error.to_string())?;
    let mut checked = CheckedLines {
        keys: StoreKeys::of(open.settings(), &args.resolvers)?,
        commits: open.commits().map_err(|error| error.to_string())?,
        open,
        wanted: match (args.known, args.new) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        is_all: true,
    };
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    let files = match args.files.is_empty() {
        true => vec![PathBuf::from("-")],
        false => args.files,
    };
    let mut done = Ok(());
    for file in files {
        let failed = |cause: io::Error| format!("{}: {cause}", file.display());
        done = match file.as_os_str() == "-" {
            true => checked.each(io::stdin().lock(), &mut out),
            false => {
                let input = File::open(&file).map_err(failed)?;
                checked.each(BufReader::with_capacity(BUFFER, input), &mut out)
            }
        };
        if done.is_err() {
            break;
        }
    }
    match done.and_then(|()| out.flush()) {
        // Nobody reads any more.
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {}
        Err(cause) => return Err(cause.to_string()),
        Ok(()) => {}
    }
    Ok(checked.is_all)
}

/// Lines that are compared with a store.
struct CheckedLines {
    open: SeenReader,
    keys: StoreKeys,
    commits: BTreeMap<u64, SeenCommit>,
    /// Which lines are printed as they are; `None` for a column before each.
    wanted: Option<bool>,
    is_all: bool,
}

impl CheckedLines {
    fn each(&mut self, mut input: impl BufRead, out: &mut impl Write) -> io::Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let found = self.open.find(self.keys.key(text))?;
            self.is_all &= found.is_some();
            match self.wanted {
                Some(wanted) if wanted == found.is_some() => out.write_all(&line)?,
                Some(_) => {}
                None => {
                    match found {
                        Some(commit) => {
                            let commit = self.commits.get(&commit);
                            let time = commit.map_or(0, |commit| commit.time);
                            write!(out, "known\t{}\t", time_of(time))?;
                        }
                        None => write!(out, "new\t-\t")?,
                    }
                    out.write_all(text)?;
                    out.write_all(b"\n")?;
                }
            }
        }
    }
}
