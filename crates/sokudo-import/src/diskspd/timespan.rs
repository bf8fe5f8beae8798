//! A time span of diskspd: what it was asked for, what it did, and its rows.

use sokudo_model::{
    Bytes, ImportedLatency, ImportedRow, Nanos, Operation, OperationMix, Order, PlanPart,
    SequentialOffset,
};

use crate::row::{ToldWorkload, direct, figure, rate};

/// diskspd's default block.
const BLOCK: Bytes = Bytes(64 << 10);

/// What a time span was asked to do: what its first target was.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeSpanParameters {
    pub(super) paths: Vec<String>,
    pub(super) size: Option<Bytes>,
    pub(super) block: Option<Bytes>,
    pub(super) order: Option<Order>,
    pub(super) depth: Option<u32>,
    /// Threads of each target, summed up.
    pub(super) threads: Option<u32>,
    /// Threads of all targets together, where that is told.
    pub(super) threads_in_all: Option<u32>,
    pub(super) read_percent: Option<u32>,
    pub(super) is_direct: bool,
    pub(super) is_written_through: bool,
    pub(super) duration: Option<Nanos>,
    pub(super) warm_up: Option<Nanos>,
    /// Targets differ from each other in what is asked of them.
    pub(super) is_mixed: bool,
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
    pub(super) cpu: Option<[f64; 2]>,
}

/// A row per direction in which anything was moved.
pub(super) fn rows(asked: &TimeSpanParameters, done: &TimeSpanResult) -> Vec<ImportedRow> {
    let sides = [
        (Operation::Read, &done.read),
        (Operation::Write, &done.write),
    ];
    let moved = sides.into_iter().filter(|(_, side)| side.bytes > 0.0);
    moved
        .map(|(operation, side)| one(asked, done, operation, side))
        .collect()
}

fn one(
    asked: &TimeSpanParameters,
    done: &TimeSpanResult,
    operation: Operation,
    side: &DiskspdDirection,
) -> ImportedRow {
    let mut row = asked.workload(operation).row();
    let mix = asked.read_percent.and_then(OperationMix::read_write);
    row.reported.mix = mix.filter(|mix| mix.single().is_none());
    if asked.read_percent.is_none() {
        row.reported.unknown.push(PlanPart::Mix);
    }
    row.reported.bandwidth = Some(rate(side.bytes_per_s, ""));
    row.reported.iops = (side.ios_per_s > 0.0).then(|| rate(side.ios_per_s, ""));
    row.reported.latency.clone_from(&side.latency);
    let deviation = side
        .ios_deviation
        .map(|it| figure("deviation of IOPS", "1/s", it));
    row.reported.others.extend(deviation);
    let names = ["processor, user", "processor, system"];
    let shares = names.iter().zip(done.cpu.into_iter().flatten());
    row.reported
        .others
        .extend(shares.map(|(name, share)| figure(name, "%", share)));
    row
}

impl TimeSpanParameters {
    fn workload(&self, operation: Operation) -> ToldWorkload {
        let is_one = !self.is_mixed;
        let mut told = ToldWorkload::new(self.name(), self.block.unwrap_or(BLOCK))
            .operation(Some(operation))
            .clones(self.clones());
        let workload = &mut told.workload;
        workload.order = self.order.unwrap_or(workload.order);
        workload.depth = self.depth.unwrap_or(2);
        workload.direct = direct(self.is_direct);
        workload.durability.write_through = self.is_written_through;
        workload.limits.time = self.duration;
        workload.ramp = self.warm_up.unwrap_or(Nanos(0));
        let of_target = [PlanPart::Blocks, PlanPart::Direct, PlanPart::Durability];
        let has_time = self.duration.is_some() && self.warm_up.is_some();
        told.parts_if(is_one && self.block.is_some(), &of_target)
            .parts_if(is_one && self.order.is_some(), &[PlanPart::Order])
            .parts_if(is_one && self.depth.is_some(), &[PlanPart::Depth])
            .parts_if(is_one && self.size.is_some(), &[PlanPart::Span])
            .parts_if(has_time, &[PlanPart::Duration])
    }

    pub(super) fn clones(&self) -> Option<u32> {
        let threads = self.threads_in_all.or(self.threads);
        threads.filter(|threads| *threads > 0)
    }

    /// As people call such rows, `RND4K Q32T1`, as far as all targets were asked for the same.
    fn name(&self) -> String {
        let asked = (!self.is_mixed).then_some(self);
        let kind = match asked.and_then(|asked| asked.order) {
            Some(Order::Random { .. }) => "RND",
            Some(Order::Sequential { .. }) => "SEQ",
            None => "IO",
        };
        let size = match asked.and_then(|asked| asked.block) {
            Some(Bytes(bytes)) if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
            Some(Bytes(bytes)) if bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
            Some(Bytes(bytes)) => format!("{bytes}B"),
            None => String::new(),
        };
        match (asked.and_then(|asked| asked.depth), self.clones()) {
            (Some(depth), Some(threads)) => format!("{kind}{size} Q{depth}T{threads}"),
            _ => format!("{kind}{size}"),
        }
    }
}

/// One position that all threads share, or one for each.
pub(super) const fn sequential(is_shared: bool) -> Order {
    Order::Sequential {
        offset: match is_shared {
            true => SequentialOffset::Interlocked,
            false => SequentialOffset::Own,
        },
    }
}
