//! From a plan to the diskspd lines that repeat it, for diskspd-for-linux where that can
//! do it, with options of Windows where it cannot.

use sokudo_model::{
    BufferMemory, Bytes, DataContent, DirectMode, Distribution, Nanos, Operation, Order, Plan,
    Rate, SequentialOffset, Workload, Zone, ZoneLength,
};

use crate::language::quoted;

use super::value::shortest;

/// What a printed line does its I/O on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedTarget {
    /// The file or device.
    pub path: String,
    /// The size with which the file is to be made; `None` for what exists.
    pub create: Option<Bytes>,
}

/// A line per workload, in the plan's order. What diskspd cannot express stands before a
/// line as a comment (`# …`), so that a script of these lines runs and says what differs.
pub fn command_lines(plan: &Plan, target: &PrintedTarget) -> Vec<String> {
    let mut lines = Vec::new();
    for stage in &plan.stages {
        if stage.workloads.len() > 1 {
            lines.push(
                "# The next lines ran at the same time; diskspd runs one after the other."
                    .to_owned(),
            );
        }
        for workload in &stage.workloads {
            let missing = inexpressible(workload);
            if !missing.is_empty() {
                let missing = missing.join(", ");
                lines.push(format!("# {}: diskspd has no {missing}.", workload.name));
            }
            lines.push(line(plan, workload, target));
        }
    }
    lines
}

fn line(plan: &Plan, workload: &Workload, target: &PrintedTarget) -> String {
    let block = shortest(workload.blocks.smallest().0);
    let time = seconds(workload.limits.time.unwrap_or(Nanos::from_secs(10)));
    let ramp = seconds(workload.timing.ramp);
    let (threads, depth) = (workload.threads, workload.depth);
    let mut words = vec!["diskspd".to_owned()];
    words.extend(target.create.map(|size| format!("-c{}", shortest(size.0))));
    words.push(format!("-b{block} -d{time} -W{ramp} -t{threads} -o{depth}"));
    words.extend(part(workload, target));
    words.extend(order(workload));
    let writes = workload.operations.percent(Operation::Write);
    words.push(format!("-w{writes}"));
    words.extend(caching(workload).map(str::to_owned));
    words.extend((workload.issuing.memory == BufferMemory::HugePages).then(|| "-l".to_owned()));
    words.extend(match &workload.data {
        DataContent::Zero => Some("-Zz".to_owned()),
        DataContent::Random | DataContent::Reducible(_) => Some("-Zr".to_owned()),
        DataContent::Repeated => Some(format!("-Z{}", shortest(workload.blocks.largest().0))),
        DataContent::Pattern(_) => None,
    });
    words.extend(workload.pacing.rate.map(|rate| match rate {
        Rate::BytesPerSecond(bytes) => format!("-g{}", bytes.div_ceil(1_000)),
        Rate::Iops(iops) => format!("-g{iops}i"),
    }));
    words.extend(workload.pacing.think.map(|think| {
        let milliseconds = think.time.0.div_ceil(1_000_000);
        format!("-i{} -j{milliseconds}", think.after_ios)
    }));
    let cpus: Vec<String> = workload.issuing.cpus.iter().map(u32::to_string).collect();
    words.push(match cpus.is_empty() {
        true => "-n".to_owned(),
        false => format!("-a{}", cpus.join(",")),
    });
    words.push(format!("-z{} -L {}", plan.seed, quoted(&target.path)));
    words.join(" ")
}

/// Whole seconds, one at least unless there are none.
fn seconds(time: Nanos) -> u64 {
    time.0.div_ceil(1_000_000_000)
}

/// The part of the target that is used, where that is not all of it.
fn part(workload: &Workload, target: &PrintedTarget) -> Vec<String> {
    let mut words = Vec::new();
    let first = workload.files.uses.first();
    if let Some(span) = workload.span.or_else(|| first?.span) {
        let end = Bytes(span.offset.0.saturating_add(span.length.0));
        if span.offset > Bytes(0) {
            words.push(format!("-B{}", shortest(span.offset.0)));
        }
        if target.create != Some(end) {
            words.push(format!("-f{}", shortest(end.0)));
        }
    }
    words
}

