//! The settings of a run that decide what its keys are. A store has those of the run that made
//! it, and other runs must have the same.

use crate::cli::flags::equivalence::Equivalence;
use crate::cli::flags::privacy::Privacy;
use std::path::{Path, PathBuf};
use urisieve::canonicalize::{Canonicalizer, Level, RULES, Redactor};
use urisieve::is_uri;
use urisieve::item::Timestamp;
use urisieve::store::seen::SeenSettings;

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
        let mut settings = SeenSettings::new();
        let mut set = |name: &str, value: String| {
            if !value.is_empty() {
                settings.insert(name.to_owned(), value);
            }
        };
        let switch = |is_on: bool| if is_on { "on" } else { "" }.to_owned();
        set("rules", RULES.to_string());
        let level = equivalence.level.clone();
        set(
            "level",
            level.unwrap_or_else(|| Level::default().to_string()),
        );
        set("keep-components", switch(equivalence.keep_components));
        set("strip-fragment", switch(equivalence.strip_fragment));
        set("drop-param", listed(&equivalence.drop_param));
        let params = Equivalence::param_rules(&equivalence.drop_param)?;
        if !params.is_empty() {
            set("params", format!("{:016x}", params.digest()));
        }
        set("sort-query", switch(equivalence.sort_query));
        set("fold-https", switch(equivalence.fold_https));
        set("strip-www", switch(equivalence.strip_www));
        set("isbn13", switch(equivalence.isbn13));
        if equivalence.unwrap_resolvers || !equivalence.resolvers.is_empty() {
            let resolvers = equivalence.all_resolvers()?;
            set("resolvers", format!("{:016x}", resolvers.digest()));
        }
        if let Some(names) = &equivalence.unwrap_gateways {
            let listed = listed(names);
            set(
                "unwrap-gateways",
                if listed.is_empty() {
                    "on".to_owned()
                } else {
                    listed
                },
            );
            let gateways = Equivalence::all_gateways(names)?;
            set("gateways", format!("{:016x}", gateways.digest()));
        }
        if let Some(names) = &privacy.redact {
            let names = if names.is_empty() { "on" } else { names };
            set("redact", names.to_owned());
        }
        match self {
            StoredKeys::Uri => set("kind", "uri".to_owned()),
            StoredKeys::Pair(own) => {
                set("kind", "pair".to_owned());
                for (name, value) in own {
                    set(name, value.clone());
                }
            }
        }
        Ok(settings)
    }
}

/// Names in a list, whose order does not count.
fn listed(names: &[String]) -> String {
    let plain = |name: &String| name.replace('\\', "\\\\").replace(',', "\\,");
    let mut names: Vec<String> = names.iter().map(plain).collect();
    names.sort_unstable();
    names.dedup();
    names.join(",")
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
    let has = |name: &str| settings.get(name).is_some_and(|value| !value.is_empty());
    let of_pairs = settings.get("kind").is_some_and(|kind| kind == "pair");
    let redact = settings.get("redact").map(|names| match &names[..] {
        "on" => String::new(),
        _ => names.clone(),
    });
    let equivalence = Equivalence {
        level: settings.get("level").cloned(),
        keep_components: has("keep-components"),
        strip_fragment: has("strip-fragment"),
        drop_param: settings
            .get("drop-param")
            .map_or(Vec::new(), |list| unlisted(list)),
        sort_query: has("sort-query"),
        fold_https: has("fold-https"),
        // Of nodes it is a setting of their own.
        strip_www: has("strip-www") && !(of_pairs && settings["node"] != "page"),
        isbn13: has("isbn13"),
        unwrap_resolvers: has("resolvers"),
        unwrap_gateways: settings
            .get("unwrap-gateways")
            .map(|names| match &names[..] {
                "on" => Vec::new(),
                _ => unlisted(names),
            }),
        resolvers: resolvers.to_vec(),
    };
    let privacy = Privacy {
        redact,
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

/// The names of a list that [`listed`] made.
fn unlisted(list: &str) -> Vec<String> {
    let (mut names, mut is_escaped) = (vec![String::new()], false);
    for letter in list.chars() {
        match (letter, names.last_mut()) {
            ('\\', _) if !is_escaped => {
                is_escaped = true;
                continue;
            }
            (',', _) if !is_escaped => names.push(String::new()),
            (_, Some(name)) => name.push(letter),
            _ => {}
        }
        is_escaped = false;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back() {
        let names = ["utm_*", "a,b", "\\", "@tracking", "a,b", "\\,"].map(str::to_owned);
        let mut wanted = names.to_vec();
        wanted.sort();
        wanted.dedup();
        let mut found = unlisted(&listed(&names));
        found.sort();
        assert_eq!(found, wanted);
    }

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
