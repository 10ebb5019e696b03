//! Compressed streams of many independent blocks: damaged blocks are lost and reported,
//! and every other block is read.

use crate::dribble::Dribble;
use crate::forms::bzip2;
use crate::random;
use crate::thorough;
use proptest::prelude::*;
use std::io::Write;
use std::ops::ControlFlow;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, LossKind};
use urisieve::{Error, Mode, Sieve, Sink};

#[derive(Debug, Default, PartialEq)]
struct Report {
    uris: Vec<String>,
    losses: Vec<(u64, LossKind)>,
}

impl Sink for Report {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        let uri = String::from_utf8_lossy(finding.uri).into_owned();
        self.uris.push(uri);
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push((loss.offset, loss.kind));
    }

    fn error(&mut self, error: Error) {
        panic!("{error}");
    }
}

impl Report {
    /// Whether `other`, which was read in other pieces, has the same findings and
    /// losses.
    fn is_like(&self, other: &Report) -> bool {
        let losses = |report: &Report| -> Vec<_> {
            let report = report.losses.iter();
            report
                .map(|(at, kind)| (*at, kind.code(), kind.damage().unwrap().cause))
                .collect()
        };
        self.uris == other.uris && losses(self) == losses(other)
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.losses.iter().map(|loss| loss.1.code()).collect()
    }
}

fn read(source: Source) -> Report {
    let mut report = Report::default();
    let sieve = Sieve::builder().mode(Mode::All).threads(1).build();
    sieve.run([source], &mut report).unwrap();
    report
}

fn found(bytes: &[u8]) -> Report {
    read(Source::Slice(bytes))
}

/// Text of about this many lines that compresses about as well as a log does and
/// contains no runs.
fn text(lines: usize, name: &str) -> Vec<u8> {
    let mut text = String::new();
    let mut x = 12345u32;
    for i in 0..lines {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let line = format!("GET http://{name}.example/{i}/{:x} 200\n", x >> 12);
        let is_run = |bytes: &[u8]| bytes.iter().all(|b| *b == bytes[0]);
        if !line.as_bytes().windows(4).any(is_run) {
            text += &line;
        }
    }
    text.into_bytes()
}

/// The bits at which blocks, and the end, begin.
fn blocks(bytes: &[u8]) -> Vec<usize> {
    const NUMBERS: [u64; 2] = [0x3141_5926_5359, 0x1772_4538_5090];
    let mut places = Vec::new();
    let mut last = 0u64;
    for bit in 0..8 * bytes.len() {
        last = (last << 1 | u64::from(bytes[bit / 8] >> (7 - bit % 8) & 1)) & ((1 << 48) - 1);
        if NUMBERS.contains(&last) {
            places.push(bit - 47);
        }
    }
    places
}

/// A file, the bits between which its blocks lie, and the URIs that lie completely in
/// each.
struct File {
    bytes: Vec<u8>,
    places: Vec<usize>,
    uris: Vec<Vec<String>>,
}

/// A block is of 100,000 bytes less 19 at level 1, where there are no runs.
const BLOCK: usize = 99_981;

fn file() -> File {
    let text = text(14_000, "a");
    let bytes = bzip2(&text);
    let places = blocks(&bytes);
    assert_eq!(places.len() - 1, text.len().div_ceil(BLOCK));
    assert!(places.len() > 6);
    let uris = text.chunks(BLOCK).map(|part| {
        let lines = part.split(|&b| b == b'\n').map(<[u8]>::to_vec);
        let lines = lines.filter(|line| line.starts_with(b"GET") && line.ends_with(b" 200"));
        let uris = lines.map(|line| String::from_utf8(line).unwrap());
        uris.map(|line| line[4..line.len() - 4].to_owned())
            .collect()
    });
    let uris = uris.collect();
    File {
        bytes,
        places,
        uris,
    }
}

impl File {
    /// Whether the report contains everything in these blocks, in order.
    fn holds(&self, report: &Report, blocks: impl Iterator<Item = usize>) -> bool {
        let mut got = report.uris.iter();
        blocks
            .flat_map(|block| &self.uris[block])
            .all(|uri| got.any(|other| other == uri))
    }

    fn len(&self) -> usize {
        self.places.len() - 1
    }
}

