//! Data in UTF-16: they are decoded as UTF-8, and the lengths of the events are those of their
//! raw bytes. A byte-order mark is skipped. What follows in ASCII is text.

use super::values::write_text;
use crate::decode::event::{Decode, DecodedValue, Event, Output};
use crate::decode::utf16::{Beginning, Utf16Decoder};
use crate::item::{Encoding, OffsetMap};

/// Decodes data in any encoding that begins with a byte-order mark or extends ASCII.
#[derive(Debug)]
pub(super) struct WideDecoder<D> {
    inner: D,
    encoding: DataEncoding,
    /// The window of UTF-16 as UTF-8.
    text: Vec<u8>,
    output: Output,
}

#[derive(Clone, Debug)]
enum DataEncoding {
    /// Before the first byte.
    Unknown,
    Ascii,
    /// The decoder at the beginning of a character.
    Utf16(Utf16Decoder),
    /// Behind UTF-16, which ended before a line in ASCII.
    Appended,
}

impl<D: Decode> WideDecoder<D> {
    pub(super) fn new(inner: D) -> WideDecoder<D> {
        WideDecoder {
            inner,
            encoding: DataEncoding::Unknown,
            text: Vec::new(),
            output: Output::default(),
        }
    }
}

impl<D: Decode> Decode for WideDecoder<D> {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut mark = 0;
        if let DataEncoding::Unknown = self.encoding {
            let Some(beginning) = Beginning::of(bytes, last, false) else {
                return 0;
            };
            if bytes.is_empty() {
                return 0;
            }
            mark = beginning.mark;
            out.skip(mark);
            self.encoding = match beginning.decoder() {
                None => DataEncoding::Ascii,
                Some(decoder) => {
                    out.events.push(Event::Charset(decoder.endian().charset()));
                    DataEncoding::Utf16(decoder)
                }
            };
        }
        let rest = &bytes[mark..];
        mark + match &self.encoding {
            DataEncoding::Utf16(decoder) => self.push_wide(decoder.clone(), rest, last, out),
            DataEncoding::Appended => {
                write_text(rest.len(), true, out);
                rest.len()
            }
            _ => self.inner.push(rest, last, out),
        }
    }
}

impl<D: Decode> WideDecoder<D> {
    /// Has UTF-16 decoded; what was not read is converted again with the next bytes.
    fn push_wide(
        &mut self,
        mut decoder: Utf16Decoder,
        bytes: &[u8],
        last: bool,
        out: &mut Output,
    ) -> usize {
        let encoding = decoder.encoding();
        self.text.clear();
        let (len, ends) = decoder.decode_lines(bytes, last, &mut self.text);
        let (bytes, appended) = bytes.split_at(len);
        let last = last || ends;
        if last {
            decoder.finish(&mut self.text);
        }
        self.output.clear();
        self.inner.push(&self.text, last, &mut self.output);
        let mut raw = WideRaw {
            text: &self.text,
            left: bytes.len(),
            encoding,
        };
        let mut decoded = &self.output.text[..];
        let mut events = std::mem::take(&mut self.output.events);
        for event in events.drain(..) {
            match event {
                Event::Skipped(len) => out.events.push(Event::Skipped(raw.take(len).1)),
                Event::Text(len) => {
                    let (text, raw) = raw.take(len);
                    out.text.extend_from_slice(text);
                    out.events.push(Event::Decoded { raw, len, encoding });
                }
                Event::Value(mut value) => {
                    value.skipped = raw.take(value.skipped).1;
                    let (text, raw) = raw.take(value.raw);
                    let (number, map) = out.add_map();
                    let of_text = OffsetMap::of(encoding);
                    let (bytes, len) = match value.decoded {
                        Some(DecodedValue { len, map: inner }) => {
                            let (bytes, left) = decoded.split_at(len);
                            decoded = left;
                            match inner {
                                Some(number) => {
                                    let inner = self.output.map(number);
                                    inner.compose_into(bytes, &of_text, text, map);
                                }
                                None => *map = of_text,
                            }
                            (bytes, len)
                        }
                        None => {
                            *map = of_text;
                            (text, text.len())
                        }
                    };
                    out.text.extend_from_slice(bytes);
                    value.raw = raw;
                    value.decoded = Some(DecodedValue {
                        len,
                        map: Some(number),
                    });
                    out.events.push(Event::Value(value));
                }
                // The record begins here: its places become those of its raw bytes.
                Event::Request(mut request) => {
                    let text = raw.text;
                    let place = |at: usize| {
                        let before = &text[..at.min(text.len())];
                        Encoding::Utf16.raw_len(before) as usize
                    };
                    request.map(|range| place(range.start)..place(range.end));
                    out.events.push(Event::Request(request));
                }
                other => out.events.push(other),
            }
        }
        if last {
            out.skip(std::mem::take(&mut raw.left));
        }
        let read = bytes.len() - raw.left;
        let is_read = self.text.len() - raw.text.len();
        let begins_line = self.text[..is_read].ends_with(b"\n");
        self.output.events = events;
        if ends {
            self.encoding = DataEncoding::Appended;
            out.events.push(Event::Skipped(0));
            write_text(appended.len(), true, out);
            return read + appended.len();
        }
        if let DataEncoding::Utf16(decoder) = &mut self.encoding
            && read > 0
        {
            decoder.set_line_start(begins_line);
        }
        read
    }
}

/// The bytes of UTF-16 that a text was converted from, from left to right.
struct WideRaw<'t> {
    text: &'t [u8],
    /// The number of bytes that were not taken.
    left: usize,
    encoding: Encoding,
}

impl<'t> WideRaw<'t> {
    /// Takes `len` bytes of the text; returns them with the number of their raw bytes.
    fn take(&mut self, len: usize) -> (&'t [u8], usize) {
        let (taken, rest) = self.text.split_at(len);
        self.text = rest;
        // A last byte alone is half a code unit.
        let raw = (self.encoding.raw_len(taken) as usize).min(self.left);
        self.left -= raw;
        (taken, raw)
    }
}
