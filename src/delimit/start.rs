//! The start of a candidate: the scheme before a colon (S4), which may be folded (W4),
//! the `URL:` prefix (S5) and the opener directly before them (W1 to W3, W8). At most
//! [`LOOK_BACK`] bytes to the left are read.

use super::fold::{self, Fold, Limit};
use super::read::UnitReader;
use crate::escape::{MAX_RUN, reference_before};
use crate::item::{LineHead, Wrapper};
use crate::syntax::class::{ALPHA, DIGIT, SCHEME, SCHEME_MARK, is_of_leader};
use crate::syntax::{scheme, steps};

/// The number of bytes left of a colon that the rules read: a scheme, the tail of an
/// escape or ANSI sequence before it, a prefix and blanks, and an opener.
pub(crate) const LOOK_BACK: usize = 256;

/// Most bytes of whitespace between `URL:` and the scheme.
const PREFIX_BLANKS: usize = 32;

/// Most bytes of the word in `${word:` (I25).
const WORD_MAX: usize = 32;

/// Most bytes between the two parts of a folded scheme (W4).
const FOLD_BYTES: usize = 64;

/// The tails of schemes that were torn to make a URI harmless (R1).
const TORN: [&[u8]; 9] = [
    b"ttp", b"tp", b"ttps", b"tps", b"ps", b"xxp", b"xp", b"xxps", b"xps",
];

/// Prefixes that belong to the scheme, although it ends in `http` or `ftp` (S4).
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

/// The start of a scheme, and the subfield delimiter before it (W8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SchemeStart {
    pub at: usize,
    pub field: Option<FieldDelimiter>,
}

/// The delimiter of a subfield in a catalogue format written as text (W8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldDelimiter {
    Dollar,
    /// `ƒ`
    Florin,
    /// `‡`
    DoubleDagger,
}

impl FieldDelimiter {
    pub(super) fn delimiter(self) -> char {
        match self {
            FieldDelimiter::Dollar => '$',
            FieldDelimiter::Florin => 'ƒ',
            FieldDelimiter::DoubleDagger => '‡',
        }
    }

    fn before(text: &[u8], at: usize) -> Option<FieldDelimiter> {
        match text[..at] {
            [.., b'$'] => Some(FieldDelimiter::Dollar),
            [.., 0xC6, 0x92] => Some(FieldDelimiter::Florin),
            [.., 0xE2, 0x80, 0xA1] => Some(FieldDelimiter::DoubleDagger),
            _ => None,
        }
    }
}

/// Returns the start of the scheme before the colon at `colon` in raw text (S4, W8).
pub(super) fn scheme_before(text: &[u8], colon: usize) -> Option<SchemeStart> {
    let run = run_start(text, colon);
    let plain = |at| SchemeStart { at, field: None };
    if run > 0 && is_inert(text[run - 1]) && !ends_roff(&text[..run]) {
        return choose(text, run, colon).map(plain);
    }
    if let Some(field) = FieldDelimiter::before(text, run)
        && colon - run > 1
        && scheme::find(&text[run..colon]).is_none()
        && scheme::find(&text[run + 1..colon]).is_some()
    {
        return Some(SchemeStart {
            at: run + 1,
            field: Some(field),
        });
    }
    scheme_of_run(text, run, colon).map(plain)
}

/// Returns the start of the scheme before the colon at `colon` in decoded text, where
/// only the run of scheme characters counts.
pub(super) fn scheme_in(text: &[u8], colon: usize) -> Option<usize> {
    scheme_of_run(text, run_start(text, colon), colon)
}

fn scheme_of_run(text: &[u8], run: usize, colon: usize) -> Option<usize> {
    // Only a suffix of a run that is too long may be a scheme.
    let tail = if colon - run > scheme::MAX_LEN {
        0
    } else {
        escape_tail(text, run, colon)
    };
    choose(text, run + tail, colon)
}

/// Returns whether no part of a run after `byte` belongs to an escape or a similar
/// construct. Most runs follow one of these bytes.
fn is_inert(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'"' | b'\'' | b'(' | b'<' | b'>' | b'=' | b'\n' | b'\t'
    )
}

/// Returns whether `left` ends in `\(` or `\*(`, after which roff has the name of a
/// character.
fn ends_roff(left: &[u8]) -> bool {
    matches!(left, [.., b'\\', b'('] | [.., b'\\', b'*', b'('])
}

