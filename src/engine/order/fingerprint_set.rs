//! A set of fingerprints: another set has these in place of the keys. A key that this set
//! defers goes along in its record, and comes back with the answer.

use crate::dedup::{Answer, Deferred, Entry, FINGERPRINT_LEN, Finished, Key, Keys};
use crate::dedup::{Late, LateReceiver, Membership};
use std::io;

/// The number of keys that the other set is asked at a time.
const BATCH: usize = 512;

/// A set that takes two keys with the same fingerprint for one. Each batch is in the order
/// of its keys' numbers. The keys of the finished set are fingerprints, those that were
/// deferred are themselves.
pub(in crate::engine) struct FingerprintSet<F> {
    set: Box<dyn Membership>,
    fingerprint: F,
    /// Whether deferred keys come back with their records.
    records: bool,
    bytes: Vec<u8>,
    keys: Vec<Key>,
}

impl<F: Fn(&[u8]) -> [u8; FINGERPRINT_LEN]> FingerprintSet<F> {
    /// Returns a set that keeps the fingerprints in `set`, which is empty, does not count,
    /// and keeps the records of deferred keys.
    pub(in crate::engine) fn new(set: Box<dyn Membership>, fingerprint: F, records: bool) -> Self {
        FingerprintSet {
            set,
            fingerprint,
            records,
            bytes: Vec::new(),
            keys: Vec::new(),
        }
    }
}

impl<F: Fn(&[u8]) -> [u8; FINGERPRINT_LEN] + Send> Membership for FingerprintSet<F> {
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        let first = keys.number(&Key::default());
        let list = keys.iter().as_slice();
        for (list, answers) in list.chunks(BATCH).zip(answers.chunks_mut(BATCH)) {
            self.bytes.clear();
            self.keys.clear();
            for key in list {
                let fingerprint = (self.fingerprint)(keys.bytes(key));
                let from = self.bytes.len();
                self.bytes.extend_from_slice(&fingerprint);
                // The hashes of equal fingerprints must also be equal.
                let hash = fingerprint
                    .first_chunk()
                    .map_or(0, |h| u64::from_le_bytes(*h));
                self.keys.push(Key {
                    hash,
                    from: from as u32,
                    to: self.bytes.len() as u32,
                    ..*key
                });
            }
            let records = self.records;
            let record = |number: u32, out: &mut Vec<u8>| {
                if let Ok(at) = list.binary_search_by_key(&number, |key| key.number) {
                    let key = keys.bytes(&list[at]);
                    out.extend_from_slice(&(key.len() as u32).to_le_bytes());
                    out.extend_from_slice(key);
                    if records {
                        keys.write_record(&list[at], out);
                    }
                }
            };
            let keys = Keys::new(&self.bytes, &self.keys).after(first);
            self.set.ask(&keys.records(&record), answers)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        let mut finished = self.set.finish()?;
        if let Some(deferred) = finished.deferred.take() {
            finished.deferred = Some(Box::new(KeysInRecords(deferred)));
        }
        Ok(finished)
    }
}

/// Deferred fingerprints, each with a record that begins with the key.
struct KeysInRecords(Box<dyn Deferred>);

impl Deferred for KeysInRecords {
    fn settle(self: Box<Self>, new: LateReceiver<'_>) -> io::Result<()> {
        self.0.settle(&mut |late| {
            let (key, record) = split(late.entry.record);
            let entry = Entry {
                key,
                record,
                ..late.entry
            };
            new(Late { entry, ..late })
        })
    }
}

/// Returns the key at the start of a record, and the rest.
fn split(record: &[u8]) -> (&[u8], &[u8]) {
    let (len, rest) = record.split_first_chunk().unwrap_or((&[0; 4], &[]));
    rest.split_at((u32::from_le_bytes(*len) as usize).min(rest.len()))
}

#[cfg(all(test, feature = "store"))]
mod tests {
    use super::*;
    use crate::dedup::{Fingerprinter, Hasher, Set};
    use crate::store::{Budget, ScratchFile, SpillConfig, SpillingSet};
    use std::collections::HashSet;
    use std::ops::ControlFlow;
    use std::sync::Arc;

    /// A set that takes at most `memory` bytes.
    fn limited(memory: usize) -> Box<dyn Membership> {
        let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
        Box::new(SpillingSet::new(&SpillConfig {
            records: true,
            ..SpillConfig::new(&file, &Arc::new(Budget::new(memory)))
        }))
    }

