//! A run: prepares what the configuration asks for, has a crew do the work, and reports
//! what is known only at the end.

use super::formatting::Formatting;
use super::search_work::{SearchCrew, SearchWork};
use super::spare::SpareBatches;
use crate::dedup::{Fingerprinter, Hasher, RecordTail};
use crate::engine::ask::config::RunConfig;
use crate::engine::ask::effects::wrong_settings;
use crate::engine::ask::lists::{InputReading, Lists};
use crate::engine::ask::memory::{RunMemory, threads_within};
use crate::engine::ask::mode::Mode;
use crate::engine::ask::sequence::{self, Sequence};
use crate::engine::batches::lines::LineCount;
use crate::engine::cancel::Cancel;
use crate::engine::claim::ahead::DecodeAhead;
use crate::engine::claim::blocks::InputOpener;
use crate::engine::claim::window::{Window, open_inputs_max};
use crate::engine::fault;
use crate::engine::order::crew::Crew;
use crate::engine::order::deliver::Delivery;
use crate::engine::order::fingerprint_set::FingerprintSet;
use crate::engine::order::known_set::{KnownSet, KnownTurn};
use crate::engine::order::live_set::LiveSet;
use crate::engine::order::numbering::Numbering;
use crate::engine::order::shards::Shards;
use crate::engine::read::handoff::Handoff;
use crate::engine::read::reasons::Reasons;
use crate::engine::read::worker::{Worker, log_reader};
use crate::engine::report::counts::Classes;
use crate::engine::report::kept::Kept;
use crate::engine::report::late::InputStarts;
use crate::engine::report::seen::{SeenClasses, SeenKeys};
use crate::engine::report::write::{InputReports, ReportSettings, Rest, SinkWriter, Watched};
use crate::engine::{Error, Sink, Stats};
use crate::input::Source;
use crate::store::Charge;
use crate::unpack::Unpack;
use std::sync::{Arc, Mutex, PoisonError};

/// The memory of keys that become known while a run goes on, where there is no limit.
const LIVE_MOST: usize = 256 << 20;

/// Runs as `config` says, and gives what is found to `sink`. The engine is compiled once, not for
/// each type of iterator.
pub(in crate::engine) fn run<'s>(
    config: &RunConfig,
    sources: Box<dyn Iterator<Item = Source<'s>> + Send + 's>,
    sink: &mut (dyn Sink + Send),
) -> Result<Stats, Error> {
    run_crew(config, sources, sink, |crew, threads| crew.run(threads))
}

/// Does the same on this thread alone.
pub(in crate::engine) fn run_here<'s>(
    config: &RunConfig,
    sources: Box<dyn Iterator<Item = Source<'s>> + 's>,
    sink: &mut dyn Sink,
) -> Result<Stats, Error> {
    if config.reading.threads > 1 {
        let cause = "threads has no effect: the run is on the thread of the caller";
        return Err(wrong_settings(cause.to_owned()));
    }
    run_crew(config, sources, sink, |crew, _| {
        crew.run_here();
        Ok(())
    })
}

