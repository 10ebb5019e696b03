//! Real lines of every shape.

use super::columns::Columns;
use super::format::LogFormat;
use super::reader::{LineKind, LineReader};
use crate::item::UtcOffset;
use std::sync::Arc;

/// Reads lines one after the other; returns the last one's kind and URL.
fn read(lines: &str, base: Option<&str>) -> (LineKind, String) {
    let base = base.map(str::as_bytes);
    let mut reader = LineReader::new(LogFormat::default(), base, UtcOffset::UTC);
    let mut columns: Option<Arc<Columns>> = None;
    let mut kind = LineKind::Text;
    for (number, line) in lines.lines().enumerate() {
        kind = reader.read(line.as_bytes(), &mut columns, number == 0);
    }
    let url = match kind {
        LineKind::Request => String::from_utf8(reader.request.url.0.clone()).unwrap(),
        _ => String::new(),
    };
    (kind, url)
}

/// A line of each shape that is a request, its URL, and its exchange.
const REQUESTS: &[(&str, &str, &str)] = &[
    (
        "a.example:443 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /x HTTP/1.1\" 200 2 \"-\" \"-\"",
        "https://a.example/x",
        "GET 200 2026-10-05T00:00:00Z 192.0.2.1",
    ),
    (
        "[24/Jan/2022:16:51:02 +0000] - 404 404 - GET http npm.example \"/sdf\" [Client 192.0.2.4] [Length 192] \"UA\" \"-\"",
        "http://npm.example/sdf",
        "GET 404 2022-01-24T16:51:02Z 192.0.2.4",
    ),
    (
        "[2016-04-15T20:17:00.310Z] \"POST /api/v1/locations HTTP/2\" 204 - 154 0 226 100 \"10.0.35.28\" \"nsq2http\" \"cc21d9b0\" \"locations:8080\" \"tcp://10.0.2.1:80\"",
        "http://locations:8080/api/v1/locations",
        "POST 204 2016-04-15T20:17:00.31Z 10.0.35.28",
    ),
    (
        "Feb  6 12:14:14 lb haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] in~ static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 \"GET /a HTTP/1.1\" 0/0000/0/0/0 sni.example/TLSv1.3/TLS_AES",
        "https://sni.example/a",
        "GET 200 2009-02-06T12:14:14.655Z 10.0.1.2",
    ),
    (
        "1157689312.049   5006 10.105.21.199 TCP_MISS/200 19763 GET http://a.example/b user DIRECT/192.0.2.115 -",
        "http://a.example/b",
        "GET 200 2006-09-08T04:21:52.049Z 10.105.21.199",
    ),
    (
        "#Fields: date time cs-method cs-host cs-uri-stem cs-uri-query c-ip sc-status\n2020-10-04 22:00:35 GET a.example /a q=1 192.0.2.90 000",
        "http://a.example/a?q=1",
        "GET - 2020-10-04T22:00:35Z 192.0.2.90",
    ),
    (
        "#Fields:  c-ip  cs-method  cs-uri  cs(Cookie)\n192.0.2.90      GET   http://a.example/b     \"c \"\"d\"\"\"  ",
        "http://a.example/b",
        "GET - - 192.0.2.90",
    ),
    (
        "method;url;host;status\nGET;\"/a;\"\"b\";a.example;200",
        "http://a.example/a;%22b",
        "GET 200 - -",
    ),
    (
        "time:05/Oct/2026:00:00:00 +0000\thost:192.0.2.1\treq:GET /a HTTP/1.0\tvhost:a.example",
        "http://a.example/a",
        "GET - 2026-10-05T00:00:00Z 192.0.2.1",
    ),
    (
        "time=2026-10-05T00:00:00Z method=GET path=\"/a \\\"b\\\"\" host=a.example status=200",
        "http://a.example/a%20%22b%22",
        "GET 200 2026-10-05T00:00:00Z -",
    ),
    (
        "CEF:0|a\\|b|c|1|WAF|x|2|src=192.0.2.1 requestMethod=GET request=/a?b\\=1 dhost=a.example dpt=443",
        "https://a.example/a?b=1",
        "GET - - 192.0.2.1",
    ),
    (
        "{\"time\":\"2026-10-05T00:00:00Z\",\"method\":\"GET\",\"host\":\"a.example\",\"path\":\"\\/a\\\\b\",\"status\":200}",
        "http://a.example/a%5Cb",
        "GET 200 2026-10-05T00:00:00Z -",
    ),
    (
        "web_1 | 2026-10-05T00:00:00Z stdout F {\"log\":\"a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \\\"GET /x HTTP/1.1\\\" 200 2\\n\"}",
        "http://a.example/x",
        "GET 200 2026-10-05T00:00:00Z 192.0.2.1",
    ),
];

