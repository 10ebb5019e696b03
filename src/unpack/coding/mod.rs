//! Decodes the codings of a body, one after the other: the output of one is the input
//! of the next, which reads as much as it needs. Data that does not look like its
//! coding was stored decoded, and is passed on unchanged. The codings of a body, and
//! its end, are known to the caller.

mod chunked;
mod loss;
mod named;
mod stage;
mod transfer;

pub use loss::CodingLoss;

use crate::unpack::bound::WindowBound;
use stage::{Given, Stage, StageInput};
use std::fmt;

/// The most codings on top of each other that are decoded.
const CODINGS_MAX: usize = 8;

/// Decodes the codings of a body, one after the other.
///
/// ```
/// use urisieve::unpack::{Codings, Flow};
/// let mut codings = Codings::new([&b"chunked"[..]]);
/// let mut out = [0; 64];
/// let pulled = codings.pull(b"5\r\nhello\r\n0\r\n\r\n", true, &mut out);
/// assert_eq!((&out[..pulled.written], pulled.state), (&b"hello"[..], Flow::End));
/// ```
#[derive(Default)]
pub struct Codings {
    stages: Vec<Stage>,
    losses: Vec<CodingLoss>,
}

/// The result of a call of [`Codings::pull`].
///
/// ```
/// use urisieve::unpack::{Codings, Flow, Pulled};
/// let pulled = Codings::default().pull(b"text", false, &mut [0; 64]);
/// assert_eq!(pulled, Pulled { read: 4, written: 4, state: Flow::Hungry });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// Bytes of the input that were consumed.
    pub read: usize,
    /// Bytes of the output that were written.
    pub written: usize,
    /// The state after the call.
    pub state: Flow,
}

/// The state of a body.
///
/// ```
/// use urisieve::unpack::{Codings, Flow};
/// let mut codings = Codings::default();
/// assert_eq!(codings.pull(b"text", true, &mut [0; 3]).state, Flow::More);
/// assert_eq!(codings.pull(b"t", true, &mut [0; 3]).state, Flow::End);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// More input is needed: all of it was consumed.
    Hungry,
    /// The output is full.
    More,
    /// The body has ended.
    End,
}

impl Codings {
    /// Creates decoders for the codings with these names, in the order in which they
    /// are decoded, in lower case: `chunked`, `gzip`, `x-gzip`, `deflate`, `br`,
    /// `zstd`, `xz`, `bzip2`, `lz4`; those of mail: `base64`, `quoted-printable`, `uuencode`;
    /// `compressed` for one of the compressions of files, or none, as the first bytes show.
    /// `identity`, an empty name, and names of charsets,
    /// which servers send, have no effect. A body in another coding is not decoded,
    /// which is a loss unless the body is text.
    ///
    /// ```
    /// use urisieve::unpack::{Codings, Fault};
    /// let mut codings = Codings::new([&b"compress"[..]]);
    /// let pulled = codings.pull(b"\x1F\x9D\x90...", true, &mut [0; 64]);
    /// assert_eq!((pulled.read, pulled.written), (6, 0));
    /// assert_eq!(codings.losses().next().unwrap().fault, Fault::Unsupported);
    /// ```
    pub fn new<'n>(names: impl IntoIterator<Item = &'n [u8]>) -> Codings {
        let stages = names.into_iter().filter_map(named::stage);
        let stages = stages.take(CODINGS_MAX + 1).enumerate();
        Codings {
            stages: stages
                .map(|(number, stage)| match number < CODINGS_MAX {
                    true => stage,
                    false => stage.unread("more than 8 codings"),
                })
                .collect(),
            losses: Vec::new(),
        }
    }

    /// Limits the windows: the window of the coding that is undone first to `window`, and
    /// the windows of all others together to the same size.
    pub(crate) fn with_window(mut self, window: WindowBound) -> Codings {
        for (stage, number) in self.stages.iter_mut().zip(0..) {
            stage.allow_window(window.halved(number));
        }
        self
    }

    /// Whether a body is passed on unchanged.
    ///
    /// ```
    /// use urisieve::unpack::Codings;
    /// assert!(Codings::new([&b"identity"[..]]).is_identity());
    /// assert!(!Codings::new([&b"gzip"[..]]).is_identity());
    /// ```
    pub fn is_identity(&self) -> bool {
        self.stages.is_empty()
    }

    /// Decodes `bytes` into `out`, which is not empty; `ended` means that no bytes
    /// follow `bytes`. Pass unread bytes again, before the bytes that follow. Bytes
    /// after the end of a coding are skipped.
    /// ```
    /// use urisieve::unpack::{Codings, Flow};
    /// let mut codings = Codings::new([&b"chunked"[..]]);
    /// let (mut text, mut out) = (Vec::new(), [0; 4]);
    /// for (mut bytes, ended) in [(&b"5\r\nhel"[..], false), (b"lo\r\n0\r\n\r\n", true)] {
    ///     loop {
    ///         let pulled = codings.pull(bytes, ended, &mut out);
    ///         bytes = &bytes[pulled.read..];
    ///         text.extend_from_slice(&out[..pulled.written]);
    ///         if pulled.state != Flow::More {
    ///             break;
    ///         }
    ///     }
    /// }
    /// assert_eq!(text, b"hello");
    /// ```
    pub fn pull(&mut self, bytes: &[u8], ended: bool, out: &mut [u8]) -> Pulled {
        let mut source = StageInput {
            bytes,
            taken: 0,
            ended,
        };
        let mut written = 0;
        let state = loop {
            if written == out.len() {
                break Flow::More;
            }
            let free = &mut out[written..];
            match stage::pull(&mut self.stages, &mut source, free, &mut self.losses) {
                Given::Bytes(len) => written += len,
                Given::Hungry => break Flow::Hungry,
                Given::End => break Flow::End,
            }
        };
        Pulled {
            read: source.taken,
            written,
            state,
        }
    }

    /// Returns the losses since the last call.
    ///
    /// ```
    /// use urisieve::unpack::Codings;
    /// let mut codings = Codings::new([&b"gzip"[..]]);
    /// codings.pull(b"stored decoded", true, &mut [0; 64]);
    /// assert_eq!(codings.losses().count(), 0);
    /// ```
    pub fn losses(&mut self) -> impl Iterator<Item = CodingLoss> {
        self.losses.drain(..)
    }
}

