//! A file or device that jobs use, as their languages describe it.

use std::path::PathBuf;

use sokudo_model::{Allocation, Bytes, JobTargetKind};

/// One target of jobs, before it is touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobTarget {
    /// Where it is or will be.
    pub path: PathBuf,
    /// What is at its path.
    pub kind: JobTargetKind,
    /// How large it is to be; of a device, how much of it is used at most.
    pub bytes: Bytes,
    /// Jobs write to it.
    pub written: bool,
    /// It must be full of data before the jobs begin.
    pub needs_data: bool,
    /// The user allows an existing file to be overwritten.
    pub overwrite: bool,
    /// It may be created.
    pub create: bool,
    /// What is missing of the directories in its path is made below this one, which must be
    /// there; empty is the current directory or `/`. `None` makes none.
    pub made_below: Option<PathBuf>,
    /// How room is made for it.
    pub allocation: Allocation,
    /// It is removed afterwards.
    pub unlink: bool,
    /// It is read into the page cache before the jobs.
    pub pre_read: bool,
    /// It is dropped from the page cache before a job.
    pub invalidate: bool,
    /// A device may be written although it is in use, provided it is named.
    pub allow_occupied: bool,
    /// The names of the jobs that use it.
    pub jobs: Vec<String>,
}

impl JobTarget {
    /// Whether a file is made or written: also one that is only read must be written if it is too
    /// small.
    pub fn is_made(&self) -> bool {
        self.kind == JobTargetKind::File && (self.written || !self.is_large_enough())
    }

    fn is_large_enough(&self) -> bool {
        let metadata = self.path.metadata();
        metadata.is_ok_and(|metadata| metadata.len() >= self.bytes.0)
    }
}
