//! Encodes a finding as bytes, the record that is kept beside its key until the end of
//! the run: of the first occurrence of a counted class, or of a finding that is
//! reported at the end.

use super::pair::{self, BETWEEN};
use super::tail_parts::TailParts;
use crate::dedup::{Entry, RecordTail, UNIT_LEN};
use crate::item::{
    Content, Context, Exchange, Finding, IdentifierKind, LineColumn, Link, Marc, Marks, Matched,
    NestedBy, Problem, Problems, Request, RequestPart, Timestamp, UtcOffset, Warc, Wrapper,
};

/// Each at the place that is its number.
const WRAPPERS: [Wrapper; 9] = [
    Wrapper::None,
    Wrapper::Angle,
    Wrapper::DoubleQuote,
    Wrapper::Quote,
    Wrapper::Paren,
    Wrapper::Bracket,
    Wrapper::Brace,
    Wrapper::Attribute,
    Wrapper::Field,
];

const URL_PREFIX: u8 = 1;
const HYPHEN_BREAK: u8 = 2;
const ABBREVIATED: u8 = 4;
const HAS_ORIGINAL: u8 = 8;
const HAS_PLACE: u8 = 16;
const HAS_CONTEXT: u8 = 32;
const NO_URI: u8 = 64;
const HAS_ALTERNATIVE: u8 = 128;

/// In the byte of the wrapper.
const HEADING: u8 = 128;
const PAIR: u8 = 64;
const SEEN: u8 = 32;

const WARC: u64 = 1;
const MEMBER: u64 = 2;
const HEADER: u64 = 4;
const LINK: u64 = 8;
const PART: u64 = 16;
const POINTER: u64 = 32;
const MARC: u64 = 64;
const REQUEST: u64 = 128;
const ROW: u64 = 256;
const FIELD: u64 = 512;
const DATE: u64 = 1024;
const MATCHED: u64 = 2048;

/// In the byte of a request, above the number of its part.
const METHOD: u8 = 4;
const STATUS: u8 = 8;
const TIME: u8 = 16;
const CLIENT: u8 = 32;

/// Appends the record of `finding`: its position, marks, input, offset and length, then
/// its line and column, its context, its alternative and its original spelling. Of these
/// the record has only those that exist, and the original only if it differs from the
/// key. Numbers have a variable length, because there may be a record for every key. The last
/// bytes are `end`: the unit that it was counted in, the number of inputs that have it, and the
/// span of its times, where there are these; a set changes them.
pub(in crate::engine) fn write(
    position: u64,
    finding: &Finding,
    end: &TailParts,
    out: &mut Vec<u8>,
) {
    put(position, out);
    put_with(finding, end, out);
}

/// Appends the record of `finding` without its position.
pub(in crate::engine) fn put_finding(finding: &Finding, out: &mut Vec<u8>) {
    put_with(finding, &TailParts::of(finding), out);
}

/// Appends the record of a finding that has only its URI, its marks and its place, the input,
/// offset and length, as [`write()`] does.
pub(in crate::engine) fn write_bare(
    position: u64,
    marks: &Marks,
    place: (usize, u64, u64),
    end: &TailParts,
    out: &mut Vec<u8>,
) {
    put(position, out);
    put_head(marks, ExtraParts::default(), place, end, out);
    end.write(out);
}

/// The bits of the parts of a record beside its marks and its place.
#[derive(Clone, Copy, Default)]
struct ExtraParts {
    flags: u8,
    wrapper: u8,
    rare: u64,
}

