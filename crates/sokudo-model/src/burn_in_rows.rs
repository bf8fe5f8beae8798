//! What the rows of a burn-in say of its disks.

use std::ops::Range;

use crate::burn_in::{BurnIn, BurnInDisk, BurnInWork, FailedRanges, WrongBlock};
use crate::disk_assessment::DiskAssessment;
use crate::narrow::narrow;
use crate::plan::Operation;
use crate::run::Run;
use crate::sharing::disk_of;
use crate::target::TargetInfo;
use crate::trial::{MismatchKind, Outcome, Row, StopReason};
use crate::units::Bytes;

/// What a row of a burn-in does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BurnInPart {
    Write,
    ReadBack,
    Scan,
}

impl BurnInPart {
    fn of(row: &Row) -> Self {
        let is_sealed = row.workload.seal().is_some();
        match row.workload.operations.single() {
            _ if !is_sealed => Self::Scan,
            Some(Operation::Write) => Self::Write,
            _ => Self::ReadBack,
        }
    }
}

impl BurnInDisk {
    /// What the rows of a run say of its disks, in the order of the targets, each with an
    /// assessment that says nothing.
    pub fn all_of(run: &Run, burn_in: &BurnIn) -> Vec<Self> {
        let of_one = |(number, target): (u32, &TargetInfo)| {
            let rows = run.rows.iter();
            let rows = rows.filter(|row| row.workload.targets() == [narrow::<u32, usize>(number)]);
            let disk = Self::of_rows(&target.name, &rows.collect::<Vec<_>>());
            Self {
                is_whole: disk.is_whole && burn_in.is_tested(target),
                ..disk
            }
        };
        (0..).zip(run.all_targets()).map(of_one).collect()
    }

    fn of_rows(name: &str, rows: &[&Row]) -> Self {
        let work = |part| {
            let rows = rows.iter().copied();
            BurnInWork::of(rows.filter(|row| BurnInPart::of(row) == part))
        };
        let checks = || outcomes(rows).filter_map(|outcome| outcome.verified.as_ref());
        let checked: u64 = checks().map(|check| check.checked).sum();
        let read_back = rows.iter().copied();
        let read_back = read_back.filter(|row| BurnInPart::of(row) == BurnInPart::ReadBack);
        let read_back: Vec<&Row> = read_back.collect();
        let read: u64 = outcomes(&read_back).map(Outcome::ios).sum();
        let first = checks().flat_map(|check| &check.mismatches).next();
        let [written, read_back, scanned] =
            [BurnInPart::Write, BurnInPart::ReadBack, BurnInPart::Scan].map(work);
        let all = [written, read_back, scanned];
        let named = rows.first().and_then(|row| disk_of(&row.workload.name));
        Self {
            name: name.to_owned(),
            label: named.map(str::to_owned),
            unwritable: FailedRanges::of(outcomes(rows), true),
            unreadable: FailedRanges::of(outcomes(rows), false),
            is_whole: all.iter().all(|work| work.rows_done == work.rows) && read <= checked,
            written,
            read_back,
            scanned,
            blocks: checked,
            unchecked_blocks: read.saturating_sub(checked),
            wrong_blocks: checks().map(|check| check.wrong).sum(),
            first_wrong: first.map(|wrong| WrongBlock {
                offset: wrong.offset,
                detail: wrong.detail.clone(),
                is_of_another_offset: wrong.kind == MismatchKind::WrongOffset,
            }),
            slow_samples: slow_samples(rows),
            assessment: DiskAssessment {
                answer: None,
                points: Vec::new(),
            },
        }
    }
}

impl FailedRanges {
    fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>, is_write: bool) -> Self {
        let defects = outcomes.flat_map(|outcome| &outcome.defects);
        let meant = defects.filter(|it| (it.operation == Operation::Write) == is_write);
        let ranges = merged(meant.map(|it| (it.offset, it.length)));
        Self {
            bytes: Bytes(ranges.iter().map(|range| range.end - range.start).sum()),
            first: ranges.first().map(|range| Bytes(range.start)),
        }
    }
}

