//! Sizes in bytes, as they are typed.

/// Returns the number of bytes that `text`, the value of `flag`, means: digits, with a
/// unit of 1024: `8K`, `2M`, `1G`.
///
/// # Errors
/// A message that names the flag.
pub(super) fn size(flag: &str, text: &str) -> Result<usize, String> {
    let wrong =
        || format!("{flag}: {text:?} is not a size; write a number of bytes, or 8K, 2M, 1G");
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let unit = match &text[split..] {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        _ => return Err(wrong()),
    };
    let number: usize = text[..split].parse().map_err(|_| wrong())?;
    number.checked_mul(1 << unit).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("f", "12"), Ok(12));
        assert_eq!(size("f", "8K"), Ok(8192));
        assert_eq!(size("f", "2m"), Ok(2 << 20));
        for wrong in ["", "K", "8KB", "-1", "99999999999999999999", "99999999999G"] {
            assert!(size("f", wrong).is_err(), "{wrong}");
        }
    }
}
