//! The language of the SNIA's Performance Test Specification (PTS) for solid-state
//! drives: which rows a test has, how the drive is made ready, and by which rows it is
//! told whether it is steady.
//!
//! Matrices and loads are those of PTS 2.0.2 as programs that follow it have them. The
//! result is *like* one of the PTS and never claims to be one: secure erase, the
//! specified test platform and the certified report are not here.

mod error;
mod estimate;
mod matrix;
mod mixes;
mod request;

use error::ROUNDS_LIMIT;
use request::{RANGE_UNIT, SteadyCell};
use sokudo_model::{
    Bytes, DriveCache, Limits, Method, MethodKind, MethodTrait, Nanos, Operation, OperationMix,
    Plan, RoundFigure, Span, SteadyClass, SteadyLabel, SteadyPhase, SteadyPhaseKind,
    SteadyProcedure, SteadyTest, SteadyWindow, Workload, narrow,
};
use sokudo_tools::crystaldiskmark::{Mix, RowDirection, RowPattern, RowSpec};
use sokudo_words::{Text, text};

pub static METHOD: MethodKind = MethodKind {
    name: "steady",
    command: "steady",
    is_named: true,
    traits: &[MethodTrait::DecidesTrials],
};

pub use error::SteadyError;
pub use mixes::{Mixes, ReadPercent};
pub use request::{SteadyRequest, SteadyTarget};

/// How long the PTS measures a cell in a round.
pub const ROUND_TIME: Nanos = Nanos::from_secs(60);
/// Rounds after which the PTS lets a test go on or end; here it ends.
pub const ROUNDS_MAX: u32 = 25;
/// How often the PTS writes a drive through before a test.
pub const PASSES: u32 = 2;
/// How often its capacity a drive is written in the test of write saturation.
const SATURATION_PASSES: u64 = 4;
/// How long write saturation goes on at most: PTS-E 1.1.
const SATURATION_TIME_ENTERPRISE: Nanos = Nanos::from_secs(24 * 3600);
/// The same for client drives, as programs that follow the PTS have it.
const SATURATION_TIME_CLIENT: Nanos = Nanos::from_secs(6 * 3600);
/// The latency test's histogram is taken for 20 min where a cell takes one.
const HISTOGRAM_ROUNDS: u64 = 20;
/// More than all of the capacity, where somebody asks for that, is refused by the target's size.
const RANGE_MAX: u64 = u64::MAX;
/// Blocks of the preconditioning.
const PRECONDITION_BLOCK: Bytes = Bytes::kib(128);
/// The PTS does not say how many of them are in flight: enough for any drive's full speed.
const PRECONDITION_DEPTH: u32 = 32;
/// A purge tells the device in pieces of this much, so that it can be interrupted.
const PURGE_BLOCK: Bytes = Bytes::mib(16);

/// The plan and its procedure.
#[derive(Clone, Debug)]
pub struct SteadyPlan {
    /// All rows, each in a stage of its own.
    pub plan: Plan,
    /// How they are carried out.
    pub procedure: SteadyProcedure,
}

/// What a request comes to.
///
/// # Errors
/// [`SteadyError`], which names what cannot be, and the way out.
pub fn plan(request: &SteadyRequest) -> Result<SteadyPlan, SteadyError> {
    let active_range = active_range(request)?;
    let cells = matrix::cells(request)?;
    if request.round_time == Nanos(0) {
        return Err(SteadyError::NoTime);
    }
    if request.time_max.is_some() && request.test != SteadyTest::WriteSaturation {
        return Err(SteadyError::TimeOfSaturation);
    }
    let reads_holes = request.purge && request.passes == 0;
    if reads_holes && request.test != SteadyTest::WriteSaturation {
        return Err(SteadyError::NothingToRead);
    }
    let mut draft = PlanDraft::default();
    draft.make_ready(request, active_range);
    draft.add_rounds(request, &cells, active_range)?;
    let rounds_min = SteadyWindow::PTS.rounds_min();
    if draft
        .phases
        .iter()
        .any(|phase| phase.kind == SteadyPhaseKind::Rounds && phase.rounds_max < rounds_min)
    {
        return Err(SteadyError::FewRounds { least: rounds_min });
    }
    let estimate = estimate::estimate(&draft.workloads, &draft.phases, request.assumed.clone());
    let procedure = SteadyProcedure {
        test: request.test,
        class: request.class,
        label: label(request, &cells),
        round_time: request.round_time,
        capacity_bytes: request.capacity,
        active_range_bytes: active_range,
        window: SteadyWindow::PTS,
        phases: draft.phases,
        differences: differences(request, &cells),
        estimate,
    };
    Ok(SteadyPlan {
        plan: Plan::in_turn(
            Method::named(&METHOD, request.test.name().to_owned()),
            request.seed,
            draft.workloads,
        ),
        procedure,
    })
}

