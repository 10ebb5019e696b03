//! Lines of UTF-16 in a text that begins in ASCII are read alike for every size of blocks and
//! number of threads.

use super::{DIVISIONS, Rules, Run, Way};
use proptest::prelude::*;
use proptest::sample::select;
use urisieve::reference::Options;

proptest! {
    #[test]
    fn appended_utf_16_is_read_alike(parts in prop::collection::vec(select(vec![
        &b"http://a.example/"[..], b"x", b"\n", b" ", b"<", b">", b"\0", b"\0\0", b"-\n", b"?q=t\0h\0", b"a\0b\0c\0d\0",
        b"h\0t\0t\0p\0:\0/\0/\0b\0.\0e\0x\0a\0m\0p\0l\0e\0", b"/\0", b" \0", b"\n\0", b"\x01\x26", b"urn:a-b:c",
    ]), 0..14)) {
        // The first bytes decide about all of a text; these do not.
        let text = [b"a text that begins in ASCII, as most texts do\n", &parts.concat()[..]].concat();
        let rules = Rules(Options::default());
        let extract = |block, threads| Run {
            text: &text,
            rules: &rules,
            way: Way::Slice,
            block,
            threads,
        }
        .extract();
        let wanted = extract(64 << 10, 1);
        for (block, threads) in DIVISIONS {
            let found = extract(block, threads);
            prop_assert_eq!(&found, &wanted, "{} {} {}", block, threads, text.escape_ascii());
        }
    }
}
