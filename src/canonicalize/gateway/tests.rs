//! Two cases for each row of the table and for each reader; targets that are wrapped are
//! unwrapped; gateways that lead to themselves end.

use super::*;
use proptest::prelude::*;

/// Returns the target of `uri`, the names of its gateways and why it has none.
fn unwrap(uri: &str) -> (String, String, Vec<TargetLack>) {
    let mut out = Unwrapped::default();
    let is_of = Gateways::built_in().unwrap(uri.as_bytes(), &mut out);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if !is_of {
        return (uri.to_owned(), String::new(), Vec::new());
    }
    let lack = out.lack().into_iter().collect();
    (text(out.target()), text(out.names()), lack)
}

fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => encoded.push(char::from(byte)),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Base64 with the alphabet of URLs.
fn encode_base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = chunk
            .iter()
            .fold(0u32, |bits, &byte| bits << 8 | u32::from(byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            let value = bits >> (18 - 6 * digit) & 63;
            encoded.push(char::from(DIGITS[value as usize]));
        }
    }
    encoded
}

/// Returns a URL of `row` with this target, and the host that its pattern means.
fn wrap(row: &GatewayRow, target: &str) -> String {
    let host = row
        .host()
        .replace("www.google.*", "www.google.co.uk")
        .replace("*ctp", "x-ctp");
    let host = host.replace('*', "eu-1.x").replace("..", ".");
    let value = match row.coding {
        Coding::Base64 => encode_base64(target),
        _ => encode(target),
    };
    let parameter = row.parameters.first().map_or("x", String::as_str);
    format!(
        "https://{host}{}?zz=b&{parameter}={value}&c=d#e",
        row.path()
    )
}

#[test]
fn each_row_has_a_source_and_two_cases() {
    let text = include_str!("gateways.tsv");
    let rows = table::parse(text).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!((rows.len(), lines.len() > 20), (lines.len(), true));
    for (row, line) in rows.iter().zip(lines) {
        let columns: Vec<&str> = line.split('\t').collect();
        assert!(
            columns.len() == 7 && columns[5].len() > 5 && columns[6].len() == 10,
            "{line}"
        );
        let target = "http://b.example/x?y=1&z=%C3%A4#f";
        let wrapped = wrap(row, target);
        let wanted = match row.coding {
            Coding::Opaque => (wrapped.clone(), String::new(), vec![TargetLack::Opaque]),
            _ => (target.to_owned(), row.name.clone(), Vec::new()),
        };
        assert_eq!(unwrap(&wrapped), wanted, "{wrapped}");
        // Another host is no gateway, and a gateway without a URI has a problem.
        let other = wrapped.replacen(".com", ".com.example", 1);
        let other = other.replacen(".net", ".net.example", 1);
        if row.host().ends_with(".com") || row.host().ends_with(".net") {
            assert_eq!(unwrap(&other), (other.clone(), String::new(), Vec::new()));
        }
        let empty = wrap(row, "x");
        if row.coding != Coding::Opaque {
            assert_eq!(
                unwrap(&empty),
                (empty.clone(), String::new(), vec![TargetLack::Broken])
            );
        }
    }
}

