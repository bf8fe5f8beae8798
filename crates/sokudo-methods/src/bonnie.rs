//! `sokudo bonnie`: Bonnie++'s phases, with evidence and verdicts.
//!
//! Everything happens in a file and a directory of our own. Nothing of the user's is
//! opened for writing.

pub mod arguments;
pub mod plan;
pub(crate) mod table;

use arguments::Arguments;
use plan::Phases;
use sokudo_device::System;
use sokudo_measure::{Measurement, Named, OwnFiles, Prepared};
use sokudo_model::{Bytes, HostEnvironment, Nanos, Schedule, TargetKind};
use sokudo_store::RunId;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{output, print};
use sokudo_tools::bonnie;
use sokudo_words::text;

use crate::declared::Declared;
use crate::measurement::{self, FinishedMeasurement};
use crate::measuring::{Measuring, Planned};

pub(crate) const DECLARED: Declared = Declared {
    kinds: &[&plan::METHOD],
    showings: &[table::showing],
    ..Declared::NONE
};

/// Bonnie++ wants a file so many times as large as the memory.
const MEMORY_MULTIPLE: u64 = 2;

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        Ok(Planned::Rows(
            measurement(self)?,
            Some(Box::new(Prepared::measure)),
        ))
    }

    fn conclude(&self, finished: FinishedMeasurement) -> Result<(), Exit> {
        finished.conclude_by(&self.shared.printing, |it, kept| print(self, it, kept))
    }
}

fn measurement(arguments: &Arguments) -> Result<Measurement<'_>, Exit> {
    let named = Named::recognise(&arguments.target)?;
    if named.kind() != TargetKind::Directory {
        return Err(Exit::usage(text!(
            "{} is not a directory, and Bonnie++'s phases make files; name a directory on the disk",
            arguments.target
        )));
    }
    let seed = arguments.shared.seed_for(&named);
    let environment = sokudo_device::environment(&System::host());
    let phases = phases(arguments, &environment, seed)?;
    let plan = phases.plan();
    if plan.stages.is_empty() {
        return Err(Exit::usage(text!(
            "--size 0 and --files 0 together leave nothing to measure; leave one of them out"
        )));
    }
    let cold = arguments.cold;
    Ok(Measurement {
        schedule: Schedule::in_turn(arguments.runs, Nanos(0)),
        files: OwnFiles::InPhases { cold },
        test_file_size: phases.size.unwrap_or_default(),
        ..measurement::new(&arguments.shared, &arguments.target, named, plan)
    })
}

fn phases(arguments: &Arguments, environment: &HostEnvironment, seed: u64) -> Result<Phases, Exit> {
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
    arguments: &Arguments,
    finished: &FinishedMeasurement,
    kept: Option<RunId>,
) -> Result<(), Exit> {
    let printing = &arguments.shared.printing;
    if !arguments.bonnie_csv {
        return print::write(&finished.document, printing, kept);
    }
    let path = printing.rendering.output();
    output::put(path, &bonnie::render(&finished.run), false)
}
