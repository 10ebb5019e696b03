//! Which records does this stream hold? Detects compression by its magic number and
//! decompresses while bytes are read, in bounded memory. Damage is reported as losses,
//! and reading resumes at the next member that can be read. The content of the text is
//! left to later stages.

mod ahead;
mod bits;
mod bound;
mod codec;
mod codecs;
mod coding;
mod container;
mod driver;
mod expected;
mod held;
mod hold;
mod intake;
mod losses;
mod magic;
mod members;
mod opaque;
mod probe;
mod resume;
mod stack;
#[cfg(feature = "decompress")]
mod whole;

pub use container::{ARCHIVES, ArchiveFormat};
pub use magic::Compression;
pub use opaque::opaque_container;

pub(crate) use ahead::{Decoded, Member, Stretch};
pub(crate) use bound::{WINDOW_MAX, WindowBound, Windows};
pub(crate) use container::{Piece, Splitter, is_container, may_become_container};
pub(crate) use expected::{NamedFormat, without_compression};
pub(crate) use held::HeldPieces;
pub(crate) use opaque::{may_become_opaque, opaque};
pub(crate) use stack::{DEPTH_MAX, Next, Stack, Unpack};

#[cfg(not(feature = "reference"))]
pub(crate) use coding::{Codings, Flow};
// A test counts the allocations of undoing codings.
#[cfg(feature = "reference")]
pub use {
    coding::{CodingLoss, Codings, Flow, Pulled},
    driver::Fault,
};
