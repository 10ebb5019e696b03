//! Sizes in bytes, as users write them.

use std::fmt;
use std::str::FromStr;

/// A number of bytes: digits, with a unit of 1024: `8K`, `2M`, `1G`.
///
/// ```
/// use urisieve::ByteSize;
/// assert_eq!("8K".parse(), Ok(ByteSize(8192)));
/// assert!("8KB".parse::<ByteSize>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub usize);

/// The error of a text that is not a [`ByteSize`], or one that is too large for the machine.
///
/// ```
/// use urisieve::ByteSize;
/// let error = "x".parse::<ByteSize>().unwrap_err();
/// assert_eq!(error.to_string(), "\"x\" is not a size; write a number of bytes, or 8K, 2M, 1G");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongSize(String);

impl fmt::Display for WrongSize {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let WrongSize(text) = self;
        write!(
            f,
            "{text:?} is not a size; write a number of bytes, or 8K, 2M, 1G"
        )
    }
}

impl std::error::Error for WrongSize {}

impl FromStr for ByteSize {
    type Err = WrongSize;

    fn from_str(text: &str) -> Result<ByteSize, WrongSize> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match &text[digits.len()..] {
            "" => Some(0),
            "K" | "k" => Some(10),
            "M" | "m" => Some(20),
            "G" | "g" => Some(30),
            _ => None,
        };
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<usize>().ok().filter(|_| is_number);
        let size = number
            .zip(unit)
            .and_then(|(number, unit)| number.checked_mul(1 << unit));
        size.map(ByteSize).ok_or_else(|| WrongSize(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!("12".parse(), Ok(ByteSize(12)));
        assert_eq!("8K".parse(), Ok(ByteSize(8192)));
        assert_eq!("2m".parse(), Ok(ByteSize(2 << 20)));
        for wrong in [
            "",
            "K",
            "8KB",
            "-1",
            "+1",
            "8K8",
            "99999999999999999999",
            "99999999999G",
        ] {
            assert!(wrong.parse::<ByteSize>().is_err(), "{wrong}");
        }
    }
}
