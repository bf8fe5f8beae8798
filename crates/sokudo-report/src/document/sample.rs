//! Places of a survey, one by one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Bytes, Defect, Nanos, SurveySample};
use sokudo_words::Text;

use super::trial::failure_words;
use crate::number::float;

/// What happened at one place of a survey.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleDocument {
    /// 1 for the first trial of the result.
    pub trial: u32,
    /// First byte of the place on the target.
    pub offset: u64,
    /// Bytes moved at the place.
    pub bytes: u64,
    /// I/Os completed there; null where another tool did not tell, as below.
    pub ios: Option<u64>,
    /// From the first I/O issued there to the last one completed; where I/Os of neighbours
    /// are in flight together, from the end of the place before.
    pub elapsed_ns: u64,
    /// The longest latency of an I/O there.
    pub latency_max_ns: Option<u64>,
    /// How far the end of the I/O before is from it; null for the first place, and where
    /// the way to it was not measured.
    pub distance: Option<u64>,
}

impl SampleDocument {
    pub(super) fn new(trial: u32, sample: &SurveySample) -> Self {
        Self {
            trial,
            offset: sample.offset.0,
            bytes: sample.bytes.0,
            ios: Some(sample.ios),
            elapsed_ns: sample.elapsed.0,
            latency_max_ns: Some(sample.latency_max.0),
            distance: sample.distance.map(|Bytes(distance)| distance),
        }
    }

    /// Bytes per second; `None` where nothing was moved.
    pub fn bytes_per_s(&self) -> Option<f64> {
        let seconds = Nanos(self.elapsed_ns).as_secs_f64();
        (self.bytes > 0 && seconds > 0.0).then(|| float(self.bytes) / seconds)
    }

    /// The same of all processes that measure side by side, each of them as fast as here.
    pub(crate) fn bytes_per_s_of_all(&self, processes: u32) -> Option<f64> {
        Some(self.bytes_per_s()? * f64::from(processes))
    }
}

/// A range in which every block failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DefectDocument {
    /// 1 for the first trial of the result.
    pub trial: u32,
    /// Operation that failed on every block.
    pub operation: sokudo_model::Operation,
    /// First byte of the range.
    pub offset: u64,
    /// Length of the range in bytes, whole logical blocks.
    pub length: u64,
    /// How its first block failed, in words.
    #[serde(with = "sokudo_model::sentences")]
    #[schemars(with = "String")]
    pub message: Text,
}

impl DefectDocument {
    pub(super) fn new(trial: u32, defect: &Defect) -> Self {
        Self {
            trial,
            operation: defect.operation,
            offset: defect.offset.0,
            length: defect.length.0,
            message: failure_words(defect.kind),
        }
    }
}
