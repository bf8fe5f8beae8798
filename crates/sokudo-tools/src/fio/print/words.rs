//! What one workload says in a job file, option by option.

use sokudo_model::{
    BackendKind, BlockShare, BlockSizes, BufferMemory, DataContent, DirectMode, Durability, Limits,
    Nanos, Operation, OperationMix, Order, Rate, Workload,
};

use crate::language::size_text;

/// What stands in place of "until it is stopped": a day.
const ENDLESS_RUNTIME: &str = "runtime=1d";

/// Every option of a workload.
pub(super) fn options(workload: &Workload) -> Vec<String> {
    let mut list = operations(&workload.operations, &workload.order);
    if let Order::Random { map } = workload.order {
        list.push(format!("norandommap={}", u8::from(!map)));
    }
    list.push(blocks(&workload.blocks));
    list.push(format!("iodepth={}", workload.depth));
    list.push(format!("numjobs={}", workload.threads));
    if let Some(span) = workload.span {
        list.push(format!("offset={}", size_text(span.offset)));
        list.push(format!("size={}", size_text(span.length)));
    }
    list.extend(limits(workload.limits));
    if workload.timing.ramp.0 > 0 {
        list.push(format!("ramp_time={}", time_text(workload.timing.ramp)));
    }
    let rate = workload.pacing.rate;
    list.extend(rate.map(|rate| rate_text(rate, &workload.operations)));
    if let Some(think) = workload.pacing.think {
        list.push(format!("thinktime={}", time_text(think.time)));
        list.push(format!("thinktime_blocks={}", think.after_ios));
    }
    list.push(format!("ioengine={}", engine(workload.backend)));
    if workload.issuing.polled {
        list.push("hipri".to_owned());
    }
    let direct = workload.direct != DirectMode::Off;
    list.push(format!("direct={}", u8::from(direct)));
    list.extend(durability(workload.durability));
    if workload.issuing.memory == BufferMemory::HugePages {
        list.push("iomem=mmaphuge".to_owned());
    }
    list.push(match &workload.data {
        DataContent::Random | DataContent::Pattern(_) | DataContent::Reducible(_) => {
            "refill_buffers=1".to_owned()
        }
        DataContent::Repeated => "refill_buffers=0".to_owned(),
        DataContent::Zero => "zero_buffers=1".to_owned(),
    });
    if !workload.issuing.cpus.is_empty() {
        let cpus: Vec<String> = workload.issuing.cpus.iter().map(u32::to_string).collect();
        list.push(format!("cpus_allowed={}", cpus.join(",")));
        list.push("cpus_allowed_policy=split".to_owned());
    }
    list
}

fn operations(mix: &OperationMix, order: &Order) -> Vec<String> {
    let random = matches!(order, Order::Random { .. });
    let order = if random { "rand" } else { "" };
    match mix.single() {
        Some(Operation::Write) => vec![format!("rw={order}write")],
        Some(Operation::Trim) => vec![format!("rw={order}trim")],
        Some(_) => vec![format!("rw={order}read")],
        None => {
            let reads = mix.percent(Operation::Read);
            vec![format!("rw={order}rw"), format!("rwmixread={reads}")]
        }
    }
}

fn blocks(blocks: &BlockSizes) -> String {
    if let Some(block) = blocks.single() {
        return format!("bs={}", size_text(block));
    }
    let shares = blocks.shares().unwrap_or_default();
    let percentages = percentages(&weights(shares));
    let size = |share: &BlockShare| size_text(share.bytes);
    let parts = shares.iter().zip(percentages);
    let parts = parts.map(|(share, percent)| format!("{}/{percent}", size(share)));
    format!("bssplit={}", parts.collect::<Vec<_>>().join(":"))
}

/// Whether fio can draw block sizes by the same weights.
pub(super) fn takes_whole_percentages(blocks: &BlockSizes) -> bool {
    let weights = weights(blocks.shares().unwrap_or_default());
    let sum: u64 = weights.iter().sum();
    weights.iter().all(|weight| weight * 100 % sum == 0)
}

fn weights(shares: &[BlockShare]) -> Vec<u64> {
    shares.iter().map(|share| u64::from(share.weight)).collect()
}

/// Weights as whole percentages that sum up to 100; what rounding leaves goes to
/// the heaviest.
fn percentages(weights: &[u64]) -> Vec<u64> {
    let sum: u64 = weights.iter().sum();
    let percent = weights.iter().map(|weight| weight * 100 / sum.max(1));
    let mut percent: Vec<u64> = percent.collect();
    let rest = 100 - percent.iter().sum::<u64>();
    if let Some(heaviest) = percent.iter_mut().max() {
        *heaviest += rest;
    }
    percent
}

fn limits(limits: Limits) -> Vec<String> {
    let runtime = limits
        .time
        .map(|time| format!("runtime={}", time_text(time)));
    let time_based = || "time_based=1".to_owned();
    match (runtime, limits.bytes) {
        (None, None) => vec![time_based(), ENDLESS_RUNTIME.to_owned()],
        (Some(runtime), None) => vec![time_based(), runtime],
        (runtime, Some(bytes)) => {
            let io_size = format!("io_size={}", size_text(bytes));
            runtime.into_iter().chain([io_size]).collect()
        }
    }
}

/// fio limits each direction by itself: a mix needs its share for each.
fn rate_text(rate: Rate, operations: &OperationMix) -> String {
    let (name, total) = match rate {
        Rate::BytesPerSecond(bytes) => ("rate", bytes),
        Rate::Iops(ios) => ("rate_iops", ios),
    };
    if operations.single().is_some() {
        return format!("{name}={total}");
    }
    let percent = u128::from(operations.percent(Operation::Read));
    let read = u64::try_from(u128::from(total) * percent / 100).unwrap_or(total);
    format!("{name}={read},{}", total - read)
}

const fn engine(backend: BackendKind) -> &'static str {
    match backend {
        BackendKind::Auto => BackendKind::IoUring.name(),
        BackendKind::Sim => BackendKind::Null.name(),
        engine => engine.name(),
    }
}

fn durability(durability: Durability) -> Vec<String> {
    let every = |name, every: Option<u32>| every.map(|every| format!("{name}={every}"));
    let mut list = Vec::new();
    list.extend(every("fsync", durability.fsync_every));
    list.extend(every("fdatasync", durability.fdatasync_every));
    if durability.write_through {
        let sync = match durability.with_metadata {
            true => "sync=sync",
            false => "sync=dsync",
        };
        list.push(sync.to_owned());
    }
    if durability.final_flush {
        list.push("end_fsync=1".to_owned());
    }
    list
}

/// A time as fio reads it, always with a unit, for fio's default one differs from
/// option to option.
fn time_text(time: Nanos) -> String {
    let micros = time.0.div_ceil(1_000);
    if micros.is_multiple_of(1_000_000) {
        format!("{}s", micros / 1_000_000)
    } else if micros.is_multiple_of(1_000) {
        format!("{}ms", micros / 1_000)
    } else {
        format!("{micros}us")
    }
}

/// Text that cannot end its line.
pub(super) fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.trim().chars().map(plain).collect()
}
