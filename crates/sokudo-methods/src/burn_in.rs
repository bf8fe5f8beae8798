//! `sokudo burn-in`: disks written, read back, scanned and tested before they are trusted.
//!
//! It destroys nothing without consent, and says what it will write before it begins.

pub mod arguments;
#[cfg(test)]
mod killed;
pub mod plan;
pub(crate) mod rules;
pub(crate) mod table;

use arguments::Arguments;
use plan::{BurnInRequest, DiskToBurnIn};
use sokudo_device::{System, booted_at};
use sokudo_history::resume::{LeftRun, Resumable};
use sokudo_measure::{Measurement, Named, OtherTarget, Prepared, since_epoch};
use sokudo_model::{
    BurnIn, BurnInTests, Bytes, Nanos, Plan, Row, Schedule, SelfTestResult, Stage, TargetKind,
    Workload, narrow,
};
use sokudo_page::TargetForm;
use sokudo_report::assessment_table;
use sokudo_terminal::exit::Exit;
use sokudo_words::text;

use crate::burn_in::table::{BurnInDiskEstimate, BurnInEstimate};
use crate::declared::{Declared, PageForm};
use crate::measurement::{self, FinishedMeasurement};
use crate::measuring::{Measuring, Planned};
use crate::rows::several as rows;
use crate::{argument_checks, consent, several};

pub(crate) const DECLARED: Declared = Declared {
    form: Some(PageForm {
        rank: 10,
        target: TargetForm::Needed,
        options: "passes, self-test",
    }),
    kinds: &[&plan::METHOD],
    showings: &[table::showing],
    rules: &[&rules::RULES],
    ..Declared::NONE
};

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let (measurement, _) = planned(self)?;
        Ok(Planned::Rows(
            measurement,
            Some(Box::new(Prepared::burn_in)),
        ))
    }

    /// Asks, measures and prints, or says what it would take.
    fn run(&self) -> Result<(), Exit> {
        let (measurement, estimate) = self.shared.notified(planned(self))?;
        // Where all is written that was to be, nothing is left to ask for.
        let is_requested = !estimate.is_virtual && estimate.passes > 0;
        let lines = if is_requested || self.shared.printing.dry_run {
            estimate.lines()
        } else {
            Vec::new()
        };
        let planned = Planned::Rows(measurement, Some(Box::new(Prepared::burn_in)));
        self.print(planned, Some(lines))
    }

    fn conclude(&self, finished: FinishedMeasurement) -> Result<(), Exit> {
        finished.conclude_judged(&self.shared, |document| {
            let disks = assessment_table::judged_disks(document);
            let answers = disks.iter().map(|disk| disk.assessment.answer);
            several::verdict(&answers.collect::<Vec<_>>())
        })
    }
}

/// What is left to be done, and what that takes.
fn planned(arguments: &Arguments) -> Result<(Measurement<'_>, BurnInEstimate), Exit> {
    let disks = Disks::recognise(arguments)?;
    disks.all().try_for_each(|(name, named)| {
        consent::check_written(name, named.kind(), &arguments.shared)
    })?;
    let is_virtual = disks.are_simulated();
    let measurement = match &arguments.resume {
        Some(run) => resumed(arguments, disks, run)?,
        None => begun(arguments, disks)?,
    };
    let estimate = estimate(&measurement, is_virtual)?;
    Ok((measurement, estimate))
}

/// The disks that are named.
struct Disks<'a> {
    target: &'a str,
    named: Named,
    others: Vec<OtherTarget>,
}

impl<'a> Disks<'a> {
    fn recognise(arguments: &'a Arguments) -> Result<Self, Exit> {
        let disks = Self {
            target: &arguments.target,
            named: Named::recognise(&arguments.target)?,
            others: several::recognise(&arguments.others)?,
        };
        disks
            .all()
            .try_for_each(|(name, named)| check_kind(name, named))?;
        Ok(disks)
    }

    fn all(&self) -> impl Iterator<Item = (&str, &Named)> {
        let others = self.others.iter().map(|it| (it.name.as_str(), &it.named));
        std::iter::once((self.target, &self.named)).chain(others)
    }

