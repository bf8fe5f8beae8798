//! How often conclusions about noise are wrong.

use std::ops::RangeInclusive;

use super::*;
use sokudo_stats::Random;
use sokudo_testing::{Rate, Seeds, seeds};

/// Pairs of systems of each case, at scale 1.
const PAIRS: u32 = 300;

/// No more than so many conclusions about noise may be wrong, in each case and in all.
const WRONG_MAX: f64 = 0.05;

/// Counts the wrong conclusions of each case, with seeds of its own.
fn assert_seldom_wrong<C>(
    cases: impl IntoIterator<Item = C>,
    name: impl Fn(&C) -> String,
    mut is_wrong: impl FnMut(&C, u64) -> bool,
) {
    let mut seeds = Seeds::default();
    let rates = cases.into_iter().map(|case| {
        let wrong = Rate::of(seeds.next(PAIRS), |seed| is_wrong(&case, seed));
        wrong.assert_at_most(WRONG_MAX, name(&case));
        wrong
    });
    rates.sum::<Rate>().assert_at_most(WRONG_MAX, "all");
}

#[test]
fn rows_are_the_same_exactly_where_the_whole_interval_is_within_what_matters() {
    let mut seen = [0u32; 2];
    for seed in seeds(PAIRS) {
        let mut noise = Noise::new(sokudo_stats::mix64(seed), 0.3, false);
        let deviation = 0.001 * (seed % 20) as f64;
        let (a, b) = (
            noise.trials(12, 0.0, deviation),
            noise.trials(12, 0.005, deviation),
        );
        for comparing in [SEPARATE, PAIRED] {
            let compared = of_values(&a, &b, comparing);
            let interval = compared.change.unwrap().ratio_interval_95.unwrap();
            let is_within = interval.low > 1.0 / 1.02 && interval.high < 1.02;
            let is_same = compared.conclusion == Conclusion::Same;
            assert_eq!(is_same, is_within, "{compared:?}");
            seen[usize::from(is_same)] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > PAIRS / 6), "{seen:?}");
}

#[test]
fn systems_that_differ_by_what_matters_are_called_the_same_in_at_most_5_percent() {
    let is_same = |comparing, trials, correlation, shift, seed| {
        let [a, b] = both(
            sokudo_stats::mix64(seed),
            correlation,
            comparing,
            trials,
            shift,
            0.005,
        );
        of_values(&a, &b, comparing).conclusion == Conclusion::Same
    };
    let cases = [SEPARATE, PAIRED].into_iter().flat_map(|comparing| {
        let trials = [6, 12, 20].into_iter();
        trials.flat_map(move |trials| [0.0, 0.3, 0.6].map(|it| (comparing, trials, it)))
    });
    assert_seldom_wrong(
        cases,
        |(comparing, trials, correlation)| {
            format!("{} n {trials} phi {correlation}", comparing.paired)
        },
        |(comparing, trials, correlation), seed| {
            is_same(*comparing, *trials, *correlation, 1.02f64.ln(), seed)
        },
    );
    // Equal ones are, or it would say nothing.
    for comparing in [SEPARATE, PAIRED] {
        let same = Rate::of(seeds(PAIRS), |seed| is_same(comparing, 12, 0.0, 0.0, seed));
        same.assert_at_least(0.9, format_args!("{comparing:?}"));
    }
}

/// Noise of which a value hangs on the one before.
struct Noise {
    random: Random,
    correlation: f64,
    is_skewed: bool,
    state: f64,
}

impl Noise {
    fn new(seed: u64, correlation: f64, is_skewed: bool) -> Self {
        let mut noise = Self {
            random: Random::new(seed),
            correlation,
            is_skewed,
            state: 0.0,
        };
        // Long enough to forget where it began.
        (0..50).for_each(|_| {
            noise.next();
        });
        noise
    }

    /// Draws the next value of noise with variance 1.
    fn next(&mut self) -> f64 {
        let mut uniform = || 1.0 - self.random.fraction();
        let innovation = if self.is_skewed {
            -1.0 - uniform().ln()
        } else {
            let turn = std::f64::consts::TAU * uniform();
            (-2.0 * uniform().ln()).sqrt() * turn.cos()
        };
        self.state = self.correlation * self.state + innovation;
        self.state * (1.0 - self.correlation.powi(2)).sqrt()
    }

