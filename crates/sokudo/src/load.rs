//! `sokudo load`: latency against load. First the most that the row does in a closed
//! loop, then fixed rates that are parts of it, then the highest rate that keeps a
//! latency.
//!
//! What the rates have come to is computed by `sokudo-report`; here is only decided what
//! is measured next.

use sokudo_dialect::crystal::{self, RowDirection, RowSpec};
use sokudo_engine::Control;
use sokudo_measure::{
    MeasureError, MeasuredRows, Measurement, Named, Prepared, TEST_FILE_SIZE, duration,
};
use sokudo_model::{
    Event, LatencyLimit, Method, Nanos, Plan, Rate, RateProcess, Row, Schedule, Span, StopReason,
    TargetKind, Trial, Workload,
};
use sokudo_stats::{Summary, mix64, samples_needed};
use sokudo_words::text;

use crate::cli::LoadArguments;
use crate::exit::Exit;
use crate::measurement::{self, Conduct};
use crate::{given, writing};

/// Parts of the closed loop's rate, in thousandths. Two are the whole and more, to show
/// what an overload is.
const SHARES_PERMILLE: [u32; 12] = [
    100, 200, 300, 400, 500, 600, 700, 800, 900, 950, 1_000, 1_050,
];

/// The rate that keeps a latency is looked for until it is known to this part of the most.
const RESOLUTION: f64 = 0.02;

/// Rates that are tried for that at most: the widest gap between parts is a tenth, which
/// three halvings bring below the resolution.
const SEARCHED_MAX: usize = 4;

/// No trial is made longer than this for the sake of its percentile.
const TRIAL_TIME_MAX: Nanos = Nanos::from_secs(20);

/// I/Os more than a percentile needs, since arrivals by chance may be fewer.
const SAMPLES_RESERVE: f64 = 1.2;

/// I/Os that tell a mean latency, in all trials of a rate together.
const SAMPLES_FOR_MEAN: f64 = 1_000.0;

/// Whoever has to wait longer is told so.
const LONG: Nanos = Nanos::from_secs(600);

pub(crate) fn run(arguments: &LoadArguments) -> Result<(), Exit> {
    let (measurement, conduct) = measurement(arguments)?;
    measurement::run_and_print_by(measurement, &arguments.printing, conduct)
}

/// What the arguments ask for, and how it is carried out.
pub(crate) fn measurement(
    arguments: &LoadArguments,
) -> Result<(Measurement<'_>, impl Conduct), Exit> {
    let named = Named::recognise(&arguments.target)?;
    let seed = arguments.seed.unwrap_or_else(|| named.default_seed());
    let workload = workload(arguments, &named)?;
    let schedule = Schedule {
        latency_limit: arguments.limit,
        ..Schedule::in_turn(arguments.runs, Nanos(0))
    };
    let plan = Plan {
        method: Method::Load,
        seed,
        stages: crystal::stages(expected(&workload, arguments)),
    };
    let longest = duration(&plan, &schedule, None);
    let mut notes = Vec::new();
    if longest > LONG && named.kind() != TargetKind::Simulated {
        notes.push(text!(
            "{} rates of {} trials take about {:.0} minutes",
            plan.stages.len() - 1,
            schedule.trials,
            longest.as_secs_f64() / 60.0
        ));
    }
    let measurement = Measurement {
        schedule,
        test_file_size: arguments.size.unwrap_or(TEST_FILE_SIZE),
        permission: arguments.destroying.permission(arguments.overwrite),
        notes,
        command: measurement::command(arguments.seed, seed),
        ..Measurement::new(&arguments.target, named, plan)
    };
    let conduct =
        move |prepared: &mut Prepared, control: &Control, listener: &mut dyn FnMut(Event)| {
            let climb = Climb {
                row: workload,
                arguments,
                prepared,
                control,
                listener,
                rows: Vec::new(),
                ended_by: None,
            };
            climb.carry_out()
        };
    Ok((measurement, conduct))
}

