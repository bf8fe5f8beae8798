//! A time span of diskspd: what it was asked for, what it did, and its rows.

use sokudo_model::{
    Bytes, ImportedLatency, ImportedRow, ImportedRun, ImportedTarget, Nanos, Operation,
    OperationMix, Order, PlanPart,
};

use crate::results::row::{
    self, WorkloadDescription, crystal_name, figure, names_or, processors, rate,
};

/// Block that diskspd uses without `-b`.
const BLOCK: Bytes = Bytes(64 << 10);

/// What a time span was asked to do, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TimeSpanParameters {
    pub(super) paths: Vec<String>,
    pub(super) targets: Vec<TargetParameters>,
    /// Threads of all targets together, where a result has them.
    pub(super) threads_in_all: Option<u32>,
    pub(super) duration: Option<Nanos>,
    pub(super) warm_up: Option<Nanos>,
}

/// What a target was asked to do, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TargetParameters {
    pub(super) size: Option<Bytes>,
    pub(super) threads: Option<u32>,
    pub(super) block: Option<Bytes>,
    pub(super) order: Option<Order>,
    pub(super) depth: Option<u32>,
    pub(super) read_percent: Option<u32>,
    pub(super) is_direct: bool,
    pub(super) is_written_through: bool,
}

/// What one direction did.
#[derive(Clone, Debug, Default)]
pub(super) struct DiskspdDirection {
    pub(super) bytes: f64,
    pub(super) bytes_per_s: f64,
    pub(super) ios_per_s: f64,
    pub(super) latency: Option<ImportedLatency>,
    /// Deviation of the I/Os per second of intervals.
    pub(super) ios_deviation: Option<f64>,
}

/// What a time span did.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeSpanResult {
    pub(super) seconds: Option<f64>,
    pub(super) read: DiskspdDirection,
    pub(super) write: DiskspdDirection,
    /// Percent of all processors, in user mode and in the kernel.
    pub(super) cpu: Option<(f64, f64)>,
}

/// A row per direction in which anything was moved.
pub(super) fn rows(parameters: &TimeSpanParameters, done: &TimeSpanResult) -> Vec<ImportedRow> {
    let sides = [
        (Operation::Read, &done.read),
        (Operation::Write, &done.write),
    ];
    let moved = sides.into_iter().filter(|(_, side)| side.bytes > 0.0);
    moved
        .map(|(operation, side)| one(parameters, done, operation, side))
        .collect()
}

fn one(
    parameters: &TimeSpanParameters,
    done: &TimeSpanResult,
    operation: Operation,
    side: &DiskspdDirection,
) -> ImportedRow {
    let mut row = parameters.workload(operation).row();
    let read_percent = parameters.shared().read_percent;
    let mix = read_percent.and_then(OperationMix::read_write);
    row.reported.mix = mix.filter(|mix| mix.single().is_none());
    if read_percent.is_none() {
        row.reported.unknown.push(PlanPart::Mix);
    }
    row.reported.bandwidth = Some(rate(side.bytes_per_s, ""));
    row.reported.iops = (side.ios_per_s > 0.0).then(|| rate(side.ios_per_s, ""));
    row.reported.latency.clone_from(&side.latency);
    let deviation = side
        .ios_deviation
        .map(|it| figure("deviation of IOPS", "1/s", it));
    row.reported.others.extend(deviation);
    row.reported.others.extend(processors(done.cpu));
    row
}

impl TimeSpanParameters {
    /// The first target; nothing is known where another one was asked for something else.
    pub(super) fn shared(&self) -> TargetParameters {
        let first = self.targets.first().copied().unwrap_or_default();
        let is_same = |target: &TargetParameters| {
            let mut target = *target;
            (target.size, target.threads) = (first.size, first.threads);
            target == first
        };
        match self.targets.iter().all(is_same) {
            true => first,
            false => TargetParameters::default(),
        }
    }

    fn workload(&self, operation: Operation) -> WorkloadDescription {
        let target = self.shared();
        let mut description =
            WorkloadDescription::new(self.name(target), target.block.unwrap_or(BLOCK))
                .operation(Some(operation))
                .order(target.order)
                .threads(self.thread_count());
        let workload = &mut description.workload;
        workload.depth = target.depth.unwrap_or(2);
        workload.direct = target.is_direct.into();
        workload.durability.write_through = target.is_written_through;
        workload.limits.time = self.duration;
        workload.timing.ramp = self.warm_up.unwrap_or(Nanos(0));
        let of_target = [PlanPart::Blocks, PlanPart::Direct, PlanPart::Durability];
        let has_time = self.duration.is_some() && self.warm_up.is_some();
        description
            .parts_if(target.block.is_some(), &of_target)
            .parts_if(target.depth.is_some(), &[PlanPart::Depth])
            .parts_if(target.size.is_some(), &[PlanPart::Span])
            .parts_if(has_time, &[PlanPart::Duration])
    }

    pub(super) fn thread_count(&self) -> Option<u32> {
        let each = || self.targets.iter().map(|target| target.threads).sum();
        let threads = self.threads_in_all.or_else(each);
        threads.filter(|threads| *threads > 0)
    }

    /// Its name, as far as all targets were asked for the same.
    fn name(&self, target: TargetParameters) -> String {
        let kind = match target.order {
            Some(Order::Random { .. }) => "RND",
            Some(Order::Sequential { .. }) => "SEQ",
            None => "IO",
        };
        crystal_name(kind, target.block, target.depth.zip(self.thread_count()))
    }
}

/// A run of some rows, which are of these time spans.
pub(super) fn run(
    tool: &str,
    format: &str,
    spans: &[TimeSpanParameters],
    rows: Vec<ImportedRow>,
) -> Option<ImportedRun> {
    let paths = spans.iter().flat_map(|span| &span.paths);
    let name = names_or(paths.map(String::as_str), "diskspd's target");
    let first = spans.first().and_then(|span| span.targets.first());
    (!rows.is_empty()).then(|| ImportedRun {
        method: "diskspd".to_owned(),
        target: ImportedTarget {
            size: first.and_then(|target| target.size),
            ..row::target(name)
        },
        rows,
        ..row::run(tool, format)
    })
}

/// One position that all threads share, or one for each.
pub(super) const fn sequential(is_shared: bool) -> Order {
    match is_shared {
        true => row::INTERLOCKED,
        false => Order::SEQUENTIAL,
    }
}