/// Returns whether `run` begins with the name of a quote in roff: `aq`, `Aq`, `dq`,
/// `lq` …
fn begins_quote(run: &[u8]) -> bool {
    let side = |b: u8| {
        matches!(
            b.to_ascii_lowercase(),
            b'a' | b'd' | b'c' | b'o' | b'l' | b'r'
        )
    };
    matches!(run, [first, b'q', ..] if side(*first))
}

/// Returns whether `name` is a known scheme, but not without its first letter, which
/// could belong to an escape (S4: in `\file:///p` the backslash keeps markup from
/// linking).
fn is_whole(name: &[u8]) -> bool {
    scheme::find(name).is_some() && scheme::find(&name[1..]).is_none()
}

/// Returns whether `name` is the tail of a torn scheme (R1: `ht_tp://`).
pub(super) fn is_torn(name: &[u8]) -> bool {
    TORN.iter().any(|torn| name.eq_ignore_ascii_case(torn))
}

/// A scheme over two lines: letters directly after `<` or its prefix, a line break,
/// then the other part of the run (W4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoldedScheme {
    pub at: usize,
    /// End of the letters.
    pub end: usize,
    /// Start of the rest, which ends at the colon.
    pub rest: usize,
    pub opener: Opener,
    pub opening: Opening,
}

/// Returns the folded scheme before the colon at `colon`, when the whole scheme is
/// registered and the rest alone is not. `head` is the beginning of the line that
/// continues at the start of the text.
pub(super) fn folded_scheme(
    reader: &mut UnitReader,
    colon: usize,
    head: LineHead,
    limit: impl FnOnce(usize) -> Limit,
) -> Option<FoldedScheme> {
    let text = reader.text;
    let rest = run_start(text, colon);
    let name = &text[rest..colon];
    let before = *text.get(rest.checked_sub(1)?)?;
    if name.is_empty()
        || !(is_of_leader(before) || matches!(before, b'\n' | b'\r' | 0x0C))
        || name.len() > scheme::MAX_LEN
    {
        return None;
    }
    let floor = rest.saturating_sub(FOLD_BYTES);
    let back = |from: usize, floor: usize, accepts: fn(u8) -> bool| {
        let run = text[floor..from].iter().rev().take_while(|&&b| accepts(b));
        from - run.count()
    };
    let line = back(rest, floor, is_of_leader);
    let line_end = match text[floor..line] {
        [.., b'\r', b'\n'] => line - 2,
        [.., b'\n' | b'\r' | 0x0C] => line - 1,
        _ => return None,
    };
    let end = back(line_end, floor, |b| matches!(b, b' ' | b'\t'));
    let at = back(end, end.saturating_sub(scheme::MAX_LEN), |b| ALPHA.has(b));
    // The schemes are looked up last, because nearly every line ends in a word.
    let start = prefix_before(text, at).unwrap_or(at);
    let may_open = matches!(text[..start].last(), Some(b'<' | b';'));
    if at == end
        || !may_open
        || scheme::find(name).is_some()
        || scheme::find(&[&text[at..end], name].concat()).is_none()
    {
        return None;
    }
    let opening = opening_before(text, at);
    let opener = opening
        .opener
        .filter(|o| o.char == '<' && o.form != OpenerForm::Escaped)?;
    let leader = || fold::leader_of(text, opening.start, head);
    match fold::fold(reader, end, leader, limit(at)) {
        Fold::Content { at: on, breaks, .. } if on == rest && breaks == 1 => Some(FoldedScheme {
            at,
            end,
            rest,
            opener,
            opening,
        }),
        _ => None,
    }
}

/// W4: returns whether a line break after the colon at `colon` may be folded. This is
/// possible after an opener, a prefix, the tail of an escape or the first part of a
/// folded scheme. Most words before a colon at the end of a line follow a blank.
pub(super) fn may_fold(text: &[u8], colon: usize) -> bool {
    let run = run_start(text, colon);
    if run == colon {
        return false;
    }
    let floor = run.saturating_sub(FOLD_BYTES);
    let blanks = text[floor..run].iter().rev();
    let blanks = blanks.take_while(|b| matches!(b, b' ' | b'\t')).count();
    match text[..run - blanks].last() {
        Some(b':' | b'\n' | b'\r' | 0x0C) => true,
        Some(&byte) if blanks > 0 => is_of_leader(byte),
        Some(byte) => {
            is_of_leader(*byte)
                || SCHEME.has(*byte)
                || matches!(byte, b'<' | b'"' | b'(' | b'\\' | 0x1F)
        }
        None => false,
    }
}

