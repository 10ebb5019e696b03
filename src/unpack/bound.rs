//! The bounds of the windows of decoders where memory is limited. Each decoder has a
//! bound that follows only from the limit, so that the same input is read in the same
//! way every time. The memory of the whole run is left to the engine.

use crate::item::WindowShortage;

/// Larger windows are rejected under every limit.
pub(crate) const WINDOW_MAX: u64 = 128 << 20;

/// The windows of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    /// The bound for the outermost compression of an input.
    pub outermost: WindowBound,
    /// Inputs that take more wait until they are the first that is read.
    pub share: u64,
    /// The bound for a content coding.
    pub coding: WindowBound,
}

/// The bound of a window: a part of the limit of memory, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowBound {
    limit: Option<u64>,
    parts: u64,
    least: u64,
}

impl Windows {
    /// The windows of a run whose memory is not limited.
    pub(crate) const UNLIMITED: Windows = Windows {
        outermost: WindowBound::UNLIMITED,
        share: u64::MAX,
        coding: WindowBound::UNLIMITED,
    };

    /// Returns the bound and the share for a compression inside `depth` others. All
    /// compressions inside the outermost one share half of its bound.
    pub(super) fn at(&self, depth: usize) -> (WindowBound, u64) {
        match depth as u32 {
            0 => (self.outermost, self.share),
            depth => (self.outermost.halved(depth + 1), self.share >> (depth + 1)),
        }
    }
}

impl WindowBound {
    /// No more than [`WINDOW_MAX`].
    pub(crate) const UNLIMITED: WindowBound = WindowBound {
        limit: None,
        parts: 1,
        least: 0,
    };

    /// One of `parts` parts of `limit`, but no less than `least`.
    pub(crate) fn new(limit: usize, parts: usize, least: u64) -> WindowBound {
        WindowBound {
            limit: Some(limit as u64),
            parts: parts.max(1) as u64,
            least,
        }
    }

    /// The largest window, in bytes.
    pub(crate) fn most(self) -> u64 {
        let part = self.limit.map_or(u64::MAX, |limit| limit / self.parts);
        part.max(self.least).min(WINDOW_MAX)
    }

    /// Returns the bound after it is halved so often.
    pub(super) fn halved(self, times: u32) -> WindowBound {
        WindowBound {
            limit: self.limit,
            parts: self.parts.saturating_mul(1 << times.min(32)),
            least: self.least >> times.min(32),
        }
    }

    /// Returns the shortage of a decoder that needs a window of `needed` bytes.
    pub(super) fn shortage(self, needed: u64) -> WindowShortage {
        WindowShortage {
            needed,
            most: self.most(),
            limit: needed.saturating_mul(self.parts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_a_shortage_is_enough_and_not_more() {
        for (parts, halved) in [(1, 0), (6, 0), (6, 3), (48 * 7, 1)] {
            for needed in [1, 1 << 10, 3 << 20, WINDOW_MAX] {
                let bound = |limit: u64| WindowBound::new(limit as usize, parts, 0).halved(halved);
                let limit = bound(0).shortage(needed).limit;
                assert_eq!(bound(limit).most(), needed);
                assert!(bound(limit - 1).most() < needed);
            }
        }
    }

    #[test]
    fn compressions_in_each_other_stay_within_one_and_a_half_windows() {
        let windows = Windows {
            outermost: WindowBound::new(60 << 20, 6, 0),
            share: 1 << 20,
            ..Windows::UNLIMITED
        };
        let all = (0..9).map(|depth| windows.at(depth));
        let (mosts, shares): (Vec<_>, Vec<_>) =
            all.map(|(bound, share)| (bound.most(), share)).unzip();
        assert_eq!((mosts[0], shares[0]), (10 << 20, 1 << 20));
        assert!(mosts.iter().sum::<u64>() <= 15 << 20);
        assert!(shares.iter().sum::<u64>() <= 3 << 19);
        let (bound, _) = Windows::UNLIMITED.at(7);
        assert_eq!(bound.most(), WINDOW_MAX);
    }
}
