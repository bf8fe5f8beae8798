//! Numbers as people read them, the same in every locale.

use sokudo_model::{Bytes, Nanos, narrow};
use sokudo_words::{Text, text};

/// Bytes of the unit in which rates are shown.
pub const BYTES_PER_MB: f64 = 1e6;

/// What stands where there is no number.
pub const MISSING: &str = "—";

/// A float without what stands behind its point; 0 where it is negative or no number, and the
/// largest number where it is larger.
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub const fn natural(value: f64) -> u64 {
    value as u64
}

/// The same as a place in a list, which is never long.
pub fn to_usize(value: f64) -> usize {
    narrow(natural(value))
}

/// A float without what stands behind its point, within the range of the type.
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub const fn integer(value: f64) -> i32 {
    value as i32
}

/// A count as a float.
pub fn whole(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

/// A count, a size or a time as a float: nobody is shown 53 bits.
pub const fn float(value: u64) -> f64 {
    value as f64
}

/// A rate with as many decimals as it deserves: none from 1,000, one from 100,
/// two below; thousands are separated by commas.
pub fn rate(value: f64) -> String {
    let decimals = rate_decimals(value);
    grouped(&format!("{value:.decimals$}"))
}

/// Marks a figure that is not proven.
pub(crate) const UNPROVEN: &str = "?";

/// Times the smaller end of a range, from which that would be lost in the decimals of the larger one.
const RANGE_WIDE: f64 = 100.0;

/// The range between two rates, with as many decimals as the larger deserves; of a wide one each end
/// with its own.
pub fn rate_range(low: f64, high: f64) -> String {
    if high > low * RANGE_WIDE {
        return format!("{}–{}", rate(low), rate(high));
    }
    let decimals = rate_decimals(high);
    let end = |value: f64| grouped(&format!("{value:.decimals$}"));
    format!("{}–{}", end(low), end(high))
}

/// A share in percent, such as `0.8 %` or `12 %`.
pub fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let decimals = usize::from(percent.abs() < 9.95);
    let text = format!("{percent:.decimals$}");
    format!("{} %", grouped(if text == "-0.0" { "0.0" } else { &text }))
}

/// What is between two amounts; the sign of percent stands once.
pub(crate) fn range_text([low, high]: [String; 2]) -> Text {
    let alone = low.strip_suffix(" %").filter(|_| high.ends_with('%'));
    let low = alone.unwrap_or(&low);
    text!("{low} to {high}")
}

/// A ratio from which on, up and down, it says more as a factor than in percent.
pub(crate) const FACTOR_MIN: f64 = 2.0;
/// Of larger differences that may have gone unseen the size says nothing: what could hide twice
/// the speed hides anything.
pub(crate) const UNSEEN_MAX: f64 = 1.0;
/// An interval of which an end is as far away is said in factors.
const FAR_FACTOR_MIN: f64 = 10.0;

/// Whether a ratio is said as a factor.
pub(crate) fn is_factor(ratio: f64) -> bool {
    ratio >= FACTOR_MIN || ratio <= FACTOR_MIN.recip()
}

/// How many times more the larger is than the smaller, such as `2.4` or `2,094`.
pub(crate) fn factor(ratio: f64) -> String {
    let factor = ratio.max(ratio.recip());
    let decimals = usize::from(factor < 9.95);
    grouped(&format!("{factor:.decimals$}"))
}

/// How many times as much, also where it is less: `12`, `0.083`.
pub(crate) fn times(ratio: f64) -> String {
    if ratio >= 1.0 {
        return factor(ratio);
    }
    // Two digits that matter, however small.
    let decimals = (2.0 - ratio.log10().ceil()).clamp(0.0, 9.0);
    let decimals = to_usize(decimals);
    format!("{ratio:.decimals$}")
}

/// A ratio as a factor: `×12`, `÷12`.
fn factor_text(ratio: f64) -> String {
    let sign = if ratio < 1.0 { '÷' } else { '×' };
    format!("{sign}{}", factor(ratio))
}

/// A ratio as a change in percent, such as `+12 %`, with a decimal below 10 %; as a factor
/// where it is a half or less, or two or more: `×12`, `÷12`.
pub(crate) fn change_text(ratio: f64) -> String {
    match is_factor(ratio) {
        true => factor_text(ratio),
        false => percent_text(ratio),
    }
}

/// Whether an end of an interval of ratios is so far away that percents say nothing.
pub(crate) fn is_far(ends: [f64; 2]) -> bool {
    let near = FAR_FACTOR_MIN.recip()..FAR_FACTOR_MIN;
    ends.iter().any(|it| !near.contains(it))
}

