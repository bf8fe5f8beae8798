//! `sokudo checkup`: is a disk OK? Health, speed, surface and real capacity, in one run.
//!
//! What is expected, and what came of it, is said by `sokudo-analysis`.

pub mod arguments;
mod rules;

use arguments::Arguments;
use sokudo_history::past_runs::Past;
use sokudo_measure::{DeviceBeside, Measurement, Named, TEST_FILE_SIZE, may_write};
use sokudo_model::{
    Bytes, DiskAnswer, FileUse, Files, Method, MethodKind, MethodTrait, Nanos, Plan, Schedule,
    Span, TargetKind, Workload,
};
use sokudo_page::TargetForm;
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::exit::Exit;
use sokudo_tools::crystaldiskmark::{self, RowDirection};
use sokudo_words::text;

use crate::argument_checks;
use crate::declared::{Declared, PageForm};
use crate::measurement::{self, FinishedMeasurement};
use crate::measuring::{Measuring, Planned};
use crate::rows::capacity::{self, WrittenShare};
use crate::rows::surface::{self, SurfacePreset, SurfaceRequest};

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
    form: Some(PageForm {
        rank: 0,
        target: TargetForm::Needed,
        options: &["full", "size", "time", "runs"],
    }),
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
        let kind = named.kind();
        if kind == TargetKind::Null {
            return Err(Exit::usage(text!(
                "null: is no disk, so that nothing is expected of it; name a directory, a device or sim:MODEL"
            )));
        }
        argument_checks::check_time(self.time)?;
        if self.size.is_some() && kind != TargetKind::Directory {
            return Err(Exit::usage(text!(
                "{} has its size; --size is that of the test file in a directory, so leave it out",
                self.target
            )));
        }
        let size = self.size.unwrap_or(TEST_FILE_SIZE);
        argument_checks::check_size(size, None, &self.target)?;
        let seed = self.shared.seed_for(&named);
        let beside = DeviceBeside::below(&named);
        let mut workloads = of_target(kind);
        workloads.extend(
            (1..)
                .zip(&beside)
                .filter_map(|(index, it)| of_beside(index, it, size)),
        );
        for workload in &mut workloads {
            workload.limits.time = Some(self.time);
        }
        workloads.extend(of_surface(self, &named, &beside)?);
        workloads.extend(of_capacity(self, &named)?);
        let mut plan = Plan {
            method: Method::new(&METHOD),
            seed,
            stages: crystaldiskmark::stages(workloads),
        };
        self.shared.set(&mut plan);
        let schedule = Schedule {
            surveys_once: true,
            ..Schedule::in_turn(self.runs, Nanos(0))
        };
        let measurement = Measurement {
            schedule,
            test_file_size: size,
            beside,
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }

    fn conclude(&self, mut finished: FinishedMeasurement) -> Result<(), Exit> {
        let printing = &self.shared.printing;
        tell_cap(&mut finished, &printing.keeping);
        let assessment = finished.document.disk_assessment.as_deref();
        let answer = assessment.and_then(|assessment| assessment.answer);
        let is_judged = assessment.is_some_and(|it| {
            let mut points = it.points.iter();
            answer.is_some() && points.all(|point| point.code != sokudo_analysis::NOT_JUDGED)
        });
        finished.conclude(printing)?;
        match answer {
            Some(DiskAnswer::NotOk) => Err(Exit::FailedAsReported),
            _ if !is_judged => Err(Exit::not_trusted(text!(
                "whether {} is as it should be could not be judged",
                self.target
            ))),
            _ => Ok(()),
        }
    }
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
    named: &Named,
    beside: &[DeviceBeside],
) -> Result<Vec<Workload>, Exit> {
    if is_disk(named.kind()) {
        let block_min = argument_checks::block_min(named, &arguments.target)?;
        let rows = named
            .size()
            .map(|size| surface_of(arguments, size, block_min));
        return Ok(rows.unwrap_or_default());
    }
    if arguments.full {
        return Err(Exit::usage(text!(
            "{} is not a device, and --full reads all of a device; name the device",
            arguments.target
        )));
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
fn of_capacity(arguments: &Arguments, named: &Named) -> Result<Option<Workload>, Exit> {
    let may = may_write(named.kind(), &arguments.shared.permission()).is_ok();
    if !may || !is_disk(named.kind()) {
        return Ok(None);
    }
    let block_min = argument_checks::block_min(named, &arguments.target)?;
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
