//! The settings of a run that decide what its keys are. A store has those of the run that made
//! it, and other runs must have the same.

use crate::cli::flags::equivalence::Equivalence;
use crate::cli::flags::privacy::Privacy;
use std::path::{Path, PathBuf};
use urisieve::canonicalize::{Canonicalizer, Level, RULES, Redactor};
use urisieve::is_uri;
use urisieve::item::Timestamp;
use urisieve::store::seen::{KeyRules, SeenSettings};

/// What the keys of a run are, beside the rules of equality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum StoredKeys {
    /// Canonical forms.
    Uri,
    /// Pages with targets; the settings of their own.
    Pair(Vec<(&'static str, String)>),
}

impl StoredKeys {
    /// Returns the settings of a run with these flags.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn settings(
        &self,
        equivalence: &Equivalence,
        privacy: &Privacy,
    ) -> Result<SeenSettings, String> {
        let mut settings = rules(equivalence, privacy)?.settings();
        if let StoredKeys::Pair(own) = self {
            settings.insert("kind".to_owned(), "pair".to_owned());
            let own = own.iter().filter(|(_, value)| !value.is_empty());
            settings.extend(own.map(|(name, value)| ((*name).to_owned(), value.clone())));
        }
        Ok(settings)
    }
}

/// Returns the rules of canonical forms that the flags state.
fn rules(equivalence: &Equivalence, privacy: &Privacy) -> Result<KeyRules, String> {
    let level = equivalence.level.clone();
    let params = Equivalence::param_rules(&equivalence.drop_param)?;
    let resolvers = match equivalence.unwrap_resolvers || !equivalence.resolvers.is_empty() {
        true => Some(equivalence.all_resolvers()?.digest()),
        false => None,
    };
    let names = equivalence.unwrap_gateways.as_deref();
    let gateways = names.map(Equivalence::all_gateways).transpose()?;
    Ok(KeyRules {
        version: RULES,
        level: level.unwrap_or_else(|| Level::default().to_string()),
        keep_components: equivalence.keep_components,
        strip_fragment: equivalence.strip_fragment,
        sort_query: equivalence.sort_query,
        fold_https: equivalence.fold_https,
        strip_www: equivalence.strip_www,
        isbn13: equivalence.isbn13,
        drop_param: equivalence.drop_param.clone(),
        params: (!params.is_empty()).then(|| params.digest()),
        resolvers,
        unwrap_gateways: equivalence.unwrap_gateways.clone(),
        gateways: gateways.map(|gateways| gateways.digest()),
        redact: privacy.redact.clone(),
    })
}

/// A time in seconds from 1970 on, as it is printed.
pub(super) fn time_of(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok();
    let time = time.and_then(|time| Timestamp::since_1970(time, 0));
    time.map_or_else(|| seconds.to_string(), |time| time.to_string())
}

/// The name of a store in messages.
pub(in crate::cli) fn shown(store: &Path) -> String {
    let name = store.as_os_str().as_encoded_bytes();
    crate::cli::report::printable::printable(name)
}

/// The keys of a store that is there: made of lines by its own settings.
#[derive(Debug)]
pub(in crate::cli) struct StoreKeys {
    canonicalizer: Canonicalizer,
    redactor: Option<Redactor>,
    /// Lines are pairs, as they were printed.
    of_pairs: bool,
    buffers: (Vec<u8>, Vec<u8>),
}

