//! `sokudo checkup`: is a disk OK? Health, speed, surface and real capacity, in one run.
//!
//! What is expected, and what came of it, is said by `sokudo-analysis`.

pub mod arguments;
mod rules;

use arguments::Arguments;
use sokudo_history::past_runs::Past;
use sokudo_measure::{DeviceBeside, Measurement, Named, TEST_FILE_SIZE, may_write};
use sokudo_model::{
    BlockDevice, Bytes, DiskAnswer, DiskAssessment, FileUse, Files, Method, MethodKind,
    MethodTrait, Nanos, Plan, Schedule, Span, Stage, TargetKind, Workload, narrow,
};
use sokudo_report::assessment_table;
use sokudo_terminal::arguments::printing::Format;
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::print;
use sokudo_tools::crystaldiskmark::{self, RowDirection};
use sokudo_words::text;

use crate::declared::{Declared, PageForm};
use crate::measurement::{self, FinishedMeasurement};
use crate::measuring::{Measuring, Planned};
use crate::rows::capacity::{self, WrittenShare};
use crate::rows::several as rows;
use crate::rows::surface::{self, SurfacePreset, SurfaceRequest};
use crate::{argument_checks, consent, several};

pub static METHOD: MethodKind = MethodKind {
    name: "checkup",
    traits: &[
        MethodTrait::JudgesDisk,
        MethodTrait::AsksForDisk,
        MethodTrait::RepeatsSlow,
    ],
    ..OF_SPEED_ALONE
};

/// Runs that were kept before the surface belonged to it.
static OF_SPEED_ALONE: MethodKind = MethodKind {
    name: "assess",
    command: "checkup",
    is_named: false,
    traits: &[MethodTrait::JudgesDisk, MethodTrait::AsksForDisk],
};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(0, "full, size, time, runs"),
    kinds: &[&METHOD, &OF_SPEED_ALONE],
    rules: &[&rules::RULES],
    ..Declared::NONE
};

/// How a disk is read and written as fast as it can, and how it answers one at a time.
const STREAM: &str = "SEQ1M,Q8";
const ONE_AT_A_TIME: &str = "RND4K,Q1";
const MANY_AT_ONCE: &str = "RND4K,Q32";

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        let others = several::recognise(&self.others)?;
        let more = others.iter().map(|it| (it.name.as_str(), &it.named));
        let all = std::iter::once((self.target.as_str(), &named)).chain(more);
        let all: Vec<(&str, &Named)> = all.collect();
        check(self, &all)?;
        let mut beside = Vec::new();
        let mut disks = Vec::new();
        for ((name, named), label) in all.iter().zip(rows::labels(&names(&all))) {
            let below = DeviceBeside::below(named);
            disks.push(DiskToCheck {
                label,
                beside: narrow(all.len() + beside.len()),
                speed: of_speed(self, named.kind(), &below),
                surveys: of_surface(self, name, named, &below)?,
                capacity: of_capacity(self, name, named)?,
            });
            beside.extend(below);
        }
        let mut plan = Plan {
            method: Method::new(&METHOD),
            seed: self.shared.seed_for(&named),
            stages: stages(disks),
        };
        self.shared.set(&mut plan);
        let schedule = Schedule {
            surveys_once: true,
            ..Schedule::in_turn(self.runs, Nanos(0))
        };
        let note = match all.len() {
            1 => None,
            disks => Some(text!(
                "{disks} disks: the speed of one after the other, then the surface of all at the same time"
            )),
        };
        drop(all);
        let measurement = Measurement {
            schedule,
            others,
            test_file_size: self.size.unwrap_or(TEST_FILE_SIZE),
            beside,
            notes: note.into_iter().collect(),
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }

    /// Whoever watches with Nagios gets its line also where nothing could be measured.
    fn run(&self) -> Result<(), Exit> {
        let planned = self.shared.notified(self.planned());
        let ended = planned.and_then(|planned| {
            let lines = match &planned {
                Planned::Rows(measurement, _) => consent::lost(measurement),
                Planned::Jobs(..) => Vec::new(),
            };
            self.print(planned, (!lines.is_empty()).then_some(lines))
        });
        let rendering = &self.shared.printing.rendering;
        match rendering.form() {
            Format::Nagios => print::ended_for_nagios(ended, rendering.output()),
            _ => ended,
        }
    }

    fn conclude(&self, mut finished: FinishedMeasurement) -> Result<(), Exit> {
        tell_cap(&mut finished, &self.shared.printing.keeping);
        finished.conclude_judged(&self.shared, |document| {
            let disks = assessment_table::judged_disks(document);
            let answers = disks.iter().map(|disk| judged(disk.assessment));
            let mut answers: Vec<_> = answers.collect();
            answers.resize(self.others.len() + 1, None);
            match answers[..] {
                [None] => Err(Exit::not_trusted(text!(
                    "whether {} is as it should be could not be judged",
                    self.target
                ))),
                _ => several::verdict(&answers),
            }
        })
    }
}

