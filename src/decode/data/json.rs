//! The decoder of JSON, JSON Lines, values one after the other and JSON5 (J1): every string is
//! a text of its own, comments are texts. It splits, and does not validate.

use super::choice::DataFields;
use super::lines::pass_lines;
use super::passing::pass;
use super::requests::{DataRequests, StatedRecord};
use super::tokens::{JsonToken, is_value, token};
use super::values::{RecentPointers, Undo, may_have_uris, write_text, write_value};
use super::way::JsonWay;
use super::wide::WideDecoder;
use crate::decode::content_reading::{ContentReading, ValuePositions};
use crate::decode::event::{DataOddity, DataPlace, Decode, Event, Output};
use crate::decode::json::unescape;
use crate::decode::log::LOG_RECORD_MAX;
use crate::decode::mentions::Mentions;
use crate::item::OffsetMap;
use crate::syntax::masks::stops::{FindStops, Stops, has_colon};
use std::ops::Range;
use std::sync::Arc;

/// Returns the decoder of JSON.
pub(in crate::decode) fn json_decoder(reading: &ContentReading) -> Box<dyn Decode> {
    Box::new(WideDecoder::new(JsonDecoder::new(reading)))
}

/// Whether a text begins as an object, or as an array of strings, objects or arrays.
pub(in crate::decode) fn begins_as_json(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let mut shown = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    match shown.next() {
        Some(b'{') => matches!(shown.next(), Some(b'"' | b'}')),
        Some(b'[') => matches!(shown.next(), Some(b'"' | b'{' | b'[')),
        _ => false,
    }
}

#[derive(Debug)]
struct JsonDecoder {
    mentions: Mentions,
    stops: Arc<dyn FindStops>,
    /// Whether values have their pointers.
    pointers: bool,
    /// The offset from which on lines may be passed: not directly behind one that was not.
    lines_from: u64,
    /// The strings of lines that were passed, of the current window.
    strings: Vec<Range<usize>>,
    fields: Arc<DataFields>,
    requests: Option<DataRequests>,
    /// Each value that is in no other one is shown by an event.
    shows_records: bool,
    place: JsonPlace,
    way: JsonWay,
    recent: RecentPointers,
    /// The last token ended a value, or was a key.
    after_value: bool,
    /// The next byte is the first one of a line.
    at_line_start: bool,
    /// Text before was broken: the objects and arrays around are not known.
    is_lost: bool,
    /// A field that was selected is in the current value.
    has_field: bool,
    /// The record that is read, if its end is known.
    record: Option<StatedRecord>,
    /// The place up to which the end of a record was looked for, which begins the next bytes.
    ahead: Option<LookAhead>,
    /// The number of bytes before the next ones.
    offset: u64,
    /// The number of bytes of the next token that do not end it.
    known: usize,
}

/// The number of bytes in which no lines are passed behind one that was not: where few are,
/// looking at each again would cost more than it saves.
const NEAR: u64 = 1 << 10;

/// The kind of bytes that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonPlace {
    Tokens,
    /// The rest of a line after a defect.
    BrokenLine,
    Comment {
        line: bool,
    },
    /// A string that is too long, up to its quotation mark.
    LongString {
        quote: u8,
        wanted: bool,
    },
}

/// The state of looking for the end of a record.
#[derive(Clone, Copy, Debug, Default)]
struct LookAhead {
    scanned: usize,
    depth: usize,
    /// Bit by bit whether the objects and arrays around are objects, the innermost one last.
    objects: u64,
    after_value: bool,
    awaits_key: bool,
    at_line_start: bool,
}

/// The bytes at the start of a record that may be a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordBytes {
    /// All of it.
    Whole(usize),
    /// The record is too long or broken.
    Cut(usize),
}