impl BurnInWork {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut work = Self::default();
        let mut planned = 0;
        for row in rows {
            work.rows += 1;
            let is_sealed = row.workload.seal().is_some();
            planned += row
                .workload
                .span
                .filter(|_| is_sealed)
                .map_or(0, |it| it.length.0);
            let Some(trial) = row.trials.first() else {
                continue;
            };
            let outcome = &trial.outcome;
            work.rows_done += u32::from(is_whole(row, outcome));
            work.is_given_up |= outcome.stopped == StopReason::Failed;
            work.done.0 += outcome.bytes_moved().0;
            work.elapsed.0 += outcome.elapsed.0;
        }
        work.planned = (planned > 0).then_some(Bytes(planned));
        work
    }
}

fn outcomes<'a>(rows: &'a [&Row]) -> impl Iterator<Item = &'a Outcome> {
    rows.iter()
        .flat_map(|row| &row.trials)
        .map(|trial| &trial.outcome)
}

/// How many places were slow again, in whatever rows and how many of them.
pub fn slow_samples(rows: &[&Row]) -> u64 {
    let slow = rows.iter().filter_map(|row| row.slow.as_deref());
    let again = slow.flat_map(|slow| {
        let spots = slow.spots.iter();
        spots.filter(|spot| slow.is_slow_again(spot) == Some(true))
    });
    merged(again.map(|it| (it.offset, it.length))).len() as u64
}

/// Ranges of these offsets and lengths, those that overlap made one, in order.
fn merged(ranges: impl Iterator<Item = (Bytes, Bytes)>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = ranges
        .map(|(offset, length)| offset.0..offset.0.saturating_add(length.0))
        .collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Whether all places of a row were visited.
fn is_whole(row: &Row, outcome: &Outcome) -> bool {
    let sample_count = row
        .workload
        .survey()
        .map_or(0, |survey| survey.sample_count);
    outcome.left_at.is_none() && outcome.samples.len() >= sample_count as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BackendKind, Workload};
    use crate::trial::{Defect, FailureKind, SlowSpot, SlowSpots};
    use crate::units::Nanos;

    fn outcome(defects: &[(u64, u64, Operation)]) -> Outcome {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Bytes);
        let defect = |(offset, length, operation): &(u64, u64, Operation)| Defect {
            operation: *operation,
            offset: Bytes(*offset),
            length: Bytes(*length),
            kind: FailureKind::Errno(5),
        };
        outcome.defects = defects.iter().map(defect).collect();
        outcome
    }

    #[test]
    fn a_place_that_is_slow_in_several_rows_counts_once() {
        let of = |spots: &[(u64, u64)]| {
            let spot = |(offset, again): &(u64, u64)| SlowSpot {
                offset: Bytes(*offset),
                length: Bytes(100),
                latency: Nanos(90),
                again: Some(Nanos(*again)),
                beside: Some(Nanos(20)),
            };
            let mut row = Row::new(Workload::new("READ BACK", Bytes(100)));
            row.slow = Some(Box::new(SlowSpots {
                limit: Nanos(10),
                spots: spots.iter().map(spot).collect(),
            }));
            row
        };
        // One that was no slower again than ordinary places, and one that is the first of all.
        let rows = [of(&[(5_000, 80), (700, 15), (0, 80)]), of(&[(5_050, 80)])];
        assert_eq!(slow_samples(&[&rows[0], &rows[1]]), 2);
        assert_eq!(slow_samples(&[]), 0);
    }

    #[test]
    fn what_fails_in_several_passes_counts_once() {
        use Operation::{Read, Write};
        let passes = [
            outcome(&[(100, 10, Read), (200, 10, Read), (0, 50, Write)]),
            outcome(&[(105, 10, Read), (200, 5, Read)]),
        ];
        let of = |is_write| FailedRanges::of(passes.iter(), is_write);
        assert_eq!(
            (of(false).bytes, of(false).first),
            (Bytes(25), Some(Bytes(100)))
        );
        assert_eq!(
            (of(true).bytes, of(true).first),
            (Bytes(50), Some(Bytes(0)))
        );
        assert_eq!(FailedRanges::of([].iter(), true), FailedRanges::default());
    }
}
