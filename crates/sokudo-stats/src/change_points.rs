//! Where a series changes its level.
//!
//! It says where, not why, and nothing about whether the change matters to anybody.

mod step;

use step::{StepCandidate, count_of};

pub use step::SEGMENT_MIN;

/// Values further than this from the middle of their stretch count as this far, in
/// standard deviations: outliers and heavy tails have no more weight than that.
const REACH: f64 = 2.5;

/// Each length of stretches is this share of the one before.
const DECAY: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The standard deviation of normal values, in medians of their distances from their mean.
const NORMAL_OF_MEDIAN: f64 = 1.4826;

/// Stretches with less than this share of the evidence that is needed are not looked at again.
const PROMISING: f64 = 0.5;

/// Passes in which places are put right: each depends on its neighbours'.
const PASSES: usize = 3;

/// Where a series changes its level: the index of the first value of each new one, in
/// order, at least [`SEGMENT_MIN`] values apart and from both ends. Empty where a value is no number.
///
/// Seeded binary segmentation (Kovács, Bühlmann, Li and Munk 2023, Biometrika 110, 249)
/// with the narrowest stretch over the threshold first (Baranowski, Chen and Fryzlewicz
/// 2019, JRSS B 81, 649). Within a stretch, a step is asked for by its likelihood ratio,
/// the largest of all places (Andrews 1993, Econometrica 61, 821), in noise of which each
/// value keeps a share of the one before: the share that suits the stretch best without a
/// step, and the one that does with it (as Robbins, Gallagher, Lund and Aue 2011, J. Time
/// Ser. Anal. 32, 498, ask for steps in correlated data). So runs that hang together are
/// not taken for a step, nor is a step for runs that hang together. Values are distances
/// from the middle, cut off at 2.5 standard deviations (Huber 1964), as Fearnhead and
/// Rigaill (2019, JASA 114, 169) do against outliers. Nothing is drawn by lot: the same
/// series has the same changes. O(n log n).
pub fn change_points(values: &[f64]) -> Vec<usize> {
    let count = values.len();
    if count < 2 * SEGMENT_MIN || values.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    let Some(unit) = deviation(values) else {
        return Vec::new();
    };
    let series = ScaledSeries { values, unit };
    let mut points = series.narrowest_first();
    for pass in 1..=PASSES {
        series.put_right(&mut points);
        series.drop_weak(&mut points);
        if pass < PASSES {
            series.add_missed(&mut points);
        }
    }
    points
}

/// The standard deviation of values by differences of neighbours, which steps hardly
/// touch; `None` where all are equal.
fn deviation(values: &[f64]) -> Option<f64> {
    let pairs = values.windows(2);
    let differences: Vec<f64> = pairs.map(|pair| (pair[1] - pair[0]).abs()).collect();
    let mean = differences.iter().sum::<f64>() / count_of(differences.len());
    let robust = NORMAL_OF_MEDIAN * median(differences) * std::f64::consts::FRAC_1_SQRT_2;
    // Where more than half of all values are equal there is still some noise.
    (mean > 0.0 && mean.is_finite()).then(|| robust.max(0.1 * mean))
}

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The evidence that a step needs in a stretch of `within` of `all` values: the more, the
/// more places there are at which noise alone may look like one. Found by simulation, so that 99 of 100
/// series of independent noise have none (normal, heavy-tailed, rounded and correlated
/// noise, with outliers; 12 to 1,000 values).
fn threshold(within: usize, all: usize) -> f64 {
    let (within, all) = (count_of(within), count_of(all));
    7.4 + all.ln() + 2.0 * (all / within).ln()
}

struct ScaledSeries<'a> {
    values: &'a [f64],
    /// Standard deviation of a value.
    unit: f64,
}

/// The best place to part a stretch.
#[derive(Clone, Copy, Debug)]
struct SplitPoint {
    at: usize,
    /// By how much its evidence is over the threshold.
    surplus: f64,
}

