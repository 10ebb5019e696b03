//! References that their format delimits (rule F1): the cases of
//! `corpora/conformance/references.jsonl`, passed to the library, to the slow reference
//! and, where a header can contain them, to the program in a web archive; the report of
//! a run; and law L5.

use crate::cases::{cases, text, texts};
use crate::dribble::Dribble;
use crate::forms::bzip2;
use crate::program::run;
use crate::referrals::{Given, by_library, by_oracle};
use crate::rule_sets;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use urisieve::canonicalize::Canonicalizer;
use urisieve::delimit::{Cleaning, Config, Delimiter, Referred, Refusal};
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, Marks, Problem, Problems, Schemes, Wrapper};
use urisieve::reference::{Options, Reference};
use urisieve::syntax::class::is_boundary;
use urisieve::syntax::resolve::Rules;
use urisieve::syntax::validate;
use urisieve::{Mode, Sieve, Sink, Stats};

// --- Cases ---

struct Case {
    id: String,
    args: Vec<String>,
    reference: String,
    base: Option<String>,
    schemes: Schemes,
    wanted: Result<Wanted, String>,
}

/// The result of a reference: a URI, its original, its problems.
#[derive(Debug, PartialEq)]
struct Wanted {
    uri: String,
    original: String,
    problems: Vec<String>,
}

const KEYS: [&str; 11] = [
    "id",
    "rule",
    "section",
    "args",
    "reference",
    "base",
    "schemes",
    "uri",
    "original",
    "problems",
    "refused",
];

fn references() -> Vec<Case> {
    let cases = cases("references.jsonl");
    cases.iter().map(Case::of).collect()
}

impl Case {
    fn of(case: &Value) -> Case {
        let owned = |key: &str| case.get(key).map(|_| text(case, key).to_owned());
        let list = |key| texts(case, key).into_iter().map(str::to_owned).collect();
        let id = text(case, "id").to_owned();
        assert!(!text(case, "section").is_empty() && !text(case, "rule").is_empty());
        for key in case.as_object().unwrap().keys() {
            assert!(KEYS.contains(&&**key), "{id}: {key}");
        }
        let given = ["uri", "original", "problems"].map(|key| case.get(key).is_some());
        Case {
            args: list("args"),
            reference: text(case, "reference").to_owned(),
            base: owned("base"),
            schemes: match owned("schemes").as_deref() {
                None => Schemes::Any,
                Some("known") => Schemes::Known,
                Some("value") => Schemes::Value,
                Some(other) => panic!("no schemes are called {other}"),
            },
            wanted: match owned("refused") {
                Some(why) => {
                    assert_eq!(given, [false; 3], "{id}");
                    Err(why)
                }
                None => {
                    let uri = text(case, "uri").to_owned();
                    Ok(Wanted {
                        original: owned("original").unwrap_or_else(|| uri.clone()),
                        uri,
                        problems: list("problems"),
                    })
                }
            },
            id,
        }
    }

    fn options(&self) -> Options {
        let flags: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let (options, others) = rule_sets::options(&flags);
        assert!(others.iter().all(|flag| *flag == "--all-references"));
        options
    }

    fn reference(&self) -> Reference<'_> {
        Reference {
            text: self.reference.as_bytes(),
            any_scheme: self.schemes == Schemes::Any,
            is_data: self.schemes == Schemes::Value,
            base: self.base.as_ref().map(String::as_bytes),
            all: self.args.iter().any(|arg| arg == "--all-references"),
        }
    }

    /// Whether the value of a header field can be it.
    fn fits_a_header(&self) -> bool {
        let is_whole = self.reference.trim_ascii() == self.reference.as_str();
        let has_break = self.reference.contains(['\n', '\r', '\0']);
        self.schemes == Schemes::Any && is_whole && !has_break && !self.reference.is_empty()
    }

    /// A web archive of one record, with the reference in a header.
    fn archive(&self) -> Vec<u8> {
        record(
            self.base.as_deref(),
            &[("Content-Location", &self.reference)],
        )
    }
}

