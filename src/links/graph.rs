//! The files of a graph, as cc-webgraph and WebGraph read them: the nodes by their names
//! in byte order, and the edges by the numbers of the nodes. The caller opens and
//! compresses the files.

use super::graph_runs::GraphRuns;
use super::graph_writer::{GraphCounts, GraphWriter};
use super::held_graph::HeldGraph;
use crate::store::{Budget, ScratchFile};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// The memory that is taken under every limit, for some hundred nodes.
const LEAST: usize = 64 << 10;

/// A graph of links. A graph grows with the number of different nodes and of edges: in
/// memory, and beyond a limit in a temporary file.
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
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Graph {
    held: HeldGraph,
    /// The parts for which there was no memory.
    runs: GraphRuns,
    budget: Arc<Budget>,
    /// The memory that is taken even if it is not left in the budget.
    least: usize,
    /// A part could not be written to the temporary file.
    lacks_a_part: bool,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Graph {
    /// Returns a graph without nodes, which is kept in memory.
    ///
    /// ```
    /// let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    /// urisieve::links::Graph::new().write(&mut vertices, &mut edges)?;
    /// assert!(vertices.is_empty() && edges.is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new() -> Graph {
        // The file is never written.
        let file = ScratchFile::new(PathBuf::new());
        Graph::on(&Arc::new(file), Budget::unlimited())
    }

    /// Returns a graph without nodes that takes at most `bytes` of memory. Nodes and edges
    /// beyond the limit are written to a temporary file in `directory`, which has no name
    /// where the system allows that. The graph is the same for every limit. 64 KiB, some
    /// buffers of 32 KiB and, while a graph that exceeds the limit is written, 1 MiB are
    /// taken for every limit.
    ///
    /// ```
    /// use urisieve::links::Graph;
    /// let files = |mut graph: Graph| {
    ///     for number in 0..5000 {
    ///         let source = format!("com.{}", number * 7919 % 3001);
    ///         graph.add(source.as_bytes(), b"com.a")?;
    ///     }
    ///     let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    ///     let counts = graph.write(&mut vertices, &mut edges)?;
    ///     Ok::<_, std::io::Error>((vertices, edges, counts.temporary_bytes > 0))
    /// };
    /// let limited = files(Graph::within(100_000, std::env::temp_dir()))?;
    /// let (vertices, edges, _) = files(Graph::new())?;
    /// assert!(limited == (vertices, edges, true));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "store")]
    pub fn within(bytes: usize, directory: impl Into<PathBuf>) -> Graph {
        let file = ScratchFile::new(directory);
        Graph::on(&Arc::new(file), Budget::new(bytes))
    }

    fn on(file: &Arc<ScratchFile>, budget: Budget) -> Graph {
        let budget = Arc::new(budget);
        Graph {
            held: HeldGraph::new(&budget),
            runs: GraphRuns::new(file, &budget),
            budget,
            least: LEAST,
            lacks_a_part: false,
        }
    }

    /// Adds an edge and its nodes. The same node as source and target is added without
    /// an edge. Edges should not be added twice: each takes memory until the graph is
    /// written, which drops repeats.
    ///
    /// # Errors
    /// Errors of the temporary file, with a [`StoreError`](crate::store::StoreError)
    /// inside, and a [`GraphError`](super::GraphError) for more nodes than 32 bits can
    /// number. The graph cannot be written afterwards if the temporary file failed.
    ///
    /// ```
    /// let mut graph = urisieve::links::Graph::new();
    /// graph.add(b"com.a", b"com.b")?;
    /// assert!(!graph.is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn add(&mut self, source: &[u8], target: &[u8]) -> io::Result<()> {
        if !self.held.make_room(source, target, self.least) {
            self.write_run()?;
            // Names may be longer than all memory.
            self.held.make_room(source, target, usize::MAX);
        }
        Ok(self.held.add(source, target)?)
    }

    /// Returns whether there are no nodes.
    ///
    /// ```
    /// assert!(urisieve::links::Graph::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.runs.is_empty() && !self.lacks_a_part
    }

    /// Writes the graph in memory to the temporary file.
    fn write_run(&mut self) -> io::Result<()> {
        self.check()?;
        if self.held.is_empty() {
            return Ok(());
        }
        let part = std::mem::replace(&mut self.held, HeldGraph::new(&self.budget));
        let pushed = self.runs.push(part.into_sorted());
        self.lacks_a_part = pushed.is_err();
        pushed
    }

    /// # Errors
    /// A part of the graph was lost.
    fn check(&self) -> io::Result<()> {
        match self.lacks_a_part {
            true => Err(io::Error::other(
                "a part of the graph could not be written to the temporary file",
            )),
            false => Ok(()),
        }
    }

    /// Writes the nodes, `NUMBER<TAB>NAME`, with numbers from 0 in the byte order of the
    /// names; and the edges, `SOURCE<TAB>TARGET`, in the order of these numbers, each
    /// once. Returns the counts of the written lines.
    ///
    /// # Errors
    /// The errors of the two writers and of [`add`](Graph::add).
    ///
    /// ```
    /// let mut graph = urisieve::links::Graph::new();
    /// graph.add(b"com.a", b"com.b")?;
    /// graph.add(b"com.a", b"com.b")?;
    /// let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    /// graph.write(&mut vertices, &mut edges)?;
    /// assert_eq!(edges, b"0\t1\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write(
        mut self,
        vertices: &mut dyn Write,
        edges: &mut dyn Write,
    ) -> io::Result<GraphCounts> {
        self.check()?;
        let mut writer = GraphWriter::new(vertices, edges);
        if self.runs.is_empty() {
            self.held.into_sorted().write(&mut writer)?;
        } else {
            self.write_run()?;
            self.runs.write(&mut writer)?;
        }
        Ok(writer.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreError;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Limits of memory. Without the feature there is no temporary file.
    const LIMITS: &[usize] = match cfg!(feature = "store") {
        true => &[0, 1 << 10, 10 << 10, usize::MAX],
        false => &[usize::MAX],
    };

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

    /// If the file cannot be created, each further call fails, and nothing is written.
    #[test]
    fn a_temporary_file_that_fails_ends_it() {
        let directory = "no/such/directory";
        let mut graph = Graph::on(&Arc::new(ScratchFile::new(directory)), Budget::new(0));
        let add = |number: u32| graph.add(&number.to_be_bytes(), b"a");
        let error = (0..50_000).map(add).find_map(Result::err).unwrap();
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        let inner: &StoreError = inner.expect("the error of the file");
        assert!(inner.directory().ends_with(directory));
        assert!(!graph.is_empty());
        let failed = (0..50_000u32).any(|number| graph.add(&number.to_be_bytes(), b"b").is_err());
        assert!(failed);
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        assert!(graph.write(&mut vertices, &mut edges).is_err());
        assert!(vertices.is_empty() && edges.is_empty());
    }

    /// Returns the files of a graph with these pairs, and whether it had a temporary file.
    #[cfg(feature = "store")]
    fn limited(
        pairs: &[(String, String)],
        (limit, least, block): (usize, usize, usize),
    ) -> ((Vec<u8>, Vec<u8>), bool) {
        let file = ScratchFile::new(std::env::temp_dir()).blocks_of(block);
        let file = Arc::new(file);
        let mut graph = Graph::on(&file, Budget::new(limit));
        graph.least = least;
        for (from, to) in pairs {
            graph.add(from.as_bytes(), to.as_bytes()).unwrap();
        }
        let budget = Arc::clone(&graph.budget);
        let spills = !graph.runs.is_empty();
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        let counts = graph.write(&mut vertices, &mut edges).unwrap();
        let lines = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count() as u64;
        assert_eq!(counts.nodes, lines(&vertices));
        assert_eq!(counts.edges, lines(&edges));
        assert_eq!(counts.temporary_bytes > 0, spills);
        assert_eq!((file.live(), budget.used()), (0, 0));
        ((vertices, edges), spills)
    }

    /// More numbers than are sorted in memory, more runs than are merged at a time, names
    /// longer than the memory.
    #[cfg(feature = "store")]
    #[test]
    fn many_runs_are_one_graph() {
        let name = |number: usize| {
            let id = number * 7919 % 60_013;
            format!("com.{}{id}", "long.".repeat(id % 10_000 / 9_999 * 5_000))
        };
        let pairs: Vec<(String, String)> = (0..150_000)
            .map(|number| (name(number % 70_000), name(number * 31 % 90_001)))
            .collect();
        let (wanted, spills) = limited(&pairs, (usize::MAX, LEAST, 32 << 10));
        assert!(!spills);
        for settings in [
            (0, LEAST, 32 << 10),
            (0, 10_000, 512),
            (3 << 20, 0, 4 << 10),
        ] {
            let (files, spills) = limited(&pairs, settings);
            assert!(spills && files == wanted, "{settings:?}");
        }
    }

    #[cfg(feature = "store")]
    proptest! {
        #[test]
        fn a_limit_changes_nothing(
            pairs in prop::collection::vec(("[a-f.]{0,3}", "[a-f.]{0,3}"), 0..200),
            limit in prop::sample::select(vec![0, 1 << 10, 10 << 10]),
            block in prop::sample::select(vec![1, 64, 32 << 10]),
        ) {
            let (wanted, _) = limited(&pairs, (usize::MAX, LEAST, block));
            let (files, spills) = limited(&pairs, (limit, 0, block));
            prop_assert_eq!(files, wanted);
            prop_assert!(spills || limit > 0 || pairs.len() < 2);
        }
    }

    proptest! {
        #[test]
        fn the_graph_of_the_pairs(
            pairs in prop::collection::vec(("[a-e.]{1,3}", "[a-e.]{1,3}"), 0..60),
            limit in prop::sample::select(LIMITS.to_vec()),
        ) {
            let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
            let mut graph = Graph::on(&file, Budget::new(limit));
            graph.least = 0;
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
