//! A part of a text with percent-encoding or Base64 undone once (I13), and where each of its
//! bytes was read from.

use crate::item::{Problem, Problems};
use crate::syntax::{base64, iri, pct, steps};
use std::ops::Range;

/// A text in which URIs are looked for.
#[derive(Clone, Copy)]
pub(super) struct LayerView<'t> {
    pub text: &'t [u8],
    /// The layer that it is; `None` for the text of the outer URI.
    pub layer: Option<&'t InnerLayer>,
}

impl LayerView<'_> {
    /// Returns the offset in the outer URI from which the byte at `at` was read; at the end of
    /// the text, that of its end.
    pub(super) fn outer(&self, at: usize) -> usize {
        self.layer.map_or(at, |layer| layer.starts[at] as usize)
    }

    /// Whether a byte of the range is not in the text above as it is here.
    pub(super) fn is_new(&self, range: Range<usize>) -> bool {
        let end = range.end.min(self.text.len());
        self.layer
            .is_none_or(|layer| layer.undone[range.start..end].contains(&true))
    }
}

/// A decoded text.
#[derive(Clone, Debug, Default)]
pub(super) struct InnerLayer {
    pub text: Vec<u8>,
    /// The offset in the outer URI from which each byte was read, and that of the end.
    pub starts: Vec<u32>,
    /// Whether each byte was decoded here.
    undone: Vec<bool>,
    /// The problems of what was decoded.
    pub problems: Problems,
    /// Decoded bytes, before those that no URI may have are encoded.
    bytes: Vec<u8>,
}

impl InnerLayer {
    pub(super) fn view(&self) -> LayerView<'_> {
        LayerView {
            text: &self.text,
            layer: Some(self),
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.starts.clear();
        self.undone.clear();
        self.problems = Problems::NONE;
    }

    fn push(&mut self, byte: u8, start: usize, undone: bool) {
        self.text.push(byte);
        self.starts.push(start as u32);
        self.undone.push(undone);
    }

    /// Decodes the escapes of a part of `above` once, except those of bytes that no URI may
    /// have; returns whether there are any.
    pub(super) fn undo_percent(&mut self, above: &LayerView, range: Range<usize>) -> bool {
        self.clear();
        steps::count(range.len());
        let (text, mut at) = (&above.text[..range.end], range.start);
        if memchr::memchr(b'%', &text[at..]).is_none() {
            return false;
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        while at < text.len() {
            bytes.clear();
            while let Some(byte) = escape(&text[at + 3 * bytes.len()..]) {
                bytes.push(byte);
            }
            if bytes.is_empty() {
                self.push(text[at], above.outer(at), false);
                at += 1;
            }
            each_char(&bytes, |char, is_kept| {
                for &byte in char {
                    if is_kept {
                        self.push(byte, above.outer(at), true);
                    } else {
                        for (number, &written) in text[at..at + 3].iter().enumerate() {
                            self.push(written, above.outer(at + number), false);
                        }
                    }
                    at += 3;
                }
            });
        }
        self.bytes = bytes;
        self.starts.push(above.outer(at) as u32);
        self.undone.contains(&true)
    }

    /// Decodes a part of `above` that is Base64 as a whole; returns whether it is. Bytes that no
    /// URI may have are percent-encoded, blanks at the end are left out.
    pub(super) fn undo_base64(&mut self, above: &LayerView, range: Range<usize>) -> bool {
        self.clear();
        steps::count(range.len());
        let digits = base64::without_padding(&above.text[range.clone()]);
        // The last digit alone is no byte: the rest is missing.
        let whole = digits.len() - usize::from(digits.len() % 4 == 1);
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        let is_base64 = digits.iter().all(|&digit| base64::digit(digit).is_some())
            && base64::decode(&digits[..whole], &mut bytes).is_some();
        if is_base64 {
            if whole < digits.len() {
                self.problems |= Problem::Cut;
            }
            bytes.truncate(bytes.trim_ascii_end().len());
            let mut number = 0;
            each_char(&bytes, |char, is_kept| {
                for &byte in char {
                    let start = above.outer(range.start + number * 4 / 3);
                    number += 1;
                    if is_kept {
                        self.push(byte, start, true);
                    } else {
                        self.problems |= Problem::BadChar;
                        for byte in pct::encoded(byte) {
                            self.push(byte, start, true);
                        }
                    }
                }
            });
            self.starts.push(above.outer(range.end) as u32);
        }
        self.bytes = bytes;
        is_base64
    }
}

/// Returns the byte of the escape at the start of `text`.
fn escape(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else {
        return None;
    };
    Some(pct::hex_value(*high)? << 4 | pct::hex_value(*low)?)
}

/// Calls `each` with the bytes of each character, and whether a URI may have it; with bytes that
/// are not UTF-8 as if they were characters that no URI may have.
fn each_char(bytes: &[u8], mut each: impl FnMut(&[u8], bool)) {
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let is_kept = iri::is_decoded(char);
            each(char.encode_utf8(&mut buffer).as_bytes(), is_kept);
        }
        if !chunk.invalid().is_empty() {
            each(chunk.invalid(), false);
        }
    }
}
