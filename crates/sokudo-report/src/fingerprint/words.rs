//! A part of a fingerprint in words, for people. Nothing is found by them, and nothing is taken
//! of them: to reword one changes no fingerprint.

use std::collections::BTreeMap;

use sokudo_model::{
    BackendClass, Batching, BlockChoice, BlockSizes, BufferMemory, Bytes, CpuPolicy, DataContent,
    DirectUse, Distribution, DriveCache, Durability, EndsOthers, FileOrder, FileService, FileTree,
    Limits, Nanos, Operation, OperationMix, Order, PatternPart, PlanData, PlanParts, Rate,
    RateProcess, Rates, Recording, Reducible, Sample, Scatter, ScheduleName, SequentialOffset,
    Span, SteadyFigure, SteadyLimit, SteadyRule, Survey, Think, TreeContents, TreeNames, TreeOrder,
    Verify, Visit, Zone, ZoneLength,
};

use crate::number::{exact_size, exact_time};

/// What is not known of a part.
const UNKNOWN: &str = "unknown";
const NONE: &str = "none";

/// Parameters of distributions and rules are in millionths.
const MILLIONTHS: f64 = 1e6;
const DIRECTIONS: [Operation; 3] = [Operation::Read, Operation::Write, Operation::Trim];

/// Each part in words by its name.
pub(crate) fn of_all(parts: &PlanParts) -> BTreeMap<String, String> {
    let words = parts.iter().map(|(part, data)| {
        let words = data.map_or_else(|| UNKNOWN.to_owned(), of);
        (part.name().to_owned(), words)
    });
    words.collect()
}

/// What a part says.
pub(crate) fn of(data: &PlanData) -> String {
    match data {
        PlanData::Backend(class) => backend(*class).to_owned(),
        PlanData::Batching(rule) => batching(*rule),
        PlanData::Beside((count, sum)) => format!("{count} ({sum:016x})"),
        PlanData::Blocks(sizes) => blocks(sizes),
        PlanData::Check(verify) => check(verify),
        PlanData::Clones(count) | PlanData::Depth(count) => count.to_string(),
        PlanData::Cpus((policy, numbers)) => cpus(*policy, numbers),
        PlanData::Data(content) => contents(content),
        PlanData::Direct(used) => direct(*used).to_owned(),
        PlanData::Durability(rule) => durability(*rule),
        PlanData::Duration((limits, ramp)) => duration(*limits, *ramp),
        PlanData::Emptied(_) => "first".to_owned(),
        PlanData::Files((count, service, open_max)) => files(*count, *service, *open_max),
        PlanData::Memory(memory) => pages(*memory).to_owned(),
        PlanData::Mix(mix) | PlanData::Operations(mix) => operations(mix),
        PlanData::Order(visited) => order(*visited).to_owned(),
        PlanData::Rate(fixed) => rate(*fixed),
        PlanData::Rates(each) => rates(each),
        PlanData::Recording(kept) => recording(kept),
        PlanData::Rewritten(percent) => format!("{percent} % of what is read"),
        PlanData::Rows(ids) => {
            let together: Vec<String> = ids.iter().map(|ids| ids.join("+")).collect();
            together.join(" ")
        }
        PlanData::Scatter(spread) => scatter(spread),
        PlanData::Schedule((name, pause, warm_up)) => schedule(name, *pause, *warm_up),
        PlanData::Span(used) => spans(used),
        PlanData::Start((after, ends)) => start(*after, *ends),
        PlanData::Steady(rule) => steady(rule),
        PlanData::Survey(places) => survey(places),
        PlanData::Think(pause) => pause.map_or_else(|| NONE.to_owned(), think),
        PlanData::Tool(name) => name.clone(),
        PlanData::Tree(visited) => tree(visited),
        PlanData::WriteCache(state) => drive_cache(*state).to_owned(),
    }
}

/// What a tree's files are, whatever is done to them.
pub(crate) fn tree_files(tree: &FileTree) -> String {
    let contents = match tree.contents {
        TreeContents::Bytes { min, max } if min == max => format!("of {max} B"),
        TreeContents::Bytes { min, max } => format!("of {min} to {max} B"),
        TreeContents::HardLinks => "that are hard links".to_owned(),
        TreeContents::SymbolicLinks => "that are symbolic links".to_owned(),
    };
    let directories = match tree.directories {
        0 => String::new(),
        count => format!(", in {count} directories"),
    };
    let synced = if tree.sync_each {
        ", each made durable"
    } else {
        ""
    };
    format!("{} files {contents}{directories}{synced}", tree.files)
}

