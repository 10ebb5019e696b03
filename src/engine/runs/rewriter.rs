//! Writes a text again, with other URIs in it (I29). The text comes in pieces: those that end
//! at a safe cut are searched on their own, others as parts of one text, whose undecided end is
//! kept until it is known.

use super::sieve::Sieve;
use super::texts::beyond_findings;
use crate::canonicalize::{Canonicalizer, Level, Redactor};
use crate::decode::{ExpectedFormat, InputFormat, utf16_bom};
use crate::dedup::Hasher;
use crate::engine::ask::config::RunConfig;
use crate::engine::ask::effects::wrong_settings;
use crate::engine::ask::lists::Lists;
use crate::engine::ask::mode::Mode;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::carry::Carry;
use crate::engine::batches::item::WorkItem;
use crate::engine::batches::line_state::LineState;
use crate::engine::batches::piece::BlockPiece;
use crate::engine::batches::stats::Stats;
use crate::engine::error::Error;
use crate::engine::fault;
use crate::engine::read::lines::scan_piece;
use crate::engine::read::stated::RecordExchange;
use crate::engine::read::worker::Worker;
use crate::escape::{write_in_place, write_refanged};
use crate::item::{Encoding, Finding, Marks, OwnedContext, RequestPart};
use crate::scan::{Cut, Cutter};
use crate::syntax::class::is_of_leader;
use crate::syntax::{Components, scheme};
use crate::unpack::ArchiveFormat;
use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

/// The place of a panic that ends a text.
const REWRITTEN: &str = "while a text was rewritten";

/// The origin of the targets of requests whose lines name no host: they are rewritten, too.
const NO_HOST: &[u8] = b"http://host.invalid/";

impl Sieve {
    /// Returns a rewriter: it writes texts again, with each URI as the sieve reports it. At
    /// [`Level::None`], without switches, a text stays as it is.
    ///
    /// # Errors
    /// [`ErrorKind::Settings`](crate::ErrorKind::Settings) as for
    /// [`text_search`](Sieve::text_search).
    ///
    /// ```
    /// use urisieve::{Mode, Sieve, canonicalize::{Level, Canonicalizer, Redactor}};
    /// let sieve = Sieve::builder()
    ///     .mode(Mode::All)
    ///     .canonicalize(Canonicalizer::new(Level::None))
    ///     .redact(Redactor::secrets())
    ///     .build();
    /// let mut rewriter = sieve.rewriter()?;
    /// let mut out = Vec::new();
    /// rewriter.push(b"{\"u\":\"http:\\/\\/a.example\\/?token=se", &mut out, |_, _| {})?;
    /// rewriter.push(b"cret\"}\n", &mut out, |_, _| {})?;
    /// rewriter.finish(&mut out, |_, _| {})?;
    /// assert_eq!(out, b"{\"u\":\"http:\\/\\/a.example\\/?token=***\"}\n");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn rewriter(&self) -> Result<Rewriter, Error> {
        self.config.check_effects()?;
        match beyond_findings(&self.config) {
            None => Ok(Rewriter::new(&self.config)),
            Some(setting) => Err(wrong_settings(format!(
                "{setting} needs a run: texts are rewritten one after the other"
            ))),
        }
    }
}

/// Writes texts again, with other URIs in them. [`Sieve::rewriter`] returns it, and shows its
/// use.
///
/// The URI of a finding is replaced by its canonical form, without the secrets that the sieve
/// hides; a function may change that further. It is written in the escapes of its place: `\/`
/// and `\u0026` of JSON, character references. In the line of a log a target without a scheme
/// stays one; without a base its host is `host.invalid` where the line names none. A URI inside another one is replaced if the outer one stays. Every other byte is
/// passed on.
pub struct Rewriter {
    config: RunConfig,
    worker: Worker,
    cutter: Cutter,
    canonicalizer: Canonicalizer,
    redactor: Option<Redactor>,
    batch: Batch,
    /// The end of the last piece; `None` at the start of a text and at a safe cut.
    carry: Option<Box<Carry>>,
    /// The bytes that are not written yet.
    text: Vec<u8>,
    /// The number of them that were searched.
    searched: usize,
    /// The raw offset of the first of them.
    offset: u64,
    /// The number of texts so far.
    texts: usize,
    changed: ChangedUri,
    stats: Stats,
}

/// The buffers of a URI that is replaced.
#[derive(Default)]
struct ChangedUri {
    uri: Vec<u8>,
    buffers: [Vec<u8>; 2],
    /// The numbers of the items of a batch, where they are not in the order of the text.
    order: Vec<u32>,
}

