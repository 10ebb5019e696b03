//! The tokens that a tokenizer returns.

use super::marks::ByteMarks;
use super::name::NameKey;
use std::ops::Range;

/// A token. The next one begins where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkupToken {
    /// All its bytes.
    pub range: Range<usize>,
    pub kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A start tag, or an empty-element tag of XML. The tokenizer has its attributes
    /// until the next token.
    Start(StartTag),
    /// An end tag. Its attributes are skipped.
    End { name: Range<usize>, key: NameKey },
    Text {
        kind: TextKind,
        /// Without the marks of a CDATA section.
        data: Range<usize>,
        /// Whether this text continues the one directly before it.
        continues: bool,
    },
    /// A comment, also a "bogus comment" of the HTML Standard.
    Comment {
        /// Without `<!--` and `-->`.
        data: Range<usize>,
        /// Whether this comment continues the one directly before it.
        continues: bool,
    },
    /// A document type declaration.
    Doctype {
        /// From the end of `<!DOCTYPE` to `>`.
        data: Range<usize>,
        /// Whether this declaration continues the one directly before it.
        continues: bool,
    },
    /// A processing instruction; only of XML.
    Instruction {
        target: Range<usize>,
        /// Without the blanks before it, and without `?>`.
        data: Range<usize>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartTag {
    pub name: Range<usize>,
    pub key: NameKey,
    /// Whether the tag ends in `/>`, which in HTML has a meaning in SVG and MathML
    /// only.
    pub self_closing: bool,
    /// Whether the tag is longer than [`super::piece::TAG_MAX`]: its first attributes are known,
    /// its other bytes follow as [`TextKind::Residue`].
    pub cut: bool,
    /// Whether the element belongs to SVG or MathML; always false for XML.
    pub foreign: bool,
    /// Whether the tag is inside a `<template>`; always false for XML.
    pub in_template: bool,
}

/// The kinds of text, by the states of the HTML Standard that read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Text between tags, with character references.
    Data,
    /// `<title>` and `<textarea>`: character references, no tags.
    Rcdata,
    /// `<style>`, `<xmp>`, `<iframe>`, `<noembed>`, `<noframes>`.
    Rawtext,
    Script,
    /// All after `<plaintext>`.
    Plaintext,
    /// A CDATA section.
    Cdata,
    /// Not a text of the document: the remaining bytes of a tag that is too long, a tag
    /// that the end of the input truncates, `</>`.
    Residue,
}

impl TextKind {
    /// Whether character references have a meaning.
    pub fn has_references(self) -> bool {
        matches!(self, TextKind::Data | TextKind::Rcdata)
    }
}

/// An attribute. Its offsets count from the start of the tag: `tag` is the range of the
/// token, or the bytes of this range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub(super) name_at: u32,
    pub(super) name_len: u32,
    pub(super) value_at: u32,
    pub(super) value_len: u32,
    pub quoting: Quoting,
    /// Whether an attribute before it has this name.
    pub repeated: bool,
    /// The marks of its value.
    pub marks: ByteMarks,
}

impl Attribute {
    /// The bytes of the name, as written in the tag.
    pub fn name<'t>(&self, tag: &'t [u8]) -> &'t [u8] {
        &tag[self.name_range(0)]
    }

    /// The bytes of the value, with character references.
    pub fn value<'t>(&self, tag: &'t [u8]) -> &'t [u8] {
        &tag[self.value_range(0)]
    }

    /// The name in the window, for a tag that begins at `start`.
    pub fn name_range(&self, start: usize) -> Range<usize> {
        let at = start + self.name_at as usize;
        at..at + self.name_len as usize
    }

    /// The value in the window, for a tag that begins at `start`.
    pub fn value_range(&self, start: usize) -> Range<usize> {
        let at = start + self.value_at as usize;
        at..at + self.value_len as usize
    }
}

/// The way in which a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// The attribute has only a name; the value is empty.
    Absent,
    Unquoted,
    Single,
    Double,
}
