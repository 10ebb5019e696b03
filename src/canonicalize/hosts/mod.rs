//! Which hosts does a URI name, whatever their spelling and the level (rule I1)? The key of
//! a host is what the host parser of the URL Standard makes of it, for every scheme. Keys
//! are compared; they are never printed.

mod key;
mod number;
mod sites;

pub(crate) use super::scheme::port_number;
pub(crate) use key::{HostKey, with_key};
pub(crate) use sites::{HostSite, any_site};
