//! No input is silently taken for another format: damage at the beginning, other text before
//! the first record, formats that are not read, tables in which nothing is known.

use crate::marc::record;
use crate::program::run;

/// A record with a link that is wrong.
fn marc(number: usize) -> Vec<u8> {
    let id = format!("r{number}");
    let link = format!("40\x1Fuhttp://r{number}.example/a b");
    let title = b"10\x1FaTitle of a book / by an author.";
    let fields: [(&str, &[u8]); 4] = [
        ("001", id.as_bytes()),
        ("008", b"                                  eng  "),
        ("245", title),
        ("856", link.as_bytes()),
    ];
    record('a', &fields)
}

fn nine() -> Vec<u8> {
    (1..=9).flat_map(marc).collect()
}

/// Returns how many of the links behind the first record `catalog check` lists.
fn later_links(input: &[u8], args: &[&str]) -> (usize, i32, String) {
    let args = [&["catalog", "check", "--json"], args].concat();
    let ran = run(&args, input);
    let is_listed = |number: &usize| {
        ran.out
            .contains(&format!("\"http://r{number}.example/a b\""))
    };
    ((2..=9).filter(is_listed).count(), ran.code, ran.err)
}

#[test]
fn a_catalog_is_known_beyond_its_beginning() {
    let good = nine();
    let with = |range: std::ops::Range<usize>, text: &[u8]| {
        let mut bytes = good.clone();
        bytes.splice(range, text.iter().copied());
        bytes
    };
    let end = good.iter().position(|&byte| byte == 0x1E).unwrap();
    for (what, bytes) in [
        ("an end of a record before it", with(0..0, b"\x1D")),
        ("no length", with(0..5, b"     ")),
        ("letters for a length", with(0..5, b"abcde")),
        ("no base", with(12..17, b"     ")),
        ("letters for a base", with(12..17, b"abcde")),
        (
            "neither",
            [&with(0..5, b"     ")[..12], b"     ", &good[17..]].concat(),
        ),
        ("another end of the directory", with(end..end + 1, b"\x1F")),
        (
            "a line of text before it",
            with(0..0, b"A list of titles, 2020\n"),
        ),
        (
            "the tail of a record before it",
            with(0..0, &good[100..marc(1).len()]),
        ),
        ("no leader", with(0..24, b"")),
        ("no directory", with(0..end + 1, b"")),
    ] {
        let (found, code, said) = later_links(&bytes, &[]);
        // What is wrong about a base may be known from the rest of its record.
        let wanted = if what.contains("base") { 1 } else { 2 };
        assert_eq!((found, code), (8, wanted), "{what}: {said}");
    }
    let mrk = |n| {
        format!("=LDR  00000nam a2200000 a 4500\n=001  {n}\n=856  40$uhttp://r{n}.example/a b\n\n")
    };
    let plain = |n| format!("003@ $0{n}\n021A $aTitle\n017C $uhttp://r{n}.example/a b\n\n");
    let coded =
        |n| format!("003@ \x1F0{n}\x1E021A \x1FaTitle\x1E017C \x1Fuhttp://r{n}.example/a b\x1E\n");
    let xml = |n| {
        format!(
            "<record><controlfield tag=\"001\">{n}</controlfield><datafield tag=\"856\"><subfield code=\"u\">http://r{n}.example/a b</subfield></datafield></record>\n"
        )
    };
    let object = |n| format!("{{\"id\":{n},\"url\":\"http://r{n}.example/a b\"}}\n");
    let forms: [&dyn Fn(usize) -> String; 5] = [&mrk, &plain, &coded, &xml, &object];
    for form in forms {
        let records: String = (1..=9).map(form).collect();
        for before in ["A list\nof titles,\n2020\n\n", "; 1\n\n;2\n"] {
            let text = format!("{before}{records}");
            let (found, _, said) = later_links(text.as_bytes(), &[]);
            assert_eq!(found, 8, "{before:?} {}: {said}", form(1));
        }
    }
}

