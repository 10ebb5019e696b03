//! Brings each entry into the form in which it is looked up, and adds it to the tables.

use super::form::IndicatorForm;
use super::host_entry::{HostEntry, HostPlace, is_name};
use super::hosts::HostTables;
use super::key_index::KeyKind;
use super::matcher::{Matcher, after_authority, canonicalizer, without_web_scheme};
use crate::canonicalize::Canonicalizer;
use crate::canonicalize::hosts::{HostKey, HostSite, any_site, with_key};

/// A matcher to which entries are added, with the buffers that this takes.
#[derive(Clone, Debug)]
pub(super) struct EntryTables {
    pub matcher: Matcher,
    canonicalizer: Canonicalizer,
    canonical: Vec<u8>,
    key: Vec<u8>,
}

/// The end of a start while its canonical form is made: it keeps a dot before it from being a
/// segment of dots.
const SENTINEL: u8 = b'z';

/// There are no more numbers for entries.
const FULL: &str = "too many entries";

impl EntryTables {
    pub(super) fn new() -> EntryTables {
        EntryTables {
            matcher: Matcher::default(),
            canonicalizer: canonicalizer(),
            canonical: Vec::new(),
            key: Vec::new(),
        }
    }

    /// Returns empty ones whose entries can be [appended](EntryTables::append) to these.
    pub(super) fn part(&self) -> EntryTables {
        let mut part = EntryTables::new();
        part.matcher.index = self.matcher.index.part();
        part
    }

    /// Adds the entries of a [part](EntryTables::part) behind these. Returns false when there is
    /// no room for them.
    pub(super) fn append(&mut self, part: EntryTables) -> bool {
        let Matcher {
            texts,
            index,
            hosts,
            prefixes,
            paths,
            patterns,
            exceptions,
            has_digests,
            needs_uri,
            needs_hostless,
        } = part.matcher;
        let own = &mut self.matcher;
        let Some(first) = own.texts.append(&texts) else {
            return false;
        };
        own.hosts.append(&hosts);
        own.patterns.append(patterns, first);
        for (word, bits) in exceptions.iter().enumerate() {
            let of_word = (0..64).filter(|bit| bits >> bit & 1 == 1);
            of_word.for_each(|bit| own.except(first + word as u32 * 64 + bit));
        }
        own.has_digests |= has_digests;
        own.needs_uri |= needs_uri;
        own.needs_hostless |= needs_hostless;
        own.index.append(&index, first)
            && own.prefixes.append(&prefixes, first)
            && own.paths.append(&paths, first)
    }

    /// Adds an entry that is `written` in this line; `add` adds what is looked up.
    ///
    /// # Errors
    /// Why it cannot be looked up.
    pub(super) fn add(
        &mut self,
        (written, line): (&[u8], u64),
        is_exception: bool,
        add: impl FnOnce(&mut EntryTables, u32) -> Result<(), String>,
    ) -> Result<(), String> {
        let entry = self.matcher.texts.add(written, line);
        let entry = entry.ok_or_else(|| FULL.to_owned())?;
        if let Err(why) = add(self, entry) {
            self.matcher.texts.remove_last();
            return Err(why);
        }
        if is_exception {
            self.matcher.except(entry);
        }
        Ok(())
    }

    /// Adds what is looked up of the entry with this number.
    ///
    /// # Errors
    /// Why it cannot be.
    pub(super) fn add_form(&mut self, form: IndicatorForm, entry: u32) -> Result<(), String> {
        match form {
            IndicatorForm::Skipped | IndicatorForm::Names(_) => Ok(()),
            IndicatorForm::Digest(digest) => {
                self.matcher.has_digests = true;
                self.matcher.needs_uri = true;
                self.add_key(&digest, KeyKind::Digest, entry)
            }
            IndicatorForm::Uri(uri) => self.add_uri(uri.as_bytes(), entry),
            IndicatorForm::Prefix(start) => self.add_prefix(start.as_bytes(), entry),
            IndicatorForm::Host(host) => self.add_host(host, entry),
            IndicatorForm::PathBelow { host, path } => self.add_path(host, path, entry),
            IndicatorForm::WithoutScheme(rest) => {
                let end = rest.find(['/', '?']).unwrap_or(rest.len());
                if !is_host(&rest[..end]) {
                    return Err("not a host, an address or a URI".to_owned());
                }
                self.add_web_uri(rest, entry)
            }
        }
    }

    fn add_key(&mut self, key: &[u8], kind: KeyKind, entry: u32) -> Result<(), String> {
        let Matcher { index, texts, .. } = &mut self.matcher;
        let is_added = index.add(key, (entry, kind, None), texts);
        is_added.then_some(()).ok_or_else(|| FULL.to_owned())
    }

