//! The runs of a matrix in the store: what they are tagged with, and how a matrix that was
//! stopped is found again.

use std::collections::BTreeMap;

use sokudo_device::ArcCounts;
use sokudo_history::find::Recall;
use sokudo_history::keep;
use sokudo_model::is_label;
use sokudo_report::{CellFailure, MatrixRun, Report, RunDocument};
use sokudo_store::{Filter, Page};
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

use crate::matrix::arguments::MatrixArguments;
use crate::matrix::request::Matrix;
use crate::measurement::FinishedMeasurement;

/// More runs than cells and blocks can be.
const RUNS_MAX: u64 = 100_000;

/// What has been measured of a matrix.
#[derive(Default)]
pub(super) struct Measured {
    pub runs: Vec<MatrixRun>,
    pub failures: Vec<CellFailure>,
    /// What was seen of cells while they were made.
    pub notes: Vec<(usize, Text)>,
    /// What the cache of ZFS answered while cells on it were measured.
    pub arc: BTreeMap<usize, ArcCounts>,
}

impl Measured {
    /// Adds what the cache of ZFS answered in one more block.
    pub(super) fn count_arc(&mut self, cell: usize, counts: ArcCounts) {
        let sum = self.arc.entry(cell).or_default();
        sum.lookups += counts.lookups;
        sum.answered += counts.answered;
    }

    /// All that was seen of cells.
    pub(super) fn all_notes(&self) -> impl Iterator<Item = (usize, Text)> {
        let of_arc = |(cell, counts): (&usize, &ArcCounts)| {
            let ArcCounts { lookups, answered } = counts;
            let note = text!(
                "the cache of ZFS (ARC) answered {answered} of {lookups} lookups of data meanwhile, of all pools together"
            );
            (*cell, note)
        };
        self.notes
            .iter()
            .cloned()
            .chain(self.arc.iter().map(of_arc))
    }

    /// Remembers what was seen of a cell, each thing once.
    pub(super) fn note(&mut self, cell: usize, notes: Vec<Text>) {
        for note in notes.into_iter().map(|note| (cell, note)) {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }
}

/// Keeps the run of a cell, with the values of its axes as tags.
pub(super) fn keep_run(
    matrix: &Matrix,
    (cell, block): (usize, u32),
    mut finished: FinishedMeasurement,
    keeping: &Keeping,
) -> MatrixRun {
    let label = matrix.cell_name(cell);
    let label = is_label(&label).then_some(label);
    finished.run.command.clone_from(&matrix.command);
    finished.document.command.clone_from(&matrix.command);
    finished.run.label.clone_from(&label);
    finished.document.label = label;
    let kept = keep::keep([(&finished.run, &finished.document)], keeping);
    if let Some(id) = kept.first() {
        keep::tag(id, &tags(matrix, cell, block), keeping);
    }
    MatrixRun {
        cell,
        block,
        run: finished.document,
    }
}

/// Before the name of a matrix in the tags of its runs.
const MATRIX_TAG: &str = "matrix=";

fn matrix_tag(id: &str) -> String {
    format!("{MATRIX_TAG}{id}")
}

/// The matrix that a tag names.
pub(super) fn matrix_of_tag(tag: &str) -> Option<&str> {
    tag.strip_prefix(MATRIX_TAG)
}

fn tags(matrix: &Matrix, cell: usize, block: u32) -> Vec<String> {
    let mut tags = vec![matrix_tag(&matrix.id), format!("block={}", block + 1)];
    tags.extend(value_tags(matrix, cell));
    tags
}

/// `AXIS=VALUE`; a tag has no commas.
fn value_tags(matrix: &Matrix, cell: usize) -> impl Iterator<Item = String> {
    let values = &matrix.plan.cells[cell].values;
    let values = matrix.plan.axes.iter().zip(values);
    values.map(|(axis, value)| format!("{}={}", axis.name, axis.values[*value].replace(',', "+")))
}

/// The matrix of this name, with what has been measured of it.
pub(super) fn resumed(
    id: &str,
    arguments: &MatrixArguments,
) -> Result<(Matrix, Vec<MatrixRun>), Exit> {
    let mut recall = Recall::new(&arguments.keeping);
    let filter = Filter {
        tags: vec![matrix_tag(id)],
        ..Filter::default()
    };
    let page = Page {
        skip: 0,
        count: RUNS_MAX,
    };
    let entries = recall.store()?.list(&filter, page).map_err(Exit::failed)?;
    let mut runs = recall.of_entries(entries)?;
    // The oldest first: of two runs of one cell and block the later one counts.
    runs.reverse();
    let first = runs.first().ok_or_else(|| {
        Exit::usage(text!(
            "no run of a matrix {id} is kept; sokudo list --tag matrix={id} would show them"
        ))
    })?;
    let mut matrix = Matrix::repeated(id, &first.run.command)?;
    matrix.blocks = arguments.blocks.unwrap_or(matrix.blocks);
    matrix.precision = arguments.precision.map(|it| it.0).or(matrix.precision);
    matrix.time_max = arguments.max_time.or(matrix.time_max);
    let mut measured: Vec<MatrixRun> = Vec::new();
    for recalled in runs {
        let Some(cell_block) = cell_and_block(&matrix, &recalled.annotations.tags) else {
            return Err(Exit::usage(text!(
                "{} does not fit into matrix {id}: its file or its tags have been changed since; begin a new matrix",
                recalled.name()
            )));
        };
        put(&mut measured, cell_block, recalled.run);
    }
    Ok((matrix, measured))
}

/// The matrix of this name as far as its runs are in a report; `None` where one of them does not
/// fit.
pub(super) fn of_report(id: &str, report: &Report) -> Option<(Matrix, Vec<MatrixRun>)> {
    let tag = matrix_tag(id);
    let mut runs = report.runs.iter().filter(|it| it.tags.contains(&tag));
    let first = runs.clone().next()?;
    let matrix = Matrix::repeated(id, &first.run.command).ok()?;
    let mut measured = Vec::new();
    runs.try_for_each(|it| {
        put(
            &mut measured,
            cell_and_block(&matrix, &it.tags)?,
            it.run.clone(),
        );
        Some(())
    })?;
    Some((matrix, measured))
}

/// Adds a run; a later one of the same cell and block counts instead.
fn put(measured: &mut Vec<MatrixRun>, (cell, block): (usize, u32), run: RunDocument) {
    measured.retain(|it| (it.cell, it.block) != (cell, block));
    measured.push(MatrixRun { cell, block, run });
}

/// Which cell and block a run with these tags is of.
fn cell_and_block(matrix: &Matrix, tags: &[String]) -> Option<(usize, u32)> {
    let mut blocks = tags.iter().filter_map(|tag| tag.strip_prefix("block="));
    let block: u32 = blocks.next()?.parse().ok()?;
    let is_of = |cell: &usize| value_tags(matrix, *cell).all(|tag| tags.contains(&tag));
    let cell = matrix.cells().find(is_of)?;
    Some((cell, block.checked_sub(1)?))
}
