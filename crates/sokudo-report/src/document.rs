//! The JSON document of a run, `sokudo.run/1`: everything that happened with
//! every figure computed, readable by people and by programs without sokudo.
//!
//! It is also what all other formats are written from. It keeps the histograms,
//! the series and the raw trials, so that figures can be recomputed. It does not
//! judge and does not compare.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{
    BurnIn, Circumstances, DiskAssessment, Environment, Finding, Inference, Method, Nanos, Origin,
    Run, RunPart, Schedule, StopCause, TargetInfo,
};

use crate::{date, json_layout};

mod beside;
mod countable;
mod figures;
mod fill;
mod fit;
mod hosts;
mod identified;
mod imported;
mod inside;
mod kept;
mod layout;
mod load;
mod peak;
mod place;
mod rebuilt;
mod result;
mod sharing;
mod steady;
mod surface;
mod told;
mod trial;

use crate::wording::minutes;
pub use beside::{BesideDocument, BesideFigureDocument, BesideLatencyDocument, BesideRowDocument};
pub use figures::{BandwidthFigures, LatencyFigures, PercentileIntervals, RateFigures};
pub use fill::{
    FillCollapseDocument, FillDocument, FillLevelDocument, FillRecoveryDocument,
    ReadLatencyDocument,
};
pub use fit::{FitAnswer, FitDocument, FitFigure, FitStanding};
pub use hosts::{
    HostDocument, HostPointDocument, HostRowDocument, HostTrialDocument, TogetherDocument,
    TrialTogetherDocument,
};
pub use kept::{Kept, SummaryReader, UnpackError, is_document, pack, summary};
pub use layout::LayoutDocument;
pub use load::{KneeDocument, LimitDocument, LoadDocument, LoadStepDocument};
pub use peak::{PeakDocument, PeakStepDocument};
pub use place::{DefectDocument, PlaceDocument};
pub use result::{Direction, ResultDocument, ShareDocument, Status};
pub use sharing::{SharedRatesDocument, SharingDiskDocument, SharingDocument, SharingTestDocument};
pub use steady::{PhaseDocument, SteadyDocument, TrackedDocument, WindowFigures};
pub use surface::{AccessTimes, DistanceTimes, PlaceRates, SurfaceFigures};
pub use told::ToldDocument;
pub use trial::{DeviceDocument, FailureDocument, FailureWay, PointDocument, TrialDocument};

/// What documents of this kind begin their `schema` field with.
const SCHEMA_FAMILY: &str = "sokudo.run/";
/// The version that is written, and the newest that is read.
const SCHEMA_VERSION: u32 = 1;
const SCHEMA: &str = "sokudo.run/1";

/// Whether a text that begins so is likely a document of this kind.
pub fn names_schema(begin: &str) -> bool {
    begin.contains(&format!("\"{SCHEMA_FAMILY}"))
}

