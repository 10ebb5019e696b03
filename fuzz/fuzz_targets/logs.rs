//! Any bytes as lines of a log: reading ends, and the findings are the same for blocks of every
//! size and for several threads. The first byte chooses the format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io;
use std::ops::ControlFlow;
use urisieve::input::Source;
use urisieve::item::Finding;
use urisieve::{LogFormat, Mode, Sieve, Sink};

/// Formats; each reads all of its lines.
const FORMATS: [&str; 4] = [
    "any",
    "any,host=/a/b,scheme=https",
    "log_format f '$remote_addr [$time_local] \"$request\" $status $host \"$http_referer\"';",
    "%h %v %^[%d:%t %^] \"%r\" %s \"%R\"",
];

/// URIs with their offsets and lengths.
#[derive(Debug, Default, PartialEq)]
struct Findings(Vec<(Vec<u8>, u64, u64)>);

impl Sink for Findings {
    fn finding(&mut self, found: &Finding) -> io::Result<ControlFlow<()>> {
        self.0
            .push((found.uri.to_vec(), found.offset, found.length));
        Ok(ControlFlow::Continue(()))
    }
}

fn run(text: &[u8], format: &LogFormat, block: usize, threads: usize) -> Findings {
    let sieve = Sieve::builder()
        .decompress(false)
        .archives(false)
        .mode(Mode::All)
        .base("https://base.example/")
        .log_format(format.clone())
        .block_size(block)
        .threads(threads)
        .build();
    let mut found = Findings::default();
    sieve
        .run([Source::Slice(text)], &mut found)
        .expect("a text in memory is read");
    found
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else {
        return;
    };
    let format = FORMATS[usize::from(choice) % FORMATS.len()];
    let format: LogFormat = format.parse().expect("the format is one");
    let whole = run(text, &format, 1 << 20, 1);
    for (block, threads) in [(1, 1), (7, 2), (100, 1)] {
        assert_eq!(run(text, &format, block, threads), whole);
    }
});
