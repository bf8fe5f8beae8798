//! Values of rounds as people read them.

use sokudo_model::RoundFigure;
use sokudo_report::number;
use sokudo_report::style::BandwidthUnit;

/// A value with the digits that it deserves.
pub(super) fn shown(value: Option<f64>, figure: RoundFigure, unit: BandwidthUnit) -> String {
    let Some(value) = value else {
        return number::MISSING.to_owned();
    };
    match figure {
        RoundFigure::Iops => number::rate(value),
        RoundFigure::BytesPerSecond => number::rate(value / unit.bytes()),
        RoundFigure::LatencyMeanNs => number::nanos(value).to_string(),
    }
}
