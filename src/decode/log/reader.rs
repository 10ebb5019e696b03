//! Reads log lines one by one (G1 to G10): prefixes are taken away, the shape is found, and the
//! URL that was asked for is written. The only state between lines are the names of columns.

use super::columns::Columns;
use super::format::{LogChoice, LogFormat};
use super::names::LogPart;
use super::object::ObjectKind;
use super::prefix::{DEPTH_MAX, Prefix};
use super::quoted::Looked;
use super::quoting::ValueQuoting;
use super::request::LogRequest;
use super::request_line::{RequestLine, is_target_of};
use super::shape::LogShape;
use super::stated::{LineValue, LineValues};
use super::time::read_time;
use super::url::{LastOrigin, LogBase, LogEscape, write_url};
use super::value::HostField;
use super::{object, pairs, quoted};
use crate::item::{Timestamp, UtcOffset};
use crate::syntax::class::table_of;
use std::ops::Range;
use std::sync::Arc;

/// The first bytes of a text that decide whether it has requests (G12).
pub(crate) const HEAD: u64 = 64 << 10;

/// The longest line or record that is read as a request. A longer one is text.
pub(crate) const RECORD_MAX: usize = 256 << 10;

/// The number of bytes in which the first mark of a shape is searched for.
const MARK_WITHIN: usize = 1024;

/// Every shape but that of Squid has one of these bytes before a URL.
static MARKS: [bool; 256] = table_of(b"[\"=\t{#:,;|");

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// No request: text.
    Text,
    /// The line names columns. It is text.
    Header,
    /// The line states a request, which is in [`LineReader::request`].
    Request,
    /// The line states a request, but no host is known (G9). It is text.
    NoHost,
    /// The line has the shape of a request, but the request is not one (G4). It is text.
    Garbage,
}

impl LineKind {
    /// Whether a text with such a line has requests (G12).
    pub(crate) fn is_of_log(self) -> bool {
        !matches!(self, LineKind::Text | LineKind::Garbage)
    }
}

/// Reads lines.
#[derive(Clone, Debug)]
pub(crate) struct LineReader {
    format: LogFormat,
    base: Option<Arc<LogBase>>,
    zone: UtcOffset,
    /// The request of the last line that had one.
    pub request: LogRequest,
    /// The time that the last line states, if it is an object of JSON without a request.
    pub time: Option<Timestamp>,
    last_origin: LastOrigin,
    /// Reused; not here while a line is read.
    stated: Option<Box<LineValues>>,
    /// Whether the exchange is read, too.
    pub reads_exchange: bool,
    /// Whether the referer is read, too.
    pub reads_referer: bool,
    /// Lines inside of lines, by their depth.
    inner: [Vec<u8>; DEPTH_MAX],
}

/// The state of reading a line that may be inside another.
#[derive(Clone, Copy)]
struct Around {
    /// The number of prefixes before it.
    depth: usize,
    time: Option<Timestamp>,
    /// The line is the first one.
    begins: bool,
}

/// How values are written in a line.
#[derive(Clone, Copy)]
struct HowStated {
    escape: LogEscape,
    quoting: ValueQuoting,
    /// Every such line has a request.
    has_request: bool,
}

impl HowStated {
    fn of(shape: LogShape) -> HowStated {
        let row = shape.row();
        HowStated {
            escape: row.escape,
            quoting: row.quoting,
            has_request: row.has_request,
        }
    }
}

impl LineReader {
    /// Creates a reader. `base` is the URI whose scheme and authority are those of requests
    /// without a host; times without an offset are at `zone`.
    pub(crate) fn new(format: LogFormat, base: Option<&[u8]>, zone: UtcOffset) -> LineReader {
        LineReader {
            base: base.and_then(LogBase::of).map(Arc::new),
            zone,
            request: LogRequest::default(),
            time: None,
            last_origin: LastOrigin::default(),
            stated: Some(Box::new(LineValues::with_names(&format.fields))),
            reads_exchange: true,
            reads_referer: true,
            inner: Default::default(),
            format,
        }
    }

    /// Reads a line without the bytes that end it. `columns` are those that the last header
    /// named, and become those of this line if it is a header; the first line of a log
    /// `begins` it.
    pub(crate) fn read(
        &mut self,
        line: &[u8],
        columns: &mut Option<Arc<Columns>>,
        begins: bool,
    ) -> LineKind {
        self.time = None;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Places are numbers of 32 bits.
        if line.is_empty() || line.len() > u32::MAX as usize / 2 {
            return LineKind::Text;
        }
        if columns.is_none()
            && !begins
            && self.format.reads(LogShape::Clf)
            && let Some(kind) = self.look(line)
        {
            return kind;
        }
        let around = Around {
            depth: 0,
            time: None,
            begins,
        };
        match self.format.choice {
            LogChoice::Directive(_) => self.directive(line),
            _ if self.stays_text(line, columns.as_deref()) => LineKind::Text,
            _ => self.line(line, columns, around),
        }
    }

