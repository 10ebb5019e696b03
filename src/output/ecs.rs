//! JSON Lines in the Elastic Common Schema: the fields of its `url` set with their
//! types, so that they can be indexed without a mapping.

use super::fields::{FIELDS, Field};
use super::form::Form;
use super::object::Object;
use super::value::Row;
use crate::item::{Finding, Warc};
use crate::syntax::{Components, domain};
use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

/// The version of the schema.
const VERSION: &str = "8.17.0";

/// An object and a line feed. `url.full` is the canonical form without its password,
/// `url.original` the original spelling, secrets included; `url.top_level_domain` is
/// the public suffix, as the schema defines it. `@timestamp` is the date of the record
/// of a web archive, otherwise the time of the run. The line, where lines are counted,
/// is `log.origin.file.line`. Values without a field in the schema are in the object
/// `urisieve`.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use urisieve::{Sieve, output::{Ecs, Form}};
/// let run = SystemTime::UNIX_EPOCH + Duration::from_millis(951_782_400_500);
/// let (mut form, mut out) = (Ecs::at(run), Vec::new());
/// let sieve = Sieve::builder().lines(true).build();
/// sieve.for_each(b"http://www.a.co.uk:80/b.c?d", |f| {
///     form.write(f, b"f.txt", &mut out);
/// })?;
/// let wanted = concat!(
///     r#"{"@timestamp":"2000-02-29T00:00:00.500Z","ecs":{"version":"8.17.0"},"#,
///     r#""event":{"kind":"event"},"url":{"#,
///     r#""original":"http://www.a.co.uk:80/b.c?d","full":"http://www.a.co.uk:80/b.c?d","#,
///     r#""scheme":"http","domain":"www.a.co.uk","registered_domain":"a.co.uk","#,
///     r#""top_level_domain":"co.uk","subdomain":"www","port":80,"path":"/b.c","#,
///     r#""extension":"c","query":"d"},"log":{"file":{"path":"f.txt"},"#,
///     r#""origin":{"file":{"line":1}}},"#,
///     r#""urisieve":{"kind":"url","line":1,"column":1,"offset":0,"length":27,"wrapper":"none"}}"#,
///     "\n",
/// );
/// assert_eq!(String::from_utf8_lossy(&out), wanted);
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ecs {
    /// The time of the run, formatted.
    run: String,
    /// The fields that the schema lacks.
    own: Vec<&'static Field>,
}

/// Fields with other names in the schema, and `uri_b64`: `url.full` has no password, so
/// its bytes are not written in another form, either.
const NAMED: [&str; 10] = [
    "uri", "uri_b64", "original", "scheme", "host", "port", "path", "query", "fragment", "file",
];

impl Ecs {
    /// Creates events of a run at the time `run`; a time before 1970 is replaced by the
    /// start of 1970.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Ecs, Form}};
    /// let (mut form, mut out) = (Ecs::at(std::time::UNIX_EPOCH), Vec::new());
    /// Sieve::builder().build().for_each(b"urn:a-b:c", |f| {
    ///     form.write(f, b"f.txt", &mut out);
    /// })?;
    /// assert!(out.starts_with(br#"{"@timestamp":"1970-01-01T00:00:00.000Z","#));
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn at(run: SystemTime) -> Ecs {
        let since = run.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ecs {
            run: timestamp(since.as_secs(), since.subsec_millis()),
            own: FIELDS
                .iter()
                .filter(|field| !NAMED.contains(&field.name))
                .collect(),
        }
    }
}

/// Formats a time since 1970 by RFC 3339 in UTC.
fn timestamp(seconds: u64, millis: u32) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that a leap day is the last day of one, and 400 of
    // them are 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = match month {
        0..=9 => (month + 3, 0),
        _ => (month - 9, 1),
    };
    let year = era * 400 + year + next;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Formats the date of a record for the schema; `None` when it is not a date with a
/// time. WARC has `2000-02-29T00:00:00Z`, also with a fraction, ARC `20000229000000`.
fn date_of(record: &Warc) -> Option<String> {
    let date = std::str::from_utf8(record.date).ok()?.trim();
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if date.len() == 14 && is_digits(date) {
        let part = |from: usize, to: usize| &date[from..to];
        let (day, time) = ((part(0, 4), part(4, 6), part(6, 8)), part(8, 10));
        let (year, month, day) = day;
        let (minute, second) = (part(10, 12), part(12, 14));
        return Some(format!("{year}-{month}-{day}T{time}:{minute}:{second}Z"));
    }
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let (head, rest) = date.as_bytes().split_at_checked(shape.len())?;
    let fits = head.iter().zip(shape).all(|(byte, wanted)| match wanted {
        b'd' => byte.is_ascii_digit(),
        _ => byte == wanted,
    });
    let fraction = rest.strip_suffix(b"Z")?;
    let is_fraction = match fraction {
        [] => true,
        [b'.', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    (fits && is_fraction).then(|| date.to_owned())
}

impl Form for Ecs {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let row = Row::new(finding, name);
        let mut object = Object::new(out);
        let date = finding.context.warc.as_ref().and_then(date_of);
        object.string("@timestamp", date.as_deref().unwrap_or(&self.run));
        let mut ecs = object.nested("ecs");
        ecs.string("version", VERSION);
        ecs.close();
        let mut event = object.nested("event");
        event.string("kind", "event");
        event.close();
        let mut url = object.nested("url");
        push_url(&row, &mut url);
        url.close();
        let mut log = object.nested("log");
        let mut file = log.nested("file");
        file.text("path", name);
        file.close();
        if let Some(place) = finding.place {
            let mut origin = log.nested("origin");
            let mut file = origin.nested("file");
            file.number("line", place.line);
            file.close();
            origin.close();
        }
        log.close();
        let mut own = object.nested("urisieve");
        own.fields(self.own.iter().copied(), &row);
        own.close();
        object.end();
    }
}

/// Returns `uri` without its password, and without the colon before it.
fn without_password<'u>(uri: &'u [u8], parts: &Components) -> Cow<'u, [u8]> {
    let userinfo = parts.userinfo(uri);
    let colon = userinfo.and_then(|info| memchr::memchr(b':', info));
    let (Some(userinfo), Some(colon)) = (userinfo, colon) else {
        return Cow::Borrowed(uri);
    };
    // The authority begins after the scheme, its colon and two slashes.
    let start = parts.scheme(uri).map_or(0, |scheme| scheme.len() + 1) + 2;
    let (from, to) = (start + colon, start + userinfo.len());
    Cow::Owned([&uri[..from], &uri[to..]].concat())
}

