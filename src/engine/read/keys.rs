//! The steps between the canonicalizer and the shared set: a key is selected, also by the
//! exchange of its line or record, its secrets are removed, it is replaced by the part that
//! is counted, and dropped when the worker saw it recently.

use super::matching::Matching;
use super::pair_intake::{PageRows, PairIntake, Unpaired};
use super::recent::{Recent, Sighting};
use super::reported::{Reported, hidden, redact_whole, without_secrets};
use super::stated::{RecordExchange, Stated};
use super::units::CountUnits;
use crate::canonicalize::gateway::{TargetLack, Unwrapped};
use crate::canonicalize::{Canonicalizer, Redactor};
use crate::dedup::Hasher;
use crate::engine::CountBy;
use crate::engine::ask::mode::{Mode, Select};
use crate::engine::batches::batch::Batch;
use crate::item::{
    Content, Exchange, Marks, OwnedContext, Part, Problem, Problems, RequestPart, Timestamp,
};
use crate::syntax::shape::ShapeWriter;

/// The use that is made of the contexts of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Contexts {
    /// Findings have them.
    Kept,
    /// They only say which page has a link.
    OfPages,
    Unused,
}

/// Passes keys into batches, from which they go to the shared set.
#[derive(Clone)]
pub(in crate::engine) struct KeyIntake {
    pub repeats: Repeats,
    /// Set where links are reported, not URIs.
    pub pairs: Option<PairIntake>,
    /// The parts that are counted instead of URIs.
    pub by: Option<CountBy>,
    pub keep_original: bool,
    pub select: Select,
    /// The lists of which an entry must match.
    pub matching: Option<Box<Matching>>,
    /// A finding must have one of these problems, unless there are none here.
    pub problems: Problems,
    pub redactor: Option<Redactor>,
    /// The canonicalizer, if it unwraps gateways, and a buffer for targets.
    pub unwraps: bool,
    pub canonicalizer: Canonicalizer,
    pub unwrapped: Unwrapped,
    /// The URI that nested ones stand inside, as it is reported.
    pub outer: Vec<u8>,
    /// The exchange of the current line or record.
    pub stated: Stated,
    /// Buffers for the key and the original without secrets.
    pub redacted: (Vec<u8>, Vec<u8>),
    /// Buffers for keys that are made.
    pub made: (ShapeWriter, Vec<u8>),
    /// Whether the last occurrence became an item of its own.
    pub added: bool,
    pub contexts: Contexts,
    /// The last context, with and without its secrets.
    pub entered: (OwnedContext, OwnedContext),
    /// Nothing is asked of a finding: [`settled`](KeyIntake::settled).
    pub is_unasked: bool,
    /// The answer of [`takes_plain`](KeyIntake::takes_plain).
    pub is_plain: bool,
}

impl KeyIntake {
    /// Sets the context of the occurrences that are added from now on.
    #[inline]
    pub(in crate::engine) fn enter(&mut self, context: &OwnedContext, batch: &mut Batch) {
        if self.contexts == Contexts::Unused {
            return;
        }
        if let Some(pairs) = &mut self.pairs {
            pairs.enter(context, batch.input, self.redactor.as_ref());
        }
        if self.contexts == Contexts::Kept {
            self.keep_context(context, batch);
        }
    }

    fn keep_context(&mut self, context: &OwnedContext, batch: &mut Batch) {
        let Some(redactor) = &self.redactor else {
            return batch.enter(context);
        };
        if self.entered.0 != *context {
            let redacted = without_secrets(context, redactor, &mut self.redacted.0);
            self.entered = (context.clone(), redacted);
        }
        batch.enter(&self.entered.1);
    }

    /// Sets what the current record of an archive states of its exchange.
    pub(in crate::engine) fn set_record(&mut self, record: RecordExchange) {
        self.stated.set_record(record);
    }

    /// Sets the exchange of the current line; `None` where it states no request.
    pub(in crate::engine) fn set_exchange(&mut self, exchange: Option<&Exchange>) {
        self.stated.set_line(exchange);
    }

