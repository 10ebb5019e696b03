//! The bounds of the records of ISO 2709, also if their leaders are wrong: by the
//! stated length, otherwise by the next leader, otherwise by the next end of a record.

use super::super::format::CatalogFormat;
use super::super::record::{CatalogRecord, RECORD_MAX};
use super::super::text::TextReader;
use super::super::value::RecordStep;
use super::directory;
use super::leader::{
    LEADER, LeaderSearch, RECORD_END, is_full_leader, is_gap, is_short_leader, stated_length,
};
use crate::decode::record_damage::{RecordDamage, RecordFault};

/// The greatest number of bytes between two records that are read.
const GAP_MAX: usize = 4096;

const LENGTH: &str = "the length of a record is wrong";
const NO_END: &str = "the end of a record is missing";
const GARBAGE: &str = "bytes that belong to no record";
const TOO_LONG: &str = "a record of more than 16 MiB";

/// The end of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RecordBound {
    end: usize,
    damage: Option<(RecordFault, &'static str)>,
}

/// Reads ISO 2709.
#[derive(Debug, Default)]
pub(in crate::decode::catalog) struct Iso2709 {
    /// The number of bytes after the start in which no record ends.
    searched: usize,
}

impl Iso2709 {
    /// Reads the record at the start of `bytes`, which has this number and offset.
    pub fn read(
        &mut self,
        (bytes, last): (&[u8], bool),
        (number, offset): (u64, u64),
        record: &mut CatalogRecord,
        text: &mut TextReader,
    ) -> RecordStep {
        let mut gap = bytes.iter().take_while(|&&byte| is_gap(byte)).count();
        if offset == 0 && bytes.starts_with(b"\xEF\xBB\xBF") {
            gap = 3;
        }
        if gap > 0 {
            self.searched = self.searched.saturating_sub(gap);
            return RecordStep::Outside {
                len: gap,
                is_text: false,
            };
        }
        let damage = |(fault, cause)| RecordDamage {
            fault,
            cause,
            offset,
            number,
            stated: stated_length(bytes).map(|stated| stated as u32),
        };
        if bytes.is_empty() {
            return RecordStep::Hungry;
        }
        if bytes[0] == RECORD_END {
            // The byte may end another record once more.
            self.searched = self.searched.saturating_sub(1);
            return RecordStep::Lost(1, damage((RecordFault::Garbage, GARBAGE)));
        }
        if bytes.len() <= LEADER {
            return match last {
                true => {
                    let is_cut = bytes.iter().take(5).all(u8::is_ascii_digit);
                    let fault = match is_cut {
                        true => (RecordFault::Truncated, NO_END),
                        false => (RecordFault::Garbage, GARBAGE),
                    };
                    RecordStep::Lost(bytes.len(), damage(fault))
                }
                false => RecordStep::Hungry,
            };
        }
        let Some(bound) = self.bound(bytes, last) else {
            if bytes.len() <= RECORD_MAX {
                return RecordStep::Hungry;
            }
            self.searched = 0;
            let fault = (RecordFault::Unsupported, TOO_LONG);
            return RecordStep::Lost(RECORD_MAX, damage(fault));
        };
        // No record ends in the searched bytes beyond it.
        self.searched = self.searched.saturating_sub(bound.end);
        if bound.end <= LEADER {
            return RecordStep::Lost(bound.end, damage((RecordFault::Truncated, NO_END)));
        }
        record.begin(CatalogFormat::Marc, number, offset);
        record.is_sound = bound.damage.is_none();
        record.damage.extend(bound.damage.map(damage));
        directory::read(&bytes[..bound.end], record, text, damage);
        record.finish(bound.end);
        RecordStep::Record(bound.end)
    }

    /// Returns the end of the record at the start of `bytes`; `None` when more bytes are
    /// needed.
    fn bound(&mut self, bytes: &[u8], last: bool) -> Option<RecordBound> {
        let stated = stated_length(bytes).filter(|&stated| stated > LEADER);
        if let Some(stated) = stated {
            match ends_at(bytes, stated, last) {
                None => return None,
                Some(true) => {
                    return Some(RecordBound {
                        end: stated,
                        damage: None,
                    });
                }
                Some(false) => {}
            }
        }
        // The next end of a record, and a leader before it.
        let from = self.searched.max(LEADER);
        let end = memchr::memchr(RECORD_END, &bytes[from..]).map(|at| from + at);
        self.searched = end.unwrap_or(bytes.len());
        let is_long = bytes.len() > RECORD_MAX;
        if end.is_none() && !last && !is_long {
            return None;
        }
        let until = end.unwrap_or(bytes.len().min(RECORD_MAX));
        // A record may be cut within its leader.
        let (mut at, mut search) = (1, LeaderSearch::default());
        while at < until {
            // A leader begins with a digit.
            match bytes[at].is_ascii_digit() {
                true if search.is_at(bytes, at, last)? => {
                    let damage = Some((RecordFault::Damaged, NO_END));
                    return Some(RecordBound { end: at, damage });
                }
                _ => at += 1,
            }
        }
        Some(match end {
            Some(end) => {
                let end = end + 1;
                let damage = (stated != Some(end)).then_some((RecordFault::Damaged, LENGTH));
                RecordBound { end, damage }
            }
            None if is_long => return None,
            None => {
                let damage = Some((RecordFault::Truncated, NO_END));
                RecordBound {
                    end: bytes.len(),
                    damage,
                }
            }
        })
    }
}

/// Whether the record at the start of `bytes` ends at `end`, as its leader states: an end
/// of a record precedes `end`, another record or the end of the input follows, and no
/// leader follows an end inside. `None` when more bytes are needed.
fn ends_at(bytes: &[u8], end: usize, last: bool) -> Option<bool> {
    let Some(record) = bytes.get(..end) else {
        return last.then_some(false);
    };
    if record[end - 1] != RECORD_END {
        return Some(false);
    }
    if !is_followed(&bytes[end..], last)? {
        return Some(false);
    }
    for at in memchr::memchr_iter(RECORD_END, &record[..end - 1]) {
        let rest = &bytes[at + 1..];
        let gap = rest
            .iter()
            .take(GAP_MAX)
            .take_while(|&&byte| is_gap(byte))
            .count();
        if is_full_leader(&rest[gap..], last)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether another record, or the end of the input, follows between records.
fn is_followed(bytes: &[u8], last: bool) -> Option<bool> {
    let gap = bytes
        .iter()
        .take(GAP_MAX)
        .take_while(|&&byte| is_gap(byte))
        .count();
    let rest = &bytes[gap..];
    if gap == GAP_MAX || rest.is_empty() && last {
        return Some(true);
    }
    match is_short_leader(rest, last) {
        Some(false) => is_full_leader(rest, last),
        found => found,
    }
}
