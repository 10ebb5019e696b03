//! Settings of a run that have no effect beside others: they are errors, because the caller
//! asked for something that the run would not do.

use super::config::RunConfig;
use super::count_by::CountBy;
use super::mode::Mode;
use crate::engine::error::{Error, ErrorKind};
use std::io;

impl RunConfig {
    /// Checks that each setting has an effect beside the others.
    ///
    /// # Errors
    /// [`ErrorKind::Settings`], with each setting that has none and the reason.
    pub(in crate::engine) fn check_effects(&self) -> Result<(), Error> {
        let without = self.without_effect();
        let without = without.map(|(setting, reason)| format!("{setting} has no effect: {reason}"));
        let without: Vec<String> = without.collect();
        match without.is_empty() {
            true => Ok(()),
            false => Err(wrong_settings(without.join("; "))),
        }
    }

    /// Returns the settings that have no effect beside the others, each with the reason.
    fn without_effect(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let (keys, report) = (&self.keys, &self.report);
        let counts = matches!(keys.mode, Mode::Count | Mode::Groups);
        let by = keys.by.is_some();
        let has_known = report.known_inputs > 0 || self.memory.known.is_some();
        let compares_nothing = keys.mode == Mode::All && !has_known;
        [
            (
                counts && report.most.is_some(),
                "max_findings",
                "classes are reported when all inputs were read",
            ),
            (counts && report.lines, "lines", "classes have no place"),
            (
                !counts && report.top.is_some(),
                "top",
                "the mode reports no classes at the end",
            ),
            (!counts && keys.times, "times", "the mode does not count"),
            (
                keys.sources && keys.mode != Mode::Count,
                "sources",
                "the mode is not Mode::Count",
            ),
            (
                !counts && keys.per.is_some(),
                "count_per",
                "the mode does not count",
            ),
            (
                by && keys.mode != Mode::Count,
                "count_by",
                "the mode is not Mode::Count",
            ),
            (by && keys.pairs.is_some(), "count_by", "links are counted"),
            (
                by && self.memory.known.is_some(),
                "known_keys",
                "parts are counted, not URIs",
            ),
            (
                keys.by == Some(CountBy::Match) && keys.matcher.is_none(),
                "count_by",
                "there is no matcher",
            ),
            (
                report.reasons && keys.mode != Mode::Groups,
                "reasons",
                "the mode is not Mode::Groups",
            ),
            (
                self.memory.fingerprints && (counts || compares_nothing),
                "fingerprints",
                "the mode needs the keys, or compares none",
            ),
        ]
        .into_iter()
        .filter_map(|(is_without, setting, reason)| is_without.then_some((setting, reason)))
    }
}

/// Returns the error of settings that do not go with each other, or with the call.
pub(in crate::engine) fn wrong_settings(cause: String) -> Error {
    let cause = io::Error::new(io::ErrorKind::InvalidInput, cause);
    Error::new(ErrorKind::Settings, cause)
}

#[cfg(test)]
mod tests {
    use crate::engine::{Builder, CountBy, ErrorKind, Mode, Pairs, Sieve};

    /// Returns the settings that the error of a run names.
    fn named(builder: Builder<Sieve>) -> Vec<String> {
        let sieve = builder.build();
        let mut findings = 0;
        let text = b"http://a.example/";
        let Err(error) = sieve.for_each(text, |_| findings += 1) else {
            return Vec::new();
        };
        assert_eq!((error.kind(), findings), (ErrorKind::Settings, 0));
        let shown = error.to_string();
        let first = |part: &str| part.split(' ').next().unwrap_or_default().to_owned();
        shown.split("; ").map(first).collect()
    }

    #[test]
    fn settings_without_effect_are_errors() {
        let builder = || {
            let builder = Sieve::builder()
                .max_findings(Some(1))
                .lines(true)
                .top(Some(1));
            let builder = builder.times(true).sources(true).count_by(CountBy::Host);
            builder.reasons(true).fingerprints(true)
        };
        let distinct = ["top", "times", "sources", "count_by", "reasons"];
        assert_eq!(named(builder()), distinct);
        assert_eq!(
            named(builder().mode(Mode::Count)),
            ["max_findings", "lines", "reasons", "fingerprints"]
        );
        let groups = [
            "max_findings",
            "lines",
            "sources",
            "count_by",
            "fingerprints",
        ];
        assert_eq!(named(builder().mode(Mode::Groups)), groups);
        let counted = Sieve::builder().mode(Mode::Count).count_by(CountBy::Host);
        assert!(named(counted.clone()).is_empty());
        assert_eq!(named(counted.links(Pairs::new())), ["count_by"]);
        assert!(named(Sieve::builder().lines(true)).is_empty());
    }
}
