//! Law L5 on references (F1): the library returns the same as the slow reference. The
//! first two bytes of an input choose the rules; a NUL separates the base from the
//! text.

#![no_main]

#[path = "../../tests/kit/referrals.rs"]
mod referrals;
#[path = "../../tests/kit/rule_sets.rs"]
mod rule_sets;

use libfuzzer_sys::fuzz_target;
use urisieve::reference::{Options, Reference};

fuzz_target!(|data: &[u8]| {
    let [flags, length, rest @ ..] = data else {
        return;
    };
    let bit = |n: u32| flags >> n & 1 == 1;
    let (base, text) = match memchr::memchr(0, rest).filter(|_| bit(0)) {
        Some(at) => (Some(&rest[..at]), &rest[at + 1..]),
        None => (None, rest),
    };
    let reference = Reference {
        text,
        any_scheme: bit(1),
        is_data: bit(7) && !bit(1),
        base,
        all: bit(2),
    };
    let options = Options {
        strict: bit(3),
        opaque_all: bit(4),
        opaque: Vec::from_iter(bit(5).then(|| "about".to_owned())),
        max_length: [65536, usize::from(*length)][usize::from(bit(6))],
        ..Options::default()
    };
    let (given, _) = referrals::by_library(&reference, &options);
    assert_eq!(given, referrals::by_oracle(&reference, &options));
});
