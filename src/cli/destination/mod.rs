//! The destination of records: standard output, or a file that appears when it is complete.
//! A form decides what the bytes are; `printer` collects them, `compress` compresses them.

mod commit_files;
mod compress;
pub(super) mod division;
pub(super) mod form;
mod hidden_folder;
mod input_files;
mod names;
mod new_file;
mod output_part;
pub(super) mod outputs;
pub(super) mod part_files;
mod pieces;
mod place;
pub(super) mod printer;
pub(super) mod respell;

pub(super) use compress::FileCompression;
pub(super) use names::OutputNames;
pub(super) use new_file::{CompleteFile, appear};
pub(super) use place::{OutputFile, OutputPlace};

use crate::cli::destination::compress::Compressor;
use crate::cli::report::closed;
use crate::cli::report::printable::printable;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Takes the bytes of all records. A file is absent or unchanged until it is complete, and
/// [appears](appear) then with the other outputs of the run.
pub(super) struct Destination {
    encoder: Encoder,
    path: Option<PathBuf>,
    /// Whether a file of that name exists already.
    replaces: bool,
    /// No input is named: the file is replaced only when something was read.
    keeps: bool,
    /// The bytes that are written must outlast a failure of the machine before the run ends.
    lasts: bool,
}

/// Why a file is left unchanged. Users of grep may take `-o` for a flag without a
/// value, and FILE for the input.
const KEPT: &str = "left unchanged: no input is named and standard input is empty; -o names \
                    the file to write (only matches are printed anyway)";

enum Encoder {
    Plain(Counted),
    Compressed(Box<Compressor<Counted>>),
}

/// Whether to continue after `written`: not when the reader of the output went away, which
/// is no error.
pub(super) fn unless_closed(written: io::Result<()>) -> io::Result<ControlFlow<()>> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        Err(error) => Err(error),
        Ok(()) => Ok(ControlFlow::Continue(())),
    }
}

/// Counts the bytes that were written.
struct Counted {
    place: OutputHandle,
    bytes: u64,
}

enum OutputHandle {
    Stdout(io::Stdout),
    Named(OutputFile),
}

impl Destination {
    /// Standard output.
    pub(super) fn stdout() -> Destination {
        Destination {
            encoder: Encoder::Plain(Counted::new(OutputHandle::Stdout(io::stdout()))),
            path: None,
            replaces: false,
            keeps: false,
            lasts: false,
        }
    }

    /// The destination that `-o` names; standard output for `-` and without `-o`. Where
    /// no input is named, an existing file is replaced only when standard input is not
    /// empty. Up to `threads` threads compress. The other outputs of the run are `outputs`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn named(
        path: Option<&Path>,
        compression: FileCompression,
        threads: usize,
        input_is_named: bool,
        outputs: &mut OutputNames,
    ) -> Result<Destination, String> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            outputs.take_stdout();
            return Ok(Destination::stdout());
        };
        division::check_whole(Some(path))?;
        let place = outputs.take("-o", path)?;
        let replaces = place.replaces();
        let keeps = replaces && !input_is_named;
        let name = printable(path.as_os_str().as_encoded_bytes());
        if keeps && io::stdin().is_terminal() {
            return Err(format!("-o {name}: {KEPT}"));
        }
        let file = Destination::at(place, path, compression, threads);
        let file = file.map_err(|error| format!("-o {name}: {error}"))?;
        Ok(Destination {
            replaces,
            keeps,
            ..file
        })
    }

    /// Returns why the file is left unchanged after a run that read `read` bytes, if it
    /// is; `failed` is whether an input could not be read.
    pub(super) fn is_kept(&self, read: u64, failed: bool) -> Option<&'static str> {
        match (self.keeps, failed) {
            _ if read > 0 || !self.replaces => None,
            (true, _) => Some(KEPT),
            (false, true) => Some("left unchanged: nothing could be read"),
            (false, false) => None,
        }
    }

    /// The file `path`, or what it is a symbolic link to.
    ///
    /// # Errors
    /// Errors of creating a file beside it.
    pub(super) fn file(
        path: &Path,
        compression: FileCompression,
        threads: usize,
    ) -> io::Result<Destination> {
        let said = printable(path.as_os_str().as_encoded_bytes());
        Destination::at(OutputPlace::of(path, said)?, path, compression, threads)
    }

    /// The place that `path` names.
    ///
    /// # Errors
    /// Errors of opening it.
    pub(super) fn at(
        place: OutputPlace,
        path: &Path,
        compression: FileCompression,
        threads: usize,
    ) -> io::Result<Destination> {
        let place = OutputHandle::Named(place.open()?);
        let counted = Counted::new(place);
        Ok(Destination {
            encoder: match compression {
                FileCompression::None => Encoder::Plain(counted),
                FileCompression::Gzip => {
                    Encoder::Compressed(Box::new(Compressor::gzip(counted, threads)))
                }
                FileCompression::Zstd => {
                    Encoder::Compressed(Box::new(Compressor::zstd(counted, threads)?))
                }
            },
            path: Some(path.to_owned()),
            replaces: false,
            keeps: false,
            lasts: false,
        })
    }

    /// Has the output outlast the machine when it is complete, also where it is written to a
    /// file that is open already.
    pub(super) fn lasting(self, lasts: bool) -> Destination {
        Destination { lasts, ..self }
    }

    /// The name of the file; `None` for standard output.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the output is a terminal.
    pub(in crate::cli) fn is_terminal(&self) -> bool {
        match &self.counted().place {
            OutputHandle::Stdout(out) => out.is_terminal(),
            OutputHandle::Named(file) => file.is_terminal(),
        }
    }

    /// Whether the destination is a file that is absent until it is complete.
    pub(super) fn is_file(&self) -> bool {
        matches!(&self.counted().place, OutputHandle::Named(file) if file.is_new())
    }

    /// Completes the output. Returns the number of bytes, and the file that is to appear,
    /// if it is one. A destination that is dropped instead leaves no file.
    ///
    /// # Errors
    /// Errors of writing.
    pub(super) fn complete(self) -> io::Result<(u64, Option<CompleteFile>)> {
        let Counted { place, bytes } = match self.encoder {
            Encoder::Plain(counted) => counted,
            Encoder::Compressed(compressor) => compressor.finish()?,
        };
        let file = match place {
            OutputHandle::Stdout(mut out) => {
                out.flush()?;
                if self.lasts {
                    sync_stdout()?;
                }
                None
            }
            OutputHandle::Named(mut file) => {
                if self.lasts {
                    file.sync()?;
                }
                file.complete()?
            }
        };
        Ok((bytes, file))
    }

    /// Completes the output, lets the file appear on its own, and returns the number of
    /// bytes.
    ///
    /// # Errors
    /// Errors of writing, and of renaming the file.
    pub(super) fn finish(self) -> io::Result<u64> {
        let (bytes, file) = self.complete()?;
        appear(file.into_iter().collect()).map_err(|(_, error)| error)?;
        Ok(bytes)
    }

    fn counted(&self) -> &Counted {
        match &self.encoder {
            Encoder::Plain(counted) => counted,
            Encoder::Compressed(compressor) => compressor.get_ref(),
        }
    }
}

