//! Runs `catalog fix`: its flags, what is done with each record, and how the run ends.

use super::fix_flags::CatalogFix;
use super::fix_log::FixLog;
use super::fix_output::{BackupSuffix, ReplacedFile, compression_of};
use super::fix_table::{self, EDITS};
use super::fix_work::{FixOutput, FixWork, file_of};
use super::reading::CatalogReading;
use super::statuses;
use super::tally::DocumentTally;
use crate::cli::destination::printer::{Printer, no_end};
use crate::cli::destination::{CompleteFile, Destination, FileCompression, OutputNames};
use crate::cli::flags::memory::MemoryUses;
use crate::cli::inputs::{Input, InputNames};
use crate::cli::names;
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::printable::printable;
use crate::cli::report::progress::Line;
use crate::cli::report::stats::{self, StatsForm};
use crate::cli::report::stderr;
use crate::cli::signals::Interrupt;
use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use urisieve::catalog::fix::{EditedTable, FixRules, FixedValue, RepairCodes, push_difference};
use urisieve::item::{Damage, Loss};
use urisieve::{CatalogBatch, CatalogRun, CatalogSink, CatalogStats, Error, ErrorKind, ReadAs};

/// The most refusals that are printed one by one.
const NAMED: u64 = 10;

const NO_CHOICE: &str = "--only CODES says what is repaired, --apply TABLE which changes of a table are \
                         made (that of `catalog check`, edited): one of them is needed";

/// Runs the command.
pub(super) fn run(args: CatalogFix) -> ExitCode {
    match PreparedFix::new(args) {
        Ok(prepared) => prepared.run(),
        Err(message) => messages::usage(&message),
    }
}

/// Everything that a run needs.
struct PreparedFix {
    reading: CatalogReading,
    run: CatalogRun,
    work: FixWork,
    writer: FixWriter,
    prints_stats: bool,
}

impl PreparedFix {
    /// # Errors
    /// A message that names the flag.
    fn new(args: CatalogFix) -> Result<PreparedFix, String> {
        let suffix = args.in_place.as_deref();
        let suffix = suffix.map(BackupSuffix::parse).transpose()?;
        let has_moved = args.only.iter().flat_map(|codes| codes.split(','));
        let has_moved = has_moved.map(str::trim).any(|code| code == "moved");
        let statuses = args.statuses.statuses.as_deref();
        if has_moved != statuses.is_some() {
            return Err("--only moved and --statuses TABLE go together".to_owned());
        }
        let memory = match args.apply.is_some() || has_moved {
            true => EDITS,
            false => MemoryUses::default(),
        };
        let mut reading = CatalogReading::new(args.input, args.id_column.column(), memory)?;
        check_inputs(&reading.inputs.inputs, suffix.is_some(), args.dry_run)?;
        let mut inputs = reading.inputs.inputs.iter();
        let reads_stdin = inputs.any(|input| matches!(input, Input::Stdin));
        if reads_stdin && args.apply.as_deref() == Some(Path::new("-")) {
            return Err("--apply -: standard input is the catalogue already".to_owned());
        }
        let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
        let memory = (&reading.flags.resources.memory, &reading.shares);
        let statuses = statuses::read(statuses, interrupt.flag(), memory)?;
        let rules = match (&args.only, &args.apply) {
            (Some(codes), _) => {
                let codes =
                    RepairCodes::parse(codes).map_err(|error| format!("--only: {error}"))?;
                FixRules::Repairs(args.fields.choice()?, codes)
            }
            (None, Some(path)) => {
                let name = printable(path.as_os_str().as_encoded_bytes());
                let table = fix_table::read(path, interrupt.flag(), memory);
                let mut table = table.map_err(|message| format!("--apply {name}: {message}"))?;
                if is_single(&reading.inputs.inputs) {
                    table.accept_other_name();
                }
                FixRules::Table(table)
            }
            (None, None) => return Err(NO_CHOICE.to_owned()),
        };
        let mut outputs = OutputNames::new();
        let path = args.output.path();
        let compression = path.map_or(FileCompression::None, compression_of);
        let (threads, has_inputs) = (reading.threads, reading.inputs.has_inputs());
        let target = match suffix {
            Some(suffix) => FixTarget::InPlace(suffix, None),
            None => {
                let out = Destination::named(path, compression, threads, has_inputs, &mut outputs)?;
                FixTarget::One(Printer::new(out))
            }
        };
        let log = match &args.log {
            Some(path) => {
                let inputs = reading.inputs.inputs.iter().cloned();
                let table = args.apply.iter().cloned().map(Input::Path);
                let inputs = inputs.chain(table);
                Some(FixLog::open(outputs.take_apart("--log", path, inputs)?)?)
            }
            None => None,
        };
        let to_terminal = matches!(&target, FixTarget::One(to) if to.is_terminal());
        let said = reading.speech(&args.messages, false, to_terminal, &mut outputs)?;
        let names = reading.names.clone();
        let writer = FixWriter {
            target,
            outputs,
            dry_run: args.dry_run,
            log,
            named: None,
            threads,
            names: names.clone(),
            messages: said.messages,
            interrupt,
            is_quiet: args.quiet,
            speech: said.speech,
            line: said.line,
            counts: FixCounts::default(),
            used: Vec::new(),
            files: HashSet::new(),
            tally: DocumentTally::default(),
            has_failed: false,
        };
        let work = FixWork {
            rules,
            names,
            dry_run: args.dry_run,
            statuses,
        };
        Ok(PreparedFix {
            run: reading.run(&writer.interrupt).build(),
            reading,
            work,
            writer,
            prints_stats: args.messages.stats.stats,
        })
    }

