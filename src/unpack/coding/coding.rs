//! Content codings of HTTP that are no file format of their own: deflate and br.

use crate::unpack::codec::{self, Codec};
use crate::unpack::magic::Compression;

/// A coding that is undone.
pub(super) struct Coding {
    pub name: &'static str,
    pub codec: Option<Box<dyn Codec>>,
    /// What its data begins with, when it has a magic number.
    pub form: Option<Compression>,
}

/// What undoes the coding `name`; `None` for one that changes nothing.
pub(super) fn of(name: &[u8]) -> Option<Coding> {
    let file = |form: Compression| Coding {
        name: form.name(),
        codec: codec::decoder(form),
        form: Some(form),
    };
    let raw = |name, codec| Coding {
        name,
        codec,
        form: None,
    };
    match name {
        b"gzip" | b"x-gzip" => Some(file(Compression::Gzip)),
        b"zstd" => Some(file(Compression::Zstd)),
        b"deflate" => Some(raw("deflate", deflate())),
        b"br" => Some(raw("br", brotli())),
        b"" | b"identity" | b"none" | b"utf-8" => None,
        // Whatever it is, it is text until shown otherwise.
        _ => None,
    }
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
    use crate::unpack::codec::{Codec, State, Step};
    use flate2::{Decompress, FlushDecompress, Status};

    /// RFC 9110 section 8.4.1.2: the zlib format, and what is sent instead, plain
    /// deflate data.
    pub(super) struct Deflate {
        pub inflate: Option<Decompress>,
    }

    impl Codec for Deflate {
        fn begin(&mut self) {
            self.inflate = None;
        }

        fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
            if self.inflate.is_none() {
                let &[first, second, ..] = input else {
                    return Step::WAIT;
                };
                // RFC 1950 section 2.2.
                let check = u16::from_be_bytes([first, second]);
                let is_zlib = first & 0x0F == 8 && check % 31 == 0;
                self.inflate = Some(Decompress::new(is_zlib));
            }
            let Some(inflate) = &mut self.inflate else {
                return Step::WAIT;
            };
            let (had_in, had_out) = (inflate.total_in(), inflate.total_out());
            let state = match inflate.decompress(input, out, FlushDecompress::None) {
                Ok(Status::StreamEnd) => State::End,
                Ok(_) => State::More,
                Err(_) => State::Broken("invalid deflate data"),
            };
            Step {
                read: (inflate.total_in() - had_in) as usize,
                written: (inflate.total_out() - had_out) as usize,
                state,
            }
        }
    }
}

#[cfg(feature = "brotli")]
mod br {
    use crate::unpack::codec::{Codec, State, Step};
    use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

    /// RFC 7932.
    pub(super) struct Brotli {
        state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    }

    fn state() -> Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>> {
        let alloc = StandardAlloc::default;
        Box::new(BrotliState::new(alloc(), alloc(), alloc()))
    }

    impl Brotli {
        pub(super) fn new() -> Brotli {
            Brotli { state: state() }
        }
    }

    impl Codec for Brotli {
        fn begin(&mut self) {
            self.state = state();
        }

        fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
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
            Step {
                read,
                written,
                state,
            }
        }
    }
}
