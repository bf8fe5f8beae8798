//! A scan that was interrupted, taken up again where it was left.

use sokudo_measure::{Measurement, Named};
use sokudo_model::{Method, Outcome, Row, Run, RunPart, StopReason, TargetKind, Trial};
use sokudo_report::document::Kept;
use sokudo_store::{Filter, Page, RunId};
use sokudo_words::text;

use crate::cli::ScanArguments;
use crate::exit::Exit;
use crate::recall::{self, Recall};

/// Kept scans of a device that are looked through for one that was interrupted: each is read whole,
/// which takes some milliseconds.
const RUNS_LOOKED_AT: u64 = 200;

/// What is left of a scan: of the run of this name, or of the newest of the target.
pub(super) fn measurement<'a>(
    arguments: &'a ScanArguments,
    named: Named,
    name: &str,
) -> Result<Measurement<'a>, Exit> {
    let target = &*arguments.target;
    if named.kind() == TargetKind::Directory {
        return Err(Exit::usage(text!(
            "{target} is a directory, whose test file is gone after a scan; leave --resume out to scan it anew"
        )));
    }
    let (id, run) = kept(arguments, &named, name)?;
    check(&run, &named, id, target)?;
    let mut parts = run.parts;
    if let Some(last) = parts.last_mut() {
        last.kept_as = Some(id.0);
    } else if let Some(started_at) = run.started_at {
        // What an earlier version kept does not tell its end.
        parts.push(RunPart {
            started_at,
            ended_at: started_at,
            kept_as: Some(id.0),
        });
    }
    Ok(Measurement {
        schedule: arguments.stopping.of(run.schedule),
        before: run.rows.into_iter().map(unfinished).collect(),
        parts,
        command: run.command,
        ..Measurement::new(target, named, run.plan)
    })
}

/// The run that is gone on with.
fn kept(arguments: &ScanArguments, named: &Named, name: &str) -> Result<(RunId, Run), Exit> {
    let mut recall = Recall::new(&arguments.measuring.printing.keeping);
    let name = match name {
        "" => newest(&mut recall, named, &arguments.target)?,
        name => name.to_owned(),
    };
    let recalled = recall::only(&name, recall.kept(&name)?)?;
    match (recalled.id, recalled.run) {
        (Some(id), Kept::Run(run)) => Ok((id, *run)),
        _ => Err(Exit::usage(text!(
            "{name} is not kept whole, so that it cannot be gone on with; scan anew"
        ))),
    }
}

/// The number of the newest scan of a target of which something is left that no later one has done.
fn newest(recall: &mut Recall<'_>, named: &Named, target: &str) -> Result<String, Exit> {
    let filter = Filter {
        method: Some("scan".to_owned()),
        device_identity: Some(named.identity(target)),
        ..Filter::default()
    };
    let page = Page {
        skip: 0,
        count: RUNS_LOOKED_AT,
    };
    let found = recall.store()?.list(&filter, page).map_err(Exit::failed)?;
    let mut gone_on_with = Vec::new();
    for entry in found.iter().filter(|entry| entry.run.origin.is_none()) {
        let name = entry.id.to_string();
        let Kept::Run(run) = recall::only(&name, recall.kept(&name)?)?.run else {
            continue;
        };
        gone_on_with.extend(run.parts.iter().filter_map(|part| part.kept_as));
        if is_left(&run) && !writes(&run) && !gone_on_with.contains(&entry.id.0) {
            return Ok(name);
        }
    }
    Err(Exit::usage(text!(
        "no scan of {target} that was interrupted is kept; leave --resume out to begin one"
    )))
}

/// Whether there is something to go on with, and this is where.
fn check(run: &Run, named: &Named, id: RunId, target: &str) -> Result<(), Exit> {
    if !matches!(run.plan.method, Method::Scan(_)) {
        return Err(Exit::usage(text!(
            "run {id} is no scan, and only scans are gone on with; measure it anew"
        )));
    }
    if writes(run) {
        return Err(Exit::usage(text!(
            "run {id} writes, and only scans that read are gone on with; scan anew"
        )));
    }
    if run.target.identity() != named.identity(target) || run.target.size_bytes != named.size() {
        return Err(Exit::usage(text!(
            "run {id} is of {}, which is another device than {target}, or had another size; name the device that it was of",
            run.target.device_name()
        )));
    }
    if !is_left(run) {
        return Err(Exit::usage(text!(
            "run {id} came to its end, so that there is nothing to go on with; leave --resume out to scan anew"
        )));
    }
    Ok(())
}

fn writes(run: &Run) -> bool {
    let mut workloads = run.plan.stages.iter().flat_map(|stage| &stage.workloads);
    workloads.any(|workload| workload.operations.changes_data())
}

fn is_left(run: &Run) -> bool {
    run.interrupted || run.stopped_by.is_some() || run.rows.iter().any(has_rest)
}

fn has_rest(row: &Row) -> bool {
    let left = |trial: &Trial| trial.outcome.left_at.is_some();
    row.trials.is_empty() || row.trials.iter().any(left)
}

/// A row as it is gone on with: a trial that was cut off and cannot be is made anew.
fn unfinished(mut row: Row) -> Row {
    let places = row.workload.survey.map_or(u32::MAX, |survey| survey.places);
    let is_cut = |trial: &mut Trial| {
        let outcome = &trial.outcome;
        !is_whole(outcome, places) && (outcome.left_at.is_none() || outcome.places.is_empty())
    };
    row.trials.pop_if(is_cut);
    for trial in &mut row.trials {
        let outcome = &mut trial.outcome;
        if outcome.left_at.is_some() {
            // However it ended then, it goes on.
            outcome.stopped = StopReason::Ended;
        } else if is_whole(outcome, places) && outcome.stopped != StopReason::Time {
            outcome.stopped = StopReason::Bytes;
        }
    }
    row.slow = None;
    row
}

/// Whether nothing of a trial is left, also where it was stopped behind its last I/O.
fn is_whole(outcome: &Outcome, places: u32) -> bool {
    let has_all = outcome.left_at.is_none() && outcome.places.len() >= places as usize;
    match outcome.stopped {
        StopReason::Time | StopReason::Bytes => true,
        StopReason::Ended | StopReason::Cancelled => has_all,
        StopReason::Failed => false,
    }
}
