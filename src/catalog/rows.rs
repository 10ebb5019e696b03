//! The identifiers of a record as rows of a list: each with its canonical form, its defects
//! and the suggested value. Checks across records are left to the caller.

use super::authority::IdentifierSource;
use super::check::{
    CheckHit, CheckRow, CheckedValue, ExpectedValue, Severity, check, duplicates,
    resolver_duplicates,
};
use super::choice::FieldChoice;
use super::identifier::{MadeUri, NumberField, made_urn};
use super::listed::is_meant;
use super::listing::{ListedKind, ListedValue, for_each_listed, labelled, value};
use super::statuses::{LinkStatus, LinkStatuses};
use crate::canonicalize::resolver::Resolvers;
use crate::canonicalize::{Canonicalizer, Level};
use crate::decode::{CatalogRecord, RecordField, RecordRules, Subfield};
use crate::delimit::{Cleaning, Config, Delimiter, Referred};
use crate::engine::Finder;
use crate::item::{IdentifierKind, Schemes};
use crate::syntax::{Components, Kind, Outlook, plain_url, urn};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Makes rows of the identifiers of records, in memory that is reused.
///
/// ```
/// use urisieve::canonicalize::Canonicalizer;
/// use urisieve::catalog::{FieldChoice, IdentifierRows};
/// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
/// let mut record = CatalogRecord::default();
/// let text = b"=020  \\\\$a0451450523 (paper)\n=856  40$uHTTP://A.example/x y\n";
/// CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
/// let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default()).make_urn(true);
/// let rows = rows.of(std::slice::from_ref(&record));
/// assert_eq!((&rows[0].canonical[..], rows[0].kind), (&b"urn:isbn:0451450523"[..], "urn"));
/// assert_eq!(&rows[1].canonical[..], b"http://a.example/x%20y");
/// assert_eq!((rows[1].codes(), rows[1].suggestion.as_deref()), ("blank-inside".into(), None));
/// ```
#[derive(Clone, Debug)]
pub struct IdentifierRows {
    choice: FieldChoice,
    canonicalizer: Canonicalizer,
    make_urn: bool,
    statuses: Arc<LinkStatuses>,
    finder: Finder,
    delimiter: Delimiter,
    cleaning: Cleaning,
    /// The canonical forms by which identifiers of a record are compared, without and
    /// with resolvers unwrapped.
    scheme: Canonicalizer,
    unwrapped: Canonicalizer,
    buffer: Vec<u8>,
    keys: RowKeys,
}

/// The keys by which the rows of a record are compared, as ranges of the bytes of all:
/// the form at level `scheme`, and this form with resolvers unwrapped. Both are empty for
/// rows that are not compared.
#[derive(Clone, Debug, Default)]
struct RowKeys {
    bytes: Vec<u8>,
    ranges: Vec<[Range<usize>; 2]>,
}

/// The URI of a value: none, where the value is not one.
#[derive(Default)]
struct ValueUri<'v> {
    uri: Option<Cow<'v, [u8]>>,
    /// The canonical form by the level and the switches of the rows.
    canonical: Cow<'v, [u8]>,
    /// Whether it is known that `uri` is its own canonical form at each level.
    is_canonical: bool,
}

/// An identifier of a record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IdentifierRow<'r> {
    /// The record.
    pub record: &'r CatalogRecord,
    /// The field.
    pub field: RecordField<'r>,
    /// The subfield that holds the value.
    pub subfield: Subfield<'r>,
    /// The kind of identifier that the field states.
    pub listed: ListedKind,
    /// The kind of value that the checks expect.
    pub expected: ExpectedValue,
    /// The value in the record: the text of the subfield, or the address in a note.
    pub original: Cow<'r, [u8]>,
    /// The canonical form; empty where the value is not a URI.
    pub canonical: Cow<'r, [u8]>,
    /// The URI of the value, in which characters that are not allowed are encoded, or the URI
    /// that is made from a number.
    pub uri: Option<Cow<'r, [u8]>>,
    /// Whether it is known that `uri` is its own canonical form at each level.
    pub(super) is_canonical: bool,
    /// `url`, `urn` or `uri` of the canonical form; without one the name of the kind of
    /// number, empty where it should be a URI.
    pub kind: &'static str,
    /// The problems of the value, in the order of the checks.
    pub hits: Vec<CheckHit>,
    /// The right value, if it is known.
    pub suggestion: Option<String>,
    /// The public notes of the field.
    pub note: Cow<'r, [u8]>,
    /// The text of the link.
    pub link_text: Cow<'r, [u8]>,
    /// The materials that the link is for.
    pub materials: Cow<'r, [u8]>,
}

