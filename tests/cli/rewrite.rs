//! The command `rewrite`: the input, with other URIs in it (I29).

use crate::program::{Ran, output_of, program, run};
use std::fs;
use std::io::Write;
use std::path::Path;

fn rewrite(args: &[&str], text: &str) -> Ran {
    run(&[&["rewrite"], args].concat(), text.as_bytes())
}

fn rewrite_in(folder: &Path, args: &[&str], text: &[u8]) -> Ran {
    let args = [&["rewrite"], args].concat();
    output_of(program(&args).current_dir(folder).write_stdin(text))
}

#[test]
fn every_place_keeps_its_escapes() {
    for (args, text, wanted) in [
        (
            &["--redact=@secrets"][..],
            "10:00 GET https://u:pw@a.example/cb?access_token=abc123&x=1 ok\nplain, <http://a.exam\nple/x>\n",
            "10:00 GET https://u:***@a.example/cb?access_token=***&x=1 ok\nplain, <http://a.exam\nple/x>\n",
        ),
        (
            &[],
            "a HTTP://A.example:80/%7ex, \"b\": \"http:\\/\\/b.example\\/\\u0026\" &amp;\tend",
            "a HTTP://A.example:80/%7ex, \"b\": \"http:\\/\\/b.example\\/\\u0026\" &amp;\tend",
        ),
        (
            &["-L", "scheme"],
            "see HTTP://A.example:80/%7ex.\n{\"u\":\"HTTP:\\/\\/B.example:80\\/y\"}\r\n",
            "see http://a.example/~x.\n{\"u\":\"http:\\/\\/b.example\\/y\"}\r\n",
        ),
        (
            &["--defang"],
            "see <http://a.example/b> or {\"u\":\"http:\\/\\/a.example\"}",
            "see <hxxp://a[.]example/b> or {\"u\":\"hxxp:\\/\\/a[.]example\"}",
        ),
        (
            &["--refang"],
            "see hxxp://a[.]example/HX, or hxxps:\\/\\/b[.]example",
            "see http://a.example/HX, or https:\\/\\/b.example",
        ),
        (
            &["--drop-param", "@tracking"],
            "HTTP://A.example/?utm_source=x&b=1 http://a.example/?x&amp;y",
            "HTTP://A.example/?b=1 http://a.example/?x&amp;y",
        ),
        (
            &["-L", "scheme"],
            "HTTP://A.example/\nx <http://B.exam\n  ple/> HTTP://C.example",
            "http://a.example/\nx <http://b.example/> http://c.example/",
        ),
    ] {
        let ran = rewrite(args, text);
        assert_eq!((ran.out.as_str(), ran.code), (wanted, 0), "{args:?}");
    }
    let nothing = rewrite(&["--redact"], "nothing");
    assert_eq!((nothing.out.as_str(), nothing.code), ("nothing", 1));
}

#[test]
fn targets_of_requests_stay_targets() {
    let line = |target: &str| {
        format!("192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET {target} HTTP/1.1\" 200 2\n")
    };
    for (args, target, wanted) in [
        (
            &["--redact=@secrets"][..],
            "/cb?token=abc&x=1",
            "/cb?token=***&x=1",
        ),
        (&["-L", "syntax"], "/a/../%7ex", "/~x"),
        (&["--defang"], "/a?x=1", "/a?x=1"),
        (&["--drop-param", "a"], "/x?a=1", "/x"),
        (
            &["--redact"],
            "http://u:p@a.example/",
            "http://u:***@a.example/",
        ),
    ] {
        let ran = rewrite(args, &line(target));
        assert_eq!(ran.out, line(wanted), "{args:?}");
    }
    // The query is a field of its own.
    let table = |query: &str| {
        format!(
            "#Fields: date cs-method cs-uri-stem cs-uri-query cs-host\n2020-10-04 GET /%7e {query} w.example\n"
        )
    };
    let ran = rewrite(&["--redact=@secrets"], &table("x=1&token=abc"));
    assert_eq!(ran.out, table("x=1&token=***"));
    let ran = rewrite(&["--drop-param", "token"], &table("token=abc"));
    assert_eq!(ran.out, table("-"));
    let json = "{\"method\":\"GET\",\"host\":\"j.example\",\"path\":\"\\/two?token=abc\"}\n";
    let ran = rewrite(&["--redact=@secrets"], json);
    assert_eq!(ran.out, json.replace("abc", "***"));
}

