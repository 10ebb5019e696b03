//! Dot segments of a path (RFC 3986 section 5.2.4). The caller decides whether they may
//! be removed.

/// Appends `path` to `out` without its dot segments: "remove_dot_segments" of RFC 3986
/// section 5.2.4. The earlier content of `out` is unchanged: a `..` beyond the root is
/// dropped.
///
/// ```
/// use urisieve::syntax::remove_dot_segments;
/// let mut out = b"http://h".to_vec();
/// remove_dot_segments(b"/a/b/c/./../../g", &mut out);
/// assert_eq!(out, b"http://h/a/g");
/// ```
pub fn remove_dot_segments(path: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(path);
    remove_dot_segments_from(out, start);
}

/// Removes the dot segments of the path that begins at `start` in `path`.
///
/// The algorithm of the RFC moves segment by segment from an input buffer to an output
/// buffer. The output is never longer than the input read so far, so both are one
/// buffer here, with a read offset and a write offset.
pub(super) fn remove_dot_segments_from(path: &mut Vec<u8>, start: usize) {
    let (mut read, mut write) = (start, start);
    // 2A and 2D: dots in front of any segment.
    loop {
        read += match &path[read..] {
            [b'.', b'.', b'/', ..] => 3,
            [b'.', b'/', ..] => 2,
            b".." | b"." => path.len() - read,
            _ => break,
        };
    }
    while read < path.len() {
        // 2E: a segment with the slash before it; the first may have none.
        let next = memchr::memchr(b'/', &path[read + 1..]);
        let end = next.map_or(path.len(), |at| read + 1 + at);
        let removed = match &path[read..end] {
            b"/." => true,
            b"/.." => {
                let last = memchr::memrchr(b'/', &path[start..write]);
                write = start + last.unwrap_or(0);
                true
            }
            _ => {
                path.copy_within(read..end, write);
                write += end - read;
                false
            }
        };
        // 2B and 2C: a segment that is removed at the end leaves its slash.
        if removed && end == path.len() {
            path[write] = b'/';
            write += 1;
        }
        read = end;
    }
    path.truncate(write);
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

    /// RFC 3986 section 5.2.4, to the letter.
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
