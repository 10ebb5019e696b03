//! The state of one worker: the stages with their buffers. It is sequential and without I/O,
//! and every worker is a clone. The files beside it use it: `parts` splits a block, `content`
//! reads records, `search` searches texts.

use super::content::steps::StepOutputs;
use super::keys::{Contexts, KeyIntake, Repeats};
use super::matching::Matching;
use super::page;
use super::pair_intake::PairIntake;
use super::recent::Recent;
#[cfg(feature = "html")]
use super::search::prefilter::SearchedColons;
use super::search::prefilter::scanner;
use super::stated::{ExchangeUses, Stated};
use super::units::CountUnits;
use crate::canonicalize::{Canonicalizer, Redactor};
use crate::decode::{
    ContentReading, FormatReading, LineReader, Mentions, Refanged, ValuePositions, WideLines,
};
use crate::dedup::Hasher;
use crate::delimit::{Cleaning, Delimiter, InnerUris};
use crate::engine::CountBy;
use crate::engine::ask::config::{RunConfig, SearchConfig};
use crate::engine::ask::lists::Lists;
use crate::engine::ask::mode::Mode;
use crate::engine::ask::record_filter::RecordFilter;
use crate::engine::batches::line_state::LineState;
use crate::item::IdentifierKinds;
use crate::scan::Scanner;
use crate::syntax::resolve::Rules;
use crate::unpack::WindowBound;
use std::sync::Arc;

/// The stages, with their buffers.
#[derive(Clone)]
pub(in crate::engine) struct Worker {
    pub scanner: Arc<Scanner>,
    pub delimiter: Delimiter,
    /// Judges the references of markup, which are those of the URL Standard.
    pub page_delimiter: Delimiter,
    pub canonicalizer: Canonicalizer,
    /// Whether only what is valid by RFC 3986 is a URI, also in lists.
    pub strict: bool,
    /// The identifiers that are found without a scheme.
    pub identifiers: IdentifierKinds,
    pub keys: KeyIntake,
    pub count_lines: bool,
    /// Which inputs are lists, and not texts.
    pub lists: Arc<Lists>,
    /// The text as it is scanned, where defanged URIs are read (R1).
    pub refanged: Option<Refanged>,
    /// Whether lines may be UTF-16: not in lists and texts in memory.
    pub reads_wide: bool,
    /// Whether no line is UTF-16.
    pub never_wide: bool,
    /// The text in which such lines are decoded.
    pub wide_lines: WideLines,
    /// The rules by which relative references are resolved.
    pub rules: Rules,
    pub buffers: Buffers,
    /// Names of header fields that held references.
    pub headers: Vec<Arc<[u8]>>,
    /// The settings by which content is decoded.
    pub reading: FormatReading,
    /// The base of documents that do not state their own URI.
    pub base: Option<Arc<[u8]>>,
    /// Which records are read.
    pub records: Arc<RecordFilter>,
    /// Whether archives in mail are split.
    pub splits_archives: bool,
    /// The greatest window of content codings.
    pub coding_window: WindowBound,
    /// Whether findings are the parts of a line that are written again (I29): the target of a
    /// request, without what is nested in it, and its query where that is a field of its own.
    pub shows_parts: bool,
    /// Reads the lines of logs; `None` where all lines are text.
    pub logs: Option<Box<LineReader>>,
    /// The state of the lines of the current text.
    pub lines: LineState,
}

/// Returns the reader of log lines, unless lines are not read as requests: in lists, and where
/// links are reported.
pub(in crate::engine) fn log_reader(config: &RunConfig) -> Option<Box<LineReader>> {
    let SearchConfig {
        layout, logs, base, ..
    } = &config.search;
    if logs.is_off() || layout.is_some() || config.keys.pairs.is_some() {
        return None;
    }
    let reader = LineReader::new(logs.clone(), base.as_deref(), config.reading.zone);
    Some(Box::new(reader))
}

