//! Refangs defanged URIs (I8 to I10). Security reports write `hxxps[:]//evil[.]example/` to
//! prevent opening by mistake. The text is scanned without these marks, and every offset in it
//! leads back to the bytes as written.
//!
//! A text is read from left to right. Which marks count depends on the part of a URI at the
//! place: `RefangState` has what is known of it, so that a text may be read in pieces.
//! `schemes` reads disguised schemes, `marks` the signs after them, `heads` hosts and addresses
//! that have no scheme, `lookups` what Log4j replaces.

mod anchors;
mod heads;
mod lookups;
mod marks;
mod pieces;
mod schemes;
mod sight;
mod state;

pub(crate) use state::RefangState;

use crate::item::{Encoding, OffsetMap};
use crate::syntax::class::{SCHEME, UNRESERVED, URI};
use crate::syntax::scheme;
use pieces::RefangPieces;
use schemes::{SeparatorMark, begins_scheme};
use sight::{Sight, is_break};
use state::{MARKS_MAX, RefangFold, UriPart};
use std::ops::Range;

/// The greatest number of bytes from a `<` to the end of its line in which a URI may be folded.
const FOLD_MAX: usize = 100;

/// The longest mark of a path, in bytes: `[dot]`.
pub const MARK_MAX: usize = 5;

/// Most bytes of the marks of an authority.
pub(crate) const MARKS_LEN: usize = MARKS_MAX as usize * lookups::LOOKUP_MAX;

/// A text without the marks of defanging.
///
/// ```
/// use urisieve::decode::Refanged;
/// let mut refanged = Refanged::new();
/// refanged.read(b"hxxp://evil[.]example/", true);
/// assert_eq!(refanged.text(), b"http://evil.example/");
/// assert_eq!(refanged.map().places(refanged.text()).raw(12), 14);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Refanged {
    text: Vec<u8>,
    /// A unit for each mark.
    map: OffsetMap,
    /// The states at the places where they changed, and at marks.
    places: Vec<StatePlace>,
    /// The offsets in the text of schemes that were given.
    given: Vec<usize>,
    /// The raw offset from which on the text is as it was.
    copied: usize,
    /// The place of the next bracket or reference or end of the line, and whether that is no end.
    near: (usize, bool),
    pieces: RefangPieces,
    buffer: Vec<u8>,
}

/// The state at a raw offset.
#[derive(Clone, Copy, Debug)]
struct StatePlace {
    raw: usize,
    state: RefangState,
    /// A mark begins here, which is read as a whole.
    is_mark: bool,
}

impl Refanged {
    /// Creates one without text.
    ///
    /// ```
    /// assert!(urisieve::decode::Refanged::new().text().is_empty());
    /// ```
    pub fn new() -> Refanged {
        Refanged::default()
    }

    /// Returns whether `raw` may have a mark. Without one it is read as it is.
    ///
    /// ```
    /// use urisieve::decode::Refanged;
    /// assert!(Refanged::has_marks(b"evil[DOT]example"));
    /// assert!(!Refanged::has_marks(b"[info] extra (x)"));
    /// ```
    pub fn has_marks(raw: &[u8]) -> bool {
        anchors::are_in(raw)
    }

    /// Reads `raw`. What might be the beginning of a mark at the end is left out, unless it is
    /// the `last` of a text.
    ///
    /// ```
    /// use urisieve::decode::Refanged;
    /// let mut refanged = Refanged::new();
    /// refanged.read(b"http://evil[.", false);
    /// assert_eq!(refanged.text(), b"http://evil");
    /// refanged.read(b"http://evil[.", true);
    /// assert_eq!(refanged.text(), b"http://evil[.");
    /// ```
    pub fn read(&mut self, raw: &[u8], last: bool) {
        self.read_on(raw, RefangState::default(), last);
    }

    /// Reads a host, a pattern of hosts, or an authority: nothing is added to it.
    pub(crate) fn read_host(&mut self, raw: &[u8]) {
        let mut state = RefangState::default();
        state.begin(UriPart::Authority);
        self.read_on(raw, state, true);
    }

