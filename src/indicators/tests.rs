//! Lists of every form against URIs of every kind, and the memory of large ones.

use super::intake::BadEntry;
use super::matcher::Matcher;
use crate::thorough;
use proptest::prelude::*;
use std::io::Read;

/// Returns the matcher of a list, and the lines that are not entries.
fn read(list: &str) -> (Matcher, Vec<u64>) {
    let mut bad = Vec::new();
    let mut builder = Matcher::builder();
    let read = builder.add_list("l", list.as_bytes(), |entry| bad.push(entry.line));
    assert_eq!(read.unwrap().bad, bad.len() as u64);
    (builder.build(), bad)
}

/// Checks which lines of a list match a URI.
fn check(list: &str, cases: &[(&str, &[u64])]) {
    let (matcher, bad) = read(list);
    assert!(bad.is_empty(), "{bad:?}");
    for (uri, lines) in cases {
        let found = matcher.entries_of(uri.as_bytes());
        let found: Vec<u64> = found.iter().map(|entry| entry.line).collect();
        assert_eq!(found, *lines, "{uri}");
        assert_eq!(matcher.matches(uri.as_bytes()), !lines.is_empty());
    }
}

#[test]
fn hosts_and_addresses() {
    let list = "a.example\n=b.example\n*.a.example\na.example:8080\n192.0.2.0/24\n0x7f.1\n\
        2001:db8::/32\n192.0.2.9:81\nc[.]example\n=e[.]example\n*.f(dot)example\njoe[@]g[.]example\n";
    check(
        list,
        &[
            ("http://a.example/", &[1]),
            ("HTTP://X.A.EXAMPLE.:8080/", &[1, 3, 4]),
            ("http://b.example/", &[2]),
            ("http://x.b.example/", &[]),
            ("ftp://192.0.2.9:81/", &[5, 8]),
            ("http://[::ffff:192.0.2.1]/", &[5]),
            ("http://2130706433/", &[6]),
            ("http://[2001:DB8:1::]/", &[7]),
            ("mailto:joe@x.c.example", &[9]),
            ("http://e.example/", &[10]),
            ("http://x.e.example/", &[]),
            ("http://x.f.example/", &[11]),
            ("mailto:joe@g.example", &[12]),
            ("http://g.example/", &[]),
            ("urn:a-b:a.example", &[]),
            ("http://notc.example/", &[]),
        ],
    );
}

#[test]
fn uris_in_any_spelling() {
    let list = "http://a.example\nhttp://b.example/%7ejoe/x#top\nurn:ISBN:0-395-36341-1\n\
        mailto:joe@a.example\nc.example/x\nhxxps://d[.]example/\nhttp://b.example/~joe/x\n\
        sha256:2d7507a883e8c2b01563356e9d9cfcb8c0ad443678e97f8bc1f7121327ba5296\nfile:///x\n";
    check(
        list,
        &[
            ("HTTP://A.Example:80/#f", &[1]),
            ("http://a.example/x", &[]),
            ("http://B.example/y/../~joe/x", &[2, 7]),
            ("urn:isbn:0395363411", &[3]),
            ("MAILTO:joe@A.example", &[4]),
            ("http://c.example/x", &[5]),
            ("https://C.example:443/x#y", &[5]),
            ("ftp://c.example/x", &[]),
            ("https://d.example", &[6]),
            ("http://b.example/secret#f", &[8]),
            ("file:///x", &[9]),
        ],
    );
}

#[test]
fn starts_and_paths() {
    let list = "http://a.example/d/*\nhttp://a.example/d/e*\nurn:isbn:0*\n||b.example/p/\n\
        ||b.example:8080/*\n||192.0.2.1/x\nhttp://a.example/q?x=*\nmailto:joe@c.ex*\n";
    check(
        list,
        &[
            ("http://A.example/d/", &[1]),
            ("http://a.example/d/e/f", &[1, 2]),
            ("http://a.example/d", &[]),
            ("https://a.example/d/", &[]),
            ("urn:isbn:0395363411", &[3]),
            ("ftp://x.b.example/p/q", &[4]),
            ("http://b.example:8080/p/", &[4, 5]),
            ("http://b.example/p", &[]),
            ("http://notb.example/p/", &[]),
            ("http://0xc0000201/x", &[6]),
            ("http://a.example/q?x=1", &[7]),
            ("mailto:joe@c.example", &[8]),
        ],
    );
}

