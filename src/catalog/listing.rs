//! The values of a record that are listed, each with its kind and the statements of its
//! field.

use super::authority::IdentifierSource;
use super::choice::FieldChoice;
use crate::decode::{CatalogFormat, CatalogRecord, FieldRole, RecordField, RecordRules, Subfield};
use std::borrow::Cow;

/// The kind of identifier that a value is.
///
/// ```
/// use urisieve::catalog::ListedKind;
/// assert_ne!(ListedKind::Uri, ListedKind::MaybeUri);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListedKind {
    /// A URI.
    Uri,
    /// A value that is listed only if all of it is a URI.
    MaybeUri,
    /// An ISBN.
    Isbn,
    /// An ISSN.
    Issn,
    /// A URN, with or without its scheme.
    Urn,
    /// A DOI.
    Doi,
    /// A Handle.
    Handle,
    /// An ARK.
    Ark,
    /// An ISAN.
    Isan,
    /// An identifier with its source before it.
    Authority(IdentifierSource),
    /// A text that may contain addresses.
    Note,
}

/// A value that is listed.
///
/// ```
/// use urisieve::catalog::{FieldChoice, ListedKind, listed_values};
/// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
/// let mut record = CatalogRecord::default();
/// let text = b"=020  \\\\$a0451450523 (paper)\n=856  40$uhttp://a.example/$yText$3Part 1\n";
/// CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
/// let listed = listed_values(&record, &FieldChoice::default());
/// assert_eq!((listed[0].kind, listed[0].value), (ListedKind::Isbn, &b"0451450523"[..]));
/// assert_eq!((&listed[1].link_text[..], &listed[1].materials[..]), (&b"Text"[..], &b"Part 1"[..]));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListedValue<'r> {
    /// The field.
    pub field: RecordField<'r>,
    /// The subfield, whose text is the value as written.
    pub subfield: Subfield<'r>,
    /// The kind of the value.
    pub kind: ListedKind,
    /// The value; a number ends at a blank, `(`, `:` or `;`.
    pub value: &'r [u8],
    /// Whether the number is in force. If so, its check digit is checked.
    pub is_valid: bool,
    /// Whether the value is a subfield of a format in which blanks around it are data.
    pub is_exact: bool,
    /// The public notes of the field.
    pub note: Cow<'r, [u8]>,
    /// The text of the link.
    pub link_text: Cow<'r, [u8]>,
    /// The materials that the field is for.
    pub materials: Cow<'r, [u8]>,
}

/// Returns the values of a record that are chosen, in the order of its fields.
///
/// ```
/// use urisieve::catalog::{FieldChoice, listed_values};
/// use urisieve::decode::CatalogRecord;
/// assert!(listed_values(&CatalogRecord::default(), &FieldChoice::default()).is_empty());
/// ```
pub fn listed_values<'r>(record: &'r CatalogRecord, choice: &FieldChoice) -> Vec<ListedValue<'r>> {
    let mut listed = Vec::new();
    for_each_listed(record, choice, |value| listed.push(value));
    listed
}

