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
    /// The offset at which the damage was detected, in bytes of the stored input.
    pub at: u64,
    /// The offset at which reading resumed, if it is not `at`; `None` also when nothing
    /// readable followed.
    pub resumes: Option<u64>,
    /// The range of text in the decompressed input that may be wrong, as offsets of its
    /// first byte and of the byte after it. Offsets of findings count in the same way,
    /// except in archives, where they count from the start of a record. `None` when no
    /// text is affected.
    pub text: Option<(u64, u64)>,
    /// The window that a decoder needs, where the limit of memory leaves less. Then it is
    /// the cause.
    pub window: Option<WindowShortage>,
    /// The record of a catalogue that is damaged.
    pub record: Option<DamagedRecord>,
}

/// A record of a catalogue that is damaged.
///
/// ```
/// use urisieve::item::DamagedRecord;
/// let record = DamagedRecord { number: 2, stated: Some(9) };
/// assert_eq!(record.to_string(), "record 2, of the stated length 9");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DamagedRecord {
    /// The number of the record in its input, from 1.
    pub number: u64,
    /// The length that its leader states; `None` if the leader states no length.
    pub stated: Option<u32>,
}

impl std::fmt::Display for DamagedRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "record {}", self.number)?;
        match self.stated {
            Some(stated) => write!(f, ", of the stated length {stated}"),
            None => Ok(()),
        }
    }
}

/// A window that is larger than the limit of memory allows: a decoder keeps so much of
/// the text before the current byte.
///
/// ```
/// use urisieve::item::WindowShortage;
/// let shortage = WindowShortage { needed: 8 << 20, most: 3 << 19, limit: 48 << 20 };
/// assert_eq!(
///     shortage.to_string(),
///     "it needs a window of 8 MiB, more than the 1.5 MiB that the memory limit leaves"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowShortage {
    /// The size of the window in bytes.
    pub needed: u64,
    /// The size that the limit of memory leaves, in bytes.
    pub most: u64,
    /// The least limit of memory with which the window is allowed, in bytes.
    pub limit: u64,
}

impl std::fmt::Display for WindowShortage {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (needed, most) = (size(self.needed), size(self.most));
        write!(
            f,
            "it needs a window of {needed}, more than the {most} that the memory limit leaves"
        )
    }
}

/// Returns a number of bytes in its largest unit.
fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        ..0x400 => return format!("{bytes} bytes"),
        0x400..0x10_0000 => (10, "KiB"),
        _ => (20, "MiB"),
    };
    let tenths = (u128::from(bytes) * 10) >> unit;
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        tenth => format!("{}.{tenth} {name}", tenths / 10),
    }
}

impl Damage {
    /// Damage after which nothing readable follows, and which affects no text.
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
            window: None,
            record: None,
        }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (container, at) = (self.container, self.at);
        if let Some(record) = self.record {
            return write!(f, "{record}: {} at {at}", self.cause);
        }
        match self.window {
            Some(shortage) => write!(f, "{container}: {shortage} at {at}")?,
            None => write!(f, "{container}: {} at {at}", self.cause)?,
        }
        if let Some(resumes) = self.resumes {
            write!(f, "; reading resumes at {resumes}")?;
        }
        match self.text {
            Some((from, to)) => write!(f, "; of its text, {from} to {to} may be wrong"),
            None => Ok(()),
        }
    }
}
