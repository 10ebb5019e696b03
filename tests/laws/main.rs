//! The laws of extraction (L1 to L5) as property tests: whatever the block size,
//! the way of reading and the number of threads, the records are those of the
//! slow reference.

mod combinations;
mod data;
mod disguises;
#[path = "../kit/dribble.rs"]
mod dribble;
mod find;
mod harness;
#[path = "../kit/hostile.rs"]
mod hostile;
mod identifiers;
mod in_memory;
mod indicators;
mod logs;
mod nested;
#[path = "../kit/packed.rs"]
mod packed;
#[path = "../kit/random.rs"]
mod random;
mod ranges;
mod rewrite;
#[path = "../kit/rewritten.rs"]
mod rewritten;
#[path = "../kit/rule_sets.rs"]
mod rule_sets;
mod settings;
mod sources;
mod texts;
#[path = "../kit/thorough.rs"]
mod thorough;
mod wide_lines;

use harness::{
    DIVISIONS, Rules, Run, Step, Way, agrees, agrees_divided, check, extract, reference,
};
use proptest::prelude::*;
use std::io;
use std::ops::ControlFlow;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::item::{Finding, IdentifierKind, Loss, Wrapper};
use urisieve::reference as slow;
use urisieve::{Mode, Sieve, Sink, Stats, each};

proptest! {
    /// L1, L5: one block and many have the same result as the reference.
    #[test]
    fn l5_the_reference_agrees(text in texts::pieces(24), rules in texts::rules()) {
        agrees_divided(&text, &rules, &DIVISIONS);
    }

    /// L5 on random bytes.
    #[test]
    fn l5_on_any_bytes(text in proptest::collection::vec(any::<u8>(), 0..200), rules in texts::rules()) {
        Run { text: &text, rules: &rules, way: Way::Slice, block: 5, threads: 1 }.agrees();
    }
}

proptest! {
    #![proptest_config(random::cases(20))]

    /// L1: every way of reading.
    #[test]
    fn l1_every_way_of_reading(
        text in texts::pieces(40),
        rules in texts::rules(),
        steps in texts::steps(),
    ) {
        check(&text, &rules, &steps);
    }

    /// L1: wrappers over lines, in lines enough for safe cuts.
    #[test]
    fn l1_many_lines(text in texts::lines(60), rules in texts::rules()) {
        agrees_divided(&text, &rules, &[(1, 1), (7, 2), (64, 1), (100, 2), (1000, 8)]);
    }
}

/// L5: what is before and after a line break in a wrapper (W4), every combination.
#[test]
fn l5_a_line_break_in_a_wrapper() {
    let starts = [
        "(http://",
        "<http://",
        "\"http://",
        "(git://",
        "x=\"http://",
        "(urn:",
    ];
    let ends = [
        "",
        "a",
        "a.example",
        "a.example/b",
        "a/b-",
        "a/b(",
        "a/b'",
        "a.example/b,",
        "[::1]/",
    ];
    let rests = [
        "",
        "b",
        "b.html",
        "c/d",
        "a:b",
        "/b",
        "(c)",
        "b(c",
        "b)c",
        "<d>",
        "\\\"b",
        "\\<b",
        "&amp;b",
        "&#39;b",
        "&lt;",
        "\u{e9}/",
        "http://b.example/",
        "b c",
        "-b",
        "'b",
        "#b",
        "?b=c",
        "b@c.example",
    ];
    let rules = Rules::default();
    let tails = ["", ")", ">", "\"", ") c)"];
    for (start, end) in starts.iter().flat_map(|start| ends.map(|end| (start, end))) {
        for (rest, tail) in rests.iter().flat_map(|rest| tails.map(|tail| (rest, tail))) {
            let text = format!("x {start}{end}\n{rest}{tail} y\nz\n");
            let text = text.as_bytes();
            let run = Run {
                text,
                rules: &rules,
                way: Way::Slice,
                block: 64 << 10,
                threads: 1,
            };
            run.agrees();
        }
    }
}

