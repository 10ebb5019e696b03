//! Rules of lists that remove parameters from the queries of some URLs (I15): those of
//! ClearURLs, and the rules `$removeparam` of AdGuard.

mod filter;
#[cfg(all(feature = "json", feature = "patterns"))]
mod list;
mod names;

use super::digest::RulesDigest;
use super::hosts::{HostKey, HostSite, any_site, with_key};
use super::switches::ListedParams;
pub(crate) use filter::IGNORED_OPTIONS;
use filter::{FilterPlace, FilterRule};
#[cfg(all(feature = "json", feature = "patterns"))]
pub use list::BadParamList;
use names::ParamNames;
use std::collections::HashMap;

/// Rules that remove parameters from the queries of some URLs. Regular expressions need the
/// feature `patterns`.
///
/// ```
/// use urisieve::canonicalize::{Canonicalizer, params::ParamRules};
/// let mut rules = ParamRules::default();
/// assert!(rules.add_filter("||a.example^$removeparam=ref"));
/// assert!(rules.add_filter("@@||b.a.example^$removeparam"));
/// assert!(!rules.add_filter("||a.example^$removeparam=x,domain=c.example"));
/// let drops = Canonicalizer::default().drop_listed_params(rules);
/// assert_eq!(drops.canonical(b"http://www.a.example/?ref=1&x=2"), &b"http://www.a.example/?x=2"[..]);
/// assert_eq!(drops.canonical(b"http://b.a.example/?ref=1"), &b"http://b.a.example/?ref=1"[..]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ParamRules {
    /// Parameters that are removed from every URL, from those of a host, and of those below it.
    everywhere: ParamNames,
    hosts: HashMap<Box<[u8]>, ParamNames>,
    /// Parameters that are not removed there.
    kept_everywhere: ParamNames,
    kept_hosts: HashMap<Box<[u8]>, ParamNames>,
    providers: Vec<ParamProvider>,
    digest: RulesDigest,
}

/// Parameters that are removed from the URLs that match a pattern.
#[derive(Clone, Debug, Default)]
struct ParamProvider {
    #[cfg(feature = "patterns")]
    urls: Option<regex::bytes::Regex>,
    #[cfg(feature = "patterns")]
    exceptions: Option<regex::bytes::RegexSet>,
    names: ParamNames,
}

