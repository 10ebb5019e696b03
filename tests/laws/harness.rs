//! One result for every way of running: a text goes through the sieve as slice, pipe
//! and file, in blocks of every size and with several threads, and the records are the
//! same.

use crate::rule_sets::{config, delimited, with_scheme};
use std::io::{self, Read};
use std::ops::ControlFlow;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::decode::InputFormat;
use urisieve::input::Source;
#[cfg(unix)]
use urisieve::input::nothing_waits;
use urisieve::item::{Finding, IdentifierKind, Loss, Marks};
use urisieve::reference::{self as slow, Options};
use urisieve::{Mode, Sieve, Sink};

/// One record; its text is shown as text.
#[derive(Clone, PartialEq, Eq)]
pub struct Found {
    pub text: Vec<u8>,
    /// The text with the scheme that it lacks, and without marks of defanging.
    pub uri: Vec<u8>,
    pub offset: usize,
    pub length: usize,
    pub marks: Marks,
}

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let text = String::from_utf8_lossy(&self.text);
        let codes: Vec<_> = self.marks.problems.iter().map(|p| p.code()).collect();
        let (at, len, wrapper) = (self.offset, self.length, self.marks.wrapper.name());
        write!(
            f,
            "{text:?} {at}+{len} {wrapper} {codes:?} wrapped {}",
            self.marks.wrapped
        )
    }
}

/// All records of a text, and the offsets of what is too long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    pub found: Vec<Found>,
    pub too_long: Vec<usize>,
}

/// Rules of extraction, for both readers of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules(pub Options);

/// A way of reading.
#[derive(Clone, Debug)]
pub enum Way {
    Slice,
    File,
    /// A reader that returns these numbers of bytes, over and over.
    Reader(Vec<usize>),
    /// A pipe whose writer does this, again and again.
    Pipe(Vec<Step>),
}

/// What the writer of a pipe does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It writes this many bytes.
    Write(usize),
    /// It waits until all that was written has been read.
    Pause,
}

/// One run of the sieve. When a law fails it is printed as the statement that runs it
/// again, to be pasted into `l1_runs_that_are_read_again`.
#[derive(Clone, Debug)]
pub struct Run<'r> {
    pub text: &'r [u8],
    pub rules: &'r Rules,
    pub way: Way,
    pub block: usize,
    pub threads: usize,
}

impl std::fmt::Display for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        writeln!(f, "Run {{")?;
        writeln!(f, "    text: b\"{}\",", self.text.escape_ascii())?;
        writeln!(f, "    rules: &{},", self.rules)?;
        match &self.way {
            Way::Slice | Way::File => writeln!(f, "    way: Way::{:?},", self.way)?,
            Way::Reader(sizes) => writeln!(f, "    way: Way::Reader(vec!{sizes:?}),")?,
            Way::Pipe(steps) => {
                let steps: Vec<String> = steps.iter().map(|s| format!("Step::{s:?}")).collect();
                writeln!(f, "    way: Way::Pipe(vec![{}]),", steps.join(", "))?;
            }
        }
        writeln!(f, "    block: {},", self.block)?;
        writeln!(f, "    threads: {},", self.threads)?;
        write!(f, "}}\n.agrees();")
    }
}

impl std::fmt::Display for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Options {
            wrap,
            wrap_limit_bytes,
            wrap_limit_lines,
            hyphen,
            nested,
            nested_base64,
            abbreviated,
            ascii,
            strict,
            templates,
            max_length,
            opaque,
            opaque_all,
            refang,
            identifiers,
        } = &self.0;
        if self.0 == Options::default() {
            return write!(f, "Rules::default()");
        }
        let kinds = IdentifierKind::ALL
            .iter()
            .filter(|&&kind| identifiers.has(kind));
        let kinds: Vec<String> = kinds
            .map(|kind| format!("IdentifierKind::{kind:?}"))
            .collect();
        let opaque: Vec<String> = opaque.iter().map(|s| format!("{s:?}.to_owned()")).collect();
        write!(
            f,
            "Rules(slow::Options {{ wrap: slow::Wrap::{wrap:?}, \
             wrap_limit_bytes: {wrap_limit_bytes}, wrap_limit_lines: {wrap_limit_lines}, \
             hyphen: slow::Hyphen::{hyphen:?}, nested: {nested}, nested_base64: {nested_base64}, abbreviated: {abbreviated}, \
             ascii: {ascii}, strict: {strict}, templates: {templates}, max_length: {max_length}, \
             opaque: vec![{}], opaque_all: {opaque_all}, refang: {refang}, \
             identifiers: [{}].into_iter().collect() }})",
            opaque.join(", "),
            kinds.join(", ")
        )
    }
}

/// What the slow reference finds.
pub fn reference(text: &[u8], rules: &Rules) -> Extraction {
    let slow::Extraction { found, too_long } = slow::extract(text, &rules.0);
    let found = found.into_iter().map(|f| Found {
        uri: with_scheme(&f),
        text: f.original,
        offset: f.offset,
        length: f.length,
        marks: f.marks,
    });
    Extraction {
        found: found.collect(),
        too_long,
    }
}

/// What the sieve finds, in small blocks.
pub fn extract(text: &[u8], rules: &Rules) -> Extraction {
    let run = Run {
        text,
        rules,
        way: Way::Slice,
        block: 64,
        threads: 1,
    };
    run.extract()
}

