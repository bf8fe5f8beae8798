//! What the axes of a matrix do: which value of an axis is faster than which, where that depends
//! on another axis, and which cell is the best.
//!
//! Rates are compared as logarithms, so that effects are ratios. Blocks are the repetitions. All
//! that is said of a matrix is wrong in at most one of twenty matrices in which nothing differs
//! (Bonferroni), and is said exactly where an interval does not hold 1. That nothing is said is
//! no equality: the interval tells how large a difference may be.

use std::collections::HashMap;

use sokudo_model::{
    CellLevel, CombinationEffect, EffectRatio, MatrixEffects, MatrixFigures, PairEffect,
    RowEffects, RowOfMatrix,
};
use sokudo_stats::{BlockFit, BlockValue, Contrast};

use crate::threshold::{
    CONFIDENCE, MATRIX_BLOCKS_MIN, MATRIX_COMBINATIONS_SHARE, MATRIX_PAIRS_SHARE,
};

#[cfg(test)]
mod many_draws;

/// What the axes do to every row, all comparisons of all rows together.
pub fn matrix_effects(figures: &MatrixFigures) -> MatrixEffects {
    let fitted: Vec<FittedRow<'_>> = (figures.rows.iter())
        .map(|row| FittedRow::of(figures, row))
        .collect();
    let total = |count: fn(&FittedRow<'_>) -> usize| fitted.iter().map(count).sum();
    let levels = Levels::of(
        total(|row| row.pairs.len()),
        total(|row| row.combinations.len()),
        total(|row| usize::from(row.has_contest())),
    );
    MatrixEffects {
        comparisons: levels.comparisons,
        rows: fitted.iter().map(|row| row.effects(&levels)).collect(),
    }
}

/// How far the widest interval of what one value does against another reaches, as a share; `None`
/// before anything can be said of some row.
fn matrix_precision(effects: &MatrixEffects) -> Option<f64> {
    let widest = |row: &RowEffects| {
        let reaches = row.pairs.iter().map(|pair| pair.ratio.reach());
        reaches.reduce(f64::max)
    };
    let widest: Option<Vec<f64>> = effects.rows.iter().map(widest).collect();
    widest?.into_iter().reduce(f64::max)
}

/// Whether enough blocks were measured: every effect of one value against another is known as
/// closely as wanted (0.03 for ± 3 %), after one of the numbers of blocks at which it is looked.
///
/// Who looks after every block stops where intervals are narrow by chance. So it is looked after
/// 3 blocks, and then whenever there are half as many more: 5, 8, 12, 18, ….
pub fn is_matrix_precise(effects: &MatrixEffects, blocks: u32, wanted: f64) -> bool {
    is_look(blocks) && matrix_precision(effects).is_some_and(|reach| reach <= wanted)
}

fn is_look(blocks: u32) -> bool {
    looks().find(|look| *look >= blocks) == Some(blocks)
}

fn looks() -> impl Iterator<Item = u32> {
    std::iter::successors(Some(MATRIX_BLOCKS_MIN), |it| it.checked_add(it.div_ceil(2)))
}

/// How sure each comparison must be, so that all together are wrong by chance in 5 % at most.
#[derive(Clone, Copy, Debug)]
struct Levels {
    comparisons: usize,
    pair: f64,
    combination: f64,
    /// Of two-sided intervals, for of two cells that are equally fast either may seem the best.
    best: f64,
}

impl Levels {
    /// Of so many comparisons of each kind. What a kind that there is none of would get goes to
    /// the pairs.
    fn of(pairs: usize, combinations: usize, contests: usize) -> Self {
        let wrong = 1.0 - CONFIDENCE;
        let for_combinations = match combinations {
            0 => 0.0,
            _ => MATRIX_COMBINATIONS_SHARE,
        };
        let for_best = 1.0 - MATRIX_PAIRS_SHARE - MATRIX_COMBINATIONS_SHARE;
        let for_pairs = 1.0 - for_combinations - for_best;
        let each = |share: f64, count: usize| 1.0 - wrong * share / number(count);
        Self {
            comparisons: pairs + combinations + contests,
            pair: each(for_pairs, pairs),
            combination: each(for_combinations, combinations),
            best: each(for_best, contests),
        }
    }
}

/// A row with all that is compared of it.
struct FittedRow<'a> {
    row: &'a RowOfMatrix,
    cells: usize,
    /// `None` where nothing was measured.
    fit: Option<BlockFit>,
    /// Of each axis, which value each cell has: cells of one value may be as noisy as each other.
    groupings: Vec<Vec<usize>>,
    pairs: Vec<(PairEffect, Vec<f64>)>,
    combinations: Vec<(CombinationEffect, Vec<f64>)>,
}

