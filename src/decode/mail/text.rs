//! The charset of a text (RFC 2046 section 4.1.2), by the labels of the Encoding Standard.
//! Without one that is known, bytes that are not UTF-8 are windows-1252 (T4).

use crate::decode::mail_note::MailNote;
use crate::decode::markup::convert_utf16;
use crate::decode::markup::{ConvertText, Converter, Iso2022Jp, MapWriter, MappedText};
use crate::decode::utf16::{Endian, utf16_bom};
use crate::item::{Encoding as Relation, OffsetMap};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// A longer line is converted in pieces of this length.
const LINE_MAX: usize = 16 << 10;

/// A text of at least this length that needs no conversion is not copied.
const PLAIN_MIN: usize = 64;

/// The conversion of a text.
#[derive(Debug)]
pub(super) enum TextCharset {
    /// UTF-8, and windows-1252 where it is not.
    Any,
    Lines(&'static Encoding),
    Utf16(Option<Endian>),
    Iso2022Jp(Iso2022Jp),
    /// Only ASCII is read; whether there are other characters, which is noted at the end, so
    /// that the order of losses does not depend on the pieces.
    Ascii(bool),
}

impl TextCharset {
    /// Returns the conversion from the charset with this label.
    pub fn of(label: Option<&[u8]>) -> TextCharset {
        let Some(label) = label.map(<[u8]>::trim_ascii) else {
            return TextCharset::Any;
        };
        if ["utf-7", "unicode-1-1-utf-7"]
            .iter()
            .any(|name| label.eq_ignore_ascii_case(name.as_bytes()))
        {
            return TextCharset::Ascii(false);
        }
        if label.eq_ignore_ascii_case(b"us-ascii") {
            return TextCharset::Any;
        }
        match Encoding::for_label(label) {
            None => TextCharset::Any,
            Some(encoding) if encoding == REPLACEMENT => TextCharset::Ascii(false),
            Some(encoding) if encoding == ISO_2022_JP => {
                TextCharset::Iso2022Jp(Iso2022Jp::default())
            }
            Some(encoding) if encoding == UTF_16BE => TextCharset::Utf16(Some(Endian::Big)),
            Some(encoding) if encoding == UTF_16LE => {
                // The label `utf-16` leaves the order to a byte-order mark.
                let is_stated = label.to_ascii_lowercase().ends_with(b"le");
                TextCharset::Utf16(is_stated.then_some(Endian::Little))
            }
            Some(encoding) => TextCharset::Lines(encoding),
        }
    }

    /// Returns the map of the empty text.
    pub fn map(&self) -> OffsetMap {
        match self {
            TextCharset::Utf16(_) => OffsetMap::of(Relation::Utf16),
            _ => OffsetMap::IDENTITY,
        }
    }

    /// Whether ASCII stays as it is.
    fn keeps_ascii(&self) -> bool {
        matches!(self, TextCharset::Any | TextCharset::Lines(_))
    }
}

impl ConvertText for TextCharset {
    fn convert(
        &mut self,
        (bytes, raw): (&[u8], usize),
        last: bool,
        out: &mut MappedText,
        notes: &mut Vec<MailNote>,
    ) -> usize {
        match self {
            TextCharset::Any => convert_any((bytes, raw), last, out),
            TextCharset::Lines(encoding) => convert_lines(encoding, (bytes, raw), last, out),
            TextCharset::Iso2022Jp(decoder) => decoder.decode((bytes, raw), last, out),
            TextCharset::Utf16(endian) => {
                let mut mark = 0;
                let endian = match endian {
                    Some(endian) => *endian,
                    None if bytes.len() < 2 && !last => return 0,
                    None => {
                        let marked = utf16_bom(bytes);
                        mark = if marked.is_some() { 2 } else { 0 };
                        *endian.insert(marked.unwrap_or(Endian::Little))
                    }
                };
                if mark > 0 {
                    let place = (out.text.len(), (raw + mark) as u64);
                    out.map.push(place.0, place.1, Relation::Utf16);
                }
                mark + convert_utf16(endian, (&bytes[mark..], raw + mark), last, out)
            }
            TextCharset::Ascii(has_other) => {
                let is_other = |b: &u8| *b >= 0x80 || matches!(b, 0x1B | b'~' | b'+');
                *has_other |= bytes.iter().any(is_other);
                if last && std::mem::take(has_other) {
                    notes.push(MailNote::Charset);
                }
                out.map.push(out.text.len(), raw as u64, Relation::Raw);
                out.text.extend_from_slice(bytes);
                bytes.len()
            }
        }
    }

    fn plain(&mut self, bytes: &[u8], _: bool) -> usize {
        if !self.keeps_ascii() {
            return 0;
        }
        // Most text is, and that is faster to see.
        let len = match bytes.is_ascii() {
            true => bytes.len(),
            false => Encoding::ascii_valid_up_to(bytes),
        };
        if len >= PLAIN_MIN { len } else { 0 }
    }
}

/// Converts UTF-8, and every byte that is not of it by windows-1252.
fn convert_any(
    (bytes, raw): (&[u8], usize),
    last: bool,
    MappedText { text, map }: &mut MappedText,
) -> usize {
    map.push(text.len(), raw as u64, Relation::Raw);
    let mut writer = MapWriter::new(map, Relation::Raw, raw as u64);
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (valid, wrong) = match std::str::from_utf8(rest) {
            Ok(valid) => (valid.len(), 0),
            Err(cause) => match cause.error_len() {
                Some(len) => (cause.valid_up_to(), len),
                None if last => (cause.valid_up_to(), rest.len() - cause.valid_up_to()),
                // The character may go on.
                None => (cause.valid_up_to(), 0),
            },
        };
        if valid > 0 {
            writer.encoded((text.len(), (raw + at) as u64), Relation::Raw, valid as u64);
            text.extend_from_slice(&rest[..valid]);
        }
        for number in valid..valid + wrong {
            let place = (text.len(), (raw + at + number) as u64);
            writer.encoded(place, Relation::OneByte, 1);
            let (char, _) = WINDOWS_1252.decode_without_bom_handling(&rest[number..number + 1]);
            text.extend_from_slice(char.as_bytes());
        }
        at += valid + wrong;
        if wrong == 0 {
            break;
        }
    }
    at
}

/// Converts whole lines, none of whose characters has a line break in it, and pieces of lines
/// that are too long.
fn convert_lines(
    encoding: &'static Encoding,
    (bytes, raw): (&[u8], usize),
    last: bool,
    out: &mut MappedText,
) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let window = &rest[..rest.len().min(LINE_MAX)];
        let len = match memchr::memchr(b'\n', window) {
            Some(end) => end + 1,
            None if last || window.len() == LINE_MAX => window.len(),
            None => break,
        };
        let (line, place) = (&rest[..len], (out.text.len(), (raw + at) as u64));
        let mut map = OffsetMap::IDENTITY;
        match Converter::new(encoding).convert(line, &mut out.text, Some(&mut map)) {
            true => out.map.append(place.0, place.1, &map),
            false => {
                out.map.push(place.0, place.1, Relation::Raw);
                out.text.extend_from_slice(line);
            }
        }
        at += len;
    }
    at
}
