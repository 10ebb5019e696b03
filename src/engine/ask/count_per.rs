//! The unit in which a class counts once.

/// The unit in which a class counts once, where not each occurrence counts.
///
/// ```
/// use urisieve::{CountPer, Mode, Sieve, decode::InputFormat, input::Source};
/// let lines = b"[\"http://a.example/\",\"http://a.example/\"]\n[\"http://a.example/\"]\n";
/// let sieve = Sieve::builder().mode(Mode::Count).format(InputFormat::named("json"));
/// for (per, count) in [(CountPer::Record, 2), (CountPer::File, 1)] {
///     let sieve = sieve.clone().count_per(per).build();
///     sieve.for_each_in([Source::Slice(lines)], |f| assert_eq!(f.count, Some(count)))?;
/// }
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountPer {
    /// A message of a mail, a record of an archive or a catalogue, a value of JSON Lines, a row
    /// of a table. What is in another record, and a text without records, is one.
    Record,
    /// An input. A member of an archive is a part of it.
    File,
}

impl CountPer {
    /// All of them.
    ///
    /// ```
    /// assert_eq!(urisieve::CountPer::ALL.len(), 2);
    /// ```
    pub const ALL: &'static [CountPer] = &[CountPer::Record, CountPer::File];

    /// Returns the name.
    ///
    /// ```
    /// assert_eq!(urisieve::CountPer::File.name(), "file");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            CountPer::Record => "record",
            CountPer::File => "file",
        }
    }

    /// Returns the one with this name.
    ///
    /// ```
    /// use urisieve::CountPer;
    /// assert_eq!(CountPer::named("record"), Some(CountPer::Record));
    /// ```
    pub fn named(name: &str) -> Option<CountPer> {
        CountPer::ALL.iter().copied().find(|per| per.name() == name)
    }
}
