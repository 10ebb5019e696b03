//! Frames: the parts of a run, each with its lengths and a checksum. The checksum covers the
//! run and the offset, too, so that a frame in a wrong place is damage. The content of frames is
//! left to others.

use super::disk::{Disk, DiskFile, failed};
use super::fault::{SeenError, SeenFault};
use crate::store::block::Packer;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The bytes before the content: kind, stored and raw length, checksum.
pub(super) const HEAD: usize = 13;

/// The bytes that are collected before they are written.
const BUFFER: usize = 256 << 10;

/// The kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Keys = b'k' as isize,
    Index = b'i' as isize,
    Root = b'r' as isize,
    Filter = b'f' as isize,
    Parts = b'p' as isize,
    Commits = b'c' as isize,
}

/// A place in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FramePlace {
    pub offset: u64,
    /// The length with the head.
    pub len: u32,
}

impl FramePlace {
    pub(super) fn end(self) -> u64 {
        self.offset + u64::from(self.len)
    }
}

/// The checksum of a frame.
fn checksum(head: &[u8], (run, offset): (u64, u64), stored: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(&run.to_le_bytes());
    hasher.update(&offset.to_le_bytes());
    hasher.update(stored);
    hasher.finalize()
}

/// Writes a run, frame by frame.
#[derive(Debug)]
pub(super) struct FrameWriter {
    file: Box<dyn DiskFile>,
    /// What was written so far, with the bytes in `buffer`.
    at: u64,
    buffer: Vec<u8>,
    run: u64,
    packer: Packer,
}

impl FrameWriter {
    pub(super) fn new(file: Box<dyn DiskFile>, run: u64) -> FrameWriter {
        FrameWriter {
            file,
            at: 0,
            buffer: Vec::with_capacity(BUFFER),
            run,
            packer: Packer::default(),
        }
    }

    pub(super) fn offset(&self) -> u64 {
        self.at
    }

    /// Appends bytes that are in no frame.
    pub(super) fn plain(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        self.at += bytes.len() as u64;
        match self.buffer.len() >= BUFFER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Appends a frame, compressed if that makes it shorter.
    pub(super) fn push(&mut self, kind: FrameKind, raw: &[u8]) -> io::Result<FramePlace> {
        let mut packer = std::mem::take(&mut self.packer);
        let stored = match kind {
            // Fingerprints are random.
            FrameKind::Filter => raw,
            _ => packer.pack(raw),
        };
        let place = self.push_stored(kind, raw.len(), stored);
        self.packer = packer;
        place
    }

    fn push_stored(
        &mut self,
        kind: FrameKind,
        raw_len: usize,
        stored: &[u8],
    ) -> io::Result<FramePlace> {
        let too_long = |_| io::Error::from(io::ErrorKind::FileTooLarge);
        let mut head = [0; HEAD];
        head[0] = kind as u8;
        let lengths = [stored.len(), raw_len];
        for (len, at) in lengths.into_iter().zip([1, 5]) {
            let len = u32::try_from(len).map_err(too_long)?;
            head[at..at + 4].copy_from_slice(&len.to_le_bytes());
        }
        let offset = self.at;
        let checksum = checksum(&head[..9], (self.run, offset), stored);
        head[9..].copy_from_slice(&checksum.to_le_bytes());
        self.plain(&head)?;
        self.plain(stored)?;
        Ok(FramePlace {
            offset,
            len: u32::try_from(HEAD + stored.len()).map_err(too_long)?,
        })
    }

    /// Writes what was collected.
    fn flush(&mut self) -> io::Result<()> {
        let mut offset = self.at - self.buffer.len() as u64;
        let mut rest = &self.buffer[..];
        while !rest.is_empty() {
            match self.file.write_at(rest, offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = &rest[written..];
                    offset += written as u64;
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
        self.buffer.clear();
        Ok(())
    }

    /// Writes the rest and makes all of it last. Returns the length of the file.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        self.flush()?;
        self.file.sync()?;
        Ok(self.at)
    }
}

/// A file that is read frame by frame.
#[derive(Debug)]
pub(super) struct FrameFile {
    file: Box<dyn DiskFile>,
    pub(super) path: PathBuf,
    pub(super) run: u64,
    pub(super) len: u64,
    packers: Mutex<Vec<Packer>>,
}

impl FrameFile {
    /// Opens the file of a run.
    pub(super) fn open(disk: &dyn Disk, name: &str, run: u64) -> Result<FrameFile, SeenError> {
        let path = disk.path(name);
        let file = disk.open(name).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => SeenError::new(&path, SeenFault::Gone),
            _ => failed(disk, name, "open it")(cause),
        })?;
        let len = file.len().map_err(failed(disk, name, "read its length"))?;
        Ok(FrameFile {
            file,
            path,
            run,
            len,
            packers: Mutex::default(),
        })
    }

