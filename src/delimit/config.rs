//! The rules that can be chosen, frozen when a delimiter is built.

use super::shape::Opaque;

/// What is joined over line breaks inside wrappers (W4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// Whitespace that holds a line break is removed.
    #[default]
    Lines,
    /// Plain blanks inside `<...>` are removed too.
    Any,
    /// Nothing is joined.
    Off,
}

/// What becomes of a hyphen before a removed line break (W6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hyphen {
    /// It belongs to the URI.
    #[default]
    Keep,
    /// It was added by the typesetter.
    Drop,
    /// Both spellings are reported.
    Both,
}

/// How far a wrapped URI may reach (W4). Counts only where a line break is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrapLimit {
    /// Raw bytes from the scheme to the closer.
    pub bytes: usize,
    /// Line breaks inside.
    pub lines: usize,
}

impl Default for WrapLimit {
    fn default() -> WrapLimit {
        WrapLimit {
            bytes: 8192,
            lines: 20,
        }
    }
}

/// The rules of a [`Delimiter`](super::Delimiter).
///
/// ```
/// use urisieve::delimit::{Config, Hyphen};
/// let config = Config::default().hyphen(Hyphen::Drop).strict(true);
/// assert_eq!(config.longest(), 64 * 1024);
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    pub(super) wrap: Wrap,
    pub(super) wrap_limit: WrapLimit,
    pub(super) hyphen: Hyphen,
    pub(super) nested: bool,
    pub(super) ascii: bool,
    pub(super) strict: bool,
    pub(super) max_length: usize,
    pub(super) opaque: Opaque,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            wrap: Wrap::default(),
            wrap_limit: WrapLimit::default(),
            hyphen: Hyphen::default(),
            nested: false,
            ascii: false,
            strict: false,
            max_length: 64 * 1024,
            opaque: Opaque::default(),
        }
    }
}

impl Config {
    /// What is joined over line breaks; default [`Wrap::Lines`].
    pub fn wrap(mut self, wrap: Wrap) -> Config {
        self.wrap = wrap;
        self
    }

    /// How far a wrapped URI may reach; default 8 KiB and 20 line breaks.
    pub fn wrap_limit(mut self, limit: WrapLimit) -> Config {
        self.wrap_limit = limit;
        self
    }

    /// What becomes of hyphens before line breaks; default [`Hyphen::Keep`].
    pub fn hyphen(mut self, hyphen: Hyphen) -> Config {
        self.hyphen = hyphen;
        self
    }

    /// Whether URIs inside URIs are reported too (S6); default no.
    pub fn nested(mut self, nested: bool) -> Config {
        self.nested = nested;
        self
    }

    /// Whether the first byte above 0x7F ends a URI (B1); default no.
    pub fn ascii(mut self, ascii: bool) -> Config {
        self.ascii = ascii;
        self
    }

    /// Whether only URIs valid by RFC 3986 count (B6); default no.
    pub fn strict(mut self, strict: bool) -> Config {
        self.strict = strict;
        self
    }

    /// The longest URI in raw bytes (B7); default 64 KiB.
    pub fn max_length(mut self, bytes: usize) -> Config {
        self.max_length = bytes;
        self
    }

    /// Further opaque schemes (S3), without their colon, in any case.
    pub fn opaque<I, N>(mut self, names: I) -> Config
    where
        I: IntoIterator<Item = N>,
        N: AsRef<[u8]>,
    {
        let names = names.into_iter().map(|n| n.as_ref().to_ascii_lowercase());
        self.opaque.names.extend(names);
        self
    }

    /// Whether every scheme of the table counts without `//` (S3); default no.
    pub fn opaque_all(mut self, all: bool) -> Config {
        self.opaque.all = all;
        self
    }

    /// The longest URI in raw bytes.
    pub fn longest(&self) -> usize {
        self.max_length
    }

    /// Whether plain blanks inside `<...>` are removed.
    pub fn joins_blanks(&self) -> bool {
        self.wrap == Wrap::Any
    }

    /// How far a wrapped URI may reach.
    pub fn fold_limit(&self) -> WrapLimit {
        self.wrap_limit
    }
}
