//! Metadata of a member before its own header: the records of a pax header, a long name
//! of GNU.

use super::block::until_nul;

/// Metadata of the next member, or of all that follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Extension {
    pub name: Option<Vec<u8>>,
    pub size: Option<u64>,
    /// The name of a sparse file, whose header has a made-up name.
    sparse_name: Option<Vec<u8>>,
}

impl Extension {
    /// Reads the records `LENGTH KEYWORD=VALUE` of a pax header (POSIX.1-2024, pax,
    /// "pax Extended Header"); returns false when one is malformed.
    pub(super) fn read_records(&mut self, mut text: &[u8]) -> bool {
        while !until_nul(text).is_empty() {
            let Some((key, value, rest)) = record(text) else {
                return false;
            };
            text = rest;
            let name = || (!value.is_empty()).then(|| value.to_vec());
            match key {
                b"path" => self.name = name(),
                b"GNU.sparse.name" => self.sparse_name = name(),
                b"size" if value.is_empty() => self.size = None,
                b"size" => match decimal(value) {
                    Some(size) => self.size = Some(size),
                    None => return false,
                },
                _ => {}
            }
        }
        true
    }

    /// Reads a long name of GNU.
    pub(super) fn read_name(&mut self, text: &[u8]) {
        self.name = Some(until_nul(text).to_vec());
    }

    /// Returns the name of the member, if any.
    pub(super) fn into_name(self) -> Option<Vec<u8>> {
        self.sparse_name.or(self.name)
    }
}

/// Returns the keyword and the value of the first record, and the rest.
fn record(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let digits = memchr::memchr(b' ', text)?;
    let len = usize::try_from(decimal(&text[..digits])?).ok()?;
    let (record, rest) = text.split_at_checked(len)?;
    let record = record.get(digits + 1..)?.strip_suffix(b"\n")?;
    let equals = memchr::memchr(b'=', record)?;
    Some((&record[..equals], &record[equals + 1..], rest))
}

fn decimal(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text).ok()?;
    digits.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_pax() {
        let mut extension = Extension::default();
        let text = b"12 path=a=b\n21 linkpath=x\ny.....\n10 size=7\n6 a=b\n\0\0";
        assert!(extension.read_records(text), "{extension:?}");
        assert_eq!(
            (&extension.name, extension.size),
            (&Some(b"a=b".to_vec()), Some(7))
        );
        // Empty values remove the earlier ones.
        assert!(extension.read_records(b"8 path=\n8 size=\n"));
        assert_eq!(extension, Extension::default());
        let text = b"14 path=made/a\n26 GNU.sparse.name=real/b\n";
        assert!(!extension.read_records(text));
        let text = b"15 path=made/a\n26 GNU.sparse.name=real/b\n";
        assert!(extension.read_records(text));
        assert_eq!(extension.into_name(), Some(b"real/b".to_vec()));
    }

    #[test]
    fn records_that_are_none() {
        for text in [
            "path=a\n",
            "8 path=a\n",
            "11 path=a\n",
            "0 path=a\n",
            "1 path=a\n",
            "2 path=a\n",
            "10 path=a",
            "7 path\n",
            "-9 path=a\n",
            "11 size=1x\n",
            "10 size=-\n",
            "99999999999999999999999 path=a\n",
        ] {
            let read = Extension::default().read_records(text.as_bytes());
            assert!(!read, "{text}");
        }
    }

    #[test]
    fn long_names_of_gnu() {
        let mut extension = Extension::default();
        extension.read_name(b"dir/a\0\0");
        assert_eq!(extension.into_name(), Some(b"dir/a".to_vec()));
    }
}
