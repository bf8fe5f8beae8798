//! Rules that end a run before its time, as people write them.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::{Text, text};

use crate::plan::Rate;
use crate::units::Nanos;

/// A figure is looked at this often: what a second holds is no whim of one I/O.
pub const STOP_LOOK: Nanos = Nanos::from_secs(1);

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopFigure {
    /// Bytes per second, of all operations together.
    Rate,
    /// I/Os per second likewise.
    Iops,
    /// The hottest drive under the target, in degrees Celsius.
    Temperature,
}

/// A figure and what it must not come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StopRule {
    /// What is looked at.
    pub figure: StopFigure,
    /// Whether it ends the run above the limit; below it otherwise.
    pub above: bool,
    /// The limit, in the unit of the figure.
    pub limit: u64,
    /// How long it has to be so without a break, in time that is measured; 0 is at the first look.
    #[serde(rename = "lasting_ns")]
    pub lasting: Nanos,
}

/// Which rule ended a run, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StopCause {
    /// Rule that came true.
    pub rule: StopRule,
    /// The name of the row in which it came true.
    pub row: String,
    /// In which of its trials, from 1 on.
    pub trial: u32,
    /// How long that had run by then.
    #[serde(rename = "at_ns")]
    pub at: Nanos,
    /// What the figure was at the last look.
    pub value: u64,
}

impl StopFigure {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Rate, "rate"),
        (Self::Iops, "iops"),
        (Self::Temperature, "temperature"),
    ];

    /// A value of it in words.
    pub fn value_text(self, value: u64) -> Text {
        match self {
            Self::Rate => {
                let megabytes = value as f64 / 1e6;
                text!("{megabytes:.1} MB/s")
            }
            Self::Iops => text!("{value} IOPS"),
            Self::Temperature => text!("{value} °C"),
        }
    }

    fn limit(self, text: &str) -> Option<u64> {
        let text = text.trim();
        match self {
            Self::Rate => match text.parse().ok()? {
                Rate::BytesPerSecond(rate) => Some(rate),
                Rate::Iops(_) => None,
            },
            Self::Iops => {
                let number = text.strip_suffix("iops").unwrap_or(text);
                match format!("{number}iops").parse().ok()? {
                    Rate::Iops(rate) => Some(rate),
                    Rate::BytesPerSecond(_) => None,
                }
            }
            Self::Temperature => {
                let number = text.strip_suffix(['C', 'c']).unwrap_or(text);
                let number = number.trim_end().strip_suffix('°').unwrap_or(number);
                number.trim_end().parse().ok()
            }
        }
    }
}

impl StopRule {
    /// Whether a value is what ends the run.
    pub const fn is_true_of(&self, value: u64) -> bool {
        match self.above {
            true => value > self.limit,
            false => value < self.limit,
        }
    }
}

/// Parses `rate<100MB/s for 10s`, `iops<5k for 1min`, `temperature>70C`.
impl FromStr for StopRule {
    type Err = UnknownStopRule;

    fn from_str(text: &str) -> Result<Self, UnknownStopRule> {
        let wrong = || UnknownStopRule;
        let sign = text.find(['<', '>']).ok_or_else(wrong)?;
        let name = text[..sign].trim();
        let known = StopFigure::ALL.into_iter().find(|(_, it)| *it == name);
        let (figure, _) = known.ok_or_else(wrong)?;
        let rest = &text[sign + 1..];
        let (limit, lasting) = match rest.rsplit_once(" for ") {
            Some((limit, time)) => (limit, time.trim().parse().map_err(|_| wrong())?),
            None => (rest, Nanos(0)),
        };
        Ok(Self {
            figure,
            above: text.as_bytes()[sign] == b'>',
            limit: figure.limit(limit).ok_or_else(wrong)?,
            lasting,
        })
    }
}

/// As it is written.
impl fmt::Display for StopRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = StopFigure::ALL.iter().find(|(it, _)| *it == self.figure);
        let name = known.map_or("", |(_, name)| name);
        let sign = if self.above { '>' } else { '<' };
        write!(out, "{name}{sign}")?;
        match self.figure {
            StopFigure::Rate if self.limit.is_multiple_of(1_000_000) => {
                write!(out, "{}MB/s", self.limit / 1_000_000)?;
            }
            StopFigure::Rate => write!(out, "{}B/s", self.limit)?,
            StopFigure::Iops => write!(out, "{}", self.limit)?,
            StopFigure::Temperature => write!(out, "{}C", self.limit)?,
        }
        match self.lasting {
            Nanos(0) => Ok(()),
            lasting => {
                out.write_str(" for ")?;
                write!(out, "{lasting}")
            }
        }
    }
}

/// A rule that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error(
    "this is not a rule; write one such as 'rate<100MB/s for 10s', 'iops<5000 for 1min' or 'temperature>70C'"
)]
pub struct UnknownStopRule;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_people_write_them() {
        let rule = |text: &str| text.parse::<StopRule>().unwrap();
        assert_eq!(
            rule("rate<100MB/s for 10s"),
            StopRule {
                figure: StopFigure::Rate,
                above: false,
                limit: 100_000_000,
                lasting: Nanos::from_secs(10),
            }
        );
        assert_eq!(rule("rate < 1MiB/s").limit, 1 << 20);
        assert_eq!(rule("iops<5k for 1min").limit, 5_000);
        assert_eq!(rule("iops < 700").limit, 700);
        let hot = rule("temperature>70C");
        assert_eq!((hot.above, hot.limit, hot.lasting), (true, 70, Nanos(0)));
        assert_eq!(rule("temperature > 70 °C for 5s").limit, 70);
        for text in [
            "",
            "rate",
            "rate=5",
            "rate<",
            "rate<5",
            "rate<100MB/s for",
            "speed<1MB/s",
            "temperature>hot",
            "temperature>-5C",
            "iops<5MB/s",
        ] {
            assert!(text.parse::<StopRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_rule_is_told_as_it_can_be_read_again() {
        for text in [
            "rate<100MB/s for 10s",
            "iops<5000",
            "temperature>70C",
            "rate>1048576B/s",
        ] {
            let rule: StopRule = text.parse().unwrap();
            assert_eq!(
                rule.to_string().parse::<StopRule>().unwrap(),
                rule,
                "{rule}"
            );
        }
    }
}
