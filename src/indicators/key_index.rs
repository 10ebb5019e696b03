//! The keys of entries in one table: hosts, blocks of addresses, URIs, digests. A row takes
//! 16 bytes and a slot 5, because a list may have millions of entries; a key that stands in
//! the text of its entry is not copied. Keys are equal when their bytes are. The tables are built
//! when all rows are there: one that grows with them would be built several times.

use super::entry_texts::EntryTexts;

/// The row after the last one of a chain, and an empty slot.
const NO_ROW: u32 = u32::MAX;
/// The first table.
const FIRST_SLOTS: usize = 16;
/// The number of tables: the first bits of its hash say in which one a key is.
const TABLES: usize = 16;

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
    /// Whether it only says that there are entries to compare with.
    pub(crate) fn is_mark(self) -> bool {
        matches!(self, KeyKind::OfUris | KeyKind::OfPaths)
    }

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
    /// The next row of the same key; of a row that is not in the table, the hash of its key.
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

impl KeyPlace {
    /// Returns the place among keys before which there are `more` others.
    pub(crate) fn behind(self, more: u32) -> KeyPlace {
        match self.0 & IN_TEXT {
            0 => KeyPlace(self.0 + more),
            _ => self,
        }
    }
}

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

    /// Adds other keys behind these; returns the number of the first. `None` when there is no
    /// room for them.
    pub(crate) fn append(&mut self, more: &ApartKeys) -> Option<u32> {
        let (first, base) = (self.starts.len(), self.bytes.len() as u64);
        if first + more.starts.len() > IN_TEXT as usize {
            return None;
        }
        self.starts.extend(more.starts.iter().map(|at| base + at));
        self.bytes.extend_from_slice(&more.bytes);
        Some(first as u32)
    }

    fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.starts.shrink_to_fit();
    }
}

/// The table, in parts by the hashes of keys: each part fits in a cache while it is built, and
/// several are built at the same time.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyIndex {
    tables: [KeyTable; TABLES],
    pub apart: ApartKeys,
    state: ahash::RandomState,
}

/// The keys whose hashes have the same first bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyTable {
    rows: Vec<KeyRow>,
    /// The number of rows that are in the table.
    settled: usize,
    /// The first row of each key, by its hash.
    slots: Vec<u32>,
    /// A byte of the hash of each slot; 0 for an empty one.
    tags: Vec<u8>,
}

/// The keys of an index and the texts of its entries.
#[derive(Clone, Copy)]
pub(crate) struct KeyTexts<'t> {
    apart: &'t ApartKeys,
    texts: &'t EntryTexts,
    state: &'t ahash::RandomState,
}

impl<'t> KeyTexts<'t> {
    /// Returns the key of a row.
    fn key(self, row: &KeyRow) -> &'t [u8] {
        self.apart.key(row.key, self.texts.text(row.entry))
    }

    fn hash(self, class: KeyClass, key: &[u8]) -> u64 {
        self.state.hash_one((class, key))
    }
}

impl KeyIndex {
    /// Returns an empty one whose rows can be [appended](KeyIndex::append) to those of this one.
    pub(crate) fn part(&self) -> KeyIndex {
        KeyIndex {
            state: self.state.clone(),
            ..KeyIndex::default()
        }
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.tables.iter().all(|table| table.rows.is_empty())
    }

    /// The number of its rows.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.tables.iter().map(|table| table.rows.len()).sum()
    }

    /// Adds a row for `key`, which is found when the index is [settled](KeyIndex::settle). Returns
    /// false when there is no room for more rows.
    pub(crate) fn add(
        &mut self,
        key: &[u8],
        (entry, kind, port): (u32, KeyKind, Option<u16>),
        texts: &EntryTexts,
    ) -> bool {
        let hash = self.state.hash_one((kind.class(), key));
        let Some(key) = self.apart.place(key, texts.text(entry)) else {
            return false;
        };
        let rows = &mut self.tables[table_of(hash)].rows;
        let has_room = rows.len() < NO_ROW as usize - 1;
        if has_room {
            rows.push(KeyRow {
                entry,
                key,
                next: hash as u32,
                port: port.unwrap_or(0),
                kind,
            });
        }
        has_room
    }

    /// Adds the rows of a [part](KeyIndex::part) that was not settled, whose entries have numbers
    /// from `first` on. Returns false, and adds none, when there is no room for them.
    pub(crate) fn append(&mut self, part: &KeyIndex, first: u32) -> bool {
        let mut pairs = self.tables.iter().zip(&part.tables);
        let has_room = pairs.all(|(own, more)| own.rows.len() + more.rows.len() < NO_ROW as usize);
        let Some(apart) = self.apart.append(&part.apart).filter(|_| has_room) else {
            return false;
        };
        for (own, more) in self.tables.iter_mut().zip(&part.tables) {
            own.rows.extend(more.rows.iter().map(|row| KeyRow {
                entry: row.entry + first,
                key: row.key.behind(apart),
                ..*row
            }));
        }
        true
    }

    /// Brings the rows that were added into the table. One that says what another one says is
    /// removed: a second mark, and a second row of no entry.
    pub(crate) fn settle(&mut self, texts: &EntryTexts) {
        let (tables, keys) = self.unsettled(texts);
        tables.iter_mut().for_each(|table| table.settle(keys));
    }

    /// Returns the tables, each of which is to be [settled](KeyTable::settle), and their keys.
    pub(crate) fn unsettled<'i>(
        &'i mut self,
        texts: &'i EntryTexts,
    ) -> (&'i mut [KeyTable], KeyTexts<'i>) {
        let KeyIndex {
            tables,
            apart,
            state,
        } = self;
        let keys = KeyTexts {
            apart,
            texts,
            state,
        };
        (tables, keys)
    }

    /// Returns the rows of `key`: marks, then the others, the last one first.
    pub(crate) fn rows(
        &self,
        class: KeyClass,
        key: &[u8],
        texts: &EntryTexts,
    ) -> impl Iterator<Item = &KeyRow> {
        let keys = KeyTexts {
            apart: &self.apart,
            texts,
            state: &self.state,
        };
        let hash = keys.hash(class, key);
        let table = &self.tables[table_of(hash)];
        let first = match table.slots.is_empty() {
            true => NO_ROW,
            false => table.slots[table.slot(table.home(hash as u32), class, key, keys).0],
        };
        let row = |number: u32| table.rows.get(number as usize);
        std::iter::successors(row(first), move |last| row(last.next))
    }

    /// Gives back memory that is kept for more rows.
    pub(crate) fn shrink(&mut self) {
        for table in &mut self.tables {
            table.rows.shrink_to_fit();
        }
        self.apart.shrink();
    }

    /// The bytes of memory that it takes.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        let of_table = |table: &KeyTable| {
            table.rows.capacity() * size_of::<KeyRow>()
                + table.slots.capacity() * size_of::<u32>()
                + table.tags.capacity()
        };
        self.apart.bytes.capacity()
            + self.apart.starts.capacity() * size_of::<u64>()
            + self.tables.iter().map(of_table).sum::<usize>()
    }
}

