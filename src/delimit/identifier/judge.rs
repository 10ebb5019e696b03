//! Judges identifiers: reads a number or a name, prefers a URI that includes it, and finds
//! the end of names.

use super::address;
use super::ahead::Ahead;
use super::found::Identified;
use super::host;
use super::name::{self, NameStart};
use super::number;
use crate::delimit::{Delimiter, FoundUri, Outcome, TextSource};
use crate::escape;
use crate::item::{IdentifierKind, IdentifierKinds, Marks, Problems, Segment};
use std::ops::Range;

/// The least number of bytes in which the end of a name is searched for.
const NEAR: usize = 256;

impl Delimiter {
    /// Judges the identifier without a scheme whose word or first digits begin at the raw
    /// offset `at`, or whose `@` is there, where [`Trigger::Identifier`](crate::scan::Trigger::Identifier) is.
    /// If a URI includes it (`isbn:9783161484100`), that URI is judged.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::{IdentifierKinds, Segment};
    /// let text = Segment::whole(b"ISBN 0-8044-2957-x.");
    /// let mut delimiter = Delimiter::new(Config::default());
    /// let outcome = delimiter.delimit_identifier(&text, 0, 0, IdentifierKinds::all());
    /// assert_eq!(outcome, Outcome::Found(18));
    /// assert_eq!(delimiter.found(&text).next().unwrap().text, b"urn:isbn:080442957X");
    /// assert_eq!(delimiter.written().0, b"0-8044-2957-x");
    /// ```
    pub fn delimit_identifier(
        &mut self,
        segment: &Segment,
        at: usize,
        floor: usize,
        kinds: IdentifierKinds,
    ) -> Outcome {
        self.found.clear();
        let mut ahead = Ahead::new(segment.text);
        let mut uri = std::mem::take(&mut self.identifier.uri);
        let first = segment.text[at..].first().map(u8::to_ascii_lowercase);
        let sign = host::sign_at(segment.text, at).filter(|_| host::is_wanted(kinds));
        let of_sign = sign.and_then(|sign| host::host_or_ip(&mut ahead, sign, &mut uri));
        let of_sign = of_sign.filter(|found| kinds.has(found.kind));
        let read = match first {
            _ if of_sign.is_some() => of_sign.map(Ok),
            Some(b'i') if ahead.word(at, "isbn").is_some() => {
                number::after_word(&mut ahead, at, IdentifierKind::Isbn, &mut uri).map(Ok)
            }
            Some(b'i') => {
                number::after_word(&mut ahead, at, IdentifierKind::Issn, &mut uri).map(Ok)
            }
            Some(b'0') => number::orcid(&mut ahead, at, &mut uri).map(Ok),
            Some(b'@') => address::address(&mut ahead, at, &mut uri).map(Ok),
            Some(b'a') => name::arxiv(&mut ahead, at, &mut uri).map(Ok),
            Some(b'h') => {
                name::handle(&mut ahead, at).map(|start| Err((start, IdentifierKind::Handle)))
            }
            Some(b'1') => name::doi(&mut ahead, at).map(|start| Err((start, IdentifierKind::Doi))),
            // Behind the colon of an address.
            _ => None,
        };
        self.identifier.uri = uri;
        if ahead.touched_end && !segment.last {
            return Outcome::Undecided;
        }
        let (kind, start) = match &read {
            None => return Outcome::None,
            Some(Ok(found)) => (found.kind, found.range.start),
            Some(Err((start, kind))) => (*kind, start.at),
        };
        if !kinds.has(kind) || start < floor {
            return Outcome::None;
        }
        if start > 0 && segment.text[start - 1] == b':' {
            match self.delimit(segment, start - 1, floor) {
                Outcome::None => {}
                outcome => return outcome,
            }
        }
        match read {
            Some(Ok(found)) => self.conclude_number(segment, found),
            Some(Err((start, kind))) => self.delimit_name(segment, start, kind),
            None => Outcome::None,
        }
    }

    /// Judges the text after the identifier of a list that ends at the raw offset `at`:
    /// the next identifier, without a word before it.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::{IdentifierKind, Segment};
    /// let text = Segment::whole(b"ISSN 0028-0836 (print), 1476-4687");
    /// let mut delimiter = Delimiter::new(Config::default());
    /// let outcome = delimiter.delimit_next(&text, 14, IdentifierKind::Issn);
    /// assert_eq!(outcome, Outcome::Found(33));
    /// assert_eq!(delimiter.found(&text).next().unwrap().text, b"urn:issn:14764687");
    /// ```
    pub fn delimit_next(&mut self, segment: &Segment, at: usize, kind: IdentifierKind) -> Outcome {
        self.found.clear();
        let mut ahead = Ahead::new(segment.text);
        let found = number::next_of_list(&mut ahead, at, kind, &mut self.identifier.uri);
        if ahead.touched_end && !segment.last {
            return Outcome::Undecided;
        }
        match found {
            Some(found) => self.conclude_number(segment, found),
            None => Outcome::None,
        }
    }

