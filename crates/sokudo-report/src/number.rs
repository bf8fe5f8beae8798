//! Numbers as people read them, the same in every locale.

use sokudo_model::Nanos;

/// What stands where there is no number.
pub(crate) const MISSING: &str = "—";

/// A rate with as many decimals as it deserves: none from 1,000, one from 100,
/// two below; thousands are separated by commas.
pub(crate) fn rate(value: f64) -> String {
    let decimals = rate_decimals(value);
    grouped(&format!("{value:.decimals$}"))
}

/// The range between two rates, with as many decimals as the larger deserves.
pub(crate) fn rate_range(low: f64, high: f64) -> String {
    let decimals = rate_decimals(high);
    let end = |value: f64| grouped(&format!("{value:.decimals$}"));
    format!("{}–{}", end(low), end(high))
}

/// A share in percent, such as `0.8 %` or `12 %`.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let decimals = usize::from(percent < 9.95);
    format!("{} %", grouped(&format!("{percent:.decimals$}")))
}

/// A latency with a unit that suits it.
pub(crate) fn latency(nanos: Option<u64>) -> String {
    nanos.map_or_else(|| MISSING.to_owned(), |nanos| Nanos(nanos).to_string())
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
pub(crate) fn grouped(digits: &str) -> String {
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
    }

    #[test]
    fn a_small_share_has_a_decimal_and_a_large_one_has_none() {
        assert_eq!(percent(0.008), "0.8 %");
        assert_eq!(percent(0.0996), "10 %");
        assert_eq!(percent(12.5), "1,250 %");
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
}
