//! The figures of every reported job, and of every group, with fio's meaning of each.
//!
//! With `group_reporting` the jobs of a group are one: counts, times of processors and
//! sampled rates add up, run times do not.

use std::borrow::Cow;

use sokudo_model::{Depths, Nanos, Operation, OperationTally, Outcome, Row, StopReason, Workload};
use sokudo_stats::Histogram;

use crate::fio::session::{FioJob, UnifiedReporting};

use super::FioReport;
use super::failure::error_number;
use super::steady::SteadyReport;

mod direction;

use direction::add_histogram;
pub(super) use direction::{DirectionFigures, per_second, samples};
use sokudo_report::number::float;

/// Reads, writes and trims.
pub(super) const DIRECTIONS: [Operation; 3] = [Operation::Read, Operation::Write, Operation::Trim];

/// What is reported as one job.
pub(super) struct JobFigures<'a> {
    /// The job, or the first of its group.
    pub(super) job: &'a FioJob,
    /// What is echoed: the options of the last of these jobs, as fio has it.
    pub(super) options: &'a [(String, String)],
    /// How many jobs it is made of.
    pub(super) members: u32,
    /// The first error; 0 for none.
    pub(super) error: i32,
    pub(super) directions: [DirectionFigures; 3],
    /// Calls of fsync(2) between I/Os, which are all that fio counts.
    pub(super) flushes: u64,
    /// How long all calls took that made writes durable.
    pub(super) flush: Option<Histogram>,
    /// Milliseconds of all members together.
    pub(super) runtime_ms: u64,
    pub(super) user_ms: f64,
    pub(super) system_ms: f64,
    pub(super) context_switches: u64,
    pub(super) major_faults: u64,
    pub(super) minor_faults: u64,
    pub(super) depths: Depths,
    pub(super) classes: LatencyClasses,
    pub(super) steady: Option<SteadyReport>,
}

/// Completions by their latency.
#[derive(Clone, Copy, Default)]
pub(super) struct LatencyClasses {
    /// Below 2, 4, 10, 20, 50, 100, 250, 500, 750 and 1000 ns.
    pub(super) nanos: [u64; 10],
    /// The same of microseconds.
    pub(super) micros: [u64; 10],
    /// The same of milliseconds, then below 2 s, then all others.
    pub(super) millis: [u64; 12],
}

/// The upper ends of [`LatencyClasses`].
pub(super) const CLASS_ENDS: [u64; 11] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000];

/// What a group did in one direction.
#[derive(Clone, Copy, Default)]
pub(super) struct GroupDirection {
    pub(super) bytes: u64,
    /// Shortest and longest run time, milliseconds.
    pub(super) runtime_ms: [u64; 2],
    /// Lowest and highest bandwidth of a job, bytes per second.
    pub(super) bandwidth: [u64; 2],
    /// Bytes of all jobs over the longest run time, per second.
    pub(super) aggregate: u64,
}

/// A direction as it is reported, with what its group did in it.
pub(super) struct ReportedDirection<'a> {
    /// `read`, `write`, `trim`, or `mixed` for all together.
    pub(super) name: &'static str,
    pub(super) figures: Cow<'a, DirectionFigures>,
    pub(super) group: GroupDirection,
    /// All directions, which are reported by themselves as well.
    pub(super) is_sum: bool,
}

/// What a group did.
#[derive(Clone)]
pub(super) struct GroupFigures<'a> {
    pub(super) directions: [GroupDirection; 3],
    /// The last job, whose `kb_base`, `unit_base` and digits the group is printed with.
    pub(super) job: &'a FioJob,
    /// Whether any job reports its directions as one.
    pub(super) unified: UnifiedReporting,
}

impl GroupFigures<'_> {
    /// Whether its units are powers of two.
    pub(super) fn is_binary(&self) -> bool {
        self.job.reporting.kb_base.is_power_of_two()
    }
}

/// Every reported job, in order.
pub(super) fn jobs<'a>(report: &FioReport<'a>) -> Vec<JobFigures<'a>> {
    let mut reported: Vec<JobFigures> = Vec::new();
    for (index, (job, row)) in report.session.jobs.iter().zip(&report.run.rows).enumerate() {
        let joins =
            |last: &JobFigures| job.reporting.group_reporting && last.job.group == job.group;
        if !reported.last().is_some_and(joins) {
            reported.push(JobFigures::new(job));
        }
        let figures = reported
            .last_mut()
            .expect("one was pushed if there was none");
        figures.options = &job.options;
        let outcome = report.outcome(index);
        if outcome.is_none() && figures.error == 0 {
            figures.error = report.not_started;
        }
        figures.add(row, outcome);
    }
    reported
}

