//! Columns of values that go on below where they do not fit.

use sokudo_model::{Nanos, RoundFigure};

use crate::layout::{Column, table_lines, table_width};
use crate::number;
use crate::style::TableStyle;

/// A table; if it is too wide, its columns go on below.
pub(super) fn fitting(
    first: Column,
    columns: impl Iterator<Item = Column>,
    style: &TableStyle,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut shown = vec![first.clone()];
    for column in columns {
        shown.push(column.clone());
        if shown.len() > 2 && table_width(&shown) > style.width {
            shown.pop();
            lines.extend(printed(&shown, style));
            lines.push(String::new());
            shown = vec![first.clone(), column];
        }
    }
    lines.extend(printed(&shown, style));
    lines
}

fn printed(columns: &[Column], style: &TableStyle) -> Vec<String> {
    // No column has a group, so that the line for these is empty.
    let mut lines = table_lines(columns, style.rule()).split_off(1);
    lines.insert(1, style.rule().to_string().repeat(table_width(columns)));
    lines
}

/// A value with the digits that it deserves.
pub(super) fn shown(value: Option<f64>, figure: RoundFigure, style: &TableStyle) -> String {
    let Some(value) = value else {
        return number::MISSING.to_owned();
    };
    match figure {
        RoundFigure::Iops => number::rate(value),
        RoundFigure::BytesPerSecond => number::rate(value / style.unit.bytes()),
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
