//! Spans: the least and the greatest of some values, as bytes that are compared. A set widens
//! the span at the end of a record when its key repeats.

/// The length of each of the two values.
pub(crate) const VALUE_LEN: usize = 16;
/// The length of a span: the least value, then the greatest.
pub(crate) const SPAN_LEN: usize = 2 * VALUE_LEN;

/// The span of no values.
pub(crate) const EMPTY_SPAN: [u8; SPAN_LEN] = {
    let mut span = [0; SPAN_LEN];
    let mut at = 0;
    while at < VALUE_LEN {
        span[at] = u8::MAX;
        at += 1;
    }
    span
};

/// Widens the span at the end of `record` by that at the end of `other`. Records without one
/// do not change.
pub(crate) fn widen(record: &mut [u8], other: &[u8]) {
    let (Some(span), Some(other)) = (
        record.last_chunk_mut::<SPAN_LEN>(),
        other.last_chunk::<SPAN_LEN>(),
    ) else {
        return;
    };
    let (least, greatest) = span.split_at_mut(VALUE_LEN);
    let (other_least, other_greatest) = other.split_at(VALUE_LEN);
    if other_least < &*least {
        least.copy_from_slice(other_least);
    }
    if other_greatest > &*greatest {
        greatest.copy_from_slice(other_greatest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(values: &[u8]) -> [u8; SPAN_LEN] {
        let mut span = EMPTY_SPAN;
        for &value in values {
            widen(&mut span, &[[value; VALUE_LEN]; 2].concat());
        }
        span
    }

    #[test]
    fn a_span_has_the_least_and_the_greatest_value() {
        let both = [[3; VALUE_LEN], [7; VALUE_LEN]].concat();
        assert_eq!(span(&[5, 3, 7, 4]), *both);
        let mut record = [b"record", &span(&[4])[..]].concat();
        widen(&mut record, &span(&[7, 3]));
        assert_eq!(record, [b"record", &both[..]].concat());
        widen(&mut record, &EMPTY_SPAN);
        widen(&mut record, b"short");
        assert_eq!(record[6..], both);
    }
}