    /// Returns the URI of a value that is an identifier without a scheme as a whole, with or
    /// without the word before it, if the word or first digits of one begin at `at`, or the `@`
    /// of an address is there.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::IdentifierKinds;
    /// let mut delimiter = Delimiter::new(Config::default());
    /// let mut whole = |value: &[u8], at| {
    ///     let uri = delimiter.delimit_whole(value, at, IdentifierKinds::all());
    ///     uri.map(<[u8]>::to_vec)
    /// };
    /// assert_eq!(whole(b"ISBN 0-8044-2957-x", 0).unwrap(), b"urn:isbn:080442957X");
    /// assert_eq!(whole(b"doi 10.1000/182", 4).unwrap(), b"doi:10.1000/182");
    /// assert_eq!(whole(b"see 10.1000/182", 4), None);
    /// ```
    pub fn delimit_whole(
        &mut self,
        value: &[u8],
        at: usize,
        kinds: IdentifierKinds,
    ) -> Option<&[u8]> {
        // Nothing introduces an address or a host, whose sign is in its middle.
        let is_sign = value[at] == b'@' || host::sign_at(value, at).is_some();
        let is_introduced = name::is_label(&value[..at]);
        if !is_sign && !is_introduced {
            return None;
        }
        let segment = Segment::whole(value);
        let outcome = self.delimit_identifier(&segment, at, 0, kinds);
        let found = self.found.first()?;
        let kind = found.marks.identifier?;
        let begins = match kind.is_bare() {
            true => found.offset == 0,
            false => is_introduced,
        };
        (begins && outcome == Outcome::Found(value.len())).then_some(&self.identifier.uri[..])
    }

    /// Returns the identifier without a scheme that was found last, as written, and the
    /// raw offset of each of its bytes.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::{IdentifierKinds, Segment};
    /// let text = Segment::whole(br#"{"doi":"10.1000\/182"}"#);
    /// let mut delimiter = Delimiter::new(Config::default());
    /// delimiter.delimit_identifier(&text, 8, 0, IdentifierKinds::all());
    /// let (written, places) = delimiter.written();
    /// assert_eq!((written, places[7..9].to_vec()), (&b"10.1000/182"[..], vec![15, 17]));
    /// ```
    pub fn written(&self) -> (&[u8], &[usize]) {
        (&self.identifier.written, &self.identifier.places)
    }

    /// Returns the kind of the identifier that the last call found, if a list of its kind
    /// may continue after it.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::{IdentifierKind, IdentifierKinds, Segment};
    /// let mut delimiter = Delimiter::new(Config::default());
    /// let text = Segment::whole(b"ISSN 0028-0836, 1476-4687");
    /// delimiter.delimit_identifier(&text, 0, 0, IdentifierKinds::all());
    /// assert_eq!(delimiter.listed(), Some(IdentifierKind::Issn));
    /// ```
    pub fn listed(&self) -> Option<IdentifierKind> {
        let kind = self.found.first()?.marks.identifier?;
        kind.has_lists().then_some(kind)
    }

    fn conclude_number(&mut self, segment: &Segment, found: Identified) -> Outcome {
        let Identified { kind, range } = found;
        let scratch = &mut self.identifier;
        scratch.written.clear();
        scratch
            .written
            .extend_from_slice(&segment.text[range.clone()]);
        scratch.places.clear();
        scratch.places.extend(range.clone());
        self.push_identifier(kind, range, Problems::NONE)
    }

    fn push_identifier(
        &mut self,
        kind: IdentifierKind,
        range: Range<usize>,
        problems: Problems,
    ) -> Outcome {
        self.found.clear();
        self.found.push(FoundUri {
            source: TextSource::Identifier,
            from: 0,
            to: self.identifier.uri.len(),
            offset: range.start,
            length: range.len(),
            encoded: false,
            is_plain: false,
            marks: Marks {
                identifier: Some(kind),
                problems,
                ..Marks::default()
            },
        });
        Outcome::Found(range.end)
    }

