//! One coding of a body: its decoder, the bytes that were not decoded yet, and the
//! treatment of bytes that cannot be decoded. The driver interprets the decoder's
//! state.

use super::loss::CodingLoss;
use super::transfer::Transfer;
use crate::unpack::bound::WindowBound;
use crate::unpack::driver::{Advance, DecodeFailure, Driven, Driver, Fault, Then};
use crate::unpack::magic::Compression;
use crate::unpack::opaque::is_utf8_text;

/// Bytes that a coding takes at a time.
const BITE: usize = 16 << 10;
/// The most bytes that are kept until a coding has any output.
const KEPT: usize = 64 << 10;
/// The number of bytes that show a compression.
const MAGIC_MAX: usize = 16;
/// The number of bytes by which a body in an unsupported coding is recognized as text.
const JUDGED: usize = 512;

/// The input of the codings.
pub(super) struct StageInput<'a> {
    pub bytes: &'a [u8],
    /// The number of bytes that were taken.
    pub taken: usize,
    /// Whether no bytes follow.
    pub ended: bool,
}

/// The output of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Bytes(usize),
    Hungry,
    End,
}

/// One coding.
pub(super) struct Stage {
    name: &'static str,
    kind: StageKind,
    input: Vec<u8>,
    /// The offset of the next byte in `input`.
    at: usize,
    /// Whether no bytes follow `input`.
    ended: bool,
    /// Whether there was any output.
    gave: bool,
    /// A loss behind the last output. It is reported when that was read, so that it is behind the
    /// losses of the next stage in these bytes.
    late: Option<CodingLoss>,
    window: WindowBound,
}

/// The treatment of the bytes.
pub(super) enum StageKind {
    /// The bytes are decoded.
    Coded(Coded),
    /// The bytes are in a coding of mail.
    Transfer(Box<dyn Transfer>),
    /// The bytes are decoded if they begin like a compressed file.
    Detected,
    /// The bytes are in an unsupported coding, unless they are text.
    Unknown,
    /// The bytes are not read, for this reason.
    Unread(&'static str),
    /// The bytes are passed on unchanged.
    Plain,
    /// The bytes are skipped.
    Done,
}

/// Bytes that are decoded.
pub(super) struct Coded {
    pub driver: Driver,
    /// The compression, when the bytes begin with a magic number.
    pub form: Option<Compression>,
    /// Whether the coding only frames the bytes, so that bytes after damage may still
    /// be text.
    pub is_framing: bool,
    /// Whether a member ended, and another one may follow.
    pub is_between: bool,
}

impl Stage {
    /// The name of the coding.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn new(name: &'static str, kind: StageKind) -> Stage {
        Stage {
            name,
            kind,
            input: Vec::new(),
            at: 0,
            ended: false,
            gave: false,
            late: None,
            window: WindowBound::UNLIMITED,
        }
    }

    /// Sets the greatest window.
    pub(super) fn allow_window(&mut self, window: WindowBound) {
        self.window = window;
        if let StageKind::Coded(coded) = &mut self.kind {
            coded.driver.allow_window(window.most());
        }
    }

    /// The same coding, which is not decoded because of `cause`.
    pub(super) fn unread(self, cause: &'static str) -> Stage {
        Stage {
            kind: StageKind::Unread(cause),
            ..self
        }
    }
}

impl StageInput<'_> {
    /// Writes the next bytes to `out`, unchanged.
    fn give(&mut self, out: &mut [u8]) -> Given {
        let rest = &self.bytes[self.taken..];
        let len = rest.len().min(out.len());
        out[..len].copy_from_slice(&rest[..len]);
        self.taken += len;
        match len {
            0 if self.ended => Given::End,
            0 => Given::Hungry,
            _ => Given::Bytes(len),
        }
    }
}

/// Writes the next bytes of the last stage to `out`; adds bytes that cannot be decoded
/// to `losses`.
pub(super) fn pull(
    stages: &mut [Stage],
    source: &mut StageInput,
    out: &mut [u8],
    losses: &mut Vec<CodingLoss>,
) -> Given {
    let Some((stage, before)) = stages.split_last_mut() else {
        return source.give(out);
    };
    loop {
        losses.extend(stage.late.take());
        let driven = stage.step(out);
        stage.at += driven.read;
        stage.gave |= driven.written > 0;
        let hungry = driven.progress == Advance::Hungry;
        match driven.progress {
            Advance::Goes | Advance::Hungry => {}
            Advance::Ended => stage.end(),
            Advance::Failed(failure) => stage.late = stage.failed(failure),
        }
        if driven.written > 0 {
            return Given::Bytes(driven.written);
        }
        if !hungry {
            continue;
        }
        if stage.ended {
            return Given::End;
        }
        match stage.more(before, source, losses) {
            Given::Hungry => return Given::Hungry,
            Given::End => stage.ended = true,
            Given::Bytes(_) => {}
        }
    }
}

