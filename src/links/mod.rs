//! Which page links to which? The keys of pages, hosts and domains, and the files of a
//! graph that tools for web graphs read. The engine finds the pairs of source and
//! target ([`Pairs`](crate::engine::Pairs)).

mod graph;
mod graph_runs;
mod graph_writer;
mod held_graph;
mod label;
mod node;
mod node_rules;

pub use graph::Graph;
pub use graph_writer::{GraphCounts, GraphError};
pub use node::Node;
pub use node_rules::NodeRules;
