//! Which exchanges findings are reported of: by the status, the method and the time that a
//! line of a log or a record of a web archive states (G14).

use super::record_filter::StatusCodes;
use super::uri_selection::UnusableName;
use crate::item::{Exchange, Timestamp, UtcOffset};

/// Selects findings by the exchange that their line or record states. A finding of a line or
/// a record that states none is left out, unless the filter has no condition;
/// [`Stats::not_selected`] counts those that are left out. Of a record of a web archive the
/// status of its HTTP response and its date count.
///
/// [`Stats::not_selected`]: crate::engine::Stats::not_selected
///
/// ```
/// use urisieve::{ExchangeFilter, Sieve, input::Source};
/// let archive = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 41\r\n\r\n\
///     HTTP/1.1 404 Not\r\nLocation: http://a/\r\n\r\n\r\n\r\n";
/// let filter = ExchangeFilter::new().statuses("4xx".parse()?);
/// let sieve = Sieve::builder().exchanges(filter).build();
/// let sources = [Source::Slice(archive), Source::Slice(b"http://text.example/")];
/// let stats = sieve.for_each_in(sources, |finding| assert_eq!(finding.uri, b"http://a/"))?;
/// assert_eq!((stats.distinct, stats.not_selected), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExchangeFilter {
    statuses: Vec<StatusCodes>,
    methods: Vec<Vec<u8>>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    only_requests: bool,
}

impl ExchangeFilter {
    /// Creates a filter without a condition.
    ///
    /// ```
    /// assert!(urisieve::ExchangeFilter::new().is_empty());
    /// ```
    pub fn new() -> ExchangeFilter {
        ExchangeFilter::default()
    }

    /// Whether it has no condition.
    ///
    /// ```
    /// assert!(!urisieve::ExchangeFilter::new().only_requests(true).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        *self == ExchangeFilter::default()
    }

    /// Selects exchanges with these status codes, and others that are added.
    ///
    /// ```
    /// use urisieve::ExchangeFilter;
    /// let filter = ExchangeFilter::new().statuses("2xx".parse()?).statuses("404".parse()?);
    /// # drop(filter);
    /// # Ok::<(), urisieve::UnusableName>(())
    /// ```
    pub fn statuses(mut self, statuses: StatusCodes) -> ExchangeFilter {
        self.statuses.push(statuses);
        self
    }

    /// Selects exchanges with this method, in any case, and others that are added.
    ///
    /// # Errors
    /// The name is not a token (RFC 9110 section 9.1).
    ///
    /// ```
    /// use urisieve::ExchangeFilter;
    /// assert!(ExchangeFilter::new().method("get").is_ok());
    /// assert!(ExchangeFilter::new().method("GET /").is_err());
    /// ```
    pub fn method(mut self, name: &str) -> Result<ExchangeFilter, UnusableName> {
        let name = name.trim();
        let is_char = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(is_char) {
            let why = "not a method; write a name like GET";
            return Err(UnusableName::new(name, why));
        }
        self.methods.push(name.as_bytes().to_vec());
        Ok(self)
    }

    /// Selects exchanges at this time and later; `None` removes the condition.
    ///
    /// ```
    /// use urisieve::{ExchangeFilter, item::Timestamp};
    /// let filter = ExchangeFilter::new().since(Timestamp::since_1970(0, 0));
    /// assert!(!filter.is_empty());
    /// ```
    pub fn since(self, since: Option<Timestamp>) -> ExchangeFilter {
        ExchangeFilter { since, ..self }
    }

    /// Selects exchanges before this time; `None` removes the condition.
    ///
    /// ```
    /// use urisieve::{ExchangeFilter, item::Timestamp};
    /// let filter = ExchangeFilter::new().until(Timestamp::since_1970(0, 0));
    /// assert!(!filter.is_empty());
    /// ```
    pub fn until(self, until: Option<Timestamp>) -> ExchangeFilter {
        ExchangeFilter { until, ..self }
    }

    /// Sets whether only the URLs that were asked for are selected, and no referers and
    /// other texts.
    ///
    /// ```
    /// use urisieve::{ExchangeFilter, Sieve};
    /// let filter = ExchangeFilter::new().only_requests(true);
    /// let stats = Sieve::builder().exchanges(filter).build().for_each(b"http://a/", |_| {})?;
    /// assert_eq!((stats.distinct, stats.not_selected), (0, 1));
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn only_requests(self, only_requests: bool) -> ExchangeFilter {
        ExchangeFilter {
            only_requests,
            ..self
        }
    }

    /// Whether only request URLs are selected.
    pub(in crate::engine) fn has_only_requests(&self) -> bool {
        self.only_requests
    }

    /// Whether a condition depends on what the exchange states.
    pub(in crate::engine) fn reads_exchanges(&self) -> bool {
        let has_time = self.since.is_some() || self.until.is_some();
        has_time || !self.statuses.is_empty() || !self.methods.is_empty()
    }

    /// Whether an exchange meets the conditions, apart from that on the part of the line.
    pub(in crate::engine) fn selects(&self, exchange: &Exchange) -> bool {
        let has_status = |StatusCodes(codes): &StatusCodes| {
            exchange
                .status
                .is_some_and(|status| codes.contains(&status))
        };
        let has_method = |name: &Vec<u8>| {
            let method = exchange.method;
            method.is_some_and(|method| method.eq_ignore_ascii_case(name))
        };
        let instant = exchange.time.map(Timestamp::instant);
        let is_after = |since: Timestamp| instant.is_some_and(|at| at >= since.instant());
        let is_before = |until: Timestamp| instant.is_some_and(|at| at < until.instant());
        (self.statuses.is_empty() || self.statuses.iter().any(has_status))
            && (self.methods.is_empty() || self.methods.iter().any(has_method))
            && self.since.is_none_or(is_after)
            && self.until.is_none_or(is_before)
    }
}

