//! RFC 3986 section 5.2, transcribed from its pseudo-code: the target of a relative
//! reference in a document with a base. Whether there is a base, and whether the result
//! is reported, is left to `refer`.

use super::grammar;

/// The components of a reference; undefined ones are `None` (section 5.2.1).
#[derive(Clone, Copy)]
pub struct Parts<'t> {
    pub scheme: Option<&'t [u8]>,
    pub authority: Option<&'t [u8]>,
    pub path: &'t [u8],
    pub query: Option<&'t [u8]>,
    pub fragment: Option<&'t [u8]>,
}

/// Appendix B: `^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`, where text
/// that is not a `scheme` is part of the path.
pub fn parse(text: &[u8]) -> Parts<'_> {
    let (text, fragment) = grammar::split_off(text, b'#');
    let (text, query) = grammar::split_off(text, b'?');
    let (scheme, text) = match grammar::split_off(text, b':') {
        (name, Some(rest)) if grammar::is_scheme(name) => (Some(name), rest),
        _ => (None, text),
    };
    let (authority, path) = match text.strip_prefix(b"//") {
        Some(rest) => {
            let end = rest.iter().position(|&b| b == b'/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, text),
    };
    Parts {
        scheme,
        authority,
        path,
        query,
        fragment,
    }
}

/// Section 5.2.2, strict: the target of the reference `r`.
pub fn resolve(base: &Parts, r: &Parts) -> Vec<u8> {
    let authority;
    let path;
    let query;
    let mut scheme = r.scheme;
    if r.scheme.is_some() {
        authority = r.authority;
        path = remove_dot_segments(r.path);
        query = r.query;
    } else {
        if r.authority.is_some() {
            authority = r.authority;
            path = remove_dot_segments(r.path);
            query = r.query;
        } else {
            if r.path.is_empty() {
                path = base.path.to_vec();
                query = r.query.or(base.query);
            } else {
                path = if r.path.starts_with(b"/") {
                    remove_dot_segments(r.path)
                } else {
                    remove_dot_segments(&merge(base, r.path))
                };
                query = r.query;
            }
            authority = base.authority;
        }
        scheme = base.scheme;
    }
    recompose(scheme, authority, &path, query, r.fragment)
}

/// Section 5.2.3.
fn merge(base: &Parts, path: &[u8]) -> Vec<u8> {
    if base.authority.is_some() && base.path.is_empty() {
        return [b"/", path].concat();
    }
    match base.path.iter().rposition(|&b| b == b'/') {
        Some(slash) => [&base.path[..=slash], path].concat(),
        None => path.to_vec(),
    }
}

/// Section 5.2.4, its steps 2A to 2E by their letters.
fn remove_dot_segments(path: &[u8]) -> Vec<u8> {
    let mut input = path.to_vec();
    let mut output: Vec<u8> = Vec::new();
    while !input.is_empty() {
        if input.starts_with(b"../") {
            input.drain(..3); // A
        } else if input.starts_with(b"./") {
            input.drain(..2); // A
        } else if input.starts_with(b"/./") {
            input.drain(..2); // B
        } else if input == b"/." {
            input = b"/".to_vec(); // B
        } else if input.starts_with(b"/../") || input == b"/.." {
            // C
            input = match &input[3..] {
                [] => b"/".to_vec(),
                rest => rest.to_vec(),
            };
            let segment = output.iter().rposition(|&b| b == b'/');
            output.truncate(segment.unwrap_or(0));
        } else if input == b"." || input == b".." {
            input.clear(); // D
        } else {
            // E
            let slash = input.iter().skip(1).position(|&b| b == b'/');
            let end = slash.map_or(input.len(), |at| at + 1);
            output.extend(input.drain(..end));
        }
    }
    output
}

/// Section 5.3. Without an authority no path begins with `//` (section 3.3): `/.` is
/// put before it.
fn recompose(
    scheme: Option<&[u8]>,
    authority: Option<&[u8]>,
    path: &[u8],
    query: Option<&[u8]>,
    fragment: Option<&[u8]>,
) -> Vec<u8> {
    let mut result = Vec::new();
    if let Some(scheme) = scheme {
        result.extend_from_slice(scheme);
        result.push(b':');
    }
    match authority {
        Some(authority) => {
            result.extend_from_slice(b"//");
            result.extend_from_slice(authority);
        }
        None if path.starts_with(b"//") => result.extend_from_slice(b"/."),
        None => {}
    }
    result.extend_from_slice(path);
    for (mark, part) in [(b'?', query), (b'#', fragment)] {
        if let Some(part) = part {
            result.push(mark);
            result.extend_from_slice(part);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::resolve as fast;
    use proptest::prelude::*;

    proptest! {
        /// Both transcriptions return the same result.
        #[test]
        fn any_reference(
            base in "a:(//b?)?[/.c?#]{0,8}",
            reference in "(h:)?(\\.{1,2}/)?[/.g:?#%é]{0,10}",
        ) {
            let mut wanted = Vec::new();
            let (base, reference) = (base.as_bytes(), reference.as_bytes());
            fast::resolve(fast::Rules::Rfc3986, base, reference, &mut wanted).unwrap();
            let got = resolve(&parse(base), &parse(reference));
            prop_assert_eq!(String::from_utf8(got).unwrap(), String::from_utf8(wanted).unwrap());
        }
    }
}
