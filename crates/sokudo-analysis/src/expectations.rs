//! The data file of what is expected of disks.

use std::sync::LazyLock;

use serde::Deserialize;
use sokudo_model::{AssessedPoint, DiskAnswer};
use sokudo_words::Text;

/// All of it, as `expectations.toml` has it.
static EXPECTATIONS: LazyLock<Expectations> =
    LazyLock::new(|| toml::from_str(include_str!("expectations.toml")).expect("a test reads it"));

/// What is expected of disks.
pub fn expectations() -> &'static Expectations {
    &EXPECTATIONS
}

/// An expectation: the rule, whose it is, and the figures that it needs.
#[derive(Debug, Deserialize)]
pub struct Expected<Figures> {
    /// A formula or a rule, in English.
    pub expected: String,
    /// Who says so, or who has measured it.
    pub source: String,
    /// When that was published, or looked up.
    pub date: String,
    #[serde(flatten)]
    pub figures: Figures,
}

impl<Figures> Expected<Figures> {
    /// What was found, held against it.
    pub fn point(&self, code: &str, answer: Option<DiskAnswer>, found: Text) -> AssessedPoint {
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
pub struct Plain {}

/// All expectations, by their names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectations {
    pub link_share: Expected<LinkShare>,
    pub link_below_maximum: Expected<LinkDifference>,
    pub link_below_drive: Expected<Plain>,
    pub usb_speed: Expected<UsbSpeed>,
    pub usb_protocol: Expected<UsbProtocol>,
    pub rotating_random: Expected<Rotating>,
    pub rotating_sequential: Expected<LeastRate>,
    pub solid_random: Expected<LeastIops>,
    pub card_random: Expected<LeastIops>,
    pub file_system_share: Expected<FileSystemShare>,
    pub array_share: Expected<LeastPercent>,
    pub volume_cap: Expected<AlikePercent>,
    pub health: Expected<Plain>,
    pub unreadable_sectors: Expected<Plain>,
    pub wear: Expected<Wear>,
    pub temperature: Expected<Plain>,
    pub link_errors: Expected<Plain>,
    pub write_cache: Expected<Plain>,
    pub alignment: Expected<Plain>,
    pub capacity: Expected<Plain>,
    pub scheduler: Expected<Plain>,
    pub discard: Expected<Plain>,
    pub array_whole: Expected<Plain>,
    pub judged: Expected<Plain>,
    pub looked_at: Expected<Plain>,
    pub speed_kept: Expected<Plain>,
    pub real_capacity: Expected<Plain>,
    pub virtual_disk: Expected<Plain>,
    pub burn_in_end: Expected<Plain>,
    pub burn_in_writes: Expected<Plain>,
    pub burn_in_reads: Expected<Plain>,
    pub burn_in_slow: Expected<Plain>,
    pub burn_in_health: Expected<Plain>,
    pub self_test: Expected<Plain>,
}

#[derive(Debug, Deserialize)]
pub struct LinkShare {
    pub limit_percent: f64,
    pub impossible_percent: f64,
}

#[derive(Debug, Deserialize)]
pub struct LinkDifference {
    pub difference_min_percent: f64,
}

#[derive(Debug, Deserialize)]
pub struct UsbSpeed {
    pub limit_bytes_per_s: u64,
}

#[derive(Debug, Deserialize)]
pub struct UsbProtocol {
    pub from_bytes_per_s: u64,
}

#[derive(Debug, Deserialize)]
pub struct Rotating {
    pub seek_min_ms: f64,
    pub seek_max_ms: f64,
    pub rpm: f64,
}

#[derive(Debug, Deserialize)]
pub struct LeastRate {
    pub least_mb_per_s: f64,
}

#[derive(Debug, Deserialize)]
pub struct LeastIops {
    pub least_iops: f64,
}

#[derive(Debug, Deserialize)]
pub struct FileSystemShare {
    pub solid_percent: f64,
    pub rotating_percent: f64,
}

#[derive(Debug, Deserialize)]
pub struct LeastPercent {
    pub least_percent: f64,
}

#[derive(Debug, Deserialize)]
pub struct AlikePercent {
    pub alike_percent: f64,
}

#[derive(Debug, Deserialize)]
pub struct Wear {
    pub used_percent_max: u32,
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
                let text = expectation.get(field).and_then(toml::Value::as_str);
                assert!(text.is_some_and(|text| text.len() > 3), "{name}.{field}");
            }
            // What is told is what is used.
            let text = expectation["expected"].as_str().unwrap().replace(',', "");
            for (figure, value) in expectation.as_table().unwrap() {
                let number = match value {
                    toml::Value::Float(number) => number.to_string(),
                    toml::Value::Integer(number) if *number >= 1_000_000 => {
                        (number / 1_000_000).to_string()
                    }
                    toml::Value::Integer(number) => number.to_string(),
                    _ => continue,
                };
                let mut words = text.split([' ', ';', ':']);
                assert!(words.any(|word| word == number), "{name}.{figure}: {text}");
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
