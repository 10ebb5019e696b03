//! `open`: inputs of any format as record batches. A thread runs the sieve and sends batches.
//! Python code, such as `read` of a file object, runs in the thread that asks for the next
//! batch, so that no other thread needs the interpreter.

use crate::arrow::batches::{Batches, Shape};
use crate::arrow::export::{PyRecordBatch, table_field};
use crate::boundary::{self, message};
use crate::calls::inputs::{InputSource, Inputs, ObjectAt, ObjectReader, read_chunk, read_part};
use crate::running::{GLANCE, bug, guarded, os_error, run_error};
use crate::settings::given::wrong_value;
use crate::settings::options::{OF_EXCHANGES, Options};
use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::SchemaRef;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple};
use std::io;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use urisieve::decode::RECORD_MAX;
use urisieve::item::{Finding, Loss, LossKind, Spelling};
use urisieve::links::Node;
use urisieve::output::LinkFields;
use urisieve::{Error, ErrorKind, input::Source};
use urisieve::{Mode, Sieve, Sink};

/// The number of batches that wait to be taken.
const WAITING: usize = 2;

/// The URIs that were found in the inputs, as record batches.
///
/// A reader is an iterator of `RecordBatch`, and has `__arrow_c_stream__`:
/// `pyarrow.table(reader)`, `polars.DataFrame(reader)` and `duckdb.sql("from reader")` read
/// all batches.
///
/// >>> import io, urisieve
/// >>> reader = urisieve.open(io.BytesIO(b"http://a.example/ HTTP://A.example/"))
/// >>> [row["uri"] for batch in reader for row in batch.to_pylist()]
/// ['http://a.example/']
/// >>> reader.losses
/// []
#[pyclass(name = "Reader", module = "urisieve", frozen)]
pub(crate) struct Reader {
    schema: SchemaRef,
    losses: Losses,
    /// Empty when the reader is closed.
    run: Arc<Mutex<Option<Run>>>,
}

type Losses = Arc<Mutex<Vec<LossRecord>>>;

/// A run of the sieve on its thread.
struct Run {
    messages: Receiver<Message>,
    files: Vec<FileObject>,
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// The process that has the thread.
    process: u32,
}

/// A file object, and where its bytes are sent.
struct FileObject {
    object: Py<PyAny>,
    bytes: Sender<io::Result<Vec<u8>>>,
}

/// A message of the thread of a run.
enum Message {
    Batch(RecordBatch),
    /// The file object with this number has to be read.
    Read(usize),
    /// This number of bytes of it has to be read from an offset on.
    ReadAt(usize, u64, usize),
    /// The run has ended, by this exception, if any.
    End(Option<PyErr>),
}

/// Something that could not be read.
struct LossRecord {
    file: Arc<[u8]>,
    offset: Option<u64>,
    kind: &'static str,
    cause: String,
}

