//! The values of the fields of one finding, for callers that write a form of their own:
//! tables in memory, for example.

use super::fields::Field;
use super::value::{Row, Value};
use crate::item::{Finding, Matched, Problems, Timestamp};
use std::fmt;

/// The values of the fields of a finding.
///
/// ```
/// use urisieve::{Sieve, output::{FIELDS, FieldValue, FieldValues}};
/// let host = FIELDS.iter().find(|field| field.name == "host").unwrap();
/// Sieve::builder().build().for_each(b"http://a.example/", |finding| {
///     let values = FieldValues::new(finding, b"f.txt");
///     assert_eq!(values.get(host), FieldValue::Text(b"a.example"));
/// })?;
/// # Ok::<(), urisieve::Error>(())
/// ```
pub struct FieldValues<'r>(Row<'r>);

/// A value of a field.
///
/// ```
/// use urisieve::{item::Finding, output::{FIELDS, FieldValue, FieldValues}};
/// let finding = Finding::new(b"urn:a-b:c");
/// let values = FieldValues::new(&finding, b"f.txt");
/// let offset = FIELDS.iter().find(|field| field.name == "offset").unwrap();
/// assert_eq!(values.get(offset), FieldValue::Number(0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldValue<'r> {
    /// The field does not apply.
    Absent,
    /// A string; its bytes may not be UTF-8, and JSON then has U+FFFD in their place.
    Text(&'r [u8]),
    /// Bytes that JSON has in Base64.
    Base64(&'r [u8]),
    /// A number.
    Number(u64),
    /// A time, which JSON has as a string by RFC 3339.
    Time(Timestamp),
    /// A flag that is set.
    Set,
    /// The problems of the URI.
    Problems(Problems),
    /// The entries of lists that match, of which the field has the texts.
    Entries(Matched<'r>),
    /// The same entries, of which the field has the lists and lines.
    EntryPlaces(Matched<'r>),
}

impl<'r> FieldValues<'r> {
    /// Returns the values of `finding`; `name` is the name of its input.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{FIELDS, FieldValue, FieldValues}};
    /// let finding = Finding::new(b"http://a.example/");
    /// let values = FieldValues::new(&finding, b"f.txt");
    /// let file = FIELDS.iter().find(|field| field.name == "file").unwrap();
    /// assert_eq!(values.get(file), FieldValue::Text(b"f.txt"));
    /// ```
    pub fn new(finding: &'r Finding<'r>, name: &'r [u8]) -> FieldValues<'r> {
        FieldValues(Row::new(finding, name))
    }

    /// Returns the value of `field`, one of [`FIELDS`](super::FIELDS) or
    /// [`LINK_FIELDS`](super::LINK_FIELDS). Lists of spellings are absent: as in tables,
    /// each spelling of a class is a finding of its own.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{FIELDS, FieldValue, FieldValues}};
    /// let finding = Finding::new(b"http://a.example/");
    /// let values = FieldValues::new(&finding, b"f.txt");
    /// let port = FIELDS.iter().find(|field| field.name == "port").unwrap();
    /// assert_eq!(values.get(port), FieldValue::Absent);
    /// ```
    pub fn get(&self, field: &Field) -> FieldValue<'r> {
        match (field.value)(&self.0) {
            Value::Absent | Value::Null | Value::Spellings(_) => FieldValue::Absent,
            Value::Text(text) | Value::Words(text) => FieldValue::Text(text),
            Value::Base64(bytes) => FieldValue::Base64(bytes),
            Value::Number(number) => FieldValue::Number(number),
            Value::Time(time) => FieldValue::Time(time),
            Value::Set => FieldValue::Set,
            Value::Problems(problems) => FieldValue::Problems(problems),
            Value::Entries(matched) => FieldValue::Entries(matched),
            Value::EntryPlaces(matched) => FieldValue::EntryPlaces(matched),
        }
    }
}

impl fmt::Debug for FieldValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("FieldValues").field(self.0.finding).finish()
    }
}
