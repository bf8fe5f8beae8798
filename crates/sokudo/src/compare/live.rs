//! Two plans measured by turns: both subjects are made ready at once, and then trials of
//! both follow each other in pairs, the order within each pair drawn by lot (randomised
//! multiple interleaved trials; Abedi and Brecht 2017).
//!
//! What the machine does meanwhile then hits both alike, and between equal systems every
//! difference of a pair has either sign with probability ½ by that very lot.

use std::cell::RefCell;
use std::os::unix::fs::MetadataExt;

use anyhow::anyhow;
use sokudo_engine::Control;
use sokudo_model::{Bytes, Event, Nanos, Plan, Row, Run, Schedule, Stage, StopReason, TargetKind};
use sokudo_report::RunDocument;
use sokudo_stats::{Random, mix64};

use super::plans;
use super::rows::{self, Common, Key, Matched};
use crate::cache_guard::CacheGuard;
use crate::campaign;
use crate::cli::CompareArguments;
use crate::exit::Exit;
use crate::interrupt;
use crate::jobs::carry_out::{Viewer, carry_out_by};
use crate::jobs::place::Place;
use crate::jobs::stages::{Listener, empty_rows};
use crate::jobs::storage::Layouts;
use crate::keep::{self, Kept};
use crate::measurement::{self, Conduct, Measurement};
use crate::progress::Progress;
use crate::recall::{Recalled, Said};
use crate::run_door::Jobs;
use crate::subject::{Subject, random_u32};

/// Simulated devices start from this seed unless told, so that a demonstration shows the
/// same figures everywhere.
const SIMULATION_SEED: u64 = 1;

/// What was measured by turns.
pub(super) struct Live {
    pub(super) sides: Vec<Recalled>,
    pub(super) kept: Kept,
    /// Where the order and the seeds of both plans came from.
    pub(super) seed: u64,
    /// What ended it before its time, if anything did.
    pub(super) ended_by: Option<Exit>,
}

/// How the turns are taken.
struct Turns<'a> {
    pairs: u32,
    seed: u64,
    quiet: bool,
    control: &'a Control,
}

/// Measures both plans.
pub(super) fn measure(arguments: &CompareArguments) -> Result<Live, Exit> {
    let [first, second] = &arguments.sides[..] else {
        return Err(Exit::usage(anyhow!(
            "--live measures two plans by turns, and {} are named; name two",
            arguments.sides.len()
        )));
    };
    let sources = [first, second].map(|plan| plan.clone());
    let mut plans = [
        plans::Plan::parse(&sources[0])?,
        plans::Plan::parse(&sources[1])?,
    ];
    let seed =
        arguments
            .seed
            .unwrap_or_else(|| match plans.iter().all(plans::Plan::is_simulated) {
                true => SIMULATION_SEED,
                false => random_u32().into(),
            });
    seed_plans(&mut plans, seed);
    let control = Control::new();
    interrupt::watch(&control)?;
    let turns = Turns {
        pairs: arguments.pairs,
        seed,
        quiet: arguments.quiet,
        control: &control,
    };
    let (runs, ended_by) = turns.of_plans(&plans)?;
    let ended_by = ended_by.or_else(|| runs.iter().find_map(|run| measurement::verdict(run).err()));
    let sides: Vec<Recalled> = sources
        .into_iter()
        .zip(&runs)
        .map(|(source, run)| Recalled {
            source,
            id: None,
            said: Said::default(),
            run: RunDocument::from_run(run),
        })
        .collect();
    Ok(Live {
        kept: keep::keep(sides.iter().map(|side| &side.run), &arguments.keeping),
        sides,
        seed,
        ended_by,
    })
}

/// Each plan gets a seed of its own, short enough to be typed again.
fn seed_plans(plans: &mut [plans::Plan; 2], seed: u64) {
    for (number, plan) in (1..).zip(plans) {
        plan.seed(mix64(mix64(seed).wrapping_add(number)) >> 32);
    }
}

