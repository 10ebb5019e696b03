//! The settings of a [`Sieve`](crate::engine::Sieve): its builder sets them, a run follows
//! them. The methods of the builder document the fields.

use super::mode::{Mode, Select};
use crate::canonicalize::{Canonicalizer, Redactor};
use crate::decode::{InputFormat, Layout};
use crate::dedup::Membership;
use crate::delimit;
use crate::engine::{CountBy, Pairs, Progress, RecordFilter, Sequence};
use crate::item::{IdentifierKinds, Problems};
use crate::syntax::resolve::Rules;
use crate::unpack::Unpack;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Most threads: beyond it a machine only waits for itself.
pub const THREADS_MAX: usize = 512;

/// The settings of a sieve.
#[derive(Clone, Debug)]
pub(in crate::engine) struct RunConfig {
    pub delimit: delimit::Config,
    pub abbreviated: bool,
    pub identifiers: IdentifierKinds,
    pub refang: bool,
    pub rules: Rules,
    pub layout: Option<Layout>,
    pub known_inputs: usize,
    pub layouts: HashMap<usize, Layout>,
    pub canonicalizer: Canonicalizer,
    pub mode: Mode,
    /// Creates the sets in place of those that the memory of the run determines; the
    /// argument is whether the set counts.
    pub sets: Option<fn(bool) -> Box<dyn Membership>>,
    /// Whether fingerprints are compared in place of keys.
    pub fingerprints: bool,
    /// The memory that the run may take, in bytes.
    pub max_memory: Option<usize>,
    /// Where what exceeds it is written.
    pub temp_dir: Option<PathBuf>,
    pub by: Option<CountBy>,
    pub pairs: Option<Pairs>,
    pub base: Option<Arc<[u8]>>,
    pub records: RecordFilter,
    pub sequence: Option<Sequence>,
    pub top: Option<usize>,
    pub most: Option<u64>,
    pub redactor: Option<Redactor>,
    pub originals: bool,
    pub lines: bool,
    pub select: Select,
    pub problems: Problems,
    pub reasons: bool,
    pub cancel: Option<Arc<AtomicBool>>,
    pub progress: Option<Arc<Progress>>,
    pub threads: usize,
    pub block_size: usize,
    pub unpack: Unpack,
    pub utf16: bool,
    pub format: Option<&'static InputFormat>,
}

impl Default for RunConfig {
    fn default() -> RunConfig {
        RunConfig {
            delimit: delimit::Config::default(),
            abbreviated: false,
            identifiers: IdentifierKinds::NONE,
            refang: false,
            rules: Rules::default(),
            layout: None,
            known_inputs: 0,
            layouts: HashMap::new(),
            canonicalizer: Canonicalizer::default(),
            mode: Mode::default(),
            sets: None,
            fingerprints: false,
            max_memory: None,
            temp_dir: None,
            by: None,
            pairs: None,
            base: None,
            records: RecordFilter::default(),
            sequence: None,
            top: None,
            most: None,
            redactor: None,
            originals: false,
            lines: false,
            select: Select::default(),
            problems: Problems::NONE,
            reasons: false,
            cancel: None,
            progress: None,
            threads: 1,
            block_size: 256 << 10,
            unpack: Unpack::default(),
            utf16: false,
            format: None,
        }
    }
}
