//! `catalog fix`: what it changes and what it leaves, where it writes, what it refuses.

use crate::marc::record;
use crate::packed::gzip;
use crate::program::run;
use crate::thorough;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const ONLY: [&str; 2] = ["--only", "missing-colon,trailing-punct"];

/// A record whose link is wrong where `number` is odd, in UTF-8 or MARC-8.
fn numbered(number: usize, coding: char) -> Vec<u8> {
    let id = format!("{number}");
    let link = match number % 2 {
        1 => format!("40\x1Fuhttp//x.example/{number}.\x1Fzsee http//a."),
        _ => format!("40\x1Fuhttp://x.example/{number}"),
    };
    let title: &[u8] = match coding {
        'a' => "10\x1FaCaf\u{E9}".as_bytes(),
        _ => b"10\x1FaCaf\xE2e \x1B(Na\x1B(B",
    };
    record(
        coding,
        &[
            ("001", id.as_bytes()),
            ("245", title),
            ("856", link.as_bytes()),
        ],
    )
}

fn catalog(count: usize, coding: char) -> Vec<u8> {
    (0..count)
        .flat_map(|number| numbered(number, coding))
        .collect()
}

/// What the catalogue becomes.
fn repaired(count: usize, coding: char) -> Vec<u8> {
    let one = |number: usize| {
        let id = format!("{number}");
        let link = format!("40\x1Fuhttp://x.example/{number}\x1Fzsee http//a.");
        let title: &[u8] = match coding {
            'a' => "10\x1FaCaf\u{E9}".as_bytes(),
            _ => b"10\x1FaCaf\xE2e \x1B(Na\x1B(B",
        };
        match number % 2 {
            1 => record(
                coding,
                &[
                    ("001", id.as_bytes()),
                    ("245", title),
                    ("856", link.as_bytes()),
                ],
            ),
            _ => numbered(number, coding),
        }
    };
    (0..count).flat_map(one).collect()
}

/// Writes `bytes` to a file of `dir`, and returns its name.
fn file(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn fix(args: &[&str]) -> (i32, String, String) {
    let ran = run(&[&["catalog", "fix"][..], args].concat(), b"");
    (ran.code, ran.out, ran.err)
}

#[test]
fn only_chosen_records_change() {
    let dir = tempfile::tempdir().unwrap();
    for coding in ['a', ' '] {
        let mut bytes = catalog(3000, coding);
        let mut wanted = repaired(3000, coding);
        // Damage is passed on.
        let damaged = b"00009nam a2200037 a 4500001000500000\x1E1234\x1E\x1D";
        bytes.splice(0..0, damaged.iter().copied());
        wanted.splice(0..0, damaged.iter().copied());
        let path = file(dir.path(), "a.mrc", &bytes);
        let (out, log) = (dir.path().join("b.mrc"), dir.path().join("log.csv"));
        for threads in ["1", "2", "8"] {
            let args = [
                ONLY[0],
                ONLY[1],
                "-j",
                threads,
                "--log",
                text(&log),
                "-o",
                text(&out),
                text(&path),
            ];
            let (code, _, said) = fix(&args);
            assert_eq!(code, 2, "{said}");
            assert!(
                said.contains("1500 values changed in 1500 records, 0 refused"),
                "{said}"
            );
            assert!(fs::read(&out).unwrap() == wanted, "{coding} {threads}");
            let log = fs::read_to_string(&log).unwrap();
            assert_eq!(log.lines().count(), 1501);
            let row = log.lines().nth(1).unwrap();
            assert!(row.ends_with("a.mrc,3,1,856,1,u,http//x.example/1.,http://x.example/1,trailing-punct missing-colon,"), "{row}");
        }
        let rows = run(&["catalog", "list", "--fields", "856u", text(&out)], b"");
        assert_eq!(rows.out.matches(",http://x.example/").count(), 6000);
    }
}

#[test]
fn files_change_in_place() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (catalog(50, 'a'), repaired(50, 'a'));
    let right = numbered(0, 'a');
    let plain = file(dir.path(), "a.mrc", &old);
    let packed = file(dir.path(), "b.mrc", &gzip(&old));
    let same = file(dir.path(), "c.mrc", &right);
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &old).unwrap();
    let other = file(dir.path(), "d.mrc", &encoder.finish().unwrap());
    let files = [&plain, &packed, &same, &other].map(|path| text(path));
    let (code, out, said) = fix(&[&ONLY[..], &["--in-place=.old"], &files].concat());
    assert_eq!((code, &*out), (2, ""), "{said}");
    assert!(
        said.contains("d.mrc: left as it is: this compression is not written"),
        "{said}"
    );
    assert!(said.contains("50 values changed in 50 records"), "{said}");
    assert!(fs::read(&plain).unwrap() == new);
    assert!(fs::read(dir.path().join("a.mrc.old")).unwrap() == old);
    let mut unpacked = Vec::new();
    let bytes = fs::read(&packed).unwrap();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut unpacked)
        .unwrap();
    assert!(unpacked == new);
    assert!(fs::read(dir.path().join("b.mrc.old")).unwrap() == gzip(&old));
    assert!(fs::read(&same).unwrap() == right);
    let mut names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["a.mrc", "a.mrc.old", "b.mrc", "b.mrc.old", "c.mrc", "d.mrc"]
    );
}

