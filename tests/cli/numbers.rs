//! Reports about a run: its statistics, the format of each input, the offsets of
//! damage.

use crate::program::run;
use std::fs;
use std::io::Write;

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

const WARC: &[u8] = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 17\r\n\r\n\
    http://a.example/\r\n\r\n";

#[test]
fn only_what_is_not_zero_is_said_the_most_important_first() {
    let ran = run(&["--stats"], b"http://a.example/ http://a.example/");
    let names: Vec<&str> = ran
        .err
        .lines()
        .map(|line| line.split_whitespace().nth(1).unwrap())
        .collect();
    let wanted = [
        "occurrences",
        "distinct",
        "records",
        "inputs",
        "inputs_as_text",
        "bytes",
        "output_bytes",
        "set_key_bytes",
        "set_other_bytes_per_key",
        "seconds",
    ];
    assert_eq!(names, wanted);
    let all = run(&["--stats", "--all"], b"http://a.example/").err;
    assert!(!all.contains("set_"), "{all}");
    let json = run(&["--stats", "--json"], b"http://a.example/").err;
    let numbers: serde_json::Value = serde_json::from_str(&json).unwrap();
    for key in ["too_long", "hidden_files", "inputs_as_warc", "bad-percent"] {
        assert_eq!(numbers[key], 0, "{key}");
    }
    assert_eq!(numbers["set_key_bytes"], 17);
    let lists = run(&["normalize", "--stats"], b"http://a.example/\n").err;
    assert!(!lists.contains(" 0 "), "{lists}");
}

/// However many threads share the keys, a key takes at most 24 bytes beside its own, once
/// there are many.
#[test]
fn the_memory_of_the_set_is_said() {
    let text: String = (0..60_000)
        .map(|n| format!("http://a.example/{n}\n"))
        .collect();
    let bytes = text.len() - 60_000;
    for threads in ["1", "2"] {
        let json = run(&["--stats", "--json", "-j", threads], text.as_bytes()).err;
        let numbers: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(numbers["set_key_bytes"], bytes);
        let others = numbers["set_other_bytes_per_key"].as_u64().unwrap();
        assert!((8..=24).contains(&others), "{others}");
    }
}

/// What fingerprints take, and the probability that a URI is missing.
#[test]
fn fingerprints_are_counted() {
    let text: String = (0..50_000)
        .map(|n| format!("http://a.example/{n}\n"))
        .collect();
    for limit in ["1G", "1M"] {
        let args = [
            "--stats",
            "--json",
            "--dedup",
            "hash128",
            "--max-memory",
            limit,
        ];
        let ran = run(&args, text.as_bytes());
        let json = ran.err.lines().last().unwrap();
        let numbers: serde_json::Value = serde_json::from_str(json).unwrap();
        // 50,000² / 2^129.
        assert_eq!(numbers["collision_probability"], 3.7e-30, "{limit}");
        let bytes = numbers["set_key_bytes"].as_u64().unwrap();
        match limit {
            "1G" => assert_eq!(bytes, 16 * 50_000),
            _ => assert!(bytes < 16 * 50_000 && numbers["deferred"].as_u64() > Some(0)),
        }
        assert!(numbers["set_other_bytes_per_key"].as_u64() <= Some(24));
    }
    let exact = run(&["--stats", "--json"], b"http://a.example/").err;
    let numbers: serde_json::Value = serde_json::from_str(&exact).unwrap();
    assert_eq!(numbers["collision_probability"], 0.0);
    let lists = run(&["dedup", "--stats", "--dedup", "hash128"], b"urn:a-b:c\n").err;
    assert!(lists.contains("1.5e-39 collision_probability\n"), "{lists}");
}

#[test]
fn hidden_files_and_archives_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("a.txt", b"http://a.example/");
    put("b.warc", WARC);
    put("c.warc.gz", &gzipped(WARC));
    put("d.gz", &gzipped(&gzipped(b"http://b.example/")));
    put(".hidden", b"http://c.example/");
    fs::create_dir(folder.path().join(".git")).unwrap();
    let path = folder.path().to_str().unwrap();
    let ran = run(&["--stats", path], b"");
    for line in [
        " 2 hidden_files\n",
        " 2 inputs_as_warc\n",
        " 2 inputs_as_text\n",
        " 2 inputs_compressed\n",
        " 4 inputs\n",
    ] {
        assert!(ran.err.contains(line), "{line} {}", ran.err);
    }
    assert_eq!((ran.code, ran.out.lines().count()), (0, 2));
    let all = run(&["--stats", "--hidden", path], b"");
    assert!(!all.err.contains("hidden_files"), "{}", all.err);
    let said = run(&["-v", path], b"").err;
    for (name, what) in [
        ("a.txt", "text"),
        ("b.warc", "WARC"),
        ("c.warc.gz", "gzip, WARC"),
        ("d.gz", "gzip, gzip, text"),
    ] {
        assert!(
            said.contains(&format!("{name}: read as {what}: ")),
            "{said}"
        );
    }
    let arc = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 15\n1 0 X\nURL IP\n\n\n";
    let said = run(&["-v"], arc).err;
    assert!(said.contains("read as ARC: "), "{said}");
}

#[test]
fn each_offset_of_damage_says_what_it_is_of() {
    let mut packed = gzipped(b"see http://a.example/1");
    let end = packed.len();
    packed[end - 8] ^= 1;
    let said = run(&[], &packed).err;
    let wanted = format!(
        "urisieve: (standard input): compressed byte {end}: gzip: wrong checksum; the part that \
         begins at compressed byte 0 may be wrong, but was read; of its text, bytes 0 to \
         22 may be wrong\n"
    );
    assert_eq!(said, wanted);
    let cut = &gzipped(b"see http://a.example/1 and so on")[..20];
    let said = run(&[], cut).err;
    assert!(said.contains(": compressed byte 20: gzip: "), "{said}");
    let cut = &WARC[..WARC.len() - 10];
    let said = run(&[], cut).err;
    assert!(
        said.starts_with("urisieve: (standard input): byte "),
        "{said}"
    );
}

#[test]
fn what_was_read_of_a_compressed_file_is_counted_as_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    fs::write(&path, gzipped(b"http://a.example/")).unwrap();
    let stored = fs::metadata(&path).unwrap().len();
    let progress = std::sync::Arc::new(urisieve::Progress::default());
    let sieve = urisieve::Sieve::builder()
        .progress(std::sync::Arc::clone(&progress))
        .build();
    let sink = &mut urisieve::each(|_| {});
    sieve
        .run([urisieve::input::Source::Path(path)], sink)
        .unwrap();
    assert_eq!((progress.stored(), progress.bytes()), (stored, 17));
}
