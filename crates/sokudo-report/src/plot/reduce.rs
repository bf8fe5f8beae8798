//! Fewer points that look the same: what falls into one column of pixels is replaced
//! by its first, lowest, highest and last point, so that no extreme is lost.

use crate::number::integer;
use std::collections::BTreeSet;

/// More single points than this are made fewer by a coarser grid, so that a picture
/// stays small.
const DOTS_MAX: usize = 8_000;
/// Dots closer than this cannot be told apart, pixels.
const DOT_GRID_PIXELS: f64 = 2.0;

/// The points of a line in pixels, in order, at most four per column of pixels.
pub(crate) fn line(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut kept = Vec::new();
    for column in points.chunk_by(|left, right| left[0].floor() == right[0].floor()) {
        keep_extremes(column, &mut kept);
    }
    kept
}

fn keep_extremes(column: &[[f64; 2]], kept: &mut Vec<[f64; 2]>) {
    let by_height = |left: &usize, right: &usize| column[*left][1].total_cmp(&column[*right][1]);
    let lowest = (0..column.len()).min_by(by_height).unwrap_or(0);
    let highest = (0..column.len()).max_by(by_height).unwrap_or(0);
    let indices = BTreeSet::from([0, lowest, highest, column.len() - 1]);
    kept.extend(indices.into_iter().map(|index| column[index]));
}

/// The points of a band `[x, low, high]` in pixels: one per column of pixels, as high
/// as all of it.
pub(crate) fn band(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    points
        .chunk_by(|left, right| left[0].floor() == right[0].floor())
        .map(|column| {
            let lowest = column.iter().map(|point| point[1]).fold(f64::MAX, f64::min);
            let highest = column.iter().map(|point| point[2]).fold(f64::MIN, f64::max);
            [column[0][0], lowest, highest]
        })
        .collect()
}

/// Single points in pixels, in no order: one per cell of a grid, and the lowest and
/// the highest of every column of the grid exactly.
pub(crate) fn dots(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut grid = DOT_GRID_PIXELS;
    let mut kept = on_grid(points, grid);
    // Each grid is a part of the one before, so what that kept is all that is needed.
    while kept.len() > DOTS_MAX && grid < 64.0 {
        grid *= 2.0;
        kept = on_grid(&kept, grid);
    }
    kept
}

fn on_grid(points: &[[f64; 2]], grid: f64) -> Vec<[f64; 2]> {
    let cell = |value: f64| integer((value / grid).floor());
    let mut indices: Vec<(i32, i32, usize)> = (0..)
        .zip(points)
        .map(|(index, point)| (cell(point[0]), cell(point[1]), index))
        .collect();
    indices.sort_unstable();
    let mut kept = Vec::new();
    for column in indices.chunk_by(|left, right| left.0 == right.0) {
        let height = |(_, _, index): &&(i32, i32, usize)| points[*index][1];
        let by_height = |left: &&_, right: &&_| height(left).total_cmp(&height(right));
        let extremes = [
            column.iter().min_by(by_height),
            column.iter().max_by(by_height),
        ];
        let first_of_cells = column
            .chunk_by(|left, right| left.1 == right.1)
            .map(|cell| &cell[0]);
        let chosen: BTreeSet<usize> = first_of_cells
            .chain(extremes.into_iter().flatten())
            .map(|(_, _, index)| *index)
            .collect();
        kept.extend(chosen.into_iter().map(|index| points[index]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    mod many_draws {
        use super::*;
        use sokudo_testing::draws;
        use std::collections::HashSet;

        proptest! {
            // Each case has thousands of points.
            #![proptest_config(ProptestConfig::with_cases(draws(16)))]

            #[test]
            fn a_line_keeps_the_extremes_of_every_column(
                heights in prop::collection::vec(0.0f64..500.0, 1..3_000),
            ) {
                let step = 100.0 / heights.len() as f64;
                let points: Vec<[f64; 2]> = heights
                    .iter()
                    .enumerate()
                    .map(|(index, height)| [index as f64 * step, *height])
                    .collect();
                let kept = line(&points);
                prop_assert!(kept.len() <= 4 * 100);
                prop_assert!(kept.is_sorted_by_key(|point| point[0]));
                prop_assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[points.len() - 1]));
                for column in 0..100 {
                    let heights = |points: &[[f64; 2]]| {
                        let inside = points.iter().filter(|point| point[0].floor() == f64::from(column));
                        inside.fold((f64::MAX, f64::MIN), |(low, high), point| (low.min(point[1]), high.max(point[1])))
                    };
                    prop_assert_eq!(heights(&kept), heights(&points));
                }
            }

            #[test]
            fn dots_are_few_and_keep_the_outermost(
                points in prop::collection::vec((0.0f64..1_000.0, 0.0f64..500.0), 1..20_000),
            ) {
                let points: Vec<[f64; 2]> = points.into_iter().map(|(x, y)| [x, y]).collect();
                let kept = dots(&points);
                prop_assert!(kept.len() <= DOTS_MAX);
                let range = |points: &[[f64; 2]]| {
                    points.iter().fold((f64::MAX, f64::MIN), |(low, high), point| (low.min(point[1]), high.max(point[1])))
                };
                prop_assert_eq!(range(&kept), range(&points));
                let bits = |point: &[f64; 2]| point.map(f64::to_bits);
                let drawn: HashSet<[u64; 2]> = points.iter().map(bits).collect();
                prop_assert!(kept.iter().all(|point| drawn.contains(&bits(point))));
            }
        }
    }
}
