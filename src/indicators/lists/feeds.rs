//! Lists in JSON (rule I6): attributes of MISP events, and indicators of STIX bundles. The
//! text is read as a stream, and each object is judged where it ends.

use super::source::{LINE_MAX, ListSource};
use super::stix::{self, PatternValue, StixObject};
use crate::indicators::entry;
use crate::indicators::form::IndicatorForm;
use crate::indicators::host_entry::{HostEntry, HostPlace, Reach};
use crate::indicators::intake::ListIntake;
use std::io;
use std::net::IpAddr;

/// The deepest object that is read.
const DEPTH_MAX: usize = 128;

/// The members of an object that say whether it is an indicator.
#[derive(Debug, Default)]
struct FeedObject {
    /// Whether it is one of the attributes of an event.
    is_attribute: bool,
    kind: String,
    value: String,
    pattern: String,
    pattern_type: String,
    /// `to_ids` is false: the value is not for detection.
    is_context: bool,
    /// `deleted` or `revoked`.
    is_void: bool,
    line: u64,
}

/// An open object or array.
#[derive(Debug)]
struct Open {
    /// `None` for an array.
    object: Option<Box<FeedObject>>,
    /// The name of the member that is read, or of the array.
    name: String,
}

/// Reads a list.
///
/// # Errors
/// The list cannot be read.
pub(super) fn read(source: &mut ListSource, intake: &mut ListIntake) -> io::Result<()> {
    let mut feed = FeedReading {
        source,
        intake,
        open: Vec::new(),
        has_any: false,
    };
    match feed.values()? {
        Ok(()) if !feed.has_any => {
            let line = feed.source.line;
            let why = "neither attributes of MISP nor indicators of STIX";
            feed.intake.refuse(b"", line, why);
        }
        Ok(()) => {}
        Err(why) => {
            let line = feed.source.line;
            let why = format!("{why}; what is before it is used");
            feed.intake.refuse(b"", line, &why);
        }
    }
    Ok(())
}

struct FeedReading<'f, 's, 'i> {
    source: &'f mut ListSource<'s>,
    intake: &'f mut ListIntake<'i>,
    open: Vec<Open>,
    /// Whether anything belongs to an event or a bundle.
    has_any: bool,
}

/// Why a text is not read further.
type Broken = &'static str;

const NOT_JSON: Broken = "not JSON";

