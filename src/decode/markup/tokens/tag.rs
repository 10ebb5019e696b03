//! The inside of a tag: its name and attributes, by the states of the HTML Standard from
//! "tag name state" on, each of which reads as many bytes as it can. An incomplete tag
//! is continued at the end of the bytes.

use super::marks::{ByteMarks, find_marked};
use super::name::usual_len;
use super::token::{Attribute, Quoting};
use crate::syntax::steps;
use std::ops::Range;

/// Blanks, of HTML and XML.
const BLANK: u8 = 1;
/// The bytes that end the name of an element.
const NAME: u8 = 2;
/// The bytes that end the name of an attribute.
const KEY: u8 = 4;
/// The bytes that end a value without quotes.
const BARE: u8 = 8;
/// `<`, at which a broken tag of XML ends.
const OPEN: u8 = 16;
/// The bytes between attributes: blanks and slashes.
const GAP: u8 = 32;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let blanks = b" \t\n\r\x0C";
    let mut i = 0;
    while i < blanks.len() {
        classes[blanks[i] as usize] = BLANK | NAME | KEY | BARE | GAP;
        i += 1;
    }
    classes[b'/' as usize] = NAME | KEY | GAP;
    classes[b'>' as usize] = NAME | KEY | BARE;
    classes[b'=' as usize] = KEY;
    classes[b'<' as usize] = OPEN;
    classes
};

fn is(byte: u8, classes: u8) -> bool {
    CLASSES[usize::from(byte)] & classes != 0
}

pub(super) fn is_blank(byte: u8) -> bool {
    is(byte, BLANK)
}

/// Whether `byte` ends the name of an element.
pub(super) fn ends_name(byte: u8) -> bool {
    is(byte, NAME)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Name,
    /// Between attributes: blanks and slashes.
    Gap,
    Key,
    AfterKey,
    /// After `=`.
    BeforeValue,
    Double,
    Single,
    Bare,
}

/// Reads a tag. All offsets count from the start of the tag, so they remain valid when
/// bytes before the tag are dropped.
#[derive(Debug, Default)]
pub(super) struct TagScanner {
    phase: Phase,
    /// The bytes that were read.
    read: usize,
    /// The start of the name, gap or value that is being read.
    mark: usize,
    name: Range<usize>,
    /// The name of the attribute that is being read.
    key: (usize, usize),
    attributes: Vec<Attribute>,
    /// Numbers of attributes, sorted by the length of their names and then by these.
    sorted: Vec<u32>,
    /// A bit for each name of the attributes; other names may have the same bit.
    seen: u64,
    /// Whether attributes are kept.
    keeps: bool,
}

/// A tag was read up to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TagEnd {
    pub len: usize,
    pub self_closing: bool,
}

/// The most attributes whose names are compared one by one.
const FEW: usize = 64;

impl TagScanner {
    /// Begins a tag whose name is at `name`; `keeps` states whether its attributes are kept.
    pub fn begin(&mut self, name: usize, keeps: bool) {
        self.phase = Phase::Name;
        self.read = name;
        self.mark = name;
        self.name = name..name;
        self.attributes.clear();
        self.seen = 0;
        self.keeps = keeps;
    }

    /// The name of the element.
    pub fn name(&self) -> Range<usize> {
        self.name.clone()
    }

    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Ends the tag, which is too long, after the last part that was read completely. Its
    /// other bytes can still be read; their attributes are not kept, and their offsets
    /// count from there.
    pub fn cut<const XML: bool>(&mut self, tag: &[u8]) -> TagEnd {
        if self.phase == Phase::Name {
            self.name = self.mark..self.read;
        }
        if self.attributes.len() > FEW {
            self.mark_repeated::<XML>(tag);
        }
        let len = match self.phase {
            Phase::Name => self.read,
            Phase::Gap | Phase::Key => self.mark,
            _ => self.key.0,
        };
        self.keeps = false;
        self.forget(len);
        TagEnd {
            len,
            self_closing: false,
        }
    }

    /// Counts the offsets from `len` bytes later on, in a tag that was cut.
    pub fn forget(&mut self, len: usize) {
        self.read -= len;
        self.mark = self.mark.saturating_sub(len);
    }

