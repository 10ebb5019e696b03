//! Compresses the output in pieces, on other threads than those that produce it. The
//! compressed bytes depend on where pieces end, not on the number of threads.

use crate::cli::destination::pieces::{Coder, Coders, OutputPiece, PieceEnd, Pieces};
use flate2::{Compress, Crc, FlushCompress, Status};
use std::io::{self, Write};

/// The compression of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum FileCompression {
    #[default]
    None,
    Gzip,
    Zstd,
}

/// The number of bytes in a piece.
const PIECE: usize = 256 << 10;

/// The number of bytes before a piece of gzip to which it may refer. With them pieces are
/// compressed independently, and almost as well as in one stream.
const WINDOW: usize = 32 << 10;

/// The header of a gzip member: deflate, no name, no time, an unknown system.
const GZIP_HEADER: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF];

/// Writes gzip, always a single member, or a single frame of zstd: many readers stop
/// after the first one.
pub(in crate::cli) struct Compressor<W> {
    to: W,
    /// The piece that is being filled.
    piece: OutputPiece,
    pieces: Pieces,
    /// Pieces whose buffers are used again.
    spare: Vec<OutputPiece>,
    /// For gzip the checksum of what was written.
    crc: Option<Crc>,
}

impl<W: Write> Compressor<W> {
    /// Writes gzip to `to`. Up to `threads` threads compress, including the caller's; with 1
    /// no other is started.
    pub(in crate::cli) fn gzip(to: W, threads: usize) -> Compressor<W> {
        let coders = (0..threads.max(1)).map(|_| Box::new(DeflateCoder) as _);
        let coders = Coders::Alike(coders.collect());
        let mut compressor = Compressor::new(to, coders);
        compressor.crc = Some(Crc::new());
        compressor.piece.coded.extend_from_slice(&GZIP_HEADER);
        compressor
    }

