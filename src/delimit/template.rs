//! Templates: those that end a bare candidate (B8), a `{`, a backtick, a backslash and other
//! bytes that cut, judged by the bytes on both sides; and those in a host, which belong to
//! it (I25).

use crate::syntax::class::ALPHA;
use crate::syntax::steps;

/// Most bytes of a name between braces.
const NAME_MAX: usize = 64;

/// Most bytes of a template in a host (I25), from its `{` to its `}`.
const IN_HOST_MAX: usize = 256;

/// The meaning of the byte that cuts a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CutMark {
    /// A template is here (`template` in the place of `cut`).
    pub is_template: bool,
    /// The last character of the candidate, a `$` or a `#`, belongs to what follows.
    pub takes_last: bool,
    /// More text might change the answer.
    pub touched_end: bool,
}

/// Judges the first byte of `rest`, the raw text after the candidate `left`, which it cuts
/// behind its host. `in_braces` means that `{` opened directly before the candidate.
pub(super) fn judge(left: &[u8], rest: &[u8], in_braces: bool) -> CutMark {
    let mut mark = CutMark::default();
    let Some(&byte) = rest.first() else {
        return mark;
    };
    if !matches!(byte, b'{' | b'}' | b'|' | b'^' | b'`' | b'\\') {
        return mark;
    }
    let marked = matches!(left.last(), Some(b'$' | b'#'));
    mark.takes_last = marked && matches!(byte, b'{' | b'`' | b'\\');
    steps::count(left.len());
    mark.is_template = match byte {
        _ if memchr::memmem::find(left, b"%s").is_some() => true,
        b'{' if marked => true,
        b'{' => {
            let (named, touched_end) = begins_name(&rest[1..]);
            mark.touched_end = touched_end;
            named
        }
        b'}' => matches!(left, [.., b'#', digit] if digit.is_ascii_digit()),
        b'\\' if in_braces => {
            let letters = rest[1..].iter().take(2).take_while(|b| ALPHA.has(**b));
            let letters = letters.count();
            mark.touched_end = letters < 2 && rest.len() == 1 + letters;
            letters == 2
        }
        _ => false,
    };
    mark
}

/// Returns whether `text`, which follows a `{`, begins with another one or with a name and
/// `}`, such as `{id}` or `{?a,b*}` (RFC 6570), and whether more text might change the
/// answer.
fn begins_name(text: &[u8]) -> (bool, bool) {
    if text.first() == Some(&b'{') {
        return (true, false);
    }
    let operator = matches!(
        text.first(),
        Some(b'+' | b'#' | b'.' | b'/' | b';' | b'?' | b'&')
    );
    let name = &text[usize::from(operator)..];
    let of_name =
        |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b',' | b':' | b'*');
    let len = name.iter().take(NAME_MAX + 1).take_while(of_name).count();
    steps::count(len);
    if len > NAME_MAX {
        return (false, false);
    }
    match name.get(len) {
        None => (false, true),
        Some(b'}') => (len > 0, false),
        Some(_) => (false, false),
    }
}

/// I25: returns the length of the template of a host whose `{` begins `rest` and follows a
/// `$`, and whether more text might change the answer. Without `any` only `{name:…}` and
/// `{::-…}` are templates of a host, as Log4j writes them; `{name:-…}` is one of a shell.
pub(super) fn in_host(rest: &[u8], any: bool) -> (Option<usize>, bool) {
    let sight = &rest[..rest.len().min(IN_HOST_MAX)];
    let mut depth = 0usize;
    for (at, &byte) in sight.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => {
                steps::count(at);
                let counts = any || is_lookup(&rest[1..at]);
                return (counts.then_some(at + 1), false);
            }
            b'}' => depth -= 1,
            _ if is_of_template(byte) => {}
            _ => {
                steps::count(at);
                return (None, false);
            }
        }
    }
    steps::count(sight.len());
    (None, rest.len() < IN_HOST_MAX)
}

/// Returns whether a template of a host may contain `byte`: a visible character that ends
/// neither an authority nor a quoted text.
fn is_of_template(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._:$+=%&*,;!~|^".contains(&byte)
}

/// Returns whether `inside`, the text between the braces, is `name:…` or `::-…`.
fn is_lookup(inside: &[u8]) -> bool {
    let name = inside
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        .count();
    match &inside[name..] {
        [b':', b':', b'-', ..] if name == 0 => true,
        [b':', rest @ ..] => name > 0 && !matches!(rest.first(), Some(b'-' | b'=' | b'?' | b'+')),
        _ => false,
    }
}