/// Returns the flags that the settings of a store state; its further resolvers are read from
/// these files.
pub(in crate::cli) fn flags_of(
    settings: &SeenSettings,
    resolvers: &[PathBuf],
) -> (Equivalence, Privacy) {
    let of_pairs = settings.get("kind").is_some_and(|kind| kind == "pair");
    let rules = KeyRules::of(settings);
    let equivalence = Equivalence {
        level: Some(rules.level).filter(|level| !level.is_empty()),
        keep_components: rules.keep_components,
        strip_fragment: rules.strip_fragment,
        drop_param: rules.drop_param,
        sort_query: rules.sort_query,
        fold_https: rules.fold_https,
        // Of nodes it is a setting of their own.
        strip_www: rules.strip_www && !(of_pairs && settings["node"] != "page"),
        isbn13: rules.isbn13,
        unwrap_resolvers: rules.resolvers.is_some(),
        unwrap_gateways: rules.unwrap_gateways,
        resolvers: resolvers.to_vec(),
    };
    let privacy = Privacy {
        redact: rules.redact,
        no_redact: false,
        defang: false,
    };
    (equivalence, privacy)
}

impl StoreKeys {
    /// Returns the keys of a store with these settings.
    ///
    /// # Errors
    /// The keys were made by other rules than those of this program, or by resolvers that are
    /// not known.
    pub(in crate::cli) fn of(
        settings: &SeenSettings,
        resolvers: &[PathBuf],
    ) -> Result<StoreKeys, String> {
        let (equivalence, privacy) = flags_of(settings, resolvers);
        let made = StoredKeys::Uri.settings(&equivalence, &privacy)?;
        for name in ["rules", "resolvers", "gateways", "params"] {
            let (here, there) = (made.get(name), settings.get(name));
            if here != there {
                let advice = match name {
                    "rules" => {
                        "seen export and seen import make a store by the rules of this version"
                    }
                    "resolvers" => "--resolvers names their file",
                    "params" => "a file of --drop-param changed",
                    _ => "the table of gateways changed",
                };
                let value = |value: Option<&String>| value.map_or("unset", |v| v).to_owned();
                return Err(format!(
                    "{name} is {} in the store and {} here; {advice}",
                    value(there),
                    value(here)
                ));
            }
        }
        Ok(StoreKeys {
            canonicalizer: equivalence.canonicalizer()?,
            redactor: privacy.redactor()?,
            of_pairs: settings.get("kind").is_some_and(|kind| kind == "pair"),
            buffers: Default::default(),
        })
    }

    /// Returns the key of a line, as `dedup` compares it.
    pub(in crate::cli) fn key<'k>(&'k mut self, line: &'k [u8]) -> &'k [u8] {
        if self.of_pairs {
            return line;
        }
        let text = line.trim_ascii();
        let (canonical, redacted) = &mut self.buffers;
        let key = match is_uri(text) {
            true => self.canonicalizer.canonicalize(text, canonical),
            false => text,
        };
        match &self.redactor {
            Some(redactor) => redactor.redact(key, redacted),
            None => key,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_come_back() {
        let flags = Equivalence {
            level: Some("scheme".to_owned()),
            keep_components: true,
            strip_fragment: true,
            drop_param: vec!["@tracking".to_owned(), "x,y".to_owned()],
            sort_query: true,
            fold_https: true,
            strip_www: true,
            isbn13: true,
            unwrap_resolvers: true,
            unwrap_gateways: Some(vec!["bing".to_owned(), "slack".to_owned()]),
            resolvers: Vec::new(),
        };
        for redact in [None, Some(""), Some("@secrets,q"), Some("query:q,client")] {
            let privacy = Privacy {
                redact: redact.map(str::to_owned),
                no_redact: false,
                defang: false,
            };
            let settings = StoredKeys::Uri.settings(&flags, &privacy).unwrap();
            let (equivalence, privacy) = flags_of(&settings, &[]);
            assert_eq!(
                StoredKeys::Uri.settings(&equivalence, &privacy).unwrap(),
                settings
            );
            let mut keys = StoreKeys::of(&settings, &[]).unwrap();
            assert_eq!(
                keys.key(b" HTTPS://www.a.example:443/?x,y=1#f\r\n"),
                b"http://a.example/"
            );
            assert_eq!(keys.key(b"no uri\n"), b"no uri");
        }
    }
}
