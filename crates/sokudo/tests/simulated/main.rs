//! What is said of simulated devices, whose truth is known: how often what is concluded is right,
//! how often something is concluded that is not so, and that nothing is said of honest ones.
//!
//! Devices are measured as every command measures them. `SOKUDO_TEST_DISKS` says how many of
//! each kind.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking, says how often it was right, and its seeds are small"
)]

mod disks;
mod fill;
mod flash;
mod hostile;
mod matrix;
mod rules;
mod several;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use sokudo_dialect::explain::{ExplainRequest, StorageMedium};
use sokudo_engine::Control;
use sokudo_measure::{Measurement, Named};
use sokudo_model::{Bytes, Nanos, Plan, Run, Schedule, Workload};

/// Disks of each kind, unless something else is said.
const DISKS: u64 = 100;
/// Share of disks of which something that is there must be found.
const RECALL_MIN: f64 = 0.95;
/// Share of disks of which something that is not there may be claimed.
const FALSE_ALARMS_MAX: f64 = 0.02;

/// Carries out a plan on a simulated device, each row so many times, and judges the run.
fn measured(spec: &str, trials: u32, plan: impl FnOnce(Bytes) -> Plan) -> Run {
    let named = Named::recognise(spec).unwrap_or_else(|_| panic!("{spec} is not understood"));
    let plan = plan(named.size().unwrap());
    let measurement = Measurement {
        schedule: Schedule::in_turn(trials, Nanos(0)),
        ..Measurement::new(spec, named, plan)
    };
    let control = Control::new();
    let mut prepared = measurement.prepare(&control, &mut |_| ()).unwrap();
    let ended_by = prepared.measure(&control, &mut |_| ()).unwrap();
    assert!(ended_by.is_none(), "{spec}: {ended_by:?}");
    prepared.finish(&control)
}

/// Asks a simulated device all that these themes ask, or all that its medium is asked.
fn explained(
    spec: &str,
    medium: StorageMedium,
    only: &[&str],
    seed: u64,
    change: impl Fn(&mut Workload),
) -> Run {
    measured(spec, 1, |size| {
        let request = ExplainRequest {
            fill: None,
            size,
            block_min: Bytes(512),
            medium,
            may_write: true,
            only: only.iter().map(|name| name.parse().unwrap()).collect(),
            is_full: false,
            seed,
        };
        let mut plan = request.plan().unwrap().plan;
        let rows = plan.stages.iter_mut().flat_map(|it| &mut it.workloads);
        rows.for_each(change);
        plan
    })
}

/// What comes of each disk by its number.
fn of_disks<T: Send>(of: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let told = std::env::var("SOKUDO_TEST_DISKS");
    of_many(told.map_or(DISKS, |number| number.parse().unwrap()), of)
}

/// What comes of so many things by their numbers, in any order, on all processors.
fn of_many<T: Send>(count: u64, of: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(0);
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let mine = numbers.take_while(|number| *number < count);
        mine.map(&of).collect::<Vec<_>>()
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|it| it.join().unwrap())
            .collect()
    })
}
