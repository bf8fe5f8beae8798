//! `sokudo steady`: rounds until a drive is steady, as the SNIA's Performance Test
//! Specification has it.
//!
//! It destroys nothing without consent, and it says what it will take before it begins.

pub mod arguments;
pub(crate) mod csv;
pub(crate) mod mixes;
pub(crate) mod picture;
pub mod plan;
pub(crate) mod table;
pub(crate) mod view;

use std::path::PathBuf;

use arguments::Arguments;
use plan::{SteadyPlan, SteadyRequest, SteadyTarget};
use sokudo_device::System;
use sokudo_device::write_cache::WriteCacheSwitch;
use sokudo_measure::{Measurement, Named, TEST_FILE_SIZE};
use sokudo_model::{
    Bytes, DriveCache, Nanos, Schedule, ScheduleName, SteadyClass, SteadyProcedure, TargetKind,
};
use sokudo_report::view::showing_of;
use sokudo_terminal::arguments::printing::Printing;
use sokudo_terminal::exit::{self, Exit};
use sokudo_words::{Text, text};

use crate::declared::{Declared, PageForm};
use crate::measuring::{Measuring, Planned};
use crate::steady::table::estimate_lines;
use crate::{argument_checks, consent, measurement};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(
        6,
        "test, enterprise, sizes, mixes, size, active-range, purge, precondition, \
                  round-time, rounds-max, engine, direct",
    ),
    kinds: &[&plan::METHOD],
    views: &[&view::VIEW],
    showings: &[showing_of::<view::SteadyDocument>],
    pictures: &[picture::ROUNDS, mixes::MIXES],
    ..Declared::NONE
};

/// What a simulated device is taken for unless told: larger ones take minutes to write.
const SIMULATED_SIZE_MAX: Bytes = Bytes::gib(1);
/// How long a cell of a simulated device takes, for the same reason.
const SIMULATED_ROUND_TIME: Nanos = Nanos::from_millis(100);

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        let SteadyPlan { plan, procedure } = rounds(self, &named)?;
        let notes = notes_before(&procedure, named.kind(), &self.shared.printing);
        let test_file_size = capacity(self, &named)?;
        let measurement = Measurement {
            schedule: self.shared.ending(schedule(procedure)),
            test_file_size,
            notes,
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }

    /// Measures and prints, or says what it would take.
    fn run(&self) -> Result<(), Exit> {
        // The notes say what it would take.
        let lines = self.shared.printing.dry_run.then(Vec::new);
        self.print(self.planned()?, lines)
    }
}

/// The rounds that the arguments ask for.
fn rounds(arguments: &Arguments, named: &Named) -> Result<SteadyPlan, Exit> {
    let medium = medium(arguments, named)?;
    consent::check_written(&arguments.target, named.kind(), &arguments.shared)?;
    let capacity = capacity(arguments, named)?;
    let request = SteadyRequest {
        test: arguments.test,
        class: class(arguments),
        capacity,
        active_percent: arguments.active_range,
        medium,
        block_min: argument_checks::block_min(named, &arguments.target)?,
        round_time: arguments.round_time.unwrap_or(match medium {
            SteadyTarget::Simulated => SIMULATED_ROUND_TIME,
            _ => plan::ROUND_TIME,
        }),
        rounds_max: arguments.rounds_max,
        time_max: arguments.max_time,
        sizes: arguments.sizes.clone(),
        mixes: arguments.mixes.clone(),
        passes: arguments.precondition,
        purge: arguments.purge,
        drive_cache: drive_cache(arguments, named),
        assumed: argument_checks::assumed(named),
        seed: arguments.shared.seed_for(named),
    };
    let mut planned = plan::plan(&request)
        .map_err(|error| Exit::usage(text!("{}: {error}", arguments.target)))?;
    let whole = named.size().filter(|whole| capacity < *whole);
    if let Some(whole) = whole {
        let text = text!("only the first {capacity} of {whole} are taken for the capacity");
        planned.procedure.differences.push(text);
    }
    arguments.shared.set(&mut planned.plan);
    Ok(planned)
}

fn schedule(procedure: SteadyProcedure) -> Schedule {
    let rounds = procedure.phases.iter().map(|phase| phase.rounds_max).max();
    Schedule {
        name: ScheduleName::Rounds,
        steady: Some(Box::new(procedure)),
        ..Schedule::in_turn(rounds.unwrap_or(1), Nanos(0))
    }
}

/// What is told on standard error before the first write. In a directory making the test
/// file is one, so that it is told at once; elsewhere after all refusals.
fn notes_before(procedure: &SteadyProcedure, kind: TargetKind, printing: &Printing) -> Vec<Text> {
    let lines = estimate_lines(procedure);
    if kind != TargetKind::Directory || printing.dry_run {
        return lines;
    }
    if !printing.asking.quiet {
        lines.iter().for_each(exit::note);
    }
    Vec::new()
}

fn class(arguments: &Arguments) -> SteadyClass {
    if arguments.enterprise {
        SteadyClass::Enterprise
    } else {
        SteadyClass::Client
    }
}

fn medium(arguments: &Arguments, named: &Named) -> Result<SteadyTarget, Exit> {
    let target = &arguments.target;
    match named.kind() {
        TargetKind::Null => Err(Exit::usage(text!(
            "{target} is not a device and cannot become steady; name a device, a directory or sim:ssd"
        ))),
        TargetKind::Simulated if arguments.purge => Err(Exit::usage(text!(
            "{target} is already purged; leave --purge out"
        ))),
        TargetKind::Simulated => Ok(SteadyTarget::Simulated),
        TargetKind::BlockDevice => Ok(SteadyTarget::Device),
        _ => Ok(SteadyTarget::File),
    }
}

/// What counts as the capacity.
fn capacity(arguments: &Arguments, named: &Named) -> Result<Bytes, Exit> {
    let target = &arguments.target;
    let Some(whole) = argument_checks::known_size(named, target)? else {
        // The test file is made of whole blocks of 1 MiB.
        return match arguments.size {
            Some(size) if size.0 == 0 || !size.0.is_multiple_of(Bytes::MIB) => {
                Err(Exit::usage(text!(
                    "--size {}B is not a multiple of 1 MiB, the largest block; use {}MiB",
                    size.0,
                    (size.0 / Bytes::MIB).max(1)
                )))
            }
            size => Ok(size.unwrap_or(TEST_FILE_SIZE)),
        };
    };
    let requested = arguments.size.unwrap_or_default();
    argument_checks::check_size(requested, Some(whole), target)?;
    match arguments.size {
        Some(requested) => Ok(requested),
        None if named.kind() == TargetKind::Simulated => Ok(whole.min(SIMULATED_SIZE_MAX)),
        None => Ok(whole),
    }
}

/// The state of the write cache: as asked for, or the class's where every drive under a
/// device answers what its own is.
fn drive_cache(arguments: &Arguments, named: &Named) -> DriveCache {
    if let Some(state) = arguments.write_cache {
        return state;
    }
    let Some(info) = named
        .info()
        .filter(|info| info.kind == TargetKind::BlockDevice)
    else {
        return DriveCache::Keep;
    };
    let mut drives = info
        .leaves()
        .map(|leaf| PathBuf::from(format!("/dev/{}", leaf.name)))
        .peekable();
    let answers = |path: PathBuf| {
        let switch = WriteCacheSwitch::open(&System::host(), &path);
        switch.is_ok_and(|switch| switch.state().is_ok())
    };
    if drives.peek().is_some() && drives.all(answers) {
        plan::class_cache(class(arguments))
    } else {
        DriveCache::Keep
    }
}
