//! `sokudo quick`: hdparm's two timings and dd past the page cache, with proof.

use sokudo_dialect::quick::{DD_BLOCK, Quick, QuickTest};
use sokudo_measure::{Measurement, Named, Permission, TEST_FILE_SIZE};
use sokudo_model::{BackendKind, Bytes, Plan, Schedule, TargetKind};
use sokudo_words::{Text, text};

use crate::cli::{PrecisionDefault, QuickArguments};
use crate::exit::Exit;
use crate::{given, measurement, writing};

pub(crate) fn run(arguments: &QuickArguments) -> Result<(), Exit> {
    measurement::run_and_print(measurement(arguments)?, &arguments.printing)
}

pub(crate) fn measurement(arguments: &QuickArguments) -> Result<Measurement<'_>, Exit> {
    let named = Named::recognise(&arguments.target)?;
    let kind = named.kind();
    let seed = arguments.seed.unwrap_or_else(|| named.default_seed());
    let plan = plan(arguments, kind, named.size(), seed)?;
    Ok(Measurement {
        schedule: schedule(arguments)?,
        test_file_size: test_file_size(arguments),
        permission: permission(arguments),
        notes: notes(arguments, kind),
        command: measurement::command(arguments.seed, seed),
        ..Measurement::new(&arguments.target, named, plan)
    })
}

/// What dd is to move has room in a file of sokudo's own.
fn test_file_size(arguments: &QuickArguments) -> Bytes {
    let size = arguments.size.or(arguments.bytes);
    size.unwrap_or(TEST_FILE_SIZE)
}

fn plan(
    arguments: &QuickArguments,
    kind: TargetKind,
    known_size: Option<Bytes>,
    seed: u64,
) -> Result<Plan, Exit> {
    arguments.time.map_or(Ok(()), given::check_time)?;
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
    arguments.buffers.set(&mut plan);
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
fn tests(arguments: &QuickArguments, kind: TargetKind) -> Result<Vec<QuickTest>, Exit> {
    writing::check_overwrite(&arguments.target, kind, arguments.overwrite)?;
    for test in &arguments.tests {
        if arguments.bytes.is_some() && !test.is_dd() {
            return Err(Exit::usage(text!(
                "--bytes is about direct and write; {test} takes its time, so leave one out"
            )));
        }
        if let Some(refusal) = refusal(*test, arguments, kind) {
            return Err(refusal);
        }
    }
    let asked = |test: &QuickTest| {
        if arguments.tests.is_empty() {
            (arguments.bytes.is_none() || test.is_dd()) && refusal(*test, arguments, kind).is_none()
        } else {
            arguments.tests.contains(test)
        }
    };
    Ok(QuickTest::ALL.into_iter().filter(asked).collect())
}

/// Why a part cannot be measured on a target of this kind.
fn refusal(test: QuickTest, arguments: &QuickArguments, kind: TargetKind) -> Option<Exit> {
    let name = &arguments.target;
    match kind {
        TargetKind::Simulated | TargetKind::Null if test.uses_page_cache() => {
            Some(Exit::usage(text!(
                "{name} has no page cache, so there are no {test} reads; use --test direct or write"
            )))
        }
        _ if test == QuickTest::Write => unwritten(arguments, kind).map(Exit::refused),
        _ => None,
    }
}

fn schedule(arguments: &QuickArguments) -> Result<Schedule, Exit> {
    let trim = arguments.trim;
    let unasked = PrecisionDefault::trials(1);
    let schedule = arguments
        .precision
        .schedule(arguments.runs, unasked, arguments.pause)?;
    let runs = schedule.trials;
    if trim.saturating_mul(2) >= runs && trim > 0 {
        return Err(Exit::usage(text!(
            "--trim {trim} leaves nothing of --runs {runs}; use at least --runs {}",
            trim.saturating_mul(2).saturating_add(1)
        )));
    }
    Ok(Schedule { trim, ..schedule })
}

fn notes(arguments: &QuickArguments, kind: TargetKind) -> Vec<Text> {
    let left_out = unwritten(arguments, kind).filter(|_| arguments.tests.is_empty());
    left_out.into_iter().collect()
}

/// Why a target of this kind is only read.
fn unwritten(arguments: &QuickArguments, kind: TargetKind) -> Option<Text> {
    let target = &arguments.target;
    let why = writing::refusal(target, kind, &permission(arguments))?;
    Some(match kind {
        // It has no --destroy.
        TargetKind::BlockDevice => text!(
            "{target}: sokudo quick only reads devices, because writing would destroy their data; name a directory on it, or use sokudo mark --destroy"
        ),
        _ => why,
    })
}

fn permission(arguments: &QuickArguments) -> Permission {
    Permission::new(arguments.overwrite, &[], false)
}
