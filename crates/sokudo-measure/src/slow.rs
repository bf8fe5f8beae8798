//! The slowest places of a survey, read again after all that was to be measured: a place that is
//! slow again, and slower than ordinary places that are read beside it, is the drive's affair; one
//! that is not had met something that has passed or that holds everything up.

use std::cmp::Reverse;
use std::ops::Range;

use sokudo_engine::Control;
use sokudo_model::{
    Bytes, Event, Limits, Nanos, Operation, Plan, Probe, Row, Sample, SlowIo, SlowSpot, SlowSpots,
    Span, Stage, Survey, Trial, Visit, Work, Workload,
};
use sokudo_stats::Histogram;

use crate::campaign;
use crate::subject::PreparedTargets;

/// Places that are read again: a list that somebody reads, and no scan of its own.
const REREAD_MAX: usize = 10;

/// I/Os below which quartiles say little.
const IOS_MIN: u64 = 40;

/// How often a place is read again, as long as it is slow: each time it must be slower than all
/// ordinary places of that round. Where a machine slows down all places alike, one of them does
/// that (1 ÷ 7)³ of the time.
const ROUNDS: usize = 3;

/// Ordinary places of a round.
const ORDINARY: usize = 6;

/// Fewer tell nothing, (1 ÷ 5)³: then no place is read again.
const ORDINARY_MIN: usize = 4;

/// A drive that was held up may serve what waits in another order than before, and lets one I/O
/// after the other wait for a second (`sim:hdd` does): what is slow for that hides no other place.
const ECHO: Nanos = Nanos::from_secs(2);

/// Trials of this kind have chance of their own, beside those of rows and of comparisons.
const FIRST_TRIAL: u32 = 1 << 21;

/// Finds the slow places of each row and reads them again. What goes wrong leaves them as they
/// were seen: the row has been measured.
pub(crate) fn read_again(
    plan: &Plan,
    rows: &mut [Row],
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) {
    let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    for (workload, row) in workloads.zip(rows) {
        let Some(mut slow) = slow_samples(row) else {
            continue;
        };
        if let Some(area) = area(workload, subject) {
            listener(Event::Probing(Probe::SlowSpots));
            let mut trials = FIRST_TRIAL..;
            let ordinary = ordinary_samples(row, &slow, &area);
            let affordable = affordable(row, &slow);
            tell_apart(&mut slow, &ordinary, affordable, |range| {
                let trial = trials.next().filter(|_| !control.is_cancelled())?;
                let read = reading(plan, workload, &area, &range)?;
                let trial = campaign::trial(&read, 0, trial, subject, control, &mut |_| ());
                longest(&range, &read, &trial.ok()?)
            });
        }
        row.slow = Some(Box::new(slow));
    }
}

/// How many places may be read again, so that reading again moves no more than the row did.
fn affordable(row: &Row, slow: &SlowSpots) -> usize {
    let length = slow.spots.iter().map(|spot| spot.length.0).max();
    let each = queue_bytes(&row.workload).saturating_mul(2) + length.unwrap_or(0);
    let is_affordable = |count: &usize| {
        let reads = (ROUNDS * (ORDINARY + count)) as u128;
        reads * u128::from(each) <= bytes_moved(row)
    };
    (0..=REREAD_MAX)
        .take_while(is_affordable)
        .last()
        .unwrap_or(0)
}

/// What the survey could have read, in bytes.
fn area(workload: &Workload, subject: &PreparedTargets) -> Option<Range<u64>> {
    let own = *workload.targets().first()?;
    let size = subject.opened.get(own)?.info.size_bytes?.0;
    let Some(span) = workload.span else {
        return Some(0..size);
    };
    Some(span.offset.0..span.offset.0.saturating_add(span.length.0).min(size))
}

/// Reads the slowest `count` places again, each in the midst of ordinary ones, and those that are
/// slow once more. `read` tells how long the longest I/O at a place takes.
fn tell_apart(
    slow: &mut SlowSpots,
    ordinary: &[Range<u64>],
    count: usize,
    mut read: impl FnMut(Range<u64>) -> Option<Nanos>,
) {
    for round in 0..ROUNDS {
        let ordinary = ordinary_of(round, ordinary);
        let mut doubtful: Vec<usize> = (0..slow.spots.len().min(count)).collect();
        doubtful.retain(|&it| round == 0 || slow.is_slow_again(&slow.spots[it]) == Some(true));
        if ordinary.len() < ORDINARY_MIN || doubtful.is_empty() {
            return;
        }
        let mut again = vec![None; slow.spots.len()];
        let mut beside = Vec::new();
        for (number, range) in ordinary.iter().enumerate() {
            beside.extend(read(range.clone()));
            // What takes long on the way is spread over places of both kinds.
            for (turn, &it) in doubtful.iter().enumerate() {
                if (2 * turn + 1) * ordinary.len() / (2 * doubtful.len()) == number {
                    again[it] = read(bytes_of(&slow.spots[it]));
                }
            }
        }
        // What was begun and not ended proves nothing, and takes back what the round before said.
        let is_whole = beside.len() >= ORDINARY_MIN;
        for it in doubtful {
            slow.spots[it].again = again[it].filter(|_| is_whole);
            slow.spots[it].beside = beside.iter().max().copied().filter(|_| is_whole);
        }
    }
}

