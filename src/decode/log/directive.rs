//! Formats of servers, pasted from their configuration (G13): `log_format` of nginx,
//! `LogFormat` of Apache, formats of GoAccess.

use super::names::LogPart;
use super::quoting::ValueQuoting;
use super::request_line::closing_quote;
use super::stated::{LineValue, LineValues};
use super::url::LogEscape;
use std::fmt;
use std::ops::Range;

/// A format of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    items: Vec<Item>,
    pub(super) escape: LogEscape,
}

/// An item of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Literal(Vec<u8>),
    /// A field. Of several fields of one part the one with the least number counts.
    Field(Option<(LogPart, u8)>),
    /// `%t` of Apache: a time in brackets.
    BracketedTime,
    /// `%~` of GoAccess: any number of blanks.
    Blanks,
}

/// Why a text is no format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BadDirective {
    /// Two fields without a text between them: the second one.
    Adjacent(String),
    /// The field is not ended.
    Open(String),
    /// No field states a request.
    WithoutRequest,
}

impl fmt::Display for BadDirective {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            BadDirective::Adjacent(name) => {
                write!(f, "nothing separates {name} from the field before it")
            }
            BadDirective::Open(name) => write!(f, "{name} is no field"),
            BadDirective::WithoutRequest => f.write_str(
                "no field states a request; it needs a request line, or a method and a target",
            ),
        }
    }
}

/// The variables of nginx that are read.
const NGINX: &[(&str, LogPart, u8)] = &[
    ("request", LogPart::Line, 0),
    ("request_method", LogPart::Method, 0),
    ("request_uri", LogPart::Target, 0),
    ("uri", LogPart::Target, 1),
    ("args", LogPart::Query, 0),
    ("http_host", LogPart::Host, 0),
    ("host", LogPart::Host, 1),
    ("server_name", LogPart::Host, 2),
    ("ssl_server_name", LogPart::Sni, 0),
    ("scheme", LogPart::Scheme, 0),
    ("https", LogPart::Tls, 0),
    ("ssl_protocol", LogPart::Tls, 1),
    ("ssl_cipher", LogPart::Tls, 2),
    ("server_port", LogPart::ServerPort, 0),
    ("status", LogPart::Status, 0),
    ("time_iso8601", LogPart::Time, 0),
    ("time_local", LogPart::Time, 1),
    ("msec", LogPart::Time, 2),
    ("remote_addr", LogPart::Client, 0),
    ("http_referer", LogPart::Referer, 0),
    ("http_x_forwarded_proto", LogPart::ForwardedProto, 0),
];

/// The fields of Apache that are read: the letter, with its argument in braces.
const APACHE: &[(&str, LogPart, u8)] = &[
    ("a", LogPart::Client, 0),
    ("h", LogPart::Client, 1),
    ("r", LogPart::Line, 0),
    ("s", LogPart::Status, 0),
    ("{host}i", LogPart::Host, 0),
    ("V", LogPart::Host, 1),
    ("v", LogPart::Host, 2),
    ("p", LogPart::Port, 0),
    ("m", LogPart::Method, 0),
    ("U", LogPart::Target, 0),
    ("q", LogPart::Query, 0),
    ("{referer}i", LogPart::Referer, 0),
    ("{x-forwarded-proto}i", LogPart::ForwardedProto, 0),
    ("{ssl_protocol}x", LogPart::Tls, 0),
    ("{ssl_tls_sni}x", LogPart::Sni, 0),
];

/// The fields of GoAccess that are read.
const GOACCESS: &[(&str, LogPart, u8)] = &[
    ("h", LogPart::Client, 0),
    ("d", LogPart::Date, 0),
    ("t", LogPart::Time, 1),
    ("x", LogPart::Time, 0),
    ("r", LogPart::Line, 0),
    ("s", LogPart::Status, 0),
    ("v", LogPart::Host, 0),
    ("m", LogPart::Method, 0),
    ("U", LogPart::Target, 0),
    ("q", LogPart::Query, 0),
    ("R", LogPart::Referer, 0),
    ("K", LogPart::Tls, 0),
    ("k", LogPart::Tls, 1),
];

