//! What one thread of diskspd does on one target, as a workload.

use sokudo_model::{
    BackendKind, BufferMemory, Bytes, CpuPolicy, DataContent, DirectMode, Distribution, FileOrder,
    FileService, FileUse, Nanos, OperationMix, Order, Rate, Scatter, SequentialOffset, Span, Think,
    Workload, Zone, ZoneLength,
};

use crate::diskspd::session::{
    DiskspdContent, DiskspdDistribution, DiskspdEngine, DiskspdLayout, DiskspdRow, DiskspdSpan,
    DiskspdTarget, DiskspdThroughput, DiskspdWriteThrough,
};
use crate::language::host::Host;

use super::error::{DiskspdError, DiskspdProblem};
use super::validate;

/// A source of data is kept in memory once per thread; all of them together.
const SOURCES_MAX: u64 = 256 << 20;
/// A stride that long leaves every target at its first step, however long it is.
const STRIDE_MAX: i64 = i64::MAX;
/// Shares of zones are millionths of a percent.
const PERCENT: u64 = 1_000_000;

/// What a workload is made of besides the time span.
pub(super) struct DiskspdThread<'a> {
    pub(super) row: &'a DiskspdRow,
    /// Index and used part of each target of the time span.
    pub(super) uses: &'a [(u32, Span)],
    pub(super) processors: Vec<u32>,
    pub(super) layout: DiskspdLayout,
}

/// The workload of a row.
pub(super) fn workload(
    span: &DiskspdSpan,
    thread: &DiskspdThread<'_>,
    host: &dyn Host,
) -> Result<Workload, DiskspdError> {
    let row = thread.row;
    let target = &span.targets[row.targets[0] as usize];
    let mut workload = Workload::new(name(span, row), target.block);
    let uses = row.targets.iter().map(|index| thread.uses[*index as usize]);
    let file_use = |(index, span): (u32, Span)| FileUse {
        target: index,
        span: Some(part(target, row, span)),
    };
    workload.files.uses = uses.map(file_use).collect();
    if row.targets.len() > 1 {
        workload.files.service = FileService {
            order: FileOrder::Random(Distribution::Uniform),
            ios: 1,
        };
    }
    // Above 100 is refused when it is read.
    if let Some(mix) = OperationMix::read_write(100 - u32::from(target.write_percent.min(100))) {
        workload.operations = mix;
    }
    workload.threads = row.threads;
    workload.depth = match span.request_count {
        0 => target.requests,
        count => count,
    };
    order(&mut workload, target, thread);
    access(&mut workload, target);
    time(&mut workload, span, target);
    workload.data = content(target, validate::threads_total(span), host)?;
    workload.issuing.memory = match target.large_pages {
        true => BufferMemory::HugePages,
        false => BufferMemory::SmallPages,
    };
    workload.issuing.cpus.clone_from(&thread.processors);
    workload.issuing.cpu_policy = CpuPolicy::Split;
    workload.recording.series_interval = span.iops_interval;
    if thread.layout == DiskspdLayout::Xml {
        workload.recording.histogram_interval = span.iops_interval;
    }
    Ok(workload)
}

fn name(span: &DiskspdSpan, row: &DiskspdRow) -> String {
    let path = &span.targets[row.targets[0] as usize].path;
    match (row.threads, row.targets.len()) {
        (1, 1) => format!("thread {} on {path}", row.thread),
        (1, _) => format!("thread {} on {path} and others", row.thread),
        (count, _) => format!(
            "threads {} to {} on {path}",
            row.thread,
            row.thread + count - 1
        ),
    }
}

/// A thread's own part: from its first offset to the end of the used part.
fn part(target: &DiskspdTarget, row: &DiskspdRow, span: Span) -> Span {
    let start = target
        .thread_stride
        .0
        .saturating_mul(u64::from(row.thread_of_target));
    Span {
        offset: Bytes(span.offset.0 + start.min(span.length.0)),
        length: Bytes(span.length.0.saturating_sub(start)),
    }
}

fn order(workload: &mut Workload, target: &DiskspdTarget, thread: &DiskspdThread<'_>) {
    let stride = target.stride_or_block();
    if target.random_percent > 0 {
        workload.order = Order::Random { map: false };
        workload.scatter = Scatter {
            alignment: (stride != target.block).then_some([stride; 3]),
            random_percent: (target.random_percent < 100).then_some([target.random_percent; 3]),
            ..Scatter::default()
        };
        if let Some(ranges) = &target.distribution {
            let length = thread.uses[thread.row.targets[0] as usize].1.length;
            let zones = zones(ranges, length);
            workload.scatter.distribution = Distribution::Zoned;
            workload.scatter.zones = [zones.clone(), zones.clone(), zones];
        }
        return;
    }
    let offset = match target.interlocked && thread.row.threads > 1 {
        true => SequentialOffset::Interlocked,
        false => SequentialOffset::Own,
    };
    workload.order = Order::Sequential { offset };
    // The model counts from an I/O's end, diskspd from its start.
    let beyond = i128::from(stride.0) - i128::from(target.block.0);
    workload.scatter.stride = i64::try_from(beyond).unwrap_or(STRIDE_MAX);
    if target.parallel {
        // N positions that each walk the target are N threads with one I/O each.
        workload.threads = workload.depth;
        workload.depth = 1;
    }
}

