//! What a document leaves out.

/// What a workload does not ask for is left out of documents, which older versions wrote without it.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
