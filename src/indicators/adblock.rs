//! Rules of filter lists (Adblock Plus, uBlock Origin, AdGuard) that select whole hosts or
//! paths (rule I5). Others are known and skipped.

use super::form::IndicatorForm;
use super::host_entry::HostEntry;
use crate::canonicalize::params::IGNORED_OPTIONS;

/// Marks of rules that hide parts of pages.
const COSMETIC: [&str; 6] = ["##", "#@#", "#?#", "#$#", "#%#", "$$"];

/// Whether `text` is a rule that hides parts of pages, and not a URI.
pub(super) fn is_cosmetic(text: &str) -> bool {
    // Most entries have neither sign.
    memchr::memchr2(b'#', b'$', text.as_bytes()).is_some()
        && !text.contains("://")
        && COSMETIC.iter().any(|mark| text.contains(mark))
}

/// Reads a rule.
pub(super) fn rule(text: &str) -> IndicatorForm<'_> {
    let Some(text) = text.strip_prefix("||") else {
        return IndicatorForm::Skipped;
    };
    let (pattern, options) = match text.rsplit_once('$') {
        Some((pattern, options)) => (pattern, options),
        None => (text, ""),
    };
    let is_ignored = |option: &str| IGNORED_OPTIONS.contains(&option);
    if text.len() > pattern.len() && !options.split(',').all(is_ignored) {
        return IndicatorForm::Skipped;
    }
    // A * at the end of a start changes nothing.
    let is_host = pattern.ends_with('^');
    let trimmed = match is_host {
        true => &pattern[..pattern.len() - 1],
        false => pattern.trim_end_matches('*'),
    };
    if trimmed.is_empty() || trimmed.contains(['*', '^', '|']) {
        return IndicatorForm::Skipped;
    }
    let entry = match (is_host, trimmed.find('/')) {
        (true, None) => HostEntry::parse(trimmed).map(IndicatorForm::Host),
        (false, Some(at)) if at > 0 => Some(IndicatorForm::PathBelow {
            host: &trimmed[..at],
            path: &trimmed[at..],
        }),
        _ => None,
    };
    entry.unwrap_or(IndicatorForm::Skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_hosts_and_paths() {
        let host = |text| IndicatorForm::Host(HostEntry::parse(text).unwrap());
        assert_eq!(rule("||a.example^"), host("a.example"));
        assert_eq!(
            rule("||a.example:8080^$third-party,important"),
            host("a.example:8080")
        );
        let (host, path) = ("a.example", "/b/$c");
        assert_eq!(
            rule("||a.example/b/$c*$all"),
            IndicatorForm::PathBelow { host, path }
        );
        for text in [
            "||a.example",
            "||a.example^$domain=b.example",
            "||a.example^*/x",
            "||ad*.example^",
            "||a.example^|",
            "a.example##.banner",
            "||/x",
            "||",
            "||^",
            "||a.example/x^",
            "||a.example^$",
        ] {
            assert_eq!(rule(text), IndicatorForm::Skipped, "{text}");
        }
        assert!(is_cosmetic("a.example##.b") && !is_cosmetic("http://a.example/#a##b"));
    }
}
