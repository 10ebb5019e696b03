//! The codings by their names (RFC 9110 section 8.4.1, and every compression of files),
//! and the decoders of those without a file format: deflate and br.

use super::chunked::Chunked;
use super::stage::{Coded, Stage, StageKind};
use crate::unpack::bound::WINDOW_MAX;
use crate::unpack::codec::Codec;
use crate::unpack::driver::Driver;
use crate::unpack::magic::Compression;

/// Registered codings that are not supported.
const UNREAD: [(&[u8], &str); 7] = [
    (b"aes128gcm", "aes128gcm"),
    (b"compress", "compress"),
    (b"x-compress", "compress"),
    (b"dcb", "dcb"),
    (b"dcz", "dcz"),
    (b"exi", "exi"),
    (b"pack200-gzip", "pack200-gzip"),
];

/// Names without a coding, which servers send.
const NOTHING: [&[u8]; 8] = [
    b"",
    b"identity",
    b"none",
    b"text",
    b"plain",
    b"binary",
    b"7bit",
    b"8bit",
];

/// Beginnings of the names of charsets, which servers also send.
const CHARSETS: [&[u8]; 14] = [
    b"utf-",
    b"utf8",
    b"iso-",
    b"iso8859",
    b"latin",
    b"ascii",
    b"us-ascii",
    b"windows-",
    b"cp125",
    b"koi8-",
    b"euc-",
    b"shift_jis",
    b"gb",
    b"big5",
];

/// Returns the decoder of the coding `name`; `None` for a coding that has no effect.
pub(super) fn stage(name: &[u8]) -> Option<Stage> {
    let file = |form: Compression| coded(form.name(), Driver::of(form, WINDOW_MAX), Some(form));
    let raw = |name, codec: Option<Box<dyn Codec>>| coded(name, codec.map(Driver::new), None);
    let form = std::str::from_utf8(name).ok().and_then(Compression::named);
    if let Some(form) = form {
        return Some(file(form));
    }
    Some(match name {
        b"chunked" => {
            let coded = Coded {
                is_framing: true,
                ..Coded::new(Driver::new(Box::new(Chunked::default())), None)
            };
            Stage::new("chunked", StageKind::Coded(coded))
        }
        b"x-gzip" => file(Compression::Gzip),
        b"deflate" => raw("deflate", deflate()),
        b"br" => raw("br", brotli()),
        _ if is_nothing(name) => return None,
        _ => {
            let known = UNREAD.into_iter().find(|known| known.0 == name);
            let name = known.map_or("an unknown content coding", |known| known.1);
            Stage::new(name, StageKind::Unknown)
        }
    })
}

fn is_nothing(name: &[u8]) -> bool {
    NOTHING.contains(&name) || CHARSETS.iter().any(|charset| name.starts_with(charset))
}

fn coded(name: &'static str, driver: Option<Driver>, form: Option<Compression>) -> Stage {
    let kind = match driver {
        Some(driver) => StageKind::Coded(Coded::new(driver, form)),
        None => StageKind::Unread("this program was built without it"),
    };
    Stage::new(name, kind)
}

#[cfg(not(feature = "gzip"))]
fn deflate() -> Option<Box<dyn Codec>> {
    None
}

#[cfg(feature = "gzip")]
fn deflate() -> Option<Box<dyn Codec>> {
    Some(Box::new(inflate::Deflate { inflate: None }))
}

#[cfg(not(feature = "brotli"))]
fn brotli() -> Option<Box<dyn Codec>> {
    None
}

#[cfg(feature = "brotli")]
fn brotli() -> Option<Box<dyn Codec>> {
    Some(Box::new(br::Brotli::new()))
}

#[cfg(feature = "gzip")]
mod inflate {
    use crate::unpack::codec::{Codec, CodecStep, State};
    use flate2::{Decompress, FlushDecompress, Status};