/// The parts of an authority without its userinfo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostSplit {
    /// The length of the host; a colon inside of a template does not end it.
    pub host_len: usize,
    /// The host has a template (I25).
    pub has_template: bool,
    /// B8: the host has a `$` before a letter or a `(`, as in `http://$HOST/`.
    pub is_void: bool,
}

/// Splits `text`, which begins with a host that has a `$`.
pub(super) fn split_host(text: &[u8]) -> HostSplit {
    let mut split = HostSplit {
        host_len: text.len(),
        has_template: false,
        is_void: false,
    };
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'$', b':', &text[at..]) {
        at += found;
        if text[at] == b':' {
            split.host_len = at;
            break;
        }
        at += 1;
        match text.get(at) {
            Some(b'{') => {
                let (len, _) = in_host(&text[at..], true);
                split.has_template |= len.is_some();
                at += len.unwrap_or(0);
            }
            Some(next) => split.is_void |= ALPHA.has(*next) || *next == b'(',
            None => {}
        }
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_differ_from_other_cuts() {
        for (left, rest, in_braces, template, takes) in [
            ("a?q=$", "{x}", false, true, true),
            ("a/#", "{x}", false, true, true),
            ("a/", "{version}/z", false, true, false),
            ("a", "{?a,b*}", false, true, false),
            ("a/", "{{x}}", false, true, false),
            ("a/", "{ x }", false, false, false),
            ("a/", "{}", false, false, false),
            ("a/%s", "\\n", false, true, false),
            ("a/%s/b", "|", false, true, false),
            ("a/#1", "}", false, true, false),
            ("a/#x", "}", false, false, false),
            ("a/", "\\foo}", true, true, false),
            ("a/", "\\foo}", false, false, false),
            ("a/", "\\n}", true, false, false),
            ("a#", "`", false, false, true),
            ("a#", "|", false, false, false),
            ("a/%s", " ", false, false, false),
        ] {
            let mark = judge(left.as_bytes(), rest.as_bytes(), in_braces);
            assert_eq!(
                (mark.is_template, mark.takes_last, mark.touched_end),
                (template, takes, false),
                "{left} {rest}"
            );
        }
    }

    #[test]
    fn templates_of_hosts() {
        for (rest, lookup, any) in [
            ("{env:USER}.a", Some(10), Some(10)),
            ("{::-j}", Some(6), Some(6)),
            ("{env:${lower:X}}b", Some(16), Some(16)),
            ("{env:NAME:-a}", Some(13), Some(13)),
            ("{host}", None, Some(6)),
            ("{HOST:-localhost}", None, Some(17)),
            ("{HOST:=a}", None, Some(9)),
            ("{:a}", None, Some(4)),
            ("{env:a/b}", None, None),
            ("{env:a b}", None, None),
            ("{env:a@b}", None, None),
        ] {
            assert_eq!(in_host(rest.as_bytes(), false), (lookup, false), "{rest}");
            assert_eq!(in_host(rest.as_bytes(), true), (any, false), "{rest}");
        }
        assert_eq!(in_host(b"{env:USER", false), (None, true));
        let long = format!("{{env:{}}}", "x".repeat(IN_HOST_MAX));
        assert_eq!(in_host(long.as_bytes(), true), (None, false));
    }

    #[test]
    fn a_template_hides_its_colon() {
        for (text, host_len, has_template, is_void) in [
            ("x.${env:U}.a:80", 12, true, false),
            ("${a:b}", 6, true, false),
            ("a$b.c:80", 5, false, true),
            ("a$(b):80", 5, false, true),
            ("$", 1, false, false),
            ("${a b:80", 5, false, false),
            ("a:${env:P}", 1, false, false),
        ] {
            let found = split_host(text.as_bytes());
            let wanted = HostSplit {
                host_len,
                has_template,
                is_void,
            };
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn a_name_that_the_text_ends_is_not_decided() {
        for (rest, in_braces) in [("{", false), ("{ab", false), ("\\", true), ("\\a", true)] {
            assert!(
                judge(b"a/", rest.as_bytes(), in_braces).touched_end,
                "{rest}"
            );
        }
        assert!(!judge(b"a/$", b"{", false).touched_end);
        let long = format!("{{{}", "x".repeat(NAME_MAX + 1));
        assert!(!judge(b"a/", long.as_bytes(), false).touched_end);
    }
}