#[test]
fn exceptions_win() {
    let list = "a.example\n!ok.a.example\n@@||a.example/free/\n!http://a.example/x*\n!/[?]ok$/\n";
    check(
        list,
        &[
            ("http://a.example/", &[1]),
            ("http://ok.a.example/", &[]),
            ("http://a.example/free/z", &[]),
            ("http://a.example/xyz", &[]),
            ("http://a.example/?ok", &[]),
            ("http://a.example/?ok=1", &[1]),
        ],
    );
    let entries: Vec<u64> = read(list).0.entries().map(|entry| entry.line).collect();
    assert_eq!(entries, [1]);
}

#[cfg(feature = "patterns")]
#[test]
fn regular_expressions() {
    let list = "/gate\\.php$/\n/GATE/i\n/^http:..a[.]example.x$/\n";
    check(
        list,
        &[
            ("http://a.example/gate.php", &[1, 2]),
            ("http://a.example/y/../x#f", &[3]),
            ("http://a.example/Gate.php?", &[2]),
            ("http://b.example/", &[]),
        ],
    );
    let mut why = Vec::new();
    let bomb = format!("/(((({}))))/\n/a(b/\n/ok/\n", "(a{0,500}){0,500}");
    let mut builder = Matcher::builder();
    let counts = builder.add_list("l", bomb.as_bytes(), |bad| why.push(bad.to_string()));
    assert_eq!(counts.unwrap().entries, 1);
    assert!(why[0].contains("size limit"), "{why:?}");
    assert!(why[1].contains("unclosed group"), "{why:?}");
    // All of them are too large for one set.
    let many: String = (0..8).map(|at| format!("/x{at}-\\w{{100}}/\n")).collect();
    let (matcher, bad) = read(&many);
    assert!(bad.is_empty());
    let uri = format!("http://a.example/x7-{}", "w".repeat(100));
    assert_eq!(matcher.entries_of(uri.as_bytes())[0].line, 8);
}

#[test]
fn lists_of_other_tools() {
    let hosts = "127.0.0.1 localhost\n0.0.0.0 a.example b.example # two\n::1 c.example\n";
    check(
        hosts,
        &[
            ("http://a.example/", &[2]),
            ("http://x.a.example/", &[]),
            ("http://b.example/", &[2]),
            ("http://c.example/", &[3]),
            ("http://localhost/", &[]),
        ],
    );
    let rules = "[Adblock Plus 2.0]\n! Title\n||a.example^$third-party\n/ads/*\n\
        ||b.example^$script\nc.example##.x\n-ad-\n";
    let mut builder = Matcher::builder();
    let counts = builder
        .add_list("l", rules.as_bytes(), |bad| panic!("{bad}"))
        .unwrap();
    assert_eq!((counts.entries, counts.skipped), (2, 3));
    let zone = "$ORIGIN rpz.\n@ IN SOA a. b. (\n 1 2 3 4 5 )\na.example.rpz. CNAME .\n\
        *.b.example CNAME .\nc.b.example CNAME rpz-passthru.\n32.9.2.0.192.rpz-ip CNAME *.\n";
    check(
        zone,
        &[
            ("http://a.example/", &[4]),
            ("http://x.a.example/", &[]),
            ("http://x.b.example/", &[5]),
            ("http://c.b.example/", &[]),
            ("http://192.0.2.9/", &[7]),
        ],
    );
}

