//! The encoding of an input, detected from its beginning: byte-order marks, UTF-16 with
//! and without one. The result is the same for a file, a slice and a pipe, whatever the
//! size of the blocks.

use crate::archive::Header;
use crate::dribble::Dribble;
use crate::program::{Ran, run};
use std::fs;
use urisieve::decode::{CsvColumn, Layout};
use urisieve::input::Source;
use urisieve::item::Finding;
use urisieve::{Mode, Sieve};

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// `text` in UTF-16, low or high bytes first.
fn utf16(text: &str, big: bool) -> Vec<u8> {
    let unit = |unit: u16| match big {
        true => unit.to_be_bytes(),
        false => unit.to_le_bytes(),
    };
    text.encode_utf16().flat_map(unit).collect()
}

fn marked(text: &str) -> Vec<u8> {
    [MARK, text.as_bytes()].concat()
}

/// What is found, with offset and length, the same for every way of reading.
fn found(bytes: &[u8], layout: Option<Layout>) -> Vec<(String, u64, u64)> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    let mut answers = Vec::new();
    for block in [1, 2, 3, 5, 64, 256 << 10] {
        for threads in [1, 3] {
            let mut sieve = Sieve::builder()
                .mode(Mode::All)
                .block_size(block)
                .threads(threads);
            if let Some(layout) = &layout {
                sieve = sieve.list(layout.clone());
            }
            let sieve = sieve.build();
            let sources = [
                Source::Slice(bytes),
                Source::Path(file.path().to_owned()),
                Source::Reader(Box::new(bytes)),
                Source::Reader(Box::new(Dribble(bytes, 1))),
            ];
            for source in sources {
                let mut found = Vec::new();
                let visit = |finding: &Finding<'_>| {
                    let uri = String::from_utf8_lossy(finding.uri).into_owned();
                    found.push((uri, finding.offset, finding.length));
                };
                sieve.for_each_in([source], visit).unwrap();
                answers.push(found);
            }
        }
    }
    let first = answers.remove(0);
    for answer in answers {
        assert_eq!(answer, first);
    }
    first
}

#[test]
fn a_mark_before_the_first_line_of_a_list() {
    for args in [&["normalize"][..], &["dedup", "--canonical"]] {
        let ran = run(args, &marked("HTTP://a.example/\nurn:a-b:c\n"));
        assert_eq!(ran.out, "http://a.example/\nurn:a-b:c\n", "{args:?}");
        assert_eq!((&*ran.err, ran.code), ("", 0));
    }
    let places = found(&marked("http://a.example/"), Some(Layout::Lines));
    assert_eq!(places, [("http://a.example/".to_owned(), 3, 17)]);
}

#[test]
fn a_mark_before_every_side_file() {
    let root = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let path = root.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let known = put("known", &marked("http://a.example/\n"));
    let ran = run(&["dedup", "--against", &known], b"http://a.example/\n");
    assert_eq!((&*ran.out, ran.code), ("", 1));
    let json = put("a.jsonl", &marked("{\"u\":\"http://a.example/\"}\n"));
    let ran = run(&["dedup", "--field", "/u", "--canonical", &json], b"");
    assert_eq!(ran.out, "http://a.example/\n");
    for names in [
        marked(&known),
        utf16(&format!("\u{FEFF}{known}\r\n"), false),
    ] {
        let names = put("names", &names);
        let ran = run(&["--files-from", &names], b"");
        assert_eq!((&*ran.out, &*ran.err), ("http://a.example/\n", ""));
    }
    let line = "r.example/ urn\n";
    for file in [marked(line), utf16(&format!("\u{FEFF}{line}"), true)] {
        let resolvers = put("resolvers", &file);
        let args = ["normalize", "--resolvers", &resolvers];
        let ran = run(&args, b"http://r.example/urn:a-b:c\n");
        assert_eq!((&*ran.out, &*ran.err), ("urn:a-b:c\n", ""));
    }
}

#[test]
fn a_mark_before_a_reference() {
    for bytes in [marked("../g\n"), utf16("\u{FEFF}../g\n", false)] {
        let ran = run(&["resolve", "--base", "http://a/b/c"], &bytes);
        assert_eq!((&*ran.out, ran.code), ("http://a/g\n", 0));
    }
}

/// A byte-order mark is not text: a rule that matches at the start of a line also
/// matches after the mark.
#[test]
fn a_mark_before_a_text() {
    let text = "> <http://a.example/b\n> c> http://b.example/\n";
    let wanted: Vec<_> = found(text.as_bytes(), None)
        .into_iter()
        .map(|(uri, offset, length)| (uri, offset + 3, length))
        .collect();
    assert_eq!(wanted[0].0, "http://a.example/bc");
    assert_eq!(found(&marked(text), None), wanted);
    assert_eq!(found(MARK, None), []);
}