/// Opens `source`, or a range of its bytes, for batches with the columns that are `named`, or all.
pub(crate) fn open(
    options: &Options,
    (source, bytes): (&Bound<'_, PyAny>, Option<Range<u64>>),
    named: Option<&[String]>,
) -> PyResult<Reader> {
    let mut inputs = Inputs::default();
    for path in &options.against {
        inputs.add_known(options, path)?;
    }
    let known = inputs.sources.len();
    if source.is_instance_of::<PyList>() || source.is_instance_of::<PyTuple>() {
        for one in source.try_iter()? {
            inputs.add(options, &one?)?;
        }
    } else {
        inputs.add(options, source)?;
    }
    if bytes.is_some() && inputs.sources.len() != known + 1 {
        return Err(wrong_value("byte_range", "only with one file"));
    }
    let cancel = Arc::<AtomicBool>::default();
    let names: Arc<[Arc<[u8]>]> = Arc::from(inputs.names);
    let (shape, sieve) = plan(options, &cancel, (&names, known), named)?;
    let batches = Batches::new(shape, named)?;
    let (send, messages) = mpsc::sync_channel(WAITING);
    let (mut files, mut readers) = (Vec::new(), Vec::new());
    for (number, object) in inputs.objects.into_iter().enumerate() {
        let (sends, receive) = mpsc::channel();
        let messages = send.clone();
        let len = match bytes.is_some() {
            true => length_of(object.bind(source.py()))?,
            false => None,
        };
        files.push(FileObject {
            object,
            bytes: sends,
        });
        readers.push(Some(match len {
            Some(len) => {
                let asks = move |offset, len| {
                    let message = Message::ReadAt(number, offset, len);
                    messages.send(message).is_ok()
                };
                Source::At(Arc::new(ObjectAt::new(receive, asks)), len)
            }
            None => {
                let asks = move || messages.send(Message::Read(number)).is_ok();
                Source::Reader(Box::new(ObjectReader::new(receive, asks)))
            }
        }));
    }
    let mut sources: Vec<Source<'static>> = inputs
        .sources
        .into_iter()
        .map(|source| match source {
            InputSource::Path(path) => Source::Path(path),
            InputSource::Failed(cause) => Source::Failed(cause),
            InputSource::Object(number) => readers[number]
                .take()
                .unwrap_or_else(|| Source::Failed(io::ErrorKind::NotFound.into())),
        })
        .collect();
    if let Some(bytes) = bytes
        && let Some(last) = sources.pop()
    {
        sources.push(last.range(bytes));
    }
    let losses = Losses::default();
    let schema = batches.schema();
    let mut sink = BatchSink {
        batches,
        names,
        losses: Arc::clone(&losses),
        messages: send.clone(),
        longest: options.max_length,
        marks: !options.links || options.nofollow == "mark",
    };
    let work = move || {
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let ran = sieve.run(sources, &mut sink);
            (sink.finish(), ran)
        }));
        let _ = send.send(Message::End(match ran {
            Ok((_, Err(error))) => Some(run_error(&error)),
            Ok((Err(error), Ok(_))) => Some(os_error(&error, None)),
            Ok((Ok(()), Ok(_))) => None,
            Err(panic) => Some(bug(message(&*panic))),
        }));
    };
    let started = thread::Builder::new()
        .name("urisieve".to_owned())
        .spawn(work);
    let run = Run {
        messages,
        files,
        cancel,
        thread: Some(started.map_err(|error| os_error(&error, None))?),
        process: std::process::id(),
    };
    Ok(Reader {
        schema,
        losses,
        run: Arc::new(Mutex::new(Some(run))),
    })
}

/// Returns the number of bytes of a file object, if it can be read at any offset.
fn length_of(object: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    let can_seek = object.hasattr("seekable")? && object.call_method0("seekable")?.is_truthy()?;
    // The offsets of a file of text are not bytes.
    let is_binary = || {
        object
            .call_method1("read", (0,))
            .map(|read| read.is_instance_of::<PyBytes>())
    };
    match can_seek && is_binary()? {
        true => object.call_method1("seek", (0, 2))?.extract().map(Some),
        false => Ok(None),
    }
}

/// Returns the table that is filled, and the sieve that fills it.
fn plan(
    options: &Options,
    cancel: &Arc<AtomicBool>,
    (names, known): (&Arc<[Arc<[u8]>]>, usize),
    named: Option<&[String]>,
) -> PyResult<(Shape, Sieve)> {
    // Values without a column are not computed. Links have neither a line nor a
    // spelling.
    let wanted_any = |is_field: &dyn Fn(&str) -> bool| {
        let any = |named: &[String]| named.iter().any(|name| is_field(name));
        !options.links && named.is_none_or(any)
    };
    let wanted = |fields: [&str; 2]| wanted_any(&|name| fields.contains(&name));
    let mut sieve = options
        .of_inputs(cancel)
        .originals(wanted(["original", "original_b64"]))
        .lines(wanted(["line", "column"]) && !options.counts())
        .known_inputs(known);
    let links = ["node", "valid_tld", "weights", "nofollow", "mentions"];
    if !options.links {
        options.reject("open, but with links=True", &links)?;
        sieve = sieve
            .exchanges(options.exchanges())
            .matched(wanted(["match", "match_list"]))
            .requests(wanted_any(&|name| name.starts_with("request.")))
            .times(wanted(["first_seen", "last_seen"]) && options.counts())
            .sources(
                wanted(["sources"; 2]) && options.mode == Mode::Count && options.part().is_none(),
            );
        let shape = match options.part() {
            Some(part) => Shape::Parts(part.name()),
            None => Shape::Findings,
        };
        return Ok((shape, sieve.build()));
    }
    options.reject("links", &["groups", "by"])?;
    options.reject("links", &OF_EXCHANGES[1..])?;
    let names = Arc::clone(names);
    let name = move |input: usize| names.get(input).cloned().unwrap_or_default();
    sieve = options.linking(sieve, name);
    let fields = LinkFields {
        nodes: options.node != Node::Page,
        counts: options.mode == Mode::Count,
        marks: options.nofollow == "mark",
        weights: options.weights,
    };
    Ok((Shape::Links(fields), sieve.build()))
}

