//! One bzip2 stream.

use super::codec::Codec;

#[cfg(not(feature = "bzip2"))]
pub(super) fn decoder() -> Option<Box<dyn Codec>> {
    None
}

#[cfg(feature = "bzip2")]
pub(super) fn decoder() -> Option<Box<dyn Codec>> {
    Some(Box::new(decode::Bzip2 { stream: None }))
}

#[cfg(feature = "bzip2")]
mod decode {
    use crate::unpack::codec::{Codec, State, Step};
    use bzip2::{Decompress, Status};

    pub(super) struct Bzip2 {
        pub(super) stream: Option<Decompress>,
    }

    impl Codec for Bzip2 {
        fn begin(&mut self) {
            self.stream = None;
        }

        fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
            let stream = self.stream.get_or_insert_with(|| Decompress::new(false));
            let (had_in, had_out) = (stream.total_in(), stream.total_out());
            let result = stream.decompress(input, out);
            let state = match result {
                Ok(Status::StreamEnd) => State::End,
                Ok(Status::MemNeeded) => State::Unsupported("no memory for the decoder"),
                Ok(_) => State::More,
                Err(_) => State::Broken("invalid block or wrong checksum"),
            };
            Step {
                read: (stream.total_in() - had_in) as usize,
                written: (stream.total_out() - had_out) as usize,
                state,
            }
        }

        fn fork(&self) -> Option<Box<dyn Codec>> {
            crate::unpack::bzip2::decoder()
        }
    }
}
