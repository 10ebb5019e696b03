//! Messages on standard error: `urisieve: FILE: OFFSET: cause`, the first ten of a
//! kind, then the number of the others.

use crate::cli::destination::{CompleteFile, appear};
use crate::cli::flags::memory::MemoryUses;
use crate::cli::inputs::InputNames;
use crate::cli::report::errors_file::ErrorsFile;
use crate::cli::report::hints::{self, InputRead, LookedFor};
use crate::cli::report::panics::{self, PanicEnds};
use crate::cli::report::printable::printable;
use crate::cli::report::progress::Line;
use crate::cli::report::stderr;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use urisieve::decode::RECORD_MAX;
use urisieve::delimit::LENGTH_MAX;
use urisieve::item::{Damage, Loss, LossKind};
use urisieve::output::NamedLoss;
use urisieve::store::StoreError;
use urisieve::{Compression, Error, ErrorKind, ReadAs, Stats};

/// The most messages of one kind that are printed one by one.
const NAMED: u64 = 10;

/// The first losses of each kind.
#[derive(Debug, Default)]
struct FirstLosses {
    first: Vec<NamedLoss>,
    /// FirstLosses by the code of their kind.
    counts: BTreeMap<String, u64>,
    /// FirstLosses that are not among the first.
    further: u64,
}

impl FirstLosses {
    fn add(&mut self, file: &[u8], offset: Option<u64>, kind: &str, cause: &impl Display) {
        if !self.counts.contains_key(kind) {
            self.counts.insert(kind.to_owned(), 0);
        }
        let count = self.counts.get_mut(kind).expect("the kind was added");
        *count += 1;
        match *count <= NAMED {
            true => self.first.push(NamedLoss {
                file: file.to_vec(),
                offset,
                kind: kind.to_owned(),
                cause: cause.to_string(),
            }),
            false => self.further += 1,
        }
    }
}

/// The limits of messages that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Speech {
    Silent,
    Brief,
    Verbose,
}

impl Speech {
    /// The messages that `--no-messages` and `-v` ask for.
    pub(in crate::cli) fn new(no_messages: bool, verbose: bool) -> Speech {
        match (no_messages, verbose) {
            (true, _) => Speech::Silent,
            (_, true) => Speech::Verbose,
            _ => Speech::Brief,
        }
    }
}

/// Reports errors and losses, on standard error and in the file of `--errors`.
#[derive(Debug)]
pub(in crate::cli) struct Messages {
    names: InputNames,
    /// The number of inputs at the beginning that `--against` names.
    known: usize,
    /// The uses of memory beside the reading of inputs.
    memory: MemoryUses,
    max_length: usize,
    speech: Speech,
    /// The file of `--errors`.
    file: Option<ErrorsFile>,
    /// The losses for a report.
    losses: FirstLosses,
    /// The hint to `--base` was printed.
    says_base: bool,
    /// The subject of hints, where hints are printed.
    hints: Option<LookedFor>,
    /// The kinds of hints that were printed.
    hinted: HashSet<usize>,
    errors: u64,
    too_long: u64,
    /// The progress line, which is cleared while a message is printed.
    line: Line,
    /// The number of containers that are not unpacked.
    unseen: u64,
    /// The number of damaged places, by the code of their kind.
    damaged: BTreeMap<&'static str, u64>,
}

impl Messages {
    pub(in crate::cli) fn new(
        names: InputNames,
        max_length: usize,
        speech: Speech,
        file: Option<ErrorsFile>,
        line: Line,
    ) -> Messages {
        Messages {
            names,
            known: 0,
            memory: MemoryUses::default(),
            max_length,
            speech,
            file,
            losses: FirstLosses::default(),
            says_base: false,
            hints: None,
            hinted: HashSet::new(),
            errors: 0,
            too_long: 0,
            line,
            unseen: 0,
            damaged: BTreeMap::new(),
        }
    }

    /// Marks messages about the first `known` inputs with `--against`.
    pub(in crate::cli) fn known(self, known: usize) -> Messages {
        Messages { known, ..self }
    }

    /// Says what takes memory beside the reading of inputs.
    pub(in crate::cli) fn with_memory(self, memory: MemoryUses) -> Messages {
        Messages { memory, ..self }
    }

