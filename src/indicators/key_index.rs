//! The keys of entries in one table: hosts, blocks of addresses, URIs, digests. A row takes
//! 16 bytes and a slot 5, because a list may have millions of entries; a key that stands in
//! the text of its entry is not copied. Keys are equal when their bytes are.

use super::entry_texts::EntryTexts;

/// The row after the last one of a chain, and an empty slot.
const NO_ROW: u32 = u32::MAX;
/// The first table.
const FIRST_SLOTS: usize = 16;

/// The entry of rows that belong to none.
pub(crate) const NO_ENTRY: u32 = u32::MAX;

/// What the key of a row is, and what the row says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum KeyKind {
    /// A name: hosts of this name and below it match.
    WithBelow,
    /// A name: hosts of this name match.
    Alone,
    /// A name: hosts below it match.
    Below,
    /// Addresses that share their first bits match.
    Block,
    /// A host, by its key: URIs with it may be equal to an entry, or begin with one.
    OfUris,
    /// A name: paths of hosts of this name and below it may begin with one of an entry.
    OfPaths,
    /// A URI, by its canonical form.
    Uri,
    /// A URI with http or https, by its canonical form without these.
    WebUri,
    /// The SHA-256 of the canonical form.
    Digest,
}

/// The kind of key, without what the row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum KeyClass {
    Name,
    Block,
    Uri,
    WebUri,
    Digest,
}

impl KeyKind {
    fn class(self) -> KeyClass {
        match self {
            KeyKind::WithBelow
            | KeyKind::Alone
            | KeyKind::Below
            | KeyKind::OfUris
            | KeyKind::OfPaths => KeyClass::Name,
            KeyKind::Block => KeyClass::Block,
            KeyKind::Uri => KeyClass::Uri,
            KeyKind::WebUri => KeyClass::WebUri,
            KeyKind::Digest => KeyClass::Digest,
        }
    }
}

/// A row: what an entry says of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyRow {
    /// The number of the entry, or [`NO_ENTRY`].
    pub entry: u32,
    key: KeyPlace,
    /// The next row of the same key.
    next: u32,
    /// The only port that matches; 0 where any does.
    port: u16,
    pub kind: KeyKind,
}

impl KeyRow {
    /// The only port that matches; `None` where any does.
    pub(crate) fn port(&self) -> Option<u16> {
        Some(self.port).filter(|&port| port > 0)
    }
}

/// Where the bytes of a key are: in the text of the entry of its row, or among the keys that
/// are kept apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyPlace(u32);

/// Set where the key is in the text of its entry. The offset has 15 bits, the length 16.
const IN_TEXT: u32 = 1 << 31;

/// Keys that are not in the text of their entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApartKeys {
    bytes: Vec<u8>,
    starts: Vec<u64>,
}

impl ApartKeys {
    /// Returns where `key` is, which is kept apart if the text of its entry lacks it. `None`
    /// when there is no room.
    pub(crate) fn place(&mut self, key: &[u8], text: &[u8]) -> Option<KeyPlace> {
        // Most keys are the end or the whole of the text.
        let at = match text.ends_with(key) {
            true => Some(text.len() - key.len()),
            false => memchr::memmem::find(text, key),
        };
        if let Some(at) = at
            && at < 1 << 15
            && key.len() < 1 << 16
        {
            return Some(KeyPlace(IN_TEXT | (at as u32) << 16 | key.len() as u32));
        }
        let number = u32::try_from(self.starts.len()).ok()?;
        if number >= IN_TEXT {
            return None;
        }
        self.starts.push(self.bytes.len() as u64);
        self.bytes.extend_from_slice(key);
        Some(KeyPlace(number))
    }

    /// Returns the key at `place`, of an entry with this `text`.
    pub(crate) fn key<'k>(&'k self, place: KeyPlace, text: &'k [u8]) -> &'k [u8] {
        let KeyPlace(place) = place;
        if place & IN_TEXT != 0 {
            let at = (place >> 16 & 0x7FFF) as usize;
            return text.get(at..at + (place & 0xFFFF) as usize).unwrap_or(&[]);
        }
        let number = place as usize;
        let start = |number: usize| self.starts.get(number).map(|&start| start as usize);
        let end = start(number + 1).unwrap_or(self.bytes.len());
        let range = start(number).map(|start| start..end);
        range.and_then(|range| self.bytes.get(range)).unwrap_or(&[])
    }

    fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.starts.shrink_to_fit();
    }
}

/// The table.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyIndex {
    rows: Vec<KeyRow>,
    pub apart: ApartKeys,
    /// The first row of each key, by its hash.
    slots: Vec<u32>,
    /// A byte of the hash of each slot; 0 for an empty one.
    tags: Vec<u8>,
    keys: usize,
    state: ahash::RandomState,
}

