//! The extent of a candidate: the walk that wrappers and bare URIs share, with the
//! rules of the authority (B2, B5, B8, B9).

use super::options::Options;
use super::start::{Before, Starts, after_slashes, follows_lookup, scheme_start};
use super::unit::{Form, Reading, Unit, Value};
use super::{check, grammar, syslog};
use crate::item::{Problem, Problems, Wrapper};
use crate::syntax::class::{SCHEME, SUB_DELIMS, UNRESERVED};
use std::borrow::Cow;

/// The start of a possible URI, and its context.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The whole input.
    pub input: &'a [u8],
    /// The options of the extraction.
    pub options: &'a Options,
    /// The offsets at which other candidates start.
    pub starts: &'a Starts,
    /// First byte of the scheme.
    pub start: usize,
    /// End of the scheme; `start` for an abbreviated URI (S7).
    pub scheme_end: usize,
    /// The offset after the colon; `start` for an abbreviated URI.
    pub body: usize,
    /// The text directly before.
    pub before: Before,
    /// The delimiter of the subfield (W8).
    pub field: Option<char>,
    /// The end of the first part of a folded scheme, and the start of the rest (W4).
    pub folded: Option<(usize, usize)>,
}

impl Candidate<'_> {
    /// Whether the candidate has no scheme (S7).
    pub fn is_abbreviated(&self) -> bool {
        self.body == self.start
    }

    /// The scheme; empty for an abbreviated URI.
    pub fn scheme(&self) -> Cow<'_, [u8]> {
        match self.folded {
            None => Cow::Borrowed(&self.input[self.start..self.scheme_end]),
            Some((end, rest)) => {
                let parts = [
                    &self.input[self.start..end],
                    &self.input[rest..self.scheme_end],
                ];
                Cow::Owned(parts.concat())
            }
        }
    }

    /// Returns the number of bytes of the text before what follows the colon of the scheme.
    pub fn body_len(&self) -> usize {
        match self.is_abbreviated() {
            true => 0,
            false => self.scheme().len() + 1,
        }
    }

    /// Whether `unit` is excluded by `--ascii` or by the rules of URNs (S3), in
    /// every mode.
    pub fn excludes(&self, unit: &Unit) -> bool {
        let urn = self.scheme().eq_ignore_ascii_case(b"urn");
        match unit.value {
            Value::Char(c @ ('[' | ']')) => urn && unit.is(c),
            Value::Char(c) => !c.is_ascii() && (urn || self.options.ascii),
            Value::Invalid(_) => urn || self.options.ascii,
            _ => false,
        }
    }

    /// Whether another candidate starts at `at` (B9, W4).
    pub fn another_starts(&self, at: usize) -> bool {
        self.starts.at(self.input, at, self.options)
    }

    /// The settings by which units are read outside the wrapper.
    pub fn reading(&self) -> Reading {
        Reading {
            tex: self.before.opener.is_some() && self.before.byte == Some(b'{'),
            ..Reading::default()
        }
    }
}

/// A candidate whose end is known.
#[derive(Clone, Debug)]
pub struct Delimited {
    /// The text, with folds and escapes removed.
    pub text: Vec<u8>,
    /// For each byte of the text, the raw bytes of its unit.
    pub spans: Vec<(usize, usize)>,
    /// Raw end of the URI.
    pub end: usize,
    /// Raw end of the run, before anything was removed.
    pub run_end: usize,
    /// The wrapper that closed.
    pub wrapper: Wrapper,
    /// The number of line breaks that were removed (W4).
    pub breaks: usize,
    /// The offsets in the text of hyphens before a removed line break (W6).
    pub hyphens: Vec<usize>,
    /// The problems of the URI.
    pub problems: Problems,
    /// Whether the URI ends in the authority.
    pub in_authority: bool,
}

/// Why a walk did not find a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The wrapper is not accepted: the candidate is bare.
    Fail,
    /// The candidate is not a URI.
    Void,
}

