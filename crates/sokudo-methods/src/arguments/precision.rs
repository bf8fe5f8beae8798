//! How precisely a row is to be known: the arguments of every command that repeats trials,
//! and what they come to.

use clap::Args;
use sokudo_model::{Enough, Nanos, Schedule};
use sokudo_terminal::arguments::heading::HOW;
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

/// Trials that a row has at most where a precision is asked for and no number is: the
/// looks at it ([`sokudo_stats::is_look`]) end there, too.
const TRIALS_MAX: u32 = 40;

/// Rounds over a time that is named: the third smallest and the third largest of twelve trials
/// are the ends of a 96 % interval, so that one round beside another program moves none of them.
const SPREAD_ROUNDS: u32 = 12;

/// The ± of a row, in thousandths of its median, of commands that seek one by default.
pub const PERMILLE_DEFAULT: u32 = 20;

/// How precisely a row is to be known, as given.
#[derive(Clone, Copy, Debug, Args)]
pub struct Precision {
    /// Repeat trials until a row's ± is this small; 0: no [mark, sweep: 2%]
    ///
    /// The ± is the distance from the median to the farther end of its 95 % interval. A row that
    /// does not get there within --runs trials and --max-time says so. sweep, and mark without
    /// --runs, use 2 % by default.
    #[arg(long, value_name = "N%", value_parser = permille, help_heading = HOW)]
    pub precision: Option<u32>,

    /// End after this time, once every row has one trial [mark: 1min]
    ///
    /// Six trials give a row a ±. By default, mark takes a minute for every eight rows, unless
    /// --runs, --time or --precision asks for more; the test file is written before that.
    #[arg(long, value_name = "TIME", help_heading = HOW)]
    pub max_time: Option<Nanos>,

    /// Spread the trials over this time, idle in between: 10min
    ///
    /// Measures drift: 12 rounds (--runs) of one trial of each row, at random moments of equal
    /// parts of this time. The ± then includes what changes over it, such as load and heat, which
    /// trials in quick succession do not see. All rounds are made, so that neither --precision nor
    /// --max-time can be given. Ctrl-C stops and keeps what was measured. A simulated device does
    /// not wait.
    #[arg(long, value_name = "T", help_heading = HOW)]
    pub spread_over: Option<Nanos>,
}

/// What a command does where it is not told.
#[derive(Clone, Copy, Debug)]
pub struct PrecisionDefault {
    /// The precision that it seeks, in thousandths; 0 for none.
    pub permille: u32,
    /// Trials at most where it seeks one.
    pub trials_max: u32,
    /// Trials where it seeks none.
    pub trials: u32,
    /// Measured time that a row has in any case.
    pub time_min: Nanos,
    /// Measured time after which it gives up.
    pub time_max: Option<Nanos>,
}

impl PrecisionDefault {
    /// So many trials, and any time.
    pub const fn trials(trials: u32) -> Self {
        Self {
            permille: 0,
            trials_max: TRIALS_MAX,
            trials,
            time_min: Nanos(0),
            time_max: None,
        }
    }
}

impl Precision {
    /// How many trials a row has at most, when fewer are enough, and over which time they are
    /// made. A number of trials
    /// that gives no interval is made as asked, unless a precision is asked for as well.
    pub fn schedule(
        self,
        runs: Option<u32>,
        default: PrecisionDefault,
        pause: Nanos,
    ) -> Result<Schedule, Exit> {
        let Some(over) = self.spread_over else {
            let (trials, enough) = self.trials(runs, default);
            return Ok(Schedule {
                enough,
                time_max: self.max_time,
                ..Schedule::in_turn(trials, pause)
            });
        };
        if self.precision.is_some_and(|permille| permille > 0) || self.max_time.is_some() {
            return Err(Exit::usage(text!(
                "--spread-over makes all its rounds; leave --precision and --max-time out"
            )));
        }
        let rounds = runs.unwrap_or(SPREAD_ROUNDS);
        if rounds < Enough::TRIALS_MIN {
            return Err(Exit::usage(text!(
                "--runs {rounds} gives no 95 % interval; --spread-over needs at least --runs {}",
                Enough::TRIALS_MIN
            )));
        }
        Ok(Schedule {
            spread_over: Some(over),
            ..Schedule::in_turn(rounds, pause)
        })
    }

