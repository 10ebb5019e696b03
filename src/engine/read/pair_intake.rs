//! Links as pairs: the key is the source, a tab and the target, so that each link of a
//! page, or from a host to a host, is one class. `refer` and `search` find the targets;
//! the source of a record is computed once.

use crate::canonicalize::{Canonicalizer, Redactor};
use crate::engine::ask::pairs::Pairs;
use crate::engine::batches::pair::{BETWEEN, NOFOLLOW};
use crate::engine::fault;
use crate::item::{OwnedContext, Part, Record};
use crate::syntax::pct;
use std::sync::Arc;

/// The rows of a page so far. The next block may continue it, on another thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct PageRows {
    /// A pair.
    pub any: bool,
    /// Whether the format says that the record describes a page.
    pub is_page: bool,
}

/// Why an occurrence gives no pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Unpaired {
    /// The link is a mention, or not followed, or its node is that of the page.
    LeftOut,
    /// The page or the target has no node.
    WithoutNode,
}

/// The input, the record and the message id of a page.
type SourcePage = (usize, Option<Arc<Record>>, Option<Arc<[u8]>>);

/// Makes pairs of targets.
#[derive(Clone, Debug)]
pub(in crate::engine) struct PairIntake {
    pairs: Pairs,
    canonicalizer: Canonicalizer,
    base: Option<Arc<[u8]>>,
    /// The input, the record and the message id of the page.
    page: Option<SourcePage>,
    /// The key of the page and a tab, and behind them the last target.
    pair: Vec<u8>,
    /// The length of the first two in `pair`; 0 when the page has no key.
    source_len: usize,
    /// The pair with the target as written.
    original: Vec<u8>,
    /// Whether the next target is a link, not a mention.
    pub is_link: bool,
    /// The page asks not to follow the next target.
    is_nofollow: bool,
    pub rows: PageRows,
    buffer: Vec<u8>,
}

impl PairIntake {
    pub(in crate::engine) fn new(
        pairs: &Pairs,
        canonicalizer: &Canonicalizer,
        base: &Option<Arc<[u8]>>,
    ) -> PairIntake {
        PairIntake {
            pairs: pairs.clone(),
            canonicalizer: canonicalizer.clone(),
            base: base.clone(),
            page: None,
            pair: Vec::new(),
            source_len: 0,
            original: Vec::new(),
            is_link: false,
            is_nofollow: false,
            rows: PageRows::default(),
            buffer: Vec::new(),
        }
    }

    /// Whether text is searched for mentions.
    pub(in crate::engine) fn mentions(&self) -> bool {
        self.pairs.mentions
    }

    /// Whether nodes replace URIs.
    pub(in crate::engine) fn has_nodes(&self) -> bool {
        self.pairs.node.is_some()
    }

    /// Whether a link that is its own canonical form needs no further look: its pair is the page
    /// and the link.
    pub(in crate::engine) fn are_plain(&self) -> bool {
        let Pairs {
            node,
            name: _,
            mentions: _,
            followed,
            without_self,
            apart,
        } = &self.pairs;
        node.is_none() && !followed && !without_self && !apart
    }

    /// Whether the page gives a pair of its node twice: it gave no other.
    pub(in crate::engine) fn is_lone(&self, part: &Part) -> bool {
        let is_page = match &part.context.warc {
            Some(record) => ["response", "resource"]
                .iter()
                .any(|kind| record.kind.eq_ignore_ascii_case(kind.as_bytes())),
            None => true,
        };
        let is_named = self.has_nodes() && !self.pairs.without_self;
        is_named && !self.rows.any && (is_page || self.rows.is_page)
    }

