//! What is kept of I/Os on demand: submission and completion, logs, series, depths,
//! batches.

use sokudo_engine::Target;
use sokudo_model::{
    BackendKind, Batching, Bytes, DataContent, DirectMode, LatencyLog, LogPoint, Nanos, Operation,
    OperationMix, Outcome, Recording, Workload,
};

use crate::setup::{KERNEL_BACKENDS, OwnFile, for_ios, for_ms, random_reads, run_one, simulated};

fn everything() -> Recording {
    Recording {
        split_latency: true,
        series_interval: Some(Nanos(20_000_000)),
        latency_log: Some(LatencyLog { interval: None }),
        log_every_io: true,
        histogram_interval: Some(Nanos(50_000_000)),
    }
}

fn workload(backend: BackendKind, batching: Batching) -> Workload {
    with!(
        random_reads(16),
        backend = backend,
        issuing.batching = batching,
        operations = OperationMix::read_write(70).unwrap(),
        recording = everything(),
        limits = for_ios(3_000)
    )
}

fn on_own_file(workload: Workload) -> Outcome {
    let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    run_one(workload, &mut own.target())
}

fn recorded(backend: BackendKind, batching: Batching) -> Outcome {
    on_own_file(workload(backend, batching))
}

fn fio_batching() -> Batching {
    Batching {
        submit: Some(1),
        complete_min: Some(1),
        complete_max: Some(1),
        low_depth: None,
    }
}

#[test]
fn submission_and_completion_are_the_latency_of_every_io() {
    for backend in [BackendKind::IoUring, BackendKind::Libaio] {
        for batching in [fio_batching(), Batching::default()] {
            let outcome = recorded(backend, batching);
            for tally in &outcome.operations {
                let submission = tally.submission.as_ref().unwrap();
                let completion = tally.completion.as_ref().unwrap();
                let counts = [
                    submission.count(),
                    completion.count(),
                    tally.latency.count(),
                ];
                assert_eq!(counts, [tally.ios; 3]);
                assert_eq!(submission.sum() + completion.sum(), tally.latency.sum());
                assert!(submission.min() > Some(0), "a system call takes time");
            }
            let logs = &outcome.logs;
            for ((submission, completion), total) in logs
                .submission
                .iter()
                .zip(&logs.completion)
                .zip(&logs.total)
            {
                assert_eq!(submission.max + completion.max, total.max);
                assert_eq!(submission.at, total.at);
            }
        }
    }
}

#[test]
fn every_io_is_logged_once() {
    for backend in KERNEL_BACKENDS {
        let outcome = recorded(backend, fio_batching());
        let logs = &outcome.logs;
        assert_eq!(outcome.ios(), 3_000);
        for log in [&logs.completion, &logs.total, &logs.every_io] {
            assert_eq!(log.len() as u64, outcome.ios(), "{}", backend.name());
        }
        let submissions = if backend == BackendKind::Psync {
            0
        } else {
            3_000
        };
        assert_eq!(logs.submission.len(), submissions);
        let bytes: u64 = logs.every_io.iter().map(|io| u64::from(io.bytes)).sum();
        assert_eq!(bytes, outcome.bytes_moved().0);
        let in_histograms: u64 = logs.histograms.iter().map(|it| it.latency.count()).sum();
        assert_eq!(in_histograms, outcome.ios());
        for tally in &outcome.operations {
            let in_series: u64 = tally.series.iter().map(|point| point.ios).sum();
            assert_eq!(in_series, tally.ios);
            assert!(tally.elapsed.0 > 0 && tally.elapsed <= outcome.elapsed);
        }
    }
}

fn exact(log: &[LogPoint], operation: Operation) -> Vec<u64> {
    let mine = log.iter().filter(|point| point.operation == operation);
    let mut values: Vec<u64> = mine.map(|point| point.max).collect();
    values.sort_unstable();
    values
}

