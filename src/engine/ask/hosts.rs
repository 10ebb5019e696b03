//! The hosts of a selection (rules I1 and I5): whether a URI has a host that an entry
//! matches, whatever their spellings. No regular expressions, and a test allocates nothing.

use super::host_entry::{HostEntry, HostPlace, Reach, is_name};
use crate::canonicalize::hosts::{HostKey, HostSite, any_site, with_key};
use std::collections::HashMap;
use std::net::IpAddr;

/// The row after the last one of a chain.
const NO_ROW: u32 = u32::MAX;

/// The hosts that entries match. The cost of a test does not depend on their number: of a
/// name its ends are looked up, label by label, of an address its prefixes of the lengths
/// that occur.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Hosts {
    /// The first row of each name.
    names: HashMap<Box<[u8]>, u32, ahash::RandomState>,
    /// The length of the longest name: longer ends of a host need not be looked up.
    longest: usize,
    /// The first row of each block of addresses.
    blocks: HashMap<AddressBlock, u32, ahash::RandomState>,
    /// The lengths of the blocks of IPv4 and of IPv6.
    lens: [Vec<u8>; 2],
    /// A row for each entry, in the order in which they were added.
    rows: Vec<HostRow>,
}

/// A block of addresses: the bits that its addresses share, as those of IPv6, and their
/// number.
type AddressBlock = ([u8; 16], u8);

/// An entry without its place.
#[derive(Clone, Copy, Debug)]
struct HostRow {
    reach: Reach,
    port: Option<u16>,
    /// The next row of the same place.
    next: u32,
}

impl HostRow {
    /// Whether the entry matches a host with this port; `is_whole` says whether its name is
    /// that of the entry, not one below it.
    fn takes(&self, port: Option<u16>, is_whole: bool) -> bool {
        let reaches = match self.reach {
            Reach::WithBelow => true,
            Reach::Alone => is_whole,
            Reach::Below => !is_whole,
        };
        reaches && (self.port.is_none() || self.port == port)
    }
}

impl Hosts {
    /// Whether there are no entries.
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds an entry; returns false if it cannot match a host.
    pub(in crate::engine) fn add(&mut self, entry: HostEntry) -> bool {
        match entry.place {
            HostPlace::Block(address, len) => self.add_block(address, len, entry),
            HostPlace::Host(host) => with_key(host.as_bytes(), |key| match key {
                HostKey::Address(address) => {
                    let bits = if address.is_ipv4() { 32 } else { 128 };
                    self.add_block(address, bits, entry)
                }
                HostKey::Name(name) => is_name(name) && self.add_name(name, entry),
            }),
        }
    }

    fn add_name(&mut self, name: &[u8], entry: HostEntry) -> bool {
        self.longest = self.longest.max(name.len());
        let first = self.names.entry(name.into()).or_insert(NO_ROW);
        add_row(&mut self.rows, first, entry)
    }

    /// Adds a block. No host is below an address.
    fn add_block(&mut self, address: IpAddr, len: u8, entry: HostEntry) -> bool {
        if entry.reach == Reach::Below {
            return false;
        }
        let lens = &mut self.lens[usize::from(address.is_ipv6())];
        if !lens.contains(&len) {
            lens.push(len);
        }
        let first = self.blocks.entry(block(address, len)).or_insert(NO_ROW);
        add_row(&mut self.rows, first, entry)
    }

    /// Whether `uri` has a host that an entry matches.
    pub(in crate::engine) fn hold(&self, uri: &[u8]) -> bool {
        any_site(uri, |HostSite { key, port }| match key {
            HostKey::Address(address) => {
                let mut lens = self.lens[usize::from(address.is_ipv6())].iter();
                lens.any(|&len| {
                    let first = self.blocks.get(&block(address, len));
                    self.any_row(first, port, true)
                })
            }
            HostKey::Name(name) => self.name_is_held(name, port),
        })
    }

    fn name_is_held(&self, name: &[u8], port: Option<u16>) -> bool {
        let next_label =
            |from: usize| memchr::memchr(b'.', &name[from..]).map(|dot| from + dot + 1);
        let mut from = match name.len().saturating_sub(self.longest) {
            0 => Some(0),
            // The match may begin inside a label: the next one is the first that may.
            beyond => next_label(beyond - 1),
        };
        while let Some(at) = from {
            let first = self.names.get(&name[at..]);
            if self.any_row(first, port, at == 0) {
                return true;
            }
            from = next_label(at);
        }
        false
    }

    /// Whether a row of the chain that begins with `first` matches.
    fn any_row(&self, first: Option<&u32>, port: Option<u16>, is_whole: bool) -> bool {
        let row = |number: u32| self.rows.get(number as usize);
        let mut rows =
            std::iter::successors(first.and_then(|&first| row(first)), |last| row(last.next));
        rows.any(|row| row.takes(port, is_whole))
    }
}

/// Puts a row for `entry` before the chain that begins with `first`. An entry that says
/// nothing new is left out. Returns false when there is no room for more rows.
fn add_row(rows: &mut Vec<HostRow>, first: &mut u32, entry: HostEntry) -> bool {
    let HostEntry { reach, port, .. } = entry;
    let mut at = *first;
    while let Some(row) = rows.get(at as usize) {
        if (row.reach, row.port) == (reach, port) {
            return true;
        }
        at = row.next;
    }
    let number = rows.len();
    if number >= NO_ROW as usize {
        return false;
    }
    let next = std::mem::replace(first, number as u32);
    rows.push(HostRow { reach, port, next });
    true
}

