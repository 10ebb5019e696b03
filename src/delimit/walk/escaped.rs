//! The walk over a usual value of JSON or JavaScript: an `http` or `https` URI in quotes
//! whose slashes are escaped (`"https:\/\/a.example\/b"`). Every byte of it is plain or
//! belongs to `\/`, so no unit is read and no rule but that of the closer applies (W1, B5).
//! Any other candidate is left to the general walk.

use super::{SPECIAL, Stop, Task, WalkMode, WalkResult, WalkScratch};
use crate::delimit::start::OpenerForm;
use crate::item::{Encoding, Problems};
use crate::syntax::steps;

/// Walks the candidate of `task`, which ends at most at the raw offset `longest`, and writes
/// its text to `scratch`. Returns `None` when the candidate is not of the usual form; then
/// `scratch` has no meaning.
pub(in crate::delimit) fn walk_escaped(
    text: &[u8],
    scratch: &mut WalkScratch,
    task: &Task,
    longest: usize,
) -> Option<WalkResult> {
    let is_quoted =
        matches!(task.mode, WalkMode::Quoted(o) if o.char == '"' && o.form == OpenerForm::Raw);
    let host = text.get(task.colon..)?.strip_prefix(br":\/\/")?;
    let is_web = matches!(&text[task.start..task.colon], b"http" | b"https");
    if !is_quoted || !is_web {
        return None;
    }
    let is_of_host = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let host_len = host.iter().take_while(is_of_host).count();
    steps::count(host_len);
    if !host.first()?.is_ascii_alphanumeric() || !host[host_len..].starts_with(br"\/") {
        return None;
    }
    scratch.text.clear();
    scratch.map.clear();
    scratch.hyphens.clear();
    scratch.map.push(0, task.start as u64, Encoding::Raw);
    let mut from = task.start;
    let mut at = task.colon + 1;
    loop {
        scratch.text.extend_from_slice(&text[from..at]);
        from = at;
        match text.get(at..at + 2)? {
            [b'"', _] => break,
            br"\/" => {
                let len = scratch.text.len();
                scratch.map.push_unit(len, at as u64, 1, 2);
                scratch.text.push(b'/');
                from += 2;
            }
            _ => return None,
        }
        let ahead = text.get(from..longest.min(text.len()))?;
        let plain = ahead.iter().position(|&byte| SPECIAL[usize::from(byte)])?;
        steps::count(plain);
        at = from + plain;
    }
    Some(WalkResult {
        stop: Stop::Closed,
        end: at,
        overrun: None,
        problems: Problems::NONE,
        wrapped: 0,
        hyphen_break: false,
        encoded: false,
        in_authority: false,
        verdict: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delimit::read::UnitReader;
    use crate::delimit::walk::walk;
    use crate::delimit::{Config, shape, start};
    use crate::item::LineHead;
    use proptest::prelude::*;
    use proptest::sample::select;

    type Answer = (Stop, usize, Problems, Vec<u8>, Vec<usize>);

    fn answer(text: &[u8], scratch: &WalkScratch, walked: WalkResult) -> Answer {
        let mut places = scratch.places();
        let raw = (0..scratch.text.len()).map(|at| places.raw(at) as usize);
        let raw = raw.collect();
        assert!(walked.overrun.is_none() && walked.wrapped == 0 && !walked.encoded);
        assert!(text.len() >= walked.end);
        (
            walked.stop,
            walked.end,
            walked.problems,
            scratch.text.clone(),
            raw,
        )
    }

    /// Returns the answers of this walk and of the general one to the first colon of `text`
    /// that is behind an opener.
    fn both(text: &[u8]) -> Option<(Option<Answer>, Answer)> {
        let colon = text.iter().position(|&byte| byte == b':')?;
        let scheme = start::scheme_before(text, colon)?;
        let opener = start::opening_before(text, scheme.at);
        let task = Task {
            mode: WalkMode::Quoted(opener.opener.filter(|o| o.char == '"')?),
            start: scheme.at,
            opening: opener.start,
            colon,
            colon_len: 1,
            folded: None,
            abbreviated: false,
            head: LineHead::EMPTY,
        };
        let mut scratch = WalkScratch::default();
        let usual = walk_escaped(text, &mut scratch, &task, text.len());
        let usual = usual.map(|walked| answer(text, &scratch, walked));
        let walked = walk(
            &mut UnitReader::new(text),
            &mut scratch,
            &Config::default(),
            &task,
        );
        Some((usual, answer(text, &scratch, walked)))
    }

    #[test]
    fn usual_values_of_json() {
        for (text, is_usual) in [
            (r#"{"u":"#, false),
            (r#""https:\/\/a.example\/b""#, false),
            (r#""https:\/\/a.example\/b","#, true),
            (r#""http:\/\/a-1.example\/\/b?c=d@:%20","#, true),
            (r#""https:\/\/a.example","#, false),
            (r#""https:\/\/a.example\/b, c","#, false),
            (r#""https:\/\/a.example\/b\"","#, false),
            (r#""https:\/\/a.example\/b\u0026c","#, false),
            (r#""https:\/\/a.example:80\/b","#, false),
            (r#""https:\/\/-a.example\/b","#, false),
            (r#""ftp:\/\/a.example\/b","#, false),
            (r#"\"https:\/\/a.example\/b\","#, false),
        ] {
            let answers = both(text.as_bytes());
            assert_eq!(
                matches!(answers, Some((Some(_), _))),
                is_usual,
                "{text}: {answers:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_general_walk_has_the_same_answer(
            before in select(vec!["\"", "x=\"", "{\"u\":\"", "\\\"", " "]),
            scheme in select(vec!["http", "https", "ftp", "urn"]),
            host in select(vec!["a.example", "a", "1.2.3.4", "a..b", "a.", "a-.b-", "A.b", "-a", "999.1"]),
            pieces in prop::collection::vec(
                select(vec![
                    "\\/", "\\/", "b", "c.d", "?q=1", "@", ":", "%", "%zz", "~", "*", "!", "+", "-", ".",
                    "http:\\/\\/", "//", ",", "$", "\\u0026", "\\\\/", "é", "<", "]", "#", "&",
                ]),
                0..8,
            ),
            after in select(vec!["\"", "\",", "\"\"", "\"\n", "", "\" c", "\"}"]),
        ) {
            let text = format!("{before}{scheme}:\\/\\/{host}\\/{}{after}", pieces.concat());
            if let Some((Some(usual), general)) = both(text.as_bytes()) {
                match general.0 {
                    // Then the text is checked, and does not count.
                    Stop::Void => {
                        let config = Config::default();
                        let checked = shape::check(&usual.3, scheme.len(), &config.opaque);
                        prop_assert_eq!(checked, None, "{}", text);
                    }
                    _ => prop_assert_eq!(usual, general, "{}", text),
                }
            }
        }
    }
}
