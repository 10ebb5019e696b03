//! The flags of commands that pass their input on with changes, and the sieve of these flags.

use crate::cli::flags::privacy::Privacy;
use crate::cli::flags::{PathFlag, RuleFlags, Selection, SilenceFlag, StatsFlag};
use crate::cli::indicator_lists::IndicatorLists;
use crate::cli::search::select;
use urisieve::canonicalize::Canonicalizer;
use urisieve::{Builder, Mode, Sieve};

/// The flags that such commands share.
#[derive(Debug, clap::Args)]
pub(super) struct StreamFlags {
    #[command(flatten)]
    pub selection: Selection,

    #[command(flatten)]
    pub rules: RuleFlags,

    #[command(flatten)]
    pub output: PathFlag,

    #[command(flatten)]
    pub stats: StatsFlag,

    #[command(flatten)]
    pub silence: SilenceFlag,

    #[command(flatten)]
    pub privacy: Privacy,
}

impl StreamFlags {
    /// Returns the sieve for every URI that is selected, also by `lists`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub fn sieve(
        &self,
        lists: &IndicatorLists,
        canonicalizer: Canonicalizer,
    ) -> Result<Builder<Sieve>, String> {
        let rules = &self.rules;
        let max_length = rules.references.max_length()?;
        let sieve = Sieve::builder()
            .mode(Mode::All)
            .delimit(rules.config(max_length)?)
            .abbreviated(rules.abbreviated)
            .bare(rules.references.bare.kinds()?)
            .refang(rules.refang)
            .canonicalize(canonicalizer)
            .problems(select::problems(&self.selection.problem)?);
        let sieve = lists.configure(sieve);
        Ok(match select::selection(&self.selection)? {
            Some(select) => sieve.select(select),
            None => sieve,
        })
    }
}