const fn backend(class: BackendClass) -> &'static str {
    match class {
        BackendClass::Async => "async",
        BackendClass::Sync => "sync",
        BackendClass::Mmap => "mmap",
        BackendClass::Null => "null",
        BackendClass::Sim => "sim",
    }
}

const fn direct(used: DirectUse) -> &'static str {
    match used {
        DirectUse::On => "on",
        DirectUse::Off => "off",
        DirectUse::Differs => "differs between trials",
    }
}

const fn drive_cache(state: DriveCache) -> &'static str {
    match state {
        DriveCache::Keep => "kept",
        DriveCache::On => "switched on",
        DriveCache::Off => "switched off",
    }
}

const fn pages(memory: BufferMemory) -> &'static str {
    match memory {
        BufferMemory::Auto => "auto",
        BufferMemory::SmallPages => "small pages",
        BufferMemory::HugePages => "huge pages",
    }
}

const fn order(order: Order) -> &'static str {
    match order {
        Order::Sequential {
            offset: SequentialOffset::Own,
        } => "sequential",
        Order::Sequential {
            offset: SequentialOffset::Interlocked,
        } => "sequential, one interlocked offset",
        Order::Random { map: true } => "random, every block once per pass",
        Order::Random { map: false } => "random, with repeats",
    }
}

/// Sizes, each direction by itself only where they differ.
fn blocks(blocks: &BlockSizes) -> String {
    let each = DIRECTIONS.map(|operation| block_choice(blocks.of(operation)));
    let [all, others @ ..] = &each;
    if others.iter().all(|choice| choice == all) {
        return all.clone();
    }
    let named = DIRECTIONS.iter().zip(&each);
    let named: Vec<String> = named
        .map(|(operation, choice)| format!("{}: {choice}", operation.name()))
        .collect();
    named.join("; ")
}

fn block_choice(choice: &BlockChoice) -> String {
    let range = |smallest: Bytes, largest: Bytes| (exact_size(smallest), exact_size(largest));
    match choice {
        BlockChoice::Range { smallest, largest } => {
            let (smallest, largest) = range(*smallest, *largest);
            format!("{smallest} to {largest}")
        }
        BlockChoice::AnyBytes { smallest, largest } => {
            let (smallest, largest) = range(*smallest, *largest);
            format!("any from {smallest} to {largest}")
        }
        BlockChoice::Shares(shares) => match &shares[..] {
            [only] => exact_size(only.bytes),
            shares => {
                let shares = shares.iter();
                let shares = shares.map(|it| format!("{} x{}", exact_size(it.bytes), it.weight));
                shares.collect::<Vec<_>>().join(", ")
            }
        },
    }
}

fn operations(mix: &OperationMix) -> String {
    let shares = mix.shares().iter();
    let shares = shares.map(|(operation, percent)| format!("{} {percent} %", operation.name()));
    shares.collect::<Vec<_>>().join(", ")
}

fn spans(spans: &[Option<Span>]) -> String {
    let spans = spans.iter().map(|span| match span {
        Some(Span { offset, length }) => {
            format!("{} from {}", exact_size(*length), exact_size(*offset))
        }
        None => "all, size unknown".to_owned(),
    });
    spans.collect::<Vec<_>>().join(", ")
}

fn contents(data: &DataContent) -> String {
    match data {
        DataContent::Random => "random".to_owned(),
        DataContent::Zero => "zero".to_owned(),
        DataContent::Repeated => "random, repeated".to_owned(),
        DataContent::Pattern(bytes) => format!("pattern {}", hexadecimal(bytes)),
        DataContent::Reducible(data) => reducible(data),
    }
}

fn reducible(data: &Reducible) -> String {
    let chunk = match data.chunk {
        Some(chunk) => format!("chunks of {}", exact_size(chunk)),
        None => "I/Os".to_owned(),
    };
    let filler = match &data.filler[..] {
        [] => "zeros".to_owned(),
        filler => hexadecimal(filler),
    };
    let (compress, dedupe) = (data.compress_percent, data.dedupe_percent);
    format!("random, {compress} % of {chunk} {filler}, {dedupe} % repeated")
}

