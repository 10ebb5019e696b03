//! The settings by which the content of a format is decoded.

use super::data::DataFields;
use super::log::LineReader;
use super::mentions::Mentions;
use crate::item::MediaRanges;
use crate::syntax::masks::stops::{EveryColon, FindStops};
use std::sync::Arc;

/// The settings by which content is decoded, whatever its format.
///
/// ```
/// use urisieve::decode::{ContentReading, Mentions};
/// assert_eq!(ContentReading::default().mentions, Mentions::WithColon);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContentReading {
    /// Which texts of markup and values of data are wanted beside links.
    pub mentions: Mentions,
    /// Which fields of data are searched.
    pub fields: Arc<DataFields>,
    /// Whether each record of data is shown by an event ([`Event::Record`](super::Event::Record)).
    pub shows_records: bool,
    /// The media types of parts of mail that are read although they hold no text (T9).
    pub media_types: MediaRanges,
    /// Reads records of data that may be requests (G1).
    pub(crate) logs: Option<Arc<LineReader>>,
    /// The part that is kept of the position of a value in its document.
    pub(crate) positions: ValuePositions,
    /// Finds what may be the colons of URIs in the strings of data.
    pub(crate) stops: Arc<dyn FindStops>,
}

/// The part that is kept of the position of a value in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValuePositions {
    /// Nothing.
    None,
    /// Of values in pages, that they are in a page, and whether a link is followed.
    Unnamed,
    /// Of values in data, their pointers; of values in pages, also the path and the relations.
    Named,
}

impl Default for ContentReading {
    fn default() -> ContentReading {
        ContentReading {
            mentions: Mentions::default(),
            fields: Arc::default(),
            shows_records: false,
            media_types: MediaRanges::default(),
            logs: None,
            positions: ValuePositions::Named,
            stops: Arc::new(EveryColon),
        }
    }
}