#[test]
fn a_bit_flipped_in_each_block() {
    let file = file();
    for block in 0..file.len() {
        let (from, to) = (file.places[block], file.places[block + 1]);
        let number = if block == 0 { 0 } else { 3 };
        let middle = (from + to) / 2;
        let places = [
            from + 50,
            from + 85,
            from + 200,
            middle,
            middle + 1,
            to - 90,
            to - 2,
        ];
        for (n, place) in places
            .into_iter()
            .chain([from + 17; 1][..number / 3].to_vec())
            .enumerate()
            .skip(block % thorough::step(2))
            .step_by(thorough::step(2))
        {
            let mut bytes = file.bytes.clone();
            bytes[place / 8] ^= 0x80 >> (place % 8);
            let report = found(&bytes);
            let others = (0..file.len()).filter(|&other| other != block);
            assert!(
                file.holds(&report, others),
                "bit {place} of block {block}: {:?}",
                report.losses
            );
            assert_eq!(report.losses.len(), 1, "{:?}", report.losses);
            let (at, kind) = report.losses[0];
            let begins = if block == 0 { 0 } else { from as u64 / 8 };
            assert_eq!(at, begins, "bit {place} of block {block}: {kind:?}");
            // A damaged block may seem to continue after the end.
            let may_go_on = block + 1 == file.len() && kind.code() == "truncated";
            assert!(may_go_on || ["damaged", "suspect"].contains(&kind.code()));
            let resumes = kind.damage().unwrap().resumes;
            let next = (block + 1 < file.len()).then_some(to as u64 / 8);
            assert!(
                resumes == next || kind.damage().unwrap().at == to as u64 / 8,
                "{kind:?}"
            );
            if n == 0 {
                // The checksum itself.
                assert_eq!(kind.code(), "suspect");
                assert!(file.holds(&report, 0..file.len()));
            }
            if n < 3 {
                for piece in 1..=7 {
                    let dribbled = read(Source::Reader(Box::new(Dribble(&bytes, piece))));
                    assert!(dribbled.is_like(&report), "by {piece}");
                }
            }
        }
    }
}

#[test]
fn the_end_is_damaged() {
    let file = file();
    let end = file.places[file.len()];
    for place in [end, end + 20, end + 47, end + 48, end + 79] {
        let mut bytes = file.bytes.clone();
        bytes[place / 8] ^= 0x80 >> (place % 8);
        let report = found(&bytes);
        assert!(file.holds(&report, 0..file.len()));
        assert_eq!(report.losses.len(), 1, "{:?}", report.losses);
        // The checksum is that of the whole stream.
        let (at, kind) = match place - end {
            0..48 => (end as u64 / 8, "damaged"),
            _ => (0, "suspect"),
        };
        assert_eq!((report.losses[0].0, report.kinds()[0]), (at, kind));
        // The rest is read, and nothing twice.
        for more in [&b"garbage"[..], &bzip2(b"http://b.example/")] {
            let longer = found(&[&bytes, more].concat());
            assert!(longer.uris.starts_with(&report.uris));
            assert!(longer.uris.len() - report.uris.len() <= 1);
        }
    }
}

#[test]
fn every_cut_gives_the_blocks_before_it() {
    let file = file();
    let step = file.bytes.len() / 211 * thorough::step(2);
    let near = file
        .places
        .iter()
        .flat_map(|place| place / 8 - 2..place / 8 + 16);
    for cut in (20..file.bytes.len()).step_by(step).chain(near) {
        let cut = cut.clamp(12, file.bytes.len() - 1);
        let report = found(&file.bytes[..cut]);
        // The last block is decoded when its last bit is there.
        let whole = file.places[1..]
            .iter()
            .filter(|&&end| end <= 8 * cut)
            .count();
        assert!(file.holds(&report, 0..whole), "cut at {cut}");
        assert_eq!(
            report.kinds(),
            ["truncated"],
            "cut at {cut}: {:?}",
            report.losses
        );
        let at = report.losses[0].0 as usize;
        let last = file.places[..=whole]
            .iter()
            .rev()
            .find(|&&place| place < 8 * cut);
        let last = last.map_or(0, |place| place / 8);
        // A part without a missing block is the stream itself.
        let is_stream = whole == 0 || whole == file.len();
        assert!(
            at.abs_diff(last) <= 8 || is_stream && at == 0,
            "{at} {last}"
        );
    }
}

