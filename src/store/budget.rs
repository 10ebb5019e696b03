//! The memory that the sets, sorters and queues of a run may take together. The share of
//! each is left to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A number of bytes of memory that several threads take from.
///
/// ```
/// use urisieve::store::Budget;
/// let budget = Budget::new(100);
/// assert!(budget.try_take(80) && !budget.try_take(21));
/// budget.give(80);
/// assert_eq!((budget.used(), budget.peak()), (0, 80));
/// ```
#[derive(Debug)]
pub struct Budget {
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
}

impl Budget {
    /// Returns a budget of `limit` bytes.
    ///
    /// ```
    /// use urisieve::store::Budget;
    /// assert!(!Budget::new(0).try_take(1));
    /// ```
    pub fn new(limit: usize) -> Budget {
        Budget {
            limit,
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
        }
    }

    /// Returns a budget that is never used up.
    ///
    /// ```
    /// use urisieve::store::Budget;
    /// assert!(Budget::unlimited().try_take(1 << 40));
    /// ```
    pub fn unlimited() -> Budget {
        Budget::new(usize::MAX)
    }

    /// Takes `bytes` if this many are left, and returns whether it did.
    ///
    /// ```
    /// use urisieve::store::Budget;
    /// let budget = Budget::new(10);
    /// assert!(budget.try_take(10) && budget.try_take(0));
    /// assert!(!budget.try_take(1));
    /// ```
    pub fn try_take(&self, bytes: usize) -> bool {
        if bytes == 0 {
            return true;
        }
        let taken = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.limit);
        let order = Ordering::Relaxed;
        match self.used.fetch_update(order, order, taken) {
            Ok(before) => {
                self.peak.fetch_max(before + bytes, order);
                true
            }
            Err(_) => false,
        }
    }

    /// Takes `bytes` even if they are not left.
    ///
    /// ```
    /// use urisieve::store::Budget;
    /// let budget = Budget::new(10);
    /// budget.take(12);
    /// assert_eq!((budget.used(), budget.limit()), (12, 10));
    /// ```
    pub fn take(&self, bytes: usize) {
        if bytes > 0 {
            let before = self.used.fetch_add(bytes, Ordering::Relaxed);
            self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        }
    }

    /// Gives back `bytes` that were taken.
    ///
    /// ```
    /// use urisieve::store::Budget;
    /// let budget = Budget::new(10);
    /// budget.take(10);
    /// budget.give(4);
    /// assert!(budget.try_take(4));
    /// ```
    pub fn give(&self, bytes: usize) {
        if bytes > 0 {
            let before = self.used.fetch_sub(bytes, Ordering::Relaxed);
            debug_assert!(before >= bytes, "more is given back than was taken");
        }
    }

    /// Returns the number of bytes that may be taken together.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of bytes that are taken now.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes that are left now.
    ///
    /// ```
    /// use urisieve::store::Budget;
    /// let budget = Budget::new(10);
    /// budget.take(12);
    /// assert_eq!(budget.left(), 0);
    /// ```
    pub fn left(&self) -> usize {
        self.limit.saturating_sub(self.used())
    }

    /// Returns the largest number of bytes that were taken at one time.
    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }
}

/// Bytes that one user took from a budget. Dropping the charge returns them.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::store::{Budget, Charge};
/// let budget = Arc::new(Budget::new(100));
/// let mut charge = Charge::new(&budget);
/// assert!(charge.try_grow(60) && !charge.try_grow(60));
/// drop(charge);
/// assert_eq!(budget.used(), 0);
/// ```
#[derive(Debug)]
pub struct Charge {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Charge {
    /// Returns a charge of no bytes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, Charge};
    /// assert_eq!(Charge::new(&Arc::new(Budget::new(100))).bytes(), 0);
    /// ```
    pub fn new(budget: &Arc<Budget>) -> Charge {
        Charge {
            budget: Arc::clone(budget),
            bytes: 0,
        }
    }

    /// Takes `bytes` more if this many are left, and returns whether it did.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, Charge};
    /// let mut charge = Charge::new(&Arc::new(Budget::new(100)));
    /// assert!(charge.try_grow(60) && charge.try_grow(40));
    /// assert_eq!(charge.bytes(), 100);
    /// ```
    pub fn try_grow(&mut self, bytes: usize) -> bool {
        let grows = self.budget.try_take(bytes);
        self.bytes += if grows { bytes } else { 0 };
        grows
    }

    /// Changes the charge to `bytes`, even if the budget has fewer bytes left.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, Charge};
    /// let budget = Arc::new(Budget::new(100));
    /// let mut charge = Charge::new(&budget);
    /// charge.set(120);
    /// charge.set(70);
    /// assert_eq!((charge.bytes(), budget.used(), budget.peak()), (70, 70, 120));
    /// ```
    pub fn set(&mut self, bytes: usize) {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.budget.take(more),
            None => self.budget.give(self.bytes - bytes),
        }
        self.bytes = bytes;
    }

    /// Returns a charge of `bytes` of these bytes, or of all if they are fewer.
    pub(super) fn split(&mut self, bytes: usize) -> Charge {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Charge {
            budget: Arc::clone(&self.budget),
            bytes,
        }
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the budget that the bytes are from.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.give(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads that take and give at once never have more than the limit.
    #[test]
    fn the_limit_holds_for_threads() {
        let budget = Arc::new(Budget::new(1000));
        let taken: usize = std::thread::scope(|scope| {
            let worker = |seed: usize| {
                let budget = &budget;
                move || {
                    let mut times = 0;
                    for round in 0..20_000 {
                        let mut charge = Charge::new(budget);
                        times += usize::from(charge.try_grow((seed * 97 + round * 31) % 700 + 1));
                        assert!(budget.used() <= budget.limit());
                    }
                    times
                }
            };
            let workers: Vec<_> = (0..4).map(|seed| scope.spawn(worker(seed))).collect();
            workers.into_iter().map(|w| w.join().unwrap()).sum()
        });
        assert!(taken > 1000, "{taken}");
        assert_eq!(budget.used(), 0);
        assert!(budget.peak() <= 1000 && budget.peak() > 600);
    }

    #[test]
    fn what_overflows_is_not_left() {
        let budget = Budget::new(usize::MAX);
        assert!(budget.try_take(usize::MAX - 1));
        assert!(!budget.try_take(2));
        assert_eq!(budget.left(), 1);
    }
}
