//! What is said of simulated devices, whose truth is known: how often what is concluded is right,
//! how often something is concluded that is not so, and that nothing is said of honest ones.
//!
//! Devices are measured as every command measures them.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking, says how often it was right, and its seeds are small"
)]

mod fill;
mod many_draws;
mod several;
mod shingled;

use sokudo_engine::Control;
use sokudo_measure::{Measurement, Named};
use sokudo_methods::explain::plan::{ExplainRequest, StorageMedium};
use sokudo_model::{Bytes, Nanos, Plan, Run, Schedule, Workload};

/// Carries out a plan on a simulated device, each row so many times, and judges the run.
fn measured(spec: &str, trials: u32, plan: impl FnOnce(Bytes) -> Plan) -> Run {
    sokudo_methods::commands::hand_over();
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
