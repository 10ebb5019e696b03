//! Whole gzip members in memory, inflated in one call. This takes half the time of a
//! decoder that can stop anywhere. A member that is refused here is left to that decoder,
//! which reports the damage.

use libdeflater::{Decompressor, crc32};

/// The least length of a member: a header and a footer (RFC 1952 section 2.3).
const MEMBER_MIN: usize = 10 + FOOTER;
/// The length of the CRC-32 and the length of the text.
const FOOTER: usize = 8;

/// Inflates members.
pub(super) struct WholeGzip {
    inflate: Decompressor,
}

impl WholeGzip {
    pub(super) fn new() -> WholeGzip {
        WholeGzip {
            inflate: Decompressor::new(),
        }
    }

    /// Returns the length of the text of `member` if this is exactly one member, from its
    /// first byte to its last one. Its text is then at `from` of `text`, which is
    /// lengthened where necessary, at most to `text_max` bytes. Returns `None` otherwise,
    /// and where this cannot be shown.
    ///
    /// The library does not return the end of a member, but it compares the footer with
    /// the CRC-32 and the length of the text. If the last four bytes are this length, and no
    /// other four bytes of the member are, the last eight bytes are the footer. So they are if
    /// they are the CRC-32 and the length, and no other eight bytes are.
    pub(super) fn inflate(
        &mut self,
        member: &[u8],
        (text, from): (&mut Vec<u8>, usize),
        text_max: usize,
    ) -> Option<usize> {
        if member.len() < MEMBER_MIN {
            return None;
        }
        let footer = member.last_chunk::<FOOTER>()?;
        let &[crc @ .., _, _, _, _] = footer;
        let &[_, _, _, _, len @ ..] = footer;
        let len = u32::from_le_bytes(len) as usize;
        let end = from.checked_add(len).filter(|end| *end <= text_max)?;
        // The searched range overlaps the footer, so that all other places are
        // compared.
        let is_alone =
            |end: &[u8]| memchr::memmem::find(&member[..member.len() - 1], end).is_none();
        let has_own_len = is_alone(&footer[4..]);
        if !has_own_len && !is_alone(footer) {
            return None;
        }
        if text.len() < end {
            text.resize(end, 0);
        }
        let inflated = self.inflate.gzip_decompress(member, &mut text[from..end]);
        let has_footer = |inflated: &usize| {
            let has_crc = || crc32(&text[from..end]) == u32::from_le_bytes(crc);
            *inflated == len && (has_own_len || has_crc())
        };
        inflated.ok().filter(has_footer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unpack::codecs::{CodecName, decoder};
    use crate::unpack::magic;
    use flate2::Compression;
    use flate2::read::GzEncoder;
    use proptest::prelude::*;
    use std::io::Read;

    fn gzip(text: &[u8], level: u32) -> Vec<u8> {
        let mut member = Vec::new();
        GzEncoder::new(text, Compression::new(level))
            .read_to_end(&mut member)
            .unwrap();
        member
    }

    fn inflated(member: &[u8]) -> Option<Vec<u8>> {
        let mut text = b"before".to_vec();
        let len = WholeGzip::new().inflate(member, (&mut text, 6), 1 << 20)?;
        assert!(text.starts_with(b"before"));
        Some(text[6..6 + len].to_vec())
    }

    /// Returns the text of the first member by the decoder that can stop anywhere, and the
    /// length of the member.
    fn by_steps(mut bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
        let mut codec = decoder(CodecName::File(magic::Compression::Gzip))?;
        codec.begin();
        let (mut text, mut out, all) = (Vec::new(), [0; 4096], bytes.len());
        loop {
            let step = codec.step(bytes, &mut out);
            bytes = &bytes[step.read..];
            text.extend_from_slice(&out[..step.written]);
            match step.state {
                crate::unpack::codec::State::End => return Some((text, all - bytes.len())),
                crate::unpack::codec::State::More if step.read + step.written > 0 => {}
                _ => return None,
            }
        }
    }

    #[test]
    fn a_member_is_inflated_as_a_whole() {
        for text in [&b"a"[..], &b"http://a.example/".repeat(5000)] {
            for level in [0, 1, 6, 9] {
                let member = gzip(text, level);
                assert_eq!(inflated(&member).as_deref(), Some(text));
                assert_eq!(inflated(&member[..member.len() - 1]), None);
                assert_eq!(inflated(&[&member[..], b"\0"].concat()), None);
                // Two members are not one, also where the second one is damaged.
                assert_eq!(inflated(&member.repeat(2)), None);
                let mut other: Vec<u8> = text.to_vec();
                other[0] ^= 1;
                let mut second = gzip(&other, level);
                second[0] = 0;
                assert_eq!(inflated(&[&member[..], &second].concat()), None);
            }
        }
    }

    /// A member that has the eight bytes of its footer twice is left to the other decoder.
    #[test]
    fn an_end_that_is_not_certain_is_refused() {
        let member = gzip(b"http://a.example/", 0);
        let footer = &member[member.len() - FOOTER..];
        let longer = [&member[..], footer].concat();
        assert_eq!(by_steps(&longer).unwrap().1, member.len());
        assert_eq!(inflated(&longer), None);
    }

    #[test]
    fn the_text_is_limited() {
        let member = gzip(&[b'a'; 1000], 6);
        let mut text = Vec::new();
        let inflate = |text: &mut Vec<u8>, max| WholeGzip::new().inflate(&member, (text, 0), max);
        assert_eq!(inflate(&mut text, 999), None);
        assert!(text.is_empty());
        assert_eq!(inflate(&mut text, 1000), Some(1000));
    }

    proptest! {
        /// The text that is inflated as a whole equals the text of the other decoder, also
        /// for damaged members and other headers.
        #[test]
        fn both_decoders_agree(
            text in prop::collection::vec(prop::sample::select(b"abc/:\n".to_vec()), 0..400),
            level in 0u32..10,
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
            cut in 0usize..4,
            header in 0u8..32,
            more in prop::collection::vec(any::<u8>(), 0..12),
        ) {
            let plain = gzip(&text, level);
            let mut member = plain[..10].to_vec();
            member[3] = header;
            if header & 4 != 0 {
                member.extend_from_slice(b"\x02\0ex");
            }
            for flag in [8, 16] {
                if header & flag != 0 {
                    member.extend_from_slice(b"name\0");
                }
            }
            if header & 2 != 0 {
                member.extend_from_slice(b"hc");
            }
            member.extend_from_slice(&plain[10..]);
            for (at, bits) in flips {
                let at = at.index(member.len());
                member[at] ^= bits;
            }
            member.truncate(member.len() - cut);
            member.extend_from_slice(&more);
            let stepped = by_steps(&member);
            if let Some(text) = inflated(&member) {
                prop_assert_eq!(stepped, Some((text, member.len())));
            } else if let Some((text, len)) = stepped {
                // Only members whose end cannot be shown are refused.
                let footer = &member[member.len().saturating_sub(FOOTER)..];
                let twice = memchr::memmem::find(&member[..member.len() - 1], footer).is_some();
                prop_assert!(len < member.len() || twice, "{:?}", text);
            }
        }
    }
}
