//! A run over catalogues: workers take turns to read batches of records, each works on its
//! own, and what they make of them is passed on in the order of the records. Records are
//! read and nothing is searched in them; what is done with them is up to the caller.

use super::batch::CatalogBatch;
use super::document::RecordReading;
use super::feed::CatalogFeed;
use crate::decode::{CatalogFormat, TableColumn};
use crate::engine::ask::memory::{RunMemory, threads_within};
use crate::engine::ask::mode::Mode;
use crate::engine::batches::batch::{BatchNext, Turn};
use crate::engine::batches::read_as::ReadAs;
use crate::engine::cancel::Cancel;
use crate::engine::error::{Error, ErrorKind};
use crate::engine::fault::Panic;
use crate::engine::lock::lock;
use crate::engine::order::crew::{Crew, CrewWork};
use crate::engine::order::deliver::{Delivery, Ordered};
use crate::engine::{Progress, Stats};
use crate::input::Source;
use crate::item::Loss;
use crate::unpack::Unpack;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of bytes of records that a worker takes at a time.
const BATCH: usize = 256 << 10;
/// The bytes of memory that a byte of a batch takes: itself, the texts of its records, what
/// is made of them.
const WEIGHT: usize = 6;

/// The work on records. Each worker has a state of its own.
///
/// ```
/// use urisieve::{CatalogBatch, CatalogWork};
/// struct Count;
/// impl CatalogWork for Count {
///     type State = ();
///     type Output = usize;
///     fn state(&self) {}
///     fn work(&self, _: &mut (), batch: &CatalogBatch, output: &mut usize) {
///         *output = batch.records().len();
///     }
/// }
/// let mut count = 7;
/// Count.work(&mut (), &CatalogBatch::default(), &mut count);
/// assert_eq!(count, 0);
/// ```
pub trait CatalogWork: Sync {
    /// The state of a worker from batch to batch.
    type State: Send;
    /// The result of a batch.
    type Output: Default + Send;

    /// Creates the state of a worker.
    fn state(&self) -> Self::State;

    /// Writes the result for a batch to `output`, which may hold the result of another one.
    fn work(&self, state: &mut Self::State, batch: &CatalogBatch, output: &mut Self::Output);
}

/// Receives the results for the records, in their order.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{CatalogBatch, CatalogSink, CatalogRun, CatalogWork};
/// use urisieve::input::Source;
/// struct Ids;
/// impl CatalogWork for Ids {
///     type State = ();
///     type Output = Vec<u8>;
///     fn state(&self) {}
///     fn work(&self, _: &mut (), batch: &CatalogBatch, output: &mut Vec<u8>) {
///         output.clear();
///         batch.records().iter().for_each(|record| output.extend_from_slice(record.id()));
///     }
/// }
/// struct All(Vec<u8>);
/// impl CatalogSink<Vec<u8>> for All {
///     fn batch(&mut self, _: &CatalogBatch, output: &mut Vec<u8>) -> io::Result<ControlFlow<()>> {
///         self.0.append(output);
///         Ok(ControlFlow::Continue(()))
///     }
/// }
/// let (sources, mut all) = ([Source::Slice(b"=001  7\n\n=001  8\n")], All(Vec::new()));
/// let stats = CatalogRun::new().run(sources, &Ids, &mut all)?;
/// assert_eq!((&all.0[..], stats.records), (&b"78"[..], 2));
/// # Ok::<(), urisieve::Error>(())
/// ```
pub trait CatalogSink<O>: Send {
    /// Takes a batch and its result. Break ends the run.
    ///
    /// # Errors
    /// Any error ends the run.
    fn batch(&mut self, batch: &CatalogBatch, output: &mut O) -> io::Result<ControlFlow<()>>;

    /// Reports a loss of the last batch: a record that is damaged, bytes that could not be
    /// unpacked.
    fn loss(&mut self, loss: &Loss) {
        let _ = loss;
    }

    /// Reports an input that could not be read, or not to its end. The run continues.
    fn error(&mut self, error: Error) {
        let _ = error;
    }

    /// Reports that an input was read to its end, and in which format.
    fn input(&mut self, input: usize, read_as: ReadAs) {
        let _ = (input, read_as);
    }