    pub(super) fn damaged(&self, offset: u64, what: &'static str) -> SeenError {
        SeenError::new(&self.path, SeenFault::Damaged(offset, what))
    }

    /// Reads bytes at `offset` that the file must have.
    pub(super) fn read_exact(&self, bytes: &mut [u8], offset: u64) -> Result<(), SeenError> {
        let (mut rest, mut at) = (bytes, offset);
        while !rest.is_empty() {
            match self.file.read_at(rest, at) {
                Ok(0) => return Err(self.damaged(at, "the file ends here")),
                Ok(read) => {
                    rest = &mut rest[read..];
                    at += read as u64;
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => {
                    return Err(SeenError::new(&self.path, SeenFault::Io("read it", cause)));
                }
            }
        }
        Ok(())
    }

    /// Returns the kind of the frame at `offset` and its place; the frame must end by `end`.
    /// Neither is proved yet.
    pub(super) fn head(&self, offset: u64, end: u64) -> Result<(u8, FramePlace), SeenError> {
        if end.saturating_sub(offset) < HEAD as u64 {
            return Err(self.damaged(offset, "no room for a frame"));
        }
        let mut head = [0; HEAD];
        self.read_exact(&mut head, offset)?;
        let stored = number(&head[1..]);
        let len = u64::from(stored) + HEAD as u64;
        match u32::try_from(len) {
            Ok(len) if u64::from(len) <= end - offset => Ok((head[0], FramePlace { offset, len })),
            _ => Err(self.damaged(offset, "the length of a frame")),
        }
    }

    /// Reads the content of the frame of this kind at `place` into `raw`.
    pub(super) fn read(
        &self,
        kind: FrameKind,
        place: FramePlace,
        raw: &mut Vec<u8>,
    ) -> Result<(), SeenError> {
        let FramePlace { offset, len } = place;
        if (len as usize) < HEAD || place.end() > self.len {
            return Err(self.damaged(offset, "the place of a frame"));
        }
        let mut packer = self.packers().pop().unwrap_or_default();
        let done = self.read_into(&mut packer, (kind, place), raw);
        packer.shrink_to(1 << 20);
        self.packers().push(packer);
        done
    }

    fn read_into(
        &self,
        packer: &mut Packer,
        (kind, FramePlace { offset, len }): (FrameKind, FramePlace),
        raw: &mut Vec<u8>,
    ) -> Result<(), SeenError> {
        let buffer = packer.buffer();
        buffer.resize(len as usize, 0);
        self.read_exact(buffer, offset)?;
        let (head, stored) = buffer.split_at(HEAD);
        let is_right = head[0] == kind as u8
            && number(&head[1..]) as usize == stored.len()
            && number(&head[9..]) == checksum(&head[..9], (self.run, offset), stored);
        if !is_right {
            return Err(self.damaged(offset, "the checksum of a frame"));
        }
        let raw_len = number(&head[5..]) as usize;
        if raw_len == stored.len() {
            raw.clear();
            raw.extend_from_slice(stored);
            return Ok(());
        }
        buffer.drain(..HEAD);
        match raw_len < 1 << 30 && packer.unpack(raw_len, raw) {
            true => Ok(()),
            false => Err(self.damaged(offset, "the compression of a frame")),
        }
    }

    fn packers(&self) -> MutexGuard<'_, Vec<Packer>> {
        self.packers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number in the first four bytes.
pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The number in eight bytes at `at`.
pub(super) fn long_number(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
