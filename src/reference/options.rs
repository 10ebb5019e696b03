//! The options of the rules.

use crate::item::IdentifierKinds;

/// Which line breaks and blanks are removed inside wrappers (W4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// Line breaks and the blanks around them.
    #[default]
    Lines,
    /// Also plain blanks inside `<...>`.
    Any,
    /// Nothing.
    Off,
}

/// The treatment of a hyphen before a removed line break (W6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hyphen {
    /// The hyphen is kept.
    #[default]
    Keep,
    /// The hyphen is removed.
    Drop,
    /// Both readings are reported.
    Both,
}

/// The options of an extraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Removal of line breaks (W4).
    pub wrap: Wrap,
    /// The longest folded URI, in raw bytes (W4).
    pub wrap_limit_bytes: usize,
    /// The most line breaks that are removed from one URI (W4).
    pub wrap_limit_lines: usize,
    /// Hyphens before line breaks (W6).
    pub hyphen: Hyphen,
    /// Whether URIs inside URIs are reported (S6, I13).
    pub nested: bool,
    /// Whether URIs in Base64 inside URIs are reported, too (I13).
    pub nested_base64: bool,
    /// Whether `www.` and `ftp.` start a URI (S7).
    pub abbreviated: bool,
    /// Whether bytes above 0x7F end a URI (B1).
    pub ascii: bool,
    /// Whether only URIs that are valid by RFC 3986 are reported (B6).
    pub strict: bool,
    /// Whether every `${…}` in a host belongs to it (I25).
    pub templates: bool,
    /// The longest URI, in raw bytes (B7).
    pub max_length: usize,
    /// Further schemes that are accepted without "//" (S3).
    pub opaque: Vec<String>,
    /// Whether every known scheme is accepted without "//" (S3).
    pub opaque_all: bool,
    /// Whether defanged URIs are read as the URIs they were made from (R1).
    pub refang: bool,
    /// The identifiers that are found without a scheme.
    pub identifiers: IdentifierKinds,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            wrap: Wrap::Lines,
            wrap_limit_bytes: 8192,
            wrap_limit_lines: 20,
            hyphen: Hyphen::Keep,
            nested: false,
            nested_base64: false,
            abbreviated: false,
            ascii: false,
            strict: false,
            templates: false,
            max_length: 65536,
            opaque: Vec::new(),
            opaque_all: false,
            refang: false,
            identifiers: IdentifierKinds::NONE,
        }
    }
}
