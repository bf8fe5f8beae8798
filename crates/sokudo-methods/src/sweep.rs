//! `sokudo sweep`: block sizes against depths or threads, as ATTO and MiniTool measure
//! them, each cell until it is precise enough.

pub mod arguments;
pub mod plan;
pub(crate) mod table;

use arguments::Arguments;
use plan::{Load, Sweep, SweepPreset};
use sokudo_measure::{Measurement, Named, OwnFiles, duration};
use sokudo_model::{Bytes, DirectMode, Nanos, Operation, Schedule, TargetKind};
use sokudo_terminal::exit::Exit;
use sokudo_tools::crystaldiskmark::{RowPattern, THREADS_MAX};
use sokudo_words::{Text, text};

use crate::arguments::axis::{CountList, Sizes};
use crate::arguments::precision::{PERMILLE_DEFAULT, PrecisionDefault};
use crate::declared::{Declared, PageForm};
use crate::measuring::{Measuring, Planned};
use crate::{argument_checks, consent, measurement};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(
        3,
        "minitool, from, to, sizes, length, depths, threads, random, read-only, \
                  write-only, data, verify, direct, write-through, time, runs, cool-down",
    ),
    kinds: &[&plan::METHOD],
    showings: &[table::showing],
    ..Declared::NONE
};

/// A file made for a cell is a multiple of this.
const TEST_FILE_UNIT: u64 = Bytes::MIB;

/// Whoever has to wait longer is told so.
const LONG: Nanos = Nanos::from_secs(600);

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        let seed = self.shared.seed_for(&named);
        let mut notes = Vec::new();
        let operations = operations(self, named.kind(), &mut notes)?;
        let length = length(self, &named, &mut notes)?;
        let sweep = Sweep {
            sizes: sizes(self, &named, length, &mut notes)?,
            loads: loads(self)?,
            operations,
            pattern: if self.random {
                RowPattern::Random
            } else {
                RowPattern::Sequential
            },
            length,
            time: self.time,
            direct: self.direct,
            write_through: self.write_through,
            verify: self.verify,
            data: self.data.clone(),
            buffer_bytes_max: argument_checks::buffer_bytes_max(&named),
            seed,
        };
        let mut plan = sweep.plan().map_err(Exit::usage)?;
        self.shared.set(&mut plan);
        notes.extend(sweep.without_room().iter().map(no_room));
        let schedule = schedule(self)?;
        let longest = duration(&plan, &schedule, &[]);
        if longest > LONG
            && schedule.spread_over.is_none()
            && !matches!(named.kind(), TargetKind::Simulated | TargetKind::Null)
        {
            notes.push(text!(
                "{} cells of {} trials take at most {:.0} minutes; cells that are precise enough, or \
                 have moved {length}, end earlier",
                plan.stages.len(),
                schedule.trials,
                longest.as_secs_f64() / 60.0
            ));
        }
        let measurement = Measurement {
            schedule,
            test_file_size: Bytes(length.0.next_multiple_of(TEST_FILE_UNIT)),
            notes,
            files: OwnFiles::Full(self.data.clone()),
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }
}

fn preset(arguments: &Arguments) -> SweepPreset {
    if arguments.minitool {
        SweepPreset::MINITOOL
    } else {
        SweepPreset::ATTO
    }
}

fn schedule(arguments: &Arguments) -> Result<Schedule, Exit> {
    let default = PrecisionDefault {
        permille: PERMILLE_DEFAULT,
        ..PrecisionDefault::trials(arguments.runs)
    };
    let runs = Some(arguments.runs);
    let pause = arguments.cool_down;
    let schedule = arguments.precision.schedule(runs, default, pause)?;
    Ok(arguments.shared.ending(schedule))
}

/// What can be done is done, unless more is asked for, which is then refused.
fn operations(
    arguments: &Arguments,
    kind: TargetKind,
    notes: &mut Vec<Text>,
) -> Result<Vec<Operation>, Exit> {
    let name = &arguments.target;
    consent::check_overwrite(name, kind, arguments.shared.overwrite)?;
    if arguments.verify && matches!(kind, TargetKind::Simulated | TargetKind::Null) {
        return Err(Exit::usage(text!(
            "{name} keeps no data, so nothing can be verified; leave --verify out"
        )));
    }
    let permission = arguments.shared.permission();
    let refusal = consent::refusal(name, kind, &permission);
    let must_write = arguments.write_only || arguments.verify || arguments.write_through;
    match refusal {
        Some(reason) if must_write => Err(Exit::refused(reason)),
        _ if arguments.write_only => Ok(vec![Operation::Write]),
        _ if arguments.read_only => Ok(vec![Operation::Read]),
        Some(reason) => {
            notes.push(reason);
            Ok(vec![Operation::Read])
        }
        None => Ok(vec![Operation::Read, Operation::Write]),
    }
}

