//! Where do bytes come from, in which order? Files, pipes, slices, and with the feature
//! `walk` directories. Opening only shows whether bytes can be read at any offset or
//! only in order; the meaning of the bytes is left to the later stages.

mod handles;
mod maildir;
#[cfg(feature = "parquet")]
mod parquet;
mod poll;
mod read_at;
#[cfg(feature = "walk")]
mod walk;

pub(crate) use handles::open_files_max;
pub use maildir::is_maildir;
#[cfg(feature = "parquet")]
pub(crate) use parquet::PARQUET_MAGIC;
#[cfg(feature = "parquet")]
pub use parquet::{ParquetTable, RowCopy};
pub use poll::nothing_waits;
pub use read_at::{ReadAt, became_shorter};
#[cfg(feature = "walk")]
pub use walk::{GlobError, Walk, Walked};

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The length of one wait, in milliseconds, before `cancelled` is called again.
const WAIT: u16 = 100;

/// An input.
///
/// ```
/// use urisieve::Sieve;
/// use urisieve::input::Source;
/// let reader = Box::new(&b"and http://b.example/"[..]);
/// let sources = [Source::Slice(b"see http://a.example/"), Source::Reader(reader)];
/// let mut inputs = Vec::new();
/// Sieve::builder().build().for_each_in(sources, |f| inputs.push(f.input))?;
/// assert_eq!(inputs, [0, 1]);
/// // A document may be packed; a text is what it is.
/// let frame = b"\x04\x22\x4D\x18\x60\x40\x82\x0B\0\0\x80http://a/x \0\0\0\0";
/// for (source, bytes) in [(Source::Slice(frame), 11), (Source::Text(frame), 26)] {
///     assert_eq!(Sieve::builder().build().for_each_in([source], |_| {})?.bytes, bytes);
/// }
/// # Ok::<(), urisieve::Error>(())
/// ```
#[non_exhaustive]
pub enum Source<'s> {
    /// Standard input.
    Stdin,
    /// A file, a device or a named pipe.
    Path(PathBuf),
    /// A whole document in memory, such as a file that was read. The first bytes show whether
    /// it is compressed, an archive or in UTF-16, like the first bytes of a file.
    Slice(&'s [u8]),
    /// A text in memory, such as a row of a table. The text is neither compressed nor an
    /// archive nor in UTF-16, independent of its first bytes, so that no text hides its
    /// URIs by them.
    Text(&'s [u8]),
    /// Bytes that can be read at any offset, and their number.
    At(Arc<dyn ReadAt + 's>, u64),
    /// Any reader, read as a stream. All reads block, because whether data is available
    /// is not known.
    Reader(Box<dyn Read + Send + 's>),
    /// A reader whose bytes are in the format that the name of a file like this one states.
    ReaderLike(PathBuf, Box<dyn Read + Send + 's>),
    /// A source that cannot be opened, and the cause.
    Failed(io::Error),
    /// A source with a name, which errors show. [`Source::named`] makes it.
    Named(String, Box<Source<'s>>),
    /// A part of a source, in bytes as it is stored. [`Source::range`] makes it.
    Range(Range<u64>, Box<Source<'s>>),
}

/// The name of an input, for errors.
#[derive(Clone, Debug)]
pub(crate) struct SourceName {
    pub name: Arc<Path>,
    /// The name is the path of a file.
    pub is_path: bool,
}

/// A source that was opened.
///
/// ```
/// use urisieve::input::{Opened, Source};
/// assert!(matches!(Source::Slice(b"abc").open()?, Opened::At(_, 3)));
/// let reader = Box::new(std::io::empty());
/// assert!(matches!(Source::Reader(reader).open()?, Opened::Stream(_)));
/// # Ok::<(), std::io::Error>(())
/// ```
#[non_exhaustive]
pub enum Opened<'s> {
    /// Bytes that can be read at any offset, and their number.
    At(Arc<dyn ReadAt + 's>, u64),
    /// A stream of bytes.
    Stream(Stream<'s>),
}

/// A stream of bytes.
///
/// ```
/// use urisieve::input::{Opened, Source};
/// let reader = Box::new(&b"abc"[..]);
/// let Opened::Stream(mut stream) = Source::Reader(reader).open()? else { unreachable!() };
/// let mut buffer = [0; 8];
/// assert_eq!(stream.read(&mut buffer)?, 3);
/// assert_eq!(stream.read(&mut buffer)?, 0);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Stream<'s> {
    reader: Box<dyn Read + Send + 's>,
    watch: Watch,
}

/// Checks whether a stream has data, while another thread owns the stream.
///
/// ```
/// use urisieve::input::{Opened, Source};
/// let Opened::Stream(stream) = Source::Reader(Box::new(&b"x"[..])).open()? else {
///     unreachable!()
/// };
/// assert!(!stream.watch().pauses());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Watch {
    file: Option<Arc<File>>,
    /// All bytes are available.
    stored: bool,
    /// The number of bytes that were read.
    read: Arc<AtomicU64>,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("Stdin"),
            Source::Path(path) => f.debug_tuple("Path").field(path).finish(),
            Source::Slice(bytes) => f.debug_tuple("Slice").field(&bytes.len()).finish(),
            Source::Text(bytes) => f.debug_tuple("Text").field(&bytes.len()).finish(),
            Source::At(_, len) => f.debug_tuple("At").field(len).finish(),
            Source::Reader(_) => f.write_str("Reader"),
            Source::ReaderLike(path, _) => f.debug_tuple("ReaderLike").field(path).finish(),
            Source::Failed(cause) => f.debug_tuple("Failed").field(cause).finish(),
            Source::Named(name, source) => {
                f.debug_tuple("Named").field(name).field(source).finish()
            }
            Source::Range(bytes, source) => {
                f.debug_tuple("Range").field(bytes).field(source).finish()
            }
        }
    }
}

impl fmt::Debug for Opened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Opened::At(_, len) => f.debug_tuple("At").field(len).finish(),
            Opened::Stream(stream) => f.debug_tuple("Stream").field(stream).finish(),
        }
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut shown = f.debug_struct("Stream");
        shown.field("watch", &self.watch).finish_non_exhaustive()
    }
}

