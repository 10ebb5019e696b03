//! Text from anywhere, made safe to show.

use urisieve::output::Screen;

/// A name without what a terminal would obey, or would show in another order.
pub(super) fn printable(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    name.chars()
        .map(|c| if Screen::shows(c) { c } else { '\u{FFFD}' })
        .collect()
}
