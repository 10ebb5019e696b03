//! Makes text from any source safe to show.

use urisieve::output::Screen;

/// Replaces control characters, and characters that a terminal would show in another
/// order.
pub(in crate::cli) fn printable(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    name.chars()
        .map(|c| if Screen::shows(c) { c } else { '\u{FFFD}' })
        .collect()
}
