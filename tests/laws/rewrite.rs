//! The laws of rewriting (I29): without a change the output is the input, wherever the text is
//! divided; bytes outside of URIs stay; no secret is left.

use super::rewritten::{SIZES, rewritten, sieve};
use super::texts;
use proptest::prelude::*;
use proptest::sample::select;
use urisieve::canonicalize::{Level, Redactor};

/// Lines of logs with secrets, and of other texts.
const LINES: &[&str] = &[
    "192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /cb?token=SECRET&x=1 HTTP/1.1\" 200 2",
    "a.example:443 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /c?api_key=SECRET HTTP/1.1\" 200 2 \"http://u:SECRET@r.example/?sig=SECRET\" \"b\"",
    "{\"u\":\"http:\\/\\/u:SECRET@a.example\\/?token=SECRET\\u0026x=1\"}",
    "{\"method\":\"GET\",\"host\":\"j.example\",\"path\":\"/two?token=SECRET\"}",
    "#Fields: date cs-method cs-uri-stem cs-uri-query cs-host",
    "2020-10-04 GET /four token=SECRET&x=1 w.example",
    "2020-10-04 GET /five - w.example",
    "see <http://u:SECRET@a.exam",
    "  ple/?token=SECRET> and",
    "<a href=\"http://a.example/?x=1&amp;token=SECRET\">",
    "a,\"http://a.example/?token=SECRET\",b",
    "http://a.example/?u=http%3A%2F%2Fu%3ASECRET%40b.example%2F",
    "http://a.example/http://u:SECRET@b.example/",
    "https://hooks.slack.com/services/T0/B0/SECRET",
    "a < b",
    "",
];

proptest! {
    /// Without a change of URIs every byte stays.
    #[test]
    fn what_is_not_changed_stays(text in texts::pieces(24), size in select(&SIZES[..])) {
        prop_assert_eq!(rewritten(sieve(Level::None), &text, size, |_, _| ()), text);
    }

    /// Canonical forms are the same wherever the text is divided.
    #[test]
    fn any_division_gives_the_same(text in texts::pieces(24)) {
        let wanted = rewritten(sieve(Level::Scheme), &text, SIZES[0], |_, _| ());
        for size in &SIZES[1..] {
            let out = rewritten(sieve(Level::Scheme), &text, *size, |_, _| ());
            prop_assert_eq!(
                String::from_utf8_lossy(&out),
                String::from_utf8_lossy(&wanted),
                "{:?}",
                size
            );
        }
    }

    /// Bytes outside of URIs stay, in order: each URI is replaced by a mark.
    #[test]
    fn bytes_around_uris_stay(text in texts::pieces(24), size in select(&SIZES[..])) {
        let mut places = Vec::new();
        let out = rewritten(sieve(Level::None), &text, size, |finding, uri| {
            places.push((finding.offset as usize, finding.length as usize));
            uri.clear();
            uri.push(b'\x01');
        });
        let mut wanted = Vec::new();
        let mut at = 0;
        for (start, len) in places {
            wanted.extend_from_slice(&text[at..start]);
            wanted.extend_from_slice(b"%01");
            at = start + len;
        }
        wanted.extend_from_slice(&text[at..]);
        prop_assert_eq!(
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(&wanted)
        );
    }

    /// No secret is left, and lines keep their number but for those that a URI joined.
    #[test]
    fn no_secret_is_left(
        lines in proptest::collection::vec(select(LINES), 0..12),
        size in select(&SIZES[..]),
    ) {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let builder = sieve(Level::None).redact(Redactor::secrets());
        let out = rewritten(builder, text.as_bytes(), size, |_, _| ());
        let out = String::from_utf8(out).unwrap();
        prop_assert!(!shown(&out), "{}", out);
    }
}

/// W4: a line ends in the scheme, and leaders are before the rest of it.
#[test]
fn uris_with_a_folded_scheme_are_replaced() {
    for (text, wanted) in [
        ("<ht\n tp://a.example/b> c", "<d> c"),
        ("<ht\r\ntp://a.example/b> c", "<d> c"),
        ("> <ht\n> tp://a.example/b> c", "> <d> c"),
        ("<ht\n tp:\\/\\/a.example> c", "<d> c"),
        ("<H\nttp://x-urn:> c", "<d> c"),
        // Another URI has it in its query, encoded.
        ("<http://a.example/\n?u=http%3A%2F%2Fb.example> c", "<d> c"),
    ] {
        for size in SIZES {
            let out = rewritten(sieve(Level::None), text.as_bytes(), size, |_, uri| {
                uri.clear();
                uri.push(b'd');
            });
            assert_eq!(String::from_utf8_lossy(&out), wanted, "{text:?} {size:?}");
        }
    }
}

/// Whether a secret is shown: not in the columns of a log without a header, which are text, and
/// not in a URI that is cut off.
fn shown(out: &str) -> bool {
    let has_header = |at: usize| out[..at].contains("#Fields:");
    out.match_indices("SECRET").any(|(at, _)| {
        let line = out[..at].rfind('\n').map_or(0, |end| end + 1);
        let is_column = out[line..].starts_with("2020-10-04 GET");
        let is_folded = out[line..].starts_with("  ple/");
        !(is_column && !has_header(at) || is_folded)
    })
}
