//! A run that was interrupted, taken up again where it was left: found among those that are kept,
//! held against the targets that are named, and made a measurement of what is left of it.
//!
//! What may be gone on with is said by the command; nothing here allows to write.

use sokudo_measure::{Measurement, Named, OtherTarget};
use sokudo_model::{Outcome, Row, Run, RunPart, StopReason, TargetInfo, TargetKind, Trial};
use sokudo_store::{Filter, Page, RunId};
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

use crate::find::{self, Recall};

/// Kept runs that are looked through for one that was interrupted: each is read whole, which takes
/// some milliseconds.
const RUNS_LOOKED_AT: u64 = 200;

/// Which runs a command goes on with.
#[derive(Clone, Copy)]
pub struct Resumable {
    /// The name of its method in the store, which is that of the command.
    pub method: &'static str,
    /// Why it does not go on with a run of its method; `None` where it does.
    pub refusal: fn(&Run, RunId) -> Option<Text>,
}

/// A run of which something is left.
pub struct LeftRun<'a> {
    id: RunId,
    pub run: Run,
    /// Its targets, in its order, as they are called now.
    targets: Vec<(&'a str, Named)>,
}

impl<'a> LeftRun<'a> {
    /// The run of this name, or without one the newest of these targets.
    pub fn find(
        resumable: Resumable,
        targets: Vec<(&'a str, Named)>,
        name: &str,
        keeping: &Keeping,
    ) -> Result<Self, Exit> {
        let is_directory = |(_, named): &&(&str, Named)| named.kind() == TargetKind::Directory;
        if let Some((target, _)) = targets.iter().find(is_directory) {
            return Err(Exit::usage(text!(
                "{target} is a directory, whose test file is gone after a run; leave --resume out to measure it again"
            )));
        }
        let mut recall = Recall::new(keeping);
        let name = match name {
            "" => newest(resumable, &mut recall, &targets)?,
            name => name.to_owned(),
        };
        let recalled = find::only(&name, recall.runs(&name)?)?;
        let run = recalled.run.run;
        let Some(id) = recalled.id else {
            return Err(Exit::usage(text!(
                "{name} is not in the store, so it cannot be resumed; keep it with sokudo import"
            )));
        };
        check(&run, resumable, id)?;
        Ok(Self {
            targets: in_order(&run, id, targets)?,
            run,
            id,
        })
    }

    /// What is left to be measured.
    pub fn measurement(self) -> Measurement<'a> {
        let Self { id, run, targets } = self;
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
        let mut targets = targets.into_iter();
        let (target, named) = targets.next().expect("a run has a target");
        let others = targets.map(|(name, named)| OtherTarget {
            name: name.to_owned(),
            named,
        });
        Measurement {
            schedule: run.schedule,
            before: run.rows.into_iter().map(unfinished).collect(),
            parts,
            command: run.command,
            others: others.collect(),
            ..Measurement::new(target, named, run.plan)
        }
    }
}

/// The number of the newest run of these targets of which something is left that no later one has
/// done.
fn newest(
    resumable: Resumable,
    recall: &mut Recall<'_>,
    targets: &[(&str, Named)],
) -> Result<String, Exit> {
    let filter = Filter {
        method: Some(resumable.method.to_owned()),
        // What several are known by together is nothing to look for.
        device_identity: match targets {
            [(name, named)] => Some(named.identity(name)),
            _ => None,
        },
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
        let run = find::only(&name, recall.runs(&name)?)?.run.run;
        gone_on_with.extend(run.parts.iter().filter_map(|part| part.kept_as));
        let is_it = check(&run, resumable, entry.id).is_ok()
            && named_indices(&run, targets).iter().all(Option::is_some)
            && run.all_targets().len() == targets.len();
        if is_it && !gone_on_with.contains(&entry.id.0) {
            return Ok(name);
        }
    }
    let names: Vec<&str> = targets.iter().map(|(name, _)| *name).collect();
    let names = names.join(", ");
    Err(Exit::usage(text!(
        "no {} of {names} that was interrupted is kept; leave --resume out to begin one",
        Text::name(resumable.method)
    )))
}

