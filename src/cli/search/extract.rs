//! The command `extract`: its flags, and what they mean. The run is that of every search.

use super::plan::{Plan, SearchTask};
use super::run;
use super::shapes::OnePerShape;
use super::uri_flags::UriFlags;
use crate::cli::destination::form;
use crate::cli::destination::respell::Respelling;
use crate::cli::flags::OutputFlags;
use crate::cli::report::hints::LookedFor;
use crate::cli::search::habits::{Habits, Print};
use crate::cli::seen::settings::StoredKeys;
use crate::cli::stream::lines::{self, LinePrefix};
use std::process::ExitCode;
use urisieve::output::{OutputFormat, OutputLayout, PartFields, RowKind, Text};
use urisieve::{CountBy, CountPer, ExchangeFilter, Mode};

/// The flags of `extract`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Extract {
    #[command(flatten)]
    pub output: OutputFlags,

    #[command(flatten)]
    habits: Habits,

    #[command(flatten)]
    pub uris: UriFlags,
}

/// Runs the command.
pub(in crate::cli) fn run(args: Extract) -> ExitCode {
    if args.output.print_lines {
        let output = &args.output;
        let prefix = LinePrefix {
            name: output.with_filename && !output.no_filename,
            number: output.line_number,
        };
        return lines::run(args.plan(), prefix);
    }
    run::run(args.plan())
}

impl Extract {
    /// # Errors
    /// A message that names the flag.
    fn plan(self) -> Result<Plan, String> {
        let Extract {
            mut output,
            habits,
            uris,
        } = self;
        let max_length = uris.rules.references.max_length()?;
        let print = habits.settle(&mut output)?;
        let is_all = output.counts.all || print == Print::Files || output.print_lines;
        let mode = match (is_all, output.groups, output.counts.count) {
            (true, _, _) => Mode::All,
            (_, true, _) => Mode::Groups,
            (_, _, true) => Mode::Count,
            _ => Mode::Distinct,
        };
        output.order.check(mode)?;
        let part = match CountBy::named(&output.by) {
            Some(CountBy::Shape) if output.shape_values => Some(CountBy::ValueShape),
            part => part,
        };
        if output.shape_values && part != Some(CountBy::ValueShape) && output.one_per.is_none() {
            return Err("--shape-values: only with --by shape or --one-per shape".to_owned());
        }
        let (format, compression) = form::format(&output.report)?;
        check_format(&output, part, format)?;
        match print {
            Print::Files if format != OutputFormat::TEXT => {
                return Err("-l: only with -f text".to_owned());
            }
            Print::Total if format != OutputFormat::TEXT => {
                return Err("--all -c: only with -f text".to_owned());
            }
            _ => {}
        }
        // Lines are searched in their order.
        let threads = match output.print_lines {
            true => 1,
            false => uris.search.input.resources.threads()?,
        };
        let records = format != OutputFormat::TEXT;
        // Only these show the problem of a line's end, for which a URI waits.
        let shows_stats = output.report.messages.stats.stats;
        let shows_problems = records || shows_stats || !uris.search.selection.problem.is_empty();
        let places = !output.print_lines
            && (output.line_number || output.column || output.vimgrep || records);
        let counts = matches!(mode, Mode::Count | Mode::Groups);
        let filter = uris.exchanges()?;
        let counts_requests = part.is_some_and(CountBy::is_of_requests);
        let wanted = match counts_requests || filter != ExchangeFilter::default() {
            true => LookedFor::Requests,
            false => LookedFor::Uris,
        };
        let has_steps = matches!(
            format.layout,
            OutputLayout::Objects | OutputLayout::Document
        );
        let entries = output.match_with.is_for(format)?;
        let mut sieve = uris
            .builder(max_length, shows_problems)?
            .exchanges(filter)
            .max_findings(habits.most(print))
            .reasons(mode == Mode::Groups && has_steps)
            .requests(records)
            .matched(records || entries)
            .times(records && counts)
            .sources(records && mode == Mode::Count && part.is_none())
            .originals(records || output.original)
            .positions(records || shows_stats)
            .lines(places && !counts);
        if part == Some(CountBy::Match) && uris.search.selection.matching.lists.is_empty() {
            return Err("--by match: only with --match".to_owned());
        }
        if let Some(part) = part {
            sieve = sieve.count_by(part);
        }
        if let Some(per) = output.per.as_deref().and_then(CountPer::named) {
            if !matches!(mode, Mode::Count | Mode::Groups) {
                return Err("--per: only with -c or --groups".to_owned());
            }
            sieve = sieve.count_per(per);
        }
        let search = uris.search;
        let task = SearchTask {
            sieve,
            mode,
            names: search.input.text.stdin.names(),
            wanted,
            threads,
            max_length,
            format,
            compression,
            print,
            rows: rows(&output, part),
            text: text(&output),
            // A part is not a URI: its form writes it in the right way.
            respelling: match output.surt.surt {
                _ if part.is_some() => None,
                Some(form) => Some(Respelling::surt(form)),
                None => output.report.privacy.respelling(),
            },
            graph: None,
            zero_names: habits.null_data,
            json_report: false,
            keys: Some(StoredKeys::Uri),
            all_entries: output.match_all,
            by_lines: output.print_lines,
            shapes: output
                .one_per
                .as_ref()
                .map(|_| OnePerShape::new(output.shape_values)),
        };
        Plan::new(task, (output.counts, output.order), output.report, search)
    }
}

/// Checks that `format` has what is printed; `part` is what is counted instead of URIs.
///
/// # Errors
/// A message that names the flag.
fn check_format(
    output: &OutputFlags,
    part: Option<CountBy>,
    format: &OutputFormat,
) -> Result<(), String> {
    if part.is_some() && (!output.counts.count || output.groups) {
        return Err("--by: only with -c".to_owned());
    }
    if part.is_some() && !format.has_all_rows {
        return Err(format!("--by: not with -f {}", format.name));
    }
    if part.is_some() && output.match_with.match_with {
        return Err("--match-with: not with --by; --by match counts by entry".to_owned());
    }
    if output.match_all && part != Some(CountBy::Match) {
        return Err("--match-all: only with -c --by match".to_owned());
    }
    form::check_hosts(format, output.report.privacy.defang)?;
    match output.surt.surt.is_some() && format != OutputFormat::TEXT {
        true => Err("--surt: only with -f text; parquet has it as url_surtkey".to_owned()),
        false => Ok(()),
    }
}

/// Returns the kind of the rows; `part` is what is counted instead of URIs.
fn rows(output: &OutputFlags, part: Option<CountBy>) -> RowKind {
    match part {
        Some(part) => RowKind::Parts(PartFields {
            name: part.name(),
            of_inputs: part == CountBy::Input,
            defang: output.report.privacy.defang,
        }),
        None => RowKind::Findings,
    }
}

/// Returns what a line of text has.
fn text(output: &OutputFlags) -> Text {
    Text::default()
        .counts(output.counts.count || output.groups)
        .names((output.with_filename || output.vimgrep) && !output.no_filename)
        .lines(output.line_number || output.vimgrep)
        .columns(output.column || output.vimgrep)
        .offsets(output.byte_offset)
        .originals(output.original)
        .entries(output.match_with.match_with)
        .zero(output.report.null)
}
