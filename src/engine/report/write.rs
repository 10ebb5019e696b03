//! Reports to the sink: the findings of one batch after the other, and at the end what is
//! known only then. One thread at a time works here; `deliver` decides which.

use super::counts::{Classes, CountedClasses};
use super::kept::Kept;
use super::known_classes::{ClassAsking, NewEntries, numbered};
use super::late::{InputStarts, LateSettling, SettledKeys};
use super::seen::SeenKeys;
use super::sorted_groups::SortedSpellings;
use crate::dedup::{Answer, Hasher, KnownKeys, Membership, Set};
use crate::engine::ask::lists::Lists;
use crate::engine::ask::memory::RunMemory;
use crate::engine::ask::mode::Mode;
use crate::engine::batches::batch::{Batch, BatchNext};
use crate::engine::batches::encoded_finding::{self, put_sorted, take_sorted};
use crate::engine::batches::findings::Findings;
use crate::engine::batches::lines::LineCount;
use crate::engine::batches::read_as::ReadAs;
use crate::engine::cancel::Cancel;
use crate::engine::end::{End, check_flow};
use crate::engine::fault;
use crate::engine::read::reasons::Reasons;
use crate::engine::{Error, ErrorKind, Progress, Sink, Stats};
use crate::item::{Content, Finding, Loss, Spelling};
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Reports to the sink.
pub(in crate::engine) struct SinkWriter<'r, K: ?Sized> {
    pub sink: Watched<'r, K>,
    pub settings: ReportSettings,
    pub memory: RunMemory,
    pub stats: Stats,
    /// The lines so far, when they are counted.
    pub lines: Option<LineCount>,
    /// The number of items so far.
    pub position: u64,
    /// The findings that are reported at the end.
    pub kept: Kept,
    /// The inputs so far that have findings, where batches come in order.
    pub starts: InputStarts,
    /// A key was deferred, so the counts of the inputs are known only at the end.
    pub defers: bool,
    /// Counted classes are asked for at the end, so it is the same.
    pub asks_at_end: bool,
    /// The classes so far, where they are distinguished here: findings of the workers
    /// beyond `most` must not count as seen.
    pub seen: Option<SeenKeys>,
    pub inputs: InputReports,
    /// Why the run ended early, if it did.
    pub end: Option<End>,
}

/// The settings that decide what is reported.
pub(in crate::engine) struct ReportSettings {
    pub mode: Mode,
    /// Batches come in their order.
    pub ordered: bool,
    pub lists: Arc<Lists>,
    /// The number of threads that do the work.
    pub threads: usize,
    /// The number of inputs, from the first one on, that are known and not reported.
    pub known: usize,
    /// The largest number of findings of an input that is reported.
    pub most: Option<u64>,
    /// Fingerprints are compared in place of keys.
    pub fingerprints: bool,
    /// The keys that are known, which may grow with the run.
    pub known_keys: Option<Arc<dyn KnownKeys>>,
    pub cancel: Cancel,
    pub progress: Option<Arc<Progress>>,
}

/// The inputs on their way to the sink.
#[derive(Default)]
pub(in crate::engine) struct InputReports {
    /// The counts of the inputs that are not reported yet.
    waiting: BTreeMap<usize, (ReadAs, Stats)>,
    /// An input, and the number of its findings that were reported.
    given: (usize, u64),
    /// The input whose batches are not reported, because a panic ended it before them, where
    /// batches come in order.
    broken: Option<usize>,
    /// The last error that was reported. The same one is not reported twice.
    last_error: Option<ErrorKind>,
}

/// The items of a batch that were reported.
#[derive(Default)]
struct ReportedItems {
    /// The number of new classes.
    new: u64,
    /// The number of items up to the last finding that is reported of the input; `None` where
    /// more may be.
    end: Option<usize>,
}

/// The state for the report of the classes at the end.
pub(in crate::engine) struct Rest<'c> {
    pub classes: Classes,
    /// `None` after a panic or an error left them unusable.
    pub sets: Option<Vec<Box<dyn Membership>>>,
    pub hasher: &'c Hasher,
    pub reasons: Option<Reasons>,
}