impl IdentifierRow<'_> {
    /// Returns the codes of the defects, with blanks between them.
    ///
    /// ```
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=856  40$uhttp://a.example/x.\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// # let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert_eq!(rows[0].codes(), "trailing-punct");
    /// ```
    pub fn codes(&self) -> Cow<'static, str> {
        self.joined(" ", |row| row.code)
    }

    /// Returns the defects in words, with `; ` between them.
    ///
    /// ```
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=856  40$uhttp://a.example/x.\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// # let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert_eq!(rows[0].words(), "punctuation");
    /// ```
    pub fn words(&self) -> Cow<'static, str> {
        self.joined("; ", |row| row.words)
    }

    fn joined(&self, between: &str, word: impl Fn(&CheckRow) -> &'static str) -> Cow<'static, str> {
        match &self.hits[..] {
            [] => Cow::Borrowed(""),
            [hit] => Cow::Borrowed(word(hit.row)),
            hits => {
                let words: Vec<&str> = hits.iter().map(|hit| word(hit.row)).collect();
                Cow::Owned(words.join(between))
            }
        }
    }

    /// Returns the value without the blanks around it; of a number without the remark after
    /// it.
    ///
    /// ```
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=020  \\\\$a0451450523 (paper)\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// # let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert_eq!(rows[0].written(), b"0451450523");
    /// ```
    pub fn written(&self) -> &[u8] {
        trimmed(value(self.listed, &self.original))
    }

    /// Returns the severity of the most serious problem.
    ///
    /// ```
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=856  40$uhttp://a.example/x.\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// # let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert_eq!(rows[0].severity(), Some(urisieve::catalog::check::Severity::Warning));
    /// ```
    pub fn severity(&self) -> Option<Severity> {
        self.hits.iter().map(|hit| hit.row.severity).max()
    }

    /// Whether another identifier may differ from that of the row in case alone: an ISBN, an ISSN and
    /// a DOI have one case.
    ///
    /// ```
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=020  \\\\$a0451450523\n=856  40$uhttp://a.example/x\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// # let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert!(!rows[0].may_differ_in_case() && rows[1].may_differ_in_case());
    /// ```
    pub fn may_differ_in_case(&self) -> bool {
        const ONE_CASE: [IdentifierKind; 3] = [
            IdentifierKind::Isbn,
            IdentifierKind::Issn,
            IdentifierKind::Doi,
        ];
        let uri = self.uri.as_deref().unwrap_or_default();
        let is_of = |kind: IdentifierKind| uri.starts_with(kind.prefix().as_bytes());
        !(self.is_canonical && ONE_CASE.into_iter().any(is_of))
    }

    /// Returns the scheme of the canonical form, the host and the namespace identifier, each
    /// empty where it is absent.
    ///
    /// ```
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=856  40$uhttp://a.example/x.\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// # let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert_eq!(rows[0].parts(), [&b"http"[..], b"a.example", b""]);
    /// ```
    pub fn parts(&self) -> [&[u8]; 3] {
        let uri = &self.canonical[..];
        if uri.is_empty() {
            return [b"", b"", b""];
        }
        if let Some(end) = plain_url::origin_len(uri)
            && matches!(uri.get(end), None | Some(b'/' | b'?' | b'#'))
        {
            let scheme = if uri[4] == b's' { 5 } else { 4 };
            return [&uri[..scheme], &uri[scheme + 3..end], b""];
        }
        let parts = Components::parse(uri);
        [
            parts.scheme(uri).unwrap_or_default(),
            parts.host(uri).unwrap_or_default(),
            urn::nid(uri).unwrap_or_default(),
        ]
    }
}