    fn add_host(&mut self, host: HostEntry, entry: u32) -> Result<(), String> {
        let Matcher {
            hosts,
            index,
            texts,
            ..
        } = &mut self.matcher;
        let tables = HostTables {
            index,
            texts,
            entry,
        };
        let is_added = hosts.add(host, tables);
        is_added
            .then_some(())
            .ok_or_else(|| "not a host, an address or a URI".to_owned())
    }

    /// Says that URIs with the host of `uri` are compared with entries.
    fn mark_host(&mut self, uri: &[u8], entry: u32) {
        let Matcher {
            hosts,
            index,
            texts,
            needs_hostless,
            ..
        } = &mut self.matcher;
        let mut has_host = false;
        // Equal URIs have the same hosts: one of them is enough.
        any_site(uri, |HostSite { key, .. }| {
            let tables = HostTables {
                index,
                texts,
                entry,
            };
            hosts.add_key(key, (KeyKind::OfUris, None), tables);
            has_host = true;
            true
        });
        *needs_hostless |= !has_host;
    }

    fn add_uri(&mut self, uri: &[u8], entry: u32) -> Result<(), String> {
        let mut buffer = std::mem::take(&mut self.canonical);
        let canonical = self.canonicalizer.canonicalize(uri, &mut buffer);
        let added = self.add_key(canonical, KeyKind::Uri, entry);
        self.mark_host(canonical, entry);
        self.canonical = buffer;
        added
    }

    /// Adds the URIs of http and https that `rest` is without its scheme.
    fn add_web_uri(&mut self, rest: &str, entry: u32) -> Result<(), String> {
        let [first, second] = ["http", "https"].map(|scheme| format!("{scheme}://{rest}"));
        let first = self.canonicalizer.canonical(first.as_bytes()).into_owned();
        let second = self.canonicalizer.canonical(second.as_bytes()).into_owned();
        match (without_web_scheme(&first), without_web_scheme(&second)) {
            (Some(one), Some(same)) if one == same => {
                self.mark_host(&first, entry);
                self.add_key(one, KeyKind::WebUri, entry)
            }
            // The port of only one of them is its default.
            _ => {
                self.add_uri(&first, entry)?;
                self.add_uri(&second, entry)
            }
        }
    }

    /// Passes the canonical form of the start of a URI to `add`.
    fn with_start(
        &mut self,
        start: &[u8],
        add: impl FnOnce(&mut EntryTables, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut buffer = std::mem::take(&mut self.canonical);
        let whole = [start, &[SENTINEL]].concat();
        let canonical = self.canonicalizer.canonicalize(&whole, &mut buffer);
        let added = match canonical.split_last() {
            Some((&SENTINEL, start)) => add(self, start),
            _ => Err("a start whose canonical form depends on what follows".to_owned()),
        };
        self.canonical = buffer;
        added
    }

    fn add_prefix(&mut self, start: &[u8], entry: u32) -> Result<(), String> {
        self.with_start(start, |tables, start| {
            let Matcher {
                prefixes, texts, ..
            } = &mut tables.matcher;
            if !prefixes.add(start, (entry, None), texts) {
                return Err(FULL.to_owned());
            }
            // Without an authority the host may be cut off.
            match after_authority(start).is_empty() {
                true => tables.matcher.needs_uri = true,
                false => tables.mark_host(start, entry),
            }
            Ok(())
        })
    }

    fn add_path(&mut self, host: &str, path: &str, entry: u32) -> Result<(), String> {
        let not_one = || "not a host, an address or a URI".to_owned();
        let parsed = HostEntry::parse(host).filter(|_| is_host(host));
        let HostEntry { place, port, .. } = parsed.ok_or_else(not_one)?;
        let name = match place {
            HostPlace::Host(name) => name,
            HostPlace::Block(..) => host,
        };
        let start = format!("http://{host}{path}");
        self.with_start(start.as_bytes(), |entries, start| {
            let Matcher {
                hosts,
                index,
                texts,
                paths,
                ..
            } = &mut entries.matcher;
            let mut key = std::mem::take(&mut entries.key);
            key.clear();
            let tables = HostTables {
                index,
                texts,
                entry,
            };
            with_key(name.as_bytes(), |host| {
                host.put_key(&mut key);
                hosts.add_key(host, (KeyKind::OfPaths, None), tables)
            });
            key.extend_from_slice(after_authority(start));
            let is_added = paths.add(&key, (entry, port), texts);
            entries.key = key;
            is_added.then_some(()).ok_or_else(|| FULL.to_owned())
        })
    }
}

/// Whether `text` is a host of a URI, with or without a port.
fn is_host(text: &str) -> bool {
    let entry = HostEntry::parse(text);
    entry.is_some_and(|entry| match entry.place {
        HostPlace::Block(..) => true,
        HostPlace::Host(host) => with_key(host.as_bytes(), |key| match key {
            HostKey::Address(_) => true,
            HostKey::Name(name) => is_name(name),
        }),
    })
}