    fn run(self) -> ExitCode {
        let begun = Instant::now();
        let mut writer = self.writer;
        let result = self.reading.read(&self.run, &self.work, &mut writer);
        let interrupted = writer.interrupt.code();
        if let (Ok(stats), FixRules::Table(table), None) = (&result, &self.work.rules, interrupted)
            && !stats.stopped
        {
            writer.report_unused(table);
        }
        let failed = match &result {
            Ok(stats) if stats.stopped => writer.appear(true, Vec::new()).is_err(),
            Ok(stats) => writer.complete(interrupted, stats.bytes).is_err(),
            Err(error) => {
                writer.fail(error);
                true
            }
        };
        let lost = writer.messages.finish();
        if failed {
            return ExitCode::from(2);
        }
        if let Ok(stats) = &result {
            // Nobody reads what a closed pipe would have had.
            if interrupted.is_none() && !stats.stopped && !writer.is_quiet {
                writer.summarize(lost);
            }
            if self.prints_stats {
                writer.print_stats(stats, begun.elapsed());
            }
        }
        let is_short = lost || writer.has_failed || writer.counts.refused > 0;
        messages::code(is_short, interrupted, 0)
    }
}

/// Whether there is one input, which is not a directory.
fn is_single(inputs: &[Input]) -> bool {
    match inputs {
        [Input::Path(path)] => !path.is_dir(),
        [Input::Stdin] => true,
        _ => false,
    }
}

/// Several inputs are not written as one.
fn check_inputs(inputs: &[Input], in_place: bool, dry_run: bool) -> Result<(), String> {
    let is_dir = |input: &Input| matches!(input, Input::Path(path) if path.is_dir());
    if in_place {
        return match inputs.iter().any(|input| matches!(input, Input::Stdin)) {
            true => Err("--in-place: not with standard input".to_owned()),
            false => Ok(()),
        };
    }
    match !dry_run && (inputs.len() > 1 || inputs.iter().any(is_dir)) {
        true => Err("several inputs need --in-place, or --dry-run".to_owned()),
        false => Ok(()),
    }
}

/// The destination of records.
enum FixTarget {
    One(Printer),
    /// The file that is being replaced.
    InPlace(BackupSuffix, Option<ReplacedFile>),
}

#[derive(Debug, Default)]
struct FixCounts {
    records: u64,
    values: u64,
    refused: u64,
    /// Records and values of the file that is being replaced.
    of_file: (u64, u64),
}

/// Writes records, reports changes.
struct FixWriter {
    target: FixTarget,
    /// The outputs that are not replaced inputs.
    outputs: OutputNames,
    dry_run: bool,
    log: Option<FixLog>,
    /// The file whose changes are shown.
    named: Option<Vec<u8>>,
    threads: usize,
    names: InputNames,
    messages: Messages,
    interrupt: Interrupt,
    /// Whether it is not said how much was changed.
    is_quiet: bool,
    speech: Speech,
    line: Line,
    counts: FixCounts,
    /// The rows of the table that were for records.
    used: Vec<bool>,
    /// The names of the inputs that were read, and of members of archives.
    files: HashSet<Vec<u8>>,
    tally: DocumentTally,
    /// Whether a file was left as it is.
    has_failed: bool,
}

