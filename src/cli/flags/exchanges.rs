//! The flags that select findings by the exchange that their line or record states.

use clap::ValueEnum;
use std::time::{SystemTime, UNIX_EPOCH};
use urisieve::item::{Timestamp, UtcOffset};
use urisieve::{ExchangeFilter, StatusCodes, UnusableName, time_bound};

/// Which requests in logs, and which records of web archives, are reported.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Selection")]
pub(in crate::cli) struct ExchangeFlags {
    /// URLs that were asked for, in logs: also (default), or only these
    ///
    /// only: no referers, no other URIs of the line, and nothing of text in which no
    /// request is stated.
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "also",
        hide_default_value = true,
        hide_possible_values = true,
        hide_short_help = true
    )]
    requests: RequestsFlag,

    /// Only requests with these methods, in any case: GET,HEAD
    ///
    /// URIs of what states no method are left out; --stats counts them as not_selected.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    method: Vec<String>,

    /// Only requests at this time and later: RFC 3339, a date, or 2h, 7d before now
    ///
    /// Also records of web archives, by WARC-Date. URIs of what states no time are left
    /// out; --stats counts them as not_selected.
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    since: Option<String>,

    /// Only requests before this time, like --since
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    until: Option<String>,

    /// The offset of times that state none: +02:00; default UTC
    ///
    /// Of times in logs, and of --since and --until.
    #[arg(
        long,
        value_name = "OFFSET",
        default_value = "Z",
        hide_default_value = true,
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    pub zone: UtcOffset,
}

/// Which URIs of lines with requests are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RequestsFlag {
    Also,
    Only,
}

impl ExchangeFlags {
    /// Returns the filter, which also has these `statuses`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn filter(
        &self,
        statuses: Vec<StatusCodes>,
    ) -> Result<ExchangeFilter, String> {
        let of = |flag: &'static str| move |error: UnusableName| format!("{flag}: {error}");
        let bound = |flag, text: &Option<String>| match text {
            Some(text) => time_bound(text, self.zone, now())
                .map(Some)
                .map_err(of(flag)),
            None => Ok(None),
        };
        let mut filter = ExchangeFilter::new()
            .only_requests(self.requests == RequestsFlag::Only)
            .since(bound("--since", &self.since)?)
            .until(bound("--until", &self.until)?);
        for codes in statuses {
            filter = filter.statuses(codes);
        }
        for name in &self.method {
            filter = filter.method(name).map_err(of("--method"))?;
        }
        Ok(filter)
    }
}

/// Returns the time of the start; a clock before 1970 counts as 1970.
fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    let now = Timestamp::since_1970(seconds, since.subsec_nanos());
    now.unwrap_or_default()
}
