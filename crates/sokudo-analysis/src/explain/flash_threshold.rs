//! Every number that a conclusion about flash drives and arrays depends on, each with its
//! reason.
//!
//! `docs/METHOD.md` repeats them for readers; a test holds the two together.

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
pub(crate) const CAPACITY_BETWEEN_SURE: u64 = 256 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    const METHOD: &str = include_str!("../../../../docs/METHOD.md");

    /// The value of a threshold as the document writes it.
    fn stated(name: &str) -> f64 {
        let start = format!("| `{name}` |");
        let rows: Vec<&str> = METHOD
            .lines()
            .filter(|line| line.starts_with(&start))
            .collect();
        assert_eq!(rows.len(), 1, "{name}");
        let value = rows[0].split('|').nth(2).unwrap().trim();
        let (number, unit) = value.split_once(' ').unwrap_or((value, ""));
        let factor = match unit {
            "" => 1.0,
            "%" => 0.01,
            "µs" => 1e3,
            "ms" => 1e6,
            "MiB" => f64::from(1 << 20),
            "GiB" => f64::from(1 << 30),
            other => panic!("{other}"),
        };
        number.parse::<f64>().unwrap() * factor
    }

    #[test]
    fn the_document_states_every_threshold_as_it_is() {
        let thresholds = [
            ("FILL_PLACES_MIN", FILL_PLACES_MIN as f64),
            ("FILL_LEVEL_PLACES_MIN", FILL_LEVEL_PLACES_MIN as f64),
            ("FAST_CELLS_BYTES_MIN", FAST_CELLS_BYTES_MIN as f64),
            ("FAST_CELLS_RATIO_MIN", FAST_CELLS_RATIO_MIN),
            ("FAST_CELLS_RECOVERED_MIN", FAST_CELLS_RECOVERED_MIN),
            ("MAP_SPANS_MIN", MAP_SPANS_MIN as f64),
            ("MAP_COST_MIN", MAP_COST_MIN),
            ("MAP_COST_MAX", MAP_COST_MAX),
            ("MAP_UNEXPLAINED_MAX", MAP_UNEXPLAINED_MAX),
            ("MAP_READ_NS_MIN", MAP_READ_NS_MIN),
            ("MAP_READ_NS_MAX", MAP_READ_NS_MAX),
            ("PARITY_SIZES_MIN", PARITY_SIZES_MIN as f64),
            ("PARITY_MISFIT_MAX", PARITY_MISFIT_MAX),
            ("PARITY_LEAD_SURE", PARITY_LEAD_SURE),
            ("CAPACITY_WITNESSES_SURE", CAPACITY_WITNESSES_SURE as f64),
            ("CAPACITY_BETWEEN_SURE", CAPACITY_BETWEEN_SURE as f64),
        ];
        let declaration = ["pub(crate)", "const "].join(" ");
        let source = include_str!("flash_threshold.rs").lines();
        let declared = source.filter(|line| line.starts_with(&declaration)).count();
        assert_eq!(declared, thresholds.len(), "a threshold is not compared");
        for (name, value) in thresholds {
            let stated = stated(name);
            assert!(
                (stated / value - 1.0).abs() < 1e-9,
                "{name}: {stated} {value}"
            );
        }
    }
}