proptest! {
    /// L3: an occurrence can be found again at its offset.
    #[test]
    fn l3_offsets_are_exact(text in texts::pieces(24)) {
        let rules = Rules::default();
        for found in extract(&text, &rules).found {
            let raw = &text[found.offset..found.offset + found.length];
            let folds = found.marks.wrapped > 0;
            let escaped = raw.contains(&b'\\');
            if !folds && !escaped {
                prop_assert_eq!(raw, &found.text[..]);
            }
            prop_assert!(raw[0].is_ascii_alphabetic());
            // Without its opener what a wrapper held may be no URI, nor what holds
            // escapes that count only after `{`.
            let before = &text[..found.offset];
            let is_tex = escaped && before.contains(&b'{');
            // Nor what has escapes that count where the line before it shows roff (B5).
            let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let is_roff = escaped
                && (before[line..].starts_with(b".") || before[line..].contains(&b'\\'));
            // Nor what has any template in its host, which counts behind `${word:` (I25).
            let is_looked_up = before.ends_with(b":") && raw.windows(2).any(|two| two == b"${");
            if found.marks.wrapper == Wrapper::None && !is_tex && !is_roff && !is_looked_up {
                let again = extract(&text[found.offset..], &rules).found;
                prop_assert_eq!(again.first().map(|f| f.offset), Some(0));
            }
        }
    }

    /// L4: a list of canonical URIs in `<...>` gives the same list.
    #[test]
    fn l4_a_list_of_canonical_uris_is_a_fixed_point(text in texts::pieces(40)) {
        let canonicalizer = Canonicalizer::new(Level::Lexical);
        let mut list: Vec<Vec<u8>> = Vec::new();
        for found in extract(&text, &Rules::default()).found {
            let mut buffer = Vec::new();
            let uri = canonicalizer.canonicalize(&found.text, &mut buffer).to_vec();
            let has_reference = uri.contains(&b'&') && uri.contains(&b';');
            if urisieve::syntax::validate(&uri).is_ok() && !has_reference {
                list.push(uri);
            }
        }
        let lines: Vec<u8> = list
            .iter()
            .flat_map(|uri| [&b"<"[..], uri, b">\n"].concat())
            .collect();
        let mut again = Vec::new();
        Sieve::builder()
            .mode(Mode::All)
            .build()
            .run([&lines[..]], &mut each(|f| again.push(f.uri.to_vec())))
            .unwrap();
        prop_assert_eq!(again, list);
    }

    /// The first of each class, by position, whatever the threads; and counts.
    #[test]
    fn each_class_once_first_seen_first(text in texts::lines(60), block in 1usize..200) {
        let run = |mode: Mode, block: usize, threads: usize| {
            let mut found = Vec::new();
            Sieve::builder()
                .mode(mode)
                .originals(true)
                .block_size(block)
                .threads(threads)
                .build()
                .run([&text[..]], &mut each(|f| {
                    found.push((f.uri.to_vec(), f.original.to_vec(), f.offset, f.count));
                }))
                .unwrap();
            found
        };
        let all = run(Mode::All, 1 << 16, 1);
        let mut first: Vec<_> = Vec::new();
        let mut counts = std::collections::HashMap::<Vec<u8>, u64>::new();
        for finding in &all {
            let count = counts.entry(finding.0.clone()).or_default();
            if *count == 0 {
                first.push(finding.clone());
            }
            *count += 1;
        }
        for threads in [1, 2, 8] {
            prop_assert_eq!(&run(Mode::Distinct, block, threads), &first);
            let mut wanted = first.clone();
            for finding in &mut wanted {
                finding.3 = Some(counts[&finding.0]);
            }
            wanted.sort_by(|a, b| b.3.cmp(&a.3).then_with(|| a.0.cmp(&b.0)));
            prop_assert_eq!(run(Mode::Count, block, threads), wanted);
        }
    }
}

