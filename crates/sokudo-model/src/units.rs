//! Units as types, and sizes as people write them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::{Argued, Argument};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A length of time, or an instant on a clock whose zero is named where it is
/// used. Nanoseconds.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// Whole seconds as nanoseconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * NANOS_PER_SECOND)
    }

    /// Whole milliseconds as nanoseconds.
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self(milliseconds * 1_000_000)
    }

    /// Whole microseconds as nanoseconds.
    pub const fn from_micros(microseconds: u64) -> Self {
        Self(microseconds * 1_000)
    }

    /// So many; what is longer than the 584 years that can be counted is as long as those.
    pub fn bounded(nanos: u128) -> Self {
        u64::try_from(nanos).map_or(Self(u64::MAX), Self)
    }

    /// Seconds, as a float for rates.
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
}

/// [`Nanos::bounded`], for no clock counts longer.
impl From<Duration> for Nanos {
    fn from(time: Duration) -> Self {
        Self::bounded(time.as_nanos())
    }
}

/// In nanoseconds for programs.
impl Argued for Nanos {
    fn argued(&self) -> Argument {
        Argument::figure(self.0, "ns", self)
    }
}

/// In bytes for programs.
impl Argued for Bytes {
    fn argued(&self) -> Argument {
        Argument::figure(self.0, "B", self)
    }
}

impl From<Nanos> for Duration {
    fn from(time: Nanos) -> Self {
        Self::from_nanos(time.0)
    }
}

/// Parses `1s`, `250ms`, `100us`, `5m`, `1h`, `800ns`, `1.5s`; a bare number is
/// seconds, as in fio's `runtime`.
impl FromStr for Nanos {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, ParseSizeError> {
        let (number, unit) = split_number(text)?;
        let scale = match unit.to_ascii_lowercase().as_str() {
            "" | "s" | "sec" => 1e9,
            "ns" => 1.0,
            "us" | "µs" => 1e3,
            "ms" => 1e6,
            "m" | "min" => 60e9,
            "h" => 3_600e9,
            _ => {
                return Err(ParseSizeError::new(
                    text,
                    "a time such as 1s, 250ms or 100us",
                ));
            }
        };
        scaled(number, scale)
            .map(Self)
            .ok_or_else(|| ParseSizeError::new(text, "a time below 500 years"))
    }
}

/// Prints a time with a unit that suits its size: `870 ns`, `12.3 µs`,
/// `4.51 ms`, `2.00 s`.
impl fmt::Display for Nanos {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0 as f64;
        let text = match self.0 {
            0..1_000 => format!("{} ns", self.0),
            1_000..1_000_000 => format!("{} µs", three_digits(nanos / 1e3)),
            1_000_000..1_000_000_000 => format!("{} ms", three_digits(nanos / 1e6)),
            _ => format!("{} s", three_digits(nanos / 1e9)),
        };
        out.pad(&text)
    }
}

/// A number of bytes: a size, a length or an offset.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    /// Bytes of a KiB, 2^10.
    pub const KIB: u64 = 1 << 10;
    /// Bytes of a MiB, 2^20.
    pub const MIB: u64 = 1 << 20;
    /// Bytes of a GiB, 2^30.
    pub const GIB: u64 = 1 << 30;

    /// `n` × 2^10 bytes.
    pub const fn kib(n: u64) -> Self {
        Self(n * Self::KIB)
    }

    /// `n` × 2^20 bytes.
    pub const fn mib(n: u64) -> Self {
        Self(n * Self::MIB)
    }

    /// `n` × 2^30 bytes.
    pub const fn gib(n: u64) -> Self {
        Self(n * Self::GIB)
    }

    /// As rows are named by: `1M`, `4K`, `512B`.
    pub fn short(self) -> String {
        match self.0 {
            bytes @ 1.. if bytes.is_multiple_of(Self::MIB) => format!("{}M", bytes / Self::MIB),
            bytes @ 1.. if bytes.is_multiple_of(Self::KIB) => format!("{}K", bytes / Self::KIB),
            bytes => format!("{bytes}B"),
        }
    }
}

/// Parses sizes: `4096`, `4K`, `4KiB`, `1M`, `1GiB` are powers of 1024;
/// `4kB`, `1MB`, `4TB` are powers of 1000, as on a drive's label. A bare `k`,
/// `m`, `g`, `t` is a power of 1024, as every benchmark means it.
impl FromStr for Bytes {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, ParseSizeError> {
        let (number, unit) = split_number(text)?;
        let scale = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "k" | "kib" | "ki" => 1024f64,
            "m" | "mib" | "mi" => 1024f64.powi(2),
            "g" | "gib" | "gi" => 1024f64.powi(3),
            "t" | "tib" | "ti" => 1024f64.powi(4),
            "p" | "pib" | "pi" => 1024f64.powi(5),
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "tb" => 1e12,
            "pb" => 1e15,
            _ => return Err(ParseSizeError::new(text, "a size such as 4KiB, 1M or 4TB")),
        };
        scaled(number, scale)
            .map(Self)
            .ok_or_else(|| ParseSizeError::new(text, "a size below 16 EiB"))
    }
}

