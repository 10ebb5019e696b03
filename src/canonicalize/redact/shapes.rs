//! Secrets that show by their own shape, wherever they are.

use crate::syntax::steps;
use std::ops::Range;

/// The least number of characters after a prefix.
const LEAST: usize = 10;

/// The least number of characters of a bot's token.
const BOT_LEAST: usize = 30;

/// A kind of secret with a unique prefix.
pub(super) struct Shape {
    prefix: &'static str,
    rest: ShapeRest,
    /// The shape of such a secret, as shown to users.
    pub shown: &'static str,
}

/// The rest of a token after its prefix.
enum ShapeRest {
    /// Letters, digits and these characters.
    Run(&'static [u8]),
    /// The rest of the first of three parts in Base64 (RFC 7519), two of them of JSON.
    Jwt,
    /// The number of a bot, a colon and its token, which begin a segment of a path.
    Bot,
}

/// The kinds that are known.
#[rustfmt::skip]
pub(super) const SHAPES: &[Shape] = &[
    Shape { prefix: "eyJ", rest: ShapeRest::Jwt, shown: "eyJ….eyJ….…" },
    Shape { prefix: "ghp_", rest: ShapeRest::Run(b"_"), shown: "ghp_…" },
    Shape { prefix: "gho_", rest: ShapeRest::Run(b"_"), shown: "gho_…" },
    Shape { prefix: "ghu_", rest: ShapeRest::Run(b"_"), shown: "ghu_…" },
    Shape { prefix: "ghs_", rest: ShapeRest::Run(b"_"), shown: "ghs_…" },
    Shape { prefix: "ghr_", rest: ShapeRest::Run(b"_"), shown: "ghr_…" },
    Shape { prefix: "github_pat_", rest: ShapeRest::Run(b"_"), shown: "github_pat_…" },
    Shape { prefix: "glpat-", rest: ShapeRest::Run(b"-_."), shown: "glpat-…" },
    Shape { prefix: "xoxa-", rest: ShapeRest::Run(b"-"), shown: "xoxa-…" },
    Shape { prefix: "xoxb-", rest: ShapeRest::Run(b"-"), shown: "xoxb-…" },
    Shape { prefix: "xoxp-", rest: ShapeRest::Run(b"-"), shown: "xoxp-…" },
    Shape { prefix: "xoxr-", rest: ShapeRest::Run(b"-"), shown: "xoxr-…" },
    Shape { prefix: "xoxs-", rest: ShapeRest::Run(b"-"), shown: "xoxs-…" },
    Shape { prefix: "AIza", rest: ShapeRest::Run(b"-_"), shown: "AIza…" },
    Shape { prefix: "sk_live_", rest: ShapeRest::Run(b""), shown: "sk_live_…" },
    Shape { prefix: "npm_", rest: ShapeRest::Run(b""), shown: "npm_…" },
    Shape { prefix: "bot", rest: ShapeRest::Bot, shown: "/bot123456:…" },
];

/// The first bytes of the prefixes.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        first[SHAPES[at].prefix.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
};

/// Whether a prefix is at `at`.
#[inline]
pub(super) fn begins_at(text: &[u8], at: usize) -> bool {
    let Some(rest) = text.get(at..) else {
        return false;
    };
    rest.first().is_some_and(|first| FIRST[usize::from(*first)])
        && SHAPES
            .iter()
            .any(|shape| rest.starts_with(shape.prefix.as_bytes()))
}

/// Calls `add` with the secrets in `text`.
pub(super) fn add_shapes(text: &[u8], add: &mut impl FnMut(Range<usize>)) {
    let (mut floor, mut jwt_floor) = (0, 0);
    while let Some((at, shape)) = next_prefix(text, floor) {
        let rest = at + shape.prefix.len();
        let secret = match shape.rest {
            ShapeRest::Run(more) => {
                let end = end_of_run(text, rest, more);
                (end - rest >= LEAST).then_some(at..end)
            }
            ShapeRest::Jwt if at < jwt_floor => None,
            ShapeRest::Jwt => {
                let header = end_of_run(text, rest, b"-_");
                // If the first part does not begin a secret, no suffix of it does.
                jwt_floor = header;
                (header - rest >= LEAST)
                    .then(|| end_of_jwt(text, header))
                    .flatten()
                    .map(|end| at..end)
            }
            ShapeRest::Bot => token_of_bot(text, at, rest),
        };
        floor = at + 1;
        if let Some(secret) = secret {
            floor = secret.end;
            add(secret);
        }
    }
}

/// Returns the first prefix from `floor` on that begins a word.
fn next_prefix(text: &[u8], floor: usize) -> Option<(usize, &'static Shape)> {
    let before = floor.checked_sub(1).map(|at| text[at]);
    let mut in_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric());
    for (at, &byte) in text.iter().enumerate().skip(floor) {
        steps::count(1);
        if !in_word && FIRST[usize::from(byte)] {
            let is_here = |shape: &&Shape| text[at..].starts_with(shape.prefix.as_bytes());
            if let Some(shape) = SHAPES.iter().find(is_here) {
                return Some((at, shape));
            }
        }
        in_word = byte.is_ascii_alphanumeric();
    }
    None
}

