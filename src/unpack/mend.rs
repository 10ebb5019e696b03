//! Magic numbers with one damaged byte. What is nearly a magic number is believed
//! to be one when a decoder gets something out of what follows; text never is.
//! Only the first bytes are compared, and only what is near is looked at further.

use super::codec::{self, State};
use super::magic::Compression;

/// So many bytes are read before what is near is judged, or all there are.
const LOOK: usize = 4096;
/// What that costs, as bytes that are read again: making a decoder costs, too.
pub(super) const COST: u64 = LOOK as u64 + 1024;
/// A decoder that gives so many bytes is believed.
const OUTPUT: usize = 64;
/// With fewer bytes anything may become near.
const FEW: usize = 3;
/// The skippable frame of a dictionary begins a Zstandard archive.
const DICTIONARY_FRAME: &[u8] = b"\x5D\x2A\x4D\x18";

/// What a form begins with; of bzip2 with a block or without.
type Magic = (Compression, &'static [u8]);

const MAGICS: [Magic; 7] = [
    (Compression::Gzip, b"\x1F\x8B\x08"),
    (Compression::Zstd, b"\x28\xB5\x2F\xFD"),
    (Compression::Zstd, DICTIONARY_FRAME),
    (Compression::Xz, b"\xFD7zXZ\0"),
    (Compression::Bzip2, b"BZh91AY&SY"),
    (Compression::Bzip2, b"BZh9\x17rE8P\x90"),
    (Compression::Lz4, b"\x04\x22\x4D\x18"),
];

/// Whether what was read begins with a damaged magic number.
///
/// ```
/// use urisieve::unpack::{Verdict, damaged};
/// assert_eq!(damaged(b"see http://a.example/", false), Verdict::No);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does not.
    No,
    /// More must be read to know.
    Unknown,
    /// It does: the compression of what follows.
    Damaged(Compression),
}

impl Compression {
    /// The compression whose magic number differs in one byte from what `head`
    /// begins with. Says nothing of what follows, as [`damaged`] does.
    ///
    /// ```
    /// use urisieve::unpack::Compression;
    /// assert_eq!(Compression::nearly(b"\x1F\x0B\x08\0..."), Some(Compression::Gzip));
    /// assert_eq!(Compression::nearly(b"\x1F\x8B\x08\0..."), None);
    /// assert_eq!(Compression::nearly(b"see http://a.example/"), None);
    /// ```
    pub fn nearly(head: &[u8]) -> Option<Compression> {
        nearest(head).map(|(form, _)| form)
    }
}

/// Whether `bytes` begin with a magic number that has one wrong byte; nothing
/// follows them when they are the `whole`. At most 4096 of them are looked at, and
/// as many are waited for where the first few are near.
///
/// ```
/// use urisieve::unpack::{Compression, Verdict, damaged};
/// // An LZ4 frame of one block that is not compressed.
/// let frame = b"\x04\x22\x4F\x18\x60\x40\x82\x03\0\0\x80abc\0\0\0\0";
/// assert_eq!(damaged(frame, false), Verdict::Unknown);
/// # #[cfg(feature = "lz4")]
/// assert_eq!(damaged(frame, true), Verdict::Damaged(Compression::Lz4));
/// assert_eq!(damaged(b"\x04\x22\x4F\x18 but no frame", true), Verdict::No);
/// ```
pub fn damaged(bytes: &[u8], whole: bool) -> Verdict {
    let Some(magic) = nearest(bytes) else {
        let wait = !whole && Compression::of(bytes).is_none() && may_become_near(bytes);
        return if wait { Verdict::Unknown } else { Verdict::No };
    };
    if bytes.len() < LOOK && !whole {
        return Verdict::Unknown;
    }
    match is_read(magic, &bytes[..bytes.len().min(LOOK)]) {
        true => Verdict::Damaged(magic.0),
        false => Verdict::No,
    }
}

/// Puts the magic number right that `bytes` nearly begin with.
pub(super) fn mend(bytes: &mut [u8]) {
    if let Some(magic) = nearest(bytes) {
        put(magic, bytes);
    }
}

fn nearest(head: &[u8]) -> Option<Magic> {
    let is_near = |magic: &Magic| head.len() >= magic.1.len() && differences(*magic, head) == 1;
    let near = MAGICS.into_iter().find(is_near);
    near.filter(|_| Compression::of(head).is_none())
}

fn may_become_near(head: &[u8]) -> bool {
    let may = |magic: Magic| head.len() < magic.1.len() && differences(magic, head) <= 1;
    head.len() < FEW || MAGICS.into_iter().any(may)
}

/// How many bytes of `head` are not those of the magic number.
fn differences(magic: Magic, head: &[u8]) -> usize {
    let known = magic.1.len().min(head.len());
    (0..known)
        .filter(|&at| differs(magic, at, head[at]))
        .count()
}

fn differs((form, magic): Magic, at: usize, byte: u8) -> bool {
    match (form, at) {
        // The level.
        (Compression::Bzip2, 3) => !(b'1'..=b'9').contains(&byte),
        _ => magic[at] != byte,
    }
}

fn put(magic: Magic, bytes: &mut [u8]) {
    for (at, byte) in bytes.iter_mut().take(magic.1.len()).enumerate() {
        if differs(magic, at, *byte) {
            *byte = magic.1[at];
        }
    }
}

