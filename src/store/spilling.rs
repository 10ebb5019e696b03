//! A set that defers the keys for which there is no room: they are written to partitions, and
//! the set continues to absorb repeats of the keys in it.

use super::bounded::BoundedSet;
use super::budget::Charge;
use super::partitions::{Occurrence, Partitions};
use super::settling::Settling;
use super::spill_config::SpillConfig;
use crate::dedup::{Answer, Finished, Hasher, Keys, Membership};
use std::io;

/// An exact set that stays within a budget. The keys for which there is no room are
/// deferred, and settled after all batches.
///
/// The set takes memory beyond the budget for the buffers of its partitions, if the budget
/// is used up before the set is as large as they are. While the set settles: the same amount
/// for keys, at least 64 KiB; two blocks; and the buffers of partitions that are too short
/// to be written. Also the lists of blocks, 12 to 24 bytes for each block, and keys that are
/// longer than all of these.
///
/// ```
/// use std::{ops::ControlFlow, sync::Arc};
/// use urisieve::dedup::{Answer, Hasher, Key, Keys, Membership};
/// use urisieve::store::{Budget, ScratchFile, SpillConfig, SpillingSet};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// // There is no memory at all.
/// let config = SpillConfig::new(&file, &Arc::new(Budget::new(0)));
/// let mut set = Box::new(SpillingSet::new(&config));
/// let hash = Hasher::new().hash(b"urn:a:b");
/// let keys = [Key { hash, to: 7, count: 1, ..Key::default() }; 2];
/// let mut answers = [Answer::Known; 2];
/// set.ask(&Keys::new(b"urn:a:b", &keys), &mut answers)?;
/// assert_eq!(answers, [Answer::Deferred; 2]);
/// let mut new = Vec::new();
/// set.finish()?.deferred.unwrap().settle(&mut |late| {
///     new.push(late.entry.key.to_vec());
///     Ok(ControlFlow::Continue(()))
/// })?;
/// assert_eq!(new, [b"urn:a:b"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SpillingSet {
    config: SpillConfig,
    set: BoundedSet,
    /// Taken for the buffers of the partitions before they are needed.
    buffers: Option<Charge>,
    partitions: Option<(Partitions, Hasher)>,
    record: Vec<u8>,
}

impl SpillingSet {
    /// Returns an empty set.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::dedup::Membership;
    /// use urisieve::store::{Budget, ScratchFile, SpillConfig, SpillingSet};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let set = SpillingSet::new(&SpillConfig::new(&file, &Arc::new(Budget::unlimited())));
    /// assert!(Box::new(set).finish()?.set.is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(config: &SpillConfig) -> SpillingSet {
        SpillingSet {
            config: config.clone(),
            set: BoundedSet::new(&config.budget, config.form(), 0),
            buffers: None,
            partitions: None,
            record: Vec::new(),
        }
    }

    /// Takes the memory of the buffers before the set is full, so that the limit holds
    /// afterwards. A set that is no larger than the buffers is not full yet.
    fn reserve_buffers(&mut self) {
        let bytes = self.config.buffers();
        if self.buffers.is_none() && self.set.set().memory() >= bytes {
            let mut charge = Charge::new(&self.config.budget);
            charge.try_grow(bytes);
            self.buffers = Some(charge);
        }
    }

    /// Writes the deferred keys of a batch to their partitions.
    fn defer(&mut self, keys: &Keys, answers: &[Answer]) -> io::Result<()> {
        let SpillConfig {
            partitions: count,
            file,
            budget,
            ..
        } = &self.config;
        let form = self.config.form();
        let (partitions, hasher) = self.partitions.get_or_insert_with(|| {
            let buffers = self.buffers.take();
            let buffers = buffers.unwrap_or_else(|| Charge::new(budget));
            let partitions = Partitions::new(*count, form, file, buffers);
            // All keys of this set may share bits of the caller's hash.
            (partitions, Hasher::new())
        });
        let mut deferred = 0;
        for (key, _) in keys
            .iter()
            .zip(answers)
            .filter(|it| *it.1 == Answer::Deferred)
        {
            let bytes = keys.bytes(key);
            if form.records {
                self.record.clear();
                keys.write_record(key, &mut self.record);
                if !self.config.records {
                    // Of the record only its end is needed.
                    let rest = self.record.len().saturating_sub(form.tail.len());
                    self.record.drain(..rest);
                }
            }
            deferred += u64::from(key.count);
            let occurrence = Occurrence {
                number: keys.number(key),
                count: key.count,
                key: bytes,
                record: &self.record,
            };
            partitions.push(hasher.hash(bytes), occurrence)?;
        }
        self.config.counts.defer(deferred);
        Ok(())
    }
}

impl Membership for SpillingSet {
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        self.set.ask(keys, answers);
        match self.set.is_full() {
            false => self.reserve_buffers(),
            true => self.defer(keys, answers)?,
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        let logs = match self.partitions {
            Some((partitions, _)) => partitions.finish()?,
            None => Vec::new(),
        };
        let (set, charge) = self.set.into_parts();
        let mut finished = Finished::new(set);
        finished.charge = Some(Box::new(charge));
        if !logs.is_empty() {
            finished.deferred = Some(Box::new(Settling::new(self.config, logs)));
        }
        Ok(finished)
    }
}
