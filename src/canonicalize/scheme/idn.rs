//! Names of hosts as A-labels for DNS (UTS 46, non-transitional), as the URL Standard does it.
//! The tables are large: without the feature `idn` only names in ASCII are mapped.

use std::fmt::Write;

/// The characters that no name may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::canonicalize) enum Denied {
    /// None: the caller looks for them.
    Nothing,
    /// The forbidden domain code points of the URL Standard.
    OfUrls,
}

/// The result of mapping a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::canonicalize) enum Mapped {
    /// The name is its own mapping, and nothing was written.
    Unchanged,
    /// The mapping was written to the sink.
    Written,
}

/// Maps `name` to A-labels. `None` where that is impossible or yields a denied character; then
/// the text that was written to `sink` is not a name.
#[cfg(feature = "idn")]
pub(in crate::canonicalize) fn to_ascii(
    name: &[u8],
    denied: Denied,
    sink: &mut impl Write,
) -> Option<Mapped> {
    use idna::uts46::{AsciiDenyList, ErrorPolicy, Hyphens, ProcessingSuccess, Uts46};
    let denied = match denied {
        Denied::Nothing => AsciiDenyList::EMPTY,
        Denied::OfUrls => AsciiDenyList::URL,
    };
    let done = Uts46::new().process(
        name,
        denied,
        Hyphens::Allow,
        ErrorPolicy::FailFast,
        |_, _, _| false,
        sink,
        None,
    );
    done.ok().map(|done| match done {
        ProcessingSuccess::Passthrough => Mapped::Unchanged,
        ProcessingSuccess::WroteToSink => Mapped::Written,
    })
}

/// Does the same for names in ASCII, whose letters become lower case. The A-labels in them are
/// not checked.
#[cfg(not(feature = "idn"))]
pub(in crate::canonicalize) fn to_ascii(
    name: &[u8],
    denied: Denied,
    sink: &mut impl Write,
) -> Option<Mapped> {
    let is_denied = |byte: &u8| match denied {
        Denied::Nothing => false,
        Denied::OfUrls => matches!(byte, 0..=b' ' | 0x7F) || b"#/:<>?@[\\]^|%".contains(byte),
    };
    let name = std::str::from_utf8(name).ok()?;
    if !name.is_ascii() || name.as_bytes().iter().any(is_denied) {
        return None;
    }
    if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Some(Mapped::Unchanged);
    }
    let mut letters = name.chars().map(|letter| letter.to_ascii_lowercase());
    letters
        .try_for_each(|letter| sink.write_char(letter))
        .ok()?;
    Some(Mapped::Written)
}
