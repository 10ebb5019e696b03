//! What is added to an event of a URI that was found in it (I19).

use super::ecs::push_url;
use super::fields::{FIELDS, Field};
use super::object::{Object, push_string};
use super::value::Row;
use crate::item::Finding;
use std::sync::LazyLock;

/// What is added of a URI.
///
/// ```
/// use urisieve::{item::Finding, output::Added};
/// let mut out = Vec::new();
/// Added::Uri.push(&Finding::new(b"http://a.example/"), &mut out);
/// assert_eq!(out, br#""http://a.example/""#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Added {
    /// A string, the canonical form.
    Uri,
    /// An object with its parts, problems and matches, by their names in records.
    Parts,
    /// An object with the fields of the set `url` of the Elastic Common Schema.
    Elastic,
}

/// The fields of parts.
const PARTS: [&str; 13] = [
    "uri", "kind", "scheme", "nid", "host", "port", "path", "query", "fragment", "problems",
    "match", "new", "pointer",
];

static FIELDS_OF_PARTS: LazyLock<Vec<&Field>> = LazyLock::new(|| {
    let named = |name: &&str| FIELDS.iter().find(|field| field.name == *name);
    PARTS.iter().filter_map(named).collect()
});

impl Added {
    /// Appends the JSON for a URI.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::Added};
    /// let mut out = Vec::new();
    /// Added::Parts.push(&Finding::new(b"http://a.example/b"), &mut out);
    /// let parts = br#"{"uri":"http://a.example/b","kind":"url","scheme":"http","host":"a.example","path":"/b"}"#;
    /// assert_eq!(out, parts);
    /// ```
    pub fn push(self, finding: &Finding, out: &mut Vec<u8>) {
        if self == Added::Uri {
            return push_string(&String::from_utf8_lossy(finding.uri), out);
        }
        let row = Row::new(finding, b"");
        let mut object = Object::new(out);
        match self {
            Added::Elastic => push_url(&row, &mut object),
            _ => object.fields(FIELDS_OF_PARTS.iter().copied(), &row),
        }
        object.close();
    }
}