#[test]
fn a_truncated_file_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let packed = gzip(&catalog(500, 'a'));
    let cut = &packed[..packed.len() / 2];
    let path = file(dir.path(), "a.gz", cut);
    let (code, _, said) = fix(&[&ONLY[..], &["--in-place", text(&path)]].concat());
    assert_eq!(code, 2);
    assert!(
        said.contains("left as it is: it could not be read to its end"),
        "{said}"
    );
    assert!(fs::read(&path).unwrap() == cut);
    assert!(!dir.path().join("a.gz.bak").exists());
}

#[test]
fn a_dry_run_shows_what_would_change() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "a.mrc", &catalog(2, 'a'));
    let (code, out, said) = fix(&[&ONLY[..], &["--dry-run", text(&path)]].concat());
    let name = text(&path);
    assert_eq!(
        out,
        format!(
            "--- {name}\n+++ {name}\n@@ record 2 (1): 856 #1 $u, trailing-punct missing-colon @@\n-http//x.example/1.\n+http://x.example/1\n"
        )
    );
    assert_eq!(code, 0);
    assert!(
        said.contains("1 value would change in 1 record, 0 refused"),
        "{said}"
    );
    assert!(fs::read(&path).unwrap() == catalog(2, 'a'));
}

#[test]
fn a_table_that_was_edited_is_applied() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "a.mrc", &catalog(6, 'a'));
    let (table, out) = (dir.path().join("t.csv"), dir.path().join("b.mrc"));
    for form in [&["-f", "csv"][..], &["--excel"], &["-f", "jsonl"]] {
        let args = [
            &["catalog", "check", "--no-groups"][..],
            form,
            &[text(&path)],
        ]
        .concat();
        let rows = run(&args, b"").out;
        let table = table.with_extension(if form.contains(&"jsonl") {
            "jsonl"
        } else {
            "csv"
        });
        fs::write(&table, &rows).unwrap();
        let (code, _, said) = fix(&["--apply", text(&table), "-o", text(&out), text(&path)]);
        assert_eq!(code, 0, "{said}");
        assert!(fs::read(&out).unwrap() == repaired(6, 'a'), "{form:?}");
        // What was applied does not fit any more; nor does a record that is not there.
        let again = file(dir.path(), "again.mrc", &repaired(2, 'a'));
        let moved = rows.replace(text(&path), text(&again));
        fs::write(&table, moved).unwrap();
        let (code, _, said) = fix(&["--apply", text(&table), "-o", text(&out), text(&again)]);
        assert_eq!(code, 2);
        assert!(
            said.contains("the original is not what the record has"),
            "{said}"
        );
        assert!(said.contains("the input has no such record"), "{said}");
        assert!(
            said.contains("0 values changed in 0 records, 3 refused"),
            "{said}"
        );
        assert!(fs::read(&out).unwrap() == repaired(2, 'a'));
    }
}

