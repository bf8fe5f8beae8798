//! Matrices whose truth is known: what is found of it, and what is said that is not so.
//!
//! `SOKUDO_TEST_SCALE=20 cargo test --release -p sokudo-analysis figures_of_many -- --ignored --nocapture`
//! prints the figures that stand in docs/MATRIX.md, of 2,000 matrices each.

use std::iter::Sum;
use std::ops::Range;

use sokudo_model::{CellRate, MatrixAxis};
use sokudo_stats::Random;
use sokudo_testing::{Rate, Seeds, seeds};

use super::*;

/// Of each kind, at scale 1.
const MATRICES: u32 = 20;

/// How noisy which cells are, as a share of the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Noise {
    /// Every cell is equally noisy.
    Even,
    /// One value of the first axis, drawn by lot, three times as noisy.
    NoisyValue,
    /// Every third cell, drawn by lot, three times as noisy.
    NoisyCells,
    /// Three of a hundred values five times as far off.
    Tails,
}

/// The effect that is put into a drawn matrix, and is to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    Nothing,
    /// The first axis's second value is 5 % faster, in the first row.
    Value,
    /// One cell is 5 % faster, in the first row.
    Cell,
}

const FASTER: f64 = 1.05;
/// Standard deviation of what a block does to all cells of a row.
const DRIFT: f64 = 0.03;

#[derive(Clone, Copy, Debug)]
struct RowContext {
    axes: &'static [usize],
    rows: usize,
    blocks: u32,
    deviation: f64,
    noise: Noise,
    truth: Truth,
}

const CASE: RowContext = RowContext {
    axes: &[6, 4],
    rows: 1,
    blocks: 3,
    deviation: 0.01,
    noise: Noise::Even,
    truth: Truth::Nothing,
};

impl RowContext {
    fn is_faster(&self, row: usize, values: &[usize]) -> bool {
        let is_it = match self.truth {
            Truth::Nothing => false,
            Truth::Value => values[0] == 1,
            Truth::Cell => values[..2] == [1, 1],
        };
        row == 0 && is_it
    }

    fn cells(&self) -> Vec<Vec<usize>> {
        let mut cells = vec![Vec::new()];
        for count in self.axes {
            let longer = cells.iter().flat_map(|cell| {
                let cell: &Vec<usize> = cell;
                (0..*count).map(|value| [&cell[..], &[value]].concat())
            });
            cells = longer.collect();
        }
        cells
    }

    fn figures(&self, seed: u64) -> MatrixFigures {
        let mut random = Random::stream(seed, 18);
        let axes = self
            .axes
            .iter()
            .enumerate()
            .map(|(axis, count)| MatrixAxis {
                name: axis.to_string(),
                values: (0..*count).map(|value| value.to_string()).collect(),
            });
        let cells = self.cells();
        let rows = (0..self.rows).map(|row| self.row(row, &cells, &mut random));
        MatrixFigures {
            axes: axes.collect(),
            rows: rows.collect(),
            cells,
        }
    }

    fn row(&self, row: usize, cells: &[Vec<usize>], random: &mut Random) -> RowOfMatrix {
        let drift: Vec<f64> = (0..self.blocks).map(|_| DRIFT * normal(random)).collect();
        let noisy = random.below(self.axes[0] as u64) as usize;
        let mut rates = Vec::new();
        for (cell, values) in cells.iter().enumerate() {
            let is_noisy = match self.noise {
                Noise::NoisyValue => values[0] == noisy,
                Noise::NoisyCells => random.below(3) == 0,
                Noise::Even | Noise::Tails => false,
            };
            let deviation = if is_noisy { 3.0 } else { 1.0 } * self.deviation;
            let faster = if self.is_faster(row, values) {
                FASTER
            } else {
                1.0
            };
            for (block, drift) in (0..).zip(&drift) {
                let is_off = self.noise == Noise::Tails && random.below(100) < 3;
                let off = if is_off { 5.0 } else { 1.0 } * deviation * normal(random);
                let per_second = 1e6 * faster * (drift + off).exp();
                rates.push(CellRate {
                    cell,
                    block,
                    per_second,
                });
            }
        }
        let name = format!("row {row}");
        RowOfMatrix { name, rates }
    }

