//! A run: every worker claims a block, scans it, has the shards take its keys
//! and gives what is ready, in order, to the sink. Workers are alike; whoever
//! finds the next block ready writes it.

use super::ahead::Ahead;
use super::batch::{Batch, Turn};
use super::block::{Body, Claim, Start, Text};
use super::blocks::{self, Blocks};
use super::cancel::Cancel;
use super::config::Config;
use super::handoff::{Ended, Handoff};
use super::keys::Keys;
use super::lines::Lines;
use super::lock::lock;
use super::mode::Mode;
use super::read_as::ReadAs;
use super::reasons::Reasons;
use super::recent::Recent;
use super::sequence::{self, Classes, Sequence};
use super::shards::Shards;
use super::sorted::Sorted;
use super::worker::{Buffers, Worker};
use super::{Error, ErrorKind, Progress, Sink, Stats};
use crate::decode::{MARK_MAX, Refanged};
use crate::dedup::{Hasher, Set};
use crate::delimit::Delimiter;
use crate::input::Source;
use crate::item::Content;
use crate::scan::{Cutter, Scanner};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How many blocks a worker may be ahead of the sink, for each thread.
const AHEAD: u64 = 8;

/// What the workers share.
struct Shared<'r, 's> {
    blocks: Mutex<Blocks<'s>>,
    decoded: Arc<Ahead>,
    handoff: Handoff,
    shards: Option<Shards>,
    order: Mutex<Order<'r>>,
    /// Another block was given to the sink.
    written: Condvar,
    /// Batches that were told, to be used again once nobody looks at them.
    spare: Mutex<Vec<Arc<Batch>>>,
    cutter: Cutter,
    ahead: u64,
    stop: AtomicBool,
    cancel: Cancel,
    mode: Mode,
    hasher: Hasher,
    sequence: Sequence,
    /// Blocks are told in their order.
    ordered: bool,
    /// What tells why spellings are equal, when that is asked.
    reasons: Option<Reasons>,
}

/// How many batches of one block may be ahead of the sink.
const PARTS_AHEAD: u32 = 4;

/// Batches on their way to the sink.
struct Order<'r> {
    next: Turn,
    ready: BTreeMap<Turn, Arc<Batch>>,
    sink: &'r mut dyn Sink,
    stats: Stats,
    /// The lines told so far, when they are counted.
    lines: Option<Lines>,
    /// The findings, when they are told at the end.
    sorted: Option<Sorted>,
    /// So many inputs at the beginning are not told.
    known: usize,
    /// At most so many findings of an input are told.
    most: Option<u64>,
    /// An input, and how many of its findings were told.
    given: (usize, u64),
    /// Where classes are told apart as they are told: what the workers find beyond
    /// `most` must not count as seen.
    seen: Option<(Set, Hasher)>,
    cancel: Cancel,
    /// What each input gave that is not told yet.
    inputs: BTreeMap<usize, (ReadAs, Stats)>,
    progress: Option<Arc<Progress>>,
    /// What could not be read, as it was last told: not twice from the same offset on.
    last_error: Option<ErrorKind>,
    failed: Option<Error>,
}

