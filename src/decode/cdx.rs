//! Indexes of captures in web archives: CDX (Internet Archive, "CDX File Format"), a table whose
//! first line is ` CDX ` and the letters of its fields, and CDXJ, lines with a key, a time and an
//! object of JSON.

/// The beginning of a CDX file.
const MARK: &[u8] = b" CDX ";
/// The byte between two fields.
pub(super) const DELIMITER: u8 = b' ';

/// Whether a list that begins with `text` is a CDX file; `None` when more bytes are needed.
pub(super) fn is_index(text: &[u8], last: bool) -> Option<bool> {
    let len = text.len().min(MARK.len());
    match text[..len] == MARK[..len] {
        true if len < MARK.len() && !last => None,
        is_same => Some(is_same && len == MARK.len()),
    }
}

/// Returns the length of the header of an index, with its line end; `None` when more bytes are
/// needed.
pub(super) fn header_len(text: &[u8], last: bool) -> Option<usize> {
    let end = memchr::memchr(b'\n', text).map(|at| at + 1);
    end.or(last.then_some(text.len()))
}

/// Returns the letters of the fields that a header names.
pub(super) fn letters(header: &[u8]) -> Vec<&[u8]> {
    let letters = header[MARK.len()..].trim_ascii_end();
    letters.split(|byte| *byte == DELIMITER).collect()
}

/// Returns the object of a line of CDXJ; another line as it is.
#[cfg(feature = "json")]
pub(super) fn without_key(line: &[u8]) -> &[u8] {
    if line.first() == Some(&b'{') {
        return line;
    }
    let mut parts = line.splitn(3, |byte| *byte == b' ');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(key), Some(time), Some(object))
            if !key.is_empty()
                && matches!(time.len(), 4..=17)
                && time.iter().all(u8::is_ascii_digit)
                && object.first() == Some(&b'{') =>
        {
            object
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_names_the_fields() {
        let index = b" CDX N b a m s\ncom,a)/ 20260101000000 http://a.com/ text/html 200\n";
        for len in 0..index.len() {
            let is_index = is_index(&index[..len], false);
            assert_eq!(is_index, (len >= 5).then_some(true), "{len}");
            let header = header_len(&index[..len], false);
            assert_eq!(header, (len >= 15).then_some(15), "{len}");
        }
        assert_eq!(letters(&index[..15]), [b"N", b"b", b"a", b"m", b"s"]);
        assert_eq!(is_index(b" CDX", true), Some(false));
        assert_eq!(is_index(b"com,a)/", false), Some(false));
    }

    #[cfg(feature = "json")]
    #[test]
    fn the_object_of_a_line_follows_its_key() {
        for (line, object) in [
            ("com,a)/ 20260101000000 {\"url\": 1}\n", "{\"url\": 1}\n"),
            ("com,a)/ 2026 {}", "{}"),
            ("{\"a\": 1} 2026 {}", "{\"a\": 1} 2026 {}"),
            ("com,a)/ x {}", "com,a)/ x {}"),
            ("com,a)/ 20260101 []", "com,a)/ 20260101 []"),
            (" 20260101 {}", " 20260101 {}"),
            ("", ""),
        ] {
            assert_eq!(without_key(line.as_bytes()), object.as_bytes(), "{line}");
        }
    }
}
