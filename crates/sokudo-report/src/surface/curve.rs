//! A transfer curve in a few lines of text.

use sokudo_model::{Bytes, narrow};
use sokudo_words::text;

use crate::document::{ResultDocument, SampleDocument};
use crate::number::{self, to_usize, whole};
use crate::style::TableStyle;
use crate::wording::{phrase, row_alone};

/// Lines of the picture.
const HEIGHT: usize = 4;
/// Steps per line: the eighths of a block that there are signs for.
const STEPS: usize = 8;
const SIGNS: [char; STEPS + 1] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The same for terminals that know ASCII only.
const ASCII_SIGNS: [char; STEPS + 1] = [' ', '.', '.', ':', ':', '|', '|', '#', '#'];
/// Columns beyond which a curve of a few lines shows nothing more.
const WIDTH_MAX: usize = 100;

/// The picture, where a row has enough places for one.
pub(crate) fn lines(result: &ResultDocument, style: &TableStyle) -> Option<Vec<String>> {
    let surface = result.surface.as_ref()?;
    let max = surface.rate_bytes_per_s.as_ref()?.max;
    if surface.sample_count < 2 || max <= 0.0 {
        return None;
    }
    let top = number::rate(max / style.unit.bytes());
    let margin = top.chars().count() + 1;
    let width = style.width.min(WIDTH_MAX).saturating_sub(margin).max(10);
    let (start, end) = extent(&result.samples)?;
    // The highest is of all processes, and each place of one.
    let of_one = max / f64::from(result.workload.threads.max(1));
    let heights = heights(&result.samples, (start, end), width, of_one);
    let title = text!(
        "{} {}, {} over position",
        row_alone(&result.name),
        phrase(&result.direction_label()),
        style.unit.name()
    );
    let mut lines = vec![style.text(&title)];
    for line in (0..HEIGHT).rev() {
        let label = if line == HEIGHT - 1 { &top } else { "" };
        let signs: String = heights
            .iter()
            .map(|height| sign(*height, line, style.ascii))
            .collect();
        lines.push(
            format!("{label:>0$} {signs}", margin - 1)
                .trim_end()
                .to_owned(),
        );
    }
    let (left, right) = (position(start), position(end));
    let gap = width.saturating_sub(left.chars().count());
    lines.push(format!("{:margin$}{left}{right:>gap$}", ""));
    Some(lines)
}

/// First byte and last end of all places.
fn extent(samples: &[SampleDocument]) -> Option<(u64, u64)> {
    let start = samples.iter().map(|sample| sample.offset).min()?;
    let end = samples
        .iter()
        // A damaged document may tell of places beyond any end.
        .map(|sample| sample.offset.saturating_add(sample.bytes))
        .max()?;
    Some((start, end))
}

/// Height of each column in steps; a column without a place takes that of the one before,
/// and one whose places all failed is empty.
fn heights(samples: &[SampleDocument], extent: (u64, u64), width: usize, max: f64) -> Vec<usize> {
    let mut sums = vec![(0.0, 0u32); width];
    let length = u128::from((extent.1 - extent.0).max(1));
    for sample in samples {
        let column = u128::from(sample.offset - extent.0) * width as u128 / length;
        let column: usize = narrow(column.min(width as u128 - 1));
        sums[column].0 += sample.bytes_per_s().unwrap_or(0.0);
        sums[column].1 += 1;
    }
    let mut before = 0;
    let height = |(sum, count): &(f64, u32)| {
        if *count > 0 {
            let share = sum / f64::from(*count) / max;
            before = to_usize((share * whole(HEIGHT * STEPS)).round());
        }
        before
    };
    sums.iter().map(height).collect()
}

fn sign(height: usize, line: usize, ascii: bool) -> char {
    let step = height.saturating_sub(line * STEPS).min(STEPS);
    if ascii {
        ASCII_SIGNS[step]
    } else {
        SIGNS[step]
    }
}

/// A place on a drive, as drives are sold.
pub(super) fn position(bytes: u64) -> String {
    number::decimal_size(Bytes(bytes), 3)
}