    /// Passes on all that was received so far: the input pauses.
    ///
    /// # Errors
    /// Any error ends the run.
    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }
}

/// Counts of a run over catalogues.
///
/// ```
/// assert_eq!(urisieve::CatalogStats::default().records, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CatalogStats {
    /// Bytes of the inputs, decompressed.
    pub bytes: u64,
    /// Records that were read.
    pub records: u64,
    /// Damaged places: records, parts of compressions and archives.
    pub damaged: u64,
    /// Inputs that could not be read, or not to their ends.
    pub failed: u64,
    /// Whether the sink ended the run.
    pub stopped: bool,
    /// The number of threads that did the work, where the limit of memory allowed fewer than were
    /// set; otherwise 0.
    pub fewer_threads: u64,
}

/// Reads the records of catalogues and tables, from any inputs: compressed, in archives, in
/// any format.
///
/// ```
/// use urisieve::CatalogRun;
/// let run = CatalogRun::new().threads(2).max_memory(Some(64 << 20));
/// # drop(run);
/// ```
#[derive(Clone, Debug)]
pub struct CatalogRun {
    format: Option<CatalogFormat>,
    id_column: Option<TableColumn>,
    quotes: bool,
    utf16: bool,
    decompress: bool,
    archives: bool,
    threads: usize,
    max_memory: Option<usize>,
    batch_size: usize,
    cancel: Vec<Arc<AtomicBool>>,
    progress: Option<Arc<Progress>>,
}

impl Default for CatalogRun {
    fn default() -> CatalogRun {
        CatalogRun::new()
    }
}

impl CatalogRun {
    /// Creates a run on one thread, with the defaults of each setting.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::new());
    /// ```
    pub fn new() -> CatalogRun {
        CatalogRun {
            format: None,
            id_column: None,
            quotes: true,
            utf16: false,
            decompress: true,
            archives: true,
            threads: 1,
            max_memory: None,
            batch_size: BATCH,
            cancel: Vec::new(),
            progress: None,
        }
    }

    /// The format of every input; default `None`: detected from the content of each, and
    /// an input that is no catalogue is read as a table.
    ///
    /// ```
    /// use urisieve::{decode::CatalogFormat, CatalogRun};
    /// # drop(CatalogRun::new().format(Some(CatalogFormat::Marc)));
    /// ```
    pub fn format(mut self, format: Option<CatalogFormat>) -> CatalogRun {
        self.format = format;
        self
    }

    /// The column of tables that identifies records. Rows that follow each other and have
    /// the same identifier come in one batch.
    ///
    /// ```
    /// use urisieve::{decode::TableColumn, CatalogRun};
    /// # drop(CatalogRun::new().id_column(Some(TableColumn::parse("id"))));
    /// ```
    pub fn id_column(mut self, column: Option<TableColumn>) -> CatalogRun {
        self.id_column = column;
        self
    }

    /// Whether quotes around the cells of tables do not belong to them; default yes. A table
    /// with tabs may be written without any.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::new().quotes(false));
    /// ```
    pub fn quotes(mut self, quotes: bool) -> CatalogRun {
        self.quotes = quotes;
        self
    }

    /// Whether every input is UTF-16, also without a byte-order mark; default no.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::new().utf16(true));
    /// ```
    pub fn utf16(mut self, utf16: bool) -> CatalogRun {
        self.utf16 = utf16;
        self
    }

    /// Whether compressed inputs are decompressed; default yes.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::new().decompress(false));
    /// ```
    pub fn decompress(mut self, decompress: bool) -> CatalogRun {
        self.decompress = decompress;
        self
    }

    /// Whether the members of archives are read; default yes.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::new().archives(false));
    /// ```
    pub fn archives(mut self, archives: bool) -> CatalogRun {
        self.archives = archives;
        self
    }

    /// The number of threads that do work; default 1, which starts none.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::new().threads(4));
    /// ```
    pub fn threads(mut self, threads: usize) -> CatalogRun {
        self.threads = threads.clamp(1, crate::engine::THREADS_MAX);
        self
    }

