//! Records in XML: MARCXML, picaXML and ppxml, MODS, Dublin Core. The elements of a record
//! are found in any wrapper and with any prefix; everything around the records is text.

use super::super::format::CatalogFormat;
use super::super::record::{CatalogRecord, FIELD_MAX, RECORD_MAX};
use super::super::text::TextReader;
use super::super::value::RecordStep;
use super::lines::malformed;
use super::staged::StagedRecord;
use crate::decode::markup::{Attribute, MarkupToken, TextKind, TokenKind, XmlTokenizer};
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
/// The greatest depth of elements of MODS that are read in a record, and the greatest
/// number of bytes of their names: real records have few levels, and each element has the
/// names of all elements around it.
const LEVELS_MAX: usize = 64;
const PATH_MAX: usize = 1 << 10;
/// The most prefixes of Dublin Core that are distinguished, and the longest of them: no
/// document has more than a few.
const PREFIXES_MAX: usize = 64;
const PREFIX_MAX: usize = 256;

/// Reads records in XML.
#[derive(Debug)]
pub(in crate::decode::catalog) struct XmlRecords {
    format: CatalogFormat,
    tokens: XmlTokenizer,
    /// The number of open elements.
    depth: usize,
    /// The offset of the tag of the innermost element, if this is in the window and the
    /// element is still empty.
    parent: Option<usize>,
    prefixes: CorePrefixes,
    staged: Option<StagedRecord>,
    /// The element whose text is read.
    capture: Option<Capture>,
    path: ModsPath,
    /// A record, or a part of one, that was read but not returned, and where it ends.
    ready: Option<(StagedRecord, usize)>,
}

/// The names of the open elements of a record of MODS, from the outermost one on.
#[derive(Debug, Default)]
struct ModsPath {
    names: Vec<u8>,
    /// The number of names.
    levels: usize,
}

impl ModsPath {
    fn clear(&mut self) {
        self.names.clear();
        self.levels = 0;
    }

    /// Adds the name of an element at this level, from 1. Returns false if the element is too
    /// deep, or inside of one that is.
    fn enter(&mut self, name: &[u8], level: usize) -> bool {
        let len = self.names.len() + usize::from(self.levels > 0) + name.len();
        if level != self.levels + 1 || level > LEVELS_MAX || len > PATH_MAX {
            return false;
        }
        if self.levels > 0 {
            self.names.push(b'/');
        }
        self.names.extend_from_slice(name);
        self.levels = level;
        true
    }

    /// Whether an element of this name is open.
    fn has(&self, name: &[u8]) -> bool {
        self.names
            .split(|&byte| byte == b'/')
            .any(|open| open == name)
    }

    /// Removes the name of an element at this level, if it has one.
    fn leave(&mut self, level: usize) {
        if level > 0 && level <= self.levels {
            let len = memchr::memrchr(b'/', &self.names).unwrap_or(0);
            self.names.truncate(len);
            self.levels -= 1;
        }
    }
}

/// The prefixes of Dublin Core.
#[derive(Debug, Default)]
struct CorePrefixes {
    /// Each with the depth of the outermost element that declares it.
    known: Vec<(Vec<u8>, usize)>,
    /// Whether there are too many prefixes: then every prefix counts, so that no
    /// element is lost.
    is_any: bool,
}

impl CorePrefixes {
    fn has(&self, prefix: &[u8]) -> bool {
        self.is_any || self.known.iter().any(|(known, _)| known == prefix)
    }

    /// Notes the declaration of a prefix by an element at `depth`.
    fn declare(&mut self, prefix: &[u8], is_core: bool, depth: usize) {
        let known = self.known.iter().position(|(known, _)| known == prefix);
        match (is_core, known) {
            (true, Some(at)) => self.known[at].1 = self.known[at].1.min(depth),
            (true, None) => {
                if self.known.len() == PREFIXES_MAX {
                    // Declarations of elements that have ended are not in use.
                    self.known.retain(|(_, other)| *other < depth);
                }
                self.is_any |= self.known.len() == PREFIXES_MAX || prefix.len() > PREFIX_MAX;
                if !self.is_any {
                    self.known.push((prefix.to_vec(), depth));
                }
            }
            (false, Some(at)) => drop(self.known.swap_remove(at)),
            (false, None) => {}
        }
    }
}

