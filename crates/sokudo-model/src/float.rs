//! Floats in JSON.

use serde::{Deserialize, Deserializer};

/// A float that JSON has no word for (NaN, infinity) is written as null.
pub(crate) fn float_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
}
