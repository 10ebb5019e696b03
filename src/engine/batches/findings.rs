//! The findings of one block that are reported, each created when a sink takes it.
//! `write` decides which items are reported at once, and handles the others.

use super::batch::Batch;
use super::formatted::Formatted;
use super::item::WorkItem;
use super::lines::LineCount;
use crate::dedup::Answer;
use crate::item::{Content, Finding};
use std::io;
use std::ops::ControlFlow;

/// Turns findings into bytes on the threads that find them, so that a sink, which has one thread,
/// only copies.
///
/// ```
/// use std::{io, ops::ControlFlow, sync::Arc};
/// use urisieve::{Findings, FormatFindings, Sieve, Sink};
/// use urisieve::item::Finding;
/// struct Lines;
/// impl FormatFindings for Lines {
///     fn format(&self, findings: &mut Findings<'_>, out: &mut Vec<u8>) -> u64 {
///         let mut records = 0;
///         while let Some(uri) = findings.next_uri() {
///             out.extend([uri, b"\n"].concat());
///             records += 1;
///         }
///         records
///     }
/// }
/// struct Written(Vec<u8>);
/// impl Sink for Written {
///     fn formatter(&self) -> Option<Arc<dyn FormatFindings>> {
///         Some(Arc::new(Lines))
///     }
///
///     fn findings(&mut self, findings: &mut Findings<'_>) -> io::Result<ControlFlow<()>> {
///         if let Some((records, _)) = findings.take_formatted() {
///             self.0.extend_from_slice(records);
///         }
///         // Not all findings are formatted.
///         findings.each(|finding| self.finding(finding))
///     }
///
///     fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
///         self.0.extend([finding.uri, b"\n"].concat());
///         Ok(ControlFlow::Continue(()))
///     }
/// }
/// let mut written = Written(Vec::new());
/// let sieve = Sieve::builder().threads(2).build();
/// sieve.run(["http://a.example/ urn:a-b:c"], &mut written)?;
/// assert_eq!(written.0, b"http://a.example/\nurn:a-b:c\n");
/// # Ok::<(), urisieve::Error>(())
/// ```
pub trait FormatFindings: Send + Sync {
    /// Appends records of `findings`, which are of one input, to `out`, and returns their number.
    /// Findings that it leaves are reported without being formatted.
    fn format(&self, findings: &mut Findings, out: &mut Vec<u8>) -> u64;
}

/// Findings that follow each other, for [`Sink::findings`](crate::engine::Sink::findings).
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{Findings, Sieve, Sink};
/// use urisieve::item::Finding;
/// struct Lines(Vec<u8>);
/// impl Sink for Lines {
///     fn findings(&mut self, findings: &mut Findings<'_>) -> io::Result<ControlFlow<()>> {
///         while let Some(uri) = findings.next_uri() {
///             self.0.extend_from_slice(uri);
///             self.0.push(b'\n');
///         }
///         Ok(ControlFlow::Continue(()))
///     }
///
///     fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
///         self.0.extend([finding.uri, b"\n"].concat());
///         Ok(ControlFlow::Continue(()))
///     }
/// }
/// let mut lines = Lines(Vec::new());
/// Sieve::builder().build().run(["http://a.example/ urn:a-b:c"], &mut lines)?;
/// assert_eq!(lines.0, b"http://a.example/\nurn:a-b:c\n");
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Debug)]
pub struct Findings<'b> {
    batch: &'b Batch,
    /// The lines before the block, when they are counted.
    lines: Option<&'b LineCount>,
    /// Every item is reported, whatever the answer to its key.
    all: bool,
    /// The number of the next item.
    pub(in crate::engine) next: usize,
    /// The number of returned findings that count as classes.
    pub(in crate::engine) classes: u64,
}