impl CatalogSink<FixOutput> for FixWriter {
    fn batch(
        &mut self,
        batch: &CatalogBatch,
        output: &mut FixOutput,
    ) -> io::Result<ControlFlow<()>> {
        self.tally.batch(batch, output.contents, &mut self.messages);
        let file = file_of(&self.names, batch);
        for &place in &output.used {
            if place >= self.used.len() {
                self.used.resize(place + 1, false);
            }
            self.used[place] = true;
        }
        let changed = output
            .values
            .iter()
            .filter(|value| value.refused.is_empty());
        let changed = changed.count() as u64;
        self.counts.of_file.0 += output.records;
        self.counts.of_file.1 += changed;
        for value in &output.values {
            self.report(&file, value);
        }
        if self.dry_run {
            self.show(&file, &output.values, &mut output.bytes);
        }
        self.files.insert(file);
        let refusal = refusal(batch).filter(|_| !self.dry_run);
        if let FixTarget::InPlace(_, open) = &mut self.target {
            if open.is_none() {
                let path = names::path(&self.names.get(batch.input()));
                // Inputs that could not be opened have batches without bytes.
                if batch.is_damaged() && output.bytes.is_empty() && !path.is_file() {
                    return Ok(ControlFlow::Continue(()));
                }
                match ReplacedFile::open(&path, self.threads, &self.outputs) {
                    Ok(file) => *open = Some(file),
                    Err(error) => {
                        self.leave(batch.input(), &error.to_string());
                        return Ok(ControlFlow::Continue(()));
                    }
                }
            }
            if let Some(open) = open {
                if let Some(reason) = refusal {
                    open.refuse(reason);
                }
                open.changed += changed;
                open.write(&output.bytes);
            }
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(reason) = refusal {
            return Err(io::Error::other(reason));
        }
        let FixTarget::One(to) = &mut self.target else {
            return Ok(ControlFlow::Continue(()));
        };
        to.pass_on(&output.bytes)
    }

    fn loss(&mut self, loss: &Loss) {
        self.messages.loss(loss);
        // Records that are damaged are passed on; what could not be unpacked is missing.
        let is_of_record = |damage: Damage| damage.record.is_some() || damage.container == "record";
        let is_missing = !loss.kind.damage().is_some_and(is_of_record);
        if let FixTarget::InPlace(_, Some(open)) = &mut self.target
            && is_missing
        {
            open.refuse("it could not be read to its end");
        }
    }

    fn error(&mut self, error: Error) {
        if let FixTarget::InPlace(_, Some(open)) = &mut self.target {
            open.refuse("it could not be read to its end");
        }
        self.messages.error(&error);
    }

    fn input(&mut self, input: usize, read_as: ReadAs) {
        self.tally.end(&mut self.messages);
        let values = stderr::number_of(self.counts.of_file.1, "change");
        self.messages
            .read(input, format_args!("read as {read_as}: {values}"));
        let (records, values) = std::mem::take(&mut self.counts.of_file);
        let mut done = Ok(());
        if let FixTarget::InPlace(suffix, open) = &mut self.target
            && let Some(mut file) = open.take()
        {
            let compressions: Vec<_> = read_as.compressions().collect();
            if read_as.archive().is_some() {
                file.refuse("archives are not written");
            } else if !file.is_compressed_as(&compressions) {
                file.refuse("this compression is not written");
            }
            done = match file.changed {
                // Nothing changes.
                0 => Ok(()),
                _ => file.finish(suffix, &self.outputs),
            };
        }
        match done {
            Ok(()) => {
                self.counts.records += records;
                self.counts.values += values;
            }
            Err(reason) => self.leave(input, &reason),
        }
        self.write_log();
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        match &mut self.target {
            FixTarget::One(to) => to.flush(),
            FixTarget::InPlace(..) => Ok(ControlFlow::Continue(())),
        }
    }
}

/// Returns why bytes of the batch cannot be written.
fn refusal(batch: &CatalogBatch) -> Option<&'static str> {
    if batch.member().is_some() {
        return Some("members of archives are not written");
    }
    batch.is_converted().then_some("UTF-16 is not written")
}

impl FixWriter {
    /// Reports a value in the log, and a refusal on standard error.
    fn report(&mut self, file: &[u8], value: &FixedValue) {
        if let Some(log) = &mut self.log {
            log.hold(file, value);
        }
        if value.refused.is_empty() {
            return;
        }
        self.counts.refused += 1;
        let most = match self.speech {
            Speech::Silent => 0,
            Speech::Brief => NAMED,
            Speech::Verbose => u64::MAX,
        };
        if self.counts.refused <= most {
            let [name, tag, code] = [file, &value.tag, &value.subfield].map(printable);
            let (record, reason) = (value.record, &value.refused);
            self.line.around(|| {
                stderr::say(format_args!(
                    "{name}: record {record}: {tag} {code}: not changed: {reason}"
                ));
            });
        }
    }

    /// Appends what would change to `out`.
    fn show(&mut self, file: &[u8], values: &[FixedValue], out: &mut Vec<u8>) {
        if !values.is_empty() && self.named.as_deref() != Some(file) {
            let name = printable(file);
            out.extend_from_slice(format!("--- {name}\n+++ {name}\n").as_bytes());
            self.named = Some(file.to_vec());
        }
        values.iter().for_each(|value| push_difference(value, out));
    }