fn bytes_of(spot: &SlowSpot) -> Range<u64> {
    spot.offset.0..spot.offset.0.saturating_add(spot.length.0)
}

/// Ordinary ranges to read in a round: different ones in each, so that no cache holds them.
fn ordinary_of(round: usize, all: &[Range<u64>]) -> Vec<Range<u64>> {
    let count = ROUNDS * ORDINARY;
    let chosen = (round..count).step_by(ROUNDS);
    let mut ranges: Vec<Range<u64>> = chosen
        .filter_map(|number| all.get(number * all.len() / count).cloned())
        .collect();
    ranges.dedup();
    ranges
}

/// Where nothing was slow, as long as the slow places and none of them within reach of a queue, in
/// order.
fn ordinary_samples(row: &Row, slow: &SlowSpots, area: &Range<u64>) -> Vec<Range<u64>> {
    let longest = slow.spots.iter().map(|spot| spot.length.0).max();
    let length = longest.unwrap_or(0);
    let reach = queue_bytes(&row.workload)
        .saturating_add(length)
        .saturating_mul(2);
    let seen = row
        .trials
        .iter()
        .take(1)
        .flat_map(|trial| &trial.outcome.samples);
    let quick = seen.filter(|sample| sample.ios > 0 && sample.latency_max <= slow.limit);
    let mut starts: Vec<u64> = quick.map(|sample| sample.offset.0).collect();
    starts.retain(|start| {
        slow.spots
            .iter()
            .all(|it| it.offset.0.abs_diff(*start) >= reach)
    });
    starts.sort_unstable();
    let ranges = starts
        .into_iter()
        .map(|start| start..start.saturating_add(length));
    ranges
        .filter(|range| area.contains(&range.start) && range.end <= area.end)
        .collect()
}

/// What of a row took far longer than the rest; `None` where that was not looked for.
fn slow_samples(row: &Row) -> Option<SlowSpots> {
    let outcomes = || row.trials.iter().map(|trial| &trial.outcome);
    let survey = row
        .workload
        .survey()
        .filter(|survey| survey.sample_count > 1)?;
    if !matches!(survey.visit, Visit::Ascending | Visit::Shuffled) {
        return None;
    }
    let mut latency = Histogram::new();
    for tally in outcomes().filter_map(|outcome| outcome.operation(Operation::Read)) {
        latency.merge(&tally.latency);
    }
    if latency.count() < IOS_MIN {
        return None;
    }
    let limit = SlowSpots::limit_of(&latency)?;
    let seen = outcomes().flat_map(|outcome| &outcome.slowest);
    let mut slow: Vec<SlowIo> = seen.filter(|io| io.latency > limit).copied().collect();
    slow.sort_by_key(|io| io.offset);
    // What was in flight with a slow I/O waited for it: the first of them is the place.
    let held_up = queue_bytes(&row.workload);
    let mut spots: Vec<SlowSpot> = Vec::new();
    for io in slow {
        match spots.last_mut() {
            Some(spot) if io.offset.0 - spot.offset.0 <= held_up => {
                spot.latency = spot.latency.max(io.latency);
            }
            _ => spots.push(SlowSpot {
                offset: io.offset,
                length: io.length,
                latency: io.latency,
                again: None,
                beside: None,
            }),
        }
    }
    let is_echo = |before: &SlowSpot, spot: &SlowSpot| {
        let distance = u128::from(spot.offset.0 - before.offset.0);
        survey.visit == Visit::Ascending
            && distance * elapsed_ns(row) <= bytes_moved(row) * u128::from(ECHO.0)
    };
    keep_the_slowest(&mut spots, is_echo);
    Some(SlowSpots { limit, spots })
}

/// The slowest of these, which are in order of place. What is an echo of the one before is kept
/// only where there is room behind all that are none.
fn keep_the_slowest(spots: &mut Vec<SlowSpot>, is_echo: impl Fn(&SlowSpot, &SlowSpot) -> bool) {
    let mut before: Option<SlowSpot> = None;
    let mut ranked: Vec<(bool, SlowSpot)> = Vec::new();
    for spot in spots.drain(..) {
        let is_echo = before.is_some_and(|before| is_echo(&before, &spot));
        before = Some(spot);
        ranked.push((is_echo, spot));
    }
    let by_latency = |spot: &SlowSpot| (Reverse(spot.latency), spot.offset);
    ranked.sort_by_key(|(is_echo, spot)| (*is_echo, by_latency(spot)));
    ranked.truncate(REREAD_MAX);
    spots.extend(ranked.into_iter().map(|(_, spot)| spot));
    spots.sort_by_key(by_latency);
}