fn duration(limits: Limits, ramp: Nanos) -> String {
    let time = limits.time.map(exact_time);
    let bytes = limits.bytes.map(exact_size);
    let bytes = bytes.map(|bytes| format!("{bytes} per clone"));
    let ios = limits.ios.map(|ios| format!("{ios} I/Os per clone"));
    let ends: Vec<String> = [time, bytes, ios].into_iter().flatten().collect();
    let ends = match ends.is_empty() {
        true => NONE.to_owned(),
        false => ends.join(" or "),
    };
    let ramp = exact_time(ramp);
    match limits.repeats {
        0 => format!("{ends} after a ramp of {ramp}"),
        times => format!("{ends}, repeated {times} times, after a ramp of {ramp}"),
    }
}

fn schedule(name: &ScheduleName, pause: Nanos, warm_up: bool) -> String {
    let warm_up = if warm_up { "a" } else { "no" };
    let pause = exact_time(pause);
    format!("{name}, {pause} between trials, {warm_up} warm-up trial")
}

fn durability(rule: Durability) -> String {
    let every = |call: &str, writes: Option<u32>| writes.map(|n| format!("{call} every {n}"));
    let asked = |is_asked: bool, words: &str| is_asked.then(|| words.to_owned());
    let rules = joined([
        every("fsync", rule.fsync_every),
        every("fdatasync", rule.fdatasync_every),
        asked(rule.write_through, "write-through"),
        asked(rule.with_metadata, "with metadata"),
        asked(rule.flush_on_close, "flush on close"),
        asked(rule.final_flush, "final flush"),
    ]);
    match rules.is_empty() {
        true => NONE.to_owned(),
        false => rules,
    }
}

fn rate(rate: Option<Rate>) -> String {
    match rate {
        None => NONE.to_owned(),
        Some(Rate::BytesPerSecond(bytes)) => format!("{bytes} B/s per clone"),
        Some(Rate::Iops(ios)) => format!("{ios} IOPS per clone"),
    }
}

fn rates(rates: &Rates) -> String {
    let named = DIRECTIONS.iter().zip(rates.each).map(|(operation, rate)| {
        let operation = operation.name();
        Some(match rate? {
            Rate::BytesPerSecond(rate) => format!("{operation} {rate} B/s"),
            Rate::Iops(rate) => format!("{operation} {rate} IOPS"),
        })
    });
    let poisson =
        (rates.process == RateProcess::Poisson).then(|| "spaced as a Poisson process".to_owned());
    joined(named.chain([poisson]))
}

fn think(think: Think) -> String {
    let goes_on = (!think.waits_for_completion).then(|| "meanwhile I/O goes on".to_owned());
    let spin =
        (think.spin > Nanos(0)).then(|| format!("{} of it computing", exact_time(think.spin)));
    let (time, ios) = (exact_time(think.time), think.after_ios);
    joined([Some(format!("{time} after {ios} I/Os")), goes_on, spin])
}

fn tree(tree: &FileTree) -> String {
    let names = match tree.names {
        TreeNames::NumberFirst => "numbered names",
        TreeNames::RandomFirst => "random names",
    };
    let order = match tree.order {
        TreeOrder::Numbered => "by number",
        TreeOrder::Listed => "as listed",
        TreeOrder::Shuffled => "in random order",
    };
    format!("{}, {names}, {order}", tree_files(tree))
}

fn survey(survey: &Survey) -> String {
    let visit = match survey.visit {
        Visit::Ascending => "in order",
        Visit::Shuffled => "in random order",
        Visit::Random => "at random",
        Visit::Butterfly => "from both ends in turn",
    };
    let sample = match survey.sample {
        Sample::Bytes(bytes) => format!("{} each", exact_size(bytes)),
        Sample::Time(time) => format!("{} each", exact_time(time)),
        Sample::Whole => "all between them".to_owned(),
    };
    let places = match survey.places {
        1 => "1 place".to_owned(),
        places => format!("{places} places"),
    };
    let approach = survey.approach.map(exact_size);
    joined([
        Some(format!("{places} {visit}, {sample}")),
        approach.map(|bytes| format!("after {bytes} unmeasured")),
        survey
            .write_back
            .then(|| "writing what was read".to_owned()),
    ])
}

fn files(count: usize, service: FileService, open_max: Option<u32>) -> String {
    let order = match service.order {
        FileOrder::RoundRobin => "in turn".to_owned(),
        FileOrder::Sequential => "one after the other".to_owned(),
        FileOrder::Random(Distribution::Uniform) => "at random".to_owned(),
        FileOrder::Random(distribution) => format!("at random, {}", distributed(distribution)),
    };
    joined([
        Some(format!("{count}, {order}")),
        (service.ios > 1).then(|| format!("{} I/Os each", service.ios)),
        open_max.map(|open| format!("{open} open at once")),
    ])
}