    /// What is said of it that is so, and what is not.
    fn claims(&self, effects: &MatrixEffects) -> Claims {
        let cells = self.cells();
        let mut claims = Claims::default();
        for (row, found) in effects.rows.iter().enumerate() {
            let is_faster = |cell: usize| self.is_faster(row, &cells[cell]);
            let truth = |holds: &dyn Fn(&[usize]) -> Option<f64>| -> f64 {
                let terms = cells
                    .iter()
                    .enumerate()
                    .filter(|(cell, _)| is_faster(*cell));
                terms.filter_map(|(_, values)| holds(values)).sum()
            };
            for pair in &found.pairs {
                let truth = truth(&|values| match values[pair.axis] {
                    it if it == pair.value => Some(1.0),
                    it if it == pair.reference => Some(-1.0),
                    _ => None,
                });
                claims.hear(pair.ratio, truth);
            }
            for it in &found.combinations {
                let counts = it.axes.map(|axis| self.axes[axis] as f64 - 1.0);
                let truth = truth(&|values| {
                    let is: Vec<bool> =
                        (0..2).map(|n| values[it.axes[n]] == it.values[n]).collect();
                    Some(match is[..] {
                        [true, true] => 1.0,
                        [true, false] => -1.0 / counts[1],
                        [false, true] => -1.0 / counts[0],
                        _ => 1.0 / (counts[0] * counts[1]),
                    })
                });
                claims.hear(it.ratio, truth);
            }
            if let Some(best) = found.best {
                let fastest = (0..cells.len()).filter(|cell| is_faster(*cell)).count();
                match fastest == 1 && is_faster(best) {
                    true => claims.truth = true,
                    false => claims.falsehood = true,
                }
            }
        }
        claims
    }

    fn tried(&self, seeds: Range<u64>) -> Tried {
        let mut tried = Tried::default();
        for seed in seeds {
            tried.add(self.claims(&matrix_effects(&self.figures(seed))));
        }
        tried
    }
}

/// In a table of two by two, each of the four says the same; in two columns, both of a row do.
#[test]
fn combinations_that_say_the_same_are_told_once() {
    for (axes, count) in [(&[2, 2], 1), (&[3, 2], 3), (&[3, 3], 9)] {
        let case = RowContext { axes, ..CASE };
        let rows = matrix_effects(&case.figures(1)).rows;
        assert_eq!(rows[0].combinations.len(), count, "{axes:?}");
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Claims {
    truth: bool,
    falsehood: bool,
}

impl Claims {
    fn hear(&mut self, found: EffectRatio, truth: f64) {
        if !found.is_shown() {
            return;
        }
        let is_so = truth.abs() > 1e-9 && (truth > 0.0) == (found.ratio > 1.0);
        match is_so {
            true => self.truth = true,
            false => self.falsehood = true,
        }
    }
}

/// Matrices in which what is so was found, and those in which something was said that is not so.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    found: Rate,
    wrong: Rate,
}

impl Tried {
    fn add(&mut self, claims: Claims) {
        self.found.add(claims.truth);
        self.wrong.add(claims.falsehood);
    }
}

impl Sum for Tried {
    fn sum<I: Iterator<Item = Self>>(tried: I) -> Self {
        let (found, wrong): (Vec<_>, Vec<_>) = tried.map(|it| (it.found, it.wrong)).unzip();
        Self {
            found: found.into_iter().sum(),
            wrong: wrong.into_iter().sum(),
        }
    }
}

/// How often what is so is found, and what is not so is said, in each case and in all.
const FOUND_MIN: f64 = 0.9;
const WRONG_MAX: f64 = 0.05;

/// Tries each case with seeds of its own, so that all may be counted together: few matrices of
/// each show less.
fn assert_right(cases: &[RowContext]) {
    let mut seeds = Seeds::default();
    let tried = cases
        .iter()
        .map(|case| (format!("{case:?}"), case.tried(seeds.next(MATRICES))));
    let tried: Vec<(String, Tried)> = tried.collect();
    let all = ("all".to_owned(), tried.iter().map(|(_, it)| *it).sum());
    for (case, tried) in tried.iter().chain([&all]) {
        tried
            .wrong
            .assert_at_most(WRONG_MAX, format_args!("wrong: {case}"));
        if cases[0].truth != Truth::Nothing {
            tried
                .found
                .assert_at_least(FOUND_MIN, format_args!("found: {case}"));
        }
    }
}

fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.fraction()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.fraction()).cos()
}

