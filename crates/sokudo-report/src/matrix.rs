//! The document of a matrix, `sokudo.matrix/1`: one method on every combination of what was
//! varied, what it came to, and what of it differs.
//!
//! It is what all formats and the picture of a matrix are written from. It tests nothing:
//! effects come to it as they are.

mod csv;
mod sentence;
pub(crate) mod table;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{
    CellLevel, CellRate, MatrixAxis, MatrixEffects, MatrixFigures, MatrixPlan, RowOfMatrix, Verdict,
};
use sokudo_stats::Summary;
use sokudo_words::Text;

use crate::comparison::{Figure, rates};
use crate::document::{ResultDocument, RunDocument};
use crate::grouping::row_name;
use crate::json_layout;

pub use csv::render as render_csv;
pub(crate) use table::unit_of;
pub use table::{render as render_table, render_markdown};
pub(crate) use words::{axis_name, cell_name, value_name};

const SCHEMA: &str = "sokudo.matrix/1";

/// A matrix as JSON: `sokudo.matrix/1`. Missing figures are null, never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.matrix/1")]
pub struct MatrixDocument {
    /// Name and version of this format: `sokudo.matrix/1`.
    #[schemars(extend("const" = "sokudo.matrix/1"))]
    pub schema: String,
    /// Version of the program that measured.
    pub sokudo_version: String,
    /// What names it in the tags of its runs: eight hexadecimal digits.
    pub id: String,
    /// The command line that repeats it.
    pub command: String,
    /// The command that measures a cell, without its target.
    pub method: String,
    /// Where the order within the blocks comes from.
    pub seed: u64,
    /// Whether the disks are files, through loop devices.
    pub is_of_files: bool,
    /// How often every cell was measured, as far as it could be.
    pub blocks: u32,
    /// What it comes to: the answer first.
    #[serde(with = "sokudo_model::sentences")]
    #[schemars(with = "Vec<String>")]
    pub sentences: Vec<Text>,
    /// What is varied.
    pub axes: Vec<MatrixAxis>,
    /// The combinations, the last axis changing fastest.
    pub cells: Vec<MatrixCellDocument>,
    /// The rows of the method.
    pub rows: Vec<MatrixRowDocument>,
    /// What the axes do to them.
    pub effects: MatrixEffects,
}

/// One combination.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixCellDocument {
    /// Which value of each axis, counted from 0.
    pub values: Vec<usize>,
    /// What became of it.
    pub state: MatrixCellState,
    /// In how many blocks it was measured.
    pub blocks: usize,
    /// Each block in which it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<CellFailure>,
    /// Why it was left out, or what is to be known of it.
    #[serde(with = "sokudo_model::sentences")]
    #[schemars(with = "Vec<String>")]
    pub notes: Vec<Text>,
}

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatrixCellState {
    /// It was measured in a block at least.
    Measured,
    /// It failed, and was never measured.
    Failed,
    /// The combination makes no sense, or cannot be made here.
    LeftOut,
    /// Its turn has not come.
    Waiting,
}

/// What went wrong with a cell in a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellFailure {
    /// Which cell, counted from 0.
    pub cell: usize,
    /// Which block, counted from 0.
    pub block: u32,
    /// The command that failed; empty where it was none.
    pub command: String,
    /// What was said.
    #[serde(with = "sokudo_model::sentences")]
    #[schemars(with = "String")]
    pub message: Text,
}

/// One row of the method in all cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixRowDocument {
    /// Its name with its direction.
    pub name: String,
    /// What is counted: bytes or files.
    pub counted: Counted,
    /// Bytes per I/O, where all have one size.
    pub bytes_per_io: Option<f64>,
    /// As many as there are cells; null where it was never measured.
    pub cells: Vec<Option<MatrixFigure>>,
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Bytes.
    Bytes,
    /// Files created, looked up or deleted.
    Files,
}

