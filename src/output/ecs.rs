//! JSON Lines by the Elastic Common Schema: the fields of its `url` set with
//! their types, so that they can be indexed as they are.

use super::Form;
use super::fields::{Fields, kind};
use super::json::Object;
use crate::item::Finding;
use crate::syntax::{Components, domain, urn};

/// The version of the schema.
const VERSION: &str = "8.17.0";

/// An object and a line feed. `url.full` is the canonical form, `url.original`
/// the spelling; `url.top_level_domain` is the public suffix, as the schema has it.
/// Passwords stand in `url.full` alone. What the schema has no field for is in the
/// object `urisieve`. There is no `@timestamp`: when a URI was written is not known.
///
/// ```
/// use urisieve::{engine::Sieve, item::Finding, output::{Ecs, Form}};
/// let (mut form, mut out) = (Ecs, Vec::new());
/// Sieve::builder().build().slice(b"http://www.a.co.uk:80/b.c?d", &mut |f: &Finding<'_>| {
///     form.write(f, b"f.txt", &mut out);
/// })?;
/// let wanted = concat!(
///     r#"{"ecs":{"version":"8.17.0"},"event":{"kind":"event"},"url":{"#,
///     r#""original":"http://www.a.co.uk:80/b.c?d","full":"http://www.a.co.uk:80/b.c?d","#,
///     r#""scheme":"http","domain":"www.a.co.uk","registered_domain":"a.co.uk","#,
///     r#""top_level_domain":"co.uk","subdomain":"www","port":80,"path":"/b.c","#,
///     r#""extension":"c","query":"d"},"log":{"file":{"path":"f.txt"}},"#,
///     r#""urisieve":{"kind":"url","offset":0,"length":27}}"#, "\n",
/// );
/// assert_eq!(String::from_utf8_lossy(&out), wanted);
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Ecs;

impl Form for Ecs {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let uri = finding.uri;
        let parts = Components::parse(uri);
        let nid = urn::nid(uri);
        let mut object = Object::new(out);
        let mut ecs = object.nested("ecs");
        ecs.string("version", VERSION);
        ecs.close();
        let mut event = object.nested("event");
        event.string("kind", "event");
        event.close();
        let mut url = object.nested("url");
        push_url(uri, finding.original, &parts, &mut url);
        url.close();
        let mut log = object.nested("log");
        let mut file = log.nested("file");
        file.text("path", name);
        file.close();
        log.close();
        let mut own = object.nested("urisieve");
        own.string("kind", kind(nid.is_some(), &parts));
        own.optional("nid", nid);
        if std::str::from_utf8(finding.original).is_err() {
            own.bytes("original", finding.original);
        }
        own.number("offset", finding.offset);
        own.number("length", finding.length);
        if let Some(count) = finding.count {
            own.number("count", count);
        }
        let problems = finding.marks.problems;
        if !problems.is_empty() {
            own.list("problems", problems.iter().map(|p| p.code()));
        }
        own.close();
        object.end();
    }
}

/// The fields of the set `url`.
fn push_url(uri: &[u8], original: &[u8], parts: &Components, url: &mut Object) {
    url.text("original", original);
    url.text("full", uri);
    url.optional("scheme", parts.scheme(uri));
    let user = parts.userinfo(uri);
    let user = user.map(|info| info.split(|&b| b == b':').next().unwrap_or(info));
    url.optional("username", user.filter(|user| !user.is_empty()));
    let host = parts.host(uri).filter(|host| !host.is_empty());
    url.optional("domain", host);
    let registered = host.and_then(domain::registered_domain);
    url.optional("registered_domain", registered);
    url.optional("top_level_domain", host.and_then(domain::suffix));
    if let (Some(host), Some(registered)) = (host, registered) {
        let host = host.strip_suffix(b".").unwrap_or(host);
        let rest = host.strip_suffix(registered).unwrap_or_default();
        url.optional("subdomain", rest.strip_suffix(b"."));
    }
    if let Some(port) = number(parts.port(uri)) {
        url.number("port", port);
    }
    let path = parts.path(uri);
    url.optional("path", Some(path).filter(|path| !path.is_empty()));
    url.optional("extension", host.and_then(|_| extension(path)));
    url.optional("query", parts.query(uri));
    url.optional("fragment", parts.fragment(uri));
}

/// A port that is a number.
fn number(port: Option<&[u8]>) -> Option<u64> {
    let port: u16 = std::str::from_utf8(port?).ok()?.parse().ok()?;
    Some(u64::from(port))
}

/// What follows the last dot of the last segment, not the first of its bytes.
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
            warc: None,
            marks: Default::default(),
            count: Some(2),
        };
        let mut out = Vec::new();
        Ecs.write(&finding, b"f", &mut out);
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
