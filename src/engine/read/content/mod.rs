//! Reads the content of a record: undoes its codings, decodes it, scans its text, and
//! reads the bodies that are nested in it in turn; `values` has its references. A record
//! may continue in the next block; its [`PartContent`] is then passed on.

pub(in crate::engine) mod part;
pub(in crate::engine) mod steps;
mod text;
mod values;

use crate::decode::{
    DataOddity, DataPlace, Decode, Event, MarkupValue, Output, RecordDamage, RecordFault,
    ValueKind, decoder, is_attachment, is_message, text_decoder,
};
use crate::engine::ask::record_filter::RecordVerdict;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::line_state::LineState;
use crate::engine::batches::piece::BlockPiece;
use crate::engine::batches::stats::Stats;
use crate::engine::error::{Error, ErrorKind};
use crate::engine::read::archive_body::ArchiveBody;
use crate::engine::read::list_records::lacking as lacking_column;
use crate::engine::read::search::count_lines;
use crate::engine::read::worker::Worker;
use crate::item::{Damage, DamagedRecord, Encoding, Loss, LossKind, OwnedContext, Part};
use crate::unpack::Flow;
use part::{ContentBody, ContentReader, ContentText, DecodedAhead, PartContent, PassedDecoder};
use std::sync::Arc;
use steps::DecodedSteps;
use text::{end_text, scan_content, skip_content};
use values::{refer_content, take_stated, take_value};

/// The greatest depth of nested bodies.
const DEPTH_MAX: usize = 8;
/// The number of bytes that are decoded at a time.
const PIECE: usize = 256 << 10;

/// Begins the record `part`, whose first byte is at the raw offset `at`.
pub(in crate::engine) fn begin_record(
    worker: &mut Worker,
    part: &Arc<Part>,
    at: u64,
    batch: &mut Batch,
) -> PartContent {
    let verdict = worker.records.begin(part);
    batch.stats.filtered += u64::from(verdict == RecordVerdict::Filtered);
    let mut decoder = decoder(part, &worker.reading);
    decoder.begin_at(at);
    let how = (verdict, worker.coding_window);
    let mut content = PartContent::new(part, decoder, (worker.document_base(), at), how);
    content.lines = LineState::start(worker.logs.as_deref());
    worker.keys.repeats.units.begin(batch);
    content.unit = worker.keys.repeats.units.record();
    content
}

/// Reads `bytes`, the next ones of a record, or its `last` ones. Returns false when
/// the run stops.
pub(in crate::engine) fn read_content(
    worker: &mut Worker,
    content: &mut PartContent,
    bytes: &[u8],
    last: bool,
    reader: &mut ContentReader,
) -> bool {
    let ahead = reader.ahead.take();
    if !content.is_read() {
        skip_content(worker, content, 0, bytes, reader);
        return true;
    }
    let Some(ahead) = ahead else {
        return read_body(worker, content, 0, (bytes, last), reader);
    };
    content.bodies[0].lines = ahead.lines;
    let goes_on = take_steps(
        worker,
        content,
        0,
        (bytes, ahead.last),
        &ahead.steps,
        reader,
    );
    let (unread, outputs) = ahead.steps.into_unread(bytes);
    let body = &mut content.bodies[0];
    body.decoder = ahead.decoder;
    if body.decoder.is_some() {
        body.unread = unread;
    }
    worker.buffers.outputs.push(outputs);
    goes_on
}

/// Has `passed` decode `bytes`, the next ones of its record, or its `last` ones, before
/// it is known what the block before left undecided in the texts. Gives the decoder to
/// `pass_on`, if there is one.
pub(in crate::engine) fn decode_ahead(
    worker: &mut Worker,
    passed: PassedDecoder,
    (bytes, last): (&[u8], bool),
    pass_on: Option<&mut dyn FnMut(PassedDecoder)>,
) -> DecodedAhead {
    let PassedDecoder {
        mut decoder,
        unread,
    } = passed;
    let outputs = worker.buffers.outputs.pop().unwrap_or_default();
    let steps = DecodedSteps::decode(&mut *decoder, unread, (bytes, last), outputs);
    let lines = worker.logs.is_some() && decoder.has_lines();
    let mut kept = Some(decoder);
    if let Some(pass_on) = pass_on
        && let Some(decoder) = kept.take()
    {
        let unread = steps.unread(bytes).to_vec();
        pass_on(PassedDecoder { decoder, unread });
    }
    DecodedAhead {
        decoder: kept,
        steps,
        last,
        lines,
    }
}

