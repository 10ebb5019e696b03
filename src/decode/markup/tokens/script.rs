//! Texts that only their own end tag ends: such as `<title>` and `<style>`, and scripts
//! with the "escaped" states of the HTML Standard.

use super::name::NameKey;
use super::tag::ends_name;

/// The result of reading a raw text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RawEnd {
    /// The end tag begins here.
    Tag(usize),
    /// No end tag precedes this offset, from which the search continues.
    Open(usize),
}

/// The name of the end tag that ends a raw text.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndName {
    key: NameKey,
    len: usize,
}

const SCRIPT: EndName = EndName {
    key: NameKey::of(b"script"),
    len: 6,
};

/// Whether a name is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    Yes,
    No,
    /// More bytes are needed.
    Unknown,
}

impl EndName {
    /// `key` is that of `name`.
    pub fn new(key: NameKey, name: &[u8]) -> EndName {
        EndName {
            key,
            len: name.len(),
        }
    }

    /// Whether the name is at `at`, and a byte that ends it follows.
    fn stands(self, bytes: &[u8], at: usize, last: bool) -> Stands {
        let end = at + self.len;
        match bytes.get(end) {
            Some(&byte) if ends_name(byte) && NameKey::read(bytes, at..end) == self.key => {
                Stands::Yes
            }
            None if !last => Stands::Unknown,
            _ => Stands::No,
        }
    }
}

/// The range in which the end of a raw text is searched.
#[derive(Clone, Copy)]
pub(super) struct RawSearch<'b> {
    pub bytes: &'b [u8],
    pub from: usize,
    /// The end of the searched range.
    pub limit: usize,
    /// The name of the end tag.
    pub name: EndName,
    /// Whether no bytes follow `bytes`.
    pub last: bool,
}

impl RawSearch<'_> {
    /// Finds the end tag.
    pub fn find_end(self) -> RawEnd {
        let RawSearch { bytes, last, .. } = self;
        let mut at = self.from;
        while let Some(len) = memchr::memchr(b'<', &bytes[at..self.limit]) {
            at += len;
            match bytes.get(at + 1) {
                Some(b'/') => match self.name.stands(bytes, at + 2, last) {
                    Stands::Yes => return RawEnd::Tag(at),
                    Stands::Unknown => return RawEnd::Open(at),
                    Stands::No => {}
                },
                None if !last => return RawEnd::Open(at),
                _ => {}
            }
            at += 1;
        }
        RawEnd::Open(self.limit)
    }
}

/// Whether a script is inside `<!--`, and there inside `<script>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escaped {
    #[default]
    No,
    Once,
    Twice,
}

/// The state inside a script.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Script {
    escaped: Escaped,
    /// The offset of the dashes of `<!--`.
    since: usize,
}

impl Script {
    /// The first `len` bytes were dropped.
    pub fn forget(&mut self, len: usize) {
        self.since = self.since.saturating_sub(len);
    }

    /// Does the same as [`RawSearch::find_end`] for the script with this state.
    pub fn find_end(&mut self, search: RawSearch) -> RawEnd {
        let RawSearch {
            bytes,
            from,
            limit,
            name,
            last,
        } = search;
        let mut at = from;
        loop {
            let Some(rest) = bytes.get(at..limit) else {
                // The last mark ends after the limit.
                return RawEnd::Open(at);
            };
            let found = match self.escaped {
                Escaped::No => memchr::memchr(b'<', rest),
                _ => memchr::memchr2(b'<', b'>', rest),
            };
            let Some(len) = found else {
                return RawEnd::Open(limit);
            };
            at += len;
            if bytes[at] == b'>' {
                let dashes = at.saturating_sub(2).max(self.since)..at;
                if bytes[dashes] == *b"--" {
                    self.escaped = Escaped::No;
                }
                at += 1;
                continue;
            }
            // The longest mark is `</script>`.
            let unknown = RawEnd::Open(at);
            match (bytes.get(at + 1), self.escaped) {
                (None, _) if !last => return unknown,
                (Some(b'/'), Escaped::Twice) => match SCRIPT.stands(bytes, at + 2, last) {
                    Stands::Yes => self.escaped = Escaped::Once,
                    Stands::Unknown => return unknown,
                    Stands::No => {}
                },
                (Some(b'/'), _) => match name.stands(bytes, at + 2, last) {
                    Stands::Yes => return RawEnd::Tag(at),
                    Stands::Unknown => return unknown,
                    Stands::No => {}
                },
                (Some(b'!'), Escaped::No) => match bytes.get(at + 2..at + 4) {
                    Some(b"--") => {
                        self.escaped = Escaped::Once;
                        self.since = at + 2;
                    }
                    None if !last => return unknown,
                    _ => {}
                },
                (Some(b's' | b'S'), Escaped::Once) => match SCRIPT.stands(bytes, at + 1, last) {
                    Stands::Yes => {
                        self.escaped = Escaped::Twice;
                        // A `>` after the name does not end the comment.
                        at += SCRIPT.len;
                    }
                    Stands::Unknown => return unknown,
                    Stands::No => {}
                },
                _ => {}
            }
            at += 1;
        }
    }
}
