//! The place to which the name of an output leads: through symbolic links, to a file that is there
//! or not, to a device, or to a stream that is open already.

use super::new_file::{CompleteFile, NewFile};
use crate::cli::report::closed;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The most symbolic links of a name that are followed, as on Linux.
const LINKS_MAX: usize = 40;

/// The place of an output.
#[derive(Debug)]
pub(in crate::cli) struct OutputPlace {
    /// The file itself, which symbolic links may name.
    pub(super) path: PathBuf,
    pub(super) kind: PlaceKind,
    /// The name in messages.
    pub(super) said: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceKind {
    /// A file, or nothing yet.
    File,
    /// A device or a named pipe, which cannot be renamed.
    Device,
    /// A descriptor of this process, by its number.
    Descriptor(u32),
}

impl OutputPlace {
    /// The place that `path` names, which messages name as `said`.
    ///
    /// # Errors
    /// Errors of following symbolic links. A folder is also one.
    pub(super) fn of(path: &Path, said: String) -> io::Result<OutputPlace> {
        let path = followed(path)?;
        let kind = match (descriptor(&path), fs::metadata(&path)) {
            (Some(number), _) => PlaceKind::Descriptor(number),
            (_, Ok(about)) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            (_, Ok(about)) if !about.is_file() => PlaceKind::Device,
            _ => PlaceKind::File,
        };
        Ok(OutputPlace { path, kind, said })
    }

    /// The file itself, which symbolic links may name.
    pub(in crate::cli) fn path(&self) -> &Path {
        &self.path
    }

    /// The name in messages.
    pub(in crate::cli) fn said(&self) -> &str {
        &self.said
    }

    /// Whether there is a file that is replaced.
    pub(in crate::cli) fn replaces(&self) -> bool {
        self.kind == PlaceKind::File && self.path.exists()
    }

    /// Opens it for writing. A file appears when it is complete, everything else is written
    /// directly.
    ///
    /// # Errors
    /// Errors of opening it, or a file beside it.
    pub(in crate::cli) fn open(self) -> io::Result<OutputFile> {
        Ok(match self.kind {
            PlaceKind::File => OutputFile::New(NewFile::open(&self.path, &self.said)?),
            PlaceKind::Device => OutputFile::Device(File::options().write(true).open(self.path)?),
            PlaceKind::Descriptor(number) => OutputFile::Device(opened(number, &self.path)?),
        })
    }
}

/// An output that is open.
#[derive(Debug)]
pub(in crate::cli) enum OutputFile {
    /// A device or a stream, which is written directly.
    Device(File),
    /// A file, which appears when it is complete.
    New(NewFile),
}

impl OutputFile {
    /// Whether it is a file that is absent until it is complete.
    pub(in crate::cli) fn is_new(&self) -> bool {
        matches!(self, OutputFile::New(_))
    }

    pub(in crate::cli) fn is_terminal(&self) -> bool {
        matches!(self, OutputFile::Device(file) if file.is_terminal())
    }

    /// Has what was written to a file that is open already outlast the machine. A pipe or a
    /// terminal has what it took, and a new file is synced when it is complete.
    ///
    /// # Errors
    /// Errors of writing it.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        match self {
            OutputFile::Device(file) if file.metadata()?.is_file() => file.sync_all(),
            _ => Ok(()),
        }
    }

    /// Completes the output. Returns the file that is only to be renamed, if it is one.
    ///
    /// # Errors
    /// Errors of writing it.
    pub(in crate::cli) fn complete(self) -> io::Result<Option<CompleteFile>> {
        match self {
            OutputFile::Device(mut file) => file.flush().map(|()| None),
            OutputFile::New(file) => file.complete().map(Some),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OutputFile::Device(file) => file.write(bytes),
            OutputFile::New(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            OutputFile::Device(file) => file.flush(),
            OutputFile::New(file) => file.flush(),
        }
    }
}

/// Follows symbolic links, also to a file that is missing: that one is made. A descriptor is
/// not followed to its file, which may be open elsewhere.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Some(name) = path.file_name() else {
            break;
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(folder)?;
        let here = folder.join(name);
        if descriptor(&here).is_some() {
            return Ok(here);
        }
        match fs::read_link(&here) {
            Ok(target) => path = folder.join(target),
            Err(_) => return Ok(here),
        }
    }
    // A folder, or the error of too many links.
    fs::canonicalize(path)
}

/// The number of the descriptor of this process that `path` is.
fn descriptor(path: &Path) -> Option<u32> {
    let folder = path.parent()?;
    let is_own = folder == Path::new("/dev/fd")
        || folder == Path::new(&format!("/proc/{}/fd", std::process::id()));
    let number = path.file_name()?.to_str()?;
    is_own.then(|| number.parse().ok())?
}

/// Opens a descriptor of this process. Standard output and standard error are shared, so
/// that what other parts of the program write there is not overwritten.
fn opened(number: u32, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        match number {
            1 => {
                closed::stdout()?;
                return Ok(io::stdout().as_fd().try_clone_to_owned()?.into());
            }
            2 => return Ok(io::stderr().as_fd().try_clone_to_owned()?.into()),
            _ => {}
        }
    }
    let _ = number;
    File::options().append(true).open(path)
}
