//! Stores of seen keys: which keys were reported in earlier runs? A store is a directory of
//! sorted runs, which do not change, and a manifest that names them. The format is described in
//! `docs/seen-format.md`. What a key is, and when it was reported, is left to the caller.

mod cache;
mod commits;
mod disk;
mod fault;
mod filter;
mod footer;
mod format;
mod frame;
mod index;
mod key_block;
mod key_rules;
mod live;
mod lock;
mod manifest;
mod reader;
mod run;
mod run_writer;
mod scan;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use commits::SeenCommit;
pub use disk::sync_folder;
pub use fault::{SeenError, SeenFault};
pub use format::{KEY_MAX, VERSION};
pub use key_rules::KeyRules;
pub use live::LiveSeen;
pub use lock::lock_file;
pub use manifest::SeenSettings;
pub use reader::{GiveKey, SeenReader, SeenStats};
pub use scan::LostKeys;
pub use writer::{KeepKey, NextEntry, NextKey, SeenMerged, SeenMerging, SeenRewriting, SeenWriter};
