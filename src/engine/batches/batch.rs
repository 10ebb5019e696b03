//! The findings of one block, in order: one buffer of bytes and one list of items in it. Both are used again for later blocks.

use super::count_unit::CountUnit;
use super::formatted::Formatted;
use super::item::{InBlock, WorkItem};
use super::line_state::OddLine;
use super::lines::BlockLines;
use super::pair;
use super::read_as::ReadAs;
use super::stats::{Beside, Stats};
use super::tally::Tally;
use super::time_span::TimeSpan;
use crate::dedup::{Answer, Key};
use crate::engine::error::{Error, ErrorKind};
use crate::input::SourceName;
use crate::item::{
    Content, Context, Exchange, Finding, Loss, LossKind, Marks, Matched, OwnedContext, Request,
    RequestPart, Timestamp,
};
use std::io;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// The position of a batch among all batches: its input, the number of its block in the
/// input, and the number of batches of the same block before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::engine) struct Turn {
    pub input: usize,
    pub block: u64,
    pub part: u32,
}

/// The follower of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) enum BatchNext {
    /// Another batch of the same block.
    Part,
    /// The next block of the input, or the batch that marks the end of the input.
    #[default]
    Block,
    /// The next input.
    Input,
    /// Nothing: reading ended inside the input.
    Nothing,
}

impl Turn {
    /// The position of the batch that follows.
    pub(in crate::engine) fn after(self, next: BatchNext) -> Turn {
        let (input, block) = match next {
            BatchNext::Part => {
                return Turn {
                    part: self.part + 1,
                    ..self
                };
            }
            BatchNext::Block => (self.input, self.block + 1),
            BatchNext::Input => (self.input + 1, 0),
            BatchNext::Nothing => (usize::MAX, 0),
        };
        Turn {
            input,
            block,
            part: 0,
        }
    }
}

/// The findings of one block, or of a part of it.
#[derive(Debug, Default)]
pub(in crate::engine) struct Batch {
    pub order: BatchOrder,
    /// The number of the worker that fills it.
    pub worker: usize,
    pub input: usize,
    pub read_as: ReadAs,
    /// The number of bytes that were read for it from the input as it is stored.
    pub stored: u64,
    pub bytes: Vec<u8>,
    pub items: Vec<WorkItem>,
    /// The places of the other spellings of hyphenated URIs in `bytes`, each with the start of
    /// the key of its item.
    pub alternatives: Vec<(u32, (u32, u32))>,
    /// The names of the gateways around items, each with the start of the key of its item.
    pub gateways: Vec<(u32, (u32, u32))>,
    /// The URIs that items stand inside, each with the start of the key of its item.
    pub outers: Vec<(u32, (u32, u32))>,
    /// The contexts of the items, one each time that the context changes.
    pub contexts: Vec<OwnedContext>,
    /// The bytes of the pointers of contexts.
    pub pointers: usize,
    /// The exchanges of the lines that have items, one for each line.
    pub exchanges: Vec<BatchExchange>,
    /// The times of the items, where they are reported of counted classes; fewer than items
    /// where the last ones have none.
    pub spans: Vec<TimeSpan>,
    /// The units of the items, where a class counts once in each.
    pub units: Vec<CountUnit>,
    /// The entries of lists that match the items, one after the other.
    pub matches: Vec<u8>,
    /// Where the entries of items are among these, each with the start of the key of its item.
    pub matched: Vec<(u32, Range<usize>)>,
    pub asked: AskedKeys,
    /// The losses, each with the number of items before it.
    pub losses: Vec<(u32, Loss)>,
    pub error: Option<Error>,
    /// The file that the input is.
    pub name: Option<SourceName>,
    /// A panic while the batch was made. The run ends when its turn comes.
    pub fault: OnceLock<Error>,
    pub stats: Stats,
    pub tally: Tally,
    pub lines: BlockLines,
    /// The findings as bytes, where a worker formatted them.
    pub formatted: OnceLock<Formatted>,
    /// The sink is flushed after it.
    pub flush: bool,
}

/// The exchange of a line, with the places of its texts in the bytes of the batch.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct BatchExchange {
    /// The number by which the intake of keys knows the line.
    line: u64,
    method: Option<(u32, u32)>,
    status: Option<u16>,
    time: Option<Timestamp>,
    client: Option<(u32, u32)>,
}