impl fmt::Debug for Codings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names = self.stages.iter().map(Stage::name);
        f.debug_list().entries(names).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the losses and the output for `bytes`. The output is the same for every
    /// split of the input and every size of the output buffer.
    fn decode(names: &[&str], bytes: &[u8]) -> (Vec<u8>, Vec<String>) {
        let wanted = decode_by(names, bytes, bytes.len().max(1), 1 << 16);
        for piece in (1..30).chain([bytes.len() / 2 + 1, 4096]) {
            for room in [1, 7, 1 << 16] {
                let got = decode_by(names, bytes, piece, room);
                assert!(
                    got == wanted,
                    "{names:?} by {piece} and {room}: {:?}",
                    got.1
                );
            }
        }
        wanted
    }

    fn decode_by(
        names: &[&str],
        bytes: &[u8],
        piece: usize,
        room: usize,
    ) -> (Vec<u8>, Vec<String>) {
        let mut codings = Codings::new(names.iter().map(|name| name.as_bytes()));
        let (mut text, mut losses) = (Vec::new(), Vec::new());
        let mut out = vec![0; room];
        let mut pieces = bytes.chunks(piece).peekable();
        let mut here = pieces.next().unwrap_or_default();
        loop {
            let ended = pieces.peek().is_none();
            let pulled = codings.pull(here, ended, &mut out);
            here = &here[pulled.read..];
            text.extend_from_slice(&out[..pulled.written]);
            losses.extend(codings.losses().map(|loss| {
                let code = loss.at(0).code();
                format!("{} {code}: {}", loss.coding, loss.cause)
            }));
            match pulled.state {
                Flow::More => assert_eq!(pulled.written, room),
                Flow::Hungry => {
                    assert!(here.is_empty() && !ended);
                    here = pieces.next().unwrap();
                }
                Flow::End => {
                    assert!(here.is_empty() && ended);
                    let again = codings.pull(&[], true, &mut out);
                    assert_eq!((again.written, again.state), (0, Flow::End));
                    return (text, losses);
                }
            }
        }
    }

    /// A loss of a coding is behind those of the next one in the bytes before it.
    #[test]
    #[cfg(feature = "decompress")]
    fn losses_of_two_codings_are_in_order() {
        // The base64 ends with its text, or inside of it.
        for (text, cause) in [
            (
                &b"4gIAKOj6Yhg\r\r\rhttr the 213 suns.<br/>a"[..],
                "wrong length",
            ),
            (b"4gIAKOj7YhgAAAAAA=\nhttp\n", "wrong checksum"),
        ] {
            let head = b"H4sIAAAAAAACA8vJT1fIKCkpsNLXT9RLrUjMLchJ1U+v";
            let (_, losses) = decode(&["base64", "compressed"], &[&head[..], text].concat());
            let wanted = [
                format!("gzip suspect: {cause}"),
                "base64 damaged: one character is left over".to_owned(),
            ];
            assert_eq!(losses, wanted, "{}", text.escape_ascii());
        }
    }

    /// Data without text whose header states the window.
    #[test]
    #[cfg(feature = "decompress")]
    fn windows_of_brotli() {
        const MIB: usize = 1 << 20;
        let loss = |bytes: &[u8], window: WindowBound| {
            let mut codings = Codings::new([&b"br"[..]]).with_window(window);
            assert_eq!(codings.pull(bytes, true, &mut [0; 9]).written, 0);
            codings.losses().next()
        };
        let all = WindowBound::UNLIMITED;
        let large = |bits: u8| [0x11, 0xC0 | bits];
        for (bytes, needed) in [
            (&[0x06][..], 64 << 10),
            (&[0x3F], 16 * MIB),
            (&large(22), 4 * MIB),
            (&large(27), 128 * MIB),
        ] {
            assert_eq!(loss(bytes, all), None);
            assert_eq!(loss(bytes, WindowBound::new(needed, 1, 0)), None);
            let short = loss(bytes, WindowBound::new(2 * needed - 1, 2, 0)).unwrap();
            let window = short.window.unwrap();
            assert_eq!(
                (window.needed, window.limit),
                (needed as u64, 2 * needed as u64)
            );
            assert_eq!(short.fault, crate::unpack::driver::Fault::Unsupported);
        }
        let cause = "it needs a window of more than 128 MiB";
        assert_eq!(loss(&large(28), all).unwrap().cause, cause);
    }

    #[test]
    fn chunks() {
        let truncated = "chunked truncated: the end is missing";
        for (bytes, text, losses) in [
            (
                "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: x\r\n\r\n",
                "abc0123456789",
                &[][..],
            ),
            ("not chunked at all\n", "not chunked at all\n", &[]),
            ("not chunked at all", "not chunked at all", &[]),
            (
                "3\r\nabcdef\r\n0\r\n\r\n",
                "abcdef\r\n0\r\n\r\n",
                &["chunked damaged: a chunk has the wrong size"],
            ),
            (
                "3\r\nabc\r\n4",
                "abc4",
                &["chunked damaged: a chunk has no size"],
            ),
            (
                "3\r\nabc\r",
                "abc\r",
                &["chunked damaged: a chunk has the wrong size"],
            ),
            ("5\r\nabc", "abc", &[truncated]),
            ("3\r\nabc", "abc", &[truncated]),
            ("3\r\nabc\r\n", "abc", &[truncated]),
            ("", "", &[]),
        ] {
            let (got, lost) = decode(&["chunked"], bytes.as_bytes());
            assert_eq!(String::from_utf8(got).unwrap(), text);
            assert_eq!(lost, losses, "{bytes:?}");
        }
    }

    /// Text as a member of gzip, as zlib data and as deflate data.
    #[cfg(feature = "decompress")]
    fn deflated(text: &[u8]) -> [Vec<u8>; 3] {
        use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
        use std::io::Write;
        let level = flate2::Compression::default();
        let mut gzip = GzEncoder::new(Vec::new(), level);
        let mut zlib = ZlibEncoder::new(Vec::new(), level);
        let mut raw = DeflateEncoder::new(Vec::new(), level);
        gzip.write_all(text).unwrap();
        zlib.write_all(text).unwrap();
        raw.write_all(text).unwrap();
        [
            gzip.finish().unwrap(),
            zlib.finish().unwrap(),
            raw.finish().unwrap(),
        ]
    }

    #[test]
    #[cfg(feature = "decompress")]
    fn codings_in_chunks() {
        let text = b"see http://a.example/ and http://b.example/".repeat(30);
        let [gzip, zlib, raw] = deflated(&text);
        for (name, bytes) in [
            ("gzip", &gzip),
            ("x-gzip", &gzip),
            ("deflate", &zlib),
            ("deflate", &raw),
        ] {
            let size = format!("{:x}\r\n", bytes.len());
            let chunks = [size.as_bytes(), bytes, b"\r\n0\r\n\r\n"].concat();
            assert_eq!(
                decode(&["chunked", name], &chunks),
                (text.clone(), Vec::new())
            );
        }
        assert_eq!(decode(&["gzip"], &text), (text.clone(), Vec::new()));
        let (got, lost) = decode(&["gzip"], &gzip[..gzip.len() - 9]);
        assert!(text.starts_with(&got));
        assert_eq!(lost, ["gzip truncated: the end is missing"]);
    }

    /// Members may begin and end anywhere in the pieces of input.
    #[test]
    #[cfg(feature = "decompress")]
    fn members_one_after_the_other() {
        let [gzip, ..] = deflated(b"see http://a.example/");
        let two = [&gzip[..], &gzip].concat();
        let text = b"see http://a.example/".repeat(2);
        for piece in [1, 9, gzip.len(), gzip.len() + 1, gzip.len() + 2] {
            let got = decode_by(&["gzip"], &two, piece, 7);
            assert_eq!(got, (text.clone(), Vec::new()), "{piece}");
        }
        // Bytes that look like a member without being one are skipped.
        let (got, lost) = decode(
            &["gzip"],
            &[&gzip[..], b"\x1F\x8B\x01 http://no.example/"].concat(),
        );
        assert_eq!((&got[..], lost), (&text[..text.len() / 2], Vec::new()));
        // A second member begins.
        let (_, lost) = decode(&["gzip"], &[&gzip[..], b"\x1F\x8B"].concat());
        assert_eq!(lost, ["gzip truncated: the end is missing"]);
    }

    #[test]
    #[cfg(feature = "decompress")]
    fn as_many_codings_as_are_undone() {
        let mut bytes = b"see http://a.example/".to_vec();
        for number in 1..=10 {
            bytes = deflated(&bytes)[1].clone();
            let (text, lost) = decode(&vec!["deflate"; number], &bytes);
            match number {
                1..=8 => assert_eq!((&text[..], lost.len()), (&b"see http://a.example/"[..], 0)),
                _ => {
                    assert_eq!(text, b"");
                    assert_eq!(lost, ["deflate unsupported: more than 8 codings"]);
                }
            }
        }
        assert_eq!(decode(&["deflate"; 9], b""), (Vec::new(), Vec::new()));
    }

    #[test]
    #[cfg(feature = "decompress")]
    fn brotli() {
        // RFC 7932: a window of 16 bits, one stored block, the end.
        let bytes = b"\x0b\x02\x80hello\x03";
        assert_eq!(decode(&["br"], bytes), (b"hello".to_vec(), Vec::new()));
        let plain = b"<html> stored decoded";
        assert_eq!(decode(&["br"], plain), (plain.to_vec(), Vec::new()));
    }

    #[test]
    fn names_of_nothing_change_nothing() {
        let bytes = b"\x1F\x9D\x90 any bytes\0\xFF";
        for name in [
            "",
            "identity",
            "none",
            "utf-8",
            "iso-8859-1",
            "windows-1251",
        ] {
            assert!(Codings::new([name.as_bytes()]).is_identity(), "{name}");
            assert_eq!(decode(&[name], bytes), (bytes.to_vec(), Vec::new()));
        }
    }

    #[test]
    fn a_body_in_another_coding_is_read_when_it_is_text() {
        let long = "r\u{E9}sum\u{E9} http://a.example/ ".repeat(100);
        // The 512th byte is the first of two.
        let split = ".".repeat(511) + &long;
        let late = [&vec![b'.'; 512][..], b"\0\xFF"].concat();
        let names = [
            ("compress", "compress"),
            ("x-compress", "compress"),
            ("exi", "exi"),
            ("pack200-gzip", "pack200-gzip"),
            ("dcb", "dcb"),
            ("dcz", "dcz"),
            ("x-nobody", "an unknown content coding"),
        ];
        for (name, said) in names {
            for text in [b"", &b"text"[..], long.as_bytes(), split.as_bytes(), &late] {
                assert_eq!(decode(&[name], text), (text.to_vec(), Vec::new()), "{name}");
            }
            let early = [&vec![b'.'; 511][..], b"\0 http://no.example/"].concat();
            let latin = [&vec![b'.'; 500][..], b"\xE9 http://no.example/"].concat();
            for data in [&b"\x1F\x9D\x90"[..], b"\xFFDCB", &early, &latin] {
                let (text, lost) = decode(&[name], data);
                assert_eq!(text, b"", "{name}");
                assert_eq!(
                    lost,
                    [format!("{said} unsupported: this coding is not supported")]
                );
            }
        }
        let chunks = b"5\r\nhello\r\n0\r\n\r\n";
        let got = decode(&["chunked", "x-nobody"], chunks);
        assert_eq!(got, (b"hello".to_vec(), Vec::new()));
    }
}