/// Passes the values of a record that are chosen to `keep`, in the order of its fields.
pub(super) fn for_each_listed<'r>(
    record: &'r CatalogRecord,
    choice: &FieldChoice,
    mut keep: impl FnMut(ListedValue<'r>),
) {
    let is_exact = matches!(
        record.format(),
        CatalogFormat::Marc | CatalogFormat::Mrk | CatalogFormat::Pica
    );
    // As of other JSON, any value is listed that is a URI as a whole.
    let other = (record.format() == CatalogFormat::JsonLines && choice.is_default())
        .then_some(FieldRole::MaybeUri);
    let mut roles = Vec::new();
    for field in record.fields() {
        roles.clear();
        for subfield in field.subfields() {
            roles.push(choice.role(record.rules(), &field, &subfield).or(other));
        }
        if roles.iter().all(Option::is_none) {
            continue;
        }
        let mut texts_of_field = None;
        for (subfield, role) in field.subfields().zip(&roles) {
            let Some((kind, is_valid)) =
                role.and_then(|role| kind(record.rules(), role, &field, &subfield))
            else {
                continue;
            };
            let kind = match choice.is_default() {
                true => kind,
                false => authority(kind, record.rules(), &field, &subfield),
            };
            let texts = texts_of_field.get_or_insert_with(|| match choice.is_default() {
                true => texts(&field, &roles),
                false => {
                    let all = FieldChoice::default();
                    let role = |subfield: Subfield| all.role(record.rules(), &field, &subfield);
                    texts(&field, &field.subfields().map(role).collect::<Vec<_>>())
                }
            });
            let [note, link_text, materials] = texts.clone();
            keep(ListedValue {
                kind,
                value: value(kind, subfield.text),
                is_valid,
                is_exact,
                note,
                link_text,
                materials,
                field: field.clone(),
                subfield,
            });
        }
    }
}

/// Returns the notes of a field, the text of its link, and the materials that it is for, by the
/// `roles` of its subfields; several have `; ` between them.
fn texts<'r>(field: &RecordField<'r>, roles: &[Option<FieldRole>]) -> [Cow<'r, [u8]>; 3] {
    let mut joined: [Cow<[u8]>; 3] = Default::default();
    if roles.iter().flatten().all(|role| role.is_identifier()) {
        return joined;
    }
    for (subfield, role) in field.subfields().zip(roles) {
        let joined = match role {
            Some(FieldRole::Note) => &mut joined[0],
            Some(FieldRole::LinkText) => &mut joined[1],
            Some(FieldRole::Materials) => &mut joined[2],
            _ => continue,
        };
        let text = subfield.text.trim_ascii();
        match joined.is_empty() {
            true => *joined = Cow::Borrowed(text),
            false => *joined = Cow::Owned([joined, &b"; "[..], text].concat()),
        }
    }
    joined
}

/// Returns the kind of a value, and whether it is in force; `None` if it is not listed.
fn kind(
    rules: RecordRules,
    role: FieldRole,
    field: &RecordField,
    subfield: &Subfield,
) -> Option<(ListedKind, bool)> {
    Some(match role {
        FieldRole::Uri => (ListedKind::Uri, true),
        FieldRole::DeadUri => (ListedKind::Uri, false),
        FieldRole::MaybeUri if rules == RecordRules::DublinCore => (
            labelled(subfield.text).map_or(ListedKind::MaybeUri, |found| found.0),
            true,
        ),
        FieldRole::MaybeUri => (ListedKind::MaybeUri, true),
        FieldRole::Isbn => (ListedKind::Isbn, true),
        FieldRole::WrongIsbn => (ListedKind::Isbn, false),
        FieldRole::Issn => (ListedKind::Issn, true),
        FieldRole::WrongIssn => (ListedKind::Issn, false),
        FieldRole::BookOrSerial => (book_or_serial(subfield.text), true),
        FieldRole::Urn => (ListedKind::Urn, true),
        FieldRole::Doi => (ListedKind::Doi, true),
        FieldRole::Handle => (ListedKind::Handle, true),
        FieldRole::Number => numbered(rules, field, subfield),
        FieldRole::Note | FieldRole::Text => (ListedKind::Note, true),
        _ => return None,
    })
}

/// Returns the kind of a value in a field that was named: an identifier with its source is one only
/// there. A control number may have any source.
fn authority(
    kind: ListedKind,
    rules: RecordRules,
    field: &RecordField,
    subfield: &Subfield,
) -> ListedKind {
    let text = std::str::from_utf8(subfield.text).unwrap_or_default();
    let is_of_record =
        matches!(rules, RecordRules::Marc21 | RecordRules::Unimarc) && field.tag == b"035";
    let found = match kind {
        ListedKind::MaybeUri if is_of_record => IdentifierSource::of_control_number(text),
        ListedKind::MaybeUri => IdentifierSource::of(text),
        _ => None,
    };
    found.map_or(kind, |(authority, _)| ListedKind::Authority(authority))
}