/// Whether there is something to go on with, and this command may.
fn check(run: &Run, resumable: Resumable, id: RunId) -> Result<(), Exit> {
    let method = resumable.method;
    if run.plan.method.command() != Some(method) {
        return Err(Exit::usage(text!(
            "run {id} was not made by sokudo {}, which resumes only its own runs; measure again",
            Text::name(method)
        )));
    }
    if let Some(refusal) = (resumable.refusal)(run, id) {
        return Err(Exit::usage(refusal));
    }
    if !is_left(run) {
        return Err(Exit::usage(text!(
            "run {id} is complete, so there is nothing to resume; leave --resume out to measure again"
        )));
    }
    Ok(())
}

/// Where each target of a run is among those that are named.
fn named_indices(run: &Run, named: &[(&str, Named)]) -> Vec<Option<usize>> {
    let mut free: Vec<usize> = (0..named.len()).collect();
    let index_of = |target: &TargetInfo| {
        let identity = target.identity();
        let is_it = |index: &usize| {
            let (name, named) = &named[*index];
            named.identity(name) == identity && named.size() == target.size_bytes
        };
        let found = free.iter().position(is_it)?;
        Some(free.remove(found))
    };
    run.all_targets().iter().map(index_of).collect()
}

/// The named targets in the order of the run's, which they are.
fn in_order<'a>(
    run: &Run,
    id: RunId,
    named: Vec<(&'a str, Named)>,
) -> Result<Vec<(&'a str, Named)>, Exit> {
    let targets = run.all_targets();
    let indices = named_indices(run, &named);
    let missing = indices.iter().position(Option::is_none);
    let missing = missing.map(|index| &targets[index]);
    let other = (0..named.len()).find(|index| !indices.contains(&Some(*index)));
    let other = other.map(|index| named[index].0);
    match (missing, other) {
        (None, None) => {}
        (Some(missing), Some(other)) => {
            return Err(Exit::usage(text!(
                "run {id} measured {}, which is another device than {other}, or had another size; name the device that it measured",
                missing.device_name()
            )));
        }
        (Some(missing), None) => {
            return Err(Exit::usage(text!(
                "run {id} also measured {}, which is not named; name every device that it measured",
                missing.identity()
            )));
        }
        (None, Some(other)) => {
            return Err(Exit::usage(text!(
                "run {id} is not of {other}; leave it out"
            )));
        }
    }
    let mut named: Vec<Option<_>> = named.into_iter().map(Some).collect();
    let indices = indices.into_iter().flatten();
    Ok(indices.filter_map(|index| named[index].take()).collect())
}

fn is_left(run: &Run) -> bool {
    let burn_in = run.burn_in.as_deref();
    let is_whole = burn_in.is_none_or(|it| it.disks.iter().all(|disk| disk.is_whole));
    run.interrupted || run.stopped_by.is_some() || !is_whole || run.rows.iter().any(has_rest)
}

fn has_rest(row: &Row) -> bool {
    let left = |trial: &Trial| trial.outcome.left_at.is_some();
    row.trials.is_empty() || row.trials.iter().any(left)
}

/// A row as it is gone on with: a trial that was cut off and cannot be is made anew.
pub fn unfinished(mut row: Row) -> Row {
    let sample_count = row
        .workload
        .survey()
        .map_or(u32::MAX, |survey| survey.sample_count);
    let is_cut = |trial: &mut Trial| {
        let outcome = &trial.outcome;
        !is_whole(outcome, sample_count)
            && (outcome.left_at.is_none() || outcome.samples.is_empty())
    };
    row.trials.pop_if(is_cut);
    for trial in &mut row.trials {
        let outcome = &mut trial.outcome;
        if outcome.left_at.is_some() {
            // However it ended then, it goes on.
            outcome.stopped = StopReason::Ended;
        } else if is_whole(outcome, sample_count) && outcome.stopped != StopReason::Time {
            outcome.stopped = StopReason::Bytes;
        }
    }
    row.slow = None;
    row
}

/// Whether nothing of a trial is left, also where it was stopped behind its last I/O.
fn is_whole(outcome: &Outcome, sample_count: u32) -> bool {
    let has_all = outcome.left_at.is_none() && outcome.samples.len() >= sample_count as usize;
    match outcome.stopped {
        StopReason::Time | StopReason::Bytes => true,
        StopReason::Ended | StopReason::Cancelled => has_all,
        StopReason::Failed => false,
    }
}