/// Threads and depth of a class.
const fn load(class: SteadyClass) -> (u32, u32) {
    match class {
        SteadyClass::Client => (2, 16),
        SteadyClass::Enterprise => (4, 32),
    }
}

/// The part of the capacity that a class uses, percent.
pub const fn class_percent(class: SteadyClass) -> u32 {
    match class {
        SteadyClass::Client => 75,
        SteadyClass::Enterprise => 100,
    }
}

/// The state of the write cache that a class is measured in.
pub const fn class_cache(class: SteadyClass) -> DriveCache {
    match class {
        SteadyClass::Client => DriveCache::On,
        SteadyClass::Enterprise => DriveCache::Off,
    }
}

fn active_range(request: &SteadyRequest) -> Result<Bytes, SteadyError> {
    let percent = request
        .active_percent
        .unwrap_or(class_percent(request.class));
    let used = u128::from(request.capacity.0) * u128::from(percent) / 100;
    let used = u64::try_from(used).unwrap_or(RANGE_MAX);
    match used / RANGE_UNIT * RANGE_UNIT {
        0 => Err(SteadyError::TooSmall {
            capacity: request.capacity,
            percent,
        }),
        range => Ok(Bytes(range)),
    }
}

/// Rows and phases as they come together.
#[derive(Default)]
struct PlanDraft {
    workloads: Vec<Workload>,
    phases: Vec<SteadyPhase>,
}

impl PlanDraft {
    fn add(&mut self, kind: SteadyPhaseKind, rows: Vec<Workload>) -> &mut SteadyPhase {
        let count = narrow::<usize, u32>;
        self.phases.push(SteadyPhase {
            kind,
            first_row: count(self.workloads.len()),
            rows: count(rows.len()),
            rounds_max: 1,
            tracked: Vec::new(),
            figure: RoundFigure::Iops,
            written_bytes_max: None,
        });
        self.workloads.extend(rows);
        let last = self.phases.len() - 1;
        &mut self.phases[last]
    }

    /// Purge and preconditioning, as far as they are asked for.
    fn make_ready(&mut self, request: &SteadyRequest, active_range: Bytes) {
        if request.purge {
            // What a file has beyond the active range stays; of a device all goes.
            let length = match request.medium {
                SteadyTarget::Device => request.capacity,
                _ => active_range,
            };
            self.add(SteadyPhaseKind::Purge, vec![purge(length)]);
        }
        let is_saturation = request.test == SteadyTest::WriteSaturation;
        if request.passes > 0 && !is_saturation {
            let row = precondition(request, active_range);
            self.add(SteadyPhaseKind::Precondition, vec![row]);
        }
    }

    fn add_rounds(
        &mut self,
        request: &SteadyRequest,
        cells: &[SteadyCell],
        active_range: Bytes,
    ) -> Result<(), SteadyError> {
        let rounds_max = request.rounds_max.unwrap_or(ROUNDS_MAX);
        let row = |cell: &SteadyCell| cell_row(request, *cell, active_range);
        match request.test {
            SteadyTest::Throughput => {
                // Each block size becomes steady by itself.
                for same in cells.chunk_by(|left, right| left.block == right.block) {
                    let rows = same.iter().map(row).collect();
                    let phase = self.add(SteadyPhaseKind::Rounds, rows);
                    phase.tracked = (phase.first_row..phase.first_row + phase.rows).collect();
                    phase.figure = RoundFigure::BytesPerSecond;
                    phase.rounds_max = rounds_max;
                }
            }
            SteadyTest::WriteSaturation => {
                let rounds = saturation_rounds(request)?;
                let phase = self.add(SteadyPhaseKind::Rounds, cells.iter().map(row).collect());
                phase.tracked = vec![phase.first_row];
                phase.rounds_max = rounds;
                let most = request.capacity.0.saturating_mul(SATURATION_PASSES);
                phase.written_bytes_max = Some(Bytes(most));
            }
            SteadyTest::Iops | SteadyTest::Latency => {
                let is_latency = request.test == SteadyTest::Latency;
                let phase = self.add(SteadyPhaseKind::Rounds, cells.iter().map(row).collect());
                let tracked = matrix::tracked(request.test, cells);
                phase.tracked = tracked.into_iter().map(|at| phase.first_row + at).collect();
                phase.rounds_max = rounds_max;
                if is_latency {
                    phase.figure = RoundFigure::LatencyMeanNs;
                    self.add_histogram(request, active_range);
                }
            }
        }
        Ok(())
    }

