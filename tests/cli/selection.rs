//! Which findings are reported: lists of hosts, problems, lists of parameters.

use crate::program::run;
use std::fs;

#[test]
fn hosts_are_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hosts");
    let list = "\u{FEFF}# those of ours\r\n\r\n b.example \r\n*.C.example\r\n[::1]\r\n";
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
    assert!(wrong.err.contains("line 2"), "{}", wrong.err);
    let missing = run(&["--host", "@no/such/file"], text);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("no/such/file"), "{}", missing.err);
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
