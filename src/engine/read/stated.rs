//! The exchange that the current line or record states: whether findings in it are selected
//! (G14), the key by which they are counted (G15), and the request that their items keep.

use crate::engine::CountBy;
use crate::engine::ask::exchange_filter::ExchangeFilter;
use crate::engine::batches::batch::Batch;
use crate::item::{Exchange, RequestPart, Timestamp};
use std::io::Write;

/// The name of a client that is not shown.
const HIDDEN: &[u8] = b"***";

/// The statements of a record of a web archive about its exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct RecordExchange {
    /// The status of its HTTP response.
    pub status: Option<u16>,
    pub time: Option<Timestamp>,
}

/// The uses of exchanges in a run. Without any of them nothing is kept of a line.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct ExchangeUses {
    /// Items keep the request of their line.
    pub is_kept: bool,
    /// Items have the times of their occurrences.
    pub is_timed: bool,
    /// A part of the exchange is counted.
    pub is_counted: bool,
    /// Clients are not shown.
    pub hides_client: bool,
    /// `None` where every finding is selected.
    pub filter: Option<ExchangeFilter>,
}

/// The exchange of the current line, or else of the current record.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Stated {
    uses: ExchangeUses,
    /// The exchange that a line states matters.
    reads_exchanges: bool,
    record: RecordExchange,
    /// The time of an object or a line without a request.
    other: Option<Timestamp>,
    /// Whether the line states a request.
    is_line: bool,
    /// The number of lines with a request so far.
    line: u64,
    part: RequestPart,
    /// The method and the client of the line, one after the other, with their lengths.
    texts: Vec<u8>,
    method: Option<usize>,
    client: Option<usize>,
    status: Option<u16>,
    time: Option<Timestamp>,
    /// Whether the exchange meets the conditions of the filter.
    is_selected: bool,
    /// The key that is made of the exchange.
    key: Vec<u8>,
}

impl Stated {
    pub(in crate::engine) fn new(uses: ExchangeUses) -> Stated {
        let filter = uses.filter.as_ref();
        let is_filtered = filter.is_some_and(ExchangeFilter::reads_exchanges);
        let reads_exchanges = uses.is_kept || uses.is_timed || uses.is_counted || is_filtered;
        let mut stated = Stated {
            uses,
            reads_exchanges,
            ..Stated::default()
        };
        stated.judge();
        stated
    }

    /// Whether all findings are selected, whatever their exchange.
    pub(in crate::engine) fn selects_all(&self) -> bool {
        self.uses.filter.is_none()
    }

    /// Whether items have the times of their occurrences.
    pub(in crate::engine) fn wants_times(&self) -> bool {
        self.uses.is_timed
    }

    /// Whether it matters what a line states of its exchange.
    pub(in crate::engine) fn reads_exchanges(&self) -> bool {
        self.reads_exchanges
    }

    /// Whether findings that are not requests are left out, whatever their exchange.
    pub(in crate::engine) fn wants_requests_alone(&self) -> bool {
        let filter = self.uses.filter.as_ref();
        self.uses.is_counted || filter.is_some_and(ExchangeFilter::has_only_requests)
    }

    /// Sets the exchange of the current record.
    pub(in crate::engine) fn set_record(&mut self, record: RecordExchange) {
        if self.record != record {
            self.record = record;
            self.judge();
        }
    }

    /// Sets the exchange of the current line; `None` where it states no request.
    pub(in crate::engine) fn set_line(&mut self, exchange: Option<&Exchange>) {
        self.part = RequestPart::Text;
        self.is_line = exchange.is_some();
        if !self.reads_exchanges {
            return;
        }
        if let Some(exchange) = exchange {
            self.line += 1;
            self.texts.clear();
            self.method = exchange.method.map(|method| {
                self.texts.extend_from_slice(method);
                method.len()
            });
            let hides = self.uses.hides_client;
            let client = exchange
                .client
                .map(|name| if hides { HIDDEN } else { name });
            self.client = client.map(|client| {
                self.texts.extend_from_slice(client);
                client.len()
            });
            (self.status, self.time) = (exchange.status, exchange.time);
        }
        self.judge();
    }

    /// Sets the time of the current object or line, which states no request.
    pub(in crate::engine) fn set_time(&mut self, time: Option<Timestamp>) {
        self.other = time;
    }

    /// Sets the part of the line in which the next findings are.
    pub(in crate::engine) fn set_part(&mut self, part: RequestPart) {
        self.part = part;
    }

    /// Whether the next finding is selected.
    pub(in crate::engine) fn is_wanted(&self) -> bool {
        let only_requests = match &self.uses.filter {
            None => return true,
            Some(filter) => filter.has_only_requests(),
        };
        self.is_selected && (!only_requests || self.is_request())
    }

