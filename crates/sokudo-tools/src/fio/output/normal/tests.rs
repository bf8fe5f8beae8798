use sokudo_model::{
    Bytes, FailureKind, Finding, IoFailure, Mismatch, Operation, Severity, VerifyOutcome,
};
use sokudo_stats::Histogram;

use crate::fio::output::sample::{Sample, installed_fio, plain_job};
use crate::fio::output::{DiskUse, start_lines};
use crate::fio::session::FioReporting;

use super::*;

fn histogram(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|value| histogram.record(*value));
    histogram
}

/// A line with all numbers as `N`, their prefixes and the spaces before them left out:
/// what is left must not depend on how fast a machine is.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    let mut in_number = false;
    for (at, letter) in line.char_indices() {
        let digit = letter.is_ascii_digit() || letter == '.';
        if digit && !in_number {
            let kept = shape.trim_end_matches(' ').len();
            // Spaces pad numbers behind `=` and `[`.
            if shape[..kept].ends_with(['=', '[']) {
                shape.truncate(kept);
            }
            shape.push('N');
        }
        let prefix = in_number && "kMGKi".contains(letter) && !line[at..].starts_with("msec");
        if !digit && !prefix {
            shape.push(letter);
        }
        in_number = digit || prefix;
    }
    for unit in ["(nsec)", "(usec)", "(msec)"] {
        shape = shape.replace(unit, "(unit)");
    }
    shape.replace("NB", "N").replace("(  KiB/s)", "(  MiB/s)")
}

/// Lines of a job and of groups; those of latency classes depend on the machine.
fn shapes(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with("  lat ("));
    let lines = lines.map(|line| match line.split_once("pid=") {
        Some((head, _)) => head.to_owned(),
        None => shape(line),
    });
    lines.collect()
}

#[test]
fn lines_are_those_of_fio_one_for_one() {
    let mut sample = Sample::new(&["a", "a"]);
    for (job_number, job) in (0..).zip(&mut sample.session.jobs) {
        job.section = 0;
        job.job_number = job_number;
        job.description = Some("what it is".into());
        job.reporting = FioReporting {
            group_reporting: true,
            slat_percentiles: true,
            percentiles: vec![10.0, 50.0],
            ..plain_job().reporting
        };
    }
    sample.run.plan.stages[0].workloads[0].depth = 4;
    let ours = start_lines(&sample.session, &sample.run.plan) + &normal(&sample.report());
    let Some(theirs) = installed_fio(&[
        "--name=a",
        "--description=what it is",
        "--ioengine=null",
        "--size=1g",
        "--rw=randrw",
        "--runtime=2",
        "--time_based=1",
        "--rate_iops=2000",
        "--fsync=8",
        "--iodepth=4",
        "--numjobs=2",
        "--group_reporting",
        "--slat_percentiles=1",
        "--percentile_list=10:50",
    ]) else {
        return;
    };
    let (ours, theirs) = (shapes(&ours), shapes(&theirs));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
}

/// The table of percentiles.
fn percentiles(values: &[u64], percentages: &[f64]) -> String {
    let mut lines = Vec::new();
    add_percentiles(&mut lines, "clat", &histogram(values), percentages);
    lines.join("\n")
}

#[test]
fn percentiles_are_printed_as_fio_printed_them() {
    let usual = plain_job().reporting.percentiles;
    // Five latencies for which fio 3.33 printed exactly this.
    assert_eq!(
        percentiles(&[400, 491, 520, 932, 1_121], &usual),
        "    clat percentiles (nsec):
     |  1.00th=[  402],  5.00th=[  402], 10.00th=[  402], 20.00th=[  402],
     | 30.00th=[  490], 40.00th=[  490], 50.00th=[  524], 60.00th=[  524],
     | 70.00th=[  932], 80.00th=[  932], 90.00th=[ 1128], 95.00th=[ 1128],
     | 99.00th=[ 1128], 99.50th=[ 1128], 99.90th=[ 1128], 99.95th=[ 1128],
     | 99.99th=[ 1128]"
    );
    assert_eq!(
        percentiles(&[130, 341], &[50.0, 99.9, 99.999_99]),
        "    clat percentiles (nsec):
     | 50.00000th=[  131], 99.90000th=[  342], 99.99999th=[  342]"
    );
    // Wide ones stand three in a line; fio makes room for the largest that is printed.
    let wide = [900, 50_944, 1_728_000];
    assert_eq!(
        percentiles(&wide, &[1.0, 5.0, 10.0, 40.0]).lines().count(),
        2
    );
    assert_eq!(
        percentiles(&wide, &[1.0, 5.0, 10.0, 99.95]),
        "    clat percentiles (nsec):
     |  1.00th=[    900],  5.00th=[    900], 10.00th=[    900],
     | 99.95th=[1728512]"
    );
}