impl Decode for JsonDecoder {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let finder = Arc::clone(&self.stops);
        let mut stops = Stops::new(&*finder);
        let mut at = 0;
        while at < bytes.len() {
            if self.may_begin_record(bytes, at) {
                let ahead = self.ahead.take().unwrap_or_default();
                match self.look_ahead(ahead, &bytes[at..], last) {
                    Some(found) => self.begin_record(bytes, at, found, out),
                    None => break,
                }
            }
            if self.may_pass_lines(bytes, at) {
                at = self.pass_lines(bytes, at, out);
                if at == bytes.len() {
                    break;
                }
            }
            if self.may_pass(at) {
                let (way, after_value) = (&mut self.way, &mut self.after_value);
                let to = pass(way, (bytes, at), &mut stops, after_value);
                out.skip(to - at);
                at = to;
                if at == bytes.len() {
                    break;
                }
            }
            let rest = &bytes[at..];
            let read = match self.place {
                JsonPlace::Tokens => self
                    .next_token(rest, last)
                    .map(|found| self.take(found, bytes, at, out)),
                _ => self.read_on(rest, last, out),
            };
            let Some(len) = read else { break };
            at += len;
            self.end_record(at, out);
        }
        self.offset += at as u64;
        self.end_record(usize::MAX, out);
        self.way.keep_keys(bytes);
        if last && self.way.depth() > 0 {
            self.note_defect(out);
            self.way.truncate(0);
        }
        at
    }
}

impl LookAhead {
    /// Takes the next token, of these bytes. Returns false if it is the beginning of another
    /// record, so that this one is cut.
    fn take(&mut self, token: JsonToken, bytes: &[u8]) -> bool {
        let begins_line = std::mem::take(&mut self.at_line_start);
        match token {
            JsonToken::Blank(_) => self.at_line_start = ends_line(bytes, begins_line),
            JsonToken::Comment { .. } => {}
            JsonToken::Open { object } => {
                if self.depth > 0 && begins_line && (self.after_value || self.awaits_key) {
                    return false;
                }
                self.depth += 1;
                self.objects = self.objects << 1 | u64::from(object);
                (self.after_value, self.awaits_key) = (false, object);
            }
            JsonToken::Close { .. } => {
                self.depth -= 1;
                self.objects >>= 1;
                self.after_value = true;
            }
            JsonToken::Comma => {
                (self.after_value, self.awaits_key) = (false, self.objects & 1 == 1);
            }
            JsonToken::Colon => (self.after_value, self.awaits_key) = (false, false),
            _ => self.after_value = true,
        }
        true
    }
}

/// Whether a line begins behind these blanks, which begin one or not: only the separator of RFC
/// 7464 may precede a value in its line.
fn ends_line(blanks: &[u8], begins_line: bool) -> bool {
    let line = memchr::memrchr(b'\n', blanks).map_or(0, |line| line + 1);
    (line > 0 || begins_line) && blanks[line..].iter().all(|&byte| byte == 0x1E)
}

impl JsonDecoder {
    fn new(reading: &ContentReading) -> JsonDecoder {
        JsonDecoder {
            mentions: reading.mentions,
            stops: Arc::clone(&reading.stops),
            pointers: reading.positions == ValuePositions::Named,
            lines_from: match reading.stops.has_fast_lines() {
                true => 0,
                false => u64::MAX,
            },
            strings: Vec::new(),
            fields: Arc::clone(&reading.fields),
            // The values of a request are not selected one by one.
            requests: DataRequests::new(reading).filter(|_| reading.fields.pointers.is_empty()),
            shows_records: reading.shows_records,
            place: JsonPlace::Tokens,
            way: JsonWay::default(),
            recent: RecentPointers::new(),
            after_value: false,
            at_line_start: true,
            is_lost: false,
            has_field: false,
            record: None,
            ahead: None,
            offset: 0,
            known: 0,
        }
    }

    /// Whether whole lines from `at` on may be passed: an object begins there that is no
    /// request.
    fn may_pass_lines(&mut self, bytes: &[u8], at: usize) -> bool {
        bytes[at] == b'{'
            && self.at_line_start
            && self.way.depth() == 0
            && !self.shows_records
            && self.offset + at as u64 >= self.lines_from
            && self.may_skip(at)
    }

