//! Secrets in the paths of certain hosts.

use crate::syntax::nested::{Layer, NextOffset, Site};
use crate::syntax::steps;
use crate::syntax::words::Words;
use std::ops::Range;
use std::sync::LazyLock;

/// The places of secrets in paths: a host, with those below it, and segments. `*` is any
/// segment or end of a segment, `…` any number of segments, and `***` the secret.
pub(super) const SECRET_PATHS: &[&str] = &[
    "hooks.slack.com/services/…/***",
    "hooks.slack.com/workflows/…/***",
    "hooks.slack.com/triggers/…/***",
    "discord.com/api/webhooks/*/***",
    "discord.com/api/v*/webhooks/*/***",
    "discordapp.com/api/webhooks/*/***",
    "discordapp.com/api/v*/webhooks/*/***",
    "office.com/…/IncomingWebhook/***",
    "hooks.zapier.com/hooks/catch/*/***",
];

/// The dot between labels, and how it is written in defanged text and in other scripts.
const DOTS: [&str; 9] = [
    ".", "[.]", "(.)", "{.}", "[dot]", "(dot)", "\u{3002}", "\u{FF0E}", "\u{FF61}",
];

/// The label before the last dot of each host, which few URIs have.
const LABELS: [&[u8]; SECRET_PATHS.len()] = {
    let mut labels: [&[u8]; SECRET_PATHS.len()] = [b""; SECRET_PATHS.len()];
    let mut row = 0;
    while row < labels.len() {
        let mut rest = SECRET_PATHS[row].as_bytes();
        let (mut at, mut start, mut end) = (0, 0, 0);
        while rest[at] != b'/' {
            if rest[at] == b'.' {
                (start, end) = (if end == 0 { 0 } else { end + 1 }, at);
            }
            at += 1;
        }
        (rest, _) = rest.split_at(end);
        (_, rest) = rest.split_at(start);
        labels[row] = rest;
        row += 1;
    }
    labels
};

/// Finds the labels, without those that begin with another one.
static NAMED: LazyLock<Words> = LazyLock::new(|| {
    let is_longer = |label: &[u8]| {
        let begins = |other: &&[u8]| label.len() > other.len() && label.starts_with(other);
        LABELS.iter().any(begins)
    };
    let labels = LABELS.iter().filter(|label| !is_longer(label));
    let mut labels: Vec<_> = labels
        .filter_map(|label| std::str::from_utf8(label).ok())
        .collect();
    labels.dedup();
    Words::new(labels)
});

/// Whether one of the hosts may be named in `text`.
fn may_be_in(text: &[u8]) -> bool {
    steps::count(text.len());
    NAMED.find(text, 0).is_some()
}

/// Whether the label of one of the hosts ends at the dot at `at`.
pub(super) fn label_ends_at(text: &[u8], at: usize) -> bool {
    LABELS.iter().any(|label| {
        let start = at.checked_sub(label.len());
        start.is_some_and(|start| text[start..at].eq_ignore_ascii_case(label))
    })
}

/// A part of a path between slashes that is not empty.
struct PathSegment {
    range: Range<usize>,
    /// The number of the last segment of the path.
    last: usize,
}

/// Calls `add` with the secrets in the paths of `sites`, which are sorted from left to
/// right.
pub(super) fn add_paths(layer: &Layer, sites: &[Site], add: &mut impl FnMut(Range<usize>)) {
    let bytes = layer.bytes();
    if !may_be_in(bytes) {
        return;
    }
    let segments = segments(layer);
    let mut paths = Paths {
        bytes,
        segments: &segments,
        named: Default::default(),
    };
    for site in sites {
        paths.add_after(site.hosts.clone(), add);
    }
    // The host may be after a password with a "/", which ends the hosts of a site.
    paths.named = Default::default();
    for segment in &segments {
        let range = segment.range.clone();
        if let Some(at) = memchr::memrchr(b'@', &bytes[range.clone()]) {
            paths.add_after(range.start + at + 1..range.end, add);
        }
    }
}

/// Finds secrets in the paths of hosts, from left to right.
struct Paths<'l> {
    bytes: &'l [u8],
    segments: &'l [PathSegment],
    /// The next segment of a name that any number of segments may precede, for each row.
    named: [NextOffset; SECRET_PATHS.len()],
}

