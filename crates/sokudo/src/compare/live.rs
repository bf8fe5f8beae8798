//! Two plans measured by turns: both subjects are made ready at once, and then trials of
//! both follow each other in pairs, the order within each pair drawn by lot (randomised
//! multiple interleaved trials; Abedi and Brecht 2017).
//!
//! What the machine does meanwhile then hits both alike, and between equal systems every
//! difference of a pair has either sign with probability ½ by that very lot.

use std::os::unix::fs::MetadataExt;

use sokudo_engine::Control;
use sokudo_measure::{Measurement, Prepared, SIMULATION_SEED, random_u32};
use sokudo_model::{
    Bytes, Event, Nanos, Plan, Run, Schedule, ScheduleName, Stage, StopReason, TargetKind,
};
use sokudo_report::RunDocument;
use sokudo_stats::{Random, mix64};
use sokudo_words::text;

use super::plans;
use super::rows::{self, Common, Matched, RowKey};
use crate::cli::{Asking, CompareArguments};
use crate::exit::Exit;
use crate::interrupt;
use crate::jobs;
use crate::keep::{self, KeptRuns};
use crate::measurement;
use crate::measuring::Planned;
use crate::progress::ProgressLine;
use crate::recall::{Annotations, Recalled};
use crate::run_door::JobFilePlan;
use crate::telling::Estimate;
use crate::writing;

/// What was measured by turns.
pub(super) struct Live {
    pub(super) sides: Vec<Recalled>,
    pub(super) kept: KeptRuns,
    /// Where the order and the seeds of both plans came from.
    pub(super) seed: u64,
    /// What ended it before its time, if anything did.
    pub(super) ended_by: Option<Exit>,
}

/// How the turns are taken.
struct PairSchedule<'a> {
    plans: String,
    pairs: u32,
    seed: u64,
    asking: Asking,
    control: &'a Control,
}

pub(super) fn measure(arguments: &CompareArguments) -> Result<Live, Exit> {
    let [first, second] = &arguments.sides[..] else {
        return Err(Exit::usage(text!(
            "--live measures two plans alternately, and {} are given; give two",
            arguments.sides.len()
        )));
    };
    let sources = [first, second].map(|plan| plan.clone());
    let mut plans = [
        plans::ComparedPlan::parse(&sources[0])?,
        plans::ComparedPlan::parse(&sources[1])?,
    ];
    let seed = arguments
        .seed
        .unwrap_or_else(|| match plans.iter().all(|plan| plan.is_simulated) {
            true => SIMULATION_SEED,
            false => random_u32().into(),
        });
    seed_plans(&mut plans, seed);
    let control = Control::new();
    interrupt::watch(&control)?;
    let turns = PairSchedule {
        plans: sources.join(", "),
        pairs: arguments.pairs,
        seed,
        asking: arguments.asking,
        control: &control,
    };
    let (mut runs, ended_by) = turns.of_plans(&plans)?;
    for (run, plan) in runs.iter_mut().zip(&plans) {
        run.label = plan.label().cloned();
    }
    let ended_by = ended_by.or_else(|| runs.iter().find_map(|run| measurement::verdict(run).err()));
    let sides: Vec<Recalled> = sources
        .into_iter()
        .zip(&runs)
        .map(|(source, run)| Recalled {
            source,
            id: None,
            said: Annotations::default(),
            run: RunDocument::from_run(run),
        })
        .collect();
    Ok(Live {
        kept: keep::keep(
            runs.iter().zip(sides.iter().map(|side| &side.run)),
            &arguments.keeping,
        ),
        sides,
        seed,
        ended_by,
    })
}

/// Each plan gets a seed of its own, short enough to be typed again.
fn seed_plans(plans: &mut [plans::ComparedPlan; 2], seed: u64) {
    for (number, plan) in (1..).zip(plans) {
        plan.seed(mix64(mix64(seed).wrapping_add(number)) >> 32);
    }
}

