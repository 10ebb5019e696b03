//! The tokens of HTML against html5gum, and those of HTML and XML in windows of any size.
//! The first byte of an input chooses the size; the rest is the markup.

#![no_main]

use libfuzzer_sys::fuzz_target;
use urisieve::escape;

// The tokenizers are private; these are their files.
#[allow(dead_code, unused_imports, reason = "decoders use the rest")]
#[path = "../../src/decode/markup/tokens/mod.rs"]
mod tokens;

#[path = "../../src/decode/markup/tokens/doctype.rs"]
mod doctype;

#[path = "../../src/decode/markup/tokens/laws.rs"]
mod laws;

#[allow(dead_code, reason = "decoders use the rest")]
#[path = "../../src/syntax/masks/near.rs"]
mod near;

use doctype::Declaration;
use tokens::{Attribute, HtmlTokenizer, MarkupToken, TextKind, TokenKind, XmlTokenizer};

/// What the files name in their crate.
mod syntax {
    pub mod masks {
        pub(crate) use crate::near;
    }
    pub mod steps {
        /// Steps are not counted here.
        pub fn count(_len: usize) {}
    }
}

/// The tokens and the attributes of `text` in pieces of this size, with offsets from its
/// start.
macro_rules! tokens {
    ($tokenizer:expr, $text:expr, $piece:expr) => {{
        let (mut tokenizer, text, piece): (_, &[u8], usize) = ($tokenizer, $text, $piece);
        let mut tokens: Vec<(usize, MarkupToken, Vec<Attribute>)> = Vec::new();
        let (mut from, mut to, mut end) = (0, 0, 0);
        loop {
            to = text.len().min(to + piece);
            let window = &text[from..to];
            while let Some(token) = tokenizer.next(window, to == text.len()) {
                assert_eq!(from + token.range.start, end);
                end = from + token.range.end;
                let attributes = match token.kind {
                    TokenKind::Start(_) => tokenizer.attributes().to_vec(),
                    _ => Vec::new(),
                };
                tokens.push((end, in_text(token, from), attributes));
            }
            let len = tokenizer.position();
            tokenizer.forget(len);
            from += len;
            if to == text.len() {
                assert_eq!(end, text.len());
                break tokens;
            }
        }
    }};
}

/// The token with offsets from the start of the text.
fn in_text(mut token: MarkupToken, from: usize) -> MarkupToken {
    let add = |range: &mut std::ops::Range<usize>| *range = range.start + from..range.end + from;
    add(&mut token.range);
    match &mut token.kind {
        TokenKind::Start(tag) => add(&mut tag.name),
        TokenKind::End { name, .. } => add(name),
        TokenKind::Text { data, .. }
        | TokenKind::Comment { data, .. }
        | TokenKind::Doctype { data, .. } => add(data),
        TokenKind::Instruction { target, data } => {
            add(target);
            add(data);
        }
    }
    token
}

fuzz_target!(|data: &[u8]| {
    let Some((&size, text)) = data.split_first() else {
        return;
    };
    laws::same_as_html5gum(text);
    let (piece, whole) = (usize::from(size) + 1, text.len() + 1);
    assert_eq!(
        tokens!(HtmlTokenizer::new(), text, piece),
        tokens!(HtmlTokenizer::new(), text, whole)
    );
    assert_eq!(
        tokens!(XmlTokenizer::new(), text, piece),
        tokens!(XmlTokenizer::new(), text, whole)
    );
});
