//! The columns of the table: which figures there are, and which of them fit.

use crate::document::{LatencyFigures, RateFigures, ResultDocument, RunDocument};
use crate::facts::{QUICK, SWEEP};
use crate::grouping::said_name;
use crate::layout::{Align, Column, table_width};
use crate::number;
use crate::shortfall::verdict_cell;
use crate::style::{BandwidthUnit, TableStyle};

/// Signs of a bar at full length.
const BAR_WIDTH: usize = 16;

/// Eighths of a sign, from one to seven.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// What stands over latencies: there are two of them at a fixed rate.
const LATENCY: &str = "latency";
const SERVICE: &str = "service";
const INTENDED: &str = "intended";

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
    /// From the start that a fixed rate intended.
    IntendedP50,
    IntendedP99,
    IntendedP99_9,
    /// The median as a length.
    Bar,
}

/// In the order in which they are shown.
const FIGURES: [Figure; 16] = [
    Figure::Bar,
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
    Figure::IntendedP50,
    Figure::IntendedP99,
    Figure::IntendedP99_9,
];

/// Figures are left out in this order until the table fits.
const DROP_ORDER: [Figure; 16] = [
    Figure::P99_9,
    Figure::Range,
    Figure::IntendedP99_9,
    Figure::Iops,
    Figure::IntendedP50,
    Figure::P99,
    Figure::Best,
    Figure::P50,
    Figure::Bar,
    Figure::Stdev,
    Figure::Mean,
    Figure::Spread,
    Figure::Width,
    Figure::Mebibytes,
    Figure::Trimmed,
    Figure::IntendedP99,
];

/// As [`DROP_ORDER`], for runs at a fixed rate: there the rate was chosen, and latencies
/// are what was measured.
const DROP_ORDER_AT_RATES: [Figure; 16] = [
    Figure::Range,
    Figure::P99_9,
    Figure::IntendedP99_9,
    Figure::Spread,
    Figure::P50,
    Figure::IntendedP50,
    Figure::Best,
    Figure::Iops,
    Figure::Bar,
    Figure::Stdev,
    Figure::Mean,
    Figure::Width,
    Figure::Mebibytes,
    Figure::Trimmed,
    Figure::P99,
    Figure::IntendedP99,
];

/// All columns that fit into the width, in the order in which they are shown.
pub(super) fn fitting(
    document: &RunDocument,
    results: &[&ResultDocument],
    style: &TableStyle,
) -> Vec<Column> {
    let mut shown: Vec<Figure> = FIGURES
        .into_iter()
        .filter(|figure| is_offered(*figure, document, style.unit))
        .collect();
    let mut columns = columns(document, results, style, &shown);
    let order = match is_at_rates(document) {
        true => DROP_ORDER_AT_RATES,
        false => DROP_ORDER,
    };
    for figure in order {
        if table_width(&columns) <= style.width {
            break;
        }
        shown.retain(|kept| *kept != figure);
        columns = self::columns(document, results, style, &shown);
    }
    columns
}

/// Whether any row has latencies from an intended start.
pub(super) fn is_at_rates(document: &RunDocument) -> bool {
    let mut results = document.results.iter();
    results.any(|result| result.latency_from_intended_ns.is_some())
}

/// Some figures are there only for those who asked for them.
fn is_offered(figure: Figure, document: &RunDocument, unit: BandwidthUnit) -> bool {
    let is_trimmed = document.schedule.trim > 0;
    match figure {
        Figure::Best => document.schedule.name == "crystal",
        Figure::Mebibytes => document.method == QUICK,
        Figure::Iops => unit != BandwidthUnit::IosPerSecond,
        Figure::Trimmed | Figure::Mean | Figure::Stdev | Figure::Width => is_trimmed,
        // R says the same.
        Figure::Range => !is_trimmed,
        Figure::Bar => document.method == SWEEP,
        Figure::IntendedP50 | Figure::IntendedP99 | Figure::IntendedP99_9 => is_at_rates(document),
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
            group: style.group(group),
            title: style.text(title),
            align,
            cells: cells.collect(),
        }
    };
    let name = |result: &&ResultDocument| {
        let name = said_name(&result.name, style.language());
        style.name(name)
    };
    let names = Column {
        group: "",
        title: style.text("Row"),
        align: Align::Left,
        cells: results.iter().map(name).collect(),
    };
    // Another tool's figure is what its `Figures` say: a mean, the best, or of one run.
    let figure = match document.origin {
        Some(_) => "as reported",
        None => "median",
    };
    let mut columns = vec![
        names,
        column("", "", Align::Left, &|r| r.direction_label()),
        column(style.unit.name(), figure, Align::Point, &|r| {
            bandwidth(r, style, |b| scaled(b.median))
        }),
    ];
    let most = largest_median(results, style);
    for figure in shown {
        let (mut group, title, align) = figure.heading(style);
        if group == LATENCY && is_at_rates(document) {
            group = SERVICE;
        }
        columns.push(column(group, title, align, &|r| match figure {
            Figure::Bar => bar(r, most, style),
            _ => figure.cell(r, style),
        }));
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
            Self::P50 => (LATENCY, "p50", Align::Right),
            Self::P99 => (LATENCY, "p99", Align::Right),
            Self::P99_9 => (LATENCY, "p99.9", Align::Right),
            Self::IntendedP50 => (INTENDED, "p50", Align::Right),
            Self::IntendedP99 => (INTENDED, "p99", Align::Right),
            Self::IntendedP99_9 => (INTENDED, "p99.9", Align::Right),
            Self::Bar => (unit, "", Align::Left),
        }
    }

    fn cell(self, result: &ResultDocument, style: &TableStyle) -> String {
        let unit = style.unit.bytes();
        let rate = |pick: &dyn Fn(&RateFigures) -> Option<f64>| {
            bandwidth(result, style, |figures| {
                pick(figures).map_or_else(missing, |value| number::rate(value / unit))
            })
        };
        match self {
            Self::Best => rate(&|figures| Some(figures.max)),
            Self::Trimmed => rate(&|figures| figures.trimmed_mean),
            Self::Mean => rate(&|figures| Some(figures.mean)),
            Self::Stdev => rate(&|figures| figures.stdev),
            Self::Width => rate(&|figures| (figures.trials.len() > 1).then_some(figures.range)),
            Self::Spread => spread(result, style),
            Self::Range => bandwidth(result, style, |figures| range(figures, unit)),
            Self::Mebibytes => result
                .bandwidth_bytes_per_s
                .as_ref()
                .map_or_else(missing, |bandwidth| {
                    number::rate(bandwidth.median_mib_per_s)
                }),
            Self::Iops => result
                .iops
                .as_ref()
                .map_or_else(missing, |iops| number::rate(iops.median)),
            Self::P50 => latency(result, |figures| figures.p50),
            Self::P99 => latency(result, |figures| figures.p99),
            Self::P99_9 => latency(result, |figures| figures.p99_9),
            Self::IntendedP50 => from_intended(result, |figures| figures.p50),
            Self::IntendedP99 => from_intended(result, |figures| figures.p99),
            Self::IntendedP99_9 => from_intended(result, |figures| figures.p99_9),
            // Its length depends on the other rows.
            Self::Bar => String::new(),
        }
    }
}

