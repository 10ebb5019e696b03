//! The content of an HTTP message that is still coded, to be decoded by whoever
//! has it; records are taken apart without waiting for that.

use super::Sought;
use super::http::Head;
use crate::item::LossKind;
use crate::unpack::coding::{CodingLoss, Codings};

/// Content of an HTTP message, whole and as it was sent.
///
/// ```
/// use urisieve::unpack::{Archive, Piece};
/// let block = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
/// let header = "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\n";
/// let mut archive = Archive::new(false).leave_coded();
/// archive.push(format!("{header}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).as_bytes());
/// archive.end();
/// let coded = loop {
///     if let Piece::Coded(coded) = archive.next(&mut Vec::new()) {
///         break coded;
///     }
/// };
/// let mut out = [0; 64];
/// let len = coded.decode().fill(&mut out);
/// assert_eq!(&out[..len], b"hi");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    pub(super) bytes: Vec<u8>,
    pub(super) head: Head,
    pub(super) origin: Origin,
    /// What is looked for in it.
    pub sought: Sought,
}

/// What losses in a message tell of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// Where the record begins, in the input.
    pub offset: u64,
    /// The record is known to lack its end: that is no loss.
    pub truncated: bool,
}

/// Decodes the content of a message.
///
/// ```
/// # fn one(coded: urisieve::unpack::Coded) {
/// let mut decoding = coded.decode();
/// let mut out = [0; 4096];
/// while let len @ 1.. = decoding.fill(&mut out) {
///     println!("{:?}", &out[..len]);
/// }
/// # }
/// ```
pub struct Decoding<'c> {
    coded: &'c Coded,
    codings: Codings,
    taken: usize,
    losses: Vec<(u64, LossKind)>,
}

impl Coded {
    /// How many bytes it is, before they are decoded.
    ///
    /// ```
    /// # fn one(coded: urisieve::unpack::Coded) {
    /// assert!(coded.len() > 0 || coded.is_empty());
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is nothing of it.
    ///
    /// ```
    /// # fn one(coded: urisieve::unpack::Coded) {
    /// assert_eq!(coded.is_empty(), coded.len() == 0);
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Decodes it, from its start.
    ///
    /// ```
    /// # fn one(coded: urisieve::unpack::Coded) {
    /// let mut out = [0; 16];
    /// let (first, second) = (coded.decode().fill(&mut out), coded.decode().fill(&mut out));
    /// assert_eq!(first, second);
    /// # }
    /// ```
    pub fn decode(&self) -> Decoding<'_> {
        Decoding {
            coded: self,
            codings: codings(&self.head),
            taken: 0,
            losses: Vec::new(),
        }
    }
}

impl Decoding<'_> {
    /// Writes to `out` what comes next, as much as it holds; fewer bytes mean that
    /// nothing more comes.
    ///
    /// ```
    /// # fn one(coded: urisieve::unpack::Coded) {
    /// let mut decoding = coded.decode();
    /// while decoding.fill(&mut [0; 100]) == 100 {}
    /// assert_eq!(decoding.fill(&mut [0; 100]), 0);
    /// # }
    /// ```
    pub fn fill(&mut self, out: &mut [u8]) -> usize {
        let rest = &self.coded.bytes[self.taken..];
        let pulled = self.codings.pull(rest, true, out);
        self.taken += pulled.read;
        self.coded
            .origin
            .tell(self.codings.losses(), &mut self.losses);
        pulled.written
    }

    /// What could not be decoded since it was last asked for, with the offset of
    /// the record in the input.
    ///
    /// ```
    /// # fn one(coded: urisieve::unpack::Coded) {
    /// assert_eq!(coded.decode().losses().count(), 0);
    /// # }
    /// ```
    pub fn losses(&mut self) -> impl Iterator<Item = (u64, LossKind)> + use<> {
        std::mem::take(&mut self.losses).into_iter()
    }
}

impl Origin {
    /// Adds to `losses` what could not be decoded.
    pub(super) fn tell(
        self,
        lost: impl Iterator<Item = CodingLoss>,
        losses: &mut Vec<(u64, LossKind)>,
    ) {
        let kinds = lost.map(|loss| loss.at(self.offset));
        // That the end is missing the crawler has told.
        let kinds =
            kinds.filter(|kind| !(self.truncated && matches!(kind, LossKind::Truncated(_))));
        losses.extend(kinds.map(|kind| (self.offset, kind)));
    }
}

/// Undoes the codings of a message with such a head.
pub(super) fn codings(head: &Head) -> Codings {
    let chunked = head.chunked.then_some(&b"chunked"[..]);
    Codings::new(
        chunked
            .into_iter()
            .chain(head.codings.iter().map(Vec::as_slice)),
    )
}