    /// Sets the page that the next targets are on.
    pub(in crate::engine) fn enter(
        &mut self,
        context: &OwnedContext,
        input: usize,
        redactor: Option<&Redactor>,
    ) {
        self.is_nofollow = context.link.as_ref().is_some_and(|link| link.nofollow);
        let is_same = self
            .page
            .as_ref()
            .is_some_and(|(last, record, message_id)| {
                let is_same = match (record, &context.warc) {
                    (Some(last), Some(record)) => Arc::ptr_eq(last, record),
                    (last, record) => last.is_none() && record.is_none(),
                };
                is_same && *last == input && *message_id == context.message_id
            });
        if is_same {
            return;
        }
        let message_id = context.message_id.clone();
        self.page = Some((input, context.warc.clone(), message_id));
        self.pair.clear();
        self.source_len = 0;
        self.push_page(context, input, redactor);
        self.source_len = self.pair.len();
    }

    /// Appends the key of the page and a tab to `pair`, if it has one.
    fn push_page(&mut self, context: &OwnedContext, input: usize, redactor: Option<&Redactor>) {
        let mail = context.message_id.as_deref().map(mid);
        let target = context.warc.as_ref().map(|record| &record.target_uri[..]);
        let target = mail.as_deref().or(target.filter(|uri| !uri.is_empty()));
        let Some(uri) = target.or(self.base.as_deref()) else {
            // A name is not a URI: it has no canonical form and no host.
            if self.pairs.node.is_none() {
                let name = match &self.pairs.name {
                    Some(name) => fault::call(|| name(input)),
                    None => Arc::from(input.to_string().into_bytes()),
                };
                push_plain(&name, &mut self.pair);
                self.pair.push(BETWEEN);
            }
            return;
        };
        let uri = self.canonicalizer.canonicalize(uri, &mut self.buffer);
        let mut key = Vec::new();
        match &self.pairs.node {
            Some(node) if !fault::call(|| node(uri, &mut key)) => return,
            Some(_) => self.pair.extend_from_slice(&key),
            None => {
                let uri = match redactor {
                    Some(redactor) => redactor.redact(uri, &mut key),
                    None => uri,
                };
                push_plain(uri, &mut self.pair);
            }
        }
        self.pair.push(BETWEEN);
    }

    /// Returns the pair of the page and `target`, the canonical form of a link that needs no
    /// [further look](PairIntake::are_plain).
    #[inline]
    pub(in crate::engine) fn plain_pair(&mut self, target: &[u8]) -> Option<&[u8]> {
        if !(self.is_link || self.pairs.mentions) {
            return None;
        }
        debug_assert!(self.source_len > 0, "a page is entered first");
        self.rows.any = true;
        self.pair.truncate(self.source_len);
        self.pair.extend_from_slice(target);
        Some(&self.pair)
    }

    /// Returns the pair of the page and the node of `target`, a canonical form, twice. Where
    /// there are no nodes, returns the pairs of the page with `shown`, the canonical form
    /// without secrets, and with the target as `written`.
    pub(in crate::engine) fn pair<'p>(
        &'p mut self,
        target: &[u8],
        (shown, written): (&[u8], &[u8]),
    ) -> Result<(&'p [u8], &'p [u8]), Unpaired> {
        if !(self.is_link || self.pairs.mentions) || (self.pairs.followed && self.is_nofollow) {
            return Err(Unpaired::LeftOut);
        }
        if self.source_len == 0 {
            return Err(Unpaired::WithoutNode);
        }
        let source = ..self.source_len - 1;
        let after = match self.pairs.apart && self.is_nofollow {
            true => NOFOLLOW,
            false => b"",
        };
        let (pair, original) = (&mut self.pair, &mut self.original);
        pair.truncate(self.source_len);
        if let Some(node) = &self.pairs.node {
            if !node(target, &mut self.buffer) {
                return Err(Unpaired::WithoutNode);
            }
            if self.buffer[..] == pair[source] {
                return Err(Unpaired::LeftOut);
            }
            pair.extend_from_slice(&self.buffer);
            pair.extend_from_slice(after);
            self.rows.any = true;
            return Ok((pair, pair));
        }
        if self.pairs.without_self && *shown == pair[source] {
            return Err(Unpaired::LeftOut);
        }
        pair.extend_from_slice(shown);
        pair.extend_from_slice(after);
        self.rows.any = true;
        if shown == written {
            return Ok((pair, pair));
        }
        original.clear();
        original.extend_from_slice(&pair[..self.source_len]);
        original.extend_from_slice(written);
        original.extend_from_slice(after);
        Ok((pair, original))
    }

    /// Returns the pair of the page with itself, if it has a key.
    pub(in crate::engine) fn self_pair(&mut self) -> Option<&[u8]> {
        let key_len = self.source_len.checked_sub(1)?;
        self.pair.truncate(self.source_len);
        self.pair.extend_from_within(..key_len);
        Some(&self.pair)
    }
}

