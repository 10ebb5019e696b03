//! Why a spelling is equal to the others of its class: the steps that lead from it to
//! the canonical form.

use super::search;
use crate::canonicalize::Canonicalizer;
use crate::decode::Refanged;
use crate::item::{Finding, IdentifierKind, Reason};

/// Finds the steps.
pub(in crate::engine) struct Reasons {
    canonicalizer: Canonicalizer,
    refang: bool,
}

impl Reasons {
    pub(in crate::engine) fn new(canonicalizer: &Canonicalizer, refang: bool) -> Reasons {
        Reasons {
            canonicalizer: canonicalizer.clone(),
            refang,
        }
    }

    /// The steps from the original of `finding` to its URI. There are none where they
    /// do not lead there: a secret that is left out may have been a part of a step.
    pub(in crate::engine) fn of(&self, finding: &Finding) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let mut text = finding.original.to_vec();
        if self.refang {
            let mut refanged = Refanged::new();
            refanged.read(&text, true);
            if refanged.text() != text {
                text = refanged.text().to_vec();
                reasons.push(Reason {
                    name: "marks of defanging undone",
                    section: "switch refang",
                });
            }
        }
        if finding.marks.abbreviated {
            let mut prefixed = Vec::new();
            text = search::prefixed(&text, &mut prefixed).to_vec();
            reasons.push(Reason {
                name: "scheme given to an abbreviated URL",
                section: "switch abbreviated",
            });
        }
        if let Some(kind) = finding.marks.identifier {
            text = identified(kind, &text);
            if !kind.is_bare() {
                reasons.push(Reason {
                    name: "scheme given to an identifier",
                    section: "switch bare",
                });
            }
        }
        let steps = self.canonicalizer.steps(&text);
        let end = steps.last().map_or(&text[..], |step| &step.after);
        let kind = finding.marks.identifier;
        let end = kind.map_or(end, |kind| kind.reported(end));
        if end != finding.uri {
            return Vec::new();
        }
        reasons.extend(steps.iter().map(|step| Reason {
            name: step.name,
            section: step.section,
        }));
        reasons
    }
}

/// Returns the URI of an identifier that is written without a scheme.
fn identified(kind: IdentifierKind, written: &[u8]) -> Vec<u8> {
    let mut uri = kind.prefix().as_bytes().to_vec();
    match kind {
        IdentifierKind::Isbn | IdentifierKind::Issn => {
            let digits = written.iter().filter(|byte| byte.is_ascii_alphanumeric());
            uri.extend(digits.map(u8::to_ascii_uppercase));
        }
        IdentifierKind::Orcid => uri.extend(written.iter().map(u8::to_ascii_uppercase)),
        _ => uri.extend_from_slice(written),
    }
    uri
}
