//! Which of the named inputs are read. One shard: those whose names have its number, so that no
//! two machines need the same list to divide the work. Of these, the ones that no journal has.

use crate::cli::journal::Journal;
use crate::cli::report::stderr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The inputs that a run reads of those that are named.
#[derive(Clone, Debug, Default)]
pub(super) struct InputShard {
    /// The number of the shard from 0 on, and that of all; `None` for all inputs.
    of: Option<(u32, u32)>,
    listed: Arc<Mutex<ListedNames>>,
    journal: Option<Arc<Journal>>,
}

/// The names so far.
#[derive(Debug, Default)]
struct ListedNames {
    digest: crc32fast::Hasher,
    all: u64,
    taken: u64,
}

impl InputShard {
    /// Reads `I/N`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn named(text: Option<&str>) -> Result<InputShard, String> {
        let Some(text) = text else {
            return Ok(InputShard::default());
        };
        let numbers = text.split_once('/').and_then(|(shard, all)| {
            let (shard, all): (u32, u32) = (shard.parse().ok()?, all.parse().ok()?);
            (1..=all).contains(&shard).then(|| (shard - 1, all))
        });
        match numbers {
            Some(of) => Ok(InputShard {
                of: Some(of),
                ..InputShard::default()
            }),
            None => Err(format!(
                "--shard: {text:?} is not a shard; write I/N, with I from 1 to N, such as 3/16"
            )),
        }
    }

    /// Passes over what this journal has, and has it note what is read.
    pub(super) fn journaled(self, journal: Option<Arc<Journal>>) -> InputShard {
        InputShard { journal, ..self }
    }

    /// Whether the input `path` is read, which has this name below its directory.
    pub(super) fn takes(&self, path: &Path, name: &[u8]) -> bool {
        let mut journal = self.journal.iter();
        self.has(name) && journal.all(|journal| journal.takes(path))
    }

    /// Notes that the input `path`, with this number, is read from now on.
    pub(super) fn begin(&self, input: usize, path: &Path) {
        if let Some(journal) = &self.journal {
            journal.begin(input, path);
        }
    }

    /// Whether the input with this name, below its directory, is in the shard.
    fn has(&self, name: &[u8]) -> bool {
        let Some((shard, all)) = self.of else {
            return true;
        };
        // The name is the same on all systems.
        let name: Vec<u8> = match cfg!(windows) {
            true => name
                .iter()
                .map(|&b| if b == b'\\' { b'/' } else { b })
                .collect(),
            false => name.to_vec(),
        };
        let is_taken = crc32fast::hash(&name) % all == shard;
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.digest.update(&name);
        listed.digest.update(b"\0");
        listed.all += 1;
        listed.taken += u64::from(is_taken);
        is_taken
    }

    /// Says which part was read, with the digest of all names, which must be the same for each
    /// shard.
    pub(super) fn say(&self) {
        let Some((shard, all)) = self.of else { return };
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        stderr::say(format_args!(
            "shard {}/{all}: {} of {}, whose names have the digest {:08x}",
            shard + 1,
            listed.taken,
            stderr::number_of(listed.all, "input"),
            listed.digest.clone().finalize()
        ));
    }
}
