//! The start of a candidate (S1, S4, W8), the text directly before it (S5, W1 to W3),
//! and whether one starts at a given offset (B9, W4).

use super::unit::{Form, Reading, colon_len, is_control_letter, reference};
use super::{Options, check, grammar};
use crate::item::Wrapper;
use crate::syntax::class::{ALPHA, SCHEME};
use crate::syntax::iri;
use std::cell::RefCell;
use std::collections::HashMap;

/// S4: prefixes after which an unregistered scheme is kept whole.
const WHOLE: [&[u8]; 11] = [
    b"git+",
    b"hg+",
    b"svn+",
    b"bzr+",
    b"dav+",
    b"oci+",
    b"scm+",
    b"registry+",
    b"sparse+",
    b"persistent-",
    b"view-source+",
];

/// Whether `byte` is a blank.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether `byte` is a line break or part of one (W4).
pub fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | 0x0C)
}

/// Returns the start of the scheme whose colon is at `colon` (S1, S4).
pub fn scheme_start(text: &[u8], colon: usize) -> Option<usize> {
    let run = run_start(text, colon);
    let too_long = colon - run > grammar::SCHEME_MAX;
    let start = if too_long {
        run
    } else {
        run + escape_tail(text, run, colon)
    };
    let named = matches!(text[..start].last(), Some(b'_' | b'$'));
    Some(start + resolve(&text[start..colon], !too_long, named)?)
}

/// Returns the start of the run of scheme characters before `colon`, at most 65 of
/// them.
fn run_start(text: &[u8], colon: usize) -> usize {
    let least = colon.saturating_sub(grammar::SCHEME_MAX + 1);
    let mut start = colon;
    while start > least && SCHEME.has(text[start - 1]) {
        start -= 1;
    }
    start
}

/// S4: returns the start of the scheme in `run`. The whole run is accepted only if
/// `whole`; after `_` or `$`, as `named` says, only if it is known.
fn resolve(run: &[u8], whole: bool, named: bool) -> Option<usize> {
    let whole = whole && run.first().is_some_and(|&b| ALPHA.has(b));
    let kept = |prefix: &[u8]| starts_with(run, prefix);
    let start = if whole && (grammar::is_known(run) || WHOLE.iter().any(|p| kept(p))) {
        0
    } else if let Some(start) = suffix_start(run) {
        start
    } else if whole && !named {
        0
    } else {
        return None;
    };
    (2..=grammar::SCHEME_MAX)
        .contains(&(run.len() - start))
        .then_some(start)
}

/// S4: returns the start of the suffix of an unknown run that wins.
fn suffix_start(run: &[u8]) -> Option<usize> {
    for name in [&b"https"[..], b"http", b"ftp"] {
        if ends_with(run, name) {
            return Some(run.len() - name.len());
        }
    }
    for name in [&b"urn"[..], b"mailto", b"doi"] {
        if ends_with(run, name) {
            let start = run.len() - name.len();
            let before = *run[..start].last()?;
            return (!ALPHA.has(before)).then_some(start);
        }
    }
    None
}

