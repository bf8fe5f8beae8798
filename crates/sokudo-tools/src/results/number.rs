//! Numbers and units as other tools print them.
//!
//! Nothing of a text is believed: what is negative, infinite, or larger than any disk
//! will be for a long time is no figure.

use sokudo_model::{Bytes, Nanos};

pub(crate) use sokudo_report::number::{float, natural as whole};

/// No figure is larger, in whatever unit, nor in bytes per second: a petabyte.
const FIGURE_MAX: f64 = 1e15;
/// No latency is longer: 30 years.
const LATENCY_NS_MAX: f64 = 1e18;
/// No block is larger.
const BLOCK_BYTES_MAX: u64 = 1 << 40;
/// No queue is deeper, and nobody starts more threads.
const DEPTH_MAX: u32 = 1 << 20;
/// Nanoseconds of a day.
const DAY_NS: u64 = 86_400 * 1_000_000_000;

/// A number of digits with at most one decimal point or comma.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.starts_with(|sign: char| sign.is_ascii_digit())
        && text
            .chars()
            .all(|sign| sign.is_ascii_digit() || sign == '.' || sign == ',');
    let value: f64 = match is_plain {
        true => text.replacen(',', ".", 1).parse().ok()?,
        false => return None,
    };
    (value <= FIGURE_MAX).then_some(value)
}

/// Whether a disk may have such a rate.
pub(crate) fn is_possible(rate: f64) -> bool {
    (0.0..=FIGURE_MAX).contains(&rate)
}

/// Seconds, which C prints with an exponent where they are few: `4.726e-05`.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let seconds: f64 = text.replacen(',', ".", 1).parse().ok()?;
    is_possible(seconds).then_some(seconds)
}

/// A number in a unit of `scale` bytes per second or I/Os per second.
pub(crate) fn rate(text: &str, scale: f64) -> Option<f64> {
    let rate = number(text)? * scale;
    (rate <= FIGURE_MAX).then_some(rate)
}

/// A number in a unit of `scale` nanoseconds.
pub(crate) fn nanos(text: &str, scale: f64) -> Option<f64> {
    let nanos = number(text)? * scale;
    (nanos <= LATENCY_NS_MAX).then_some(nanos)
}

/// Nanoseconds of a unit of time.
pub(crate) fn time_scale(unit: &str) -> Option<f64> {
    match unit {
        "ns" | "nsec" => Some(1.0),
        "us" | "µs" | "μs" | "usec" => Some(1e3),
        "ms" | "msec" => Some(1e6),
        "s" | "sec" | "secs" | "seconds" => Some(1e9),
        "min" => Some(60e9),
        "hour" => Some(3_600e9),
        _ => None,
    }
}

/// Bytes of a unit of size: powers of 1024 with an `i` in it, of 1000 without.
pub(crate) fn size_scale(unit: &str) -> Option<u64> {
    Some(match unit {
        "B" | "bytes" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return None,
    })
}

/// A size of a block: whole units of `unit_bytes`, not 0.
pub(crate) fn block(text: &str, unit_bytes: u64) -> Option<Bytes> {
    let bytes = text.trim().parse::<u64>().ok()?.checked_mul(unit_bytes)?;
    (1..=BLOCK_BYTES_MAX)
        .contains(&bytes)
        .then_some(Bytes(bytes))
}

/// A size of a block with its unit, as people write it: `4k`, `16KiB`, `1 MiB`.
pub(crate) fn block_with_unit(text: &str) -> Option<Bytes> {
    let block: Option<Bytes> = text.trim().parse().ok();
    block.filter(|Bytes(bytes)| (1..=BLOCK_BYTES_MAX).contains(bytes))
}

/// A number of I/Os in flight, or of threads.
pub(crate) fn depth(text: &str) -> Option<u32> {
    let depth = text.trim().parse::<u32>().ok()?;
    (1..=DEPTH_MAX).contains(&depth).then_some(depth)
}

/// `2025/06/19 9:05:07`, with any of `/`, `-` and `.` between the parts of the date and a
/// blank or `T` before the time, taken as UTC, which it may say.
pub(crate) fn date_time(text: &str) -> Option<Nanos> {
    let text = text.trim();
    let text = text.strip_suffix("UTC").unwrap_or(text).trim();
    let (date, time) = text.split_once([' ', 'T'])?;
    let [year, month, day] = parts(date, ['/', '-', '.'])?;
    let [hour, minute, second] = parts(time, [':'; 3])?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let day_ns = sokudo_model::day_since_1970(year, month, day)?.checked_mul(DAY_NS)?;
    let time_ns = ((hour * 60 + minute) * 60 + second) * 1_000_000_000;
    day_ns.checked_add(time_ns).map(Nanos)
}

fn parts(text: &str, between: [char; 3]) -> Option<[u64; 3]> {
    let mut parts = text.trim().split(between);
    let mut part = || {
        parts
            .next()?
            .parse::<u64>()
            .ok()
            .filter(|part| *part < 10_000)
    };
    let three = [part()?, part()?, part()?];
    parts.next().is_none().then_some(three)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_of_this_world_are_numbers() {
        assert_eq!(number(" 104.9 "), Some(104.9));
        assert_eq!(number("104,9"), Some(104.9));
        for text in [
            "NaN", "inf", "1e999", "-1", "1.2.3", "1,2,3", "", ".", "0x1", "1 2",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(number(&"9".repeat(1_000_000)), None);
        assert_eq!(rate("999999999999", 1e6), None);
    }

    #[test]
    fn blocks_and_depths_have_bounds() {
        assert_eq!(block("4", 1024), Some(Bytes::kib(4)));
        for text in ["0", "-1", "18446744073709551615", "99999999999"] {
            assert_eq!(block(text, 1 << 20), None, "{text}");
        }
        assert_eq!(
            (depth("32"), depth("0"), depth("4294967295")),
            (Some(32), None, None)
        );
    }

    #[test]
    fn a_date_of_any_tool_is_an_instant() {
        let expected = Some(Nanos(1_750_323_907_000_000_000));
        for text in [
            "2025/06/19 9:05:07",
            "2025-06-19T09:05:07",
            " 2025.6.19 09:05:07 ",
            "2025/06/19 9:05:07 UTC",
        ] {
            assert_eq!(date_time(text), expected, "{text}");
        }
        for text in [
            "2025/02/30 1:00:00",
            "2025/06/19 24:00:00",
            "2025/06/19",
            "9/9 1:1:1:1",
        ] {
            assert_eq!(date_time(text), None, "{text}");
        }
    }
}
