//! The compressions and the bytes that they begin with.

use memchr::memmem;

/// A compression, detected by its first bytes.
///
/// ```
/// use urisieve::Compression;
/// assert_eq!(Compression::of(b"\x1F\x8B\x08\0..."), Some(Compression::Gzip));
/// assert_eq!(Compression::of(b"see http://a.example/"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// RFC 1952, of one member or of many.
    Gzip,
    /// RFC 8878, with skippable frames.
    Zstd,
    /// The .xz file format 1.2.
    Xz,
    /// bzip2, of one stream or of many.
    Bzip2,
    /// The LZ4 frame format 1.6.
    Lz4,
}

/// `BZh` is followed by the level and by the magic number of a block, or of the
/// end where there is no block: the digits of pi, or of its square root.
const BLOCK: &[u8] = b"1AY&SY";
const NO_BLOCK: &[u8] = b"\x17rE8P\x90";

/// RFC 8878 section 3.1.2: 16 numbers that differ in the first byte.
const SKIPPABLE: &[u8] = b"\x2A\x4D\x18";

/// Whether a beginning is that of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MagicMatch {
    No,
    /// The bytes match, but are too few.
    Maybe,
    Yes,
}

impl Compression {
    /// Every compression.
    ///
    /// ```
    /// assert_eq!(urisieve::Compression::ALL[0].name(), "gzip");
    /// ```
    pub const ALL: [Compression; 5] = [
        Compression::Gzip,
        Compression::Zstd,
        Compression::Xz,
        Compression::Bzip2,
        Compression::Lz4,
    ];

    /// Returns the compression of a file that begins with `head`.
    ///
    /// ```
    /// use urisieve::Compression;
    /// assert_eq!(Compression::of(b"BZh91AY&SY"), Some(Compression::Bzip2));
    /// assert_eq!(Compression::of(b"BZh9 is no magic number"), None);
    /// ```
    pub fn of(head: &[u8]) -> Option<Compression> {
        Compression::ALL
            .into_iter()
            .find(|form| form.matches(head) == MagicMatch::Yes)
    }

    /// Returns the compression with this name.
    ///
    /// ```
    /// use urisieve::Compression;
    /// assert_eq!(Compression::named("gzip"), Some(Compression::Gzip));
    /// assert_eq!(Compression::named("warc"), None);
    /// ```
    pub fn named(name: &str) -> Option<Compression> {
        Compression::ALL
            .into_iter()
            .find(|form| form.name() == name)
    }

