//! The laws of every set that spills: the answers are exact for every budget; the set
//! takes no more memory than documented, and returns all of it.

use super::many::{Feed, Outcome, Sighted, keys, noise, run};
use crate::dedup::{Answer, Hasher, Key, Keys, Membership};
use crate::store::{Budget, ScratchFile, SpillConfig, SpillingSet};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;

/// The hash itself, and hashes with few or no random bits.
const HASHES: [fn(u64) -> u64; 5] = [
    |hash| hash,
    |_| 0,
    |_| u64::MAX,
    |hash| hash >> 61,
    |hash| hash << 61,
];

const FEED: Feed = Feed {
    batch: 100,
    hash: |hash| hash,
};

const BLOCK: usize = 1 << 10;

fn config(limit: usize, partitions: usize, (counting, records): (bool, bool)) -> SpillConfig {
    let file = Arc::new(ScratchFile::new(std::env::temp_dir()).blocks_of(BLOCK));
    SpillConfig {
        counting,
        records,
        partitions,
        ..SpillConfig::new(&file, &Arc::new(Budget::new(limit)))
    }
}

/// The memory beyond the budget, of one set: that of a pass, of a block that is read with
/// its keys, and of a buffer for each partition at each depth with the list of its blocks.
fn beyond(config: &SpillConfig) -> usize {
    let partitions = config.partitions.max(2);
    let depths = config.counts.depth() as usize + 1;
    let blocks = config.file.bytes_packed() as usize / BLOCK + 1;
    (64 << 10) + 20 * BLOCK + depths * partitions * (BLOCK + 64) + blocks * 24
}

/// Runs, and checks the laws that hold after each run.
#[track_caller]
fn check(config: &SpillConfig, sighted: &[Sighted], feed: Feed) -> Outcome {
    let outcome = run(config, sighted, feed).unwrap();
    let SpillConfig {
        file,
        budget,
        counts,
        ..
    } = config;
    assert_eq!((budget.used(), file.live()), (0, 0));
    assert_eq!(counts.deferred(), outcome.deferred);
    assert_eq!(counts.settled(), outcome.settled);
    assert!(outcome.descents < counts.passes().max(1));
    outcome
}

proptest! {
    #[test]
    fn answers_are_exact(
        seed: u64,
        len in 0usize..4000,
        distinct in 1u64..6000,
        limit in prop_oneof![Just(0), Just(1 << 10), 0usize..300_000],
        partitions in prop_oneof![Just(1usize), Just(2), Just(8)],
        form: (bool, bool),
        kind in 0..HASHES.len(),
        batch in prop_oneof![Just(1usize), 1usize..300, Just(4000)],
    ) {
        let config = config(limit, partitions, form);
        let feed = Feed { batch, hash: HASHES[kind] };
        check(&config, &keys(seed, len, distinct), feed);
        if kind == 0 {
            let most = limit + beyond(&config);
            prop_assert!(config.budget.peak() <= most, "{} > {most}", config.budget.peak());
        }
    }
}

/// Partitions of partitions of partitions.
#[test]
fn partitions_are_divided_again() {
    for form in [(false, false), (false, true), (true, false), (true, true)] {
        for (partitions, depth) in [(1, 3), (2, 3), (8, 2)] {
            let config = config(0, partitions, form);
            let outcome = check(&config, &keys(7, 30_000, 20_000), FEED);
            assert_eq!(outcome.resident, 0);
            let counts = &config.counts;
            assert!(counts.depth() >= depth, "{partitions}: {}", counts.depth());
            // Fewer bytes are written at each depth than at the one before.
            let (packed, passes) = (config.file.bytes_packed(), counts.passes());
            assert!(passes < 200, "{passes}");
            assert!(packed < 30_000 * 70 * (counts.depth() + 1), "{packed}");
            assert!(
                config.budget.peak() <= beyond(&config),
                "{}",
                config.budget.peak()
            );
        }
    }
}

/// All memory of the budget is used, and never more.
#[test]
fn the_budget_is_used_and_kept() {
    for form in [(false, false), (true, false), (true, true)] {
        for limit in [50_000, 200_000, 1 << 20] {
            let config = config(limit, 8, form);
            let outcome = check(&config, &keys(3, 60_000, 40_000), FEED);
            assert!(outcome.resident * 100 > limit / 2, "{}", outcome.resident);
            let peak = config.budget.peak();
            assert!(peak <= limit + beyond(&config), "{peak}");
            // A chunk of keys that does not fit is not begun.
            let unused = 8 * BLOCK + limit / 128;
            assert!(peak >= limit - unused, "{peak}");
        }
    }
    // While keys are added, not a byte beyond.
    let config = config(1 << 20, 8, (false, false));
    let mut set = SpillingSet::new(&config);
    let hasher = Hasher::new();
    let mut first_deferred = None;
    for (it, number) in keys(3, 60_000, 40_000).iter().zip(0u64..) {
        let key = Key {
            hash: hasher.hash(&it.key),
            to: it.key.len() as u32,
            count: 1,
            ..Key::default()
        };
        let (keys, mut answers) = ([key], [Answer::Known]);
        set.ask(&Keys::new(&it.key, &keys).after(number), &mut answers)
            .unwrap();
        if answers == [Answer::Deferred] {
            first_deferred.get_or_insert(number);
        }
        let lists = config.file.bytes_packed() as usize / BLOCK * 24;
        assert!(config.budget.used() <= (1 << 20) + lists, "{number}");
    }
    assert!(first_deferred.is_some());
}

