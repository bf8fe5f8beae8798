//! By what files are compared.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// A file's identity: the number of its file system, and its inode there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    pub(crate) file_system: u64,
    pub(crate) inode: u64,
}

impl FileIdentity {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            file_system: metadata.dev(),
            inode: metadata.ino(),
        }
    }
}
