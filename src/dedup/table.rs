//! The table of a set: slots of 64 bits, each with the place of a key in the arena in
//! its low bits and the tag of the key, the topmost bits of its hash, in the others.
//! The slots of a page are sorted by their tags, so a page grows, or is split in two,
//! in one pass over its slots without looking at a key, and at most one page is held
//! twice. A directory maps the topmost bits of a hash to its page. Comparing keys is
//! left to the caller.

/// A slot without a key; it is greater than every slot with a key.
const EMPTY: u64 = u64::MAX;
/// A page with this number of slots is split instead of growing. With many pages the
/// number is four times this: one page more is then a small part of all.
const PAGE: usize = 1024;
const MANY_PAGES: usize = 16;
const PAGE_FIRST: usize = 8;
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
}

/// The slots of all hashes that begin with the same `depth` bits. A slot is at its home
/// or after it, with no empty slot between, and after all lesser slots.
#[derive(Debug)]
struct Page {
    slots: Box<[u64]>,
    used: usize,
    depth: u32,
}

/// The result of looking up a key: its place, or where its slot belongs.
pub(super) enum Found {
    /// The place of the key.
    Key(u64),
    Vacant(Vacant),
}

/// Where the slot of a key belongs.
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
            pages: vec![Page::empty()],
            place_bits,
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bits of `hash` that a slot holds, at their position in the slot.
    #[inline]
    fn tag(&self, hash: u64) -> u64 {
        hash >> self.place_bits << self.place_bits
    }

    #[inline]
    fn page_of(&self, tag: u64) -> usize {
        // Two shifts, because a shift by 64 bits overflows.
        self.directory[(tag >> 1 >> (63 - self.bits)) as usize] as usize
    }

    /// Returns the slot at the home of `hash`. Reading it brings the slots that
    /// [`find`](SlotTable::find) looks at into the cache; the misses of several reads in
    /// a row overlap.
    #[inline]
    pub(super) fn peek(&self, hash: u64) -> u64 {
        let tag = self.tag(hash);
        let page = &self.pages[self.page_of(tag)];
        page.slots.get(page.home(tag)).copied().unwrap_or(EMPTY)
    }

    /// Looks up the key with this hash for whose place `is_same` returns true.
    #[inline]
    pub(super) fn find(&self, hash: u64, mut is_same: impl FnMut(u64) -> bool) -> Found {
        let tag = self.tag(hash);
        let number = self.page_of(tag);
        let page = &self.pages[number];
        let mut at = page.place_for(tag);
        while let Some(&slot) = page.slots.get(at)
            && slot != EMPTY
            && self.tag(slot) == tag
        {
            let place = slot ^ tag;
            if is_same(place) {
                return Found::Key(place);
            }
            at += 1;
        }
        Found::Vacant(Vacant { page: number, at })
    }

    /// Adds a key that was not found, with its place.
    pub(super) fn insert(&mut self, vacant: Vacant, hash: u64, place: u64) {
        self.len += 1;
        let is_wider = self.make_places_fit(place);
        let tag = self.tag(hash);
        if !is_wider && self.pages[vacant.page].put(vacant.at, tag | place) {
            return;
        }
        loop {
            let number = self.page_of(tag);
            let at = self.pages[number].place_for(tag);
            if self.pages[number].put(at, tag | place) {
                return;
            }
            self.make_room(number);
        }
    }

    /// Makes places wide enough for `place`, and returns whether that was necessary.
    fn make_places_fit(&mut self, place: u64) -> bool {
        let before = self.place_bits;
        // A place of ones only could make a slot that looks empty.
        while place + 1 >= 1 << self.place_bits {
            self.place_bits += 1;
        }
        if self.place_bits == before {
            return false;
        }
        let (old, new) = ((1 << before) - 1, (1u64 << self.place_bits) - 1);
        for page in &mut self.pages {
            let slots = page.taken().map(|slot| slot & !new | slot & old);
            *page = Page::of(slots, page.slots.len(), page.depth, self.place_bits);
        }
        true
    }

    /// Splits a full page, or makes it larger.
    fn make_room(&mut self, number: usize) {
        let page = &self.pages[number];
        let depth = page.depth;
        let most = match self.pages.len() < MANY_PAGES {
            true => PAGE,
            false => 4 * PAGE,
        };
        if page.slots.len() >= most && depth < DEPTH_MAX {
            let is_upper = |slot: u64| slot << depth >> 63 == 1;
            let upper = page.taken().filter(|&slot| is_upper(slot)).count();
            if upper > 0 && upper < page.used {
                return self.split(number, page.used - upper);
            }
        }
        let larger = larger(page.slots.len());
        self.pages[number] = Page::of(page.taken(), larger, depth, self.place_bits);
    }

    /// Splits a page in two: the first gets its `lower` lowest slots.
    fn split(&mut self, number: usize, lower: usize) {
        let page = &self.pages[number];
        let depth = page.depth + 1;
        let part = |from: usize, keys: usize| {
            let slots = page.taken().skip(from).take(keys);
            Page::of(slots, room_for(keys), depth, self.place_bits)
        };
        let low = part(0, lower);
        let high = part(lower, page.used - lower);
        let first = high.taken().next().unwrap_or_default();
        if self.bits < depth {
            let twice = |&page: &u32| [page, page];
            self.directory = self.directory.iter().flat_map(twice).collect();
            self.bits += 1;
        }
        let from = (first >> (64 - depth) << (self.bits - depth)) as usize;
        let to = from + (1 << (self.bits - depth));
        self.directory[from..to].fill(self.pages.len() as u32);
        self.pages[number] = low;
        self.pages.push(high);
    }

    /// Returns the number of bytes of memory that are held.
    pub(super) fn memory(&self) -> usize {
        let slots: usize = self.pages.iter().map(|page| page.slots.len()).sum();
        slots * size_of::<u64>()
            + self.pages.capacity() * size_of::<Page>()
            + self.directory.capacity() * size_of::<u32>()
    }
}