    /// Trials of a system whose logarithm is `middle`, with noise of so much.
    fn trials(&mut self, count: usize, middle: f64, deviation: f64) -> Vec<f64> {
        (0..count)
            .map(|_| (middle + deviation * self.next()).exp())
            .collect()
    }
}

fn is_judged_different(compared: &Compared) -> bool {
    matches!(compared.conclusion, Conclusion::Faster | Conclusion::Slower)
}

#[test]
fn identical_systems_are_called_different_in_at_most_5_percent() {
    let cases = [0.0, 0.3, 0.6].into_iter().flat_map(|correlation| {
        let of_shape = move |is_skewed| [5, 6, 8, 12, 20].map(|it| (correlation, is_skewed, it));
        [false, true].into_iter().flat_map(of_shape)
    });
    assert_seldom_wrong(
        cases,
        |(correlation, is_skewed, trials)| {
            format!("phi {correlation} skewed {is_skewed} n {trials}")
        },
        // The noise is far above the least difference that matters, which therefore helps nothing.
        |(correlation, is_skewed, trials), seed| {
            let sample = |side| {
                let seed = sokudo_stats::mix64(seed << 1 ^ side);
                Noise::new(seed, *correlation, *is_skewed).trials(*trials, 0.0, 0.2)
            };
            is_judged_different(&of_values(&sample(0), &sample(1), SEPARATE))
        },
    );
}

/// Rows of many sides, of which some are faster by these logarithms, all in noise of 0.2.
fn sides_of(seed: u64, correlation: f64, middles: &[&[f64]]) -> Vec<Vec<Vec<f64>>> {
    let middles = middles.iter().enumerate();
    let row = |(row, middles): (usize, &&[f64])| {
        let sides = middles.iter().enumerate();
        let side = |(side, middle): (usize, &f64)| {
            let seed = sokudo_stats::mix64(seed ^ (row * 100 + side) as u64);
            Noise::new(seed, correlation, false).trials(6, *middle, 0.2)
        };
        sides.map(side).collect()
    };
    middles.map(row).collect()
}

fn best_of(rows: &[Vec<Vec<f64>>]) -> Vec<Option<usize>> {
    let parts = parts(&[PlanData::Depth(1)]);
    let rows: Vec<Vec<Option<Side<'_>>>> = rows
        .iter()
        .map(|row| row.iter().map(|it| Some(side(it, &parts))).collect())
        .collect();
    best(&rows, SEPARATE)
}

#[test]
fn among_equal_systems_a_best_is_named_in_at_most_5_percent() {
    let equal = [0.0; 6];
    // The hardest is two that are equal before others that are far behind.
    let two_ahead = [0.0, 0.0, -3.0, -3.0];
    let middles = [&equal[..2], &equal[..3], &equal, &two_ahead];
    let cases = [0.0, 0.3, 0.6].into_iter().flat_map(|correlation| {
        let of_middles = move |middles| [1, 4].map(|rows| (correlation, vec![middles; rows]));
        middles.into_iter().flat_map(of_middles)
    });
    let mut named = 0;
    assert_seldom_wrong(
        cases,
        |(correlation, rows)| format!("{correlation} {:?} x{}", rows[0], rows.len()),
        |(correlation, rows), seed| {
            let found = best_of(&sides_of(sokudo_stats::mix64(seed), *correlation, rows));
            let is_named = found.iter().any(Option::is_some);
            named += u32::from(is_named);
            is_named
        },
    );
    // The test can fail: of so many there are some.
    assert!(named > 0);
}

#[test]
fn a_best_is_named_among_six_in_eight_rows_and_not_where_two_are_ahead() {
    let one_ahead = [0.0, 0.0, 3.0, 0.0, 0.0, 0.0];
    let two_ahead = [0.0, 3.0, 3.0, 0.0, 0.0, 0.0];
    let mut rows = vec![&one_ahead[..]; 7];
    rows.push(&two_ahead);
    let found = best_of(&sides_of(5, 0.0, &rows));
    assert_eq!(found, [vec![Some(2); 7], vec![None]].concat());
}

/// Trials of two systems in pairs on one machine, the order within each pair by lot: the
/// noise runs through all of them.
fn live(
    noise: &mut Noise,
    coin: &mut Random,
    pairs: usize,
    middle: f64,
    deviation: f64,
) -> [Vec<f64>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    for _ in 0..pairs {
        let first = coin.below(2) as usize;
        for side in [first, 1 - first] {
            let shifted = if side == 1 { middle } else { 0.0 };
            sides[side].extend(noise.trials(1, shifted, deviation));
        }
    }
    sides
}

