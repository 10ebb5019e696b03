//! The bytes of a list, which are read as a stream.

use crate::decode;
use crate::indicators::piece::{ListPiece, PIECE_LEN};
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// The longest line that is read as an entry.
pub(super) const LINE_MAX: u64 = 16 << 20;
/// The bytes that are read at a time, and in which the kind of a list is detected.
const BUFFER: usize = 64 << 10;

/// A list as bytes, without a byte-order mark.
pub(super) struct ListSource<'s> {
    pub bytes: Box<dyn BufRead + 's>,
    /// The number of the next line, from 1.
    pub line: u64,
}

impl<'s> ListSource<'s> {
    /// # Errors
    /// The list cannot be read.
    pub(super) fn new(list: impl Read + 's) -> io::Result<ListSource<'s>> {
        let mut bytes = BufReader::with_capacity(BUFFER, list);
        let bytes: Box<dyn BufRead> = match bytes.fill_buf()? {
            [0xEF, 0xBB, 0xBF, ..] => {
                bytes.consume(3);
                Box::new(bytes)
            }
            // UTF-16 is decoded as a whole: such lists are small.
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
                let mut whole = Vec::new();
                bytes.read_to_end(&mut whole)?;
                let text = decode::text_of(&whole).into_owned();
                Box::new(Cursor::new(text))
            }
            _ => Box::new(bytes),
        };
        Ok(ListSource { bytes, line: 1 })
    }

    /// Whether the list is JSON: an object, or an array of objects.
    ///
    /// # Errors
    /// The list cannot be read.
    pub(super) fn is_json(&mut self) -> io::Result<bool> {
        let head = self.bytes.fill_buf()?.trim_ascii_start();
        Ok(match head {
            [b'{', ..] => true,
            [b'[', rest @ ..] => rest.trim_ascii_start().first() == Some(&b'{'),
            _ => false,
        })
    }

    /// Reads the next lines: about [`PIECE_LEN`] bytes, or the rest of one line. `None` at the end.
    ///
    /// # Errors
    /// The list cannot be read.
    pub(super) fn next_piece(&mut self) -> io::Result<Option<ListPiece>> {
        let mut bytes = Vec::new();
        (&mut self.bytes).take(PIECE_LEN).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let of_line = bytes.len() - memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
        let room = LINE_MAX - of_line as u64;
        let is_open = of_line > 0;
        let read = match is_open {
            true => (&mut self.bytes).take(room).read_until(b'\n', &mut bytes)?,
            false => 0,
        };
        let is_cut = is_open && bytes.last() != Some(&b'\n') && read as u64 == room;
        let first = self.line;
        self.line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        if is_cut {
            self.bytes.skip_until(b'\n')?;
            self.line += 1;
        }
        Ok(Some(ListPiece {
            bytes,
            first,
            is_cut,
        }))
    }

    /// Reads the next line into `line`, without its end; returns its number, and whether it is
    /// whole: of a line that is too long only the start is kept. `None` at the end.
    ///
    /// # Errors
    /// The list cannot be read.
    pub(super) fn next_line(&mut self, line: &mut Vec<u8>) -> io::Result<Option<(u64, bool)>> {
        line.clear();
        let read = (&mut self.bytes).take(LINE_MAX).read_until(b'\n', line)?;
        if read == 0 {
            return Ok(None);
        }
        let is_whole = line.last() == Some(&b'\n') || (read as u64) < LINE_MAX;
        if !is_whole {
            self.bytes.skip_until(b'\n')?;
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        self.line += 1;
        Ok(Some((self.line - 1, is_whole)))
    }
}
