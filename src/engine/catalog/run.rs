//! A run over catalogues: workers take turns to read batches of records, each works on its
//! own, and what they make of them is passed on in the order of the records. Records are
//! read and nothing is searched in them; what is done with them is up to the caller.

use super::batch::CatalogBatch;
use super::document::RecordReading;
use super::feed::CatalogFeed;
use crate::decode::{CatalogFormat, TableColumn};
use crate::engine::ask::memory::{RunMemory, threads_within};
use crate::engine::ask::mode::Mode;
use crate::engine::batches::read_as::ReadAs;
use crate::engine::cancel::Cancel;
use crate::engine::error::{Error, ErrorKind};
use crate::engine::fault;
use crate::engine::lock::lock;
use crate::engine::{Progress, Stats};
use crate::input::Source;
use crate::item::Loss;
use crate::unpack::Unpack;
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The number of bytes of records that a worker takes at a time.
const BATCH: usize = 256 << 10;
/// The bytes of memory that a byte of a batch takes: itself, the texts of its records, what
/// is made of them.
const WEIGHT: usize = 6;

/// The work on records. Each worker has a state of its own.
///
/// ```
/// use urisieve::engine::{CatalogBatch, CatalogWork};
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

    /// Writes what is to be made of a batch to `output`, which may have what was made of
    /// another one.
    fn work(&self, state: &mut Self::State, batch: &CatalogBatch, output: &mut Self::Output);
}

/// Receives what was made of the records, in their order.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::engine::{CatalogBatch, CatalogSink, CatalogRun, CatalogWork};
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
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
pub trait CatalogSink<O>: Send {
    /// Takes a batch and what was made of it. Break ends the run.
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

    /// Passes on what was received so far: the input pauses.
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
/// assert_eq!(urisieve::engine::CatalogStats::default().records, 0);
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
    /// How many threads did the work, where the limit of memory allowed fewer than were
    /// set; otherwise 0.
    pub fewer_threads: u64,
}

