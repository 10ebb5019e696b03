//! How often each URI occurs: the number, a tab, the URI.

use super::Form;
use crate::item::Finding;

/// `COUNT<TAB>URI` and a line feed.
///
/// ```
/// use urisieve::item::Finding;
/// use urisieve::output::{Count, Form};
/// let finding = Finding {
///     uri: b"http://a/", original: b"HTTP://a/", input: 0, offset: 0, length: 9,
///     place: None, marks: Default::default(), count: Some(3),
/// };
/// let mut out = Vec::new();
/// Count::default().write(&finding, b"f.txt", &mut out);
/// assert_eq!(out, b"3\thttp://a/\n");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    originals: bool,
    zero: bool,
}

impl Count {
    /// Whether it is told as first written instead of in its canonical form;
    /// default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, item::Finding, output::{Count, Form}};
    /// let (mut form, mut out) = (Count::default().originals(true), Vec::new());
    /// Sieve::builder().originals(true).build().slice(b"HTTP://A/", &mut |finding: &Finding<'_>| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"1\tHTTP://A/\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn originals(mut self, originals: bool) -> Count {
        self.originals = originals;
        self
    }

    /// Whether NUL ends a record instead of a line feed; default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, item::Finding, output::{Count, Form}};
    /// let (mut form, mut out) = (Count::default().zero(true), Vec::new());
    /// Sieve::builder().build().slice(b"HTTP://A/", &mut |finding: &Finding<'_>| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"1\thttp://a/\0");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn zero(mut self, zero: bool) -> Count {
        self.zero = zero;
        self
    }
}

impl Form for Count {
    fn write(&mut self, finding: &Finding, _name: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(finding.count.unwrap_or(1).to_string().as_bytes());
        out.push(b'\t');
        out.extend_from_slice(if self.originals {
            finding.original
        } else {
            finding.uri
        });
        out.push(if self.zero { 0 } else { b'\n' });
    }
}