/// The ends of an interval of a ratio, in percent or as factors as the ratio is.
pub(crate) fn interval_texts(ratio: f64, ends: [f64; 2]) -> [String; 2] {
    match is_factor(ratio) || is_far(ends) {
        true => ends.map(factor_text),
        false => ends.map(percent_text),
    }
}

fn percent_text(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    let decimals = usize::from(percent.abs() < 9.95);
    let text = format!("{percent:+.decimals$} %");
    // What is rounded to nothing has no sign.
    match text.as_str() {
        "-0.0 %" | "+0.0 %" => "0.0 %".to_owned(),
        _ => text,
    }
}

/// An interval that reaches further than this share of its figure says nothing as a ±: its
/// low end would be below 0.
const SPREAD_MAX: f64 = 1.0;

/// How far an interval reaches from its figure at its wider side, as `± 12 %`; the interval
/// itself, as `0.50–160.0`, where that is further than the figure is large. `None` of 0.
pub fn spread(figure: f64, [low, high]: [f64; 2]) -> Option<String> {
    if figure <= 0.0 {
        return None;
    }
    let reach = (high - figure).max(figure - low) / figure;
    Some(match reach > SPREAD_MAX {
        true => rate_range(low, high),
        false => format!("± {}", percent(reach)),
    })
}

/// A rate with its interval, where there is one: `3,550 ± 0.8 %`, `12.00 (0.50–160.0)`.
pub(crate) fn rate_with(figure: f64, interval: Option<[f64; 2]>) -> String {
    let spread = interval.and_then(|interval| spread(figure, interval));
    with_spread(figure, spread)
}

/// A rate with its spread, which is a ± or a range.
pub(crate) fn with_spread(figure: f64, spread: Option<String>) -> String {
    let value = rate(figure);
    match spread {
        None => value,
        Some(spread) if spread.starts_with('±') => format!("{value} {spread}"),
        Some(range) => format!("{value} ({range})"),
    }
}

/// A mean of times, to the nanosecond.
pub fn nanos(mean: f64) -> Nanos {
    Nanos(natural(mean.round()))
}

/// A latency with a unit that suits it.
pub fn latency(nanos: Option<u64>) -> String {
    nanos.map_or_else(|| MISSING.to_owned(), |nanos| Nanos(nanos).to_string())
}

/// A size as drives are sold, in powers of 1000, with so many digits (2 or 3) that matter.
pub fn decimal_size(Bytes(bytes): Bytes, digits: u8) -> String {
    const UNITS: [(f64, &str); 5] = [
        (1e15, "PB"),
        (1e12, "TB"),
        (1e9, "GB"),
        (1e6, "MB"),
        (1e3, "kB"),
    ];
    let size = bytes as f64;
    // What would be rounded to 1000 of a unit is 1 of the next.
    let unit = UNITS.into_iter().find(|(scale, _)| size >= scale * 0.9995);
    let Some((scale, unit)) = unit else {
        return format!("{bytes} B");
    };
    let value = size / scale;
    let fits = |decimals: &u8| {
        let most = 10f64.powi(i32::from(digits - decimals));
        value < most - 0.5 * 10f64.powi(-i32::from(*decimals))
    };
    let decimals = usize::from((0..digits).rev().find(fits).unwrap_or(0));
    format!("{value:.decimals$} {unit}")
}

/// A planned size in the largest unit that tells it exactly: no two are written alike.
pub(crate) fn exact_size(Bytes(bytes): Bytes) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let exact = |(bits, _): &(u32, &str)| bytes > 0 && bytes.is_multiple_of(1 << bits);
    let (bits, unit) = units.into_iter().find(exact).unwrap_or((0, "B"));
    format!("{} {unit}", bytes >> bits)
}

/// A planned time likewise: `5 s` rather than `5.00 s`.
pub fn exact_time(Nanos(nanos): Nanos) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    let exact = |(scale, _): &(u64, &str)| nanos.is_multiple_of(*scale);
    let (scale, unit) = units.into_iter().find(exact).unwrap_or((1, "ns"));
    format!("{} {unit}", nanos / scale)
}

/// Rounding must not show 1,000.0 or 100.00.
fn rate_decimals(value: f64) -> usize {
    match value {
        value if value < 99.995 => 2,
        value if value < 999.95 => 1,
        _ => 0,
    }
}

