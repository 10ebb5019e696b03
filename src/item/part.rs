//! A body that a container or a message encloses: a record, the content of a message.

use super::OwnedContext;
use std::sync::Arc;

/// A body that a container or a message encloses, with its metadata. Its bytes follow
/// separately.
///
/// ```
/// use urisieve::item::Part;
/// let part = Part { media_type: b"Text/HTML; charset=utf-8".to_vec(), ..Part::default() };
/// assert!(part.is("text/html") && !part.is("text/plain"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The context of the findings in the body.
    pub context: OwnedContext,
    /// The value of its `Content-Type` (RFC 9110 section 8.3); empty when it is not
    /// known.
    pub media_type: Vec<u8>,
    /// The codings of the body in lower case, in the order in which they are decoded:
    /// transfer codings (RFC 9112 section 7), then content codings (RFC 9110 section
    /// 8.4).
    pub codings: Vec<Vec<u8>>,
    /// Whether the body is known to be truncated, in which case truncation is not a
    /// loss.
    pub truncated: bool,
    /// The offset of the body, or of the record that contains it, in bytes from the
    /// start of the stored input. Losses are reported at this offset.
    pub offset: u64,
    /// The media type that was detected when it was archived
    /// (`WARC-Identified-Payload-Type`); empty when it is not known.
    pub identified: Vec<u8>,
    /// The status code of its HTTP response (RFC 9110 section 15).
    pub status: Option<u16>,
    /// Whether offsets and lines count from its start, and not as in the body around it.
    pub own_offsets: bool,
    /// The statements about a part of a mail; `None` for other bodies.
    pub mail: Option<Arc<MailPart>>,
}

/// The statements about a part of a mail that its decoder needs beside its media type.
///
/// ```
/// use urisieve::item::{MailPart, MailPartKind};
/// assert_eq!(MailPart::default().kind, MailPartKind::Body { quoted: false });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailPart {
    /// The kind of its bytes.
    pub kind: MailPartKind,
    /// The base of its relative references: `Content-Base` or `Content-Location` (RFC 2557
    /// section 5); empty where it has none.
    pub base: Vec<u8>,
    /// The number of multiparts and messages around it.
    pub depth: usize,
}

/// The kind of the bytes of a part of a mail.
///
/// ```
/// use urisieve::item::MailPartKind;
/// assert_ne!(MailPartKind::Header, MailPartKind::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailPartKind {
    /// The header of a message or of a part.
    Header,
    /// The content of a part.
    Body {
        /// Whether it is in quoted-printable (RFC 2045 section 6.7).
        quoted: bool,
    },
    /// A message.
    Message,
}

impl Default for MailPartKind {
    fn default() -> MailPartKind {
        MailPartKind::Body { quoted: false }
    }
}

impl Part {
    /// Whether the media type is `name`, with or without parameters.
    ///
    /// ```
    /// use urisieve::item::Part;
    /// assert!(!Part::default().is("text/html"));
    /// ```
    pub fn is(&self, name: &str) -> bool {
        Part::essence(&self.media_type).eq_ignore_ascii_case(name.as_bytes())
    }

    /// Returns a media type without its parameters.
    ///
    /// ```
    /// use urisieve::item::Part;
    /// assert_eq!(Part::essence(b"Text/HTML ; charset=utf-8"), b"Text/HTML");
    /// ```
    pub fn essence(media_type: &[u8]) -> &[u8] {
        let essence = media_type.split(|&b| b == b';').next();
        essence.unwrap_or_default().trim_ascii()
    }
}
