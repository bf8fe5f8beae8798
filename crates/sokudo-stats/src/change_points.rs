//! Where a series changes its level.
//!
//! It says where, not why, and nothing about whether the change matters to anybody.

/// Fewer values on a side are no level: one stall in three runs is no change.
pub const SEGMENT_MIN: usize = 5;

/// Values further than this from the middle of their stretch count as this far, in
/// standard deviations: outliers and heavy tails have no more weight than that.
const REACH: f64 = 2.5;

/// The same for differences of values, of which steps make few large: wider, because what
/// is cut off makes neighbours look less alike than they are.
const REACH_OF_DIFFERENCES: f64 = 4.0;

/// Each length of stretches is this share of the one before.
const DECAY: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Neighbours are never taken for more alike than this: they are, where a series drifts.
const CORRELATION_MAX: f64 = 0.6;

/// The standard deviation of normal values, in medians of their distances from their mean.
const NORMAL_OF_MEDIAN: f64 = 1.4826;

/// Passes in which places are put right: each depends on its neighbours'.
const PASSES: usize = 3;

/// Where a series changes its level: the index of the first value of each new one, in
/// order, at least [`SEGMENT_MIN`] values apart and from both ends. Empty where a value is no number.
///
/// Seeded binary segmentation (Kovács, Bühlmann, Li and Munk 2023, Biometrika 110, 249)
/// with the narrowest stretch over the threshold first (Baranowski, Chen and Fryzlewicz
/// 2019, JRSS B 81, 649). What is summed within a stretch are distances from its median,
/// cut off at 2.5 standard deviations (Huber 1964), as Fearnhead and Rigaill (2019, JASA
/// 114, 169) do against outliers. The sum is measured against the noise of the series
/// itself: its standard deviation comes from differences, which steps hardly touch, and is
/// widened by √((1 + ρ) ÷ (1 − ρ)) for the correlation ρ of neighbours. The threshold
/// grows with the number of places at which a step of that length could be (Dümbgen and
/// Spokoiny 2001). Nothing is drawn by lot: the same series has the same changes.
/// O(n log n).
pub fn change_points(values: &[f64]) -> Vec<usize> {
    let count = values.len();
    if count < 2 * SEGMENT_MIN || values.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    // What changes are found as if neighbours had nothing in common tells which differences
    // are those of a level: a step would make neighbours look alike.
    let provisional = Noise::of(values, &[]).map(|noise| Noise {
        correlation: 0.0,
        ..noise
    });
    let found = provisional.map_or_else(Vec::new, |noise| found(values, noise));
    Noise::of(values, &found).map_or_else(Vec::new, |noise| self::found(values, noise))
}

fn found(values: &[f64], noise: Noise) -> Vec<usize> {
    let series = Series {
        values,
        unit: noise.deviation(),
        of_sums: noise.of_sums(),
        slack: slack(values.len()),
    };
    let mut points = series.narrowest_first();
    for _ in 0..PASSES {
        series.put_right(&mut points);
        series.drop_weak(&mut points);
    }
    points
}

/// What a series varies by while its level stays.
#[derive(Clone, Copy, Debug)]
struct Noise {
    /// Standard deviation of differences of neighbours, as of normal values.
    of_differences: f64,
    /// Mean square of the differences, cut off, in squares of that: above 1 for heavy tails.
    square: f64,
    /// How much neighbours have in common.
    correlation: f64,
}

impl Noise {
    /// By the differences of values between which no level changes; `None` where all are
    /// equal.
    fn of(values: &[f64], points: &[usize]) -> Option<Self> {
        let [next, second] = [1, 2].map(|lag| differences(values, points, lag));
        let robust = NORMAL_OF_MEDIAN * median(next.iter().map(|it| it.abs()).collect());
        let mean = next.iter().map(|it| it.abs()).sum::<f64>() / count_of(next.len());
        if mean == 0.0 {
            return None;
        }
        // Where more than half of all values are equal there is still some noise.
        let scale = robust.max(0.1 * mean);
        let square = |differences: &[f64]| {
            let cut = |it: &f64| (it / scale).clamp(-REACH_OF_DIFFERENCES, REACH_OF_DIFFERENCES);
            let squares: f64 = differences.iter().map(|it| cut(it).powi(2)).sum();
            squares / count_of(differences.len())
        };
        let (next, second) = (square(&next), square(&second));
        Some(Self {
            of_differences: scale,
            square: next,
            // Where neighbours agree by ρ, the squares are as 1 − ρ to 1 − ρ².
            correlation: (second / next - 1.0).clamp(0.0, CORRELATION_MAX),
        })
    }

    /// Standard deviation of a value.
    fn deviation(&self) -> f64 {
        self.of_differences / (2.0 * (1.0 - self.correlation)).sqrt()
    }

    /// Standard deviation of a sum of many cut values, ÷ the root of their number, in
    /// deviations of a value.
    fn of_sums(&self) -> f64 {
        let widening = (1.0 + self.correlation) / (1.0 - self.correlation);
        (self.square.max(1.0) * widening).sqrt()
    }
}

/// Differences of values that lie so far apart, without a change between them.
fn differences(values: &[f64], points: &[usize], lag: usize) -> Vec<f64> {
    let mut ends: Vec<usize> = points.to_vec();
    ends.push(values.len());
    let mut from = 0;
    let mut differences = Vec::with_capacity(values.len());
    for end in ends {
        let level = &values[from..end];
        let pairs = level.iter().zip(level.iter().skip(lag));
        differences.extend(pairs.map(|(earlier, later)| later - earlier));
        from = end;
    }
    differences
}

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[expect(clippy::cast_precision_loss, reason = "a series has no 2^53 values")]
fn count_of(count: usize) -> f64 {
    count as f64
}

