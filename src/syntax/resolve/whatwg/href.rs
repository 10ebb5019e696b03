//! The URL serializer, where the crate `url` does not follow the standard yet.

use url::{Position, Url};

/// Returns the serialization of `url` as the standard requires since 2024: with `^` in
/// a path encoded, and the last blank of an opaque path before a query or a fragment.
pub(super) fn href(url: Url) -> String {
    let (before, path) = (&url[..Position::BeforePath], url.path());
    let after = &url[Position::AfterPath..];
    if url.cannot_be_a_base() {
        match path.strip_suffix(' ') {
            Some(path) if !after.is_empty() => format!("{before}{path}%20{after}"),
            _ => url.into(),
        }
    } else if path.contains('^') {
        format!("{before}{}{after}", path.replace('^', "%5E"))
    } else {
        url.into()
    }
}
