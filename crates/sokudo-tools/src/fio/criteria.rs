//! Values with a grammar of their own: distributions, zones, block splits, processors,
//! percentiles, steady state.

use sokudo_model::{BlockShare, Bytes, Distribution, SteadyFigure, SteadyLimit, Zone, ZoneLength};

use super::numbers::{KiloBase, millionths, number};

/// More processors than any machine that Linux runs on has.
const CPU_MAX: u32 = 8191;
/// Most sizes of a block split (fio: `BSSPLIT_MAX`).
const SPLIT_MAX: usize = 64;
/// Most zones of a distribution (fio: `ZONESPLIT_MAX`).
const ZONES_MAX: usize = 256;
/// Most percentiles of a list (fio: `FIO_IO_U_LIST_MAX_LEN`).
const PERCENTILES_MAX: usize = 20;
const MILLION: u64 = 1_000_000;

pub(super) const CPUS: &str = "a list of processors such as 0,2 or 0-3";
pub(super) const SPLIT: &str = "block sizes with whole percentages that sum up to 100, such as 4k/60:64k/40, perhaps one list each for read,write,trim";
pub(super) const DISTRIBUTION: &str = "random, zipf:THETA, pareto:H or normal:DEVIATION (each perhaps with :CENTER from 0 to 1), zoned:ACCESS/SIZE:… or zoned_abs:ACCESS/BYTES:… with percentages of access that sum up to 100";
pub(super) const STEADY: &str =
    "iops, iops_slope, bw or bw_slope with a limit, such as iops:3% or bw_slope:0.5%";
pub(super) const PERCENTILES: &str = "up to 20 percentages such as 50:99:99.9";

/// Reads a list of processors, such as `0,2-3`.
pub(super) fn cpus(text: &str) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for part in text.split([',', ':']) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u32 = first.trim().parse().ok()?;
        let last: u32 = last.trim().parse().ok()?;
        if first > last || last > CPU_MAX {
            return None;
        }
        for cpu in first..=last {
            if !found.contains(&cpu) {
                found.push(cpu);
            }
        }
    }
    Some(found)
}

/// `4k/60:64k/40`; sizes without a percentage share what is left.
pub(super) fn split(text: &str, base: KiloBase) -> Option<Vec<BlockShare>> {
    let mut entries = Vec::new();
    for part in text.split(':') {
        let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent.trim() {
            "" => None,
            digits => Some(digits.parse::<u32>().ok().filter(|p| *p <= 100)?),
        };
        entries.push((number(bytes.trim(), base).filter(|b| *b > 0)?, percent));
    }
    if entries.len() > SPLIT_MAX {
        return None;
    }
    let given: u32 = entries.iter().filter_map(|(_, percent)| *percent).sum();
    let open = entries.iter().filter(|(_, percent)| percent.is_none());
    let open = u32::try_from(open.count()).ok()?;
    let rest = 100u32.checked_sub(given)?;
    if open == 0 && rest > 0 {
        return None;
    }
    let shares = entries.into_iter().map(|(bytes, percent)| BlockShare {
        bytes: Bytes(bytes),
        weight: percent.unwrap_or_else(|| rest / open),
    });
    let shares: Vec<_> = shares.filter(|share| share.weight > 0).collect();
    (!shares.is_empty()).then_some(shares)
}

/// The distribution without its zones; `None` for zoned ones too.
pub(super) fn distribution(word: &str, more: Option<&str>) -> Option<Distribution> {
    let (value, center) = match more.map(|text| text.split_once(':').unwrap_or((text, ""))) {
        Some((value, "")) => (millionths(value)?, None),
        Some((value, center)) => {
            let center = millionths(center).filter(|c| *c <= MILLION)?;
            (millionths(value)?, Some(center))
        }
        // fio's defaults: FIO_DEF_ZIPF, FIO_DEF_PARETO, no deviation.
        None => match word {
            "zipf" => (1_100_000, None),
            "pareto" => (200_000, None),
            _ => (0, None),
        },
    };
    match word {
        "random" => Some(Distribution::Uniform),
        "zipf" if value > 0 && value != MILLION => Some(Distribution::Zipf {
            theta: value,
            center,
        }),
        "pareto" if value > 0 && value < MILLION => Some(Distribution::Pareto {
            power: value,
            center,
        }),
        "normal" | "gauss" if value < 100 * MILLION => Some(Distribution::Normal {
            deviation: value,
            center,
        }),
        _ => None,
    }
}

