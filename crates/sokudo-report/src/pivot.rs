//! The document of many runs as one matrix, `sokudo.pivot/1`: rows and columns are what the
//! runs differ in (`row:target`, `raid:file-system`), and a cell is the median of all
//! results that belong there.
//!
//! It is what all formats and the picture of such a matrix are written from. Only a
//! comparison of trials says which of two is faster; a cell alone does not.

mod csv;
mod key;
mod ratio;
pub(crate) mod table;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Finding, Origin, PlanPart, PlanParts, Severity, Verdict, sentences};
use sokudo_stats::Summary;
use sokudo_words::{Text, text};

use crate::document::{RateFigures, ResultDocument, RunDocument};
use crate::grouping::only_through_page_cache;
use crate::letter::letter;
use crate::number::{rate, rate_range, rate_with};
use crate::style::BandwidthUnit;
use crate::unique::{index_or_push, unique};

pub(crate) use key::keys_text;
pub use key::{Key, KeyError, Keys, PivotRun};
pub use ratio::{Ratio, RatioError};

const SCHEMA: &str = "sokudo.pivot/1";
const NANOS_PER_MS: f64 = 1e6;

/// A matrix of figures as JSON: `sokudo.pivot/1`. Missing figures are null, never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.pivot/1")]
pub struct PivotDocument {
    /// Name and version of this format: `sokudo.pivot/1`.
    #[schemars(extend("const" = "sokudo.pivot/1"))]
    pub schema: String,
    /// Version of the program that made the matrix.
    pub sokudo_version: String,
    /// The command line that repeats it.
    pub command: String,
    /// What the rows are, such as `row`.
    pub rows_by: String,
    /// What the columns are, such as `target`.
    pub columns_by: String,
    /// What must be known before the figures are compared.
    pub warnings: Vec<Finding>,
    /// What is to be read with them, in whole sentences.
    #[serde(with = "sentences")]
    #[schemars(with = "Vec<String>")]
    pub notes: Vec<Text>,
    /// What the cells were drawn from: as many runs.
    pub runs: usize,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows from the top.
    pub rows: Vec<PivotRow>,
}

/// One line of the matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PivotRow {
    /// Name that the results of the line have in common.
    pub name: String,
    /// The unit of its figures: `MB/s`, `MiB/s`, `IOPS`, `files/s` or `ms`.
    pub unit: String,
    /// As many as there are columns; null where no result belongs.
    pub cells: Vec<Option<PivotCell>>,
}

/// What belongs to one row and one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PivotCell {
    /// The median of the results, in the row's unit.
    pub median: f64,
    /// How many results there are.
    pub results: usize,
    /// Low and high end of the 95 % interval; null where it is not known.
    pub interval_95: Option<[f64; 2]>,
    /// The lowest and the highest of several results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<[f64; 2]>,
    /// Largest minus smallest trial, where there is one result that tells it.
    pub range: Option<f64>,
    /// What another tool says the figure is, such as `mean of 10 runs`.
    #[serde(default, skip_serializing_if = "Text::is_empty", with = "sentences")]
    #[schemars(with = "String")]
    pub kind: Text,
    /// The worst verdict of those results that sokudo measured.
    pub verdict: Option<Verdict>,
    /// This ÷ the same row of the reference column; null where that is not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Whether it is better than every other of its row, all rows tested together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_best: bool,
}

/// A row of a comparison: what each side has of it.
#[derive(Clone, Debug)]
pub struct SideRow<'a> {
    /// As many as there are sides, that of the reference first.
    pub results: Vec<Option<&'a ResultDocument>>,
    /// Parts of the load in which it differs from an earlier row of its name.
    pub differs: Vec<PlanPart>,
    /// The side that is better than every other, where one is.
    pub best: Option<usize>,
}

