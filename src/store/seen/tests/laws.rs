//! A store has what a map in memory has, whatever was committed, merged and removed, and for
//! every amount of memory.

use super::super::live::LiveSeen;
use super::*;
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

/// Something that is done with a store.
#[derive(Clone, Debug)]
enum Deed {
    Commit(Vec<Vec<u8>>),
    Merge,
    Compact,
    /// Removes keys whose length has this rest by five.
    Remove(usize),
    Reopen,
}

/// Keys of few letters, some of them long.
fn key() -> impl Strategy<Value = Vec<u8>> {
    let short = prop::collection::vec(0u8..3, 0..7);
    let long = (0u8..3, 0usize..40_000, any::<bool>());
    let long = long.prop_map(|(letter, len, noise)| {
        let byte = |n: usize| match noise {
            true => (n * n / 7) as u8,
            false => letter,
        };
        (0..len).map(byte).collect()
    });
    prop_oneof![20 => short, 1 => long]
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => prop::collection::vec(key(), 0..40).prop_map(Deed::Commit),
        2 => Just(Deed::Merge),
        1 => Just(Deed::Compact),
        1 => (0usize..5).prop_map(Deed::Remove),
        1 => Just(Deed::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn a_store_has_what_a_map_has(
        deeds in prop::collection::vec(deed(), 1..14),
        others in prop::collection::vec(key(), 20),
        memory in prop_oneof![Just(0usize), Just(30_000), Just(usize::MAX)],
        batch in 1usize..100,
    ) {
        let disk = MemoryDisk::default();
        let (mut model, mut open) = (Model::new(), writer(&disk));
        let cancel = AtomicBool::new(false);
        for deed in deeds {
            match deed {
                Deed::Commit(keys) => {
                    let keys: Vec<_> = keys.into_iter().filter(|key| !model.contains_key(key)).collect();
                    let number = open.last_commit() + 1;
                    let distinct = keys.iter().collect::<std::collections::BTreeSet<_>>().len();
                    let added = commit(&mut open, 5, keys.clone()).unwrap();
                    prop_assert_eq!(added, distinct as u64);
                    model.extend(keys.into_iter().map(|key| (key, number)));
                }
                Deed::Merge => prop_assert!(!open.merge(&scratch(), &cancel).unwrap()),
                Deed::Compact => {
                    let rewritten = open.compact(&scratch(), false, &cancel).unwrap();
                    prop_assert!(rewritten.removed == 0 && rewritten.lost.is_empty());
                }
                Deed::Remove(rest) => {
                    let before = model.len() as u64;
                    model.retain(|key, _| key.len() % 5 != rest);
                    let keep = &mut |key: &[u8], _| Ok(key.len() % 5 != rest);
                    let rewritten = open.retain(&scratch(), &cancel, keep).unwrap();
                    prop_assert_eq!(rewritten.removed, before - model.len() as u64);
                }
                Deed::Reopen => {
                    drop(open);
                    open = writer(&disk);
                }
            }
            prop_assert_eq!(open.keys(), model.len() as u64);
        }
        let reader = SeenReader::on(Arc::new(disk.clone()), memory).unwrap();
        let wanted: Vec<_> = model.clone().into_iter().collect();
        prop_assert_eq!(all(&reader, b"").unwrap(), wanted);
        for prefix in [&[0][..], &[1, 2], &[2, 2, 2]] {
            let wanted: Vec<_> = model.clone().into_iter().filter(|(key, _)| key.starts_with(prefix)).collect();
            prop_assert_eq!(all(&reader, prefix).unwrap(), wanted);
        }
        prop_assert_eq!(counted(&reader.commits().unwrap()), counts_of(&model));
        let mut keys: Vec<Vec<u8>> = model.keys().cloned().chain(others).collect();
        keys.reverse();
        let wanted: Vec<bool> = keys.iter().map(|key| model.contains_key(key)).collect();
        for _ in 0..2 {
            prop_assert_eq!(asked(&reader, &keys, batch).unwrap(), wanted.clone());
        }
        for key in &keys {
            prop_assert_eq!(reader.find(key).unwrap(), model.get(key).copied());
        }
        let mut lost = 0;
        prop_assert_eq!(reader.verify(&mut |_| lost += 1).unwrap(), model.len() as u64);
        prop_assert_eq!(lost, 0);
        // No file is left that the state does not have.
        prop_assert_eq!(disk.files().len() as u64, reader.stats().runs + 1);
    }
}

/// Many blocks, several lists and parts of the filter.
#[test]
fn a_large_run_is_read_within_little_memory() {
    let disk = MemoryDisk::default();
    let mut open = writer(&disk);
    let key = |n: u32| {
        let noise = u64::from(n).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!(
            "http://{:x}.example/{noise:x}/{}",
            noise >> 52,
            "y".repeat(n as usize % 90)
        )
        .into_bytes()
    };
    let keys: Vec<Vec<u8>> = (0..300_000).map(|n| key(2 * n)).collect();
    assert_eq!(commit(&mut open, 7, keys.clone()).unwrap(), 300_000);
    let stats = open.reader(usize::MAX).unwrap().stats();
    assert!(
        stats.filter_bytes < 300_000 * 6 / 5 && stats.bytes < stats.key_bytes,
        "{stats:?}"
    );
    let mut some: Vec<Vec<u8>> = (0..6000).map(|n| key(n * 101)).collect();
    for memory in [0, 400_000, usize::MAX] {
        let reader = open.reader(memory).unwrap();
        let wanted: Vec<bool> = (0..6000)
            .map(|n| n * 101 % 2 == 0 && n * 101 < 600_000)
            .collect();
        assert_eq!(asked(&reader, &some, 1500).unwrap(), wanted);
        assert_eq!(reader.stats().unfiltered > 0, memory != usize::MAX);
    }
    let reader = open.reader(usize::MAX).unwrap();
    let prefix = b"http://ab";
    let found = all(&reader, prefix).unwrap();
    some = keys
        .into_iter()
        .filter(|key| key.starts_with(prefix))
        .collect();
    some.sort();
    assert!(found.len() > 100 && found.iter().map(|(key, _)| key).eq(&some));
    assert_eq!(
        reader.verify(&mut |lost| panic!("{lost:?}")).unwrap(),
        300_000
    );
}

#[test]
fn keys_of_every_length_up_to_the_longest() {
    let disk = MemoryDisk::default();
    let mut open = writer(&disk);
    let key = |len: usize| (0..len).map(|n| ((n * n) >> 3) as u8).collect::<Vec<u8>>();
    let keys: Vec<_> = [0, 1, 16_000, 16_384, 16_385, 1 << 20].map(key).into();
    commit(&mut open, 1, keys.clone()).unwrap();
    let reader = reader(&disk);
    assert!(keys.iter().all(|key| reader.find(key).unwrap() == Some(1)));
    assert_eq!(all(&reader, &keys[2]).unwrap().len(), 4);
    let error = commit(&mut open, 1, vec![vec![0; super::super::KEY_MAX + 1]]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the longest that a store takes has 16777216")
    );
    assert_eq!((open.keys(), disk.files().len()), (6, 2));
}

/// Of a key in several stores the earliest commit counts.
#[test]
fn stores_are_united() {
    let (a, b, both) = (
        MemoryDisk::default(),
        MemoryDisk::default(),
        MemoryDisk::default(),
    );
    let keys = |names: &[&str]| {
        names
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .collect::<Vec<_>>()
    };
    let (mut first, mut second) = (writer(&a), writer(&b));
    commit(&mut first, 100, keys(&["a", "b"])).unwrap();
    commit(&mut first, 300, keys(&["c", "d"])).unwrap();
    commit(&mut second, 200, keys(&["d", "b", "e"])).unwrap();
    commit(&mut second, 400, keys(&["f"])).unwrap();
    let mut open = writer(&both);
    let stores = [reader(&a), reader(&b)];
    let cancelled = open.unite(&scratch(), &stores, &AtomicBool::new(true));
    assert!(cancelled.is_err() && open.keys() == 0 && both.files().len() == 1);
    let added = open
        .unite(&scratch(), &stores, &AtomicBool::new(false))
        .unwrap();
    let wanted = [("a", 1), ("b", 1), ("c", 3), ("d", 2), ("e", 2), ("f", 4)];
    let wanted = wanted.map(|(key, commit)| (key.as_bytes().to_vec(), commit));
    assert_eq!(
        (added, all(&reader(&both), b"").unwrap()),
        (6, wanted.to_vec())
    );
    let commits = reader(&both).commits().unwrap();
    let commits: Vec<_> = commits.iter().map(|(n, c)| (*n, c.time, c.keys)).collect();
    assert_eq!(
        commits,
        [(1, 100, 2), (2, 200, 2), (3, 300, 1), (4, 400, 1)]
    );
    commit(&mut open, 1, keys(&["g"])).unwrap();
    assert_eq!(reader(&both).commits().unwrap()[&5].time, 400);
}

/// What is committed is known to a live store from then on, and stays so when runs are merged.
#[test]
fn a_live_store_grows() {
    let disk = MemoryDisk::default();
    let mut open = writer(&disk);
    let live = LiveSeen::new(reader(&disk));
    let key = |n: u64| format!("urn:a:{n}").into_bytes();
    for n in 0..20 {
        commit(&mut open, n, vec![key(2 * n)]).unwrap();
        assert_eq!(live.reader().find(&key(2 * n)).unwrap(), None);
        live.reported(n + 1);
        live.crowded();
        live.renew(&open, live.reported_so_far()).unwrap();
        assert_eq!((live.remembered(), live.is_crowded()), (Some(n + 1), false));
        if let Some(merging) = open.begin_merge() {
            // Others commit while it is written.
            commit(&mut open, n, vec![format!("urn:b:{n}").into_bytes()]).unwrap();
            let merged = merging.write(&scratch(), &AtomicBool::new(false));
            open.end_merge(merged).unwrap();
            live.renew(&open, 0).unwrap();
        }
        for known in 0..=2 * n {
            let found = live.reader().find(&key(known)).unwrap();
            assert_eq!(found.is_some(), known % 2 == 0, "{n} {known}");
        }
    }
    assert_eq!(disk.files().len() as u64, live.reader().stats().runs + 1);
    assert_eq!(
        reader(&disk)
            .verify(&mut |lost| panic!("{lost:?}"))
            .unwrap(),
        open.keys()
    );
}