/// Our table with tabs has no quotes: they are a part of the values. A spreadsheet puts some.
#[test]
fn quotes_in_a_table_with_tabs_are_read_as_they_were_written() {
    let dir = tempfile::tempdir().unwrap();
    let links = [
        "\"http://a.example/x\"",
        "\"http://b.example/y",
        "\"",
        "http://c.example/ z",
    ];
    let catalog = |links: &[&str]| -> String {
        let link = |link: &&str| format!("=856  40$u{link}\n");
        format!("=001  1\n{}\n", links.iter().map(link).collect::<String>())
    };
    let path = file(dir.path(), "a,b.mrk", catalog(&links).as_bytes());
    let (table, out) = (dir.path().join("t.tsv"), dir.path().join("b.mrk"));
    let listed = run(&["catalog", "list", "-f", "tsv", text(&path)], b"").out;
    assert_eq!(listed.lines().count(), 5, "{listed}");
    // A person writes new values into the column suggestion.
    let edited = |quoted: &dyn Fn(&str) -> String| -> String {
        let rows = listed.lines().enumerate().map(|(number, row)| {
            let mut cells: Vec<String> = row.split('\t').map(str::to_owned).collect();
            if number > 0 {
                cells[17] = format!("http://new.example/{number},");
            }
            let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
            cells.join("\t") + "\n"
        });
        rows.collect()
    };
    let new: Vec<String> = (1..=4)
        .map(|n| format!("http://new.example/{n},"))
        .collect();
    let wanted = catalog(&new.iter().map(String::as_str).collect::<Vec<_>>());
    let in_quotes = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    for quoted in [
        &(|cell: &str| cell.to_owned()) as &dyn Fn(&str) -> String,
        // Where it must, and everywhere.
        &|cell| match cell.contains(['"', ',']) {
            true => in_quotes(cell),
            false => cell.to_owned(),
        },
        &in_quotes,
    ] {
        fs::write(&table, edited(quoted)).unwrap();
        let (code, _, said) = fix(&["--apply", text(&table), "-o", text(&out), text(&path)]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(
            fs::read_to_string(&out).unwrap(),
            wanted,
            "{}",
            edited(quoted)
        );
    }
}

/// A table for which there is not the memory is refused, with the limit that reads it.
#[test]
fn a_table_keeps_to_the_limit_of_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "a.mrc", &catalog(20_000, 'a'));
    let (table, out) = (dir.path().join("t.csv"), dir.path().join("b.mrc"));
    let rows = run(&["catalog", "check", "--no-groups", text(&path)], b"").out;
    fs::write(&table, rows).unwrap();
    let limited = |limit: &str| {
        let (table, out) = (text(&table), text(&out));
        fix(&[
            "--apply",
            table,
            "--max-memory",
            limit,
            "-o",
            out,
            text(&path),
        ])
    };
    let (code, _, said) = limited("1M");
    assert_eq!(code, 2);
    assert!(
        said.contains("t.csv: there is not the memory for the table; --max-memory "),
        "{said}"
    );
    assert!(!out.exists());
    let named = said.split("--max-memory ").nth(1).unwrap();
    let named = named.split_once("M reads it").unwrap().0;
    let least: u64 = named.parse().unwrap();
    assert!((2..64).contains(&least), "{said}");
    let (code, _, said) = limited(&format!("{}M", least - 1));
    assert_eq!(code, 2, "{said}");
    let (code, _, said) = limited(&format!("{least}M"));
    assert_eq!(code, 0, "{said}");
    assert!(fs::read(&out).unwrap() == repaired(20_000, 'a'));
}

