//! Cells measured once in every block: what each comes to without the blocks' drift, and how
//! sure a difference between them is.
//!
//! The model is value = cell + block + noise, fitted by least squares, so that a block that was
//! slow as a whole says nothing about the cells in it, and a cell may be missing in some blocks.
//! Cells may be noisier than others.

use crate::student::student_t;

/// How much of a cell's variance is taken from that cell alone, and not from those that it is
/// pooled with.
///
/// Three blocks leave a cell two degrees of freedom, with which it says little; without its own
/// part a single noisy cell would pass for a quiet one. Simulated in `sokudo-analysis` (matrix).
const OWN_SHARE: f64 = 0.25;
/// Fewer degrees of freedom than this say nothing about a cell's own noise.
const FREEDOM_MIN: f64 = 0.5;
/// Part of all degrees of freedom that one interval may have. With all of them, of 2 × 2 cells of
/// which some are three times as noisy, more than 5 % of the matrices came out wrong.
const FREEDOM_SHARE_MAX: f64 = 2.0 / 3.0;
/// Differences of logarithms below this are rounding.
const ROUNDING: f64 = 1e-9;
/// Smaller pivots are rounding: some block has no cell in common with the others.
const PIVOT_MIN: f64 = 1e-9;

/// A value of one cell in one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockValue {
    /// Which cell, counted from 0.
    pub cell: usize,
    /// Which block, counted from 0.
    pub block: usize,
    /// What the cell came to in the block.
    pub value: f64,
}

/// A sum of cells with weights that add up to 0, as it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// Sum of the fitted cells, each times its weight.
    pub estimate: f64,
    /// How far its interval reaches to either side.
    pub reach: f64,
}

impl Contrast {
    /// Whether its interval does not hold 0.
    pub fn is_shown(self) -> bool {
        self.estimate.abs() > self.reach
    }
}

/// Cells and blocks, fitted.
#[derive(Clone, Debug)]
pub struct BlockFit {
    cells: Vec<FittedCell>,
    /// What each block adds to every cell in it.
    blocks: Vec<f64>,
    /// Inverse of the blocks' normal equations.
    inverse: Vec<Vec<f64>>,
}

/// A cell that was found in some blocks.
#[derive(Clone, Debug, Default)]
struct FittedCell {
    /// In which, each once.
    blocks: Vec<usize>,
    mean: f64,
    /// Sum of the squares of what is left.
    squares: f64,
    /// How many of these are independent.
    freedom: f64,
}

impl BlockFit {
    /// Of this many cells and blocks. `None` without values, and where blocks cannot be compared
    /// because they have no cell in common.
    pub fn of(cells: usize, blocks: usize, values: &[BlockValue]) -> Option<Self> {
        let mut fitted = vec![FittedCell::default(); cells];
        for value in values {
            fitted.get_mut(value.cell)?.blocks.push(value.block);
        }
        let used: Vec<usize> = (0..blocks)
            .filter(|block| values.iter().any(|value| value.block == *block))
            .collect();
        // Only blocks that hold something are fitted.
        let index_of = |block: usize| used.iter().position(|it| *it == block);
        for cell in &mut fitted {
            cell.blocks = cell.blocks.iter().filter_map(|it| index_of(*it)).collect();
        }
        let inverse = inverted(normal_equations(&fitted, used.len()))?;
        let mut fit = Self {
            cells: fitted,
            blocks: vec![0.0; used.len()],
            inverse,
        };
        let raw = |cell: usize| {
            let values = values.iter().filter(|it| it.cell == cell);
            mean(values.map(|it| it.value))
        };
        let raw: Vec<f64> = (0..cells).map(raw).collect();
        let mut sums = vec![0.0; used.len()];
        for value in values {
            sums[index_of(value.block)?] += value.value - raw[value.cell];
        }
        fit.blocks = fit.times_inverse(&sums);
        for (cell, raw) in raw.iter().enumerate() {
            let effect = mean(fit.cells[cell].blocks.iter().map(|it| fit.blocks[*it]));
            fit.cells[cell].mean = raw - effect;
            fit.cells[cell].freedom = fit.freedom(cell);
        }
        for value in values {
            let cell = &mut fit.cells[value.cell];
            let left = value.value - cell.mean - fit.blocks[index_of(value.block)?];
            cell.squares += left * left;
        }
        (!values.is_empty()).then_some(fit)
    }

