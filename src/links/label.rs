//! The A-labels of internationalized host names, by IDNA 2008 (RFC 5891 section 5):
//! stricter than the mapping of UTS 46, which also has symbols.

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_script::{Script, UnicodeScript};

/// Returns the A-label of a label in lower case that is not ASCII; `None` when it is not
/// a U-label.
pub(super) fn a_label(label: &str) -> Option<String> {
    let chars: Vec<char> = label.chars().collect();
    let first = get_general_category(*chars.first()?);
    let is_allowed = (0..chars.len()).all(|at| is_allowed(&chars, at));
    if !is_allowed || is_mark(first) {
        return None;
    }
    let uts46 = Uts46::new();
    let deny = AsciiDenyList::STD3;
    let ascii = uts46.to_ascii(label.as_bytes(), deny, Hyphens::Check, DnsLength::Verify);
    let ascii = ascii.ok()?;
    // A character that is mapped to another one is not in a U-label.
    let (unicode, valid) = uts46.to_unicode(ascii.as_bytes(), deny, Hyphens::Check);
    (valid.is_ok() && unicode == label).then(|| ascii.into_owned())
}

/// Whether the character at `at` is allowed there (RFC 5892), apart from the rules that
/// UTS 46 shares: stability, directions and joiners.
fn is_allowed(chars: &[char], at: usize) -> bool {
    let char = chars[at];
    let is_near = |place: Option<usize>, script: Script| {
        let near = place.and_then(|place| chars.get(place));
        near.is_some_and(|char| char.script() == script)
    };
    let has = |range: std::ops::RangeInclusive<char>| chars.iter().any(|c| range.contains(c));
    let (before, after) = (at.checked_sub(1), Some(at + 1));
    match char {
        '-' | '0'..='9' | 'a'..='z' => true,
        '\0'..='\x7F' => false,
        // Section 2.6, exceptions that are valid.
        'ß' | 'ς' | '\u{6FD}' | '\u{6FE}' | '\u{F0B}' | '\u{3007}' => true,
        // Exceptions that are not.
        '\u{640}' | '\u{7FA}' | '\u{302E}' | '\u{302F}' | '\u{3031}'..='\u{3035}' | '\u{303B}' => {
            false
        }
        // Appendix A: rules of context. The rules of joiners are checked with the whole
        // label.
        '\u{200C}' | '\u{200D}' => true,
        '\u{B7}' => {
            let is_l = |place: Option<usize>| place.and_then(|at| chars.get(at)) == Some(&'l');
            is_l(before) && is_l(after)
        }
        '\u{375}' => is_near(after, Script::Greek),
        '\u{5F3}' | '\u{5F4}' => is_near(before, Script::Hebrew),
        '\u{30FB}' => chars.iter().any(|char| {
            let script = char.script();
            matches!(script, Script::Hiragana | Script::Katakana | Script::Han)
        }),
        '\u{660}'..='\u{669}' => !has('\u{6F0}'..='\u{6F9}'),
        '\u{6F0}'..='\u{6F9}' => !has('\u{660}'..='\u{669}'),
        // Section 2.9, Hangul that is written in letters of syllables.
        '\u{1100}'..='\u{11FF}' | '\u{A960}'..='\u{A97F}' | '\u{D7B0}'..='\u{D7FF}' => false,
        // Section 2.4, blocks of marks for symbols and of music.
        '\u{20D0}'..='\u{20FF}' | '\u{1D100}'..='\u{1D24F}' => false,
        // Section 2.1, letters and digits; capital letters are not stable.
        _ => matches!(
            get_general_category(char),
            GeneralCategory::LowercaseLetter
                | GeneralCategory::OtherLetter
                | GeneralCategory::ModifierLetter
                | GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
                | GeneralCategory::DecimalNumber
        ),
    }
}

fn is_mark(category: GeneralCategory) -> bool {
    matches!(
        category,
        GeneralCategory::NonspacingMark
            | GeneralCategory::SpacingMark
            | GeneralCategory::EnclosingMark
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_idna_2008() {
        for (label, wanted) in [
            ("bücher", Some("xn--bcher-kva")),
            ("straße", Some("xn--strae-oqa")),
            ("例", Some("xn--fsq")),
            ("l·l", Some("xn--ll-0ea")),
            ("ポップ・カルチャー", Some("xn--lck1be4f2a4b2cvhna")),
            ("बिल", Some("xn--p2bm2b")),
            // A symbol, a capital letter, an underscore, a mark first, a wide letter.
            ("☃", None),
            ("Bücher", None),
            ("b_ü", None),
            ("\u{301}a", None),
            ("ａb", None),
            ("a·l", None),
            ("a・b", None),
            ("-ü", None),
            ("ab--ü", None),
            // Digits of two kinds, letters of two directions.
            ("ا\u{660}\u{6F0}", None),
            ("אa", None),
            ("", None),
        ] {
            assert_eq!(a_label(label).as_deref(), wanted, "{label}");
        }
    }
}