/// `60/10:30/20:10/70`; the last zones without a size share what is left.
pub(super) fn zones(text: &str, absolute: bool, base: KiloBase) -> Option<Vec<Zone>> {
    let mut zones = Vec::new();
    for part in text.split(':') {
        let (access, length) = part.split_once('/').unwrap_or((part, ""));
        let access: u64 = access.trim().parse().ok()?;
        let length = match (length.trim(), absolute) {
            ("", _) => None,
            (size, true) => Some(ZoneLength::Size(Bytes(number(size, base)?))),
            (share, false) => Some(ZoneLength::Share(
                share.parse::<u64>().ok()?.checked_mul(MILLION)?,
            )),
        };
        zones.push((access.checked_mul(MILLION)?, length));
    }
    let accesses = zones
        .iter()
        .try_fold(0u64, |sum, (access, _)| sum.checked_add(*access))?;
    if zones.len() > ZONES_MAX || accesses != 100 * MILLION {
        return None;
    }
    if absolute {
        let whole = zones.into_iter().map(|(access, length)| {
            Some(Zone {
                access,
                length: length?,
            })
        });
        return whole.collect();
    }
    let share = |length: &Option<ZoneLength>| match length {
        Some(ZoneLength::Share(share)) => *share,
        _ => 0,
    };
    let given = zones
        .iter()
        .try_fold(0u64, |sum, (_, l)| sum.checked_add(share(l)))?;
    let open = zones.iter().filter(|(_, length)| length.is_none()).count();
    let rest = (100 * MILLION).checked_sub(given)?;
    let each = rest.checked_div(u64::try_from(open).ok()?).unwrap_or(0);
    let zone = |(access, length): (u64, Option<ZoneLength>)| Zone {
        access,
        length: length.unwrap_or(ZoneLength::Share(each)),
    };
    Some(zones.into_iter().map(zone).collect())
}

/// Reads a criterion and whether it is of the slope: `iops:3%`, `bw_slope:0.5%`.
pub(super) fn steady(text: &str) -> Option<(SteadyFigure, bool, SteadyLimit)> {
    let (word, limit) = text.split_once(':')?;
    let (figure, slope) = match word {
        "iops" => (SteadyFigure::Iops, false),
        "iops_slope" => (SteadyFigure::Iops, true),
        "bw" => (SteadyFigure::Bandwidth, false),
        "bw_slope" => (SteadyFigure::Bandwidth, true),
        _ => return None,
    };
    let limit = match limit.strip_suffix('%') {
        Some(percent) => SteadyLimit::Percent(millionths(percent)?),
        None => SteadyLimit::Absolute(millionths(limit)?),
    };
    Some((figure, slope, limit))
}

/// Reads percentiles such as `50:99:99.9` and sorts them.
pub(super) fn percentiles(text: &str) -> Option<Vec<f64>> {
    let mut found = Vec::new();
    for part in text.split(':') {
        millionths(part.trim())?;
        found.push(part.trim().parse::<f64>().ok().filter(|p| *p <= 100.0)?);
    }
    found.sort_by(f64::total_cmp);
    (found.len() <= PERCENTILES_MAX).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: KiloBase = KiloBase::Binary;

    #[test]
    fn distributions_have_parameters() {
        let zipf = |theta, center| Some(Distribution::Zipf { theta, center });
        assert_eq!(distribution("zipf", Some("1.2")), zipf(1_200_000, None));
        assert_eq!(
            distribution("zipf", Some("1.2:0.5")),
            zipf(1_200_000, Some(500_000))
        );
        assert_eq!(distribution("zipf", None), zipf(1_100_000, None));
        for (word, more) in [
            ("zipf", "1"),
            ("zipf", "0"),
            ("zipf", "x"),
            ("zipf", "1.2:2"),
            ("pareto", "1.1"),
            ("normal", "100"),
            ("else", "1"),
        ] {
            assert_eq!(distribution(word, Some(more)), None, "{word}:{more}");
        }
    }

    #[test]
    fn zones_sum_up_to_all_accesses() {
        let found = zones("60/10:30/20:10/", false, BASE).unwrap();
        assert_eq!(found[2].length, ZoneLength::Share(70 * MILLION));
        let found = zones("60/10g:40/20g", true, BASE).unwrap();
        assert_eq!(found[0].length, ZoneLength::Size(Bytes::gib(10)));
        for text in ["60/10", "50/50:50/60", "", "x", "100/x"] {
            assert_eq!(zones(text, false, BASE), None, "{text}");
        }
        assert_eq!(zones("100", true, BASE), None);
    }

    #[test]
    fn splits_share_what_is_left() {
        let weights = |text| -> Option<Vec<u32>> {
            Some(split(text, BASE)?.iter().map(|s| s.weight).collect())
        };
        assert_eq!(weights("4k/50:64k:128k"), Some(vec![50, 25, 25]));
        for text in ["4k/60:8k/60", "4k/40:8k/40", "0/100", "", "x", "4k/50.5:8k"] {
            assert_eq!(weights(text), None, "{text}");
        }
    }

    #[test]
    fn steadiness_is_a_figure_and_a_limit() {
        assert_eq!(
            steady("iops:3%"),
            Some((SteadyFigure::Iops, false, SteadyLimit::Percent(3_000_000)))
        );
        assert_eq!(
            steady("bw_slope:0.5"),
            Some((
                SteadyFigure::Bandwidth,
                true,
                SteadyLimit::Absolute(500_000)
            ))
        );
        assert_eq!((steady("iops:"), steady("iops")), (None, None));
    }

    #[test]
    fn percentiles_are_put_in_order() {
        assert_eq!(percentiles("99:50"), Some(vec![50.0, 99.0]));
        assert_eq!(percentiles("101"), None);
        assert_eq!(percentiles(&"1:".repeat(30)), None);
    }
}
