//! `sokudo bonnie`: Bonnie++'s phases, with evidence and verdicts.
//!
//! Everything happens in a file and a directory of our own. Nothing of the user's is
//! opened for writing.

mod watching;

use sokudo_device::System;
use sokudo_dialect::bonnie::Phases;
use sokudo_engine::Control;
use sokudo_measure::{Measurement, Named, OwnFiles};
use sokudo_model::{Bytes, Environment, Nanos, Schedule, TargetKind};
use sokudo_report::bonnie;
use sokudo_store::RunId;
use sokudo_words::text;

use crate::cli::{Asking, BonnieArguments};
use crate::exit::Exit;
use crate::measurement::{self, FinishedMeasurement};
use crate::{interrupt, output, results, telling, writing};
use watching::Watching;

/// Bonnie++ wants a file so many times as large as the memory.
const MEMORY_MULTIPLE: u64 = 2;

pub(crate) fn run(arguments: &BonnieArguments) -> Result<(), Exit> {
    results::check(&arguments.printing)?;
    telling::open(&arguments.printing)?;
    let control = Control::new();
    interrupt::watch(&control)?;
    let finished = measured(arguments, arguments.printing.asking, &control)?;
    finished.conclude_by(&arguments.printing, |it, kept| print(arguments, it, kept))
}

/// What was measured as the arguments ask.
pub(crate) fn measured(
    arguments: &BonnieArguments,
    asking: Asking,
    control: &Control,
) -> Result<FinishedMeasurement, Exit> {
    let named = Named::recognise(&arguments.directory)?;
    if named.kind() != TargetKind::Directory {
        return Err(Exit::usage(text!(
            "{} is not a directory, and Bonnie++'s phases make files; name a directory on the disk",
            arguments.directory
        )));
    }
    let seed = arguments.seed.unwrap_or_else(|| named.default_seed());
    let environment = sokudo_device::environment(&System::host());
    let phases = phases(arguments, &environment, seed)?;
    let plan = phases.plan();
    if plan.stages.is_empty() {
        return Err(Exit::usage(text!(
            "--size 0 and --files 0 together leave nothing to measure; leave one of them out"
        )));
    }
    let mut watching = Watching::new(&plan, asking.quiet);
    let cold = arguments.cold;
    let measurement = Measurement {
        schedule: Schedule::in_turn(arguments.runs, Nanos(0)),
        files: OwnFiles::InPhases { cold },
        test_file_size: phases.size.unwrap_or_default(),
        command: measurement::command(arguments.seed, seed),
        ..Measurement::new(&arguments.directory, named, plan)
    };
    writing::ask(&measurement, None, asking)?;
    let mut prepared = measurement.prepare(control, &mut |_| ())?;
    let ended_by = prepared.measure(control, &mut |event| watching.show(&event));
    watching.finish();
    let ended_by = ended_by?.map(Exit::from);
    let run = measurement::judged(prepared, control);
    Ok(FinishedMeasurement::new(run, ended_by))
}

fn phases(
    arguments: &BonnieArguments,
    environment: &Environment,
    seed: u64,
) -> Result<Phases, Exit> {
    let file = arguments.size.unwrap_or_default();
    let size = match (file.size, environment.memory_bytes) {
        (Some(size), _) => size,
        (None, Some(memory)) => twice(memory, file.chunk),
        (None, None) => {
            return Err(Exit::usage(text!(
                "the size of the memory is unknown, and the file should be twice as large; give its size with --size"
            )));
        }
    };
    Ok(Phases {
        size: (size.0 > 0).then_some(size),
        file,
        characters: (arguments.characters.0 > 0).then_some(arguments.characters),
        files: arguments.files,
        sync_each: arguments.sync_each,
        direct: arguments.direct == "on",
        seed,
    })
}

/// Twice the memory, in whole chunks.
fn twice(memory: Bytes, chunk: Bytes) -> Bytes {
    let wanted = memory.0.saturating_mul(MEMORY_MULTIPLE);
    Bytes((wanted / chunk.0).max(1) * chunk.0)
}

fn print(
    arguments: &BonnieArguments,
    finished: &FinishedMeasurement,
    kept: Option<RunId>,
) -> Result<(), Exit> {
    let printing = &arguments.printing;
    if !arguments.bonnie_csv {
        return results::write(&finished.document, printing, kept);
    }
    let path = printing.rendering.output.as_deref();
    output::put(path, &bonnie::render(&finished.run), false)
}