    fn trials(self, runs: Option<u32>, default: PrecisionDefault) -> (u32, Option<Enough>) {
        let permille = self.precision.unwrap_or(default.permille);
        let too_few = runs.is_some_and(|runs| runs < Enough::TRIALS_MIN);
        if permille == 0 || too_few && self.precision.is_none() {
            return (runs.unwrap_or(default.trials), None);
        }
        let enough = Enough {
            time_min: default.time_min,
            time_max: self.max_time.or(default.time_max),
            ..Enough::within(permille)
        };
        (runs.unwrap_or(default.trials_max), Some(enough))
    }
}

/// `2%`, `0.5 %` or `2` in thousandths.
fn permille(text: &str) -> Result<u32, Text> {
    let number = text.trim().trim_end_matches('%').trim();
    let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| text.parse::<u32>().ok().filter(|_| !text.starts_with('+'));
    let tenth = digits(tenth).filter(|_| tenth.len() == 1);
    digits(whole)
        .zip(tenth)
        .map(|(whole, tenth)| whole.saturating_mul(10).saturating_add(tenth))
        .filter(|permille| *permille <= 1_000)
        .ok_or_else(|| text!("use a share from 0.1% to 100%, or 0 to make all trials"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_precision_is_a_share_in_tenths_of_a_percent() {
        for (text, expected) in [("2%", 20), ("0.5 %", 5), ("10", 100), ("0", 0)] {
            assert_eq!(permille(text), Ok(expected), "{text}");
        }
        for text in ["", "-1", "0.05", "101%", "x", "1.", "+1"] {
            assert!(permille(text).is_err(), "{text}");
        }
    }

    fn with_precision(precision: Option<u32>) -> Precision {
        Precision {
            precision,
            max_time: None,
            spread_over: None,
        }
    }

    #[test]
    fn rounds_that_are_spread_are_all_made_and_enough_for_an_interval() {
        let default = PrecisionDefault {
            permille: PERMILLE_DEFAULT,
            ..PrecisionDefault::trials(1)
        };
        let spread = Precision {
            spread_over: Some(Nanos::from_secs(600)),
            ..with_precision(None)
        };
        let schedule = |precision: Precision, runs| precision.schedule(runs, default, Nanos(3));
        let made = schedule(spread, None).unwrap();
        assert_eq!((made.trials, made.enough), (SPREAD_ROUNDS, None));
        assert_eq!(
            (made.spread_over, made.pause),
            (spread.spread_over, Nanos(3))
        );
        assert_eq!(schedule(spread, Some(6)).unwrap().trials, 6);
        assert!(schedule(spread, Some(5)).is_err());
        let precise = |permille| Precision {
            precision: Some(permille),
            ..spread
        };
        assert!(schedule(precise(20), None).is_err());
        assert!(schedule(precise(0), None).is_ok());
        let limited = Precision {
            max_time: Some(Nanos(1)),
            ..spread
        };
        assert!(schedule(limited, None).is_err());
    }

    #[test]
    fn a_number_of_trials_alone_is_made_and_a_precision_alone_has_room() {
        let default = PrecisionDefault::trials(1);
        assert_eq!(with_precision(None).trials(None, default), (1, None));
        assert_eq!(with_precision(None).trials(Some(9), default), (9, None));
        let (trials, enough) = with_precision(Some(10)).trials(None, default);
        assert_eq!((trials, enough), (TRIALS_MAX, Some(Enough::within(10))));
        assert_eq!(with_precision(Some(0)).trials(Some(9), default), (9, None));
    }

    #[test]
    fn too_few_trials_for_an_interval_are_made_unless_a_precision_is_asked_for_too() {
        let default = PrecisionDefault {
            permille: PERMILLE_DEFAULT,
            ..PrecisionDefault::trials(6)
        };
        assert_eq!(with_precision(None).trials(Some(3), default), (3, None));
        assert_eq!(
            with_precision(Some(20)).trials(Some(3), default),
            (3, Some(Enough::within(20)))
        );
        assert_eq!(
            with_precision(None).trials(Some(12), default),
            (12, Some(Enough::within(20)))
        );
    }
}
