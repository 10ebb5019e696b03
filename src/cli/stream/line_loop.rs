//! The loop over the lines of inputs. What is complete is written before the program waits
//! for a pipe; after a signal what waits there is read, and nothing else.

use crate::cli::decompressed::{HEAD, decompressed};
use crate::cli::destination::printer::{Printer, no_end};
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::printable::printable;
use crate::cli::report::stderr;
use crate::cli::signals::Interrupt;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::process::ExitCode;
use urisieve::Compression;
use urisieve::input::{Opened, Source, Stream, Watch};

/// The bytes that are read at a time.
const READ: usize = 256 << 10;
/// The longest line that is kept; a longer one is passed on as it is.
const LINE_MAX: usize = 64 << 20;
/// The most bytes that are read after a signal.
const DRAIN_MAX: usize = 1 << 20;

/// The first bytes of compressed files.
const MAGIC: [[u8; 2]; 5] = [
    [0x1F, 0x8B],
    [0x28, 0xB5],
    [0xFD, b'7'],
    [b'B', b'Z'],
    [0x04, 0x22],
];

/// The work on lines.
pub(super) trait LineWork {
    /// Whether it takes lines as a whole; if not, bytes as they come.
    fn is_by_lines(&self) -> bool {
        true
    }

    /// Takes whole lines with their ends; the last one of an input may lack its end. Breaks
    /// when nothing more is needed.
    fn lines(&mut self, name: &[u8], lines: &[u8], out: &mut Vec<u8>) -> ControlFlow<()>;

    /// Takes a part of a line that is too long to be kept; `first` is whether it begins it.
    fn part(&mut self, part: &[u8], first: bool, out: &mut Vec<u8>);

    /// An input begins.
    fn begin(&mut self) {}

    /// An input ended, or nothing more of it can be read.
    fn end(&mut self, _name: &[u8], _out: &mut Vec<u8>) {}

    /// Whether the output is passed on now, not when there is more of it.
    fn is_due(&self) -> bool {
        false
    }

    /// All that was given to the output was passed on. Breaks when nothing more is needed.
    fn passed_on(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Why the work failed, so that the output is not complete.
    fn failure(&mut self) -> Option<String> {
        None
    }
}

/// The output of the loop, and what else it needs.
pub(super) struct LineOutput<'o> {
    pub printer: Printer,
    pub report: Messages,
    pub interrupt: &'o Interrupt,
    pub speech: Speech,
    /// Nothing is written: the exit code is the answer.
    pub quiet: bool,
}

/// How a run ended whose output is complete.
pub(super) struct RunEnd {
    /// An input or a part of it could not be read.
    pub lost: bool,
    /// The exit code of the signal that ended it.
    pub interrupted: Option<u8>,
    /// Whether somebody has all of the output.
    pub delivered: bool,
}

/// How the loop ended.
struct LoopEnd {
    /// Whether an input could not be read to its end.
    failed: bool,
    /// Whether the output was closed by its reader.
    closed: bool,
}

/// Gives the lines of the inputs to `work`, has it `say` what it counted, and completes the
/// output. What could not be written is said.
///
/// # Errors
/// The exit code of an output that is not complete.
pub(super) fn run<W: LineWork>(
    mut sources: impl Iterator<Item = Source<'static>>,
    names: impl Fn(usize) -> Vec<u8>,
    output: LineOutput,
    work: &mut W,
    say: impl FnOnce(&mut W),
) -> Result<RunEnd, ExitCode> {
    let LineOutput {
        mut printer,
        mut report,
        interrupt,
        speech,
        quiet,
    } = output;
    let speaks = speech != Speech::Silent;
    let reporting = (interrupt, speaks);
    let ended = read(&mut sources, &names, reporting, &mut printer, work);
    let interrupted = interrupt.code();
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            report.unwritten(printer.name(), &error);
            return Err(ExitCode::from(2));
        }
    };
    say(work);
    if let Some(cause) = work.failure() {
        printer.leave("not all of it could be made", &report);
        return Err(messages::usage(&cause));
    }
    let is_left = interrupted.is_some() && printer.leave("interrupted", &report);
    let mut delivered = !ended.closed && !is_left && !quiet;
    if delivered {
        let completed = printer.complete(no_end, &report);
        let appeared = completed.map(|(_, file)| report.appear(file.into_iter().collect()));
        if !matches!(appeared, Ok(Ok(_))) {
            return Err(ExitCode::from(2));
        }
        delivered = !printer.is_closed();
    }
    Ok(RunEnd {
        lost: report.finish() || ended.failed,
        interrupted,
        delivered,
    })
}

/// Reads the inputs, and gives their lines to `work`.
///
/// # Errors
/// Errors of writing.
fn read(
    sources: &mut dyn Iterator<Item = Source<'static>>,
    names: &dyn Fn(usize) -> Vec<u8>,
    (interrupt, speaks): (&Interrupt, bool),
    printer: &mut Printer,
    work: &mut dyn LineWork,
) -> io::Result<LoopEnd> {
    let mut end = LoopEnd {
        failed: false,
        closed: false,
    };
    let mut buffer = Vec::new();
    for (number, source) in sources.enumerate() {
        if interrupt.code().is_some() {
            break;
        }
        let name = names(number);
        work.begin();
        let opened = open(source, interrupt);
        let read = match opened {
            Ok((reader, watch)) => {
                let mut input = LineInput {
                    reader,
                    watch,
                    interrupt,
                    drained: None,
                };
                buffer.clear();
                input.read(&name, &mut buffer, printer, work)?
            }
            Err(error) => Err(error),
        };
        match read {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => {
                end.closed = true;
                break;
            }
            Err(error) => {
                end.failed = true;
                if speaks {
                    stderr::say(format_args!("{}: {error}", printable(&name)));
                }
            }
        }
    }
    Ok(end)
}

