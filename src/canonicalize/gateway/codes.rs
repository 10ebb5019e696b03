//! The gateways that have the target elsewhere than in a parameter, or in a coding of their own.
//! Each names a public source of its form.

use super::url::{GatewayUrl, is_of_uri, push_decoded};
use crate::syntax::base64;

/// A gateway with a reader of its own.
pub(super) struct GatewayCode {
    pub name: &'static str,
    pub is_of: fn(&GatewayUrl) -> bool,
    /// Writes the target.
    pub read: fn(&GatewayUrl, &mut Vec<u8>) -> Option<()>,
}

/// The gateways, in the order in which they are asked.
pub(super) const CODES: &[GatewayCode] = &[
    // github.com/rapid7/insightconnect-plugins, proofpoint_url_defense
    GatewayCode {
        name: "urldefense",
        is_of: |url| {
            let is_second = url.path == b"/v2/url" && url.is_host("urldefense.proofpoint.com");
            is_second || is_third_version(url)
        },
        read: |url, out| match is_third_version(url) {
            true => third_version(url, out),
            false => second_version(url, out),
        },
    },
    // The help page KB0015830 of the University of Texas, "URL Scanning and Rewriting"
    GatewayCode {
        name: "cisco",
        is_of: |url| url.is_host("secure-web.cisco.com"),
        read: |url, out| {
            let rest = url.path.strip_prefix(b"/")?;
            let at = memchr::memchr(b'/', rest)?;
            plain_or_encoded(url, &rest[at + 1..], out)
        },
    },
    // github.com/tumpio/requestcontrol, pull request 136; 2026-11-26
    GatewayCode {
        name: "awstrack",
        is_of: |url| url.is_below(".awstrack.me") && url.path.starts_with(b"/L0/"),
        read: |url, out| encoded(segment(&url.path[4..]), out),
    },
    // github.com/brave/brave-core, content_noamp.ts
    GatewayCode {
        name: "google",
        is_of: |url| url.is_google() && url.path.starts_with(b"/amp/"),
        read: |url, out| secure_or_not(url, &url.path[5..], out),
    },
    // amp.dev, AMP Cache URL Format
    GatewayCode {
        name: "amp",
        is_of: |url| url.is_below(".cdn.ampproject.org") && url.path.starts_with(b"/c/"),
        read: |url, out| secure_or_not(url, &url.path[3..], out),
    },
    // github.com/searxng/searxng, searx/engines/yahoo.py; 2026-11-26
    GatewayCode {
        name: "yahoo",
        is_of: |url| url.is_host("r.search.yahoo.com"),
        read: |url, out| {
            let at = memchr::memmem::find(url.path, b"/RU=")? + 4;
            encoded(segment(&url.path[at..]), out)
        },
    },
    // github.com/Mikachu2333/remove-link-redirects, bing.com.ts
    GatewayCode {
        name: "bing",
        is_of: |url| url.is_host("www.bing.com") && url.path == b"/ck/a",
        read: |url, out| {
            let value = url.parameter("u")?.strip_prefix(b"a1")?;
            out.clear();
            base64::decode(value, out)?;
            if out.starts_with(b"/") {
                out.splice(..0, *b"https://www.bing.com");
            }
            is_of_uri(out).then_some(())
        },
    },
    // github.com/bjornstar/intercept-redirect
    GatewayCode {
        name: "disqus",
        is_of: |url| url.is_host("disq.us") && url.path == b"/url",
        read: |url, out| {
            out.clear();
            push_decoded(url.parameter("url")?, out);
            let end = memchr::memrchr(b':', out)?;
            // What follows is a digest in Base64 without padding.
            (out.len() - end == DISQUS_DIGEST + 1).then(|| out.truncate(end))
        },
    },
    // github.com/Alhadis/.files, wayback-machine-urls.md
    GatewayCode {
        name: "archives",
        is_of: |url| url.is_host("web.archive.org") && url.path.starts_with(b"/web/"),
        read: |url, out| {
            let digits = url.path[5..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
            let flags = match url.path[5 + digits..] {
                [b'a'..=b'z', b'a'..=b'z', b'_', ..] => 3,
                _ => 0,
            };
            let rest = &url.path[5 + digits + flags..];
            let rest = rest.strip_prefix(b"/").filter(|_| digits > 0)?;
            whole(url, rest, out)
        },
    },
    // github.com/aliforever/charles-proxy-instagram-requests, README.md
    GatewayCode {
        name: "archives",
        is_of: |url| {
            let hosts = ["archive.ph", "archive.today", "archive.is"];
            hosts.iter().any(|host| url.is_host(host)) && stamp_len(url.path) > 0
        },
        read: |url, out| {
            whole(url, &url.path[stamp_len(url.path)..], out)?;
            with_slashes(out)
        },
    },
    // github.com/clage-gmbh/clage_modbus, README.md
    GatewayCode {
        name: "translate",
        is_of: |url| url.is_below(".translate.goog"),
        read: translated,
    },
];

/// The length of the digest in URLs of Disqus.
const DISQUS_DIGEST: usize = 27;

/// Returns the text up to the next `/`.
fn segment(path: &[u8]) -> &[u8] {
    &path[..memchr::memchr(b'/', path).unwrap_or(path.len())]
}

fn encoded(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    out.clear();
    push_decoded(text, out);
    (!text.is_empty()).then_some(())
}

/// Writes the URL at the end of a path, which is percent-encoded, or written as it is.
fn plain_or_encoded(url: &GatewayUrl, rest: &[u8], out: &mut Vec<u8>) -> Option<()> {
    match memchr::memmem::find(rest, b"://") {
        Some(_) => whole(url, rest, out),
        None => encoded(segment(rest), out),
    }
}

/// Writes the rest of the URL from `rest` on, the end of its path.
fn whole(url: &GatewayUrl, rest: &[u8], out: &mut Vec<u8>) -> Option<()> {
    out.clear();
    out.extend_from_slice(rest);
    push_query(url, out);
    (!rest.is_empty()).then_some(())
}

/// Appends what follows the path.
fn push_query(url: &GatewayUrl, out: &mut Vec<u8>) {
    let at = memchr::memchr2(b'?', b'#', url.uri).unwrap_or(url.uri.len());
    out.extend_from_slice(&url.uri[at..]);
}

/// Writes the URL of a host and path, before which `s/` means `https`.
fn secure_or_not(url: &GatewayUrl, path: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (scheme, rest) = match path.strip_prefix(b"s/") {
        Some(rest) => (&b"https://"[..], rest),
        None => (&b"http://"[..], path),
    };
    out.clear();
    out.extend_from_slice(scheme);
    out.extend_from_slice(rest);
    push_query(url, out);
    (!rest.is_empty()).then_some(())
}

/// Writes the URL that a translator shows: in its host `-` means a dot and `--` for a hyphen.
fn translated(url: &GatewayUrl, out: &mut Vec<u8>) -> Option<()> {
    let label = &url.host[..url.host.len() - ".translate.goog".len()];
    out.clear();
    out.extend_from_slice(b"https://");
    let mut rest = label;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'-', [b'-', tail @ ..]) => {
                out.push(b'-');
                rest = tail;
            }
            (b'-', _) => out.push(b'.'),
            (byte, _) => out.push(*byte),
        }
    }
    out.extend_from_slice(url.path);
    let mut sign = b'?';
    for pair in url.query.split(|&byte| byte == b'&') {
        if !pair.is_empty() && !pair.starts_with(b"_x_tr_") {
            out.push(sign);
            out.extend_from_slice(pair);
            sign = b'&';
        }
    }
    if let Some(at) = memchr::memchr(b'#', url.uri) {
        out.extend_from_slice(&url.uri[at..]);
    }
    Some(())
}

