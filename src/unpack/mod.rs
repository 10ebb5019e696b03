//! Which records lie in this stream? Detects compression by its magic number and
//! decompresses as the bytes come, in bounded memory. Damage is reported as losses, and
//! reading resumes at the next member that can be read. What the text contains is left
//! to later stages.

mod ahead;
mod bits;
mod codec;
mod coding;
mod container;
mod driver;
mod gzip;
mod held;
mod hold;
mod intake;
mod magic;
mod members;
mod opaque;
mod probe;
mod resume;
mod stack;

mod bzip2;
mod lz4;
mod xz;
mod zstd;

pub use ahead::{Decoded, Member, Stretch};
pub use coding::{CodingLoss, Codings, Flow, Pulled};
pub use container::{Feed, Mark, Piece, Splitter, is_container, may_become_container};
pub use driver::Fault;
pub use hold::Trust;
pub use magic::{Compression, may_become};
pub use members::{Event, Unpacker};
pub use opaque::{may_become_opaque, opaque};
pub use stack::{DEPTH_MAX, Next, Stack, Unpack};