/// Appends the marks and the place of a finding.
#[inline]
fn put_head(
    marks: &Marks,
    extra: ExtraParts,
    (input, offset, length): (usize, u64, u64),
    end: &TailParts,
    out: &mut Vec<u8>,
) {
    let flag = |bit: u8, is_set: bool| bit * u8::from(is_set);
    let flags = flag(URL_PREFIX, marks.url_prefix)
        | flag(HYPHEN_BREAK, marks.hyphen_break)
        | flag(ABBREVIATED, marks.abbreviated)
        | flag(NO_URI, marks.content == Content::NoUri)
        | extra.flags;
    let wrapper = match marks.identifier {
        None => marks.wrapper as u8,
        // An identifier without a scheme has no wrapper.
        Some(kind) => {
            let kind = IdentifierKind::ALL.iter().position(|&k| k == kind);
            (WRAPPERS.len() + kind.unwrap_or(0)) as u8
        }
    };
    let problems: u64 = match marks.problems.is_empty() {
        true => 0,
        false => {
            let problems = Problem::ALL.iter().enumerate();
            let bits = problems.map(|(bit, &p)| u64::from(marks.problems.has(p)) << bit);
            bits.sum()
        }
    };
    // Few findings have these marks: their bits are above the others, and cost nothing without
    // them.
    let rare = u64::from(marks.refanged)
        | u64::from(marks.given_scheme) << 1
        | marks.nested_by.map_or(0, |by| by as u64 + 1) << 4
        | u64::from(end.inputs.is_some()) << 6
        | extra.rare;
    let problems = problems | rare << Problem::ALL.len();
    let wrapper = wrapper
        | flag(HEADING, marks.content == Content::Header)
        | flag(SEEN, end.span.is_some())
        | extra.wrapper;
    out.extend_from_slice(&[wrapper, flags, marks.wrapped]);
    put(problems << 1 | u64::from(end.unit.is_some()), out);
    put(input as u64, out);
    put(offset, out);
    put(length, out);
}

/// Appends the record of `finding` without its position, with this end.
fn put_with(finding: &Finding, end: &TailParts, out: &mut Vec<u8>) {
    let has_original =
        !std::ptr::eq(finding.original, finding.uri) && finding.original != finding.uri;
    let flag = |bit: u8, is_set: bool| bit * u8::from(is_set);
    let has_context = !finding.context.is_empty();
    let extra = ExtraParts {
        flags: flag(HAS_ORIGINAL, has_original)
            | flag(HAS_PLACE, finding.place.is_some())
            | flag(HAS_CONTEXT, has_context)
            | flag(HAS_ALTERNATIVE, finding.alternative.is_some()),
        wrapper: flag(PAIR, finding.source.is_some()),
        rare: u64::from(finding.gateway.is_some()) << 2
            | u64::from(finding.nested_in.is_some()) << 3,
    };
    let place = (finding.input, finding.offset, finding.length);
    put_head(&finding.marks, extra, place, end, out);
    if let Some(place) = finding.place {
        put(place.line, out);
        put(place.column, out);
    }
    if has_context {
        put_context(&finding.context, out);
    }
    if let Some(alternative) = finding.alternative {
        put_text(alternative, out);
    }
    if let Some(gateway) = finding.gateway {
        put_text(gateway, out);
    }
    if let Some(nested_in) = finding.nested_in {
        put_text(nested_in, out);
    }
    if has_original {
        out.extend_from_slice(finding.original);
    }
    end.write(out);
}

/// Returns the position of the finding in `record`. Positions are in the order of the
/// inputs, of the records in an input, and of the findings in a record.
pub(in crate::engine) fn position(mut record: &[u8]) -> u64 {
    take(&mut record)
}

/// Decodes a record that [`write()`] encoded, together with the key and the count beside
/// it.
pub(in crate::engine) fn read<'r>(entry: &Entry<'r>) -> Finding<'r> {
    let mut rest = entry.record;
    take(&mut rest);
    Finding {
        count: Some(entry.count),
        ..take_finding(entry.key, rest)
    }
}