    /// Continues to read the tag, which is `tag` or begins with it. In XML, a `<` outside
    /// of quotes ends it.
    #[inline]
    pub fn read<const XML: bool>(&mut self, tag: &[u8]) -> Option<TagEnd> {
        let (ends_name, ends_key, ends_bare) = match XML {
            true => (NAME | OPEN, KEY | OPEN, BARE | OPEN),
            false => (NAME, KEY, BARE),
        };
        let (mut phase, mut mark, mut at) = (self.phase, self.mark, self.read);
        let end = 'tag: loop {
            match phase {
                Phase::Name => {
                    at = name_end(tag, at, ends_name);
                    if at == tag.len() {
                        break None;
                    }
                    self.name = mark..at;
                    mark = at;
                    phase = Phase::Gap;
                }
                Phase::Gap => {
                    loop {
                        let byte = loop {
                            match tag.get(at) {
                                Some(&byte) if is(byte, GAP) => at += 1,
                                Some(&byte) => break byte,
                                None => break 'tag None,
                            }
                        };
                        if byte == b'>' {
                            let self_closing = at > mark && tag[at - 1] == b'/';
                            break 'tag Some((at + 1, self_closing));
                        }
                        if XML && byte == b'<' {
                            break 'tag Some((at, false));
                        }
                        mark = at;
                        let Some(len) = self.read_usual::<XML>(tag, at) else {
                            break;
                        };
                        at += len;
                        mark = at;
                    }
                    // The first byte belongs to the name even if it is a `=`.
                    at += 1;
                    phase = Phase::Key;
                }
                Phase::Key => {
                    at = name_end(tag, at, ends_key);
                    let Some(&byte) = tag.get(at) else {
                        break None;
                    };
                    self.key = (mark, at);
                    phase = Phase::AfterKey;
                    if byte == b'=' {
                        at += 1;
                        phase = Phase::BeforeValue;
                    }
                }
                Phase::AfterKey => {
                    at = skip_blanks(tag, at);
                    let Some(&byte) = tag.get(at) else {
                        break None;
                    };
                    if byte == b'=' {
                        at += 1;
                        phase = Phase::BeforeValue;
                    } else {
                        let absent = (Quoting::Absent, ByteMarks::None);
                        self.push::<XML>(tag, (self.key.1, self.key.1), absent);
                        mark = at;
                        phase = Phase::Gap;
                    }
                }
                Phase::BeforeValue => {
                    at = skip_blanks(tag, at);
                    let Some(&byte) = tag.get(at) else {
                        break None;
                    };
                    phase = match byte {
                        b'"' => Phase::Double,
                        b'\'' => Phase::Single,
                        _ => Phase::Bare,
                    };
                    at += usize::from(phase != Phase::Bare);
                    mark = at;
                }
                Phase::Double | Phase::Single => {
                    let (quote, quoting) = match phase {
                        Phase::Double => (b'"', Quoting::Double),
                        _ => (b'\'', Quoting::Single),
                    };
                    let (found, marks) = find_marked(&tag[at..], quote);
                    let Some(len) = found else {
                        at = tag.len();
                        break None;
                    };
                    let marks = if at == mark {
                        marks
                    } else {
                        ByteMarks::Unknown
                    };
                    at += len;
                    self.push::<XML>(tag, (mark, at), (quoting, marks));
                    at += 1;
                    mark = at;
                    phase = Phase::Gap;
                }
                Phase::Bare => {
                    at = skip_to(tag, at, ends_bare);
                    if at == tag.len() {
                        break None;
                    }
                    self.push::<XML>(tag, (mark, at), (Quoting::Unquoted, ByteMarks::Unknown));
                    mark = at;
                    phase = Phase::Gap;
                }
            }
        };
        steps::count(at - self.read);
        (self.phase, self.mark, self.read) = (phase, mark, at);
        let (len, self_closing) = end?;
        if self.keeps && self.attributes.len() > FEW {
            self.mark_repeated::<XML>(tag);
        }
        Some(TagEnd { len, self_closing })
    }

    /// Reads an attribute as most are written: with `=` and a quotation mark directly behind its
    /// name, and all of it in the window. Returns its length.
    #[inline(always)]
    fn read_usual<const XML: bool>(&mut self, tag: &[u8], at: usize) -> Option<usize> {
        let rest = &tag[at..];
        let name_len = usual_len(rest).filter(|&len| len > 0)?;
        let [b'=', quote @ (b'"' | b'\''), value @ ..] = &rest[name_len..] else {
            return None;
        };
        let quoting = match quote {
            b'"' => Quoting::Double,
            _ => Quoting::Single,
        };
        let (value_len, marks) = find_marked(value, *quote);
        let name_end = at + name_len;
        let from = name_end + b"=\"".len();
        let end = from + value_len?;
        self.key = (at, name_end);
        self.push::<XML>(tag, (from, end), (quoting, marks));
        Some(end + 1 - at)
    }

    #[inline(always)]
    fn push<const XML: bool>(
        &mut self,
        tag: &[u8],
        value: (usize, usize),
        (quoting, marks): (Quoting, ByteMarks),
    ) {
        if !self.keeps {
            return;
        }
        let name = &tag[self.key.0..self.key.1];
        let mut repeated = false;
        // Names are not empty.
        if let (&[first, ..], &[.., last]) = (name, name) {
            let fold = if XML { 0 } else { 0x20 };
            let mix = (first | fold) ^ (last | fold).rotate_left(2);
            let bit = 1 << ((usize::from(mix) ^ name.len()) & 63);
            repeated = self.seen & bit != 0 && self.is_known::<XML>(tag, name);
            self.seen |= bit;
        }
        self.attributes.push(Attribute {
            name_at: self.key.0 as u32,
            name_len: name.len() as u32,
            value_at: value.0 as u32,
            value_len: (value.1 - value.0) as u32,
            quoting,
            repeated,
            marks,
        });
    }

    /// Whether one of a few attributes has this name; for many attributes, this is
    /// decided at the end.
    #[cold]
    fn is_known<const XML: bool>(&self, tag: &[u8], name: &[u8]) -> bool {
        self.attributes.len() < FEW
            && self
                .attributes
                .iter()
                .any(|other| same_name::<XML>(other.name(tag), name))
    }

    /// Marks the attributes whose name an earlier one has. Sorting takes almost linear
    /// time for all names.
    fn mark_repeated<const XML: bool>(&mut self, tag: &[u8]) {
        let attributes = &mut self.attributes;
        self.sorted.clear();
        self.sorted.extend(0..attributes.len() as u32);
        let name = |number: u32| attributes[number as usize].name(tag);
        self.sorted.sort_unstable_by(|&a, &b| {
            let (one, other) = (name(a), name(b));
            let bytes = || {
                steps::count(one.len());
                match XML {
                    true => one.cmp(other),
                    false => {
                        let lower = |byte: &u8| byte.to_ascii_lowercase();
                        one.iter().map(lower).cmp(other.iter().map(lower))
                    }
                }
            };
            steps::count(1);
            // Most names differ in their length.
            let order = one.len().cmp(&other.len()).then_with(bytes);
            order.then(a.cmp(&b))
        });
        for at in 1..self.sorted.len() {
            let [before, number] = [self.sorted[at - 1], self.sorted[at]].map(|n| n as usize);
            if same_name::<XML>(attributes[before].name(tag), attributes[number].name(tag)) {
                attributes[number].repeated = true;
            }
        }
    }
}

fn same_name<const XML: bool>(one: &[u8], other: &[u8]) -> bool {
    steps::count(if one.len() == other.len() {
        one.len()
    } else {
        0
    });
    match XML {
        true => one == other,
        false => one.eq_ignore_ascii_case(other),
    }
}

/// Returns the end of the name that is at `at`, before one of the bytes that end it.
#[inline(always)]
fn name_end(tag: &[u8], at: usize, classes: u8) -> usize {
    let len = usual_len(&tag[at..]);
    len.map_or(tag.len(), |len| skip_to(tag, at + len, classes))
}

#[inline(always)]
fn skip_to(tag: &[u8], mut at: usize, classes: u8) -> usize {
    while at < tag.len() && !is(tag[at], classes) {
        at += 1;
    }
    at
}

#[inline(always)]
fn skip_blanks(tag: &[u8], mut at: usize) -> usize {
    while at < tag.len() && is_blank(tag[at]) {
        at += 1;
    }
    at
}
