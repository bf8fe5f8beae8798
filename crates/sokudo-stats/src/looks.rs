//! When to look whether repeated trials are precise enough.
//!
//! Whoever looks after every trial and stops once the interval is narrow stops, more often
//! than by chance, at a moment at which the trials lie close together by luck: the interval
//! of a row that was stopped so covers the true median less often than it says (Law and
//! Carson 1979; McNickle, Ewing and Pawlikowski 2004 of sequential stopping rules). Few
//! looks, each some way after the one before, keep that small. It says nothing about when
//! an interval is narrow.
//!
//! A row that would not get there in its time is given up at a look: by how wide its interval is,
//! not by where it lies, so that this leaves the coverage as it is.

/// The fewest trials whose order statistics give a 95 % interval of the median: minimum and
/// maximum of six cover it with 1 − 2·2⁻⁶ = 96.9 %, of five with 93.8 %.
pub const INTERVAL_TRIALS_MIN: usize = 6;

/// Numbers of trials after which to look. Beyond the last, each is a quarter more than the
/// one before.
const LOOKS: [usize; 7] = [INTERVAL_TRIALS_MIN, 9, 12, 16, 20, 26, 32];

/// Whether to look after this many trials.
pub fn is_look(trials: usize) -> bool {
    let mut look = LOOKS[LOOKS.len() - 1];
    while look < trials {
        look += look / 4;
    }
    look == trials || LOOKS.contains(&trials)
}

/// How many times as wide as wanted the interval would still have to be at the end of a row's time
/// for the row to be given up.
const FUTILE_FACTOR: f64 = 2.0;