/// Returns the start of the run of scheme characters before `colon`. Stops when the run
/// is too long for a scheme.
pub(super) fn run_start(text: &[u8], colon: usize) -> usize {
    let floor = colon.saturating_sub(scheme::MAX_LEN + 1);
    let mut at = colon;
    while at > floor && SCHEME.has(text[at - 1]) {
        at -= 1;
    }
    steps::count(colon - at);
    at
}

/// S4: returns the start of the suffix of a run that is the scheme.
fn choose(text: &[u8], start: usize, colon: usize) -> Option<usize> {
    let run = &text[start..colon];
    let fits = (2..=scheme::MAX_LEN).contains(&run.len()) && ALPHA.has(run[0]);
    if fits {
        if scheme::find(run).is_some() {
            return Some(start);
        }
        let whole = |p: &&[u8]| run.len() > p.len() && run[..p.len()].eq_ignore_ascii_case(p);
        if WHOLE.iter().any(whole) {
            return Some(start);
        }
    }
    for suffix in [&b"https"[..], b"http", b"ftp"] {
        if ends_with(run, suffix) {
            return Some(colon - suffix.len());
        }
    }
    for suffix in [&b"urn"[..], b"mailto", b"doi"] {
        if ends_with(run, suffix) && run.len() > suffix.len() {
            let before = run[run.len() - suffix.len() - 1];
            if DIGIT.or(SCHEME_MARK).has(before) {
                return Some(colon - suffix.len());
            }
        }
    }
    // `SASL_PLAINTEXT://` and `$PROTO://` are names of programs.
    let is_name = matches!(text[..start].last(), Some(b'_' | b'$'));
    (fits && !is_name).then_some(start)
}

fn ends_with(run: &[u8], suffix: &[u8]) -> bool {
    run.len() >= suffix.len() && run[run.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

/// Returns the number of bytes at the start of the run `text[run..colon]` that are the
/// tail of an escape or of an ANSI sequence, or a subfield code after 0x1F (S4).
pub(super) fn escape_tail(text: &[u8], run: usize, colon: usize) -> usize {
    let Some(&before) = run.checked_sub(1).and_then(|i| text.get(i)) else {
        return 0;
    };
    let body = &text[run..colon];
    let hex = |from: usize, to: usize| {
        body.len() >= to && body[from..to].iter().all(u8::is_ascii_hexdigit)
    };
    match before {
        b'%' => {
            let mut tail = 0;
            while hex(tail, tail + 2) {
                let again = &body[tail..tail + 2] == b"25";
                tail += 2;
                if !again {
                    break;
                }
            }
            tail
        }
        b'\\' => match body.first() {
            Some(b'x') if hex(1, 3) => 3,
            Some(b'u') if hex(1, 5) => 5,
            // A change of font in a manual page.
            Some(b'f') if matches!(body.get(1), Some(b'B' | b'I' | b'R' | b'P')) => 2,
            Some(b'n' | b't' | b'r' | b'b' | b'f' | b'v' | b'a' | b'e' | b'0') => {
                usize::from(!is_whole(body))
            }
            _ => 0,
        },
        b'(' if ends_roff(&text[..run]) && begins_quote(body) => 2,
        0x1F => body.len().min(1),
        _ => ansi_tail(text, run, colon),
    }
}

/// Returns the length of the last digits and the letter of `ESC [ parameters letter`.
fn ansi_tail(text: &[u8], run: usize, colon: usize) -> usize {
    let body = &text[run..colon];
    let digits = body.iter().take_while(|b| b.is_ascii_digit()).count();
    if !body.get(digits).is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    let floor = run.saturating_sub(32);
    let mut at = run;
    while at > floor && matches!(text[at - 1], b'0'..=b'9' | b';' | b':' | b'?') {
        at -= 1;
    }
    let left = &text[floor..at];
    let Some(left) = left.strip_suffix(b"[") else {
        return 0;
    };
    let spelled: [&[u8]; 7] = [
        b"\x1b", br"\x1b", br"\x1B", br"\u001b", br"\u001B", br"\033", br"\e",
    ];
    let escape = spelled.iter().any(|escape| left.ends_with(escape));
    if escape { digits + 1 } else { 0 }
}

/// S7: returns whether a host without a scheme may start at `at`: not after a character
/// that makes it part of a name, an address or a path.
pub(super) fn may_abbreviate(text: &[u8], at: usize) -> bool {
    let Some(&before) = at.checked_sub(1).and_then(|i| text.get(i)) else {
        return true;
    };
    if matches!(
        before,
        b'.' | b'-' | b'_' | b'@' | b'/' | b':' | b'%' | b'+' | b'~'
    ) {
        return false;
    }
    if !before.is_ascii_alphanumeric() {
        return true;
    }
    let run = run_start(text, at);
    run + escape_tail(text, run, at) == at
}

/// The spelling of a delimiter in the text. The closer of a wrapper is spelled like its
/// opener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenerForm {
    Raw,
    /// With a backslash (B5).
    Escaped,
    /// As a character reference (B4).
    Reference,
}

/// The prefix and the opener directly before a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    pub url_prefix: bool,
    pub opener: Option<Opener>,
    /// Start of the opener and of a prefix between the opener and the scheme.
    pub start: usize,
    /// The raw byte before the candidate, for emphasis (B3).
    pub before: Option<u8>,
    /// W4: the opener, a `<`, is in a line above.
    pub above: Option<Above>,
}