/// The part of the URI that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Directly after the colon of the scheme.
    Colon,
    /// After one slash.
    Slash,
    /// In the authority that starts at this byte of the text.
    Authority(usize),
    /// In an IP literal of that authority.
    Literal(usize),
    /// After the authority, or in a URI without one.
    Rest,
}

/// The decision of the rules of the authority about a unit.
pub enum Verdict {
    /// The unit is accepted.
    Go,
    /// The candidate is not a URI.
    Void,
    /// The URI ends before the unit.
    End,
    /// Another URI begins at this byte of the text, and this one ends there.
    EndAt(usize),
}

/// The state that all modes share.
pub struct Walk<'a> {
    /// The candidate.
    pub candidate: &'a Candidate<'a>,
    /// The settings by which its units are read.
    pub reading: Reading,
    /// The text so far.
    pub text: Vec<u8>,
    /// For each byte of the text, the raw bytes of its unit.
    pub spans: Vec<(usize, usize)>,
    /// The last character of the text.
    pub last: Option<char>,
    /// The part of the URI in which the walk is.
    pub part: Part,
    /// The scheme that the authority belongs to (S3: that of a URI inside another one).
    pub authority_of: Vec<u8>,
    /// The offset in the text at which the authority begins.
    pub authority_at: Option<usize>,
    /// Whether there is neither "//" nor a scheme that is accepted without it (S2, S3).
    pub hopeless: bool,
    /// Whether the host has a template (I25).
    templated: bool,
}

