//! The records of a web archive: WARC 1.0 and 1.1 (ISO 28500), ARC 1 and 2. A record
//! is only believed when another one, or the end, follows it. One whose length is
//! wrong ends where the next one begins, and what cannot be read is passed over up to
//! there; the beginnings of members of a compressed archive help to find it.

mod block;
mod header;
mod lines;
mod records;

pub(super) use lines::{begins, may_begin, name};
pub(super) use records::Warc;