impl Rewriter {
    fn new(config: &RunConfig) -> Rewriter {
        let mut config = config.clone();
        let none = Canonicalizer::new(Level::None);
        let canonicalizer = std::mem::replace(&mut config.keys.canonicalizer, none);
        let redactor = config.keys.redactor.take();
        config.search.base.get_or_insert_with(|| Arc::from(NO_HOST));
        let lists = Arc::new(Lists::new(&config));
        let worker = worker(&config, &lists);
        Rewriter {
            cutter: lists.cutter(0),
            config,
            worker,
            canonicalizer,
            redactor,
            batch: Batch::default(),
            carry: None,
            text: Vec::new(),
            searched: 0,
            offset: 0,
            texts: 0,
            changed: ChangedUri::default(),
            stats: Stats::default(),
        }
    }

    /// Takes the next piece of a text, and appends to `out` what is known of it: mostly all up
    /// to the end of its last line, but for a URI that the next line may continue. `change` is called with each finding, whose URI is as it
    /// is written, and the URI that replaces it.
    ///
    /// # Errors
    /// A panic of `change`, or of a stage, which is a bug. The text cannot be continued.
    ///
    /// ```
    /// let sieve = urisieve::Sieve::builder().mode(urisieve::Mode::All).build();
    /// let mut rewriter = sieve.rewriter()?;
    /// let mut out = Vec::new();
    /// rewriter.push(b"see HTTP://A.example/b or\nx", &mut out, |_, uri| uri.push(b'?'))?;
    /// assert_eq!(out, b"see http://a.example/b? or\n");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn push(
        &mut self,
        piece: &[u8],
        out: &mut Vec<u8>,
        mut change: impl FnMut(&Finding, &mut Vec<u8>),
    ) -> Result<(), Error> {
        self.text.extend_from_slice(piece);
        // Where no line ended, there is no other cut than before.
        if memchr::memchr(b'\n', piece).is_some() {
            let len = self.text.len();
            let from = self
                .searched
                .max(len.saturating_sub(self.cutter.look_back()));
            let fresh = from == self.searched && self.carry.is_none();
            match self.cutter.cut(&self.text[from..], fresh) {
                Cut::Safe(at) if at > 0 => self.search(from + at, true, out, &mut change)?,
                _ => {}
            }
        }
        if self.text.len() - self.searched >= self.config.reading.block_size {
            self.search(self.text.len(), false, out, &mut change)?;
        }
        Ok(())
    }

    /// Ends a text, and appends the rest of it to `out`. The next piece begins another one.
    ///
    /// # Errors
    /// Those of [`push`](Rewriter::push).
    ///
    /// ```
    /// let sieve = urisieve::Sieve::builder().mode(urisieve::Mode::All).build();
    /// let mut rewriter = sieve.rewriter()?;
    /// let mut out = Vec::new();
    /// rewriter.push(b"HTTP://a.example/", &mut out, |_, _| {})?;
    /// assert!(out.is_empty());
    /// rewriter.finish(&mut out, |_, _| {})?;
    /// assert_eq!(out, b"http://a.example/");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn finish(
        &mut self,
        out: &mut Vec<u8>,
        mut change: impl FnMut(&Finding, &mut Vec<u8>),
    ) -> Result<(), Error> {
        let ended = match self.text.len() > self.searched || self.carry.is_some() {
            true => self.search(self.text.len(), true, out, &mut change),
            false => Ok(()),
        };
        self.begin();
        self.texts += 1;
        ended
    }

    /// Begins a text.
    fn begin(&mut self) {
        self.carry = None;
        self.text.clear();
        (self.searched, self.offset) = (0, 0);
        self.worker.lines = LineState::start(self.worker.logs.as_deref());
    }

    /// Returns the counts of the texts so far.
    ///
    /// ```
    /// let sieve = urisieve::Sieve::builder().mode(urisieve::Mode::All).build();
    /// let mut rewriter = sieve.rewriter()?;
    /// rewriter.push(b"see http://a.example/b or\n", &mut Vec::new(), |_, _| {})?;
    /// assert_eq!(rewriter.stats().occurrences, 1);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Searches the bytes up to `to`, which end the text or are at a safe cut if `is_end`, and
    /// writes what is decided.
    fn search(
        &mut self,
        to: usize,
        is_end: bool,
        out: &mut Vec<u8>,
        change: &mut dyn FnMut(&Finding, &mut Vec<u8>),
    ) -> Result<(), Error> {
        let searched = fault::catch(|| self.scan(to, is_end));
        let decided = match searched {
            Ok(decided) => decided,
            Err(panic) => {
                let lists = Arc::clone(&self.worker.lists);
                self.worker = worker(&self.config, &lists);
                self.begin();
                return Err(panic.error(self.texts, REWRITTEN));
            }
        };
        self.stats += self.batch.stats;
        let written = fault::catch(|| fault::call(|| self.write(out, change)));
        let written = written.map_err(|panic| panic.error(self.texts, REWRITTEN))?;
        let decided = decided.max(written);
        out.extend_from_slice(&self.text[written..decided]);
        self.text.drain(..decided);
        self.searched = to.saturating_sub(decided);
        self.offset += decided as u64;
        Ok(())
    }

    /// Searches the bytes up to `to` into the batch. Returns the number of the bytes of the text
    /// in which nothing more is found.
    fn scan(&mut self, to: usize, is_end: bool) -> usize {
        self.batch.clear();
        self.batch.input = self.texts;
        let piece = BlockPiece {
            bytes: &self.text[self.searched..to],
            encoding: Encoding::Raw,
            decoded_from: None,
            offset: self.offset + self.searched as u64,
            doubt: None,
            context: OwnedContext::nothing(),
            lines: true,
        };
        self.worker.keys.set_record(RecordExchange::default());
        let carry = self.carry.take();
        self.carry = scan_piece(&mut self.worker, &piece, carry, is_end, &mut self.batch);
        match &self.carry {
            None => to,
            Some(carry) => carry.decided.saturating_sub(self.offset) as usize,
        }
        .min(to)
    }

    /// Writes the text up to the last URI of the batch that is replaced. Returns where that
    /// ends.
    fn write(
        &mut self,
        out: &mut Vec<u8>,
        change: &mut dyn FnMut(&Finding, &mut Vec<u8>),
    ) -> usize {
        let Rewriter {
            batch,
            text,
            offset,
            changed,
            ..
        } = self;
        let items = &batch.items;
        let is_before = |a: &WorkItem| (a.offset, Reverse(a.length));
        let is_sorted = items.is_sorted_by_key(is_before);
        if !is_sorted {
            changed.order.clear();
            changed.order.extend(0..items.len() as u32);
            changed
                .order
                .sort_by_key(|&n| is_before(&items[n as usize]));
        }
        let mut written = 0;
        let mut last = (u64::MAX, 0);
        for number in 0..items.len() {
            let item = match is_sorted {
                true => &items[number],
                false => &items[changed.order[number] as usize],
            };
            // Another reading of the same text.
            if std::mem::replace(&mut last, (item.offset, item.length)) == last {
                continue;
            }
            let start = item.offset.saturating_sub(*offset) as usize;
            let range = start..(start + item.length as usize).min(text.len());
            if range.start < written || range.is_empty() {
                continue;
            }
            let finding = batch.finding(item);
            let [canonical, redacted] = &mut changed.buffers;
            let mut new = self.canonicalizer.canonicalize(finding.uri, canonical);
            if let Some(redactor) = &self.redactor {
                new = redactor.redact(new, redacted);
            }
            changed.uri.clear();
            changed.uri.extend_from_slice(new);
            change(&finding, &mut changed.uri);
            let is_same = changed.uri == finding.uri && !item.marks.refanged;
            let place = &text[range.clone()];
            let replaced = match is_same {
                true => None,
                false => in_place((place, item.part), &finding, &changed.uri),
            };
            let Some(new) = replaced else { continue };
            out.extend_from_slice(&text[written..range.start]);
            match item.marks.refanged {
                true => write_refanged(place, finding.uri, new, out),
                false => write_in_place(place, finding.uri, new, out),
            }
            written = range.end;
        }
        written
    }
}

