//! The data file of what is expected of disks.

use std::sync::LazyLock;

use serde::Deserialize;
use sokudo_model::{AssessedPoint, DiskAnswer};
use sokudo_words::Text;

/// All of it, as `expectations.toml` has it.
static EXPECTATIONS: LazyLock<Expectations> =
    LazyLock::new(|| toml::from_str(include_str!("expectations.toml")).expect("a test reads it"));

/// What is expected of disks.
pub(crate) fn expectations() -> &'static Expectations {
    &EXPECTATIONS
}

/// An expectation: the rule, whose it is, and the figures that it needs.
#[derive(Debug, Deserialize)]
pub(crate) struct Expected<Figures> {
    /// A formula or a rule, in English.
    pub(crate) expected: String,
    /// Who says so, or who has measured it.
    pub(crate) source: String,
    /// When that was published, or looked up.
    pub(crate) date: String,
    #[serde(flatten)]
    pub(crate) figures: Figures,
}

impl<Figures> Expected<Figures> {
    /// What was found, held against it.
    pub(crate) fn point(
        &self,
        code: &str,
        answer: Option<DiskAnswer>,
        found: Text,
    ) -> AssessedPoint {
        AssessedPoint {
            code: code.to_owned(),
            answer,
            found,
            remedy: Text::default(),
            expected: self.expected.clone(),
            source: self.source.clone(),
            date: self.date.clone(),
        }
    }
}

/// A rule without figures of its own.
#[derive(Debug, Deserialize)]
pub(crate) struct Plain {}

/// All expectations, by their names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectations {
    pub(crate) link_share: Expected<LinkShare>,
    pub(crate) link_below_maximum: Expected<LinkDifference>,
    pub(crate) link_below_drive: Expected<Plain>,
    pub(crate) usb_speed: Expected<UsbSpeed>,
    pub(crate) usb_protocol: Expected<UsbProtocol>,
    pub(crate) rotating_random: Expected<Rotating>,
    pub(crate) rotating_sequential: Expected<LeastRate>,
    pub(crate) solid_random: Expected<LeastIops>,
    pub(crate) card_random: Expected<LeastIops>,
    pub(crate) file_system_share: Expected<FileSystemShare>,
    pub(crate) array_share: Expected<LeastPercent>,
    pub(crate) volume_cap: Expected<AlikePercent>,
    pub(crate) health: Expected<Plain>,
    pub(crate) unreadable_sectors: Expected<Plain>,
    pub(crate) wear: Expected<Wear>,
    pub(crate) temperature: Expected<Plain>,
    pub(crate) link_errors: Expected<Plain>,
    pub(crate) write_cache: Expected<Plain>,
    pub(crate) alignment: Expected<Plain>,
    pub(crate) capacity: Expected<Plain>,
    pub(crate) scheduler: Expected<Plain>,
    pub(crate) discard: Expected<Plain>,
    pub(crate) array_whole: Expected<Plain>,
    pub(crate) judged: Expected<Plain>,
    pub(crate) looked_at: Expected<Plain>,
    pub(crate) virtual_disk: Expected<Plain>,
    pub(crate) burn_in_end: Expected<Plain>,
    pub(crate) burn_in_writes: Expected<Plain>,
    pub(crate) burn_in_reads: Expected<Plain>,
    pub(crate) burn_in_slow: Expected<Plain>,
    pub(crate) burn_in_health: Expected<Plain>,
    pub(crate) self_test: Expected<Plain>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LinkShare {
    pub(crate) limit_percent: f64,
    pub(crate) impossible_percent: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LinkDifference {
    pub(crate) difference_min_percent: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct UsbSpeed {
    pub(crate) limit_bytes_per_s: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct UsbProtocol {
    pub(crate) from_bytes_per_s: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Rotating {
    pub(crate) seek_min_ms: f64,
    pub(crate) seek_max_ms: f64,
    pub(crate) rpm: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LeastRate {
    pub(crate) least_mb_per_s: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LeastIops {
    pub(crate) least_iops: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FileSystemShare {
    pub(crate) solid_percent: f64,
    pub(crate) rotating_percent: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LeastPercent {
    pub(crate) least_percent: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AlikePercent {
    pub(crate) alike_percent: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Wear {
    pub(crate) used_percent_max: u32,
}

impl Rotating {
    /// Single random reads a second of a disk with so many turns a minute: with the longest
    /// seeks, and with the shortest.
    pub(crate) fn reads_per_s(&self, rpm: f64) -> (f64, f64) {
        let half_turn_ms = 30_000.0 / rpm;
        let of = |seek_ms: f64| 1000.0 / (half_turn_ms + seek_ms);
        (of(self.seek_max_ms), of(self.seek_min_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expectation_says_what_and_by_whom() {
        let read: toml::Table = toml::from_str(include_str!("expectations.toml")).unwrap();
        let _ = expectations();
        for (name, expectation) in &read {
            for field in ["expected", "source", "date"] {
                let said = expectation.get(field).and_then(toml::Value::as_str);
                assert!(said.is_some_and(|said| said.len() > 3), "{name}.{field}");
            }
            // What is told is what is used.
            let said = expectation["expected"].as_str().unwrap().replace(',', "");
            for (figure, value) in expectation.as_table().unwrap() {
                let number = match value {
                    toml::Value::Float(number) => number.to_string(),
                    toml::Value::Integer(number) if *number >= 1_000_000 => {
                        (number / 1_000_000).to_string()
                    }
                    toml::Value::Integer(number) => number.to_string(),
                    _ => continue,
                };
                let mut words = said.split([' ', ';', ':']);
                assert!(words.any(|word| word == number), "{name}.{figure}: {said}");
            }
        }
    }

    #[test]
    fn a_disk_of_5400_turns_does_75_random_reads_a_second() {
        let rotating = &expectations().rotating_random.figures;
        let (least, most) = rotating.reads_per_s(5400.0);
        assert!(least < 75.0 && 75.0 < most, "{least} {most}");
        assert!((45.0..48.0).contains(&least), "{least}");
        assert!((150.0..155.0).contains(&most), "{most}");
    }
}