/// Whether more trials would not help: an interval that reaches so far, as a share, after a part
/// of the time that there is, would be more than [`FUTILE_FACTOR`] times too wide at its end. It
/// becomes narrower with the root of the time.
pub fn is_futile(reach: f64, wanted: f64, part_of_time: f64) -> bool {
    reach * part_of_time.min(1.0).sqrt() > FUTILE_FACTOR * wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::distributions::standard_normal;
    use crate::summary::{WeightedTrials, median_interval};

    #[test]
    fn looks_grow_apart() {
        let looks: Vec<usize> = (0..=80).filter(|trials| is_look(*trials)).collect();
        assert_eq!(looks, [6, 9, 12, 16, 20, 26, 32, 40, 50, 62, 77]);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        const CONFIDENCE: f64 = 0.95;

        const TRIALS_MAX: usize = 40;

        const RELATIVE_PRECISION: f64 = 0.02;

        /// Rows that were stopped.
        #[derive(Default)]
        struct Stopped {
            /// Whose interval covers the true median of 1.
            covered: Rate,
            /// That were given up, and whose interval covers it of those.
            given_up: Rate,
            covered_given_up: Rate,
            /// That were given up, of those that would have become precise enough.
            given_up_in_vain: Rate,
            trials: usize,
        }

        impl Stopped {
            /// A row of so many trials at most.
            fn add(&mut self, draw: &mut dyn FnMut() -> f64, trials_max: usize) {
                let trials: Vec<f64> = (0..trials_max).map(|_| draw()).collect();
                let looks = (1..=trials_max).filter(|made| is_look(*made));
                let reaches = looks.map(|made| {
                    let made_trials = WeightedTrials::from(trials[..made].to_vec());
                    (made, made_trials.reach(CONFIDENCE).unwrap())
                });
                let reaches: Vec<(usize, f64)> = reaches.collect();
                let is_narrow = |(_, reach): &&(usize, f64)| *reach <= RELATIVE_PRECISION;
                let is_futile = |(made, reach): &&(usize, f64)| {
                    is_futile(*reach, RELATIVE_PRECISION, *made as f64 / trials_max as f64)
                };
                let narrow = reaches.iter().find(is_narrow).map(|(made, _)| *made);
                let futile = reaches.iter().find(is_futile).map(|(made, _)| *made);
                let is_given_up = futile.is_some_and(|made| narrow.is_none_or(|end| made < end));
                let end = [narrow, futile].into_iter().flatten().min();
                let end = end.unwrap_or(trials_max);
                let interval = median_interval(&trials[..end], CONFIDENCE).unwrap();
                let is_covered = (interval.low..=interval.high).contains(&1.0);
                self.covered.add(is_covered);
                self.given_up.add(is_given_up);
                if is_given_up {
                    self.covered_given_up.add(is_covered);
                }
                if narrow.is_some() {
                    self.given_up_in_vain.add(is_given_up);
                }
                self.trials += end;
            }
        }

        fn stopped(draw: &mut dyn FnMut() -> f64, rounds: u32, trials_max: usize) -> Stopped {
            let mut stopped = Stopped::default();
            (0..rounds).for_each(|_| stopped.add(draw, trials_max));
            stopped
        }

        /// How often the interval of a row that was stopped covers the true median of 1, and
        /// how many trials it took on average.
        fn coverage(draw: &mut dyn FnMut() -> f64, rounds: u32) -> (Rate, f64) {
            let stopped = stopped(draw, rounds, TRIALS_MAX);
            (stopped.covered, stopped.trials as f64 / f64::from(rounds))
        }

        /// Standard deviations from far below to far above what the precision asks for.
        const SPREADS: [f64; 8] = [0.004, 0.01, 0.016, 0.02, 0.025, 0.03, 0.04, 0.06];

        #[test]
        fn a_row_that_was_stopped_covers_its_median_in_at_least_93_of_100_cases() {
            let rounds = draws(3_000);
            for spread in SPREADS {
                let mut random = Random::stream(seed(), 19);
                let mut normal = || 1.0 + spread * standard_normal(&mut random);
                let (covered, _) = coverage(&mut normal, rounds);
                covered.assert_at_least(0.93, format_args!("normal, {spread}"));
                // Mostly fast, sometimes slow: an exponential tail, its median at 1.
                let mut skewed = || 1.0 + spread * (random.fraction().max(1e-12).ln() + 2f64.ln());
                let (covered, _) = coverage(&mut skewed, rounds);
                covered.assert_at_least(0.93, format_args!("skewed, {spread}"));
                let mut drawn = 0;
                let mut first_shorter = || {
                    let strays = if drawn % TRIALS_MAX == 0 { 1.6 } else { 1.0 };
                    drawn += 1;
                    1.0 + strays * spread * standard_normal(&mut random)
                };
                let (covered, _) = coverage(&mut first_shorter, rounds);
                covered.assert_at_least(0.93, format_args!("first shorter, {spread}"));
            }
        }

        #[test]
        fn trials_that_hang_together_cover_it_less_often_than_they_say() {
            let worst = |draw: &mut dyn FnMut(f64) -> f64| {
                let rounds = draws(2_000);
                let of_spread =
                    |spread: f64| coverage(&mut || 1.0 + spread * draw(spread), rounds).0;
                let rates = SPREADS.map(of_spread).into_iter();
                rates.min_by_key(|rate| rate.hits).unwrap()
            };
            for (share, expected) in [(0.3, 0.87), (0.6, 0.68)] {
                let mut random = Random::stream(seed(), 29);
                let mut value = 0.0;
                let found = worst(&mut |_| {
                    let fresh = (1.0f64 - share * share).sqrt() * standard_normal(&mut random);
                    value = share * value + fresh;
                    value
                });
                let case = format_args!("each with {share} of the one before it");
                found.assert_within(expected - 0.03..=expected + 0.03, case);
            }
            // Two levels that change after 20 trials on average.
            let mut random = Random::stream(seed(), 31);
            let mut level = 1.0;
            let found = worst(&mut |_| {
                if random.below(20) == 0 {
                    level = -level;
                }
                level + 0.1 * standard_normal(&mut random)
            });
            found.assert_at_most(0.05, "on one of two levels");
        }

        #[test]
        fn what_is_quiet_is_done_after_six_and_what_is_noisy_goes_on_to_the_end() {
            let mut random = Random::stream(seed(), 23);
            let rounds = draws(500);
            let mut made =
                |spread| coverage(&mut || 1.0 + spread * standard_normal(&mut random), rounds).1;
            assert!(made(0.004) < 6.5);
            assert!(made(0.04) > 25.0);
            assert!(made(0.2) < 7.0);
        }

        /// Rows of 12 trials, as those whose trials are long, and of 40.
        #[test]
        fn a_row_is_seldom_given_up_in_vain_and_its_interval_covers_its_median() {
            let rounds = draws(3_000);
            let mut random = Random::stream(seed(), 37);
            for trials_max in [12, TRIALS_MAX] {
                for spread in [0.01, 0.02, 0.03, 0.04, 0.06, 0.1, 0.2, 0.5] {
                    let mut skewed = random.clone();
                    let mut normal = || 1.0 + spread * standard_normal(&mut random);
                    let mut tail =
                        || 1.0 + spread * (skewed.fraction().max(1e-12).ln() + 2f64.ln());
                    for (of, draw) in [
                        ("normal", &mut normal as &mut dyn FnMut() -> f64),
                        ("skewed", &mut tail),
                    ] {
                        let rows = stopped(draw, rounds, trials_max);
                        let case = format!("{of}, {spread}, up to {trials_max}");
                        // Of which nine in ten would get there.
                        if rows.given_up_in_vain.drawn > u64::from(rounds / 10 * 9) {
                            rows.given_up_in_vain.assert_at_most(0.12, &case);
                        }
                        if rows.given_up.hits > u64::from(rounds / 20) {
                            let case = format_args!("{case}, given up");
                            rows.covered_given_up.assert_at_least(0.95, case);
                        }
                    }
                }
            }
        }

        /// The table of the method, from its first line to the empty one behind it.
        fn table_of_method(method: &str) -> &str {
            let start = method.find(HEAD).expect("the table is there");
            let end = method[start..].find("\n\n").expect("it ends");
            &method[start..=start + end]
        }

        const HEAD: &str = "| deviation of the trials | would reach ± 2 % |";

        #[test]
        fn the_method_says_how_often_rows_are_given_up() {
            const ROWS: u32 = 2_000;
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/METHOD.md");
            let mut table = format!(
                "{HEAD} given up | given up although it would | interval of those given up covers the median |\n|---|---|---|---|---|\n"
            );
            for (name, skewed) in [("normal", false), ("tail to the slow side", true)] {
                for spread in [0.01, 0.02, 0.04, 0.1] {
                    let [few, many] = [12, TRIALS_MAX].map(|trials_max| {
                        let mut random = Random::stream(41, trials_max as u64);
                        let mut draw = || match skewed {
                            true => 1.0 + spread * (random.fraction().max(1e-12).ln() + 2f64.ln()),
                            false => 1.0 + spread * standard_normal(&mut random),
                        };
                        stopped(&mut draw, ROWS, trials_max)
                    });
                    // Of less than fifty rows a share would be chance.
                    let share = |rate: Rate| match rate.drawn < 50 {
                        true => "–".to_owned(),
                        false => format!("{:.0} %", rate.share() * 100.0),
                    };
                    let both = |of: fn(&Stopped) -> Rate| {
                        format!("{}, {}", share(of(&few)), share(of(&many)))
                    };
                    let would = |rows: &Stopped| Rate {
                        hits: rows.given_up_in_vain.drawn,
                        drawn: ROWS.into(),
                    };
                    table += &format!(
                        "| {name}, {:.0} % | {} | {} | {} | {} |\n",
                        spread * 100.0,
                        both(would),
                        both(|rows| rows.given_up),
                        both(|rows| rows.given_up_in_vain),
                        both(|rows| rows.covered_given_up),
                    );
                }
            }
            let method = std::fs::read_to_string(path).unwrap();
            let printed = table_of_method(&method);
            if std::env::var_os("SOKUDO_BLESS").is_some() {
                std::fs::write(path, method.replace(printed, &table)).unwrap();
                return;
            }
            assert_eq!(printed, table, "SOKUDO_BLESS=1 writes it");
        }
    }
}
