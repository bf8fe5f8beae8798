//! `sokudo load`: latency against load. First the most that the row does in a closed
//! loop, then fixed rates that are parts of it, then the highest rate that keeps a
//! latency. With `--beside` one rate alone and beside another workload instead.
//!
//! What the rates have come to is computed by `sokudo-report`; here is only decided what
//! is measured next.

pub mod arguments;

mod beside;
mod paced;
pub(crate) mod picture;
pub(crate) mod table;
pub(crate) mod view;

use arguments::Arguments;
use beside::Neighbour;
use paced::{TRIAL_TIME_MAX, at_share, paced, samples_for, time_of};
use sokudo_analysis::code::Code;
use sokudo_analysis::rule::MethodRules;
use sokudo_engine::Control;
use sokudo_measure::{
    MeasureError, MeasuredParts, Measurement, Named, Prepared, TEST_FILE_SIZE, duration,
};
use sokudo_model::{
    Event, LatencyLimit, Method, Nanos, Plan, Row, Run, Schedule, TargetKind, Workload,
};
use sokudo_report::view::showing_of;
use sokudo_terminal::exit::Exit;
use sokudo_tools::crystaldiskmark::RowSpec;
use sokudo_words::{Text, text};

use crate::declared::{Declared, PageForm};
use crate::measurement;
use crate::measuring::{Measuring, Planned};
use crate::rows::one_row::OneRow;

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(5, "row, limit, beside, size, linear, time, runs"),
    kinds: &[&view::METHOD, &beside::comparison::METHOD],
    views: &[&view::VIEW, &beside::view::VIEW],
    showings: &[
        showing_of::<view::LoadDocument>,
        showing_of::<beside::view::BesideDocument>,
    ],
    pictures: &[picture::LATENCY_BY_LOAD, beside::picture::LATENCIES],
    rules: &[&RULES, &beside::rules::RULES],
    #[cfg(test)]
    thresholds: Vec::new,
};

static RULES: MethodRules = MethodRules {
    looked_for,
    ..MethodRules::NONE
};

/// Rates are asked for that the device may not keep.
fn looked_for(run: &Run, _: Option<&Row>, code: Code) -> bool {
    let mut own = DECLARED.kinds.iter();
    code == Code::RateNotReached && own.any(|kind| run.plan.method.is_of(kind))
}

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

/// I/Os that tell a mean latency, in all trials of a rate together.
const SAMPLES_FOR_MEAN: f64 = 1_000.0;

/// Whoever has to wait longer is told so.
const LONG: Nanos = Nanos::from_secs(600);

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        let seed = self.shared.seed_for(&named);
        let workload = workload(self, &self.row, &named)?;
        let beside = self.beside.as_ref();
        let beside = beside.map(|row| self::workload(self, row, &named));
        let neighbour = beside
            .transpose()?
            .map(|beside| Neighbour::of(self, [workload.clone(), beside], &named))
            .transpose()?;
        let schedule = Schedule {
            latency_limit: self.limit,
            ..self.shared.ending(Schedule::in_turn(self.runs, Nanos(0)))
        };
        let plan = match &neighbour {
            None => Plan::in_turn(Method::new(&view::METHOD), seed, expected(&workload, self)),
            Some(neighbour) => neighbour.plan(seed),
        };
        let notes = duration_note(&plan, &schedule, &named);
        let measurement = Measurement {
            schedule,
            test_file_size: self.size.unwrap_or(TEST_FILE_SIZE),
            notes: notes.into_iter().collect(),
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        let conduct =
            move |prepared: &mut Prepared, control: &Control, listener: &mut dyn FnMut(Event)| {
                let parts = MeasuredParts::new(prepared, control, listener);
                match neighbour {
                    Some(neighbour) => neighbour.carry_out(parts),
                    None => Climb {
                        row: parts.of_all(&workload),
                        arguments: self,
                        parts,
                    }
                    .carry_out(),
                }
            };
        Ok(Planned::Rows(measurement, Some(Box::new(conduct))))
    }
}

/// That it takes long, where it does.
fn duration_note(plan: &Plan, schedule: &Schedule, named: &Named) -> Option<Text> {
    let longest = duration(plan, schedule, &[]);
    (longest > LONG && named.kind() != TargetKind::Simulated).then(|| {
        text!(
            "{} rates of {} trials take about {:.0} minutes",
            plan.stages.len() - 1,
            schedule.trials,
            longest.as_secs_f64() / 60.0
        )
    })
}

/// A row in a closed loop.
fn workload(arguments: &Arguments, row: &RowSpec, named: &Named) -> Result<Workload, Exit> {
    let row = OneRow {
        command: "load",
        target: &arguments.target,
        row,
        size: arguments.size,
        time: arguments.time,
        shared: &arguments.shared,
    };
    row.workload(named)
}

/// What will be measured, as far as that is known before the first figure: for the
/// progress line and the estimate.
fn expected(row: &Workload, arguments: &Arguments) -> Vec<Workload> {
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

/// A load that is raised.
struct Climb<'a> {
    row: Workload,
    arguments: &'a Arguments,
    parts: MeasuredParts<'a>,
}

impl Climb<'_> {
    fn carry_out(mut self) -> Result<Option<MeasureError>, MeasureError> {
        if self.parts.measure(vec![self.row.clone()])?
            && let Some(most) = self.parts.rows.first().and_then(Row::ios_per_second)
        {
            let steps = SHARES_PERMILLE.map(|share| self.step(most, f64::from(share) / 1e3));
            if self.parts.measure(steps.into())?
                && let Some(limit) = self.arguments.limit
            {
                self.search(limit, most)?;
            }
        }
        Ok(self.parts.put_into_run())
    }

    /// Halves the gap between the highest rate that is within the limit and the lowest
    /// that is beyond, as their medians say.
    fn search(&mut self, limit: LatencyLimit, most: f64) -> Result<(), MeasureError> {
        let mut within = 0.0;
        let mut beyond = None;
        for row in &self.parts.rows[1..] {
            let share = view::requested_iops(&row.workload).unwrap_or_default() / most;
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
            if !self.parts.measure(vec![step])? {
                break;
            }
            let row = self.parts.rows.last();
            match row.and_then(|row| limit.standing(&row.workload, &row.trials)) {
                Some(standing) if standing.is_within() => within = share,
                Some(_) => beyond = share,
                None => break,
            }
        }
        Ok(())
    }

    /// The row at a part of the most.
    fn step(&self, most: f64, share: f64) -> Workload {
        let mut step = paced(&self.row, most, share, self.arguments.linear);
        let mean = SAMPLES_FOR_MEAN / f64::from(self.parts.trials());
        let samples = self
            .arguments
            .limit
            .map_or(mean, |limit| samples_for(limit.percentile).max(mean));
        let needed = time_of(samples, most * share).min(TRIAL_TIME_MAX);
        step.limits.time = Some(self.arguments.time.max(needed));
        step
    }
}