impl<'a> Walk<'a> {
    /// Creates a walk that has read the scheme and its colon.
    pub fn new(candidate: &'a Candidate<'a>, reading: Reading) -> Walk<'a> {
        let mut walk = Walk {
            candidate,
            reading,
            text: Vec::new(),
            spans: Vec::new(),
            last: None,
            part: Part::Colon,
            authority_of: candidate.scheme().into_owned(),
            authority_at: None,
            hopeless: false,
            templated: false,
        };
        let (end, rest) = candidate
            .folded
            .unwrap_or((candidate.start, candidate.start));
        for at in (candidate.start..end).chain(rest..candidate.scheme_end) {
            walk.append(&candidate.input[at..=at], at, at + 1);
        }
        if candidate.is_abbreviated() {
            walk.part = Part::Authority(0);
            walk.authority_at = Some(0);
        } else {
            walk.append(b":", candidate.scheme_end, candidate.body);
            walk.last = Some(':');
        }
        walk
    }

    /// Returns the unit at `at`.
    pub fn unit(&self, at: usize) -> Option<Unit> {
        if matches!(self.part, Part::Rest | Part::Slash)
            && let Some(end) = sici_end(self.candidate.input, at)
        {
            let (value, form) = (Value::Sici, Form::Raw);
            return Some(Unit { value, form, end });
        }
        if syslog::is_control(self.candidate.input, at) {
            let (value, form, end) = (Value::Ends, Form::Raw, at + 4);
            return Some(Unit { value, form, end }); // I26
        }
        if let Some(end) = self.template_end(at) {
            let (value, form) = (Value::Template, Form::Raw);
            return Some(Unit { value, form, end });
        }
        self.reading.unit(self.candidate.input, at)
    }

    /// I25: returns the end of a template of the host whose `{` is at `at`.
    fn template_end(&self, at: usize) -> Option<usize> {
        let Part::Authority(start) = self.part else {
            return None;
        };
        let input = self.candidate.input;
        let follows = self.text.ends_with(b"$") && input[..at].ends_with(b"$");
        let authority = &self.text[start..];
        let host = authority.rsplit(|&b| b == b'@').next().unwrap_or_default();
        let end = check::template_end(input, at.checked_sub(1)?)?;
        let any =
            self.candidate.options.templates || follows_lookup(&input[..self.candidate.start]);
        let is_of_host = check::host_len(host) == host.len();
        (follows && is_of_host && (any || check::is_lookup(&input[at + 1..end - 1]))).then_some(end)
    }

    /// Appends bytes that were decoded from the raw bytes from `at` to `end`.
    fn append(&mut self, bytes: &[u8], at: usize, end: usize) {
        self.text.extend_from_slice(bytes);
        self.spans.resize(self.text.len(), (at, end));
    }

    /// Appends a unit of the URI.
    pub fn push(&mut self, unit: &Unit, at: usize) {
        self.last = unit.char();
        match unit.value {
            Value::Char(c) => self.append(c.encode_utf8(&mut [0; 4]).as_bytes(), at, unit.end),
            Value::Invalid(byte) => self.append(&[byte], at, unit.end),
            Value::Template => {
                for at in at..unit.end {
                    self.append(&self.candidate.input[at..=at], at, at + 1);
                }
                self.last = Some('}');
                self.templated = true;
            }
            Value::Kept => {
                for at in at..unit.end {
                    self.append(&self.candidate.input[at..=at], at, at + 1);
                }
                self.last = Some(';');
            }
            Value::Sici => {
                self.append(b"%3C", at, at + 1);
                for at in at + 1..unit.end - 1 {
                    self.append(&self.candidate.input[at..=at], at, at + 1);
                }
                self.append(b"%3E", unit.end - 1, unit.end);
                self.last = Some('E');
            }
            Value::Logged(byte) => {
                let encoded = format!("%{byte:02X}");
                self.append(encoded.as_bytes(), at, unit.end);
                self.last = encoded.chars().last();
            }
            _ => return,
        }
        self.part = match (self.part, unit.char()) {
            (Part::Colon, Some('/')) => Part::Slash,
            (Part::Slash, Some('/')) => Part::Authority(self.text.len()),
            (Part::Colon | Part::Slash, _) => {
                let candidate = self.candidate;
                self.hopeless = !check::is_opaque(&candidate.scheme(), candidate.options);
                Part::Rest
            }
            (Part::Authority(_), Some('/' | '?' | '#')) => Part::Rest,
            (Part::Authority(start), Some('[')) => Part::Literal(start),
            (Part::Literal(start), Some(']')) => Part::Authority(start),
            (part, _) => part,
        };
        if let Some(name) = self.inner_scheme() {
            self.authority_of = name.to_vec();
            self.part = Part::Authority(self.text.len());
        }
        if let Part::Authority(start) = self.part {
            self.authority_at = Some(start);
        }
    }

    /// S3, B9: returns the scheme of a URI inside `view-source:` and similar if the text ends
    /// in its `://`: its authority is checked like any other.
    fn inner_scheme(&self) -> Option<&[u8]> {
        if self.part != Part::Rest || !check::has_inner(&self.candidate.scheme()) {
            return None;
        }
        let scheme_len = self.candidate.scheme().len();
        let inner = self.text.get(scheme_len + 1..).unwrap_or_default();
        let name = inner.strip_suffix(b"://").unwrap_or_default();
        (!name.is_empty() && name.iter().all(|&b| SCHEME.has(b))).then_some(name)
    }

    /// Whether an IP literal is open.
    pub fn in_literal(&self) -> bool {
        matches!(self.part, Part::Literal(_))
    }

    /// Applies the rules of the authority to the unit at `at` (B2, B5, B8, B9).
    pub fn authority(&self, unit: &Unit, at: usize) -> Verdict {
        let start = match self.part {
            Part::Authority(start) => start,
            Part::Literal(_) => {
                let inside = |c| unit.is(c) && (c == ']' || is_literal_char(c));
                let belongs = unit.char().is_some_and(inside);
                return if belongs { Verdict::Go } else { Verdict::Void };
            }
            _ => return Verdict::Go,
        };
        let raw = &self.candidate.input[at..];
        if unit.value == Value::RegexDot || unit.is('{') {
            return Verdict::Void;
        }
        if unit.is('[') {
            return if self.text.len() == start || self.text.last() == Some(&b'@') {
                Verdict::Go
            } else if self.candidate.options.refang && is_mark_of_refang(raw)
                || !self.candidate.options.refang && begins_mark(raw)
            {
                Verdict::Void
            } else {
                Verdict::End
            };
        }
        if !self.candidate.options.refang && self.is_defanged(unit, at) {
            return Verdict::Void;
        }
        if unit.is(']') {
            return Verdict::End;
        }
        if unit.is('@') && (self.templated || self.text[start..].contains(&b'[')) {
            return Verdict::Void; // Userinfo has no IP literal (B2) and no template (I25).
        }
        if unit.is(':') && after_slashes(self.candidate.input, unit.end, self.reading).is_some() {
            let authority = &self.text[start..];
            if let Some(inner) = scheme_start(authority, authority.len())
                && grammar::is_known(&authority[inner..])
            {
                return Verdict::EndAt(start + inner);
            }
        }
        Verdict::Go
    }

    /// I24: whether the bracket at `at` is part of a mark of defanging in the authority.
    fn is_defanged(&self, unit: &Unit, at: usize) -> bool {
        let raw = &self.candidate.input[at..];
        match raw.first() {
            Some(b'(') => unit.is('(') && begins_mark(raw),
            Some(b']' | b')') => {
                let marked = self.text.last().is_some_and(|b| b".@:".contains(b));
                marked && raw.get(1).is_some_and(u8::is_ascii_alphanumeric)
            }
            _ => false,
        }
    }

    /// Returns the text that was read, without folding.
    pub fn finish(self, end: usize, run_end: usize, wrapper: Wrapper) -> Delimited {
        Delimited {
            text: self.text,
            spans: self.spans,
            end,
            run_end,
            wrapper,
            breaks: 0,
            hyphens: Vec::new(),
            problems: match self.templated {
                true => Problem::TemplateHost.into(),
                false => Problems::NONE,
            },
            in_authority: matches!(self.part, Part::Authority(_) | Part::Literal(_)),
        }
    }
}

