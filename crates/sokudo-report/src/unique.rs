//! Values once, and what they have in common, in the order in which they appear.

/// Each value once, in order of appearance.
pub fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for value in values {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique
}

/// Values behind what they have in common, in order of appearance.
pub(crate) fn in_groups<K: PartialEq, V>(values: impl Iterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in values {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, of_key)) => of_key.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}
