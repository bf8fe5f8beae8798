//! What a matrix has come to, as far as it was measured: judged, printed, drawn.

use sokudo_analysis::{is_matrix_precise, matrix_effects};
use sokudo_report::{LiveRun, MatrixDocument, MatrixRun, MatrixSoFar, matrix as forms, plot};
use sokudo_terminal::arguments::printing::Format;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{language, output, picture};

use crate::matrix::arguments::MatrixArguments;
use crate::matrix::kept::Measured;
use crate::matrix::request::{DiskSource, Matrix};

/// Judges what there is and hands it on.
fn judged<T>(matrix: &Matrix, measured: &Measured, take: impl FnOnce(&MatrixSoFar<'_>) -> T) -> T {
    let runs: Vec<MatrixRun<'_>> = measured
        .runs
        .iter()
        .map(|it| MatrixRun {
            cell: it.cell,
            block: it.block,
            run: &it.run,
        })
        .collect();
    let mut plan = matrix.plan.clone();
    for (cell, note) in measured.all_notes() {
        plan.cells[cell].notes.push(note);
    }
    take(&MatrixSoFar {
        id: &matrix.id,
        command: &matrix.command,
        is_of_files: matches!(matrix.source, DiskSource::Files { .. }),
        plan: &plan,
        runs: &runs,
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
    let document = document(matrix, measured);
    let path = arguments.rendering.output.as_deref();
    let style = output::style(path.is_none(), arguments.rendering.unit);
    let text = match arguments.rendering.format {
        Format::Table => forms::render_table(&document, &style),
        Format::Json => document.to_json(),
        Format::Csv => forms::render_csv(&document),
        Format::Markdown => forms::render_markdown(&document, style.unit, language::current()),
    };
    output::put(path, &text, arguments.rendering.format == Format::Table)?;
    picture::write_all(
        |language| plot::matrix(&document, style.unit, language),
        &arguments.pictures,
    )
}