impl IdentifierRows {
    /// Creates rows of the fields that `choice` names, with canonical forms by
    /// `canonicalizer`.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// assert!(rows.of(&[]).is_empty());
    /// ```
    pub fn new(choice: FieldChoice, canonicalizer: Canonicalizer) -> IdentifierRows {
        let scheme = Canonicalizer::new(Level::Scheme);
        IdentifierRows {
            choice,
            canonicalizer,
            make_urn: false,
            statuses: Arc::default(),
            finder: Finder::new(),
            delimiter: Delimiter::new(Config::default()),
            cleaning: Cleaning::default(),
            unwrapped: scheme.clone().unwrap_resolvers(Resolvers::built_in()),
            scheme,
            buffer: Vec::new(),
            keys: RowKeys::default(),
        }
    }

    /// Whether numbers become URIs: `urn:isbn:`, `urn:issn:`, `doi:`, `hdl:`; default no.
    ///
    /// ```
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=022  \\\\$a2049-3630\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// let rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let mut rows = rows.make_urn(true);
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert_eq!(&rows[0].canonical[..], b"urn:issn:20493630");
    /// ```
    pub fn make_urn(mut self, make_urn: bool) -> IdentifierRows {
        self.make_urn = make_urn;
        self
    }

    /// The answers of servers for the links: dead ones and those that moved have a problem.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows, LinkStatuses};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=856  40$uhttp://a.example/\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// let mut statuses = LinkStatuses::default();
    /// statuses.push(b"http://a.example/", "404", "");
    /// let rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let mut rows = rows.statuses(Arc::new(statuses));
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert_eq!(rows[0].codes(), "dead-link");
    /// ```
    pub fn statuses(mut self, statuses: Arc<LinkStatuses>) -> IdentifierRows {
        self.statuses = statuses;
        self
    }

