//! The command `report`: one page about the URIs of its inputs, or about the records of an
//! earlier run.

use super::plan::{Plan, SearchTask};
use super::records::{self, RecordsTask};
use super::run;
use super::uri_flags::UriFlags;
use crate::cli::destination::form;
use crate::cli::flags::privacy::Privacy;
use crate::cli::flags::{
    Color, CountFlags, FormatFlags, LineBufferedFlag, MessageFlags, OrderFlags, PathFlag,
    ReportFlags, SplitFlag,
};
use crate::cli::report::hints::LookedFor;
use crate::cli::report::messages::{self, Speech};
use crate::cli::search::habits::Print;
use std::path::PathBuf;
use std::process::ExitCode;
use urisieve::output::{OutputFormat, RowKind, Text};
use urisieve::{Mode, Sequence};

/// The flags of `report`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ReportCommand {
    /// Write one JSON object instead of a page
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    output: PathFlag,

    #[command(flatten)]
    messages: MessageFlags,

    #[command(flatten)]
    privacy: Privacy,

    #[command(flatten)]
    uris: UriFlags,
}

/// Runs the command.
pub(in crate::cli) fn run(args: ReportCommand) -> ExitCode {
    match records::kind(&args.uris.search.input.files.files) {
        Err(message) => messages::usage(&message),
        Ok(None) => run::run(args.plan()),
        Ok(Some(kind)) => match args.records(kind) {
            Ok(task) => records::run(task),
            Err(message) => messages::usage(&message),
        },
    }
}

impl ReportCommand {
    /// # Errors
    /// A message that names the flag.
    fn records(self, kind: RowKind) -> Result<RecordsTask, String> {
        let path = self.output.path();
        let chosen = Some(OutputFormat::HTML);
        let (_, compression) = form::by_flags(path, chosen, OutputFormat::HTML)?;
        Ok(RecordsTask {
            kind,
            json: self.json,
            output: path.map(PathBuf::from),
            compression,
            redactor: self.privacy.redactor_of(OutputFormat::HTML)?,
            selection: self.uris.search.selection,
            speaks: self.messages.speech() != Speech::Silent,
            paths: self.uris.search.input.files.files,
        })
    }

    /// # Errors
    /// A message that names the flag.
    fn plan(self) -> Result<Plan, String> {
        let ReportCommand {
            json,
            output,
            messages,
            privacy,
            uris,
        } = self;
        let report = ReportFlags {
            unordered: false,
            format: FormatFlags::report(),
            output,
            split: SplitFlag::default(),
            null: false,
            quiet: false,
            messages,
            privacy,
            color: Color::default(),
            pace: LineBufferedFlag::default(),
        };
        let max_length = uris.rules.references.max_length()?;
        let (format, compression) = form::format(&report)?;
        form::check_hosts(format, report.privacy.defang)?;
        let sieve = uris
            .builder(max_length, true)?
            .exchanges(uris.exchanges()?)
            .sequence(Sequence::Frequent)
            .reasons(true)
            .requests(true)
            .matched(true)
            .times(true)
            .originals(true);
        let search = uris.search;
        let task = SearchTask {
            sieve,
            mode: Mode::Groups,
            names: search.input.text.stdin.names(),
            threads: search.input.resources.threads()?,
            max_length,
            format,
            compression,
            print: Print::Findings,
            rows: RowKind::Findings,
            text: Text::default(),
            respelling: None,
            graph: None,
            zero_names: false,
            json_report: json,
            keys: None,
            all_entries: false,
            by_lines: false,
            shapes: None,
            wanted: LookedFor::Uris,
        };
        Plan::new(
            task,
            (CountFlags::default(), OrderFlags::default()),
            report,
            search,
        )
    }
}
