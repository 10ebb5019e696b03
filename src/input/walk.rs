//! The regular files below a directory, in byte order of their paths. By default hidden
//! files are skipped, links are not followed, and ignore files are not respected,
//! because most of them list `*.log`. Stores of seen URIs are always skipped.

use super::Source;
use super::maildir::is_maildir_folder;
use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A result of a walk: the path of a file, or a path that could not be read and the
/// error.
///
/// ```
/// use std::path::Path;
/// use urisieve::input::{Walk, Walked};
/// let lost = Walk::default().files(Path::new("no/such/directory")).remove(0);
/// let Walked::Err((path, cause)) = lost else { unreachable!() };
/// assert_eq!(path, Path::new("no/such/directory"));
/// assert_eq!(cause.kind(), std::io::ErrorKind::NotFound);
/// ```
pub type Walked = Result<PathBuf, (PathBuf, io::Error)>;

/// The fault of a glob.
///
/// ```
/// use urisieve::input::Walk;
/// let error = Walk::default().globs(["a{b"]).unwrap_err();
/// assert!(error.to_string().contains("a{b"));
/// ```
#[derive(Debug)]
pub struct GlobError(GlobFault);

#[derive(Debug)]
enum GlobFault {
    Syntax(ignore::Error),
    /// The glob has more braces inside each other than this.
    Deep(String),
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.0 {
            GlobFault::Syntax(error) => error.fmt(f),
            GlobFault::Deep(glob) => {
                let begins: String = glob.chars().take(40).collect();
                write!(
                    f,
                    "a glob may have {BRACES_MAX} braces inside each other, but the one that \
                     begins with {begins:?} has more; write several globs"
                )
            }
        }
    }
}

/// The most braces inside each other: for each of them the stack grows when a glob is read.
const BRACES_MAX: usize = 64;

/// A file that every store of seen URIs has.
const STORE_LOCK: &str = "seen.lock";

/// Whether a glob has more braces inside each other than [`BRACES_MAX`]. Those of a class,
/// such as `[{]`, count like others.
fn is_deep(glob: &str) -> bool {
    let (mut depth, mut is_escaped) = (0_usize, false);
    glob.bytes().any(|byte| {
        match byte {
            _ if is_escaped => {}
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
        depth > BRACES_MAX
    })
}

impl std::error::Error for GlobError {}

/// Which files of a directory are walked.
///
/// ```
/// use urisieve::input::Walk;
/// let walk = Walk::default().hidden(true).globs(["*.log", "!debug*"]).unwrap();
/// let files = walk.files(std::path::Path::new("no/such/directory"));
/// assert!(files[0].is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Walk {
    hidden: bool,
    ignore_files: bool,
    follow: bool,
    max_depth: Option<usize>,
    globs: Vec<String>,
}