    /// Returns the key by which the next finding is counted. `None` if `by` is a part of an
    /// exchange and the finding is not a request.
    pub(in crate::engine) fn key(&mut self, by: CountBy) -> Option<&[u8]> {
        if !self.is_request() {
            return None;
        }
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        let exchange = self.exchange();
        let utc = exchange.time.map(|time| time.in_utc().civil());
        // Writing to memory does not fail.
        let _ = match (by, utc) {
            (CountBy::Status, _) => exchange
                .status
                .map_or(Ok(()), |status| write!(key, "{status}")),
            (CountBy::Hour, Some(at)) => write!(
                key,
                "{:04}-{:02}-{:02}T{:02}",
                at.year, at.month, at.day, at.hour
            ),
            (CountBy::Day, Some(at)) => {
                write!(key, "{:04}-{:02}-{:02}", at.year, at.month, at.day)
            }
            (CountBy::Method, _) => key.write_all(exchange.method.unwrap_or_default()),
            (CountBy::Client, _) => key.write_all(exchange.client.unwrap_or_default()),
            _ => Ok(()),
        };
        self.key = key;
        Some(&self.key)
    }

    /// Whether items keep anything of the exchange.
    pub(in crate::engine) fn marks_items(&self) -> bool {
        self.uses.is_kept || self.uses.is_timed
    }

    /// Gives the last item of `batch` the request of its line, and its time.
    pub(in crate::engine) fn mark(&self, batch: &mut Batch) {
        if self.is_line && self.uses.is_kept {
            batch.set_request(self.line, self.part, &self.exchange());
        }
        if self.uses.is_timed {
            self.mark_again(batch.items.len().saturating_sub(1), batch);
        }
    }

    /// Adds the time of an occurrence of the item with this number.
    pub(in crate::engine) fn mark_again(&self, item: usize, batch: &mut Batch) {
        if self.uses.is_timed {
            let time = match (self.is_line, self.other) {
                (false, Some(time)) => Some(time),
                _ => self.exchange().time,
            };
            batch.add_time(item, time);
        }
    }

    /// Whether the next finding is the URL that was asked for.
    fn is_request(&self) -> bool {
        self.is_line && self.part == RequestPart::Target
    }

