//! Windows of decoders within a limit of memory: where a window fits, the limit changes
//! nothing; where it does not, the loss names the limit that would do, and the rest is
//! read.

use crate::packed::{gzip, zstd};
use crate::program::{Ran, run};
use crate::random;
use proptest::prelude::*;
use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, WindowShortage};
use urisieve::{Mode, Sieve, Sink};

/// A frame with a window of `1 << log` bytes, whatever the length of the text.
fn zstd_of(log: u32, text: &[u8]) -> Vec<u8> {
    let mut writer = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    writer.window_log(log).unwrap();
    writer.write_all(text).unwrap();
    writer.flush().unwrap();
    writer.finish().unwrap()
}

/// A stream with a dictionary of that many bytes.
fn xz_of(dictionary: u32, text: &[u8]) -> Vec<u8> {
    use liblzma::stream::{Check, Filters, LzmaOptions, Stream};
    let mut options = LzmaOptions::new_preset(0).unwrap();
    options.dict_size(dictionary);
    let mut filters = Filters::new();
    filters.lzma2(&options);
    let stream = Stream::new_stream_encoder(&filters, Check::Crc32).unwrap();
    let mut writer = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

/// A dictionary of that many bytes, compressed or not, and frames that need it.
fn with_dictionary(len: usize, compressed: bool, texts: &[&[u8]]) -> Vec<u8> {
    let words = (0u32..).map(|n| n.wrapping_mul(2_654_435_761).to_string());
    let text = words.take(len / 8).collect::<String>().into_bytes();
    let dictionary: Vec<u8> = text.iter().copied().cycle().take(len).collect();
    let content = match compressed {
        true => zstd_safe_frame(&dictionary),
        false => dictionary.clone(),
    };
    let mut packed = b"\x5D\x2A\x4D\x18".to_vec();
    packed.extend((content.len() as u32).to_le_bytes());
    packed.extend(content);
    for text in texts {
        let mut context = zstd_safe::CCtx::create();
        let mut out = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
        context
            .compress_using_dict(&mut out, text, &dictionary, 3)
            .unwrap();
        packed.extend(out);
    }
    packed
}

/// A frame that states the length of its content.
fn zstd_safe_frame(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
    zstd_safe::compress(&mut out, text, 3).unwrap();
    out
}

#[derive(Debug, Default, PartialEq)]
struct Seen {
    found: Vec<(usize, Vec<u8>)>,
    losses: Vec<Loss>,
}

impl Sink for Seen {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        self.found.push((finding.input, finding.uri.to_vec()));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push(*loss);
    }
}

fn seen(inputs: &[Vec<u8>], limit: Option<usize>, threads: usize) -> Seen {
    let sieve = Sieve::builder().mode(Mode::All).threads(threads);
    let sieve = match limit {
        Some(limit) => sieve.max_memory(limit),
        None => sieve,
    };
    let mut seen = Seen::default();
    let sources: Vec<_> = inputs.iter().map(|input| Source::Slice(input)).collect();
    sieve.build().run(sources, &mut seen).unwrap();
    seen
}

fn shortages(seen: &Seen) -> Vec<WindowShortage> {
    let damage = seen.losses.iter().filter_map(|loss| loss.kind.damage());
    damage.filter_map(|damage| damage.window).collect()
}

