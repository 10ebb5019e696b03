//! The content of a part between two boundaries: it is opened as a part of its own when its
//! first byte comes. Text before and behind what is in base64 or uuencode is text (T2, T3).

use crate::decode::event::{Event, Output};
use crate::item::{MailPart, MailPartKind, OwnedContext, Part, Timestamp};
use std::sync::Arc;

/// The longest line that may begin, end or continue a coding.
const LINE_MAX: usize = 1024;

/// The statements of a message that all its parts have.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageFacts {
    pub id: Option<Arc<[u8]>>,
    pub date: Option<Timestamp>,
}

/// The number of a part, and the statements of its message.
pub(super) type MailPlace<'p> = (&'p [u8], &'p MessageFacts);

/// The content of a part.
#[derive(Debug)]
pub(super) struct Leaf {
    /// The part as it is coded, until it is opened for the last time.
    part: Option<Arc<Part>>,
    /// The text around the coding, where there is one.
    text: Option<Arc<Part>>,
    kind: LeafKind,
    /// The part that is open.
    open: Option<OpenPart>,
}

/// How a part divides into what is coded and text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafKind {
    /// None of it is read.
    Unread,
    /// All of it is one part.
    Whole,
    Base64(Base64Place),
    /// In uuencode, or in the text before and behind it.
    Uuencode,
}

/// The place in a part in base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base64Place {
    Coded,
    /// In the line behind its padding.
    PaddedLine,
    /// At the start of a line behind that.
    Padded,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenPart {
    Coded,
    Text,
}

impl Leaf {
    /// Creates the content of `part`; the text around what is coded is `text`.
    pub fn new(part: Part, kind: LeafKind, text: impl FnOnce() -> Part) -> Leaf {
        let has_text = matches!(kind, LeafKind::Base64(_) | LeafKind::Uuencode);
        Leaf {
            part: Some(Arc::new(part)),
            text: has_text.then(|| Arc::new(text())),
            kind,
            open: None,
        }
    }

    /// Creates content that is text.
    pub fn text(text: Part) -> Leaf {
        Leaf::new(text, LeafKind::Whole, Part::default)
    }

    /// Creates content that is not read.
    pub fn unread() -> Leaf {
        Leaf {
            part: None,
            text: None,
            kind: LeafKind::Unread,
            open: None,
        }
    }