/// A file.
///
/// ```
/// use std::path::{Path, PathBuf};
/// use urisieve::input::Source;
/// let sources = [Source::from(Path::new("a.log")), Source::from(PathBuf::from("b.log"))];
/// assert!(sources.iter().all(|source| matches!(source, Source::Path(_))));
/// ```
impl From<PathBuf> for Source<'_> {
    fn from(path: PathBuf) -> Self {
        Source::Path(path)
    }
}

impl From<&Path> for Source<'_> {
    fn from(path: &Path) -> Self {
        Source::Path(path.to_owned())
    }
}

/// A text in memory: a [`Source::Text`].
///
/// ```
/// use urisieve::{Mode, Sieve};
/// let rows = ["see http://a.example/", "nothing", "http://b.example/"];
/// let mut found = Vec::new();
/// let sieve = Sieve::builder().mode(Mode::All).build();
/// sieve.for_each_in(rows, |finding| found.push(finding.input))?;
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), urisieve::Error>(())
/// ```
impl<'s> From<&'s str> for Source<'s> {
    fn from(text: &'s str) -> Self {
        Source::Text(text.as_bytes())
    }
}

impl<'s> From<&'s [u8]> for Source<'s> {
    fn from(text: &'s [u8]) -> Self {
        Source::Text(text)
    }
}