/// Opens an input, which may be compressed.
fn open(source: Source<'static>, interrupt: &Interrupt) -> io::Result<(Box<dyn Read>, Watch)> {
    let mut stream = match source.open()? {
        Opened::At(at, len) => Stream::of(at, len),
        Opened::Stream(stream) => stream,
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    let watch = stream.watch();
    // The first bytes of a pipe may come one by one; most texts differ at the first.
    let mut head = vec![0; HEAD];
    let mut len = 0;
    while len < head.len() && !watch.wait(|| interrupt.code().is_some()) {
        let read = stream.read(&mut head[len..])?;
        len += read;
        let begins = |magic: &&[u8; 2]| magic.starts_with(&head[..len.min(2)]);
        if read == 0 || !MAGIC.iter().any(|magic| begins(&magic)) {
            break;
        }
    }
    head.truncate(len);
    match Compression::of(&head) {
        // What waits in a pipe is not what the decoder gives next.
        Some(_) => Ok((decompressed(head, Box::new(stream))?, Watch::default())),
        None => Ok((Box::new(io::Cursor::new(head).chain(stream)), watch)),
    }
}

struct LineInput<'l> {
    reader: Box<dyn Read>,
    watch: Watch,
    interrupt: &'l Interrupt,
    /// The number of bytes that were read after a signal.
    drained: Option<usize>,
}

impl LineInput<'_> {
    /// Reads the input to its end. The outer result is that of writing.
    fn read(
        &mut self,
        name: &[u8],
        buffer: &mut Vec<u8>,
        printer: &mut Printer,
        work: &mut dyn LineWork,
    ) -> io::Result<io::Result<ControlFlow<()>>> {
        // Whether the bytes are those of a line that is too long.
        let mut is_part = false;
        let mut piece = vec![0; READ];
        loop {
            let read = match self.next(&mut piece) {
                Ok(read) => read,
                Err(error) => {
                    // What came before the error is complete.
                    let flow = self.give(name, buffer, buffer.len(), printer, work)?;
                    work.end(name, printer.buffer());
                    return Ok(match flow {
                        ControlFlow::Continue(()) => Err(error),
                        closed => Ok(closed),
                    });
                }
            };
            let searched = buffer.len();
            buffer.extend_from_slice(&piece[..read]);
            if is_part {
                let end = memchr::memchr(b'\n', buffer).map(|end| end + 1);
                let len = end.unwrap_or(buffer.len());
                work.part(&buffer[..len], false, printer.buffer());
                buffer.drain(..len);
                is_part = end.is_none();
            }
            let is_end = read == 0;
            let whole = match is_end || !work.is_by_lines() {
                true => Some(buffer.len()),
                false => memchr::memrchr(b'\n', &buffer[searched.min(buffer.len())..])
                    .map(|end| searched.min(buffer.len()) + end + 1),
            };
            if let Some(whole) = whole {
                if self.give(name, buffer, whole, printer, work)?.is_break() {
                    return Ok(Ok(ControlFlow::Break(())));
                }
            } else if buffer.len() > LINE_MAX {
                work.part(buffer, true, printer.buffer());
                buffer.clear();
                is_part = true;
            }
            if is_end {
                work.end(name, printer.buffer());
            }
            if printer.end_record()?.is_break() {
                return Ok(Ok(ControlFlow::Break(())));
            }
            if is_end {
                return Ok(Ok(ControlFlow::Continue(())));
            }
            let passes_on = self.watch.pauses() || work.is_due();
            if passes_on && (printer.flush()?.is_break() || work.passed_on().is_break()) {
                return Ok(Ok(ControlFlow::Break(())));
            }
        }
    }

    /// Gives the first `len` bytes of the buffer to the work.
    fn give(
        &self,
        name: &[u8],
        buffer: &mut Vec<u8>,
        len: usize,
        printer: &mut Printer,
        work: &mut dyn LineWork,
    ) -> io::Result<ControlFlow<()>> {
        if len == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        let flow = work.lines(name, &buffer[..len], printer.buffer());
        buffer.drain(..len);
        Ok(match printer.end_record()? {
            ControlFlow::Continue(()) => flow,
            closed => closed,
        })
    }

    /// Reads what comes next; nothing at the end, and where nothing waits after a signal.
    fn next(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        // A regular file is not read further; of a pipe what waits in it is.
        let is_ended = self.watch.wait(|| self.interrupt.code().is_some());
        if is_ended {
            let drained = self.drained.get_or_insert(0);
            if *drained >= DRAIN_MAX || !self.watch.reads_at_once() || self.watch.pauses() {
                return Ok(0);
            }
        }
        let read = self.reader.read(piece)?;
        if let Some(drained) = &mut self.drained {
            *drained += read;
        }
        Ok(read)
    }
}