fn part_in(table: &[(&str, LogPart, u8)], name: &str) -> Option<(LogPart, u8)> {
    let found = table.iter().find(|(known, ..)| *known == name);
    found.map(|(_, part, rank)| (*part, *rank))
}

impl Directive {
    /// Reads a format.
    ///
    /// # Errors
    /// Why the text is not a format.
    pub(super) fn parse(text: &str) -> Result<Directive, BadDirective> {
        let text = text.trim();
        let directive = match text.contains('$') {
            true => nginx(text)?,
            false => percent(text)?,
        };
        let states = |part| {
            let is_of = |item: &Item| matches!(item, Item::Field(Some((of, _))) if *of == part);
            directive.items.iter().any(is_of)
        };
        let has_request =
            states(LogPart::Line) || states(LogPart::Method) && states(LogPart::Target);
        match has_request {
            true => Ok(directive),
            false => Err(BadDirective::WithoutRequest),
        }
    }

    /// The escapes around values, which are undone before those of the log.
    pub(super) fn quoting(&self) -> ValueQuoting {
        match self.escape {
            LogEscape::Json => ValueQuoting::Json,
            _ => ValueQuoting::None,
        }
    }

    fn new(escape: LogEscape) -> Directive {
        Directive {
            items: Vec::new(),
            escape,
        }
    }

    fn push_literal(&mut self, text: &str) {
        match self.items.last_mut() {
            Some(Item::Literal(literal)) => literal.extend_from_slice(text.as_bytes()),
            _ if text.is_empty() => {}
            _ => self.items.push(Item::Literal(text.as_bytes().to_vec())),
        }
    }

    fn push_field(&mut self, name: &str, item: Item) -> Result<(), BadDirective> {
        if let Some(Item::Field(before)) = self.items.last()
            && matches!(item, Item::Field(_) | Item::BracketedTime)
        {
            // `%U%q` is the target as a whole.
            let of = |part| move |(of, _): (LogPart, u8)| of == part;
            let is_target = before.is_some_and(of(LogPart::Target));
            return match item {
                Item::Field(Some((LogPart::Query, _))) if is_target => Ok(()),
                _ => Err(BadDirective::Adjacent(name.to_owned())),
            };
        }
        self.items.push(item);
        Ok(())
    }

    /// Reads a line into `stated`. Returns false if a text of the format is missing.
    pub(super) fn read(&self, line: &[u8], stated: &mut LineValues) -> bool {
        let mut at = 0;
        let mut date: Option<Range<usize>> = None;
        for (number, item) in self.items.iter().enumerate() {
            match item {
                Item::Literal(text) => {
                    if !line[at..].starts_with(text) {
                        return false;
                    }
                    at += text.len();
                }
                Item::Blanks => {
                    at += line[at..].iter().take_while(|byte| **byte == b' ').count();
                }
                Item::BracketedTime => {
                    let Some(end) = memchr::memchr(b']', &line[at..]) else {
                        return false;
                    };
                    stated.add_as(
                        line,
                        &[(LogPart::Time, 0)],
                        LineValue::raw(at..at + end + 1),
                    );
                    at += end + 1;
                }
                Item::Field(role) => {
                    let before = number.checked_sub(1).map(|before| &self.items[before]);
                    let Some(len) = field_len(&line[at..], before, self.items.get(number + 1))
                    else {
                        return false;
                    };
                    let mut range = at..at + len;
                    at = range.end;
                    let Some((part, rank)) = *role else {
                        continue;
                    };
                    match part {
                        // The time of day may follow the date.
                        LogPart::Date => {
                            date = Some(range);
                            continue;
                        }
                        LogPart::Time => {
                            if let Some(date) = date.take() {
                                range.start = date.start;
                            }
                        }
                        _ => {}
                    }
                    let value = stated.hold(line, range, self.quoting());
                    stated.add_as(line, &[(part, rank)], value);
                }
            }
        }
        true
    }
}

