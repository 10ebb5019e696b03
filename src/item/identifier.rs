//! The kinds of identifiers that are written without a scheme.

use std::fmt;
use std::ops::BitOr;

/// A kind of identifier that is found without a scheme: by its shape, the word before it
/// and its check digit.
///
/// ```
/// use urisieve::item::IdentifierKind;
/// assert_eq!(IdentifierKind::Handle.name(), "handle");
/// assert_eq!(IdentifierKind::Handle.prefix(), "hdl:");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum IdentifierKind {
    /// A book number of 10 or 13 digits after the word ISBN.
    Isbn,
    /// A serial number of 8 digits after the word ISSN.
    Issn,
    /// `10.`, a registrant, `/` and a name.
    Doi,
    /// 16 digits in four groups, from the ranges of ORCID.
    Orcid,
    /// A Handle after `hdl`, `hdl.handle.net/` or `handle:`.
    Handle,
    /// An article number after the word arXiv.
    Arxiv,
    /// An address of mail, `local@domain`, under a top-level domain.
    Email,
    /// A host of names under a top-level domain.
    Host,
    /// An IPv4 or IPv6 address.
    Ip,
}

impl IdentifierKind {
    /// Every kind.
    pub const ALL: &'static [IdentifierKind] = &[
        IdentifierKind::Isbn,
        IdentifierKind::Issn,
        IdentifierKind::Doi,
        IdentifierKind::Orcid,
        IdentifierKind::Handle,
        IdentifierKind::Arxiv,
        IdentifierKind::Email,
        IdentifierKind::Host,
        IdentifierKind::Ip,
    ];

    /// Returns the name that `--bare` accepts.
    ///
    /// ```
    /// use urisieve::item::IdentifierKind;
    /// assert_eq!(IdentifierKind::Arxiv.name(), "arxiv");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            IdentifierKind::Isbn => "isbn",
            IdentifierKind::Issn => "issn",
            IdentifierKind::Doi => "doi",
            IdentifierKind::Orcid => "orcid",
            IdentifierKind::Handle => "handle",
            IdentifierKind::Arxiv => "arxiv",
            IdentifierKind::Email => "email",
            IdentifierKind::Host => "host",
            IdentifierKind::Ip => "ip",
        }
    }

    /// Returns the kind with this name.
    ///
    /// ```
    /// use urisieve::item::IdentifierKind;
    /// assert_eq!(IdentifierKind::of_name("doi"), Some(IdentifierKind::Doi));
    /// assert_eq!(IdentifierKind::of_name("upc"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<IdentifierKind> {
        IdentifierKind::ALL
            .iter()
            .copied()
            .find(|kind| kind.name() == name)
    }

    /// Returns the prefix that makes the identifier a URI.
    ///
    /// ```
    /// use urisieve::item::IdentifierKind;
    /// assert_eq!(IdentifierKind::Isbn.prefix(), "urn:isbn:");
    /// ```
    pub const fn prefix(self) -> &'static str {
        match self {
            IdentifierKind::Isbn => "urn:isbn:",
            IdentifierKind::Issn => "urn:issn:",
            IdentifierKind::Doi => "doi:",
            IdentifierKind::Orcid => "https://orcid.org/",
            IdentifierKind::Handle => "hdl:",
            IdentifierKind::Arxiv => "https://arxiv.org/abs/",
            IdentifierKind::Email => "mailto:",
            IdentifierKind::Host | IdentifierKind::Ip => "http://",
        }
    }

    /// Returns a short description of the way the kind is recognized.
    ///
    /// ```
    /// use urisieve::item::IdentifierKind;
    /// assert!(IdentifierKind::Isbn.meaning().contains("check digit"));
    /// ```
    pub const fn meaning(self) -> &'static str {
        match self {
            IdentifierKind::Isbn => {
                "10 or 13 digits after ISBN, with a right check digit, as urn:isbn:"
            }
            IdentifierKind::Issn => "8 digits after ISSN, with a right check digit, as urn:issn:",
            IdentifierKind::Doi => "10.REGISTRANT/NAME, not a date or a price, as doi:",
            IdentifierKind::Orcid => {
                "four groups of 4 digits in the ranges of ORCID, with a right check digit, as https://orcid.org/"
            }
            IdentifierKind::Handle => "PREFIX/NAME after hdl, hdl.handle.net/ or handle:, as hdl:",
            IdentifierKind::Arxiv => {
                "the number of an article after arXiv, as https://arxiv.org/abs/"
            }
            IdentifierKind::Email => "LOCAL@DOMAIN under a top-level domain, printed as it is",
            IdentifierKind::Host => "a host under a top-level domain, printed as it is",
            IdentifierKind::Ip => "an IPv4 or IPv6 address, printed as it is",
        }
    }

    /// Whether the identifier is reported without a scheme (I12).
    pub(crate) const fn is_bare(self) -> bool {
        matches!(
            self,
            IdentifierKind::Email | IdentifierKind::Host | IdentifierKind::Ip
        )
    }

    /// Returns `uri`, the URI of an identifier of this kind, as it is reported in a text: a host
    /// or an address of mail or IP without its scheme (I12).
    ///
    /// ```
    /// use urisieve::item::IdentifierKind;
    /// assert_eq!(IdentifierKind::Email.reported(b"mailto:joe@a.example"), b"joe@a.example");
    /// assert_eq!(IdentifierKind::Ip.reported(b"http://[::1:2:3]/"), b"::1:2:3");
    /// assert_eq!(IdentifierKind::Doi.reported(b"doi:10.1000/182"), b"doi:10.1000/182");
    /// ```
    pub fn reported(self, uri: &[u8]) -> &[u8] {
        if !self.is_bare() {
            return uri;
        }
        let bare = uri.strip_prefix(self.prefix().as_bytes()).unwrap_or(uri);
        let bare = bare.strip_suffix(b"/").unwrap_or(bare);
        match bare {
            [b'[', address @ .., b']'] => address,
            bare => bare,
        }
    }

    /// Whether one word may introduce several identifiers of the kind.
    pub(crate) const fn has_lists(self) -> bool {
        matches!(self, IdentifierKind::Isbn | IdentifierKind::Issn)
    }
}

