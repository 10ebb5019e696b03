//! The commands that change stores as a whole, or read all of them: `seen merge`, `remove`,
//! `compact` and `verify`.

use super::export::{WhichKeys, bound};
use super::settings::{StoreKeys, shown};
use crate::cli::flags::memory::{MemoryFlags, MemoryUses};
use crate::cli::report::messages;
use crate::cli::report::printable::printable;
use crate::cli::report::stderr;
use crate::cli::signals::Interrupt;
use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use urisieve::store::seen::{LostKeys, SeenError, SeenFault, SeenReader, SeenWriter};
use urisieve::store::{Budget, ScratchFile, Sorter};

/// The most damaged places that are named one by one.
const NAMED: usize = 100;

/// How long a command waits for another writer.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct WaitFlag {
    /// Wait so long for a run that writes to the store (0)
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0",
        hide_default_value = true
    )]
    wait: u64,
}

/// Write what several stores have into a new one
///
/// Their settings must be equal. Of a URI in several stores the earliest commit counts;
/// commits are numbered anew, by their times.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct MergeSeen {
    /// The new store
    #[arg(short, long, value_name = "NEW")]
    output: PathBuf,

    /// The stores
    #[arg(value_name = "STORE", required = true)]
    stores: Vec<PathBuf>,

    #[command(flatten)]
    memory: MemoryFlags,
}

/// Remove URIs from a store, which are new then
///
/// Removes what all flags select; says how many. The space is free at once.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RemoveSeen {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,

    /// Only the lines of FILE, compared by the settings of the store
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    #[command(flatten)]
    which: WhichKeys,

    /// Only what was added before TIME: a time, a date, or 2h, 7d before now
    #[arg(long, value_name = "TIME")]
    before: Option<String>,

    /// The further resolvers with which the store was made
    #[arg(long, value_name = "FILE")]
    resolvers: Vec<PathBuf>,

    #[command(flatten)]
    wait: WaitFlag,

    #[command(flatten)]
    memory: MemoryFlags,
}

/// Write a store anew, in one run
///
/// As much space as the store takes must be free.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CompactSeen {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,

    /// Leave out what is damaged, and say what is lost
    #[arg(long)]
    skip_damaged: bool,

    #[command(flatten)]
    wait: WaitFlag,

    #[command(flatten)]
    memory: MemoryFlags,
}

/// Read all of a store, and report what is damaged
///
/// Each damaged place is named with its file and its offset. Exit codes: 0 all is sound, 2
/// something is damaged, or could not be read.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct VerifySeen {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,

    #[command(flatten)]
    memory: MemoryFlags,
}

/// Returns the exit code of a command that says what it did.
fn ended(done: Result<String, String>, interrupt: Option<&Interrupt>) -> ExitCode {
    match done {
        Ok(said) => {
            stderr::say(format_args!("{said}"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            let code = interrupt.and_then(Interrupt::code);
            let failed = messages::usage(&message);
            code.map_or(failed, ExitCode::from)
        }
    }
}

fn text_of(error: SeenError) -> String {
    match error.fault() {
        SeenFault::Cancelled => "interrupted: nothing was changed".to_owned(),
        _ => error.to_string(),
    }
}

/// Runs `seen merge`.
pub(super) fn merge(args: MergeSeen) -> ExitCode {
    let interrupt = match Interrupt::wait() {
        Ok(interrupt) => interrupt,
        Err(error) => return messages::usage(&error.to_string()),
    };
    let done = (|| {
        let stores: Result<Vec<_>, _> = args
            .stores
            .iter()
            .map(|path| SeenReader::open(path, 0))
            .collect();
        let stores = stores.map_err(text_of)?;
        let Some(first) = stores.first() else {
            return Err("seen merge: name the stores".to_owned());
        };
        for other in &stores[1..] {
            other.check_settings(first.settings()).map_err(text_of)?;
        }
        if args.output.exists() {
            return Err(format!("-o {}: it exists already", shown(&args.output)));
        }
        let scratch = args.memory.scratch()?;
        let writer = SeenWriter::open(&args.output, first.settings(), Duration::ZERO);
        let mut writer = writer.map_err(text_of)?;
        let flag = interrupt.flag();
        let united = writer.unite(&scratch, &stores, &flag);
        let keys = united.map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => "interrupted: the new store is empty".to_owned(),
            _ => error.to_string(),
        })?;
        Ok(format!(
            "{}: {}",
            shown(&args.output),
            stderr::number_of(keys, "URI")
        ))
    })();
    ended(done, Some(&interrupt))
}

/// Runs `seen remove`.
pub(super) fn remove(args: RemoveSeen) -> ExitCode {
    let interrupt = match Interrupt::wait() {
        Ok(interrupt) => interrupt,
        Err(error) => return messages::usage(&error.to_string()),
    };
    ended(removed(args, &interrupt), Some(&interrupt))
}

