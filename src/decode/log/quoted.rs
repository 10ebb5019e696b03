//! Lines with the request in quotation marks (G3): the logs of web servers, proxies and load
//! balancers. Squid, which has none, is here too, since its fields are separated by blanks.

use super::names::LogPart;
use super::request_line::{RequestLine, closing_quote};
use super::shape::LogShape;
use super::stated::{LineValue, LineValues};
use super::time::{CLF_LEN, is_clf};
use super::value::{HostField, is_web_scheme};
use crate::syntax::class::are_all;
use crate::syntax::syslog::rfc3339;
use std::ops::{Range, RangeInclusive};

/// The greatest number of fields before the time that are looked at.
const BEFORE_MAX: usize = 16;

/// The number of bytes in which the bracket of the time is searched for.
const TIME_WITHIN: usize = 2048;

/// The length of fields, such as a status or a size, that are read byte by byte.
const SHORT: usize = 8;

/// The numbers of digits of a time in seconds, with which lines of Squid begin.
pub(super) const SECONDS: RangeInclusive<usize> = 9..=11;

/// The kinds of listeners of load balancers.
const LISTENERS: [&[u8]; 6] = [b"http", b"https", b"h2", b"grpcs", b"ws", b"wss"];

/// The result of a look at a line of a web server.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Looked {
    /// A request for a target in origin form. The host is empty where the line states none, and
    /// `end` is the end of the request.
    Request {
        host: Range<usize>,
        target: Range<usize>,
        end: usize,
    },
    /// No request.
    Garbage,
}

/// Looks at a line that begins with the host `known`, which is a name behind which a port may be,
/// or with a client, as most lines of web servers do (`clf`). `None` where the line may be
/// anything else.
pub(super) fn look(line: &[u8], known: &[u8]) -> Option<Looked> {
    let has_host =
        !known.is_empty() && line.starts_with(known) && line.get(known.len()) == Some(&b' ');
    let host = if has_host { 0..known.len() } else { 0..0 };
    let start = if has_host { known.len() + 1 } else { 0 };
    // A prefix begins with a time, or with letters (G2).
    let may_be = match *line.get(start)? {
        b'0'..=b'9' => has_host || line.get(4) != Some(&b'-'),
        // Behind `-` may be another host (G6).
        first => first.is_ascii_lowercase() || has_host && !matches!(first, b' ' | b'-'),
    };
    if !may_be {
        return None;
    }
    let within = &line[start..line.len().min(TIME_WITHIN).max(start)];
    let len = memchr::memchr(b'[', within)?;
    let (tokens, open) = (count_tokens(&within[..len])?, start + len);
    // Of four the first may be a host, of three it is not (G6).
    if has_host != (tokens + usize::from(has_host) > 3) || !is_clf(&line[open + 1..]) {
        return None;
    }
    let request = request_at(line, behind_time(line, open)?)?;
    let Some(read) = RequestLine::of(&line[request.clone()]) else {
        return Some(Looked::Garbage);
    };
    let target = request.start + read.target.start..request.start + read.target.end;
    (line[target.start] == b'/').then_some(Looked::Request {
        host,
        target,
        end: request.end,
    })
}

/// Returns the number of fields of `head`, before which may be a host; `None` if the line may
/// have another prefix, or begin with a URL.
fn count_tokens(head: &[u8]) -> Option<usize> {
    // Few lines name a user.
    if let Some(client) = head.strip_suffix(b" - - ")
        && !client.is_empty()
        && are_all(client, &OF_ADDRESS)
    {
        return Some(3);
    }
    let (mut tokens, mut is_blank) = (0, true);
    for byte in head {
        match byte {
            b' ' => is_blank = true,
            b'|' | b'/' => return None,
            _ => tokens += usize::from(std::mem::replace(&mut is_blank, false)),
        }
    }
    Some(tokens)
}

/// The bytes of addresses.
static OF_ADDRESS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        table[byte as usize] = byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':');
        byte += 1;
    }
    table
};

/// Returns the place of the request of a server whose quotation mark is at `quote`.
fn request_at(line: &[u8], quote: usize) -> Option<Range<usize>> {
    let text = line.get(quote..)?.strip_prefix(b"\"")?;
    let start = quote + 1;
    Some(start..start + closing_quote(text, is_status)?)
}

/// Whether the line ends in the request with which `text` begins, or before its status does.
/// Such a line has its shape, but no request.
fn is_cut(text: &[u8]) -> bool {
    closing_quote(text, |rest| ends_field(rest) && rest.len() > " 20".len()).is_none()
}