#[test]
fn tables_of_indicators() {
    let csv = "#####\n# dump, of today\n# id,url,link\n\"1\",\"http://a.example/\",\"http://l/\"\n\n\
        2,\"http://b.example/x,\ny\",\n# end\n3,c[.]example,\"\"\n4\n5,,\n";
    let (matcher, bad) = read(csv);
    // A URL over two lines is not one.
    assert_eq!(bad, [6, 10]);
    let lines = |uri: &str| matcher.entries_of(uri.as_bytes()).first().map(|e| e.line);
    assert_eq!(lines("http://a.example/"), Some(4));
    assert_eq!(lines("http://c.example/"), Some(9));
    assert_eq!(lines("http://l/"), None);
    let semicolons = "ioc;type\nhttp://a.example/x;url\n";
    check(semicolons, &[("http://a.example/x", &[2])]);
    let mut builder = Matcher::builder().column("seen");
    let read = builder.add_list("l", &b"id,url\n1,2\n"[..], |_| ());
    assert!(read.unwrap_err().to_string().contains("no column \"seen\""));
    // A comment is not a header where rows do not fit.
    check(
        "# url, and more\na.example\n",
        &[("http://a.example/", &[2])],
    );
    check("! url, x\na.example\n", &[("http://a.example/", &[2])]);
}

#[test]
fn feeds_in_json() {
    let misp = r#"{"response": [{"Event": {"info": "type", "Attribute": [
        {"type": "url", "value": "hxxp:\/\/a[.]example/x", "to_ids": true, "Tag": [{"value": "b.example"}]},
        {"value": "c.example", "type": "domain"},
        {"type": "ip-dst|port", "value": "192.0.2.8|443"},
        {"type": "ip-src", "value": "2001:db8::1", "deleted": true},
        {"type": "md5", "value": "x"},
        {"type": "hostname|port", "value": "h.example|8080"},
        {"type": "ip-dst", "value": "not an address"}
    ], "Object": [{"Attribute": [{"type": "hostname", "value": "g.example"}]}]}}]}"#;
    let (matcher, bad) = read(misp);
    assert_eq!(bad, [8]);
    for (uri, line) in [
        ("http://a.example/x", Some(2)),
        ("http://x.c.example/", Some(3)),
        ("https://192.0.2.8/", Some(4)),
        ("http://192.0.2.8/", None),
        ("http://[2001:db8::1]/", None),
        ("http://b.example/", None),
        ("http://h.example:8080/", Some(7)),
        ("http://g.example/", Some(9)),
        ("http://x.g.example/", None),
    ] {
        let found = matcher.entries_of(uri.as_bytes()).first().map(|e| e.line);
        assert_eq!(found, line, "{uri}");
    }
    let stix = r#"{"objects": [{"type": "indicator", "pattern": "[url:value = 'http://a.example/']"},
        {"type": "url", "value": "http://b.example/"},
        {"type": "indicator", "pattern": "[ipv4-addr:value = '192.0.2.1' OR domain-name:value = 'c.example']"},
        {"type": "indicator", "pattern": "x", "pattern_type": "yara"},
        {"type": "indicator", "pattern": "[domain-name:value = 'd.example']", "revoked": true}],
        "type": "bundle"}"#;
    check(
        stix,
        &[
            ("http://a.example", &[1]),
            ("http://b.example/", &[]),
            ("http://192.0.2.1/", &[3]),
            ("http://c.example/", &[3]),
            ("http://d.example/", &[]),
        ],
    );
    let mut builder = Matcher::builder();
    assert_eq!(
        builder
            .add_list("l", stix.as_bytes(), |_| ())
            .unwrap()
            .skipped,
        2
    );
    for (broken, entries) in [
        (&misp[..misp.len() - 1], 5),
        (&misp[..300], 3),
        ("{\"a\": 1}", 0),
        ("{\"Event\": tru\u{e9}}", 0),
        (&"[{".repeat(200), 0),
    ] {
        let mut why = Vec::new();
        let mut builder = Matcher::builder();
        let counts = builder.add_list("l", broken.as_bytes(), |bad| why.push(bad.to_string()));
        assert_eq!(counts.unwrap().entries, entries, "{broken} {why:?}");
        assert!(!why.is_empty(), "{broken}");
    }
}

