//! Finds where the head of a message ends and its content begins.

use super::head;
use crate::decode::event::{Decode, Event, Output};
use crate::decode::text::TextDecoder;
use crate::item::Part;
use crate::syntax::fields;
use std::sync::Arc;

/// A longer head is treated as one without an end.
const HEAD_MAX: usize = 256 << 10;
/// The type of content whose head states no type (RFC 9110 section 8.3), by its name in
/// the MIME Sniffing Standard.
const UNKNOWN: &[u8] = b"unknown/unknown";
const HTML: &[u8] = b"text/html";
const XHTML: &[u8] = b"application/xhtml+xml";
/// A status line begins with this, and a request line contains it.
const VERSION: &[u8] = b"HTTP/";

/// Decodes a message.
#[derive(Debug)]
pub(in crate::decode) struct Http {
    place: Phase,
    /// The message as a part of another body.
    part: Part,
    /// The number of bytes in which no head ends.
    looked: usize,
}

#[derive(Debug)]
enum Phase {
    /// Before the head. The decoder, if any, reads a body that is not a message.
    Head(Option<Box<dyn Decode>>),
    Content,
    /// The body is not a message.
    Other(Box<dyn Decode>),
}

impl Http {
    /// Creates a decoder of `part`. With `other`, the part may not be a message: `other`
    /// reads it if it does not begin like one.
    pub(in crate::decode) fn new(part: Part, other: Option<Box<dyn Decode>>) -> Http {
        Http {
            place: Phase::Head(other),
            part,
            looked: 0,
        }
    }

    /// Whether a head begins here; `None` when more bytes are needed.
    fn is_message(&self, known: bool, bytes: &[u8], last: bool) -> Option<bool> {
        if !known {
            let is_decided = last || bytes.len() >= VERSION.len();
            return is_decided.then(|| bytes.starts_with(VERSION));
        }
        let window = &bytes[..bytes.len().min(HEAD_MAX)];
        let line = memchr::memchr(b'\n', window);
        if line.is_none() && !last && bytes.len() <= HEAD_MAX {
            return None;
        }
        let line = &window[..line.unwrap_or(window.len())];
        Some(memchr::memmem::find(line, VERSION).is_some())
    }

    /// Reads the head; returns its length, or `None` when its end is not here yet.
    fn read_head(&mut self, bytes: &[u8], last: bool, events: &mut Vec<Event>) -> Option<usize> {
        let window = &bytes[..bytes.len().min(HEAD_MAX)];
        // The last line break may be the first of an empty line.
        let from = self.looked.saturating_sub(2);
        let end = fields::end(&window[from..]).map(|end| from + end);
        if end.is_none() && !last && bytes.len() <= HEAD_MAX {
            self.looked = window.len();
            return None;
        }
        // Without an empty line a head ends where its fields end.
        let sure = head::fields_end(&window[..end.unwrap_or(window.len())]);
        let text = &window[..end.unwrap_or(sure)];
        let about = head::read(&window[..sure]);
        let is_coded = !about.codings.is_empty();
        let all_fields = end.is_none() && sure == bytes.len();
        head::events(text, if all_fields { 0 } else { sure }, events);
        let suspect = match end {
            None => Some("the head of a message has no empty line"),
            // The start of the content is uncertain.
            Some(end) if sure < end && is_coded => {
                Some("the head of a message has a line that is not a field")
            }
            // The CR may be part of the empty line.
            Some(_) if head::has_bare_cr(text) => Some("the head of a message has a CR without LF"),
            Some(_) => None,
        };
        if let Some(cause) = suspect.filter(|_| !self.part.truncated) {
            events.push(Event::Suspect(cause));
        }
        events.push(Event::Part(Arc::new(Part {
            media_type: content_type(&self.part.identified, about.media_type),
            codings: about.codings,
            status: about.status,
            ..self.part.clone()
        })));
        Some(text.len())
    }
}

/// Returns the type of content whose head states `stated`, and for which `identified` was
/// detected at archiving. The detected type takes precedence, with the parameters of the
/// head. XHTML that the head does not call XML is HTML, as in browsers.
fn content_type(identified: &[u8], stated: Vec<u8>) -> Vec<u8> {
    match (identified.is_empty(), stated.is_empty()) {
        // With this type, content that begins like a message is not read as one.
        (true, true) => UNKNOWN.to_vec(),
        (true, false) => stated,
        (false, _) => {
            let parameters = memchr::memchr(b';', &stated).unwrap_or(stated.len());
            let is_xhtml = Part::essence(identified).eq_ignore_ascii_case(XHTML);
            let essence = match is_xhtml && !is_xml(Part::essence(&stated)) {
                true => HTML,
                false => Part::essence(identified),
            };
            [essence, &stated[parameters..]].concat()
        }
    }
}

/// Whether a media type names XML (RFC 7303).
fn is_xml(essence: &[u8]) -> bool {
    let lower = essence.to_ascii_lowercase();
    lower.ends_with(b"/xml") || lower.ends_with(b"+xml")
}

