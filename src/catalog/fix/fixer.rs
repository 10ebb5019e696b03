//! Fixes one record after the other: decides which of its values change, and appends
//! the record with its new values.

use super::super::check::{CheckRow, check, repair};
use super::super::choice::FieldChoice;
use super::super::listed::is_meant;
use super::super::listing::{ListedKind, ListedValue, listed_values};
use super::super::statuses::{LinkStatus, LinkStatuses};
use super::codes::RepairCodes;
use super::edits;
use super::fixed::{FixedValue, PlannedFixes, of_record};
use super::table::EditedTable;
use crate::decode::{CatalogRecord, RecordRewriter, ValueChange};
use crate::delimit::{Cleaning, Config, Delimiter, Referred};
use crate::item::Schemes;
use std::sync::Arc;

/// The code of links that have moved.
const MOVED: &str = "moved";

/// Which values change.
///
/// ```
/// use urisieve::catalog::{FieldChoice, fix::{FixRules, RepairCodes}};
/// let rules = FixRules::Repairs(FieldChoice::default(), RepairCodes::default());
/// # drop(rules);
/// ```
#[derive(Debug)]
pub enum FixRules {
    /// Repairs of the values of these fields that have one of these problems.
    Repairs(FieldChoice, RepairCodes),
    /// The changes that a table lists.
    Table(EditedTable),
}

/// Changes records.
///
/// ```
/// use urisieve::catalog::{FieldChoice, fix::{FixRules, RecordFixer, RepairCodes}};
/// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
/// let text = b"=856  40$uhttp//a.example/.$zsee\n";
/// let mut record = CatalogRecord::default();
/// CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
/// let rules = FixRules::Repairs(FieldChoice::default(), RepairCodes::parse("missing-colon")?);
/// let (mut out, mut values) = (Vec::new(), Vec::new());
/// let mut fixer = RecordFixer::default();
/// let fixed = fixer.fix(&rules, b"a.mrk", (&record, text), &mut out, &mut values);
/// assert!(fixed);
/// assert_eq!(out, b"=856  40$uhttp://a.example/.$zsee\n");
/// assert_eq!((&*values[0].codes, &*values[0].after), ("missing-colon", "http://a.example/."));
/// # Ok::<(), urisieve::catalog::fix::RepairCodesError>(())
/// ```
#[derive(Debug)]
pub struct RecordFixer {
    rewriter: RecordRewriter,
    delimiter: Delimiter,
    cleaning: Cleaning,
    used: Vec<usize>,
    listed: u64,
    statuses: Arc<LinkStatuses>,
}

impl Default for RecordFixer {
    fn default() -> RecordFixer {
        RecordFixer {
            rewriter: RecordRewriter::default(),
            delimiter: Delimiter::new(Config::default()),
            cleaning: Cleaning::default(),
            used: Vec::new(),
            listed: 0,
            statuses: Arc::default(),
        }
    }
}

impl RecordFixer {
    /// The answers of servers for the links: with the code `moved`, those that moved change.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use urisieve::catalog::{LinkStatuses, fix::RecordFixer};
    /// let fixer = RecordFixer::default().statuses(Arc::new(LinkStatuses::default()));
    /// # drop(fixer);
    /// ```
    pub fn statuses(mut self, statuses: Arc<LinkStatuses>) -> RecordFixer {
        self.statuses = statuses;
        self
    }

    /// Appends the record, whose bytes are `raw`, with its new values to `out`, and reports
    /// them to `values`. `file` names its input in a table. If one of its new values cannot
    /// be written, the record is appended unchanged, and all values are reported as refused;
    /// if a row of a table does not fit the record, only this row is refused. Returns
    /// whether the record changed.
    ///
    /// ```
    /// # use urisieve::catalog::{FieldChoice, fix::{FixRules, RecordFixer, RepairCodes}};
    /// # use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let text = b"=856  40$uhttp://a.example/\n";
    /// # let mut record = CatalogRecord::default();
    /// # CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// let rules = FixRules::Repairs(FieldChoice::default(), RepairCodes::parse("missing-colon")?);
    /// let (mut out, mut values) = (Vec::new(), Vec::new());
    /// assert!(!RecordFixer::default().fix(&rules, b"a.mrk", (&record, text), &mut out, &mut values));
    /// assert_eq!((&out[..], values.len()), (&text[..], 0));
    /// # Ok::<(), urisieve::catalog::fix::RepairCodesError>(())
    /// ```
    pub fn fix(
        &mut self,
        rules: &FixRules,
        file: &[u8],
        (record, raw): (&CatalogRecord, &[u8]),
        out: &mut Vec<u8>,
        values: &mut Vec<FixedValue>,
    ) -> bool {
        let mut planned = match rules {
            FixRules::Repairs(choice, codes) => self.repairs(record, (choice, codes)),
            FixRules::Table(table) => self.edits(record, (table, file), values),
        };
        if planned.changes.is_empty() {
            out.extend_from_slice(raw);
            return false;
        }
        let done = self.rewriter.rewrite(record, raw, &planned.changes, out);
        if let Err(refusal) = done {
            out.extend_from_slice(raw);
            for value in &mut planned.values {
                value.refused = refusal.to_string();
            }
        }
        values.append(&mut planned.values);
        done.is_ok()
    }

