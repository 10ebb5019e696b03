//! `doi:` (DOI Handbook section 2.4): names are compared without regard to the case of
//! ASCII letters, and written in lower case. The digits of `%XX` are unchanged.

use crate::canonicalize::namespace::fold;
use crate::canonicalize::switches::Switches;
use crate::syntax::Components;
use std::ops::Range;

/// Returns the name, when it has a letter in upper case.
pub(in crate::canonicalize) fn find(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let is_doi = parts.scheme(uri) == Some(b"doi") && !parts.has_authority();
    (is_doi && !fold::is_folded(parts.path(uri))).then(|| parts.path_range())
}

/// Writes a name in lower case.
pub(in crate::canonicalize) fn write(_: &Switches, _: &Components, name: &[u8], out: &mut Vec<u8>) {
    fold::write(name, out);
}

#[cfg(test)]
mod tests {
    use crate::canonicalize::{Canonicalizer, Level};

    #[test]
    fn names_are_compared_without_regard_to_case() {
        for (uri, expect) in [
            ("doi:10.1000/AbC-D", "doi:10.1000/abc-d"),
            ("DOI:10.1000/A%2Fb%c3%89", "doi:10.1000/a%2Fb%C3%89"),
            ("doi:10.1000/%41", "doi:10.1000/a"),
            ("doi:10.1000/É", "doi:10.1000/%C3%89"),
            ("doi:10.1000/A?B#C", "doi:10.1000/a?B#C"),
            ("doi://10.1000/A", "doi://10.1000/A"),
            ("hdl:2027/AbC", "hdl:2027/AbC"),
        ] {
            let mut buffer = Vec::new();
            let scheme = Canonicalizer::new(Level::Scheme);
            let got = scheme.canonicalize(uri.as_bytes(), &mut buffer);
            assert_eq!(String::from_utf8_lossy(got), expect);
        }
        let mut buffer = Vec::new();
        let syntax = Canonicalizer::new(Level::Syntax);
        let got = syntax.canonicalize(b"doi:10.1000/A", &mut buffer);
        assert_eq!(got, b"doi:10.1000/A");
    }
}