/// The answer, where it is one: what is not failing is as it should be only if its speed was judged.
fn judged(assessment: &DiskAssessment) -> Option<DiskAnswer> {
    let mut points = assessment.points.iter();
    let is_judged = points.all(|point| point.code != sokudo_analysis::NOT_JUDGED);
    let answer = assessment.answer;
    answer.filter(|answer| *answer == DiskAnswer::NotOk || is_judged)
}

fn names<'a>(all: &[(&'a str, &Named)]) -> Vec<&'a str> {
    all.iter().map(|(name, _)| *name).collect()
}

/// Refuses what is no disk, what has no such size, and one disk by two names.
fn check(arguments: &Arguments, all: &[(&str, &Named)]) -> Result<(), Exit> {
    argument_checks::check_time(arguments.time)?;
    for (index, (name, named)) in all.iter().enumerate() {
        let kind = named.kind();
        if kind == TargetKind::Null {
            return Err(Exit::usage(text!(
                "null: is not a disk, so nothing is expected of it; name a directory, a device or sim:MODEL"
            )));
        }
        if arguments.size.is_some() && kind != TargetKind::Directory {
            return Err(Exit::usage(text!(
                "{name} has its size; --size is that of the test file in a directory, so leave it out"
            )));
        }
        if arguments.full && !is_disk(kind) {
            return Err(Exit::usage(text!(
                "{name} is not a device, and --full reads all of a device; name the device"
            )));
        }
        let size = arguments.size.unwrap_or(TEST_FILE_SIZE);
        argument_checks::check_size(size, None, name)?;
        for (first, before) in all.get(..index).unwrap_or_default() {
            if let Some(device) = shared_leaf(before, named) {
                return Err(Exit::usage(text!(
                    "{first} and {name} stand on one disk, {device}, which has one verdict; name one of them"
                )));
            }
        }
    }
    Ok(())
}

/// A device at the bottom of both, also one that has two paths; parts of an NVMe drive are apart.
fn shared_leaf(one: &Named, other: &Named) -> Option<String> {
    let other = other.info()?;
    let mut leaves = one.info()?.leaves();
    let is_same = |one: &BlockDevice, other: &BlockDevice| {
        let has_same_serial = one.serial.is_some() && one.serial == other.serial;
        let is_path = has_same_serial && one.model == other.model && !one.name.starts_with("nvme");
        one.number == other.number || is_path
    };
    let shared = leaves.find(|leaf| other.leaves().any(|it| is_same(it, leaf)))?;
    Some(shared.name.clone())
}

/// What is done to one disk. The workloads call it target 0, and those beside it 1 and following.
struct DiskToCheck {
    label: String,
    /// The number of the first device beside it among the targets of the run.
    beside: u32,
    speed: Vec<Workload>,
    surveys: Vec<Workload>,
    capacity: Option<Workload>,
}

/// Speed of one disk after the other, by turns, so that none is slowed down by another; then the
/// surface of all at the same time, which takes hours and is held up by the disk alone; then real
/// capacity, which the engine checks of one disk at a time.
fn stages(disks: Vec<DiskToCheck>) -> Vec<Stage> {
    let is_one = disks.len() == 1;
    let on_disk = |(index, disk): (u32, &DiskToCheck), workload: &Workload, others| match is_one {
        true => workload.clone(),
        false => rows::on_targets(workload.clone(), &disk.label, others, |target| {
            target.checked_sub(1).map_or(index, |it| disk.beside + it)
        }),
    };
    let mut stages = Vec::new();
    let rows_max = |rows: fn(&DiskToCheck) -> usize| disks.iter().map(rows).max().unwrap_or(0);
    for row in 0..rows_max(|disk| disk.speed.len()) {
        let of_row = (0..)
            .zip(&disks)
            .filter_map(|it| Some((it, it.1.speed.get(row)?)));
        stages.extend(of_row.map(|(disk, workload)| Stage::alone(on_disk(disk, workload, 0))));
    }
    for row in 0..rows_max(|disk| disk.surveys.len()) {
        let of_row = (0..)
            .zip(&disks)
            .filter_map(|it| Some((it, it.1.surveys.get(row)?)));
        let others = of_row.clone().count().saturating_sub(1);
        let workloads = of_row.map(|(disk, workload)| on_disk(disk, workload, others));
        stages.push(Stage {
            workloads: workloads.collect(),
        });
    }
    let of_each = (0..)
        .zip(&disks)
        .filter_map(|it| Some((it, it.1.capacity.as_ref()?)));
    stages.extend(of_each.map(|(disk, workload)| Stage::alone(on_disk(disk, workload, 0))));
    stages
}