/// B2: returns the end of the `<`, a digit and so on to `>` of a SICI at `at`.
fn sici_end(input: &[u8], at: usize) -> Option<usize> {
    let rest = input.get(at..)?.strip_prefix(b"<")?;
    let len = rest.iter().take(33).position(|&b| b == b'>')?;
    let body = &rest[..len];
    let inside = |b: &u8| b.is_ascii_alphanumeric() || b":.-".contains(b);
    let fits = body.first()?.is_ascii_digit() && body.iter().all(inside) && body.contains(&b':');
    fits.then_some(at + len + 2)
}

/// The characters of an IP literal.
fn is_literal_char(c: char) -> bool {
    c.is_ascii() && (UNRESERVED.or(SUB_DELIMS).has(c as u8) || matches!(c, ':' | '%'))
}

/// B2: the marks that void a host where defanged URIs are read.
fn is_mark_of_refang(text: &[u8]) -> bool {
    text.starts_with(b"[.]")
        || text.starts_with(b"[:]")
        || text.len() >= 5 && text[..5].eq_ignore_ascii_case(b"[dot]")
}

/// I24: whether a mark of defanging begins with the bracket at the start of `text`.
fn begins_mark(text: &[u8]) -> bool {
    let one_sided =
        matches!(text, [_, b'.' | b'@' | b':', next, ..] if next.is_ascii_alphanumeric());
    one_sided || is_bracketed_mark(text)
}

/// I24: whether a word for `.`, `@` or `:` in brackets is at the start of `text`.
pub fn is_bracketed_mark(text: &[u8]) -> bool {
    [
        (&b"["[..], &b"]"[..]),
        (b"[[", b"]]"),
        (b"(", b")"),
        (b"((", b"))"),
    ]
    .iter()
    .any(|(open, close)| {
        let Some(inside) = text.strip_prefix(*open) else {
            return false;
        };
        let blanks = |text: &[u8]| {
            let blank = |b: &&u8| matches!(b, b' ' | b'\t');
            text.iter().take(4).take_while(blank).count()
        };
        let inside = &inside[blanks(inside)..];
        [".", ",", ":", "@", "at", "dot", "d0t", "punkt", "punto"]
            .iter()
            .any(|word| {
                let head = inside.get(..word.len());
                head.is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes())) && {
                    let after = &inside[word.len()..];
                    after[blanks(after)..].starts_with(close)
                }
            })
    })
}