    /// Leaves a file as it is, with what was to be changed in it.
    fn leave(&mut self, input: usize, reason: &str) {
        self.has_failed = true;
        self.counts.of_file = (0, 0);
        let name = self.names.get(input);
        if let Some(log) = &mut self.log {
            let mut value = FixedValue::default();
            value.refused = format!("left as it is: {reason}");
            log.drop_held();
            log.hold(&name, &value);
        }
        self.messages.unwritten(
            &names::path(&name),
            &format_args!("left as it is: {reason}"),
        );
    }

    /// Passes on the rows of the log.
    fn write_log(&mut self) {
        let written = self.log.as_mut().map(FixLog::write);
        if let Some(Err(message)) = written
            && self.speech != Speech::Silent
        {
            self.line.around(|| stderr::say(format_args!("{message}")));
        }
    }

    /// Lets `files`, the log if it `has_log`, and the file of `--errors` appear. Fails when
    /// one cannot be written.
    fn appear(&mut self, has_log: bool, mut files: Vec<CompleteFile>) -> Result<(), ()> {
        self.write_log();
        if let Some(log) = self.log.take().filter(|_| has_log) {
            if log.has_failed() {
                return Err(());
            }
            match log.complete() {
                Ok(log) => files.extend(log),
                Err(message) => {
                    if self.speech != Speech::Silent {
                        stderr::say(format_args!("{message}"));
                    }
                    return Err(());
                }
            }
        }
        self.messages.appear(files)
    }

    /// Reports the rows of a table for which there was no record.
    fn report_unused(&mut self, table: &EditedTable) {
        for input in 0..self.names.count() {
            self.files.insert(self.names.get(input).to_vec());
        }
        let used = std::mem::take(&mut self.used);
        let files = std::mem::take(&mut self.files);
        let is_used = |place: usize| used.get(place).copied().unwrap_or(false);
        for (row, reason) in table.unused(is_used, |name| files.contains(name)) {
            self.report(row.file.as_bytes(), &FixedValue::of_row(row, reason));
        }
    }

    /// Completes the records, and lets all files appear. Fails when that was said to be
    /// impossible. Where the file of the records does not appear, neither does the log: it
    /// is of changes that were not made.
    fn complete(&mut self, interrupted: Option<u8>, read: u64) -> Result<(), ()> {
        let (records, values) = std::mem::take(&mut self.counts.of_file);
        let FixTarget::One(printer) = &mut self.target else {
            return self.appear(true, Vec::new());
        };
        self.counts.records += records;
        self.counts.values += values;
        if interrupted.is_some() && printer.leave("interrupted", &self.messages) {
            return self.appear(false, Vec::new());
        }
        if printer.keeps(read, &self.messages) {
            let _ = self.appear(false, Vec::new());
            return Err(());
        }
        let (_, file) = printer.complete(no_end, &self.messages)?;
        self.appear(true, file.into_iter().collect())
    }

    /// Says why the run failed. Files that were replaced until then are in the log.
    fn fail(&mut self, error: &Error) {
        match (error.kind(), &self.target) {
            (ErrorKind::Panic(_), _) => self.messages.ended_by(error),
            (ErrorKind::Write, FixTarget::One(to)) => {
                return self.messages.unwritten(to.name(), error.cause());
            }
            _ => self.messages.fatal(error),
        }
        let is_file = matches!(&self.target, FixTarget::One(to) if to.is_file());
        let _ = self.appear(!is_file, Vec::new());
    }

    /// Says how much was changed, of a run that `lost` something or not.
    fn summarize(&self, lost: bool) {
        if self.speech == Speech::Silent {
            return;
        }
        self.tally.say(self.speech);
        let FixCounts {
            records,
            values,
            refused,
            ..
        } = self.counts;
        let would = if self.dry_run {
            "would change"
        } else {
            "changed"
        };
        match (values, refused) {
            // A message said why nothing was read.
            _ if lost && self.tally.is_empty() => {}
            (0, 0) => stderr::say(format_args!("nothing was to be changed")),
            _ => {
                let values = stderr::number_of(values, "value");
                let records = stderr::number_of(records, "record");
                stderr::say(format_args!(
                    "{values} {would} in {records}, {refused} refused"
                ));
            }
        }
    }

    fn print_stats(&self, stats: &CatalogStats, took: Duration) {
        let read = self.tally.stats();
        let mut rows = vec![
            ("changed_values", self.counts.values),
            ("changed_records", self.counts.records),
            ("refused", self.counts.refused),
            ("records", stats.records),
            ("inputs", self.names.count() as u64),
            ("unreadable", stats.failed),
            ("damaged", stats.damaged + self.tally.silent),
            ("hidden_files", self.names.hidden()),
            ("bytes", stats.bytes),
            ("fewer_threads", stats.fewer_threads),
        ];
        rows.extend(read.iter().map(|(name, count)| (&**name, *count)));
        stats::print_rows(rows, took, StatsForm::Text);
    }
}
