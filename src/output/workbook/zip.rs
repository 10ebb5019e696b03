//! A ZIP archive that is written from its beginning to its end, with deflated members
//! (PKWARE APPNOTE.TXT 6.3). The length of a member follows it.

use flate2::{Compress, Compression, Crc, FlushCompress};

/// The version of the format that a reader needs: deflated members.
const VERSION: u16 = 20;
/// The lengths of a member follow it.
const FOLLOWED: u16 = 1 << 3;
const DEFLATED: u16 = 8;
/// 1 January 1980, midnight: an archive depends on its content alone.
const DATE: u16 = 1 << 5 | 1;
/// Memory for compressed bytes that is made at a time.
const PIECE: usize = 32 << 10;

/// Writes an archive.
#[derive(Debug)]
pub(super) struct ZipWriter {
    compress: Compress,
    crc: Crc,
    /// The number of bytes of the archive so far.
    position: u64,
    members: Vec<ZipMember>,
}

/// A member that is written.
#[derive(Debug)]
struct ZipMember {
    name: String,
    start: u64,
    crc: u32,
    packed: u64,
    len: u64,
}

impl Default for ZipWriter {
    fn default() -> ZipWriter {
        ZipWriter {
            compress: Compress::new(Compression::default(), false),
            crc: Crc::new(),
            position: 0,
            members: Vec::new(),
        }
    }
}

impl ZipWriter {
    /// Begins a member.
    pub(super) fn begin(&mut self, name: &str, out: &mut Vec<u8>) {
        self.compress.reset();
        self.crc.reset();
        let member = ZipMember {
            name: name.to_owned(),
            start: self.position,
            crc: 0,
            packed: 0,
            len: 0,
        };
        let from = out.len();
        out.extend_from_slice(b"PK\x03\x04");
        push_head(&member, out);
        push(out, &[0]);
        out.extend_from_slice(name.as_bytes());
        self.position += (out.len() - from) as u64;
        self.members.push(member);
    }

    /// Adds content to the member.
    pub(super) fn write(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.crc.update(bytes);
        self.compress(bytes, FlushCompress::None, out);
    }

    /// Ends the member.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        self.compress(b"", FlushCompress::Finish, out);
        let Some(member) = self.members.last_mut() else {
            return;
        };
        member.crc = self.crc.sum();
        member.packed = self.compress.total_out();
        member.len = self.compress.total_in();
        let from = out.len();
        out.extend_from_slice(b"PK\x07\x08");
        push_lengths(member, out);
        self.position += (out.len() - from) as u64;
    }

    fn compress(&mut self, mut bytes: &[u8], flush: FlushCompress, out: &mut Vec<u8>) {
        let from = out.len();
        loop {
            out.reserve(PIECE);
            let read = self.compress.total_in();
            let written = out.len();
            let state = self.compress.compress_vec(bytes, out, flush);
            bytes = &bytes[(self.compress.total_in() - read) as usize..];
            let is_done = match flush {
                FlushCompress::Finish => !matches!(state, Ok(flate2::Status::Ok)),
                _ => bytes.is_empty() && out.len() < out.capacity(),
            };
            if is_done
                || state.is_err()
                || matches!(state, Ok(flate2::Status::BufError)) && out.len() == written
            {
                break;
            }
        }
        self.position += (out.len() - from) as u64;
    }

    /// Writes the directory of the members. Returns false if the archive is too long for its
    /// format: 4 GiB, or 65,535 members.
    #[must_use]
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) -> bool {
        let (from, start) = (out.len(), self.position);
        for member in &self.members {
            out.extend_from_slice(b"PK\x01\x02");
            push(out, &[VERSION]);
            push_head(member, out);
            // No extra field, no comment, the first disk, no attributes.
            push(out, &[0, 0, 0, 0, 0, 0]);
            push_long(out, member.start);
            out.extend_from_slice(member.name.as_bytes());
        }
        let len = (out.len() - from) as u64;
        let count = self.members.len() as u16;
        out.extend_from_slice(b"PK\x05\x06");
        push(out, &[0, 0, count, count]);
        push_long(out, len);
        push_long(out, start);
        push(out, &[0]);
        let fits = |number: u64| u32::try_from(number).is_ok();
        let is_short = self.members.iter().all(|member| fits(member.len));
        is_short && fits(start + len) && u16::try_from(self.members.len()).is_ok()
    }
}

/// Writes the common part of the two heads of a member, up to the length of its name.
fn push_head(member: &ZipMember, out: &mut Vec<u8>) {
    push(out, &[VERSION, FOLLOWED, DEFLATED, 0, DATE]);
    push_lengths(member, out);
    push(out, &[member.name.len() as u16]);
}

fn push_lengths(member: &ZipMember, out: &mut Vec<u8>) {
    push_long(out, u64::from(member.crc));
    push_long(out, member.packed);
    push_long(out, member.len);
}

fn push(out: &mut Vec<u8>, numbers: &[u16]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn push_long(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}
