//! Tables of markup and its tokens, in windows of any size.

mod html_tokens;
mod limits;
mod windows;
mod xml_tokens;

use super::piece::Limits;
use super::*;
use crate::escape::REFERENCE_MAX;
use std::ops::Range;

/// The same questions to both tokenizers.
trait Tokens {
    fn next_token(&mut self, window: &[u8], last: bool) -> Option<MarkupToken>;
    fn drop_read(&mut self) -> usize;
    fn list(&self) -> &[Attribute];
    fn marks_of_text(&self) -> ByteMarks;
}

macro_rules! tokens {
    ($($tokenizer:ty: $marks:expr),*) => {
        $(impl Tokens for $tokenizer {
            fn next_token(&mut self, window: &[u8], last: bool) -> Option<MarkupToken> {
                self.next(window, last)
            }
            fn drop_read(&mut self) -> usize {
                let len = self.position();
                self.forget(len);
                len
            }
            fn list(&self) -> &[Attribute] {
                self.attributes()
            }
            fn marks_of_text(&self) -> ByteMarks {
                $marks(self)
            }
        })*
    };
}

tokens!(HtmlTokenizer: HtmlTokenizer::marks, XmlTokenizer: |_| ByteMarks::Unknown);

/// Checks marks against the bytes that they are of.
fn check_marks(marks: ByteMarks, bytes: &[u8]) {
    let has_some = bytes.contains(&b':') || bytes.contains(&b'&');
    assert!(
        marks
            .has_colon_or_reference()
            .is_none_or(|has| has == has_some)
    );
    assert!(marks.may_have_reference() || !bytes.contains(&b'&'));
}

/// Reads `text` in pieces of this size and calls `each` with the window and the token,
/// whose range in the window is checked.
fn read<T: Tokens>(
    tokenizer: &mut T,
    text: &[u8],
    piece: usize,
    mut each: impl FnMut(&T, &[u8], MarkupToken),
) {
    let (mut from, mut to, mut end) = (0, 0usize, 0);
    loop {
        to = to.saturating_add(piece).min(text.len());
        let window = &text[from..to];
        let last = to == text.len();
        while let Some(token) = tokenizer.next_token(window, last) {
            assert_eq!(token.range.start + from, end, "{}", text.escape_ascii());
            end = token.range.end + from;
            each(tokenizer, window, token);
        }
        from += tokenizer.drop_read();
        assert_eq!(from, end);
        if last {
            assert_eq!(end, text.len(), "{}", text.escape_ascii());
            return;
        }
    }
}

/// A token as the tables write it.
fn shown<T: Tokens>(tokenizer: &T, window: &[u8], token: &MarkupToken) -> String {
    let text = |range: &Range<usize>| match std::str::from_utf8(&window[range.clone()]) {
        Ok(text) => text.to_owned(),
        Err(_) => window[range.clone()].escape_ascii().to_string(),
    };
    let dots = |continues: bool| if continues { "…" } else { "" };
    match &token.kind {
        TokenKind::Start(tag) => {
            assert_eq!(tag.key, key(tokenizer, window, &tag.name));
            let mut shown = format!("<{}", text(&tag.name));
            for attribute in tokenizer.list() {
                let start = token.range.start;
                check_marks(attribute.marks, &window[attribute.value_range(start)]);
                shown += if attribute.repeated { " again:" } else { " " };
                shown += &text(&attribute.name_range(start));
                let value = text(&attribute.value_range(start));
                shown += &match attribute.quoting {
                    Quoting::Absent => String::new(),
                    Quoting::Unquoted => format!("={value}"),
                    Quoting::Single => format!("='{value}'"),
                    Quoting::Double => format!("=\"{value}\""),
                };
            }
            for (flag, mark) in [
                (tag.self_closing, " /"),
                (tag.cut, " cut"),
                (tag.foreign, " foreign"),
                (tag.in_template, " template"),
            ] {
                shown += if flag { mark } else { "" };
            }
            shown + ">"
        }
        TokenKind::End { name, key: of } => {
            assert_eq!(*of, key(tokenizer, window, name));
            format!("</{}>", text(name))
        }
        TokenKind::Text {
            kind,
            data,
            continues,
        } => {
            let kind = match kind {
                TextKind::Data => "",
                TextKind::Rcdata => "rcdata:",
                TextKind::Rawtext => "raw:",
                TextKind::Script => "script:",
                TextKind::Plaintext => "plain:",
                TextKind::Cdata => "cdata:",
                TextKind::Residue => "residue:",
            };
            check_marks(tokenizer.marks_of_text(), &window[data.clone()]);
            format!("{}{kind}{}", dots(*continues), text(data))
        }
        TokenKind::Comment { data, continues } => {
            format!("{}!{}", dots(*continues), text(data))
        }
        TokenKind::Doctype { data, continues } => {
            format!("{}doctype:{}", dots(*continues), text(data))
        }
        TokenKind::Instruction { target, data } => format!("?{}:{}", text(target), text(data)),
    }
}

fn key<T: Tokens>(_: &T, window: &[u8], name: &Range<usize>) -> NameKey {
    let exact = std::any::type_name::<T>().contains("Xml");
    match exact {
        true => NameKey::exact(&window[name.clone()]),
        false => NameKey::of(&window[name.clone()]),
    }
}

fn tokens<T: Tokens>(mut tokenizer: T, text: &[u8], piece: usize) -> Vec<String> {
    let mut tokens = Vec::new();
    read(&mut tokenizer, text, piece, |tokenizer, window, token| {
        tokens.push(shown(tokenizer, window, &token));
    });
    tokens
}

#[track_caller]
fn check<T: Tokens>(new: impl Fn() -> T, text: &str, expected: &str) {
    for piece in [usize::MAX, 1, 2, 3, 7] {
        let tokens = tokens(new(), text.as_bytes(), piece);
        assert_eq!(tokens.join("|"), expected, "{text} in pieces of {piece}");
    }
}

#[track_caller]
fn html(text: &str, expected: &str) {
    check(HtmlTokenizer::new, text, expected);
}

#[track_caller]
fn xml(text: &str, expected: &str) {
    check(XmlTokenizer::new, text, expected);
}

const SMALL: Limits = Limits {
    tag: 100,
    text: 2 * REFERENCE_MAX,
};

fn small_html() -> HtmlTokenizer {
    let mut tokenizer = HtmlTokenizer::new();
    tokenizer.token.limits = SMALL;
    tokenizer
}

fn small_xml() -> XmlTokenizer {
    let mut tokenizer = XmlTokenizer::new();
    tokenizer.token.limits = SMALL;
    tokenizer
}
