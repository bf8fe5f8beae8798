//! What a look at the surface of a disk has shown, and what became of its speed meanwhile.

use sokudo_model::{
    AssessedPoint, Bytes, DiskAnswer, Inference, MethodTrait, Operation, Row, Run, SurveySample,
    TargetKind, narrow, slow_samples,
};
use sokudo_words::{Text, text};

use super::speed::{is_of_speed, is_proven};
use crate::case::RowContext;
use crate::code::Code;
use crate::drift;
use crate::expectations::expectations;
use crate::explain::capacity::capacity;
use crate::explain::evidence::to_float;
use crate::explain::grouped;
use crate::rule;

/// The surface was read, all of it or a part.
const SURFACE: &str = "surface";
/// The same of a part: of the rest it says nothing.
const SURFACE_SAMPLED: &str = "surface-sampled";
const SLOW_SAMPLES: &str = "slow-places";
const SPEED_FELL: &str = "speed-fell";
pub(super) const CAPACITY: &str = "real-capacity";

/// Whether it says something good of a part of the disk alone: nothing of how fast or well it is.
pub(super) fn is_of_part(point: &AssessedPoint) -> bool {
    let is_of_it = [SURFACE_SAMPLED, SLOW_SAMPLES, CAPACITY].contains(&&*point.code);
    is_of_it && point.answer == Some(DiskAnswer::Ok)
}

/// Whether all of it was read.
pub(super) fn is_whole(points: &[AssessedPoint]) -> bool {
    points.iter().any(|point| point.code == SURFACE)
}

/// Every point about the surface, and about what does not last.
pub(super) fn points(run: &Run) -> Vec<AssessedPoint> {
    let mut points: Vec<AssessedPoint> = speed_fell(run).into_iter().collect();
    if run.plan.method.is(MethodTrait::AsksForDisk) {
        let capacity = real_capacity(run);
        let is_false = |it: &AssessedPoint| it.answer == Some(DiskAnswer::NotOk);
        let surface = surface(run).map(|point| match capacity.as_ref().is_some_and(is_false) {
            false => point,
            true => AssessedPoint {
                answer: None,
                found: "blocks beyond its real size are not its own".into(),
                ..point
            },
        });
        points.extend(surface);
        points.extend(slow(run));
        points.extend(capacity);
    }
    points
}

/// Rows that visit positions of the disk, and only read.
fn surveys(run: &Run) -> impl Iterator<Item = &Row> {
    run.rows.iter().filter(|row| {
        let reads = row.workload.operations.single() == Some(Operation::Read);
        reads && row.workload.survey().is_some() && !row.trials.is_empty()
    })
}

/// How much of it could be read; `None` where nothing was visited, or something could not be read,
/// which stands elsewhere.
fn surface(run: &Run) -> Option<AssessedPoint> {
    // What a cache has answered shows nothing of the disk.
    let from_device = surveys(run).filter(|row| is_of_device(row));
    let row = from_device.max_by_key(|row| bytes_read(row))?;
    let is_readable = surveys(run).all(|row| {
        let mut outcomes = row.trials.iter().map(|trial| &trial.outcome);
        outcomes.all(|outcome| outcome.defects.is_empty() && outcome.failures.is_empty())
    });
    let target = row.workload.targets().first().copied()?;
    let target = run.all_targets().get(target)?;
    let size = target.size_bytes.filter(|size| size.0 > 0)?;
    let device = target.devices.first();
    let device = device.filter(|_| target.kind != TargetKind::Simulated);
    let name = device.map_or(&target.name, |device| &device.name);
    let share = bytes_read(row) as f64 / size.0 as f64;
    let expected = &expectations().unreadable_sectors;
    let ok = Some(DiskAnswer::Ok);
    is_readable.then(|| match is_read_whole(row, size) {
        true => expected.point(SURFACE, ok, text!("all {size} of {name} can be read")),
        false => {
            let count = grouped(to_float(narrow::<usize, u64>(samples(row).len())));
            let share = sampled(share);
            let found = text!("{count} positions of {name}, {share} of it, can be read");
            expected.point(SURFACE_SAMPLED, ok, found)
        }
    })
}