/// The buffers between a URI as it was found and its key.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Buffers {
    pub canonical: Vec<u8>,
    pub prefixed: Vec<u8>,
    pub defanged: Vec<u8>,
    /// The start of a URI without the secrets that go on behind it.
    pub hidden: Vec<u8>,
    /// The text that begins with a nested URI.
    pub whole: Vec<u8>,
    pub nested: NestedBuffers,
    /// Buffers for bytes whose codings are undone.
    pub pieces: Vec<Vec<u8>>,
    /// Memory for the events of decoders: one for each body that is decoded in another.
    pub outputs: Vec<StepOutputs>,
    pub cleaning: Cleaning,
    pub resolved: Vec<u8>,
    pub resolved_cleaning: Cleaning,
    #[cfg(feature = "html")]
    pub last_base: page::LastBase,
}

/// The buffers of nested URIs.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct NestedBuffers {
    pub inner: InnerUris,
    pub canonical: Vec<u8>,
    pub prefixed: Vec<u8>,
    pub whole: Vec<u8>,
    pub hidden: Vec<u8>,
}

impl Worker {
    /// Makes a worker by `config`, but one that treats equal URIs as `mode` says.
    pub(in crate::engine) fn new(
        config: &RunConfig,
        mode: Mode,
        hasher: &Hasher,
        lists: &Arc<Lists>,
    ) -> Worker {
        let counts = matches!(config.keys.mode, Mode::Count | Mode::Groups);
        let by = config
            .keys
            .by
            .filter(|_| config.keys.mode == Mode::Count && config.keys.pairs.is_none());
        let pairs = config.keys.pairs.as_ref();
        let pairs = pairs
            .map(|pairs| PairIntake::new(pairs, &config.keys.canonicalizer, &config.search.base));
        let without_colon = config.search.abbreviated
            || config.search.refang
            || !config.search.identifiers.is_empty();
        let mentions = match (&pairs, without_colon) {
            (Some(pairs), _) if !pairs.mentions() => Mentions::None,
            (_, true) => Mentions::All,
            (_, false) => Mentions::WithColon,
        };
        let scanner = Arc::new(scanner(&config.search));
        #[cfg(feature = "html")]
        let stops = Arc::new(SearchedColons::new(&scanner, &config.search));
        #[cfg(not(feature = "html"))]
        let stops = Arc::clone(&scanner);
        let delimit = config.search.delimit.clone();
        let stated = Stated::new(ExchangeUses {
            is_kept: config.keys.requests,
            is_timed: config.keys.times && counts,
            is_counted: by.is_some_and(CountBy::is_of_requests),
            hides_client: config
                .keys
                .redactor
                .as_ref()
                .is_some_and(Redactor::hides_clients),
            filter: Some(config.keys.exchanges.clone()).filter(|filter| !filter.is_empty()),
        });
        let mut logs = log_reader(config);
        if let Some(reader) = &mut logs {
            reader.reads_exchange = stated.reads_exchanges();
            reader.reads_referer = !stated.wants_requests_alone();
        }
        Worker {
            scanner,
            identifiers: config.search.identifiers,
            page_delimiter: Delimiter::new(
                delimit
                    .clone()
                    .refang(config.search.refang)
                    .special_relative(page::RULES.are_of_urls()),
            ),
            delimiter: Delimiter::new(
                delimit
                    .refang(config.search.refang)
                    .special_relative(config.search.rules.are_of_urls()),
            ),
            canonicalizer: config.keys.canonicalizer.clone(),
            keys: KeyIntake {
                repeats: Repeats {
                    hasher: hasher.clone(),
                    recent: (mode != Mode::All).then(Recent::new),
                    mode,
                    of_pairs: pairs.is_some(),
                    units: CountUnits::new(config.keys.per.filter(|_| counts)),
                },
                pairs,
                by,
                keep_original: (config.keys.originals && by.is_none())
                    || config.keys.mode == Mode::Groups,
                select: config.keys.select.clone(),
                matching: config.keys.matcher.as_ref().map(|matcher| {
                    Box::new(Matching::new(Arc::clone(matcher), config.keys.matched))
                }),
                problems: config.keys.problems,
                redactor: config.keys.redactor.clone(),
                unwraps: config.keys.canonicalizer.has_gateways(),
                canonicalizer: config.keys.canonicalizer.clone(),
                unwrapped: Default::default(),
                outer: Vec::new(),
                stated,
                redacted: Default::default(),
                made: Default::default(),
                added: false,
                contexts: Contexts::Kept,
                entered: Default::default(),
                is_unasked: false,
                is_plain: false,
            }
            .settled(),
            // Findings that are reported at the end have no line.
            count_lines: config.report.lines && !counts,
            lists: Arc::clone(lists),
            refanged: config.search.refang.then(Refanged::new),
            reads_wide: false,
            never_wide: config.reading.never_wide,
            wide_lines: WideLines::default(),
            rules: config.search.rules,
            strict: config.search.delimit.is_strict(),
            buffers: Buffers::default(),
            headers: Vec::new(),
            reading: FormatReading {
                format: config.reading.format,
                zone: config.reading.zone,
                content: ContentReading {
                    mentions,
                    fields: Arc::clone(&config.reading.fields),
                    media_types: config.search.records.media_types().clone(),
                    shows_records: config.keys.per.is_some() && counts,
                    logs: logs.as_deref().map(|reader| Arc::new(reader.clone())),
                    positions: match config.report.without_positions {
                        true => ValuePositions::Unnamed,
                        false => ValuePositions::Named,
                    },
                    stops,
                },
            },
            base: config.search.base.clone(),
            records: Arc::new(config.search.records.clone()),
            coding_window: config.reading.unpack.windows.coding,
            splits_archives: config.reading.unpack.containers,
            shows_parts: false,
            logs,
            lines: LineState::default(),
        }
    }

