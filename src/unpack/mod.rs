//! Which records lie in this stream? Compression told by its magic number and
//! undone as the bytes come, in bounded memory. Damage is told as losses, and
//! reading goes on at the next member that can be read. What the text holds is
//! left to the stages after.

mod ahead;
mod archive;
mod bits;
mod codec;
mod coding;
mod driver;
mod gzip;
mod hold;
mod intake;
mod magic;
mod members;
mod opaque;
mod probe;
mod resume;

mod bzip2;
mod lz4;
mod xz;
mod zstd;

pub use ahead::{Decoded, Member, Stretch};
pub use archive::{
    Archive, Coded, Decoding, Piece, Record, Sought, is_archive, may_become_archive,
};
pub use coding::{CodingLoss, Codings, Flow, Pulled};
pub use driver::Fault;
pub use hold::Trust;
pub use magic::{Compression, may_become};
pub use members::{Event, Unpacker};
pub use opaque::{may_become_opaque, opaque};