fn codes(problems: Problems) -> Vec<String> {
    problems.iter().map(|p| p.code().to_owned()).collect()
}

/// A response with these fields in its head.
fn record(base: Option<&str>, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = "HTTP/1.1 200 OK\r\n".to_owned();
    for (name, value) in fields {
        block += &format!("{name}: {value}\r\n");
    }
    block += "\r\n";
    let base = base.map_or(String::new(), |base| format!("WARC-Target-URI: {base}\r\n"));
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\n{base}Content-Type: application/http\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head, block, "\r\n\r\n".to_owned()].concat().into_bytes()
}

/// The canonical form, at the level that is the default.
fn canonical(uri: &str) -> String {
    let mut buffer = Vec::new();
    let canonical = Canonicalizer::default();
    let canonical = canonical.canonicalize(uri.as_bytes(), &mut buffer);
    String::from_utf8(canonical.to_vec()).unwrap()
}

#[test]
fn every_case_by_the_library_and_by_the_slow_reference() {
    let mut failures = Vec::new();
    let mut outcomes = HashSet::new();
    for case in references() {
        let (reference, options) = (case.reference(), case.options());
        let got = |given: Given, original: Option<Vec<u8>>| {
            let (uri, problems) = given.map_err(str::to_owned)?;
            let original = original.unwrap_or_default();
            Ok(Wanted {
                uri: String::from_utf8(uri).unwrap(),
                original: String::from_utf8(original).unwrap(),
                problems: codes(problems),
            })
        };
        let (given, original) = by_library(&reference, &options);
        let by_library = got(given, original.clone());
        let by_oracle = got(by_oracle(&reference, &options), original);
        for (by, got) in [("library", by_library), ("slow reference", by_oracle)] {
            if got != case.wanted {
                let (id, wanted) = (&case.id, &case.wanted);
                let text = &case.reference;
                failures.push(format!(
                    "{id}: {text:?} gives the {by} {got:?}, not {wanted:?}"
                ));
            }
        }
        outcomes.insert(case.wanted.err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(outcomes.len(), 6, "every outcome has cases: {outcomes:?}");
}

/// Bytes that are not UTF-8 stay, with a problem.
#[test]
fn bytes_that_are_not_utf8() {
    for any_scheme in [true, false] {
        let reference = Reference {
            text: b"http://a.example/caf\xE9",
            any_scheme,
            ..Reference::default()
        };
        let wanted: Given = Ok((reference.text.to_vec(), Problem::BadUtf8.into()));
        let options = Options::default();
        assert_eq!(by_library(&reference, &options).0, wanted);
        assert_eq!(by_oracle(&reference, &options), wanted);
    }
}

#[test]
fn every_case_by_the_program() {
    let mut failures = Vec::new();
    let cases: Vec<Case> = references()
        .into_iter()
        .filter(Case::fits_a_header)
        .collect();
    assert!(cases.len() > 40);
    for case in &cases {
        let args = ["--all", "--json", "--stats"].into_iter();
        let args: Vec<&str> = args.chain(case.args.iter().map(String::as_str)).collect();
        let ran = run(&args, &case.archive());
        let numbers = ran.err.lines().last().unwrap();
        let numbers: Value = serde_json::from_str(numbers).unwrap();
        let refused = [
            (&numbers["references_dropped"], ["dropped", "void"]),
            (&numbers["references_without_base"], ["without-base"; 2]),
            (&numbers["too_long"], ["too-long"; 2]),
        ];
        for (number, whys) in refused {
            let is_counted = matches!(&case.wanted, Err(why) if whys.contains(&&why[..]));
            if *number != u64::from(is_counted) {
                failures.push(format!("{}: {numbers}", case.id));
            }
        }
        let code = match &case.wanted {
            Ok(_) => 0,
            Err(why) if why == "too-long" => 2,
            Err(_) => 1,
        };
        if ran.code != code {
            failures.push(format!("{}: exit {}, not {code}", case.id, ran.code));
        }
        let records: Vec<Value> = ran
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let given = records.iter().map(|record| {
            assert_eq!(record["length"], case.reference.len(), "{}", case.id);
            assert_eq!(record["wrapper"], "none", "{}", case.id);
            let problems = record.get("problems").into_iter();
            let problems = problems.flat_map(|list| list.as_array().unwrap());
            Wanted {
                uri: record["uri"].as_str().unwrap().to_owned(),
                original: record["original"].as_str().unwrap().to_owned(),
                problems: problems
                    .map(|code| code.as_str().unwrap().to_owned())
                    .collect(),
            }
        });
        let given: Vec<Wanted> = given.collect();
        let wanted = case.wanted.iter().map(|wanted| Wanted {
            uri: canonical(&wanted.uri),
            original: wanted.original.clone(),
            problems: wanted.problems.clone(),
        });
        let wanted: Vec<Wanted> = wanted.collect();
        if given != wanted {
            let id = &case.id;
            failures.push(format!("{id}: {given:?}, not {wanted:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

// --- Runs ---

/// One finding: URI, original, offset, length, marks.
type Found = (String, String, u64, u64, Marks);

#[derive(Debug, Default, PartialEq)]
struct Report {
    found: Vec<Found>,
    losses: Vec<(u64, &'static str)>,
}

impl Sink for Report {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (uri, original) = (text(finding.uri), text(finding.original));
        let (offset, length) = (finding.offset, finding.length);
        self.found
            .push((uri, original, offset, length, finding.marks));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push((loss.offset, loss.kind.code()));
    }
}

/// Returns the report of an archive, which is the same in every way of reading it.
fn reported_alike(config: &Config, rules: Rules, archive: &[u8]) -> (Report, Stats) {
    let report = |source, block, threads| {
        let sieve = Sieve::builder()
            .delimit(config.clone())
            .resolve_by(rules)
            .mode(Mode::All)
            .originals(true)
            .block_size(block)
            .threads(threads);
        let mut report = Report::default();
        let stats = sieve.build().run([source], &mut report).unwrap();
        (report, stats)
    };
    let wanted = report(Source::Slice(archive), 1 << 16, 1);
    let coded = bzip2(archive);
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), archive).unwrap();
    for (block, threads) in [(1, 1), (7, 2), (100, 1), (777, 2), (1 << 20, 3)] {
        for source in [
            Source::Slice(archive),
            Source::Slice(&coded),
            Source::Path(file.path().into()),
            Source::Reader(Box::new(Dribble(archive, 3))),
        ] {
            let got = report(source, block, threads);
            assert_eq!(got, wanted, "blocks of {block}, {threads} threads");
        }
    }
    wanted
}

#[test]
fn every_way_of_reading_gives_the_same() {
    let cases = references();
    let plain = |case: &&Case| case.fits_a_header() && case.args.is_empty();
    let cases: Vec<&Case> = cases.iter().filter(plain).collect();
    let archive: Vec<u8> = cases.iter().flat_map(|case| case.archive()).collect();
    let (report, stats) = reported_alike(&Config::default(), Rules::default(), &archive);
    let wanted: Vec<String> = cases
        .iter()
        .filter_map(|case| case.wanted.as_ref().ok())
        .map(|wanted| canonical(&wanted.uri))
        .collect();
    let found: Vec<&str> = report.found.iter().map(|found| &found.0[..]).collect();
    assert_eq!(found, wanted);
    let count = |whys: &[&str]| {
        let is_one = |case: &&&Case| matches!(&case.wanted, Err(why) if whys.contains(&&why[..]));
        cases.iter().filter(is_one).count() as u64
    };
    assert!(count(&["void"]) > 0 && count(&["dropped"]) > 0 && count(&["without-base"]) > 0);
    assert_eq!(stats.references_dropped, count(&["dropped", "void"]));
    assert_eq!(stats.references_without_base, count(&["without-base"]));
    assert!(report.losses.is_empty());
}

/// Places and marks of references in a head; what stands around them is text.
#[test]
fn places_and_marks() {
    let fields = [
        ("Location", "../n x"),
        ("Link", "<s.css>; rel=preload, <urn:isbn:0395363412>, <#a>"),
        ("Refresh", "0; url='http://A.example/%'"),
    ];
    let archive = record(Some("http://t.example/d/e"), &fields);
    let (report, stats) = reported_alike(&Config::default(), Rules::default(), &archive);
    let block = memchr::memmem::find(&archive, b"HTTP/1.1").unwrap();
    let place = |text: &str| {
        let at = memchr::memmem::find(&archive, text.as_bytes()).unwrap();
        ((at - block) as u64, text.len() as u64)
    };
    let found = |uri: &str, original: &str, written: &str, problems: Problems| {
        let (offset, length) = place(written);
        let mut marks = Marks::default();
        marks.problems = problems;
        // As the text of a link shows it.
        if matches!(written, "s.css" | "urn:isbn:0395363412") {
            marks.wrapper = Wrapper::Angle;
        }
        (uri.to_owned(), original.to_owned(), offset, length, marks)
    };
    let same = |uri, written, problems| found(uri, uri, written, problems);
    assert_eq!(
        report.found,
        [
            same("http://t.example/n%20x", "../n x", Problems::NONE),
            same("http://t.example/d/s.css", "s.css", Problems::NONE),
            same(
                "urn:isbn:0395363412",
                "urn:isbn:0395363412",
                Problem::IsbnCheck.into()
            ),
            found(
                "http://a.example/%",
                "http://A.example/%",
                "http://A.example/%",
                Problem::BadPercent.into()
            ),
        ]
    );
    assert_eq!(stats.references_dropped, 1);
}

#[test]
fn a_reference_that_is_too_long_is_a_named_loss() {
    let archive = record(Some("http://t.example/"), &[("Location", "abcdefgh")]);
    let block = memchr::memmem::find(&archive, b"HTTP/1.1").unwrap();
    let at = memchr::memmem::find(&archive, b"abcd").unwrap() - block;
    let config = Config::default().max_length(20);
    let (report, stats) = reported_alike(&config, Rules::default(), &archive);
    assert_eq!((report.found.len(), stats.too_long), (0, 1));
    assert_eq!(report.losses, [(at as u64, "too-long")]);
}

#[test]
fn uris_inside_a_reference_are_nested() {
    let location = "http://a.example/?u=http://B.example/ c";
    let archive = record(None, &[("Location", location)]);
    let config = Config::default().nested(true);
    let (report, _) = reported_alike(&config, Rules::default(), &archive);
    let uris: Vec<&str> = report.found.iter().map(|found| &found.0[..]).collect();
    let wanted = [
        "http://a.example/?u=http://B.example/%20c",
        "http://b.example/%20c",
    ];
    assert_eq!(uris, wanted);
    let length = location.len() as u64;
    assert!(report.found.iter().all(|found| found.3 == length));
}

#[test]
fn the_rules_of_resolution_can_be_chosen() {
    let fields = [
        ("Location", "../../x y"),
        ("Content-Location", "http:z"),
        ("Link", r"<\a>, <//[>, <?q>"),
    ];
    for (base, rules, wanted, dropped, without_base) in [
        (
            "http://t.example/d/e",
            Rules::Rfc3986,
            &[
                "http://t.example/x%20y",
                r"http://t.example/d/\a",
                "http://t.example/d/e?q",
            ][..],
            2,
            0,
        ),
        (
            "http://t.example/d/e",
            Rules::Rfc2396,
            &[
                "http://t.example/../x%20y",
                r"http://t.example/d/\a",
                "http://t.example/d/?q",
            ],
            2,
            0,
        ),
        (
            "http://t.example/d/e",
            Rules::Whatwg,
            &[
                "http://t.example/x%20y",
                "http://t.example/d/z",
                "http://t.example/a",
                "http://t.example/d/e?q",
            ],
            1,
            0,
        ),
        ("http://t.example:x/", Rules::Whatwg, &[], 1, 4),
        ("urn:example:b", Rules::Rfc3986, &[], 2, 3),
    ] {
        let archive = record(Some(base), &fields);
        let (report, stats) = reported_alike(&Config::default(), rules, &archive);
        let uris: Vec<&str> = report.found.iter().map(|found| &found.0[..]).collect();
        assert_eq!(uris, wanted, "{base} {rules}");
        let counted = (stats.references_dropped, stats.references_without_base);
        assert_eq!(counted, (dropped, without_base), "{base} {rules}");
    }
}

/// Spellings are distinguished by their meaning, not by how they are written.
#[test]
fn relative_references_are_grouped_by_what_they_stand_for() {
    let locations = [
        ("http://a.example/b/", "../n"),
        ("http://c.example/b/", "../n"),
        ("http://a.example/", "n"),
        ("http://a.example/", "HTTP://a.example/n"),
    ];
    let archive: Vec<u8> = locations
        .iter()
        .flat_map(|(base, location)| record(Some(base), &[("Location", location)]))
        .collect();
    let ran = run(&["--groups"], &archive);
    let wanted = run(
        &["--groups"],
        b"http://a.example/n http://c.example/n http://a.example/n HTTP://a.example/n",
    );
    assert_eq!((ran.out, ran.code), (wanted.out, 0));
}

#[test]
fn what_is_left_out_is_counted_and_no_loss() {
    let fields = [
        ("Location", "http://a.example/"),
        ("Content-Location", "javascript:void(0)"),
        ("Link", "<#a>, <about:blank>, <b>"),
    ];
    let archive = record(None, &fields);
    let ran = run(&["--stats"], &archive);
    assert_eq!((&ran.out[..], ran.code), ("http://a.example/\n", 0));
    for line in [" 3 references_dropped\n", " 1 references_without_base\n"] {
        assert!(ran.err.contains(line), "{}", ran.err);
    }
    let all = run(&["--stats", "--all-references"], &archive);
    assert_eq!(
        all.out,
        "http://a.example/\njavascript:void(0)\nabout:blank\n"
    );
    assert!(!all.err.contains("references_dropped"), "{}", all.err);
    assert!(
        all.err.contains(" 2 references_without_base\n"),
        "{}",
        all.err
    );
    let one = run(&["--opaque", "about"], &archive);
    assert_eq!(one.out, "http://a.example/\nabout:blank\n");
    let only = run(&[], &record(None, &[("Location", "#a")]));
    assert_eq!((&only.out[..], &only.err[..], only.code), ("", "", 1));
}

#[test]
fn secrets_end_with_the_reference() {
    let location = "http://u:SECRET @h.example/?token=SECRET <SECRET> \"SECRET&b=c";
    let archive = record(None, &[("Location", location)]);
    for args in [&["--json", "--all"][..], &["--groups"], &["--original"]] {
        let ran = run(&[&["--redact=@secrets"], args].concat(), &archive);
        assert!(
            ran.out.contains("http://u:***@h.example/?token=***&b=c"),
            "{}",
            ran.out
        );
        assert!(!ran.out.contains("SECRET"), "{}", ran.out);
    }
}

// --- Laws ---

/// Texts of what the rules are about.
fn pieces(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        &b"http"[..],
        b"http://",
        b"foo://",
        b"urn:ab:",
        b"javascript",
        b"default://a",
        b"file:",
        b"c:",
        b"xhttps://a",
        b"skype:",
        b"mailto:a",
        b":",
        b"//",
        b"/",
        b"a.example",
        b"[::1]",
        b"//[u]@a",
        b"[",
        b"]",
        b"@",
        b"?",
        b"#",
        b"%",
        b"%41",
        b"\\",
        b"{",
        b"'",
        b"-",
        b".",
        b"..",
        b"<",
        b">",
        b"\"",
        b" ",
        b"\n",
        b"\t",
        b"\0",
        b"\x7f",
        "\u{e9}".as_bytes(),
        "\u{85}".as_bytes(),
        "\u{a0}".as_bytes(),
        "\u{202e}".as_bytes(),
        "\u{fffd}".as_bytes(),
        b"\xE3\x80",
        b"\xFF",
        b"x",
        b"80",
    ]);
    prop::collection::vec(pieces, 0..most).prop_map(|parts| parts.concat())
}

fn options() -> impl Strategy<Value = Options> {
    let opaque = prop::sample::select(vec![&[][..], &["data"], &["Javascript", "skype"]]);
    let max_length = prop::sample::select(vec![65536, 65536, 40, 16]);
    (any::<bool>(), any::<bool>(), opaque, max_length).prop_map(
        |(strict, opaque_all, opaque, max_length)| Options {
            strict,
            opaque_all,
            opaque: opaque.iter().map(|&name| name.to_owned()).collect(),
            max_length,
            ..Options::default()
        },
    )
}

proptest! {
    /// L5: the library returns the same as the slow reference.
    #[test]
    fn l5_the_slow_reference_agrees(
        text in pieces(9),
        base in prop::option::of(prop_oneof![
            pieces(6),
            pieces(4).prop_map(|path| [b"http://h.example/", &path[..]].concat()),
            pieces(4).prop_map(|path| [b"file:/", &path[..]].concat()),
        ]),
        any_scheme in any::<bool>(),
        is_data in any::<bool>(),
        all in any::<bool>(),
        options in options(),
    ) {
        let base = base.as_deref();
        let is_data = is_data && !any_scheme;
        let reference = Reference { text: &text, any_scheme, is_data, base, all };
        let (given, _) = by_library(&reference, &options);
        prop_assert_eq!(given, by_oracle(&reference, &options));
    }
}

proptest! {
    /// What is reported is its own reference, with nothing left to strip or encode.
    #[test]
    fn what_a_reference_gives_is_a_fixed_point(
        text in pieces(12),
        known in any::<bool>(),
        strict in any::<bool>(),
        all in any::<bool>(),
        urls in any::<bool>(),
    ) {
        let config = Config::default().strict(strict).all_references(all).special_relative(urls);
        let delimiter = Delimiter::new(config);
        let schemes = if known { Schemes::Known } else { Schemes::Any };
        let (mut cleaning, mut again) = (Cleaning::default(), Cleaning::default());
        match delimiter.reference(&text, schemes, &mut cleaning) {
            Ok(Referred::Uri { uri, original, problems }) => {
                prop_assert!(!uri.iter().any(|&b| is_boundary(b)));
                prop_assert!(!strict || validate(uri).is_ok());
                prop_assert!(original.len() <= text.len());
                let twice = delimiter.reference(uri, schemes, &mut again);
                prop_assert_eq!(twice, Ok(Referred::Uri { uri, original: uri, problems }));
                prop_assert_eq!(delimiter.resolved(uri, &mut again), Ok((uri, problems)));
            }
            Ok(Referred::Relative { reference, original }) => {
                prop_assert!(!known && !reference.iter().any(|&b| is_boundary(b)));
                prop_assert!(original.len() <= text.len());
                let twice = delimiter.reference(reference, schemes, &mut again);
                let again = Referred::Relative { reference, original: reference };
                prop_assert_eq!(twice, Ok(again));
            }
            Err(Refusal::Text) => prop_assert!(known),
            Err(_) => {}
        }
    }
}
