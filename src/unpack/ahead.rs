//! Members that are completely in the bytes read so far, to be decoded by other threads
//! before the stream reaches them. The start of a member is guessed by its magic
//! number; whether a member begins there is known only when the stream reaches that
//! offset, and text that was decoded from a wrong offset is never used. Only complete
//! members without errors are returned: damage is left to the stream.

use super::driver::{Advance, Driver};
use super::intake::Intake;
use super::magic::Compression;
#[cfg(feature = "decompress")]
use super::whole::WholeGzip;
use std::ops::Range;

/// Compressed bytes that are decoded in one go, if members end in them.
const STRETCH: u64 = 128 << 10;
/// Longer members are left to the stream.
const STRETCH_MAX: u64 = 1 << 20;
/// The most bytes of a stretch that may be read or written without a result.
const IN_VAIN_MAX: usize = 1 << 20;
/// The most bytes of text that a stretch may decode to.
const TEXT_MAX: usize = 16 << 20;

/// A stretch of a compressed stream that seems to hold whole members.
pub(crate) struct Stretch {
    form: Compression,
    offset: u64,
    bytes: Vec<u8>,
    driver: Driver,
}

/// The members of a stretch.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    /// The texts of the members, one after the other, and bytes to ignore.
    pub text: Vec<u8>,
    /// The bytes of the stretch, which are not needed any more.
    pub stored: Vec<u8>,
    /// The members in the order of their offsets.
    members: Vec<Member>,
}

/// A member that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// The offset of the member in the compressed stream, in bytes.
    pub offset: u64,
    /// The compressed length in bytes.
    pub len: usize,
    /// The range of its text in [`Decoded::text`].
    pub text: Range<usize>,
}

impl Stretch {
    /// From where to where it goes in the compressed stream, in bytes.
    pub(crate) fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.bytes.len() as u64
    }

    /// Decodes its members up to `text_max` bytes of text; `text` is a buffer to use for
    /// them.
    pub(crate) fn decode(mut self, mut text: Vec<u8>, text_max: usize) -> Decoded {
        let text_max = text_max.min(TEXT_MAX);
        let mut members = Vec::new();
        let (mut at, mut written, mut in_vain) = (0, 0, 0);
        text.resize(text.len().max(4 * self.bytes.len()).min(text_max), 0);
        #[cfg(feature = "decompress")]
        let mut gzip = (self.form == Compression::Gzip).then(WholeGzip::new);
        while let Ok(found) = self.form.find(&self.bytes[at..]) {
            at += found;
            #[cfg(feature = "decompress")]
            if let Some(gzip) = &mut gzip {
                let rest = &self.bytes[at..];
                let next = self.form.find(&rest[1..]);
                let len = next.map_or(rest.len(), |next| 1 + next);
                let place = (&mut text, written);
                if let Some(text_len) = gzip.inflate(&rest[..len], place, text_max) {
                    members.push(Member {
                        offset: self.offset + at as u64,
                        len,
                        text: written..written + text_len,
                    });
                    (at, written) = (at + len, written + text_len);
                    continue;
                }
            }
            self.driver.begin();
            let (mut read, mut to) = (0, written);
            let whole = loop {
                let rest = &self.bytes[at + read..];
                let driven = self.driver.step(rest, false, &mut text[to..]);
                read += driven.read;
                to += driven.written;
                match driven.progress {
                    Advance::Ended => break true,
                    Advance::Goes | Advance::Hungry if to == text.len() => {
                        if to >= text_max {
                            return self.decoded(text, members);
                        }
                        text.resize((2 * to).max(STRETCH as usize).min(text_max), 0);
                    }
                    Advance::Goes => {}
                    Advance::Hungry | Advance::Failed(_) => break false,
                }
            };
            if whole {
                members.push(Member {
                    offset: self.offset + at as u64,
                    len: read,
                    text: written..to,
                });
                (at, written) = (at + read, to);
            } else {
                // The stream detects damage, within its own bounds.
                in_vain += read + (to - written);
                if in_vain > IN_VAIN_MAX {
                    break;
                }
                at += 1;
            }
        }
        self.decoded(text, members)
    }

    fn decoded(self, text: Vec<u8>, members: Vec<Member>) -> Decoded {
        Decoded {
            text,
            stored: self.bytes,
            members,
        }
    }
}

impl Decoded {
    /// Returns a text without members.
    #[cfg(test)]
    pub(super) fn of(text: &[u8]) -> Decoded {
        Decoded {
            text: text.to_vec(),
            ..Decoded::default()
        }
    }

    /// The member that begins at `offset` of the compressed stream.
    pub(crate) fn member(&self, offset: u64) -> Option<&Member> {
        let found = self
            .members
            .binary_search_by_key(&offset, |member| member.offset);
        self.members.get(found.ok()?)
    }
}

/// The place up to which members were searched for.
#[derive(Debug, Default)]
pub(super) struct Front {
    /// The offset of the next stretch, when it is known.
    start: Option<u64>,
    searched: u64,
}

impl Front {
    /// Returns the next stretch of members of `form` in `intake`, for decoders like
    /// `driver`; `spare` returns a buffer to use for its bytes.
    pub(super) fn next(
        &mut self,
        intake: &Intake,
        (form, driver): (Compression, &Driver),
        spare: impl FnOnce() -> Vec<u8>,
    ) -> Option<Stretch> {
        let here = intake.offset();
        self.searched = self.searched.max(here);
        self.start = self.start.filter(|&start| start >= here);
        loop {
            let rest = intake.rest_from(self.searched);
            let found = form.find(rest);
            let end = match found {
                Ok(at) => self.searched + at as u64,
                Err(_) if intake.ended => self.searched + rest.len() as u64,
                Err(passed) => self.searched + passed as u64,
            };
            self.searched = end + u64::from(found.is_ok());
            let start = match self.start {
                Some(start) => start,
                None if found.is_err() => return None,
                None => *self.start.insert(end),
            };
            let len = end - start;
            let is_stretch = match found {
                Ok(_) => len >= STRETCH,
                // Decoding a member without its end would be wasted.
                Err(_) => len > 0 && intake.ended,
            };
            if len > STRETCH_MAX {
                self.start = found.is_ok().then_some(end);
            } else if is_stretch {
                let driver = driver.fork()?;
                let mut bytes = spare();
                bytes.clear();
                bytes.extend_from_slice(&intake.rest_from(start)[..len as usize]);
                let stretch = Stretch {
                    form,
                    offset: start,
                    bytes,
                    driver,
                };
                self.start = found.is_ok().then_some(end);
                return Some(stretch);
            }
            if found.is_err() {
                return None;
            }
        }
    }
}