fn elapsed_ns(row: &Row) -> u128 {
    let trials = row.trials.iter();
    trials.map(|it| u128::from(it.outcome.elapsed.0)).sum()
}

fn bytes_moved(row: &Row) -> u128 {
    let trials = row.trials.iter();
    trials
        .map(|it| u128::from(it.outcome.bytes_moved().0))
        .sum()
}

/// Bytes that are in flight at the same time.
fn queue_bytes(workload: &Workload) -> u64 {
    let block = workload.blocks.largest().0;
    block.saturating_mul(workload.depth.into())
}

/// The plan that reads a place as before, with a queue before it and one behind; `None` where the
/// survey has ended before it.
fn reading(
    plan: &Plan,
    workload: &Workload,
    area: &Range<u64>,
    range: &Range<u64>,
) -> Option<Plan> {
    let queue = queue_bytes(workload);
    let start = range.start.saturating_sub(queue).max(area.start);
    let end = range.end.saturating_add(queue).min(area.end);
    let span = Some(Span {
        offset: Bytes(start),
        length: Bytes(end.checked_sub(start)?),
    });
    let mut files = workload.files.clone();
    files.uses.iter_mut().for_each(|part| part.span = span);
    let reread = Workload {
        span,
        files,
        work: Work::Survey(Survey {
            timeout: workload.survey()?.timeout,
            // Several places, so that I/Os are kept with their offsets.
            ..Survey::new(2, Visit::Ascending, Sample::Whole)
        }),
        limits: Limits::default(),
        ..workload.clone()
    };
    Some(Plan {
        stages: vec![Stage::alone(reread)],
        ..plan.clone()
    })
}

