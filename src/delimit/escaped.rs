//! The fast path for usual values of JSON and JavaScript: an `http` or `https` URI in quotes
//! whose slashes are escaped (`"https:\/\/a.example\/b"`). Every byte of it is plain or
//! belongs to `\/`, so no unit is read and no rule but that of the closer applies (W1, B5).
//! Any other candidate is left to the general walk.

use super::{Delimiter, FoundUri, Outcome, TextSource};
use crate::item::{Encoding, Marks, Problem, Problems, RawUri, Segment, Wrapper};
use crate::syntax::masks::UriStops;
use crate::syntax::{Outlook, pct};

/// A colon and escaped slashes, as behind the scheme.
const SLASHES: &[u8] = br":\/\/";

impl Delimiter {
    /// Judges the candidate whose colon is at the raw offset `colon`, as
    /// [`delimit`](Delimiter::delimit) does. Returns `None` when it is not of the usual form.
    #[inline]
    pub(super) fn delimit_escaped(
        &mut self,
        segment: &Segment,
        colon: usize,
        floor: usize,
        look: impl Fn(usize) -> Outlook,
    ) -> Option<Outcome> {
        let text = segment.text;
        let start = quoted_scheme(text, colon)?;
        if start < floor {
            return Some(Outcome::None);
        }
        let host_at = colon + SLASHES.len();
        let first = look(host_at);
        let host_len = first.host_len();
        if host_len >= Outlook::LEN
            || !text.get(host_at)?.is_ascii_alphanumeric()
            || !text[host_at + host_len..].starts_with(br"\/")
        {
            return None;
        }
        let scratch = &mut self.scratch;
        scratch.text.clear();
        scratch.map.clear();
        scratch.hyphens.clear();
        scratch.map.push(0, start as u64, Encoding::Raw);
        let mut read = start;
        let mut slash = |read: &mut usize, at: usize| {
            scratch.text.extend_from_slice(&text[*read..at]);
            let len = scratch.text.len();
            scratch.map.push_unit(len, at as u64, 1, 2);
            scratch.text.push(b'/');
            *read = at + br"\/".len();
        };
        slash(&mut read, colon + 1);
        slash(&mut read, colon + 3);
        let mut stops = UriStops::new(host_at, first, look);
        let end = loop {
            let at = stops.next();
            match text.get(at..at + 2)? {
                [b'"', _] => break at,
                br"\/" => slash(&mut read, at),
                _ => return None,
            }
        };
        if end - start > self.config.max_length {
            return None;
        }
        self.scratch.text.extend_from_slice(&text[read..end]);
        let uri = &self.scratch.text[..];
        let is_folded = !stops.has_percent(end) || pct::is_folded(uri);
        let mut problems = Problems::NONE;
        if !is_folded && pct::first_broken(uri).is_some() {
            problems |= Problem::BadPercent;
        }
        let is_single = !self.config.strict && !self.config.nested;
        self.found.push(FoundUri {
            source: TextSource::Decoded,
            from: 0,
            to: uri.len(),
            offset: start,
            length: end - start,
            encoded: false,
            is_plain: is_single && is_folded && !first.has_upper_host(),
            marks: Marks {
                wrapper: Wrapper::DoubleQuote,
                problems,
                ..Marks::default()
            },
        });
        if !is_single {
            self.derive(segment, colon - start);
        }
        Some(Outcome::Found(end))
    }

    /// Returns the URI that the last call found, if it is the only one and its case is normal, as
    /// that of a [`Judged::Plain`](super::Judged::Plain). A slash of it may be escaped in the
    /// text. Not every such URI is returned.
    #[inline]
    pub(crate) fn found_plain<'a>(&'a self, segment: &Segment<'a>) -> Option<RawUri<'a>> {
        let is_plain = self.found.first().is_some_and(|found| found.is_plain);
        self.found(segment).next().filter(|_| is_plain)
    }
}

