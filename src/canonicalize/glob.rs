//! Globs for names of parameters. Names are percent-decoded before they are compared,
//! so that the result is the same at every level.

use crate::syntax::pct;

/// A glob for names of parameters.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Vec<Token>);

#[derive(Clone, Copy, Debug)]
enum Token {
    Byte(u8),
    /// `?`: one character.
    One,
    /// `*`: any number of bytes.
    Any,
}

impl Pattern {
    pub(super) fn new(glob: &str) -> Pattern {
        let mut bytes = PctDecoded(glob.as_bytes());
        let mut tokens = Vec::new();
        while let Some(first) = bytes.0.first() {
            let plain = *first;
            let Some(byte) = bytes.next() else { break };
            tokens.push(match plain {
                b'*' => Token::Any,
                b'?' => Token::One,
                _ => Token::Byte(byte),
            });
        }
        Pattern(tokens)
    }

    /// Whether the glob matches the whole name. Of several `*` only the last one has to
    /// be tried again with another length.
    pub(super) fn is_match(&self, name: &[u8]) -> bool {
        let mut name = PctDecoded(name);
        let mut at = 0;
        let mut retry: Option<(usize, PctDecoded)> = None;
        loop {
            let mut after = name;
            match (self.0.get(at), after.next()) {
                (None, None) => return true,
                (Some(Token::Any), _) => {
                    at += 1;
                    retry = Some((at, name));
                    continue;
                }
                (Some(Token::Byte(byte)), Some(next)) if *byte == next => {
                    (name, at) = (after, at + 1);
                    continue;
                }
                (Some(Token::One), Some(_)) => {
                    after.skip_continuation();
                    (name, at) = (after, at + 1);
                    continue;
                }
                _ => {}
            }
            let Some((from, rest)) = &mut retry else {
                return false;
            };
            if rest.next().is_none() {
                return false;
            }
            (at, name) = (*from, *rest);
        }
    }
}

/// The bytes of a text with every well-formed `%XX` decoded once.
#[derive(Clone, Copy)]
pub(super) struct PctDecoded<'t>(pub &'t [u8]);

impl Iterator for PctDecoded<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        if byte == b'%'
            && let [high, low, tail @ ..] = rest
            && let (Some(high), Some(low)) = (pct::hex_value(*high), pct::hex_value(*low))
        {
            self.0 = tail;
            return Some(high << 4 | low);
        }
        self.0 = rest;
        Some(byte)
    }
}

impl PctDecoded<'_> {
    /// Skips the continuation bytes of a UTF-8 character.
    fn skip_continuation(&mut self) {
        let mut after = *self;
        while matches!(after.next(), Some(0x80..=0xBF)) {
            *self = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition of a glob, as a recursion.
    fn by_the_letter(glob: &[u8], name: &[u8]) -> bool {
        match glob {
            [] => name.is_empty(),
            [b'*', rest @ ..] => (0..=name.len()).any(|skip| by_the_letter(rest, &name[skip..])),
            [b'?', rest @ ..] => !name.is_empty() && by_the_letter(rest, &name[1..]),
            [byte, rest @ ..] => name.first() == Some(byte) && by_the_letter(rest, &name[1..]),
        }
    }

    #[test]
    fn globs() {
        for (glob, name, expect) in [
            ("utm_*", "utm_", true),
            ("utm_*", "UTM_x", false),
            ("?", "%C3%A9", true),
            ("?", "\u{e9}", true),
            ("??", "\u{e9}", false),
            ("a%2A", "a*", true),
            ("a%2A", "ab", false),
            ("%zz", "%zz", true),
            ("a%2fb", "a%2Fb", true),
            ("a/b", "a%2Fb", true),
            ("a+b", "a%20b", false),
        ] {
            assert_eq!(
                Pattern::new(glob).is_match(name.as_bytes()),
                expect,
                "{glob} {name}"
            );
        }
    }

    proptest! {
        #[test]
        fn globs_match_by_the_letter(glob in "[ab?*]{0,8}", name in "[ab]{0,10}") {
            let expect = by_the_letter(glob.as_bytes(), name.as_bytes());
            prop_assert_eq!(Pattern::new(&glob).is_match(name.as_bytes()), expect);
        }
    }
}
