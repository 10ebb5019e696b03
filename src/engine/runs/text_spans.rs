//! A text in pieces: its URIs, and the text between them, in turn.

use super::find::{Finder, Match, Matches};
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

impl Finder {
    /// Returns all of `text` in pieces from left to right: its URIs, and what is between them.
    /// A URI inside another one is part of that.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let text = "see http://a.example/, or ask";
    /// let mut html = String::new();
    /// for span in Finder::new().spans(text) {
    ///     let piece = &text[span.range()];
    ///     match span.found() {
    ///         Some(found) => html += &format!("<a href={:?}>{piece}</a>", found.uri_str().unwrap()),
    ///         None => html += piece,
    ///     }
    /// }
    /// assert_eq!(html, "see <a href=\"http://a.example/\">http://a.example/</a>, or ask");
    /// ```
    pub fn spans<'t, T: AsRef<[u8]> + ?Sized>(&self, text: &'t T) -> TextSpans<'t> {
        TextSpans {
            text: text.as_ref(),
            matches: self.find(text),
            at: 0,
            next: None,
        }
    }
}

/// A piece of a text: a URI, or text without one.
///
/// ```
/// use urisieve::Finder;
/// let spans: Vec<_> = Finder::new().spans("a http://b.example/").collect();
/// assert_eq!((spans[0].as_bytes(), spans[0].found()), (&b"a "[..], None));
/// assert_eq!(spans[1].range(), 2..19);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct TextSpan<'t> {
    text: &'t [u8],
    start: usize,
    found: Option<Match<'t>>,
}

impl fmt::Debug for TextSpan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("TextSpan")
            .field("text", &String::from_utf8_lossy(self.text))
            .field("start", &self.start)
            .field("found", &self.found)
            .finish()
    }
}

impl<'t> TextSpan<'t> {
    /// Returns the URI, if the piece is one.
    ///
    /// ```
    /// let span = urisieve::Finder::new().spans("urn:a-b:c").next().unwrap();
    /// assert_eq!(span.found().unwrap().uri(), b"urn:a-b:c");
    /// ```
    pub fn found(&self) -> Option<&Match<'t>> {
        self.found.as_ref()
    }

    /// Returns the range of the piece in the text. In a `str` it begins and ends between
    /// characters.
    ///
    /// ```
    /// let span = urisieve::Finder::new().spans("nothing").next().unwrap();
    /// assert_eq!(span.range(), 0..7);
    /// ```
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the bytes of the piece.
    ///
    /// ```
    /// let span = urisieve::Finder::new().spans("nothing").next().unwrap();
    /// assert_eq!(span.as_bytes(), b"nothing");
    /// ```
    pub fn as_bytes(&self) -> &'t [u8] {
        self.text
    }

    /// Returns the bytes of the text as a string, or `None` when they are not UTF-8.
    ///
    /// ```
    /// let span = urisieve::Finder::new().spans("a urn:a-b:c").next().unwrap();
    /// assert_eq!(span.as_str(), Some("a "));
    /// ```
    pub fn as_str(&self) -> Option<&'t str> {
        std::str::from_utf8(self.text).ok()
    }
}

/// An iterator over the pieces of a text. [`Finder::spans`] returns it.
///
/// ```
/// let text = "a http://b.example/ c";
/// let spans = urisieve::Finder::new().spans(text);
/// assert_eq!(spans.map(|span| span.range().len()).sum::<usize>(), text.len());
/// ```
#[derive(Debug)]
pub struct TextSpans<'t> {
    text: &'t [u8],
    matches: Matches<'t>,
    /// The end of the last piece.
    at: usize,
    /// The URI after the last piece, which was text.
    next: Option<Match<'t>>,
}

impl<'t> Iterator for TextSpans<'t> {
    type Item = TextSpan<'t>;

    fn next(&mut self) -> Option<TextSpan<'t>> {
        let at = self.at;
        let next = self.next.take();
        let next = next.or_else(|| self.matches.find(|found| found.start() >= at));
        let (end, found) = match next {
            Some(found) if found.start() > at => {
                let start = found.start();
                self.next = Some(found);
                (start, None)
            }
            Some(found) => (found.end(), Some(found)),
            None => (self.text.len(), None),
        };
        self.at = end;
        let is_some = found.is_some() || end > at;
        is_some.then(|| TextSpan {
            text: self.text.get(at..end).unwrap_or_default(),
            start: at,
            found,
        })
    }
}

impl FusedIterator for TextSpans<'_> {}
