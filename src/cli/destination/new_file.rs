//! A file that is absent, or unchanged, until it is complete: it is written without a name
//! or under a hidden one in the same folder, and then renamed. Several appear together.

use super::hidden_folder::{HiddenFolder, folder, hidden_prefix};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, TempPath};

/// A file that is being written. One that is dropped leaves nothing.
#[derive(Debug)]
pub(in crate::cli) struct NewFile {
    file: File,
    /// The file that it becomes.
    target: PathBuf,
    /// The hidden name, if it has one yet.
    hidden: Option<TempPath>,
    /// The name in messages.
    said: String,
}

/// A file that is written to its end, synced, and only to be renamed; or a folder with such
/// files.
#[derive(Debug)]
pub(in crate::cli) struct CompleteFile {
    target: PathBuf,
    hidden: HiddenName,
    said: String,
}

impl CompleteFile {
    /// Returns a folder that is to become `target`, which messages name as `said`.
    pub(super) fn folder(hidden: HiddenFolder, target: PathBuf, said: String) -> CompleteFile {
        CompleteFile {
            target,
            hidden: HiddenName::Folder(hidden),
            said,
        }
    }

    /// Has it become `target`, which is in the same folder.
    pub(super) fn named(self, target: PathBuf) -> CompleteFile {
        CompleteFile { target, ..self }
    }
}

/// What is there under a hidden name, and disappears with it.
#[derive(Debug)]
enum HiddenName {
    File(TempPath),
    Folder(HiddenFolder),
}

impl HiddenName {
    fn path(&self) -> &Path {
        match self {
            HiddenName::File(file) => file,
            HiddenName::Folder(folder) => folder.path(),
        }
    }

    /// Forgets the name, which became that of `target`.
    fn forget(self, target: &Path) {
        match self {
            HiddenName::File(file) => drop(file.keep()),
            HiddenName::Folder(folder) => folder.forget(target),
        }
    }
}

impl NewFile {
    /// Opens a file that becomes `target`, with the access rights of the one that is there.
    /// Messages name it as `said`.
    ///
    /// # Errors
    /// Errors of creating a file in the folder of `target`.
    pub(super) fn open(target: &Path, said: &str) -> io::Result<NewFile> {
        let (file, hidden) = match unnamed(folder(target)) {
            Some(file) => (file, None),
            None => {
                let created = hide(target, |path| File::create_new(path))?;
                (created.0, Some(created.1))
            }
        };
        keep_access(&file, target)?;
        Ok(NewFile {
            file,
            target: target.to_owned(),
            hidden,
            said: said.to_owned(),
        })
    }

    /// Makes all that was written last, under a hidden name.
    ///
    /// # Errors
    /// Errors of naming and syncing it.
    pub(super) fn complete(self) -> io::Result<CompleteFile> {
        let hidden = match self.hidden {
            Some(hidden) => hidden,
            None => hide(&self.target, |path| name(&self.file, path))?.1,
        };
        // Some file systems do not sync files without a name.
        self.file.sync_all()?;
        Ok(CompleteFile {
            target: self.target,
            hidden: HiddenName::File(hidden),
            said: self.said,
        })
    }
}

/// A folder that is absent, or empty, until all of its files are complete.
#[derive(Debug)]
pub(super) struct NewFolder {
    hidden: HiddenFolder,
    target: PathBuf,
    said: String,
}

impl NewFolder {
    /// Makes a folder that becomes `target`, which messages name as `said`.
    ///
    /// # Errors
    /// Errors of creating a folder beside `target`, or of reading it. One that is not empty is
    /// also one.
    pub(super) fn open(target: &Path, said: &str) -> io::Result<NewFolder> {
        let target = match fs::read_dir(target).map(|mut entries| entries.next()) {
            Ok(Some(_)) => return Err(io::ErrorKind::DirectoryNotEmpty.into()),
            // Also what a symbolic link names.
            Ok(None) => fs::canonicalize(target)?,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => target.to_owned(),
            Err(cause) => return Err(cause),
        };
        Ok(NewFolder {
            hidden: HiddenFolder::beside(&target)?,
            target,
            said: said.to_owned(),
        })
    }

