//! Reads a file of its own in this directory for a second at a time, and prints what came of it.
#![expect(clippy::print_stdout, reason = "it says what it measured")]
use sokudo_engine::Control;
use sokudo_measure::{Measurement, Named};
use sokudo_model::{Bytes, Nanos, Plan, Stage, Workload};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut workload = Workload::new("sequential reads", Bytes::mib(1));
    workload.limits.time = Some(Nanos::from_secs(1));
    let stages = vec![Stage {
        workloads: vec![workload],
    }];
    let plan = Plan {
        method: "example".into(),
        seed: 1,
        stages,
    };
    let control = Control::new();
    let mut prepared =
        Measurement::new(".", Named::recognise(".")?, plan).prepare(&control, &mut |_| ())?;
    prepared.measure(&control, &mut |event| println!("{event:?}"))?;
    let row = &prepared.finish(&control).rows[0];
    println!("{:?}: {:?}", row.trials, row.assessment);
    Ok(())
}
