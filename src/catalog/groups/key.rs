//! The key of an identifier, by which it is equal to others, and the data for the reasons:
//! for each kind of step that leads to the key, the form of the identifier without it.

use super::reason::{GroupReason, GroupReasons};
use crate::canonicalize::resolver::Resolvers;
use crate::canonicalize::{Canonicalizer, Level, StepKind};
#[cfg(feature = "marc")]
use crate::catalog::rows::IdentifierRow;
use crate::item::IdentifierKind;
use crate::store::varint;
use crate::syntax::class::each_is;
use std::borrow::Cow;

/// Makes the keys of identifiers: canonical at level `scheme`, resolvers unwrapped, ISBN-10
/// as ISBN-13.
///
/// ```
/// use urisieve::canonicalize::{Canonicalizer, resolver::Resolvers};
/// use urisieve::catalog::GroupKeys;
/// let keys = GroupKeys::new(Canonicalizer::default(), Resolvers::built_in());
/// assert_eq!(keys.key(b"https://DOI.org/10.1000/ABC"), b"doi:10.1000/abc");
/// assert_eq!(keys.key(b"urn:isbn:0-451-45052-3"), b"urn:isbn:9780451450524");
/// ```
#[derive(Clone, Debug)]
pub struct GroupKeys {
    /// Without resolvers.
    plain: Canonicalizer,
    full: Canonicalizer,
    hasher: ahash::RandomState,
}

/// The number of causes. A cause is omitted to find out whether it makes identifiers
/// equal: a kind of step, or the prefix of an identifier that is written without one.
pub(super) const CAUSES: usize = 9;
const BARE: usize = 8;

/// The reasons that each of these may be.
pub(super) const REASONS: [GroupReasons; CAUSES] = [
    GroupReasons::of(&[GroupReason::Case]),
    GroupReasons::of(&[GroupReason::PercentEncoding]),
    GroupReasons::of(&[GroupReason::UrlSyntax]),
    GroupReasons::of(&[
        GroupReason::Hyphens,
        GroupReason::NameCase,
        GroupReason::NameRule,
    ]),
    GroupReasons::of(&[GroupReason::Components]),
    GroupReasons::of(&[GroupReason::Isbn13]),
    GroupReasons::of(&[GroupReason::Resolver]),
    GroupReasons::of(&[GroupReason::Switch]),
    GroupReasons::of(&[GroupReason::Bare]),
];

const fn cause(kind: StepKind) -> usize {
    match kind {
        StepKind::Case => 0,
        StepKind::PercentEncoding => 1,
        StepKind::Syntax => 2,
        StepKind::Name => 3,
        StepKind::Components => 4,
        StepKind::Isbn13 => 5,
        StepKind::Resolver => 6,
        StepKind::Switch => 7,
    }
}

/// The forms of an identifier, each without one of the causes; absent if the cause does
/// not apply.
#[derive(Debug, Default)]
struct Forms<'f> {
    reasons: GroupReasons,
    list: [Option<KeyForm<'f>>; CAUSES],
}

/// A form: its first bytes, and the others.
#[derive(Debug)]
struct KeyForm<'f>(&'static str, Cow<'f, [u8]>);

impl KeyForm<'_> {
    fn is(&self, text: &[u8]) -> bool {
        text.strip_prefix(self.0.as_bytes()) == Some(&self.1)
    }
}

impl<'f> Forms<'f> {
    fn put(&mut self, cause: usize, reasons: GroupReasons, form: KeyForm<'f>) {
        self.reasons = self.reasons.union(reasons);
        self.list[cause].get_or_insert(form);
    }
}

impl GroupKeys {
    /// Returns keys with the switches of `canonicalizer`, independent of its level.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, resolver::Resolvers};
    /// use urisieve::catalog::GroupKeys;
    /// let strips = Canonicalizer::default().strip_fragment(true);
    /// let keys = GroupKeys::new(strips, Resolvers::built_in());
    /// assert_eq!(keys.key(b"http://a.example#top"), b"http://a.example/");
    /// ```
    pub fn new(canonicalizer: Canonicalizer, resolvers: Resolvers) -> GroupKeys {
        let plain = canonicalizer
            .without_resolvers()
            .at(Level::Scheme)
            .isbn13(true);
        GroupKeys {
            full: plain.clone().unwrap_resolvers(resolvers),
            plain,
            hasher: ahash::RandomState::with_seeds(1, 2, 3, 4),
        }
    }

    /// Returns the key of a URI.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, resolver::Resolvers};
    /// use urisieve::catalog::GroupKeys;
    /// let keys = GroupKeys::new(Canonicalizer::default(), Resolvers::built_in());
    /// assert_eq!(keys.key(b"HTTP://A.example:80"), b"http://a.example/");
    /// ```
    pub fn key(&self, uri: &[u8]) -> Vec<u8> {
        let mut buffer = Vec::new();
        self.full.canonicalize(uri, &mut buffer).to_vec()
    }

