//! The settings of all kinds of work: a [`Builder`](crate::engine::Builder) sets them, a run
//! follows them. The methods of the builder document the fields.

use super::mode::{Mode, Select};
use crate::canonicalize::{Canonicalizer, Redactor};
#[cfg(feature = "marc")]
use crate::decode::{CatalogFormat, TableColumn};
use crate::decode::{DataFields, ExpectedFormat, InputFormat, Layout, LogFormat};
use crate::dedup::{KnownKeys, Membership};
use crate::delimit;
use crate::engine::{CountBy, CountPer, ExchangeFilter, Pairs, Progress, RecordFilter, Sequence};
use crate::indicators::Matcher;
use crate::item::{IdentifierKinds, Problems, UtcOffset};
use crate::syntax::resolve::Rules;
use crate::unpack::Unpack;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Most threads: beyond it a machine only waits for itself.
pub const THREADS_MAX: usize = 512;

/// The settings of a finder, a sieve or a run over catalogues.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct RunConfig {
    pub search: SearchConfig,
    pub keys: KeyConfig,
    pub report: ReportConfig,
    pub memory: MemoryConfig,
    pub reading: ReadingConfig,
}

/// The URIs and references that are found.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct SearchConfig {
    pub delimit: delimit::Config,
    pub abbreviated: bool,
    pub identifiers: IdentifierKinds,
    pub refang: bool,
    pub rules: Rules,
    pub base: Option<Arc<[u8]>>,
    pub logs: LogFormat,
    pub records: RecordFilter,
    pub layout: Option<Layout>,
    pub layouts: HashMap<usize, Layout>,
}

/// The key of each, and which are kept.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct KeyConfig {
    pub canonicalizer: Canonicalizer,
    pub mode: Mode,
    pub by: Option<CountBy>,
    pub per: Option<CountPer>,
    pub pairs: Option<Pairs>,
    pub select: Select,
    /// Lists of which an entry must match.
    pub matcher: Option<Arc<Matcher>>,
    /// Whether findings have the entries that match them.
    pub matched: bool,
    pub problems: Problems,
    pub redactor: Option<Redactor>,
    pub exchanges: ExchangeFilter,
    pub requests: bool,
    pub times: bool,
    pub sources: bool,
    pub originals: bool,
}

/// The report: which findings, in which order, with what beside them.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct ReportConfig {
    pub sequence: Option<Sequence>,
    pub top: Option<usize>,
    pub most: Option<u64>,
    pub known_inputs: usize,
    pub lines: bool,
    pub without_positions: bool,
    pub reasons: bool,
    pub progress: Option<Arc<Progress>>,
}

/// The sets of keys and their memory.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct MemoryConfig {
    /// The memory that the run may take, in bytes.
    pub max_memory: Option<usize>,
    /// The directory of the temporary file with the keys that exceed it.
    pub temp_dir: Option<PathBuf>,
    /// Creates the sets in place of those that the memory of the run determines; the
    /// argument is whether the set counts.
    pub sets: Option<fn(bool) -> Box<dyn Membership>>,
    /// Whether fingerprints are compared in place of keys.
    pub fingerprints: bool,
    /// The keys that are known before the run.
    pub known: Option<Arc<dyn KnownKeys>>,
}

/// The settings by which inputs are read.
#[derive(Clone, Debug)]
pub(in crate::engine) struct ReadingConfig {
    pub unpack: Unpack,
    pub utf16: bool,
    /// Whether no text is UTF-16 or UTF-32.
    pub never_wide: bool,
    pub format: Option<&'static InputFormat>,
    /// Which fields of data are searched.
    pub fields: Arc<DataFields>,
    /// The offset of times that state none.
    pub zone: UtcOffset,
    /// How records of catalogues are read.
    #[cfg(feature = "marc")]
    pub catalog: CatalogConfig,
    pub block_size: usize,
    pub threads: usize,
    /// Reading ends once one of these is true.
    pub cancel: Vec<Arc<AtomicBool>>,
}

impl ReadingConfig {
    /// Returns what is known of the format of every input. With `fragments` any element of
    /// HTML begins a document.
    pub(in crate::engine) fn expected(&self, fragments: bool) -> ExpectedFormat {
        ExpectedFormat {
            chosen: self.format,
            named: None,
            is_text: false,
            fragments,
            implied: self.fields.implies().and_then(InputFormat::named),
        }
    }
}

impl Default for ReadingConfig {
    fn default() -> ReadingConfig {
        ReadingConfig {
            unpack: Unpack::default(),
            utf16: false,
            never_wide: false,
            format: None,
            fields: Arc::default(),
            zone: UtcOffset::UTC,
            #[cfg(feature = "marc")]
            catalog: CatalogConfig::default(),
            block_size: 256 << 10,
            threads: 1,
            cancel: Vec::new(),
        }
    }
}

/// How records of catalogues are read.
#[cfg(feature = "marc")]
#[derive(Clone, Debug)]
pub(in crate::engine) struct CatalogConfig {
    pub format: Option<CatalogFormat>,
    pub id_column: Option<TableColumn>,
    pub quotes: bool,
}

#[cfg(feature = "marc")]
impl Default for CatalogConfig {
    fn default() -> CatalogConfig {
        CatalogConfig {
            format: None,
            id_column: None,
            quotes: true,
        }
    }
}
