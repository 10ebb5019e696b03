//! Documents of markup, plain and in archives: the same findings in every way of reading
//! them, each with the raw bytes from which it can be found again (L1, L3).

use crate::cases::{cases, text};
use crate::thorough;
use crate::ways;
use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use urisieve::decode::InputFormat;
use urisieve::input::Source;
use urisieve::item::{Context, Finding, Loss};
use urisieve::{Error, Pairs, Sieve, Sink};

/// What is reported of a document.
#[derive(Debug, Default, PartialEq)]
struct Reported {
    /// URI, position in the markup, raw offset and length.
    found: Vec<(String, String, u64, u64)>,
    losses: Vec<String>,
}

impl Sink for Reported {
    fn finding(&mut self, finding: &Finding<'_>) -> std::io::Result<ControlFlow<()>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let link = finding.context.link.unwrap_or_default();
        let place = (finding.offset, finding.length);
        self.found
            .push((text(finding.uri), text(link.path), place.0, place.1));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push(loss.kind.code().to_owned());
    }

    fn error(&mut self, error: Error) {
        panic!("{error}");
    }
}

/// Returns what is reported of `bytes`, which is the same in every way of reading them.
fn reported(bytes: &[u8]) -> Reported {
    let (wanted, _) = ways::run::<Reported>(Source::Slice(bytes), 1 << 16, 1);
    for block in [1, 2, 3, 7, 64, 64 << 10] {
        for threads in [1, 2, 8] {
            let way = format!("blocks of {block}, {threads} threads");
            let (got, _) = ways::run::<Reported>(Source::Slice(bytes), block, threads);
            assert_eq!(got, wanted, "{way}");
            let pipe: Box<dyn Read + Send> = Box::new(Cursor::new(bytes.to_vec()));
            let (got, _) = ways::run::<Reported>(Source::Reader(pipe), block, threads);
            assert_eq!(got, wanted, "{way}, from a pipe");
        }
    }
    wanted
}

/// A record of a web archive that has `body` as its content.
fn response(uri: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n");
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}",
        head.len() + body.len()
    )
    .into_bytes();
    record.extend_from_slice(body);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

/// The bytes of a document in the encoding that its type states.
fn encoded(text: &str, content_type: &str) -> Vec<u8> {
    let label = content_type.split("charset=").nth(1).unwrap_or("utf-8");
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
    encoding.encode(text).0.into_owned()
}

/// The links of the cases: positions and targets, in order, and none of those that a case
/// excludes.
#[test]
fn links_of_the_cases() {
    let cases = cases("links.jsonl");
    for case in &cases {
        let text = |key: &str| text(case, key);
        let body = encoded(text("html"), text("content_type"));
        let archive = response(text("url"), text("content_type"), &body);
        let mut links = Vec::new();
        let sieve = Sieve::builder()
            .mode(urisieve::Mode::All)
            .canonicalize(urisieve::canonicalize::Canonicalizer::new(
                urisieve::canonicalize::Level::None,
            ))
            .links(Pairs::new())
            .resolve_by(urisieve::syntax::resolve::Rules::Whatwg)
            .build();
        sieve
            .for_each_in([Source::Slice(&archive)], |finding| {
                let path = finding.context.link.unwrap_or_default().path;
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                links.push((text(path), text(finding.uri)));
            })
            .unwrap();
        let wanted: Vec<(String, String)> = serde_json::from_value(case["links"].clone()).unwrap();
        assert_eq!(links, wanted, "{}", text("id"));
        for not in case["not"].as_array().unwrap() {
            assert!(links.iter().all(|(_, uri)| uri != not), "{}", text("id"));
        }
    }
    assert!(cases.len() >= 45, "{}", cases.len());
}

