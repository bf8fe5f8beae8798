//! Whether what a run says it has counted can be added up.
//!
//! Sums over operations, trials and rows are made in many places. What was counted never comes
//! near 64 bits; what is read may say anything. It is bounded here, once, before it is used.

use crate::conditions::{ForeignUser, ProcessorEvidence};
use crate::imported::ImportedRun;
use crate::reported::ReportedSample;
use crate::run::Run;
use crate::trial::{OperationTally, Outcome, SeriesPoint, SurveySample, TrialEvidence};

/// All counts of a run together, bytes, I/Os and nanoseconds alike: 4.6 exabytes, or 146
/// years. A sum may count each of them several times. No offset is beyond it, either.
pub const COUNTED_MAX: u64 = 1 << 62;

/// Whether counts add up to no more than all of a run's do.
pub fn are_countable(counts: impl IntoIterator<Item = u64>) -> bool {
    let plus = |sum: u64, count| sum.checked_add(count).filter(|sum| *sum <= COUNTED_MAX);
    counts.into_iter().try_fold(0, plus).is_some()
}

impl Run {
    /// Whether sums over its counts stay within 64 bits.
    pub fn is_countable(&self) -> bool {
        let trials = || self.rows.iter().flat_map(|row| &row.trials);
        let reports = self.rows.iter().filter_map(|row| row.reported.as_deref());
        let reported_counts =
            reports.flat_map(|report| reported(&report.samples, &report.histogram));
        let counts = trials().flat_map(|it| counts_of_trial(&it.outcome, &it.evidence));
        let together = || trials().filter_map(|trial| trial.together.as_deref());
        let hosts = || together().flat_map(|it| &it.hosts);
        let of_hosts = hosts().flat_map(|it| {
            let moved = [it.in_window.bytes.0, it.in_window.ios, it.slowest.0];
            counts_of_trial(&it.outcome, &it.evidence).chain(moved)
        });
        let instants = together().flat_map(|it| {
            let window = [it.from, it.to, it.first_began, it.last_ended];
            window.into_iter().chain([it.skew, it.clock_uncertainty])
        });
        let ranks = self.hosts.iter().map(|host| u64::from(host.ranks));
        let sizes = self.rows.iter().map(|row| row.workload.blocks.largest().0);
        let reported_rows = self.rows.iter().filter_map(|row| row.reported.as_deref());
        let offsets =
            reported_rows.flat_map(|report| report.samples.iter().map(|sample| sample.offset.0));
        // How many processes there were is a number of 32 bits.
        ranks.sum::<u64>() <= u32::MAX.into()
            && are_countable(counts.chain(reported_counts).chain(of_hosts))
            && trials()
                .map(|trial| &trial.outcome)
                .chain(hosts().map(|host| &host.outcome))
                .flat_map(marks)
                .chain(instants.map(|instant| instant.0))
                .chain(sizes)
                .chain(offsets)
                .all(|mark| mark <= COUNTED_MAX)
    }
}

impl ImportedRun {
    /// Whether sums over its counts stay within 64 bits.
    pub fn is_countable(&self) -> bool {
        let rows = self.rows.iter();
        are_countable(rows.flat_map(|row| reported(&row.reported.samples, &row.reported.histogram)))
    }
}

fn reported(samples: &[ReportedSample], histogram: &[[u64; 3]]) -> impl Iterator<Item = u64> {
    let samples = samples.iter();
    let samples = samples.flat_map(|sample| [sample.bytes.0, sample.elapsed.0]);
    samples.chain(histogram.iter().map(|[_, _, count]| *count))
}

