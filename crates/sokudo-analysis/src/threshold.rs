//! Every number that a verdict depends on, each with its reason.
//!
//! A test writes them into `docs/METHOD.md`.

use sokudo_model::{Bytes, Nanos};

/// Constants, each with how `docs/METHOD.md` states it. The first paragraph of its
/// documentation stands beside it there.
#[macro_export]
macro_rules! thresholds {
    ($when:meta; $($(#[doc = $line:literal])+ $visibility:vis $name:ident: $type:ty = $value:expr, $unit:ident;)+) => {
        $($(#[doc = $line])+ $visibility const $name: $type = $value;)+

        /// All of them, as the document states them.
        #[$when]
        pub fn stated() -> Vec<$crate::method::Stated> {
            vec![$($crate::method::Stated {
                name: stringify!($name),
                value: $crate::method::$unit($name),
                lines: &[$($line),+],
            }),+]
        }
    };
}

thresholds! {
    cfg(any(test, feature = "testing"));

    /// Least ratio that proves arrival.
    ///
    /// Below this, bytes are missing at the devices. 2 % is far above what a correct
    /// count can be off (on ext4, xfs and loop devices it is exact), and far below what
    /// any cache that matters would take away.
    pub ARRIVED_RATIO_MIN: f64 = 0.98, percent;

    /// Largest ratio that needs no explanation.
    pub ARRIVED_RATIO_MAX: f64 = 1.02, percent;

    /// Bytes that a control group counted ÷ the row's bytes, above which others of the group may hide
    /// what a cache answered.
    pub GROUP_RATIO_MAX: f64 = 1.05, percent;

    /// Traffic in the direction that the row does not use ÷ the row's bytes.
    pub OTHER_DIRECTION_SHARE_MAX: f64 = 0.02, percent;

    /// What a quiet system moves beside a trial, per direction: journal commits,
    /// metadata, a log line.
    ///
    /// What a quiet system moves beside a trial: a journal commit or two (up to 32 KiB
    /// each on ext4), a few blocks of metadata, a line in a log. Measured on Linux 6.18
    /// beside 1 s trials at 20 MB/s on loop devices: 0 on ext4 and xfs, on btrfs at most
    /// 384 KiB in one trial and 120 KiB on average over the trials of a row. (One trial
    /// on an ext4 just made saw 11 MiB of its lazy initialisation, which is no
    /// background: it must be flagged.) It matters only to slow devices and small blocks,
    /// where 2 % of the bytes are less than one such commit.
    pub BACKGROUND_BYTES_PER_TRIAL_MAX: u64 = 256 * Bytes::KIB, bytes;

    /// What a journal may add to one write: four blocks.
    ///
    /// What a journal may add to one write: descriptor, inode and commit block, and later
    /// the inode in its place, of 4 KiB each.
    pub JOURNAL_BYTES_PER_WRITE_MAX: u64 = 16 * Bytes::KIB, bytes;

    /// What a copy-on-write file system may read beside a file ÷ the file's size.
    ///
    /// Metadata that a copy-on-write file system reads beside a file, as a share of the
    /// file: a checksum of 4 bytes, and at worst an extent record of 80 bytes with a
    /// share of its tree node, per block of 4 KiB.
    pub METADATA_READ_SHARE_MAX: f64 = 0.03, percent;

    /// Cached part of the file before buffered reads.
    ///
    /// Part of the file that may be in the page cache before buffered reads: as much as
    /// [`ARRIVED_RATIO_MIN`] lets go missing.
    pub CACHED_SHARE_MAX: f64 = 0.02, percent;

    /// Part of the file that is holes, unwritten, encoded, inline, shared (each).
    ///
    /// Part of the file that may be holes, unwritten, encoded, inline or shared: as much
    /// as [`ARRIVED_RATIO_MIN`] lets go missing.
    pub FILE_STATE_SHARE_MAX: f64 = 0.02, percent;

    /// Laws that batched clock readings blur.
    pub INVARIANT_TOLERANCE: f64 = 0.02, percent;

    /// I/Os in flight while I/O is issued ÷ (threads × depth), less (d − 1) ÷ 2n of it
    /// where a byte limit ends n I/Os with a queue of d that drains; not asked of a fixed
    /// rate, pauses or null.
    pub DEPTH_SHARE_MIN: f64 = 0.95, percent;

    /// Processor time ÷ (elapsed × threads), above which the tester is named as the cause
    /// of a missing depth, or as what limits the figure.
    pub CPU_SHARE_MAX: f64 = 0.90, percent;

    /// Processor time of the kernel's workers ÷ that of the threads that ask for I/O, from which
    /// it is told.
    pub KERNEL_WORKERS_SHARE_MAX: f64 = 0.05, percent;

    /// I/Os started ÷ I/Os that a fixed rate meant to start, in trials that ended by
    /// their time; arrivals by chance may be short by three standard deviations (3·√due),
    /// even ones by one per thread and trial.
    pub RATE_SHARE_MIN: f64 = sokudo_model::RateKept::SHARE_MIN, percent;

    /// Of the interval of the median.
    pub CONFIDENCE: f64 = 0.95, percent;

    /// Trials for that interval.
    pub INTERVAL_TRIALS_MIN: usize = sokudo_stats::INTERVAL_TRIALS_MIN, plain;

    /// How far the 95 % interval reaches from the median at its wider side ÷ median (the
    /// ± of the table), above which a row is unsteady.
    pub INTERVAL_REACH_MAX: f64 = sokudo_model::Steadiness::REACH_MAX, percent;

    /// Distance of the first trial from the median ÷ median absolute deviation, above
    /// which it is an outlier.
    ///
    /// How many median absolute deviations the first trial may lie from the median. For
    /// normal trials 14.826 of them are 10 standard deviations (1 MAD = 0.6745 σ), which
    /// is hyperfine's limit too. Of six trials that are alike, fewer than 1 in 100 rows
    /// pass it by chance (a test counts).
    pub FIRST_RUN_DEVIATIONS_MAX: f64 = 14.826, plain;

    /// The same distance ÷ median, below which it does not matter.
    pub FIRST_RUN_SHARE_MIN: f64 = 0.02, percent;

    /// The same for trials that are not the first.
    ///
    /// A trial that is no first one and nearer to the median than this share of it is not
    /// told. Five or more trials of a row may be unlike the others, and rows with few
    /// I/Os differ by some per cent.
    pub OUTLIER_SHARE_MIN: f64 = 0.10, percent;

    /// How much lower the second of two levels is, at least.
    pub FALL_SHARE_MIN: f64 = 0.20, percent;

    /// Chance of the trials' order if there were no trend (Mann–Kendall, two-sided,
    /// counted exactly).
    ///
    /// The chance by which trials without a trend may seem to have one. Of six trials
    /// only those that all rise or all fall are less likely (1 of 360).
    pub TREND_CHANCE_MAX: f64 = 0.01, percent;

    /// Theil–Sen change from the first to the last trial ÷ median.
    pub TREND_SHARE_MIN: f64 = 0.10, percent;

    /// Gap between two groups of trials ÷ range of the wider group.
    ///
    /// So many times the wider group's range must lie between two groups. Of six normal
    /// values that are alike, 6 rows in 1,000 pass it by chance, and of those only the
    /// ones that [`GAP_SHARE_MIN`] lets pass.
    pub GAP_FACTOR_MAX: f64 = 4.0, plain;

    /// That gap ÷ median of all.
    pub GAP_SHARE_MIN: f64 = 0.10, percent;

    /// Latency of a stall ÷ p99.
    ///
    /// A stall lasts so many times the 99th percentile. The tail of a device at work
    /// reaches some times its p99; what is far beyond is something else.
    pub STALL_FACTOR_MIN: u64 = 20, plain;

    /// What stalls hold of the sum of latencies, or of the time.
    pub STALL_SHARE_MIN: f64 = 0.10, percent;

    /// Part of what a row moved that it had moved before, from which a cache that holds all that it
    /// touched may have answered.
    ///
    /// Part of what a row moved that it had moved before, from which a cache that holds all that
    /// it touched may have answered it. What is touched once is in no cache.
    pub TOUCHED_AGAIN_SHARE_MAX: f64 = 0.20, percent;

    /// Latency of a random read in which no platter comes round.
    ///
    /// A random read of a rotating disk that takes less than this was answered by a
    /// cache. The fastest disks turn once in 4 ms, and to another track an arm takes
    /// about 1 ms; half a millisecond without either is met by one read in eight at most,
    /// on the same track.
    pub QUICK_READ_MAX: Nanos = Nanos::from_micros(500), time;

    /// Part of the random reads of a rotating disk that may be so quick.
    pub QUICK_SHARE_MAX: f64 = 0.20, percent;

    /// Reads for that part.
    pub QUICK_READS_MIN: u64 = 100, plain;

    /// Median rate of later passes over the same data ÷ that of the first.
    pub FIRST_PASS_FACTOR_MAX: f64 = 2.0, plain;

    /// How likely ranks differ so much by chance where that is told.
    pub FIRST_PASS_CHANCE_MAX: f64 = 0.01, plain;

    /// How much random reads must be spread over, at least: any cache holds less.
    ///
    /// Random reads within less than this can all be answered by any cache: no disk and
    /// no controller of the last twenty years has less. It is the smallest test file too.
    pub COVERAGE_SPAN_MIN: u64 = 16 * Bytes::MIB, bytes;

    /// Random reads per block of a part smaller than that.
    ///
    /// Visits per block, on average, below which most reads are first ones or second
    /// ones. At four, three reads of four come back to a block that was read before.
    pub COVERAGE_VISITS_MAX: f64 = 4.0, plain;

    /// Flushes for a rate or a median.
    pub FLUSHES_MIN: u64 = 100, plain;

    /// Durable writes per turn of a rotating disk and per write that may be waiting.
    ///
    /// Flushes that a rotating disk can end per turn, for each write that may be waiting.
    /// One is what a write to a place costs that the head has just passed; disks that
    /// write to a place of their own choice first, such as shingled ones to their log,
    /// come to two and a little more. What lies makes thousands.
    pub FLUSHES_PER_TURN_MAX: f64 = 4.0, plain;

    /// Revolutions per minute where they are not known: no disk makes more.
    pub ROTATION_RPM_MAX: u32 = 15_000, plain;

    /// Of a comparison: a smaller difference matters to nobody (`--min-difference`).
    ///
    /// A difference that matters to nobody below this: the repeatability of the same tool
    /// on the same quiet disk, from one day to another.
    pub DIFFERENCE_MIN: f64 = 0.02, percent;

    /// Trials per side for a judgement.
    ///
    /// With fewer trials on a side Mann and Whitney's test shows nothing, or (4 and 4)
    /// only with no overlap at all.
    pub COMPARED_TRIALS_MIN: usize = 5, plain;

    /// Pairs of a live comparison for a judgement.
    pub COMPARED_PAIRS_MIN: usize = 6, plain;

    /// Absolute value of Cliff's δ from which an effect is small.
    ///
    /// |Cliff's δ| from which an effect is called small (Romano et al. 2006).
    pub EFFECT_SMALL_MIN: f64 = 0.147, plain;

    /// The same, medium.
    ///
    /// … medium (the same).
    pub EFFECT_MEDIUM_MIN: f64 = 0.33, plain;

    /// The same, large.
    ///
    /// … large (the same).
    pub EFFECT_LARGE_MIN: f64 = 0.474, plain;

    /// Of a matrix: part of the 5 % by which anything that is said may be wrong by chance, for
    /// what one value of an axis does against another.
    ///
    /// What most people ask. The rest is for what depends on another axis
    /// ([`MATRIX_COMBINATIONS_SHARE`]), and for the best cell of each row.
    pub MATRIX_PAIRS_SHARE: f64 = 0.5, percent;

    /// The same, for combinations of two axes' values.
    pub MATRIX_COMBINATIONS_SHARE: f64 = 0.25, percent;

    /// Blocks of a matrix, in each of which every cell is measured once.
    ///
    /// Two leave one degree of freedom for each cell's noise, with which nothing is shown.
    pub MATRIX_BLOCKS_MIN: u32 = 3, plain;

    /// Part of a row's trials, of which more must begin at another speed.
    ///
    /// Part of a row's trials that must begin at another speed, on the same side: more
    /// than half. One trial in a hundred seems to by chance (a test in `sokudo-stats`
    /// counts), and then alone.
    pub WARM_UP_TRIALS_SHARE_MIN: f64 = 0.5, percent;

    /// How far the figure moves without the beginnings of its trials, below which they
    /// are not told.
    ///
    /// How far the figure must move without the beginnings of its trials. A queue that
    /// fills and a first seek cost a second of a hard disk 2 %, and are no news to
    /// anybody.
    pub WARM_UP_SHIFT_MIN: f64 = 0.05, percent;

    /// A row's rate ÷ the limit of a control group, from which the limit held it back.
    ///
    /// Part of a control group's limit that a row must have come to for the limit to be
    /// taken for what held it back. The kernel lets a row come to 95 to 100 % of it over
    /// a second.
    pub LIMIT_SHARE_MIN: f64 = 0.90, percent;

    /// The same, above which the limit did not hold it back.
    ///
    /// A row far above a limit was not held back by it: version 1 of control groups lets
    /// writes through the page cache pass. Below lies what a short trial gets at once
    /// before the kernel begins to hold it back.
    pub LIMIT_SHARE_MAX: f64 = 1.50, percent;

    /// Time for which a row's threads were refused a processor ÷ (elapsed × threads).
    ///
    /// Time for which the threads of a row were ready to run and a limit, another machine or
    /// another program kept the processor from them. A twentieth of the time is what a quiet
    /// machine's own services and the clock's tick of 10 ms, by which their time is counted,
    /// never came to; a share of the time is what a row with one I/O in flight loses.
    pub REFUSED_SHARE_MAX: f64 = 0.05, percent;

    /// What of a thread's wait for a processor is the way out of its sleep, each time.
    ///
    /// On an idle virtual machine it takes 2 to 5 µs from being woken to running; a processor
    /// in a deep sleep takes longer. Who is refused a processor waits for milliseconds.
    pub WAKE_UP_TIME_MAX: Nanos = Nanos(10_000), time;

    /// Requests of the devices ÷ I/Os of the row, from which I/Os were cut.
    ///
    /// Requests of the devices per I/O of a row from which its I/Os are taken to be cut
    /// into pieces. An I/O that lies across the end of one of a file's extents becomes
    /// two; of a file in pieces of a few blocks that is every third.
    pub SPLIT_RATIO_MIN: f64 = 1.5, plain;

    /// Rate from huge pages ÷ rate from small ones that is told, where all pairs point in this
    /// direction.
    pub HUGE_PAGES_RATIO_MIN: f64 = 1.1, plain;

    /// Requests beyond the row's I/Os, per trial, that a quiet system makes.
    ///
    /// Requests per trial beyond the I/Os that a quiet system makes: as many as
    /// [`BACKGROUND_BYTES_PER_TRIAL_MAX`] are in blocks of 4 KiB.
    pub BACKGROUND_REQUESTS_PER_TRIAL_MAX: u64 = 64, plain;

    /// The same on a disk that rotates, of which each costs some milliseconds.
    ///
    /// A journal commit or two: descriptor, some blocks, the commit block, the superblock.
    pub BACKGROUND_SEEKS_PER_TRIAL_MAX: u64 = 16, plain;

    /// Others' requests per second, below which a device without platters does not notice them.
    ///
    /// What `--wait-idle` takes for an idle device, too.
    pub OTHERS_REQUESTS_PER_S_MAX: f64 = 20.0, plain;

    /// Others' requests ÷ all requests; on a disk that rotates, the least time that they cost
    /// ÷ elapsed.
    ///
    /// A request costs a device without platters something whatever its size, so that others'
    /// part of the requests is the most that they can have taken of its time, and of what the
    /// row could have had.
    pub OTHERS_REQUEST_SHARE_MAX: f64 = 0.05, percent;

    /// Least time from one track to another.
    pub TRACK_TIME_MIN: Nanos = Nanos::from_millis(1), time;

    /// Smallest block of which cuts are looked for.
    pub SPLIT_BLOCK_BYTES_MIN: u64 = 8 * Bytes::KIB, bytes;

    /// Usual read-ahead; a smaller one is told where buffered sequential reads came in no
    /// larger requests.
    ///
    /// What the kernel reads ahead on every device unless it is told otherwise
    /// (`VM_READAHEAD_PAGES`).
    pub READ_AHEAD_BYTES_MIN: u64 = 128 * Bytes::KIB, bytes;

    /// A process's bytes ÷ the bytes of others at the devices, from which it is named.
    pub CULPRIT_SHARE_MIN: f64 = 0.05, percent;

    /// Of a fill: samples that a level has at least.
    ///
    /// Fewer are a pause of the drive's, not a level.
    pub FILL_LEVEL_SAMPLES_MIN: usize = sokudo_model::FillCurve::LEVEL_STRETCHES_MIN, plain;

    /// Rate of a level ÷ rate of its neighbour, from which there are two levels; nothing after
    /// the collapse may be as fast again.
    ///
    /// Fast cells are 1.5 to 10 times as fast as what follows them.
    pub FILL_LEVEL_RATIO_MIN: f64 = sokudo_model::FillCurve::LEVEL_RATIO_MIN, plain;

    /// Levels of a fill, at most: what has more goes up and down within one of them.
    pub FILL_LEVELS_MAX: usize = sokudo_model::FillCurve::LEVELS_MAX, plain;

    /// Written fast × (1 − slow/fast), from which it is more than ordinary memory that is
    /// emptied meanwhile.
    ///
    /// Drives have about 1 GB of memory per TB, and use it for their map.
    pub FAST_CELLS_BYTES_MIN: u64 = sokudo_model::FillCurve::FAST_BYTES_MIN.0, bytes;

    /// A host is a straggler from this ratio of its rate to the median of all hosts down.
    ///
    /// Hosts differ by some percent for many reasons that nobody has to look into: another
    /// switch port, another generation of a processor. A tenth is what one would notice, and
    /// it must be more than chance, too: if hosts are alike, each has each place among them
    /// in a trial equally often, whatever the noise of a trial is like. The probability that
    /// places add up to so little is exact, and all hosts and rows share the 5 % in equal parts
    /// (Bonferroni).
    pub STRAGGLER_RATIO_MAX: f64 = 0.9, percent;

    /// Probability that any host is called a straggler by chance.
    pub STRAGGLER_ERROR_MAX: f64 = 0.05, percent;

    /// Share of the time from the first start to the last end in which all hosts must have run.
    ///
    /// The figure is that of the time in which all hosts ran. Where that is less than half of
    /// the whole, most of what was measured is not in it.
    pub TOGETHER_SHARE_MIN: f64 = 0.5, percent;
}

#[cfg(test)]
mod tests {
    use crate::method::{METHOD, cells};
    use sokudo_stats::{RELATIVE_ERROR_MAX, samples_needed};

    #[test]
    fn the_document_states_error_and_samples_of_percentiles_as_they_are() {
        let percentiles = [
            ("p50", 0.5),
            ("p90", 0.9),
            ("p95", 0.95),
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
