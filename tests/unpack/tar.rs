//! Tar archives: the members of every format are read, however their bytes come, and
//! where they are damaged, every loss is reported.

use crate::archive::{BLOCK, Header};
use crate::forms::bzip2;
use crate::packed::{gzip, zstd};
use crate::program::run;
use crate::reports::{Found, Report, reported, reported_alike};
use crate::thorough;
use crate::ways::Numbers;
use urisieve::Sieve;
use urisieve::input::Source;
use urisieve::item::Finding;

// --- Archives ---

trait Dialect {
    /// Of v7.
    fn old(self) -> Self;
    fn gnu(self) -> Self;
}

impl Dialect for Header {
    fn old(self) -> Header {
        self.with(257, &[0; 255])
    }

    fn gnu(self) -> Header {
        self.with(257, b"ustar  \0")
    }
}

fn file(name: &str, content: &[u8]) -> Vec<u8> {
    Header::new(name.as_bytes(), b'0', content.len()).member(content)
}

fn pax(flag: u8, records: &[(&str, &str)]) -> Vec<u8> {
    let mut text = String::new();
    for (key, value) in records {
        let rest = format!(" {key}={value}\n");
        let mut len = rest.len() + 1;
        while format!("{len}{rest}").len() != len {
            len += 1;
        }
        text += &format!("{len}{rest}");
    }
    Header::new(b"PaxHeaders/0", flag, text.len()).member(text.as_bytes())
}

fn end() -> Vec<u8> {
    vec![0; 2 * BLOCK]
}

fn archive(members: &[Vec<u8>]) -> Vec<u8> {
    [members.concat(), end()].concat()
}

/// Members `0` to `4` of different lengths.
fn five() -> Vec<Vec<u8>> {
    let content = |i: usize| format!("see http://{i}.example/\n").repeat(1 + 20 * i);
    (0..5)
        .map(|i| file(&i.to_string(), content(i).as_bytes()))
        .collect()
}

// --- What is found ---

/// The position of each finding: `member:offset:uri`.
fn places(report: &Report) -> Vec<String> {
    let place = |found: &Found| {
        let member = found.member.as_deref().unwrap_or("?");
        format!("{member}:{}:{}", found.offset, found.uri)
    };
    report.found.iter().map(place).collect()
}

/// The members with findings, in order.
fn members_of(report: &Report) -> Vec<&str> {
    let found = report.found.iter();
    let mut members: Vec<&str> = found
        .map(|found| found.member.as_deref().unwrap_or("?"))
        .collect();
    members.dedup();
    members
}

/// The losses: offset, code, cause, and where reading resumes.
fn lost(report: &Report) -> Vec<(u64, &str, &str, Option<u64>)> {
    let losses = report.losses.iter();
    losses
        .map(|(at, kind)| {
            let damage = kind.damage().unwrap();
            (*at, kind.code(), damage.cause, damage.resumes)
        })
        .collect()
}

// --- Formats ---

#[test]
fn names_and_offsets_in_every_format() {
    let text = b"see http://a.example/";
    let len = text.len();
    let long = format!("{}/b.log", "d".repeat(150));
    let longer = format!("{}/c.log", "e".repeat(2000));
    let split = Header::new(b"b.log", b'0', len).with(345, &[b'd'; 150]);
    let name = longer.as_bytes();
    let members = [
        ("a".to_owned(), Header::new(b"a", 0, len).old().member(text)),
        (
            "x".repeat(100),
            Header::new(&[b'x'; 100], b'0', len).member(text),
        ),
        (long, split.member(text)),
        (
            longer.clone(),
            [pax(b'x', &[("path", &longer)]), file("short", text)].concat(),
        ),
        (
            longer.clone(),
            [
                Header::new(b"././@LongLink", b'L', name.len() + 1)
                    .gnu()
                    .member(&[name, b"\0"].concat()),
                Header::new(b"././@LongLink", b'K', 4).gnu().member(b"link"),
                Header::new(&name[..100], b'0', len).gnu().member(text),
            ]
            .concat(),
        ),
        // These bytes are not a prefix of the name.
        (
            "gnu".to_owned(),
            Header::new(b"gnu", b'0', len)
                .gnu()
                .with(345, b"14371573455")
                .member(text),
        ),
        (
            "contiguous".to_owned(),
            Header::new(b"contiguous", b'7', len).member(text),
        ),
        (
            "unknown".to_owned(),
            Header::new(b"unknown", b'Z', len).member(text),
        ),
        ("last".to_owned(), file("last", text)),
    ];
    let names: Vec<String> = members
        .iter()
        .map(|(name, _)| format!("{name}:4:http://a.example/"))
        .collect();
    let bytes = members.map(|member| member.1);
    let report = reported_alike(&archive(&bytes));
    assert_eq!((places(&report), lost(&report)), (names.clone(), vec![]));
    // Each of them may be the first.
    for first in 0..bytes.len() {
        let report = reported(&archive(&bytes[first..]));
        assert_eq!(
            (places(&report), lost(&report)),
            (names[first..].to_vec(), vec![])
        );
    }
}

