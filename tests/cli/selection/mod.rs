//! Which findings are reported: lists of hosts, problems, lists of parameters.

mod exchanges;
mod matching;
mod params;
mod per;
mod shapes;

use crate::program::run;
use std::fs;

#[test]
fn hosts_are_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hosts");
    let list = "\u{FEFF}# those of ours\r\n\r\n b.example \r\n*.C.example\r\n[::1]\r\n; a\n// b\n! c\n!\n!#if d\n!-e";
    fs::write(&path, list).unwrap();
    let flag = format!("@{}", path.display());
    let text = b"http://b.example/ http://x.B.example/ http://bb.example/ http://a.c.example/ \
        http://[::1]/ http://d.example/";
    let wanted = "http://b.example/\nhttp://x.b.example/\nhttp://a.c.example/\nhttp://[::1]/\n";
    assert_eq!(run(&["--host", &flag], text).out, wanted);
    // Beside others.
    let both = run(&["--host", &flag, "--host", "d.example"], text).out;
    assert_eq!(both, format!("{wanted}http://d.example/\n"));
    // Nobody is on an empty list.
    fs::write(&path, "# nobody\n").unwrap();
    assert_eq!(run(&["--host", &flag], text).code, 1);
    fs::write(&path, "a.example\nhttp://b.example/\n").unwrap();
    let wrong = run(&["--host", &flag], text);
    assert_eq!(wrong.code, 2);
    let place = format!("{}:2: \"http://b.example/\": not a host", path.display());
    assert!(wrong.err.contains(&place), "{}", wrong.err);
    fs::write(&path, "!x.example\n").unwrap();
    assert_eq!(run(&["--host", &flag], text).code, 2);
    let missing = run(&["--host", "@no/such/file"], text);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("no/such/file"), "{}", missing.err);
}

/// Selection depends neither on the level nor on the spelling, and the output stays (I1).
#[test]
fn hosts_are_selected_by_what_they_mean() {
    let text = "http://evil.example./x http://%65vil.example/ HTTP://A.Evil.Example/ \
        http://bücher.example/ http://xn--bcher-kva.example/ http://0x7f.1/ \
        http://[::FFFF:127.0.0.1]/ http://[2001:DB8:0:0::1]/ mailto:x@b.example,y@Evil.example \
        sip:x@evil.example:5060 jar:http://evil.example/a!/b http://192.0.2.99:8080/";
    let others = " http://notevil.example/ http://evil.example.org/ http://evil.example../ \
        http://127.0.0.1.example/ http://[2001:db8::2]/ mailto:evil.example@b.example \
        http://192.0.3.1/ http://192.0.2.99/ urn:evil-example:1";
    let both = [text, others].concat();
    for level in ["none", "lexical", "syntax", "scheme"] {
        let hosts = [
            "evil.example",
            "BÜCHER.example",
            "127.1",
            "2001:db8::1",
            "192.0.2.99:8080",
        ];
        let mut args = vec!["--all", "-L", level];
        hosts.iter().for_each(|host| args.extend(["--host", host]));
        let wanted = run(&["--all", "-L", level], text.as_bytes()).out;
        assert_eq!(wanted.lines().count(), 12, "{wanted}");
        assert_eq!(run(&args, both.as_bytes()).out, wanted, "{level}");
        assert_eq!(run(&args, others.as_bytes()).code, 1);
    }
    let text = b"http://evil.example/ http://x.evil.example/ http://192.0.2.1/ http://192.0.2.200/";
    for (host, wanted) in [
        ("=evil.example", "http://evil.example/\n"),
        ("*.evil.example", "http://x.evil.example/\n"),
        (
            "evil[.]example:80",
            "http://evil.example/\nhttp://x.evil.example/\n",
        ),
        ("evil.example:443", ""),
        ("192.0.2.77/25", "http://192.0.2.1/\n"),
    ] {
        assert_eq!(run(&["--host", host], text).out, wanted, "{host}");
    }
    let wrong = run(&["--host", "192.0.2.0/33"], text);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("192.0.2.0/24"), "{}", wrong.err);
}

#[test]
fn patterns_are_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("patterns");
    let flag = format!("@{}", path.display());
    let text = b"http://a.example/x.png http://a.example/#b http://b.example/";
    fs::write(&path, "\u{FEFF}\\.png$\r\n\n#b\n").unwrap();
    let included = "http://a.example/x.png\nhttp://a.example/#b\n";
    assert_eq!(run(&["--include", &flag], text).out, included);
    assert_eq!(run(&["--exclude", &flag], text).out, "http://b.example/\n");
    let both = run(&["--include", &flag, "--include", "b.example"], text).out;
    assert_eq!(both, format!("{included}http://b.example/\n"));
    // A file without patterns includes nothing, and excludes nothing.
    fs::write(&path, "\n").unwrap();
    assert_eq!(run(&["--include", &flag], text).code, 1);
    assert_eq!(run(&["--exclude", &flag], text).out.lines().count(), 3);
    for list in [&b"a\n(\n"[..], b"a\n\xE9\n"] {
        fs::write(&path, list).unwrap();
        let wrong = run(&["--exclude", &flag], text);
        assert_eq!((wrong.code, &*wrong.out), (2, ""));
        let place = format!("--exclude: {}:2: ", path.display());
        assert!(wrong.err.contains(&place), "{}", wrong.err);
    }
    let missing = run(&["--include", "@no/such"], text);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("no/such"), "{}", missing.err);
    assert_eq!(run(&["--include", r"\@b"], b"http://a/@b").code, 0);
}

#[test]
fn findings_with_one_of_some_problems() {
    let text = b"http://a.example/100% http://a.example/ http://b.example:x/ urn:isbn:0395363412";
    assert_eq!(
        run(&["--problem", "bad-percent,bad-port"], text).out,
        "http://a.example/100%\nhttp://b.example:x/\n"
    );
    let report = run(&["--problem", "isbn-check", "-c"], text);
    assert_eq!(report.out, "1\turn:isbn:0395363412\n");
    let none = run(&["--problem", "bad-utf8"], text);
    assert_eq!((none.code, &*none.out), (1, ""));
    // Each selection narrows the other.
    let both = run(
        &["--problem", "bad-percent,bad-port", "--host", "b.example"],
        text,
    );
    assert_eq!(both.out, "http://b.example:x/\n");
    let unknown = run(&["--problem", "bad-percnt"], text);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("bad-percent, "), "{}", unknown.err);
}

#[test]
fn a_list_of_parameters_is_known_and_shown() {
    let text = b"http://a.example/?utm_id=1&b=2";
    let dropped = run(&["--drop-param", "@tracking"], text).out;
    assert_eq!(dropped, "http://a.example/?b=2\n");
    for args in [
        &["--drop-param", "@ads"][..],
        &["normalize", "--drop-param", "@ads"],
    ] {
        let unknown = run(args, text);
        assert_eq!(unknown.code, 2, "{args:?}");
        assert!(unknown.err.contains("@tracking"), "{}", unknown.err);
    }
    for redact in ["@secret", "query:@secret"] {
        let unknown = run(&[&format!("--redact={redact}")], text);
        assert_eq!(unknown.code, 2, "{redact}");
        assert!(unknown.err.contains("@secrets"), "{}", unknown.err);
    }
    let formats = run(&["formats"], b"").out;
    assert!(formats.contains("tracking\tutm_*\t"), "{formats}");
}
