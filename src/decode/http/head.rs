//! The head of an HTTP message: the fields that hold references, and the codings of the
//! content.

use super::link;
use crate::decode::event::{Delimited, Event};
use crate::decode::{refresh, rel};
use crate::item::{OwnedLink, Wrapper};
use crate::syntax::fields;
use std::ops::Range;
use std::sync::Arc;

/// Fields whose values hold references.
const REFERENCES: [&str; 4] = [LOCATION, "content-location", LINK, REFRESH];
const LOCATION: &str = "location";
const LINK: &str = "link";
const REFRESH: &str = "refresh";

/// Longer references are searched as text.
const REFERENCE_MAX: usize = 8 << 10;

/// Schemes of URIs that look like fields.
const OPAQUE: [&[u8]; 8] = [
    b"urn", b"mailto", b"tel", b"doi", b"news", b"magnet", b"tag", b"data",
];

/// The description of the content in the head.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub media_type: Vec<u8>,
    /// Codings in lower case, in the order in which they must be decoded.
    pub codings: Vec<Vec<u8>>,
    /// The status code, if it is the head of a response.
    pub status: Option<u16>,
}

/// Whether the values of fields of this name hold references (RFC 9110 sections 8.7 and
/// 10.2.2, RFC 8288 section 3, and the field `Refresh`).
///
/// ```
/// assert!(urisieve::decode::is_reference_field(b"Location"));
/// assert!(!urisieve::decode::is_reference_field(b"Server"));
/// ```
pub fn is_reference_field(name: &[u8]) -> bool {
    reference_field(name).is_some()
}

fn reference_field(name: &[u8]) -> Option<&'static str> {
    let is_name = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
    REFERENCES.into_iter().find(is_name)
}

/// Reads the head, from its first line to the empty line after it.
pub(super) fn read(text: &[u8]) -> Head {
    let mut head = Head {
        status: status(text),
        ..Head::default()
    };
    let (mut transfer, mut content) = (Vec::new(), Vec::new());
    for (name, value) in fields::of(text) {
        let tokens = || {
            let tokens = value.split(|&b| b == b',').map(<[u8]>::trim_ascii);
            tokens.map(<[u8]>::to_ascii_lowercase)
        };
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            transfer.extend(tokens().filter(|token| token == b"chunked").take(1));
        } else if name.eq_ignore_ascii_case(b"content-encoding") {
            content.extend(tokens());
        } else if name.eq_ignore_ascii_case(b"content-type") {
            head.media_type = value;
        }
    }
    transfer.truncate(1);
    head.codings = transfer;
    head.codings.extend(content.into_iter().rev());
    head
}

/// Returns the code of a status line (RFC 9112 section 4).
fn status(text: &[u8]) -> Option<u16> {
    let line = text.split(|&b| b == b'\n').next()?;
    let mut words = line.split(|b| b.is_ascii_whitespace());
    let is_response = words.next()?.starts_with(b"HTTP/");
    let code = words.find(|word| !word.is_empty())?;
    let is_code = is_response && code.len() == 3 && code.iter().all(u8::is_ascii_digit);
    is_code.then(|| {
        code.iter()
            .fold(0, |code, b| 10 * code + u16::from(b - b'0'))
    })
}

/// Returns the end of the fields: at the empty line, or at the first line that is not a
/// field (RFC 9112 section 5) and may be content.
pub(super) fn fields_end(text: &[u8]) -> usize {
    let mut at = 0;
    for (number, line) in text.split_inclusive(|&b| b == b'\n').enumerate() {
        let is_empty = matches!(line, b"\n" | b"\r\n");
        let goes_on = is_folded(line) && !line.trim_ascii().is_empty();
        if number > 0 && !is_empty && !goes_on && !is_field(line) {
            return at;
        }
        at += line.len();
    }
    at
}

/// Whether a line is a field: a token, a colon and a value, and not a URI.
fn is_field(line: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', line) else {
        return false;
    };
    let (name, value) = (line[..colon].trim_ascii_end(), &line[colon + 1..]);
    let is_uri = value.starts_with(b"//")
        || !value.starts_with(b" ") && OPAQUE.iter().any(|s| name.eq_ignore_ascii_case(s));
    !name.is_empty() && name.iter().all(|&b| is_token(b)) && !is_uri
}

/// Whether there is a CR without LF (RFC 9112 section 2.2).
pub(super) fn has_bare_cr(text: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'))
}

