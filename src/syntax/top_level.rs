//! Which last labels of names are top-level domains? Those of the public suffix list, where it
//! is compiled in (feature `domain`), and the names for special use.

/// Names for special use (RFC 6761, RFC 6762, RFC 7686), and others that are known without
/// being in the list.
const SPECIAL: [&str; 7] = [
    "bit", "example", "internal", "invalid", "local", "onion", "test",
];

/// Whether `label` is the last label of names that exist. Without the list all letters are.
pub(crate) fn is_known(label: &[u8]) -> bool {
    let is_special = |name: &&str| label.eq_ignore_ascii_case(name.as_bytes());
    SPECIAL.iter().any(is_special) || is_listed(label)
}

#[cfg(feature = "domain")]
fn is_listed(label: &[u8]) -> bool {
    super::domain::is_delegated(label)
}

#[cfg(not(feature = "domain"))]
fn is_listed(label: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let is_encoded = |head: &[u8]| head.eq_ignore_ascii_case(b"xn--");
    label.len() > 1 && label.iter().all(is_letter) || label.get(..4).is_some_and(is_encoded)
}

#[cfg(test)]
mod tests {
    use super::is_known;

    #[test]
    fn names_that_exist_are_known() {
        for label in [
            "com",
            "DE",
            "example",
            "ck",
            "xn--p1ai",
            "\u{440}\u{444}",
            "onion",
        ] {
            assert!(is_known(label.as_bytes()), "{label}");
        }
        for label in ["", "2", "x", "3d"] {
            assert!(!is_known(label.as_bytes()), "{label}");
        }
        assert_ne!(is_known(b"png"), cfg!(feature = "domain"));
    }
}
