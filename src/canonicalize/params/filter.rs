//! Rules of AdGuard that remove parameters: `||host^$removeparam=name`.

use super::names::ParamName;

/// Options of filter rules that do not limit where a rule applies to a URI alone.
pub(crate) const IGNORED_OPTIONS: [&str; 7] = [
    "all",
    "doc",
    "document",
    "popup",
    "important",
    "third-party",
    "3p",
];

/// The URLs that a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterPlace<'r> {
    Everywhere,
    /// Those of a host, and of those below it.
    Host(&'r str),
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilterRule<'r> {
    pub place: FilterPlace<'r>,
    pub name: ParamName<'r>,
    pub is_exception: bool,
}

impl<'r> FilterRule<'r> {
    /// Reads a line. `None` for another rule, and for one that depends on more than a URL.
    pub(super) fn parse(line: &'r str) -> Option<FilterRule<'r>> {
        let line = line.trim();
        let (line, is_exception) = match line.strip_prefix("@@") {
            Some(rule) => (rule, true),
            None => (line, false),
        };
        let (pattern, mut options) = line.split_once('$')?;
        let place = match pattern {
            "" | "*" => FilterPlace::Everywhere,
            _ => {
                let host = pattern.strip_prefix("||")?.strip_suffix('^')?;
                let is_plain =
                    |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b) || b >= 0x80;
                let is_host = !host.is_empty() && host.bytes().all(is_plain);
                is_host.then_some(FilterPlace::Host(host))?
            }
        };
        let mut name = None;
        while !options.is_empty() {
            let (option, rest) = next_option(options);
            options = rest;
            match option.strip_prefix("removeparam") {
                Some("") => name = Some(ParamName::Every),
                Some(value) => name = Some(param_name(value.strip_prefix('=')?)?),
                None => IGNORED_OPTIONS.contains(&option).then_some(())?,
            }
        }
        Some(FilterRule {
            place,
            name: name?,
            is_exception,
        })
    }
}

/// Splits the first option off, which ends at a comma that no backslash escapes.
fn next_option(options: &str) -> (&str, &str) {
    let ends = |at: &usize| !options[..*at].ends_with('\\');
    let mut commas = options.match_indices(',').map(|(at, _)| at);
    match commas.find(ends) {
        Some(at) => (&options[..at], &options[at + 1..]),
        None => (options, ""),
    }
}

/// Reads a name or `/RE/` or `/RE/i`. `None` for `~NAME`, which removes all others.
fn param_name(value: &str) -> Option<ParamName<'_>> {
    let Some(inside) = value.strip_prefix('/') else {
        let is_name = !value.is_empty() && !value.starts_with('~');
        return is_name.then_some(ParamName::Exact(value));
    };
    let (pattern, ignores_case) = match inside.strip_suffix("/i") {
        Some(pattern) => (pattern, true),
        None => (inside.strip_suffix('/')?, false),
    };
    Some(ParamName::Found {
        pattern,
        ignores_case,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_other_lines() {
        let (all, host) = (FilterPlace::Everywhere, FilterPlace::Host("a.example"));
        let found = |pattern, ignores_case| ParamName::Found {
            pattern,
            ignores_case,
        };
        for (line, place, name, is_exception) in [
            ("$removeparam=x", all, ParamName::Exact("x"), false),
            ("*$removeparam", all, ParamName::Every, false),
            (
                " ||a.example^$removeparam=x ",
                host,
                ParamName::Exact("x"),
                false,
            ),
            ("@@||a.example^$removeparam", host, ParamName::Every, true),
            (
                "||a.example^$doc,removeparam=x,3p",
                host,
                ParamName::Exact("x"),
                false,
            ),
            (
                "$removeparam=/^a\\,b=$/",
                all,
                found("^a\\,b=$", false),
                false,
            ),
            (
                "$removeparam=/^a/i,important",
                all,
                found("^a", true),
                false,
            ),
        ] {
            let wanted = FilterRule {
                place,
                name,
                is_exception,
            };
            assert_eq!(FilterRule::parse(line), Some(wanted), "{line}");
        }
        for line in [
            "",
            "! $removeparam=x",
            "||a.example^",
            "||a.example^$third-party",
            "||a.example^$removeparam=x,domain=b.example",
            "||a.example/x^$removeparam=x",
            "||*.example^$removeparam=x",
            "/re/$removeparam=x",
            "$removeparam=~x",
            "$removeparam=",
            "$removeparam=/x",
            "$removeparamx",
            "##.ad",
        ] {
            assert_eq!(FilterRule::parse(line), None, "{line}");
        }
    }
}