/// Has standard output outlast the machine, where it is a file. A pipe or a terminal has what
/// it took.
pub(super) fn sync_stdout() -> io::Result<()> {
    #[cfg(unix)]
    let stream = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let stream = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    let file = std::fs::File::from(stream);
    match file.metadata()?.is_file() {
        true => file.sync_all(),
        false => Ok(()),
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Encoder::Plain(counted) => counted.write(bytes),
            Encoder::Compressed(compressor) => compressor.write(bytes),
        }
    }

    /// Does nothing for files: nobody reads a file before it is complete, and flushing
    /// would spoil the compression.
    fn flush(&mut self) -> io::Result<()> {
        if self.is_file() {
            return Ok(());
        }
        match &mut self.encoder {
            Encoder::Plain(counted) => counted.flush(),
            Encoder::Compressed(compressor) => compressor.flush(),
        }
    }
}

impl Counted {
    fn new(place: OutputHandle) -> Counted {
        Counted { place, bytes: 0 }
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = match &mut self.place {
            OutputHandle::Stdout(out) => closed::stdout().and_then(|()| out.write(bytes)),
            OutputHandle::Named(file) => file.write(bytes),
        }?;
        self.bytes += len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            OutputHandle::Stdout(out) => out.flush(),
            OutputHandle::Named(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read;

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let mut left = Destination::file(&path, FileCompression::None, 1).unwrap();
        left.write_all(b"left").unwrap();
        drop(left);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        fs::write(&path, "old").unwrap();
        let mut destination = Destination::file(&path, FileCompression::None, 1).unwrap();
        destination.write_all(b"new").unwrap();
        destination.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(destination.finish().unwrap(), 3);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_compressed_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let text = b"http://a.example/\n".repeat(10_000);
        for compression in [FileCompression::Gzip, FileCompression::Zstd] {
            let mut destination = Destination::file(&path, compression, 2).unwrap();
            destination.write_all(&text).unwrap();
            let bytes = destination.finish().unwrap();
            let packed = fs::read(&path).unwrap();
            assert_eq!(packed.len() as u64, bytes);
            assert!(packed.len() < text.len() / 10);
            let mut back = Vec::new();
            match compression {
                FileCompression::Gzip => flate2::read::GzDecoder::new(&packed[..])
                    .read_to_end(&mut back)
                    .unwrap(),
                _ => zstd::Decoder::new(&packed[..])
                    .unwrap()
                    .read_to_end(&mut back)
                    .unwrap(),
            };
            assert!(back == text);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_written() {
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("a"), dir.path().join("b"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut destination = Destination::file(&link, FileCompression::None, 1).unwrap();
        destination.write_all(b"new").unwrap();
        destination.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let null = Destination::file(Path::new("/dev/null"), FileCompression::None, 1).unwrap();
        assert!(!null.is_file());
        assert_eq!(null.finish().unwrap(), 0);
        assert!(Destination::file(dir.path(), FileCompression::None, 1).is_err());
        assert!(Destination::file(&dir.path().join("x/y"), FileCompression::None, 1).is_err());
    }
}