    /// The extensions of files with this compression.
    const fn extensions(self) -> &'static [&'static str] {
        match self {
            Compression::Gzip => &["gz", "gzip"],
            Compression::Zstd => &["zst", "zstd"],
            Compression::Xz => &["xz"],
            Compression::Bzip2 => &["bz2", "bz"],
            Compression::Lz4 => &["lz4"],
        }
    }

    /// The extensions of tar archives with this compression.
    const fn tar_extensions(self) -> &'static [&'static str] {
        match self {
            Compression::Gzip => &["tgz", "taz"],
            Compression::Zstd => &["tzst"],
            Compression::Xz => &["txz"],
            Compression::Bzip2 => &["tbz2", "tbz", "tb2"],
            Compression::Lz4 => &[],
        }
    }

    /// The compression of files with this extension, in any case, and whether they are tar
    /// archives.
    pub(super) fn of_extension(extension: &[u8]) -> Option<(Compression, bool)> {
        let is_one = |names: &[&str]| {
            let mut names = names.iter();
            names.any(|name| name.as_bytes().eq_ignore_ascii_case(extension))
        };
        Compression::ALL.into_iter().find_map(|form| {
            let is_tar = is_one(form.tar_extensions());
            (is_tar || is_one(form.extensions())).then_some((form, is_tar))
        })
    }

    /// The name of the compression.
    pub const fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
            Compression::Lz4 => "lz4",
        }
    }

    fn matches(self, head: &[u8]) -> MagicMatch {
        match self {
            Compression::Gzip => begins(head, self.magic()),
            Compression::Zstd => match head {
                [0x50..=0x5F, rest @ ..] => begins(rest, SKIPPABLE),
                _ => begins(head, self.magic()),
            },
            Compression::Xz | Compression::Lz4 => begins(head, self.magic()),
            Compression::Bzip2 => match head {
                [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => {
                    match (begins(rest, BLOCK), begins(rest, NO_BLOCK)) {
                        (MagicMatch::No, other) | (other, MagicMatch::No) => other,
                        _ => MagicMatch::Maybe,
                    }
                }
                b"BZh" => MagicMatch::Maybe,
                _ if head.len() > self.magic().len() => MagicMatch::No,
                _ => begins(head, self.magic()),
            },
        }
    }

    /// Whether bytes that begin with `head`, which may be too short, may have this
    /// form.
    pub(super) fn may_begin(self, head: &[u8]) -> bool {
        self.matches(head) != MagicMatch::No
    }

    /// The bytes that every member with text begins with.
    pub(super) const fn magic(self) -> &'static [u8] {
        match self {
            Compression::Gzip => b"\x1F\x8B\x08",
            Compression::Zstd => b"\x28\xB5\x2F\xFD",
            Compression::Xz => b"\xFD7zXZ\0",
            Compression::Bzip2 => b"BZh",
            Compression::Lz4 => b"\x04\x22\x4D\x18",
        }
    }

    /// Whether a member begins with `head`, except for one wrong byte of its magic
    /// number.
    pub(super) fn nearly_begins(self, head: &[u8]) -> bool {
        is_nearly(head, self.magic())
    }

    /// Returns the offset in `bytes` at which the next member may begin, or as `Err`
    /// the number of bytes in which no member begins.
    pub(super) fn find(self, bytes: &[u8]) -> Result<usize, usize> {
        let mut from = 0;
        while let Some(found) = memmem::find(&bytes[from..], self.magic()) {
            match self.matches(&bytes[from + found..]) {
                MagicMatch::Yes => return Ok(from + found),
                MagicMatch::Maybe => return Err(from + found),
                MagicMatch::No => from += found + 1,
            }
        }
        let tail = bytes.len().saturating_sub(self.magic().len() - 1);
        Err(tail.max(from))
    }
}

/// Returns whether `head` is too short to decide and may begin a compressed file.
pub(crate) fn may_become(head: &[u8]) -> bool {
    Compression::of(head).is_none()
        && Compression::ALL
            .into_iter()
            .any(|form| form.matches(head) == MagicMatch::Maybe)
}

/// Whether `head` begins with `magic` except for one byte, or ends within it.
pub(super) fn is_nearly(head: &[u8], magic: &[u8]) -> bool {
    let wrong = head.iter().zip(magic).filter(|(a, b)| a != b).count();
    wrong == 0 || wrong == 1 && head.len() >= magic.len()
}

fn begins(head: &[u8], magic: &[u8]) -> MagicMatch {
    if head.starts_with(magic) {
        MagicMatch::Yes
    } else if magic.starts_with(head) {
        MagicMatch::Maybe
    } else {
        MagicMatch::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_numbers() {
        for (head, form) in [
            (&b"\x1F\x8B\x08"[..], Compression::Gzip),
            (b"\x28\xB5\x2F\xFD", Compression::Zstd),
            (b"\x5D\x2A\x4D\x18", Compression::Zstd),
            (b"\xFD7zXZ\0", Compression::Xz),
            (b"BZh11AY&SY", Compression::Bzip2),
            (b"BZh9\x17rE8P\x90", Compression::Bzip2),
            (b"\x04\x22\x4D\x18", Compression::Lz4),
        ] {
            assert_eq!(Compression::of(head), Some(form));
            for len in 0..head.len() {
                assert!(may_become(&head[..len]) && Compression::of(&head[..len]).is_none());
            }
            assert!(!may_become(head));
        }
        for head in [&b"\x1F\x8B\x07"[..], b"BZh0", b"BZh91AY&SX", b"P*N", b"a"] {
            assert!(!may_become(head) && Compression::of(head).is_none());
        }
    }

    #[test]
    fn a_magic_number_across_the_end_is_not_skipped() {
        let bytes = b"..BZh.BZh91AY&SY";
        for len in 0..bytes.len() {
            assert!(Compression::Bzip2.find(&bytes[..len]).unwrap_err() <= 6);
        }
        assert_eq!(Compression::Bzip2.find(bytes), Ok(6));
    }
}
