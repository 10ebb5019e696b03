//! The strings of JSON-LD that may be links: values, not keys, outside of `@context` and
//! `@type` (JSON-LD 1.1). Whether a string is a URI by its scheme is decided later.

use crate::decode::json::unescape;
use crate::syntax::scheme;

/// The hosts of vocabularies, whose names are not documents.
const VOCABULARY: [&[u8]; 2] = [b"schema.org", b"www.schema.org"];

/// Whether values below this key are names of vocabulary.
pub(super) fn is_excluded(key: &[u8]) -> bool {
    const KEYS: [&[u8]; 2] = [b"@context", b"@type"];
    if memchr::memchr(b'\\', key).is_none() {
        return KEYS.contains(&key);
    }
    // Each character is written in at most 6 bytes.
    if key.len() > 6 * 8 {
        return false;
    }
    let mut unescaped = Vec::new();
    unescape(key, &mut unescaped, None);
    KEYS.contains(&&unescaped[..])
}

/// Whether a value, without its escapes, may be a link: it begins with a scheme, has no
/// placeholder, and is not a name of a vocabulary.
pub(super) fn may_be_link(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let Some(len) = scheme::prefix_len(value) else {
        return false;
    };
    let rest = &value[len + 1..];
    memchr::memchr(b'{', rest).is_none() && !is_vocabulary(rest)
}