/// Returns the block of the addresses that have the first `len` bits of `address`.
fn block(address: IpAddr, len: u8) -> AddressBlock {
    let (address, len) = match address {
        IpAddr::V4(address) => (address.to_ipv6_mapped(), 96 + len),
        IpAddr::V6(address) => (address, len),
    };
    let mask = u128::MAX.checked_shl(128 - u32::from(len)).unwrap_or(0);
    ((address.to_bits() & mask).to_be_bytes(), len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::Ipv4Addr;

    fn hosts(entries: &[&str]) -> Hosts {
        let mut hosts = Hosts::default();
        for entry in entries {
            let parsed = HostEntry::parse(entry);
            assert!(parsed.is_some_and(|parsed| hosts.add(parsed)), "{entry}");
        }
        hosts
    }

    #[cfg(feature = "idn")]
    #[test]
    fn names_are_looked_up_by_their_ends() {
        let hosts = hosts(&[
            "b.example",
            "=only.example",
            "*.below.example",
            ".dot.example",
            "BÜCHER.example",
            "p.example:8080",
            "p.example:443",
            "*.p.example:1",
            "a",
            "xn--a.example",
        ]);
        for (uri, wanted) in [
            ("http://b.example/", true),
            ("http://B.Example./", true),
            ("http://x.y.z.a.b.example/", true),
            ("http://bb.example/", false),
            ("http://b.example.org/", false),
            ("http://example/", false),
            ("http://only.example/", true),
            ("http://x.only.example/", false),
            ("http://below.example/", false),
            ("http://x.below.example/", true),
            ("http://dot.example/", true),
            ("http://x.dot.example/", true),
            ("http://www.xn--bcher-kva.example/", true),
            ("http://b%C3%BCcher.example/", true),
            ("http://p.example/", false),
            ("https://p.example/", true),
            ("https://x.p.example:0443/", true),
            ("http://p.example:8080/", true),
            ("http://x.p.example:1/", true),
            ("http://p.example:1/", false),
            ("mailto:x@p.example", false),
            ("ldap://x.${env:USER}.below.example/", true),
            ("ldap://x.${env:USER}.only.example/", false),
            ("http://a/", true),
            ("http://XN--A.example/", true),
            ("http:///", false),
            ("urn:a-b:c", false),
        ] {
            assert_eq!(hosts.hold(uri.as_bytes()), wanted, "{uri}");
        }
    }

    #[test]
    fn addresses_are_compared_by_value() {
        let hosts = hosts(&[
            "192.0.2.77/24",
            "0x7f.1",
            "2001:db8::/32",
            "=::1",
            "198.51.100.1:80",
            "::/96",
        ]);
        for (uri, wanted) in [
            ("http://192.0.2.0/", true),
            ("http://0xc00002ff/", true),
            ("http://[::ffff:192.0.2.1]/", true),
            ("http://192.0.3.0/", false),
            ("http://1.192.0.2.1/", false),
            ("http://2130706433/", true),
            ("http://[2001:DB8:FFFF::9]/", true),
            ("http://[2001:db9::]/", false),
            ("http://[0:0::1]:8080/", true),
            ("http://[::1:0:1]/", false),
            ("http://198.51.100.1/", true),
            ("https://198.51.100.1/", false),
            // IPv4 addresses are not part of a block of IPv6.
            ("http://203.0.113.1/", false),
            ("http://[::203.0.113.1]/", true),
        ] {
            assert_eq!(hosts.hold(uri.as_bytes()), wanted, "{uri}");
        }
    }

    #[test]
    fn what_is_not_a_host_is_refused() {
        for entry in [
            "",
            "*",
            "*.",
            ".",
            "=",
            "http://a",
            "a/b",
            "a b",
            "a@b",
            "a,b",
            "..a",
            "a..",
            "-",
            "192.0.2.0/33",
            "::/129",
            "192.0.2.0/",
            "192.0.2.0/+8",
            "10/8",
            "*.192.0.2.1",
            "[::1",
            "[foo]",
            "a.*",
            "%2F",
            "a\u{FFFD}",
        ] {
            let mut hosts = Hosts::default();
            let is_added = HostEntry::parse(entry).is_some_and(|parsed| hosts.add(parsed));
            assert!(!is_added, "{entry}");
            assert!(hosts.is_empty(), "{entry}");
        }
    }

    #[test]
    fn repeated_entries_take_one_row() {
        let hosts = hosts(&[
            "a.example",
            "A.example.",
            ".a.example",
            "=a.example",
            "1.2.3.4/8",
            "1.0.0.0/8",
        ]);
        assert_eq!(hosts.rows.len(), 3);
    }

    proptest! {
        #[test]
        fn a_block_has_the_addresses_with_its_first_bits(
            address in any::<u32>(), len in 0u8..=32, bit in 0u8..32,
        ) {
            let hosts = hosts(&[&format!("{}/{len}", Ipv4Addr::from(address))]);
            let other = Ipv4Addr::from(address ^ 1 << (31 - bit));
            let uri = format!("http://{other}/");
            prop_assert_eq!(hosts.hold(uri.as_bytes()), bit >= len);
        }
    }
}
