//! Values of rounds as people read them.

use sokudo_model::{Nanos, RoundFigure};

use crate::number;
use crate::style::BandwidthUnit;

/// A value with the digits that it deserves.
pub(super) fn shown(value: Option<f64>, figure: RoundFigure, unit: BandwidthUnit) -> String {
    let Some(value) = value else {
        return number::MISSING.to_owned();
    };
    match figure {
        RoundFigure::Iops => number::rate(value),
        RoundFigure::BytesPerSecond => number::rate(value / unit.bytes()),
        RoundFigure::LatencyMeanNs => Nanos(whole(value)).to_string(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "latencies are far below 2^53 ns and above 0"
)]
pub(super) fn whole(nanos: f64) -> u64 {
    nanos.round() as u64
}