/// Decodes a record that [`put_finding()`] appended, together with the key beside it.
pub(in crate::engine) fn take_finding<'r>(key: &'r [u8], mut rest: &'r [u8]) -> Finding<'r> {
    let (head, tail) = rest.split_first_chunk().unwrap_or((&[0; 3], &[]));
    let &[wrapper, flags, wrapped] = head;
    rest = tail;
    let bits = take(&mut rest);
    let rare = bits >> 1 >> Problem::ALL.len();
    let tail = RecordTail {
        unit: bits & 1 != 0,
        inputs: rare & 64 != 0,
        span: wrapper & SEEN != 0,
    };
    let end = TailParts::take(&mut rest, tail);
    if tail.unit {
        // Only the set needs it.
        rest = &rest[..rest.len().saturating_sub(UNIT_LEN)];
    }
    let bits = bits >> 1;
    let input = take(&mut rest);
    let (offset, length) = (take(&mut rest), take(&mut rest));
    let mut problems = Problems::NONE;
    for (bit, &problem) in Problem::ALL.iter().enumerate() {
        if bits >> bit & 1 == 1 {
            problems |= problem;
        }
    }
    let place = (flags & HAS_PLACE != 0).then(|| LineColumn {
        line: take(&mut rest),
        column: take(&mut rest),
    });
    let context = match flags & HAS_CONTEXT {
        0 => Context::default(),
        _ => take_context(&mut rest),
    };
    let alternative = (flags & HAS_ALTERNATIVE != 0).then(|| take_text(&mut rest));
    let gateway = (rare & 4 != 0).then(|| take_text(&mut rest));
    let nested_in = (rare & 8 != 0).then(|| take_text(&mut rest));
    let nested_by = (rare >> 4 & 3).checked_sub(1);
    let (source, uri) = match wrapper & PAIR {
        0 => (None, key),
        _ => {
            let (source, target) = pair::split(key);
            (Some(source), target)
        }
    };
    let code = usize::from(wrapper & !(HEADING | PAIR | SEEN));
    let mut finding = Finding {
        uri,
        original: if flags & HAS_ORIGINAL != 0 { rest } else { uri },
        input: input as usize,
        offset,
        length,
        place,
        marks: Marks {
            wrapper: WRAPPERS.get(code).copied().unwrap_or_default(),
            identifier: code
                .checked_sub(WRAPPERS.len())
                .and_then(|code| IdentifierKind::ALL.get(code).copied()),
            url_prefix: flags & URL_PREFIX != 0,
            hyphen_break: flags & HYPHEN_BREAK != 0,
            abbreviated: flags & ABBREVIATED != 0,
            refanged: rare & 1 != 0,
            given_scheme: rare & 2 != 0,
            nested_by: nested_by.and_then(|by| NestedBy::ALL.get(by as usize).copied()),
            wrapped,
            problems,
            content: match (wrapper & HEADING, flags & NO_URI) {
                (0, 0) => Content::Uri,
                (0, _) => Content::NoUri,
                _ => Content::Header,
            },
        },
        count: None,
        alternative,
        gateway,
        nested_in,
        source,
        first_seen: None,
        last_seen: None,
        sources: None,
        context,
    };
    end.set(&mut finding);
    finding
}

/// Appends the key of `finding`.
pub(in crate::engine) fn put_key(finding: &Finding, out: &mut Vec<u8>) {
    out.clear();
    if let Some(source) = finding.source {
        out.extend_from_slice(source);
        out.push(BETWEEN);
    }
    out.extend_from_slice(finding.uri);
}

/// Appends `finding`, whole, as it is sorted. `buffer` is used on the way.
pub(in crate::engine) fn put_sorted(
    position: u64,
    finding: &Finding,
    out: &mut Vec<u8>,
    buffer: &mut Vec<u8>,
) {
    put_key(finding, buffer);
    put_text(buffer, out);
    write(position, finding, &TailParts::of(finding), out);
}

/// Decodes a finding that [`put_sorted()`] appended.
pub(in crate::engine) fn take_sorted(mut entry: &[u8]) -> Finding<'_> {
    let key = take_text(&mut entry);
    take(&mut entry);
    take_finding(key, entry)
}

