//! The inputs that `--against` names, whose URIs are left out of the output. They are
//! read like other inputs; of Parquet tables one column is read. Stores are only found here.

use crate::cli::inputs::{self, Input, InputNames, named};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use urisieve::decode::Layout;
use urisieve::input::{ParquetTable, Source, Walk};
use urisieve::store::seen::SeenReader;
use urisieve::{Builder, Sieve};

/// An input, with its column if it is a table of Parquet, which is open already.
type KnownInput = (Input, Option<Box<dyn Read + Send>>);

/// The inputs, checked before the run.
#[derive(Default)]
pub(super) struct Known {
    inputs: Vec<KnownInput>,
    /// Stores of seen URIs, which are asked.
    pub stores: Vec<PathBuf>,
}

impl Known {
    /// Opens the inputs that `paths` name; of directories, their files. Of Parquet tables the
    /// `column` is read, or the one that [`ParquetTable::lines`] chooses.
    ///
    /// # Errors
    /// A message, when one does not exist or cannot be opened.
    pub(super) fn open(
        paths: Vec<PathBuf>,
        walk: &Walk,
        column: Option<&str>,
    ) -> Result<Known, String> {
        let failed = |path: &Path, error: &dyn std::fmt::Display| {
            format!("--against {}: {error}", path.display())
        };
        let mut opened = Vec::new();
        let mut stores = Vec::new();
        for path in paths {
            let Input::Path(path) = named(path) else {
                opened.push((Input::Stdin, None));
                continue;
            };
            let about = fs::metadata(&path).map_err(|error| failed(&path, &error))?;
            if about.is_dir() && SeenReader::is_at(&path) {
                stores.push(path);
                continue;
            }
            let files = match about.is_dir() {
                true => walk.files(&path),
                false => vec![Ok(path)],
            };
            for file in files {
                let file = file.map_err(|(path, error)| failed(&path, &error))?;
                let table = ParquetTable::open(&file)
                    .and_then(|table| table.map(|table| table.lines(column)).transpose())
                    .map_err(|error| failed(&file, &error))?;
                if let (None, Some(cause)) = (&table, inputs::container(&file)) {
                    return Err(failed(&file, &cause));
                }
                opened.push((Input::Path(file), table));
            }
        }
        Ok(Known {
            inputs: opened,
            stores,
        })
    }

    /// The number of inputs.
    pub(super) fn count(&self) -> usize {
        self.inputs.len()
    }

    /// The inputs in the order of the arguments.
    pub(super) fn inputs(&self) -> impl Iterator<Item = Input> + '_ {
        self.inputs.iter().map(|(input, _)| input.clone())
    }

    /// # Errors
    /// A message, when standard input is one of them and one of `inputs`.
    pub(super) fn apart_from(&self, inputs: &[Input]) -> Result<(), String> {
        let is_stdin = |input: &Input| matches!(input, Input::Stdin);
        match self.inputs().any(|input| is_stdin(&input)) && inputs.iter().any(is_stdin) {
            true => Err(
                "--against -: standard input cannot also be an input of the run; \
                        name a file for one of them"
                    .to_owned(),
            ),
            false => Ok(()),
        }
    }

    /// Configures `sieve` to leave out the URIs of these inputs, which come first.
    pub(super) fn configure(&self, sieve: Builder<Sieve>) -> Builder<Sieve> {
        let tables = self.inputs.iter().enumerate();
        let tables = tables.filter(|(_, (_, table))| table.is_some());
        tables.fold(sieve.known_inputs(self.count()), |sieve, (input, _)| {
            sieve.layout_of(input, Layout::Lines)
        })
    }

    /// Returns the sources, and adds the name of each to `names`.
    pub(super) fn into_sources(self, names: &InputNames) -> Vec<Source<'static>> {
        let source = |(input, table): KnownInput| match (input, table) {
            (Input::Stdin, _) => {
                names.add_stdin();
                inputs::stdin()
            }
            (Input::Path(path), table) => {
                names.add(&path);
                match table {
                    Some(table) => Source::Reader(table),
                    None => Source::Path(path),
                }
            }
        };
        self.inputs.into_iter().map(source).collect()
    }
}