/// Reads more of the body at `depth`. Its codings are undone piece by piece, because
/// a few bytes may decompress to a very large text.
fn read_body(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    (bytes, last): (&[u8], bool),
    reader: &mut ContentReader,
) -> bool {
    let Some(mut codings) = content.bodies[depth].codings.take() else {
        return decode_body(worker, content, depth, (bytes, last), reader);
    };
    // Each of the pieces needs the decoder.
    reader.pass_on = None;
    let mut piece = worker.buffers.pieces.pop().unwrap_or_default();
    let mut at = 0;
    let goes_on = loop {
        piece.resize(PIECE, 0);
        let pulled = codings.pull(&bytes[at..], last, &mut piece);
        #[cfg(feature = "failpoints")]
        crate::engine::faultpoint::at("codings", &piece[..pulled.written]);
        at += pulled.read;
        let mut decoded = (&piece[..pulled.written], pulled.state == Flow::End);
        let mut losses = codings.losses().peekable();
        let mut goes_on = true;
        if losses.peek().is_some() {
            // They are behind the losses of what was decoded, and before those at its end,
            // however the bytes are divided.
            goes_on = decode_body(worker, content, depth, (decoded.0, false), reader);
            decoded.0 = b"";
        }
        let part = &content.bodies[depth].part;
        for loss in losses {
            lose(part, loss.at(part.offset), reader.batch);
        }
        let goes_on = goes_on
            && decode_body(worker, content, depth, decoded, reader)
            && (reader.pause)(reader.batch);
        if pulled.state != Flow::More || !goes_on {
            break goes_on;
        }
    };
    worker.buffers.pieces.push(piece);
    content.bodies[depth].codings = Some(codings);
    goes_on
}

/// Decodes more of the body at `depth`, whose codings are undone.
fn decode_body(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    (bytes, last): (&[u8], bool),
    reader: &mut ContentReader,
) -> bool {
    let body = &mut content.bodies[depth];
    let Some(mut decoder) = body.decoder.take() else {
        return true;
    };
    let unread = std::mem::take(&mut body.unread);
    let outputs = worker.buffers.outputs.pop().unwrap_or_default();
    let steps = DecodedSteps::decode(&mut *decoder, unread, (bytes, last), outputs);
    content.bodies[depth].lines = worker.logs.is_some() && decoder.has_lines();
    let mut kept = Some(decoder);
    // Bodies that are nested in a record are decoded only when their turn comes.
    if depth == 0
        && let Some(pass_on) = reader.pass_on.take()
        && let Some(decoder) = kept.take()
    {
        let unread = steps.unread(bytes).to_vec();
        pass_on(PassedDecoder { decoder, unread });
    }
    let goes_on = take_steps(worker, content, depth, (bytes, last), &steps, reader);
    let (mut unread, outputs) = steps.into_unread(bytes);
    if kept.is_none() {
        unread.clear();
    }
    let body = &mut content.bodies[depth];
    (body.decoder, body.unread) = (kept, unread);
    worker.buffers.outputs.push(outputs);
    goes_on
}

/// Handles the events of the `steps` in which a decoder took `bytes`.
fn take_steps(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    bytes: (&[u8], bool),
    steps: &DecodedSteps,
    reader: &mut ContentReader,
) -> bool {
    for (bytes, last, output) in steps.iter(bytes) {
        if !take_output(worker, content, depth, (bytes, last), output, reader) {
            return false;
        }
        // The head of its message may have ruled out a record.
        if !content.is_read() {
            break;
        }
    }
    true
}

