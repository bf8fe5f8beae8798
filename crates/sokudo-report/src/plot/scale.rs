//! Axes: from values to shares of a length, and the round numbers beside them.

use sokudo_words::{Text, text};

pub use crate::number::{float, whole};
use crate::number::{grouped, integer};

/// Rates that differ by more than this are told apart by their ratios, or the slow ones
/// would lie on the axis.
const RATIO_OF_LOGARITHMS: f64 = 20.0;

/// One side of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotAxis {
    /// What is told, with its unit.
    pub label: String,
    pub scale: Scale,
    /// From low to high.
    pub ticks: Vec<Tick>,
}

/// A value that is named.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub name: String,
}

/// From values to shares of a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub low: f64,
    pub high: f64,
    /// Equal ratios are equally long. Both ends are above 0 then.
    pub is_logarithmic: bool,
}

impl Scale {
    /// Equal differences are equally long.
    pub const fn linear(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            is_logarithmic: false,
        }
    }

    /// Where a value lies: 0 at the low end, 1 at the high end, and never beyond.
    pub fn share(&self, value: f64) -> f64 {
        let share = if self.is_logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        // What is no number lies at the low end; it is not drawn anyway.
        if share.is_nan() {
            0.0
        } else {
            share.clamp(0.0, 1.0)
        }
    }
}

impl PlotAxis {
    /// From 0 to a round number that is not below `high`, with about `count` steps.
    pub fn from_zero(label: impl Into<String>, high: f64, count: usize) -> Self {
        let high = or_one(high);
        let step = round_step(high / whole(count));
        let steps = (high / step - 1e-9).ceil().max(1.0);
        Self::of_steps(label, step, steps)
    }

    /// From 0 on in exactly as many steps as `other` has, so that both share their
    /// lines.
    pub fn beside(label: impl Into<String>, high: f64, other: &Self) -> Self {
        let steps = whole(other.ticks.len().saturating_sub(1).max(1));
        let high = or_one(high);
        Self::of_steps(label, fine_step(high / steps), steps)
    }

    fn of_steps(label: impl Into<String>, step: f64, steps: f64) -> Self {
        let scale = Scale::linear(0.0, step * steps);
        Self {
            label: label.into(),
            scale,
            ticks: ticks(scale, step),
        }
    }

