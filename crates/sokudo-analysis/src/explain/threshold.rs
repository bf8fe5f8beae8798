//! Every number that a conclusion about a device depends on, each with its reason.
//!
//! `docs/METHOD.md` repeats them for readers; a test holds the two together.

/// Places that a curve must have before zones are looked for: two on each of some
/// thirty zones tell a staircase from a step.
pub(crate) const ZONE_PLACES_MIN: usize = 64;

/// Share of the target that the curve must cover; half a disk shows half a fall.
pub(crate) const ZONE_COVERED_MIN: f64 = 0.9;

/// Outer rate ÷ inner rate from which there are zones. Disks have 1.6 to 2.2; what a
/// flash drive loses by warming up while it is scanned is less than this.
pub(crate) const ZONE_RATIO_MIN: f64 = 1.25;

/// The same, from which nothing else is known to do it.
pub(crate) const ZONE_RATIO_SURE: f64 = 1.5;

/// Correlation of rate and place, at most.
pub(crate) const ZONE_FALL_CORRELATION_MAX: f64 = -0.85;

/// What a quarter of the curve may have of the whole fall: a steady fall has 25 %, round
/// tracks of 2:1 have 38 % in the innermost quarter.
pub(crate) const ZONE_QUARTER_SHARE_MAX: f64 = 0.6;

/// Pairs of reads side by side. Of so few that are anything, none of the frequencies that
/// are tried reaches [`TURN_COHERENCE_MIN`] by chance: its deviation is 0.11.
pub(crate) const TURN_PAIRS_MIN: usize = 40;

/// Mean cosine of the pairs' phases, from which they are whole turns apart.
pub(crate) const TURN_COHERENCE_MIN: f64 = 0.7;

/// The same, from which nothing else is known to do it.
pub(crate) const TURN_COHERENCE_SURE: f64 = 0.9;

/// How far access times are spread, in turns: a sector may be anywhere on its turn. A device
/// that takes the same time over everything has no spread.
pub(crate) const TURN_SPREAD_MIN: f64 = 0.75;

/// The same, at most: beyond it is the arm that is seen, or somebody else's work.
pub(crate) const TURN_SPREAD_MAX: f64 = 2.0;

/// Random accesses before a curve is laid through them.
pub(crate) const SEEK_PLACES_MIN: usize = 128;

/// Correlation of access times and shaped distances. Half a turn of chance is in every
/// access: an arm that is as slow as the platters reaches 0.7.
pub(crate) const SEEK_CORRELATION_MIN: f64 = 0.35;

/// The same, from which confidence is high.
pub(crate) const SEEK_CORRELATION_SURE: f64 = 0.5;

/// How much faster what is read again is than what no cache holds.
pub(crate) const READ_AGAIN_RATIO_MIN: f64 = 1.3;

/// How much faster a stream of writes begins than it goes on.
pub(crate) const BURST_RATIO_MIN: f64 = 1.2;

/// Overwrites of one block that are enough for their rate.
pub(crate) const OVERWRITES_MIN: u64 = 20;

/// Overwrites per turn, up to which each of them reached the platters.
pub(crate) const TURNS_PLAIN_MAX: f64 = 1.3;

/// Overwrites per turn, from which most of them cannot have reached the platters.
pub(crate) const TURNS_FAST_MIN: f64 = 3.0;

/// Silence that counts as a pause, seconds: several seeks and turns, and less than a band
/// takes to be read and written.
pub(crate) const CLEANING_PAUSE_SECONDS_MIN: f64 = 0.25;

/// Pauses before anything is concluded: one may be anything.
pub(crate) const CLEANING_PAUSES_MIN: usize = 3;

/// Share of the time after the first pause that is pauses.
pub(crate) const CLEANING_SHARE_MIN: f64 = 0.5;

/// Writes per second before the first pause, divided by those after it.
pub(crate) const CLEANING_SLOWER_MIN: f64 = 5.0;

/// Rest after which a disk may have recovered, seconds.
pub(crate) const RECOVERY_REST_SECONDS_MIN: f64 = 10.0;

/// Writes in one go after the rest, divided by the median between the pauses.
pub(crate) const RECOVERED_RATIO_MIN: f64 = 3.0;

/// Places of a fill before it is looked at: a level is told from chance by four of them.
pub(crate) const FILL_PLACES_MIN: usize = 32;

/// Places that a level has at least: fewer are a pause of the drive's, not a level.
pub(crate) const FILL_LEVEL_PLACES_MIN: usize = 4;

/// Bytes written fast before that is more than a drive's ordinary memory takes. Drives
/// have about 1 GB of it per TB, and use it for their map.
pub(crate) const FAST_CELLS_BYTES_MIN: u64 = 2 << 30;

/// Fast rate ÷ rate after it, from which there are two levels. Fast cells are 1.5 to 10
/// times as fast.
pub(crate) const FAST_CELLS_RATIO_MIN: f64 = 1.3;

/// What the rate after a rest must have of the way from the slow to the fast level to
/// count as recovered.
pub(crate) const FAST_CELLS_RECOVERED_MIN: f64 = 0.5;

/// Spans that must have been read before a step is looked for: two below it, two above it,
/// one for each number that is fitted beside its place.
pub(crate) const MAP_SPANS_MIN: usize = 5;

/// What a block costs more whose map entry must be read first, as a share of a read: a
/// second read of the flash is one. Below it, chance does as much.
pub(crate) const MAP_COST_MIN: f64 = 0.25;

