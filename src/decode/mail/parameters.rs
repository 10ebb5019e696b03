//! The parameters of a field (RFC 2045 section 5.1): in quotes or not, with comments, in
//! sections and encoded (RFC 2231).

use super::words::decode_bytes;
use std::borrow::Cow;
use std::ops::Range;

/// The parameters of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parameters<'v> {
    /// A value whose parameters are as they are written: without quotes, comments and sections.
    AsWritten(&'v [u8]),
    /// Names in lower case, and values.
    Read(Vec<(Vec<u8>, Vec<u8>)>),
}

/// A parameter as it is written: the section that its name states, and whether its value is
/// encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenParameter {
    /// In lower case.
    pub name: Vec<u8>,
    section: Option<u32>,
    is_encoded: bool,
    /// From its name to the end of its value.
    pub range: Range<usize>,
    /// The value, with quotes and comments.
    value: Range<usize>,
}

/// Returns the parameters of a value, in their order.
pub(super) fn written(value: &[u8]) -> Vec<WrittenParameter> {
    let mut written = Vec::new();
    let mut next = unquoted(value, b';').map(|at| at + 1);
    while let Some(from) = next {
        let rest = &value[from..];
        let len = unquoted(rest, b';');
        let end = from + len.unwrap_or(rest.len());
        next = len.map(|_| end + 1);
        let from = end - value[from..end].trim_ascii_start().len();
        let Some(equals) = unquoted(&value[from..end], b'=') else {
            continue;
        };
        let value_end = from + value[from..end].trim_ascii_end().len();
        let value_from = from + equals + 1;
        let blanks = value[value_from..value_end].len()
            - value[value_from..value_end].trim_ascii_start().len();
        let name = without_comments(&value[from..from + equals]);
        let name = name.trim_ascii().to_ascii_lowercase();
        written.push(named(name, from..value_end, value_from + blanks..value_end));
    }
    written
}

impl WrittenParameter {
    /// Whether its name has more than the name of a parameter (RFC 2231).
    pub fn is_extended(&self) -> bool {
        self.section.is_some() || self.is_encoded
    }

    /// Returns the range of its value without its quotes.
    pub fn unquoted(&self, value: &[u8]) -> Range<usize> {
        let text = &value[self.value.clone()];
        match text.strip_prefix(b"\"") {
            None => self.value.clone(),
            Some(inside) => {
                let len = memchr::memchr(b'"', inside).unwrap_or(inside.len());
                self.value.start + 1..self.value.start + 1 + len
            }
        }
    }
}

impl<'v> Parameters<'v> {
    /// Returns the text before the parameters, in lower case and without comments.
    pub fn essence(value: &[u8]) -> Vec<u8> {
        let text = without_comments(value);
        let essence = text.split(|&b| b == b';').next().unwrap_or_default();
        essence.trim_ascii().to_ascii_lowercase()
    }

    /// Reads the parameters of an unfolded value.
    pub fn read(value: &'v [u8]) -> Parameters<'v> {
        if memchr::memchr3(b'"', b'(', b'*', value).is_none() {
            return Parameters::AsWritten(value);
        }
        let mut written = written(value);
        // The first of two equal ones counts; sections follow each other.
        fn key(each: &WrittenParameter) -> (&[u8], u32) {
            (&each.name, each.section.unwrap_or(0))
        }
        written.sort_by(|a, b| key(a).cmp(&key(b)));
        written.dedup_by(|later, first| key(later) == key(first));
        let each = written.chunk_by(|a, b| a.name == b.name);
        Parameters::Read(
            each.map(|own| (own[0].name.clone(), joined(own, value)))
                .collect(),
        )
    }

    /// Returns the value of a parameter.
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        match self {
            Parameters::AsWritten(value) => {
                let written = value.split(|&b| b == b';').skip(1);
                let mut parameters = written.filter_map(|written| {
                    let (name, value) = written.split_at(memchr::memchr(b'=', written)?);
                    Some((name.trim_ascii(), value[1..].trim_ascii()))
                });
                let found = parameters.find(|(known, _)| known.eq_ignore_ascii_case(name));
                found.map(|(_, value)| value)
            }
            Parameters::Read(parameters) => {
                let found = parameters.iter().find(|(known, _)| known == name);
                found.map(|(_, value)| &value[..])
            }
        }
    }
}