#[test]
fn names_are_bytes() {
    let mut bytes = Vec::new();
    let archive = archive(&[Header::new(b"\xFF\xE9", b'0', 9).member(b"http://a/")]);
    let visit = |finding: &Finding<'_>| bytes = finding.context.member.unwrap().to_vec();
    let sieve = Sieve::builder().build();
    sieve.for_each_in([Source::Slice(&archive)], visit).unwrap();
    assert_eq!(bytes, b"\xFF\xE9");
}

#[test]
fn sizes_that_are_said_otherwise() {
    let text = b"see http://a.example/ and more of it";
    let mut binary = [0; 12];
    (binary[0], binary[11]) = (0x80, text.len() as u8);
    let size = text.len().to_string();
    let bytes = archive(&[
        Header::new(b"binary", b'0', 0)
            .with(124, &binary)
            .member(text),
        pax(b'x', &[("comment", "a\nb"), ("size", &size)]),
        Header::new(b"pax", b'0', 0).member(text),
        // Only one member is of this size.
        file("empty", b""),
        Header::new(b"blank", b'0', 0)
            .with(124, b"         44 ")
            .member(text),
        pax(b'g', &[("comment", "http://comment.example/")]),
        file("last", text),
    ]);
    let report = reported_alike(&bytes);
    assert_eq!(members_of(&report), ["binary", "pax", "blank", "last"]);
    assert_eq!(lost(&report), []);
}

#[test]
fn what_is_said_of_all_members() {
    let text = b"http://a.example/";
    let bytes = archive(&[
        pax(b'g', &[("path", "all")]),
        file("a", text),
        pax(b'x', &[("path", "own")]),
        file("b", text),
        file("c", text),
    ]);
    assert_eq!(members_of(&reported_alike(&bytes)), ["all", "own", "all"]);
}

#[test]
fn what_has_no_content() {
    let text = b"http://a.example/";
    let headers = b"23456"
        .iter()
        .map(|&flag| Header::new(b"special", flag, 9000).block());
    let mut members: Vec<Vec<u8>> = headers.collect();
    members.extend([
        // Some programs say the size of what a link is to.
        Header::new(b"gnu link", b'1', 9000).gnu().block(),
        Header::new(b"link", b'1', 9000).block(),
        file("a", text),
        // Others store it again.
        Header::new(b"link with content", b'1', text.len()).member(text),
        pax(b'x', &[("size", "512")]),
        Header::new(b"link to an archive", b'1', 0).block(),
        file("in it", b""),
        // The names in a directory.
        Header::new(b"dump", b'D', 20)
            .gnu()
            .member(b"Yhttp://b.example/\0\0"),
        Header::new(b"volume", b'V', 0).gnu().block(),
        file("z", text),
        Header::new(b"link at the end", b'1', 9000).block(),
    ]);
    let report = reported_alike(&archive(&members));
    assert_eq!(members_of(&report), ["a", "link with content", "z"]);
    assert_eq!(lost(&report), []);
}

