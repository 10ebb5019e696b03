//! Catalogues: what is found in every format, however its bytes come, and what damage
//! costs.

use crate::archive::Header;
use crate::marc::record;
use crate::packed::gzip;
use crate::program::run;
use crate::thorough;
use crate::ways;
use std::ops::ControlFlow;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss};
use urisieve::{Sieve, Sink, Stats};

fn number(number: usize) -> Vec<u8> {
    let id = format!("{number}");
    let link = format!("40\x1Fuhttp://{number}.example/a b\x1Fzsee <http://z.example/{number}>");
    let fields: [(&str, &[u8]); 4] = [
        ("001", id.as_bytes()),
        ("245", b"10\x1FaCaf\xE2e\x1Fbof it"),
        ("500", b"  \x1Fa\xE2e http://n.example/\xE2e."),
        ("856", link.as_bytes()),
    ];
    record(' ', &fields)
}

fn twenty() -> Vec<Vec<u8>> {
    (1..=20).map(number).collect()
}

#[derive(Debug, Default, PartialEq)]
struct Report {
    found: Vec<String>,
    losses: Vec<String>,
}

impl Sink for Report {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let marc = finding.context.marc.unwrap_or_default();
        self.found.push(format!(
            "{}+{} {} {}@{} {} {}{}{}${}#{} {}",
            finding.offset,
            finding.length,
            text(finding.uri),
            marc.record_no,
            marc.record_offset,
            text(marc.record_id),
            text(marc.tag),
            text(marc.ind1),
            text(marc.ind2),
            text(marc.subfield),
            marc.occurrence,
            text(marc.title),
        ));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        let damage = loss.kind.damage().map(|damage| damage.to_string());
        let (offset, code) = (loss.offset, loss.kind.code());
        self.losses
            .push(format!("{offset} {code} {}", damage.unwrap_or_default()));
    }
}

fn read(bytes: &[u8], block: usize, threads: usize) -> (Report, Stats) {
    ways::run(Source::Slice(bytes), block, threads)
}

/// Reads `bytes` in all ways: all of them find the same.
fn check(bytes: &[u8]) -> Report {
    let (whole, _) = read(bytes, 1 << 20, 1);
    for (block, threads) in [(1, 1), (7, 3), (64, 2), (1000, 4)] {
        assert_eq!(
            read(bytes, block, threads).0,
            whole,
            "blocks of {block}, {threads} threads"
        );
    }
    let pipe = || Source::Reader(Box::new(std::io::Cursor::new(bytes.to_vec())));
    assert_eq!(ways::run::<Report>(pipe(), 64, 2).0, whole);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, bytes).unwrap();
    for block in [5, 100_000] {
        assert_eq!(
            ways::run::<Report>(Source::Path(path.clone()), block, 2).0,
            whole
        );
    }
    assert_eq!(
        ways::run::<Report>(Source::Slice(&gzip(bytes)), 64, 2)
            .0
            .found,
        whole.found
    );
    whole
}

#[test]
fn records_of_iso_2709_are_found_in_every_way() {
    let records = twenty();
    let whole = check(&records.concat());
    assert_eq!(whole.losses, [""; 0]);
    assert_eq!(whole.found.len(), 60);
    let at = 24 + 4 * 12 + 1;
    let second = records[0].len();
    let note = second + at + 2 + 17 + 2 + 2 + 3;
    assert_eq!(
        whole.found[3..6],
        [
            format!("{note}+19 http://n.example/\u{e9} 2@{second} 2 500  $a#1 Caf\u{e9} of it"),
            format!(
                "{}+20 http://2.example/a%20b 2@{second} 2 85640$u#1 Caf\u{e9} of it",
                note + 20 + 1 + 4
            ),
            format!(
                "{}+18 http://z.example/2 2@{second} 2 85640$z#1 Caf\u{e9} of it",
                note + 20 + 1 + 4 + 20 + 7
            ),
        ]
    );
}