/// Of `flushes`, those that fio counts: neither those of fdatasync(2) nor those at the end
/// of a pass. Either rule is due before the write that follows so many.
fn counted_flushes(flushes: u64, workload: &Workload, outcome: &Outcome) -> u64 {
    let durability = &workload.durability;
    let Some(every) = durability.fsync_every.map(u64::from) else {
        return 0;
    };
    if durability.fdatasync_every.is_some() {
        let writes = outcome.operation(Operation::Write).map_or(0, |t| t.ios);
        return (writes.saturating_sub(1) / every.max(1)).min(flushes);
    }
    let ends = durability.final_flush || durability.flush_on_close;
    let is_complete = !matches!(outcome.stopped, StopReason::Cancelled | StopReason::Failed);
    let files = workload.files.uses.len().max(1) as u64;
    let passes = u64::from(workload.limits.repeats) + 1;
    match ends && is_complete {
        true => flushes.saturating_sub(files * passes),
        false => flushes,
    }
}

/// Every group, in order of its number.
pub(super) fn groups<'a>(jobs: &[JobFigures<'a>]) -> Vec<GroupFigures<'a>> {
    let mut groups: Vec<GroupFigures> = Vec::new();
    for figures in jobs {
        let number = figures.job.group as usize;
        let unified = figures.job.reporting.unified;
        while groups.len() <= number {
            groups.push(GroupFigures {
                directions: [GroupDirection::default(); 3],
                job: figures.job,
                unified,
            });
        }
        let group = &mut groups[number];
        group.job = figures.job;
        if unified != UnifiedReporting::Separate {
            group.unified = unified;
        }
        for (sum, direction) in group.directions.iter_mut().zip(&figures.directions) {
            sum.add(direction);
        }
    }
    groups
}

impl<'a> JobFigures<'a> {
    fn new(job: &'a FioJob) -> Self {
        Self {
            job,
            options: &job.options,
            members: 0,
            error: 0,
            directions: Default::default(),
            flushes: 0,
            flush: None,
            runtime_ms: 0,
            user_ms: 0.0,
            system_ms: 0.0,
            context_switches: 0,
            major_faults: 0,
            minor_faults: 0,
            depths: Depths::default(),
            classes: LatencyClasses::default(),
            steady: None,
        }
    }

    fn add(&mut self, row: &Row, outcome: Option<&Outcome>) {
        self.members += 1;
        self.steady = SteadyReport::of(row, outcome);
        let Some(outcome) = outcome else { return };
        if self.error == 0 {
            self.error = error_number(outcome);
        }
        for (index, operation) in DIRECTIONS.into_iter().enumerate() {
            if let Some(tally) = outcome.operation(operation) {
                self.add_direction(index, tally, row, outcome);
            }
        }
        if let Some(tally) = outcome.operation(Operation::Flush) {
            self.flushes += counted_flushes(tally.ios, &row.workload, outcome);
            add_histogram(&mut self.flush, Some(&tally.latency));
        }
        self.runtime_ms += outcome.elapsed.0 / 1_000_000;
        if let Some(cpu) = outcome.cpu {
            self.user_ms += milliseconds(cpu.user);
            self.system_ms += milliseconds(cpu.system);
        }
        let usage = outcome.usage.unwrap_or_default();
        self.context_switches += usage.context_switches;
        self.major_faults += usage.major_faults;
        self.minor_faults += usage.minor_faults;
        let depths = outcome
            .depths
            .unwrap_or_else(|| uncounted_depths(outcome, row.workload.depth));
        add_counts(&mut self.depths.level, &depths.level);
        add_counts(&mut self.depths.submitted, &depths.submitted);
        add_counts(&mut self.depths.completed, &depths.completed);
    }

    fn add_direction(&mut self, index: usize, tally: &OperationTally, row: &Row, all: &Outcome) {
        let reporting = &self.job.reporting;
        let target = match reporting.unified {
            UnifiedReporting::Mixed => 0,
            UnifiedReporting::Separate | UnifiedReporting::Both => index,
        };
        let mut figures = DirectionFigures::of(tally, row, all);
        if reporting.disable_slat {
            figures.submission = None;
        }
        if reporting.disable_clat {
            figures.completion = None;
        }
        if reporting.disable_lat {
            figures.total = None;
        }
        if let Some(completion) = &figures.completion {
            self.classes.count(completion);
        }
        self.directions[target].add(&figures);
    }

    /// I/Os of all directions.
    pub(super) fn ios(&self) -> u64 {
        self.directions.iter().map(|direction| direction.ios).sum()
    }

