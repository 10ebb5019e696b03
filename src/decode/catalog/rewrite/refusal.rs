//! Why a record is not changed.

/// The reason why a record is not changed. The record is then passed on unchanged.
///
/// ```
/// use urisieve::decode::RewriteRefusal;
/// let refusal = RewriteRefusal::Unwritable('\u{2013}');
/// assert_eq!(refusal.to_string(), "the encoding of the record lacks U+2013");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RewriteRefusal {
    /// The format is read only.
    ReadOnly,
    /// The record is damaged: it was not read as its leader and directory state.
    Damaged,
    /// The record has no such field or subfield.
    NoPlace,
    /// Two changes are for one place.
    TwoChanges,
    /// Two fields of the directory have the same bytes.
    SharedBytes,
    /// The encoding of the record lacks this character, or its format does not allow it.
    Unwritable(char),
    /// Elements of XML are inside of the value.
    Markup,
    /// A field would have this many bytes, more than 9,999.
    FieldTooLong(usize),
    /// The record would have this many bytes, more than 99,999.
    RecordTooLong(usize),
    /// The new bytes would be read as another value.
    Misread,
}

impl std::fmt::Display for RewriteRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            RewriteRefusal::ReadOnly => f.write_str("records of PICA+ are read only"),
            RewriteRefusal::Damaged => f.write_str("the record is damaged"),
            RewriteRefusal::NoPlace => f.write_str("the record has no such subfield"),
            RewriteRefusal::TwoChanges => f.write_str("two changes are for one place"),
            RewriteRefusal::SharedBytes => {
                f.write_str("two entries of the directory have the same bytes")
            }
            RewriteRefusal::Unwritable(char) if char.is_control() => {
                write!(f, "U+{:04X} is a control character", u32::from(*char))
            }
            RewriteRefusal::Unwritable(char) => {
                let number = u32::from(*char);
                write!(f, "the encoding of the record lacks U+{number:04X}")
            }
            RewriteRefusal::Markup => f.write_str("elements are inside of the value"),
            RewriteRefusal::FieldTooLong(len) => {
                write!(f, "a field would have {len} bytes, more than 9,999")
            }
            RewriteRefusal::RecordTooLong(len) => {
                write!(f, "the record would have {len} bytes, more than 99,999")
            }
            RewriteRefusal::Misread => {
                f.write_str("the record would be read as something else after the change")
            }
        }
    }
}

impl std::error::Error for RewriteRefusal {}
