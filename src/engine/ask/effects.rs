//! Which settings of a run have no effect beside others.

use super::config::RunConfig;
use super::mode::Mode;

impl RunConfig {
    /// Returns the settings that have no effect beside the others, each with the reason.
    pub(in crate::engine) fn without_effect(
        &self,
    ) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let (keys, report) = (&self.keys, &self.report);
        let counts = matches!(keys.mode, Mode::Count | Mode::Groups);
        let by = keys.by.is_some();
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
                by && keys.mode != Mode::Count,
                "count_by",
                "the mode is not Mode::Count",
            ),
            (by && keys.pairs.is_some(), "count_by", "links are counted"),
            (
                report.reasons && keys.mode != Mode::Groups,
                "reasons",
                "the mode is not Mode::Groups",
            ),
        ]
        .into_iter()
        .filter_map(|(is_without, setting, reason)| is_without.then_some((setting, reason)))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{CountBy, Mode, Pairs, Sieve};

    #[test]
    fn settings_without_effect_are_named() {
        let builder = || {
            let builder = Sieve::builder()
                .max_findings(Some(1))
                .lines(true)
                .top(Some(1));
            builder.times(true).count_by(CountBy::Host).reasons(true)
        };
        let names = |builder: crate::engine::SieveBuilder| {
            let sieve = builder.build();
            sieve
                .without_effect()
                .map(|(name, _)| name)
                .collect::<Vec<_>>()
        };
        let distinct = ["top", "times", "count_by", "reasons"];
        assert_eq!(names(builder()), distinct);
        assert_eq!(
            names(builder().mode(Mode::Count)),
            ["max_findings", "lines", "reasons"]
        );
        let groups = ["max_findings", "lines", "count_by"];
        assert_eq!(names(builder().mode(Mode::Groups)), groups);
        let links = names(
            Sieve::builder()
                .mode(Mode::Count)
                .count_by(CountBy::Host)
                .links(Pairs::new()),
        );
        assert_eq!(links, ["count_by"]);
    }
}
