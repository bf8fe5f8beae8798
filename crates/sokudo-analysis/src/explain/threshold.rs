//! Every number that a conclusion about a device depends on, each with its reason.
//!
//! A test writes them into `docs/EXPLAIN.md`.

use crate::thresholds;

thresholds! {
    cfg(any(test, feature = "testing"));

    /// Places of a curve before zones are looked for.
    ///
    /// Places that a curve must have before zones are looked for: two on each of some
    /// thirty zones tell a staircase from a step.
    pub(crate) ZONE_PLACES_MIN: usize = 64, plain;

    /// Share of the target that the curve must cover.
    ///
    /// Share of the target that the curve must cover; half a disk shows half a fall.
    pub(crate) ZONE_COVERED_MIN: f64 = 0.9, percent;

    /// Outer rate ÷ inner rate (medians of the first and the last sixteenth), from which
    /// there are zones.
    ///
    /// Outer rate ÷ inner rate from which there are zones. Disks have 1.6 to 2.2; what a
    /// flash drive loses by warming up while it is scanned is less than this.
    pub(crate) ZONE_RATIO_MIN: f64 = 1.25, plain;

    /// The same, from which confidence is high.
    pub(crate) ZONE_RATIO_SURE: f64 = 1.5, plain;

    /// Correlation of rate and place, at most.
    pub(crate) ZONE_FALL_CORRELATION_MAX: f64 = -0.85, plain;

    /// Part of the whole fall that a quarter of the curve may have: a single step is no
    /// zone.
    ///
    /// What a quarter of the curve may have of the whole fall: a steady fall has 25 %,
    /// round tracks of 2:1 have 38 % in the innermost quarter.
    pub(crate) ZONE_QUARTER_SHARE_MAX: f64 = 0.6, percent;

    /// Pairs of reads side by side before a turn is looked for.
    ///
    /// Pairs of reads side by side. Of so few that are anything, none of the frequencies
    /// that are tried reaches [`TURN_COHERENCE_MIN`] by chance: its deviation is 0.11.
    pub(crate) TURN_PAIRS_MIN: usize = 40, plain;

    /// Mean cosine of the pairs' phases, from which the platters turn.
    pub(crate) TURN_COHERENCE_MIN: f64 = 0.7, plain;

    /// The same, from which confidence is high.
    pub(crate) TURN_COHERENCE_SURE: f64 = 0.9, plain;

    /// Spread of access times ÷ turn, at least: a sector is anywhere on its turn.
    ///
    /// How far access times are spread, in turns: a sector may be anywhere on its turn. A
    /// device that takes the same time over everything has no spread.
    pub(crate) TURN_SPREAD_MIN: f64 = 0.75, percent;

    /// The same, at most.
    ///
    /// The same, at most: beyond it is the arm that is seen, or somebody else's work.
    pub(crate) TURN_SPREAD_MAX: f64 = 2.0, plain;

    /// Random accesses over the whole disk before a seek curve is looked for.
    pub(crate) SEEK_PLACES_MIN: usize = 128, plain;

    /// Strokes of at least 40 % of the longest before the full stroke is taken from them.
    pub(crate) SEEK_LONG_MIN: usize = 64, plain;

    /// Correlation of access time and shaped distance, from which an arm is seen.
    ///
    /// Correlation of access times and shaped distances. Half a turn of chance is in
    /// every access: an arm that is as slow as the platters reaches 0.7.
    pub(crate) SEEK_CORRELATION_MIN: f64 = 0.35, plain;

    /// The same, from which confidence is high.
    pub(crate) SEEK_CORRELATION_SURE: f64 = 0.5, plain;

    /// Rate of what is read again ÷ rate of more than any cache keeps, from which it was
    /// kept.
    pub(crate) READ_AGAIN_RATIO_MIN: f64 = 1.3, plain;

    /// Rate at which a stream of writes begins ÷ rate at which it goes on, from which a
    /// cache took the difference.
    pub(crate) BURST_RATIO_MIN: f64 = 1.2, plain;

    /// Overwrites of one block that are enough to tell their rate.
    pub(crate) OVERWRITES_MIN: u64 = 20, plain;

    /// Overwrites per turn, up to which each of them reached the platters.
    pub(crate) TURNS_PLAIN_MAX: f64 = 1.3, plain;

    /// Overwrites per turn, from which most of them did not.
    pub(crate) TURNS_FAST_MIN: f64 = 3.0, plain;

    /// Silence that counts as a pause for cleaning, seconds.
    ///
    /// Silence that counts as a pause, seconds: several seeks and turns, and less than a
    /// band takes to be read and written.
    pub(crate) CLEANING_PAUSE_SECONDS_MIN: f64 = 0.25, plain;

    /// Pauses before anything is concluded.
    ///
    /// Pauses before anything is concluded: one may be anything.
    pub(crate) CLEANING_PAUSES_MIN: usize = 3, plain;

    /// Share of the time after the first pause that is pauses.
    pub(crate) CLEANING_SHARE_MIN: f64 = 0.5, percent;

    /// Writes per second before the first pause ÷ after it.
    pub(crate) CLEANING_SLOWER_MIN: f64 = 5.0, plain;

    /// Rest after which a disk may have recovered, seconds.
    pub(crate) RECOVERY_REST_SECONDS_MIN: f64 = 10.0, plain;

    /// Writes that a flush follows, at most, so that their rate is one of durable writes.
    ///
    /// More pieces than that a drive's memory may hold altogether: their rate would be that
    /// of the memory.
    pub(crate) FLUSHED_EVERY_MAX: u32 = 1_000, plain;

    /// Durable writes to scattered places per turn, from which they are in a persistent
    /// cache.
    ///
    /// Sorted by where the head is next, drives with queues of hundreds write two to five
    /// per turn.
    pub(crate) DURABLE_PER_TURN_MIN: f64 = 10.0, plain;

    /// Durable writes per second ÷ those before the first pause, from which a flush costs nothing
    /// that tells: they are in a persistent cache however slow it is.
    ///
    /// A memory that is written out takes writes five times as fast as that
    /// (CLEANING_SLOWER_MIN), and no flush brings them there as fast as it takes them.
    pub(crate) DURABLE_SHARE_MIN: f64 = 0.5, percent;

    /// Writes in one go after the rest ÷ median between the pauses, from which it has
    /// recovered and confidence is medium, below low.
    pub(crate) RECOVERED_RATIO_MIN: f64 = 3.0, plain;

    /// Places of a fill (everything written once, from one end to the other) before it is
    /// looked at.
    ///
    /// Places of a fill before it is looked at: a level is told from chance by four of
    /// them.
    pub(crate) FILL_PLACES_MIN: usize = 32, plain;

    /// Spans with random reads before a step is looked for; two below it and two above
    /// it.
    ///
    /// Spans that must have been read before a step is looked for: two below it, two
    /// above it, one for each number that is fitted beside its place.
    pub(crate) MAP_SPANS_MIN: usize = 5, plain;

    /// What a read beside the mapped part costs more, at least.
    ///
    /// What a block costs more whose map entry must be read first, as a share of a read:
    /// a second read of the flash is one. Below it, chance does as much.
    pub(crate) MAP_COST_MIN: f64 = 0.25, percent;

    /// The same, at most: more is no second read of flash but a cache that is missed.
    ///
    /// The same, at most: more is no second read of flash, but a cache that is missed.
    pub(crate) MAP_COST_MAX: f64 = 2.0, plain;

    /// Variation of the latencies that the step leaves, at most.
    pub(crate) MAP_UNEXPLAINED_MAX: f64 = 0.1, percent;

    /// Time of a read of flash, at least; below it is memory.
    ///
    /// Nanoseconds that a read of flash takes at least; below it is memory.
    pub(crate) MAP_READ_NS_MIN: f64 = 15_000.0, time;

    /// The same, at most; above it something turns.
    ///
    /// Nanoseconds that a read of flash takes at most; above it something turns.
    pub(crate) MAP_READ_NS_MAX: f64 = 1_000_000.0, time;

    /// Sizes of random writes before stripes are looked for.
    pub(crate) PARITY_SIZES_MIN: usize = 6, plain;

    /// Mean distance of bytes read and written by the members from those of the array
    /// that fits best, per byte.
    pub(crate) PARITY_MISFIT_MAX: f64 = 0.2, percent;

    /// Misfit of the second best array ÷ that of the best, from which confidence is high.
    pub(crate) PARITY_LEAD_SURE: f64 = 2.0, plain;

    /// Places that tell of a false capacity, from which confidence is high.
    ///
    /// Places that tell of a false capacity before nothing else is thought of: one or two
    /// can be blocks that went bad.
    pub(crate) CAPACITY_WITNESSES_SURE: usize = 3, plain;

    /// Written between writing a place and reading it back, from which a capacity without
    /// a sign of a lie has medium confidence, below low.
    pub(crate) CAPACITY_BETWEEN_LIKELY: u64 = 256 << 20, bytes;
}
