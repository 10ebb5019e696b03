//! One coding of a body on its way out: its decoder, the bytes that it was not
//! given yet, and what is done where they cannot be decoded. What a decoder says is
//! read by the driver.

use super::loss::CodingLoss;
use crate::unpack::driver::{Driven, Driver, Failure, Fault, Progress, Then};
use crate::unpack::magic::Compression;
use crate::unpack::opaque::is_binary;

/// Bytes that a coding takes at a time.
const BITE: usize = 16 << 10;
/// So many bytes are kept until a coding has given something.
const KEPT: usize = 64 << 10;
/// By so many bytes a body in a coding that is not undone is known to be text.
const JUDGED: usize = 512;

/// Bytes that come in.
pub(super) struct Source<'a> {
    pub bytes: &'a [u8],
    /// How many were taken.
    pub taken: usize,
    /// No more follow.
    pub ended: bool,
}

/// What comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Bytes(usize),
    Hungry,
    End,
}

/// One coding.
pub(super) struct Stage {
    name: &'static str,
    kind: Kind,
    input: Vec<u8>,
    /// Where in `input` it stands.
    at: usize,
    /// Nothing follows `input`.
    ended: bool,
    /// It has given something.
    gave: bool,
}

/// What is done with the bytes.
pub(super) enum Kind {
    /// They are decoded.
    Coded(Coded),
    /// They are in a coding that is not undone, unless they are text.
    Unknown,
    /// They are not read, for this reason.
    Unread(&'static str),
    /// They are given as they are.
    Plain,
    /// They are passed over.
    Done,
}

/// Bytes that are decoded.
pub(super) struct Coded {
    pub driver: Driver,
    /// What they begin with, when that is a magic number.
    pub form: Option<Compression>,
    /// It only frames the bytes: what follows damage may still be text.
    pub is_framing: bool,
    /// A member ended, and another one may follow.
    pub is_between: bool,
}

impl Stage {
    /// What it is called.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn new(name: &'static str, kind: Kind) -> Stage {
        Stage {
            name,
            kind,
            input: Vec::new(),
            at: 0,
            ended: false,
            gave: false,
        }
    }

    /// The same coding, which is not undone because of `cause`.
    pub(super) fn unread(self, cause: &'static str) -> Stage {
        Stage {
            kind: Kind::Unread(cause),
            ..self
        }
    }
}

impl Source<'_> {
    /// Writes to `out` what comes next, as it is.
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

/// Writes to `out` what comes next of the last stage; adds to `losses` what cannot be
/// decoded.
pub(super) fn pull(
    stages: &mut [Stage],
    source: &mut Source,
    out: &mut [u8],
    losses: &mut Vec<CodingLoss>,
) -> Given {
    let Some((stage, before)) = stages.split_last_mut() else {
        return source.give(out);
    };
    loop {
        let driven = stage.step(out);
        stage.at += driven.read;
        stage.gave |= driven.written > 0;
        let hungry = driven.progress == Progress::Hungry;
        match driven.progress {
            Progress::Goes | Progress::Hungry => {}
            Progress::Ended => stage.end(),
            Progress::Failed(failure) => losses.extend(stage.failed(failure)),
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
        source: &mut Source,
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
        let nothing = Driven::stays(Progress::Hungry);
        let goes = Driven::stays(Progress::Goes);
        let failed = |fault, cause| Driven::stays(Progress::failed(fault, cause, Then::Stopped));
        if fresh && input.is_empty() {
            return nothing;
        }
        match &mut self.kind {
            Kind::Plain | Kind::Done if input.is_empty() => nothing,
            Kind::Plain => {
                let len = input.len().min(out.len());
                out[..len].copy_from_slice(&input[..len]);
                Driven {
                    read: len,
                    written: len,
                    ..goes
                }
            }
            Kind::Done => Driven {
                read: input.len(),
                ..goes
            },
            Kind::Coded(coded) if coded.is_between => {
                match coded.goes_on(input, self.ended) {
                    None => return nothing,
                    Some(true) => coded.begin(),
                    Some(false) => self.kind = Kind::Done,
                }
                goes
            }
            Kind::Coded(coded) => match coded.form {
                Some(form) if fresh && !form.may_begin(input) => {
                    failed(Fault::Damaged, "no magic number")
                }
                _ => coded.driver.step(input, self.ended, out),
            },
            Kind::Unknown if input.len() < JUDGED && !self.ended => nothing,
            Kind::Unknown if is_text(&input[..input.len().min(JUDGED)]) => {
                self.kind = Kind::Plain;
                goes
            }
            Kind::Unknown => failed(Fault::Unsupported, "this coding is not undone"),
            Kind::Unread(cause) => failed(Fault::Unsupported, cause),
        }
    }

    /// A coding ended.
    fn end(&mut self) {
        match &mut self.kind {
            Kind::Coded(coded) => coded.is_between = true,
            kind => *kind = Kind::Done,
        }
    }

    /// What cannot be decoded is a loss, unless it was stored decoded.
    fn failed(&mut self, failure: Failure) -> Option<CodingLoss> {
        let Failure { fault, cause, then } = failure;
        let is_damaged = fault == Fault::Damaged && then == Then::Stopped;
        if is_damaged && !self.gave && self.at <= KEPT {
            (self.kind, self.at) = (Kind::Plain, 0);
            return None;
        }
        if then != Then::Goes {
            self.kind = match &self.kind {
                Kind::Coded(coded) if coded.is_framing => Kind::Plain,
                _ => Kind::Done,
            };
        }
        Some(CodingLoss {
            fault,
            coding: self.name,
            cause,
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

    /// Whether another member follows the one that ended; `None` when a longer input
    /// may tell.
    fn goes_on(&self, input: &[u8], ended: bool) -> Option<bool> {
        match self.form {
            Some(form) if form.may_begin(input) => {
                let is_known = ended || Compression::of(input).is_some();
                is_known.then_some(!input.is_empty())
            }
            _ => Some(false),
        }
    }

    fn begin(&mut self) {
        self.driver.begin();
        self.is_between = false;
    }
}

/// Whether `bytes`, as far as they go, are UTF-8 without controls that texts do not
/// have.
fn is_text(bytes: &[u8]) -> bool {
    let is_utf8 = std::str::from_utf8(bytes).map_or_else(|e| e.error_len().is_none(), |_| true);
    is_utf8 && !bytes.iter().any(is_binary)
}