/// Writes the target of the second version: `-` means `%`, and `_` for `/`.
fn second_version(url: &GatewayUrl, out: &mut Vec<u8>) -> Option<()> {
    let value = url.parameter("u")?;
    let swapped: Vec<u8> = value
        .iter()
        .map(|byte| match byte {
            b'-' => b'%',
            b'_' => b'/',
            byte => *byte,
        })
        .collect();
    encoded(&swapped, out)
}

fn is_third_version(url: &GatewayUrl) -> bool {
    let hosts = [
        "urldefense.com",
        "urldefense.us",
        "urldefense.proofpoint.com",
    ];
    hosts.iter().any(|host| url.is_host(host)) && url.path.starts_with(b"/v3/__")
}

/// Writes the target of the third version, `/v3/__URL__;CHARS!`: a `*` in the URL means the
/// next of the characters, and `**` with a digit for several.
fn third_version(url: &GatewayUrl, out: &mut Vec<u8>) -> Option<()> {
    let start = memchr::memmem::find(url.uri, b"/v3/__")? + 6;
    let rest = &url.uri[start..];
    let end = memchr::memmem::find(rest, b"__;")?;
    let (written, chars) = (&rest[..end], &rest[end + 3..]);
    let chars = &chars[..memchr::memchr(b'!', chars)?];
    let mut text = Vec::new();
    base64::decode(chars, &mut text)?;
    let text = String::from_utf8(text).ok()?;
    let mut chars = text.chars();
    out.clear();
    let mut at = 0;
    while at < written.len() {
        let (count, len) = match written[at..] {
            [b'*', b'*', digit, ..] => (run_len(digit)?, 3),
            [b'*', ..] => (1, 1),
            _ => (0, 1),
        };
        if count == 0 {
            out.push(written[at]);
        }
        for _ in 0..count {
            let mut buffer = [0; 4];
            let char = chars.next()?;
            out.extend_from_slice(char.encode_utf8(&mut buffer).as_bytes());
        }
        at += len;
    }
    with_slashes(out)
}

/// Gives a scheme both slashes, which some servers join.
fn with_slashes(out: &mut Vec<u8>) -> Option<()> {
    let colon = memchr::memchr(b':', out)?;
    if matches!(out[colon + 1..], [b'/', next, ..] if next != b'/') {
        out.insert(colon + 1, b'/');
    }
    Some(())
}

/// Returns the length of the `/DIGITS/` at the start of a path; of the digits, `.` and `-` may
/// divide the parts of a date.
fn stamp_len(path: &[u8]) -> usize {
    let of_stamp = |b: &&u8| b.is_ascii_digit() || matches!(b, b'.' | b'-');
    let len = path.iter().skip(1).take_while(of_stamp).count();
    match path {
        [b'/', first, ..] if first.is_ascii_digit() && path.get(len + 1) == Some(&b'/') => len + 2,
        _ => 0,
    }
}

/// Returns the length of a run: `A` is 2, `_` is 65.
fn run_len(digit: u8) -> Option<usize> {
    let value = match digit {
        b'+' | b'/' => return None,
        digit => base64::digit(digit)?,
    };
    Some(usize::from(value) + 2)
}