#[test]
fn the_loss_names_the_least_limit_that_does() {
    let text = b"see http://a.example/\n";
    // What follows in the same file is read all the same, and so is the next file.
    let and = |packed: Vec<u8>| [packed, zstd(b"http://b.example/\n")].concat();
    for (packed, needed) in [
        (and(zstd_of(27, text)), 128 << 20),
        (and(zstd_of(20, text)), 1 << 20),
        (and(xz_of(64 << 20, text)), 64 << 20),
        (and(xz_of(3 << 20, text)), 3 << 20),
        (zstd(&gzip(&and(xz_of(1 << 20, text)))), 1 << 20),
    ] {
        let inputs = [packed, gzip(b"http://c.example/\n")];
        for threads in [1, 3] {
            let short = seen(&inputs, Some(100_000), threads);
            let found: Vec<_> = short.found.iter().map(|found| &found.1[..]).collect();
            assert_eq!(found[found.len() - 1], b"http://c.example/");
            assert!(!found.contains(&&b"http://a.example/"[..]));
            let [shortage] = shortages(&short)[..] else {
                panic!("{short:?}");
            };
            assert_eq!(shortage.needed, needed);
            let limit = shortage.limit as usize;
            assert_eq!(shortages(&seen(&inputs, Some(limit - 1), threads)).len(), 1);
            let enough = seen(&inputs, Some(limit), threads);
            assert_eq!(enough, seen(&inputs, None, threads));
            assert_eq!(enough.losses, [] as [Loss; 0]);
        }
    }
}

/// A dictionary is held three times. Without it no frame is read, and each says so.
#[test]
fn a_dictionary_counts_as_a_window() {
    let texts = [&b"see http://a.example/\n"[..], b"see http://b.example/\n"];
    for compressed in [false, true] {
        let packed = with_dictionary(1 << 20, compressed, &texts);
        let inputs = [packed, gzip(b"http://c.example/\n")];
        for threads in [1, 3] {
            let short = seen(&inputs, Some(100_000), threads);
            assert_eq!(short.found, [(1, b"http://c.example/".to_vec())]);
            let shortages_of_all = shortages(&short);
            // That of the dictionary, those of the frames, and the frame in the dictionary.
            assert_eq!(shortages_of_all.len(), 3 + usize::from(compressed));
            let limit = shortages_of_all.iter().map(|it| it.limit).max().unwrap() as usize;
            assert!(shortages_of_all.iter().all(|it| it.needed <= 3 << 20));
            assert!(!shortages(&seen(&inputs, Some(limit - 1), threads)).is_empty());
            let enough = seen(&inputs, Some(limit), threads);
            assert_eq!(enough, seen(&inputs, None, threads));
            assert_eq!((enough.found.len(), enough.losses.len()), (3, 0));
        }
    }
}

fn run_in(folder: &Path, args: &[&str]) -> Ran {
    let names = args.iter().map(|arg| match arg.starts_with('@') {
        true => folder.join(&arg[1..]).to_string_lossy().into_owned(),
        false => (*arg).to_owned(),
    });
    let args: Vec<String> = names.collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    run(&args, b"")
}

#[test]
fn the_program_says_which_limit_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let two = [
        zstd_of(27, b"http://a.example/\n"),
        zstd(b"http://b.example/\n"),
    ]
    .concat();
    put("long.zst", &two);
    put("long.xz", &xz_of(64 << 20, b"http://c.example/"));
    put("plain", b"http://d.example/");
    let files = ["@long.zst", "@long.xz", "@plain"];
    for threads in ["1", "4"] {
        let limited = |limit| {
            run_in(
                folder.path(),
                &[&["-j", threads, "--max-memory", limit], &files[..]].concat(),
            )
        };
        let short = limited("64M");
        assert_eq!(
            (short.code, &short.out[..]),
            (2, "http://b.example/\nhttp://d.example/\n")
        );
        for said in [
            "long.zst: compressed byte 0: zstd: it needs a window of 128 MiB, more than the 8 MiB \
             that the memory limit leaves; the part that begins there was not decoded; reading \
             resumes at compressed byte",
            "; --max-memory 1024M reads it\n",
            "xz: it needs a window of 64 MiB, more than the 8 MiB that the memory limit leaves",
            "; --max-memory 512M reads it\n",
        ] {
            assert!(short.err.contains(said), "{}", short.err);
        }
        let one = limited("512M");
        assert_eq!((one.code, one.out.lines().count()), (2, 3), "{}", one.err);
        let all = limited("1G");
        assert_eq!((all.code, &all.err[..]), (0, ""));
        assert_eq!(all.out.lines().count(), 4);
    }
    // A table takes a quarter of the limit, at most 64 MiB; a graph half of the rest.
    let table = |limit| {
        let args = ["-o", "@table.parquet", "--max-memory", limit, "@long.zst"];
        run_in(folder.path(), &args)
    };
    let err = table("64M").err;
    assert!(
        err.contains("the 6 MiB that") && err.contains("; --max-memory 1088M reads it\n"),
        "{err}"
    );
    assert_eq!(table("1087M").code, 2);
    assert_eq!(table("1088M").code, 0);
    let graph = [
        "links",
        "--graph",
        "@graph",
        "--max-memory",
        "64M",
        "@long.zst",
    ];
    let err = run_in(folder.path(), &graph).err;
    assert!(
        err.contains("the 4 MiB that") && err.contains("; --max-memory 2048M reads it\n"),
        "{err}"
    );
}

