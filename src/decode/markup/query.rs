//! The query of a relative reference in the encoding of its document ("percent-encode
//! after encoding" in the URL Standard). The percent-encoding itself is left to the
//! parser of URLs.

use crate::item::Charset;
use encoding_rs::{EncoderResult, Encoding, UTF_8};
use std::borrow::Cow;

/// Encodes `text`, the query of a relative reference, in the encoding of its document.
/// A character that it lacks becomes `%26%23N%3B`, where `N` is its number.
///
/// ```
/// use urisieve::{decode::encode_query, item::Charset};
/// let shift_jis = Charset::named("Shift_JIS");
/// assert_eq!(&*encode_query(shift_jis, "q=本"), b"q=\x96{");
/// assert_eq!(&*encode_query(shift_jis, "한"), b"%26%2354620%3B");
/// assert_eq!(&*encode_query(Charset::UTF_8, "é"), "é".as_bytes());
/// ```
pub fn encode_query(charset: Charset, text: &str) -> Cow<'_, [u8]> {
    let encoding = Encoding::for_label(charset.name().as_bytes()).unwrap_or(UTF_8);
    let encoding = encoding.output_encoding();
    if text.is_ascii() && encoding.is_ascii_compatible() || encoding == UTF_8 {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut encoder = encoding.new_encoder();
    let (mut out, mut read, mut at) = (Vec::new(), 0, 0);
    loop {
        let rest = &text[read..];
        let most = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        out.resize(out.len().max(at + most.unwrap_or(rest.len() * 4)), 0);
        let (result, taken, written) =
            encoder.encode_from_utf8_without_replacement(rest, &mut out[at..], true);
        read += taken;
        at += written;
        match result {
            EncoderResult::InputEmpty => break,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(char) => {
                let number = format!("%26%23{}%3B", u32::from(char));
                let end = at + number.len();
                out.resize(out.len().max(end), 0);
                out[at..end].copy_from_slice(number.as_bytes());
                at = end;
            }
        }
    }
    out.truncate(at);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_has_its_own_query() {
        for (name, text, wanted) in [
            ("windows-1252", "a=€é", &b"a=\x80\xE9"[..]),
            ("windows-1251", "日&x=Ж", b"%26%2326085%3B&x=\xC6"),
            ("UTF-8", "é", b"\xC3\xA9"),
            ("UTF-16LE", "é", b"\xC3\xA9"),
            ("replacement", "é", b"\xC3\xA9"),
            ("no encoding", "é", b"\xC3\xA9"),
            ("Big5", "中文", b"\xA4\xA4\xA4\xE5"),
            ("gb18030", "\u{1F600}", b"\x94\x39\xFC\x36"),
            ("ISO-2022-JP", "a日", b"a\x1B$BF|\x1B(B"),
            ("ISO-2022-JP", "日😀", b"\x1B$BF|\x1B(B%26%23128512%3B"),
        ] {
            let encoded = encode_query(Charset::named(name), text);
            assert_eq!(&*encoded, wanted, "{text} in {name}");
        }
    }
}