#[test]
fn sparse_files_as_they_are_stored() {
    let text = b"see http://a.example/";
    let map = |goes_on: u8| {
        let mut block = vec![b'0'; BLOCK];
        block[504] = goes_on;
        block
    };
    let header = || Header::new(b"old", b'S', text.len()).gnu();
    let posix = b"1\n1048576\n21\n".to_vec();
    let posix = [posix.clone(), vec![0; BLOCK - posix.len()], text.to_vec()].concat();
    let bytes = archive(&[
        header().member(text),
        [
            header().with(482, b"\x01").block(),
            map(1),
            map(0),
            header().member(text).split_off(BLOCK),
        ]
        .concat(),
        pax(
            b'x',
            &[
                ("GNU.sparse.major", "1"),
                ("GNU.sparse.name", "new"),
                ("path", "GNUSparseFile.0/new"),
            ],
        ),
        file("short", &posix),
        file("last", text),
    ]);
    let report = reported_alike(&bytes);
    let at = |place: &str| format!("{place}:http://a.example/");
    assert_eq!(
        places(&report),
        [at("old:4"), at("old:4"), at("new:516"), at("last:4")]
    );
    assert_eq!(lost(&report), []);
}

#[test]
fn members_do_not_run_into_each_other() {
    let bytes = archive(&[
        file(
            "a",
            &[b"x ".repeat(244), b"http://a.example/half-of-".to_vec()].concat(),
        ),
        file("b", b"\xEF\xBB\xBFhttp://b.example/ <http://c.example/\n"),
        file("c", b"open>"),
    ]);
    let report = reported_alike(&bytes);
    let places = places(&report);
    assert_eq!(places[0], "a:488:http://a.example/half-of-");
    assert_eq!(
        places[1..],
        ["b:3:http://b.example/", "b:22:http://c.example/"]
    );
}

#[test]
fn compressed_archives_and_members() {
    let text = b"see http://a.example/\n".repeat(100);
    let members = [
        file("plain", &text),
        file("a.gz", &gzip(&text)),
        file("a.zst", &zstd(&text)),
        file("a.bz2", &bzip2(&text)),
        file("b", &text),
    ];
    let wanted = reported_alike(&archive(&members));
    assert_eq!(
        members_of(&wanted),
        ["plain", "a.gz", "a.zst", "a.bz2", "b"]
    );
    assert_eq!((wanted.found.len(), lost(&wanted)), (500, vec![]));
    for form in [gzip, zstd, bzip2, |bytes: &[u8]| gzip(&zstd(bytes))] {
        assert_eq!(reported_alike(&form(&archive(&members))), wanted);
    }
    // One member of the compression for each piece, wherever that ends.
    for piece in [100, 512, 1300] {
        let bytes: Vec<u8> = archive(&members).chunks(piece).flat_map(gzip).collect();
        assert_eq!(reported_alike(&bytes), wanted);
    }
    let damaged = file("a.gz", &gzip(&text)[..40]);
    let report = reported_alike(&archive(&[members[0].clone(), damaged, members[4].clone()]));
    assert_eq!(lost(&report)[0].0, members[0].len() as u64);
    assert!(
        ["plain", "b"]
            .iter()
            .all(|name| members_of(&report).contains(name))
    );
}

// --- Ends ---

#[test]
fn archives_may_be_joined() {
    let [a, b] = ["a", "b"].map(|name| file(name, b"http://a.example/"));
    let padded = |zeros: usize| {
        [
            archive(std::slice::from_ref(&a)),
            vec![0; zeros],
            archive(std::slice::from_ref(&b)),
        ]
        .concat()
    };
    for zeros in [0, BLOCK, 18 * BLOCK, 33 * BLOCK] {
        let report = reported_alike(&padded(zeros));
        assert_eq!(
            (members_of(&report), lost(&report)),
            (vec!["a", "b"], vec![])
        );
        let report = reported_alike(&[gzip(&padded(zeros)), gzip(&padded(zeros))].concat());
        assert_eq!(
            (members_of(&report), lost(&report)),
            (vec!["a", "b", "a", "b"], vec![])
        );
    }
}

