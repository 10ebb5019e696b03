//! Laws L1 and L5: whatever the rules, the block size and the threads, the sieve
//! finds in a text what the slow reference finds. The first bytes of an input
//! choose the rules; the rest is the text.

#![no_main]

#[allow(dead_code)]
#[path = "../../tests/laws/harness.rs"]
mod harness;
mod one_encoding;
#[path = "../../tests/kit/rule_sets.rs"]
mod rule_sets;

use harness::{Rules, Run, Way};
use libfuzzer_sys::fuzz_target;
use urisieve::item::IdentifierKinds;
use urisieve::reference::{self, Options};

/// Bytes that choose the rules.
const HEAD: usize = 4;

fuzz_target!(|data: &[u8]| {
    let Some((head, text)) = data.split_at_checked(HEAD) else {
        return;
    };
    if !one_encoding::has_one_encoding(text) {
        return;
    }
    let rules = Rules(options(head));
    let wanted = harness::reference(text, &rules);
    for block in [1 + usize::from(head[3] % 64), 64 << 10] {
        let threads = if head[3] >= 250 { 2 } else { 1 };
        let run = Run {
            text,
            rules: &rules,
            way: Way::Slice,
            block,
            threads,
        };
        run.finds(&wanted);
    }
});

fn options(head: &[u8]) -> Options {
    let (flags, choice) = (head[0], head[1]);
    let bit = |n: u32| flags >> n & 1 == 1;
    Options {
        nested: bit(0),
        nested_base64: bit(0) && bit(7),
        abbreviated: bit(1),
        ascii: bit(2),
        strict: bit(3) && bit(4),
        templates: bit(3) && bit(6),
        opaque_all: bit(5) && bit(6),
        refang: head[2] / 5 % 4 == 3,
        identifiers: match head[2] / 20 % 2 {
            1 => IdentifierKinds::all(),
            _ => IdentifierKinds::NONE,
        },
        opaque: if bit(7) {
            vec!["about".into()]
        } else {
            Vec::new()
        },
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
