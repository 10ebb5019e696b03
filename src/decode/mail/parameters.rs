//! The parameters of a field (RFC 2045 section 5.1): in quotes or not, with comments, in
//! sections and encoded (RFC 2231).

use super::words::decode_bytes;

/// The parameters of a field, names in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters(Vec<(Vec<u8>, Vec<u8>)>);

/// A parameter as it is written: the section that its name states, and whether its value is
/// encoded.
struct WrittenParameter {
    name: Vec<u8>,
    section: u32,
    is_encoded: bool,
    value: Vec<u8>,
}

impl Parameters {
    /// Returns the text before the parameters, in lower case and without comments.
    pub fn essence(value: &[u8]) -> Vec<u8> {
        let value = without_comments(value);
        let essence = value.split(|&b| b == b';').next().unwrap_or_default();
        essence.trim_ascii().to_ascii_lowercase()
    }

    /// Reads the parameters of an unfolded value.
    pub fn read(value: &[u8]) -> Parameters {
        let value = without_comments(value);
        let mut written = Vec::new();
        let mut rest = &value[..];
        while let Some(at) = unquoted(rest, b';') {
            rest = rest[at + 1..].trim_ascii_start();
            let end = unquoted(rest, b';').unwrap_or(rest.len());
            let Some(equals) = memchr::memchr(b'=', &rest[..end]) else {
                continue;
            };
            let name = rest[..equals].trim_ascii().to_ascii_lowercase();
            let value = plain(rest[equals + 1..end].trim_ascii());
            written.push(named(name, value));
        }
        // The first of two equal ones counts; sections follow each other.
        written.sort_by(|a, b| (&a.name, a.section).cmp(&(&b.name, b.section)));
        written
            .dedup_by(|later, first| (&later.name, later.section) == (&first.name, first.section));
        let each = written.chunk_by(|a, b| a.name == b.name);
        Parameters(each.map(|own| (own[0].name.clone(), joined(own))).collect())
    }

    /// Returns the value of a parameter.
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        let found = self.0.iter().find(|parameter| parameter.0 == name);
        found.map(|parameter| &parameter.1[..])
    }

    /// Takes the value of a parameter.
    pub fn take(mut self, name: &[u8]) -> Option<Vec<u8>> {
        let at = self.0.iter().position(|parameter| parameter.0 == name)?;
        Some(self.0.swap_remove(at).1)
    }
}

/// Splits a name at its sections: `name*0*` is the first one of `name`, encoded.
fn named(name: Vec<u8>, value: Vec<u8>) -> WrittenParameter {
    let is_encoded = name.ends_with(b"*");
    let name = name.strip_suffix(b"*").unwrap_or(&name);
    let star = memchr::memchr(b'*', name);
    let section = star.and_then(|at| std::str::from_utf8(&name[at + 1..]).ok()?.parse().ok());
    let name = match section {
        Some(_) => &name[..star.unwrap_or(name.len())],
        None => name,
    };
    WrittenParameter {
        name: name.to_vec(),
        section: section.unwrap_or(0),
        is_encoded,
        value,
    }
}

/// Joins the sections of a parameter. The first one states the charset (RFC 2231 section 4).
fn joined(sections: &[WrittenParameter]) -> Vec<u8> {
    let mut charset = None;
    let mut bytes = Vec::new();
    for (number, section) in sections.iter().enumerate() {
        let mut value = &section.value[..];
        if !section.is_encoded {
            bytes.extend_from_slice(value);
            continue;
        }
        let mut quotes = memchr::memchr_iter(b'\'', value);
        if let (0, Some(first), Some(second)) = (number, quotes.next(), quotes.next()) {
            charset = Some(value[..first].to_vec());
            value = &value[second + 1..];
        }
        push_unescaped(value, &mut bytes);
    }
    match charset {
        Some(charset) => decode_bytes(&charset, &bytes).unwrap_or(bytes),
        None => bytes,
    }
}

/// Appends a value without its percent-encodings.
fn push_unescaped(value: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < value.len() {
        let hex = |at: usize| Some(char::from(*value.get(at)?).to_digit(16)? as u8);
        match (value[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                at += 3;
            }
            (byte, _, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
}

/// Returns the offset of `byte` outside of quotes.
fn unquoted(text: &[u8], byte: u8) -> Option<usize> {
    let (mut is_open, mut is_escaped) = (false, false);
    text.iter().position(|&b| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        is_escaped = is_open && b == b'\\';
        is_open ^= b == b'"';
        b == byte && !is_open
    })
}

/// Returns a value without its quotes.
fn plain(value: &[u8]) -> Vec<u8> {
    let Some(quoted) = value.strip_prefix(b"\"") else {
        return value.to_vec();
    };
    let (mut text, mut bytes) = (Vec::new(), quoted.iter());
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => text.extend(bytes.next()),
            _ => text.push(byte),
        }
    }
    text
}

/// Returns a value without its comments (RFC 5322 section 3.2.2).
fn without_comments(value: &[u8]) -> Vec<u8> {
    let (mut text, mut depth, mut is_open) = (Vec::with_capacity(value.len()), 0_usize, false);
    let mut bytes = value.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' if is_open || depth > 0 => {
                let next = bytes.next();
                if depth == 0 {
                    text.push(byte);
                    text.extend(next);
                }
            }
            b'(' if !is_open => depth += 1,
            b')' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            _ => {
                is_open ^= byte == b'"';
                text.push(byte);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_a_type() {
        let value =
            b"Text/Plain (a; b=c); charset=us-ascii (x) ; Boundary=\"a\\\"; b\"; boundary=c";
        let parameters = Parameters::read(value);
        assert_eq!(Parameters::essence(value), b"text/plain");
        assert_eq!(parameters.get(b"charset"), Some(&b"us-ascii"[..]));
        assert_eq!(parameters.get(b"boundary"), Some(&b"a\"; b"[..]));
        assert_eq!(parameters.get(b"b"), None);
    }

    /// A field may have a great many parameters; each is looked at a few times.
    #[test]
    fn many_parameters_are_read() {
        let count = 40_000;
        let value: Vec<_> = (0..count).rev().map(|n| format!("; p{n}={n}")).collect();
        let parameters = Parameters::read(format!("a/b{}; p7=x", value.concat()).as_bytes());
        assert_eq!(parameters.0.len(), count);
        assert_eq!(parameters.get(b"p7"), Some(&b"7"[..]));
    }

    /// The examples of RFC 2231 sections 3 and 4.
    #[test]
    fn sections_are_joined_and_decoded() {
        let parameters = Parameters::read(
            b"a/b; URL*1=\"there/x\"; URL*0=\"ftp://h/\"; \
              title*0*=us-ascii'en'This%20is%20even%20more%20; title*1*=%2A%2A%2Afun%2A%2A%2A%20; \
              title*2=\"isn't it!\"; n*=iso-8859-1''caf%E9",
        );
        assert_eq!(parameters.get(b"url"), Some(&b"ftp://h/there/x"[..]));
        let title = &b"This is even more ***fun*** isn't it!"[..];
        assert_eq!(parameters.get(b"title"), Some(title));
        assert_eq!(parameters.get(b"n"), Some("caf\u{e9}".as_bytes()));
    }
}