    /// Gives hints about what the run looks for.
    pub(in crate::cli) fn with_hints(self, hints: Option<LookedFor>) -> Messages {
        Messages { hints, ..self }
    }

    /// Reports, when verbose, that an input was read; and once what gives the requests of its
    /// log a host (G9), and the other hints.
    pub(in crate::cli) fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        if stats.no_host > 0 && !std::mem::replace(&mut self.says_base, true) {
            let hint = "requests without a host; --base https://HOST/ gives it";
            self.say(input, format_args!("{hint}"));
        }
        let hint = match self.hint(input, read_as, stats) {
            Some(hint) => format!("; {hint}"),
            None => String::new(),
        };
        if self.speech == Speech::Verbose {
            let (bytes, found) = (stats.bytes, stats.occurrences);
            self.say(
                input,
                format_args!("read as {read_as}: {bytes} bytes, {found} URIs{hint}"),
            );
        } else if !hint.is_empty() {
            self.say(input, format_args!("read as {read_as}{hint}"));
        }
    }

    /// Returns the hint for an input: each kind once, unless verbose.
    fn hint(&mut self, input: usize, read_as: ReadAs, stats: &Stats) -> Option<String> {
        let wanted = self.hints.filter(|_| input >= self.known)?;
        let name = self.names.get(input);
        let (kind, hint) = hints::hint(&InputRead {
            name: &name,
            read_as,
            stats,
            wanted,
        })?;
        let is_new = self.hinted.insert(kind);
        (is_new || self.speech == Speech::Verbose).then_some(hint)
    }

    /// Says, when verbose, what an input was read as.
    pub(in crate::cli) fn read(&self, input: usize, what: std::fmt::Arguments) {
        if self.speech == Speech::Verbose {
            self.say(input, what);
        }
    }

    /// Reports an input that could not be read, or not to its end.
    pub(in crate::cli) fn error(&mut self, error: &Error) {
        self.errors += 1;
        let named = self.errors <= self.named();
        let cause = error.cause();
        match error.kind() {
            ErrorKind::Open(input) => {
                self.record(input, None, "open", cause);
                if named {
                    self.say(input, format_args!("{cause}"));
                }
            }
            ErrorKind::Read(input, offset) => {
                self.record(input, Some(offset), "read", cause);
                if named {
                    self.say(input, format_args!("byte {offset}: {cause}"));
                }
            }
            ErrorKind::ReadStored(input, offset) => {
                self.record(input, Some(offset), "read", cause);
                if named {
                    self.say(input, format_args!("compressed byte {offset}: {cause}"));
                }
            }
            ErrorKind::Column(input) => {
                self.record(input, None, "column", cause);
                if named {
                    self.say(input, format_args!("{cause}"));
                }
            }
            ErrorKind::Container(input) => {
                self.record(input, None, "container", cause);
                if named {
                    self.say(input, format_args!("{cause}"));
                }
            }
            ErrorKind::Panic(input) => {
                self.record(input, None, "panic", cause);
                let what = panics::report(cause, PanicEnds::Input);
                if named {
                    self.say(input, format_args!("{what}"));
                }
            }
            _ => self.fatal(error),
        }
    }

    /// Reports the error of an input that ended the run.
    pub(in crate::cli) fn ended_by(&mut self, error: &Error) {
        let ErrorKind::Panic(input) = error.kind() else {
            return self.error(error);
        };
        self.errors += 1;
        self.record(input, None, "panic", error.cause());
        let what = panics::report(error.cause(), PanicEnds::Run);
        self.say(input, format_args!("{what}"));
    }

    pub(in crate::cli) fn loss(&mut self, loss: &Loss) {
        let (input, offset) = (loss.input, loss.offset);
        match loss.kind {
            LossKind::TooLong => {
                self.too_long += 1;
                let most = self.max_length;
                self.record(
                    input,
                    Some(offset),
                    "too-long",
                    format_args!("a URI longer than {most} bytes"),
                );
                if self.too_long <= self.named() {
                    let hint = match most < LENGTH_MAX {
                        true => "; --max-length raises the limit",
                        false => "",
                    };
                    self.say(
                        input,
                        format_args!(
                            "byte {offset}: a URI longer than {most} bytes is not printed{hint}"
                        ),
                    );
                }
            }
            LossKind::RecordTooLong => {
                self.too_long += 1;
                let most = RECORD_MAX;
                let cause = format!("a record longer than {most} bytes is skipped");
                self.record(input, Some(offset), loss.kind.code(), &cause);
                if self.too_long <= self.named() {
                    self.say(input, format_args!("byte {offset}: {cause}"));
                }
            }
            LossKind::Unseen(damage) => {
                self.unseen += 1;
                let (container, cause) = (damage.container, damage.cause);
                let what = format!("looks like {container}; {cause}");
                self.record(input, Some(offset), loss.kind.code(), &what);
                if self.unseen <= self.named() {
                    let tool = self.hints.and_then(|_| hints::unpacked_by(container));
                    let tool = tool.map_or(String::new(), |tool| format!("; {tool}"));
                    self.say(input, format_args!("{what}{tool}"));
                }
            }
            kind => self.damage(input, offset, &kind),
        }
    }

    /// Reports a part of a container that is lost; `offset` is where the part begins in
    /// the stored input.
    fn damage(&mut self, input: usize, offset: u64, kind: &LossKind) {
        let count = self.damaged.entry(kind.code()).or_default();
        *count += 1;
        let count = *count;
        let named = count <= self.named();
        let cause = match kind.damage() {
            Some(damage) => damage.to_string(),
            None => "data is lost".to_owned(),
        };
        self.record(input, Some(offset), kind.code(), &cause);
        if named {
            match kind.damage() {
                Some(damage) => {
                    let said = damaged(offset, kind, &damage);
                    let advice = match damage.window {
                        Some(shortage) => {
                            let limit = self.memory.limit_of(shortage.limit);
                            let limit = limit.div_ceil(1 << 20);
                            format!("; --max-memory {limit}M reads it")
                        }
                        None => String::new(),
                    };
                    self.say(input, format_args!("{said}{advice}"));
                }
                None => self.say(input, format_args!("byte {offset}: {cause}")),
            }
        }
    }

    /// Prints how many messages were not printed; returns true when there was any
    /// message.
    pub(in crate::cli) fn finish(&mut self) -> bool {
        let damaged = self.damaged.iter().map(|(&code, &count)| {
            let what = match code {
                "damaged" => "parts were damaged",
                "truncated" => "parts were truncated",
                "suspect" => "parts were suspect",
                "garbage" => "runs of bytes were skipped",
                _ => "parts were not decoded",
            };
            (count, what)
        });
        let counts = [
            (self.errors, "inputs could not be read"),
            (self.too_long, "URIs were longer than the limit"),
            (
                self.unseen,
                "inputs look like containers that are not unpacked",
            ),
        ];
        for (count, what) in counts.into_iter().chain(damaged) {
            if count > self.named() && self.speech != Speech::Silent {
                stderr::say(format_args!(
                    "{} more {what}, {count} in all",
                    count - NAMED
                ));
            }
        }
        let damaged: u64 = self.damaged.values().sum();
        self.errors + self.too_long + damaged > 0
    }

    /// Lets `files`, which are complete, and the file of `--errors` appear together. Fails
    /// when one cannot be written, which is then printed: none appears.
    ///
    /// When an interrupt or an error ends a run, its other files do not appear, but that of
    /// `--errors` does: it says what was lost until then.
    pub(in crate::cli) fn appear(&mut self, mut files: Vec<CompleteFile>) -> Result<(), ()> {
        let completed = self.file.take().map(ErrorsFile::complete).transpose();
        let appeared = completed.and_then(|file| {
            files.extend(file.flatten());
            appear(files)
        });
        appeared.map_err(|(said, error)| {
            if self.speech != Speech::Silent {
                stderr::say(format_args!("{said}: {error}"));
            }
        })
    }

    /// Whether all losses are written to a file.
    pub(in crate::cli) fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// Prints why the run stopped.
    pub(in crate::cli) fn fatal(&self, error: &Error) {
        if self.speech != Speech::Silent {
            fatal(error);
        }
    }

    /// Says that URIs are not printed as they are found any more.
    pub(in crate::cli) fn memory_used_up(&self) {
        if self.speech != Speech::Silent {
            self.line.around(|| {
                stderr::say(format_args!(
                    "the memory limit is reached: further URIs are printed when all inputs are \
                     read (--max-memory raises the limit)"
                ));
            });
        }
    }

    /// Says what is missing because the run was interrupted while URIs on disk were
    /// compared. `prints` says whether those that are known to be new are printed.
    pub(in crate::cli) fn unsettled(&self, prints: bool) {
        stderr::say(format_args!(
            "{}",
            match prints {
                true => "interrupted: URIs that are not compared yet are missing",
                false => "interrupted: not all URIs are compared, so none is counted",
            }
        ));
    }

    /// The number of inputs that could not be read to their end.
    pub(in crate::cli) fn errors(&self) -> u64 {
        self.errors
    }

    /// Prints why a file could not be written.
    pub(in crate::cli) fn unwritten(&self, path: &Path, cause: &dyn Display) {
        if self.speech != Speech::Silent {
            let name = printable(path.as_os_str().as_encoded_bytes());
            stderr::say(format_args!("{name}: {cause}"));
        }
    }

    /// The most messages of a kind that are printed one by one.
    fn named(&self) -> u64 {
        match self.speech {
            Speech::Verbose => u64::MAX,
            Speech::Brief | Speech::Silent => NAMED,
        }
    }

    /// Writes a loss of an input to the file of `--errors`.
    pub(in crate::cli) fn record(
        &mut self,
        input: usize,
        offset: Option<u64>,
        kind: &str,
        cause: impl Display,
    ) {
        let name = self.names.get(input);
        self.losses.add(&name, offset, kind, &cause);
        if let Some(file) = &mut self.file {
            file.record(&name, offset, kind, &cause);
        }
    }

    /// Returns the first losses of each kind, and the number of all others.
    pub(in crate::cli) fn losses(&mut self) -> (Vec<NamedLoss>, u64) {
        let FirstLosses { first, further, .. } = std::mem::take(&mut self.losses);
        (first, further)
    }

    /// Writes a line of a list of indicators that is not an entry to the file of `--errors`.
    pub(in crate::cli) fn record_entry(&mut self, list: &[u8], cause: impl Display) {
        if let Some(file) = &mut self.file {
            file.record(list, None, "bad-entry", &cause);
        }
    }

    /// Writes a loss of what is not an input to the file of `--errors`.
    pub(in crate::cli) fn record_argument(&mut self, kind: &str, cause: impl Display) {
        if let Some(file) = &mut self.file {
            file.record(b"", None, kind, &cause);
        }
    }

    fn say(&self, input: usize, what: std::fmt::Arguments) {
        if self.speech == Speech::Silent {
            return;
        }
        let name = self.names.get(input);
        let flag = if input < self.known { "--against " } else { "" };
        self.line.around(|| match name.is_empty() {
            // The file that names the inputs could not be read.
            true => stderr::say(what),
            false => stderr::say(format_args!("{flag}{}: {what}", printable(&name))),
        });
    }
}