impl Walk {
    /// Whether hidden files and directories are walked; default no.
    ///
    /// ```
    /// use urisieve::input::Walk;
    /// let root = tempfile::tempdir()?;
    /// std::fs::write(root.path().join(".profile"), "")?;
    /// assert!(Walk::default().files(root.path()).is_empty());
    /// assert_eq!(Walk::default().hidden(true).files(root.path()).len(), 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn hidden(mut self, hidden: bool) -> Walk {
        self.hidden = hidden;
        self
    }

    /// Whether `.gitignore` and similar files are respected; default no.
    ///
    /// ```
    /// use urisieve::input::Walk;
    /// let root = tempfile::tempdir()?;
    /// std::fs::write(root.path().join(".gitignore"), "*.log")?;
    /// std::fs::write(root.path().join("a.log"), "")?;
    /// assert_eq!(Walk::default().files(root.path()).len(), 1);
    /// assert!(Walk::default().ignore_files(true).files(root.path()).is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn ignore_files(mut self, obeyed: bool) -> Walk {
        self.ignore_files = obeyed;
        self
    }

    /// Whether symbolic links are followed; default no.
    pub fn follow(mut self, follow: bool) -> Walk {
        self.follow = follow;
        self
    }

    /// The greatest depth of directories; default unlimited.
    ///
    /// ```
    /// use urisieve::input::Walk;
    /// let root = tempfile::tempdir()?;
    /// std::fs::create_dir(root.path().join("old"))?;
    /// std::fs::write(root.path().join("old/a.log"), "")?;
    /// assert_eq!(Walk::default().files(root.path()).len(), 1);
    /// assert!(Walk::default().max_depth(Some(1)).files(root.path()).is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn max_depth(mut self, depth: Option<usize>) -> Walk {
        self.max_depth = depth;
        self
    }

    /// Adds globs that a file must match; with a leading `!`, must not match. A later glob
    /// has precedence over an earlier one.
    ///
    /// # Errors
    /// An invalid glob, or one that has more than 64 braces inside each other.
    ///
    /// ```
    /// use urisieve::input::Walk;
    /// let root = tempfile::tempdir()?;
    /// for name in ["a.log", "debug.log", "a.txt"] {
    ///     std::fs::write(root.path().join(name), "")?;
    /// }
    /// let walk = Walk::default().globs(["*.log"])?.globs(["!debug*"])?;
    /// assert_eq!(walk.files(root.path()).len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn globs<G: Into<String>>(
        mut self,
        globs: impl IntoIterator<Item = G>,
    ) -> Result<Walk, GlobError> {
        self.globs.extend(globs.into_iter().map(Into::into));
        if let Some(glob) = self.globs.iter().find(|glob| is_deep(glob)) {
            return Err(GlobError(GlobFault::Deep(glob.clone())));
        }
        self.overrides(Path::new(""))?;
        Ok(self)
    }

    fn overrides(&self, root: &Path) -> Result<Override, GlobError> {
        let syntax = |error| GlobError(GlobFault::Syntax(error));
        let mut builder = OverrideBuilder::new(root);
        for glob in &self.globs {
            builder.add(glob).map_err(syntax)?;
        }
        builder.build().map_err(syntax)
    }

    /// Returns every file below `directory`, in byte order of the paths, and the errors
    /// for paths that could not be read, in the same order. Directories in it that are stores of
    /// seen URIs are skipped.
    ///
    /// ```
    /// use urisieve::input::Walk;
    /// let root = tempfile::tempdir()?;
    /// for name in ["b.log", "a.log", ".hidden"] {
    ///     std::fs::write(root.path().join(name), "")?;
    /// }
    /// let files: Vec<_> = Walk::default().files(root.path()).into_iter().flatten().collect();
    /// assert_eq!(files, ["a.log", "b.log"].map(|name| root.path().join(name)));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn files(&self, directory: &Path) -> Vec<Walked> {
        self.files_and_hidden(directory).0
    }

    /// Returns the files below `directory` as sources, in byte order of their paths. A
    /// directory that cannot be read is a [`Source::Failed`].
    ///
    /// ```
    /// use std::path::Path;
    /// use urisieve::{Sieve, input::Walk};
    /// let sources = Walk::default().sources(Path::new("corpora/samples"));
    /// let stats = Sieve::builder().build().for_each_in(sources, |_| {})?;
    /// assert!(stats.distinct > 10);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn sources(
        &self,
        directory: &Path,
    ) -> impl Iterator<Item = Source<'static>> + Send + use<> {
        let failed = |(path, cause): (PathBuf, io::Error)| {
            let path = path.display();
            Source::Failed(io::Error::new(cause.kind(), format!("{path}: {cause}")))
        };
        let files = self.files(directory).into_iter();
        files.map(move |walked| walked.map_or_else(failed, Source::Path))
    }

    /// Like [`files`](Walk::files), with the number of hidden files and directories
    /// that were skipped and that the globs do not exclude.
    ///
    /// ```
    /// use urisieve::input::Walk;
    /// let root = tempfile::tempdir()?;
    /// for name in ["a.log", ".b.log", ".c.txt"] {
    ///     std::fs::write(root.path().join(name), "")?;
    /// }
    /// let (files, hidden) = Walk::default().files_and_hidden(root.path());
    /// assert_eq!((files.len(), hidden), (1, 2));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn files_and_hidden(&self, directory: &Path) -> (Vec<Walked>, u64) {
        let hidden = Arc::new(AtomicU64::new(0));
        let mut builder = WalkBuilder::new(directory);
        builder
            .standard_filters(self.ignore_files)
            .require_git(false)
            .hidden(false)
            .follow_links(self.follow)
            .max_depth(self.max_depth);
        // The builder would let a matching glob override this.
        let overrides = self.overrides(directory);
        let (skipped, walks_hidden) = (Arc::clone(&hidden), self.hidden);
        builder.filter_entry(move |entry| {
            let name = entry.file_name().as_encoded_bytes();
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            if is_directory && entry.depth() > 0 && is_store(entry.path()) {
                return false;
            }
            let is_walked = walks_hidden
                || entry.depth() == 0
                || !name.starts_with(b".")
                || is_maildir_folder(entry.path());
            let is_wanted = |overrides: &Override| {
                let matched = overrides.matched(entry.path(), is_directory);
                !matched.is_ignore()
            };
            if !is_walked && overrides.as_ref().is_ok_and(is_wanted) {
                skipped.fetch_add(1, Ordering::Relaxed);
            }
            is_walked
        });
        if let Ok(overrides) = self.overrides(directory) {
            builder.overrides(overrides);
        }
        let mut found: Vec<Walked> = builder
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
        (found, hidden.load(Ordering::Relaxed))
    }
}

/// Whether a directory is a store of seen URIs: those are no text.
fn is_store(directory: &Path) -> bool {
    directory.join(STORE_LOCK).exists()
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
            ignore::Error::Loop { ancestor, child } => {
                let back = ancestor.display();
                let cause =
                    format!("a symbolic link back to {back}, which contains it; not followed");
                return (child.clone(), io::Error::other(cause));
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
    fn braces_nest_to_a_depth() {
        let nested = |depth: usize| ["{".repeat(depth), "a".into(), "}".repeat(depth)].concat();
        assert!(Walk::default().globs([nested(BRACES_MAX)]).is_ok());
        for glob in [
            nested(BRACES_MAX + 1),
            nested(20_000),
            "{".repeat(60_000),
            "{}".repeat(9) + &"{a,".repeat(20_000) + &"}".repeat(20_000),
            ["{".repeat(20_000), "}".repeat(20_000)].concat(),
        ] {
            let error = Walk::default().globs([glob]).unwrap_err().to_string();
            assert!(error.contains("braces") && error.len() < 200, "{error}");
        }
        let flat = "{a,b}".repeat(BRACES_MAX + 1) + &r"\{".repeat(BRACES_MAX + 1);
        assert!(Walk::default().globs([flat]).is_ok());
    }

    #[test]
    fn files_come_in_byte_order_of_their_paths() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a/z.txt", "a.txt", ".hidden", "a-/x"] {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let names: Vec<_> = Walk::default()
            .files(root.path())
            .into_iter()
            .map(|f| f.unwrap().strip_prefix(root.path()).unwrap().to_owned())
            .collect();
        let wanted: Vec<_> = ["a-/x", "a.txt", "a/z.txt", "b.txt"]
            .map(PathBuf::from)
            .into();
        assert_eq!(names, wanted);
    }
}
