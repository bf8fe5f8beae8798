//! What happens in a matrix, told to the page that has started it: one run of many cells.

use std::time::Instant;

use sokudo_page::{PlannedRow, RunEvent, RunPhase};

use super::announce::PlannedMatrix;
use super::kept::Measured;
use super::outcome;
use super::request::Matrix;
use crate::telling;

/// Tells the page how far a matrix is.
pub(super) struct MatrixTelling {
    began: Instant,
    /// Cells of all blocks, and those of them that had been measured before.
    cells: usize,
    before: usize,
}

/// Tells what will be done.
pub(super) fn announce(matrix: &Matrix, planned: &PlannedMatrix<'_>) {
    let rows = matrix.cells().map(|cell| PlannedRow {
        name: matrix.cell_name(cell),
        direction: String::new(),
    });
    let written = planned.written_in_all();
    #[expect(clippy::cast_precision_loss, reason = "seconds of an estimate")]
    let writes_seconds = written.map_or(0.0, |(_, seconds)| seconds as f64);
    telling::tell(&RunEvent::Planned {
        method: "matrix".to_owned(),
        command: matrix.command.clone(),
        rows: rows.collect(),
        trials: matrix.blocks,
        adaptive: matrix.precision.is_some(),
        seconds: planned.seconds().unwrap_or_default(),
        writes_bytes: written.map(|(bytes, _)| bytes.0),
        writes_seconds,
    });
}

impl MatrixTelling {
    /// Where somebody listens.
    pub(super) fn begin(matrix: &Matrix, measured: &Measured) -> Option<Self> {
        telling::wanted()?;
        telling::tell_together();
        Some(Self {
            began: Instant::now(),
            cells: matrix.cells().count() * matrix.blocks as usize,
            before: measured.runs.len(),
        })
    }

    /// A cell begins.
    pub(super) fn cell(&self, matrix: &Matrix, cell: usize, block: u32, measured: &Measured) {
        let row = matrix.cells().position(|it| it == cell).unwrap_or(cell);
        telling::tell(&RunEvent::Trial { row, trial: block });
        let at = self.began.elapsed().as_secs_f64();
        let made = measured.runs.len() + measured.failures.len() * matrix.blocks as usize;
        #[expect(clippy::cast_precision_loss, reason = "a share of few cells")]
        let (done, now, all) = (
            made as f64 / self.cells.max(1) as f64,
            (made - self.before.min(made)) as f64,
            (self.cells.saturating_sub(made)) as f64,
        );
        telling::tell(&RunEvent::Progress {
            row,
            at,
            mb_per_second: None,
            iops: None,
            phase: RunPhase::Running,
            done,
            seconds_left: if now > 0.0 { at / now * all } else { 0.0 },
            moved_bytes: 0,
        });
    }

    /// A cell has been measured, or failed.
    pub(super) fn table(&self, matrix: &Matrix, measured: &Measured) {
        let live = telling::value(&outcome::live(matrix, measured));
        telling::tell(&RunEvent::Table { live });
    }
}

/// It is over.
pub(super) fn done(matrix: &Matrix, measured: &Measured) {
    let live = telling::value(&outcome::live(matrix, measured));
    telling::tell(&RunEvent::Done { kept: None, live });
}