/// What the longest bar stands for.
fn largest_median(results: &[&ResultDocument], style: &TableStyle) -> f64 {
    let medians = results
        .iter()
        .filter_map(|result| Some(figures(result, style)?.median));
    medians.fold(0.0, f64::max)
}

/// The median as a length, in eighths of a sign where the terminal has them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a bar's width"
)]
fn bar(result: &ResultDocument, most: f64, style: &TableStyle) -> String {
    let Some(median) = figures(result, style).map(|figures| figures.median) else {
        return String::new();
    };
    let share = (median / most).clamp(0.0, 1.0);
    if style.ascii {
        return "#".repeat((share * BAR_WIDTH as f64).round() as usize);
    }
    let eighths = (share * 8.0 * BAR_WIDTH as f64).round() as usize;
    let rest = (eighths % 8).checked_sub(1).map(|index| EIGHTHS[index]);
    let mut bar = "█".repeat(eighths / 8);
    bar.extend(rest);
    bar
}

fn missing() -> String {
    number::MISSING.to_owned()
}

/// What is shown in the style's unit.
pub(super) fn figures<'a>(
    result: &'a ResultDocument,
    style: &TableStyle,
) -> Option<&'a RateFigures> {
    match style.unit {
        BandwidthUnit::IosPerSecond => result.iops.as_ref(),
        _ => result
            .bandwidth_bytes_per_s
            .as_ref()
            .map(|b| &b.bytes_per_s),
    }
}

fn bandwidth(
    result: &ResultDocument,
    style: &TableStyle,
    show: impl Fn(&RateFigures) -> String,
) -> String {
    figures(result, style).map_or_else(missing, show)
}

/// From the worst trial to the best; one trial has no range.
fn range(figures: &RateFigures, unit: f64) -> String {
    if figures.trials.len() < 2 {
        return missing();
    }
    number::rate_range(figures.min / unit, figures.max / unit)
}

fn spread(result: &ResultDocument, style: &TableStyle) -> String {
    bandwidth(result, style, |bandwidth| {
        let spread = bandwidth.spread(style.unit.bytes());
        spread.map_or_else(missing, |spread| spread.replace("± ", "±"))
    })
}

fn latency(result: &ResultDocument, pick: impl Fn(&LatencyFigures) -> Option<u64>) -> String {
    number::latency(result.latency_ns.as_ref().and_then(pick))
}

/// From the start that a fixed rate intended.
fn from_intended(result: &ResultDocument, pick: impl Fn(&LatencyFigures) -> Option<u64>) -> String {
    number::latency(result.latency_from_intended_ns.as_ref().and_then(pick))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_bar_is_as_long_as_its_share_of_the_longest() {
        let document = RunDocument::from_run(&sample::run());
        let result = &document.results[0];
        let style = TableStyle::default();
        let median = figures(result, &style).unwrap().median;
        assert_eq!(bar(result, median, &style), "█".repeat(BAR_WIDTH));
        let half = bar(result, median * 2.0, &style);
        assert_eq!(half, "█".repeat(BAR_WIDTH / 2));
        assert_eq!(bar(result, median * 128.0, &style), "▏");
        let ascii = TableStyle {
            ascii: true,
            ..style
        };
        assert_eq!(bar(result, median * 4.0, &ascii), "####");
    }

    #[test]
    fn a_trimmed_mean_stays_when_all_but_the_verdict_is_left_out() {
        let mut run = sample::run();
        run.schedule.trim = 1;
        let document = RunDocument::from_run(&run);
        let results: Vec<&ResultDocument> = document.results.iter().collect();
        let titles = |width| {
            let style = TableStyle {
                width,
                ..TableStyle::default()
            };
            let columns = fitting(&document, &results, &style);
            columns
                .into_iter()
                .map(|column| column.title)
                .collect::<Vec<_>>()
        };
        let wide = titles(200);
        for title in ["trimmed", "mean", "stdev", "R", "±95 %"] {
            assert!(wide.iter().any(|shown| shown == title), "{wide:?}");
        }
        assert!(!wide.contains(&"range".to_owned()), "{wide:?}");
        assert!(titles(55).contains(&"trimmed".to_owned()));
    }
}
