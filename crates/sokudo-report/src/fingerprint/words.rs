//! A part of a fingerprint in words, for people. Nothing is found by them, and nothing is taken
//! of them: to reword one changes no fingerprint.

use std::collections::BTreeMap;

use sokudo_model::{
    BackendClass, Batching, BlockChoice, BlockShare, BlockSizes, BufferMemory, Bytes, CpuPolicy,
    DataContent, DirectUse, Distribution, DriveCache, Durability, EndsOthers, Estimand, FileOrder,
    FileService, FileTree, Limits, Nanos, Operation, OperationMix, Order, PatternPart, PlanData,
    PlanPart, PlanParts, Rate, RateProcess, Rates, Recording, Reducible, Sample, Scatter,
    ScheduleName, SequentialOffset, Span, SteadyFigure, SteadyLimit, SteadyRule, SurveyedSamples,
    Think, TreeContents, TreeNames, TreeOrder, Visit, WriteCheck, Zone, ZoneLength,
};

use sokudo_words::{Text, text};

use crate::number::{exact_size, exact_time};
use crate::wording::minutes;

/// What is not known of a part.
const UNKNOWN: &str = "unknown";
const NONE: &str = "none";

/// Parameters of distributions and rules are in millionths.
const MILLIONTHS: f64 = 1e6;
const DIRECTIONS: [Operation; 3] = [Operation::Read, Operation::Write, Operation::Trim];

/// Each part in words by its name, for a document, which programs read.
pub(crate) fn english(parts: &PlanParts) -> BTreeMap<String, String> {
    let words = parts.iter();
    let words = words.map(|(part, data)| (part.name().to_owned(), of_known(data).english()));
    words.collect()
}

/// What it says, if it is there.
pub(crate) fn of_part(parts: &PlanParts, part: PlanPart) -> Option<Text> {
    let data = parts.get(part);
    (data.is_some() || parts.is_unknown(part)).then(|| of_known(data))
}

fn of_known(data: Option<&PlanData>) -> Text {
    data.map_or_else(|| UNKNOWN.into(), of)
}

/// What a part says.
pub(crate) fn of(data: &PlanData) -> Text {
    match data {
        PlanData::Backend(class) => backend(*class),
        PlanData::Batching(rule) => batching(*rule),
        PlanData::Beside((count, sum)) => Text::name(format!("{count} ({sum:016x})")),
        PlanData::Blocks(sizes) => blocks(sizes),
        PlanData::Capacity(_) => "written, then read back".into(),
        PlanData::Check(verify) => check(verify),
        PlanData::Threads(count) | PlanData::Depth(count) | PlanData::Hosts(count) => {
            text!("{count}")
        }
        PlanData::Cpus((policy, numbers)) => cpus(*policy, numbers),
        PlanData::Data(content) => contents(content),
        PlanData::Direct(used) => direct(*used),
        PlanData::Durability(rule) => durability(*rule),
        PlanData::Duration((limits, ramp)) => duration(*limits, *ramp),
        PlanData::Emptied(_) => "first".into(),
        PlanData::Files((count, service, open_max)) => files(*count, *service, *open_max),
        PlanData::Estimand(estimand) => rate_of(*estimand),
        PlanData::Memory(memory) => pages(*memory),
        PlanData::Mix(mix) | PlanData::Operations(mix) => operations(mix),
        PlanData::Order(visited) => order(*visited),
        PlanData::Polled(_) => "yes".into(),
        PlanData::Rate(fixed) => rate(*fixed),
        PlanData::Rates(each) => rates(each),
        PlanData::Recording(kept) => recording(kept),
        PlanData::Rewritten(percent) => text!("{percent} % of what is read"),
        PlanData::Rows(ids) => {
            let together: Vec<String> = ids.iter().map(|ids| ids.join("+")).collect();
            Text::name(together.join(" "))
        }
        PlanData::Scatter(spread) => scatter(spread),
        PlanData::Schedule((name, pause, warm_up)) => schedule(name, *pause, *warm_up),
        PlanData::Span(used) => spans(used),
        PlanData::Spread(over) => minutes(*over),
        PlanData::Start((after, ends)) => start(*after, *ends),
        PlanData::Steady(rule) => steady(rule),
        PlanData::Survey(surveyed) => survey(surveyed),
        PlanData::Think(pause) => pause.map_or_else(|| NONE.into(), think),
        PlanData::Tool(name) => Text::name(name),
        PlanData::Tree(visited) => tree(visited),
        PlanData::WriteCache(state) => drive_cache(*state),
    }
}

