//! Contexts that own their data: many findings of a batch share one. Contexts share
//! their fields, so that a context that differs in one field costs only that field.

use super::Timestamp;
use super::context::{Context, Link, Marc, Warc};
use std::sync::Arc;

/// A [`Context`] that owns its data.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::item::{OwnedContext, Record};
/// let mut context = OwnedContext::default();
/// context.warc = Some(Arc::new(Record { number: 3, ..Record::default() }));
/// context.header = Some(Arc::from(&b"location"[..]));
/// assert_eq!(context.as_context().warc.unwrap().number, 3);
/// assert_eq!(context.as_context().header, Some(&b"location"[..]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedContext {
    /// The record of a web archive.
    pub warc: Option<Arc<Record>>,
    /// As [`Context::member`].
    pub member: Option<Arc<[u8]>>,
    /// As [`Context::header`].
    pub header: Option<Arc<[u8]>>,
    /// As [`Context::link`].
    pub link: Option<Arc<OwnedLink>>,
    /// As [`Context::part`].
    pub part: Option<Arc<[u8]>>,
    /// As [`Context::message_id`].
    pub message_id: Option<Arc<[u8]>>,
    /// As [`Context::message_date`].
    pub message_date: Option<Timestamp>,
    /// As [`Context::pointer`].
    pub pointer: Option<Arc<[u8]>>,
    /// As [`Context::row`].
    pub row: Option<u64>,
    /// As [`Context::field`].
    pub field: Option<Arc<[u8]>>,
    /// As [`Context::marc`].
    pub marc: Option<Arc<OwnedMarc>>,
}

/// The context of a text that no record or message contains.
static NOTHING: OwnedContext = OwnedContext {
    warc: None,
    member: None,
    header: None,
    link: None,
    part: None,
    message_id: None,
    message_date: None,
    pointer: None,
    row: None,
    field: None,
    marc: None,
};

impl OwnedContext {
    /// Returns the context of a text that no record or message contains.
    ///
    /// ```
    /// use urisieve::item::OwnedContext;
    /// assert_eq!(*OwnedContext::nothing(), OwnedContext::default());
    /// ```
    pub const fn nothing() -> &'static OwnedContext {
        &NOTHING
    }

    /// Borrows it as a [`Context`] without a request, which differs from line to line, and
    /// without entries of lists.
    ///
    /// ```
    /// use urisieve::item::{Context, OwnedContext};
    /// assert_eq!(OwnedContext::default().as_context(), Context::default());
    /// ```
    pub fn as_context(&self) -> Context<'_> {
        Context {
            warc: self.warc.as_deref().map(Record::as_warc),
            member: self.member.as_deref(),
            header: self.header.as_deref(),
            link: self.link.as_deref().map(OwnedLink::as_link),
            part: self.part.as_deref(),
            message_id: self.message_id.as_deref(),
            message_date: self.message_date,
            pointer: self.pointer.as_deref(),
            row: self.row,
            field: self.field.as_deref(),
            marc: self.marc.as_deref().map(OwnedMarc::as_marc),
            request: None,
            matched: None,
        }
    }
}

/// The request is left out: an [`OwnedFinding`](super::OwnedFinding) has it apart, because a
/// batch keeps it with its line.
impl From<Context<'_>> for OwnedContext {
    fn from(context: Context<'_>) -> OwnedContext {
        let text = |text: Option<&[u8]>| text.map(Arc::from);
        OwnedContext {
            warc: context.warc.map(|warc| Arc::new(warc.into())),
            member: text(context.member),
            header: text(context.header),
            link: context.link.map(|link| Arc::new(link.into())),
            part: text(context.part),
            message_id: text(context.message_id),
            message_date: context.message_date,
            pointer: text(context.pointer),
            row: context.row,
            field: text(context.field),
            marc: context.marc.map(|marc| Arc::new(marc.into())),
        }
    }
}

impl From<Warc<'_>> for Record {
    fn from(warc: Warc<'_>) -> Record {
        Record {
            number: warc.number,
            offset: warc.offset,
            record_id: warc.record_id.to_vec(),
            kind: warc.kind.to_vec(),
            date: warc.date.to_vec(),
            target_uri: warc.target_uri.to_vec(),
        }
    }
}