/// Describes a damaged place; each offset is named with its unit.
fn damaged(offset: u64, kind: &LossKind, damage: &Damage) -> String {
    let (container, at) = (damage.container, damage.at);
    // The cause is of an input as a whole.
    if container == "input" {
        return damage.cause.to_owned();
    }
    let cause = match damage.window {
        Some(shortage) => shortage.to_string(),
        None => damage.cause.to_owned(),
    };
    let byte = match Compression::named(container) {
        Some(_) => "compressed byte",
        None => "byte",
    };
    let what = match kind {
        LossKind::Damaged(_) => "is damaged, and only its beginning was read",
        LossKind::Truncated(_) => "is truncated",
        LossKind::Suspect(_) => "may be wrong, but was read",
        LossKind::Garbage(_) => "was skipped",
        LossKind::Unsupported(_) => "was not decoded",
        _ => "is lost",
    };
    if let Some(record) = damage.record {
        return format!("byte {at}: {record}: {cause}");
    }
    let mut said = format!("{byte} {at}: {container}: {cause}; ");
    said += &match kind {
        LossKind::Garbage(_) if offset == at => "they were skipped".to_owned(),
        _ if offset == at => format!("the part that begins there {what}"),
        _ => format!("the part that begins at {byte} {offset} {what}"),
    };
    if let Some(resumes) = damage.resumes {
        said += &format!("; reading resumes at {byte} {resumes}");
    }
    if let Some((from, to)) = damage.text {
        said += &format!("; of its text, bytes {from} to {to} may be wrong");
    }
    said
}

