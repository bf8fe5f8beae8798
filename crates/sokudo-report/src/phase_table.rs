//! The figures of Bonnie++'s phases for people: MB/s where bytes count, files or seeks
//! per second where those do, and what it took of the processor.

use crate::document::{RateFigures, ResultDocument, RunDocument};
use crate::layout::{Align, Column, table_lines, table_width};
use crate::number;
use crate::phase::Phase;
use crate::shortfall::{trials_made, verdict_cell};
use crate::style::{BandwidthUnit, TableStyle, coloured};

/// Figures are left out in this order until the table fits.
const DROP_ORDER: [Figure; 3] = [Figure::P50, Figure::P99, Figure::Spread];

/// A column that a narrow table can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Spread,
    P50,
    P99,
}

/// The table with its heading and what its figures are.
pub(crate) fn figure_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    let mut dropped = Vec::new();
    if document
        .results
        .iter()
        .all(|result| spread(result, style).is_none())
    {
        dropped.push(Figure::Spread);
    }
    let mut columns = columns(document, style, &dropped);
    for figure in DROP_ORDER {
        if table_width(&columns) <= style.width {
            break;
        }
        dropped.push(figure);
        columns = self::columns(document, style, &dropped);
    }
    let verdicts = columns.last().map_or(&[][..], |verdict| &verdict.cells);
    let table = table_lines(&columns, style.rule());
    let (titles, rows) = table.split_at(2);
    let mut lines = titles.to_vec();
    lines.push(style.rule().to_string().repeat(table_width(&columns)));
    let mut many_files = false;
    for ((result, row), verdict) in document.results.iter().zip(rows).zip(verdicts) {
        if result.workload.tree.is_some() && !many_files && lines.len() > titles.len() + 1 {
            lines.push(String::new());
        }
        many_files = result.workload.tree.is_some();
        lines.push(coloured(row, verdict, result, style));
    }
    lines.push(String::new());
    lines.extend(style.wrapped("", &legend(document, style)));
    lines
}

fn columns(document: &RunDocument, style: &TableStyle, dropped: &[Figure]) -> Vec<Column> {
    type Cell<'a> = &'a dyn Fn(&ResultDocument) -> Option<String>;
    let column = |group, title: &str, align, cell: Cell<'_>| Column {
        group: style.group(group),
        title: style.text(title),
        align,
        cells: document
            .results
            .iter()
            .map(|result| cell(result).unwrap_or_else(|| number::MISSING.to_owned()))
            .map(|cell| style.text(&cell))
            .collect(),
    };
    let latency = |title, pick: fn(&crate::document::LatencyFigures) -> Option<u64>| {
        column("latency", title, Align::Right, &|result| {
            let nanos = result.latency_ns.as_ref().and_then(pick)?;
            Some(number::latency(Some(nanos)))
        })
    };
    let figures = [
        (
            Figure::Spread,
            column("", "±95 %", Align::Right, &|result| {
                spread(result, style).map(|spread| spread.replace("± ", "±"))
            }),
        ),
        (Figure::P50, latency("p50", |l| l.p50)),
        (Figure::P99, latency("p99", |l| l.p99)),
    ];
    let unit = unit(style);
    let mut columns = vec![
        column("", "Phase", Align::Left, &|result| {
            Some(result.name.clone())
        }),
        column("", unit.name(), Align::Point, &|result| {
            bandwidth(result).map(|rate| number::rate(rate.median / unit.bytes()))
        }),
        column("", "per second", Align::Right, &|result| {
            let counted = Phase::of(&result.workload)?.counted()?;
            Some(format!(
                "{} {counted}",
                number::rate(counted_rate(result)?.median)
            ))
        }),
    ];
    let (spread, latencies) = figures.split_at(1);
    let kept = |figures: &[(Figure, Column)]| -> Vec<Column> {
        figures
            .iter()
            .filter(|(figure, _)| !dropped.contains(figure))
            .map(|(_, column)| column.clone())
            .collect()
    };
    columns.extend(kept(spread));
    columns.push(column("", "CPU", Align::Right, &|result| {
        result.cpu_share().map(number::percent)
    }));
    columns.extend(kept(latencies));
    columns.push(latency("max", |l| l.max));
    columns.push(column("", "Verdict", Align::Left, &|result| {
        Some(verdict_cell(result, document.schedule.trials))
    }));
    columns
}

/// In what bandwidths are shown; what counts has a column of its own.
const fn unit(style: &TableStyle) -> BandwidthUnit {
    match style.unit {
        BandwidthUnit::IosPerSecond => BandwidthUnit::MegabytesPerSecond,
        unit => unit,
    }
}

/// Bytes per second, where those are the phase's figure.
fn bandwidth(result: &ResultDocument) -> Option<&RateFigures> {
    let phase = Phase::of(&result.workload)?;
    if phase.counted().is_some() {
        return None;
    }
    let of_share = result
        .shares
        .as_ref()
        .and_then(|shares| shares.get(&phase.operation()));
    let figures = match of_share {
        Some(share) => &share.bandwidth_bytes_per_s,
        None => &result.bandwidth_bytes_per_s,
    };
    figures.as_ref().map(|figures| &figures.bytes_per_s)
}

/// Files or seeks per second, where those are the phase's figure.
fn counted_rate(result: &ResultDocument) -> Option<&RateFigures> {
    let phase = Phase::of(&result.workload)?;
    let of_share = result
        .shares
        .as_ref()
        .and_then(|shares| shares.get(&phase.operation()));
    match of_share {
        Some(share) => share.iops.as_ref(),
        None => result.files_per_s.as_ref(),
    }
}

fn spread(result: &ResultDocument, style: &TableStyle) -> Option<String> {
    match bandwidth(result) {
        Some(rates) => rates.spread(unit(style).bytes()),
        None => counted_rate(result)?.spread(1.0),
    }
}

fn legend(document: &RunDocument, style: &TableStyle) -> String {
    let median = match trials_made(document.results.iter()) {
        [_, 1] => "one run of every phase",
        _ => "the median of all runs",
    };
    let definition = unit(style).definition();
    format!(
        "Figures are {median}; {definition}. CPU: 100 % is one processor. Latency is that of one \
         read, write or file; final flushes count in the rate alone."
    )
}