/// A run as JSON: `sokudo.run/1`. Missing figures are null, never 0; numbers are
/// in the unit that their name ends with; 1 MB is 1,000,000 bytes and 1 MiB is
/// 1,048,576 bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.run/1")]
pub struct RunDocument {
    /// Name and version of this format: `sokudo.run/1`.
    #[schemars(extend("const" = "sokudo.run/1"))]
    pub schema: String,
    /// Version of the program that measured, or that read what another has measured.
    pub sokudo_version: String,
    /// Who measured, where sokudo has only read the figures of another tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Start, RFC 3339 in UTC; empty where another tool did not tell.
    pub started_at: String,
    /// The method, such as `mark/default`.
    pub method: Method,
    /// What somebody calls the run, such as `ext4`; absent where nobody does. It is no part of
    /// the fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The command line that repeats the measurement.
    pub command: String,
    /// Hash of all that makes two runs comparable: what was done and how, not
    /// names, seeds, dates or the number of trials.
    pub fingerprint: String,
    /// What the fingerprint is made of, in words for people.
    pub fingerprint_parts: BTreeMap<String, String>,
    /// Where all chance in the run started from; may be above 2^53, so a reader
    /// that keeps numbers as floats should not write it back.
    pub seed: u64,
    /// How trials were repeated.
    pub schedule: Schedule,
    /// It was stopped before its end.
    pub interrupted: bool,
    /// When each of its parts was measured, where it was interrupted and resumed; missing where
    /// it was measured in one go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<RunPart>,
    /// The rule that ended it before its time (`--stop-when`); missing where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<Box<StopCause>>,
    /// What was measured.
    pub target: TargetInfo,
    /// How the test file was made; null where there was none to make.
    pub layout: Option<LayoutDocument>,
    /// Where it was measured.
    pub environment: Environment,
    /// What the system said around the run; missing where there is no real device.
    #[serde(default, skip_serializing_if = "Circumstances::is_unknown")]
    pub circumstances: Circumstances,
    /// What concerns the run as a whole.
    pub findings: Vec<Finding>,
    /// What the figures are consistent with, of the device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inferences: Vec<Inference>,
    /// Whether the disk under it is well, and as fast as it should be; absent where nothing can be
    /// expected of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_assessment: Option<Box<DiskAssessment>>,
    /// Latency against load; absent unless that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadDocument>,
    /// A workload alone and beside another one; absent unless that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<BesideDocument>,
    /// The most that the device gives, and what it takes; absent unless that was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<PeakDocument>,
    /// Levels of a drive while it was written from one end to the other; absent unless that was
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<FillDocument>,
    /// What each of several disks keeps of its rate when all are used at the same time; missing for
    /// a run that has not measured them both alone and together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharing: Option<SharingDocument>,
    /// What has come of each disk of a burn-in; absent of anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burn_in: Option<Box<BurnIn>>,
    /// Whether the device is fast enough for something; absent unless that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitDocument>,
    /// One entry per row, in the plan's order.
    pub results: Vec<ResultDocument>,
    /// Rounds until the drive was steady; absent for anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyDocument>,
    /// What each host did, where several measured together: the figures of the results are then
    /// those of all hosts in the time in which all of them ran. Absent where one measured alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Box<TogetherDocument>>,
}

impl RunDocument {
    /// The time over which its trials were spread, where they all were.
    pub(crate) fn spread(&self) -> Option<sokudo_words::Text> {
        let over = self.schedule.spread_over.filter(|_| !self.interrupted)?;
        Some(minutes(over))
    }

    /// Computes every figure of a run.
    pub fn from_run(run: &Run) -> Self {
        let mut document = Self {
            schema: SCHEMA.to_owned(),
            origin: run.provenance.origin().cloned(),
            layout: run.layout.map(LayoutDocument::of),
            sokudo_version: run.sokudo_version.clone(),
            started_at: run.started_at.map_or_else(String::new, date::rfc3339),
            method: run.plan.method.clone(),
            label: run.label.clone(),
            command: run.command.clone(),
            fingerprint: String::new(),
            fingerprint_parts: BTreeMap::new(),
            seed: run.plan.seed,
            schedule: Schedule {
                steady: None,
                latency_limit: None,
                fit: None,
                ..run.schedule.clone()
            },
            interrupted: run.interrupted,
            parts: run.parts.clone(),
            stopped_by: run.stopped_by.clone(),
            target: run.target.clone(),
            environment: run.environment.clone(),
            circumstances: run.circumstances.clone(),
            findings: run.findings.clone(),
            inferences: run.inferences.clone(),
            disk_assessment: run.disk_assessment.clone(),
            load: LoadDocument::of(run),
            beside: BesideDocument::of(run),
            peak: PeakDocument::of(run),
            fill: FillDocument::of(run),
            sharing: SharingDocument::of(run),
            burn_in: run.burn_in.clone(),
            fit: None,
            steady: SteadyDocument::of(run),
            results: run
                .rows
                .iter()
                .map(|row| {
                    let result = ResultDocument::from_row(row, &run.schedule);
                    match &row.reported {
                        Some(reported) => result.reported(reported),
                        None => result,
                    }
                })
                .collect(),
            together: TogetherDocument::of(run),
        };
        document.fit = FitDocument::of(run, &document.results);
        document.identify_made(&run.plan);
        document
    }

    /// Start, in nanoseconds since 1970-01-01T00:00:00Z; `None` where the text is no date.
    pub fn started_at(&self) -> Option<Nanos> {
        date::from_rfc3339(&self.started_at)
    }

