//! Limits: what is too deep, too long or unknown is named or counted.

use crate::program::run;
use crate::read::{reported, reported_alike};

const TOP: &str = "From: a@a.example\nDate: x\nMessage-ID: <a@b>\n";

#[test]
fn multiparts_in_each_other() {
    let nested = |depth: usize| {
        let mut mail = TOP.to_owned();
        for level in 0..depth {
            mail += &format!("Content-Type: multipart/mixed; boundary=b{level}x\n\n--b{level}x\n");
        }
        mail + "\nhttp://deep.example/\n"
    };
    assert_eq!(reported(nested(64).as_bytes()).losses, [""; 0]);
    for depth in [65, 10_000] {
        let got = reported(nested(depth).as_bytes());
        assert_eq!(got.uris(), ["http://deep.example/"], "{depth}");
        assert_eq!(got.losses.len(), 1, "{depth}");
        assert!(got.losses[0].contains("depth"), "{:?}", got.losses);
    }
}

#[test]
fn messages_in_each_other() {
    let message = "Content-Type: message/rfc822\n\n";
    let mail = TOP.to_owned() + &message.repeat(10_000) + "\nhttp://deep.example/\n";
    let got = reported(mail.as_bytes());
    assert_eq!((got.uris().len(), got.losses.len()), (1, 1));
}

#[test]
fn long_boundaries_and_headers() {
    for (len, losses) in [(300 << 10, 1), (1 << 20, 0)] {
        let boundary = "b".repeat(len);
        let mail = format!(
            "{TOP}Content-Type: multipart/mixed; boundary={boundary}\n\nhttp://a.example/\n\
             --{boundary}\n"
        );
        let got = reported(mail.as_bytes());
        assert_eq!(got.uris(), ["http://a.example/"]);
        assert_eq!(got.losses.len(), losses);
        assert!(got.losses.iter().all(|loss| loss.contains("field")));
    }
    // A header without an end is text from its limit on.
    let field = "X-A: http://x.example/\n";
    let fields = field.repeat((2 << 20) / field.len());
    let got = reported((TOP.to_owned() + &fields).as_bytes());
    assert_eq!(got.uris().len(), (2 << 20) / field.len());
}

/// What is only odd is counted.
#[test]
fn departures_are_counted() {
    let mail = format!(
        "{TOP}not a field\nTo: b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
         Content-Transfer-Encoding: x-nothing\n\nhttp://a.example/\n\
         --b\nContent-Type: multipart/mixed; boundary=c\n\nhttp://b.example/\n\
         --b\nContent-Type: image/png\n\nhttp://no.example/\n"
    );
    let ran = run(&["-i", "mail", "--all", "--stats"], mail.as_bytes());
    assert_eq!(ran.out, "http://a.example/\nhttp://b.example/\n");
    for row in [
        "1 header",
        "1 boundary",
        "1 open",
        "1 coding",
        "1 parts_not_read",
    ] {
        assert!(ran.err.contains(row), "{row}: {}", ran.err);
    }
    assert_eq!(ran.code, 0);
}

#[test]
fn losses_are_named() {
    let base64 =
        format!("{TOP}Content-Transfer-Encoding: base64\n\naHR0cDovL2EuZXhhbXBsZS8xIA\n=\n");
    assert_eq!(reported_alike(base64.as_bytes()).losses, [""; 0]);
    let base64 =
        format!("{TOP}Content-Transfer-Encoding: base64\n\naHR0cDovL2EuZXhhbXBsZS8xICAgI\n");
    let got = reported_alike(base64.as_bytes());
    assert_eq!(got.uris(), ["http://a.example/1"]);
    let at = base64.find("aHR").unwrap();
    assert_eq!(
        got.losses,
        [format!("{at}: damaged: one character is left over")]
    );
    // The loss of the content is before that of its coding, however the bytes are divided.
    let document = format!(
        "{TOP}Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n\
         JVBERi0xLjQK{}A\n",
        "IHggeCB4".repeat(20)
    );
    let losses = reported_alike(document.as_bytes()).losses;
    assert!(
        losses.len() == 2 && losses[1].contains("left over"),
        "{losses:?}"
    );
    let charset =
        format!("{TOP}Content-Type: text/plain; charset=utf-7\n\nhttp://a.example/ +AGE-\n");
    let got = reported_alike(charset.as_bytes());
    assert_eq!(got.uris(), ["http://a.example/"]);
    assert!(got.losses[0].contains("charset"), "{:?}", got.losses);
}
