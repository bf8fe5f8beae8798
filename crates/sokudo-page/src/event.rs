//! What happens in a run, as the measuring command tells it, one JSON object a line. Seconds are
//! measured time since the run began, also where it is simulated.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// What will be done. At most `writes_bytes` are written, which is not known of what ends by
    /// no number of bytes or seconds, and as much as can be written in `writes_seconds`.
    Planned {
        method: String,
        command: String,
        rows: Vec<PlannedRow>,
        trials: u32,
        /// Rows end before that once they are known well enough.
        adaptive: bool,
        seconds: f64,
        writes_bytes: Option<u64>,
        writes_seconds: f64,
        /// So much, or for so long, that it is done only where somebody has said so.
        #[serde(default)]
        asks: bool,
    },
    /// Something that people should know.
    Note { text: String },
    /// The test file is being written.
    Layout { written: u64, total: u64 },
    /// Nothing is done on purpose for so long.
    Waiting { seconds: f64 },
    /// Short trials that count for no row try something.
    Checking { text: String },
    /// Drives test themselves: `short` or `extended`, and how far the slowest is.
    SelfTest {
        kind: String,
        drives: usize,
        percent: Option<u8>,
    },
    /// A drive's own test is over, as the result has it.
    SelfTestEnded {
        #[serde(flatten)]
        test: Value,
    },
    /// What a row does has been decided.
    RowNamed { row: usize, name: String },
    /// A trial of a row begins; rows are counted from 0.
    Trial { row: usize, trial: u32 },
    /// How far it is; rates are those since the last word.
    Progress {
        row: usize,
        at: f64,
        mb_per_second: Option<f64>,
        iops: Option<f64>,
        phase: RunPhase,
        /// Of the expected time, 0 to 1.
        done: f64,
        seconds_left: f64,
        moved_bytes: u64,
    },
    /// Requests that have not come back in time, the oldest first, and how many there are; none
    /// once all have, or were given up.
    Stuck {
        ios: Vec<StuckRequest>,
        count: usize,
        text: String,
    },
    /// Latencies of what completed since the last word: how many in which bucket. Bucket b begins
    /// at 100 ns · 2^(b/4).
    Latency {
        row: usize,
        at: f64,
        counts: Vec<(u8, u64)>,
    },
    /// What the hottest drive says of its temperature, and from where on it warns.
    Temperature {
        at: f64,
        celsius: f64,
        warning: Option<f64>,
    },
    /// Places of a survey since the last word, or anew from the first one: the first byte, and MB/s
    /// or milliseconds; bytes that were read or written there; ranges that failed as first byte and length.
    #[serde(rename = "places")]
    Samples {
        row: usize,
        trial: u32,
        anew: bool,
        unit: SampleUnit,
        points: Vec<(u64, f64)>,
        bytes: u64,
        defects: Vec<(u64, u64)>,
    },
    /// What the run has come to so far: tables, notes, findings, answer.
    Table {
        #[serde(flatten)]
        live: Value,
    },
    /// It is over, and kept under this number.
    Done {
        kept: Option<u64>,
        #[serde(flatten)]
        live: Value,
    },
}

/// A request that has not come back; a flush and work on files are at no byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "names that say enough need no words")]
pub struct StuckRequest {
    pub row: usize,
    pub operation: String,
    pub offset: Option<u64>,
    pub length: u64,
    /// Since it was issued.
    pub seconds: f64,
}

/// What a trial is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    Waiting,
    Ramp,
    Running,
    Verifying,
    Flushing,
    Finishing,
}

/// What is told of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleUnit {
    MbPerSecond,
    Milliseconds,
}

/// A row of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedRow {
    pub name: String,
    pub direction: String,
}
