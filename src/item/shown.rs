//! Findings as `{:?}` shows them: bytes as text, and of the fields that most findings lack only
//! those that are there.

use super::{Finding, OwnedFinding};
use std::fmt;

impl fmt::Debug for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        show("Finding", self, f)
    }
}

impl fmt::Debug for OwnedFinding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        show("OwnedFinding", &self.as_finding(), f)
    }
}

fn show(name: &str, finding: &Finding, f: &mut fmt::Formatter) -> fmt::Result {
    let text = |bytes| String::from_utf8_lossy(bytes);
    let mut shown = f.debug_struct(name);
    shown.field("uri", &text(finding.uri));
    if finding.original != finding.uri {
        shown.field("original", &text(finding.original));
    }
    shown.field("input", &finding.input);
    shown.field("range", &finding.range());
    if let Some(place) = &finding.place {
        shown.field("place", place);
    }
    shown.field("marks", &finding.marks);
    if let Some(count) = &finding.count {
        shown.field("count", count);
    }
    let texts = [
        ("alternative", finding.alternative),
        ("gateway", finding.gateway),
        ("nested_in", finding.nested_in),
        ("source", finding.source),
    ];
    for (name, bytes) in texts {
        if let Some(bytes) = bytes {
            shown.field(name, &text(bytes));
        }
    }
    let times = [
        ("first_seen", &finding.first_seen),
        ("last_seen", &finding.last_seen),
    ];
    for (name, time) in times {
        if let Some(time) = time {
            shown.field(name, time);
        }
    }
    if let Some(sources) = &finding.sources {
        shown.field("sources", sources);
    }
    if !finding.context.is_empty() {
        shown.field("context", &finding.context);
    }
    shown.finish()
}

#[cfg(test)]
mod tests {
    use crate::item::{Finding, Problem};

    #[test]
    fn a_finding_is_shown_as_text() {
        let mut finding = Finding::new(b"http://a.example/%");
        finding.offset = 4;
        finding.marks.problems = Problem::BadPercent.into();
        let shown = format!("{finding:?}");
        let begins = r#"Finding { uri: "http://a.example/%", input: 0, range: 4..22, marks: "#;
        assert!(shown.starts_with(begins), "{shown}");
        assert!(shown.contains("Problems{BadPercent}"), "{shown}");
        assert!(!shown.contains("context"), "{shown}");
        assert_eq!(format!("{:?}", finding.to_owned()), format!("Owned{shown}"));
        finding.original = b"HTTP://a.example/%\xff";
        finding.count = Some(2);
        let shown = format!("{finding:?}");
        assert!(
            shown.contains("original: \"HTTP://a.example/%\u{FFFD}\""),
            "{shown}"
        );
        assert!(shown.contains("count: 2"), "{shown}");
    }
}
