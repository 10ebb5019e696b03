//! The head of an HTTP message in a record (RFC 9112): which of its fields count
//! as references, and how its content is coded.

use super::header;

/// Fields whose values hold references.
const REFERENCES: [&[u8]; 4] = [b"location", b"content-location", b"link", b"refresh"];

/// What the head says about what follows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub chunked: bool,
    /// Codings in the order in which they are to be undone.
    pub codings: Vec<Vec<u8>>,
}

/// Whether the values of fields of this name count as references.
pub(super) fn is_reference(name: &[u8]) -> bool {
    let is_name = |known: &&[u8]| name.eq_ignore_ascii_case(known);
    REFERENCES.iter().any(is_name)
}

/// Reads the head, from its first line to the empty line after it.
pub(super) fn head(text: &[u8]) -> Head {
    let mut head = Head::default();
    for (name, value) in header::fields(text) {
        let tokens = || {
            let tokens = value.split(|&b| b == b',').map(<[u8]>::trim_ascii);
            tokens.map(<[u8]>::to_ascii_lowercase)
        };
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            head.chunked |= tokens().any(|token| token == b"chunked");
        } else if name.eq_ignore_ascii_case(b"content-encoding") {
            head.codings.extend(tokens());
        }
    }
    head.codings.reverse();
    head
}

/// The stretches of the head in order: their length, and whether URIs are looked
/// for in them.
pub(super) fn stretches(text: &[u8]) -> Vec<(usize, bool)> {
    let mut stretches: Vec<(usize, bool)> = Vec::new();
    let mut add = |len: usize, searched: bool| match stretches.last_mut() {
        Some(last) if !searched && !last.1 => last.0 += len,
        _ => stretches.push((len, searched)),
    };
    let mut counts = false;
    for (number, line) in text.split_inclusive(|&b| b == b'\n').enumerate() {
        let goes_on = matches!(line, [b' ' | b'\t', ..]);
        let colon = memchr::memchr(b':', line).filter(|_| number > 0);
        let value = match colon {
            _ if goes_on => 0,
            Some(colon) => {
                counts = is_reference(line[..colon].trim_ascii());
                colon + 1
            }
            None => {
                counts = false;
                0
            }
        };
        if counts {
            add(value, false);
            add(line.len() - value, true);
        } else {
            add(line.len(), false);
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_codings() {
        let text = b"HTTP/1.1 301 http://no/\r\nServer: http://no/\r\nlocation: http://a/\r\n\
            Link: <http://b/>;\r\n rel=x\r\nContent-Encoding: gzip, BR\r\n\
            Transfer-Encoding: chunked\r\n\r\n";
        let mut at = 0;
        let mut searched = Vec::new();
        for (len, counts) in stretches(text) {
            if counts {
                searched.push(std::str::from_utf8(&text[at..at + len]).unwrap());
            }
            at += len;
        }
        assert_eq!(at, text.len());
        assert_eq!(
            searched.concat(),
            " http://a/\r\n <http://b/>;\r\n rel=x\r\n"
        );
        let head = head(text);
        assert!(head.chunked);
        assert_eq!(head.codings, [&b"br"[..], b"gzip"]);
    }
}