fn starts_with(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

fn ends_with(text: &[u8], suffix: &[u8]) -> bool {
    text.len() >= suffix.len() && text[text.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

/// S4: returns how many bytes at the beginning of the run `text[run..end]` are the tail
/// of an escape, of an ANSI sequence, or a subfield code.
pub fn escape_tail(text: &[u8], run: usize, end: usize) -> usize {
    let before = &text[..run];
    let run = &text[run..end];
    let hex = |from: usize, digits: usize| {
        run.get(from..from + digits)
            .is_some_and(|part| part.iter().all(u8::is_ascii_hexdigit))
    };
    match before.last() {
        Some(b'%') if hex(0, 2) => {
            let mut len = 2;
            while run[len - 2..len] == *b"25" && hex(len, 2) {
                len += 2;
            }
            len
        }
        Some(b'\\') if run.first() == Some(&b'x') && hex(1, 2) => 3,
        Some(b'\\') if run.first() == Some(&b'u') && hex(1, 4) => 5,
        // A change of font in a manual page.
        Some(b'\\') if matches!(run, [b'f', b'B' | b'I' | b'R' | b'P', ..]) => 2,
        Some(b'\\') if run.first().is_some_and(|&b| is_control_letter(b)) => {
            // The name is a scheme only with the letter of the escape.
            let known = |name: &[u8]| grammar::is_known(name);
            usize::from(!known(run) || known(&run[1..]))
        }
        // A quote of a manual page.
        Some(b'(') if is_roff_quote(before, run) => 2,
        Some(0x1F) if !run.is_empty() => 1,
        _ if is_ansi_start(&before[before.len().saturating_sub(32)..]) => {
            let digits = run.iter().take_while(|b| b.is_ascii_digit()).count();
            match run.get(digits) {
                Some(b) if ALPHA.has(*b) => digits + 1,
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// Whether `before` and `run` split `\(aq`, `\*(Aq` or similar.
fn is_roff_quote(before: &[u8], run: &[u8]) -> bool {
    let named = run
        .get(..2)
        .is_some_and(|name| b"adcolr".contains(&name[0].to_ascii_lowercase()) && name[1] == b'q');
    named && (before.ends_with(b"\\(") || before.ends_with(b"\\*("))
}

/// W4: returns the start and end of the letters before a folded scheme's line break,
/// and the start of the rest, when the colon at `colon` ends the rest.
pub fn folded_scheme(text: &[u8], colon: usize) -> Option<(usize, usize, usize)> {
    let rest = run_start(text, colon);
    let least = rest.saturating_sub(64);
    let mut line = rest;
    while line > least && (is_blank(text[line - 1]) || b">#/*;%|".contains(&text[line - 1])) {
        line -= 1;
    }
    let mut end = match &text[least..line] {
        [.., b'\r', b'\n'] => line - 2,
        [.., byte] if is_break(*byte) => line - 1,
        _ => return None,
    };
    while end > least && is_blank(text[end - 1]) {
        end -= 1;
    }
    let letters = text[..end].iter().rev().take(grammar::SCHEME_MAX);
    let letters = letters.take_while(|&&b| ALPHA.has(b)).count();
    let start = end - letters;
    let whole = [&text[start..end], &text[rest..colon]].concat();
    let folded = start < end && rest < colon;
    (folded && grammar::is_known(&whole) && !grammar::is_known(&text[rest..colon]))
        .then_some((start, end, rest))
}

/// R1: the rest of a scheme that was split, as in `ht_tp://`.
pub fn is_torn(name: &[u8]) -> bool {
    let whole: [&[u8]; 5] = [b"http", b"https", b"ftp", b"hxxp", b"hxxps"];
    let name = name.to_ascii_lowercase();
    let tail = |of: &&[u8]| of.len() > name.len() && of.ends_with(&name);
    name.len() > 1 && whole.iter().any(tail)
}

/// Whether `text` ends in ESC `[` and parameters, the beginning of an ANSI sequence
/// (S4).
fn is_ansi_start(text: &[u8]) -> bool {
    let mut text = text;
    while let [head @ .., b'0'..=b'9' | b';' | b':' | b'?'] = text {
        text = head;
    }
    let Some(text) = text.strip_suffix(b"[") else {
        return false;
    };
    text.last() == Some(&0x1B)
        || [&b"\\x1b"[..], b"\\u001b", b"\\033", b"\\e"]
            .iter()
            .any(|escape| {
                // Only the hexadecimal digits may be of any case.
                ends_with(text, escape) && text[text.len() - escape.len() + 1] == escape[1]
            })
}

/// W8: returns the start of the scheme and the delimiter, when a subfield delimiter and
/// a code are directly before the scheme of the colon at `colon`.
pub fn field_start(text: &[u8], colon: usize) -> Option<(usize, char)> {
    let run = run_start(text, colon);
    if run == colon || colon - run > grammar::SCHEME_MAX {
        return None;
    }
    let before = &text[..run];
    let delimiter = ['$', 'ƒ', '‡']
        .into_iter()
        .find(|c| before.ends_with(c.to_string().as_bytes()))?;
    let known = |from: usize| grammar::is_known(&text[from..colon]);
    (!known(run) && known(run + 1)).then_some((run + 1, delimiter))
}

/// S7: whether an abbreviated URI may start at `at`.
pub fn abbreviated_starts(text: &[u8], at: usize) -> bool {
    if !starts_with(&text[at..], b"www.") && !starts_with(&text[at..], b"ftp.") {
        return false;
    }
    match text[..at].last() {
        None => true,
        Some(b) if b.is_ascii_alphanumeric() => {
            let run = run_start(text, at);
            run + escape_tail(text, run, at + 4) == at
        }
        Some(b) => !b".-_@/:%+~".contains(b),
    }
}

/// Whether all letters and digits before `at` are the tail of an escape (S4).
pub fn follows_escape(text: &[u8], at: usize) -> bool {
    let run = run_start(text, at);
    run < at && run + escape_tail(text, run, at) == at
}

/// An opening quote or bracket directly before a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opener {
    /// The character, decoded.
    pub kind: char,
    /// The form in which it is written.
    pub form: Form,
    /// The offset at which it begins.
    pub at: usize,
}

impl Opener {
    /// Returns the character that closes it.
    pub fn closer(&self) -> char {
        match self.kind {
            '<' => '>',
            '‘' => '’',
            '“' => '”',
            '«' => '»',
            '„' => '“',
            '(' => ')',
            '[' => ']',
            '{' => '}',
            same => same,
        }
    }

    /// Returns the name of the wrapper.
    pub fn wrapper(&self) -> Wrapper {
        match self.kind {
            '<' => Wrapper::Angle,
            '"' => Wrapper::DoubleQuote,
            '(' => Wrapper::Paren,
            '[' => Wrapper::Bracket,
            '{' => Wrapper::Brace,
            _ => Wrapper::Quote,
        }
    }
}

/// The text directly before a URI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// A `URL:` or `URI:` prefix, or `URL=` before `<` (S5).
    pub url_prefix: bool,
    /// The opener (W1 to W3).
    pub opener: Option<Opener>,
    /// The byte before the URI and its prefix.
    pub byte: Option<u8>,
    /// The opener is in a line above (W4): its end, and the start of the URI and its prefix.
    pub above: Option<(usize, usize)>,
}

/// Reads the text directly before `start`.
pub fn before(text: &[u8], start: usize) -> Before {
    let prefix = prefix_start(text, start);
    let edge = prefix.unwrap_or(start);
    let mut opener = opener_before(text, edge);
    let mut above = None;
    if opener.is_none()
        && let Some(end) = line_above(text, edge)
    {
        opener = opener_before(text, end);
        above = Some((end, edge));
    }
    let url_equals = opener.is_some_and(|o| o.kind == '<' && names_url(text, o.at, b'='));
    Before {
        url_prefix: prefix.is_some() || url_equals,
        opener,
        byte: text[..edge].last().copied(),
        above,
    }
}

/// W4: returns the end of the `<` before `edge`, if only blanks, leaders and a line break or
/// more, at most 64 bytes, are between them.
fn line_above(text: &[u8], edge: usize) -> Option<usize> {
    let least = edge.saturating_sub(64);
    (least + 1..edge).rev().find(|&end| {
        let between = &text[end..edge];
        let first = between.iter().position(|&b| !is_blank(b));
        let opens = opener_before(text, end);
        opens.is_some_and(|o| o.kind == '<' && o.form != Form::Escaped)
            && first.is_some_and(|first| is_break(between[first]))
            && between.last().is_some_and(|&b| is_blank(b) || is_break(b))
            && between.iter().enumerate().all(|(at, &b)| {
                let leads = b">#/*;%|".contains(&b) && !between[at..].iter().any(|&b| is_break(b));
                is_blank(b) || is_break(b) || leads
            })
    })
}

/// S5: returns the start of the prefix before `start`.
fn prefix_start(text: &[u8], start: usize) -> Option<usize> {
    let back = |is_space: fn(u8) -> bool| {
        let spaces = text[..start].iter().rev().take(33);
        let count = spaces.take_while(|&&b| is_space(b)).count();
        let end = start - count;
        (count <= 32 && names_url(text, end, b':')).then(|| end - 4)
    };
    back(is_blank).or_else(|| {
        let prefix = back(|b| is_blank(b) || is_break(b))?;
        let opener = opener_before(text, prefix)?;
        matches!(opener.kind, '<' | '"').then_some(prefix)
    })
}

/// Whether `URL` or `URI` and `mark` are before `end`, with no letter or digit before
/// them (`URI=` does not count).
fn names_url(text: &[u8], end: usize, mark: u8) -> bool {
    let text = &text[..end];
    let found =
        ends_with(text, &[b'U', b'R', b'L', mark]) || mark == b':' && ends_with(text, b"URI:");
    found && !(text.len() > 4 && text[text.len() - 5].is_ascii_alphanumeric())
}

/// Returns the opener that ends at `end`.
fn opener_before(text: &[u8], end: usize) -> Option<Opener> {
    let text = &text[..end];
    match *text.last()? {
        quote @ (b'"' | b'\'') => {
            let slashes = trailing_backslashes(&text[..end - 1]);
            Some(Opener {
                kind: quote as char,
                form: if slashes > 0 {
                    Form::Escaped
                } else {
                    Form::Raw
                },
                at: end - 1 - slashes,
            })
        }
        byte @ (b'<' | b'`' | b'(' | b'[' | b'{') => Some(Opener {
            kind: byte as char,
            form: Form::Raw,
            at: end - 1,
        }),
        b';' => reference_before(text),
        0x80.. => ['‘', '“', '«', '„']
            .into_iter()
            .find(|c| text.ends_with(c.to_string().as_bytes()))
            .map(|kind| Opener {
                kind,
                form: Form::Raw,
                at: end - kind.len_utf8(),
            }),
        b':' => lookup_before(text),
        _ => escape_before(text),
    }
}

/// I25: whether `text` ends in `${word:`.
pub fn follows_lookup(text: &[u8]) -> bool {
    text.ends_with(b":") && lookup_before(text).is_some()
}

/// I25: returns the `${word:` at the end of `text`.
fn lookup_before(text: &[u8]) -> Option<Opener> {
    let at = text[text.len().saturating_sub(35)..]
        .windows(2)
        .rposition(|pair| pair == b"${")?;
    let at = text.len().saturating_sub(35) + at;
    let word = &text[at + 2..text.len() - 1];
    let named = |b: &u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
    (!word.is_empty() && word.iter().all(named)).then_some(Opener {
        kind: '{',
        form: Form::Raw,
        at,
    })
}

/// Returns the character reference at the end of `text`, when it encodes an opener
/// (B4).
fn reference_before(text: &[u8]) -> Option<Opener> {
    let least = text.len().saturating_sub(16);
    let (kind, at) = (least..text.len()).find_map(|at| {
        let (c, end) = reference(text, at)?;
        (end == text.len()).then_some((c, at))
    })?;
    matches!(kind, '"' | '\'' | '<' | '‘' | '“' | '«' | '„').then_some(Opener {
        kind,
        form: Form::Reference,
        at,
    })
}

/// Returns the escape at the end of `text`, when it encodes an opener (B5).
fn escape_before(text: &[u8]) -> Option<Opener> {
    for (escape, kind) in [
        (&b"x22"[..], '"'),
        (b"x27", '\''),
        (b"x3c", '<'),
        (b"x3C", '<'),
        (b"u0022", '"'),
        (b"u0027", '\''),
        (b"u003c", '<'),
        (b"u003C", '<'),
    ] {
        let Some(head) = text.strip_suffix(escape) else {
            continue;
        };
        let slashes = trailing_backslashes(head);
        if (1..=4).contains(&slashes) {
            return Some(Opener {
                kind,
                form: Form::Escaped,
                at: head.len() - slashes,
            });
        }
    }
    None
}

/// Returns the number of backslashes at the end of `text`; more than five are not
/// counted.
fn trailing_backslashes(text: &[u8]) -> usize {
    let bytes = text.iter().rev().take(5);
    bytes.take_while(|&&b| b == b'\\').count()
}

/// The offsets that were checked for the start of a candidate (B9), with the results,
/// because candidates that overlap need them again.
#[derive(Clone, Debug, Default)]
pub struct Starts(RefCell<HashMap<usize, bool>>);

impl Starts {
    /// Whether a candidate starts at `at`. All calls are for the same input.
    pub fn at(&self, text: &[u8], at: usize, options: &Options) -> bool {
        let mut answers = self.0.borrow_mut();
        *answers
            .entry(at)
            .or_insert_with(|| starts_candidate(text, at, options))
    }
}

/// Whether a candidate starts at `at` (B9, W4), by a short look ahead.
fn starts_candidate(text: &[u8], at: usize, options: &Options) -> bool {
    let at = after_prefix(text, at);
    let run = text[at..].iter().take(grammar::SCHEME_MAX + 1);
    let run = run.take_while(|&&b| SCHEME.has(b)).count();
    let colon = at + run;
    let Some(colon_len) = colon_len(text, colon) else {
        return false;
    };
    // S1, S4
    let name = &text[at..colon];
    if !(2..=grammar::SCHEME_MAX).contains(&run)
        || !ALPHA.has(name[0])
        || resolve(name, true, false) != Some(0)
    {
        return false;
    }
    let body = colon + colon_len;
    match after_slashes(text, body, Reading::default()) {
        Some(_) if check::is_label(name) => false,
        Some(authority) => authority_starts(text, authority, check::needs_host(name)),
        None if !check::is_opaque(name, options) => false,
        None => {
            let look = lookahead(text, body);
            if name.eq_ignore_ascii_case(b"magnet") {
                look.starts_with(b"?")
            } else {
                check::opaque_shape(name, &look, options)
            }
        }
    }
}

/// Returns the offset after an optional prefix at `at` (S5).
fn after_prefix(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    if !starts_with(rest, b"URL:") && !starts_with(rest, b"URI:") {
        return at;
    }
    let blanks = rest[4..].iter().take_while(|&&b| is_blank(b)).count();
    if blanks <= 32 { at + 4 + blanks } else { at }
}

/// Returns the end of the two slashes at `at`, raw or escaped.
pub fn after_slashes(text: &[u8], at: usize, reading: Reading) -> Option<usize> {
    let first = reading.unit(text, at).filter(|unit| unit.is('/'))?;
    let second = reading.unit(text, first.end).filter(|unit| unit.is('/'))?;
    Some(second.end)
}

/// Whether an authority, or an empty one and a path, may begin at `at`.
fn authority_starts(text: &[u8], at: usize, needs_host: bool) -> bool {
    let reading = Reading::default();
    let Some(first) = reading.unit(text, at).filter(|unit| unit.in_bare_set()) else {
        return false;
    };
    match first.char() {
        Some('/') => {
            let next = reading.unit(text, first.end);
            !needs_host && next.is_some_and(|unit| unit.in_bare_set())
        }
        Some(c) if c.is_ascii() => c.is_ascii_alphanumeric() || matches!(c, '[' | '%' | '_'),
        Some(c) => iri::is_bare(c),
        None => false,
    }
}

/// Returns at most 128 decoded bytes from `at` on.
fn lookahead(text: &[u8], at: usize) -> Vec<u8> {
    let reading = Reading::default();
    let mut look = Vec::new();
    let mut at = at;
    while let Some(unit) = reading.unit(text, at).filter(|unit| unit.in_bare_set()) {
        let c = unit.char().unwrap_or_default();
        if look.len() + c.len_utf8() > 128 {
            break;
        }
        look.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        at = unit.end;
    }
    look
}
