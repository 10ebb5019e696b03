//! Whether a candidate starts at an offset: this ends the item of a list (B9) and
//! separates the lines of a string (W4). Looks at a bounded number of bytes ahead, and
//! requires less than the rules for a whole candidate.

use super::Config;
use super::read::{self, Unit, UnitReader};
use super::shape;
use super::start;
use crate::syntax::class::{ALPHA, SCHEME};
use crate::syntax::{iri, scheme};

/// The number of decoded bytes of an opaque URI that are read.
const SIGHT: usize = 128;
/// Most blanks between a prefix and the scheme.
const PREFIX_BLANKS: usize = 32;

/// Returns whether a candidate starts at `at` by S2, S3 or S5.
pub(super) fn starts_candidate(reader: &mut UnitReader, at: usize, config: &Config) -> bool {
    let Some(first) = reader.byte(at) else {
        return false;
    };
    if !ALPHA.has(first) {
        return false;
    }
    match after_prefix(reader, at) {
        Some(scheme_at) => starts_at(reader, scheme_at, config),
        None => starts_at(reader, at, config),
    }
}

/// S5: returns where the prefix at `at` and the blanks after it end.
fn after_prefix(reader: &mut UnitReader, at: usize) -> Option<usize> {
    for (i, wanted) in b"UR".iter().enumerate() {
        if !reader.byte(at + i)?.eq_ignore_ascii_case(wanted) {
            return None;
        }
    }
    let third = reader.byte(at + 2)?.to_ascii_uppercase();
    if !matches!(third, b'L' | b'I') || reader.byte(at + 3)? != b':' {
        return None;
    }
    let mut end = at + 4;
    while end < at + 4 + PREFIX_BLANKS && matches!(reader.byte(end), Some(b' ' | b'\t')) {
        end += 1;
    }
    Some(end)
}

fn starts_at(reader: &mut UnitReader, at: usize, config: &Config) -> bool {
    let mut colon = at;
    while colon <= at + scheme::MAX_LEN && reader.byte(colon).is_some_and(|b| SCHEME.has(b)) {
        colon += 1;
    }
    let text = reader.text;
    let name = &text[at.min(text.len())..colon.min(text.len())];
    let (unit, len) = reader.unit(colon);
    if !matches!(unit, Unit::Char { char: ':', .. })
        || start::scheme_in(name, name.len()) != Some(0)
    {
        return false;
    }
    let rest = colon + len;
    let (first, first_len) = reader.unit(rest);
    if is_slash(first) {
        let (second, second_len) = reader.unit(rest + first_len);
        if is_slash(second) {
            return authority_starts(reader, rest + first_len + second_len, name);
        }
    }
    opaque_starts(reader, rest, name, config)
}

/// S2, judged by the first character after `//`.
fn authority_starts(reader: &mut UnitReader, at: usize, name: &[u8]) -> bool {
    if shape::is_label(name) {
        return false;
    }
    match reader.unit(at) {
        (Unit::Char { char: '/', .. }, len) => {
            let needs_host = scheme::find(name).is_some_and(|s| s.needs_host);
            !needs_host && is_uri_unit(reader.unit(at + len).0)
        }
        (Unit::Char { char, .. }, _) if char.is_ascii() => {
            char.is_ascii_alphanumeric() || matches!(char, '[' | '%' | '_')
        }
        (Unit::Char { char, .. }, _) => iri::is_bare(char),
        _ => false,
    }
}

/// S3, judged by the first [`SIGHT`] bytes after the colon.
fn opaque_starts(reader: &mut UnitReader, mut at: usize, name: &[u8], config: &Config) -> bool {
    let is_opaque = shape::is_opaque(name);
    let admitted = config.opaque.admits(name);
    if !is_opaque && !admitted {
        return false;
    }
    let mut sight = [0u8; SIGHT];
    let mut len = 0;
    while let (unit, raw_len) = reader.unit(at)
        && is_uri_unit(unit)
    {
        let Unit::Char { char, .. } = unit else { break };
        if len + char.len_utf8() > SIGHT {
            break;
        }
        len += char.encode_utf8(&mut sight[len..]).len();
        at += raw_len;
    }
    let rest = &sight[..len];
    if name.eq_ignore_ascii_case(b"magnet") {
        return rest.first() == Some(&b'?');
    }
    (is_opaque && shape::opaque(name, rest)) || (admitted && shape::may_follow_colon(rest))
}

fn is_slash(unit: Unit) -> bool {
    matches!(unit, Unit::Char { char: '/', .. })
}

fn is_uri_unit(unit: Unit) -> bool {
    matches!(unit, Unit::Char { char, escaped } if read::is_bare(char) && !(escaped && char == '\''))
}

#[cfg(test)]
mod tests {
    use crate::delimit::{Config, Delimiter};
    use crate::item::Segment;

    /// Returns the first URI in `text`.
    fn first(text: &str, config: Config) -> String {
        let segment = Segment::whole(text.as_bytes());
        let mut delimiter = Delimiter::new(config);
        delimiter.delimit(&segment, text.find(':').unwrap(), 0);
        let found = delimiter.found(&segment).next().unwrap();
        String::from_utf8(found.text.to_vec()).unwrap()
    }

    /// B9: the text after a comma or a semicolon is another URI, or a part of this one.
    #[test]
    fn a_list_ends_a_uri_where_another_one_starts() {
        for (follows, ends) in [
            ("http://b.example/", true),
            ("URL:http://b.example/", true),
            ("URL:  http://b.example/", true),
            ("uri:\thttp://b.example/", true),
            ("URL: b.example/", false),
            ("http://[::1]/", true),
            ("http://_b.example/", true),
            ("http://%41.example/", true),
            ("http://\u{e9}.example/", true),
            ("http://\u{201d}", false),
            ("http://.b", false),
            ("http:///etc", false),
            ("file:///etc", true),
            ("file:///\"", false),
            ("mailto:joe@b.example", true),
            ("mailto:joe", false),
            ("magnet:?xt=urn:btih:1", true),
            ("magnet:xt", false),
            ("urn:isbn:0395363411", true),
            ("style:x", false),
            ("1http://b.example/", false),
        ] {
            for between in [',', ';'] {
                let text = format!("http://a.example/c{between}{follows} d\n");
                let uri = first(&text, Config::default());
                assert_eq!(uri == "http://a.example/c", ends, "{text}: {uri}");
            }
        }
        let text = "http://a.example/c,about:blank d\n";
        assert_eq!(
            first(text, Config::default()),
            "http://a.example/c,about:blank"
        );
        let admits = Config::default().opaque(["about"]);
        assert_eq!(first(text, admits), "http://a.example/c");
    }
}
