//! `sokudo fill`: the rate of writes over what was written, its levels, and what comes back
//! after a rest.
//!
//! It destroys nothing without consent, and says what it will write before it begins.

use sokudo_dialect::fill::{self, FillRequest};
use sokudo_measure::{Measurement, Named, OwnFiles, Prepared};
use sokudo_model::{Bytes, Nanos, Schedule, TargetKind};
use sokudo_report::fill::FillEstimate;
use sokudo_words::text;

use crate::cli::FillArguments;
use crate::exit::Exit;
use crate::measurement;
use crate::scan::block_min;
use crate::steady::assumed;
use crate::{given, output, writing};

/// What a simulated device is taken for unless told: larger ones take minutes.
const SIMULATED_SIZE_MAX: Bytes = Bytes::gib(64);
/// Of what is free in a directory, unless told: others want to write there meanwhile.
const FREE_DIVISOR: u64 = 2;

/// Asks, measures and prints, or says what it would take.
pub(crate) fn run(arguments: &FillArguments) -> Result<(), Exit> {
    let named = Named::recognise(&arguments.target)?;
    let lines = estimate(arguments, &named)?.lines();
    if arguments.estimate {
        return output::print_lines(&lines);
    }
    let measurement = of_named(arguments, named)?;
    let is_virtual = measurement.named.kind() == TargetKind::Simulated;
    let lines = if is_virtual { Vec::new() } else { lines };
    let printing = &arguments.measuring.printing;
    measurement::measured(measurement, Some(lines), printing, Prepared::measure)?.conclude(printing)
}

/// What the arguments ask for.
pub(crate) fn measurement(arguments: &FillArguments) -> Result<Measurement<'_>, Exit> {
    of_named(arguments, Named::recognise(&arguments.target)?)
}

fn of_named(arguments: &FillArguments, named: Named) -> Result<Measurement<'_>, Exit> {
    check_consent(arguments, named.kind())?;
    let seed = arguments
        .measuring
        .seed
        .unwrap_or_else(|| named.default_seed());
    let request = request(arguments, &named)?;
    let mut plan = request.plan(seed);
    arguments.issuing.set(&mut plan);
    arguments.measuring.buffers.set(&mut plan);
    Ok(Measurement {
        permission: arguments.destroying.permission(arguments.overwrite),
        schedule: arguments.stopping.of(Schedule::in_turn(1, Nanos(0))),
        test_file_size: request.size,
        files: OwnFiles::Reserved,
        command: measurement::command(arguments.measuring.seed, seed),
        ..Measurement::new(&arguments.target, named, plan)
    })
}

fn request(arguments: &FillArguments, named: &Named) -> Result<FillRequest, Exit> {
    Ok(FillRequest {
        name: "fill",
        size: size(arguments, named)?,
        block_min: block_min(named, &arguments.target)?,
        samples_max: fill::SAMPLES_MAX,
        time_max: arguments.time_max,
        reads: !arguments.no_reads,
        rests: arguments.recovery.0.clone(),
    })
}

/// All of it writes, so that without consent there is nothing to measure.
fn check_consent(arguments: &FillArguments, kind: TargetKind) -> Result<(), Exit> {
    let target = &arguments.target;
    writing::check_overwrite(target, kind, arguments.overwrite)?;
    let permission = arguments.destroying.permission(arguments.overwrite);
    match writing::refusal(target, kind, &permission) {
        Some(why) => Err(Exit::refused(text!("{why}; --estimate writes nothing"))),
        None => Ok(()),
    }
}

/// How much is written, in whole blocks.
fn size(arguments: &FillArguments, named: &Named) -> Result<Bytes, Exit> {
    let target = &arguments.target;
    given::check_size(arguments.size.unwrap_or_default(), named.size(), target)?;
    let size = match (arguments.size, named.size(), named.kind()) {
        (Some(size), ..) => size,
        (_, Some(whole), TargetKind::Simulated) => whole.min(SIMULATED_SIZE_MAX),
        (_, Some(whole), _) => whole,
        (.., TargetKind::BlockDevice) => {
            return Err(Exit::failed(text!(
                "the size of {target} is unknown; check whether the device answers (dmesg)"
            )));
        }
        (.., TargetKind::Directory) => Bytes(free(named, target)?.0 / FREE_DIVISOR),
        _ => {
            return Err(Exit::usage(text!(
                "{target} holds nothing, so there is nothing to fill; name a disk or a directory"
            )));
        }
    };
    let whole = fill::whole_blocks(size);
    match whole.0 {
        0 => Err(Exit::usage(text!(
            "{size} of {target} is less than a block of {}; write more (--size)",
            fill::BLOCK
        ))),
        _ => Ok(whole),
    }
}

/// What is free in the file system of a directory.
fn free(named: &Named, target: &str) -> Result<Bytes, Exit> {
    let system = named.info().and_then(|info| info.file_system.as_ref());
    let free = system.and_then(|system| system.available_bytes);
    free.ok_or_else(|| {
        Exit::usage(text!(
            "how much is free in {target} is unknown; say how much to write with --size"
        ))
    })
}

/// What it will write, and what that costs.
fn estimate(arguments: &FillArguments, named: &Named) -> Result<FillEstimate, Exit> {
    let request = request(arguments, named)?;
    let assumed = assumed(named);
    let file_system = named.info().and_then(|info| info.file_system.as_ref());
    let capacity = named
        .size()
        .or_else(|| file_system.and_then(|it| it.total_bytes));
    let rests = request.rests.iter().map(|rest| rest.0);
    Ok(FillEstimate {
        target: arguments.target.clone(),
        written: request.written(),
        capacity: capacity.unwrap_or(request.size),
        assumed_bytes_per_s: assumed.bytes_per_s,
        assumed_of: assumed.source,
        rests: Nanos(rests.fold(0, u64::saturating_add)),
        time_max: request.time_max,
        is_virtual: named.kind() == TargetKind::Simulated,
    })
}
