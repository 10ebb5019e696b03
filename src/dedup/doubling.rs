//! The growth of the lists of a set: by doubling, to a capacity that is known before.

/// Returns the capacity of a list that had room for `capacity` elements and needs room
/// for one more.
pub(super) const fn doubled(capacity: usize) -> usize {
    if capacity < 2 { 4 } else { 2 * capacity }
}

/// Returns the number of bytes by which a list grows when an element is added.
pub(super) const fn growth<T>(list: &Vec<T>) -> usize {
    let capacity = list.capacity();
    match list.len() == capacity {
        true => (doubled(capacity) - capacity) * size_of::<T>(),
        false => 0,
    }
}

/// Adds an element.
pub(super) fn push<T>(list: &mut Vec<T>, element: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(doubled(list.capacity()) - list.len());
    }
    list.push(element);
}

/// Returns at most by how many bytes a list grows when `more` elements are added.
pub(super) const fn growth_at_most<T>(list: &Vec<T>, more: usize) -> usize {
    let needed = list.len().saturating_add(more);
    match needed > list.capacity() {
        true => needed
            .saturating_mul(2)
            .saturating_add(4)
            .saturating_mul(size_of::<T>()),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_grows_as_was_said() {
        let mut list: Vec<u64> = Vec::new();
        for number in 0..5000 {
            let (before, grows) = (list.capacity(), growth(&list));
            assert!(grows <= growth_at_most(&list, 1));
            push(&mut list, number);
            assert_eq!((list.capacity() - before) * size_of::<u64>(), grows);
        }
        assert!(list.capacity() < 10_000);
        for more in [0, 1, 2, 5000] {
            let mut grown = list.clone();
            grown.shrink_to_fit();
            let (before, most) = (grown.capacity(), growth_at_most(&grown, more));
            (0..more as u64).for_each(|number| push(&mut grown, number));
            assert!((grown.capacity() - before) * size_of::<u64>() <= most);
        }
    }
}