    /// Does the same with a text that continues one: `state` is the one at its start.
    pub(crate) fn read_on(&mut self, raw: &[u8], state: RefangState, last: bool) {
        self.text.clear();
        self.map.clear();
        self.places.clear();
        self.given.clear();
        (self.copied, self.near) = (0, (0, false));
        let mut state = state;
        self.note(0, state, false);
        let mut sight = Sight::new(raw);
        let mut at = 0;
        while at < raw.len() {
            let plain = state.plain_len(&raw[at..]);
            if plain > 0 {
                state.push(&raw[at..at + plain]);
                at += plain;
                continue;
            }
            sight.touched_end = false;
            self.pieces.clear();
            let mut next = state;
            let end = self.step(&mut sight, at, &mut next);
            if sight.touched_end && !last {
                break;
            }
            match end {
                Some(end) => {
                    self.note(at, state, true);
                    let from = self.text.len() + at - self.copied;
                    self.replace(raw, at, end);
                    next.push(&self.text[from..]);
                    self.note(end, next, false);
                    at = end;
                }
                None => {
                    let is_new = next != state;
                    next.push(&raw[at..at + 1]);
                    at += 1;
                    if is_new {
                        self.note(at, next, false);
                    }
                }
            }
            state = next;
        }
        self.copy_to(raw, at);
    }

    fn note(&mut self, raw: usize, state: RefangState, is_mark: bool) {
        self.places.push(StatePlace {
            raw,
            state,
            is_mark,
        });
    }

    /// Returns a raw offset from which the text can be read again, `wanted` or the start of the
    /// mark that it is in, and the state there. `raw` is the text that was read.
    pub(crate) fn resume(&self, raw: &[u8], wanted: usize) -> (usize, RefangState) {
        let number = self.places.partition_point(|place| place.raw <= wanted);
        let place = self.places[number.saturating_sub(1)];
        if place.is_mark {
            return (place.raw, place.state);
        }
        let mut state = place.state;
        state.push(&raw[place.raw..wanted]);
        (wanted, state)
    }

    /// Copies the raw text up to `at`.
    fn copy_to(&mut self, raw: &[u8], at: usize) {
        self.text.extend_from_slice(&raw[self.copied..at]);
        self.copied = at;
    }

    /// Writes the pieces of the mark from `at` to `end`.
    fn replace(&mut self, raw: &[u8], at: usize, end: usize) {
        self.copy_to(raw, at);
        let Refanged {
            text,
            map,
            pieces,
            given,
            buffer,
            ..
        } = self;
        if pieces.is_given() {
            given.push(text.len());
        }
        pieces.emit(buffer, |range, unit| match unit {
            None => text.extend_from_slice(&raw[range]),
            Some([]) => map.push(text.len(), range.end as u64, Encoding::Raw),
            Some(unit) => {
                let (len, raw_len) = (unit.len() as u32, range.len() as u32);
                map.push_unit(text.len(), range.start as u64, len, raw_len);
                text.extend_from_slice(unit);
            }
        });
        self.copied = end;
    }

    /// Reads what is at `at`. Returns the end of a mark, whose pieces are noted, or nothing for
    /// a byte that stays.
    fn step(&mut self, sight: &mut Sight, at: usize, state: &mut RefangState) -> Option<usize> {
        let byte = sight.text[at];
        if state.part == UriPart::Authority
            && let Some(end) = self.of_authority(sight, at, byte, state)
        {
            return Some(end);
        }
        if is_break(byte) {
            let folds = byte == b'<' && folds(sight, at);
            state.end_run(byte, folds);
            return None;
        }
        if state.fold == RefangFold::Between {
            state.fold = RefangFold::No;
        }
        if let Some(end) = self.of_scheme(sight, at, byte, state) {
            return Some(end);
        }
        match state.part {
            UriPart::Authority => {
                state.pass(byte);
                None
            }
            UriPart::Port => {
                let sign = match byte {
                    b'[' | b'(' | b'&' => marks::sign_of_authority(sight, at),
                    _ => None,
                };
                if let Some((sign @ (b':' | b'/'), end)) = sign {
                    self.pieces.replace(at..end, &[sign]);
                    state.pass(sign);
                    return Some(end);
                }
                if byte == b':' || byte.is_ascii_digit() {
                    return None;
                }
                state.part = UriPart::Text;
                self.of_text(sight, at, byte, state)
            }
            UriPart::Text => self.of_text(sight, at, byte, state),
        }
    }

