//! The command `resolve`: resolves references against a base URI.

use crate::cli::destination::{OutputNames, unless_closed};
use crate::cli::flags::privacy::{Privacy, PrivateUri};
use crate::cli::flags::{ErrorsFlag, LineEndFlag, SilenceFlag, StdinFlag, shown, worded};
use crate::cli::inputs;
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::printable::printable;
use crate::cli::report::progress::Line;
use crate::cli::report::stderr;
use crate::cli::report::stdout::print_lines;
use std::ffi::OsString;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use urisieve::item::{Finding, Loss};
use urisieve::output::OutputFormat;
use urisieve::syntax::class::is_boundary;
use urisieve::syntax::resolve::{self, Note, Rules};
use urisieve::{Error, Mode, Sieve, Sink};

/// The most failed references that are reported one by one.
const NAMED: u64 = 10;

/// Resolve references against a base URI, one a line
///
/// The output has as many lines as there are references. One that cannot be resolved,
/// or that contains a blank, a control character, <, > or " (which the URL Standard
/// allows), becomes an empty line and is reported, the first ten one by one; the exit
/// code is then 1.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("label", shown),
    mut_arg("errors", |arg| worded(arg, ERRORS, ""))
)]
pub(super) struct Resolve {
    /// The base URI
    #[arg(long, value_name = "URI", allow_hyphen_values = true)]
    base: OsString,

    /// By the rules of RFC 3986, RFC 2396 (or 1998), 1993, or whatwg (for HTML)
    #[arg(long, value_name = "RULES", default_value = "3986")]
    rfc: String,

    #[command(flatten)]
    stdin: StdinFlag,

    #[command(flatten)]
    line_end: LineEndFlag,

    #[command(flatten)]
    silence: SilenceFlag,

    #[command(flatten)]
    errors: ErrorsFlag,

    #[command(flatten)]
    privacy: Privacy,

    /// References; without them, one a line is read from standard input
    #[arg(value_name = "REF", allow_hyphen_values = true)]
    references: Vec<OsString>,
}

const ERRORS: &str = "Write every reference that fails to FILE as JSON Lines";

const EXAMPLES: &str = "\
Examples:
  urisieve resolve --base http://a/b/c/d ../g '?y' '#s'
  urisieve resolve --base https://a.example/dir/ --rfc whatwg < hrefs.txt

Exit codes: 0 all resolved, 1 some could not be, 2 an error.";

/// Runs the command.
pub(super) fn run(args: Resolve) -> ExitCode {
    let rules: Rules = match args.rfc.parse() {
        Ok(rules) => rules,
        Err(error) => return messages::usage(&format!("--rfc: {error}")),
    };
    let private = match args.privacy.private_uri(OutputFormat::TEXT) {
        Ok(private) => private,
        Err(message) => return messages::usage(&message),
    };
    // Nothing but the results: their place is standard output.
    let mut outputs = OutputNames::new();
    outputs.take_stdout();
    let errors = match args.errors.open(std::iter::empty(), &mut outputs) {
        Ok(errors) => errors,
        Err(message) => return messages::usage(&message),
    };
    let speech = args.silence.speech();
    let names = args.stdin.names();
    names.add_stdin();
    // Resolution would cut a secret at a delimiter in it, and its first part would be shown.
    let base = args.base.as_encoded_bytes();
    let base_without_secrets = private.without_secrets(base);
    let mut resolver = ReferenceLines {
        rules,
        base: base_without_secrets.as_deref().unwrap_or(base),
        private,
        speech,
        messages: Messages::new(names.clone(), usize::MAX, speech, errors, Line::hidden()),
        stdin: args.references.is_empty().then(|| names.get(0)),
        end: args.line_end.byte(),
        number: 0,
        noted: Vec::new(),
        failed: 0,
        out: Vec::new(),
    };
    let result = if args.references.is_empty() {
        messages::keyboard(false, speech != Speech::Silent);
        let sieve = Sieve::builder()
            .list(args.line_end.layout())
            .mode(Mode::All)
            .originals(true)
            .build();
        sieve.run([inputs::stdin()], &mut resolver)
    } else {
        let mut references = args.references.iter();
        let result =
            references.try_for_each(|reference| resolver.resolve(reference.as_encoded_bytes()));
        if let Err(error) = result {
            if error.kind() == io::ErrorKind::BrokenPipe {
                // Nobody reads any more, which is no error.
                let _ = resolver.messages.appear(Vec::new());
            }
            return super::printed(Err(error));
        }
        Ok(Default::default())
    };
    resolver.end(result)
}