/// Runs that failed once, or might: as they are printed.
#[test]
fn l1_runs_that_are_read_again() {
    Run {
        text: b"see <http://a.example/one/\n  two> and",
        rules: &Rules::default(),
        way: Way::Pipe(vec![
            Step::Write(27),
            Step::Pause,
            Step::Write(1),
            Step::Pause,
        ]),
        block: 64,
        threads: 2,
    }
    .agrees();
    Run {
        text: b"<http://a.example/\xc3\xa9> \'http://b.example/\'",
        rules: &Rules(slow::Options {
            wrap: slow::Wrap::Off,
            wrap_limit_bytes: 40,
            wrap_limit_lines: 2,
            hyphen: slow::Hyphen::Both,
            nested: false,
            nested_base64: false,
            abbreviated: true,
            ascii: true,
            strict: false,
            templates: false,
            max_length: 30,
            opaque: vec!["about".to_owned()],
            opaque_all: false,
            refang: true,
            identifiers: [IdentifierKind::Isbn, IdentifierKind::Doi]
                .into_iter()
                .collect(),
        }),
        way: Way::Reader(vec![1, 20]),
        block: 3,
        threads: 1,
    }
    .agrees();
}

/// What is printed of a run that fails is the statement that runs it again: those of
/// `l1_runs_that_are_read_again`, which compile.
#[test]
fn a_run_is_printed_as_it_is_written() {
    let one_line = |code: &str| {
        let code: String = code.split_whitespace().collect();
        code.replace(",}", "}")
            .replace(",)", ")")
            .replace(",]", "]")
    };
    let source = one_line(include_str!("main.rs"));
    let rules = Rules(slow::Options {
        wrap: slow::Wrap::Off,
        wrap_limit_bytes: 40,
        wrap_limit_lines: 2,
        hyphen: slow::Hyphen::Both,
        abbreviated: true,
        ascii: true,
        max_length: 30,
        opaque: vec!["about".to_owned()],
        refang: true,
        identifiers: [IdentifierKind::Isbn, IdentifierKind::Doi]
            .into_iter()
            .collect(),
        ..slow::Options::default()
    });
    let steps = vec![Step::Write(27), Step::Pause, Step::Write(1), Step::Pause];
    for run in [
        Run {
            text: b"see <http://a.example/one/\n  two> and",
            rules: &Rules::default(),
            way: Way::Pipe(steps),
            block: 64,
            threads: 2,
        },
        Run {
            text: b"<http://a.example/\xc3\xa9> 'http://b.example/'",
            rules: &rules,
            way: Way::Reader(vec![1, 20]),
            block: 3,
            threads: 1,
        },
    ] {
        let printed = run.to_string();
        assert!(source.contains(&one_line(&printed)), "{printed}");
    }
}

/// L5 of texts that random ones seldom hold. Each was the only one to notice when one
/// place of the fast path was changed; `found` is the number of URIs.
#[test]
fn l5_texts_that_are_rare() {
    let default = slow::Options::default;
    let opaque_all = slow::Options {
        opaque_all: true,
        ..default()
    };
    let short = slow::Options {
        max_length: 40,
        ..default()
    };
    let quoted = |len: usize| {
        let uri = format!("http://a.example/{}.", "x".repeat(len - 18));
        assert_eq!(uri.len(), len);
        format!("“{uri}” b")
    };
    for (text, options, found) in [
        ("default://a.example/b c", default(), 0),
        ("http://a/1,file:///x b", default(), 2),
        ("http://a/1,http:///x b", default(), 1),
        ("http://a/1,mailto:joe@b.example;urn:ab:c d", default(), 3),
        ("http://a/1,about:b c", default(), 1),
        ("http://a/1,about:b c", opaque_all, 2),
        (&quoted(40), short.clone(), 1),
        (&quoted(41), short, 1),
    ] {
        let rules = Rules(options);
        let got = extract(text.as_bytes(), &rules);
        assert_eq!(got.found.len(), found, "{text}");
        check(text.as_bytes(), &rules, &[Step::Write(5), Step::Pause]);
    }
    // The leader of a line that began before what a block looks back at.
    let long_line = format!("> {}<http://a.example/\n> b> c", "x ".repeat(5000));
    let texts: [&[u8]; 4] = [
        long_line.as_bytes(),
        b"<http: //a.example/> b",
        b"\"urn:ab:c\xffd\" \"http://a.example/\xffd\" e",
        b"http://a,b&#39;c@d.example/ e",
    ];
    for (number, text) in texts.into_iter().enumerate() {
        let settings = [(slow::Wrap::Lines, false), (slow::Wrap::Any, true)];
        for (wrap, ascii) in thorough::part(settings, 2, number) {
            let rules = Rules(slow::Options {
                wrap,
                ascii,
                ..default()
            });
            check(text, &rules, &[Step::Write(70), Step::Pause]);
        }
    }
}

