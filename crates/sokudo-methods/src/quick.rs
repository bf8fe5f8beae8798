//! `sokudo quick`: hdparm's two timings and dd past the page cache, with proof.

pub mod arguments;
pub mod plan;
mod table;

use arguments::Arguments;
use plan::{DD_BLOCK, Quick, QuickTest};
use sokudo_measure::{Measurement, Named, OwnFiles, TEST_FILE_SIZE};
use sokudo_model::{BackendKind, Bytes, DataContent, Plan, Schedule, TargetKind};
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

use crate::arguments::precision::PrecisionDefault;
use crate::declared::{Declared, PageForm};
use crate::measuring::{Measuring, Planned};
use crate::{argument_checks, consent, measurement};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(
        4,
        "test=cached|buffered|direct|write|fdatasync, size, bytes, data, runs, pause, trim, time",
    ),
    kinds: &[&plan::METHOD],
    showings: &[table::showing],
    ..Declared::NONE
};

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        let kind = named.kind();
        let seed = self.shared.seed_for(&named);
        let plan = plan(self, kind, named.size(), seed)?;
        let mut rows = plan.stages.iter().flat_map(|stage| &stage.workloads);
        let files = match rows.any(|row| row.files.from_empty) {
            true => OwnFiles::InPhases { cold: false },
            false => OwnFiles::Full(DataContent::Random),
        };
        let measurement = Measurement {
            files,
            schedule: schedule(self)?,
            test_file_size: test_file_size(self),
            notes: notes(self, kind),
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }
}

/// What dd is to move has room in a file of sokudo's own.
fn test_file_size(arguments: &Arguments) -> Bytes {
    let size = arguments.size.or(arguments.bytes);
    size.unwrap_or(TEST_FILE_SIZE)
}

fn plan(
    arguments: &Arguments,
    kind: TargetKind,
    known_size: Option<Bytes>,
    seed: u64,
) -> Result<Plan, Exit> {
    arguments.time.map_or(Ok(()), argument_checks::check_time)?;
    let backend = match kind {
        TargetKind::Simulated | TargetKind::Null => BackendKind::Auto,
        _ => BackendKind::Psync,
    };
    let size = known_size.unwrap_or_else(|| test_file_size(arguments));
    if let Some(bytes) = arguments.bytes {
        check_bytes(bytes, size, &arguments.target)?;
    }
    let quick = Quick {
        tests: tests(arguments, kind)?,
        is_own_file: kind == TargetKind::Directory,
        size,
        time: arguments.time,
        bytes: arguments.bytes,
        data: arguments.data.clone(),
        backend,
        seed,
    };
    let mut plan = quick
        .plan()
        .map_err(|error| Exit::usage(text!("{}: {error}", arguments.target)))?;
    arguments.shared.set(&mut plan);
    Ok(plan)
}

fn check_bytes(bytes: Bytes, size: Bytes, target: &str) -> Result<(), Exit> {
    if bytes.0 == 0 || !bytes.0.is_multiple_of(DD_BLOCK.0) {
        return Err(Exit::usage(text!(
            "--bytes is {bytes}; dd moves blocks of {DD_BLOCK}, so use a multiple"
        )));
    }
    if bytes > size {
        return Err(Exit::usage(text!(
            "--bytes is {bytes}, but {target} has only {size}; use less, or a larger test file (--size)"
        )));
    }
    Ok(())
}

/// What can be looked at is looked at, unless more is asked for, which is then refused.
fn tests(arguments: &Arguments, kind: TargetKind) -> Result<Vec<QuickTest>, Exit> {
    consent::check_overwrite(&arguments.target, kind, arguments.shared.overwrite)?;
    for test in &arguments.tests {
        if arguments.bytes.is_some() && !test.is_dd() {
            return Err(Exit::usage(text!(
                "--bytes is about direct, write and fdatasync; {test} takes its time, so leave one out"
            )));
        }
        if let Some(refusal) = refusal(*test, arguments, kind) {
            return Err(refusal);
        }
    }
    let is_selected = |test: &QuickTest| {
        if arguments.tests.is_empty() {
            *test != QuickTest::Fdatasync
                && (arguments.bytes.is_none() || test.is_dd())
                && refusal(*test, arguments, kind).is_none()
        } else {
            arguments.tests.contains(test)
        }
    };
    Ok(QuickTest::ALL.into_iter().filter(is_selected).collect())
}

/// Why a part cannot be measured on a target of this kind.
fn refusal(test: QuickTest, arguments: &Arguments, kind: TargetKind) -> Option<Exit> {
    let name = &arguments.target;
    match kind {
        TargetKind::Simulated | TargetKind::Null if test.uses_page_cache() => Some(Exit::usage(
            text!("{name} has no page cache, which {test} is about; use --test direct or write"),
        )),
        _ if test.writes() => unwritten(arguments, kind).map(Exit::refused),
        _ => None,
    }
}

fn schedule(arguments: &Arguments) -> Result<Schedule, Exit> {
    let trim = arguments.trim;
    let default = PrecisionDefault::trials(1);
    let schedule = arguments
        .precision
        .schedule(arguments.runs, default, arguments.pause)?;
    let runs = schedule.trials;
    if trim.saturating_mul(2) >= runs && trim > 0 {
        return Err(Exit::usage(text!(
            "--trim {trim} leaves nothing of --runs {runs}; use at least --runs {}",
            trim.saturating_mul(2).saturating_add(1)
        )));
    }
    Ok(Schedule { trim, ..schedule })
}

fn notes(arguments: &Arguments, kind: TargetKind) -> Vec<Text> {
    let left_out = unwritten(arguments, kind).filter(|_| arguments.tests.is_empty());
    left_out.into_iter().collect()
}

/// Why a target of this kind is only read.
fn unwritten(arguments: &Arguments, kind: TargetKind) -> Option<Text> {
    let target = &arguments.target;
    let why = consent::refusal(target, kind, &arguments.shared.permission())?;
    Some(match kind {
        // It has no --destroy.
        TargetKind::BlockDevice => text!(
            "{target}: sokudo quick only reads devices, because writing would destroy their data; name a directory on it, or use sokudo mark --destroy"
        ),
        _ => why,
    })
}