/// Ranges as zones that cover the used part, with all of the I/Os.
fn zones(ranges: &DiskspdDistribution, length: Bytes) -> Vec<Zone> {
    let whole = match ranges.absolute {
        true => length.0,
        false => 100,
    };
    let mut zones: Vec<(u64, u64)> = Vec::new();
    let (mut shares, mut covered) = (0, 0);
    for &(share, size) in &ranges.ranges {
        // A last range without length, as one beyond the end, is what is left.
        let size = match size {
            0 => whole - covered,
            size => size.min(whole - covered),
        };
        if size > 0 {
            zones.push((u64::from(share), size));
            shares += u64::from(share);
            covered += size;
        }
    }
    if covered < whole {
        zones.push((100 - shares.min(100), whole - covered));
        shares = 100;
    }
    // Of a target that ends early, the ranges that fit share all of the I/Os. Where
    // those get none, they share alike.
    let alike = shares == 0;
    let total = if alike { zones.len() as u64 } else { shares };
    let zone = |(share, size): (u64, u64)| Zone {
        access: (if alike { 1 } else { share }) * 100 * PERCENT / total.max(1),
        length: match ranges.absolute {
            true => ZoneLength::Size(Bytes(size)),
            false => ZoneLength::Share(size * PERCENT),
        },
    };
    zones.into_iter().map(zone).collect()
}

/// Page cache, durability and backend.
fn access(workload: &mut Workload, target: &DiskspdTarget) {
    workload.direct = match target.unbuffered {
        // Where there is no direct I/O it runs nevertheless, and the verdict says so.
        true => DirectMode::Auto,
        false => DirectMode::Off,
    };
    workload.backend = match (target.mapped, target.engine) {
        (true, _) => BackendKind::Mmap,
        (false, DiskspdEngine::KernelAio) => BackendKind::Libaio,
        (false, DiskspdEngine::Default | DiskspdEngine::PosixAio) => BackendKind::Auto,
    };
    workload.durability.write_through =
        target.write_through != DiskspdWriteThrough::Off || target.flush_mapped;
    workload.durability.with_metadata =
        target.write_through == DiskspdWriteThrough::DataAndMetadata;
}

fn time(workload: &mut Workload, span: &DiskspdSpan, target: &DiskspdTarget) {
    workload.limits.time = Some(Nanos::from_secs(u64::from(span.duration_s)));
    workload.timing.ramp = Nanos::from_secs(u64::from(span.warmup_s));
    if target.burst > 0 && target.think_ms > 0 {
        workload.pacing.think = Some(Think {
            waits_for_completion: false,
            ..Think::new(Nanos::from_millis(u64::from(target.think_ms)), target.burst)
        });
    }
    // The rate is per thread, and with -p the threads are one thread of diskspd.
    let threads = u64::from(if target.parallel { workload.threads } else { 1 }).max(1);
    workload.pacing.rate = target.throughput.map(|throughput| match throughput {
        DiskspdThroughput::BytesPerMillisecond(bytes) => {
            Rate::BytesPerSecond((bytes.saturating_mul(1_000) / threads).max(1))
        }
        DiskspdThroughput::Iops(iops) if threads == 1 => Rate::Iops(iops),
        DiskspdThroughput::Iops(iops) => {
            let bytes = iops.saturating_mul(target.block.0);
            Rate::BytesPerSecond((bytes / threads).max(1))
        }
    });
}

fn content(
    target: &DiskspdTarget,
    threads: u64,
    host: &dyn Host,
) -> Result<DataContent, DiskspdError> {
    Ok(match &target.content {
        DiskspdContent::Sequence => DataContent::Pattern((0..=u8::MAX).collect()),
        DiskspdContent::Zero => DataContent::Zero,
        DiskspdContent::Random => DataContent::Random,
        DiskspdContent::Source { file: None, .. } => DataContent::Repeated,
        DiskspdContent::Source {
            bytes,
            file: Some(file),
        } => {
            let location = format!("-Z{},{file}", bytes.0);
            if bytes.0.saturating_mul(threads) > SOURCES_MAX {
                let expected = "at most 256M of a file for all threads together";
                return Err(DiskspdError::new(
                    location,
                    DiskspdProblem::Bad { expected },
                ));
            }
            let source = host.read_bytes(file, bytes.0);
            let source = source.and_then(|source| match source.is_empty() {
                true => Err("it is empty".to_owned()),
                false => Ok(source),
            });
            let unreadable =
                |cause| DiskspdError::new(location, DiskspdProblem::Unreadable { cause });
            DataContent::Pattern(source.map_err(unreadable)?)
        }
    })
}