#[test]
fn what_is_said_can_be_chosen() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "a.mrc", &catalog(4, 'a'));
    let (code, out, said) = fix(&[&ONLY[..], &["-q", text(&path)]].concat());
    assert_eq!((code, &*said), (0, ""));
    assert!(out.as_bytes() == repaired(4, 'a'));
    let (_, _, said) = fix(&[&ONLY[..], &["-q", "--stats", text(&path)]].concat());
    for row in [
        "2 changed_values\n",
        "2 changed_records\n",
        "4 records\n",
        "1 inputs\n",
    ] {
        assert!(said.contains(row), "{said}");
    }
    // What could not be changed is said all the same.
    let pica = file(dir.path(), "a.pica", b"003@ $01\n009Q $uhttp//a.example/\n");
    let (code, _, said) = fix(&[&ONLY[..], &["-q", text(&pica)]].concat());
    assert_eq!(code, 2);
    assert!(
        said.contains("read only") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn other_formats_change_in_their_own_way() {
    let dir = tempfile::tempdir().unwrap();
    for (name, old, new, code) in [
        (
            "a.mrk",
            "=001  1\n=856  40$uhttp//a.example/{dollar}.\r\n\n",
            "=001  1\n=856  40$uhttp://a.example/{dollar}\r\n\n",
            0,
        ),
        (
            "a.xml",
            "<collection>x<record xmlns='http://www.loc.gov/MARC21/slim'><datafield tag='856' ind1='4' ind2='0'><subfield code='u'>http//a.example/?a&amp;b.</subfield></datafield></record>\n</collection>",
            "<collection>x<record xmlns='http://www.loc.gov/MARC21/slim'><datafield tag='856' ind1='4' ind2='0'><subfield code='u'>http://a.example/?a&amp;b</subfield></datafield></record>\n</collection>",
            0,
        ),
        (
            "a.csv",
            "id;url\r\n1;\"http//a.example/.\"\r\n2;http//b.example/\r\n",
            "id;url\r\n1;\"http://a.example/\"\r\n2;http://b.example/\r\n",
            0,
        ),
        (
            "a.pica",
            "003@ $01\n009Q $uhttp//a.example/\n",
            "003@ $01\n009Q $uhttp//a.example/\n",
            2,
        ),
    ] {
        let path = file(dir.path(), name, old.as_bytes());
        let (found, out, said) = fix(&[&ONLY[..], &[text(&path)]].concat());
        assert_eq!((out.as_str(), found), (new, code), "{name}: {said}");
        assert_eq!(said.contains("read only"), code == 2, "{said}");
    }
}

#[test]
fn wrong_arguments_are_said() {
    for (args, wanted) in [
        (&["a.mrc"][..], "--only"),
        (
            &["--only", "isbn-check", "a.mrc"],
            "--only: isbn-check: a person must decide; these can be repaired: control-char,",
        ),
        (&["--only", "x", "a.mrc"], "x: unknown code"),
        (
            &["--only", "non-ascii", "a.mrc", "b.mrc"],
            "several inputs need --in-place",
        ),
        (
            &["--only", "non-ascii", "--in-place=", "a.mrc"],
            "the backup needs a suffix",
        ),
        (
            &["--only", "non-ascii", "--in-place"],
            "not with standard input",
        ),
        (&["--apply", "none.csv", "a.mrc"], "--apply none.csv: "),
    ] {
        let (code, _, said) = fix(args);
        assert_eq!(code, 2);
        assert!(said.contains(wanted), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "a.mrc", &catalog(5000, 'a'));
    let (code, _, said) = fix(&[&ONLY[..], &["-o", "/dev/full", text(&path)]].concat());
    assert_eq!(code, 2);
    assert!(said.contains("/dev/full: No space left"), "{said}");
    let out = dir.path().join("b.mrc");
    let (code, _, said) = fix(&[
        &ONLY[..],
        &["--log", "/dev/full", "-o", text(&out), text(&path)],
    ]
    .concat());
    assert_eq!(code, 2);
    assert!(said.contains("--log /dev/full: No space left"), "{said}");
    assert!(!out.exists());
}

/// The log is of changes that were made.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_a_log_of_what_was_changed() {
    let dir = tempfile::tempdir().unwrap();
    let (one, pipe) = (
        file(dir.path(), "a.mrc", &catalog(4, 'a')),
        dir.path().join("pipe"),
    );
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let (log, out) = (dir.path().join("log.csv"), dir.path().join("out.mrc"));
    for in_place in [true, false] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_urisieve"));
        command.args([
            "catalog",
            "fix",
            ONLY[0],
            ONLY[1],
            "-j",
            "1",
            "--log",
            text(&log),
        ]);
        match in_place {
            true => command.args(["--in-place", text(&one), text(&pipe)]),
            false => command.args(["-o", text(&out), text(&pipe)]),
        };
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        // The pipe is open when the file is done.
        let mut writer = fs::File::options().write(true).open(&pipe).unwrap();
        std::io::Write::write_all(&mut writer, &catalog(4, 'a')).unwrap();
        let pid = child.id().to_string();
        std::thread::sleep(Duration::from_millis(300));
        assert!(!log.exists());
        assert!(
            Command::new("kill")
                .args(["-INT", &pid])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(!out.exists());
        assert_eq!(log.exists(), in_place);
        if in_place {
            assert!(fs::read(&one).unwrap() == repaired(4, 'a'));
            let rows = fs::read_to_string(&log).unwrap();
            assert_eq!(rows.matches("a.mrc,").count(), 2, "{rows}");
            fs::remove_file(&log).unwrap();
        }
    }
}

/// Whenever the program is killed, the file is the old one or the new one, and where it is
/// the new one there is the old one beside it.
#[cfg(unix)]
#[test]
fn a_killed_run_leaves_whole_files() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (catalog(20_000, 'a'), repaired(20_000, 'a'));
    let backup = dir.path().join("a.mrc.bak");
    let delays = [0, 5, 10, 20, 40, 60, 80, 120, 160, 240, 320, 2000];
    for delay in thorough::part(delays, 2, 1) {
        let path = file(dir.path(), "a.mrc", &old);
        let _ = fs::remove_file(&backup);
        let mut child = Command::new(env!("CARGO_BIN_EXE_urisieve"))
            .args([
                "catalog",
                "fix",
                ONLY[0],
                ONLY[1],
                "--in-place",
                text(&path),
            ])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
        let found = fs::read(&path).unwrap();
        assert!(found == old || found == new, "after {delay} ms");
        if found == new {
            assert!(fs::read(&backup).unwrap() == old, "after {delay} ms");
        }
    }
}