    fn exchange(&self) -> Exchange<'_> {
        if !self.is_line {
            return Exchange {
                status: self.record.status,
                time: self.record.time,
                ..Exchange::default()
            };
        }
        let (method, client) = self.texts.split_at(self.method.unwrap_or_default());
        Exchange {
            method: self.method.map(|_| method),
            status: self.status,
            time: self.time,
            client: self.client.map(|_| client),
        }
    }

    fn judge(&mut self) {
        let filter = self.uses.filter.as_ref();
        self.is_selected = filter.is_none_or(|filter| filter.selects(&self.exchange()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonicalize::Redactor;
    use crate::dedup::Hasher;
    use crate::engine::Mode;
    use crate::engine::ask::config::RunConfig;
    use crate::engine::ask::lists::Lists;
    use crate::engine::read::keys::KeyIntake;
    use crate::engine::read::reported::Reported;
    use crate::engine::read::worker::Worker;
    use crate::item::{Marks, Request, UtcOffset};
    use std::sync::Arc;

    /// Returns the intake of a run that keeps requests.
    fn intake(change: impl FnOnce(&mut RunConfig)) -> KeyIntake {
        let mut config = RunConfig::default();
        config.keys.mode = Mode::All;
        config.keys.requests = true;
        config.keys.originals = true;
        change(&mut config);
        let lists = Arc::new(Lists::new(&config));
        Worker::new(&config, config.keys.mode, &Hasher::new(), &lists).keys
    }

    fn exchange(status: u16) -> Exchange<'static> {
        Exchange {
            method: Some(b"GET"),
            status: Some(status),
            time: Timestamp::parse(b"2016-10-25T14:49:34+02:00", UtcOffset::UTC),
            client: Some(b"192.0.2.7"),
        }
    }

    /// Adds the findings of a line: its target and its referer.
    fn add_line(keys: &mut KeyIntake, exchange: Option<&Exchange>, batch: &mut Batch) {
        let mut add = |keys: &mut KeyIntake, part, url: &'static [u8], written| {
            keys.set_part(part);
            let shown = Reported::Target { url, written };
            keys.add(Reported::Uri(url), shown, (0, 1), Marks::default(), batch);
        };
        keys.set_exchange(exchange);
        add(keys, RequestPart::Target, b"http://a/?k=S", b"/?k=S");
        add(keys, RequestPart::Referer, b"http://r/", b"http://r/");
        keys.set_exchange(None);
    }

    fn requests(batch: &Batch) -> Vec<Option<(RequestPart, Option<u16>)>> {
        let items = batch.items.iter();
        let requests = items.map(|item| batch.finding(item).context.request);
        requests
            .map(|request| request.map(|request| (request.part, request.exchange.status)))
            .collect()
    }

    #[test]
    fn items_keep_the_request_of_their_line() {
        let mut keys = intake(|_| {});
        let mut batch = Batch::default();
        add_line(&mut keys, Some(&exchange(200)), &mut batch);
        add_line(&mut keys, None, &mut batch);
        add_line(&mut keys, Some(&exchange(404)), &mut batch);
        let line = |status| {
            let of = |part| Some((part, Some(status)));
            [of(RequestPart::Target), of(RequestPart::Referer)]
        };
        let wanted = [line(200), [None, None], line(404)].concat();
        assert_eq!(requests(&batch), wanted);
        assert_eq!(batch.exchanges.len(), 2);
        let first = batch.finding(&batch.items[0]);
        let wanted = Request {
            part: RequestPart::Target,
            exchange: exchange(200),
        };
        assert_eq!(first.context.request, Some(wanted));
        assert_eq!(
            (first.uri, first.original),
            (&b"http://a/?k=S"[..], &b"/?k=S"[..])
        );
        // The next batch has the exchange of the current line, too.
        keys.set_exchange(Some(&exchange(500)));
        for _ in 0..2 {
            batch.clear();
            keys.add_plain(b"http://t/", (0, 1), Marks::default(), &mut batch);
            assert_eq!(requests(&batch), [Some((RequestPart::Text, Some(500)))]);
        }
    }

    #[test]
    fn nothing_is_kept_that_nobody_uses() {
        let mut keys = intake(|config| config.keys.requests = false);
        let mut batch = Batch::default();
        add_line(&mut keys, Some(&exchange(200)), &mut batch);
        assert_eq!(requests(&batch), [None, None]);
        assert!(batch.exchanges.is_empty() && keys.takes_plain());
    }

    #[test]
    fn clients_and_secrets_are_hidden() {
        let mut keys = intake(|config| {
            config.keys.redactor = Redactor::named(["client", "query:k"]).ok();
        });
        let mut batch = Batch::default();
        add_line(&mut keys, Some(&exchange(200)), &mut batch);
        let target = batch.finding(&batch.items[0]);
        assert_eq!(
            (target.uri, target.original),
            (&b"http://a/?k=***"[..], target.uri)
        );
        let client = target.context.request.unwrap().exchange.client;
        assert_eq!(client, Some(&b"***"[..]));
    }

    #[test]
    fn findings_are_selected_by_their_exchange() {
        let filter = ExchangeFilter::new().statuses("4xx".parse().unwrap());
        for (only_requests, selected) in [(false, 2), (true, 1)] {
            let mut keys = intake(|config| {
                config.keys.exchanges = filter.clone().only_requests(only_requests);
            });
            let mut batch = Batch::default();
            assert!(!keys.takes_plain());
            add_line(&mut keys, Some(&exchange(404)), &mut batch);
            assert_eq!(batch.items.len(), selected);
            add_line(&mut keys, Some(&exchange(200)), &mut batch);
            add_line(&mut keys, None, &mut batch);
            assert_eq!(batch.items.len(), selected);
            // A record states an exchange, but no request.
            keys.set_record(RecordExchange {
                status: Some(404),
                time: None,
            });
            add_line(&mut keys, None, &mut batch);
            let of_record = if only_requests { 0 } else { 2 };
            assert_eq!(batch.items.len(), selected + of_record);
            let total = batch.items.len() as u64 + batch.stats.not_selected;
            assert_eq!(total, 8);
        }
    }

    #[test]
    fn an_item_has_the_times_of_its_occurrences() {
        let mut keys = intake(|config| {
            config.keys.mode = Mode::Count;
            config.keys.times = true;
        });
        let mut batch = Batch::default();
        let time = |seconds| Timestamp::since_1970(seconds, 0);
        let at = |seconds| Exchange {
            time: time(seconds),
            ..Exchange::default()
        };
        for seconds in [5, 3, 9] {
            add_line(&mut keys, Some(&at(seconds)), &mut batch);
        }
        keys.set_time(time(2));
        add_line(&mut keys, None, &mut batch);
        keys.set_time(None);
        add_line(&mut keys, None, &mut batch);
        let span = batch.span(1);
        assert_eq!((span.first(), span.last()), (time(2), time(9)));
        assert_eq!(batch.items.len(), 2);
    }

    #[test]
    fn requests_are_counted_by_their_parts() {
        let empty = Exchange::default();
        for (by, key) in [
            (CountBy::Status, "404"),
            (CountBy::Method, "GET"),
            (CountBy::Client, "192.0.2.7"),
            (CountBy::Hour, "2016-10-25T12"),
            (CountBy::Day, "2016-10-25"),
        ] {
            assert!(by.is_of_requests());
            let mut keys = intake(|config| {
                config.keys.mode = Mode::Count;
                config.keys.by = Some(by);
                config.keys.requests = false;
            });
            let mut batch = Batch::default();
            for stated in [
                Some(&exchange(404)),
                None,
                Some(&empty),
                Some(&exchange(404)),
            ] {
                add_line(&mut keys, stated, &mut batch);
            }
            let counts = batch.items.iter().map(|item| (batch.key(item), item.count));
            let counts: Vec<_> = counts.collect();
            assert_eq!(counts, [(key.as_bytes(), 2), (b"", 1)], "{by:?}");
            assert_eq!(batch.stats.not_selected, 5);
        }
    }
}
