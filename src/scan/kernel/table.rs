//! Which bytes may be before and after a colon that follows a scheme, and the number of
//! bytes that a kernel reads at a time.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::syntax::Outlook;
use crate::syntax::class::{ALPHA, DIGIT, SCHEME_MARK, URI};

/// The number of bytes that a kernel reads at a time.
pub(in super::super) const LANES: usize = 64;

/// The bytes before and after a colon that let it pass. A colon before `/`, `\` or a
/// line break always passes.
#[derive(Clone, Debug)]
pub(in super::super) struct Filter {
    /// ASCII bytes that may be before the colon of an opaque URI.
    pub(super) before: [bool; 128],
    /// ASCII bytes that may follow that colon; so may every byte above 0x7F.
    pub(super) after: [bool; 128],
}

/// Last letters of the opaque schemes of rule S3.
const LAST_LETTERS: &[u8] = b"bcdeghiklnoprst";

impl Filter {
    /// Returns the filter for the opaque schemes that count by default (S3).
    pub(in super::super) fn default_schemes() -> Filter {
        let before = |byte: u8| LAST_LETTERS.contains(&byte.to_ascii_lowercase());
        Filter::new(before)
    }

    /// Returns the filter for every scheme (`--opaque`).
    pub(in super::super) fn every_scheme() -> Filter {
        Filter::new(|byte| ALPHA.or(DIGIT).or(SCHEME_MARK).has(byte))
    }

    fn new(before: impl Fn(u8) -> bool) -> Filter {
        let after = |byte: u8| URI.has(byte) && !matches!(byte, b':' | b'#' | b']' | b')' | b'@');
        Filter {
            before: std::array::from_fn(|b| before(b as u8)),
            after: std::array::from_fn(|b| after(b as u8) || always_after(b as u8)),
        }
    }

    /// Returns whether the byte `this` between these two may be a trigger: a colon after
    /// a scheme, or the "3" of an escaped colon (`\x3a`, `\u003a`). `after` is `None` at
    /// the end of the text.
    #[inline]
    pub(super) fn passes(&self, before: u8, this: u8, after: Option<u8>) -> bool {
        match this {
            b':' => {
                let Some(after) = after else { return true };
                always_after(after)
                    || (self.before.get(before as usize) == Some(&true)
                        && self.after.get(after as usize) != Some(&false))
            }
            b'3' => matches!(before, b'0' | b'x') && matches!(after, Some(b'a' | b'A')),
            _ => false,
        }
    }
}

/// Returns whether a colon before `byte` passes after any byte.
pub(super) const fn always_after(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | b'\n' | b'\r')
}

/// Sets of ASCII bytes for table look-ups by vectors: the row of the low nibble of a byte
/// has one bit for each high nibble of the bytes in the set.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Clone, Debug)]
pub(super) struct NibbleSets {
    /// The bytes that may be before the colon of an opaque URI.
    pub(super) before: [u8; 16],
    /// The bytes that may follow that colon.
    pub(super) after: [u8; 16],
    /// The bytes that may follow every colon.
    pub(super) always: [u8; 16],
    /// The bytes over which a URI continues in every context.
    pub(super) plain: [u8; 16],
    /// The bytes of a host.
    pub(super) host: [u8; 16],
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl NibbleSets {
    pub(super) fn new(filter: &Filter) -> NibbleSets {
        NibbleSets {
            before: rows(|byte| filter.before[byte as usize]),
            after: rows(|byte| filter.after[byte as usize]),
            always: rows(always_after),
            plain: rows(Outlook::is_plain),
            host: rows(Outlook::is_of_host),
        }
    }
}

/// The classes of each ASCII byte, for look-ups by vectors of 64 bytes.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Debug)]
pub(super) struct ByteClasses(pub(super) [u8; 128]);

#[cfg(target_arch = "x86_64")]
impl ByteClasses {
    /// The bytes that may be before the colon of an opaque URI.
    pub(super) const BEFORE: u8 = 1;
    /// The bytes that may follow that colon.
    pub(super) const AFTER: u8 = 1 << 1;
    /// The bytes that may follow every colon.
    pub(super) const ALWAYS: u8 = 1 << 2;
    /// The bytes over which a URI continues in every context.
    pub(super) const PLAIN: u8 = 1 << 3;
    /// The bytes of a host.
    pub(super) const HOST: u8 = 1 << 4;

    pub(super) fn new(filter: &Filter) -> ByteClasses {
        let of = |byte: u8| {
            let is_in = [
                (ByteClasses::BEFORE, filter.before[byte as usize]),
                (ByteClasses::AFTER, filter.after[byte as usize]),
                (ByteClasses::ALWAYS, always_after(byte)),
                (ByteClasses::PLAIN, Outlook::is_plain(byte)),
                (ByteClasses::HOST, Outlook::is_of_host(byte)),
            ];
            let classes = is_in.into_iter().filter(|(_, is_in)| *is_in);
            classes.map(|(class, _)| class).sum()
        };
        ByteClasses(std::array::from_fn(|byte| of(byte as u8)))
    }
}

/// Returns for each low nibble a row with one bit for each high nibble of the bytes in
/// the set.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn rows(is_member: impl Fn(u8) -> bool) -> [u8; 16] {
    let mut rows = [0u8; 16];
    for byte in 0..128u8 {
        if is_member(byte) {
            rows[(byte & 0x0F) as usize] |= 1 << (byte >> 4);
        }
    }
    rows
}
