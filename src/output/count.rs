//! The number of occurrences of each URI: the number, a tab, the URI.

use super::form::Form;
use super::screen::Screen;
use crate::item::{Finding, Spelling};

/// `COUNT<TAB>URI` and a line feed.
///
/// ```
/// use urisieve::item::Finding;
/// use urisieve::output::{Count, Form};
/// let finding = Finding {
///     uri: b"http://a/", original: b"HTTP://a/", input: 0, offset: 0, length: 9,
///     place: None, marks: Default::default(), count: Some(3),
///     alternative: None, context: Default::default(),
/// };
/// let mut out = Vec::new();
/// Count::default().write(&finding, b"f.txt", &mut out);
/// assert_eq!(out, b"3\thttp://a/\n");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    originals: bool,
    zero: bool,
    screen: Screen,
}

impl Count {
    /// Sets whether the first spelling is written instead of the canonical form;
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

    /// Sets whether NUL ends a record instead of a line feed; default no.
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

    /// Sets how text is escaped and colored for a terminal; default as for a file.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, item::Finding, output::{Count, Form, Screen}};
    /// let (mut form, mut out) = (Count::default().screen(Screen::SAFE.colors(true)), Vec::new());
    /// Sieve::builder().build().slice(b"urn:a-b:c", &mut |finding: &Finding<'_>| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"\x1b[32m1\x1b[0m\turn:a-b:c\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn screen(mut self, screen: Screen) -> Count {
        self.screen = screen;
        self
    }
}

impl Count {
    fn line(&self, count: u64, uri: &[u8], out: &mut Vec<u8>) {
        self.screen.number(count, out);
        out.push(b'\t');
        self.screen.uri(uri, out);
        out.push(if self.zero { 0 } else { b'\n' });
    }
}

impl Form for Count {
    fn write(&mut self, finding: &Finding, _name: &[u8], out: &mut Vec<u8>) {
        let uri = match self.originals {
            true => finding.original,
            false => finding.uri,
        };
        self.line(finding.count.unwrap_or(1), uri, out);
    }

    /// Writes the class, and each spelling on a line of its own after a tab.
    fn write_group(
        &mut self,
        class: &Finding,
        spellings: &[Spelling],
        name: &[u8],
        out: &mut Vec<u8>,
    ) {
        self.write(class, name, out);
        for spelling in spellings {
            out.push(b'\t');
            self.line(spelling.count, spelling.text, out);
        }
    }
}