    /// From exactly `low` to exactly `high`, with round numbers between.
    pub fn exact(label: impl Into<String>, low: f64, high: f64, count: usize) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        let scale = Scale::linear(low, high);
        Self {
            label: label.into(),
            scale,
            ticks: ticks(scale, round_step((high - low) / whole(count))),
        }
    }

    /// As [`Self::from_zero`], or by decades where the rates lie far apart.
    pub fn of_rates(label: &Text, low: f64, high: f64, count: usize) -> Self {
        if low > 0.0 && high / low > RATIO_OF_LOGARITHMS {
            Self::decades(text!("{label}, logarithmic"), low, high, whole_rate)
        } else {
            Self::from_zero(label.clone(), high, count)
        }
    }

    /// Whole decades, or their parts 1, 2, 5 where there are few, around values above
    /// 0, named by `name`.
    pub fn decades(
        label: impl Into<String>,
        low: f64,
        high: f64,
        name: impl Fn(f64) -> String,
    ) -> Self {
        let low = or_one(low);
        let high = if high.is_finite() { high } else { low };
        let high = high.max(low * 1.01);
        let decades = (high / low).log10();
        let parts: &[f64] = if decades > 3.0 {
            &[1.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let mut values = Vec::new();
        let (first, last) = (exponent(low), exponent(high) + 1);
        for power in first..=last {
            values.extend(parts.iter().map(|part| part * 10f64.powi(power)));
        }
        let below = values.iter().rposition(|value| *value <= low * 1.000_001);
        let above = values.iter().position(|value| *value >= high * 0.999_999);
        let range = below.unwrap_or(0)..=above.unwrap_or(values.len() - 1);
        let values = &values[range];
        let scale = Scale {
            low: values[0],
            high: values[values.len() - 1],
            is_logarithmic: true,
        };
        let tick = |at: &f64| Tick {
            at: *at,
            name: name(*at),
        };
        Self {
            label: label.into(),
            scale,
            ticks: values.iter().map(tick).collect(),
        }
    }
}

/// An end of an axis, where there is one.
const fn or_one(end: f64) -> f64 {
    if end > 0.0 && end.is_finite() {
        end
    } else {
        1.0
    }
}

/// Round numbers inside a scale.
fn ticks(scale: Scale, step: f64) -> Vec<Tick> {
    /// More would be no names but a grey bar, and only a bug asks for them.
    const TICKS_MAX: u32 = 64;
    let first = (scale.low / step - 1e-9).ceil();
    let decimals = decimals_of(step);
    (0..TICKS_MAX)
        .map(|number| (first + f64::from(number)) * step)
        .take_while(|at| *at <= scale.high + step * 1e-6)
        .map(|at| Tick {
            at,
            name: match at {
                0.0 => "0".to_owned(),
                at => grouped(&format!("{at:.decimals$}")),
            },
        })
        .collect()
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    step_of(least, &[1.0, 2.0, 5.0, 10.0])
}

/// As [`round_step`], from more numbers, for an axis that must have as many steps as
/// another.
fn fine_step(least: f64) -> f64 {
    step_of(least, &[1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])
}

fn step_of(least: f64, parts: &[f64]) -> f64 {
    let power = 10f64.powi(exponent(least));
    let part = parts
        .iter()
        .find(|part| **part * power >= least * 0.999_999);
    part.copied().unwrap_or(10.0) * power
}

/// The power of ten at or below a value above 0.
fn exponent(value: f64) -> i32 {
    integer((value.log10() + 1e-9).floor())
}

/// Decimals that tell values apart that lie such a step from each other, to a tenth of it.
pub(crate) fn decimals_of_step(step: f64) -> usize {
    usize::try_from(1 - exponent(or_one(step))).unwrap_or(0)
}

fn decimals_of(step: f64) -> usize {
    let is_whole = |decimals: &usize| {
        let scaled = step * 10f64.powi(i32::try_from(*decimals).unwrap_or(0));
        (scaled - scaled.round()).abs() < 1e-6
    };
    (0..9).find(is_whole).unwrap_or(9)
}

/// A round rate without decimals that say nothing.
pub fn whole_rate(value: f64) -> String {
    if value >= 1.0 {
        grouped(&format!("{value:.0}"))
    } else {
        format!("{value}")
    }
}

/// A time of a tick: `10 µs`, `1 ms`, with no more digits than it needs.
pub fn short_time(nanos: f64) -> String {
    let (scale, unit) = match nanos {
        nanos if nanos < 999.5 => (1.0, "ns"),
        nanos if nanos < 999_500.0 => (1e3, "µs"),
        nanos if nanos < 999_500_000.0 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let value = nanos / scale;
    let decimals = decimals_of(value).min(2);
    format!("{} {unit}", grouped(&format!("{value:.decimals$}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(axis: &PlotAxis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.name.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        let axis = PlotAxis::from_zero("MB/s", 237.0, 6);
        assert_eq!(names(&axis), ["0", "50", "100", "150", "200", "250"]);
        let axis = PlotAxis::from_zero("MB/s", 0.037, 4);
        assert_eq!(names(&axis), ["0", "0.01", "0.02", "0.03", "0.04"]);
        let axis = PlotAxis::exact("GB", 0.0, 6_001.0, 6);
        assert_eq!(
            names(&axis),
            ["0", "2,000", "4,000", "6,000"],
            "1,001 is above 1,000"
        );
        assert_eq!(axis.scale.high, 6_001.0);
    }

    #[test]
    fn a_second_axis_shares_the_lines_of_the_first() {
        let left = PlotAxis::from_zero("MB/s", 237.0, 6);
        let right = PlotAxis::beside("ms", 23.0, &left);
        assert_eq!(right.ticks.len(), left.ticks.len());
        assert_eq!(names(&right), ["0", "5", "10", "15", "20", "25"]);
    }

    #[test]
    fn decades_name_their_parts_where_there_are_few() {
        let wide = PlotAxis::decades("", 12_000.0, 80_000_000.0, short_time);
        assert_eq!(names(&wide), ["10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]);
        let narrow = PlotAxis::decades("", 61_000.0, 180_000.0, short_time);
        assert_eq!(names(&narrow), ["50 µs", "100 µs", "200 µs"]);
    }

    #[test]
    fn nothing_to_show_still_has_an_axis() {
        for high in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(PlotAxis::from_zero("", high, 5).ticks.len() > 1, "{high}");
            assert!(PlotAxis::decades("", 0.0, high, short_time).ticks.len() > 1);
        }
    }

    proptest! {
        #[test]
        fn every_axis_holds_its_values(high in 1e-6f64..1e15, count in 2usize..12) {
            let axis = PlotAxis::from_zero("", high, count);
            prop_assert!(axis.scale.high >= high * 0.999_999);
            prop_assert!(axis.ticks.len() >= 2 && axis.ticks.len() <= count + 2);
            prop_assert!(axis.ticks.iter().all(|tick| (0.0..=1.0).contains(&axis.scale.share(tick.at))));
        }

        #[test]
        fn every_logarithmic_axis_holds_its_values(low in 1e-3f64..1e9, ratio in 1.0f64..1e9) {
            let axis = PlotAxis::decades("", low, low * ratio, short_time);
            prop_assert!(axis.scale.low <= low * 1.000_01);
            prop_assert!(axis.scale.high >= low * ratio * 0.999_99);
            prop_assert!(axis.ticks.len() >= 2);
        }
    }
}