/// A backup is never replaced: the first one has the file as it was at the beginning.
#[test]
fn the_first_backup_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let old = catalog(4, 'a');
    let path = file(dir.path(), "a.mrc", &old);
    let second = b"from another program";
    file(dir.path(), "a.mrc.bak.2", second);
    for codes in ["trailing-punct", "missing-colon"] {
        let (code, _, said) = fix(&["--only", codes, "--in-place", text(&path)]);
        assert_eq!(code, 0, "{said}");
    }
    let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
    assert!(read("a.mrc.bak") == old);
    assert!(read("a.mrc.bak.1") != old && read("a.mrc.bak.1") != read("a.mrc"));
    assert!(read("a.mrc") == repaired(4, 'a'));
    fs::write(&path, &old).unwrap();
    let (code, ..) = fix(&["--only", "missing-colon", "--in-place", text(&path)]);
    assert_eq!(
        (
            code,
            read("a.mrc.bak.2") == second,
            read("a.mrc.bak.3") == old
        ),
        (0, true, true)
    );
}

/// A trial run may write its log.
#[test]
fn a_trial_has_a_log() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "a.mrc", &catalog(4, 'a'));
    let log = dir.path().join("log.csv");
    let (code, out, _) = fix(&[
        "--only",
        "missing-colon",
        "--dry-run",
        "--log",
        text(&log),
        text(&path),
    ]);
    let rows = fs::read_to_string(&log).unwrap();
    assert_eq!((code, rows.lines().count()), (0, 3));
    assert!(
        out.contains("+http://x.example/1.") && rows.contains(",http://x.example/1.,missing-colon")
    );
    let (code, _, said) = fix(&[text(&path)]);
    assert!(
        code == 2 && said.contains("--only") && said.contains("--apply"),
        "{said}"
    );
}