impl From<Link<'_>> for OwnedLink {
    fn from(link: Link<'_>) -> OwnedLink {
        OwnedLink {
            path: link.path.to_vec(),
            rel: link.rel.to_vec(),
            nofollow: link.nofollow,
        }
    }
}

impl From<Marc<'_>> for OwnedMarc {
    fn from(marc: Marc<'_>) -> OwnedMarc {
        OwnedMarc {
            record_no: marc.record_no,
            record_id: marc.record_id.to_vec(),
            title: marc.title.to_vec(),
            tag: marc.tag.to_vec(),
            ind1: marc.ind1.to_vec(),
            ind2: marc.ind2.to_vec(),
            subfield: marc.subfield.to_vec(),
            occurrence: marc.occurrence,
            record_offset: marc.record_offset,
        }
    }
}

/// The header of a record of a web archive, like [`Warc`], which borrows from it.
///
/// ```
/// use urisieve::item::Record;
/// let record = Record { kind: b"response".to_vec(), ..Record::default() };
/// assert_eq!(record.as_warc().kind, b"response");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The number of records before it.
    pub number: u64,
    /// The offset of the record, in bytes of the stored input.
    pub offset: u64,
    /// `WARC-Record-ID`, without its angle brackets.
    pub record_id: Vec<u8>,
    /// `WARC-Type`.
    pub kind: Vec<u8>,
    /// `WARC-Date`.
    pub date: Vec<u8>,
    /// `WARC-Target-URI`.
    pub target_uri: Vec<u8>,
}

impl Record {
    /// Borrows it as a [`Warc`].
    ///
    /// ```
    /// assert_eq!(urisieve::item::Record::default().as_warc().offset, 0);
    /// ```
    pub fn as_warc(&self) -> Warc<'_> {
        Warc {
            number: self.number,
            offset: self.offset,
            record_id: &self.record_id,
            kind: &self.kind,
            date: &self.date,
            target_uri: &self.target_uri,
        }
    }
}

/// A [`Link`] that owns its data.
///
/// ```
/// use urisieve::item::OwnedLink;
/// let link = OwnedLink { path: b"A@/href".to_vec(), ..OwnedLink::default() };
/// assert_eq!(link.as_link().path, b"A@/href");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedLink {
    /// As [`Link::path`].
    pub path: Vec<u8>,
    /// As [`Link::rel`].
    pub rel: Vec<u8>,
    /// As [`Link::nofollow`].
    pub nofollow: bool,
}

impl OwnedLink {
    /// Borrows it as a [`Link`].
    ///
    /// ```
    /// assert_eq!(urisieve::item::OwnedLink::default().as_link().rel, b"");
    /// ```
    pub fn as_link(&self) -> Link<'_> {
        Link {
            path: &self.path,
            rel: &self.rel,
            nofollow: self.nofollow,
        }
    }
}

/// A [`Marc`] that owns its data.
///
/// ```
/// use urisieve::item::OwnedMarc;
/// let marc = OwnedMarc { tag: b"856".to_vec(), ..OwnedMarc::default() };
/// assert_eq!(marc.as_marc().tag, b"856");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedMarc {
    /// As [`Marc::record_no`].
    pub record_no: u64,
    /// As [`Marc::record_id`].
    pub record_id: Vec<u8>,
    /// As [`Marc::title`].
    pub title: Vec<u8>,
    /// As [`Marc::tag`].
    pub tag: Vec<u8>,
    /// As [`Marc::ind1`].
    pub ind1: Vec<u8>,
    /// As [`Marc::ind2`].
    pub ind2: Vec<u8>,
    /// As [`Marc::subfield`].
    pub subfield: Vec<u8>,
    /// As [`Marc::occurrence`].
    pub occurrence: u64,
    /// As [`Marc::record_offset`].
    pub record_offset: u64,
}

impl OwnedMarc {
    /// Borrows it as a [`Marc`].
    ///
    /// ```
    /// assert_eq!(urisieve::item::OwnedMarc::default().as_marc().occurrence, 0);
    /// ```
    pub fn as_marc(&self) -> Marc<'_> {
        Marc {
            record_no: self.record_no,
            record_id: &self.record_id,
            title: &self.title,
            tag: &self.tag,
            ind1: &self.ind1,
            ind2: &self.ind2,
            subfield: &self.subfield,
            occurrence: self.occurrence,
            record_offset: self.record_offset,
        }
    }
}