    /// The document as text that ends with a line feed. Reading it gives a
    /// document whose text is the same to the byte.
    pub fn to_json(&self) -> String {
        json_layout::written(self)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// When the text is not JSON, is not a run of sokudo, is of a newer version
    /// than this program knows, or does not follow its schema.
    pub fn from_json(text: &str) -> Result<Self, ReadDocumentError> {
        if !is_bounded(text) {
            return Err(ReadDocumentError::TooLarge);
        }
        let header: DocumentHeader =
            serde_json::from_str(text).map_err(ReadDocumentError::of_header)?;
        check_schema(header.schema)?;
        let mut document: Self =
            serde_json::from_str(text).map_err(ReadDocumentError::Malformed)?;
        if !document.is_countable() {
            return Err(ReadDocumentError::Uncountable);
        }
        document.identify();
        Ok(document)
    }

    /// The results as people look for them: reads, then writes, then mixes, and
    /// within each as the run has them.
    pub(crate) fn results_by_direction(&self) -> Vec<&ResultDocument> {
        let mut results: Vec<_> = self.results.iter().collect();
        results.sort_by_key(|result| result.direction);
        results
    }

    /// Whether the run was made to explain its device. Its rows are probes: it is the
    /// conclusions that are shown.
    pub(crate) fn is_explanation(&self) -> bool {
        self.method == Method::Explain
    }

    /// The result at this place in the plan's order.
    pub(crate) fn result_at(&self, place: u32) -> Option<&ResultDocument> {
        self.results.get(usize::try_from(place).ok()?)
    }
}

/// Bytes of a document as JSON: the million points that a scan may have are 210 MB.
pub const JSON_BYTES_MAX: u64 = 256 << 20;

/// Values of a document: each takes memory of its own, of which two bytes of a hostile text
/// would take thirty. A scan of a million points has ten million.
const VALUES_MAX: usize = 16_000_000;

/// Whether a text is no more than a document may be. Between two values stands a comma.
pub(crate) fn is_bounded(text: &str) -> bool {
    let commas = text.bytes().filter(|byte| *byte == b',').count();
    text.len() as u64 <= JSON_BYTES_MAX && commas < VALUES_MAX
}

/// Why a document cannot be read, to be read after its name.
#[derive(Debug, sokudo_words::Error)]
pub enum ReadDocumentError {
    /// The text is no JSON at all, or was cut off.
    #[error("is not valid JSON: {0}; give a file that `sokudo mark --format json` has written")]
    NotJson(serde_json::Error),
    /// It is JSON of something else.
    #[error(
        "is not a run of sokudo: {found}; give a file that `sokudo mark --format json` has written"
    )]
    OtherSchema {
        /// What is there instead.
        found: String,
    },
    /// It was written by a later version.
    #[error(
        "is {found}, which comes from a newer sokudo; this one reads up to {SCHEMA}, so update it"
    )]
    NewerSchema {
        /// The schema that the document names.
        found: String,
    },
    /// It holds more than any run.
    #[error(
        "holds more than any run of sokudo ({} MiB or {VALUES_MAX} values), so that it is none",
        JSON_BYTES_MAX >> 20
    )]
    TooLarge,
    /// Its counts cannot be added up.
    #[error(
        "counts more bytes, I/Os or time than any run does; it was changed, so use the original"
    )]
    Uncountable,
    /// It names the right schema but does not follow it.
    #[error(
        "says {SCHEMA} but does not follow it: {0}; it was changed or cut off, so use the original"
    )]
    Malformed(serde_json::Error),
}

impl ReadDocumentError {
    fn of_header(error: serde_json::Error) -> Self {
        if error.is_data() {
            Self::OtherSchema {
                found: "there is no JSON object with a \"schema\" text".to_owned(),
            }
        } else {
            Self::NotJson(error)
        }
    }
}

/// What is looked at first, because all else depends on it.
#[derive(Deserialize)]
struct DocumentHeader {
    schema: String,
}

/// Whether what is called so can be read.
fn check_schema(found: String) -> Result<(), ReadDocumentError> {
    let version = found.strip_prefix(SCHEMA_FAMILY);
    match version.and_then(|version| version.parse().ok()) {
        Some(SCHEMA_VERSION) => Ok(()),
        Some(version) if version > SCHEMA_VERSION => Err(ReadDocumentError::NewerSchema { found }),
        _ => Err(ReadDocumentError::OtherSchema {
            found: format!("its schema is {found:?}"),
        }),
    }
}

#[cfg(test)]
mod tests;