#[test]
fn uris_are_replaced_by_those_of_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let table =
        "# moved\nhttp://A.example/old\thttp://b.example/new\n\nurn:a-b:c\thttp://c.example/\n";
    fs::write(folder.path().join("t"), table).unwrap();
    let text = b"http://a.example/old, <HTTP://a.example/old> http://a.example/older (URN:a-b:c) xx://y/?u=urn:a-b:c";
    let ran = rewrite_in(folder.path(), &["--map", "t"], text);
    let wanted = "http://b.example/new, <http://b.example/new> http://a.example/older (http://c.example/) xx://y/?u=urn:a-b:c";
    assert_eq!((ran.out.as_str(), ran.code), (wanted, 0));
    fs::write(folder.path().join("t"), "http://a.example/\n").unwrap();
    let ran = rewrite_in(folder.path(), &["--map", "t"], text);
    assert!(
        ran.code == 2 && ran.err.contains("--map t: line 1"),
        "{}",
        ran.err
    );
    for (args, why) in [
        (&["--map", "no-such-file"][..], "no-such-file"),
        (&["--redact=client"], "client"),
        (&["no-such-file"], "no-such-file"),
    ] {
        let ran = rewrite_in(folder.path(), args, text);
        assert!(
            ran.code == 2 && ran.err.contains(why),
            "{args:?} {}",
            ran.err
        );
    }
}

#[test]
fn what_cannot_be_written_again_is_said() {
    for (bytes, what) in [
        (&b"\xFF\xFEh\0t\0"[..], "UTF-16"),
        (b"WARC/1.0\r\nWARC-Type: response\r\n", "WARC"),
        (b"%PDF-1.7\nhttp://u:p@a.example/", "PDF"),
        (b"\0\x01http://u:p@a.example/\n", "not text"),
    ] {
        for (args, code, remains) in [
            (&["rewrite"][..], 1, false),
            (&["rewrite", "--redact"], 2, true),
        ] {
            let ran = output_of(program(args).write_stdin(bytes));
            assert_eq!(ran.code, code, "{what} {}", ran.err);
            assert!(ran.err.contains(what), "{}", ran.err);
            assert_eq!(ran.err.contains("secrets may remain"), remains);
            assert_eq!(ran.out, String::from_utf8_lossy(bytes));
        }
    }
    let long = format!("http://a.example/?token=abc{}", "x".repeat(100));
    let ran = rewrite(&["--redact=@secrets", "--max-length", "50"], &long);
    assert_eq!(
        (ran.out.as_str(), ran.code),
        (long.as_str(), 2),
        "{}",
        ran.err
    );
}

#[test]
fn compressed_inputs_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = "http://u:p@a.example/\n";
    let wanted = "http://u:***@a.example/\n";
    let packed = |text: &str| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gz.write_all(text.as_bytes()).unwrap();
        gz.finish().unwrap()
    };
    fs::write(folder.path().join("a.gz"), packed(text)).unwrap();
    fs::write(folder.path().join("b"), text).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(text.as_bytes()).unwrap();
    let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz.write_all(text.as_bytes()).unwrap();
    for bytes in [xz.finish().unwrap(), bz.finish().unwrap()] {
        let ran = output_of(program(&["rewrite", "--redact"]).write_stdin(bytes));
        assert_eq!((ran.out.as_str(), ran.code), (wanted, 0), "{}", ran.err);
    }
    let ran = rewrite_in(folder.path(), &["--redact", "a.gz", "b"], b"");
    assert_eq!((ran.out, ran.code), (wanted.repeat(2), 0), "{}", ran.err);
    let ran = rewrite_in(
        folder.path(),
        &["--redact", "a.gz", "-o", "c.log.gz", "--stats"],
        b"",
    );
    assert_eq!((ran.out.as_str(), ran.code), ("", 0), "{}", ran.err);
    assert!(ran.err.contains("1 changed"), "{}", ran.err);
    let mut out = String::new();
    let written = fs::File::open(folder.path().join("c.log.gz")).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(written), &mut out).unwrap();
    assert_eq!(out, wanted);
    let listed = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(listed, 3);
}