/// Returns the places of the status and of the referer, behind the request that ends at `end`.
fn behind_request(line: &[u8], end: usize) -> Option<(Range<usize>, Option<Range<usize>>)> {
    let mut fields = Fields { line, at: end + 1 };
    let (status, _) = fields.next()?;
    fields.next();
    let referer = fields.next().filter(|(_, quoted)| *quoted);
    Some((status, referer.map(|(place, _)| place)))
}

/// Returns the place of the referer behind the request that ends at `end`.
pub(super) fn referer_behind(line: &[u8], end: usize) -> Option<Range<usize>> {
    behind_request(line, end)?.1
}

/// Returns where the text behind the time of a web server begins, whose bracket is at `open`, if
/// an offset and a blank are at the end of the time.
fn behind_time(line: &[u8], open: usize) -> Option<usize> {
    match line[open + 1 + CLF_LEN..] {
        [b' ', b'+' | b'-', _, _, _, _, b']', b' ', ..] => Some(open + 1 + CLF_LEN + 8),
        _ => None,
    }
}

/// Reads a line of one of these shapes into `stated`. The request line is not judged.
pub(super) fn read(line: &[u8], stated: &mut LineValues) -> Option<LogShape> {
    let within = &line[..line.len().min(TIME_WITHIN)];
    for open in memchr::memchr_iter(b'[', within) {
        let inside = &line[open + 1..];
        if is_clf(inside) {
            if inside.get(CLF_LEN) == Some(&b'.') {
                return haproxy(line, open, stated);
            }
            let after = behind_time(line, open)?;
            if stated.has_exchange {
                stated.set(line, LogPart::Time, LineValue::raw(open + 1..after - 2));
            }
            return of_server(line, open, after, stated);
        }
        if open == 0
            && let Some(len) = rfc3339(inside)
            && inside[len..].starts_with(b"] \"")
        {
            stated.set(line, LogPart::Time, LineValue::raw(1..1 + len));
            return envoy(line, len + 4, stated);
        }
    }
    match *line.first()? {
        b'0'..=b'9' => squid(line, stated).or_else(|| elb(line, stated)),
        b'h' | b'g' | b'w' => elb(line, stated),
        _ => None,
    }
}

/// The fields of a line, which are separated by blanks.
struct Fields<'l> {
    line: &'l [u8],
    at: usize,
}

impl Fields<'_> {
    /// Returns the next field, and whether it is quoted. A quoted field is closed before a
    /// blank or the end.
    fn next(&mut self) -> Option<(Range<usize>, bool)> {
        let rest = self.line.get(self.at..)?;
        self.at += rest.iter().take_while(|byte| **byte == b' ').count();
        let rest = self.line.get(self.at..).filter(|rest| !rest.is_empty())?;
        if rest[0] == b'"'
            && let Some(len) = closing_quote(&rest[1..], ends_field)
        {
            let range = self.at + 1..self.at + 1 + len;
            self.at = range.end + 1;
            return Some((range, true));
        }
        let is_blank = |byte: &u8| *byte == b' ';
        let short = rest.iter().take(SHORT).position(is_blank);
        let len = short.or_else(|| memchr::memchr(b' ', rest));
        let range = self.at..self.at + len.unwrap_or(rest.len());
        self.at = range.end;
        Some((range, false))
    }
}

/// Whether a field ends before `text`.
fn ends_field(text: &[u8]) -> bool {
    matches!(text.first(), None | Some(b' '))
}

/// Whether a status or `-` follows, which ends the request of a server.
fn is_status(text: &[u8]) -> bool {
    match text {
        [b' ', b'-', rest @ ..] => ends_field(rest),
        [b' ', a, b, c, rest @ ..] => {
            [a, b, c].iter().all(|digit| digit.is_ascii_digit()) && ends_field(rest)
        }
        _ => false,
    }
}

/// Reads a line with the time of a web server, whose bracket is at `open`. The text after the
/// time begins at `after`.
fn of_server(line: &[u8], open: usize, after: usize, stated: &mut LineValues) -> Option<LogShape> {
    if line.get(after) == Some(&b'"') {
        let Some(request) = request_at(line, after) else {
            return is_cut(&line[after + 1..]).then_some(LogShape::Clf);
        };
        let end = request.end;
        stated.set(line, LogPart::Line, LineValue::raw(request));
        before_time(line, open, stated);
        if !stated.has_exchange && !stated.has_referer {
            return Some(LogShape::Clf);
        }
        let (status, referer) = behind_request(line, end)?;
        stated.set(line, LogPart::Status, LineValue::raw(status));
        if let Some(referer) = referer {
            stated.set(line, LogPart::Referer, LineValue::raw(referer));
        }
        return Some(LogShape::Clf);
    }
    match open {
        0 => npm(line, after, stated).or_else(|| ssl_request(line, after, stated)),
        _ => s3(line, open, after, stated),
    }
}

