//! False capacity: a drive that says it is larger than it is keeps what does not fit where
//! something else is kept already (addresses share their blocks), nowhere, or refuses it.
//!
//! Where blocks are shared, the engine has found out by trial how far the addresses are apart
//! that share one, and from where on. Where writes are lost or refused, the real size lies
//! between the last place that holds its own and the first one that does not. Of a drive that
//! was written as a whole, as much holds its own as there is. f3 (Machado) tells the same from
//! what it writes.

mod unseen;

use sokudo_model::{
    Bytes, CapacityCheck, CheckedSample, Confidence, Held, Inference, Run, SharedBlocks,
    StopReason, TargetKind,
};
use sokudo_words::{Text, text};

use super::evidence::{figure, outcomes, sure, to_float};
use super::threshold::{CAPACITY_BETWEEN_LIKELY, CAPACITY_WITNESSES_SURE};
use crate::rule::InferenceRule;
use unseen::{SEEN_PERCENT, hole_seen, window_seen};

pub(super) const RULES: &[InferenceRule] = &[capacity];

pub(crate) fn capacity(run: &Run) -> Option<Inference> {
    // A file has no capacity of its own.
    if !matches!(
        run.target.kind,
        TargetKind::BlockDevice | TargetKind::Simulated
    ) {
        return None;
    }
    let (check, stopped) = outcomes(run, |workload| workload.checks_capacity())
        .find_map(|(_, outcome)| Some((outcome.capacity.as_ref()?, outcome.stopped)))?;
    // What was cut short may show that a drive is false, and never that it is not.
    let is_complete = stopped == StopReason::Ended;
    if check.samples.is_empty() {
        return None;
    }
    let elsewhere = count(check, |held| matches!(held, Held::Other(_)));
    if elsewhere > 0 {
        return Some(sharing(check, elsewhere));
    }
    match count(check, |held| held != Held::Own) {
        0 => is_complete.then(|| unsuspicious(check)),
        lost => losing(check, lost, is_complete),
    }
}

fn count(check: &CapacityCheck, is_wanted: fn(Held) -> bool) -> usize {
    let samples = check.samples.iter();
    samples.filter(|sample| is_wanted(sample.held)).count()
}

/// What a drive keeps or loses together: blocks side by side tell of one place, however many.
const WITNESS_BYTES: u64 = 1 << 20;

/// So many tell of a false capacity.
fn is_witnessed(check: &CapacityCheck, is_wanted: fn(Held) -> bool) -> bool {
    let samples = check.samples.iter().filter(|sample| is_wanted(sample.held));
    let witnesses = samples.map(|sample| sample.length.0.div_ceil(WITNESS_BYTES));
    witnesses.fold(0, u64::saturating_add) >= CAPACITY_WITNESSES_SURE as u64
}

/// Addresses that share their blocks.
fn sharing(check: &CapacityCheck, elsewhere: usize) -> Inference {
    let lost = count(check, |held| held == Held::Nothing);
    let seen = text!(
        "{wrong} of {samples} places held what had been written to another one",
        wrong = elsewhere,
        samples = check.samples.len()
    );
    let also = (lost > 0).then(|| text!("{lost} held nothing"));
    let rule = check.shared.map(|shared| {
        text!(
            "from {from} on, every address that was tried shares its block with the one {distance} further",
            from = shared.from,
            distance = shared.distance
        )
    });
    let whole = check.is_whole.then(|| of_all(check));
    let real = match (check.is_whole, check.shared) {
        (true, _) => Some((check.own.0, check.own.0)),
        (false, shared) => shared.and_then(|shared| real_size(check, shared)),
    };
    // A search that comes to the end has found no size: a drive that answers with what came
    // last shares every block with its neighbour.
    let real = real.filter(|(least, _)| *least < check.size.0);
    let is_sure = is_witnessed(check, |held| matches!(held, Held::Other(_)));
    Inference {
        code: "fake-capacity".to_owned(),
        claim: match real {
            Some((least, most)) if least < most => text!(
                "a drive of at least {least} and at most {most} that claims {stated}: what is written beyond its real size overwrites other data",
                least = Bytes(least),
                most = Bytes(most),
                stated = check.size
            ),
            Some((real, _)) => text!(
                "a drive of {real} that claims {stated}: what is written beyond its real size overwrites other data",
                real = Bytes(real),
                stated = check.size
            ),
            None => text!(
                "a drive smaller than the {stated} it claims: writes to some positions overwrite others; --full finds the real size",
                stated = check.size
            ),
        },
        figures: match real {
            Some((least, most)) => sizes(check, least, most),
            None => vec![figure("stated_bytes", to_float(check.size.0))],
        },
        confidence: sure(is_sure && real.is_some()),
        evidence: Text::list([Some(seen), also, rule, whole].into_iter().flatten(), "; "),
    }
}