/// An opener in a line above its candidate (W4). The lengths have few bits, because nearly
/// every `Opening` is without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Above {
    /// The length of the opener in raw bytes.
    pub len: u8,
    /// The number of raw bytes between the opener and the candidate with its prefix.
    pub gap: u8,
}

/// An opener of W1 to W3 directly before a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opener {
    pub char: char,
    pub closer: char,
    pub form: OpenerForm,
}

impl Opener {
    pub(super) fn wrapper(self) -> Wrapper {
        match self.char {
            '<' => Wrapper::Angle,
            '"' => Wrapper::DoubleQuote,
            '(' => Wrapper::Paren,
            '[' => Wrapper::Bracket,
            '{' => Wrapper::Brace,
            _ => Wrapper::Quote,
        }
    }
}

/// Returns the prefix and the opener before the scheme at `at`.
pub(super) fn opening_before(text: &[u8], at: usize) -> Opening {
    let prefix = prefix_before(text, at);
    let start = prefix.unwrap_or(at);
    let mut above = None;
    let (opener, opener_start) = match opener_before(text, start) {
        Some((opener, len)) => (Some(opener), start - len),
        None => match opener_above(text, start) {
            Some((opener, len, end)) => {
                above = Some(Above {
                    len: len as u8,
                    gap: (start - end) as u8,
                });
                (Some(opener), end - len)
            }
            None => (None, start),
        },
    };
    let equals = matches!(opener, Some(o) if o.char == '<') && is_word(text, opener_start, b"URL=");
    Opening {
        url_prefix: prefix.is_some() || equals,
        opener,
        start: opener_start,
        before: start.checked_sub(1).map(|i| text[i]),
        above,
    }
}

/// W4: returns the `<` that blanks with a line break separate from `start`, its length in
/// raw bytes and its end. The line of `start` may have a leader.
fn opener_above(text: &[u8], start: usize) -> Option<(Opener, usize, usize)> {
    let is_break = |b: u8| matches!(b, b'\n' | b'\r' | 0x0C);
    let floor = start.saturating_sub(FOLD_BYTES);
    let back = |from: usize, accepts: fn(u8) -> bool| {
        let run = text[floor..from].iter().rev().take_while(|&&b| accepts(b));
        from - run.count()
    };
    let mut at = start;
    if !matches!(
        text[..start].last(),
        Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
    ) {
        return None;
    }
    at = back(at, is_of_leader);
    steps::count(start - at);
    loop {
        steps::count(1);
        if at == floor || !is_break(text[at - 1]) {
            return None;
        }
        at = back(at - 1, |b| matches!(b, b' ' | b'\t'));
        match text[floor..at].last()? {
            b'<' | b';' => {
                let found = opener_before(text, at);
                let found = found.filter(|(o, _)| o.char == '<' && o.form != OpenerForm::Escaped);
                if let Some((opener, len)) = found {
                    return Some((opener, len, at));
                }
            }
            _ => {}
        }
    }
}

/// S5: returns the start of `URL:` or `URI:` before the scheme at `at`. Blanks may be
/// between them, and line breaks when `<` or `"` is before the prefix.
fn prefix_before(text: &[u8], at: usize) -> Option<usize> {
    let floor = at.saturating_sub(PREFIX_BLANKS);
    let mut end = at;
    let mut breaks = false;
    while end > floor && matches!(text[end - 1], b' ' | b'\t' | b'\n' | b'\r' | 0x0C) {
        end -= 1;
        breaks |= !matches!(text[end], b' ' | b'\t');
    }
    if end == 0 || text[end - 1] != b':' {
        return None;
    }
    if !is_word(text, end, b"URL:") && !is_word(text, end, b"URI:") {
        return None;
    }
    let start = end - 4;
    if breaks && !matches!(opener_before(text, start), Some((o, _)) if matches!(o.char, '<' | '"'))
    {
        return None;
    }
    Some(start)
}