    /// Reads a scheme, or what begins like one: a separator behind it, its encoded form, a
    /// lookup that means a part of it.
    fn of_scheme(
        &mut self,
        sight: &mut Sight,
        at: usize,
        byte: u8,
        state: &mut RefangState,
    ) -> Option<usize> {
        let prev = state.prev_char();
        let is_apart = !prev.is_alphanumeric();
        match byte {
            b':' | b'[' | b'(' | b'{' | b'&'
                if prev.is_ascii_alphanumeric()
                    || matches!(prev, '+' | '-' | '.')
                    || byte == b'[' && sight.word(at, "[://]").is_some() =>
            {
                if let Some(separator) = schemes::behind_scheme(sight, at) {
                    return Some(self.begin_authority(sight, at, &separator, state));
                }
            }
            b'$' if state.part == UriPart::Authority || !state.in_uri => {
                if state.part == UriPart::Authority && !state.takes_mark() {
                    return None;
                }
                self.buffer.clear();
                let end = lookups::resolve(sight, at, &mut self.buffer)?;
                self.pieces.replace(at..end, &self.buffer);
                return Some(end);
            }
            _ => {}
        }
        if (begins_scheme(byte) || matches!(byte, b'[' | b'(' | b'{'))
            && let Some(found) = schemes::disguised(sight, at, is_apart)
        {
            let name = &sight.text[at..found.scheme_end];
            self.buffer.clear();
            self.buffer.extend_from_slice(found.scheme.as_bytes());
            if name
                .get(..4)
                .is_some_and(|word| word.eq_ignore_ascii_case(b"hxxp"))
            {
                // The other letters stay as they are.
                self.buffer[0] = name[0];
                self.buffer[3..].copy_from_slice(&name[3..]);
            }
            self.pieces.replace(at..found.scheme_end, &self.buffer);
            return Some(match found.separator {
                Some(separator) => self.begin_authority(sight, found.scheme_end, &separator, state),
                None => {
                    state.begin(UriPart::Text);
                    found.scheme_end
                }
            });
        }
        if state.in_uri || !is_apart || matches!(prev, '+' | '-' | '.') {
            return None;
        }
        if let Some(end) = sight.word(at, "http") {
            let end = end + usize::from(sight.any_of(end, b"sS"));
            if let Some(to) = sight.word(end, "%3A%2F%2F") {
                self.pieces.copy(sight.text, at..end);
                self.pieces.replace(end..to, b"://");
                state.begin(UriPart::Text);
                state.is_encoded = true;
                return Some(to);
            }
        }
        // What follows a known scheme has one.
        if byte.is_ascii_alphabetic() && is_known_scheme(sight, at) {
            state.in_uri = true;
        }
        None
    }

    /// Notes the separator at `at`, behind which an authority begins.
    fn begin_authority(
        &mut self,
        sight: &Sight,
        at: usize,
        separator: &SeparatorMark,
        state: &mut RefangState,
    ) -> usize {
        match separator.is_marked {
            true => self.pieces.replace(at..separator.end, b"://"),
            false => self.pieces.copy(sight.text, at..separator.end),
        }
        state.begin(UriPart::Authority);
        state.backslashes = separator.backslashes;
        separator.end
    }

