//! Prints the lines that have a selected URI, as grep does. A line is searched on its own.

use super::line_loop::{self, LineOutput, LineWork};
use crate::cli::destination::printer::Printer;
use crate::cli::flags::NamedInputs;
use crate::cli::inputs;
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::progress::Line;
use crate::cli::report::stderr;
use crate::cli::search::plan::Plan;
use std::ops::ControlFlow;
use std::process::ExitCode;
use urisieve::TextSearch;

/// What is printed before a line.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cli) struct LinePrefix {
    pub name: bool,
    pub number: bool,
}

/// Runs what was planned; the exit codes are those of a search.
pub(in crate::cli) fn run(plan: Result<Plan, String>, prefix: LinePrefix) -> ExitCode {
    let ran = plan.and_then(|plan| print(plan, prefix));
    ran.unwrap_or_else(|message| messages::usage(&message))
}

fn print(plan: Plan, prefix: LinePrefix) -> Result<ExitCode, String> {
    let search = plan
        .sieve
        .text_search()
        .map_err(|error| error.to_string())?;
    let (interrupt, speech) = (plan.interrupt, plan.messages);
    messages::keyboard(
        plan.inputs.is_named,
        !plan.quiet && speech != Speech::Silent,
    );
    let names = plan.names;
    let mut report = Messages::new(
        names.clone(),
        plan.max_length,
        speech,
        plan.errors,
        Line::hidden(),
    );
    for (list, cause) in &plan.lists.causes {
        report.record_entry(list, cause);
    }
    let printer = Printer::new(plan.destination)
        .escaping()
        .at_once(plan.line_buffered);
    let NamedInputs { inputs, walk, .. } = plan.inputs;
    let sources = inputs::sources(inputs, walk, (names.clone(), plan.shard));
    let mut work = LinePrinter {
        search,
        prefix,
        quiet: plan.quiet,
        number: 0,
        printed: 0,
        too_long: 0,
        failed: false,
    };
    let name = |number| names.get(number).to_vec();
    let output = LineOutput {
        printer,
        report,
        interrupt: &interrupt,
        speech,
        quiet: plan.quiet,
    };
    let ended = line_loop::run(sources, name, output, &mut work, |work| {
        if work.too_long > 0 && speech != Speech::Silent {
            let lines = stderr::number_of(work.too_long, "line");
            stderr::say(format_args!("{lines} of more than 64 MiB: not searched"));
        }
    });
    let ended = match ended {
        Ok(ended) => ended,
        Err(code) => return Ok(code),
    };
    let lost = ended.lost || work.failed || work.too_long > 0;
    let found = work.printed > 0;
    let lost = (lost || plan.lists.bad > 0) && !(plan.quiet && found);
    Ok(messages::code(lost, ended.interrupted, u8::from(!found)))
}

struct LinePrinter {
    search: TextSearch,
    prefix: LinePrefix,
    quiet: bool,
    /// The number of the last line of the input.
    number: u64,
    printed: u64,
    too_long: u64,
    /// A line could not be searched.
    failed: bool,
}

impl LineWork for LinePrinter {
    fn begin(&mut self) {
        self.number = 0;
    }

    fn lines(&mut self, name: &[u8], lines: &[u8], out: &mut Vec<u8>) -> ControlFlow<()> {
        let mut rest = lines;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest);
            let text = &rest[..end.unwrap_or(rest.len())];
            rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
            self.number += 1;
            let mut has_any = false;
            let searched = self.search.search(text, |_| has_any = true);
            self.failed |= searched.is_err();
            if !has_any {
                continue;
            }
            self.printed += 1;
            if self.quiet {
                return ControlFlow::Break(());
            }
            if self.prefix.name {
                out.extend_from_slice(name);
                out.push(b':');
            }
            if self.prefix.number {
                out.extend_from_slice(format!("{}:", self.number).as_bytes());
            }
            out.extend_from_slice(text);
            out.push(b'\n');
        }
        ControlFlow::Continue(())
    }

    fn part(&mut self, _: &[u8], first: bool, _: &mut Vec<u8>) {
        self.too_long += u64::from(first);
        self.number += u64::from(first);
    }
}