/// Reads the records of catalogues and tables, from any inputs: compressed, in archives, in
/// any format.
///
/// ```
/// use urisieve::engine::CatalogRun;
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
    cancel: Option<Arc<AtomicBool>>,
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
    /// # drop(urisieve::engine::CatalogRun::new());
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
            cancel: None,
            progress: None,
        }
    }

    /// The format of every input; default `None`: detected from the content of each, and
    /// what is no catalogue is read as a table.
    ///
    /// ```
    /// use urisieve::{decode::CatalogFormat, engine::CatalogRun};
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
    /// use urisieve::{decode::TableColumn, engine::CatalogRun};
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
    /// # drop(urisieve::engine::CatalogRun::new().quotes(false));
    /// ```
    pub fn quotes(mut self, quotes: bool) -> CatalogRun {
        self.quotes = quotes;
        self
    }

    /// Whether every input is UTF-16, also without a byte-order mark; default no.
    ///
    /// ```
    /// # drop(urisieve::engine::CatalogRun::new().utf16(true));
    /// ```
    pub fn utf16(mut self, utf16: bool) -> CatalogRun {
        self.utf16 = utf16;
        self
    }

    /// Whether compressed inputs are decompressed; default yes.
    ///
    /// ```
    /// # drop(urisieve::engine::CatalogRun::new().decompress(false));
    /// ```
    pub fn decompress(mut self, decompress: bool) -> CatalogRun {
        self.decompress = decompress;
        self
    }

    /// Whether the members of archives are read; default yes.
    ///
    /// ```
    /// # drop(urisieve::engine::CatalogRun::new().archives(false));
    /// ```
    pub fn archives(mut self, archives: bool) -> CatalogRun {
        self.archives = archives;
        self
    }

    /// The number of threads that do work; default 1, which starts none.
    ///
    /// ```
    /// # drop(urisieve::engine::CatalogRun::new().threads(4));
    /// ```
    pub fn threads(mut self, threads: usize) -> CatalogRun {
        self.threads = threads.clamp(1, crate::engine::THREADS_MAX);
        self
    }

    /// The memory that the run may take, in bytes; default unlimited. A record of more than
    /// 16 MiB is not read.
    ///
    /// ```
    /// # drop(urisieve::engine::CatalogRun::new().max_memory(Some(64 << 20)));
    /// ```
    pub fn max_memory(mut self, limit: Option<usize>) -> CatalogRun {
        self.max_memory = limit;
        self
    }

    /// The number of bytes of records that a worker takes at a time, at least; default
    /// 256 KiB. It changes nothing in what is read.
    ///
    /// ```
    /// # drop(urisieve::engine::CatalogRun::new().batch_size(1));
    /// ```
    pub fn batch_size(mut self, size: usize) -> CatalogRun {
        self.batch_size = size.max(1);
        self
    }

    /// Ends the run early once the flag is true.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicBool};
    /// let flag = Arc::new(AtomicBool::new(false));
    /// # drop(urisieve::engine::CatalogRun::new().cancel(flag));
    /// ```
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> CatalogRun {
        self.cancel = Some(flag);
        self
    }

    /// Counts bytes and records there while the run continues.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::engine::{CatalogRun, Progress};
    /// # drop(CatalogRun::new().progress(Arc::new(Progress::default())));
    /// ```
    pub fn progress(mut self, progress: Arc<Progress>) -> CatalogRun {
        self.progress = Some(progress);
        self
    }

    /// Reads all records of `sources`, has `work` done on them, and passes on what comes of
    /// it.
    ///
    /// # Errors
    /// Those of the sink and of starting threads, and panics.
    ///
    /// ```
    /// use urisieve::engine::{CatalogBatch, CatalogRun, CatalogSink, CatalogWork};
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
    /// # Ok::<(), urisieve::engine::Error>(())
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
        let cancel = Cancel::new(self.cancel.clone());
        let feed = CatalogFeed::new(sources.into_iter(), reading, cancel.clone());
        let crew = CatalogCrew {
            feed: Mutex::new(feed),
            queue: Mutex::default(),
            has_room: Condvar::new(),
            room: memory.queue / WEIGHT,
            sink: Mutex::new(SinkState {
                sink,
                progress: self.progress.as_deref(),
                stats: CatalogStats::default(),
                failed: None,
            }),
            work,
            cancel,
        };
        if threads == 1 {
            crew.work_all();
        } else {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool =
                pool.map_err(|cause| Error::new(ErrorKind::Threads, io::Error::other(cause)))?;
            pool.broadcast(|_| crew.work_all());
        }
        let state = crew.sink.into_inner();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if threads < self.threads {
            state.stats.fewer_threads = threads as u64;
        }
        match state.failed {
            Some(error) => Err(error),
            None => Ok(state.stats),
        }
    }
}

/// What the workers share. A worker holds at most one of the locks, except that the one
/// who writes takes that of the queue while it has the sink.
struct CatalogCrew<'r, 's, W: CatalogWork, S> {
    feed: Mutex<CatalogFeed<'s>>,
    queue: Mutex<CatalogQueue<W::Output>>,
    /// A batch was passed on, or the run stops.
    has_room: Condvar,
    /// The number of bytes of records that may be under way.
    room: usize,
    sink: Mutex<SinkState<'r, S>>,
    work: &'r W,
    cancel: Cancel,
}

/// The batches that wait for their turn.
struct CatalogQueue<O> {
    ready: BTreeMap<u64, (CatalogBatch, O)>,
    /// The number of the batch that is passed on next.
    next: u64,
    /// A worker passes on batches.
    is_writing: bool,
    /// The number of batches and bytes that were read but not passed on.
    under_way: (usize, usize),
    /// Batches and outputs that may be used again.
    spare: Vec<(CatalogBatch, O)>,
    is_stopped: bool,
}

impl<O> Default for CatalogQueue<O> {
    fn default() -> CatalogQueue<O> {
        CatalogQueue {
            ready: BTreeMap::new(),
            next: 0,
            is_writing: false,
            under_way: (0, 0),
            spare: Vec::new(),
            is_stopped: false,
        }
    }
}

