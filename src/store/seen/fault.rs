//! Errors of stores of seen keys: what failed, on which file, at which offset, and what to do.

use super::format::{KEY_MAX, VERSION};
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failed action on a store, and its file or directory. A conversion into a
/// `std::io::Error` makes this its inner error.
///
/// ```
/// use urisieve::store::seen::{SeenFault, SeenReader};
/// let error = SeenReader::open("no/such/store".as_ref(), 0).unwrap_err();
/// assert!(matches!(error.fault(), SeenFault::NoStore));
/// assert!(error.to_string().starts_with("no/such/store: "));
/// ```
#[derive(Debug)]
pub struct SeenError {
    path: PathBuf,
    fault: SeenFault,
}

/// The failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum SeenFault {
    /// The operating system failed to do this.
    Io(&'static str, io::Error),
    /// Bytes at this offset are not those that were written.
    Damaged(u64, &'static str),
    /// The store was written by a later version, in this version of the format.
    Version(u64),
    /// There is no store: no manifest.
    NoStore,
    /// The directory has files of others, and no manifest.
    Foreign,
    /// Another process, with this number if it is known, writes to the store.
    Locked(Option<u32>),
    /// A file of the state is gone: a writer has replaced it.
    Gone,
    /// A key has more than [`KEY_MAX`](super::KEY_MAX) bytes.
    LongKey(usize),
    /// The stated settings differ: the name, the value of the store and the other one.
    Settings(Vec<(String, String, String)>),
    /// There is less space than this number of bytes.
    Space(u64, u64),
    /// The action was cancelled.
    Cancelled,
}

impl SeenError {
    pub(super) fn new(path: &Path, fault: SeenFault) -> SeenError {
        SeenError {
            path: path.to_owned(),
            fault,
        }
    }

    /// The file or directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The failure.
    pub fn fault(&self) -> &SeenFault {
        &self.fault
    }
}

impl fmt::Display for SeenError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.fault {
            SeenFault::Io(action, cause) => {
                write!(f, "cannot {action}: {cause}{}", advice(cause))
            }
            SeenFault::Damaged(offset, what) => write!(
                f,
                "damaged at byte {offset}: {what}; urisieve seen verify lists the damage, \
                 seen compact --skip-damaged saves the rest"
            ),
            SeenFault::Version(version) => write!(
                f,
                "the store has version {version} of the format; this program reads version {}",
                VERSION
            ),
            SeenFault::NoStore => write!(f, "there is no store of seen URIs"),
            SeenFault::Foreign => write!(
                f,
                "the directory is not empty and is not a store of seen URIs; name another one"
            ),
            SeenFault::Locked(Some(process)) => {
                write!(
                    f,
                    "process {process} writes to the store; --wait waits for it"
                )
            }
            SeenFault::Locked(None) => {
                write!(
                    f,
                    "another process writes to the store; --wait waits for it"
                )
            }
            SeenFault::Gone => write!(f, "the file is gone: another process removed it"),
            SeenFault::LongKey(bytes) => write!(
                f,
                "a key of {bytes} bytes; the longest that a store takes has {}",
                KEY_MAX
            ),
            SeenFault::Settings(differences) => {
                write!(f, "the store was made with other settings: ")?;
                for (number, (name, stored, asked)) in differences.iter().enumerate() {
                    let separator = if number > 0 { "; " } else { "" };
                    write!(f, "{separator}{name} is {stored} there and {asked} here")?;
                }
                write!(
                    f,
                    "; urisieve seen export STORE | urisieve seen import NEW makes a store with \
                     others"
                )
            }
            SeenFault::Space(needed, left) => {
                write!(f, "{needed} bytes are needed, and {left} are free")
            }
            SeenFault::Cancelled => write!(f, "cancelled"),
        }
    }
}

/// Advice about a failure of the operating system, if there is some.
fn advice(cause: &io::Error) -> &'static str {
    #[cfg(unix)]
    let is_of_medium = rustix::io::Errno::from_io_error(cause) == Some(rustix::io::Errno::IO);
    #[cfg(not(unix))]
    let is_of_medium = false;
    match cause.kind() {
        io::ErrorKind::StaleNetworkFileHandle => {
            "; another machine removed the file: the next run reads the state that is there now"
        }
        _ if is_of_medium => {
            "; the disk or its connection fails: copy the store elsewhere, and have urisieve seen \
             verify read the copy"
        }
        _ => "",
    }
}

impl Error for SeenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.fault {
            SeenFault::Io(_, cause) => Some(cause),
            _ => None,
        }
    }
}

impl From<SeenError> for io::Error {
    fn from(error: SeenError) -> io::Error {
        let kind = match &error.fault {
            SeenFault::Io(_, cause) => cause.kind(),
            SeenFault::Damaged(..) | SeenFault::Version(_) => io::ErrorKind::InvalidData,
            SeenFault::NoStore | SeenFault::Gone => io::ErrorKind::NotFound,
            SeenFault::Locked(_) => io::ErrorKind::WouldBlock,
            SeenFault::Space(..) => io::ErrorKind::StorageFull,
            SeenFault::Cancelled => io::ErrorKind::Interrupted,
            SeenFault::Foreign | SeenFault::LongKey(_) | SeenFault::Settings(_) => {
                io::ErrorKind::InvalidInput
            }
        };
        io::Error::new(kind, error)
    }
}
