//! The hosts that entries match (rules I1 and I5), whatever their spellings. No regular
//! expressions, and a test allocates nothing.

use super::entry_texts::EntryTexts;
use super::host_entry::{HostEntry, HostPlace, Reach, is_name};
use super::key_index::{KeyClass, KeyIndex, KeyKind, KeyRow, NO_ENTRY};
use crate::canonicalize::hosts::{HostKey, HostSite, any_site, with_key};
use std::net::IpAddr;

/// What is looked up of a host. The cost of a test does not depend on the number of entries:
/// of a name its ends are looked up, label by label, of an address its prefixes of the
/// lengths that occur.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostKeys {
    /// The length of the longest name: longer ends of a host need not be looked up.
    longest: usize,
    /// Whether a name has only one label: otherwise no last label needs to be looked up.
    has_label: bool,
    /// The lengths of the blocks of IPv4 and of IPv6.
    lens: [Vec<u8>; 2],
}

/// The entry that has a host, and the tables that it is added to.
pub(crate) struct HostTables<'t> {
    pub index: &'t mut KeyIndex,
    pub texts: &'t EntryTexts,
    /// The number of the entry.
    pub entry: u32,
}

/// A block of addresses: the bits that its addresses share, as those of IPv6, and their
/// number.
type AddressBlock = [u8; 17];

impl KeyRow {
    /// Whether the row is one of a host, and matches one with this port; `is_whole` says
    /// whether its name is that of the entry, not one below it.
    pub(crate) fn takes(&self, port: Option<u16>, is_whole: bool) -> bool {
        let reaches = match self.kind {
            KeyKind::WithBelow | KeyKind::Block => true,
            KeyKind::Alone => is_whole,
            KeyKind::Below => !is_whole,
            KeyKind::OfUris
            | KeyKind::OfPaths
            | KeyKind::Uri
            | KeyKind::WebUri
            | KeyKind::Digest => false,
        };
        reaches && (self.port().is_none() || self.port() == port)
    }
}

impl HostKeys {
    /// Adds those of other entries, whose rows are in the same index.
    pub(crate) fn append(&mut self, more: &HostKeys) {
        self.longest = self.longest.max(more.longest);
        self.has_label |= more.has_label;
        for (lens, more) in self.lens.iter_mut().zip(&more.lens) {
            for &len in more {
                if !lens.contains(&len) {
                    lens.push(len);
                }
            }
        }
    }

    /// Adds an entry; returns false if it cannot match a host.
    pub(crate) fn add(&mut self, entry: HostEntry, tables: HostTables) -> bool {
        let kind = match entry.reach {
            Reach::WithBelow => KeyKind::WithBelow,
            Reach::Alone => KeyKind::Alone,
            Reach::Below => KeyKind::Below,
        };
        match entry.place {
            HostPlace::Block(address, len) => {
                // No host is below an address.
                kind != KeyKind::Below && self.add_block((address, len), entry.port, tables)
            }
            HostPlace::Host(host) => with_key(host.as_bytes(), |key| {
                self.add_key(key, (kind, entry.port), tables)
            }),
        }
    }

    /// Adds a row of this kind for a host; returns false for one that cannot be in a URI.
    pub(crate) fn add_key(
        &mut self,
        key: HostKey,
        (kind, port): (KeyKind, Option<u16>),
        tables: HostTables,
    ) -> bool {
        let is_mark = kind.is_mark();
        match key {
            HostKey::Name(name) => {
                (is_mark || is_name(name)) && self.add_name(name, (kind, port), tables)
            }
            HostKey::Address(address) if is_mark => {
                self.add_name(&block_of(address), (kind, port), tables)
            }
            HostKey::Address(address) => {
                let bits = if address.is_ipv4() { 32 } else { 128 };
                kind != KeyKind::Below && self.add_block((address, bits), port, tables)
            }
        }
    }

    fn add_name(
        &mut self,
        name: &[u8],
        (kind, port): (KeyKind, Option<u16>),
        tables: HostTables,
    ) -> bool {
        let HostTables {
            index,
            texts,
            entry,
        } = tables;
        self.longest = self.longest.max(name.len());
        self.has_label |= !name.contains(&b'.');
        index.add(name, (entry, kind, port), texts)
    }