    /// Returns the places of the rows of a table that were applied or refused since the last
    /// call.
    ///
    /// ```
    /// assert!(urisieve::catalog::fix::RecordFixer::default().take_used().is_empty());
    /// ```
    pub fn take_used(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.used)
    }

    /// Returns the number of values of the chosen fields since the last call, whether they are
    /// right or not.
    ///
    /// ```
    /// assert_eq!(urisieve::catalog::fix::RecordFixer::default().take_listed(), 0);
    /// ```
    pub fn take_listed(&mut self) -> u64 {
        std::mem::take(&mut self.listed)
    }

    /// Returns the repairs of the record.
    fn repairs(
        &mut self,
        record: &CatalogRecord,
        (choice, codes): (&FieldChoice, &RepairCodes),
    ) -> PlannedFixes {
        let mut planned = PlannedFixes::default();
        let mut listed = listed_values(record, choice).into_iter().peekable();
        for (number, field) in record.fields().enumerate() {
            for (place, subfield) in field.subfields().enumerate() {
                let is_it = |listed: &ListedValue| listed.subfield.range == subfield.range;
                let Some(found) = listed.next_if(is_it) else {
                    continue;
                };
                let Ok(before) = std::str::from_utf8(subfield.text) else {
                    continue;
                };
                let may_be_uri = found.kind == ListedKind::MaybeUri;
                let text = before.trim();
                if may_be_uri && !self.is_uri(text.as_bytes()) && !is_meant(record.rules(), text) {
                    continue;
                }
                self.listed += 1;
                let expected = found.expected();
                let chosen = |row: &CheckRow| codes.has(row.code);
                let is_link = found.kind.is_of_address() && found.is_valid && codes.has(MOVED);
                let moved = self.moved(text).filter(|_| is_link);
                let is_moved = moved.is_some();
                let Some(after) = moved.or_else(|| repair(before, expected, chosen)) else {
                    continue;
                };
                let hits = check(before, expected).hits;
                let made = hits
                    .iter()
                    .filter(|hit| hit.may_fix && codes.has(hit.row.code) && !is_moved);
                let made = made.map(|hit| hit.row.code);
                let made: Vec<&str> = made.chain(is_moved.then_some(MOVED)).collect();
                let mut value = FixedValue {
                    before: before.to_owned(),
                    after: after.clone(),
                    codes: made.join(" "),
                    ..of_record(record)
                };
                value.tag = field.tag.to_vec();
                value.occurrence = field.occurrence;
                value.subfield = subfield.code.to_vec();
                planned.values.push(value);
                planned.changes.push(ValueChange {
                    field: number,
                    subfield: place,
                    text: after,
                });
            }
        }
        planned
    }

    /// Returns the new address of a link that has moved.
    fn moved(&mut self, value: &str) -> Option<String> {
        let value = value.as_bytes();
        let referred = self
            .delimiter
            .reference(value, Schemes::Any, &mut self.cleaning);
        match referred {
            Ok(Referred::Uri { uri, .. }) => match self.statuses.of(uri)? {
                LinkStatus::Moved(to) => Some(to.clone()),
                LinkStatus::Dead => None,
            },
            _ => None,
        }
    }

    /// Whether a value that may be other text is a URI as a whole.
    fn is_uri(&mut self, value: &[u8]) -> bool {
        let referred = self
            .delimiter
            .reference(value, Schemes::Known, &mut self.cleaning);
        matches!(referred, Ok(Referred::Uri { .. }))
    }

    /// Returns the changes that a table has for the record. Rows that do not fit it are
    /// reported.
    fn edits(
        &mut self,
        record: &CatalogRecord,
        (table, file): (&EditedTable, &[u8]),
        refused: &mut Vec<FixedValue>,
    ) -> PlannedFixes {
        let Some(file) = table.file(file) else {
            return PlannedFixes::default();
        };
        let (first, rows) = table.rows(file, record.number());
        self.used.extend(first..first + rows.len());
        match rows.iter().any(|row| row.row.is_some()) {
            true => edits::planned(record, rows, refused),
            false => PlannedFixes::default(),
        }
    }
}