#[test]
fn texts_of_other_formats_are_found_in_every_way() {
    let link = "http://a.example/?a&b=\u{e9}";
    let escaped = link.replace('&', "&amp;");
    for text in [
        format!(
            "=LDR  00000nam\n=001  7\n=245  10$aA$bB\n=500  \\\\$a{{acute}}e <{link}>\n=856  40$u{link}\n\n=001  8\n=856  4\\$u{link}2\n"
        ),
        format!("003@ $07\n021A $aA$dB\n017C/01 $u{link}\n\n003@ $08\n017C $u{link}2\n"),
        format!(
            "003@ \x1F07\x1E021A \x1FaA\x1FdB\x1E017C \x1Fu{link}\x1E\n003@ \x1F08\x1E017C \x1Fu{link}2\x1E\n"
        ),
        format!(
            "<?xml version='1.0'?><r xmlns='http://www.loc.gov/MARC21/slim'><record><controlfield tag='001'>7</controlfield>\
            <datafield tag='856' ind1='4' ind2='0'><subfield code='u'>{escaped}</subfield></datafield></record>\
            <record><datafield tag='856'><subfield code='u'>{escaped}2</subfield></datafield></record></r>"
        ),
        format!(
            "<mods xmlns='http://www.loc.gov/mods/v3'><location><url>{escaped}</url></location><note>{escaped}2</note></mods>"
        ),
        format!(
            "<dc xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>A</dc:title><dc:identifier>{escaped}</dc:identifier>\
            <dc:description>see {escaped}2</dc:description></dc>"
        ),
    ] {
        let whole = check(text.as_bytes());
        assert_eq!(whole.losses, [""; 0], "{text}");
        for found in [format!(" {link} 1@"), format!(" {link}2 ")] {
            assert!(
                whole.found.iter().any(|line| line.contains(&found)),
                "{text}: {whole:#?}"
            );
        }
    }
}

#[test]
fn members_of_archives_may_be_catalogs() {
    let content = twenty().concat();
    let member = Header::new(b"a.mrc", b'0', content.len()).member(&content);
    let archive = [member, vec![0; 1024]].concat();
    let (alone, _) = read(&content, 1 << 20, 1);
    for block in [1, 100, 1 << 20] {
        assert_eq!(read(&archive, block, 2).0, alone);
    }
}

/// A byte of a file of 20 records is changed, or the file is cut: the others are listed.
#[test]
fn damage_costs_no_other_record() {
    let records = twenty();
    let whole = records.concat();
    let uris = |report: &Report| -> Vec<String> {
        let uri = |line: &String| line.split(' ').nth(1).unwrap_or_default().to_owned();
        report.found.iter().map(uri).collect()
    };
    let has = |report: &Report, number: usize| {
        let uri = format!("http://{number}.example/a%20b");
        uris(report).contains(&uri)
    };
    let check = |bytes: &[u8], damaged: std::ops::Range<usize>, block: usize| {
        let (report, _) = read(bytes, block, 1);
        for number in (0..20).filter(|number| !damaged.contains(number)) {
            assert!(
                has(&report, number + 1),
                "record {number} of {damaged:?}: {report:#?}"
            );
        }
    };
    let (mut bytes, mut starts) = (whole.clone(), vec![0]);
    starts.extend(records.iter().scan(0, |at, record| {
        *at += record.len();
        Some(*at)
    }));
    for at in (0..whole.len()).step_by(thorough::step(3)) {
        let damaged = starts.partition_point(|&start| start <= at) - 1;
        for change in [0x04, 0x80] {
            bytes[at] ^= change;
            check(&bytes, damaged..damaged + 1, 1 << 20);
            bytes[at] = whole[at];
        }
        if at % 7 == 0 && at > 40 {
            check(&whole[..at], damaged..20, 100);
        }
    }
}

#[test]
fn damage_is_named() {
    let [one, mut two, three] = [1, 2, 3].map(number);
    two[..5].copy_from_slice(b"00009");
    let at = one.len();
    let (report, stats) = read(&[&one[..], &two, &three].concat(), 50, 2);
    let wanted = format!(
        "{at} damaged record 2, of the stated length 9: the length of a record is wrong at {at}"
    );
    assert_eq!(
        (report.losses, report.found.len(), stats.damaged),
        (vec![wanted], 9, 1)
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mrc");
    std::fs::write(&path, [one, two, three].concat()).unwrap();
    let name = path.to_str().unwrap();
    let ran = run(&["--all", "-i", "marc", name], b"");
    assert_eq!(ran.code, 2);
    let wanted = format!(
        "urisieve: {name}: byte {at}: record 2, of the stated length 9: the length of a record is wrong\n"
    );
    assert_eq!((ran.out.lines().count(), ran.err), (9, wanted));
}

#[test]
fn text_between_records_is_searched_in_every_way() {
    let text = "=001  1\n\n# http://a.example/\u{AB}b\u{BB}c\n=001  2\n\nsee http://b.example/";
    let whole = check(text.as_bytes());
    assert_eq!(whole.found.len(), 2, "{whole:#?}");
}

#[test]
fn the_sieve_reads_a_format_that_is_stated() {
    use urisieve::decode::InputFormat;
    let text = b"# a comment\n=856  40$uhttp://a.example/ b\n";
    let mut found = Vec::new();
    let sieve = Sieve::builder().format(InputFormat::named("mrk")).build();
    sieve
        .for_each(text, |finding| found.push(finding.uri.to_vec()))
        .unwrap();
    assert_eq!(found, [b"http://a.example/%20b"]);
}