impl Page {
    fn empty() -> Page {
        Page {
            slots: Box::default(),
            used: 0,
            depth: 0,
        }
    }

    /// Returns a page with `slots`, which are sorted. It has room for `room` slots, or
    /// for more when the slots crowd at its end.
    fn of(
        slots: impl Iterator<Item = u64> + Clone,
        mut room: usize,
        depth: u32,
        place_bits: u32,
    ) -> Page {
        loop {
            let mut page = Page {
                slots: vec![EMPTY; room].into_boxed_slice(),
                used: 0,
                depth,
            };
            let mut next = 0;
            let fits = slots.clone().all(|slot| {
                // Only the tag decides the home of a slot.
                let tag = slot >> place_bits << place_bits;
                let at = page.home(tag).max(next);
                next = at + 1;
                page.used += 1;
                page.slots.get_mut(at).map(|empty| *empty = slot).is_some()
            });
            if fits {
                return page;
            }
            room = larger(room);
        }
    }

    /// Returns where the slot with this tag is when no other slot is in its way. The
    /// last sixteenth of a page is nobody's home.
    #[inline]
    fn home(&self, tag: u64) -> usize {
        let homes = self.slots.len() - self.slots.len() / 16;
        let rest = tag << self.depth >> 32;
        ((rest * homes as u64) >> 32) as usize
    }

    /// Returns the index of the first slot from the home of `tag` on that is not less
    /// than `tag`.
    #[inline]
    fn place_for(&self, tag: u64) -> usize {
        let home = self.home(tag);
        let rest = self.slots.get(home..).unwrap_or_default();
        let less = rest.iter().take_while(|&&slot| slot < tag);
        home + less.count()
    }

    /// Inserts a slot at `at` and moves the slots there by one. Returns false when the
    /// page has no room.
    #[inline]
    fn put(&mut self, at: usize, slot: u64) -> bool {
        let len = self.slots.len();
        if self.used >= len - len / 8 {
            return false;
        }
        let Some(run) = self.slots[at..].iter().position(|&slot| slot == EMPTY) else {
            return false;
        };
        self.slots.copy_within(at..at + run, at + 1);
        self.slots[at] = slot;
        self.used += 1;
        true
    }

    /// Returns the slots that hold keys, in order.
    fn taken(&self) -> impl Iterator<Item = u64> + Clone + '_ {
        self.slots.iter().copied().filter(|&slot| slot != EMPTY)
    }
}

/// Returns the next larger size of a page: by a half or a third more, in turn.
fn larger(room: usize) -> usize {
    match room {
        0 => PAGE_FIRST,
        _ if room.is_power_of_two() => room + room / 2,
        _ => room / 3 * 4,
    }
}

/// Returns the smallest size of a page that has room for `keys` slots and one more.
fn room_for(keys: usize) -> usize {
    let mut room = PAGE_FIRST;
    while keys >= room - room / 8 {
        room = larger(room);
    }
    room
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

    /// Where hashes are uneven, some pages split when the directory is much deeper than
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

    /// No key is lost when places become wider while keys are added.
    #[test]
    fn places_become_wider() {
        for spread in [1, 0x9E37_79B9_7F4A_7C15, 1 << 40] {
            let mut table = SlotTable::with_place_bits(4);
            let mut known = HashMap::new();
            for number in 0..5_000u64 {
                let hash = (number / 3).wrapping_mul(spread);
                let place = number * 7;
                match table.find(hash, |at| known[&at] == number) {
                    Found::Key(at) => panic!("{number} at {at}"),
                    Found::Vacant(vacant) => table.insert(vacant, hash, place),
                }
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
