//! The flags of searches for URIs in any text, which `extract` and `report` share, and the
//! settings that follow from them.

use super::plan::SearchFlags;
use super::select;
use crate::cli::flags::{BaseFlag, ExchangeFlags, FieldFlags, LogFlags, RuleFlags};
use urisieve::{Builder, ExchangeFilter, Sieve};

/// The flags of searches for URIs in any text.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct UriFlags {
    #[command(flatten)]
    pub search: SearchFlags,

    #[command(flatten)]
    fields: FieldFlags,

    #[command(flatten)]
    base: BaseFlag,

    #[command(flatten)]
    logs: LogFlags,

    #[command(flatten)]
    exchanges: ExchangeFlags,

    #[command(flatten)]
    pub rules: RuleFlags,
}

impl UriFlags {
    /// Returns the exchanges that are chosen.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn exchanges(&self) -> Result<ExchangeFilter, String> {
        let statuses = select::statuses(&self.search.input)?;
        self.exchanges.filter(statuses)
    }

    /// Returns the settings of a search; `shows_problems` is whether problems are printed or
    /// chosen, for which a URI at the end of a line waits.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn builder(
        &self,
        max_length: usize,
        shows_problems: bool,
    ) -> Result<Builder<Sieve>, String> {
        let rules = &self.rules;
        let sieve = Sieve::builder()
            .delimit(rules.config(max_length)?.line_ends(shows_problems))
            .abbreviated(rules.abbreviated)
            .bare(rules.references.bare.kinds()?)
            .refang(rules.refang)
            .log_format(self.logs.log_format.clone())
            .fields(self.fields.choice()?)
            .zone(self.exchanges.zone);
        Ok(match self.base.uri()? {
            Some(base) => sieve.base(base),
            None => sieve,
        })
    }
}