/// What a tree's files are, whatever is done to them.
pub(crate) fn tree_files(tree: &FileTree) -> Text {
    let contents = match tree.contents {
        TreeContents::Bytes { min, max } if min == max => text!("of {max} B"),
        TreeContents::Bytes { min, max } => text!("of {min} to {max} B"),
        TreeContents::HardLinks => "that are hard links".into(),
        TreeContents::SymbolicLinks => "that are symbolic links".into(),
    };
    let directories = match tree.directories {
        0 => None,
        count => Some(text!("in {count} directories")),
    };
    joined([
        Some(text!("{} files {contents}", tree.files)),
        directories,
        tree.sync_each.then(|| "each made durable".into()),
    ])
}

fn backend(class: BackendClass) -> Text {
    match class {
        BackendClass::Async => "async".into(),
        BackendClass::Passthrough => "passthrough".into(),
        BackendClass::Sync => "sync".into(),
        BackendClass::Mmap => "mmap".into(),
        BackendClass::Null => "null".into(),
        BackendClass::Sim => "sim".into(),
    }
}

fn direct(used: DirectUse) -> Text {
    match used {
        DirectUse::On => "on".into(),
        DirectUse::Off => "off".into(),
        DirectUse::Differs => "differs between trials".into(),
    }
}

fn drive_cache(state: DriveCache) -> Text {
    match state {
        DriveCache::Keep => "kept".into(),
        DriveCache::On => "switched on".into(),
        DriveCache::Off => "switched off".into(),
    }
}

fn rate_of(estimand: Estimand) -> Text {
    match estimand {
        Estimand::Work => "all I/O that was started".into(),
        Estimand::Sustained => "what lasts, with a full queue".into(),
    }
}

fn pages(memory: BufferMemory) -> Text {
    match memory {
        BufferMemory::Auto => "auto".into(),
        BufferMemory::SmallPages => "small pages".into(),
        BufferMemory::HugePages => "huge pages".into(),
    }
}

fn order(order: Order) -> Text {
    match order {
        Order::Sequential {
            offset: SequentialOffset::Own,
        } => "sequential".into(),
        Order::Sequential {
            offset: SequentialOffset::Interlocked,
        } => "sequential, one interlocked offset".into(),
        Order::Random { map: true } => "random, every block once per pass".into(),
        Order::Random { map: false } => "random, with repeats".into(),
    }
}

/// Sizes, each direction by itself only where they differ.
fn blocks(blocks: &BlockSizes) -> Text {
    let each = DIRECTIONS.map(|operation| block_choice(blocks.of(operation)));
    let [all, others @ ..] = &each;
    if others.iter().all(|choice| choice == all) {
        return all.clone();
    }
    let named = DIRECTIONS.iter().zip(&each);
    let named = named.map(|(operation, choice)| text!("{}: {choice}", word(*operation)));
    Text::list(named, "; ")
}

fn block_choice(choice: &BlockChoice) -> Text {
    let range = |smallest: Bytes, largest: Bytes| (exact_size(smallest), exact_size(largest));
    match choice {
        BlockChoice::Range { smallest, largest } => {
            let (smallest, largest) = range(*smallest, *largest);
            text!("{smallest} to {largest}")
        }
        BlockChoice::AnyBytes { smallest, largest } => {
            let (smallest, largest) = range(*smallest, *largest);
            text!("any from {smallest} to {largest}")
        }
        BlockChoice::Shares(shares) => match &shares[..] {
            [only] => Text::name(exact_size(only.bytes)),
            shares => {
                let shares = shares.iter();
                let share = |it: &BlockShare| format!("{} x{}", exact_size(it.bytes), it.weight);
                Text::list(shares.map(|it| Text::name(share(it))), ", ")
            }
        },
    }
}

fn operations(mix: &OperationMix) -> Text {
    let shares = mix.shares().iter();
    let shares = shares.map(|(operation, percent)| text!("{} {percent} %", word(*operation)));
    Text::list(shares, ", ")
}

fn spans(spans: &[Option<Span>]) -> Text {
    let spans = spans.iter().map(|span| match span {
        Some(Span { offset, length }) => {
            text!("{} from {}", exact_size(*length), exact_size(*offset))
        }
        None => "all, size unknown".into(),
    });
    Text::list(spans, ", ")
}

