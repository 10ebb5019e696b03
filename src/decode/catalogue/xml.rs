//! Records in XML: MARCXML, picaXML and ppxml, MODS, Dublin Core. The elements of a record
//! are found in any wrapper and with any prefix; what is around the records is text.

use super::format::CatalogueFormat;
use super::iso2709::RECORD_MAX;
use super::mrk::{malformed, too_long};
use super::record::CatalogueRecord;
use super::staged::StagedRecord;
use super::text::TextReader;
use super::value::RecordStep;
use crate::decode::markup::{Attribute, MarkupToken, TextKind, TokenKind, XmlTokenizer};
use crate::decode::record_damage::{RecordDamage, RecordFault};
use crate::escape::References;

/// The namespaces of Dublin Core: its elements, and its terms.
const DUBLIN_CORE: [&[u8]; 2] = [
    b"http://purl.org/dc/elements/1.",
    b"http://purl.org/dc/terms/",
];
/// The attributes of MODS and RDF that hold URIs.
const LINKS: [&[u8]; 5] = [b"href", b"resource", b"valueURI", b"authorityURI", b"about"];
/// The most bytes outside of records that wait for a record to begin.
const HELD: usize = 64 << 10;

/// Reads records in XML.
#[derive(Debug)]
pub(super) struct XmlRecords {
    format: CatalogueFormat,
    tokens: XmlTokenizer,
    /// The open elements: where their tags begin, if that is in the window and no element
    /// is in them yet.
    open: Vec<Option<usize>>,
    /// The prefixes of Dublin Core.
    prefixes: Vec<Vec<u8>>,
    staged: Option<StagedRecord>,
    /// The element whose text is read.
    capture: Option<Capture>,
    /// The names of the open elements of a record of MODS.
    path: Vec<u8>,
    /// A record that was read, but not returned, and where it ends.
    ready: Option<usize>,
    /// A tag that begins a record while another is open.
    next: Option<usize>,
}

/// An element whose text is read.
#[derive(Debug)]
struct Capture {
    /// Its depth.
    depth: usize,
    /// Where its text begins.
    from: usize,
    is_leader: bool,
}

impl XmlRecords {
    pub fn new(format: CatalogueFormat) -> XmlRecords {
        XmlRecords {
            format,
            tokens: XmlTokenizer::new().bounded(),
            open: Vec::new(),
            prefixes: Vec::new(),
            staged: None,
            capture: None,
            path: Vec::new(),
            ready: None,
            next: None,
        }
    }

    /// Reads what `bytes` begin with.
    pub fn read(
        &mut self,
        (bytes, last): (&[u8], bool),
        (number, offset): (u64, u64),
        record: &mut CatalogueRecord,
        text: &mut TextReader,
    ) -> RecordStep {
        while self.ready.is_none() {
            let Some(token) = self.tokens.next(bytes, last) else {
                break;
            };
            self.token(bytes, &token, text);
            let is_long = |staged: &StagedRecord| token.range.end - staged.start > RECORD_MAX;
            if self.staged.as_ref().is_some_and(is_long) {
                self.ready = Some(token.range.end);
            }
        }
        let read = self.tokens.position();
        if self.ready.is_none() && last && self.staged.is_some() {
            self.ready = Some(bytes.len());
            if let Some(staged) = &mut self.staged {
                staged.is_cut = true;
            }
        }
        let begun = self.staged.as_ref().map(|staged| staged.start);
        // The element before may be the one that holds the first field.
        let held = match (self.format, self.open.last()) {
            (CatalogueFormat::DublinCore, Some(Some(at))) if read - at <= HELD && !last => *at,
            _ => read,
        };
        let outside = begun.unwrap_or(held);
        if outside > 0 {
            self.forget(outside);
            return RecordStep::Outside {
                len: outside,
                is_text: true,
            };
        }
        let Some(end) = self.ready.take() else {
            return RecordStep::Hungry;
        };
        let Some(staged) = self.staged.take() else {
            return RecordStep::Hungry;
        };
        record.begin(self.format, number, offset);
        record.converter = text.maker().converter();
        let damage = |fault, cause| RecordDamage::of_record(fault, cause, (number, offset));
        if staged.is_cut {
            let cause = "the end of a record is missing";
            record.damage.push(damage(RecordFault::Truncated, cause));
        }
        if staged.is_broken {
            let cause = "a tag that is not complete";
            record.damage.push(damage(RecordFault::Damaged, cause));
        }
        if end > RECORD_MAX {
            record.damage.push(too_long((number, offset)));
        }
        record.is_sound = record.damage.is_empty();
        if staged.write(bytes, record, text) {
            record.damage.push(malformed((number, offset)));
        }
        record.finish(end);
        self.forget(end);
        if let Some(next) = self.next.take() {
            self.staged = Some(StagedRecord::new(next.saturating_sub(end), self.open.len()));
        }
        RecordStep::Record(end)
    }

