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
