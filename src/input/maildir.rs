//! Mailboxes that are directories: a Maildir has its messages in `cur` and `new`, one in each
//! file, and its folders in hidden directories (Maildir++).

use std::path::Path;

/// Whether a directory is a Maildir: it has the folders `cur` and `new`.
///
/// ```
/// let root = tempfile::tempdir()?;
/// assert!(!urisieve::input::is_maildir(root.path()));
/// for name in ["cur", "new"] {
///     std::fs::create_dir(root.path().join(name))?;
/// }
/// assert!(urisieve::input::is_maildir(root.path()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn is_maildir(directory: &Path) -> bool {
    ["cur", "new"]
        .iter()
        .all(|name| directory.join(name).is_dir())
}

/// Whether a hidden directory is a folder of the Maildir that it is in (Maildir++).
#[cfg(feature = "walk")]
pub(super) fn is_maildir_folder(directory: &Path) -> bool {
    is_maildir(directory) && directory.parent().is_some_and(is_maildir)
}