/// Handles the events of `output`, which a decoder made of `bytes`.
fn take_output(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    (bytes, last): (&[u8], bool),
    output: &Output,
    reader: &mut ContentReader,
) -> bool {
    if content.awaits_head && !output.events.is_empty() {
        let message = output.events.iter().find_map(|event| match event {
            Event::Part(part) => Some(&**part),
            _ => None,
        });
        content.awaits_head = false;
        content.exchange.status = message.and_then(|message| message.status);
        worker.keys.set_record(content.exchange);
        if content.verdict == RecordVerdict::Open {
            content.verdict = worker.records.decide(&content.bodies[0].part, message);
        }
        if !content.is_read() {
            reader.batch.stats.filtered += 1;
            return true;
        }
    }
    let mut rest = bytes;
    let mut take = |len: usize| {
        let (taken, left) = rest.split_at(len);
        rest = left;
        taken
    };
    let mut text = &output.text[..];
    let part = Arc::clone(&content.bodies[depth].part);
    // The request of the record that is read, and the offset of the record.
    let mut stated = None;
    for (number, event) in output.events.iter().enumerate() {
        let next = output.events.get(number + 1);
        let is_over = match next {
            None => last,
            Some(next) => !continues_text(next),
        };
        if ends_text(event) {
            end_text(worker, content, depth, reader);
        }
        match event {
            Event::Skipped(len) => skip_content(worker, content, depth, take(*len), reader),
            Event::Text(len) => {
                let text = ContentText {
                    lines: content.bodies[depth].lines,
                    ..ContentText::raw(take(*len), &part.context)
                };
                scan_content(worker, content, depth, text, is_over, reader);
            }
            Event::Decoded { raw, len, encoding } => {
                take(*raw);
                let (decoded, left) = text.split_at(*len);
                text = left;
                let text = ContentText {
                    encoding: *encoding,
                    lines: content.bodies[depth].lines,
                    ..ContentText::raw(decoded, &part.context)
                };
                scan_content(worker, content, depth, text, is_over, reader);
            }
            Event::Reference(reference) => {
                let text = take(reference.len);
                refer_content(worker, content, depth, text, reference, reader);
            }
            Event::Value(value) => {
                if value.skipped > 0 {
                    skip_content(worker, content, depth, take(value.skipped), reader);
                }
                let raw = take(value.raw);
                let record = match &value.place {
                    Some(DataPlace::Catalog(marc)) => Some(marc.record_no),
                    Some(DataPlace::Table(row, _)) => Some(*row),
                    _ => None,
                };
                if let Some(number) = record
                    && is_outermost(content, depth)
                {
                    let units = &mut worker.keys.repeats.units;
                    units.enter_numbered(number, reader.batch);
                }
                let decoded = value.decoded.map(|decoded| {
                    let (this, left) = text.split_at(decoded.len);
                    text = left;
                    (this, decoded.map.map(|number| output.map(number)))
                });
                let read = (value, raw, decoded);
                let is_taken = stated.is_some_and(|(request, start)| {
                    let at = (content.at() - start) as usize;
                    take_stated(worker, content, depth, read, (request, at), reader)
                });
                if !is_taken {
                    take_value(worker, content, depth, read, is_over, reader);
                }
                // The contexts of values take memory that does not depend on their bytes.
                if reader.batch.is_large() && !(reader.pause)(reader.batch) {
                    return false;
                }
            }
            Event::Record if is_outermost(content, depth) => {
                worker.keys.repeats.units.begin(reader.batch);
            }
            Event::Request(request) => {
                worker.keys.set_exchange(Some(&request.exchange()));
                stated = Some((&**request, content.at()));
            }
            Event::RecordTime(time) => worker.keys.set_time(*time),
            Event::RecordEnd => {
                worker.keys.set_exchange(None);
                worker.keys.set_time(None);
                stated = None;
            }
            Event::Base(base) => content.bodies[depth].page.add(base),
            Event::Page => worker.keys.set_page(),
            Event::Charset(charset) => content.bodies[depth].page.charset = *charset,
            Event::Unsupported(cause) => {
                let kind = LossKind::Unsupported(markup(cause, part.offset));
                lose(&part, kind, reader.batch);
            }
            Event::Part(part) => open_part(worker, content, depth, part, reader.batch),
            Event::Body(len) => {
                let is_over = matches!(next, Some(Event::PartEnd));
                let text = take(*len);
                if !read_body(worker, content, depth + 1, (text, is_over), reader) {
                    return false;
                }
                pass_coded(worker, content, depth + 1, text, reader);
                if is_over {
                    end_parts(content, depth, reader.batch);
                }
            }
            Event::PartEnd if content.bodies.len() > depth + 1 => {
                if !read_body(worker, content, depth + 1, (b"", true), reader) {
                    return false;
                }
                end_parts(content, depth, reader.batch);
            }
            Event::Damaged(damage) => {
                let lost = lost_record(Some(&part), damage, reader.batch.input);
                reader.batch.lose(lost);
            }
            Event::Mail(note) => match note.loss() {
                Some(cause) => {
                    // The mail itself: its decoder only knows the offsets of its parts.
                    let at = match depth == 0 && !is_archived(&part) {
                        true => content.at(),
                        false => part.offset,
                    };
                    let kind = LossKind::Unsupported(mail(cause, at));
                    lose_at(&part, at, kind, reader.batch);
                }
                None => reader.batch.stats.add_note(*note),
            },
            Event::Lost(kind) => lose(&part, **kind, reader.batch),
            Event::Odd(oddity) => count_oddity(*oddity, &mut reader.batch.stats),
            Event::Broken(format, cause) => {
                let is_archived = part.context.member.is_some() || part.context.warc.is_some();
                let at = if is_archived {
                    part.offset
                } else {
                    content.at()
                };
                let kind = LossKind::Damaged(Damage::new(format, cause, content.at()));
                reader.batch.lose(Loss::new(reader.batch.input, at, kind));
            }
            Event::NoColumn(lacking) => {
                let batch = &mut *reader.batch;
                let redactor = worker.keys.redactor.as_ref();
                let cause = lacking_column(&lacking.column, &lacking.columns, redactor);
                let kind = ErrorKind::Column(batch.input);
                batch.error.get_or_insert(Error::new(kind, cause));
            }
            Event::Suspect(cause) => {
                let kind = LossKind::Suspect(http(cause, part.offset));
                lose(&part, kind, reader.batch);
            }
            _ => {}
        }
    }
    if last {
        end_text(worker, content, depth, reader);
    }
    true
}

