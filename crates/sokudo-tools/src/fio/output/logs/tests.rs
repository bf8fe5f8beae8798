use sokudo_model::{LatencyLog, Logs};
use sokudo_stats::Histogram;

use crate::fio::output::sample::Sample;

use super::*;

fn point(at_ms: u64, operation: Operation, value: f64, max: u64) -> LogPoint {
    LogPoint {
        at: Nanos(at_ms * 1_000_000 + 999_999),
        operation,
        value,
        max,
        bytes: 4_096,
        offset: 8_192,
    }
}

/// One job that logs everything of two I/Os.
fn logging() -> Sample {
    let mut sample = Sample::new(&["a", "b"]);
    let job = &mut sample.session.jobs[1];
    let prefix = || Some("p".to_owned());
    job.logs.bandwidth = prefix();
    job.logs.iops = prefix();
    job.logs.latency = prefix();
    job.logs.histogram = prefix();
    let points = |value| {
        vec![
            point(0, Operation::Read, value, 0),
            point(20, Operation::Flush, 1.0, 1),
            point(40, Operation::Write, value * 2.0, 0),
        ]
    };
    sample.run.rows[1].workload.recording.latency_log = Some(LatencyLog { interval: None });
    sample.outcome(1).logs = Logs {
        submission: vec![],
        completion: points(30.0),
        total: points(35.4),
        every_io: points(1.0),
        histograms: vec![],
    };
    sample
}

fn text_of(sample: &Sample, name: &str) -> String {
    let files = logs(&sample.report());
    let names: Vec<_> = files.iter().map(|file| file.name.clone()).collect();
    let found = files.into_iter().find(|file| file.name == name);
    found
        .unwrap_or_else(|| panic!("{name} is not in {names:?}"))
        .text
}

#[test]
fn every_io_is_logged_in_the_columns_of_fio() {
    let sample = logging();
    // The form of each line, and the bandwidth of 4 KiB in 30 ns, are fio 3.33's.
    assert_eq!(
        text_of(&sample, "p_bw.2.log"),
        "0, 136533333, 0, 4096, 0\n40, 68266667, 1, 4096, 0\n"
    );
    assert_eq!(
        text_of(&sample, "p_iops.2.log"),
        "0, 1, 0, 4096, 0\n40, 1, 1, 4096, 0\n"
    );
    assert_eq!(
        text_of(&sample, "p_clat.2.log"),
        "0, 30, 0, 4096, 0\n40, 60, 1, 4096, 0\n"
    );
    assert_eq!(
        text_of(&sample, "p_lat.2.log"),
        "0, 35, 0, 4096, 0\n40, 71, 1, 4096, 0\n"
    );
    assert_eq!(text_of(&sample, "p_slat.2.log"), "");
    assert_eq!(logs(&sample.report()).len(), 6);
}

#[test]
fn without_a_log_of_latencies_bandwidths_come_from_what_else_is_known() {
    let mut sample = logging();
    sample.run.rows[1].workload.recording.latency_log = None;
    // Of the read its own latency is kept; the write has the mean of all.
    sample.outcome(1).logs.every_io[0].max = 40;
    assert_eq!(
        text_of(&sample, "p_bw.2.log"),
        "0, 102400000, 0, 4096, 0\n40, 16384, 1, 4096, 0\n"
    );
}

#[test]
fn offsets_are_a_column_before_the_priority() {
    let mut sample = logging();
    sample.session.jobs[1].logs.offset = true;
    let text = text_of(&sample, "p_clat.2.log");
    assert!(text.starts_with("0, 30, 0, 4096, 8192, 0\n"), "{text}");
}

