//! Whether the text of a member is to be held back until its checksum was read.
//! That is so for members of a length that web archives have for a record. It must
//! not depend on how the bytes come: only the bytes of the member decide, so that
//! what is told of it is the same each time.

use super::intake::Intake;
use super::magic::Compression;
use memchr::memmem;

/// Members of more compressed bytes are not held.
const PACKED_MAX: u64 = 1 << 20;
/// Nor are those of more text.
const TEXT_MAX: u64 = 16 << 20;
/// What zlib writes where its user flushes (RFC 1951 section 3.2.4: a block without
/// data). Who flushes wants to be read before the end.
const FLUSHED: &[u8] = b"\0\0\xFF\xFF";
/// Where the first field of the header of a Zstandard frame stands.
const DESCRIPTOR: u64 = 4;

/// What became of text that was held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It is right, as far as is known, or too long to be held back.
    Given,
    /// It may be wrong: the member is damaged or lacks its end.
    Doubtful,
}

/// The text of the member that is read.
#[derive(Debug, Default)]
pub(super) struct Hold {
    /// Its text is to be held back.
    pub open: bool,
    trust: Option<Trust>,
    /// Where it begins, in the compressed stream.
    start: u64,
    /// Up to where a flush was looked for.
    searched: u64,
    /// Bytes of text that were given in all.
    given: u64,
    /// How many of them were given before the member.
    before: u64,
}

impl Hold {
    /// A member of `form` begins at `start`.
    pub(super) fn begin(&mut self, form: Compression, start: u64) {
        self.open = matches!(form, Compression::Gzip | Compression::Zstd);
        (self.start, self.searched) = (start, start);
        self.before = self.given;
    }

    /// A part of a member begins, which is not held.
    pub(super) fn begin_part(&mut self) {
        self.open = false;
        self.before = self.given;
    }

    /// The member gave so many bytes of text more; `intake` stands where it was read
    /// to.
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

    /// Whether its writer wants it to be read before its end.
    fn is_flushed(&self, form: Compression, intake: &Intake) -> bool {
        let here = intake.offset();
        let overlap = FLUSHED.len() as u64 - 1;
        let from = self.start.max(self.searched.saturating_sub(overlap));
        let bytes = intake.rest_from(from);
        let bytes = &bytes[..bytes.len().min((here - from) as usize)];
        if form == Compression::Gzip {
            return memmem::find(bytes, FLUSHED).is_some();
        }
        // A frame that does not tell its length was begun before that was known
        // (RFC 8878 section 3.1.1.1.1).
        let descriptor = self.start + DESCRIPTOR;
        if self.searched > descriptor || here <= descriptor {
            return false;
        }
        let descriptor = intake.rest_from(descriptor).first();
        descriptor.is_some_and(|bits| bits & 0xE0 == 0)
    }

    /// The member was decoded elsewhere, and gave so many bytes of text.
    pub(super) fn pass(&mut self, len: usize) {
        self.open = false;
        self.given += len as u64;
    }

    /// The end of the member is known.
    pub(super) fn end(&mut self, trust: Trust) {
        if std::mem::take(&mut self.open) {
            self.trust = Some(trust);
        }
    }

    /// What became of a member since it was last asked for.
    pub(super) fn take(&mut self) -> Option<Trust> {
        self.trust.take()
    }

    /// Where the text of the member lies in that of the stream.
    pub(super) fn text(&self) -> Option<(u64, u64)> {
        (self.given > self.before).then_some((self.before, self.given))
    }
}

#[cfg(test)]
mod examples {
    #[test]
    fn trust() {
        use crate::unpack::hold::Trust;
        use crate::unpack::members::Unpacker;
        let mut unpacker = Unpacker::new(Box::new(std::io::empty()), b"no magic".to_vec());
        unpacker.decode(&mut [0; 8]);
        assert_eq!(unpacker.trust(), None::<Trust>);
    }
}
