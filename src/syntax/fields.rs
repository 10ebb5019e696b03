//! Header fields: a name, a colon and a value on each line, as in mail (RFC 5322), HTTP
//! (RFC 9112 section 5) and WARC.

/// Returns the fields of a header, after its first line: names and values without the
/// blanks around them. A line that begins with a blank continues the field before it.
///
/// ```
/// use urisieve::syntax::fields;
/// let header = b"HTTP/1.1 200 OK\r\nServer: a\r\n b\r\n\r\n";
/// assert_eq!(fields::of(header), [(&b"Server"[..], b"a b".to_vec())]);
/// ```
pub fn of(text: &[u8]) -> Vec<(&[u8], Vec<u8>)> {
    let mut fields: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for line in text.split(|&b| b == b'\n').skip(1) {
        if let ([b' ' | b'\t', ..], Some(last)) = (line, fields.last_mut()) {
            last.1.push(b' ');
            last.1.extend_from_slice(line.trim_ascii());
        } else if let Some(colon) = memchr::memchr(b':', line) {
            let (name, value) = (&line[..colon], &line[colon + 1..]);
            fields.push((name.trim_ascii(), value.trim_ascii().to_vec()));
        }
    }
    fields
}

/// Returns the end of the empty line after a header, in bytes.
///
/// ```
/// use urisieve::syntax::fields;
/// assert_eq!(fields::end(b"a: b\r\n\r\nc"), Some(8));
/// assert_eq!(fields::end(b"a: b\r\n"), None);
/// ```
pub fn end(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', text).find_map(|at| match text[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}
