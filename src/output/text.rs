//! One URI a line, with the parts of its place that were asked for before it.

use super::Form;
use crate::item::Finding;

/// The URI and a line feed.
///
/// ```
/// use urisieve::item::Finding;
/// use urisieve::output::{Form, Text};
/// let finding = Finding {
///     uri: b"http://a/", original: b"http://a/", input: 0, offset: 7, length: 9,
///     marks: Default::default(), count: None,
/// };
/// let mut out = Vec::new();
/// Text::default().names(true).offsets(true).write(&finding, b"f.txt", &mut out);
/// assert_eq!(out, b"f.txt:7:http://a/\n");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Text {
    names: bool,
    offsets: bool,
}

impl Text {
    /// Whether the name of the input stands before it; default no.
    pub fn names(mut self, names: bool) -> Text {
        self.names = names;
        self
    }

    /// Whether its raw offset stands before it; default no.
    pub fn offsets(mut self, offsets: bool) -> Text {
        self.offsets = offsets;
        self
    }
}

impl Form for Text {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        if self.names {
            out.extend_from_slice(name);
            out.push(b':');
        }
        if self.offsets {
            out.extend_from_slice(finding.offset.to_string().as_bytes());
            out.push(b':');
        }
        out.extend_from_slice(finding.uri);
        out.push(b'\n');
    }
}