/// RFC 9110 section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Appends the events of the head. After `sure` bytes there are lines that may be
/// content.
pub(super) fn events(text: &[u8], sure: usize, events: &mut Vec<Event>) {
    let mut stretches = Stretches { events };
    let mut lines = text.split_inclusive(|&b| b == b'\n').peekable();
    let first = lines.next().unwrap_or_default();
    let moves = is_move(first);
    let mut end = first.len();
    stretches.skip(end);
    while let Some(line) = lines.next() {
        let is_sure = end < sure;
        end += line.len();
        if is_folded(line) {
            // Content may also look like a field.
            stretches.text(line.len());
            continue;
        }
        let colon = memchr::memchr(b':', line);
        let field = colon.and_then(|at| Some((at, reference_field(line[..at].trim_ascii())?)));
        let Some((colon, field)) = field else {
            match is_sure {
                true => stretches.skip(line.len()),
                false => stretches.text(line.len()),
            }
            continue;
        };
        stretches.skip(colon + 1);
        let value = &line[colon + 1..];
        let found = references(field, value);
        let is_long = |found: &FieldReference| found.range.len() > REFERENCE_MAX;
        if lines.peek().is_some_and(|next| is_folded(next)) || found.iter().any(is_long) {
            stretches.text(value.len());
            continue;
        }
        let is_link = field == LINK;
        let mut at = 0;
        for FieldReference { range, rel } in found {
            // Parameters of links may also hold URIs.
            stretches.between(range.start - at, is_link);
            stretches.reference(Delimited {
                wrapper: match is_link {
                    true => Wrapper::Angle,
                    false => Wrapper::None,
                },
                header: Some(field),
                link: (moves || field != LOCATION).then(|| position(field, rel)),
                ..Delimited::new(range.len())
            });
            at = range.end;
        }
        stretches.between(value.len() - at, is_link);
    }
}

/// Whether a response with this status line moves to the URI of its `Location`: it is a
/// new resource, or a redirection (RFC 9110 section 10.2.2).
fn is_move(line: &[u8]) -> bool {
    let mut words = line.split(|byte| byte.is_ascii_whitespace());
    is_move_status(words.nth(1).unwrap_or_default())
}

fn is_move_status(status: &[u8]) -> bool {
    matches!(status, b"201" | [b'3', b'0'..=b'9', b'0'..=b'9'])
}

/// A field of a quoted head whose values hold references.
#[cfg(feature = "html")]
#[derive(Clone, Copy, Debug)]
pub(in crate::decode) struct ReferenceField {
    name: &'static str,
}

#[cfg(feature = "html")]
impl ReferenceField {
    /// Returns the field `name`, if its values hold references.
    pub(in crate::decode) fn named(name: &[u8]) -> Option<ReferenceField> {
        reference_field(name).map(|name| ReferenceField { name })
    }

    /// Returns the ranges of the links in a value of a response with this status, each with
    /// its position.
    pub(in crate::decode) fn links(
        self,
        value: &[u8],
        status: &[u8],
    ) -> impl Iterator<Item = (Range<usize>, Arc<OwnedLink>)> + use<> {
        let counts = self.name != LOCATION || is_move_status(status);
        let found = references(self.name, value).into_iter();
        let found = found.filter(move |found| counts && found.range.len() <= REFERENCE_MAX);
        found.map(move |found| (found.range, position(self.name, found.rel)))
    }
}

/// Returns the position of a link in a header field.
fn position(field: &str, rel: Vec<u8>) -> Arc<OwnedLink> {
    Arc::new(OwnedLink {
        path: [b"HTTP@/", field.as_bytes()].concat(),
        rel,
        nofollow: false,
    })
}

/// Events, where adjacent ones of the same kind are joined.
struct Stretches<'e> {
    events: &'e mut Vec<Event>,
}

impl Stretches<'_> {
    fn skip(&mut self, len: usize) {
        match self.events.last_mut() {
            Some(Event::Skipped(last)) => *last += len,
            _ if len == 0 => {}
            _ => self.events.push(Event::Skipped(len)),
        }
    }

    fn text(&mut self, len: usize) {
        match self.events.last_mut() {
            Some(Event::Text(last)) => *last += len,
            _ if len == 0 => {}
            _ => self.events.push(Event::Text(len)),
        }
    }

    fn between(&mut self, len: usize, is_text: bool) {
        match is_text {
            true => self.text(len),
            false => self.skip(len),
        }
    }

    fn reference(&mut self, reference: Delimited) {
        self.events.push(Event::Reference(reference));
    }
}

/// Whether a line continues the field before it (RFC 9112 section 5.2).
fn is_folded(line: &[u8]) -> bool {
    matches!(line, [b' ' | b'\t', ..])
}

/// A reference in the value of a field.
struct FieldReference {
    range: Range<usize>,
    /// The relations; empty unless the value is in a `Link` field.
    rel: Vec<u8>,
}

