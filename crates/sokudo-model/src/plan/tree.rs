//! Many small files instead of one large one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Has a workload create, look up or delete many files in a directory of sokudo's own.
/// Which of the three is its operation; the block size is that of single writes and
/// reads. One I/O is one file.
///
/// The workloads of a run that have a tree work on the same files: what one creates, the
/// next looks up and another deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileTree {
    /// How many files. At least 1.
    pub files: u64,
    /// Whether they are regular files or links, and of which sizes.
    pub contents: TreeContents,
    /// Subdirectories over which they are spread evenly; 0 puts all of them into one
    /// directory.
    pub directories: u32,
    /// How they are called.
    pub names: TreeNames,
    /// In which order they are visited.
    pub order: TreeOrder,
    /// Whether every file and its directory are made durable one by one (fsync), and not
    /// all of them at the end.
    pub sync_each: bool,
}

/// What the files of a tree are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TreeContents {
    /// Regular files, each of a size from `min` to `max` bytes, all sizes alike.
    Bytes {
        /// Smallest size of a file, bytes.
        min: u32,
        /// Largest size of a file, bytes.
        max: u32,
    },
    /// Hard links to one file.
    HardLinks,
    /// Symbolic links to one file.
    SymbolicLinks,
}

/// How the files of a tree are called: by their number and up to twelve random letters
/// and digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TreeNames {
    /// The number comes first, so that files are created in the order of their names.
    NumberFirst,
    /// The random part comes first, so that they are not.
    RandomFirst,
}

/// In which order the files of a tree are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TreeOrder {
    /// By their numbers, in ascending order.
    Numbered,
    /// As their directory lists them.
    Listed,
    /// At random, each once.
    Shuffled,
}