impl Paths<'_> {
    /// Calls `add` with the secrets in the path after `host`.
    fn add_after(&mut self, host: Range<usize>, add: &mut impl FnMut(Range<usize>)) {
        let (bytes, segments) = (self.bytes, self.segments);
        for (row, named) in SECRET_PATHS.iter().zip(&mut self.named) {
            let Some((name, path)) = row.split_once('/') else {
                continue;
            };
            if !is_host(&bytes[host.clone()], name) {
                continue;
            }
            let first = segments.partition_point(|segment| segment.range.start < host.end);
            let Some(start) = segments.get(first).map(|segment| segment.range.start) else {
                continue;
            };
            steps::count(start - host.end);
            if bytes[host.end..start].iter().all(|b| is_slash(*b)) {
                secret(path, bytes, segments, first, named).map(&mut *add);
            }
        }
    }
}

/// Returns every segment of the layer.
fn segments(layer: &Layer) -> Vec<PathSegment> {
    let bytes = layer.bytes();
    let mut segments: Vec<PathSegment> = Vec::new();
    let (mut start, mut first) = (0, 0);
    for at in 0..=bytes.len() {
        let ends = at == bytes.len() || b"?#& \"".contains(&bytes[at]) || layer.is_stop(at);
        if !ends && !is_slash(bytes[at]) {
            continue;
        }
        if start < at {
            let last = segments.len();
            segments.push(PathSegment {
                range: start..at,
                last,
            });
        }
        start = at + 1;
        if ends {
            let last = segments.len().saturating_sub(1);
            for segment in &mut segments[first..] {
                segment.last = last;
            }
            first = segments.len();
        }
    }
    steps::count(2 * bytes.len());
    segments
}

/// Returns the secret in the path that begins with the segment `first`.
fn secret(
    path: &str,
    bytes: &[u8],
    segments: &[PathSegment],
    first: usize,
    named: &mut NextOffset,
) -> Option<Range<usize>> {
    let last = segments.get(first)?.last;
    let (mut at, mut is_any) = (first, false);
    for wanted in path.split('/') {
        match (wanted, is_any) {
            ("…", _) => {
                is_any = true;
                continue;
            }
            ("***", true) => return (at <= last).then(|| segments[last].range.clone()),
            ("***", false) => return (at <= last).then(|| segments[at].range.clone()),
            (name, true) => {
                let is_named = |at: &usize| is_segment(&bytes[segments[*at].range.clone()], name);
                at = named.next(at, segments.len(), is_named);
            }
            (name, false) if at <= last && is_segment(&bytes[segments[at].range.clone()], name) => {
            }
            _ => return None,
        }
        is_any = false;
        at += 1;
    }
    None
}

fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// Whether a segment matches a segment of a row.
fn is_segment(segment: &[u8], wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(start) => {
            let found = segment.get(..start.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(start.as_bytes()))
        }
        None => segment.eq_ignore_ascii_case(wanted.as_bytes()),
    }
}

/// Whether `text`, a host with or without a port, is `name` or below it.
fn is_host(text: &[u8], name: &str) -> bool {
    let end = memchr::memchr(b':', text).unwrap_or(text.len());
    steps::count(end);
    let mut rest = text[..end].strip_suffix(b"[").unwrap_or(&text[..end]);
    rest = without_dot(rest).unwrap_or(rest);
    for (number, label) in name.rsplit('.').enumerate() {
        if number > 0 {
            let Some(before) = without_dot(rest) else {
                return false;
            };
            rest = before;
        }
        let Some(at) = rest.len().checked_sub(label.len()) else {
            return false;
        };
        if !rest[at..].eq_ignore_ascii_case(label.as_bytes()) {
            return false;
        }
        rest = &rest[..at];
    }
    rest.is_empty() || without_dot(rest).is_some()
}

