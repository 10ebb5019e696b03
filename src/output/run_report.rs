//! The numbers and the losses of a run, for the forms that report them.

/// The numbers and the losses of a run, for forms that report them.
///
/// ```
/// use urisieve::output::{NamedLoss, RunReport};
/// let mut run = RunReport::default();
/// run.numbers.push(("bytes".to_owned(), 120));
/// run.losses.push(NamedLoss {
///     file: b"a.gz".to_vec(),
///     offset: Some(7),
///     kind: "damaged".to_owned(),
///     cause: "bad checksum".to_owned(),
/// });
/// assert_eq!((run.losses.len(), run.further_losses), (1, 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Names and numbers, as statistics have them.
    pub numbers: Vec<(String, u64)>,
    /// The first losses of each kind.
    pub losses: Vec<NamedLoss>,
    /// The number of losses that are not in the list.
    pub further_losses: u64,
}

/// A loss, or an input that could not be read, with the name of its input.
///
/// ```
/// let loss = urisieve::output::NamedLoss::default();
/// assert!(loss.offset.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedLoss {
    /// The name of the input.
    pub file: Vec<u8>,
    /// Raw bytes from the start of the input, where they are known.
    pub offset: Option<u64>,
    /// The code of the kind.
    pub kind: String,
    /// The cause.
    pub cause: String,
}