/// Returns the URI of a message (RFC 2392).
fn mid(message_id: &[u8]) -> Vec<u8> {
    let mut uri = b"mid:".to_vec();
    for &byte in message_id {
        match byte.is_ascii_alphanumeric() || b"-._~!$&'*+=@".contains(&byte) {
            true => uri.push(byte),
            false => uri.extend_from_slice(&pct::encoded(byte)),
        }
    }
    uri
}

/// Appends `text`, with its control characters percent-encoded: no line is broken, and
/// no pair.
fn push_plain(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte.is_ascii_control() {
            true => out.extend_from_slice(&pct::encoded(byte)),
            false => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonicalize::Level;
    use crate::engine::{Builder, Mode, Sequence, Sieve, Sink, each};
    use crate::input::Source;
    use crate::item::{Finding, Spelling};
    use proptest::prelude::*;
    use std::io;
    use std::ops::ControlFlow;

    /// Returns a record of an archive with an HTTP head that has these fields.
    fn record(kind: &str, uri: &str, fields: &str) -> String {
        let body = format!("HTTP/1.1 200 OK\r\n{fields}\r\nsee http://mention.example/");
        let length = body.len();
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\n\
             Content-Type: application/http\r\nContent-Length: {length}\r\n\r\n{body}\r\n\r\n"
        )
    }

    /// Returns a field with links to these references.
    fn links(references: &[&str]) -> String {
        let links: Vec<String> = references.iter().map(|r| format!("<{r}>")).collect();
        format!("Link: {}\r\n", links.join(", "))
    }

    /// Makes keys of the last letter before the first slash after the authority.
    fn first_letter(uri: &[u8], key: &mut Vec<u8>) -> bool {
        key.clear();
        let host = uri.split(|&b| b == b'/').nth(2).unwrap_or_default();
        key.extend(host.first());
        host.first().is_some_and(u8::is_ascii_lowercase)
    }

    #[derive(Default)]
    struct PairRows(Vec<String>);

    impl PairRows {
        fn add(&mut self, finding: &Finding, spellings: &[Spelling]) {
            let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            let count = finding.count.map_or(String::new(), |n| format!("{n} "));
            let source = text(finding.source.unwrap());
            let mut row = format!("{count}{source} {}", text(finding.uri));
            for spelling in spellings {
                row += &format!(" {}={}", text(spelling.text), spelling.count);
            }
            self.0.push(row);
        }
    }

    impl Sink for PairRows {
        fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
            self.add(finding, &[]);
            Ok(ControlFlow::Continue(()))
        }

        fn group(
            &mut self,
            class: &Finding,
            spellings: &[Spelling],
        ) -> io::Result<ControlFlow<()>> {
            self.add(class, spellings);
            Ok(ControlFlow::Continue(()))
        }
    }

    fn rows(sieve: Builder<Sieve>, text: &str) -> Vec<String> {
        let mut rows = PairRows::default();
        let run = sieve
            .build()
            .run([Source::Slice(text.as_bytes())], &mut rows);
        run.unwrap();
        rows.0
    }

    fn pages() -> Builder<Sieve> {
        Sieve::builder().links(Pairs::new())
    }

    #[test]
    fn a_pair_is_one_class() {
        let text = record(
            "response",
            "http://a/",
            &links(&["/x", "http://A/x", "http://b/"]),
        ) + &record("response", "HTTP://A/", &links(&["/x"]))
            + &record("response", "http://b/", &links(&["http://a/x"]))
            + &record("warcinfo", "http://c/", "");
        let distinct = [
            "http://a/ http://a/x",
            "http://a/ http://b/",
            "http://b/ http://a/x",
        ];
        assert_eq!(rows(pages(), &text), distinct);
        let all = rows(pages().mode(Mode::All), &text);
        assert_eq!(all.len(), 5);
        let counts = [
            "3 http://a/ http://a/x",
            "1 http://a/ http://b/",
            "1 http://b/ http://a/x",
        ];
        assert_eq!(rows(pages().mode(Mode::Count), &text), counts);
        let sorted = rows(pages().sequence(Sequence::Sorted), &text);
        assert_eq!(sorted, distinct);
        let level = pages().canonicalize(Canonicalizer::new(Level::None));
        assert_eq!(rows(level, &text).len(), 5);
    }

    #[test]
    fn groups_have_the_spellings_of_a_target() {
        let text = record(
            "response",
            "http://a/",
            &links(&["http://A/x", "http://a/x"]),
        ) + &record("response", "http://b/", &links(&["http://A/x"]));
        assert_eq!(
            rows(pages().mode(Mode::Groups), &text),
            [
                "2 http://a/ http://a/x http://A/x=1 http://a/x=1",
                "1 http://b/ http://a/x http://A/x=1",
            ]
        );
    }

    #[test]
    fn nodes_replace_pages() {
        let text = record(
            "response",
            "http://a/1",
            &links(&["http://b/", "http://a/2"]),
        ) + &record("response", "http://a/2", &links(&["http://a/1"]))
            + &record("response", "http://c/", "")
            + &record("revisit", "http://d/", "")
            + &record("response", "http://1/", &links(&["http://b/"]))
            + &record("response", "urn:a-b:c", "")
            + &record("response", "http://e/", &links(&["http://1/"]));
        let nodes = || Sieve::builder().links(Pairs::new().nodes(first_letter));
        assert_eq!(rows(nodes(), &text), ["a b", "a a", "c c", "e e"]);
        let mut without = 0;
        let mut sink = each(|_| without += 1);
        let stats = nodes()
            .build()
            .run([Source::Slice(text.as_bytes())], &mut sink)
            .unwrap();
        assert_eq!((without, stats.without_node), (4, 2));
        // Pages are not reported beside selected targets.
        let selected = nodes().select(|uri| uri == b"http://b/");
        assert_eq!(rows(selected, &text), ["a b"]);
    }

    /// A sink of pairs and nothing else.
    #[derive(Default)]
    struct PairsOnly(PairRows);

    impl Sink for PairsOnly {
        fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
            assert!(finding.context.is_empty());
            self.0.finding(finding)
        }

        fn uses_only_uris(&self) -> bool {
            true
        }
    }

    /// Whatever is asked of links: those that are written as they are reported, relative ones and
    /// others give the same pairs with and without contexts, and as if each needed a closer look.
    #[test]
    fn a_sink_of_pairs_gets_no_contexts() {
        let field = "Link: <http://b/>; rel=nofollow, </x>, <../y?z>, <HTTP://c/%7e>, <http://a/d>, \
            <//e/>, <#f>, <http://b/?u=http://g/>\r\n";
        let page = "Content-Type: text/html\r\n\r\n<a href=/x><a href=x><a href='http://b/#f'>\
            <a href=//b/c rel=nofollow><img srcset='z, ../w' src='a b'><a href=/x><a href='?q'>";
        let text = record("response", "http://a/d", field)
            + &record("response", "http://b/", &links(&["http://b/", "x"]))
            + &record("response", "", &links(&["http://b/", "x"]))
            + &record("response", "http://a/d", field)
            + &record("response", "http://a/d/", page);
        let mut counts = Vec::new();
        for number in 0..1 << 5 {
            let is_set = |bit: u32| number >> bit & 1 == 1;
            let pairs = Pairs::new()
                .mentions(is_set(0))
                .followed(is_set(1))
                .without_self(is_set(2))
                .apart(is_set(3));
            let mode = if is_set(4) { Mode::All } else { Mode::Distinct };
            let sieve = || Sieve::builder().links(pairs.clone()).mode(mode);
            let wanted = rows(sieve(), &text);
            let mut found = PairsOnly::default();
            let run = sieve()
                .build()
                .run([Source::Slice(text.as_bytes())], &mut found);
            assert_eq!((&found.0.0, number), (&wanted, number));
            let looked_at = sieve().select(|_| true);
            assert_eq!((rows(looked_at, &text), number), (wanted, number));
            counts.push((found.0.0.len(), run.unwrap().occurrences));
        }
        if cfg!(feature = "html") {
            assert_eq!((counts[0], counts[31]), ((18, 26), (27, 27)));
        }
    }

    #[test]
    fn mentions_where_they_are_wanted() {
        let text = record("response", "http://a/", &links(&["http://b/?u=http://c/"]));
        let pairs = Pairs::new().mentions(true);
        assert_eq!(
            rows(Sieve::builder().links(pairs), &text),
            [
                "http://a/ http://b/?u=http://c/",
                "http://a/ http://mention.example/"
            ]
        );
        let nested = crate::delimit::Config::default().nested(true);
        assert_eq!(
            rows(pages().delimit(nested), &text),
            ["http://a/ http://b/?u=http://c/"]
        );
    }

    #[test]
    fn the_page_of_a_text() {
        let pairs = || Pairs::new().mentions(true);
        let named = pairs().names(|_| Arc::from(&b"a\tb\n"[..]));
        let text = "http://b/";
        assert_eq!(
            rows(Sieve::builder().links(named.clone()), text),
            ["a%09b%0A http://b/"]
        );
        assert_eq!(rows(Sieve::builder().links(pairs()), text), ["0 http://b/"]);
        let base = Sieve::builder().links(named).base("HTTP://a/");
        assert_eq!(rows(base, text), ["http://a/ http://b/"]);
        let nodes = Sieve::builder().links(pairs().nodes(first_letter));
        assert_eq!(rows(nodes, text).len(), 0);
    }

    #[test]
    fn pairs_have_no_secrets() {
        let text = record("response", "http://u:S@a/", &links(&["http://u:T@b/"]));
        let sieve = pages().redact(Redactor::default());
        assert_eq!(rows(sieve, &text), ["http://u:***@a/ http://u:***@b/"]);
    }

    proptest! {
        #[test]
        fn blocks_and_threads_change_nothing(
            pages in prop::collection::vec(("[ab]", prop::collection::vec("[abc]", 0..3)), 0..12),
            threads in 1usize..3, block_size in 1usize..300, all in any::<bool>(),
        ) {
            let text: String = pages.iter().map(|(page, targets)| {
                let targets: Vec<String> = targets.iter().map(|t| format!("http://{t}/")).collect();
                let targets: Vec<&str> = targets.iter().map(|t| &t[..]).collect();
                record("response", &format!("http://{page}/"), &links(&targets))
            }).collect();
            let mode = if all { Mode::All } else { Mode::Distinct };
            let nodes = || Sieve::builder().links(Pairs::new().nodes(first_letter)).mode(mode);
            let wanted = rows(nodes(), &text);
            let mut by_hand = Vec::new();
            for (page, targets) in &pages {
                let others: Vec<&String> = targets.iter().filter(|t| *t != page).collect();
                by_hand.extend(others.iter().map(|t| format!("{page} {t}")));
                if others.is_empty() {
                    by_hand.push(format!("{page} {page}"));
                }
            }
            if !all {
                let mut seen = std::collections::HashSet::new();
                by_hand.retain(|row| seen.insert(row.clone()));
            }
            prop_assert_eq!(&wanted, &by_hand);
            prop_assert_eq!(rows(nodes().threads(threads).block_size(block_size), &text), wanted);
        }
    }
}
