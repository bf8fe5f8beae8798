//! The fingerprint: a short hash of all that makes two rows comparable, and the parts it is
//! taken of, so that a comparison can name what differs.
//!
//! Names, seeds, dates and the number of trials are not in it: they change what is known about
//! a figure, not what the figure is of. Two plans that mean the same have the same parts.
//! No words are in it: those for a part are made of its value ([`words`]).

use serde::Serialize;
use sha2::{Digest, Sha256};
use sokudo_model::{
    BackendClass, BackendKind, BlockChoice, BlockSizes, BufferMemory, Bytes, DirectMode, DirectUse,
    Distribution, Estimand, Limits, Operation, Order, PlanData, PlanPart, PlanParts, Recording,
    Scatter, SequentialOffset, Span, Survey, SurveyedSamples, Workload, WriteCheck,
};

pub(crate) mod words;

/// The version of the parts. Ids of two versions cannot be compared, so that whoever reads a
/// run takes its fingerprint anew of what was done.
const VERSION: u32 = 3;

/// What the engine chose for a row, where that was left to it; nothing of a row that was not
/// reached.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EngineChoices {
    pub(crate) backend: Option<BackendKind>,
    pub(crate) direct: Option<DirectUse>,
    /// Whether buffers lay in huge pages.
    pub(crate) huge_pages: bool,
}

/// The hash as people see it. Equal ids: the same was done in the same way.
pub(crate) fn id(parts: &PlanParts) -> String {
    format!("{:016x}", hash(parts))
}

/// The first 8 bytes of SHA-256: 16 hexadecimal digits are short enough to be read aloud, and
/// two of a million differing runs agree with a probability of 3 · 10^-8.
pub(crate) fn hash(parts: &PlanParts) -> u64 {
    #[derive(Serialize)]
    struct Hashed<'a> {
        version: u32,
        parts: &'a PlanParts,
    }
    let version = VERSION;
    let json = serde_json::to_vec(&Hashed { version, parts });
    let hash = Sha256::digest(json.expect("parts are plain data and are written to memory"));
    u64::from_be_bytes(*hash.first_chunk().expect("SHA-256 has 32 bytes"))
}

/// The parts of a workload on a target of this size. What other rows than plain ones ask for is
/// there only where it was asked for, so that plain runs keep their ids when there is more that
/// can be asked for.
pub(crate) fn parts(workload: &Workload, used: EngineChoices, size: Option<Bytes>) -> PlanParts {
    let plain = [
        PlanData::Blocks(blocks(&workload.blocks)),
        PlanData::Threads(workload.threads),
        PlanData::Data(workload.data.clone()),
        PlanData::Depth(workload.depth),
        PlanData::Durability(workload.durability),
        PlanData::Duration((limits(workload.limits), workload.timing.ramp)),
        PlanData::Operations(workload.operations.sorted()),
        PlanData::Order(order(workload)),
        PlanData::Rate(workload.pacing.rate),
        PlanData::Span(spans(workload, size)),
        PlanData::Think(workload.pacing.think),
    ];
    let mut parts: PlanParts = plain.into_iter().chain(extras(workload)).collect();
    // Where huge pages are taken where there are any, it counts what there was.
    if used.huge_pages || workload.issuing.memory == BufferMemory::HugePages {
        parts.set(PlanData::Memory(BufferMemory::HugePages));
    }
    if used.direct.or(wanted(workload.direct)) == Some(DirectUse::Off) {
        // The page cache has no speed that lasts.
        parts.remove(PlanPart::Estimand);
    }
    match backend_class(used.backend.unwrap_or(workload.backend)) {
        Some(class) => parts.set(PlanData::Backend(class)),
        None => parts.set_unknown(PlanPart::Backend),
    }
    match used.direct.or(wanted(workload.direct)) {
        Some(direct) => parts.set(PlanData::Direct(direct)),
        None => parts.set_unknown(PlanPart::Direct),
    }
    parts
}

/// What a plain workload does not have.
fn extras(workload: &Workload) -> impl Iterator<Item = PlanData> {
    let cpus = Some(&workload.issuing.cpus).filter(|cpus| !cpus.is_empty());
    let sustained = workload.is_sustained();
    let recording = Recording {
        // A series costs nothing for each I/O.
        series_interval: None,
        ..workload.recording.clone()
    };
    let timing = workload.timing;
    let issuing = &workload.issuing;
    let start = (timing.starts_after, timing.ends_others);
    let parts = [
        unless_plain(issuing.batching, PlanData::Batching),
        unless_plain(workload.checks_capacity(), PlanData::Capacity),
        workload.write_check().map(check),
        cpus.map(|cpus| PlanData::Cpus((issuing.cpu_policy, cpus.clone()))),
        unless_plain(workload.files.from_empty, PlanData::Emptied),
        sustained.then_some(PlanData::Estimand(Estimand::Sustained)),
        files(workload),
        unless_plain(issuing.polled, PlanData::Polled),
        unless_plain(workload.pacing.rates, PlanData::Rates),
        unless_plain(recording, PlanData::Recording),
        unless_plain(workload.rewritten_percent(), PlanData::Rewritten),
        unless_plain(scatter(&workload.scatter), PlanData::Scatter),
        unless_plain(start, PlanData::Start),
        timing.steady.map(PlanData::Steady),
        workload
            .survey()
            .map(|survey| PlanData::Survey(surveyed_samples(survey, workload.seal()))),
        workload.tree().map(PlanData::Tree),
        unless_plain(workload.drive_cache, PlanData::WriteCache),
    ];
    parts.into_iter().flatten()
}

