//! The command `merge`: outputs in byte order become the output of one run.

use crate::program::run;
use std::fs;
use std::io::Read;
use std::path::Path;

fn put(root: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = root.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns `text` in one of the compressions that are read, by its number.
fn packed(number: usize, text: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::fast();
    let mut out = Vec::new();
    let mut reader: Box<dyn Read> = match number % 4 {
        0 => Box::new(flate2::read::GzEncoder::new(text, level)),
        1 => return zstd::encode_all(text, 1).unwrap(),
        2 => Box::new(liblzma::read::XzEncoder::new(text, 1)),
        _ => Box::new(bzip2::read::BzEncoder::new(
            text,
            bzip2::Compression::fast(),
        )),
    };
    reader.read_to_end(&mut out).unwrap();
    out
}

#[test]
fn shards_that_are_merged_are_one_run() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("dir");
    fs::create_dir(&dir).unwrap();
    for n in 0..60_u32 {
        let text: String = (0..40)
            .map(|k| format!("http://h{}.example/{}\n", n * k % 17, (n + k) % 90))
            .collect();
        put(&dir, &format!("{n}.txt"), text);
    }
    let dir = dir.to_str().unwrap();
    for form in [&["--sort"][..], &["-c", "--sort"]] {
        let whole = run(&[form, &[dir]].concat(), b"").out;
        let mut parts = Vec::new();
        for shard in 1..=16 {
            let shard = format!("{shard}/16");
            let ran = run(&[form, &["--shard", &shard, dir]].concat(), b"");
            parts.push(put(root.path(), &format!("{}.txt", parts.len()), ran.out));
        }
        let mut args = vec!["merge"];
        if form.contains(&"-c") {
            args.push("-c");
        }
        args.extend(parts.iter().map(String::as_str));
        let ran = run(&args, b"");
        assert_eq!((&*ran.err, ran.code), ("", 0));
        assert!(ran.out == whole && whole.lines().count() > 500, "{form:?}");
        // Compressed ones, into a file.
        let out = root.path().join("out.txt.gz");
        let out = out.to_str().unwrap();
        let packed: Vec<String> = parts
            .iter()
            .enumerate()
            .map(|(n, part)| {
                let bytes = fs::read(part).unwrap();
                put(root.path(), &format!("{n}.packed"), packed(n, &bytes))
            })
            .collect();
        args.truncate(args.len() - parts.len());
        args.extend(packed.iter().map(String::as_str));
        args.extend(["-o", out]);
        let ran = run(&args, b"");
        assert_eq!((&*ran.out, &*ran.err, ran.code), ("", "", 0));
        let mut text = String::new();
        std::io::Read::read_to_string(
            &mut flate2::read::GzDecoder::new(fs::File::open(out).unwrap()),
            &mut text,
        )
        .unwrap();
        assert!(text == whole, "{form:?}");
    }
}

#[test]
fn what_is_not_in_order_is_named() {
    let root = tempfile::tempdir().unwrap();
    let sorted = put(root.path(), "sorted", "a:b\na:c\n");
    let wrong = put(root.path(), "wrong", "a:c\na:d\na:b\n");
    let out = root.path().join("out");
    let ran = run(
        &["merge", &sorted, &wrong, "-o", out.to_str().unwrap()],
        b"",
    );
    assert_eq!((&*ran.out, ran.code), ("", 2));
    assert!(
        ran.err.contains("wrong: line 3: not in byte order"),
        "{}",
        ran.err
    );
    assert!(!out.exists());
    let counts = run(&["merge", "-c", &sorted], b"");
    assert!(
        counts.code == 2 && counts.err.contains("sorted: line 1: not COUNT<TAB>URI"),
        "{}",
        counts.err
    );
    assert_eq!(run(&["merge", "no/such/file"], b"").code, 2);
    assert_eq!(run(&["merge"], b"").code, 2);
    assert_eq!(run(&["merge", &sorted, "-o", "x.jsonl"], b"").code, 2);
    for (flag, text, cause) in [
        (
            "--groups",
            "1\ta:b\n\tno\n",
            "line 2: not <TAB>COUNT<TAB>SPELLING",
        ),
        ("--groups", "a:b\n", "line 1: not COUNT<TAB>URI"),
        ("--json", "a:b\n", "line 1: not a record of a URI"),
        (
            "--json",
            "{\"uri\":\"a:b\",\"count\":\"x\"}\n",
            "line 1: not a record as",
        ),
    ] {
        let ran = run(&["merge", flag, "-"], text.as_bytes());
        assert!(
            ran.code == 2 && ran.err.contains(cause),
            "{flag}: {}",
            ran.err
        );
    }
    let empty = put(root.path(), "empty", "");
    assert_eq!(run(&["merge", &empty], b"").code, 1);
    let twice = run(&["merge", "-", &sorted], b"a:b\na:b\na:bc");
    assert_eq!((&*twice.out, twice.code), ("a:b\na:bc\na:c\n", 0));
    let zero = run(&["merge", "-z", "-", "-"], b"a:b\0a:c\0");
    assert_eq!(zero.out, "a:b\0a:c\0");
}

