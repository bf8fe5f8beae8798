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