/// The same, at most: more is no second read of flash, but a cache that is missed.
pub(crate) const MAP_COST_MAX: f64 = 2.0;

/// What the step must leave of the variation that it explains, at most.
pub(crate) const MAP_UNEXPLAINED_MAX: f64 = 0.1;

/// Nanoseconds that a read of flash takes at least; below it is memory.
pub(crate) const MAP_READ_NS_MIN: f64 = 15_000.0;

/// Nanoseconds that a read of flash takes at most; above it something turns.
pub(crate) const MAP_READ_NS_MAX: f64 = 1_000_000.0;

/// Sizes of writes that must have been measured before a stripe is looked for.
pub(crate) const PARITY_SIZES_MIN: usize = 6;

/// How far bytes per byte, read or written by the members, may be from those of an array
/// with parity, as a mean over the sizes.
pub(crate) const PARITY_MISFIT_MAX: f64 = 0.2;

/// How much better the best chunk and number of members must fit than any other before
/// nothing else is thought of.
pub(crate) const PARITY_LEAD_SURE: f64 = 2.0;

/// Places that tell of a false capacity before nothing else is thought of: one or two can
/// be blocks that went bad.
pub(crate) const CAPACITY_WITNESSES_SURE: usize = 3;

/// Bytes written between writing a place and reading it back, from which no drive of the
/// kind that lies answers from memory.
pub(crate) const CAPACITY_BETWEEN_LIKELY: u64 = 256 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::assert_states;

    #[test]
    fn the_document_states_every_threshold_as_it_is() {
        let thresholds = [
            ("ZONE_PLACES_MIN", ZONE_PLACES_MIN as f64),
            ("ZONE_COVERED_MIN", ZONE_COVERED_MIN),
            ("ZONE_RATIO_MIN", ZONE_RATIO_MIN),
            ("ZONE_RATIO_SURE", ZONE_RATIO_SURE),
            ("ZONE_FALL_CORRELATION_MAX", ZONE_FALL_CORRELATION_MAX),
            ("ZONE_QUARTER_SHARE_MAX", ZONE_QUARTER_SHARE_MAX),
            ("TURN_PAIRS_MIN", TURN_PAIRS_MIN as f64),
            ("TURN_COHERENCE_MIN", TURN_COHERENCE_MIN),
            ("TURN_COHERENCE_SURE", TURN_COHERENCE_SURE),
            ("TURN_SPREAD_MIN", TURN_SPREAD_MIN),
            ("TURN_SPREAD_MAX", TURN_SPREAD_MAX),
            ("SEEK_PLACES_MIN", SEEK_PLACES_MIN as f64),
            ("SEEK_CORRELATION_MIN", SEEK_CORRELATION_MIN),
            ("SEEK_CORRELATION_SURE", SEEK_CORRELATION_SURE),
            ("READ_AGAIN_RATIO_MIN", READ_AGAIN_RATIO_MIN),
            ("BURST_RATIO_MIN", BURST_RATIO_MIN),
            ("OVERWRITES_MIN", OVERWRITES_MIN as f64),
            ("TURNS_PLAIN_MAX", TURNS_PLAIN_MAX),
            ("TURNS_FAST_MIN", TURNS_FAST_MIN),
            ("CLEANING_PAUSE_SECONDS_MIN", CLEANING_PAUSE_SECONDS_MIN),
            ("CLEANING_PAUSES_MIN", CLEANING_PAUSES_MIN as f64),
            ("CLEANING_SHARE_MIN", CLEANING_SHARE_MIN),
            ("CLEANING_SLOWER_MIN", CLEANING_SLOWER_MIN),
            ("RECOVERY_REST_SECONDS_MIN", RECOVERY_REST_SECONDS_MIN),
            ("RECOVERED_RATIO_MIN", RECOVERED_RATIO_MIN),
            ("FILL_PLACES_MIN", FILL_PLACES_MIN as f64),
            ("FILL_LEVEL_PLACES_MIN", FILL_LEVEL_PLACES_MIN as f64),
            ("FAST_CELLS_BYTES_MIN", FAST_CELLS_BYTES_MIN as f64),
            ("FAST_CELLS_RATIO_MIN", FAST_CELLS_RATIO_MIN),
            ("FAST_CELLS_RECOVERED_MIN", FAST_CELLS_RECOVERED_MIN),
            ("MAP_SPANS_MIN", MAP_SPANS_MIN as f64),
            ("MAP_COST_MIN", MAP_COST_MIN),
            ("MAP_COST_MAX", MAP_COST_MAX),
            ("MAP_UNEXPLAINED_MAX", MAP_UNEXPLAINED_MAX),
            ("MAP_READ_NS_MIN", MAP_READ_NS_MIN / 1e9),
            ("MAP_READ_NS_MAX", MAP_READ_NS_MAX / 1e9),
            ("PARITY_SIZES_MIN", PARITY_SIZES_MIN as f64),
            ("PARITY_MISFIT_MAX", PARITY_MISFIT_MAX),
            ("PARITY_LEAD_SURE", PARITY_LEAD_SURE),
            ("CAPACITY_WITNESSES_SURE", CAPACITY_WITNESSES_SURE as f64),
            ("CAPACITY_BETWEEN_LIKELY", CAPACITY_BETWEEN_LIKELY as f64),
        ];
        assert_states(&thresholds, include_str!("threshold.rs"));
    }
}