const SHAPES: [&[usize]; 5] = [&[6, 4], &[3, 2], &[2, 2], &[4, 2], &[2, 2, 2]];
const NOISES: [Noise; 4] = [
    Noise::Even,
    Noise::NoisyValue,
    Noise::NoisyCells,
    Noise::Tails,
];

#[test]
fn where_nothing_differs_something_is_said_in_one_of_twenty_matrices_at_most() {
    let mut cases = Vec::new();
    for axes in SHAPES {
        for (noise, rows) in NOISES.into_iter().flat_map(|it| [(it, 1), (it, 4)]) {
            cases.push(RowContext {
                axes,
                rows,
                noise,
                ..CASE
            });
        }
    }
    assert_right(&cases);
}

#[test]
fn one_value_that_is_5_percent_faster_is_found_in_nine_of_ten_matrices() {
    let truth = Truth::Value;
    assert_right(&[
        RowContext { truth, ..CASE },
        RowContext {
            truth,
            deviation: 0.02,
            ..CASE
        },
        RowContext {
            truth,
            noise: Noise::NoisyValue,
            ..CASE
        },
        RowContext {
            truth,
            noise: Noise::NoisyCells,
            ..CASE
        },
        RowContext {
            truth,
            noise: Noise::Tails,
            ..CASE
        },
        RowContext {
            truth,
            rows: 4,
            ..CASE
        },
        RowContext {
            truth,
            axes: &[3, 2],
            ..CASE
        },
        RowContext {
            truth,
            deviation: 0.03,
            blocks: 5,
            ..CASE
        },
    ]);
}

#[test]
fn one_cell_that_is_5_percent_faster_is_found_in_nine_of_ten_matrices() {
    let truth = Truth::Cell;
    assert_right(&[
        RowContext { truth, ..CASE },
        RowContext {
            truth,
            axes: &[3, 2],
            deviation: 0.005,
            ..CASE
        },
        RowContext {
            truth,
            deviation: 0.02,
            blocks: 8,
            ..CASE
        },
    ]);
}

/// Whoever stops when the intervals are narrow enough looks several times. (Of 2 × 2 cells of
/// which half are three times as noisy 6 % come out wrong then.)
#[test]
fn stopping_when_it_is_precise_enough_says_no_more_that_is_not_so() {
    for (axes, noise) in [SHAPES[0], SHAPES[1], SHAPES[3]].into_iter().zip(NOISES) {
        let case = RowContext {
            axes,
            noise,
            ..CASE
        };
        let wrong = Rate::of(seeds(4 * MATRICES), |seed| {
            let claims = (3..=8).find_map(|blocks| {
                let case = RowContext { blocks, ..case };
                let effects = matrix_effects(&case.figures(seed));
                let is_over = is_matrix_precise(&effects, blocks, 0.03) || blocks == 8;
                is_over.then(|| case.claims(&effects))
            });
            claims.unwrap().falsehood
        });
        wrong.assert_at_most(WRONG_MAX, format_args!("{axes:?} {noise:?}"));
    }
}

