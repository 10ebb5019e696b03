//! Every cut and every changed byte of a mail: nothing panics, and parts that are not touched
//! are read.

use crate::random;
use crate::read::{Found, read, reported, twelve_parts};
use proptest::prelude::*;
use urisieve::input::Source;

#[test]
fn every_cut_leaves_the_parts_before_it() {
    let mail = twelve_parts();
    let whole = reported(&mail);
    let ends = boundaries(&mail);
    for len in 0..=mail.len() {
        let got = reported(&mail[..len]);
        // The sections that are whole.
        let count = ends.partition_point(|end| *end <= len);
        for found in &whole.found {
            if section(found, &ends) < count {
                assert!(got.found.contains(found), "{found:?} at {len}");
            }
        }
    }
}

/// The starts of the boundary lines of the outer multipart.
fn boundaries(mail: &[u8]) -> Vec<usize> {
    memchr::memmem::find_iter(mail, b"\r\n--outer")
        .filter(|at| !mail[at + 9..].starts_with(b"_"))
        .collect()
}

/// The number of the section between two boundary lines that a finding is in: 0 before the first
/// one.
fn section(found: &Found, ends: &[usize]) -> usize {
    let part = found.place.split(['.', '/']).next().unwrap_or_default();
    match part.parse() {
        Ok(number) => number,
        Err(_) => ends.partition_point(|end| *end as u64 <= found.offset),
    }
}

/// Flips bits, and checks that a flip changes nothing but its section and the one before it.
fn flips_leave_the_other_parts(step: usize, bits: &[u8]) {
    let mail = twelve_parts();
    let whole = reported(&mail);
    let ends = boundaries(&mail);
    assert_eq!(ends.len(), 10);
    let header = memchr::memmem::find(&mail, b"\r\n\r\n").unwrap() + 4;
    for at in (0..mail.len()).step_by(step) {
        for bit in bits {
            let mut flipped = mail.clone();
            flipped[at] ^= 1 << bit;
            let got = reported(&flipped);
            // The header decides how all is read.
            if at < header {
                continue;
            }
            let here = ends.partition_point(|end| *end <= at);
            let place = |found: &Found| (found.uri.clone(), found.offset, found.length);
            let kept: Vec<_> = got.found.iter().map(place).collect();
            for found in &whole.found {
                let section = section(found, &ends);
                if section != here && section + 1 != here {
                    assert!(kept.contains(&place(found)), "{found:?}: {at}, bit {bit}");
                }
            }
        }
    }
}

#[test]
fn every_flip_leaves_the_other_parts() {
    flips_leave_the_other_parts(7, &[0, 3, 6]);
}

#[test]
#[ignore = "takes minutes"]
fn every_flip_of_every_bit_leaves_the_other_parts() {
    flips_leave_the_other_parts(1, &[0, 1, 2, 3, 4, 5, 6, 7]);
}

/// Pieces of mail, in which each rule has its marks.
const PIECES: [&str; 56] = [
    "From: a\n",
    "Message-ID: <i@a>\n",
    "\n",
    "\r\n",
    "\n\n",
    "--b\n",
    "--b--\n",
    "--c\r\n",
    "--c--",
    "--",
    "From a Mon Feb  2 10:00:00 2026\n",
    "From x\n",
    ">From y\n",
    "Content-Length: 40\n",
    "Content-Type: multipart/mixed; boundary=b\n",
    "Content-Type: multipart/digest; boundary=\"c\"\n",
    "Content-Type: text/html; charset=latin1\n",
    "Content-Type: message/rfc822\n",
    "Content-Type: text/plain; format=flowed; delsp=yes\n",
    "Content-Type: text/calendar\n",
    "Content-Type: application/x-y\n",
    "Content-Type: text/plain; charset=utf-16\n",
    "Content-Type: text/plain; charset=iso-2022-jp\n",
    "Content-Type: text/plain; charset=utf-7\n",
    "Content-Transfer-Encoding: base64\n",
    "Content-Transfer-Encoding: quoted-printable\n",
    "Content-Transfer-Encoding: x-uuencode\n",
    "Content-Base: http://b.example/\n",
    "List-Help: <http://h.example/\n x>\n",
    "Subject: =?utf-8?Q?http=3A//s.example?=\n",
    "http://a.example/x",
    "http://a.example/=3D=\n",
    "=",
    "= \n",
    "=3",
    " ",
    " \n",
    "> ",
    ">> \n",
    "aHR0cDovL2EuZXhhbXBsZS8yCg==\n",
    "aHR0cDovL2EuZXhhbXBsZS8y",
    "=\n",
    "begin 644 x\n",
    "<:'1T<#HO+V$N97AA;7!L92\\R\"@``\n",
    "`\nend\n",
    "<a href='x'>",
    "<base href=\"http://c.example/\">",
    "<a href=3D\"y=\n\">",
    "\\n",
    "\\,",
    "\r\n ",
    "not a field\n",
    "\u{E9}",
    "\u{FEFF}",
    "\u{1B}$B",
    "\t",
];

/// A text of which some pieces need no conversion is one text.
#[test]
fn a_text_goes_on_behind_a_conversion() {
    let word = "abcdefghij".repeat(9);
    let mail = format!(
        "From: a\nContent-Transfer-Encoding: quoted-printable\n\n\
         http://a.example/=3D{word}=\n{word}=C3=A9{word}\n"
    );
    let wanted = reported(mail.as_bytes());
    assert_eq!(
        wanted.uris(),
        [format!("http://a.example/={word}{word}\u{E9}{word}")]
    );
    for block in 1..120 {
        let got = read(Source::Slice(mail.as_bytes()), block, 1);
        assert_eq!(got, wanted, "blocks of {block}");
    }
}

proptest! {
    #![proptest_config(random::cases(150))]

    /// Mail of any pieces, also of bytes that are not UTF-8, is read alike in blocks of any size.
    #[test]
    fn any_mail_is_read_alike(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..40),
        wrong in prop::option::of((0usize..400, any::<u8>())),
        is_mbox: bool,
    ) {
        let first = if is_mbox { "From a\n" } else { "From: a\n" };
        let mut mail = [first, &pieces.concat()].concat().into_bytes();
        if let Some((at, byte)) = wrong {
            let at = at % mail.len();
            mail[at] = byte;
        }
        let wanted = reported(&mail);
        for block in [1, 2, 5, 16, 64] {
            let got = read(Source::Slice(&mail), block, 1);
            prop_assert_eq!(&got, &wanted, "blocks of {}", block);
        }
    }
}