struct ReferenceLines<'b> {
    rules: Rules,
    base: &'b [u8],
    private: PrivateUri,
    speech: Speech,
    messages: Messages,
    /// The name of standard input, when references come from there.
    stdin: Option<std::sync::Arc<[u8]>>,
    /// The byte that ends a line.
    end: u8,
    /// The number of references so far.
    number: u64,
    /// The notes that were printed already.
    noted: Vec<Note>,
    failed: u64,
    out: Vec<u8>,
}

impl Sink for ReferenceLines<'_> {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        unless_closed(self.resolve(finding.original.trim_ascii()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.messages.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        unless_closed(io::stdout().flush())
    }
}

impl ReferenceLines<'_> {
    fn resolve(&mut self, reference: &[u8]) -> io::Result<()> {
        self.number += 1;
        self.out.clear();
        let reads_all = self.rules.name() == "whatwg";
        if !reads_all && reference.iter().any(|&byte| is_boundary(byte)) {
            self.fail(reference, "a character that references may not contain");
            return print_lines(&[self.end]);
        }
        match resolve::resolve(self.rules, self.base, reference, &mut self.out) {
            Err(error) => {
                self.fail(reference, &error.to_string());
                print_lines(&[self.end])
            }
            Ok(resolved) => {
                for note in resolved.notes.iter() {
                    if self.speech != Speech::Silent && !self.noted.contains(&note) {
                        self.noted.push(note);
                        stderr::say(format_args!("note: {note}"));
                    }
                }
                let prefix = resolved.target.prefix().as_bytes();
                print_lines(&[prefix, &self.shown(&self.out), &[self.end]].concat())
            }
        }
    }

    /// Reports a reference that fails: its number and the cause.
    fn fail(&mut self, reference: &[u8], cause: &str) {
        self.failed += 1;
        let (number, reference) = (self.number, printable(&self.shown(reference)));
        let (name, what) = match &self.stdin {
            Some(name) => (&name[..], "line"),
            None => (&b""[..], "reference"),
        };
        let cause = format!("{what} {number}: {reference}: {cause}");
        match name.is_empty() {
            true => self.messages.record_argument("unresolved", &cause),
            false => self.messages.record(0, None, "unresolved", &cause),
        }
        if self.failed <= NAMED && self.speech != Speech::Silent {
            match name.is_empty() {
                true => stderr::say(format_args!("{cause}")),
                false => {
                    let name = printable(name);
                    stderr::say(format_args!("{name}: {cause}"));
                }
            }
        }
    }

    /// Prints how many failures were not printed; returns the exit code.
    fn end(mut self, result: Result<urisieve::Stats, Error>) -> ExitCode {
        if self.failed > NAMED && self.speech != Speech::Silent {
            stderr::say(format_args!(
                "{} more references could not be resolved, {} in all",
                self.failed - NAMED,
                self.failed
            ));
        }
        if let Err(error) = &result
            && messages::is_panic(error)
        {
            self.messages.ended_by(error);
        }
        let lost = self.messages.finish();
        let is_unwritten = self.messages.appear(Vec::new()).is_err();
        match result {
            Err(error) if messages::is_panic(&error) => ExitCode::from(2),
            Err(error) => messages::ended(&error),
            Ok(_) if is_unwritten => ExitCode::from(2),
            // Nobody reads any more.
            Ok(stats) if stats.stopped => ExitCode::SUCCESS,
            Ok(_) if lost => ExitCode::from(2),
            Ok(_) => ExitCode::from(u8::from(self.failed > 0)),
        }
    }

    /// Returns a URI as it is printed.
    fn shown(&self, uri: &[u8]) -> Vec<u8> {
        let mut shown = Vec::new();
        self.private.push(uri, &mut shown);
        shown
    }
}