fn contents(data: &DataContent) -> Text {
    match data {
        DataContent::Random => "random".into(),
        DataContent::Zero => "zero".into(),
        DataContent::Repeated => "random, repeated".into(),
        DataContent::Pattern(bytes) => text!("pattern {}", hexadecimal(bytes)),
        DataContent::Reducible(data) => reducible(data),
    }
}

fn reducible(data: &Reducible) -> Text {
    let chunk = match data.chunk {
        Some(chunk) => text!("chunks of {}", exact_size(chunk)),
        None => "I/Os".into(),
    };
    let filler = match &data.filler[..] {
        [] => "zeros".into(),
        filler => Text::name(hexadecimal(filler)),
    };
    let (compress, dedupe) = (data.compress_percent, data.dedupe_percent);
    text!("random, {compress} % of {chunk} {filler}, {dedupe} % repeated")
}

fn duration(limits: Limits, ramp: Nanos) -> Text {
    let time = limits.time.map(|time| Text::name(exact_time(time)));
    let least = limits.time_min.map(exact_time);
    let time = time.or_else(|| least.map(|least| text!("{least} or as long as it needs")));
    let bytes = limits.bytes.map(exact_size);
    let bytes = bytes.map(|bytes| text!("{bytes} per thread"));
    let ios = limits.ios.map(|ios| text!("{ios} I/Os per thread"));
    let ends = [time, bytes, ios].into_iter().flatten();
    let ends = ends.reduce(|one, other| text!("{one} or {other}"));
    let ends = ends.unwrap_or_else(|| NONE.into());
    let ramp = exact_time(ramp);
    match limits.repeats {
        0 => text!("{ends} after a ramp of {ramp}"),
        times => text!("{ends}, repeated {times} times, after a ramp of {ramp}"),
    }
}

fn schedule(name: &ScheduleName, pause: Nanos, warm_up: bool) -> Text {
    let pause = exact_time(pause);
    match warm_up {
        true => text!("{name}, {pause} between trials, a warm-up trial"),
        false => text!("{name}, {pause} between trials, no warm-up trial"),
    }
}

fn durability(rule: Durability) -> Text {
    let every = |call: &str, writes: Option<u32>| writes.map(|n| text!("{call} every {n}"));
    let flag = |is_requested: bool, words: &'static str| is_requested.then(|| words.into());
    let rules = joined([
        every("fsync", rule.fsync_every),
        every("fdatasync", rule.fdatasync_every),
        flag(rule.write_through, "write-through"),
        flag(rule.with_metadata, "with metadata"),
        flag(rule.flush_on_close, "flush on close"),
        flag(rule.final_flush, "final flush"),
    ]);
    match rules.is_empty() {
        true => NONE.into(),
        false => rules,
    }
}

fn rate(rate: Option<Rate>) -> Text {
    match rate {
        None => NONE.into(),
        Some(Rate::BytesPerSecond(bytes)) => text!("{bytes} B/s per thread"),
        Some(Rate::Iops(ios)) => text!("{ios} IOPS per thread"),
    }
}

fn rates(rates: &Rates) -> Text {
    let named = DIRECTIONS.iter().zip(rates.each).map(|(operation, rate)| {
        let operation = word(*operation);
        Some(match rate? {
            Rate::BytesPerSecond(rate) => text!("{operation} {rate} B/s"),
            Rate::Iops(rate) => text!("{operation} {rate} IOPS"),
        })
    });
    let poisson =
        (rates.process == RateProcess::Poisson).then(|| "spaced as a Poisson process".into());
    joined(named.chain([poisson]))
}

fn think(think: Think) -> Text {
    let goes_on = (!think.waits_for_completion).then(|| "meanwhile I/O goes on".into());
    let spin = (think.spin > Nanos(0)).then(|| text!("{} of it computing", exact_time(think.spin)));
    let (time, ios) = (exact_time(think.time), think.after_ios);
    joined([Some(text!("{time} after {ios} I/Os")), goes_on, spin])
}

fn tree(tree: &FileTree) -> Text {
    let names = match tree.names {
        TreeNames::NumberFirst => "numbered names",
        TreeNames::RandomFirst => "random names",
    };
    let order = match tree.order {
        TreeOrder::Numbered => "by number",
        TreeOrder::Listed => "as listed",
        TreeOrder::Shuffled => "in random order",
    };
    Text::list([tree_files(tree), names.into(), order.into()], ", ")
}

