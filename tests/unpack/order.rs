//! The order of what is reported at the end: that of the inputs, of the records in
//! them and of what is found in a record, wherever its offsets start anew.

use crate::archive::{BLOCK, Header};
use crate::packed::{gzip, zstd};
use crate::warc::{message, response};
use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use urisieve::input::Source;
use urisieve::item::{Finding, Spelling};
use urisieve::{Mode, Sequence, Sieve, Sink};

/// URIs with their offsets, as they are reported.
#[derive(Debug, Default, PartialEq)]
struct Reported(Vec<(String, usize, u64)>);

impl Sink for Reported {
    fn finding(&mut self, finding: &Finding<'_>) -> std::io::Result<ControlFlow<()>> {
        let uri = String::from_utf8_lossy(finding.uri).into_owned();
        self.0.push((uri, finding.input, finding.offset));
        Ok(ControlFlow::Continue(()))
    }

    fn group(
        &mut self,
        class: &Finding<'_>,
        _: &[Spelling<'_>],
    ) -> std::io::Result<ControlFlow<()>> {
        self.finding(class)
    }
}

fn tar(members: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, content) in members.iter().enumerate() {
        let name = format!("{number}.txt");
        bytes.extend(Header::new(name.as_bytes(), b'0', content.len()).member(content));
    }
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    bytes
}

fn warc(blocks: &[Vec<u8>]) -> Vec<u8> {
    let records = blocks.iter();
    records
        .flat_map(|block| response("http://t.example/d/", block))
        .collect()
}

/// Classes that are counted, or put together, are in the order in which those are that
/// are reported as they are found.
#[test]
fn classes_are_in_the_order_in_which_they_are_seen() {
    let late = [
        &b"  ".repeat(300)[..],
        b"http://z.example/ http://y.example/",
    ]
    .concat();
    let early = b"http://c.example/ http://Z.example/ http://b.example/";
    let inner = message("Location: /l\r\n", b"http://d.example/ http://y.example/");
    let typed = "Content-Type: message/http\r\n";
    let coded = format!("{typed}Content-Encoding: gzip\r\nLink: <k>\r\n");
    let blocks = [
        message("", &late),
        message(typed, &message("Link: <a>\r\n", early)),
        message(&coded, &gzip(&inner)),
        message("Location: /first\r\n", b"http://a.example/"),
    ];
    let inputs = [
        tar(&[&late, early, b"http://a.example/"]),
        warc(&blocks),
        zstd(&tar(&[&inner, &late, early])),
        early.to_vec(),
    ];
    let run = |mode, block, threads, are_pipes| {
        let sieve = Sieve::builder()
            .mode(mode)
            .sequence(Sequence::Seen)
            .block_size(block)
            .threads(threads)
            .build();
        let mut reported = Reported::default();
        let sources = inputs.iter().map(|bytes| match are_pipes {
            false => Source::Slice(bytes),
            true => {
                let pipe: Box<dyn Read + Send> = Box::new(Cursor::new(bytes.clone()));
                Source::Reader(pipe)
            }
        });
        sieve.run(sources, &mut reported).unwrap();
        reported
    };
    let wanted = run(Mode::Distinct, 1 << 16, 1, false);
    assert!(wanted.0.len() > 7, "{wanted:?}");
    let by_offset = |pair: &[(String, usize, u64)]| pair[0].2 > pair[1].2;
    assert!(wanted.0.windows(2).any(by_offset));
    for mode in [Mode::Distinct, Mode::Count, Mode::Groups] {
        for block in [1, 7, 64, 64 << 10] {
            for threads in [1, 2, 8] {
                for are_pipes in [false, true] {
                    let got = run(mode, block, threads, are_pipes);
                    assert_eq!(got, wanted, "{mode:?}, {block}, {threads}, {are_pipes}");
                }
            }
        }
    }
}

/// Also where findings may come as they are found, the first of a class is the first.
#[test]
fn what_is_counted_without_order_is_counted_in_order() {
    let text: String = (0..4000)
        .map(|n| format!("http://a.example/{}\n", n * 7 % 1000))
        .collect();
    for threads in [1, 2, 8] {
        let run = |sequence| {
            let sieve = Sieve::builder()
                .mode(Mode::Count)
                .sequence(sequence)
                .block_size(512)
                .threads(threads)
                .build();
            let mut reported = Reported::default();
            sieve.run([text.as_bytes()], &mut reported).unwrap();
            reported
        };
        assert_eq!(run(Sequence::Unordered), run(Sequence::Seen), "{threads}");
    }
}
