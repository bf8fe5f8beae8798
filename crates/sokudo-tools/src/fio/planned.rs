//! What a fio command line comes to: a plan, what is reported of it, and the files it
//! runs on.

use sokudo_model::{Allocation, Bytes, JobTargetKind, Plan};

use crate::fio::session::FioSession;

/// A fio command line, ready to be carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct FioPlan {
    /// What to do. All its stages share `targets`.
    pub plan: Plan,
    /// What fio's outputs say of it.
    pub session: FioSession,
    /// What [`FileUse::target`](sokudo_model::FileUse::target) counts in: every file once,
    /// in the order of first use.
    pub targets: Vec<FioTargetSpec>,
    /// What is done as fio does it, and was probably not meant: one sentence each.
    pub hints: Vec<String>,
    /// Whether files are only laid out and nothing is run (`create_only`).
    pub create_only: bool,
}

/// A file or device that jobs use, and how it is to be made ready.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FioTargetSpec {
    pub path: String,
    /// The beginning of that which must be there (`directory`); what is missing of the
    /// directories behind it is made, as fio does. Empty is the current directory or `/`.
    pub base: String,
    pub kind: JobTargetKind,
    /// Size up to which jobs use it; a file shorter than that is laid out to it.
    pub bytes: Bytes,
    /// Whether any job writes or trims it.
    pub written: bool,
    /// Whether any job reads it.
    pub read: bool,
    /// Whether a file that is too short is written in full before it is used:
    /// `overwrite=1`, or a job that reads.
    pub overwrite: bool,
    /// Whether it may be made when it is missing (`allow_file_create`).
    pub create: bool,
    /// Whether it is only made when a job opens it (`create_on_open`).
    pub create_on_open: bool,
    /// How space is reserved when it is laid out.
    pub allocation: Allocation,
    /// Whether it is removed at the end.
    pub unlink: bool,
    /// Whether it is read before it is used.
    pub pre_read: bool,
    /// Whether what the page cache holds of it is dropped before it is used.
    pub invalidate: bool,
    /// Whether writing is allowed although it is mounted (`allow_mounted_write`).
    pub allow_mounted_write: bool,
    /// Whether a job said `overwrite=1` itself: consent to write an existing file.
    pub overwrite_requested: bool,
    /// Name of the first job that uses it.
    pub job: String,
}
