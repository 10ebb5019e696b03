//! The table of a set: slots of 64 bits, each with the place of a key in the arena in
//! its low bits and the tag of the key, the topmost bits of its hash, in the others.
//! The slots of a page are nearly in the order of their tags, so a page grows, or is
//! split in two, in one pass over its slots without looking at a key, and at most one
//! page is held twice. A directory maps the topmost bits of a hash to its page.
//! Comparing keys is left to the caller.

use super::doubling;
use super::tag_filter::TagFilter;

/// A slot without a key.
const EMPTY: u64 = u64::MAX;
/// A page with this number of slots is split instead of growing. With many pages the
/// number is greater: one page more is then a small part of all.
const PAGE: usize = 256;
const MANY_PAGES: usize = 16;
const LARGE_PAGE: usize = 2048;
const PAGE_FIRST: usize = 8;
/// The number of slots in a line of the cache.
const LINE: usize = 8;
/// Most bits of a hash by which a page is chosen. Pages that have used up these bits
/// grow.
const DEPTH_MAX: u32 = 16;
/// Bits of a place in an empty table. They grow when a place needs more, and the tags
/// shrink.
const PLACE_BITS: u32 = 32;

/// Slots that are looked up by hash.
#[derive(Debug)]
pub(super) struct SlotTable {
    /// The number of a page, for each value of the `bits` topmost bits of a hash.
    directory: Vec<u32>,
    bits: u32,
    pages: Vec<Page>,
    place_bits: u32,
    len: usize,
    /// The number of slots of all pages.
    slots: usize,
}

/// The slots of all hashes that begin with the same `depth` bits. A slot is at its home
/// or after it, with no empty slot between.
#[derive(Debug)]
struct Page {
    slots: Box<[u64]>,
    /// The number of slots that are a home. The last sixteenth of a page has no homes.
    homes: u32,
    used: u32,
    depth: u32,
}

/// The slots of a full page, with more room.
enum Wider {
    /// In one page.
    Larger(Page),
    /// In two pages: the second has the slots whose next bit is set.
    Halves(Page, Page),
}

/// The result of looking up a key: its place, or where its slot belongs.
pub(super) enum Found {
    /// The place of the key.
    Key(u64),
    Vacant(Vacant),
}

/// The place for the slot of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vacant {
    page: usize,
    at: usize,
}

impl Default for SlotTable {
    fn default() -> SlotTable {
        SlotTable::with_place_bits(PLACE_BITS)
    }
}