    /// RFC 9110 section 8.4.1.2: the zlib format, or plain deflate data, which some
    /// servers send instead.
    pub(super) struct Deflate {
        pub inflate: Option<Decompress>,
    }

    impl Codec for Deflate {
        fn begin(&mut self) {
            self.inflate = None;
        }

        fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
            if self.inflate.is_none() {
                let &[first, second, ..] = input else {
                    return CodecStep::WAIT;
                };
                // RFC 1950 section 2.2.
                let check = u16::from_be_bytes([first, second]);
                let is_zlib = first & 0x0F == 8 && check % 31 == 0;
                self.inflate = Some(Decompress::new(is_zlib));
            }
            let Some(inflate) = &mut self.inflate else {
                return CodecStep::WAIT;
            };
            let (had_in, had_out) = (inflate.total_in(), inflate.total_out());
            let state = match inflate.decompress(input, out, FlushDecompress::None) {
                Ok(Status::StreamEnd) => State::End,
                Ok(_) => State::More,
                Err(_) => State::Broken("invalid deflate data"),
            };
            CodecStep {
                read: (inflate.total_in() - had_in) as usize,
                written: (inflate.total_out() - had_out) as usize,
                state,
            }
        }
    }
}

#[cfg(feature = "brotli")]
mod br {
    use crate::unpack::bound::WINDOW_MAX;
    use crate::unpack::codec::{Codec, CodecStep, State};
    use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

    /// The first byte of data with a window of more than 16 MiB, an extension.
    const LARGE: u8 = 0x11;

    /// RFC 7932.
    pub(super) struct Brotli {
        state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
        /// The most bytes of the window.
        window: u64,
        /// Whether the window is known to be allowed.
        is_allowed: bool,
    }

    fn state() -> Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>> {
        let alloc = StandardAlloc::default;
        Box::new(BrotliState::new(alloc(), alloc(), alloc()))
    }

    impl Brotli {
        pub(super) fn new() -> Brotli {
            Brotli {
                state: state(),
                window: WINDOW_MAX,
                is_allowed: false,
            }
        }
    }

    /// Returns the window of the data that begins with `input`; `None` when more bytes are
    /// needed (RFC 7932 section 9.1).
    fn window(input: &[u8]) -> Option<u64> {
        let &first = input.first()?;
        let bits = match (first & 1, first >> 1 & 7, first >> 4 & 7) {
            _ if first == LARGE => input.get(1)? & 0x3F,
            (0, ..) => 16,
            (_, 0, 0) => 17,
            (_, 0, less) => 8 + less,
            (_, more, _) => 17 + more,
        };
        Some(1 << bits)
    }

    impl Codec for Brotli {
        fn begin(&mut self) {
            self.state = state();
            self.is_allowed = false;
        }

        fn allow_window(&mut self, most: u64) {
            self.window = most;
        }

        fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
            if !self.is_allowed {
                match window(input) {
                    None => return CodecStep::WAIT,
                    Some(needed) if needed > WINDOW_MAX => {
                        let cause = "it needs a window of more than 128 MiB";
                        return CodecStep::stays(State::Unsupported(cause));
                    }
                    Some(needed) if needed > self.window => {
                        return CodecStep::stays(State::NeedsWindow(needed));
                    }
                    Some(_) => self.is_allowed = true,
                }
            }
            let (mut left_in, mut left_out) = (input.len(), out.len());
            let (mut read, mut written, mut total) = (0, 0, 0);
            let result = BrotliDecompressStream(
                &mut left_in,
                &mut read,
                input,
                &mut left_out,
                &mut written,
                out,
                &mut total,
                &mut self.state,
            );
            let state = match result {
                BrotliResult::ResultSuccess => State::End,
                BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => State::More,
                BrotliResult::ResultFailure => State::Broken("invalid brotli data"),
            };
            CodecStep {
                read,
                written,
                state,
            }
        }
    }
}
