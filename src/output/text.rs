//! One URI a line, with its position before it as requested.

use super::form::{Form, WriteRecord, spelled};
use super::links::LinkFields;
use super::rows::{PartFields, RowKind};
use super::screen::Screen;
use crate::item::{Finding, Spelling};
use std::sync::Arc;

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
    rows: RowKind,
    counts: bool,
    names: bool,
    lines: bool,
    columns: bool,
    offsets: bool,
    originals: bool,
    entries: bool,
    zero: bool,
    screen: Screen,
}

impl Text {
    /// Sets the kind of rows; default [`RowKind::Findings`]. A link is `SOURCE<TAB>TARGET`,
    /// before it the count and a tab, after it a tab and `nofollow` or nothing, where these
    /// are wanted; with weights the count is behind the target. A part is `COUNT<TAB>PART`, one that is missing `-`.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Form, LinkFields, PartFields, RowKind, Text}};
    /// let fields = LinkFields { counts: true, marks: true, ..LinkFields::default() };
    /// let (mut link, mut out) = (Finding::new(b"http://b/"), Vec::new());
    /// link.source = Some(b"http://a/");
    /// link.count = Some(7);
    /// Text::default().rows(RowKind::Links(fields)).write(&link, b"", &mut out);
    /// let parts = PartFields { name: "host", defang: true, ..PartFields::default() };
    /// let mut hosts = Text::default().rows(RowKind::Parts(parts));
    /// hosts.write(&Finding::new(b"a.example"), b"", &mut out);
    /// hosts.write(&Finding::new(b""), b"", &mut out);
    /// assert_eq!(out, b"7\thttp://a/\thttp://b/\t\n1\ta[.]example\n1\t-\n");
    /// ```
    pub fn rows(mut self, rows: RowKind) -> Text {
        self.rows = rows;
        self
    }

    /// Sets whether the count and a tab come before the URI, and nothing else; default no.
    /// Spellings follow their class, each after a tab.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Form, Text}};
    /// let (mut finding, mut out) = (Finding::new(b"http://a/"), Vec::new());
    /// finding.count = Some(3);
    /// Text::default().counts(true).write(&finding, b"f.txt", &mut out);
    /// assert_eq!(out, b"3\thttp://a/\n");
    /// ```
    pub fn counts(mut self, counts: bool) -> Text {
        self.counts = counts;
        self
    }

    /// Sets whether the name of the input comes before the URI, and after it the name
    /// of the member in an archive; default no.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().names(true), Vec::new());
    /// Sieve::builder().build().for_each(b"see http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"f.txt:http://a/\n");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn names(mut self, names: bool) -> Text {
        self.names = names;
        self
    }

    /// Sets whether the line number comes before the URI; default no.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().lines(true), Vec::new());
    /// Sieve::builder().lines(true).build().for_each(b"a\nsee http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"2:http://a/\n");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn lines(mut self, lines: bool) -> Text {
        self.lines = lines;
        self
    }

    /// Sets whether the column comes before the URI; default no.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().columns(true), Vec::new());
    /// Sieve::builder().lines(true).build().for_each(b"a\nsee http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"5:http://a/\n");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn columns(mut self, columns: bool) -> Text {
        self.columns = columns;
        self
    }

    /// Sets whether the original spelling is written instead of the canonical form;
    /// default no.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().originals(true), Vec::new());
    /// Sieve::builder().originals(true).build().for_each(b"HTTP://A/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"HTTP://A/\n");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn originals(mut self, originals: bool) -> Text {
        self.originals = originals;
        self
    }

    /// Sets whether the first entry of a list that matches the URI, and a tab, come before it;
    /// default no.
    ///
    /// ```
    /// use urisieve::{Matcher, Sieve, output::{Form, Text}};
    /// let mut lists = Matcher::builder();
    /// lists.add_list("l", &b"*.example\n"[..], |_| ())?;
    /// let sieve = Sieve::builder().matcher(lists.build()).matched(true).build();
    /// let (mut form, mut out) = (Text::default().entries(true), Vec::new());
    /// sieve.for_each(b"http://a.example/", |finding| form.write(finding, b"", &mut out))?;
    /// assert_eq!(out, b"*.example\thttp://a.example/\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn entries(mut self, entries: bool) -> Text {
        self.entries = entries;
        self
    }

    /// Sets whether NUL ends a record instead of a line feed; default no.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().zero(true), Vec::new());
    /// Sieve::builder().build().for_each(b"http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"http://a/\0");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn zero(mut self, zero: bool) -> Text {
        self.zero = zero;
        self
    }

    /// Sets how text is escaped and colored for a terminal; default as for a file.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Form, Screen, Text}};
    /// let (mut form, mut out) = (Text::default().screen(Screen::SAFE.colors(true)), Vec::new());
    /// Sieve::builder().build().for_each(b"http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"http://\x1b[1ma\x1b[0m/\n");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn screen(mut self, screen: Screen) -> Text {
        self.screen = screen;
        self
    }

    /// Sets whether the raw offset comes before the URI; default no.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Form, Text}};
    /// let (mut form, mut out) = (Text::default().offsets(true), Vec::new());
    /// Sieve::builder().build().for_each(b"see http://a/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"4:http://a/\n");
    /// # Ok::<(), urisieve::Error>(())
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

