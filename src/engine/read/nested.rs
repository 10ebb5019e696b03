//! URIs inside the URI of a reference or of a request (S6, I13). Each is added as an occurrence
//! at its place.

use super::keys::KeyIntake;
use super::problems;
use super::reported::Reported;
use super::search::prefixed;
use super::worker::NestedBuffers;
use crate::canonicalize::Canonicalizer;
use crate::engine::batches::batch::Batch;
use crate::item::{Marks, Problems, Wrapper};

/// A URI that may have others inside.
pub(super) struct Outer<'u> {
    pub uri: &'u [u8],
    /// The raw offset and the length of what has it.
    pub place: (u64, u64),
    pub wrapper: Wrapper,
    /// The problems of its place.
    pub damage: Problems,
}

/// Adds the URIs inside `outer`, which the delimiter found when it judged that.
pub(super) fn add_nested(
    (canonicalizer, keys): (&Canonicalizer, &mut KeyIntake),
    outer: &Outer,
    buffers: &mut NestedBuffers,
    batch: &mut Batch,
) {
    let NestedBuffers {
        inner,
        canonical,
        prefixed: with_scheme,
        whole,
        hidden,
    } = buffers;
    if inner.is_empty() {
        return;
    }
    keys.set_outer(canonicalizer.canonicalize(outer.uri, canonical));
    for (number, (text, marks)) in inner.uris(outer.uri).enumerate() {
        let text = match &keys.redactor {
            // A secret may go on behind the end of a nested URI.
            Some(redactor) => {
                let whole = inner.text_to_outer_end(number, outer.uri, whole);
                redactor.redact_start(whole, text.len(), hidden)
            }
            None => text,
        };
        let uri = match marks.abbreviated {
            true => prefixed(text, with_scheme),
            false => text,
        };
        let key = canonicalizer.canonicalize(uri, canonical);
        let marks = Marks {
            wrapper: outer.wrapper,
            problems: marks.problems | problems::of_urn(uri) | outer.damage,
            ..marks
        };
        let (key, original) = (Reported::Uri(key), Reported::Uri(text));
        keys.add(key, original, outer.place, marks, batch);
    }
}