/// Without positions, links have neither path nor relations, and all else is as with them.
#[test]
fn findings_without_positions_are_the_same() {
    type Found = (Vec<u8>, u64, u64, Option<bool>);
    let run = |bytes: &[u8], positions: bool, pairs: bool| {
        let mut found: Vec<Found> = Vec::new();
        let mut texts = Vec::new();
        let sieve = Sieve::builder()
            .mode(urisieve::Mode::All)
            .positions(positions);
        let sieve = match pairs {
            true => sieve.links(Pairs::new().mentions(true)),
            false => sieve,
        };
        let sieve = sieve.build();
        sieve
            .for_each_in([Source::Slice(bytes)], |finding| {
                let link = finding.context.link;
                let nofollow = link.map(|link| link.nofollow);
                found.push((
                    finding.uri.to_vec(),
                    finding.offset,
                    finding.length,
                    nofollow,
                ));
                texts.extend(link.map(|link| [link.path, link.rel].concat()));
            })
            .unwrap();
        (found, texts)
    };
    let document = |case: &serde_json::Value| {
        let text = |key: &str| text(case, key);
        let body = encoded(text("html"), text("content_type"));
        let archive = response(text("url"), text("content_type"), &body);
        // Links of other documents are few, and keep their paths.
        (archive, text("content_type") != "text/plain")
    };
    let mut documents: Vec<_> = cases("links.jsonl").iter().map(document).collect();
    let page = b"<a rel=NOFOLLOW href=http://a.example/>a</a> http://b.example/ <img src=/c>";
    documents.push((response("http://p.example/", "text/html", page), true));
    let mut links = Vec::new();
    for (archive, is_page) in documents {
        for pairs in [false, true] {
            let (wanted, _) = run(&archive, true, pairs);
            let (found, texts) = run(&archive, false, pairs);
            assert_eq!(found, wanted);
            assert!(!is_page || texts.iter().all(Vec::is_empty), "{texts:?}");
            links = found.into_iter().map(|found| found.3).collect();
        }
    }
    assert_eq!(links, [Some(true), Some(false), Some(false)]);
}

/// Calls `check` with the cases, in archives and as inputs of their own.
fn each_case(mut check: impl FnMut(&[u8])) {
    for (number, case) in cases("links.jsonl").iter().enumerate() {
        let text = |key: &str| text(case, key);
        let body = encoded(text("html"), text("content_type"));
        let archive = response(text("url"), text("content_type"), &body);
        let page = [b"<!doctype html>", &body[..]].concat();
        for bytes in thorough::part([archive, page], 2, number) {
            check(&bytes);
        }
    }
}

/// The findings of a sink that uses nothing but URIs.
#[derive(Debug, Default, PartialEq)]
struct Uris {
    /// URI, raw offset and length.
    found: Vec<(String, u64, u64)>,
    losses: Vec<String>,
}

impl Sink for Uris {
    fn finding(&mut self, finding: &Finding<'_>) -> std::io::Result<ControlFlow<()>> {
        assert_eq!(finding.context, Context::default());
        let uri = String::from_utf8_lossy(finding.uri).into_owned();
        self.found.push((uri, finding.offset, finding.length));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push(loss.kind.code().to_owned());
    }

    fn uses_only_uris(&self) -> bool {
        true
    }
}

/// A sink that uses nothing but URIs gets the same URIs as others, without their contexts.
#[test]
fn a_sink_of_uris_gets_no_contexts() {
    let mut all = 0;
    each_case(|bytes| {
        let (wanted, _) = ways::run::<Reported>(Source::Slice(bytes), 1 << 16, 1);
        let found = wanted.found.into_iter();
        let wanted = Uris {
            found: found.map(|(uri, _, at, len)| (uri, at, len)).collect(),
            losses: wanted.losses,
        };
        for (block, threads) in [(1 << 16, 1), (7, 2), (1 << 16, 8)] {
            let (got, _) = ways::run::<Uris>(Source::Slice(bytes), block, threads);
            assert_eq!(got, wanted, "blocks of {block}, {threads} threads");
        }
        all += wanted.found.len();
    });
    assert!(all >= 45, "{all}");
}

/// L1: the cases in archives and as inputs of their own.
#[test]
fn every_way_of_reading_gives_the_same() {
    each_case(|bytes| {
        reported(bytes);
    });
}

