//! The register of the containers that are split into records, one row each. The functions
//! that a row names are in the folder of its format.

use super::piece::Container;
use super::tar::{self, Tar};
use super::warc::{self, WarcSplitter};

/// A container that is split into records: a row of [`ARCHIVES`].
///
/// ```
/// use urisieve::ARCHIVES;
/// assert_eq!(ARCHIVES[0].title, "WARC");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ArchiveFormat {
    /// The name by which inputs are counted.
    pub name: &'static str,
    /// The name in reports.
    pub title: &'static str,
    /// The part that is read, and how the archive is detected.
    pub meaning: &'static str,
    /// The extensions of its files, without the extension of a compression.
    pub extensions: &'static [&'static str],
    /// Whether a single extension, such as `tgz`, may mean this container and its
    /// compression.
    pub(crate) is_short: bool,
    /// Whether a readable record follows in bytes that do not begin like a container; `None`
    /// where content is not searched for records, since it may be of any kind.
    pub(crate) follows_in: Option<fn(&[u8]) -> bool>,
    /// Whether these bytes begin such a container.
    pub(super) begins: fn(&[u8]) -> bool,
    /// Whether these bytes, which may be too few, may begin such a container.
    pub(super) may_begin: fn(&[u8]) -> bool,
    pub(super) container: fn() -> Box<dyn Container>,
}

impl ArchiveFormat {
    /// Returns the container that begins with `head`.
    pub(crate) fn of(head: &[u8]) -> Option<&'static ArchiveFormat> {
        ARCHIVES.iter().find(|archive| (archive.begins)(head))
    }
}

/// Equal formats are the same row.
impl PartialEq for ArchiveFormat {
    fn eq(&self, other: &ArchiveFormat) -> bool {
        self.name == other.name
    }
}

impl Eq for ArchiveFormat {}

/// Every container that is split, in the order in which the first bytes are tried.
///
/// ```
/// let names: Vec<_> = urisieve::ARCHIVES.iter().map(|archive| archive.name).collect();
/// assert_eq!(names, ["warc", "arc", "tar"]);
/// ```
pub static ARCHIVES: &[ArchiveFormat] = &[
    ArchiveFormat {
        name: "warc",
        title: "WARC",
        meaning: "the payloads of web archives, without their codings, by the first bytes",
        extensions: &["warc", "wat", "wet"],
        is_short: false,
        follows_in: Some(warc::follows_in),
        begins: |head| warc::begins(head) && !warc::begins_arc(head),
        may_begin: warc::may_begin,
        container: || Box::new(WarcSplitter::new()),
    },
    ArchiveFormat {
        name: "arc",
        title: "ARC",
        meaning: "the same of the format before WARC",
        extensions: &[],
        is_short: false,
        follows_in: Some(warc::follows_in),
        begins: warc::begins_arc,
        may_begin: warc::may_begin,
        container: || Box::new(WarcSplitter::new()),
    },
    ArchiveFormat {
        name: "tar",
        title: "tar",
        meaning: "the members of archives (v7, ustar, pax, GNU), by the first header, decompressed",
        extensions: &["tar"],
        is_short: true,
        follows_in: None,
        begins: tar::begins,
        may_begin: tar::may_begin,
        container: || Box::new(Tar::new()),
    },
];