/// Splits a name at its sections: `name*0*` is the first one of `name`, encoded.
fn named(mut name: Vec<u8>, range: Range<usize>, value: Range<usize>) -> WrittenParameter {
    let is_encoded = name.ends_with(b"*");
    name.truncate(name.len() - usize::from(is_encoded));
    let star = memchr::memchr(b'*', &name);
    let section = star.and_then(|at| std::str::from_utf8(&name[at + 1..]).ok()?.parse().ok());
    if let (Some(star), Some(_)) = (star, section) {
        name.truncate(star);
    }
    WrittenParameter {
        name,
        section,
        is_encoded,
        range,
        value,
    }
}

/// Joins the sections of a parameter of `value`. The first one states the charset (RFC 2231
/// section 4).
pub(super) fn joined(sections: &[WrittenParameter], value: &[u8]) -> Vec<u8> {
    if let [section] = sections
        && !section.is_encoded
    {
        let text = without_comments(&value[section.value.clone()]);
        return plain(text.trim_ascii()).into_owned();
    }
    let mut charset = None;
    let mut bytes = Vec::new();
    let mut sections: Vec<_> = sections.iter().collect();
    sections.sort_by_key(|each| each.section);
    for (number, section) in sections.into_iter().enumerate() {
        let text = without_comments(&value[section.value.clone()]);
        let text = plain(text.trim_ascii());
        let mut text = &text[..];
        if !section.is_encoded {
            bytes.extend_from_slice(text);
            continue;
        }
        let mut quotes = memchr::memchr_iter(b'\'', text);
        if let (0, Some(first), Some(second)) = (number, quotes.next(), quotes.next()) {
            charset = Some(text[..first].to_vec());
            text = &text[second + 1..];
        }
        push_unescaped(text, &mut bytes);
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

/// Returns the offset of `byte` outside of quotes and comments.
fn unquoted(text: &[u8], byte: u8) -> Option<usize> {
    let near = memchr::memchr(byte, text)?;
    if memchr::memchr2(b'"', b'(', &text[..near]).is_none() {
        return Some(near);
    }
    let (mut is_open, mut is_escaped, mut depth) = (false, false, 0_usize);
    text.iter().position(|&b| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        is_escaped = (is_open || depth > 0) && b == b'\\';
        match b {
            b'(' if !is_open => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b'"' if depth == 0 => is_open = !is_open,
            _ => {}
        }
        b == byte && !is_open && depth == 0
    })
}

/// Returns a value without its quotes.
fn plain(value: &[u8]) -> Cow<'_, [u8]> {
    let Some(quoted) = value.strip_prefix(b"\"") else {
        return Cow::Borrowed(value);
    };
    let (mut text, mut bytes) = (Vec::new(), quoted.iter());
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => text.extend(bytes.next()),
            _ => text.push(byte),
        }
    }
    Cow::Owned(text)
}

/// Returns a value without its comments (RFC 5322 section 3.2.2).
pub(super) fn without_comments(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'(', value).is_none() {
        return Cow::Borrowed(value);
    }
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
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parameters_have_their_bytes() {
        let value = b"a (;x=y) ; b = \"c;\\\"d\" ;e*0*=f\r\n ; g";
        let of = |each: &WrittenParameter| {
            let text = |range: Range<usize>| String::from_utf8_lossy(&value[range]).into_owned();
            (
                text(each.range.clone()),
                text(each.unquoted(value)),
                each.is_extended(),
            )
        };
        let found: Vec<_> = written(value).iter().map(of).collect();
        let wanted = [("b = \"c;\\\"d\"", "c;\\", false), ("e*0*=f", "f", true)];
        let wanted = wanted.map(|(range, inside, ex)| (range.to_owned(), inside.to_owned(), ex));
        assert_eq!(found, wanted);
    }

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
        for last in ["; p7=x", "; p7=\"x\""] {
            let text = format!("a/b{}{last}", value.concat());
            let parameters = Parameters::read(text.as_bytes());
            assert_eq!(parameters.get(b"p7"), Some(&b"7"[..]), "{last}");
        }
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
    proptest! {
        /// Parameters as they are written have the values that are read.
        #[test]
        fn usual_parameters_are_as_they_are_read(
            value in r"(a/b)?([; \t=]|name|Name|c'd|\\|é|\)){0,12}",
        ) {
            let plain = Parameters::read(value.as_bytes());
            prop_assert!(matches!(plain, Parameters::AsWritten(_)));
            // Another parameter in quotes changes nothing.
            let quoted = format!("{value};other=\"x\"");
            let read = Parameters::read(quoted.as_bytes());
            prop_assert!(matches!(read, Parameters::Read(_)));
            for name in [&b"name"[..], b"c'd", b"", b"namename"] {
                prop_assert_eq!(plain.get(name), read.get(name), "{:?}", name);
            }
        }
    }
}
