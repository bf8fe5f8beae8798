//! Which of the runs that are kept are meant.

use clap::Args;
use sokudo_model::{Nanos, Verdict};
use sokudo_terminal::arguments::one_of::one_of;

use crate::arguments::moment::Moment;

/// From when until when.
#[derive(Debug, Default, Args)]
pub struct Period {
    /// Only runs begun then or later: 2026-11-21, 7d, 1y, RFC 3339
    #[arg(long, value_name = "TIME", help_heading = "Which runs")]
    since: Option<Moment>,

    /// Only runs begun before this time; a day counts to its end
    #[arg(long, value_name = "TIME", help_heading = "Which runs")]
    until: Option<Moment>,
}

impl Period {
    pub const fn is_given(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// The first instant of it, and the first after it.
    ///
    /// A run of which nobody knows when it began is kept as of 1970, and began in no
    /// period that somebody names.
    pub fn bounds(&self, now: Nanos) -> [Option<Nanos>; 2] {
        let since = self.since.map(|since| since.begin(now));
        let until = self.until.map(|until| until.end(now));
        let known = self.is_given().then_some(Nanos(1));
        [since.max(known), until]
    }
}

/// Which runs, beside their device.
#[derive(Debug, Default, Args)]
pub struct RunFilterArguments {
    /// Only this method, such as mark or scan/gnome
    #[arg(long, value_name = "METHOD", help_heading = "Which runs")]
    pub method: Option<String>,

    #[command(flatten)]
    pub period: Period,

    /// Only runs of this verdict: verified, unverified or invalid
    #[arg(
        long,
        value_parser = one_of(VERDICTS),
        hide_possible_values = true,
        value_name = "VERDICT",
        help_heading = "Which runs"
    )]
    pub verdict: Option<Verdict>,

    /// Only runs with this tag (repeatable: with all of them)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Which runs")]
    pub tags: Vec<String>,
}

impl RunFilterArguments {
    /// Whether it leaves any out.
    pub const fn is_given(&self) -> bool {
        self.method.is_some()
            || self.period.is_given()
            || self.verdict.is_some()
            || !self.tags.is_empty()
    }
}

const VERDICTS: &[(&str, Verdict)] = &[
    ("verified", Verdict::Verified),
    ("unverified", Verdict::Unverified),
    ("invalid", Verdict::Invalid),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_an_unknown_time_is_in_no_period() {
        let now = Nanos::from_secs(1_000_000_000);
        let period = |since: Option<&str>, until: Option<&str>| {
            let moment = |text: &str| text.parse::<Moment>().unwrap();
            let period = Period {
                since: since.map(moment),
                until: until.map(moment),
            };
            period.bounds(now)
        };
        assert_eq!(period(None, None), [None, None]);
        let day = Some(Nanos::from_secs(172_800));
        assert_eq!(period(None, Some("1970-01-02")), [Some(Nanos(1)), day]);
        let second = Some(Nanos::from_secs(86_400));
        assert_eq!(period(Some("1970-01-02"), None), [second, None]);
        assert_eq!(period(Some("1970-01-01"), None), [Some(Nanos(1)), None]);
    }
}