    /// Reads the beginning of a line or record that is too long, or that ends too early: it is
    /// text, whether it states a request or not.
    pub(crate) fn read_cut(&mut self, line: &[u8], columns: Option<&Arc<Columns>>) -> LineKind {
        let mut columns = columns.cloned();
        let begin = &line[..line.len().min(RECORD_MAX)];
        let kind = self.read(begin, &mut columns, false);
        self.time = None;
        match kind {
            LineKind::Text | LineKind::Header => LineKind::Text,
            LineKind::Request | LineKind::NoHost | LineKind::Garbage => LineKind::Garbage,
        }
    }

    /// Reads a line by a look at it; `None` where this is not enough.
    fn look(&mut self, line: &[u8]) -> Option<LineKind> {
        // The exchange takes more than a look.
        let known: &[u8] = match &self.stated {
            Some(stated) if !self.reads_exchange => &stated.known_name,
            _ => b"",
        };
        let (host, target, end) = match quoted::look(line, known)? {
            Looked::Garbage => return Some(LineKind::Garbage),
            Looked::Request { host, target, end } => (host, target, end),
        };
        if host.is_empty() && self.base.is_none() {
            return Some(LineKind::NoHost);
        }
        if self.reads_exchange {
            return None;
        }
        let (request, escape) = (&mut self.request, LogShape::Clf.row().escape);
        let texts = (&line[target.clone()], None);
        let (url, host_text) = (&mut request.url.0, &line[host.clone()]);
        request.url.1 = self.last_origin.write(host_text, texts, escape, url)?;
        request.begin(target, [0..0, host]);
        if self.reads_referer
            && let Some(place) = quoted::referer_behind(line, end)
        {
            request.set_referer(&line[place.clone()], place, escape);
        }
        Some(LineKind::Request)
    }

    /// Whether a line that begins with `line` is text, whatever follows: what precedes its
    /// first `://` is no beginning of a shape. Such a line need not be complete to be searched.
    pub(crate) fn stays_text(&self, line: &[u8], columns: Option<&Columns>) -> bool {
        if columns.is_some() || matches!(self.format.choice, LogChoice::Directive(_)) {
            return false;
        }
        let begin = &line[..line.len().min(MARK_WITHIN)];
        let is_mark = |byte: &u8| MARKS[usize::from(*byte)];
        let head = begin.iter().position(is_mark).unwrap_or(line.len());
        let digits = || line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        line[head..].starts_with(b"://") && digits() < *quoted::SECONDS.start()
    }

    /// Reads a line by the format of a configuration (G13), with its prefixes or without.
    fn directive(&mut self, line: &[u8]) -> LineKind {
        let LogChoice::Directive(directive) = &self.format.choice else {
            return LineKind::Text;
        };
        let directive = Arc::clone(directive);
        let behind = Behind::prefixes(line, 0);
        let mut stated = self.stated.take().unwrap_or_default();
        let mut kind = LineKind::Text;
        let messages = [0, behind.message].map(|start| &line[start..]);
        for text in &messages[..2 - usize::from(behind.is_partial)] {
            stated.clear();
            if !directive.read(text, &mut stated) {
                continue;
            }
            let how = HowStated {
                escape: directive.escape,
                quoting: directive.quoting(),
                has_request: true,
            };
            kind = self.state(text, how, &mut stated, None);
            let start = line.len() - text.len();
            self.request
                .map(|range| range.start + start..range.end + start);
            break;
        }
        self.stated = Some(stated);
        kind
    }

    fn line(
        &mut self,
        line: &[u8],
        columns: &mut Option<Arc<Columns>>,
        mut around: Around,
    ) -> LineKind {
        let behind = Behind::prefixes(line, around.depth);
        if behind.is_partial {
            return LineKind::Text;
        }
        around.depth = behind.depth;
        around.time = behind.time.or(around.time);
        let start = behind.message;
        let kind = self.message(&line[start..], columns, around);
        if kind == LineKind::Request && start > 0 {
            self.request
                .map(|range| range.start + start..range.end + start);
        }
        kind
    }

