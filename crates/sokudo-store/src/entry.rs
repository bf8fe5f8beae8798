//! What a store knows of a run beside the run itself, packed.

use std::fmt;

use sokudo_model::{ListedRow, Nanos, RunAnswer, Verdict};

/// The number by which a run is called, from 1 on; numbers are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub u64);

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// A run that is to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// Start, in nanoseconds since 1970-01-01T00:00:00Z.
    pub started_at: Nanos,
    /// The method, such as `mark/default`.
    pub method: String,
    /// The target as it was named.
    pub target: String,
    /// Which device it was: model, serial number and partition or file system, never its
    /// name, which changes. The same text is the same device.
    pub device: String,
    /// What people call that device, such as its model.
    pub device_name: String,
    /// Name of the machine.
    pub host: Option<String>,
    /// The worst verdict of its rows; `None` where nothing was judged.
    pub verdict: Option<Verdict>,
    /// Hash of all that makes two runs comparable.
    pub fingerprint: String,
    /// Version of the program that measured.
    pub sokudo_version: String,
    /// The tool that measured, where sokudo has not.
    pub origin: Option<String>,
    /// The command line that repeats it.
    pub command: String,
    /// It was stopped before its end.
    pub interrupted: bool,
    /// What it has answered; `None` where it was for no question.
    pub answer: Option<RunAnswer>,
    /// Its rows, in their order.
    pub rows: Vec<ListedRow>,
    /// The whole of it, packed.
    pub document: Vec<u8>,
    /// What is computed of it and looked at of many runs; empty for nothing.
    pub summary: Vec<u8>,
}

/// A run that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Number of the run in the store.
    pub id: RunId,
    /// Its facts, with an empty document and summary.
    pub run: NewRun,
    /// What somebody wrote about it.
    pub note: String,
    /// Tags of the run, sorted; empty for none.
    pub tags: Vec<String>,
    /// Whether it is the baseline of its device and method.
    pub is_baseline: bool,
}

/// Which runs are asked for; what is `None` or empty lets all pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// A part of the device's identity, its name, or the target, whatever its case.
    pub device: Option<String>,
    /// The beginning of the method, such as `mark`.
    pub method: Option<String>,
    /// Started at this instant or later.
    pub since: Option<Nanos>,
    /// Started before this instant.
    pub until: Option<Nanos>,
    /// Exactly this verdict of the run, the worst of its rows.
    pub verdict: Option<Verdict>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Exactly this device identity.
    pub device_identity: Option<String>,
}

/// A part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// So many of the newest are left out.
    pub skip: u64,
    /// So many are given at most.
    pub count: u64,
}

/// A run with which later ones are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// Identity of the device, which tells it from others.
    pub device: String,
    /// What people call that device.
    pub device_name: String,
    /// Method of the run, which later runs must have in common.
    pub method: String,
    /// Number of the run that is the baseline.
    pub run: RunId,
}

/// One run of a row over time.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryPoint {
    /// Number of the run that the row is of.
    pub run: RunId,
    /// Start of the run, nanoseconds since 1970-01-01T00:00:00Z.
    pub started_at: Nanos,
    /// Row as it is listed, with its figures.
    pub row: ListedRow,
}

/// A device of which runs are kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredDevice {
    /// What tells it from others.
    pub identity: String,
    /// What people call it.
    pub name: String,
}