pub(super) fn run<'s>(
    config: &Config,
    sources: impl Iterator<Item = Source<'s>> + Send + 's,
    sink: &mut dyn Sink,
) -> Result<Stats, Error> {
    let hasher = Hasher::new();
    let limit = config.delimit.fold_limit();
    // A mark of defanging stands for one byte.
    let reach = match config.refang {
        true => limit.bytes * MARK_MAX,
        false => limit.bytes,
    };
    let cutter = match &config.layout {
        None => Cutter::new(reach, config.delimit.joins_blanks()).refang(config.refang),
        Some(layout) if !layout.ends_with_lines() => Cutter::nowhere(),
        Some(_) => Cutter::every_line(),
    };
    let by = config.by.filter(|_| config.mode == Mode::Count);
    let counting = matches!(config.mode, Mode::Count | Mode::Groups);
    let most = config.most.filter(|_| !counting);
    let mode = match most {
        Some(_) => Mode::All,
        None => config.mode,
    };
    let seen = (mode != config.mode).then(|| (Set::new(hasher.clone()), hasher.clone()));
    let cancel = Cancel::new(config.cancel.clone());
    let lists = Arc::new(config.layouts.clone());
    let worker = Worker {
        scanner: Scanner::new()
            .every_scheme(config.every_scheme)
            .abbreviated(config.abbreviated),
        delimiter: Delimiter::new(
            config
                .delimit
                .clone()
                .refang(config.refang)
                .special_relative(config.rules.are_of_urls()),
        ),
        canonicalizer: config.canonicalizer.clone(),
        keys: Keys {
            hasher: hasher.clone(),
            recent: Recent::new(),
            mode,
            by,
            keep_original: (config.originals && by.is_none()) || config.mode == Mode::Groups,
            select: config.select.clone(),
            problems: config.problems,
            redactor: config.redactor.clone(),
            redacted: Default::default(),
            added: false,
            entered: Default::default(),
        },
        count_lines: config.lines,
        layout: config.layout.clone(),
        layouts: Arc::clone(&lists),
        refanged: config.refang.then(Refanged::new),
        rules: config.rules,
        buffers: Buffers::default(),
        headers: Vec::new(),
    };
    let sequence = sequence::of_mode(config.sequence, config.mode);
    // Lines, and findings up to a limit, can only be counted in order; what is known
    // comes before all else.
    let in_order = config.lines || most.is_some() || config.known > 0;
    let ordered = sequence != Sequence::Unordered || in_order;
    let decoded = Arc::new(Ahead::new(config.threads));
    let shared = Shared {
        decoded: Arc::clone(&decoded),
        blocks: Mutex::new(Blocks::new(
            sources,
            config.block_size,
            cutter,
            cancel.clone(),
            (config.unpack, config.utf16),
            lists,
            decoded,
        )),
        handoff: Handoff::default(),
        shards: (mode != Mode::All)
            .then(|| Shards::new(config.threads, counting, ordered, &hasher)),
        order: Mutex::new(Order {
            next: Turn::default(),
            ready: BTreeMap::new(),
            sink,
            stats: Stats::default(),
            lines: config.lines.then(Lines::default),
            sorted: (sequence == Sequence::Sorted && !counting).then(Sorted::default),
            known: config.known,
            most,
            given: (usize::MAX, 0),
            seen,
            cancel: cancel.clone(),
            inputs: BTreeMap::new(),
            progress: config.progress.clone(),
            last_error: None,
            failed: None,
        }),
        written: Condvar::new(),
        spare: Mutex::default(),
        cutter,
        ahead: AHEAD * config.threads as u64,
        stop: AtomicBool::new(false),
        cancel,
        mode,
        hasher,
        sequence,
        ordered,
        reasons: config
            .reasons
            .then(|| Reasons::new(&config.canonicalizer, config.refang)),
    };
    if config.threads == 1 {
        shared.work(worker);
    } else {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(config.threads)
            .build()
            .map_err(|cause| Error::new(ErrorKind::Threads, io::Error::other(cause)))?;
        pool.broadcast(|_| shared.work(worker.clone()));
    }
    shared.finish(config.top)
}