/// `-rd`; `None` where diskspd cannot express it in whole percent.
fn ranges(zones: &[Zone]) -> Option<String> {
    const PERCENT: u64 = 1_000_000;
    let whole = |share: u64| share.is_multiple_of(PERCENT).then_some(share / PERCENT);
    let mut kind = None;
    let mut parts = Vec::new();
    for zone in zones {
        let (own, length) = match zone.length {
            ZoneLength::Share(share) => ("pct", whole(share)?.to_string()),
            ZoneLength::Size(size) => ("abs", shortest(size.0)),
        };
        if *kind.get_or_insert(own) != own {
            return None;
        }
        parts.push(format!("{}/{length}", whole(zone.access)?));
    }
    Some(format!("-rd{}{}", kind?, parts.join(":")))
}

fn order(workload: &Workload) -> Vec<String> {
    let mut words = Vec::new();
    match workload.order {
        Order::Random { .. } => {
            let alignment = workload
                .scatter
                .alignment
                .map(|[read, ..]| shortest(read.0));
            words.push(format!("-r{}", alignment.unwrap_or_default()));
            if let Some([percent, ..]) = workload.scatter.random_percent {
                words.push(format!("-rs{percent}"));
            }
            if workload.scatter.distribution == Distribution::Zoned {
                words.extend(ranges(&workload.scatter.zones[0]));
            }
        }
        Order::Sequential { offset } => {
            let interlocked = offset == SequentialOffset::Interlocked && workload.threads > 1;
            let block = i128::from(workload.blocks.smallest().0);
            let stride = u64::try_from(block + i128::from(workload.scatter.stride)).unwrap_or(0);
            let letter = if interlocked { "-si" } else { "-s" };
            if interlocked || workload.scatter.stride != 0 {
                words.push(format!("{letter}{}", shortest(stride)));
            }
        }
    }
    words
}

fn caching(workload: &Workload) -> Option<&'static str> {
    let direct = workload.direct != DirectMode::Off;
    let durability = &workload.durability;
    match (direct, durability.write_through, durability.with_metadata) {
        (false, false, _) => None,
        (true, false, _) => Some("-Sd"),
        (true, true, true) => Some("-Sh"),
        (true, true, false) => Some("-Suw"),
        (false, true, true) => Some("-Ss"),
        (false, true, false) => Some("-Sw"),
    }
}

/// What a workload has and diskspd has not.
fn inexpressible(workload: &Workload) -> Vec<&'static str> {
    let whole = |time: Nanos| time.0.is_multiple_of(1_000_000_000);
    let time = workload.limits.time;
    let durability = &workload.durability;
    let flushes = durability.fsync_every.is_some()
        || durability.fdatasync_every.is_some()
        || durability.final_flush
        || durability.flush_on_close;
    let scatter = &workload.scatter;
    let is_skewed = match scatter.distribution {
        Distribution::Uniform => false,
        Distribution::Zoned => {
            let [read, write, _] = &scatter.zones;
            read != write || ranges(read).is_none()
        }
        _ => true,
    };
    [
        (is_skewed, "such distribution of random places"),
        (workload.blocks.single().is_none(), "mix of block sizes"),
        (
            matches!(workload.order, Order::Random { map: true }),
            "map of visited blocks, so that blocks may repeat",
        ),
        (
            workload.limits.bytes.is_some() || workload.limits.ios.is_some(),
            "end after so many bytes or I/Os",
        ),
        (
            time.is_none(),
            "run without an end, so that it takes 10 seconds",
        ),
        (
            !time.is_none_or(whole) || !whole(workload.timing.ramp),
            "parts of seconds, which are rounded up",
        ),
        (flushes, "flush"),
        (workload.operations.percent(Operation::Trim) > 0, "trim"),
        (workload.verify.is_some(), "check of what was written"),
        (workload.timing.steady.is_some(), "steady state"),
    ]
    .into_iter()
    .filter_map(|(is_so, what)| is_so.then_some(what))
    .collect()
}
