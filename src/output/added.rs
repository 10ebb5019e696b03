//! What is added to an event of a URI that was found in it (I19).

use super::ecs::push_url;
use super::fields::FIELDS;
use super::object::{Object, ObjectFields, push_string};
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
const PARTS: [&str; 12] = [
    "uri", "kind", "scheme", "nid", "host", "port", "path", "query", "fragment", "problems",
    "match", "pointer",
];

/// The number of fields after `new`, which says whether a URI is new to a store.
const AFTER_NEW: usize = 1;

/// The fields before `new`, and those after it.
static FIELDS_OF_PARTS: LazyLock<[ObjectFields; 2]> = LazyLock::new(|| {
    let named = |name: &&str| FIELDS.iter().find(|field| field.name == *name);
    let fields = |names: &[&str]| ObjectFields::new(names.iter().filter_map(named));
    let (before, after) = PARTS.split_at(PARTS.len() - AFTER_NEW);
    [fields(before), fields(after)]
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
        self.push_open(finding, out);
    }

    /// Appends the JSON for a URI, and returns the place in `out` for the [member](new_member)
    /// that says whether it is new. Only parts have one.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Added, new_member}};
    /// let mut out = Vec::new();
    /// let place = Added::Parts.push_open(&Finding::new(b"urn:a-b:c"), &mut out).unwrap();
    /// out.splice(place..place, new_member(true).bytes());
    /// assert!(out.ends_with(br#","new":true}"#));
    /// assert_eq!(Added::Uri.push_open(&Finding::new(b"urn:a-b:c"), &mut out), None);
    /// ```
    pub fn push_open(self, finding: &Finding, out: &mut Vec<u8>) -> Option<usize> {
        if self == Added::Uri {
            push_string(&String::from_utf8_lossy(finding.uri), out);
            return None;
        }
        let row = Row::new(finding, b"");
        let mut object = Object::new(out);
        let place = match self {
            Added::Elastic => {
                push_url(&row, &mut object);
                None
            }
            _ => {
                let [before, after] = &*FIELDS_OF_PARTS;
                object.fields(before, &row);
                let place = object.len();
                object.fields(after, &row);
                Some(place)
            }
        };
        object.close();
        place
    }
}

/// Returns the member that says whether a URI is new to a store, for the place that
/// [`push_open`](Added::push_open) returned.
///
/// ```
/// assert_eq!(urisieve::output::new_member(false), r#","new":false"#);
/// ```
pub fn new_member(is_new: bool) -> &'static str {
    match is_new {
        true => r#","new":true"#,
        false => r#","new":false"#,
    }
}
