//! The numbers of the format.

/// The version of the format.
pub const VERSION: u64 = 1;

/// The longest key, in bytes.
pub const KEY_MAX: usize = 16 << 20;