    /// Returns the rows of `records`, which count as one record: rows of a table with
    /// the same identifier, or a single record.
    ///
    /// ```
    /// # use urisieve::canonicalize::Canonicalizer;
    /// # use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// # let mut record = CatalogRecord::default();
    /// let text = b"=022  \\\\$a2049-3630\n=856  40$uhttp://a.example/\n";
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// # let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// assert_eq!(rows.len(), 2);
    /// ```
    pub fn of<'r>(&mut self, records: &'r [CatalogRecord]) -> Vec<IdentifierRow<'r>> {
        // Most records have a few.
        let mut rows = Vec::with_capacity(8);
        let choice = std::mem::take(&mut self.choice);
        for record in records {
            for_each_listed(record, &choice, |listed| match listed.kind {
                ListedKind::Note => self.push_notes(record, &listed, &mut rows),
                _ => self.push(record, listed, &mut rows),
            });
        }
        self.choice = choice;
        self.compare(&mut rows);
        rows
    }

    /// Adds the row of a value, unless it is not listed.
    fn push<'r>(
        &mut self,
        record: &'r CatalogRecord,
        listed: ListedValue<'r>,
        rows: &mut Vec<IdentifierRow<'r>>,
    ) {
        let original = listed.subfield.text;
        let trimmed = trimmed(original);
        if trimmed.is_empty() {
            return push_empty(record, listed, rows);
        }
        if record.rules() == RecordRules::DublinCore
            && let Some((_, number)) = labelled(trimmed)
        {
            return self.push_value(record, listed, number, rows);
        }
        match listed.parts(trimmed).as_deref() {
            Some([first, others @ ..]) => {
                let (has_two, before) = (listed.kind.is_of_address(), rows.len());
                self.push_value(record, listed.clone(), first.as_bytes(), rows);
                if let (true, Some(row)) = (has_two, rows.get_mut(before)) {
                    row.add("two-uris");
                }
                for other in others {
                    self.push_value(record, listed.clone(), other.as_bytes(), rows);
                }
            }
            _ => self.push_value(record, listed, original, rows),
        }
    }

    /// Adds the row of one of the values of a subfield, unless it is not listed.
    fn push_value<'r>(
        &mut self,
        record: &'r CatalogRecord,
        listed: ListedValue<'r>,
        original: &'r [u8],
        rows: &mut Vec<IdentifierRow<'r>>,
    ) {
        let trimmed = trimmed(original);
        let schemes = match listed.kind {
            ListedKind::Uri => Schemes::Any,
            _ => Schemes::Known,
        };
        let ValueUri {
            mut uri,
            mut canonical,
            mut is_canonical,
        } = self.canonical(trimmed, schemes);
        let text = match std::str::from_utf8(original) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(original),
        };
        let is_meant = || is_meant(record.rules(), text.trim());
        if listed.kind == ListedKind::MaybeUri && uri.is_none() && !is_meant() {
            return;
        }
        if let ListedKind::Authority(authority) = listed.kind {
            let id = IdentifierSource::of(&text).map_or("", |(_, id)| id);
            if let Some(made) = authority.uri(id) {
                let found = self.canonical(made.as_bytes(), Schemes::Any);
                canonical = Cow::Owned(found.canonical.into_owned());
                uri = Some(Cow::Owned(made.into_bytes()));
                is_canonical = false;
            }
        } else if uri.is_none()
            && let Some(made) = uri_of(listed.kind, &text)
        {
            if self.make_urn {
                let found = self.canonical(made.uri.as_bytes(), Schemes::Any);
                canonical = Cow::Owned(found.canonical.into_owned());
            }
            is_canonical = made.is_canonical;
            uri = Some(Cow::Owned(made.uri.into_bytes()));
        }
        let expected = listed.expected();
        let mut checked = check(&text, expected);
        if let Some(uri) = uri
            .as_deref()
            .filter(|_| listed.kind.is_of_address() && listed.is_valid)
        {
            add_status(self.statuses.of(uri), &mut checked);
        }
        rows.push(IdentifierRow {
            record,
            kind: kind(&canonical, listed.kind),
            listed: listed.kind,
            field: listed.field,
            subfield: listed.subfield,
            expected,
            original: Cow::Borrowed(original),
            canonical,
            uri,
            is_canonical,
            hits: checked.hits,
            suggestion: checked.suggestion,
            note: listed.note,
            link_text: listed.link_text,
            materials: listed.materials,
        });
    }

    /// Adds the addresses in a note.
    fn push_notes<'r>(
        &mut self,
        record: &'r CatalogRecord,
        listed: &ListedValue<'r>,
        rows: &mut Vec<IdentifierRow<'r>>,
    ) {
        // Most colons of a note end a word, and a search costs more than the rest of a record.
        let begins = |at| listed.value.get(at + 1).is_some_and(|&byte| byte != b' ');
        if !memchr::memchr_iter(b':', listed.value).any(begins) {
            return;
        }
        let Some(row) = CheckRow::of_code("in-note") else {
            return;
        };
        let matches: Vec<_> = self.finder.find(listed.value).collect();
        for found in matches {
            let canonical = self
                .canonicalizer
                .canonicalize(found.uri(), &mut self.buffer);
            let canonical = canonical.to_vec();
            rows.push(IdentifierRow {
                record,
                field: listed.field.clone(),
                subfield: listed.subfield.clone(),
                listed: ListedKind::Note,
                expected: ExpectedValue::Note,
                original: Cow::Borrowed(found.as_bytes()),
                kind: kind(&canonical, ListedKind::Note),
                canonical: Cow::Owned(canonical),
                uri: Some(Cow::Owned(found.uri().to_vec())),
                is_canonical: false,
                hits: vec![CheckHit {
                    row,
                    may_fix: false,
                }],
                suggestion: None,
                note: listed.note.clone(),
                link_text: listed.link_text.clone(),
                materials: listed.materials.clone(),
            });
        }
    }

    /// Returns the URI of a value that is one. Most are written as their canonical forms.
    fn canonical<'v>(&mut self, value: &'v [u8], schemes: Schemes) -> ValueUri<'v> {
        // Most numbers have no colon, and each URI has one.
        if memchr::memchr(b':', value).is_none() {
            return ValueUri::default();
        }
        let look = |at| Outlook::of(value, at);
        let usual = self.delimiter.as_written(value, schemes, look);
        let is_form = |url| Canonicalizer::is_form_at_each_level(value, url);
        let is_canonical = usual.is_some_and(is_form);
        if usual.is_some_and(|url| url.is_folded) && self.canonicalizer.keeps_lower_case() {
            return ValueUri {
                uri: Some(Cow::Borrowed(value)),
                canonical: Cow::Borrowed(value),
                is_canonical,
            };
        }
        let referred = self.delimiter.reference(value, schemes, &mut self.cleaning);
        let Ok(Referred::Uri { uri, .. }) = referred else {
            return ValueUri::default();
        };
        let canonical = self.canonicalizer.canonicalize(uri, &mut self.buffer);
        let kept = |made: &[u8]| match made == value {
            true => Cow::Borrowed(value),
            false => Cow::Owned(made.to_vec()),
        };
        ValueUri {
            uri: Some(kept(uri)),
            canonical: kept(canonical),
            is_canonical,
        }
    }

    /// Adds the defects in comparison with the other identifiers of the record.
    fn compare(&mut self, rows: &mut [IdentifierRow]) {
        let compared = rows.iter().filter(|row| row.compared().is_some());
        if compared.take(2).count() < 2 {
            return;
        }
        self.keys.clear();
        for row in &*rows {
            let uri = row.compared().map(|uri| (uri, row.is_canonical));
            self.keys
                .push(uri, [&self.scheme, &self.unwrapped], &mut self.buffer);
        }
        let pairs: Vec<_> = self.keys.iter().collect();
        let tags = rows.iter().map(|row| row.field.tag);
        let tagged: Vec<_> = tags.zip(&pairs).map(|(tag, pair)| (tag, pair.0)).collect();
        let found = duplicates(&tagged)
            .into_iter()
            .zip(resolver_duplicates(&pairs));
        for (row, (again, leads)) in rows.iter_mut().zip(found) {
            let codes = [
                (again && !row.may_repeat(), "duplicate-in-record"),
                (leads, "resolver-duplicate"),
            ];
            for (_, code) in codes.into_iter().filter(|code| code.0) {
                row.add(code);
            }
        }
    }
}

