//! The members of a compressed stream, one after the other. A member is lost from the
//! first byte that cannot be decoded. The next member, or the next part where parts do
//! not depend on each other, is searched for from the start of the damaged one, because
//! a decoder may run far past the damage before it detects an error. The bytes that may
//! be read again are bounded by the bytes read, so that no input costs more than a few
//! passes.

use super::ahead::{Front, Member, Stretch};
use super::bound::{WindowBound, Windows};
use super::driver::{Advance, DecodeFailure, Driver, Fault, Then};
use super::hold::{Hold, Trust};
use super::intake::Intake;
use super::losses::WAITING_MAX;
use super::magic::{Compression, may_become};
use super::probe::{PROBE, probe};
use super::resume;
use crate::item::{Damage, LossKind, WindowShortage};
use std::collections::VecDeque;
use std::io::{self, Read};

/// The next part of a compressed stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamEvent {
    /// This number of bytes of text.
    Bytes(usize),
    /// Needs [`Unpacker::refill`] first.
    Hungry,
    /// Needs [`Unpacker::take_turn`] first: its window is larger than its share.
    Waits,
    /// A member begins, at this offset of the compressed stream.
    Member(u64),
    /// Text is missing between that before and that after.
    Break,
    /// The stream has ended.
    End,
}

/// Undoes compression while bytes are read.
pub(crate) struct Unpacker<'s> {
    origin: Origin<'s>,
    intake: Intake,
    place: Phase,
    /// Decoders to be used again.
    drivers: [Option<Driver>; Compression::ALL.len()],
    /// The compression of the last member.
    form: Compression,
    /// Whether the next event is a break.
    breaks: bool,
    /// The offset from which members are searched for, when the end of the last one may
    /// be wrong.
    doubted: Option<u64>,
    losses: Vec<(u64, LossKind)>,
    /// The number of bytes that were read again, and other work of the same cost.
    spent: u64,
    /// Losses of the stream around this one, each with the offset that reading of this
    /// one must reach before it is reported: reading ahead must not change their order.
    outer_losses: VecDeque<(u64, (u64, LossKind))>,
    front: Front,
    hold: Hold,
    window: WindowBound,
    /// The largest window, in bytes, before it is the turn of the input.
    share: u64,
    /// Whether the stream waits for its turn.
    is_waiting: bool,
}