    /// Passes sound lines; returns the start of the first other one.
    fn pass_lines(&mut self, bytes: &[u8], at: usize, out: &mut Output) -> usize {
        let mut strings = std::mem::take(&mut self.strings);
        strings.clear();
        let noted = (!self.pointers).then_some(&mut strings);
        let to = pass_lines(&*self.stops, bytes, at, noted);
        let mut from = at;
        for string in &strings {
            out.skip(string.start - from);
            write_value(&bytes[string.clone()], None, |_| {}, out);
            from = string.end;
        }
        out.skip(to - from);
        self.lines_from = self.offset + to as u64 + NEAR;
        self.strings = strings;
        to
    }

    /// Whether tokens from `at` on may be skipped that have no URI: those in an object or array.
    fn may_pass(&mut self, at: usize) -> bool {
        self.way.depth() > 0 && !self.way.is_deep() && !self.at_line_start && self.may_skip(at)
    }

    /// Whether sound tokens from `at` on may be skipped that have no URI: all are searched, and
    /// they are of no request.
    fn may_skip(&mut self, at: usize) -> bool {
        self.place == JsonPlace::Tokens
            && self.known == 0
            && !self.is_lost
            && self.mentions == Mentions::WithColon
            && self.fields.pointers.is_empty()
            && self.record.is_none()
            && self
                .requests
                .as_mut()
                .is_none_or(|requests| !requests.reads_at(self.offset + at as u64))
    }

    /// Returns the next token, if all bytes are there by which it is judged.
    fn next_token(&mut self, rest: &[u8], last: bool) -> Option<JsonToken> {
        let found = token(rest, last, &mut self.known)?;
        let is_complete = match found {
            // A colon and a comment after a name are those of a URI.
            JsonToken::Word(len) if rest.get(len) == Some(&b':') => rest.len() >= len + 3,
            _ => true,
        };
        (is_complete || last).then_some(found)
    }

    /// Whether the byte at `at` begins a record that may be a request and was not read: an
    /// object that is in no other one, or the element of an array (G1).
    fn may_begin_record(&mut self, bytes: &[u8], at: usize) -> bool {
        let is_item = |way: &mut JsonWay| way.depth() == 1 && way.is_in_array();
        bytes[at] == b'{'
            && self.place == JsonPlace::Tokens
            && self.record.is_none()
            // A value that begins a line is not part of what was lost.
            && (!self.is_lost || self.at_line_start && self.way.depth() == 0)
            && (self.way.depth() == 0 || is_item(&mut self.way))
            && self
                .requests
                .as_mut()
                .is_some_and(|requests| requests.reads_at(self.offset + at as u64))
    }

    /// Begins the record at `at` in the window.
    fn begin_record(&mut self, bytes: &[u8], at: usize, found: RecordBytes, out: &mut Output) {
        self.known = 0;
        if let Some(requests) = &mut self.requests {
            self.record = Some(match found {
                RecordBytes::Whole(len) => requests.read(bytes, at..at + len, out),
                RecordBytes::Cut(len) => {
                    requests.read_cut(&bytes[at..at + len], out);
                    StatedRecord::unread(at)
                }
            });
        }
    }

    /// Ends the record, if it ends at `at` or before.
    fn end_record(&mut self, at: usize, out: &mut Output) {
        if let Some(record) = self.record.take_if(|record| record.end <= at) {
            record.end(out);
        }
    }

    /// Looks for the end of the record with which `bytes` begin; `None` while it is not there.
    fn look_ahead(
        &mut self,
        mut ahead: LookAhead,
        bytes: &[u8],
        last: bool,
    ) -> Option<RecordBytes> {
        let cut = |len: usize| Some(RecordBytes::Cut(len.min(bytes.len()).min(LOG_RECORD_MAX)));
        while ahead.scanned <= LOG_RECORD_MAX {
            let scanned = ahead.scanned;
            let rest = &bytes[scanned..];
            let found = match rest {
                [] => None,
                _ => token(rest, last, &mut self.known),
            };
            let len = match found {
                Some(JsonToken::Comment { line }) => comment_len(rest, line, last),
                Some(found) => match found.known_len() {
                    Some(len) => Some(len),
                    None => {
                        let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                        return cut(scanned + line);
                    }
                },
                None => None,
            };
            let (Some(found), Some(len)) = (found, len) else {
                if last || bytes.len() > LOG_RECORD_MAX {
                    return cut(bytes.len());
                }
                self.ahead = Some(ahead);
                return None;
            };
            if !ahead.take(found, &rest[..len]) {
                return cut(scanned);
            }
            ahead.scanned += len;
            if ahead.depth == 0 {
                let is_long = ahead.scanned > LOG_RECORD_MAX;
                return match is_long {
                    true => cut(bytes.len()),
                    false => Some(RecordBytes::Whole(ahead.scanned)),
                };
            }
        }
        cut(bytes.len())
    }

