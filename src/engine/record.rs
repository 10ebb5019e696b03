//! The first occurrence of a counted class as bytes, to be kept beside its key.

use crate::item::{Finding, Marks, Problem, Problems, Wrapper};

const WRAPPERS: [Wrapper; 9] = [
    Wrapper::None,
    Wrapper::Angle,
    Wrapper::DoubleQuote,
    Wrapper::Quote,
    Wrapper::Paren,
    Wrapper::Bracket,
    Wrapper::Brace,
    Wrapper::Attribute,
    Wrapper::Field,
];

/// Appends the record of `finding`: input, offset, length, marks, and the
/// original spelling where it differs from the key.
pub(super) fn write(finding: &Finding, out: &mut Vec<u8>) {
    out.extend_from_slice(&(finding.input as u64).to_le_bytes());
    out.extend_from_slice(&finding.offset.to_le_bytes());
    out.extend_from_slice(&finding.length.to_le_bytes());
    let marks = &finding.marks;
    let wrapper = WRAPPERS.iter().position(|&w| w == marks.wrapper);
    let flags = u8::from(marks.url_prefix)
        | u8::from(marks.hyphen_break) << 1
        | u8::from(marks.abbreviated) << 2
        | u8::from(finding.original != finding.uri) << 3;
    let problems = Problem::ALL
        .iter()
        .enumerate()
        .map(|(bit, &p)| u8::from(marks.problems.has(p)) << bit)
        .sum();
    out.extend_from_slice(&[wrapper.unwrap_or(0) as u8, flags, marks.wrapped, problems]);
    if finding.original != finding.uri {
        out.extend_from_slice(finding.original);
    }
}

/// Reads a record of [`write()`] back; `key` is the key beside it.
pub(super) fn read<'r>(key: &'r [u8], record: &'r [u8], count: u64) -> Option<Finding<'r>> {
    let (input, rest) = record.split_first_chunk::<8>()?;
    let (offset, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let ([wrapper, flags, wrapped, bits], original) = rest.split_first_chunk::<4>()?;
    let mut problems = Problems::NONE;
    for (bit, &problem) in Problem::ALL.iter().enumerate() {
        if bits >> bit & 1 == 1 {
            problems |= problem;
        }
    }
    Some(Finding {
        uri: key,
        original: if flags & 8 != 0 { original } else { key },
        input: u64::from_le_bytes(*input) as usize,
        offset: u64::from_le_bytes(*offset),
        length: u64::from_le_bytes(*length),
        place: None,
        marks: Marks {
            wrapper: *WRAPPERS.get(*wrapper as usize)?,
            url_prefix: flags & 1 != 0,
            hyphen_break: flags & 2 != 0,
            abbreviated: flags & 4 != 0,
            wrapped: *wrapped,
            problems,
        },
        count: Some(count),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (at, &wrapper) in WRAPPERS.iter().enumerate() {
            let mut problems = Problems::from(Problem::NestedLimit);
            problems |= Problem::ALL[at % Problem::ALL.len()];
            let finding = Finding {
                uri: b"http://a/",
                original: if at % 2 == 0 {
                    b"HTTP://a/"
                } else {
                    b"http://a/"
                },
                input: at,
                offset: 1 << 40,
                length: 9,
                place: None,
                marks: Marks {
                    wrapper,
                    url_prefix: at % 2 == 0,
                    wrapped: at as u8,
                    hyphen_break: at % 3 == 0,
                    abbreviated: at % 4 == 0,
                    problems,
                },
                count: Some(7),
            };
            let mut record = Vec::new();
            write(&finding, &mut record);
            assert_eq!(read(finding.uri, &record, 7), Some(finding));
        }
    }
}
