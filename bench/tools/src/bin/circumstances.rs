//! Times what is looked at around a run and around each trial of it, on this machine:
//! `cargo run --release -p sokudo-bench --bin circumstances -- PATH`.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::time::{Duration, Instant};

use sokudo_device::{InspectError, Neighbours, System, Watch, environment, inspect};

const ROUNDS: usize = 21;

fn main() -> Result<(), InspectError> {
    let path = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let system = System::host();
    let mut times: [Vec<Duration>; 5] = Default::default();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let target = inspect(&system, &path)?.info;
        let inspected = Instant::now();
        let _ = environment(&system);
        let described = Instant::now();
        let watch = Watch::begin(&system, &target);
        let begun = Instant::now();
        let seen = watch.end(&target);
        let ended = Instant::now();
        let before = Neighbours::look(&system);
        let _ = Neighbours::look(&system).since(&before);
        let looked = Instant::now();
        assert_ne!(seen, Default::default(), "{path} stands on nothing");
        let parts = [
            inspected - start,
            described - inspected,
            begun - described,
            ended - begun,
            looked - ended,
        ];
        for (all, part) in times.iter_mut().zip(parts) {
            all.push(part);
        }
    }
    let names = [
        "what is under the target",
        "the machine",
        "around it, before the run",
        "around it, after the run",
        "all processes, before and after a trial",
    ];
    let mut sum = 0.0;
    for (name, mut all) in names.into_iter().zip(times) {
        all.sort();
        let milliseconds = |at: usize| all[at].as_secs_f64() * 1e3;
        sum += milliseconds(ROUNDS / 2);
        println!(
            "{name}: median {:.2} ms, {:.2} to {:.2} ms",
            milliseconds(ROUNDS / 2),
            milliseconds(0),
            milliseconds(ROUNDS - 1)
        );
    }
    println!("together: {sum:.2} ms ({path}, {ROUNDS} rounds)");
    Ok(())
}
