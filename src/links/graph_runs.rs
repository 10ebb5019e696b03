//! The parts of a graph that are in a temporary file, and their merging. Each part has its
//! nodes in the order of their names, and its edges between their places in that order.
//! Merging the nodes gives each its number in the whole graph, which grows with its place.
//! The new numbers therefore keep the order of the edges of a part, and the edges are
//! merged.

use super::graph_writer::GraphWriter;
use super::held_graph::SortedGraph;
use crate::store::{Budget, Charge, Log, LogReader, LogWriter, Merge, ScratchFile, Sorter};
use std::cmp::Ordering;
use std::io;
use std::sync::Arc;

/// Parts of a graph in a file.
#[derive(Debug)]
pub(super) struct GraphRuns {
    file: Arc<ScratchFile>,
    budget: Arc<Budget>,
    /// Names, each behind the number of its run.
    names: Vec<Log>,
    edges: Vec<RunEdges>,
}

/// The edges of a run, between the places of its nodes.
#[derive(Debug)]
struct RunEdges {
    log: Log,
    /// The number of its nodes.
    nodes: usize,
}

/// The length of the number of a run.
const RUN: usize = size_of::<u32>();

/// The order of encoded entries.
type Order = fn(&[u8], &[u8]) -> Ordering;

impl GraphRuns {
    pub(super) fn new(file: &Arc<ScratchFile>, budget: &Arc<Budget>) -> GraphRuns {
        GraphRuns {
            file: Arc::clone(file),
            budget: Arc::clone(budget),
            names: Vec::new(),
            edges: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Writes a part of the graph to the file.
    pub(super) fn push(&mut self, part: SortedGraph) -> io::Result<()> {
        let run = (self.edges.len() as u32).to_be_bytes();
        let mut names = LogWriter::new(&self.file, &self.budget);
        for (name, _) in &part.nodes {
            names.push_parts(&[&run, name])?;
        }
        let names = names.finish_in_file()?;
        let mut edges = LogWriter::new(&self.file, &self.budget);
        for &(from, to) in &part.edges {
            edges.push(&encoded(from, to))?;
        }
        self.edges.push(RunEdges {
            log: edges.finish_in_file()?,
            nodes: part.nodes.len(),
        });
        self.names.push(names);
        Ok(())
    }

    /// Writes the whole graph.
    pub(super) fn write(mut self, writer: &mut GraphWriter) -> io::Result<()> {
        let names = std::mem::take(&mut self.names);
        let numbers = self.write_nodes(names, writer)?;
        let logs = self.renumber(numbers)?;
        let order = <[u8]>::cmp as Order;
        let mut edges = Merge::new(logs, &self.file, &self.budget, order)?;
        let mut last = None;
        while let Some(edge) = edges.next()? {
            let (from, to) = decoded(edge);
            if last.replace((from, to)) != Some((from, to)) {
                writer.edge(from, to)?;
            }
        }
        writer.counts.temporary_bytes = self.file.bytes_written();
        Ok(())
    }

    /// Writes the nodes of all runs, and returns their numbers: run by run, and in each in
    /// the order of its nodes.
    fn write_nodes(&self, names: Vec<Log>, writer: &mut GraphWriter) -> io::Result<Sorter<Order>> {
        let mut nodes = Merge::new(names, &self.file, &self.budget, by_name as Order)?;
        let mut numbers = Sorter::new(&self.file, &self.budget, by_run as Order);
        let mut last = None;
        let mut name = Vec::new();
        while let Some(entry) = nodes.next()? {
            let (run, found) = entry.split_at(RUN.min(entry.len()));
            let number = match last {
                Some(number) if found == name => number,
                _ => {
                    name.clear();
                    name.extend_from_slice(found);
                    writer.vertex(found)?
                }
            };
            last = Some(number);
            let mut entry = [0; 2 * RUN];
            entry[..run.len()].copy_from_slice(run);
            entry[RUN..].copy_from_slice(&number.to_be_bytes());
            numbers.push(&entry)?;
        }
        Ok(numbers)
    }

    /// Gives the edges of each run the numbers of their nodes.
    fn renumber(&mut self, numbers: Sorter<Order>) -> io::Result<Vec<Log>> {
        let mut sorted = numbers.finish()?;
        let mut logs = Vec::with_capacity(self.edges.len());
        // The numbers of one run at a time, which was in memory as a whole before.
        let mut charge = Charge::new(&self.budget);
        let mut numbers: Vec<u32> = Vec::new();
        for RunEdges { log, nodes } in std::mem::take(&mut self.edges) {
            charge.set(nodes.max(numbers.capacity()) * size_of::<u32>());
            numbers.clear();
            numbers.reserve_exact(nodes);
            while numbers.len() < nodes {
                let entry = sorted.next()?.ok_or(io::ErrorKind::UnexpectedEof)?;
                numbers.push(decoded(entry).1);
            }
            logs.push(self.renumbered(log.read(), &numbers)?);
        }
        Ok(logs)
    }

    fn renumbered(&self, mut edges: LogReader, numbers: &[u32]) -> io::Result<Log> {
        let number = |place: u32| {
            let number = numbers.get(place as usize).copied();
            number.ok_or(io::ErrorKind::InvalidData)
        };
        let mut log = LogWriter::new(&self.file, &self.budget);
        while let Some(edge) = edges.next()? {
            let (from, to) = decoded(edge);
            log.push(&encoded(number(from)?, number(to)?))?;
        }
        log.finish_in_file()
    }
}

/// Returns an entry whose order is that of the two numbers.
fn encoded(one: u32, other: u32) -> [u8; 8] {
    (u64::from(one) << 32 | u64::from(other)).to_be_bytes()
}

fn decoded(entry: &[u8]) -> (u32, u32) {
    let number = |at: usize| match entry.get(at..at + 4) {
        Some(&[a, b, c, d]) => u32::from_be_bytes([a, b, c, d]),
        _ => 0,
    };
    (number(0), number(4))
}

fn by_name(a: &[u8], b: &[u8]) -> Ordering {
    a.get(RUN..).cmp(&b.get(RUN..))
}

fn by_run(a: &[u8], b: &[u8]) -> Ordering {
    a.get(..RUN).cmp(&b.get(..RUN))
}
