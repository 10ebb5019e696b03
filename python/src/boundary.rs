//! The boundary between Rust and C: the UTF-8 of a `str`, a search that owns the object it
//! searches, and Arrow's C data and stream interfaces in capsules. This file has all
//! `unsafe` code.

#![allow(unsafe_code)]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, NullArray, make_array};
use arrow_schema::{ArrowError, DataType, FieldRef};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyString};
use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use urisieve::{Finder, Match, Matches};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

unsafe extern "C" {
    /// Part of the stable ABI from 3.10 on, and a function of the same signature in 3.9,
    /// whose ABI no longer changes.
    fn PyUnicode_AsUTF8AndSize(
        text: *mut ffi::PyObject,
        size: *mut ffi::Py_ssize_t,
    ) -> *const c_char;
}

/// Returns the UTF-8 of `text`, which Python keeps with the string.
///
/// # Errors
/// `UnicodeEncodeError`, when the string has a lone surrogate.
pub(crate) fn utf8<'t>(text: &'t Bound<'_, PyString>) -> PyResult<&'t [u8]> {
    let mut size = 0;
    // SAFETY: `text` is a `str`, and this thread is attached to the interpreter.
    let start = unsafe { PyUnicode_AsUTF8AndSize(text.as_ptr(), &raw mut size) };
    if start.is_null() {
        return Err(PyErr::fetch(text.py()));
    }
    // SAFETY: the buffer has `size` bytes, and is neither freed nor changed as long as
    // the string exists, to which `text` refers.
    Ok(unsafe { std::slice::from_raw_parts(start.cast(), size.unsigned_abs()) })
}

/// A search of a text that belongs to a Python object.
pub(crate) struct HeldMatches {
    /// Dropped before `_owner`.
    matches: Matches<'static>,
    _owner: Py<PyAny>,
}

impl HeldMatches {
    /// Searches `bytes`, which belong to `owner`: a `bytes` object, or a `str`.
    pub(crate) fn new(finder: &Finder, bytes: &[u8], owner: Py<PyAny>) -> HeldMatches {
        // SAFETY: the bytes of immutable objects do not change, and live as long as the
        // object, which is kept until the search is dropped.
        let bytes: &'static [u8] =
            unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
        HeldMatches {
            matches: finder.find(bytes),
            _owner: owner,
        }
    }

    pub(crate) fn next(&mut self) -> Option<Match<'_>> {
        self.matches.next()
    }
}

fn failed(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("Arrow: {error}"))
}

