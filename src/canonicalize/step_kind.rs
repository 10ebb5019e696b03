//! Kinds of the changes that steps of normalization make.

/// A kind of change that a step of normalization makes.
///
/// ```
/// use urisieve::canonicalize::{Canonicalizer, Level, StepKind};
/// let steps = Canonicalizer::new(Level::Scheme).steps(b"http://A.example:80/");
/// let kinds: Vec<StepKind> = steps.iter().map(|step| step.kind).collect();
/// assert_eq!(kinds, [StepKind::Case, StepKind::Syntax]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StepKind {
    /// The case of the scheme, of a host or of the namespace of a URN.
    Case,
    /// Percent-encoding.
    PercentEncoding,
    /// Dot segments, ports, empty paths, addresses and international names of hosts.
    Syntax,
    /// The rule of a URN namespace, of DOIs or of telephone numbers.
    Name,
    /// The r-, q- and f-component of a URN.
    Components,
    /// An ISBN-10 became its ISBN-13.
    Isbn13,
    /// The URL of a resolver became the name in it, or that of a gateway its target.
    Resolver,
    /// A change that another switch asks for.
    Switch,
}

impl StepKind {
    /// Every kind.
    pub const ALL: &'static [StepKind] = &[
        StepKind::Case,
        StepKind::PercentEncoding,
        StepKind::Syntax,
        StepKind::Name,
        StepKind::Components,
        StepKind::Isbn13,
        StepKind::Resolver,
        StepKind::Switch,
    ];
}