    /// Sets the part of the line, which states a request, in which the next findings are.
    pub(in crate::engine) fn set_part(&mut self, part: RequestPart) {
        self.stated.set_part(part);
    }

    /// Whether the times of occurrences are reported.
    pub(in crate::engine) fn wants_times(&self) -> bool {
        self.stated.wants_times()
    }

    /// Sets the time of the current object or line, which states no request (G15).
    pub(in crate::engine) fn set_time(&mut self, time: Option<Timestamp>) {
        self.stated.set_time(time);
    }

    /// Gives the item of the last occurrence what its line states.
    #[inline(always)]
    fn place(&mut self, placed: Placed, batch: &mut Batch) {
        self.added = placed == Placed::New;
        if self.stated.marks_items() {
            self.mark(placed, batch);
        }
    }

    fn mark(&mut self, placed: Placed, batch: &mut Batch) {
        match placed {
            Placed::New => self.stated.mark(batch),
            Placed::Again(item) => self.stated.mark_again(item as usize, batch),
            Placed::Dropped => {}
        }
    }

    /// Adds a record that belongs to no class: it is reported without being merged with
    /// others.
    pub(in crate::engine) fn add_alone(
        &mut self,
        key: Reported,
        original: Reported,
        place: (u64, u64),
        marks: Marks,
        batch: &mut Batch,
    ) {
        if marks.content != Content::Header {
            batch.stats.occurrences += 1;
            batch.stats.add_problems(marks.problems);
        }
        if matches!(self.repeats.mode, Mode::Count | Mode::Groups) {
            return;
        }
        if self.matching.is_some() && marks.content != Content::Header {
            // No entry matches what is not a URI.
            batch.stats.deselected += 1;
            return;
        }
        let (key, original) = hidden(&self.redactor, (key, original), &mut self.redacted);
        let original = self.keep_original.then_some(original);
        batch.push(key, original, 0, place, marks);
        batch.mark_unmergeable();
    }

    /// Sets the other spelling of the last occurrence, if that became an item.
    pub(in crate::engine) fn link(&mut self, alternative: &[u8], batch: &mut Batch) {
        let has_nodes = self.pairs.as_ref().is_some_and(PairIntake::has_nodes);
        if !std::mem::take(&mut self.added) || self.by.is_some() || has_nodes {
            return;
        }
        match &self.redactor {
            None => batch.set_alternative(alternative),
            Some(redactor) => {
                let buffer = &mut self.redacted.0;
                batch.set_alternative(redactor.redact(alternative, buffer));
            }
        }
    }

    /// Adds an occurrence to `batch`, unless it is deselected or a repeat.
    pub(in crate::engine) fn add(
        &mut self,
        key: Reported,
        original: Reported,
        place: (u64, u64),
        mut marks: Marks,
        batch: &mut Batch,
    ) {
        if self.is_unasked {
            return self.add_unasked(key, original, place, marks, batch);
        }
        self.added = false;
        let is_wrapped = self.unwraps && self.trace(original.bytes(), &mut marks);
        let is_wanted = self.problems.is_empty() || marks.problems.meets(self.problems);
        if !is_wanted || !self.select.has(key.bytes()) || !self.is_matched(key.bytes()) {
            batch.stats.deselected += 1;
            return;
        }
        if !self.stated.is_wanted() {
            batch.stats.not_selected += 1;
            return;
        }
        if self.by == Some(CountBy::Match) {
            return self.count_entries(place, marks, batch);
        }
        let target = key.bytes();
        let is_alone = self.by.is_none() && self.pairs.is_none();
        let shown = hidden(&self.redactor, (key, original), &mut self.redacted);
        let (mut key, mut original) = match &mut self.pairs {
            None => shown,
            Some(pairs) => match pairs.pair(target, shown) {
                Ok(pair) => pair,
                Err(Unpaired::LeftOut) => return,
                Err(Unpaired::WithoutNode) => {
                    batch.stats.without_node += 1;
                    return;
                }
            },
        };
        if let Some(by) = self.by.filter(|by| by.is_made()) {
            let (shapes, buffer) = &mut self.made;
            let counted = CountedKeys {
                repeats: &mut self.repeats,
                stated: &self.stated,
                place,
                marks,
            };
            return counted.add(|add| by.each_made(key, (shapes, buffer), add), batch);
        }
        let input = (batch.input as u64).to_be_bytes();
        if let Some(kind) = marks.identifier.filter(|_| is_alone) {
            key = kind.reported(key);
        }
        if let Some(by) = self.by {
            let part = match by.is_of_requests() {
                true => self.stated.key(by),
                false => Some(by.key(key, &input)),
            };
            let Some(part) = part else {
                batch.stats.not_selected += 1;
                return;
            };
            key = part;
        }
        if self.repeats.mode == Mode::Groups {
            // Spellings are counted; `groups` puts them together by class at the end.
            std::mem::swap(&mut key, &mut original);
        }
        let original = self.keep_original.then_some(original);
        let placed = self.repeats.add(key, original, place, marks, batch);
        self.place(placed, batch);
        self.describe((is_wrapped, is_alone), marks, batch);
    }