impl StepCandidate {
    fn against(self, least: f64) -> SplitPoint {
        SplitPoint {
            at: self.at,
            surplus: self.evidence - least,
        }
    }
}

impl ScaledSeries<'_> {
    /// The place in `from..to` whose sides differ most, once more from the middle between
    /// both sides: from the median of all, the few values of a short side are cut off.
    fn split(&self, from: usize, to: usize) -> Option<SplitPoint> {
        let stretch = &self.values[from..to];
        if stretch.len() < 2 * SEGMENT_MIN {
            return None;
        }
        let least = threshold(stretch.len(), self.values.len());
        let mut first =
            StepCandidate::among_independent(&self.cut(stretch, median(stretch.to_vec())));
        if first.evidence < PROMISING * least {
            first.at += from;
            return Some(first.against(least));
        }
        let (before, after) = stretch.split_at(first.at);
        let middle = f64::midpoint(median(before.to_vec()), median(after.to_vec()));
        let cut = self.cut(stretch, middle);
        let mut step = StepCandidate::among_independent(&cut);
        // What independent noise would not show needs no further look: most have none.
        if step.evidence > least {
            step = StepCandidate::among_correlated(&cut);
        }
        step.at += from;
        Some(step.against(least))
    }

    /// Distances from a middle in standard deviations, cut off.
    fn cut(&self, stretch: &[f64], middle: f64) -> Vec<f64> {
        let cut = |value: &f64| ((value - middle) / self.unit).clamp(-REACH, REACH);
        stretch.iter().map(cut).collect()
    }

    /// Changes as the narrowest stretches that show one tell them.
    fn narrowest_first(&self) -> Vec<usize> {
        let count = self.values.len();
        let mut stretches = stretches(count);
        stretches.sort_by_key(|[from, to]| (to - from, *from));
        let mut points: Vec<usize> = Vec::new();
        for [from, to] in stretches {
            let next = points.partition_point(|point| *point <= from);
            if points.get(next).is_some_and(|point| *point < to) {
                continue;
            }
            if let Some(split) = self.split(from, to).filter(|split| split.surplus > 0.0) {
                points.insert(next, split.at);
            }
        }
        points
    }

    /// Adds changes that narrow stretches did not show, but all values between two others do.
    fn add_missed(&self, points: &mut Vec<usize>) {
        let ends = [0].into_iter().chain(points.iter().copied());
        let nexts = points.iter().copied().chain([self.values.len()]);
        let mut levels: Vec<[usize; 2]> = ends.zip(nexts).map(<[usize; 2]>::from).collect();
        while let Some([from, to]) = levels.pop() {
            if let Some(split) = self.split(from, to).filter(|split| split.surplus > 0.0) {
                points.push(split.at);
                levels.extend([[from, split.at], [split.at, to]]);
            }
        }
        points.sort_unstable();
    }

    /// Moves each change to the best place between its neighbours.
    fn put_right(&self, points: &mut [usize]) {
        for index in 0..points.len() {
            let from = index.checked_sub(1).map_or(0, |before| points[before]);
            let to = points.get(index + 1).copied().unwrap_or(self.values.len());
            if let Some(split) = self.split(from, to) {
                points[index] = split.at;
            }
        }
    }

    /// Takes away what is no change between its neighbours, the weakest first.
    fn drop_weak(&self, points: &mut Vec<usize>) {
        loop {
            let surplus = |index: usize| {
                let from = if index == 0 { 0 } else { points[index - 1] };
                let to = points.get(index + 1).copied().unwrap_or(self.values.len());
                self.split(from, to)
                    .map_or(f64::NEG_INFINITY, |split| split.surplus)
            };
            let weakest = (0..points.len())
                .map(|index| (index, surplus(index)))
                .min_by(|left, right| left.1.total_cmp(&right.1));
            match weakest {
                Some((index, surplus)) if surplus <= 0.0 => points.remove(index),
                _ => return,
            };
        }
    }
}

