//! A list of URIs in every coding and charset gives the list back.

use crate::read::{Reported, reported};
use base64::prelude::{BASE64_STANDARD, Engine};
use proptest::prelude::*;
use urisieve::decode::InputFormat;
use urisieve::{Mode, Sieve};

/// Wraps text in quoted-printable (RFC 2045 section 6.7), with soft line breaks after this
/// many characters.
fn quoted(bytes: &[u8], width: usize, crlf: bool) -> Vec<u8> {
    let line_break: &[u8] = if crlf { b"\r\n" } else { b"\n" };
    let (mut out, mut column) = (Vec::new(), 0);
    for &byte in bytes {
        if byte == b'\n' {
            out.extend_from_slice(line_break);
            column = 0;
            continue;
        }
        let unit = match byte {
            b'!'..=b'<' | b'>'..=b'~' => vec![byte],
            _ => format!("={byte:02X}").into_bytes(),
        };
        if column + unit.len() >= width {
            out.push(b'=');
            out.extend_from_slice(line_break);
            column = 0;
        }
        column += unit.len();
        out.extend_from_slice(&unit);
    }
    out
}

/// Wraps text in base64 in lines of this length.
fn base64(bytes: &[u8], width: usize) -> Vec<u8> {
    let text = BASE64_STANDARD.encode(bytes);
    let lines: Vec<&[u8]> = text.as_bytes().chunks(width).collect();
    [&lines.join(&b"\n"[..])[..], b"\n"].concat()
}

/// Wraps text in uuencode.
fn uuencode(bytes: &[u8]) -> Vec<u8> {
    let mut out = b"begin 644 x\n".to_vec();
    let char = |bits: u8| if bits == 0 { b'`' } else { bits + b' ' };
    for line in bytes.chunks(45) {
        out.push(char(line.len() as u8));
        for group in line.chunks(3) {
            let at = |number: usize| group.get(number).copied().unwrap_or(0);
            let [a, b, c] = [at(0), at(1), at(2)];
            let bits = [
                a >> 2,
                (a & 3) << 4 | b >> 4,
                (b & 15) << 2 | c >> 6,
                c & 63,
            ];
            out.extend(bits.map(char));
        }
        out.push(b'\n');
    }
    out.extend_from_slice(b"`\nend\n");
    out
}

fn encoded(text: &str, charset: &str) -> Vec<u8> {
    match charset {
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => {
            let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap();
            encoding.encode(text).0.into_owned()
        }
    }
}

proptest! {
    #[test]
    fn lists_come_back(
        paths in prop::collection::vec("[a-z0-9=?&/%~_.é-]{0,60}[a-z]", 1..20),
        charset in prop::sample::select(vec![
            "utf-8", "iso-8859-1", "windows-1252", "utf-16le", "utf-16be",
        ]),
        coding in prop::sample::select(vec!["8bit", "quoted-printable", "base64", "x-uuencode"]),
        width in 8usize..80,
        crlf: bool,
        nested: bool,
    ) {
        let uris: Vec<String> = paths
            .iter()
            .enumerate()
            .map(|(number, path)| format!("http://h{number}.example/{}", path.replace('%', "%25")))
            .collect();
        let text = uris.join("\n") + "\n";
        let bytes = encoded(&text, charset);
        let is_utf16 = charset.starts_with("utf-16");
        let (coding, body) = match coding {
            "quoted-printable" => (coding, quoted(&bytes, width, crlf)),
            "x-uuencode" => (coding, uuencode(&bytes)),
            "8bit" if !is_utf16 => (coding, bytes),
            _ => ("base64", base64(&bytes, width / 4 * 4)),
        };
        // Line breaks of UTF-16 have NULs in them.
        prop_assume!(!(is_utf16 && coding == "quoted-printable"));
        let head = format!(
            "Content-Type: text/plain; charset=\"{charset}\"\nContent-Transfer-Encoding: {coding}\n\n"
        );
        let top = "From: a@a.example\nDate: x\nMessage-ID: <a@b>\n";
        let mail = match nested {
            false => [top.as_bytes(), head.as_bytes(), &body].concat(),
            true => {
                let multipart = "Content-Type: multipart/mixed; boundary=b\n\n--b\n";
                let parts = [top.as_bytes(), multipart.as_bytes(), head.as_bytes(), &body];
                [&parts.concat()[..], b"\n--b--\n"].concat()
            }
        };
        let got = reported(&mail);
        let text = Sieve::builder().mode(Mode::All).format(Some(InputFormat::text())).build();
        let mut wanted = Reported::default();
        text.run([(uris.join("\n") + "\n").as_bytes()], &mut wanted).unwrap();
        prop_assert_eq!(got.uris(), wanted.uris());
        prop_assert!(got.losses.is_empty());
    }
}