    /// Reads a line without its prefixes.
    fn message(
        &mut self,
        line: &[u8],
        columns: &mut Option<Arc<Columns>>,
        around: Around,
    ) -> LineKind {
        let Some(&first) = line.first() else {
            return LineKind::Text;
        };
        if let Some(found) = Columns::of(line, around.begins, &self.format.fields)
            && self.format.reads(found.shape)
        {
            *columns = Some(Arc::new(found));
            return LineKind::Header;
        }
        let mut stated = self.stated.take().unwrap_or_default();
        stated.clear();
        stated.has_exchange = self.reads_exchange;
        stated.has_referer = self.reads_referer;
        let shape = match first {
            b'#' => None,
            b'{' if self.format.reads(LogShape::Json) => match object::read(line, &mut stated) {
                ObjectKind::Whole => Some(LogShape::Json),
                ObjectKind::Other => None,
                ObjectKind::Cut => {
                    let kind = match stated.begins_request(line) {
                        true => LineKind::Garbage,
                        false => LineKind::Text,
                    };
                    self.stated = Some(stated);
                    return kind;
                }
            },
            b'{' => None,
            _ => self.row_or_line(line, columns.as_deref(), &mut stated),
        };
        let kind = match shape.filter(|shape| self.format.reads(*shape)) {
            None => LineKind::Text,
            Some(shape) => self.state(line, HowStated::of(shape), &mut stated, around.time),
        };
        let inner = stated.value(LogPart::Message).map(LineValue::range);
        if kind != LineKind::Text {
            self.stated = Some(stated);
            return kind;
        }
        if shape == Some(LogShape::Json) && self.reads_exchange {
            self.time = self.time_of(line, &stated).or(around.time);
        }
        self.stated = Some(stated);
        match inner {
            Some(range) if shape == Some(LogShape::Json) && around.depth < DEPTH_MAX => {
                self.inner(line, range, columns, around)
            }
            _ => LineKind::Text,
        }
    }

    /// Reads a line that is a string of the object `line` (G2).
    fn inner(
        &mut self,
        line: &[u8],
        raw: Range<usize>,
        columns: &mut Option<Arc<Columns>>,
        around: Around,
    ) -> LineKind {
        let text = &line[raw.clone()];
        let mut inner = std::mem::take(&mut self.inner[around.depth]);
        inner.clear();
        ValueQuoting::Json.undo(text, &mut inner);
        let end = inner
            .iter()
            .rposition(|byte| !matches!(byte, b'\r' | b'\n'));
        let around_inner = Around {
            depth: around.depth + 1,
            time: self.time,
            begins: false,
        };
        let message = &inner[..end.map_or(0, |end| end + 1)];
        let kind = match memchr::memchr(b'\n', message) {
            None => self.line(message, columns, around_inner),
            // Several lines are no record.
            Some(_) => LineKind::Text,
        };
        if kind == LineKind::Request {
            if self.request.written.is_empty() {
                let written = &message[self.request.target.clone()];
                self.request.written.extend_from_slice(written);
            }
            self.request.map(|range| {
                let found = ValueQuoting::Json.raw_range(text, range);
                found.start + raw.start..found.end + raw.start
            });
        }
        let depth = around.depth;
        self.inner[depth] = inner;
        kind
    }

    fn row_or_line(
        &self,
        line: &[u8],
        columns: Option<&Columns>,
        stated: &mut LineValues,
    ) -> Option<LogShape> {
        if let Some(columns) = columns {
            if columns.read(line, stated) {
                return Some(columns.shape);
            }
            stated.clear();
        }
        if let Some(shape) = quoted::read(line, stated) {
            return Some(shape);
        }
        stated.clear();
        pairs::read(line, stated)
    }

    /// Returns the time that `stated` has.
    fn time_of(&self, line: &[u8], stated: &LineValues) -> Option<Timestamp> {
        let zone = match stated.is_utc {
            true => UtcOffset::UTC,
            false => self.zone,
        };
        let time = stated.of(line, LogPart::Time)?;
        let Some(date) = stated.of(line, LogPart::Date) else {
            return read_time(time, zone);
        };
        // W3C: a date and a time of day.
        let mut joined = [b' '; 64];
        let len = date.len() + 1 + time.len();
        let whole = joined.get_mut(..len)?;
        whole[..date.len()].copy_from_slice(date);
        whole[date.len() + 1..].copy_from_slice(time);
        read_time(whole, zone).or_else(|| read_time(time, zone))
    }