/// Puts a comma before every third digit of a decimal number, from the point.
pub fn grouped(digits: &str) -> String {
    let whole = digits.split('.').next().unwrap_or(digits);
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in whole.chars().enumerate() {
        let is_inside = text.ends_with(|c: char| c.is_ascii_digit());
        if is_inside && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + &digits[whole.len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_the_digits_it_deserves() {
        for (value, text) in [
            (0.0, "0.00"),
            (0.041, "0.04"),
            (61.834, "61.83"),
            (99.996, "100.0"),
            (610.25, "610.2"),
            (999.96, "1,000"),
            (3_550.4, "3,550"),
            (1_234_567.8, "1,234,568"),
        ] {
            assert_eq!(rate(value), text);
        }
    }

    #[test]
    fn both_ends_of_a_range_have_the_same_decimals() {
        assert_eq!(rate_range(98.7, 1_020.3), "99–1,020");
        assert_eq!(rate_range(61.2, 62.0), "61.20–62.00");
        // A range holds its figure.
        assert_eq!(rate_with(0.08, Some([0.0768, 209.9])), "0.08 (0.08–209.9)");
    }

    #[test]
    fn a_small_share_has_a_decimal_and_a_large_one_has_none() {
        assert_eq!(percent(0.008), "0.8 %");
        assert_eq!(percent(0.0996), "10 %");
        assert_eq!(percent(12.5), "1,250 %");
    }

    #[test]
    fn an_interval_wider_than_its_figure_is_shown_itself() {
        for (interval, alone, with) in [
            ([99.0, 102.0], "± 2.0 %", "100.0 ± 2.0 %"),
            ([0.0, 200.0], "± 100 %", "100.0 ± 100 %"),
            ([20.5, 1_434.0], "20–1,434", "100.0 (20–1,434)"),
        ] {
            assert_eq!(spread(100.0, interval).unwrap(), alone);
            assert_eq!(rate_with(100.0, Some(interval)), with);
        }
        assert_eq!(spread(0.0, [0.0, 1.0]), None);
        assert_eq!(rate_with(0.0, Some([0.0, 1.0])), "0.00");
    }

    #[test]
    fn sizes_are_rounded_to_what_is_printed_on_drives() {
        for (bytes, two, three) in [
            (0, "0 B", "0 B"),
            (999, "999 B", "999 B"),
            (1_474_560, "1.5 MB", "1.47 MB"),
            (10_485_760, "10 MB", "10.5 MB"),
            (536_870_912, "537 MB", "537 MB"),
            (999_999_999, "1.0 GB", "1.00 GB"),
            (9_960_000_000, "10 GB", "9.96 GB"),
            (4_000_787_030_016, "4.0 TB", "4.00 TB"),
            (18_000_207_937_536, "18 TB", "18.0 TB"),
            (2_000_000_000_000_000, "2.0 PB", "2.00 PB"),
        ] {
            assert_eq!(decimal_size(Bytes(bytes), 2), two, "{bytes}");
            assert_eq!(decimal_size(Bytes(bytes), 3), three, "{bytes}");
        }
    }

    #[test]
    fn signs_and_short_numbers_get_no_comma() {
        assert_eq!(grouped("-123"), "-123");
        assert_eq!(grouped("-1234.5678"), "-1,234.5678");
    }

    #[test]
    fn a_missing_latency_is_no_zero() {
        assert_eq!(latency(None), MISSING);
        assert_eq!(latency(Some(61_200)), "61.2 µs");
    }

    #[test]
    fn changes_have_a_sign_and_the_digits_they_deserve() {
        for (ratio, text) in [
            (1.124, "+12 %"),
            (1.0312, "+3.1 %"),
            (0.969, "-3.1 %"),
            (0.51, "-49 %"),
            (0.5, "÷2.0"),
            (1.0, "0.0 %"),
            (0.9999, "0.0 %"),
            (1.99, "+99 %"),
            (9.0, "×9.0"),
            (12.0, "×12"),
            (2_094.2, "×2,094"),
            (0.1, "÷10"),
            (0.083_3, "÷12"),
            (0.000_477_5, "÷2,094"),
        ] {
            assert_eq!(change_text(ratio), text);
        }
        assert_eq!([12.0, 0.083_3].map(times), ["12", "0.083"]);
        let ends = |ratio, low, high| interval_texts(ratio, [low, high]).join(" ");
        assert_eq!(ends(1.6, 0.6, 4.0), "-40 % +300 %");
        assert_eq!(ends(3.0, 2.5, 4.0), "×2.5 ×4.0");
        assert_eq!(ends(2.4, 1.8, 3.0), "×1.8 ×3.0", "as ×2.4 beside it");
        assert_eq!(ends(0.8, 0.05, 1.1), "÷20 ×1.1");
    }
}
