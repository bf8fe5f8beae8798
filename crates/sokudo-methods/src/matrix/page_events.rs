//! What happens in a matrix, told to the page that has started it: one run of many cells.

use sokudo_page::{PlannedRow, RunEvent, RunPhase};
use sokudo_terminal::event_stream;

use crate::matrix::announce::PlannedMatrix;
use crate::matrix::kept::Measured;
use crate::matrix::outcome;
use crate::matrix::progress::MatrixProgress;
use crate::matrix::request::Matrix;

/// Tells the page how far a matrix is.
pub(super) struct MatrixTelling;

/// Tells what will be done.
pub(super) fn announce(matrix: &Matrix, planned: &PlannedMatrix<'_>) {
    let rows = matrix.cells().map(|cell| PlannedRow {
        name: matrix.cell_name(cell),
        direction: String::new(),
    });
    let in_all = planned.in_all();
    event_stream::tell(&RunEvent::Planned {
        method: "matrix".to_owned(),
        command: matrix.command.clone(),
        rows: rows.collect(),
        trials: matrix.blocks,
        adaptive: matrix.precision.is_some(),
        seconds: planned.seconds().unwrap_or_default(),
        writes_bytes: in_all.as_ref().and_then(|it| it.writes_bytes),
        writes_seconds: in_all.as_ref().map_or(0.0, |it| it.writes_seconds),
        asks: in_all.is_some_and(|it| it.is_much()),
    });
}

impl MatrixTelling {
    /// Takes over the event stream; `None` where none was asked for.
    pub(super) fn begin() -> Option<Self> {
        event_stream::wanted()?;
        event_stream::leave_to_another();
        Some(Self)
    }

    /// Tells that a cell begins, in this block.
    pub(super) fn cell(
        &self,
        matrix: &Matrix,
        (cell, block): (usize, u32),
        progress: &MatrixProgress,
        measured: &Measured,
    ) {
        let row = matrix.cells().position(|it| it == cell).unwrap_or(cell);
        event_stream::tell(&RunEvent::Trial { row, trial: block });
        let left = progress.left(matrix, measured).unwrap_or_default();
        event_stream::tell(&RunEvent::Progress {
            row,
            at: progress.elapsed().as_secs_f64(),
            mb_per_second: None,
            iops: None,
            phase: RunPhase::Running,
            done: progress.done(matrix, measured),
            seconds_left: left.as_secs_f64(),
            moved_bytes: 0,
        });
    }

    /// A cell has been measured, or failed.
    pub(super) fn table(&self, matrix: &Matrix, measured: &Measured) {
        let live = event_stream::value(&outcome::live(matrix, measured));
        event_stream::tell(&RunEvent::Table { live });
    }
}

/// Tells that the whole matrix is over.
pub(super) fn done(matrix: &Matrix, measured: &Measured) {
    let live = event_stream::value(&outcome::live(matrix, measured));
    event_stream::tell(&RunEvent::Done { kept: None, live });
}
