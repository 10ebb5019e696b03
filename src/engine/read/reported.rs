//! The texts that are reported of an occurrence, and how their secrets are removed. Which
//! occurrences are reported is left to `keys`.

use crate::canonicalize::Redactor;
use crate::decode::Records;
use crate::item::OwnedContext;
use crate::syntax::class::SCHEME;
use std::sync::Arc;

/// Text that is reported of an occurrence.
#[derive(Clone, Copy)]
pub(in crate::engine) enum Reported<'t> {
    /// A URI, or a line that should be a URI.
    Uri(&'t [u8]),
    /// A record that has the URI in a field, and how its fields are separated.
    Row(&'t Records, &'t [u8]),
    /// The target of a request: its URL, and the target as it is written in the line.
    Target { url: &'t [u8], written: &'t [u8] },
}

impl<'t> Reported<'t> {
    /// Returns the bytes of the text.
    pub(in crate::engine) fn bytes(self) -> &'t [u8] {
        match self {
            Reported::Uri(bytes) | Reported::Row(_, bytes) => bytes,
            Reported::Target { written, .. } => written,
        }
    }

    /// Returns the text without secrets. It is written into `buffer` where it has any.
    fn redacted<'b>(self, redactor: &Redactor, buffer: &'b mut Vec<u8>) -> &'b [u8]
    where
        't: 'b,
    {
        let (records, row) = match self {
            Reported::Uri(uri) => return redact_whole(redactor, uri, buffer),
            Reported::Row(records, row) => (records, row),
            // The written target is not a URI, so secrets are looked for in the URL.
            Reported::Target { url, written } => {
                return match redact_whole(redactor, url, buffer) {
                    redacted if redacted == url => written,
                    redacted => redacted,
                };
            }
        };
        buffer.clear();
        let (mut field, mut at) = (Vec::new(), 0);
        for range in records.fields(row) {
            buffer.extend_from_slice(&row[at..range.start]);
            redact_field(redactor, &row[range.clone()], &mut field, buffer);
            at = range.end;
        }
        buffer.extend_from_slice(&row[at..]);
        buffer
    }
}

/// Returns `text` without secrets. A URI may contain quotation marks here: a text that
/// begins with a scheme is one URI as a whole.
pub(super) fn redact_whole<'b>(
    redactor: &Redactor,
    text: &'b [u8],
    buffer: &'b mut Vec<u8>,
) -> &'b [u8] {
    let is_uri = || {
        let start = text.iter().position(|b| !SCHEME.has(*b));
        start.is_some_and(|at| at > 0 && text[at] == b':')
    };
    // The redactor ends a URI at a quotation mark, so a byte that is not valid in UTF-8
    // replaces the quotation marks while it works.
    let is_quoted = memchr::memchr(b'"', text).is_some() && is_uri();
    let mut free = (0xF8..=0xFF).filter(|byte| memchr::memchr(*byte, text).is_none());
    let Some(stand_in) = is_quoted.then(|| free.next()).flatten() else {
        return redactor.redact(text, buffer);
    };
    let swap = |from: u8, to: u8| move |&byte: &u8| if byte == from { to } else { byte };
    let swapped: Vec<u8> = text.iter().map(swap(b'"', stand_in)).collect();
    let mut redacted = Vec::new();
    let redacted = redactor.redact(&swapped, &mut redacted);
    if redacted == swapped {
        return text;
    }
    buffer.clear();
    buffer.extend(redacted.iter().map(swap(stand_in, b'"')));
    buffer
}

/// Appends a field of a table without secrets. A quoted field that has any is quoted
/// again.
fn redact_field(redactor: &Redactor, field: &[u8], buffer: &mut Vec<u8>, out: &mut Vec<u8>) {
    let [b'"', rest @ ..] = field else {
        out.extend_from_slice(redact_whole(redactor, field, buffer));
        return;
    };
    let end = rest
        .iter()
        .rposition(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
    let (content, after) = rest.split_at(end.map_or(0, |at| at + 1));
    let mut value = Vec::with_capacity(content.len());
    let (mut at, mut is_open) = (0, true);
    while let Some(&byte) = content.get(at) {
        let is_double = is_open && content[at..].starts_with(b"\"\"");
        let is_end = is_open && byte == b'"' && !is_double;
        is_open &= !is_end;
        if !is_end {
            value.push(byte);
        }
        at += 1 + usize::from(is_double);
    }
    let redacted = redact_whole(redactor, &value, buffer);
    if redacted == value {
        out.extend_from_slice(field);
        return;
    }
    out.push(b'"');
    for &byte in redacted {
        out.extend_from_slice(if byte == b'"' {
            b"\"\""
        } else {
            std::slice::from_ref(&byte)
        });
    }
    if !is_open {
        out.push(b'"');
    }
    out.extend_from_slice(after);
}

/// Returns a key and its original, without secrets where there is a redactor.
#[inline]
pub(super) fn hidden<'t>(
    redactor: &Option<Redactor>,
    (key, original): (Reported<'t>, Reported<'t>),
    buffers: &'t mut (Vec<u8>, Vec<u8>),
) -> (&'t [u8], &'t [u8]) {
    match redactor {
        None => (key.bytes(), original.bytes()),
        Some(redactor) => hidden_by(redactor, (key, original), buffers),
    }
}