/// Returns whether a number is an ISBN or an ISSN: by its digits.
fn book_or_serial(text: &[u8]) -> ListedKind {
    let is_digit = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'x' | b'X');
    match text.iter().filter(is_digit).count() {
        0..=8 => ListedKind::Issn,
        _ => ListedKind::Isbn,
    }
}

/// Returns the kind and the number of a value such as `ISBN 0451450523`.
pub(super) fn labelled(text: &[u8]) -> Option<(ListedKind, &[u8])> {
    let text = text.trim_ascii();
    let label = text.first_chunk::<4>()?.to_ascii_lowercase();
    let kind = match &label[..] {
        b"isbn" => ListedKind::Isbn,
        b"issn" => ListedKind::Issn,
        _ => return None,
    };
    let rest = &text[label.len()..];
    let is_sign = |byte: &u8| matches!(byte, b' ' | b':' | b'=' | b'-');
    let number = &rest[rest.iter().take_while(|byte| is_sign(byte)).count()..];
    (number.len() < rest.len() && !number.is_empty()).then_some((kind, number))
}

/// Returns the kind of a number by the statements of its field.
fn numbered(rules: RecordRules, field: &RecordField, subfield: &Subfield) -> (ListedKind, bool) {
    let source = field.subfields().find(|subfield| subfield.code == b"2");
    let source = source.map_or(&b""[..], |source| source.text.trim_ascii());
    let (stated, is_valid) = match rules {
        RecordRules::Mods => (field.ind1, field.ind2 != b"z"),
        RecordRules::Marc21 if field.ind1 == b"3" => {
            let is_isbn = [b"978", b"979"]
                .iter()
                .any(|prefix| subfield.text.starts_with(*prefix));
            return match is_isbn {
                true => (ListedKind::Isbn, subfield.code != b"z"),
                false => (ListedKind::MaybeUri, subfield.code != b"z"),
            };
        }
        RecordRules::Marc21 if field.ind1 != b"7" => (&b""[..], subfield.code != b"z"),
        _ => (source, subfield.code != b"z"),
    };
    let kind = match &stated.to_ascii_lowercase()[..] {
        b"doi" => ListedKind::Doi,
        b"hdl" | b"handle" => ListedKind::Handle,
        b"urn" => ListedKind::Urn,
        b"uri" | b"url" => ListedKind::Uri,
        b"ark" => ListedKind::Ark,
        b"isan" => ListedKind::Isan,
        b"isbn" => ListedKind::Isbn,
        b"issn" | b"issn-l" => ListedKind::Issn,
        _ => ListedKind::MaybeUri,
    };
    (kind, is_valid)
}

/// Whether a value may have several numbers, by its signs.
pub(super) fn may_have_numbers(kind: ListedKind, text: &[u8]) -> bool {
    matches!(kind, ListedKind::Isbn | ListedKind::Issn)
        && text.iter().any(|byte| matches!(byte, b';' | b',' | b'/'))
}

/// Returns the numbers in a value: behind `;`, `,` or `/` and a blank another one may begin. The
/// first one is all that precedes the second, with its remark.
pub(super) fn numbers(kind: ListedKind, text: &str) -> Vec<&str> {
    let (mut found, mut from) = (Vec::new(), 0);
    let searched = match kind {
        ListedKind::Isbn | ListedKind::Issn => text.as_bytes(),
        _ => b"",
    };
    for at in memchr::memchr3_iter(b';', b',', b'/', searched) {
        let rest = &text[at + 1..];
        if rest.starts_with([' ', '\u{A0}']) && begins_number(kind, rest.trim_start()) {
            found.push(text[from..at].trim());
            from = at + 1;
        }
    }
    found.push(text[from..].trim());
    found
}

