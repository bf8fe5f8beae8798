//! A matrix as far as it has come, and the document of it.

use sokudo_model::{
    CellLevel, CellRate, MatrixEffects, MatrixFigures, MatrixPlan, RowOfMatrix, Severity, Verdict,
};
use sokudo_stats::Summary;
use sokudo_words::{Text, text};

use super::sentence::sentences;
use super::{
    BlockFigure, CellFailure, CountedUnit, MatrixCellDocument, MatrixCellState, MatrixDocument,
    MatrixFigure, MatrixRowDocument,
};
use crate::document::{ResultDocument, RunDocument};
use crate::figure::{Figure, rates};
use crate::grouping::row_name;
use crate::number::is_far;
use crate::unique::grouped;
use crate::wording::row;

const SCHEMA: &str = "sokudo.matrix/1";

/// The finding that others used the devices, too.
const FOREIGN_IO: &str = "foreign-io";

/// A run of one cell in one block.
#[derive(Clone, Debug)]
pub struct MatrixRun {
    /// Which cell, counted from 0.
    pub cell: usize,
    /// Which block, counted from 0.
    pub block: u32,
    pub run: RunDocument,
}

/// What is known of a matrix so far.
#[derive(Clone, Copy, Debug)]
pub struct MatrixSoFar<'a> {
    /// Identifier of the matrix, eight hexadecimal digits.
    pub id: &'a str,
    /// The command line that repeats it.
    pub command: &'a str,
    /// Whether the disks are files, through loop devices.
    pub is_of_files: bool,
    pub plan: &'a MatrixPlan,
    pub runs: &'a [MatrixRun],
    pub failures: &'a [CellFailure],
}

/// A row in a cell and a block, as it was measured.
struct CellMeasurement<'a> {
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
    fn rows(&self) -> Vec<(String, Vec<CellMeasurement<'_>>)> {
        let measured = self.runs.iter().flat_map(|run| {
            run.run.results.iter().filter_map(|result| {
                let per_second = rates(result, Figure::Bandwidth)?.median;
                let measurement = CellMeasurement {
                    cell: run.cell,
                    block: run.block,
                    result,
                    per_second,
                };
                (per_second > 0.0).then(|| (row_name(result), measurement))
            })
        });
        grouped(measured)
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
            notes: [&plan.notes[..], &self.invalid(cell)].concat(),
        }
    }

    /// Why results of a cell are INVALID, each reason once: as the first block has it.
    fn invalid(&self, cell: usize) -> Vec<Text> {
        let runs = self.runs.iter().filter(|it| it.cell == cell);
        let results = runs.flat_map(|it| &it.run.results);
        let invalid = results.filter(|it| it.verdict == Some(Verdict::Invalid));
        let reasons = invalid.flat_map(|result| {
            let errors = result.findings.iter();
            let errors = errors.filter(|it| it.severity == Severity::Error);
            errors.map(|it| ((row_name(result), &it.code), &it.symptom))
        });
        let reasons = grouped(reasons).into_iter().map(|((name, _), symptoms)| {
            let (name, symptom) = (row(&name), symptoms[0].clone());
            text!("{name} is INVALID: {symptom}")
        });
        reasons.collect()
    }
}

fn is_valid(sample: &CellMeasurement<'_>) -> bool {
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
                figure.interval_95 = level.and_then(|it| {
                    let ends = it.interval_95?;
                    (!is_far(ends.map(|end| end / it.per_second))).then_some(ends)
                });
                figure.is_best = effects.is_some_and(|row| row.best == Some(cell));
                Some(figure)
            };
            MatrixRowDocument {
                name,
                counted: match samples.iter().any(|it| it.result.files_per_s.is_some()) {
                    true => CountedUnit::Files,
                    false => CountedUnit::Bytes,
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
        document.sentences = sentences(&document);
        document
    }
}

impl MatrixFigure {
    /// Without what only all cells together tell; `None` of nothing.
    fn of(samples: &[&CellMeasurement<'_>]) -> Option<Self> {
        // What others moved meanwhile is no part of the row.
        let alone = samples.iter().filter(|it| !has_foreign_io(it.result));
        let at_disks: Vec<f64> = alone.filter_map(|it| it.result.device_ratio).collect();
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
            verdict: verdict(samples),
            is_best: false,
            bytes_at_disks_per_byte: Summary::of(&at_disks).map(|it| it.median),
            findings,
        })
    }
}

/// The worst of the results that count; INVALID where none does.
fn verdict(samples: &[&CellMeasurement<'_>]) -> Option<Verdict> {
    let all = samples.iter().filter_map(|it| it.result.verdict);
    let counted = all.clone().filter(|it| *it != Verdict::Invalid);
    counted.max().or_else(|| all.max())
}

fn has_foreign_io(result: &ResultDocument) -> bool {
    let mut findings = result.findings.iter();
    findings.any(|finding| finding.code == FOREIGN_IO)
}

fn bytes_per_io(result: &ResultDocument) -> Option<f64> {
    let iops = result.iops.as_ref()?.median;
    let bytes = result.bandwidth_bytes_per_s.as_ref()?.bytes_per_s.median;
    (iops > 0.0 && result.files_per_s.is_none()).then(|| bytes / iops)
}