/// The units of a duration, in seconds.
const UNITS: [(char, i64); 4] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];

/// Reads a bound of time: a time by RFC 3339, a date, which means its first instant, or a
/// duration before `now`, such as `2h` or `7d`. A time without an offset is in the `zone`.
///
/// # Errors
/// The text is not one of these.
///
/// ```
/// use urisieve::{item::{Timestamp, UtcOffset}, time_bound};
/// let now = Timestamp::since_1970(86_400, 0).unwrap();
/// let bound = |text| time_bound(text, UtcOffset::UTC, now).unwrap().to_string();
/// assert_eq!(bound("2h"), "1970-01-01T22:00:00Z");
/// assert_eq!(bound("2026-10-06"), "2026-10-06T00:00:00Z");
/// assert!(time_bound("yesterday", UtcOffset::UTC, now).is_err());
/// ```
pub fn time_bound(text: &str, zone: UtcOffset, now: Timestamp) -> Result<Timestamp, UnusableName> {
    let bytes = text.trim().as_bytes();
    let time = Timestamp::parse(bytes, zone)
        .or_else(|| Timestamp::parse_date(bytes, zone))
        .or_else(|| before(text.trim(), now));
    time.ok_or_else(|| {
        let why = "not a time; write one like 2026-10-05T02:00:00+02:00, a date, or 2h or 7d \
                   for a time before now";
        UnusableName::new(text, why)
    })
}

/// Returns the time that is a duration before `now`.
fn before(text: &str, now: Timestamp) -> Option<Timestamp> {
    let unit = text.chars().next_back()?;
    let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let digits = text.strip_suffix(unit)?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let count: i64 = digits.parse().ok()?;
    let (at, nanos) = now.instant();
    Timestamp::since_1970(at.checked_sub(count.checked_mul(*seconds)?)?, nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        Timestamp::parse(text.as_bytes(), UtcOffset::UTC).unwrap()
    }

    #[test]
    fn exchanges_that_are_selected() {
        let filter = ExchangeFilter::new;
        let status = |codes: &str| filter().statuses(codes.parse().unwrap());
        let noon = time("2026-10-05T12:00:00Z");
        let exchange = Exchange {
            method: Some(b"Get"),
            status: Some(404),
            time: Some(time("2026-10-05T14:00:00+02:00")),
            client: None,
        };
        let later = time("2026-10-05T12:00:00.000000001Z");
        for (filter, wanted) in [
            (filter(), true),
            (status("4xx"), true),
            (status("200").statuses("404".parse().unwrap()), true),
            (status("2xx"), false),
            (filter().method("GET").unwrap(), true),
            (filter().method("POST").unwrap(), false),
            (filter().since(Some(noon)), true),
            (filter().since(Some(later)), false),
            (filter().until(Some(noon)), false),
            (filter().until(Some(later)), true),
            (status("4xx").method("HEAD").unwrap(), false),
            (filter().only_requests(true), true),
        ] {
            assert_eq!(filter.selects(&exchange), wanted, "{filter:?}");
            let is_open = filter.is_empty() || filter.has_only_requests();
            assert_eq!(filter.selects(&Exchange::default()), is_open, "{filter:?}");
        }
    }

    #[test]
    fn bounds_of_time() {
        let now = time("2026-10-05T12:00:00.5Z");
        let zone = UtcOffset::minutes(120).unwrap();
        for (text, wanted) in [
            ("90s", "2026-10-05T11:58:30.5Z"),
            ("5m", "2026-10-05T11:55:00.5Z"),
            (" 7d ", "2026-09-28T12:00:00.5Z"),
            ("0h", "2026-10-05T12:00:00.5Z"),
            ("2026-10-05", "2026-10-05T00:00:00+02:00"),
            ("2026-10-05T01:02:03", "2026-10-05T01:02:03+02:00"),
            ("2026-10-05 01:02:03Z", "2026-10-05T01:02:03Z"),
            ("h", ""),
            ("+1h", ""),
            ("1w", ""),
            ("99999999999999999999d", ""),
            ("9999999999999999d", ""),
            ("2026-10", ""),
            ("", ""),
        ] {
            let bound = time_bound(text, zone, now).map(|time| time.to_string());
            assert_eq!(bound.unwrap_or_default(), wanted, "{text}");
        }
    }
}
