//! A body of mail that may be an archive: its first bytes decide. The members of an archive are
//! bodies in it; another body is read by its decoder.

use crate::decode::{Decode, Event, Output};
use crate::item::{Damage, LossKind, OwnedContext, Part};
use crate::unpack::{Piece, Splitter, may_become_container, may_become_opaque, opaque};
use std::sync::Arc;

/// Decodes a body, as an archive if it is one.
#[derive(Debug)]
pub(in crate::engine) struct ArchiveBody {
    part: Part,
    form: BodyForm,
}

enum BodyForm {
    /// Before the first byte.
    Unknown(Box<dyn Decode>),
    Plain(Box<dyn Decode>),
    Archive(Box<OpenArchive>),
    /// While it changes.
    Changing,
}

impl std::fmt::Debug for BodyForm {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            BodyForm::Unknown(_) | BodyForm::Changing => "unknown",
            BodyForm::Plain(_) => "plain",
            BodyForm::Archive(_) => "archive",
        })
    }
}

/// An archive that is split.
struct OpenArchive {
    splitter: Splitter,
    /// The number of bytes that the splitter has and that are not read.
    waiting: usize,
    /// The content of members as the splitter returns it: it is where it was in the archive.
    content: Vec<u8>,
}

impl ArchiveBody {
    /// Creates a decoder of `part`, which `decoder` reads if it is no archive.
    pub(in crate::engine) fn new(part: Part, decoder: Box<dyn Decode>) -> ArchiveBody {
        ArchiveBody {
            part,
            form: BodyForm::Unknown(decoder),
        }
    }

    /// Returns the form of the body that begins with `bytes`.
    fn begin(decoder: Box<dyn Decode>, bytes: &[u8], last: bool, out: &mut Output) -> BodyForm {
        if let Some(splitter) = Splitter::of(bytes, false) {
            return BodyForm::Archive(Box::new(OpenArchive {
                splitter,
                waiting: 0,
                content: Vec::new(),
            }));
        }
        if !last && (may_become_container(bytes) || may_become_opaque(bytes)) {
            return BodyForm::Unknown(decoder);
        }
        if let Some((container, cause)) = opaque(bytes) {
            let damage = Damage::new(container, cause, 0);
            out.events
                .push(Event::Lost(Box::new(LossKind::Unseen(damage))));
        }
        BodyForm::Plain(decoder)
    }
}

impl Decode for ArchiveBody {
    fn has_lines(&self) -> bool {
        match &self.form {
            BodyForm::Unknown(decoder) | BodyForm::Plain(decoder) => decoder.has_lines(),
            BodyForm::Archive(_) | BodyForm::Changing => false,
        }
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        self.form = match std::mem::replace(&mut self.form, BodyForm::Changing) {
            BodyForm::Unknown(decoder) => ArchiveBody::begin(decoder, bytes, last, out),
            form => form,
        };
        match &mut self.form {
            BodyForm::Plain(decoder) => decoder.push(bytes, last, out),
            BodyForm::Archive(archive) => archive.split(&self.part, bytes, last, out),
            BodyForm::Unknown(_) | BodyForm::Changing => 0,
        }
    }
}

impl OpenArchive {
    fn split(&mut self, around: &Part, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let feed = self.splitter.feed();
        let start = feed.position();
        feed.push(&bytes[self.waiting..]);
        if last {
            feed.end();
        }
        // The offset in `bytes` up to which events were added.
        let mut at = 0;
        loop {
            self.content.clear();
            let piece = self.splitter.next(&mut self.content);
            let read = (self.splitter.feed().position() - start) as usize;
            for (_, loss) in self.splitter.losses() {
                out.events.push(Event::Lost(Box::new(loss)));
            }
            let len = if let Piece::Content(len) = piece {
                len
            } else {
                0
            };
            skip(read.saturating_sub(len).saturating_sub(at), out);
            at = read.max(at);
            match piece {
                Piece::Record(part) => out
                    .events
                    .push(Event::Part(Arc::new(member(around, *part)))),
                Piece::Content(len) => out.events.push(Event::Body(len)),
                Piece::RecordEnd => out.events.push(Event::PartEnd),
                Piece::Hungry | Piece::End => break,
            }
        }
        if last {
            skip(bytes.len() - at, out);
            at = bytes.len();
        }
        self.waiting = bytes.len() - at;
        at
    }
}

fn skip(len: usize, out: &mut Output) {
    if len > 0 {
        out.events.push(Event::Skipped(len));
    }
}

/// Returns the member `part` of the archive that is the body `around`.
fn member(around: &Part, part: Part) -> Part {
    let context = &around.context;
    Part {
        context: OwnedContext {
            part: context.part.clone(),
            message_id: context.message_id.clone(),
            message_date: context.message_date,
            ..part.context
        },
        offset: around.offset,
        own_offsets: true,
        ..part
    }
}
