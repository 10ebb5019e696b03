//! The bytes by which a format is detected.

/// The first bytes of an input or of a body.
#[cfg_attr(not(feature = "html"), allow(dead_code))]
#[derive(Clone, Copy, Debug)]
pub(in crate::decode) struct InputHead<'h> {
    pub bytes: &'h [u8],
    /// Whether no bytes follow.
    pub whole: bool,
    /// Whether they are the content of a resource without a media type, not an input.
    pub is_resource: bool,
    /// Whether tables are detected: neither the name of the input nor a selected field states
    /// another format.
    pub tables: bool,
    /// Whether any element of HTML begins a document: links are looked for.
    pub fragments: bool,
}
