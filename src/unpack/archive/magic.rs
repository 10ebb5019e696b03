//! What a web archive and each record of a WARC begins with, and how it is known
//! where one byte of that is damaged.

/// What every record begins with.
pub(super) const WARC: &[u8] = b"WARC/";
/// Those of the versions there are: inside a block only this is the beginning of
/// another record.
pub(super) const VERSION_1: &[u8] = b"WARC/1.";
/// The first line of a record is not longer.
const LINE_MAX: usize = 16;
/// What the names of the fields of a record begin with.
const FIELDS: [&[u8]; 2] = [b"warc-", b"content-"];

/// Whether `head` begins with a record of WARC 1 whose magic number has one wrong
/// byte: a field of a record must stand in the next line. `None` when more of it
/// is needed to know.
pub(super) fn damaged(head: &[u8]) -> Option<bool> {
    let pairs = head.iter().zip(VERSION_1);
    let wrong = pairs.filter(|(byte, wanted)| byte != wanted).count();
    if head.starts_with(WARC) || wrong > 1 {
        return Some(false);
    }
    let line = &head[..head.len().min(LINE_MAX)];
    let Some(end) = memchr::memchr(b'\n', line) else {
        return (line.len() == LINE_MAX).then_some(false);
    };
    if wrong == 0 || end < VERSION_1.len() {
        return Some(false);
    }
    let next = &head[end + 1..];
    let agrees = |name: &&&[u8]| {
        let known = name.len().min(next.len());
        next[..known].eq_ignore_ascii_case(&name[..known])
    };
    match FIELDS.iter().find(agrees) {
        None => Some(false),
        Some(name) => (next.len() >= name.len()).then_some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_byte() {
        let good = b"WARC/1.0\r\nWARC-Type: response\r\n";
        assert_eq!(damaged(good), Some(false));
        for place in 0..WARC.len() {
            for flip in [0x01, 0x80, 0xFF] {
                let mut head = good.to_vec();
                head[place] ^= flip;
                assert_eq!(damaged(&head), Some(true));
                for len in 0..15 {
                    assert_eq!(damaged(&head[..len]), None);
                }
                head[6] ^= flip;
                assert_eq!(damaged(&head), Some(false));
            }
        }
        assert_eq!(damaged(b"WORC/1.1\ncontent-length: 0\n"), Some(true));
        assert_eq!(damaged(b"WORC/1.1\nis no field\n"), Some(false));
        assert_eq!(damaged(b"WARS\nWARC-Type: x\n"), Some(false));
        assert_eq!(damaged(b"WARD/1. of a hospital"), Some(false));
    }
}