    /// Reads a mark in an authority.
    fn of_authority(
        &mut self,
        sight: &mut Sight,
        at: usize,
        byte: u8,
        state: &mut RefangState,
    ) -> Option<usize> {
        if !matches!(
            byte,
            b'[' | b'(' | b'{' | b'&' | b' ' | b'\t' | b'.' | b'\\' | 0xE2 | 0xE3 | 0xEF
        ) {
            return None;
        }
        if !state.takes_mark() {
            return None;
        }
        let prev = state.prev_char();
        if byte == b'['
            && matches!(prev, '/' | '@')
            && let Some(end) = heads::whole(sight, at)
        {
            self.pieces.replace(at..at + 2, &sight.text[at + 1..at + 2]);
            self.pieces.copy(sight.text, at + 2..end - 2);
            self.pieces
                .replace(end - 2..end, &sight.text[end - 2..end - 1]);
            return Some(end);
        }
        if let Some(dot) = marks::dot(sight, at, prev) {
            self.pieces.replace(at..dot.end, b".");
            return Some(dot.end);
        }
        let (sign, end) = match byte {
            b'\\' if state.backslashes => (b'/', at + 1),
            b'[' | b'(' | b'{' | b'&' => marks::sign_of_authority(sight, at)?,
            _ => return None,
        };
        self.pieces.replace(at..end, &[sign]);
        state.pass(sign);
        Some(end)
    }

    /// Reads a mark in a path, or the host without a scheme at `at`.
    fn of_text(
        &mut self,
        sight: &mut Sight,
        at: usize,
        byte: u8,
        state: &mut RefangState,
    ) -> Option<usize> {
        if !state.in_uri
            && let Some(end) = self.without_scheme(sight, at, byte, state)
        {
            return Some(end);
        }
        let mark = match byte {
            b'[' => marks::sign_of_path(sight, at),
            b'&' if state.in_uri => marks::any_reference(sight, at),
            b'\\' if state.backslashes => Some((b'/', at + 1)),
            _ => None,
        };
        if mark.is_none() && !state.is_encoded {
            return None;
        }
        let (sign, end) = match (mark, byte) {
            (Some(mark), _) => mark,
            (None, b'%') => encoded(sight, at)?,
            (None, byte) if UNRESERVED.has(byte) => return None,
            // I8: it has unreserved characters and `%XX`, and ends before any other one.
            (None, _) => {
                state.end_run(b' ', false);
                (b' ', at + 1)
            }
        };
        self.pieces.replace(at..end, &[sign]);
        Some(end)
    }

    /// Reads the host or address at `at` that has no scheme (I10).
    fn without_scheme(
        &mut self,
        sight: &mut Sight,
        at: usize,
        byte: u8,
        state: &mut RefangState,
    ) -> Option<usize> {
        let is_start = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0xC2;
        let prev = state.prev_char();
        let belongs = prev.is_alphanumeric() || "_@/\\.$%+~-".contains(prev);
        if belongs || !is_start && byte != b'/' {
            return None;
        }
        let is_www = sight.word(at, "www").is_some();
        if !self.is_near(sight, at) && !is_www {
            return None;
        }
        if byte == b'/' {
            if prev == ':' || !sight.is(at + 1, b'/') {
                return None;
            }
            let end = heads::behind_slashes(sight, at, &mut self.pieces);
            return self.begin_or_clear(end, UriPart::Port, state);
        }
        let read = heads::read(sight, at, prev == '[', &mut self.pieces);
        let part = match read {
            Some((_, true)) => UriPart::Text,
            _ => UriPart::Port,
        };
        self.begin_or_clear(read.map(|read| read.0), part, state)
    }

    fn begin_or_clear(
        &mut self,
        end: Option<usize>,
        part: UriPart,
        state: &mut RefangState,
    ) -> Option<usize> {
        match end {
            Some(_) => state.begin(part),
            None => self.pieces.clear(),
        }
        end
    }

    /// Whether a strong mark may be in the line near `at`.
    fn is_near(&mut self, sight: &mut Sight, at: usize) -> bool {
        if self.near.0 < at || self.near == (0, false) {
            let rest = &sight.text[at..];
            let stops = |byte: &u8| matches!(byte, b'[' | b'(' | b'{' | b'&' | b'\n' | b'\r');
            self.near = match rest.iter().position(stops) {
                Some(len) => (at + len, !matches!(rest[len], b'\n' | b'\r')),
                None => (sight.text.len(), false),
            };
        }
        let (place, is_mark) = self.near;
        let is_within = place - at <= heads::SIGHT;
        sight.touched_end |= place == sight.text.len() && is_within;
        is_mark && is_within
    }

