//! The targets of a `Link` field, with their relations (RFC 8288, appendix B). The part
//! of the field from the first defect on is text.

use std::borrow::Cow;
use std::ops::Range;

/// A link of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldLink<'t> {
    /// The range of the target, between its angle brackets.
    pub target: Range<usize>,
    /// The value of the first parameter `rel`; empty without one.
    pub rel: Cow<'t, [u8]>,
}

/// Returns the links in the value of a field.
pub(super) fn links(text: &[u8]) -> FieldLinks<'_> {
    FieldLinks { text, at: 0 }
}

/// The links in the value of a field, in their order.
#[derive(Debug)]
pub(super) struct FieldLinks<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Iterator for FieldLinks<'t> {
    type Item = FieldLink<'t>;

    fn next(&mut self) -> Option<FieldLink<'t>> {
        // Elements of a list may be empty (RFC 9110 section 5.6.1).
        let is_between = |&&byte: &&u8| is_blank(byte) || byte == b',';
        let between = self.text[self.at..].iter().take_while(is_between).count();
        let start = self.at + between + 1;
        let rest = self.text.get(start..)?;
        let len = memchr::memchr(b'>', rest).filter(|_| self.text[start - 1] == b'<');
        let Some(len) = len else {
            self.at = self.text.len();
            return None;
        };
        self.at = start + len + 1;
        let mut rel = None;
        while let Some((name, value)) = self.parameter() {
            if rel.is_none() && name.eq_ignore_ascii_case(b"rel") {
                rel = Some(value);
            }
        }
        self.skip_blanks();
        if !matches!(self.text.get(self.at), None | Some(b',')) {
            self.at = self.text.len();
        }
        Some(FieldLink {
            target: start..start + len,
            rel: rel.unwrap_or_default(),
        })
    }
}

impl<'t> FieldLinks<'t> {
    /// Reads a parameter, if another one follows.
    fn parameter(&mut self) -> Option<(&'t [u8], Cow<'t, [u8]>)> {
        self.skip_blanks();
        self.text[self.at..].strip_prefix(b";")?;
        self.at += 1;
        self.skip_blanks();
        let name = self.take_until(|byte| is_blank(byte) || b"=;,".contains(&byte));
        self.skip_blanks();
        if self.text.get(self.at) != Some(&b'=') {
            return Some((name, Cow::default()));
        }
        self.at += 1;
        self.skip_blanks();
        let value = match self.text.get(self.at) {
            Some(b'"') => self.quoted(),
            _ => {
                let value = self.take_until(|byte| b";,".contains(&byte));
                Cow::Borrowed(value.trim_ascii())
            }
        };
        Some((name, value))
    }

    /// Reads a quoted string, whose quote is next. The end of the field also closes it.
    fn quoted(&mut self) -> Cow<'t, [u8]> {
        let start = self.at + 1;
        let mut value = Cow::Borrowed(&self.text[start..start]);
        self.at = start;
        loop {
            let plain = self.take_until(|byte| matches!(byte, b'"' | b'\\'));
            match &mut value {
                Cow::Borrowed(value) if value.is_empty() => *value = plain,
                value => value.to_mut().extend_from_slice(plain),
            }
            let stop = self.text.get(self.at);
            self.at = self.text.len().min(self.at + 1);
            if stop != Some(&b'\\') {
                return value;
            }
            if let Some(&escaped) = self.text.get(self.at) {
                value.to_mut().push(escaped);
                self.at += 1;
            }
        }
    }

    fn skip_blanks(&mut self) {
        self.take_until(|byte| !is_blank(byte));
    }

    /// Takes the bytes before the first one that `is_end` accepts.
    fn take_until(&mut self, is_end: impl Fn(u8) -> bool) -> &'t [u8] {
        let rest = &self.text[self.at..];
        let len = rest.iter().position(|&byte| is_end(byte));
        let (taken, _) = rest.split_at(len.unwrap_or(rest.len()));
        self.at += taken.len();
        taken
    }
}

/// Optional white space of HTTP, and the line breaks at the end of a field.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields() {
        for (text, wanted) in [
            ("", &[][..]),
            ("<a>", &[("a", "")]),
            (" <a>; rel=next\r\n", &[("a", "next")]),
            (
                "<a>;rel=x;rel=y , ,<b> ; REL = \"p q\" ; z,<>",
                &[("a", "x"), ("b", "p q"), ("", "")],
            ),
            (
                "<a,b>;title=\"<no>, \\\"<no>\";rel=x, <c>;rel",
                &[("a,b", "x"), ("c", "")],
            ),
            (r#"<a>;rel="n\ext\\",<b>"#, &[("a", r"next\"), ("b", "")]),
            (r#"<a>;rel="x, <b>"#, &[("a", "x, <b>")]),
            (r#"<a>;rel="x\"#, &[("a", "x")]),
            ("<a>;;rel=x", &[("a", "x")]),
            // Defects.
            ("x <a>", &[]),
            ("<a", &[]),
            ("<a> x, <b>", &[("a", "")]),
            ("<a>;rel=\"x\"y, <b>", &[("a", "x")]),
        ] {
            let links = links(text.as_bytes());
            let found: Vec<_> = links
                .map(|link| {
                    (
                        &text[link.target],
                        String::from_utf8(link.rel.into_owned()).unwrap(),
                    )
                })
                .collect();
            let found: Vec<_> = found
                .iter()
                .map(|(target, rel)| (*target, &rel[..]))
                .collect();
            assert_eq!(found, wanted, "{text}");
        }
    }

    proptest! {
        #[test]
        fn targets_are_in_order(text in "[ <>;,=\"\\\\rel\u{e9}]{0,40}") {
            let mut end = 0;
            for link in links(text.as_bytes()) {
                prop_assert!(end <= link.target.start && text.get(link.target.clone()).is_some());
                end = link.target.end;
            }
        }
    }
}
