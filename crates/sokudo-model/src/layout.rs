//! The making of a test file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos};

/// How a test file was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Layout {
    /// Size of the file; of several files all sizes added.
    pub bytes: Bytes,
    /// From making room for it until all of it was durable.
    #[serde(rename = "elapsed_ns")]
    pub elapsed: Nanos,
}
