//! Figures as signs: a share as a length, a course as heights.

use crate::number::{to_usize, whole};
use sokudo_stats::Summary;

/// Signs of a bar at full length.
const BAR_WIDTH: usize = 16;
/// Eighths of a sign, from one to seven.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// Columns of a course.
const COURSE: usize = 24;
/// Heights of a course, and what stands for them where there is only ASCII.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_HEIGHTS: [char; 8] = ['_', '.', ',', '-', '~', '=', '*', '#'];
/// A course is at least so high, as a share of its middle, so that noise is no mountain.
const COURSE_HEIGHT_MIN: f64 = 0.1;

/// A share as a length, in eighths of a sign where the terminal has them.
pub(super) fn bar(share: f64, ascii: bool) -> String {
    let share = share.clamp(0.0, 1.0);
    if ascii {
        return "#".repeat(to_usize((share * whole(BAR_WIDTH)).round()));
    }
    let eighths = to_usize((share * 8.0 * whole(BAR_WIDTH)).round());
    let rest = (eighths % 8).checked_sub(1).map(|index| EIGHTHS[index]);
    let mut bar = "█".repeat(eighths / 8);
    bar.extend(rest);
    bar
}

/// Medians of equal parts of the values, as heights.
pub(super) fn course(values: &[f64], ascii: bool) -> String {
    let part = values.len().div_ceil(COURSE).max(1);
    let medians: Vec<f64> = values
        .chunks(part)
        .filter_map(|part| Some(Summary::of(part)?.median))
        .collect();
    let Some(all) = Summary::of(&medians) else {
        return String::new();
    };
    let middle = f64::midpoint(all.min, all.max);
    let height = all
        .range
        .max(COURSE_HEIGHT_MIN * middle)
        .max(f64::MIN_POSITIVE);
    let heights = if ascii { ASCII_HEIGHTS } else { HEIGHTS };
    let sign = |value: &f64| {
        let share = ((value - middle) / height + 0.5).clamp(0.0, 1.0);
        heights[to_usize((share * 7.0).round())]
    };
    medians.iter().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share_of_the_longest() {
        assert_eq!(bar(1.0, false), "█".repeat(BAR_WIDTH));
        assert_eq!(bar(0.5, false), "█".repeat(BAR_WIDTH / 2));
        assert_eq!(bar(1.0 / 128.0, false), "▏");
        assert_eq!(bar(0.25, true), "####");
        assert_eq!(bar(f64::NAN, false), "");
    }
}
