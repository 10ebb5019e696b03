//! Steps a decoder and says what came of it: the one place that knows what the
//! states of decoders mean. What is to be done about it is left to whoever drives.

use super::codec::{Codec, State};
use super::magic::Compression;
use super::{bzip2, gzip, lz4, xz, zstd};
use crate::item::{Damage, LossKind};

/// What is wrong with a part of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It was read, but its checksum or its length is wrong.
    Suspect,
    /// It cannot be read.
    Damaged,
    /// Its end is missing.
    Truncated,
    /// It is of a kind that is not read.
    Unsupported,
}

impl Fault {
    /// The loss that it is.
    pub(super) const fn kind(self) -> fn(Damage) -> LossKind {
        match self {
            Fault::Suspect => LossKind::Suspect,
            Fault::Damaged => LossKind::Damaged,
            Fault::Truncated => LossKind::Truncated,
            Fault::Unsupported => LossKind::Unsupported,
        }
    }
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Driven {
    /// Bytes of the input that are done with.
    pub read: usize,
    /// Bytes of the output that were written.
    pub written: usize,
    pub progress: Progress,
}

/// How what is decoded stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It goes on.
    Goes,
    /// It goes on once there is a longer input.
    Hungry,
    /// It ended.
    Ended,
    Failed(Failure),
}

/// Something is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub fault: Fault,
    pub cause: &'static str,
    pub then: Then,
}

/// What follows a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Only a part is lost: it goes on.
    Goes,
    /// It ended.
    Ended,
    /// It cannot be read further.
    Stopped,
}

impl Progress {
    pub(super) const fn failed(fault: Fault, cause: &'static str, then: Then) -> Progress {
        Progress::Failed(Failure { fault, cause, then })
    }
}

impl Driven {
    /// Nothing was read or written.
    pub(super) const fn stays(progress: Progress) -> Driven {
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

    /// Decodes `form`; `None` where this build cannot.
    pub(super) fn of(form: Compression) -> Option<Driver> {
        let codec = match form {
            Compression::Gzip => gzip::decoder(),
            Compression::Zstd => zstd::decoder(),
            Compression::Xz => xz::decoder(),
            Compression::Bzip2 => bzip2::decoder(),
            Compression::Lz4 => lz4::decoder(),
        };
        codec.map(Driver::new)
    }

    /// Another member begins.
    pub(super) fn begin(&mut self) {
        self.codec.begin();
    }

    /// A part of a member begins, so many bits into the first byte of what follows.
    pub(super) fn begin_part(&mut self, bit: u8) {
        self.codec.begin_part(bit);
    }

    /// Where the part that is read begins, and from where on another one may be
    /// looked for: bytes from where decoding began.
    pub(super) fn part(&self) -> (u64, u64) {
        self.codec.part()
    }

    /// Another one that decodes the next member as this one.
    pub(super) fn fork(&self) -> Option<Driver> {
        self.codec.fork().map(Driver::new)
    }

    /// Decodes what `input` begins with, which nothing follows when it has `ended`,
    /// into `out`, which is not empty.
    pub(super) fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> Driven {
        let step = self.codec.step(input, out);
        let failed = |fault, cause, then| Progress::failed(fault, cause, then);
        let progress = match step.state {
            State::More if step.read + step.written > 0 => Progress::Goes,
            State::More if !ended => Progress::Hungry,
            State::More => match self.codec.cut(&input[step.read..]) {
                Some(cause) => failed(Fault::Damaged, cause, Then::Stopped),
                None => failed(Fault::Truncated, "the end is missing", Then::Stopped),
            },
            State::End => Progress::Ended,
            State::Suspect(cause) => failed(Fault::Suspect, cause, Then::Ended),
            State::SuspectPart(cause) => failed(Fault::Suspect, cause, Then::Stopped),
            State::SuspectGoesOn(cause) => failed(Fault::Suspect, cause, Then::Goes),
            State::LostGoesOn(cause) => failed(Fault::Damaged, cause, Then::Goes),
            State::Broken(cause) => failed(Fault::Damaged, cause, Then::Stopped),
            State::Unsupported(cause) => failed(Fault::Unsupported, cause, Then::Stopped),
        };
        Driven {
            read: step.read,
            written: step.written,
            progress,
        }
    }
}

#[cfg(test)]
mod examples {
    #[test]
    fn fault() {
        use crate::unpack::coding::CodingLoss;
        use crate::unpack::driver::Fault;
        let loss = CodingLoss {
            fault: Fault::Truncated,
            coding: "br",
            cause: "the end is missing",
        };
        assert_eq!(loss.at(7).code(), "truncated");
    }
}
