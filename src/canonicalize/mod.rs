//! What is the canonical form of a URI? A pure function from bytes to bytes: the
//! canonical string is the key, so two occurrences are equal exactly when their
//! canonical strings are equal octet by octet.

mod digest;
pub mod gateway;
mod glob;
pub(crate) mod hosts;
mod level;
mod lexical;
mod list_name;
pub mod namespace;
pub mod params;
mod query;
mod redact;
pub mod resolver;
mod rules;
mod scheme;
mod scratch;
mod step_kind;
mod steps;
mod switches;
mod syntax;
mod web;

#[cfg(test)]
mod laws;

pub use level::{Level, UnknownLevel};
pub use list_name::UnknownList;
pub use query::TRACKING_PARAMS;
pub use redact::{Redactor, SECRET_PARAMS, well_known_secrets};
pub use step_kind::StepKind;
pub use steps::Step;

#[cfg(feature = "marc")]
use crate::syntax::plain_url::UsualUrl;
use crate::syntax::urn;
use gateway::{Gateways, Unwrapped};
use glob::Pattern;
use params::ParamRules;
use resolver::Resolvers;
use scratch::Scratch;
use std::borrow::Cow;
use std::sync::Arc;
use switches::{ListedParams, Switches};

/// The number of the rules of canonical forms and of redaction. It rises when a version of this
/// library changes any of them, with which keys that were kept are no longer those that are made.
///
/// ```
/// assert!(urisieve::canonicalize::RULES >= 1);
/// ```
pub const RULES: u32 = 1;

/// Converts URIs to their canonical form. Every switch is off by default, and works at
/// every level; only `keep_components` and `isbn13` change URNs.
///
/// ```
/// use urisieve::canonicalize::{Canonicalizer, Level};
/// let canonicalizer = Canonicalizer::new(Level::Lexical);
/// let mut buffer = Vec::new();
/// let uri = canonicalizer.canonicalize(b"HTTP://A.example/%7euser", &mut buffer);
/// assert_eq!(uri, b"http://a.example/%7Euser");
/// let urn = canonicalizer.canonicalize(b"URN:ISBN:0395363411?+r", &mut buffer);
/// assert_eq!(urn, b"urn:isbn:0395363411");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Canonicalizer {
    switches: Switches,
    /// Whether rules beyond level `lexical` may apply.
    beyond_case: bool,
    resolvers: Option<Arc<Resolvers>>,
    gateways: Option<Arc<Gateways>>,
}

impl Canonicalizer {
    /// Creates a canonicalizer for this level.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// let mut buffer = Vec::new();
    /// let as_it_is = Canonicalizer::new(Level::None).canonicalize(b"HTTP://A/", &mut buffer);
    /// assert_eq!(as_it_is, b"HTTP://A/");
    /// ```
    pub fn new(level: Level) -> Canonicalizer {
        Canonicalizer::default().at(level)
    }

    /// Sets whether the r-, q- and f-component of a URN count for equality (RFC 8141
    /// section 3.1 ignores them); default no.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let keeps = Canonicalizer::default().keep_components(true);
    /// assert_eq!(keeps.canonicalize(b"URN:a-b:c?=q", &mut buffer), b"urn:a-b:c?=q");
    /// ```
    pub fn keep_components(mut self, keep: bool) -> Canonicalizer {
        self.switches.keep_components = keep;
        self
    }

    /// Sets whether fragments of URLs are removed; default no.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let strips = Canonicalizer::default().strip_fragment(true);
    /// assert_eq!(strips.canonicalize(b"http://a/#top", &mut buffer), b"http://a/");
    /// ```
    pub fn strip_fragment(mut self, strip: bool) -> Canonicalizer {
        self.switches.strip_fragment = strip;
        self
    }

