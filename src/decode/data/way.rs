//! The way from a text of JSON to its current value: the open objects and arrays, and the JSON
//! Pointer (RFC 6901) that is made of them.

use super::choice::PointerToken;
use super::values::RecentPointers;
use crate::decode::json::PointerPath;
use crate::decode::json::unescape;
use std::ops::Range;
use std::sync::Arc;

/// Values that are nested more deeply have no pointer (J8).
pub(super) const LEVELS_MAX: usize = 1024;
/// Longer pointers are not known (J8).
pub(super) const POINTER_MAX: usize = 4 << 10;

/// An open object or array.
#[derive(Debug, Default)]
pub(super) struct OpenLevel {
    pub is_object: bool,
    /// A colon was read: a value of an object follows.
    after_colon: bool,
    /// The number of the element of an array.
    index: u64,
    key: LevelKey,
    /// A key of an earlier window of bytes, with its escapes.
    kept: Vec<u8>,
    /// Whether all that is in it was selected.
    is_chosen: bool,
    /// The pointer of its current value, where a value in it needed it.
    path: Option<Arc<PointerPath>>,
    /// The last pointer that was made at this depth of a member with a short key, and the key:
    /// records of one kind have the same members.
    last: Option<(Vec<u8>, Arc<PointerPath>)>,
}

/// The keys of members whose pointers are remembered are at most this long.
const SHORT_KEY: usize = 64;

/// The last key of an object.
#[derive(Clone, Debug, Default)]
enum LevelKey {
    #[default]
    None,
    /// In the current window, with its escapes.
    Here(Range<usize>),
    Kept,
    /// Too long to be part of a pointer.
    Long,
}

/// The open objects and arrays, the innermost last.
#[derive(Debug, Default)]
pub(super) struct JsonWay {
    /// The first ones are in use, at most [`LEVELS_MAX`]; the others keep their memory.
    levels: Vec<OpenLevel>,
    depth: usize,
    /// Buffer for a token of a pointer.
    token: Vec<u8>,
    /// Buffer for a key without its escapes.
    key: Vec<u8>,
}

impl JsonWay {
    /// The number of open objects and arrays.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Leaves everything that is deeper than `depth`.
    pub(super) fn truncate(&mut self, depth: usize) {
        self.depth = depth;
    }

    /// The innermost object or array, if it is not too deep.
    #[inline]
    pub(super) fn innermost(&mut self) -> Option<&mut OpenLevel> {
        self.levels.get_mut(self.depth.checked_sub(1)?)
    }

    /// Enters an object or an array, all of which was selected if it `is_chosen`.
    pub(super) fn enter(&mut self, is_object: bool, is_chosen: bool) {
        if self.depth < LEVELS_MAX {
            if self.levels.len() == self.depth {
                self.levels.push(OpenLevel::default());
            }
            let level = &mut self.levels[self.depth];
            level.is_object = is_object;
            level.after_colon = false;
            level.index = 0;
            level.key = LevelKey::None;
            level.is_chosen = is_chosen;
            level.path = None;
        }
        self.depth += 1;
    }

    /// Leaves the innermost object or array. Returns false if it is not of this kind, or
    /// nothing is open.
    pub(super) fn leave(&mut self, is_object: bool) -> bool {
        let fits = match self.innermost() {
            Some(level) => level.is_object == is_object,
            None => self.depth > 0,
        };
        self.depth -= usize::from(fits);
        fits
    }

    /// A comma was read.
    pub(super) fn comma(&mut self) {
        if let Some(level) = self.innermost() {
            level.comma();
        }
    }

    /// A colon was read.
    pub(super) fn colon(&mut self) {
        if let Some(level) = self.innermost() {
            level.colon();
        }
    }

    /// Whether a key follows, and not a value.
    pub(super) fn awaits_key(&mut self) -> bool {
        self.innermost().is_some_and(|level| level.awaits_key())
    }

    /// Whether the innermost object or array is too deep to be known.
    pub(super) fn is_deep(&self) -> bool {
        self.depth > LEVELS_MAX
    }

    /// Whether the innermost value is an array.
    pub(super) fn is_in_array(&mut self) -> bool {
        self.innermost().is_some_and(|level| !level.is_object)
    }

    /// Sets the key of the next member: this range of the window, with escapes.
    pub(super) fn set_key(&mut self, range: Range<usize>) {
        if let Some(level) = self.innermost() {
            level.set_key(range);
        }
    }

    /// The key of the next member is too long.
    pub(super) fn set_long_key(&mut self) {
        if let Some(level) = self.innermost() {
            level.key = LevelKey::Long;
            level.path = None;
        }
    }

    /// Keeps the keys that are in `window`, which ends.
    pub(super) fn keep_keys(&mut self, window: &[u8]) {
        let open = self.depth.min(self.levels.len());
        for level in &mut self.levels[..open] {
            if let LevelKey::Here(range) = &level.key {
                level.kept.clear();
                level.kept.extend_from_slice(&window[range.clone()]);
                level.key = LevelKey::Kept;
            }
        }
    }

