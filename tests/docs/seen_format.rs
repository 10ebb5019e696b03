//! The format of stores is documented: a reader in Python, which is in the document, prints what
//! `seen export` prints.

use crate::documents::{blocks, read, sh};
use std::fs;
use std::process::Command;

#[test]
fn the_reader_of_the_document_reads_stores() {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: the reader of docs/seen-format.md needs python3, which is not here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let document = read("docs/seen-format.md");
    let readers = blocks(&document, "python");
    assert_eq!(readers.len(), 1);
    fs::write(root.join("reader.py"), &readers[0]).unwrap();
    let line = |n: u64| {
        let noise = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let tail = "long/".repeat(n as usize % 90);
        format!("http://{:x}.example/{noise:x}/{tail}\n", noise >> 50)
    };
    for part in 0..3 {
        let lines: String = (part * 3000..part * 3000 + 3000).map(line).collect();
        let noise = "x y\u{FC}".repeat(8000 * part as usize + 1);
        fs::write(root.join("part"), lines + &noise + "\n").unwrap();
        let ran = sh(root, "urisieve dedup --seen store part");
        assert_eq!(ran.code, 0, "{}", ran.err);
        let exported = sh(root, "urisieve seen export store");
        let ran = sh(root, "python3 reader.py store");
        assert_eq!((&*ran.err, ran.code), ("", 0));
        assert!(ran.out == exported.out && ran.out.len() > 200_000);
    }
    let ran = sh(
        root,
        "urisieve seen compact store && python3 reader.py store | cksum",
    );
    let exported = sh(root, "urisieve seen export store | cksum");
    assert_eq!(ran.out, exported.out);
}
