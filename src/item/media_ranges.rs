//! Media types, and all types of a kind (RFC 9110 section 12.5.1).

use super::Part;
use std::sync::Arc;

/// Media types such as `text/html`, and all of a kind, such as `text/*`.
///
/// ```
/// use urisieve::item::MediaRanges;
/// let ranges = MediaRanges::default().with("text/html").with("image/*");
/// assert!(ranges.has(b"Image/png") && ranges.has(b"text/html; charset=utf-8"));
/// assert!(!ranges.has(b"text/plain") && !MediaRanges::default().has(b"text/html"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MediaRanges(Arc<[String]>);

impl MediaRanges {
    /// Adds a type, or `*` in place of a subtype.
    ///
    /// ```
    /// use urisieve::item::MediaRanges;
    /// assert!(!MediaRanges::default().with("text/*").is_empty());
    /// ```
    pub fn with(self, range: impl Into<String>) -> MediaRanges {
        let ranges = self.0.iter().cloned();
        MediaRanges(ranges.chain([range.into()]).collect())
    }

    /// Whether there are none.
    ///
    /// ```
    /// assert!(urisieve::item::MediaRanges::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a media type is one of them; parameters do not count.
    ///
    /// ```
    /// use urisieve::item::MediaRanges;
    /// assert!(MediaRanges::default().with("TEXT/*").has(b"text/html"));
    /// ```
    pub fn has(&self, media_type: &[u8]) -> bool {
        let essence = Part::essence(media_type);
        self.0.iter().any(|range| match range.strip_suffix('*') {
            None => essence.eq_ignore_ascii_case(range.as_bytes()),
            Some(start) => essence
                .get(..start.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes())),
        })
    }
}
