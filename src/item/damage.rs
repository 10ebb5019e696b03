//! The description of a damaged place in a container.

/// Damage of a container: its format, the cause, and the extent.
///
/// ```
/// use urisieve::item::Damage;
/// let mut damage = Damage::new("gzip", "invalid data", 90);
/// damage.resumes = Some(200);
/// damage.text = Some((0, 700));
/// assert_eq!(
///     damage.to_string(),
///     "gzip: invalid data at 90; reading resumes at 200; of its text, 0 to 700 may be wrong"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Damage {
    /// The container: a compression (`gzip`) or an archive (`warc`, `tar`).
    pub container: &'static str,
    /// The cause.
    pub cause: &'static str,
    /// Where the damage was detected, in bytes of the stored input.
    pub at: u64,
    /// Where reading resumed, when that is not where the damage was detected; `None`
    /// also when nothing readable followed.
    pub resumes: Option<u64>,
    /// The range of text in the decompressed input that may be wrong, as offsets of its
    /// first byte and of the byte after it. Offsets of findings count in the same way,
    /// except in archives, where they count from the start of a record. `None` when no
    /// text is affected.
    pub text: Option<(u64, u64)>,
}

impl Damage {
    /// Damage after which nothing readable follows, and which leaves the text right.
    ///
    /// ```
    /// use urisieve::item::Damage;
    /// assert_eq!(Damage::new("xz", "no end", 7).to_string(), "xz: no end at 7");
    /// ```
    pub const fn new(container: &'static str, cause: &'static str, at: u64) -> Damage {
        Damage {
            container,
            cause,
            at,
            resumes: None,
            text: None,
        }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (container, cause, at) = (self.container, self.cause, self.at);
        write!(f, "{container}: {cause} at {at}")?;
        if let Some(resumes) = self.resumes {
            write!(f, "; reading resumes at {resumes}")?;
        }
        match self.text {
            Some((from, to)) => write!(f, "; of its text, {from} to {to} may be wrong"),
            None => Ok(()),
        }
    }
}