/// How much there is, at least and at most. Blocks that are shared and lie before nothing
/// else are counted once; where they are those of places before, they are counted there. Of a
/// link of addresses the last part may hold nothing, as in each that follows: then there is
/// less than a link, and it ends between what is held and what is lost.
fn real_size(check: &CapacityCheck, shared: SharedBlocks) -> Option<(u64, u64)> {
    let with_window = shared.from.0.saturating_add(shared.distance.0);
    let (least, most) = match shared.reaches_below {
        Some(true) => (shared.from.0, shared.from.0),
        Some(false) => (with_window, with_window),
        None => (shared.from.0, with_window),
    };
    let extents = |is_lost: bool| {
        let samples = check.samples.iter();
        let samples = samples.filter(move |it| (it.held == Held::Nothing) == is_lost);
        samples.map(|it| (it.offset.0 % shared.distance.0.max(1), it.length.0))
    };
    let lost = extents(true).map(|(offset, _)| offset).min();
    let Some(lost) = lost.filter(|lost| *lost < most) else {
        return Some((least, most));
    };
    let kept = extents(false).map(|(offset, length)| offset.saturating_add(length));
    let kept = kept.filter(|end| *end <= shared.distance.0).max()?;
    (shared.from == shared.distance && kept <= lost).then_some((kept, lost))
}

fn of_all(check: &CapacityCheck) -> Text {
    text!(
        "everything was written and read back, and {own} of it held the right data",
        own = check.own
    )
}

/// What is said of a drive behind whose end writes are refused or lost; of less than its size
/// where that was not found.
fn end(real_size: Bytes, stated: Bytes, is_refused: bool, is_found: bool) -> Text {
    match (is_refused, is_found) {
        (true, true) => text!(
            "a drive of {real_size} that claims {stated}: what is written beyond its real size is refused"
        ),
        (false, true) => text!(
            "a drive of {real_size} that claims {stated}: what is written beyond its real size is lost"
        ),
        (true, false) => text!(
            "a drive of less than {real_size} that claims {stated}: what is written beyond its real size is refused"
        ),
        (false, false) => text!(
            "a drive of less than {real_size} that claims {stated}: what is written beyond its real size is lost"
        ),
    }
}