/// Filled in when it is known how much is compared.
const UNKNOWN: EffectRatio = EffectRatio {
    ratio: 1.0,
    low: 0.0,
    high: f64::INFINITY,
};

impl<'a> FittedRow<'a> {
    fn of(figures: &MatrixFigures, row: &'a RowOfMatrix) -> Self {
        let values: Vec<BlockValue> = (row.rates.iter())
            .map(|rate| BlockValue {
                cell: rate.cell,
                block: rate.block as usize,
                value: rate.per_second.ln(),
            })
            .collect();
        let blocks = values.iter().map(|it| it.block + 1).max().unwrap_or(0);
        let fit = BlockFit::of(figures.cells.len(), blocks, &values);
        let index = MatrixIndex::of(figures, |cell| {
            fit.as_ref().is_some_and(|fit| fit.mean(cell).is_some())
        });
        let groupings = (0..figures.axes.len()).map(|axis| {
            let values = figures.cells.iter().map(|cell| cell[axis]);
            values.collect()
        });
        let mut this = Self {
            row,
            cells: figures.cells.len(),
            groupings: groupings.collect(),
            pairs: index.pairs(),
            combinations: index.combinations(),
            fit,
        };
        // A single block says nothing of the noise, and nothing is compared.
        let is_known = |weights: &Vec<f64>| this.contrast(weights, CONFIDENCE).is_some();
        if !this.pairs.first().is_some_and(|(_, it)| is_known(it)) {
            this.pairs.clear();
            this.combinations.clear();
        }
        this
    }

    fn contrast(&self, weights: &[f64], confidence: f64) -> Option<Contrast> {
        let found = self.fit.as_ref()?;
        found.contrast(weights, &self.groupings, confidence)
    }

    /// Whether there are cells of which one may be the best.
    fn has_contest(&self) -> bool {
        !self.pairs.is_empty()
    }

    fn effects(&self, levels: &Levels) -> RowEffects {
        let ratio = |weights: &[f64], confidence: f64| {
            let found = self.contrast(weights, confidence)?;
            Some(EffectRatio {
                ratio: found.estimate.exp(),
                low: (found.estimate - found.reach).exp(),
                high: (found.estimate + found.reach).exp(),
            })
        };
        let pairs = self.pairs.iter().filter_map(|(pair, weights)| {
            let ratio = ratio(weights, levels.pair)?;
            let blocks = || self.blocks_to_show(weights, levels.pair);
            let blocks_to_show = (!ratio.is_shown()).then(blocks).flatten();
            Some(PairEffect {
                ratio,
                blocks_to_show,
                ..*pair
            })
        });
        let combinations = self.combinations.iter().filter_map(|(it, weights)| {
            let ratio = ratio(weights, levels.combination)?;
            Some(CombinationEffect { ratio, ..*it })
        });
        RowEffects {
            row: self.row.name.clone(),
            cells: (0..self.cells).map(|cell| self.level(cell)).collect(),
            pairs: pairs.collect(),
            combinations: combinations.collect(),
            best: self.best(levels.best),
        }
    }

    /// The first look at which a difference as large as it seems would be shown.
    fn blocks_to_show(&self, weights: &[f64], confidence: f64) -> Option<u32> {
        let fit = self.fit.as_ref()?;
        let now = self.row.rates.iter().map(|rate| rate.block + 1).max()?;
        let later = looks().skip_while(|blocks| *blocks <= now);
        // `--blocks` takes no more.
        let later: Vec<u32> = later.take_while(|it| *it <= 100).collect();
        let is_hidden = |blocks: &u32| {
            let fit = fit.clone().with_blocks(*blocks as usize);
            let found = fit.contrast(weights, &self.groupings, confidence);
            !found.is_some_and(Contrast::is_shown)
        };
        later.get(later.partition_point(is_hidden)).copied()
    }