/// Whether what a row has read came from the disk.
pub(super) fn is_of_device(row: &Row) -> bool {
    let findings = row.assessment.iter().flat_map(|it| &it.findings);
    let mut codes = findings.map(|finding| rule::code_named(&finding.code));
    !codes.any(|code| code.is_some_and(Code::may_be_of_cache))
}

/// Whether a row has visited all that it was to visit.
pub(super) fn has_visited_all(row: &Row) -> bool {
    let planned = row.workload.survey().map(|survey| survey.sample_count);
    planned.is_some_and(|planned| samples(row).len() >= narrow::<u32, usize>(planned))
}

/// What was visited the first time.
fn samples(row: &Row) -> &[SurveySample] {
    let first = row.trials.first();
    first.map_or(&[][..], |trial| &trial.outcome.samples)
}

fn bytes_read(row: &Row) -> u64 {
    samples(row).iter().map(|sample| sample.bytes.0).sum()
}

/// Whether all of a target was read, but for less than a block at its end.
fn is_read_whole(row: &Row, size: Bytes) -> bool {
    let rest = size.0.saturating_sub(bytes_read(row));
    has_visited_all(row) && rest < row.workload.blocks.largest().0
}

fn sampled(share: f64) -> Text {
    match share * 100.0 {
        percent if percent < 0.1 => "less than 0.1 %".into(),
        percent if percent < 10.0 => text!("{percent:.1} %"),
        percent => text!("{percent:.0} %"),
    }
}

/// Whether positions were slow each time that they were read.
fn slow(run: &Run) -> Option<AssessedPoint> {
    let rows: Vec<&Row> = surveys(run)
        .filter(|row| row.slow.is_some() && is_of_device(row))
        .collect();
    (!rows.is_empty()).then(|| slow_samples_point(SLOW_SAMPLES, slow_samples(&rows)))
}

/// What so many positions say that are far slower than the others each time.
pub fn slow_samples_point(code: &str, slow: u64) -> AssessedPoint {
    let expected = &expectations().burn_in_slow;
    match slow {
        0 => expected.point(
            code,
            Some(DiskAnswer::Ok),
            "no place is far slower than the others each time that it is read".into(),
        ),
        count => AssessedPoint {
            remedy: "look at them (--plot-kind map), and scan it again in a week: places that come up again are wearing out".into(),
            ..expected.point(
                code,
                Some(DiskAnswer::OkBut),
                text!("places that take far longer than the others each time that they are read: {count}"),
            )
        },
    }
}

/// The row that fell furthest within the run.
fn speed_fell(run: &Run) -> Option<AssessedPoint> {
    // Other load, or a limit that is not the disk's, makes a row fall, too.
    let rows = run.rows.iter();
    let rows = rows.filter(|row| is_of_speed(row) && is_proven(row));
    let falls = rows.filter_map(|row| {
        let (before, after) = drift::fell_to_half(&RowContext { run, row })?;
        Some((row, before, after))
    });
    let (row, before, after) =
        falls.min_by(|one, other| (one.2 / one.1).total_cmp(&(other.2 / other.1)))?;
    let operation = row.workload.operations.single();
    let direction = operation.map_or("", |operation| operation.name());
    let found = text!(
        "{} {} fell from {before_mb_per_s:.1} to {after_mb_per_s:.1} MB/s within the run",
        Text::name(&*row.workload.name),
        Text::from(direction),
        before_mb_per_s = before / 1e6,
        after_mb_per_s = after / 1e6
    );
    Some(AssessedPoint {
        remedy: "sokudo fill shows the sustained rate; sokudo explain shows why".into(),
        ..expectations()
            .speed_kept
            .point(SPEED_FELL, Some(DiskAnswer::OkBut), found)
    })
}

/// Whether it holds as much as it says, where that was tried.
fn real_capacity(run: &Run) -> Option<AssessedPoint> {
    let Inference { code, claim, .. } = capacity(run)?;
    let answer = match code.as_str() {
        "capacity-as-stated" => DiskAnswer::Ok,
        _ => DiskAnswer::NotOk,
    };
    let point = expectations()
        .real_capacity
        .point(CAPACITY, Some(answer), claim);
    Some(match answer {
        DiskAnswer::Ok => point,
        _ => AssessedPoint {
            remedy: "keep nothing on it that matters, and return it".into(),
            ..point
        },
    })
}
