//! The leader and the directory of ISO 2709: whether a record begins at a byte, and the
//! statements of its leader. No answer depends on the number of available bytes.

/// The end of a subfield's code, of a field, of a record.
pub(in crate::decode::catalog) const SUBFIELD: u8 = 0x1F;
pub(in crate::decode::catalog) const FIELD_END: u8 = 0x1E;
pub(in crate::decode::catalog) const RECORD_END: u8 = 0x1D;

/// The number of bytes of a leader, and of an entry of the directory.
pub(in crate::decode::catalog) const LEADER: usize = 24;
pub(in crate::decode::catalog) const ENTRY: usize = 12;

/// The number of bytes of an input that are read to detect the format.
pub(in crate::decode::catalog) const DETECTED: usize = 1445;

/// Returns the number in `bytes`, a few digits; `None` for other bytes.
#[inline]
pub(in crate::decode::catalog) fn number(bytes: &[u8]) -> Option<usize> {
    let (mut number, mut are_digits) = (0, true);
    for byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        are_digits &= digit < 10;
        number = number * 10 + usize::from(digit);
    }
    are_digits.then_some(number)
}

/// Returns the length of the record that a leader states.
pub(in crate::decode::catalog) fn stated_length(bytes: &[u8]) -> Option<usize> {
    number(bytes.get(..5)?)
}

/// Returns the offset of the fields by a leader, if a directory may end there.
pub(in crate::decode::catalog) fn stated_base(bytes: &[u8]) -> Option<usize> {
    let base = number(bytes.get(12..17)?)?;
    (base > LEADER && (base - LEADER - 1).is_multiple_of(ENTRY)).then_some(base)
}

fn is_entry(bytes: &[u8]) -> bool {
    let is_of_entry = |(at, byte): (usize, &u8)| match at {
        0..3 => byte.is_ascii_alphanumeric(),
        _ => byte.is_ascii_digit(),
    };
    bytes.iter().enumerate().all(is_of_entry)
}

/// Whether a full leader and its directory begin `bytes`: 5 digits, 4 printable
/// characters, a possible base, entries, and the end of a field before the base. `None`
/// when more bytes are needed; no bytes follow when `last` is set.
pub(in crate::decode::catalog) fn is_full_leader(bytes: &[u8], last: bool) -> Option<bool> {
    LeaderSearch::default().is_at(bytes, 0, last)
}

/// Searches the places of a text for a full leader, in ascending order. An entry is
/// examined only once, however many leaders might have it in their directory.
#[derive(Debug, Default)]
pub(in crate::decode::catalog) struct LeaderSearch {
    /// For the places with the same remainder, the end of the examined entries.
    examined: [usize; ENTRY],
}

impl LeaderSearch {
    /// Whether a full leader is at `at`, as [`is_full_leader`].
    pub fn is_at(&mut self, text: &[u8], at: usize, last: bool) -> Option<bool> {
        let bytes = &text[at..];
        let of_leader = |(at, byte): (usize, &u8)| match at {
            5..9 => matches!(byte, b' '..=b'~'),
            9..12 => true,
            _ => byte.is_ascii_digit(),
        };
        if !bytes.iter().take(17).enumerate().all(of_leader) {
            return Some(false);
        }
        let more = if last { Some(false) } else { None };
        if bytes.len() < LEADER {
            return more;
        }
        let Some(base) = stated_base(bytes) else {
            return Some(false);
        };
        let end = at + base - 1;
        let examined = &mut self.examined[at % ENTRY];
        let mut entry = (*examined).max(at + LEADER);
        while entry < end {
            match text.get(entry..entry + ENTRY) {
                Some(found) if is_entry(found) => entry += ENTRY,
                Some(_) => break,
                None if is_entry(&text[entry.min(text.len())..]) => return more,
                None => return Some(false),
            }
        }
        *examined = entry;
        match text.get(end) {
            _ if entry < end => Some(false),
            Some(&byte) => Some(byte == FIELD_END),
            None => more,
        }
    }
}

/// Whether 5 digits begin `bytes`, and `45` is at its place in a leader; `None` when more
/// bytes are needed.
pub(in crate::decode::catalog) fn is_short_leader(bytes: &[u8], last: bool) -> Option<bool> {
    if !bytes.iter().take(5).all(u8::is_ascii_digit) {
        return Some(false);
    }
    match bytes.get(20..22) {
        Some(map) => Some(map == b"45"),
        None => last.then_some(false),
    }
}

/// Whether `byte` may be between two records.
pub(in crate::decode::catalog) fn is_gap(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | b' ' | 0 | 0x1A)
}

/// Whether an input is ISO 2709 by its first bytes, of which one may be wrong; `None` when
/// more are needed.
pub(in crate::decode::catalog) fn detect(head: &[u8], whole: bool) -> Option<bool> {
    let bytes = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let enough = whole || head.len() >= DETECTED;
    let gap = bytes.iter().take_while(|&&byte| is_gap(byte)).count();
    // The byte that is wrong may look like a gap.
    match begins(bytes, enough) {
        Some(false) if gap > 0 => begins(&bytes[gap..], enough),
        found => found,
    }
}