    /// Takes a token at `at`; returns the number of bytes that were read.
    fn take(&mut self, found: JsonToken, bytes: &[u8], at: usize, out: &mut Output) -> usize {
        let begins_line = std::mem::take(&mut self.at_line_start);
        match found {
            JsonToken::Blank(len) => {
                self.at_line_start = ends_line(&bytes[at..at + len], begins_line);
                out.skip(len);
                len
            }
            JsonToken::Comma | JsonToken::Colon => {
                match found {
                    JsonToken::Comma => self.way.comma(),
                    _ => self.way.colon(),
                }
                self.after_value = false;
                out.skip(1);
                1
            }
            JsonToken::Open { object } => {
                let is_inside = self.way.depth() > 0;
                if is_inside && begins_line && (self.after_value || self.way.awaits_key()) {
                    self.note_defect(out);
                    self.way.truncate(0);
                    self.end_record(usize::MAX, out);
                    self.is_lost = false;
                    // The value may be a record.
                    return 0;
                }
                if self.way.depth() == 0 {
                    self.is_lost &= !begins_line;
                    self.has_field = false;
                }
                self.show_record(out);
                let is_chosen = self.is_chosen(bytes);
                self.way.enter(object, is_chosen);
                self.after_value = false;
                out.skip(1);
                1
            }
            JsonToken::Close { object } => self.close(object, out),
            JsonToken::String { len, escaped } => {
                self.show_record(out);
                self.string(bytes, at..at + len, escaped, out);
                len
            }
            JsonToken::LongString => {
                self.show_record(out);
                let is_key = self.way.awaits_key();
                if is_key {
                    self.way.set_long_key();
                }
                let wanted = self.fields.pointers.is_empty() || !is_key && self.is_chosen(bytes);
                self.place = JsonPlace::LongString {
                    quote: bytes[at],
                    wanted,
                };
                out.skip(1);
                1
            }
            JsonToken::Comment { line } => {
                self.place = JsonPlace::Comment { line };
                out.skip(2);
                2
            }
            JsonToken::Word(len) => self.word(bytes, at, len, out),
            JsonToken::TornString | JsonToken::LongWord => self.break_line(out),
        }
    }

    fn close(&mut self, object: bool, out: &mut Output) -> usize {
        if !self.way.leave(object) {
            // The openers of what was lost are not known.
            if self.way.depth() > 0 || !self.is_lost {
                return self.break_line(out);
            }
            out.skip(1);
            return 1;
        }
        out.skip(1);
        self.end_of_value(out);
        1
    }

    /// Takes a string, with its quotes.
    fn string(&mut self, bytes: &[u8], range: Range<usize>, escaped: bool, out: &mut Output) {
        let inside = range.start + 1..range.end - 1;
        let is_key = self.way.awaits_key();
        if is_key {
            self.way.set_key(inside.clone());
        }
        let is_chosen = match is_key {
            true => self.way.is_chosen(),
            false => self.is_chosen(bytes),
        };
        let raw = &bytes[inside.clone()];
        let is_stated = |record: &StatedRecord| record.has_value_in(&inside);
        let is_wanted = is_chosen || self.fields.pointers.is_empty();
        // The same strings as those that are not passed, however the bytes are divided.
        let may_have_uris = || match (self.mentions, escaped) {
            (Mentions::WithColon, false) => has_colon(&*self.stops, &bytes[range.clone()]),
            _ => may_have_uris(self.mentions, raw, escaped),
        };
        if is_wanted && may_have_uris() || self.record.as_ref().is_some_and(is_stated) {
            out.skip(1);
            let pointer = match self.is_lost || !self.pointers {
                true => None,
                false => self.way.pointer(bytes, &mut self.recent),
            };
            if pointer.is_none() && self.pointers {
                out.events.push(Event::Odd(DataOddity::WithoutPointer));
            }
            let undo = escaped.then_some(unescape_all as Undo);
            let place = pointer.map(DataPlace::Json);
            write_value(raw, undo, |value| value.place = place, out);
            out.skip(1);
        } else {
            out.skip(range.len());
        }
        match is_key {
            true => self.after_value = true,
            false => self.end_of_value(out),
        }
    }