#[test]
fn utf16_without_a_mark_is_read() {
    for big in [false, true] {
        for text in [
            "http://a.example/",
            "see http://a.example/b.\nand <urn:a-b:c>\n",
            "\u{201C}http://a.example/\u{201D} and more of it\n",
        ] {
            let plain = found(&utf16(&format!("\u{FEFF}{text}"), big), None);
            let wanted: Vec<_> = plain
                .iter()
                .map(|(uri, offset, length)| (uri.clone(), offset - 2, *length))
                .collect();
            assert!(!wanted.is_empty());
            assert_eq!(found(&utf16(text, big), None), wanted, "{text}");
        }
        let long = "http://a.example/ \n".repeat(200);
        assert_eq!(found(&utf16(&long, big), None).len(), 200);
    }
}

#[test]
fn utf32_is_read() {
    let text = "see http://a.example/ü and\nurn:a-b:c\n";
    for unit in [u32::to_le_bytes as fn(u32) -> [u8; 4], u32::to_be_bytes] {
        let encode =
            |text: &str| -> Vec<u8> { text.chars().flat_map(|c| unit(c.into())).collect() };
        let uri = "http://a.example/ü";
        let wanted = |mark: u64| {
            vec![
                (uri.to_owned(), mark + 4 * 4, 4 * uri.chars().count() as u64),
                ("urn:a-b:c".to_owned(), mark + 4 * 27, 4 * 9),
            ]
        };
        assert_eq!(found(&encode(&format!("\u{FEFF}{text}")), None), wanted(4));
        assert_eq!(found(&encode(text), None), wanted(0));
        let json = ["-i", "json", "--all", "-b"];
        let ran = run(&json, &encode("\u{FEFF}{\"a\": \"http://b.example/\"}"));
        assert_eq!(ran.out, "32:http://b.example/\n");
        let list = encode("\u{FEFF}HTTP://a.example/\nhttp://a.example/\n");
        assert_eq!(run(&["dedup"], &list).out, "HTTP://a.example/\n");
    }
}

#[test]
fn cyrillic_utf16_without_a_mark_is_read() {
    let text = "Здравствуйте, товарищи: http://a.example/путь\r\n";
    for big in [false, true] {
        let wanted = found(&utf16(&format!("\u{FEFF}{text}"), big), None);
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(uri, at, len)| (uri, at - 2, len))
            .collect();
        assert_eq!(wanted.len(), 1);
        assert_eq!(found(&utf16(text, big), None), wanted);
    }
}

#[test]
fn lists_in_utf16() {
    let text = "HTTP://a.example/\r\nurn:a-b:c\r\nhttp://a.example/\r\n";
    for big in [false, true] {
        for bytes in [utf16(text, big), utf16(&format!("\u{FEFF}{text}"), big)] {
            let ran = run(&["dedup"], &bytes);
            assert_eq!(ran.out, "HTTP://a.example/\nurn:a-b:c\n");
            assert_eq!((&*ran.err, ran.code), ("", 0));
        }
    }
    let csv = utf16("id,url\n1,HTTP://a.example/\n2,http://a.example/\n", false);
    let ran = run(&["dedup", "--csv-column", "url"], &csv);
    assert_eq!(ran.out, "id,url\n1,HTTP://a.example/\n");
}

/// The delimiter is detected from the same records however they come.
#[test]
fn tables_are_distinguished_in_every_way_of_reading() {
    let text = "\r\nid;url;note\n1;http://a.example/;\"x\n;y, z\"\n2;;\n3;urn:a-b:c;,,,\n4;http://d.example/;\n";
    let wanted = ["http://a.example/", "", "urn:a-b:c", "http://d.example/"];
    let values = |bytes: &[u8], csv: CsvColumn, from: usize| {
        let found = found(bytes, Some(Layout::Csv(csv)));
        let uris: Vec<String> = found[from..].iter().map(|found| found.0.clone()).collect();
        assert_eq!(uris, wanted);
        assert!(found.windows(2).all(|pair| pair[0].1 < pair[1].1));
    };
    for bytes in [marked(text), utf16(text, false), text.as_bytes().to_vec()] {
        values(&bytes, CsvColumn::named("url"), 2);
        values(&bytes, CsvColumn::numbered(1), 2);
    }
}

/// NUL is a delimiter like others: not every text that holds some is UTF-16.
#[test]
fn what_is_no_utf16_is_searched_as_it_is() {
    let nuls = [&[0; 600], &b"http://a.example/"[..]].concat();
    assert_eq!(found(&nuls, None).len(), 1);
    let listed = b"/a\0/b\0http://a.example/\0".repeat(60);
    assert_eq!(found(&listed, None).len(), 60);
    let half = [&b"a\0".repeat(300)[..], &b" http://a.example/".repeat(60)].concat();
    assert_eq!(found(&half, None).len(), 60);
}

