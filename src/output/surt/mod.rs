//! SURT, the "sort-friendly URI reordering transform" of web archives: the labels of a
//! host are reversed, so that the URIs of one domain are together in a sorted list. It
//! is only an output form: which URIs are equal is decided before.

mod archive;
mod escapes;
mod host;
mod plain;

pub use archive::archive_surt;
pub use plain::plain_surt;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::steps;
    use proptest::prelude::*;

    /// URLs with their keys; `\xNN` is a byte, `\\` a backslash.
    const KEYS: &str = include_str!("../../../tests/rules/surt_keys.tsv");

    fn bytes(text: &str) -> Vec<u8> {
        let (mut out, mut rest) = (Vec::new(), text.as_bytes());
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            match (byte, tail.first()) {
                (b'\\', Some(b'x')) => {
                    let digits = std::str::from_utf8(&tail[1..3]).unwrap();
                    out.push(u8::from_str_radix(digits, 16).unwrap());
                    rest = &tail[3..];
                }
                (b'\\', _) => {
                    out.push(b'\\');
                    rest = &tail[1..];
                }
                _ => out.push(byte),
            }
        }
        out
    }

    fn key(uri: &[u8]) -> Vec<u8> {
        let mut out = b"before ".to_vec();
        archive_surt(uri, &mut out);
        assert!(out.starts_with(b"before "));
        out.split_off(7)
    }

    #[test]
    fn keys_are_those_of_the_archives() {
        let mut count = 0;
        for line in KEYS.lines().filter(|line| !line.starts_with("# ")) {
            let (url, expect) = line.split_once('\t').unwrap();
            let (got, expect) = (key(&bytes(url)), bytes(expect));
            assert_eq!(
                got.escape_ascii().to_string(),
                expect.escape_ascii().to_string(),
                "{url}"
            );
            count += 1;
        }
        assert!(count > 600, "{count}");
    }

    #[test]
    fn ports_that_are_no_numbers_stay() {
        for (uri, expect) in [
            ("http://www.a.example:99999/", "example,a:99999)/"),
            ("http://a.example:B%41/", "example,a:ba)/"),
            ("http://a.example:-1/", "example,a:-1)/"),
        ] {
            assert_eq!(key(uri.as_bytes()), expect.as_bytes(), "{uri}");
        }
    }

    #[test]
    fn blanks_alone_have_the_key_of_nothing() {
        assert_eq!(key(b""), b"-");
        assert_eq!(key(b" \t\n"), b"-");
    }

    #[test]
    fn the_text_before_a_key_is_not_read() {
        let [one, two] = [1, 1 << 16].map(|len| {
            steps::of_text("", ".", len, |before| {
                let mut out = before.to_vec();
                archive_surt(b"http://a..b/c//../d", &mut out);
                assert_eq!(&out[len..], b"b,a)/c/d");
            })
        });
        assert!(one > 0);
        assert_eq!(one, two);
    }

    /// Each of these is long and repetitive, so that a naive search would read the same
    /// bytes again and again.
    #[test]
    fn long_urls_take_one_pass() {
        let nested = format!("http://a/%{}41", "25".repeat(500_000));
        assert_eq!(key(nested.as_bytes()), b"a)/a");
        for part in [
            "/..",
            "/.",
            "//",
            "/a/..",
            "&sid=",
            "&cfid=",
            "&cftoken=",
            "cfid=&cftoken=",
            "&b&a",
            "/(aaaaaaaaaaaaaaaaaaaaaaaa)/.aspx?",
            "jsessionid=",
            "aspsessionid",
            "(s(",
            "..",
            "[",
            "%",
            "http://",
            ":",
            "@",
        ] {
            for head in ["http://a/", "http://a/?", "http://", "x:", "x:?"] {
                let long = part.repeat(60_000);
                key(format!("{head}{long}").as_bytes());
                key(format!("{head}{}{long}", "a".repeat(60_000)).as_bytes());
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_key(
            head in prop::sample::select(vec!["", "http://", "https:/", "x:", "http://[", "http://a/?"]),
            bytes in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            let key = key(&[head.as_bytes(), &bytes].concat());
            prop_assert!(head.is_empty() || key.iter().all(u8::is_ascii_graphic));
        }

        #[test]
        fn the_order_of_parameters_is_nothing(
            list in prop::collection::vec("[ab]{0,2}(=[ab-]{0,2})?", 1..40), seed in any::<u64>(),
        ) {
            let mut other = list.clone();
            other.sort_by_key(|text| seed.wrapping_mul(text.len() as u64 + 3) % 7);
            let url = |list: &[String]| format!("http://a.example/?c&{}", list.join("&"));
            prop_assert_eq!(key(url(&list).as_bytes()), key(url(&other).as_bytes()));
        }
    }
}