/// Appends flags that say which parts `context` has, and then these parts.
pub(in crate::engine) fn put_context(context: &Context, out: &mut Vec<u8>) {
    let parts = [
        (WARC, context.warc.is_some()),
        (MEMBER, context.member.is_some()),
        (HEADER, context.header.is_some()),
        (LINK, context.link.is_some()),
        (PART, context.part.is_some() || context.message_id.is_some()),
        (POINTER, context.pointer.is_some()),
        (MARC, context.marc.is_some()),
        (REQUEST, context.request.is_some()),
        (ROW, context.row.is_some()),
        (FIELD, context.field.is_some()),
        (DATE, context.message_date.is_some()),
        (MATCHED, context.matched.is_some()),
    ];
    let parts = parts.iter().filter(|part| part.1);
    put(parts.map(|part| part.0).sum(), out);
    if let Some(warc) = &context.warc {
        put(warc.number, out);
        put(warc.offset, out);
        for text in [warc.record_id, warc.kind, warc.date, warc.target_uri] {
            put_text(text, out);
        }
    }
    for text in [context.member, context.header].into_iter().flatten() {
        put_text(text, out);
    }
    if let Some(link) = &context.link {
        put_text(link.path, out);
        put_text(link.rel, out);
        put(u64::from(link.nofollow), out);
    }
    if context.part.is_some() || context.message_id.is_some() {
        // Neither of them is empty.
        put_text(context.part.unwrap_or_default(), out);
        put_text(context.message_id.unwrap_or_default(), out);
    }
    if let Some(pointer) = context.pointer {
        put_text(pointer, out);
    }
    if let Some(marc) = &context.marc {
        for number in [marc.record_no, marc.occurrence, marc.record_offset] {
            put(number, out);
        }
        let of_record = [marc.record_id, marc.title];
        let of_field = [marc.tag, marc.ind1, marc.ind2, marc.subfield];
        for text in of_record.into_iter().chain(of_field) {
            put_text(text, out);
        }
    }
    if let Some(request) = &context.request {
        put_request(request, out);
    }
    if let Some(row) = context.row {
        put(row, out);
    }
    if let Some(field) = context.field {
        put_text(field, out);
    }
    if let Some(date) = context.message_date {
        put_time(date, out);
    }
    if let Some(matched) = context.matched {
        put_text(matched.bytes(), out);
    }
}

/// Appends a byte that says which statements `request` has, and then these.
fn put_request(request: &Request, out: &mut Vec<u8>) {
    let Request { part, exchange } = request;
    let number = RequestPart::ALL.iter().position(|known| known == part);
    let statements = [
        (METHOD, exchange.method.is_some()),
        (STATUS, exchange.status.is_some()),
        (TIME, exchange.time.is_some()),
        (CLIENT, exchange.client.is_some()),
    ];
    let flags: u8 = statements.iter().filter(|flag| flag.1).map(|f| f.0).sum();
    out.push(number.unwrap_or_default() as u8 | flags);
    if let Some(method) = exchange.method {
        put_text(method, out);
    }
    if let Some(status) = exchange.status {
        put(u64::from(status), out);
    }
    if let Some(time) = exchange.time {
        put_time(time, out);
    }
    if let Some(client) = exchange.client {
        put_text(client, out);
    }
}

/// Decodes a request that [`put_request()`] appended.
fn take_request<'r>(rest: &mut &'r [u8]) -> Request<'r> {
    let (&flags, tail) = rest.split_first().unwrap_or((&0, &[]));
    *rest = tail;
    let has = |flag: u8| flags & flag != 0;
    let part = RequestPart::ALL.get(usize::from(flags % METHOD)).copied();
    Request {
        part: part.unwrap_or_default(),
        exchange: Exchange {
            method: has(METHOD).then(|| take_text(rest)),
            status: has(STATUS).then(|| take(rest) as u16),
            time: has(TIME).then(|| take_time(rest)).flatten(),
            client: has(CLIENT).then(|| take_text(rest)),
        },
    }
}

/// Appends a time: the instant, whose seconds may be negative, and the offset.
fn put_time(time: Timestamp, out: &mut Vec<u8>) {
    let (seconds, nanos) = time.instant();
    out.extend_from_slice(&seconds.to_le_bytes());
    put(u64::from(nanos), out);
    out.extend_from_slice(&time.offset().as_minutes().to_le_bytes());
}

/// Decodes a time that [`put_time()`] appended.
fn take_time(rest: &mut &[u8]) -> Option<Timestamp> {
    let (seconds, tail) = rest.split_first_chunk()?;
    *rest = tail;
    let nanos = take(rest) as u32;
    let (minutes, tail) = rest.split_first_chunk()?;
    *rest = tail;
    let offset = UtcOffset::minutes(i16::from_le_bytes(*minutes))?;
    Timestamp::since_1970(i64::from_le_bytes(*seconds), nanos)?.with_offset(offset)
}