/// A name that is not the name of a kind of identifiers.
///
/// ```
/// use urisieve::item::IdentifierKinds;
/// let error = IdentifierKinds::named(["isbn", "ean"]).unwrap_err();
/// assert!(error.to_string().starts_with(r#""ean" is not one of "#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownIdentifier {
    name: String,
}

impl fmt::Display for UnknownIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?} is not one of ", self.name)?;
        for (at, kind) in IdentifierKind::ALL.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{}", kind.name())?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownIdentifier {}

/// A set of [`IdentifierKind`]s.
///
/// ```
/// use urisieve::item::{IdentifierKind, IdentifierKinds};
/// let kinds = IdentifierKinds::from(IdentifierKind::Isbn) | IdentifierKind::Doi.into();
/// assert!(kinds.has(IdentifierKind::Doi) && !kinds.has(IdentifierKind::Issn));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct IdentifierKinds(u16);

impl fmt::Debug for IdentifierKinds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("IdentifierKinds")?;
        let kinds = IdentifierKind::ALL.iter().filter(|kind| self.has(**kind));
        f.debug_set().entries(kinds).finish()
    }
}

impl IdentifierKinds {
    /// The empty set.
    pub const NONE: IdentifierKinds = IdentifierKinds(0);

    /// Returns the set of all kinds.
    ///
    /// ```
    /// use urisieve::item::{IdentifierKind, IdentifierKinds};
    /// let all = IdentifierKinds::all();
    /// assert!(IdentifierKind::ALL.iter().all(|&kind| all.has(kind)));
    /// ```
    pub fn all() -> IdentifierKinds {
        IdentifierKind::ALL.iter().copied().collect()
    }

    /// Returns the set of the kinds with these names, in any case and with blanks around
    /// them.
    ///
    /// ```
    /// use urisieve::item::{IdentifierKind, IdentifierKinds};
    /// let kinds = IdentifierKinds::named(["doi", " ISBN"])?;
    /// assert!(kinds.has(IdentifierKind::Doi) && kinds.has(IdentifierKind::Isbn));
    /// let error = IdentifierKinds::named(["upc"]).unwrap_err().to_string();
    /// assert!(error.starts_with(r#""upc" is not one of isbn, issn, "#));
    /// # Ok::<(), urisieve::item::UnknownIdentifier>(())
    /// ```
    ///
    /// # Errors
    /// The first name that is not the name of a kind.
    pub fn named(
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<IdentifierKinds, UnknownIdentifier> {
        let kind = |name: &str| {
            let kind = IdentifierKind::of_name(&name.trim().to_ascii_lowercase());
            kind.ok_or_else(|| UnknownIdentifier {
                name: name.to_owned(),
            })
        };
        names.into_iter().map(|name| kind(name.as_ref())).collect()
    }

    /// Whether `kind` is in the set.
    ///
    /// ```
    /// use urisieve::item::{IdentifierKind, IdentifierKinds};
    /// assert!(!IdentifierKinds::NONE.has(IdentifierKind::Isbn));
    /// ```
    pub const fn has(self, kind: IdentifierKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    /// Whether the set is empty.
    ///
    /// ```
    /// use urisieve::item::IdentifierKinds;
    /// assert!(IdentifierKinds::NONE.is_empty() && !IdentifierKinds::all().is_empty());
    /// ```
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl From<IdentifierKind> for IdentifierKinds {
    fn from(kind: IdentifierKind) -> IdentifierKinds {
        IdentifierKinds(1 << kind as u16)
    }
}

impl BitOr for IdentifierKinds {
    type Output = IdentifierKinds;
    fn bitor(self, other: IdentifierKinds) -> IdentifierKinds {
        IdentifierKinds(self.0 | other.0)
    }
}

impl FromIterator<IdentifierKind> for IdentifierKinds {
    fn from_iter<I: IntoIterator<Item = IdentifierKind>>(kinds: I) -> IdentifierKinds {
        let kinds = kinds.into_iter().map(IdentifierKinds::from);
        kinds.fold(IdentifierKinds::NONE, BitOr::bitor)
    }
}