/// Trials of two systems whose logarithms are so far apart, in one noise or in one each.
fn both(
    seed: u64,
    correlation: f64,
    comparing: Comparing,
    trials: usize,
    shift: f64,
    deviation: f64,
) -> [Vec<f64>; 2] {
    let mut noise = Noise::new(seed, correlation, false);
    if comparing.paired {
        let mut coin = Random::new(!seed);
        return live(&mut noise, &mut coin, trials, shift, deviation);
    }
    let mut apart = Noise::new(!seed, correlation, false);
    let first = noise.trials(trials, 0.0, deviation);
    [first, apart.trials(trials, shift, deviation)]
}

#[test]
fn identical_systems_measured_in_pairs_are_called_different_in_at_most_5_percent() {
    let cases = [0.3, 0.6, 0.95].into_iter().flat_map(|correlation| {
        let of_shape = move |is_skewed| [6, 12, 20].map(|it| (correlation, is_skewed, it));
        [false, true].into_iter().flat_map(of_shape)
    });
    assert_seldom_wrong(
        cases,
        |(correlation, is_skewed, pairs)| {
            format!("phi {correlation} skewed {is_skewed} pairs {pairs}")
        },
        // The level is used up to its last step (4.9 % of 20 pairs).
        |(correlation, is_skewed, pairs), seed| {
            let seed = sokudo_stats::mix64(seed);
            let mut noise = Noise::new(seed, *correlation, *is_skewed);
            let [a, b] = live(&mut noise, &mut Random::new(!seed), *pairs, 0.0, 0.2);
            is_judged_different(&of_values(&a, &b, PAIRED))
        },
    );
}

#[test]
fn systems_that_differ_by_what_matters_are_called_different_in_at_most_5_percent() {
    // By no less, so that a test of whether there is any difference would call all of them
    // faster where the estimate is above: half of them.
    let margin = 1.02f64.ln();
    let noises = [(0.0, 0.003), (0.0, 0.02), (0.6, 0.003), (0.6, 0.02)];
    let cases = [SEPARATE, PAIRED].into_iter().flat_map(|comparing| {
        let of_noise = move |noise| [6, 12, 20].map(|trials| (comparing, noise, trials));
        noises.into_iter().flat_map(of_noise)
    });
    assert_seldom_wrong(
        cases,
        |(comparing, (correlation, deviation), trials)| {
            let paired = comparing.paired;
            format!("by the margin: paired {paired} n {trials} phi {correlation} noise {deviation}")
        },
        |(comparing, (correlation, deviation), trials), seed| {
            let seed = sokudo_stats::mix64(seed);
            let [a, b] = both(seed, *correlation, *comparing, *trials, margin, *deviation);
            is_judged_different(&of_values(&a, &b, *comparing))
        },
    );
}

/// Rates of the trials of one run whose level differs from that of the others of its system.
fn run_of(seed: u64, between: f64, within: f64, middle: f64) -> Vec<f64> {
    let mut noise = Noise::new(sokudo_stats::mix64(seed), 0.0, false);
    let level = middle + between * noise.next();
    noise.trials(6, level, within)
}

/// Of how many pairs of systems, the second faster by this logarithm, it is called different, where
/// so many earlier runs of the first are kept.
fn called_different(past: u64, between: f64, within: f64, shift: f64) -> Rate {
    let parts = parts(&[PlanData::Depth(1)]);
    Rate::of(seeds(PAIRS), |turn| {
        let run = |number: u64, middle| run_of(turn << 16 | number, between, within, middle);
        let middle = |trials: &[f64]| sokudo_stats::Summary::of(trials).unwrap().median.ln();
        let past: Vec<f64> = (2..2 + past).map(|it| middle(&run(it, 0.0))).collect();
        let past = PastRuns::of(&past);
        let (a, b) = (run(0, 0.0), run(1, shift));
        let rows = [(
            Side {
                past,
                ..side(&a, &parts)
            },
            Side {
                past,
                ..side(&b, &parts)
            },
        )];
        is_judged_different(&compare(&rows, SEPARATE)[0])
    })
}

