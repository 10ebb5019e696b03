//! The law of ranges: what several readers find, each in its range of the bytes of an input, is
//! together what one finds in the whole, each once; and what a range cannot know is a loss.

use crate::random;
use crate::texts;
use proptest::prelude::*;
use std::io;
use std::ops::{ControlFlow, Range};
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, RequestPart};
use urisieve::{ExchangeFilter, Mode, Sieve, Sink};

const MIB: usize = 1 << 20;

#[derive(Debug, Default, PartialEq)]
struct Read {
    found: Vec<(Vec<u8>, u64, Option<RequestPart>)>,
    losses: Vec<(u64, &'static str)>,
}

impl Sink for Read {
    fn finding(&mut self, found: &Finding) -> io::Result<ControlFlow<()>> {
        let part = found.context.request.map(|request| request.part);
        self.found.push((found.uri.to_vec(), found.offset, part));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push((loss.offset, loss.kind.code()));
    }
}

fn read(source: Source, (block, threads): (usize, usize)) -> Read {
    let mut read = Read::default();
    let sieve = Sieve::builder().mode(Mode::All).requests(true);
    let sieve = sieve.block_size(block).threads(threads).build();
    sieve.run([source], &mut read).unwrap();
    read
}

/// Reads the ranges that end at `ends` one by one, and the rest.
fn read_ranges(bytes: &[u8], ends: &[u64], how: (usize, usize)) -> Read {
    let mut together = Read::default();
    let mut start = 0;
    for &end in ends.iter().chain([&u64::MAX]) {
        let part = read(Source::Slice(bytes).range(start..end), how);
        together.found.extend(part.found);
        together.losses.extend(part.losses);
        start = end;
    }
    together
}

const DIVISIONS: [(usize, usize); 3] = [(64 << 10, 1), (1 << 20, 2), (4 << 20, 1)];

fn agrees(bytes: &[u8], ends: &[u64]) {
    let whole = read(Source::Slice(bytes), DIVISIONS[0]);
    for how in DIVISIONS {
        assert!(read_ranges(bytes, ends, how) == whole, "{ends:?} {how:?}");
    }
}

proptest! {
    #![proptest_config(random::cases(4))]

    /// Wrapped lines, open wrappers, requests: whatever is at the end of a range.
    #[test]
    fn ranges_have_together_what_the_whole_has(
        lines in texts::lines(60),
        mut ends in proptest::collection::vec(0..(3 * MIB as u64), 1..6),
    ) {
        let text = lines.repeat(5 * MIB / 2 / lines.len().max(1) + 1);
        ends.sort_unstable();
        agrees(&text, &ends);
    }
}

/// A line without an end, wrappers that are never closed, and lines with a wrapper in each.
#[test]
fn a_text_without_safe_cuts_belongs_to_one_range() {
    let ends = [MIB as u64 + 7, 2 * MIB as u64];
    for unit in [
        "http://a.example/b, ",
        "<http://a.example/\n",
        "<http://a.example/b\nc>\n",
        "(http://a.example/b\n)\n",
        "\r\n",
    ] {
        let text = unit.repeat(5 * MIB / 2 / unit.len());
        agrees(text.as_bytes(), &ends);
    }
}

/// Every range of a text has a part of it, for that is the purpose.
#[test]
fn every_range_has_its_part() {
    let line = "see <http://a.example/b> and urn:isbn:0395363411\n";
    let text = line.repeat(4 * MIB / line.len());
    for start in [0, 1, 2, 3] {
        let range = start * MIB as u64..(start + 1) * MIB as u64;
        let part = read(
            Source::Slice(text.as_bytes()).range(range.clone()),
            DIVISIONS[0],
        );
        let lines = part.found.len() / 2;
        assert!(
            lines.abs_diff(MIB / line.len()) < 1000,
            "{range:?}: {lines}"
        );
    }
    let nothing: Range<u64> = 7..7;
    let part = read(Source::Slice(text.as_bytes()).range(nothing), DIVISIONS[0]);
    assert_eq!(part, Read::default());
}

/// What is read from its start belongs to the range at 0: compressions, archives, documents,
/// UTF-16, streams, small files.
#[test]
fn what_has_no_ranges_belongs_to_the_first() {
    let html = format!(
        "<!DOCTYPE html>{}",
        "<a href='http://a.example/b'>c</a>\n".repeat(50_000)
    );
    let wide: Vec<u8> = "see http://a.example/b\n"
        .repeat(80_000)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let text = "see http://a.example/b\n".repeat(90_000);
    let member = crate::packed::gzip(text.as_bytes());
    let json = "{\"url\":\"http://a.example/b\"}\n".repeat(60_000);
    let small = b"see http://a.example/b";
    let wide = [b"\xFF\xFE", &wide[..]].concat();
    for bytes in [html.as_bytes(), &wide, &member, json.as_bytes(), small] {
        agrees(bytes, &[MIB as u64, MIB as u64 + 200_000]);
        let whole = read(Source::Slice(bytes), DIVISIONS[0]);
        let first = read(Source::Slice(bytes).range(0..5), DIVISIONS[0]);
        // Without a name JSON Lines are plain text.
        assert!(first == whole || bytes == json.as_bytes());
        assert!(!whole.found.is_empty());
    }
    let stream = || Source::Reader(Box::new(text.as_bytes()));
    let whole = read(stream(), DIVISIONS[0]);
    assert_eq!(read(stream().range(0..5), DIVISIONS[0]), whole);
    assert_eq!(
        read(stream().range(5..u64::MAX), DIVISIONS[0]),
        Read::default()
    );
}

const COMMON: &str =
    "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET http://b.example/x?y HTTP/1.0\" 200 2326\n";

/// The lines of a log are requests in every range, whether its first lines are or are not.
#[test]
fn lines_are_read_as_those_of_the_first_bytes() {
    let prose = "see http://a.example/b\n";
    for head in ["", prose, &prose.repeat(4000)] {
        let text = format!("{head}{}", COMMON.repeat(2 * MIB / COMMON.len()));
        agrees(text.as_bytes(), &[MIB as u64 + 1, 3 * MIB as u64 / 2]);
        let whole = read(Source::Slice(text.as_bytes()), DIVISIONS[0]);
        let is_log = whole
            .found
            .iter()
            .any(|found| found.2 == Some(RequestPart::Target));
        assert_eq!(is_log, head.len() < 64 << 10);
    }
}

const FIELDS: &str = "#Fields: date time cs-method cs(Host) cs-uri-stem cs-uri-query sc-status\n";
const OTHERS: &str = "#Fields: date time cs(Host) cs-uri-stem sc-status\n";

/// The columns that the first bytes name are known to every range; others are a loss, unless
/// nobody needs them.
#[test]
fn columns_are_those_of_the_first_bytes() {
    let line = "2000-10-10 13:55:36 GET b.example /x y 200\n";
    let other = "2000-10-10 13:55:36 b.example /x 200\n";
    let lines = line.repeat(2 * MIB / line.len());
    let text = format!("{FIELDS}{lines}");
    let ends = [MIB as u64 + 1, 3 * MIB as u64 / 2];
    agrees(text.as_bytes(), &ends);
    let whole = read(Source::Slice(text.as_bytes()), DIVISIONS[0]);
    assert!(whole.found.len() > 40_000);
    // The same again, and others in the first bytes.
    let again = format!("{FIELDS}{lines}{FIELDS}{lines}");
    agrees(again.as_bytes(), &ends);
    let early = format!("{OTHERS}{}{FIELDS}{lines}", other.repeat(9000));
    agrees(early.as_bytes(), &ends);
    // Others in the last range.
    let last = format!("{FIELDS}{lines}{OTHERS}{}", other.repeat(9000));
    agrees(last.as_bytes(), &ends);
    // Others in the middle: the range behind it does not know them.
    for head in [FIELDS, ""] {
        let text = format!(
            "{head}{COMMON}{lines}{OTHERS}{}",
            other.repeat(MIB / other.len())
        );
        let at = (text.len() - MIB) as u64;
        // In the third division the file is a small one.
        for &how in &DIVISIONS[..2] {
            let read = read_ranges(
                text.as_bytes(),
                &[MIB as u64, text.len() as u64 - 500_000],
                how,
            );
            let codes: Vec<_> = read.losses.iter().map(|loss| loss.1).collect();
            assert_eq!(codes, ["unsupported"], "{how:?}");
            assert!(
                read.losses[0].0.abs_diff(at) <= how.0 as u64 + 99,
                "{:?}",
                read.losses
            );
        }
        agrees(text.as_bytes(), &[MIB as u64]);
    }
}

/// A record that is longer than any is not begun anew in the middle.
#[test]
fn long_lines_are_not_divided() {
    let long = format!("{{\"a\":\"{} http://a.example/b\"}} ", "x".repeat(700_000));
    let text = format!("{COMMON}{}", format!("{long}{COMMON}").repeat(4));
    agrees(text.as_bytes(), &[MIB as u64 + 1, 2 * MIB as u64]);
    let only = ExchangeFilter::new().only_requests(true);
    let sieve = Sieve::builder().mode(Mode::All).exchanges(only).build();
    let count = |source| sieve.for_each_in([source], |_| {}).unwrap().occurrences;
    let parts = [0..MIB as u64 + 9, MIB as u64 + 9..u64::MAX];
    let parts = parts.map(|range| count(Source::Slice(text.as_bytes()).range(range)));
    assert_eq!(
        parts.iter().sum::<u64>(),
        count(Source::Slice(text.as_bytes()))
    );
}