#[test]
fn percentiles_are_within_a_128th_of_the_exact_log() {
    let outcome = recorded(BackendKind::IoUring, fio_batching());
    for tally in &outcome.operations {
        let sorted = exact(&outcome.logs.total, tally.operation);
        for fraction in [0.01, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let below = |index: usize| (index + 1) as f64 >= fraction * sorted.len() as f64;
            let rank = (0..sorted.len()).find(|index| below(*index)).unwrap();
            let exact = sorted[rank];
            let found = tally.latency.quantile(fraction).unwrap();
            let off = found.abs_diff(exact);
            assert!(off as f64 <= exact as f64 / 128.0, "{found} for {exact}");
        }
    }
}

#[test]
fn single_ios_are_submitted_and_reaped_singly() {
    let outcome = recorded(BackendKind::IoUring, fio_batching());
    let depths = outcome.depths.unwrap();
    assert_eq!(depths.submitted, [0, 3_000, 0, 0, 0, 0, 0]);
    assert_eq!(depths.completed, [0, 3_000, 0, 0, 0, 0, 0]);
    assert_eq!(depths.level.iter().sum::<u64>(), 3_000);
    assert_eq!(depths.level[5..], [0, 0], "never deeper than asked for");
}

#[test]
fn batches_are_as_large_as_asked_for() {
    let batching = Batching {
        submit: Some(8),
        complete_min: Some(8),
        complete_max: Some(8),
        low_depth: None,
    };
    // Through the page cache each is done once it is submitted: a busy disk may answer fewer within
    // the time for which they are waited for at once.
    let buffered = with!(
        workload(BackendKind::Libaio, batching),
        direct = DirectMode::Off
    );
    let depths = on_own_file(buffered).depths.unwrap();
    // Eight at a time, but for the last ones.
    assert!(depths.submitted[2] >= 370, "{depths:?}");
    assert_eq!(depths.submitted[3..], [0; 4], "{depths:?}");
    assert!(depths.completed[2] >= 370, "{depths:?}");
}

#[test]
fn looking_without_waiting_gets_everything() {
    let batching = with!(
        Batching::default(),
        submit = Some(1),
        complete_min = Some(0)
    );
    for backend in KERNEL_BACKENDS {
        assert_eq!(recorded(backend, batching).ios(), 3_000);
    }
}

#[test]
fn a_queue_drains_to_its_low_depth() {
    let workload = with!(
        random_reads(16),
        issuing.batching.low_depth = Some(4),
        recording.split_latency = true,
        limits = for_ms(100)
    );
    let outcome = run_one(
        workload,
        &mut simulated("sim:const?latency=1ms&jitter=900us"),
    );
    assert!(
        (4.0..14.0).contains(&outcome.depth_achieved),
        "{}",
        outcome.depth_achieved
    );
    // Only batches that fill from 4 or below up to 16: of 12 and more.
    let depths = outcome.depths.unwrap();
    assert_eq!(depths.submitted[..3], [0; 3], "{depths:?}");
}

#[test]
fn averages_keep_the_mean() {
    let log = LatencyLog {
        interval: Some(Nanos(10_000_000)),
    };
    let workload = with!(
        random_reads(1),
        recording.latency_log = Some(log),
        limits = for_ms(100)
    );
    let outcome = run_one(
        workload,
        &mut simulated("sim:const?latency=100us&jitter=0s"),
    );
    let total = &outcome.logs.total;
    // An I/O that ends with an interval is the next one's.
    assert_eq!(total.len(), 11);
    assert!(
        total
            .iter()
            .all(|point| point.value == 100_000.0 && point.max == 100_000)
    );
    assert_eq!(total[3].at, Nanos(40_000_000));
}

#[test]
fn threads_say_what_the_system_counted() {
    let workload = with!(random_reads(1), limits = for_ios(100));
    let real = run_one(workload.clone(), &mut Target::Null(Bytes::gib(1)));
    assert!(real.usage.is_some() && real.cpu.is_some() && real.depths.is_none());
    let in_virtual_time = run_one(workload, &mut simulated("sim:ssd"));
    assert_eq!((in_virtual_time.usage, in_virtual_time.cpu), (None, None));
}