/// Takes the array out of the two capsules of `__arrow_c_array__`.
///
/// # Errors
/// `ValueError`, when the capsules hold another structure, or one that was already
/// taken.
pub(crate) fn import_array(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> PyResult<ArrayRef> {
    let schema = schema.pointer_checked(Some(SCHEMA))?;
    let array = array.pointer_checked(Some(ARRAY))?;
    // SAFETY: a capsule of this name holds such a structure, by the PyCapsule interface. The
    // structure that is taken out is marked as released in the capsule.
    let array = unsafe { FFI_ArrowArray::from_raw(array.cast().as_ptr()) };
    if array.is_released() {
        return Err(PyValueError::new_err("Arrow: the array was taken already"));
    }
    // SAFETY: as above; the capsule outlives this function.
    let schema: &FFI_ArrowSchema = unsafe { schema.cast().as_ref() };
    let kind = DataType::try_from(schema).map_err(failed)?;
    // SAFETY: the producer promises that array and schema fit.
    unsafe { imported(array, &kind) }.map_err(failed)
}

/// Returns an array of the C data interface, which is of the type `kind`.
///
/// # Safety
/// The array must have the buffers that `kind` has.
unsafe fn imported(array: FFI_ArrowArray, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    if kind == &DataType::Null {
        // It has no buffers, but some producers export one.
        return Ok(Arc::new(NullArray::new(array.len())));
    }
    // SAFETY: the caller promises it.
    let mut data = unsafe { from_ffi_and_data_type(array, kind.clone()) }?;
    data.align_buffers();
    Ok(make_array(data))
}

/// Takes all arrays out of the capsule of `__arrow_c_stream__`; their producer may need the
/// interpreter, so its lock is released.
///
/// # Errors
/// `ValueError`, when the capsule holds another structure or the producer fails.
pub(crate) fn import_stream(stream: &Bound<'_, PyCapsule>) -> PyResult<(DataType, Vec<ArrayRef>)> {
    let py = stream.py();
    let stream = stream.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds such a structure, by the PyCapsule interface. The
    // structure that is taken out is marked as released in the capsule.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
    py.detach(|| {
        let kind = stream_type(&mut stream)?;
        let mut arrays = Vec::new();
        while let Some(array) = next_array(&mut stream, &kind)? {
            arrays.push(array);
        }
        Ok((kind, arrays))
    })
    .map_err(failed)
}

/// Returns the type of the arrays of a stream, which may have none.
fn stream_type(stream: &mut FFI_ArrowArrayStream) -> Result<DataType, ArrowError> {
    let failed = |why: &str| ArrowError::CDataInterface(why.to_owned());
    let get = stream.get_schema();
    let get = get.ok_or_else(|| failed("the stream was taken already"))?;
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the callback is that of this stream, and `schema` has room for a schema.
    match unsafe { get(stream, &raw mut schema) } {
        0 => DataType::try_from(&schema),
        _ => Err(failed("the stream does not say what it is")),
    }
}

/// Returns the next array of a stream; `None` at its end.
fn next_array(
    stream: &mut FFI_ArrowArrayStream,
    kind: &DataType,
) -> Result<Option<ArrayRef>, ArrowError> {
    let failed = |why: &str| ArrowError::CDataInterface(why.to_owned());
    let next = stream.get_next();
    let next = next.ok_or_else(|| failed("the stream was taken already"))?;
    let mut array = FFI_ArrowArray::empty();
    // SAFETY: the callback is that of this stream, and `array` has room for an array.
    let code = unsafe { next(stream, &raw mut array) };
    if code == 0 {
        return match array.is_released() {
            true => Ok(None),
            // SAFETY: the producer promises that its arrays have the type of the stream.
            false => unsafe { imported(array, kind) }.map(Some),
        };
    }
    let Some(last_error) = stream.get_last_error() else {
        return Err(failed("the producer of the stream fails"));
    };
    // SAFETY: the callback is that of this stream, whose last call failed.
    let why = unsafe { last_error(stream) };
    if why.is_null() {
        return Err(failed("the producer of the stream fails"));
    }
    // SAFETY: the text ends with NUL, and is valid until the next call.
    Err(failed(&unsafe { CStr::from_ptr(why) }.to_string_lossy()))
}

/// Returns a capsule for `__arrow_c_schema__`.
pub(crate) fn export_schema<'py>(
    py: Python<'py>,
    field: &FieldRef,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(field.as_ref()).map_err(failed)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Returns the capsules for `__arrow_c_array__`.
pub(crate) fn export_array<'py>(
    py: Python<'py>,
    field: &FieldRef,
    array: &ArrayRef,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let schema = export_schema(py, field)?;
    let array = FFI_ArrowArray::new(&array.to_data());
    Ok((schema, PyCapsule::new_with_value(py, array, ARRAY)?))
}

/// The arrays of a stream; an exception ends them.
pub(crate) type Arrays = Box<dyn Iterator<Item = PyResult<ArrayRef>> + Send>;

/// Returns a capsule for `__arrow_c_stream__`.
pub(crate) fn export_stream<'py>(
    py: Python<'py>,
    field: FieldRef,
    arrays: Arrays,
) -> PyResult<Bound<'py, PyCapsule>> {
    let state = Box::new(StreamState {
        field,
        arrays,
        error: CString::default(),
        raised: Raised::default(),
    });
    // SAFETY: the callbacks below keep to the stream interface; `private_data` is a
    // `StreamState` until `release_stream` frees it and clears itself.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(stream_schema),
            Some(stream_next),
            Some(stream_error),
            Some(release_stream),
            Box::into_raw(state).cast(),
        )
    };
    PyCapsule::new_with_value(py, stream, STREAM)
}

struct StreamState {
    field: FieldRef,
    arrays: Arrays,
    /// The text of the last error.
    error: CString,
    /// The exception that ended the arrays, until it is raised.
    raised: Raised,
}

/// An exception that is not raised yet.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// An error of a callback: its text, and the exception.
type StreamError = (String, Option<PyErr>);

/// The numbers of errors that the stream interface has from C.
const EIO: c_int = 5;

