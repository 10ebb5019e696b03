//! Records of JSON Lines that are merged: their keys, and one record of several, whose counts are
//! added. All other members are those of the first record, byte for byte.

use super::span::{SpanSum, instant};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::collections::BTreeMap;

/// The members of a record that are merged.
const COUNT: &[u8] = b"\"count\"";
const FIRST: &[u8] = b"\"first_seen\"";
const LAST: &[u8] = b"\"last_seen\"";
const SOURCES: &[u8] = b"\"sources\"";
const SPELLINGS: &[u8] = b"\"spellings\"";

/// A member of an object: the bytes of its name, with quotation marks, and of its value.
type JsonMember<'l> = (&'l [u8], &'l [u8]);

/// Returns the end of a value without blanks behind it, which begins `text`.
fn value_end(text: &[u8]) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => {
                in_string = !in_string;
                if !in_string && depth == 0 {
                    return Some(at + 1);
                }
            }
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b',' | b':' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the values between two brackets, in objects names and values in turn.
fn values(text: &[u8], [open, close]: [u8; 2]) -> Option<Vec<&[u8]>> {
    let mut rest = text.trim_ascii().strip_prefix(&[open])?.trim_ascii_start();
    let mut values = Vec::new();
    while rest != [close] {
        let (value, after) = rest.split_at_checked(value_end(rest)?)?;
        values.push(value.trim_ascii_end());
        rest = after.trim_ascii_start();
        if let Some((b',' | b':', after)) = rest.split_first() {
            rest = after.trim_ascii_start();
        } else if rest != [close] {
            return None;
        }
    }
    Some(values)
}

fn members(object: &[u8]) -> Option<Vec<JsonMember<'_>>> {
    let values = values(object, *b"{}")?;
    let pairs = values.chunks(2).map(|pair| match pair {
        [name, value] => Some((*name, *value)),
        _ => None,
    });
    pairs.collect()
}

fn member<'l>(members: &[JsonMember<'l>], name: &[u8]) -> Option<&'l [u8]> {
    let found = members.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| *value)
}

fn text_of(value: &[u8]) -> Option<String> {
    serde_json::from_slice(value).ok()
}

fn number_of(value: &[u8]) -> Option<u64> {
    str::from_utf8(value).ok()?.parse().ok()
}

/// Returns the key of a record, by which the records of a file are sorted: the URI, of links both,
/// else the first member. `None` where the line is no record.
pub(super) fn key_of(line: &[u8]) -> Option<Vec<u8>> {
    let members = members(line)?;
    let text = |name: &[u8]| text_of(member(&members, name)?);
    if let Some(uri) = text(b"\"uri\"") {
        return Some(uri.into_bytes());
    }
    if let (Some(source), Some(target)) = (text(b"\"s\""), text(b"\"t\"")) {
        return Some(format!("{source}\t{target}").into_bytes());
    }
    let (_, first) = members.first()?;
    match serde_json::from_slice(first).ok()? {
        Value::String(text) => Some(text.into_bytes()),
        Value::Null => Some(Vec::new()),
        _ => None,
    }
}

/// What is known of the records with one key.
#[derive(Debug, Default)]
pub(super) struct JsonSum {
    /// The first record.
    first: Vec<u8>,
    records: u64,
    count: u64,
    span: SpanSum,
    /// The number of inputs, where records have it: no input was read for two of them.
    sources: Option<u64>,
    /// The spellings, with their counts, and each as it is written first.
    spellings: BTreeMap<Vec<u8>, (u64, Vec<u8>)>,
}

impl JsonSum {
    /// Adds a record; the first one decides all that is not added up. Returns `None` where the
    /// line is no record of the program.
    pub(super) fn add(&mut self, line: &[u8]) -> Option<()> {
        if self.records == 0 {
            self.first = line.to_owned();
        }
        self.records += 1;
        let members = members(line)?;
        if let Some(count) = member(&members, COUNT) {
            self.count = self.count.saturating_add(number_of(count)?);
        }
        if let Some(sources) = member(&members, SOURCES) {
            let known = self.sources.unwrap_or_default();
            self.sources = Some(known.saturating_add(number_of(sources)?));
        }
        let times = [FIRST, LAST].map(|name| member(&members, name));
        self.span
            .add(times, |time| instant(text_of(time)?.as_bytes()));
        let spellings = member(&members, SPELLINGS).unwrap_or(b"[]");
        for spelling in values(spellings, *b"[]")? {
            self.add_spelling(spelling)?;
        }
        Some(())
    }

    fn add_spelling(&mut self, spelling: &[u8]) -> Option<()> {
        let members = members(spelling)?;
        let text = match member(&members, b"\"original_b64\"") {
            Some(text) => BASE64_STANDARD.decode(text_of(text)?).ok()?,
            None => text_of(member(&members, b"\"original\"")?)?.into_bytes(),
        };
        let count = number_of(member(&members, COUNT)?)?;
        let new = || (0, spelling.to_owned());
        let known = self.spellings.entry(text).or_insert_with(new);
        known.0 = known.0.saturating_add(count);
        Some(())
    }

