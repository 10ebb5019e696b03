//! Files that are mail by their names, and the sources of links in mail.

use crate::program::{output_of, program};
use std::fs;

/// A message that its first bytes do not show.
const MESSAGE: &str = "X-A: b\nContent-Transfer-Encoding: quoted-printable\n\nhttp://a.example/=3F";

#[test]
fn names_state_that_a_file_is_mail() {
    let root = tempfile::tempdir().unwrap();
    let files = [
        "a.EML",
        "b.txt",
        "c.mbox",
        "cur/d",
        "mail/.Sent/cur/e",
        "mail/.Sent/tmp/f",
        "mail/cur/g:2,S",
        "mail/new/h",
        "page.mhtml",
    ];
    for folder in [
        "cur",
        "mail/new",
        "mail/.Sent/cur",
        "mail/.Sent/new",
        "mail/.Sent/tmp",
        "mail/cur",
    ] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    for name in files {
        fs::write(
            root.path().join(name),
            format!("{MESSAGE}{}", &name[name.len() - 1..]),
        )
        .unwrap();
    }
    let ran = output_of(program(&["--all", "."]).current_dir(root.path()));
    let wanted = [
        "http://a.example/?L",
        // Neither its name nor its first bytes are those of mail; the others have a folder
        // without the other one of a Maildir, or are no messages of it.
        "http://a.example/=3Ft",
        "http://a.example/?x",
        "http://a.example/=3Fd",
        "http://a.example/?e",
        "http://a.example/=3Ff",
        "http://a.example/?S",
        "http://a.example/?h",
        "http://a.example/?l",
    ];
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), wanted);
    let ran = output_of(program(&["--all", "-i", "text", "a.EML"]).current_dir(root.path()));
    assert_eq!(ran.out, "http://a.example/=3FL\n");
}

/// The source of a link is the message (RFC 2392), or the input if it has no id.
#[test]
fn links_are_of_their_message() {
    let html = "Content-Type: text/html\n\n<a href=\"http://b.example/\">b</a>\n";
    let mbox = format!(
        "From a\nFrom: a\nMessage-ID: <a/1%@h.example>\n{html}\nFrom b\nFrom: b\nDate: c\n{html}"
    );
    let ran = output_of(program(&["links", "-i", "mail", "--label", "box"]).write_stdin(mbox));
    let wanted = "mid:a%2F1%25@h.example\thttp://b.example/\nbox\thttp://b.example/\n";
    assert_eq!(ran.out, wanted, "{}", ran.err);
}