/// Prints a size exactly in the largest binary unit that divides it (`1 MiB`,
/// `4 KiB`, `512 B`), else rounded with one decimal (`251.9 GiB`).
impl fmt::Display for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
        let mut unit = 0;
        let mut scale = 1u64;
        while unit + 1 < UNITS.len() && self.0 / scale >= 1024 {
            scale *= 1024;
            unit += 1;
        }
        let text = if self.0.is_multiple_of(scale) {
            format!("{} {}", self.0 / scale, UNITS[unit])
        } else if unit == 1 && self.0.is_multiple_of(1000) {
            // As somebody has typed it.
            format!("{} B", self.0)
        } else {
            format!("{:.1} {}", self.0 as f64 / scale as f64, UNITS[unit])
        };
        out.pad(&text)
    }
}

/// Why a size or a time could not be read.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("\"{text}\" is not {expected}", expected = sokudo_words::Text::from(*expected))]
pub struct ParseSizeError {
    text: String,
    expected: &'static str,
}

impl ParseSizeError {
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self {
            text: text.to_owned(),
            expected,
        }
    }
}

/// Three significant digits for `1.0 <= value < 1000`.
fn three_digits(value: f64) -> String {
    if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// A number as written, whole where it can be, so that large sizes stay exact.
enum Number {
    Whole(u64),
    Fraction(f64),
}

fn split_number(text: &str) -> Result<(Number, &str), ParseSizeError> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number =
        match digits.parse::<u64>() {
            Ok(whole) => Number::Whole(whole),
            Err(_) => Number::Fraction(digits.parse::<f64>().map_err(|_| {
                ParseSizeError::new(text, "a number with a unit, such as 4KiB or 5s")
            })?),
        };
    Ok((number, unit.trim_start()))
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn scaled(number: Number, scale: f64) -> Option<u64> {
    match number {
        Number::Whole(whole) => whole.checked_mul(scale as u64),
        Number::Fraction(value) => {
            let product = (value * scale).round();
            (product < u64::MAX as f64).then_some(product as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn binary_and_decimal_units_differ() {
        assert_eq!("4K".parse(), Ok(Bytes(4096)));
        assert_eq!("4KiB".parse(), Ok(Bytes(4096)));
        assert_eq!("4kB".parse(), Ok(Bytes(4000)));
        assert_eq!("4TB".parse(), Ok(Bytes(4_000_000_000_000)));
        assert_eq!("1.5 GiB".parse(), Ok(Bytes(1_610_612_736)));
        assert_eq!("18446744073709551615".parse(), Ok(Bytes(u64::MAX)));
    }

    #[test]
    fn no_time_is_longer_than_can_be_counted() {
        let second = Duration::from_secs(1);
        assert_eq!(Nanos::from(second), Nanos::from_secs(1));
        assert_eq!(Nanos::from(Duration::MAX), Nanos(u64::MAX));
    }

    #[test]
    fn nonsense_is_refused_and_named() {
        for text in ["", "K", "4X", "-1", "1..2K", "99999999999T", "4K4"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
        assert_eq!(
            "4X".parse::<Bytes>().unwrap_err().to_string(),
            "\"4X\" is not a size such as 4KiB, 1M or 4TB"
        );
    }

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!("1".parse(), Ok(Nanos::from_secs(1)));
        assert_eq!("250ms".parse(), Ok(Nanos::from_millis(250)));
        assert_eq!("100us".parse(), Ok(Nanos::from_micros(100)));
        assert_eq!("0.5s".parse(), Ok(Nanos::from_millis(500)));
        assert!("5 parsecs".parse::<Nanos>().is_err());
    }

    #[test]
    fn times_print_with_three_digits() {
        assert_eq!(Nanos(870).to_string(), "870 ns");
        assert_eq!(Nanos(12_345).to_string(), "12.3 µs");
        assert_eq!(Nanos(999_600).to_string(), "1000 µs");
        assert_eq!(Nanos(4_510_000).to_string(), "4.51 ms");
    }

    proptest! {
        #[test]
        fn whole_units_survive_a_round_trip(count in 1u64..1023, power in 0u32..5) {
            let size = Bytes(count << (10 * power));
            prop_assert_eq!(size.to_string().parse(), Ok(size));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = text.parse::<Bytes>();
            let _ = text.parse::<Nanos>();
        }
    }
}
