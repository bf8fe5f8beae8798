//! Every number that a conclusion about rotating disks depends on, each with its reason.
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

#[cfg(test)]
mod tests {
    use super::*;

    const METHOD: &str = include_str!("../../../../docs/METHOD.md");

    /// The value of a threshold as the document writes it: `38 %`, `1.25`.
    fn stated(name: &str) -> f64 {
        let start = format!("| `{name}` |");
        let rows: Vec<&str> = METHOD
            .lines()
            .filter(|line| line.starts_with(&start))
            .collect();
        assert_eq!(rows.len(), 1, "{name}");
        let value = rows[0].split('|').nth(2).unwrap().trim();
        match value.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().unwrap() / 100.0,
            None => value.parse().unwrap(),
        }
    }

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
        ];
        // A line that begins with this declares a threshold.
        let declaration = ["pub(crate)", "const "].join(" ");
        let source = include_str!("threshold.rs").lines();
        let declared = source.filter(|line| line.starts_with(&declaration)).count();
        assert_eq!(declared, thresholds.len(), "a threshold is not compared");
        for (name, value) in thresholds {
            let stated = stated(name);
            assert!((stated - value).abs() < 1e-12, "{name}: {stated} {value}");
        }
    }
}
