//! Which block is next? Workers claim blocks of files and streams.

pub(in crate::engine) mod ahead;
pub(in crate::engine) mod blocks;
mod range;
pub(in crate::engine) mod stream;
pub(in crate::engine) mod window;