/// L3: the raw bytes of a finding give its URI again, with references and in UTF-16.
#[test]
fn findings_are_found_again() {
    let page = "<!doctype html><title>é</title>\n<base href='http://a.example/d/'>\
        <a href=\"https&#x3A;&#x2F;&#x2F;b.example&sol;?a=1&amp;b=é\">é http://c.exam<wbr>ple/&amp;x</a>\
        <p title='see urn:isbn:0395363411, é'>http://d.example/&shy;e</p>";
    let utf16: Vec<u8> = "\u{FEFF}"
        .encode_utf16()
        .chain(page.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let wanted = [
        ("http://a.example/d/", "", "http://a.example/d/"),
        (
            "https://b.example/?a=1&b=é",
            "A@/href",
            "https&#x3A;&#x2F;&#x2F;b.example&sol;?a=1&amp;b=é",
        ),
        (
            "http://c.example/&x",
            "#text",
            "http://c.exam<wbr>ple/&amp;x",
        ),
        ("urn:isbn:0395363411", "P@/title", "urn:isbn:0395363411"),
        ("http://d.example/e", "#text", "http://d.example/&shy;e"),
    ];
    for (bytes, is_utf16) in [(page.as_bytes(), false), (&utf16, true)] {
        let found = reported(bytes).found;
        let uris: Vec<(&str, &str)> = found.iter().map(|f| (&f.0[..], &f.1[..])).collect();
        let expected: Vec<(&str, &str)> = wanted.iter().map(|w| (w.0, w.1)).collect();
        let without_paths =
            |all: &[(&str, &str)]| all.iter().map(|one| one.0.to_owned()).collect::<Vec<_>>();
        assert_eq!(without_paths(&uris), without_paths(&expected));
        for ((uri, path, offset, length), (_, wanted_path, raw)) in found.iter().zip(wanted) {
            let range = *offset as usize..(offset + length) as usize;
            let slice = &bytes[range];
            let text = match is_utf16 {
                false => String::from_utf8(slice.to_vec()).unwrap(),
                true => {
                    let units: Vec<u16> = slice
                        .chunks_exact(2)
                        .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
                        .collect();
                    String::from_utf16(&units).unwrap()
                }
            };
            assert_eq!(text, raw, "{uri}");
            assert!(
                wanted_path.is_empty() || path == wanted_path,
                "{uri}: {path}"
            );
        }
    }
}

/// Letters of a scheme are written as references, with and without `;`, in texts and values, also
/// where the colon is one.
#[test]
fn schemes_written_as_references() {
    for (scheme, rest) in [("mailto", "joe@m.example"), ("urn", "isbn:0451450523")] {
        for place in 0..=scheme.len() {
            let whole = format!("{scheme}:");
            let (before, rest_of_it) = whole.split_at(place);
            let (char, after) = rest_of_it.split_at(1);
            let code = u32::from(char.chars().next().unwrap());
            let forms = [
                format!("&#{code}"),
                format!("&#x{code:x}"),
                format!("&#0{code}"),
                format!("&#{code};"),
                format!("&#X{code:X};"),
            ];
            for form in forms {
                // A letter may continue the number.
                let next = format!("{after}{rest}").starts_with(|c: char| c.is_ascii_hexdigit());
                if next && form.starts_with("&#x") {
                    continue;
                }
                let written = format!("{before}{form}{after}{rest}");
                for page in [
                    format!("<!doctype html><p>See {written} here.</p>"),
                    format!("<!doctype html><p title=\"See {written} here.\">x</p>"),
                ] {
                    let (got, _) =
                        ways::run::<Reported>(Source::Slice(page.as_bytes()), 1 << 16, 1);
                    let uris: Vec<_> = got.found.iter().map(|found| &found.0[..]).collect();
                    assert_eq!(uris, [format!("{scheme}:{rest}")], "{page}");
                }
            }
        }
    }
}

/// A document that is cut, at every byte: nothing is lost before the cut, nothing panics.
#[test]
fn a_cut_document_is_read_up_to_the_cut() {
    let page = b"<!doctype html><a href=http://a.example/b>x</a><!-- urn:a-b:c --><script>\
        var a='http://b.example/';</script><style>@import 'http://c.example/d';</style>";
    let whole = reported(page);
    assert_eq!(whole.found.len(), 4);
    for len in 0..page.len() {
        let (got, _) = ways::run::<Reported>(Source::Slice(&page[..len]), 1 << 16, 1);
        assert!(got.losses.is_empty());
        let complete = |one: &&(String, String, u64, u64)| one.2 + one.3 < len as u64;
        let kept: Vec<_> = whole
            .found
            .iter()
            .filter(complete)
            .map(|one| one.2)
            .collect();
        let places: Vec<_> = got.found.iter().map(|one| one.2).collect();
        // A tag that is not complete has no attributes: its text is searched.
        assert!(
            kept.iter().all(|offset| places.contains(offset)),
            "{len}: {got:?}"
        );
    }
}

/// A value of JSON-LD has its place in the JSON; what follows it has none.
#[test]
fn pointers_of_json_ld() {
    let page = br#"<script type="application/ld+json">
        {"@id": "http://a.example/", "b": [{"url": "http://b.example/"}]}</script>
        <a href="http://c.example/">c</a>"#;
    let mut found = Vec::new();
    let sieve = Sieve::builder().format(InputFormat::named("html")).build();
    let run = sieve.for_each(page, |finding| {
        let pointer = finding.context.pointer.map(String::from_utf8_lossy);
        let pointer = pointer.map(|pointer| pointer.into_owned());
        found.push((String::from_utf8_lossy(finding.uri).into_owned(), pointer));
    });
    run.unwrap();
    let row = |uri: &str, pointer: Option<&str>| (uri.to_owned(), pointer.map(str::to_owned));
    let wanted = [
        row("http://a.example/", Some("/@id")),
        row("http://b.example/", Some("/b/0/url")),
        row("http://c.example/", None),
    ];
    assert_eq!(found, wanted);
}
