//! The number of occurrences of each part of URIs, where parts are counted instead of
//! URIs.

use super::csv::{self, Separator};
use super::defang::defang_host;
use super::form::Form;
use super::object::Object;
use super::screen::Screen;
use crate::item::Finding;

/// The part of a finding, which is in the place of its URI, and its count. A missing
/// part is `-` in text, `null` in JSON, empty in tables.
///
/// ```
/// use urisieve::engine::{CountBy, Mode, Sieve};
/// use urisieve::{output::{Form, Tally}};
/// let sieve = Sieve::builder().mode(Mode::Count).count_by(CountBy::Host).build();
/// for (mut form, wanted) in [
///     (Tally::text("host"), "2\ta.example\n1\t-\n"),
///     (Tally::json("host"), "{\"host\":\"a.example\",\"count\":2}\n{\"host\":null,\"count\":1}\n"),
///     (Tally::commas("host"), "host,count\na.example,2\n,1\n"),
/// ] {
///     let mut out = Vec::new();
///     form.begin(&mut out);
///     sieve.for_each(b"http://a.example/1 ftp://a.example/ urn:x-y:1", |f| {
///         form.write(f, b"f.txt", &mut out);
///     })?;
///     assert_eq!(String::from_utf8_lossy(&out), wanted);
/// }
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    part: &'static str,
    layout: TallyForm,
    names: bool,
    defang: bool,
    zero: bool,
    excel: bool,
    screen: Screen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TallyForm {
    Text,
    Json,
    Table(Separator),
}

impl Tally {
    const fn new(part: &'static str, layout: TallyForm) -> Tally {
        Tally {
            part,
            layout,
            names: false,
            defang: false,
            zero: false,
            excel: false,
            screen: Screen::PLAIN,
        }
    }

    /// `COUNT<TAB>PART` and a line feed.
    ///
    /// ```
    /// use urisieve::output::{Form, Tally};
    /// let mut out = Vec::new();
    /// Tally::text("host").begin(&mut out);
    /// assert!(out.is_empty());
    /// ```
    pub const fn text(part: &'static str) -> Tally {
        Tally::new(part, TallyForm::Text)
    }

