//! The columns of the table: which figures there are, and which of them fit.

use super::TableStyle;
use crate::document::{LatencyFigures, RateFigures, ResultDocument, RunDocument};
use crate::facts::QUICK;
use crate::layout::{Align, Column, table_width};
use crate::number;
use crate::shortfall::verdict_cell;

const BYTES_PER_MIB: f64 = 1_048_576.0;

/// A column that a narrow table can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Best,
    Mebibytes,
    Trimmed,
    Mean,
    Stdev,
    /// Largest minus smallest trial (R).
    Width,
    Spread,
    Range,
    Iops,
    P50,
    P99,
    P99_9,
}

/// In the order in which they are shown.
const FIGURES: [Figure; 12] = [
    Figure::Best,
    Figure::Trimmed,
    Figure::Mean,
    Figure::Stdev,
    Figure::Width,
    Figure::Spread,
    Figure::Range,
    Figure::Mebibytes,
    Figure::Iops,
    Figure::P50,
    Figure::P99,
    Figure::P99_9,
];

/// Figures are left out in this order until the table fits.
const DROP_ORDER: [Figure; 12] = [
    Figure::P99_9,
    Figure::Range,
    Figure::Iops,
    Figure::P99,
    Figure::Best,
    Figure::P50,
    Figure::Stdev,
    Figure::Mean,
    Figure::Spread,
    Figure::Width,
    Figure::Mebibytes,
    Figure::Trimmed,
];

/// All columns that fit into the width, in the order in which they are shown.
pub(super) fn fitting(
    document: &RunDocument,
    results: &[&ResultDocument],
    style: &TableStyle,
) -> Vec<Column> {
    let mut shown: Vec<Figure> = FIGURES
        .into_iter()
        .filter(|figure| is_offered(*figure, document))
        .collect();
    let mut columns = columns(document, results, style, &shown);
    for figure in DROP_ORDER {
        if table_width(&columns) <= style.width {
            break;
        }
        shown.retain(|kept| *kept != figure);
        columns = self::columns(document, results, style, &shown);
    }
    columns
}

/// Some figures are there only for those who asked for them.
fn is_offered(figure: Figure, document: &RunDocument) -> bool {
    let is_trimmed = document.schedule.trim > 0;
    match figure {
        Figure::Best => document.schedule.name == "crystal",
        Figure::Mebibytes => document.method == QUICK,
        Figure::Trimmed | Figure::Mean | Figure::Stdev | Figure::Width => is_trimmed,
        // R says the same.
        Figure::Range => !is_trimmed,
        _ => true,
    }
}

fn columns(
    document: &RunDocument,
    results: &[&ResultDocument],
    style: &TableStyle,
    shown: &[Figure],
) -> Vec<Column> {
    let scaled = |value: f64| number::rate(value / style.unit.bytes());
    let column = |group, title: &str, align, cell: Cell<'_>| {
        let cells = results.iter().map(|result| style.text(&cell(result)));
        Column {
            group,
            title: style.text(title),
            align,
            cells: cells.collect(),
        }
    };
    let mut columns = vec![
        column("", "Row", Align::Left, &|r| r.name.clone()),
        column("", "", Align::Left, &|r| r.direction_label()),
        column(style.unit.name(), "median", Align::Point, &|r| {
            bandwidth(r, |b| scaled(b.median))
        }),
    ];
    for figure in shown {
        let (group, title, align) = figure.heading(style);
        columns.push(column(group, title, align, &|r| figure.cell(r, style)));
    }
    columns.push(column("", "Verdict", Align::Left, &|r| {
        verdict_cell(r, document.schedule.trials)
    }));
    columns
}

type Cell<'a> = &'a dyn Fn(&ResultDocument) -> String;

impl Figure {
    /// Group, title and alignment.
    const fn heading(self, style: &TableStyle) -> (&'static str, &'static str, Align) {
        let unit = style.unit.name();
        match self {
            Self::Best => (unit, "best", Align::Point),
            Self::Trimmed => (unit, "trimmed", Align::Point),
            Self::Mean => (unit, "mean", Align::Point),
            Self::Stdev => (unit, "stdev", Align::Point),
            Self::Width => (unit, "R", Align::Point),
            Self::Spread => (unit, "±95 %", Align::Right),
            Self::Range => (unit, "range", Align::Right),
            Self::Mebibytes => ("MiB/s", "median", Align::Point),
            Self::Iops => ("", "IOPS", Align::Point),
            Self::P50 => ("latency", "p50", Align::Right),
            Self::P99 => ("latency", "p99", Align::Right),
            Self::P99_9 => ("latency", "p99.9", Align::Right),
        }
    }

    fn cell(self, result: &ResultDocument, style: &TableStyle) -> String {
        let unit = style.unit.bytes();
        let rate = |pick: &dyn Fn(&RateFigures) -> Option<f64>| {
            bandwidth(result, |figures| {
                pick(figures).map_or_else(missing, |value| number::rate(value / unit))
            })
        };
        match self {
            Self::Best => rate(&|figures| Some(figures.max)),
            Self::Trimmed => rate(&|figures| figures.trimmed_mean),
            Self::Mean => rate(&|figures| Some(figures.mean)),
            Self::Stdev => rate(&|figures| figures.stdev),
            Self::Width => rate(&|figures| (figures.trials.len() > 1).then_some(figures.range)),
            Self::Spread => spread(result),
            Self::Range => bandwidth(result, |figures| range(figures, unit)),
            Self::Mebibytes => bandwidth(result, |b| number::rate(b.median / BYTES_PER_MIB)),
            Self::Iops => result
                .iops
                .as_ref()
                .map_or_else(missing, |iops| number::rate(iops.median)),
            Self::P50 => latency(result, |figures| figures.p50),
            Self::P99 => latency(result, |figures| figures.p99),
            Self::P99_9 => latency(result, |figures| figures.p99_9),
        }
    }
}

fn missing() -> String {
    number::MISSING.to_owned()
}

fn bandwidth(result: &ResultDocument, show: impl Fn(&RateFigures) -> String) -> String {
    result
        .bandwidth_bytes_per_s
        .as_ref()
        .map_or_else(missing, |bandwidth| show(&bandwidth.bytes_per_s))
}

/// From the worst trial to the best; one trial has no range.
fn range(figures: &RateFigures, unit: f64) -> String {
    if figures.trials.len() < 2 {
        return missing();
    }
    number::rate_range(figures.min / unit, figures.max / unit)
}

fn spread(result: &ResultDocument) -> String {
    bandwidth(result, |bandwidth| {
        bandwidth
            .relative_spread()
            .map_or_else(missing, |spread| format!("±{}", number::percent(spread)))
    })
}

fn latency(result: &ResultDocument, pick: impl Fn(&LatencyFigures) -> Option<u64>) -> String {
    number::latency(result.latency_ns.as_ref().and_then(pick))
}
