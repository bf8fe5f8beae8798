//! HD Tune's five levels between fast and accurate.

use std::fmt;
use std::str::FromStr;

use sokudo_model::Nanos;

/// Names of the levels, from the first to the fifth. HD Tune names the ends only.
const NAMES: [&str; 5] = ["fast", "faster", "medium", "normal", "accurate"];
/// Time per place of the first level; each further one takes twice as long. HD Tune's
/// bytes per place grow so, and with the local speed (traced on 4.01 by 8thway).
const FIRST: Nanos = Nanos::from_millis(125);

/// A level from 1, fast, to 5, accurate. HD Tune starts with the fourth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(u8);

impl Level {
    /// How long each place is measured: 1/8, 1/4, 1/2, 1 or 2 seconds.
    pub const fn time_per_sample(self) -> Nanos {
        Nanos(FIRST.0 << (self.0 - 1))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let by_name = (1u8..).zip(NAMES).find(|(_, name)| *name == text);
        by_name
            .map(|(number, _)| number)
            .or_else(|| text.parse().ok().filter(|number| (1..=5).contains(number)))
            .map(Self)
            .ok_or(UnknownLevel)
    }
}

/// A level that there is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("use 1 to 5, or fast, faster, medium, normal, accurate")]
pub struct UnknownLevel;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_takes_twice_as_long_as_the_one_before() {
        let times: Vec<u64> = (1..=5)
            .map(|level| level.to_string().parse::<Level>().unwrap())
            .map(|level| level.time_per_sample().0 / 1_000_000)
            .collect();
        assert_eq!(times, [125, 250, 500, 1000, 2000]);
        assert_eq!("accurate".parse(), "5".parse::<Level>());
        assert_eq!("normal".parse(), "4".parse::<Level>());
    }

    #[test]
    fn other_levels_are_refused() {
        for text in ["0", "6", "", "Fast", "-1", "257"] {
            assert_eq!(text.parse::<Level>(), Err(UnknownLevel), "{text}");
        }
    }
}
