//! The choice of fields as text: `856[4_]ugzx,024a,*u`.

use crate::decode::{
    CatalogRecord, FieldRole, RecordField, RecordRules, Subfield, field_role, is_same_column,
};

/// The fields that are listed.
///
/// ```
/// use urisieve::catalog::FieldChoice;
/// assert!(FieldChoice::parse("856[4_]ugzx,024a,*u").is_ok());
/// assert_eq!(FieldChoice::parse("85").unwrap_err().to_string(), "85: a tag has 3 or 4 characters");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldChoice {
    /// Empty: the default fields of each format.
    fields: Vec<ChosenField>,
}

/// A field that is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ChosenField {
    /// The text as written: the name of a column of a table.
    text: Vec<u8>,
    /// `None`: every field.
    tag: Option<Vec<u8>>,
    /// The indicators; `None` is any.
    indicators: [Option<u8>; 2],
    /// The codes of subfields; every subfield if empty.
    codes: Vec<u8>,
    /// The kind that is stated for its values.
    role: Option<FieldRole>,
}

/// The kinds that may be stated for the values of a field.
const KINDS: [(&str, FieldRole); 10] = [
    ("uri", FieldRole::Uri),
    ("url", FieldRole::Uri),
    ("link", FieldRole::Uri),
    ("urn", FieldRole::Urn),
    ("doi", FieldRole::Doi),
    ("isbn", FieldRole::Isbn),
    ("issn", FieldRole::Issn),
    ("handle", FieldRole::Handle),
    ("hdl", FieldRole::Handle),
    ("number", FieldRole::BookOrSerial),
];
const NO_KIND: &str = "a kind is uri, urn, doi, isbn, issn, handle or number (ISBN or ISSN)";

/// Why a text is not a choice of fields.
///
/// ```
/// use urisieve::catalog::FieldChoice;
/// let error = FieldChoice::parse("856[4u").unwrap_err();
/// assert_eq!(error.to_string(), "856[4u: two indicators stand between [ and ]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceError {
    field: String,
    cause: &'static str,
}

impl std::fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.field, self.cause)
    }
}

impl std::error::Error for ChoiceError {}

impl FieldChoice {
    /// Reads fields with commas between them, each perhaps with `=` and a kind (`uri`, `urn`,
    /// `doi`, `isbn`, `issn`, `handle`, or `number` for ISBN or ISSN): a tag, `X` in it for any digit, or `*`; two
    /// indicators in brackets, `_` for a blank and `.` for any; codes of subfields. An
    /// element of MODS or Dublin Core is named by its path only, a column of a table by its
    /// header, without regard to case, plural, blanks and hyphens.
    ///
    /// ```
    /// use urisieve::catalog::FieldChoice;
    /// assert!(FieldChoice::parse("5XXu,017Cu,location/url,title_url=uri").is_ok());
    /// ```
    ///
    /// # Errors
    /// A field in another form.
    pub fn parse(text: &str) -> Result<FieldChoice, ChoiceError> {
        let fields = text
            .split(',')
            .map(str::trim)
            .filter(|field| !field.is_empty());
        let fields: Result<Vec<_>, _> = fields.map(ChosenField::parse).collect();
        Ok(FieldChoice { fields: fields? })
    }

    /// Returns the role of a subfield if it is chosen. A chosen subfield that is not in the
    /// table of fields counts if it is a URI as a whole.
    ///
    /// ```
    /// use urisieve::catalog::FieldChoice;
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, FieldRole};
    /// let mut record = CatalogRecord::default();
    /// CatalogReader::new(CatalogFormat::Mrk).read(b"=100  1\\$aA$uB\n", true, &mut record);
    /// let field = record.fields().next().unwrap();
    /// let last = field.subfields().last().unwrap();
    /// let role = |choice: &str| FieldChoice::parse(choice).unwrap().role(record.rules(), &field, &last);
    /// assert_eq!((role(""), role("*u")), (None, Some(FieldRole::MaybeUri)));
    /// ```
    pub fn role(
        &self,
        rules: RecordRules,
        field: &RecordField,
        subfield: &Subfield,
    ) -> Option<FieldRole> {
        let mut tag = field.tag;
        if tag == b"880"
            && let Some(linked) = field.subfields().find(|subfield| subfield.code == b"6")
        {
            tag = linked.text.get(..3).unwrap_or(tag);
        }
        let known = field_role(rules, tag, subfield.code);
        if self.fields.is_empty() {
            return known;
        }
        let mut fields = self.fields.iter();
        let chosen = fields.find(|chosen| chosen.has(rules, tag, field, subfield))?;
        Some(chosen.role.or(known).unwrap_or(FieldRole::MaybeUri))
    }

    /// Whether no field is named: those of the table of fields are chosen.
    pub(super) fn is_default(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether the column of a table with this name is known to hold identifiers, or is chosen.
    ///
    /// ```
    /// use urisieve::catalog::FieldChoice;
    /// let choice = FieldChoice::parse("link")?;
    /// assert!(choice.has_column(b"Link") && !choice.has_column(b"url"));
    /// assert!(FieldChoice::default().has_column(b"url"));
    /// # Ok::<(), urisieve::catalog::ChoiceError>(())
    /// ```
    pub fn has_column(&self, name: &[u8]) -> bool {
        match self.fields.is_empty() {
            true => field_role(RecordRules::Table, name, b"")
                .is_some_and(|role| role != FieldRole::MaybeUri),
            false => self
                .fields
                .iter()
                .any(|chosen| is_same_column(&chosen.text, name)),
        }
    }

    /// Returns the texts of all chosen subfields of a record, with `; ` between them.
    ///
    /// ```
    /// use urisieve::catalog::FieldChoice;
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut record = CatalogRecord::default();
    /// CatalogReader::new(CatalogFormat::Mrk).read(b"=852  \\\\$bA$bB\n", true, &mut record);
    /// assert_eq!(FieldChoice::parse("852b").unwrap().texts(&record), b"A; B");
    /// ```
    pub fn texts(&self, record: &CatalogRecord) -> Vec<u8> {
        let mut joined = Vec::new();
        for field in record.fields() {
            for subfield in field.subfields() {
                let is_chosen =
                    |chosen: &ChosenField| chosen.has(record.rules(), field.tag, &field, &subfield);
                if self.fields.iter().any(is_chosen) {
                    if !joined.is_empty() {
                        joined.extend_from_slice(b"; ");
                    }
                    joined.extend_from_slice(subfield.text.trim_ascii());
                }
            }
        }
        joined
    }
}