    fn are_simulated(&self) -> bool {
        self.all()
            .all(|(_, named)| named.kind() == TargetKind::Simulated)
    }
}

/// Refuses what is no disk.
fn check_kind(name: &str, named: &Named) -> Result<(), Exit> {
    match named.kind() {
        TargetKind::Directory => Err(Exit::usage(text!(
            "{name} is a directory, and a burn-in writes every block of a disk; name the disk, or fill the file system (sokudo fill {name})"
        ))),
        TargetKind::Null | TargetKind::Imported => Err(Exit::usage(text!(
            "{name} holds nothing, so that nothing can be read back; name a disk, or sim:MODEL"
        ))),
        _ => size(name, named).map(|_| ()),
    }
}

fn size(name: &str, named: &Named) -> Result<Bytes, Exit> {
    match named.size() {
        Some(size) if size >= DiskToBurnIn::SIZE_MIN => Ok(size),
        Some(size) => Err(Exit::usage(text!(
            "{name} has {size}, which is less than a block of {}; insert a medium, or name another target",
            DiskToBurnIn::SIZE_MIN
        ))),
        None => Err(Exit::failed(text!(
            "the size of {name} is unknown; check whether the device answers (dmesg)"
        ))),
    }
}

/// A burn-in from the beginning.
fn begun<'a>(arguments: &'a Arguments, disks: Disks<'a>) -> Result<Measurement<'a>, Exit> {
    let seed = arguments.shared.seed_for(&disks.named);
    let mut plan = plan(arguments, &disks, seed)?;
    arguments.shared.set(&mut plan);
    let schedule = Schedule::in_turn(1, Nanos(0));
    Ok(Measurement {
        others: disks.others,
        schedule: arguments.shared.ending(schedule),
        burn_in: Some(Box::new(BurnIn {
            tests: arguments.self_test,
            ..BurnIn::default()
        })),
        ..measurement::new(&arguments.shared, disks.target, disks.named, plan)
    })
}

/// What is left of a burn-in that was interrupted. Blocks are sealed as they were then.
fn resumed<'a>(
    arguments: &'a Arguments,
    disks: Disks<'a>,
    name: &str,
) -> Result<Measurement<'a>, Exit> {
    let names = arguments.others.iter().map(String::as_str);
    let others = names.zip(disks.others.into_iter().map(|it| it.named));
    let targets = std::iter::once((disks.target, disks.named)).chain(others);
    let targets = targets.collect();
    let resumable = Resumable {
        method: "burn-in",
        refusal: |_, _| None,
    };
    let keeping = &arguments.shared.printing.keeping;
    let mut left = LeftRun::find(resumable, targets, name, keeping)?;
    left.run.schedule = arguments.shared.ending(left.run.schedule);
    let ended_at = left.run.parts.last().map(|part| part.ended_at);
    let mut notes = Vec::new();
    let is_repeated = arguments.passes != 1
        || arguments.self_test != BurnInTests::Both
        || !arguments.shared.has_default_io()
        || arguments.shared.seed.is_some();
    if is_repeated {
        notes.push(
            "passes, self-tests, engine, direct I/O and seed are those of the run that is resumed, whatever is given now"
                .into(),
        );
    }
    if is_restarted_since(ended_at) && forget_what_is_not_durable(&mut left.run.rows) {
        notes.push(text!(
            "the machine has restarted since, and data that was not yet durable is lost: what was being written is written again"
        ));
    }
    let mut burn_in = left.run.burn_in.take().unwrap_or_default();
    // One that was cut off is made again.
    burn_in
        .self_tests
        .retain(|test| test.result != SelfTestResult::Aborted);
    Ok(Measurement {
        permission: arguments.shared.permission(),
        burn_in: Some(burn_in),
        notes,
        ..left.measurement()
    })
}

/// Whether the machine was started after a moment, as after a loss of power; also where neither is
/// known.
fn is_restarted_since(moment: Option<Nanos>) -> bool {
    match (booted_at(&System::host()), moment) {
        (Some(booted_at), Some(moment)) => booted_at > moment,
        _ => true,
    }
}

