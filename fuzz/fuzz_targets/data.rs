//! Any bytes as JSON, a table or a catalogue of messages: reading ends, and the findings, their
//! places and the counts are the same for blocks of every size and for several threads. The first
//! byte chooses the format and the fields.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io;
use std::ops::ControlFlow;
use urisieve::decode::{DataFields, InputFormat, TableColumn};
use urisieve::input::Source;
use urisieve::item::{Finding, Loss};
use urisieve::{Mode, Sieve, Sink, Stats};

const FORMATS: [&str; 4] = ["json", "csv", "tsv", "po"];

/// URIs with their offsets, lengths, pointers, rows and columns, and the offsets of losses.
#[derive(Debug, Default, PartialEq)]
struct Findings(Vec<(Vec<u8>, u64, u64, Vec<u8>, Option<u64>)>, Vec<u64>);

impl Sink for Findings {
    fn finding(&mut self, found: &Finding) -> io::Result<ControlFlow<()>> {
        let context = &found.context;
        let place = context.pointer.or(context.field).unwrap_or(b"?").to_vec();
        let uri = found.uri.to_vec();
        self.0
            .push((uri, found.offset, found.length, place, context.row));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.1.push(loss.offset);
    }
}

fn run(text: &[u8], choice: u8, block: usize, threads: usize) -> (Findings, Stats) {
    let fields = match choice >> 2 & 3 {
        1 => DataFields::default()
            .field("/a/*")
            .expect("it is a pointer"),
        2 => DataFields::default().column(TableColumn::Number(1)),
        _ => DataFields::default(),
    };
    let logs = if choice & 64 == 0 { "auto" } else { "off" };
    let format = FORMATS[usize::from(choice & 3)];
    let sieve = Sieve::builder()
        .decompress(false)
        .archives(false)
        .mode(Mode::All)
        .base("https://base.example/")
        .format(InputFormat::named(format).filter(|_| choice & 16 == 0))
        .fields(fields)
        .positions(choice & 32 == 0)
        .log_format(logs.parse().expect("it is a format"))
        .block_size(block)
        .threads(threads)
        .build();
    let mut found = Findings::default();
    let stats = sieve
        .run([Source::Slice(text)], &mut found)
        .expect("a text in memory is read");
    (found, stats)
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else {
        return;
    };
    let whole = run(text, choice, 1 << 20, 1);
    for (block, threads) in [(1, 1), (7, 2), (100, 1)] {
        assert_eq!(run(text, choice, block, threads), whole);
    }
});
