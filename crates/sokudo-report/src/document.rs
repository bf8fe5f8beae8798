//! The JSON document of a run, `sokudo.run/1`: everything that happened with
//! every figure computed, readable by people and by programs without sokudo.
//!
//! It is also what all other formats are written from. It holds the run itself, of which figures
//! are computed again whenever one is read. It does not judge and does not compare.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use sokudo_model::sharing::disk_of;
use sokudo_model::{Origin, Run, TargetInfo};

use crate::unique::grouped;
use crate::{date, json_layout};

mod figures;
mod hosts;
mod identified;
mod imported;
mod inside;
mod kept;
mod reading;
mod reported;
mod result;
mod sample;
mod surface;
mod trial;
mod view;

use crate::wording::minutes;
pub use figures::{BandwidthFigures, LatencyFigures, Percentiles, RateFigures};
pub use hosts::{
    HostDocument, HostRowDocument, HostTrialDocument, TogetherDocument, TrialTogetherDocument,
};
pub use kept::{PackError, SummaryReader, UnpackError, pack, summary, unpack};
pub(crate) use reading::is_readable;
pub use reading::{JSON_BYTES_MAX, ReadDocumentError, names_schema};
pub use reported::ReportedDocument;
pub use result::sparse;
pub use result::{Direction, ResultDocument, ShareDocument, Status};
pub use sample::{DefectDocument, SampleDocument};
pub use surface::{AccessTimes, DistanceTimes, SampleRates, SurfaceFigures};
pub(crate) use trial::INTERVAL_NS_MIN;
pub use trial::{DeviceDocument, FailureDocument, FailureWay, TrialDocument};
pub use view::{RunView, RunViews, ViewKind, hand_over};

/// A run as JSON: `sokudo.run/1`. It is the run as it happened, and the figures computed of it,
/// which whoever reads the run can compute again. Missing figures are null, never 0; numbers are
/// in the unit that their name ends with, nanoseconds and bytes where it has none; 1 MB is
/// 1,000,000 bytes and 1 MiB is 1,048,576 bytes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "sokudo.run/1")]
pub struct RunDocument {
    /// Name and version of this format: `sokudo.run/1`.
    #[schemars(extend("const" = "sokudo.run/1"))]
    pub schema: &'static str,
    /// Hash of all that makes two runs comparable: what was done and how, not
    /// names, seeds, dates or the number of trials.
    pub fingerprint: String,
    /// What the fingerprint is made of, in words for people.
    pub fingerprint_parts: BTreeMap<String, String>,
    /// The figures of each row, in the order of `rows`.
    #[serde(rename = "figures")]
    pub results: Vec<ResultDocument>,
    /// What methods make of the run as a whole: each kind at most once, and only what was measured.
    pub views: RunViews,
    /// Run as it was measured and is kept.
    #[serde(flatten)]
    pub run: Run,
}

impl Deref for RunDocument {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run
    }
}

impl DerefMut for RunDocument {
    fn deref_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}

/// Of the run alone: the figures are computed again.
impl<'de> Deserialize<'de> for RunDocument {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let run = reading::checked(Run::deserialize(from)?).map_err(D::Error::custom)?;
        Ok(Self::new(run))
    }
}

impl RunDocument {
    /// Several disks with what rows call them; empty of one.
    pub(crate) fn several_disks(&self) -> Vec<(&str, &TargetInfo)> {
        let of_rows = self.results.iter().filter_map(|it| {
            let target = *it.workload.targets().first()?;
            Some((disk_of(&it.name)?, self.targets.get(target)?))
        });
        // Of a disk and what lies beside it the first row is its own.
        let disks = grouped(of_rows).into_iter();
        let disks: Vec<_> = disks.map(|(label, all)| (label, all[0])).collect();
        if disks.len() > 1 { disks } else { Vec::new() }
    }

    /// The time over which its trials were spread, where they all were.
    pub fn spread(&self) -> Option<sokudo_words::Text> {
        let over = self.schedule.spread_over.filter(|_| !self.interrupted)?;
        Some(minutes(over))
    }

    /// Computes every figure of a run that is needed elsewhere, too. Of what single methods make of a
    /// run, only what was handed over to this process ([`hand_over`]; all of it by
    /// `sokudo_methods::commands::hand_over`): without that there are no views of methods, and nothing
    /// says so.
    pub fn from_run(run: &Run) -> Self {
        Self::new(reading::without_long_logs(run).into_owned())
    }

    /// Computes every figure of a run.
    pub fn new(run: Run) -> Self {
        let results = ResultDocument::of_rows(&run);
        let mut document = Self {
            views: RunViews::of(&run, &results),
            ..Self::of_results(run, results)
        };
        document.identify();
        document
    }

    /// A run with figures of its rows and no others.
    fn of_results(run: Run, results: Vec<ResultDocument>) -> Self {
        Self {
            schema: reading::SCHEMA,
            fingerprint: String::new(),
            fingerprint_parts: BTreeMap::new(),
            results,
            views: RunViews::default(),
            run,
        }
    }

    /// Start, RFC 3339 in UTC; empty where another tool did not tell.
    pub fn began(&self) -> String {
        self.started_at.map_or_else(String::new, date::rfc3339)
    }

    /// Who measured, where sokudo has only read the figures of another tool.
    pub fn origin(&self) -> Option<&Origin> {
        self.provenance.origin()
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
        reading::run_of_document(text).map(Self::new)
    }

    /// The results as people look for them: reads, then writes, then mixes, and
    /// within each as the run has them.
    pub fn results_by_direction(&self) -> Vec<&ResultDocument> {
        let mut results: Vec<_> = self.results.iter().collect();
        results.sort_by_key(|result| result.direction);
        results
    }

    /// What each host did, where several measured together.
    pub fn together(&self) -> Option<&TogetherDocument> {
        self.views.get()
    }

    /// The result at this place in the plan's order.
    pub fn result_at(&self, index: u32) -> Option<&ResultDocument> {
        self.results.get(usize::try_from(index).ok()?)
    }
}

#[cfg(test)]
mod tests;