/// A part that a plain workload has as its default.
fn unless_plain<T: Default + PartialEq>(value: T, part: fn(T) -> PlanData) -> Option<PlanData> {
    (value != T::default()).then(|| part(value))
}

/// Where the length of trials is what they needed, it says how well a rate is known.
fn limits(limits: Limits) -> Limits {
    Limits {
        time: limits.time.filter(|_| limits.time_min.is_none()),
        ..limits
    }
}

const fn backend_class(kind: BackendKind) -> Option<BackendClass> {
    Some(match kind {
        BackendKind::IoUring | BackendKind::Libaio => BackendClass::Async,
        BackendKind::IoUringCmd => BackendClass::Passthrough,
        BackendKind::Psync | BackendKind::Sync | BackendKind::Vsync | BackendKind::Pvsync2 => {
            BackendClass::Sync
        }
        BackendKind::Mmap => BackendClass::Mmap,
        BackendKind::Null => BackendClass::Null,
        BackendKind::Sim => BackendClass::Sim,
        BackendKind::Auto => return None,
    })
}

const fn wanted(direct: DirectMode) -> Option<DirectUse> {
    match direct {
        DirectMode::On => Some(DirectUse::On),
        DirectMode::Off => Some(DirectUse::Off),
        DirectMode::Auto => None,
    }
}

/// The shares in one order; one size that all share is that size, whatever it weighs.
fn blocks(blocks: &BlockSizes) -> BlockSizes {
    if let Some(bytes) = blocks.single() {
        return BlockSizes::one(bytes);
    }
    let [read, write, trim] =
        [Operation::Read, Operation::Write, Operation::Trim].map(|operation| {
            let mut choice = blocks.of(operation).clone();
            if let BlockChoice::Shares(shares) = &mut choice {
                shares.sort_by_key(|share| (share.bytes, share.weight));
            }
            choice
        });
    BlockSizes::per_direction(read, write, trim).unwrap_or_else(|| blocks.clone())
}

/// One thread alone has nobody to share its position with.
fn order(workload: &Workload) -> Order {
    match workload.order {
        Order::Sequential { .. } if workload.threads == 1 => Order::Sequential {
            offset: SequentialOffset::Own,
        },
        order => order,
    }
}

/// The part that is used, also where it is all of the target: 1 GiB of a file
/// and 8 GiB of a file are different measurements. Of several targets, the part of
/// each.
fn spans(workload: &Workload, size: Option<Bytes>) -> Vec<Option<Span>> {
    let all = size.map(|length| Span {
        offset: Bytes(0),
        length,
    });
    let uses = workload.files.uses.iter();
    let mut spans: Vec<_> = uses.map(|part| part.span.or(all)).collect();
    if spans.iter().all(|span| *span == spans[0]) {
        spans.truncate(1);
    }
    match spans.is_empty() {
        true => vec![workload.span.or(all)],
        false => spans,
    }
}

/// What becomes of bad blocks changes nothing where there are none.
fn check(verify: &WriteCheck) -> PlanData {
    PlanData::Check(WriteCheck {
        fatal: false,
        dump: false,
        save_state: false,
        ..verify.clone()
    })
}

/// One file alone is no different from a target without files.
fn files(workload: &Workload) -> Option<PlanData> {
    let files = &workload.files;
    let mut service = files.service;
    service.ios = service.ios.max(1);
    let count = files.uses.len();
    (count > 1).then_some(PlanData::Files((count, service, files.open_max)))
}

/// Zones are only those of a zoned distribution, and a run of one I/O is none.
fn scatter(scatter: &Scatter) -> Scatter {
    let mut scatter = scatter.clone();
    if scatter.distribution != Distribution::Zoned {
        scatter.zones = Default::default();
    }
    if scatter.run_ios == 1 {
        scatter.run_ios = 0;
    }
    scatter
}

/// What of a survey makes another row of it: not how long is waited for what hangs, nor in how
/// many parts it was carried out, nor with which number its blocks are sealed.
fn surveyed_samples(survey: Survey, seal: Option<u64>) -> SurveyedSamples {
    SurveyedSamples {
        survey: Survey {
            timeout: None,
            resumed_at: None,
            ..survey
        },
        sealed: seal.map(|_| 0),
    }
}
