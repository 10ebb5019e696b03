//! The keys of web archives, as the program prints them.

use crate::program::run;
use urisieve::is_uri;

/// URLs with their keys; what a line of a list cannot hold has a backslash.
const KEYS: &str = include_str!("surt_keys.tsv");

/// The pairs whose URL is a URI for `normalize`.
fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = KEYS.lines().filter(|line| !line.starts_with("# "));
    let pairs = lines.filter_map(|line| line.split_once('\t'));
    let pairs = pairs.filter(|(_, key)| !key.contains('\\'));
    // One letter before a colon is a drive, no scheme.
    pairs.filter(|(url, _)| {
        let scheme = url.split_once(':').map(|(scheme, _)| scheme.as_bytes());
        let is_scheme = |text: &[u8]| {
            text.len() > 1
                && text[0].is_ascii_alphabetic()
                && text
                    .iter()
                    .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
        };
        let no_uri = [' ', '"', '<', '>', '\\', '^', '`', '{', '|', '}'];
        // Nor is a URI what has broken brackets in its host.
        scheme.is_some_and(is_scheme) && !url.contains(no_uri) && is_uri(url.as_bytes())
    })
}

#[test]
fn normalize_prints_the_keys_of_archives() {
    let urls: String = pairs().map(|(url, _)| format!("{url}\n")).collect();
    let ran = run(&["normalize", "-L", "none", "--surt"], urls.as_bytes());
    let keys: Vec<&str> = ran.out.lines().collect();
    assert_eq!(keys.len(), pairs().count(), "{}", ran.err);
    assert!(keys.len() > 500);
    for ((url, expect), key) in pairs().zip(keys) {
        assert_eq!(key, expect, "{url}");
    }
}

#[test]
fn extract_prints_the_keys_of_archives() {
    let text = b"see http://www.A.example:80/B/?d=1&c=2#e";
    assert_eq!(run(&["--surt"], text).out, "example,a)/b?c=2&d=1\n");
    let archive = run(&["--surt=archive", "-c"], text);
    assert_eq!(archive.out, "1\texample,a)/b?c=2&d=1\n");
}

#[test]
fn the_plain_form_only_reverses_the_host() {
    let text = b"http://www.a.example:80/B/?d=1&c=2#e\n";
    let expect = "example,a,www:80)/B/?d=1&c=2#e\n";
    assert_eq!(run(&["--surt=plain"], text).out, expect);
    assert_eq!(run(&["normalize", "--surt=plain"], text).out, expect);
    assert_eq!(run(&["normalize", "--surt=sorted"], text).code, 2);
}

/// Equality is decided before: two URLs with one key remain two.
#[test]
fn keys_take_no_part_in_equality() {
    let text = b"http://www.a.example/ http://a.example/";
    assert_eq!(run(&["--surt"], text).out, "example,a)/\nexample,a)/\n");
}
