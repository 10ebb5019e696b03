//! The names of the parts of a request (G5): keys of JSON, columns, labels. Names are compared
//! without case and without `_-.:@()` and blanks; `a.b` in the table is `b` in the object `a`.

use std::sync::LazyLock;

/// A part of what a line states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum LogPart {
    /// The request line: method, target, protocol.
    Line,
    Method,
    Target,
    /// The query, where the target has none.
    Query,
    Host,
    /// The name that the client of TLS asked for.
    Sni,
    /// The scheme that a proxy states (X-Forwarded-Proto).
    ForwardedProto,
    Scheme,
    /// Evidence of TLS.
    Tls,
    /// The port that belongs to the host.
    Port,
    /// The port of the server, which is only evidence of the scheme.
    ServerPort,
    Status,
    /// The date of a time of day.
    Date,
    Time,
    Client,
    Referer,
    /// The port of a line of Zeek, whose scheme is always http.
    ZeekPort,
    /// The kind of a line of Suricata.
    EventType,
    /// A line inside the line.
    Message,
}

/// The place of `host` among the names of hosts. The field may be the client instead.
pub(super) const HOST_FIELD: u8 = 10;

/// The place of `src_ip` among the names of clients, by which a line is one of Suricata.
pub(super) const SURICATA_CLIENT: u8 = 8;

/// The number of parts.
pub(super) const PARTS: usize = LogPart::Message as usize + 1;

/// The names of one part.
#[derive(Debug)]
pub(crate) struct PartNames {
    pub part: LogPart,
    /// The name of the part in `--log-format` and `formats`; empty where it cannot be chosen.
    pub name: &'static str,
    /// The names of fields, in the order in which they count.
    pub fields: &'static [&'static str],
}

