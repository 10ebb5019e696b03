//! Why identifiers of a group are equal, in words.

/// A reason why identifiers that are written in different ways are equal.
///
/// ```
/// use urisieve::catalog::GroupReason;
/// assert_eq!(GroupReason::Isbn13.code(), "isbn13");
/// assert_eq!(GroupReason::Isbn13.words(), "ISBN-10 and ISBN-13");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum GroupReason {
    /// The identifiers are written alike.
    SameText,
    /// The case of a scheme, a host or the namespace of a URN.
    Case,
    /// Percent-encoding.
    PercentEncoding,
    /// Ports, dot segments, empty paths, addresses and international names of hosts.
    UrlSyntax,
    /// Hyphens and other separators in a number.
    Hyphens,
    /// The case of a name for which it does not count: of a DOI, an X of an ISBN.
    NameCase,
    /// Another rule of the namespace or of the scheme.
    NameRule,
    /// The r-, q- and f-component of a URN.
    Components,
    /// An ISBN-10 and its ISBN-13.
    Isbn13,
    /// The URL of a resolver and its target.
    Resolver,
    /// An identifier without its scheme.
    Bare,
    /// A difference that a switch such as `--strip-fragment` removes.
    Switch,
}

impl GroupReason {
    /// Every reason, in the order in which they are listed.
    pub const ALL: &'static [GroupReason] = &[
        GroupReason::SameText,
        GroupReason::Case,
        GroupReason::PercentEncoding,
        GroupReason::UrlSyntax,
        GroupReason::Hyphens,
        GroupReason::NameCase,
        GroupReason::NameRule,
        GroupReason::Components,
        GroupReason::Isbn13,
        GroupReason::Resolver,
        GroupReason::Bare,
        GroupReason::Switch,
    ];

    /// Returns the code that is written in tables.
    ///
    /// ```
    /// assert_eq!(urisieve::catalog::GroupReason::UrlSyntax.code(), "url-syntax");
    /// ```
    pub const fn code(self) -> &'static str {
        match self {
            GroupReason::SameText => "same-text",
            GroupReason::Case => "case",
            GroupReason::PercentEncoding => "percent-encoding",
            GroupReason::UrlSyntax => "url-syntax",
            GroupReason::Hyphens => "hyphens",
            GroupReason::NameCase => "name-case",
            GroupReason::NameRule => "name-rule",
            GroupReason::Components => "components",
            GroupReason::Isbn13 => "isbn13",
            GroupReason::Resolver => "resolver",
            GroupReason::Bare => "bare",
            GroupReason::Switch => "switch",
        }
    }

    /// Returns a short description of the reason.
    ///
    /// ```
    /// assert_eq!(urisieve::catalog::GroupReason::SameText.words(), "written alike");
    /// ```
    pub const fn words(self) -> &'static str {
        match self {
            GroupReason::SameText => "written alike",
            GroupReason::Case => "case of the scheme, the host or the namespace",
            GroupReason::PercentEncoding => "percent-encoding",
            GroupReason::UrlSyntax => "port, path or host of a URL written in another way",
            GroupReason::Hyphens => "hyphens in a number",
            GroupReason::NameCase => "case of a name for which it does not count",
            GroupReason::NameRule => "another rule of the namespace or the scheme",
            GroupReason::Components => "components of a URN that do not count",
            GroupReason::Isbn13 => "ISBN-10 and ISBN-13",
            GroupReason::Resolver => "URL of a resolver and what it leads to",
            GroupReason::Bare => "written without its scheme",
            GroupReason::Switch => "a switch such as --strip-fragment",
        }
    }
}

/// A set of [`GroupReason`]s.
///
/// ```
/// use urisieve::catalog::{GroupReason, GroupReasons};
/// let reasons: GroupReasons = [GroupReason::Resolver, GroupReason::Case].into_iter().collect();
/// assert!(reasons.iter().eq([GroupReason::Case, GroupReason::Resolver]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupReasons(u16);

impl GroupReasons {
    /// The empty set.
    pub const NONE: GroupReasons = GroupReasons(0);

    pub(super) const fn of(list: &[GroupReason]) -> GroupReasons {
        let (mut bits, mut at) = (0, 0);
        while at < list.len() {
            bits |= 1 << list[at] as u16;
            at += 1;
        }
        GroupReasons(bits)
    }

    /// Returns whether `reason` is in the set.
    ///
    /// ```
    /// use urisieve::catalog::{GroupReason, GroupReasons};
    /// assert!(!GroupReasons::NONE.has(GroupReason::Case));
    /// ```
    pub const fn has(self, reason: GroupReason) -> bool {
        self.0 & (1 << reason as u16) != 0
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the reasons in the order of [`GroupReason::ALL`].
    ///
    /// ```
    /// use urisieve::catalog::GroupReasons;
    /// assert_eq!(GroupReasons::NONE.iter().count(), 0);
    /// ```
    pub fn iter(self) -> impl Iterator<Item = GroupReason> {
        let all = GroupReason::ALL.iter().copied();
        all.filter(move |&reason| self.has(reason))
    }

    pub(super) const fn union(self, other: GroupReasons) -> GroupReasons {
        GroupReasons(self.0 | other.0)
    }

    pub(super) const fn common(self, other: GroupReasons) -> GroupReasons {
        GroupReasons(self.0 & other.0)
    }

    /// Returns the reasons that are not in `other`, or all reasons if all are.
    pub(super) const fn rather_without(self, other: GroupReasons) -> GroupReasons {
        match self.0 & !other.0 {
            0 => self,
            rest => GroupReasons(rest),
        }
    }

    pub(super) const fn bits(self) -> u64 {
        self.0 as u64
    }

    pub(super) const fn from_bits(bits: u64) -> GroupReasons {
        GroupReasons(bits as u16)
    }
}

impl FromIterator<GroupReason> for GroupReasons {
    fn from_iter<I: IntoIterator<Item = GroupReason>>(reasons: I) -> GroupReasons {
        let reasons = reasons
            .into_iter()
            .map(|reason| GroupReasons::of(&[reason]));
        reasons.fold(GroupReasons::NONE, GroupReasons::union)
    }
}
