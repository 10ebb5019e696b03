//! For tests: a stream of keys, the answers of a set to it, and a model that gives the
//! right answers.

use crate::dedup::{Answer, Finished, Hasher, Key, Keys, Membership};
use crate::store::{SpillConfig, SpillingSet};
use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;

/// A key that occurs a number of times.
#[derive(Clone, Debug)]
pub(super) struct Sighted {
    pub key: Vec<u8>,
    pub count: u32,
}

/// The state of a key after all batches.
#[derive(Debug, Default)]
struct Truth {
    number: u64,
    count: u64,
    is_resident: bool,
    is_settled: bool,
}

/// Numbers that look random and are always the same ones.
pub(super) fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(2) + 1;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state ^ state >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20
    }
}

/// Returns `len` keys, of which about `distinct` are different.
pub(super) fn keys(seed: u64, len: usize, distinct: u64) -> Vec<Sighted> {
    let mut noise = noise(seed);
    let mut key = || {
        let number = noise() % distinct;
        let tail = "/p".repeat(number as usize % 7);
        Sighted {
            key: format!("http://h{}.example/{number}{tail}", number % 10).into_bytes(),
            count: (noise() % 3 + 1) as u32,
        }
    };
    (0..len).map(|_| key()).collect()
}

/// The record of the key with this number.
pub(super) fn record(number: u64, out: &mut Vec<u8>) {
    let len = number as usize % 9;
    out.extend_from_slice(&number.to_le_bytes()[..]);
    out.extend(std::iter::repeat_n(b'r', len));
}

/// The result of a run.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub resident: usize,
    pub deferred: u64,
    pub settled: u64,
    /// The number of settled keys with a smaller number than the key before them.
    pub descents: u64,
}

/// The way in which keys are passed to a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feed {
    pub batch: usize,
    /// The hashes that the caller passes.
    pub hash: fn(u64) -> u64,
}

/// Has a set answer `sighted`, and asserts that every answer is right.
pub(super) fn run(config: &SpillConfig, sighted: &[Sighted], feed: Feed) -> io::Result<Outcome> {
    let hasher = Hasher::new();
    let mut set = Box::new(SpillingSet::new(config));
    let mut truths: HashMap<&[u8], Truth> = HashMap::new();
    let mut outcome = Outcome::default();
    for (batch, first) in sighted.chunks(feed.batch).zip((0..).step_by(feed.batch)) {
        let (mut bytes, mut keys) = (Vec::new(), Vec::new());
        for (it, number) in batch.iter().zip(0..) {
            let from = bytes.len() as u32;
            bytes.extend_from_slice(&it.key);
            keys.push(Key {
                hash: (feed.hash)(hasher.hash(&it.key)),
                from,
                to: bytes.len() as u32,
                number,
                count: it.count,
            });
        }
        let write = |number: u32, out: &mut Vec<u8>| record(first + u64::from(number), out);
        let mut answers = vec![Answer::Known; keys.len()];
        set.ask(
            &Keys::new(&bytes, &keys).after(first).records(&write),
            &mut answers,
        )?;
        for ((it, number), answer) in batch.iter().zip(first..).zip(answers) {
            let is_first = !truths.contains_key(&it.key[..]);
            let truth = truths.entry(&it.key).or_default();
            truth.count += u64::from(it.count);
            if is_first {
                truth.number = number;
                truth.is_resident = answer == Answer::New;
            }
            let expected = match (truth.is_resident, is_first) {
                (true, true) => Answer::New,
                (true, false) => Answer::Known,
                (false, _) => Answer::Deferred,
            };
            assert_eq!(answer, expected, "{number}");
            outcome.deferred += u64::from(!truth.is_resident) * u64::from(it.count);
        }
    }
    let Finished {
        set,
        deferred,
        charge,
        ..
    } = set.finish()?;
    outcome.resident = set.len();
    for entry in set.entries() {
        let truth = &truths[entry.key];
        assert!(truth.is_resident);
        if config.counting {
            assert_eq!(entry.count, truth.count);
        }
    }
    // A set that does not count is freed before the deferred keys are settled.
    let kept = config.counting.then_some((set, charge));
    let mut last = 0;
    let mut expected = Vec::new();
    if let Some(deferred) = deferred {
        deferred.settle(&mut |late| {
            let truth = truths
                .get_mut(late.entry.key)
                .expect("a key that was deferred");
            assert!(!truth.is_resident && !std::mem::replace(&mut truth.is_settled, true));
            assert_eq!(late.number, truth.number);
            expected.clear();
            if config.records {
                record(late.number, &mut expected);
            }
            assert_eq!(late.entry.record, expected);
            if config.counting {
                assert_eq!(late.entry.count, truth.count);
            }
            outcome.settled += 1;
            outcome.descents += u64::from(late.number < last);
            last = late.number;
            Ok(ControlFlow::Continue(()))
        })?;
    }
    drop(kept);
    let answered = |truth: &Truth| truth.is_resident || truth.is_settled;
    assert!(truths.values().all(answered));
    Ok(outcome)
}
