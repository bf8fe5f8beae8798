//! Two plans measured by turns: both subjects are made ready at once, and then trials of
//! both follow each other in pairs, the order within each pair drawn by lot (randomised
//! multiple interleaved trials; Abedi and Brecht 2017).
//!
//! What the machine does meanwhile then hits both alike, and between equal systems every
//! difference of a pair has either sign with probability ½ by that very lot.

use std::os::unix::fs::MetadataExt;

use sokudo_engine::Control;
use sokudo_history::find::{Annotations, FoundRun};
use sokudo_history::keep::{self, KeptRuns};
use sokudo_measure::{
    FinishedRun, Jobs, MeasureError, Measurement, Prepared, SIMULATION_SEED, random_u32,
};
use sokudo_methods::consent;
use sokudo_methods::jobs::FinishedJobs;
use sokudo_methods::jobs::file::JobFilePlan;
use sokudo_methods::measurement::{self, Following, Watcher};
use sokudo_methods::measuring::Planned;
use sokudo_model::{
    Bytes, Event, Nanos, Plan, Run, Schedule, ScheduleName, Stage, StopReason, TargetKind,
};
use sokudo_report::RunDocument;
use sokudo_stats::{Random, mix64};
use sokudo_terminal::arguments::printing::Asking;
use sokudo_terminal::event_stream::Estimate;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{interrupt, remedies};
use sokudo_words::text;

use super::plans;
use super::rows::{self, Common, RowKey};
use crate::commands::compare::arguments::CompareArguments;

/// What was measured by turns.
pub(super) struct Live {
    pub(super) sides: Vec<FoundRun>,
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
    let sides: Vec<FoundRun> = sources
        .into_iter()
        .zip(&runs)
        .map(|(source, run)| FoundRun {
            source,
            id: None,
            annotations: Annotations::default(),
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
    fn ask(&self, [first, second]: [Estimate; 2]) -> Result<(), Exit> {
        let much = consent::much(&self.plans, &first.and(&second));
        consent::confirm(much.as_slice(), self.asking)
    }

    /// What the user sees is about both.
    fn watcher(&self, plans: [&Plan; 2], sizes: &[Bytes]) -> Watcher<'_> {
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
        let following = Following::new(self.control, self.asking.quiet);
        Watcher::new(following, &both, &self.schedule(), sizes)
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
        self.ask([&first, &second].map(Estimate::of))?;
        let mut watcher = self.watcher([&first.plan, &second.plan], &first.sizes());
        let units = units(&first.plan, &second.plan);
        let mut ready =
            |it: Measurement<'_>| watcher.prepare(|listener| it.prepare(self.control, listener));
        let sides = [ready(first)?, ready(second)?];
        let measure = |side: &mut Prepared, turn: PairTurn, listener: &mut dyn FnMut(Event)| {
            let row = units[turn.unit][turn.side];
            self.measure(side, row, turn.pair, listener)
        };
        let (runs, ended_by) = self.take(sides, &mut watcher, units.len(), measure)?;
        Ok((runs.map(remedies::worded), ended_by.map(Exit::from)))
    }

    /// Takes the turns, each of which says whether its unit goes on. What ended them early comes back
    /// once something was measured.
    fn take(
        &self,
        mut sides: [Prepared; 2],
        watcher: &mut Watcher<'_>,
        units: usize,
        mut measure: impl FnMut(
            &mut Prepared,
            PairTurn,
            &mut dyn FnMut(Event),
        ) -> Result<bool, MeasureError>,
    ) -> Result<([Run; 2], Option<MeasureError>), Exit> {
        let rows = sides[0].run.rows.len();
        let mut lot = Random::stream(self.seed, 0);
        let mut is_over = vec![false; units];
        let mut ended_by = None;
        let pairs = (0..self.pairs).flat_map(|pair| (0..units).map(move |unit| (pair, unit)));
        let turns = pairs.flat_map(|(pair, unit)| {
            let turn = move |side| PairTurn { pair, unit, side };
            order(&mut lot).map(turn)
        });
        for turn in turns {
            if self.control.is_cancelled() || ended_by.is_some() {
                break;
            }
            if is_over[turn.unit] {
                continue;
            }
            // The line counts the rows of both.
            let before = turn.side * rows;
            let mut tell = |event: Event| watcher.tell(&event.behind(before));
            match measure(&mut sides[turn.side], turn, &mut tell) {
                Ok(goes_on) => is_over[turn.unit] = !goes_on,
                Err(error) if sides.iter().all(Prepared::is_empty) => return Err(error.into()),
                Err(error) => ended_by = Some(error),
            }
        }
        Ok((sides.map(|side| side.finish(self.control)), ended_by))
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
    ) -> Result<bool, MeasureError> {
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
        let both = [first, second];
        let jobs = both.map(|it| it.jobs(self.pairs));
        self.ask(jobs.each_ref().map(Estimate::of_jobs))?;
        if !self.asking.quiet {
            both.iter().for_each(|it| it.tell_notes());
        }
        let mut watcher = self.watcher(both.map(|it| &it.planned.plan), &[]);
        let mut ready =
            |it: &Jobs<'_>| watcher.prepare(|listener| it.prepare(self.control, listener));
        let sides = [ready(&jobs[0])?, ready(&jobs[1])?];
        let mut errors = [Vec::new(), Vec::new()];
        let repeat = |side: &mut Prepared, turn: PairTurn, listener: &mut dyn FnMut(Event)| {
            errors[turn.side].extend(side.repeat(turn.pair, None, self.control, listener));
            Ok(true)
        };
        let (runs, _) = self.take(sides, &mut watcher, 1, repeat)?;
        let finished = runs.into_iter().zip(errors);
        let finished = finished.map(|(run, errors)| FinishedJobs::of(FinishedRun { run, errors }));
        let finished: Vec<FinishedJobs> = finished.collect::<Result<_, _>>()?;
        let mut ended_by = finished.iter();
        let ended_by = ended_by.find_map(|finished| finished.end(Exit::Interrupted).err());
        let runs = [0, 1].map(|side| both[side].by_section(finished[side].run.clone()));
        Ok((runs, ended_by))
    }
}

/// A trial that is due: of which pair, of which of those that take turns, and of which side.
#[derive(Clone, Copy)]
struct PairTurn {
    pair: u32,
    unit: usize,
    side: usize,
}

/// Which side of a pair comes first is drawn by lot.
fn order(lot: &mut Random) -> [usize; 2] {
    let first = usize::from(lot.below(2) == 1);
    [first, 1 - first]
}

/// Which rows of both plans take turns: those that will be compared.
fn units(first: &Plan, second: &Plan) -> Vec<[usize; 2]> {
    let [ours, theirs] = [first, second].map(|plan| {
        let stages = plan.stages.iter();
        let keys = stages.map(|stage| RowKey::planned(&stage.workloads[0]));
        keys.collect::<Vec<_>>()
    });
    let table = rows::joined(&[&ours, &theirs], Common::Nothing);
    table.pairs(1).collect()
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