impl PairSchedule<'_> {
    fn of_plans(&self, plans: &[plans::ComparedPlan; 2]) -> Result<([Run; 2], Option<Exit>), Exit> {
        let [first, second] = plans;
        match (first.planned()?, second.planned()?) {
            (Planned::Jobs(first, _), Planned::Jobs(second, _)) => self.of_jobs(&first, &second),
            (Planned::Rows(first, _), Planned::Rows(second, _)) => self.of_rows(first, second),
            _ => Err(Exit::usage(text!(
                "jobs (run) alternate only with jobs; give run on both sides, or mark on both"
            ))),
        }
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            name: ScheduleName::Live,
            ..Schedule::in_turn(self.pairs, Nanos(0))
        }
    }

    /// Asks where both write much.
    fn ask(&self, both: &Estimate) -> Result<(), Exit> {
        writing::confirm(writing::much(&self.plans, both).as_slice(), self.asking)
    }

    /// The line that the user sees is about both.
    fn progress(&self, plans: [&Plan; 2], size: Option<Bytes>) -> ProgressLine {
        let named = ["A", "B"].iter().zip(plans).flat_map(|(letter, plan)| {
            plan.stages.iter().map(move |stage| {
                let mut stage: Stage = stage.clone();
                for workload in &mut stage.workloads {
                    workload.name = format!("{letter}: {}", workload.name);
                }
                stage
            })
        });
        let both = Plan {
            stages: named.collect(),
            ..plans[0].clone()
        };
        ProgressLine::new(
            &both,
            &self.schedule(),
            size,
            self.asking.quiet,
            self.control,
        )
    }

    /// Rows of both that belong together take turns.
    fn of_rows<'a>(
        &self,
        mut first: Measurement<'a>,
        mut second: Measurement<'a>,
    ) -> Result<([Run; 2], Option<Exit>), Exit> {
        for measurement in [&mut first, &mut second] {
            if measurement.schedule.spread_over.is_some() {
                return Err(Exit::usage(text!(
                    "--live makes its pairs one after the other; leave --spread-over out"
                )));
            }
            measurement.schedule = self.schedule();
            measurement.check_permission()?;
            if !self.asking.quiet {
                measurement::tell_left_behind(measurement);
            }
        }
        check_apart(&first, &second)?;
        let both = Estimate::of(&first).and(&Estimate::of(&second));
        self.ask(&both)?;
        let units = units(&first.plan, &second.plan);
        let mut progress = self.progress([&first.plan, &second.plan], first.size());
        let measured = self.take([first, second], &units, &mut progress);
        progress.finish();
        measured
    }

    /// Makes both ready and takes the turns. What ended them early comes back once something
    /// was measured.
    fn take(
        &self,
        both: [Measurement<'_>; 2],
        units: &[[usize; 2]],
        progress: &mut ProgressLine,
    ) -> Result<([Run; 2], Option<Exit>), Exit> {
        let [first, second] = both;
        let first = measurement::prepare(first, self.control, progress, self.asking.quiet)?;
        let second = measurement::prepare(second, self.control, progress, self.asking.quiet)?;
        let mut sides = [first, second];
        let ended_by = self.pairs(&mut sides, units, &mut |event| progress.show(&event))?;
        let runs = sides.map(|side| measurement::judged(side, self.control));
        Ok((runs, ended_by))
    }

    fn pairs(
        &self,
        sides: &mut [Prepared; 2],
        units: &[[usize; 2]],
        listener: &mut dyn FnMut(Event),
    ) -> Result<Option<Exit>, Exit> {
        let mut lot = Random::stream(self.seed, 0);
        let mut is_over = vec![false; units.len()];
        for pair in 0..self.pairs {
            for (unit, is_over) in units.iter().zip(&mut is_over) {
                for side in self.order(&mut lot) {
                    if self.control.is_cancelled() {
                        return Ok(None);
                    }
                    if *is_over {
                        continue;
                    }
                    // The line counts the rows of both.
                    let before = side * sides[0].run.rows.len();
                    let mut tell = |event: Event| listener(event.behind(before));
                    match self.measure(&mut sides[side], unit[side], pair, &mut tell) {
                        Ok(goes_on) => *is_over = !goes_on,
                        Err(error) if sides.iter().all(is_empty) => return Err(error),
                        Err(error) => return Ok(Some(error)),
                    }
                }
            }
        }
        Ok(None)
    }

    /// Which side of a pair comes first is drawn by lot.
    fn order(&self, lot: &mut Random) -> [usize; 2] {
        let first = usize::from(lot.below(2) == 1);
        [first, 1 - first]
    }

    /// Makes one trial of a row, and says whether the row goes on: not after a failure,
    /// and not where nothing was moved, for then its next trials would have the wrong
    /// partners. A trial that was cut off has none and is not kept.
    fn measure(
        &self,
        side: &mut Prepared,
        row: usize,
        pair: u32,
        listener: &mut dyn FnMut(Event),
    ) -> Result<bool, Exit> {
        listener(Event::TrialStarted { row, trial: pair });
        let trial = side.trial(row, pair, self.control, listener)?;
        listener(Event::TrialEnded { row, trial: pair });
        let outcome = &trial.outcome;
        let has_failed = outcome.stopped == StopReason::Failed;
        let is_whole = outcome.ios() > 0 && outcome.stopped != StopReason::Cancelled;
        if has_failed || is_whole {
            let measured = &mut side.run.rows[row];
            listener(Event::counted(row, &measured.workload, &trial));
            measured.trials.push(trial);
        }
        Ok(is_whole && !has_failed)
    }

    /// All jobs of one side take turns with all of the other.
    fn of_jobs(
        &self,
        first: &JobFilePlan,
        second: &JobFilePlan,
    ) -> Result<([Run; 2], Option<Exit>), Exit> {
        let [ours, theirs] = [first, second].map(|it| Estimate::of_jobs(&it.jobs(self.pairs)));
        self.ask(&ours.and(&theirs))?;
        if !self.asking.quiet {
            first.tell_notes();
            second.tell_notes();
        }
        let mut progress = self.progress([&first.planned.plan, &second.planned.plan], None);
        let measured = self.take_jobs([first, second], &mut progress);
        progress.finish();
        measured
    }

    fn take_jobs(
        &self,
        both: [&JobFilePlan; 2],
        progress: &mut ProgressLine,
    ) -> Result<([Run; 2], Option<Exit>), Exit> {
        let works = both.map(|jobs| jobs.jobs(self.pairs));
        let mut show = |event: Event| progress.show(&event);
        let mut sides = [
            works[0].prepare(self.control, &mut show)?,
            works[1].prepare(self.control, &mut show)?,
        ];
        let mut errors = [Vec::new(), Vec::new()];
        let mut lot = Random::stream(self.seed, 0);
        for pair in 0..self.pairs {
            for side in self.order(&mut lot) {
                if self.control.is_cancelled() {
                    break;
                }
                let before = side * sides[0].run.rows.len();
                let mut tell = |event: Event| show(event.behind(before));
                let more = sides[side].repeat(pair, None, self.control, &mut tell);
                errors[side].extend(more.into_iter().map(Exit::from));
            }
        }
        let [ours, theirs] = sides;
        let [our_errors, their_errors] = errors;
        let finished = [
            jobs::finish(ours, our_errors, self.control)?,
            jobs::finish(theirs, their_errors, self.control)?,
        ];
        let mut ended_by = finished.iter();
        let ended_by = ended_by.find_map(|finished| finished.end(Exit::Interrupted).err());
        let [ours, theirs] = finished;
        let runs = [both[0].by_section(ours.run), both[1].by_section(theirs.run)];
        Ok((runs, ended_by))
    }
}

