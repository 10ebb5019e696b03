//! A failure at each call, and a crash behind each, leave one of the committed states.

use super::memory_disk::Kept;
use super::*;
use std::sync::atomic::AtomicBool;

/// The keys of a store, or an error.
fn keys_of(disk: &MemoryDisk) -> Vec<Vec<u8>> {
    let keys = all(&reader(disk), b"").unwrap();
    keys.into_iter().map(|(key, _)| key).collect()
}

fn numbered(numbers: std::ops::Range<u32>) -> Vec<Vec<u8>> {
    numbers
        .map(|n| format!("urn:a:{n:04}").into_bytes())
        .collect()
}

/// The steps of a store's life; each is tried once more when it fails.
type Step = fn(&mut SeenWriter) -> io::Result<()>;

const STEPS: [Step; 9] = [
    |open| commit(open, 1, numbered(0..30)).map(drop),
    |open| commit(open, 2, numbered(30..60)).map(drop),
    |open| commit(open, 3, numbered(60..90)).map(drop),
    |open| commit(open, 4, numbered(90..120)).map(drop),
    |open| Ok(open.merge(&scratch(), &AtomicBool::new(false)).map(drop)?),
    |open| commit(open, 5, numbered(120..130)).map(drop),
    |open| {
        let keep = &mut |key: &[u8], _| Ok(!key.ends_with(b"7"));
        let rewritten = open.retain(&scratch(), &AtomicBool::new(false), keep);
        Ok(rewritten.map(drop)?)
    },
    |open| commit(open, 6, numbered(130..140)).map(drop),
    |open| {
        Ok(open
            .compact(&scratch(), false, &AtomicBool::new(false))
            .map(drop)?)
    },
];

#[test]
fn a_crash_at_each_call_leaves_a_committed_state() {
    let disk = MemoryDisk::default();
    let mut open = writer(&disk);
    // The states, and the number of calls behind which each is certain.
    let mut states = vec![(disk.changes(), Vec::new())];
    for step in STEPS {
        step(&mut open).unwrap();
        states.push((disk.changes(), keys_of(&disk)));
    }
    drop(open);
    for calls in 0..=disk.changes() {
        for (names, bytes) in [(false, false), (true, false), (false, true), (true, true)] {
            let kept = Kept { names, bytes };
            let what = format!("{calls} {kept:?}");
            let crashed = disk.crashed(calls, kept);
            // Before the first manifest there is no store yet.
            let mut open = writer(&crashed);
            let found = keys_of(&crashed);
            let done = states.iter().rposition(|(behind, _)| *behind <= calls);
            let done = done.unwrap_or(0);
            let next = &states[(done + 1).min(states.len() - 1)].1;
            assert!(found == states[done].1 || found == *next, "{what}");
            let mut lost = 0;
            reader(&crashed).verify(&mut |_| lost += 1).unwrap();
            assert_eq!(lost, 0, "{what}");
            // It goes on from there.
            commit(&mut open, 9, numbered(5000..5003)).unwrap();
            assert_eq!(keys_of(&crashed).len(), found.len() + 3, "{what}");
            assert_eq!(
                crashed.files().len() as u64,
                reader(&crashed).stats().runs + 1,
                "{what}"
            );
        }
    }
}

#[test]
fn a_failure_of_each_call_leaves_the_state_before_or_after() {
    for (at, step) in STEPS.into_iter().enumerate() {
        for call in 1.. {
            let disk = MemoryDisk::default();
            let mut open = writer(&disk);
            for before in &STEPS[..at] {
                before(&mut open).unwrap();
            }
            let before = keys_of(&disk);
            disk.fail_at(call);
            let done = step(&mut open);
            let what = format!("step {at}, call {call}");
            if !disk.has_failed() {
                done.unwrap();
                assert!(call > 10, "{what}");
                break;
            }
            let after = keys_of(&disk);
            if let Err(error) = done {
                assert!(
                    error.to_string().contains("a broken disk"),
                    "{what}: {error}"
                );
                // The same writer, and the next one, go on.
                if after == before {
                    step(&mut open).unwrap();
                }
            }
            let whole = {
                let disk = MemoryDisk::default();
                let mut open = writer(&disk);
                STEPS[..=at]
                    .iter()
                    .for_each(|step| step(&mut open).unwrap());
                keys_of(&disk)
            };
            assert_eq!(keys_of(&disk), whole, "{what}");
            drop(open);
            let mut open = writer(&disk);
            commit(&mut open, 9, numbered(5000..5003)).unwrap();
            assert_eq!(
                disk.files().len() as u64,
                reader(&disk).stats().runs + 1,
                "{what}"
            );
            assert_eq!(
                reader(&disk)
                    .verify(&mut |lost| panic!("{what} {lost:?}"))
                    .unwrap(),
                whole.len() as u64 + 3
            );
        }
    }
}

/// A failure while a store is made leaves none, or one that is empty.
#[test]
fn a_failure_while_a_store_is_made() {
    for call in 1.. {
        let disk = MemoryDisk::default();
        disk.fail_at(call);
        let made = SeenWriter::on(Arc::new(disk.clone()), &settings());
        if !disk.has_failed() {
            made.unwrap();
            assert!(call > 5);
            break;
        }
        assert_eq!(writer(&disk).keys(), 0, "{call}");
    }
}

#[test]
fn a_cancelled_merge_changes_nothing() {
    let disk = MemoryDisk::default();
    let mut open = writer(&disk);
    STEPS[..4].iter().for_each(|step| step(&mut open).unwrap());
    let (before, files) = (keys_of(&disk), disk.files());
    let cancelled = open.merge(&scratch(), &AtomicBool::new(true));
    assert!(cancelled.is_err());
    assert_eq!((keys_of(&disk), disk.files()), (before, files));
}

/// A reader keeps its state while a writer replaces it, and one that is late opens the next.
#[test]
fn a_reader_keeps_its_state() {
    let disk = MemoryDisk::default();
    let mut open = writer(&disk);
    STEPS[..4].iter().for_each(|step| step(&mut open).unwrap());
    let before = reader(&disk);
    STEPS[4..].iter().for_each(|step| step(&mut open).unwrap());
    assert_eq!(all(&before, b"").unwrap().len(), 120);
    assert!(
        asked(&before, &numbered(0..120), 7)
            .unwrap()
            .into_iter()
            .all(|known| known)
    );
    assert_eq!(keys_of(&disk).len(), 127);
}