/// The sets at the end of the run.
struct EndedSets {
    /// The sets in memory, where classes are counted.
    sets: Vec<ChargedSet>,
    /// Which entries of these are not known, if any may be.
    new: Option<NewEntries>,
    settled: SettledKeys,
}

/// A set, and what states that its memory is in use.
type ChargedSet = (Set, Option<Box<dyn Send>>);

/// A sink, and the input of its last call. A panic of the sink names this input.
pub(in crate::engine) struct Watched<'r, K: ?Sized> {
    sink: &'r mut K,
    input: usize,
}

impl<'r, K: Sink + ?Sized> Watched<'r, K> {
    pub(in crate::engine) fn new(sink: &'r mut K) -> Watched<'r, K> {
        Watched { sink, input: 0 }
    }
}

impl<K: Sink + ?Sized> Sink for Watched<'_, K> {
    #[inline]
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        self.input = finding.input;
        #[cfg(feature = "failpoints")]
        crate::engine::faultpoint::at("sink", finding.uri);
        self.sink.finding(finding)
    }

    fn findings(&mut self, findings: &mut Findings) -> io::Result<ControlFlow<()>> {
        self.sink.findings(findings)
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        self.input = class.input;
        self.sink.group(class, spellings)
    }

    fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        self.input = input;
        self.sink.input(input, read_as, stats);
    }

    fn loss(&mut self, loss: &Loss) {
        self.sink.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.sink.error(error);
    }

    fn uses_only_uris(&self) -> bool {
        self.sink.uses_only_uris()
    }

    fn memory_used_up(&mut self) {
        self.sink.memory_used_up();
    }

    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        self.sink.inputs_ended()
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        self.sink.flush()
    }
}