    /// Returns the text.
    ///
    /// ```
    /// let mut refanged = urisieve::decode::Refanged::new();
    /// refanged.read(b"hxxps[://]a(.)b[dot]c", true);
    /// assert_eq!(refanged.text(), b"https://a.b.c");
    /// ```
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the text without the scheme that a host at its start was given (I10).
    ///
    /// ```
    /// let mut refanged = urisieve::decode::Refanged::new();
    /// refanged.read(b"evil[.]example", true);
    /// assert_eq!(refanged.text(), b"http://evil.example");
    /// assert_eq!(refanged.text_without_scheme(), b"evil.example");
    /// ```
    pub fn text_without_scheme(&self) -> &[u8] {
        let len = match self.given.first() {
            Some(0) => memchr::memchr(b':', &self.text).map_or(0, |colon| colon + 1),
            _ => 0,
        };
        let rest = &self.text[len..];
        match len > 0 {
            true => rest.strip_prefix(b"//").unwrap_or(rest),
            false => rest,
        }
    }

    /// Whether the URI at this offset of the text was written without a scheme (I10).
    pub(crate) fn is_given(&self, at: usize) -> bool {
        self.given.binary_search(&at).is_ok()
    }

    /// Returns the map from the text to the bytes that were read. Its units are the
    /// marks.
    ///
    /// ```
    /// let mut refanged = urisieve::decode::Refanged::new();
    /// refanged.read(b"a[.]b", true);
    /// let mut places = refanged.map().places(refanged.text());
    /// assert_eq!([0, 1, 2, 3].map(|at| places.raw(at)), [0, 1, 4, 5]);
    /// ```
    pub fn map(&self) -> &OffsetMap {
        &self.map
    }

    /// Returns the marks in this range of the text: the offset of the text that replaces each,
    /// and the raw range of the mark.
    ///
    /// ```
    /// let mut refanged = urisieve::decode::Refanged::new();
    /// refanged.read(b"a[.]b", true);
    /// assert_eq!(refanged.marks(0..2).collect::<Vec<_>>(), [(1, 1..4)]);
    /// assert_eq!(refanged.marks(2..3).next(), None);
    /// ```
    pub fn marks(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let marks = self.map.units(range);
        marks.map(|(at, raw)| (at, raw.start as usize..raw.end as usize))
    }
}

/// Returns the character that is percent-encoded at `at`, and its end. What no URI may have
/// stays encoded.
fn encoded(sight: &mut Sight, at: usize) -> Option<(u8, usize)> {
    let mut digit = |at: usize| char::from(sight.byte(at)?).to_digit(16);
    let sign = (digit(at + 1)? * 16 + digit(at + 2)?) as u8;
    (URI.has(sign) || sign == b'%').then_some((sign, at + 3))
}

/// W4: whether the URI behind the `<` at `at` may go on in the next line. A text is not cut
/// there.
fn folds(sight: &mut Sight, at: usize) -> bool {
    let mut end = at + 1;
    while end - at <= scheme::MAX_LEN && sight.byte(end).is_some_and(|b| SCHEME.has(b)) {
        end += 1;
    }
    let first = sight.text.get(at + 1);
    let is_scheme = end - at > 2 && first.is_some_and(u8::is_ascii_alphabetic);
    if !is_scheme || !sight.any_of(end, b":\\[") {
        return false;
    }
    while end - at < FOLD_MAX {
        match sight.byte(end) {
            None => return false,
            Some(b'\n' | b'\r') => return true,
            Some(b'{' | b'}' | b'|' | b'^' | b'&') => return false,
            Some(byte) if is_break(byte) => return false,
            Some(_) => end += 1,
        }
    }
    false
}