struct SinkState<'r, S> {
    sink: &'r mut S,
    progress: Option<&'r Progress>,
    stats: CatalogStats,
    failed: Option<Error>,
}

impl<W: CatalogWork, S: CatalogSink<W::Output>> CatalogCrew<'_, '_, W, S> {
    fn work_all(&self) {
        let mut input = 0;
        if let Err(panic) = fault::catch(|| self.work_on(&mut input)) {
            let error = panic.error(input, "in a record");
            lock(&self.sink).failed.get_or_insert(error);
            self.stop();
        }
    }

    fn work_on(&self, input: &mut usize) {
        let mut state = self.work.state();
        while let Some((mut batch, mut output)) = self.spare() {
            {
                let mut feed = lock(&self.feed);
                *input = feed.input();
                if lock(&self.queue).is_stopped || !feed.fill(&mut batch) {
                    return;
                }
                let mut queue = lock(&self.queue);
                queue.under_way.0 += 1;
                queue.under_way.1 += batch.weight();
            }
            *input = batch.input;
            self.work.work(&mut state, &batch, &mut output);
            self.deliver(batch, output);
        }
    }

    /// Waits until another batch may be read. Returns `None` when the run stops.
    fn spare(&self) -> Option<(CatalogBatch, W::Output)> {
        let mut queue = lock(&self.queue);
        // The batch that is next is under way, and its worker waits for nobody.
        while !queue.is_stopped && queue.under_way.0 > 0 && queue.under_way.1 >= self.room {
            queue = self
                .has_room
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        (!queue.is_stopped).then(|| queue.spare.pop().unwrap_or_default())
    }

    /// Passes on all batches whose turn it is, unless another worker does.
    fn deliver(&self, batch: CatalogBatch, output: W::Output) {
        let mut queue = lock(&self.queue);
        queue.ready.insert(batch.number, (batch, output));
        if std::mem::replace(&mut queue.is_writing, true) {
            return;
        }
        loop {
            let next = queue.next;
            let Some((batch, mut output)) = queue.ready.remove(&next) else {
                queue.is_writing = false;
                return;
            };
            queue.next += 1;
            drop(queue);
            let (weight, goes_on) = (batch.weight(), self.pass_on(&batch, &mut output));
            if !goes_on {
                return self.stop();
            }
            queue = lock(&self.queue);
            queue.under_way.0 -= 1;
            queue.under_way.1 -= weight;
            queue.spare.push((batch, output));
            self.has_room.notify_all();
        }
    }

    /// Returns whether the run continues.
    fn pass_on(&self, batch: &CatalogBatch, output: &mut W::Output) -> bool {
        let mut state = lock(&self.sink);
        let state = &mut *state;
        state.stats.bytes += batch.bytes.len() as u64;
        state.stats.records += batch.count as u64;
        state.stats.damaged += batch.losses.len() as u64;
        state.stats.failed += batch.errors.len() as u64;
        let mut result = state.sink.batch(batch, output);
        if matches!(result, Ok(ControlFlow::Continue(()))) {
            batch.losses.iter().for_each(|loss| state.sink.loss(loss));
            let errors = batch.errors.iter().map(Error::again);
            errors.for_each(|error| state.sink.error(error));
            if let Some(read_as) = batch.ended {
                state.sink.input(batch.input, read_as);
            }
            if batch.pauses || batch.ended.is_some() {
                result = state.sink.flush();
            }
        }
        if let Some(progress) = state.progress {
            let mut stats = Stats::default();
            stats.bytes = batch.bytes.len() as u64;
            stats.occurrences = batch.count as u64;
            progress.add(&stats, batch.stored, 0);
        }
        match result {
            Ok(ControlFlow::Continue(())) => true,
            Ok(ControlFlow::Break(())) => {
                state.stats.stopped = true;
                false
            }
            Err(cause) => {
                let error = Error::new(ErrorKind::Write, cause);
                state.failed.get_or_insert(error);
                false
            }
        }
    }

    /// Ends all waits and all reading.
    fn stop(&self) {
        self.cancel.finish_all();
        lock(&self.queue).is_stopped = true;
        self.has_room.notify_all();
    }
}
