//! The document of a matrix, `sokudo.matrix/1`: one method on every combination of what was
//! varied, what it came to, and what of it differs.
//!
//! It is what all formats and the picture of a matrix are written from. It tests nothing:
//! effects come to it as they are.

mod csv;
mod sentence;
mod so_far;
pub(crate) mod table;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{MatrixAxis, MatrixEffects, Verdict};
use sokudo_words::Text;

pub use so_far::{MatrixRun, MatrixSoFar};
pub(crate) use table::unit_of;
pub(crate) use words::{axis_name, cell_name};

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
    /// Axes of the matrix, each with its values.
    pub axes: Vec<MatrixAxis>,
    /// The combinations, the last axis changing fastest.
    pub cells: Vec<MatrixCellDocument>,
    /// The rows of the method.
    pub rows: Vec<MatrixRowDocument>,
    /// What the axes do to them.
    pub effects: MatrixEffects,
}

/// A combination of one value of each axis, and what became of it.
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
    /// Sentence that tells what went wrong.
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
    pub counted: CountedUnit,
    /// Bytes per I/O, where all have one size.
    pub bytes_per_io: Option<f64>,
    /// As many as there are cells; null where it was never measured.
    pub cells: Vec<Option<MatrixFigure>>,
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountedUnit {
    /// Bytes that I/Os moved.
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
    /// Low and high end of the 95 % interval of this cell alone; null where it is not known, or of
    /// so few blocks that an end is ten times as far.
    pub interval_95: Option<[f64; 2]>,
    /// The median of its trials in each block in which it was measured.
    pub blocks: Vec<BlockFigure>,
    /// The worst verdict of the blocks that count; INVALID where none does.
    pub verdict: Option<Verdict>,
    /// Whether the cell is shown to be faster than every other in this row.
    pub is_best: bool,
    /// Bytes that the disks moved per byte of the row, the median of the blocks: of writes
    /// what parity, mirrors, journals and copies on write add, of reads what caches took away.
    /// Null where the disks' counters could not be read, or others moved bytes, too.
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

impl MatrixDocument {
    /// The figures of all rows and cells that have one.
    fn figures(&self) -> impl Iterator<Item = &MatrixFigure> {
        self.rows.iter().flat_map(|row| row.cells.iter().flatten())
    }
}

impl MatrixFigure {
    /// Whether a block is not VERIFIED.
    pub(crate) fn is_unproven(&self) -> bool {
        self.verdict != Some(Verdict::Verified)
    }

    /// How many blocks count: those whose result is not INVALID.
    pub(crate) fn counted_blocks(&self) -> usize {
        let blocks = self.blocks.iter();
        blocks
            .filter(|it| it.verdict != Some(Verdict::Invalid))
            .count()
    }
}

#[cfg(test)]
mod tests;
