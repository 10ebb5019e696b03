//! The files of a graph of links: vertices and edges, which appear with the other outputs.

use crate::cli::destination::{CompleteFile, Destination, FileCompression, OutputNames};
use crate::cli::report::printable::printable;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use urisieve::item::Finding;
use urisieve::links::Graph;

/// The graph of the links, and the files that it is written to.
pub(super) struct GraphFiles {
    graph: Graph,
    vertices: Destination,
    edges: Destination,
    dir: PathBuf,
    /// Whether the records are written beside it.
    pub prints: bool,
}

impl GraphFiles {
    /// Opens the files of `graph` in `dir`, which is made if it does not exist. The other
    /// outputs of the run are `outputs`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn open(
        dir: &Path,
        graph: Graph,
        prints: bool,
        threads: usize,
        outputs: &mut OutputNames,
    ) -> Result<GraphFiles, String> {
        let failed = |error: io::Error| {
            let name = printable(dir.as_os_str().as_encoded_bytes());
            format!("--graph {name}: {error}")
        };
        fs::create_dir_all(dir).map_err(failed)?;
        let mut file = |name| {
            let path = dir.join(name);
            let place = outputs.take("--graph", &path)?;
            Destination::at(place, &path, FileCompression::Gzip, threads).map_err(failed)
        };
        Ok(GraphFiles {
            graph,
            vertices: file("vertices.txt.gz")?,
            edges: file("edges.txt.gz")?,
            dir: dir.to_owned(),
            prints,
        })
    }

    /// The name of the directory.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds a link.
    ///
    /// # Errors
    /// A graph that is too large, and errors of the temporary file.
    pub(super) fn add(&mut self, finding: &Finding) -> io::Result<()> {
        let source = finding.source.unwrap_or_default();
        self.graph.add(source, finding.uri)
    }

    /// Writes the files, which are to appear together. Returns them, and the number of bytes
    /// that were written to the temporary file.
    ///
    /// # Errors
    /// Errors of writing them, and of the temporary file.
    pub(super) fn complete(self) -> io::Result<(u64, Vec<CompleteFile>)> {
        let GraphFiles {
            graph,
            mut vertices,
            mut edges,
            ..
        } = self;
        let counts = graph.write(&mut vertices, &mut edges)?;
        let files = [vertices.complete()?.1, edges.complete()?.1];
        let files = files.into_iter().flatten().collect();
        Ok((counts.temporary_bytes, files))
    }
}