fn survey(surveyed: &SurveyedSamples) -> Text {
    let survey = &surveyed.survey;
    let samples = match survey.sample_count {
        1 => "1 place".into(),
        count => text!("{count} places"),
    };
    let visited = match survey.visit {
        Visit::Ascending => text!("{samples} in order"),
        Visit::Shuffled => text!("{samples} in random order"),
        Visit::Random => text!("{samples} at random"),
        Visit::Butterfly => text!("{samples} from both ends alternately"),
    };
    let sample = match survey.sample {
        Sample::Bytes(bytes) => text!("{} each", exact_size(bytes)),
        Sample::Time(time) => text!("{} each", exact_time(time)),
        Sample::Whole => "all blocks, shared among them".into(),
    };
    let approach = survey.approach.map(exact_size);
    joined([
        Some(visited),
        Some(sample),
        approach.map(|bytes| text!("after {bytes} unmeasured")),
        survey.write_back.then(|| "writing what was read".into()),
        survey
            .read_beside
            .map(|bytes| text!("reading {} beside each", exact_size(bytes))),
        surveyed.sealed.map(|_| "blocks stamped and checked".into()),
    ])
}

fn files(count: usize, service: FileService, open_max: Option<u32>) -> Text {
    let order = match service.order {
        FileOrder::RoundRobin => "in turn".into(),
        FileOrder::Sequential => "one after the other".into(),
        FileOrder::Random(Distribution::Uniform) => "at random".into(),
        FileOrder::Random(distribution) => {
            Text::list(["at random".into(), distributed(distribution)], ", ")
        }
    };
    joined([
        Some(text!("{count}")),
        Some(order),
        (service.ios > 1).then(|| text!("{} I/Os each", service.ios)),
        open_max.map(|open| text!("{open} open at once")),
    ])
}

fn scatter(scatter: &Scatter) -> Text {
    let mut parts = Vec::new();
    if scatter.distribution != Distribution::Uniform {
        parts.push(distributed(scatter.distribution));
    }
    for (operation, zones) in DIRECTIONS.iter().zip(&scatter.zones) {
        if !zones.is_empty() {
            let zones = Text::list(zones.iter().map(zone), ", ");
            parts.push(text!("{}: {zones}", word(*operation)));
        }
    }
    if let Some([read, write, trim]) = scatter.random_percent {
        parts.push(match read == write && write == trim {
            true => text!("{read} % random"),
            false => text!("{read}/{write}/{trim} % of reads/writes/trims random"),
        });
    }
    if scatter.run_ios > 0 {
        parts.push(text!("runs of {} I/Os", scatter.run_ios));
    }
    if scatter.stride != 0 {
        parts.push(text!("{} B between blocks", scatter.stride));
    }
    if scatter.trims_first {
        parts.push("each place trimmed, then written".into());
    }
    if let Some([Bytes(read), Bytes(write), Bytes(trim)]) = scatter.alignment {
        parts.push(match read == write && write == trim {
            true => text!("aligned to {read} B"),
            false => text!("reads/writes/trims aligned to {read}/{write}/{trim} B"),
        });
    }
    Text::list(parts, ", ")
}

fn distributed(distribution: Distribution) -> Text {
    let (name, parameter, center) = match distribution {
        Distribution::Uniform => return "uniform".into(),
        Distribution::Zoned => return "zoned".into(),
        Distribution::Zipf { theta, center } => ("zipf", theta, center),
        Distribution::Pareto { power, center } => ("pareto", power, center),
        Distribution::Normal { deviation, center } => ("normal", deviation, center),
    };
    let named = Text::name(format!("{name} {}", millionths(parameter)));
    match center {
        Some(at) => text!("{named} around {}", millionths(at)),
        None => named,
    }
}

fn zone(zone: &Zone) -> Text {
    let access = millionths(zone.access);
    match zone.length {
        ZoneLength::Share(share) => text!("{access} % on {} %", millionths(share)),
        ZoneLength::Size(size) => text!("{access} % on {}", exact_size(size)),
    }
}