impl<K: Sink + ?Sized> SinkWriter<'_, K> {
    /// Reports one batch. Returns false when the run ends.
    pub(in crate::engine) fn write(&mut self, batch: &Batch) -> bool {
        let is_dropped = self.inputs.broken == Some(batch.input);
        if self.end.is_none() && !batch.order.is_end && !is_dropped {
            if self.settings.ordered && batch.breaks_input() {
                self.inputs.broken = Some(batch.input);
            }
            let written = fault::catch(|| self.report(batch));
            self.end = match (written, batch.fault.get()) {
                (Err(panic), _) => Some(End::Failed(self.panicked(&panic))),
                (Ok(Err(end)), _) => Some(end),
                (Ok(Ok(())), Some(fault)) if !self.is_behind_limit(batch.input) => {
                    let fault = fault.again().of_input(batch.name.as_ref());
                    Some(End::Cut(fault))
                }
                (Ok(Ok(())), _) => None,
            };
        }
        // A report that went on after an input which was cut off would have a gap.
        self.end.is_none() && !(self.settings.ordered && batch.order.next == BatchNext::Nothing)
    }

    /// Reports what is known at the end, and returns the counts of the run.
    pub(in crate::engine) fn finish(mut self, rest: Rest) -> Result<Stats, Error> {
        let cut = match self.end.take() {
            Some(End::Failed(error)) => return Err(error),
            Some(End::Cut(error)) => Some(error),
            Some(End::Stopped) => {
                self.stats.stopped = true;
                return Ok(self.stats);
            }
            None => None,
        };
        let written = fault::catch(|| self.report_rest(rest, cut.is_some()));
        let written = written.unwrap_or_else(|panic| Err(End::Failed(self.panicked(&panic))));
        self.stats.deferred = self.memory.spilled.deferred();
        self.stats.temporary_bytes = self.memory.file.bytes_written();
        match (cut, written) {
            (Some(error), _) | (None, Err(End::Failed(error) | End::Cut(error))) => Err(error),
            (None, Err(End::Stopped)) => {
                self.stats.stopped = true;
                Ok(self.stats)
            }
            (None, Ok(())) => Ok(self.stats),
        }
    }

    /// Ends the run early with a panic; `place` says where it was.
    pub(in crate::engine) fn fail(&mut self, panic: &fault::Panic, place: &str) {
        let error = panic.error(self.sink.input, place);
        self.end.get_or_insert(End::Failed(error));
    }

    fn panicked(&self, panic: &fault::Panic) -> Error {
        panic.error(self.sink.input, "while findings were written")
    }

    fn report_rest(&mut self, rest: Rest, cut: bool) -> Result<(), End> {
        let Rest {
            classes,
            sets,
            hasher,
            reasons,
        } = rest;
        let is_counted = matches!(self.settings.mode, Mode::Count | Mode::Groups);
        // Without the sets no class is known, but the findings that are known to be new are.
        let has_sets = sets.is_some();
        let EndedSets { sets, new, settled } = self.settle(sets.unwrap_or_default())?;
        if !cut {
            self.report_inputs_before(usize::MAX);
            // A sink that needs nothing more need not wait for what is reported now.
            check_flow(self.sink.inputs_ended())?;
        }
        let is_cut = settled.is_cut || new.as_ref().is_some_and(|new| new.is_cut);
        self.stats.unsettled = is_cut;
        match self.settings.mode {
            _ if !is_counted => self.report_kept(settled)?,
            _ if is_cut || !has_sets => {}
            Mode::Groups => self.report_groups(classes, sets, settled, hasher, reasons)?,
            _ => self.report_counts(classes, (sets, new), settled)?,
        }
        check_flow(self.sink.flush())
    }

    /// Reports counted classes: those in memory, and those that were deferred.
    fn report_counts(
        &mut self,
        classes: Classes,
        (sets, new): (Vec<ChargedSet>, Option<NewEntries>),
        settled: SettledKeys,
    ) -> Result<(), End> {
        let mut deferred = None;
        if settled.has_some() {
            let mut counted = CountedClasses::new(classes.sequence, &self.memory);
            let mut late = settled.into_reader(&self.memory)?;
            let reader = self.kept.take(&self.memory).into_reader()?;
            reader.each(&mut late, &self.starts, |position, finding| {
                match finding.input >= classes.known_inputs {
                    true => Ok(counted.add(position, finding)?),
                    false => Ok(()),
                }
            })?;
            deferred = Some(counted);
        }
        let sets: Vec<&Set> = sets.iter().map(|(set, _)| set).collect();
        let number = &mut self.stats.distinct;
        let sets = (&sets[..], new.as_ref(), self.settings.threads);
        classes.report_counts(sets, deferred, &mut self.sink, number)
    }

    /// Reports classes with their spellings. Where some were deferred, all are sorted
    /// beyond memory.
    fn report_groups(
        &mut self,
        classes: Classes,
        sets: Vec<ChargedSet>,
        settled: SettledKeys,
        hasher: &Hasher,
        reasons: Option<Reasons>,
    ) -> Result<(), End> {
        let number = &mut self.stats.distinct;
        if !settled.has_some() {
            let (sets, _charges): (Vec<Set>, Vec<_>) = sets.into_iter().unzip();
            return classes.report_groups(sets, hasher, reasons, &mut self.sink, number);
        }
        let mut spellings = SortedSpellings::new(&self.memory);
        for (set, charge) in sets {
            for entry in set.entries() {
                spellings.add_entry(&entry)?;
            }
            drop((set, charge));
        }
        let mut late = settled.into_reader(&self.memory)?;
        let reader = self.kept.take(&self.memory).into_reader()?;
        reader.each(&mut late, &self.starts, |position, finding| {
            Ok(spellings.add(position, finding)?)
        })?;
        spellings.report(
            classes,
            &self.memory,
            reasons.as_ref(),
            &mut self.sink,
            number,
        )
    }

    /// Reports the findings that waited, and those that are known to be new only now.
    fn report_kept(&mut self, settled: SettledKeys) -> Result<(), End> {
        let kept = self.kept.take(&self.memory);
        let mut late = settled.into_reader(&self.memory)?;
        let (sink, known) = (&mut self.sink, self.settings.known);
        let mut report = |finding: &Finding| match finding.input >= known {
            true => check_flow(sink.finding(&Finding {
                count: None,
                ..*finding
            })),
            false => Ok(()),
        };
        if !self.settings.ordered {
            while late.advance()? {
                report(&late.finding())?;
            }
            return Ok(());
        }
        let (reader, sorter) = kept.into_parts()?;
        let Some(mut sorter) = sorter else {
            return reader.each(&mut late, &self.starts, |_, finding| report(finding));
        };
        let (mut entry, mut buffer) = (Vec::new(), Vec::new());
        reader.each(&mut late, &self.starts, |position, finding| {
            entry.clear();
            put_sorted(position, finding, &mut entry, &mut buffer);
            Ok(sorter.push(&entry)?)
        })?;
        let mut sorted = sorter.finish()?;
        while let Some(entry) = sorted.next()? {
            report(&take_sorted(entry))?;
        }
        Ok(())
    }

    /// Takes the memory of the classes that are distinguished here from the budget.
    fn charge_seen(&mut self) -> Result<(), End> {
        if self.seen.as_mut().is_none_or(SeenKeys::charge) {
            return Ok(());
        }
        let cause = "the memory limit is too low for this number of URIs that may not be \
                     reported twice";
        let cause = io::Error::new(io::ErrorKind::OutOfMemory, cause);
        Err(End::Failed(Error::new(ErrorKind::Memory, cause)))
    }

    /// Ends the sets, and settles which deferred keys are new.
    fn settle(&mut self, memberships: Vec<Box<dyn Membership>>) -> Result<EndedSets, End> {
        let is_counted = matches!(self.settings.mode, Mode::Count | Mode::Groups);
        let (mut sets, mut deferred) = (Vec::new(), Vec::new());
        for membership in memberships {
            let finished = membership.finish()?;
            if !finished.set.is_empty() {
                self.stats.add_set(&finished.set);
            }
            deferred.extend(finished.deferred);
            if is_counted {
                sets.push((finished.set, finished.charge));
            }
        }
        if let Some(seen) = self.seen.take() {
            self.stats.add_set(seen.set());
        }
        let mut settled = SettledKeys::default();
        let cancel = self.settings.cancel.clone();
        let was_set = cancel.is_set();
        let is_cancelled = move || !was_set && cancel.is_set();
        if !deferred.is_empty() {
            let settling = LateSettling {
                threads: self.settings.threads,
                memory: &self.memory,
                is_cancelled: &is_cancelled,
                starts: &self.starts,
                ordered: self.settings.ordered,
            };
            settled = settling.settle(deferred).map_err(End::Failed)?;
        }
        if self.settings.fingerprints {
            let late: u64 = settled.by_input.values().sum();
            self.stats.fingerprints = self.stats.set_keys + late;
        }
        for (&input, &new) in &settled.by_input {
            if !is_counted && input >= self.settings.known {
                self.stats.distinct += new;
            }
            if let Some((_, stats)) = self.inputs.waiting.get_mut(&input) {
                stats.distinct += new;
            }
            if let Some(progress) = &self.settings.progress {
                progress.add(&Stats::default(), 0, new);
            }
        }
        let new = match self.asks_at_end {
            true => Some(self.ask_at_end(&sets, &is_cancelled)?),
            false => None,
        };
        (self.defers, self.asks_at_end) = (false, false);
        Ok(EndedSets { sets, new, settled })
    }

    /// Asks which of the counted classes in `sets` are known, and takes these from the counts of
    /// the inputs.
    fn ask_at_end(
        &mut self,
        sets: &[ChargedSet],
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<NewEntries, End> {
        let sets: Vec<&Set> = sets.iter().map(|(set, _)| set).collect();
        let Some(known) = &self.settings.known_keys else {
            return Ok(NewEntries::default());
        };
        let asking = ClassAsking {
            known: &**known,
            threads: self.settings.threads,
            memory: &self.memory,
            is_cancelled,
        };
        let new = asking.ask(&sets).map_err(End::Failed)?;
        let mut taken: u64 = 0;
        for (set, first) in numbered(&sets) {
            let entries = set.entries().zip(first..);
            for (entry, _) in entries.filter(|(_, number)| !new.has(*number)) {
                let input = encoded_finding::read(&entry).input;
                if let Some((_, stats)) = self.inputs.waiting.get_mut(&input) {
                    stats.distinct = stats.distinct.saturating_sub(1);
                }
                taken += 1;
            }
        }
        if let Some(progress) = &self.settings.progress {
            progress.add(&Stats::default(), 0, taken.wrapping_neg());
        }
        Ok(new)
    }

    /// Reports the inputs before number `input`, of which no more will follow.
    fn report_inputs_before(&mut self, input: usize) {
        if self.defers || self.asks_at_end {
            return;
        }
        while let Some(entry) = self.inputs.waiting.first_entry()
            && *entry.key() < input
        {
            let (input, (read_as, stats)) = entry.remove_entry();
            self.sink.input(input, read_as, &stats);
        }
    }

    fn report(&mut self, batch: &Batch) -> Result<(), End> {
        if self.settings.ordered {
            self.report_inputs_before(batch.input);
        }
        self.sink.input = batch.input;
        if batch.fault.get().is_some() {
            return Ok(());
        }
        if batch.input < self.settings.known
            && let Some(error) = batch.loss_cause()
        {
            // Known classes that are missing would be reported as if they were new.
            return Err(End::Failed(error));
        }
        if self.inputs.given.0 != batch.input {
            self.inputs.given = (batch.input, 0);
        }
        if self.has_enough_of(batch.input) {
            self.settings.cancel.finish(batch.input);
            return match batch.flush {
                true => check_flow(self.sink.flush()),
                false => Ok(()),
            };
        }
        self.report_findings(batch)
    }

    /// Whether no more is reported of `input`, the last one that was reported.
    fn has_enough_of(&self, input: usize) -> bool {
        input >= self.settings.known
            && self
                .settings
                .most
                .is_some_and(|most| self.inputs.given.1 >= most)
    }

    /// Whether `input` ended with the last finding that is reported of it.
    fn is_behind_limit(&self, input: usize) -> bool {
        let (last, given) = self.inputs.given;
        last == input && given > 0 && self.has_enough_of(input)
    }

    /// Returns whether findings of `batch` are reported without a change, until one is
    /// deferred.
    fn reports_at_once(&self, batch: &Batch) -> bool {
        matches!(self.settings.mode, Mode::All | Mode::Distinct)
            && batch.input >= self.settings.known
            && self.seen.is_none()
            && self.settings.most.is_none()
            && !self.kept.takes(Answer::New)
    }

    /// Reports a batch, or its part up to the last finding that is reported of its input:
    /// what is behind that is not counted and not reported.
    fn report_findings(&mut self, batch: &Batch) -> Result<(), End> {
        let is_limited = self.settings.most.is_some() && batch.input >= self.settings.known;
        if !is_limited {
            self.count(batch, None);
            self.report_losses(batch, None);
        }
        let mut reported = ReportedItems::default();
        let written = self.report_items(batch, &mut reported);
        if is_limited {
            let end = reported.end.filter(|_| written.is_ok());
            self.count(batch, end);
            if written.is_ok() {
                self.report_losses(batch, end);
            }
        }
        written?;
        if reported.end.is_some() {
            self.settings.cancel.finish(batch.input);
        }
        self.charge_seen()?;
        if let Some((_, stats)) = self.inputs.waiting.get_mut(&batch.input) {
            stats.distinct += reported.new;
        }
        if let Some(progress) = &self.settings.progress {
            progress.add(&batch.stats, batch.stored, reported.new);
        }
        if let Some(lines) = &mut self.lines {
            lines.leave(&batch.lines, self.settings.lists.remembered(batch.input));
        }
        if let Some(known) = &self.settings.known_keys {
            known.reported(self.position);
        }
        if batch.flush {
            check_flow(self.sink.flush())?;
        }
        Ok(())
    }

    /// Counts a batch, or its first `end` items.
    fn count(&mut self, batch: &Batch, end: Option<usize>) {
        let (counts, bytes) = batch.counts(end);
        let add = |stats: &mut Stats| {
            *stats += counts;
            stats.bytes = stats.bytes.saturating_add_signed(bytes);
        };
        if batch.input >= self.settings.known {
            add(&mut self.stats);
        }
        let error = batch.error.as_ref().filter(|_| end.is_none());
        let is_open = !matches!(error.map(Error::kind), Some(ErrorKind::Open(_)));
        if is_open {
            let new = || (batch.read_as, Stats::default());
            let (read_as, stats) = self.inputs.waiting.entry(batch.input).or_insert_with(new);
            add(stats);
            // The format of an input that begins with damage is known only after that.
            if batch.read_as != ReadAs::default() {
                *read_as = batch.read_as;
            }
            // An input may fail in several places.
            if error.is_some() && std::mem::replace(&mut stats.failed_inputs, 1) == 0 {
                self.stats.failed_inputs += 1;
            }
        } else {
            self.stats.failed_inputs += 1;
        }
    }

    /// Reports the losses and the error of a batch, or the losses before the last of its first
    /// `end` items.
    fn report_losses(&mut self, batch: &Batch, end: Option<usize>) {
        for (_, loss) in batch.losses_until(end) {
            self.sink.loss(loss);
        }
        if let Some(error) = batch.error.as_ref().filter(|_| end.is_none())
            && self.inputs.last_error.replace(error.kind()) != Some(error.kind())
        {
            self.sink.error(error.again().of_input(batch.name.as_ref()));
        }
    }

    /// Reports the items of a batch, until no more of its input are.
    fn report_items(&mut self, batch: &Batch, reported: &mut ReportedItems) -> Result<(), End> {
        if let Some(lines) = &mut self.lines {
            lines.enter(batch.input);
        }
        let position = batch.asked.before.unwrap_or(self.position);
        self.position += batch.items.len() as u64;
        if self.settings.ordered && !batch.items.is_empty() {
            self.starts.enter(position, batch.input);
        }
        let mut given = 0;
        if self.reports_at_once(batch) {
            let is_all = self.settings.mode == Mode::All;
            let mut findings = Findings::new(batch, self.lines.as_ref(), is_all);
            let answer = self.sink.findings(&mut findings);
            if matches!(answer, Ok(ControlFlow::Continue(()))) {
                // Findings that the sink skipped count as reported.
                while findings.next_uri().is_some() {}
            }
            (given, reported.new) = (findings.next, findings.classes);
            self.stats.distinct += reported.new;
            check_flow(answer)?;
        }
        for (number, item) in batch.items.iter().enumerate().skip(given) {
            if self.has_enough_of(batch.input) {
                reported.end = Some(number);
                return Ok(());
            }
            let answer = match &mut self.seen {
                _ if self.settings.mode != Mode::All => batch.answer(number),
                Some(seen) if !item.alone => {
                    match seen.is_new(batch.key(item), batch.input < self.settings.known)? {
                        true => Answer::New,
                        false => Answer::Known,
                    }
                }
                _ => Answer::New,
            };
            let is_class = u64::from(item.marks.content != Content::Header);
            let is_counted = matches!(self.settings.mode, Mode::Count | Mode::Groups);
            match answer {
                Answer::Known => continue,
                Answer::Deferred => {
                    self.kept.defer();
                    if !std::mem::replace(&mut self.defers, true) {
                        self.sink.memory_used_up();
                    }
                    if !self.kept.takes(answer) && !is_counted {
                        // The set keeps all that is needed of it.
                        continue;
                    }
                }
                Answer::New => {
                    reported.new += is_class;
                    if batch.input < self.settings.known {
                        continue;
                    }
                    if !is_counted {
                        self.stats.distinct += is_class;
                        self.inputs.given.1 += is_class;
                    }
                }
            }
            let waits = self.kept.takes(answer);
            if is_counted && !waits {
                continue;
            }
            let mut finding = batch.finding(item);
            finding.place = self.lines.as_ref().map(|l| l.place(&batch.lines, item));
            match waits {
                true => self.kept.add(position + number as u64, &finding, answer)?,
                false => check_flow(self.sink.finding(&finding))?,
            }
        }
        reported.end = self.has_enough_of(batch.input).then_some(batch.items.len());
        Ok(())
    }
}
