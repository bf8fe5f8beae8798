//! What one workload says in a job file, setting by setting.

use sokudo_model::{
    BackendKind, BlockShare, BlockSizes, Bytes, DataContent, DirectMode, Nanos, Operation,
    OperationMix, Order, Rate, SequentialOffset, Span, Workload,
};

/// What stands in place of "until it is stopped": a day.
const ENDLESS_RUNTIME: &str = "runtime=1d";

/// One setting: an option, and the pragma that says what the option cannot.
pub(super) type Setting = String;

/// Every setting of a workload. In a file where any job has a span, those without
/// say so.
pub(super) fn settings(workload: &Workload, has_spans: bool) -> Vec<Setting> {
    let mut list = vec![
        format!("; sokudo: name={}", one_line(&workload.name)),
        operations(&workload.operations, &workload.order),
    ];
    list.extend(order(&workload.order));
    list.push(blocks(&workload.blocks));
    list.push(format!("iodepth={}", workload.depth));
    list.push(format!("numjobs={}", workload.clones));
    list.extend(span(workload.span, has_spans));
    list.push(limits(workload));
    if workload.ramp.0 > 0 {
        list.push(format!("ramp_time={}", time_text(workload.ramp)));
    }
    list.extend(
        workload
            .rate
            .map(|rate| rate_text(rate, &workload.operations)),
    );
    if let Some(think) = workload.think {
        let time = time_text(think.time);
        list.push(format!(
            "thinktime={time}\nthinktime_blocks={}",
            think.after_ios
        ));
    }
    list.push(backend(workload.backend).to_owned());
    list.push(direct(workload.direct).to_owned());
    list.extend(durability(workload));
    list.push(match &workload.data {
        DataContent::Random | DataContent::Pattern(_) | DataContent::Reducible(_) => {
            "refill_buffers=1".to_owned()
        }
        DataContent::Repeated => "refill_buffers=0".to_owned(),
        DataContent::Zero => "zero_buffers=1".to_owned(),
    });
    if !workload.cpus.is_empty() {
        let cpus: Vec<String> = workload.cpus.iter().map(u32::to_string).collect();
        list.push(format!(
            "cpus_allowed={}\ncpus_allowed_policy=split",
            cpus.join(",")
        ));
    }
    if workload.exact_clock {
        list.push("; sokudo: clock=exact".to_owned());
    }
    list
}

fn operations(mix: &OperationMix, order: &Order) -> Setting {
    let random = matches!(order, Order::Random { .. });
    let name = |sequential: &str| match (random, sequential) {
        (true, other) => format!("rw=rand{other}"),
        (false, other) => format!("rw={other}"),
    };
    match mix.single() {
        Some(Operation::Write) => name("write"),
        Some(Operation::Trim) => name("trim"),
        Some(Operation::Flush) => name("read") + "\n; sokudo: operations=flush",
        Some(_) => name("read"),
        None => format!("{}\nrwmixread={}", name("rw"), mix.percent(Operation::Read)),
    }
}

fn order(order: &Order) -> Option<Setting> {
    match order {
        Order::Random { map } => Some(format!("norandommap={}", u8::from(!map))),
        Order::Sequential {
            offset: SequentialOffset::Own,
        } => None,
        Order::Sequential {
            offset: SequentialOffset::Interlocked,
        } => Some("; sokudo: offset=interlocked".to_owned()),
    }
}

fn blocks(blocks: &BlockSizes) -> Setting {
    let shares = blocks.shares().unwrap_or_default();
    if let [share] = shares
        && share.weight == 1
    {
        return format!("bs={}", size_text(share.bytes));
    }
    let list = |weight: &dyn Fn(usize) -> u64| {
        let part = |(index, share): (usize, &BlockShare)| {
            format!("{}/{}", size_text(share.bytes), weight(index))
        };
        shares
            .iter()
            .enumerate()
            .map(part)
            .collect::<Vec<_>>()
            .join(":")
    };
    let weights: Vec<u64> = shares.iter().map(|share| u64::from(share.weight)).collect();
    let exact = list(&|index| weights[index]);
    if weights.iter().sum::<u64>() == 100 {
        return format!("bssplit={exact}");
    }
    let percent = percentages(&weights);
    let rounded = list(&|index| percent[index]);
    format!("bssplit={rounded}\n; sokudo: blocks={exact}")
}