impl SideRow<'_> {
    /// With what each is against the reference, where that was compared.
    fn pivot_row(&self, unit: BandwidthUnit, ratios: &[Option<f64>]) -> Option<PivotRow> {
        let figures = self.results.iter();
        let figures = figures.map(|result| PivotCell::rate((*result)?, unit));
        let figures: Vec<Option<PivotFigure>> = figures.collect();
        let unit = figures.iter().flatten().next()?.0;
        let cells = figures.into_iter().zip(ratios).enumerate();
        let cells = cells.map(|(index, (figure, ratio))| {
            // Files and bytes are not set against each other.
            let (_, cell) = figure.filter(|(its, _)| *its == unit)?;
            Some(PivotCell {
                ratio: *ratio,
                is_best: self.best == Some(index),
                ..cell
            })
        });
        Some(PivotRow {
            name: self.name(),
            unit: unit.to_owned(),
            cells: cells.collect(),
        })
    }

    /// The names that the sides call it by, each once.
    fn name(&self) -> String {
        let mut results: Vec<&ResultDocument> = self.results.iter().flatten().copied().collect();
        results.dedup_by(|one, before| key::have_one_title(one, before));
        let names = results.into_iter().map(key::row_title);
        let name = unique(names).join(" | ");
        match self.differs.is_empty() {
            true => name,
            false => format!("{name} (other {})", part_names(&self.differs)),
        }
    }
}

/// Which figure of a result a matrix shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotValue {
    /// Its rate, or its latency where it has no rate.
    Rate,
    /// Mean latency, also where there is a rate.
    Latency,
}

/// What a matrix is made of.
#[derive(Clone, Debug)]
pub struct Pivot {
    /// What the rows are.
    pub rows: Keys,
    /// What the columns are.
    pub columns: Keys,
    /// Only results of which these keys hold these texts, whatever their case.
    pub only: Vec<(Key, String)>,
    pub value: PivotValue,
    pub unit: BandwidthUnit,
}