/// What of an input is passed on as it is, because it cannot be written again.
///
/// ```
/// use urisieve::RewriteLimit;
/// assert_eq!(RewriteLimit::of(b"GET http://a.example/\n"), None);
/// assert_eq!(RewriteLimit::of(b"\xFF\xFEh\0"), Some(RewriteLimit::Whole("UTF-16")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewriteLimit {
    /// All of it: archives, UTF-16, documents that are no text.
    Whole(&'static str),
    /// Parts that are encoded, such as bodies of mail in base64.
    Parts(&'static str),
}

impl RewriteLimit {
    /// Returns the limit of an input that begins with `head`, of which some hundred bytes are
    /// enough.
    ///
    /// ```
    /// use urisieve::RewriteLimit;
    /// assert_eq!(RewriteLimit::of(b"WARC/1.0\r\n"), Some(RewriteLimit::Whole("WARC")));
    /// let mail = b"From: a@a.example\r\nMIME-Version: 1.0\r\nTo: b@a.example\r\n\r\n";
    /// assert_eq!(RewriteLimit::of(mail), Some(RewriteLimit::Parts("mail")));
    /// ```
    pub fn of(head: &[u8]) -> Option<RewriteLimit> {
        if utf16_bom(head).is_some() {
            return Some(RewriteLimit::Whole("UTF-16"));
        }
        if let Some(archive) = ArchiveFormat::of(head) {
            return Some(RewriteLimit::Whole(archive.title));
        }
        if head.starts_with(b"%PDF-") {
            return Some(RewriteLimit::Whole("PDF"));
        }
        // Fields of catalogues end with the last ones.
        if head.iter().any(|byte| matches!(byte, 0 | 0x1D..=0x1F)) {
            return Some(RewriteLimit::Whole("not text"));
        }
        let expected = ExpectedFormat {
            is_text: true,
            ..ExpectedFormat::default()
        };
        let found = expected.media_type(head, true).flatten();
        let mail = InputFormat::named("mail").map(InputFormat::media_type);
        (mail.is_some() && found == mail).then_some(RewriteLimit::Parts("mail"))
    }
}

impl fmt::Debug for Rewriter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Rewriter")
            .field("texts", &self.texts)
            .finish_non_exhaustive()
    }
}

