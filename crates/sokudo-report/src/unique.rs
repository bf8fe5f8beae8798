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

/// Where the entry is that is meant; it is added at the end where there is none.
pub(crate) fn index_or_push<T>(
    entries: &mut Vec<T>,
    is_meant: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> usize {
    let index = entries.iter().position(is_meant);
    index.unwrap_or_else(|| {
        entries.push(new());
        entries.len() - 1
    })
}