impl ParamRules {
    /// Whether there are no rules.
    ///
    /// ```
    /// assert!(urisieve::canonicalize::params::ParamRules::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.everywhere.is_empty() && self.hosts.is_empty() && self.providers.is_empty()
    }

    /// Returns a number that rules have in common only if they are the same, in the same order.
    ///
    /// ```
    /// use urisieve::canonicalize::params::ParamRules;
    /// let mut rules = ParamRules::default();
    /// rules.add_filter("$removeparam=a");
    /// assert_ne!(rules.digest(), ParamRules::default().digest());
    /// ```
    pub fn digest(&self) -> u64 {
        self.digest.number()
    }

    /// Adds a rule of AdGuard: `$removeparam=NAME` for every URL, or after `||host^` for those
    /// of a host and those below it; `NAME` may be `/RE/`, which is searched in `name=value`,
    /// and is missing for all parameters; `@@` before it for an exception. Returns false for
    /// another rule, and for one that depends on more than the URL, which is skipped.
    ///
    /// ```
    /// use urisieve::canonicalize::params::ParamRules;
    /// let mut rules = ParamRules::default();
    /// assert!(rules.add_filter("$removeparam=ref"));
    /// assert!(!rules.add_filter("||a.example^") && !rules.add_filter("! $removeparam=x"));
    /// ```
    pub fn add_filter(&mut self, line: &str) -> bool {
        let Some(FilterRule {
            place,
            name,
            is_exception,
        }) = FilterRule::parse(line)
        else {
            return false;
        };
        let (everywhere, hosts) = match is_exception {
            true => (&mut self.kept_everywhere, &mut self.kept_hosts),
            false => (&mut self.everywhere, &mut self.hosts),
        };
        let names = match place {
            FilterPlace::Everywhere => everywhere,
            FilterPlace::Host(host) => {
                let key = with_key(host.as_bytes(), |key| match key {
                    HostKey::Name(name) => Box::from(name),
                    HostKey::Address(address) => Box::from(address.to_string().as_bytes()),
                });
                hosts.entry(key).or_default()
            }
        };
        let is_added = names.add(name);
        if is_added {
            self.digest.add([line.trim()]);
        }
        is_added
    }

    /// Adds a provider of ClearURLs: of the URLs that match `pattern` and none of the
    /// `exceptions`, parameters are removed whose whole name one of the `rules` matches, in any
    /// case. Returns the number of expressions that are skipped: those that look around, which
    /// are not supported.
    ///
    /// ```
    /// # #[cfg(feature = "patterns")] {
    /// use urisieve::canonicalize::{Canonicalizer, params::ParamRules};
    /// let mut rules = ParamRules::default();
    /// let skipped = rules.add_provider(r"^https?:\/\/a\.example", &["ref_?", "(?!x)"], &[r"\/keep"]);
    /// assert_eq!(skipped, 1);
    /// let drops = Canonicalizer::default().drop_listed_params(rules);
    /// assert_eq!(drops.canonical(b"http://a.example/?REF=1"), &b"http://a.example/"[..]);
    /// assert_eq!(drops.canonical(b"http://a.example/keep?ref=1"), &b"http://a.example/keep?ref=1"[..]);
    /// # }
    /// ```
    #[cfg(feature = "patterns")]
    pub fn add_provider(
        &mut self,
        pattern: &str,
        rules: &[impl AsRef<str>],
        exceptions: &[impl AsRef<str>],
    ) -> usize {
        let in_any_case = |text: &str| format!("(?i){text}");
        let urls = match pattern {
            ".*" => None,
            _ => match regex::bytes::Regex::new(&in_any_case(pattern)) {
                Ok(urls) => Some(urls),
                Err(_) => return 1 + rules.len() + exceptions.len(),
            },
        };
        // Without one of its exceptions a provider would remove too much.
        let texts: Vec<String> = exceptions.iter().map(|e| in_any_case(e.as_ref())).collect();
        let Ok(excepted) = regex::bytes::RegexSet::new(&texts) else {
            return rules.len() + exceptions.len();
        };
        let mut names = ParamNames::default();
        let mut skipped = 0;
        for rule in rules {
            let is_added = names.add_pattern(rule.as_ref());
            skipped += usize::from(!is_added);
        }
        self.digest.add([pattern]);
        self.digest.add(rules.iter().map(AsRef::as_ref));
        self.digest.add(texts.iter().map(String::as_str));
        match (&urls, excepted.is_empty()) {
            (None, true) => self.everywhere.append(names),
            _ => self.providers.push(ParamProvider {
                urls,
                exceptions: Some(excepted).filter(|excepted| !excepted.is_empty()),
                names,
            }),
        }
        skipped
    }

    /// Has the expressions of the rules built.
    pub(super) fn settle(&mut self) {
        let ParamRules {
            everywhere,
            hosts,
            kept_everywhere,
            kept_hosts,
            providers,
            ..
        } = self;
        let of_hosts = hosts.values_mut().chain(kept_hosts.values_mut());
        let all = of_hosts.chain([everywhere, kept_everywhere]);
        let all = all.chain(providers.iter_mut().map(|provider| &mut provider.names));
        all.for_each(ParamNames::settle);
    }
}

impl ListedParams for ParamRules {
    fn drops(&self, uri: &[u8], param: &[u8]) -> bool {
        let is_dropped = self.everywhere.has(param)
            || of_host(&self.hosts, uri, param)
            || self
                .providers
                .iter()
                .any(|provider| provider.names.has(param) && provider.is_for(uri));
        is_dropped && !self.kept_everywhere.has(param) && !of_host(&self.kept_hosts, uri, param)
    }
}

impl ParamProvider {
    #[cfg(feature = "patterns")]
    fn is_for(&self, uri: &[u8]) -> bool {
        self.urls.as_ref().is_none_or(|urls| urls.is_match(uri))
            && !self
                .exceptions
                .as_ref()
                .is_some_and(|excepted| excepted.is_match(uri))
    }

    #[cfg(not(feature = "patterns"))]
    fn is_for(&self, _: &[u8]) -> bool {
        false
    }
}

/// Whether a rule for a host of `uri`, or for one above it, has `param`.
fn of_host(hosts: &HashMap<Box<[u8]>, ParamNames>, uri: &[u8], param: &[u8]) -> bool {
    !hosts.is_empty()
        && any_site(uri, |HostSite { key, .. }| match key {
            HostKey::Address(address) => hosts
                .get(address.to_string().as_bytes())
                .is_some_and(|names| names.has(param)),
            HostKey::Name(name) => {
                let ends = memchr::memchr_iter(b'.', name).map(|dot| &name[dot + 1..]);
                let mut ends = std::iter::once(name).chain(ends);
                ends.any(|end| hosts.get(end).is_some_and(|names| names.has(param)))
            }
        })
}