/// Whether what is in the body at `depth` is in no record of an archive of the web, and in no
/// message.
fn is_outermost(content: &PartContent, depth: usize) -> bool {
    depth == 0 && content.part(0).context.warc.is_none()
}

/// Opens a body that is nested in the one at `depth`.
fn open_part(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    part: &Arc<Part>,
    batch: &mut Batch,
) {
    end_parts(content, depth, batch);
    let is_attached = worker.splits_archives && is_attachment(part);
    let is_too_deep = depth + 1 >= DEPTH_MAX && (is_attached || is_message(part));
    if is_too_deep {
        let cause = "messages and archives in each other more than 8 times";
        let damage = match part.mail {
            Some(_) => mail(cause, part.offset),
            None => http(cause, part.offset),
        };
        lose(part, LossKind::Unsupported(damage), batch);
    }
    let decoder: Box<dyn Decode> = match (is_too_deep, decoder(part, &worker.reading)) {
        (true, _) => text_decoder(),
        (false, decoder) if is_attached => Box::new(ArchiveBody::new(Part::clone(part), decoder)),
        (false, decoder) => decoder,
    };
    let window = worker.coding_window;
    let mut body = ContentBody::new(Arc::clone(part), decoder, worker.document_base(), window);
    if part.own_offsets {
        body.outer_at = Some(std::mem::take(&mut content.at));
        batch.lines.begin_inner();
    }
    worker.lines = LineState::start(worker.logs.as_deref());
    content.bodies.push(body);
}

