//! The command `extract`: runs the sieve and writes what it finds.

use super::messages::{self, Messages, Names};
use super::plan::{self, Plan};
use super::stats::{self, Encodings};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use urisieve::decode::Encoding;
use urisieve::engine::{Error, ErrorKind, Sink, Stats};
use urisieve::item::{Finding, Loss, Spelling};
use urisieve::output::{Form, defang};

/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Runs the command; the exit code is 0 when something was found, 1 when nothing
/// was, 2 when something could not be read or written, 130 when interrupted.
pub(super) fn run(plan: Plan) -> ExitCode {
    let begun = Instant::now();
    let names = Names::new(plan.stdin_name);
    let mut writer = Writer {
        form: plan.form,
        out: io::stdout(),
        buffer: Vec::with_capacity(2 * BUFFER),
        capacity: if plan.line_buffered { 0 } else { BUFFER },
        quiet: plan.quiet,
        messages: Messages::new(names.clone(), plan.max_length, plan.messages, plan.errors),
        defang: plan.defang.then(Defanged::default),
        encodings: Encodings::default(),
        name: (usize::MAX, Arc::default()),
        names: names.clone(),
        found: false,
    };
    let sources = plan::sources(plan.inputs, plan.walk, names.clone());
    let result = plan.sieve.run(sources, &mut writer);
    let lost = match writer.messages.finish() {
        Ok(lost) => lost,
        Err(error) => {
            return messages::usage(&format!("--errors: {error}"));
        }
    };
    match &result {
        Err(error) if messages::is_closed_pipe(error) || is_enough(error) => {}
        Err(error) => {
            writer.messages.fatal(error);
            return ExitCode::from(2);
        }
        Ok(stats) => {
            if let Some(form) = plan.stats {
                let (inputs, took) = (names.count(), begun.elapsed());
                let told = stats::Told {
                    inputs,
                    unreadable: writer.messages.errors(),
                    encodings: writer.encodings,
                    distinct: plan.distinct,
                };
                stats::print(stats, &told, took, form);
            }
        }
    }
    let lost = lost && !(plan.quiet && writer.found);
    messages::code(lost, &plan.interrupt, u8::from(!writer.found))
}

/// Whether the run was ended by the first finding of `-q`.
fn is_enough(error: &Error) -> bool {
    error.kind() == ErrorKind::Write && error.cause().kind() == io::ErrorKind::Interrupted
}

/// Writes findings in a form to standard output.
struct Writer<W> {
    form: Box<dyn Form>,
    out: W,
    buffer: Vec<u8>,
    /// Bytes that are collected before they are written.
    capacity: usize,
    quiet: bool,
    messages: Messages,
    defang: Option<Defanged>,
    encodings: Encodings,
    names: Names,
    /// The input of the last finding and its name.
    name: (usize, Arc<[u8]>),
    found: bool,
}

impl<W: Write + Send> Sink for Writer<W> {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.begin(finding)?;
        let finding = match &mut self.defang {
            Some(defanged) => &defanged.of(finding),
            None => finding,
        };
        self.form.write(finding, &self.name.1, &mut self.buffer);
        self.written()
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<()> {
        self.begin(class)?;
        let texts;
        let mut safe = Vec::new();
        let (class, spellings) = match &mut self.defang {
            Some(defanged) => {
                texts = spellings
                    .iter()
                    .map(|s| defanged_text(s.text))
                    .collect::<Vec<_>>();
                let counts = spellings.iter().map(|s| s.count);
                safe.extend(
                    texts
                        .iter()
                        .zip(counts)
                        .map(|(text, count)| Spelling { text, count }),
                );
                (&defanged.of(class), &safe[..])
            }
            None => (class, spellings),
        };
        self.form
            .write_group(class, spellings, &self.name.1, &mut self.buffer);
        self.written()
    }

    fn input(&mut self, input: usize, encoding: Encoding, stats: &Stats) {
        self.encodings.add(encoding);
        self.messages.input(input, encoding, stats);
    }

    fn loss(&mut self, loss: &Loss) {
        self.messages.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.flush()
    }
}

impl<W: Write> Writer<W> {
    /// A record is to be written: with `-q` one is enough.
    fn begin(&mut self, finding: &Finding) -> io::Result<()> {
        self.found = true;
        if self.quiet {
            // Nothing more is to be known.
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.name.0 != finding.input {
            self.name = (finding.input, self.names.get(finding.input));
        }
        Ok(())
    }

    /// A record was written.
    fn written(&mut self) -> io::Result<()> {
        if self.buffer.len() >= self.capacity {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
            if self.capacity == 0 {
                self.out.flush()?;
            }
        }
        Ok(())
    }
}

/// Buffers for a finding that is told as security reports write it.
#[derive(Default)]
struct Defanged {
    uri: Vec<u8>,
    original: Vec<u8>,
}

impl Defanged {
    fn of<'f>(&'f mut self, finding: &Finding<'f>) -> Finding<'f> {
        self.uri.clear();
        self.original.clear();
        defang(finding.uri, &mut self.uri);
        defang(finding.original, &mut self.original);
        Finding {
            uri: &self.uri,
            original: &self.original,
            ..*finding
        }
    }
}

fn defanged_text(uri: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    defang(uri, &mut out);
    out
}