/// A table survives a spreadsheet: without the zeros of tags and numbers, with exponents, quotes
/// and guards, and with another name of the file.
#[test]
fn a_table_survives_a_spreadsheet() {
    let dir = tempfile::tempdir().unwrap();
    let catalog = "=LDR  00000nam a2200000 a 4500\n=001  1\n=020  \\\\$a0451450523\n=020  \\\\$a9783161484100\n\
        =022  \\\\$a00012345\n=020  \\\\$z10-12\n=020  \\\\$z10-11$z11-10$z2004-12\n=245  10$aA$b0020\n=856  40$uhttp//a.example/\n";
    let path = file(dir.path(), "moved.mrk", catalog.as_bytes());
    let table = |rows: &[[&str; 5]]| {
        let rows = rows
            .iter()
            .map(|[tag, occurrence, subfield, original, suggestion]| {
                format!("a.mrk,1.0,{tag},{occurrence},{subfield},{original},{suggestion}\n")
            });
        let rows: String = rows.collect();
        let text = format!("file,record_no,tag,occurrence,subfield,original,suggestion\n{rows}");
        let table = file(dir.path(), "t.csv", text.as_bytes());
        fix(&["--apply", self::text(&table), self::text(&path)])
    };
    for tag in ["020", "20", "'020", "\"=\"\"020\"\"\"", "20.0"] {
        for original in [
            "0451450523",
            "451450523",
            "'0451450523",
            "\"=\"\"0451450523\"\"\"",
            "451450523.0",
        ] {
            let (code, out, said) = table(&[
                [tag, "1", "a", original, "'0451450524"],
                [tag, "2", "a", "9.78316E+12", ""],
            ]);
            assert_eq!(
                (code, out),
                (0, catalog.replace("0451450523", "0451450524")),
                "{tag} {original} {said}"
            );
        }
    }
    let (code, out, said) = table(&[
        ["20", "2.0", "a", "9.78316E+12", "9783161484117"],
        ["22", "1", "a", "12345", "'00012346"],
    ]);
    let wanted = catalog
        .replace("9783161484100", "9783161484117")
        .replace("00012345", "00012346");
    assert_eq!((code, out), (0, wanted), "{said}");
    for original in [
        "10-12",
        "12-Oct",
        "2026-10-12 00:00:00",
        "10/12/26",
        "12. Okt",
    ] {
        let (code, out, said) = table(&[["020", "3", "z", original, "'10-13"]]);
        let wanted = catalog.replace("$z10-12", "$z10-13");
        assert_eq!((code, out), (0, wanted), "{original} {said}");
    }
    let (code, out, said) = table(&[["020", "4", "z", "Dec-04", "9783161484100"]]);
    let wanted = catalog.replace("$z2004-12", "$z9783161484100");
    assert_eq!((code, out), (0, wanted), "{said}");
    for (row, said) in [
        (
            ["20", "1", "a", "451450524", "x"],
            "the original is not what the record has: 20 #1 $a is \"0451450523\", which differs from character 1 on",
        ),
        (
            ["020", "3", "z", "2026-10-13", "x"],
            "020 #3 $z is \"10-12\", which a spreadsheet does not write as this date",
        ),
        (
            ["020", "4", "z", "2026-10-11", "x"],
            "a spreadsheet changed it, and 020 #4 $z is \"10-11\" and \"11-10\"",
        ),
        (
            ["020", "3", "z", "12-Oct", "13-Oct"],
            "the suggestion may be a number without its zeros, or a date",
        ),
        (
            ["020", "1", "a", "451450523", "451450531"],
            "the suggestion may be a number without its zeros, or a date",
        ),
        (
            ["020", "2", "a", "9783161484100", "9.78316E+12"],
            "the suggestion is a number that a spreadsheet shortened",
        ),
        (
            ["856", "1", "z", "a", "x"],
            "it has no 856 #1 $z, but 1 of 856",
        ),
        (["500", "1", "a", "a", "x"], "it has no field 500"),
        (
            ["856", "2", "u", "http//a.example/", "x"],
            "it has no 856 #2 $u",
        ),
    ] {
        let (code, out, found) = table(&[row]);
        assert!(
            code == 2 && out == catalog && found.contains(said),
            "{found}"
        );
    }
    // What `--excel` writes needs no such reading.
    let ran = run(&["catalog", "list", "--excel", self::text(&path)], b"");
    assert!(
        ran.out.contains(",'020,")
            && ran.out.contains(",'0451450523,")
            && ran.out.contains(",'9783161484100,"),
        "{}",
        ran.out
    );
}