#[test]
fn runs_that_differ_are_called_different_in_5_percent_once_earlier_ones_are_known() {
    for (between, within) in [(0.01, 0.005), (0.02, 0.005), (0.05, 0.01)] {
        let without = called_different(0, between, within, 0.0).share();
        println!("between {between} within {within}, no earlier runs: {without}");
        for past in [5, 8, 12, 30] {
            let case = format!("between {between} within {within}, {past} earlier runs");
            let called = called_different(past, between, within, 0.0);
            called.assert_at_most(WRONG_MAX, case);
        }
    }
    // Trials alone cannot know it.
    called_different(0, 0.05, 0.01, 0.0).assert_at_least(0.4, "no earlier runs");
}

#[test]
fn earlier_runs_that_hardly_differ_find_what_an_assumed_correlation_hides() {
    // Five percent, where runs differ by no more than their trials tell.
    for (within, without_max, least) in [(0.01, 0.7, 0.85), (0.02, 0.2, 0.35)] {
        let without = called_different(0, 0.0, within, 0.05);
        let case = format_args!("5 % in trials of {within}, no earlier runs");
        without.assert_at_most(without_max, case);
        for past in [5, 12, 30] {
            let case = format!("5 % in trials of {within}, {past} earlier runs");
            let called = called_different(past, 0.0, within, 0.05);
            called.assert_at_least(least, case);
        }
    }
}

#[test]
fn five_percent_in_noise_of_one_are_found() {
    // Six trials cannot show that they are independent, and are believed less.
    for (comparing, trials, least) in [
        (SEPARATE, 6, 0.6),
        (SEPARATE, 8, 0.8),
        (SEPARATE, 12, 0.95),
        (PAIRED, 6, 0.95),
        (PAIRED, 12, 0.95),
    ] {
        let found = Rate::of(seeds(PAIRS), |seed| {
            let mut noise = Noise::new(sokudo_stats::mix64(seed), 0.0, false);
            let slow = noise.trials(trials, 0.0, 0.01);
            let fast = noise.trials(trials, 0.05, 0.01);
            of_values(&slow, &fast, comparing).conclusion == Conclusion::Faster
        });
        let case = format!("paired {} n {trials}", comparing.paired);
        found.assert_at_least(least, case);
    }
}

/// So often the interval of the ratio holds the true one.
fn assert_covers(
    correlation: f64,
    comparing: Comparing,
    trials: usize,
    share: RangeInclusive<f64>,
) {
    let truth = 0.1f64;
    let covered = Rate::of(seeds(PAIRS), |seed| {
        let seed = sokudo_stats::mix64(seed);
        let [a, b] = both(seed, correlation, comparing, trials, truth, 0.05);
        let change = of_values(&a, &b, comparing).change.unwrap();
        let interval = change.ratio_interval_95.unwrap();
        (interval.low..=interval.high).contains(&truth.exp())
    });
    let kind = ["separate", "paired"][usize::from(comparing.paired)];
    covered.assert_within(share, format_args!("{kind} phi {correlation} n {trials}"));
}

#[test]
fn the_interval_covers_the_true_ratio() {
    // Separate runs: of correlated noise as promised; of independent noise more often,
    // because few trials cannot show that they are independent.
    for (correlation, trials) in [(0.0, 6), (0.0, 20), (0.3, 6), (0.3, 20), (0.6, 6)] {
        assert_covers(correlation, SEPARATE, trials, 0.93..=1.0);
    }
    for trials in [12, 20, 30] {
        assert_covers(0.6, SEPARATE, trials, 0.93..=0.98);
    }
    // Pairs: neither more nor less often than promised, but for the steps of few pairs.
    for (correlation, pairs) in [
        (0.0, 8),
        (0.0, 12),
        (0.0, 25),
        (0.3, 12),
        (0.6, 12),
        (0.6, 25),
    ] {
        assert_covers(correlation, PAIRED, pairs, 0.94..=0.965);
    }
}

#[test]
fn false_alarms_of_many_rows_are_counted_together() {
    let parts = parts(&[]);
    let alarms = Rate::of(seeds(PAIRS), |run| {
        let samples: Vec<[Vec<f64>; 2]> = (0..8)
            .map(|row| {
                let mut noise = Noise::new(sokudo_stats::mix64(run << 8 ^ row), 0.3, false);
                live(&mut noise, &mut Random::new(run << 8 ^ row), 12, 0.0, 0.2)
            })
            .collect();
        let rows: Vec<_> = samples
            .iter()
            .map(|[a, b]| (side(a, &parts), side(b, &parts)))
            .collect();
        compare(&rows, PAIRED).iter().any(is_judged_different)
    });
    alarms.assert_at_most(WRONG_MAX, "runs of eight rows");
}