/// An element whose text is read.
#[derive(Debug)]
struct Capture {
    /// The depth of the element.
    depth: usize,
    /// The start of its text.
    from: usize,
    is_leader: bool,
}

impl XmlRecords {
    pub fn new(format: CatalogFormat) -> XmlRecords {
        XmlRecords {
            format,
            tokens: XmlTokenizer::new().bounded(),
            depth: 0,
            parent: None,
            prefixes: CorePrefixes::default(),
            staged: None,
            capture: None,
            path: ModsPath::default(),
            ready: None,
        }
    }

    /// Reads the record, or a part of one, at the start of `bytes`.
    pub fn read(
        &mut self,
        (bytes, last): (&[u8], bool),
        (number, offset): (u64, u64),
        record: &mut CatalogRecord,
        text: &mut TextReader,
    ) -> RecordStep {
        while self.ready.is_none() {
            let Some(token) = self.tokens.next(bytes, last) else {
                break;
            };
            self.token(bytes, &token, text);
            self.end_long_part(token.range.end);
        }
        let read = self.tokens.position();
        if self.ready.is_none()
            && last
            && let Some(mut staged) = self.staged.take()
        {
            staged.is_cut = true;
            self.ready = Some((staged, bytes.len()));
        }
        let begun = match (&self.ready, &self.staged) {
            (Some((staged, _)), _) | (None, Some(staged)) => Some(staged.start),
            (None, None) => None,
        };
        // The previous element may hold the first field.
        let held = match (self.format, self.parent) {
            (CatalogFormat::DublinCore, Some(at)) if read - at <= HELD && !last => at,
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
        let Some((staged, end)) = self.ready.take() else {
            return RecordStep::Hungry;
        };
        record.begin(self.format, number, offset);
        record.converter = text.maker().converter();
        record.damage.extend(staged.damage((number, offset)));
        record.is_sound = record.damage.is_empty();
        if staged.write(bytes, record, text) {
            record.damage.push(malformed((number, offset)));
        }
        record.finish(end);
        self.forget(end);
        RecordStep::Record(end)
    }

    /// Ends a part of a record that is too long, at `end`, because no field begins in
    /// time.
    fn end_long_part(&mut self, end: usize) {
        if let Some(staged) = &self.staged
            && self.ready.is_none()
            && end - staged.start > RECORD_MAX + FIELD_MAX
        {
            self.part(end);
        }
    }

    /// Begins the next part of a record at `at`.
    fn part(&mut self, at: usize) {
        self.capture = None;
        if let Some(mut staged) = self.staged.take() {
            self.staged = Some(StagedRecord::new(at, staged.depth));
            staged.is_part = true;
            self.ready = Some((staged, at));
        }
    }

    /// Drops the first bytes of the window.
    fn forget(&mut self, len: usize) {
        self.tokens.forget(len);
        self.parent = self.parent.and_then(|at| at.checked_sub(len));
        if let Some(staged) = &mut self.staged {
            staged.forget(len);
        }
        if let Some((staged, end)) = &mut self.ready {
            staged.forget(len);
            *end = end.saturating_sub(len);
        }
        if let Some(capture) = &mut self.capture {
            capture.from = capture.from.saturating_sub(len);
        }
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
                self.depth += 1;
                self.parent = None;
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
        // An element holds the first field of a record only if it had no element
        // before.
        let parent = self.parent.replace(at).filter(|parent| at - parent <= HELD);
        self.depth += 1;
        let depth = self.depth;
        let is_core = self.format == CatalogFormat::DublinCore && self.is_core(tag);
        let begins = match self.format {
            // The end of the record before it may be missing; an extension may hold any element.
            CatalogFormat::Mods => tag.local == b"mods" && !self.path.has(b"extension"),
            CatalogFormat::DublinCore => false,
            _ => tag.local == b"record",
        };
        if begins {
            let before = self.staged.replace(StagedRecord::new(at, depth));
            if let Some(mut before) = before.filter(|before| !before.is_empty()) {
                // The end of the record before it is missing.
                before.is_cut = true;
                self.ready = Some((before, at));
            }
            self.path.clear();
            return;
        }
        if is_core && self.staged.is_none() {
            self.staged = Some(StagedRecord::new(parent.unwrap_or(at), (depth - 1).max(1)));
        }
        if self.begins_field(tag, is_core)
            && self
                .staged
                .as_ref()
                .is_some_and(|staged| staged.is_long(at))
        {
            self.part(at);
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
            (CatalogFormat::Mods, local) => {
                let level = depth.saturating_sub(staged.depth);
                if !self.path.enter(local, level) {
                    staged.is_deep = true;
                    self.capture = None;
                    return;
                }
                let (kind, invalid) = (
                    tag.attribute(b"type", text),
                    tag.attribute(b"invalid", text),
                );
                let ind2: &[u8] = if invalid == b"yes" { b"z" } else { b"" };
                staged.field(&self.path.names, &kind, ind2, tag.token.range.clone());
                tag.links(staged);
                staged.code(b"");
                self.capture = capture(false);
            }
            (CatalogFormat::DublinCore, local) if is_core => {
                let kind = tag.attribute(b"type", text);
                staged.field(local, &kind, b"", tag.token.range.clone());
                tag.links(staged);
                staged.code(b"");
                self.capture = capture(false);
            }
            (CatalogFormat::DublinCore, _) => {}
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
                    CatalogFormat::PicaXml => tag.attribute(b"occurrence", text),
                    _ => tag.attribute(b"ind1", text),
                };
                let ind2 = tag.attribute(b"ind2", text);
                staged.field(&name, &ind1, &ind2, tag.token.range.clone());
            }
            (CatalogFormat::PicaXml, b"tag") => {
                let (name, ind1) = (tag.attribute(b"id", text), tag.attribute(b"occ", text));
                staged.field(&name, &ind1, b"", tag.token.range.clone());
            }
            (_, b"subfield") => {
                staged.code(&tag.attribute(b"code", text));
                self.capture = capture(false);
            }
            (CatalogFormat::PicaXml, b"subf") => {
                staged.code(&tag.attribute(b"id", text));
                self.capture = capture(false);
            }
            _ => {}
        }
    }

    /// Leaves an element, whose content ends at `content`.
    fn leave(&mut self, content: usize, end: usize) {
        let depth = self.depth;
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
        self.parent = None;
        self.depth = depth.saturating_sub(1);
        let Some(staged) = &self.staged else {
            return;
        };
        self.path.leave(depth.saturating_sub(staged.depth));
        if staged.depth >= depth
            && let Some(staged) = self.staged.take()
            // A wrapper with the name of a record has no fields.
            && !staged.is_empty()
        {
            self.ready = Some((staged, end));
        }
    }

    /// Whether a tag begins a field, before which a record may be divided.
    fn begins_field(&self, tag: &XmlTag, is_core: bool) -> bool {
        match self.format {
            CatalogFormat::Mods => true,
            CatalogFormat::DublinCore => is_core,
            CatalogFormat::PicaXml => matches!(tag.local, b"datafield" | b"tag"),
            _ => matches!(tag.local, b"controlfield" | b"datafield"),
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
            self.prefixes.declare(name, is_core, self.depth + 1);
        }
    }

    /// Whether an element is one of Dublin Core: by its namespace, or by the usual prefix, whose
    /// declaration may be damaged.
    fn is_core(&self, tag: &XmlTag) -> bool {
        let is_usual = matches!(tag.prefix, b"dc" | b"dcterms");
        tag.local != b"dc" && (is_usual || self.prefixes.has(tag.prefix))
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

    /// Returns the value of an attribute with any prefix.
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

/// Splits a name into its prefix and its local part.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', name) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (b"", name),
    }
}