/// Returns whether `word` ends directly before `end`, and no letter or digit is before
/// the word.
fn is_word(text: &[u8], end: usize, word: &[u8]) -> bool {
    ends_with(&text[..end], word)
        && !(end > word.len() && text[end - word.len() - 1].is_ascii_alphanumeric())
}

/// Returns the opener that ends directly before `end`, and its length in raw bytes.
fn opener_before(text: &[u8], end: usize) -> Option<(Opener, usize)> {
    let left = &text[..end];
    let (char, form, len) = match *left.last()? {
        quote @ (b'"' | b'\'') => {
            let run = left[..end - 1]
                .iter()
                .rev()
                .take(LOOK_BACK)
                .take_while(|&&b| b == b'\\')
                .count();
            let form = if run > 0 {
                OpenerForm::Escaped
            } else {
                OpenerForm::Raw
            };
            (quote as char, form, 1 + run)
        }
        open @ (b'<' | b'`' | b'(' | b'[' | b'{') => (open as char, OpenerForm::Raw, 1),
        b';' => {
            let found = reference_before(text, end)?;
            matches!(found.char, '"' | '\'' | '<' | '“' | '‘' | '«' | '„').then_some((
                found.char,
                OpenerForm::Reference,
                found.len,
            ))?
        }
        0x80.. => {
            let open = ['‘', '“', '«', '„']
                .into_iter()
                .find(|c| left.ends_with(c.encode_utf8(&mut [0; 4]).as_bytes()))?;
            (open, OpenerForm::Raw, open.len_utf8())
        }
        b'2' | b'7' | b'c' | b'C' => escaped_opener(left)?,
        b':' => ('{', OpenerForm::Raw, lookup_len(left)?),
        _ => return None,
    };
    let closer = match char {
        '<' => '>',
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '‘' => '’',
        '“' => '”',
        '«' => '»',
        '„' => '“',
        same => same,
    };
    Some((Opener { char, closer, form }, len))
}

/// I25: returns the length of `${word:` at the end of `left`, a lookup of Log4j.
pub(super) fn lookup_len(left: &[u8]) -> Option<usize> {
    let head = left.strip_suffix(b":")?;
    let of_word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let len = head.iter().rev().take(WORD_MAX).take_while(of_word).count();
    let is_lookup = len > 0 && head[..head.len() - len].ends_with(b"${");
    is_lookup.then_some(len + 3)
}