/// Inputs in the middle of which the window grows, so that they wait for their turn.
#[test]
fn inputs_that_wait_are_read_in_their_order() {
    let text = |n: usize| -> Vec<u8> {
        let lines = (n * 9000..n * 9000 + 9000).map(|n| format!("http://h{n}.example/\n"));
        lines.collect::<String>().into_bytes()
    };
    let inputs: Vec<Vec<u8>> = (0..12)
        .map(|n| match n % 4 {
            0 => [zstd_of(12, &text(n)), zstd_of(22, &text(n + 1))].concat(),
            1 => xz_of(4 << 20, &text(n)),
            2 => gzip(&zstd_of(22, &text(n))),
            _ => [gzip(&text(n)), gzip(&text(n + 2))].concat(),
        })
        .collect();
    let wanted = seen(&inputs, None, 1);
    assert_eq!(wanted.found.len(), 9000 * 18);
    for threads in [1, 2, 3, 8] {
        // Four times as much for a compression inside another.
        let limit = 4 * 8 * (4 << 20);
        assert!(seen(&inputs, Some(limit), threads) == wanted, "{threads}");
    }
}

fn packed_text() -> impl Strategy<Value = (u64, Vec<u8>)> {
    let text = prop::collection::vec(0u32..500, 1..60);
    (text, 0usize..5, 10u32..24).prop_map(|(ids, form, log)| {
        let text: String = ids
            .iter()
            .map(|id| format!("http://h{id}.example/\n"))
            .collect();
        let text = text.as_bytes();
        match form {
            0 => (0, gzip(text)),
            1 => (text.len() as u64, zstd(text)),
            2 => (1 << log, zstd_of(log, text)),
            3 => (1 << log.max(12), xz_of(1 << log.max(12), text)),
            _ => (0, text.to_vec()),
        }
    })
}

proptest! {
    #![proptest_config(random::cases(48))]

    /// Where every window fits, a limit changes nothing; otherwise exactly what does not
    /// fit is missing, whatever the number of threads.
    #[test]
    fn a_limit_changes_nothing_where_windows_fit(
        packed in prop::collection::vec(packed_text(), 1..6),
        log in 14u32..28,
        threads in 1usize..6,
    ) {
        let limit = 1 << log;
        let fits = |needed: u64| needed <= limit as u64 / 8;
        let inputs: Vec<Vec<u8>> = packed.iter().map(|packed| packed.1.clone()).collect();
        let all = seen(&inputs, None, 1);
        let got = seen(&inputs, Some(limit), threads);
        let found: Vec<_> = all.found.into_iter().filter(|found| fits(packed[found.0].0)).collect();
        prop_assert_eq!(&got.found, &found);
        let short = packed.iter().filter(|packed| !fits(packed.0)).count();
        prop_assert_eq!((got.losses.len(), shortages(&got).len()), (short, short));
    }
}