/// The order of a batch, for the queue.
#[derive(Debug, Default)]
pub(in crate::engine) struct BatchOrder {
    pub turn: Turn,
    pub next: BatchNext,
    /// There is no block: the input ended before it.
    pub is_end: bool,
    /// The bytes of memory that the batch takes while it waits to be written.
    pub held: usize,
}

/// The questions to the shards, and their answers.
#[derive(Debug, Default)]
pub(in crate::engine) struct AskedKeys {
    /// The keys of items that may be merged with others, by shard, and where those of each
    /// shard begin.
    pub keys: Vec<Key>,
    pub shard_starts: Vec<u32>,
    /// For each item the answer of its shard, as a number.
    pub answers: Vec<AtomicU8>,
    /// The number of items in the batches before it, where batches have no order.
    pub before: Option<u64>,
    /// The number of shards that have not answered yet.
    pub unanswered: AtomicUsize,
}

/// The amount in a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct BatchLen {
    bytes: usize,
    items: usize,
}

/// A batch of this many bytes is handed in before it grows further.
const LARGE: usize = 4 << 20;

impl Batch {
    /// Returns an empty batch with room for a little more than `len`, as of another batch.
    pub(in crate::engine) fn with_room(len: BatchLen) -> Batch {
        let room = |len: usize| len + len / 4;
        Batch {
            bytes: Vec::with_capacity(room(len.bytes)),
            items: Vec::with_capacity(room(len.items)),
            ..Batch::default()
        }
    }

    pub(in crate::engine) fn len(&self) -> BatchLen {
        BatchLen {
            bytes: self.bytes.len(),
            items: self.items.len(),
        }
    }

    /// The position of the batch after it.
    pub(in crate::engine) fn next_turn(&self) -> Turn {
        self.order.turn.after(self.order.next)
    }

    /// The bytes of memory that it takes.
    pub(in crate::engine) fn size(&self) -> usize {
        let Batch {
            bytes,
            items,
            contexts,
            exchanges,
            spans,
            units,
            matches,
            matched,
            alternatives,
            gateways,
            outers,
            losses,
            tally,
            ..
        } = self;
        size_of::<Batch>()
            + bytes.capacity()
            + items.capacity() * size_of::<WorkItem>()
            + contexts.capacity() * size_of::<OwnedContext>()
            + self.pointers
            + exchanges.capacity() * size_of::<BatchExchange>()
            + spans.capacity() * size_of::<TimeSpan>()
            + units.capacity() * size_of::<CountUnit>()
            + matches.capacity()
            + matched.capacity() * size_of::<(u32, Range<usize>)>()
            + (alternatives.capacity() + gateways.capacity() + outers.capacity())
                * size_of::<(u32, (u32, u32))>()
            + losses.capacity() * size_of::<(u32, Loss)>()
            + tally.size()
    }

    /// Whether it is handed in before it grows further.
    pub(in crate::engine) fn is_large(&self) -> bool {
        let items = self.items.len() * size_of::<WorkItem>();
        let contexts = self.contexts.len() * size_of::<OwnedContext>() + self.pointers;
        let exchanges = self.exchanges.len() * size_of::<BatchExchange>();
        let spans = self.spans.len() * size_of::<TimeSpan>();
        let units = self.units.len() * size_of::<CountUnit>();
        let texts = self.bytes.len() + self.matches.len();
        texts + items + contexts + exchanges + spans + units >= LARGE
    }

    pub(in crate::engine) fn clear(&mut self) {
        self.order.next = BatchNext::default();
        self.order.is_end = false;
        self.bytes.clear();
        self.items.clear();
        self.alternatives.clear();
        self.gateways.clear();
        self.outers.clear();
        self.contexts.clear();
        self.pointers = 0;
        self.exchanges.clear();
        self.spans.clear();
        self.units.clear();
        self.matches.clear();
        self.matched.clear();
        self.asked.keys.clear();
        self.asked.shard_starts.clear();
        self.asked.answers.clear();
        self.asked.before = None;
        self.losses.clear();
        self.lines.clear();
        self.formatted = OnceLock::new();
        self.error = None;
        self.name = None;
        self.fault = OnceLock::new();
        self.stored = 0;
        self.stats = Stats::default();
        self.tally.clear();
        self.flush = false;
    }

