//! `sokudo fill`: the rate of writes over what was written, its levels, and what comes back
//! after a rest.
//!
//! It destroys nothing without consent, and says what it will write before it begins.

pub mod arguments;
pub(crate) mod rules;
pub(crate) mod table;

use arguments::Arguments;
use sokudo_measure::{Measurement, Named, OwnFiles};
use sokudo_model::{Bytes, Method, Nanos, Plan, Schedule, TargetKind};
use sokudo_terminal::exit::Exit;
use sokudo_words::text;

use crate::declared::{Declared, PageForm};
use crate::fill::table::FillEstimate;
use crate::measuring::{Measuring, Planned};
use crate::rows::sequential_writes::{self, SequentialWrites};
use crate::{argument_checks, consent, measurement};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(8, "size, recovery, no-reads"),
    kinds: &[&rules::METHOD],
    views: &[&table::VIEW],
    showings: &[table::showing],
    rules: &[&rules::RULES],
    ..Declared::NONE
};

/// What a simulated device is taken for unless told: larger ones take minutes.
const SIMULATED_SIZE_MAX: Bytes = Bytes::gib(64);
/// Of what is free in a directory, unless told: others want to write there meanwhile.
const FREE_DIVISOR: u64 = 2;

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        consent::check_written(&self.target, named.kind(), &self.shared)?;
        let request = request(self, &named)?;
        let seed = self.shared.seed_for(&named);
        let mut plan = Plan::in_turn(Method::new(&rules::METHOD), seed, request.workloads());
        self.shared.set(&mut plan);
        let measurement = Measurement {
            schedule: self.shared.ending(Schedule::in_turn(1, Nanos(0))),
            test_file_size: request.size,
            files: OwnFiles::Reserved,
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }

    /// Asks, measures and prints, or says what it would take.
    fn run(&self) -> Result<(), Exit> {
        let estimate = estimate(self, &Named::recognise(&self.target)?)?;
        let lines = match estimate.is_virtual && !self.shared.printing.dry_run {
            true => Vec::new(),
            false => estimate.lines(),
        };
        self.print(self.planned()?, Some(lines))
    }
}

fn request(arguments: &Arguments, named: &Named) -> Result<SequentialWrites, Exit> {
    Ok(SequentialWrites {
        name: "fill",
        size: size(arguments, named)?,
        block_min: argument_checks::block_min(named, &arguments.target)?,
        samples_max: sequential_writes::SAMPLES_MAX,
        time_max: arguments.max_time,
        reads: !arguments.no_reads,
        rests: arguments.recovery.0.clone(),
    })
}

/// How much is written, in whole blocks.
fn size(arguments: &Arguments, named: &Named) -> Result<Bytes, Exit> {
    let target = &arguments.target;
    argument_checks::check_size(arguments.size.unwrap_or_default(), named.size(), target)?;
    let known = argument_checks::known_size(named, target)?;
    let size = match (arguments.size, known, named.kind()) {
        (Some(size), ..) => size,
        (_, Some(whole), TargetKind::Simulated) => whole.min(SIMULATED_SIZE_MAX),
        (_, Some(whole), _) => whole,
        (.., TargetKind::Directory) => Bytes(free(named, target)?.0 / FREE_DIVISOR),
        _ => {
            return Err(Exit::usage(text!(
                "{target} holds nothing, so there is nothing to fill; name a disk or a directory"
            )));
        }
    };
    let whole = sequential_writes::whole_blocks(size);
    match whole.0 {
        0 => Err(Exit::usage(text!(
            "{size} of {target} is less than a block of {}; write more (--size)",
            sequential_writes::BLOCK
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
fn estimate(arguments: &Arguments, named: &Named) -> Result<FillEstimate, Exit> {
    let request = request(arguments, named)?;
    let assumed = argument_checks::assumed(named);
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