#[test]
fn the_unit_of_a_latency_is_the_largest_that_loses_nothing() {
    for (values, line) in [
        (
            &[400, 491, 520, 932, 1_121][..],
            "    clat (nsec): min=400, max=1121, avg=692.80, stdev=314.99",
        ),
        (
            &[2_500, 127_000],
            "    clat (usec): min=2, max=127, avg=64.75, stdev=88.03",
        ),
        (
            &[831, 3_955_300],
            "    clat (nsec): min=831, max=3955.3k, avg=1978065.50, stdev=2796231.85",
        ),
        (
            &[3_000_000, 200_000_000],
            "    clat (msec): min=3, max=200, avg=101.50, stdev=139.30",
        ),
    ] {
        let mut lines = Vec::new();
        add_latency(&mut lines, "clat", &histogram(values));
        assert_eq!(lines, [line]);
    }
}

#[test]
fn bits_and_powers_of_1000_are_as_asked() {
    let mut sample = Sample::new(&["a"]);
    sample.session.jobs[0].reporting.kb_base = 1000;
    sample.session.jobs[0].reporting.unit_base = 1;
    let text = normal(&sample.report());
    assert!(
        text.contains("  read: IOPS=999, BW=32.8Mbit/s (31.2Mibit/s)(8192kB/2001msec)\n"),
        "{text}"
    );
    assert!(
        text.contains("   bw ( kbit/s): min=32000, max=32000, per="),
        "{text}"
    );
}

#[test]
fn a_job_that_failed_says_in_which_way() {
    let mut sample = Sample::new(&["a"]);
    sample.outcome(0).failures = vec![IoFailure {
        operation: Operation::Read,
        kind: FailureKind::Errno(5),
        offset: Bytes(0),
        count: 1,
    }];
    let text = normal(&sample.report());
    let head = "a: (groupid=0, jobs=1): err= 5 (Input/output error): pid=4711: Sat Nov 21";
    assert!(text.contains(head), "{text}");
}

#[test]
fn a_job_that_did_nothing_is_not_mentioned() {
    let mut sample = Sample::new(&["a", "b"]);
    sample.run.rows[1].trials.clear();
    let text = normal(&sample.report());
    assert!(text.contains("\na: (groupid=0"));
    assert!(!text.contains("\nb: (groupid=0"));
}

#[test]
fn the_worst_verdict_and_its_reason_are_a_line_that_is_not_fios() {
    let mut sample = Sample::new(&["a", "b"]);
    assert_eq!(verdict_line(&sample.report()), "VERIFIED, of one trial");
    let mut short = Sample::new(&["a", "b"]);
    short.outcome(1).elapsed = Nanos::from_millis(16);
    let line = verdict_line(&short.report());
    assert_eq!(line, "VERIFIED, but 16.0 ms long");
    assert!(!normal(&sample.report()).contains("VERIFIED"));
    let assessment = sample.run.rows[1].assessment.as_mut().unwrap();
    assessment.verdict = Verdict::Unverified;
    assessment.findings = vec![Finding {
        code: "cached".into(),
        severity: Severity::Warning,
        symptom: "reads came from memory".into(),
        cause: "the file was just written".into(),
        remedy: "set direct=1".into(),
    }];
    assert_eq!(
        verdict_line(&sample.report()),
        "UNVERIFIED: b: reads came from memory; cause: the file was just written; \
         remedy: set direct=1 (cached)"
    );
    for row in &mut sample.run.rows {
        row.assessment = None;
    }
    let line = verdict_line(&sample.report());
    assert_eq!(line, "no verdict: the run was not judged");
    for row in &mut sample.run.rows {
        row.trials.clear();
    }
    let line = verdict_line(&sample.report());
    assert_eq!(line, "no verdict: no job was measured");
}

#[test]
fn devices_are_listed_at_the_end() {
    let mut sample = Sample::new(&["a"]);
    let disk = |name: &str| DiskUse {
        name: name.into(),
        ios: [13_148, 7_183],
        merges: [0, 1],
        ticks: [544, 2_356],
        in_queue: 2_900,
        busy: 652,
        elapsed: 1_000,
        parts: vec![],
    };
    sample.disks = vec![DiskUse {
        parts: vec![disk("sda")],
        ..disk("md0")
    }];
    sample.disks.push(disk("vda"));
    let text = normal(&sample.report());
    let counts = "ios=13148/7183, merge=0/1, ticks=544/2356, in_queue=2900, util=65.20%";
    assert!(
        text.contains("\n\nDisk stats (read/write):\n    md0: ios="),
        "{text}"
    );
    assert!(
        text.contains(", aggrios=13148/7183, aggrmerge=0/1, aggrticks=544/2356"),
        "{text}"
    );
    assert!(text.contains(&format!("\n  vda: {counts}\n")), "{text}");
}

#[test]
fn wrong_blocks_are_told_one_by_one() {
    let mut sample = Sample::new(&["a"]);
    sample.outcome(0).verified = Some(VerifyOutcome {
        checked: 10,
        wrong: 1,
        mismatches: vec![Mismatch {
            file: "/tmp/f".into(),
            offset: Bytes(8_192),
            length: Bytes(4_096),
            kind: MismatchKind::Stale,
            detail: "serial 1, expected 2".into(),
        }],
    });
    assert_eq!(
        mismatch_lines(&sample.report()),
        [
            "a: verify failed at file /tmp/f offset 8192, length 4096: an earlier version of \
              the block, so a write was lost: serial 1, expected 2"
        ]
    );
}
