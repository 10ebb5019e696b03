//! The part of a graph that is in memory, and its charge of a budget: nodes and edges,
//! and the list by which the nodes are sorted.

use super::graph_writer::{GraphError, GraphWriter, number};
use crate::store::{Budget, Charge};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// A node and its number, in the table and in the list.
type NumberedNode = (Box<[u8]>, u32);

/// Memory is taken from the budget for some hundred names at a time.
const AHEAD: usize = 16 << 10;
const EDGES_FIRST: usize = 16;

/// Nodes and edges in memory.
#[derive(Debug)]
pub(super) struct HeldGraph {
    /// The nodes, by the order in which they were added.
    nodes: HashMap<Box<[u8]>, u32, ahash::RandomState>,
    edges: Vec<(u32, u32)>,
    /// The memory of all names, with their places in the list.
    names: usize,
    charge: Charge,
}

/// Nodes in the order of their names, and edges between their places in that order, each
/// once.
pub(super) struct SortedGraph {
    /// The nodes, numbered in the order in which they were added.
    pub nodes: Vec<NumberedNode>,
    pub edges: Vec<(u32, u32)>,
    /// Gives the memory back.
    _charge: Charge,
}

impl HeldGraph {
    pub(super) fn new(budget: &Arc<Budget>) -> HeldGraph {
        HeldGraph {
            nodes: HashMap::default(),
            edges: Vec::new(),
            names: 0,
            charge: Charge::new(budget),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Makes room for an edge between two nodes that may be new. Returns false when there
    /// is no memory for them; up to `least` bytes are taken even if the budget is used
    /// up.
    pub(super) fn make_room(&mut self, source: &[u8], target: &[u8], least: usize) -> bool {
        let names = name_memory(source) + name_memory(target);
        // While the table or the list of edges grows, the old one is also held.
        let table = match self.nodes.capacity() - self.nodes.len() {
            0 | 1 => table_memory(2 * self.nodes.capacity() + 2),
            _ => 0,
        };
        let grown = (2 * self.edges.len()).max(EDGES_FIRST);
        let edges = match self.edges.len() < self.edges.capacity() {
            true => 0,
            false => grown * size_of::<(u32, u32)>(),
        };
        if !self.charge_for(self.memory() + names + table + edges, least) {
            return false;
        }
        if edges > 0 {
            self.edges.reserve_exact(grown - self.edges.len());
        }
        if table > 0 {
            self.nodes.reserve(2);
        }
        if table + edges > 0 {
            self.charge.set(self.memory() + names);
        }
        true
    }

    fn charge_for(&mut self, wanted: usize, least: usize) -> bool {
        match wanted.checked_sub(self.charge.bytes()) {
            None | Some(0) => true,
            Some(_) if wanted <= least => {
                self.charge.set(wanted);
                true
            }
            Some(more) => {
                self.charge.try_grow(more.saturating_add(AHEAD)) || self.charge.try_grow(more)
            }
        }
    }

    fn memory(&self) -> usize {
        let edges = self.edges.capacity() * size_of::<(u32, u32)>();
        self.names + table_memory(self.nodes.capacity()) + edges
    }

    /// Adds an edge and its nodes.
    pub(super) fn add(&mut self, source: &[u8], target: &[u8]) -> Result<(), GraphError> {
        let from = self.node(source)?;
        if source != target {
            let to = self.node(target)?;
            self.edges.push((from, to));
        }
        Ok(())
    }

    fn node(&mut self, name: &[u8]) -> Result<u32, GraphError> {
        if let Some(&number) = self.nodes.get(name) {
            return Ok(number);
        }
        let number = number(self.nodes.len() as u64)?;
        self.nodes.insert(name.into(), number);
        self.names += name_memory(name);
        Ok(number)
    }

    /// Sorts the nodes and the edges.
    pub(super) fn into_sorted(self) -> SortedGraph {
        let mut nodes: Vec<NumberedNode> = self.nodes.into_iter().collect();
        nodes.sort_unstable();
        let mut places = vec![0; nodes.len()];
        for ((_, added), place) in nodes.iter().zip(0u32..) {
            places[*added as usize] = place;
        }
        let mut edges = self.edges;
        for (from, to) in &mut edges {
            (*from, *to) = (places[*from as usize], places[*to as usize]);
        }
        edges.sort_unstable();
        edges.dedup();
        SortedGraph {
            nodes,
            edges,
            _charge: self.charge,
        }
    }
}

impl SortedGraph {
    /// Writes a graph all of which this is.
    pub(super) fn write(self, writer: &mut GraphWriter) -> io::Result<()> {
        for (name, _) in &self.nodes {
            writer.vertex(name)?;
        }
        for &(from, to) in &self.edges {
            writer.edge(from, to)?;
        }
        Ok(())
    }
}

/// Returns the memory of a table with room for this number of nodes: a power of two of
/// slots, each with a byte, of which at most 7 of 8 are used.
fn table_memory(nodes: usize) -> usize {
    match nodes {
        0 => 0,
        _ => (nodes * 8 / 7).next_power_of_two() * (size_of::<NumberedNode>() + 1) + 16,
    }
}

/// Returns the memory of a name and of its place in the list. An allocator returns at
/// least 32 bytes, and needs some for itself.
fn name_memory(name: &[u8]) -> usize {
    (name.len() + 8).next_multiple_of(16).max(32) + size_of::<NumberedNode>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The charge is never less than the memory of the parts, nor much more.
    #[test]
    fn all_memory_is_charged() {
        let budget = Arc::new(Budget::unlimited());
        let mut graph = HeldGraph::new(&budget);
        let mut names = 0;
        for number in 0..20_000usize {
            let name = format!("com.{}.{number}", "x".repeat(number % 50));
            assert!(graph.make_room(name.as_bytes(), b"com.a", 0));
            let before = graph.nodes.len();
            let held = (graph.nodes.capacity(), graph.edges.capacity());
            graph.add(name.as_bytes(), b"com.a").unwrap();
            // There was room.
            assert_eq!(held, (graph.nodes.capacity(), graph.edges.capacity()));
            names += name.len() + (graph.nodes.len() - before - 1) * 5;
            let list = size_of::<NumberedNode>() * graph.nodes.len();
            let slots = (size_of::<NumberedNode>() + 1) * graph.nodes.capacity();
            let parts = names + list + slots + 8 * graph.edges.capacity();
            let charged = graph.charge.bytes();
            assert!(charged >= parts, "{charged} of {parts}");
            assert!(charged <= parts * 2 + 2 * AHEAD, "{charged} of {parts}");
        }
        drop(graph.into_sorted());
        assert_eq!(budget.used(), 0);
    }
}
