//! The reading of an input: the compressions around it, the archive, the format of its text.

#[cfg(feature = "marc")]
use crate::decode::CatalogFormat;
use crate::decode::{FORMATS, InputFormat};
use crate::engine::ErrorKind;
use crate::item::{Encoding, Part};
use crate::unpack::{ARCHIVES, ArchiveFormat, Compression, DEPTH_MAX, Stack};
use std::fmt;

/// The class of texts in UTF-16.
const UTF16: &str = "utf16";

/// The formats that an input was read as.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{ReadAs, Sieve, Sink, Stats};
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
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadAs {
    encoding: Encoding,
    archive: Option<&'static ArchiveFormat>,
    /// `None` where it is text.
    format: Option<&'static InputFormat>,
    compressions: [Option<Compression>; DEPTH_MAX],
    /// The format that the text seems to be in.
    seems: Option<&'static InputFormat>,
}

impl ReadAs {
    /// Text that seems to be in this format.
    pub(in crate::engine) fn seeming(seems: Option<&'static InputFormat>) -> ReadAs {
        ReadAs {
            seems,
            ..ReadAs::default()
        }
    }

    /// A document is read as.
    pub(in crate::engine) fn document(part: &Part) -> ReadAs {
        ReadAs {
            format: InputFormat::of(part),
            ..ReadAs::default()
        }
    }

    /// The reading of what `stack` unpacks: text in `encoding`, or a `document`.
    pub(in crate::engine) fn of(
        stack: &Stack,
        encoding: Encoding,
        document: Option<&Part>,
    ) -> ReadAs {
        let mut compressions = [None; DEPTH_MAX];
        for (slot, form) in compressions.iter_mut().zip(stack.compressions()) {
            *slot = Some(*form);
        }
        ReadAs {
            encoding,
            archive: stack.container(),
            format: document.and_then(InputFormat::of),
            compressions,
            seems: None,
        }
    }

    /// The same with a text that seems to be in this format.
    pub(in crate::engine) fn with_text_that_seems(
        self,
        seems: Option<&'static InputFormat>,
    ) -> ReadAs {
        ReadAs { seems, ..self }
    }

    /// The same with records in this format.
    #[cfg(feature = "marc")]
    pub(in crate::engine) fn with_records(self, records: Option<CatalogFormat>) -> ReadAs {
        ReadAs {
            format: records.map(InputFormat::of_records),
            ..self
        }
    }

    /// The kind of the error when the input could not be read from a byte of what is
    /// `stored` on, which is this byte of the text.
    pub(in crate::engine) fn failed_at(
        &self,
        input: usize,
        (stored, text): (u64, u64),
    ) -> ErrorKind {
        match (self.compressions().next(), self.archive) {
            (Some(_), _) => ErrorKind::ReadStored(input, stored),
            // Text counts from the beginning of its record.
            (None, Some(_)) => ErrorKind::Read(input, stored),
            (None, None) => ErrorKind::Read(input, text),
        }
    }

    /// The encoding of its text; of an archive it says nothing.
    ///
    /// ```
    /// use urisieve::{ReadAs, item::Encoding};
    /// assert_eq!(ReadAs::default().encoding(), Encoding::Raw);
    /// ```
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The archive that it is.
    ///
    /// ```
    /// assert_eq!(urisieve::ReadAs::default().archive(), None);
    /// ```
    pub const fn archive(&self) -> Option<&'static ArchiveFormat> {
        self.archive
    }

    /// The format that it is decoded from; `None` where it is text or an archive.
    ///
    /// ```
    /// assert_eq!(urisieve::ReadAs::default().format(), None);
    /// ```
    pub const fn format(&self) -> Option<&'static InputFormat> {
        self.format
    }

    /// The format that its first bytes seem to be in, although it was read as text, because they
    /// are not enough: a fragment of HTML, JSON without a name. `None` where the format was chosen.
    ///
    /// ```
    /// assert_eq!(urisieve::ReadAs::default().seems(), None);
    /// ```
    pub const fn seems(&self) -> Option<&'static InputFormat> {
        self.seems
    }

    /// The class that it is counted in: one of [`ReadAs::classes`].
    ///
    /// ```
    /// assert_eq!(urisieve::ReadAs::default().class(), "text");
    /// ```
    pub fn class(&self) -> &'static str {
        match (self.archive, self.format, self.encoding) {
            (Some(archive), _, _) => archive.name,
            (None, Some(format), _) => format.counted_as,
            (None, None, Encoding::Utf16 | Encoding::Utf32) => UTF16,
            (None, None, _) => InputFormat::text().counted_as,
        }
    }

    /// Returns the classes that inputs are counted in: text, archives, other formats.
    ///
    /// ```
    /// let classes: Vec<_> = urisieve::ReadAs::classes().collect();
    /// assert_eq!(classes[..3], ["text", "utf16", "warc"]);
    /// ```
    pub fn classes() -> impl Iterator<Item = &'static str> {
        let texts = [InputFormat::text().counted_as, UTF16];
        let archives = ARCHIVES.iter().map(|archive| archive.name);
        let class = |number: usize| FORMATS[number].counted_as;
        // Text is the last format.
        let formats = (0..FORMATS.len() - 1).rev();
        let formats = formats.filter(move |&number| {
            let mut earlier = 0..number;
            earlier.all(|earlier| class(earlier) != class(number))
        });
        texts.into_iter().chain(archives).chain(formats.map(class))
    }

    /// The compressions that were undone, the outermost first: each as its first
    /// member states it.
    ///
    /// ```
    /// assert_eq!(urisieve::ReadAs::default().compressions().count(), 0);
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
        let archive = self.archive.map(|archive| archive.title);
        let format = archive.or(self.format.map(|format| format.title));
        f.write_str(match (format, self.encoding) {
            (Some(format), _) => format,
            (None, Encoding::Utf16) => "UTF-16 text",
            (None, Encoding::Utf32) => "UTF-32 text",
            (None, _) => InputFormat::text().title,
        })
    }
}
