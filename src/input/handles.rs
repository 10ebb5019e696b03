//! The number of files that may be open at a time, which differs between operating
//! systems.

/// Returns the greatest number of files that this process may have open, or `usize::MAX`
/// where no limit is known.
#[cfg(unix)]
pub(crate) fn open_files_max() -> usize {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::Nofile).current;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    limit.unwrap_or(usize::MAX)
}

/// Returns the greatest number of files that this process may have open, or `usize::MAX`
/// where no limit is known.
#[cfg(not(unix))]
pub(crate) fn open_files_max() -> usize {
    usize::MAX
}
