//! Every loss is reported, and doubtful findings are marked: bytes changed in heads, in
//! members, and compressions inside each other.

use crate::archive::{BLOCK, Header};
use crate::dribble::Dribble;
use crate::forms::bzip2;
use crate::packed::{gzip, zstd};
use crate::reports::{Report, check, read, reported, reported_alike};
use crate::thorough;
use crate::warc::record;
use crate::ways::Numbers;
use std::collections::BTreeSet;
use std::io::Write;
use urisieve::input::Source;
use urisieve::{Sieve, Stats};

// --- Layers ---

#[test]
fn eight_layers_are_read_and_more_are_named() {
    let forms = [gzip, zstd, bzip2];
    let mut bytes = b"see http://a.example/deep and".to_vec();
    let text = bytes.clone();
    for layers in 1..=10 {
        bytes = forms[layers % 3](&bytes);
        let got = reported_alike(&bytes);
        if layers <= 8 {
            assert_eq!(got, reported(&text), "{layers}");
        } else {
            assert_eq!(got.codes(), ["unsupported"], "{layers}");
            let cause = got.losses[0].1.damage().unwrap().to_string();
            assert!(cause.contains("more than 8"), "{cause}");
        }
        // Read as it is, nothing is lost.
        let as_it_is = Sieve::builder().decompress(false).build();
        let mut got = Report::default();
        as_it_is.run([Source::Slice(&bytes)], &mut got).unwrap();
        assert!(got.losses.is_empty());
    }
}

// --- Heads of HTTP messages ---

const RESPONSE: &str = "WARC-Target-URI: http://t.example/\r\n\
    Content-Type: application/http; msgtype=response\r\n";

const HEAD: &str = "HTTP/1.1 200 OK\r\nServer: Apache/2.4\r\n\
    Date: Mon, 01 Jan 2024 00:00:00 GMT\r\nLocation: ../next\r\n\
    Content-Type: text/plain; charset=utf-8\r\nX-Cache: HIT\r\n\r\n";

/// Forty URIs, in lines that look like those of a page, of a list or of fields.
fn bodies() -> [String; 6] {
    let lines = |line: fn(usize) -> String| (0..40).map(line).collect();
    [
        lines(|i| format!("<p>{i}: <a href=\"http://h{i}.example/\">it</a>\n")),
        lines(|i| format!("http://h{i}.example/\r\n")),
        lines(|i| format!("<a href='http://h{i}.example/'>it</a>\n\n<p>")),
        lines(|i| format!("urn:isbn:{i}\n\n")),
        lines(|i| format!("  <http://h{i}.example/>\n\n")),
        lines(|i| format!("N{i}: http://h{i}.example/ \n\n")),
    ]
}

