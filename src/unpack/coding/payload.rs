//! The content of an HTTP message, its codings undone one after the other: what
//! one gives the next one takes, each as much as it needs. Data that does not
//! look like its coding was stored decoded, and is taken as it is.

use super::coding::{self, Coding};
use crate::item::{Damage, LossKind};
use crate::unpack::codec::{State, Step};

/// Bytes of text that are given at a time.
pub(super) const PIECE: usize = 64 << 10;
/// Bytes that a coding takes at a time.
const BITE: usize = 16 << 10;
/// More codings on top of each other are not undone.
const CODINGS_MAX: usize = 8;
/// So many bytes are kept until a coding has given something.
const KEPT: usize = 64 << 10;
/// A longer line of a chunk is none.
const LINE_MAX: usize = 4 << 10;

/// Undoes codings.
#[derive(Default)]
pub(super) struct Payload {
    stages: Vec<Stage>,
}

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
struct Stage {
    name: &'static str,
    kind: Kind,
    input: Vec<u8>,
    /// Where in `input` it stands.
    at: usize,
    /// Nothing follows `input`.
    ended: bool,
    /// It has taken something.
    fed: bool,
    /// It has given something.
    gave: bool,
}

enum Kind {
    Chunked(Chunk),
    Coded(Coding),
    /// As it is.
    Plain,
    /// So many codings are not undone.
    TooMany,
    /// What follows is not read.
    Done,
}

/// Where in a chunked message (RFC 9112 section 7.1).
enum Chunk {
    Size,
    Data(u64),
    /// The line break after a chunk.
    After,
}

impl Payload {
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n [u8]>) -> (Payload, bool) {
        let coded = names.filter_map(|name| match name {
            b"chunked" => Some(("chunked", Kind::Chunked(Chunk::Size))),
            _ => coding::of(name).map(|coding| (coding.name, Kind::Coded(coding))),
        });
        let coded = coded
            .take(CODINGS_MAX + 1)
            .enumerate()
            .map(|(number, coded)| match number < CODINGS_MAX {
                true => coded,
                false => (coded.0, Kind::TooMany),
            });
        let stage = |(name, kind)| Stage {
            name,
            kind,
            input: Vec::new(),
            at: 0,
            ended: false,
            fed: false,
            gave: false,
        };
        let stages: Vec<Stage> = coded.map(stage).collect();
        let identity = stages.is_empty();
        (Payload { stages }, identity)
    }

    /// Writes to `out` what comes next; `lost` is told what cannot be decoded.
    pub(super) fn pull(
        &mut self,
        source: &mut Source,
        out: &mut [u8],
        lost: &mut dyn FnMut(fn(Damage) -> LossKind, &'static str, &'static str),
    ) -> Given {
        pull(&mut self.stages, source, out, lost)
    }

    /// Appends to `text` what comes next.
    pub(super) fn append(
        &mut self,
        source: &mut Source,
        text: &mut Vec<u8>,
        lost: &mut dyn FnMut(fn(Damage) -> LossKind, &'static str, &'static str),
    ) -> Given {
        if self.stages.is_empty() {
            let rest = &source.bytes[source.taken..];
            let len = rest.len().min(PIECE);
            text.extend_from_slice(&rest[..len]);
            return source.took(len);
        }
        let had = text.len();
        text.resize(had + PIECE, 0);
        let given = self.pull(source, &mut text[had..], lost);
        let len = match given {
            Given::Bytes(len) => len,
            Given::Hungry | Given::End => 0,
        };
        text.truncate(had + len);
        given
    }
}

impl Source<'_> {
    /// So many bytes were taken and given as they are.
    fn took(&mut self, len: usize) -> Given {
        self.taken += len;
        match len {
            0 if self.ended => Given::End,
            0 => Given::Hungry,
            _ => Given::Bytes(len),
        }
    }
}

