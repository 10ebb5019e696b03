//! Checks that need several values: a value twice in a record, a resolver's URL beside its
//! target, and another case in other records.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Returns for each value of a record whether an earlier one is equal to it
/// (duplicate-in-record). A value has its field and its canonical form at level `scheme`,
/// which is empty where it is not a URI; fields 856 and 857 are one.
///
/// ```
/// use urisieve::catalog::check::duplicates;
/// let values = [("856", "http://a.example/"), ("024", "http://a.example/"), ("857", "http://a.example/")];
/// assert_eq!(duplicates(&values), [false, false, true]);
/// ```
pub fn duplicates<K: AsRef<[u8]>>(values: &[(K, K)]) -> Vec<bool> {
    let mut seen = FewOrMany::new(values.len());
    let mut found = Vec::with_capacity(values.len());
    for (tag, key) in values.iter().map(bytes) {
        let field = if tag == b"857" { b"856" } else { tag };
        found.push(!key.is_empty() && !seen.insert((key, field)));
    }
    found
}

fn bytes<K: AsRef<[u8]>>((one, two): &(K, K)) -> (&[u8], &[u8]) {
    (one.as_ref(), two.as_ref())
}

/// A set that compares a few values with each other: most records have a few.
enum FewOrMany<T> {
    Few(Vec<T>),
    Many(HashSet<T>),
}

impl<T: Copy + Eq + Hash> FewOrMany<T> {
    /// Creates a set of at most `count` values.
    fn new(count: usize) -> FewOrMany<T> {
        const FEW: usize = 16;
        match count <= FEW {
            true => FewOrMany::Few(Vec::with_capacity(count)),
            false => FewOrMany::Many(HashSet::with_capacity(count)),
        }
    }

    fn has(&self, value: T) -> bool {
        match self {
            FewOrMany::Few(values) => values.contains(&value),
            FewOrMany::Many(values) => values.contains(&value),
        }
    }

    /// Adds a value. Returns whether it is new.
    fn insert(&mut self, value: T) -> bool {
        match self {
            FewOrMany::Few(values) => {
                let is_new = !values.contains(&value);
                if is_new {
                    values.push(value);
                }
                is_new
            }
            FewOrMany::Many(values) => values.insert(value),
        }
    }
}

/// Returns for each value of a record whether it is the URL of a resolver beside its
/// target (resolver-duplicate). A value is given by its canonical form at level `scheme`,
/// and by that form with resolvers unwrapped.
///
/// ```
/// use urisieve::catalog::check::resolver_duplicates;
/// let values = [("https://doi.org/10.1000/1", "doi:10.1000/1"), ("doi:10.1000/1", "doi:10.1000/1")];
/// assert_eq!(resolver_duplicates(&values), [true, false]);
/// assert_eq!(resolver_duplicates(&values[..1]), [false]);
/// ```
pub fn resolver_duplicates<K: AsRef<[u8]>>(values: &[(K, K)]) -> Vec<bool> {
    let mut names = FewOrMany::new(values.len());
    for (key, _) in values.iter().map(bytes).filter(|(key, to)| key == to) {
        names.insert(key);
    }
    let leads_there = |(key, to)| key != to && names.has(to);
    values.iter().map(bytes).map(leads_there).collect()
}

/// Returns for each value, of all records, the number of the one whose case it should have
/// (case-differs): the first value with the commonest of the keys that differ from its own
/// only in case. `None` if its own key is the commonest; of equally common keys the first
/// counts. Empty keys are skipped.
///
/// ```
/// use urisieve::catalog::check::case_differences;
/// let keys = ["http://a.example/A", "http://a.example/a", "http://a.example/a", "urn:a-b:c"];
/// assert_eq!(case_differences(&keys), [Some(1), None, None, None]);
/// ```
pub fn case_differences(keys: &[&str]) -> Vec<Option<usize>> {
    // For each key its number of values and its first one.
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        counts.entry(key).or_insert((0, at)).0 += 1;
    }
    let mut commonest: HashMap<String, (usize, usize)> = HashMap::new();
    for (key, &(count, first)) in &counts {
        let best = commonest
            .entry(key.to_lowercase())
            .or_insert((count, first));
        let is_better = count > best.0 || count == best.0 && first < best.1;
        if is_better {
            *best = (count, first);
        }
    }
    let other = |key: &&str| {
        let first = commonest.get(&key.to_lowercase()).map(|best| best.1);
        first.filter(|&first| !key.is_empty() && keys[first] != *key)
    };
    keys.iter().map(other).collect()
}