impl PivotDocument {
    /// The matrix of these runs; `None` where no result passes.
    pub fn new(runs: &[PivotRun<'_>], pivot: &Pivot) -> Option<Self> {
        let axes = [&pivot.rows, &pivot.columns];
        let is_apart = axes.iter().any(|axis| axis.0.contains(&Key::Direction));
        let mut cells = Cells::default();
        let mut seen: Vec<&RunDocument> = Vec::new();
        let mut shown: Vec<(&PivotRun<'_>, &ResultDocument)> = Vec::new();
        for run in runs {
            let before = cells.pooled;
            for result in &run.run.results {
                if let Some(figure) = pivot.figure(run, result) {
                    let [row, column] = axes.map(|it| it.of(run, result, is_apart));
                    cells.add((figure, &result.plan), row, column);
                    shown.push((run, result));
                }
            }
            if cells.pooled > before {
                seen.push(run.run);
            }
        }
        let mut document = Self::begin(pivot.rows.to_string(), pivot.columns.to_string(), &seen);
        document.warnings.extend(cells.of_loads());
        document.notes.extend(through_page_cache(&shown));
        document.columns.clone_from(&cells.columns);
        document.rows = cells.rows();
        (!document.rows.is_empty()).then_some(document)
    }

    /// A matrix of these runs, with what is to be known of them, and no cells yet.
    fn begin(rows_by: String, columns_by: String, runs: &[&RunDocument]) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            command: String::new(),
            rows_by,
            columns_by,
            warnings: of_tools(runs).into_iter().collect(),
            notes: notes(runs),
            runs: runs.len(),
            columns: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The rows of a comparison, a column for each side, the reference first.
    pub fn of_sides(
        sides: &[PivotRun<'_>],
        rows: &[SideRow<'_>],
        unit: BandwidthUnit,
        ratios: impl Fn(&[Option<&ResultDocument>]) -> Vec<Option<f64>>,
    ) -> Self {
        let documents: Vec<&RunDocument> = sides.iter().map(|side| side.run).collect();
        let columns = sides.iter().enumerate().map(|(number, side)| {
            let name = match &side.run.label {
                Some(label) => label,
                None => side.source.rsplit('/').next().unwrap_or(side.source),
            };
            format!("{} {name}", letter(number))
        });
        Self {
            columns: columns.collect(),
            rows: (rows.iter())
                .filter_map(|row| row.pivot_row(unit, &ratios(&row.results)))
                .collect(),
            ..Self::begin("row".to_owned(), "run".to_owned(), &documents)
        }
    }

    /// What it is called: `row by target`.
    pub(crate) fn title(&self) -> Text {
        let (rows, columns) = (keys_text(&self.rows_by), keys_text(&self.columns_by));
        text!("{rows} by {columns}")
    }

    /// Whether all figures are of one unit, which then needs to be said only once.
    pub(crate) fn unit(&self) -> Option<&str> {
        let first = self.rows.first()?.unit.as_str();
        self.rows
            .iter()
            .all(|row| row.unit == first)
            .then_some(first)
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = &PivotCell> {
        self.rows.iter().flat_map(|row| row.cells.iter().flatten())
    }
}

/// Whose rows alone went through the page cache, among those of one name.
fn through_page_cache(shown: &[(&PivotRun<'_>, &ResultDocument)]) -> Option<Text> {
    let names = unique(shown.iter().map(|(_, result)| key::row_title(result)));
    let codes = |result: &ResultDocument| {
        let codes = result.findings.iter().map(|it| it.code.clone());
        codes.collect::<Vec<String>>()
    };
    let sides = shown.iter().map(|(run, result)| {
        let who = run.run.label.as_deref().unwrap_or(run.source);
        (key::row_title(result), Text::name(who), codes(result))
    });
    let sides: Vec<(String, Text, Vec<String>)> = sides.collect();
    only_through_page_cache(names.iter().map(|name| {
        let of_name = sides.iter().filter(|(row, ..)| row == name);
        let of_name = of_name.map(|(_, who, codes)| (who.clone(), &**codes));
        (&**name, of_name.collect())
    }))
}

/// The warning that figures of several tools, or of another tool than sokudo, need;
/// `None` where sokudo has measured all.
pub fn of_tools(runs: &[&RunDocument]) -> Option<Finding> {
    let mut origins = runs.iter().filter_map(|run| run.origin());
    let is_foreign = origins.any(|origin| origin.tool != Origin::SOKUDO_FIO);
    let tools = unique(runs.iter().map(|run| run.measurer()));
    let several = tools.len() > 1;
    let listed = Text::list(tools.into_iter().map(Text::name), ", ");
    is_foreign.then(|| Finding {
        code: "figures-of-other-tools".to_owned(),
        severity: Severity::Warning,
        symptom: match several {
            true => text!(
                "these are figures of several tools: {tools}",
                tools = listed
            ),
            false => text!(
                "these are figures of {tools}, not of sokudo",
                tools = listed
            ),
        },
        cause: Text::from(
            "results of different tools must not be compared even if the unit is the same: each \
             has its own blocks, caches, times and means",
        ),
        remedy: Text::from(
            "compare only what one tool has measured by one method; measure both with sokudo \
             where it matters",
        ),
    })
}

/// The format whose remarks begin with the figure that they are about, which is not said of
/// a table of many.
const OF_FIGURES: &str = "published results (CSV)";

/// What was put right and what else was remarked, each once.
fn notes(runs: &[&RunDocument]) -> Vec<Text> {
    let origins = runs.iter().filter_map(|run| run.origin());
    unique(origins.flat_map(|origin| {
        let corrections = origin.corrections.iter();
        // The figure in it is of one run; why is the same for all.
        let corrections = corrections.map(|it| text!("{}: corrected, {}", origin.tool, it.why));
        let is_of_figures = origin.format == OF_FIGURES;
        let remarks = origin.remarks.iter().map(move |remark| {
            let whole = remark.english();
            let note = whole.split_once(": ").filter(|_| is_of_figures);
            let remark = note.map_or_else(|| remark.clone(), |(_, note)| Text::name(note));
            text!("{}: {remark}", origin.tool)
        });
        corrections.chain(remarks)
    }))
}

/// The cells while they are collected, rows and columns in order of appearance.
#[derive(Default)]
struct Cells<'a> {
    columns: Vec<String>,
    rows: Vec<(PivotRowKey, Vec<Vec<Pooled<'a>>>)>,
    /// How many results are in them.
    pooled: usize,
}

/// Name and unit: one name with two units is two rows.
type PivotRowKey = (String, &'static str);

/// A result's figure, and the parts of its load.
type Pooled<'a> = (PivotFigure, &'a PlanParts);

impl<'a> Cells<'a> {
    fn add(&mut self, pooled: Pooled<'a>, row: String, column: String) {
        let column = index_or_push(&mut self.columns, |it| *it == column, || column.clone());
        let row = (row, pooled.0.0);
        let row = index_or_push(
            &mut self.rows,
            |it| it.0 == row,
            || (row.clone(), Vec::new()),
        );
        let cells = &mut self.rows[row].1;
        if cells.len() <= column {
            cells.resize_with(column + 1, Vec::new);
        }
        cells[column].push(pooled);
        self.pooled += 1;
    }

    /// The warning that cells hold results of different loads; `None` where none does.
    fn of_loads(&self) -> Option<Finding> {
        let mut parts: BTreeSet<PlanPart> = BTreeSet::new();
        let mut count = 0;
        for cell in self.rows.iter().flat_map(|(_, cells)| cells) {
            let mut loads: Vec<_> = cell.iter().map(|(_, load)| *load).collect();
            loads.dedup();
            let differing = differing(&loads);
            count += usize::from(!differing.is_empty());
            parts.extend(differing);
        }
        let parts: Vec<PlanPart> = parts.into_iter().collect();
        (count > 0).then(|| Finding {
            code: "loads-pooled".to_owned(),
            severity: Severity::Warning,
            symptom: text!("{count} of the cells hold results of different loads"),
            cause: text!(
                "they differ in {parts}",
                parts = Text::list(parts.iter().map(|part| Text::from(part.name())), ", ")
            ),
            remedy: Text::from("separate them with --pivot, or show one of them with --only"),
        })
    }

    fn rows(self) -> Vec<PivotRow> {
        let count = self.columns.len();
        let rows = self.rows.into_iter().map(|((name, unit), mut cells)| {
            cells.resize_with(count, Vec::new);
            let cells = cells.into_iter().map(|cell| {
                let figures = cell.into_iter().map(|((_, figure), _)| figure);
                PivotCell::pooled(figures.collect())
            });
            PivotRow {
                name,
                unit: unit.to_owned(),
                cells: cells.collect(),
            }
        });
        rows.collect()
    }
}

/// The parts in which loads differ, as far as they are known. Which tool has measured is
/// another warning's.
fn differing(loads: &[&PlanParts]) -> BTreeSet<PlanPart> {
    let parts = loads.iter().flat_map(|load| load.iter());
    let mut parts: BTreeSet<PlanPart> = parts.map(|(part, _)| part).collect();
    parts.retain(|part| {
        let known = loads.iter().filter(|load| !load.is_unknown(*part));
        let mut values = known.map(|load| load.get(*part));
        let first = values.next();
        *part != PlanPart::Tool && values.any(|value| Some(value) != first)
    });
    parts
}

fn part_names(parts: &[PlanPart]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.name()).collect();
    names.join(", ")
}

/// One result's figure, and its unit.
type PivotFigure = (&'static str, PivotCell);

impl Pivot {
    /// `None` for a result that is not asked for, or has no such figure.
    fn figure(&self, run: &PivotRun<'_>, result: &ResultDocument) -> Option<PivotFigure> {
        let passes = |(key, text): &(Key, String)| {
            let value = key.of(run, result).to_lowercase();
            value.contains(&text.to_lowercase())
        };
        if !self.only.iter().all(passes) {
            return None;
        }
        let latency = || PivotCell::time(result, result.latency_ns.as_ref()?.mean);
        match self.value {
            PivotValue::Rate => PivotCell::rate(result, self.unit).or_else(latency),
            PivotValue::Latency => latency(),
        }
    }
}

impl PivotCell {
    fn rate(result: &ResultDocument, unit: BandwidthUnit) -> Option<PivotFigure> {
        if let Some(nanos) = result.access_ns_mean()
            && unit != BandwidthUnit::IosPerSecond
        {
            return Self::time(result, nanos);
        }
        let reported = result.reported.as_ref();
        let (figures, scale, name, kind): (&RateFigures, _, _, _) = match unit {
            _ if result.files_per_s.is_some() => {
                (result.files_per_s.as_ref()?, 1.0, "files/s", None)
            }
            BandwidthUnit::IosPerSecond => {
                let kind = reported.map(|reported| reported.iops_kind.clone());
                (result.iops.as_ref()?, 1.0, unit.name(), kind)
            }
            _ => {
                let figures = &result.bandwidth_bytes_per_s.as_ref()?.bytes_per_s;
                let kind = reported.map(|reported| reported.bandwidth_kind.clone());
                (figures, unit.bytes(), unit.name(), kind)
            }
        };
        let reported_range = reported.and_then(|reported| {
            let range = reported.others.iter().find(|other| other.name == "range")?;
            (range.unit == "MB/s" && scale > 1.0).then_some(range.value * 1e6)
        });
        let own = (figures.range > 0.0).then_some(figures.range);
        let cell = Self {
            interval_95: figures.interval_in(scale),
            range: reported_range.or(own).map(|range| range / scale),
            kind: kind.unwrap_or_default(),
            ..Self::of(figures.median / scale, own_verdict(result))?
        };
        Some((name, cell))
    }

    fn time(result: &ResultDocument, nanos: f64) -> Option<PivotFigure> {
        Some(("ms", Self::of(nanos / NANOS_PER_MS, own_verdict(result))?))
    }

    /// Of one result, with nothing else; `None` of what is no number.
    fn of(figure: f64, verdict: Option<Verdict>) -> Option<Self> {
        Some(Self {
            median: Summary::of(&[figure])?.median,
            results: 1,
            verdict,
            ..Self::default()
        })
    }

    /// Of all results that belong here.
    fn pooled(mut all: Vec<Self>) -> Option<Self> {
        if all.len() == 1 {
            return all.pop();
        }
        let medians: Vec<f64> = all.iter().map(|cell| cell.median).collect();
        let interval = sokudo_stats::median_interval(&medians, 0.95);
        let verdict = all.iter().filter_map(|cell| cell.verdict).max();
        Some(Self {
            results: all.len(),
            interval_95: interval.map(|it| [it.low, it.high]),
            spread: Summary::of(&medians).map(|it| [it.min, it.max]),
            ..Self::of(Summary::of(&medians)?.median, verdict)?
        })
    }

    /// Its figure: `177.4 ± 2 %`, `177.4, R 8.00`, `12.10 (3: 11.00–14.00)`.
    pub(crate) fn text(&self) -> String {
        let spread = match (self.interval_95, self.range) {
            (None, Some(range)) => format!("{}, R {}", rate(self.median), rate(range)),
            (interval, _) => rate_with(self.median, interval),
        };
        match (self.results, self.spread) {
            (1, _) => spread,
            (results, None) => format!("{spread} ({results})"),
            (results, Some([low, high])) => {
                format!("{spread} ({results}: {})", rate_range(low, high))
            }
        }
    }
}

/// Of another tool's result there is none that says anything of this figure.
fn own_verdict(result: &ResultDocument) -> Option<Verdict> {
    result.verdict.filter(|_| result.reported.is_none())
}

#[cfg(test)]
mod tests;
