//! A medium for tests: its reads and writes fail, are short or are interrupted.

use crate::store::medium::Medium;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The faults of the reads and writes of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mishap {
    None,
    /// Each reads or writes one byte less than asked for, if that is any.
    Short,
    /// Every second one is interrupted.
    Interrupted,
    /// The write with this number, from 1, and all after it fail.
    FailWrites(u64),
    /// The read with this number, from 1, and all after it fail.
    FailReads(u64),
    /// The read with this number, from 1, is at the end of the file.
    EndAt(u64),
}

/// Bytes in memory.
#[derive(Clone, Debug)]
pub(crate) struct Faulty {
    mishap: Mishap,
    bytes: Arc<Mutex<Vec<u8>>>,
    pub reads: Arc<AtomicU64>,
    pub writes: Arc<AtomicU64>,
}

impl Faulty {
    pub(crate) fn new(mishap: Mishap) -> Faulty {
        Faulty {
            mishap,
            bytes: Arc::default(),
            reads: Arc::default(),
            writes: Arc::default(),
        }
    }

    /// Changes all bytes that were written.
    pub(crate) fn damage(&self) {
        self.bytes.lock().unwrap().fill(0xFF);
    }

    /// Returns the number of the `len` bytes that the call with this number reads or
    /// writes.
    fn granted(&self, number: u64, len: usize) -> io::Result<usize> {
        match self.mishap {
            Mishap::Short => Ok(len - usize::from(len > 1)),
            Mishap::Interrupted if number % 2 == 1 => Err(io::ErrorKind::Interrupted.into()),
            _ => Ok(len),
        }
    }
}

impl Medium for Faulty {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let number = self.reads.fetch_add(1, Ordering::Relaxed) + 1;
        match self.mishap {
            Mishap::FailReads(first) if number >= first => {
                return Err(io::Error::other("a broken disk"));
            }
            Mishap::EndAt(at) if number == at => return Ok(0),
            _ => {}
        }
        let bytes = self.bytes.lock().unwrap();
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let len = self.granted(number, buffer.len().min(rest.len()))?;
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn write_at(&self, from: &[u8], offset: u64) -> io::Result<usize> {
        let number = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        if let Mishap::FailWrites(first) = self.mishap
            && number >= first
        {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let len = self.granted(number, from.len())?;
        let end = offset as usize + len;
        let mut bytes = self.bytes.lock().unwrap();
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[offset as usize..end].copy_from_slice(&from[..len]);
        Ok(len)
    }
}
