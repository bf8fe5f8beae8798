//! What the axes of a matrix do to its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::matrix::MatrixAxis;

/// What was measured of a matrix, as far as it can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixFigures {
    /// Axes that are varied, in the order of each cell's values.
    pub axes: Vec<MatrixAxis>,
    /// Which value of each axis each cell has.
    pub cells: Vec<Vec<usize>>,
    /// The rows of the method, in order.
    pub rows: Vec<RowOfMatrix>,
}

/// One row of the method in all cells and blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct RowOfMatrix {
    /// Its name with its direction, as in `RND4K Q32T1 read`.
    pub name: String,
    /// What was found, at most once in each cell and block.
    pub rates: Vec<CellRate>,
}

/// What a row came to in one cell and one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellRate {
    /// Which cell, counted from 0.
    pub cell: usize,
    /// Which block, counted from 0.
    pub block: u32,
    /// More than 0, in what the row is counted in per second.
    pub per_second: f64,
}

/// What the axes of a matrix do. All that is said to differ is wrong in at most one of twenty
/// matrices in which nothing differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixEffects {
    /// How many comparisons were made together.
    pub comparisons: usize,
    /// The rows of the method, in order.
    pub rows: Vec<RowEffects>,
}

/// What the axes do to one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowEffects {
    /// The row's name with its direction.
    pub row: String,
    /// What each cell comes to; null where it was never measured.
    pub cells: Vec<Option<CellLevel>>,
    /// For each two values of an axis, how one stands to the other.
    pub pairs: Vec<PairEffect>,
    /// For each two values of two axes, how far together they are from what each does otherwise.
    pub combinations: Vec<CombinationEffect>,
    /// The cell that is faster than every other, where one is shown to be.
    pub best: Option<usize>,
}

/// What a cell comes to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellLevel {
    /// The geometric mean of its blocks, in what the row is counted in per second. What a block
    /// did to all cells is taken out, so that cells which missed some can be compared.
    pub per_second: f64,
    /// Low and high end of the 95 % interval of this cell alone against the mean of all cells;
    /// null where nothing is known of the noise.
    pub interval_95: Option<[f64; 2]>,
    /// In how many blocks it was measured.
    pub blocks: usize,
}

/// A ratio with the interval of all that is compared together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffectRatio {
    /// Estimate of the ratio; 1 is no difference.
    pub ratio: f64,
    /// Low end of the interval.
    pub low: f64,
    /// High end of the interval.
    pub high: f64,
}

impl EffectRatio {
    /// Whether a difference is shown: the interval does not hold 1.
    pub fn is_shown(self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// How far the interval reaches from the ratio, as a share of it: 0.03 for ± 3 %.
    pub fn reach(self) -> f64 {
        self.high / self.ratio - 1.0
    }
}

/// How one value of an axis stands to another, in the mean of all contexts in which both exist.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairEffect {
    /// Which axis, counted from 0.
    pub axis: usize,
    /// The value that is compared, counted from 0.
    pub value: usize,
    /// What it is compared with.
    pub reference: usize,
    /// How many combinations of the other axes have both.
    pub contexts: usize,
    /// After how many blocks a difference as large as it seems is expected to be shown; missing
    /// where it is shown, and where 100 blocks are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_to_show: Option<u32>,
    /// The value ÷ what it is compared with.
    #[serde(flatten)]
    pub ratio: EffectRatio,
}

/// How far a combination of two axes' values is from what both do otherwise: where it is, what
/// one axis does depends on the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CombinationEffect {
    /// Which axes, counted from 0.
    pub axes: [usize; 2],
    /// Which value of each.
    pub values: [usize; 2],
    /// The combination ÷ what it would be if each axis did the same as elsewhere.
    #[serde(flatten)]
    pub ratio: EffectRatio,
}