    /// What a cell comes to in the mean of all blocks; `None` for one that was never measured.
    pub fn mean(&self, cell: usize) -> Option<f64> {
        let cell = self.cells.get(cell)?;
        (!cell.blocks.is_empty()).then_some(cell.mean)
    }

    /// The sum of cells with these weights, which add up to 0, and its interval.
    ///
    /// The noise is taken for that of all cells, and for that of the cells of each group of each
    /// of `groupings` (which number the group of every cell), always with a share of each
    /// cell's own; the widest interval counts, so that neither a noisy group nor a noisy cell
    /// passes for quiet. Its degrees of freedom are Welch's of a sum
    /// of variances (1947, Biometrika 34, 28–35), at most two thirds of all that there are, for
    /// residuals of one block hang together. `None` where a weight is of a cell without values, or nothing is known of
    /// the noise.
    pub fn contrast(
        &self,
        weights: &[f64],
        groupings: &[Vec<usize>],
        confidence: f64,
    ) -> Option<Contrast> {
        let used = || (0..weights.len()).filter(|cell| weights[*cell] != 0.0);
        if used().any(|cell| self.mean(cell).is_none()) {
            return None;
        }
        let estimate = used().map(|cell| weights[cell] * self.cells[cell].mean);
        let spread = self.spread(weights);
        let everybody = vec![0; self.cells.len()];
        let ways = groupings.iter().chain(std::iter::once(&everybody));
        let reaches = ways.filter_map(|groups| self.reach(&spread, groups, confidence));
        Some(Contrast {
            estimate: estimate.sum(),
            reach: reaches.reduce(f64::max)?.max(ROUNDING),
        })
    }

    /// What so many blocks in all are expected to leave: cells and their noise stay as they are, and
    /// the degrees of freedom grow.
    #[must_use]
    pub fn with_blocks(mut self, blocks: usize) -> Self {
        let now = self.blocks.len();
        let growth = count(blocks.saturating_sub(1)) / count(now.saturating_sub(1));
        for cell in &mut self.cells {
            cell.freedom *= growth;
            // What a cell's mean varies by shrinks with the number of its blocks.
            cell.squares *= growth * count(now) / count(blocks);
        }
        self
    }

    /// What each cell's variance counts in that of a contrast: the squares of the weights that
    /// its values have in it, which missing cells make uneven.
    fn spread(&self, weights: &[f64]) -> Vec<f64> {
        let share = |cell: usize| weights[cell] / count(self.cells[cell].blocks.len());
        let mut through_blocks = vec![0.0; self.blocks.len()];
        for (cell, fitted) in self.cells.iter().enumerate() {
            for block in &fitted.blocks {
                through_blocks[*block] += share(cell);
            }
        }
        let through_blocks = self.times_inverse(&through_blocks);
        let of_cell = |(cell, fitted): (usize, &FittedCell)| {
            let blocks = || fitted.blocks.iter().map(|block| through_blocks[*block]);
            let middle = mean(blocks());
            let weights = blocks().map(|it| share(cell) - (it - middle));
            weights.map(|weight| weight * weight).sum()
        };
        self.cells.iter().enumerate().map(of_cell).collect()
    }

    /// Where cells of a group are equally noisy, but for a share of their own.
    fn reach(&self, spread: &[f64], groups: &[usize], confidence: f64) -> Option<f64> {
        // What each cell's squares count in the variance.
        let mut factors = vec![0.0; self.cells.len()];
        for (cell, spread) in spread.iter().enumerate().filter(|(_, it)| **it > 0.0) {
            let members = || (0..groups.len()).filter(|it| groups[*it] == groups[cell]);
            let pooled: f64 = members().map(|it| self.cells[it].freedom).sum();
            if pooled < FREEDOM_MIN {
                return None;
            }
            let own = self.cells[cell].freedom;
            let own_share = if own < FREEDOM_MIN { 0.0 } else { OWN_SHARE };
            for member in members() {
                factors[member] += spread * (1.0 - own_share) / pooled;
            }
            if own_share > 0.0 {
                factors[cell] += spread * own_share / own;
            }
        }
        let terms = || {
            let cells = self.cells.iter().zip(&factors);
            cells.map(|(cell, factor)| (cell.squares * factor, cell.freedom))
        };
        let variance: f64 = terms().map(|(term, _)| term).sum();
        let fourth: f64 = terms()
            .map(|(term, freedom)| term * term / (freedom + 2.0))
            .sum();
        if variance <= 0.0 {
            return Some(0.0);
        }
        let all: f64 = self.cells.iter().map(|cell| cell.freedom).sum();
        let degrees = (variance * variance / fourth - 2.0)
            .min(all * FREEDOM_SHARE_MAX)
            .max(1.0);
        #[expect(clippy::cast_possible_truncation, reason = "1 to the number of values")]
        let reach = student_t(confidence, (degrees + ROUNDING) as u32)?;
        Some(reach * variance.sqrt())
    }