    /// Gives the item of the last occurrence, if it became one of its own, what is known of the
    /// URI: the entries that match it and, if it is not part of a key, the gateways around it and
    /// the URI that it stands inside.
    #[inline(always)]
    fn describe(&self, (is_wrapped, is_alone): (bool, bool), marks: Marks, batch: &mut Batch) {
        if !self.added {
            return;
        }
        if let Some(matching) = &self.matching {
            matching.mark(batch);
        }
        if is_wrapped && is_alone {
            batch.set_gateway(self.unwrapped.names());
        }
        if marks.nested_by.is_some() && is_alone {
            batch.set_outer(&self.outer);
        }
    }

    /// Sets the key of the URI that the nested ones which are added next stand inside.
    pub(in crate::engine) fn set_outer(&mut self, key: &[u8]) {
        let shown = match &self.redactor {
            None => key,
            Some(redactor) => redact_whole(redactor, key, &mut self.redacted.0),
        };
        self.outer.clear();
        self.outer.extend_from_slice(shown);
    }

    /// Adds an occurrence of which nothing is asked.
    fn add_unasked(
        &mut self,
        key: Reported,
        original: Reported,
        place: (u64, u64),
        marks: Marks,
        batch: &mut Batch,
    ) {
        let shown = hidden(&self.redactor, (key, original), &mut self.redacted);
        let (mut key, original) = shown;
        if let Some(kind) = marks.identifier {
            key = kind.reported(key);
        }
        let original = self.keep_original.then_some(original);
        let placed = self.repeats.add(key, original, place, marks, batch);
        self.place(placed, batch);
        self.describe((false, true), marks, batch);
    }

    /// Notes the gateways around a URI as it is written, and why it has no target (I14); returns
    /// whether it has one.
    fn trace(&mut self, original: &[u8], marks: &mut Marks) -> bool {
        if !self
            .canonicalizer
            .unwrap_gateway(original, &mut self.unwrapped)
        {
            return false;
        }
        match self.unwrapped.lack() {
            Some(TargetLack::Opaque) => marks.problems |= Problem::OpaqueGateway,
            Some(_) => marks.problems |= Problem::BadGateway,
            None => {}
        }
        !self.unwrapped.names().is_empty()
    }

    /// Whether an entry of the lists matches `uri`, if there are lists.
    fn is_matched(&mut self, uri: &[u8]) -> bool {
        let matching = self.matching.as_mut();
        matching.is_none_or(|matching| matching.matches(uri))
    }

    /// Counts each entry that matches the last finding.
    fn count_entries(&mut self, place: (u64, u64), marks: Marks, batch: &mut Batch) {
        if let Some(matching) = &self.matching {
            let counted = CountedKeys {
                repeats: &mut self.repeats,
                stated: &self.stated,
                place,
                marks,
            };
            counted.add(|add| matching.each_text(add), batch);
        }
    }