    /// Judges the name that begins at `start`, as if its scheme preceded it.
    fn delimit_name(
        &mut self,
        segment: &Segment,
        start: NameStart,
        kind: IdentifierKind,
    ) -> Outcome {
        let at = start.at;
        let rest = &segment.text[at..];
        let far = list_reach(self.config.max_length);
        // Most names are short: the text is taken in ever larger pieces.
        for len in [NEAR, far, usize::MAX] {
            let piece = &rest[..len.min(rest.len())];
            let is_whole = piece.len() == rest.len();
            let mut named = std::mem::take(&mut self.identifier.named);
            named.clear();
            let emphasis = at.checked_sub(1).map(|i| segment.text[i]);
            named.extend(emphasis.filter(|byte| matches!(byte, b'_' | b'~')));
            let scheme = named.len();
            named.extend_from_slice(kind.prefix().as_bytes());
            let body = named.len();
            let (separator, touched_end) = match kind {
                IdentifierKind::Doi => next_doi(&piece[..far.min(piece.len())]),
                _ => (None, false),
            };
            let last = separator.is_some() || is_whole && segment.last;
            named.extend_from_slice(&piece[..separator.unwrap_or(piece.len())]);
            let virtual_text = Segment {
                last,
                ..Segment::whole(&named)
            };
            let outcome = match touched_end && !(is_whole && segment.last) && piece.len() < far {
                true => Outcome::Undecided,
                false => self.delimit(&virtual_text, body - 1, scheme),
            };
            let place = |named: usize| named.saturating_sub(body) + at;
            let judged = match outcome {
                Outcome::Found(end) => {
                    self.conclude_name(&virtual_text, (scheme, body), start, kind, place(end))
                }
                Outcome::TooLong { end, goes_on, .. } => Outcome::TooLong {
                    start: at,
                    end: place(end),
                    goes_on,
                },
                other => other,
            };
            self.identifier.named = named;
            match judged {
                Outcome::Undecided if !is_whole => {}
                Outcome::TooLong { .. } if !is_whole && piece.len() < far => {}
                Outcome::TooLong {
                    start,
                    end,
                    goes_on: Some(overrun),
                } => {
                    let (end, goes_on) = self.skip(segment, end, overrun);
                    return Outcome::TooLong {
                        start,
                        end,
                        goes_on,
                    };
                }
                judged => return judged,
            }
        }
        Outcome::Undecided
    }

    /// Records the name that was found in a text that begins with its scheme.
    fn conclude_name(
        &mut self,
        named: &Segment,
        (scheme, body): (usize, usize),
        start: NameStart,
        kind: IdentifierKind,
        end: usize,
    ) -> Outcome {
        let Some(found) = self.found.first().copied() else {
            return Outcome::Found(end);
        };
        let head = body - scheme;
        let mut scratch = std::mem::take(&mut self.identifier);
        let text = self.text_of(&found, named);
        let suffix = memchr::memchr(b'/', text).map_or(&[][..], |slash| &text[slash + 1..]);
        let is_void = !suffix
            .iter()
            .any(|&b| b.is_ascii_alphanumeric() || b >= 0x80)
            || start.may_be_date && name::is_date(suffix);
        if !is_void {
            scratch.uri.clear();
            scratch.uri.extend_from_slice(text);
            scratch.written.clear();
            scratch.places.clear();
            let mut last = None;
            for (&byte, place) in text.iter().zip(self.places(0)).skip(head) {
                let written = named.text[place];
                let is_first = last.replace(place) != Some(place);
                let byte = match found.encoded && matches!(written, b'<' | b'>') {
                    true if is_first => written,
                    true => continue,
                    false => byte,
                };
                scratch.written.push(byte);
                scratch.places.push(place - body + start.at);
            }
        }
        self.identifier = scratch;
        if is_void {
            self.found.clear();
            return Outcome::None;
        }
        let end = start.at + found.offset + found.length - body;
        self.push_identifier(kind, start.at..end, found.marks.problems)
    }
}

/// The number of bytes after a DOI in which the next one of a list is searched for.
fn list_reach(max_length: usize) -> usize {
    max_length.max(1024) + NEAR
}

/// Returns the offset of the `,` or `;` in `text` that a DOI directly follows, and whether
/// more text might change the answer.
fn next_doi(text: &[u8]) -> (Option<usize>, bool) {
    let mut ahead = Ahead::new(text);
    let is_separator = |&at: &usize| {
        matches!(text.get(at.wrapping_sub(1)), Some(b',' | b';'))
            // B4: the `;` of `&quot;` separates nothing.
            && escape::kept_reference_before(text, at).is_none()
            && name::doi_prefix(&mut ahead, at).is_some()
    };
    let found = memchr::memmem::find_iter(text, b"10.").find(is_separator);
    (found.map(|at| at - 1), ahead.touched_end)
}