    /// The memory that the run may take, in bytes; default unlimited. A record of more than
    /// 16 MiB is not read.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::new().max_memory(Some(64 << 20)));
    /// ```
    pub fn max_memory(mut self, limit: Option<usize>) -> CatalogRun {
        self.max_memory = limit;
        self
    }

    /// The number of bytes of records that a worker takes at a time, at least; default
    /// 256 KiB. The records that are read do not depend on it.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::new().batch_size(1));
    /// ```
    pub fn batch_size(mut self, size: usize) -> CatalogRun {
        self.batch_size = size.max(1);
        self
    }

    /// Adds a flag that ends the run early once it is true.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicBool};
    /// let flag = Arc::new(AtomicBool::new(false));
    /// # drop(urisieve::CatalogRun::new().cancel(flag));
    /// ```
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> CatalogRun {
        self.cancel.push(flag);
        self
    }

    /// Counts bytes and records there while the run continues.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::{CatalogRun, Progress};
    /// # drop(CatalogRun::new().progress(Arc::new(Progress::default())));
    /// ```
    pub fn progress(mut self, progress: Arc<Progress>) -> CatalogRun {
        self.progress = Some(progress);
        self
    }

    /// Reads all records of `sources`, has `work` done on them, and passes on the results.
    ///
    /// # Errors
    /// Errors of the sink and of starting threads, and panics.
    ///
    /// ```
    /// use urisieve::{CatalogBatch, CatalogRun, CatalogSink, CatalogWork};
    /// # use std::{io, ops::ControlFlow};
    /// struct Nothing;
    /// # impl CatalogWork for Nothing {
    /// #     type State = ();
    /// #     type Output = ();
    /// #     fn state(&self) {}
    /// #     fn work(&self, _: &mut (), _: &CatalogBatch, _: &mut ()) {}
    /// # }
    /// # impl CatalogSink<()> for Nothing {
    /// #     fn batch(&mut self, _: &CatalogBatch, _: &mut ()) -> io::Result<ControlFlow<()>> {
    /// #         Ok(ControlFlow::Continue(()))
    /// #     }
    /// # }
    /// let stats = CatalogRun::new().run([], &Nothing, &mut Nothing)?;
    /// assert_eq!(stats.records, 0);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn run<'s, W: CatalogWork, S: CatalogSink<W::Output>>(
        &self,
        sources: impl IntoIterator<Item = Source<'s>, IntoIter: Send + 's>,
        work: &W,
        sink: &mut S,
    ) -> Result<CatalogStats, Error> {
        let threads = threads_within(self.max_memory, self.threads);
        let unpack = Unpack {
            decompress: self.decompress,
            containers: self.archives,
            ..Unpack::default()
        };
        // Nothing is written there.
        let temp_dir = std::env::temp_dir();
        let modes = (Mode::All, unpack);
        let memory = RunMemory::new(self.max_memory, &temp_dir, (threads, 1), modes);
        let reading = RecordReading {
            format: self.format,
            id_column: self.id_column.clone(),
            quotes: self.quotes,
            utf16: self.utf16,
            unpack: Unpack {
                windows: memory.windows,
                ..unpack
            },
            batch: self.batch_size,
        };
        let cancel = Cancel::new(&self.cancel);
        let feed = CatalogFeed::new(sources.into_iter(), reading, cancel.clone());
        let work = RecordsWork {
            feed: Mutex::new(feed),
            writer: Mutex::new(CatalogWriter {
                sink,
                progress: self.progress.as_deref(),
                stats: CatalogStats::default(),
                failed: None,
            }),
            spare: Mutex::default(),
            work,
        };
        let crew = Crew {
            work,
            delivery: Delivery::new(threads, true, memory.queue / WEIGHT),
            cancel,
        };
        crew.run(threads)?;
        let writer = crew.work.writer.into_inner();
        let mut state = writer.unwrap_or_else(PoisonError::into_inner);
        if threads < self.threads {
            state.stats.fewer_threads = threads as u64;
        }
        match state.failed {
            Some(error) => Err(error),
            None => Ok(state.stats),
        }
    }
}

