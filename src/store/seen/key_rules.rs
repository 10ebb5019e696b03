//! The rules that made the keys of a store, by the names that the command line gives them. A user
//! who opens a store states rules, which must have the settings of the store.

use super::manifest::SeenSettings;

/// The value of a setting that is on.
const ON: &str = "on";

/// The rules by which the keys of a store are made. Two runs whose rules have the same settings
/// may use the same store.
///
/// ```
/// use urisieve::store::seen::KeyRules;
/// let rules = KeyRules { level: "scheme".to_owned(), sort_query: true, ..KeyRules::default() };
/// let settings = rules.settings();
/// assert_eq!((&*settings["kind"], &*settings["sort-query"]), ("uri", "on"));
/// assert_eq!(KeyRules::of(&settings), rules);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRules {
    /// The number of the rules of canonical forms: `canonicalize::RULES`.
    pub version: u32,
    /// The name of the level of equality.
    pub level: String,
    /// Whether components of URNs are kept.
    pub keep_components: bool,
    /// Whether fragments are removed.
    pub strip_fragment: bool,
    /// Whether parameters are sorted.
    pub sort_query: bool,
    /// Whether `https` equals `http`.
    pub fold_https: bool,
    /// Whether `www.` is removed from hosts.
    pub strip_www: bool,
    /// Whether ISBNs have 13 digits.
    pub isbn13: bool,
    /// The names of parameters that are removed, in any order, and `@FILE` of rules.
    pub drop_param: Vec<String>,
    /// The digest of the rules of these files.
    pub params: Option<u64>,
    /// The digest of the resolvers whose addresses are unwrapped.
    pub resolvers: Option<u64>,
    /// The gateways whose addresses are unwrapped, in any order; all that are built in without a
    /// name.
    pub unwrap_gateways: Option<Vec<String>>,
    /// The digest of these gateways.
    pub gateways: Option<u64>,
    /// The names of redacted values, with commas between them; empty for userinfo alone.
    pub redact: Option<String>,
}

impl KeyRules {
    /// Returns the settings of a store whose keys are canonical forms by these rules.
    pub fn settings(&self) -> SeenSettings {
        let mut settings = SeenSettings::new();
        let mut set = |name: &str, value: String| {
            if !value.is_empty() {
                settings.insert(name.to_owned(), value);
            }
        };
        let digest = |digest: Option<u64>| digest.map_or(String::new(), |d| format!("{d:016x}"));
        set("kind", "uri".to_owned());
        set("rules", self.version.to_string());
        set("level", self.level.clone());
        for (name, is_on) in self.clone().switches() {
            set(name, if *is_on { ON } else { "" }.to_owned());
        }
        set("drop-param", listed(&self.drop_param));
        set("params", digest(self.params));
        set("resolvers", digest(self.resolvers));
        if let Some(names) = &self.unwrap_gateways {
            set("unwrap-gateways", or_on(listed(names)));
        }
        set("gateways", digest(self.gateways));
        if let Some(names) = &self.redact {
            set("redact", or_on(names.clone()));
        }
        settings
    }

    /// Returns the rules that the settings of a store state.
    pub fn of(settings: &SeenSettings) -> KeyRules {
        let value = |name: &str| settings.get(name).filter(|value| !value.is_empty());
        let names = |name: &str| value(name).map(|list| unlisted(list));
        let digest = |name: &str| u64::from_str_radix(value(name)?, 16).ok();
        let mut rules = KeyRules {
            version: value("rules").map_or(0, |rules| rules.parse().unwrap_or_default()),
            level: value("level").cloned().unwrap_or_default(),
            drop_param: names("drop-param").unwrap_or_default(),
            params: digest("params"),
            resolvers: digest("resolvers"),
            unwrap_gateways: match value("unwrap-gateways").map(String::as_str) {
                Some(ON) => Some(Vec::new()),
                _ => names("unwrap-gateways"),
            },
            gateways: digest("gateways"),
            redact: value("redact").map(|names| match &names[..] {
                ON => String::new(),
                _ => names.clone(),
            }),
            ..KeyRules::default()
        };
        for (name, is_on) in rules.switches() {
            *is_on = value(name).is_some();
        }
        rules
    }

    /// The switches, with the names of their settings.
    fn switches(&mut self) -> [(&'static str, &mut bool); 6] {
        [
            ("keep-components", &mut self.keep_components),
            ("strip-fragment", &mut self.strip_fragment),
            ("sort-query", &mut self.sort_query),
            ("fold-https", &mut self.fold_https),
            ("strip-www", &mut self.strip_www),
            ("isbn13", &mut self.isbn13),
        ]
    }
}

fn or_on(names: String) -> String {
    match names.is_empty() {
        true => ON.to_owned(),
        false => names,
    }
}

/// Names in a list, whose order does not count.
fn listed(names: &[String]) -> String {
    let plain = |name: &String| name.replace('\\', "\\\\").replace(',', "\\,");
    let mut names: Vec<String> = names.iter().map(plain).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !name.is_empty());
    names.join(",")
}

/// The names of a list that [`listed`] made.
fn unlisted(list: &str) -> Vec<String> {
    let (mut names, mut name, mut letters) = (Vec::new(), String::new(), list.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => name.extend(letters.next()),
            ',' => names.push(std::mem::take(&mut name)),
            letter => name.push(letter),
        }
    }
    names.push(name);
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
    fn rules_come_back() {
        let mut rules = KeyRules {
            version: 7,
            level: "syntax".to_owned(),
            drop_param: vec!["@rules.json".to_owned(), "x,y".to_owned()],
            params: Some(0),
            resolvers: Some(u64::MAX),
            unwrap_gateways: Some(Vec::new()),
            gateways: Some(0xabc),
            redact: Some(String::new()),
            ..KeyRules::default()
        };
        for at in 0..6 {
            assert_eq!(KeyRules::of(&rules.settings()), rules);
            *rules.switches()[at].1 = true;
        }
        rules.unwrap_gateways = Some(vec!["bing".to_owned(), "slack".to_owned()]);
        rules.redact = Some("@secrets,q".to_owned());
        assert_eq!(KeyRules::of(&rules.settings()), rules);
        let settings = rules.settings();
        assert_eq!(settings["params"], "0000000000000000");
        assert!(settings.values().all(|value| !value.is_empty()));
    }
}
