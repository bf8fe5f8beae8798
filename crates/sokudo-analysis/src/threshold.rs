//! Every number that a verdict depends on, each with its reason.
//!
//! `docs/METHOD.md` repeats them for readers; a test holds the two together.

use sokudo_model::{Bytes, Nanos};

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

/// Part of the I/Os that a fixed rate means to start that must be started.
pub const RATE_SHARE_MIN: f64 = sokudo_model::RateKept::SHARE_MIN;

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

/// A trial that is no first one and nearer to the median than this share of it is not
/// told. Five or more trials of a row may be unlike the others, and rows with few I/Os
/// differ by some per cent.
pub const OUTLIER_SHARE_MIN: f64 = 0.10;

/// A speed that falls by less than this share of its first level is no fall.
pub const FALL_SHARE_MIN: f64 = 0.20;

/// The chance by which trials without a trend may seem to have one. Of six trials only
/// those that all rise or all fall are less likely (1 of 360).
pub const TREND_CHANCE_MAX: f64 = 0.01;

/// A change from the first to the last trial that is less than this share of their median
/// matters less than what two runs differ by.
pub const TREND_SHARE_MIN: f64 = 0.10;

/// So many times the wider group's range must lie between two groups. Of six normal
/// values that are alike, 6 rows in 1,000 pass it by chance, and of those only the ones
/// that [`GAP_SHARE_MIN`] lets pass.
pub const GAP_FACTOR_MAX: f64 = 4.0;

/// Groups that lie nearer than this share of the median make no difference.
pub const GAP_SHARE_MIN: f64 = 0.10;

/// A stall lasts so many times the 99th percentile. The tail of a device at work reaches
/// some times its p99; what is far beyond is something else.
pub const STALL_FACTOR_MIN: u64 = 20;

/// Stalls that hold a smaller part of the sum of latencies move the mean less than trials
/// differ.
pub const STALL_LATENCY_SHARE_MIN: f64 = 0.10;

/// A random read of a rotating disk that takes less than this was answered by a cache. The
/// fastest disks turn once in 4 ms, and to another track an arm takes about 1 ms; half a
/// millisecond without either is met by one read in eight at most, on the same track.
pub const QUICK_READ_MAX: Nanos = Nanos::from_micros(500);

/// Part of the random reads of a rotating disk that may be so quick.
pub const QUICK_SHARE_MAX: f64 = 0.20;

/// Fewer reads show no share.
pub const QUICK_READS_MIN: u64 = 100;

/// Later passes over the same data may be so many times as fast as the first one.
pub const FIRST_PASS_FACTOR_MAX: f64 = 2.0;

/// Random reads within less than this can all be answered by any cache: no disk and no
/// controller of the last twenty years has less. It is the smallest test file too.
pub const COVERAGE_SPAN_MIN: u64 = 16 * Bytes::MIB;

/// Visits per block, on average, below which most reads are first ones or second ones. At
/// four, three reads of four come back to a block that was read before.
pub const COVERAGE_VISITS_MAX: f64 = 4.0;

/// Fewer flushes show neither a rate nor a median.
pub const FLUSHES_MIN: u64 = 100;

/// Flushes that a rotating disk can end per turn, for each write that may be waiting. One
/// is what a write to a place costs that the head has just passed; disks that write to a
/// place of their own choice first, such as shingled ones to their log, come to two and a
/// little more. What lies makes thousands.
pub const FLUSHES_PER_TURN_MAX: f64 = 4.0;

/// Revolutions per minute of the fastest disks ever sold, taken where a disk's own are
/// not known.
pub const ROTATION_RPM_MAX: u32 = 15_000;

/// A difference that matters to nobody below this: the repeatability of the same tool on
/// the same quiet disk, from one day to another.
pub const DIFFERENCE_MIN: f64 = 0.02;

/// With fewer trials on a side Mann and Whitney's test shows nothing, or (4 and 4) only
/// with no overlap at all.
pub const COMPARED_TRIALS_MIN: usize = 5;

/// With fewer pairs Wilcoxon's test cannot reach [`CONFIDENCE`].
pub const COMPARED_PAIRS_MIN: usize = 6;

