//! One .xz stream. Stream padding is left to the caller.

use super::codec::Codec;

#[cfg(not(feature = "xz"))]
pub(super) fn decoder() -> Option<Box<dyn Codec>> {
    None
}

#[cfg(feature = "xz")]
pub(super) fn decoder() -> Option<Box<dyn Codec>> {
    Some(Box::new(decode::Xz { stream: None }))
}

#[cfg(feature = "xz")]
mod decode {
    use crate::unpack::codec::{Codec, State, Step};
    use liblzma::stream::{Action, Error, Status, Stream};

    /// The decoder takes no more memory: twice what `xz -9` makes it need.
    const MEMORY: u64 = 160 << 20;

    pub(super) struct Xz {
        pub(super) stream: Option<Stream>,
    }

    impl Codec for Xz {
        fn begin(&mut self) {
            self.stream = Stream::new_stream_decoder(MEMORY, 0).ok();
        }

        fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
            let Some(stream) = &mut self.stream else {
                return Step::stays(State::Unsupported("no memory for the decoder"));
            };
            let (had_in, had_out) = (stream.total_in(), stream.total_out());
            let result = stream.process(input, out, Action::Run);
            let state = match result {
                Ok(Status::StreamEnd) => State::End,
                Ok(_) => State::More,
                Err(Error::MemLimit | Error::Mem) => {
                    State::Unsupported("it needs a window of more than 128 MiB")
                }
                Err(Error::Options | Error::UnsupportedCheck) => {
                    State::Unsupported("unknown filter or check")
                }
                Err(Error::Format) => State::Broken("invalid stream header"),
                Err(_) => State::Broken("invalid data or wrong checksum"),
            };
            Step {
                read: (stream.total_in() - had_in) as usize,
                written: (stream.total_out() - had_out) as usize,
                state,
            }
        }
    }
}