/// The columns are those of fio 3.33 with `log_prio=1` (and `log_offset=1`), in logs of
/// bandwidth too.
#[test]
fn priorities_are_words_of_class_and_level_in_every_log() {
    let mut sample = logging();
    sample.session.jobs[1].logs.priority = true;
    for (name, line) in [
        ("p_bw.2.log", "0, 136533333, 0, 4096, 0x0000\n"),
        ("p_iops.2.log", "0, 1, 0, 4096, 0x0000\n"),
        ("p_lat.2.log", "0, 35, 0, 4096, 0x0000\n"),
    ] {
        let text = text_of(&sample, name);
        assert!(text.starts_with(line), "{name}: {text}");
    }
    sample.session.jobs[1].logs.offset = true;
    let text = text_of(&sample, "p_clat.2.log");
    assert!(text.starts_with("0, 30, 0, 4096, 8192, 0x0000\n"), "{text}");
    sample.session.jobs[1].logs.average = Nanos::from_millis(500);
    let text = text_of(&sample, "p_bw.2.log");
    assert!(text.starts_with("500, 4000, 0, 0, 0, 0x0000\n"), "{text}");
}

#[test]
fn intervals_have_the_value_that_was_asked_for() {
    let mut sample = logging();
    sample.session.jobs[1].logs.average = Nanos::from_millis(500);
    sample.outcome(1).logs.completion = vec![point(500, Operation::Read, 30.6, 99)];
    for (value, line) in [
        (WindowValue::Average, "500, 31, 0, 0, 0\n"),
        (WindowValue::Max, "500, 99, 0, 0, 0\n"),
        (WindowValue::Both, "500, 31, 99, 0, 0, 0\n"),
    ] {
        sample.session.jobs[1].logs.window_value = value;
        assert_eq!(text_of(&sample, "p_clat.2.log"), line);
    }
    sample.session.jobs[1].logs.window_value = WindowValue::Average;
    let bandwidth = text_of(&sample, "p_bw.2.log");
    assert!(
        bandwidth.starts_with("500, 4000, 0, 0, 0\n500, 2000, 1, 0, 0\n1000, 4000, 0"),
        "{bandwidth}"
    );
    assert_eq!(bandwidth.lines().count(), 8);
    let iops = text_of(&sample, "p_iops.2.log");
    assert!(
        iops.starts_with("500, 1000, 0, 0, 0\n500, 500, 1, 0, 0\n"),
        "{iops}"
    );
}

#[test]
fn histograms_have_1856_columns_or_fewer_when_coarse() {
    let mut sample = logging();
    let mut latency = Histogram::new();
    for value in [5, 5, 150, u64::MAX] {
        latency.record(value);
    }
    sample.outcome(1).logs.histograms = vec![HistogramPoint {
        at: Nanos::from_millis(300),
        operation: Operation::Write,
        bytes: 8_192,
        latency,
    }];
    let text = text_of(&sample, "p_clat_hist.2.log");
    assert!(
        text.starts_with("300, 1, 8192, 0, 0, 0, 0, 0, 2, 0, 0"),
        "{text}"
    );
    assert_eq!(text.trim_end().split(", ").count(), 3 + 1_856);
    assert!(text.ends_with(", 1\n"));
    sample.session.jobs[1].logs.histogram_coarseness = 4;
    let text = text_of(&sample, "p_clat_hist.2.log");
    assert!(
        text.starts_with("300, 1, 8192, 2, 0, 0, 0, 0, 0, 0, 0, 1, "),
        "{text}"
    );
    assert_eq!(text.trim_end().split(", ").count(), 3 + 116);
}

#[test]
fn times_count_from_1970_when_asked() {
    let mut sample = logging();
    sample.session.jobs[1].logs.unix_epoch = true;
    sample.outcome(1).started_after = Nanos::from_millis(10);
    let text = text_of(&sample, "p_clat.2.log");
    assert!(text.starts_with("1795226288260, 30, 0"), "{text}");
}

#[test]
fn jobs_may_write_to_one_file() {
    let mut sample = logging();
    for job in &mut sample.session.jobs {
        job.logs.bandwidth = Some("all".into());
        job.logs.per_job = false;
        job.logs.average = Nanos::from_millis(500);
    }
    assert_eq!(text_of(&sample, "all_bw.log").lines().count(), 16);
}