/// Calls `work` with the state of `stream`; a panic does not reach C.
///
/// # Safety
/// `stream` must be one of `export_stream` that is not released.
unsafe fn with_state(
    stream: *mut FFI_ArrowArrayStream,
    work: impl FnOnce(&mut StreamState) -> Result<(), StreamError>,
) -> c_int {
    // SAFETY: the caller promises it; only one callback of a stream runs at a time.
    let state: &mut StreamState = unsafe { &mut *(*stream).private_data().cast() };
    let done = catch_unwind(AssertUnwindSafe(|| work(state)));
    let failed = |panic: Box<dyn Any + Send>| format!("internal error: {}", message(&*panic));
    match done.unwrap_or_else(|panic| Err((failed(panic), None))) {
        Ok(()) => 0,
        Err((cause, raised)) => {
            state.error = CString::new(cause.replace('\0', " ")).unwrap_or_default();
            if let Some(raised) = raised {
                keep(&state.raised, raised);
            }
            EIO
        }
    }
}

/// Keeps an exception that the consumer of a stream would turn into an error of its own. When
/// the stream is released, [`raise_instead`] replaces that error. One that must not be caught,
/// such as that of Ctrl-C, is raised in any case, as soon as the main thread runs Python again.
fn keep(kept: &Raised, raised: PyErr) {
    let is_caught = Python::attach(|py| raised.is_instance_of::<PyException>(py));
    *lock(kept) = Some(raised);
    if is_caught {
        return;
    }
    let kept = Box::into_raw(Box::new(Arc::clone(kept)));
    // SAFETY: the callback frees what is passed to it; it is called once, if it is accepted.
    unsafe {
        if ffi::Py_AddPendingCall(Some(raise_pending), kept.cast()) != 0 {
            drop(Box::from_raw(kept));
        }
    }
}

extern "C" fn raise_pending(kept: *mut c_void) -> c_int {
    // SAFETY: `keep` passes such a pointer, and does not use it any more.
    let kept: Box<Raised> = unsafe { Box::from_raw(kept.cast()) };
    match lock(&kept).take() {
        None => 0,
        Some(raised) => {
            Python::attach(|py| raised.restore(py));
            -1
        }
    }
}

/// Raises an exception that a stream kept in the place of the error that its consumer is
/// raising because of it.
fn raise_instead(state: &StreamState) {
    let mut kept = lock(&state.raised);
    if kept.is_none() {
        return;
    }
    Python::attach(|py| {
        let Some(error) = PyErr::take(py) else {
            return;
        };
        let text = error.value(py).to_string();
        let cause = state.error.to_string_lossy();
        let is_ours = !cause.is_empty() && text.contains(&*cause);
        match kept.take_if(|_| is_ours) {
            Some(raised) => {
                raised.set_cause(py, Some(error));
                raised.restore(py);
            }
            None => error.restore(py),
        }
    });
}

fn lock(kept: &Raised) -> MutexGuard<'_, Option<PyErr>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the message of a panic.
pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "a panic without a message",
    }
}

unsafe extern "C" fn stream_schema(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: the consumer calls this with the stream, and with room for a schema, which it
    // owns from then on.
    unsafe {
        with_state(stream, |state| {
            let schema = FFI_ArrowSchema::try_from(state.field.as_ref());
            out.write(schema.map_err(|error| (error.to_string(), None))?);
            Ok(())
        })
    }
}

unsafe extern "C" fn stream_next(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowArray,
) -> c_int {
    // SAFETY: the consumer calls this with the stream, and with room for an array, which it
    // owns from then on. A released array is the end.
    unsafe {
        with_state(stream, |state| {
            let next = state.arrays.next().transpose();
            let next = next.map_err(|raised| (raised.to_string(), Some(raised)));
            out.write(match next? {
                Some(array) => FFI_ArrowArray::new(&array.to_data()),
                None => FFI_ArrowArray::empty(),
            });
            Ok(())
        })
    }
}

unsafe extern "C" fn stream_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: the consumer calls this with the stream; the text is valid until the next
    // call.
    unsafe {
        let state: *const StreamState = (*stream).private_data().cast();
        (*state).error.as_ptr()
    }
}

unsafe extern "C" fn release_stream(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the consumer calls this once with the stream; the state was boxed by
    // `export_stream`, and the other fields need no release.
    unsafe {
        let stream = &mut *stream;
        let state = stream.set_private_data(std::ptr::null_mut());
        stream.set_release(None);
        // A panic of a destructor does not reach C.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let state = Box::from_raw(state.cast::<StreamState>());
            raise_instead(&state);
        }));
    }
}
