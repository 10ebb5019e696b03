//! Blocks of text, the findings in them and their counts: the values that pass between the rooms.

pub(in crate::engine) mod batch;
pub(in crate::engine) mod block;
pub(in crate::engine) mod carry;
pub(in crate::engine) mod count_unit;
pub(in crate::engine) mod encoded_finding;
pub(in crate::engine) mod findings;
pub(in crate::engine) mod formatted;
pub(in crate::engine) mod input_count;
pub(in crate::engine) mod item;
pub(in crate::engine) mod line_state;
pub(in crate::engine) mod lines;
pub(in crate::engine) mod pair;
pub(in crate::engine) mod piece;
pub(in crate::engine) mod read_as;
pub(in crate::engine) mod stats;
pub(in crate::engine) mod tail_parts;
pub(in crate::engine) mod tally;
pub(in crate::engine) mod time_span;
