//! How a URI stands inside another one (I13).

/// The coding behind which a URI is found inside another one.
///
/// ```
/// use urisieve::{Mode, Sieve, delimit::Config, item::NestedBy};
/// let sieve = Sieve::builder().delimit(Config::default().nested(true)).mode(Mode::All).build();
/// let mut found = Vec::new();
/// sieve.for_each(b"http://a.example/?u=http%3A%2F%2Fb.example%2F", |finding| {
///     found.push(finding.marks.nested_by);
/// })?;
/// assert_eq!(found, [None, Some(NestedBy::Percent)]);
/// assert_eq!(NestedBy::Percent.name(), "percent");
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NestedBy {
    /// None: it stands there as it is (S6).
    Plain,
    /// Percent-encoding.
    Percent,
    /// Base64.
    Base64,
}

impl NestedBy {
    /// Every coding.
    ///
    /// ```
    /// use urisieve::item::NestedBy;
    /// assert_eq!(NestedBy::ALL.map(NestedBy::name), ["plain", "percent", "base64"]);
    /// ```
    pub const ALL: [NestedBy; 3] = [NestedBy::Plain, NestedBy::Percent, NestedBy::Base64];

    /// The name that records have.
    ///
    /// ```
    /// use urisieve::item::NestedBy;
    /// assert_eq!(NestedBy::Base64.name(), "base64");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            NestedBy::Plain => "plain",
            NestedBy::Percent => "percent",
            NestedBy::Base64 => "base64",
        }
    }
}