/// Fills batches, and sends them.
struct BatchSink {
    batches: Batches,
    names: Arc<[Arc<[u8]>]>,
    losses: Losses,
    messages: SyncSender<Message>,
    /// The longest URI that is reported.
    longest: usize,
    /// Whether rows state that a link must not be followed.
    marks: bool,
}

impl BatchSink {
    fn name(&self, input: usize) -> Arc<[u8]> {
        self.names.get(input).cloned().unwrap_or_default()
    }

    fn send(&mut self) -> io::Result<ControlFlow<()>> {
        let batch = self.batches.take().map_err(io::Error::other)?;
        Ok(match self.messages.send(Message::Batch(batch)) {
            Ok(()) => ControlFlow::Continue(()),
            // The reader was dropped.
            Err(_) => ControlFlow::Break(()),
        })
    }

    /// Sends the last rows.
    ///
    /// # Errors
    /// The errors of making a batch.
    fn finish(&mut self) -> io::Result<()> {
        match self.batches.is_empty() {
            true => Ok(()),
            false => self.send().map(drop),
        }
    }

    fn lose(&self, input: usize, offset: Option<u64>, kind: &'static str, cause: String) {
        let file = self.name(input);
        let mut losses = self.losses.lock().unwrap_or_else(PoisonError::into_inner);
        losses.push(LossRecord {
            file,
            offset,
            kind,
            cause,
        });
    }
}

impl Sink for BatchSink {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        let input = match finding.uri.try_into() {
            // If inputs are counted, the key is the number of an input.
            Ok(number) if self.batches.counts_inputs() => u64::from_be_bytes(number) as usize,
            _ => finding.input,
        };
        let name = self.names.get(input).map_or(&[][..], |name| name);
        let mut marked;
        let mut row = finding;
        if !self.marks && finding.context.link.is_some_and(|link| link.nofollow) {
            marked = *finding;
            if let Some(link) = &mut marked.context.link {
                link.nofollow = false;
            }
            row = &marked;
        }
        self.batches.push(row, name);
        match self.batches.is_full() {
            true => self.send(),
            false => Ok(ControlFlow::Continue(())),
        }
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        for spelling in spellings {
            let mut row = *class;
            row.original = spelling.text;
            row.count = Some(spelling.count);
            if self.finding(&row)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        let cause = match loss.kind {
            LossKind::TooLong => format!("a URI longer than {} bytes", self.longest),
            LossKind::RecordTooLong => {
                format!("a record longer than {RECORD_MAX} bytes is skipped")
            }
            LossKind::Unseen(damage) => {
                format!("looks like {}; {}", damage.container, damage.cause)
            }
            kind => match kind.damage() {
                Some(damage) => damage.to_string(),
                None => "data is lost".to_owned(),
            },
        };
        self.lose(loss.input, Some(loss.offset), loss.kind.code(), cause);
    }

