//! The first and the last bytes of a run: what it has, and where.

use super::fault::{SeenError, SeenFault};
use super::format::VERSION;
use super::frame::{FrameFile, FramePlace, long_number, number};

/// The first bytes of a run: these, its version, its number, and a checksum.
const MAGIC: &[u8; 8] = b"urisieve";
pub(super) const HEADER: usize = 24;

/// The length of a footer.
pub(super) const FOOTER: usize = 112;

/// What a run has, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RunFooter {
    pub run: u64,
    pub keys: u64,
    /// The bytes of all keys.
    pub key_bytes: u64,
    /// The number of blocks of keys.
    pub blocks: u64,
    /// The sum of the hashes of all keys.
    pub digest: u64,
    /// The number of high bits that choose the part of the filter.
    pub bits: u64,
    /// The places of the upper list of the index, of the list of parts and of the commits.
    pub root: FramePlace,
    pub parts: FramePlace,
    pub commits: FramePlace,
}

/// Returns the first bytes of a run.
pub(super) fn header(run: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&(VERSION as u32).to_le_bytes());
    header[12..20].copy_from_slice(&run.to_le_bytes());
    let checksum = crc32fast::hash(&header[..20]);
    header[20..].copy_from_slice(&checksum.to_le_bytes());
    header
}

impl RunFooter {
    pub(super) fn write(&self) -> [u8; FOOTER] {
        let mut bytes = [0; FOOTER];
        let places = [self.root, self.parts, self.commits];
        let numbers = [
            self.run,
            self.keys,
            self.key_bytes,
            self.blocks,
            self.digest,
            self.bits,
        ];
        let numbers = numbers.into_iter().chain(
            places
                .iter()
                .flat_map(|place| [place.offset, u64::from(place.len)]),
        );
        for (at, number) in numbers.enumerate() {
            bytes[8 * at..8 * at + 8].copy_from_slice(&number.to_le_bytes());
        }
        bytes[96..104].copy_from_slice(MAGIC);
        bytes[104..108].copy_from_slice(&(VERSION as u32).to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..108]);
        bytes[108..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The checksum of the footer, which covers the counts and the digest of all keys.
    pub(super) fn checksum(&self) -> u32 {
        number(&self.write()[108..])
    }

    /// Reads the header and the footer of a file.
    pub(super) fn read(file: &FrameFile) -> Result<RunFooter, SeenError> {
        let len = file.len;
        if len < (HEADER + FOOTER) as u64 {
            return Err(file.damaged(0, "the file is too short"));
        }
        let mut head = [0; HEADER];
        file.read_exact(&mut head, 0)?;
        let version = u64::from(number(&head[8..]));
        if head.starts_with(MAGIC)
            && version > VERSION
            && number(&head[20..]) == crc32fast::hash(&head[..20])
        {
            return Err(SeenError::new(&file.path, SeenFault::Version(version)));
        }
        if head != header(file.run) {
            return Err(file.damaged(0, "the header"));
        }
        let mut bytes = [0; FOOTER];
        let from = len - FOOTER as u64;
        file.read_exact(&mut bytes, from)?;
        if number(&bytes[108..]) != crc32fast::hash(&bytes[..108]) {
            return Err(file.damaged(from, "the checksum of the footer"));
        }
        let at = |index: usize| long_number(&bytes, 8 * index);
        let place = |index: usize| FramePlace {
            offset: at(index),
            len: u32::try_from(at(index + 1)).unwrap_or(u32::MAX),
        };
        let footer = RunFooter {
            run: at(0),
            keys: at(1),
            key_bytes: at(2),
            blocks: at(3),
            digest: at(4),
            bits: at(5),
            root: place(6),
            parts: place(8),
            commits: place(10),
        };
        match footer.write() == bytes && footer.run == file.run && footer.bits < 48 {
            true => Ok(footer),
            false => Err(file.damaged(from, "the footer")),
        }
    }
}