#[test]
fn an_end_of_zeros_of_any_length() {
    let a = file("a", b"http://a.example/");
    for zeros in [1, 511, 512, 513, 1023, 1024, 9000] {
        let report = reported(&[a.clone(), vec![0; zeros]].concat());
        assert_eq!(
            (members_of(&report), lost(&report)),
            (vec!["a"], vec![]),
            "{zeros}"
        );
    }
    let report = reported_alike(&a);
    let cause = "the end of the archive is missing";
    assert_eq!(lost(&report), [(1024, "truncated", cause, None)]);
}

#[test]
fn bytes_after_the_end() {
    let a = file("a", b"http://a.example/");
    let cause = "bytes that belong to no member";
    for after in [&b"x"[..], &[b'x'; 600], b"http://b.example/\0\0"] {
        let report = reported_alike(&[archive(std::slice::from_ref(&a)), after.to_vec()].concat());
        assert_eq!(members_of(&report), ["a"]);
        assert_eq!(lost(&report), [(2048, "garbage", cause, None)]);
        let bytes = [
            archive(std::slice::from_ref(&a)),
            after.to_vec(),
            archive(std::slice::from_ref(&a)),
        ]
        .concat();
        let report = reported_alike(&bytes);
        assert_eq!(report.found.len(), 2);
        let resumes = Some(2048 + after.len() as u64);
        assert_eq!(lost(&report), [(2048, "garbage", cause, resumes)]);
    }
}

#[test]
fn every_cut_is_named() {
    let members = five();
    let whole = members.concat();
    let all = reported(&archive(&members)).found;
    let ends: Vec<usize> = (1..=5).map(|n| members[..n].concat().len()).collect();
    // By an odd step, so that cuts meet each place in blocks.
    for len in (BLOCK..=whole.len()).step_by(thorough::step(3)) {
        let report = reported(&whole[..len]);
        let complete = ends.iter().filter(|&&end| end <= len).count();
        let names: Vec<String> = (0..complete).map(|i| i.to_string()).collect();
        let of = |name: &String| {
            all.iter()
                .filter(|found| found.member.as_ref() == Some(name))
                .count()
        };
        assert!(report.found.len() >= names.iter().map(of).sum(), "{len}");
        let losses = lost(&report);
        assert_eq!(
            (losses.len(), losses[0].1),
            (1, "truncated"),
            "{len}: {losses:?}"
        );
    }
    let report = reported_alike(&whole[..ends[1] + BLOCK + 100]);
    assert_eq!(
        lost(&report),
        [(ends[1] as u64, "truncated", "the member is truncated", None)]
    );
    let report = reported_alike(&whole[..ends[1] + 100]);
    let cause = "the header of a member is truncated";
    assert_eq!(lost(&report), [(ends[1] as u64, "truncated", cause, None)]);
    let bytes = [file("a", b"http://a.example/"), pax(b'x', &[("path", "b")])].concat();
    for cut in [1024 + 512, 1024 + 515] {
        let report = reported_alike(&bytes[..cut]);
        assert_eq!(lost(&report), [(1024, "truncated", cause, None)]);
    }
}

// --- Damage ---

#[test]
fn every_flipped_byte_of_a_header_is_named() {
    let members = five();
    let clean = archive(&members);
    let all = reported(&clean).found;
    let start = members[..2].concat().len();
    for at in start..start + BLOCK {
        for mask in [0x01, 0x10, 0x80, 0xFF] {
            let mut bytes = clean.clone();
            bytes[at] ^= mask;
            let report = reported(&bytes);
            if report.found == all {
                // A blank or a NUL of the checksum.
                assert!((start + 148..start + 156).contains(&at), "{at}");
                continue;
            }
            let at_next = start + members[2].len();
            let cause = match (start + 257..start + 262).contains(&at) {
                true => ("garbage", "bytes that belong to no member"),
                false => ("damaged", "the header of a member is wrong"),
            };
            let loss = (start as u64, cause.0, cause.1, Some(at_next as u64));
            assert_eq!(lost(&report), [loss], "{at}");
            assert_eq!(members_of(&report), ["0", "1", "3", "4"], "{at}");
        }
    }
    for at in [start, start + 257] {
        let mut bytes = clean.clone();
        bytes[at] ^= 1;
        reported_alike(&bytes);
    }
}

