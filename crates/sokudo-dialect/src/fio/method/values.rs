//! fio's notation for numbers, sizes, times and lists.
//!
//! Stricter than fio where fio misreads in silence: it takes `10 k` for 10,
//! `1.5m` for 1 and `1h30m` for 1.

use std::borrow::Cow;

use sokudo_model::{BlockShare, BlockSizes, Bytes, Nanos};

/// What a value should have been, as the end of a sentence.
pub(super) type Expected = Cow<'static, str>;

/// fio's BSSPLIT_MAX.
const BLOCK_SIZES_MAX: usize = 64;
/// More processors than any machine that Linux runs on has.
const CPU_MAX: u32 = 8191;

const SIZE: &str = "a size in bytes such as 4096, 4k or 1m";
const BLOCK_SPLIT: &str = "block sizes with percentages that sum up to 100, such as 4k/60:64k/40, the same for all directions";
const CPUS: &str = "a list of processors such as 0,2 or 0-3";

/// What one letter of a size stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fio) enum KiloBase {
    /// `k` is 1024 and `kib` is 1000: fio's default.
    Binary,
    /// `k` is 1000 and `kib` is 1024.
    Decimal,
}

impl KiloBase {
    pub(super) fn parse(text: &str) -> Result<Self, Expected> {
        match text {
            "1024" => Ok(Self::Binary),
            "1000" => Ok(Self::Decimal),
            _ => Err("1024 or 1000".into()),
        }
    }

    /// The factor of one step; `full` is the `kib` notation.
    const fn step(self, full: bool) -> u64 {
        match (self, full) {
            (Self::Binary, false) | (Self::Decimal, true) => 1024,
            (Self::Binary, true) | (Self::Decimal, false) => 1000,
        }
    }
}

/// `0` or `1`.
pub(super) fn switch(text: &str) -> Result<bool, Expected> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("0 or 1".into()),
    }
}

/// A size; the unit is optional.
pub(super) fn size(text: &str, base: KiloBase) -> Result<u64, Expected> {
    scaled(text, base).ok_or_else(|| SIZE.into())
}

/// A size above 0.
pub(super) fn size_above_0(text: &str, base: KiloBase) -> Result<u64, Expected> {
    match scaled(text, base) {
        Some(bytes) if bytes > 0 => Ok(bytes),
        _ => Err(format!("{SIZE}, above 0").into()),
    }
}

/// A count between two limits; fio allows units here too (`iodepth=1k`).
pub(super) fn count(text: &str, base: KiloBase, min: u32, max: u32) -> Result<u32, Expected> {
    scaled(text, base)
        .and_then(|value| u32::try_from(value).ok())
        .filter(|value| (min..=max).contains(value))
        .ok_or_else(|| format!("a whole number from {min} to {max}").into())
}

/// One word of several.
pub(super) fn choice<'a>(text: &'a str, words: &[&str]) -> Result<&'a str, Expected> {
    if words.contains(&text) {
        return Ok(text);
    }
    Err(format!("one of {}", words.join(", ")).into())
}

/// A time; without a unit, in units of `unit_ns`.
pub(super) fn time(text: &str, unit_ns: u64) -> Result<Nanos, Expected> {
    let parsed = split_digits(text).and_then(|(number, unit)| {
        let unit_ns = match unit.to_ascii_lowercase().as_str() {
            "" => unit_ns,
            "us" | "usec" => 1_000,
            "ms" | "msec" => 1_000_000,
            "s" | "sec" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            _ => return None,
        };
        number.checked_mul(unit_ns)
    });
    parsed
        .map(Nanos)
        .ok_or_else(|| "a time such as 30s, 500ms or 100us".into())
}