/// |Cliff's δ| from which an effect is called small (Romano et al. 2006).
pub const EFFECT_SMALL_MIN: f64 = 0.147;

/// … medium (the same).
pub const EFFECT_MEDIUM_MIN: f64 = 0.33;

/// … large (the same).
pub const EFFECT_LARGE_MIN: f64 = 0.474;

/// Part of a row's trials that must begin at another speed, on the same side: more than half.
/// One trial in a hundred seems to by chance (a test in `sokudo-stats` counts), and then alone.
pub const WARM_UP_TRIALS_SHARE_MIN: f64 = 0.5;

/// How far the figure must move without the beginnings of its trials. A queue that fills and
/// a first seek cost a second of a hard disk 2 %, and are no news to anybody.
pub const WARM_UP_SHIFT_MIN: f64 = 0.05;

/// Part of a control group's limit that a row must have come to for the limit to be taken
/// for what held it back. The kernel lets a row come to 95 to 100 % of it over a second.
pub const LIMIT_SHARE_MIN: f64 = 0.90;

/// A row far above a limit was not held back by it: version 1 of control groups lets
/// writes through the page cache pass. Below lies what a short trial gets at once before
/// the kernel begins to hold it back.
pub const LIMIT_SHARE_MAX: f64 = 1.50;

/// Requests of the devices per I/O of a row from which its I/Os are taken to be cut into
/// pieces. An I/O that lies across the end of one of a file's extents becomes two; of a
/// file in pieces of a few blocks that is every third.
pub const SPLIT_RATIO_MIN: f64 = 1.5;

/// Requests per trial beyond the I/Os that a quiet system makes: as many as
/// [`BACKGROUND_BYTES_PER_TRIAL_MAX`] are in blocks of 4 KiB.
pub const SPLIT_REQUESTS_PER_TRIAL_MIN: u64 = 64;

/// Smaller blocks than two pages are cut by nothing that matters.
pub const SPLIT_BLOCK_BYTES_MIN: u64 = 8 * Bytes::KIB;

/// What the kernel reads ahead on every device unless it is told otherwise
/// (`VM_READAHEAD_PAGES`).
pub const READ_AHEAD_BYTES_MIN: u64 = 128 * Bytes::KIB;

