//! How a test file was made, with its rate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::Layout;

use crate::number::float;

/// How the test file was made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutDocument {
    /// How large, and how long it took.
    #[serde(flatten)]
    pub layout: Layout,
    /// Size ÷ time.
    pub bytes_per_s: f64,
}

impl LayoutDocument {
    pub(super) fn of(layout: Layout) -> Self {
        Self {
            layout,
            bytes_per_s: float(layout.bytes.0) / layout.elapsed.as_secs_f64(),
        }
    }
}
