//! Stores are compared with maps in memory; damage, failures and crashes at every step leave one
//! of the committed states, or are named.

mod crashes;
mod damage;
mod day;
mod laws;
mod memory_disk;

use super::commits::CommitTable;
use super::manifest::SeenSettings;
use super::reader::SeenReader;
use super::writer::SeenWriter;
use crate::dedup::{Answer, Key, Keys, KnownKeys};
use crate::store::scratch::ScratchFile;
use memory_disk::MemoryDisk;
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Keys and the numbers of their commits.
type Model = BTreeMap<Vec<u8>, u64>;

fn scratch() -> Arc<ScratchFile> {
    Arc::new(ScratchFile::new(std::env::temp_dir()))
}

fn settings() -> SeenSettings {
    SeenSettings::from([("kind".to_owned(), "uri".to_owned())])
}

fn writer(disk: &MemoryDisk) -> SeenWriter {
    SeenWriter::on(Arc::new(disk.clone()), &settings()).unwrap()
}

fn reader(disk: &MemoryDisk) -> SeenReader {
    SeenReader::on(Arc::new(disk.clone()), usize::MAX).unwrap()
}

/// Commits keys, which may repeat, in their order.
fn commit(writer: &mut SeenWriter, time: u64, mut keys: Vec<Vec<u8>>) -> io::Result<u64> {
    keys.sort();
    let mut keys = keys.into_iter();
    writer.commit(&scratch(), time, "", &mut |key| match keys.next() {
        Some(next) => {
            key.extend_from_slice(&next);
            Ok(true)
        }
        None => Ok(false),
    })
}

/// Reads all of a store.
fn all(reader: &SeenReader, prefix: &[u8]) -> io::Result<Vec<(Vec<u8>, u64)>> {
    let mut all = Vec::new();
    reader.each(prefix, &mut |key, commit| {
        all.push((key.to_vec(), commit));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(all)
}

/// Asks for keys as a run does, in batches of this size.
fn asked(reader: &SeenReader, keys: &[Vec<u8>], batch: usize) -> io::Result<Vec<bool>> {
    let mut known = Vec::new();
    for keys in keys.chunks(batch.max(1)) {
        let (mut bytes, mut list) = (Vec::new(), Vec::new());
        for (number, key) in keys.iter().enumerate() {
            let from = bytes.len() as u32;
            bytes.extend_from_slice(key);
            list.push(Key {
                from,
                to: bytes.len() as u32,
                number: number as u32,
                ..Key::default()
            });
        }
        let keys = Keys::new(&bytes, &list);
        let mut answers = vec![Answer::New; list.len()];
        reader.ask(&keys, &mut answers)?;
        // Those that may be known, asked for later, without a filter.
        let mut later = vec![Answer::New; list.len()];
        reader.sift(&keys, &mut later)?;
        let unfiltered = reader.stats().unfiltered;
        reader.ask(&keys, &mut later)?;
        assert_eq!(reader.stats().unfiltered, unfiltered);
        for (later, answer) in later.iter().zip(&answers) {
            assert_eq!(*later == Answer::Known, *answer == Answer::Known);
        }
        known.extend(answers.iter().map(|&answer| answer == Answer::Known));
    }
    Ok(known)
}

/// The commits of a model, as a store counts them.
fn counted(table: &CommitTable) -> BTreeMap<u64, u64> {
    table
        .iter()
        .map(|(&number, commit)| (number, commit.keys))
        .collect()
}

fn counts_of(model: &Model) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for commit in model.values() {
        *counts.entry(*commit).or_default() += 1;
    }
    counts
}
