//! Which rate of a row is shown or compared, and what it is of a result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{RateFigures, ResultDocument};
use crate::style::BandwidthUnit;

/// Which rate of a row is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Bytes per second; of rows that only handle files, files per second.
    Bandwidth,
    /// Reads and writes per second; files per second likewise.
    Iops,
}

impl BandwidthUnit {
    /// What of a row is compared where this is shown of it.
    pub const fn figure(self) -> Figure {
        match self {
            Self::IosPerSecond => Figure::Iops,
            _ => Figure::Bandwidth,
        }
    }
}

/// What is compared of a result: files per second where it handles only files, and else
/// what was asked for.
pub fn rates(result: &ResultDocument, figure: Figure) -> Option<&RateFigures> {
    let bandwidth = result.bandwidth_bytes_per_s.as_ref();
    match (&result.files_per_s, figure) {
        (Some(files), _) => Some(files),
        (None, Figure::Iops) => result.iops.as_ref(),
        (None, Figure::Bandwidth) => bandwidth.map(|bandwidth| &bandwidth.bytes_per_s),
    }
}

/// What is shown in a unit.
pub fn figures_in(result: &ResultDocument, unit: BandwidthUnit) -> Option<&RateFigures> {
    match unit {
        BandwidthUnit::IosPerSecond => result.iops.as_ref(),
        _ => result
            .bandwidth_bytes_per_s
            .as_ref()
            .map(|b| &b.bytes_per_s),
    }
}