#[test]
fn two_bits_in_different_blocks_and_in_one() {
    let file = file();
    for (first, second) in [(0, 1), (0, 5), (1, 3), (2, 2), (3, 4), (4, 5)] {
        let mut bytes = file.bytes.clone();
        for (block, more) in [(first, 1000), (second, 3001)] {
            let place = file.places[block] + more;
            bytes[place / 8] ^= 0x80 >> (place % 8);
        }
        let report = found(&bytes);
        let others = (0..file.len()).filter(|&other| other != first && other != second);
        assert!(
            file.holds(&report, others),
            "{first} {second}: {:?}",
            report.losses
        );
        let number = if first == second { 1 } else { 2 };
        assert_eq!(report.losses.len(), number, "{:?}", report.losses);
        let dribbled = read(Source::Reader(Box::new(Dribble(&bytes, 999))));
        assert!(dribbled.is_like(&report));
    }
}

#[test]
fn many_streams_one_of_them_damaged() {
    let file = file();
    let others = [text(3000, "b"), text(3000, "c")];
    let wanted = others.each_ref().map(|text| found(text).uris);
    let before = bzip2(&others[0]);
    for block in 0..file.len() {
        for place in [file.places[block] + 3000, file.places[block + 1] - 20] {
            let mut bytes = file.bytes.clone();
            bytes[place / 8] ^= 0x80 >> (place % 8);
            let report = found(&[&before[..], &bytes, &bzip2(&others[1])].concat());
            assert!(report.uris.starts_with(&wanted[0]));
            assert!(report.uris.ends_with(&wanted[1]));
            let blocks = (0..file.len()).filter(|&other| other != block);
            assert!(file.holds(&report, blocks));
            assert_eq!(report.losses.len(), 1, "{:?}", report.losses);
            let begins = if block == 0 {
                0
            } else {
                file.places[block] / 8
            };
            assert_eq!(report.losses[0].0 as usize, before.len() + begins);
        }
    }
    // Without its beginning a stream is still made of blocks.
    let mut bytes = [&before[..], &file.bytes].concat();
    bytes[before.len() + 1] ^= 1;
    let report = found(&bytes);
    assert!(file.holds(&report, 0..file.len()));
    assert_eq!(report.losses.len(), 1, "{:?}", report.losses);
}

proptest! {
    #![proptest_config(random::cases(30))]

    /// Whatever the damage, the blocks before it are read, and those some way after it;
    /// the way of reading makes no difference.
    #[test]
    fn any_damage_is_read_alike(
        at in any::<prop::sample::Index>(),
        len in 0..60_000usize,
        byte in any::<u8>(),
        what in 0..5u8,
        piece in 1usize..5000,
    ) {
        let file = file();
        let at = at.index(file.bytes.len());
        let to = file.bytes.len().min(at + len);
        let (before, after) = (&file.bytes[..at], &file.bytes[to..]);
        let bytes = match what {
            0 => [before, &vec![byte; len], after].concat(),
            1 => [before, after].concat(),
            2 => [before, &file.bytes[to / 2..to], &file.bytes[at..]].concat(),
            3 => before.to_vec(),
            _ => {
                let mut bytes = file.bytes.clone();
                bytes[at] ^= byte;
                bytes
            }
        };
        let report = found(&bytes);
        let dribbled = read(Source::Reader(Box::new(Dribble(&bytes, piece))));
        prop_assert!(report.uris == dribbled.uris);
        let whole = file.places[1..].iter().filter(|&&end| end <= 8 * at).count();
        prop_assert!(at < 14 || file.holds(&report, 0..whole));
        let to = if what == 4 { at + 1 } else { to };
        let later = (0..file.len()).filter(|&block| what != 3 && file.places[block] >= 8 * to);
        prop_assert!(at < 14 || file.holds(&report, later), "{:?}", report.losses);
    }
}

/// Magic numbers of blocks at every offset are tried once each, and hide nothing.
#[test]
fn hostile_blocks_are_tried_once() {
    let good = bzip2(&text(4000, "a"));
    let uris = found(&good).uris.len();
    let blocks = blocks(&good);
    let header = &good[4..4 + 60];
    for noise in [
        b"1AY&SY".repeat(150_000),
        b"BZh91AY&SY".repeat(100_000),
        b"BZh91AY&SY".repeat(20_000),
        b"BZh9\x17rE8P\x90abcdx".repeat(10_000),
        header.repeat(10_000),
        good[4..blocks[1] / 8 - 3].repeat(30),
    ] {
        let starts = [&good[..], &good[..good.len() - 9]];
        for start in thorough::part(starts, 2, noise.len() / 10_000) {
            let bytes = [start, &noise, &good].concat();
            let report = found(&bytes);
            assert_eq!(report.uris.len(), 2 * uris, "{:?}", &noise[..20]);
            assert!(
                report.losses.len() <= bytes.len() / 10,
                "{}",
                report.losses.len()
            );
        }
    }
}

