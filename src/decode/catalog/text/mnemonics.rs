//! The mnemonics of MARCBreaker in braces: such as `{dollar}`. Unknown mnemonics are
//! unchanged.

use super::characters::{ANSEL, character};
use super::pieces::{TextPiece, TextPieces, WAITING_MAX};

/// The mnemonics of ASCII, and of letters and signs outside ASCII that have no mark.
const SIGNS: &[(&str, char)] = &[
    ("acirc", '\u{E2}'),
    ("aacute", '\u{E1}'),
    ("AElig", '\u{C6}'),
    ("aelig", '\u{E6}'),
    ("agrave", '\u{E0}'),
    ("aring", '\u{E5}'),
    ("ast", '*'),
    ("atilde", '\u{E3}'),
    ("auml", '\u{E4}'),
    ("bsol", '\\'),
    ("ccedil", '\u{E7}'),
    ("circ", '^'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("copy", '\u{A9}'),
    ("deg", '\u{B0}'),
    ("dollar", '$'),
    ("Dstrok", '\u{110}'),
    ("dstrok", '\u{111}'),
    ("eacute", '\u{E9}'),
    ("ecirc", '\u{EA}'),
    ("egrave", '\u{E8}'),
    ("equals", '='),
    ("eth", '\u{F0}'),
    ("euml", '\u{EB}'),
    ("excl", '!'),
    ("flat", '\u{266D}'),
    ("grave", '`'),
    ("gt", '>'),
    ("hyphen", '-'),
    ("iacute", '\u{ED}'),
    ("inodot", '\u{131}'),
    ("iexcl", '\u{A1}'),
    ("iquest", '\u{BF}'),
    ("lcub", '{'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lsqb", '['),
    ("Lstrok", '\u{141}'),
    ("lstrok", '\u{142}'),
    ("lt", '<'),
    ("middot", '\u{B7}'),
    ("ntilde", '\u{F1}'),
    ("num", '#'),
    ("oacute", '\u{F3}'),
    ("OElig", '\u{152}'),
    ("oelig", '\u{153}'),
    ("Ostrok", '\u{D8}'),
    ("ostrok", '\u{F8}'),
    ("ouml", '\u{F6}'),
    ("percnt", '%'),
    ("period", '.'),
    ("phono", '\u{2117}'),
    ("plus", '+'),
    ("plusmn", '\u{B1}'),
    ("pound", '\u{A3}'),
    ("quest", '?'),
    ("quot", '"'),
    ("rcub", '}'),
    ("reg", '\u{AE}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("semi", ';'),
    ("sharp", '\u{266F}'),
    ("sol", '/'),
    ("space", ' '),
    ("szlig", '\u{DF}'),
    ("THORN", '\u{DE}'),
    ("thorn", '\u{FE}'),
    ("tilde", '~'),
    ("uacute", '\u{FA}'),
    ("uuml", '\u{FC}'),
    ("verbar", '|'),
];

/// The mnemonics of marks, which precede their letters, with their codes in ANSEL.
const MARKS: &[(&str, u8)] = &[
    ("acute", 0xE2),
    ("breve", 0xE6),
    ("caron", 0xE9),
    ("cedil", 0xF0),
    ("circle", 0xEA),
    ("dotb", 0xF2),
    ("hcedil", 0xF8),
    ("macr", 0xE5),
    ("ogon", 0xF1),
    ("tildemark", 0xE4),
    ("uml", 0xE8),
    ("under", 0xF6),
];

/// The longest mnemonic, with its braces.
const LONGEST: usize = 12;

/// Decodes UTF-8 with mnemonics.
pub(in crate::decode::catalog) fn decode(raw: &[u8], decoded: &mut TextPieces) {
    let mut marks = Vec::new();
    let mut at = 0;
    for chunk in raw.utf8_chunks() {
        let valid = chunk.valid();
        let mut chars = valid.char_indices();
        while let Some((place, char)) = chars.next() {
            let rest = &valid[place..];
            let (char, len, is_mark) = match mnemonic(rest) {
                Some((found, len, is_mark)) => {
                    // The rest of the mnemonic is ASCII.
                    chars.nth(len - 2);
                    (found, len, is_mark)
                }
                None => (char, char.len_utf8(), false),
            };
            let raw = at + place..at + place + len;
            if is_mark {
                if marks.len() == WAITING_MAX {
                    decoded.append(&mut marks);
                }
                marks.push(TextPiece { char, raw });
                continue;
            }
            decoded.push(char, raw);
            decoded.append(&mut marks);
        }
        at += valid.len();
        let malformed = chunk.invalid().len();
        if malformed > 0 {
            decoded.lose(at..at + malformed);
            at += malformed;
        }
    }
    decoded.append(&mut marks);
}

/// Returns the character of the mnemonic that `text` begins with, its length, and whether
/// it precedes its letter.
fn mnemonic(text: &str) -> Option<(char, usize, bool)> {
    let name = text.strip_prefix('{')?;
    let len = name.bytes().take(LONGEST).position(|byte| byte == b'}')?;
    let name = &name[..len];
    let sign = SIGNS.iter().find(|sign| sign.0 == name);
    let found = match sign {
        Some(&(_, char)) => (char, false),
        None => {
            let mark = MARKS.iter().find(|mark| mark.0 == name)?;
            (character(ANSEL, mark.1)?.char, true)
        }
    };
    Some((found.0, len + 2, found.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mnemonics_are_characters() {
        for (raw, wanted) in [
            ("a{dollar}{lcub}b{rcub}{bsol}", "a${b}\\"),
            ("{acute}e{unknown}{", "e\u{301}{unknown}{"),
            ("{copy}\u{E9}{uml}", "\u{A9}\u{E9}\u{308}"),
        ] {
            let mut pieces = Vec::new();
            let mut decoded = TextPieces {
                pieces: &mut pieces,
                is_lossy: false,
                written: None,
            };
            decode(raw.as_bytes(), &mut decoded);
            let text: String = pieces.iter().map(|piece| piece.char).collect();
            assert_eq!(text, wanted);
        }
    }
}