/// The source of compressed bytes.
enum Origin<'s> {
    Reader(Box<dyn Read + Send + 's>),
    /// A stream inside another.
    Outer(Box<Unpacker<'s>>),
}

/// The state of reading.
#[derive(Clone, Copy)]
enum Phase {
    /// Before a member or the end.
    Between,
    /// In a member that began at this offset.
    Member(u64),
    /// The next member is being searched for.
    Lost(LostBytes),
    End,
}

/// A loss whose end is not known yet.
#[derive(Clone, Copy)]
struct LostBytes {
    offset: u64,
    at: u64,
    cause: &'static str,
    window: Option<WindowShortage>,
    kind: fn(Damage) -> LossKind,
    /// The range of the text of the part, in that of the stream.
    text: Option<(u64, u64)>,
}

/// Bytes that may always be read again.
const CREDIT: u64 = 16 << 20;
/// No magic number, with what shows whether it is one, is longer.
const MAGIC_MAX: usize = 64;
/// The cost of beginning with a part of a member, as bytes that are read again.
const PART: u64 = 4 << 10;

impl<'s> Unpacker<'s> {
    /// Reads `head`, then the bytes of `reader`.
    pub(crate) fn new(reader: Box<dyn Read + Send + 's>, head: Vec<u8>) -> Unpacker<'s> {
        Unpacker::of(Origin::Reader(reader), head)
    }

    /// Reads a compressed stream inside `outer`, from which `head` was already read.
    pub(crate) fn within(outer: Unpacker<'s>, head: Vec<u8>) -> Unpacker<'s> {
        Unpacker::of(Origin::Outer(Box::new(outer)), head)
    }

    /// Searches for the first member: the stream is known to have the compression
    /// `form`, but its first bytes are not a member.
    pub(crate) fn searching(mut self, form: Compression) -> Unpacker<'s> {
        self.form = form;
        self.lose(LostBytes {
            offset: 0,
            at: 0,
            cause: "the first bytes are those of no member",
            window: None,
            kind: LossKind::Garbage,
            text: None,
        });
        self
    }

    fn of(origin: Origin<'s>, head: Vec<u8>) -> Unpacker<'s> {
        Unpacker {
            form: Compression::of(&head).unwrap_or(Compression::Gzip),
            origin,
            intake: Intake::new(head),
            place: Phase::Between,
            drivers: Default::default(),
            breaks: false,
            doubted: None,
            losses: Vec::new(),
            spent: 0,
            outer_losses: VecDeque::new(),
            front: Front::default(),
            hold: Hold::default(),
            window: WindowBound::UNLIMITED,
            share: u64::MAX,
            is_waiting: false,
        }
    }

    /// Limits the windows to those of a compression inside `depth` others.
    pub(crate) fn with_windows(mut self, windows: &Windows, depth: usize) -> Unpacker<'s> {
        (self.window, self.share) = windows.at(depth);
        self
    }

    /// Says that this is the first input that is read: windows may be larger than its
    /// share.
    pub(crate) fn take_turn(&mut self) {
        self.share = u64::MAX;
        self.is_waiting = false;
        let most = self.window.most();
        for driver in self.drivers.iter_mut().flatten() {
            driver.allow_window(most);
        }
        if let Origin::Outer(outer) = &mut self.origin {
            outer.take_turn();
        }
    }

    /// Decodes into `out`, which is not empty. Never waits for its reader.
    pub(crate) fn decode(&mut self, out: &mut [u8]) -> StreamEvent {
        loop {
            if std::mem::take(&mut self.breaks) {
                return StreamEvent::Break;
            }
            let event = match self.place {
                Phase::Between => self.between(),
                Phase::Member(start) => self.member(start, out),
                Phase::Lost(lost) => self.search(lost),
                Phase::End => Some(StreamEvent::End),
            };
            if let Some(event) = event {
                return event;
            }
        }
    }

    /// Reads once from the reader.
    ///
    /// # Errors
    /// The errors of the reader. Bytes that were read before can still be decoded.
    pub(crate) fn refill(&mut self) -> io::Result<()> {
        let result = self.intake.more(|buffer| self.origin.read(buffer));
        if let Origin::Outer(outer) = &mut self.origin {
            // A range of the text of `outer` is not a range of the text of this stream.
            let losses: Vec<_> = outer.losses().collect();
            let losses = losses
                .into_iter()
                .map(|(at, kind)| (at, kind.without_text()));
            let read = self.intake.read();
            self.outer_losses.extend(losses.map(|loss| (read, loss)));
        }
        result.map(drop)
    }

    /// Returns the losses since the last call, each with its offset in the compressed
    /// stream.
    pub(crate) fn losses(&mut self) -> impl Iterator<Item = (u64, LossKind)> + use<> {
        let come = match self.place {
            Phase::End => u64::MAX,
            _ => self.intake.furthest(),
        };
        let due = match self.outer_losses.len() {
            ..WAITING_MAX => self.outer_losses.partition_point(|loss| loss.0 <= come),
            // From here on, the outer stream may consist only of damage.
            len => len,
        };
        let mut losses: Vec<_> = self.outer_losses.drain(..due).map(|loss| loss.1).collect();
        losses.append(&mut self.losses);
        losses.into_iter()
    }

    /// A stretch of the bytes that were read but not decoded which seems to contain
    /// whole members. Each stretch is returned once, and none before the first member
    /// was begun. `spare` returns a buffer to use for its bytes.
    pub(crate) fn look_ahead(&mut self, spare: impl FnOnce() -> Vec<u8>) -> Option<Stretch> {
        let driver = self.drivers[self.form as usize].as_ref()?;
        self.front.next(&self.intake, (self.form, driver), spare)
    }

    /// Whether the stream, or the one around it, waits for its turn.
    pub(crate) fn waits(&self) -> bool {
        let outer_waits = match &self.origin {
            Origin::Outer(outer) => outer.waits(),
            Origin::Reader(_) => false,
        };
        self.is_waiting || outer_waits
    }

    /// The number of bytes that were read but not decoded; `None` at the end of the
    /// input.
    pub(crate) fn waiting(&self) -> Option<usize> {
        (!self.intake.ended).then(|| self.intake.rest().len())
    }

    /// Skips the member that was just begun if it is `member`, which was decoded
    /// elsewhere, and returns true; otherwise returns false and changes nothing.
    pub(crate) fn pass(&mut self, member: &Member) -> bool {
        let begun = matches!(self.place, Phase::Member(start) if start == member.offset);
        let here = self.intake.offset() == member.offset;
        let passes = begun && here && member.len <= self.intake.rest().len();
        if passes {
            self.intake.consume(member.len);
            self.hold.pass(member.text.len());
            self.place = Phase::Between;
        }
        passes
    }

    /// Returns whether the text of the member that was just begun is held back until
    /// [`trust`](Unpacker::trust) decides whether it is sound.
    pub(crate) fn holds(&self) -> bool {
        self.hold.open
    }

    /// Returns the result of a member whose text is held back, once it is known, and
    /// only once.
    pub(crate) fn trust(&mut self) -> Option<Trust> {
        self.hold.take()
    }

    /// Skips zeros between members and after the last one: padding of xz, of tapes and
    /// of devices.
    fn between(&mut self) -> Option<StreamEvent> {
        let zeros = self.intake.rest().iter().take_while(|&&b| b == 0).count();
        self.intake.consume(zeros);
        let (rest, offset) = (self.intake.rest(), self.intake.offset());
        if let Some(form) = Compression::of(rest) {
            self.form = form;
            self.doubted = None;
            self.place = Phase::Member(offset);
            self.hold.begin(form, offset);
            if let Some(driver) = self.driver() {
                driver.begin();
            }
            return Some(StreamEvent::Member(offset));
        }
        if !self.intake.ended && may_become(rest) {
            return Some(StreamEvent::Hungry);
        }
        if rest.is_empty() {
            self.place = Phase::End;
            // The next input may need as large a window.
            self.drivers = Default::default();
            return Some(StreamEvent::End);
        }
        self.lose(LostBytes {
            offset,
            at: offset,
            cause: "bytes that belong to no member",
            window: None,
            kind: LossKind::Garbage,
            text: None,
        });
        if let Some(from) = self.doubted.take() {
            self.go_back(from);
        }
        None
    }

    /// Returns the decoder of the last member; `None` where this build has no such
    /// decoder.
    fn driver(&mut self) -> Option<&mut Driver> {
        let slot = &mut self.drivers[self.form as usize];
        if slot.is_none() {
            *slot = Driver::of(self.form, self.window.most().min(self.share));
        }
        slot.as_mut()
    }

    /// Returns the start of the current part of the member at `start`, and the offset
    /// from which another part is searched for.
    fn part(&self, start: u64) -> (u64, u64) {
        let driver = self.drivers[self.form as usize].as_ref();
        let (at, next) = driver.map_or((0, 1), Driver::part);
        (start + at, start + next)
    }

    /// Returns the range of the text of the member at `start`; `None` also when only a
    /// part of it is read.
    fn text(&self, start: u64) -> Option<(u64, u64)> {
        let text = self.hold.text();
        text.filter(|_| self.part(start).0 == start)
    }

    /// Continues the member that began at `start`.
    fn member(&mut self, start: u64, out: &mut [u8]) -> Option<StreamEvent> {
        let Some(driver) = &mut self.drivers[self.form as usize] else {
            // Other members cannot be read for the same reason.
            let cause = "this program was built without it";
            let damage = Damage::new(self.form.name(), cause, start);
            self.losses.push((start, LossKind::Unsupported(damage)));
            self.place = Phase::End;
            return Some(StreamEvent::End);
        };
        let driven = driver.step(self.intake.rest(), self.intake.ended, out);
        self.intake.consume(driven.read);
        self.hold.gave(driven.written, self.form, &self.intake);
        match driven.progress {
            Advance::Goes => {}
            Advance::Hungry => return Some(StreamEvent::Hungry),
            Advance::Ended => {
                self.hold.end(Trust::Given);
                self.place = Phase::Between;
            }
            Advance::Failed(DecodeFailure {
                window: Some(needed),
                ..
            }) if needed > self.share && needed <= self.window.most() => {
                self.is_waiting = true;
                return Some(StreamEvent::Waits);
            }
            Advance::Failed(failure) => self.failed(start, failure),
        }
        match driven.written {
            0 => None,
            written => Some(StreamEvent::Bytes(written)),
        }
    }

    /// Handles a loss in the member that began at `start`.
    fn failed(&mut self, start: u64, failure: DecodeFailure) {
        let DecodeFailure {
            fault,
            cause,
            then,
            window,
        } = failure;
        let here = self.intake.offset();
        let (offset, next) = self.part(start);
        self.hold.end(Trust::Doubtful);
        let text = self.text(start);
        if then == Then::Stopped {
            let at = match (fault, self.form) {
                // These decoders read ahead, as far as bytes are available.
                (Fault::Damaged | Fault::Unsupported, Compression::Bzip2 | Compression::Zstd) => {
                    offset
                }
                _ => here,
            };
            self.lose(LostBytes {
                offset,
                at,
                cause,
                window: window.map(|needed| self.window.shortage(needed)),
                kind: fault.kind(),
                text,
            });
            self.go_back(next);
            // Otherwise the same member would be found again.
            self.intake.consume(next.saturating_sub(here) as usize);
            return;
        }
        let damage = Damage {
            text,
            ..Damage::new(self.form.name(), cause, here)
        };
        self.losses.push((offset, fault.kind()(damage)));
        self.breaks = true;
        if then == Then::Ended {
            self.doubted = Some(next);
            self.place = Phase::Between;
        }
    }

    /// Returns the number of bytes that may be read again.
    fn credit(&self) -> u64 {
        (CREDIT + self.intake.furthest()).saturating_sub(self.spent)
    }

    fn lose(&mut self, lost: LostBytes) {
        self.breaks = true;
        self.place = Phase::Lost(lost);
    }

    /// Goes back towards `offset`, as far as allowed.
    fn go_back(&mut self, offset: u64) {
        let offset = self.intake.within_reach(offset);
        let back = self.intake.offset().saturating_sub(offset);
        if back <= self.credit() {
            self.intake.go_back(offset);
            self.spent += back;
        }
    }

    /// Searches for the next member.
    fn search(&mut self, lost: LostBytes) -> Option<StreamEvent> {
        let rest = self.intake.rest();
        // Up to the offset at which a part can be paid for again: parts are searched
        // for from the same offset, independent of the number of available bytes.
        let poor = PART.saturating_sub(self.credit());
        let ahead = self.intake.furthest() - self.intake.offset();
        let limit = match poor {
            0 => usize::MAX,
            _ => usize::try_from(ahead + poor).unwrap_or(usize::MAX),
        };
        let window = &rest[..rest.len().min(limit.saturating_add(MAGIC_MAX))];
        let found = resume::find(self.form, window, poor == 0);
        if found.map_or_else(|passed| passed, resume::ResumePoint::start) >= limit {
            self.intake.consume(limit);
            return None;
        }
        match found {
            Ok(resume::ResumePoint::Part(found, bit)) => {
                self.intake.consume(found);
                self.spent += PART;
                let offset = self.intake.offset();
                self.lost(lost, Some(offset));
                self.place = Phase::Member(offset);
                self.hold.begin_part();
                if let Some(driver) = self.driver() {
                    driver.begin_part(bit);
                }
                Some(StreamEvent::Member(offset))
            }
            Ok(resume::ResumePoint::Member(found)) => {
                self.intake.consume(found);
                let (verdict, cost) = match self.credit() < PROBE as u64 {
                    // Accepted without a probe, so that the bytes after it are read
                    // only once.
                    true => (Some(true), 0),
                    false => probe(self.form, self.intake.rest(), self.intake.ended),
                };
                if verdict.is_some() {
                    self.spent += cost;
                }
                match verdict {
                    None => return Some(StreamEvent::Hungry),
                    Some(false) => self.intake.consume(1),
                    Some(true) => {
                        let offset = self.intake.offset();
                        self.lost(lost, Some(offset));
                        self.place = Phase::Between;
                    }
                }
                None
            }
            Err(passed) if !self.intake.ended => {
                self.intake.consume(passed);
                Some(StreamEvent::Hungry)
            }
            Err(_) => {
                self.lost(lost, None);
                self.place = Phase::End;
                Some(StreamEvent::End)
            }
        }
    }

    fn lost(&mut self, lost: LostBytes, resumes: Option<u64>) {
        let damage = Damage {
            resumes: resumes.filter(|&resumes| resumes != lost.at),
            text: lost.text,
            window: lost.window,
            ..Damage::new(self.form.name(), lost.cause, lost.at)
        };
        self.losses.push((lost.offset, (lost.kind)(damage)));
    }
}

impl Origin<'_> {
    /// Reads once into `buffer`; returns `None` at the end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self {
            Origin::Reader(reader) => read(&mut **reader, buffer),
            Origin::Outer(outer) => through(outer, buffer),
        }
    }
}

/// Returns `None` at the end.
fn read(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        match reader.read(buffer) {
            Ok(0) => return Ok(None),
            Ok(len) => return Ok(Some(len)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reads the bytes of `outer` as if it had no gap where it is damaged: the decoder
/// detects the gap. Reads at most once from the reader.
fn through(outer: &mut Unpacker, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    let mut asked = false;
    loop {
        match outer.decode(buffer) {
            StreamEvent::Bytes(len) => return Ok(Some(len)),
            // The stream inside also reports that it waits.
            StreamEvent::Waits => return Ok(Some(0)),
            StreamEvent::Hungry if asked => return Ok(Some(0)),
            StreamEvent::Hungry => outer.refill()?,
            StreamEvent::Member(_) | StreamEvent::Break => continue,
            StreamEvent::End => return Ok(None),
        }
        asked = true;
    }
}
