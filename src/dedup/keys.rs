//! A batch of keys, and the answer of a set to each of them.

use std::fmt;

/// A key of a batch: its hash, and the range of its bytes in those of the batch.
///
/// ```
/// use urisieve::dedup::{Hasher, Key};
/// let bytes = b"urn:a:b";
/// let key = Key { hash: Hasher::new().hash(bytes), from: 0, to: 7, number: 0, count: 1 };
/// assert_eq!(&bytes[key.from as usize..key.to as usize], bytes);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// The hash of the key.
    pub hash: u64,
    /// The start of the key in the bytes of the batch.
    pub from: u32,
    /// The end of the key in the bytes of the batch.
    pub to: u32,
    /// The number of the key in the batch, by which the caller recognizes it later.
    pub number: u32,
    /// The number of occurrences of the key.
    pub count: u32,
}

/// Appends the record of a key, given the key's [`number`](Key::number), to a buffer.
pub type RecordWriter<'b> = &'b (dyn Fn(u32, &mut Vec<u8>) + 'b);

/// Returns the range of the class of a key in the bytes of the batch, given the key's
/// [`number`](Key::number).
pub type ClassRange<'b> = &'b (dyn Fn(u32) -> (u32, u32) + 'b);

/// A batch of keys, in the order in which they are added to a set.
///
/// ```
/// use urisieve::dedup::{Answer, Hasher, Key, Keys, Set};
/// let bytes = b"urn:a:burn:a:curn:a:b";
/// let hasher = Hasher::new();
/// let key = |number: u32| {
///     let (from, to) = (7 * number, 7 * number + 7);
///     let hash = hasher.hash(&bytes[from as usize..to as usize]);
///     Key { hash, from, to, number, count: 1 }
/// };
/// let keys = [key(0), key(1), key(2)];
/// let mut answers = [Answer::Known; 3];
/// Set::new().ask(&Keys::new(bytes, &keys), &mut answers);
/// assert_eq!(answers, [Answer::New, Answer::New, Answer::Known]);
/// ```
#[derive(Clone, Copy)]
pub struct Keys<'b> {
    bytes: &'b [u8],
    keys: &'b [Key],
    first: u64,
    records: RecordWriter<'b>,
    classes: Option<ClassRange<'b>>,
}

impl fmt::Debug for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Keys")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl<'b> Keys<'b> {
    /// Returns a batch of keys whose bytes are in `bytes`, with empty records.
    ///
    /// ```
    /// use urisieve::dedup::Keys;
    /// assert_eq!(Keys::new(b"", &[]).iter().count(), 0);
    /// ```
    pub fn new(bytes: &'b [u8], keys: &'b [Key]) -> Keys<'b> {
        Keys {
            bytes,
            keys,
            first: 0,
            records: &|_, _| {},
            classes: None,
        }
    }

    /// The classes of the keys, where keys are spellings; default the keys themselves.
    ///
    /// ```
    /// use urisieve::dedup::{Key, Keys};
    /// let keys = [Key { to: 7, ..Key::default() }];
    /// let class = |_| (7, 14);
    /// let batch = Keys::new(b"URN:a:burn:a:b", &keys).classes(&class);
    /// assert_eq!(batch.bytes(&keys[0]), b"URN:a:b");
    /// assert_eq!(batch.class(&keys[0]), b"urn:a:b");
    /// ```
    pub fn classes(mut self, classes: ClassRange<'b>) -> Keys<'b> {
        self.classes = Some(classes);
        self
    }

    /// The same batch with only these of its keys.
    ///
    /// ```
    /// use urisieve::dedup::{Key, Keys};
    /// let keys = [Key::default(), Key { number: 1, ..Key::default() }];
    /// assert!(Keys::new(b"", &keys).only(&keys[1..]).iter().eq(&keys[1..]));
    /// ```
    pub fn only<'k>(&self, keys: &'k [Key]) -> Keys<'k>
    where
        'b: 'k,
    {
        Keys {
            bytes: self.bytes,
            keys,
            first: self.first,
            records: self.records,
            classes: self.classes,
        }
    }

    /// The number of keys in the batches before this one; default 0.
    ///
    /// ```
    /// use urisieve::dedup::{Key, Keys};
    /// let keys = [Key { number: 7, ..Key::default() }];
    /// let batch = Keys::new(b"", &keys).after(100);
    /// assert_eq!(batch.number(&keys[0]), 107);
    /// ```
    pub fn after(mut self, keys: u64) -> Keys<'b> {
        self.first = keys;
        self
    }

    /// The records that a counting set keeps with the keys; default empty ones.
    ///
    /// ```
    /// use urisieve::dedup::{Answer, Key, Keys, Set};
    /// let keys = [Key { to: 7, count: 1, ..Key::default() }];
    /// let mut set = Set::counting();
    /// let line = |_, out: &mut Vec<u8>| out.extend_from_slice(b"line 1");
    /// set.ask(&Keys::new(b"urn:a:b", &keys).records(&line), &mut [Answer::Known]);
    /// assert_eq!(set.entries().next().unwrap().record, b"line 1");
    /// ```
    pub fn records(mut self, records: RecordWriter<'b>) -> Keys<'b> {
        self.records = records;
        self
    }

    /// Returns the keys.
    ///
    /// ```
    /// use urisieve::dedup::{Key, Keys};
    /// let keys = [Key::default()];
    /// assert!(Keys::new(b"", &keys).iter().eq(&keys));
    /// ```
    pub fn iter(&self) -> std::slice::Iter<'b, Key> {
        self.keys.iter()
    }

    /// Returns the bytes of one of the keys.
    ///
    /// ```
    /// use urisieve::dedup::{Key, Keys};
    /// let keys = [Key { from: 4, to: 7, ..Key::default() }];
    /// assert_eq!(Keys::new(b"urn:a:b", &keys).bytes(&keys[0]), b"a:b");
    /// ```
    #[inline]
    pub fn bytes(&self, key: &Key) -> &'b [u8] {
        &self.bytes[key.from as usize..key.to as usize]
    }

    /// Returns the class of one of the keys.
    ///
    /// ```
    /// use urisieve::dedup::{Key, Keys};
    /// let keys = [Key { to: 7, ..Key::default() }];
    /// assert_eq!(Keys::new(b"urn:a:b", &keys).class(&keys[0]), b"urn:a:b");
    /// ```
    #[inline]
    pub fn class(&self, key: &Key) -> &'b [u8] {
        let (from, to) = match self.classes {
            Some(classes) => classes(key.number),
            None => (key.from, key.to),
        };
        &self.bytes[from as usize..to as usize]
    }

    /// Returns the number of one of the keys among those of all batches.
    ///
    /// ```
    /// use urisieve::dedup::{Key, Keys};
    /// let keys = [Key { number: 1, ..Key::default() }];
    /// assert_eq!(Keys::new(b"", &keys).number(&keys[0]), 1);
    /// ```
    pub fn number(&self, key: &Key) -> u64 {
        self.first + u64::from(key.number)
    }

    /// Appends the record of one of the keys.
    ///
    /// ```
    /// use urisieve::dedup::{Key, Keys};
    /// let (keys, mut out) = ([Key::default()], Vec::new());
    /// Keys::new(b"", &keys).write_record(&keys[0], &mut out);
    /// assert!(out.is_empty());
    /// ```
    pub fn write_record(&self, key: &Key, out: &mut Vec<u8>) {
        (self.records)(key.number, out);
    }
}

/// Whether a key is new to a set.
///
/// ```
/// use urisieve::dedup::Answer;
/// assert_eq!(Answer::default(), Answer::Known);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// The key is new, and was added.
    New,
    /// The set has the key already.
    #[default]
    Known,
    /// The answer is given after all batches. Each later occurrence of this key is also
    /// deferred.
    Deferred,
}
