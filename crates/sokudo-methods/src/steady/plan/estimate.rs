//! How long a procedure takes and how much it writes, before it has begun: times as they
//! are planned, and bytes at an assumed rate.

use sokudo_model::{
    Bytes, Nanos, Operation, SteadyEstimate, SteadyPhase, SteadyPhaseKind, SteadyWindow, Workload,
    narrow,
};
use sokudo_words::{Text, text};

use crate::argument_checks::Assumed;

/// Sizes, rates and times are what a user says: 584 years are as long as any longer time, and
/// 16 EiB as much as any more.
const COST_MAX: u64 = u64::MAX;

/// Time and bytes of one turn of a row.
#[derive(Clone, Copy, Default)]
struct TrialCost {
    time: u64,
    written: u64,
}

pub(super) fn estimate(
    workloads: &[Workload],
    phases: &[SteadyPhase],
    assumed: Assumed,
) -> SteadyEstimate {
    let mut least = TrialCost::default();
    let mut most = TrialCost::default();
    let mut rows = workloads.iter();
    for phase in phases {
        let count = narrow(phase.rows);
        let turns = rows.by_ref().take(count).map(|row| turn(row, &assumed));
        let round = turns.fold(TrialCost::default(), |sum, turn| TrialCost {
            time: sum.time.saturating_add(turn.time),
            written: sum.written.saturating_add(turn.written),
        });
        let rounds_min = match phase.kind {
            SteadyPhaseKind::Rounds => SteadyWindow::PTS.rounds_min().min(phase.rounds_max),
            _ => 1,
        };
        least.time = least
            .time
            .saturating_add(round.time.saturating_mul(rounds_min.into()));
        let all = u64::from(phase.rounds_max);
        most.time = most.time.saturating_add(round.time.saturating_mul(all));
        let written = round.written.saturating_mul(all);
        // The round in which the limit is reached is carried out to its end.
        let bounded = phase.written_bytes_max.map_or(written, |limit| {
            written.min(limit.0.saturating_add(round.written))
        });
        most.written = most.written.saturating_add(bounded);
        if phase.kind == SteadyPhaseKind::Precondition {
            least.written = least.written.saturating_add(round.written);
        }
    }
    SteadyEstimate {
        time_min: Nanos(least.time),
        time_max: Nanos(most.time),
        written_bytes_min: Bytes(least.written),
        written_bytes_max: Bytes(most.written),
        assumptions: assumptions(assumed),
    }
}

fn assumptions(assumed: Assumed) -> Vec<Text> {
    vec![
        text!(
            "{} MB/s are assumed, as for {}",
            assumed.bytes_per_s / 1_000_000,
            assumed.source
        ),
        "small and random blocks write less than that".into(),
    ]
}

fn turn(row: &Workload, assumed: &Assumed) -> TrialCost {
    let rate = u128::from(assumed.bytes_per_s.max(1));
    let bounded = |value: u128| u64::try_from(value).unwrap_or(COST_MAX);
    let percent = u128::from(row.operations.percent(Operation::Write));
    match (row.limits.time, row.limits.bytes) {
        (Some(time), _) => TrialCost {
            time: time.0,
            written: bounded(rate * u128::from(time.0) / 1_000_000_000 * percent / 100),
        },
        (None, Some(Bytes(bytes))) if percent > 0 => TrialCost {
            time: bounded(u128::from(bytes) * 1_000_000_000 / rate),
            written: bytes,
        },
        _ => TrialCost::default(),
    }
}