    /// Takes a word: a name, a number or a literal.
    fn word(&mut self, bytes: &[u8], at: usize, len: usize, out: &mut Output) -> usize {
        let (word, after) = bytes[at..].split_at(len);
        let is_deep = self.way.is_deep();
        let is_name = self.way.awaits_key();
        let is_sound = match self.way.depth() {
            0 => is_value(word),
            _ if is_deep => true,
            _ if self.after_value => false,
            _ if is_name => !after.starts_with(b"://"),
            _ => !after.starts_with(b":"),
        };
        if !is_sound {
            return self.break_line(out);
        }
        out.skip(len);
        if is_name {
            self.way.set_key(at..at + len);
            self.after_value = true;
        } else {
            self.is_chosen(bytes);
            self.end_of_value(out);
        }
        len
    }

    /// Whether the value that begins is searched although not all are.
    fn is_chosen(&mut self, bytes: &[u8]) -> bool {
        if self.fields.pointers.is_empty() {
            return false;
        }
        if self.way.depth() == 0 {
            self.has_field = false;
        }
        let way = &mut self.way;
        let is_field = !self.is_lost
            && self
                .fields
                .pointers
                .iter()
                .any(|tokens| way.is_at(tokens, bytes));
        self.has_field |= is_field;
        is_field || way.is_chosen()
    }

    /// A value ends, which may be that of a line.
    fn end_of_value(&mut self, out: &mut Output) {
        self.after_value = true;
        if self.way.depth() > 0 {
            return;
        }
        self.after_value = false;
        if !self.fields.pointers.is_empty() && !self.is_lost && !self.has_field {
            out.events.push(Event::Odd(DataOddity::WithoutField));
        }
    }

    /// Notes that a value is broken: it is lost if only some were selected (J7).
    fn note_defect(&mut self, out: &mut Output) {
        out.events.push(match self.fields.pointers.is_empty() {
            true => Event::Odd(DataOddity::BrokenJson),
            false => Event::Broken("json", "it is broken, so that the field is not known"),
        });
    }

    /// Begins a text that is the rest of the line (J7).
    fn break_line(&mut self, out: &mut Output) -> usize {
        self.note_defect(out);
        self.end_record(usize::MAX, out);
        self.lose_way();
        self.show_record(out);
        self.place = JsonPlace::BrokenLine;
        out.events.push(Event::Skipped(0));
        0
    }

    /// A value begins, or a text in place of one, which may be in no other one.
    fn show_record(&self, out: &mut Output) {
        if self.shows_records && self.way.depth() == 0 {
            out.events.push(Event::Record);
        }
    }

    fn lose_way(&mut self) {
        self.way.truncate(0);
        self.is_lost = true;
        self.after_value = false;
        self.known = 0;
    }

    /// Reads more of a text that is not a token; `None` if more bytes are needed.
    fn read_on(&mut self, rest: &[u8], last: bool, out: &mut Output) -> Option<usize> {
        let all = self.fields.pointers.is_empty();
        match self.place {
            JsonPlace::Tokens => Some(0),
            JsonPlace::BrokenLine => {
                let end = memchr::memchr(b'\n', rest);
                let len = end.map_or(rest.len(), |end| end + 1);
                write_text(len, all, out);
                if end.is_some() {
                    self.place = JsonPlace::Tokens;
                    self.at_line_start = true;
                }
                Some(len)
            }
            JsonPlace::Comment { line: true } => {
                let end = memchr::memchr(b'\n', rest);
                write_text(end.unwrap_or(rest.len()), all, out);
                if end.is_some() {
                    self.place = JsonPlace::Tokens;
                }
                Some(end.unwrap_or(rest.len()))
            }
            JsonPlace::Comment { line: false } => {
                if let Some(end) = memchr::memmem::find(rest, b"*/") {
                    write_text(end, all, out);
                    out.skip(2);
                    self.place = JsonPlace::Tokens;
                    return Some(end + 2);
                }
                let kept = usize::from(rest.ends_with(b"*") && !last);
                let len = rest.len() - kept;
                write_text(len, all, out);
                (len > 0).then_some(len)
            }
            JsonPlace::LongString { quote, wanted } => {
                self.long_string(rest, (quote, wanted), last, out)
            }
        }
    }

