//! IPv4 addresses as numbers: the IPv4 parser of the URL Standard, which also reads
//! `0x7f.1`, `017700000001` and `2130706433`.

use std::net::Ipv4Addr;

/// Returns the address that `name` is. `None` for a name, and for a text that ends with a
/// number and is no address, such as `1.2.3.256`.
pub(super) fn ipv4(name: &[u8]) -> Option<Ipv4Addr> {
    // Nearly every host ends with a letter.
    let last = *name.last()?;
    if !last.is_ascii_hexdigit() && !matches!(last, b'.' | b'x') {
        return None;
    }
    let name = name.strip_suffix(b".").unwrap_or(name);
    let mut parts = [0; 4];
    let mut count = 0;
    for part in name.split(|&b| b == b'.') {
        *parts.get_mut(count)? = number(part)?;
        count += 1;
    }
    let (&mut last, first) = parts[..count].split_last_mut()?;
    // The last number fills the bytes that the others leave.
    if first.iter().any(|&part| part > 0xFF) || last >= 1 << (8 * (5 - count)) {
        return None;
    }
    let address = first
        .iter()
        .zip([24, 16, 8])
        .fold(last, |address, (&part, shift)| address | part << shift);
    Some(Ipv4Addr::from(address as u32))
}

/// Reads a number: hexadecimal after `0x`, octal after another `0`, or decimal. `0x` is 0. A
/// number that no address holds is a large one.
fn number(digits: &[u8]) -> Option<u64> {
    let (digits, radix) = match digits {
        [] => return None,
        [b'0', b'x' | b'X', rest @ ..] => (rest, 16),
        [b'0', rest @ ..] => (rest, 8),
        _ => (digits, 10),
    };
    let mut value = 0u64;
    for &digit in digits {
        let digit = char::from(digit).to_digit(radix)?;
        value = (value * u64::from(radix) + u64::from(digit)).min(1 << 32);
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_addresses() {
        for (text, address) in [
            ("127.0.0.1", Some("127.0.0.1")),
            ("127.0.0.1.", Some("127.0.0.1")),
            ("0x7f.1", Some("127.0.0.1")),
            ("2130706433", Some("127.0.0.1")),
            ("0177.0.0.01", Some("127.0.0.1")),
            ("127.1", Some("127.0.0.1")),
            ("127.0.65535", Some("127.0.255.255")),
            ("0x", Some("0.0.0.0")),
            ("0", Some("0.0.0.0")),
            ("4294967295", Some("255.255.255.255")),
            ("4294967296", None),
            ("99999999999999999999999", None),
            ("1.2.3.256", None),
            ("256.0.0.1", None),
            ("1.2.3.4.5", None),
            ("1..2", None),
            ("08.1", None),
            ("1.2.3.4..", None),
            (".", None),
            ("", None),
            ("a.example", None),
            ("192.0.2.1.x", None),
        ] {
            let wanted = address.map(|address| address.parse().unwrap());
            assert_eq!(ipv4(text.as_bytes()), wanted, "{text}");
        }
    }

    proptest! {
        /// The oracle is the `url` crate.
        #[test]
        #[cfg(feature = "html")]
        fn the_url_standard_reads_the_same(text in "(0x|0)?[0-9a-f]{1,10}(\\.(0x|0)?[0-9a-f]{0,4}){0,4}") {
            let address = match url::Host::parse(&text) {
                Ok(url::Host::Ipv4(address)) => Some(address),
                _ => None,
            };
            prop_assert_eq!(ipv4(text.as_bytes()), address);
        }
    }
}