/// What a row came to in a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixFigure {
    /// The geometric mean of its blocks, without what blocks did to all cells; null where all
    /// were INVALID.
    pub per_second: Option<f64>,
    /// Low and high end of the 95 % interval of this cell alone; null where it is not known.
    pub interval_95: Option<[f64; 2]>,
    /// The median of its trials in each block in which it was measured.
    pub blocks: Vec<BlockFigure>,
    /// The worst verdict of its blocks.
    pub verdict: Option<Verdict>,
    /// Whether the cell is shown to be faster than every other in this row.
    pub is_best: bool,
    /// Bytes that the disks moved per byte of the row, the median of the blocks: of writes
    /// what parity, mirrors, journals and copies on write add, of reads what caches took away.
    /// Null where the disks' counters could not be read.
    pub bytes_at_disks_per_byte: Option<f64>,
    /// Codes of the findings about it, each once.
    pub findings: Vec<String>,
}

/// What a row came to in one block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockFigure {
    /// Which, counted from 0.
    pub block: u32,
    /// The median of its trials.
    pub per_second: f64,
    /// Whether it can be trusted.
    pub verdict: Option<Verdict>,
}

/// A run of one cell in one block.
#[derive(Clone, Copy, Debug)]
pub struct MatrixRun<'a> {
    /// Which cell, counted from 0.
    pub cell: usize,
    /// Which block, counted from 0.
    pub block: u32,
    /// What was measured.
    pub run: &'a RunDocument,
}

/// What is known of a matrix so far.
#[derive(Clone, Copy, Debug)]
pub struct MatrixSoFar<'a> {
    /// What names it.
    pub id: &'a str,
    /// The command line that repeats it.
    pub command: &'a str,
    /// Whether the disks are files, through loop devices.
    pub is_of_files: bool,
    /// What was meant.
    pub plan: &'a MatrixPlan,
    /// What was measured.
    pub runs: &'a [MatrixRun<'a>],
    /// What failed.
    pub failures: &'a [CellFailure],
}

/// A row in a cell and a block, as it was measured.
struct Sample<'a> {
    cell: usize,
    block: u32,
    result: &'a ResultDocument,
    per_second: f64,
}

impl MatrixSoFar<'_> {
    /// What can be compared of it: rates of results that are not INVALID.
    pub fn figures(&self) -> MatrixFigures {
        let rows = self.rows().into_iter().map(|(name, samples)| {
            let valid = samples.iter().filter(|it| is_valid(it));
            let rates = valid.map(|it| CellRate {
                cell: it.cell,
                block: it.block,
                per_second: it.per_second,
            });
            let rates = rates.collect();
            RowOfMatrix { name, rates }
        });
        MatrixFigures {
            axes: self.plan.axes.clone(),
            cells: (self.plan.cells.iter())
                .map(|cell| cell.values.clone())
                .collect(),
            rows: rows.collect(),
        }
    }

    /// The rows in order of appearance, each with what was measured of it.
    fn rows(&self) -> Vec<(String, Vec<Sample<'_>>)> {
        let mut rows: Vec<(String, Vec<Sample<'_>>)> = Vec::new();
        for run in self.runs {
            for result in &run.run.results {
                let figures = rates(result, Figure::Bandwidth);
                let rate = figures.map(|it| it.median).filter(|it| *it > 0.0);
                let Some(per_second) = rate else { continue };
                let sample = Sample {
                    cell: run.cell,
                    block: run.block,
                    result,
                    per_second,
                };
                let name = row_name(result);
                match rows.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, samples)) => samples.push(sample),
                    None => rows.push((name, vec![sample])),
                }
            }
        }
        rows
    }

    fn cell(&self, cell: usize) -> MatrixCellDocument {
        let plan = &self.plan.cells[cell];
        let failures = self.failures.iter().filter(|it| it.cell == cell);
        let failures: Vec<CellFailure> = failures.cloned().collect();
        let blocks = self.runs.iter().filter(|it| it.cell == cell).count();
        let state = match (blocks, &plan.volume, &failures[..]) {
            (1.., _, _) => MatrixCellState::Measured,
            (0, None, _) => MatrixCellState::LeftOut,
            (0, Some(_), [_, ..]) => MatrixCellState::Failed,
            (0, Some(_), []) => MatrixCellState::Waiting,
        };
        MatrixCellDocument {
            values: plan.values.clone(),
            state,
            blocks,
            failures,
            notes: plan.notes.clone(),
        }
    }
}