/// Returns `text` without the dot at its end.
fn without_dot(text: &[u8]) -> Option<&[u8]> {
    let mut dots = DOTS.iter();
    dots.find_map(|dot| text.strip_suffix(dot.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::nested;

    #[test]
    fn labels_are_those_of_the_hosts() {
        let labels = LABELS.map(String::from_utf8_lossy);
        assert_eq!(labels[..4], ["slack", "slack", "slack", "discord"]);
        assert_eq!(
            labels[5..],
            ["discordapp", "discordapp", "office", "zapier"]
        );
        assert!(may_be_in(b"http://HOOKS.Slack.com/") && may_be_in(b"http://discord.com/"));
        assert!(!may_be_in(b"http://slac.k.com/") && !may_be_in(b"http://a.example/slac"));
    }

    #[test]
    fn hosts_and_those_below() {
        for host in [
            "discord.com",
            "Discord.COM",
            "ptb.discord.com",
            "discord.com:443",
            "discord.com.",
            "discord[.]com",
            "a(.)discord[dot]com",
            "discord.com[:]443",
            "discord\u{3002}com",
        ] {
            assert!(is_host(host.as_bytes(), "discord.com"), "{host}");
        }
        for host in [
            "xdiscord.com",
            "discord.com.example",
            "discordcom",
            "com",
            "",
            "[.]com",
        ] {
            assert!(!is_host(host.as_bytes(), "discord.com"), "{host}");
        }
    }

    /// Looks for the secrets in the paths of `text`.
    fn look(text: &[u8], add: &mut impl FnMut(Range<usize>)) {
        nested::visit_layers(text, |layer| {
            let mut search = nested::SiteSearch::default();
            search.look(layer);
            add_paths(layer, &search.sites, &mut |range| add(layer.raw(range)));
        });
    }

    #[test]
    fn secrets_in_paths() {
        for (text, secret) in [
            ("https://hooks.slack.com/services/T0/B0/XX", "XX"),
            ("https://hooks.slack.com/triggers/T0/1/XX/?a#b", "XX"),
            ("//hooks.slack.com//workflows/XX?a/b", "XX"),
            ("https://hooks.slack.com/services/", ""),
            ("https://hooks.slack.com/?u=/services/XX", ""),
            ("https://slack.com/services/XX", ""),
            ("https://discord.com/api/webhooks/1/XX/slack", "XX"),
            (
                "https://ptb.discordapp.com:443/api/v10/webhooks/1/XX?wait=true",
                "XX",
            ),
            ("https://discord.com/api/webhooks/1", ""),
            ("https://discord.com/channels/123/456", ""),
            ("https://discord.example/api/webhooks/1/XX", ""),
            (
                "https://o.webhook.office.com/webhookb2/a@b/IncomingWebhook/XX/c",
                "XX",
            ),
            (
                "https://outlook.office.com/webhook/a@b/incomingwebhook/XX",
                "XX",
            ),
            ("https://outlook.office.com/webhook/a/b", ""),
            ("https://hooks.zapier.com/hooks/catch/1/XX/silent", "XX"),
            ("https://u:p/a@hooks.zapier.com/hooks/catch/1/XX/", "XX"),
            (
                "http://o.example/?u=https://discord.com/api/webhooks/1/XX&x=1/2",
                "XX",
            ),
            (r"https:\\discord.com\api\webhooks\1\XX", "XX"),
            (r"https:\/\/discord.com\/api\/webhooks\/1\/XX", "XX"),
            (
                "http://o.example/?u=https%3A%2F%2Fdiscord.com%2Fapi%2Fwebhooks%2F1%2FXX",
                "XX",
            ),
        ] {
            let mut found = String::new();
            look(text.as_bytes(), &mut |range| found = text[range].to_owned());
            assert_eq!(found, secret, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_looked_through_once() {
        for piece in [
            "=https://hooks.slack.com/services/",
            "=https://discord.com/api/webhooks/1",
            "=https://a.office.com/",
            "=https://a.office.com//",
            "=http://a:b/@a.office.com",
            "=http:a:b/",
        ] {
            for end in ["", "/IncomingWebhook/x", "@office.com/x"] {
                let look = |text: &[u8]| look(&[text, end.as_bytes()].concat(), &mut |_| ());
                let [one, two] = [1 << 13, 1 << 14].map(|len| steps::of_text("", piece, len, look));
                assert!(two < one * 5 / 2 + 1000, "{piece} {end}: {one} {two}");
            }
        }
    }
}