impl FeedReading<'_, '_, '_> {
    /// Returns the next byte without taking it; `None` at the end.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.source.bytes.fill_buf()?.first().copied())
    }

    fn take(&mut self) -> io::Result<Option<u8>> {
        let next = self.peek()?;
        if next.is_some() {
            self.source.bytes.consume(1);
        }
        self.source.line += u64::from(next == Some(b'\n'));
        Ok(next)
    }

    /// Takes the next byte that is not a blank.
    fn token(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.take()? {
                Some(b' ' | b'\t' | b'\r' | b'\n' | 0x1E) => {}
                other => return Ok(other),
            }
        }
    }

    /// Reads values to the end of the list.
    fn values(&mut self) -> io::Result<Result<(), Broken>> {
        // Whether a name may follow, and not a value.
        let mut is_name = false;
        loop {
            let Some(byte) = self.token()? else {
                let is_whole = self.open.is_empty();
                return Ok(is_whole.then_some(()).ok_or(NOT_JSON));
            };
            match byte {
                b'{' | b'[' => {
                    if self.open.len() >= DEPTH_MAX {
                        return Ok(Err("objects are nested too deeply"));
                    }
                    self.begin(byte == b'{');
                    is_name = byte == b'{';
                }
                b'}' | b']' => {
                    let Some(Open { object, .. }) = self.open.pop() else {
                        return Ok(Err(NOT_JSON));
                    };
                    match object {
                        Some(object) if byte == b'}' => self.judge(*object),
                        None if byte == b']' => {}
                        _ => return Ok(Err(NOT_JSON)),
                    }
                    is_name = false;
                }
                b',' => is_name = self.open.last().is_some_and(|open| open.object.is_some()),
                b'"' => {
                    let line = self.source.line;
                    let text = match self.string()? {
                        Ok(text) => text,
                        Err(broken) => return Ok(Err(broken)),
                    };
                    if !is_name {
                        self.text(text, line);
                        continue;
                    }
                    if self.token()? != Some(b':') {
                        return Ok(Err(NOT_JSON));
                    }
                    if let Some(open) = self.open.last_mut() {
                        open.name = text;
                    }
                    is_name = false;
                }
                b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                    let mut word = vec![byte];
                    while let Some(next) = self.peek()?
                        && (next.is_ascii_alphanumeric() || b"+-.".contains(&next))
                        && word.len() < 64
                    {
                        word.push(next);
                        self.take()?;
                    }
                    self.word(&word);
                }
                _ => return Ok(Err(NOT_JSON)),
            }
        }
    }

    fn begin(&mut self, is_object: bool) {
        let name = self.open.last().map_or("", |open| &open.name).to_owned();
        self.has_any |= matches!(&*name, "Event" | "Attribute" | "response");
        let object = is_object.then(|| {
            Box::new(FeedObject {
                is_attribute: name == "Attribute",
                line: self.source.line,
                ..FeedObject::default()
            })
        });
        // An array is known by the name of the member that it is.
        let name = if is_object { String::new() } else { name };
        self.open.push(Open { object, name });
    }

    /// Reads a string behind its first quote.
    fn string(&mut self) -> io::Result<Result<String, Broken>> {
        let mut raw = Vec::new();
        loop {
            let bytes = self.source.bytes.fill_buf()?;
            if bytes.is_empty() {
                return Ok(Err(NOT_JSON));
            }
            let len = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
            raw.extend_from_slice(&bytes[..len]);
            self.source.line += memchr::memchr_iter(b'\n', &bytes[..len]).count() as u64;
            let is_quote = bytes.get(len) == Some(&b'"');
            let is_found = len < bytes.len();
            self.source.bytes.consume(len + usize::from(is_quote));
            if is_quote {
                break;
            }
            if raw.len() as u64 > LINE_MAX {
                return Ok(Err("a string is longer than 16 MiB"));
            }
            if is_found {
                let (Some(mark), Some(escape)) = (self.take()?, self.take()?) else {
                    return Ok(Err(NOT_JSON));
                };
                raw.extend_from_slice(&[mark, escape]);
            }
        }
        Ok(unescaped(raw).ok_or(NOT_JSON))
    }

    /// Takes a string that is a value.
    fn text(&mut self, text: String, line: u64) {
        let Some(Open {
            object: Some(object),
            name,
        }) = self.open.last_mut()
        else {
            return;
        };
        let member = match name.as_str() {
            "type" => &mut object.kind,
            "value" => {
                object.line = line;
                &mut object.value
            }
            "pattern" => {
                object.line = line;
                &mut object.pattern
            }
            "pattern_type" => &mut object.pattern_type,
            _ => return,
        };
        self.has_any |= name == "type" && text == "bundle";
        *member = text;
    }

    /// Takes a literal or a number.
    fn word(&mut self, word: &[u8]) {
        let Some(Open {
            object: Some(object),
            name,
        }) = self.open.last_mut()
        else {
            return;
        };
        let is_true = matches!(word, b"true" | b"1");
        match name.as_str() {
            "to_ids" => object.is_context = !is_true,
            "deleted" | "revoked" => object.is_void |= is_true,
            _ => {}
        }
    }

    /// Takes the entries of an object that ended.
    fn judge(&mut self, object: FeedObject) {
        if object.kind == "indicator" {
            self.has_any = true;
            let is_stix = matches!(&*object.pattern_type, "" | "stix");
            let values = stix::values(&object.pattern).filter(|_| is_stix && !object.is_void);
            let Some((values, skipped)) = values else {
                return self.intake.skip();
            };
            (0..skipped).for_each(|_| self.intake.skip());
            for PatternValue { kind, text } in values {
                self.intake.typed(&text, object.line, |text| match kind {
                    StixObject::Url => url(text),
                    StixObject::Name => host(text, Reach::Alone, None),
                    StixObject::Address => address(text, None),
                });
            }
        } else if object.is_attribute {
            self.has_any = true;
            self.attribute(&object);
        }
    }

    /// Takes the entries of an attribute.
    fn attribute(&mut self, object: &FeedObject) {
        let FeedObject {
            kind, value, line, ..
        } = object;
        if object.is_context || object.is_void {
            return self.intake.skip();
        }
        let line = *line;
        let (first, second) = value.split_once('|').unwrap_or((value, ""));
        let port = || second.trim().parse::<u16>().ok().filter(|&port| port > 0);
        match kind.as_str() {
            "url" | "uri" | "link" => self.intake.typed(value, line, url),
            "domain" => self
                .intake
                .typed(value, line, |text| host(text, Reach::WithBelow, None)),
            "hostname" => self
                .intake
                .typed(value, line, |text| host(text, Reach::Alone, None)),
            "ip-src" | "ip-dst" => self.intake.typed(value, line, |text| address(text, None)),
            "domain|ip" => {
                self.intake
                    .typed(first, line, |text| host(text, Reach::WithBelow, None));
                self.intake.typed(second, line, |text| address(text, None));
            }
            "ip-src|port" | "ip-dst|port" => self.intake.typed(value, line, |text| {
                let (text, _) = text.split_once('|')?;
                address(text, Some(port()?))
            }),
            "hostname|port" => self.intake.typed(value, line, |text| {
                let (text, _) = text.split_once('|')?;
                host(text, Reach::Alone, Some(port()?))
            }),
            _ => self.intake.skip(),
        }
    }
}

