//! Laws L1 and L5: whatever the rules, the block size and the threads, the sieve
//! finds in a text what the slow reference finds. The first bytes of an input
//! choose the rules; the rest is the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io;
use urisieve::canonicalize::Level;
use urisieve::decode::utf16_bom;
use urisieve::delimit::{Config, Hyphen, Wrap, WrapLimit};
use urisieve::engine::{Mode, Sieve, Sink};
use urisieve::item::{Finding, Loss};
use urisieve::reference::{self, Extraction, Found, Options};

/// Bytes that choose the rules.
const HEAD: usize = 4;

fuzz_target!(|data: &[u8]| {
    let Some((head, text)) = data.split_at_checked(HEAD) else {
        return;
    };
    if utf16_bom(text).is_some() {
        return; // The reference reads text, not encodings.
    }
    let options = options(head);
    let wanted = reference::extract(text, &options);
    let blocks = [1 + usize::from(head[3] % 64), 64 << 10];
    for block in blocks {
        let threads = if head[3] >= 250 { 2 } else { 1 };
        let got = sieve(text, &options, block, threads);
        if got != wanted {
            let differ = |(a, b): &(&Found, &Found)| a == b;
            let same = got.found.iter().zip(&wanted.found).take_while(differ).count();
            panic!(
                "block {block}, threads {threads}: record {same}\n  sieve {}\n  slow  {}",
                show(got.found.get(same), &got),
                show(wanted.found.get(same), &wanted),
            );
        }
    }
});

/// A record and what was too long, readable.
fn show(found: Option<&Found>, all: &Extraction) -> String {
    let text = found.map(|f| String::from_utf8_lossy(&f.text).into_owned());
    format!("{text:?} {found:?} {:?}", all.too_long)
}

fn options(head: &[u8]) -> Options {
    let (flags, choice) = (head[0], head[1]);
    let bit = |n: u32| flags >> n & 1 == 1;
    Options {
        nested: bit(0),
        abbreviated: bit(1),
        ascii: bit(2),
        strict: bit(3) && bit(4),
        opaque_all: bit(5) && bit(6),
        opaque: if bit(7) { vec!["about".into()] } else { Vec::new() },
        wrap: match choice & 3 {
            0 => reference::Wrap::Any,
            1 => reference::Wrap::Off,
            _ => reference::Wrap::Lines,
        },
        hyphen: match choice >> 2 & 3 {
            0 => reference::Hyphen::Drop,
            1 => reference::Hyphen::Both,
            _ => reference::Hyphen::Keep,
        },
        wrap_limit_bytes: [8192, 8192, 40, 12][usize::from(choice >> 4 & 3)],
        wrap_limit_lines: [20, 20, 3, 1][usize::from(choice >> 6)],
        max_length: [65536, 65536, 65536, 40, 16][usize::from(head[2] % 5)],
    }
}

fn sieve(text: &[u8], options: &Options, block: usize, threads: usize) -> Extraction {
    let config = Config::default()
        .wrap(match options.wrap {
            reference::Wrap::Lines => Wrap::Lines,
            reference::Wrap::Any => Wrap::Any,
            reference::Wrap::Off => Wrap::Off,
        })
        .wrap_limit(WrapLimit {
            bytes: options.wrap_limit_bytes,
            lines: options.wrap_limit_lines,
        })
        .hyphen(match options.hyphen {
            reference::Hyphen::Keep => Hyphen::Keep,
            reference::Hyphen::Drop => Hyphen::Drop,
            reference::Hyphen::Both => Hyphen::Both,
        })
        .nested(options.nested)
        .ascii(options.ascii)
        .strict(options.strict)
        .max_length(options.max_length)
        .opaque(&options.opaque)
        .opaque_all(options.opaque_all);
    let mut records = Records::default();
    Sieve::builder()
        .delimit(config)
        .abbreviated(options.abbreviated)
        .every_scheme(options.opaque_all || !options.opaque.is_empty())
        .level(Level::None)
        .mode(Mode::All)
        .originals(true)
        .threads(threads)
        .block_size(block)
        .build()
        .slice(text, &mut records)
        .expect("a sink that never fails");
    records.0
}

#[derive(Default)]
struct Records(Extraction);

impl Sink for Records {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.0.found.push(Found {
            text: finding.original.to_vec(),
            offset: finding.offset as usize,
            length: finding.length as usize,
            marks: finding.marks,
        });
        Ok(())
    }

    fn loss(&mut self, loss: &Loss) {
        self.0.too_long.push(loss.offset as usize);
    }
}
