//! Every flipped byte and every cut of every file is named, or harms nothing.

use super::super::fault::SeenFault;
use super::*;
use std::sync::atomic::AtomicBool;

/// A store of two runs; returns its keys.
fn store(number: u32) -> (MemoryDisk, Model) {
    let disk = MemoryDisk::default();
    let (mut open, mut model) = (writer(&disk), Model::new());
    let key = |n: u32| [format!("{n:05}/").into_bytes(), vec![b'x'; 3000]].concat();
    for (commit_number, numbers) in [(1, 0..number), (2, number..number + 3)] {
        let keys: Vec<_> = numbers.map(|n| key(n * 3)).collect();
        model.extend(keys.iter().map(|key| (key.clone(), commit_number)));
        commit(&mut open, commit_number, keys).unwrap();
    }
    (disk, model)
}

/// Asks a damaged store for everything: the answers are right, or errors.
fn check(disk: &MemoryDisk, model: &Model, what: &str) {
    let open = SeenReader::on(Arc::new(disk.clone()), 100_000);
    let Ok(open) = open else { return };
    let mut keys: Vec<_> = model.keys().cloned().collect();
    keys.extend(["00001", "00004/x", "", "99999"].map(|key| key.as_bytes().to_vec()));
    for key in &keys {
        if let Ok(found) = open.find(key) {
            assert_eq!(found, model.get(key).copied(), "{what}");
        }
    }
    if let Ok(known) = asked(&open, &keys, 50) {
        let wanted = keys.iter().map(|key| model.contains_key(key));
        assert!(known.into_iter().eq(wanted), "{what}");
    }
    if let Ok(all) = all(&open, b"") {
        assert!(all.into_iter().eq(model.clone()), "{what}");
    }
    let mut lost = 0;
    let _ = open.verify(&mut |_| lost += 1);
    assert!(lost > 0, "{what}: not found");
}

#[test]
fn each_flipped_byte_is_named() {
    // One list of blocks, and several.
    for (number, step) in [(12, 1), (800, 199)] {
        let (disk, model) = store(number);
        for (name, len) in disk.files() {
            for at in (0..len).step_by(step).chain(len - 150.min(len)..len) {
                let change = 1 << (at % 8);
                check(
                    &disk.damaged(&name, at, change),
                    &model,
                    &format!("{name} {at}"),
                );
            }
        }
    }
}

#[test]
fn each_cut_is_named() {
    let (disk, model) = store(12);
    for (name, len) in disk.files() {
        for cut in (0..len).step_by(7) {
            let open = SeenReader::on(Arc::new(disk.cut(&name, cut)), 100_000);
            let error = open.expect_err("a file that is cut");
            assert!(
                matches!(error.fault(), SeenFault::Damaged(..)),
                "{name} {cut}: {error}"
            );
        }
    }
    assert_eq!(model.len(), 15);
}

/// The rest is saved, and what is lost is named.
#[test]
fn the_rest_of_a_damaged_store_is_saved() {
    let (disk, model) = store(800);
    for (name, len) in disk.files() {
        if name.starts_with("MANIFEST") {
            continue;
        }
        for at in (0..len).step_by(307).chain([len - 1]) {
            let what = format!("{name} {at}");
            let damaged = disk.damaged(&name, at, 0x10);
            let mut open = writer(&damaged);
            let cancel = AtomicBool::new(false);
            let refused = open.compact(&scratch(), false, &cancel);
            let saved = open.compact(&scratch(), true, &cancel).unwrap();
            let left = all(&reader(&damaged), b"").unwrap();
            // A filter is not read when runs are merged.
            assert!(refused.is_err() || left.len() == model.len(), "{what}");
            for pair in &left {
                assert_eq!(model.get(&pair.0), Some(&pair.1), "{what}");
            }
            let missing: Vec<_> = model
                .keys()
                .filter(|key| left.iter().all(|l| l.0 != **key))
                .collect();
            assert!(missing.len() <= 6, "{what}: {}", missing.len());
            for key in missing {
                let is_named = saved.lost.iter().any(|lost| {
                    lost.after.as_ref().is_none_or(|after| after < key)
                        && lost.until.as_ref().is_none_or(|until| until > key)
                });
                assert!(is_named, "{what}: {:?}", saved.lost);
            }
            let mut found = 0;
            assert_eq!(
                reader(&damaged).verify(&mut |_| found += 1).unwrap(),
                left.len() as u64
            );
            assert_eq!(found, 0, "{what}");
        }
    }
}

/// Where a manifest is damaged, the runs and the settings that can be read are saved.
#[test]
fn what_a_damaged_manifest_named_is_saved() {
    let (disk, model) = store(12);
    let files = disk.files();
    let (name, len) = files
        .iter()
        .find(|(name, _)| name.starts_with("MANIFEST"))
        .unwrap();
    let cancel = AtomicBool::new(false);
    let mut saved = 0;
    let flips = (0..*len).map(|at| (disk.damaged(name, at, 1 << (at % 7)), at));
    let cuts = (0..*len).map(|at| (disk.cut(name, at), at));
    for (damaged, at) in flips.chain(cuts) {
        assert!(
            SeenReader::on(Arc::new(damaged.clone()), 0).is_err(),
            "{at}"
        );
        let before = damaged.files();
        let open = SeenWriter::on_damaged(Arc::new(damaged.clone()));
        assert_eq!(damaged.files(), before, "nothing is written");
        let Ok(mut open) = open else { continue };
        open.compact(&scratch(), true, &cancel).unwrap();
        saved += 1;
        let after = reader(&damaged);
        assert!(
            all(&after, b"").unwrap().into_iter().eq(model.clone()),
            "{at}"
        );
        assert_eq!(after.commits().unwrap().len(), 2);
        let mut found = 0;
        after.verify(&mut |_| found += 1).unwrap();
        // Later commits have higher numbers.
        commit(&mut open, 9, vec![b"new".to_vec()]).unwrap();
        assert_eq!(
            (found, reader(&damaged).find(b"new").unwrap()),
            (0, Some(3)),
            "{at}"
        );
    }
    assert!(saved > *len, "{saved}");
}

#[test]
fn settings_and_versions_are_compared() {
    let (disk, _) = store(1);
    let other = SeenSettings::from([("kind".to_owned(), "pair".to_owned())]);
    let error = SeenWriter::on(Arc::new(disk.clone()), &other).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("kind is uri there and pair here") && text.contains("seen import"),
        "{text}"
    );
    assert!(reader(&disk).check_settings(&other).is_err());
    assert!(reader(&disk).check_settings(&settings()).is_ok());
}