#[test]
fn no_byte_of_an_http_head_loses_what_follows_in_silence() {
    for body in bodies() {
        let block = [HEAD.as_bytes(), body.as_bytes()].concat();
        let bytes = record("response", RESPONSE, &block);
        let whole = reported(&bytes);
        assert!(whole.losses.is_empty() && whole.found.len() == 41);
        let uris = whole.uris().into_iter();
        let uris: BTreeSet<&str> = uris.filter(|uri| !uri.contains("next")).collect();
        assert_eq!(uris.len(), 40);
        let start = memchr::memmem::find(&bytes, b"HTTP/1.1").unwrap();
        for place in start..start + HEAD.len() {
            let values = [
                b' ',
                b'\n',
                b'\r',
                b':',
                b'X',
                0,
                bytes[place] ^ 1,
                bytes[place] ^ 0x80,
            ];
            for (number, value) in values.into_iter().enumerate() {
                let mut changed = bytes.clone();
                changed[place] = value;
                for changed in thorough::part([gzip(&changed), changed], 2, place + number) {
                    let got = reported(&changed);
                    let found = got.uris().into_iter().collect();
                    let lost = uris.difference(&found).count();
                    assert!(
                        lost == 0 || !got.losses.is_empty(),
                        "{place} {value}: {lost} lost\n{got:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_head_without_an_empty_line_is_named_and_what_follows_is_searched() {
    let of = |head: &str, body: &str| {
        let block = [head.as_bytes(), body.as_bytes()].concat();
        let archive = [
            record("response", RESPONSE, &block),
            record("resource", "", b"x"),
        ];
        reported_alike(&archive.concat())
    };
    let uris = |got: &Report| -> Vec<String> { got.found.iter().map(|f| f.uri.clone()).collect() };
    let head = "HTTP/1.1 200 OK\r\nServer: http://no.example/\r\nLocation: n\r\n";
    let got = of(head, "<a href=http://a.example/>\n");
    assert_eq!(uris(&got), ["http://t.example/n", "http://a.example/"]);
    assert_eq!(got.codes(), ["suspect"]);
    // A line that is no field, before the end of the head.
    let got = of(
        &format!("{head}and so on\r\nX: http://b.example/\r\n\r\n"),
        "urn:x-a:b",
    );
    assert_eq!(
        uris(&got),
        ["http://t.example/n", "http://b.example/", "urn:x-a:b"]
    );
    assert!(got.losses.is_empty());
    let got = of(
        &format!("{head}Transfer-Encoding: chunked\r\nand so on\r\n\r\n"),
        "7\r\nurn:x-a\r\n2\r\n:b\r\n0\r\n\r\n",
    );
    assert_eq!(uris(&got), ["http://t.example/n", "urn:x-a:b"]);
    assert_eq!(got.codes(), ["suspect"]);
}

#[test]
fn contents_of_every_type_of_record_are_searched() {
    let block = b"a: <http://a.example/>\r\nb: urn:x-b:c\r\n";
    let fields = "Content-Type: application/warc-fields\r\n";
    for kind in [
        "warcinfo",
        "metadata",
        "resource",
        "conversion",
        "continuation",
        "x-other",
    ] {
        let got = reported_alike(&record(kind, fields, block));
        let uris: Vec<&str> = got.uris();
        assert_eq!(uris, ["http://a.example/", "urn:x-b:c"], "{kind}");
        assert!(got.losses.is_empty());
    }
    let version = "1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\
        <arcmetadata xmlns='http://a.example/ns/'/>\n";
    let arc = format!(
        "filedesc://a.arc 0.0.0.0 20140216050221 text/plain {}\n{version}\n",
        version.len()
    );
    assert_eq!(
        reported_alike(arc.as_bytes()).uris(),
        ["http://a.example/ns/"]
    );
    // What a WAT record quotes of it, too.
    let json = r#"{"Envelope":{"Payload-Metadata":{"WARC-Info-Metadata":{"a":"http://a.example/"}},
        "WARC-Header-Metadata":{"b":"urn:x-no:no"}}}"#;
    let wat = record(
        "metadata",
        "Content-Type: application/json\r\n",
        json.as_bytes(),
    );
    assert_eq!(reported_alike(&wat).uris(), ["http://a.example/"]);
}

// --- Members that may be wrong ---

/// The text of a member: a record of a web archive, or lines.
fn text(number: usize, is_archive: bool) -> Vec<u8> {
    let mut lines = String::new();
    for i in 0..60 {
        let x = (number * 1000 + i) * 7919 % 10_007;
        lines += &format!("{x} <a href=\"http://h{x}.example/{i}/{x}\">n{number}</a>\n");
    }
    match is_archive {
        true => record("response", RESPONSE, (HEAD.to_owned() + &lines).as_bytes()),
        false => lines.into_bytes(),
    }
}

#[test]
fn findings_of_a_damaged_member_are_suspect() {
    let mut numbers = Numbers(7);
    let mut invented = 0;
    for (form, is_archive) in [
        (gzip as fn(&[u8]) -> Vec<u8>, true),
        (gzip, false),
        (zstd, true),
    ] {
        let texts: Vec<Vec<u8>> = (0..5).map(|n| text(n, is_archive)).collect();
        let members: Vec<Vec<u8>> = texts.iter().map(|text| form(text)).collect();
        let whole = reported_alike(&members.concat());
        assert!(whole.losses.is_empty() && whole.found.iter().all(|found| !found.suspect));
        for turn in 0..60 {
            let mut damaged = members.clone();
            let member = &mut damaged[1 + turn % 4];
            for _ in 0..2 {
                let place = 12 + numbers.below(member.len() - 12);
                member[place] ^= 1 << numbers.below(8);
            }
            let bytes = damaged.concat();
            let got = match turn % 6 {
                0 => reported_alike(&bytes),
                _ => reported(&bytes),
            };
            assert!(!got.losses.is_empty(), "{turn}");
            let known: BTreeSet<&str> = whole.uris().into_iter().collect();
            for found in &got.found {
                let is_known = known.contains(&found.uri[..]);
                invented += usize::from(!is_known);
                assert!(
                    found.suspect || is_known,
                    "{turn}: {found:?} was never written"
                );
            }
            // The other members are as good as before.
            let of = |report: &Report| -> usize {
                report.found.iter().filter(|found| !found.suspect).count()
            };
            let others = whole.found.len() / 5 * 4;
            assert!(of(&got) >= others && of(&got) < whole.found.len(), "{turn}");
        }
    }
    assert!(invented > 50, "{invented}");
}

/// A member whose checksum is wrong.
fn wrong(text: &[u8]) -> Vec<u8> {
    let mut bytes = gzip(text);
    let at = bytes.len() - 6;
    bytes[at] ^= 1;
    bytes
}

#[test]
fn what_is_suspect_begins_and_ends_with_its_member() {
    let of = |bytes: &[u8]| -> Vec<(String, bool)> {
        let found = reported_alike(bytes).found.into_iter();
        found.map(|found| (found.uri, found.suspect)).collect()
    };
    let uri = |uri: &str, suspect| (uri.to_owned(), suspect);
    // A URI that lies in two members is not cut.
    let bytes = [
        gzip(b"see http://a.example/ and http://b.exam"),
        wrong(b"ple/ and http://c.exam"),
        gzip(b"ple/ urn:x-d:e "),
    ]
    .concat();
    let wanted = [
        uri("http://a.example/", false),
        uri("http://b.example/", true),
        uri("http://c.exam", true),
        uri("urn:x-d:e", false),
    ];
    assert_eq!(of(&bytes), wanted);
    // Text of two bytes a character.
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let bytes = [
        gzip(&wide("\u{FEFF}see http://a.example/ and ")),
        wrong(&wide("http://b.example/ and ")),
        gzip(&wide("urn:x-d:e and ")),
    ]
    .concat();
    let wanted = [
        uri("http://a.example/", false),
        uri("http://b.example/", true),
        uri("urn:x-d:e", false),
    ];
    assert_eq!(of(&bytes), wanted);
    // A record that lies in three members, its content coded or not.
    let body = gzip(b"see http://b.example/ and urn:x-d:e ");
    let coded = HEAD.replace("X-Cache: HIT", "Content-Encoding: gzip");
    for block in [
        [coded.as_bytes(), &body].concat(),
        (HEAD.to_owned() + "see http://b.example/ and urn:x-d:e ").into_bytes(),
    ] {
        let bytes = record("response", RESPONSE, &block);
        let head = memchr::memmem::find(&bytes, b"\r\n\r\n").unwrap() + 4 + HEAD.len();
        let (first, rest) = bytes.split_at(head);
        let bytes = [
            gzip(first),
            wrong(rest),
            gzip(&record("resource", "", b"urn:x-f:g")),
        ]
        .concat();
        let wanted = [
            uri("http://t.example/next", false),
            uri("http://b.example/", true),
            uri("urn:x-d:e", true),
            uri("urn:x-f:g", false),
        ];
        assert_eq!(of(&bytes), wanted);
    }
}

#[test]
fn damage_of_an_outer_compression_is_reported_alike() {
    let inner = [gzip(&text(0, true)), gzip(&text(1, true))].concat();
    let (left, right) = inner.split_at(inner.len() / 3);
    for outer in [[wrong(left), gzip(right)], [gzip(left), wrong(right)]] {
        let got = reported_alike(&outer.concat());
        assert_eq!(got.uris(), reported(&inner).uris());
        assert_eq!(got.codes(), ["suspect"]);
        assert_eq!(got.losses[0].1.damage().unwrap().text, None);
    }
}

/// Lines that do not become much shorter, about this many bytes of them.
fn noise(len: usize) -> Vec<u8> {
    let mut numbers = Numbers(1);
    let mut text = String::new();
    while text.len() < len {
        let number = |numbers: &mut Numbers| numbers.below(1 << 31);
        let (a, b) = (number(&mut numbers), number(&mut numbers));
        text += &format!("http://{a:x}.example/{b:x} {:x}\n", number(&mut numbers));
    }
    text.into_bytes()
}

#[test]
fn of_a_large_damaged_member_the_range_is_named() {
    let small = text(0, false);
    let mut large = gzip(&noise(4 << 20));
    assert!(large.len() > 1 << 20);
    // Only the checksum is wrong.
    let at = large.len() - 6;
    large[at] ^= 1;
    // Little that becomes very much.
    let mut blank = gzip(&[&small[..], &vec![b' '; 17 << 20], &small].concat());
    assert!(blank.len() < 1 << 20);
    let at = blank.len() - 6;
    blank[at] ^= 1;
    for member in [large, blank] {
        let bytes = [gzip(&small), member, gzip(&small)].concat();
        let whole = read(Source::Slice(&bytes), 1 << 18, 1);
        for (block, threads) in [(1 << 16, 1), (1 << 20, 2), (1 << 16, 8)] {
            assert!(read(Source::Slice(&bytes), block, threads) == whole);
        }
        let source = Source::Reader(Box::new(Dribble(&bytes, 10_007)));
        assert!(read(source, 1 << 18, 1) == whole);
        let got = whole.0;
        assert!(got.found.iter().all(|found| !found.suspect));
        assert_eq!(got.codes(), ["suspect"]);
        let all = whole.1.bytes as usize;
        let range = format!("of its text, {} to {}", small.len(), all - small.len());
        let cause = got.losses[0].1.damage().unwrap().to_string();
        assert!(cause.contains(&range), "{cause}");
    }
}

/// A writer that flushes is answered before its member ends, so that its findings
/// cannot be marked.
#[test]
fn of_a_flushed_damaged_member_the_range_is_named() {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(b"see http://a.example/ and").unwrap();
    writer.flush().unwrap();
    writer.write_all(b" http://b.example/ and").unwrap();
    let mut bytes = writer.finish().unwrap();
    let at = bytes.len() - 6;
    bytes[at] ^= 1;
    let got = reported_alike(&bytes);
    assert!(got.found.len() == 2 && got.found.iter().all(|found| !found.suspect));
    let cause = got.losses[0].1.damage().unwrap().to_string();
    assert!(cause.contains("of its text, 0 to 47"), "{cause}");
}

// --- Containers that are not unpacked ---

const CONTAINERS: [(&[u8], &str); 6] = [
    (
        b"PK\x03\x04\x14\0\0\0\x08\0",
        "a ZIP archive; compressed content is not searched",
    ),
    (
        b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n",
        "a PDF document; compressed content is not searched",
    ),
    (
        b"PAR1\x15\x04\x15\x10",
        "a Parquet file; compressed content is not searched",
    ),
    (
        b"SQLite format 3\0\x10\0\x01\x01",
        "an SQLite database; text across page boundaries is not found",
    ),
    (
        b"7z\xBC\xAF\x27\x1C\0\x04",
        "a 7z archive; compressed content is not searched",
    ),
    (
        b"ORC\x0A\x03\0\0\0\x12\x07\0\0\0\0\0\0",
        "an ORC file; compressed content is not searched",
    ),
];

#[test]
fn a_container_that_is_not_unpacked_is_named_once() {
    for (magic, what) in CONTAINERS {
        let filler = [0u8, 200, 10].repeat(300);
        let bytes = [magic, b" http://a.example/ ", &filler].concat();
        let forms = [&bytes, &gzip(&bytes), &bzip2(&gzip(&bytes))];
        for bytes in thorough::part(forms, 2, magic.len()) {
            let got = reported_alike(bytes);
            assert_eq!(got.uris(), ["http://a.example/"]);
            assert_eq!((got.losses.len(), got.losses[0].0), (1, 0), "{what}");
            let kind = got.losses[0].1;
            assert_eq!(kind.code(), "unseen");
            let damage = kind.damage().unwrap();
            assert_eq!(format!("{}; {}", damage.container, damage.cause), what);
            let stats = read(Source::Slice(bytes), 1 << 16, 1).1;
            assert_eq!((stats.damaged, stats.unseen), (0, 1));
        }
        // Only at the beginning, and not in records of archives.
        let later = [b"see ", &bytes[..]].concat();
        assert!(reported_alike(&later).losses.is_empty());
        assert!(
            reported_alike(&record("resource", "", &bytes))
                .losses
                .is_empty()
        );
        let as_text = Sieve::builder().archives(false).build();
        let mut got = Report::default();
        as_text.run([Source::Slice(&bytes)], &mut got).unwrap();
        assert!(got.losses.is_empty());
    }
    assert!(
        reported_alike(b"ORCID https://orcid.org/0000-0002-1825-0097")
            .losses
            .is_empty()
    );
    assert!(reported_alike(b"PK").losses.is_empty());
}

#[test]
fn the_program_says_what_it_does_not_see_and_goes_on() {
    let root = tempfile::TempDir::new().unwrap();
    let errors = root.path().join("errors");
    let program = |text: &[u8]| {
        std::fs::write(root.path().join("x.zip"), text).unwrap();
        assert_cmd::Command::cargo_bin("urisieve")
            .unwrap()
            .current_dir(root.path())
            .args(["--stats", "--errors", "errors", "x.zip"])
            .output()
            .unwrap()
    };
    let said = "urisieve: x.zip: looks like a ZIP archive; compressed content is not searched";
    let output = program(b"PK\x03\x04 http://a.example/ \0");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"http://a.example/\n");
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(
        report.starts_with(said) && report.contains(" 1 unseen\n"),
        "{report}"
    );
    let line = std::fs::read_to_string(&errors).unwrap();
    let line: serde_json::Value = serde_json::from_str(line.trim()).unwrap();
    assert_eq!(
        (&line["kind"], &line["offset"]),
        (&"unseen".into(), &0.into())
    );
    assert_eq!(program(b"PK\x03\x04 nothing").status.code(), Some(1));
}

// --- First bytes ---

fn xz(text: &[u8]) -> Vec<u8> {
    let mut writer = liblzma::write::XzEncoder::new(Vec::new(), 0);
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn lz4(text: &[u8]) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
    let mut writer = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

/// The text of a member or record of the files below.
fn numbered(number: usize) -> Vec<u8> {
    format!("see http://h{number}.example/{} end\n", number * 7919).into_bytes()
}

/// A way to make a member or a record of a text.
type Packer = fn(&[u8]) -> Vec<u8>;

/// The members that each file below has.
const MEMBERS: usize = 300;

/// Files of 300 members or records, each with one URI: the name and how a member is made.
const FILES: [(&str, Packer); 8] = [
    ("a.gz", gzip),
    ("a.zst", zstd),
    ("a.xz", xz),
    ("a.bz2", bzip2),
    ("a.lz4", lz4),
    ("a.warc.gz", |text| gzip(&record("resource", "", text))),
    ("a.warc", |text| record("resource", "", text)),
    ("a.tar", |text| {
        Header::new(b"a.txt", b'0', text.len()).member(text)
    }),
];

/// A file in a folder of its own.
struct NamedFile(tempfile::TempDir, &'static str);

impl NamedFile {
    fn new(name: &'static str) -> NamedFile {
        NamedFile(tempfile::tempdir().unwrap(), name)
    }

    /// Returns the report of the file with this content.
    fn report(&self, bytes: &[u8], threads: usize) -> (Report, Stats) {
        let path = self.0.path().join(self.1);
        std::fs::write(&path, bytes).unwrap();
        read(Source::Path(path), 1 << 12, threads)
    }
}

#[test]
fn a_wrong_byte_at_the_beginning_of_a_file_costs_at_most_the_first_member() {
    for (name, packed) in FILES {
        let members = (0..MEMBERS).map(|number| packed(&numbered(number)));
        let mut bytes = members.collect::<Vec<_>>().concat();
        if name == "a.tar" {
            bytes.extend_from_slice(&[0; 2 * BLOCK]);
        }
        let file = NamedFile::new(name);
        let whole = file.report(&bytes, 1).0;
        assert!(whole.found.len() == MEMBERS && whole.losses.is_empty());
        for at in 0..64 {
            for mask in thorough::part([1, 2, 4, 8, 16, 32, 64, 128, 255], 6, at) {
                bytes[at] ^= mask;
                let got = file.report(&bytes, 1);
                let how = format!("{name}, byte {at} ^ {mask}: {:?}", got.0.losses);
                if mask == 255 {
                    check(&file.report(&bytes, 2), &got, &how);
                }
                bytes[at] ^= mask;
                let got = got.0;
                let lost = got.codes().iter().any(|&code| code != "unseen");
                let found = got.found.len();
                assert!(found == MEMBERS || lost, "{found}; {how}");
                // A decoder may need the second member to detect the end of the first.
                assert!(found + 2 >= MEMBERS, "{found}; {how}");
            }
        }
    }
}

#[test]
fn a_name_that_the_first_bytes_do_not_confirm_is_reported() {
    let no_member = gzip(b"http://a.example/ ")[2..].to_vec();
    let latin = b"caf\xE9 http://a.example/ ".to_vec();
    let page = b"<!doctype html><p>\0 http://a.example/ ".to_vec();
    let text = b"see http://a.example/ ".to_vec();
    let binary = b"\0\x01\x02\xFF http://a.example/ ".to_vec();
    for (name, bytes, found, codes) in [
        ("a.gz", &text, 1, &["unseen"][..]),
        ("a.log.gz", &latin, 1, &["unseen"]),
        ("a.html.gz", &page, 1, &["unseen"]),
        ("a.zip", &text, 1, &["unseen"]),
        ("a.gz", &Vec::new(), 0, &["unseen"]),
        ("a.gz", &no_member, 0, &["garbage"]),
        ("A.GZ", &no_member, 0, &["garbage"]),
        ("a.warc.zst", &binary, 0, &["garbage"]),
        ("a.zip", &binary, 1, &["unsupported"]),
        ("a.docx", &binary, 1, &["unsupported"]),
        ("a.7z", &binary, 1, &["unsupported"]),
        ("a.rar", &binary, 1, &["unsupported"]),
        ("a.parquet", &binary, 1, &["unsupported"]),
        ("a.Z", &binary, 1, &["unsupported"]),
        ("a.warc", &text, 1, &[]),
        ("a.log", &binary, 1, &[]),
        ("gz", &binary, 1, &[]),
    ] {
        let (got, _) = NamedFile::new(name).report(bytes, 1);
        assert_eq!(
            (got.found.len(), &got.codes()[..]),
            (found, codes),
            "{name}"
        );
    }
    // A name promises nothing where nothing is unpacked.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    std::fs::write(&path, &binary).unwrap();
    let as_it_is = Sieve::builder().decompress(false).build();
    let mut got = Report::default();
    as_it_is.run([Source::Path(path)], &mut got).unwrap();
    assert!(got.found.len() == 1 && got.losses.is_empty());
}

#[test]
fn a_compressed_member_whose_first_byte_is_wrong_is_reported() {
    let text = b"see http://a.example/ ";
    let mut wrong = gzip(text);
    wrong[0] ^= 1;
    let mut broken = gzip(text);
    broken[10] ^= 0xFF;
    for (name, content, codes) in [
        (&b"a.log.gz"[..], &wrong[..], &["damaged"][..]),
        (b"a.log.gz", &broken, &["damaged"]),
        (b"a.log", &broken, &["damaged"]),
        (b"a.log.gz", text, &[]),
        (b"a.log.gz", b"\xFF\xD8\xFF\xE0\0\0\0", &[]),
        (b"a.bin", &wrong, &[]),
    ] {
        let tar = [
            Header::new(name, b'0', content.len()).member(content),
            Header::new(b"b.gz", b'0', gzip(text).len()).member(&gzip(text)),
            vec![0; 2 * BLOCK],
        ];
        let got = reported_alike(&tar.concat());
        assert_eq!(got.codes(), codes, "{name:?}");
        assert!(got.uris().contains(&"http://a.example/"));
    }
    // A body that was stored decoded is no damage.
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    for (body, codes) in [
        (&text[..], &[][..]),
        (b"\x89PNG\r\n\x1A\n\0\0", &[]),
        (&wrong, &["damaged"]),
        (&broken, &["damaged"]),
    ] {
        let message = [head.as_bytes(), body].concat();
        let got = reported_alike(&record("response", RESPONSE, &message));
        assert_eq!(got.codes(), codes, "{body:?}");
    }
}