    fn error(&mut self, error: Error) {
        let (input, offset, kind) = match error.kind() {
            ErrorKind::Open(input) => (input, None, "open"),
            ErrorKind::Read(input, at) | ErrorKind::ReadStored(input, at) => {
                (input, Some(at), "read")
            }
            ErrorKind::Column(input) => (input, None, "column"),
            ErrorKind::Panic(input) => (input, None, "panic"),
            _ => (usize::MAX, None, "error"),
        };
        self.lose(input, offset, kind, error.cause().to_string());
    }
}

impl Run {
    /// Returns the next batch; `None` at the end.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        if self.process != std::process::id() {
            let why = "the reader belongs to the process that opened it; open it after the fork";
            return Err(PyRuntimeError::new_err(why));
        }
        loop {
            let messages = Mutex::new(&mut self.messages);
            let next = py.detach(|| {
                let messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
                messages.recv_timeout(GLANCE)
            });
            match next {
                Ok(Message::Batch(batch)) => return Ok(Some(batch)),
                Ok(Message::Read(number)) => self.read(py, number, read_chunk)?,
                Ok(Message::ReadAt(number, offset, len)) => {
                    self.read(py, number, |file| read_part(file, offset, len))?;
                }
                Ok(Message::End(raised)) => return raised.map_or(Ok(None), Err),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }

    /// Reads from a file object, for the thread that waits for it.
    fn read<'py>(
        &self,
        py: Python<'py>,
        number: usize,
        read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<Vec<u8>>,
    ) -> PyResult<()> {
        let Some(file) = self.files.get(number) else {
            return Ok(());
        };
        let chunk = match read(file.object.bind(py)) {
            Ok(chunk) => Ok(chunk),
            // An error of an input is a loss.
            Err(raised) if raised.is_instance_of::<PyException>(py) => {
                Err(io::Error::other(raised.to_string()))
            }
            Err(raised) => return Err(raised),
        };
        // If the run has ended, the chunk is not needed.
        let _ = file.bytes.send(chunk);
        Ok(())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        let thread = self.thread.take();
        if self.process != std::process::id() {
            // The thread is in another process.
            std::mem::forget(thread);
            return;
        }
        self.files.clear();
        // A message without a receiver ends the run.
        let (_, nothing) = mpsc::sync_channel(0);
        drop(std::mem::replace(&mut self.messages, nothing));
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Reader {
    fn next(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let Ok(mut run) = self.run.try_lock() else {
            return Err(PyValueError::new_err(
                "the reader is in use by another thread",
            ));
        };
        let Some(running) = run.as_mut() else {
            return Ok(None);
        };
        let next = running.next(py);
        if !matches!(next, Ok(Some(_))) {
            let ended = run.take();
            py.detach(|| drop(ended));
        }
        next
    }
}

#[pymethods]
impl Reader {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyRecordBatch>> {
        guarded(|| Ok(self.next(py)?.map(PyRecordBatch)))
    }

    /// The losses so far, as dictionaries with `file`, `offset`, `kind`, `cause`.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let losses = self.losses.lock().unwrap_or_else(PoisonError::into_inner);
        for loss in losses.iter() {
            let record = PyDict::new(py);
            record.set_item("file", String::from_utf8_lossy(&loss.file))?;
            record.set_item("offset", loss.offset)?;
            record.set_item("kind", loss.kind)?;
            record.set_item("cause", &loss.cause)?;
            list.append(record)?;
        }
        Ok(list)
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// All further batches, in a capsule; types that are asked for are not heeded.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        this: Py<Self>,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let field = table_field(&this.get().schema);
        let batches = std::iter::from_fn(move || {
            Python::attach(|py| {
                let next = guarded(|| this.get().next(py));
                let array = |batch: RecordBatch| -> ArrayRef { Arc::new(StructArray::from(batch)) };
                next.transpose().map(|batch| batch.map(array))
            })
        });
        boundary::export_stream(py, field, Box::new(batches))
    }

    /// The columns and their types, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        boundary::export_schema(py, &table_field(&self.schema))
    }

    /// Ends the run; there are no further batches.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Ok(mut run) = self.run.try_lock() else {
            return Err(PyValueError::new_err(
                "the reader is in use by another thread",
            ));
        };
        let ended = run.take();
        py.detach(|| drop(ended));
        Ok(())
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}
