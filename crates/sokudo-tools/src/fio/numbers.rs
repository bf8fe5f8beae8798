//! Numbers as fio writes them: sizes, percentages, times, lists of three, ranges.
//!
//! fio reads as many digits as there are and guesses at the rest: `1.5m` is 1 byte,
//! `10 k` is 10 bytes, `10sec` is 10 µs, `4kk` is 4 KiB. A number that fio would read
//! otherwise than it says is refused here.

use std::borrow::Cow;

use sokudo_model::Nanos;

use super::arithmetic::evaluate;

/// What a value should have been, as the end of a sentence.
pub(super) type Expected = Cow<'static, str>;

const SECOND_NS: i128 = 1_000_000_000;

/// What one letter of a size stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum KiloBase {
    /// `k` is 1024 and `kib` is 1000: fio has it that way round for old job files.
    #[default]
    Binary,
    /// `k` is 1000 and `kib` is 1024.
    Decimal,
}

impl KiloBase {
    /// The factor of one step; `full` is the `kib` notation.
    const fn step(self, full: bool) -> u64 {
        match (self, full) {
            (Self::Binary, false) | (Self::Decimal, true) => 1024,
            (Self::Binary, true) | (Self::Decimal, false) => 1000,
        }
    }
}

/// A size: bytes, or a share of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Bytes(u64),
    Percent(u64),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Bytes(0)
    }
}

/// Whether a value is to be computed. A minus alone is none: `4k-8k` means a range.
fn is_expression(text: &str) -> bool {
    text.starts_with('(') || text.contains(['*', '+', '/'])
}

/// A number with fio's units: `4096`, `4k`, `0x1000`, `128*8`, `(1+2)*3k`.
pub(super) fn number(text: &str, base: KiloBase) -> Option<u64> {
    if is_expression(text) {
        let unit = |unit: &str| scaled(&format!("1{unit}"), base).map(i128::from);
        return u64::try_from(evaluate(text, &unit)?).ok();
    }
    scaled(text, base)
}

/// A number, with a sign if need be.
pub(super) fn signed(text: &str, base: KiloBase) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(rest) => i64::try_from(number(rest, base)?).ok().map(|value| -value),
        None => i64::try_from(number(text.strip_prefix('+').unwrap_or(text), base)?).ok(),
    }
}

/// A size or a percentage.
pub(super) fn amount(text: &str, base: KiloBase) -> Option<Amount> {
    match text.strip_suffix('%') {
        Some(percent) => {
            let percent = percent.trim_end().parse().ok()?;
            (percent <= 100).then_some(Amount::Percent(percent))
        }
        None => number(text, base).map(Amount::Bytes),
    }
}

/// A percentage, with its sign or without. Of `30.5` fio takes the 30: it counts whole percents.
pub(super) fn percent(text: &str, base: KiloBase) -> Option<u32> {
    let text = text.strip_suffix('%').unwrap_or(text);
    let whole = match text.contains('.') {
        true => millionths(text)? / 1_000_000,
        false => number(text, base)?,
    };
    u32::try_from(whole).ok().filter(|percent| *percent <= 100)
}

/// A time; without a unit, in units of `unit_ns`.
pub(super) fn time(text: &str, unit_ns: u64) -> Option<Nanos> {
    let factor = |unit: &str| match unit.to_ascii_lowercase().as_str() {
        "us" | "usec" => Some(1_000),
        "ms" | "msec" => Some(1_000_000),
        "s" => Some(SECOND_NS),
        "m" => Some(60 * SECOND_NS),
        "h" => Some(3_600 * SECOND_NS),
        "d" => Some(86_400 * SECOND_NS),
        _ => None,
    };
    let has_unit = text.contains(|c: char| c.is_ascii_alphabetic());
    let value = if is_expression(text) && has_unit {
        // A number beside one with a unit is a factor; in a sum it could be anything.
        if text.contains(['+', '-']) {
            return None;
        }
        evaluate(text, &factor)?
    } else if is_expression(text) {
        evaluate(text, &|_| None)?.checked_mul(i128::from(unit_ns))?
    } else {
        let (number, unit) = digits(text)?;
        let factor = match unit {
            "" => i128::from(unit_ns),
            unit => factor(unit)?,
        };
        i128::from(number).checked_mul(factor)?
    };
    u64::try_from(value).ok().map(Nanos)
}