impl ChosenField {
    fn parse(text: &str) -> Result<ChosenField, ChoiceError> {
        let error = |cause| ChoiceError {
            field: text.to_owned(),
            cause,
        };
        let (text, role) = match text.rsplit_once('=') {
            Some((name, kind)) => {
                let known = KINDS
                    .iter()
                    .find(|(known, _)| kind.trim().eq_ignore_ascii_case(known));
                let role = known.ok_or_else(|| error(NO_KIND))?.1;
                (name.trim_end(), Some(role))
            }
            None => (text, None),
        };
        let bytes = text.as_bytes();
        // A name of a column with a kind may be any text.
        let is_name = role.is_some() && bytes.iter().any(|byte| !byte.is_ascii_alphanumeric());
        let is_path = bytes.contains(&b'/')
            || bytes.len() > 3 && bytes[..3].iter().all(u8::is_ascii_lowercase);
        let len = match bytes {
            [b'*', ..] => 1,
            _ if is_path || is_name && !bytes.contains(&b'[') => bytes.len(),
            _ if bytes.len() < 3 && bytes.iter().all(u8::is_ascii_alphabetic) => bytes.len(),
            _ if bytes.len() < 3 => return Err(error("a tag has 3 or 4 characters")),
            [_, _, _, b'@' | b'A'..=b'Z', ..] => 4,
            _ => 3,
        };
        let (tag, mut rest) = bytes.split_at(len);
        let mut indicators = [None; 2];
        if let Some(inner) = rest.strip_prefix(b"[") {
            let [one, two, b']', codes @ ..] = inner else {
                return Err(error("two indicators stand between [ and ]"));
            };
            let indicator = |byte: u8| match byte {
                b'_' => Some(b' '),
                b'.' => None,
                byte => Some(byte),
            };
            indicators = [indicator(*one), indicator(*two)];
            rest = codes;
        }
        Ok(ChosenField {
            text: bytes.to_vec(),
            tag: (tag != b"*").then(|| tag.to_vec()),
            indicators,
            codes: rest.to_vec(),
            role,
        })
    }

    fn has(
        &self,
        rules: RecordRules,
        tag: &[u8],
        field: &RecordField,
        subfield: &Subfield,
    ) -> bool {
        if rules == RecordRules::Table {
            return self.tag.is_none() || is_same_column(&self.text, field.tag);
        }
        let is_same = |(pattern, byte): (&u8, &u8)| {
            pattern == byte || *pattern == b'X' && byte.is_ascii_digit()
        };
        let has_tag = self.tag.as_ref().is_none_or(|pattern| {
            pattern.len() == tag.len() && pattern.iter().zip(tag).all(is_same)
        });
        let has_indicator = |wanted: Option<u8>, found: &[u8]| {
            wanted.is_none_or(|wanted| found == [wanted] || found.is_empty() && wanted == b' ')
        };
        let has_code = match subfield.code {
            [] => true,
            [code] => self.codes.is_empty() || self.codes.contains(code),
            _ => self.codes.is_empty(),
        };
        has_tag
            && has_code
            && has_indicator(self.indicators[0], field.ind1)
            && has_indicator(self.indicators[1], field.ind2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each kind is named where a wrong one is reported.
    #[test]
    fn kinds_are_said() {
        let aliases = ["url", "link", "hdl"];
        for (name, role) in KINDS {
            let field = format!("a b={name}");
            let choice = FieldChoice::parse(&field).unwrap();
            assert_eq!(choice.fields[0].role, Some(role));
            assert_eq!(
                NO_KIND.contains(&format!(" {name}")),
                !aliases.contains(&name),
                "{name}"
            );
        }
        let error = FieldChoice::parse("a=b").unwrap_err();
        assert_eq!(error.to_string(), format!("a=b: {NO_KIND}"));
    }
}