/// One block size, or the same for every direction (`4k,4k,4k`).
pub(super) fn block(text: &str, base: KiloBase) -> Result<Bytes, Expected> {
    let expected =
        || Expected::from("a size above 0 such as 4k or 1m, the same for all directions");
    let mut sizes = text.trim_end_matches(',').split(',');
    let first = sizes.next().and_then(|size| scaled(size, base));
    let same = sizes.all(|size| scaled(size, base) == first);
    first
        .filter(|bytes| same && *bytes > 0)
        .map(Bytes)
        .ok_or_else(expected)
}

/// `4k/60:64k/40`; sizes without a percentage share what is left.
pub(super) fn block_split(text: &str, base: KiloBase) -> Result<BlockSizes, Expected> {
    let entries = split_entries(text, base).ok_or(BLOCK_SPLIT)?;
    let given: u32 = entries.iter().filter_map(|(_, percent)| *percent).sum();
    let open = entries.iter().filter(|(_, percent)| percent.is_none());
    let open = u32::try_from(open.count()).map_err(|_| BLOCK_SPLIT)?;
    let rest = 100u32.checked_sub(given).ok_or(BLOCK_SPLIT)?;
    if open == 0 && rest > 0 {
        return Err(BLOCK_SPLIT.into());
    }
    let shares = entries.into_iter().map(|(bytes, percent)| BlockShare {
        bytes: Bytes(bytes),
        weight: percent.unwrap_or_else(|| rest / open),
    });
    // fio draws a number below 100 and never a size of no percent.
    let shares = shares.filter(|share| share.weight > 0).collect();
    BlockSizes::mix(shares).ok_or_else(|| BLOCK_SPLIT.into())
}

/// `4096/3:65536/1`: any weights. The pragma that is exact where percentages
/// are not.
pub(super) fn block_weights(text: &str, base: KiloBase) -> Result<BlockSizes, Expected> {
    let shares = text.split(':').map(|part| {
        let (bytes, weight) = part.split_once('/')?;
        Some(BlockShare {
            bytes: Bytes(scaled(bytes, base)?),
            weight: weight.parse().ok()?,
        })
    });
    shares
        .collect::<Option<Vec<_>>>()
        .and_then(BlockSizes::mix)
        .ok_or_else(|| "block sizes with weights such as 4k/3:64k/1".into())
}

/// A value for all directions, or one for each of read, write and trim; 0 and
/// empty are no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Each(u64),
    Directions([Option<u64>; 3]),
}

/// `10m`, or `10m,5m`, or `,5m`.
pub(super) fn limit(text: &str, base: KiloBase) -> Result<Limit, Expected> {
    let expected =
        || Expected::from("a number such as 1000 or 10m, or one each for read,write,trim");
    if !text.contains(',') {
        return scaled(text, base).map(Limit::Each).ok_or_else(expected);
    }
    let mut directions = [None; 3];
    let mut parts = text.split(',');
    for slot in &mut directions {
        match parts.next() {
            None | Some("") => {}
            Some(part) => *slot = Some(scaled(part, base).ok_or_else(expected)?),
        }
    }
    if parts.next().is_some() {
        return Err(expected());
    }
    Ok(Limit::Directions(
        directions.map(|value| value.filter(|v| *v > 0)),
    ))
}

/// `0,2-3`.
pub(super) fn cpus(text: &str) -> Result<Vec<u32>, Expected> {
    let mut found = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u32 = first.trim().parse().map_err(|_| CPUS)?;
        let last: u32 = last.trim().parse().map_err(|_| CPUS)?;
        if first > last || last > CPU_MAX {
            return Err(CPUS.into());
        }
        found.extend(
            (first..=last)
                .filter(|cpu| !found.contains(cpu))
                .collect::<Vec<_>>(),
        );
    }
    Ok(found)
}

/// Sizes with their percentages, as far as they are written.
fn split_entries(text: &str, base: KiloBase) -> Option<Vec<(u64, Option<u32>)>> {
    let mut entries = Vec::new();
    for part in text.split(':') {
        let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent {
            "" => None,
            digits => Some(digits.parse().ok().filter(|percent| *percent <= 100)?),
        };
        entries.push((scaled(bytes, base).filter(|bytes| *bytes > 0)?, percent));
    }
    (entries.len() <= BLOCK_SIZES_MAX).then_some(entries)
}

