//! Values once, in the order in which they appear.

/// Each value once, in order of appearance.
pub fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let groups = grouped(values.map(|value| (value, ())));
    groups.into_iter().map(|(value, _)| value).collect()
}

/// What belongs to each key, keys in order of appearance.
pub fn grouped<K: PartialEq, V>(all: impl Iterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}
