//! The trait of every form: converts a finding to bytes, and adds a beginning and an
//! end.

use super::run_report::RunReport;
use crate::item::{Finding, Spelling};
use std::fmt;
use std::sync::Arc;

/// Appends the record of a finding; the text is the name of its input. Threads may share it.
pub type WriteRecord = Arc<dyn Fn(&Finding, &[u8], &mut Vec<u8>) + Send + Sync>;

/// A form in which findings are written.
///
/// ```
/// use urisieve::{Sieve, item::Finding, output::Form};
/// struct Link;
/// impl Form for Link {
///     fn write(&mut self, finding: &Finding<'_>, name: &[u8], out: &mut Vec<u8>) {
///         out.extend([b"[", name, b"](", finding.uri, b")\n"].concat());
///     }
/// }
/// let mut out = Vec::new();
/// Sieve::builder().build().for_each(b"http://a/", |finding| {
///     Link.write(finding, b"f.txt", &mut out);
/// })?;
/// assert_eq!(out, b"[f.txt](http://a/)\n");
/// # Ok::<(), urisieve::Error>(())
/// ```
pub trait Form: Send {
    /// Appends the beginning, before the first record; by default nothing. Call it
    /// once, first.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Appends `finding` to `out`; `name` is the name of its input.
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>);

    /// Returns the byte that ends a record, if each record is the canonical form and this
    /// byte, so that a caller can write records itself. By default `None`: records are
    /// written by [`write`](Form::write).
    ///
    /// ```
    /// use urisieve::output::{Form, Json, Text};
    /// assert_eq!(Text::default().line_end(), Some(b'\n'));
    /// assert_eq!(Text::default().names(true).line_end(), None);
    /// assert_eq!(Json::default().line_end(), None);
    /// ```
    fn line_end(&self) -> Option<u8> {
        None
    }

    /// Returns what writes records as [`write`](Form::write) does, on any thread; `None`, the
    /// default, where a record depends on those before it.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Form, Text}};
    /// let (write, mut out) = (Text::default().by_record().unwrap(), Vec::new());
    /// write(&Finding::new(b"http://a/"), b"f.txt", &mut out);
    /// assert_eq!(out, b"http://a/\n");
    /// ```
    fn by_record(&self) -> Option<WriteRecord> {
        None
    }

    /// Whether each spelling of a class may have a record; by default yes. Links have none.
    ///
    /// ```
    /// use urisieve::output::{Form, Text};
    /// assert!(Text::default().has_spellings());
    /// ```
    fn has_spellings(&self) -> bool {
        true
    }

    /// Appends a class with its spellings; by default a record for each of them, with
    /// its count, or one for the class where there are [none](Form::has_spellings).
    fn write_group(
        &mut self,
        class: &Finding,
        spellings: &[Spelling],
        name: &[u8],
        out: &mut Vec<u8>,
    ) {
        if !self.has_spellings() {
            return self.write(class, name, out);
        }
        for spelling in spellings {
            self.write(&spelled(class, spelling), name, out);
        }
    }

    /// Takes the numbers and the losses of the run, after the last record; by default they are
    /// not used.
    ///
    /// ```
    /// use urisieve::output::{Form, Report, RowKind, RunReport};
    /// let (mut form, mut out) = (Report::new(RowKind::Findings).json(true), Vec::new());
    /// let numbers = vec![("bytes".to_owned(), 120)];
    /// form.run(RunReport { numbers, ..RunReport::default() });
    /// form.finish(&mut out)?;
    /// assert!(out.starts_with(br#"{"records":0,"numbers":{"bytes":120},"#));
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    fn run(&mut self, run: RunReport) {
        let _ = run;
    }

    /// Whether every record that was written is in the output; by default yes. A report has
    /// only the first ones.
    ///
    /// ```
    /// use urisieve::output::{Form, Report, RowKind};
    /// assert!(Report::new(RowKind::Findings).is_whole());
    /// ```
    fn is_whole(&self) -> bool {
        true
    }

    /// Appends the end, after the last record; by default nothing. Call it once, last:
    /// then the output is complete.
    ///
    /// # Errors
    /// A cause, when the findings cannot be written in this form.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        let _ = out;
        Ok(())
    }
}

/// Returns the finding of a class in one of its spellings.
pub(super) fn spelled<'f>(class: &Finding<'f>, spelling: &Spelling<'f>) -> Finding<'f> {
    Finding {
        original: spelling.text,
        count: Some(spelling.count),
        ..*class
    }
}

/// Why findings cannot be written in a form.
///
/// ```
/// use urisieve::output::FormError;
/// let error = FormError::new("a table has no more rows");
/// assert_eq!(error.to_string(), "a table has no more rows");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormError(String);

impl FormError {
    /// Creates an error with this cause.
    ///
    /// ```
    /// use urisieve::output::FormError;
    /// assert_eq!(FormError::new("a"), FormError::new(String::from("a")));
    /// ```
    pub fn new(cause: impl Into<String>) -> FormError {
        FormError(cause.into())
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FormError {}
