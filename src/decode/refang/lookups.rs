//! Lookups of Log4j that stand for a text (I8): `${lower:X}`, `${upper:X}`, `${::-X}`,
//! `${name:-X}`, also in one another.

use super::sight::{Sight, is_break};

/// The greatest number of bytes of a lookup.
pub(super) const LOOKUP_MAX: usize = 96;

/// The depth of lookups in one another.
const DEPTH: usize = 4;

/// Appends the text of the lookup at `at` to `out`, and returns its end.
pub(super) fn resolve(sight: &mut Sight, at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let from = out.len();
    let end = flatten(sight, at, at + LOOKUP_MAX, DEPTH, out);
    if end.is_none() {
        out.truncate(from);
    }
    end
}

/// Does the same for a lookup that ends before `limit`, and has `depth` levels.
fn flatten(
    sight: &mut Sight,
    at: usize,
    limit: usize,
    depth: usize,
    out: &mut Vec<u8>,
) -> Option<usize> {
    if depth == 0 || !sight.is(at, b'$') || !sight.is(at + 1, b'{') {
        return None;
    }
    let from = out.len();
    let mut next = at + 2;
    loop {
        match sight.byte(next)? {
            _ if next >= limit => return None,
            b'}' => break,
            b'$' => next = flatten(sight, next, limit, depth - 1, out)?,
            b'{' => return None,
            byte if is_break(byte) || !byte.is_ascii() => return None,
            byte => {
                out.push(byte);
                next += 1;
            }
        }
    }
    let body = &out[from..];
    let names = [&b"lower:"[..], b"upper:"];
    let is_named = |name: &&[u8]| {
        let head = body.get(..name.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(name))
    };
    let head = match names.iter().find(|name| is_named(name)) {
        Some(name) => name.len(),
        None => {
            let head = memchr::memmem::find(body, b":-")?;
            (!body[..head].contains(&b'/')).then_some(head + 2)?
        }
    };
    out.drain(from..from + head);
    Some(next + 1)
}
