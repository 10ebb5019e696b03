//! The explanation of a canonical form: the rules that changed the URI, one after the
//! other. These are the rules that [`Canonicalizer::canonicalize`] applies.

use super::gateway::Unwrapped;
use super::resolver::Resolvers;
use super::{Canonicalizer, StepKind, rules};
use crate::syntax::{Components, urn};
use std::sync::Arc;

/// One rule of normalization that changed the URI.
///
/// ```
/// use urisieve::canonicalize::{Canonicalizer, Level, Step};
/// let steps = Canonicalizer::new(Level::Scheme).steps(b"http://a.example:80/");
/// let Step { name, section, before, after, .. } = &steps[0];
/// assert_eq!((*name, *section), ("default port removed", "RFC 3986 6.2.3"));
/// assert_eq!(before, b"http://a.example:80/");
/// assert_eq!(after, b"http://a.example/");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The name of the rule.
    pub name: &'static str,
    /// The document and section that require it, or `switch` and the name of the
    /// switch.
    pub section: &'static str,
    /// The kind of the change.
    pub kind: StepKind,
    /// The URI before.
    pub before: Vec<u8>,
    /// The URI after.
    pub after: Vec<u8>,
}

impl Canonicalizer {
    /// Returns the steps by which `uri` becomes canonical, each with the document that
    /// requires it (RFC 3986 section 6, RFC 8141 section 3, documents of schemes). The
    /// last `after` is the canonical form; there are no steps when `uri` is canonical.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// let steps = Canonicalizer::new(Level::Syntax).steps(b"HTTP://a.example/%7ea/../b");
    /// let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    /// assert_eq!(
    ///     names,
    ///     [
    ///         "scheme to lower case",
    ///         "digits of percent-encoding to upper case",
    ///         "unreserved characters decoded",
    ///         "dot segments removed",
    ///     ]
    /// );
    /// assert_eq!(steps[3].after, b"http://a.example/b");
    /// ```
    pub fn steps(&self, uri: &[u8]) -> Vec<Step> {
        self.steps_without(uri, None)
    }

    /// Returns the form of `uri` without the steps of one kind. Two equal URIs with
    /// different forms are equal because of these steps. When the rule of a name is
    /// omitted, an ISBN-10 is not converted to an ISBN-13.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level, StepKind};
    /// let canonicalizer = Canonicalizer::new(Level::Scheme);
    /// let uri = b"HTTP://a.example:80";
    /// let without = |kind| String::from_utf8(canonicalizer.canonicalize_without(uri, kind));
    /// assert_eq!(without(StepKind::Syntax)?, "http://a.example:80");
    /// assert_eq!(without(StepKind::Name)?, "http://a.example/");
    /// # Ok::<(), std::string::FromUtf8Error>(())
    /// ```
    pub fn canonicalize_without(&self, uri: &[u8], kind: StepKind) -> Vec<u8> {
        let last = self.steps_without(uri, Some(kind)).pop();
        last.map_or_else(|| uri.to_vec(), |step| step.after)
    }

    fn steps_without(&self, uri: &[u8], omitted: Option<StepKind>) -> Vec<Step> {
        let unwraps = omitted != Some(StepKind::Resolver);
        let mut steps = Vec::new();
        let mut now = uri.to_vec();
        if unwraps {
            self.step_into_target(&mut now, &mut steps);
            self.step_into_name(&mut now, &mut steps);
        }
        self.step_by_rules(&mut now, &mut steps, omitted);
        // The rules may have produced a resolver's URL.
        if unwraps && self.step_into_name(&mut now, &mut steps) {
            self.step_by_rules(&mut now, &mut steps, omitted);
        }
        steps
    }

    /// Appends the step from the URL of a gateway to its target, if it has one.
    fn step_into_target(&self, now: &mut Vec<u8>, steps: &mut Vec<Step>) {
        let mut unwrapped = Unwrapped::default();
        if self.unwrap_gateway(now, &mut unwrapped) && !unwrapped.names().is_empty() {
            let after = unwrapped.target().to_vec();
            steps.push(Step {
                name: "gateway's URL replaced by its target",
                section: "switch unwrap_gateways",
                kind: StepKind::Resolver,
                before: std::mem::replace(now, after.clone()),
                after,
            });
        }
    }

    /// Appends the step from the URL of a resolver to the name in it; returns whether
    /// there is such a step.
    fn step_into_name(&self, now: &mut Vec<u8>, steps: &mut Vec<Step>) -> bool {
        let mut name = Vec::new();
        let unwraps = |resolvers: &Arc<Resolvers>| resolvers.unwrap(now, &mut name);
        let found = self.resolvers.as_ref().is_some_and(unwraps);
        if found {
            steps.push(Step {
                name: "resolver's URL replaced by the name in it",
                section: "switch unwrap_resolvers",
                kind: StepKind::Resolver,
                before: std::mem::replace(now, name.clone()),
                after: name,
            });
        }
        found
    }

    /// Appends the steps of the rules.
    fn step_by_rules(&self, now: &mut Vec<u8>, steps: &mut Vec<Step>, omitted: Option<StepKind>) {
        let lists: &[&'static [rules::Rule]] = match urn::nid(now) {
            Some(_) => &[&rules::URN_CASE, &rules::URN],
            None => &[&rules::CUT, &rules::CASE, &rules::RULES],
        };
        let (mut parts, mut after) = (Components::parse(now), Vec::new());
        for rule in lists.iter().copied().flatten() {
            after.clear();
            after.extend_from_slice(now);
            if !rule.apply(&self.switches, &mut after, &parts) {
                continue;
            }
            match omitted {
                Some(kind) if kind == rule.kind => {
                    if kind == StepKind::Name {
                        return;
                    }
                }
                _ => {
                    steps.push(Step {
                        name: rule.name,
                        section: rule.section,
                        kind: rule.kind,
                        before: std::mem::replace(now, after.clone()),
                        after: std::mem::take(&mut after),
                    });
                    parts = Components::parse(now);
                }
            }
        }
    }
}