impl Decode for Http {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut read = 0;
        if let Phase::Head(other) = &mut self.place {
            let mut other = other.take();
            let is_message = self.is_message(other.is_none(), bytes, last);
            self.place = match is_message {
                None => {
                    self.place = Phase::Head(other);
                    return 0;
                }
                Some(false) => Phase::Other(other.take().unwrap_or_else(|| {
                    // A message without a head.
                    Box::new(TextDecoder::default())
                })),
                Some(true) => match self.read_head(bytes, last, &mut out.events) {
                    None => {
                        self.place = Phase::Head(other);
                        return 0;
                    }
                    Some(len) => {
                        read = len;
                        Phase::Content
                    }
                },
            };
        }
        let len = bytes.len() - read;
        if let Phase::Other(other) = &mut self.place {
            return other.push(bytes, last, out);
        }
        if len > 0 {
            out.events.push(Event::Body(len));
        }
        if last {
            out.events.push(Event::PartEnd);
        }
        bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::in_pieces::push_in_pieces;
    use proptest::prelude::*;

    /// Returns the events of `http` for `bytes`, pushed in pieces of these sizes;
    /// events that may be split are joined.
    fn events(known: bool, bytes: &[u8], sizes: &[usize]) -> Vec<Event> {
        let other: Option<Box<dyn Decode>> = match known {
            true => None,
            false => Some(Box::new(TextDecoder::default())),
        };
        let mut http = Http::new(Part::default(), other);
        let mut events: Vec<Event> = Vec::new();
        push_in_pieces(&mut http, bytes, sizes, |pushed| {
            match (events.last_mut(), pushed.event) {
                (Some(Event::Text(len)), Event::Text(more))
                | (Some(Event::Skipped(len)), Event::Skipped(more))
                | (Some(Event::Body(len)), Event::Body(more)) => *len += more,
                (_, event) => events.push(event.clone()),
            }
        });
        events
    }

    fn len(events: &[Event]) -> usize {
        let len = |event: &Event| match event {
            Event::Text(len) | Event::Skipped(len) | Event::Body(len) => *len,
            Event::Reference(reference) => reference.len,
            _ => 0,
        };
        events.iter().map(len).sum()
    }

    #[test]
    fn heads_and_content() {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n";
        let part = Event::Part(Arc::new(Part {
            media_type: b"a/b".to_vec(),
            codings: vec![b"chunked".to_vec()],
            status: Some(200),
            ..Part::default()
        }));
        let found = events(true, format!("{head}xy").as_bytes(), &[100]);
        assert_eq!(
            found,
            [
                Event::Skipped(head.len()),
                part,
                Event::Body(2),
                Event::PartEnd
            ]
        );
        for (text, known) in [("", true), ("no head", true), ("GET / HTTP/1.1\n", false)] {
            let text = text.as_bytes();
            let wanted = match text.len() {
                0 => Vec::new(),
                len => vec![Event::Text(len)],
            };
            assert_eq!(events(known, text, &[3]), wanted);
        }
        // The end of a head is not searched for beyond its greatest length.
        let long = [
            b"HTTP/1.1 200\n",
            &b"a: b\n".repeat(HEAD_MAX / 4)[..],
            b"\nc",
        ]
        .concat();
        let found = events(true, &long, &[long.len()]);
        assert!(found.contains(&Event::Suspect("the head of a message has no empty line")));
        assert_eq!(found, events(true, &long, &[1000, 60_000]));
    }

    /// XHTML is detected by its document type, which most pages of HTML also have.
    #[test]
    fn detected_types_of_content() {
        for (identified, stated, wanted) in [
            ("", "", "unknown/unknown"),
            ("", "text/html; charset=x", "text/html; charset=x"),
            ("image/png", "text/html", "image/png"),
            (
                "text/plain",
                "text/html; charset=x",
                "text/plain; charset=x",
            ),
            (
                "application/xhtml+xml",
                "text/html; charset=x",
                "text/html; charset=x",
            ),
            ("Application/XHTML+xml;x", "Text/HTML", "text/html"),
            ("application/xhtml+xml", "", "text/html"),
            ("application/xhtml+xml", "text/plain", "text/html"),
            (
                "application/xhtml+xml",
                "application/xhtml+xml;a",
                "application/xhtml+xml;a",
            ),
            ("application/xhtml+xml", "text/xml", "application/xhtml+xml"),
            ("application/rss+xml", "text/html", "application/rss+xml"),
        ] {
            let found = content_type(identified.as_bytes(), stated.as_bytes().to_vec());
            assert_eq!(found, wanted.as_bytes(), "{identified} {stated}");
        }
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            parts in prop::collection::vec(prop::sample::select(vec![
                "HTTP/1.1 200 OK\r\n", "Location: /a\r\n", "Link: <b>; x, <c d>\n", "a: b\r\n", "\r\n",
                "\n", "\r", " folded\r\n", "http://a/\n", "no field\n", "Refresh: 0;url=x\r\n", "content",
                "Content-Encoding: gzip, br\r\n", "HTTP", "/",
            ]), 0..12),
            known: bool,
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            let text = parts.concat();
            let whole = events(known, text.as_bytes(), &[text.len().max(1)]);
            prop_assert_eq!(len(&whole), text.len());
            prop_assert_eq!(events(known, text.as_bytes(), &sizes), whole);
        }
    }
}