/// `\x22`, `\u0022`, `\x27`, `\u0027`, `\x3c`, `\u003c`
fn escaped_opener(left: &[u8]) -> Option<(char, OpenerForm, usize)> {
    for (digits, char) in [(b"22", '"'), (b"27", '\''), (b"3c", '<')] {
        if !ends_with(left, digits) {
            continue;
        }
        let head = &left[..left.len() - 2];
        let spelled = if head.ends_with(b"x") {
            1
        } else if head.ends_with(b"u00") {
            3
        } else {
            continue;
        };
        let run = head[..head.len() - spelled]
            .iter()
            .rev()
            .take(LOOK_BACK)
            .take_while(|&&b| b == b'\\')
            .count();
        if (1..=MAX_RUN).contains(&run) {
            return Some((char, OpenerForm::Escaped, 2 + spelled + run));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme_of(text: &str) -> Option<&str> {
        let colon = text.find(':')?;
        scheme_before(text.as_bytes(), colon).map(|s| &text[s.at..colon])
    }

    #[test]
    fn a_scheme_is_the_whole_run_or_a_suffix_that_wins() {
        for (text, scheme) in [
            ("xhttp:", Some("http")),
            ("1.http:", Some("http")),
            ("desc-https:", Some("https")),
            ("sparse+https:", Some("sparse+https")),
            ("akka.tcp:", Some("akka.tcp")),
            ("1abc:", None),
            ("-abc:", None),
            ("x-urn:", Some("urn")),
            ("1mailto:", Some("mailto")),
            ("xurn:", Some("xurn")),
            ("c:", None),
            ("%3Dhttp:", Some("http")),
            ("%253Dfoo:", Some("foo")),
            ("\\nfoo:", Some("foo")),
            ("\\fBgit+ssh:", Some("git+ssh")),
            ("\\fBurn:", Some("urn")),
            ("\\foo:", Some("oo")),
            ("\\file:", Some("file")),
            ("\\ftp:", Some("ftp")),
            ("\\nfoo-http:", Some("http")),
            ("\\(aqssh:", Some("ssh")),
            ("\\*(Aqssh:", Some("ssh")),
            ("\\(ssh:", Some("ssh")),
            ("(aqssh:", Some("aqssh")),
            ("\\u003efoo:", Some("foo")),
            ("\\unix:", Some("unix")),
            ("\\u00zz:", Some("u00zz")),
            ("\\xmpp:", Some("xmpp")),
            ("\\x22foo:", Some("foo")),
            ("\x1fuurn:", Some("urn")),
            ("\x1b[1;31mfoo:", Some("foo")),
            ("\\u001b[31mfoo:", Some("foo")),
            ("[31mfoo:", None),
            ("$uhttps:", Some("https")),
            ("_foo:", None),
            ("$foo:", None),
            ("_ssh:", Some("ssh")),
            ("_sparse+foo:", Some("sparse+foo")),
            ("_xhttp:", Some("http")),
            ("ƒufoo:", Some("ufoo")),
            ("ƒuurn:", Some("urn")),
            ("$http:", Some("http")),
        ] {
            assert_eq!(scheme_of(text), scheme, "{text:?}");
        }
    }

    #[test]
    fn a_break_after_a_colon_is_folded_in_wrappers() {
        for (text, folds) in [
            ("see below:", false),
            ("see \t below:", false),
            ("below:", false),
            ("}:", false),
            ("'http:", false),
            ("\"http:", true),
            ("(x.http:", true),
            ("<http:", true),
            ("&lt;http:", true),
            ("\\u003chttp:", true),
            ("URL: http:", true),
            ("<ht\n> tp:", true),
        ] {
            assert_eq!(may_fold(text.as_bytes(), text.len() - 1), folds, "{text:?}");
        }
    }

    #[test]
    fn a_run_longer_than_a_scheme_has_only_the_winning_suffixes() {
        let long = "a".repeat(100);
        assert_eq!(scheme_of(&format!("{long}:")), None);
        assert_eq!(scheme_of(&format!("{long}http:")), Some("http"));
        // The tail of an escape is not removed from such a run.
        let longest = &long[..scheme::MAX_LEN];
        assert_eq!(scheme_of(&format!("\\n{longest}:")), None);
        let shorter = &longest[1..];
        assert_eq!(scheme_of(&format!("\\n{shorter}:")), Some(shorter));
    }

    #[test]
    fn openers_and_prefixes() {
        for (text, open, form, prefix) in [
            ("<", Some('<'), OpenerForm::Raw, false),
            ("<URL: ", Some('<'), OpenerForm::Raw, true),
            ("<url:\n ", Some('<'), OpenerForm::Raw, true),
            ("URL=<", Some('<'), OpenerForm::Raw, true),
            ("\\\"", Some('"'), OpenerForm::Escaped, false),
            ("\\u003c", Some('<'), OpenerForm::Escaped, false),
            ("&quot;", Some('"'), OpenerForm::Reference, false),
            ("&amp;lt;URL:", Some('<'), OpenerForm::Reference, true),
            ("„", Some('„'), OpenerForm::Raw, false),
            ("CURL:", None, OpenerForm::Raw, false),
            ("URL: ", None, OpenerForm::Raw, true),
            ("URL:\n", None, OpenerForm::Raw, false),
            ("x3c", None, OpenerForm::Raw, false),
            ("${jndi:", Some('{'), OpenerForm::Raw, false),
            ("{jndi:", None, OpenerForm::Raw, false),
            ("${:", None, OpenerForm::Raw, false),
            ("<\n  ", Some('<'), OpenerForm::Raw, false),
            ("> <\r\n \n> URL: ", Some('<'), OpenerForm::Raw, true),
            ("&lt;\n", Some('<'), OpenerForm::Reference, false),
            ("<  ", None, OpenerForm::Raw, false),
            ("<x\n", None, OpenerForm::Raw, false),
            ("\"\n", None, OpenerForm::Raw, false),
        ] {
            let got = opening_before(text.as_bytes(), text.len());
            assert_eq!(got.opener.map(|o| o.char), open, "{text:?}");
            assert_eq!(got.url_prefix, prefix, "{text:?}");
            if let Some(opener) = got.opener {
                assert_eq!(opener.form, form, "{text:?}");
            }
        }
    }
}