/// The work on the records of catalogues, as that of a crew.
struct RecordsWork<'r, 's, W: CatalogWork, S> {
    feed: Mutex<CatalogFeed<'s>>,
    writer: Mutex<CatalogWriter<'r, S>>,
    /// Batches that were passed on, whose memory may be used again.
    spare: Mutex<Vec<WorkedBatch<W::Output>>>,
    work: &'r W,
}

/// A batch and its result.
#[derive(Default)]
struct WorkedBatch<O> {
    batch: CatalogBatch,
    output: O,
}

impl<O> Ordered for WorkedBatch<O> {
    fn turn(&self) -> Turn {
        Turn {
            block: self.batch.number,
            ..Turn::default()
        }
    }

    fn next(&self) -> BatchNext {
        BatchNext::Block
    }

    fn held(&self) -> usize {
        self.batch.weight()
    }
}

impl<'r, W: CatalogWork, S: CatalogSink<W::Output>> CrewWork for RecordsWork<'r, '_, W, S> {
    type Batch = WorkedBatch<W::Output>;
    type Writer = CatalogWriter<'r, S>;

    fn work_on(&self, crew: &Crew<Self>, input: &mut usize) {
        let mut state = self.work.state();
        while crew.delivery.wait_for_memory() {
            let mut worked = lock(&self.spare).pop().unwrap_or_default();
            {
                let mut feed = lock(&self.feed);
                *input = feed.input();
                if !feed.fill(&mut worked.batch) {
                    return;
                }
                crew.delivery.announce(worked.held());
            }
            *input = worked.batch.input;
            let WorkedBatch { batch, output } = &mut worked;
            self.work.work(&mut state, batch, output);
            crew.hand_in(worked);
        }
    }

    fn writer(&self) -> &Mutex<CatalogWriter<'r, S>> {
        &self.writer
    }

    fn write(
        &self,
        writer: &mut CatalogWriter<'r, S>,
        worked: &mut WorkedBatch<W::Output>,
    ) -> bool {
        writer.pass_on(&worked.batch, &mut worked.output)
    }

    fn recycle(&self, worked: WorkedBatch<W::Output>) {
        lock(&self.spare).push(worked);
    }

    fn fail(&self, writer: &mut CatalogWriter<'r, S>, panic: &Panic, input: usize) {
        let error = panic.error(input, "in a record");
        writer.failed.get_or_insert(error);
    }

    fn stop(&self) {}
}

/// Passes batches on to the sink, and counts them.
struct CatalogWriter<'r, S> {
    sink: &'r mut S,
    progress: Option<&'r Progress>,
    stats: CatalogStats,
    failed: Option<Error>,
}

impl<S> CatalogWriter<'_, S> {
    /// Returns whether the run continues.
    fn pass_on<O>(&mut self, batch: &CatalogBatch, output: &mut O) -> bool
    where
        S: CatalogSink<O>,
    {
        self.stats.bytes += batch.bytes.len() as u64;
        self.stats.records += batch.count as u64;
        self.stats.damaged += batch.losses.len() as u64;
        self.stats.failed += batch.errors.len() as u64;
        let mut result = self.sink.batch(batch, output);
        if matches!(result, Ok(ControlFlow::Continue(()))) {
            batch.losses.iter().for_each(|loss| self.sink.loss(loss));
            let errors = batch.errors.iter().map(Error::again);
            errors.for_each(|error| self.sink.error(error));
            if let Some(read_as) = batch.ended {
                self.sink.input(batch.input, read_as);
            }
            if batch.pauses || batch.ended.is_some() {
                result = self.sink.flush();
            }
        }
        if let Some(progress) = self.progress {
            let mut stats = Stats::default();
            stats.bytes = batch.bytes.len() as u64;
            stats.occurrences = batch.count as u64;
            progress.add(&stats, batch.stored, 0);
        }
        match result {
            Ok(ControlFlow::Continue(())) => true,
            Ok(ControlFlow::Break(())) => {
                self.stats.stopped = true;
                false
            }
            Err(cause) => {
                let error = Error::new(ErrorKind::Write, cause);
                self.failed.get_or_insert(error);
                false
            }
        }
    }
}
