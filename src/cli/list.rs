//! What the commands that read lists of URIs share: inputs, a buffered standard
//! output, messages about lines that are no URI.

use super::equivalence::Equivalence;
use super::messages::{Messages, Names, printable};
use super::plan::{self, Input, Speech};
use super::print_lines;
use super::privacy::Privacy;
use super::progress::Line;
use super::respell::Respelling;
use super::signals::Interrupt;
use super::stderr;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use urisieve::engine::{Error, Sieve, SieveBuilder, Sink, Stats};
use urisieve::input::Walk;
use urisieve::item::{Finding, Problem, Spelling};
use urisieve::output::push_error;

/// Lines that are no URI and are named one by one.
const NAMED: u64 = 10;
/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// The flags of every command that reads lists.
#[derive(Debug, clap::Args)]
pub(super) struct ListFlags {
    /// Files; none or - is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Threads (default: all cores); the output is the same for every N
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,

    /// Print numbers of the run to standard error
    #[arg(long)]
    pub stats: bool,

    /// Print no messages to standard error
    #[arg(long)]
    pub no_messages: bool,

    /// Write every line that is no URI, and every loss, to FILE as JSON Lines
    #[arg(long, value_name = "FILE")]
    pub errors: Option<PathBuf>,

    #[command(flatten)]
    pub privacy: Privacy,

    // Last, because a heading holds for all that follows it.
    #[command(flatten)]
    pub equivalence: Equivalence,
}

/// How a record of a list is written.
pub(super) trait Writing: Send {
    /// Appends what is to be printed of a record; `is_uri` says whether it is one.
    fn record(&mut self, finding: &Finding, is_uri: bool, out: &mut Vec<u8>);

    /// Appends what is to be printed of a class.
    fn group(&mut self, class: &Finding, spellings: &[Spelling], out: &mut Vec<u8>) {
        let _ = (class, spellings, out);
    }
}

/// What a run over lists gave.
pub(super) struct Ran {
    /// The numbers, or why the run ended.
    pub result: Result<Stats, Error>,
    /// Records that are no URI.
    pub bad: u64,
    /// Something could not be read or was lost.
    pub lost: bool,
    pub interrupt: Interrupt,
    pub inputs: usize,
}

impl ListFlags {
    /// Runs `sieve`, which reads lists, over `known` and then over the files.
    ///
    /// # Errors
    /// A message for whoever typed the flags.
    pub(super) fn run(
        self,
        sieve: SieveBuilder,
        known: Vec<PathBuf>,
        writing: impl Writing,
    ) -> Result<Ran, String> {
        let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
        let sieve = match self.privacy.redactor()? {
            Some(redactor) => sieve.redact(redactor),
            None => sieve,
        };
        let sieve: Sieve = sieve
            .canonicalize(self.equivalence.canonicalizer()?)
            .threads(plan::threads(self.threads)?)
            .known(known.len())
            // A list may begin as a web archive does.
            .archives(false)
            .cancel(interrupt.flag())
            .build();
        let errors = plan::create("--errors", self.errors.as_deref())?;
        let names = Names::new("-");
        let speech = match self.no_messages {
            true => Speech::Silent,
            false => Speech::Brief,
        };
        let mut sink = ListSink {
            writing,
            respelling: self.privacy.respelling(),
            buffer: Vec::with_capacity(2 * BUFFER),
            messages: Messages::new(names.clone(), usize::MAX, speech, None, Line::hidden()),
            names: names.clone(),
            errors,
            speech,
            bad: 0,
            line: (usize::MAX, 0),
        };
        let mut inputs: Vec<Input> = known.into_iter().map(plan::named).collect();
        inputs.extend(plan::inputs(self.files, None)?);
        let sources = plan::sources(inputs, Walk::default(), names.clone());
        let result = sieve.run(sources, &mut sink);
        if sink.bad > NAMED && speech != Speech::Silent {
            stderr::say(format_args!(
                "{} more lines are no URI, {} in all",
                sink.bad - NAMED,
                sink.bad
            ));
        }
        Ok(Ran {
            result,
            bad: sink.bad,
            lost: sink.messages.finish().map_err(|error| error.to_string())?,
            interrupt,
            inputs: names.count(),
        })
    }
}

/// Writes records to standard output and says which are no URI.
struct ListSink<W> {
    writing: W,
    respelling: Option<Respelling>,
    buffer: Vec<u8>,
    messages: Messages,
    names: Names,
    errors: Option<File>,
    speech: Speech,
    bad: u64,
    /// An input, and how many of its records were told.
    line: (usize, u64),
}

impl<W: Writing> Sink for ListSink<W> {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let problems = finding.marks.problems;
        let is_uri = !problems.has(Problem::NoScheme) && !problems.has(Problem::BadChar);
        if self.line.0 != finding.input {
            self.line = (finding.input, 0);
        }
        self.line.1 += 1;
        if !is_uri {
            self.tell_bad(finding)?;
        }
        let finding = match &mut self.respelling {
            Some(respelling) => &respelling.finding(finding),
            None => finding,
        };
        self.writing.record(finding, is_uri, &mut self.buffer);
        self.write_if(BUFFER)
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<()> {
        match &mut self.respelling {
            Some(respelling) => {
                let (class, spellings) = respelling.group(class, spellings);
                self.writing.group(&class, &spellings, &mut self.buffer);
            }
            None => self.writing.group(class, spellings, &mut self.buffer),
        }
        self.write_if(BUFFER)
    }

    fn loss(&mut self, loss: &urisieve::item::Loss) {
        self.messages.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_if(0)?;
        io::stdout().flush()
    }
}

impl<W> ListSink<W> {
    fn write_if(&mut self, full: usize) -> io::Result<()> {
        if self.buffer.len() < full {
            return Ok(());
        }
        print_lines(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Names a record that is no URI: its line, where they are counted, and why.
    fn tell_bad(&mut self, finding: &Finding) -> io::Result<()> {
        self.bad += 1;
        let named = self.bad <= NAMED && self.speech != Speech::Silent;
        if !named && self.errors.is_none() {
            return Ok(());
        }
        let name = self.names.get(finding.input);
        let line = finding.place.map_or(self.line.1, |place| place.line);
        let codes: Vec<&str> = finding.marks.problems.iter().map(|p| p.code()).collect();
        let cause = format!("line {line}: no URI ({})", codes.join(", "));
        if named {
            stderr::say(format_args!("{}: {cause}", printable(&name)));
        }
        if let Some(file) = &mut self.errors {
            let mut record = Vec::new();
            push_error(&name, Some(finding.offset), "no-uri", &cause, &mut record);
            file.write_all(&record)?;
        }
        Ok(())
    }
}