/// Goes over `bytes`, of which the body at `depth` was decoded, in the body around it, if the
/// decoded body has its own offsets and lines.
fn pass_coded(
    worker: &Worker,
    content: &mut PartContent,
    depth: usize,
    bytes: &[u8],
    reader: &mut ContentReader,
) {
    let (around, own) = (content.own_offsets_of(depth), content.own_offsets());
    let body = content.bodies.get_mut(depth);
    let Some(at) = body.and_then(|body| body.outer_at.as_mut()) else {
        return;
    };
    let piece = BlockPiece {
        bytes,
        encoding: Encoding::Raw,
        decoded_from: None,
        offset: *at,
        doubt: None,
        context: OwnedContext::nothing(),
        lines: false,
    };
    *at += bytes.len() as u64;
    reader.batch.lines.go_to(around);
    count_lines(worker, &piece, usize::MAX, reader.batch);
    reader.batch.lines.go_to(own);
}

/// Ends the bodies in the one at `depth`.
fn end_parts(content: &mut PartContent, depth: usize, batch: &mut Batch) {
    for _ in 0..content.end_bodies(depth) {
        batch.lines.end_inner();
    }
}

/// Whether nothing continues the text before `event`. The bytes of an inner body continue
/// the text of that body.
fn ends_text(event: &Event) -> bool {
    match event {
        Event::Skipped(_) | Event::Reference(_) | Event::Part(_) => true,
        Event::Value(_) => !continues_text(event),
        _ => false,
    }
}

/// Whether the bytes of `event` continue the text before it.
fn continues_text(event: &Event) -> bool {
    match event {
        Event::Text(_) | Event::Decoded { .. } => true,
        Event::Value(MarkupValue { skipped, kind, .. }) => {
            *skipped == 0 && *kind == ValueKind::Text { continues: true }
        }
        _ => false,
    }
}

/// Whether a part is in a record of an archive.
fn is_archived(part: &Part) -> bool {
    part.context.member.is_some() || part.context.warc.is_some()
}

/// Adds a loss in the record that `part` belongs to.
fn lose(part: &Part, kind: LossKind, batch: &mut Batch) {
    lose_at(part, part.offset, kind, batch);
}

/// Adds a loss at `offset` in the record that `part` belongs to.
fn lose_at(part: &Part, offset: u64, kind: LossKind, batch: &mut Batch) {
    // The missing end of a truncated record is reported already.
    if !(part.truncated && matches!(kind, LossKind::Truncated(_))) {
        batch.lose(Loss {
            input: batch.input,
            offset,
            kind,
        });
    }
}

/// Returns the loss of a record of a catalogue, or in one. Its offset is that of the record,
/// unless the catalogue is in an archive.
pub(in crate::engine) fn lost_record(
    part: Option<&Part>,
    damage: &RecordDamage,
    input: usize,
) -> Loss {
    let kind = match damage.fault {
        RecordFault::Truncated => LossKind::Truncated,
        RecordFault::Garbage => LossKind::Garbage,
        RecordFault::Suspect => LossKind::Suspect,
        RecordFault::Unsupported => LossKind::Unsupported,
        RecordFault::Damaged => LossKind::Damaged,
    };
    let mut lost = Damage::new("record", damage.cause, damage.offset);
    lost.record = Some(DamagedRecord {
        number: damage.number,
        stated: damage.stated,
    });
    let archived = part.filter(|part| is_archived(part));
    let offset = archived.map_or(damage.offset, |part| part.offset);
    Loss::new(input, offset, kind(lost))
}

/// Counts what is odd about data.
fn count_oddity(oddity: DataOddity, stats: &mut Stats) {
    *match oddity {
        DataOddity::BrokenJson => &mut stats.json_broken,
        DataOddity::OpenQuote => &mut stats.csv_quote,
        DataOddity::WithoutField => &mut stats.without_field,
        DataOddity::WithoutPointer => &mut stats.without_pointer,
        DataOddity::NoHost => &mut stats.no_host,
        DataOddity::Garbage => &mut stats.garbage,
    } += 1;
}

/// Returns the damage of an HTTP message in the record that begins at `at`.
fn http(cause: &'static str, at: u64) -> Damage {
    Damage::new("http", cause, at)
}

/// Returns the limit that a mail exceeds in the record that begins at `at`.
fn mail(cause: &'static str, at: u64) -> Damage {
    Damage::new("mail", cause, at)
}

/// Returns the limit that markup exceeds in the record that begins at `at`.
fn markup(cause: &'static str, at: u64) -> Damage {
    Damage::new("markup", cause, at)
}
