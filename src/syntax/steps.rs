//! The number of bytes of text that loops read, counted for the tests of law L2, in no
//! other build. A loop over text counts the bytes that it reads; a look at a few bytes
//! is not counted.

/// Counts `_len` more bytes that are read.
#[inline(always)]
pub(crate) fn count(_len: usize) {
    #[cfg(test)]
    counter::STEPS.with(|steps| steps.set(steps.get() + _len));
}

#[cfg(test)]
pub(crate) use counter::of_text;

#[cfg(test)]
mod counter {
    use std::cell::Cell;

    thread_local! {
        pub(super) static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// The number of bytes that `look` reads in a text of `len` bytes, which repeats
    /// `piece` after `start`, on this thread.
    pub(crate) fn of_text(start: &str, piece: &str, len: usize, look: impl FnOnce(&[u8])) -> usize {
        let text = [start, &piece.repeat(len / piece.len())].concat();
        let before = STEPS.get();
        look(text.as_bytes());
        STEPS.get() - before
    }
}
