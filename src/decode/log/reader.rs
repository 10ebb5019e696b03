//! Reads log lines one by one (G1 to G10): prefixes are taken away, the shape is found, and the
//! URL that was asked for is written. The only state between lines are the names of columns.

use super::columns::Columns;
use super::format::{LogChoice, LogFormat};
use super::names::LogPart;
use super::prefix::{DEPTH_MAX, Prefix};
use super::quoting::ValueQuoting;
use super::request_line::{RequestLine, is_absolute, is_target_of};
use super::shape::LogShape;
use super::stated::{LineValue, LineValues};
use super::time::read_time;
use super::url::{LastOrigin, LogBase, LogEscape, write_referer, write_url};
use super::value::{HostField, is_nothing};
use super::{object, pairs, quoted};
use crate::item::{Exchange, RequestPart, Timestamp, UtcOffset};
use std::ops::Range;
use std::sync::Arc;

/// The first bytes of a text that decide whether it has requests (G12).
pub(crate) const HEAD: u64 = 64 << 10;

/// The longest line or record that is read as a request. A longer one is text.
pub(crate) const RECORD_MAX: usize = 256 << 10;

/// The number of bytes in which the first mark of a shape is searched for.
const MARK_WITHIN: usize = 1024;

/// Every shape but that of Squid has one of these bytes before a URL.
static MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let mut number = 0;
    let listed = b"[\"=\t{#:,;|";
    while number < listed.len() {
        marks[listed[number] as usize] = true;
        number += 1;
    }
    marks
};

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

/// The request of a line or record. Ranges are those of the line.
///
/// ```
/// assert_eq!(urisieve::decode::LogRequest::default(), Default::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogRequest {
    /// The URL that was asked for, and whether it is [plain](crate::syntax::plain_url).
    pub(crate) url: (Vec<u8>, bool),
    /// The place of the target.
    pub(crate) target: Range<usize>,
    /// The target as written, without the escapes of the format around it; empty where that is
    /// the text of the line.
    pub(crate) written: Vec<u8>,
    /// The URL of the referer, which is empty without one, and whether it is plain.
    pub(crate) referer: (Vec<u8>, bool),
    /// The place of the referer.
    pub(crate) referer_at: Range<usize>,
    /// The query and the host where they are fields of their own, which are not searched
    /// (G11). An empty range has no meaning.
    pub(crate) silent: [Range<usize>; 2],
    method: Vec<u8>,
    client: Vec<u8>,
    status: Option<u16>,
    time: Option<Timestamp>,
}

impl LogRequest {
    /// The exchange, as far as the line states it.
    pub(crate) fn exchange(&self) -> Exchange<'_> {
        let part = |bytes| Some(bytes).filter(|bytes: &&[u8]| !bytes.is_empty());
        Exchange {
            method: part(&self.method),
            status: self.status,
            time: self.time,
            client: part(&self.client),
        }
    }

    /// The places of the values of the line that are not searched as text, with the part that
    /// each is; `None` where it gives nothing (G11).
    pub(crate) fn values(&self) -> [(&Range<usize>, Option<RequestPart>); 4] {
        let [query, host] = &self.silent;
        [
            (&self.target, Some(RequestPart::Target)),
            (&self.referer_at, Some(RequestPart::Referer)),
            (query, None),
            (host, None),
        ]
    }

    /// Whether one of these values is in this range of the line.
    pub(crate) fn has_value_in(&self, range: Range<usize>) -> bool {
        let mut values = self.values().into_iter();
        values.any(|(value, _)| value.start < range.end && range.start < value.end)
    }

    /// Changes all ranges.
    pub(crate) fn map(&mut self, place: impl Fn(Range<usize>) -> Range<usize>) {
        let [query, host] = &mut self.silent;
        for range in [&mut self.target, &mut self.referer_at, query, host] {
            *range = place(range.clone());
        }
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
        let is_hostless = self.base.is_none() && columns.is_none() && !begins;
        if is_hostless
            && self.format.reads(LogShape::Clf)
            && let Some(is_request) = quoted::has_hostless_request(line)
        {
            return match is_request {
                true => LineKind::NoHost,
                false => LineKind::Garbage,
            };
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
            b'{' if self.format.reads(LogShape::Json) => {
                object::read(line, &mut stated).then_some(LogShape::Json)
            }
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
        request.target = target.range();
        request.written.clear();
        if !target.is_raw() {
            let written = stated.bytes(line, target);
            request.written.extend_from_slice(written);
        }
        request.silent = [range_of(LogPart::Query), range_of(LogPart::Host)];
        request.referer.0.clear();
        request.referer_at = 0..0;
        if let Some(value) = stated.value(LogPart::Referer) {
            let text = stated.bytes(line, value);
            if is_absolute(text) {
                let out = &mut request.referer.0;
                request.referer.1 = write_referer(text, how.escape, out);
                request.referer_at = value.range();
            }
        }
        request.time = time;
        request.status = None;
        request.method.clear();
        request.client.clear();
        if !self.reads_exchange {
            return LineKind::Request;
        }
        let status = stated.of(line, LogPart::Status).unwrap_or_default();
        request.status = read_status(status);
        let method = stated.of(line, LogPart::Method).unwrap_or_default();
        request.method.extend_from_slice(method);
        let client = stated.of(line, LogPart::Client).unwrap_or_default();
        request.client.extend_from_slice(client_of(client));
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
            // The headers of W3C and Zeek have these bytes, and few other lines do.
            let mark = match begins {
                true => (from < text.len()).then_some(from),
                false => memchr::memmem::find(&text[from..], b"ields").map(|at| from + at),
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

/// Reads a status code; `000` states nothing.
fn read_status(text: &[u8]) -> Option<u16> {
    let [a, b, c] = *text else {
        return None;
    };
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    let status = digit(a)? * 100 + digit(b)? * 10 + digit(c)?;
    (status > 0).then_some(status)
}

/// Returns the first client of a list, without its port.
fn client_of(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(b',', text).unwrap_or(text.len());
    let first = text[..end].trim_ascii();
    if is_nothing(first) {
        return b"";
    }
    match HostField::of(first) {
        Some(field) => {
            let host = field.host;
            let bare = host.strip_prefix(b"[").unwrap_or(host);
            bare.strip_suffix(b"]").unwrap_or(bare)
        }
        None => first,
    }
}
