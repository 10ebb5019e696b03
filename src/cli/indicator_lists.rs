//! Lists of indicators: they are read before the inputs, and what is not an entry is named.

use crate::cli::flags::MatchFlags;
use crate::cli::report::messages::Speech;
use crate::cli::report::printable::printable;
use crate::cli::report::stderr;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use urisieve::{Builder, ListCounts, Matcher, MatcherBuilder, Sieve};

/// The lines of a list that are named; of the others the number is.
const NAMED: u64 = 10;

/// The lists of a run.
#[derive(Debug, Default)]
pub(in crate::cli) struct IndicatorLists {
    /// `None` where there are no lists.
    pub matcher: Option<Arc<Matcher>>,
    /// The numbers of all lists.
    pub entries: u64,
    pub skipped: u64,
    pub bad: u64,
    /// The lines that are not entries, each with its list and cause, for the file of errors.
    pub causes: Vec<(Vec<u8>, String)>,
}

impl IndicatorLists {
    /// Reads the lists on this many threads. `keeps_causes` says whether causes are kept.
    ///
    /// # Errors
    /// A message about a list that cannot be read.
    pub(in crate::cli) fn open(
        flags: &MatchFlags,
        threads: usize,
        speech: Speech,
        keeps_causes: bool,
    ) -> Result<IndicatorLists, String> {
        let mut lists = IndicatorLists::default();
        if flags.lists.is_empty() {
            return Ok(lists);
        }
        let mut builder = Matcher::builder().threads(threads);
        if let Some(column) = &flags.match_column {
            builder = builder.column(column);
        }
        for path in &flags.lists {
            let name = printable(path.as_os_str().as_encoded_bytes());
            let counts = lists
                .read(path, &mut builder, speech, keeps_causes)
                .map_err(|error| format!("--match {name}: {error}"))?;
            lists.entries += counts.entries;
            lists.skipped += counts.skipped;
            lists.bad += counts.bad;
            if speech == Speech::Silent {
                continue;
            }
            if counts.bad > NAMED {
                let more = counts.bad - NAMED;
                stderr::say(format_args!(
                    "{name}: {more} more lines are not entries, {} in all",
                    counts.bad
                ));
            }
            if speech == Speech::Verbose {
                stderr::say(format_args!(
                    "{name}: entries: {}, skipped: {}",
                    counts.entries, counts.skipped
                ));
            }
        }
        lists.matcher = Some(Arc::new(builder.build()));
        Ok(lists)
    }

    fn read(
        &mut self,
        path: &Path,
        builder: &mut MatcherBuilder,
        speech: Speech,
        keeps_causes: bool,
    ) -> std::io::Result<ListCounts> {
        let bytes = path.as_os_str().as_encoded_bytes();
        let name = printable(bytes);
        let mut named = 0;
        builder.add_list(bytes, File::open(path)?, |bad| {
            named += 1;
            let line = bad.line;
            if named <= NAMED && speech != Speech::Silent {
                stderr::say(format_args!("{name}:{line}: not an entry: {bad}"));
            }
            if keeps_causes {
                let cause = format!("line {line}: not an entry: {bad}");
                self.causes.push((bytes.to_vec(), cause));
            }
        })
    }

    /// Sets that an entry must match, if there are lists.
    pub(in crate::cli) fn configure(&self, sieve: Builder<Sieve>) -> Builder<Sieve> {
        match &self.matcher {
            Some(matcher) => sieve.matcher(Arc::clone(matcher)),
            None => sieve,
        }
    }
}
