//! References that their format delimits (F1). `delimit` judges them; a relative one is
//! resolved against its base, and the URI gets its key like every other URI. References
//! that yield no URI are counted, but not reported as losses.

use super::batch::Batch;
use super::keys::Reported;
use super::problems;
use super::worker::{Buffers, Worker};
use crate::delimit::{Cleaning, Delimiter, Referred, Refusal};
use crate::item::{Marks, Problems, Reference};
use crate::syntax::resolve::{self, Rules};

/// The URI that a reference identifies, or one nested in it.
#[derive(Clone, Copy)]
struct ReferenceUri<'r> {
    uri: &'r [u8],
    /// The reference as written or, if it is relative, the URI it was resolved to.
    original: &'r [u8],
    problems: Problems,
}

/// Why a reference yields no URI.
enum Unusable {
    /// The delimiter refused it.
    Refused(Refusal),
    /// It is relative, and there is no base to resolve it against.
    WithoutBase,
}

impl From<Refusal> for Unusable {
    fn from(refusal: Refusal) -> Unusable {
        Unusable::Refused(refusal)
    }
}

impl Worker {
    /// Adds the URI that `reference` identifies to `batch`, and the URIs nested in it that
    /// are reported, too (S6). From the raw offset `doubt` on the input may be damaged.
    /// Returns false when it is not a reference but text that is to be scanned.
    pub(super) fn refer(
        &mut self,
        reference: &Reference,
        doubt: Option<u64>,
        batch: &mut Batch,
    ) -> bool {
        let Worker {
            delimiter,
            canonicalizer,
            keys,
            rules,
            buffers,
            ..
        } = self;
        let Buffers {
            canonical,
            cleaning,
            resolved,
            resolved_cleaning,
            ..
        } = buffers;
        let offset = reference.span.offset;
        keys.enter(reference.context, batch);
        let found = match delimiter.reference(reference.text, reference.schemes, cleaning) {
            Ok(Referred::Uri {
                uri,
                original,
                problems,
            }) => Ok(ReferenceUri {
                uri,
                original,
                problems,
            }),
            Ok(Referred::Relative { reference: text }) => {
                resolved.clear();
                resolve_against_base(*rules, reference, text, resolved)
                    .and_then(|()| judge(delimiter, resolved, resolved_cleaning))
            }
            Err(refusal) => Err(refusal.into()),
        };
        let found = match found {
            // The original may have a bare `<`, at which the redactor ends a URI although a
            // secret continues after it.
            Ok(found) if keys.redactor.is_some() => ReferenceUri {
                original: found.uri,
                ..found
            },
            Ok(found) => found,
            Err(Unusable::Refused(Refusal::Text)) => return false,
            Err(unusable) => {
                count(unusable, offset, batch);
                return true;
            }
        };
        let nested = delimiter.nested_in(found.uri);
        let nested = nested.map(|(uri, problems)| ReferenceUri {
            uri,
            original: uri,
            problems,
        });
        let place = (offset, reference.span.length);
        keys.set_link(reference.context.link.is_some());
        for found in std::iter::once(found).chain(nested) {
            let key = canonicalizer.canonicalize(found.uri, canonical);
            let more = problems::of_urn(found.uri) | problems::of_damage(doubt, place);
            let marks = Marks {
                wrapper: reference.wrapper,
                problems: found.problems | more,
                ..Marks::default()
            };
            let (key, original) = (Reported::Uri(key), Reported::Uri(found.original));
            keys.add(key, original, place, marks, batch);
            // What is nested in a link is a mention.
            keys.set_link(false);
        }
        true
    }
}

/// Resolves the relative `text` of `reference` against its base and appends the URI to
/// `out`.
fn resolve_against_base(
    rules: Rules,
    reference: &Reference,
    text: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Unusable> {
    let base = reference
        .base
        .filter(|base| resolve::is_base_for(base, text));
    let base = base.ok_or(Unusable::WithoutBase)?;
    match resolve::resolve(rules, base, text, out) {
        Ok(_) => Ok(()),
        #[cfg(feature = "whatwg")]
        Err(resolve::Unresolvable::Reference(_)) => Err(Refusal::Void.into()),
        Err(_) => Err(Unusable::WithoutBase),
    }
}

/// Judges the URI that a reference was resolved to.
fn judge<'r>(
    delimiter: &Delimiter,
    resolved: &'r [u8],
    cleaning: &'r mut Cleaning,
) -> Result<ReferenceUri<'r>, Unusable> {
    let (uri, problems) = delimiter.resolved(resolved, cleaning)?;
    Ok(ReferenceUri {
        uri,
        original: uri,
        problems,
    })
}

/// Counts a reference at `offset` that yields no URI.
fn count(unusable: Unusable, offset: u64, batch: &mut Batch) {
    match unusable {
        Unusable::WithoutBase => batch.stats.references_without_base += 1,
        Unusable::Refused(Refusal::TooLong) => batch.skip_too_long(offset),
        Unusable::Refused(_) => batch.stats.references_dropped += 1,
    }
}
