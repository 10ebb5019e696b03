//! Lines of zone files of response policy zones (rule I5): the names that a resolver
//! refuses to answer.

use super::form::IndicatorForm;
use super::host_entry::{HostEntry, HostPlace, Reach};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Types of records that policies do not need.
const OTHER_TYPES: [&str; 9] = ["SOA", "NS", "A", "AAAA", "TXT", "MX", "PTR", "DNAME", "SRV"];
/// The length of the longest type.
const TYPE_LEN_MAX: usize = 5;
/// The target of exceptions.
const PASS: &str = "rpz-passthru.";
/// The end of names that are addresses.
const ADDRESS: &str = ".rpz-ip";
/// Ends of names by which other things are selected than the host that was asked for.
const OTHER_TRIGGERS: [&str; 3] = [".rpz-client-ip", ".rpz-nsdname", ".rpz-nsip"];

/// The state of a list that may be a zone file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ZoneState {
    /// The name of the zone, which absolute names end with.
    origin: Option<String>,
    /// Whether a record goes on in the next line.
    is_open: bool,
}

/// A line of a zone file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ZoneLine {
    /// It is not one.
    Other,
    /// A record or an instruction that is not a policy.
    Skipped,
    /// The name of a policy, as it is written, its entry, and whether it is an exception.
    Policy { name: String, is_exception: bool },
    /// A name that cannot be one of a policy.
    Bad,
}

impl ZoneState {
    /// Reads a line without blanks around it.
    pub(super) fn line(&mut self, line: &str) -> ZoneLine {
        if self.is_open {
            self.is_open = !line.contains(')');
            return ZoneLine::Skipped;
        }
        if let Some(instruction) = line.strip_prefix('$') {
            if let Some(name) = instruction.strip_prefix("ORIGIN") {
                self.set_origin(name.trim());
            }
            return ZoneLine::Skipped;
        }
        // Most lines are one word.
        if line.len() > TYPE_LEN_MAX && !line.bytes().any(|b| b.is_ascii_whitespace()) {
            return ZoneLine::Other;
        }
        let tokens: Vec<&str> = line.split_ascii_whitespace().take(6).collect();
        let is = |token: &&str, word: &str| token.eq_ignore_ascii_case(word);
        // Before the type are the name, the time to live and the class; all may be missing.
        let is_between = |token: &&str| is(token, "IN") || is_time(token);
        let type_at = tokens.iter().enumerate().take(4).position(|(at, token)| {
            let known = is(token, "CNAME") || OTHER_TYPES.iter().any(|kind| is(token, kind));
            known && tokens[..at].iter().skip(1).all(is_between)
        });
        let Some(at) = type_at else {
            return ZoneLine::Other;
        };
        let has_class = tokens[..at].iter().any(|token| is(token, "IN"));
        if !is(&tokens[at], "CNAME") {
            if !has_class && !is(&tokens[at], "SOA") && !is(&tokens[at], "NS") {
                return ZoneLine::Other;
            }
            if is(&tokens[at], "SOA") {
                self.is_open = line.contains('(') && !line.contains(')');
                let owner = tokens[0];
                if at > 0 && owner.ends_with('.') {
                    self.set_origin(owner);
                }
            }
            return ZoneLine::Skipped;
        }
        let (Some(target), true) = (tokens.get(at + 1), at > 0) else {
            return ZoneLine::Bad;
        };
        let name = self.relative(tokens[0]).to_owned();
        match OTHER_TRIGGERS.iter().any(|end| name.ends_with(end)) {
            true => ZoneLine::Skipped,
            false => ZoneLine::Policy {
                name,
                is_exception: is(target, PASS),
            },
        }
    }

    fn set_origin(&mut self, name: &str) {
        let name = name.split_ascii_whitespace().next().unwrap_or_default();
        self.origin = Some(name.to_owned());
    }

    /// Returns a name without that of its zone, and without the dot at its end.
    fn relative<'n>(&self, name: &'n str) -> &'n str {
        let Some(absolute) = name.strip_suffix('.') else {
            return name;
        };
        let origin = self.origin.as_deref().unwrap_or_default();
        let origin = origin.strip_suffix('.').unwrap_or(origin);
        let inside = absolute.strip_suffix(origin).filter(|_| !origin.is_empty());
        inside
            .and_then(|inside| inside.strip_suffix('.'))
            .unwrap_or(absolute)
    }
}

