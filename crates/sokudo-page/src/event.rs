//! What happens in a run, as the measurer tells it while it goes on.

use serde::{Deserialize, Serialize};

/// Seconds count from the beginning of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    Planned {
        method: String,
        command: String,
        target: RunTarget,
        rows: Vec<PlannedRow>,
        trials: u32,
        /// Whether a row ends when it is precise enough.
        adaptive: bool,
        seconds: f64,
        writes_bytes: Option<u64>,
        test_file_bytes: Option<u64>,
    },
    Note {
        text: String,
    },
    /// The test file is made.
    Layout {
        written: u64,
        total: u64,
    },
    Waiting {
        seconds: f64,
        text: String,
    },
    RowNamed {
        row: usize,
        name: String,
    },
    Trial {
        row: usize,
        trial: u32,
    },
    /// At most four a second.
    Progress {
        row: usize,
        at: f64,
        mb_per_second: Option<f64>,
        iops: Option<f64>,
        phase: RunPhase,
        /// The share of the run that is over, 0 to 1.
        done: f64,
        seconds_left: f64,
        moved_bytes: u64,
    },
    /// What was completed since the last one: bucket `b` counts latencies from 100 ns · 2^(b/4)
    /// to 100 ns · 2^((b+1)/4), 0 to 127.
    Latency {
        row: usize,
        at: f64,
        counts: Vec<(u8, u64)>,
    },
    Temperature {
        at: f64,
        celsius: f64,
    },
    /// Samples of a surface since the last one: offset and value.
    Places {
        row: usize,
        trial: u32,
        unit: PlaceUnit,
        points: Vec<(u64, f64)>,
        /// Extents that could not be read: offset and length.
        defects: Vec<(u64, u64)>,
    },
    /// The table of the command line so far, judged.
    Table {
        table: TableView,
        findings: Vec<FindingLine>,
        answer: Option<Answer>,
    },
    Done {
        /// The number of the run in the store.
        kept: Option<i64>,
        table: Option<TableView>,
        findings: Vec<FindingLine>,
        answer: Option<Answer>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTarget {
    pub name: String,
    pub kind: String,
    pub size: Option<u64>,
    pub model: Option<String>,
    pub file_system: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedRow {
    pub name: String,
    pub direction: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    Ramp,
    Running,
    Verifying,
    Flushing,
    Finishing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceUnit {
    MbPerSecond,
    Milliseconds,
}

/// A table as the command line lays it out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableView {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub title: String,
    pub align: Alignment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alignment {
    Left,
    Right,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub text: String,
    /// `none`, `good`, `doubtful` or `bad`.
    pub tone: String,
    /// The length of a bar, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// `text`, `figure`, `judged`, `bar` or `course`.
    pub kind: String,
}

/// A finding in the language of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingLine {
    pub severity: String,
    pub code: String,
    pub symptom: String,
    pub cause: String,
    pub remedy: String,
    pub rows: Vec<String>,
}

/// What a question comes to: OK, fast enough and the like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub tone: String,
    pub text: String,
}
