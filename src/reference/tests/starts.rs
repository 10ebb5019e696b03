//! The starts of URIs (S1 to S7).

use super::*;

#[test]
fn s1_and_s2_ask_for_a_scheme_and_a_host() {
    assert_eq!(texts("open C:\\dir or C://x or c:/temp"), NOTHING);
    assert_eq!(
        texts("s3://bucket/key foo+bar.1-x://h/p file:///etc/hosts http:// http:///x foo:///"),
        ["s3://bucket/key", "foo+bar.1-x://h/p", "file:///etc/hosts"]
    );
    assert_eq!(texts(&format!("{}://h", "a".repeat(64))).len(), 1);
    assert_eq!(texts(&format!("{}://h", "a".repeat(65))), NOTHING);
    assert_eq!(texts(&format!("{}http://h", "a".repeat(90))), ["http://h"]);
}

#[test]
fn s3_opaque_uris_have_their_shapes() {
    for uri in [
        "urn:isbn:0395363411",
        "mailto:joe@example.com",
        "mailto:?subject=x",
        "news:comp.lang.c",
        "news:1@b",
        "tel:+1-201-555-0123",
        "sms:123?body=x",
        "doi:10.1000/182",
        "doi:10.1.2/x",
        "hdl:2027/x",
        "ark:/12345/x",
        "isbn:0-395-36341-1",
        "issn:1234-567X",
        "magnet:?dn=x&xt=urn:btih:c1",
        "tag:a.example,2020:x",
        "info:doi/10.1",
        "sip:a@b",
        "sips:a.b",
        "xmpp:[::1]",
        "cid:a@b",
        "geo:48.2,-16",
        "did:web:x",
        "pkg:npm/x",
        "swh:1:cnt",
        "bitcoin:1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
        "view-source:http://a.example/",
        "jdbc:mysql://h/db",
    ] {
        assert_eq!(texts(uri), [uri]);
    }
    let prose = "12:30:45 note: see std::vector key:value Foo::Bar {\"a\":1} INFO:a/b <news:title> \
                 cid:12 error:42 mailto: urn: urn:x data: tel:me tel:12 geo:1 isbn:123 doi:11.1/x \
                 magnet:?x=1 ark:1234/x jdbc:x mailto:?=x sip:a swh:2:x javascript:x";
    assert_eq!(texts(prose), NOTHING);
    assert_eq!(texts("urn:ab:c[1] urn:ab:cé"), ["urn:ab:c", "urn:ab:c"]);
    let options = Options {
        opaque: vec!["data".into()],
        ..Options::default()
    };
    let input = "data:,x about:blank data: javascript:x";
    assert_eq!(texts_with(input, &options), ["data:,x"]);
    let options = Options {
        opaque_all: true,
        ..Options::default()
    };
    assert_eq!(texts_with(input, &options), ["data:,x", "about:blank"]);
    assert_eq!(texts_with("tel:me", &options), NOTHING);
}

#[test]
fn s4_the_scheme_is_the_longest_run() {
    assert_eq!(
        texts("1.http://a.example/x see.http://b.example/y ...https://c.example/z yFTP://d/"),
        [
            "http://a.example/x",
            "http://b.example/y",
            "https://c.example/z",
            "FTP://d/"
        ]
    );
    for whole in [
        "git+https://d/r.git",
        "svn+ssh://e/r",
        "sparse+xhttp://h/",
        "akka.tcp://sys@h:1/x",
    ] {
        assert_eq!(texts(whole), [whole]);
    }
    assert_eq!(texts("desc-https://a/1 1abc://foo"), ["https://a/1"]);
    assert_eq!(
        texts("1urn:ab:c +doi:10.1/x xurn:ab:c 1tel:123"),
        ["urn:ab:c", "doi:10.1/x"]
    );
}

#[test]
fn s4_tails_of_escapes_are_no_part_of_the_run() {
    assert_eq!(texts("a%3Durn:ab:c %252Ffoo://h"), ["urn:ab:c", "foo://h"]);
    assert_eq!(
        texts("\\nfoo://h \\x22foo://h \\u003efoo://h"),
        ["foo://h"; 3]
    );
    assert_eq!(
        texts("\u{1b}[1;31mfoo://h \\x1b[0mfoo://h \\033[mfoo://h"),
        ["foo://h"; 3]
    );
    assert_eq!(
        texts("\u{1f}uhttp://a/m\u{1e}\u{1f}uurn:nbn:de:101:1-2\u{1e}"),
        ["http://a/m", "urn:nbn:de:101:1-2"]
    );
}

#[test]
fn s5_url_is_a_wrapper() {
    let input = "<URL:http://a/x> <URL: http://b/y> URL:http://c/z <url:http://d/> URL=<ftp://e/f> \
                 [URI:http://f/] <URL:\n http://g/>";
    let found = run(input, &Options::default());
    assert!(found.iter().all(|found| found.marks.url_prefix));
    assert_eq!(
        texts(input),
        [
            "http://a/x",
            "http://b/y",
            "http://c/z",
            "http://d/",
            "ftp://e/f",
            "http://f/",
            "http://g/"
        ]
    );
    assert!(!only("xURL:http://a/").marks.url_prefix);
    assert!(!only("URL:\nhttp://a/").marks.url_prefix);
}

#[test]
fn s6_inner_uris_are_reported_on_demand() {
    let input = "https://web.example/2020/http://x.example/p?u=urn:ab:c";
    assert_eq!(texts(input), [input]);
    let options = Options {
        nested: true,
        ..Options::default()
    };
    assert_eq!(
        texts_with(input, &options),
        [input, "http://x.example/p?u=urn:ab:c", "urn:ab:c"]
    );
    let many = format!("http://a/{}", "?http://b".repeat(9));
    let found = run(&many, &options);
    assert_eq!(found.len(), 9);
    assert_eq!(codes(found[0].marks.problems), ["nested-limit"]);
    assert!(
        found[1..]
            .iter()
            .all(|inner| inner.offset + inner.length == many.len())
    );
}

#[test]
fn s7_abbreviated_uris_are_reported_on_demand() {
    let input =
        "see www.w3.example/Addressing/ and ftp.example.org. www.a xwww.a.b /www.a.b \\nwww.c.d";
    assert_eq!(texts(input), NOTHING);
    let options = Options {
        abbreviated: true,
        ..Options::default()
    };
    assert_eq!(
        texts_with(input, &options),
        ["www.w3.example/Addressing/", "ftp.example.org", "www.c.d"]
    );
    assert!(run("<www.a.b>", &options)[0].marks.abbreviated);
}
