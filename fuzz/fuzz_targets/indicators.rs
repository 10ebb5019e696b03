//! Indicators (I8 to I14): disguised addresses, and hosts and addresses without a scheme, are
//! those of the slow reference, however the text is divided (L1, L5); a URL that a gateway
//! wraps has an end, and is unwrapped again as what it is.

#![no_main]

#[allow(dead_code)]
#[path = "../../tests/laws/harness.rs"]
mod harness;
mod one_encoding;
#[path = "../../tests/kit/rule_sets.rs"]
mod rule_sets;

use harness::{Rules, Run, Way};
use libfuzzer_sys::fuzz_target;
use urisieve::canonicalize::gateway::{Gateways, Unwrapped};
use urisieve::decode::Refanged;
use urisieve::item::IdentifierKinds;
use urisieve::reference::Options;

fuzz_target!(|data: &[u8]| {
    let Some((head, text)) = data.split_first_chunk::<2>() else {
        return;
    };
    let gateways = Gateways::built_in();
    let mut unwrapped = Unwrapped::default();
    if gateways.unwrap(text, &mut unwrapped) && unwrapped.lack().is_none() {
        let target = unwrapped.target().to_vec();
        // Only eight gateways in one another are unwrapped.
        if unwrapped.names().split(|&byte| byte == b' ').count() < 8 {
            assert!(!gateways.unwrap(&target, &mut unwrapped));
        }
    }
    if !Refanged::has_marks(text) {
        let mut refanged = Refanged::new();
        refanged.read(text, true);
        assert_eq!(refanged.text(), text);
    }
    if !one_encoding::has_one_encoding(text) {
        return;
    }
    let rules = Rules(Options {
        refang: head[0] & 1 == 0,
        nested: head[0] & 6 == 6,
        nested_base64: head[0] & 64 != 0,
        abbreviated: head[0] & 24 == 24,
        identifiers: match head[0] & 32 {
            0 => IdentifierKinds::all(),
            _ => IdentifierKinds::NONE,
        },
        ..Options::default()
    });
    let wanted = harness::reference(text, &rules);
    for block in [1 + usize::from(head[1] % 64), 64 << 10] {
        let run = Run {
            text,
            rules: &rules,
            way: Way::Slice,
            block,
            threads: 1,
        };
        run.finds(&wanted);
    }
});
