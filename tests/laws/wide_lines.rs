//! Lines of UTF-16 in a text that begins in ASCII are read alike for every size of blocks and
//! number of threads.

use proptest::prelude::*;
use urisieve::input::Source;
use urisieve::item::Finding;
use urisieve::{Mode, Sieve};

/// A URI with its offset and length.
type FoundUri = (Vec<u8>, u64, u64);

fn uris_by(text: &[u8], block: usize, threads: usize) -> Vec<FoundUri> {
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .block_size(block)
        .threads(threads)
        .build();
    let mut uris = Vec::new();
    let mut add = urisieve::each(|found: &Finding| {
        uris.push((found.uri.to_vec(), found.offset, found.length));
    });
    sieve.run([Source::Slice(text)], &mut add).unwrap();
    uris
}

proptest! {
    #[test]
    fn appended_utf_16_is_read_alike(parts in prop::collection::vec(prop::sample::select(vec![
        &b"http://a.example/"[..], b"x", b"\n", b" ", b"<", b">", b"\0", b"\0\0", b"-\n", b"?q=t\0h\0", b"a\0b\0c\0d\0",
        b"h\0t\0t\0p\0:\0/\0/\0b\0.\0e\0x\0a\0m\0p\0l\0e\0", b"/\0", b" \0", b"\n\0", b"\x01\x26", b"urn:a-b:c",
    ]), 0..14)) {
        // The first bytes decide about all of a text; these do not.
        let text = [b"a text that begins in ASCII, as most texts do\n", &parts.concat()[..]].concat();
        let wanted = uris_by(&text, 64 << 10, 1);
        for block in [1, 2, 3, 7, 64] {
            for threads in [1, 2] {
                prop_assert_eq!(&uris_by(&text, block, threads), &wanted, "{} {} {}", block, threads, text.escape_ascii());
            }
        }
    }
}
