//! The command `explain`: everything known about a URI, or whether two URIs are equal.

use crate::cli::flags::equivalence::Equivalence;
use crate::cli::inputs::STDIN;
use crate::cli::report::stdout::{print_lines, printed};
use crate::cli::report::{closed, messages};
use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::explain::Explanation;

/// Show the parts of URIs, how they become canonical and why
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Explain {
    /// URIs; without them, one a line is read from standard input
    #[arg(value_name = "URI")]
    uris: Vec<OsString>,

    /// Say whether A and B are equal: exit code 0 when they are, 1 when not
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "uris")]
    equal: Option<Vec<OsString>>,

    /// Print only how this specification reads each URN: valid, ends-before C, invalid
    #[arg(long, value_name = "DOCUMENT",
          value_parser = ["rfc2141", "draft2010", "draft2015", "rfc8141"], conflicts_with = "json")]
    urn_syntax: Option<String>,

    /// Print one JSON object a URI
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    equivalence: Equivalence,
}

const EXAMPLES: &str = "\
Examples:
  urisieve explain 'HTTP://www.Example.com:80/%7Ejoe/../x'
  urisieve explain --equal urn:isbn:0-395-36341-1 URN:ISBN:0395363411 -L scheme

The steps are those of -L, by default scheme here (lexical with --equal).

Keys of --json: uri; components (name, value, start, end in bytes); host (IPv4,
IPv6, IPvFuture, reg-name, empty, or null); valid (true, or offset and rule of the
first violation of RFC 3986); problems (codes; urisieve formats lists them);
level; canonical; levels (the canonical form at each level); steps (name, section,
before, after); for a URN urn_syntax (by document: valid key=..., ends-before C
key=..., invalid) and urn (registration, reference, rule, source, defects);
whatwg (as the URL Standard writes it, or null and whatwg_failure).

Exit codes: 0, or 1 with --equal when they differ, 2 an error.";

/// Runs the command.
pub(super) fn run(args: Explain) -> ExitCode {
    let canonicalizer = match args.equivalence.canonicalizer() {
        Ok(canonicalizer) => canonicalizer,
        Err(message) => return messages::usage(&message),
    };
    if let Some([a, b]) = args.equal.as_deref() {
        return equal(&canonicalizer, bytes(a), bytes(b));
    }
    let canonicalizer = match args.equivalence.level {
        Some(_) => canonicalizer,
        None => canonicalizer.at(Level::Scheme),
    };
    printed(explain_all(&args, &canonicalizer))
}

fn explain_all(args: &Explain, canonicalizer: &Canonicalizer) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut first = true;
    let mut explain = |uri: &[u8]| -> io::Result<()> {
        let explanation = Explanation::of(uri, canonicalizer);
        if let Some(name) = &args.urn_syntax {
            let urn = explanation.urn.as_ref();
            let readings = urn.map_or(&[][..], |urn| &urn.readings);
            let reading = readings
                .iter()
                .find(|(document, _)| document.name() == name);
            let reading = reading.map_or("invalid", |(_, reading)| reading);
            return writeln!(out, "{reading}");
        }
        if args.json {
            let json = explanation.to_json(canonicalizer.level().name());
            return print_lines(format!("{json}\n").as_bytes());
        }
        if !std::mem::take(&mut first) {
            writeln!(out)?;
        }
        write!(out, "{explanation}")
    };
    if args.uris.is_empty() {
        closed::stdin().map_err(|cause| io::Error::other(format!("{STDIN}: {cause}")))?;
        for line in io::stdin().lock().split(b'\n') {
            explain(line?.trim_ascii())?;
        }
    }
    args.uris.iter().try_for_each(|uri| explain(bytes(uri)))
}

/// Prints the canonical forms and whether they are the same.
fn equal(canonicalizer: &Canonicalizer, a: &[u8], b: &[u8]) -> ExitCode {
    let (mut buffer_a, mut buffer_b) = (Vec::new(), Vec::new());
    let a = canonicalizer.canonicalize(a, &mut buffer_a);
    let b = canonicalizer.canonicalize(b, &mut buffer_b);
    let level = canonicalizer.level();
    let verdict = match a == b {
        true => format!("equal at level {level}"),
        false => format!("different at level {level}"),
    };
    let lines = [a, b, verdict.as_bytes(), b""].join(&b'\n');
    match printed(print_lines(&lines)) {
        ExitCode::SUCCESS if a != b => ExitCode::from(1),
        code => code,
    }
}

fn bytes(argument: &OsString) -> &[u8] {
    argument.as_encoded_bytes()
}