    /// Writes zstd to `to`. Starts another thread if `threads` is greater than 1.
    ///
    /// # Errors
    /// Errors of preparing the compression.
    pub(in crate::cli) fn zstd(to: W, threads: usize) -> io::Result<Compressor<W>> {
        let mut encoder = zstd::Encoder::new(Vec::new(), zstd::DEFAULT_COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        let coders = Coders::Single(Box::new(ZstdCoder(encoder)), threads > 1);
        Ok(Compressor::new(to, coders))
    }

    fn new(to: W, coders: Coders) -> Compressor<W> {
        Compressor {
            to,
            piece: OutputPiece::default(),
            pieces: Pieces::new(coders),
            spare: Vec::new(),
            crc: None,
        }
    }

    /// Returns the destination of the compressed bytes.
    pub(in crate::cli) fn get_ref(&self) -> &W {
        &self.to
    }

    /// Writes the end, and returns the destination.
    ///
    /// # Errors
    /// Errors of compressing and of writing.
    pub(in crate::cli) fn finish(mut self) -> io::Result<W> {
        self.hand_on(PieceEnd::Nothing)?;
        if let Some(crc) = &self.crc {
            self.to.write_all(&crc.sum().to_le_bytes())?;
            self.to.write_all(&crc.amount().to_le_bytes())?;
        }
        Ok(self.to)
    }

    /// Has the current piece compressed, and writes the pieces that are complete.
    fn hand_on(&mut self, end: PieceEnd) -> io::Result<()> {
        let mut next = self.spare.pop().unwrap_or_default();
        next.bytes.clear();
        next.coded.clear();
        if self.crc.is_some() {
            let from = self.piece.bytes.len().saturating_sub(WINDOW);
            next.bytes.extend_from_slice(&self.piece.bytes[from..]);
        }
        next.before = next.bytes.len();
        let piece = std::mem::replace(&mut self.piece, next);
        self.pieces.add(OutputPiece { end, ..piece })?;
        while let Some(piece) = self.pieces.next(end != PieceEnd::Piece)? {
            self.to.write_all(&piece.coded)?;
            self.spare.push(piece);
        }
        Ok(())
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.piece.before + PIECE - self.piece.bytes.len();
        let taken = &bytes[..bytes.len().min(room)];
        self.piece.bytes.extend_from_slice(taken);
        if let Some(crc) = &mut self.crc {
            crc.update(taken);
        }
        if taken.len() == room {
            self.hand_on(PieceEnd::Piece)?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_on(PieceEnd::Pause)?;
        self.to.flush()
    }
}

/// Deflates each piece on its own, up to a whole byte.
struct DeflateCoder;

impl Coder for DeflateCoder {
    fn code(&mut self, piece: &mut OutputPiece) -> io::Result<()> {
        let (before, bytes) = piece.bytes.split_at(piece.before);
        // A compressor that is reset keeps positions in earlier pieces, so its bytes would
        // depend on which pieces it had.
        let mut deflate = Compress::new(flate2::Compression::default(), false);
        if !before.is_empty() {
            deflate.set_dictionary(before)?;
        }
        let flush = match piece.end {
            PieceEnd::Piece | PieceEnd::Pause => FlushCompress::Sync,
            PieceEnd::Nothing => FlushCompress::Finish,
        };
        let coded = &mut piece.coded;
        loop {
            // More than enough room: a flush that runs out of room is repeated, so the bytes
            // would depend on the buffer.
            coded.reserve(bytes.len() + bytes.len() / 8 + 256);
            let read = deflate.total_in() as usize;
            let status = deflate.compress_vec(&bytes[read..], coded, flush)?;
            // A full buffer may mean that more is to come.
            let is_done = match piece.end {
                PieceEnd::Piece | PieceEnd::Pause => coded.len() < coded.capacity(),
                PieceEnd::Nothing => status == Status::StreamEnd,
            };
            if is_done {
                return Ok(());
            }
        }
    }
}

/// Compresses all pieces as one.
struct ZstdCoder(zstd::Encoder<'static, Vec<u8>>);

impl Coder for ZstdCoder {
    fn code(&mut self, piece: &mut OutputPiece) -> io::Result<()> {
        self.0.write_all(&piece.bytes[piece.before..])?;
        match piece.end {
            PieceEnd::Piece => {}
            PieceEnd::Pause => self.0.flush()?,
            PieceEnd::Nothing => self.0.do_finish()?,
        }
        piece.coded.append(self.0.get_mut());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// A text of lines that hardly resemble each other, `period` of them repeated.
    fn repeated(period: u64, len: usize) -> Vec<u8> {
        let words = (0..).map(|line| (line % period).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let lines = words.flat_map(|word| format!("http://{word:x}.example/\n").into_bytes());
        lines.take(len).collect()
    }

    fn text(len: usize) -> Vec<u8> {
        repeated(u64::MAX, len)
    }

    fn compressors(threads: usize) -> [Compressor<Vec<u8>>; 2] {
        let zstd = Compressor::zstd(Vec::new(), threads).unwrap();
        [Compressor::gzip(Vec::new(), threads), zstd]
    }

    /// The text of a single gzip member or zstd frame, which must be all that is there.
    fn unpacked(mut packed: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        if packed.starts_with(&GZIP_HEADER[..2]) {
            let mut decoder = flate2::bufread::GzDecoder::new(packed);
            decoder.read_to_end(&mut text).unwrap();
            packed = decoder.into_inner();
        } else {
            let decoder = zstd::Decoder::with_buffer(packed).unwrap();
            let mut decoder = decoder.single_frame();
            decoder.read_to_end(&mut text).unwrap();
            packed = decoder.finish();
        }
        assert!(packed.is_empty());
        text
    }

    #[test]
    fn threads_change_no_byte() {
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 9 * PIECE + 5] {
            let text = text(len);
            let packed = |threads| {
                compressors(threads).map(|mut compressor| {
                    compressor.write_all(&text).unwrap();
                    compressor.finish().unwrap()
                })
            };
            let alone = packed(1);
            for packed in &alone {
                assert!(unpacked(packed) == text, "{len}");
            }
            for threads in [2, 3, 8] {
                assert!(packed(threads) == alone, "{len} {threads}");
            }
        }
    }

    #[test]
    fn a_pause_shows_all_that_was_written() {
        for threads in [1, 2, 8] {
            for mut compressor in compressors(threads) {
                let mut said = Vec::new();
                for len in [0, 5, 0, 3 * PIECE + 7, 1, WINDOW / 2, WINDOW] {
                    let text = text(len);
                    compressor.write_all(&text).unwrap();
                    said.extend_from_slice(&text);
                    compressor.flush().unwrap();
                    let mut shown = vec![0; said.len()];
                    let packed = &compressor.get_ref()[..];
                    let read = match packed.starts_with(&GZIP_HEADER[..2]) {
                        true => flate2::read::GzDecoder::new(packed).read_exact(&mut shown),
                        false => zstd::Decoder::new(packed).unwrap().read_exact(&mut shown),
                    };
                    read.unwrap();
                    assert!(shown == said);
                }
                assert!(unpacked(&compressor.finish().unwrap()) == said);
            }
        }
    }

    #[test]
    fn pieces_refer_to_what_is_before_them() {
        let text = repeated(500, 9 * PIECE);
        let mut whole = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        whole.write_all(&text).unwrap();
        let whole = whole.finish().unwrap().len();
        let mut pieces = Compressor::gzip(Vec::new(), 2);
        pieces.write_all(&text).unwrap();
        let pieces = pieces.finish().unwrap().len();
        assert!(pieces < whole + whole / 50, "{pieces} {whole}");
    }

    /// A destination with room for this many bytes.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            match taken {
                0 => Err(io::ErrorKind::StorageFull.into()),
                taken => Ok(taken),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_destination_is_an_error_here() {
        let text = text(9 * PIECE);
        for threads in [1, 2, 8] {
            for room in [1, 20_000] {
                let zstd = Compressor::zstd(Full(room), threads).unwrap();
                for mut compressor in [Compressor::gzip(Full(room), threads), zstd] {
                    let written = compressor.write_all(&text);
                    let ended = written.and_then(|()| compressor.finish().map(drop));
                    let error = ended.unwrap_err();
                    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
                }
            }
        }
    }
}
