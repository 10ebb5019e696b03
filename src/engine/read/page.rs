//! The statements of a document of markup about itself that its references need: its
//! bases and its encoding. Which base governs which reference is left to the decoder.

use crate::decode::DocumentBase;
use crate::engine::batches::piece::{RawEncoding, RawPiece};
use crate::item::{Charset, OffsetMap};
use crate::syntax::resolve::{self, Rules};

/// The bases and the encoding of a document.
#[derive(Debug, Default)]
pub(in crate::engine) struct PageState {
    pub charset: Charset,
    /// The URI of the document; empty when it is not known.
    document: Vec<u8>,
    /// The bases, by their numbers; the first one has number 1.
    bases: Vec<Vec<u8>>,
}

/// The rules by which references of markup are resolved: those of the URL Standard.
#[cfg(feature = "html")]
pub(in crate::engine) const RULES: Rules = Rules::Whatwg;
#[cfg(not(feature = "html"))]
pub(in crate::engine) const RULES: Rules = Rules::Rfc3986;

/// The base that references of markup were resolved against last: those of a page have few.
#[cfg(feature = "html")]
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct LastBase {
    uri: Vec<u8>,
    seen: resolve::UsualBase,
}

#[cfg(feature = "html")]
impl LastBase {
    /// Writes the target of a usual reference by the URL Standard to `out`. Returns false, and
    /// writes nothing, for all others.
    pub(in crate::engine) fn resolve(
        &mut self,
        base: &[u8],
        reference: &[u8],
        out: &mut Vec<u8>,
    ) -> bool {
        if self.uri != base {
            self.uri.clear();
            self.uri.extend_from_slice(base);
            self.seen = resolve::UsualBase::of(base);
        }
        out.clear();
        self.seen.resolve(base, reference, out)
    }
}

/// More bases than a document can have: decoders limit their nesting.
const BASES_MAX: usize = 4096;

impl PageState {
    /// Returns the page of a document that nothing is known of but its URI.
    pub(in crate::engine) fn of(document: &[u8]) -> PageState {
        PageState {
            document: document.to_vec(),
            ..PageState::default()
        }
    }

    /// Returns the base with this number; `None` when it is not known.
    pub(in crate::engine) fn base(&self, number: u32) -> Option<&[u8]> {
        let base = match number {
            DocumentBase::DOCUMENT => Some(&self.document),
            number => self.bases.get(number as usize - 1),
        };
        base.map(|base| &base[..]).filter(|base| !base.is_empty())
    }

    /// Adds a base. If that fails, or if it is a `data:` or
    /// `javascript:` URL, its parent is used in its place (HTML Standard, "set the frozen
    /// base URL").
    pub(in crate::engine) fn add(&mut self, base: &DocumentBase) {
        let mut resolved = Vec::new();
        let parent = self.base(base.parent);
        let is_done = match parent {
            Some(parent) => resolve::resolve(RULES, parent, &base.reference, &mut resolved).is_ok(),
            None => resolve_alone(&base.reference, &mut resolved),
        };
        let is_script = ["data:", "javascript:"].iter().any(|scheme| {
            let start = resolved.get(..scheme.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
        });
        if !is_done || is_script {
            resolved = parent.unwrap_or_default().to_vec();
        }
        let at = (base.number as usize).wrapping_sub(1);
        if at < BASES_MAX {
            if self.bases.len() <= at {
                self.bases.resize(at + 1, Vec::new());
            }
            self.bases[at] = resolved;
        }
    }

    /// Returns `bytes` of the document as raw bytes, and the way to them.
    pub(in crate::engine) fn raw<'t>(
        &self,
        bytes: &'t [u8],
        map: Option<&'t OffsetMap>,
    ) -> RawPiece<'t> {
        RawPiece {
            bytes,
            encoding: match self.charset.name() {
                "UTF-16LE" => RawEncoding::Utf16 { big_endian: false },
                "UTF-16BE" => RawEncoding::Utf16 { big_endian: true },
                _ => RawEncoding::Ascii,
            },
            map,
        }
    }
}

/// Writes an absolute reference to `out`, as it is serialized. Returns false when it is
/// relative.
fn resolve_alone(reference: &[u8], out: &mut Vec<u8>) -> bool {
    #[cfg(feature = "html")]
    if let Ok(url) = resolve::whatwg(reference) {
        out.extend_from_slice(url.as_bytes());
        return true;
    }
    #[cfg(not(feature = "html"))]
    let _ = (reference, out);
    false
}