impl KeyIndex {
    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of its rows.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a row for `key`. Returns false when there is no room for more rows.
    pub(crate) fn add(
        &mut self,
        key: &[u8],
        (entry, kind, port): (u32, KeyKind, Option<u16>),
        texts: &EntryTexts,
    ) -> bool {
        if self.rows.len() >= NO_ROW as usize - 1 {
            return false;
        }
        if (self.keys + 1) * 10 > self.slots.len() * 7 {
            self.grow(texts);
        }
        let number = self.rows.len() as u32;
        let (slot, tag) = self.slot(kind.class(), key, texts);
        let first = self.slots[slot];
        let place = match self.rows.get(first as usize) {
            // Rows of one key may belong to different entries, so the text may differ.
            Some(row) if row.key.0 & IN_TEXT == 0 => Some(row.key),
            _ => self.apart.place(key, texts.text(entry)),
        };
        let Some(place) = place else { return false };
        if first == NO_ROW {
            self.keys += 1;
            self.tags[slot] = tag;
        }
        self.slots[slot] = number;
        self.rows.push(KeyRow {
            entry,
            key: place,
            next: first,
            port: port.unwrap_or(0),
            kind,
        });
        true
    }

    /// Returns the rows of `key`, the last one first.
    pub(crate) fn rows(
        &self,
        class: KeyClass,
        key: &[u8],
        texts: &EntryTexts,
    ) -> impl Iterator<Item = &KeyRow> {
        let first = match self.slots.is_empty() {
            true => NO_ROW,
            false => self.slots[self.slot(class, key, texts).0],
        };
        let row = |number: u32| self.rows.get(number as usize);
        std::iter::successors(row(first), move |last| row(last.next))
    }

    /// Returns the slot of `key`, or the empty one where it belongs, and its tag.
    fn slot(&self, class: KeyClass, key: &[u8], texts: &EntryTexts) -> (usize, u8) {
        let (mut at, tag) = self.home(class, key);
        loop {
            let found = self.tags[at];
            if found == 0 {
                return (at, tag);
            }
            if found == tag {
                let row = &self.rows[self.slots[at] as usize];
                let text = texts.text(row.entry);
                if row.kind.class() == class && self.apart.key(row.key, text) == key {
                    return (at, tag);
                }
            }
            at = self.after(at);
        }
    }

    fn grow(&mut self, texts: &EntryTexts) {
        let len = (self.slots.len() + self.slots.len() / 2).max(FIRST_SLOTS);
        self.slots = vec![NO_ROW; len];
        self.tags = vec![0; len];
        // In the order of the rows, because their keys are next to each other in memory.
        let mut is_first = vec![true; self.rows.len()];
        for row in self.rows.iter().filter(|row| row.next != NO_ROW) {
            is_first[row.next as usize] = false;
        }
        for (number, row) in self.rows.iter().enumerate().filter(|(n, _)| is_first[*n]) {
            let key = self.apart.key(row.key, texts.text(row.entry));
            let (mut at, tag) = self.home(row.kind.class(), key);
            while self.tags[at] != 0 {
                at = self.after(at);
            }
            (self.slots[at], self.tags[at]) = (number as u32, tag);
        }
    }

    /// Returns the slot at which the search for a key begins, and its tag.
    fn home(&self, class: KeyClass, key: &[u8]) -> (usize, u8) {
        let hash = self.state.hash_one((class, key));
        let len = self.slots.len() as u64;
        let at = ((hash & u64::from(u32::MAX)) * len) >> 32;
        (at as usize, (hash >> 56) as u8 | 0x80)
    }

    /// Returns the slot behind one.
    fn after(&self, slot: usize) -> usize {
        match slot + 1 == self.slots.len() {
            true => 0,
            false => slot + 1,
        }
    }

    /// Gives back memory that is kept for more rows.
    pub(crate) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        self.apart.shrink();
    }

    /// The bytes of memory that it takes.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.rows.capacity() * size_of::<KeyRow>()
            + self.apart.bytes.capacity()
            + self.apart.starts.capacity() * size_of::<u64>()
            + self.slots.capacity() * size_of::<u32>()
            + self.tags.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_texts_and_apart() {
        let mut texts = EntryTexts::default();
        texts.begin_list(b"l");
        let mut index = KeyIndex::default();
        for number in 0..2000u32 {
            let name = format!("host{number}.example");
            let text = format!("hxxp://{name}/");
            let entry = texts.add(text.as_bytes(), 1).unwrap();
            assert!(index.add(name.as_bytes(), (entry, KeyKind::Alone, None), &texts));
            let key = number.to_be_bytes();
            assert!(index.add(&key, (entry, KeyKind::Block, Some(80)), &texts));
        }
        for number in 0..2000u32 {
            let entries = |class, key: &[u8]| {
                let rows = index.rows(class, key, &texts);
                rows.map(|row| (row.entry, row.port())).collect::<Vec<_>>()
            };
            let name = format!("host{number}.example");
            assert_eq!(entries(KeyClass::Name, name.as_bytes()), [(number, None)]);
            assert_eq!(
                entries(KeyClass::Block, &number.to_be_bytes()),
                [(number, Some(80))]
            );
            assert_eq!(entries(KeyClass::Uri, name.as_bytes()), []);
        }
        assert_eq!(size_of::<KeyRow>(), 16);
    }

    #[test]
    fn a_key_has_the_rows_of_all_its_entries() {
        let texts = EntryTexts::default();
        let mut index = KeyIndex::default();
        for entry in 0..100_000 {
            assert!(index.add(b"a.example", (entry, KeyKind::Alone, None), &texts));
        }
        let rows = index.rows(KeyClass::Name, b"a.example", &texts);
        assert!(rows.map(|row| row.entry).eq((0..100_000).rev()));
    }
}
