//! `catalog list` and `check` as a workbook of spreadsheets.

use crate::program::run;
use flate2::read::DeflateDecoder;
use std::fs;
use std::io::Read;

/// Returns the first sheet of a workbook: the content of its first member.
fn sheet(workbook: &[u8]) -> String {
    assert!(workbook.starts_with(b"PK\x03\x04"), "{workbook:?}");
    let name = usize::from(u16::from_le_bytes([workbook[26], workbook[27]]));
    let mut text = String::new();
    let packed = &workbook[30 + name..];
    DeflateDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn rows_may_be_a_workbook() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let records = (0..3000).map(|n| {
        format!("=001  {n}\n=020  \\\\$a0451450523\n=020  \\\\$z10-12\n=856  40$uhttp//r{n}.example/&\n\n")
    });
    let input: String = records.collect();
    let (named, flagged) = (path("a.xlsx"), path("b"));
    for args in [&["-o", &named][..], &["--xlsx", "-o", &flagged]] {
        let ran = run(&[&["catalog", "list"], args].concat(), input.as_bytes());
        assert_eq!((ran.code, &*ran.err), (0, ""), "{args:?}");
    }
    let written = fs::read(&named).unwrap();
    assert_eq!(written, fs::read(&flagged).unwrap());
    let sheet = sheet(&written);
    let of_text =
        |cell: &str| format!("s=\"1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{cell}</t>");
    for cell in ["020", "0451450523", "10-12", "http://r2999.example/&amp;"] {
        assert!(sheet.contains(&of_text(cell)), "{cell}");
    }
    assert_eq!(sheet.matches("<row ").count(), 9001);
    assert!(sheet.contains("<c r=\"B9001\"><v>3000</v></c>"));
    let summary = run(
        &["catalog", "check", "--summary", "--xlsx"],
        input.as_bytes(),
    );
    assert_eq!(summary.code, 1, "{}", summary.err);
    for args in [&["--xlsx", "--json"][..], &["--excel", "-o", &named]] {
        let ran = run(&[&["catalog", "list"], args].concat(), input.as_bytes());
        assert!(
            ran.code == 2 && ran.err.contains("--xlsx"),
            "{args:?} {}",
            ran.err
        );
    }
}
