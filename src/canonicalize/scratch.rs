//! A short-lived copy of bytes that are about to be overwritten.

/// A copy of a part of a URI: on the stack, unless it is longer than nearly all URIs.
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
        match scratch.stack.get_mut(..text.len()) {
            Some(copy) => {
                copy.copy_from_slice(text);
                scratch.len = text.len();
            }
            None => scratch.heap = text.to_vec(),
        }
        scratch
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
