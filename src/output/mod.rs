//! How is it told? One form per file; each turns one finding into bytes and
//! knows nothing of files, pipes or terminals.

mod count;
mod csv;
mod defang;
#[cfg(feature = "domain")]
mod ecs;
mod fields;
mod json;
#[cfg(feature = "parquet")]
mod parquet;
mod schema;
mod screen;
mod surt;
mod tally;
mod text;

pub use count::Count;
pub use csv::Csv;
pub use defang::defang;
#[cfg(feature = "domain")]
pub use ecs::Ecs;
pub use json::{Json, push_error};
#[cfg(feature = "parquet")]
pub use parquet::{Parquet, ParquetTally};
pub use schema::{Key, RECORD, Value, push_schema};
pub use screen::Screen;
pub use surt::{archive_surt, plain_surt};
pub use tally::Tally;
pub use text::Text;

use crate::item::{Finding, Spelling};
use std::fmt;

/// A form in which findings are told.
///
/// ```
/// use urisieve::{engine::Sieve, item::Finding, output::Form};
/// struct Link;
/// impl Form for Link {
///     fn write(&mut self, finding: &Finding<'_>, name: &[u8], out: &mut Vec<u8>) {
///         out.extend([b"[", name, b"](", finding.uri, b")\n"].concat());
///     }
/// }
/// let mut out = Vec::new();
/// Sieve::builder().build().slice(b"http://a/", &mut |finding: &Finding<'_>| {
///     Link.write(finding, b"f.txt", &mut out);
/// })?;
/// assert_eq!(out, b"[f.txt](http://a/)\n");
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
pub trait Form: Send {
    /// Appends what stands before the first record; by default nothing. To be
    /// called once, before all else.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Appends `finding` to `out`; `name` is the name of its input.
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>);

    /// Appends a class with its spellings; by default a record for each of them,
    /// with its count.
    fn write_group(
        &mut self,
        class: &Finding,
        spellings: &[Spelling],
        name: &[u8],
        out: &mut Vec<u8>,
    ) {
        for spelling in spellings {
            let finding = Finding {
                original: spelling.text,
                count: Some(spelling.count),
                ..*class
            };
            self.write(&finding, name, out);
        }
    }

    /// Appends what stands after the last record; by default nothing. To be
    /// called once, after all else: what was appended is complete then.
    ///
    /// # Errors
    /// What could not be told in this form.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        let _ = out;
        Ok(())
    }
}

/// Why something cannot be told in a form.
///
/// ```
/// use urisieve::output::FormError;
/// let error = FormError::new("a table has no more rows");
/// assert_eq!(error.to_string(), "a table has no more rows");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormError(String);

impl FormError {
    /// An error with this cause.
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
