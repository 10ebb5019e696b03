//! Takes the entries of one list, and counts and reports the lines that are not entries.

use super::entry;
use super::form::{IndicatorForm, ListLine};
use super::host_entry::{self, HostPlace};
use super::piece::ListPiece;
use super::tables::EntryTables;
use super::zone::{self, ZoneLine, ZoneState};
use crate::decode::Refanged;
use std::fmt;
use std::io;

/// How many entries a list has.
///
/// ```
/// let counts = urisieve::Matcher::builder().add_list("l", &b"a\n@@||b^\nx y\n"[..], |_| ())?;
/// assert_eq!((counts.entries, counts.skipped, counts.bad), (2, 0, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListCounts {
    /// Entries, exceptions included.
    pub entries: u64,
    /// Rules that are known and cannot be applied to a URI alone.
    pub skipped: u64,
    /// Lines that are not entries.
    pub bad: u64,
}

/// A line of a list that is not an entry.
///
/// ```
/// let mut bad = Vec::new();
/// urisieve::Matcher::builder().add_list("l", &b"a\nx y\n"[..], |b| bad.push(b.to_string()))?;
/// assert_eq!(bad, ["\"x y\": blanks in it"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BadEntry<'b> {
    /// The line, from 1.
    pub line: u64,
    /// Its text, or the value that should be an entry.
    pub text: &'b [u8],
    /// Why it is not an entry.
    pub why: &'b str,
}

/// Why the start of a line is not an entry.
pub(super) const TOO_LONG: &str = "longer than 16 MiB";

/// The length of a text of which a message has the start.
const SHOWN: usize = 80;

impl fmt::Display for BadEntry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = String::from_utf8_lossy(self.text);
        let more = match text.char_indices().nth(SHOWN) {
            Some((end, _)) => return write!(f, "{:?}…: {}", &text[..end], self.why),
            None => "",
        };
        match text.is_empty() {
            true => f.write_str(self.why),
            false => write!(f, "{text:?}{more}: {}", self.why),
        }
    }
}

/// Returns an entry without marks of defanging. A host stays one; an address of mail is a URI.
fn without_marks<'r>(refanged: &'r mut Refanged, entry: &'r str) -> &'r str {
    match entry.starts_with(['=', '*', '.', '|']) {
        true => refanged.read_host(entry.as_bytes()),
        false => refanged.read(entry.as_bytes(), true),
    }
    let plain = match refanged.text().starts_with(b"mailto:") {
        true => refanged.text(),
        false => refanged.text_without_scheme(),
    };
    std::str::from_utf8(plain).unwrap_or(entry)
}

/// The state of a list between two lines, by which those behind are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ListState {
    zone: ZoneState,
    /// The list has the title of filter rules, of which many are not for URIs alone.
    is_titled: bool,
}

/// Takes the entries of one list.
pub(super) struct ListIntake<'i> {
    pub tables: &'i mut EntryTables,
    refanged: &'i mut Refanged,
    bad: &'i mut dyn FnMut(BadEntry),
    pub counts: ListCounts,
    pub state: ListState,
}