/// Whether a known scheme and its colon are at `at`.
fn is_known_scheme(sight: &mut Sight, at: usize) -> bool {
    let mut end = at;
    while end - at <= scheme::MAX_LEN && sight.byte(end).is_some_and(|b| SCHEME.has(b)) {
        end += 1;
    }
    let is_ended = sight.is(end, b':') || sight.word(end, "[:]").is_some();
    is_ended && scheme::find(&sight.text[at..end]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(raw: &[u8]) -> Vec<u8> {
        let mut refanged = Refanged::new();
        refanged.read(raw, true);
        refanged.text().to_vec()
    }

    #[test]
    fn marks() {
        for (raw, expect) in [
            ("hXXp://a[.]b", "http://a.b"),
            ("hxxps[:]//a[DOT]b(.)c", "https://a.b.c"),
            ("hxxp[://]a", "http://a"),
            ("xhxxp:", "xhttp:"),
            ("hxxp hxxps", "hxxp hxxps"),
            ("[..] (dot) [ . ]", "[..] (dot) [ . ]"),
        ] {
            assert_eq!(String::from_utf8(read(raw.as_bytes())).unwrap(), expect);
        }
    }

    /// Marks, pieces of them, and what is around them.
    const GENERATED: &str = r"(hxxps?|h\*\*p|ht_tp|meow|https?|://|:// |__|\[\.\]|\(\.\)|\[dot\]| dot |\[:\]|\[://\]|\[@\]|\[/\]|&#46;|&colon;|http%3A%2F%2F|%41|\$\{::-a\}|\$\{lower:|\}|www|com|\n|[:a\[\](.x<>/ \\é。]){0,14}";

    proptest! {
        #[test]
        fn places_lead_back(raw in GENERATED) {
            let mut refanged = Refanged::new();
            refanged.read(raw.as_bytes(), true);
            let text = refanged.text();
            prop_assert!(Refanged::has_marks(raw.as_bytes()) || text == raw.as_bytes());
            let mut places = refanged.map().places(text);
            prop_assert_eq!(places.raw(text.len()), raw.len() as u64);
            for (at, &byte) in text.iter().enumerate() {
                let from = places.raw(at) as usize;
                let unit = refanged.map().unit_ranges(0..text.len()).find(|(unit, _)| unit.contains(&at));
                match unit {
                    Some((_, mark)) => prop_assert_eq!(mark.start, from as u64),
                    None => prop_assert_eq!(byte, raw.as_bytes()[from]),
                }
            }
        }

        /// A byte that is passed without a step is one at which a step changes nothing.
        #[test]
        fn steps_at_plain_bytes_change_nothing(raw in GENERATED) {
            let raw = raw.as_bytes();
            let mut refanged = Refanged::new();
            let (mut sight, mut state, mut at) = (Sight::new(raw), RefangState::default(), 0);
            while at < raw.len() {
                let end_of_plain = at + state.plain_len(&raw[at..]);
                while at < end_of_plain {
                    sight.touched_end = false;
                    let mut next = state;
                    let end = refanged.step(&mut sight, at, &mut next);
                    prop_assert_eq!((end, next, sight.touched_end), (None, state, false));
                    state.push(&raw[at..=at]);
                    at += 1;
                }
                if at < raw.len() {
                    let end = refanged.step(&mut sight, at, &mut state).unwrap_or(at + 1);
                    state.push(&raw[at..end]);
                    at = end;
                }
            }
        }

        /// The text of a beginning is the beginning of the text of the whole, and what is read
        /// again from any place on is the rest.
        #[test]
        fn pieces_read_the_same(raw in GENERATED, cut in 0usize..80, from in 0usize..80) {
            let raw = raw.as_bytes();
            let whole = read(raw);
            let cut = cut.min(raw.len());
            let mut part = Refanged::new();
            part.read(&raw[..cut], false);
            prop_assert!(whole.starts_with(part.text()));
            let from = from.min(part.text().len());
            let wanted = part.map().places(part.text()).raw(from) as usize;
            let (at, state) = part.resume(&raw[..cut], wanted);
            let kept = part.map().text_offset(at as u64, part.text());
            let mut rest = Refanged::new();
            rest.read_on(&raw[at..], state, true);
            prop_assert_eq!(
                String::from_utf8_lossy(rest.text()),
                String::from_utf8_lossy(&whole[kept..])
            );
        }
    }
}
