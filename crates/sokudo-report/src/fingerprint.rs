//! The fingerprint: a short hash of all that makes two runs comparable, and the
//! parts it is made of, so that a comparison can name what differs.
//!
//! Names, seeds, dates and the number of trials are not in it: they change what
//! is known about a figure, not what the figure is of.

use std::collections::BTreeMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};
use sokudo_model::{
    BackendKind, BlockChoice, BlockSizes, Bytes, DataContent, DirectMode, Durability, Limits,
    Nanos, Operation, OperationMix, Order, Rate, Reported, Row, Run, Schedule, SequentialOffset,
    Workload,
};

mod extras;

pub(crate) use extras::{extras, tree_text};

/// 8 bytes of the hash: 16 hexadecimal digits, short enough to be read aloud,
/// and two of a million differing runs agree with a probability of 3 · 10^-8.
const ID_BYTES: usize = 8;
/// What is not known of a part.
pub(crate) const UNKNOWN: &str = "unknown";
const NONE: &str = "none";

/// What makes a run or a row comparable with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// 16 hexadecimal digits. Equal ids: the same was done in the same way.
    pub id: String,
    /// Each part by its name.
    pub parts: BTreeMap<String, String>,
}

impl Fingerprint {
    /// The fingerprint of each row, in the run's order. A row that was not
    /// reached has what was used instead of what was asked `unknown`.
    pub fn of_rows(run: &Run) -> Vec<Self> {
        stages(run).into_iter().flatten().collect()
    }