const fn row(part: LogPart, name: &'static str, fields: &'static [&'static str]) -> PartNames {
    PartNames { part, name, fields }
}

/// The names of G5.
pub(crate) static NAMES: &[PartNames] = &[
    row(
        LogPart::Line,
        "line",
        &["request", "requestline", "req", "httprequest"],
    ),
    row(
        LogPart::Method,
        "method",
        &[
            "method",
            "requestmethod",
            "httpmethod",
            "verb",
            "csmethod",
            "clientrequestmethod",
            "meth",
            "request",
        ],
    ),
    row(
        LogPart::Target,
        "target",
        &[
            "originalrequesturiwithargs",
            "request",
            "requesturi",
            "requesturl",
            "clientrequesturi",
            "csuri",
            "uri",
            "url",
            "url.original",
            "url.full",
            "requestpath",
            "xenvoyoriginpath",
            "path",
            "csuristem",
            "csuripath",
            "uripath",
        ],
    ),
    row(
        LogPart::Query,
        "query",
        &["query", "querystring", "requestquery", "args", "csuriquery"],
    ),
    row(
        LogPart::Host,
        "host",
        &[
            "xhostheader",
            "requesthost",
            "clientrequesthost",
            "originalhost",
            "httphost",
            "cshost",
            "authority",
            "vhost",
            "dhost",
            "url.domain",
            "host",
            "headers.host",
            "http.hostname",
            "servername",
        ],
    ),
    row(
        LogPart::Sni,
        "sni",
        &[
            "sslservername",
            "tlsclientservername",
            "tls.servername",
            "sni",
        ],
    ),
    row(
        LogPart::ForwardedProto,
        "forwarded-proto",
        &["xforwardedproto", "httpxforwardedproto"],
    ),
    row(
        LogPart::Scheme,
        "scheme",
        &[
            "scheme",
            "requestscheme",
            "clientrequestscheme",
            "csurischeme",
            "csprotocol",
            "protocol",
            "requestprotocol",
            "proto",
            "app",
        ],
    ),
    row(
        LogPart::Tls,
        "tls",
        &[
            "https",
            "tls",
            "istls",
            "ssl",
            "sslenabled",
            "sslprotocol",
            "sslcipher",
            "tlsversion",
            "clientsslprotocol",
        ],
    ),
    row(
        LogPart::Port,
        "port",
        &["requestport", "httpport", "url.port", "csuriport", "dpt"],
    ),
    row(LogPart::ServerPort, "", &["sport", "serverport"]),
    row(
        LogPart::Status,
        "status",
        &[
            "status",
            "statuscode",
            "httpstatus",
            "httpstatuscode",
            "responsecode",
            "responsestatus",
            "response",
            "edgeresponsestatus",
            "downstreamstatus",
            "scstatus",
        ],
    ),
    row(LogPart::Date, "", &["date"]),
    row(
        LogPart::Time,
        "time",
        &[
            "timestamp",
            "time",
            "ts",
            "timeiso8601",
            "timelocal",
            "starttime",
            "startutc",
            "edgestarttimestamp",
            "datetime",
            "msec",
            "timemicros",
            "rt",
            "devtime",
            "epoch",
        ],
    ),
    row(
        LogPart::Client,
        "client",
        &[
            "clientip",
            "remoteaddr",
            "remoteip",
            "clienthost",
            "clientaddr",
            "remoteaddress",
            "client",
            "cip",
            "srcip",
            "idorigh",
            "downstreamremoteaddress",
            "src",
            "fwd",
            "source.ip",
            "client.ip",
            "source.address",
            "client.address",
        ],
    ),
    row(
        LogPart::Referer,
        "referer",
        &[
            "referer",
            "referrer",
            "httpreferer",
            "csreferer",
            "requestreferer",
            "clientrequestreferer",
        ],
    ),
    row(LogPart::ZeekPort, "", &["idrespp"]),
    row(LogPart::EventType, "", &["eventtype"]),
    row(
        LogPart::Message,
        "",
        &["log", "message", "raw", "textpayload", "event.original"],
    ),
];

/// The objects of JSON in which names count.
const OBJECTS: &[&str] = &[
    "client",
    "data",
    "fields",
    "headers",
    "http",
    "httprequest",
    "jsonpayload",
    "payload",
    "properties",
    "req",
    "request",
    "res",
    "response",
    "result",
    "source",
    "tls",
    "url",
];

/// The greatest length of a name that is compared.
const NAME_MAX: usize = 48;

/// A part that a name is of, and the place of the name in the list of the part.
pub(super) type Role = (LogPart, u8);

/// The names, sorted, each with its roles.
struct Lookup {
    names: Vec<(&'static str, Vec<Role>)>,
    /// The place of the first name with each first byte, or of those behind.
    starts: [u16; 257],
}

static LOOKUP: LazyLock<Lookup> = LazyLock::new(|| {
    let mut names: Vec<(&'static str, Vec<Role>)> = Vec::new();
    for PartNames { part, fields, .. } in NAMES {
        for (rank, field) in fields.iter().enumerate() {
            let role = (*part, rank as u8);
            match names.iter_mut().find(|(name, _)| name == field) {
                Some((_, roles)) => roles.push(role),
                None => names.push((field, vec![role])),
            }
        }
    }
    names.sort_unstable_by_key(|(name, _)| *name);
    let starts = std::array::from_fn(|byte| {
        let is_before = |name: &str| name.bytes().next().is_some_and(|b| usize::from(b) < byte);
        names.partition_point(|(name, _)| is_before(name)) as u16
    });
    Lookup { names, starts }
});

/// A name as it is compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainName {
    bytes: [u8; NAME_MAX],
    len: usize,
}

impl PlainName {
    /// Returns `name` without case and without what is not compared; `None` if it is too
    /// long to be one of the table.
    pub(super) fn of(name: &[u8]) -> Option<PlainName> {
        let mut plain = PlainName {
            bytes: [0; NAME_MAX],
            len: 0,
        };
        plain.push(name).then_some(plain)
    }

    fn push(&mut self, name: &[u8]) -> bool {
        for &byte in name {
            if matches!(byte, b'_' | b'-' | b'.' | b':' | b'@' | b'(' | b')' | b' ') {
                continue;
            }
            if self.len == NAME_MAX {
                return false;
            }
            self.bytes[self.len] = byte.to_ascii_lowercase();
            self.len += 1;
        }
        true
    }

    /// Returns `object.name`.
    fn within(object: &PlainName, name: &PlainName) -> Option<PlainName> {
        let len = object.len + 1 + name.len;
        if len > NAME_MAX {
            return None;
        }
        let mut joined = *object;
        joined.bytes[object.len] = b'.';
        joined.bytes[object.len + 1..len].copy_from_slice(name.bytes());
        joined.len = len;
        Some(joined)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Whether names count in the object with this name.
    pub(super) fn is_object(&self) -> bool {
        let found = OBJECTS.binary_search_by(|object| object.as_bytes().cmp(self.bytes()));
        found.is_ok()
    }
}

fn find(name: &PlainName) -> &'static [Role] {
    let Lookup { names, starts } = &*LOOKUP;
    let Some(&first) = name.bytes().first() else {
        return &[];
    };
    let place = |byte: usize| usize::from(starts[byte]);
    let mut same_start = names[place(first.into())..place(usize::from(first) + 1)].iter();
    let found = same_start.find(|(known, _)| known.as_bytes() == name.bytes());
    found.map_or(&[], |(_, roles)| roles)
}

/// Returns the roles of the field `name` in `object`.
pub(super) fn roles(name: &[u8], object: Option<&PlainName>) -> &'static [Role] {
    let Some(plain) = PlainName::of(name) else {
        return &[];
    };
    if let Some(object) = object
        && let Some(joined) = PlainName::within(object, &plain)
    {
        let found = find(&joined);
        if !found.is_empty() {
            return found;
        }
    }
    let found = find(&plain);
    if !found.is_empty() {
        return found;
    }
    // `url.full` is the member `full` of the object `url`.
    let Some(dot) = memchr::memrchr(b'.', name) else {
        return &[];
    };
    let path = &name[..dot];
    let parent = memchr::memrchr(b'.', path).map_or(path, |at| &path[at + 1..]);
    match PlainName::of(parent) {
        Some(parent) if parent.is_object() => roles(&name[dot + 1..], Some(&parent)),
        _ => &[],
    }
}

/// Returns the part with this name.
pub(super) fn part_named(name: &str) -> Option<LogPart> {
    let found = NAMES
        .iter()
        .find(|row| !name.is_empty() && row.name == name);
    found.map(|row| row.part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(name: &str, object: Option<&str>) -> Option<Role> {
        let object = object.and_then(|object| PlainName::of(object.as_bytes()));
        roles(name.as_bytes(), object.as_ref()).first().copied()
    }

    #[test]
    fn names_are_compared_without_case_and_marks() {
        for name in ["cs(Host)", "cs-host", "CS_HOST", "cs.host"] {
            assert_eq!(first(name, None), Some((LogPart::Host, 5)), "{name}");
        }
        assert_eq!(first("@timestamp", None), Some((LogPart::Time, 0)));
        assert_eq!(first("id.orig_h", None), Some((LogPart::Client, 9)));
        assert_eq!(first("hostname", None), None);
        assert_eq!(first("hostname", Some("http")), Some((LogPart::Host, 12)));
        assert_eq!(first("server_name", Some("tls")), Some((LogPart::Sni, 2)));
        assert_eq!(first("url.full", None), Some((LogPart::Target, 9)));
        assert_eq!(
            first("http.response.status_code", None),
            Some((LogPart::Status, 1))
        );
        assert_eq!(first("host.name", None), None);
        assert_eq!(first("requested_server_name", None), None);
        assert_eq!(first(&"a".repeat(100), None), None);
    }

    #[test]
    fn tables_are_in_order() {
        assert!(OBJECTS.is_sorted());
        for (number, row) in NAMES.iter().enumerate() {
            assert_eq!(row.part as usize, number);
            for field in row.fields {
                let longest = field.len() <= NAME_MAX && field.is_ascii();
                assert!(longest && *field == field.to_ascii_lowercase(), "{field}");
            }
        }
        assert_eq!(first("host", None), Some((LogPart::Host, HOST_FIELD)));
        assert_eq!(
            first("src_ip", None),
            Some((LogPart::Client, SURICATA_CLIENT))
        );
        assert_eq!(part_named("host"), Some(LogPart::Host));
        assert_eq!(part_named(""), None);
    }
}
