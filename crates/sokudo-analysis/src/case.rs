//! One row beside what the rules ask about it again and again, summed over its
//! trials.
//!
//! It answers with facts and judges nothing.

use sokudo_model::{
    ArrayState, BackendKind, BlockDevice, BlockDeviceKind, DeviceCounters, DirectIoSupport,
    DirectMode, DriveConditions, GroupCount, MethodTrait, Moved, Nanos, Operation, Outcome,
    RateProcess, Row, Run, TargetInfo, TargetKind,
};
use sokudo_stats::Histogram;

/// File systems that never write a block in place.
const COPY_ON_WRITE: [&str; 5] = ["bcachefs", "btrfs", "f2fs", "nilfs2", "zfs"];

/// File systems that write a change to a journal first. An overlay has one of them
/// below it, as a rule.
const JOURNALLING: [&str; 10] = [
    "ext3", "ext4", "gfs2", "hfsplus", "jfs", "ntfs3", "ocfs2", "overlay", "reiserfs", "xfs",
];

/// File systems that keep files in memory.
const IN_MEMORY: [&str; 5] = ["devtmpfs", "hugetlbfs", "ramfs", "rootfs", "tmpfs"];

/// A row, and the run it belongs to.
#[derive(Clone, Copy)]
pub struct RowContext<'a> {
    pub run: &'a Run,
    /// The row of it that is judged.
    pub row: &'a Row,
}