    /// JSON Lines: objects with the part, under its name, and `count`.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Tally}};
    /// let (mut form, mut out) = (Tally::json("uri"), Vec::new());
    /// Sieve::builder().build().for_each(b"urn:a-b:c", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"{\"uri\":\"urn:a-b:c\",\"count\":1}\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub const fn json(part: &'static str) -> Tally {
        Tally::new(part, TallyForm::Json)
    }

    /// A table of two columns with a comma between them, as
    /// [`Csv::commas`](super::Csv::commas) writes them.
    ///
    /// ```
    /// use urisieve::output::{Form, Tally};
    /// let mut out = Vec::new();
    /// Tally::commas("host").begin(&mut out);
    /// assert_eq!(out, b"host,count\n");
    /// ```
    pub const fn commas(part: &'static str) -> Tally {
        Tally::new(part, TallyForm::Table(Separator::Comma))
    }

    /// A table of two columns with a tab between them, as
    /// [`Csv::tabs`](super::Csv::tabs) writes them.
    ///
    /// ```
    /// use urisieve::output::{Form, Tally};
    /// let mut out = Vec::new();
    /// Tally::tabs("host").begin(&mut out);
    /// assert_eq!(out, b"host\tcount\n");
    /// ```
    pub const fn tabs(part: &'static str) -> Tally {
        Tally::new(part, TallyForm::Table(Separator::Tab))
    }

    /// Sets whether the part is the name of the input; default no.
    ///
    /// ```
    /// use urisieve::engine::{CountBy, Mode, Sieve};
    /// use urisieve::{output::{Form, Tally}};
    /// let sieve = Sieve::builder().mode(Mode::Count).count_by(CountBy::Input).build();
    /// let (mut form, mut out) = (Tally::text("file").names(true), Vec::new());
    /// sieve.for_each(b"urn:a-b:c urn:a-b:d", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"2\tf.txt\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub const fn names(mut self, names: bool) -> Tally {
        self.names = names;
        self
    }

    /// Sets whether parts are defanged, with `[.]` for every dot; default no. Names of
    /// inputs are unchanged.
    ///
    /// ```
    /// use urisieve::engine::{CountBy, Mode, Sieve};
    /// use urisieve::{output::{Form, Tally}};
    /// let sieve = Sieve::builder().mode(Mode::Count).count_by(CountBy::Host).build();
    /// let (mut form, mut out) = (Tally::text("host").defang(true), Vec::new());
    /// sieve.for_each(b"http://a.example/", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"1\ta[.]example\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub const fn defang(mut self, defang: bool) -> Tally {
        self.defang = defang;
        self
    }

    /// Sets whether NUL ends a record of text instead of a line feed; default no.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Tally}};
    /// let (mut form, mut out) = (Tally::text("uri").zero(true), Vec::new());
    /// Sieve::builder().build().for_each(b"urn:a-b:c", |finding| {
    ///     form.write(finding, b"f.txt", &mut out);
    /// })?;
    /// assert_eq!(out, b"1\turn:a-b:c\0");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub const fn zero(mut self, zero: bool) -> Tally {
        self.zero = zero;
        self
    }

    /// Sets whether the table is for spreadsheets, see
    /// [`Csv::excel`](super::Csv::excel); default no.
    ///
    /// ```
    /// use urisieve::output::{Form, Tally};
    /// let mut out = Vec::new();
    /// Tally::commas("host").excel(true).begin(&mut out);
    /// assert_eq!(out, "\u{FEFF}host,count\r\n".as_bytes());
    /// ```
    pub const fn excel(mut self, excel: bool) -> Tally {
        self.excel = excel;
        self
    }

    /// Sets how text is escaped and colored for a terminal; default as for a file.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, output::{Form, Screen, Tally}};
    /// let form = Tally::text("file").names(true).screen(Screen::SAFE);
    /// let (mut form, mut out) = (form, Vec::new());
    /// Sieve::builder().build().for_each(b"urn:a-b:c", |finding| {
    ///     form.write(finding, b"f\x1b", &mut out);
    /// })?;
    /// assert_eq!(out, b"1\tf\\x1B\n");
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub const fn screen(mut self, screen: Screen) -> Tally {
        self.screen = screen;
        self
    }
}

impl Form for Tally {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if let TallyForm::Table(separator) = self.layout {
            if self.excel {
                out.extend_from_slice(csv::MARK);
            }
            separator.push_value(self.part.as_bytes(), out);
            separator.push(out);
            out.extend_from_slice(b"count");
            out.extend_from_slice(csv::line_end(self.excel));
        }
    }

    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let count = finding.count.unwrap_or(1);
        let defanged;
        let part = match (self.names, self.defang) {
            (true, _) => name,
            (false, false) => finding.uri,
            (false, true) => {
                let mut host = Vec::new();
                defang_host(finding.uri, &mut host);
                defanged = host;
                &defanged
            }
        };
        match self.layout {
            TallyForm::Text => {
                self.screen.number(count, out);
                out.push(b'\t');
                match (part, self.names) {
                    (b"", _) => out.push(b'-'),
                    (_, true) => self.screen.name(part, out),
                    (_, false) => self.screen.push(part, out),
                }
                out.push(if self.zero { 0 } else { b'\n' });
            }
            TallyForm::Json => {
                let mut object = Object::new(out);
                match part {
                    b"" => object.null(self.part),
                    _ => object.text(self.part, part),
                }
                object.number("count", count);
                object.end();
            }
            TallyForm::Table(separator) => {
                if !part.is_empty() {
                    let mut shown = Vec::new();
                    if self.excel && csv::is_formula(part) {
                        shown.push(b'\'');
                    }
                    self.screen.push(part, &mut shown);
                    separator.push_value(&shown, out);
                }
                separator.push(out);
                out.extend_from_slice(count.to_string().as_bytes());
                out.extend_from_slice(csv::line_end(self.excel));
            }
        }
    }
}