/// The row in a closed loop; refused where it would write what it may not.
fn workload(arguments: &LoadArguments, named: &Named) -> Result<Workload, Exit> {
    let name = &arguments.target;
    let RowSpec { directions, .. } = &arguments.row;
    let direction = match directions[..] {
        [] => RowDirection::Read,
        [only] => only,
        _ => {
            return Err(Exit::usage(text!(
                "row {} names two directions, and sokudo load measures one; name read or write",
                arguments.row
            )));
        }
    };
    let mut workload = arguments.row.workload(direction);
    writing::check_overwrite(name, named.kind(), arguments.overwrite)?;
    let permission = arguments.destroying.permission(arguments.overwrite);
    if workload.operations.changes_data()
        && let Some(refusal) = writing::refusal(name, named.kind(), &permission)
    {
        return Err(Exit::refused(refusal));
    }
    given::check_time(arguments.time)?;
    workload.limits.time = Some(arguments.time);
    arguments.buffers.set_of(&mut workload);
    set_span(&mut workload, arguments, named)?;
    Ok(workload)
}

/// How much of the target is used.
fn set_span(workload: &mut Workload, arguments: &LoadArguments, named: &Named) -> Result<(), Exit> {
    let (name, block) = (&arguments.target, workload.blocks.largest());
    let known = named.size();
    let length = arguments.size.or(known).unwrap_or(TEST_FILE_SIZE);
    given::check_size(length, known, name)?;
    let is_made = named.kind() == TargetKind::Directory;
    if length < block || is_made && !length.0.is_multiple_of(block.0) {
        return Err(Exit::usage(text!(
            "{length} of {name} is not a multiple of row {}'s block of {block}; use a multiple (--size)",
            workload.name
        )));
    }
    if known.is_some_and(|known| length < known) {
        workload.span = Some(Span {
            offset: sokudo_model::Bytes(0),
            length,
        });
    }
    Ok(())
}

/// What will be measured, as far as that is known before the first figure: for the
/// progress line and the estimate.
fn expected(row: &Workload, arguments: &LoadArguments) -> Vec<Workload> {
    let mut workloads = vec![row.clone()];
    let named = |name: String| Workload {
        name,
        ..row.clone()
    };
    workloads.extend(SHARES_PERMILLE.map(|share| named(at_share(row, f64::from(share) / 1e3))));
    if let Some(limit) = arguments.limit {
        let searching = named(format!("{} for {limit}", row.name));
        workloads.extend(std::iter::repeat_n(searching, SEARCHED_MAX));
    }
    workloads
}

fn at_share(row: &Workload, share: f64) -> String {
    format!("{} at {:.4} %", row.name, share * 100.0).replace(".0000 %", " %")
}

/// A load that is raised.
struct Climb<'a> {
    row: Workload,
    arguments: &'a LoadArguments,
    /// What has been measured is its stages, in the end.
    prepared: &'a mut Prepared,
    control: &'a Control,
    listener: &'a mut dyn FnMut(Event),
    rows: Vec<Row>,
    ended_by: Option<MeasureError>,
}