/// Returns the number of the table of a hash.
fn table_of(hash: u64) -> usize {
    (hash >> (u64::BITS - TABLES.ilog2())) as usize
}

impl KeyTable {
    /// Brings the rows that were added into the table.
    pub(crate) fn settle(&mut self, keys: KeyTexts) {
        let (old, mut first) = (self.settled, self.settled);
        if self.rows.len() * 10 > self.slots.len() * 7 {
            let len = self.rows.len() * 10 / 7 + 1;
            let len = len.max(self.slots.len() * 3 / 2).max(FIRST_SLOTS);
            (self.slots, self.tags) = (vec![NO_ROW; len], vec![0; len]);
            first = 0;
        }
        let mut end = first;
        for at in first..self.rows.len() {
            let row = self.rows[at];
            let class = row.kind.class();
            let hash = match at < old {
                true => keys.hash(class, keys.key(&row)) as u32,
                false => row.next,
            };
            // Most slots are empty: the key is not needed.
            let home = self.home(hash);
            let (slot, tag) = match self.tags[home.0] {
                0 => home,
                _ => self.slot(home, class, keys.key(&row), keys),
            };
            self.rows[end] = KeyRow {
                next: NO_ROW,
                ..row
            };
            end += usize::from(self.link(end, slot));
            self.tags[slot] = tag;
        }
        self.rows.truncate(end);
        self.settled = end;
    }

    /// Puts the row `number` before the others of its key, but behind marks, of which there are
    /// two at most. Returns false if one says the same.
    fn link(&mut self, number: usize, slot: usize) -> bool {
        let KeyRow {
            entry, kind, port, ..
        } = self.rows[number];
        let first = match self.tags[slot] {
            0 => NO_ROW,
            _ => self.slots[slot],
        };
        let mut last_mark = None;
        let mut at = first;
        while let Some(row) = self.rows.get(at as usize) {
            if row.kind.is_mark() {
                last_mark = Some(at);
            } else if kind.is_mark() || entry != NO_ENTRY {
                break;
            }
            if row.kind == kind && (kind.is_mark() || entry == NO_ENTRY && row.port == port) {
                return false;
            }
            at = row.next;
        }
        match last_mark.filter(|_| !kind.is_mark()) {
            Some(mark) => {
                self.rows[number].next = self.rows[mark as usize].next;
                self.rows[mark as usize].next = number as u32;
            }
            None => {
                self.rows[number].next = first;
                self.slots[slot] = number as u32;
            }
        }
        true
    }

    /// Returns the slot of `key`, or the empty one where it belongs, and its tag; the search
    /// begins at its home.
    fn slot(
        &self,
        (mut at, tag): (usize, u8),
        class: KeyClass,
        key: &[u8],
        keys: KeyTexts,
    ) -> (usize, u8) {
        loop {
            let found = self.tags[at];
            if found == 0 {
                return (at, tag);
            }
            if found == tag {
                let row = &self.rows[self.slots[at] as usize];
                if row.kind.class() == class && keys.key(row) == key {
                    return (at, tag);
                }
            }
            at = self.after(at);
        }
    }

    /// Returns the slot at which the search for a key with this hash begins, and its tag.
    fn home(&self, hash: u32) -> (usize, u8) {
        let at = (u64::from(hash) * self.slots.len() as u64) >> 32;
        (at as usize, hash as u8 | 0x80)
    }

    /// Returns the slot behind one.
    fn after(&self, slot: usize) -> usize {
        match slot + 1 == self.slots.len() {
            true => 0,
            false => slot + 1,
        }
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
            if number % 700 == 0 {
                index.settle(&texts);
            }
        }
        index.settle(&texts);
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
            assert!(index.add(b"a.example", (entry, KeyKind::OfUris, None), &texts));
        }
        index.settle(&texts);
        let mut rows = index.rows(KeyClass::Name, b"a.example", &texts);
        // A mark is there once, and is found at once, however many entries there are.
        assert!(rows.next().is_some_and(|row| row.kind == KeyKind::OfUris));
        assert!(rows.map(|row| row.entry).eq((0..100_000).rev()));
    }
}
