//! `sokudo peak`: how many threads and how deep a device must be driven until it gives no
//! more. Each load that is tried depends on those before; in the end the best, and the least
//! that comes near it, are measured again.
//!
//! What is tried next is said by `sokudo-model`, what gave no more by `sokudo-analysis`.

pub mod arguments;
pub(crate) mod picture;
pub(crate) mod rules;
pub(crate) mod table;
pub(crate) mod view;

use arguments::Arguments;
use sokudo_engine::Control;
use sokudo_measure::{MeasureError, MeasuredParts, Measurement, Named, Prepared, TEST_FILE_SIZE};
use sokudo_model::{Event, Method, Nanos, Plan, Row, Schedule, StopReason, Trial, Workload};
use sokudo_report::view::showing_of;
use sokudo_terminal::exit::Exit;
use sokudo_tools::crystaldiskmark::{RowDirection, RowSpec, THREADS_MAX};

use crate::declared::{Declared, PageForm};
use crate::measuring::{Measuring, Planned};
use crate::peak::view::{Peak, PeakLoad, PeakSearch, PeakStep};
use crate::rows::one_row::OneRow;
use crate::{argument_checks, measurement};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(10, "row, size, max-threads, max-depth, time, runs"),
    kinds: &[&view::METHOD],
    views: &[&view::VIEW],
    showings: &[showing_of::<Peak>],
    pictures: &[picture::RATE_BY_DEPTH],
    rules: &[&rules::RULES],
    #[cfg(test)]
    thresholds: rules::stated,
};

/// Threads are tried up to so many times the processors, unless told.
const THREADS_PER_PROCESSOR: u32 = 2;

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        let seed = self.shared.seed_for(&named);
        let row = OneRow {
            command: "peak",
            target: &self.target,
            row: &self.row,
            size: self.size,
            time: self.time,
            shared: &self.shared,
        };
        let workload = row.workload(&named)?;
        let search = search(self, &named, &workload);
        let trials = search.steps_max() + 2 * self.runs as usize;
        let planned = std::iter::repeat_n(workload.clone(), trials);
        let measurement = Measurement {
            // Each load once; what is measured again is a part of its own.
            schedule: Schedule::in_turn(1, Nanos(0)),
            test_file_size: self.size.unwrap_or(TEST_FILE_SIZE),
            ..measurement::new(
                &self.shared,
                &self.target,
                named,
                Plan::in_turn(Method::new(&view::METHOD), seed, planned.collect()),
            )
        };
        let conduct =
            move |prepared: &mut Prepared, control: &Control, listener: &mut dyn FnMut(Event)| {
                let ascent = Ascent {
                    row: workload,
                    spec: &self.row,
                    search,
                    runs: self.runs,
                    parts: MeasuredParts::new(prepared, control, listener),
                };
                ascent.carry_out()
            };
        Ok(Planned::Rows(measurement, Some(Box::new(conduct))))
    }
}

/// The bounds of the search.
fn search(arguments: &Arguments, named: &Named, workload: &Workload) -> PeakSearch {
    let cpus = sokudo_device::environment(&sokudo_device::System::host()).cpus;
    let twice = cpus.saturating_mul(THREADS_PER_PROCESSOR).min(THREADS_MAX);
    let block = workload.blocks.largest().0.max(1);
    PeakSearch {
        start: PeakLoad {
            threads: arguments.row.threads,
            depth: arguments.row.depth,
        },
        cpus,
        threads_max: arguments.max_threads.unwrap_or(twice),
        depth_max: arguments.max_depth,
        in_flight_max: argument_checks::buffer_bytes_max(named)
            .map_or(u64::MAX, |most| most.0 / block),
    }
}

/// A search for the peak.
struct Ascent<'a> {
    row: Workload,
    spec: &'a RowSpec,
    search: PeakSearch,
    runs: u32,
    parts: MeasuredParts<'a>,
}

impl Ascent<'_> {
    fn carry_out(mut self) -> Result<Option<MeasureError>, MeasureError> {
        let mut steps = Vec::new();
        while let Some(load) = self.search.next(&steps) {
            let step = self.step(load);
            self.name(self.parts.rows.len(), &step);
            let goes_on = self.parts.measure(vec![step])?;
            let rate = self.parts.rows.last().and_then(Row::ios_per_second);
            let Some(ios_per_s) = rate.filter(|_| goes_on) else {
                return Ok(self.parts.put_into_run());
            };
            steps.push(PeakStep { load, ios_per_s });
        }
        self.confirm()?;
        Ok(self.parts.put_into_run())
    }

    /// The row at a load of this process.
    fn step(&self, load: PeakLoad) -> Workload {
        let PeakLoad { threads, depth } = load;
        let spec = RowSpec {
            threads,
            depth,
            ..self.spec.clone()
        };
        // Threads of a sequential row share one position.
        let of_load = spec.workload(RowDirection::Read);
        self.parts.of_all(&Workload {
            name: of_load.name,
            order: of_load.order,
            depth,
            threads,
            ..self.row.clone()
        })
    }

    /// Measures the best load and one that comes near it with less again, by turns. The trial by
    /// which each was chosen does not count any more: the best of many is the luckiest, too.
    fn confirm(&mut self) -> Result<(), MeasureError> {
        let Some(peak) = Peak::of_rows(&self.parts.rows) else {
            return Ok(());
        };
        let chosen = peak.to_confirm().into_iter();
        let chosen: Vec<usize> = chosen.map(|step| peak.steps[step].result).collect();
        let steps = self.search.steps_max();
        self.leave_out(self.parts.rows.len(), steps);
        let mut again: Vec<Vec<Trial>> = vec![Vec::new(); chosen.len()];
        for round in 0..self.runs as usize {
            let before = steps + round * chosen.len();
            let workload = |row: &usize| self.parts.rows[*row].workload.clone();
            let workloads: Vec<Workload> = chosen.iter().map(workload).collect();
            for (number, workload) in (before..).zip(&workloads) {
                self.name(number, workload);
            }
            let rows = self.parts.measure_behind(workloads, before)?;
            for (trials, row) in again.iter_mut().zip(rows) {
                trials.extend(row.trials);
            }
            let failed = |trial: &Trial| trial.outcome.stopped == StopReason::Failed;
            if !self.parts.goes_on() || again.iter().flatten().any(failed) {
                break;
            }
        }
        for (row, trials) in chosen.into_iter().zip(again) {
            // One that was cut off at its first trial stands as it was found.
            if trials.len() > 1 {
                self.parts.rows[row].trials = trials;
            }
        }
        Ok(())
    }

    /// Tells what a row of the plan turned out to be.
    fn name(&mut self, row: usize, workload: &Workload) {
        self.parts.tell(Event::RowNamed {
            row,
            name: workload.name.clone(),
        });
    }

    /// Tells that rows of the plan are not measured.
    fn leave_out(&mut self, from: usize, to: usize) {
        for row in from..to {
            self.parts.tell(Event::RowEnough { row, left_out: 1 });
        }
    }
}