impl IdentifierRow<'_> {
    /// Adds a defect that is not one of the value alone.
    fn add(&mut self, code: &str) {
        self.hits
            .extend(CheckRow::of_code(code).map(|row| CheckHit {
                row,
                may_fix: false,
            }));
    }

    /// Whether other fields of the record may have the same value by design: the identifiers
    /// of headings, and 883, which names the origin of fields.
    fn may_repeat(&self) -> bool {
        let is_heading = match self.field.tag {
            [b'1' | b'6', _, _] => true,
            [b'7', b'0'..=b'5', _] | [b'8', b'0'..=b'3', _] => true,
            tag => tag == b"883" || tag == b"240",
        };
        self.record.rules() == RecordRules::Marc21
            && (is_heading || matches!(self.subfield.code, b"0" | b"1"))
    }

    /// Returns the URI that the row is compared by with others of its record.
    fn compared(&self) -> Option<&[u8]> {
        // A number that is known to be wrong often repeats the right one.
        let is_compared = !matches!(
            self.expected,
            ExpectedValue::Note | ExpectedValue::Cancelled
        );
        self.uri.as_deref().filter(|_| is_compared)
    }
}

impl RowKeys {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ranges.clear();
    }

    /// Adds the keys of a row, by its URI, and whether this is its own canonical form.
    fn push(
        &mut self,
        uri: Option<(&[u8], bool)>,
        [scheme, unwrapped]: [&Canonicalizer; 2],
        buffer: &mut Vec<u8>,
    ) {
        let (uri, is_canonical) = uri.unwrap_or_default();
        let mut push = |key: &[u8]| {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(key);
            start..start + key.len()
        };
        let key = match uri.is_empty() || is_canonical {
            true => uri,
            false => scheme.canonicalize(uri, buffer),
        };
        let carries = unwrapped.is_carrier(uri) || key != uri && unwrapped.is_carrier(key);
        let key = push(key);
        let to = match carries {
            true => push(unwrapped.canonicalize(uri, buffer)),
            false => key.clone(),
        };
        self.ranges.push([key, to]);
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let key = |range: &Range<usize>| &self.bytes[range.clone()];
        self.ranges.iter().map(move |[one, to]| (key(one), key(to)))
    }
}