/// Takes away what was being written. Drives hold what they were given in memory for a while, and
/// lose that without power: it would be found as lost writes. Whether there was anything.
fn forget_what_is_not_durable(rows: &mut [Row]) -> bool {
    let is_half_written = |row: &&mut Row| {
        row.workload.operations.changes_data()
            && row.trials.iter().any(|it| it.outcome.left_at.is_some())
    };
    let half_written = rows.iter_mut().filter(is_half_written);
    let forgotten = half_written.map(|row| row.trials.clear());
    forgotten.count() > 0
}

fn plan(arguments: &Arguments, disks: &Disks<'_>, seed: u64) -> Result<Plan, Exit> {
    let names: Vec<&str> = disks.all().map(|(name, _)| name).collect();
    let labelled = disks.all().zip(rows::labels(&names));
    let of_disk = |((name, named), label)| {
        Ok(DiskToBurnIn {
            label,
            size: size(name, named)?,
            block_min: argument_checks::block_min(named, name)?,
        })
    };
    let request = BurnInRequest {
        disks: labelled.map(of_disk).collect::<Result<_, Exit>>()?,
        passes: arguments.passes,
        // Simulated results depend on nothing but the command.
        seal: match disks.are_simulated() {
            true => seed,
            false => seed ^ since_epoch().0,
        },
    };
    Ok(request.plan(seed))
}

/// How often disks are still written, a pass that was begun included.
fn passes_left(measurement: &Measurement<'_>) -> u32 {
    let mut made = measurement.before.iter();
    let is_left = |stage: &&Stage| {
        let made: Vec<Option<&Row>> = stage.workloads.iter().map(|_| made.next()).collect();
        let is_whole = |row: &Row| {
            let mut outcomes = row.trials.iter().map(|trial| &trial.outcome);
            outcomes.any(|outcome| outcome.left_at.is_none())
        };
        let writes = |it: &Workload| it.operations.changes_data();
        stage.workloads.iter().any(writes) && !made.iter().all(|row| row.is_some_and(is_whole))
    };
    narrow(measurement.plan.stages.iter().filter(is_left).count())
}

/// Time and bytes written that the burn-in needs, per disk.
fn estimate(measurement: &Measurement<'_>, is_virtual: bool) -> Result<BurnInEstimate, Exit> {
    let of_disk = |(name, named): (&str, &Named)| {
        let assumed = argument_checks::assumed(named);
        Ok(BurnInDiskEstimate {
            name: consent::identified(name, named),
            size: size(name, named)?,
            assumed_bytes_per_s: assumed.bytes_per_s,
            assumed_of: assumed.source,
            wears: assumed.wears,
        })
    };
    Ok(BurnInEstimate {
        disks: measurement
            .targets()
            .map(of_disk)
            .collect::<Result<_, Exit>>()?,
        passes: passes_left(measurement),
        is_virtual,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        BackendKind, Operation, OperationMix, Outcome, StopReason, SurveyPosition, Trial,
    };

    #[test]
    fn after_a_loss_of_power_only_what_was_being_written_begins_anew() {
        let row = |operation, left_at: Option<SurveyPosition>| {
            let mut workload = Workload::new("w", Bytes::mib(1));
            workload.operations = OperationMix::only(operation);
            let mut row = Row::new(workload);
            let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Ended);
            outcome.left_at = left_at;
            row.trials.push(Trial::new(outcome));
            row
        };
        let left_at = Some(SurveyPosition {
            index: 1,
            offset: Bytes::mib(4),
        });
        let mut rows = [
            row(Operation::Write, None),
            row(Operation::Write, left_at),
            row(Operation::Read, left_at),
        ];
        assert!(forget_what_is_not_durable(&mut rows));
        let made = rows.each_ref().map(|row| row.trials.len());
        assert_eq!(made, [1, 0, 1]);
        assert!(!forget_what_is_not_durable(&mut rows));
        assert!(is_restarted_since(None) && is_restarted_since(Some(Nanos(1))));
        assert!(!is_restarted_since(Some(since_epoch())));
    }
}
