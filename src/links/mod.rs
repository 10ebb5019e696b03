//! Which page links to which? The keys of pages, hosts and domains, and the files of a
//! graph that tools for web graphs read. The engine finds the pairs of source and
//! target ([`Pairs`](crate::engine::Pairs)).

mod graph;
mod graph_runs;
mod graph_writer;
mod held_graph;
mod host_name;
mod label;
mod node;

pub use graph::Graph;
pub use graph_writer::{GraphCounts, GraphError};
#[cfg(feature = "domain")]
pub use node::SUFFIX_LIST;
pub use node::{Node, NodeRules};