fn is_valid(sample: &Sample<'_>) -> bool {
    sample.result.verdict != Some(Verdict::Invalid)
}

impl MatrixDocument {
    /// What a matrix has come to, with what `effects` says of its
    /// [`figures`](MatrixSoFar::figures).
    pub fn new(matrix: &MatrixSoFar<'_>, effects: MatrixEffects) -> Self {
        let count = matrix.plan.cells.len();
        let rows = matrix.rows().into_iter().enumerate();
        let rows = rows.map(|(row, (name, samples))| {
            let effects = effects.rows.get(row);
            let figure = |cell| {
                let here = samples.iter().filter(|it| it.cell == cell);
                let mut figure = MatrixFigure::of(&here.collect::<Vec<_>>())?;
                let level: Option<CellLevel> = effects.and_then(|row| *row.cells.get(cell)?);
                figure.per_second = level.map(|it| it.per_second);
                figure.interval_95 = level.and_then(|it| it.interval_95);
                figure.is_best = effects.is_some_and(|row| row.best == Some(cell));
                Some(figure)
            };
            MatrixRowDocument {
                name,
                counted: match samples.iter().any(|it| it.result.files_per_s.is_some()) {
                    true => Counted::Files,
                    false => Counted::Bytes,
                },
                bytes_per_io: samples.first().and_then(|it| bytes_per_io(it.result)),
                cells: (0..count).map(figure).collect(),
            }
        });
        let blocks = matrix.runs.iter().map(|run| run.block + 1);
        let mut document = Self {
            schema: SCHEMA.to_owned(),
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            id: matrix.id.to_owned(),
            command: matrix.command.to_owned(),
            method: matrix.plan.method.clone(),
            seed: matrix.plan.seed,
            is_of_files: matrix.is_of_files,
            blocks: blocks.max().unwrap_or(0),
            sentences: Vec::new(),
            axes: matrix.plan.axes.clone(),
            cells: (0..count).map(|cell| matrix.cell(cell)).collect(),
            rows: rows.collect(),
            effects,
        };
        document.sentences = sentence::sentences(&document);
        document
    }

    /// The document as text that ends with a line feed.
    pub fn to_json(&self) -> String {
        json_layout::written(self)
    }
}

impl MatrixFigure {
    /// Without what only all cells together tell; `None` of nothing.
    fn of(samples: &[&Sample<'_>]) -> Option<Self> {
        let at_disks: Vec<f64> = (samples.iter())
            .filter_map(|it| it.result.device_ratio)
            .collect();
        let codes = samples.iter().flat_map(|it| &it.result.findings);
        let mut findings: Vec<String> = codes.map(|finding| finding.code.clone()).collect();
        findings.sort_unstable();
        findings.dedup();
        let blocks = samples.iter().map(|it| BlockFigure {
            block: it.block,
            per_second: it.per_second,
            verdict: it.result.verdict,
        });
        (!samples.is_empty()).then(|| Self {
            per_second: None,
            interval_95: None,
            blocks: blocks.collect(),
            verdict: samples.iter().filter_map(|it| it.result.verdict).max(),
            is_best: false,
            bytes_at_disks_per_byte: Summary::of(&at_disks).map(|it| it.median),
            findings,
        })
    }
}

fn bytes_per_io(result: &ResultDocument) -> Option<f64> {
    let iops = result.iops.as_ref()?.median;
    let bytes = result.bandwidth_bytes_per_s.as_ref()?.bytes_per_s.median;
    (iops > 0.0 && result.files_per_s.is_none()).then(|| bytes / iops)
}

#[cfg(test)]
mod tests;