    /// Whether text need not be searched.
    pub(in crate::engine) fn skips_text(&self) -> bool {
        self.pairs.as_ref().is_some_and(|pairs| !pairs.mentions())
    }

    /// Says whether the occurrences that are added from now on are links, not mentions.
    pub(in crate::engine) fn set_link(&mut self, is_link: bool) {
        if let Some(pairs) = &mut self.pairs {
            pairs.is_link = is_link;
        }
    }

    /// Says that the current record describes a page.
    pub(in crate::engine) fn set_page(&mut self) {
        if let Some(pairs) = &mut self.pairs {
            pairs.rows.is_page = true;
        }
    }

    /// Goes on with a page that gave `rows` so far.
    pub(in crate::engine) fn resume_page(&mut self, rows: PageRows) {
        if let Some(pairs) = &mut self.pairs {
            pairs.rows = rows;
        }
    }

    /// Returns what the page gave so far.
    pub(in crate::engine) fn rows(&self) -> PageRows {
        self.pairs
            .as_ref()
            .map(|pairs| pairs.rows)
            .unwrap_or_default()
    }

    /// Ends the page `part`: where nodes are reported, a page that gave no pair gives one
    /// of its node twice, unless only some targets are selected.
    pub(in crate::engine) fn end_page(&mut self, part: &Part, batch: &mut Batch) {
        let is_lone = self.pairs.as_ref().is_some_and(|pairs| pairs.is_lone(part));
        let selects_all =
            self.select.has_all() && self.problems.is_empty() && self.matching.is_none();
        if !is_lone || !selects_all || !self.stated.is_wanted() {
            return;
        }
        self.enter(&part.context, batch);
        let pair = self.pairs.as_mut().and_then(PairIntake::self_pair);
        if let Some(pair) = pair {
            let (first, bytes) = (batch.items.len(), batch.stats.bytes);
            batch.tally.note_piece(first, 0, bytes);
            let original = self.keep_original.then_some(pair);
            self.repeats
                .add(pair, original, (0, 0), Marks::default(), batch);
        }
    }

    /// Whether occurrences are reported as they are, alone or as the targets of pairs, and only
    /// lists select among them. Then [`add_plain`](KeyIntake::add_plain) may be called.
    #[inline(always)]
    pub(in crate::engine) fn takes_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether nothing is asked of a finding, and its written form is not reported. Then
    /// [`add_plain`](KeyIntake::add_plain) may be called for one whose canonical form is not the
    /// text.
    #[inline(always)]
    pub(in crate::engine) fn takes_plain_written(&self) -> bool {
        self.is_unasked && !self.keep_original && self.redactor.is_none()
    }

    /// Whether every occurrence is wanted that an entry matches, if there are lists.
    fn selects_by_lists(&self) -> bool {
        self.problems.is_empty() && self.select.has_all() && self.stated.selects_all()
    }

    /// Decides once the answer of [`takes_plain`](KeyIntake::takes_plain), and whether nothing is
    /// asked of a finding: it is wanted, no gateway is looked for, and its key is the URI.
    pub(in crate::engine) fn settled(mut self) -> KeyIntake {
        let are_plain = self.pairs.as_ref().is_none_or(PairIntake::are_plain);
        let is_shown = self.redactor.is_none() && self.by.is_none() && are_plain;
        self.is_plain = is_shown && self.selects_by_lists();
        let is_of_uris = self.by.is_none() && self.pairs.is_none();
        let is_key = is_of_uris && self.repeats.mode != Mode::Groups;
        self.is_unasked =
            is_key && !self.unwraps && self.matching.is_none() && self.selects_by_lists();
        self
    }