/// `4k`, `4k,8k`, `,8k,16k`: one for each of read, write and trim; the last that is
/// given holds for those after it, as in fio.
pub(super) fn three(text: &str, base: KiloBase) -> Option<[Option<u64>; 3]> {
    three_of(text, |part| number(part, base))
}

/// Three of anything, by the rule of [`three`].
pub(super) fn three_of<T: Clone>(
    text: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<[Option<T>; 3]> {
    let mut found = [None, None, None];
    let parts: Vec<&str> = match text.strip_suffix(',') {
        Some(rest) => rest.split(',').collect(),
        None => text.split(',').collect(),
    };
    if parts.len() > 3 || parts.iter().all(|part| part.is_empty()) {
        return None;
    }
    let mut last = None;
    for (index, slot) in found.iter_mut().enumerate() {
        match parts.get(index) {
            Some(&"") => {}
            Some(part) => {
                *slot = Some(read(part)?);
                last.clone_from(slot);
            }
            None => slot.clone_from(&last),
        }
    }
    Some(found)
}

/// `1k-4k`; fio puts the smaller first.
pub(super) fn range(text: &str, base: KiloBase) -> Option<(u64, u64)> {
    let (first, last) = text.split_once(['-', ':'])?;
    let (first, last) = (number(first, base)?, number(last, base)?);
    Some((first.min(last), first.max(last)))
}

/// Digits with a unit: `4096`, `4k`, `0x1000`.
fn scaled(text: &str, base: KiloBase) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let plain = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        return plain.then(|| u64::from_str_radix(hex, 16).ok())?;
    }
    let (number, unit) = digits(text)?;
    let unit = unit.to_ascii_lowercase();
    let full = unit.ends_with("ib");
    let letter = unit.strip_suffix('b').unwrap_or(&unit);
    let letter = letter.strip_suffix('i').unwrap_or(letter);
    let power = match letter {
        "" if unit.is_empty() || unit == "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    number.checked_mul(base.step(full).pow(power))
}

/// A number, and the unit behind it.
fn digits(text: &str) -> Option<(u64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    Some((digits.parse().ok()?, unit))
}

