//! The outputs of a run: no two of them are the same file, by whatever names.

use super::place::{OutputPlace, PlaceKind};
use crate::cli::inputs::Input;
use crate::cli::report::printable::printable;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// The places that outputs of the run have taken.
#[derive(Debug)]
pub(in crate::cli) struct OutputNames {
    taken: Vec<TakenPlace>,
}

#[derive(Debug)]
struct TakenPlace {
    /// The flag and the name that was typed, or the name of a stream.
    said: String,
    /// Empty for a stream.
    path: PathBuf,
    file: Option<FileId>,
    is_stream: bool,
}

/// The device of a file, and its number there: hard links have them in common.
type FileId = (u64, u64);

impl OutputNames {
    /// No outputs but standard error.
    pub(in crate::cli) fn new() -> OutputNames {
        let mut names = OutputNames { taken: Vec::new() };
        names.take_stream("standard error", stream_id(std::io::stderr()));
        names
    }

    /// Takes standard output for the records.
    pub(in crate::cli) fn take_stdout(&mut self) {
        self.take_stream("standard output", stream_id(std::io::stdout()));
    }

    fn take_stream(&mut self, said: &str, file: Option<FileId>) {
        self.taken.push(TakenPlace {
            said: said.to_owned(),
            path: PathBuf::new(),
            file,
            is_stream: true,
        });
    }

    /// Takes the place that `path` names, for the output of `flag`.
    ///
    /// # Errors
    /// A message that names the flag, when another output has that place, or when it is
    /// not a place for an output.
    pub(in crate::cli) fn take(&mut self, flag: &str, path: &Path) -> Result<OutputPlace, String> {
        let name = printable(path.as_os_str().as_encoded_bytes());
        let typed = format!("{flag} {name}");
        let said = match flag {
            "-o" => name,
            _ => typed.clone(),
        };
        let place = OutputPlace::of(path, said).map_err(|error| format!("{typed}: {error}"))?;
        let about = fs::metadata(&place.path).ok();
        let taken = TakenPlace {
            said: typed,
            file: about.as_ref().and_then(file_id),
            is_stream: matches!(place.kind, PlaceKind::Descriptor(_)),
            path: place.path.clone(),
        };
        // Nothing is lost by writing twice to a terminal, or to nowhere.
        if !about.is_some_and(|about| is_character_device(&about)) {
            if let Some(other) = self.taken.iter().find(|other| other.is(&taken)) {
                let (typed, said) = (taken.said, &other.said);
                return Err(format!("{typed}: {said} is the same file"));
            }
            self.taken.push(taken);
        }
        Ok(place)
    }

    /// Takes the place that `path` names, for an output of `flag` that is not the records.
    ///
    /// # Errors
    /// A message that names the flag, when the file is one of `inputs` or another output.
    pub(in crate::cli) fn take_apart(
        &mut self,
        flag: &str,
        path: &Path,
        mut inputs: impl Iterator<Item = Input>,
    ) -> Result<OutputPlace, String> {
        let place = self.take(flag, path)?;
        let is_read = |input: Input| match input {
            Input::Path(path) => {
                path.is_file() && path.canonicalize().ok().as_deref() == Some(place.path())
            }
            Input::Stdin => false,
        };
        match place.replaces() && inputs.any(is_read) {
            true => Err(format!("{flag}: names an input, which would be lost")),
            false => Ok(place),
        }
    }

    /// The output that has the place of the file `path`.
    pub(in crate::cli) fn holder(&self, path: &Path) -> Option<&str> {
        let taken = TakenPlace {
            said: String::new(),
            file: fs::metadata(path).ok().as_ref().and_then(file_id),
            is_stream: false,
            path: path.to_owned(),
        };
        let other = self.taken.iter().find(|other| other.is(&taken));
        other.map(|other| &*other.said)
    }
}

impl TakenPlace {
    /// Whether both are the same file. Two streams may lead to one file: that was asked for.
    fn is(&self, other: &TakenPlace) -> bool {
        let are_streams = self.is_stream && other.is_stream;
        let is_linked = self.file.is_some() && self.file == other.file;
        self.path == other.path || is_linked && !are_streams
    }
}

#[cfg(unix)]
fn file_id(about: &Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    (!is_character_device(about)).then(|| (about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Metadata) -> Option<FileId> {
    None
}

#[cfg(unix)]
fn stream_id(stream: impl std::os::fd::AsFd) -> Option<FileId> {
    let stream = stream.as_fd().try_clone_to_owned().ok()?;
    file_id(&fs::File::from(stream).metadata().ok()?)
}

#[cfg(not(unix))]
fn stream_id<S>(_: S) -> Option<FileId> {
    None
}

#[cfg(unix)]
fn is_character_device(about: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_character_device(_: &Metadata) -> bool {
    false
}
