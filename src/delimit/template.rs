//! Templates that end a bare candidate (B8): a `{`, a backtick, a backslash and what else
//! cuts, judged by the bytes on both sides.

use crate::syntax::class::ALPHA;
use crate::syntax::steps;

/// Most bytes of a name between braces.
const NAME_MAX: usize = 64;

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