impl<'s> Shared<'_, 's> {
    /// Claims and does blocks until there are no more.
    fn work(&self, mut worker: Worker) {
        let mut buffer = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            let claim = self.claim(std::mem::take(&mut buffer));
            let Some(claim) = claim else { return };
            if !self.wait_for_turn(claim.seq) {
                // Whoever has the next block must not wait for this one.
                self.handoff.post(claim.seq, Ended::default());
                return;
            }
            let mut batch = self.spare_batch();
            batch.turn = Turn {
                seq: claim.seq,
                part: 0,
            };
            batch.input = claim.input;
            let text = match claim.body {
                Body::Text(text) => text,
                Body::At {
                    source,
                    first,
                    start,
                    end,
                    len,
                    buffer,
                } => {
                    let span = (first, start, end, len);
                    blocks::read_block(&*source, span, claim.input, &self.cutter, buffer)
                }
                Body::Failed(error) => Text {
                    failed: Some(error),
                    ..Text::default()
                },
            };
            buffer = self.scan(&mut worker, text, &mut batch);
            self.hand_in(batch);
        }
    }

    /// The next block. While another worker fetches one, members are decoded that
    /// it will need.
    fn claim(&self, spare: Vec<u8>) -> Option<Claim<'s>> {
        loop {
            match self.blocks.try_lock() {
                Ok(mut blocks) => return blocks.claim(spare),
                Err(_) if self.decoded.work() => {}
                Err(_) => return lock(&self.blocks).claim(spare),
            }
        }
    }

    /// Waits until block `seq` is near enough to what the sink has; false when
    /// the run stops.
    fn wait_for_turn(&self, seq: u64) -> bool {
        let mut order = lock(&self.order);
        while seq > order.next.seq + self.ahead && order.failed.is_none() {
            order = self
                .written
                .wait(order)
                .unwrap_or_else(PoisonError::into_inner);
        }
        order.failed.is_none()
    }

    /// Scans a block into `batch`; gives its buffer back.
    fn scan(&self, worker: &mut Worker, mut text: Text, batch: &mut Batch) -> Vec<u8> {
        batch.error = text.failed.take();
        batch.flush = text.flush;
        batch.read_as = text.read_as;
        batch.stored = text.stored;
        let (seq, at) = (batch.turn.seq, text.ends_at());
        let failed = batch.error.is_some();
        let before = match std::mem::take(&mut text.start) {
            Start::Clean => {
                self.handoff.decline_before(seq);
                Ended::default()
            }
            Start::Carried => self.handoff.take_before(seq),
            Start::Torn(start, cause) => {
                let before = self.handoff.take_before(seq);
                let failed = batch.error.take();
                batch.error = blocks::torn(&before, (start, cause), failed, batch.input);
                before
            }
        };
        let mut pause = |batch: &mut Batch| {
            let stops = self.stop.load(Ordering::Relaxed) || self.cancel.is_set();
            !stops && (!batch.is_large() || self.hand_in_part(batch))
        };
        let unfinished = worker.scan(&text, before.unfinished, batch, &mut pause);
        self.handoff.post(
            seq,
            Ended {
                at,
                unfinished,
                failed,
            },
        );
        text.bytes
    }

    fn spare_batch(&self) -> Batch {
        let spare = lock(&self.spare).pop();
        let mut batch = spare.and_then(Arc::into_inner).unwrap_or_default();
        batch.clear();
        batch
    }

    /// Hands in what a block gave so far; false when the run stops.
    fn hand_in_part(&self, batch: &mut Batch) -> bool {
        batch.more = true;
        let next = Batch {
            turn: batch.next_turn(),
            input: batch.input,
            read_as: batch.read_as,
            flush: std::mem::take(&mut batch.flush),
            ..self.spare_batch()
        };
        let Turn { seq, part } = next.turn;
        self.hand_in(std::mem::replace(batch, next));
        let first = Turn {
            seq,
            part: part.saturating_sub(PARTS_AHEAD),
        };
        let mut order = lock(&self.order);
        while self.ordered && order.next < first && order.failed.is_none() {
            order = self
                .written
                .wait(order)
                .unwrap_or_else(PoisonError::into_inner);
        }
        order.failed.is_none()
    }

    /// Has the shards take the keys and writes what is ready.
    fn hand_in(&self, batch: Batch) {
        match &self.shards {
            None => self.write(Arc::new(batch)),
            Some(shards) => shards.take(batch, |batch| self.write(batch)),
        }
    }

    /// Gives `batch` to the sink when its turn has come, and those after it.
    fn write(&self, batch: Arc<Batch>) {
        let mut order = lock(&self.order);
        if self.ordered {
            order.ready.insert(batch.turn, batch);
            loop {
                let next = order.next;
                let Some(batch) = order.ready.remove(&next) else {
                    break;
                };
                order.next = batch.next_turn();
                let input = batch.input;
                order.tell_inputs_before(input);
                self.tell(&mut order, batch);
            }
        } else {
            order.next.seq += u64::from(!batch.more);
            self.tell(&mut order, batch);
        }
        drop(order);
        self.written.notify_all();
    }

    fn tell(&self, order: &mut Order, batch: Arc<Batch>) {
        if order.failed.is_none()
            && let Err(error) = order.tell(&batch, self.mode)
        {
            order.failed = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
        lock(&self.spare).insert(0, batch);
    }

    /// Tells what is told at the end, and what the run saw.
    fn finish(self, top: Option<usize>) -> Result<Stats, Error> {
        let failed = |cause| Error::new(ErrorKind::Write, cause);
        let mut order = self
            .order
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = order.failed {
            return Err(error);
        }
        order.tell_inputs_before(usize::MAX);
        let (mut stats, sink) = (order.stats, order.sink);
        // Whoever wants nothing more is not made to wait for what is told now.
        sink.inputs_ended().map_err(failed)?;
        let classes = Classes {
            sequence: self.sequence,
            top,
            known: order.known,
        };
        if let Some(sorted) = order.sorted {
            sorted.tell(sink).map_err(failed)?;
        }
        let sets = self.shards.map(Shards::into_sets).unwrap_or_default();
        match self.mode {
            Mode::All | Mode::Distinct => {}
            Mode::Count => {
                stats.distinct = classes.tell_counts(&sets, sink).map_err(failed)?;
            }
            Mode::Groups => {
                stats.distinct = classes
                    .tell_groups(sets, &self.hasher, self.reasons, sink)
                    .map_err(failed)?;
            }
        }
        sink.flush().map_err(failed)?;
        Ok(stats)
    }
}