// --- LZ4 ---

fn lz4(text: &[u8], checksums: bool, mode: lz4_flex::frame::BlockMode) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new()
        .block_mode(mode)
        .block_size(lz4_flex::frame::BlockSize::Max64KB)
        .block_checksums(checksums)
        .content_checksum(true);
    let mut writer = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

/// Where the blocks of an LZ4 frame and its end mark begin.
fn lz4_blocks(bytes: &[u8], checksums: bool) -> Vec<usize> {
    let (mut at, mut places) = (7, vec![7]);
    loop {
        let size = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) & 0x7FFF_FFFF;
        if size == 0 {
            return places;
        }
        at += 4 + size as usize + if checksums { 4 } else { 0 };
        places.push(at);
    }
}

#[test]
fn a_block_of_lz4_is_stepped_over() {
    let text = text(8000, "a");
    let last = b"http://last.example/ ";
    let parts: Vec<Vec<String>> = text.chunks(64 << 10).map(|part| found(part).uris).collect();
    for checksums in [true, false] {
        let bytes = lz4(&text, checksums, lz4_flex::frame::BlockMode::Independent);
        let places = lz4_blocks(&bytes, checksums);
        assert_eq!(places.len(), parts.len() + 1);
        for block in 0..parts.len() {
            for place in (places[block]..places[block + 1]).step_by(997) {
                let mut bytes = bytes.clone();
                bytes[place] ^= 0x10;
                let whole = [&bytes[..], &lz4(last, true, Default::default())].concat();
                let report = found(&whole);
                let is_size = place == places[block];
                let mut got = report.uris.iter();
                for (other, uris) in parts.iter().enumerate() {
                    // The first and the last may be cut.
                    let inner = &uris[1..uris.len() - 1];
                    assert!(
                        other == block
                            || is_size && other > block
                            || inner.iter().all(|uri| got.any(|other| other == uri)),
                        "{place} in {block}: {:?}",
                        report.losses
                    );
                }
                assert_eq!(report.uris.last().unwrap(), "http://last.example/");
                let at = if block == 0 { 0 } else { places[block] as u64 };
                assert!(checksums || is_size || report.losses.len() <= 1);
                if checksums && !is_size {
                    assert_eq!(report.losses.len(), 1, "{:?}", report.losses);
                    assert_eq!(report.losses[0].0, at);
                }
                assert!(!report.losses.is_empty());
                let dribbled = read(Source::Reader(Box::new(Dribble(&whole, 61))));
                assert!(dribbled.is_like(&report));
            }
        }
    }
}

// --- xz ---

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

fn with_crc32(bytes: Vec<u8>) -> Vec<u8> {
    let crc = crc32(&bytes);
    [&bytes[..], &crc].concat()
}

