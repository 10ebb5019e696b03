//! Frames that were read recently, decompressed: those that are asked for often stay.

use super::index::FrameList;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A frame in memory.
#[derive(Clone, Debug)]
pub(super) enum CachedFrame {
    Keys(Arc<Vec<u8>>),
    List(Arc<FrameList>),
}

impl CachedFrame {
    fn memory(&self) -> usize {
        let bytes = match self {
            CachedFrame::Keys(raw) => raw.capacity(),
            CachedFrame::List(list) => list.memory(),
        };
        // With its entry.
        bytes + 64
    }
}

/// The run and the offset of a frame.
type FrameKey = (u64, u64);

/// Frames by their places. When a half is full, the other half is dropped; a frame that is asked
/// for moves to the new half.
#[derive(Debug)]
pub(super) struct FrameCache {
    limit: usize,
    halves: Mutex<[CacheHalf; 2]>,
}

#[derive(Debug, Default)]
struct CacheHalf {
    frames: HashMap<FrameKey, CachedFrame>,
    bytes: usize,
}

impl FrameCache {
    /// Returns a cache of about `limit` bytes.
    pub(super) fn new(limit: usize) -> FrameCache {
        FrameCache {
            limit,
            halves: Mutex::default(),
        }
    }

    pub(super) fn get(&self, key: FrameKey) -> Option<CachedFrame> {
        let mut halves = self.halves();
        if let Some(frame) = halves[0].frames.get(&key) {
            return Some(frame.clone());
        }
        let frame = halves[1].frames.remove(&key)?;
        halves[1].bytes -= frame.memory();
        self.add(&mut halves, key, frame.clone());
        Some(frame)
    }

    pub(super) fn put(&self, key: FrameKey, frame: CachedFrame) {
        self.add(&mut self.halves(), key, frame);
    }

    fn add(&self, halves: &mut [CacheHalf; 2], key: FrameKey, frame: CachedFrame) {
        let bytes = frame.memory();
        if halves[0].bytes + bytes > self.limit / 2 {
            halves.swap(0, 1);
            halves[0] = CacheHalf::default();
        }
        if bytes <= self.limit / 2 && halves[0].frames.insert(key, frame).is_none() {
            halves[0].bytes += bytes;
        }
    }

    fn halves(&self) -> MutexGuard<'_, [CacheHalf; 2]> {
        self.halves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays() {
        let cache = FrameCache::new(20_000);
        let frame = |len| CachedFrame::Keys(Arc::new(vec![0; len]));
        cache.put((0, 0), frame(100));
        for offset in 1..1000 {
            cache.put((1, offset), frame(1000));
            assert!(cache.get((0, 0)).is_some(), "{offset}");
            let bytes: usize = cache.halves().iter().map(|half| half.bytes).sum();
            assert!(bytes <= 20_000);
        }
        assert!(cache.get((1, 1)).is_none() && cache.get((1, 999)).is_some());
        cache.put((2, 0), frame(30_000));
        assert!(cache.get((2, 0)).is_none());
    }
}