/// The URIs of some lists that share some, also in other spellings.
fn lists(root: &Path) -> Vec<String> {
    let dir = root.join("lists");
    fs::create_dir(&dir).unwrap();
    let names = (0..24_u32).map(|n| {
        let line = |k: u32| {
            let host = ["a.example", "A.example", "A.EXAMPLE"][((n + k) % 3) as usize];
            let time = format!("2026-01-{:02}T00:00:00Z", 1 + (n * 7 + k) % 28);
            format!(
                "{{\"time\":\"{time}\",\"u\":\"http://{host}/{}\"}}\n",
                n * k % 31
            )
        };
        let text: String = (0..30).map(line).collect();
        put(&dir, &format!("{n:02}.jsonl"), text)
    });
    names.collect()
}

#[test]
fn each_form_that_is_merged_is_that_of_one_run() {
    let root = tempfile::tempdir().unwrap();
    let lists = lists(root.path());
    let names: Vec<&str> = lists.iter().map(String::as_str).collect();
    for (form, merge, ending) in [
        (&["--sort"][..], &[][..], "txt"),
        (&["--sort", "-c"], &["-c"], "txt"),
        (&["--sort", "--groups"], &["--groups"], "txt"),
        (&["--sort"], &[], "jsonl"),
        (&["--sort", "-c"], &[], "jsonl.gz"),
        (&["--sort", "--groups"], &["--json"], "jsonl.zst"),
    ] {
        let whole = root.path().join(format!("whole.{ending}"));
        let whole = whole.to_str().unwrap();
        let ran = run(&[&["-o", whole], form, &names[..]].concat(), b"");
        assert_eq!((&*ran.err, ran.code), ("", 0), "{form:?}");
        let parts: Vec<String> = (0..4)
            .map(|part| {
                let name = root.path().join(format!("part-{part}.{ending}"));
                let name = name.to_str().unwrap().to_owned();
                let inputs = &names[part * 6..part * 6 + 6];
                assert_eq!(run(&[&["-o", &name], form, inputs].concat(), b"").code, 0);
                name
            })
            .collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let out = root.path().join(format!("merged.{ending}"));
        let out = out.to_str().unwrap();
        let ran = run(&[&["merge", "-o", out], merge, &parts[..]].concat(), b"");
        assert_eq!((&*ran.err, ran.code), ("", 0), "{form:?} {ending}");
        let text = |path: &str| {
            let args = ["merge", path];
            let lines = run(&[&args[..], merge].concat(), b"").out;
            assert!(lines.lines().count() > 20, "{path}");
            lines
        };
        assert_eq!(text(out), text(whole), "{form:?} {ending}");
        assert!(
            fs::read(out).unwrap() == fs::read(whole).unwrap(),
            "{form:?} {ending}"
        );
    }
}

#[test]
fn parts_are_merged_part_by_part() {
    let root = tempfile::tempdir().unwrap();
    let lists = lists(root.path());
    let dir = root.path().join("lists");
    let whole = run(&["--sort", dir.to_str().unwrap()], b"").out;
    let name = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let mut shards = Vec::new();
    for shard in 1..=4 {
        let of = format!("{shard}/4");
        let out = name(&format!("shard-{shard}/part-{{}}.txt"));
        let args = ["--sort", "--shard", &of, "--split", "16", "-o", &out];
        assert_eq!(
            run(&[&args[..], &[dir.to_str().unwrap()]].concat(), b"").code,
            0
        );
        shards.push(name(&format!("shard-{shard}")));
    }
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    // All parts of all shards into one.
    assert_eq!(run(&[&["merge"], &shards[..]].concat(), b"").out, whole);
    let out = name("all/part-{}.txt");
    let ran = run(&[&["merge", "-o", &out], &shards[..]].concat(), b"");
    assert_eq!((&*ran.out, &*ran.err, ran.code), ("", "", 0));
    let mut lines = Vec::new();
    for part in 0..16_u32 {
        let text = fs::read_to_string(name(&format!("all/part-{part:05}.txt"))).unwrap();
        for line in text.lines() {
            assert_eq!(crc32fast::hash(line.as_bytes()) % 16, part);
            lines.push(line.to_owned());
        }
    }
    lines.sort();
    assert_eq!(lines, whole.lines().collect::<Vec<_>>());
    assert!(Path::new(&name("all/_SUCCESS")).exists());
    // What is not complete, or not divided alike, is refused.
    let again = run(&[&["merge", "-o", &out], &shards[..]].concat(), b"");
    assert!(
        again.code == 2 && again.err.contains("absent or empty"),
        "{}",
        again.err
    );
    let other = name("other/part-{}.txt");
    let mixed = run(&["merge", "-o", &other, shards[0], &lists[0]], b"");
    assert!(
        mixed.code == 2 && mixed.err.contains("of --split alone"),
        "{}",
        mixed.err
    );
    let few = run(&["--split", "2", "-o", &name("few/{}"), &lists[0]], b"");
    assert_eq!(few.code, 0);
    let uneven = run(&["merge", "-o", &other, shards[0], &name("few")], b"");
    assert!(
        uneven.code == 2 && uneven.err.contains("different numbers"),
        "{}",
        uneven.err
    );
    fs::remove_file(name("few/_SUCCESS")).unwrap();
    let cut = run(&["merge", &name("few")], b"");
    assert!(
        cut.code == 2 && cut.err.contains("_SUCCESS is missing"),
        "{}",
        cut.err
    );
    assert!(!Path::new(&name("other")).exists());
}
