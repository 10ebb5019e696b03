//! The transfer codings of mail (RFC 2045 section 6, and uuencode). The bytes of a body are
//! known to its decoder: text around what is coded is not in it.

use crate::syntax::{QuotedUnit, quoted_blanks};

/// A transfer coding.
pub(super) trait Transfer: Send {
    /// Decodes the start of `input` into `out`, which is not empty; `ended` means that no
    /// bytes follow `input`.
    fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> TransferStep;
}

/// The result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TransferStep {
    /// Bytes of the input that were consumed.
    pub read: usize,
    /// Bytes of the output that were written.
    pub written: usize,
    /// The cause of a loss.
    pub lost: Option<&'static str>,
}

/// No character of base64.
const NONE: u8 = 0xFF;

/// The values of the characters of base64 (RFC 4648 section 4).
const VALUES: [u8; 256] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [NONE; 256];
    let mut at = 0;
    while at < alphabet.len() {
        values[alphabet[at] as usize] = at as u8;
        at += 1;
    }
    values
};

/// Base64. Other characters are skipped (RFC 2045 section 6.8).
#[derive(Default)]
pub(super) struct Base64 {
    /// The last bits that are not a byte yet, and their number.
    bits: u32,
    count: u32,
}

impl Base64 {
    /// Ends a group of characters. One character alone has no byte.
    fn end_group(&mut self) -> Option<&'static str> {
        let count = std::mem::take(&mut self.count);
        self.bits = 0;
        (count == 6).then_some("one character is left over")
    }
}

impl Transfer for Base64 {
    fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> TransferStep {
        let (mut read, mut written) = (0, 0);
        let mut lost = None;
        while read < input.len() && lost.is_none() {
            if self.count == 0
                && let Some(&[a, b, c, d]) = input[read..].first_chunk()
                && let Some(room) = out[written..].first_chunk_mut::<3>()
            {
                let [a, b, c, d] = [a, b, c, d].map(|byte| VALUES[usize::from(byte)]);
                if a | b | c | d < 64 {
                    let bits =
                        u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d);
                    *room = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
                    read += 4;
                    written += 3;
                    continue;
                }
            }
            let byte = input[read];
            let value = VALUES[usize::from(byte)];
            if value != NONE {
                if self.count >= 2 && written == out.len() {
                    break;
                }
                self.bits = self.bits << 6 | u32::from(value);
                self.count += 6;
                if self.count >= 8 {
                    self.count -= 8;
                    out[written] = (self.bits >> self.count) as u8;
                    self.bits &= (1 << self.count) - 1;
                    written += 1;
                }
            } else if byte == b'=' {
                lost = self.end_group();
            }
            read += 1;
        }
        if ended && read == input.len() && lost.is_none() {
            lost = self.end_group();
        }
        TransferStep {
            read,
            written,
            lost,
        }
    }
}

/// The longest line of uuencode.
const LINE_MAX: usize = 1024;

/// A file in uuencode, from `begin` to `end`.
#[derive(Default)]
pub(super) struct Uuencode {
    /// The bytes of a line, and the number of them that were written.
    line: Vec<u8>,
    given: usize,
}

impl Transfer for Uuencode {
    fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> TransferStep {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &self.line[self.given..];
            let len = rest.len().min(out.len() - written);
            out[written..written + len].copy_from_slice(&rest[..len]);
            written += len;
            self.given += len;
            if self.given < self.line.len() {
                break;
            }
            let window = &input[read..];
            let window = &window[..window.len().min(LINE_MAX)];
            let end = memchr::memchr(b'\n', window);
            let is_whole = end.is_some() || ended || window.len() == LINE_MAX;
            if window.is_empty() || !is_whole {
                break;
            }
            let len = end.map_or(window.len(), |at| at + 1);
            self.decode(window[..len].trim_ascii_end());
            read += len;
        }
        TransferStep {
            read,
            written,
            lost: None,
        }
    }
}

impl Uuencode {
    /// Decodes a line: its first character is the number of its bytes, each other one has six
    /// bits. Blanks at the end may be lost.
    fn decode(&mut self, line: &[u8]) {
        self.line.clear();
        self.given = 0;
        let value = |byte: u8| u32::from(byte.wrapping_sub(b' ') & 0x3F);
        if line.starts_with(b"begin ") || line == b"end" {
            return;
        }
        let Some((&first, rest)) = line.split_first() else {
            return;
        };
        let len = value(first) as usize;
        for group in rest.chunks(4) {
            let at = |number: usize| group.get(number).map_or(0, |byte| value(*byte));
            let bits = at(0) << 18 | at(1) << 12 | at(2) << 6 | at(3);
            let bytes = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
            self.line.extend_from_slice(&bytes);
        }
        self.line.truncate(len);
    }
}

/// Quoted-printable.
pub(super) struct Quoted;

impl Transfer for Quoted {
    fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> TransferStep {
        let (mut read, mut written) = (0, 0);
        while read < input.len() && written < out.len() {
            let byte = match input[read] {
                b'=' => match QuotedUnit::of(&input[read + 1..], ended) {
                    QuotedUnit::Byte(byte) => {
                        read += 2;
                        byte
                    }
                    QuotedUnit::Nothing(len) => {
                        read += 1 + len;
                        continue;
                    }
                    QuotedUnit::Plain => b'=',
                    QuotedUnit::Open => break,
                },
                byte @ (b' ' | b'\t') => {
                    let run = input[read..]
                        .iter()
                        .take_while(|b| matches!(b, b' ' | b'\t'));
                    let run = run.count();
                    let blanks = quoted_blanks(&input[read..read + run]);
                    match &input[read + run..] {
                        [b'\n', ..] | [b'\r', b'\n', ..] if blanks > 0 => {
                            read += run;
                            continue;
                        }
                        [] | [b'\r'] if blanks > 0 && !ended => break,
                        [] if blanks > 0 => {
                            read += run;
                            continue;
                        }
                        _ => byte,
                    }
                }
                byte => byte,
            };
            out[written] = byte;
            read += 1;
            written += 1;
        }
        TransferStep {
            read,
            written,
            lost: None,
        }
    }
}