    /// Adds an item. `original` is stored when it differs from `key`.
    pub(in crate::engine) fn push(
        &mut self,
        key: &[u8],
        original: Option<&[u8]>,
        hash: u64,
        place: (u64, u64),
        marks: Marks,
    ) {
        self.tally.note(self.items.len(), &self.stats);
        let key_range = self.store(key);
        let original = match original {
            Some(original) if original != key => self.store(original),
            _ => key_range,
        };
        self.items.push(WorkItem {
            hash,
            offset: place.0,
            length: place.1,
            key: key_range,
            original,
            count: 1,
            marks,
            lines: InBlock::default(),
            context: self.contexts.len() as u32,
            exchange: 0,
            part: RequestPart::Text,
            alone: false,
            pair: false,
        });
    }

    /// Sets `uri` as the other spelling of the last item (W6).
    pub(in crate::engine) fn set_alternative(&mut self, uri: &[u8]) {
        if let Some(key) = self.items.last().map(|item| item.key.0) {
            let alternative = self.store(uri);
            self.alternatives.push((key, alternative));
        }
    }

    /// Sets the entries of lists that match the last item: `push` appends them.
    pub(in crate::engine) fn set_matched(&mut self, push: impl FnOnce(&mut Vec<u8>)) {
        if let Some(key) = self.items.last().map(|item| item.key.0) {
            let start = self.matches.len();
            push(&mut self.matches);
            self.matched.push((key, start..self.matches.len()));
        }
    }

    /// Sets the names of the gateways around the last item (I14).
    pub(in crate::engine) fn set_gateway(&mut self, names: &[u8]) {
        if let Some(key) = self.items.last().map(|item| item.key.0) {
            let names = self.store(names);
            self.gateways.push((key, names));
        }
    }

    /// Sets the URI that the last item stands inside (I13).
    pub(in crate::engine) fn set_outer(&mut self, uri: &[u8]) {
        let Some(key) = self.items.last().map(|item| item.key.0) else {
            return;
        };
        // Several items are often inside the same URI.
        let last = self.outers.last().map(|&(_, outer)| outer);
        let outer = match last.filter(|&last| &self.bytes[range(last)] == uri) {
            Some(last) => last,
            None => self.store(uri),
        };
        self.outers.push((key, outer));
    }

    /// Says that the key of the last item is a source and a target.
    pub(in crate::engine) fn set_pair(&mut self) {
        if let Some(item) = self.items.last_mut() {
            item.pair = true;
        }
    }

    /// Says that the last item is in this part of the line with the number `line`, which
    /// states `exchange`.
    pub(in crate::engine) fn set_request(
        &mut self,
        line: u64,
        part: RequestPart,
        exchange: &Exchange,
    ) {
        let is_stored = self.exchanges.last().is_some_and(|last| last.line == line);
        if !is_stored {
            let method = exchange.method.map(|method| self.store(method));
            let client = exchange.client.map(|client| self.store(client));
            self.exchanges.push(BatchExchange {
                line,
                method,
                status: exchange.status,
                time: exchange.time,
                client,
            });
        }
        let number = self.exchanges.len() as u32;
        if let Some(item) = self.items.last_mut() {
            (item.exchange, item.part) = (number, part);
        }
    }

    /// Adds the time of an occurrence of the item with this number.
    pub(in crate::engine) fn add_time(&mut self, number: usize, time: Option<Timestamp>) {
        if self.spans.len() <= number {
            self.spans.resize(number + 1, TimeSpan::EMPTY);
        }
        self.spans[number].add(time);
    }

    /// Returns the times of the item with this number.
    pub(in crate::engine) fn span(&self, number: u32) -> TimeSpan {
        let span = self.spans.get(number as usize);
        span.copied().unwrap_or(TimeSpan::EMPTY)
    }

    /// Says that the last item is in this unit.
    pub(in crate::engine) fn set_unit(&mut self, unit: CountUnit) {
        self.units.resize(self.items.len(), CountUnit::default());
        if let Some(last) = self.units.last_mut() {
            *last = unit;
        }
    }

    /// Returns the unit of the item with this number.
    pub(in crate::engine) fn unit(&self, number: u32) -> CountUnit {
        let unit = self.units.get(number as usize);
        unit.copied().unwrap_or_default()
    }

    /// Says that the last item is not merged with others.
    pub(in crate::engine) fn mark_unmergeable(&mut self) {
        if let Some(item) = self.items.last_mut() {
            item.alone = true;
        }
    }

