//! Parts of a fingerprint that a plain workload does not have. Each is there only when
//! it was asked for, so that plain runs keep the fingerprints they always had.
//!
//! The same sentences tell people what was special about a run.

use sokudo_model::{
    Batching, BufferMemory, Bytes, CpuPolicy, Distribution, DriveCache, EndsOthers, FileOrder,
    FileTree, Nanos, Operation, PatternPart, Rate, RateProcess, Rates, Recording, Sample, Scatter,
    SteadyFigure, SteadyLimit, SteadyRule, Survey, TreeContents, TreeNames, TreeOrder, Verify,
    Visit, Workload, Zone, ZoneLength,
};

/// Parameters of distributions and rules are in millionths.
const MILLIONTHS: f64 = 1e6;
const DIRECTIONS: [Operation; 3] = [Operation::Read, Operation::Write, Operation::Trim];

/// Everything about a workload that is not plain, each by a name of its own.
pub(crate) fn extras(workload: &Workload) -> impl Iterator<Item = (&'static str, String)> {
    let parts = [
        ("batching", batching(workload.batching)),
        ("check", workload.verify.as_ref().map(check)),
        ("cpus", cpus(workload)),
        ("emptied", workload.from_empty.then(|| "first".to_owned())),
        ("files", files(workload)),
        ("memory", memory(workload.memory)),
        ("rates", rates(&workload.rates)),
        ("recording", recording(&workload.recording)),
        ("rewritten", rewritten(workload.rewritten_percent)),
        ("scatter", scatter(&workload.scatter)),
        ("start", start(workload)),
        ("steady", workload.steady.as_ref().map(steady)),
        ("survey", workload.survey.as_ref().map(survey)),
        ("tree", workload.tree.as_ref().map(tree)),
        ("write cache", drive_cache(workload.drive_cache)),
    ];
    let present = |(name, value): (&'static str, Option<String>)| Some((name, value?));
    parts.into_iter().filter_map(present)
}

/// `0xdeadbeef`.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

fn drive_cache(state: DriveCache) -> Option<String> {
    match state {
        DriveCache::Keep => None,
        DriveCache::On => Some("switched on".to_owned()),
        DriveCache::Off => Some("switched off".to_owned()),
    }
}

fn rewritten(percent: u32) -> Option<String> {
    (percent > 0).then(|| format!("{percent} % of what is read"))
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
    format!("{}, {names}, {order}", tree_text(tree))
}

/// What a tree's files are, whatever is done to them.
pub(crate) fn tree_text(tree: &FileTree) -> String {
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

fn survey(survey: &Survey) -> String {
    let visit = match survey.visit {
        Visit::Ascending => "in order",
        Visit::Shuffled => "in random order",
        Visit::Random => "at random",
        Visit::Butterfly => "from both ends in turn",
    };
    let sample = match survey.sample {
        Sample::Bytes(bytes) => format!("{bytes} each"),
        Sample::Time(time) => format!("{time} each"),
        Sample::Whole => "all between them".to_owned(),
    };
    let approach = match survey.approach {
        Some(bytes) => format!(", after {bytes} unmeasured"),
        None => String::new(),
    };
    let write_back = if survey.write_back {
        ", writing what was read"
    } else {
        ""
    };
    let places = match survey.places {
        1 => "1 place".to_owned(),
        places => format!("{places} places"),
    };
    format!("{places} {visit}, {sample}{approach}{write_back}")
}
/// One file alone is no different from a target without files.
fn files(workload: &Workload) -> Option<String> {
    let files = &workload.files;
    let count = files.uses.len();
    if count < 2 {
        return None;
    }
    let order = match files.service.order {
        FileOrder::RoundRobin => "in turn".to_owned(),
        FileOrder::Sequential => "one after the other".to_owned(),
        FileOrder::Random(Distribution::Uniform) => "at random".to_owned(),
        FileOrder::Random(distribution) => format!("at random, {}", distributed(distribution)),
    };
    let run = match files.service.ios {
        0 | 1 => String::new(),
        ios => format!(", {ios} I/Os each"),
    };
    let open = match files.open_max {
        Some(open) => format!(", {open} open at once"),
        None => String::new(),
    };
    Some(format!("{count}, {order}{run}{open}"))
}

fn scatter(scatter: &Scatter) -> Option<String> {
    let mut parts = Vec::new();
    if scatter.distribution != Distribution::Uniform {
        parts.push(distributed(scatter.distribution));
    }
    for (operation, zones) in DIRECTIONS.iter().zip(&scatter.zones) {
        if scatter.distribution == Distribution::Zoned && !zones.is_empty() {
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
    if scatter.run_ios > 1 {
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
    joined(&parts)
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
        ZoneLength::Size(Bytes(size)) => format!("{access} % on {size} B"),
    }
}

fn batching(batching: Batching) -> Option<String> {
    let parts = [
        batching.submit.map(|n| format!("{n} submitted at once")),
        batching
            .complete_min
            .map(|n| format!("at least {n} reaped at once")),
        batching
            .complete_max
            .map(|n| format!("at most {n} reaped at once")),
        batching
            .low_depth
            .map(|n| format!("filled again at {n} in flight")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    joined(&parts)
}

fn memory(memory: BufferMemory) -> Option<String> {
    match memory {
        BufferMemory::Auto => None,
        BufferMemory::SmallPages => Some("small pages".to_owned()),
        BufferMemory::HugePages => Some("huge pages".to_owned()),
    }
}

fn rates(rates: &Rates) -> Option<String> {
    let named = DIRECTIONS.iter().zip(rates.each);
    let mut parts: Vec<String> = named
        .filter_map(|(operation, rate)| {
            Some(match rate? {
                Rate::BytesPerSecond(rate) => format!("{} {rate} B/s", operation.name()),
                Rate::Iops(rate) => format!("{} {rate} IOPS", operation.name()),
            })
        })
        .collect();
    if rates.process == RateProcess::Poisson {
        parts.push("spaced as a Poisson process".to_owned());
    }
    joined(&parts)
}

/// What is recorded only counts where recording costs something for every I/O.
fn recording(recording: &Recording) -> Option<String> {
    let parts = [
        recording
            .split_latency
            .then(|| "submission and completion of every I/O".to_owned()),
        recording.latency_log.map(|log| match log.interval {
            None => "a log of every latency".to_owned(),
            Some(Nanos(time)) => format!("a log of latencies every {time} ns"),
        }),
        recording
            .log_every_io
            .then(|| "a log of every I/O".to_owned()),
        recording
            .histogram_interval
            .map(|Nanos(time)| format!("a histogram every {time} ns")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    joined(&parts)
}

fn start(workload: &Workload) -> Option<String> {
    let mut parts = Vec::new();
    if workload.starts_after > Nanos(0) {
        parts.push(format!("after {} ns", workload.starts_after.0));
    }
    match workload.ends_others {
        EndsOthers::Never => {}
        EndsOthers::OnError => parts.push("ends all others on an error".to_owned()),
        EndsOthers::Stage => parts.push("ends its stage".to_owned()),
        EndsOthers::Always => parts.push("ends all others".to_owned()),
    }
    joined(&parts)
}

fn cpus(workload: &Workload) -> Option<String> {
    let policy = match workload.cpu_policy {
        CpuPolicy::Split => "each thread on one of",
        CpuPolicy::Shared => "all threads on",
    };
    let numbers: Vec<String> = workload.cpus.iter().map(u32::to_string).collect();
    (!numbers.is_empty()).then(|| format!("{policy} {}", numbers.join(",")))
}

fn check(verify: &Verify) -> String {
    let mut parts = vec![format!("{:?}", verify.check).to_lowercase()];
    if let Some(Bytes(interval)) = verify.interval {
        parts.push(format!("every {interval} B"));
    }
    if verify.offset > Bytes(0) {
        parts.push(format!("{} B into it", verify.offset.0));
    }
    if let Some(pattern) = &verify.pattern {
        let pattern = pattern.iter().map(|part| match part {
            PatternPart::Bytes(bytes) => hexadecimal(bytes),
            PatternPart::Offset => "offset".to_owned(),
        });
        let pattern: Vec<String> = pattern.collect();
        parts.push(format!("pattern {}", pattern.join(" ")));
    }
    if verify.read_back {
        parts.push("read back".to_owned());
    }
    if let Some(backlog) = verify.backlog {
        parts.push(format!("after every {backlog} writes"));
    }
    if let Some(batch) = verify.backlog_batch {
        parts.push(format!("{batch} at a time"));
    }
    if verify.only {
        parts.push("nothing written".to_owned());
    }
    parts.join(", ")
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
    format!(
        "stops when the {what} of {figure} is below {limit} for {} ns, looked at every {} ns \
         after {} ns",
        rule.duration.0, rule.interval.0, rule.ramp.0
    )
}

/// `1.2` for 1,200,000.
#[expect(clippy::cast_precision_loss, reason = "parameters have a few digits")]
fn millionths(value: u64) -> String {
    (value as f64 / MILLIONTHS).to_string()
}

fn joined(parts: &[String]) -> Option<String> {
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fingerprint;
    use crate::sample;
    use sokudo_model::{Check, FileUse, LatencyLog, Span};

    fn workload() -> Workload {
        Workload::new("plain", Bytes::kib(4))
    }

    fn part_after(name: &str, change: impl FnOnce(&mut Workload)) -> String {
        let mut changed = workload();
        change(&mut changed);
        let parts: Vec<_> = extras(&changed).collect();
        assert_eq!(parts.len(), 1, "{parts:?}");
        assert_eq!(parts[0].0, name);
        parts[0].1.clone()
    }

    fn uses(count: u32) -> Vec<FileUse> {
        (0..count)
            .map(|target| FileUse { target, span: None })
            .collect()
    }

    #[test]
    fn a_plain_workload_has_none() {
        assert_eq!(extras(&workload()).count(), 0);
        let mut one_file = workload();
        one_file.files.uses = uses(1);
        assert_eq!(extras(&one_file).count(), 0);
    }

    #[test]
    fn one_file_is_the_same_as_its_span() {
        let span = Span {
            offset: Bytes(0),
            length: Bytes::mib(1),
        };
        let id = |change: &dyn Fn(&mut Workload)| {
            let mut run = sample::run();
            change(&mut run.rows[0].workload);
            Fingerprint::of_rows(&run)[0].id.clone()
        };
        let of_file = id(&|workload| {
            workload.files.uses = vec![FileUse {
                target: 0,
                span: Some(span),
            }];
        });
        assert_eq!(of_file, id(&|workload| workload.span = Some(span)));
        assert_ne!(of_file, id(&|workload| workload.files.uses = uses(2)));
    }

    #[test]
    fn what_is_special_is_told_in_words() {
        let files = part_after("files", |w| {
            w.files.uses = uses(3);
            w.files.service.ios = 8;
        });
        assert_eq!(files, "3, in turn, 8 I/Os each");
        let zipf = part_after("scatter", |w| {
            w.scatter.distribution = Distribution::Zipf {
                theta: 1_200_000,
                center: None,
            };
            w.scatter.run_ios = 4;
        });
        assert_eq!(zipf, "zipf 1.2, runs of 4 I/Os");
        let batching = part_after("batching", |w| w.batching.submit = Some(16));
        assert_eq!(batching, "16 submitted at once");
        let memory = part_after("memory", |w| w.memory = BufferMemory::SmallPages);
        assert_eq!(memory, "small pages");
        let rates = part_after("rates", |w| {
            w.rates.each[1] = Some(Rate::Iops(100));
            w.rates.process = RateProcess::Poisson;
        });
        assert_eq!(rates, "write 100 IOPS, spaced as a Poisson process");
        let recording = part_after("recording", |w| {
            w.recording.latency_log = Some(LatencyLog { interval: None });
            w.recording.series_interval = Some(Nanos(1));
        });
        assert_eq!(recording, "a log of every latency");
        let start = part_after("start", |w| w.starts_after = Nanos(5));
        assert_eq!(start, "after 5 ns");
        let cpus = part_after("cpus", |w| w.cpus = vec![0, 2]);
        assert_eq!(cpus, "each thread on one of 0,2");
    }

    #[test]
    fn checks_and_steady_states_are_told_in_words() {
        let check = part_after("check", |w| {
            w.verify = Some(Verify {
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
            });
        });
        assert_eq!(
            check,
            "crc32c, every 512 B, pattern 0xdead offset, read back"
        );
        let steady = part_after("steady", |w| {
            w.steady = Some(SteadyRule {
                figure: SteadyFigure::Iops,
                slope: true,
                limit: SteadyLimit::Percent(300_000),
                duration: Nanos(10),
                ramp: Nanos(0),
                interval: Nanos(1),
            });
        });
        assert_eq!(
            steady,
            "stops when the slope of IOPS is below 0.3 % for 10 ns, looked at every 1 ns \
             after 0 ns"
        );
    }
}