impl<'a> RowContext<'a> {
    /// What the row was done to.
    pub fn target(&self) -> &'a TargetInfo {
        &self.run.target
    }

    /// Arrays of Linux software RAID under the target.
    pub fn arrays(&self) -> impl Iterator<Item = &'a ArrayState> + use<'a> {
        let devices = &self.target().devices;
        let arrays = self.run.conditions.arrays.iter();
        arrays.filter(|array| devices.iter().any(|device| device.name == array.name))
    }

    /// What the engine measured, trial by trial.
    pub fn outcomes(&self) -> impl Iterator<Item = &'a Outcome> + use<'a> {
        self.row.trials.iter().map(|trial| &trial.outcome)
    }

    /// Whether the plan asks for this operation.
    pub fn asks(&self, operation: Operation) -> bool {
        self.row.workload.operations.percent(operation) > 0
    }

    /// I/Os of this operation that were measured.
    pub fn ios(&self, operation: Operation) -> u64 {
        self.outcomes()
            .filter_map(|outcome| outcome.operation(operation))
            .map(|tally| tally.ios)
            .sum()
    }

    /// Bytes of this operation that were measured.
    pub fn measured(&self, operation: Operation) -> u64 {
        self.outcomes()
            .filter_map(|outcome| outcome.operation(operation))
            .map(|tally| tally.bytes.0)
            .sum()
    }

    /// Bytes of this operation that the devices should have counted: those measured, those
    /// moved before and after that, and those that a survey read beside.
    pub fn moved(&self, operation: Operation) -> u64 {
        let aside: u64 = match operation {
            Operation::Read => self.outcomes().map(|outcome| outcome.read_aside.0).sum(),
            _ => 0,
        };
        self.measured(operation) + self.in_ramp(operation).bytes.0 + aside
    }

    /// I/Os of this operation that the devices should have counted.
    pub fn requested(&self, operation: Operation) -> u64 {
        self.ios(operation) + self.in_ramp(operation).ios
    }

    /// How long the devices counted for a trial: also in its ramp, where it left one behind, and
    /// while its queue settled and drained.
    pub(crate) fn counted_time(&self, outcome: &Outcome) -> Nanos {
        if let Some(window) = &outcome.window {
            return Nanos(outcome.elapsed.0 + window.settled.0 + window.drained.0);
        }
        let has_ramp = outcome.in_ramp.iter().any(|moved| moved.ios > 0);
        let ramp = self.row.workload.timing.ramp.0;
        Nanos(outcome.elapsed.0 + if has_ramp { ramp } else { 0 })
    }

    /// The drives at the bottom of the target, as far as they were looked at around the run.
    pub fn drives(&self) -> impl Iterator<Item = &'a DriveConditions> {
        let target = self.target();
        let drives = self.run.conditions.drives.iter();
        drives.filter(|drive| target.leaves().any(|it| it.name == drive.disk.name))
    }

    /// What all trials moved outside their measured part.
    pub fn in_ramp(&self, operation: Operation) -> Moved {
        let mut sum = Moved::default();
        for outcome in self.outcomes() {
            sum.add(outcome.in_ramp[operation.index()]);
        }
        sum
    }

    /// Latencies of this operation in all trials; `None` where there was none.
    pub fn latency(&self, operation: Operation) -> Option<Histogram> {
        let tallies = self
            .outcomes()
            .filter_map(|outcome| outcome.operation(operation));
        let all = tallies.map(|tally| tally.latency.clone());
        let all = all.reduce(|mut all, one| {
            all.merge(&one);
            all
        })?;
        (!all.is_empty()).then_some(all)
    }

    /// The most that a survey can have asked for without getting it. The devices count
    /// bytes of a request that fails. A block that failed is asked for once, then in
    /// halves (as much again), then in single logical blocks.
    pub(crate) fn without_answer(&self) -> u64 {
        if self.row.workload.survey().is_none() {
            return 0;
        }
        let failures = self.outcomes().flat_map(|outcome| &outcome.failures);
        let count: u64 = failures.map(|failure| failure.count).sum();
        count.saturating_mul(3 * self.row.workload.blocks.largest().0)
    }

    /// What the leaf devices counted in all trials; `None` when one of them
    /// could not be seen: a part proves nothing.
    pub fn device(&self) -> Option<DeviceCounters> {
        let blind = self.target().leaves().any(|leaf| !counts(leaf));
        if blind || self.target().kind == TargetKind::Null {
            return None;
        }
        let with_io = self
            .row
            .trials
            .iter()
            .filter(|trial| trial.outcome.ios() > 0);
        with_io
            .map(|trial| trial.evidence.device)
            .try_fold(DeviceCounters::default(), |sum, trial| {
                Some(sum.plus(&trial?))
            })
    }

    /// What the control group of the process counted of one device in all trials; `None` where it
    /// did not in one, or of another device.
    pub fn group(&self) -> Option<GroupCount> {
        let trials = self.row.trials.iter();
        let mut with_io = trials.filter(|trial| trial.outcome.ios() > 0);
        let first = with_io.next()?.evidence.group.clone()?;
        with_io.try_fold(first, |sum, trial| sum.plus(trial.evidence.group.as_ref()?))
    }

    /// Bytes that the devices counted per byte that the engine moved by this
    /// operation; `None` when they cannot be seen or there was none.
    pub fn ratio(&self, operation: Operation) -> Option<f64> {
        let moved = self.moved(operation);
        let counted = counted(&self.device()?, operation)?;
        (moved > 0).then(|| counted as f64 / moved as f64)
    }

    /// Whether I/O went around the block layer: then the devices' counters are their own.
    pub(crate) fn is_passed_through(&self) -> bool {
        let mut outcomes = self.outcomes();
        outcomes.any(|outcome| outcome.backend.kind == BackendKind::IoUringCmd)
    }

    /// Whether there is, or should be, a device of the real world.
    pub fn real(&self) -> bool {
        !matches!(self.target().kind, TargetKind::Simulated | TargetKind::Null)
    }

    /// Whether all I/O bypassed the page cache. On ext4 with `data=journal` the
    /// flag is taken and ignored, which only `statx` tells (Linux 6.1).
    pub fn direct(&self) -> bool {
        !self.real()
            || self.target().direct_io != DirectIoSupport::Unsupported
                && self.outcomes().all(|outcome| outcome.direct)
    }

    /// The largest part of the file that was in the page cache before a trial.
    pub(crate) fn cached_share(&self) -> Option<f64> {
        let size = self.target().size_bytes.filter(|size| size.0 > 0)?;
        let cached = self
            .row
            .trials
            .iter()
            .filter_map(|trial| trial.evidence.cached_before)
            .max()?;
        Some(cached.0 as f64 / size.0 as f64)
    }

    /// Whether the number of I/Os of a trial is one of chance: then trials differ in their
    /// rates because users come as they come, whatever the disk does.
    pub(crate) fn arrives_by_chance(&self) -> bool {
        let workload = &self.row.workload;
        workload.pacing.rate.is_some() && workload.pacing.rates.process == RateProcess::Poisson
    }

    /// Whether the row reads one place without end through the page cache, as `hdparm -T`
    /// and the quick look after it do: it is about the cache and not about a device.
    pub fn is_of_cache(&self) -> bool {
        let workload = &self.row.workload;
        self.run.plan.method.is(MethodTrait::TimesPageCache)
            && workload.operations.single() == Some(Operation::Read)
            && workload.direct == DirectMode::Off
            && workload.limits.bytes.is_none()
            && self.real()
    }

    /// The file system's kind, as the kernel names it.
    pub fn file_system(&self) -> Option<&'a str> {
        self.target()
            .file_system
            .as_ref()
            .map(|file_system| file_system.kind.as_str())
    }

    /// Whether the file system never writes in place.
    pub(crate) fn copies_on_write(&self) -> bool {
        self.file_system()
            .is_some_and(|kind| COPY_ON_WRITE.contains(&kind))
    }

    /// Whether the file system writes changes to a journal first.
    pub fn journals(&self) -> bool {
        self.file_system()
            .is_some_and(|kind| JOURNALLING.contains(&kind))
    }

    /// Whether the file system keeps files in memory.
    pub fn in_memory(&self) -> bool {
        let system = self.target().file_system.as_ref();
        system.is_some_and(|system| {
            system.memory_below.is_some() || IN_MEMORY.contains(&system.kind.as_str())
        })
    }

    /// Whether the file system is mounted so that it compresses.
    pub fn compresses(&self) -> bool {
        self.file_system() == Some("zfs")
            || self.target().file_system.as_ref().is_some_and(|system| {
                let mut options = system.mount_options.iter();
                options.any(|option| option.starts_with("compress"))
            })
    }

    /// Whether a leaf is memory presented as a disk.
    pub(crate) fn on_memory_device(&self) -> bool {
        let mut leaves = self.target().leaves();
        leaves.any(|leaf| leaf.kind == BlockDeviceKind::Memory)
    }

    /// The leaf, where there is only one.
    pub(crate) fn only_leaf(&self) -> Option<&'a BlockDevice> {
        let mut leaves = self.target().leaves();
        leaves.next().filter(|_| leaves.next().is_none())
    }

    /// Whether the bytes are spread over several devices.
    pub(crate) fn several_leaves(&self) -> bool {
        self.target().leaves().count() > 1
    }
}

/// Whether it is a disk of the real world, or a simulated one, that rotates. Virtual disks
/// say so of themselves without reason.
pub(crate) fn is_platters(device: &BlockDevice) -> bool {
    device.kind == BlockDeviceKind::Disk && device.rotational == Some(true)
}

/// What devices counted in the direction of an operation that moves data.
pub fn counted(device: &DeviceCounters, operation: Operation) -> Option<u64> {
    match operation {
        Operation::Read => Some(device.read_bytes),
        Operation::Write => Some(device.written_bytes),
        _ => None,
    }
}

/// Whether the kernel counts this device's I/O, as far as is known.
pub fn counts(device: &BlockDevice) -> bool {
    device.counts_io != Some(false)
}
