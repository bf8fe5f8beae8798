//! Measures places of a target one by one, and goes on where something cannot be read.
//!
//! What is measured is the I/O at the places: the outcome is the sum over them, and the
//! time between them is nobody's. Reads on the way to a place, before writing back, and
//! those that find out where a failing range begins and ends are counted apart
//! (`read_aside`).
//!
//! A survey refuses what cannot be told apart per place: several clones, rates, mixes.

mod check;
mod defects;
mod failing;
mod feed;
mod narrow;
mod real;
mod rewrite;
mod route;
mod simulated;
mod surveyor;

use sokudo_model::{BackendUse, Bytes, Operation, Outcome, Stage, Survey, Workload, narrow};
use sokudo_sys::Action;

use crate::outcome::{Circumstances, outcome};
use crate::worker::Finished;
use surveyor::Surveyed;

pub use check::SurveyError;
pub(crate) use check::check_survey;
pub(crate) use real::run;
pub(crate) use simulated::run as run_simulated;

/// The survey of a stage, if it is one. It has been checked to be alone then.
pub(crate) fn survey_of(stage: &Stage) -> Option<(&Workload, Survey)> {
    match &stage.workloads[..] {
        [workload] => workload.survey.map(|survey| (workload, survey)),
        _ => None,
    }
}

/// Buffers for a survey: what is in flight, or what is held to be written back, and one
/// for reads that are not measured.
fn chunks(workload: &Workload, survey: &Survey, depth: u32) -> u32 {
    let block = workload.blocks.largest().0.max(1);
    let pool = if survey.write_back {
        narrow(rewrite::PORTION_BYTES_MAX / block)
    } else {
        crate::chunks::chunks_for(workload, depth)
    };
    pool.max(depth).saturating_add(1)
}

/// The size of each of them.
fn chunk_bytes(workload: &Workload, survey: &Survey, logical_bytes: u64) -> u64 {
    let approach = survey.approach.map_or(0, |bytes| bytes.0);
    let largest = workload.blocks.largest().0.max(approach);
    largest.next_multiple_of(logical_bytes)
}

fn write_action(workload: &Workload) -> Action {
    let durability = &workload.durability;
    match (durability.write_through, durability.with_metadata) {
        (false, _) => Action::Write,
        (true, false) => Action::WriteThrough,
        (true, true) => Action::WriteThroughWithMetadata,
    }
}

/// What the stage ends with.
fn outcome_of(surveyed: Surveyed, mut circumstances: Circumstances) -> Outcome {
    let (defects, note) = surveyed.defects.finish();
    circumstances.cpu = surveyed.used.map(|(cpu, _)| cpu);
    circumstances.usage = surveyed.used.map(|(_, usage)| usage);
    let notes = surveyed.notes.into_iter().chain(note);
    circumstances.backend.notes.extend(notes);
    let finished = Finished {
        tally: surveyed.tally,
        recorded: crate::record::Recorded::default(),
        verified: None,
        stopped: surveyed.stopped,
    };
    Outcome {
        places: surveyed.places,
        defects,
        read_aside: Bytes(surveyed.read_aside),
        ..outcome(finished, circumstances)
    }
}

fn circumstances(stage_started_at: u64, backend: BackendUse, direct: bool) -> Circumstances {
    Circumstances {
        stage_started_at,
        cpu: None,
        usage: None,
        backend,
        direct,
    }
}

/// Whether a workload of a survey writes otherwise than back.
fn writes_new(workload: &Workload, survey: &Survey) -> bool {
    workload.operations.percent(Operation::Write) > 0 && !survey.write_back
}
