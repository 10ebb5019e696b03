//! How do columns come in, and how do they go out? Arrow arrays and their stand-ins in, arrays and
//! Python objects out.

pub(crate) mod arrays;
pub(crate) mod batches;
pub(crate) mod columns;
pub(crate) mod export;
pub(crate) mod filling;
mod items;
pub(crate) mod offsets;
pub(crate) mod part;
pub(crate) mod rows;
pub(crate) mod text_type;
pub(crate) mod values;
