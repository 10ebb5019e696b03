//! A run over catalogues: workers take turns to read batches of records, each works on its
//! own, and what they make of them is passed on in the order of the records. Records are
//! read and nothing is searched in them; what is done with them is up to the caller.

use super::batch::CatalogBatch;
use super::document::RecordReading;
use super::feed::CatalogFeed;
use crate::engine::ask::config::{CatalogConfig, RunConfig};
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
use std::sync::{Mutex, PoisonError};

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
/// let stats = CatalogRun::builder().build().run(sources, &Ids, &mut all)?;
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
/// let run = CatalogRun::builder().threads(2).build();
/// # drop(run);
/// ```
#[derive(Clone, Debug)]
pub struct CatalogRun {
    pub(in crate::engine) config: RunConfig,
}

impl CatalogRun {
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
    /// let stats = CatalogRun::builder().build().run([], &Nothing, &mut Nothing)?;
    /// assert_eq!(stats.records, 0);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn run<'s, W: CatalogWork, S: CatalogSink<W::Output>>(
        &self,
        sources: impl IntoIterator<Item = Source<'s>, IntoIter: Send + 's>,
        work: &W,
        sink: &mut S,
    ) -> Result<CatalogStats, Error> {
        let RunConfig {
            reading,
            memory,
            report,
            ..
        } = &self.config;
        let threads = threads_within(memory.max_memory, reading.threads);
        // Nothing is written there.
        let temp_dir = std::env::temp_dir();
        let modes = (Mode::All, reading.unpack);
        let memory = RunMemory::new(memory.max_memory, &temp_dir, (threads, 1), modes);
        let cancel = Cancel::new(&reading.cancel);
        let CatalogConfig {
            format,
            id_column,
            quotes,
        } = reading.catalog.clone();
        let records = RecordReading {
            format,
            id_column,
            quotes,
            utf16: reading.utf16,
            unpack: Unpack {
                windows: memory.windows,
                ..reading.unpack
            },
            batch: reading.block_size,
        };
        let feed = CatalogFeed::new(sources.into_iter(), records, cancel.clone());
        let work = RecordsWork {
            feed: Mutex::new(feed),
            writer: Mutex::new(CatalogWriter {
                sink,
                progress: report.progress.as_deref(),
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
        if threads < reading.threads {
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
