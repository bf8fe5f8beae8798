//! What is said of many simulated devices, each with parameters or chances of its own.

mod disks;
mod flash;
mod hostile;
mod matrix;
mod rules;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use sokudo_testing::{Rate, seeds};

/// Share of devices of which something that is there must be found. Of hundreds it is 99.5 % or more:
/// the more is promised, the fewer devices show that it is not kept.
const RECALL_MIN: f64 = 0.98;
/// Share of devices of which something that is not there may be claimed. Of hundreds there was none.
const FALSE_ALARMS_MAX: f64 = 0.01;

/// Of so many devices those of which something holds.
fn rate(devices: u32, holds: impl Fn(u64) -> bool + Sync) -> Rate {
    Rate::of(of_seeds(seeds(devices), holds), |holds| holds)
}

/// What comes of each seed, in any order, on all processors.
fn of_seeds<T: Send>(seeds: Range<u64>, of: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let mine = numbers.take_while(|number| *number < seeds.end);
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
