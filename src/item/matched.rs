//! The entries of lists that match a finding, in one run of bytes: a batch keeps them beside
//! its keys, and records on disk have them as they are.

/// An entry of a list of indicators that matches a URI.
///
/// ```
/// use urisieve::item::MatchedEntry;
/// let entry = MatchedEntry::new(b"evil.example", b"hosts.txt", 7);
/// assert_eq!((entry.entry, entry.list, entry.line), (&b"evil.example"[..], &b"hosts.txt"[..], 7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchedEntry<'m> {
    /// The entry as it is written.
    pub entry: &'m [u8],
    /// The name of its list.
    pub list: &'m [u8],
    /// Its line in the list, from 1.
    pub line: u64,
}

impl<'m> MatchedEntry<'m> {
    /// Returns an entry of this list and line.
    ///
    /// ```
    /// assert_eq!(urisieve::item::MatchedEntry::new(b"a", b"l", 1).line, 1);
    /// ```
    pub fn new(entry: &'m [u8], list: &'m [u8], line: u64) -> MatchedEntry<'m> {
        MatchedEntry { entry, list, line }
    }
}

/// The entries that match a finding, in the order of their lists.
///
/// ```
/// use urisieve::item::{Matched, MatchedEntry};
/// let mut bytes = Vec::new();
/// Matched::push(MatchedEntry::new(b"evil.example", b"l", 7), &mut bytes);
/// Matched::push(MatchedEntry::new(b"*.example", b"l", 9), &mut bytes);
/// let lines: Vec<u64> = Matched::of(&bytes).entries().map(|entry| entry.line).collect();
/// assert_eq!(lines, [7, 9]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matched<'m>(&'m [u8]);

/// The numbers before the texts of an entry: two lengths and the line.
const HEAD: usize = 24;

impl<'m> Matched<'m> {
    /// Returns the entries in bytes that [`push`](Matched::push) wrote.
    ///
    /// ```
    /// assert_eq!(urisieve::item::Matched::of(b"").entries().next(), None);
    /// ```
    pub fn of(bytes: &'m [u8]) -> Matched<'m> {
        Matched(bytes)
    }

    /// Appends an entry.
    ///
    /// ```
    /// use urisieve::item::{Matched, MatchedEntry};
    /// let (mut bytes, entry) = (Vec::new(), MatchedEntry::new(b"a", b"l", 1));
    /// Matched::push(entry, &mut bytes);
    /// assert_eq!(Matched::of(&bytes).entries().next(), Some(entry));
    /// ```
    pub fn push(entry: MatchedEntry, out: &mut Vec<u8>) {
        let MatchedEntry { entry, list, line } = entry;
        for number in [entry.len() as u64, list.len() as u64, line] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(entry);
        out.extend_from_slice(list);
    }

    /// Returns its bytes.
    ///
    /// ```
    /// assert_eq!(urisieve::item::Matched::default().bytes(), b"");
    /// ```
    pub fn bytes(self) -> &'m [u8] {
        self.0
    }

    /// Returns the entries.
    ///
    /// ```
    /// assert_eq!(urisieve::item::Matched::default().entries().count(), 0);
    /// ```
    pub fn entries(self) -> impl Iterator<Item = MatchedEntry<'m>> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (head, tail) = rest.split_at_checked(HEAD)?;
            let number = |at: usize| {
                let bytes = head[8 * at..].first_chunk().copied();
                bytes.map_or(0, u64::from_le_bytes)
            };
            let (entry, tail) = tail.split_at_checked(number(0) as usize)?;
            let (list, tail) = tail.split_at_checked(number(1) as usize)?;
            rest = tail;
            Some(MatchedEntry::new(entry, list, number(2)))
        })
    }
}