/// Reads the client and the host from the fields before the time (G6).
fn before_time(line: &[u8], open: usize, stated: &mut LineValues) {
    let mut tokens: [Range<usize>; BEFORE_MAX] = Default::default();
    let mut count = 0;
    let mut start = 0;
    // Tokens are short.
    for (at, byte) in line[..open].iter().enumerate() {
        if *byte != b' ' {
            continue;
        }
        if at > start && count < BEFORE_MAX {
            tokens[count] = start..at;
            count += 1;
        }
        start = at + 1;
    }
    if open > start && count < BEFORE_MAX {
        tokens[count] = start..open;
        count += 1;
    }
    let tokens = &tokens[..count];
    // A list of addresses may be quoted, and has commas.
    let bare = |token: &Range<usize>| {
        let is_mark = |byte: &u8| matches!(byte, b'"' | b',');
        let text = &line[token.clone()];
        let start = text.iter().take_while(|byte| is_mark(byte)).count();
        let end = text[start..]
            .iter()
            .rev()
            .take_while(|byte| is_mark(byte))
            .count();
        token.start + start..token.end - end
    };
    if count <= 3 {
        if let Some(client) = tokens.first() {
            stated.set(line, LogPart::Client, LineValue::raw(bare(client)));
        }
        return;
    }
    let field = |token: &Range<usize>| HostField::of(&line[bare(token)]);
    let known = std::mem::take(&mut stated.known_name);
    let is_name = |token: &Range<usize>| {
        let text = &line[token.clone()];
        if text == known {
            return true;
        }
        let may_be = memchr::memchr(b'.', text).is_some() || text.starts_with(b"localhost");
        may_be
            && field(token).is_some_and(|host| {
                !host.is_address() && (host.host.contains(&b'.') || host.host == b"localhost")
            })
    };
    let has_dot = |token: &Range<usize>| is_name(token) && line[token.clone()].contains(&b'.');
    let third = (line[tokens[1].clone()] == *b"-" && has_dot(&tokens[2])).then_some(2);
    let named = third.or_else(|| tokens[..count - 2].iter().position(is_name));
    let host = named.or_else(|| {
        field(&tokens[0])
            .is_some_and(|host| host.port.is_some())
            .then_some(0)
    });
    stated.known_name = known;
    if let Some(named) = named {
        let name = &line[tokens[named].clone()];
        if stated.known_name != name {
            stated.known_name.clear();
            stated.known_name.extend_from_slice(name);
        }
    }
    if let Some(host) = host {
        stated.set(line, LogPart::Host, LineValue::raw(bare(&tokens[host])));
    }
    if !stated.has_exchange {
        return;
    }
    let mut others = (0..count).filter(|number| Some(*number) != host);
    let first = others.clone().next();
    let is_address = |number: &usize| field(&tokens[*number]).is_some_and(HostField::is_address);
    if let Some(client) = others.find(is_address).or(first) {
        stated.set(line, LogPart::Client, LineValue::raw(bare(&tokens[client])));
    }
}

/// `[time] client TLSv… cipher "request" size`, of Apache's `ssl_request_log`.
fn ssl_request(line: &[u8], after: usize, stated: &mut LineValues) -> Option<LogShape> {
    let mut fields = Fields { line, at: after };
    let (client, _) = fields.next()?;
    let (protocol, _) = fields.next()?;
    let is_tls = |name: &[u8]| name.starts_with(b"TLSv") || name.starts_with(b"SSLv");
    if !is_tls(&line[protocol.clone()]) {
        return None;
    }
    fields.next()?;
    let (request, true) = fields.next()? else {
        return None;
    };
    stated.set(line, LogPart::Client, LineValue::raw(client));
    stated.set(line, LogPart::Tls, LineValue::raw(protocol));
    stated.set(line, LogPart::Line, LineValue::raw(request));
    Some(LogShape::Clf)
}

