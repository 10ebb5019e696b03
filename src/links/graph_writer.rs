//! The lines of the two files of a graph, and the counts of these lines. The order of
//! nodes and edges is left to the caller.

use std::fmt;
use std::io::{self, Write};

/// The numbers of lines in the files of a graph.
///
/// ```
/// use urisieve::links::Graph;
/// let mut graph = Graph::new();
/// for source in [b"com.a", b"com.b", b"com.a"] {
///     graph.add(source, b"com.b")?;
/// }
/// let counts = graph.write(&mut std::io::sink(), &mut std::io::sink())?;
/// assert_eq!((counts.nodes, counts.edges, counts.temporary_bytes), (2, 1, 0));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphCounts {
    /// Different nodes.
    pub nodes: u64,
    /// Different edges.
    pub edges: u64,
    /// Bytes that were written to the temporary file.
    pub temporary_bytes: u64,
}

/// A graph has more nodes than can be numbered in 32 bits. This is the inner error of a
/// `std::io::Error`.
///
/// ```
/// use urisieve::links::GraphError;
/// fn has_too_many_nodes(error: &std::io::Error) -> bool {
///     error.get_ref().is_some_and(|inner| inner.is::<GraphError>())
/// }
/// assert!(!has_too_many_nodes(&std::io::ErrorKind::StorageFull.into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphError;

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the graph has more than 4,294,967,295 nodes")
    }
}

impl std::error::Error for GraphError {}

impl From<GraphError> for io::Error {
    fn from(error: GraphError) -> io::Error {
        io::Error::other(error)
    }
}

/// Returns the number of a node that comes after `before` others.
pub(super) fn number(before: u64) -> Result<u32, GraphError> {
    match u32::try_from(before) {
        Ok(number) if number < u32::MAX => Ok(number),
        _ => Err(GraphError),
    }
}

/// Writes the files of a graph.
pub(super) struct GraphWriter<'w> {
    vertices: &'w mut dyn Write,
    edges: &'w mut dyn Write,
    line: Vec<u8>,
    pub counts: GraphCounts,
}

impl<'w> GraphWriter<'w> {
    pub(super) fn new(vertices: &'w mut dyn Write, edges: &'w mut dyn Write) -> GraphWriter<'w> {
        GraphWriter {
            vertices,
            edges,
            line: Vec::new(),
            counts: GraphCounts::default(),
        }
    }

    /// Writes the next node and returns its number.
    pub(super) fn vertex(&mut self, name: &[u8]) -> io::Result<u32> {
        let number = number(self.counts.nodes)?;
        self.counts.nodes += 1;
        self.line.clear();
        write!(self.line, "{number}\t")?;
        self.line.extend_from_slice(name);
        self.line.push(b'\n');
        self.vertices.write_all(&self.line)?;
        Ok(number)
    }

    /// Writes the next edge.
    pub(super) fn edge(&mut self, from: u32, to: u32) -> io::Result<()> {
        self.counts.edges += 1;
        self.line.clear();
        writeln!(self.line, "{from}\t{to}")?;
        self.edges.write_all(&self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_an_end() {
        let most = u64::from(u32::MAX);
        assert_eq!(number(0), Ok(0));
        assert_eq!(number(most - 1), Ok(u32::MAX - 1));
        for before in [most, most + 1, most << 8] {
            assert_eq!(number(before), Err(GraphError));
        }
        let error = io::Error::from(GraphError);
        assert_eq!(
            error.to_string(),
            "the graph has more than 4,294,967,295 nodes"
        );
    }
}
