//! The URN grammar of RFC 8141 section 2, which defines URNs and the part that counts
//! for equivalence; how each of four documents reads a URN ([`read()`]), the kinds of
//! NIDs ([`kind`]) and the registered NIDs ([`registration`]). The rules of equivalence
//! of namespaces are left to `canonicalize`.

mod assigned_name;
mod document;
mod kind;
mod read;
mod registry;

pub use assigned_name::{NID_MAX, assigned_name_len, compare_nids, is_nss, nid, nid_len};
pub use document::{Document, UnknownDocument};
pub use kind::{NamespaceKind, kind};
pub use read::{Name, Reading, UrnKey, read};
pub use registry::{Registration, namespaces, reference, registration};
