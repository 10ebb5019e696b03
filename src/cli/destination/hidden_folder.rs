//! A folder under a hidden name beside the one that it becomes. Its run has locked a file in it: a
//! run that is killed leaves the folder, and the next one with the same target removes it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use tempfile::{Builder, TempDir};
use urisieve::store::seen::lock_file;

/// The longest name that is a part of the hidden one, in bytes: file systems allow 255.
const NAME_MAX: usize = 200;

/// The end of the hidden name of a folder: an empty one with it is that of a run which was killed
/// before it locked a file, or of one that makes another when this one is removed.
const MARK: &str = ".urisieve";

/// The file that is locked.
const LOCK: &str = ".urisieve-lock";

/// The number of folders that are made until one is not taken for that of a dead run.
const TRIES: u32 = 100;

/// A folder under a hidden name, which disappears with it.
#[derive(Debug)]
pub(super) struct HiddenFolder {
    folder: TempDir,
    /// The lock, where the file system has locks.
    lock: Option<File>,
}

impl HiddenFolder {
    /// Makes a folder that is to become `target`, and removes those that dead runs left.
    ///
    /// # Errors
    /// Errors of creating it.
    pub(super) fn beside(target: &Path) -> io::Result<HiddenFolder> {
        remove_leavings(target);
        let prefix = hidden_prefix(target);
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(MARK);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        for _ in 0..TRIES {
            let hidden = builder.tempdir_in(folder(target))?;
            let path = hidden.path().join(LOCK);
            match lock_file(&path) {
                Ok(Some(lock)) if path.exists() => {
                    return Ok(HiddenFolder {
                        folder: hidden,
                        lock: Some(lock),
                    });
                }
                // Another run took it for a leaving before it was locked.
                Ok(_) => {}
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                // Without locks nobody removes it.
                Err(_) => {
                    let _ = fs::remove_file(path);
                    return Ok(HiddenFolder {
                        folder: hidden,
                        lock: None,
                    });
                }
            }
        }
        Err(io::Error::other("other runs remove what is made beside it"))
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Says that the folder is renamed next: elsewhere than on Unix it must have no open file.
    pub(super) fn is_renamed(&mut self) {
        if !cfg!(unix) {
            self.lock = None;
        }
    }

    /// Forgets the name, which became that of `target`.
    pub(super) fn forget(self, target: &Path) {
        // A lock that stays hides nothing: readers skip such names.
        let _ = fs::remove_file(target.join(LOCK));
        drop(self.folder.keep());
    }
}

/// Removes the folders that runs left which were killed before theirs became `target`. A folder
/// whose run goes on is locked, and stays.
fn remove_leavings(target: &Path) {
    let prefix = hidden_prefix(target);
    let is_hidden = |name: &OsStr| {
        let name = name.as_encoded_bytes();
        name.starts_with(prefix.as_encoded_bytes()) && name.ends_with(MARK.as_bytes())
    };
    for entry in fs::read_dir(folder(target)).into_iter().flatten().flatten() {
        let (path, is_dir) = (entry.path(), entry.file_type().is_ok_and(|of| of.is_dir()));
        let lock = path.join(LOCK);
        if is_dir && is_hidden(&entry.file_name()) {
            // What cannot be removed is in nobody's way. Without a lock only an empty one is.
            let _ = match lock.is_file() {
                true => remove_unlocked(&path, &lock),
                false => fs::remove_dir(path),
            };
        }
    }
}

/// Removes a folder and its files, unless its run goes on.
fn remove_unlocked(path: &Path, lock: &Path) -> io::Result<()> {
    let Some(held) = lock_file(lock)? else {
        return Ok(());
    };
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_name() != LOCK {
            fs::remove_file(entry.path())?;
        }
    }
    // The lock is the last: a kill before leaves what the next run removes.
    drop(held);
    fs::remove_file(lock)?;
    fs::remove_dir(path)
}

/// The beginning of a hidden name beside `target`.
pub(super) fn hidden_prefix(target: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    match target.file_name() {
        Some(name) if name.len() <= NAME_MAX => prefix.push(name),
        _ => prefix.push("urisieve"),
    }
    prefix.push(".");
    prefix
}

/// The folder in which `target` is.
pub(super) fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The names in a folder, in their order.
    pub(in crate::cli::destination) fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn leavings_of_dead_runs_are_removed_and_no_others() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("out");
        let living = HiddenFolder::beside(&target).unwrap();
        let others = [
            ".out.backup",
            ".out",
            "out.abcdef.urisieve",
            ".outside.abcdef.urisieve",
            ".out.foreign.urisieve",
        ];
        for other in others {
            fs::create_dir(root.path().join(other)).unwrap();
        }
        // Its name is that of another target.
        fs::write(root.path().join(others[3]).join(LOCK), "").unwrap();
        // It has a file, and no lock.
        fs::write(root.path().join(others[4]).join("notes.txt"), "").unwrap();
        let empty = root.path().join(".out.ghijkl.urisieve");
        let dead = root.path().join(".out.abcdef.urisieve");
        fs::create_dir(&empty).unwrap();
        fs::create_dir(&dead).unwrap();
        for file in [LOCK, "part-00000.txt", "_SUCCESS"] {
            fs::write(dead.join(file), "x").unwrap();
        }
        let before = names(root.path());
        let second = HiddenFolder::beside(&target).unwrap();
        assert!(!dead.exists() && !empty.exists());
        assert!(living.path().join(LOCK).exists() && second.path().join(LOCK).exists());
        assert_eq!(names(root.path()).len(), before.len() - 1);
        drop(second);
        fs::rename(living.path(), &target).unwrap();
        living.forget(&target);
        assert_eq!(names(&target), [""; 0]);
        let mut wanted: Vec<String> = others.iter().map(|&name| name.to_owned()).collect();
        wanted.push("out".to_owned());
        wanted.sort();
        assert_eq!(names(root.path()), wanted);
    }
}
