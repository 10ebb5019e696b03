//! Everything known about one URI: its components, whether it is valid, how each
//! document reads a URN, how it becomes canonical and why, and the URL Standard's
//! result. `text` and `json` print it.

mod json;
mod text;

use crate::canonicalize::namespace::{self, NamespaceRule};
use crate::canonicalize::{Canonicalizer, Level, Step};
use crate::engine::problems_of;
use crate::item::Problems;
use crate::syntax::host::HostKind;
use crate::syntax::resolve;
use crate::syntax::urn::{self, Document, Registration};
use crate::syntax::{Component, Components, Violation, validate, validate_iri};

/// The explanation of a URI.
///
/// ```
/// use urisieve::canonicalize::{Canonicalizer, Level};
/// use urisieve::explain::Explanation;
/// let explanation = Explanation::of(b"HTTP://a.example:80", &Canonicalizer::new(Level::Scheme));
/// assert_eq!(explanation.canonical, b"http://a.example/");
/// assert_eq!(explanation.steps[1].section, "RFC 3986 6.2.3");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The URI as given.
    pub uri: Vec<u8>,
    /// The components, and their ranges in `uri`.
    pub parts: Vec<Component>,
    /// The components drawn below the URI.
    pub diagram: String,
    /// The kind of host, when there is an authority (RFC 3986 section 3.2.2).
    pub host: Option<HostKind>,
    /// Whether the string is a URI by RFC 3986.
    pub valid: Result<(), Violation>,
    /// Whether the string is an IRI by RFC 3987.
    pub valid_iri: Result<(), Violation>,
    /// The problems of the URI.
    pub problems: Problems,
    /// The canonical form at every level, with the switches of the canonicalizer.
    pub levels: Vec<(Level, Vec<u8>)>,
    /// The steps to the canonical form at the level of the canonicalizer.
    pub steps: Vec<Step>,
    /// The canonical form at that level.
    pub canonical: Vec<u8>,
    /// The explanation of a URN.
    pub urn: Option<Urn>,
    /// The form in which the URL Standard writes it, or why parsing fails.
    pub whatwg: Result<String, String>,
}

/// The explanation of a URN.
///
/// ```
/// use urisieve::canonicalize::Canonicalizer;
/// use urisieve::explain::Explanation;
/// let explanation = Explanation::of(b"urn:issn:0259-000X", &Canonicalizer::default());
/// assert_eq!(explanation.urn.unwrap().rule, Some(("RFC 3044 section 5", "hyphen removed, `x` is `X`")));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Urn {
    /// The reading by each document: `valid key=...`, `ends-before C key=...` or
    /// `invalid`.
    pub readings: Vec<(Document, String)>,
    /// The offset and the rule of each violation, by document.
    pub violations: Vec<(Document, Violation)>,
    /// Whether the namespace is registered; `None` without a valid NID.
    pub registration: Option<Registration>,
    /// The document that registers its namespace, when the registry names one.
    pub reference: Option<&'static str>,
    /// The source and the text of the namespace's own rule of equivalence.
    pub rule: Option<(&'static str, &'static str)>,
    /// The defects of the name by the rules of its namespace, in words.
    pub defects: Vec<String>,
}

impl Explanation {
    /// Explains `uri`.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// use urisieve::explain::Explanation;
    /// let explanation = Explanation::of(b"http://a.example/%zz", &Canonicalizer::default());
    /// assert_eq!(explanation.valid.unwrap_err().offset, 17);
    /// assert_eq!(explanation.problems.iter().next().unwrap().code(), "bad-percent");
    /// ```
    pub fn of(uri: &[u8], canonicalizer: &Canonicalizer) -> Explanation {
        let components = Components::parse(uri);
        let canonical = |canonicalizer: &Canonicalizer| {
            let mut buffer = Vec::new();
            canonicalizer.canonicalize(uri, &mut buffer).to_vec()
        };
        Explanation {
            uri: uri.to_vec(),
            parts: components.parts(uri),
            diagram: components.diagram(uri),
            host: components.host(uri).map(HostKind::of),
            valid: validate(uri),
            valid_iri: validate_iri(uri),
            problems: problems_of(uri),
            levels: Level::ALL
                .iter()
                .map(|&level| (level, canonical(&canonicalizer.clone().at(level))))
                .collect(),
            steps: canonicalizer.steps(uri),
            canonical: canonical(canonicalizer),
            urn: is_urn(uri).then(|| Urn::of(uri)),
            whatwg: resolve::whatwg(uri).map_err(|failure| failure.to_string()),
        }
    }
}

fn is_urn(uri: &[u8]) -> bool {
    matches!(uri, [u, r, n, b':', ..] if [*u, *r, *n].eq_ignore_ascii_case(b"urn"))
}

impl Urn {
    fn of(uri: &[u8]) -> Urn {
        let readings: Vec<_> = Document::ALL
            .iter()
            .map(|&document| (document, urn::read(document, uri)))
            .collect();
        let violation = |(document, reading): &(Document, urn::Reading)| match reading {
            urn::Reading::Invalid(violation) => Some((*document, *violation)),
            _ => None,
        };
        let nid = urn::nid(uri);
        let nss = nid.and_then(|nid| uri.get(4 + nid.len() + 1..urn::assigned_name_len(uri)?));
        let rule = nid.and_then(namespace::rule);
        let described = |rule: &dyn NamespaceRule| (rule.source(), rule.summary());
        Urn {
            violations: readings.iter().filter_map(violation).collect(),
            readings: readings
                .into_iter()
                .map(|(document, reading)| (document, reading.to_string()))
                .collect(),
            registration: nid.map(urn::registration),
            reference: nid.and_then(urn::reference),
            rule: rule.map(described),
            defects: nid.zip(nss).map_or_else(Vec::new, |(nid, nss)| {
                namespace::defects(nid, nss)
                    .map(|defect| format!("{}: {defect}", defect.code()))
                    .collect()
            }),
        }
    }
}
