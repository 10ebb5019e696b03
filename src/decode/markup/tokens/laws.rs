//! The tokens of HTML against html5gum, another implementation of the same states: for
//! property tests and fuzzing.

use super::{Declaration, HtmlTokenizer, TextKind, TokenKind};
use crate::escape::{REFERENCE_MAX, References, decode_references};
use html5gum::{State, Token, Tokenizer};
use std::collections::BTreeMap;

/// A token of the Standard: references are decoded, adjacent texts united.
#[derive(Debug, PartialEq, Eq)]
enum Plain {
    Start(Vec<u8>, BTreeMap<Vec<u8>, Vec<u8>>, bool),
    End(Vec<u8>),
    Text(Vec<u8>),
    Comment(Vec<u8>),
    /// Name, public and system identifier, and "force-quirks".
    Doctype(Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>, bool),
}

fn add_text(tokens: &mut Vec<Plain>, text: &[u8]) {
    match tokens.last_mut() {
        _ if text.is_empty() => {}
        Some(Plain::Text(last)) => last.extend_from_slice(text),
        _ => tokens.push(Plain::Text(text.to_vec())),
    }
}

/// The Standard replaces NUL where markup or a raw text is read.
fn without_nul(bytes: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = bytes.split(|&byte| byte == 0).collect();
    parts.join("\u{FFFD}".as_bytes())
}

fn lower(bytes: &[u8]) -> Vec<u8> {
    without_nul(&bytes.to_ascii_lowercase())
}

fn decoded(text: &[u8], mode: References) -> Vec<u8> {
    let mut out = Vec::new();
    decode_references(text, mode, &mut out, |_, _, _, _| {});
    out
}

fn ours(html: &[u8]) -> Vec<Plain> {
    let mut tokenizer = HtmlTokenizer::new();
    let mut tokens = Vec::new();
    while let Some(token) = tokenizer.next(html, true) {
        match token.kind {
            TokenKind::Start(tag) => {
                let bytes = &html[token.range];
                let first = tokenizer.attributes().iter().filter(|a| !a.repeated);
                let attributes = first.map(|attribute| {
                    let value = without_nul(attribute.value(bytes));
                    let value = decoded(&value, References::HtmlAttribute);
                    (lower(attribute.name(bytes)), value)
                });
                let attributes = attributes.collect();
                tokens.push(Plain::Start(
                    lower(&html[tag.name]),
                    attributes,
                    tag.self_closing,
                ));
            }
            TokenKind::End { name, .. } => tokens.push(Plain::End(lower(&html[name]))),
            TokenKind::Text { kind, data, .. } => {
                let data = &html[data];
                let text = match kind {
                    TextKind::Data => decoded(data, References::HtmlText),
                    TextKind::Rcdata => decoded(&without_nul(data), References::HtmlText),
                    TextKind::Residue => Vec::new(),
                    _ => without_nul(data),
                };
                add_text(&mut tokens, &text);
            }
            TokenKind::Comment { data, .. } => {
                tokens.push(Plain::Comment(without_nul(&html[data])));
            }
            TokenKind::Doctype { data, .. } => {
                let read = Declaration::read(&html[data.clone()], data.end < token.range.end);
                tokens.push(Plain::Doctype(
                    read.name.map(lower).unwrap_or_default(),
                    read.public.map(without_nul),
                    read.system.map(without_nul),
                    read.quirks,
                ));
            }
            TokenKind::Instruction { .. } => unreachable!("no instructions in HTML"),
        }
    }
    tokens
}

/// The tokens of html5gum, which has no tree, so that the states are set here.
fn theirs(html: &[u8]) -> Vec<Plain> {
    let mut tokenizer = Tokenizer::new(html);
    let mut tokens = Vec::new();
    while let Some(token) = tokenizer.next() {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let state = match &*tag.name.0 {
                    b"title" | b"textarea" => Some(State::RcData),
                    b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => {
                        Some(State::RawText)
                    }
                    b"script" => Some(State::ScriptData),
                    b"plaintext" => Some(State::PlainText),
                    _ => None,
                };
                if let Some(state) = state {
                    tokenizer.set_state(state);
                }
                let attributes = tag.attributes.into_iter();
                let attributes = attributes.map(|(name, value)| (name.0, value.value.0));
                tokens.push(Plain::Start(
                    tag.name.0,
                    attributes.collect(),
                    tag.self_closing,
                ));
            }
            Token::EndTag(tag) => tokens.push(Plain::End(tag.name.0)),
            Token::String(text) => add_text(&mut tokens, &text.value.0),
            Token::Comment(comment) => tokens.push(Plain::Comment(comment.value.0)),
            Token::Doctype(doctype) => tokens.push(Plain::Doctype(
                doctype.name.0,
                doctype.public_identifier.map(|id| id.0),
                doctype.system_identifier.map(|id| id.0),
                doctype.force_quirks,
            )),
            Token::Error(_) => {}
        }
    }
    tokens
}

/// Our tokens of `html` are those of html5gum. html5gum does not know SVG and MathML, so these
/// are omitted. The first step of the Standard, which normalizes line breaks, is done here.
pub fn same_as_html5gum(html: &[u8]) {
    let contains = |what: &[u8]| {
        let mut windows = html.windows(what.len());
        windows.any(|window| window.eq_ignore_ascii_case(what))
    };
    // Names of attributes may only differ in NUL and its replacement.
    let is_nul_ambiguous = contains(b"\0") && contains("\u{FFFD}".as_bytes());
    let is_foreign = contains(b"<svg") || contains(b"<math");
    if is_foreign || is_nul_ambiguous || html.len() > REFERENCE_MAX && contains(b"&#") {
        return;
    }
    let mut html = html.to_vec();
    let mut before = 0;
    html.retain(|&byte| std::mem::replace(&mut before, byte) != b'\r' || byte != b'\n');
    for byte in &mut html {
        if *byte == b'\r' {
            *byte = b'\n';
        }
    }
    assert_eq!(ours(&html), theirs(&html), "{}", html.escape_ascii());
}