/// Whether `text` begins with the digits of a number of this kind.
fn begins_number(kind: ListedKind, text: &str) -> bool {
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | 'x' | 'X');
    let len = text.find(|c: char| !is_of_number(c)).unwrap_or(text.len());
    let number = &text[..len];
    let ends = text[len..]
        .chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric());
    let count = number.bytes().filter(|&byte| byte != b'-').count();
    // `1998-2004`
    let is_span = number.len() == 9 && ["1", "2"].iter().any(|year| number[5..].starts_with(year));
    ends && match kind {
        ListedKind::Isbn => matches!(count, 10 | 13),
        _ => {
            count == 8
                && number.as_bytes().get(4) == Some(&b'-')
                && !(is_span && number.starts_with(['1', '2']))
        }
    }
}

/// Returns the value in `text`.
pub(super) fn value(kind: ListedKind, text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    if !matches!(kind, ListedKind::Isbn | ListedKind::Issn) {
        return text;
    }
    let ends = |byte: &u8| matches!(byte, b' ' | b'(' | b':' | b';');
    &text[..text.iter().position(ends).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{CatalogFormat, CatalogReader};

    /// Returns the listed values: kind, whether in force, value.
    fn listed(format: CatalogFormat, text: &str, choice: &str) -> Vec<String> {
        let mut record = CatalogRecord::default();
        CatalogReader::new(format).read(text.as_bytes(), true, &mut record);
        let choice = FieldChoice::parse(choice).unwrap();
        let listed = listed_values(&record, &choice);
        let shown = listed.iter().map(|listed| {
            let value = String::from_utf8_lossy(listed.value);
            let sign = if listed.is_valid { "" } else { "-" };
            format!("{sign}{:?} {value}", listed.kind)
        });
        shown.collect()
    }

    #[test]
    fn numbers_are_what_their_fields_state() {
        let text = "=020  \\\\$a0451450523 (pbk.)$z0-451\n=022  0\\$a1234-5679$y1111-1111\n=024  7\\$a10.1/x$2doi\n\
            =024  3\\$a9780451450524\n=024  3\\$a4006381333931\n=024  8\\$aurn:a-b:c\n=100  1\\$aA$0(DE-588)1$uB\n\
            =776  08$x1234-5679$z0451450523\n=856  40$uhttp://a.example/$hhttp://b.example/$zNote$yText\n";
        assert_eq!(
            listed(CatalogFormat::Mrk, text, ""),
            [
                "Isbn 0451450523",
                "-Isbn 0-451",
                "Issn 1234-5679",
                "-Issn 1111-1111",
                "Doi 10.1/x",
                "Isbn 9780451450524",
                "MaybeUri 4006381333931",
                "MaybeUri urn:a-b:c",
                "MaybeUri (DE-588)1",
                "Issn 1234-5679",
                "Isbn 0451450523",
                "Uri http://a.example/",
                "-Uri http://b.example/",
                "Note Note",
            ]
        );
        assert_eq!(
            listed(CatalogFormat::Mrk, text, "024[7_]a,*u"),
            ["Doi 10.1/x", "MaybeUri B", "Uri http://a.example/"]
        );
        assert_eq!(
            listed(CatalogFormat::Mrk, text, "0X0"),
            ["Isbn 0451450523", "-Isbn 0-451"]
        );
        let pica = "004V $010.1/y\n017C/01 $uhttp://a.example/$zn\n";
        assert_eq!(
            listed(CatalogFormat::Pica, pica, ""),
            ["Doi 10.1/y", "Uri http://a.example/", "Note n"]
        );
        let mods = "<mods xmlns='http://www.loc.gov/mods/v3'><identifier type='issn' invalid='yes'>1-2</identifier><location><url>u</url></location></mods>";
        assert_eq!(
            listed(CatalogFormat::Mods, mods, ""),
            ["-Issn 1-2", "Uri u"]
        );
        assert_eq!(listed(CatalogFormat::Mods, mods, "location/url"), ["Uri u"]);
    }
}