#[test]
fn lines_of_every_shape() {
    for (lines, wanted, stated) in REQUESTS {
        let (kind, url) = read(lines, None);
        assert_eq!((kind, &*url), (LineKind::Request, *wanted), "{lines}");
        let mut reader = LineReader::new(LogFormat::default(), None, UtcOffset::UTC);
        let mut columns = None;
        for (number, line) in lines.lines().enumerate() {
            reader.read(line.as_bytes(), &mut columns, number == 0);
        }
        let exchange = reader.request.exchange();
        let text =
            |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let shown = [
            text(exchange.method),
            exchange.status.map(|status| status.to_string()),
            exchange.time.map(|time| time.to_string()),
            text(exchange.client),
        ];
        let shown = shown.map(|part| part.unwrap_or_else(|| "-".to_owned()));
        assert_eq!(shown.join(" "), *stated, "{lines}");
    }
}

#[test]
fn the_target_is_where_the_line_has_it() {
    for (lines, ..) in REQUESTS {
        let line = lines.lines().last().unwrap();
        let mut reader = LineReader::new(LogFormat::default(), None, UtcOffset::UTC);
        let mut columns = None;
        for (number, line) in lines.lines().enumerate() {
            reader.read(line.as_bytes(), &mut columns, number == 0);
        }
        let target = &line[reader.request.target.clone()];
        assert!(target.starts_with(['/', '\\', 'h']), "{target}: {line}");
        let host = &line[reader.request.silent[1].clone()];
        assert!(
            host.is_empty()
                || reader
                    .request
                    .url
                    .0
                    .windows(5)
                    .any(|w| host.as_bytes().starts_with(&w[..5.min(host.len())]))
        );
    }
}

#[test]
fn lines_that_are_no_requests() {
    use LineKind::{Garbage, Header, NoHost, Text};
    let time = "[05/Oct/2026:00:00:00 +0000]";
    for (line, kind) in [
        (format!("192.0.2.1 - - {time} \"-\" 408 -"), Garbage),
        (format!("192.0.2.1 - - {time} \"\\x16\\x03\\x01\" 400 226"), Garbage),
        (format!("192.0.2.1 - - {time} \"\" 400 0"), Garbage),
        (format!("192.0.2.1 - - {time} \"GET / HTTP/1.1\" 200 2"), NoHost),
        (format!("a.example 192.0.2.1 - - {time} \"GET /four"), Garbage),
        (format!("a.example 192.0.2.1 - - {time} \"GET /four HTTP/1.1\" 20"), Garbage),
        (format!("a.example 192.0.2.1 - - {time} \"GET /four HTTP/1.1\" x.example"), Text),
        ("[2016-04-15T20:17:00.310Z] \"POST /api/v1".to_owned(), Garbage),
        (format!("192.0.2.1 - - {time} no request"), Text),
        ("#Fields: date cs-method".to_owned(), Header),
        ("#Software: IIS".to_owned(), Text),
        ("method,url".to_owned(), Header),
        ("name,address".to_owned(), Text),
        ("{\"method\":\"GET\",\"path\":\"/a\"}".to_owned(), NoHost),
        ("{\"method\":\"GET\",\"path\":\"index.php\",\"host\":\"a.example\"}".to_owned(), Garbage),
        ("{\"method\":\"GET\",\"path\":\"/a".to_owned(), Garbage),
        ("{\"request\":\"GET /a HTTP/1.1\",\"x\"".to_owned(), Garbage),
        ("{\"method\":\"linear\",\"path\":\"/a".to_owned(), Text),
        ("{\"path\":\"/a".to_owned(), Text),
        ("{\"method\":\"-\",\"path\":\"-\"}".to_owned(), Text),
        ("{\"event_type\":\"fileinfo\",\"src_ip\":\"192.0.2.1\",\"http\":{\"hostname\":\"a.example\",\"url\":\"/\",\"http_method\":\"GET\"}}".to_owned(), Text),
        ("2026-10-05T00:00:00Z stdout P a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 2".to_owned(), Text),
        ("INFO a line of text: http://a.example/".to_owned(), Text),
        (format!("see http://a.example/ a.example 192.0.2.1 - - {time} \"GET / HTTP/1.1\" 200 2"), Text),
        (String::new(), Text),
    ] {
        assert_eq!(read(&line, None).0, kind, "{line}");
    }
    let line = format!("192.0.2.1 - - {time} \"GET /a HTTP/1.1\" 200 2");
    assert_eq!(
        read(&line, Some("https://b.example:8443/x")).1,
        "https://b.example:8443/a"
    );
}