impl Turns<'_> {
    fn of_plans(&self, plans: &[plans::Plan; 2]) -> Result<([Run; 2], Option<Exit>), Exit> {
        match plans {
            [plans::Plan::Jobs(first), plans::Plan::Jobs(second)] => {
                self.of_jobs(&Jobs::read(first)?, &Jobs::read(second)?)
            }
            [first, second] => match (first.measurement()?, second.measurement()?) {
                (Some(first), Some(second)) => self.of_rows(first, second),
                _ => Err(Exit::usage(anyhow!(
                    "jobs (run) take turns only with jobs, because their rows are stages of one plan; \
                     name two job files, or mark on both sides"
                ))),
            },
        }
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            name: "live".to_owned(),
            ..Schedule::in_turn(self.pairs, Nanos(0))
        }
    }

    /// The line that the user sees is about both.
    fn progress(&self, plans: [&Plan; 2], size: Option<Bytes>) -> RefCell<Progress> {
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
        RefCell::new(Progress::new(&both, &self.schedule(), size, self.quiet))
    }

    /// Rows of both that belong together take turns.
    fn of_rows<'a>(
        &self,
        mut first: Measurement<'a>,
        mut second: Measurement<'a>,
    ) -> Result<([Run; 2], Option<Exit>), Exit> {
        for measurement in [&mut first, &mut second] {
            measurement.schedule = self.schedule();
            measurement.check_permission()?;
            if !self.quiet {
                measurement.tell_left_behind();
            }
        }
        check_apart(&first, &second)?;
        let units = units(&first.plan, &second.plan);
        let progress = self.progress([&first.plan, &second.plan], first.size());
        let mut finished = None;
        let (control, quiet) = (self.control, self.quiet);
        let begin: Conduct<'_> = Box::new(|plan, _, subject, _, _| {
            let mut ours = Taking::new(plan, subject, 0);
            let carry_on: Conduct<'_> = Box::new(|plan, _, subject, _, listener| {
                let mut theirs = Taking::new(plan, subject, ours.plan.stages.len());
                let ended_by = self.take(&mut ours, &mut theirs, &units, listener)?;
                Ok(campaign::Measured {
                    rows: theirs.rows,
                    ended_by,
                })
            });
            finished = Some(second.carry_out(control, &progress, quiet, carry_on)?);
            Ok(campaign::Measured {
                rows: ours.rows,
                ended_by: None,
            })
        });
        let carried_out = first.carry_out(control, &progress, quiet, begin);
        progress.borrow().finish();
        let (ours, _) = carried_out?;
        let (theirs, ended_by) = finished.expect("who ends without an error has measured both");
        Ok(([ours, theirs], ended_by))
    }

    /// Takes the turns. What ended them early comes back once something was measured.
    fn take(
        &self,
        ours: &mut Taking<'_>,
        theirs: &mut Taking<'_>,
        units: &[[usize; 2]],
        listener: &mut dyn FnMut(Event),
    ) -> Result<Option<Exit>, Exit> {
        let mut lot = Random::stream(self.seed, 0);
        let mut is_over = vec![false; units.len()];
        for pair in 0..self.pairs {
            for (unit, is_over) in units.iter().zip(&mut is_over) {
                let first = usize::from(lot.below(2) == 1);
                for side in [first, 1 - first] {
                    if self.control.is_cancelled() {
                        return Ok(None);
                    }
                    if *is_over {
                        continue;
                    }
                    let (row, control) = (unit[side], self.control);
                    let measured = match side {
                        0 => ours.measure(row, pair, control, listener),
                        _ => theirs.measure(row, pair, control, listener),
                    };
                    match measured {
                        Ok(goes_on) => *is_over = !goes_on,
                        Err(error) if ours.is_empty() && theirs.is_empty() => {
                            return Err(error);
                        }
                        Err(error) => return Ok(Some(error)),
                    }
                }
            }
        }
        Ok(None)
    }

    /// All jobs of one side take turns with all of the other.
    fn of_jobs(&self, first: &Jobs, second: &Jobs) -> Result<([Run; 2], Option<Exit>), Exit> {
        if !self.quiet {
            first.tell_notes();
            second.tell_notes();
        }
        let progress = self.progress([&first.planned.plan, &second.planned.plan], None);
        let rows_of_first = empty_rows(&first.planned.plan).len();
        let mut ours_seen = Seen::new(&progress, 0);
        let mut theirs_seen = Seen::new(&progress, rows_of_first);
        let (work, other_work) = (first.work(self.pairs), second.work(self.pairs));
        let mut finished = None;
        let carried_out = carry_out_by(&work, self.control, &mut ours_seen, |ours| {
            let take = |theirs: &mut dyn FnMut(u32)| {
                let mut lot = Random::stream(self.seed, 0);
                for pair in 0..self.pairs {
                    let first = usize::from(lot.below(2) == 1);
                    for side in [first, 1 - first] {
                        match side {
                            _ if self.control.is_cancelled() => return Ok(()),
                            0 => ours(pair),
                            _ => theirs(pair),
                        }
                    }
                }
                Ok(())
            };
            finished = Some(carry_out_by(
                &other_work,
                self.control,
                &mut theirs_seen,
                take,
            )?);
            Ok(())
        });
        progress.borrow().finish();
        let ours = carried_out?;
        let theirs = finished.expect("who ends without an error has measured both");
        let ended_by = [&ours, &theirs]
            .into_iter()
            .find_map(|finished| finished.end(Exit::Interrupted).err());
        Ok((
            [first.by_section(ours.run), second.by_section(theirs.run)],
            ended_by,
        ))
    }
}