/// Writes that are lost or refused: behind an end, or anywhere.
fn losing(check: &CapacityCheck, lost: usize, is_complete: bool) -> Option<Inference> {
    let is_lost = |sample: &&CheckedSample| sample.held != Held::Own;
    let own = check
        .samples
        .iter()
        .filter(|sample| sample.held == Held::Own);
    let held_to = own.map(|sample| sample.offset.0.saturating_add(sample.length.0));
    let held_to = held_to.max();
    let lost_first = check
        .samples
        .iter()
        .filter(is_lost)
        .map(|it| it.offset.0)
        .min()?;
    let error = check.samples.iter().find_map(|sample| match sample.held {
        Held::Refused(errno) => Some(errno),
        _ => None,
    });
    // A device that fails refuses, too: the row tells of it.
    if error.is_some() && !is_complete {
        return None;
    }
    let seen = text!(
        "{lost} of {samples} places did not hold what had been written to them, the first at {first}",
        samples = check.samples.len(),
        first = Bytes(lost_first)
    );
    if check.is_whole && held_to.is_none() && error.is_none() {
        return Some(Inference {
            code: "lost-writes".to_owned(),
            claim: Text::from("a drive that keeps nothing of what is written to it"),
            figures: vec![figure("lost_places", to_float(lost as u64))],
            confidence: Confidence::High,
            evidence: Text::list([seen, of_all(check)], "; "),
        });
    }
    if held_to.is_some_and(|held| held > lost_first) {
        // What is refused here and there is broken, and the row says so.
        return error.is_none().then(|| Inference {
            code: "lost-writes".to_owned(),
            claim: Text::from("a drive that loses some of what is written to it"),
            figures: vec![figure("lost_places", to_float(lost as u64))],
            confidence: Confidence::High,
            evidence: seen,
        });
    }
    // A size is found where what is lost begins right behind what is kept.
    let (least, most) = match held_to {
        Some(_) if check.is_whole => (check.own.0, check.own.0),
        held_to => (held_to.unwrap_or(0), lost_first),
    };
    let is_found = least == most && held_to.is_some();
    let whole = check.is_whole.then(|| of_all(check));
    let refused = error.map(|errno| match errno {
        0 => text!(
            "from there on the drive transfers nothing and reports no error; a drive that has vanished does the same"
        ),
        _ => text!(
            "from there on the drive answers with error {errno}; a broken drive may do the same"
        ),
    });
    let is_sure = is_found && error.is_none() && is_complete;
    Some(Inference {
        code: "fake-capacity".to_owned(),
        claim: end(Bytes(most), check.size, error.is_some(), is_found),
        figures: sizes(check, least, most),
        confidence: sure(is_sure && is_witnessed(check, |held| held != Held::Own)),
        evidence: Text::list([Some(seen), refused, whole].into_iter().flatten(), "; "),
    })
}

/// What lies between the places was not looked at, so that they never make sure.
fn unsuspicious(check: &CapacityCheck) -> Inference {
    let is_late = check.between.0 >= CAPACITY_BETWEEN_LIKELY;
    let (stated, between) = (check.size, check.between);
    let mut figures = sizes(check, stated.0, stated.0);
    if check.is_whole {
        return Inference {
            code: "capacity-as-stated".to_owned(),
            claim: text!("a drive that really has the {stated} it claims"),
            figures,
            confidence: sure(is_late),
            evidence: text!(
                "everything was written, and read back with at least {between} written in between; all of it held the right data"
            ),
        };
    }
    let lengths = check.samples.iter().map(|sample| sample.length.0);
    let looked_at = Bytes(lengths.fold(0, u64::saturating_add));
    let (sample_count, hole, percent) = (check.samples.len(), hole_seen(check), SEEN_PERCENT);
    let window = window_seen(check).unwrap_or(Bytes(0));
    figures.push(figure("window_seen_bytes", to_float(window.0)));
    figures.push(figure("hole_seen_bytes", to_float(hole.0)));
    Inference {
        code: "capacity-as-stated".to_owned(),
        claim: text!(
            "a drive whose {stated} look genuine ({sample_count} places checked; --full checks all)"
        ),
        figures,
        confidence: match is_late {
            true => Confidence::Medium,
            false => Confidence::Low,
        },
        evidence: text!(
            "all {sample_count} places ({looked_at} of {stated}) held their data after {between} had been written elsewhere. A fake that wraps around within its last {window} would have been caught with {percent} % certainty, and so would a hole of {hole}. A larger wrap or a smaller hole could have been missed"
        ),
    }
}

