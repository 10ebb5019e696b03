//! The values that a line states of its request, each with its place in the line.

use super::field_names::FieldNames;
use super::names::{HOST_FIELD, LogPart, PARTS, PlainName, Role, roles};
use super::quoting::ValueQuoting;
use super::request_line::{RequestLine, is_absolute, is_method, is_target};
use super::value::{HostField, is_nothing, is_web_scheme};
use std::ops::Range;
use std::sync::Arc;

/// No text is held.
const NOT_HELD: u32 = u32::MAX;

/// A value: its place in the line, and its text, which is in a buffer where the escapes of
/// the format around it are undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineValue {
    at: u32,
    len: u32,
    held_at: u32,
    held_len: u32,
}

impl LineValue {
    /// A value that is written as it is.
    pub(super) fn raw(range: Range<usize>) -> LineValue {
        LineValue {
            at: range.start as u32,
            len: range.len() as u32,
            held_at: NOT_HELD,
            held_len: 0,
        }
    }

    /// A value whose text is a part of the buffer.
    pub(super) fn held(range: Range<usize>, text: Range<usize>) -> LineValue {
        LineValue {
            held_at: text.start as u32,
            held_len: text.len() as u32,
            ..LineValue::raw(range)
        }
    }

    /// The place in the line.
    pub(super) fn range(self) -> Range<usize> {
        self.at as usize..(self.at + self.len) as usize
    }

    /// Whether the text is that of the line.
    pub(super) fn is_raw(self) -> bool {
        self.held_at == NOT_HELD
    }

    /// Returns the value of which the text is this range of the text.
    pub(super) fn part(self, line: &[u8], text: Range<usize>, quoting: ValueQuoting) -> LineValue {
        let whole = self.range();
        if self.is_raw() {
            return LineValue::raw(whole.start + text.start..whole.start + text.end);
        }
        let raw = quoting.raw_range(&line[whole.clone()], text.clone());
        let held = self.held_at as usize;
        LineValue::held(
            whole.start + raw.start..whole.start + raw.end,
            held + text.start..held + text.end,
        )
    }
}

/// The values of a line.
#[derive(Clone, Debug)]
pub(super) struct LineValues {
    values: [Option<(u8, LineValue)>; PARTS],
    /// Texts of values.
    held: Vec<u8>,
    /// The objects of JSON around the current field.
    pub objects: Vec<PlainName>,
    /// The names of fields, where they are not only those of G5.
    names: Option<Arc<FieldNames>>,
    /// The line shows in another way that TLS was used.
    pub has_tls: bool,
    /// The scheme is http, whatever else is stated.
    pub is_http: bool,
    /// Whether the parts of the exchange are wanted.
    pub has_exchange: bool,
    /// Whether the referer is wanted.
    pub has_referer: bool,
    /// Times without an offset are in UTC.
    pub is_utc: bool,
    /// The field `host` is the client, whatever its value (LTSV).
    pub host_is_client: bool,
    /// The value of this field.
    host_field: Option<LineValue>,
    /// The last token before a time that was found to be the name of a host. Most lines of a log
    /// have the same.
    pub known_name: Vec<u8>,
}

impl Default for LineValues {
    fn default() -> LineValues {
        LineValues {
            values: [None; PARTS],
            held: Vec::new(),
            objects: Vec::new(),
            names: None,
            has_tls: false,
            is_http: false,
            has_exchange: true,
            has_referer: true,
            is_utc: false,
            host_is_client: false,
            host_field: None,
            known_name: Vec::new(),
        }
    }
}

impl LineValues {
    /// Returns no values; fields are named by `names`.
    pub(super) fn with_names(names: &Arc<FieldNames>) -> LineValues {
        let is_plain = **names == FieldNames::default();
        LineValues {
            names: (!is_plain).then(|| Arc::clone(names)),
            ..LineValues::default()
        }
    }

    /// Forgets all values.
    pub(super) fn clear(&mut self) {
        self.values = [None; PARTS];
        self.held.clear();
        self.objects.clear();
        self.has_tls = false;
        self.is_http = false;
        self.is_utc = false;
        self.host_is_client = false;
        self.host_field = None;
    }

    /// Returns the bytes of `value` in `line`.
    pub(super) fn bytes<'l>(&'l self, line: &'l [u8], value: LineValue) -> &'l [u8] {
        match value.is_raw() {
            true => &line[value.range()],
            false => {
                let at = value.held_at as usize;
                &self.held[at..at + value.held_len as usize]
            }
        }
    }

    /// Returns the value of a part.
    pub(super) fn value(&self, part: LogPart) -> Option<LineValue> {
        self.values[part as usize].map(|(_, value)| value)
    }