impl Stage {
    /// Takes more input from the stages before.
    fn more(
        &mut self,
        before: &mut [Stage],
        source: &mut StageInput,
        losses: &mut Vec<CodingLoss>,
    ) -> Given {
        if self.gave || self.at > KEPT {
            self.input.drain(..self.at);
            self.at = 0;
        }
        let had = self.input.len();
        self.input.resize(had + BITE, 0);
        let given = pull(before, source, &mut self.input[had..], losses);
        let len = match given {
            Given::Bytes(len) => len,
            Given::Hungry | Given::End => 0,
        };
        self.input.truncate(had + len);
        given
    }

    fn step(&mut self, out: &mut [u8]) -> Driven {
        let input = &self.input[self.at..];
        let fresh = !self.gave && self.at == 0;
        let nothing = Driven::stays(Advance::Hungry);
        let goes = Driven::stays(Advance::Goes);
        let failed = |fault, cause| Driven::stays(Advance::failed(fault, cause, Then::Stopped));
        if fresh && input.is_empty() {
            return nothing;
        }
        match &mut self.kind {
            StageKind::Plain | StageKind::Done if input.is_empty() => nothing,
            StageKind::Plain => {
                let len = input.len().min(out.len());
                out[..len].copy_from_slice(&input[..len]);
                Driven {
                    read: len,
                    written: len,
                    ..goes
                }
            }
            StageKind::Done => Driven {
                read: input.len(),
                ..goes
            },
            StageKind::Coded(coded) if coded.is_between => {
                match coded.goes_on(input, self.ended) {
                    None => return nothing,
                    Some(true) => coded.begin(),
                    Some(false) => self.kind = StageKind::Done,
                }
                goes
            }
            StageKind::Coded(coded) => match coded.form {
                Some(form) if fresh && !form.may_begin(input) => {
                    failed(Fault::Damaged, "no magic number")
                }
                _ => coded.driver.step(input, self.ended, out),
            },
            StageKind::Transfer(transfer) => {
                let step = transfer.step(input, self.ended, out);
                Driven {
                    read: step.read,
                    written: step.written,
                    progress: match step.lost {
                        Some(cause) => Advance::failed(Fault::Damaged, cause, Then::Goes),
                        None if step.read + step.written > 0 => Advance::Goes,
                        None => Advance::Hungry,
                    },
                }
            }
            StageKind::Detected if input.len() < MAGIC_MAX && !self.ended => nothing,
            StageKind::Detected => {
                let form = Compression::of(input);
                let driver = form.and_then(|form| Driver::of(form, self.window.most()));
                self.kind = match driver {
                    Some(driver) => StageKind::Coded(Coded::new(driver, form)),
                    None => StageKind::Plain,
                };
                self.name = form.map_or(self.name, Compression::name);
                goes
            }
            StageKind::Unknown if input.len() < JUDGED && !self.ended => nothing,
            StageKind::Unknown if is_utf8_text(&input[..input.len().min(JUDGED)]) => {
                self.kind = StageKind::Plain;
                goes
            }
            StageKind::Unknown => failed(Fault::Unsupported, "this coding is not supported"),
            StageKind::Unread(cause) => failed(Fault::Unsupported, cause),
        }
    }

    /// Ends a coding.
    fn end(&mut self) {
        match &mut self.kind {
            StageKind::Coded(coded) => coded.is_between = true,
            kind => *kind = StageKind::Done,
        }
    }

    /// Returns the loss, unless the bytes were stored decoded.
    fn failed(&mut self, failure: DecodeFailure) -> Option<CodingLoss> {
        let DecodeFailure {
            fault,
            cause,
            then,
            window,
        } = failure;
        let is_damaged = fault == Fault::Damaged && then == Then::Stopped;
        if is_damaged && !self.gave && self.at <= KEPT {
            let is_coded = match &self.kind {
                StageKind::Coded(coded) => coded.is_begun_by(&self.input),
                _ => false,
            };
            (self.kind, self.at) = (StageKind::Plain, 0);
            if !is_coded {
                return None;
            }
        } else if then != Then::Goes {
            self.kind = match &self.kind {
                StageKind::Coded(coded) if coded.is_framing => StageKind::Plain,
                _ => StageKind::Done,
            };
        }
        Some(CodingLoss {
            fault,
            coding: self.name,
            cause,
            window: window.map(|needed| self.window.shortage(needed)),
        })
    }
}

impl Coded {
    pub(super) fn new(driver: Driver, form: Option<Compression>) -> Coded {
        Coded {
            driver,
            form,
            is_framing: false,
            is_between: false,
        }
    }

    /// Whether another member follows the one that ended; `None` when a longer input is
    /// needed.
    fn goes_on(&self, input: &[u8], ended: bool) -> Option<bool> {
        match self.form {
            Some(form) if form.may_begin(input) => {
                let is_known = ended || Compression::of(input).is_some();
                is_known.then_some(!input.is_empty())
            }
            _ => Some(false),
        }
    }

    /// Whether `input` begins with the magic number of the compression, in which one byte
    /// may be wrong.
    fn is_begun_by(&self, input: &[u8]) -> bool {
        self.form.is_some_and(|form| form.nearly_begins(input))
    }

    fn begin(&mut self) {
        self.driver.begin();
        self.is_between = false;
    }
}