    /// How many of a cell's residuals are independent: one less for each of its values than the
    /// value decides about its own fit (its leverage).
    fn freedom(&self, cell: usize) -> f64 {
        let blocks = &self.cells[cell].blocks;
        let share = 1.0 / count(blocks.len());
        let left = blocks.iter().map(|block| {
            let mut direction = vec![0.0; self.blocks.len()];
            for other in blocks {
                direction[*other] -= share;
            }
            direction[*block] += 1.0;
            let moved = self.times_inverse(&direction);
            let own: f64 = moved.iter().zip(&direction).map(|(a, b)| a * b).sum();
            1.0 - share - own
        });
        left.sum()
    }

    fn times_inverse(&self, vector: &[f64]) -> Vec<f64> {
        let times = |line: &Vec<f64>| line.iter().zip(vector).map(|(a, b)| a * b).sum();
        self.inverse.iter().map(times).collect()
    }
}

/// Those of the blocks' effects once the cells are taken out, with a one added everywhere, so
/// that the effects' sum, which nothing decides, becomes 0.
fn normal_equations(cells: &[FittedCell], blocks: usize) -> Vec<Vec<f64>> {
    let mut equations = vec![vec![1.0; blocks]; blocks];
    for cell in cells {
        let share = 1.0 / count(cell.blocks.len());
        for block in &cell.blocks {
            equations[*block][*block] += 1.0;
            for other in &cell.blocks {
                equations[*block][*other] -= share;
            }
        }
    }
    equations
}

/// By Gauss and Jordan, with the largest pivot; `None` for a matrix that has no inverse.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let unit = |line: usize| (0..size).map(move |it| f64::from(u8::from(it == line)));
    let mut inverse: Vec<Vec<f64>> = (0..size).map(|line| unit(line).collect()).collect();
    for step in 0..size {
        let by_size = |a: &usize, b: &usize| {
            let [a, b] = [a, b].map(|line| matrix[*line][step].abs());
            a.total_cmp(&b)
        };
        let pivot = (step..size).max_by(by_size)?;
        if matrix[pivot][step].abs() < PIVOT_MIN {
            return None;
        }
        matrix.swap(step, pivot);
        inverse.swap(step, pivot);
        let scale = matrix[step][step];
        for side in [&mut matrix, &mut inverse] {
            side[step].iter_mut().for_each(|it| *it /= scale);
        }
        for line in (0..size).filter(|line| *line != step) {
            let factor = matrix[line][step];
            for side in [&mut matrix, &mut inverse] {
                let subtracted = side[step].clone();
                let pairs = side[line].iter_mut().zip(subtracted);
                pairs.for_each(|(it, subtracted)| *it -= factor * subtracted);
            }
        }
    }
    Some(inverse)
}

/// Arithmetic mean; 0 of no values.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, number) = values.fold((0.0, 0), |(sum, number), it| (sum + it, number + 1));
    sum / count(number)
}

