//! The text of a walk: a slice of the input up to the first unit that decodes to other
//! bytes, then a copy with a map back to the input.

use super::CandidateWalk;
use crate::item::Encoding;
use crate::syntax::iri;

impl CandidateWalk<'_, '_> {
    /// Returns the decoded text so far.
    pub(super) fn text(&self) -> &[u8] {
        if self.decoded {
            &self.scratch.text
        } else {
            &self.reader.text[self.start..self.at]
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text().len()
    }

    pub(super) fn last_byte(&self) -> Option<u8> {
        match self.skipping {
            None => self.text().last().copied(),
            Some(last) => u8::try_from(last).ok(),
        }
    }

    /// Returns the last character of the text; NUL when the text does not end in one.
    pub(super) fn last_char(&self) -> char {
        if let Some(last) = self.skipping {
            return last;
        }
        let text = self.text();
        let tail = &text[text.len().saturating_sub(4)..];
        (0..tail.len())
            .rev()
            .find(|&i| tail[i] & 0xC0 != 0x80)
            .and_then(|i| iri::decode(&tail[i..]))
            .map_or('\0', |(last, _)| last)
    }

    /// Appends `len` raw bytes unchanged.
    pub(super) fn push_raw(&mut self, len: usize) {
        if let Some(last) = &mut self.skipping {
            let raw = &self.reader.text[self.at..self.at + len];
            self.asks |= raw.contains(&b'?');
            if let Some(&byte) = self.reader.text[..self.at + len].last().filter(|_| len > 0) {
                *last = byte as char;
            }
        } else if self.decoded {
            let raw = &self.reader.text[self.at..self.at + len];
            let at = self.scratch.text.len();
            self.scratch.map.push(at, self.at as u64, Encoding::Raw);
            self.scratch.text.extend_from_slice(raw);
        }
        self.at += len;
    }

    /// Appends `bytes`, which one unit of `len` raw bytes encodes.
    pub(super) fn push(&mut self, bytes: &[u8], len: usize) {
        if self.skipping.is_some() {
            self.skipping = iri::decode(bytes).map(|(last, _)| last).or(self.skipping);
            self.asks |= bytes == b"?";
            self.at += len;
            return;
        }
        if bytes.len() == len {
            return self.push_raw(len);
        }
        self.push_spelled(bytes, len);
    }

    /// Appends `bytes`, which one unit of `len` raw bytes encodes; the raw bytes differ
    /// from `bytes`.
    pub(super) fn push_spelled(&mut self, bytes: &[u8], len: usize) {
        if self.skipping.is_some() {
            self.skipping = bytes.last().map(|&last| last as char);
            self.at += len;
            return;
        }
        self.make_decoded();
        let at = self.scratch.text.len();
        let [unit_len, raw_len] = [bytes.len(), len].map(|len| len as u32);
        self.scratch
            .map
            .push_unit(at, self.at as u64, unit_len, raw_len);
        self.scratch.text.extend_from_slice(bytes);
        self.at += len;
    }

    /// Continues at the raw offset `at`; the bytes before it do not belong to the text.
    pub(super) fn skip_to(&mut self, at: usize) {
        self.make_decoded();
        self.at = at;
    }

    pub(super) fn make_decoded(&mut self) {
        if !self.decoded {
            let raw = &self.reader.text[self.start..self.at];
            self.scratch.text.extend_from_slice(raw);
            self.scratch.map.push(0, self.start as u64, Encoding::Raw);
            self.decoded = true;
        }
    }

    /// Ends the candidate at the text offset `text_len`.
    pub(super) fn cut_to(&mut self, text_len: usize) {
        self.at = if self.decoded {
            match text_len < self.scratch.text.len() {
                true => self.scratch.places().raw(text_len) as usize,
                false => self.at,
            }
        } else {
            self.start + text_len
        };
        self.shorten(text_len);
    }

    pub(super) fn shorten(&mut self, text_len: usize) {
        self.skipping = None;
        if self.decoded {
            self.scratch.text.truncate(text_len);
            self.scratch.map.truncate(text_len);
        }
    }
}