    /// Sets the context of the items that are added from now on.
    pub(in crate::engine) fn enter(&mut self, context: &OwnedContext) {
        let is_same = match self.contexts.last() {
            Some(last) => last == context,
            None => {
                let nothing = OwnedContext::nothing();
                std::ptr::eq(context, nothing) || context == nothing
            }
        };
        if is_same {
            return;
        }
        let has_items = self
            .items
            .last()
            .is_some_and(|item| item.context as usize == self.contexts.len());
        // Most contexts of data have no item.
        if !has_items && let Some(unused) = self.contexts.pop() {
            self.pointers -= unused.pointer.map_or(0, |pointer| pointer.len());
        }
        self.pointers += context.pointer.as_ref().map_or(0, |pointer| pointer.len());
        self.contexts.push(context.clone());
    }

    /// Returns the error or the damage because of which findings may be missing here. A
    /// URI that is too long is never printed, so it does not count as missing.
    pub(in crate::engine) fn loss_cause(&self) -> Option<Error> {
        let damage = || {
            let damaged =
                |(_, loss): &(u32, Loss)| loss.kind.damage().map(|damage| (loss.offset, damage));
            let (offset, damage) = self.losses.iter().find_map(damaged)?;
            let cause = io::Error::new(io::ErrorKind::InvalidData, damage.to_string());
            Some(Error::new(ErrorKind::Read(self.input, offset), cause))
        };
        let error = self.error.as_ref().map(Error::again).or_else(damage);
        error.map(|error| error.of_input(self.name.as_ref()))
    }

    /// Whether the input ends here because of a panic, although more of it may be read.
    pub(in crate::engine) fn breaks_input(&self) -> bool {
        let kind = self.error.as_ref().map(Error::kind);
        matches!(kind, Some(ErrorKind::Panic(_)))
    }

    /// Empties the batch, but for its place among the others.
    pub(in crate::engine) fn drop_content(&mut self) {
        let next = self.order.next;
        self.clear();
        self.order.next = next;
    }

    /// Adds a loss behind all items so far, and counts it.
    pub(in crate::engine) fn lose(&mut self, loss: Loss) {
        self.lose_before(self.items.len(), loss);
    }

    /// Adds losses, each with its raw offset in a text, and counts them. Each is behind what
    /// begins before it in the text, of which these items and losses are the first.
    pub(in crate::engine) fn lose_in_text(
        &mut self,
        (item, loss): (usize, usize),
        lost: Vec<(u64, Loss)>,
    ) {
        let mut searched = self.losses.split_off(loss).into_iter().peekable();
        for (at, loss) in lost {
            let is_before = |found: &(u32, Loss)| found.1.offset < at;
            self.losses
                .extend(std::iter::from_fn(|| searched.next_if(is_before)));
            let items = self.items[item..].partition_point(|item| item.offset < at);
            self.lose_before(item + items, loss);
        }
        self.losses.extend(searched);
    }

    fn lose_before(&mut self, item: usize, loss: Loss) {
        self.stats.add_loss(&loss.kind);
        self.losses.push((item as u32, loss));
    }

    /// Counts lines, each with its raw offset in a text, of which this item is the first. Each is
    /// behind what begins before it in the text.
    pub(in crate::engine) fn add_odd_lines(&mut self, item: usize, lines: &[(u64, OddLine)]) {
        let mut counts = self.stats.beside();
        lines
            .iter()
            .for_each(|(_, line)| counts += Beside::of_line(*line));
        self.stats.set_beside(counts);
        let items = &self.items;
        self.tally.add_before(item, || {
            let before = |&(at, line): &(u64, OddLine)| {
                let before = items[item..].partition_point(|item| item.offset < at);
                ((item + before) as u32, Beside::of_line(line))
            };
            lines.iter().map(before)
        });
    }