/// Returns the text of a string; `None` for one with a wrong escape.
fn unescaped(raw: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(raw).ok()?;
    if !text.contains('\\') {
        return Some(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        if next != '\\' {
            plain.push(next);
            continue;
        }
        plain.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let first = unit(&mut chars)?;
                match char::from_u32(first) {
                    Some(plain) => plain,
                    // Half of a pair, whose other half must follow.
                    None => {
                        (chars.next() == Some('\\') && chars.next() == Some('u')).then_some(())?;
                        let pair = [first as u16, unit(&mut chars)? as u16];
                        char::decode_utf16(pair).next()?.ok()?
                    }
                }
            }
            same @ ('"' | '\\' | '/') => same,
            _ => return None,
        });
    }
    Some(plain)
}

/// Reads four hexadecimal digits.
fn unit(chars: &mut std::str::Chars) -> Option<u32> {
    (0..4).try_fold(0, |unit, _| Some(unit << 4 | chars.next()?.to_digit(16)?))
}

/// Returns the form of a URL, which may lack its scheme.
fn url(text: &str) -> Option<IndicatorForm<'_>> {
    match entry::form(text).ok()? {
        // It is a URL that ends with *.
        IndicatorForm::Prefix(_) => Some(IndicatorForm::Uri(text)),
        form @ (IndicatorForm::Uri(_)
        | IndicatorForm::WithoutScheme(_)
        | IndicatorForm::Host(_)) => Some(form),
        _ => None,
    }
}

/// Returns the form of a name.
fn host(text: &str, reach: Reach, port: Option<u16>) -> Option<IndicatorForm<'_>> {
    let place = HostPlace::Host(text);
    Some(IndicatorForm::Host(HostEntry { place, reach, port }))
}

/// Returns the form of an address or a block.
fn address(text: &str, port: Option<u16>) -> Option<IndicatorForm<'_>> {
    let entry = HostEntry::parse(text)?;
    let is_one = text.parse::<IpAddr>().is_ok() || port.is_none();
    match entry.place {
        HostPlace::Block(..) if is_one => Some(IndicatorForm::Host(HostEntry { port, ..entry })),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        let plain = |text: &str| unescaped(text.as_bytes().to_vec());
        for (text, wanted) in [
            ("a", Some("a")),
            (r#"http:\/\/a\u002Fb\"\\"#, Some("http://a/b\"\\")),
            (r"\ud83d\ude00\n", Some("\u{1F600}\n")),
            (r"\ud83d", None),
            (r"\ud83dx", None),
            (r"\x", None),
            (r"\u12", None),
        ] {
            assert_eq!(plain(text).as_deref(), wanted, "{text}");
        }
    }
}
