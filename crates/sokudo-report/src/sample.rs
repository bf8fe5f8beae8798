//! Kept runs that tests start from, and rows made by hand.

#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "it is for tests, whose values are small, and which fail where something is not as they need it"
)]

use sokudo_model::*;
use sokudo_stats::{Interval, Random};

use crate::{RunDocument, TableStyle};

mod hosts;
mod kept_runs;

pub use hosts::{run_of_many, together_run};
pub use kept_runs::*;

/// Document of the kept sample run of this name.
pub fn document(name: &str) -> RunDocument {
    RunDocument::from_run(&kept(name))
}

/// One row of one trial of a simulated device at a fixed rate, in which hardly anything is known.
pub fn bare_run() -> Run {
    let mut run = kept("rate");
    run.rows[0].trials.truncate(1);
    run.environment = HostEnvironment::default();
    run.schedule.trials = 1;
    run
}

/// A device like the one that kept runs were measured on.
pub fn device(name: &str, kind: BlockDeviceKind, model: Option<&str>) -> BlockDevice {
    BlockDevice {
        name: name.into(),
        kind,
        is_leaf: kind != BlockDeviceKind::Partition,
        model: model.map(str::to_owned),
        serial: None,
        ..run().target.devices.remove(1)
    }
}

/// A change with its interval.
pub fn change(ratio: f64, low: f64, high: f64) -> Change {
    Change {
        ratio,
        ratio_interval_95: Some(Interval {
            low,
            high,
            coverage: 0.959,
        }),
        test: ComparisonTest::MannWhitney,
        p_value: 0.002_164_5,
        p_value_of_all_rows: 0.008_658,
        cliffs_delta: 1.0,
        effect: Effect::Large,
        widening: 2.3,
        runs_differ: None,
    }
}

/// Tables of so many columns.
pub fn style(width: usize) -> TableStyle {
    TableStyle {
        width,
        ..TableStyle::default()
    }
}

pub fn finding(
    code: &str,
    severity: Severity,
    symptom: &'static str,
    cause: &'static str,
    remedy: &'static str,
) -> Finding {
    Finding {
        code: code.into(),
        severity,
        symptom: symptom.into(),
        cause: cause.into(),
        remedy: remedy.into(),
    }
}

/// Runs whose figures are drawn from a seed: odd floats in every field.
fn random_run(seed: u64) -> Run {
    let mut random = Random::new(seed);
    let mut run = run();
    run.environment.load_average = Some(random.fraction() * 10.0);
    run.plan.seed = random.next_u64();
    for row in &mut run.rows {
        row.trials.truncate(random.below(7) as usize);
        for trial in &mut row.trials {
            let outcome = &mut trial.outcome;
            outcome.elapsed = Nanos(random.below(5_000_000_000));
            outcome.depth_achieved = random.fraction() * 32.0 / 3.0;
            outcome.series.push(SeriesPoint {
                at: Nanos(random.below(1 << 52)),
                bytes: Bytes(random.below(1 << 52)),
                ios: random.below(1 << 52),
            });
        }
    }
    run
}

/// Runs of every shape.
pub fn all_shapes() -> Vec<Run> {
    let mut shapes = vec![run(), troubled_run(), bare_run(), run_of(vec![])];
    shapes.extend((0..20).map(random_run));
    shapes
}
