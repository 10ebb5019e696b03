//! One result for every way of running: a text goes through the sieve as slice, pipe
//! and file, in blocks of every size and with several threads, and the records are the
//! same.

use std::io::{self, Read};
use std::sync::Mutex;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::delimit::{Config, Hyphen, Wrap, WrapLimit};
use urisieve::engine::{Mode, Sieve, Sink};
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, Marks, Place, Problem, Problems};
use urisieve::reference::{self as slow, Options};

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
#[derive(Clone, Debug, Default)]
pub struct Rules(pub Options);

/// A way of reading.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    Slice,
    Pipe,
    File,
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

/// S7: the text of a record with the scheme that it lacks.
fn with_scheme(found: &slow::Found) -> Vec<u8> {
    let scheme = match found.text.first() {
        _ if !found.marks.abbreviated => &b""[..],
        Some(b'f' | b'F') => b"ftp://",
        _ => b"http://",
    };
    [scheme, &found.text].concat()
}

/// What the sieve finds.
pub fn extract(text: &[u8], rules: &Rules, way: Way, block: usize, threads: usize) -> Extraction {
    let options = &rules.0;
    let config = Config::default()
        .wrap(match options.wrap {
            slow::Wrap::Lines => Wrap::Lines,
            slow::Wrap::Any => Wrap::Any,
            slow::Wrap::Off => Wrap::Off,
        })
        .wrap_limit(WrapLimit {
            bytes: options.wrap_limit_bytes,
            lines: options.wrap_limit_lines,
        })
        .hyphen(match options.hyphen {
            slow::Hyphen::Keep => Hyphen::Keep,
            slow::Hyphen::Drop => Hyphen::Drop,
            slow::Hyphen::Both => Hyphen::Both,
        })
        .nested(options.nested)
        .ascii(options.ascii)
        .strict(options.strict)
        .max_length(options.max_length)
        .opaque(&options.opaque)
        .opaque_all(options.opaque_all);
    let sieve = Sieve::builder()
        .decompress(false)
        .archives(false)
        .delimit(config)
        .abbreviated(options.abbreviated)
        .refang(options.refang)
        .every_scheme(options.opaque_all || !options.opaque.is_empty())
        .canonicalize(Canonicalizer::new(Level::None))
        .mode(Mode::All)
        .originals(true)
        .lines(true)
        .threads(threads)
        .block_size(block)
        .build();
    let mut records = Records {
        text,
        all: Extraction::default(),
    };
    let file;
    let source = match way {
        Way::Slice => Source::Slice(text),
        Way::Pipe => Source::Reader(Box::new(Trickle(text, block))),
        Way::File => {
            file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), text).unwrap();
            Source::Path(file.path().to_owned())
        }
    };
    sieve.run([source], &mut records).unwrap();
    records.all
}

/// Asserts that every way of running has the same result as the reference.
pub fn check(text: &[u8], rules: &Rules) {
    let wanted = reference(text, rules);
    for way in [Way::Slice, Way::Pipe, Way::File] {
        for block in [1, 2, 3, 7, 64, 64 << 10] {
            for threads in [1, 2, 8] {
                let got = extract(text, rules, way, block, threads);
                assert_eq!(
                    got,
                    wanted,
                    "{way:?}, block {block}, threads {threads}: {:?}",
                    String::from_utf8_lossy(text)
                );
            }
        }
    }
}

struct Records<'t> {
    text: &'t [u8],
    all: Extraction,
}

impl Sink for Records<'_> {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let before = &self.text[..finding.offset as usize];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count() as u64;
        let start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        let column = 1 + (before.len() - start) as u64;
        assert_eq!(finding.place, Some(Place { line, column }));
        self.all.found.push(Found {
            text: finding.original.to_vec(),
            uri: finding.uri.to_vec(),
            offset: finding.offset as usize,
            length: finding.length as usize,
            marks: delimited(finding.marks),
        });
        Ok(())
    }

    fn loss(&mut self, loss: &Loss) {
        self.all.too_long.push(loss.offset as usize);
    }
}

/// The marks that the delimiter sets; problems of names in URNs are not among them.
fn delimited(marks: Marks) -> Marks {
    let mut problems = Problems::NONE;
    for problem in marks.problems.iter() {
        if problem <= Problem::NestedLimit {
            problems |= problem;
        }
    }
    Marks { problems, ..marks }
}

/// A reader that returns a few bytes at a time, never the same number twice.
struct Trickle<'t>(&'t [u8], usize);

static STEP: Mutex<usize> = Mutex::new(1);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut step = STEP.lock().unwrap();
        *step = *step % 11 + 1;
        let len = self.0.len().min(buffer.len()).min(*step * self.1);
        let (now, later) = self.0.split_at(len);
        buffer[..len].copy_from_slice(now);
        self.0 = later;
        Ok(len)
    }
}
