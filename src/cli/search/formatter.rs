//! Formats findings on the threads that find them, where a record depends on no other one.

use crate::cli::inputs::InputNames;
use std::sync::Arc;
use urisieve::output::{Form, WriteRecord};
use urisieve::{Findings, FormatFindings};

/// The format of the records.
pub(super) enum Formatter {
    /// Canonical forms, each with this byte behind it.
    Lines(u8),
    /// Records of a form, with the names of the inputs.
    Records(WriteRecord, InputNames),
}

impl Formatter {
    /// Returns the format of `form`, if it has one for single records.
    pub(super) fn of(form: &dyn Form, names: &InputNames) -> Option<Arc<dyn FormatFindings>> {
        let formatter = match form.line_end() {
            Some(end) => Formatter::Lines(end),
            None => Formatter::Records(form.by_record()?, names.clone()),
        };
        Some(Arc::new(formatter))
    }
}

impl FormatFindings for Formatter {
    fn format(&self, findings: &mut Findings, out: &mut Vec<u8>) -> u64 {
        let mut records = 0;
        match self {
            Formatter::Lines(end) => {
                while let Some(uri) = findings.next_uri() {
                    out.extend_from_slice(uri);
                    out.push(*end);
                    records += 1;
                }
            }
            Formatter::Records(write, names) => {
                let mut name = None;
                for finding in findings {
                    let name = name.get_or_insert_with(|| names.get(finding.input));
                    write(&finding, name, out);
                    records += 1;
                }
            }
        }
        records
    }
}