    /// Appends the key that [`Groups::push`](super::Groups::push) needs, for an identifier with
    /// this `uri`. `written` is its value as written, the spelling that is suggested for
    /// others.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, resolver::Resolvers};
    /// use urisieve::catalog::GroupKeys;
    /// let keys = GroupKeys::new(Canonicalizer::default(), Resolvers::built_in());
    /// let mut key = Vec::new();
    /// keys.write(b"0-451-45052-3", b"urn:isbn:0451450523", &mut key);
    /// assert!(!key.is_empty());
    /// ```
    pub fn write(&self, written: &[u8], uri: &[u8], out: &mut Vec<u8>) {
        self.write_known(written, (uri, false), out);
    }

    /// Appends the key of a row; nothing for a value without a URI.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, resolver::Resolvers};
    /// use urisieve::catalog::{FieldChoice, GroupKeys, IdentifierRows};
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut record = CatalogRecord::default();
    /// let text = b"=020  \\\\$a0-451-45052-3\n";
    /// CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let keys = GroupKeys::new(Canonicalizer::default(), Resolvers::built_in());
    /// let (mut of_row, mut of_value) = (Vec::new(), Vec::new());
    /// keys.write_row(&rows.of(std::slice::from_ref(&record))[0], &mut of_row);
    /// keys.write(b"0-451-45052-3", b"urn:isbn:0451450523", &mut of_value);
    /// assert_eq!(of_row, of_value);
    /// ```
    #[cfg(feature = "marc")]
    pub fn write_row(&self, row: &IdentifierRow, out: &mut Vec<u8>) {
        if let Some(uri) = &row.uri {
            self.write_known(row.written(), (uri, row.is_canonical), out);
        }
    }

    /// Appends the key for an identifier with this URI. `is_form`: whether it is known that the
    /// URI is its own canonical form at each level.
    fn write_known(&self, written: &[u8], (uri, is_form): (&[u8], bool), out: &mut Vec<u8>) {
        let mut buffer = Vec::new();
        let key = match is_form {
            true => self.full.switched(uri, &mut buffer),
            false => self.full.canonicalize(uri, &mut buffer),
        };
        let mut forms = Forms::default();
        if key != written {
            read_as(written, uri, &mut forms);
            // No step leads to a URI that is canonical.
            if key != uri {
                self.steps(uri, is_form, &mut forms);
            }
        }
        let folded = folded(key);
        out.extend_from_slice(&(self.hasher.hash_one(&folded) as u32).to_be_bytes());
        put(Some(&folded), out);
        put((key != &folded[..]).then_some(key), out);
        put((key != written).then_some(written), out);
        varint::put(forms.reasons.bits(), out);
        let applied = forms.list.iter().enumerate();
        let applied = applied.filter_map(|(cause, form)| Some((cause, form.as_ref()?)));
        for (cause, KeyForm(first, others)) in applied.filter(|(_, form)| !form.is(key)) {
            out.push(cause as u8);
            varint::put((first.len() + others.len()) as u64 + 1, out);
            out.extend_from_slice(first.as_bytes());
            out.extend_from_slice(others);
        }
    }

    /// Adds the forms of `uri` without each of the steps to its key, which it has.
    fn steps<'f>(&self, uri: &'f [u8], is_form: bool, forms: &mut Forms<'f>) {
        // One switch alone changes a canonical URN of an ISBN.
        if is_form && uri.starts_with(IdentifierKind::Isbn.prefix().as_bytes()) {
            let isbn13 = cause(StepKind::Isbn13);
            return forms.put(isbn13, REASONS[isbn13], KeyForm("", uri.into()));
        }
        let steps = self.full.steps(uri);
        // Resolvers are unwrapped first, which may hide a step in which two URLs of one
        // resolver differ.
        let is_unwrapped = steps.iter().any(|step| step.kind == StepKind::Resolver);
        let hidden = match is_unwrapped {
            true => self.plain.steps(uri),
            false => Vec::new(),
        };
        for step in steps.iter().chain(&hidden) {
            let reasons = match step.kind {
                StepKind::Name => respelling(&step.before, &step.after),
                kind => REASONS[cause(kind)],
            };
            let form = match &forms.list[cause(step.kind)] {
                Some(_) => Vec::new(),
                None => self.full.canonicalize_without(uri, step.kind),
            };
            forms.put(cause(step.kind), reasons, KeyForm("", form.into()));
        }
    }
}

