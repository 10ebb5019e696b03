//! Which records lie in this stream? Containers that are detected by their first bytes:
//! web archives (WARC, ARC) and tar. A record is given as it is stored; what it
//! holds is left to `decode`.

mod feed;
mod piece;
mod splitter;
mod tar;
mod warc;

pub(crate) use piece::Piece;
pub(crate) use splitter::{Splitter, is_container, may_become_container};
