//! `sokudo scan`: the whole surface of a device, a file or a simulated disk.

pub mod arguments;

use arguments::Arguments;
use sokudo_history::resume::{LeftRun, Resumable};
use sokudo_measure::{Measurement, Named, OtherTarget, Permission, TEST_FILE_SIZE};
use sokudo_model::{
    Bytes, DriveCache, Method, MethodKind, MethodTrait, Nanos, Plan, Schedule, TargetKind,
};
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

use crate::arguments::precision::PrecisionDefault;
use crate::declared::{Declared, PageForm};
use crate::measuring::{Measuring, Planned};
use crate::rows::several as rows;
use crate::rows::several::DiskTests;
use crate::rows::surface::{self, SurfacePreset, SurfaceRequest, Writes};
use crate::{argument_checks, consent, measurement, several};

pub static METHOD: MethodKind = MethodKind {
    name: "scan",
    command: "scan",
    is_named: true,
    traits: &[MethodTrait::Resumes, MethodTrait::RepeatsSlow],
};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(
        2,
        "full, gnome, hdtune=fast|faster|medium|normal|accurate, points, sample, \
                  short-stroke, from, to, shuffle, access-count, access-size, random, extra, \
                  size, write, block, depth, runs, engine, direct",
    ),
    kinds: &[&METHOD],
    ..Declared::NONE
};

/// GNOME Disks draws its places from this seed.
const GNOME_SEED: u64 = 42;

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        if let Some(run) = &self.resume {
            return Ok(Planned::Rows(resumed(self, named, run)?, None));
        }
        if self.write_cache != [DriveCache::Keep] {
            several::check_one(&self.others, "--write-cache")?;
        }
        let others = several::recognise(&self.others)?;
        let seed = self.shared.seed.unwrap_or_else(|| match self.gnome {
            true => GNOME_SEED,
            false => named.default_seed(),
        });
        let (plan, mut notes) = match &others[..] {
            [] => planned(self, &self.target, &named, seed)?,
            others => planned_of_several(self, &named, others, seed)?,
        };
        let schedule = schedule(self)?;
        notes.extend(several::time_note(&plan, &schedule, 1 + others.len()));
        let measurement = Measurement {
            others,
            permission: leave(self),
            schedule,
            test_file_size: self.size.unwrap_or(TEST_FILE_SIZE),
            notes,
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }
}

/// What is left of a scan that only reads.
fn resumed<'a>(
    arguments: &'a Arguments,
    named: Named,
    name: &str,
) -> Result<Measurement<'a>, Exit> {
    let mut targets = vec![(&*arguments.target, named)];
    for other in &arguments.others {
        targets.push((other, Named::recognise(other)?));
    }
    let resumable = Resumable {
        method: "scan",
        refusal: |run, id| {
            let mut workloads = run.plan.stages.iter().flat_map(|stage| &stage.workloads);
            let writes = workloads.any(|workload| workload.operations.changes_data());
            writes.then(|| {
                text!("run {id} writes, and only scans that read can be resumed; scan again")
            })
        },
    };
    let keeping = &arguments.shared.printing.keeping;
    let mut left = LeftRun::find(resumable, targets, name, keeping)?;
    left.run.schedule = arguments.shared.ending(left.run.schedule);
    Ok(left.measurement())
}

/// The rows of one target.
fn planned(
    arguments: &Arguments,
    target: &str,
    named: &Named,
    seed: u64,
) -> Result<(Plan, Vec<Text>), Exit> {
    let request = SurfaceRequest {
        preset: preset(arguments),
        size: size(arguments, target, named)?,
        block_min: argument_checks::block_min(named, target)?,
        short_stroke: arguments.short_stroke,
        from: arguments.from,
        to: arguments.to,
        points: arguments.points,
        sample: arguments.sample,
        block: arguments.block,
        depth: arguments.depth,
        shuffle: arguments.shuffle,
        access_count: arguments.access_count,
        access_size: arguments.access_size,
        random: arguments.random,
        extra: arguments.extra,
        writes: writes(arguments, target, named.kind())?,
        timeout: arguments.shared.timeout,
        caches: arguments.write_cache.to_vec(),
    };
    let planned = surface::plan(&request);
    let planned = planned.map_err(|error| Exit::usage(text!("{target}: {error}")))?;
    let mut plan = Plan::in_turn(method(arguments), seed, planned.workloads);
    arguments.shared.set(&mut plan);
    Ok((plan, planned.notes))
}

