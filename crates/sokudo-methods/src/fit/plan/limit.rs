//! What a figure has to be, as `< 10ms`, `> 200/s` or `>= 10MB/s`.

use std::str::FromStr;

use sokudo_model::{Bytes, FitLimit, FitMetric, FitSide, Nanos};

/// A limit with what kind of figure it can be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) limit: FitLimit,
    unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Time,
    BytesPerSecond,
    PerSecond,
    Number,
}

/// It cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("\"{text}\" is not a limit; write one such as < 10ms, > 200/s or >= 10MB/s")]
pub(super) struct LimitError {
    text: String,
}

impl Limit {
    /// Whether a figure can be held against it.
    pub(super) const fn is_for(self, metric: FitMetric) -> bool {
        matches!(
            (metric, self.unit),
            (
                FitMetric::SyncLatency(_) | FitMetric::Latency(_),
                Unit::Time
            ) | (FitMetric::Bandwidth, Unit::BytesPerSecond)
                | (FitMetric::Commits | FitMetric::Iops, Unit::PerSecond)
                | (FitMetric::Dropped, Unit::Number)
        )
    }
}

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let sides = [
            ("<=", FitSide::AtMost),
            (">=", FitSide::AtLeast),
            ("<", FitSide::Below),
            (">", FitSide::Above),
        ];
        let read = || {
            let begins = |(sign, side): (&str, FitSide)| Some((side, text.strip_prefix(sign)?));
            let (must_be, value) = sides.into_iter().find_map(begins)?;
            let (value, unit) = value_of(value.trim())?;
            let limit = FitLimit { must_be, value };
            Some(Self { limit, unit })
        };
        read().ok_or_else(|| LimitError {
            text: text.to_owned(),
        })
    }
}

fn value_of(text: &str) -> Option<(u64, Unit)> {
    if let Ok(number) = text.parse() {
        return Some((number, Unit::Number));
    }
    let Some(rate) = text.strip_suffix("/s") else {
        let nanos: Nanos = text.parse().ok()?;
        return Some((nanos.0, Unit::Time));
    };
    if let Ok(number) = rate.parse() {
        return Some((number, Unit::PerSecond));
    }
    let bytes: Bytes = rate.parse().ok()?;
    Some((bytes.0, Unit::BytesPerSecond))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_their_units() {
        for (text, must_be, value, unit) in [
            ("< 10ms", FitSide::Below, 10_000_000, Unit::Time),
            (">200/s", FitSide::Above, 200, Unit::PerSecond),
            (
                ">= 10MB/s",
                FitSide::AtLeast,
                10_000_000,
                Unit::BytesPerSecond,
            ),
            ("<= 0", FitSide::AtMost, 0, Unit::Number),
        ] {
            let limit = FitLimit { must_be, value };
            assert_eq!(text.parse(), Ok(Limit { limit, unit }), "{text}");
        }
        for text in [
            "",
            "10ms",
            "= 1",
            "< ",
            "< x",
            "<> 1",
            "< -1/s",
            "< 1e99MB/s",
            "< 9 parsecs",
        ] {
            assert!(text.parse::<Limit>().is_err(), "{text}");
        }
    }
}