    /// Removes the parameters with these names from the queries of URLs, in addition to
    /// those of earlier calls; default none. A name is a glob: `*` matches any
    /// characters, `?` matches one. `@tracking` selects [`TRACKING_PARAMS`]. Names are
    /// percent-decoded before they are compared, in the query and in the glob, so `%2A`
    /// is the character `*`.
    ///
    /// Parameters end at `&` or `;`. Other parameters are unchanged, and keep the
    /// separator before them; when no parameter is left, the `?` is also removed.
    ///
    /// # Errors
    /// Fails for another name that begins with `@`, which is not a list. A parameter
    /// whose name begins with `@` is written `%40…`.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let drops = Canonicalizer::default().drop_params(["@tracking", "s?d"])?;
    /// let uri = drops.canonicalize(b"http://a/?a=+1&utm_source=x;b&sid=7#c", &mut buffer);
    /// assert_eq!(uri, b"http://a/?a=+1;b#c");
    /// assert_eq!(drops.canonicalize(b"http://a/?%75tm_id=7", &mut buffer), b"http://a/");
    /// assert!(Canonicalizer::default().drop_params(["@trackng"]).is_err());
    /// # Ok::<(), urisieve::canonicalize::UnknownList>(())
    /// ```
    pub fn drop_params(
        mut self,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Canonicalizer, UnknownList> {
        for name in names {
            match list_name::is_list(name.as_ref(), query::TRACKING)? {
                true => self = self.drop_tracking(),
                false => self = self.drop_patterns([name.as_ref()]),
            }
        }
        Ok(self)
    }

    /// Removes the parameters of [`TRACKING_PARAMS`] from the queries of URLs, in addition to
    /// those of [`drop_params`](Canonicalizer::drop_params); default no.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let drops = Canonicalizer::default().drop_tracking();
    /// assert_eq!(drops.canonical(b"http://a/?utm_source=x&b=c"), &b"http://a/?b=c"[..]);
    /// ```
    pub fn drop_tracking(self) -> Canonicalizer {
        self.drop_patterns(TRACKING_PARAMS.iter().copied())
    }

    /// Removes the parameters that these rules name from the queries of URLs, in addition to
    /// those of [`drop_params`](Canonicalizer::drop_params); default none.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, params::ParamRules};
    /// let mut rules = ParamRules::default();
    /// rules.add_filter("||a.example^$removeparam=ref");
    /// let drops = Canonicalizer::default().drop_listed_params(rules);
    /// assert_eq!(drops.canonical(b"http://a.example/?ref=1&x#f"), &b"http://a.example/?x#f"[..]);
    /// assert_eq!(drops.canonical(b"http://b.example/?ref=1"), &b"http://b.example/?ref=1"[..]);
    /// ```
    pub fn drop_listed_params(mut self, mut rules: ParamRules) -> Canonicalizer {
        rules.settle();
        let is_empty = rules.is_empty();
        self.switches.listed = (!is_empty).then(|| Arc::new(rules) as Arc<dyn ListedParams>);
        self.settle()
    }

    fn drop_patterns<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Canonicalizer {
        let dropped = Arc::make_mut(self.switches.dropped.get_or_insert_default());
        dropped.extend(names.into_iter().map(Pattern::new));
        self.settle()
    }

    /// Sets whether the parameters in the queries of URLs are sorted by name; default
    /// no. Names are percent-decoded and compared as bytes. Parameters of the same name
    /// keep their order, which often has a meaning. The separators keep their
    /// positions.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let sorts = Canonicalizer::default().sort_query(true);
    /// let uri = sorts.canonicalize(b"http://a/?c&b=2&a;b=1", &mut buffer);
    /// assert_eq!(uri, b"http://a/?a&b=2&b=1;c");
    /// ```
    pub fn sort_query(mut self, sort: bool) -> Canonicalizer {
        self.switches.sort_query = sort;
        self.settle()
    }

    /// Sets whether `https` counts as `http`; default no. Then both 80 and 443 are
    /// default ports of the two at [`Level::Scheme`].
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// let mut buffer = Vec::new();
    /// let folds = Canonicalizer::default().fold_https(true);
    /// assert_eq!(folds.canonicalize(b"https://a:443/", &mut buffer), b"http://a:443/");
    /// let folds = Canonicalizer::new(Level::Scheme).fold_https(true);
    /// assert_eq!(folds.canonicalize(b"https://a:443/", &mut buffer), b"http://a/");
    /// ```
    pub fn fold_https(mut self, fold: bool) -> Canonicalizer {
        self.switches.fold_https = fold;
        self.settle()
    }

    /// Sets whether `www.` before the host of an `http` or `https` URL is removed;
    /// default no. The rest must contain an ASCII letter.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let strips = Canonicalizer::default().strip_www(true);
    /// assert_eq!(strips.canonicalize(b"http://www.a.example/", &mut buffer), b"http://a.example/");
    /// assert_eq!(strips.canonicalize(b"http://www.192.0.2.1/", &mut buffer), b"http://www.192.0.2.1/");
    /// ```
    pub fn strip_www(mut self, strip: bool) -> Canonicalizer {
        self.switches.strip_www = strip;
        self.settle()
    }

    /// Sets whether an ISBN-10 in a URN counts as its ISBN-13; default no. An ISBN-10
    /// with a wrong check digit is unchanged: a new check digit would hide the error.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let merges = Canonicalizer::default().isbn13(true);
    /// let uri = merges.canonicalize(b"urn:isbn:0-395-36341-1", &mut buffer);
    /// assert_eq!(uri, b"urn:isbn:9780395363416");
    /// ```
    pub fn isbn13(mut self, merge: bool) -> Canonicalizer {
        self.switches.isbn13 = merge;
        self.settle()
    }

    /// Sets the resolvers whose URLs count as the name in them; default none.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, resolver::Resolvers};
    /// let mut buffer = Vec::new();
    /// let unwraps = Canonicalizer::default().unwrap_resolvers(Resolvers::built_in());
    /// let uri = unwraps.canonicalize(b"https://doi.org/10.1000/182", &mut buffer);
    /// assert_eq!(uri, b"doi:10.1000/182");
    /// ```
    pub fn unwrap_resolvers(mut self, resolvers: Resolvers) -> Canonicalizer {
        self.resolvers = Some(Arc::new(resolvers));
        self
    }

    /// Sets the gateways whose URLs count as their targets (I14); default none.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, gateway::Gateways};
    /// let url = b"https://vk.com/away.php?to=HTTP%3A%2F%2Fa.example%2F";
    /// let unwraps = Canonicalizer::default().unwrap_gateways(Gateways::built_in());
    /// assert_eq!(unwraps.canonicalize(url, &mut Vec::new()), b"http://a.example/");
    /// ```
    pub fn unwrap_gateways(mut self, gateways: Gateways) -> Canonicalizer {
        self.gateways = Some(Arc::new(gateways));
        self
    }

    /// Writes the target of `uri` to `out`; returns whether `uri` is a URL of a gateway that is
    /// unwrapped.
    pub(crate) fn unwrap_gateway(&self, uri: &[u8], out: &mut Unwrapped) -> bool {
        let gateways = self.gateways.as_ref();
        gateways.is_some_and(|gateways| gateways.unwrap(uri, out))
    }

    /// Whether gateways are unwrapped.
    pub(crate) fn has_gateways(&self) -> bool {
        self.gateways.is_some()
    }

    /// Returns the same canonicalizer without resolvers.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, resolver::Resolvers};
    /// let mut buffer = Vec::new();
    /// let unwraps = Canonicalizer::default().unwrap_resolvers(Resolvers::built_in());
    /// let uri = b"https://doi.org/10.1000/182";
    /// assert_eq!(unwraps.without_resolvers().canonicalize(uri, &mut buffer), uri);
    /// ```
    pub fn without_resolvers(mut self) -> Canonicalizer {
        self.resolvers = None;
        self
    }

    /// Returns the same canonicalizer with another level.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// assert_eq!(Canonicalizer::default().at(Level::Scheme).level(), Level::Scheme);
    /// ```
    pub fn at(mut self, level: Level) -> Canonicalizer {
        self.switches.level = level;
        self.settle()
    }

    /// Returns the level.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// assert_eq!(Canonicalizer::default().level(), Level::Lexical);
    /// ```
    pub fn level(&self) -> Level {
        self.switches.level
    }

    /// Whether `uri` is its own canonical form.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let canonicalizer = Canonicalizer::default();
    /// assert!(canonicalizer.is_canonical(b"http://a.example/B"));
    /// assert!(!canonicalizer.is_canonical(b"http://A.example/B"));
    /// ```
    #[inline]
    pub fn is_canonical(&self, uri: &[u8]) -> bool {
        !self.is_carrier(uri) && self.key_len(uri) == uri.len() && self.is_spelled(uri)
    }

    /// Whether an `http` or `https` URI without a capital letter in its scheme and its
    /// host, whose percent-encodings have digits in upper case, is its own canonical form,
    /// whatever its other parts are.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// assert!(Canonicalizer::default().keeps_lower_case());
    /// assert!(!Canonicalizer::default().strip_fragment(true).keeps_lower_case());
    /// assert!(!Canonicalizer::new(Level::Syntax).keeps_lower_case());
    /// ```
    #[inline]
    pub fn keeps_lower_case(&self) -> bool {
        !self.beyond_case
            && !self.switches.strip_fragment
            && self.resolvers.is_none()
            && self.gateways.is_none()
    }

    /// Whether `uri`, of the form `usual`, is its own canonical form at each level, if no switch is
    /// set and no resolver is unwrapped: it has no percent-encoding, a path, and no dot segments.
    #[cfg(feature = "marc")]
    #[inline]
    pub(crate) fn is_form_at_each_level(uri: &[u8], usual: UsualUrl) -> bool {
        let begins_segment = |at: usize| uri[at - 1] == b'/';
        // A dot is not the first byte.
        usual.is_plain_path && !memchr::memchr_iter(b'.', uri).any(begins_segment)
    }

    /// Returns the canonical form of `uri`, which without switches is its own canonical form at each
    /// level.
    #[cfg(feature = "domain")]
    pub(crate) fn switched<'a>(&self, uri: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        if uri.starts_with(b"urn:") {
            const ISBN: &[u8] = b"urn:isbn:";
            let number = uri.strip_prefix(ISBN).filter(|_| self.switches.isbn13);
            let Some(isbn13) = number.and_then(namespace::isbn13) else {
                return uri;
            };
            buffer.clear();
            buffer.extend_from_slice(ISBN);
            buffer.extend_from_slice(&isbn13);
            return buffer;
        }
        let edits = self.switches.edit(false) || self.key_len(uri) < uri.len();
        match edits || self.gateways.is_some() || self.is_carrier(uri) {
            true => self.canonicalize(uri, buffer),
            false => uri,
        }
    }

    /// Whether `uri` is the URL of a resolver that is unwrapped.
    #[inline]
    pub(crate) fn is_carrier(&self, uri: &[u8]) -> bool {
        let carries = |resolvers: &Arc<Resolvers>| resolvers.carries(uri);
        self.resolvers.as_ref().is_some_and(carries)
    }

    /// Returns the number of bytes of `uri` that count for equality.
    #[inline]
    fn key_len(&self, uri: &[u8]) -> usize {
        let switches = &self.switches;
        let cut = match urn::assigned_name_len(uri) {
            Some(len) => {
                (switches.level >= Level::Lexical && !switches.keep_components).then_some(len)
            }
            None if switches.strip_fragment => memchr::memchr(b'#', uri),
            None => None,
        };
        cut.unwrap_or(uri.len())
    }

    /// Whether `key`, which was already cut, is in canonical spelling.
    #[inline]
    fn is_spelled(&self, key: &[u8]) -> bool {
        (self.switches.level == Level::None || lexical::is_canonical(key))
            && (!self.beyond_case || self.rules_hold(key))
    }

    fn settle(mut self) -> Canonicalizer {
        let edits = [false, true].map(|is_urn| self.switches.edit(is_urn));
        self.beyond_case = self.switches.level > Level::Lexical || edits.contains(&true);
        self
    }

    /// Whether no rule beyond level `lexical` changes `key`.
    #[inline(never)]
    fn rules_hold(&self, key: &[u8]) -> bool {
        let is_urn = urn::nid(key).is_some();
        let plain = match self.switches.level {
            _ if self.switches.edit(is_urn) => false,
            Level::None | Level::Lexical => true,
            Level::Syntax => syntax::is_plain(key),
            Level::Scheme => syntax::is_plain(key) && scheme::is_plain(key),
        };
        plain || rules::hold(rules_after_case(is_urn), &self.switches, key)
    }

    /// Returns the canonical form of `uri`: borrowed from it when no spelling changes. Where
    /// many are needed, [`canonicalize`](Canonicalizer::canonicalize) reuses a buffer.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use urisieve::canonicalize::Canonicalizer;
    /// let canonicalizer = Canonicalizer::default();
    /// assert_eq!(canonicalizer.canonical(b"HTTP://a.example/"), &b"http://a.example/"[..]);
    /// assert!(matches!(canonicalizer.canonical(b"http://a.example/"), Cow::Borrowed(_)));
    /// ```
    pub fn canonical<'a>(&self, uri: &'a [u8]) -> Cow<'a, [u8]> {
        let mut buffer = Vec::new();
        let canonical = self.canonicalize(uri, &mut buffer);
        let len = canonical.len();
        match uri.starts_with(canonical) {
            true => Cow::Borrowed(&uri[..len]),
            false => Cow::Owned(buffer),
        }
    }

    /// Returns whether two URIs are equal: their canonical forms are.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// let (a, b) = (b"HTTP://A.example:80", b"http://a.example/");
    /// assert!(Canonicalizer::new(Level::Scheme).equal(a, b));
    /// assert!(!Canonicalizer::new(Level::Lexical).equal(a, b));
    /// ```
    pub fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        a == b || self.canonical(a) == self.canonical(b)
    }

    /// Returns the canonical form of `uri`: `uri` itself or a part of it when no
    /// spelling changes, otherwise the content of `buffer`, which is overwritten.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let canonicalizer = Canonicalizer::default();
    /// let first = canonicalizer.canonicalize(b"urn:ISBN:0395363411", &mut buffer).to_vec();
    /// assert_eq!(canonicalizer.canonicalize(b"URN:isbn:0395363411", &mut buffer), first);
    /// ```
    #[inline]
    pub fn canonicalize<'a>(&self, uri: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        if self.gateways.is_some() && self.write_target(uri, buffer) {
            return buffer;
        }
        if self.write_name(uri, buffer) {
            return buffer;
        }
        let key = &uri[..self.key_len(uri)];
        if self.is_spelled(key) {
            return key;
        }
        self.write_by_rules(key, buffer);
        buffer
    }

    /// Writes the canonical form of `key` into `buffer`.
    fn write_by_rules(&self, key: &[u8], buffer: &mut Vec<u8>) {
        self.write(key, buffer);
        // The rules may have produced a resolver's URL: `http://urn%2Efi/urn:nbn:fi-1`.
        if self.is_carrier(buffer) {
            let url = Scratch::new(buffer);
            self.write_name(url.as_slice(), buffer);
        }
    }

    /// Writes the canonical form of the target of `uri`; returns whether `uri` is a URL of a
    /// gateway that has one.
    fn write_target(&self, uri: &[u8], buffer: &mut Vec<u8>) -> bool {
        let mut unwrapped = Unwrapped::default();
        let has_target = self.unwrap_gateway(uri, &mut unwrapped) && !unwrapped.names().is_empty();
        if has_target && !self.write_name(unwrapped.target(), buffer) {
            self.write_by_rules(unwrapped.target(), buffer);
        }
        has_target
    }

    /// Writes the canonical form of the name in the resolver's URL `uri`; returns
    /// whether there is such a name.
    #[inline]
    fn write_name(&self, uri: &[u8], buffer: &mut Vec<u8>) -> bool {
        let Some(resolvers) = &self.resolvers else {
            return false;
        };
        buffer.clear();
        let found = resolvers.unwrap(uri, buffer);
        if found {
            let name = Scratch::new(buffer);
            self.write(name.as_slice(), buffer);
        }
        found
    }

    /// Writes the canonical form of `uri`, which is not a resolver's URL, into
    /// `buffer`.
    fn write(&self, uri: &[u8], buffer: &mut Vec<u8>) {
        let key = &uri[..self.key_len(uri)];
        buffer.clear();
        match self.switches.level {
            Level::None => buffer.extend_from_slice(key),
            _ => lexical::write(key, buffer),
        }
        if self.beyond_case {
            rules::apply(
                rules_after_case(urn::nid(key).is_some()),
                &self.switches,
                buffer,
            );
        }
    }
}

/// Returns the rules after level `lexical` for a URN, or for another URI.
fn rules_after_case(is_urn: bool) -> &'static [rules::Rule] {
    match is_urn {
        true => &rules::URN,
        false => &rules::RULES,
    }
}