    /// Returns the counts of the first `end` items and of what is before the last of them, or
    /// of the whole batch. The bytes are apart: their number is negative where the last item
    /// ends before the batch begins.
    pub(in crate::engine) fn counts(&self, end: Option<usize>) -> (Stats, i64) {
        let Some(end) = end else {
            let mut stats = self.stats;
            let bytes = std::mem::take(&mut stats.bytes) as i64;
            return (stats, bytes);
        };
        let mut stats = Stats::default();
        for (_, loss) in self.losses_until(Some(end)) {
            stats.add_loss(&loss.kind);
        }
        let counted = |item: &&WorkItem| item.marks.content != Content::Header;
        for item in self.items[..end].iter().filter(counted) {
            stats.occurrences += u64::from(item.count);
            stats.add_problems(item.marks.problems);
        }
        let last = end.checked_sub(1).map(|last| (last, &self.items[last]));
        let bytes = last.map_or(0, |(last, item)| {
            stats.set_beside(self.tally.beside(last));
            self.tally.bytes(last, item.offset + item.length)
        });
        (stats, bytes)
    }

    /// Returns the losses before the item number `end - 1`, or all losses.
    pub(in crate::engine) fn losses_until(
        &self,
        end: Option<usize>,
    ) -> impl Iterator<Item = &(u32, Loss)> {
        let is_before = move |loss: &&(u32, Loss)| end.is_none_or(|end| (loss.0 as usize) < end);
        self.losses.iter().filter(is_before)
    }

    /// Counts a candidate at `offset` that is longer than allowed (B7).
    pub(in crate::engine) fn skip_too_long(&mut self, offset: u64) {
        self.lose(Loss {
            input: self.input,
            offset,
            kind: LossKind::TooLong,
        });
    }

    fn store(&mut self, bytes: &[u8]) -> (u32, u32) {
        let from = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        (from, self.bytes.len() as u32)
    }

    /// Returns the canonical form of an item.
    #[inline]
    pub(in crate::engine) fn key(&self, item: &WorkItem) -> &[u8] {
        &self.bytes[range(item.key)]
    }

