//! The start of a record: recognizes the first line of a record, and finds one in a
//! text.

use super::header;

/// Every record of a WARC begins with this.
pub(super) const WARC: &[u8] = b"WARC/";
/// The beginning of existing versions: inside a block only this is the beginning of
/// another record.
pub(super) const VERSION_1: &[u8] = b"WARC/1.";
/// The first record of an ARC begins with this.
pub(super) const ARC: &[u8] = b"filedesc://";

/// The names of a record's fields begin with these.
const FIELDS: [&[u8]; 2] = [b"warc-", b"content-"];

/// Whether a web archive begins with `head`. The first record may be damaged, so that
/// no record begins at `head`, but others follow.
pub(in crate::unpack::container) fn begins(head: &[u8]) -> bool {
    starts_record(head) || is_damaged_start(head) == Some(true)
}

/// Whether `head`, which may be too short, may begin a web archive.
pub(in crate::unpack::container) fn may_begin(head: &[u8]) -> bool {
    may_start_record(head) || is_damaged_start(head) != Some(false)
}

/// Whether a record, of ARC the first one, begins with `head`.
fn starts_record(head: &[u8]) -> bool {
    head.starts_with(WARC) || head.starts_with(ARC)
}

/// Whether `head`, which may be too short, may begin such a record.
pub(super) fn may_start_record(head: &[u8]) -> bool {
    [WARC, ARC].iter().any(|magic| magic.starts_with(head)) || starts_record(head)
}

/// Whether `head` is the beginning of a WARC with one wrong byte in its first line, and
/// a field of a record in the second. `None` when more bytes are needed.
fn is_damaged_start(head: &[u8]) -> Option<bool> {
    let pairs = head.iter().zip(VERSION_1);
    let wrong = pairs.filter(|(byte, wanted)| byte != wanted).count();
    if wrong > 1 {
        return Some(false);
    }
    // After the version.
    let line = VERSION_1.len() + 1;
    let rest = head.get(line..)?;
    let next = match rest {
        [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] => next,
        [] | [b'\r'] => return None,
        _ => return Some(false),
    };
    let agrees = |name: &&&[u8]| {
        let known = name.len().min(next.len());
        next[..known].eq_ignore_ascii_case(&name[..known])
    };
    match FIELDS.iter().find(agrees) {
        None => Some(false),
        Some(name) => (next.len() >= name.len()).then_some(true),
    }
}

/// Whether a record begins on a line of `head` after the first.
pub(in crate::unpack::container) fn follows_in(head: &[u8]) -> bool {
    let first = memchr::memchr(b'\n', head).map_or(head.len(), |at| at + 1);
    next_record(&head[first..], None, VERSION_1).is_some()
}

/// Whether `head` begins an archive in ARC.
pub(in crate::unpack::container) fn begins_arc(head: &[u8]) -> bool {
    head.starts_with(ARC)
}

/// Returns the offset in `text` at which a record begins: a record of WARC with
/// `magic`, or of this version of ARC.
pub(super) fn next_record(text: &[u8], arc: Option<u8>, magic: &[u8]) -> Option<usize> {
    match arc {
        None => line_with(text, |line| line.starts_with(magic)),
        Some(version) => line_with(text, |line| header::arc(line, version).is_some()),
    }
}

/// Returns the offset of the first line in `text` for which `is` returns true.
pub(super) fn line_with(text: &[u8], is: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let mut from = 0;
    loop {
        let line = &text[from..];
        let end = memchr::memchr(b'\n', line);
        if end.is_some() && is(&line[..end.unwrap_or(line.len())]) {
            return Some(from);
        }
        from += end? + 1;
    }
}