    fn add_block(
        &mut self,
        (address, len): (IpAddr, u8),
        port: Option<u16>,
        tables: HostTables,
    ) -> bool {
        let HostTables {
            index,
            texts,
            entry,
        } = tables;
        let lens = &mut self.lens[usize::from(address.is_ipv6())];
        if !lens.contains(&len) {
            lens.push(len);
        }
        let key = block(address, len);
        index.add(&key, (entry, KeyKind::Block, port), texts)
    }

    /// Whether `test` returns true for a row of a host: it is passed the row, the part of the
    /// name that is its key, and whether this is the whole name.
    #[inline]
    pub(crate) fn any_row(
        &self,
        key: HostKey,
        (index, texts): (&KeyIndex, &EntryTexts),
        mut test: impl FnMut(&KeyRow, &[u8], bool) -> bool,
    ) -> bool {
        match key {
            HostKey::Address(address) => {
                let whole = block_of(address);
                let mut marks = index.rows(KeyClass::Name, &whole, texts);
                let mut lens = self.lens[usize::from(address.is_ipv6())].iter();
                marks.any(|row| test(row, &whole, true))
                    || lens.any(|&len| {
                        let key = block(address, len);
                        let mut rows = index.rows(KeyClass::Block, &key, texts);
                        rows.any(|row| test(row, &key, true))
                    })
            }
            HostKey::Name(name) => {
                let next_label =
                    |from: usize| memchr::memchr(b'.', &name[from..]).map(|dot| from + dot + 1);
                let mut from = match name.len().saturating_sub(self.longest) {
                    0 => Some(0),
                    // The match may begin inside a label: the next one is the first that may.
                    beyond => next_label(beyond - 1),
                };
                while let Some(at) = from {
                    let next = next_label(at);
                    if next.is_none() && !self.has_label {
                        return false;
                    }
                    let mut rows = index.rows(KeyClass::Name, &name[at..], texts);
                    if rows.any(|row| test(row, &name[at..], at == 0)) {
                        return true;
                    }
                    from = next;
                }
                false
            }
        }
    }
}

/// Hosts without the texts of their entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts {
    keys: HostKeys,
    index: KeyIndex,
    texts: EntryTexts,
}

impl Hosts {
    /// Whether there are no entries.
    pub(crate) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Adds an entry; returns false if it cannot match a host.
    pub(crate) fn add(&mut self, entry: HostEntry) -> bool {
        let tables = HostTables {
            index: &mut self.index,
            texts: &self.texts,
            entry: NO_ENTRY,
        };
        let is_added = self.keys.add(entry, tables);
        self.index.settle(&self.texts);
        is_added
    }

    /// Whether `uri` has a host that an entry matches.
    pub(crate) fn hold(&self, uri: &[u8]) -> bool {
        let tables = (&self.index, &self.texts);
        any_site(uri, |HostSite { key, port }| {
            let test = |row: &KeyRow, _: &[u8], is_whole| row.takes(port, is_whole);
            self.keys.any_row(key, tables, test)
        })
    }
}

impl HostKey<'_> {
    /// Appends the key by which marks of the host are found.
    pub(crate) fn put_key(self, out: &mut Vec<u8>) {
        match self {
            HostKey::Name(name) => out.extend_from_slice(name),
            HostKey::Address(address) => out.extend_from_slice(&block_of(address)),
        }
    }
}

/// Returns the block of one address. No name is equal to it: its last byte is not ASCII, or
/// its first ones are 0.
fn block_of(address: IpAddr) -> AddressBlock {
    block(address, if address.is_ipv4() { 32 } else { 128 })
}

/// Returns the block of the addresses that have the first `len` bits of `address`.
fn block(address: IpAddr, len: u8) -> AddressBlock {
    let (address, len) = match address {
        IpAddr::V4(address) => (address.to_ipv6_mapped(), 96 + len),
        IpAddr::V6(address) => (address, len),
    };
    let mask = u128::MAX.checked_shl(128 - u32::from(len)).unwrap_or(0);
    let mut key = [len; 17];
    key[..16].copy_from_slice(&(address.to_bits() & mask).to_be_bytes());
    key
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
        assert_eq!(hosts.index.len(), 3);
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