fn scatter(scatter: &Scatter) -> String {
    let mut parts = Vec::new();
    if scatter.distribution != Distribution::Uniform {
        parts.push(distributed(scatter.distribution));
    }
    for (operation, zones) in DIRECTIONS.iter().zip(&scatter.zones) {
        if !zones.is_empty() {
            let zones: Vec<String> = zones.iter().map(zone).collect();
            parts.push(format!("{}: {}", operation.name(), zones.join(", ")));
        }
    }
    if let Some([read, write, trim]) = scatter.random_percent {
        parts.push(match read == write && write == trim {
            true => format!("{read} % random"),
            false => format!("{read}/{write}/{trim} % of reads/writes/trims random"),
        });
    }
    if scatter.run_ios > 0 {
        parts.push(format!("runs of {} I/Os", scatter.run_ios));
    }
    if scatter.stride != 0 {
        parts.push(format!("{} B between blocks", scatter.stride));
    }
    if scatter.trims_first {
        parts.push("each place trimmed, then written".to_owned());
    }
    if let Some([Bytes(read), Bytes(write), Bytes(trim)]) = scatter.alignment {
        parts.push(match read == write && write == trim {
            true => format!("aligned to {read} B"),
            false => format!("reads/writes/trims aligned to {read}/{write}/{trim} B"),
        });
    }
    parts.join(", ")
}

fn distributed(distribution: Distribution) -> String {
    let (name, parameter, center) = match distribution {
        Distribution::Uniform => return "uniform".to_owned(),
        Distribution::Zoned => return "zoned".to_owned(),
        Distribution::Zipf { theta, center } => ("zipf", theta, center),
        Distribution::Pareto { power, center } => ("pareto", power, center),
        Distribution::Normal { deviation, center } => ("normal", deviation, center),
    };
    let center = center.map_or_else(String::new, |at| format!(" around {}", millionths(at)));
    format!("{name} {}{center}", millionths(parameter))
}

fn zone(zone: &Zone) -> String {
    let access = millionths(zone.access);
    match zone.length {
        ZoneLength::Share(share) => format!("{access} % on {} %", millionths(share)),
        ZoneLength::Size(size) => format!("{access} % on {}", exact_size(size)),
    }
}

fn batching(batching: Batching) -> String {
    joined([
        (batching.submit).map(|n| format!("{n} submitted at once")),
        (batching.complete_min).map(|n| format!("at least {n} reaped at once")),
        (batching.complete_max).map(|n| format!("at most {n} reaped at once")),
        (batching.low_depth).map(|n| format!("filled again at {n} in flight")),
    ])
}

fn recording(recording: &Recording) -> String {
    let each = "submission and completion of every I/O";
    joined([
        recording.split_latency.then(|| each.to_owned()),
        recording.latency_log.map(|log| match log.interval {
            None => "a log of every latency".to_owned(),
            Some(time) => format!("a log of latencies every {}", exact_time(time)),
        }),
        (recording.log_every_io).then(|| "a log of every I/O".to_owned()),
        (recording.histogram_interval)
            .map(|time| format!("a histogram every {}", exact_time(time))),
    ])
}

fn start(after: Nanos, ends: EndsOthers) -> String {
    let ends = match ends {
        EndsOthers::Never => None,
        EndsOthers::OnError => Some("ends all others on an error"),
        EndsOthers::Stage => Some("ends its stage"),
        EndsOthers::Always => Some("ends all others"),
    };
    let after = (after > Nanos(0)).then(|| format!("after {}", exact_time(after)));
    joined([after, ends.map(str::to_owned)])
}

fn cpus(policy: CpuPolicy, numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let numbers = numbers.join(",");
    match policy {
        CpuPolicy::Split => format!("each thread on one of {numbers}"),
        CpuPolicy::Shared => format!("all threads on {numbers}"),
    }
}

fn check(verify: &Verify) -> String {
    let pattern = verify.pattern.as_ref().map(|pattern| {
        let pattern = pattern.iter().map(|part| match part {
            PatternPart::Bytes(bytes) => hexadecimal(bytes),
            PatternPart::Offset => "offset".to_owned(),
        });
        format!("pattern {}", pattern.collect::<Vec<_>>().join(" "))
    });
    let offset = Some(verify.offset).filter(|offset| *offset > Bytes(0));
    joined([
        Some(format!("{:?}", verify.check).to_lowercase()),
        (verify.interval).map(|interval| format!("every {}", exact_size(interval))),
        offset.map(|offset| format!("{} into it", exact_size(offset))),
        pattern,
        verify.read_back.then(|| "read back".to_owned()),
        (verify.backlog).map(|writes| format!("after every {writes} writes")),
        (verify.backlog_batch).map(|batch| format!("{batch} at a time")),
        verify.only.then(|| "nothing written".to_owned()),
    ])
}

