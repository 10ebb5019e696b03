//! The pseudo-attributes of a processing instruction (Associating Style Sheets with XML
//! documents, section 4).

use std::ops::Range;

/// Returns the place of the value of `name` in the data of an instruction, with character
/// references.
pub(super) fn value(data: &[u8], name: &[u8]) -> Option<Range<usize>> {
    let skip = |at: usize| at + data[at..].len() - data[at..].trim_ascii_start().len();
    let mut at = skip(0);
    while at < data.len() {
        let is_end = |byte: &u8| *byte == b'=' || byte.is_ascii_whitespace();
        let name_len = data[at..].iter().position(is_end)?;
        let found = &data[at..at + name_len];
        let equals = skip(at + name_len);
        if data.get(equals) != Some(&b'=') {
            return None;
        }
        let quote = skip(equals + 1);
        let Some(mark @ (b'"' | b'\'')) = data.get(quote) else {
            return None;
        };
        let from = quote + 1;
        let range = from..from + memchr::memchr(*mark, &data[from..])?;
        if found == name {
            return Some(range);
        }
        at = skip(range.end + 1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (data, wanted) in [
            ("href='s.css' type='text/css'", Some("s.css")),
            ("type=\"a>'b\" href = \"x y\" ", Some("x y")),
            ("xhref='a'href='b'", Some("b")),
            ("href=''", Some("")),
            ("href=s.css", None),
            ("type href='a'", None),
            ("href='a", None),
            ("HREF='a'", None),
            ("", None),
            (" ", None),
        ] {
            let found = value(data.as_bytes(), b"href").map(|range| &data[range]);
            assert_eq!(found, wanted, "{data}");
        }
    }
}
