//! What an input was read as: the compressions around it, the archive, the text.

use super::ErrorKind;
use crate::item::{Encoding, Part};
use crate::unpack::{Compression, DEPTH_MAX, Stack};
use std::fmt;

/// What an input was read as.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::engine::{ReadAs, Sieve, Sink, Stats};
/// use urisieve::{input::Source, item::Finding};
/// struct Read(Vec<String>);
/// impl Sink for Read {
///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
///     fn input(&mut self, _: usize, read_as: ReadAs, _: &Stats) {
///         self.0.push(read_as.to_string());
///     }
/// }
/// let mut read = Read(Vec::new());
/// let archive = b"WARC/1.0\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";
/// Sieve::builder().build().run([Source::Slice(archive)], &mut read)?;
/// assert_eq!(read.0, ["WARC"]);
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadAs {
    encoding: Encoding,
    archive: Option<&'static str>,
    markup: Option<&'static str>,
    catalogue: Option<&'static str>,
    compressions: [Option<Compression>; DEPTH_MAX],
}

impl ReadAs {
    /// A document of markup is read as.
    pub(super) fn markup(document: &Part) -> ReadAs {
        ReadAs {
            markup: markup_name(document),
            catalogue: catalogue_name(document),
            ..ReadAs::default()
        }
    }

    /// What `stack` is unpacking is read as, its text in `encoding`, or a `document` of
    /// markup.
    pub(super) fn of(stack: &Stack, encoding: Encoding, document: Option<&Part>) -> ReadAs {
        let mut compressions = [None; DEPTH_MAX];
        for (slot, form) in compressions.iter_mut().zip(stack.compressions()) {
            *slot = Some(*form);
        }
        ReadAs {
            encoding,
            archive: stack.container(),
            markup: document.and_then(markup_name),
            catalogue: document.and_then(catalogue_name),
            compressions,
        }
    }

    /// The same with records in this format.
    #[cfg(feature = "marc")]
    pub(super) fn with_records(self, format: Option<crate::decode::CatalogueFormat>) -> ReadAs {
        ReadAs {
            catalogue: format.map(crate::decode::CatalogueFormat::title),
            ..self
        }
    }

    /// The kind of the error when the input could not be read from a byte of what is
    /// `stored` on, which is this byte of the text.
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

    /// `WARC`, `ARC` or `tar`, when it is an archive.
    ///
    /// ```
    /// assert_eq!(urisieve::engine::ReadAs::default().archive(), None);
    /// ```
    pub const fn archive(&self) -> Option<&'static str> {
        self.archive
    }

    /// `HTML`, `XML` or `robots.txt`, when it is read as markup.
    ///
    /// ```
    /// assert_eq!(urisieve::engine::ReadAs::default().markup_format(), None);
    /// ```
    pub const fn markup_format(&self) -> Option<&'static str> {
        self.markup
    }

    /// The name of its format, when it is read as a catalogue.
    ///
    /// ```
    /// assert_eq!(urisieve::engine::ReadAs::default().catalogue_format(), None);
    /// ```
    pub const fn catalogue_format(&self) -> Option<&'static str> {
        self.catalogue
    }

    /// The compressions that were undone, the outermost first: each as its first
    /// member states it.
    ///
    /// ```
    /// assert_eq!(urisieve::engine::ReadAs::default().compressions().count(), 0);
    /// ```
    pub fn compressions(&self) -> impl Iterator<Item = Compression> {
        self.compressions.into_iter().flatten()
    }
}

/// Returns the name of the format of a document of markup.
fn markup_name(document: &Part) -> Option<&'static str> {
    match catalogue_name(document) {
        Some(_) => None,
        None if document.is("text/html") => Some("HTML"),
        None if document.is("text/xml") => Some("XML"),
        None => Some("robots.txt"),
    }
}

/// Returns the name of the format of a catalogue.
#[cfg(feature = "marc")]
fn catalogue_name(document: &Part) -> Option<&'static str> {
    let format = crate::decode::CatalogueFormat::of_media_type(&document.media_type);
    format.map(crate::decode::CatalogueFormat::title)
}

#[cfg(not(feature = "marc"))]
fn catalogue_name(_: &Part) -> Option<&'static str> {
    None
}

impl fmt::Display for ReadAs {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for form in self.compressions() {
            write!(f, "{}, ", form.name())?;
        }
        let format = self.archive.or(self.markup).or(self.catalogue);
        f.write_str(match (format, self.encoding) {
            (Some(format), _) => format,
            (None, Encoding::Utf16) => "UTF-16 text",
            (None, _) => "text",
        })
    }
}