impl Order<'_> {
    /// Tells the inputs before number `input`: nothing of them will follow.
    fn tell_inputs_before(&mut self, input: usize) {
        while let Some(entry) = self.inputs.first_entry()
            && *entry.key() < input
        {
            let (input, (read_as, stats)) = entry.remove_entry();
            self.sink.input(input, read_as, &stats);
        }
    }

    /// Gives one block to the sink.
    fn tell(&mut self, batch: &Batch, mode: Mode) -> Result<(), Error> {
        if batch.input < self.known
            && let Some(error) = batch.lacks()
        {
            // What is not known would be told as if it were new.
            return Err(error);
        }
        if self.given.0 != batch.input {
            self.given = (batch.input, 0);
        }
        if self.has_enough_of(batch.input) {
            self.cancel.finish(batch.input);
            return match batch.flush {
                true => self.sink.flush(),
                false => Ok(()),
            }
            .map_err(|cause| Error::new(ErrorKind::Write, cause));
        }
        self.tell_findings(batch, mode)
            .map_err(|cause| Error::new(ErrorKind::Write, cause))
    }

    /// Whether nothing more is told of `input`, the last one that something was told of.
    fn has_enough_of(&self, input: usize) -> bool {
        input >= self.known && self.most.is_some_and(|most| self.given.1 >= most)
    }

    fn tell_findings(&mut self, batch: &Batch, mode: Mode) -> io::Result<()> {
        if batch.input >= self.known {
            self.stats += batch.stats;
        }
        let is_open = !matches!(
            batch.error.as_ref().map(Error::kind),
            Some(ErrorKind::Open(_))
        );
        if is_open {
            let new = || (batch.read_as, Stats::default());
            let (read_as, stats) = self.inputs.entry(batch.input).or_insert_with(new);
            *stats += batch.stats;
            // What begins with damage is known for what it is only after that.
            if batch.read_as != ReadAs::default() {
                *read_as = batch.read_as;
            }
        }
        for loss in &batch.losses {
            self.sink.loss(loss);
        }
        if let Some(error) = batch.error.as_ref()
            && self.last_error.replace(error.kind()) != Some(error.kind())
        {
            self.sink.error(error.again());
        }
        if let Some(lines) = &mut self.lines {
            lines.enter(batch.input);
        }
        let mut new = 0;
        for (number, item) in batch.items.iter().enumerate() {
            if self.has_enough_of(batch.input) {
                break;
            }
            let is_new = match &mut self.seen {
                Some((set, hasher)) => {
                    let key = batch.key(item);
                    item.alone || set.insert(hasher.hash(key), key, 1, &[])
                }
                None => mode == Mode::All || batch.is_new[number].load(Ordering::Relaxed),
            };
            if !is_new {
                continue;
            }
            let is_header = item.marks.content == Content::Header;
            new += u64::from(!is_header);
            if matches!(mode, Mode::Count | Mode::Groups) || batch.input < self.known {
                continue;
            }
            self.stats.distinct += u64::from(!is_header);
            self.given.1 += u64::from(!is_header);
            let mut finding = batch.finding(item);
            finding.place = self.lines.as_ref().map(|l| l.place(&batch.lines, item));
            match &mut self.sorted {
                Some(sorted) => sorted.add(&finding),
                None => self.sink.finding(&finding)?,
            }
        }
        if self.has_enough_of(batch.input) {
            self.cancel.finish(batch.input);
        }
        if let Some((_, stats)) = self.inputs.get_mut(&batch.input) {
            stats.distinct += new;
        }
        if let Some(progress) = &self.progress {
            progress.add(&batch.stats, batch.stored, new);
        }
        if let Some(lines) = &mut self.lines {
            lines.leave(&batch.lines);
        }
        if batch.flush {
            self.sink.flush()?;
        }
        Ok(())
    }
}
