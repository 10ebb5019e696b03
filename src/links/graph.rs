//! The files of a graph, as cc-webgraph and WebGraph read them: the nodes by their names
//! in byte order, and the edges by the numbers of the nodes. The caller opens and
//! compresses the files.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

/// A graph of links in memory. It grows with the number of different nodes and edges.
///
/// ```
/// use urisieve::links::Graph;
/// let mut graph = Graph::new();
/// graph.add(b"com.b", b"com.a")?;
/// graph.add(b"com.c", b"com.c")?;
/// let (mut vertices, mut edges) = (Vec::new(), Vec::new());
/// graph.write(&mut vertices, &mut edges)?;
/// assert_eq!(vertices, b"0\tcom.a\n1\tcom.b\n2\tcom.c\n");
/// assert_eq!(edges, b"1\t0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Graph {
    /// The nodes, by the order in which they were added.
    nodes: HashMap<Box<[u8]>, u32, ahash::RandomState>,
    edges: Vec<(u32, u32)>,
}

/// A graph has more nodes than can be numbered in 32 bits.
///
/// ```
/// fn cause(error: &urisieve::links::GraphError) -> String {
///     error.to_string()
/// }
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

impl Graph {
    /// Creates a graph without nodes.
    ///
    /// ```
    /// let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    /// urisieve::links::Graph::new().write(&mut vertices, &mut edges)?;
    /// assert!(vertices.is_empty() && edges.is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new() -> Graph {
        Graph::default()
    }

    /// Adds an edge and its nodes. The same node as source and target is added without
    /// an edge. Edges should not be added twice: each takes memory until the graph is
    /// written, which drops repeats.
    ///
    /// # Errors
    /// One node more than can be numbered.
    ///
    /// ```
    /// let mut graph = urisieve::links::Graph::new();
    /// graph.add(b"com.a", b"com.b")?;
    /// assert_eq!(graph.len(), 2);
    /// # Ok::<(), urisieve::links::GraphError>(())
    /// ```
    pub fn add(&mut self, source: &[u8], target: &[u8]) -> Result<(), GraphError> {
        let from = self.node(source)?;
        if source != target {
            let to = self.node(target)?;
            self.edges.push((from, to));
        }
        Ok(())
    }

    /// Returns the number of nodes.
    ///
    /// ```
    /// assert_eq!(urisieve::links::Graph::new().len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no nodes.
    ///
    /// ```
    /// assert!(urisieve::links::Graph::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn node(&mut self, name: &[u8]) -> Result<u32, GraphError> {
        if let Some(&number) = self.nodes.get(name) {
            return Ok(number);
        }
        let number = u32::try_from(self.nodes.len()).map_err(|_| GraphError)?;
        self.nodes.insert(name.into(), number);
        Ok(number)
    }

    /// Writes the nodes, `NUMBER<TAB>NAME`, with numbers from 0 in the byte order of the
    /// names; and the edges, `SOURCE<TAB>TARGET`, in the order of these numbers, each
    /// once.
    ///
    /// # Errors
    /// Those of the two writers.
    ///
    /// ```
    /// let mut graph = urisieve::links::Graph::new();
    /// graph.add(b"com.a", b"com.b")?;
    /// graph.add(b"com.a", b"com.b")?;
    /// let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    /// graph.write(&mut vertices, &mut edges)?;
    /// assert_eq!(edges, b"0\t1\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(self, vertices: &mut dyn Write, edges: &mut dyn Write) -> io::Result<()> {
        let Graph {
            nodes,
            edges: mut pairs,
        } = self;
        let mut names: Vec<(Box<[u8]>, u32)> = nodes.into_iter().collect();
        names.sort_unstable();
        let mut numbers = vec![0; names.len()];
        let mut line = Vec::new();
        for ((name, added), number) in names.iter().zip(0u32..) {
            numbers[*added as usize] = number;
            line.clear();
            write!(line, "{number}\t")?;
            line.extend_from_slice(name);
            line.push(b'\n');
            vertices.write_all(&line)?;
        }
        drop(names);
        for (from, to) in &mut pairs {
            (*from, *to) = (numbers[*from as usize], numbers[*to as usize]);
        }
        pairs.sort_unstable();
        pairs.dedup();
        for (from, to) in pairs {
            line.clear();
            writeln!(line, "{from}\t{to}")?;
            edges.write_all(&line)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Returns the nodes in their order and the edges as names, as they are written.
    fn written(graph: Graph) -> (Vec<String>, Vec<(usize, usize)>) {
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        graph.write(&mut vertices, &mut edges).unwrap();
        let vertices = String::from_utf8(vertices).unwrap();
        let names = vertices.lines().enumerate().map(|(number, line)| {
            let (id, name) = line.split_once('\t').unwrap();
            assert_eq!(id, number.to_string());
            name.to_owned()
        });
        let edges = String::from_utf8(edges).unwrap();
        let edges = edges.lines().map(|line| {
            let (from, to) = line.split_once('\t').unwrap();
            (from.parse().unwrap(), to.parse().unwrap())
        });
        (names.collect(), edges.collect())
    }

    #[test]
    fn numbers_are_sorted_as_numbers() {
        let mut graph = Graph::new();
        for number in (0..12).rev() {
            graph
                .add(format!("n{number:02}").as_bytes(), b"n11")
                .unwrap();
        }
        let (_, edges) = written(graph);
        let wanted: Vec<(usize, usize)> = (0..11).map(|number| (number, 11)).collect();
        assert_eq!(edges, wanted);
    }

    #[test]
    fn a_writer_that_fails_ends_it() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for full in [true, false] {
            let mut graph = Graph::new();
            graph.add(b"a", b"b").unwrap();
            let (mut one, mut other) = (Full, Vec::new());
            let written = match full {
                true => graph.write(&mut one, &mut other),
                false => graph.write(&mut other, &mut one),
            };
            assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }

    proptest! {
        #[test]
        fn the_graph_of_the_pairs(pairs in prop::collection::vec(("[a-e.]{1,3}", "[a-e.]{1,3}"), 0..60)) {
            let mut graph = Graph::new();
            for (from, to) in &pairs {
                graph.add(from.as_bytes(), to.as_bytes()).unwrap();
            }
            let (names, edges) = written(graph);
            let all: BTreeSet<&String> = pairs.iter().flat_map(|(a, b)| [a, b]).collect();
            prop_assert!(names.iter().eq(all));
            let loops = pairs.iter().filter(|(from, to)| from != to);
            let wanted: BTreeSet<(String, String)> = loops.cloned().collect();
            let found = edges.iter().map(|&(from, to)| (names[from].clone(), names[to].clone()));
            prop_assert!(found.eq(wanted));
        }
    }
}
