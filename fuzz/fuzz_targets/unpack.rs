//! Whatever lies in a compressed stream or a web archive, reading it ends, and in
//! blocks of any size it gives the same findings. The first byte of an input
//! chooses the size; the rest is read as it is, and as a member of a stream whose
//! last member, or last block, is whole.

#![no_main]

use libfuzzer_sys::fuzz_target;
use urisieve::engine::{Mode, Sieve};
use urisieve::input::Source;
use urisieve::item::Finding;

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

/// What begins so many bits later, after zeros.
fn shifted(bytes: &[u8], bits: u8) -> Vec<u8> {
    let mut last = 0u16;
    let next = |&byte: &u8| {
        last = last << 8 | u16::from(byte);
        (last >> (bits % 8)) as u8
    };
    bytes.iter().chain(&[0]).map(next).collect()
}

fn found(bytes: &[u8], block: usize, threads: usize, stream: bool) -> Vec<(u64, Vec<u8>)> {
    let mut found = Vec::new();
    let source = match stream {
        true => Source::Reader(Box::new(bytes)),
        false => Source::Slice(bytes),
    };
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .block_size(block)
        .threads(threads)
        .build();
    let sink = &mut |finding: &Finding<'_>| found.push((finding.offset, finding.uri.to_vec()));
    sieve.run([source], sink).expect("the sink never fails");
    found
}

fuzz_target!(|data: &[u8]| {
    let Some((&size, bytes)) = data.split_first() else {
        return;
    };
    let whole = found(bytes, 64 << 10, 1, false);
    assert_eq!(found(bytes, 1 + usize::from(size), 1, true), whole);
    if size % 16 == 0 {
        // Members and contents are decoded by others.
        assert_eq!(found(bytes, 64 << 10, 2, false), whole);
    }
    if bytes.starts_with(b"\x1F\x8B\x08") {
        let joined = [bytes, &member()].concat();
        found(&joined, 64 << 10, 1, false);
    }
    if bytes.starts_with(b"BZh") {
        // The block alone, and after a shift by any number of bits.
        for after in [
            STREAM.to_vec(),
            STREAM[4..].to_vec(),
            shifted(&STREAM[4..], size),
        ] {
            let joined = [bytes, &after].concat();
            let whole = found(&joined, 64 << 10, 1, false);
            assert_eq!(found(&joined, 1 + usize::from(size), 1, true), whole);
        }
    }
});
