//! Decides whether the text of a member is held back until its checksum was read.
//! Members that are no longer than a record of a web archive are held back. Only the
//! bytes of the member decide, never the way in which they were split, so that the same
//! input gives the same report each time.

use super::intake::Intake;
use super::magic::Compression;
use memchr::memmem;

/// Members of more compressed bytes are not held back.
const PACKED_MAX: u64 = 1 << 20;
/// Members of more text are not held back.
const TEXT_MAX: u64 = 16 << 20;
/// The bytes that zlib writes at a flush (RFC 1951 section 3.2.4: a block without
/// data). A writer that flushes wants its text to be read before the end.
const FLUSHED: &[u8] = b"\0\0\xFF\xFF";
/// The offset of the first field of the header of a Zstandard frame.
const DESCRIPTOR: u64 = 4;

/// The verdict on text that was held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The text is not known to be wrong, or is too long to be held back.
    Given,
    /// The text may be wrong: the member is damaged or truncated.
    Doubtful,
}

/// The text of the current member.
#[derive(Debug, Default)]
pub(super) struct Hold {
    /// Whether the text of the member is held back.
    pub open: bool,
    trust: Option<Trust>,
    /// The offset of the member in the compressed stream.
    start: u64,
    /// The offset up to which a flush was searched for.
    searched: u64,
    /// Bytes of text that were decoded in all.
    given: u64,
    /// Bytes of text that were decoded before the member.
    before: u64,
}

impl Hold {
    /// Begins a member of `form` at `start`.
    pub(super) fn begin(&mut self, form: Compression, start: u64) {
        self.open = matches!(form, Compression::Gzip | Compression::Zstd);
        (self.start, self.searched) = (start, start);
        self.before = self.given;
    }

    /// Begins a part of a member, which is not held back.
    pub(super) fn begin_part(&mut self) {
        self.open = false;
        self.before = self.given;
    }

    /// Adds `len` bytes of text of the member; `intake` is at the place up to which it
    /// was read.
    pub(super) fn gave(&mut self, len: usize, form: Compression, intake: &Intake) {
        self.given += len as u64;
        if !self.open {
            return;
        }
        let here = intake.offset();
        let is_long = here - self.start > PACKED_MAX || self.given - self.before > TEXT_MAX;
        if is_long || self.is_flushed(form, intake) {
            self.end(Trust::Given);
        }
        self.searched = here;
    }

    /// Whether the writer flushed, so that the text must be readable before the end.
    fn is_flushed(&self, form: Compression, intake: &Intake) -> bool {
        let here = intake.offset();
        let overlap = FLUSHED.len() as u64 - 1;
        let from = self.start.max(self.searched.saturating_sub(overlap));
        let bytes = intake.rest_from(from);
        let bytes = &bytes[..bytes.len().min((here - from) as usize)];
        if form == Compression::Gzip {
            return memmem::find(bytes, FLUSHED).is_some();
        }
        // A frame without its length was begun before the length was known (RFC 8878
        // section 3.1.1.1.1).
        let descriptor = self.start + DESCRIPTOR;
        if self.searched > descriptor || here <= descriptor {
            return false;
        }
        let descriptor = intake.rest_from(descriptor).first();
        descriptor.is_some_and(|bits| bits & 0xE0 == 0)
    }

    /// Adds a member that was decoded elsewhere, with `len` bytes of text.
    pub(super) fn pass(&mut self, len: usize) {
        self.open = false;
        self.given += len as u64;
    }

    /// Sets the result at the end of the member.
    pub(super) fn end(&mut self, trust: Trust) {
        if std::mem::take(&mut self.open) {
            self.trust = Some(trust);
        }
    }

    /// Takes the result of a member, once.
    pub(super) fn take(&mut self) -> Option<Trust> {
        self.trust.take()
    }

    /// Returns the range of the text of the member in that of the stream.
    pub(super) fn text(&self) -> Option<(u64, u64)> {
        (self.given > self.before).then_some((self.before, self.given))
    }
}