fn steady(rule: &SteadyRule) -> String {
    let figure = match rule.figure {
        SteadyFigure::Iops => "IOPS",
        SteadyFigure::Bandwidth => "bandwidth",
    };
    let what = if rule.slope { "slope" } else { "deviation" };
    let limit = match (rule.limit, rule.figure) {
        (SteadyLimit::Percent(limit), _) => format!("{} %", millionths(limit)),
        (SteadyLimit::Absolute(limit), SteadyFigure::Iops) => millionths(limit),
        (SteadyLimit::Absolute(limit), SteadyFigure::Bandwidth) => {
            format!("{} KiB/s", millionths(limit))
        }
    };
    let [window, interval, ramp] = [rule.duration, rule.interval, rule.ramp].map(exact_time);
    format!(
        "stops when the {what} of {figure} is below {limit} for {window}, looked at every \
         {interval} after {ramp}"
    )
}

/// `0xdeadbeef`.
fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

/// `1.2` for 1,200,000.
#[expect(clippy::cast_precision_loss, reason = "parameters have a few digits")]
fn millionths(value: u64) -> String {
    (value as f64 / MILLIONTHS).to_string()
}

fn joined(parts: impl IntoIterator<Item = Option<String>>) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Check, LatencyLog};

    #[test]
    fn a_part_is_told_in_words() {
        let batching = Batching {
            submit: Some(16),
            ..Batching::default()
        };
        let scatter = Scatter {
            distribution: Distribution::Zipf {
                theta: 1_200_000,
                center: None,
            },
            run_ios: 4,
            ..Scatter::default()
        };
        let rates = Rates {
            each: [None, Some(Rate::Iops(100)), None],
            process: RateProcess::Poisson,
        };
        let recording = Recording {
            latency_log: Some(LatencyLog { interval: None }),
            ..Recording::default()
        };
        let service = FileService {
            ios: 8,
            ..FileService::default()
        };
        let limits = Limits {
            time: Some(Nanos::from_secs(5)),
            ..Limits::default()
        };
        for (data, words) in [
            (PlanData::Blocks(BlockSizes::one(Bytes::kib(4))), "4 KiB"),
            (
                PlanData::Duration((limits, Nanos(0))),
                "5 s after a ramp of 0 s",
            ),
            (
                PlanData::Files((3, service, None)),
                "3, in turn, 8 I/Os each",
            ),
            (PlanData::Scatter(scatter), "zipf 1.2, runs of 4 I/Os"),
            (PlanData::Batching(batching), "16 submitted at once"),
            (PlanData::Memory(BufferMemory::SmallPages), "small pages"),
            (
                PlanData::Rates(rates),
                "write 100 IOPS, spaced as a Poisson process",
            ),
            (PlanData::Recording(recording), "a log of every latency"),
            (PlanData::Start((Nanos(5), EndsOthers::Never)), "after 5 ns"),
            (
                PlanData::Cpus((CpuPolicy::Split, vec![0, 2])),
                "each thread on one of 0,2",
            ),
        ] {
            assert_eq!(of(&data), words);
        }
    }

    #[test]
    fn checks_and_steady_states_are_told_in_words() {
        let verify = Verify {
            check: Check::Crc32c,
            interval: Some(Bytes(512)),
            offset: Bytes(0),
            pattern: Some(vec![
                PatternPart::Bytes(vec![0xde, 0xad]),
                PatternPart::Offset,
            ]),
            read_back: true,
            backlog: None,
            backlog_batch: None,
            only: false,
            fatal: true,
            dump: false,
            save_state: false,
        };
        let steady = SteadyRule {
            figure: SteadyFigure::Iops,
            slope: true,
            limit: SteadyLimit::Percent(300_000),
            duration: Nanos::from_secs(10),
            ramp: Nanos(0),
            interval: Nanos::from_millis(1),
        };
        for (data, words) in [
            (
                PlanData::Check(verify),
                "crc32c, every 512 B, pattern 0xdead offset, read back",
            ),
            (
                PlanData::Steady(steady),
                "stops when the slope of IOPS is below 0.3 % for 10 s, looked at every 1 ms after 0 s",
            ),
        ] {
            assert_eq!(of(&data), words);
        }
    }
}