/// A number of the .xz file format, section 1.2.
fn number(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// An .xz stream whose blocks state their sizes, as those of many threads do, and the
/// offsets of the blocks and the index.
fn xz(parts: &[&[u8]]) -> (Vec<u8>, Vec<usize>) {
    use liblzma::stream::{Action, Filters, LzmaOptions, Stream};
    let flags = [0, 1];
    let mut bytes = [b"\xFD7zXZ\0", &flags[..], &crc32(&flags)].concat();
    let mut places = Vec::new();
    let mut records = number(parts.len());
    for part in parts {
        places.push(bytes.len());
        let options = LzmaOptions::new_preset(0).unwrap();
        let mut stream = Stream::new_raw_encoder(Filters::new().lzma2(&options)).unwrap();
        let mut data = Vec::with_capacity(part.len() + 4096);
        stream.process_vec(part, &mut data, Action::Finish).unwrap();
        let lens = [number(data.len()), number(part.len())].concat();
        // LZMA2 with a window of 256 KiB.
        let mut header = [&[0, 0xC0][..], &lens, &[0x21, 1, 12]].concat();
        header.resize(header.len().next_multiple_of(4), 0);
        header[0] = (header.len() / 4) as u8;
        let header = with_crc32(header);
        let size = header.len() + data.len() + 4;
        data.resize(data.len().next_multiple_of(4), 0);
        bytes = [&bytes[..], &header, &data, &crc32(part)].concat();
        records.extend([number(size), number(part.len())].concat());
    }
    places.push(bytes.len());
    let mut index = [&[0][..], &records].concat();
    index.resize(index.len().next_multiple_of(4), 0);
    let index = with_crc32(index);
    let size = (index.len() as u32 / 4 - 1).to_le_bytes();
    let footer = [&size[..], &flags].concat();
    let bytes = [&bytes[..], &index, &crc32(&footer), &footer, b"YZ"].concat();
    (bytes, places)
}

#[test]
fn a_block_of_xz_is_stepped_over() {
    let text = text(8000, "a");
    let parts: Vec<&[u8]> = text.chunks(50_000).collect();
    let (bytes, places) = xz(&parts);
    let whole = found(&bytes);
    assert!(whole.uris == found(&text).uris && whole.losses.is_empty());
    let (last, _) = xz(&[b"http://last.example/ "]);
    let uris_of_parts: Vec<_> = parts.iter().map(|part| found(part).uris).collect();
    for block in 0..parts.len() {
        let (from, to) = (places[block], places[block + 1]);
        for place in [from + 20, from + 500, (from + to) / 2, to - 3, from + 4] {
            let mut bytes = [&bytes[..], &last].concat();
            bytes[place] ^= 0x10;
            let report = found(&bytes);
            // A damaged header says nothing about the rest.
            let is_header = place == from + 4;
            let mut got = report.uris.iter();
            for (other, uris) in uris_of_parts.iter().enumerate() {
                let inner = &uris[1..uris.len() - 1];
                assert!(
                    other == block
                        || is_header && other > block
                        || inner.iter().all(|uri| got.any(|other| other == uri)),
                    "{place} in {block}: {:?}",
                    report.losses
                );
            }
            assert_eq!(report.uris.last().unwrap(), "http://last.example/");
            assert_eq!(report.losses.len(), 1, "{:?}", report.losses);
            let at = if block == 0 { 0 } else { from as u64 };
            let is_suspect = place == to - 3;
            let kind = if is_suspect { "suspect" } else { "damaged" };
            assert!(is_header || report.losses[0].0 == at, "{:?}", report.losses);
            assert!(
                report.kinds() == [kind] || !is_suspect,
                "{:?}",
                report.losses
            );
            for piece in thorough::part(1..=7, 7, place) {
                let dribbled = read(Source::Reader(Box::new(Dribble(&bytes, piece))));
                assert!(dribbled.is_like(&report), "by {piece}");
            }
        }
        // A truncated block is not skipped.
        let cut = [&bytes[..(from + to) / 2], &last].concat();
        let report = found(&cut);
        assert_eq!(report.uris.last().unwrap(), "http://last.example/");
        assert!(!report.losses.is_empty());
    }
}

/// Wrong magic numbers of blocks are treated in the same way, however the bytes come.
#[test]
fn false_blocks_are_judged_alike() {
    // The number of a block, a checksum, and what a block may begin with.
    let fake = b"1AY&SY\0\0\0\0\0\0\0@\0\x7F\xFF\xA0\0 \0";
    let mut bytes = bzip2(b"http://first.example/");
    bytes.extend(b"BZh91AY&SY");
    bytes.extend([0xFF; 30]);
    bytes.extend(fake.repeat(1000));
    for i in 0..100 {
        bytes.extend(fake.repeat(9));
        bytes.extend(&bzip2(format!("http://good.example/{i}\n").as_bytes())[4..]);
        bytes.extend([0; 9000]);
    }
    let wanted = found(&bytes);
    assert!(wanted.uris.len() > 1 && wanted.losses.len() > 1000);
    for piece in [977, 1 << 20] {
        let source = Source::Reader(Box::new(Dribble(&bytes, piece)));
        assert!(read(source).is_like(&wanted), "{piece}");
    }
    let mut report = Report::default();
    let sieve = Sieve::builder().mode(Mode::All).threads(2).build();
    sieve.run([Source::Slice(&bytes)], &mut report).unwrap();
    assert_eq!(report.uris, wanted.uris);
    assert_eq!(report.losses.len(), wanted.losses.len());
    assert_eq!(report, wanted);
}
