//! Steps a decoder and interprets its state, which no other file does. The handling of
//! the result is left to the caller.

use super::codec::{Codec, State};
use super::codecs::{self, CodecName};
use super::magic::Compression;
use crate::item::{Damage, LossKind};

/// A fault of a part of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The part was read, but its checksum or its length is wrong.
    Suspect,
    /// The part cannot be read.
    Damaged,
    /// The end of the part is missing.
    Truncated,
    /// The part needs a feature that is not supported.
    Unsupported,
}

impl Fault {
    /// Returns the kind of loss that the fault is reported as.
    pub(super) const fn kind(self) -> fn(Damage) -> LossKind {
        match self {
            Fault::Suspect => LossKind::Suspect,
            Fault::Damaged => LossKind::Damaged,
            Fault::Truncated => LossKind::Truncated,
            Fault::Unsupported => LossKind::Unsupported,
        }
    }
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Driven {
    /// Bytes of the input that were consumed.
    pub read: usize,
    /// Bytes of the output that were written.
    pub written: usize,
    pub progress: Advance,
}

/// The state of decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advance {
    /// Decoding continues.
    Goes,
    /// Decoding continues once there is more input.
    Hungry,
    /// The member ended.
    Ended,
    Failed(DecodeFailure),
}

/// A loss of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecodeFailure {
    pub fault: Fault,
    pub cause: &'static str,
    pub then: Then,
    /// The window that is needed, where a smaller one is allowed. The member continues if
    /// that one is allowed.
    pub window: Option<u64>,
}

/// The next step after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Only a part is lost: decoding continues.
    Goes,
    /// The member ended.
    Ended,
    /// The member cannot be read further.
    Stopped,
}

impl Advance {
    pub(super) const fn failed(fault: Fault, cause: &'static str, then: Then) -> Advance {
        Advance::Failed(DecodeFailure {
            fault,
            cause,
            then,
            window: None,
        })
    }
}

impl Driven {
    /// A step that neither read nor wrote.
    pub(super) const fn stays(progress: Advance) -> Driven {
        Driven {
            read: 0,
            written: 0,
            progress,
        }
    }
}

/// A decoder that is stepped.
pub(super) struct Driver {
    codec: Box<dyn Codec>,
}

impl Driver {
    pub(super) fn new(codec: Box<dyn Codec>) -> Driver {
        Driver { codec }
    }

    /// Returns a decoder of `form` with windows of at most `window` bytes; `None` where
    /// this build has no such decoder.
    pub(super) fn of(form: Compression, window: u64) -> Option<Driver> {
        let mut codec = codecs::decoder(CodecName::File(form))?;
        codec.allow_window(window);
        Some(Driver::new(codec))
    }

    /// Sets the most bytes that a window may have.
    pub(super) fn allow_window(&mut self, most: u64) {
        self.codec.allow_window(most);
    }

    /// Begins another member.
    pub(super) fn begin(&mut self) {
        self.codec.begin();
    }

    /// Begins a part of a member, `bit` bits into the first byte of the input.
    pub(super) fn begin_part(&mut self, bit: u8) {
        self.codec.begin_part(bit);
    }

    /// Returns the start of the current part, and the offset from which another part
    /// may be searched for, in bytes from the start of decoding.
    pub(super) fn part(&self) -> (u64, u64) {
        self.codec.part()
    }

    /// Returns another driver that decodes the next member in the same way.
    pub(super) fn fork(&self) -> Option<Driver> {
        self.codec.fork().map(Driver::new)
    }

    /// Decodes the start of `input` into `out`, which is not empty. `ended` means that
    /// no bytes follow `input`.
    pub(super) fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> Driven {
        let step = self.codec.step(input, out);
        let failed = |fault, cause, then| Advance::failed(fault, cause, then);
        let progress = match step.state {
            State::More if step.read + step.written > 0 => Advance::Goes,
            State::More if !ended => Advance::Hungry,
            State::More => match self.codec.cut(&input[step.read..]) {
                Some(cause) => failed(Fault::Damaged, cause, Then::Stopped),
                None => failed(Fault::Truncated, "the end is missing", Then::Stopped),
            },
            State::End => Advance::Ended,
            State::Suspect(cause) => failed(Fault::Suspect, cause, Then::Ended),
            State::SuspectPart(cause) => failed(Fault::Suspect, cause, Then::Stopped),
            State::SuspectGoesOn(cause) => failed(Fault::Suspect, cause, Then::Goes),
            State::LostGoesOn(cause) => failed(Fault::Damaged, cause, Then::Goes),
            State::Broken(cause) => failed(Fault::Damaged, cause, Then::Stopped),
            State::Unsupported(cause) => failed(Fault::Unsupported, cause, Then::Stopped),
            State::NeedsWindow(needed) => Advance::Failed(DecodeFailure {
                fault: Fault::Unsupported,
                cause: "it needs too large a window",
                then: Then::Stopped,
                window: Some(needed),
            }),
        };
        Driven {
            read: step.read,
            written: step.written,
            progress,
        }
    }
}