#[test]
fn readers_have_two_cases_or_more() {
    let target = "http://b.example/x?y=1";
    let (encoded, base64) = (encode(target), encode_base64(target));
    for (name, wrapped, wanted) in [
        (
            "urldefense",
            "https://urldefense.proofpoint.com/v2/url?u=http-3A__b.example_x-3Fy-3D1&d=D"
                .to_owned(),
            target,
        ),
        (
            "urldefense",
            "https://urldefense.com/v3/__http://b.example/x?y=1__;!!a!b$".to_owned(),
            target,
        ),
        (
            "urldefense",
            "https://urldefense.us/v3/__http:/b.example/*?**A__;4pi6w6TDtg!!a!b$".to_owned(),
            "http://b.example/\u{263a}?\u{e4}\u{f6}",
        ),
        (
            "cisco",
            format!("https://secure-web.cisco.com/1abc/{encoded}"),
            target,
        ),
        (
            "cisco",
            "http://secure-web.cisco.com/1abc/http://b.example/x?y=1".to_owned(),
            target,
        ),
        (
            "awstrack",
            format!("https://x.r.eu-west-1.awstrack.me/L0/{encoded}/1/2-3/4=5"),
            target,
        ),
        (
            "awstrack",
            "https://x.awstrack.me/L0/https:%2F%2Fb.example%2Fx/1/2".to_owned(),
            "https://b.example/x",
        ),
        (
            "google",
            "https://www.google.com/amp/s/b.example/x?y=1".to_owned(),
            "https://b.example/x?y=1",
        ),
        (
            "google",
            "https://www.google.de/amp/b.example/x".to_owned(),
            "http://b.example/x",
        ),
        (
            "amp",
            "https://b-example.cdn.ampproject.org/c/s/b.example/x?y=1".to_owned(),
            "https://b.example/x?y=1",
        ),
        (
            "amp",
            "https://b-example.cdn.ampproject.org/c/b.example/x".to_owned(),
            "http://b.example/x",
        ),
        (
            "yahoo",
            format!("https://r.search.yahoo.com/_ylt=A/RV=2/RU={encoded}/RK=2/RS=x-"),
            target,
        ),
        (
            "yahoo",
            "https://r.search.yahoo.com/RU=https%3a%2f%2fb.example".to_owned(),
            "https://b.example",
        ),
        (
            "bing",
            format!("https://www.bing.com/ck/a?!&&p=a&u=a1{base64}&ntb=1"),
            target,
        ),
        (
            "bing",
            format!("https://www.bing.com/ck/a?u=a1{}", encode_base64("/maps?x")),
            "https://www.bing.com/maps?x",
        ),
        (
            "disqus",
            format!("https://disq.us/url?url={encoded}%3AabcdefghijklmnopqrstuvwXYZ_&cuid=1"),
            target,
        ),
        (
            "disqus",
            "http://disq.us/url?url=https%3A%2F%2Fb.example%3AabcdefghijklmnopqrstuvwXYZ_"
                .to_owned(),
            "https://b.example",
        ),
        (
            "archives",
            "https://web.archive.org/web/20200101000000/http://b.example/x?y=1".to_owned(),
            target,
        ),
        (
            "archives",
            "http://web.archive.org/web/2013im_/http://b.example/x#z".to_owned(),
            "http://b.example/x#z",
        ),
        (
            "archives",
            "https://archive.ph/20240101/https://b.example/p?x".to_owned(),
            "https://b.example/p?x",
        ),
        (
            "archives",
            "http://archive.is/2019.06.25-171347/https:/b.example/p".to_owned(),
            "https://b.example/p",
        ),
        (
            "translate",
            "https://b-c--d-example.translate.goog/x?y=1&_x_tr_sl=en&_x_tr_tl=de".to_owned(),
            "https://b.c-d.example/x?y=1",
        ),
        (
            "translate",
            "https://b-example.translate.goog/?_x_tr_sl=en#z".to_owned(),
            "https://b.example/#z",
        ),
    ] {
        assert_eq!(
            unwrap(&wrapped),
            (wanted.to_owned(), name.to_owned(), vec![]),
            "{wrapped}"
        );
    }
    let names: Vec<&str> = codes::CODES.iter().map(|code| code.name).collect();
    assert_eq!(names.len(), 11);
    for bad in [
        "https://urldefense.com/v3/__http://b.example/*__;!!a!b$",
        "https://urldefense.com/v3/__http://b.example/x",
        "https://secure-web.cisco.com/",
        "https://www.bing.com/ck/a?u=a1%%",
        "https://www.bing.com/ck/a?u=a1aHR0cDovL2IuZXhhbXBsZS8A",
        "https://eu.protection.sophos.com/?u=aHR0cDovL2IuZXhhbXBsZS__",
        "https://r.search.yahoo.com/x",
        "https://web.archive.org/web/x/http://b.example",
        "https://disq.us/url?url=http%3A%2F%2Fb.example",
        "https://archive.today/2024/x",
    ] {
        assert_eq!(
            unwrap(bad),
            (bad.to_owned(), String::new(), vec![TargetLack::Broken]),
            "{bad}"
        );
    }
}

#[test]
fn gateways_around_gateways_end() {
    let inner = "http://b.example/";
    let mut wrapped = inner.to_owned();
    for _ in 0..4 {
        wrapped = format!("https://slack-redir.net/link?url={}", encode(&wrapped));
    }
    assert_eq!(
        unwrap(&wrapped),
        (inner.to_owned(), ["slack"; 4].join(" "), vec![])
    );
    for _ in 0..6 {
        wrapped = format!("https://out.reddit.com/?url={}", encode(&wrapped));
    }
    let (target, names, _) = unwrap(&wrapped);
    assert_eq!(names.split(' ').count(), DEPTH);
    assert!(target.starts_with("https://slack-redir.net/"));
    // One that leads to itself, and one to a shortener.
    let own = "https://www.google.com/url?q=https://www.google.com/url";
    assert_eq!(
        unwrap(own),
        (
            "https://www.google.com/url".into(),
            "google".into(),
            vec![TargetLack::Broken]
        )
    );
    let short = "https://vk.com/away.php?to=https%3A%2F%2Ft.co%2Fx";
    assert_eq!(
        unwrap(short),
        (
            "https://t.co/x".into(),
            "vk".into(),
            vec![TargetLack::Opaque]
        )
    );
}

#[test]
fn lines_that_are_no_rows_are_named() {
    for (text, line) in [
        ("x", 1),
        ("# c\n\na\tb.example\tx\tu\tpercent", 3),
        ("a\tb.example\t/\t\tpercent", 1),
        ("a\tb.example\t/\tu\trot13", 1),
    ] {
        assert_eq!(Gateways::parse(text).unwrap_err().line(), line, "{text}");
    }
}

proptest! {
    /// A target that a gateway wraps is unwrapped, for every row of the table.
    #[test]
    fn what_is_wrapped_is_unwrapped(path in "[a-z0-9/?&=.~_+,;:@!%#\u{e4}-]{0,30}", row in any::<prop::sample::Index>()) {
        let rows: Vec<GatewayRow> = table::built_in().into_iter().filter(|row| row.coding != Coding::Opaque).collect();
        let row = row.get(&rows);
        let target = format!("http://b.example/{path}");
        let (found, names, problems) = unwrap(&wrap(row, &target));
        prop_assert_eq!((found, names, problems), (target, row.name.clone(), vec![]));
    }

    #[test]
    fn no_url_is_too_strange(uri in "https?://(www\\.google\\.com|urldefense\\.com|secure-web\\.cisco\\.com|x\\.translate\\.goog|www\\.bing\\.com|web\\.archive\\.org)(/|url|v3/__|ck/a|web/|amp/|s/|\\?|u=a1|q=|\\*|\\*\\*[A-Z_]|__;|!|[a-zA-Z0-9%&:=-]|http://a\\.b|\u{e4}){0,12}") {
        let mut out = Unwrapped::default();
        if Gateways::built_in().unwrap(uri.as_bytes(), &mut out) {
            prop_assert!(!out.target().is_empty());
        }
    }
}