impl SlotTable {
    fn with_place_bits(place_bits: u32) -> SlotTable {
        SlotTable {
            directory: vec![0],
            bits: 0,
            pages: vec![Page::with_room(0, 0)],
            place_bits,
            len: 0,
            slots: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bits of `hash` that a slot holds, at their position in the slot.
    #[inline]
    pub(super) fn tag(&self, hash: u64) -> u64 {
        hash >> self.place_bits << self.place_bits
    }

    #[inline]
    fn page_of(&self, tag: u64) -> usize {
        // Two shifts, because a shift by 64 bits overflows.
        self.directory[(tag >> 1 >> (63 - self.bits)) as usize] as usize
    }

    /// Returns a mix of slots at the home of `hash` and behind it. Reading them brings the
    /// slots that [`find`](SlotTable::find) looks at into the cache; the misses of several
    /// reads in a row overlap.
    #[inline]
    pub(super) fn peek(&self, hash: u64) -> u64 {
        let tag = self.tag(hash);
        let page = &self.pages[self.page_of(tag)];
        let home = page.home(tag);
        let slot = |at: usize| page.slots.get(at).copied().unwrap_or(EMPTY);
        slot(home) ^ slot(home + LINE)
    }

    /// Looks up the key with this hash for whose place `is_same` returns true.
    #[inline]
    pub(super) fn find(&self, hash: u64, mut is_same: impl FnMut(u64) -> bool) -> Found {
        let tag = self.tag(hash);
        let number = self.page_of(tag);
        let page = &self.pages[number];
        let mut at = page.home(tag);
        while let Some(&slot) = page.slots.get(at)
            && slot != EMPTY
        {
            if self.tag(slot) == tag {
                let place = slot ^ tag;
                if is_same(place) {
                    return Found::Key(place);
                }
            }
            at += 1;
        }
        Found::Vacant(Vacant { page: number, at })
    }

    /// Returns the place of the first key with the tag of this hash: most often that of
    /// the key itself, if it is there.
    #[inline]
    pub(super) fn first_with_tag(&self, hash: u64) -> Option<u64> {
        match self.find(hash, |_| true) {
            Found::Key(place) => Some(place),
            Found::Vacant(_) => None,
        }
    }

    /// Returns a filter of the tags of all keys.
    pub(super) fn filter(&self) -> TagFilter {
        let slots = self.pages.iter().flat_map(Page::taken);
        TagFilter::of(slots.map(|slot| self.tag(slot)), self.len)
    }

    /// Adds a key that was not found, with its place.
    #[inline]
    pub(super) fn insert(&mut self, vacant: Vacant, hash: u64, place: u64) {
        self.len += 1;
        let slot = self.tag(hash) | place;
        if place + 1 >= 1 << self.place_bits {
            self.widen_places(place);
        } else if self.pages[vacant.page].put(vacant.at, slot) {
            return;
        }
        self.insert_elsewhere(hash, place);
    }

    /// Adds a key whose page is full or was moved.
    #[inline(never)]
    fn insert_elsewhere(&mut self, hash: u64, place: u64) {
        let slot = self.tag(hash) | place;
        while let Found::Vacant(Vacant { page, at }) = self.find(hash, |_| false) {
            if self.pages[page].put(at, slot) {
                return;
            }
            self.make_room(page);
        }
    }

    /// Makes places wide enough for `place`.
    #[cold]
    fn widen_places(&mut self, place: u64) {
        let (old, new) = (self.place_bits, self.bits_for(place));
        for page in &mut self.pages {
            *page = page.with_place_bits(old, new);
        }
        self.slots = self.pages.iter().map(|page| page.slots.len()).sum();
        self.place_bits = new;
    }

    /// Returns the number of bits that places have when one of them is `place`.
    fn bits_for(&self, place: u64) -> u32 {
        let mut bits = self.place_bits;
        // A place of ones only could make a slot that looks empty.
        while place + 1 >= 1 << bits {
            bits += 1;
        }
        bits
    }

    /// Splits a full page, or makes it larger.
    fn make_room(&mut self, number: usize) {
        let page = &self.pages[number];
        self.slots -= page.slots.len();
        match page.widened(self.pages.len(), self.place_bits) {
            Wider::Larger(page) => {
                self.slots += page.slots.len();
                self.pages[number] = page;
            }
            Wider::Halves(low, high) => {
                self.slots += low.slots.len() + high.slots.len();
                self.split(number, low, high);
            }
        }
    }

    /// Puts two pages in the place of one.
    fn split(&mut self, number: usize, low: Page, high: Page) {
        let depth = high.depth;
        let first = high.taken().next().unwrap_or_default();
        if self.bits < depth {
            let mut directory = Vec::with_capacity(2 * self.directory.len());
            directory.extend(self.directory.iter().flat_map(|&page| [page, page]));
            self.directory = directory;
            self.bits += 1;
        }
        let from = (first >> (64 - depth) << (self.bits - depth)) as usize;
        let to = from + (1 << (self.bits - depth));
        self.directory[from..to].fill(self.pages.len() as u32);
        self.pages[number] = low;
        doubling::push(&mut self.pages, high);
    }

    /// Returns the number of bytes by which a key that is not in the table makes it grow.
    #[inline]
    pub(super) fn growth(&self, hash: u64, place: u64) -> usize {
        let bits = self.bits_for(place);
        let page = &self.pages[self.page_of(self.tag(hash))];
        if bits == self.place_bits && page.vacant(hash >> bits << bits).is_some() {
            return 0;
        }
        self.growth_by_pages(hash, bits)
    }

    /// Returns the growth by [`insert`](SlotTable::insert) if a page is full: builds
    /// the new pages and drops them.
    #[inline(never)]
    fn growth_by_pages(&self, hash: u64, place_bits: u32) -> usize {
        let tag = hash >> place_bits << place_bits;
        let number = self.page_of(tag);
        let (mut slots, mut others) = (self.slots, 0);
        let mut page = self.pages[number].with_place_bits(place_bits, place_bits);
        if place_bits > self.place_bits {
            slots = 0;
            for (at, before) in self.pages.iter().enumerate() {
                let wide = before.with_place_bits(self.place_bits, place_bits);
                slots += wide.slots.len();
                if at == number {
                    page = wide;
                }
            }
        }
        let (mut pages, mut capacity) = (self.pages.len(), self.pages.capacity());
        let mut bits = self.bits;
        while page.vacant(tag).is_none() {
            slots -= page.slots.len();
            let depth = page.depth;
            page = match page.widened(pages, place_bits) {
                Wider::Larger(page) => page,
                Wider::Halves(low, high) => {
                    if pages == capacity {
                        capacity = doubling::doubled(capacity);
                    }
                    pages += 1;
                    bits = bits.max(high.depth);
                    let (page, other) = match tag << depth >> 63 {
                        0 => (low, high),
                        _ => (high, low),
                    };
                    others += other.slots.len();
                    page
                }
            };
            slots += page.slots.len();
        }
        let directory = (1usize << bits) - self.directory.len();
        (slots + others - self.slots) * size_of::<u64>()
            + (capacity - self.pages.capacity()) * size_of::<Page>()
            + directory * size_of::<u32>()
    }

    /// Returns at most by how many bytes this number of keys makes the table grow, when
    /// their hashes look random.
    pub(super) fn growth_at_most(&self, keys: usize) -> usize {
        let len = self.len.saturating_add(keys);
        // Few pages have crowded slots or are as full after a split as before: at least
        // half of the pages are half full.
        let slots_at_last = len.saturating_mul(3).saturating_add(LARGE_PAGE);
        let largest = match self.pages.len() + keys / (PAGE / 4) + 1 < MANY_PAGES {
            true => PAGE,
            false => LARGE_PAGE,
        };
        let by_keys = keys.saturating_mul(largest);
        let slots = slots_at_last.saturating_sub(self.slots).min(by_keys);
        let pages = keys.min(slots / PAGE + 2);
        let directory = match pages {
            0 => 0,
            _ => (4 * (self.pages.len() + pages))
                .next_power_of_two()
                .min(1 << DEPTH_MAX),
        };
        slots.saturating_mul(size_of::<u64>())
            + doubling::growth_at_most(&self.pages, pages)
            + directory.saturating_sub(self.directory.len()) * size_of::<u32>()
    }

    /// Returns the number of bytes of memory that are held.
    pub(super) fn memory(&self) -> usize {
        self.slots * size_of::<u64>()
            + self.pages.capacity() * size_of::<Page>()
            + self.directory.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
impl SlotTable {
    /// Returns the number of bytes of memory that are held, counted page by page.
    pub(super) fn counted(&self) -> usize {
        let slots: usize = self.pages.iter().map(|page| page.slots.len()).sum();
        slots * size_of::<u64>()
            + self.pages.capacity() * size_of::<Page>()
            + self.directory.capacity() * size_of::<u32>()
    }
}

impl Page {
    fn with_room(room: usize, depth: u32) -> Page {
        Page {
            slots: vec![EMPTY; room].into_boxed_slice(),
            homes: (room - room / 16) as u32,
            used: 0,
            depth,
        }
    }

    /// Returns a page with `slots`. The page has room for `room` slots, or for more
    /// when the slots crowd at its end.
    fn of(
        slots: impl Iterator<Item = u64> + Clone,
        mut room: usize,
        depth: u32,
        place_bits: u32,
    ) -> Page {
        loop {
            let mut page = Page::with_room(room, depth);
            let fits = slots.clone().all(|slot| {
                // Only the tag decides the home of a slot.
                let tag = slot >> place_bits << place_bits;
                let home = page.home(tag);
                let empty = page.slots[home..].iter_mut().find(|slot| **slot == EMPTY);
                page.used += 1;
                empty.map(|empty| *empty = slot).is_some()
            });
            if fits {
                return page;
            }
            room *= 2;
        }
    }

    /// Returns the page with more room, in a table of this number of pages.
    fn widened(&self, pages: usize, place_bits: u32) -> Wider {
        let most = match pages < MANY_PAGES {
            true => PAGE,
            false => LARGE_PAGE,
        };
        let half = |bit: u64| {
            let is_of_half = move |slot: &u64| slot << self.depth >> 63 == bit;
            self.taken().filter(is_of_half)
        };
        if self.slots.len() >= most && self.depth < DEPTH_MAX {
            let upper = half(1).count();
            if upper > 0 && upper < self.used as usize {
                let page = |bit| Page::of(half(bit), self.slots.len(), self.depth + 1, place_bits);
                return Wider::Halves(page(0), page(1));
            }
        }
        let room = (2 * self.slots.len()).max(PAGE_FIRST);
        Wider::Larger(Page::of(self.taken(), room, self.depth, place_bits))
    }

    /// Returns the page for places of `new` bits, which had `old` bits.
    fn with_place_bits(&self, old: u32, new: u32) -> Page {
        let (old, wide) = ((1 << old) - 1, (1u64 << new) - 1);
        let slots = self.taken().map(|slot| slot & !wide | slot & old);
        Page::of(slots, self.slots.len(), self.depth, new)
    }

    /// Returns the place for a slot with this tag, which is not in the page; `None` when
    /// the page has no room.
    fn vacant(&self, tag: u64) -> Option<usize> {
        let rest = self.slots.get(self.home(tag)..)?;
        let at = rest.iter().position(|&slot| slot == EMPTY)?;
        (!self.is_full()).then_some(at)
    }

    #[inline]
    fn is_full(&self) -> bool {
        let len = self.slots.len();
        self.used as usize >= len - len / 6
    }

    /// Returns the place of the slot with this tag if no other slot is in its way.
    #[inline]
    fn home(&self, tag: u64) -> usize {
        let rest = tag << self.depth >> 32;
        ((rest * u64::from(self.homes)) >> 32) as usize
    }

    /// Fills the empty slot at `at`. Returns false when the page has no room.
    #[inline]
    fn put(&mut self, at: usize, slot: u64) -> bool {
        if self.is_full() {
            return false;
        }
        let Some(empty) = self.slots.get_mut(at) else {
            return false;
        };
        *empty = slot;
        self.used += 1;
        true
    }

    /// Returns the slots that hold keys.
    fn taken(&self) -> impl Iterator<Item = u64> + Clone + '_ {
        self.slots.iter().copied().filter(|&slot| slot != EMPTY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The bits of places do not decide where slots are. Otherwise pages that have used
    /// up the tags would grow without end.
    #[test]
    fn places_do_not_decide_where_slots_are() {
        let hasher = ahash::RandomState::with_seeds(1, 2, 3, 4);
        let hash = |number: u64| hasher.hash_one(number);
        let place = |number: u64| (1 << 31) + number * 7;
        let mut table = SlotTable::default();
        for number in 0..400_000 {
            let is_same = |at| at == place(number);
            match table.find(hash(number), is_same) {
                Found::Key(at) => panic!("{number} at {at}"),
                Found::Vacant(vacant) => table.insert(vacant, hash(number), place(number)),
            }
        }
        for number in 0..400_000 {
            let found = table.find(hash(number), |at| at == place(number));
            assert!(matches!(found, Found::Key(_)), "{number}");
        }
    }

    /// If hashes are uneven, some pages split when the directory is much deeper than
    /// they are.
    #[test]
    fn uneven_hashes_are_found() {
        let hasher = ahash::RandomState::with_seeds(1, 2, 3, 4);
        let hash = |number: u64| hasher.hash_one(number) >> (number % 8);
        let mut table = SlotTable::default();
        for number in 0..150_000 {
            match table.find(hash(number), |place| place == number) {
                Found::Key(place) => panic!("{number} at {place}"),
                Found::Vacant(vacant) => table.insert(vacant, hash(number), number),
            }
        }
        assert!(table.pages.iter().any(|page| page.depth + 3 < table.bits));
        for number in 0..150_000 {
            let found = table.find(hash(number), |place| place == number);
            assert!(matches!(found, Found::Key(_)), "{number}");
        }
    }

    /// Slots are near their homes, which are in the order of their tags, and a sixth of each
    /// page stays empty: so few slots are read for a key. The memory of all pages is
    /// counted.
    #[test]
    fn pages_are_in_order_and_have_room() {
        let hasher = ahash::RandomState::with_seeds(1, 2, 3, 4);
        let mut table = SlotTable::default();
        for number in 0..150_000 {
            let hash = hasher.hash_one(number);
            if let Found::Vacant(vacant) = table.find(hash, |place| place == number) {
                table.insert(vacant, hash, number);
            }
            let has_room = |page: &Page| page.used as usize <= page.slots.len() * 5 / 6 + 1;
            assert!(number % 500 > 0 || table.pages.iter().all(has_room));
        }
        let (mut distances, mut bytes) = (0.0, 0);
        for page in &table.pages {
            let len = page.slots.len();
            assert!((PAGE_FIRST..=LARGE_PAGE).contains(&len));
            assert_eq!(page.taken().count(), page.used as usize);
            let slots = page.slots.iter().enumerate();
            for (at, slot) in slots.filter(|&(_, &slot)| slot != EMPTY) {
                let share = (slot << page.depth) as f64 / u64::MAX as f64;
                let distance = at as f64 - share * (len - len / 16) as f64;
                assert!(distance > -1.0, "{at} {share} {len}");
                distances += distance;
            }
            bytes += len * 8 + size_of::<Page>();
        }
        assert!(distances < 16.0 * 150_000.0, "{distances}");
        let spare = (table.pages.capacity() - table.pages.len()) * size_of::<Page>();
        let directory = table.directory.capacity() * 4;
        assert_eq!(table.memory(), bytes + spare + directory);
    }

    /// A page becomes as large as slots that crowd at its end need.
    #[test]
    fn crowded_slots_have_room() {
        let slots = (0..100).map(|place| u64::MAX << PLACE_BITS | place);
        let page = Page::of(slots.clone(), 16, 0, PLACE_BITS);
        assert!(page.taken().eq(slots));
        assert_eq!(page.slots.len(), 2048);
    }

    /// No slot looks empty: a place of ones only makes places wider.
    #[test]
    fn a_place_of_ones_is_found() {
        for bits in [4, 5, 8] {
            let mut table = SlotTable::with_place_bits(4);
            let place = (1 << bits) - 1;
            let Found::Vacant(vacant) = table.find(u64::MAX, |_| true) else {
                panic!("the table is empty");
            };
            table.insert(vacant, u64::MAX, place);
            assert!(matches!(table.find(u64::MAX, |_| true), Found::Key(at) if at == place));
        }
    }

    /// No key is lost when places become wider while keys are added.
    #[test]
    fn places_become_wider() {
        for spread in [1, 0x9E37_79B9_7F4A_7C15, 1 << 40] {
            let mut table = SlotTable::with_place_bits(4);
            let mut known = HashMap::new();
            for number in 0..5_000u64 {
                let hash = (number / 3).wrapping_mul(spread);
                let place = number * 7;
                let (before, growth) = (table.memory(), table.growth(hash, place));
                match table.find(hash, |at| known[&at] == number) {
                    Found::Key(at) => panic!("{number} at {at}"),
                    Found::Vacant(vacant) => table.insert(vacant, hash, place),
                }
                assert_eq!(table.memory() - before, growth);
                assert_eq!(table.memory(), table.counted());
                known.insert(place, number);
            }
            assert_eq!(table.len(), 5_000);
            for number in 0..5_000u64 {
                let hash = (number / 3).wrapping_mul(spread);
                let found = table.find(hash, |at| known[&at] == number);
                assert!(matches!(found, Found::Key(at) if at == number * 7));
            }
        }
    }
}