/// Decodes a context that [`put_context()`] appended.
pub(in crate::engine) fn take_context<'r>(rest: &mut &'r [u8]) -> Context<'r> {
    let parts = take(rest);
    let has = |part: u64| parts & part != 0;
    let mut mail = [None; 2];
    Context {
        warc: has(WARC).then(|| Warc {
            number: take(rest),
            offset: take(rest),
            record_id: take_text(rest),
            kind: take_text(rest),
            date: take_text(rest),
            target_uri: take_text(rest),
        }),
        member: has(MEMBER).then(|| take_text(rest)),
        header: has(HEADER).then(|| take_text(rest)),
        link: has(LINK).then(|| Link {
            path: take_text(rest),
            rel: take_text(rest),
            nofollow: take(rest) != 0,
        }),
        part: {
            if has(PART) {
                mail = [(); 2].map(|()| Some(take_text(rest)).filter(|text| !text.is_empty()));
            }
            mail[0]
        },
        message_id: mail[1],
        pointer: has(POINTER).then(|| take_text(rest)),
        marc: has(MARC).then(|| Marc {
            record_no: take(rest),
            occurrence: take(rest),
            record_offset: take(rest),
            record_id: take_text(rest),
            title: take_text(rest),
            tag: take_text(rest),
            ind1: take_text(rest),
            ind2: take_text(rest),
            subfield: take_text(rest),
        }),
        request: has(REQUEST).then(|| take_request(rest)),
        row: has(ROW).then(|| take(rest)),
        field: has(FIELD).then(|| take_text(rest)),
        message_date: has(DATE).then(|| take_time(rest)).flatten(),
        matched: has(MATCHED).then(|| Matched::of(take_text(rest))),
    }
}

/// Appends the length of `text`, then `text`.
pub(in crate::engine) fn put_text(text: &[u8], out: &mut Vec<u8>) {
    put(text.len() as u64, out);
    out.extend_from_slice(text);
}

/// Appends `number` in base 128, low digits first.
pub(in crate::engine) fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Decodes a number; 0 when the record is too short. No record of [`write()`] is.
pub(in crate::engine) fn take(rest: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, tail)) = rest.split_first() {
        *rest = tail;
        number |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// Decodes a text that [`put_text()`] appended.
pub(in crate::engine) fn take_text<'r>(rest: &mut &'r [u8]) -> &'r [u8] {
    let len = usize::try_from(take(rest)).unwrap_or(usize::MAX);
    let (text, tail) = rest.split_at(len.min(rest.len()));
    *rest = tail;
    text
}

const _: () = assert!(Problem::ALL.len() + 7 < 64);
const _: () = assert!(WRAPPERS.len() + IdentifierKind::ALL.len() <= SEEN as usize);

#[cfg(test)]
mod tests {
    use super::super::count_unit::CountUnit;
    use super::super::time_span::TimeSpan;
    use super::*;