#[test]
fn a_size_that_is_not_a_number() {
    let members = five();
    let damaged = Header::new(b"1", b'0', 0)
        .with(124, b"00000000x17\0")
        .member(b"http://x.example/");
    let bytes = archive(&[members[0].clone(), damaged, members[2].clone()]);
    let report = reported_alike(&bytes);
    assert_eq!(members_of(&report), ["0", "2"]);
    let cause = "the size of a member is not a number";
    assert_eq!(lost(&report), [(1024, "damaged", cause, Some(2048))]);
}

#[test]
fn bytes_that_are_missing_or_too_many() {
    let members = five();
    let start = members[..2].concat().len();
    let next = start + members[2].len();
    for (from, to, more) in [
        (start + 600, start + 607, 0),
        (start + 600, start + 600, 3),
        (next - 1, next, 700),
    ] {
        let mut bytes = archive(&members);
        bytes.splice(from..to, vec![b'x'; more]);
        let report = reported_alike(&bytes);
        assert_eq!(lost(&report).len(), 1, "{:?}", lost(&report));
        for name in ["0", "1", "2", "4"] {
            assert!(
                members_of(&report).contains(&name),
                "{name}: {:?}",
                lost(&report)
            );
        }
    }
    // Metadata of one member does not apply to another.
    let mut said = pax(b'x', &[("path", "wrong")]);
    said.extend(b"x".repeat(BLOCK));
    let report = reported_alike(&archive(&[members[0].clone(), said, members[1].clone()]));
    assert_eq!(members_of(&report), ["0", "1"]);
}

#[test]
fn old_headers_are_found_again_where_they_are_expected() {
    let text = b"http://a.example/";
    let old = |name: &[u8]| Header::new(name, 0, text.len()).old().member(text);
    let mut bytes = archive(&[old(b"a"), old(b"b"), old(b"c"), old(b"d")]);
    bytes[1024] ^= 1;
    let report = reported_alike(&bytes);
    assert_eq!(members_of(&report), ["a", "c", "d"]);
    let cause = "bytes that belong to no member";
    assert_eq!(lost(&report), [(1024, "garbage", cause, Some(2048))]);
}

#[test]
fn wrong_and_very_long_extensions() {
    let a = file("a", b"http://a.example/");
    let wrong = Header::new(b"pax", b'x', 12).member(b"99 path=b\n\0\0");
    let report = reported_alike(&archive(&[wrong, a.clone()]));
    assert_eq!(members_of(&report), ["a"]);
    let cause = "a pax header is malformed";
    assert_eq!(lost(&report), [(0, "damaged", cause, None)]);
    for flag in *b"xgL" {
        let name = vec![b'n'; (1 << 20) + 1];
        let long = Header::new(b"long", flag, name.len()).member(&name);
        let report = reported(&archive(&[long, a.clone()]));
        assert_eq!(members_of(&report), ["a"]);
        let cause = "a pax header or name of more than 1 MiB";
        assert_eq!(lost(&report), [(0, "unsupported", cause, None)]);
        let name = vec![b'n'; 1 << 20];
        let long = Header::new(b"long", flag, name.len()).member(&name);
        let report = reported(&archive(&[long, a.clone()]));
        let expect = if flag == b'L' { 0 } else { 1 };
        assert_eq!((report.found.len(), lost(&report).len()), (1, expect));
    }
}

