//! What users of HD Tune and GNOME Disks look for in a scan: the curve and its figures,
//! access times, and what could not be read.
//!
//! The tables are made here once; the terminal and Markdown write them each in their way.

mod curve;

use sokudo_model::{Bytes, Nanos, Visit};

use crate::document::{
    AccessTimes, DefectDocument, PlaceRates, ResultDocument, RunDocument, SurfaceFigures,
};
use crate::layout::{Align, Column, table_lines, table_width};
use crate::number::{self, MISSING};
use crate::shortfall::verdict_cell;
use crate::style::{BandwidthUnit, TableStyle, coloured};
use curve::position;

/// Ranges that are listed; all of them are in the JSON document.
const DEFECTS_LISTED: usize = 20;

/// Whether the run visited places.
pub(crate) fn is_scan(document: &RunDocument) -> bool {
    let mut results = document.results.iter();
    results.any(|result| result.workload.survey.is_some())
}

/// What sort of figures a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Rates of places.
    Curve,
    /// Access times.
    Access,
    /// One figure: one place, or none.
    Plain,
}

impl Kind {
    fn of(result: &ResultDocument) -> Self {
        match result.workload.survey {
            Some(survey) if matches!(survey.visit, Visit::Random | Visit::Butterfly) => {
                Self::Access
            }
            Some(survey) if survey.places > 1 => Self::Curve,
            _ => Self::Plain,
        }
    }
}

/// Rows of one kind with their columns.
pub(crate) struct Section<'a> {
    rows: Vec<&'a ResultDocument>,
    columns: Vec<Shown>,
}

/// A column, and whether a narrow table can do without it: the larger the number, the
/// sooner it goes.
struct Shown {
    spare: u8,
    column: Column,
}

impl Section<'_> {
    /// All columns.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let columns = self.columns.iter();
        columns.map(|shown| shown.column.clone()).collect()
    }

    /// As many columns as fit, in the words in which they are shown.
    fn fitting(&self, style: &TableStyle) -> Vec<Column> {
        let most = self.columns.iter().map(|shown| shown.spare).max();
        let said = |shown: &Shown| Column {
            group: style.group(shown.column.group),
            title: style.text(&shown.column.title),
            cells: shown.column.cells.iter().map(|it| style.text(it)).collect(),
            ..shown.column
        };
        let up_to = |spare: u8| -> Vec<Column> {
            let kept = self.columns.iter().filter(|shown| shown.spare <= spare);
            kept.map(said).collect()
        };
        let mut spares = (0..=most.unwrap_or(0)).rev().map(up_to);
        spares
            .find(|columns| table_width(columns) <= style.width)
            .unwrap_or_else(|| up_to(0))
    }
}

/// A section per kind of row, in the order in which people ask.
pub(crate) fn sections(document: &RunDocument, unit: BandwidthUnit) -> Vec<Section<'_>> {
    let results = document.results_by_direction();
    let of_kind = |kind: Kind| {
        let rows: Vec<&ResultDocument> = results
            .iter()
            .copied()
            .filter(|result| Kind::of(result) == kind)
            .collect();
        let columns = columns(kind, &rows, unit, document.schedule.trials);
        (!rows.is_empty()).then_some(Section { rows, columns })
    };
    [Kind::Curve, Kind::Access, Kind::Plain]
        .into_iter()
        .filter_map(of_kind)
        .collect()
}

/// What stands in a row's cell.
type Cell<'a> = &'a dyn Fn(&ResultDocument) -> Option<String>;

fn shown(
    rows: &[&ResultDocument],
    spare: u8,
    (group, title, align): (&'static str, &str, Align),
    cell: Cell<'_>,
) -> Shown {
    let cells = rows.iter().map(|row| cell(row));
    Shown {
        spare,
        column: Column {
            group,
            title: title.to_owned(),
            align,
            cells: cells
                .map(|cell| cell.unwrap_or_else(|| MISSING.to_owned()))
                .collect(),
        },
    }
}

fn columns(kind: Kind, rows: &[&ResultDocument], unit: BandwidthUnit, trials: u32) -> Vec<Shown> {
    let column = |spare, group, title: &str, align, cell: Cell<'_>| {
        shown(rows, spare, (group, title, align), cell)
    };
    let mut columns = vec![
        column(0, "", "Row", Align::Left, &|row| Some(row.name.clone())),
        column(0, "", "", Align::Left, &|row| Some(row.direction_label())),
    ];
    let rate = |spare, title, pick: fn(&PlaceRates) -> f64| {
        column(spare, unit.name(), title, Align::Point, &|row| {
            let rates = row.surface.as_ref()?.rate_bytes_per_s.as_ref()?;
            Some(number::rate(pick(rates) / unit.bytes()))
        })
    };
    let access = |spare, title, pick: fn(&AccessTimes) -> Option<f64>| {
        column(spare, "access time", title, Align::Right, &|row| {
            let times = row.surface.as_ref()?.access_ns.as_ref()?;
            pick(times).map(time)
        })
    };
    let whole = |spare| {
        column(spare, "", unit.name(), Align::Point, &|row| {
            let bandwidth = row.bandwidth_bytes_per_s.as_ref()?;
            Some(number::rate(bandwidth.bytes_per_s.median / unit.bytes()))
        })
    };
    match kind {
        Kind::Curve => columns.extend([
            rate(0, "min", |rates| rates.min),
            rate(0, "mean", |rates| rates.mean),
            rate(1, "median", |rates| rates.median),
            rate(0, "max", |rates| rates.max),
            column(0, "", "outer:inner", Align::Right, &|row| {
                let rates = row.surface.as_ref()?.rate_bytes_per_s.as_ref()?;
                rates.outer_to_inner.map(|ratio| format!("{ratio:.2}"))
            }),
        ]),
        Kind::Access => columns.extend([
            column(0, "", "IOPS", Align::Point, &|row| {
                Some(number::rate(row.iops.as_ref()?.median))
            }),
            access(0, "mean", |times| Some(times.mean)),
            access(1, "median", |times| Some(times.median)),
            access(2, "p95", |times| times.p95),
            access(0, "max", |times| Some(times.max)),
            whole(0),
        ]),
        Kind::Plain => columns.extend([
            whole(0),
            column(0, "latency", "p50", Align::Right, &|row| {
                Some(Nanos(row.latency_ns.as_ref()?.p50?).to_string())
            }),
            column(1, "latency", "p99", Align::Right, &|row| {
                Some(Nanos(row.latency_ns.as_ref()?.p99?).to_string())
            }),
        ]),
    }
    // In virtual time there is none.
    if rows.iter().any(|row| row.cpu.is_some()) {
        columns.push(column(3, "", "CPU", Align::Right, &|row| {
            row.cpu_share().map(number::percent)
        }));
    }
    columns.push(column(0, "", "Verdict", Align::Left, &|row| {
        Some(verdict_cell(row, trials))
    }));
    columns
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times are positive and far below 500 years"
)]
fn time(nanos: f64) -> String {
    Nanos(nanos.round() as u64).to_string()
}