/// An input that is no catalogue is named, with what can be done.
#[test]
fn what_is_not_read_is_named() {
    for (text, said) in [
        (
            "TY  - JOUR\nTI  - A\nUR  - http://a.example/\nER  - \n",
            "it is RIS, which is not read",
        ),
        (
            "@article{a,\n  title = {A},\n  url = {http://a.example/}\n}\n",
            "it is BibTeX, which is not read",
        ),
        (
            "000000001 LDR   L ^^^^^nam^a22\n000000001 24510 L $$aA\n000000001 85640 L $$uhttp://a.example/\n",
            "it is Aleph sequential, which is not read",
        ),
        (
            "%0 Journal Article\n%A A\n%U http://a.example/\n",
            "it is EndNote, which is not read",
        ),
        (
            "PMID- 1\nTI  - A\nLID - 10.1000/1 [doi]\n",
            "it is MEDLINE, which is not read",
        ),
        (
            "FN Clarivate\nVR 1.0\nPT J\nDI 10.1000/1\nER\n",
            "it is the format of Web of Science, which is not read",
        ),
        (
            "[\n  {\n    \"leader\": \"x\"\n  }\n]\n",
            "JSON is only read with an object in each line",
        ),
        (
            "{\n  \"url\": \"x\"\n}\n",
            "JSON is only read with an object in each line",
        ),
        (
            "name;year\nA;2020\nB;2021\n",
            "it was taken for a table (CSV), but has no column",
        ),
        (
            "some text\n",
            "it was taken for a table (CSV), but has no column",
        ),
        (
            "{\"name\":\"A\"}\n{\"name\":\"B\"}\n",
            "it was taken for a table (JSON Lines), but has no",
        ),
    ] {
        for args in [
            &["list"][..],
            &["check"],
            &["fix", "--only", "blank-inside"],
        ] {
            let ran = run(&[&["catalog"], args].concat(), text.as_bytes());
            assert_eq!(ran.code, 2, "{args:?} {text}");
            assert!(
                !ran.err.contains("nothing was to be changed") || said.contains("taken for"),
                "{text}"
            );
            // No row is made of a format that is not read.
            let out = if args[0] == "fix" { text } else { "" };
            assert_eq!(
                ran.out.lines().skip(usize::from(args[0] != "fix")).count(),
                out.lines().count()
            );
            assert!(ran.err.contains(said), "{args:?} {text}: {}", ran.err);
            assert_eq!(
                ran.err
                    .lines()
                    .filter(|line| line.contains("urisieve: (standard"))
                    .count(),
                1,
                "{}",
                ran.err
            );
        }
    }
    for format in ["marc", "mrk", "pica"] {
        let ran = run(&["catalog", "check", "-i", format], b"a text\n");
        assert_eq!(ran.code, 2, "{format}");
        let said = match format {
            "marc" => "belong to no record",
            _ => "no record of the format",
        };
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    for (text, args) in [
        ("url;year\n;2020\n", &[][..]),
        ("name,url\n", &[]),
        ("", &[]),
        ("\n", &[]),
        ("http://a.example/\n", &[]),
        ("{\"url\":\"\"}\n", &[]),
        ("name,year\nA,2020\n", &["--fields", "name"]),
        ("url,text\n,\"@article{a,\nb\"\n", &[]),
    ] {
        let ran = run(&[&["catalog", "check"], args].concat(), text.as_bytes());
        assert_eq!((ran.code, &*ran.err), (0, ""), "{text:?}");
    }
}

/// A line of a record that is no field is a loss of its record; the other fields are read.
#[test]
fn a_line_that_is_no_field_is_named() {
    let mrk = "=LDR  00000nam a2200000 a 4500\n=001  1\n=856  40$uhttp://r1.example/\n\n\
               =LDR  00000nam a2200000 a 4500\n=001  2\n=856  40$uhttp://r2.example/\n";
    let plain = "003@ $01\n017C $uhttp://r1.example/\n\n003@ $02\n017C $uhttp://r2.example/\n";
    let coded = plain
        .replace("\n\n", "\r")
        .replace('\n', "\x1E")
        .replace('\r', "\x1E\n");
    let coded = coded.replace('$', "\x1F");
    let cause = "a line that is no field is not read";
    for (text, place) in [
        (mrk.replacen("=856", "?856", 1), "record 1"),
        (mrk.replace("=001  2", "x001  2"), "record 2"),
        (mrk.replace("\n\n=LDR", "\n\nxLDR"), "record 2"),
        (mrk.replacen("=LDR", "xLDR", 1), "record 1"),
        (format!("{mrk}\nx856  40$uhttp://r3.example/\n"), "record 3"),
        (plain.replacen("017C", "x17C", 1), "record 1"),
        (plain.replace("\n\n003@", "\n\n0x3@"), "record 2"),
        (coded.replacen("017C", "x17C", 1), "record 1"),
    ] {
        let ran = run(&["catalog", "list"], text.as_bytes());
        assert_eq!(ran.code, 2, "{text:?}");
        assert!(
            ran.err.contains(cause) && ran.err.contains(place),
            "{text:?} {}",
            ran.err
        );
        assert!(
            ran.out.contains("http://r2.example/"),
            "{text:?} {}",
            ran.out
        );
    }
    for text in [
        format!("# a comment\n{mrk}"),
        format!("A title\n\n{mrk}"),
        plain.to_owned(),
        coded,
    ] {
        let ran = run(&["catalog", "list"], text.as_bytes());
        assert_eq!((ran.code, &*ran.err), (0, ""), "{text:?}");
    }
}

#[test]
fn the_summary_says_what_was_read() {
    for (args, said) in [
        (
            &["list", "-v"][..],
            "urisieve: read as ISO 2709, 9 records\n",
        ),
        (&["check", "-v"], "urisieve: read as ISO 2709, 9 records\n"),
        (
            &["fix", "--only", "control-char", "-v"],
            "urisieve: read as ISO 2709, 9 records\n",
        ),
        (&["list", "--stats"], "9 records_as_marc\n"),
        (&["check", "--stats"], "9 records_as_marc\n"),
        (
            &["fix", "--only", "control-char", "--stats"],
            "9 records_as_marc\n",
        ),
        (&["list", "--stats", "--json"], "\"records_as_marc\":9,"),
    ] {
        let ran = run(&[&["catalog"], args].concat(), &nine());
        assert!(ran.err.contains(said), "{args:?}: {}", ran.err);
    }
    let ran = run(&["catalog", "list"], &nine());
    assert_eq!(ran.err, "");
}

/// Writes a record of this number with this end.
type Form<'f> = dyn Fn(usize, &str) -> String + 'f;

/// The number of a record may precede its fields, before every second record or before all,
/// and 1D may divide records.
#[test]
fn pica_with_numbers_before_its_fields_is_read() {
    let fields = |n: usize| {
        format!("001A \x1F01:01-01-01\x1E003@ \x1F0{n}\x1E009Q \x1Fuhttp://r{n}.example/a b\x1E")
    };
    let second = |n: usize, end: &str| match n % 2 {
        1 => format!("10413183{n}       \x1E{}{end}", fields(n)),
        _ => format!("{}{end}", fields(n)),
    };
    let all = |n: usize, end: &str| format!("  10413183{n}\x1E{}{end}", fields(n));
    let none = |n: usize, end: &str| fields(n) + end;
    let forms: [&Form<'_>; 3] = [&second, &all, &none];
    for form in forms {
        for end in ["\n", "\x1D", "\x1D\n"] {
            let text: String = (1..=9).map(|n| form(n, end)).collect();
            for text in [text.clone(), format!("\x1D{text}")] {
                let (found, code, said) = later_links(text.as_bytes(), &[]);
                assert_eq!((found, code, &*said), (8, 1, ""), "{text:?}");
                let ran = run(&["catalog", "list", "--stats"], text.as_bytes());
                assert!(
                    ran.err.contains("9 records_as_pica\n"),
                    "{text:?} {}",
                    ran.err
                );
                assert_eq!(
                    run(&["--all"], text.as_bytes()).out.lines().count(),
                    9,
                    "{text:?}"
                );
            }
        }
    }
}