/// Which rows of both plans take turns: those that will be compared.
fn units(first: &Plan, second: &Plan) -> Vec<[usize; 2]> {
    let keys = |plan: &Plan| -> Vec<Key> {
        let stages = plan.stages.iter();
        stages
            .map(|stage| Key::planned(&stage.workloads[0]))
            .collect()
    };
    let Matched { pairs, .. } = rows::matched(&keys(first), &keys(second), Common::Nothing);
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
        (Some(ours), Some(theirs)) if ours == theirs => Err(Exit::usage(anyhow!(
            "both plans write {}, which one plan at a time has for itself; keep a result of each \
             (--format json) and compare those, or measure in a directory on it",
            second.target
        ))),
        _ => Ok(()),
    }
}

/// One side that takes its turns.
struct Taking<'a> {
    plan: &'a Plan,
    subject: &'a mut Subject,
    rows: Vec<Row>,
    /// Dropped on every way out, and with it every drive's cache is as it was found.
    drive_caches: CacheGuard,
    /// The number of its first row among those of both.
    row_first: usize,
}

impl<'a> Taking<'a> {
    fn new(plan: &'a Plan, subject: &'a mut Subject, row_first: usize) -> Self {
        Self {
            rows: empty_rows(plan),
            drive_caches: CacheGuard::of(&subject.info),
            plan,
            subject,
            row_first,
        }
    }

    fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| row.trials.is_empty())
    }

    /// Makes one trial of a row, and says whether the row goes on: not after a failure,
    /// and not where nothing was moved, for then its next trials would have the wrong
    /// partners. A trial that was cut off has none and is not kept.
    fn measure(
        &mut self,
        row: usize,
        pair: u32,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<bool, Exit> {
        let told = self.row_first + row;
        listener(Event::TrialStarted {
            row: told,
            trial: pair,
        });
        let workload = &self.plan.stages[row].workloads[0];
        self.drive_caches.ensure(workload.drive_cache)?;
        let trial = campaign::trial(self.plan, row, pair, self.subject, control, listener)?;
        listener(Event::TrialEnded {
            row: told,
            trial: pair,
        });
        let outcome = &trial.outcome;
        let has_failed = outcome.stopped == StopReason::Failed;
        let is_whole = outcome.ios() > 0 && outcome.stopped != StopReason::Cancelled;
        if has_failed || is_whole {
            self.rows[row].trials.push(trial);
        }
        Ok(is_whole && !has_failed)
    }
}

/// The progress line as the jobs of one side need it.
struct Seen<'a> {
    progress: &'a RefCell<Progress>,
    row_first: usize,
}

impl<'a> Seen<'a> {
    const fn new(progress: &'a RefCell<Progress>, row_first: usize) -> Self {
        Self {
            progress,
            row_first,
        }
    }

    fn show(&self, event: &Event) {
        self.progress.borrow_mut().show(event);
    }
}

impl Layouts for Seen<'_> {
    fn begins(&mut self, _place: &Place) {}

    fn event(&mut self, event: &Event) {
        self.show(event);
    }
}

impl Listener for Seen<'_> {
    fn stage_begins(&mut self, _stage: usize, first: usize) {
        self.show(&Event::TrialStarted {
            row: self.row_first + first,
            trial: 0,
        });
    }

    fn stage_ends(&mut self) {
        self.show(&Event::TrialEnded { row: 0, trial: 0 });
    }

    fn event(&mut self, _first: usize, event: &Event) {
        if matches!(event, Event::Progress { workload: 0, .. }) {
            self.show(event);
        }
    }
}

impl Viewer for Seen<'_> {
    fn starts(&mut self, _run: &Run) {}
}

#[cfg(test)]
mod tests;
