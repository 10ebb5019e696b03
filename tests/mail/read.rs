//! Reads mail in every way, and reports the same.

use crate::ways;
use base64::prelude::{BASE64_STANDARD, Engine};
use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow;
use urisieve::decode::InputFormat;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss};
use urisieve::{Error, Mode, Sieve, Sink};

/// What is found at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub uri: String,
    /// The part, the message id and the field, with `/` between them.
    pub place: String,
    pub offset: u64,
    pub length: u64,
    pub line: Option<(u64, u64)>,
}

/// What is reported of a mail.
#[derive(Debug, Default, PartialEq)]
pub struct Reported {
    pub found: Vec<Found>,
    pub losses: Vec<String>,
}

impl Reported {
    pub fn uris(&self) -> Vec<&str> {
        self.found.iter().map(|found| &found.uri[..]).collect()
    }
}

impl Sink for Reported {
    fn finding(&mut self, finding: &Finding<'_>) -> std::io::Result<ControlFlow<()>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let context = &finding.context;
        let place = [context.part, context.message_id, context.header];
        self.found.push(Found {
            uri: text(finding.uri),
            place: place.map(|part| text(part.unwrap_or_default())).join("/"),
            offset: finding.offset,
            length: finding.length,
            line: finding.place.map(|place| (place.line, place.column)),
        });
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        let cause = loss.kind.damage().map_or("", |damage| damage.cause);
        let code = loss.kind.code();
        self.losses
            .push(format!("{}: {code}: {cause}", loss.offset));
    }

    fn error(&mut self, error: Error) {
        panic!("{error}");
    }
}

/// Reads mail in one way.
pub fn read(source: Source, block: usize, threads: usize) -> Reported {
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .format(InputFormat::named("mail"))
        .lines(true)
        .block_size(block)
        .threads(threads)
        .build();
    let mut reported = Reported::default();
    sieve.run([source], &mut reported).unwrap();
    reported
}

/// Returns what is reported of a mail, read as a whole.
pub fn reported(mail: &[u8]) -> Reported {
    read(Source::Slice(mail), 1 << 16, 1)
}

/// Returns what is reported of a mail, which is the same in every way of reading it.
pub fn reported_alike(mail: &[u8]) -> Reported {
    let wanted = reported(mail);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(mail).unwrap();
    for block in [1, 2, 3, 7, 64, 64 << 10] {
        for threads in [1, 2, 8] {
            let way = format!("blocks of {block}, {threads} threads");
            assert_eq!(read(Source::Slice(mail), block, threads), wanted, "{way}");
            let pipe: Box<dyn Read + Send> = Box::new(Cursor::new(mail.to_vec()));
            let got = read(Source::Reader(pipe), block, threads);
            assert_eq!(got, wanted, "{way}, from a pipe");
            let path = Source::Path(file.path().to_owned());
            assert_eq!(read(path, block, threads), wanted, "{way}, from a file");
        }
    }
    let detected = ways::run::<Reported>(Source::Slice(mail), 1 << 16, 1).0;
    assert_eq!(detected.uris(), wanted.uris(), "detected");
    wanted
}