    fn level(&self, cell: usize) -> Option<CellLevel> {
        let mean = self.fit.as_ref()?.mean(cell)?;
        let measured = self.measured();
        let mut weights = vec![0.0; self.cells];
        for other in &measured {
            weights[*other] -= 1.0 / number(measured.len());
        }
        weights[cell] += 1.0;
        let found = self.contrast(&weights, CONFIDENCE);
        let found = found.filter(|_| measured.len() > 1);
        let rates = self.row.rates.iter().filter(|rate| rate.cell == cell);
        Some(CellLevel {
            per_second: mean.exp(),
            interval_95: found.map(|it| [(mean - it.reach).exp(), (mean + it.reach).exp()]),
            blocks: rates.count(),
        })
    }

    fn measured(&self) -> Vec<usize> {
        let is_measured = |cell: &usize| {
            let fit = self.fit.as_ref();
            fit.is_some_and(|fit| fit.mean(*cell).is_some())
        };
        (0..self.cells).filter(is_measured).collect()
    }

    /// The fastest cell, if it is faster than each other. Each of these must be shown, so that
    /// the weakest decides and their number needs no correction (an intersection of tests, after
    /// Berger 1982, Technometrics 24, 295).
    fn best(&self, confidence: f64) -> Option<usize> {
        let fit = self.fit.as_ref().filter(|_| self.has_contest())?;
        let measured = self.measured();
        let level = |cell: &usize| fit.mean(*cell).unwrap_or(f64::NEG_INFINITY);
        let by_level = |a: &&usize, b: &&usize| level(a).total_cmp(&level(b));
        let leader = *measured.iter().max_by(by_level)?;
        let is_ahead = |other: usize| {
            let mut weights = vec![0.0; self.cells];
            weights[leader] = 1.0;
            weights[other] = -1.0;
            let found = self.contrast(&weights, confidence);
            found.is_some_and(|it| it.estimate > it.reach)
        };
        let mut others = measured.iter().filter(|cell| **cell != leader);
        (measured.len() > 1 && others.all(|other| is_ahead(*other))).then_some(leader)
    }
}

/// Cells that were measured, by their values.
struct MatrixIndex<'a> {
    figures: &'a MatrixFigures,
    cell_indices: HashMap<&'a [usize], usize>,
}

impl<'a> MatrixIndex<'a> {
    fn of(figures: &'a MatrixFigures, is_measured: impl Fn(usize) -> bool) -> Self {
        let cells = figures.cells.iter().enumerate();
        let cell_indices = cells
            .filter(|(cell, _)| is_measured(*cell))
            .map(|(cell, values)| (values.as_slice(), cell));
        Self {
            figures,
            cell_indices: cell_indices.collect(),
        }
    }

    /// The cell with other values on some axes, if it was measured.
    fn beside(&self, values: &[usize], others: &[(usize, usize)]) -> Option<usize> {
        let mut values = values.to_vec();
        for (axis, value) in others {
            values[*axis] = *value;
        }
        self.cell_indices.get(values.as_slice()).copied()
    }

    fn count(&self, axis: usize) -> usize {
        self.figures.axes[axis].values.len()
    }