fn removed(args: RemoveSeen, interrupt: &Interrupt) -> Result<String, String> {
    let before = args.before.as_deref().map(|text| bound("--before", text));
    let before = before.transpose()?;
    if before.is_none() && args.which.is_all() && args.file.is_none() {
        return Err(
            "seen remove: name what is removed: FILE, --host, --include, --before".to_owned(),
        );
    }
    let selected = args.which.selection()?;
    let wait = Duration::from_secs(args.wait.wait);
    let mut writer = SeenWriter::open_existing(&args.store, wait).map_err(text_of)?;
    let open = writer.reader(0).map_err(text_of)?;
    let commits = open.commits().map_err(text_of)?;
    let scratch = args.memory.scratch()?;
    let mut listed = None;
    if let Some(file) = &args.file {
        let keys = StoreKeys::of(writer.settings(), &args.resolvers)?;
        let shares = args.memory.shares(MemoryUses {
            stores: true,
            ..MemoryUses::default()
        })?;
        let budget = shares.other.map_or_else(Budget::unlimited, Budget::new);
        let named = |error: io::Error| format!("{}: {error}", file.display());
        let sorter = sorted_keys(file, keys, &scratch, &Arc::new(budget)).map_err(named)?;
        let mut sorted = sorter.finish().map_err(named)?;
        let mut take = move || Ok(sorted.next()?.map(<[u8]>::to_vec));
        let first: io::Result<_> = take();
        listed = Some((first.map_err(named)?, take));
    }
    let done = writer.retain(&scratch, &interrupt.flag(), &mut |key, number| {
        let is_listed = match &mut listed {
            None => true,
            Some((next, take)) => loop {
                match next.as_deref().map(|next| next.cmp(key)) {
                    Some(Ordering::Less) => *next = take()?,
                    compared => break compared == Some(Ordering::Equal),
                }
            },
        };
        let is_before = before.is_none_or(|before| {
            let commit = commits.get(&number);
            commit.is_some_and(|commit| commit.time < before)
        });
        Ok(!(is_listed && is_before && selected(key)))
    });
    let rewritten = done.map_err(text_of)?;
    let keys = stderr::number_of(rewritten.removed, "URI");
    Ok(format!("{}: {keys} removed", shown(&args.store)))
}

type KeySorter = Sorter<fn(&[u8], &[u8]) -> Ordering>;

/// Returns the keys of the lines of a file.
fn sorted_keys(
    file: &Path,
    mut keys: StoreKeys,
    scratch: &Arc<ScratchFile>,
    budget: &Arc<Budget>,
) -> io::Result<KeySorter> {
    let order: fn(&[u8], &[u8]) -> Ordering = |a, b| a.cmp(b);
    let mut sorter = Sorter::new(scratch, budget, order);
    let mut input: Box<dyn BufRead> = match file.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => Box::new(BufReader::new(File::open(file)?)),
    };
    let mut line = Vec::new();
    while {
        line.clear();
        input.read_until(b'\n', &mut line)? > 0
    } {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        sorter.push(keys.key(text))?;
    }
    Ok(sorter)
}

/// Runs `seen compact`.
pub(super) fn compact(args: CompactSeen) -> ExitCode {
    let interrupt = match Interrupt::wait() {
        Ok(interrupt) => interrupt,
        Err(error) => return messages::usage(&error.to_string()),
    };
    let done = (|| {
        let wait = Duration::from_secs(args.wait.wait);
        let mut writer = match SeenWriter::open_existing(&args.store, wait) {
            Err(error) if args.skip_damaged && matches!(error.fault(), SeenFault::Damaged(..)) => {
                let writer = SeenWriter::open_damaged(&args.store, wait).map_err(text_of)?;
                let settings = writer.settings().iter();
                let settings: Vec<String> = settings
                    .map(|(name, value)| format!("{name} {value}"))
                    .collect();
                stderr::say(format_args!(
                    "{error}; the settings that are left are kept: {}",
                    printable(settings.join(", ").as_bytes())
                ));
                writer
            }
            opened => opened.map_err(text_of)?,
        };
        let scratch = args.memory.scratch()?;
        let (before, flag) = (writer.bytes(), interrupt.flag());
        let done = writer.compact(&scratch, args.skip_damaged, &flag);
        let rewriting = done.map_err(text_of)?;
        name_damage(&rewriting.lost);
        let keys = stderr::number_of(writer.keys(), "URI");
        let (store, after) = (shown(&args.store), writer.bytes());
        Ok(format!(
            "{store}: {keys}, {before} bytes before, {after} now"
        ))
    })();
    ended(done, Some(&interrupt))
}

/// Runs `seen verify`.
pub(super) fn verify(args: VerifySeen) -> ExitCode {
    let done = (|| {
        let shares = args.memory.shares(MemoryUses {
            stores: true,
            ..MemoryUses::default()
        })?;
        let memory = shares.other.unwrap_or(usize::MAX);
        let open = SeenReader::open(&args.store, memory).map_err(text_of)?;
        let mut lost = Vec::new();
        let keys = open
            .verify(&mut |found| lost.push(found))
            .map_err(text_of)?;
        name_damage(&lost);
        let keys = stderr::number_of(keys, "URI");
        match lost.len() {
            0 => Ok(format!("{}: sound, {keys}", shown(&args.store))),
            _ => Err(format!(
                "{}: {} sound, {} damaged; seen compact --skip-damaged saves what is sound",
                shown(&args.store),
                keys,
                stderr::number_of(lost.len() as u64, "place")
            )),
        }
    })();
    ended(done, None)
}

/// Names each damaged place, and the keys between which something is lost.
fn name_damage(lost: &[LostKeys]) {
    for lost in lost.iter().take(NAMED) {
        let key = |key: &Option<Vec<u8>>, none: &str| match key {
            Some(key) => printable(key),
            None => none.to_owned(),
        };
        let SeenFault::Damaged(offset, what) = lost.error.fault() else {
            continue;
        };
        let name = shown(lost.error.path());
        match (lost.has_keys, &lost.after, &lost.until) {
            (false, ..) => stderr::say(format_args!("{name}: damaged at byte {offset}: {what}")),
            (true, after, until) => stderr::say(format_args!(
                "{name}: damaged at byte {offset}: {what}; lost is what is between {} and {}",
                key(after, "the start"),
                key(until, "the end")
            )),
        }
    }
    if lost.len() > NAMED {
        stderr::say(format_args!("{} more places", lost.len() - NAMED));
    }
}
