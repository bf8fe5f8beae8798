//! Every number that a verdict depends on, each with its reason.
//!
//! `docs/METHOD.md` repeats them for readers; a test holds the two together.

use sokudo_model::Bytes;

/// Below this, bytes are missing at the devices. 2 % is far above what a correct
/// count can be off (on ext4, xfs and loop devices it is exact), and far below
/// what any cache that matters would take away.
pub const ARRIVED_RATIO_MIN: f64 = 0.98;

/// Above this, and beyond [`BACKGROUND_BYTES_PER_TRIAL_MAX`], the devices moved
/// more than was asked of them.
pub const ARRIVED_RATIO_MAX: f64 = 1.02;

/// Bytes in the direction that a row does not use, as a share of the row's bytes.
pub const OTHER_DIRECTION_SHARE_MAX: f64 = 0.02;

/// What a quiet system moves beside a trial: a journal commit or two (up to 32
/// KiB each on ext4), a few blocks of metadata, a line in a log. Measured on Linux
/// 6.18 beside 1 s trials at 20 MB/s on loop devices: 0 on ext4 and xfs, on btrfs
/// at most 384 KiB in one trial and 120 KiB on average over the trials of a row.
/// (One trial on an ext4 just made saw 11 MiB of its lazy initialisation, which is
/// no background: it must be flagged.) It matters only to slow devices and small
/// blocks, where 2 % of the bytes are less than one such commit.
pub const BACKGROUND_BYTES_PER_TRIAL_MAX: u64 = 256 * Bytes::KIB;

/// What a journal may add to one write: descriptor, inode and commit block, and
/// later the inode in its place, of 4 KiB each.
pub const JOURNAL_BYTES_PER_WRITE_MAX: u64 = 16 * Bytes::KIB;

/// Metadata that a copy-on-write file system reads beside a file, as a share of
/// the file: a checksum of 4 bytes, and at worst an extent record of 80 bytes
/// with a share of its tree node, per block of 4 KiB.
pub const METADATA_READ_SHARE_MAX: f64 = 0.03;

/// Part of the file that may be in the page cache before buffered reads: as much
/// as [`ARRIVED_RATIO_MIN`] lets go missing.
pub const CACHED_SHARE_MAX: f64 = 0.02;

/// Part of the file that may be holes, unwritten, encoded, inline or shared: as
/// much as [`ARRIVED_RATIO_MIN`] lets go missing.
pub const FILE_STATE_SHARE_MAX: f64 = 0.02;

/// How far two figures that must be equal may lie apart, where clock readings are
/// shared by the I/Os of a batch.
pub const INVARIANT_TOLERANCE: f64 = 0.02;

/// Part of the depth asked for that must be in flight while I/O is issued.
pub const DEPTH_SHARE_MIN: f64 = 0.90;

/// Part of the time that the workload's threads may compute before the tester is
/// taken for the bottleneck.
pub const CPU_SHARE_MAX: f64 = 0.90;

/// Confidence of the interval of the median.
pub const CONFIDENCE: f64 = 0.95;

/// Fewer trials give no interval with [`CONFIDENCE`].
pub const INTERVAL_TRIALS_MIN: usize = sokudo_stats::INTERVAL_TRIALS_MIN;

/// Half the interval's width, relative to the median, above which a figure is
/// called unsteady.
pub const INTERVAL_REACH_MAX: f64 = 0.10;

/// How many median absolute deviations the first trial may lie from the median. For
/// normal trials 14.826 of them are 10 standard deviations (1 MAD = 0.6745 σ), which is
/// hyperfine's limit too. Of six trials that are alike, fewer than 1 in 100 rows pass it
/// by chance (a test counts).
pub const FIRST_RUN_DEVIATIONS_MAX: f64 = 14.826;

/// A first trial nearer to the median than this share of it makes no difference to
/// anybody, however alike the others are.
pub const FIRST_RUN_SHARE_MIN: f64 = 0.02;

/// Part of a row's trials that must begin at another speed, on the same side: more than half.
/// One trial in a hundred seems to by chance (a test in `sokudo-stats` counts), and then alone.
pub const WARM_UP_TRIALS_SHARE_MIN: f64 = 0.5;