/// Number as a divisor, at least 1.
fn count(number: usize) -> f64 {
    number.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(table: &[&[f64]]) -> Vec<BlockValue> {
        let rows = table.iter().enumerate();
        rows.flat_map(|(cell, row)| {
            let values = row.iter().enumerate().filter(|(_, value)| !value.is_nan());
            values.map(move |(block, value)| BlockValue {
                cell,
                block,
                value: *value,
            })
        })
        .collect()
    }

    fn fit(table: &[&[f64]]) -> BlockFit {
        BlockFit::of(table.len(), table[0].len(), &values(table)).unwrap()
    }

    #[test]
    fn two_cells_are_compared_as_pairs_are() {
        let table: [&[f64]; 2] = [&[1.0, 2.0, 4.0, 4.5], &[1.5, 2.2, 4.8, 4.6]];
        let found = fit(&table).contrast(&[-1.0, 1.0], &[], 0.95).unwrap();
        // Differences 0.5, 0.2, 0.8, 0.1: mean 0.4, variance 0.1; of 3 degrees of freedom 2 are
        // counted, t(2) is 4.302653.
        assert!((found.estimate - 0.4).abs() < 1e-12, "{found:?}");
        let expected = 4.302_652_730 * (0.1f64 / 4.0).sqrt();
        assert!(
            (found.reach - expected).abs() < 1e-6,
            "{found:?} {expected}"
        );
        assert!(!found.is_shown());
    }

    #[test]
    fn more_blocks_are_expected_to_narrow_an_interval_and_to_leave_its_middle() {
        let table: [&[f64]; 2] = [&[1.0, 2.0, 4.0, 4.5], &[1.5, 2.2, 4.8, 4.6]];
        let expected = |blocks| {
            let fit = fit(&table).with_blocks(blocks);
            fit.contrast(&[-1.0, 1.0], &[], 0.95)
        };
        let now = fit(&table).contrast(&[-1.0, 1.0], &[], 0.95);
        assert_eq!(expected(4), now);
        // Of 7 degrees of freedom 4 are counted, t(4) is 2.776445.
        let found = expected(8).unwrap();
        let reach = 2.776_445_105 * (0.1f64 / 8.0).sqrt();
        assert!((found.reach - reach).abs() < 1e-6, "{found:?} {reach}");
        assert!((found.estimate - 0.4).abs() < 1e-12 && found.is_shown());
    }

    #[test]
    fn what_a_block_does_to_all_is_no_effect_of_a_cell_that_missed_it() {
        let missing = f64::NAN;
        // The third block is slow; cell 2 was not measured in it.
        let table: [&[f64]; 3] = [&[5.0, 5.1, 3.0], &[5.0, 5.1, 3.0], &[6.0, 6.1, missing]];
        let fit = fit(&table);
        let found = fit.contrast(&[-1.0, 0.0, 1.0], &[], 0.95).unwrap();
        assert!((found.estimate - 1.0).abs() < 1e-12, "{found:?}");
        let mean = fit.mean(2).unwrap() - fit.mean(0).unwrap();
        assert!((mean - 1.0).abs() < 1e-12);
    }

    #[test]
    fn degrees_of_freedom_are_those_of_the_design() {
        let table: [&[f64]; 3] = [&[0.0; 4], &[0.0; 4], &[0.0; 4]];
        let all: f64 = fit(&table).cells.iter().map(|it| it.freedom).sum();
        assert!((all - 6.0).abs() < 1e-9, "{all}");
        let missing = f64::NAN;
        let table: [&[f64]; 3] = [&[0.0; 4], &[0.0, missing, 0.0, 0.0], &[0.0; 4]];
        let all: f64 = fit(&table).cells.iter().map(|it| it.freedom).sum();
        assert!((all - 5.0).abs() < 1e-9, "{all}");
    }

    #[test]
    fn blocks_without_a_common_cell_cannot_be_compared() {
        let missing = f64::NAN;
        let table: [&[f64]; 2] = [&[1.0, missing], &[missing, 2.0]];
        assert!(BlockFit::of(2, 2, &values(&table)).is_none());
        assert!(BlockFit::of(2, 2, &[]).is_none());
    }

    #[test]
    fn cells_without_values_have_no_mean_and_no_contrast() {
        let missing = f64::NAN;
        let table: [&[f64]; 3] = [&[1.0, 2.0], &[1.1, 2.3], &[missing, missing]];
        let fit = fit(&table);
        assert_eq!(fit.mean(2), None);
        assert_eq!(fit.contrast(&[1.0, 0.0, -1.0], &[], 0.95), None);
        assert!(fit.contrast(&[1.0, -1.0, 0.0], &[], 0.95).is_some());
    }

    #[test]
    fn a_noisy_group_makes_its_own_intervals_wide() {
        let table: [&[f64]; 4] = [
            &[1.00, 1.01, 1.00, 1.01],
            &[1.01, 1.00, 1.00, 1.01],
            &[1.00, 1.40, 0.70, 1.10],
            &[1.20, 0.80, 1.30, 0.70],
        ];
        let fit = fit(&table);
        let noise = vec![0, 0, 1, 1];
        let reach = |weights: &[f64]| {
            let found = fit.contrast(weights, std::slice::from_ref(&noise), 0.95);
            found.unwrap().reach
        };
        let alike = fit.contrast(&[0.0, 0.0, 1.0, -1.0], &[], 0.95).unwrap();
        assert!(reach(&[0.0, 0.0, 1.0, -1.0]) > alike.reach);
        assert!(reach(&[1.0, -1.0, 0.0, 0.0]) < reach(&[0.0, 0.0, 1.0, -1.0]));
    }
}
