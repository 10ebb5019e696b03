//! A record of a web archive, as far as findings tell of it.

use crate::item::Warc;

/// What the header of a record says; as [`Warc`], which borrows from it.
///
/// ```
/// use urisieve::unpack::Record;
/// let record = Record { kind: b"response".to_vec(), ..Record::default() };
/// assert_eq!(record.as_warc().kind, b"response");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// How many records stand before it.
    pub number: u64,
    /// Where it begins, in bytes of the input as it is stored.
    pub offset: u64,
    /// `WARC-Record-ID`, without its angle brackets.
    pub record_id: Vec<u8>,
    /// `WARC-Type`.
    pub kind: Vec<u8>,
    /// `WARC-Date`.
    pub date: Vec<u8>,
    /// `WARC-Target-URI`.
    pub target_uri: Vec<u8>,
}

impl Record {
    /// As findings tell of it.
    ///
    /// ```
    /// assert_eq!(urisieve::unpack::Record::default().as_warc().offset, 0);
    /// ```
    pub fn as_warc(&self) -> Warc<'_> {
        Warc {
            number: self.number,
            offset: self.offset,
            record_id: &self.record_id,
            kind: &self.kind,
            date: &self.date,
            target_uri: &self.target_uri,
        }
    }
}