    /// The fingerprint of the whole run: of its rows, in order and together
    /// where they ran together.
    pub fn of_run(run: &Run) -> Self {
        let together = |stage: Vec<Self>| {
            let ids: Vec<String> = stage.into_iter().map(|row| row.id).collect();
            ids.join("+")
        };
        let rows: Vec<String> = stages(run).into_iter().map(together).collect();
        Self::of_row_ids(&rows.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The fingerprint of a row that another tool has measured: the tool is a part of it,
    /// since no two tools do the same, and what it does not tell is `unknown`.
    fn of_reported(self, told: &Reported, tool: &str) -> Self {
        let mut parts = self.parts;
        let unknown = told.unknown.iter().map(String::as_str);
        for part in unknown.chain(["schedule"]) {
            parts.insert(part.to_owned(), UNKNOWN.to_owned());
        }
        if let Some(mix) = &told.mix {
            parts.insert("mix".to_owned(), operations(mix));
        }
        parts.insert("tool".to_owned(), tool.to_owned());
        Self::of_parts(parts)
    }

    /// The fingerprint of a run whose rows have these.
    pub(crate) fn of_row_ids(ids: &[&str]) -> Self {
        Self::of_parts(BTreeMap::from([("rows".to_owned(), ids.join(" "))]))
    }

    fn of_row(row: &Row, size: Option<Bytes>, schedule: &Schedule) -> Self {
        let workload = &row.workload;
        let parts = [
            ("backend", backend_class(row).to_owned()),
            ("blocks", blocks(&workload.blocks)),
            ("clones", workload.clones.to_string()),
            ("data", data(&workload.data)),
            ("depth", workload.depth.to_string()),
            ("direct", direct(row).to_owned()),
            ("duration", duration(workload.limits, workload.ramp)),
            ("durability", durability(workload.durability)),
            ("operations", operations(&workload.operations)),
            ("order", order(workload).to_owned()),
            ("rate", rate(workload.rate)),
            ("schedule", schedule_rule(schedule)),
            ("span", span(workload, size)),
            ("think", think(workload)),
        ];
        Self::of_parts(
            parts
                .into_iter()
                .chain(extras(workload))
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    /// The same row run beside others is another measurement.
    fn beside(self, others: &[&Self]) -> Self {
        if others.is_empty() {
            return self;
        }
        let mut ids: Vec<&str> = others.iter().map(|other| other.id.as_str()).collect();
        ids.sort_unstable();
        let mut parts = self.parts;
        parts.insert("beside".to_owned(), ids.join(" "));
        Self::of_parts(parts)
    }

    /// The hash of parts.
    pub(crate) fn of_parts(parts: BTreeMap<String, String>) -> Self {
        let mut hash = Sha256::new();
        for (name, value) in &parts {
            hash.update(format!("{name}={value}\n"));
        }
        let mut id = String::with_capacity(2 * ID_BYTES);
        for byte in &hash.finalize()[..ID_BYTES] {
            write!(id, "{byte:02x}").expect("a String takes all text");
        }
        Self { id, parts }
    }
}

/// The fingerprints of the rows, grouped as they ran together.
fn stages(run: &Run) -> Vec<Vec<Fingerprint>> {
    let tool = run.provenance.origin().map_or("", |origin| &*origin.tool);
    let mut alone = run.rows.iter().map(|row| {
        let fingerprint = Fingerprint::of_row(row, run.target.size_bytes, &run.schedule);
        match &row.reported {
            Some(told) => fingerprint.of_reported(told, tool),
            None => fingerprint,
        }
    });
    let mut stages: Vec<Vec<Fingerprint>> = run
        .plan
        .stages
        .iter()
        .map(|stage| alone.by_ref().take(stage.workloads.len()).collect())
        .collect();
    // A run read from elsewhere may hold rows that its plan does not name.
    stages.extend(alone.map(|row| vec![row]));
    stages.iter().map(|stage| with_companions(stage)).collect()
}

fn with_companions(stage: &[Fingerprint]) -> Vec<Fingerprint> {
    let beside_the_rest = |index: usize| {
        let others: Vec<_> = (0..stage.len())
            .filter(|other| *other != index)
            .map(|other| &stage[other])
            .collect();
        stage[index].clone().beside(&others)
    };
    (0..stage.len()).map(beside_the_rest).collect()
}

/// Backends of one class keep as many I/Os in flight in the same way.
fn backend_class(row: &Row) -> &'static str {
    let used = row.trials.first().map(|trial| trial.outcome.backend.kind);
    match used.unwrap_or(row.workload.backend) {
        BackendKind::IoUring | BackendKind::Libaio => "async",
        BackendKind::Psync | BackendKind::Sync | BackendKind::Vsync | BackendKind::Pvsync2 => {
            "sync"
        }
        BackendKind::Mmap => "mmap",
        BackendKind::Null => "null",
        BackendKind::Sim => "sim",
        BackendKind::Auto => UNKNOWN,
    }
}

fn direct(row: &Row) -> &'static str {
    let mut used = row.trials.iter().map(|trial| trial.outcome.direct);
    match (used.next(), row.workload.direct) {
        (Some(first), _) if used.any(|other| other != first) => "differs between trials",
        (Some(true), _) | (None, DirectMode::On) => "on",
        (Some(false), _) | (None, DirectMode::Off) => "off",
        (None, DirectMode::Auto) => UNKNOWN,
    }
}

/// Sizes, each direction by itself only where they differ.
fn blocks(blocks: &BlockSizes) -> String {
    if let Some(Bytes(bytes)) = blocks.single() {
        return format!("{bytes} B");
    }
    if let Some(shares) = blocks.shares() {
        return block_choice(&BlockChoice::Shares(shares.to_vec()));
    }
    let directions = [Operation::Read, Operation::Write, Operation::Trim];
    let each = directions.map(|operation| block_choice(blocks.of(operation)));
    if each[1..].iter().all(|choice| *choice == each[0]) {
        return each[0].clone();
    }
    let named = directions.iter().zip(&each);
    let named: Vec<String> = named
        .map(|(operation, choice)| format!("{}: {choice}", operation.name()))
        .collect();
    named.join("; ")
}

fn block_choice(choice: &BlockChoice) -> String {
    match choice {
        BlockChoice::Range { smallest, largest } => {
            format!("{} B to {} B", smallest.0, largest.0)
        }
        BlockChoice::AnyBytes { smallest, largest } => {
            format!("any from {} B to {} B", smallest.0, largest.0)
        }
        BlockChoice::Shares(shares) => {
            let mut shares = shares.clone();
            shares.sort_by_key(|share| (share.bytes, share.weight));
            let shares: Vec<String> = shares
                .iter()
                .map(|share| format!("{} B x{}", share.bytes.0, share.weight))
                .collect();
            shares.join(", ")
        }
    }
}

fn operations(mix: &OperationMix) -> String {
    let mut shares = mix.shares().to_vec();
    shares.sort_unstable();
    let shares: Vec<String> = shares
        .iter()
        .map(|(operation, percent)| format!("{} {percent} %", operation.name()))
        .collect();
    shares.join(", ")
}

fn order(workload: &Workload) -> &'static str {
    match workload.order {
        // One clone alone has nobody to share its position with.
        Order::Sequential { .. } if workload.clones == 1 => "sequential",
        Order::Sequential { offset } => match offset {
            SequentialOffset::Own => "sequential, own offset per clone",
            SequentialOffset::Interlocked => "sequential, one interlocked offset",
        },
        Order::Random { map: true } => "random, every block once per pass",
        Order::Random { map: false } => "random, with repeats",
    }
}

/// The part that is used, also where it is all of the target: 1 GiB of a file
/// and 8 GiB of a file are different measurements. Of several targets, the part of
/// each.
fn span(workload: &Workload, size: Option<Bytes>) -> String {
    let text = |span: Option<sokudo_model::Span>| match (span, size) {
        (Some(span), _) => format!("{} B from {} B", span.length.0, span.offset.0),
        (None, Some(Bytes(size))) => format!("{size} B from 0 B"),
        (None, None) => "all, size unknown".to_owned(),
    };
    let mut spans: Vec<String> = workload.files.uses.iter().map(|u| text(u.span)).collect();
    spans.dedup();
    match spans.is_empty() {
        true => text(workload.span),
        false => spans.join(", "),
    }
}

fn data(data: &DataContent) -> String {
    match data {
        DataContent::Random => "random".to_owned(),
        DataContent::Zero => "zero".to_owned(),
        DataContent::Repeated => "random, repeated".to_owned(),
        DataContent::Pattern(bytes) => format!("pattern {}", extras::hexadecimal(bytes)),
        DataContent::Reducible(reducible) => {
            let chunk = match reducible.chunk {
                Some(Bytes(chunk)) => format!("chunks of {chunk} B"),
                None => "I/Os".to_owned(),
            };
            let filler = match &reducible.filler[..] {
                [] => "zeros".to_owned(),
                filler => extras::hexadecimal(filler),
            };
            format!(
                "random, {} % of {chunk} {filler}, {} % repeated",
                reducible.compress_percent, reducible.dedupe_percent
            )
        }
    }
}

fn duration(limits: Limits, ramp: Nanos) -> String {
    let time = limits.time.map(|Nanos(time)| format!("{time} ns"));
    let bytes = limits
        .bytes
        .map(|Bytes(bytes)| format!("{bytes} B per clone"));
    let ios = limits.ios.map(|ios| format!("{ios} I/Os per clone"));
    let parts: Vec<String> = time.into_iter().chain(bytes).chain(ios).collect();
    let mut text = match parts.is_empty() {
        true => NONE.to_owned(),
        false => parts.join(" or "),
    };
    if limits.repeats > 0 {
        write!(text, ", repeated {} times,", limits.repeats).expect("a String takes all text");
    }
    format!("{text} after a ramp of {} ns", ramp.0)
}

/// Pauses and warm-up give a drive time and reason to change its state.
fn schedule_rule(schedule: &Schedule) -> String {
    let warm_up = if schedule.warm_up { "a" } else { "no" };
    format!(
        "{}, {} ns between trials, {warm_up} warm-up trial",
        schedule.name, schedule.pause.0
    )
}

fn durability(durability: Durability) -> String {
    let every = |call: &str, writes: Option<u32>| writes.map(|n| format!("{call} every {n}"));
    let rules: Vec<String> = [
        every("fsync", durability.fsync_every),
        every("fdatasync", durability.fdatasync_every),
        durability.write_through.then(|| "write-through".to_owned()),
        durability.with_metadata.then(|| "with metadata".to_owned()),
        durability
            .flush_on_close
            .then(|| "flush on close".to_owned()),
        durability.final_flush.then(|| "final flush".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect();
    if rules.is_empty() {
        NONE.to_owned()
    } else {
        rules.join(", ")
    }
}

fn rate(rate: Option<Rate>) -> String {
    match rate {
        None => NONE.to_owned(),
        Some(Rate::BytesPerSecond(bytes)) => format!("{bytes} B/s per clone"),
        Some(Rate::Iops(ios)) => format!("{ios} IOPS per clone"),
    }
}

fn think(workload: &Workload) -> String {
    let Some(think) = workload.think else {
        return NONE.to_owned();
    };
    let mut text = format!("{} ns after {} I/Os", think.time.0, think.after_ios);
    if !think.waits_for_completion {
        text.push_str(", meanwhile I/O goes on");
    }
    if think.spin > Nanos(0) {
        write!(text, ", {} ns of it computing", think.spin.0).expect("a String takes all text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::{BlockShare, Span, Think};

    /// The id of a run of one workload after `change`.
    fn id_after(change: impl FnOnce(&mut Run)) -> String {
        let mut run = sample::run();
        change(&mut run);
        Fingerprint::of_rows(&run)[0].id.clone()
    }

    fn workload_change(change: impl FnOnce(&mut Workload)) -> String {
        id_after(|run| change(&mut run.rows[0].workload))
    }

    /// From so many to so many KiB, of reads and of all else.
    fn range(smallest: u64, largest: u64, smallest_else: u64, largest_else: u64) -> BlockSizes {
        let range = |smallest, largest| BlockChoice::Range {
            smallest: Bytes::kib(smallest),
            largest: Bytes::kib(largest),
        };
        let other = || range(smallest_else, largest_else);
        BlockSizes::per_direction(range(smallest, largest), other(), other()).unwrap()
    }

    #[test]
    fn names_seeds_dates_and_the_number_of_trials_do_not_matter() {
        let plain = id_after(|_| {});
        assert_eq!(plain.len(), 16);
        assert_eq!(workload_change(|w| w.name = "mine".into()), plain);
        let other = id_after(|run| {
            run.plan.seed += 1;
            run.plan.method = "other".into();
            run.started_at = None;
            run.schedule.trials = 99;
            run.rows[0].trials.truncate(1);
            run.target.name = "elsewhere".into();
        });
        assert_eq!(other, plain);
    }

    #[test]
    fn everything_that_changes_the_measurement_changes_the_fingerprint() {
        let ids = [
            id_after(|_| {}),
            workload_change(|w| w.blocks = BlockSizes::one(Bytes::kib(128))),
            workload_change(|w| {
                let share = |kib, weight| BlockShare {
                    bytes: Bytes::kib(kib),
                    weight,
                };
                w.blocks = BlockSizes::mix(vec![share(4, 1), share(8, 1)]).unwrap();
            }),
            workload_change(|w| w.depth += 1),
            workload_change(|w| w.clones = 4),
            workload_change(|w| {
                w.clones = 4;
                w.order = Order::Sequential {
                    offset: SequentialOffset::Interlocked,
                };
            }),
            workload_change(|w| w.order = Order::Random { map: true }),
            workload_change(|w| w.order = Order::Random { map: false }),
            workload_change(|w| w.operations = OperationMix::read_write(70).unwrap()),
            workload_change(|w| {
                w.span = Some(Span {
                    offset: Bytes(0),
                    length: Bytes::mib(1),
                });
            }),
            workload_change(|w| w.data = DataContent::Zero),
            workload_change(|w| w.limits.time = Some(Nanos(7))),
            workload_change(|w| w.limits.bytes = Some(Bytes(7))),
            workload_change(|w| w.ramp = Nanos(7)),
            workload_change(|w| w.rate = Some(Rate::Iops(7))),
            workload_change(|w| w.rate = Some(Rate::BytesPerSecond(7))),
            workload_change(|w| w.think = Some(Think::new(Nanos(7), 1))),
            workload_change(|w| w.durability.write_through = true),
            workload_change(|w| w.durability.final_flush = true),
            workload_change(|w| w.durability.fsync_every = Some(1)),
            workload_change(|w| w.durability.fdatasync_every = Some(1)),
            id_after(|run| run.schedule.pause = Nanos(7)),
            id_after(|run| run.schedule.warm_up = true),
            id_after(|run| run.target.size_bytes = Some(Bytes::gib(8))),
            id_after(|run| {
                for trial in &mut run.rows[0].trials {
                    trial.outcome.direct = false;
                }
            }),
            id_after(|run| run.rows[0].trials[0].outcome.direct = false),
            id_after(|run| run.rows[0].trials[0].outcome.backend.kind = BackendKind::Psync),
        ];
        assert_all_differ(&ids);
    }

    #[test]
    fn what_only_other_dialects_ask_for_changes_it_too() {
        let ids = [
            id_after(|_| {}),
            workload_change(|w| w.think = Some(Think::new(Nanos(7), 1))),
            workload_change(|w| w.durability.with_metadata = true),
            workload_change(|w| w.durability.flush_on_close = true),
            workload_change(|w| w.limits.ios = Some(7)),
            workload_change(|w| w.limits.repeats = 1),
            workload_change(|w| {
                w.think = Some(Think {
                    waits_for_completion: false,
                    ..Think::new(Nanos(7), 1)
                });
            }),
            workload_change(|w| {
                w.think = Some(Think {
                    spin: Nanos(1),
                    ..Think::new(Nanos(7), 1)
                });
            }),
            workload_change(|w| w.data = DataContent::Repeated),
            workload_change(|w| w.data = DataContent::Pattern(vec![1])),
            workload_change(|w| w.data = DataContent::Pattern(vec![2])),
            workload_change(|w| w.blocks = range(4, 64, 4, 64)),
            workload_change(|w| w.blocks = range(4, 64, 4, 128)),
        ];
        assert_all_differ(&ids);
    }

    fn assert_all_differ(ids: &[String]) {
        let mut unique = ids.to_vec();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ids.len());
    }

    #[test]
    fn backends_of_one_class_are_comparable() {
        let libaio =
            id_after(|run| run.rows[0].trials[0].outcome.backend.kind = BackendKind::Libaio);
        assert_eq!(libaio, id_after(|_| {}));
    }

    #[test]
    fn a_single_clone_shares_its_offset_with_nobody() {
        let interlocked = workload_change(|w| {
            w.order = Order::Sequential {
                offset: SequentialOffset::Interlocked,
            };
        });
        assert_eq!(interlocked, id_after(|_| {}));
    }

    #[test]
    fn the_same_row_beside_another_is_another_measurement() {
        let mut run = sample::run();
        let alone = Fingerprint::of_rows(&run);
        let moved = run.plan.stages.remove(1).workloads;
        run.plan.stages[0].workloads.extend(moved);
        let together = Fingerprint::of_rows(&run);
        assert_ne!(together[0].id, alone[0].id);
        assert_eq!(together[0].parts["beside"], alone[1].id);
        assert_eq!(together[2..], alone[2..]);
        assert_ne!(
            Fingerprint::of_run(&run).id,
            Fingerprint::of_run(&sample::run()).id
        );
    }
}
