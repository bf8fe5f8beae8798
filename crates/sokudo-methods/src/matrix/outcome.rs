//! What a matrix has come to, as far as it was measured: judged, printed, drawn.

use sokudo_analysis::{is_matrix_precise, matrix_effects};
use sokudo_report::{LiveRun, MatrixDocument, MatrixSoFar, RunDocument, plot};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{language, picture, print};
use sokudo_words::text;

use crate::matrix::arguments::MatrixArguments;
use crate::matrix::kept::Measured;
use crate::matrix::request::{DiskSource, Matrix};

/// Judges what there is and hands it on.
fn judged<T>(matrix: &Matrix, measured: &Measured, take: impl FnOnce(&MatrixSoFar<'_>) -> T) -> T {
    let mut plan = matrix.plan.clone();
    for (cell, note) in measured.all_notes() {
        plan.cells[cell].notes.push(note);
    }
    take(&MatrixSoFar {
        id: &matrix.id,
        command: &matrix.command,
        is_of_files: matches!(matrix.source, DiskSource::Files { .. }),
        plan: &plan,
        runs: &measured.runs,
        failures: &measured.failures,
    })
}

pub(super) fn document(matrix: &Matrix, measured: &Measured) -> MatrixDocument {
    judged(matrix, measured, |so_far| {
        MatrixDocument::new(so_far, matrix_effects(&so_far.figures()))
    })
}

/// Whether so many blocks are enough for what each axis does to be known so precisely.
pub(super) fn is_precise(matrix: &Matrix, measured: &Measured, blocks: u32, wanted: f64) -> bool {
    let effects = judged(matrix, measured, |so_far| matrix_effects(&so_far.figures()));
    is_matrix_precise(&effects, blocks, wanted)
}

/// The same as is printed, for the page.
pub(super) fn live(matrix: &Matrix, measured: &Measured) -> LiveRun {
    LiveRun::of_matrix(&document(matrix, measured), language::current())
}

pub(super) fn print(
    matrix: &Matrix,
    measured: &Measured,
    arguments: &MatrixArguments,
) -> Result<(), Exit> {
    let runs: Vec<&RunDocument> = measured.runs.iter().map(|it| &it.run).collect();
    let document = print::masked(document(matrix, measured), &runs, arguments.masking)?;
    let rendering = &arguments.rendering;
    print::write_document(&document, rendering)?;
    if let (Some(path), Some(answer)) = (rendering.output(), document.sentences.first()) {
        let (id, path) = (&document.id, path.display());
        exit::note(text!("matrix {id} is in {path}: {answer}"));
    }
    picture::write_all(
        |language| plot::matrix(&document, rendering.table.unit, language),
        &arguments.pictures,
    )
}