/// Reads a line behind `first`, which may have the same host, as where no more than the URLs is
/// wanted; returns its kind and what it states.
fn read_behind(first: &str, line: &str, base: Option<&str>) -> (LineKind, [String; 3]) {
    let base = base.map(str::as_bytes);
    let mut reader = LineReader::new(LogFormat::default(), base, UtcOffset::UTC);
    reader.reads_exchange = false;
    reader.read(b"first", &mut None, true);
    reader.read(first.as_bytes(), &mut None, false);
    let kind = reader.read(line.as_bytes(), &mut None, false);
    let request = &reader.request;
    if kind != LineKind::Request {
        return (kind, Default::default());
    }
    let referer = match request.referer_at.is_empty() {
        true => &[][..],
        false => &request.referer.0,
    };
    let texts = [&request.url.0[..], referer, &request.written];
    let texts = texts.map(|text| String::from_utf8_lossy(text).into_owned());
    (kind, texts)
}

#[test]
fn one_look_at_a_line_of_a_server_is_enough() {
    let time = "[05/Oct/2026:01:43:14 +0200]";
    let tails = [
        "\"GET /a HTTP/1.1\" 200 2",
        "\"GET /a HTTP/1.1\" 200 2 \"http://r.example/\" \"x\"",
        "\"GET /b\\x22 HTTP/1.1\" 200 2 \"http://r.ex ample/\"",
        "\"GET /a\" - -",
        "\"GET /a\"b HTTP/1.1\" 200 2",
        "\"GET http://h.example/a HTTP/1.1\" 200 2",
        "\"CONNECT h.example:443 HTTP/1.1\" 200 2",
        "\"OPTIONS * HTTP/1.1\" 200 2",
        "\"\\x16\\x03\" 400 2",
        "\"-\" 408 0",
        "\"GET /a HTTP/1.1\" 2000 2",
        "\"GET /a HTTP/1.1",
        "x",
    ];
    let heads = [
        "192.0.2.1 - -",
        "192.0.2.1 - a.b",
        "192.0.2.1  -",
        "2001:db8::1 - -",
        "crawler.example - -",
        "h.example 192.0.2.1 - -",
        "h.example:443 192.0.2.1 - user",
        "h.example:443 - g.example -",
        "h.example:443  - g.example -",
        "h.example:443 192.0.2.1 -",
        "h.example:443 a|b - -",
        "h.example:443x 192.0.2.1 - -",
        "192.0.2.1 - - h.example",
        "192.0.2.1 http: -",
        "192.0.2.1 a|b -",
        "a | 192.0.2.1 -",
        "2026-10-05 - -",
        "a - -",
        "1",
        "",
    ];
    for first in ["", "h.example:443", "h.example", "192.0.2.9:80"] {
        let first = format!("{first} 192.0.2.1 - - {time} {}", tails[0]);
        for (head, tail) in heads.iter().flat_map(|head| tails.map(|tail| (head, tail))) {
            let line = format!("{head} {time} {tail}");
            for base in [None, Some("https://b.example:8443/")] {
                let behind = |prefix: &str| read_behind(&first, &format!("{prefix}{line}"), base);
                // A line behind a prefix does not begin so, and is read as a whole.
                assert_eq!(behind(""), behind("web_1 | "), "{line} behind {first}");
            }
        }
    }
}
