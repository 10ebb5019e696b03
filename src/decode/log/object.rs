//! Lines that are one object of JSON (G3, G5).

use super::names::{LogPart, PlainName, SURICATA_CLIENT};
use super::quoting::ValueQuoting;
use super::stated::LineValues;
use crate::decode::json::JsonCursor;
use std::ops::Range;

/// The deepest object in which names count.
const DEPTH_MAX: usize = 8;

/// The kind of a line that begins with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    /// One object.
    Whole,
    /// The object is cut, or broken.
    Cut,
    /// The text is not only an object, or no record of a request.
    Other,
}

/// Reads a line that begins with an object into `stated`.
pub(super) fn read(line: &[u8], stated: &mut LineValues) -> ObjectKind {
    let mut object = ObjectReader {
        line,
        stated,
        is_http_event: None,
    };
    let mut cursor = JsonCursor { text: line, at: 0 };
    if object.members(&mut cursor).is_none() {
        return ObjectKind::Cut;
    }
    let kind = match line[cursor.at..].iter().all(u8::is_ascii_whitespace) {
        true => ObjectKind::Whole,
        false => ObjectKind::Other,
    };
    let is_http_event = object.is_http_event;
    // Other kinds of lines of Suricata repeat the request.
    if let Some(is_http) = is_http_event
        && stated.rank(LogPart::Client) == Some(SURICATA_CLIENT)
    {
        stated.is_http |= is_http;
        return if is_http { kind } else { ObjectKind::Other };
    }
    if stated.value(LogPart::ZeekPort).is_some() {
        stated.is_http = true;
    }
    kind
}

struct ObjectReader<'l, 's> {
    line: &'l [u8],
    stated: &'s mut LineValues,
    /// Whether `event_type` is `http`.
    is_http_event: Option<bool>,
}

impl ObjectReader<'_, '_> {
    /// Reads the members of the object at `cursor`.
    fn members(&mut self, cursor: &mut JsonCursor) -> Option<()> {
        if !cursor.takes(b'{') {
            return None;
        }
        if cursor.takes(b'}') {
            return Some(());
        }
        loop {
            let name = cursor.raw_string()?;
            let name = &self.line[name];
            cursor.takes(b':').then_some(())?;
            self.member(cursor, name)?;
            if cursor.takes(b'}') {
                return Some(());
            }
            cursor.takes(b',').then_some(())?;
        }
    }

    /// Reads the value of a member.
    fn member(&mut self, cursor: &mut JsonCursor, name: &[u8]) -> Option<()> {
        match cursor.peek()? {
            b'{' => {
                let plain = PlainName::of(name).filter(|name| self.stated.is_object(name));
                let is_deep = self.stated.objects.len() >= DEPTH_MAX;
                let Some(plain) = plain.filter(|_| !is_deep) else {
                    return cursor.skip();
                };
                self.stated.has_tls |= plain.bytes() == b"tls";
                self.stated.objects.push(plain);
                let read = self.members(cursor);
                self.stated.objects.pop();
                read
            }
            b'[' => {
                // The first string of an array counts: a header may occur several times.
                let is_field = self.stated.is_field(name);
                let first = cursor.ahead(|cursor| {
                    cursor.takes(b'[');
                    (cursor.peek() == Some(b'"')).then(|| cursor.raw_string())?
                });
                if let Some(range) = first.filter(|_| is_field) {
                    self.take(name, range);
                }
                cursor.skip()
            }
            b'"' => {
                let range = cursor.raw_string()?;
                self.take(name, range);
                Some(())
            }
            _ => {
                let start = cursor.at;
                cursor.skip()?;
                self.take(name, start..cursor.at);
                Some(())
            }
        }
    }

    fn take(&mut self, name: &[u8], range: Range<usize>) {
        if name == b"event_type" && self.stated.objects.is_empty() {
            self.is_http_event = Some(&self.line[range.clone()] == b"http");
        }
        self.stated
            .add(self.line, name, (range, ValueQuoting::Json));
    }
}
