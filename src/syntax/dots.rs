//! Dot segments of a path (RFC 3986 section 5.2.4). Whether they may be removed
//! at all is the caller's to know.

/// Appends `path` to `out` without its dot segments: "remove_dot_segments" of
/// RFC 3986 section 5.2.4. What stood in `out` before is never touched, so a
/// `..` beyond the root is dropped.
///
/// The algorithm of the text moves segment by segment from an input to an output
/// buffer; this one does the same with `out` as the output buffer and a cursor.
///
/// ```
/// use urisieve::syntax::remove_dot_segments;
/// let mut out = b"http://h".to_vec();
/// remove_dot_segments(b"/a/b/c/./../../g", &mut out);
/// assert_eq!(out, b"http://h/a/g");
/// ```
pub fn remove_dot_segments(path: &[u8], out: &mut Vec<u8>) {
    let root = out.len();
    let mut rest = path;
    // 2A and 2D: dots in front of any segment.
    loop {
        rest = match rest {
            [b'.', b'.', b'/', tail @ ..] | [b'.', b'/', tail @ ..] => tail,
            b".." | b"." => return,
            _ => break,
        };
    }
    // 2E: a first segment without a slash before it.
    if rest.first() != Some(&b'/') {
        let len = memchr::memchr(b'/', rest).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..len]);
        rest = &rest[len..];
    }
    while !rest.is_empty() {
        let len = memchr::memchr(b'/', &rest[1..]).map_or(rest.len(), |at| at + 1);
        let (segment, tail) = rest.split_at(len);
        let removed = match segment {
            b"/." => true,
            b"/.." => {
                let last = memchr::memrchr(b'/', &out[root..]);
                out.truncate(root + last.unwrap_or(0));
                true
            }
            _ => {
                out.extend_from_slice(segment);
                false
            }
        };
        // 2B and 2C: what is removed at the end leaves its slash.
        if removed && tail.is_empty() {
            out.push(b'/');
        }
        rest = tail;
    }
}

/// Whether a path has a segment that is `.` or `..`.
///
/// ```
/// use urisieve::syntax::has_dot_segments;
/// assert!(has_dot_segments(b"/a/../b"));
/// assert!(!has_dot_segments(b"/a/..b/.c"));
/// ```
pub fn has_dot_segments(path: &[u8]) -> bool {
    memchr::memchr_iter(b'.', path).any(|at| {
        let starts = at == 0 || path[at - 1] == b'/';
        let rest = &path[at + 1..];
        starts && matches!(rest, [] | [b'/', ..] | [b'.'] | [b'.', b'/', ..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 3986 section 5.2.4, as it is written.
    fn by_the_letter(path: &str) -> String {
        let mut input = path.to_owned();
        let mut output = String::new();
        while !input.is_empty() {
            if let Some(rest) = input.strip_prefix("../").or(input.strip_prefix("./")) {
                input = rest.to_owned();
            } else if input.starts_with("/./") || input == "/." {
                input = format!("/{}", &input[input.len().min(3)..]);
            } else if input.starts_with("/../") || input == "/.." {
                input = format!("/{}", &input[input.len().min(4)..]);
                output.truncate(output.rfind('/').unwrap_or(0));
            } else if input == "." || input == ".." {
                input.clear();
            } else {
                let end = input[1..].find('/').map_or(input.len(), |at| at + 1);
                output.push_str(&input[..end]);
                input.drain(..end);
            }
        }
        output
    }

    #[test]
    fn examples_of_the_text() {
        for (path, expect) in [
            ("/a/b/c/./../../g", "/a/g"),
            ("mid/content=5/../6", "mid/6"),
            ("/..", "/"),
            ("/a/..", "/"),
            ("a/..", "/"),
            ("..", ""),
            ("", ""),
        ] {
            let mut out = b"/kept".to_vec();
            remove_dot_segments(path.as_bytes(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out[5..]), expect, "{path}");
            assert_eq!(by_the_letter(path), expect, "{path}");
        }
    }

    proptest! {
        #[test]
        fn as_written(path in "[./a]{0,16}") {
            let mut out = Vec::new();
            remove_dot_segments(path.as_bytes(), &mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), by_the_letter(&path));
            if !has_dot_segments(path.as_bytes()) {
                prop_assert_eq!(by_the_letter(&path), path);
            }
        }
    }
}