    /// Returns the bytes of a part.
    pub(super) fn of<'l>(&'l self, line: &'l [u8], part: LogPart) -> Option<&'l [u8]> {
        self.value(part).map(|value| self.bytes(line, value))
    }

    /// Sets a part to a value of the line, unless the value is empty or `-`.
    pub(super) fn set(&mut self, line: &[u8], part: LogPart, value: LineValue) {
        if !is_nothing(self.bytes(line, value)) {
            self.values[part as usize] = Some((0, value));
        }
    }

    /// Takes a part away.
    pub(super) fn take(&mut self, part: LogPart) {
        self.values[part as usize] = None;
    }

    /// Whether a line that is cut states a part of a request: a request line, or a method in
    /// capitals.
    pub(super) fn begins_request(&self, line: &[u8]) -> bool {
        let method = self.of(line, LogPart::Method);
        let is_method = method.is_some_and(|name| name.iter().all(u8::is_ascii_uppercase));
        is_method || self.value(LogPart::Line).is_some()
    }

    /// Has the value of the field `host` be the client, if it is an address and no client is
    /// named, or if it is the client anyway (G5).
    pub(super) fn settle_host(&mut self, line: &[u8]) {
        let Some(value) = self.host_field else {
            return;
        };
        let is_unnamed = self.values[LogPart::Client as usize].is_none();
        let field = HostField::of(self.bytes(line, value));
        let is_address = field.is_some_and(HostField::is_address);
        if self.host_is_client || (is_unnamed && is_address) {
            if self.rank(LogPart::Host) == Some(HOST_FIELD) {
                self.take(LogPart::Host);
            }
            self.values[LogPart::Client as usize].get_or_insert((HOST_FIELD, value));
        }
    }

    /// The place of the name of the field that a part has its value from.
    pub(super) fn rank(&self, part: LogPart) -> Option<u8> {
        self.values[part as usize].map(|(rank, _)| rank)
    }

    /// Takes the field `name` in the current objects (G5), whose value is a range of the line.
    pub(super) fn add(
        &mut self,
        line: &[u8],
        name: &[u8],
        (range, quoting): (Range<usize>, ValueQuoting),
    ) {
        let names = self.names.clone();
        let found = match &names {
            None => roles(name, self.objects.last()),
            Some(names) => names.roles(name, &self.objects),
        };
        if !found.is_empty() {
            let value = self.hold(line, range, quoting);
            self.add_as(line, found, value);
        }
    }

    /// Whether the field `name` has a part.
    pub(super) fn is_field(&self, name: &[u8]) -> bool {
        match &self.names {
            None => !roles(name, self.objects.last()).is_empty(),
            Some(names) => !names.roles(name, &self.objects).is_empty(),
        }
    }

    /// Whether fields count in the object with this name.
    pub(super) fn is_object(&self, name: &PlainName) -> bool {
        match &self.names {
            None => name.is_object(),
            Some(names) => names.is_object(name),
        }
    }

    /// Returns a value with the escapes around it undone.
    pub(super) fn hold(
        &mut self,
        line: &[u8],
        range: Range<usize>,
        quoting: ValueQuoting,
    ) -> LineValue {
        let raw = &line[range.clone()];
        if !quoting.is_in(raw) {
            return LineValue::raw(range);
        }
        let at = self.held.len();
        quoting.undo(raw, &mut self.held);
        LineValue::held(range, at..self.held.len())
    }

    /// Takes a value that has these roles.
    pub(super) fn add_as(&mut self, line: &[u8], found: &[Role], value: LineValue) {
        let text = self.bytes(line, value);
        if is_nothing(text) {
            return;
        }
        // A name with several roles has the one that its value fits.
        let is_shared = found.len() > 1;
        for &(part, rank) in found {
            if (part, rank) == (LogPart::Host, HOST_FIELD) {
                self.host_field = Some(value);
            }
            let text = self.bytes(line, value);
            let fits = match part {
                LogPart::Line => RequestLine::of(text).is_some(),
                LogPart::Method => is_method(text) && !(is_shared && text.contains(&b'/')),
                LogPart::Target => !is_shared || is_target(text) || is_absolute(text),
                LogPart::Scheme => is_web_scheme(text),
                _ => true,
            };
            let counts = self
                .names
                .as_ref()
                .is_none_or(|names| names.counts((part, rank)));
            let slot = &mut self.values[part as usize];
            if fits && counts && slot.is_none_or(|(known, _)| rank < known) {
                *slot = Some((rank, value));
            }
        }
    }
}
