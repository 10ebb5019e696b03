//! A directory in memory: its calls are recorded, and fail on demand; a crash drops what was not
//! synced.

use crate::store::medium::Medium;
use crate::store::seen::disk::{Disk, DiskFile};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

/// A call that changes something.
#[derive(Clone, Debug)]
enum Call {
    Create(String, usize),
    Write(usize, u64, Vec<u8>),
    SyncFile(usize),
    Rename(String, String),
    Remove(String),
    SyncNames,
}

/// What a crash keeps of what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub names: bool,
    pub bytes: bool,
}

#[derive(Debug, Default)]
struct DiskState {
    names: BTreeMap<String, usize>,
    files: Vec<Vec<u8>>,
    calls: Vec<Call>,
    /// The number of all calls so far, also of those that read.
    count: u64,
    /// The number of the call that fails.
    fails: Option<u64>,
}

/// A directory in memory. Copies are the same directory.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryDisk(Arc<Mutex<DiskState>>);

#[derive(Debug)]
struct MemoryFile(MemoryDisk, usize);

impl MemoryDisk {
    fn state(&self) -> MutexGuard<'_, DiskState> {
        self.0.lock().unwrap()
    }

    /// Begins a call.
    fn call(&self) -> io::Result<MutexGuard<'_, DiskState>> {
        let mut state = self.state();
        state.count += 1;
        match state.fails == Some(state.count) {
            true => Err(io::Error::other("a broken disk")),
            false => Ok(state),
        }
    }

    /// Has the call with this number, counted from now, fail.
    pub(super) fn fail_at(&self, number: u64) {
        let mut state = self.state();
        state.fails = Some(state.count + number);
    }

    /// Whether the call that was to fail did.
    pub(super) fn has_failed(&self) -> bool {
        let state = self.state();
        state.fails.is_some_and(|at| at <= state.count)
    }

    /// The number of calls that change something.
    pub(super) fn changes(&self) -> usize {
        self.state().calls.len()
    }

    /// The directory after a crash behind the first `calls`.
    pub(super) fn crashed(&self, calls: usize, kept: Kept) -> MemoryDisk {
        let state = self.state();
        let calls = &state.calls[..calls];
        let last = |wanted: fn(&Call) -> bool| calls.iter().rposition(wanted);
        let names_end = match kept.names {
            true => calls.len(),
            false => last(|call| matches!(call, Call::SyncNames)).unwrap_or(0),
        };
        let mut after = DiskState::default();
        for (at, call) in calls.iter().enumerate() {
            let is_synced = |file: usize| {
                let synced = |call: &Call| matches!(call, Call::SyncFile(f) if *f == file);
                kept.bytes || calls[at..].iter().any(synced)
            };
            match call {
                Call::Create(name, file) => {
                    after
                        .files
                        .resize(after.files.len().max(file + 1), Vec::new());
                    if at < names_end {
                        after.names.insert(name.clone(), *file);
                    }
                }
                Call::Write(file, offset, bytes) if is_synced(*file) => {
                    write(&mut after.files[*file], *offset, bytes);
                }
                Call::Rename(from, to) if at < names_end => {
                    let file = after.names.remove(from).unwrap();
                    after.names.insert(to.clone(), file);
                }
                Call::Remove(name) if at < names_end => {
                    after.names.remove(name);
                }
                _ => {}
            }
        }
        MemoryDisk(Arc::new(Mutex::new(after)))
    }

    /// The names and lengths of the files.
    pub(super) fn files(&self) -> Vec<(String, usize)> {
        let state = self.state();
        let files = state.names.iter();
        files
            .map(|(name, &file)| (name.clone(), state.files[file].len()))
            .collect()
    }

    /// A copy with another byte in a file.
    pub(super) fn damaged(&self, name: &str, at: usize, change: u8) -> MemoryDisk {
        let state = self.state();
        let mut after = DiskState {
            names: state.names.clone(),
            files: state.files.clone(),
            ..DiskState::default()
        };
        after.files[state.names[name]][at] ^= change;
        MemoryDisk(Arc::new(Mutex::new(after)))
    }

    /// A copy with a shorter file.
    pub(super) fn cut(&self, name: &str, len: usize) -> MemoryDisk {
        let copy = self.damaged(name, 0, 0);
        let mut state = copy.state();
        let file = state.names[name];
        state.files[file].truncate(len);
        drop(state);
        copy
    }
}

fn write(file: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let end = offset as usize + bytes.len();
    file.resize(file.len().max(end), 0);
    file[offset as usize..end].copy_from_slice(bytes);
}

impl Disk for MemoryDisk {
    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from("/store").join(name)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.call()?.names.keys().cloned().collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.call()?;
        let file = state.files.len();
        if state.names.insert(name.to_owned(), file).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        state.files.push(Vec::new());
        state.calls.push(Call::Create(name.to_owned(), file));
        Ok(Box::new(MemoryFile(self.clone(), file)))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let state = self.call()?;
        match state.names.get(name) {
            Some(&file) => Ok(Box::new(MemoryFile(self.clone(), file))),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.call()?;
        let file = state.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        assert!(state.names.insert(to.to_owned(), file).is_none(), "{to}");
        state
            .calls
            .push(Call::Rename(from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.call()?;
        state.names.remove(name).ok_or(io::ErrorKind::NotFound)?;
        state.calls.push(Call::Remove(name.to_owned()));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.call()?.calls.push(Call::SyncNames);
        Ok(())
    }
}

impl Medium for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = self.0.call()?;
        let rest = state.files[self.1]
            .get(offset as usize..)
            .unwrap_or_default();
        // Never all at once.
        let len = buffer.len().min(rest.len()).min(5000);
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut state = self.0.call()?;
        let bytes = &bytes[..bytes.len().min(5000)];
        write(&mut state.files[self.1], offset, bytes);
        state
            .calls
            .push(Call::Write(self.1, offset, bytes.to_vec()));
        Ok(bytes.len())
    }
}

impl DiskFile for MemoryFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.call()?.files[self.1].len() as u64)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.call()?.calls.push(Call::SyncFile(self.1));
        Ok(())
    }
}