#[test]
#[ignore = "prints the figures of docs/MATRIX.md"]
fn figures_of_many_matrices() {
    let matrices = || seeds(100);
    let percent = |rate: Rate| 100.0 * rate.share();
    for axes in SHAPES {
        for noise in NOISES {
            let wrong = [1, 8].map(|rows| {
                let case = RowContext {
                    axes,
                    rows,
                    noise,
                    ..CASE
                };
                percent(case.tried(matrices()).wrong)
            });
            println!("{axes:?} {noise:?}: wrong {wrong:.1?} % of 1 and 8 rows");
        }
    }
    for (noise, truth) in NOISES
        .into_iter()
        .flat_map(|noise| [Truth::Value, Truth::Cell].map(|truth| (noise, truth)))
    {
        for deviation in [0.01, 0.02, 0.03] {
            let found = |blocks| {
                let case = RowContext {
                    truth,
                    deviation,
                    blocks,
                    noise,
                    ..CASE
                };
                percent(case.tried(matrices()).found)
            };
            let three = found(3);
            let needed = (3..=12).find(|blocks| found(*blocks) >= 90.0);
            println!("{noise:?} {truth:?} {deviation}: {three:.0} % with 3, 90 % with {needed:?}");
        }
    }
}

#[test]
fn a_large_difference_that_is_not_shown_says_how_many_blocks_would_show_it() {
    let axis = MatrixAxis {
        name: "fs".to_owned(),
        values: vec!["ext4".to_owned(), "xfs".to_owned(), "btrfs".to_owned()],
    };
    let cells = [
        [192.0, 412.0, 281.0],
        [208.0, 430.0, 301.0],
        [37.0, 20.0, 27.0],
    ];
    let rates = |blocks: u32| {
        let rates = cells.iter().enumerate().flat_map(|(cell, rates)| {
            (0..blocks).map(move |block| CellRate {
                cell,
                block,
                per_second: rates[block as usize % 3],
            })
        });
        rates.collect::<Vec<_>>()
    };
    let pair = |blocks| {
        // What is measured of seven other rows takes its part of the 5 %.
        let row = |number: u32| RowOfMatrix {
            name: format!("row {number}"),
            rates: rates(blocks),
        };
        let effects = matrix_effects(&MatrixFigures {
            axes: vec![axis.clone()],
            cells: vec![vec![0], vec![1], vec![2]],
            rows: (0..8).map(row).collect(),
        });
        effects.rows[0].pairs[2]
    };
    let found = pair(3);
    assert!(!found.ratio.is_shown(), "{found:?}");
    assert_eq!(found.blocks_to_show, Some(5), "{found:?}");
    let then = pair(27);
    assert!(
        then.ratio.is_shown() && then.blocks_to_show.is_none(),
        "{then:?}"
    );
}

#[test]
fn a_matrix_that_has_just_begun_says_nothing() {
    let rate = |cell, block| CellRate {
        cell,
        block,
        per_second: 100.0 + f64::from(block),
    };
    let axis = MatrixAxis {
        name: "fs".to_owned(),
        values: vec!["ext4".to_owned(), "xfs".to_owned()],
    };
    for rates in [
        vec![],
        vec![rate(0, 0)],
        vec![rate(0, 0), rate(1, 0)],
        vec![rate(0, 0), rate(0, 1), rate(0, 2)],
    ] {
        let row = RowOfMatrix {
            name: "RND4K read".to_owned(),
            rates,
        };
        let figures = MatrixFigures {
            axes: vec![axis.clone()],
            cells: vec![vec![0], vec![1]],
            rows: vec![row],
        };
        let effects = matrix_effects(&figures);
        let row = &effects.rows[0];
        assert!(row.pairs.is_empty() && row.best.is_none(), "{row:?}");
    }
}
