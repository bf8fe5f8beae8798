//! How much of its targets a row can have used, and how much of that it came to.

use sokudo_model::{IntervalRates, Nanos, Order, SequentialOffset, TrialSeries};

use crate::case::RowContext;

/// How much of the targets is used; `None` where that is not known.
pub(crate) fn span_bytes(case: &RowContext<'_>) -> Option<u64> {
    let workload = &case.row.workload;
    let spans: Vec<Option<u64>> = workload
        .files
        .uses
        .iter()
        .map(|file_use| file_use.span.map(|span| span.length.0))
        .collect();
    let span = match spans[..] {
        [] => workload
            .span
            .map(|span| span.length.0)
            .or(case.target().size_bytes.map(|size| size.0)),
        _ => spans.into_iter().sum(),
    };
    span.filter(|span| *span > 0)
}

/// What a row came to.
pub(crate) struct Touched {
    /// Bytes of the devices, each once.
    pub(crate) bytes: u64,
    /// What the row comes to before it comes to something again; at random, as many bytes as there
    /// are to come to.
    pub(crate) pass: u64,
    /// So many threads make each pass, side by side.
    pub(crate) threads: u64,
}

/// What a row came to, as far as its order tells: at most what it moved, and what its targets hold
/// of different bytes. Of what is drawn at random so much is expected; where some places are
/// favoured it is less.
#[expect(clippy::cast_possible_truncation, reason = "a share of the bytes")]
pub(crate) fn touched(case: &RowContext<'_>) -> Option<Touched> {
    let span = span_bytes(case)?;
    let workload = &case.row.workload;
    let moved = case.outcomes().map(|outcome| {
        let outside: u64 = outcome.in_ramp.iter().map(|moved| moved.bytes.0).sum();
        (outcome.bytes_moved().0 + outside) as f64
    });
    let uncounted = case.row.uncounted.iter().map(|trial| {
        let measured = trial.series.iter().map(|point| point.bytes.0);
        (measured.sum::<u64>() + trial.in_ramp.0) as f64
    });
    let moved: Vec<f64> = uncounted.chain(moved).collect();
    let (all, longest) = (
        moved.iter().sum(),
        moved.iter().copied().fold(0.0, f64::max),
    );
    let threads = match workload.order {
        Order::Sequential {
            offset: SequentialOffset::Own,
        } if workload.can_go_on() => workload.threads.max(1),
        _ => 1,
    };
    let bytes = match workload.order {
        // Files, stripes and steps of their own are not known to overlap.
        Order::Sequential { .. } if !workload.can_go_on() => all,
        // Rounds begin at the start each.
        Order::Sequential { .. } if case.run.schedule.steady.is_some() => longest,
        Order::Sequential { .. } => all,
        Order::Random { map } => {
            let size = span as f64;
            let missed = moved.iter().map(|moved| match map {
                true => (1.0 - moved / size).max(0.0),
                false => (-moved / size).exp(),
            });
            size * (1.0 - missed.product::<f64>())
        }
    };
    let different = case.target().file_state.map_or(u64::MAX, |state| {
        state.size_bytes.0.saturating_sub(state.repeated_bytes.0)
    });
    let most = span.min(different).max(1);
    let bytes = ((bytes / f64::from(threads)).ceil() as u64).clamp(1, most);
    Some(Touched {
        bytes,
        pass: match workload.order {
            Order::Sequential { .. } => bytes,
            Order::Random { .. } => most,
        },
        threads: threads.into(),
    })
}