#[test]
fn lines_that_are_not_entries() {
    let list = "http://a.example*\nb.example\n192.0.2.0/33\nhello world\nfoo@\nhttp://\n\
        http://*.a.example/\nsha256:00\n=a.example/x\n\n# c\na\u{1}b\n";
    let (matcher, bad) = read(list);
    assert_eq!(bad, [1, 3, 4, 5, 6, 7, 8, 9, 12]);
    assert!(matcher.matches(b"http://b.example/") && matcher.len() == 1);
    let mut bytes = b"a.example\nb\xFF.example\n".to_vec();
    bytes.extend(std::iter::repeat_n(b'x', 17 << 20));
    bytes.extend_from_slice(b"\nc.example\n");
    let mut bad = Vec::new();
    let mut builder = Matcher::builder();
    let counts = builder
        .add_list("l", &bytes[..], |entry| bad.push(entry.line))
        .unwrap();
    assert_eq!((counts.entries, bad), (2, vec![2, 3]));
}

#[test]
fn lists_with_marks_and_in_utf_16() {
    let utf16: Vec<u8> = "\u{FEFF}# c\r\na.example\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for list in [
        &utf16[..],
        b"\xEF\xBB\xBF# c\r\na.example\r\n",
        b"# c\r\na.example",
    ] {
        let mut builder = Matcher::builder();
        builder.add_list("l", list, |bad| panic!("{bad}")).unwrap();
        assert_eq!(builder.build().entries_of(b"http://a.example/")[0].line, 2);
    }
}

/// A list is read piece by piece, as it comes.
#[test]
fn lists_come_in_pieces() {
    struct Pieces<'p>(&'p [u8], usize);
    impl Read for Pieces<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let len = self.1.min(self.0.len()).min(out.len());
            out[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }
    let list =
        "{\"Event\": {\"Attribute\": [{\"type\": \"url\", \"value\": \"http:\\/\\/a.example\"}]}}";
    for len in [1, 2, 7] {
        let mut builder = Matcher::builder();
        builder
            .add_list("l", Pieces(list.as_bytes(), len), |bad| panic!("{bad}"))
            .unwrap();
        assert!(builder.build().matches(b"http://a.example/"));
    }
}

#[test]
fn an_entry_takes_at_most_a_hundred_bytes() {
    let mut list = String::new();
    for number in 0..100_000u32 {
        list += &match number % 4 {
            0 => format!("host{number:x}.sub.example.com\n"),
            1 => format!("http://www.host{number:x}.example.org/path/page{number}.html\n"),
            2 => format!("{}/24\n", std::net::Ipv4Addr::from(number << 8)),
            _ => format!("cdn{number:x}.example.net/download/{number}\n"),
        };
    }
    let (matcher, bad) = read(&list);
    assert!(bad.is_empty() && matcher.len() == 100_000);
    let size = matcher.texts.size() + matcher.index.size();
    assert!(size <= 100 * matcher.len(), "{}", size / matcher.len());
}

proptest! {
    /// A URI is matched by an entry that is another spelling of it, and by its start.
    #[test]
    fn a_uri_matches_itself(
        scheme in "(http|https|ftp|HTTP)", host in "(a\\.example|B\\.Example|192\\.0\\.2\\.1|\\[::1\\]|a%2Eb)",
        port in "(:80|:443|:8080|)", path in "(/[a-zA-Z%~.]{0,6}){0,3}", tail in "(\\?[a-z=&]{0,5})?(#x)?",
    ) {
        let uri = format!("{scheme}://{host}{port}{path}{tail}");
        let (matcher, bad) = read(&uri);
        prop_assert!(bad.is_empty());
        let mut other = scheme.to_ascii_uppercase();
        other += &uri[scheme.len()..];
        prop_assert!(matcher.matches(uri.as_bytes()) && matcher.matches(other.as_bytes()), "{}", uri);
        let canonical = super::canonicalizer().canonical(uri.as_bytes()).into_owned();
        prop_assert!(matcher.matches(&canonical));
        if !path.is_empty() {
            let (matcher, bad) = read(&format!("{scheme}://{host}{port}/*"));
            prop_assert!(bad.is_empty() && matcher.matches(uri.as_bytes()), "{}", uri);
        }
    }

    #[test]
    fn no_list_is_too_strange(list in proptest::collection::vec(any::<u8>(), 0..400), uri in "[ -~]{0,40}") {
        let mut builder = Matcher::builder();
        builder.add_list("l", &list[..], |_| ()).unwrap();
        builder.build().matches(uri.as_bytes());
    }

    #[test]
    fn no_line_is_too_strange(lines in proptest::collection::vec("[!@|=*./a-c:0-9\\[\\]$^ #\"{},-]{0,20}", 0..6)) {
        let (matcher, _) = read(&lines.join("\n"));
        matcher.matches(b"http://a.b/c");
    }
}