    /// Drops the first bytes of the window.
    fn forget(&mut self, len: usize) {
        self.tokens.forget(len);
        for open in &mut self.open {
            *open = open.and_then(|at| at.checked_sub(len));
        }
        if let Some(staged) = &mut self.staged {
            staged.forget(len);
        }
        if let Some(capture) = &mut self.capture {
            capture.from = capture.from.saturating_sub(len);
        }
        self.ready = self.ready.map(|at| at.saturating_sub(len));
        self.next = self.next.map(|at| at.saturating_sub(len));
    }

    fn token(&mut self, window: &[u8], token: &MarkupToken, text: &mut TextReader) {
        match &token.kind {
            TokenKind::Start(start) => {
                let (prefix, local) = split(&window[start.name.clone()]);
                let tag = XmlTag {
                    window,
                    token,
                    attributes: self.tokens.attributes().to_vec(),
                    prefix,
                    local,
                };
                self.start(&tag, text);
                if start.self_closing {
                    self.leave(token.range.end, token.range.end);
                }
            }
            TokenKind::End { .. } => self.leave(token.range.start, token.range.end),
            TokenKind::Instruction { .. } => {
                let is_whole = window[token.range.clone()].ends_with(b">");
                self.note_broken(!is_whole);
            }
            TokenKind::Text {
                kind: TextKind::Residue,
                ..
            } => self.broken_tag(window, token),
            _ => {}
        }
    }

    /// Counts a tag without its end as an element, so that the others keep their depths.
    fn broken_tag(&mut self, window: &[u8], token: &MarkupToken) {
        match &window[token.range.clone()] {
            [b'<', b'/', ..] => {
                self.note_broken(true);
                self.leave(token.range.start, token.range.end);
            }
            [b'<', ..] => {
                self.note_broken(true);
                self.open.push(None);
            }
            _ => {}
        }
    }

    fn note_broken(&mut self, is_broken: bool) {
        if let Some(staged) = &mut self.staged {
            staged.is_broken |= is_broken;
        }
    }

    fn start(&mut self, tag: &XmlTag, text: &mut TextReader) {
        let at = tag.token.range.start;
        self.note_prefixes(tag);
        // An element holds the first field of a record only if none was in it before.
        let parent = self.open.last_mut().and_then(Option::take);
        let parent = parent.filter(|parent| at - parent <= HELD);
        self.open.push(Some(at));
        let depth = self.open.len();
        let is_core = self.format == CatalogueFormat::DublinCore && self.is_core(tag);
        let begins = match self.format {
            CatalogueFormat::Mods => tag.local == b"mods" && self.staged.is_none(),
            CatalogueFormat::DublinCore => false,
            _ => tag.local == b"record",
        };
        if begins {
            match &self.staged {
                // The end of the record before it is missing.
                Some(staged) if !staged.is_empty() => {
                    (self.ready, self.next) = (Some(at), Some(at));
                    if let Some(staged) = &mut self.staged {
                        staged.is_cut = true;
                    }
                }
                _ => self.staged = Some(StagedRecord::new(at, depth)),
            }
            self.path.clear();
            return;
        }
        if is_core && self.staged.is_none() {
            self.staged = Some(StagedRecord::new(parent.unwrap_or(at), (depth - 1).max(1)));
        }
        let Some(staged) = &mut self.staged else {
            return;
        };
        let from = tag.token.range.end;
        let capture = |is_leader| {
            Some(Capture {
                depth,
                from,
                is_leader,
            })
        };
        match (self.format, tag.local) {
            (CatalogueFormat::Mods, local) => {
                if !self.path.is_empty() {
                    self.path.push(b'/');
                }
                self.path.extend_from_slice(local);
                let (kind, invalid) = (
                    tag.attribute(b"type", text),
                    tag.attribute(b"invalid", text),
                );
                let ind2: &[u8] = if invalid == b"yes" { b"z" } else { b"" };
                staged.field(&self.path, &kind, ind2, tag.token.range.clone());
                tag.links(staged);
                staged.code(b"");
                self.capture = capture(false);
            }
            (CatalogueFormat::DublinCore, local) if is_core => {
                let kind = tag.attribute(b"type", text);
                staged.field(local, &kind, b"", tag.token.range.clone());
                tag.links(staged);
                staged.code(b"");
                self.capture = capture(false);
            }
            (CatalogueFormat::DublinCore, _) => {}
            (_, b"leader") => self.capture = capture(true),
            (_, b"controlfield") => {
                let name = tag.attribute(b"tag", text);
                staged.field(&name, b"", b"", tag.token.range.clone());
                staged.code(b"");
                self.capture = capture(false);
            }
            (_, b"datafield") => {
                let name = tag.attribute(b"tag", text);
                let ind1 = match self.format {
                    CatalogueFormat::PicaXml => tag.attribute(b"occurrence", text),
                    _ => tag.attribute(b"ind1", text),
                };
                let ind2 = tag.attribute(b"ind2", text);
                staged.field(&name, &ind1, &ind2, tag.token.range.clone());
            }
            (CatalogueFormat::PicaXml, b"tag") => {
                let (name, ind1) = (tag.attribute(b"id", text), tag.attribute(b"occ", text));
                staged.field(&name, &ind1, b"", tag.token.range.clone());
            }
            (_, b"subfield") => {
                staged.code(&tag.attribute(b"code", text));
                self.capture = capture(false);
            }
            (CatalogueFormat::PicaXml, b"subf") => {
                staged.code(&tag.attribute(b"id", text));
                self.capture = capture(false);
            }
            _ => {}
        }
    }

