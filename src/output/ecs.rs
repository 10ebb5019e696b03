//! JSON Lines in the Elastic Common Schema: the fields of its `url` set with their
//! types, so that they can be indexed without a mapping.

use super::fields::FIELDS;
use super::form::{Form, WriteRecord};
use super::object::{Object, ObjectFields};
use super::value::Row;
use crate::item::{Exchange, Finding, Timestamp};
use crate::syntax::{Components, domain};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The version of the schema.
const VERSION: &str = "8.17.0";

/// An object and a line feed. `url.full` is the canonical form without its password,
/// `url.original` the original spelling, secrets included; `url.top_level_domain` is
/// the public suffix, as the schema defines it. `@timestamp` is the time of the request
/// in a line of a log, otherwise the date of the mail, otherwise the date of the record of a web archive, otherwise the time
/// of the run. The line, where lines are counted, is `labels.line`. Values without a field in the schema are in the object
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
///     r#""extension":"c","query":"d"},"log":{"file":{"path":"f.txt"}},"labels":{"line":"1"},"#,
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
    own: ObjectFields,
}

/// Fields with other names in the schema, and `uri_b64`: `url.full` has no password, so
/// its bytes are not written in another form, either.
const NAMED: [&str; 14] = [
    "uri",
    "uri_b64",
    "original",
    "scheme",
    "host",
    "port",
    "path",
    "query",
    "fragment",
    "file",
    "request.method",
    "request.status",
    "request.time",
    "request.client",
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
        Ecs {
            run: millis_of(run),
            own: ObjectFields::new(FIELDS.iter().filter(|field| !NAMED.contains(&field.name))),
        }
    }
}

/// Formats a time by RFC 3339 in UTC with milliseconds. A time before 1970 is replaced by the
/// start of 1970.
fn millis_of(run: SystemTime) -> String {
    let since = run.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).ok();
    let time = seconds.and_then(|seconds| Timestamp::since_1970(seconds, 0));
    let time = time.map(|time| time.to_string()).unwrap_or_default();
    format!(
        "{}.{:03}Z",
        time.trim_end_matches('Z'),
        since.subsec_millis()
    )
}

/// Returns the time of the event: of the line of a log, of the mail, or of the record of a web
/// archive.
fn time_of(finding: &Finding) -> Option<Timestamp> {
    let request = finding.context.request;
    let line = request.and_then(|request| request.exchange.time);
    let stated = line.or(finding.context.message_date);
    stated.or_else(|| finding.context.warc.as_ref()?.time())
}

impl Form for Ecs {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        self.push_event(finding, name, out);
    }

    fn by_record(&self) -> Option<WriteRecord> {
        let form = self.clone();
        Some(Arc::new(move |finding, name, out| {
            form.push_event(finding, name, out);
        }))
    }
}

impl Ecs {
    fn push_event(&self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let row = Row::new(finding, name);
        let mut object = Object::new(out);
        let time = time_of(finding).map(|time| time.to_string());
        object.string("@timestamp", time.as_deref().unwrap_or(&self.run));
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
        log.close();
        if let Some(place) = finding.place {
            // Labels are keywords. The line of `log.origin` is one of source code.
            let mut labels = object.nested("labels");
            labels.string("line", &place.line.to_string());
            labels.close();
        }
        push_exchange(&row.exchange(), &mut object);
        let mut own = object.nested("urisieve");
        own.fields(&self.own, &row);
        own.close();
        object.end();
    }
}

/// Appends the fields of the sets `http` and `client`.
fn push_exchange(exchange: &Exchange, object: &mut Object) {
    if exchange.method.is_some() || exchange.status.is_some() {
        let mut http = object.nested("http");
        if let Some(method) = exchange.method {
            let mut request = http.nested("request");
            request.text("method", method);
            request.close();
        }
        if let Some(status) = exchange.status {
            let mut response = http.nested("response");
            response.number("status_code", u64::from(status));
            response.close();
        }
        http.close();
    }
    if let Some(address) = exchange.client {
        let mut client = object.nested("client");
        client.text("address", address);
        client.close();
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
pub(super) fn push_url(row: &Row, url: &mut Object) {
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
    use crate::item::{LineColumn, Request, RequestPart, UtcOffset, Warc};
    use serde_json::Value;
    use std::time::Duration;

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
            gateway: None,
            nested_in: None,
            first_seen: None,
            last_seen: None,
            sources: None,
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
    fn an_event_has_the_time_of_its_line() {
        let time = |text: &[u8]| Timestamp::parse(text, UtcOffset::UTC);
        let mut finding = Finding::new(b"http://a/");
        let record = |finding: &Finding| {
            let mut out = Vec::new();
            Ecs::at(UNIX_EPOCH).write(finding, b"f", &mut out);
            serde_json::from_slice::<Value>(&out).unwrap()
        };
        assert_eq!(record(&finding)["@timestamp"], "1970-01-01T00:00:00.000Z");
        finding.context.warc = Some(Warc {
            date: b"20200102030405",
            ..Warc::default()
        });
        assert_eq!(record(&finding)["@timestamp"], "2020-01-02T03:04:05Z");
        finding.context.request = Some(Request {
            part: RequestPart::Target,
            exchange: Exchange {
                method: Some(b"GET"),
                status: Some(404),
                time: time(b"2016-10-25T14:49:34.05+02:00"),
                client: Some(b"192.0.2.1"),
            },
        });
        finding.place = Some(LineColumn { line: 7, column: 1 });
        let event = record(&finding);
        assert_eq!(event["@timestamp"], "2016-10-25T14:49:34.05+02:00");
        assert_eq!(event["http"]["request"]["method"], "GET");
        assert_eq!(event["http"]["response"]["status_code"], 404);
        assert_eq!(event["client"]["address"], "192.0.2.1");
        assert_eq!(event["log"]["file"]["path"], "f");
        assert_eq!(event["labels"]["line"], "7");
        assert_eq!(event["urisieve"]["request"]["part"], "target");
    }

    #[test]
    fn times_of_runs_have_milliseconds() {
        let at = |millis| millis_of(UNIX_EPOCH + Duration::from_millis(millis));
        assert_eq!(at(951_782_399_007), "2000-02-28T23:59:59.007Z");
        assert_eq!(millis_of(UNIX_EPOCH - Duration::from_secs(1)), at(0));
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
            ("20201302030405", None),
            ("2020-01-02", None),
            ("2020-01-02T03:04:05.Z", None),
            ("", None),
            ("\u{661}\u{661}\u{661}\u{661}\u{661}\u{661}\u{661}", None),
        ] {
            let record = Warc {
                date: date.as_bytes(),
                ..Warc::default()
            };
            let time = record.time().map(|time| time.to_string());
            assert_eq!(time.as_deref(), wanted, "{date}");
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
