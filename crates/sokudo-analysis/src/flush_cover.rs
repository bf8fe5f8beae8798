//! Writes that a cache took: whether flushes among them, or behind them, cover them in the time that
//! is measured.

use sokudo_model::{BackendKind, Nanos, Operation, Outcome};
use sokudo_stats::Summary;
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::RowRule;
use crate::threshold::ARRIVED_RATIO_MIN;

pub(crate) const RULES: &[RowRule] = &[buffered_writes];

/// Writes that a cache took may reach the device later than the time says; a
/// flush inside the measured time settles it.
fn buffered_writes(case: &RowContext<'_>) -> Option<RuleResult> {
    let durability = &case.row.workload.durability;
    let survey = case.row.workload.survey();
    // What is written back is flushed at each place, in its time.
    let settled = durability.write_through
        || durability.final_flush
        || is_flushed_in_time(case)
        // A store into a mapping is written whenever the kernel likes.
        || is_synchronous(case) && case.outcomes().all(|it| it.backend.kind != BackendKind::Mmap)
        || survey.is_some_and(|survey| survey.write_back);
    let cached_loop = case.target().cached_loop();
    let cached = case.real() && (!case.direct() || cached_loop.is_some());
    if !case.asks(Operation::Write) || case.in_memory() || settled || !cached {
        return None;
    }
    let (cause, remedy) = match cached_loop {
        Some(device) if case.direct() => (
            text!(
                "{device} writes its file through the page cache",
                device = device.name
            ),
            Text::from(remedy::DIRECT_LOOP),
        ),
        _ => (
            Text::from("the writes went through the page cache"),
            remedy::direct(),
        ),
    };
    Some(RuleResult::new(
        Code::BufferedWrites,
        into_memory(case),
        cause,
        remedy,
    ))
}

/// Whether flushes among the writes make them durable while the time runs: each write before
/// the next, or as many of them as [`ARRIVED_RATIO_MIN`] asks for. Of a queue, what is in flight
/// while a flush is may not be in it.
fn is_flushed_in_time(case: &RowContext<'_>) -> bool {
    let workload = &case.row.workload;
    let durability = &workload.durability;
    let each = [durability.fsync_every, durability.fdatasync_every];
    let Some(every) = each.into_iter().flatten().min() else {
        return false;
    };
    let flushed = case.ios(Operation::Flush) as f64 * f64::from(every);
    let share = flushed / case.ios(Operation::Write) as f64;
    workload.depth == 1 && (every == 1 || share >= ARRIVED_RATIO_MIN)
}

/// Whether every write returns only when it is durable: on a file system that is mounted so, or
/// to a file that is marked so. `dirsync` concerns names only.
fn is_synchronous(case: &RowContext<'_>) -> bool {
    let target = case.target();
    let mounted = target.file_system.as_ref();
    mounted.is_some_and(|it| it.mount_options.iter().any(|option| option == "sync"))
        || target.file_state.is_some_and(|state| state.is_synchronous)
}

/// Both figures of writes that a cache took: how fast it took them, and how fast they
/// became durable.
fn into_memory(case: &RowContext<'_>) -> Text {
    let median = |rate: fn(&Outcome) -> Option<f64>| {
        let rates: Vec<f64> = case.outcomes().filter_map(rate).collect();
        Summary::of(&rates).map(|summary| summary.median / 1e6)
    };
    let taken = median(|outcome| {
        let writes = outcome.operation(Operation::Write)?;
        let bytes = writes.bytes.0 as f64;
        (outcome.elapsed > Nanos(0)).then(|| bytes / outcome.elapsed.as_secs_f64())
    });
    let durable = median(Outcome::durable_bytes_per_second);
    match (taken, durable) {
        (Some(memory_mb_per_s), Some(durable_mb_per_s)) => text!(
            "writes counted as done when they were in memory, not when the device had them; \
             {memory_mb_per_s:.1} MB/s into memory, durable: {durable_mb_per_s:.1} MB/s"
        ),
        _ => Text::from(
            "writes counted as done when they were in memory, not when the device had them",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        buffered, check, each_outcome, judged, looped, reads, spoilt, writes, writes_with,
    };
    use sokudo_model::Verdict::{Unverified, Verified};

    #[test]
    fn writes_that_a_cache_took_are_not_proven_until_flushed() {
        let flushed = writes_with(|run| {
            buffered(run);
            run.rows[0].workload.durability.final_flush = true;
        });
        let mounted = |option: &str| {
            spoilt(writes(), |run| {
                buffered(run);
                let file_system = run.target.file_system.as_mut().unwrap();
                file_system.mount_options.push(option.to_owned());
            })
        };
        let on_loop =
            |direct| writes_with(|run| run.target.devices.insert(0, looped(false, Some(direct))));
        let called = |every: u32, flushes_per_write: f64| {
            writes_with(|run| {
                buffered(run);
                run.rows[0].workload.depth = 1;
                run.rows[0].workload.durability.fsync_every = Some(every);
                each_outcome(run, |outcome| {
                    let ios = outcome.ios() as f64 * flushes_per_write;
                    let mut flushes = sokudo_model::OperationTally::new(Operation::Flush);
                    flushes.ios = ios as u64;
                    outcome.operations.push(flushes);
                });
            })
        };
        let is_reported = |run| judged(run).0.contains(&"buffered-writes".to_owned());
        assert!(!is_reported(called(1, 1.0)));
        assert!(!is_reported(called(16, 1.0 / 16.0)));
        assert!(is_reported(called(16, 0.9 / 16.0)));
        check! {
            "buffered": spoilt(writes(), buffered) => ["buffered-writes"], Unverified;
            "flushed in the measured time": flushed => [], Verified;
            "a synchronous mount": mounted("sync") => [], Verified;
            "synchronous names": mounted("dirsync") => ["buffered-writes"], Unverified;
            "a synchronous file": spoilt(writes(), |run| {
                buffered(run);
                run.target.file_state.as_mut().unwrap().is_synchronous = true;
            }) => [], Verified;
            "buffered reads": spoilt(reads(), buffered) => [], Verified;
            "loop with cache": on_loop(false) => ["buffered-writes"], Unverified,
                "loop0 writes its file through the page cache";
            "loop without cache": on_loop(true) => [], Verified;
        }
    }
}