/// Returns the references in the value of a field. Empty references do not count.
fn references(field: &str, value: &[u8]) -> Vec<FieldReference> {
    let mut found = Vec::new();
    let mut add = |range: Range<usize>, relations: &[u8]| {
        let text = &value[range.clone()];
        let start = range.start + (text.len() - text.trim_ascii_start().len());
        let range = start..start + text.trim_ascii().len();
        if !range.is_empty() {
            let mut rel = Vec::new();
            rel::push_tokens(relations, &mut rel);
            found.push(FieldReference { range, rel });
        }
    };
    match field {
        LINK => link::links(value).for_each(|link| add(link.target, &link.rel)),
        REFRESH => refresh::url(value)
            .into_iter()
            .for_each(|url| add(url, b"")),
        // RFC 9110 sections 8.7 and 10.2.2.
        _ => add(0..value.len(), b""),
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the head, with each part marked by its event.
    fn marked(text: &[u8]) -> String {
        let mut at = 0;
        let mut marked = String::new();
        let mut found = Vec::new();
        events(text, fields_end(text), &mut found);
        for event in found {
            let (len, open, close) = match event {
                Event::Skipped(len) => (len, None, ""),
                Event::Text(len) => (len, Some('('), ")"),
                Event::Reference(reference) => (reference.len, Some('['), "]"),
                other => panic!("{other:?}"),
            };
            let here = String::from_utf8_lossy(&text[at..at + len]);
            marked += &open.map_or(".".to_owned(), |open| format!("{open}{here}{close}"));
            at += len;
        }
        assert_eq!(at, text.len());
        marked
    }

    #[test]
    fn references_and_codings() {
        let text = b"HTTP/1.1 301 http://no/\r\nServer: http://no/\r\nlocation: http://a/\r\n\
            Link: <http://b/>;\r\n rel=x\r\nContent-Encoding: gzip, BR\r\n\
            Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(marked(text), ".[http://a/].( <http://b/>;\r\n rel=x\r\n).");
        let head = read(text);
        assert_eq!(head.codings, [&b"chunked"[..], b"br", b"gzip"]);
        assert_eq!(head.media_type, b"text/html");
    }

    /// Returns the paths and relations of the links, with a dash for a reference that is
    /// not one.
    fn links(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        events(text.as_bytes(), text.len(), &mut found);
        let references = found.into_iter().filter_map(|event| match event {
            Event::Reference(reference) => Some(reference.link),
            _ => None,
        });
        let shown = references.map(|link| match link {
            None => "-".to_owned(),
            Some(link) => [&link.path[..], &link.rel]
                .map(String::from_utf8_lossy)
                .join(" "),
        });
        shown.collect()
    }

    #[test]
    fn links_have_positions() {
        let fields =
            "Location: /a\nContent-Location: /b\nRefresh: 1;/c\nLink: <d>;rel=\"Next  X\",<e>\n";
        let wanted = [
            "HTTP@/content-location ",
            "HTTP@/refresh ",
            "HTTP@/link next x",
            "HTTP@/link ",
        ];
        for (status, moves) in [
            ("HTTP/1.1 301 Moved", true),
            ("HTTP/2 201", true),
            ("HTTP/1.1 308", true),
            ("HTTP/1.1 200 301", false),
            ("HTTP/1.1 3000", false),
            ("HTTP/1.1", false),
            ("GET /301 HTTP/1.1", false),
        ] {
            let found = links(&format!("{status}\r\n{fields}"));
            assert_eq!(
                found[0],
                if moves { "HTTP@/location " } else { "-" },
                "{status}"
            );
            assert_eq!(found[1..], wanted);
        }
    }

    #[test]
    fn values() {
        for (field, wanted) in [
            ("Content-Location:  ../a b\t", ".[../a b]."),
            ("Location: ", "."),
            ("Location", ".(Location)"),
            (
                "Link: </a>; rel=x, <b>;anchor=\"#c\"",
                ".( <)[/a](>; rel=x, <)[b](>;anchor=\"#c\")",
            ),
            ("Link: <>, <a", ".( <>, <a)"),
            ("Link: </a>;title=\"<b>\"", ".( <)[/a](>;title=\"<b>\")"),
            ("Refresh: 5; url=/a", ".[/a]"),
            ("Refresh: 0.5;URL = 'a b' c", ".[a b]."),
            ("refresh: 1,\"a", ".[a]"),
            ("refresh: 1 urls", ".[urls]"),
            ("refresh: 1", "."),
            ("refresh: x;url=a", "."),
        ] {
            assert_eq!(
                marked(format!("HTTP/1.1 200\n{field}").as_bytes()),
                wanted,
                "{field}"
            );
        }
        let long = format!("HTTP/1.1 200\nLocation: {}", "a".repeat(9000));
        assert_eq!(marked(long.as_bytes()).len(), 9000 + 4);
    }
}