/// A message of twelve parts, in which each kind of part and of coding stands.
pub fn twelve_parts() -> Vec<u8> {
    let mail = "Return-Path: <a@a.example>\r\n\
        Received: from x (see http://trace.example/r)\r\n\tby y; Mon, 2 Feb 2026 10:00:00 +0000\r\n\
        From: =?utf-8?Q?A=3A_http=3A//q.example/?= <a@a.example>\r\n\
        Message-ID: <whole@a.example>\r\n\
        List-Unsubscribe: <https://u.example/long/\r\n path>, <mailto:u@u.example>\r\n\
        Subject: =?utf-8?B?aHR0cDovL2IuZXhh?= =?utf-8?B?bXBsZS9z?=\r\n\
        MIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=\"outer\"\r\n\
        \r\n\
        Preamble http://pre.example/\r\n\
        --outer\r\n\
        Content-Type: multipart/alternative; boundary=\"outer_alt\"\r\n\
        \r\n\
        --outer_alt\r\n\
        Content-Type: text/plain; charset=utf-8\r\n\
        Content-Transfer-Encoding: quoted-printable\r\n\
        \r\n\
        one ht=\r\ntp://one.example/?a=3D1 and <http://two.exa=\r\nmple/b=C3=A9> \r\n\
        --outer_alt\r\n\
        Content-Type: text/html; charset=iso-8859-1\r\n\
        Content-Transfer-Encoding: quoted-printable\r\n\
        Content-Base: http://base.example/d/\r\n\
        \r\n\
        <p><a href=3D\"rel?x=3D1&amp;y=\r\n=3D=E9\">http://text.example/=\r\nt</a>\r\n\
        <img src=3D\"cid:i@a.example\"></p>\r\n\
        --outer_alt--\r\n\
        Epilogue http://epi.example/\r\n\
        --outer\r\n\
        Content-Type: text/plain\r\n\
        Content-Transfer-Encoding: base64\r\n\
        \r\n\
        bGluZSBvbmUKc2VlIGh0dHA6Ly9iNjQuZXhhbXBsZS8xIGFuZAo8aHR0cDovL2I2NC5leGFtcGxl\r\n\
        Lwp0d28+Cg==\r\n\
        \r\n\
        ___\r\n\
        http://footer.example/f\r\n\
        --outer\r\n\
        Content-Type: message/rfc822\r\n\
        \r\n\
        From: b@b.example\r\n\
        Message-ID: <inner@b.example>\r\n\
        Content-Type: text/plain; format=flowed; delsp=yes\r\n\
        \r\n\
        > http://flow.example/a/ \r\n> b c\r\n\
        --outer\r\n\
        Content-Type: text/calendar\r\n\
        \r\n\
        BEGIN:VCALENDAR\r\nURL:http://cal.example/a\r\n b\\,c\r\nEND:VCALENDAR\r\n\
        --outer\r\n\
        Content-Transfer-Encoding: x-uuencode\r\n\
        \r\n\
        begin 644 x\r\n5:'1T<#HO+W5U+F5X86UP;&4O=0H \r\n`\r\nend\r\n\
        --outer\r\n\
        Content-Type: image/png\r\n\
        \r\n\
        http://image.example/\r\n\
        --outer\r\n\
        Content-Type: text/plain; charset=iso-8859-1\r\n\
        Content-Location: http://loc.example/p.\r\n\
        \r\n\
        http://latin.example/";
    let mut mail = mail.as_bytes().to_vec();
    mail.extend_from_slice(b"\xE9\xE8 x\r\n--outer\r\n");
    mail.extend_from_slice(
        b"Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n\
        RnJvbTogYwpNZXNzYWdlLUlEOiA8YzY0QGMuZXhhbXBsZT4KQ29udGVudC1UcmFuc2Zlci1FbmNv\r\n\
        ZGluZzogcXVvdGVkLXByaW50YWJsZQoKaHR0cDovL2M2NC5leGFtcGxlLz9xPTNEMQo=\r\n\
        --outer\r\n\r\nlast http://last.example/\r\n--outer--\r\n\
        After http://after.example/\r\n",
    );
    mail
}

#[test]
fn twelve_parts_are_read_alike_in_every_way() {
    let mail = twelve_parts();
    let got = reported_alike(&mail);
    let wanted = [
        ("http://trace.example/r", "/whole@a.example/Received"),
        ("http://q.example/", "/whole@a.example/From"),
        (
            "https://u.example/long/path",
            "/whole@a.example/List-Unsubscribe",
        ),
        ("mailto:u@u.example", "/whole@a.example/List-Unsubscribe"),
        ("http://b.example/s", "/whole@a.example/Subject"),
        ("http://pre.example/", "/whole@a.example/"),
        ("http://one.example/?a=1", "1.1/whole@a.example/"),
        ("http://two.example/bé", "1.1/whole@a.example/"),
        ("http://base.example/d/", "1.2/whole@a.example/Content-Base"),
        (
            "http://base.example/d/rel?x=1&y=%E9",
            "1.2/whole@a.example/",
        ),
        ("http://text.example/t", "1.2/whole@a.example/"),
        ("cid:i@a.example", "1.2/whole@a.example/"),
        ("http://epi.example/", "1/whole@a.example/"),
        ("http://b64.example/1", "2/whole@a.example/"),
        ("http://b64.example/two", "2/whole@a.example/"),
        ("http://footer.example/f", "2/whole@a.example/"),
        ("http://flow.example/a/b", "3.1/inner@b.example/"),
        ("http://cal.example/ab,c", "4/whole@a.example/"),
        ("http://uu.example/u", "5/whole@a.example/"),
        (
            "http://loc.example/p.",
            "7/whole@a.example/Content-Location",
        ),
        ("http://latin.example/éè", "7/whole@a.example/"),
        ("http://c64.example/?q=1", "8.1/c64@c.example/"),
        ("http://last.example/", "9/whole@a.example/"),
        ("http://after.example/", "/whole@a.example/"),
    ];
    let found: Vec<_> = got
        .found
        .iter()
        .map(|found| (&found.uri[..], &found.place[..]))
        .collect();
    assert_eq!(found, wanted);
    assert_eq!(got.losses, [""; 0]);
}