fn hidden_by<'t>(
    redactor: &Redactor,
    (key, original): (Reported<'t>, Reported<'t>),
    buffers: &'t mut (Vec<u8>, Vec<u8>),
) -> (&'t [u8], &'t [u8]) {
    match (key, original) {
        // Most URIs are written as they are.
        (Reported::Uri(uri), Reported::Uri(written)) if uri == written => {
            let shown = redact_whole(redactor, uri, &mut buffers.0);
            (shown, shown)
        }
        _ => (
            key.redacted(redactor, &mut buffers.0),
            original.redacted(redactor, &mut buffers.1),
        ),
    }
}

/// Returns `context` with the secrets removed from those of its texts that may have URIs.
pub(super) fn without_secrets(
    context: &OwnedContext,
    redactor: &Redactor,
    buffer: &mut Vec<u8>,
) -> OwnedContext {
    let mut redacted = context.clone();
    let mut redact = |text: &mut Vec<u8>| *text = redactor.redact(text, buffer).to_vec();
    if let Some(warc) = redacted.warc.as_mut().map(Arc::make_mut) {
        redact(&mut warc.record_id);
        redact(&mut warc.target_uri);
    }
    if let Some(link) = redacted.link.as_mut().map(Arc::make_mut) {
        redact(&mut link.rel);
    }
    if let Some(marc) = redacted.marc.as_mut().map(Arc::make_mut) {
        redact(&mut marc.record_id);
        redact(&mut marc.title);
    }
    let texts = [
        &mut redacted.member,
        &mut redacted.pointer,
        &mut redacted.message_id,
        &mut redacted.field,
    ];
    for text in texts.into_iter().flatten() {
        *text = Arc::from(redactor.redact(text, buffer));
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{OwnedLink, OwnedMarc, Record};

    #[test]
    fn a_context_has_no_secrets() {
        let text = b"ftp://u:SECRET@h/";
        let mut context = OwnedContext {
            warc: Some(Arc::new(Record {
                record_id: text.to_vec(),
                target_uri: text.to_vec(),
                ..Record::default()
            })),
            member: Some(Arc::from(&text[..])),
            link: Some(Arc::new(OwnedLink {
                rel: text.to_vec(),
                ..OwnedLink::default()
            })),
            pointer: Some(Arc::from(&text[..])),
            field: Some(Arc::from(&text[..])),
            marc: Some(Arc::new(OwnedMarc {
                record_id: text.to_vec(),
                title: text.to_vec(),
                ..OwnedMarc::default()
            })),
            ..OwnedContext::default()
        };
        let hidden = without_secrets(&context, &Redactor::default(), &mut Vec::new());
        let redacted = &b"ftp://u:***@h/"[..];
        let borrowed = hidden.as_context();
        let (warc, marc) = (borrowed.warc.unwrap(), borrowed.marc.unwrap());
        assert_eq!((warc.record_id, warc.target_uri), (redacted, redacted));
        assert_eq!((marc.record_id, marc.title), (redacted, redacted));
        let texts = [borrowed.member, borrowed.pointer, borrowed.field];
        assert_eq!(texts, [Some(redacted); 3]);
        assert_eq!(borrowed.link.unwrap().rel, redacted);
        // Texts that are shared with other contexts do not change.
        assert_eq!(context.as_context().member, Some(&text[..]));
        context.warc = None;
        let hidden = without_secrets(&context, &Redactor::default(), &mut Vec::new());
        assert_eq!(hidden.warc, None);
    }

    #[test]
    fn fields_are_quoted_again() {
        let redactor = Redactor::default().parameters(["@secrets"]).unwrap();
        for (field, expect) in [
            (r#""http://u:SEC""RET@h/""#, r#""http://u:***@h/""#),
            (r#""http://h/?token=SEC""RET2""#, r#""http://h/?token=***""#),
            (
                "\"http://h/?token=S\"\"S&x=\"\"\" \r\n",
                "\"http://h/?token=***&x=\"\"\" \r\n",
            ),
            (
                r#""{""u"":""http://h/?token=S""}""#,
                r#""{""u"":""http://h/?token=***""}""#,
            ),
            (r#""a ""b"" c""#, r#""a ""b"" c""#),
            (r#""http://h/""x"y"#, r#""http://h/""x"y"#),
            ("\"http://h/?token=S\"\"S", "\"http://h/?token=***"),
            (r#"http://h/?token=S"S"#, "http://h/?token=***"),
            ("", ""),
            ("\"", "\""),
            ("\"\"\n", "\"\"\n"),
        ] {
            let mut out = Vec::new();
            redact_field(&redactor, field.as_bytes(), &mut Vec::new(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expect, "{field}");
        }
    }
}