#[test]
fn utf16_by_flag() {
    // Letters that have no NUL at all.
    let text = "\u{65E5}\u{672C}".repeat(400) + " http://a.example/ ";
    for big in [false, true] {
        let bytes = utf16(&text, big);
        let detected = run(&["-v"], &bytes);
        assert!(!detected.err.contains("UTF-16"), "{}", detected.err);
        let forced = run(&["--utf16"], &bytes);
        assert_eq!((&*forced.out, forced.code), ("http://a.example/\n", 0));
    }
    let list = utf16("urn:a-b:c\n", true);
    for command in ["normalize", "dedup"] {
        assert_eq!(run(&[command, "--utf16"], &list).out, "urn:a-b:c\n");
    }
}

/// A file to which another program appended in its own encoding, as `>>` of PowerShell does.
#[test]
fn lines_in_another_encoding_are_found_wherever_they_begin() {
    let parts = [
        "http://a.example/1\r\n",
        "see http://b.example/2 and\r\n<http://c.example/\r\n  3> \u{434}\r\n",
        "ok\nhttp://d.example/4\n",
        "http://e.example/\u{436}\r\n",
        "urn:x-y:z\n",
    ];
    for begins_wide in [false, true] {
        let mut bytes = Vec::new();
        if begins_wide {
            bytes.extend_from_slice(b"\xFF\xFE");
        }
        let mut wanted = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let part = match (number % 2 == 1) != begins_wide {
                true => utf16(part, false),
                false => part.as_bytes().to_vec(),
            };
            wanted.push(bytes.len()..bytes.len() + part.len());
            bytes.extend(part);
        }
        let found = found(&bytes, None);
        let uris: Vec<&str> = found.iter().map(|(uri, ..)| &**uri).collect();
        assert_eq!(
            uris,
            [
                "http://a.example/1",
                "http://b.example/2",
                "http://c.example/3",
                "http://d.example/4",
                "http://e.example/\u{436}",
                "urn:x-y:z",
            ]
        );
        // L3: the bytes of a finding are those of its part.
        for ((uri, offset, length), part) in found.iter().zip([0, 1, 1, 2, 3, 4]) {
            let range = *offset as usize..(offset + length) as usize;
            assert!(wanted[part].start <= range.start && range.end <= wanted[part].end);
            let raw: Vec<u8> = bytes[range].iter().copied().filter(|b| *b > 4).collect();
            let is_begun = raw.starts_with(&uri.as_bytes()[..9]);
            assert!(is_begun, "{uri} {raw:?}");
        }
    }
    // A list names such a line; one that begins as UTF-16 is read to its end.
    let lists = [
        [b"urn:a-b:c\n".to_vec(), utf16("urn:d-e:f\r\n", false)].concat(),
        [
            utf16("\u{FEFF}urn:a-b:c\r\n", false),
            b"urn:d-e:f\n".to_vec(),
        ]
        .concat(),
    ];
    let ran = run(&["normalize"], &lists[0]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("line 2: no URI (bad-char"), "{}", ran.err);
    assert_eq!(run(&["normalize"], &lists[1]).out, "urn:a-b:c\nurn:d-e:f\n");
}

/// The same behind the rows of a table.
#[test]
fn lines_in_another_encoding_are_found_behind_rows() {
    let rows = |host: &str| {
        let row = |at: usize| format!("{at},http://{host}.example/{at},x\r\n");
        (1..6).map(row).collect::<String>()
    };
    let narrow = [rows("a").into_bytes(), utf16(&rows("b"), false)].concat();
    let wide = format!("\u{FEFF}{}", rows("a"));
    let wide = [utf16(&wide, false), rows("b").into_bytes()].concat();
    for bytes in [narrow, wide] {
        for block in [3, 64, 256 << 10] {
            let sieve = Sieve::builder().mode(Mode::All).block_size(block).build();
            let mut uris = Vec::new();
            let visit = |finding: &Finding<'_>| uris.push(finding.uri[7]);
            sieve.for_each_in([Source::Slice(&bytes)], visit).unwrap();
            assert_eq!(uris, b"aaaaabbbbb", "{block}");
        }
    }
}

/// The same in a file that is a member of an archive.
#[test]
fn lines_in_another_encoding_are_found_in_members() {
    let narrow = "http://a.example/1\r\n".as_bytes().to_vec();
    let wide = utf16("\u{FEFF}http://b.example/2\r\n", false);
    for bytes in [
        [narrow.clone(), wide[2..].to_vec()].concat(),
        [wide, narrow].concat(),
    ] {
        let tar = Header::new(b"t.txt", b'0', bytes.len()).member(&bytes);
        let mut uris: Vec<String> = found(&tar, None).into_iter().map(|(uri, ..)| uri).collect();
        uris.sort();
        assert_eq!(uris, ["http://a.example/1", "http://b.example/2"]);
    }
}

#[test]
fn a_verbose_run_says_what_was_utf16() {
    let Ran { err, .. } = run(&["-v"], &utf16("http://a.example/\n", false));
    assert!(err.contains("read as UTF-16 text"), "{err}");
}