    /// The folder in which its files are written.
    pub(super) fn path(&self) -> &Path {
        self.hidden.path()
    }

    /// Lets these files, which were opened in it, appear there, and makes the names in it last.
    ///
    /// # Errors
    /// Errors of renaming and syncing.
    pub(super) fn complete(self, files: Vec<CompleteFile>) -> io::Result<CompleteFile> {
        appear(files).map_err(|(_, error)| error)?;
        sync(self.hidden.path())?;
        Ok(CompleteFile::folder(self.hidden, self.target, self.said))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Lets all files appear, one directly after the other. When one cannot be renamed, those
/// before it disappear again, or become what they were.
///
/// # Errors
/// Which file could not be renamed, and why.
pub(in crate::cli) fn appear(files: Vec<CompleteFile>) -> Result<(), (String, io::Error)> {
    let count = files.len();
    let mut appeared: Vec<AppearedFile> = Vec::new();
    for (number, file) in files.into_iter().enumerate() {
        let CompleteFile {
            target,
            hidden,
            said,
        } = file;
        let before = match (&hidden, number + 1 == count) {
            (HiddenName::Folder(_), _) => FileBefore::Folder(target.exists()),
            // Nothing fails after the last one.
            (_, true) => FileBefore::Unknown,
            (_, false) => FileBefore::of(&target),
        };
        if cfg!(windows) && matches!(before, FileBefore::Folder(true)) {
            // There an empty folder is not replaced; an error is that of the renaming.
            let _ = fs::remove_dir(&target);
        }
        let mut hidden = hidden;
        if let HiddenName::Folder(folder) = &mut hidden {
            folder.is_renamed();
        }
        if let Err(error) = fs::rename(hidden.path(), &target) {
            appeared.into_iter().rev().for_each(AppearedFile::undo);
            return Err((said, error));
        }
        hidden.forget(&target);
        appeared.push(AppearedFile {
            target,
            before,
            said,
        });
    }
    for file in appeared {
        sync(folder(&file.target)).map_err(|error| (file.said, error))?;
    }
    Ok(())
}

/// A file that was renamed.
struct AppearedFile {
    target: PathBuf,
    before: FileBefore,
    said: String,
}

/// The thing in the place of a file before it appeared.
enum FileBefore {
    Nothing,
    /// A file, which has this second name.
    File(TempPath),
    /// An empty folder, if there was one.
    Folder(bool),
    /// A file that cannot have a second name, or one that need not be known.
    Unknown,
}

impl FileBefore {
    fn of(target: &Path) -> FileBefore {
        match hide(target, |path| fs::hard_link(target, path)) {
            Ok(((), name)) => FileBefore::File(name),
            Err(error) if error.kind() == io::ErrorKind::NotFound => FileBefore::Nothing,
            Err(_) => FileBefore::Unknown,
        }
    }
}

impl AppearedFile {
    /// Restores what was in its place.
    fn undo(self) {
        // A failure from here on leaves a file that is complete.
        match self.before {
            FileBefore::Nothing => drop(fs::remove_file(&self.target)),
            FileBefore::File(name) => drop(fs::rename(&name, &self.target)),
            FileBefore::Folder(was_there) => {
                drop(fs::remove_dir_all(&self.target));
                if was_there {
                    drop(fs::create_dir(&self.target));
                }
            }
            FileBefore::Unknown => {}
        }
    }
}

/// Makes something under a hidden name beside `target`.
fn hide<R>(
    target: &Path,
    mut make: impl FnMut(&Path) -> io::Result<R>,
) -> io::Result<(R, TempPath)> {
    let made = Builder::new()
        .prefix(&hidden_prefix(target))
        .make_in(folder(target), |path| make(path))?;
    Ok(made.into_parts())
}

/// Opens a file without a name in `folder`, where the system has such files and can name
/// them later. A program that is killed leaves nothing of it.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
    by_descriptor(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}

#[cfg(target_os = "linux")]
fn by_descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives a file without a name this name.
#[cfg(target_os = "linux")]
fn name(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let unnamed = by_descriptor(file);
    Ok(linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn name(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives `file` the owner, as far as that is allowed, and the mode of `target`, if it exists.
#[cfg(unix)]
fn keep_access(file: &File, target: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let Ok(about) = fs::metadata(target) else {
        return Ok(());
    };
    // Other owners are not allowed, or unknown here: the user is the owner then.
    let _ = fchown(file, Some(about.uid()), Some(about.gid()));
    file.set_permissions(fs::Permissions::from_mode(about.mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_access(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes the names in a folder last. A folder that may not be read cannot be synced, and
/// some file systems have no such operation.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    match File::open(folder).map(|folder| folder.sync_all()) {
        Ok(Err(error)) if error.kind() != io::ErrorKind::InvalidInput => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::destination::hidden_folder::tests::names;

    fn complete(target: &Path, text: &str) -> CompleteFile {
        let mut file = NewFile::open(target, "said").unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.complete().unwrap()
    }

    #[test]
    fn a_file_that_cannot_be_renamed_takes_the_others_back() {
        let folder = tempfile::tempdir().unwrap();
        let [new, old, wrong] = ["new", "old", "wrong"].map(|name| folder.path().join(name));
        fs::write(&old, "before").unwrap();
        let files = vec![
            complete(&new, "1"),
            complete(&old, "2"),
            complete(&wrong, "3"),
        ];
        fs::create_dir(&wrong).unwrap();
        assert_eq!(appear(files).unwrap_err().0, "said");
        assert_eq!(names(folder.path()), ["old", "wrong"]);
        assert_eq!(fs::read(&old).unwrap(), b"before");
        fs::remove_dir(&wrong).unwrap();
        let files = [&new, &old, &wrong].map(|path| complete(path, "after"));
        appear(files.into()).unwrap();
        assert_eq!(names(folder.path()), ["new", "old", "wrong"]);
        for path in [&new, &old, &wrong] {
            assert_eq!(fs::read(path).unwrap(), b"after");
        }
    }

    #[test]
    fn a_folder_appears_whole() {
        let root = tempfile::tempdir().unwrap();
        let [dir, wrong] = ["dir", "wrong"].map(|name| root.path().join(name));
        let open = || NewFolder::open(&dir, "said").unwrap();
        let filled = || {
            let new = open();
            let files = ["a", "b"].map(|name| complete(&new.path().join(name), name));
            new.complete(files.into()).unwrap()
        };
        drop(open());
        drop(filled());
        assert_eq!(names(root.path()), [""; 0]);
        // What fails after it takes it back, absent or empty.
        for before in [&[][..], &["dir"]] {
            fs::create_dir(&wrong).unwrap();
            let failing = complete(&root.path().join("wrong"), "text");
            assert_eq!(appear(vec![filled(), failing]).unwrap_err().0, "said");
            fs::remove_dir(&wrong).unwrap();
            assert_eq!(names(root.path()), before);
            let _ = fs::create_dir(&dir);
        }
        appear(vec![filled()]).unwrap();
        assert_eq!(names(root.path()), ["dir"]);
        assert_eq!(names(&dir), ["a", "b"]);
        let full = NewFolder::open(&dir, "said").unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::DirectoryNotEmpty);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let other = root.path().join("other");
            fs::create_dir(&other).unwrap();
            let mode = |path| fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode(&dir), mode(&other));
        }
    }

    #[test]
    fn the_longest_name_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let name = "n".repeat(255);
        appear(vec![complete(&folder.path().join(&name), "text")]).unwrap();
        assert_eq!(names(folder.path()), [name]);
    }
}