    /// The directions as they are reported: as one, by themselves, or both.
    pub(super) fn reported(&self, group: &GroupFigures) -> Vec<ReportedDirection<'_>> {
        let unified = self.job.reporting.unified;
        let names = match unified {
            UnifiedReporting::Mixed => &["mixed"][..],
            UnifiedReporting::Separate | UnifiedReporting::Both => &["read", "write", "trim"],
        };
        let apart = names.iter().zip(&self.directions).zip(group.directions);
        let apart = apart.map(|((name, figures), group)| ReportedDirection {
            name,
            figures: Cow::Borrowed(figures),
            group,
            is_sum: false,
        });
        let sum = (unified == UnifiedReporting::Both).then(|| ReportedDirection {
            name: "mixed",
            figures: Cow::Owned(self.mixed()),
            group: GroupDirection::mixed(&group.directions),
            is_sum: true,
        });
        apart.chain(sum).collect()
    }

    fn mixed(&self) -> DirectionFigures {
        let mut mixed = DirectionFigures::default();
        self.directions.iter().for_each(|it| mixed.add(it));
        mixed
    }

    /// Processor time in percent of the run time, in user mode and in the kernel.
    pub(super) fn cpu_percent(&self) -> [f64; 2] {
        match self.runtime_ms {
            0 => [0.0, 0.0],
            runtime => [self.user_ms, self.system_ms].map(|ms| 100.0 * ms / float(runtime)),
        }
    }

    /// Depths in percent: in flight, submitted at once, reaped at once.
    pub(super) fn depth_percent(&self) -> [[f64; 7]; 3] {
        let of_its_own = |counts: &[u64; 7]| shares(counts, counts.iter().sum(), 0.1);
        [
            shares(&self.depths.level, self.ios(), 0.1),
            of_its_own(&self.depths.submitted),
            of_its_own(&self.depths.completed),
        ]
    }

    /// Latencies in percent: nanoseconds, microseconds, milliseconds.
    pub(super) fn latency_percent(&self) -> ([f64; 10], [f64; 10], [f64; 12]) {
        let (classes, ios) = (&self.classes, self.ios());
        (
            shares(&classes.nanos, ios, 0.01),
            shares(&classes.micros, ios, 0.01),
            shares(&classes.millis, ios, 0.01),
        )
    }
}

impl GroupDirection {
    fn add(&mut self, direction: &DirectionFigures) {
        let runtime = direction.runtime_ms;
        if runtime == 0 {
            return;
        }
        let bandwidth = direction.bytes_per_second();
        let is_first = self.runtime_ms[1] == 0;
        widen(&mut self.runtime_ms, runtime, is_first);
        widen(&mut self.bandwidth, bandwidth, is_first);
        self.bytes += direction.bytes;
        self.aggregate = per_second(self.bytes, self.runtime_ms[1], 1_000);
    }

    /// All directions as one.
    pub(super) fn mixed(directions: &[Self; 3]) -> Self {
        let mut mixed = Self::default();
        for direction in directions.iter().filter(|d| d.runtime_ms[1] > 0) {
            let is_first = mixed.runtime_ms[1] == 0;
            for end in [0, 1] {
                let is_first = is_first && end == 0;
                widen(&mut mixed.runtime_ms, direction.runtime_ms[end], is_first);
                widen(&mut mixed.bandwidth, direction.bandwidth[end], is_first);
            }
            mixed.bytes += direction.bytes;
            mixed.aggregate += direction.aggregate;
        }
        mixed
    }
}

impl LatencyClasses {
    /// The end of a class may lie within a bucket, which is 1/128 of it wide at most:
    /// the bucket counts where its middle lies.
    fn count(&mut self, latency: &Histogram) {
        for bucket in latency.buckets() {
            let middle = bucket.low + (bucket.high - bucket.low) / 2;
            let class = match middle {
                0..1_000 => &mut self.nanos[class_of(middle)],
                1_000..1_000_000 => &mut self.micros[class_of(middle / 1_000)],
                _ => &mut self.millis[class_of(middle / 1_000_000)],
            };
            *class += bucket.count;
        }
    }
}

fn class_of(value: u64) -> usize {
    CLASS_ENDS.iter().take_while(|end| value >= **end).count()
}

fn milliseconds(Nanos(time): Nanos) -> f64 {
    float(time) / 1e6
}

/// Percentages of counts; one above 0 is never printed as none.
fn shares<const N: usize>(counts: &[u64; N], total: u64, least: f64) -> [f64; N] {
    counts.map(|count| match (count, total) {
        (0, _) | (_, 0) => 0.0,
        _ => (100.0 * float(count) / float(total)).max(least),
    })
}

fn widen([lowest, highest]: &mut [u64; 2], value: u64, is_first: bool) {
    *lowest = if is_first { value } else { value.min(*lowest) };
    *highest = value.max(*highest);
}

/// One by one is known without counting. Other depths are not: they stay out.
fn uncounted_depths(outcome: &Outcome, depth: u32) -> Depths {
    let mut depths = Depths::default();
    if depth == 1 {
        let ios =
            DIRECTIONS.map(|operation| outcome.operation(operation).map_or(0, |done| done.ios));
        let ios = ios.iter().sum();
        (depths.level[0], depths.submitted[1], depths.completed[1]) = (ios, ios, ios);
    }
    depths
}

fn add_counts(sum: &mut [u64; 7], counts: &[u64; 7]) {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum += count;
    }
}

#[cfg(test)]
mod tests;