fn pull(
    stages: &mut [Stage],
    source: &mut Source,
    out: &mut [u8],
    lost: &mut dyn FnMut(fn(Damage) -> LossKind, &'static str, &'static str),
) -> Given {
    let Some((stage, before)) = stages.split_last_mut() else {
        let rest = &source.bytes[source.taken..];
        let len = rest.len().min(out.len());
        out[..len].copy_from_slice(&rest[..len]);
        return source.took(len);
    };
    loop {
        let had = stage.at;
        let step = stage.step(out);
        stage.at += step.read;
        stage.gave |= step.written > 0;
        match step.state {
            State::More => {}
            State::End => stage.kind = stage.after_end(),
            State::Broken(_) if !stage.gave && stage.at <= KEPT => {
                (stage.kind, stage.at) = (Kind::Plain, 0);
                continue;
            }
            State::SuspectGoesOn(cause) => lost(LossKind::Suspect, stage.name, cause),
            State::LostGoesOn(cause) => lost(LossKind::Damaged, stage.name, cause),
            State::Suspect(cause) | State::SuspectPart(cause) => {
                lost(LossKind::Suspect, stage.name, cause);
                stage.kind = Kind::Done;
            }
            State::Broken(cause) => {
                lost(LossKind::Damaged, stage.name, cause);
                stage.kind = match stage.kind {
                    // What follows may still be text.
                    Kind::Chunked(_) => Kind::Plain,
                    _ => Kind::Done,
                };
            }
            State::Unsupported(cause) => {
                lost(LossKind::Unsupported, stage.name, cause);
                stage.kind = Kind::Done;
            }
        }
        if step.written > 0 {
            return Given::Bytes(step.written);
        }
        if stage.at > had || step.state != State::More {
            continue;
        }
        if stage.ended {
            if matches!(stage.kind, Kind::Coded(_) | Kind::Chunked(_)) && stage.fed {
                lost(LossKind::Truncated, stage.name, "the end is missing");
            }
            stage.kind = Kind::Done;
            stage.at = stage.input.len();
            return Given::End;
        }
        match stage.more(before, source, lost) {
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
        lost: &mut dyn FnMut(fn(Damage) -> LossKind, &'static str, &'static str),
    ) -> Given {
        if self.gave || self.at > KEPT {
            self.input.drain(..self.at);
            self.at = 0;
        }
        let had = self.input.len();
        self.input.resize(had + BITE, 0);
        let given = pull(before, source, &mut self.input[had..], lost);
        let len = match given {
            Given::Bytes(len) => len,
            _ => 0,
        };
        self.input.truncate(had + len);
        self.fed |= len > 0;
        given
    }

    fn step(&mut self, out: &mut [u8]) -> Step {
        let input = &self.input[self.at..];
        match &mut self.kind {
            Kind::Plain => {
                let len = input.len().min(out.len());
                out[..len].copy_from_slice(&input[..len]);
                Step {
                    read: len,
                    written: len,
                    state: State::More,
                }
            }
            Kind::Done => Step {
                read: input.len(),
                written: 0,
                state: State::More,
            },
            Kind::Coded(coding) => {
                let fresh = !self.gave && self.at == 0;
                match (&mut coding.codec, coding.form) {
                    (None, _) => {
                        Step::stays(State::Unsupported("this program was built without it"))
                    }
                    (_, Some(form)) if fresh && !form.may_begin(input) => {
                        Step::stays(State::Broken("no magic number"))
                    }
                    (Some(codec), _) => match input {
                        [] if fresh => Step::WAIT,
                        _ => codec.step(input, out),
                    },
                }
            }
            Kind::TooMany => Step::stays(State::Unsupported("it is coded more than 8 times")),
            Kind::Chunked(chunk) => chunk.step(input, out, self.ended),
        }
    }

    /// What follows the end of a coding: gzip may have another member.
    fn after_end(&mut self) -> Kind {
        match std::mem::replace(&mut self.kind, Kind::Done) {
            Kind::Coded(mut coding) if coding.form.is_some() => {
                let more = coding.form.is_some_and(|form| {
                    let rest = &self.input[self.at..];
                    !rest.is_empty() && form.may_begin(rest)
                });
                if let (true, Some(codec)) = (more, &mut coding.codec) {
                    codec.begin();
                    return Kind::Coded(coding);
                }
                Kind::Done
            }
            _ => Kind::Done,
        }
    }
}

impl Chunk {
    fn step(&mut self, input: &[u8], out: &mut [u8], ended: bool) -> Step {
        match *self {
            Chunk::Size => {
                let Some(end) = memchr::memchr(b'\n', &input[..input.len().min(LINE_MAX)]) else {
                    return match input.len() >= LINE_MAX || ended && !input.is_empty() {
                        true => Step::stays(State::Broken("a chunk has no size")),
                        false => Step::WAIT,
                    };
                };
                let state = match size(&input[..end]) {
                    None => return Step::stays(State::Broken("a chunk has no size")),
                    Some(0) => State::End,
                    Some(size) => {
                        *self = Chunk::Data(size);
                        State::More
                    }
                };
                Step {
                    read: end + 1,
                    written: 0,
                    state,
                }
            }
            Chunk::Data(left) => {
                let most = usize::try_from(left).unwrap_or(usize::MAX);
                let len = input.len().min(out.len()).min(most);
                out[..len].copy_from_slice(&input[..len]);
                let left = left - len as u64;
                *self = match left {
                    0 => Chunk::After,
                    _ => Chunk::Data(left),
                };
                Step {
                    read: len,
                    written: len,
                    state: State::More,
                }
            }
            Chunk::After => {
                let read = match input {
                    [b'\r', b'\n', ..] => 2,
                    [b'\n', ..] => 1,
                    [] => return Step::WAIT,
                    [b'\r'] if !ended => return Step::WAIT,
                    _ => return Step::stays(State::Broken("a chunk has another size")),
                };
                *self = Chunk::Size;
                Step {
                    read,
                    written: 0,
                    state: State::More,
                }
            }
        }
    }
}

/// The size of a chunk, in hexadecimal digits, before extensions.
fn size(line: &[u8]) -> Option<u64> {
    let size = line.split(|&b| b == b';').next()?.trim_ascii();
    let size = std::str::from_utf8(size).ok()?;
    size.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?;
    u64::from_str_radix(size, 16).ok()
}