    fn add_histogram(&mut self, request: &SteadyRequest, active_range: Bytes) {
        let cell = SteadyCell {
            block: Bytes::kib(4).max(request.block_min),
            reads: ReadPercent::WRITES,
        };
        let mut row = cell_row(request, cell, active_range);
        row.name.push_str(" histogram");
        let time = request.round_time.0.saturating_mul(HISTOGRAM_ROUNDS);
        row.limits.time = Some(Nanos(time));
        self.add(SteadyPhaseKind::Afterwards, vec![row]);
    }
}

/// Rounds that fill the time of write saturation.
fn saturation_rounds(request: &SteadyRequest) -> Result<u32, SteadyError> {
    if let Some(rounds) = request.rounds_max {
        return Ok(rounds);
    }
    let usual = match request.class {
        SteadyClass::Client => SATURATION_TIME_CLIENT,
        SteadyClass::Enterprise => SATURATION_TIME_ENTERPRISE,
    };
    let rounds_of = |time: Nanos| time.0.div_ceil(request.round_time.0).max(1);
    let bounded = |rounds: u64| {
        let rounds = u32::try_from(rounds).ok();
        rounds.filter(|rounds| *rounds <= ROUNDS_LIMIT)
    };
    match request.time_max.map(rounds_of) {
        // Short rounds are as many as there may be.
        None => Ok(bounded(rounds_of(usual)).unwrap_or(ROUNDS_LIMIT)),
        Some(rounds) => bounded(rounds).ok_or(SteadyError::ManyRounds { rounds }),
    }
}

/// Discards everything, one piece after the other.
fn purge(length: Bytes) -> Workload {
    let block = PURGE_BLOCK
        .0
        .min(length.0 / RANGE_UNIT * RANGE_UNIT)
        .max(RANGE_UNIT);
    let whole = length.0 / block * block;
    Workload {
        operations: OperationMix::only(Operation::Trim),
        span: Some(Span::from_start(Bytes(whole))),
        limits: Limits::of_bytes(Bytes(whole)),
        ..Workload::new("PURGE", Bytes(block))
    }
}

/// Writes the active range through, so often as is asked for.
fn precondition(request: &SteadyRequest, active_range: Bytes) -> Workload {
    let block = PRECONDITION_BLOCK.max(request.block_min);
    let bytes = active_range.0.saturating_mul(request.passes.into());
    Workload {
        operations: OperationMix::only(Operation::Write),
        depth: PRECONDITION_DEPTH,
        span: Some(Span::from_start(active_range)),
        limits: Limits::of_bytes(Bytes(bytes)),
        drive_cache: request.drive_cache,
        ..Workload::new("PRECONDITION SEQ128K", block)
    }
}

fn cell_row(request: &SteadyRequest, cell: SteadyCell, active_range: Bytes) -> Workload {
    let (threads, depth) = match request.test {
        SteadyTest::Latency => (1, 1),
        _ => load(request.class),
    };
    let spec = RowSpec {
        block: cell.block,
        pattern: match request.test {
            SteadyTest::Throughput => RowPattern::Sequential,
            _ => RowPattern::Random,
        },
        depth,
        threads,
        directions: Vec::new(),
        durability: None,
    };
    let direction = match (cell.reads.get(), Mix::new(cell.reads.get())) {
        (_, Some(mix)) => RowDirection::Mix(mix),
        (0, None) => RowDirection::Write,
        (_, None) => RowDirection::Read,
    };
    Workload {
        span: Some(Span::from_start(active_range)),
        limits: Limits::of_time(request.round_time),
        drive_cache: request.drive_cache,
        ..spec.workload(direction)
    }
}

