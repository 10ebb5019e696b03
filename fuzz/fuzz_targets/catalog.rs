//! Records of catalogues in pieces of any size, and what the sieve finds in them. The first
//! two bytes of an input choose the format and the size; the rest is the catalogue.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;
use urisieve::decode::{
    CatalogFormat, CatalogReader, CatalogRecord, FORMATS, InputFormat, RecordStep,
};
use urisieve::input::Source;
use urisieve::item::Finding;
use urisieve::{Mode, Sieve, Sink};

/// A field with the texts of its subfields.
type Field = (Vec<u8>, u64, Vec<Vec<u8>>);

/// The records of `text`, read in pieces of this size: their ranges and fields.
fn records(format: CatalogFormat, text: &[u8], piece: usize) -> Vec<(u64, u64, Vec<Field>)> {
    let (mut reader, mut record) = (CatalogReader::new(format), CatalogRecord::default());
    let (mut from, mut to, mut found) = (0, 0, Vec::new());
    loop {
        let last = to == text.len();
        let step = reader.read(&text[from..to], last, &mut record);
        from += match step {
            RecordStep::Record(len) => {
                let range = record.range();
                assert_eq!(range, from as u64..(from + len) as u64);
                let fields = record.fields().map(|field| {
                    let texts = field.subfields().map(|subfield| {
                        assert!(
                            range.start <= subfield.range.start && subfield.range.end <= range.end
                        );
                        assert!(std::str::from_utf8(subfield.text).is_ok());
                        subfield.text.to_vec()
                    });
                    (field.tag.to_vec(), field.occurrence, texts.collect())
                });
                found.push((range.start, range.end, fields.collect()));
                len
            }
            RecordStep::Outside { len, .. } | RecordStep::Lost(len, _) => {
                assert!(len > 0);
                len
            }
            _ if last => break,
            _ => {
                to = text.len().min(to + piece);
                0
            }
        };
    }
    assert_eq!(from, text.len());
    found
}

/// What was found: URI, offset, length.
#[derive(Default)]
struct Found(Vec<(Vec<u8>, u64, u64)>);

impl Sink for Found {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        self.0
            .push((finding.uri.to_vec(), finding.offset, finding.length));
        Ok(ControlFlow::Continue(()))
    }
}

fn found(format: &'static InputFormat, text: &[u8], block: usize) -> Vec<(Vec<u8>, u64, u64)> {
    let sieve = Sieve::builder().mode(Mode::All).format(Some(format));
    let mut found = Found::default();
    // A few bytes may unpack to very many; `unpack` has archives.
    let sieve = sieve.decompress(false);
    sieve
        .block_size(block)
        .threads(1)
        .build()
        .run([Source::Slice(text)], &mut found)
        .unwrap();
    found.0
}

fuzz_target!(|data: &[u8]| {
    let [format, size, text @ ..] = data else {
        return;
    };
    let catalogs = FORMATS.iter().filter(|format| format.is_searched());
    let mut catalogs = catalogs.filter_map(|format| Some((format, format.records?)));
    let number = usize::from(*format) % catalogs.clone().count();
    let (format, records_format) = catalogs.nth(number).unwrap();
    let piece = usize::from(*size) + 1;
    // XML states its encoding, which only the decoder knows.
    assert_eq!(
        records(records_format, text, piece),
        records(records_format, text, text.len() + 1)
    );
    assert_eq!(found(format, text, piece), found(format, text, 1 << 20));
});