/// Prints why the arguments are rejected, without control characters.
///
/// `tip` is what was probably meant; it replaces the advice to pass an option as a
/// value.
pub(in crate::cli) fn refused(error: &clap::Error, tip: Option<String>) -> ExitCode {
    let text = error.render().to_string();
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| printable(line.as_bytes()))
        .collect();
    if let Some(tip) = tip {
        let tip = format!("  tip: {}", printable(tip.as_bytes()));
        match lines.iter().position(|line| line.starts_with("  tip: ")) {
            Some(at) => lines[at] = tip,
            None => drop(lines.splice(1..1, [String::new(), tip])),
        }
    }
    stderr::line(format_args!("{}", lines.join("\n")));
    ExitCode::from(2)
}

/// Prints that standard input is read, when no input was named and standard input is a
/// terminal.
pub(in crate::cli) fn keyboard(is_named: bool, speaks: bool) {
    if waits_for_keyboard(is_named, speaks, io::stdin().is_terminal()) {
        stderr::say(format_args!(
            "reading standard input; ^D ends it; see --help for examples"
        ));
    }
}

fn waits_for_keyboard(is_named: bool, speaks: bool, is_terminal: bool) -> bool {
    !is_named && speaks && is_terminal
}

/// Prints a usage error.
pub(in crate::cli) fn usage(message: &str) -> ExitCode {
    stderr::say(format_args!("{message}"));
    ExitCode::from(2)
}

