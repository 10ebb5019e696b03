//! What every decoder of one member is: bytes in, bytes out, a step at a time.

/// What a step did.
#[derive(Debug)]
pub(super) struct Step {
    /// Bytes of the input that are done with.
    pub read: usize,
    /// Bytes of the output that were written.
    pub written: usize,
    pub state: State,
}

/// How a member stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(all(feature = "gzip", feature = "bzip2", feature = "lz4")),
    allow(dead_code)
)]
pub(super) enum State {
    /// It goes on. A step that neither read nor wrote wants a longer input.
    More,
    /// It ended.
    End,
    /// It ended, and its checksum or length says otherwise.
    Suspect(&'static str),
    /// A part of it ended, and its checksum says otherwise: it cannot be read
    /// further.
    SuspectPart(&'static str),
    /// A part of it ended, and its checksum says otherwise. It goes on.
    SuspectGoesOn(&'static str),
    /// A part of it is lost. It goes on after that.
    LostGoesOn(&'static str),
    /// It cannot be read further.
    Broken(&'static str),
    /// It is of a kind that is not read.
    Unsupported(&'static str),
}

impl Step {
    /// Nothing can be done before there is more input.
    pub(super) const WAIT: Step = Step::stays(State::More);

    /// Nothing was read or written.
    pub(super) const fn stays(state: State) -> Step {
        Step {
            read: 0,
            written: 0,
            state,
        }
    }
}

/// A decoder of one member at a time.
pub(super) trait Codec: Send {
    /// Another member begins.
    fn begin(&mut self);

    /// A part of a member begins, so many bits into the first byte of what follows.
    /// Only asked for where [`resume::find`](super::resume::find) finds parts.
    fn begin_part(&mut self, _bit: u8) {
        self.begin();
    }

    /// Decodes what `input` begins with into `out`, which is not empty.
    fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step;

    /// Where the part that is read begins, and from where on another one may be
    /// looked for: bytes from where decoding began.
    fn part(&self) -> (u64, u64) {
        (0, 1)
    }

    /// What is wrong with `rest`, which is too short to go on and which nothing
    /// follows; `None` when its end is missing.
    fn cut(&self, _rest: &[u8]) -> Option<&'static str> {
        None
    }

    /// Another decoder that would decode the next member as this one, to be used at
    /// the same time; `None` where that cannot be known, or would need much memory.
    fn fork(&self) -> Option<Box<dyn Codec>> {
        None
    }
}