impl<'i> ListIntake<'i> {
    pub(super) fn new(
        tables: &'i mut EntryTables,
        refanged: &'i mut Refanged,
        bad: &'i mut dyn FnMut(BadEntry),
    ) -> ListIntake<'i> {
        ListIntake {
            tables,
            refanged,
            bad,
            counts: ListCounts::default(),
            state: ListState::default(),
        }
    }

    /// Takes the lines of a piece.
    pub(super) fn piece(&mut self, piece: &ListPiece) {
        let whole = piece.bytes.strip_suffix(b"\n").unwrap_or(&piece.bytes);
        let (mut at, mut line) = (0, piece.first);
        while at <= whole.len() {
            let end = memchr::memchr(b'\n', &whole[at..]).map_or(whole.len(), |len| at + len);
            let bytes = &whole[at..end];
            match piece.is_cut && end == whole.len() {
                true => self.refuse(bytes, line, TOO_LONG),
                false => self.line(bytes, line),
            }
            (at, line) = (end + 1, line + 1);
        }
    }

    /// Takes entries of the same list that are in tables of their own.
    ///
    /// # Errors
    /// There are too many entries.
    pub(super) fn append(&mut self, part: EntryTables, counts: ListCounts) -> io::Result<()> {
        if !self.tables.append(part) {
            return Err(io::Error::other("too many entries"));
        }
        self.counts.entries += counts.entries;
        self.counts.skipped += counts.skipped;
        self.counts.bad += counts.bad;
        Ok(())
    }

    /// Takes a line of a text.
    pub(super) fn line(&mut self, bytes: &[u8], line: u64) {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return self.refuse(bytes, line, "not UTF-8");
        };
        match self.state.zone.line(text.trim()) {
            ZoneLine::Other => self.value(text, line),
            ZoneLine::Skipped => self.skip(),
            ZoneLine::Bad => self.refuse(bytes, line, "not the name of a policy"),
            ZoneLine::Policy { name, is_exception } => match zone::policy(&name) {
                Some(form) => self.form(form, &name, line, is_exception),
                None => self.refuse(bytes, line, "not an address"),
            },
        }
    }

    /// Takes a line or a cell, in any form of entries but those of zones.
    pub(super) fn value(&mut self, text: &str, line: u64) {
        let written = text.trim();
        if let Some(host) = host_entry::usual(written) {
            return self.form(IndicatorForm::Host(host), written, line, false);
        }
        let (is_exception, text) = match entry::list_line(written) {
            ListLine::Comment => return,
            ListLine::Title => {
                self.state.is_titled = true;
                return;
            }
            ListLine::Pattern {
                is_exception,
                pattern,
                ignores_case,
            } => {
                let place = (written.as_bytes(), line);
                let added = self.tables.add(place, is_exception, |tables, entry| {
                    tables.matcher.patterns.add(pattern, ignores_case, entry)?;
                    tables.matcher.needs_uri = true;
                    Ok(())
                });
                return self.count(added, written, line);
            }
            ListLine::Other { is_exception, text } => (is_exception, text),
        };
        self.with_plain(text, |intake, plain| match entry::form(plain) {
            Ok(form) => intake.form(form, written, line, is_exception),
            Err(_) if intake.state.is_titled => intake.skip(),
            Err(why) => intake.refuse(written.as_bytes(), line, why),
        });
    }

    /// Passes an entry without marks of defanging to `then`.
    fn with_plain(&mut self, entry: &str, then: impl FnOnce(&mut ListIntake<'i>, &str)) {
        // Most entries have none.
        if !Refanged::has_marks(entry.as_bytes()) {
            return then(self, entry);
        }
        let mut refanged = std::mem::take(self.refanged);
        then(self, without_marks(&mut refanged, entry));
        *self.refanged = refanged;
    }

    /// Takes an entry in a form that is looked up.
    pub(super) fn form(
        &mut self,
        form: IndicatorForm,
        written: &str,
        line: u64,
        is_exception: bool,
    ) {
        match form {
            IndicatorForm::Skipped => self.skip(),
            IndicatorForm::Names(names) => {
                for host in entry::names(names) {
                    let HostPlace::Host(name) = host.place else {
                        continue;
                    };
                    self.form(IndicatorForm::Host(host), name, line, is_exception);
                }
            }
            _ => {
                let place = (written.as_bytes(), line);
                let add = |tables: &mut EntryTables, entry| tables.add_form(form, entry);
                let added = self.tables.add(place, is_exception, add);
                self.count(added, written, line);
            }
        }
    }

    /// Takes a value of a feed: `read` returns its form, of the value without marks of
    /// defanging.
    pub(super) fn typed(
        &mut self,
        written: &str,
        line: u64,
        read: impl FnOnce(&str) -> Option<IndicatorForm<'_>>,
    ) {
        self.with_plain(written.trim(), |intake, plain| match read(plain) {
            Some(form) => intake.form(form, written, line, false),
            None => intake.refuse(written.as_bytes(), line, "not a value of its type"),
        });
    }

    /// Counts a rule that is not applied.
    pub(super) fn skip(&mut self) {
        self.counts.skipped += 1;
    }

    /// Reports a line that is not an entry.
    pub(super) fn refuse(&mut self, text: &[u8], line: u64, why: &str) {
        self.counts.bad += 1;
        self.report(line, text.trim_ascii(), why);
    }

    /// Reports a line that is counted already.
    pub(super) fn report(&mut self, line: u64, text: &[u8], why: &str) {
        (self.bad)(BadEntry { line, text, why });
    }

    fn count(&mut self, added: Result<(), String>, written: &str, line: u64) {
        match added {
            Ok(()) => self.counts.entries += 1,
            Err(_) if self.state.is_titled => self.skip(),
            Err(why) => self.refuse(written.as_bytes(), line, &why),
        }
    }
}