/// A plain decimal fraction in millionths: `1.25`.
pub(super) fn millionths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !plain(whole) || !plain(part) {
        return None;
    }
    let whole: u64 = match whole {
        "" => 0,
        digits => digits.parse().ok()?,
    };
    let mut digits: String = part.chars().take(6).collect();
    while digits.len() < 6 {
        digits.push('0');
    }
    whole
        .checked_mul(1_000_000)?
        .checked_add(digits.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: KiloBase = KiloBase::Binary;

    #[test]
    fn numbers_have_units_and_arithmetic() {
        assert_eq!(number("4k", BASE), Some(4096));
        assert_eq!(number("(1+2)*3k", BASE), Some(9216));
        assert_eq!(number("(4k)", KiloBase::Decimal), Some(4000));
        assert_eq!(number("128*8", BASE), Some(1024));
        assert_eq!(number("2*4k", BASE), Some(8192));
        assert_eq!(number("8k+4k", BASE), Some(12 << 10));
        for text in [
            "1.5m", "10 k", "4x", "4kk", "-1", "", "1e3", "2*", "4k-8k", "1/0",
        ] {
            assert_eq!(number(text, BASE), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_what_fio_makes_of_them() {
        let table = [
            ("4k", 4096, 4000),
            ("4kb", 4096, 4000),
            ("4ki", 4096, 4000),
            ("4kib", 4000, 4096),
            ("4KiB", 4000, 4096),
            ("4b", 4, 4),
            ("1M", 1 << 20, 1_000_000),
            ("0x1000", 4096, 4096),
        ];
        for (text, binary, decimal) in table {
            assert_eq!(number(text, KiloBase::Binary), Some(binary), "{text}");
            assert_eq!(number(text, KiloBase::Decimal), Some(decimal), "{text}");
        }
        for text in ["1mm", "4ib", "4i", "k", "0x", "10%", "99999999p"] {
            assert_eq!(number(text, BASE), None, "{text}");
        }
    }

    #[test]
    fn percentages_may_have_their_sign() {
        for (text, value) in [
            ("70%", 70),
            ("70", 70),
            ("30.5", 30),
            ("0%", 0),
            ("100%", 100),
        ] {
            assert_eq!(percent(text, BASE), Some(value), "{text}");
        }
        for text in ["101%", "%", "70%%", "70 %", "-1%", ""] {
            assert_eq!(percent(text, BASE), None, "{text}");
        }
    }

    #[test]
    fn amounts_may_be_percentages() {
        assert_eq!(amount("80%", BASE), Some(Amount::Percent(80)));
        assert_eq!(amount("80 %", BASE), Some(Amount::Percent(80)));
        assert_eq!(amount("1m", BASE), Some(Amount::Bytes(1 << 20)));
        for text in ["110%", "%", "1.5%", "-1%"] {
            assert_eq!(amount(text, BASE), None, "{text}");
        }
    }

    #[test]
    fn times_that_fio_takes_for_microseconds_are_refused() {
        assert_eq!(time("10", 1_000_000_000), Some(Nanos::from_secs(10)));
        assert_eq!(time("2m", 1), Some(Nanos::from_secs(120)));
        assert_eq!(time("5msec", 1), Some(Nanos::from_millis(5)));
        assert_eq!(time("(2*3)", 1_000), Some(Nanos::from_micros(6)));
        assert_eq!(time("30*5", 1_000_000_000), Some(Nanos::from_secs(150)));
        assert_eq!(time("2*30s", 1), Some(Nanos::from_secs(60)));
        assert_eq!(time("5*60+30", 1_000_000_000), Some(Nanos::from_secs(330)));
        for text in [
            "10sec",
            "1min",
            "1h30m",
            "1.5s",
            "10 m",
            "-1",
            "",
            "99999999999999999999d",
            "1m+30",
            "2*",
        ] {
            assert_eq!(time(text, 1), None, "{text}");
        }
    }

    #[test]
    fn the_last_of_three_holds_for_the_rest() {
        assert_eq!(three("4k", BASE), Some([Some(4096); 3]));
        assert_eq!(three("4,8", BASE), Some([Some(4), Some(8), Some(8)]));
        assert_eq!(three("4,", BASE), Some([Some(4); 3]));
        assert_eq!(three(",8", BASE), Some([None, Some(8), Some(8)]));
        assert_eq!(three(",,8", BASE), Some([None, None, Some(8)]));
        for text in ["", ",", ",,", "1,2,3,4", "1,x"] {
            assert_eq!(three(text, BASE), None, "{text}");
        }
    }

    #[test]
    fn fractions_are_exact() {
        assert_eq!(millionths("1.2"), Some(1_200_000));
        assert_eq!(millionths(".5"), Some(500_000));
        assert_eq!(millionths("99.99"), Some(99_990_000));
        for text in ["", ".", "1e3", "-1", "1.2.3", "99999999999999999999"] {
            assert_eq!(millionths(text), None, "{text}");
        }
    }

    #[test]
    fn ranges_are_put_in_order() {
        assert_eq!(range("8k-4k", BASE), Some((4096, 8192)));
        assert_eq!(range("4k", BASE), None);
    }
}
