//! How long a job will go on, from its limits and from what it has done.

use sokudo_model::{Moved, Nanos, Phase, Rate, Workload};
use sokudo_report::number::{float, natural};

/// The time left, `since_start` of its stage; `None` when nothing limits it, or it has
/// not moved enough to tell.
pub(super) fn remaining(
    workload: &Workload,
    moved: &[Moved; 3],
    phase: Phase,
    since_start: Nanos,
) -> Option<Nanos> {
    let by_time = time_left(workload, since_start);
    let by_work = work_left(workload, moved, phase, since_start);
    by_time.into_iter().chain(by_work).min()
}

fn time_left(workload: &Workload, since_start: Nanos) -> Option<Nanos> {
    let time = workload.limits.time?;
    let end = workload.timing.starts_after.0 + workload.timing.ramp.0 + time.0;
    Some(Nanos(end.saturating_sub(since_start.0)))
}

/// In proportion to what is done; before anything is, by the fixed rate.
fn work_left(
    workload: &Workload,
    moved: &[Moved; 3],
    phase: Phase,
    since_start: Nanos,
) -> Option<Nanos> {
    let limits = &workload.limits;
    let passes = u64::from(limits.repeats) + 1;
    // What is read back and checked is moved once more.
    let read_back = workload.write_check().is_some_and(|it| it.read_back);
    let times = passes * u64::from(workload.threads) * if read_back { 2 } else { 1 };
    let bytes: u64 = moved.iter().map(|moved| moved.bytes.0).sum();
    let ios: u64 = moved.iter().map(|moved| moved.ios).sum();
    let done = [
        limits.bytes.map(|limit| (bytes, limit.0)),
        limits.ios.map(|limit| (ios, limit)),
    ];
    let done = done.into_iter().flatten();
    let done = done.map(|(done, limit)| (done, limit.saturating_mul(times)));
    let share = done
        .map(|(done, all)| float(done) / float(all.max(1)))
        .reduce(f64::max)?
        .min(1.0);
    let delay = workload.timing.starts_after.0.saturating_sub(since_start.0);
    if share > 0.0 && phase != Phase::Waiting {
        let running = float(since_start.0.saturating_sub(workload.timing.starts_after.0));
        return Some(Nanos(natural(running * (1.0 / share - 1.0))));
    }
    let bytes = limits.bytes?.0.saturating_mul(times);
    let Some(Rate::BytesPerSecond(rate)) = workload.pacing.rate else {
        return None;
    };
    let nanos = float(bytes) / float(rate.max(1)) * 1e9;
    Some(Nanos(delay + natural(nanos)))
}