/// Adds the problem that the answer of a server shows.
fn add_status(status: Option<&LinkStatus>, checked: &mut CheckedValue) {
    let code = match status {
        None => return,
        Some(LinkStatus::Dead) => "dead-link",
        Some(LinkStatus::Moved(to)) => {
            checked.suggestion = Some(to.clone());
            "moved"
        }
    };
    checked
        .hits
        .extend(CheckRow::of_code(code).map(|row| CheckHit {
            row,
            may_fix: row.may_fix,
        }));
}

/// Adds the row of a subfield of URIs without content.
fn push_empty<'r>(
    record: &'r CatalogRecord,
    listed: ListedValue<'r>,
    rows: &mut Vec<IdentifierRow<'r>>,
) {
    let has_subfields = matches!(
        record.rules(),
        RecordRules::Marc21 | RecordRules::Unimarc | RecordRules::Pica
    );
    if listed.kind != ListedKind::Uri || !has_subfields || listed.subfield.code.is_empty() {
        return;
    }
    let mut row = IdentifierRow {
        record,
        kind: "",
        listed: listed.kind,
        expected: listed.expected(),
        original: Cow::Borrowed(listed.subfield.text),
        field: listed.field,
        subfield: listed.subfield,
        canonical: Cow::Borrowed(b""),
        uri: None,
        is_canonical: false,
        hits: Vec::new(),
        suggestion: None,
        note: listed.note,
        link_text: listed.link_text,
        materials: listed.materials,
    };
    row.add("empty-value");
    rows.push(row);
}

/// Returns the URI of a number in its own field, if the rule is known.
fn uri_of(kind: ListedKind, value: &str) -> Option<MadeUri> {
    let field = match kind {
        ListedKind::Isbn => NumberField::Isbn,
        ListedKind::Issn => NumberField::Issn,
        ListedKind::Doi => NumberField::Doi,
        ListedKind::Handle => NumberField::Handle,
        _ => return None,
    };
    made_urn(field, value)
}

fn kind(canonical: &[u8], listed: ListedKind) -> &'static str {
    match (canonical, listed) {
        ([], _) | (_, ListedKind::Authority(_)) => listed.name(),
        (uri, _) => Kind::of(uri).name(),
    }
}