impl<'s> Source<'s> {
    /// Returns the source with a name: that of a member, a column or a URL, such as it is to be
    /// shown with an error. Files and standard input have a name.
    ///
    /// ```
    /// use std::io;
    /// use urisieve::{Sieve, input::Source};
    /// let lost = Source::Failed(io::ErrorKind::NotFound.into()).named("http://a.example/feed");
    /// let error = Sieve::builder().build().findings([lost]).find_map(Result::err).unwrap();
    /// assert_eq!((error.input(), error.name()), (Some(0), Some("http://a.example/feed".into())));
    /// assert!(error.to_string().starts_with("input 0 (http://a.example/feed): cannot be opened: "));
    /// ```
    pub fn named(self, name: impl Into<String>) -> Source<'s> {
        Source::Named(name.into(), Box::new(self))
    }

    /// Returns the part of the source that belongs to this range of its bytes, as they are
    /// stored. Ranges that follow each other have together what the source has, and nothing
    /// twice, so that several machines can read one file.
    ///
    /// The part of a plain text goes from the last safe cut at or before the start of the range
    /// to that at or before its end. What can only be read from its start (a stream, a
    /// compression, an archive, a document, UTF-16) is, as a whole, the part at 0; so is a small
    /// file. The lines of a log are read with the columns that a header names in its first MiB:
    /// another header is a loss, [`LossKind::Unsupported`](crate::item::LossKind), unless the
    /// range is the last one.
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// let text = "<http://a.example/\nb>\n".repeat(200_000);
    /// let source = || Source::Slice(text.as_bytes());
    /// let count = |source| Sieve::builder().build().for_each_in([source], |_| {}).unwrap().occurrences;
    /// let parts = [0..2_000_000, 2_000_000..u64::MAX].map(|range| count(source().range(range)));
    /// assert_eq!((count(source()), parts.iter().sum::<u64>()), (200_000, 200_000));
    /// assert!(parts[0] > 0 && parts[1] > 0);
    /// ```
    pub fn range(self, bytes: Range<u64>) -> Source<'s> {
        Source::Range(bytes, Box::new(self))
    }

    /// Returns the range of its bytes that is read, if not all are.
    pub(crate) fn bytes(&self) -> Option<&Range<u64>> {
        match self {
            Source::Range(bytes, _) => Some(bytes),
            Source::Named(_, source) => source.bytes(),
            _ => None,
        }
    }

    /// Returns the name of the source, if it has one.
    pub(crate) fn name(&self) -> Option<SourceName> {
        let (name, is_path) = match self {
            Source::Path(path) => (path.as_path(), true),
            Source::Named(name, _) => (Path::new(name), false),
            Source::Stdin => (Path::new("standard input"), false),
            Source::Range(_, source) => return source.name(),
            _ => return None,
        };
        let name = Arc::from(name);
        Some(SourceName { name, is_path })
    }

    /// Returns the source without its name, and as a whole.
    pub(crate) fn unnamed(&self) -> &Source<'s> {
        match self {
            Source::Named(_, source) | Source::Range(_, source) => source.unnamed(),
            source => source,
        }
    }

    /// Opens the source. A regular file of known length can be read at any offset; one
    /// of unknown length (as under `/proc` and `/sys`) is read as a stream.
    ///
    /// # Errors
    /// Errors of opening a file.
    ///
    /// ```
    /// use urisieve::input::{Opened, Source};
    /// let Opened::At(bytes, len) = Source::Slice(b"abc").open()? else { unreachable!() };
    /// let mut buffer = [0; 2];
    /// bytes.read_at(&mut buffer, 1)?;
    /// assert_eq!((len, &buffer), (3, b"bc"));
    /// assert!(Source::Path("no/such/file".into()).open().is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn open(self) -> io::Result<Opened<'s>> {
        match self {
            Source::Stdin => {
                let file = poll::stdin()?;
                let metadata = file.metadata()?;
                open_file(file, &metadata, true)
            }
            Source::Path(path) => {
                let (file, metadata) = poll::open(&path)?;
                // Elsewhere `/dev/fd/0` has the offset of what it names.
                open_file(file, &metadata, cfg!(not(target_os = "linux")))
            }
            Source::Slice(bytes) | Source::Text(bytes) => {
                Ok(Opened::At(Arc::new(bytes), bytes.len() as u64))
            }
            Source::At(bytes, len) => Ok(Opened::At(bytes, len)),
            Source::Failed(cause) => Err(cause),
            Source::Named(_, source) | Source::Range(_, source) => source.open(),
            Source::Reader(reader) | Source::ReaderLike(_, reader) => Ok(Opened::Stream(Stream {
                reader,
                watch: Watch::default(),
            })),
        }
    }
}