/// `[time] … status - METHOD scheme host "target" [Client ip] … "referer"`.
fn npm(line: &[u8], after: usize, stated: &mut LineValues) -> Option<LogShape> {
    let quote = after + memchr::memchr(b'"', &line[after..])?;
    let mut last: [Range<usize>; 5] = Default::default();
    let mut count = 0;
    let mut fields = Fields {
        line: &line[..quote],
        at: after,
    };
    while let Some((field, _)) = fields.next() {
        last.rotate_left(1);
        last[4] = field;
        count += 1;
    }
    let [status, dash, method, scheme, host] = last;
    if count < 5 || &line[dash] != b"-" || !is_web_scheme(&line[scheme.clone()]) {
        return None;
    }
    let start = quote + 1;
    let mark = b" [Client ";
    let end = start + closing_quote(&line[start..], |text| text.starts_with(mark))?;
    let client = end + 1 + mark.len();
    let client_end = client + memchr::memchr(b']', &line[client..])?;
    for (part, range) in [
        (LogPart::Status, status),
        (LogPart::Method, method),
        (LogPart::Scheme, scheme),
        (LogPart::Host, host),
        (LogPart::Target, start..end),
        (LogPart::Client, client..client_end),
    ] {
        stated.set(line, part, LineValue::raw(range));
    }
    if let Some(rest) = line[client_end..].strip_suffix(b"\"")
        && let Some(open) = memchr::memmem::rfind(rest, b" \"")
    {
        let referer = client_end + open + 2..client_end + rest.len();
        stated.set(line, LogPart::Referer, LineValue::raw(referer));
    }
    Some(LogShape::Npm)
}

/// `owner bucket [time] ip requester id A.B.C key "request"`, of Amazon S3.
fn s3(line: &[u8], open: usize, after: usize, stated: &mut LineValues) -> Option<LogShape> {
    let mut before = Fields {
        line: &line[..open],
        at: 0,
    };
    before.next()?;
    before.next()?;
    if before.next().is_some() {
        return None;
    }
    let mut fields = Fields { line, at: after };
    let (client, _) = fields.next()?;
    fields.next()?;
    fields.next()?;
    let (operation, _) = fields.next()?;
    if line[operation].iter().filter(|byte| **byte == b'.').count() < 2 {
        return None;
    }
    fields.next()?;
    let (request, true) = fields.next()? else {
        return None;
    };
    stated.set(line, LogPart::Client, LineValue::raw(client));
    stated.set(line, LogPart::Line, LineValue::raw(request));
    for number in 1..=15 {
        let Some((field, _)) = fields.next() else {
            break;
        };
        let part = match number {
            1 => LogPart::Status,
            7 => LogPart::Referer,
            14 => LogPart::Host,
            15 => LogPart::Tls,
            _ => continue,
        };
        stated.set(line, part, LineValue::raw(field));
    }
    Some(LogShape::S3)
}

/// `[type] time name client target`, three times, two statuses, two sizes, `"request"`.
fn elb(line: &[u8], stated: &mut LineValues) -> Option<LogShape> {
    let mut fields = Fields { line, at: 0 };
    let (mut time, _) = fields.next()?;
    if LISTENERS.contains(&&line[time.clone()]) {
        time = fields.next()?.0;
    }
    if rfc3339(&line[time.clone()]) != Some(time.len()) {
        return None;
    }
    fields.next()?;
    let (client, _) = fields.next()?;
    fields.next()?;
    for _ in 0..3 {
        let (duration, _) = fields.next()?;
        let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
        if !line[duration].iter().all(is_number) {
            return None;
        }
    }
    let (status, _) = fields.next()?;
    for _ in 0..3 {
        fields.next()?;
    }
    let (request, true) = fields.next()? else {
        return None;
    };
    for (part, range) in [
        (LogPart::Time, time),
        (LogPart::Client, client),
        (LogPart::Status, status),
        (LogPart::Line, request),
    ] {
        stated.set(line, part, LineValue::raw(range));
    }
    Some(LogShape::Elb)
}

/// `[time] "request" status …`; the request begins at `start`. In the first run of five quoted
/// fields are the clients and the authority.
fn envoy(line: &[u8], start: usize, stated: &mut LineValues) -> Option<LogShape> {
    let is_code = |text: &[u8]| {
        let [b' ', rest @ ..] = text else {
            return false;
        };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (1..=3).contains(&digits) && ends_field(&rest[digits..])
    };
    let Some(len) = closing_quote(&line[start..], is_code) else {
        return is_cut(&line[start..]).then_some(LogShape::Envoy);
    };
    let end = start + len;
    stated.set(line, LogPart::Line, LineValue::raw(start..end));
    let mut fields = Fields { line, at: end + 1 };
    let (status, _) = fields.next()?;
    stated.set(line, LogPart::Status, LineValue::raw(status));
    let mut run: [Range<usize>; 5] = Default::default();
    let mut count = 0;
    while count < run.len()
        && let Some((field, quoted)) = fields.next()
    {
        if quoted {
            run[count] = field;
        }
        count = if quoted { count + 1 } else { 0 };
    }
    if count == run.len() {
        stated.set(line, LogPart::Client, LineValue::raw(run[0].clone()));
        stated.set(line, LogPart::Host, LineValue::raw(run[3].clone()));
    }
    Some(LogShape::Envoy)
}