impl<'b> Findings<'b> {
    pub(in crate::engine) fn new(
        batch: &'b Batch,
        lines: Option<&'b LineCount>,
        all: bool,
    ) -> Findings<'b> {
        Findings {
            batch,
            lines,
            all,
            next: 0,
            classes: 0,
        }
    }

    /// Returns the canonical form of the next finding, without creating the rest of it.
    ///
    /// ```
    /// use std::{io, ops::ControlFlow};
    /// use urisieve::{Findings, Sieve, Sink};
    /// use urisieve::item::Finding;
    /// struct Longest(usize);
    /// impl Sink for Longest {
    ///     fn findings(&mut self, findings: &mut Findings<'_>) -> io::Result<ControlFlow<()>> {
    ///         while let Some(uri) = findings.next_uri() {
    ///             self.0 = self.0.max(uri.len());
    ///         }
    ///         Ok(ControlFlow::Continue(()))
    ///     }
    ///
    ///     fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
    ///         self.0 = self.0.max(finding.uri.len());
    ///         Ok(ControlFlow::Continue(()))
    ///     }
    /// }
    /// let mut longest = Longest(0);
    /// Sieve::builder().build().run(["http://a.example/ urn:a-b:c"], &mut longest)?;
    /// assert_eq!(longest.0, 17);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    #[inline]
    pub fn next_uri(&mut self) -> Option<&'b [u8]> {
        self.advance().map(|item| self.batch.key(item))
    }

    /// Returns the records of findings that a worker [formatted](FormatFindings), and their
    /// number. Their findings count as returned; others may follow. `None` where nothing was
    /// formatted, or a finding was returned.
    pub fn take_formatted(&mut self) -> Option<(&'b [u8], u64)> {
        let formatted = self.batch.formatted.get().filter(|_| self.next == 0)?;
        (self.next, self.classes) = (formatted.items, formatted.classes);
        Some((&formatted.bytes, formatted.records))
    }

    /// Returns the records that `formatter` appends to `bytes`.
    pub(in crate::engine) fn formatted(
        mut self,
        formatter: &dyn FormatFindings,
        mut bytes: Vec<u8>,
    ) -> Formatted {
        let records = formatter.format(&mut self, &mut bytes);
        Formatted {
            bytes,
            records,
            items: self.next,
            classes: self.classes,
        }
    }

    /// Calls `take` with each finding until it returns [`ControlFlow::Break`].
    ///
    /// ```
    /// use std::{io, ops::ControlFlow};
    /// use urisieve::{Findings, Sieve, Sink};
    /// use urisieve::item::Finding;
    /// struct Blocks(Vec<Vec<u8>>);
    /// impl Sink for Blocks {
    ///     fn findings(&mut self, findings: &mut Findings<'_>) -> io::Result<ControlFlow<()>> {
    ///         self.0.push(Vec::new());
    ///         findings.each(|finding| self.finding(finding))
    ///     }
    ///
    ///     fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
    ///         self.0.last_mut().unwrap().extend_from_slice(finding.uri);
    ///         Ok(ControlFlow::Continue(()))
    ///     }
    /// }
    /// let mut blocks = Blocks(Vec::new());
    /// Sieve::builder().build().run(["http://a.example/ urn:a-b:c"], &mut blocks)?;
    /// assert_eq!(blocks.0.concat(), b"http://a.example/urn:a-b:c");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of `take`, which is not called again.
    pub fn each(
        &mut self,
        mut take: impl FnMut(&Finding) -> io::Result<ControlFlow<()>>,
    ) -> io::Result<ControlFlow<()>> {
        for finding in self {
            if take(&finding)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the next item that is reported. A deferred one ends the findings: it is not
    /// known yet whether it is reported.
    #[inline]
    fn advance(&mut self) -> Option<&'b WorkItem> {
        loop {
            let item = self.batch.items.get(self.next)?;
            match self.all {
                true => {}
                false => match self.batch.answer(self.next) {
                    Answer::New => {}
                    Answer::Known => {
                        self.next += 1;
                        continue;
                    }
                    Answer::Deferred => return None,
                },
            }
            #[cfg(feature = "failpoints")]
            crate::engine::faultpoint::at("sink", self.batch.key(item));
            self.next += 1;
            self.classes += u64::from(item.marks.content != Content::Header);
            return Some(item);
        }
    }
}

impl<'b> Iterator for Findings<'b> {
    type Item = Finding<'b>;

    #[inline]
    fn next(&mut self) -> Option<Finding<'b>> {
        let item = self.advance()?;
        let mut finding = self.batch.finding(item);
        let lines = self.lines;
        finding.place = lines.map(|lines| lines.place(&self.batch.lines, item));
        Some(finding)
    }
}
