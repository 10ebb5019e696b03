//! The command `merge`: outputs in byte order become the output of one run.

use crate::program::run;
use std::fs;
use std::path::Path;

fn put(root: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = root.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
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
                let name = root
                    .path()
                    .join(format!("{n}.{}", if n % 2 == 0 { "zst" } else { "gz" }));
                let bytes = fs::read(part).unwrap();
                let packed = match n % 2 {
                    0 => zstd::encode_all(&bytes[..], 1).unwrap(),
                    _ => {
                        let mut encoder =
                            flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                        std::io::Write::write_all(&mut encoder, &bytes).unwrap();
                        encoder.finish().unwrap()
                    }
                };
                put(root.path(), name.to_str().unwrap(), packed)
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
    let empty = put(root.path(), "empty", "");
    assert_eq!(run(&["merge", &empty], b"").code, 1);
    let twice = run(&["merge", "-", &sorted], b"a:b\na:b\na:bc");
    assert_eq!((&*twice.out, twice.code), ("a:b\na:bc\na:c\n", 0));
    let zero = run(&["merge", "-z", "-", "-"], b"a:b\0a:c\0");
    assert_eq!(zero.out, "a:b\0a:c\0");
}
