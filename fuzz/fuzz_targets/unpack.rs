//! Reading ends for any compressed stream or web archive, with the same findings and
//! losses in blocks and pieces of any size. The first byte of an input chooses the size
//! of blocks; the rest is read unchanged, and as a member of a stream whose last
//! member, or last block, is complete.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, LossKind};
use urisieve::{Mode, Sieve, Sink};

/// A stored deflate block that holds a record, in a gzip member.
fn member() -> Vec<u8> {
    let record = b"WARC/1.0\r\nContent-Length: 17\r\n\r\nhttp://z.example/\r\n\r\n";
    let mut crc = !0u32;
    for &byte in record {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    let len = record.len() as u16;
    let mut member = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01".to_vec();
    member.extend_from_slice(&len.to_le_bytes());
    member.extend_from_slice(&(!len).to_le_bytes());
    member.extend_from_slice(record);
    member.extend_from_slice(&(!crc).to_le_bytes());
    member.extend_from_slice(&u32::from(len).to_le_bytes());
    member
}

/// A bzip2 stream of one block.
const STREAM: &[u8] = b"BZh11AY&SYT\x8FK8\x00\x00\x0A\x19\x80@\x01\x80\x10&GLP \x00\x22\x8D\x1BH\xD3\x1A\x14\xC0\x014@t\xBB\x82$E:\xB7\xF0M!y\xB1w$S\x85\x09\x05H\xF4\xB3\x80";

/// The same bytes that many bits later, after zeros.
fn shifted(bytes: &[u8], bits: u8) -> Vec<u8> {
    let mut last = 0u16;
    let next = |&byte: &u8| {
        last = last << 8 | u16::from(byte);
        (last >> (bits % 8)) as u8
    };
    bytes.iter().chain(&[0]).map(next).collect()
}

/// Findings with their offsets, and losses.
#[derive(Debug, Default, PartialEq)]
struct Read {
    found: Vec<(u64, Vec<u8>)>,
    losses: Vec<(u64, LossKind)>,
}

impl Sink for Read {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        self.found.push((finding.offset, finding.uri.to_vec()));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push((loss.offset, loss.kind));
    }
}

impl Read {
    /// Losses may come in another order. Where bzip2 is damaged only their number is
    /// compared: its decoder takes more bytes than it needs when they are there, and
    /// the end of a block is not exactly known.
    fn alike(&self, other: &Read) -> bool {
        let container = |kind: &LossKind| kind.damage().map(|damage| damage.container);
        let bzip2 = |(_, kind): &(u64, LossKind)| container(kind) == Some("bzip2");
        let sorted = |read: &Read| {
            let mut lost: Vec<_> = read.losses.iter().map(|loss| format!("{loss:?}")).collect();
            lost.sort();
            lost
        };
        let same = match self.losses.iter().any(bzip2) {
            true => self.losses.len() == other.losses.len(),
            false => sorted(self) == sorted(other),
        };
        same && self.found == other.found
    }
}

/// Reads `bytes` as a slice, or as a stream that comes in pieces.
fn read(bytes: &[u8], block: usize, threads: usize, piece: Option<usize>) -> Read {
    let source = match piece {
        Some(piece) => Source::Reader(Box::new(Dribble(bytes, piece))),
        None => Source::Slice(bytes),
    };
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .block_size(block)
        .threads(threads)
        .build();
    let mut read = Read::default();
    sieve
        .run([source], &mut read)
        .expect("the sink never fails");
    read
}

/// A reader that returns this many bytes at a time.
struct Dribble<'b>(&'b [u8], usize);

impl std::io::Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.1.min(self.0.len()).min(buffer.len());
        buffer[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

/// Asserts that the result for `bytes` is the same in pieces of any size; returns that
/// of the whole.
fn check(bytes: &[u8], block: usize) -> Read {
    let whole = read(bytes, 64 << 10, 1, None);
    for piece in [1, 2, 3, 7, 64, 64 << 10] {
        let pieces = read(bytes, block, 1, Some(piece));
        assert!(whole.alike(&pieces), "{piece}: {whole:?} {pieces:?}");
    }
    whole
}

fuzz_target!(|data: &[u8]| {
    let Some((&size, bytes)) = data.split_first() else {
        return;
    };
    let block = 1 + usize::from(size);
    let whole = check(bytes, block);
    if size % 16 == 0 {
        // Members and contents are decoded by other threads.
        let parallel = read(bytes, 64 << 10, 2, None);
        assert!(whole.alike(&parallel), "{whole:?} {parallel:?}");
    }
    if bytes.starts_with(b"\x1F\x8B\x08") {
        check(&[bytes, &member()].concat(), block);
    }
    if bytes.starts_with(b"BZh") {
        // The block alone, and after a shift by any number of bits.
        for after in [
            STREAM.to_vec(),
            STREAM[4..].to_vec(),
            shifted(&STREAM[4..], size),
        ] {
            check(&[bytes, &after].concat(), block);
        }
    }
});
