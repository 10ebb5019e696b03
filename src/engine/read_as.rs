//! What an input was read as: the compressions around it, the archive, the text.

use super::ErrorKind;
use crate::item::Encoding;
use crate::unpack::Compression;
use std::fmt;

/// So many compressions in each other are undone.
pub(super) const DEPTH_MAX: usize = 8;

/// What an input was read as.
///
/// ```
/// use urisieve::engine::{ReadAs, Sieve, Sink, Stats};
/// use urisieve::item::Finding;
/// struct Read(Vec<String>);
/// impl Sink for Read {
///     fn finding(&mut self, _: &Finding<'_>) -> std::io::Result<()> { Ok(()) }
///     fn input(&mut self, _: usize, read_as: ReadAs, _: &Stats) {
///         self.0.push(read_as.to_string());
///     }
/// }
/// let mut read = Read(Vec::new());
/// let archive = b"WARC/1.0\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";
/// Sieve::builder().build().slice(archive, &mut read)?;
/// assert_eq!(read.0, ["WARC"]);
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadAs {
    encoding: Encoding,
    archive: Option<&'static str>,
    compressions: [Option<Compression>; DEPTH_MAX],
}

impl ReadAs {
    /// The same with text in `encoding`.
    pub(super) fn with_encoding(self, encoding: Encoding) -> ReadAs {
        ReadAs { encoding, ..self }
    }

    /// A compression that begins with `head` lies in those that are known.
    pub(super) fn dive(&mut self, head: &[u8]) {
        let form = Compression::of(head).or_else(|| Compression::nearly(head));
        if let Some(free) = self.compressions.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(form.unwrap_or(Compression::Gzip));
        }
    }

    /// An archive begins with `head`.
    pub(super) fn open(&mut self, head: &[u8]) {
        self.archive = Some(match head.starts_with(b"filedesc://") {
            true => "ARC",
            false => "WARC",
        });
    }

    /// What failed, when nothing could be read from some byte of what is `stored` on,
    /// which is this byte of the text.
    pub(super) fn failed_at(&self, input: usize, (stored, text): (u64, u64)) -> ErrorKind {
        match (self.compressions().next(), self.archive) {
            (Some(_), _) => ErrorKind::ReadStored(input, stored),
            // Text counts from the beginning of its record.
            (None, Some(_)) => ErrorKind::Read(input, stored),
            (None, None) => ErrorKind::Read(input, text),
        }
    }

    /// How its text is encoded; of an archive this says nothing.
    ///
    /// ```
    /// use urisieve::{engine::ReadAs, item::Encoding};
    /// assert_eq!(ReadAs::default().encoding(), Encoding::Raw);
    /// ```
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// `WARC` or `ARC`, when it is an archive.
    ///
    /// ```
    /// assert_eq!(urisieve::engine::ReadAs::default().archive(), None);
    /// ```
    pub const fn archive(&self) -> Option<&'static str> {
        self.archive
    }

    /// The compressions that were undone, the outermost first: each as its first
    /// member tells it.
    ///
    /// ```
    /// assert_eq!(urisieve::engine::ReadAs::default().compressions().count(), 0);
    /// ```
    pub fn compressions(&self) -> impl Iterator<Item = Compression> {
        self.compressions.into_iter().flatten()
    }
}

impl fmt::Display for ReadAs {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for form in self.compressions() {
            write!(f, "{}, ", form.name())?;
        }
        f.write_str(match (self.archive, self.encoding) {
            (Some(archive), _) => archive,
            (None, Encoding::Raw) => "text",
            (None, Encoding::Utf16) => "UTF-16 text",
        })
    }
}