/// Returns a value without the blanks around it.
fn trimmed(value: &[u8]) -> &[u8] {
    const BLANK: &[u8] = "\u{A0}".as_bytes();
    if let [b'!'..=b'~', .., b'!'..=b'~'] = value {
        return value;
    }
    let mut value = value.trim_ascii();
    while let Some(rest) = value.strip_prefix(BLANK).or(value.strip_suffix(BLANK)) {
        value = rest.trim_ascii();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{CatalogFormat, CatalogReader};

    /// Returns each row: tag, code, original, canonical form, kind and problems.
    fn rows(text: &str, make_urn: bool) -> Vec<String> {
        let mut record = CatalogRecord::default();
        CatalogReader::new(CatalogFormat::Mrk).read(text.as_bytes(), true, &mut record);
        let rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let show = |row: &IdentifierRow| {
            let place = text(row.field.tag) + &text(row.subfield.code);
            let [original, canonical] = [&*row.original, &row.canonical].map(text);
            let (kind, codes) = (row.kind, row.codes());
            format!("{place}|{original}|{canonical}|{kind}|{codes}")
        };
        let mut rows = rows.make_urn(make_urn);
        rows.of(std::slice::from_ref(&record))
            .iter()
            .map(show)
            .collect()
    }

    #[test]
    fn parts_are_those_of_the_components() {
        for uri in [
            "http://a.example",
            "https://a.example/b",
            "http://a.example?b",
            "https://a.example#b",
            "http://a.example:80/b",
            "http://u@a.example/b",
            "http://a.example_b/",
            "http://1.example/",
            "ftp://a.example/b",
            "urn:isbn:0451450523",
            "doi:10.1000/1",
        ] {
            let mut record = CatalogRecord::default();
            let text = format!("=856  40$u{uri}\n");
            CatalogReader::new(CatalogFormat::Mrk).read(text.as_bytes(), true, &mut record);
            let mut rows =
                IdentifierRows::new(FieldChoice::default(), Canonicalizer::new(Level::None));
            let rows = rows.of(std::slice::from_ref(&record));
            let parts = Components::parse(uri.as_bytes());
            let part = |part: Option<&[u8]>| part.unwrap_or_default().to_vec();
            let wanted = [
                part(parts.scheme(uri.as_bytes())),
                part(parts.host(uri.as_bytes())),
                part(urn::nid(uri.as_bytes())),
            ];
            assert_eq!(rows[0].parts().map(<[u8]>::to_vec), wanted, "{uri}");
        }
    }

    #[test]
    fn each_identifier_has_a_row() {
        let text = "=020  \\\\$a0451450523 (pbk.)$z0-451\n=024  7\\$a10.1000/1$2doi\n=100  1\\$aA$0(DE-588)1\n\
            =856  40$uHTTP://A.example/$zsee http://n.example/, www.b.example$3Part\n\
            =856  40$uhttps://doi.org/10.1000/1\n=857  40$uhttp://a.example/\n=856  40$u \n";
        let wanted = [
            "020a|0451450523 (pbk.)||isbn|",
            "020z|0-451||isbn|",
            "024a|10.1000/1||doi|",
            "856u|HTTP://A.example/|http://a.example/|url|",
            "856z|http://n.example/|http://n.example/|url|in-note",
            "856u|https://doi.org/10.1000/1|https://doi.org/10.1000/1|url|resolver-duplicate",
            "857u|http://a.example/|http://a.example/|url|duplicate-in-record",
            "856u| |||empty-value",
        ];
        assert_eq!(rows(text, false), wanted);
        let several = "=020  \\\\$a9783161484100 ; 9780306406158$a0451450523 (pbk.), 2 vols., 1998-2004\n\
            =022  \\\\$a2049-3630 ; 1998-2004\n=024  7\\$a10.1000/182.$2doi\n\
            =100  1\\$aA$0http//d-nb.info/gnd/1$0http://d-nb.info/gnd/2$0(DE-588)3\n=700  1\\$aA$0http://d-nb.info/gnd/2\n\
            =883  \\\\$uhttp://a.example/\n=883  \\\\$uhttp://a.example/\n=856  40$uhttp://f.example/; http://g.example/ $u\n";
        let wanted = [
            "020a|9783161484100||isbn|",
            "020a|9780306406158||isbn|isbn-check",
            "020a|0451450523 (pbk.), 2 vols., 1998-2004||isbn|",
            "022a|2049-3630 ; 1998-2004||issn|",
            "024a|10.1000/182.||doi|trailing-punct",
            "1000|http//d-nb.info/gnd/1|||missing-colon",
            "1000|http://d-nb.info/gnd/2|http://d-nb.info/gnd/2|url|",
            "7000|http://d-nb.info/gnd/2|http://d-nb.info/gnd/2|url|",
            "883u|http://a.example/|http://a.example/|url|",
            "883u|http://a.example/|http://a.example/|url|",
            "856u|http://f.example/|http://f.example/|url|two-uris",
            "856u|http://g.example/|http://g.example/|url|",
            "856u||||empty-value",
        ];
        assert_eq!(rows(several, false), wanted);
        let made = rows(text, true);
        assert_eq!(made[0], "020a|0451450523 (pbk.)|urn:isbn:0451450523|urn|");
        assert_eq!(made[2], "024a|10.1000/1|doi:10.1000/1|uri|");
    }
}