/// Findings have the offsets of the file, and of their own body where that is in base64 or
/// uuencode; so have lines and columns.
#[test]
fn offsets_are_those_of_the_bytes() {
    let mail = twelve_parts();
    let got = reported(&mail);
    let base64 = b"line one\nsee http://b64.example/1 and\n<http://b64.example/\ntwo>\n";
    let inner = b"From: c\nMessage-ID: <c64@c.example>\n\
        Content-Transfer-Encoding: quoted-printable\n\nhttp://c64.example/?q=3D1\n";
    for found in &got.found {
        let uri = &found.uri[..];
        let of: &[u8] = match uri {
            _ if uri.contains("b64.") => base64,
            _ if uri.contains("uu.") => b"http://uu.example/u\n",
            _ if uri.contains("c64.") => inner,
            _ => &mail,
        };
        let (from, len) = (found.offset as usize, found.length as usize);
        let raw = String::from_utf8_lossy(&of[from..from + len]).into_owned();
        let wanted = match uri {
            "http://q.example/" => "http=3A//q.example/",
            "https://u.example/long/path" => "https://u.example/long/\r\n path",
            "http://b.example/s" => "=?utf-8?B?aHR0cDovL2IuZXhh?= =?utf-8?B?bXBsZS9z?=",
            "http://one.example/?a=1" => "ht=\r\ntp://one.example/?a=3D1",
            "http://two.example/bé" => "http://two.exa=\r\nmple/b=C3=A9",
            "http://base.example/d/rel?x=1&y=%E9" => "rel?x=3D1&amp;y=\r\n=3D=E9",
            "http://text.example/t" => "http://text.example/=\r\nt",
            "http://b64.example/two" => "http://b64.example/\ntwo",
            "http://flow.example/a/b" => "http://flow.example/a/ \r\n> b",
            "http://cal.example/ab,c" => "http://cal.example/a\r\n b\\,c",
            "http://latin.example/éè" => "http://latin.example/\u{FFFD}\u{FFFD}",
            "http://c64.example/?q=1" => "http://c64.example/?q=3D1",
            same => same,
        };
        assert_eq!(raw, wanted);
        let before = &of[..from];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        assert_eq!(found.line, Some((line as u64, column as u64)), "{uri}");
    }
}

/// The messages of a mailbox, in an archive too, each with its own parts.
#[test]
fn mailboxes_are_read_alike_in_every_way() {
    let mut mbox = Vec::new();
    for number in 0..3 {
        let date = format!("From a Mon Feb  2 10:00:0{number} 2026\r\n");
        mbox.extend_from_slice(date.as_bytes());
        mbox.extend_from_slice(&twelve_parts());
        mbox.extend_from_slice(b"\r\n");
    }
    let got = reported_alike(&mbox);
    let one = reported(&twelve_parts());
    assert_eq!(got.found.len(), 3 * one.found.len());
    for (number, found) in got.found.iter().enumerate() {
        let same = &one.found[number % one.found.len()];
        assert_eq!((&found.uri, &found.place), (&same.uri, &same.place));
    }
}

/// A message in base64 has a part in base64: each text counts its own lines.
#[test]
fn lines_of_coded_parts_in_each_other() {
    let leaf = BASE64_STANDARD.encode("\nhttp://inner.example/\n");
    let message = format!(
        "From: b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\
         Content-Transfer-Encoding: base64\n\n{}\n{}\n--c\n\nhttp://message.example/\n--c--\n",
        &leaf[..12],
        &leaf[12..]
    );
    let message = BASE64_STANDARD.encode(message);
    let lines: Vec<&str> = (0..message.len())
        .step_by(40)
        .map(|at| &message[at..message.len().min(at + 40)])
        .collect();
    let mail = format!(
        "From: a\nDate: x\nTo: c\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\
         Content-Transfer-Encoding: base64\n\n{}\n--b\n\nhttp://whole.example/\n",
        lines.join("\n")
    );
    let got = reported_alike(mail.as_bytes());
    let place = |found: &Found| (found.uri.clone(), found.line);
    let last = mail.lines().count() as u64;
    let wanted = [("inner", 2), ("message", 11), ("whole", last)];
    let wanted = wanted.map(|(host, line)| (format!("http://{host}.example/"), Some((line, 1))));
    assert_eq!(got.found.iter().map(place).collect::<Vec<_>>(), wanted);
}
