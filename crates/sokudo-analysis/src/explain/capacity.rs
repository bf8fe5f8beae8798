//! False capacity: a drive that says it is larger than it is keeps what does not fit where
//! something else is kept already (its addresses wrap), or nowhere.
//!
//! Where addresses wrap, a place and what it holds are a multiple of the real size apart;
//! their greatest common divisor is the real size, once some of them are known. Where
//! writes are lost, the real size lies between the last place that holds its own and the
//! first one that holds nothing. f3 (Machado) tells the same from what it writes.

use sokudo_model::{Bytes, CapacityCheck, Confidence, Held, Inference, Run, TargetKind};
use sokudo_words::{Text, text};

use super::evidence::{figure, outcomes, sure, to_float};
use super::threshold::{CAPACITY_BETWEEN_LIKELY, CAPACITY_WITNESSES_SURE};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[capacity];

fn capacity(run: &Run) -> Option<Inference> {
    // A file has no capacity of its own.
    if !matches!(
        run.target.kind,
        TargetKind::BlockDevice | TargetKind::Simulated
    ) {
        return None;
    }
    let check = outcomes(run, |workload| workload.checks_capacity)
        .find_map(|(_, outcome)| outcome.capacity.as_ref())?;
    if check.places.is_empty() {
        return None;
    }
    let elsewhere = distances(check);
    let lost = count(check, Held::Nothing);
    if !elsewhere.is_empty() {
        return Some(wrapping(check, &elsewhere, lost));
    }
    if lost == 0 {
        return Some(unsuspicious(check));
    }
    Some(losing(check, lost))
}

/// How far what does not belong to a place is from where it belongs.
fn distances(check: &CapacityCheck) -> Vec<u64> {
    let places = check.places.iter();
    let distance = |place: &sokudo_model::CheckedSample| match place.held {
        Held::Other(other) => Some(place.offset.0.abs_diff(other.0)),
        _ => None,
    };
    places.filter_map(distance).collect()
}

fn count(check: &CapacityCheck, held: Held) -> usize {
    let places = check.places.iter();
    places.filter(|place| place.held == held).count()
}

fn wrapping(check: &CapacityCheck, distances: &[u64], lost: usize) -> Inference {
    let real = distances
        .iter()
        .copied()
        .reduce(common_divisor)
        .unwrap_or(0);
    let elsewhere = text!(
        "{wrong} of {samples} places held what had been written to another one, always a multiple of {real} away",
        wrong = distances.len(),
        samples = check.places.len(),
        real = Bytes(real)
    );
    let also = (lost > 0).then(|| text!("{lost} held nothing"));
    Inference {
        code: "fake-capacity".to_owned(),
        claim: text!(
            "a drive of {real} that says it has {stated}: what is written beyond overwrites what is there",
            real = Bytes(real),
            stated = check.size
        ),
        figures: sizes(check, real),
        confidence: sure(distances.len() >= CAPACITY_WITNESSES_SURE),
        evidence: Text::list([elsewhere].into_iter().chain(also), "; "),
    }
}

fn losing(check: &CapacityCheck, lost: usize) -> Inference {
    let places = check.places.iter();
    let of = |held: Held| {
        let places = places.clone().filter(move |place| place.held == held);
        places.map(|place| place.offset.0)
    };
    let held_last = of(Held::Own).max();
    let lost_first = of(Held::Nothing).min().unwrap_or(0);
    let seen = text!(
        "{lost} of {samples} places did not hold what had been written to them, the first at {first}",
        samples = check.places.len(),
        first = Bytes(lost_first)
    );
    if held_last.is_some_and(|held| held > lost_first) {
        return Inference {
            code: "lost-writes".to_owned(),
            claim: Text::from("a drive that loses some of what is written to it"),
            figures: vec![figure("lost_places", to_float(lost as u64))],
            confidence: Confidence::High,
            evidence: seen,
        };
    }
    Inference {
        code: "fake-capacity".to_owned(),
        claim: text!(
            "a drive of {real} that says it has {stated}: what is written beyond is lost",
            real = Bytes(lost_first),
            stated = check.size
        ),
        figures: sizes(check, lost_first),
        confidence: sure(lost >= CAPACITY_WITNESSES_SURE),
        evidence: seen,
    }
}

/// What lies between the places was not looked at: a drive that folds its last part into
/// itself is seen only where two places meet. So this is never more than likely.
fn unsuspicious(check: &CapacityCheck) -> Inference {
    let block = CapacityCheck::BLOCK;
    let places = check.places.len();
    let looked_at = Bytes(block.0.saturating_mul(places as u64));
    Inference {
        code: "capacity-as-stated".to_owned(),
        claim: text!(
            "a drive that has the {stated} it says, as far as {samples} places tell",
            stated = check.size,
            samples = places
        ),
        figures: sizes(check, check.size.0),
        confidence: match check.between.0 >= CAPACITY_BETWEEN_LIKELY {
            true => Confidence::Medium,
            false => Confidence::Low,
        },
        evidence: text!(
            "all {samples} places of {block} ({looked_at} of {stated}) held what had been written to them, after {between} were written elsewhere; what is between them was not looked at",
            samples = places,
            stated = check.size,
            between = check.between
        ),
    }
}

fn sizes(check: &CapacityCheck, real: u64) -> Vec<sokudo_model::InferredFigure> {
    vec![
        figure("real_bytes", to_float(real)),
        figure("stated_bytes", to_float(check.size.0)),
    ]
}

/// Euclid's.
fn common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::CheckedSample;

    fn codes(kind: TargetKind, places: &[(u64, Held)]) -> Option<Inference> {
        let place = |(offset, held): &(u64, Held)| CheckedSample {
            offset: Bytes(*offset),
            held: *held,
        };
        let mut run = sample::writes();
        run.target.kind = kind;
        run.rows[0].workload.checks_capacity = true;
        run.rows[0].trials[0].outcome.capacity = Some(CapacityCheck {
            size: Bytes(1 << 40),
            between: Bytes(1 << 28),
            places: places.iter().map(place).collect(),
        });
        capacity(&run)
    }

    #[test]
    fn what_is_elsewhere_tells_the_real_size() {
        let places = [
            (10, Held::Own),
            (3_000, Held::Other(Bytes(0))),
            (2_000, Held::Other(Bytes(1_000))),
        ];
        let found = codes(TargetKind::BlockDevice, &places).unwrap();
        assert_eq!(found.code, "fake-capacity");
        assert!((found.figures[0].value - 1_000.0).abs() < 1e-9);
    }

    #[test]
    fn a_hole_in_the_middle_is_no_end_of_the_drive() {
        let places = [(0, Held::Own), (5, Held::Nothing), (9, Held::Own)];
        let found = codes(TargetKind::BlockDevice, &places).unwrap();
        assert_eq!(found.code, "lost-writes");
        let end = codes(TargetKind::BlockDevice, &places[..2]).unwrap();
        assert_eq!(end.code, "fake-capacity");
    }

    #[test]
    fn what_shows_no_false_capacity_is_likely_and_says_how_little_was_looked_at() {
        let places = [(0, Held::Own), (5, Held::Own)];
        let found = codes(TargetKind::BlockDevice, &places).unwrap();
        assert_eq!(found.code, "capacity-as-stated");
        assert_eq!(found.confidence, Confidence::Medium);
        assert!(
            found
                .evidence
                .english()
                .contains("all 2 places of 4 KiB (8 KiB of 1 TiB)"),
            "{found:?}"
        );
        assert_eq!(codes(TargetKind::Directory, &places), None);
        assert_eq!(codes(TargetKind::BlockDevice, &[]), None);
    }
}