/// Adds the steps by which the value `written` was read as the `uri`.
fn read_as<'f>(written: &'f [u8], uri: &[u8], forms: &mut Forms<'f>) {
    if written == uri {
        return;
    }
    let begins = |text: &[u8], prefix: &[u8]| {
        let head = text.get(..prefix.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    let prefixes = IdentifierKind::ALL.iter().map(|kind| kind.prefix());
    let mut added = prefixes
        .filter(|prefix| begins(uri, prefix.as_bytes()) && !begins(written, prefix.as_bytes()));
    let Some(prefix) = added.next() else {
        let percent = cause(StepKind::PercentEncoding);
        return forms.put(percent, REASONS[percent], KeyForm("", written.into()));
    };
    // No URI is this byte.
    forms.put(BARE, REASONS[BARE], KeyForm("\0", Cow::Borrowed(b"")));
    let named = KeyForm(prefix, written.into());
    if !named.is(uri) {
        let name = cause(StepKind::Name);
        let reasons = match uri.strip_prefix(prefix.as_bytes()) {
            Some(name) => respelling(written, name),
            None => respelling(&[prefix.as_bytes(), written].concat(), uri),
        };
        forms.put(name, reasons, named);
    }
}

/// Returns the reasons why a name and its canonical form differ.
fn respelling(before: &[u8], after: &[u8]) -> GroupReasons {
    let lower = |text| without_separators(text).map(|byte| byte.to_ascii_lowercase());
    if !lower(before).eq(lower(after)) {
        return GroupReasons::of(&[GroupReason::NameRule]);
    }
    let separators = |text: &[u8]| text.len() - without_separators(text).count();
    let has_separators = separators(before) != separators(after);
    let has_case = !without_separators(before).eq(without_separators(after));
    let separators = has_separators.then_some(GroupReason::Hyphens);
    let case = has_case.then_some(GroupReason::NameCase);
    separators.into_iter().chain(case).collect()
}

/// Returns the bytes of a name that are no separators.
fn without_separators(name: &[u8]) -> impl Iterator<Item = u8> {
    let is_kept = |byte: &u8| !b"-.() ".contains(byte);
    name.iter().copied().filter(is_kept)
}

/// Returns the common key of keys that differ only in case.
fn folded(key: &[u8]) -> Cow<'_, [u8]> {
    if each_is(key, |b| (b < 0x80) & (b.wrapping_sub(b'A') >= 26)) {
        return Cow::Borrowed(key);
    }
    Cow::Owned(match str::from_utf8(key) {
        Ok(key) => key.to_lowercase().into_bytes(),
        Err(_) => key.to_ascii_lowercase(),
    })
}

/// Returns the hash with which a key begins.
pub(super) fn hash_of(key: &[u8]) -> u32 {
    key.first_chunk()
        .map_or(0, |&hash| u32::from_be_bytes(hash))
}

/// Appends a text, or a mark for an absent one.
fn put(text: Option<&[u8]>, out: &mut Vec<u8>) {
    varint::put(text.map_or(0, |text| text.len() as u64 + 1), out);
    out.extend_from_slice(text.unwrap_or_default());
}

/// The bytes that [`GroupKeys::write`] wrote.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyParts<'k> {
    /// The hash of `folded`.
    pub hash: u32,
    pub folded: &'k [u8],
    pub key: &'k [u8],
    pub written: &'k [u8],
    pub reasons: GroupReasons,
    forms: &'k [u8],
}

/// Reads a text, if any.
fn take<'k>(bytes: &mut &'k [u8]) -> Option<&'k [u8]> {
    let len = varint::take(bytes).checked_sub(1)?;
    let (text, rest) = bytes.split_at((len as usize).min(bytes.len()));
    *bytes = rest;
    Some(text)
}

impl<'k> KeyParts<'k> {
    pub(super) fn of(key: &'k [u8]) -> KeyParts<'k> {
        let mut bytes = key.get(size_of::<u32>()..).unwrap_or_default();
        let folded = take(&mut bytes).unwrap_or_default();
        let own = take(&mut bytes).unwrap_or(folded);
        let written = take(&mut bytes).unwrap_or(own);
        KeyParts {
            hash: hash_of(key),
            folded,
            key: own,
            written,
            reasons: GroupReasons::from_bits(varint::take(&mut bytes)),
            forms: bytes,
        }
    }

    /// Returns the causes without which the form of the identifier is another one, with these
    /// forms.
    pub(super) fn forms(&self) -> impl Iterator<Item = (usize, &'k [u8])> {
        let mut rest = self.forms;
        std::iter::from_fn(move || {
            let (&cause, after) = rest.split_first()?;
            rest = after;
            Some((usize::from(cause).min(BARE), take(&mut rest)?))
        })
    }
}