    /// Reads `bytes`, the next ones; `ends` says that they are the last ones of the part.
    /// Returns the number that were read. The others are to be pushed again with more.
    pub fn push(&mut self, bytes: &[u8], ends: bool, out: &mut Output) -> usize {
        if self.kind == LeafKind::Unread {
            if !bytes.is_empty() {
                out.events.push(Event::Skipped(bytes.len()));
            }
            return bytes.len();
        }
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let len = match self.kind {
                LeafKind::Unread | LeafKind::Whole => self.body(OpenPart::Coded, rest.len(), out),
                LeafKind::Base64(place) => self.base64(place, rest, ends, out),
                LeafKind::Uuencode => self.uuencode(rest, ends, out),
            };
            if len == 0 {
                break;
            }
            at += len;
        }
        at
    }

    /// Ends the part.
    pub fn end(&mut self, out: &mut Output) {
        if self.open.take().is_some() {
            out.events.push(Event::PartEnd);
        }
    }

    /// Writes the next `len` bytes, which are coded or text.
    fn body(&mut self, kind: OpenPart, len: usize, out: &mut Output) -> usize {
        if self.open != Some(kind) {
            self.end(out);
            let part = match (kind, self.kind) {
                (OpenPart::Text, _) => self.text.clone(),
                (OpenPart::Coded, LeafKind::Whole) => self.part.take(),
                (OpenPart::Coded, _) => self.part.clone(),
            };
            out.events.extend(part.map(Event::Part));
            self.open = Some(kind);
        }
        if len > 0 {
            out.events.push(Event::Body(len));
        }
        len
    }

    fn base64(&mut self, place: Base64Place, rest: &[u8], ends: bool, out: &mut Output) -> usize {
        let (len, next) = match place {
            Base64Place::Coded => match memchr::memchr(b'=', rest) {
                None => (rest.len(), place),
                Some(at) => (at + 1, Base64Place::PaddedLine),
            },
            Base64Place::PaddedLine => match memchr::memchr(b'\n', rest) {
                None => (rest.len(), place),
                Some(at) => (at + 1, Base64Place::Padded),
            },
            Base64Place::Padded => {
                let window = &rest[..rest.len().min(LINE_MAX)];
                let end = memchr::memchr(b'\n', window);
                if end.is_none() && window.len() < LINE_MAX && !ends {
                    return 0;
                }
                let is_whole = end.is_some() || ends && rest.len() < LINE_MAX;
                let len = end.map_or(window.len(), |at| at + 1);
                let line = window[..len].trim_ascii_end();
                let is_coded = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
                let digits = line.iter().take_while(|b| is_coded(b)).count();
                let padding = line[digits..].iter().all(|b| *b == b'=');
                let goes_on = is_whole && padding && line.len().is_multiple_of(4);
                if !goes_on {
                    self.kind = LeafKind::Base64(Base64Place::Text);
                    return self.body(OpenPart::Text, rest.len(), out);
                }
                let has_padding = digits < line.len();
                match (line.is_empty(), has_padding) {
                    (true, _) | (_, true) => (len, Base64Place::Padded),
                    _ => (len, Base64Place::Coded),
                }
            }
            Base64Place::Text => return self.body(OpenPart::Text, rest.len(), out),
        };
        self.kind = LeafKind::Base64(next);
        self.body(OpenPart::Coded, len, out)
    }

    fn uuencode(&mut self, rest: &[u8], ends: bool, out: &mut Output) -> usize {
        let window = &rest[..rest.len().min(LINE_MAX)];
        let end = memchr::memchr(b'\n', window);
        if end.is_none() && window.len() < LINE_MAX && !ends {
            return 0;
        }
        let len = end.map_or(window.len(), |at| at + 1);
        let line = window[..len].trim_ascii_end();
        let is_inside = self.open == Some(OpenPart::Coded);
        if is_inside && line == b"end" {
            self.body(OpenPart::Coded, len, out);
            // Nothing but text follows, or another file.
            self.end(out);
            return len;
        }
        match is_inside || is_begin(line) {
            true => self.body(OpenPart::Coded, len, out),
            false => self.body(OpenPart::Text, len, out),
        }
    }
}

/// Whether a line begins a file in uuencode: `begin`, a mode and a name.
fn is_begin(line: &[u8]) -> bool {
    let mut words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
    let is_mode = |mode: &[u8]| {
        (3..=4).contains(&mode.len()) && mode.iter().all(|b| matches!(b, b'0'..=b'7'))
    };
    words.next() == Some(b"begin") && words.next().is_some_and(is_mode) && words.next().is_some()
}

/// Returns a part of the mail in `around`.
pub(super) fn part_of(
    around: &Part,
    (path, message): MailPlace,
    media_type: &[u8],
    mail: MailPart,
) -> Part {
    Part {
        context: OwnedContext {
            part: (!path.is_empty()).then(|| Arc::from(path)),
            message_id: message.id.clone(),
            message_date: message.date,
            ..around.context.clone()
        },
        media_type: media_type.to_vec(),
        truncated: around.truncated,
        offset: around.offset,
        mail: Some(Arc::new(mail)),
        ..Part::default()
    }
}

/// Returns a part whose content is text in no stated charset.
pub(super) fn text_part(around: &Part, place: MailPlace) -> Part {
    let mail = MailPart {
        kind: MailPartKind::default(),
        ..MailPart::default()
    };
    part_of(around, place, b"text/plain", mail)
}
