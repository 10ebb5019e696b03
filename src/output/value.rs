//! The values of the fields of a record. Each form decides how they are written.

use crate::item::{
    Context, Exchange, Finding, IdentifierKind, Matched, Problems, Spelling, Timestamp,
};
use crate::syntax::{Components, Kind, urn};
use base64::prelude::{BASE64_STANDARD, Engine};
use std::borrow::Cow;
use std::cell::OnceCell;

/// A finding with the data that its fields need. What only some fields need is made for the
/// first of them.
pub(super) struct Row<'r> {
    pub finding: &'r Finding<'r>,
    /// The name of its input.
    pub name: &'r [u8],
    parts: OnceCell<Components>,
    nid: OnceCell<Option<&'r [u8]>>,
    /// The spellings of its class, where they are written in one record.
    pub spellings: &'r [Spelling<'r>],
}

/// A value of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'r> {
    Absent,
    /// A missing value whose name is written.
    Null,
    /// Bytes that are written as a string, with U+FFFD where they are not UTF-8.
    Text(&'r [u8]),
    /// Bytes that are written in Base64.
    Base64(&'r [u8]),
    Number(u64),
    /// A time, which is written by RFC 3339.
    Time(Timestamp),
    /// A flag that is set.
    Set,
    Problems(Problems),
    /// The entries of lists that match, as they are written.
    Entries(Matched<'r>),
    /// Their lists and lines.
    EntryPlaces(Matched<'r>),
    /// Words with a blank between two.
    Words(&'r [u8]),
    Spellings(&'r [Spelling<'r>]),
}

impl<'r> Row<'r> {
    pub(super) fn new(finding: &'r Finding<'r>, name: &'r [u8]) -> Row<'r> {
        Row {
            finding,
            name,
            parts: OnceCell::new(),
            nid: OnceCell::new(),
            spellings: &[],
        }
    }

    pub(super) fn spellings(self, spellings: &'r [Spelling<'r>]) -> Row<'r> {
        Row { spellings, ..self }
    }

    pub(super) fn uri(&self) -> &'r [u8] {
        self.finding.uri
    }

    pub(super) fn context(&self) -> &'r Context<'r> {
        &self.finding.context
    }

    /// Returns the exchange that the line of the finding states.
    pub(super) fn exchange(&self) -> Exchange<'r> {
        let request = self.context().request;
        request.map(|request| request.exchange).unwrap_or_default()
    }

    pub(super) fn parts(&self) -> &Components {
        self.parts.get_or_init(|| Components::parse(self.uri()))
    }

    pub(super) fn nid(&self) -> Option<&'r [u8]> {
        *self.nid.get_or_init(|| urn::nid(self.uri()))
    }

    /// Returns the kind of the URI; that of a host or address without a scheme (I12).
    pub(super) fn kind(&self) -> &'static str {
        match self.bare() {
            Some(kind) => kind.name(),
            None => Kind::of(self.uri()).name(),
        }
    }

    /// Returns the kind of what is reported without a scheme.
    fn bare(&self) -> Option<IdentifierKind> {
        let kind = self.finding.marks.identifier;
        kind.filter(|kind| kind.is_bare())
    }

    pub(super) fn scheme(&self) -> Option<&'r [u8]> {
        match self.bare() {
            Some(_) => None,
            None => self.parts().scheme(self.uri()),
        }
    }

    pub(super) fn host(&self) -> Option<&'r [u8]> {
        match self.bare() {
            Some(_) => {
                let at = memchr::memrchr(b'@', self.uri()).map_or(0, |sign| sign + 1);
                Some(&self.uri()[at..])
            }
            None => self.parts().host(self.uri()),
        }
    }

    pub(super) fn port(&self) -> Option<&'r [u8]> {
        match self.bare() {
            Some(_) => None,
            None => self.parts().port(self.uri()),
        }
    }

    /// Returns the port when it is a number of 16 bits.
    #[cfg(feature = "domain")]
    pub(super) fn port_number(&self) -> Option<u16> {
        std::str::from_utf8(self.port()?).ok()?.parse().ok()
    }

    pub(super) fn path(&self) -> &'r [u8] {
        match self.bare() {
            Some(IdentifierKind::Email) => self.uri(),
            Some(_) => b"",
            None => self.parts().path(self.uri()),
        }
    }

    pub(super) fn query(&self) -> Option<&'r [u8]> {
        self.parts().query(self.uri())
    }

    pub(super) fn fragment(&self) -> Option<&'r [u8]> {
        self.parts().fragment(self.uri())
    }
}