    /// Keeps no records, messages and documents as contexts of findings. Positions that are asked
    /// for are still read: what they lack is counted. Pairs still need the page of each link.
    pub(in crate::engine) fn without_contexts(mut self) -> Worker {
        if self.keys.pairs.is_some() {
            self.keys.contexts = Contexts::OfPages;
            return self;
        }
        self.keys.contexts = Contexts::Unused;
        let positions = &mut self.reading.content.positions;
        if *positions == ValuePositions::Unnamed {
            *positions = ValuePositions::None;
        }
        self
    }

    /// Whether the text of the lines of requests is searched, and not only what they state.
    pub(in crate::engine) fn searches_text_of_requests(&self) -> bool {
        !self.keys.stated.wants_requests_alone()
    }

    /// Whether `text` may have URIs: something may begin one.
    pub(in crate::engine) fn may_have_uris(&self, text: &[u8]) -> bool {
        self.scanner.finds_any(text) || self.may_be_refanged(text)
    }

    /// Whether `text` may have URIs outside of parts of it; `is_inside` is called with an offset.
    pub(in crate::engine) fn may_have_uris_outside(
        &self,
        text: &[u8],
        is_inside: impl Fn(usize) -> bool,
    ) -> bool {
        self.scanner.finds_outside(text, is_inside) || self.may_be_refanged(text)
    }

    fn may_be_refanged(&self, text: &[u8]) -> bool {
        self.refanged.is_some() && Refanged::has_marks(text)
    }

    /// The base of documents whose URI is not known; empty without one.
    pub(in crate::engine) fn document_base(&self) -> &[u8] {
        self.base.as_deref().unwrap_or_default()
    }

    /// Forgets the keys that were found last. The next block is before them.
    pub(in crate::engine) fn forget_recent(&mut self) {
        if let Some(recent) = &mut self.keys.repeats.recent {
            recent.forget();
        }
    }
}
