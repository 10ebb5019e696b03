//! Losses in a coded body. The offset of the body in the input is known to the caller.

use crate::item::{Damage, LossKind, WindowShortage};
use crate::unpack::driver::Fault;

/// A part of a body that could not be decoded.
///
/// ```
/// use urisieve::unpack::{Codings, Fault};
/// let mut codings = Codings::new([&b"chunked"[..]]);
/// codings.pull(b"5\r\nhel", true, &mut [0; 64]);
/// let loss = codings.losses().next().unwrap();
/// assert_eq!((loss.fault, loss.coding), (Fault::Truncated, "chunked"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodingLoss {
    /// The kind of fault.
    pub fault: Fault,
    /// The coding.
    pub coding: &'static str,
    /// The cause, in words.
    pub cause: &'static str,
    /// The window that the coding needs, where that is the cause.
    pub window: Option<WindowShortage>,
}

impl CodingLoss {
    /// Returns the loss of a body at `offset` of the input.
    ///
    /// ```
    /// use urisieve::unpack::{CodingLoss, Fault};
    /// let loss = CodingLoss {
    ///     fault: Fault::Damaged,
    ///     coding: "br",
    ///     cause: "invalid brotli data",
    ///     window: None,
    /// };
    /// assert_eq!(loss.at(90).damage().unwrap().to_string(), "br: invalid brotli data at 90");
    /// ```
    pub fn at(self, offset: u64) -> LossKind {
        self.fault.kind()(Damage {
            window: self.window,
            ..Damage::new(self.coding, self.cause, offset)
        })
    }
}