/// Whether a record begins `bytes`, like [`detect`]; `enough` means that no more bytes
/// are read.
fn begins(bytes: &[u8], enough: bool) -> Option<bool> {
    // At most one of the first bytes may be wrong.
    let of_leader = |(at, byte): (usize, &u8)| match at {
        0..5 | 12..17 => byte.is_ascii_digit(),
        5..9 => matches!(byte, b' '..=b'~'),
        _ => true,
    };
    let leader = bytes.iter().take(LEADER).enumerate();
    let mut wrong = leader.filter(|&it| !of_leader(it));
    let is_wrong = wrong.next().is_some();
    if wrong.next().is_some() {
        return Some(false);
    }
    if bytes.len() < LEADER + ENTRY {
        return enough.then_some(false);
    }
    let bytes = &bytes[..bytes.len().min(DETECTED)];
    let end = memchr::memchr(FIELD_END, &bytes[LEADER..]).map(|at| LEADER + at);
    let base = stated_base(bytes);
    if end.is_none() && base.is_none_or(|base| base > bytes.len()) && !enough {
        return None;
    }
    let is_ending = |base: usize| bytes.get(base - 1).is_none_or(|&byte| byte == FIELD_END);
    // If one of its digits is wrong, the base may belong to a directory beyond the
    // bytes.
    let by_base = base.filter(|&base| is_ending(base) || end.is_none());
    let directories = [by_base.map(|base| base - 1), end];
    // Whether a directory that ends there is one; `None` while its other entries may show it.
    let judged = |directory: usize| {
        let is_ended = match number(&bytes[12..17]) {
            Some(_) => base == Some(directory + 1) && is_ending(directory + 1),
            // This defect is already counted.
            None => (directory - LEADER).is_multiple_of(ENTRY),
        };
        let entries = bytes[LEADER..directory.min(bytes.len())].chunks(ENTRY);
        // An entry that the end of the bytes cuts off does not count.
        let is_whole = |entry: &&[u8]| entry.len() == ENTRY;
        let (mut known, mut bad) = (0, 0);
        for entry in entries.filter(is_whole) {
            match is_entry(entry) {
                true => known += 1,
                false => bad += 1,
            }
        }
        let is_seen = bytes.get(directory) == Some(&FIELD_END);
        let is_only_wrong = bad == 1 && base.is_some() && is_ended && is_seen;
        let may_be = usize::from(is_wrong) + bad + usize::from(!is_ended) <= 1;
        match may_be && !enough && directory >= bytes.len() {
            true => None,
            false => Some(may_be && (known > 0 || is_only_wrong)),
        }
    };
    let mut found = Some(false);
    for directory in directories.into_iter().flatten() {
        match judged(directory) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => found = None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = b"00050nam a2200037 a 4500001000500000\x1E1234\x1E\x1D";

    #[test]
    fn text_that_begins_with_digits_is_no_record() {
        for text in [
            &b"19501951\\x/y19501\x0051(a name of twent"[..],
            b"1700000012340025 GET http://a.example/ 200 and more text\n",
            b"20261122 101500037 123456789 INFO started http://a.example/\n",
        ] {
            for len in 0..=text.len() {
                assert_eq!(detect(&text[..len], true), Some(false), "{len}");
            }
        }
        assert_eq!(detect(RECORD, true), Some(true));
    }

    /// The directory that the base states is beyond the first bytes; the first entry is wrong.
    #[test]
    fn the_answer_does_not_depend_on_the_first_bytes() {
        let text = b"333300018180204373212454;69\x1e\0\0\0\0\0\0\x00440001818020437321\"";
        let wanted = detect(text, true);
        for len in 0..text.len() {
            let found = detect(&text[..len], false);
            assert!(found.is_none() || found == wanted, "{len}: {found:?}");
        }
    }

    #[test]
    fn full_leaders_are_known_by_their_bytes_alone() {
        assert_eq!(is_full_leader(RECORD, true), Some(true));
        for len in 0..37 {
            assert_eq!(is_full_leader(&RECORD[..len], false), None, "{len}");
            assert_eq!(is_full_leader(&RECORD[..len], true), Some(false), "{len}");
        }
        for at in [0, 5, 13, 25, 30, 36] {
            let mut wrong = RECORD.to_vec();
            wrong[at] = 0x80;
            assert_eq!(is_full_leader(&wrong, false), Some(false), "{at}");
        }
    }

    #[test]
    fn one_wrong_byte_does_not_hide_the_format() {
        assert_eq!(detect(RECORD, true), Some(true));
        for at in 0..RECORD.len() {
            for byte in 0..=0xFF {
                let mut wrong = RECORD.to_vec();
                wrong[at] = byte;
                assert_eq!(detect(&wrong, true), Some(true), "{at} {byte:#04x}");
            }
        }
        for len in 0..RECORD.len() {
            let part = detect(&RECORD[..len], false);
            assert!(part.is_none_or(|found| found), "{len}");
        }
        for text in [
            &b""[..],
            b"12345 a text with digits, and more of it, longer than that",
            b"127.0.0.1 - -",
        ] {
            assert_eq!(detect(text, true), Some(false));
        }
    }
}