pub(in crate::fio) fn scaled(text: &str, base: KiloBase) -> Option<u64> {
    let (number, unit) = split_digits(text)?;
    let unit = unit.to_ascii_lowercase();
    let full = unit.ends_with("ib");
    let letter = match unit.strip_suffix('b') {
        Some(rest) => rest.strip_suffix('i').unwrap_or(rest),
        None => unit.strip_suffix('i').unwrap_or(&unit),
    };
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

fn split_digits(text: &str) -> Option<(u64, &str)> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let plain = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = plain.then(|| u64::from_str_radix(hex, 16).ok())??;
        return Some((number, ""));
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    Some((digits.parse().ok()?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(size(text, KiloBase::Binary), Ok(binary), "{text}");
            assert_eq!(size(text, KiloBase::Decimal), Ok(decimal), "{text}");
        }
    }

    #[test]
    fn sizes_that_fio_misreads_are_refused() {
        for text in [
            "1.5m",
            "10 k",
            "1mm",
            "4ib",
            "4i",
            "",
            "k",
            "-1",
            "0x",
            "10%",
            "99999999p",
        ] {
            assert!(size(text, KiloBase::Binary).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_without_unit_takes_the_options_unit() {
        assert_eq!(time("5", 1_000_000_000), Ok(Nanos::from_secs(5)));
        assert_eq!(time("5", 1_000), Ok(Nanos::from_micros(5)));
        assert_eq!(time("2m", 1_000), Ok(Nanos::from_secs(120)));
        assert_eq!(time("250ms", 1), Ok(Nanos::from_millis(250)));
        for text in ["1h30m", "1.5s", "", "s", "1ns", "99999999999999d"] {
            assert!(time(text, 1).is_err(), "{text}");
        }
    }

    #[test]
    fn block_splits_share_what_is_left() {
        let split = block_split("4k/50:64k:128k/", KiloBase::Binary).unwrap();
        let shares: Vec<_> = split
            .shares()
            .unwrap()
            .iter()
            .map(|s| (s.bytes.0, s.weight))
            .collect();
        assert_eq!(shares, [(4096, 50), (65536, 25), (131_072, 25)]);
        for text in [
            "4k/60:64k/50",
            "4k/50:64k/40",
            "0/100",
            "4k/x",
            "",
            "4k/50,64k/50",
            "4k/-1",
        ] {
            assert!(block_split(text, KiloBase::Binary).is_err(), "{text}");
        }
    }

    #[test]
    fn processors_are_lists_and_ranges() {
        assert_eq!(cpus("0,2-4,3"), Ok(vec![0, 2, 3, 4]));
        for text in ["", "a", "3-1", "0-999999", "-1", "1,"] {
            assert!(cpus(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_for_all_or_for_each_direction() {
        let base = KiloBase::Binary;
        assert_eq!(limit("1m", base), Ok(Limit::Each(1 << 20)));
        assert_eq!(
            limit("7,3", base),
            Ok(Limit::Directions([Some(7), Some(3), None]))
        );
        assert_eq!(
            limit(",3", base),
            Ok(Limit::Directions([None, Some(3), None]))
        );
        assert!(limit("1,2,3,4", base).is_err());
        assert!(limit("x", base).is_err());
    }

    #[test]
    fn one_block_size_serves_all_directions() {
        let base = KiloBase::Binary;
        assert_eq!(block("4k,4096,4k", base), Ok(Bytes(4096)));
        assert_eq!(block("4k,", base), Ok(Bytes(4096)));
        for text in ["4k,8k", "0", "", ",", "4k,,8k"] {
            assert!(block(text, base).is_err(), "{text}");
        }
    }
}