/// Opens a file, of which a part may have been read by others if its offset `is_shared`.
fn open_file<'s>(file: File, metadata: &Metadata, is_shared: bool) -> io::Result<Opened<'s>> {
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let file = Arc::new(file);
    if metadata.is_file()
        && metadata.len() > 0
        && (!is_shared || read_at::is_at_start(&file))
        && !read_at::is_generated(&file, metadata)
    {
        let len = metadata.len();
        return Ok(Opened::At(file, len));
    }
    Ok(Opened::Stream(Stream {
        reader: Box::new(Arc::clone(&file)),
        watch: Watch {
            file: Some(file),
            ..Watch::default()
        },
    }))
}

impl<'s> Stream<'s> {
    /// Creates a stream of the bytes of a file, as which `reader` gives them.
    #[cfg(feature = "parquet")]
    pub(crate) fn stored(reader: Box<dyn Read + Send + 's>) -> Stream<'s> {
        Stream {
            reader,
            watch: Watch {
                stored: true,
                ..Watch::default()
            },
        }
    }

    /// Creates a stream of the bytes of `at`, from its start to `len`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::input::Stream;
    /// let mut stream = Stream::of(Arc::new(&b"abcdef"[..]), 2);
    /// let mut buffer = [0; 8];
    /// assert_eq!(stream.read(&mut buffer)?, 2);
    /// assert_eq!(&buffer[..2], b"ab");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn of(at: Arc<dyn ReadAt + 's>, len: u64) -> Stream<'s> {
        Stream {
            reader: Box::new(read_at::Sequential::new(at, len)),
            watch: Watch {
                stored: true,
                ..Watch::default()
            },
        }
    }

    /// Returns a handle that checks whether the stream has data.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::input::Stream;
    /// let stream = Stream::of(Arc::new(&b"abc"[..]), 3);
    /// assert!(stream.watch().wait(|| true));
    /// ```
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Reads into `buffer`; 0 bytes mean the end.
    ///
    /// # Errors
    /// Errors of the reader; an interrupted read is tried again.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::input::Stream;
    /// let mut stream = Stream::of(Arc::new(&b"abc"[..]), 3);
    /// let (mut buffer, mut text) = ([0; 2], Vec::new());
    /// while let len @ 1.. = stream.read(&mut buffer)? {
    ///     text.extend_from_slice(&buffer[..len]);
    /// }
    /// assert_eq!(text, b"abc");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(len) => {
                    self.watch.read.fetch_add(len as u64, Ordering::Relaxed);
                    return Ok(len);
                }
            }
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Stream::read(self, buffer)
    }
}

impl Watch {
    /// Waits until there is data or the end, or until `cancelled` returns true; returns
    /// true in the latter case. Returns at once if the reader is not a file.
    ///
    /// ```
    /// let watch = urisieve::input::Watch::default();
    /// assert!(watch.wait(|| true) && !watch.wait(|| false));
    /// ```
    pub fn wait(&self, cancelled: impl Fn() -> bool) -> bool {
        while !cancelled() {
            match &self.file {
                Some(file) if poll::nothing_within(file, WAIT) => {}
                _ => return false,
            }
        }
        true
    }

    /// The number of bytes that were read so far.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::input::Stream;
    /// let mut stream = Stream::of(Arc::new(&b"abcdef"[..]), 6);
    /// stream.read(&mut [0; 4])?;
    /// assert_eq!(stream.watch().read_bytes(), 4);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read_bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Whether the next read is known not to block.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::input::{Stream, Watch};
    /// assert!(Stream::of(Arc::new(&b"abc"[..]), 3).watch().reads_at_once());
    /// assert!(!Watch::default().reads_at_once());
    /// ```
    pub fn reads_at_once(&self) -> bool {
        self.stored
            || self
                .file
                .as_deref()
                .is_some_and(|file| !nothing_waits(file))
    }

    /// Whether the next read would wait for a writer that pauses; false if this is not
    /// known.
    ///
    /// ```
    /// assert!(!urisieve::input::Watch::default().pauses());
    /// ```
    pub fn pauses(&self) -> bool {
        self.file.as_deref().is_some_and(nothing_waits)
    }
}
