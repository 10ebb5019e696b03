//! The laws of data: the same findings, places and counts for every size of blocks, number of
//! threads and way of reading; and a list of URIs that is wrapped in data comes out of them.

use crate::dribble::Dribble;
use crate::random;
use proptest::prelude::*;
use std::io;
use std::ops::ControlFlow;
use urisieve::decode::{DataFields, InputFormat, TableColumn};
use urisieve::input::Source;
use urisieve::item::Finding;
use urisieve::{Mode, Sieve, Sink, Stats};

/// A finding: its URI, offset and length, and its pointer or its column with the row.
type Found = (Vec<u8>, u64, u64, String);

#[derive(Default)]
struct Findings {
    found: Vec<Found>,
    losses: Vec<u64>,
}

impl Sink for Findings {
    fn finding(&mut self, found: &Finding) -> io::Result<ControlFlow<()>> {
        let context = &found.context;
        let text = |bytes: Option<&[u8]>| bytes.map(|b| String::from_utf8_lossy(b).into_owned());
        let place = format!(
            "{:?} {:?} {:?} {:?}",
            text(context.pointer),
            context.row,
            text(context.field),
            context.request.map(|request| request.part),
        );
        let uri = found.uri.to_vec();
        self.found.push((uri, found.offset, found.length, place));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &urisieve::item::Loss) {
        self.losses.push(loss.offset);
    }
}

/// The counts that are compared.
fn counts(stats: &Stats) -> [u64; 8] {
    [
        stats.bytes,
        stats.occurrences,
        stats.json_broken,
        stats.csv_quote,
        stats.without_field,
        stats.without_pointer,
        stats.no_host,
        stats.garbage,
    ]
}

fn run(
    source: Source,
    format: Option<&str>,
    fields: &DataFields,
    (block, threads): (usize, usize),
) -> (Vec<Found>, Vec<u64>, [u64; 8]) {
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .format(format.map(|name| InputFormat::named(name).unwrap()))
        .fields(fields.clone())
        .requests(true)
        .block_size(block)
        .threads(threads)
        .build();
    let mut findings = Findings::default();
    let stats = sieve.run([source], &mut findings).unwrap();
    (findings.found, findings.losses, counts(&stats))
}

