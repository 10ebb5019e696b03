//! The directory and the length of a record of ISO 2709 whose fields were changed.

use super::super::forms::leader::{ENTRY, LEADER, number, stated_base};
use super::refusal::RewriteRefusal;
use std::ops::Range;

/// The longest field and the longest record that ISO 2709 can state.
const FIELD_MAX: usize = 9_999;
const RECORD_MAX: usize = 99_999;

/// Writes to `out`, which is the record `raw` with these ranges of bytes replaced, how long
/// its changed fields are and where the fields after them begin, and its length.
pub(super) fn write(
    raw: &[u8],
    replaced: &[(Range<usize>, usize)],
    out: &mut [u8],
) -> Result<(), RewriteRefusal> {
    let base = stated_base(raw).ok_or(RewriteRefusal::Damaged)?;
    // By how many bytes the fields before an offset grew.
    let grown = |range: Range<usize>| -> (usize, usize) {
        let inside = replaced
            .iter()
            .filter(|(old, _)| range.contains(&old.start));
        inside.fold((0, 0), |sum, (old, new)| (sum.0 + old.len(), sum.1 + new))
    };
    let shifted = |at: usize, range: Range<usize>| {
        let (less, more) = grown(range);
        (at + more).saturating_sub(less)
    };
    for entry in (LEADER..base - 1).step_by(ENTRY) {
        let stated = |from: usize, to: usize| {
            let digits = raw.get(entry + from..entry + to);
            digits.and_then(number).ok_or(RewriteRefusal::Damaged)
        };
        let (len, start) = (stated(3, 7)?, stated(7, 12)?);
        let from = base + start;
        let new_len = shifted(len, from..from + len);
        let new_start = shifted(start, base..from);
        if new_len > FIELD_MAX {
            return Err(RewriteRefusal::FieldTooLong(new_len));
        }
        // A start beyond the limit is in a record that is too long, which is refused
        // below.
        if (new_len, new_start) != (len, start) && new_start <= RECORD_MAX {
            let stated = format!("{new_len:04}{new_start:05}");
            out[entry + 3..entry + ENTRY].copy_from_slice(stated.as_bytes());
        }
    }
    if out.len() > RECORD_MAX {
        return Err(RewriteRefusal::RecordTooLong(out.len()));
    }
    let length = format!("{:05}", out.len());
    out[..length.len()].copy_from_slice(length.as_bytes());
    Ok(())
}