fn worker(config: &RunConfig, lists: &Arc<Lists>) -> Worker {
    let mut worker = Worker::new(config, Mode::All, &Hasher::new(), lists);
    worker.shows_parts = true;
    worker.lines = LineState::start(worker.logs.as_deref());
    worker
}

/// Returns where `scheme` ends in `place`, if that begins with it. A line may end in the scheme of
/// a wrapped URI, and the next one may begin with a leader (W4, W5).
fn scheme_end(place: &[u8], scheme: &[u8], is_wrapped: bool) -> Option<usize> {
    let mut end = 0;
    for letter in scheme {
        let is_between = |byte: &u8| matches!(byte, b'\n' | b'\r') || is_of_leader(*byte);
        if is_wrapped {
            end += place[end..]
                .iter()
                .take_while(|byte| is_between(byte))
                .count();
        }
        let byte = place.get(end)?;
        if !byte.eq_ignore_ascii_case(letter) {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// Returns the part of `new` that replaces the URI of a finding at its `place`. The line of a
/// log may have only a part of the URL that it states: the path, or the query as a field of its
/// own. `None` where that part is not changed.
fn in_place<'n>(
    (place, part): (&[u8], RequestPart),
    finding: &Finding<'n>,
    new: &'n [u8],
) -> Option<&'n [u8]> {
    let Marks {
        abbreviated,
        refanged,
        identifier,
        wrapped,
        ..
    } = finding.marks;
    let known = finding.uri;
    let scheme = scheme::prefix_len(known).map(|len| &known[..len]);
    let end = scheme.and_then(|scheme| scheme_end(place, scheme, wrapped > 0));
    match end.and_then(|end| place.get(end)) {
        // The colon may be an escape.
        Some(b':' | b'\\' | b'&') => return Some(new),
        _ if abbreviated || refanged || identifier.is_some() => return Some(new),
        _ if part == RequestPart::Target => {}
        // It is encoded in another URI.
        _ => return None,
    }
    let has_query = memchr::memchr(b'?', place).is_some();
    let is_path = matches!(place.first(), Some(b'/' | b'\\'));
    let part = |uri: &'n [u8]| {
        let components = Components::parse(uri);
        let path = components.path_range();
        let query_end = path.end + components.query(uri).map_or(0, |query| query.len() + 1);
        match place.first() {
            _ if is_path && has_query => &uri[path.start..],
            _ if is_path => &uri[path],
            Some(b'?') => &uri[path.end..query_end],
            _ => &uri[(path.end + 1).min(query_end)..query_end],
        }
    };
    match (part(known), part(new)) {
        (before, after) if before.is_empty() || before == after => None,
        (_, b"") if is_path => Some(b"/"),
        // Logs write `-` for a query that is absent.
        (_, b"") => Some(b"-"),
        (_, after) => Some(after),
    }
}