impl<'r> Value<'r> {
    pub(super) fn text(text: Option<&'r [u8]>) -> Value<'r> {
        text.map_or(Value::Absent, Value::Text)
    }

    /// Returns text; absent when it is empty.
    pub(super) fn some_text(text: &'r [u8]) -> Value<'r> {
        Value::text(Some(text).filter(|text| !text.is_empty()))
    }

    /// Returns bytes unchanged; absent when they are not UTF-8.
    pub(super) fn utf8(bytes: &'r [u8]) -> Value<'r> {
        match is_utf8(bytes) {
            true => Value::Text(bytes),
            false => Value::Absent,
        }
    }

    /// Returns bytes that are not UTF-8, which a string would change.
    pub(super) fn no_utf8(bytes: Option<&'r [u8]>) -> Value<'r> {
        match bytes {
            Some(bytes) if !is_utf8(bytes) => Value::Base64(bytes),
            _ => Value::Absent,
        }
    }

    pub(super) fn number(number: Option<u64>) -> Value<'r> {
        number.map_or(Value::Absent, Value::Number)
    }

    pub(super) fn time(time: Option<Timestamp>) -> Value<'r> {
        time.map_or(Value::Absent, Value::Time)
    }

    /// Returns a number; absent when it is 0.
    pub(super) fn some_number(number: u64) -> Value<'r> {
        Value::number(Some(number).filter(|&number| number > 0))
    }

    pub(super) fn flag(is_set: bool) -> Value<'r> {
        match is_set {
            true => Value::Set,
            false => Value::Absent,
        }
    }

    /// Returns the texts of a list of texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = Cow<'r, str>> {
        let (matched, is_place) = match *self {
            Value::Entries(matched) => (matched, false),
            Value::EntryPlaces(matched) => (matched, true),
            _ => (Matched::default(), false),
        };
        matched.entries().map(move |entry| match is_place {
            true => format!("{}:{}", String::from_utf8_lossy(entry.list), entry.line).into(),
            false => String::from_utf8_lossy(entry.entry),
        })
    }

    /// Returns the value as the string in a cell of a table: a number in digits, a flag
    /// as `true`, codes and texts separated by `;`. `None` for absent values and those that are
    /// not in tables.
    pub(super) fn cell(&self) -> Option<Cow<'r, str>> {
        Some(match *self {
            Value::Absent | Value::Null | Value::Spellings(_) => return None,
            Value::Text(text) => String::from_utf8_lossy(text),
            Value::Words(words) => String::from_utf8_lossy(words).replace(' ', ";").into(),
            Value::Base64(bytes) => BASE64_STANDARD.encode(bytes).into(),
            Value::Number(number) => number.to_string().into(),
            Value::Time(time) => time.to_string().into(),
            Value::Set => "true".into(),
            Value::Problems(problems) => {
                let codes: Vec<&str> = problems.iter().map(|problem| problem.code()).collect();
                codes.join(";").into()
            }
            Value::Entries(_) | Value::EntryPlaces(_) => {
                let texts: Vec<_> = self.texts().collect();
                texts.join(";").into()
            }
        })
    }
}

/// Appends a number in digits.
pub(super) fn push_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Whether `bytes` are UTF-8. Most are ASCII.
fn is_utf8(bytes: &[u8]) -> bool {
    bytes.is_ascii() || std::str::from_utf8(bytes).is_ok()
}
