//! The URN grammar: that of RFC 8141 section 2, which decides what is a URN and
//! what takes part in equivalence, and beside it how each of four documents
//! reads a URN ([`read()`]), which kind of NID it names ([`kind`]) and which
//! NIDs are registered ([`registration`]). Namespaces have rules of equivalence
//! of their own; they are left to `canonicalize`.

mod assigned_name;
mod document;
mod kind;
mod read;
mod registry;

pub use assigned_name::{NID_MAX, assigned_name_len, compare_nids, is_nss, nid, nid_len};
pub use document::{Document, UnknownDocument};
pub use kind::{Kind, kind};
pub use read::{Key, Name, Reading, read};
pub use registry::{Registration, namespaces, reference, registration};