/// Whether `token` is a time to live: `300`, `1h30m`.
fn is_time(token: &str) -> bool {
    let is_unit = |b: u8| b.is_ascii_digit() || b"smhdwSMHDW".contains(&b);
    token.starts_with(|c: char| c.is_ascii_digit()) && token.bytes().all(is_unit)
}

/// Returns the entry of the name of a policy.
pub(super) fn policy(name: &str) -> Option<IndicatorForm<'_>> {
    if let Some(reversed) = name.strip_suffix(ADDRESS) {
        let (address, len) = address(reversed)?;
        return Some(IndicatorForm::Host(HostEntry {
            place: HostPlace::Block(address, len),
            reach: Reach::Alone,
            port: None,
        }));
    }
    let (host, reach) = match name.strip_prefix("*.") {
        Some(host) => (host, Reach::Below),
        None => (name, Reach::Alone),
    };
    Some(IndicatorForm::Host(HostEntry {
        place: HostPlace::Host(host),
        reach,
        port: None,
    }))
}

/// Reads `LEN.D.C.B.A`, or `LEN` and the groups of IPv6, last first, where `zz` is a run of
/// zeros.
fn address(reversed: &str) -> Option<(IpAddr, u8)> {
    let mut parts = reversed.split('.');
    let len: u8 = parts.next()?.parse().ok()?;
    let parts: Vec<&str> = parts.rev().collect();
    if let [a, b, c, d] = parts[..]
        && !parts.contains(&"zz")
    {
        let number = |text: &str| text.parse::<u8>().ok();
        let address = Ipv4Addr::new(number(a)?, number(b)?, number(c)?, number(d)?);
        return (len <= 32).then_some((address.into(), len));
    }
    let groups: Vec<&str> = parts
        .iter()
        .map(|part| if *part == "zz" { "" } else { part })
        .collect();
    let mut text = groups.join(":");
    if text.starts_with(':') {
        text.insert(0, ':');
    }
    if text.ends_with(':') {
        text.push(':');
    }
    let address: Ipv6Addr = text.parse().ok()?;
    (len <= 128).then_some((address.into(), len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_and_other_lines() {
        let mut zone = ZoneState::default();
        let policy = |name: &str, is_exception| ZoneLine::Policy {
            name: name.to_owned(),
            is_exception,
        };
        for (line, wanted) in [
            ("$TTL 60", ZoneLine::Skipped),
            ("$ORIGIN rpz.local.", ZoneLine::Skipped),
            ("@ IN SOA localhost. root.localhost. (", ZoneLine::Skipped),
            ("1 3600", ZoneLine::Skipped),
            (")", ZoneLine::Skipped),
            ("IN NS localhost.", ZoneLine::Skipped),
            ("a.example CNAME .", policy("a.example", false)),
            (
                "a.example.rpz.local. 1h IN cname *.",
                policy("a.example", false),
            ),
            ("*.b.example 300 IN CNAME .", policy("*.b.example", false)),
            ("c.example CNAME rpz-passthru.", policy("c.example", true)),
            ("32.1.2.0.192.rpz-client-ip CNAME .", ZoneLine::Skipped),
            ("d.example IN A 192.0.2.1", ZoneLine::Skipped),
            ("CNAME .", ZoneLine::Bad),
            ("a.example CNAME", ZoneLine::Bad),
            ("0.0.0.0 a", ZoneLine::Other),
            ("a.example", ZoneLine::Other),
            ("hello world", ZoneLine::Other),
        ] {
            assert_eq!(zone.line(line), wanted, "{line}");
        }
    }

    #[test]
    fn addresses_are_reversed() {
        for (text, wanted) in [
            ("24.0.2.0.192", Some(("192.0.2.0", 24))),
            ("128.1.zz.db8.2001", Some(("2001:db8::1", 128))),
            ("48.zz.1.db8.2001", Some(("2001:db8:1::", 48))),
            ("128.1.zz", Some(("::1", 128))),
            ("33.0.2.0.192", None),
            ("24.0.2.192", None),
            ("x", None),
        ] {
            let wanted = wanted.map(|(address, len)| (address.parse().unwrap(), len));
            assert_eq!(address(text), wanted, "{text}");
        }
    }
}