/// The longest I/O at a place; `None` where not all that is planned could be read.
fn longest(range: &Range<u64>, plan: &Plan, trial: &Trial) -> Option<Nanos> {
    let outcome = &trial.outcome;
    let planned = plan.stages[0].workloads[0].span?.length;
    // The way there is part of the I/Os before the place.
    let there = outcome.slowest.iter();
    let there = there.filter(|io| io.offset.0 >= range.start);
    let longest = there.map(|io| io.latency).max();
    longest.filter(|_| outcome.failures.is_empty() && outcome.bytes_moved() == planned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BackendKind, OperationTally, Outcome, StopReason, SurveySample};

    const MIB: u64 = 1 << 20;

    fn row(slowest: &[(u64, u64)]) -> Row {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Bytes);
        let mut reads = OperationTally::new(Operation::Read);
        (0..200).for_each(|_| reads.latency.record(5_000_000));
        reads.ios = 200;
        outcome.operations.push(reads);
        let io = |(mib, millis): &(u64, u64)| SlowIo {
            offset: Bytes(mib * MIB),
            length: Bytes(MIB),
            latency: Nanos(millis * 1_000_000),
        };
        outcome.slowest = slowest.iter().map(io).collect();
        let workload = Workload {
            depth: 8,
            work: Work::Survey(Survey::new(200, Visit::Ascending, Sample::Whole)),
            ..Workload::new("TRANSFER", Bytes(MIB))
        };
        let mut row = Row::new(workload);
        row.trials.push(Trial::new(outcome));
        row
    }

    #[test]
    fn neighbours_in_flight_are_one_place_and_what_is_usual_is_none() {
        let seen = [(500, 90), (501, 89), (493, 80), (900, 700), (100, 9)];
        let slow = slow_samples(&row(&seen)).unwrap();
        let offsets_mib: Vec<u64> = slow.spots.iter().map(|it| it.offset.0 / MIB).collect();
        assert_eq!(offsets_mib, [900, 493]);
    }

    /// A row of a disk of 1,000 GB with a place of each of its GB, and 8 MiB in flight.
    fn with_samples(slow: &[(u64, u64)]) -> Row {
        let mut row = row(slow);
        row.trials[0].outcome.samples = (0..1_000)
            .map(|number| SurveySample {
                offset: Bytes(number * 1_000 * MIB),
                bytes: Bytes(10 * MIB),
                ios: 10,
                elapsed: Nanos(50_000_000),
                latency_max: Nanos(5_000_000),
                distance: None,
            })
            .collect();
        row
    }

    /// Which of the places at these MiB of it are slow again, in order of place.
    fn distinguished(
        mib: &[u64],
        read: impl FnMut(Range<u64>) -> Option<Nanos>,
    ) -> Vec<Option<bool>> {
        let seen: Vec<(u64, u64)> = mib.iter().map(|at| (*at, 900)).collect();
        let row = with_samples(&seen);
        let mut slow = slow_samples(&row).unwrap();
        let ordinary = ordinary_samples(&row, &slow, &(0..1_000_000 * MIB));
        tell_apart(&mut slow, &ordinary, REREAD_MAX, read);
        let mut spots = slow.spots.clone();
        spots.sort_by_key(|spot| spot.offset);
        spots.iter().map(|it| slow.is_slow_again(it)).collect()
    }

    #[test]
    fn slow_again_is_what_is_slow_each_time_and_slower_than_what_is_read_beside_it() {
        let millis = |of: u64| Some(Nanos(of * 1_000_000));
        let is = |range: &Range<u64>, mib: u64| range.start == mib * MIB;
        let offsets_mib = [5_000, 700_000];
        // The second one is slow each time.
        let worn = |range: Range<u64>| millis(if is(&range, 700_000) { 600 } else { 5 });
        assert_eq!(distinguished(&offsets_mib, worn), [Some(false), Some(true)]);
        // It is slow every other time.
        let mut turn = 0;
        let weary = |range: Range<u64>| {
            turn += u64::from(is(&range, 700_000));
            millis(if is(&range, 700_000) && turn % 2 == 1 {
                600
            } else {
                5
            })
        };
        assert_eq!(
            distinguished(&offsets_mib, weary),
            [Some(false), Some(false)]
        );
        // All places are slow now.
        assert_eq!(
            distinguished(&offsets_mib, |_| millis(600)),
            [Some(false); 2]
        );
        // It ends in the second round.
        let mut reads = 0;
        let cut_short = |range: Range<u64>| {
            reads += 1;
            worn(range).filter(|_| reads < 12)
        };
        assert_eq!(distinguished(&offsets_mib, cut_short), [Some(false), None]);
        // Nothing was slow: nothing is read.
        assert_eq!(distinguished(&[], |_| unreachable!()), []);
        // Nothing can be read any more, or only what was slow.
        assert_eq!(distinguished(&offsets_mib, |_| None), [None; 2]);
        let alone = |range: Range<u64>| millis(600).filter(|_| is(&range, 5_000));
        assert_eq!(distinguished(&offsets_mib, alone), [None; 2]);
    }

    #[test]
    fn a_machine_that_is_slow_at_random_wears_no_place_out() {
        let offsets_mib: Vec<u64> = (0..10).map(|it| 5_000 + it * 90_000).collect();
        let mut state = 1_u64;
        // Half of all reads take up to a thousand times as long.
        let mut random = |_: Range<u64>| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let it = state >> 33;
            Some(Nanos(5_000_000 * (1 + it % 1_000 * (it / 1_000 % 2))))
        };
        let worn = (0..1_000).flat_map(|_| distinguished(&offsets_mib, &mut random));
        let worn = worn.filter(|it| *it == Some(true)).count();
        // (1 / 7)^3 of 10,000 places: 29 on average.
        assert!(worn < 60, "{worn}");
    }

    #[test]
    fn ordinary_places_are_others_each_round_where_nothing_was_slow() {
        let mut row = with_samples(&[(500_005, 90)]);
        for sample in &mut row.trials[0].outcome.samples[600..900] {
            sample.latency_max = Nanos(700_000_000);
        }
        let slow = slow_samples(&row).unwrap();
        let within = |area: Range<u64>| ordinary_samples(&row, &slow, &area);
        let all = within(0..1_000_000 * MIB);
        let chosen: Vec<Range<u64>> = (0..ROUNDS).flat_map(|it| ordinary_of(it, &all)).collect();
        assert_eq!(chosen.len(), ROUNDS * ORDINARY);
        for (number, range) in chosen.iter().enumerate() {
            assert!(chosen[..number].iter().all(|other| other != range));
            assert!(range.start != 500_000 * MIB);
            assert!(!(600_000 * MIB..900_000 * MIB).contains(&range.start));
        }
        assert_eq!(within(499_000 * MIB..501_000 * MIB).len(), 1);
        assert_eq!(within(9 * MIB..9 * MIB), []);
        assert_eq!(ordinary_of(0, &[]), []);
    }

    #[test]
    fn a_list_of_slow_places_has_an_end() {
        let many: Vec<(u64, u64)> = (0..60).map(|number| (number * 100, 100 + number)).collect();
        let slow = slow_samples(&row(&many)).unwrap();
        assert_eq!(slow.spots.len(), REREAD_MAX);
        assert_eq!(slow.spots[0].offset.0, 5_900 * MIB);
    }
}