/// Lines of every kind, of more than two pieces for each of three threads. The state changes in
/// the middle: lines behind that are read again.
fn long_list() -> String {
    let mut list = String::new();
    for number in 0..120_000u32 {
        let [_, a, b, c] = number.to_be_bytes();
        let line = match number % 12 {
            0 => format!("www.bad{}.example", number / 24),
            1 => format!("http://www.bad{number}.example/x?y={number}"),
            2 => format!("10.{a}.{b}.{c}/32"),
            3 => format!("http://start{number}.example/d*"),
            4 => format!("!ok{number}.example"),
            5 => format!("||below{number}.example/p{number}"),
            6 => format!("hxxp://m[.]example/{number}"),
            7 => format!("in{number}.zone.example. CNAME ."),
            8 => format!("only{number}.example:8080/x"),
            9 => format!("bad line {number}"),
            10 if number % 120 == 10 => format!("/[?]n={number}$/"),
            10 => format!("=alone{number}.example"),
            _ => format!("mailto:b{number}@b{number}.example"),
        };
        list.push_str(&line);
        list.push('\n');
        match number {
            50_000 => list.push_str("$ORIGIN zone.example.\n"),
            80_000 => list.push_str("[Adblock Plus 2.0]\n"),
            _ => {}
        }
    }
    list
}

#[test]
fn a_list_is_the_same_on_any_number_of_threads() {
    let list = long_list();
    let of = |threads: usize| {
        let mut bad = Vec::new();
        let mut builder = Matcher::builder().threads(threads);
        for list in ["a.example\nx y\n", &list, &list[..1_000_000], "b.example"] {
            let note = |entry: BadEntry| bad.push((entry.line, entry.to_string()));
            builder.add_list("l", list.as_bytes(), note).unwrap();
        }
        (builder.build(), bad)
    };
    let (matcher, bad) = of(1);
    let uris: Vec<String> = (0..120_000u32)
        .step_by(5 * thorough::step(4))
        .flat_map(|number| {
            let [_, a, b, c] = number.to_be_bytes();
            [
                format!("http://www.bad{}.example/", number / 24),
                format!("http://www.bad{number}.example/x?y={number}"),
                format!("http://10.{a}.{b}.{c}/?n={number}"),
                format!("http://start{number}.example/dir"),
                format!("http://ok{number}.example/?n=10"),
                format!("http://a.below{number}.example/p{number}/q"),
                format!("http://m.example/{number}"),
                format!("http://in{number}/"),
                format!("http://in{number}.zone.example/"),
                format!("https://only{number}.example:8080/x"),
                format!("http://alone{number}.example/"),
                format!("mailto:b{number}@b{number}.example"),
            ]
        })
        .collect();
    let found = |matcher: &Matcher| {
        let found = uris.iter().map(|uri| {
            let entries = matcher.entries_of(uri.as_bytes());
            let entries = entries
                .iter()
                .map(|entry| (entry.line, entry.entry.to_vec()));
            entries.collect::<Vec<_>>()
        });
        found.collect::<Vec<_>>()
    };
    let wanted = found(&matcher);
    assert!(wanted.iter().filter(|entries| !entries.is_empty()).count() > 10_000);
    for threads in [2, 3] {
        let (divided, bad_here) = of(threads);
        assert_eq!(bad_here, bad, "{threads}");
        assert!(divided.entries().eq(matcher.entries()), "{threads}");
        assert!(found(&divided) == wanted, "{threads}");
    }
}