/// Whether an input could not be read.
pub(in crate::cli) fn is_of_input(error: &Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::Write | ErrorKind::Threads | ErrorKind::TemporaryFile | ErrorKind::Memory
    )
}

/// Whether an output could not be written.
pub(in crate::cli) fn is_of_output(error: &Error) -> bool {
    error.kind() == ErrorKind::Write && !is_of_temporary_file(error)
}

/// Whether something panicked that worked on an input.
pub(in crate::cli) fn is_panic(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Panic(_))
}

/// The exit code of a run that failed; says why.
pub(in crate::cli) fn ended(error: &Error) -> ExitCode {
    fatal(error);
    ExitCode::from(2)
}

/// Prints why a run failed, and what to do.
fn fatal(error: &Error) {
    match error.kind() {
        _ if is_of_temporary_file(error) => {
            stderr::say(format_args!("{}{TEMPORARY}", error.cause()));
        }
        ErrorKind::Memory => {
            stderr::say(format_args!("{error} (-m); --max-memory raises it"));
        }
        _ => stderr::say(format_args!("{error}")),
    }
}

/// The advice on a temporary file that fails.
const TEMPORARY: &str = "; -T names another directory for it, --max-memory raises the limit \
                         above which it is needed";

/// Returns what to do about an error, to be printed after it; empty when that is not known.
pub(in crate::cli) fn advice(cause: &io::Error) -> &'static str {
    let inner = cause.get_ref();
    match inner.is_some_and(|inner| inner.is::<StoreError>()) {
        true => TEMPORARY,
        false => "",
    }
}

/// Whether the temporary file of the sieve or that of a graph failed.
pub(in crate::cli) fn is_of_temporary_file(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::TemporaryFile => true,
        ErrorKind::Write => !advice(error.cause()).is_empty(),
        _ => false,
    }
}

/// Returns the exit code of a complete run: that of an interrupt or of a loss, or
/// `good`.
pub(in crate::cli) fn code(lost: bool, interrupted: Option<u8>, good: u8) -> ExitCode {
    ExitCode::from(interrupted.unwrap_or(if lost { 2 } else { good }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyboard_is_mentioned_only_when_no_input_was_named() {
        for is_named in [true, false] {
            for speaks in [true, false] {
                for is_terminal in [true, false] {
                    assert_eq!(
                        waits_for_keyboard(is_named, speaks, is_terminal),
                        (is_named, speaks, is_terminal) == (false, true, true)
                    );
                }
            }
        }
    }
}
