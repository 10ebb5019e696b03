//! The command `resolve`: references against a base.

use super::privacy::Privacy;
use super::{messages, print_lines, stderr};
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::process::ExitCode;
use urisieve::canonicalize::Redactor;
use urisieve::output::defang;
use urisieve::syntax::resolve::{self, Note, Rules};

/// Resolve references against a base URI, one a line
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Resolve {
    /// The base URI
    #[arg(long, value_name = "URI", allow_hyphen_values = true)]
    base: OsString,

    /// By the rules of RFC 3986, RFC 2396 (or 1998), 1993, or whatwg (for HTML)
    #[arg(long, value_name = "RULES", default_value = "3986")]
    rfc: String,

    /// Print no messages to standard error
    #[arg(long)]
    no_messages: bool,

    #[command(flatten)]
    privacy: Privacy,

    /// References; none is one a line from standard input
    #[arg(value_name = "REF", allow_hyphen_values = true)]
    references: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  urisieve resolve --base http://a/b/c/d ../g '?y' '#s'
  urisieve resolve --base https://a.example/dir/ --rfc whatwg < hrefs.txt

Exit codes: 0 all resolved, 2 a reference could not be.";

/// Runs the command.
pub(super) fn run(args: Resolve) -> ExitCode {
    let rules: Rules = match args.rfc.parse() {
        Ok(rules) => rules,
        Err(error) => return messages::usage(&format!("--rfc: {error}")),
    };
    let redactor = match args.privacy.redactor() {
        Ok(redactor) => redactor,
        Err(message) => return messages::usage(&message),
    };
    let base = args.base.as_encoded_bytes();
    let mut resolver = Resolver {
        rules,
        base,
        redactor,
        defangs: args.privacy.defang,
        speaks: !args.no_messages,
        noted: Vec::new(),
        failed: false,
        out: Vec::new(),
    };
    let result = if args.references.is_empty() {
        let mut lines = io::stdin().lock().split(b'\n');
        lines.try_for_each(|line| resolver.resolve(line?.trim_ascii()))
    } else {
        let mut references = args.references.iter();
        references.try_for_each(|reference| resolver.resolve(reference.as_encoded_bytes()))
    };
    match (super::printed(result), resolver.failed) {
        (ExitCode::SUCCESS, true) => ExitCode::from(2),
        (code, _) => code,
    }
}

struct Resolver<'b> {
    rules: Rules,
    base: &'b [u8],
    redactor: Option<Redactor>,
    defangs: bool,
    speaks: bool,
    /// What was said already.
    noted: Vec<Note>,
    failed: bool,
    out: Vec<u8>,
}

impl Resolver<'_> {
    fn resolve(&mut self, reference: &[u8]) -> io::Result<()> {
        self.out.clear();
        match resolve::resolve(self.rules, self.base, reference, &mut self.out) {
            Err(error) => {
                self.failed = true;
                if self.speaks {
                    let reference = messages::printable(&self.told(reference));
                    stderr::say(format_args!("{reference}: {error}"));
                }
                Ok(())
            }
            Ok(resolved) => {
                for note in resolved.notes.iter() {
                    if self.speaks && !self.noted.contains(&note) {
                        self.noted.push(note);
                        stderr::say(format_args!("note: {note}"));
                    }
                }
                let prefix = resolved.target.prefix().as_bytes();
                print_lines(&[prefix, &self.told(&self.out), b"\n"].concat())
            }
        }
    }

    /// A URI as it is printed.
    fn told(&self, uri: &[u8]) -> Vec<u8> {
        let mut buffer = Vec::new();
        let uri = match &self.redactor {
            Some(redactor) => redactor.redact(uri, &mut buffer),
            None => uri,
        };
        let mut told = Vec::new();
        match self.defangs {
            true => defang(uri, &mut told),
            false => told.extend_from_slice(uri),
        }
        told
    }
}