    /// Asks for each key of `texts`, whose numbers are odd, after 1000 others. Returns the
    /// numbers of those that are new, and the late ones with their keys and records.
    fn ask(
        mut set: Box<dyn Membership>,
        texts: &[String],
    ) -> (Vec<u64>, Vec<(u64, String, String)>) {
        let (hasher, mut bytes, mut keys) = (Hasher::new(), Vec::new(), Vec::new());
        for (number, text) in texts.iter().enumerate() {
            let from = bytes.len() as u32;
            bytes.extend_from_slice(text.as_bytes());
            keys.push(Key {
                hash: hasher.hash(text.as_bytes()),
                from,
                to: bytes.len() as u32,
                number: 2 * number as u32 + 1,
                count: 1,
            });
        }
        let record = |number: u32, out: &mut Vec<u8>| {
            out.extend_from_slice(format!("record {number}").as_bytes());
        };
        let mut answers = vec![Answer::Known; keys.len()];
        let batch = Keys::new(&bytes, &keys).after(1000).records(&record);
        set.ask(&batch, &mut answers).unwrap();
        let answered = keys.iter().zip(answers);
        let new = answered.filter(|(_, answer)| *answer == Answer::New);
        let new = new.map(|(key, _)| batch.number(key)).collect();
        let mut late = Vec::new();
        if let Some(deferred) = set.finish().unwrap().deferred {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            let receive: LateReceiver = &mut |it: Late| {
                late.push((it.number, text(it.entry.key), text(it.entry.record)));
                Ok(ControlFlow::Continue(()))
            };
            deferred.settle(receive).unwrap();
        }
        late.sort();
        (new, late)
    }

    fn texts() -> Vec<String> {
        let text = |n: usize| format!("urn:a-b:{}{}", n * 7919 % 3001, "x".repeat(n % 3001 % 90));
        (0..6000).map(text).collect()
    }

    /// Some of the keys are deferred: every key is reported once, at its first occurrence,
    /// with its own bytes and record.
    #[test]
    fn deferred_keys_come_back() {
        let texts = texts();
        let (wanted, late) = ask(Box::new(Set::new()), &texts);
        assert_eq!((wanted.len(), late), (3001, Vec::new()));
        for memory in [0, 10_000, 60_000, 1 << 20] {
            for records in [false, true] {
                let fingerprinter = Fingerprinter::new();
                let fingerprint = move |key: &[u8]| fingerprinter.of(key);
                let set = FingerprintSet::new(limited(memory), fingerprint, records);
                let (new, late) = ask(Box::new(set), &texts);
                assert_eq!(late.is_empty(), memory == 1 << 20, "{memory}");
                for (number, key, record) in &late {
                    let number = number - 1000;
                    assert_eq!(*key, texts[number as usize / 2]);
                    let wanted = format!("record {number}");
                    assert_eq!(record, if records { &wanted[..] } else { "" });
                }
                let late = late.iter().map(|it| it.0);
                let mut all: Vec<u64> = new.into_iter().chain(late).collect();
                all.sort_unstable();
                assert_eq!(all, wanted, "{memory} {records}");
            }
        }
    }

    /// Keys are one when their fingerprints are, whatever their bytes and hashes are.
    #[test]
    fn nothing_but_fingerprints_is_compared() {
        let texts = texts();
        let broken = |_: &[u8]| [7; FINGERPRINT_LEN];
        let last_byte = |key: &[u8]| [*key.last().unwrap(); FINGERPRINT_LEN];
        let ends: HashSet<_> = texts.iter().map(|text| text.as_bytes().last()).collect();
        assert!(ends.len() > 3);
        for memory in [0, 1 << 20] {
            let set = FingerprintSet::new(limited(memory), broken, false);
            let (new, late) = ask(Box::new(set), &texts);
            assert_eq!(new.len() + late.len(), 1, "{memory}");
            let set = FingerprintSet::new(limited(memory), last_byte, false);
            let (new, late) = ask(Box::new(set), &texts);
            assert_eq!(new.len() + late.len(), ends.len(), "{memory}");
        }
        let set = FingerprintSet::new(Box::new(Set::new()), broken, false);
        assert_eq!(ask(Box::new(set), &texts), (vec![1001], Vec::new()));
    }
}