/// How far a statistic of so many values must lie above what is to be expected of the
/// largest of many, so that 19 of 20 series without a change have none: found by
/// simulation (normal, heavy-tailed and correlated noise, with outliers).
fn slack(count: usize) -> f64 {
    1.4 + 5.0 / count_of(count)
}

struct Series<'a> {
    values: &'a [f64],
    /// Standard deviation of a value.
    unit: f64,
    /// That of sums, see [`Noise::of_sums`].
    of_sums: f64,
    slack: f64,
}

/// The best place to part a stretch.
#[derive(Clone, Copy, Debug)]
struct Split {
    at: usize,
    /// By how much it is over the threshold.
    surplus: f64,
}

impl Series<'_> {
    /// The place in `from..to` whose sides differ most, once more from the middle between
    /// both sides: from the median of all, the few values of a short side are cut off.
    fn split(&self, from: usize, to: usize) -> Option<Split> {
        let stretch = &self.values[from..to];
        if stretch.len() < 2 * SEGMENT_MIN {
            return None;
        }
        let first = self.split_around(stretch, median(stretch.to_vec()));
        let (before, after) = stretch.split_at(first.at);
        let middle = f64::midpoint(median(before.to_vec()), median(after.to_vec()));
        let split = self.split_around(stretch, middle);
        Some(Split {
            at: from + split.at,
            ..split
        })
    }

    fn split_around(&self, stretch: &[f64], middle: f64) -> Split {
        let all = count_of(self.values.len());
        let whole = count_of(stretch.len());
        let cut = |value: &f64| ((value - middle) / self.unit).clamp(-REACH, REACH);
        let total: f64 = stretch.iter().map(cut).sum();
        let mut sum: f64 = stretch[..SEGMENT_MIN].iter().map(cut).sum();
        let mut best = Split {
            at: SEGMENT_MIN,
            surplus: f64::NEG_INFINITY,
        };
        let last = stretch.len() - SEGMENT_MIN;
        for (at, value) in stretch.iter().enumerate().take(last + 1).skip(SEGMENT_MIN) {
            let before = count_of(at);
            let after = whole - before;
            let distance = (sum - total * before / whole).abs();
            let statistic = distance / (before * after / whole).sqrt() / self.of_sums;
            let places = all / (2.0 * before.min(after));
            let expected = (2.0 * (1.0 + places.ln())).sqrt();
            let surplus = statistic - expected - self.slack;
            if surplus > best.surplus {
                best = Split { at, surplus };
            }
            sum += cut(value);
        }
        best
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
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares of a count are below it"
)]
fn stretches(count: usize) -> Vec<[usize; 2]> {
    let mut stretches = vec![[0, count]];
    let mut length = count_of(count) * DECAY;
    while length >= count_of(2 * SEGMENT_MIN) {
        let places = 2.0 * (count_of(count) / length).ceil() - 1.0;
        let step = (count_of(count) - length) / (places - 1.0).max(1.0);
        for place in 0..places as usize {
            let from = count_of(place) * step;
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

    #[test]
    fn noise_without_a_change_has_none_in_nineteen_of_twenty_series() {
        let kinds: [(&str, Draw); 5] = [
            ("normal", normal),
            ("heavy", heavy),
            ("correlated", correlated),
            ("with dips", with_dips),
            ("rounded", rounded),
        ];
        for (name, draw) in kinds {
            for (count, series) in [(12, 500), (30, 500), (100, 400), (1_000, 60)] {
                let mut random = Random::stream(7, count as u64);
                let alarms = (0..series)
                    .filter(|_| !change_points(&draw(&mut random, count)).is_empty())
                    .count();
                // 5 %, and what chance adds to a count of so many (three of its deviations).
                let expected = 0.05 * f64::from(series);
                let most = expected + 3.0 * (expected * 0.95).sqrt();
                assert!(
                    (alarms as f64) < most,
                    "{name}: {alarms} of {series} series of {count}"
                );
            }
        }
    }

    /// Which shares of steps are found, and found within two places.
    fn found(before: usize, after: usize, height: f64, draw: Draw) -> [f64; 2] {
        const SERIES: usize = 400;
        let mut random = Random::stream(11, (before * 1_000 + after) as u64);
        let mut counts = [0, 0];
        for turn in 0..SERIES {
            let at = if turn % 2 == 0 { before } else { after };
            let mut values = draw(&mut random, before + after);
            values[at..].iter_mut().for_each(|value| *value -= height);
            let points = change_points(&values);
            counts[0] += usize::from(!points.is_empty());
            counts[1] += usize::from(points.iter().any(|point| point.abs_diff(at) <= 2));
        }
        counts.map(|count| count as f64 / SERIES as f64)
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
            let case = format!("{before} + {after}, {height}: {any}, {near}");
            assert!(any >= 0.95, "{case}");
            assert!(near >= 0.92, "{case}");
        }
        let [any, near] = found(30, 30, 3.0, correlated);
        assert!(any >= 0.95 && near >= 0.95, "{any}, {near}");
        let [any, near] = found(30, 30, 3.0, with_dips);
        assert!(any >= 0.95 && near >= 0.93, "{any}, {near}");
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
}