/// Runs a crew, which `start` has do its work with a number of threads.
fn run_crew<'s, K, I>(
    config: &RunConfig,
    sources: Box<I>,
    sink: &mut K,
    start: impl FnOnce(&SearchCrew<'_, 's, K, I>, usize) -> Result<(), Error>,
) -> Result<Stats, Error>
where
    K: Sink + ?Sized,
    I: Iterator<Item = Source<'s>> + ?Sized,
{
    config.check_effects()?;
    let hasher = Hasher::new();
    let counting = matches!(config.keys.mode, Mode::Count | Mode::Groups);
    let most = config.report.most.filter(|_| !counting);
    let mode = match most {
        Some(_) => Mode::All,
        None => config.keys.mode,
    };
    let seen = match config.keys.mode {
        Mode::All => (config.report.known_inputs > 0 || config.memory.known.is_some())
            .then_some(SeenClasses::Known),
        _ => (mode != config.keys.mode).then_some(SeenClasses::Any),
    };
    // Counted classes are reported from the sets, which need their keys.
    let fingerprinter = (config.memory.fingerprints && !counting).then(Fingerprinter::new);
    let tail = RecordTail {
        unit: config.keys.per.is_some() && counting,
        inputs: config.keys.sources && counting,
        span: config.keys.times && counting,
    };
    let cancel = Cancel::new(&config.reading.cancel);
    let lists = Arc::new(Lists::new(config));
    // Findings that are reported at the end have no line.
    let has_lines = config.report.lines && !counting;
    let sequence = sequence::of_mode(config.report.sequence, config.keys.mode);
    // Lines, and findings up to a limit, can only be counted in order, and the first of a
    // class is only known in order; known inputs come before all others.
    let in_order = has_lines || most.is_some() || config.report.known_inputs > 0 || counting;
    let ordered = sequence != Sequence::Unordered || in_order;
    let sequence = match sequence {
        Sequence::Unordered if ordered => Sequence::Seen,
        sequence => sequence,
    };
    let temp_dir = config
        .memory
        .temp_dir
        .clone()
        .unwrap_or_else(std::env::temp_dir);
    let threads = threads_within(config.memory.max_memory, config.reading.threads);
    let mut stats = Stats::default();
    if threads < config.reading.threads {
        stats.fewer_threads = threads as u64;
    }
    let inputs = open_inputs_max(threads);
    let memory = RunMemory::new(
        config.memory.max_memory,
        &temp_dir,
        (threads, inputs),
        (config.keys.mode, config.reading.unpack),
    );
    let coding_window = memory.windows.coding;
    let (hasher, texts) = (&hasher, Arc::clone(&lists));
    let without_contexts = sink.uses_only_uris() && !counting;
    // A key is a URI, unless it is a pair.
    let only_uris = sink.uses_only_uris() && config.keys.pairs.is_none();
    let make = Box::new(move || {
        let worker = Worker {
            coding_window,
            ..Worker::new(config, mode, hasher, &texts)
        };
        match without_contexts {
            true => worker.without_contexts(),
            false => worker,
        }
    });
    let unpack = Unpack {
        windows: memory.windows,
        ..config.reading.unpack
    };
    let reading = InputReading::by(config, unpack);
    let opener = InputOpener {
        size: config.reading.block_size,
        cancel: cancel.clone(),
        reading,
        text_reading: reading.of_text(),
        lists: Arc::clone(&lists),
        #[cfg(feature = "parquet")]
        fields: Arc::clone(&config.reading.fields),
        ahead: Arc::new(DecodeAhead::new(threads, memory.ahead)),
        pieces: Arc::default(),
        line_reader: log_reader(config),
    };
    let seen = seen.map(|seen| {
        let charge = Charge::new(&memory.budget);
        let known = config.memory.known.clone();
        SeenKeys::new(seen, hasher.clone(), fingerprinter.clone(), charge).beside(known)
    });
    // One thread would copy the records once more.
    let is_formatted = threads > 1 && most.is_none() && seen.is_none() && !counting;
    let formatter = sink
        .formatter()
        .filter(|_| is_formatted && sequence != Sequence::Sorted);
    let formatting = formatter.map(|formatter| Formatting {
        formatter,
        all: mode == Mode::All,
        known: config.report.known_inputs,
        numbering: has_lines.then(Numbering::default),
        lists: Arc::clone(&lists),
        spare: Mutex::default(),
    });
    let work = SearchWork {
        window: Window::new(sources, inputs, opener),
        handoff: Handoff::default(),
        shards: (mode != Mode::All).then(|| {
            let spelled = config.keys.mode == Mode::Groups;
            // The shards alone have it: the last of them uses it.
            let all_later = Arc::default();
            Shards::new(threads, (ordered, spelled, tail), |shards| {
                // In order, the rest of a deferred finding waits elsewhere.
                let records = !ordered;
                if let Some(known) = &config.memory.known
                    && known.remembered().is_some()
                    && !counting
                {
                    let most = memory.budget.limit().min(LIVE_MOST) / shards;
                    return Box::new(LiveSet::new(Arc::clone(known), most));
                }
                let set = match config.memory.sets {
                    Some(make) => make(counting),
                    None => {
                        memory.set(shards, (counting, tail), records || fingerprinter.is_some())
                    }
                };
                let set = match fingerprinter.clone() {
                    None => set,
                    Some(fingerprinter) => {
                        let fingerprint = move |key: &[u8]| fingerprinter.of(key);
                        Box::new(FingerprintSet::new(set, fingerprint, records))
                    }
                };
                match config.memory.known.clone() {
                    None => set,
                    Some(known) => {
                        let turn = match config.keys.mode {
                            Mode::Count => KnownTurn::AtEnd,
                            Mode::Groups => KnownTurn::BeforeSet,
                            _ => KnownTurn::AfterSet,
                        };
                        let memory = (&memory, shards, records);
                        Box::new(KnownSet::new(set, (known, &all_later), turn, memory))
                    }
                }
            })
        }),
        writer: Mutex::new(SinkWriter {
            sink: Watched::new(sink),
            settings: ReportSettings {
                mode,
                ordered,
                lists: Arc::clone(&lists),
                threads,
                known: config.report.known_inputs,
                most,
                fingerprints: fingerprinter.is_some(),
                known_keys: config.memory.known.clone(),
                cancel: cancel.clone(),
                progress: config.report.progress.clone(),
            },
            memory: memory.clone(),
            stats,
            lines: has_lines.then(LineCount::default),
            position: 0,
            kept: Kept::new(sequence, (counting, only_uris), &memory).with_tail(tail),
            starts: InputStarts::default(),
            defers: false,
            asks_at_end: config.keys.mode == Mode::Count && config.memory.known.is_some(),
            seen,
            inputs: InputReports::default(),
            end: None,
        }),
        spare: SpareBatches::default(),
        formatting,
        is_limited: most.is_some(),
        lists,
        make,
    };
    let crew = Crew {
        work,
        delivery: Delivery::new(threads, ordered, memory.queue),
        cancel,
    };
    start(&crew, threads)?;
    let SearchWork {
        window,
        shards,
        writer,
        ..
    } = crew.work;
    let mut writer = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The iterator over the inputs may be the caller's, and may panic even now.
    if let Err(panic) = fault::catch(|| drop(window)) {
        writer.fail(&panic, "after all inputs were read");
    }
    writer.finish(Rest {
        classes: Classes {
            sequence,
            top: config.report.top,
            known_inputs: config.report.known_inputs,
        },
        sets: shards.map_or_else(|| Some(Vec::new()), Shards::into_sets),
        hasher,
        reasons: config
            .report
            .reasons
            .then(|| Reasons::new(&config.keys.canonicalizer, config.search.refang)),
    })
}
