//! The key of an identifier, by which it is equal to others, and the data for the reasons:
//! for each kind of step that leads to the key, the form of the identifier without it.

use super::reason::{GroupReason, GroupReasons};
use crate::canonicalize::resolver::Resolvers;
use crate::canonicalize::{Canonicalizer, Level, StepKind};
use crate::item::IdentifierKind;
use crate::store::varint;

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
struct Forms {
    reasons: GroupReasons,
    list: [Option<Vec<u8>>; CAUSES],
}

impl Forms {
    fn put(&mut self, cause: usize, reasons: GroupReasons, form: Vec<u8>) {
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
        let key = self.key(uri);
        let mut forms = Forms::default();
        if key != written {
            read_as(written, uri, &key, &mut forms);
        }
        // No step leads to a URI that is canonical.
        if key != written && key != uri {
            self.steps(uri, &mut forms);
        }
        let folded = folded(&key);
        put(Some(&folded), out);
        put((key != folded).then_some(&key), out);
        put((key != written).then_some(written), out);
        varint::put(forms.reasons.bits(), out);
        let applied = forms.list.iter().enumerate();
        let applied = applied.filter_map(|(cause, form)| Some((cause, form.as_ref()?)));
        for (cause, form) in applied.filter(|(_, form)| **form != key) {
            out.push(cause as u8);
            put(Some(form), out);
        }
    }

    /// Adds the forms of `uri` without each of the steps to its key.
    fn steps(&self, uri: &[u8], forms: &mut Forms) {
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
            forms.put(cause(step.kind), reasons, form);
        }
    }
}

/// Adds the steps by which the value `written` was read as the `uri`.
fn read_as(written: &[u8], uri: &[u8], key: &[u8], forms: &mut Forms) {
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
        let reasons = REASONS[cause(StepKind::PercentEncoding)];
        return forms.put(cause(StepKind::PercentEncoding), reasons, written.to_vec());
    };
    // The byte keeps it apart from every URI.
    let bare = [b"\0", key].concat();
    forms.put(BARE, REASONS[BARE], bare);
    let named = [prefix.as_bytes(), written].concat();
    if named != uri {
        let reasons = respelling(&named, uri);
        forms.put(cause(StepKind::Name), reasons, named);
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
fn folded(key: &[u8]) -> Vec<u8> {
    match str::from_utf8(key) {
        Ok(key) => key.to_lowercase().into_bytes(),
        Err(_) => key.to_ascii_lowercase(),
    }
}

/// Appends a text, or a mark for an absent one.
fn put(text: Option<&[u8]>, out: &mut Vec<u8>) {
    varint::put(text.map_or(0, |text| text.len() as u64 + 1), out);
    out.extend_from_slice(text.unwrap_or_default());
}

/// The bytes that [`GroupKeys::write`] wrote.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyParts<'k> {
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
    /// Returns the first part alone.
    pub(super) fn folded_of(mut bytes: &'k [u8]) -> &'k [u8] {
        take(&mut bytes).unwrap_or_default()
    }

    pub(super) fn of(mut bytes: &'k [u8]) -> KeyParts<'k> {
        let folded = take(&mut bytes).unwrap_or_default();
        let key = take(&mut bytes).unwrap_or(folded);
        let written = take(&mut bytes).unwrap_or(key);
        KeyParts {
            folded,
            key,
            written,
            reasons: GroupReasons::from_bits(varint::take(&mut bytes)),
            forms: bytes,
        }
    }

    /// Returns the forms of the identifier without each of the causes.
    pub(super) fn forms(&self) -> [&'k [u8]; CAUSES] {
        let mut forms = [self.key; CAUSES];
        let mut rest = self.forms;
        while let Some((&cause, after)) = rest.split_first() {
            rest = after;
            let form = take(&mut rest);
            if let (Some(place), Some(form)) = (forms.get_mut(usize::from(cause)), form) {
                *place = form;
            }
        }
        forms
    }
}