/// Returns the length of the field at the start of `text`: up to the text after it, as
/// closed by G4 where it is quoted; the last one up to a blank.
fn field_len(text: &[u8], before: Option<&Item>, after: Option<&Item>) -> Option<usize> {
    let Some(Item::Literal(after)) = after else {
        return Some(memchr::memchr(b' ', text).unwrap_or(text.len()));
    };
    let opens = matches!(before, Some(Item::Literal(before)) if before.ends_with(b"\""));
    match after.strip_prefix(b"\"") {
        Some(rest) if opens => closing_quote(text, |text| match rest {
            [] => matches!(text.first(), None | Some(b' ')),
            _ => text.starts_with(rest),
        }),
        _ => memchr::memmem::find(text, after),
    }
}

/// `log_format name escape=json '…' '…';`, or the text alone.
fn nginx(text: &str) -> Result<Directive, BadDirective> {
    let mut escape = LogEscape::Clf;
    let mut format = String::new();
    match text.strip_prefix("log_format") {
        None => format.push_str(text.trim_matches(['\'', ';'])),
        Some(rest) => {
            let mut quote = None;
            let mut word = String::new();
            for char in rest.chars() {
                match quote {
                    Some(open) if char == open => quote = None,
                    Some(_) => format.push(char),
                    None if matches!(char, '\'' | '"') => {
                        quote = Some(char);
                        word.clear();
                    }
                    None => word.push(char),
                }
                if quote.is_none() && word.trim_end().ends_with("escape=json") {
                    escape = LogEscape::Json;
                }
                if quote.is_none() && word.trim_end().ends_with("escape=none") {
                    escape = LogEscape::None;
                }
            }
        }
    }
    let mut directive = Directive::new(escape);
    let mut rest = &format[..];
    while let Some(at) = rest.find('$') {
        directive.push_literal(&rest[..at]);
        rest = &rest[at + 1..];
        let is_braced = rest.starts_with('{');
        rest = rest.strip_prefix('{').unwrap_or(rest);
        let is_of_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let len = rest.find(|char| !is_of_name(char)).unwrap_or(rest.len());
        let name = &rest[..len];
        rest = &rest[len..];
        if is_braced {
            rest = rest
                .strip_prefix('}')
                .ok_or_else(|| BadDirective::Open(format!("${{{name}")))?;
        }
        if name.is_empty() {
            return Err(BadDirective::Open("$".to_owned()));
        }
        directive.push_field(&format!("${name}"), Item::Field(part_in(NGINX, name)))?;
    }
    directive.push_literal(rest);
    Ok(directive)
}

/// `LogFormat "…" name` of Apache, or the text alone; or a format of GoAccess.
fn percent(text: &str) -> Result<Directive, BadDirective> {
    let marks = ["%^", "%d", "%x", "%R", "%~"];
    let is_goaccess = marks.iter().any(|mark| text.contains(mark));
    let unescaped;
    let format = match text.strip_prefix("LogFormat") {
        None => text,
        Some(rest) => {
            unescaped = configured(rest.trim());
            &unescaped
        }
    };
    let mut directive = Directive::new(LogEscape::Clf);
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        directive.push_literal(&rest[..at]);
        rest = &rest[at + 1..];
        // Apache: conditions on the status, and which of two requests.
        let conditions =
            |char: char| matches!(char, '<' | '>' | '!' | ',') || char.is_ascii_digit();
        rest = rest.trim_start_matches(conditions);
        let mut name = String::new();
        if rest.starts_with('{') {
            let end = rest.find('}');
            let end = end.ok_or_else(|| BadDirective::Open(format!("%{rest}")))?;
            name.push_str(&rest[..=end].to_ascii_lowercase());
            rest = &rest[end + 1..];
        }
        let letter = rest.chars().next();
        let letter = letter.ok_or_else(|| BadDirective::Open(format!("%{name}")))?;
        name.push(letter);
        rest = &rest[letter.len_utf8()..];
        let item = match (&*name, is_goaccess) {
            ("%", _) => {
                directive.push_literal("%");
                continue;
            }
            ("~", true) => Item::Blanks,
            ("t", false) => Item::BracketedTime,
            (_, true) => Item::Field(part_in(GOACCESS, &name)),
            (_, false) => Item::Field(part_in(APACHE, &name)),
        };
        directive.push_field(&format!("%{name}"), item)?;
    }
    directive.push_literal(rest);
    Ok(directive)
}