/// How near a request is to the PTS.
fn label(request: &SteadyRequest, cells: &[SteadyCell]) -> SteadyLabel {
    let is_saturation = request.test == SteadyTest::WriteSaturation;
    let passes = if is_saturation { 0 } else { request.passes };
    let percent = class_percent(request.class);
    let is_whole = matrix::missing(request.test, cells).is_empty()
        && request.round_time >= ROUND_TIME
        && request
            .active_percent
            .is_none_or(|requested| requested == percent)
        && request.rounds_max.is_none()
        && request.time_max.is_none();
    let was_purged = request.purge || request.medium == SteadyTarget::Simulated;
    // Write saturation begins with what the others end with.
    let is_ready = was_purged && (is_saturation || passes >= PASSES);
    match (request.medium, passes) {
        (SteadyTarget::File, 0) => SteadyLabel::FileQuick,
        (SteadyTarget::File, _) => SteadyLabel::FilePrefilled,
        _ if is_whole && is_ready => SteadyLabel::PtsLike,
        (_, 0) => SteadyLabel::DeviceQuick,
        _ => SteadyLabel::DevicePreconditioned,
    }
}

fn written_through(passes: u32) -> Text {
    match passes {
        0 => text!("never written through before, not {} times", PASSES),
        1 => text!("written through once before, not {} times", PASSES),
        passes => text!(
            "written through {passes} times before, not {} times",
            PASSES
        ),
    }
}

/// In what a request is not as the PTS has it.
fn differences(request: &SteadyRequest, cells: &[SteadyCell]) -> Vec<Text> {
    let mut sentences = Vec::new();
    let mut tell = |is_so: bool, text: Text| sentences.extend(is_so.then_some(text));
    let is_saturation = request.test == SteadyTest::WriteSaturation;
    tell(
        request.medium == SteadyTarget::File,
        "a file is measured, so that its file system is in the figures".into(),
    );
    tell(
        request.medium == SteadyTarget::Simulated,
        "the device is simulated".into(),
    );
    match (request.purge, request.medium) {
        (_, SteadyTarget::Simulated) => {}
        (true, SteadyTarget::Device) => tell(
            true,
            "purged by discarding all blocks, not by secure erase or format".into(),
        ),
        (true, SteadyTarget::File) => {
            tell(true, "only the file's own blocks were discarded".into())
        }
        (false, _) => tell(
            true,
            "not purged, so that what was written before is in the figures".into(),
        ),
    }
    tell(
        !is_saturation && request.passes != PASSES,
        written_through(request.passes),
    );
    tell(
        request.round_time != ROUND_TIME,
        text!(
            "a cell takes {} in a round, not {ROUND_TIME}",
            request.round_time
        ),
    );
    let percent = class_percent(request.class);
    let active = request.active_percent.unwrap_or(percent);
    tell(
        active != percent,
        text!("{active} % of the capacity is used, not {percent} %"),
    );
    match (is_saturation, request.rounds_max, request.time_max) {
        (true, Some(rounds), _) => tell(true, text!("it ends after {rounds} rounds at most")),
        (true, None, Some(time)) => tell(true, text!("it ends after {time} at most")),
        (false, Some(rounds), _) => tell(
            rounds != ROUNDS_MAX,
            text!("{rounds} rounds at most, not {}", ROUNDS_MAX),
        ),
        _ => {}
    }
    let missing = matrix::missing(request.test, cells);
    tell(
        !missing.is_empty(),
        matrix::missing_note(request.test, &missing),
    );
    let cache = Text::from(match class_cache(request.class) {
        DriveCache::Off => "off",
        _ => "on",
    });
    tell(
        request.medium != SteadyTarget::Simulated
            && request.drive_cache != class_cache(request.class),
        text!("the drive's write cache was not switched {cache}"),
    );
    tell(
        true,
        "two windows in a row must pass, where the PTS asks for one".into(),
    );
    sentences
}

#[cfg(test)]
mod tests;
