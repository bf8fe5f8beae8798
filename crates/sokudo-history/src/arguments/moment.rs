//! Instants as people give them: a day, a time ago, RFC 3339.

use std::str::FromStr;

use sokudo_model::{Nanos, day_since_1970};
use sokudo_report::from_rfc3339;
use sokudo_words::{Text, text};

const DAY: Nanos = Nanos::from_secs(86_400);

/// Lengths that have a word, the longest spelling of each first.
const LENGTHS: [(&str, u64); 7] = [
    ("min", 60),
    ("mo", 30 * 86_400),
    ("h", 3_600),
    ("d", 86_400),
    ("w", 7 * 86_400),
    ("y", 365 * 86_400),
    ("s", 1),
];

/// An instant, as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    At(Nanos),
    /// The day, UTC, that begins then.
    Day(Nanos),
    /// A length of time before now.
    Ago(Nanos),
}

impl Moment {
    /// First instant that it covers; `now` is needed for `Ago` only.
    pub fn begin(self, now: Nanos) -> Nanos {
        match self {
            Self::At(instant) | Self::Day(instant) => instant,
            Self::Ago(length) => Nanos(now.0.saturating_sub(length.0)),
        }
    }

    /// When it is over: a day at its end.
    pub fn end(self, now: Nanos) -> Nanos {
        match self {
            Self::Day(begin) => Nanos(begin.0.saturating_add(DAY.0)),
            _ => self.begin(now),
        }
    }
}

impl FromStr for Moment {
    type Err = Text;

    fn from_str(text: &str) -> Result<Self, Text> {
        let text = text.trim();
        let found = day(text)
            .map(Self::Day)
            .or_else(|| from_rfc3339(text).map(Self::At))
            .or_else(|| length(text).map(Self::Ago));
        found.ok_or_else(|| {
            text!(
                "use a day (2026-11-21), a time ago (7d, 12h, 2w, 6mo, 1y) or an instant \
                 (2026-11-21T20:00:00Z)"
            )
        })
    }
}

fn day(text: &str) -> Option<Nanos> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return None;
    };
    let number = |text: &str| text.parse::<u64>().ok();
    let days = day_since_1970(number(year)?, number(month)?, number(day)?)?;
    days.checked_mul(DAY.0).map(Nanos)
}

fn length(text: &str) -> Option<Nanos> {
    let (unit, seconds) = LENGTHS.iter().find(|(unit, _)| text.ends_with(unit))?;
    let count: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
    let nanos = count.checked_mul(*seconds)?.checked_mul(1_000_000_000)?;
    Some(Nanos(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_instants_and_times_ago_are_told_apart() {
        let now = Nanos::from_secs(1_000_000_000);
        let span = |text: &str| {
            let moment: Moment = text.parse().unwrap();
            [moment.begin(now), moment.end(now)].map(|it| it.0 / 1_000_000_000)
        };
        assert_eq!(span("1970-01-02"), [86_400, 172_800]);
        assert_eq!(span("1970-01-02T00:00:01Z"), [86_401; 2]);
        assert_eq!(span("7d"), [1_000_000_000 - 7 * 86_400; 2]);
        assert_eq!(span("1y"), [1_000_000_000 - 365 * 86_400; 2]);
        assert_eq!(span("5min"), [1_000_000_000 - 300; 2]);
        assert_eq!(span("2mo"), [1_000_000_000 - 60 * 86_400; 2]);
        assert_eq!(span("500y"), [0; 2], "not before 1970");
    }

    #[test]
    fn what_is_none_is_refused_with_the_forms_there_are() {
        for text in [
            "",
            "d",
            "-1d",
            "7",
            "7m",
            "yesterday",
            "2026-13-01",
            "2026-11",
            "1.5d",
            "99999999999999999999d",
            "18446744073709551615y",
            "日d",
        ] {
            let message = text.parse::<Moment>().unwrap_err().english();
            assert!(message.contains("2026-11-21"), "{text}: {message}");
        }
    }
}