fn pieces(of: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => prop::sample::select(of.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\n",
    " ",
    "\\",
    "//",
    "/*",
    "*/",
    "\u{1e}",
    "\"u\":",
    "\"http://a.example/1*\"",
    "'see http://a.example/2.'",
    "{\"a\":{\"u\":\"http://a.example/3\"}}\n",
    "{\"u\":\"http:\\/\\/a.example\\/\\u00e9\",\"v\":[1,null,\"urn:isbn:0395363411\"]}\n",
    "{\"method\":\"GET\",\"host\":\"j.example\",\"url\":\"/two?http://x.example/\",\"x\":\"http://y.example/\"}\n",
    "[\n {\"method\":\"GET\",\"url\":\"/three\"},\n",
    "http://a.example/4 ",
    "word",
    "1.5e3",
    "\u{e9}",
    "\"a\\\nb http://a.example/5\\t\"",
    "{\"a~/b\":\"http://a.example/6\"",
];

proptest! {
    #![proptest_config(random::cases(30))]

    #[test]
    fn json_is_the_same_for_every_way_of_reading(
        text in pieces(JSON),
        field in prop::option::of(prop::sample::select(vec!["/u", "/a/*", "", "/v/2"])),
        wide in any::<bool>(),
    ) {
        let fields = match field {
            Some(field) => DataFields::default().field(field).unwrap(),
            None => DataFields::default(),
        };
        let text = if wide { utf16(&text) } else { text };
        same_for_every_way(&text, Some("json"), &fields)?;
    }
}

/// URIs with their offsets and lengths, the offsets of losses, and counts.
type LinesFound = (Vec<(Vec<u8>, u64, u64)>, Vec<u64>, [u64; 8]);

/// Lines of JSON without requests, by blocks of this size: URIs with their places, the offsets
/// of losses, and counts.
fn run_lines(text: &[u8], positions: bool, (block, threads): (usize, usize)) -> LinesFound {
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .format(InputFormat::named("json"))
        .log_format("off".parse().unwrap())
        .positions(positions)
        .block_size(block)
        .threads(threads)
        .build();
    let mut findings = Findings::default();
    let stats = sieve.run([Source::Slice(text)], &mut findings).unwrap();
    let found = findings.found.into_iter();
    let found = found.map(|(uri, offset, length, _)| (uri, offset, length));
    (found.collect(), findings.losses, counts(&stats))
}

proptest! {
    #![proptest_config(random::cases(30))]

    /// Lines that are passed as a whole are read as others are.
    #[test]
    fn lines_of_json_are_the_same_for_every_division(
        lines in prop::collection::vec(pieces(JSON), 1..5),
        positions in any::<bool>(),
    ) {
        let text = lines.join(&b"\n{\"k\":\"http://a.example/7\",\"n\":-1.5}\n"[..]);
        let whole = run_lines(&text, positions, (1 << 20, 1));
        for (block, threads) in [(1, 1), (7, 2), (100, 1)] {
            prop_assert_eq!(&run_lines(&text, positions, (block, threads)), &whole);
        }
        let other = run_lines(&text, !positions, (1 << 20, 1));
        prop_assert_eq!((other.0, other.1), (whole.0, whole.1));
    }
}

const TABLES: &[&str] = &[
    ",",
    ";",
    "\t",
    "\"",
    "\n",
    "\r\n",
    "a",
    " ",
    "\"\"",
    "id,url,n\n",
    "1,http://a.example/1*,\n",
    "sep=;\n",
    "\"http://a.example/2,3\",\"x\ny http://a.example/4.\"\n",
    "\"http://a.example/\"\"5\"6,urn:isbn:0395363411\n",
    "method,host,url,n\n",
    "GET,c.example,/six,http://n.example/\n",
    "GET,,/seven,\n",
    "\u{e9}",
];

proptest! {
    #![proptest_config(random::cases(30))]

    #[test]
    fn tables_are_the_same_for_every_way_of_reading(
        text in pieces(TABLES),
        format in prop::sample::select(vec![None, Some("csv"), Some("tsv")]),
        column in prop::option::of(prop::sample::select(vec![TableColumn::Number(1), TableColumn::Name("url".into())])),
        wide in any::<bool>(),
    ) {
        let fields = match column {
            Some(column) => DataFields::default().column(column),
            None => DataFields::default(),
        };
        let text = if wide { utf16(&text) } else { text };
        same_for_every_way(&text, format, &fields)?;
    }
}

const MESSAGES: &[&str] = &[
    "msgid ",
    "msgstr[1] ",
    "\"",
    "\\",
    "\n",
    "\r\n",
    " ",
    "# <http://a.example/1\n",
    "\"http://a.example/\"\n",
    "\"2*\"\n",
    "msgid \"\"\n\"see <a href=\\\"http://a.example/very/\"\n\"long\\\">\"\n",
    "\u{e9}",
];

proptest! {
    #![proptest_config(random::cases(20))]

    #[test]
    fn messages_are_the_same_for_every_way_of_reading(text in pieces(MESSAGES), wide in any::<bool>()) {
        let text = if wide { utf16(&text) } else { text };
        same_for_every_way(&text, Some("po"), &DataFields::default())?;
    }
}

/// The bytes of a text in UTF-16, with a byte-order mark.
fn utf16(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn same_for_every_way(
    text: &[u8],
    format: Option<&str>,
    fields: &DataFields,
) -> Result<(), TestCaseError> {
    let wanted = run(Source::Slice(text), format, fields, (64 << 10, 1));
    for size in [(1, 1), (2, 2), (3, 1), (7, 8), (64, 2)] {
        let found = run(Source::Slice(text), format, fields, size);
        prop_assert_eq!(&found, &wanted, "{:?}", size);
        for len in [1, 50] {
            let reader = Source::Reader(Box::new(Dribble(text, len)));
            let found = run(reader, format, fields, size);
            prop_assert_eq!(&found, &wanted, "{:?} {}", size, len);
        }
    }
    Ok(())
}

/// URIs in canonical form without characters that formats or lists separate by.
fn uris() -> impl Strategy<Value = Vec<String>> {
    let uri = prop_oneof![
        "https?://[a-z]{1,8}\\.example/[a-zA-Z0-9._~!$&'()*+=:@%2/-]{0,12}",
        "http://[a-z]{1,8}\\.example/\\?[a-z]=[a-z0-9/?:@.,;-]{0,9}",
        "urn:isbn:0395363411",
    ];
    let uri = uri.prop_filter("canonical", |uri: &String| {
        let is_valid = urisieve::syntax::validate(uri.as_bytes()).is_ok();
        is_valid && !uri.contains("/.") && !uri.contains('%')
    });
    prop::collection::vec(uri, 0..12)
}

fn found_in(text: &[u8], format: &str) -> Vec<String> {
    let (found, _, _) = run(
        Source::Slice(text),
        Some(format),
        &DataFields::default(),
        (64, 2),
    );
    let text = |found: Found| String::from_utf8(found.0).unwrap();
    found.into_iter().map(text).collect()
}

/// A string of JSON, written as `how` says: plainly, with all characters escaped, with
/// escaped slashes, by JSON5.
fn quoted(text: &str, how: usize) -> String {
    match how % 4 {
        0 => serde_json::to_string(text).unwrap(),
        1 => {
            let unit = |unit: u16| format!("\\u{unit:04X}");
            format!("\"{}\"", text.encode_utf16().map(unit).collect::<String>())
        }
        2 => serde_json::to_string(text).unwrap().replace('/', "\\/"),
        _ => format!("'{}'", text.replace('\'', "\\'").replace('/', "\\x2f")),
    }
}

proptest! {
    /// A list that JSON wraps in any way comes out of it.
    #[test]
    fn a_list_in_json_comes_out(uris in uris(), how in 0usize..4, shape in 0usize..5, wide in any::<bool>()) {
        let values: Vec<String> = uris.iter().map(|uri| quoted(uri, how)).collect();
        let text = match shape {
            0 => format!("[{}]", values.join(",")),
            1 => values.iter().map(|value| format!("{{\"u\":{value},\"n\":1}}\n")).collect(),
            2 => values.iter().map(|value| format!("{{\n \"a\": [\n  {{\"u\": {value} }}\n ]\n}}")).collect(),
            3 => values.join("\n"),
            _ => format!("{{{}}}", values.iter().map(|value| format!("{value}:null")).collect::<Vec<_>>().join(",")),
        };
        let text = if wide { utf16(text.as_bytes()) } else { text.into_bytes() };
        prop_assert_eq!(found_in(&text, "json"), uris);
    }
}

/// A cell, written as `how` says: quoted always, or where it must be.
fn cell(text: &str, delimiter: char, how: usize) -> String {
    let must = text.contains([delimiter, '"', '\n', '\r']);
    match must || how.is_multiple_of(2) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

proptest! {
    /// A list that a table holds in any way comes out of it.
    #[test]
    fn a_list_in_a_table_comes_out(
        uris in uris(),
        how in 0usize..4,
        delimiter in prop::sample::select(vec![',', ';', '\t', '|']),
        shape in 0usize..3,
        end in prop::sample::select(vec!["\n", "\r\n"]),
        wide in any::<bool>(),
    ) {
        let d = delimiter;
        let cells: Vec<String> = uris.iter().map(|uri| cell(uri, d, how)).collect();
        let mut text = match how / 2 {
            0 => format!("sep={d}{end}"),
            _ => String::new(),
        };
        match shape {
            0 => cells.iter().for_each(|cell| text += &format!("1{d}{cell}{d}x{end}")),
            1 => text += &cells.join(&d.to_string()),
            _ => {
                text += &format!("id{d}urls{end}1{d}\"");
                text += &uris.join(" | ").replace('"', "\"\"");
                text += &format!("\"{end}");
            }
        }
        let is_list = shape == 2;
        // What is in a list is text, whose URIs may end before a comma.
        prop_assume!(!is_list || uris.iter().all(|uri| uri.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '/') && !uri.contains(['(', ')', '\'', '&', '*'])));
        // Without a line that states it, the delimiter is that of the first records.
        prop_assume!(how / 2 == 0 || (shape == 0 && uris.len() > 1 && !uris.concat().contains([',', ';', '|'])));
        let text = if wide { utf16(text.as_bytes()) } else { text.into_bytes() };
        prop_assert_eq!(found_in(&text, "csv"), uris);
    }
}

/// The name of a file states its format, unless its first bytes show another.
#[test]
fn names_of_files_state_their_format() {
    let folder = tempfile::tempdir().unwrap();
    let json = "{\"u\":\"http://a.example/\"}\n";
    let html = "<!doctype html><a href='http://a.example/'>";
    let csv = "u,n\nhttp://a.example/,2\n";
    for (name, text, place) in [
        ("a.json", json, "Some(\"/u\") None None None"),
        ("a.GeoJSON", json, "Some(\"/u\") None None None"),
        ("a.txt", json, "None None None None"),
        ("json", json, "None None None None"),
        ("b.json", html, "None None None None"),
        ("a.CSV", csv, "None Some(2) Some(\"u\") None"),
        ("b.tab", csv, "None Some(2) Some(\"u,n\") None"),
        ("b.txt", csv, "None None None None"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        for size in [(1, 1), (64 << 10, 2)] {
            let none = DataFields::default();
            let (found, ..) = run(Source::Path(path.clone()), None, &none, size);
            assert_eq!(found[0].3, place, "{name}");
        }
    }
}

/// Records of JSON are requests up to a length, wherever blocks end.
#[test]
fn long_records_are_no_requests() {
    for (len, requests) in [(10, 1), (100_000, 1), (300_000, 0)] {
        let long = "x".repeat(len);
        let text = format!(
            "[{{\"url\":\"/p\",\"x\":\"{long}\",\"method\":\"GET\",\"host\":\"h.example\"}}]"
        );
        for size in [(4096, 1), (1 << 20, 2)] {
            let none = DataFields::default();
            let (found, ..) = run(Source::Slice(text.as_bytes()), Some("json"), &none, size);
            assert_eq!(found.len(), requests, "{len} {size:?}");
        }
    }
}