/// A sieve with these rules. The reference reads text: requests in lines of logs are no
/// question for it, and the formats of fuzzers' slices neither.
fn sieve(rules: &Rules, way: &Way, block: usize, threads: usize) -> Sieve {
    let options = &rules.0;
    Sieve::builder()
        .log_format("off".parse().unwrap())
        .format(matches!(way, Way::Slice).then(InputFormat::text))
        .decompress(false)
        .archives(false)
        .delimit(config(options))
        .abbreviated(options.abbreviated)
        .bare(options.identifiers)
        .refang(options.refang)
        .canonicalize(Canonicalizer::new(Level::None))
        .mode(Mode::All)
        .originals(true)
        .lines(true)
        .threads(threads)
        .block_size(block)
        .build()
}

impl Run<'_> {
    /// What the sieve finds.
    pub fn extract(&self) -> Extraction {
        let text = self.text;
        let mut records = Records {
            text,
            all: Extraction::default(),
        };
        let sieve = sieve(self.rules, &self.way, self.block, self.threads);
        let mut read = |source: Source| sieve.run([source], &mut records).unwrap();
        match &self.way {
            Way::Slice => read(Source::Slice(text)),
            Way::File => {
                let file = tempfile::NamedTempFile::new().unwrap();
                std::fs::write(file.path(), text).unwrap();
                read(Source::Path(file.path().to_owned()))
            }
            Way::Reader(sizes) => {
                let sizes = sizes.clone().into_iter().cycle();
                read(Source::Reader(Box::new(Trickle(text, sizes))))
            }
            Way::Pipe(steps) => through_pipe(text, steps, read),
        };
        records.all
    }

    /// Asserts that it finds what the reference finds.
    pub fn agrees(&self) {
        self.finds(&reference(self.text, self.rules));
    }

    /// Asserts that it finds what is wanted.
    pub fn finds(&self, wanted: &Extraction) {
        assert_eq!(self.extract(), *wanted, "\n{self}\n");
    }
}

/// Sizes of blocks and numbers of threads, one block first.
pub const DIVISIONS: [(usize, usize); 6] = [(64 << 10, 1), (1, 1), (2, 1), (3, 2), (7, 1), (64, 2)];

/// Asserts that a text in blocks of these sizes, with these numbers of threads, gives what the
/// reference gives.
pub fn agrees_divided(text: &[u8], rules: &Rules, divisions: &[(usize, usize)]) {
    let wanted = reference(text, rules);
    for &(block, threads) in divisions {
        let run = Run {
            text,
            rules,
            way: Way::Slice,
            block,
            threads,
        };
        run.finds(&wanted);
    }
}

/// Asserts the same of a text that fits in a block, and of one that is read byte by byte.
pub fn agrees(text: &[u8], options: &Options) {
    agrees_divided(text, &Rules(options.clone()), &DIVISIONS[..2]);
}

/// Asserts that every way of running gives what the reference gives.
pub fn check(text: &[u8], rules: &Rules, steps: &[Step]) {
    let wanted = reference(text, rules);
    let sizes = steps.iter().filter_map(|step| match step {
        Step::Write(size) => Some(*size),
        Step::Pause => None,
    });
    let ways = [
        Way::Slice,
        Way::File,
        Way::Reader(sizes.collect()),
        Way::Pipe(steps.to_vec()),
    ];
    for way in ways {
        for block in [1, 2, 3, 7, 64, 64 << 10] {
            for threads in [1, 2, 8] {
                let run = Run {
                    text,
                    rules,
                    way: way.clone(),
                    block,
                    threads,
                };
                run.finds(&wanted);
            }
        }
    }
}

/// Gives `read` a pipe into which `text` is written by `steps`.
#[cfg(unix)]
fn through_pipe<T>(text: &[u8], steps: &[Step], read: impl FnOnce(Source) -> T) -> T {
    use std::io::Write;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Ends every pause, whatever became of the reader.
    struct Over<'o>(&'o AtomicBool);

    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    let (reader, mut writer) = io::pipe().unwrap();
    let reader = std::fs::File::from(OwnedFd::from(reader));
    let source = Source::Path(format!("/dev/fd/{}", reader.as_raw_fd()).into());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (reader, is_over) = (&reader, &is_over);
        scope.spawn(move || {
            let mut rest = text;
            for step in steps.iter().cycle() {
                match *step {
                    _ if rest.is_empty() => break,
                    Step::Write(size) => {
                        let (now, later) = rest.split_at(size.min(rest.len()));
                        writer.write_all(now).unwrap();
                        rest = later;
                    }
                    Step::Pause => {
                        while !nothing_waits(reader) && !is_over.load(Ordering::Relaxed) {
                            std::thread::yield_now();
                        }
                    }
                }
            }
        });
        let _over = Over(is_over);
        read(source)
    })
}

#[cfg(not(unix))]
fn through_pipe<T>(text: &[u8], _: &[Step], read: impl FnOnce(Source) -> T) -> T {
    let sizes = vec![1].into_iter().cycle();
    read(Source::Reader(Box::new(Trickle(text, sizes))))
}

struct Records<'t> {
    text: &'t [u8],
    all: Extraction,
}

impl Sink for Records<'_> {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        let before = &self.text[..finding.offset as usize];
        let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let column = 1 + (before.len() - start) as u64;
        let place = finding.place.unwrap();
        assert_eq!((place.line, place.column), (line, column));
        self.all.found.push(Found {
            text: finding.original.to_vec(),
            uri: finding.uri.to_vec(),
            offset: finding.offset as usize,
            length: finding.length as usize,
            marks: delimited(finding.marks),
        });
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.all.too_long.push(loss.offset as usize);
    }
}

/// A reader that returns these numbers of bytes.
struct Trickle<'t, I>(&'t [u8], I);

impl<I: Iterator<Item = usize>> Read for Trickle<'_, I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.1.next().unwrap_or(1).min(self.0.len());
        let len = (&self.0[..size]).read(buffer)?;
        self.0 = &self.0[len..];
        Ok(len)
    }
}
