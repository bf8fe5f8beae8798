//! Test files that one process makes and another reads.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sokudo_model::Bytes;

/// A test file that another process reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LentFile {
    pub(crate) path: PathBuf,
    pub(crate) inode: u64,
    pub(crate) size: Bytes,
}