/// Appends the fields of the set `url`.
fn push_url(row: &Row, url: &mut Object) {
    url.text("original", row.finding.original);
    url.text("full", &without_password(row.uri(), row.parts()));
    url.optional("scheme", row.scheme());
    let user = row.parts().userinfo(row.uri());
    let user = user.map(|info| info.split(|&b| b == b':').next().unwrap_or(info));
    url.optional("username", user.filter(|user| !user.is_empty()));
    let host = row.host().filter(|host| !host.is_empty());
    url.optional("domain", host);
    let registered = host.and_then(domain::registered_domain);
    url.optional("registered_domain", registered);
    url.optional("top_level_domain", host.and_then(domain::suffix));
    if let (Some(host), Some(registered)) = (host, registered) {
        let host = host.strip_suffix(b".").unwrap_or(host);
        let rest = host.strip_suffix(registered).unwrap_or_default();
        url.optional("subdomain", rest.strip_suffix(b"."));
    }
    if let Some(port) = row.port_number() {
        url.number("port", u64::from(port));
    }
    let path = row.path();
    url.optional("path", Some(path).filter(|path| !path.is_empty()));
    url.optional("extension", host.and_then(|_| extension(path)));
    url.optional("query", row.query());
    url.optional("fragment", row.fragment());
}

/// Returns the text after the last dot of the last segment, unless the dot is the first
/// byte.
fn extension(path: &[u8]) -> Option<&[u8]> {
    let name = path.rsplit(|&b| b == b'/').next()?;
    let dot = memchr::memrchr(b'.', name).filter(|&dot| dot > 0)?;
    Some(&name[dot + 1..]).filter(|extension| !extension.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn url(uri: &[u8]) -> Value {
        let finding = Finding {
            uri,
            original: uri,
            input: 0,
            offset: 3,
            length: 9,
            place: None,
            context: Default::default(),
            alternative: None,
            source: None,
            marks: Default::default(),
            count: Some(2),
        };
        let mut out = Vec::new();
        Ecs::at(UNIX_EPOCH).write(&finding, b"f", &mut out);
        let record: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(record["urisieve"]["count"], 2);
        record["url"].clone()
    }

    #[test]
    fn fields_have_the_types_of_the_schema() {
        let all = url(b"ftp://joe:pw@x.y.b.example.:21/a.tar.gz?q#f");
        for (name, wanted) in [
            ("username", "joe"),
            ("domain", "x.y.b.example."),
            ("registered_domain", "b.example"),
            ("top_level_domain", "example"),
            ("subdomain", "x.y"),
            ("extension", "gz"),
            ("query", "q"),
            ("fragment", "f"),
        ] {
            assert_eq!(all[name], wanted, "{name}");
        }
        assert_eq!(all["port"], 21);
        assert!(all.get("password").is_none());
        assert_eq!(all["full"], "ftp://joe@x.y.b.example.:21/a.tar.gz?q#f");
        assert_eq!(url(b"http://:@h/")["full"], "http://@h/");
        assert_eq!(url(b"http://a@h:1/:x")["full"], "http://a@h:1/:x");
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, wanted) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (951_782_399, "2000-02-28T23:59:59.007Z"),
            (951_868_800, "2000-03-01T00:00:00.007Z"),
            (1_709_210_096, "2024-02-29T12:34:56.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
            (1_767_225_599, "2025-12-31T23:59:59.007Z"),
        ] {
            assert_eq!(timestamp(seconds, 7), wanted);
        }
    }

    #[test]
    fn dates_of_records() {
        for (date, wanted) in [
            ("2020-01-02T03:04:05Z", Some("2020-01-02T03:04:05Z")),
            (
                "2020-01-02T03:04:05.678901Z",
                Some("2020-01-02T03:04:05.678901Z"),
            ),
            ("20200102030405", Some("2020-01-02T03:04:05Z")),
            ("2020-01-02", None),
            ("2020-01-02T03:04:05", None),
            ("2020-01-02T03:04:05.Z", None),
            ("", None),
            ("\u{661}\u{661}\u{661}\u{661}\u{661}\u{661}\u{661}", None),
        ] {
            let date = date.as_bytes();
            let record = Warc {
                date,
                ..Warc::default()
            };
            assert_eq!(date_of(&record).as_deref(), wanted);
        }
    }

    #[test]
    fn what_does_not_apply_is_absent() {
        let urn = url(b"urn:isbn:0395363411");
        let mut keys: Vec<&String> = urn.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["full", "original", "path", "scheme"]);
        let literal = url(b"http://[::1]:x/.b");
        assert_eq!(literal["domain"], "[::1]");
        for name in ["registered_domain", "subdomain", "port", "extension"] {
            assert!(literal.get(name).is_none(), "{name}");
        }
        assert!(url(b"http://a.example/").get("subdomain").is_none());
    }
}
