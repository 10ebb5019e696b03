//! Every read and every write fails once: the error is returned, no answer is wrong,
//! and no file or memory remains in use.

use super::faulty::{Faulty, Mishap};
use super::many::{Feed, Outcome, keys, run};
use crate::store::{Budget, ScratchFile, Sorter, SpillConfig, StoreAction, StoreError};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const FEED: Feed = Feed {
    batch: 100,
    hash: |hash| hash,
};

/// A set that spills at two depths.
fn config(mishap: Mishap, counting: bool) -> (SpillConfig, Faulty) {
    let medium = Faulty::new(mishap);
    let file = ScratchFile::on(medium.clone(), "/scratch").blocks_of(4 << 10);
    let config = SpillConfig {
        counting,
        records: counting,
        partitions: 2,
        ..SpillConfig::new(&Arc::new(file), &Arc::new(Budget::new(20_000)))
    };
    (config, medium)
}

fn spill(mishap: Mishap, counting: bool) -> (io::Result<Outcome>, Faulty) {
    let (config, medium) = config(mishap, counting);
    let outcome = run(&config, &keys(4, 9000, 9000), FEED);
    assert_eq!((config.budget.used(), config.file.live()), (0, 0));
    assert!(outcome.is_err() || config.counts.depth() >= 2);
    (outcome, medium)
}

fn sort(mishap: Mishap) -> (io::Result<Vec<u32>>, Faulty) {
    let medium = Faulty::new(mishap);
    let file = ScratchFile::on(medium.clone(), "/scratch").blocks_of(2 << 10);
    let (file, budget) = (Arc::new(file), Arc::new(Budget::new(0)));
    let sorted = || {
        let mut sorter = Sorter::new(&file, &budget, |a, b| a.cmp(b));
        sorter.least = 32 << 10;
        for number in 0..10_000u32 {
            sorter.push(&(number * 7919 % 10_000).to_be_bytes())?;
        }
        let (mut sorted, mut numbers) = (sorter.finish()?, Vec::new());
        while let Some(entry) = sorted.next()? {
            numbers.push(u32::from_be_bytes(entry.try_into().unwrap()));
        }
        Ok(numbers)
    };
    let numbers = sorted();
    assert_eq!((budget.used(), file.live()), (0, 0));
    (numbers, medium)
}

/// Fails the first reads or writes, then one in sixteen, until a run has no such read or
/// write.
#[track_caller]
fn check<T>(run: impl Fn(Mishap) -> (io::Result<T>, Faulty)) {
    let check = |mishap: fn(u64) -> Mishap, action: StoreAction, kind: io::ErrorKind| {
        let numbers = std::iter::successors(Some(1), |number| Some(number + 1 + number / 16));
        let failures = numbers.map_while(|number| run(mishap(number)).0.err());
        let check = |error: io::Error| {
            assert_eq!(error.kind(), kind);
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
            let inner: &StoreError = inner.expect("an error of the file");
            assert_eq!(inner.action(), action);
            assert_eq!(inner.directory().to_str(), Some("/scratch"));
        };
        let count = failures.map(check).count();
        assert!(count > 20, "{count}");
    };
    let (write, read) = (StoreAction::Write, StoreAction::Read);
    check(Mishap::FailWrites, write, io::ErrorKind::StorageFull);
    check(Mishap::FailReads, read, io::ErrorKind::Other);
    check(Mishap::EndAt, read, io::ErrorKind::UnexpectedEof);
    let (outcome, medium) = run(Mishap::None);
    assert!(outcome.is_ok());
    let calls = |number: &AtomicU64| number.load(Ordering::Relaxed);
    assert!(calls(&medium.reads) > 20 && calls(&medium.writes) > 20);
}

#[test]
fn each_failure_of_a_set_comes_out() {
    for counting in [false, true] {
        check(|mishap| spill(mishap, counting));
    }
}

#[test]
fn each_failure_of_a_sorter_comes_out() {
    check(sort);
}

#[test]
fn short_and_interrupted_calls_change_nothing() {
    for mishap in [Mishap::None, Mishap::Short, Mishap::Interrupted] {
        for counting in [false, true] {
            spill(mishap, counting).0.unwrap();
        }
        assert!(sort(mishap).0.unwrap().into_iter().eq(0..10_000));
    }
}

#[test]
fn a_full_disk_is_named() {
    let error = spill(Mishap::FailWrites(1), false).0.unwrap_err();
    let text = "cannot write to a temporary file in /scratch: no storage space";
    assert_eq!(error.to_string(), text);
}

/// A block that does not decompress.
#[test]
fn damage_is_an_error() {
    let medium = Faulty::new(Mishap::None);
    let file = ScratchFile::on(medium.clone(), "/scratch");
    let block = file.write_block(&[b'x'; 1000]).unwrap();
    let mut raw = Vec::new();
    file.read_block(&block, &mut raw).unwrap();
    assert_eq!(raw, [b'x'; 1000]);
    medium.damage();
    let error = file.read_block(&block, &mut raw).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    assert!(
        error
            .to_string()
            .starts_with("cannot read a temporary file in /scratch: ")
    );
}