/// How far the figure must move without the beginnings of its trials. A queue that fills and
/// a first seek cost a second of a hard disk 2 %, and are no news to anybody.
pub const WARM_UP_SHIFT_MIN: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use sokudo_stats::{RELATIVE_ERROR_MAX, samples_needed};

    const METHOD: &str = include_str!("../../../docs/METHOD.md");

    /// The cells of every row of the document whose first cell is `key` as code.
    fn cells(key: &str) -> Vec<Vec<&'static str>> {
        let start = format!("| `{key}` |");
        METHOD
            .lines()
            .filter(|line| line.starts_with(&start))
            .map(|line| line.split('|').skip(2).map(str::trim).collect())
            .collect()
    }

    /// A number as the document writes it: `98 %`, `256 KiB`, `14.826`.
    fn number(text: &str) -> f64 {
        match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().unwrap() / 100.0,
            None => text
                .parse()
                .unwrap_or_else(|_| text.parse::<Bytes>().unwrap().0 as f64),
        }
    }

    #[test]
    fn the_document_states_every_threshold_as_it_is() {
        let thresholds = [
            ("ARRIVED_RATIO_MIN", ARRIVED_RATIO_MIN),
            ("ARRIVED_RATIO_MAX", ARRIVED_RATIO_MAX),
            ("OTHER_DIRECTION_SHARE_MAX", OTHER_DIRECTION_SHARE_MAX),
            (
                "BACKGROUND_BYTES_PER_TRIAL_MAX",
                BACKGROUND_BYTES_PER_TRIAL_MAX as f64,
            ),
            (
                "JOURNAL_BYTES_PER_WRITE_MAX",
                JOURNAL_BYTES_PER_WRITE_MAX as f64,
            ),
            ("METADATA_READ_SHARE_MAX", METADATA_READ_SHARE_MAX),
            ("CACHED_SHARE_MAX", CACHED_SHARE_MAX),
            ("FILE_STATE_SHARE_MAX", FILE_STATE_SHARE_MAX),
            ("INVARIANT_TOLERANCE", INVARIANT_TOLERANCE),
            ("DEPTH_SHARE_MIN", DEPTH_SHARE_MIN),
            ("CPU_SHARE_MAX", CPU_SHARE_MAX),
            ("CONFIDENCE", CONFIDENCE),
            ("INTERVAL_TRIALS_MIN", INTERVAL_TRIALS_MIN as f64),
            ("INTERVAL_REACH_MAX", INTERVAL_REACH_MAX),
            ("FIRST_RUN_DEVIATIONS_MAX", FIRST_RUN_DEVIATIONS_MAX),
            ("FIRST_RUN_SHARE_MIN", FIRST_RUN_SHARE_MIN),
            ("WARM_UP_TRIALS_SHARE_MIN", WARM_UP_TRIALS_SHARE_MIN),
            ("WARM_UP_SHIFT_MIN", WARM_UP_SHIFT_MIN),
        ];
        // A line that begins with this declares a threshold.
        let declaration = ["pub", "const "].join(" ");
        let source = include_str!("threshold.rs").lines();
        let declared = source.filter(|line| line.starts_with(&declaration)).count();
        assert_eq!(declared, thresholds.len(), "a threshold is not compared");
        for (name, value) in thresholds {
            let rows = cells(name);
            assert_eq!(rows.len(), 1, "{name}");
            let stated = number(rows[0][0]);
            assert!((stated - value).abs() < 1e-12, "{name}: {stated} {value}");
        }
    }

    #[test]
    fn the_document_lists_every_finding_with_its_effect() {
        for code in Code::ALL {
            let rows = cells(code.name());
            assert_eq!(rows.len(), 1, "{code:?}");
            let severity = format!("{:?}", code.severity()).to_lowercase();
            assert_eq!(rows[0][..2], [&severity, code.verdict().name()], "{code:?}");
        }
    }

    #[test]
    fn the_document_states_error_and_samples_of_percentiles_as_they_are() {
        let percentiles = [
            ("p50", 0.5),
            ("p90", 0.9),
            ("p99", 0.99),
            ("p99.9", 0.999),
            ("p99.99", 0.9999),
        ];
        for (name, fraction) in percentiles {
            let stated: u64 = cells(name)[0][0].replace(',', "").parse().unwrap();
            assert_eq!(stated, samples_needed(fraction), "{name}");
        }
        let error = format!("1/{}", 1.0 / RELATIVE_ERROR_MAX);
        assert!(METHOD.contains(&error), "{error}");
    }
}
