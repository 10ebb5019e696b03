//! The regular files below a directory, in byte order of their paths. Hidden
//! files are passed over, links are not followed, and ignore files are not
//! obeyed, because most of them list `*.log`.

use ignore::WalkBuilder;
use std::io;
use std::path::{Path, PathBuf};

/// What a walk gives: the path of a file, or what could not be read.
pub type Walked = Result<PathBuf, (PathBuf, io::Error)>;

/// Every file below `directory`, in byte order of the paths, and every part of
/// the tree that could not be read, at the place of its path.
pub fn walk(directory: &Path) -> Vec<Walked> {
    let mut found: Vec<Walked> = WalkBuilder::new(directory)
        .standard_filters(false)
        .hidden(true)
        .build()
        .filter_map(|entry| match entry {
            Ok(entry) => match entry.file_type() {
                Some(kind) if kind.is_file() => Some(Ok(entry.into_path())),
                _ => None,
            },
            Err(error) => Some(Err(failed(directory, error))),
        })
        .collect();
    found.sort_by(|a, b| bytes(a).cmp(bytes(b)));
    found
}

fn failed(directory: &Path, error: ignore::Error) -> (PathBuf, io::Error) {
    let mut inner = &error;
    let mut path = directory.to_owned();
    loop {
        match inner {
            ignore::Error::WithPath { path: at, err } => {
                path.clone_from(at);
                inner = err;
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                inner = err;
            }
            _ => break,
        }
    }
    let cause = match error.io_error() {
        Some(cause) => io::Error::new(cause.kind(), cause.to_string()),
        None => io::Error::other(error.to_string()),
    };
    (path, cause)
}

fn bytes(walked: &Walked) -> &[u8] {
    match walked {
        Ok(path) | Err((path, _)) => path.as_os_str().as_encoded_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_byte_order_of_their_paths() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a/z.txt", "a.txt", ".hidden", "a-/x"] {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let names: Vec<_> = walk(root.path())
            .into_iter()
            .map(|f| f.unwrap().strip_prefix(root.path()).unwrap().to_owned())
            .collect();
        let wanted: Vec<_> = ["a-/x", "a.txt", "a/z.txt", "b.txt"]
            .map(PathBuf::from)
            .into();
        assert_eq!(names, wanted);
    }
}
