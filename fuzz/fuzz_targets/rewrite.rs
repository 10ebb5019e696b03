//! Any bytes, written again (I29): without a change every byte stays; canonical forms and what is
//! left of secrets are the same wherever the text is divided; and no URI that is written has a
//! secret.

#![no_main]

#[path = "../../tests/kit/rewritten.rs"]
mod rewritten;

use libfuzzer_sys::fuzz_target;
use rewritten::{SIZES, rewritten, sieve};
use urisieve::canonicalize::{Level, Redactor};
use urisieve::item::Finding;

/// Leaves a URI as it is.
fn same(_: &Finding, _: &mut Vec<u8>) {}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else {
        return;
    };
    let size = SIZES[1 + usize::from(choice) % (SIZES.len() - 1)];
    let refangs = choice & 128 != 0;
    for size in [SIZES[0], size] {
        assert_eq!(rewritten(sieve(Level::None), text, size, same), text);
    }
    let canonical = sieve(Level::Scheme).refang(refangs);
    let whole = rewritten(canonical.clone(), text, SIZES[0], same);
    assert_eq!(rewritten(canonical, text, size, same), whole);
    let hides = sieve(Level::None)
        .refang(refangs)
        .redact(Redactor::secrets());
    let (redactor, mut buffer) = (Redactor::secrets(), Vec::new());
    let hidden = rewritten(hides.clone(), text, SIZES[0], |_, uri| {
        assert_eq!(redactor.redact(uri, &mut buffer), uri.as_slice());
    });
    assert_eq!(rewritten(hides, text, size, same), hidden);
});