/// What was too long, by its offset, and how many URIs were found, left to right.
#[derive(Default)]
struct Counted {
    uris: u64,
    last: u64,
    losses: Vec<(u64, &'static str)>,
}

impl Sink for Counted {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        assert!(finding.offset >= self.last);
        (self.uris, self.last) = (self.uris + 1, finding.offset);
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push((loss.offset, loss.kind.code()));
    }
}

fn count(text: &[u8], threads: usize) -> (Counted, Stats) {
    let mut counted = Counted::default();
    let sieve = Sieve::builder().mode(Mode::All).threads(threads).build();
    let stats = sieve.run([urisieve::input::Source::Slice(text)], &mut counted);
    (counted, stats.unwrap())
}

/// L2: each unit gives what it gives alone, however often it stands there; that this
/// takes linear time is counted in `engine::linear`.
#[test]
fn l2_long_inputs_end() {
    for (unit, each) in hostile::ENDING {
        let text = unit.repeat((3 << 19) / thorough::step(3) / unit.len());
        for threads in [1, 2] {
            let (counted, stats) = count(text.as_bytes(), threads);
            let wanted = each * (text.len() / unit.len()) as u64;
            assert_eq!(counted.uris, wanted, "{unit:?}");
            assert_eq!(stats.occurrences, wanted, "{unit:?}");
            assert_eq!(counted.losses, [], "{unit:?}");
            assert_eq!(stats.bytes, text.len() as u64, "{unit:?}");
        }
    }
}

/// L2, B7: runs without an end; each is one candidate that is too long, whatever its
/// length and the block that it ends in.
#[test]
fn l2_runs_without_an_end() {
    for unit in hostile::ENDLESS {
        for len in [1 << 17, 1 << 20, (1 << 20) + 4321] {
            let text = unit.repeat(len / unit.len());
            for threads in [1, 2] {
                let (counted, stats) = count(text.as_bytes(), threads);
                assert_eq!(counted.losses, [(0, "too-long")], "{unit:?} {len}");
                assert_eq!(counted.uris, 0, "{unit:?} {len}");
                assert_eq!(stats.too_long, 1, "{unit:?} {len}");
                assert_eq!(stats.bytes, text.len() as u64, "{unit:?} {len}");
            }
        }
    }
}

/// L5 of what goes on and on: where it is too long, where a line goes on after it.
#[test]
fn l5_runs_without_an_end() {
    for (number, unit) in hostile::units().step_by(thorough::step(2)).enumerate() {
        let text = [
            &unit.repeat(3000 / unit.len()),
            " \n<http://b.example/>",
            unit,
        ]
        .concat();
        for max_length in [40, 1500, 1 << 16] {
            let rules = Rules(slow::Options {
                max_length,
                ..slow::Options::default()
            });
            let wanted = reference(text.as_bytes(), &rules);
            let ways = [(1, 1), (100, 2), (64 << 10, 1)];
            for (block, threads) in thorough::part(ways, 3, number + max_length % 3) {
                let way = Way::Slice;
                Run {
                    text: text.as_bytes(),
                    rules: &rules,
                    way,
                    block,
                    threads,
                }
                .finds(&wanted);
            }
        }
    }
}