/// The tables, the curves, access times by distance, what could not be read, the legend.
pub(crate) fn lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    let mut blocks: Vec<Vec<String>> = Vec::new();
    let sections = sections(document, style.unit);
    for section in &sections {
        blocks.push(section_lines(section, style));
        for row in &section.rows {
            blocks.extend(curve::lines(row, style));
        }
    }
    let distances = distance_notes(document);
    let distances = distances.iter().map(|note| style.wrapped("", note));
    blocks.extend(distances);
    if let Some((title, ranges)) = defects(document) {
        let listed = ranges.iter().flat_map(|range| style.wrapped("  ", range));
        blocks.push(std::iter::once(style.text(&title)).chain(listed).collect());
    }
    blocks.push(style.wrapped("", &legend(style.unit)));
    blocks.join(&String::new())
}

fn section_lines(section: &Section<'_>, style: &TableStyle) -> Vec<String> {
    let columns = section.fitting(style);
    let table = table_lines(&columns, style.rule());
    let (titles, rows) = table.split_at(2);
    // Without groups their line is empty.
    let titles = titles.iter().filter(|line| !line.is_empty());
    let mut lines: Vec<String> = titles.cloned().collect();
    lines.push(style.rule().to_string().repeat(table_width(&columns)));
    let verdicts = columns.last().map_or(&[][..], |verdict| &verdict.cells);
    for ((row, result), verdict) in rows.iter().zip(&section.rows).zip(verdicts) {
        lines.push(coloured(row, verdict, result, style));
    }
    lines
}

/// How access times depend on the distance, for each row that measured the way.
pub(crate) fn distance_notes(document: &RunDocument) -> Vec<String> {
    let note = |result: &&ResultDocument| {
        let access = result.surface.as_ref()?.access_ns.as_ref()?;
        let class = |class: &crate::document::DistanceTimes| {
            format!(
                "to {} {}",
                position(class.distance_max),
                time(class.mean_ns)
            )
        };
        let classes: Vec<String> = access.by_distance.iter().map(class).collect();
        (classes.len() > 1).then(|| {
            format!(
                "{} {}, mean by seek distance: {}",
                result.name,
                result.direction_label(),
                classes.join(" · ")
            )
        })
    };
    // The row beside the curve stands for all: more would tell the same again.
    let results = document.results_by_direction();
    results.iter().filter_map(note).take(1).collect()
}

/// What could not be read or written: a sentence, and the first ranges.
pub(crate) fn defects(document: &RunDocument) -> Option<(String, Vec<String>)> {
    let figures = |pick: fn(&SurfaceFigures) -> u64| {
        let surfaces = document.results.iter().filter_map(|r| r.surface.as_ref());
        surfaces.map(pick).sum::<u64>()
    };
    let (count, bytes) = (figures(|s| s.defect_ranges), figures(|s| s.defect_bytes));
    if count == 0 {
        return None;
    }
    let plural = if count == 1 { "" } else { "s" };
    let title = format!(
        "NOT READABLE OR WRITABLE: {} range{plural}, {} in all",
        number::grouped(&count.to_string()),
        Bytes(bytes)
    );
    let all = document.results.iter().flat_map(|result| {
        let range = |defect| range(result, defect);
        result.defects.iter().map(range)
    });
    let mut listed: Vec<String> = all.take(DEFECTS_LISTED).collect();
    let more = count - listed.len() as u64;
    if more > 0 {
        listed.push(format!("and {more} more; --format json has all of them"));
    }
    Some((title, listed))
}

fn range(result: &ResultDocument, defect: &DefectDocument) -> String {
    format!(
        "{} from byte {} on (at {}), {}: {}",
        Bytes(defect.length),
        number::grouped(&defect.offset.to_string()),
        position(defect.offset),
        result.name,
        defect.message
    )
}

/// What must be known to read the tables.
pub(crate) fn legend(unit: BandwidthUnit) -> String {
    format!(
        "min, mean, median and max are of the places, each counting alike; outer:inner is the \
         first 5 % of them to the last; CPU is of one processor; {}.",
        unit.definition()
    )
}

#[cfg(test)]
mod tests;
