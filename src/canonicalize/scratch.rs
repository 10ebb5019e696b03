//! Short-lived text on the stack: a copy of bytes that are about to be overwritten, or
//! another spelling of a host.

use std::fmt;

/// A text about a part of a URI: on the stack, unless it is longer than nearly all URIs.
pub(super) struct Scratch {
    stack: [u8; Scratch::FEW],
    len: usize,
    heap: Vec<u8>,
}

impl Scratch {
    const FEW: usize = 512;

    pub fn new(text: &[u8]) -> Scratch {
        let mut scratch = Scratch {
            stack: [0; Scratch::FEW],
            len: 0,
            heap: Vec::new(),
        };
        scratch.push(text);
        scratch
    }

    /// Appends `text`.
    pub fn push(&mut self, text: &[u8]) {
        let end = self.len + text.len();
        if self.heap.is_empty()
            && let Some(room) = self.stack.get_mut(self.len..end)
        {
            room.copy_from_slice(text);
            self.len = end;
            return;
        }
        if self.heap.is_empty() {
            self.heap.extend_from_slice(&self.stack[..self.len]);
        }
        self.heap.extend_from_slice(text);
    }

    pub fn as_slice(&self) -> &[u8] {
        if self.heap.is_empty() {
            &self.stack[..self.len]
        } else {
            &self.heap
        }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        if self.heap.is_empty() {
            &mut self.stack[..self.len]
        } else {
            &mut self.heap
        }
    }
}

impl fmt::Write for Scratch {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_as_whole_as_a_short_one() {
        for lens in [[0, 3], [511, 1], [512, 1], [300, 300], [513, 0]] {
            let text: Vec<u8> = (0..lens[0] + lens[1]).map(|at| at as u8).collect();
            let (first, second) = text.split_at(lens[0]);
            let mut scratch = Scratch::new(first);
            scratch.push(second);
            assert_eq!(scratch.as_slice(), text, "{lens:?}");
        }
    }
}
