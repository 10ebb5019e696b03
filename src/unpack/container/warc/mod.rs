//! The records of a web archive: WARC 1.0 and 1.1 (ISO 28500), ARC 1 and 2. A record is
//! accepted only when another one, or the end, follows it. A record with a wrong length
//! ends where the next one begins, and bytes that cannot be read are skipped up to
//! there; the beginnings of members of a compressed archive help to find it.

mod block;
mod header;
mod lines;
mod records;

pub(super) use lines::{begins, begins_arc, follows_in, may_begin};
pub(super) use records::WarcSplitter;