/// Whether the host after a scheme is that of vocabulary.
fn is_vocabulary(rest: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(b"//") else {
        return false;
    };
    VOCABULARY.into_iter().any(|host| {
        let parts = rest.split_at_checked(host.len());
        parts.is_some_and(|(start, after)| {
            let ends = matches!(after, [] | [b'/' | b'?' | b'#' | b':', ..]);
            ends && start.eq_ignore_ascii_case(host)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::json::{DEPTH_MAX, JsonStrings, OpenJson, POINTER_MAX};
    use crate::item::OffsetMap;
    use crate::syntax::steps;
    use proptest::prelude::*;

    fn strings<'t, 'b>(text: &'t [u8], open: &'b mut Vec<OpenJson>) -> JsonStrings<'t, 'b> {
        crate::decode::json::strings(text, is_excluded, open)
    }

    /// The values of `text`, unescaped, with their pointers.
    fn shown(text: &str) -> Vec<(String, Option<String>)> {
        let mut open = Vec::new();
        let mut strings = strings(text.as_bytes(), &mut open);
        let mut shown = Vec::new();
        while let Some(range) = strings.next() {
            let (mut value, mut pointer) = (Vec::new(), Vec::new());
            unescape(&text.as_bytes()[range], &mut value, None);
            let is_known = strings.pointer(&mut pointer);
            let pointer = is_known.then(|| String::from_utf8(pointer).unwrap());
            shown.push((String::from_utf8(value).unwrap(), pointer));
        }
        shown
    }

    #[track_caller]
    fn check(text: &str, wanted: &[&str]) {
        let shown: Vec<String> = shown(text).into_iter().map(|(value, _)| value).collect();
        assert_eq!(shown, wanted, "{text}");
    }

    #[test]
    fn values() {
        check("", &[]);
        check(r#""a""#, &["a"]);
        check(
            r#"{"k":"a","l" : ["b",{"m":"c"}],"n":1,"o":null}"#,
            &["a", "b", "c"],
        );
        check(r#"[{"k":"a"},{"k":"b"}]"#, &["a", "b"]);
        check(r#"{"k":"https:\/\/h\u002F?a\u0026b"}"#, &["https://h/?a&b"]);
        check(
            r#"{"k":"\ud83d\ude00\ud83dx\u00e9\b\f\n\r\t\"\\"}"#,
            &["😀\u{fffd}x\u{e9}\u{8}\u{c}\n\r\t\"\\"],
        );
        check(r#"{"k":"a\x\u12\ud83d\u0041"}"#, &["axu12\u{fffd}A"]);
    }

    #[test]
    fn vocabulary_is_excluded() {
        check(r#"{"@context":"a","k":"b"}"#, &["b"]);
        check(
            r#"{"@context":{"l":"a","m":["b",{"n":"c"}]},"k":"d"}"#,
            &["d"],
        );
        check(
            r#"{"@type":["a","b"],"k":["c"],"@type":"d","@id":"e"}"#,
            &["c", "e"],
        );
        check(r#"{"\u0040context":["a"],"@contexts":"b"}"#, &["b"]);
        check(
            r#"{"@context":1,"k":"b","@type":null,"l":"c"}"#,
            &["b", "c"],
        );
        check(r#"[{"@context":["a"]},"b"]"#, &["b"]);
    }

    #[test]
    fn broken_text_is_read_on() {
        check(r#"{"k":"a" "l":"b",,"m":'x',"n":"c"}"#, &["a", "b", "c"]);
        check(
            r#"{"k":"he said "hi" there","l":"b"}"#,
            &["he said ", " there", "b"],
        );
        check("{\"k\":\"a\nb\",\"l\":\"c\"}", &["a\nb", "c"]);
        check(r#"<!-- {"k":"a"} }] "b" {"k":"c""#, &["a", "b", "c"]);
        check(r#"{"k":"a"#, &["a"]);
        check(r#"{"k":"a\"#, &["a\\"]);
        check(r#"{"k":"a","k""#, &["a", "k"]);
    }

    #[test]
    fn pointers() {
        for (text, wanted) in [
            (r#""a""#, &[Some("")][..]),
            (
                r#"{"k":"a","l":["b",1,"c",{"m/n~":"d"}],"o":"e"}"#,
                &[
                    Some("/k"),
                    Some("/l/0"),
                    Some("/l/2"),
                    Some("/l/3/m~1n~0"),
                    Some("/o"),
                ],
            ),
            (r#"[["a"],[],["b"]]"#, &[Some("/0/0"), Some("/2/0")]),
            (r#"{"\u006b":"a"}"#, &[Some("/k")]),
            (r#"{"k":"a" "l":"b","m":"c"}"#, &[Some("/k"), None, None]),
            (r#"{"k":["a"},"b"]"#, &[Some("/k/0"), None]),
        ] {
            let shown: Vec<Option<String>> = shown(text)
                .into_iter()
                .map(|(_, pointer)| pointer)
                .collect();
            assert_eq!(
                shown.iter().map(Option::as_deref).collect::<Vec<_>>(),
                wanted,
                "{text}"
            );
        }
        let deep = |depth: usize| format!("{}\"a\"{}", "[".repeat(depth), "]".repeat(depth));
        assert!(shown(&deep(DEPTH_MAX))[0].1.is_some());
        assert_eq!(shown(&deep(DEPTH_MAX + 1)), [("a".to_owned(), None)]);
        let long = format!("{{\"{}\":\"a\"}}", "k".repeat(POINTER_MAX + 1));
        assert_eq!(shown(&long), [("a".to_owned(), None)]);
    }

    #[test]
    fn links() {
        for value in [
            "https://a/",
            " urn:isbn:1\n",
            "http://schema.org.example/",
            "mailto:a@schema.org",
            "ab:c",
        ] {
            assert!(may_be_link(value.as_bytes()), "{value}");
        }
        for value in [
            "",
            "a",
            "/a",
            "//a/",
            "#a",
            "https://a/{b}",
            "https://schema.org",
            "HTTP://www.Schema.org/InStock",
            "https://schema.org:443/",
            "https://schema.org?a",
            "see https://a/",
        ] {
            assert!(!may_be_link(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn the_map_leads_back() {
        let text = br"a\/b\ud83d\ude00c\x";
        let (mut value, mut map) = (Vec::new(), OffsetMap::IDENTITY);
        unescape(text, &mut value, Some(&mut map));
        assert_eq!(value, "a/b😀cx".as_bytes());
        let mut places = map.places(&value);
        let raw = [0, 1, 2, 3, 7, 8, 9].map(|at| places.raw(at));
        assert_eq!(raw, [0, 1, 3, 4, 16, 17, 19]);
    }

    #[test]
    fn steps_are_linear() {
        for unit in [
            "\"", "\"a\":", "{", "[", "}", ",", "\\", "a", "\"a\",", "{\"a\":[", "\\u0041", "\" ",
        ] {
            let look = |text: &[u8]| strings(text, &mut Vec::new()).for_each(drop);
            assert!(steps::of_text("", unit, 1000, look) <= 2100, "{unit:?}");
        }
    }

    proptest! {
        #[test]
        fn values_are_in_order(
            parts in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", "\"", "\"a\"", ":", ",", "\\", "\\u00e9", "\\ud83d", "\"@context\":", "\"@type\"", " ",
                "a:b", "\n", "\u{e9}", "1",
            ]), 0..40),
        ) {
            let text = parts.concat();
            let mut end = 0;
            let mut open = Vec::new();
            let mut found = strings(text.as_bytes(), &mut open);
            while let Some(range) = found.next() {
                prop_assert!(end <= range.start && range.start <= range.end && range.end <= text.len());
                let (mut value, mut map) = (Vec::new(), OffsetMap::IDENTITY);
                unescape(&text.as_bytes()[range.clone()], &mut value, Some(&mut map));
                prop_assert!(std::str::from_utf8(&value).is_ok());
                prop_assert_eq!(map.places(&value).raw(value.len()), range.len() as u64);
                found.pointer(&mut Vec::new());
                end = range.end;
            }
        }
    }
}