    /// Returns an item as it is reported.
    pub(in crate::engine) fn finding(&self, item: &WorkItem) -> Finding<'_> {
        let alternative = match self.alternatives.is_empty() {
            true => None,
            false => self.stored(&self.alternatives, item),
        };
        let gateway = match self.gateways.is_empty() {
            true => None,
            false => self.stored(&self.gateways, item),
        };
        let nested_in = match self.outers.is_empty() {
            true => None,
            false => self.stored(&self.outers, item),
        };
        let mut finding = Finding {
            uri: &self.bytes[range(item.key)],
            original: &self.bytes[range(item.original)],
            input: self.input,
            offset: item.offset,
            length: item.length,
            place: None,
            marks: item.marks,
            count: None,
            alternative,
            gateway,
            nested_in,
            source: None,
            first_seen: None,
            last_seen: None,
            sources: None,
            context: Context::default(),
        };
        if item.pair {
            let (source, target) = pair::split(finding.uri);
            (finding.source, finding.uri) = (Some(source), target);
            finding.original = pair::split(finding.original).1;
        }
        // Most items have no context, and a context is large.
        if item.context > 0 {
            finding.context = self.contexts[item.context as usize - 1].as_context();
        }
        if item.exchange > 0 {
            finding.context.request = Some(self.request(item));
        }
        if !self.matched.is_empty() {
            finding.context.matched = self.matched(item);
        }
        finding
    }

    /// Whether [`finding`](Batch::finding) has only the URI and the marks of an item.
    #[inline]
    pub(in crate::engine) fn is_bare(&self, item: &WorkItem) -> bool {
        let has_none =
            self.alternatives.is_empty() && self.gateways.is_empty() && self.outers.is_empty();
        has_none
            && self.matched.is_empty()
            && item.original == item.key
            && item.context == 0
            && item.exchange == 0
            && !item.pair
    }

    /// Returns the request in whose line an item is.
    fn request(&self, item: &WorkItem) -> Request<'_> {
        let stored = &self.exchanges[item.exchange as usize - 1];
        let text = |place: Option<(u32, u32)>| place.map(|place| &self.bytes[range(place)]);
        Request {
            part: item.part,
            exchange: Exchange {
                method: text(stored.method),
                status: stored.status,
                time: stored.time,
                client: text(stored.client),
            },
        }
    }

    /// Returns the entries of lists that match an item.
    fn matched(&self, item: &WorkItem) -> Option<Matched<'_>> {
        let keys = &self.matched;
        let number = keys
            .binary_search_by_key(&item.key.0, |&(key, _)| key)
            .ok()?;
        Some(Matched::of(&self.matches[keys[number].1.clone()]))
    }

    /// Returns the text that `texts` has for an item.
    fn stored(&self, texts: &[(u32, (u32, u32))], item: &WorkItem) -> Option<&[u8]> {
        let number = texts.binary_search_by_key(&item.key.0, |&(key, _)| key);
        Some(&self.bytes[range(texts[number.ok()?].1)])
    }

    /// Sorts the keys by shard, of which there are `shards`, a power of two.
    pub(in crate::engine) fn part(&mut self, shards: usize) {
        self.asked.shard_starts.resize(shards + 1, 0);
        for item in self.items.iter().filter(|item| !item.alone) {
            self.asked.shard_starts[shard_of(item.hash, shards) + 1] += 1;
        }
        for shard in 0..shards {
            self.asked.shard_starts[shard + 1] += self.asked.shard_starts[shard];
        }
        let asked = self.asked.shard_starts[shards] as usize;
        self.asked.keys.resize(asked, Key::default());
        let mut next: [u32; SHARDS_MAX] = [0; SHARDS_MAX];
        next[..shards].copy_from_slice(&self.asked.shard_starts[..shards]);
        self.asked.answers.reserve(self.items.len());
        for (number, item) in self.items.iter().enumerate() {
            self.asked.answers.push(AtomicU8::new(Answer::New as u8));
            if item.alone {
                continue;
            }
            let slot = &mut next[shard_of(item.hash, shards)];
            self.asked.keys[*slot as usize] = Key {
                hash: item.hash,
                from: item.key.0,
                to: item.key.1,
                number: number as u32,
                count: item.count,
            };
            *slot += 1;
        }
        self.asked.unanswered.store(shards, Ordering::Relaxed);
    }

    /// Whether the batch has no keys for a shard.
    pub(in crate::engine) fn has_none_of(&self, shard: usize) -> bool {
        self.asked.shard_starts[shard] == self.asked.shard_starts[shard + 1]
    }

    /// Returns the keys of one shard, in order.
    pub(in crate::engine) fn of_shard(&self, shard: usize) -> &[Key] {
        let from = self.asked.shard_starts[shard] as usize;
        let to = self.asked.shard_starts[shard + 1] as usize;
        &self.asked.keys[from..to]
    }

    /// Sets what a shard answered to the key of an item.
    pub(in crate::engine) fn set_answer(&self, number: u32, answer: Answer) {
        self.asked.answers[number as usize].store(answer as u8, Ordering::Relaxed);
    }

    /// Returns the answer to the key of an item. An item that is not merged with others is
    /// new.
    pub(in crate::engine) fn answer(&self, number: usize) -> Answer {
        const NEW: u8 = Answer::New as u8;
        const DEFERRED: u8 = Answer::Deferred as u8;
        match self.asked.answers[number].load(Ordering::Relaxed) {
            NEW => Answer::New,
            DEFERRED => Answer::Deferred,
            _ => Answer::Known,
        }
    }
}

/// The largest number of shards.
pub(in crate::engine) const SHARDS_MAX: usize = 64;

/// Which of `shards`, a power of two, a key with this hash belongs to. The table of a
/// set uses the upper half of the hash, [`Recent`](crate::engine::read::recent::Recent) bits above
/// these.
fn shard_of(hash: u64, shards: usize) -> usize {
    hash as usize & (shards - 1)
}

fn range((from, to): (u32, u32)) -> Range<usize> {
    from as usize..to as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::Record;
    use std::sync::Arc;

    #[test]
    fn items_share_a_context() {
        let record = |number| OwnedContext {
            warc: Some(Arc::new(Record {
                number,
                ..Record::default()
            })),
            ..OwnedContext::default()
        };
        let header = |record: &OwnedContext| OwnedContext {
            header: Some(Arc::from(&b"link"[..])),
            ..record.clone()
        };
        let none = OwnedContext::default();
        let (first, second) = (record(1), record(2));
        let contexts = [
            &none,
            &first,
            &first,
            &header(&first),
            &header(&first),
            &first,
            &second,
            &none,
            &none,
        ];
        let mut batch = Batch::default();
        for context in contexts {
            batch.enter(context);
            batch.push(b"urn:a-b:c", None, 0, (0, 9), Marks::default());
        }
        for (item, context) in batch.items.iter().zip(contexts) {
            assert_eq!(batch.finding(item).context, context.as_context());
        }
        assert_eq!(batch.contexts.len(), 5);
    }
}