/// Keys that fit are answered at once, without a file.
#[test]
fn what_fits_touches_no_disk() {
    let file = Arc::new(ScratchFile::new("no/such/directory"));
    for limit in [8 << 20, usize::MAX] {
        let config = SpillConfig::new(&file, &Arc::new(Budget::new(limit)));
        let outcome = check(&config, &keys(1, 50_000, 30_000), FEED);
        assert_eq!((outcome.deferred, config.counts.passes()), (0, 0));
    }
    // A few keys that do not fit also stay in memory.
    let config = SpillConfig::new(&file, &Arc::new(Budget::new(0)));
    let outcome = check(&config, &keys(1, 300, 100), FEED);
    assert_eq!((outcome.resident, config.counts.depth()), (0, 1));
}

/// Long keys, keys with any bytes, and the empty key.
#[test]
fn any_bytes_are_a_key() {
    let mut noise = noise(5);
    let special: [&[u8]; 7] = [b"", b"\0", b"\r", b"\0\0", b"\r\n", b"\n", b"a\0b\rc"];
    let mut sighted: Vec<Sighted> = Vec::new();
    for number in 0..400u32 {
        let key = match number % 8 {
            0..6 => special[noise() as usize % special.len()].to_vec(),
            6 => (0..noise() % 300).map(|n| (n % 3) as u8).collect(),
            _ => vec![b'x'; (64 << 10) + noise() as usize % 30 * 1000],
        };
        let count = number % 5 + 1;
        sighted.push(Sighted { key, count });
    }
    for form in [(false, false), (true, true)] {
        for limit in [0, 1 << 10, 100_000, 1 << 20] {
            for (partitions, batch) in [(1, 1), (2, 50), (8, 400)] {
                let config = config(limit, partitions, form);
                check(&config, &sighted, Feed { batch, ..FEED });
            }
        }
    }
}

/// Equal hashes from the caller only cost time.
#[test]
fn equal_hashes_are_divided_all_the_same() {
    for hash in HASHES {
        let config = config(1 << 10, 2, (true, false));
        let feed = Feed { hash, ..FEED };
        check(&config, &keys(9, 12_000, 9000), feed);
        assert!(config.counts.depth() >= 2, "{}", config.counts.depth());
    }
}

/// Several sets, on several threads, share a budget and a file.
#[test]
fn sets_share_a_budget() {
    // The limit is less than one set needs, so the threads may also run one after the
    // other.
    let limit = 200_000;
    let config = config(limit, 4, (true, true));
    thread::scope(|scope| {
        for seed in 0..6 {
            let config = &config;
            scope.spawn(move || {
                run(config, &keys(seed, 12_000, 9000), FEED).unwrap();
            });
        }
    });
    assert_eq!((config.budget.used(), config.file.live()), (0, 0));
    assert!(config.counts.deferred() > 10_000);
    let peak = config.budget.peak();
    assert!(peak <= limit + 6 * beyond(&config), "{peak}");
}

/// The receiver of the settled keys ends the report, and all is freed.
#[test]
fn a_report_may_be_ended() {
    for counting in [false, true] {
        let config = config(0, 2, (counting, false));
        let mut set = Box::new(SpillingSet::new(&config));
        let hasher = Hasher::new();
        for it in keys(2, 9000, 9000) {
            let (hash, to) = (hasher.hash(&it.key), it.key.len() as u32);
            let keys = [Key {
                hash,
                to,
                count: 1,
                ..Key::default()
            }];
            set.ask(&Keys::new(&it.key, &keys), &mut [Answer::Known])
                .unwrap();
        }
        let deferred = set.finish().unwrap().deferred.unwrap();
        let mut left = 1500;
        deferred
            .settle(&mut |_| {
                left -= 1;
                Ok(match left {
                    0 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                })
            })
            .unwrap();
        assert_eq!(left, 0);
        assert_eq!(config.counts.settled(), 1500);
        assert_eq!((config.budget.used(), config.file.live()), (0, 0));
    }
}