#[test]
fn damage_in_the_compression_around_it() {
    let members: Vec<Vec<u8>> = (0..6)
        .map(|i| {
            let text: String = (0..400)
                .map(|n| format!("http://{i}.example/{n}\n"))
                .collect();
            file(&i.to_string(), text.as_bytes())
        })
        .collect();
    let clean = archive(&members);
    let pieces: Vec<Vec<u8>> = clean.chunks(4000).map(gzip).collect();
    for damaged in 1..pieces.len() - 1 {
        let mut pieces = pieces.clone();
        let middle = pieces[damaged].len() / 2;
        pieces[damaged].truncate(middle);
        let report = reported_alike(&pieces.concat());
        assert!(lost(&report).iter().any(|lost| lost.1 != "garbage"));
        let (from, to) = (damaged * 4000, (damaged + 1) * 4000);
        let mut at = 0;
        for (i, member) in members.iter().enumerate() {
            let is_whole = at + member.len() <= from || at >= to;
            at += member.len();
            let name = i.to_string();
            let count = report
                .found
                .iter()
                .filter(|found| found.member.as_ref() == Some(&name))
                .count();
            assert!(!is_whole || count == 400, "{damaged}: {name}: {count}");
            let host = format!("http://{name}.");
            let is_named = |found: &&Found| found.member.as_ref() == Some(&name);
            for found in report.found.iter().filter(is_named) {
                assert!(
                    found.suspect || found.uri.starts_with(&host),
                    "{damaged}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn what_a_damaged_compression_gives_is_suspect_to_its_end() {
    let mut bytes = gzip(&archive(&[file(
        "a",
        b"http://a.example/ http://b.example/",
    )]));
    let checksum = bytes.len() - 8;
    bytes[checksum] ^= 1;
    let report = reported_alike(&bytes);
    assert_eq!(members_of(&report), ["a"]);
    assert_eq!(report.found.len(), 2);
    assert!(report.found.iter().all(|found| found.suspect));
}

#[test]
fn any_damage_is_read_alike() {
    let mut numbers = Numbers(1);
    let mut clean = five();
    clean.insert(2, pax(b'x', &[("path", "long")]));
    clean.insert(1, Header::new(b"link", b'1', 700).block());
    clean.insert(
        4,
        Header::new(b"sparse", b'S', 0)
            .gnu()
            .with(482, b"\x01")
            .member(&[0; BLOCK]),
    );
    clean.push(archive(&[file("gz", &gzip(b"http://gz.example/"))]));
    let clean = clean.concat();
    for round in 0..60 {
        let mut bytes = clean.clone();
        for _ in 0..numbers.below(4) {
            // Most of it in headers.
            let at = numbers.below(bytes.len() / BLOCK) * BLOCK + numbers.below(160);
            let to = (at + numbers.below(900)).min(bytes.len());
            match numbers.below(4) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..to)),
                2 => drop(bytes.splice(at..at, vec![b'u'; to - at])),
                _ => bytes[at] ^= 0x11,
            }
            if bytes.len() < BLOCK {
                bytes = clean.clone();
            }
        }
        let bytes = match round % 3 {
            0 => bytes,
            1 => gzip(&bytes),
            _ => {
                let mut pieces: Vec<Vec<u8>> = bytes.chunks(1500).map(gzip).collect();
                let piece = numbers.below(pieces.len());
                let at = numbers.below(pieces[piece].len());
                pieces[piece][at] ^= 0x55;
                pieces.concat()
            }
        };
        reported_alike(&bytes);
    }
}

#[test]
fn hostile_archives_are_read_to_their_end() {
    // Every block could be a header, but is not.
    let mut bytes = file("a", b"http://a.example/");
    bytes.extend(b"ustar".repeat(200_000));
    bytes.extend(file("b", b"http://b.example/"));
    let report = reported(&[bytes, end()].concat());
    assert_eq!(
        (members_of(&report), lost(&report).len()),
        (vec!["a", "b"], 1)
    );
    // Each header says that the rest of the archive is its own.
    let huge = Header::new(b"huge", b'0', 0)
        .with(124, b"777777777777")
        .block();
    let report = reported_alike(&huge.repeat(2000));
    assert_eq!(lost(&report).len(), 1);
    let largest =
        Header::new(b"huge", b'x', 0).with(124, b"\x80\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
    let report = reported_alike(&[largest.block(), vec![b'x'; 5000]].concat());
    assert_eq!(lost(&report).len(), 2);
    let maps = Header::new(b"map", b'S', 9)
        .gnu()
        .with(482, b"\x01")
        .block();
    let report = reported(&[maps, vec![1; 1 << 20]].concat());
    assert_eq!(lost(&report).len(), 1);
}

#[test]
fn the_first_header_may_be_damaged() {
    let mut first = file("a", b"see http://a.example/");
    first[0] ^= 1;
    let report = reported_alike(&archive(&[first, file("b", b"see http://b.example/")]));
    assert_eq!(lost(&report).len(), 1);
    assert_eq!(report.uris(), ["http://b.example/"]);
}

// --- What is no archive ---

#[test]
fn what_only_begins_like_an_archive_is_text() {
    let mut named = Header::new(b"http://name.example/ ", b'0', 0).block();
    named.extend(b" see http://a.example/");
    let texts = [
        named,
        b"a line of text without an end".to_vec(),
        [
            b"name".to_vec(),
            vec![0; 96],
            b" see http://a.example/".to_vec(),
        ]
        .concat(),
        [&[b'7'; 600], &b" see http://a.example/"[..]].concat(),
    ];
    for text in texts {
        let report = reported_alike(&text);
        assert!(report.found.iter().all(|found| found.member.is_none()));
        let has_uri = text.windows(9).any(|bytes| bytes == b"a.example");
        assert_eq!(!report.found.is_empty(), has_uri);
        assert_eq!(lost(&report), []);
    }
}

// --- The program ---

#[test]
fn the_program_prints_the_member_after_the_file() {
    let bytes = gzip(&archive(&[
        file("var/a.log", b"\nsee http://a.example/\n"),
        file("b\x1b.log", b"http://b.example/ http://a.example/"),
    ]));
    let ran = run(&["--all", "-Hn", "--label", "x.tar.gz"], &bytes);
    let expect = "x.tar.gz:var/a.log:2:http://a.example/\n\
        x.tar.gz:b\u{1b}.log:1:http://b.example/\nx.tar.gz:b\u{1b}.log:1:http://a.example/\n";
    assert_eq!((&*ran.out, &*ran.err, ran.code), (expect, "", 0));
    let ran = run(
        &["--color", "always", "-Hm1", "--label", "x"],
        &archive(&[file("b\x1b", b"http://b/")]),
    );
    assert!(!ran.out.contains("b\u{1b}:"), "{}", ran.out);
    let ran = run(&["-l", "--label", "x.tar.gz"], &bytes);
    assert_eq!(ran.out, "x.tar.gz\n");
    let ran = run(&["-cH", "--label", "x.tar.gz"], &bytes);
    assert_eq!(ran.out, "3\tx.tar.gz\n");
    let ran = run(&["--stats", "-v"], &bytes);
    assert!(
        ran.err.contains("1 inputs_as_tar") && ran.err.contains("gzip, tar"),
        "{}",
        ran.err
    );
    let ran = run(
        &["-i", "text", "-Hn", "--label", "x"],
        &file("a", b"\nhttp://a.example/"),
    );
    assert_eq!(ran.out, "x:2:http://a.example/\n");
}

#[test]
fn the_program_names_what_is_lost() {
    let members = five();
    let mut bytes = archive(&members);
    bytes[1024 + 124] ^= 1;
    let ran = run(&["--label", "x.tar"], &bytes);
    let expect = "urisieve: x.tar: byte 1024: tar: the header of a member is wrong; the part that \
        begins there is damaged, and only its beginning was read; reading resumes at byte 2048\n";
    assert_eq!((&*ran.err, ran.code), (expect, 2));
}

#[test]
fn names_of_members_have_no_secrets_when_these_are_hidden() {
    let bytes = archive(&[
        file("plain", b""),
        file("ftp://u:SECRET@h/", b"http://u:SECRET@a.example/"),
    ]);
    let ran = run(&["--redact", "-H", "--label", "x"], &bytes);
    assert_eq!(ran.out, "x:ftp://u:***@h/:http://u:***@a.example/\n");
}

#[test]
fn members_that_are_compressed_may_be_read_as_they_are() {
    let bytes = archive(&[
        file("a.gz", &gzip(b"http://a.example/")),
        file("b", b"http://b.example/"),
    ]);
    let ran = run(&["--no-decompress"], &bytes);
    assert_eq!((&*ran.out, ran.code), ("http://b.example/\n", 0));
    let ran = run(&[], &bytes);
    assert_eq!(ran.out, "http://a.example/\nhttp://b.example/\n");
}