    /// Leaves an element, whose content ends at `content`.
    fn leave(&mut self, content: usize, end: usize) {
        let depth = self.open.len();
        let capture = self.capture.take_if(|capture| capture.depth >= depth);
        if let (Some(capture), Some(staged)) = (capture, &mut self.staged)
            && capture.depth == depth
        {
            let range = capture.from..content.max(capture.from);
            match capture.is_leader {
                true => staged.leader = range,
                false => staged.value(range),
            }
        }
        let len = self
            .path
            .iter()
            .rposition(|&byte| byte == b'/')
            .unwrap_or(0);
        self.path.truncate(len);
        self.open.pop();
        if self
            .staged
            .as_ref()
            .is_some_and(|staged| staged.depth >= depth)
            && self.ready.is_none()
        {
            match self.staged.as_ref().is_some_and(StagedRecord::is_empty) {
                // A wrapper with the name of a record.
                true => self.staged = None,
                false => self.ready = Some(end),
            }
        }
    }

    fn note_prefixes(&mut self, tag: &XmlTag) {
        for attribute in &tag.attributes {
            let (prefix, local) = split(attribute.name(tag.bytes()));
            let name = match (prefix, local) {
                (b"xmlns", name) => name,
                (b"", b"xmlns") => b"",
                _ => continue,
            };
            let value = attribute.value(tag.bytes());
            let is_core = DUBLIN_CORE.iter().any(|space| value.starts_with(space));
            let known = self.prefixes.iter().position(|known| known == name);
            match (is_core, known) {
                (true, None) => self.prefixes.push(name.to_vec()),
                (false, Some(at)) => drop(self.prefixes.swap_remove(at)),
                _ => {}
            }
        }
    }

    /// Whether an element is one of Dublin Core.
    fn is_core(&self, tag: &XmlTag) -> bool {
        tag.local != b"dc" && self.prefixes.iter().any(|prefix| prefix == tag.prefix)
    }
}

/// A start tag.
struct XmlTag<'t> {
    window: &'t [u8],
    token: &'t MarkupToken,
    attributes: Vec<Attribute>,
    prefix: &'t [u8],
    local: &'t [u8],
}

impl XmlTag<'_> {
    fn bytes(&self) -> &[u8] {
        &self.window[self.token.range.clone()]
    }

    /// Returns the value of an attribute, whatever its prefix.
    fn attribute(&self, name: &[u8], text: &mut TextReader) -> Vec<u8> {
        let is_it = |attribute: &&Attribute| split(attribute.name(self.bytes())).1 == name;
        let found = self.attributes.iter().find(is_it);
        found.map_or(Vec::new(), |attribute| {
            let raw = attribute.value(self.bytes());
            text.maker().text(raw, Some(References::Xml)).text.to_vec()
        })
    }

    /// Adds the attributes that hold URIs.
    fn links(&self, staged: &mut StagedRecord) {
        for attribute in &self.attributes {
            let name = attribute.name(self.bytes());
            if LINKS.contains(&split(name).1) && !name.starts_with(b"xmlns") {
                staged.code(name);
                staged.value(attribute.value_range(self.token.range.start));
            }
        }
    }
}

/// Splits a name into its prefix and the rest.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', name) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (b"", name),
    }
}