fn sizes(check: &CapacityCheck, least: u64, most: u64) -> Vec<sokudo_model::InferredFigure> {
    let mut figures = vec![
        figure("real_bytes", to_float(least)),
        figure("stated_bytes", to_float(check.size.0)),
    ];
    if most > least {
        figures.push(figure("real_bytes_max", to_float(most)));
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::Verify;

    fn run_with(kind: TargetKind, check: CapacityCheck) -> Run {
        let mut run = sample::writes();
        run.target.kind = kind;
        run.rows[0].workload.verify = Some(Verify::Capacity);
        run.rows[0].trials[0].outcome.stopped = StopReason::Ended;
        run.rows[0].trials[0].outcome.capacity = Some(CapacityCheck {
            size: Bytes(1 << 40),
            between: Bytes(1 << 28),
            ..check
        });
        run
    }

    fn check_of(samples: &[(u64, Held)]) -> CapacityCheck {
        let sample = |(offset, held): &(u64, Held)| CheckedSample {
            offset: Bytes(*offset),
            length: CapacityCheck::BLOCK,
            held: *held,
        };
        CapacityCheck {
            samples: samples.iter().map(sample).collect(),
            ..CapacityCheck::default()
        }
    }

    fn concluded(check: CapacityCheck) -> Inference {
        capacity(&run_with(TargetKind::BlockDevice, check)).unwrap()
    }

    const FOLDED: [(u64, Held); 4] = [
        (10, Held::Own),
        (20_000, Held::Other(Bytes(0))),
        (30_000, Held::Other(Bytes(10_000))),
        (40_000, Held::Other(Bytes(0))),
    ];

    fn figures(found: &Inference) -> Vec<f64> {
        found.figures.iter().map(|figure| figure.value).collect()
    }

    #[test]
    fn what_was_tried_tells_the_real_size_and_nothing_else_does() {
        let from = |from, reaches_below| {
            let shared = Some(SharedBlocks {
                distance: Bytes(3_000),
                from: Bytes(from),
                reaches_below,
            });
            concluded(CapacityCheck {
                shared,
                ..check_of(&FOLDED)
            })
        };
        let with = |reaches_below| from(5_000, reaches_below);
        let stated = to_float(1 << 40);
        assert_eq!(figures(&with(Some(false))), [8_000.0, stated]);
        assert_eq!(figures(&with(Some(true))), [5_000.0, stated]);
        assert_eq!(figures(&with(None)), [5_000.0, stated, 8_000.0]);
        let either = with(None);
        assert_eq!(either.confidence, Confidence::High);
        let claim = either.claim.english();
        assert!(
            claim.contains("at least 5000 B and at most 8000 B"),
            "{claim}"
        );
        for unknown in [concluded(check_of(&FOLDED)), from(1 << 40, None)] {
            assert_eq!(unknown.code, "fake-capacity");
            assert_eq!(unknown.confidence, Confidence::Medium);
            assert_eq!(figures(&unknown), [stated]);
        }
    }

    #[test]
    fn a_link_whose_last_part_is_lost_is_less_than_a_link() {
        let link = |held: &[(u64, Held)]| {
            let shared = Some(SharedBlocks {
                distance: Bytes(10 * BLOCK),
                from: Bytes(10 * BLOCK),
                reaches_below: Some(true),
            });
            concluded(CapacityCheck {
                shared,
                ..check_of(held)
            })
        };
        let folded = (13 * BLOCK, Held::Other(Bytes(3 * BLOCK)));
        let lost = [8, 19].map(|block| (block * BLOCK, Held::Nothing));
        let (stated, blocks) = (to_float(1 << 40), |count: u64| to_float(count * BLOCK));
        let found = link(&[&[(6 * BLOCK, Held::Own), folded], &lost[..]].concat());
        assert_eq!(figures(&found), [blocks(7), stated, blocks(8)]);
        // What is lost here and kept behind it is of no such link.
        let found = link(&[&[(9 * BLOCK, Held::Own), folded], &lost[..]].concat());
        assert_eq!(figures(&found), [stated]);
        assert_eq!(found.confidence, Confidence::Medium);
    }

    #[test]
    fn what_is_refused_behind_all_that_holds_its_own_is_an_end_and_else_it_says_nothing() {
        let end = |errno| {
            let refused = [BLOCK, 3 * BLOCK].map(|offset| (offset, Held::Refused(errno)));
            concluded(check_of(&[&[(0, Held::Own)], &refused[..]].concat()))
        };
        let found = end(5);
        assert_eq!(
            (found.code.as_str(), found.figures[0].value),
            ("fake-capacity", to_float(BLOCK))
        );
        assert!(end(0).evidence.english().contains("no error"));
        assert_eq!(found.confidence, Confidence::Medium);
        assert!(found.evidence.english().contains("error 5"), "{found:?}");
        let middle = [(0, Held::Own), (5, Held::Refused(5)), (9, Held::Own)];
        let run = run_with(TargetKind::BlockDevice, check_of(&middle));
        assert_eq!(capacity(&run), None);
    }

    #[test]
    fn a_check_that_was_cut_short_says_nothing_for_a_drive() {
        for stopped in [StopReason::Cancelled, StopReason::Failed] {
            let of = |held: &[(u64, Held)]| {
                let mut run = run_with(TargetKind::BlockDevice, check_of(held));
                run.rows[0].trials[0].outcome.stopped = stopped;
                capacity(&run).map(|found| found.code)
            };
            assert_eq!(of(&[(0, Held::Own), (9, Held::Own)]), None);
            assert_eq!(of(&[(0, Held::Own), (9, Held::Refused(5))]), None);
            assert_eq!(of(&FOLDED).as_deref(), Some("fake-capacity"));
        }
    }

    const BLOCK: u64 = CapacityCheck::BLOCK.0;

    #[test]
    fn a_size_is_told_where_what_is_lost_begins_right_behind_what_is_kept() {
        let lost = |first: u64| [1, 2, 3].map(|far| (first + (far - 1) * 9 * BLOCK, Held::Nothing));
        let with = |held: &[(u64, Held)], first: u64| {
            let held: Vec<(u64, Held)> = held.iter().copied().chain(lost(first)).collect();
            concluded(check_of(&held))
        };
        let found = with(&[(0, Held::Own)], BLOCK);
        assert_eq!(found.figures[0].value, to_float(BLOCK));
        assert_eq!(found.confidence, Confidence::High);
        for (held, least) in [(&[(0, Held::Own)][..], BLOCK), (&[], 0)] {
            let found = with(held, 20 * BLOCK);
            let figures = figures(&found);
            assert_eq!(
                (figures[0], figures[2]),
                (to_float(least), to_float(20 * BLOCK))
            );
            assert_eq!(found.confidence, Confidence::Medium);
            let claim = found.claim.english();
            assert!(claim.contains("of less than 80 KiB"), "{claim}");
        }
    }

    #[test]
    fn one_block_that_is_lost_at_the_end_is_no_false_capacity_for_sure() {
        let whole = |lost: u64| {
            let mut check = CapacityCheck {
                is_whole: true,
                own: Bytes(BLOCK),
                ..check_of(&[(0, Held::Own), (BLOCK, Held::Nothing)])
            };
            check.samples[1].length = Bytes(lost);
            concluded(check).confidence
        };
        assert_eq!(whole(BLOCK), Confidence::Medium);
        assert_eq!(whole(1 << 30), Confidence::High);
        let nothing = CapacityCheck {
            is_whole: true,
            ..check_of(&[(0, Held::Nothing)])
        };
        assert_eq!(concluded(nothing).code, "lost-writes");
    }

    #[test]
    fn a_hole_in_the_middle_is_no_end_of_the_drive() {
        let holed = [
            (0, Held::Own),
            (BLOCK, Held::Nothing),
            (9 * BLOCK, Held::Own),
        ];
        assert_eq!(concluded(check_of(&holed)).code, "lost-writes");
        assert_eq!(concluded(check_of(&holed[..2])).code, "fake-capacity");
    }

    #[test]
    fn only_all_of_a_drive_makes_sure_that_it_is_as_large_as_it_says() {
        let two = [(0, Held::Own), (5, Held::Own)];
        let found = concluded(check_of(&two));
        assert_eq!(found.code, "capacity-as-stated");
        assert_eq!(found.confidence, Confidence::Medium);
        let evidence = found.evidence.english();
        assert!(
            evidence.contains("all 2 places (8 KiB of 1 TiB)"),
            "{evidence}"
        );
        let all = CapacityCheck {
            is_whole: true,
            own: Bytes(1 << 40),
            ..check_of(&two)
        };
        assert_eq!(concluded(all).confidence, Confidence::High);
        let folded = CapacityCheck {
            is_whole: true,
            own: Bytes(1 << 30),
            ..check_of(&FOLDED)
        };
        assert_eq!(concluded(folded).figures[0].value, to_float(1 << 30));
        let of = |kind, check| capacity(&run_with(kind, check));
        assert_eq!(of(TargetKind::Directory, check_of(&two)), None);
        assert_eq!(of(TargetKind::BlockDevice, check_of(&[])), None);
    }
}