fn is_empty(side: &Prepared) -> bool {
    side.run.rows.iter().all(|row| row.trials.is_empty())
}

/// Which rows of both plans take turns: those that will be compared.
fn units(first: &Plan, second: &Plan) -> Vec<[usize; 2]> {
    let [ours, theirs] = [first, second].map(|plan| {
        let stages = plan.stages.iter();
        let keys = stages.map(|stage| RowKey::planned(&stage.workloads[0]));
        keys.collect::<Vec<_>>()
    });
    let Matched { pairs, .. } = rows::matched(&ours, &theirs, Common::Nothing);
    pairs
}

/// A device that is written is claimed, so that nobody else writes it meanwhile. The
/// second plan would meet the claim of the first and blame a stranger.
fn check_apart(first: &Measurement<'_>, second: &Measurement<'_>) -> Result<(), Exit> {
    let claimed = |measurement: &Measurement<'_>| {
        let path = measurement.named.path()?;
        let is_device = measurement.named.kind() == TargetKind::BlockDevice;
        let mut workloads = measurement
            .plan
            .stages
            .iter()
            .flat_map(|stage| &stage.workloads);
        let writes = workloads.any(|workload| workload.operations.changes_data());
        let device = std::fs::metadata(path).ok()?.rdev();
        (is_device && writes).then_some(device)
    };
    match (claimed(first), claimed(second)) {
        (Some(ours), Some(theirs)) if ours == theirs => Err(Exit::usage(text!(
            "both plans write to {}, and only one plan at a time may; compare a kept result of each (--format json), or measure in a directory on it",
            second.target
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
