//! Check digits: ISBN-10 and ISSN (modulo 11), ISBN-13 (modulo 10), ORCID (ISO 7064 MOD
//! 11-2), ISAN and EIDR (ISO 7064 MOD 37,36).

/// Whether `digits`, whose last may be "X" for ten, have a sum divisible by 11 when
/// weighted by their position from the right, the last by 1.
///
/// ```
/// use urisieve::syntax::check_digit::is_mod_11;
/// assert!(is_mod_11(b"080442957X") && !is_mod_11(b"0804429570"));
/// ```
pub fn is_mod_11(digits: &[u8]) -> bool {
    let sum: usize = (1..)
        .zip(digits.iter().rev())
        .map(|(weight, &digit)| match digit {
            b'0'..=b'9' => weight * usize::from(digit - b'0'),
            _ => weight * 10,
        })
        .sum();
    sum.is_multiple_of(11)
}

/// Returns the check digit of an ISBN-13 for its first twelve digits, which are
/// weighted by 1 and 3 in turn.
///
/// ```
/// assert_eq!(urisieve::syntax::check_digit::mod_10(b"978039536341"), b'6');
/// ```
pub fn mod_10(digits: &[u8]) -> u8 {
    let sum: usize = [1, 3]
        .into_iter()
        .cycle()
        .zip(digits)
        .map(|(weight, &digit)| weight * usize::from(digit.saturating_sub(b'0')))
        .sum();
    b'0' + ((10 - sum % 10) % 10) as u8
}

/// Whether `text`, digits and letters of any case with the check character last,
/// is valid by ISO 7064 MOD 37,36. Bytes that are neither are skipped.
///
/// ```
/// use urisieve::syntax::check_digit::is_mod_37_36;
/// assert!(is_mod_37_36(b"0000000189470000-8".iter().copied()));
/// ```
pub fn is_mod_37_36(text: impl Iterator<Item = u8>) -> bool {
    let mut check = 18;
    for byte in text {
        let value = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            b'A'..=b'Z' => byte - b'A' + 10,
            _ => continue,
        };
        let carried = if check == 0 { 36 } else { check };
        check = (carried * 2 % 37 + u32::from(value)) % 36;
    }
    check == 1
}

/// Whether `digits`, whose last may be "X" for ten, are valid by ISO 7064 MOD 11-2.
///
/// ```
/// use urisieve::syntax::check_digit::is_mod_11_2;
/// assert!(is_mod_11_2(b"000000021694233X") && !is_mod_11_2(b"0000000216942330"));
/// ```
pub fn is_mod_11_2(digits: &[u8]) -> bool {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => u32::from(digit - b'0'),
        _ => 10,
    };
    let total = |total: u32, &digit: &u8| (total * 2 + value(digit)) % 11;
    digits.iter().fold(0, total) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modulo_11() {
        for good in ["0395363411", "080442957X", "0259000X", "00000019"] {
            assert!(is_mod_11(good.as_bytes()), "{good}");
        }
        assert!(!is_mod_11(b"039536341X") && !is_mod_11(b"20701722"));
    }

    #[test]
    fn modulo_10() {
        assert_eq!(mod_10(b"978039536341"), b'6');
        assert_eq!(mod_10(b"978316148410"), b'0');
    }

    #[test]
    fn modulo_37_36() {
        assert!(is_mod_37_36(b"7791-8534-2C23-9030-8610-5".iter().copied()));
        assert!(is_mod_37_36(b"7791-8534-2c23-9030-8610-5".iter().copied()));
        assert!(is_mod_37_36(b"0000000189470000-8".iter().copied()));
        assert!(!is_mod_37_36(b"7791-8534-2C23-9030-8610-6".iter().copied()));
    }
}