fn batching(batching: Batching) -> Text {
    joined([
        (batching.submit).map(|n| text!("{n} submitted at once")),
        (batching.complete_min).map(|n| text!("at least {n} reaped at once")),
        (batching.complete_max).map(|n| text!("at most {n} reaped at once")),
        (batching.low_depth).map(|n| text!("filled again at {n} in flight")),
    ])
}

fn recording(recording: &Recording) -> Text {
    let each = "submission and completion of every I/O";
    joined([
        recording.split_latency.then(|| each.into()),
        recording.latency_log.map(|log| match log.interval {
            None => "a log of every latency".into(),
            Some(time) => text!("a log of latencies every {}", exact_time(time)),
        }),
        (recording.log_every_io).then(|| "a log of every I/O".into()),
        (recording.histogram_interval).map(|time| text!("a histogram every {}", exact_time(time))),
    ])
}

fn start(after: Nanos, ends: EndsOthers) -> Text {
    let ends = match ends {
        EndsOthers::Never => None,
        EndsOthers::OnError => Some("ends all others on an error"),
        EndsOthers::Stage => Some("ends its stage"),
        EndsOthers::Always => Some("ends all others"),
    };
    let after = (after > Nanos(0)).then(|| text!("after {}", exact_time(after)));
    joined([after, ends.map(Text::from)])
}

fn cpus(policy: CpuPolicy, numbers: &[u32]) -> Text {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let numbers = numbers.join(",");
    match policy {
        CpuPolicy::Split => text!("each thread on one of {numbers}"),
        CpuPolicy::Shared => text!("all threads on {numbers}"),
    }
}

fn check(verify: &WriteCheck) -> Text {
    let pattern = verify.pattern.as_ref().map(|pattern| {
        let pattern = pattern.iter().map(|part| match part {
            PatternPart::Bytes(bytes) => Text::name(hexadecimal(bytes)),
            PatternPart::Offset => "offset".into(),
        });
        text!("pattern {}", Text::list(pattern, " "))
    });
    let offset = Some(verify.offset).filter(|offset| *offset > Bytes(0));
    joined([
        Some(Text::name(format!("{:?}", verify.check).to_lowercase())),
        (verify.interval).map(|interval| text!("every {}", exact_size(interval))),
        offset.map(|offset| text!("{} into it", exact_size(offset))),
        pattern,
        verify.read_back.then(|| "read back".into()),
        (verify.backlog).map(|writes| text!("after every {writes} writes")),
        (verify.backlog_batch).map(|batch| text!("{batch} at a time")),
        verify.only.then(|| "nothing written".into()),
    ])
}

fn steady(rule: &SteadyRule) -> Text {
    let figure = match rule.figure {
        SteadyFigure::Iops => Text::name("IOPS"),
        SteadyFigure::Bandwidth => "bandwidth".into(),
    };
    let what = Text::from(if rule.slope { "slope" } else { "deviation" });
    let limit = match (rule.limit, rule.figure) {
        (SteadyLimit::Percent(limit), _) => format!("{} %", millionths(limit)),
        (SteadyLimit::Absolute(limit), SteadyFigure::Iops) => millionths(limit),
        (SteadyLimit::Absolute(limit), SteadyFigure::Bandwidth) => {
            format!("{} KiB/s", millionths(limit))
        }
    };
    let [window, interval, ramp] = [rule.duration, rule.interval, rule.ramp].map(exact_time);
    text!(
        "stops when the {what} of {figure} is below {limit} for {window}, looked at every \
         {interval} after {ramp}"
    )
}

/// Two lower-case hexadecimal digits for each byte, after `0x`.
fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

/// Decimal fraction of so many millionths: `1.2` for 1,200,000.
fn millionths(value: u64) -> String {
    (value as f64 / MILLIONTHS).to_string()
}

fn joined(parts: impl IntoIterator<Item = Option<Text>>) -> Text {
    Text::list(parts.into_iter().flatten(), ", ")
}

fn word(operation: Operation) -> Text {
    operation.name().into()
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
            assert_eq!(of(&data).english(), words);
        }
    }

    #[test]
    fn checks_and_steady_states_are_told_in_words() {
        let verify = WriteCheck {
            interval: Some(Bytes(512)),
            pattern: Some(vec![
                PatternPart::Bytes(vec![0xde, 0xad]),
                PatternPart::Offset,
            ]),
            fatal: true,
            ..WriteCheck::of(Check::Crc32c)
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
            assert_eq!(of(&data).english(), words);
        }
    }
}
