//! The inputs: those that arguments and lists name, the files of directories, and the
//! names that messages use for them.

use crate::cli::names;
use crate::cli::report::{closed, stderr};
use crate::cli::shard::InputShard;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use urisieve::decode;
use urisieve::input::{ParquetTable, Source, Walk, Walked};
use urisieve::unpack::opaque_container;

/// The default name of standard input, the same as grep's.
pub(super) const STDIN: &str = "(standard input)";

/// An argument that names an input.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Stdin,
    Path(PathBuf),
}

/// Returns the inputs that the arguments and a list of names name. Names in the list
/// end with NUL when `zero` is set. Without any, standard input is the input.
pub(super) fn inputs(
    files: Vec<PathBuf>,
    list: Option<PathBuf>,
    zero: bool,
) -> Result<Vec<Input>, String> {
    let mut inputs: Vec<Input> = files.into_iter().map(named).collect();
    if let Some(list) = list {
        inputs.extend(listed(&list, zero)?.into_iter().map(named));
    } else if inputs.is_empty() {
        inputs.push(Input::Stdin);
    }
    Ok(inputs)
}

/// Returns the input that an argument names: `-` is standard input.
pub(super) fn named(path: PathBuf) -> Input {
    match path.to_str() {
        Some("-") => Input::Stdin,
        _ => Input::Path(path),
    }
}

/// Reads the names in a list, one a line or each ended by NUL; empty ones are skipped.
fn listed(list: &Path, zero: bool) -> Result<Vec<PathBuf>, String> {
    let mut text = Vec::new();
    let result = if list == Path::new("-") {
        closed::stdin().and_then(|()| io::stdin().read_to_end(&mut text))
    } else {
        File::open(list).and_then(|mut file| file.read_to_end(&mut text))
    };
    result.map_err(|error| format!("--files-from {}: {error}", list.display()))?;
    let text = decode::text_of(&text);
    // find -print0 and the like end names with NUL, which no name contains.
    let end = match zero || text.contains(&0) {
        true => 0,
        false => b'\n',
    };
    let names = text.split(|&b| b == end).map(|name| match end {
        b'\n' => name.strip_suffix(b"\r").unwrap_or(name),
        _ => name,
    });
    let names = names.filter(|name| !name.is_empty());
    Ok(names.map(names::path).collect())
}

/// Returns standard input as a source. One that was closed is named, and is empty: programs
/// give such a `/dev/null` to others that they expect to read nothing.
pub(super) fn stdin() -> Source<'static> {
    if let Err(cause) = closed::stdin() {
        stderr::say(format_args!("{STDIN}: {cause}"));
    }
    Source::Stdin
}

/// Returns the sources of those of `inputs` that are in `shard`, with directories walked, and
/// adds the name of each to `names`.
pub(super) fn sources(
    inputs: Vec<Input>,
    walk: Walk,
    which: (InputNames, InputShard),
) -> impl Iterator<Item = Source<'static>> + Send {
    sources_by(inputs, walk, which, Box::new(Source::Path))
}

/// Does the same, and files become sources by `as_source`.
pub(super) fn sources_by(
    inputs: Vec<Input>,
    walk: Walk,
    (names, shard): (InputNames, InputShard),
    as_source: Box<dyn Fn(PathBuf) -> Source<'static> + Send>,
) -> impl Iterator<Item = Source<'static>> + Send {
    inputs.into_iter().flat_map(move |input| {
        let paths: Vec<_> = match input {
            Input::Path(path) if path.is_dir() => {
                let (files, hidden) = walk.files_and_hidden(&path);
                names.pass_over(hidden);
                let opened = |found: Walked| match found {
                    Ok(path) => (path, None),
                    // Errors that only the walk can detect, such as a loop of links.
                    Err((path, cause)) if cause.kind() == io::ErrorKind::Other => {
                        (path, Some(cause))
                    }
                    // Opening the file fails again, and that error is reported.
                    Err((path, _)) => (path, None),
                };
                let is_taken = |found: &(PathBuf, Option<io::Error>)| {
                    let below = found.0.strip_prefix(&path).unwrap_or(&found.0);
                    shard.takes(&found.0, below.as_os_str().as_encoded_bytes())
                };
                files.into_iter().map(opened).filter(is_taken).collect()
            }
            Input::Path(path) => match shard.takes(&path, path.as_os_str().as_encoded_bytes()) {
                true => vec![(path, None)],
                false => Vec::new(),
            },
            Input::Stdin => {
                names.add_stdin();
                return vec![stdin()];
            }
        };
        let source = |(path, failed): (PathBuf, Option<io::Error>)| {
            names.add(&path);
            match failed {
                None => {
                    shard.begin(names.count() - 1, &path);
                    as_source(path)
                }
                Some(cause) => Source::Failed(cause),
            }
        };
        paths.into_iter().map(source).collect()
    })
}

/// The number of bytes of a file that are looked at before the run.
const HEAD: u64 = 512;

/// Returns why the file `path` cannot be read as a list, or as the inputs of `--against`: it
/// is a container that is not unpacked, and not a table of Parquet. A file that cannot be opened
/// is reported later, and opening a named pipe would wait for its writer.
pub(super) fn container(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    if ParquetTable::is_at(path) {
        return None;
    }
    if path.is_file() {
        let file = File::open(path).ok()?;
        file.take(HEAD).read_to_end(&mut head).ok()?;
    }
    let container = opaque_container(&head)?;
    Some(format!("looks like {container}, whose content is not read"))
}

/// Looks at the files among `inputs`, and in their directories, before any is read.
///
/// # Errors
/// A message that names the first one that is a container, and so not a list.
pub(super) fn are_lists(inputs: &[Input], walk: &Walk) -> Result<(), String> {
    let is_list = |path: &Path| match container(path) {
        Some(cause) => Err(format!("{}: {cause}", path.display())),
        None => Ok(()),
    };
    for input in inputs {
        match input {
            Input::Stdin => {}
            Input::Path(path) if path.is_dir() => {
                for file in walk.files(path).into_iter().flatten() {
                    is_list(&file)?;
                }
            }
            Input::Path(path) => is_list(path)?,
        }
    }
    Ok(())
}

/// The names of the inputs, by their numbers.
#[derive(Clone, Debug)]
pub(super) struct InputNames {
    names: Arc<Mutex<Vec<Arc<[u8]>>>>,
    /// The number of hidden files of directories that were skipped.
    hidden: Arc<AtomicU64>,
    stdin: Arc<str>,
}

impl InputNames {
    /// Creates an empty list; `stdin` is the name of standard input.
    pub(super) fn new(stdin: &str) -> InputNames {
        InputNames {
            names: Arc::default(),
            hidden: Arc::default(),
            stdin: Arc::from(stdin),
        }
    }

    pub(super) fn add(&self, path: &Path) {
        self.push(path.as_os_str().as_encoded_bytes());
    }

    pub(super) fn add_stdin(&self) {
        self.push(self.stdin.as_bytes());
    }

    /// Counts the hidden files of a directory that were skipped.
    pub(super) fn pass_over(&self, hidden: u64) {
        self.hidden.fetch_add(hidden, Ordering::Relaxed);
    }

    /// The number of hidden files that were skipped.
    pub(super) fn hidden(&self) -> u64 {
        self.hidden.load(Ordering::Relaxed)
    }

    fn push(&self, name: &[u8]) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(Arc::from(name));
    }

    /// The number of inputs so far.
    pub(super) fn count(&self) -> usize {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.len()
    }

    /// The name of an input.
    pub(super) fn get(&self, input: usize) -> Arc<[u8]> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(input).cloned().unwrap_or_default()
    }
}
