//! Latencies in text: one line of figures, and the table of percentiles.

use sokudo_stats::Histogram;

use crate::fio::output::bins::Bins;
use crate::fio::output::number::{UnitSuffix, scaled};
use crate::fio::output::spread::Spread;

/// fio fills lines of so many characters, less its indentation.
const TABLE_WIDTH: usize = 80 - 7;

/// `clat (usec): min=2, max=127, avg= 3.97, stdev= 2.54`, in the largest unit in which
/// the least of them is not lost.
pub(super) fn add_latency(lines: &mut Vec<String>, kind: &str, latency: &Histogram) {
    let spread = Spread::of_histogram(latency);
    let deviation = spread.deviation();
    let (unit, divisor) = match () {
        () if spread.min > 2_000_000 && spread.max > 99_999_999 && deviation > 1e6 => {
            ("msec", 1_000_000)
        }
        () if spread.min > 2_000 && spread.max > 99_999 && deviation > 1e3 => ("usec", 1_000),
        () => ("nsec", 1u32),
    };
    let whole = |value: u64| scaled(value / u64::from(divisor), 6, false, UnitSuffix::None);
    let float = |value: f64| value / f64::from(divisor);
    lines.push(format!(
        "    {kind} ({unit}): min={}, max={}, avg={:5.2}, stdev={:5.2}",
        whole(spread.min),
        whole(spread.max),
        float(spread.mean),
        float(deviation)
    ));
}

/// The table of percentiles.
pub(super) fn add_percentiles(
    lines: &mut Vec<String>,
    kind: &str,
    latency: &Histogram,
    percentages: &[f64],
) {
    let values = Bins::of(latency).percentiles(percentages);
    let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) else {
        return;
    };
    let (unit, steps) = match (*least, *most) {
        (2_000_001.., 100_000_000..) => ("msec", 2),
        (2_001.., 100_000..) => ("usec", 1),
        _ => ("nsec", 0),
    };
    let scale = 1000u64.pow(steps);
    let width = (most / scale).to_string().len().max(5);
    let decimals = precision(percentages);
    let per_line = (TABLE_WIDTH / (decimals + 10 + width)).max(1);
    lines.push(format!("    {kind} percentiles ({unit}):"));
    let cells: Vec<String> = percentages
        .iter()
        .zip(&values)
        .map(|(percentage, value)| {
            // fio rounds up once per step.
            let value = (0..steps).fold(*value, |value, _| value.div_ceil(1000));
            let wide = decimals + 3;
            format!(" {percentage:wide$.decimals$}th=[{value:width$}]")
        })
        .collect();
    let table: Vec<String> = cells
        .chunks(per_line)
        .map(|cells| cells.join(","))
        .collect();
    lines.push(format!("     |{}", table.join(",\n     |")));
}

/// Decimals that the percentages need; fio prints all with as many.
fn precision(percentages: &[f64]) -> usize {
    let decimals = |percentage: &f64| {
        let text = percentage.to_string();
        text.split_once('.')
            .map_or(0, |(_, decimals)| decimals.len())
    };
    percentages.iter().map(decimals).max().unwrap_or(0)
}