/// The rates of all intervals in which the row moved bytes, also in trials that do not count and
/// while they settled, in order of time, and how long each is: nearly as long as the longest.
pub(crate) fn course(case: &RowContext<'_>) -> Vec<(Nanos, f64)> {
    let counted = case.outcomes().map(TrialSeries::of);
    let trials = case.row.uncounted.iter().cloned().chain(counted);
    let trials: Vec<(TrialSeries, IntervalRates)> = trials
        .map(|trial| {
            let rates = IntervalRates::of_series(&trial.series, None, true);
            (trial, rates)
        })
        .collect();
    let longest = trials.iter().map(|(_, rates)| rates.length).max();
    let joined = trials.into_iter().flat_map(|(trial, rates)| {
        let rates = rates.joined_to(longest.unwrap_or_default());
        let (length, settled) = (rates.length, trial.settled.as_secs_f64());
        let intervals = trial.settled.0.checked_div(length.0).unwrap_or(0);
        let settling = (0..intervals).map(|_| trial.in_ramp.0 as f64 / settled);
        let rates: Vec<f64> = settling.chain(rates.per_second).collect();
        rates.into_iter().map(move |rate| (length, rate))
    });
    joined.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{each_outcome, judged, reads_with};
    use sokudo_model::{BlockDeviceKind, Bytes, Run, SeriesPoint};

    const SEQUENTIAL: Order = Order::SEQUENTIAL;

    /// Six trials in this order on a disk that rotates, is 1 TB large and has a cache of 256 MiB.
    fn on_a_disk(order: Order, mib_per_trial: u64, change: impl Fn(&mut Run)) -> Run {
        reads_with(|run| {
            run.target.size_bytes = Some(Bytes(1_000_000_000_000));
            run.target.file_state = None;
            let leaf = run.target.devices.iter_mut().find(|it| it.is_leaf).unwrap();
            leaf.kind = BlockDeviceKind::Disk;
            leaf.rotational = Some(true);
            leaf.cache_bytes = Some(Bytes::mib(256));
            let row = &mut run.rows[0];
            (row.workload.order, row.workload.limits.time) = (order, None);
            row.workload.blocks = sokudo_model::BlockSizes::one(Bytes::mib(1));
            let ios = mib_per_trial;
            each_outcome(run, |outcome| {
                let tally = &mut outcome.operations[0];
                (tally.ios, tally.bytes) = (ios, Bytes::mib(ios));
                tally.latency = crate::sample::histogram(ios, Nanos::from_millis(5));
                outcome.elapsed = Nanos(ios * Nanos::from_millis(5).0);
            });
            crate::sample::each_count(run, |device| {
                (device.read_ios, device.read_bytes) = (ios, Bytes::mib(ios).0);
            });
            change(run);
        })
    }

    fn is_reported(run: Run) -> bool {
        let (codes, _) = judged(run);
        codes.iter().any(|code| code == "dataset-in-cache")
    }

    fn touched_mib(run: &Run) -> u64 {
        let row = &run.rows[0];
        touched(&RowContext { run, row }).unwrap().bytes >> 20
    }

    #[test]
    fn what_is_touched_again_and_again_may_be_in_a_cache_however_large_the_span_is() {
        let goes_on = on_a_disk(SEQUENTIAL, 40, |_| {});
        assert_eq!(touched_mib(&goes_on), 240);
        assert!(!is_reported(goes_on), "each byte was read once");
        let rounds = on_a_disk(SEQUENTIAL, 40, |run| {
            let procedure = crate::rounds::tests::procedure(Vec::new(), None);
            run.schedule.steady = Some(Box::new(procedure));
        });
        assert_eq!(touched_mib(&rounds), 40);
        let threads = on_a_disk(SEQUENTIAL, 40, |run| run.rows[0].workload.threads = 4);
        assert_eq!(touched_mib(&threads), 60);
        // A thousand places of a terabyte are hardly ever the same.
        let random = on_a_disk(Order::Random { map: false }, 40, |_| {});
        assert_eq!(touched_mib(&random), 239);
        assert!(!is_reported(random));
    }

    #[test]
    fn later_passes_are_those_over_what_is_touched() {
        // As a row did that began at the start in each of its trials: a medium, and then a cache.
        let rounds = |later: u64| {
            on_a_disk(SEQUENTIAL, 400, |run| {
                let procedure = crate::rounds::tests::procedure(Vec::new(), None);
                run.schedule.steady = Some(Box::new(procedure));
                for (number, trial) in run.rows[0].trials.iter_mut().enumerate() {
                    let mib = if number == 0 { 4 } else { later };
                    let point = |interval: u64| sokudo_model::SeriesPoint {
                        at: Nanos::from_millis(20 * interval),
                        bytes: Bytes::mib(mib),
                        ios: mib,
                    };
                    trial.outcome.series = (1..=100).map(point).collect();
                }
            })
        };
        assert!(is_reported(rounds(12)));
        assert!(!is_reported(rounds(4)));
    }

    #[test]
    fn a_first_pass_in_a_trial_that_does_not_count_is_one_all_the_same() {
        // 128 MiB at 200 MiB/s, some of it while the trial settled; then twelve times that.
        let is_flagged = |uncounted: &[u64]| {
            let series = |rates: &[u64]| -> Vec<SeriesPoint> {
                let point = |(number, mib): (u64, &u64)| SeriesPoint {
                    at: Nanos::from_millis(20 * number),
                    bytes: Bytes::mib(*mib),
                    ios: *mib,
                };
                (1..).zip(rates).map(point).collect()
            };
            is_reported(on_a_disk(SEQUENTIAL, 600, |run| {
                run.target.size_bytes = Some(Bytes::mib(128));
                run.target
                    .devices
                    .iter_mut()
                    .for_each(|it| it.cache_bytes = None);
                let row = &mut run.rows[0];
                row.uncounted = vec![TrialSeries {
                    settled: Nanos::from_millis(100),
                    in_ramp: Bytes::mib(20),
                    series: series(uncounted),
                }];
                for trial in &mut row.trials {
                    trial.outcome.series = series(&[48; 12]);
                }
            }))
        };
        let first = [4; 27];
        assert!(is_flagged(&[&first[..], &[48; 5]].concat()));
        // As slow for half as long again: the disk came to its speed, whatever was read.
        assert!(!is_flagged(&[&first[..], &[4; 24], &[48; 5]].concat()));
        assert!(!is_flagged(&[48; 20]));
    }

    #[test]
    fn bytes_in_the_same_place_of_the_device_are_touched_once() {
        let run = on_a_disk(SEQUENTIAL, 400, |run| {
            run.target.file_state = Some(sokudo_model::FileState {
                size_bytes: Bytes::gib(4),
                repeated_bytes: Bytes(Bytes::gib(4).0 - Bytes::mib(8).0),
                ..Default::default()
            });
        });
        assert_eq!(touched_mib(&run), 8);
        assert!(is_reported(run));
    }
}