    /// Appends the record of all, without the end of its line.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let members = match self.records {
            1 => None,
            _ => members(&self.first).filter(|members| member(members, COUNT).is_some()),
        };
        let Some(members) = members else {
            out.extend_from_slice(&self.first);
            return;
        };
        let mut object = OpenObject::new(out);
        for (name, value) in members {
            match name {
                FIRST | LAST | SOURCES => {}
                COUNT => {
                    object.member(name, self.count.to_string().as_bytes());
                    for (name, time) in [FIRST, LAST].into_iter().zip(self.span.times()) {
                        if let Some(time) = time {
                            object.member(name, time);
                        }
                    }
                    if let Some(sources) = self.sources {
                        object.member(SOURCES, sources.to_string().as_bytes());
                    }
                }
                SPELLINGS => object.member(name, &self.spellings()),
                _ => object.member(name, value),
            }
        }
        out.push(b'}');
    }

    /// The spellings, the most frequent first, as the engine sorts them.
    fn spellings(&self) -> Vec<u8> {
        let mut sorted: Vec<_> = self.spellings.values().collect();
        sorted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let mut out = b"[".to_vec();
        for (number, (count, spelling)) in sorted.into_iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            let mut object = OpenObject::new(&mut out);
            for (name, value) in members(spelling).unwrap_or_default() {
                match name {
                    COUNT => object.member(name, count.to_string().as_bytes()),
                    _ => object.member(name, value),
                }
            }
            out.push(b'}');
        }
        out.push(b']');
        out
    }
}

/// An object that is being written.
struct OpenObject<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> OpenObject<'o> {
    fn new(out: &'o mut Vec<u8>) -> OpenObject<'o> {
        out.push(b'{');
        OpenObject {
            out,
            is_empty: true,
        }
    }

    fn member(&mut self, name: &[u8], value: &[u8]) {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(b',');
        }
        self.out.extend_from_slice(name);
        self.out.push(b':');
        self.out.extend_from_slice(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(lines: &[&str]) -> String {
        let mut sum = JsonSum::default();
        for line in lines {
            sum.add(line.as_bytes()).unwrap();
        }
        let mut out = Vec::new();
        sum.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn keys() {
        let key = |line: &str| key_of(line.as_bytes()).map(|key| String::from_utf8(key).unwrap());
        assert_eq!(
            key(r#"{"a":[{"uri":"x"}],"uri":"http:\/\/a\u002F"}"#).unwrap(),
            "http://a/"
        );
        assert_eq!(key(r#"{"s":"a:b","t":"a:c","n":1}"#).unwrap(), "a:b\ta:c");
        assert_eq!(key(r#" { "host" : "a" , "count" : 2 } "#).unwrap(), "a");
        assert_eq!(key(r#"{"host":null,"count":2}"#).unwrap(), "");
        for bad in [
            "",
            "x",
            "[]",
            "{",
            "{}",
            r#"{"a"}"#,
            r#"{"a":1}"#,
            r#"{"a":"b"}}"#,
            r#"{"a":"b"#,
        ] {
            assert_eq!(key(bad), None, "{bad}");
        }
    }

    #[test]
    fn counts_are_added_and_all_else_is_of_the_first() {
        let first = r#"{"uri":"a:b","x":{"count":9},"count":2,"y":"\u00e4"}"#;
        assert_eq!(merged(&[first]), first);
        let second = r#"{"uri":"a:b","count":40}"#;
        let both = r#"{"uri":"a:b","x":{"count":9},"count":42,"y":"\u00e4"}"#;
        assert_eq!(merged(&[first, second]), both);
        let plain = r#"{"uri":"a:b", "file":"f"}"#;
        assert_eq!(merged(&[plain, r#"{"uri":"a:b","file":"g"}"#]), plain);
    }

    #[test]
    fn times_and_spellings() {
        let record = |count, first, last, spellings| {
            let times = format!(r#""first_seen":"{first}","last_seen":"{last}""#);
            format!(r#"{{"uri":"a:b","count":{count},{times},"spellings":[{spellings}]}}"#)
        };
        let (early, late) = ("2026-01-01T01:00:00+02:00", "2026-01-01T00:00:00Z");
        let a = record(
            3,
            late,
            late,
            r#"{"original":"A:b","count":2,"steps":[]},{"original":"a:b","count":1}"#,
        );
        let b = record(4, early, early, r#"{"original":"a:b","count":4}"#);
        let all = r#"{"original":"a:b","count":5},{"original":"A:b","count":2,"steps":[]}"#;
        assert_eq!(merged(&[&a, &b]), record(7, early, late, all));
        let one = r#"{"uri":"a:b","count":2,"sources":1,"x":3}"#;
        let two = r#"{"uri":"a:b","count":4,"first_seen":"2026-01-01T00:00:00Z","sources":2}"#;
        let sum = r#""first_seen":"2026-01-01T00:00:00Z","sources":3,"x":3}"#;
        assert_eq!(
            merged(&[one, two]),
            format!(r#"{{"uri":"a:b","count":6,{sum}"#)
        );
        let none = r#"{"uri":"a:b","count":1}"#;
        assert!(merged(&[none, &b]).contains(early));
    }
}