/// `client:port [time] front be/srv t/t/t/t status … {captures} "request"`.
fn haproxy(line: &[u8], open: usize, stated: &mut LineValues) -> Option<LogShape> {
    let close = open + memchr::memchr(b']', &line[open..])?;
    let client = line[..open].strip_suffix(b" ")?;
    if client.is_empty() || client.contains(&b' ') {
        return None;
    }
    let mut fields = Fields {
        line,
        at: close + 1,
    };
    let (front, _) = fields.next()?;
    let (server, _) = fields.next()?;
    let (timers, _) = fields.next()?;
    let slashes = |range: Range<usize>| line[range].iter().filter(|byte| **byte == b'/').count();
    if slashes(server) != 1 || !(3..=4).contains(&slashes(timers)) {
        return None;
    }
    let (status, _) = fields.next()?;
    // Size, two cookies, the state at the end, connections, queues.
    for _ in 0..6 {
        fields.next()?;
    }
    stated.set(line, LogPart::Time, LineValue::raw(open + 1..close));
    stated.set(line, LogPart::Client, LineValue::raw(0..client.len()));
    stated.set(line, LogPart::Status, LineValue::raw(status));
    stated.has_tls |= line[front].ends_with(b"~");
    let mut at = fields.at;
    let mut is_first = true;
    loop {
        at += line[at..].iter().take_while(|byte| **byte == b' ').count();
        if line.get(at) != Some(&b'{') {
            break;
        }
        let end = at + memchr::memmem::find(&line[at..], b"} ")?;
        if std::mem::take(&mut is_first) {
            captured_host(line, at + 1..end, stated);
        }
        at = end + 1;
    }
    if line.get(at) != Some(&b'"') {
        return None;
    }
    fields.at = at;
    let (request, true) = fields.next()? else {
        return None;
    };
    stated.set(line, LogPart::Line, LineValue::raw(request));
    while let Some((field, _)) = fields.next() {
        let text = &line[field.clone()];
        let Some(slash) = memchr::memmem::find(text, b"/TLSv") else {
            continue;
        };
        stated.has_tls = true;
        stated.set(
            line,
            LogPart::Sni,
            LineValue::raw(field.start..field.start + slash),
        );
    }
    Some(LogShape::HaProxy)
}

/// Takes the only name of a host in captured headers, which `|` separates.
fn captured_host(line: &[u8], captures: Range<usize>, stated: &mut LineValues) {
    let mut only = None;
    let mut at = captures.start;
    for capture in line[captures].split(|byte| *byte == b'|') {
        let range = at..at + capture.len();
        at = range.end + 1;
        let is_name = HostField::of(capture)
            .is_some_and(|host| !host.is_address() && host.host.contains(&b'.'));
        if is_name && only.replace(range).is_some() {
            return;
        }
    }
    if let Some(host) = only {
        stated.set(line, LogPart::Host, LineValue::raw(host));
    }
}

/// `epoch.ms ms client TAG/ddd bytes method URL user PEER/… type`.
fn squid(line: &[u8], stated: &mut LineValues) -> Option<LogShape> {
    let seconds = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let [b'.', a, b, c, b' ', ..] = line[seconds..] else {
        return None;
    };
    if !SECONDS.contains(&seconds) || ![a, b, c].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut fields = Fields {
        line,
        at: seconds + 4,
    };
    fields.next()?;
    let (client, _) = fields.next()?;
    let (tag, _) = fields.next()?;
    let slash = memchr::memrchr(b'/', &line[tag.clone()])?;
    let status = tag.start + slash + 1..tag.end;
    fields.next()?;
    let (method, _) = fields.next()?;
    let (target, _) = fields.next()?;
    fields.next()?;
    let (peer, _) = fields.next()?;
    if !line[peer].contains(&b'/') {
        return None;
    }
    for (part, range) in [
        (LogPart::Time, 0..seconds + 4),
        (LogPart::Client, client),
        (LogPart::Status, status),
        (LogPart::Method, method),
        (LogPart::Target, target),
    ] {
        stated.set(line, part, LineValue::raw(range));
    }
    Some(LogShape::Squid)
}