impl Climb<'_> {
    fn carry_out(mut self) -> Result<Option<MeasureError>, MeasureError> {
        if self.measure(vec![self.row.clone()])?
            && let Some(most) = self
                .rows
                .first()
                .and_then(|row| ios_per_second(&row.trials))
        {
            let steps = SHARES_PERMILLE.map(|share| self.step(most, f64::from(share) / 1e3));
            if self.measure(steps.into())?
                && let Some(limit) = self.arguments.limit
            {
                self.search(limit, most)?;
            }
        }
        let measured = self.rows.iter().map(|row| row.workload.clone());
        let run = &mut self.prepared.run;
        run.plan.stages = crystal::stages(measured.collect());
        run.rows = self.rows;
        Ok(self.ended_by)
    }

    /// Halves the gap between the highest rate that is within the limit and the lowest
    /// that is beyond, as their medians say.
    fn search(&mut self, limit: LatencyLimit, most: f64) -> Result<(), MeasureError> {
        let mut within = 0.0;
        let mut beyond = None;
        for row in &self.rows[1..] {
            let share = asked(&row.workload).unwrap_or_default() / most;
            match limit.standing(&row.workload, &row.trials) {
                Some(standing) if standing.is_within() => within = share,
                Some(_) => {
                    beyond = Some(share);
                    break;
                }
                None => return Ok(()),
            }
        }
        let Some(mut beyond) = beyond else {
            return Ok(());
        };
        for _ in 0..SEARCHED_MAX {
            if beyond - within <= RESOLUTION {
                break;
            }
            let share = f64::midpoint(within, beyond);
            let step = self.step(most, share);
            if !self.measure(vec![step])? {
                break;
            }
            let row = self.rows.last();
            match row.and_then(|row| limit.standing(&row.workload, &row.trials)) {
                Some(standing) if standing.is_within() => within = share,
                Some(_) => beyond = share,
                None => break,
            }
        }
        Ok(())
    }

    /// The row at a part of the most.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rate in whole bytes per second"
    )]
    fn step(&self, most: f64, share: f64) -> Workload {
        let mut step = self.row.clone();
        step.name = at_share(&self.row, share);
        let rate = most * share;
        // In bytes a slow disk's rate is exact, where whole I/Os would be off by some percent.
        let bytes = rate * step.blocks.largest().0 as f64 / f64::from(step.clones);
        step.rate = Some(Rate::BytesPerSecond((bytes.round() as u64).max(1)));
        if !self.arguments.linear {
            step.rates.process = RateProcess::Poisson;
        }
        let mean = SAMPLES_FOR_MEAN / f64::from(self.prepared.run.schedule.trials);
        let samples = self.arguments.limit.map_or(mean, |limit| {
            let needed = samples_needed(limit.percentile.fraction());
            (needed as f64 * SAMPLES_RESERVE).max(mean)
        });
        let needed = Nanos((samples / rate * 1e9) as u64).min(TRIAL_TIME_MAX);
        step.limits.time = Some(self.arguments.time.max(needed));
        step
    }

    /// Measures rows by turns and keeps them; false when there should be no more.
    fn measure(&mut self, workloads: Vec<Workload>) -> Result<bool, MeasureError> {
        let before = self.rows.len();
        let plan = &self.prepared.run.plan;
        let part = Plan {
            method: plan.method.clone(),
            seed: match before {
                0 => plan.seed,
                _ => mix64(plan.seed ^ before as u64),
            },
            stages: crystal::stages(workloads),
        };
        let mut listener = |event: Event| (self.listener)(event.behind(before));
        let prepared = &mut self.prepared;
        match prepared.measure_part(&part, self.control, &mut listener) {
            Ok(MeasuredRows { rows, ended_by }) => {
                self.rows.extend(rows);
                self.ended_by = ended_by;
            }
            Err(error) if before == 0 => return Err(error),
            Err(error) => self.ended_by = Some(error),
        }
        let failed = |trial: &Trial| trial.outcome.stopped == StopReason::Failed;
        let is_failed = self.rows.iter().any(|row| row.trials.iter().any(failed));
        Ok(!is_failed && self.ended_by.is_none() && !self.control.is_cancelled())
    }
}

/// The median rate of trials that moved something.
#[expect(clippy::cast_precision_loss, reason = "a rate is a float")]
fn ios_per_second(trials: &[Trial]) -> Option<f64> {
    let rates: Vec<f64> = trials
        .iter()
        .filter(|trial| trial.outcome.ios() > 0)
        .map(|trial| trial.outcome.ios() as f64 / trial.outcome.elapsed.as_secs_f64())
        .collect();
    Summary::of(&rates).map(|summary| summary.median)
}

/// I/Os per second that all threads of a row are meant to start.
fn asked(workload: &Workload) -> Option<f64> {
    let of_clone = workload.rate?.ios_per_second(workload.blocks.largest());
    Some(of_clone * f64::from(workload.clones))
}