impl Text {
    /// Writes the positions that are wanted.
    fn push_positions(&self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
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
    }

    fn push_count(&self, count: u64, out: &mut Vec<u8>) {
        self.screen.number(count, out);
        out.push(b'\t');
    }

    fn push_entry(&self, finding: &Finding, out: &mut Vec<u8>) {
        if self.entries {
            let mut matched = finding.context.matched.unwrap_or_default().entries();
            let entry = matched.next().map_or(&b""[..], |first| first.entry);
            self.screen.line(entry, out);
            out.push(b'\t');
        }
    }

    fn push_link(&self, fields: LinkFields, link: &Finding, out: &mut Vec<u8>) {
        let count = link.count.unwrap_or(1);
        if fields.counts && !fields.weights {
            self.push_count(count, out);
        }
        self.push_entry(link, out);
        self.screen.uri(link.source.unwrap_or_default(), out);
        out.push(b'\t');
        self.screen.uri(link.uri, out);
        if fields.weights {
            out.push(b'\t');
            self.screen.number(count, out);
        }
        if fields.has_marks() {
            out.push(b'\t');
            if link.context.link.is_some_and(|link| link.nofollow) {
                out.extend_from_slice(b"nofollow");
            }
        }
        out.push(self.end());
    }

    fn push_part(&self, fields: PartFields, part: &Finding, out: &mut Vec<u8>) {
        self.push_count(part.count.unwrap_or(1), out);
        match (part.uri, fields.of_inputs) {
            (b"", _) => out.push(b'-'),
            (name, true) => self.screen.name(name, out),
            (part, false) => self.screen.line(part, out),
        }
        out.push(self.end());
    }

    fn push_record(&self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        self.rows.with_finding(finding, name, |finding| {
            match self.rows {
                RowKind::Links(fields) => return self.push_link(fields, finding, out),
                RowKind::Parts(fields) => return self.push_part(fields, finding, out),
                RowKind::Findings if self.counts => {
                    self.push_count(finding.count.unwrap_or(1), out);
                }
                RowKind::Findings => self.push_positions(finding, name, out),
            }
            self.push_entry(finding, out);
            let uri = match self.originals {
                true => finding.original,
                false => finding.uri,
            };
            self.screen.uri(uri, out);
            out.push(self.end());
        });
    }
}

impl Form for Text {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        self.push_record(finding, name, out);
    }

    fn by_record(&self) -> Option<WriteRecord> {
        let form = *self;
        Some(Arc::new(move |finding, name, out| {
            form.push_record(finding, name, out);
        }))
    }

    fn has_spellings(&self) -> bool {
        self.rows.has_spellings()
    }

    fn write_group(
        &mut self,
        class: &Finding,
        spellings: &[Spelling],
        name: &[u8],
        out: &mut Vec<u8>,
    ) {
        let has_spellings = self.has_spellings();
        if !has_spellings || self.counts {
            self.write(class, name, out);
        }
        for spelling in spellings.iter().filter(|_| has_spellings) {
            match self.counts {
                true => {
                    out.push(b'\t');
                    self.push_count(spelling.count, out);
                    self.screen.uri(spelling.text, out);
                    out.push(self.end());
                }
                false => self.write(&spelled(class, spelling), name, out),
            }
        }
    }

    fn line_end(&self) -> Option<u8> {
        let has_number = self.lines || self.columns || self.offsets;
        let is_plain = match self.rows {
            RowKind::Findings => !self.names && !has_number && !self.originals && !self.counts,
            RowKind::Links(fields) => !fields.counts && !fields.has_marks(),
            RowKind::Parts(_) => false,
        };
        (is_plain && !self.entries && self.screen == Screen::PLAIN).then_some(self.end())
    }
}
