//! A rate that was counted, held against one that is promised.

use std::fmt::Display;
use std::iter::Sum;
use std::ops::{AddAssign, RangeInclusive};

/// How many standard errors Wilson's interval reaches: so far that a program which keeps its promise
/// fails no check by chance, whatever the seed. Hits are binomial, and skewed where few are expected:
/// by the sum of their probabilities, a rate that is exactly at its limit fails with less than 5e-9
/// where 4 hits (or misses) are expected or more, and with less than 4e-7 where it is one; a rate at
/// half its limit fails with less than 1e-9. (6 would do for a normal distribution, but a rate at
/// its limit fails then with up to 3e-5.) `a_program_that_keeps_its_promise_does_not_fail_by_chance`
/// counts all of it.
const STANDARD_ERRORS: f64 = 8.0;

/// How often something happened of how often it was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// How often it happened.
    pub hits: u64,
    /// How often it was tried.
    pub drawn: u64,
}

impl Rate {
    /// Of these draws those of which something holds.
    pub fn of<T>(draws: impl IntoIterator<Item = T>, mut holds: impl FnMut(T) -> bool) -> Self {
        let mut rate = Self::default();
        draws.into_iter().for_each(|draw| rate.add(holds(draw)));
        rate
    }

    /// Counts one more draw.
    pub fn add(&mut self, is_hit: bool) {
        self.hits += u64::from(is_hit);
        self.drawn += 1;
    }

    /// The share that was counted.
    pub fn share(self) -> f64 {
        float(self.hits) / float(self.drawn)
    }

    /// Fails if it cannot be that it happens so often at most.
    #[track_caller]
    pub fn assert_at_most(self, limit: f64, what: impl Display) {
        self.assert_within(0.0..=limit, what);
    }

    /// Fails if it cannot be that it happens so often at least.
    #[track_caller]
    pub fn assert_at_least(self, limit: f64, what: impl Display) {
        self.assert_within(limit..=1.0, what);
    }

    /// Fails if it cannot be that it happens just so often.
    #[track_caller]
    pub fn assert_is(self, promise: f64, what: impl Display) {
        self.assert_within(promise..=promise, what);
    }

    /// Fails if Wilson's interval has nothing in common with what is promised. Prints the rate:
    /// `bench/precision draws` shows it.
    #[track_caller]
    #[expect(clippy::print_stdout, reason = "only tests call it")]
    pub fn assert_within(self, promise: RangeInclusive<f64>, what: impl Display) {
        assert!(self.drawn > 0, "{what}: nothing was drawn");
        let Self { hits, drawn } = self;
        let (least, most) = (promise.start(), promise.end());
        let counted = format!(
            "{what}: {:.4} ({hits} of {drawn}), promised {least:.4} to {most:.4}",
            self.share()
        );
        println!("{counted}");
        let (low, high) = self.interval();
        assert!(
            low <= *most && high >= *least,
            "{counted}, but Wilson's interval ({STANDARD_ERRORS} standard errors) is {low:.4} to {high:.4}"
        );
    }

    /// Wilson's score interval (1927, J. Am. Stat. Assoc. 22, 209): the rates of which what was
    /// counted is no more than [`STANDARD_ERRORS`] away, each by its own standard error.
    fn interval(self) -> (f64, f64) {
        let (count, share) = (float(self.drawn), self.share());
        let squared = STANDARD_ERRORS.powi(2);
        let scale = 1.0 + squared / count;
        let middle = (share + squared / (2.0 * count)) / scale;
        let variance = share * (1.0 - share) / count + squared / (4.0 * count * count);
        let reach = STANDARD_ERRORS * variance.sqrt() / scale;
        // Never and always are exact; rounding may not make them more or less.
        let low = if self.hits == 0 { 0.0 } else { middle - reach };
        let is_always = self.hits == self.drawn;
        (low, if is_always { 1.0 } else { middle + reach })
    }
}

impl AddAssign for Rate {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.drawn += other.drawn;
    }
}

impl Sum for Rate {
    fn sum<I: Iterator<Item = Self>>(rates: I) -> Self {
        let mut all = Self::default();
        rates.for_each(|rate| all += rate);
        all
    }
}

fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    fn rate(hits: u64, drawn: u64) -> Rate {
        Rate { hits, drawn }
    }

    fn passes(check: impl FnOnce() + std::panic::UnwindSafe) -> bool {
        catch_unwind(check).is_ok()
    }

    /// What Wilson's interval is defined by: at its ends the distance is so many standard errors.
    #[test]
    fn at_the_ends_what_was_counted_is_so_many_standard_errors_away() {
        for (hits, drawn) in [(1, 40), (10, 100), (500, 1_000), (3_999, 4_000)] {
            let rate = rate(hits, drawn);
            let (low, high) = rate.interval();
            assert!(low < rate.share() && rate.share() < high);
            for end in [low, high] {
                let error = (end * (1.0 - end) / float(drawn)).sqrt();
                let away = (rate.share() - end).abs() / error;
                assert!((away - STANDARD_ERRORS).abs() < 1e-6, "{hits}: {away}");
            }
        }
    }

    #[test]
    fn only_what_cannot_be_fails() {
        assert!(passes(|| rate(5, 100).assert_at_most(0.05, "")));
        assert!(passes(|| rate(12, 100).assert_at_most(0.05, "")));
        assert!(!passes(|| rate(30, 100).assert_at_most(0.05, "")));
        assert!(passes(|| rate(88, 100).assert_at_least(0.95, "")));
        assert!(!passes(|| rate(70, 100).assert_at_least(0.95, "")));
        assert!(passes(|| rate(950, 1_000).assert_is(0.95, "")));
        assert!(!passes(|| rate(1_000, 1_000).assert_is(0.9, "")));
        // More draws tell more.
        assert!(!passes(|| rate(1_200, 10_000).assert_at_most(0.05, "")));
    }

    #[test]
    fn what_always_or_never_happens_may_be_promised() {
        assert!(passes(|| rate(7, 7).assert_is(1.0, "")));
        assert!(passes(|| rate(0, 7).assert_is(0.0, "")));
        assert!(!passes(|| rate(6, 7).assert_is(1.0, "")));
        assert!(!passes(|| Rate::default().assert_at_most(1.0, "")));
    }

    #[test]
    #[should_panic(
        expected = "noise: 0.3000 (30 of 100), promised 0.0000 to 0.0500, but Wilson's interval \
                    (8 standard errors) is 0.0813 to 0.6748"
    )]
    fn whoever_fails_says_what_was_counted_and_what_was_promised() {
        rate(30, 100).assert_at_most(0.05, "noise");
    }

    /// How likely so many hits or more are, by the sum of the binomial probabilities.
    fn tail(hits: u64, drawn: u64, rate: f64) -> f64 {
        let mut logarithm = float(drawn) * (1.0 - rate).ln();
        let mut sum = 0.0;
        for count in 0..=drawn {
            if count >= hits {
                sum += logarithm.exp();
            }
            logarithm += ((float(drawn - count) * rate) / (float(count + 1) * (1.0 - rate))).ln();
        }
        sum
    }

    #[test]
    fn a_program_that_keeps_its_promise_does_not_fail_by_chance() {
        let (mut at_four, mut at_one, mut at_half) = (0.0f64, 0.0f64, 0.0f64);
        for limit in [0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98] {
            for drawn in [10, 20, 40, 60, 80, 100, 150, 200, 300, 500, 1_000, 4_000] {
                let failing = (0..=drawn).find(|hits| rate(*hits, drawn).interval().0 > limit);
                let Some(hits) = failing else { continue };
                let expected = float(drawn) * limit * (1.0 - limit);
                let chance = tail(hits, drawn, limit);
                if expected >= 4.0 {
                    at_four = at_four.max(chance);
                }
                if expected >= 1.0 {
                    at_one = at_one.max(chance);
                    at_half = at_half.max(tail(hits, drawn, limit / 2.0));
                }
            }
        }
        assert!(at_four < 5e-9, "{at_four:e}");
        assert!(at_one < 4e-7, "{at_one:e}");
        assert!(at_half < 1e-9, "{at_half:e}");
    }
}