    /// Decides whether `stated` has a request (G4, G5), and writes it.
    fn state(
        &mut self,
        line: &[u8],
        how: HowStated,
        stated: &mut LineValues,
        time: Option<Timestamp>,
    ) -> LineKind {
        stated.settle_host(line);
        let stated_line = stated.value(LogPart::Line);
        let value = stated_line.map(|value| (value, stated.bytes(line, value)));
        match value.map(|(value, text)| (value, RequestLine::of(text))) {
            Some((value, Some(read))) => {
                let method = value.part(line, read.method, how.quoting);
                let target = value.part(line, read.target, how.quoting);
                stated.set(line, LogPart::Method, method);
                stated.set(line, LogPart::Target, target);
                stated.take(LogPart::Query);
            }
            Some((_, None)) => return LineKind::Garbage,
            None => {
                let method = stated.of(line, LogPart::Method);
                let target = stated.of(line, LogPart::Target);
                match (method, target) {
                    (Some(method), Some(target)) if is_target_of(method, target) => {}
                    (Some(_), Some(_)) => return LineKind::Garbage,
                    _ if how.has_request => return LineKind::Garbage,
                    _ => return LineKind::Text,
                }
            }
        }
        let Some(target) = stated.value(LogPart::Target) else {
            return LineKind::Garbage;
        };
        let time = match self.reads_exchange {
            true => self.time_of(line, stated).or(time),
            false => None,
        };
        let request = &mut self.request;
        let origin = (self.base.as_deref(), self.format.fields.scheme());
        let last = &mut self.last_origin;
        let out = &mut request.url.0;
        let Some(is_plain) = write_url(line, stated, how.escape, origin, last, out) else {
            return LineKind::NoHost;
        };
        request.url.1 = is_plain;
        let range_of = |part| stated.value(part).map_or(0..0, LineValue::range);
        // A value that is no host is text (G11).
        let host = stated.of(line, LogPart::Host).and_then(HostField::of);
        let host = host.map_or(0..0, |_| range_of(LogPart::Host));
        let silent = [range_of(LogPart::Query), host];
        request.begin(target.range(), silent);
        if !target.is_raw() {
            let written = stated.bytes(line, target);
            request.written.extend_from_slice(written);
        }
        if let Some(value) = stated.value(LogPart::Referer) {
            request.set_referer(stated.bytes(line, value), value.range(), how.escape);
        }
        if self.reads_exchange {
            let part = |part| stated.of(line, part).unwrap_or_default();
            let parts = (
                part(LogPart::Method),
                part(LogPart::Status),
                part(LogPart::Client),
            );
            request.set_exchange(parts, time);
        }
        LineKind::Request
    }

    /// Sets `columns` to those that the last header in `text` names, which consists of whole
    /// lines; the first of them may begin the log. The lines that may be headers are read.
    pub(crate) fn pass_headers(
        &mut self,
        text: &[u8],
        columns: &mut Option<Arc<Columns>>,
        mut begins: bool,
    ) {
        let mut from = 0;
        loop {
            let mark = match begins {
                true => (from < text.len()).then_some(from),
                false => header_mark(&text[from..]).map(|at| from + at),
            };
            let Some(mark) = mark else {
                return;
            };
            let start = memchr::memrchr(b'\n', &text[..mark]).map_or(0, |at| at + 1);
            let end = memchr::memchr(b'\n', &text[mark..]).map_or(text.len(), |at| mark + at);
            let line = &text[start..end];
            if line.len() <= RECORD_MAX {
                self.read(line, columns, begins);
            }
            begins = false;
            from = (end + 1).min(text.len());
        }
    }

    /// Whether the first bytes decide that there are requests (G12).
    pub(crate) fn is_auto(&self) -> bool {
        self.format.choice == LogChoice::Auto
    }
}

/// Returns where the first mark of a header of W3C or Zeek is.
fn header_mark(text: &[u8]) -> Option<usize> {
    let is_mark = |at: &usize| {
        let rest = &text[*at..];
        rest.starts_with(b"#Fields") || rest.starts_with(b"#fields")
    };
    memchr::memchr_iter(b'#', text).find(is_mark)
}

/// Whether a line on its own states a request.
pub(crate) fn states_request(line: &[u8]) -> bool {
    let mut reader = LineReader::new(LogFormat::default(), None, UtcOffset::UTC);
    reader.read(line, &mut None, false).is_of_log()
}

/// The place behind the prefixes of a line (G2).
#[derive(Clone, Copy)]
struct Behind {
    message: usize,
    /// The number of prefixes, and of those that were before the line.
    depth: usize,
    /// The time of the last prefix that has one.
    time: Option<Timestamp>,
    /// The message is a part of a longer one.
    is_partial: bool,
}

impl Behind {
    /// Goes behind the prefixes of `line`, which is behind this number of others.
    fn prefixes(line: &[u8], depth: usize) -> Behind {
        let mut behind = Behind {
            message: 0,
            depth,
            time: None,
            is_partial: false,
        };
        while behind.depth < DEPTH_MAX
            && !behind.is_partial
            && let Some(prefix) = Prefix::of(&line[behind.message..])
        {
            behind.depth += 1;
            behind.time = prefix.time.or(behind.time);
            behind.message += prefix.message;
            behind.is_partial = prefix.partial;
        }
        behind
    }
}