/// Returns the text of the first string of a line of Apache's configuration.
fn configured(text: &str) -> String {
    let Some(inside) = text.strip_prefix('"') else {
        return text.to_owned();
    };
    let mut out = String::new();
    let mut chars = inside.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => break,
            '\\' => match chars.next() {
                Some('t') => out.push('\t'),
                Some(char) => out.push(char),
                None => out.push('\\'),
            },
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(format: &str, line: &str) -> Vec<(LogPart, String)> {
        let directive = Directive::parse(format).unwrap();
        let mut stated = LineValues::default();
        assert!(directive.read(line.as_bytes(), &mut stated), "{line}");
        let known = [
            LogPart::Line,
            LogPart::Method,
            LogPart::Target,
            LogPart::Host,
            LogPart::Port,
            LogPart::Status,
            LogPart::Time,
            LogPart::Client,
            LogPart::Referer,
        ];
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        known
            .iter()
            .filter_map(|part| Some((*part, text(stated.of(line.as_bytes(), *part)?))))
            .collect()
    }

    #[test]
    fn formats_of_three_programs() {
        use LogPart::{Client, Host, Line, Method, Port, Referer, Status, Target, Time};
        let shown = |parts: Vec<(LogPart, String)>| parts;
        for (format, line, wanted) in [
            (
                "log_format main escape=default '${remote_addr} [$time_local] '\n '\"$request\" $status $host';",
                "192.0.2.1 [10/Oct/2000:13:55:36 -0700] \"GET /\"a\"b HTTP/1.1\" 200 a.example rest",
                vec![
                    (Line, "GET /\"a\"b HTTP/1.1"),
                    (Host, "a.example"),
                    (Status, "200"),
                    (Time, "10/Oct/2000:13:55:36 -0700"),
                    (Client, "192.0.2.1"),
                ],
            ),
            (
                "LogFormat \"%V:%p %a %t %m \\\"%U%q\\\" %>s %{Referer}i\" name",
                "a.example:81 192.0.2.1 [10/Oct/2000:13:55:36 -0700] GET \"/a?b\" 200 http://r.example/",
                vec![
                    (Method, "GET"),
                    (Target, "/a?b"),
                    (Host, "a.example"),
                    (Port, "81"),
                    (Status, "200"),
                    (Time, "[10/Oct/2000:13:55:36 -0700]"),
                    (Client, "192.0.2.1"),
                    (Referer, "http://r.example/"),
                ],
            ),
            (
                "%h%~%^[%d:%t %^] \"%r\" %s",
                "192.0.2.1   - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200",
                vec![
                    (Line, "GET / HTTP/1.1"),
                    (Status, "200"),
                    (Time, "10/Oct/2000:13:55:36"),
                    (Client, "192.0.2.1"),
                ],
            ),
        ] {
            let wanted = wanted
                .into_iter()
                .map(|(part, text)| (part, text.to_owned()));
            assert_eq!(
                shown(parts(format, line)),
                wanted.collect::<Vec<_>>(),
                "{format}"
            );
        }
        let directive = Directive::parse("\"$request\" $host").unwrap();
        assert!(!directive.read(b"GET / HTTP/1.1", &mut LineValues::default()));
    }

    #[test]
    fn formats_that_are_none() {
        for (format, error) in [
            (
                "$request$status",
                BadDirective::Adjacent("$status".to_owned()),
            ),
            ("%r%s", BadDirective::Adjacent("%s".to_owned())),
            ("%{Referer", BadDirective::Open("%{Referer".to_owned())),
            ("$request $", BadDirective::Open("$".to_owned())),
            ("%h %s", BadDirective::WithoutRequest),
        ] {
            assert_eq!(Directive::parse(format), Err(error), "{format}");
        }
    }
}
