//! The losses of an input until they are reported. While it is not known whether the
//! bytes before a loss are text that is searched, losses wait; only a limited number of
//! them, because an input may consist only of damage.

use crate::item::{Damage, LossKind};

/// The greatest number of losses that wait; further ones are reported without a range
/// of text.
pub(super) const WAITING_MAX: usize = 4096;

/// Losses that were not reported yet, each with its offset in the stored input.
#[derive(Default)]
pub(super) struct WaitingLosses {
    waiting: Vec<(u64, LossKind)>,
    /// The number of losses that waited.
    waited: usize,
}

impl WaitingLosses {
    /// Adds losses. `is_known` means that the text around them is known to be searched.
    pub(super) fn extend(
        &mut self,
        losses: impl IntoIterator<Item = (u64, LossKind)>,
        is_known: bool,
    ) {
        for (at, kind) in losses {
            self.waited += usize::from(!is_known);
            let too_many = !is_known && self.waited > WAITING_MAX;
            if too_many && self.waited == WAITING_MAX + 1 {
                self.forget_text();
            }
            let kind = if too_many { kind.without_text() } else { kind };
            self.waiting.push((at, kind));
        }
    }

    /// Adds a loss of the whole of `container` from `at` on.
    pub(super) fn name(
        &mut self,
        at: u64,
        (container, cause): (&'static str, &'static str),
        kind: fn(Damage) -> LossKind,
    ) {
        self.waiting
            .push((at, kind(Damage::new(container, cause, at))));
    }

    /// Says that the text so far is not searched, because it is compressed itself.
    pub(super) fn forget_text(&mut self) {
        for (_, kind) in &mut self.waiting {
            *kind = kind.without_text();
        }
    }

    /// Takes the losses that may be reported.
    pub(super) fn take(&mut self, is_known: bool) -> Vec<(u64, LossKind)> {
        match is_known || self.waited > WAITING_MAX {
            true => std::mem::take(&mut self.waiting),
            false => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(at: u64) -> (u64, LossKind) {
        let mut damage = Damage::new("gzip", "x", at);
        damage.text = Some((0, at));
        (at, LossKind::Damaged(damage))
    }

    fn has_text(losses: &[(u64, LossKind)]) -> bool {
        let of = |kind: &LossKind| kind.damage().is_some_and(|damage| damage.text.is_some());
        losses.iter().any(|(_, kind)| of(kind))
    }

    #[test]
    fn a_limited_number_waits() {
        let count = WAITING_MAX as u64;
        for step in [1, 7, count + 1, 3 * count] {
            let mut losses = WaitingLosses::default();
            let mut taken = Vec::new();
            for at in 0..3 * count {
                losses.extend([loss(at)], false);
                if at % step == 0 {
                    taken.extend(losses.take(false));
                }
                assert!(taken.len() as u64 > at || step > 1 || at < count);
            }
            taken.extend(losses.take(true));
            assert!(!has_text(&taken));
            assert!(taken.iter().map(|loss| loss.0).eq(0..3 * count));
        }
    }

    #[test]
    fn few_losses_wait_and_keep_their_text() {
        let mut losses = WaitingLosses::default();
        losses.extend([loss(1), loss(2)], false);
        assert!(losses.take(false).is_empty());
        losses.extend([loss(3)], true);
        let taken = losses.take(true);
        assert!(taken.len() == 3 && has_text(&taken));
    }
}
