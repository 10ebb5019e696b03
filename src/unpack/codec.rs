//! The interface of every decoder of one member: bytes in, bytes out, one step at a
//! time.

/// The result of a step.
#[derive(Debug)]
pub(super) struct CodecStep {
    /// Bytes of the input that were consumed.
    pub read: usize,
    /// Bytes of the output that were written.
    pub written: usize,
    pub state: State,
}

/// The state of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "decompress"), allow(dead_code))]
pub(super) enum State {
    /// The member continues. A step that neither read nor wrote needs a longer input.
    More,
    /// The member ended.
    End,
    /// The member ended, but its checksum or length is wrong.
    Suspect(&'static str),
    /// A part ended with a wrong checksum, and the rest of the member cannot be read.
    SuspectPart(&'static str),
    /// A part ended with a wrong checksum; the member continues.
    SuspectGoesOn(&'static str),
    /// A part is lost; the member continues after it.
    LostGoesOn(&'static str),
    /// The member cannot be read further.
    Broken(&'static str),
    /// The member needs a feature that is not supported.
    Unsupported(&'static str),
    /// The member needs a window of this many bytes, which is larger than that allowed.
    /// Decoding continues if a larger one is allowed.
    NeedsWindow(u64),
}

impl CodecStep {
    /// The step of a decoder that needs more input.
    pub(super) const WAIT: CodecStep = CodecStep::stays(State::More);

    /// A step that neither read nor wrote.
    pub(super) const fn stays(state: State) -> CodecStep {
        CodecStep {
            read: 0,
            written: 0,
            state,
        }
    }
}

/// A decoder of one member at a time.
pub(super) trait Codec: Send {
    /// Begins another member.
    fn begin(&mut self);

    /// Begins a part of a member, `_bit` bits into the first byte of the input. Called
    /// only where [`resume::find`](super::resume::find) finds parts.
    fn begin_part(&mut self, _bit: u8) {
        self.begin();
    }

    /// Sets the most bytes that a window may have. Decoders whose memory is small and
    /// fixed ignore it.
    fn allow_window(&mut self, _most: u64) {}

    /// Decodes the start of `input` into `out`, which is not empty.
    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep;

    /// Returns the start of the current part, and the offset from which another part
    /// may be searched for, in bytes from the start of decoding.
    fn part(&self) -> (u64, u64) {
        (0, 1)
    }

    /// Returns the defect of `rest`, the last bytes of the stream, when they are too
    /// short to continue; `None` when the end of the member is missing.
    fn cut(&self, _rest: &[u8]) -> Option<&'static str> {
        None
    }

    /// Returns another decoder that would decode the next member in the same way, to be
    /// used at the same time; `None` where this is not known, or needs much memory.
    fn fork(&self) -> Option<Box<dyn Codec>> {
        None
    }
}
