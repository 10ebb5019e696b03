//! Memory for columns whose length is not known before they are filled.

/// The part of a column that is filled: `done` of `all`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub done: usize,
    pub all: usize,
}

impl Part {
    /// Reserves memory for all that `values` will have, and a sixteenth more, if the rest is like
    /// this part. A vector that grows by steps is copied at each of them, into memory that the
    /// kernel must clear.
    pub(crate) fn reserve<T>(self, values: &mut Vec<T>) {
        let expected = (values.len() as u128 * self.all as u128).checked_div(self.done as u128);
        let expected = expected.unwrap_or_default();
        let expected = usize::try_from(expected + expected / 16).unwrap_or_default();
        let more = expected.saturating_sub(values.len());
        // Without it, the values grow by steps.
        let _ = values.try_reserve_exact(more);
    }
}