/// Returns the start of the `http` or `https` that ends at `colon`, if a quote of the text opens
/// before it, and escaped slashes follow.
fn quoted_scheme(text: &[u8], colon: usize) -> Option<usize> {
    if !text[colon..].starts_with(SLASHES) {
        return None;
    }
    let left = &text[..colon];
    let left = left
        .strip_suffix(b"http")
        .or_else(|| left.strip_suffix(b"https"))?;
    match left {
        [.., before, b'"'] if *before != b'\\' => Some(left.len()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delimit::{Config, start};
    use proptest::prelude::*;
    use proptest::sample::select;

    type Found = (Vec<u8>, usize, usize, Marks, Vec<usize>);

    fn answer(delimiter: &Delimiter, segment: &Segment, outcome: Outcome) -> (Outcome, Vec<Found>) {
        let all = delimiter.found(segment).enumerate().map(|(number, uri)| {
            let places = delimiter.places(number).collect();
            (uri.text.to_vec(), uri.offset, uri.length, uri.marks, places)
        });
        (outcome, all.collect())
    }

    /// Asserts that the general walk has the same answer to the first colon of `text`. Returns
    /// whether the candidate is of the usual form, and whether it is returned as a plain one.
    fn judged(config: &Config, text: &str) -> (bool, bool) {
        let segment = Segment::whole(text.as_bytes());
        let look = |at| Outlook::of(segment.text, at);
        let colon = text.find(':').unwrap();
        let mut delimiter = Delimiter::new(config.clone());
        let Some(outcome) = delimiter.delimit_escaped(&segment, colon, 0, look) else {
            return (false, false);
        };
        let plain = delimiter.found_plain(&segment).map(|uri| uri.text.to_vec());
        let fast = answer(&delimiter, &segment, outcome);
        let scheme = start::scheme_before(segment.text, colon).unwrap();
        let opening = start::opening_before(segment.text, scheme.at);
        let mut delimiter = Delimiter::new(config.clone());
        let outcome = delimiter.delimit_slowly(&segment, colon, scheme, &opening);
        let slow = answer(&delimiter, &segment, outcome);
        assert_eq!(fast, slow, "{text}");
        if let Some(plain) = &plain {
            assert_eq!((fast.1.len(), plain), (1, &fast.1[0].0), "{text}");
            let host = plain.split(|&byte| byte == b'/').nth(2).unwrap();
            assert!(
                !host.iter().any(u8::is_ascii_uppercase) && pct::is_folded(plain),
                "{text}"
            );
        }
        (true, plain.is_some())
    }

    #[test]
    fn usual_values_of_json() {
        let long = "b\\/".repeat(40);
        for (text, wanted) in [
            (r#"{"u":"#, (false, false)),
            (r#"x"https:\/\/a.example\/b""#, (false, false)),
            (r#""https:\/\/a.example\/b","#, (false, false)),
            (r#"x"https:\/\/a.example\/b","#, (true, true)),
            (r#"x"http:\/\/a-1.example\/\/b?c=d@:%20","#, (true, true)),
            (r#"x"http:\/\/a.example\/%c3%A9","#, (true, false)),
            (r#"x"http:\/\/a.example\/%zz","#, (true, false)),
            (r#"x"http:\/\/A.example\/b","#, (true, false)),
            (r#"x"https:\/\/a.example","#, (false, false)),
            (r#"x"https:\/\/a.example\/b, c","#, (false, false)),
            (r#"x"https:\/\/a.example\/b\"","#, (false, false)),
            (r#"x"https:\/\/a.example\/b\u0026c","#, (false, false)),
            (r#"x"https:\/\/a.example:80\/b","#, (false, false)),
            (r#"x"https:\/\/-a.example\/b","#, (false, false)),
            (r#"x"ftp:\/\/a.example\/b","#, (false, false)),
            (r#"x\"https:\/\/a.example\/b\","#, (false, false)),
            (
                &format!(r#"x"http:\/\/a.example\/{long}%41"}}"#),
                (true, true),
            ),
        ] {
            assert_eq!(judged(&Config::default(), text), wanted, "{text}");
        }
        let text = r#"x"http:\/\/a.example\/http:\/\/b.example\/c","#;
        for config in [
            Config::default().strict(true),
            Config::default().nested(true),
        ] {
            assert_eq!(judged(&config, text), (true, false));
        }
        let short = Config::default().max_length(1024);
        let text = format!(r#"x"http:\/\/a.example\/{}","#, "b".repeat(1024));
        assert_eq!(judged(&short, &text), (false, false));
    }

    proptest! {
        #[test]
        fn the_general_walk_has_the_same_answer(
            before in select(vec!["\"", "x=\"", "{\"u\"=\"", "\\\"", " ", "URL:\"", "{\""]),
            scheme in select(vec!["http", "https", "ftp", "urn"]),
            host in select(vec!["a.example", "a", "1.2.3.4", "a..b", "a.", "a-.b-", "A.b", "-a", "999.1"]),
            pieces in prop::collection::vec(
                select(vec![
                    "\\/", "\\/", "b", "c.d", "?q=1", "@", ":", "%", "%zz", "~", "*", "!", "+", "-", ".",
                    "http:\\/\\/", "//", ",", "$", "\\u0026", "\\\\/", "é", "<", "]", "#", "&", "%41", "%c3",
                ]),
                0..8,
            ),
            after in select(vec!["\"", "\",", "\"\"", "\"\n", "", "\" c", "\"}"]),
            (strict, nested) in any::<(bool, bool)>(),
        ) {
            let text = format!("{before}{scheme}:\\/\\/{host}\\/{}{after}", pieces.concat());
            judged(&Config::default().strict(strict).nested(nested), &text);
        }
    }
}