    /// Reads more of a string that is too long.
    fn long_string(
        &mut self,
        rest: &[u8],
        (quote, wanted): (u8, bool),
        last: bool,
        out: &mut Output,
    ) -> Option<usize> {
        let mut at = 0;
        while let Some(found) = memchr::memchr3(quote, b'\\', b'\n', &rest[at..]) {
            at += found;
            match rest[at] {
                b'\\' => {
                    let len = match rest[at + 1..] {
                        [b'\r', b'\n', ..] => 3,
                        [b'\r'] | [] if !last => break,
                        [] => 1,
                        _ => 2,
                    };
                    at += len;
                }
                b'\n' => {
                    write_text(at, wanted, out);
                    self.note_defect(out);
                    self.lose_way();
                    self.place = JsonPlace::Tokens;
                    return Some(at);
                }
                _ => {
                    write_text(at, wanted, out);
                    out.skip(1);
                    self.place = JsonPlace::Tokens;
                    match self.way.awaits_key() {
                        true => self.after_value = true,
                        false => self.end_of_value(out),
                    }
                    return Some(at + 1);
                }
            }
        }
        let is_cut = rest.get(at) == Some(&b'\\') && !last;
        let len = if is_cut { at } else { rest.len() };
        write_text(len, wanted, out);
        (len > 0).then_some(len)
    }
}

fn unescape_all(raw: &[u8], out: &mut Vec<u8>, map: &mut OffsetMap) {
    unescape(raw, out, Some(map));
}

