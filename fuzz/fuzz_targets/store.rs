//! A store of seen keys with other bytes in its files: what is wrong is named, and no answer is
//! wrong. The first bytes make the keys, the others say what is changed: a file, a place, a byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use urisieve::store::ScratchFile;
use urisieve::store::seen::{SeenReader, SeenSettings, SeenWriter};

type Model = BTreeMap<Vec<u8>, u64>;

/// Writes a store of two commits with keys that `seed` makes.
fn make(directory: &Path, seed: &[u8]) -> Model {
    let mut writer =
        SeenWriter::open(directory, &SeenSettings::new(), Duration::ZERO).expect("a new store");
    let scratch = Arc::new(ScratchFile::new(std::env::temp_dir()));
    let mut model = Model::new();
    for (commit, part) in (1..).zip(seed.chunks(seed.len().div_ceil(2).max(1))) {
        let mut keys = Model::new();
        for (number, &byte) in part.iter().enumerate() {
            let key = [
                &[byte; 9][..],
                &vec![b'x'; usize::from(byte) * 40],
                &[number as u8],
            ]
            .concat();
            if !model.contains_key(&key) {
                keys.insert(key, commit);
            }
        }
        let mut next = keys.keys();
        let added = writer.commit(&scratch, commit, "", &mut |key| {
            let Some(next) = next.next() else {
                return Ok(false);
            };
            key.extend_from_slice(next);
            Ok(true)
        });
        added.expect("a commit");
        model.extend(keys);
    }
    model
}

/// Compares what can be read with the keys; returns whether anything was named.
fn check(directory: &Path, model: &Model) -> bool {
    let Ok(open) = SeenReader::open(directory, 1 << 20) else {
        return true;
    };
    let mut is_named = false;
    for (key, &commit) in model {
        match open.find(key) {
            Ok(found) => assert_eq!(found, Some(commit)),
            Err(_) => is_named = true,
        }
    }
    for other in [&b""[..], b"y", &[b'x'; 100]] {
        match open.find(other) {
            Ok(found) => assert_eq!(found, model.get(other).copied()),
            Err(_) => is_named = true,
        }
    }
    let mut all = Model::new();
    let read = open.each(b"", &mut |key, commit| {
        all.insert(key.to_vec(), commit);
        Ok(ControlFlow::Continue(()))
    });
    match read {
        Ok(()) => assert_eq!(&all, model),
        Err(_) => is_named = true,
    }
    let verified = open.verify(&mut |_| is_named = true);
    is_named || verified.is_err()
}

fuzz_target!(|data: &[u8]| {
    let Some((&len, rest)) = data.split_first() else {
        return;
    };
    let (seed, changes) = rest.split_at(rest.len().min(usize::from(len % 32)));
    let root = tempfile::tempdir().expect("a directory");
    let store = root.path().join("store");
    let model = make(&store, seed);
    assert!(!check(&store, &model));
    let mut files: Vec<_> = fs::read_dir(&store)
        .expect("the store")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| !path.ends_with("seen.lock"))
        .collect();
    files.sort();
    let before: Vec<Vec<u8>> = files
        .iter()
        .map(|path| fs::read(path).expect("a file"))
        .collect();
    let mut after = before.clone();
    for change in changes.chunks_exact(4).take(8) {
        let file = usize::from(change[0]) % after.len();
        let len = after[file].len();
        let at = usize::from(u16::from_le_bytes([change[1], change[2]]));
        match (change[3], at) {
            (0, at) if at < len => after[file].truncate(at),
            (byte, at) if len > 0 => after[file][at % len] ^= byte,
            _ => {}
        }
    }
    for (path, bytes) in files.iter().zip(&after) {
        fs::write(path, bytes).expect("a file");
    }
    let is_named = check(&store, &model);
    assert_eq!(is_named, before != after);
    // What is sound is saved.
    if let Ok(mut writer) = SeenWriter::open_existing(&store, Duration::ZERO) {
        let scratch = Arc::new(ScratchFile::new(std::env::temp_dir()));
        if writer
            .compact(&scratch, true, &AtomicBool::new(false))
            .is_ok()
        {
            drop(writer);
            let open = SeenReader::open(&store, 1 << 20).expect("a store that was saved");
            let read = open.each(b"", &mut |key, commit| {
                assert_eq!(model.get(key), Some(&commit));
                Ok(ControlFlow::Continue(()))
            });
            read.expect("a store that was saved");
        }
    }
});
