//! What a matrix has come to, as far as it was measured.

use sokudo_words::Text;

use super::campaign::Measured;
use super::request::Matrix;
use crate::cli::MatrixArguments;
use crate::exit::Exit;
use crate::output;

pub(super) struct CellFailure {
    pub(super) cell: usize,
    pub(super) block: u32,
    pub(super) command: Option<String>,
    pub(super) message: Text,
}

pub(super) fn is_precise(_: &Matrix, _: &Measured, _: f64) -> bool {
    true
}

pub(super) fn print(matrix: &Matrix, measured: &Measured, _: &MatrixArguments) -> Result<(), Exit> {
    for run in &measured.runs {
        for row in &run.run.results {
            output::print(&format!(
                "{} block {} {} {:?} {:?}\n",
                matrix.cell_name(run.cell),
                run.block,
                row.name,
                row.trials.iter().map(|t| t.bytes).collect::<Vec<_>>(),
                row.verdict
            ))?;
        }
    }
    for failure in &measured.failures {
        output::print(&format!(
            "FAILED {} {:?} {}\n",
            matrix.cell_name(failure.cell),
            failure.command,
            failure.message
        ))?;
    }
    Ok(())
}

pub(super) fn live(
    _: &Matrix,
    _: &Measured,
    _: &MatrixArguments,
) -> Option<sokudo_report::LiveRun> {
    None
}