/// How much one cell uses: what is asked for, or as much of it as there is.
fn length(arguments: &Arguments, named: &Named, notes: &mut Vec<Text>) -> Result<Bytes, Exit> {
    let name = &arguments.target;
    let requested = arguments.length.unwrap_or(preset(arguments).length);
    if requested.0 == 0 {
        return Err(Exit::usage(text!(
            "--length is 0; use a size, such as 256MiB"
        )));
    }
    let Some(size) = named.size().filter(|size| *size < requested) else {
        return Ok(requested);
    };
    argument_checks::check_not_empty(Some(size), name)?;
    if arguments.length.is_some() {
        return Err(Exit::usage(text!(
            "--length is {requested}, but {name} has only {size}; use less, or leave it out"
        )));
    }
    notes.push(text!(
        "{name} has only {size}, so each cell moves that much"
    ));
    Ok(size)
}

/// The block sizes, without those that cannot be had here.
fn sizes(
    arguments: &Arguments,
    named: &Named,
    length: Bytes,
    notes: &mut Vec<Text>,
) -> Result<Vec<Bytes>, Exit> {
    let Sizes(mut sizes) = match &arguments.sizes {
        Some(sizes) => sizes.clone(),
        None => {
            let preset = preset(arguments);
            let from = arguments.from.unwrap_or(preset.from);
            Sizes::between(from, arguments.to.unwrap_or(preset.to)).map_err(Exit::usage)?
        }
    };
    if arguments.sizes.is_none() && arguments.to.is_none() {
        // Where not even the smallest fits, the plan says so.
        let fitting = sizes.partition_point(|size| *size <= length);
        sizes.truncate(fitting.max(1));
    }
    let unit = named.direct_unit().filter(|unit| unit.0 > 0);
    let Some(unit) = unit.filter(|_| arguments.direct != DirectMode::Off) else {
        return Ok(sizes);
    };
    let (fitting, others): (Vec<Bytes>, Vec<Bytes>) = sizes
        .into_iter()
        .partition(|size| size.0.is_multiple_of(unit.0));
    if !others.is_empty() {
        let others = Text::list(others.iter().map(|size| text!("{size}")), ", ");
        let left_out = text!(
            "{} takes direct I/O only in units of {unit}; left out: {others}",
            arguments.target
        );
        if fitting.is_empty() {
            return Err(Exit::usage(text!(
                "{left_out}; use larger sizes, or --direct off"
            )));
        }
        notes.push(left_out);
    }
    Ok(fitting)
}

/// Depths, threads or both, one of them with several values at most.
fn loads(arguments: &Arguments) -> Result<Vec<Load>, Exit> {
    let one = |count| CountList(vec![count]);
    let CountList(depths) = arguments
        .depths
        .clone()
        .unwrap_or_else(|| one(preset(arguments).depth));
    let CountList(threads) = arguments.threads.clone().unwrap_or_else(|| one(1));
    if depths.len() > 1 && threads.len() > 1 {
        return Err(Exit::usage(text!(
            "--depths and --threads both have several values, and a sweep varies only one of them; give one value for the other"
        )));
    }
    if let Some(many) = threads.iter().find(|threads| **threads > THREADS_MAX) {
        return Err(Exit::usage(text!(
            "--threads {many} is too many; use 1 to {THREADS_MAX}"
        )));
    }
    let with_depth = |depth: &u32| {
        let depth = *depth;
        let load = move |threads: &u32| Load {
            depth,
            threads: *threads,
        };
        threads.iter().map(load).collect::<Vec<_>>()
    };
    Ok(depths.iter().flat_map(with_depth).collect())
}

fn no_room((size, load): &(Bytes, Load)) -> Text {
    text!(
        "left out: {size} at depth {} with {} threads, because its buffers of {} take more than a quarter of the memory",
        load.depth,
        load.threads,
        load.buffer_bytes(*size)
    )
}