/// Returns the length of the comment at the start of `text`, without the line feed that ends it;
/// `None` if its end is not there.
fn comment_len(text: &[u8], line: bool, last: bool) -> Option<usize> {
    let end = match line {
        true => memchr::memchr(b'\n', text),
        false => memchr::memmem::find(&text[2..], b"*/").map(|len| len + 4),
    };
    end.or(last.then_some(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::data::shown;
    use crate::decode::event::ValueKind;
    use proptest::prelude::*;

    /// The values of `text`, pushed in pieces of these sizes: texts of values with their
    /// pointers, other texts in parentheses, what is odd in short.
    fn shown(text: &str, sizes: &[usize]) -> String {
        shown_by(&ContentReading::default(), text, sizes)
    }

    fn shown_by(reading: &ContentReading, text: &str, sizes: &[usize]) -> String {
        let mut decoder = json_decoder(reading);
        shown::shown(&mut *decoder, text, sizes, |pushed, text| {
            match pushed.event {
                Event::Value(value) => {
                    assert_eq!(value.kind, super::super::values::VALUE);
                    assert!(!matches!(value.kind, ValueKind::Text { .. }));
                    let pointer = match &value.place {
                        Some(DataPlace::Json(path)) => path.text(),
                        _ => b"?".to_vec(),
                    };
                    format!("[{} {text}]", String::from_utf8_lossy(&pointer))
                }
                Event::Odd(DataOddity::BrokenJson) => "!".to_owned(),
                Event::Skipped(_) | Event::Record => String::new(),
                Event::Odd(DataOddity::WithoutPointer) => String::new(),
                other => panic!("{other:?}"),
            }
        })
    }

    #[test]
    fn values_and_defects() {
        for (text, wanted) in [
            ("", ""),
            ("{\"a\":\"b:c\",\"d:\":1}", "[/a b:c][/d: d:]"),
            ("\u{feff}[\"a:b\"]", "[/0 a:b]"),
            ("[[\"a:\",{}],'b:']", "[/0/0 a:][/1 b:]"),
            ("{a:{b:1,c:'d:'}}", "[/a/c d:]"),
            ("{\"a\":\" b: \"}", "[/a b:]"),
            ("//a:b\n/*c:*/\"d:\"", "(a:b)(c:)[ d:]"),
            ("{\"a\":\"b:\n\"c:\"", "!(\"b:\n)[? c:]"),
            ("{\"a\":1}] x:\n{\"b\":\"c:\"}", "!(] x:\n)[/b c:]"),
            ("{\"a\":[1\n{\"b\":\"c:\"}", "![/b c:]"),
            ("[\"a:\"", "[/0 a:]!"),
            ("abc d:e\n1 -2e3 true\n", "!(abc d:e\n)"),
            ("{a: b:c}\n", "!(b:c}\n)"),
            ("{http://a}\n", "!(http://a}\n)"),
            ("['a\\:b','a\\\n:b']", "[/0 a:b][/1 a:b]"),
            ("{\"\\u0061\\/\":\"b\\u003ac\"}", "[/a~1 b:c]"),
        ] {
            for size in [1, 2, 3, 100] {
                assert_eq!(shown(text, &[size]), wanted, "{text:?} by {size}");
            }
        }
    }

    /// J5, J8: deep and long ways have no pointer, and what follows them has.
    #[test]
    fn pointers_have_a_limit() {
        use super::super::way::{LEVELS_MAX, POINTER_MAX};
        for (depth, known) in [(LEVELS_MAX, true), (LEVELS_MAX + 1, false), (5000, false)] {
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            let text = format!("[{}\"a:\"{},\"b:\"]", &open[1..], &close[1..]);
            let got = shown(&text, &[700]);
            assert_eq!(!got.starts_with("[? "), known, "{depth}");
            assert!(got.ends_with("[/1 b:]"), "{depth}");
        }
        for (len, known) in [(POINTER_MAX - 1, true), (POINTER_MAX, false)] {
            let key = "k".repeat(len);
            let text = format!("{{\"{key}\":\"a:\",\"b\":\"c:\"}}");
            for size in [700, 9000] {
                let got = shown(&text, &[size]);
                assert_eq!(!got.starts_with("[? "), known, "{len}");
                assert!(got.ends_with("[/b c:]"), "{len}");
            }
        }
    }

    /// J7: a string of more than 1 MiB is a text in place.
    #[test]
    fn a_long_string_is_text() {
        use super::super::tokens::STRING_MAX;
        let long = format!("{}\\\"\\n:", "x".repeat(STRING_MAX));
        let text = format!("{{\"a\":\"{long}\",\"b\":\"c:\"}}");
        for size in [100_000, 3 << 20] {
            let got = shown(&text, &[size]);
            assert_eq!(got, format!("({long})[/b c:]"));
        }
        let torn = format!("[\"{}\n{{\"b\":\"c:\"}}", "x".repeat(STRING_MAX + 1));
        assert!(shown(&torn, &[100_000]).ends_with("x)![/b c:]"));
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            parts in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ":", ",", "\"", "'", "\\", "\n", " ", "/", "*", "a", "\"a:b\"", "'a:'", "1",
                "\"k\":", "\r\n", "\\u00e9",
            ]), 0..40),
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            let text = parts.concat();
            prop_assert_eq!(shown(&text, &sizes), shown(&text, &[text.len().max(1)]));
        }

        /// Lines that are passed have the same values and defects as others, but for pointers.
        #[test]
        fn lines_are_passed_alike(
            lines in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![
                "\"k\":", "\"a:b\"", "\"a b:\"", "\"c\"", ",", ", ", "{", "}", "[", "]", "1", "-2.5", "true", "x", ":",
                " ", "\\", "'", "\"", "/",
            ]), 0..9), 1..9),
        ) {
            let text: String = lines.iter().map(|line| format!("{{{}}}\n", line.concat())).collect();
            let mut reading = ContentReading { positions: ValuePositions::None, ..ContentReading::default() };
            let passed = shown_by(&reading, &text, &[text.len()]);
            // Records are shown: no line is passed.
            reading.shows_records = true;
            prop_assert_eq!(passed, shown_by(&reading, &text, &[text.len()]));
        }
    }
}
