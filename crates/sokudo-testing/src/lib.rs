//! How much tests draw, and whether a rate that they count is the one that is promised.
//!
//! A test that draws seeds, disks or cases says how many it needs at scale 1, which every push
//! runs; `SOKUDO_TEST_SCALE=10` draws ten times as many, as `bench/precision draws` does at night.
//! It stands in a module or function whose name has [`NAME_PART`] in it, so that it is found there.
//! `SOKUDO_TEST_SEED=7` draws others: no seed may fail by chance.
//!
//! It draws nothing itself and knows nothing of what is tested.

mod rate;

pub use rate::Rate;

use std::ops::Range;
use std::sync::LazyLock;
use std::thread;

/// What the names of all tests have in common whose number of draws scales.
pub const NAME_PART: &str = "many_draws";

/// From one base seed to the next: no test draws more seeds than this.
const SEEDS_APART: u64 = 1 << 20;

static SCALE: LazyLock<u32> = LazyLock::new(|| {
    let scale = variable("SOKUDO_TEST_SCALE").unwrap_or(1);
    assert!(
        (1..=1_000).contains(&scale),
        "SOKUDO_TEST_SCALE is {scale}, not 1 to 1000"
    );
    u32::try_from(scale).expect("at most 1000")
});

static SEED: LazyLock<u64> = LazyLock::new(|| variable("SOKUDO_TEST_SEED").unwrap_or(0));

/// By how much more than at a push is drawn: `SOKUDO_TEST_SCALE`, 1 by default.
///
/// # Panics
///
/// In a test that `bench/precision draws` would not find.
pub fn scale() -> u32 {
    assert_is_found();
    *SCALE
}

/// How many to draw where `count` are drawn at scale 1: cases of a property, say.
pub fn draws(count: u32) -> u32 {
    count
        .checked_mul(scale())
        .expect("a test draws fewer than 2^32")
}

/// Seeds of a test that draws `count` at scale 1. They follow each other from [`seed`] on.
pub fn seeds(count: u32) -> Range<u64> {
    Seeds::default().next(count)
}

/// Seeds of a test whose cases are counted together, so that none may have those of another.
#[derive(Debug, Default)]
pub struct Seeds {
    drawn: u64,
}

impl Seeds {
    /// Seeds of the next case, which draws `count` at scale 1.
    pub fn next(&mut self, count: u32) -> Range<u64> {
        let first = seed() + self.drawn;
        self.drawn += u64::from(draws(count));
        assert!(
            self.drawn <= SEEDS_APART,
            "a test takes the next one's seeds"
        );
        first..seed() + self.drawn
    }
}

/// The first seed: 0, unless `SOKUDO_TEST_SEED` names others.
pub fn seed() -> u64 {
    SEED.wrapping_mul(SEEDS_APART)
}

fn variable(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    let number = value.parse();
    Some(number.unwrap_or_else(|_| panic!("{name} is {value:?}, which is no number")))
}

/// The thread of a test has its name; that of a test run alone, and those that it starts, have none
/// of their own.
fn assert_is_found() {
    let thread = thread::current();
    let name = thread.name().unwrap_or("main");
    assert!(
        name == "main" || name.contains(NAME_PART),
        "{name} draws by SOKUDO_TEST_SCALE: move it into a module `{NAME_PART}`, where `bench/precision draws` finds it"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "move it into a module `many_draws`")]
    fn whoever_would_not_be_found_at_night_fails_at_once() {
        thread::Builder::new()
            .name("tests::rates".to_owned())
            .spawn(scale)
            .unwrap()
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }

    #[test]
    fn many_draws_are_as_many_as_the_scale_says_from_the_seed_on() {
        let scale = scale();
        assert_eq!(draws(40), 40 * scale);
        let scale = u64::from(scale);
        assert_eq!(seeds(3), seed()..seed() + 3 * scale);
        let mut seeds = Seeds::default();
        let two = [3, 2].map(|count| seeds.next(count));
        assert_eq!(two[1], two[0].end..seed() + 5 * scale);
    }
}