    /// Returns the pointer of the current value; `None` if it is not known, or too long.
    pub(super) fn pointer(
        &mut self,
        window: &[u8],
        recent: &mut RecentPointers,
    ) -> Option<Arc<PointerPath>> {
        let open = self.levels.get_mut(..self.depth)?;
        let known = open.iter().rposition(|level| level.path.is_some());
        let mut path = match known {
            Some(number) => open[number].path.clone()?,
            None => recent.root(),
        };
        for level in &mut open[known.map_or(0, |number| number + 1)..] {
            if let Some(known) = level.known_path(window, &path) {
                path = known;
                level.path = Some(Arc::clone(&path));
                continue;
            }
            self.token.clear();
            if !level.is_object {
                write_number(level.index, &mut self.token);
            } else {
                let key = level.key(window, &mut self.key)?;
                write_token(key, &mut self.token);
            }
            if path.len() + 1 + self.token.len() > POINTER_MAX {
                return None;
            }
            path = recent.member(&path, &self.token);
            level.remember(window, &path);
            level.path = Some(Arc::clone(&path));
        }
        Some(path)
    }

    /// Whether the current value is in an object or array all of which was selected.
    pub(super) fn is_chosen(&mut self) -> bool {
        let deepest = self.depth.min(self.levels.len());
        self.levels[..deepest]
            .last()
            .is_some_and(|level| level.is_chosen)
    }

    /// Whether `tokens` lead to the current value.
    pub(super) fn is_at(&mut self, tokens: &[PointerToken], window: &[u8]) -> bool {
        let Some(open) = self.levels.get(..self.depth) else {
            return false;
        };
        let key = &mut self.key;
        open.len() == tokens.len()
            && open.iter().zip(tokens).all(|(level, token)| match token {
                PointerToken::Any => true,
                PointerToken::Named(name) if level.is_object => {
                    level.key(window, key).is_some_and(|key| key == name)
                }
                PointerToken::Named(name) => {
                    let mut index = Vec::new();
                    write_number(level.index, &mut index);
                    index == *name
                }
            })
    }
}

impl OpenLevel {
    /// A comma was read.
    #[inline]
    pub(super) fn comma(&mut self) {
        self.index += u64::from(!self.is_object);
        self.after_colon = false;
        self.path = None;
    }

    /// A colon was read.
    #[inline]
    pub(super) fn colon(&mut self) {
        self.after_colon = true;
    }

    /// Whether a key follows, and not a value.
    #[inline]
    pub(super) fn awaits_key(&self) -> bool {
        self.is_object && !self.after_colon
    }

    /// Sets the key of the next member: this range of the window, with escapes.
    #[inline]
    pub(super) fn set_key(&mut self, range: Range<usize>) {
        self.key = match range.len() > POINTER_MAX {
            true => LevelKey::Long,
            false => LevelKey::Here(range),
        };
        self.path = None;
    }

    /// Returns the pointer of the current member of the object whose pointer is `around`, if
    /// the last one at this depth is the same.
    fn known_path(&self, window: &[u8], around: &Arc<PointerPath>) -> Option<Arc<PointerPath>> {
        let (key, path) = self.last.as_ref().filter(|_| self.is_object)?;
        (self.raw_key(window)? == key && path.is_in(around)).then(|| Arc::clone(path))
    }

    /// Remembers the pointer of the current member of an object.
    fn remember(&mut self, window: &[u8], path: &Arc<PointerPath>) {
        let (mut key, _) = self
            .last
            .take()
            .unwrap_or_else(|| (Vec::new(), Arc::clone(path)));
        let raw = self.raw_key(window).filter(|raw| raw.len() <= SHORT_KEY);
        if let Some(raw) = raw.filter(|_| self.is_object) {
            key.clear();
            key.extend_from_slice(raw);
            self.last = Some((key, Arc::clone(path)));
        }
    }

    /// Returns the key as it is written.
    #[inline]
    fn raw_key<'k>(&'k self, window: &'k [u8]) -> Option<&'k [u8]> {
        match &self.key {
            LevelKey::None | LevelKey::Long => None,
            LevelKey::Here(range) => Some(&window[range.clone()]),
            LevelKey::Kept => Some(&self.kept),
        }
    }

    /// Returns the key without its escapes.
    fn key<'k>(&'k self, window: &'k [u8], buffer: &'k mut Vec<u8>) -> Option<&'k [u8]> {
        let raw = self.raw_key(window)?;
        if memchr::memchr(b'\\', raw).is_none() {
            return Some(raw);
        }
        buffer.clear();
        unescape(raw, buffer, None);
        Some(buffer)
    }
}

/// Appends a number in decimal digits.
fn write_number(number: u64, out: &mut Vec<u8>) {
    let from = out.len();
    let mut rest = number;
    loop {
        out.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[from..].reverse();
}

/// Appends a token of a pointer, with its escapes.
fn write_token(key: &[u8], out: &mut Vec<u8>) {
    let mut rest = key;
    while let Some(at) = memchr::memchr2(b'~', b'/', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(if rest[at] == b'~' { b"~0" } else { b"~1" });
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}
