//! What is written of numbers in JSON, and what is not written at all.

use serde::{Deserialize, Deserializer};

/// A float that JSON has no word for (NaN, infinity) is written as null.
pub(crate) fn float_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
}

/// What is as it is by default is not written; older versions wrote plans without it.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
