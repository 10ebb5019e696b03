//! The inputs of `open`: paths, the files of directories, and file objects, which are read in the
//! thread that has the interpreter.

use crate::boundary;
use crate::running::os_error;
use crate::settings::given::wrong_value;
use crate::settings::options::Options;
use crate::text::type_name;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use urisieve::input::ReadAt;

/// The bytes that are asked of a file object at a time.
const CHUNK: usize = 1 << 18;
/// The name of a file object without a name.
const NAMELESS: &str = "(file object)";

/// The inputs of a run, and their names.
#[derive(Default)]
pub(super) struct Inputs {
    pub sources: Vec<InputSource>,
    pub names: Vec<Arc<[u8]>>,
    pub objects: Vec<Py<PyAny>>,
}

pub(super) enum InputSource {
    Path(PathBuf),
    Failed(io::Error),
    /// The file object with this number.
    Object(usize),
}

impl Inputs {
    /// Adds a path, the files of a directory, or a file object.
    pub(super) fn add(&mut self, options: &Options, source: &Bound<'_, PyAny>) -> PyResult<()> {
        if source.hasattr("read")? {
            let name = match (&options.label, source.getattr("name")) {
                (Some(label), _) => label.clone(),
                (None, Ok(name)) if name.is_instance_of::<PyString>() => name.extract()?,
                _ => NAMELESS.to_owned(),
            };
            self.names.push(Arc::from(name.into_bytes()));
            self.sources.push(InputSource::Object(self.objects.len()));
            self.objects.push(source.clone().unbind());
            return Ok(());
        }
        let Ok(path) = source.extract::<PathBuf>() else {
            let given = type_name(source);
            let why = format!("source: a path or an object with read expected, not {given}");
            return Err(PyTypeError::new_err(why));
        };
        self.add_files(options, &path)
    }

    /// Adds a file, or the files of a directory, whose URIs are omitted.
    pub(super) fn add_known(&mut self, options: &Options, path: &Path) -> PyResult<()> {
        let before = self.sources.len();
        self.add_files(options, path)?;
        for source in &self.sources[before..] {
            let InputSource::Path(path) = source else {
                continue;
            };
            let (mut magic, mut file) = ([0; 4], std::fs::File::open(path)?);
            if file.read(&mut magic)? == 4 && &magic == b"PAR1" {
                let why = format!("{} is a table; pass its URIs as text", path.display());
                return Err(wrong_value("against", &why));
            }
        }
        Ok(())
    }

    fn add_files(&mut self, options: &Options, path: &Path) -> PyResult<()> {
        if !path.is_dir() {
            // An input that cannot be opened is an exception; later it would be a loss.
            let metadata = std::fs::metadata(path);
            let opened = metadata.and_then(|about| match about.is_file() {
                true => std::fs::File::open(path).map(drop),
                false => Ok(()),
            });
            opened.map_err(|error| os_error(&error, path.to_str()))?;
            self.add_path(path, InputSource::Path(path.to_owned()));
            return Ok(());
        }
        for file in options.walk.files(path) {
            match file {
                Ok(file) => self.add_path(&file, InputSource::Path(file.clone())),
                Err((file, cause)) => self.add_path(&file, InputSource::Failed(cause)),
            }
        }
        Ok(())
    }

    fn add_path(&mut self, path: &Path, source: InputSource) {
        let name = path.as_os_str().as_encoded_bytes();
        self.names.push(Arc::from(name));
        self.sources.push(source);
    }
}

/// Reads a file object by asking for its bytes.
pub(super) struct ObjectReader<A> {
    /// Asks for the next bytes; returns false when the reader was closed.
    asks: A,
    bytes: Receiver<io::Result<Vec<u8>>>,
    chunk: io::Cursor<Vec<u8>>,
}

impl<A: FnMut() -> bool> ObjectReader<A> {
    pub(super) fn new(bytes: Receiver<io::Result<Vec<u8>>>, asks: A) -> ObjectReader<A> {
        ObjectReader {
            asks,
            bytes,
            chunk: io::Cursor::default(),
        }
    }
}

fn closed() -> io::Error {
    io::Error::other("the reader was closed")
}

/// Reads a file object at any offset by asking for its bytes.
pub(super) struct ObjectAt<A> {
    /// Asks for a number of bytes from an offset on; returns false when the reader was closed.
    asks: A,
    bytes: Mutex<Receiver<io::Result<Vec<u8>>>>,
}

impl<A: Fn(u64, usize) -> bool> ObjectAt<A> {
    pub(super) fn new(bytes: Receiver<io::Result<Vec<u8>>>, asks: A) -> ObjectAt<A> {
        ObjectAt {
            asks,
            bytes: Mutex::new(bytes),
        }
    }
}

impl<A: Fn(u64, usize) -> bool + Send + Sync> ReadAt for ObjectAt<A> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        // The answer is that to the question before it.
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if !(self.asks)(offset, buffer.len()) {
            return Err(closed());
        }
        let chunk = bytes.recv().map_err(|_| closed())??;
        let part = buffer.get_mut(..chunk.len());
        let part = part.ok_or_else(|| io::Error::other("read returned more than was asked"))?;
        part.copy_from_slice(&chunk);
        Ok(chunk.len())
    }
}

impl<A: FnMut() -> bool> Read for ObjectReader<A> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.chunk.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        if !(self.asks)() {
            return Err(closed());
        }
        let chunk = self.bytes.recv().map_err(|_| closed())??;
        self.chunk = io::Cursor::new(chunk);
        self.chunk.read(buffer)
    }
}

/// Reads at most `len` bytes of a file object, from `offset` on.
pub(super) fn read_part(file: &Bound<'_, PyAny>, offset: u64, len: usize) -> PyResult<Vec<u8>> {
    file.call_method1("seek", (offset,))?;
    read_bytes(file, len)
}

pub(super) fn read_chunk(file: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    read_bytes(file, CHUNK)
}

fn read_bytes(file: &Bound<'_, PyAny>, len: usize) -> PyResult<Vec<u8>> {
    let chunk = file.call_method1("read", (len,))?;
    if let Ok(bytes) = chunk.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if let Ok(text) = chunk.cast::<PyString>() {
        return Ok(boundary::utf8(text)?.to_vec());
    }
    let given = type_name(&chunk);
    Err(PyTypeError::new_err(format!(
        "read returned {given}, not bytes or str"
    )))
}