/// Returns the end of the letters, digits and characters of `more` from `start` on.
fn end_of_run(text: &[u8], start: usize, more: &[u8]) -> usize {
    let is_in = |b: &&u8| b.is_ascii_alphanumeric() || more.contains(b);
    let len = text[start..].iter().take_while(is_in).count();
    steps::count(len);
    start + len
}

/// Returns the end of the JWT whose first part ends at `header`.
fn end_of_jwt(text: &[u8], header: usize) -> Option<usize> {
    const SECOND: &[u8] = b".eyJ";
    let second = text[header..].starts_with(SECOND);
    let payload = second.then(|| end_of_run(text, header + SECOND.len(), b"-_"))?;
    (text.get(payload) == Some(&b'.')).then(|| end_of_run(text, payload + 1, b"-_"))
}

/// Returns the token of the bot that is named at `at`, and whose number starts at
/// `number`.
fn token_of_bot(text: &[u8], at: usize, number: usize) -> Option<Range<usize>> {
    if at == 0 || text[at - 1] != b'/' {
        return None;
    }
    let digits = text[number..].iter().take_while(|b| b.is_ascii_digit());
    let colon = number + digits.count();
    steps::count(colon - number);
    if colon == number || text.get(colon) != Some(&b':') {
        return None;
    }
    let end = end_of_run(text, colon + 1, b"-_");
    (end - colon > BOT_LEAST).then_some(colon + 1..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        let mut out = String::new();
        let mut at = 0;
        add_shapes(text.as_bytes(), &mut |range| {
            out = format!("{out}{}***", &text[at..range.start]);
            at = range.end;
        });
        assert!(
            at == 0 || next_prefix(text.as_bytes(), 0).is_some(),
            "{text}"
        );
        out + &text[at..]
    }

    #[test]
    fn secrets_by_their_shape() {
        for (text, expect) in [
            (
                "/v/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln-_/x",
                "/v/***/x",
            ),
            ("eyJhbGciOiJub25lIn0.eyJhIjoxfQ.", "***"),
            ("/eyJ.eyJ.x", "/eyJ.eyJ.x"),
            ("/eyJhbGciOiJIUzI1NiJ9.x.y", "/eyJhbGciOiJIUzI1NiJ9.x.y"),
            (
                "/eyJhbGciOiJIUzI1NiJ9.eyJzdWI",
                "/eyJhbGciOiJIUzI1NiJ9.eyJzdWI",
            ),
            (
                "/xeyJhbGciOiJIUzI1NiJ9.eyJ.x",
                "/xeyJhbGciOiJIUzI1NiJ9.eyJ.x",
            ),
            ("/eyJ-ghp_0123456789.git", "/eyJ-***.git"),
            ("/a/ghp_0123456789abcdefABCDEF/y", "/a/***/y"),
            (
                "gho_0123456789,ghu_0123456789,ghs_0123456789,ghr_0123456789",
                "***,***,***,***",
            ),
            (
                "github_pat_11AAAAAAA0_abc/glpat-abc-_12345.01.x/q",
                "***/***/q",
            ),
            (
                "xoxb-123-456-abcdef&xoxp-0123456789#xoxz-0123456789",
                "***&***#xoxz-0123456789",
            ),
            ("?k=AIzaSyA-0123_4567&x", "?k=***&x"),
            (
                "sk_live_0123456789/sk_test_0123456789",
                "***/sk_test_0123456789",
            ),
            (
                "npm_0123456789/npm_config_registry",
                "***/npm_config_registry",
            ),
            ("ghp_012345678", "ghp_012345678"),
            ("aghp_0123456789 AIzasy", "aghp_0123456789 AIzasy"),
            (
                "/bot1:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe",
                "/bot1:***/getMe",
            ),
            (
                "/bot1:AAHdqTcvCH1vGWJxfSeofSAs0K5PA/x",
                "/bot1:AAHdqTcvCH1vGWJxfSeofSAs0K5PA/x",
            ),
            (
                "/bot:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
                "/bot:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
            ),
            (
                "-bot1:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
                "-bot1:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
            ),
        ] {
            assert_eq!(masked(text), expect, "{text}");
        }
    }

    #[test]
    fn a_shape_looks_as_it_is_shown() {
        for shape in SHAPES {
            assert!(
                shape
                    .shown
                    .trim_start_matches('/')
                    .starts_with(shape.prefix)
            );
        }
    }

    #[test]
    fn a_long_text_is_looked_through_once() {
        for piece in [
            "eyJ",
            "-eyJ",
            "eyJ.",
            "eyJ0123456789.",
            ".eyJ0123456789",
            "ghp_",
            "github_pat_",
            "xoxb-",
            "glpat-.",
            "AIza-",
            "npm_",
            "/bot1",
            "/bot1:",
            "/bot",
        ] {
            let look = |text: &[u8]| add_shapes(text, &mut |_| ());
            let [one, two] = [1 << 13, 1 << 14].map(|len| steps::of_text("", piece, len, look));
            assert!(two < one * 5 / 2 + 1000, "{piece}: {one} {two}");
        }
    }
}
