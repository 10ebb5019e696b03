//! The classes of the next 64 bytes of a text, as masks with one bit for each byte: a
//! walk along a URI goes from one byte that matters to the next. This file computes
//! them byte by byte; the kernel of `scan` computes the same masks by vectors.

use crate::syntax::class::URI;
use crate::syntax::steps;

/// The classes of 64 bytes of a text. Bit 0 is the first of them.
///
/// ```
/// use urisieve::syntax::Outlook;
/// let ahead = Outlook::of(b"A.example/%7Eb c", 0);
/// assert_eq!(ahead.host.trailing_ones(), 9);
/// assert_eq!(ahead.stops.trailing_zeros(), 14);
/// assert_eq!((ahead.upper, ahead.percent), (1 | 1 << 12, 1 << 10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// Bytes that no URI contains, or whose meaning depends on the bytes around them:
    /// `& , ; ' ( ) [ ] #`. Bits beyond the end of the text are also set.
    pub stops: u64,
    /// Letters, digits, dots and hyphens.
    pub host: u64,
    /// Capital letters.
    pub upper: u64,
    /// `%`
    pub percent: u64,
}

impl Outlook {
    /// The number of bytes that an outlook shows.
    ///
    /// ```
    /// use urisieve::syntax::Outlook;
    /// assert_eq!(Outlook::of(&[b'a'; 100], 0).host.count_ones() as usize, Outlook::LEN);
    /// ```
    pub const LEN: usize = 64;

    /// The classes of the bytes of `text` from `at` on.
    ///
    /// ```
    /// use urisieve::syntax::Outlook;
    /// assert_eq!(Outlook::of(b"see a.example", 4).host.trailing_ones(), 9);
    /// assert_eq!(Outlook::of(b"", 0).stops, u64::MAX);
    /// ```
    pub fn of(text: &[u8], at: usize) -> Outlook {
        let ahead = text.get(at..).unwrap_or_default();
        let ahead = &ahead[..ahead.len().min(Outlook::LEN)];
        let (mut host, mut upper, mut percent, mut plain) = (0, 0, 0, 0);
        for (number, bytes) in ahead.chunks(8).enumerate() {
            let add = |kinds, byte: &u8| kinds << 8 | u64::from(KINDS[usize::from(*byte)]);
            let kinds = bytes.iter().rev().fold(0, add);
            // A product has the lowest bits of the eight bytes in its highest byte.
            let bits = |of: u32| {
                let lowest = kinds >> of & (u64::MAX / 0xFF);
                (lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * number)
            };
            host |= bits(0);
            upper |= bits(1);
            percent |= bits(2);
            plain |= bits(3);
        }
        Outlook {
            stops: !plain,
            host,
            upper,
            percent,
        }
    }

    /// Whether a URI may be followed beyond `byte` without a look at it.
    ///
    /// ```
    /// use urisieve::syntax::Outlook;
    /// assert!(Outlook::is_plain(b'/') && !Outlook::is_plain(b'&') && !Outlook::is_plain(b' '));
    /// ```
    pub const fn is_plain(byte: u8) -> bool {
        URI.has(byte)
            && !matches!(
                byte,
                b'&' | b',' | b';' | b'\'' | b'(' | b')' | b'[' | b']' | b'#'
            )
    }

    /// Whether `byte` is a letter, a digit, a dot or a hyphen.
    ///
    /// ```
    /// use urisieve::syntax::Outlook;
    /// assert!(Outlook::is_of_host(b'-') && !Outlook::is_of_host(b'_'));
    /// ```
    pub const fn is_of_host(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
    }
}

impl Outlook {
    /// The number of bytes at its start that a host may have.
    #[inline(always)]
    pub(crate) fn host_len(&self) -> usize {
        self.host.trailing_ones() as usize
    }

    /// Whether one of these bytes is a capital letter. The outlook does not end in the host.
    #[inline(always)]
    pub(crate) fn has_upper_host(&self) -> bool {
        self.upper & below(self.host_len()) != 0
    }
}

/// Returns a mask of the `len` lowest bits; `len` is at most 63.
#[inline(always)]
pub(crate) const fn below(len: usize) -> u64 {
    (1 << len) - 1
}

/// Goes along a URI from one byte that stops to the next, by one outlook after the other.
pub(crate) struct UriStops<L> {
    look: L,
    /// The offset of the outlook.
    from: usize,
    ahead: Outlook,
    /// The stops of the outlook that are ahead.
    stops: u64,
    /// The outlooks before had a `%`.
    has_percent: bool,
}

impl<L: Fn(usize) -> Outlook> UriStops<L> {
    /// Begins at `from`, where `ahead` is the outlook that `look` returns.
    #[inline(always)]
    pub fn new(from: usize, ahead: Outlook, look: L) -> UriStops<L> {
        UriStops {
            look,
            from,
            ahead,
            stops: ahead.stops,
            has_percent: false,
        }
    }

    /// Returns the offset of the next byte that stops, or of the end of the text.
    #[inline(always)]
    pub fn next(&mut self) -> usize {
        while self.stops == 0 {
            steps::count(Outlook::LEN);
            self.has_percent |= self.ahead.percent != 0;
            self.from += Outlook::LEN;
            self.ahead = (self.look)(self.from);
            self.stops = self.ahead.stops;
        }
        let at = self.from + self.stops.trailing_zeros() as usize;
        self.stops &= self.stops - 1;
        at
    }

    /// Whether there is a `%` before `end`, which [`next`](UriStops::next) returned last.
    #[inline(always)]
    pub fn has_percent(&self, end: usize) -> bool {
        self.has_percent || self.ahead.percent & below(end - self.from) != 0
    }
}

/// Bits of a byte: of a host, capital, percent, plain.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        kinds[i] = Outlook::is_of_host(byte) as u8
            | (byte.is_ascii_uppercase() as u8) << 1
            | ((byte == b'%') as u8) << 2
            | (Outlook::is_plain(byte) as u8) << 3;
        i += 1;
    }
    kinds
};