    /// Adds an occurrence whose canonical form is the text itself.
    #[inline(always)]
    pub(in crate::engine) fn add_plain(
        &mut self,
        uri: &[u8],
        place: (u64, u64),
        marks: Marks,
        batch: &mut Batch,
    ) {
        if self.matching.is_some() || self.pairs.is_some() {
            return self.add_plain_key(uri, place, marks, batch);
        }
        let placed = self.repeats.add(uri, None, place, marks, batch);
        self.place(placed, batch);
    }

    /// Does the same where an entry of the lists must match, and where keys are pairs.
    fn add_plain_key(&mut self, uri: &[u8], place: (u64, u64), marks: Marks, batch: &mut Batch) {
        self.added = false;
        if !self.is_matched(uri) {
            batch.stats.deselected += 1;
            return;
        }
        let pairs = self.pairs.as_mut();
        let Some(key) = pairs.map_or(Some(uri), |pairs| pairs.plain_pair(uri)) else {
            return;
        };
        let placed = self.repeats.add(key, None, place, marks, batch);
        self.place(placed, batch);
        let is_alone = self.pairs.is_none();
        self.describe((false, is_alone), marks, batch);
    }
}

/// An occurrence that counts for each of several keys.
struct CountedKeys<'k> {
    repeats: &'k mut Repeats,
    stated: &'k Stated,
    place: (u64, u64),
    marks: Marks,
}

impl CountedKeys<'_> {
    /// Adds the keys that `each` passes on. They are one occurrence.
    fn add(self, each: impl FnOnce(&mut dyn FnMut(&[u8])), batch: &mut Batch) {
        let before = batch.stats;
        each(&mut |key| {
            batch.stats = before;
            let placed = self.repeats.add(key, None, self.place, self.marks, batch);
            if !self.stated.marks_items() {
                return;
            }
            match placed {
                Placed::New => self.stated.mark(batch),
                Placed::Again(item) => self.stated.mark_again(item as usize, batch),
                Placed::Dropped => {}
            }
        });
    }
}

/// The item that an occurrence became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Placed {
    /// One of its own, the last one of the batch.
    New,
    /// An earlier one of the batch.
    Again(u32),
    /// None, because it is a repeat.
    Dropped,
}

/// Drops occurrences that this worker saw recently, and adds the others to a batch.
#[derive(Clone)]
pub(in crate::engine) struct Repeats {
    pub hasher: Hasher,
    /// `None` where repeats are not dropped.
    pub recent: Option<Recent>,
    pub mode: Mode,
    /// Whether keys are pairs.
    pub of_pairs: bool,
    /// The units in which a class counts once.
    pub units: CountUnits,
}

impl Repeats {
    /// Adds an occurrence to `batch`, unless it is a repeat. `original` is `None` when it is equal to `key`.
    #[inline(always)]
    fn add(
        &mut self,
        key: &[u8],
        original: Option<&[u8]>,
        place: (u64, u64),
        marks: Marks,
        batch: &mut Batch,
    ) -> Placed {
        batch.stats.occurrences += 1;
        batch.stats.add_problems(marks.problems);
        let mut hash = 0;
        if let Some(recent) = &mut self.recent {
            hash = self.hasher.hash(key);
            let item = batch.items.len() as u32;
            recent.enter(batch.order.turn);
            match (recent.look_up(hash, key, item), self.mode) {
                (Some(_), Mode::Distinct) => return Placed::Dropped,
                (Some(Sighting::Here(known)), _) => {
                    let counts = self.units.per.is_some();
                    match counts && batch.unit(known) != self.units.current() {
                        true => recent.record_repeat(hash, item),
                        false => {
                            batch.items[known as usize].count += u32::from(!counts);
                            return Placed::Again(known);
                        }
                    }
                }
                (Some(Sighting::Before), _) => recent.record_repeat(hash, item),
                (None, _) => {}
            }
        }
        batch.push(key, original, hash, place, marks);
        if self.of_pairs {
            batch.set_pair();
        }
        if self.units.per.is_some() {
            batch.set_unit(self.units.current());
        }
        Placed::New
    }
}