/// The rows of several targets, each alone by turns, then all together.
fn planned_of_several(
    arguments: &Arguments,
    first: &Named,
    others: &[OtherTarget],
    seed: u64,
) -> Result<(Plan, Vec<Text>), Exit> {
    let others = others.iter().map(|it| (it.name.as_str(), &it.named));
    let targets = std::iter::once((arguments.target.as_str(), first)).chain(others);
    let names: Vec<&str> = targets.clone().map(|(name, _)| name).collect();
    let (mut disks, mut notes) = (Vec::new(), Vec::new());
    for ((name, named), label) in targets.zip(rows::labels(&names)) {
        let (plan, target_notes) = planned(arguments, name, named, seed)?;
        let target_notes = target_notes.into_iter();
        notes.extend(target_notes.map(|note| text!("{name}: {note}")));
        let workloads = plan.stages.into_iter();
        let workloads = workloads.flat_map(|stage| stage.workloads).collect();
        disks.push(DiskTests { label, workloads });
    }
    let rows = disks.iter().map(|disk| disk.workloads.len());
    if rows.clone().min() != rows.max() {
        return Err(Exit::usage(text!(
            "these targets cannot all be scanned by the same rows, because one is too small for some; scan it by itself"
        )));
    }
    let plan = Plan {
        method: method(arguments),
        seed,
        stages: rows::stages(&disks),
    };
    Ok((plan, notes))
}

fn schedule(arguments: &Arguments) -> Result<Schedule, Exit> {
    let default = PrecisionDefault::trials(1);
    let precision = &arguments.precision;
    let schedule = precision.schedule(arguments.runs, default, Nanos(0))?;
    Ok(arguments.shared.ending(schedule))
}

fn method(arguments: &Arguments) -> Method {
    Method::named(&METHOD, preset(arguments).name())
}

fn preset(arguments: &Arguments) -> SurfacePreset {
    match (arguments.gnome, arguments.hdtune, arguments.full) {
        (true, _, _) => SurfacePreset::Gnome,
        (_, Some(level), _) => SurfacePreset::HdTune(level),
        (_, _, true) => SurfacePreset::Full,
        _ => SurfacePreset::Surface,
    }
}

/// Whether and how the target is written, or why that is refused.
fn writes(arguments: &Arguments, target: &str, kind: TargetKind) -> Result<Writes, Exit> {
    let destroys = !arguments.shared.destroying.destroy.is_empty();
    if destroys && !arguments.write {
        return Err(Exit::usage(text!(
            "--destroy allows writes to {target}, but --write is not given; add --write, or leave --destroy out"
        )));
    }
    if !arguments.write {
        return Ok(Writes::None);
    }
    consent::check_overwrite(target, kind, arguments.shared.overwrite)?;
    if let Some(why) = consent::refusal(target, kind, &leave(arguments)) {
        return Err(Exit::refused(text!(
            "{why}; or use --write-back, which writes back only what was just read"
        )));
    }
    Ok(if arguments.write_back {
        Writes::Back
    } else {
        Writes::New
    })
}

/// What may be written, if anything is.
fn leave(arguments: &Arguments) -> Permission {
    match arguments.write_back {
        true => Permission::WriteBack,
        false => arguments.shared.permission(),
    }
}

/// Size of what is measured.
fn size(arguments: &Arguments, target: &str, named: &Named) -> Result<Bytes, Exit> {
    if named.kind() != TargetKind::Directory && arguments.size.is_some() {
        return Err(Exit::usage(text!(
            "--size is for the test file in a directory, and {target} is not a directory; use --from and --to for a part of it"
        )));
    }
    match argument_checks::known_size(named, target)? {
        Some(Bytes(0)) => Err(Exit::usage(text!(
            "{target} has a size of 0; insert a medium, or name another target"
        ))),
        size => Ok(size.or(arguments.size).unwrap_or(TEST_FILE_SIZE)),
    }
}
