//! Mail: the same findings and losses for blocks of any size, each inside of the input or of a
//! decoded part. The first byte of an input chooses the size; the rest is the mail.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;
use urisieve::decode::InputFormat;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss};
use urisieve::{Mode, Sieve, Sink};

/// What was found: URI, part, offset, length, line and column.
type Place = (Vec<u8>, Vec<u8>, u64, u64, Option<(u64, u64)>);

#[derive(Default, PartialEq)]
struct Found {
    places: Vec<Place>,
    losses: Vec<&'static str>,
}

impl Sink for Found {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        self.places.push((
            finding.uri.to_vec(),
            finding.context.part.unwrap_or_default().to_vec(),
            finding.offset,
            finding.length,
            finding.place.map(|place| (place.line, place.column)),
        ));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push(loss.kind.code());
    }
}

fn found(text: &[u8], block: usize) -> Found {
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .format(InputFormat::named("mail"))
        .lines(true)
        // A few bytes may unpack to very many; `unpack` has archives.
        .decompress(false)
        .block_size(block)
        .threads(1)
        .build();
    let mut found = Found::default();
    sieve.run([Source::Slice(text)], &mut found).unwrap();
    found
}

fuzz_target!(|data: &[u8]| {
    let Some((&size, text)) = data.split_first() else {
        return;
    };
    let (pieces, whole) = (found(text, usize::from(size) + 1), found(text, 1 << 20));
    assert_eq!(pieces.places, whole.places);
    assert!(pieces.losses == whole.losses);
});