/// Stretches of every length, each half over the next of its length.
#[expect(clippy::cast_possible_truncation, reason = "shares of a count")]
fn stretches(count: usize) -> Vec<[usize; 2]> {
    let mut stretches = vec![[0, count]];
    let mut length = count_of(count) * DECAY;
    while length >= count_of(2 * SEGMENT_MIN) {
        let shifts = 2.0 * (count_of(count) / length).ceil() - 1.0;
        let step = (count_of(count) - length) / (shifts - 1.0).max(1.0);
        for shift in 0..shifts as usize {
            let from = count_of(shift) * step;
            stretches.push([from as usize, ((from + length).ceil() as usize).min(count)]);
        }
        length *= DECAY;
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distributions::standard_normal;
    use crate::noise::first_order;
    use crate::random::Random;

    type Draw = fn(&mut Random, usize) -> Vec<f64>;

    fn normal(random: &mut Random, count: usize) -> Vec<f64> {
        first_order(random, count, 0.0)
    }

    /// Student's t with two degrees of freedom: it has no variance.
    fn heavy(random: &mut Random, count: usize) -> Vec<f64> {
        let draw = |_| {
            let [a, b, c] = [(); 3].map(|()| standard_normal(random));
            a / f64::midpoint(b * b, c * c).sqrt()
        };
        (0..count).map(draw).collect()
    }

    fn correlated(random: &mut Random, count: usize) -> Vec<f64> {
        first_order(random, count, 0.3)
    }

    /// One run in twenty meets somebody else's.
    fn with_dips(random: &mut Random, count: usize) -> Vec<f64> {
        let mut values = normal(random, count);
        for value in &mut values {
            if random.below(20) == 0 {
                *value = -9.0;
            }
        }
        values
    }

    /// A tool that prints few digits.
    fn rounded(random: &mut Random, count: usize) -> Vec<f64> {
        normal(random, count).iter().map(|it| it.round()).collect()
    }

    /// One that prints steps wider than the noise.
    fn coarse(random: &mut Random, count: usize) -> Vec<f64> {
        let values = normal(random, count);
        values.iter().map(|it| (it / 3.0).round() * 3.0).collect()
    }

    #[test]
    fn several_changes_are_found_each_at_its_place() {
        let mut random = Random::new(3);
        let mut values = normal(&mut random, 400);
        for (at, height) in [(100, -5.0), (150, 5.0), (300, 4.0)] {
            values[at..].iter_mut().for_each(|value| *value += height);
        }
        let points = change_points(&values);
        assert_eq!(points.len(), 3, "{points:?}");
        for (point, at) in points.iter().zip([100usize, 150, 300]) {
            assert!(point.abs_diff(at) <= 1, "{points:?}");
        }
    }

    #[test]
    fn values_that_hardly_vary_still_change() {
        let mut values = vec![100.0; 20];
        assert_eq!(change_points(&values), [0usize; 0]);
        values[7] = 3.0;
        assert_eq!(change_points(&values), [0usize; 0], "one is an outlier");
        values[12..].fill(110.0);
        assert_eq!(change_points(&values), [12]);
    }

    #[test]
    fn what_is_no_series_has_no_changes() {
        assert_eq!(change_points(&[]), [0usize; 0]);
        assert_eq!(change_points(&[1.0, 1.0, 1.0, 9.0, 9.0, 9.0]), [0usize; 0]);
        let mut values = vec![1.0; 20];
        values[10..].fill(f64::INFINITY);
        assert_eq!(change_points(&values), [0usize; 0]);
        values[10..].fill(f64::NAN);
        assert_eq!(change_points(&values), [0usize; 0]);
    }

    #[test]
    fn changes_stay_when_all_is_multiplied_and_shifted() {
        let mut random = Random::new(5);
        let mut values = heavy(&mut random, 200);
        values[120..].iter_mut().for_each(|value| *value += 8.0);
        let points = change_points(&values);
        assert_eq!(points.len(), 1);
        let moved: Vec<f64> = values.iter().map(|value| 1_024.0 * value - 64.0).collect();
        assert_eq!(change_points(&moved), points);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        /// Which shares of steps are found, and found within two places.
        fn found(before: usize, after: usize, height: f64, draw: Draw) -> [Rate; 2] {
            let mut random = Random::stream(seed() + 11, (before * 1_000 + after) as u64);
            let mut rates = [Rate::default(); 2];
            for turn in 0..draws(200) {
                let at = if turn % 2 == 0 { before } else { after };
                let mut values = draw(&mut random, before + after);
                values[at..].iter_mut().for_each(|value| *value -= height);
                let points = change_points(&values);
                rates[0].add(!points.is_empty());
                rates[1].add(points.iter().any(|point| point.abs_diff(at) <= 2));
            }
            rates
        }

        #[test]
        fn noise_without_a_change_seldom_has_one() {
            // Largest shares of false alarms: what is independent has fewer of them.
            let kinds: [(&str, Draw, f64); 6] = [
                ("normal", normal, 0.01),
                ("rounded", rounded, 0.01),
                // 2 of 100 series of 100, but 8 of those of 1,000.
                ("coarse", coarse, 0.09),
                ("heavy", heavy, 0.02),
                ("with dips", with_dips, 0.02),
                ("correlated", correlated, 0.025),
            ];
            for (name, draw, share) in kinds {
                let of_length = [(12, 600), (30, 400), (100, 200), (1_000, 20)];
                let alarms = of_length.map(|(count, series)| {
                    let mut random = Random::stream(seed() + 7, count as u64);
                    let alarms = Rate::of(0..draws(series), |_| {
                        !change_points(&draw(&mut random, count)).is_empty()
                    });
                    alarms.assert_at_most(share, format_args!("{name}, series of {count}"));
                    alarms
                });
                alarms.into_iter().sum::<Rate>().assert_at_most(share, name);
            }
        }

        #[test]
        fn steps_are_found_where_they_are() {
            // Two deviations can be told from noise when they last; where exactly such a step
            // lies, the best of all estimates misses by more than two in one of 20 series.
            for (before, after, height) in [
                (30, 30, 2.0),
                (30, 200, 2.0),
                (20, 100, 2.5),
                (16, 16, 3.0),
                (8, 52, 3.0),
                (8, 92, 3.0),
                (8, 8, 6.0),
            ] {
                let [any, near] = found(before, after, height, normal);
                let case = format!("{before} + {after}, {height}");
                any.assert_at_least(0.95, &case);
                near.assert_at_least(0.92, &case);
            }
            // Hardly anything can be told of 8 values that are two deviations off.
            for (after, least) in [(52, 0.88), (92, 0.94)] {
                let [any, near] = found(8, after, 2.0, normal);
                any.assert_at_least(least, after);
                near.assert_at_least(least - 0.08, after);
            }
            for (name, draw, least) in [
                ("correlated", correlated as Draw, 0.95),
                ("with dips", with_dips, 0.93),
            ] {
                let [any, near] = found(30, 30, 3.0, draw);
                any.assert_at_least(0.95, name);
                near.assert_at_least(least, name);
            }
        }

        #[test]
        fn levels_that_follow_each_other_soon_are_told_apart() {
            let mut random = Random::stream(seed(), 4);
            let whole = Rate::of(0..draws(100), |_| {
                let mut values = normal(&mut random, 400);
                for (index, value) in values.iter_mut().enumerate() {
                    *value += [0.0, 2.0, 0.0, -2.0, 0.0, 2.0, 4.0, 1.0][index / 50];
                }
                change_points(&values).len() == 7
            });
            whole.assert_at_least(0.85, "all seven changes");
        }
    }
}