/// How fast it is, and what it stands on.
fn of_speed(arguments: &Arguments, kind: TargetKind, beside: &[DeviceBeside]) -> Vec<Workload> {
    let size = arguments.size.unwrap_or(TEST_FILE_SIZE);
    let mut workloads = of_target(kind);
    let beside = (1..).zip(beside);
    workloads.extend(beside.filter_map(|(index, it)| of_beside(index, it, size)));
    for workload in &mut workloads {
        workload.limits.time = Some(arguments.time);
    }
    workloads
}

/// A limit that somebody has set shows only where another run has met it, too.
fn tell_cap(finished: &mut FinishedMeasurement, keeping: &Keeping) {
    let before = Past::of_kept(keeping).streams_before(&finished.document);
    let Some(point) = sokudo_analysis::volume_cap(&finished.run, &before) else {
        return;
    };
    let assessment = finished.run.disk_assessment.take();
    let assessment = assessment.map(|it| Box::new(it.with(point)));
    finished.document.disk_assessment.clone_from(&assessment);
    finished.run.disk_assessment = assessment;
}

/// A file of ours is written, too.
fn of_target(kind: TargetKind) -> Vec<Workload> {
    let is_ours = matches!(kind, TargetKind::Directory);
    let reads = [STREAM, ONE_AT_A_TIME, MANY_AT_ONCE].map(|name| row(name, RowDirection::Read));
    let writes = is_ours.then(|| row(STREAM, RowDirection::Write));
    reads.into_iter().chain(writes).collect()
}

fn row(name: &str, direction: RowDirection) -> Workload {
    let row = crystaldiskmark::row(name).expect("these rows are known");
    row.workload(direction)
}

/// A device is read where it begins, as much of it as the test file has.
fn of_beside(index: u32, beside: &DeviceBeside, size: Bytes) -> Option<Workload> {
    let mut workload = row(STREAM, RowDirection::Read);
    let known = beside
        .size()
        .filter(|it| *it >= workload.blocks.largest())?;
    workload.name = format!("{} {}", workload.name, beside.name());
    let span = (known > size).then(|| Span::from_start(size));
    workload.files = Files {
        uses: vec![FileUse {
            target: index,
            span,
        }],
        ..workload.files
    };
    Some(workload)
}

/// The surface of a device, or of the one below a file system where it may be read: a file's own
/// blocks are some of the disk's. What is too small to be visited has none.
fn of_surface(
    arguments: &Arguments,
    name: &str,
    named: &Named,
    beside: &[DeviceBeside],
) -> Result<Vec<Workload>, Exit> {
    if is_disk(named.kind()) {
        let block_min = argument_checks::block_min(named, name)?;
        let rows = named
            .size()
            .map(|size| surface_of(arguments, size, block_min));
        return Ok(rows.unwrap_or_default());
    }
    let own = named.info().and_then(|info| info.devices.first());
    let below = beside.first();
    let below = below.filter(|it| own.is_some_and(|own| own.name == it.name()));
    let Some(size) = below.and_then(DeviceBeside::size) else {
        return Ok(Vec::new());
    };
    let on_it = |workload: Workload| {
        let span = workload.span.or(Some(Span::from_start(size)));
        Workload {
            files: Files {
                uses: vec![FileUse { target: 1, span }],
                ..workload.files
            },
            ..workload
        }
    };
    let rows = surface_of(arguments, size, BLOCK_BESIDE);
    Ok(rows.into_iter().map(on_it).collect())
}

/// Every device takes it.
const BLOCK_BESIDE: Bytes = Bytes::kib(4);

fn surface_of(arguments: &Arguments, size: Bytes, block_min: Bytes) -> Vec<Workload> {
    let preset = match arguments.full {
        true => SurfacePreset::Full,
        false => SurfacePreset::Surface,
    };
    let request = SurfaceRequest::reading(preset, size, block_min);
    surface::plan(&request).map_or_else(|_| Vec::new(), |planned| planned.workloads)
}

/// What is written to find out how much a device really holds, where that may be.
fn of_capacity(arguments: &Arguments, name: &str, named: &Named) -> Result<Option<Workload>, Exit> {
    let may = may_write(named.kind(), &arguments.shared.permission()).is_ok();
    if !may || !is_disk(named.kind()) {
        return Ok(None);
    }
    let block_min = argument_checks::block_min(named, name)?;
    let size = named.size().filter(|size| *size >= capacity::SIZE_MIN);
    let extent = match arguments.full {
        true => WrittenShare::Whole,
        false => WrittenShare::Sampled,
    };
    Ok(size.and_then(|_| capacity::workload("CAPACITY", block_min, extent)))
}

const fn is_disk(kind: TargetKind) -> bool {
    matches!(kind, TargetKind::BlockDevice | TargetKind::Simulated)
}
