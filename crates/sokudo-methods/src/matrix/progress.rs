//! How far a matrix is, and how long the rest takes at the pace of what has been measured.

use std::time::{Duration, Instant};

use crate::matrix::kept::Measured;
use crate::matrix::request::Matrix;

/// How far a matrix is since this process took it up.
pub(super) struct MatrixProgress {
    began: Instant,
    /// Cells of all blocks that are planned.
    cells: usize,
    /// Those of them that had been measured before.
    before: usize,
}

impl MatrixProgress {
    pub(super) fn begin(matrix: &Matrix, measured: &Measured) -> Self {
        Self {
            began: Instant::now(),
            cells: matrix.cells().count() * matrix.blocks as usize,
            before: measured.runs.len(),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The share that is done; a cell that failed is done in all blocks.
    pub(super) fn done(&self, matrix: &Matrix, measured: &Measured) -> f64 {
        Self::made(matrix, measured) as f64 / self.cells.max(1) as f64
    }

    /// How long the rest takes; `None` before anything has been measured.
    pub(super) fn left(&self, matrix: &Matrix, measured: &Measured) -> Option<Duration> {
        let made = Self::made(matrix, measured);
        let now = u32::try_from(made.checked_sub(self.before)?).ok()?;
        let rest = u32::try_from(self.cells.saturating_sub(made)).ok()?;
        Some(self.elapsed().checked_div(now)? * rest)
    }

    fn made(matrix: &Matrix, measured: &Measured) -> usize {
        measured.runs.len() + measured.failures.len() * matrix.blocks as usize
    }
}
