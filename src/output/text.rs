//! One URI a line, with its position before it as requested.

use super::form::Form;
use super::screen::Screen;
use crate::item::Finding;

/// The URI and a line feed.
///
/// ```
/// use urisieve::item::Finding;
/// use urisieve::output::{Form, Text};
/// let mut finding = Finding::new(b"http://a/");
/// finding.offset = 7;
/// let mut out = Vec::new();
/// Text::default().names(true).offsets(true).write(&finding, b"f.txt", &mut out);
/// assert_eq!(out, b"f.txt:7:http://a/\n");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Text {
    names: bool,
    lines: bool,
    columns: bool,
    offsets: bool,
    originals: bool,
    zero: bool,
    screen: Screen,
}

impl Text {
    /// Sets whether the name of the input comes before the URI, and after it the name
    /// of the member in an archive; default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().names(true), Vec::new());
    /// Sieve::builder().build().for_each(b"see http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"f.txt:http://a/\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn names(mut self, names: bool) -> Text {
        self.names = names;
        self
    }

    /// Sets whether the line number comes before the URI; default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().lines(true), Vec::new());
    /// Sieve::builder().lines(true).build().for_each(b"a\nsee http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"2:http://a/\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn lines(mut self, lines: bool) -> Text {
        self.lines = lines;
        self
    }

    /// Sets whether the column comes before the URI; default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().columns(true), Vec::new());
    /// Sieve::builder().lines(true).build().for_each(b"a\nsee http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"5:http://a/\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn columns(mut self, columns: bool) -> Text {
        self.columns = columns;
        self
    }

    /// Sets whether the original spelling is written instead of the canonical form;
    /// default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().originals(true), Vec::new());
    /// Sieve::builder().originals(true).build().for_each(b"HTTP://A/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"HTTP://A/\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn originals(mut self, originals: bool) -> Text {
        self.originals = originals;
        self
    }

    /// Sets whether NUL ends a record instead of a line feed; default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().zero(true), Vec::new());
    /// Sieve::builder().build().for_each(b"http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"http://a/\0");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn zero(mut self, zero: bool) -> Text {
        self.zero = zero;
        self
    }

    /// Sets how text is escaped and colored for a terminal; default as for a file.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Screen, Text}};
    /// let (mut form, mut out) = (Text::default().screen(Screen::SAFE.colors(true)), Vec::new());
    /// Sieve::builder().build().for_each(b"http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"http://\x1b[1ma\x1b[0m/\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn screen(mut self, screen: Screen) -> Text {
        self.screen = screen;
        self
    }

    /// Sets whether the raw offset comes before the URI; default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().offsets(true), Vec::new());
    /// Sieve::builder().build().for_each(b"see http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"4:http://a/\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn offsets(mut self, offsets: bool) -> Text {
        self.offsets = offsets;
        self
    }

    /// The byte after each record.
    fn end(&self) -> u8 {
        if self.zero { 0 } else { b'\n' }
    }
}

impl Form for Text {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        if self.names {
            for name in [Some(name), finding.context.member].into_iter().flatten() {
                self.screen.name(name, out);
                out.push(b':');
            }
        }
        let (line, column) = finding.place.map_or((0, 0), |p| (p.line, p.column));
        for (wanted, number) in [
            (self.lines, line),
            (self.columns, column),
            (self.offsets, finding.offset),
        ] {
            if wanted {
                self.screen.number(number, out);
                out.push(b':');
            }
        }
        let uri = match self.originals {
            true => finding.original,
            false => finding.uri,
        };
        self.screen.uri(uri, out);
        out.push(self.end());
    }

    fn line_end(&self) -> Option<u8> {
        let has_number = self.lines || self.columns || self.offsets;
        let is_plain = !self.names && !has_number && !self.originals;
        (is_plain && self.screen == Screen::PLAIN).then_some(self.end())
    }
}