    #[test]
    fn a_record_is_decoded_as_the_same_finding() {
        let wrappers = WRAPPERS.iter().map(|&wrapper| (wrapper, None));
        let kinds = IdentifierKind::ALL.iter();
        let kinds = kinds.map(|&kind| (Wrapper::None, Some(kind)));
        for (at, (wrapper, identifier)) in wrappers.chain(kinds).enumerate() {
            let mut problems = Problems::from(Problem::NestedLimit);
            problems |= Problem::ALL[at % Problem::ALL.len()];
            let finding = Finding {
                uri: b"http://a/",
                original: if at % 2 == 0 {
                    b"HTTP://a/"
                } else {
                    b"http://a/"
                },
                input: at,
                offset: 1 << 40,
                length: 9,
                place: (at % 3 == 1).then_some(LineColumn { line: 7, column: 8 }),
                marks: Marks {
                    wrapper,
                    url_prefix: at % 2 == 0,
                    wrapped: at as u8,
                    hyphen_break: at % 3 == 0,
                    abbreviated: at % 4 == 0,
                    refanged: at % 3 == 1,
                    given_scheme: at % 5 == 1,
                    nested_by: (at % 4).checked_sub(1).map(|by| NestedBy::ALL[by]),
                    identifier,
                    problems,
                    content: match at % 5 {
                        0 => Content::NoUri,
                        1 => Content::Header,
                        _ => Content::Uri,
                    },
                },
                count: Some(7),
                alternative: (at % 2 == 1).then_some(b"http://b/"),
                gateway: (at % 3 == 0).then_some(b"slack vk"),
                nested_in: (at % 4 > 1).then_some(b"http://d/"),
                source: (at % 3 == 2).then_some(b"http://c/"),
                first_seen: Timestamp::since_1970(-7, 5).filter(|_| at % 4 == 1),
                last_seen: Timestamp::since_1970(7, 0).filter(|_| at % 4 == 1),
                sources: (at % 3 == 2).then_some(9),
                context: Context::default(),
            };
            // Each part of a context alone, all parts, and no part.
            for parts in (0..12).map(|part| 1 << part).chain([0, 0xFFF]) {
                let context = context(parts);
                let finding = Finding { context, ..finding };
                let mut record = Vec::new();
                let number = 300 * at as u64;
                let empty = (at % 4 == 2).then_some(TimeSpan::EMPTY);
                let mut end = TailParts::of(&finding);
                end.unit = (at % 2 == 0).then(|| CountUnit::new(7, 8, 9));
                end.span = end.span.or(empty);
                write(number, &finding, &end, &mut record);
                assert_eq!(position(&record), number);
                let key = match finding.source {
                    Some(source) => [source, b"\t", finding.uri].concat(),
                    None => finding.uri.to_vec(),
                };
                let entry = Entry {
                    key: &key,
                    record: &record,
                    count: 7,
                };
                assert_eq!(read(&entry), finding);
            }
            let bare = Finding {
                original: finding.uri,
                place: None,
                alternative: None,
                gateway: None,
                nested_in: None,
                source: None,
                ..finding
            };
            let (mut record, mut wanted) = (Vec::new(), Vec::new());
            let end = TailParts::of(&bare);
            write(at as u64, &bare, &end, &mut wanted);
            let place = (bare.input, bare.offset, bare.length);
            write_bare(at as u64, &bare.marks, place, &end, &mut record);
            assert_eq!(record, wanted);
        }
    }

    fn request(parts: u64) -> Request<'static> {
        let time = Timestamp::parse(b"1969-10-10T13:55:36.05-07:30", UtcOffset::UTC);
        let is_full = parts == REQUEST;
        Request {
            part: RequestPart::ALL[usize::from(is_full)],
            exchange: Exchange {
                method: is_full.then_some(b"GET"),
                status: is_full.then_some(404),
                time: time.filter(|_| is_full),
                client: Some(b"192.0.2.1"),
            },
        }
    }

    fn context(parts: u64) -> Context<'static> {
        let has = |part: u64| parts & part != 0;
        Context {
            warc: has(WARC).then_some(Warc {
                number: 1,
                offset: 2,
                record_id: b"urn:uuid:0",
                kind: b"response",
                date: b"",
                target_uri: b"http://a/",
            }),
            member: has(MEMBER).then_some(b"a/b.txt"),
            header: has(HEADER).then_some(b"location"),
            link: has(LINK).then_some(Link {
                path: b"A@/href",
                rel: b"nofollow",
                nofollow: true,
            }),
            part: has(PART).then_some(b"2.1"),
            message_id: (parts == 0xFFF).then_some(b"a@b"),
            message_date: has(DATE).then(|| Timestamp::since_1970(-7, 0)).flatten(),
            pointer: has(POINTER).then_some(b""),
            marc: has(MARC).then_some(Marc {
                record_no: 3,
                record_id: b"id",
                title: b"a title",
                tag: b"856",
                ind1: b"4",
                ind2: b" ",
                subfield: b"u",
                occurrence: 2,
                record_offset: 1 << 33,
            }),
            request: has(REQUEST).then_some(request(parts)),
            row: has(ROW).then_some(300),
            field: has(FIELD).then_some(b"url"),
            matched: has(MATCHED).then_some(Matched::of(b"entries")),
        }
    }
}
