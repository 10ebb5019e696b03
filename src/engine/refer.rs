//! References that their format delimits (F1): what `delimit` calls relative is
//! resolved against its base, and what is a URI then takes the way of every other
//! one to its key. What is left out is counted; it is no loss.

use super::batch::Batch;
use super::keys::Told;
use super::problems;
use super::worker::{Buffers, Worker};
use crate::delimit::{Cleaning, Delimiter, Referred, Refusal};
use crate::item::{Charset, Marks, Problems, Reference};
use crate::syntax::resolve::{self, Rules};

/// What a reference stands for.
#[derive(Clone, Copy)]
struct Meant<'r> {
    uri: &'r [u8],
    /// As written; of a relative one what it was resolved to.
    original: &'r [u8],
    problems: Problems,
}

/// Why a reference stands for nothing.
enum Unmeant {
    Refused(Refusal),
    WithoutBase,
}

impl From<Refusal> for Unmeant {
    fn from(refusal: Refusal) -> Unmeant {
        Unmeant::Refused(refusal)
    }
}

impl Worker {
    /// Adds the URI that `reference` stands for to `batch`, and those in it that are
    /// reported, too (S6); from the raw offset `doubt` on the input may be wrong.
    /// False when it is no reference but text, to be scanned.
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
        let meant = match delimiter.reference(reference.text, reference.schemes, cleaning) {
            Ok(Referred::Uri {
                uri,
                original,
                problems,
            }) => Ok(Meant {
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
        let meant = match meant {
            // A secret goes on behind a `<` that is written as it is.
            Ok(meant) if keys.redactor.is_some() => Meant {
                original: meant.uri,
                ..meant
            },
            Ok(meant) => meant,
            Err(Unmeant::Refused(Refusal::Text)) => return false,
            Err(unmeant) => {
                count(unmeant, offset, batch);
                return true;
            }
        };
        let nested = delimiter.nested_in(meant.uri);
        let nested = nested.map(|(uri, problems)| Meant {
            uri,
            original: uri,
            problems,
        });
        let place = (offset, reference.span.length);
        for meant in std::iter::once(meant).chain(nested) {
            let key = canonicalizer.canonicalize(meant.uri, canonical);
            let more = problems::of_urn(meant.uri) | problems::of_damage(doubt, place);
            let marks = Marks {
                wrapper: reference.wrapper,
                problems: meant.problems | more,
                ..Marks::default()
            };
            let (key, original) = (Told::Uri(key), Told::Uri(meant.original));
            keys.add(key, original, place, marks, batch);
        }
        true
    }
}

/// Appends what the relative `text` of `reference` stands for to `out`.
fn resolve_against_base(
    rules: Rules,
    reference: &Reference,
    text: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Unmeant> {
    let base = reference
        .base
        .filter(|base| resolve::is_base_for(base, text));
    let base = base.ok_or(Unmeant::WithoutBase)?;
    match reference.charset {
        Charset::Utf8 => match resolve::resolve(rules, base, text, out) {
            Ok(_) => Ok(()),
            #[cfg(feature = "whatwg")]
            Err(resolve::Unresolvable::Reference(_)) => Err(Refusal::Void.into()),
            Err(_) => Err(Unmeant::WithoutBase),
        },
    }
}

/// Judges what a reference was resolved to.
fn judge<'r>(
    delimiter: &Delimiter,
    resolved: &'r [u8],
    cleaning: &'r mut Cleaning,
) -> Result<Meant<'r>, Unmeant> {
    let (uri, problems) = delimiter.resolved(resolved, cleaning)?;
    Ok(Meant {
        uri,
        original: uri,
        problems,
    })
}

/// Counts a reference at `offset` that gives no URI.
fn count(unmeant: Unmeant, offset: u64, batch: &mut Batch) {
    match unmeant {
        Unmeant::WithoutBase => batch.stats.references_without_base += 1,
        Unmeant::Refused(Refusal::TooLong) => batch.skip_too_long(offset),
        Unmeant::Refused(_) => batch.stats.references_dropped += 1,
    }
}