    /// Measured cells in order.
    fn cells(&self) -> impl Iterator<Item = (usize, &'a [usize])> + '_ {
        let cells = self.figures.cells.iter().enumerate();
        let measured =
            cells.filter(|(_, values)| self.cell_indices.contains_key(values.as_slice()));
        measured.map(|(cell, values)| (cell, values.as_slice()))
    }

    /// Every two values of every axis, in the mean of all contexts that have both.
    fn pairs(&self) -> Vec<(PairEffect, Vec<f64>)> {
        let mut pairs = Vec::new();
        for axis in 0..self.figures.axes.len() {
            for value in 0..self.count(axis) {
                for reference in 0..value {
                    let mut sum = WeightSum::of(self.figures.cells.len());
                    for (cell, values) in self.cells().filter(|(_, it)| it[axis] == value) {
                        if let Some(other) = self.beside(values, &[(axis, reference)]) {
                            sum.add([cell], [other]);
                        }
                    }
                    let contexts = sum.terms;
                    let pair = PairEffect {
                        axis,
                        value,
                        reference,
                        contexts,
                        blocks_to_show: None,
                        ratio: UNKNOWN,
                    };
                    pairs.extend(sum.mean().map(|weights| (pair, weights)));
                }
            }
        }
        pairs
    }

    /// Every two values of every two axes: the mean of all rectangles with that corner, which is
    /// the combination less what each of both values does with the other axis's other values.
    /// Of combinations that say the same with other signs the last remains.
    fn combinations(&self) -> Vec<(CombinationEffect, Vec<f64>)> {
        let count = self.figures.axes.len();
        let axes = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other]));
        let mut found: Vec<(CombinationEffect, Vec<f64>)> = Vec::new();
        for axes in axes {
            let [rows, columns] = axes.map(|axis| self.count(axis));
            let last_first = (0..rows).rev();
            let corners = last_first.flat_map(|row| (0..columns).rev().map(move |it| [row, it]));
            let begin = found.len();
            for values in corners {
                let Some(weights) = self.rectangles(axes, values) else {
                    continue;
                };
                if found[begin..]
                    .iter()
                    .all(|(_, other)| !is_same(other, &weights))
                {
                    let ratio = UNKNOWN;
                    found.push((
                        CombinationEffect {
                            axes,
                            values,
                            ratio,
                        },
                        weights,
                    ));
                }
            }
            found[begin..].reverse();
        }
        found
    }

    fn rectangles(&self, axes: [usize; 2], corner: [usize; 2]) -> Option<Vec<f64>> {
        let mut sum = WeightSum::of(self.figures.cells.len());
        let is_corner = |values: &[usize]| (0..2).all(|it| values[axes[it]] == corner[it]);
        for (cell, values) in self.cells().filter(|(_, values)| is_corner(values)) {
            for row in (0..self.count(axes[0])).filter(|it| *it != corner[0]) {
                for column in (0..self.count(axes[1])).filter(|it| *it != corner[1]) {
                    let (row, column) = ((axes[0], row), (axes[1], column));
                    let beside = |others: &[(usize, usize)]| self.beside(values, others);
                    if let (Some(one), Some(other), Some(opposite)) =
                        (beside(&[row]), beside(&[column]), beside(&[row, column]))
                    {
                        sum.add([cell, opposite], [one, other]);
                    }
                }
            }
        }
        sum.mean()
    }
}

/// Weights of cells, summed over contexts.
struct WeightSum {
    weights: Vec<f64>,
    terms: usize,
}

impl WeightSum {
    fn of(cells: usize) -> Self {
        Self {
            weights: vec![0.0; cells],
            terms: 0,
        }
    }

    fn add<const N: usize>(&mut self, plus: [usize; N], minus: [usize; N]) {
        for cell in plus {
            self.weights[cell] += 1.0;
        }
        for cell in minus {
            self.weights[cell] -= 1.0;
        }
        self.terms += 1;
    }

    /// Mean weights of the contexts; `None` where none was added.
    fn mean(self) -> Option<Vec<f64>> {
        let terms = number(self.terms);
        let weights = self.weights.into_iter().map(|weight| weight / terms);
        (self.terms > 0).then(|| weights.collect())
    }
}

/// Weights nearer than this differ by rounding.
const WEIGHT_ROUNDING: f64 = 1e-9;

/// Whether both say the same, with the same sign or the other.
fn is_same(one: &[f64], other: &[f64]) -> bool {
    let is = |sign: f64| {
        let mut pairs = one.iter().zip(other);
        pairs.all(|(one, other)| (one - sign * other).abs() < WEIGHT_ROUNDING)
    };
    is(1.0) || is(-1.0)
}

/// A count as a divisor: at least 1.
fn number(count: usize) -> f64 {
    count.max(1) as f64
}