fn counts_of_trial<'a>(
    outcome: &'a Outcome,
    evidence: &'a TrialEvidence,
) -> impl Iterator<Item = u64> + 'a {
    let device = evidence.device.iter().flat_map(|device| {
        [
            device.read_ios,
            device.read_bytes,
            device.written_ios,
            device.written_bytes,
            device.flushes,
            device.merged_reads,
            device.merged_writes,
        ]
    });
    let users = evidence.foreign.iter().flat_map(|foreign| &foreign.users);
    let users = users.flat_map(|user: &ForeignUser| [user.read_bytes, user.written_bytes]);
    let processors = evidence.processors.iter();
    let processors = processors.flat_map(|seen: &ProcessorEvidence| {
        let times = [seen.own, seen.programs, seen.kernel, seen.stolen];
        let times = times.map(|time| time.unwrap_or_default().0);
        let throttled = seen.throttled.iter().flat_map(|it| [it.periods, it.time.0]);
        times.into_iter().chain([seen.elapsed.0]).chain(throttled)
    });
    counts(outcome).chain(device).chain(users).chain(processors)
}

fn counts(outcome: &Outcome) -> impl Iterator<Item = u64> + '_ {
    let of_point = |point: &SeriesPoint| [point.bytes.0, point.ios];
    let of_sample = |sample: &SurveySample| [sample.bytes.0, sample.ios, sample.elapsed.0];
    let of_tally = |tally: &OperationTally| {
        let OperationTally { ios, bytes, .. } = tally;
        [*ios, bytes.0, tally.elapsed.0, tally.short_ios]
    };
    let ramp = outcome.in_ramp.iter();
    let edges = outcome.window.iter();
    let edges = edges.flat_map(|it| [it.settled, it.drained, it.carried_in, it.carried_out]);
    let verified = outcome.verified.iter();
    let cpu = outcome.cpu.iter();
    let usage = outcome.usage.iter();
    let depths = outcome.depths.iter();
    let tallies = || outcome.operations.iter();
    [outcome.elapsed.0, outcome.read_aside.0]
        .into_iter()
        .chain(tallies().flat_map(of_tally))
        .chain(tallies().flat_map(|tally| &tally.series).flat_map(of_point))
        .chain(outcome.series.iter().flat_map(of_point))
        .chain(outcome.samples.iter().flat_map(of_sample))
        .chain(outcome.defects.iter().map(|defect| defect.length.0))
        .chain(outcome.failures.iter().map(|failure| failure.count))
        .chain(ramp.flat_map(|moved| [moved.bytes.0, moved.ios]))
        .chain(edges.map(|edge| edge.0))
        .chain(outcome.window.iter().map(|it| it.late.0))
        .chain(tallies().map(|tally| tally.late_ios))
        .chain(verified.flat_map(|found| [found.checked, found.wrong]))
        .chain(cpu.flat_map(|cpu| [cpu.user.0, cpu.system.0]))
        .chain(usage.flat_map(|usage| [usage.context_switches, usage.major_faults]))
        .chain(outcome.usage.iter().map(|usage| usage.minor_faults))
        .chain(
            outcome
                .usage
                .iter()
                .filter_map(|usage| usage.waited)
                .map(|time| time.0),
        )
        .chain(depths.flat_map(|it| [it.level, it.submitted, it.completed].concat()))
}

/// Where and when something was, to which lengths are added.
fn marks(outcome: &Outcome) -> impl Iterator<Item = u64> + '_ {
    let tallies = outcome.operations.iter();
    let points = tallies.flat_map(|tally| &tally.series);
    let samples = outcome.samples.iter();
    let durable = outcome.durable_after.iter().map(|after| after.0);
    points
        .chain(&outcome.series)
        .map(|point| point.at.0)
        .chain(samples.flat_map(|sample| [sample.offset.0, sample.latency_max.0]))
        .chain(outcome.defects.iter().map(|defect| defect.offset.0))
        .chain(outcome.failures.iter().map(|failure| failure.offset.0))
        .chain([outcome.started_after.0])
        .chain(durable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_countable_up_to_the_limit_of_their_sum() {
        assert!(are_countable([]));
        assert!(are_countable([COUNTED_MAX - 1, 1, 0]));
        assert!(!are_countable([COUNTED_MAX, 1]));
        assert!(!are_countable([u64::MAX, u64::MAX]));
    }
}