/// Whether a decoder reads `bytes` once their magic number is right.
fn is_read(magic: Magic, bytes: &[u8]) -> bool {
    let form = magic.0;
    let is_text = is_text(bytes);
    // Only the magic number of bzip2 is text, and all of it is made sure of by its
    // checksum at the end.
    if is_text && form != Compression::Bzip2 {
        return false;
    }
    if magic.1 == DICTIONARY_FRAME {
        // RFC 8878 sections 3.1.1 and 5: compressed, or as it is.
        let content = bytes.get(8..12);
        return matches!(content, Some(b"\x28\xB5\x2F\xFD" | b"\x37\xA4\x30\xEC"));
    }
    let Some(mut codec) = codec::decoder(form) else {
        return false;
    };
    let mut mended = bytes.to_vec();
    put(magic, &mut mended);
    codec.begin();
    let mut out = [0; OUTPUT];
    let (mut read, mut written) = (0, 0);
    loop {
        let step = codec.step(&mended[read..], &mut out);
        read += step.read;
        written += step.written;
        match step.state {
            State::End => return true,
            State::Suspect(_)
            | State::SuspectPart(_)
            | State::SuspectGoesOn(_)
            | State::LostGoesOn(_)
            | State::Broken(_) => return false,
            State::Unsupported(_) => return !is_text,
            State::More if written >= OUTPUT => return !is_text,
            State::More if step.read + step.written > 0 => {}
            // Of the others the header was checked, and a block may be longer than
            // what was looked at.
            State::More => return bytes.len() == LOOK && form != Compression::Gzip && !is_text,
        }
    }
}

/// Whether no byte is a control that texts do not have.
fn is_text(bytes: &[u8]) -> bool {
    let is_binary = |b: &u8| matches!(b, 0..=6 | 0x0E..=0x1A | 0x1C..=0x1F);
    !bytes.iter().any(is_binary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_wrong_byte_is_near_and_two_are_not() {
        for (form, magic) in MAGICS {
            for at in 0..magic.len() {
                for flip in [0x01, 0x80, 0xFF] {
                    let mut head = magic.to_vec();
                    head[at] ^= flip;
                    if Compression::of(&head).is_some() {
                        // Another level, another skippable frame.
                        continue;
                    }
                    assert_eq!(Compression::nearly(&head), Some(form), "{head:?}");
                    for len in 0..head.len() {
                        let begun = damaged(&head[..len], false);
                        let told =
                            Compression::of(&head[..len]).or(Compression::nearly(&head[..len]));
                        assert!(
                            begun == Verdict::Unknown || told.is_some(),
                            "{head:?} {len}"
                        );
                    }
                    let mut mended = head.clone();
                    mend(&mut mended);
                    assert_eq!(Compression::of(&mended), Some(form));
                    head[(at + 1) % magic.len()] ^= 0xFF;
                    assert_eq!(damaged(&head, false), Verdict::No, "{head:?}");
                }
            }
        }
    }

    #[test]
    fn a_dictionary_is_known_by_its_own_magic_number() {
        let frame = |content: &[u8]| [b"\x5D\x2A\x4C\x18\x40\0\0\0", content].concat();
        let dictionary = frame(b"\x37\xA4\x30\xEC");
        assert_eq!(
            damaged(&dictionary, true),
            Verdict::Damaged(Compression::Zstd)
        );
        assert_eq!(damaged(&frame(b"....."), true), Verdict::No);
    }

    #[test]
    fn a_few_bytes_are_waited_for_and_no_more() {
        assert_eq!(damaged(b"ab", false), Verdict::Unknown);
        assert_eq!(damaged(b"ab", true), Verdict::No);
        assert_eq!(damaged(b"abc", false), Verdict::No);
        assert_eq!(damaged(b"BZ", false), Verdict::Unknown);
        assert_eq!(damaged(b"BZip2 is a", false), Verdict::No);
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let near = prop::sample::select(vec![
            &b""[..],
            b"(\xB5/",
            b"(\xB5/a",
            b"(./\xFD",
            b"\xFD7zXZ ",
            b"BZh91AY&SX",
            b"BZh 1AY&SY",
            b"ZZh91AY&SY",
        ]);
        let printable = prop::sample::select(
            (0x20..0x7F)
                .chain(0xA0..=0xFF)
                .chain([b'\n', b'\t'])
                .collect::<Vec<u8>>(),
        );
        let latin = prop::collection::vec(printable, 0..300);
        let unicode = "\\PC{0,100}".prop_map(String::into_bytes);
        (near, prop_oneof![latin, unicode], 1usize..60)
            .prop_map(|(near, text, times)| [near, &text.repeat(times)].concat())
    }

    proptest! {
        #[test]
        fn text_is_never_compressed(text in text()) {
            prop_assume!(Compression::of(&text).is_none());
            prop_assert_eq!(damaged(&text, true), Verdict::No);
        }

        #[test]
        fn of_any_bytes_only_the_first_ones_count(
            bytes in prop::collection::vec(any::<u8>(), 0..9000),
            magic in 0..MAGICS.len(),
        ) {
            let bytes = [MAGICS[magic].1, &bytes].concat();
            for at in 0..3 {
                let mut bytes = bytes.clone();
                bytes[at] ^= 0x20;
                if bytes.len() > LOOK {
                    prop_assert_eq!(damaged(&bytes, true), damaged(&bytes[..LOOK], false));
                }
            }
        }
    }
}