/// Weights as whole percentages that sum up to 100; what rounding leaves goes to
/// the heaviest.
fn percentages(weights: &[u64]) -> Vec<u64> {
    let sum: u64 = weights.iter().sum();
    let mut percent: Vec<u64> = weights
        .iter()
        .map(|weight| weight * 100 / sum.max(1))
        .collect();
    let rest = 100 - percent.iter().sum::<u64>();
    if let Some(heaviest) = percent.iter_mut().max() {
        *heaviest += rest;
    }
    percent
}

/// Spans are pragmas too, so that they are read back exactly even if they cover
/// the whole target.
fn span(span: Option<Span>, has_spans: bool) -> Option<Setting> {
    match span {
        None => has_spans.then(|| "; sokudo: span=all".to_owned()),
        Some(Span { offset, length }) => {
            let (offset, length) = (size_text(offset), size_text(length));
            Some(format!(
                "offset={offset}\nsize={length}\n; sokudo: span={offset}+{length}"
            ))
        }
    }
}

fn limits(workload: &Workload) -> Setting {
    let limits = workload.limits;
    let runtime = limits
        .time
        .map(|time| format!("runtime={}", time_text(time)));
    let io_size = limits
        .bytes
        .map(|bytes| format!("io_size={}", size_text(bytes)));
    match (runtime, io_size) {
        (Some(runtime), None) => format!("time_based=1\n{runtime}"),
        (Some(runtime), Some(io_size)) => format!("{runtime}\n{io_size}"),
        (None, Some(io_size)) => io_size,
        (None, None) => format!("time_based=1\n{ENDLESS_RUNTIME}\n; sokudo: stop=never"),
    }
}

/// fio limits each direction by itself: a mix needs its share for each.
fn rate_text(rate: Rate, operations: &OperationMix) -> Setting {
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

const fn backend(backend: BackendKind) -> &'static str {
    match backend {
        BackendKind::Auto => "ioengine=io_uring\n; sokudo: engine=auto",
        BackendKind::IoUring => "ioengine=io_uring",
        BackendKind::Libaio => "ioengine=libaio",
        BackendKind::Psync => "ioengine=psync",
        BackendKind::Sync => "ioengine=sync",
        BackendKind::Vsync => "ioengine=vsync",
        BackendKind::Pvsync2 => "ioengine=pvsync2",
        BackendKind::Mmap => "ioengine=mmap",
        BackendKind::Null => "ioengine=null",
        BackendKind::Sim => "ioengine=null\n; sokudo: engine=sim",
    }
}

const fn direct(direct: DirectMode) -> &'static str {
    match direct {
        DirectMode::On => "direct=1",
        DirectMode::Off => "direct=0",
        DirectMode::Auto => "direct=1\n; sokudo: direct=auto",
    }
}

fn durability(workload: &Workload) -> Vec<Setting> {
    let durability = workload.durability;
    let mut list = Vec::new();
    list.extend(durability.fsync_every.map(|every| format!("fsync={every}")));
    list.extend(
        durability
            .fdatasync_every
            .map(|every| format!("fdatasync={every}")),
    );
    if durability.write_through {
        list.push("sync=dsync".to_owned());
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

/// A size as fio reads it: `1m`, `4k`, `1000`.
pub(super) fn size_text(size: Bytes) -> String {
    let units = [
        ("t", 1 << 40),
        ("g", Bytes::GIB),
        ("m", Bytes::MIB),
        ("k", Bytes::KIB),
    ];
    let fits = |(_, unit): &(&str, u64)| size.0 > 0 && size.0.is_multiple_of(*unit);
    match units.into_iter().find(fits) {
        Some((letter, unit)) => format!("{}{letter}", size.0 / unit),
        None => size.0.to_string(),
    }
}

/// Text that cannot end its line.
pub(super) fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.trim().chars().map(plain).collect()
}