/// A process that moved less than this share of what the devices did beyond a row's own
/// bytes is not named as its cause.
pub const CULPRIT_SHARE_MIN: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::method::{METHOD, assert_states, cells};
    use sokudo_stats::{RELATIVE_ERROR_MAX, samples_needed};

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
            ("RATE_SHARE_MIN", RATE_SHARE_MIN),
            ("CONFIDENCE", CONFIDENCE),
            ("INTERVAL_TRIALS_MIN", INTERVAL_TRIALS_MIN as f64),
            ("INTERVAL_REACH_MAX", INTERVAL_REACH_MAX),
            ("FIRST_RUN_DEVIATIONS_MAX", FIRST_RUN_DEVIATIONS_MAX),
            ("FIRST_RUN_SHARE_MIN", FIRST_RUN_SHARE_MIN),
            ("OUTLIER_SHARE_MIN", OUTLIER_SHARE_MIN),
            ("FALL_SHARE_MIN", FALL_SHARE_MIN),
            ("TREND_CHANCE_MAX", TREND_CHANCE_MAX),
            ("TREND_SHARE_MIN", TREND_SHARE_MIN),
            ("GAP_FACTOR_MAX", GAP_FACTOR_MAX),
            ("GAP_SHARE_MIN", GAP_SHARE_MIN),
            ("STALL_FACTOR_MIN", STALL_FACTOR_MIN as f64),
            ("STALL_LATENCY_SHARE_MIN", STALL_LATENCY_SHARE_MIN),
            ("QUICK_READ_MAX", QUICK_READ_MAX.as_secs_f64()),
            ("QUICK_SHARE_MAX", QUICK_SHARE_MAX),
            ("QUICK_READS_MIN", QUICK_READS_MIN as f64),
            ("FIRST_PASS_FACTOR_MAX", FIRST_PASS_FACTOR_MAX),
            ("COVERAGE_SPAN_MIN", COVERAGE_SPAN_MIN as f64),
            ("COVERAGE_VISITS_MAX", COVERAGE_VISITS_MAX),
            ("FLUSHES_MIN", FLUSHES_MIN as f64),
            ("FLUSHES_PER_TURN_MAX", FLUSHES_PER_TURN_MAX),
            ("ROTATION_RPM_MAX", f64::from(ROTATION_RPM_MAX)),
            ("DIFFERENCE_MIN", DIFFERENCE_MIN),
            ("COMPARED_TRIALS_MIN", COMPARED_TRIALS_MIN as f64),
            ("COMPARED_PAIRS_MIN", COMPARED_PAIRS_MIN as f64),
            ("EFFECT_SMALL_MIN", EFFECT_SMALL_MIN),
            ("EFFECT_MEDIUM_MIN", EFFECT_MEDIUM_MIN),
            ("EFFECT_LARGE_MIN", EFFECT_LARGE_MIN),
            ("WARM_UP_TRIALS_SHARE_MIN", WARM_UP_TRIALS_SHARE_MIN),
            ("WARM_UP_SHIFT_MIN", WARM_UP_SHIFT_MIN),
            ("LIMIT_SHARE_MIN", LIMIT_SHARE_MIN),
            ("LIMIT_SHARE_MAX", LIMIT_SHARE_MAX),
            ("SPLIT_RATIO_MIN", SPLIT_RATIO_MIN),
            (
                "SPLIT_REQUESTS_PER_TRIAL_MIN",
                SPLIT_REQUESTS_PER_TRIAL_MIN as f64,
            ),
            ("SPLIT_BLOCK_BYTES_MIN", SPLIT_BLOCK_BYTES_MIN as f64),
            ("READ_AHEAD_BYTES_MIN", READ_AHEAD_BYTES_MIN as f64),
            ("CULPRIT_SHARE_MIN", CULPRIT_SHARE_MIN),
        ];
        assert_states(&thresholds, include_str!("threshold.rs"));
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

    const FINDINGS: &str = include_str!("../../../docs/FINDINGS.md");

    /// Every section about a finding: its code and the line below its heading.
    fn sections() -> Vec<(&'static str, &'static str)> {
        let lines: Vec<&str> = FINDINGS.lines().collect();
        lines
            .windows(2)
            .filter_map(|pair| {
                let code = pair[0].strip_prefix("### `")?.strip_suffix('`')?;
                Some((code, pair[1]))
            })
            .collect()
    }

    #[test]
    fn every_finding_has_its_section_and_every_section_a_finding() {
        let of_runs: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        let known: Vec<&str> = [&of_runs[..], &crate::DISK_CODES[..]].concat();
        let told: Vec<&str> = sections().iter().map(|(code, _)| *code).collect();
        assert_eq!(told, known);
        for (code, line) in sections() {
            if let Some(code) = Code::ALL.iter().find(|known| known.name() == code) {
                let severity = format!("{:?}", code.severity()).to_lowercase();
                assert_eq!(
                    line,
                    format!("{severity}, at best {}", code.verdict().name())
                );
            }
        }
    }

    #[test]
    fn every_section_says_what_how_and_what_to_do() {
        let texts = FINDINGS.split("\n### ").skip(1);
        assert_eq!(texts.clone().count(), sections().len());
        for text in texts {
            for part in [
                "**Symptom**",
                "**Cause**",
                "**How sokudo knows**",
                "**Remedy**",
            ] {
                assert_eq!(text.matches(part).count(), 1, "{part} in {}", &text[..20]);
            }
        }
    }

    #[test]
    fn thresholds_that_sections_name_exist() {
        let words = FINDINGS.split(|sign: char| !sign.is_ascii_uppercase() && sign != '_');
        let names: Vec<&str> = words
            .filter(|word| word.contains('_') && word.len() > 5 && !word.starts_with('_'))
            .collect();
        assert!(names.len() > 20, "{names:?}");
        for name in names.iter().filter(|name| !name.ends_with("_DIRECT")) {
            assert_eq!(cells(name).len(), 1, "{name}");
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
