//! Numbers as fio prints them for people: a few digits and a prefix.

/// What follows the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitSuffix {
    None,
    Bytes,
    BytesPerSecond,
    BitsPerSecond,
}

impl UnitSuffix {
    /// The unit of bandwidths for fio's `unit_base`.
    pub(super) fn of_base(unit_base: u32) -> Self {
        match unit_base {
            1 => Self::BitsPerSecond,
            _ => Self::BytesPerSecond,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Bytes => "B",
            Self::BytesPerSecond => "B/s",
            Self::BitsPerSecond => "bit/s",
        }
    }
}

/// A number divided by 1000, or 1024 when `binary`, until its whole part has at most
/// `digits` digits; what is left of them, less the point, are decimals.
pub(super) fn scaled(number: u64, digits: usize, binary: bool, unit: UnitSuffix) -> String {
    const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let (thousand, prefixes) = if binary {
        (1024, BINARY)
    } else {
        (1000, DECIMAL)
    };
    // As bits a number may need more than 64 of them.
    let mut whole = match unit {
        UnitSuffix::BitsPerSecond => u128::from(number) * 8,
        _ => u128::from(number),
    };
    let mut rest = None;
    let mut prefix = 0;
    while length(whole) > digits && prefix + 1 < prefixes.len() {
        rest = Some(whole % thousand);
        whole /= thousand;
        prefix += 1;
    }
    let suffix = format!("{}{}", prefixes[prefix], unit.name());
    let Some(rest) = rest else {
        return format!("{whole}{suffix}");
    };
    let room = digits.saturating_sub(length(whole));
    if room <= 1 {
        let rounded = whole + u128::from(rest >= thousand / 2);
        return format!("{rounded}{suffix}");
    }
    let decimals = room - 1;
    let fraction = format!("{:.decimals$}", rest as f64 / thousand as f64);
    // A fraction such as 0.97 rounds up to 1.0, which is one more.
    let carried = whole + u128::from(fraction.starts_with('1'));
    format!("{carried}{}{suffix}", &fraction[1..])
}

fn length(number: u128) -> usize {
    number.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_fio_prints() {
        // Each pair was printed by fio 3.33.
        let count = |n| scaled(n, 4, false, UnitSuffix::None);
        assert_eq!(count(6_000), "6000");
        assert_eq!(count(10_000), "10.0k");
        assert_eq!(count(1_528_000), "1528k");
        assert_eq!(count(16_900), "16.9k");
        assert_eq!(count(0), "0");
        let size = |n| scaled(n, 4, true, UnitSuffix::Bytes);
        assert_eq!(size(4_096), "4096B");
        assert_eq!(size(65_536), "64.0KiB");
        assert_eq!(size(2 << 20), "2048KiB");
        assert_eq!(size(8_192_000), "8000KiB");
        assert_eq!(scaled(64_000, 4, false, UnitSuffix::Bytes), "64.0kB");
        assert_eq!(scaled(3_955_300, 6, false, UnitSuffix::None), "3955.3k");
        assert_eq!(
            scaled(4_087_824, 7, true, UnitSuffix::BytesPerSecond),
            "4087824B/s"
        );
        let bits = |binary| scaled(1_064_032_000, 4, binary, UnitSuffix::BitsPerSecond);
        assert_eq!(
            (bits(true).as_str(), bits(false).as_str()),
            ("8118Mibit/s", "8512Mbit/s")
        );
    }

    #[test]
    fn a_fraction_that_rounds_up_is_carried() {
        assert_eq!(scaled(10_970, 4, false, UnitSuffix::None), "11.0k");
        assert_eq!(
            scaled(u64::MAX, 4, true, UnitSuffix::BitsPerSecond),
            "128Ei".to_owned() + "bit/s"
        );
    }
}
