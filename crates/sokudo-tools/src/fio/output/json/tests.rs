use serde_json::{Map, Value as Parsed};
use sokudo_model::{Assessment, Nanos, SteadyFigure, SteadyLimit, SteadyOutcome, SteadyRule};

use crate::fio::output::sample::{Sample, installed_fio, plain_job};
use crate::fio::session::FioJob;

use super::*;

fn parsed(text: &str) -> Parsed {
    serde_json::from_str(text).unwrap()
}

/// Every line with its values taken out: `"iops" : FLOAT,`. Numbers become their type,
/// texts `TEXT`, keys that are values of latencies are left out.
fn shape(text: &str) -> Vec<String> {
    let mut shape = Vec::new();
    let mut in_bins = false;
    for line in text.lines() {
        if line.contains("\"bins\" : {") {
            in_bins = true;
        } else if in_bins && line.trim_start().starts_with('}') {
            in_bins = false;
        } else if in_bins {
            continue;
        }
        let Some((key, value)) = line.split_once(" : ") else {
            let element = line.trim().trim_end_matches(',').parse::<i64>();
            shape.push(element.map_or_else(|_| line.to_owned(), |_| "WHOLE".to_owned()));
            continue;
        };
        let (value, comma) = match value.strip_suffix(',') {
            Some(value) => (value, ","),
            None => (value, ""),
        };
        let kind = match value {
            "{" | "[" => value,
            text if text.starts_with('"') => "TEXT",
            float if float.split_once('.').is_some_and(|(_, d)| d.len() == 6) => "FLOAT",
            whole if whole.parse::<i64>().is_ok() => "WHOLE",
            other => panic!("what is {other}?"),
        };
        shape.push(format!("{key} : {kind}{comma}"));
    }
    shape
}

/// Our text without the key that fio does not have.
fn without_sokudo(text: &str) -> String {
    let start = text.find(",\n  \"sokudo\" : {").unwrap();
    format!("{}\n}}\n", &text[..start])
}

/// Our shape of the same jobs must be fio's, line for line.
fn assert_same_shape(ours: &str, theirs: &str) {
    let (ours, theirs) = (shape(&without_sokudo(ours)), shape(theirs));
    for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(ours, theirs, "line {}", number + 1);
    }
    assert_eq!(ours.len(), theirs.len());
}

/// A sample whose options are those of a fio command line.
fn like(arguments: &[&str]) -> Sample {
    let mut sample = Sample::new(&["a"]);
    let option = |argument: &&str| {
        let (name, value) = argument.trim_start_matches('-').split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    };
    sample.session.jobs[0].options = arguments.iter().map(option).collect();
    sample
}

const NULL_JOB: [&str; 6] = [
    "--name=a",
    "--ioengine=null",
    "--size=4m",
    "--rw=randrw",
    "--fsync=8",
    "--iodepth=4",
];

#[test]
fn keys_their_order_types_and_layout_are_those_of_fio() {
    let Some(theirs) = installed_fio(&[&["--output-format=json"], &NULL_JOB[..]].concat()) else {
        return;
    };
    assert_same_shape(&json(&like(&NULL_JOB).report()), &theirs);
}

#[test]
fn json_plus_has_the_classes_of_all_three_latencies() {
    let arguments = [
        &NULL_JOB[..],
        &["--lat_percentiles=1", "--slat_percentiles=1"],
        &["--description=what it is", "--percentile_list=50:99.9"],
    ]
    .concat();
    let mut sample = like(&arguments);
    let job = &mut sample.session.jobs[0];
    job.description = Some("what it is".into());
    job.reporting.lat_percentiles = true;
    job.reporting.slat_percentiles = true;
    job.reporting.percentiles = vec![50.0, 99.9];
    let ours = json_plus(&sample.report());
    let bins = &parsed(&ours)["jobs"][0]["read"]["clat_ns"]["bins"];
    let counted: u64 = bins
        .as_object()
        .unwrap()
        .values()
        .filter_map(Parsed::as_u64)
        .sum();
    assert_eq!(counted, 2_000);
    let Some(theirs) = installed_fio(&[&["--output-format=json+"], &arguments[..]].concat()) else {
        return;
    };
    assert_same_shape(&ours, &theirs);
}

#[test]
fn directions_reported_as_one_and_both_ways_are_as_in_fio() {
    for (word, unified) in [
        ("mixed", UnifiedReporting::Mixed),
        ("both", UnifiedReporting::Both),
    ] {
        let option = format!("--unified_rw_reporting={word}");
        let arguments = [&NULL_JOB[..], &[option.as_str()]].concat();
        let mut sample = like(&arguments);
        sample.session.jobs[0].reporting.unified = unified;
        let ours = json(&sample.report());
        let mixed = &parsed(&ours)["jobs"][0]["mixed"];
        assert_eq!(mixed["total_ios"], 3_000);
        assert_eq!(mixed["io_bytes"], 3_000 * 4_096);
        let Some(theirs) = installed_fio(&[&["--output-format=json"], &arguments[..]].concat())
        else {
            return;
        };
        assert_same_shape(&ours, &theirs);
    }
}

#[test]
fn a_steady_state_block_is_that_of_fio() {
    let arguments = [
        "--name=a",
        "--ioengine=null",
        "--size=100g",
        "--rw=randrw",
        "--runtime=4",
        "--time_based=1",
        "--rate_iops=100",
        "--steadystate=bw_slope:1g",
        "--steadystate_duration=2",
    ];
    let mut sample = like(&arguments);
    sample.run.rows[0].workload.timing.steady = Some(SteadyRule {
        figure: SteadyFigure::Bandwidth,
        slope: true,
        limit: SteadyLimit::Absolute((1 << 20) * 1_000_000),
        duration: Nanos::from_secs(2),
        ramp: Nanos(0),
        interval: Nanos::from_secs(1),
    });
    sample.outcome(0).steady = Some(SteadyOutcome {
        attained: true,
        criterion: -4561.0,
        slope: -4561.0,
        deviation_max: 0.0,
        iops: vec![1000.4, 1000.0],
        bandwidth: vec![4_096_000.0, 4_096_000.0],
    });
    sample.outcome(0).operations.pop();
    let ours = json(&sample.report());
    let block = &parsed(&ours)["jobs"][0]["steadystate"];
    assert_eq!(block["ss"], "bw_slope:1073741824.000000");
    assert_eq!(block["criterion"], "-4561.000000");
    assert_eq!(block["data"]["bw_mean"], 4_096_000);
    assert_eq!(block["data"]["iops"][0], 1_000);
    let Some(theirs) = installed_fio(&[&["--output-format=json"], &arguments[..]].concat()) else {
        return;
    };
    // Without flushes there is one thing less in fio's block of them, as in ours.
    assert_same_shape(&ours, &theirs);
}

/// Counted by `fio --output-format=json` of 3.33: fsync between I/Os alone.
#[test]
fn flushes_at_the_end_and_of_fdatasync_are_not_counted() {
    let mut sample = Sample::new(&["a"]);
    let counted = |sample: &Sample| parsed(&json(&sample.report()))["jobs"][0]["sync"].clone();
    assert_eq!(counted(&sample)["total_ios"], 10);
    sample.run.rows[0].workload.durability.final_flush = true;
    assert_eq!(counted(&sample)["total_ios"], 9);
    let durability = &mut sample.run.rows[0].workload.durability;
    durability.fdatasync_every = Some(300);
    assert_eq!(counted(&sample)["total_ios"], 9, "of 1,000 writes");
    sample.run.rows[0].workload.durability.fsync_every = None;
    let sync = counted(&sample);
    assert_eq!(
        (&sync["total_ios"], &sync["lat_ns"]["N"]),
        (&0.into(), &10.into())
    );
}

#[test]
fn jobs_that_could_not_start_have_the_errors_number() {
    let mut sample = Sample::new(&["a", "b"]);
    sample.run.rows[1].trials.clear();
    let report = FioReport {
        not_started: 13,
        ..sample.report()
    };
    let document = parsed(&json(&report));
    assert_eq!(document["jobs"][0]["error"], 0);
    assert_eq!(document["jobs"][1]["error"], 13);
}

#[test]
fn global_options_are_echoed_and_lone_flags_are_not() {
    let mut sample = Sample::new(&["a"]);
    let plain = parsed(&json(&sample.report()));
    assert!(plain.get("global options").is_none());
    sample.session.global_options = vec![
        ("bs".into(), "4k".into()),
        ("group_reporting".into(), String::new()),
    ];
    let document = parsed(&json(&sample.report()));
    assert_eq!(document["global options"], serde_json::json!({"bs": "4k"}));
    assert_eq!(
        document["jobs"][0]["job options"],
        serde_json::json!({"ioengine": "null"})
    );
}

#[test]
fn figures_mean_what_they_mean_in_fio() {
    let sample = Sample::new(&["a"]);
    let document = parsed(&json(&sample.report()));
    let job = &document["jobs"][0];
    let read = &job["read"];
    assert_eq!(read["io_bytes"], 8_192_000);
    assert_eq!(
        read["runtime"], 2_001,
        "rounded up, and one for the whole mix"
    );
    assert_eq!(job["write"]["runtime"], 2_001);
    assert_eq!(read["bw_bytes"], 8_192_000u64 * 1000 / 2_001);
    assert_eq!(read["bw_samples"], 4);
    assert_eq!(read["bw_mean"], 4_000.0);
    assert_eq!(read["iops_mean"], 1_000.0);
    assert_eq!(read["clat_ns"]["percentile"]["50.000000"], 155);
    assert_eq!(job["sync"]["total_ios"], 10);
    assert_eq!(job["usr_cpu"], 10.0);
    assert_eq!(job["sys_cpu"], 50.0);
    assert_eq!(job["iodepth_level"]["4"], 100.0);
    assert_eq!(job["latency_ns"]["250"], 66.666667);
    assert_eq!(job["latency_us"]["500"], 33.333333);
    assert_eq!(document["timestamp"], 1_795_226_290);
    assert_eq!(document["time"], "Sat Nov 21 01:58:10 2026");
    assert_eq!(job["elapsed"], 3);
}

#[test]
fn group_reporting_makes_one_of_all_jobs_of_a_group() {
    let mut sample = Sample::new(&["a", "a", "b"]);
    for job in &mut sample.session.jobs {
        job.reporting.group_reporting = true;
    }
    sample.session.jobs[2].group = 1;
    sample.outcome(1).elapsed = Nanos::from_secs(4);
    let document = parsed(&json(&sample.report()));
    let jobs = document["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 2);
    let read = &jobs[0]["read"];
    assert_eq!(read["total_ios"], 4_000);
    assert_eq!(
        read["bw_mean"], 8_000.0,
        "rates of jobs that run together add up"
    );
    assert_eq!(read["bw_samples"], 8);
    assert_eq!(jobs[0]["job_runtime"], 6_000);
    assert_eq!(jobs[1]["jobname"], "b");
    assert_eq!(jobs[1]["read"]["total_ios"], 2_000);
}

#[test]
fn what_is_disabled_has_no_samples() {
    let mut sample = Sample::new(&["a"]);
    sample.session.jobs[0].reporting.disable_clat = true;
    sample.session.jobs[0].reporting.disable_slat = true;
    let document = parsed(&json(&sample.report()));
    let read = &document["jobs"][0]["read"];
    assert_eq!(
        (&read["clat_ns"]["N"], &read["slat_ns"]["N"]),
        (&0.into(), &0.into())
    );
    assert_eq!(read["lat_ns"]["N"], 2_000);
    assert!(read["clat_ns"].get("percentile").is_none());
}

#[test]
fn the_document_is_valid_whatever_names_contain() {
    let mut sample = Sample::new(&["\"quoted\" \\ \n \u{1} ü"]);
    sample.session.notes = vec!["a \"note\"".into()];
    sample.session.left_out = vec!["cgroup".into()];
    sample.session.jobs[0].description = Some("}{".into());
    let document = parsed(&json(&sample.report()));
    assert_eq!(document["jobs"][0]["jobname"], "\"quoted\" \\ \n \u{1} ü");
    assert_eq!(document["sokudo"]["notes"][0], "a \"note\"");
    assert_eq!(document["sokudo"]["left_out"][0], "cgroup");
}

#[test]
fn verdicts_ride_along() {
    let mut sample = Sample::new(&["a", "b"]);
    sample.run.rows[1].assessment = None;
    sample.run.rows[0].assessment = Some(Assessment {
        verdict: sokudo_model::Verdict::Unverified,
        device_ratio: None,
        findings: vec![Finding {
            code: "cached".into(),
            severity: sokudo_model::Severity::Warning,
            symptom: "It was in memory.".into(),
            cause: "".into(),
            remedy: "".into(),
        }],
    });
    let document = parsed(&json(&sample.report()));
    let verdicts = &document["sokudo"]["verdicts"];
    assert_eq!(verdicts[0]["verdict"], "UNVERIFIED");
    assert_eq!(verdicts[0]["findings"][0]["code"], "cached");
    assert_eq!(verdicts[1]["verdict"], Parsed::Null);
    assert_eq!(verdicts[1]["engine"], "io_uring");
}

#[test]
fn what_was_not_recorded_is_said() {
    let mut sample = Sample::new(&["a"]);
    let notes = |sample: &Sample| parsed(&json(&sample.report()))["sokudo"]["notes"].clone();
    assert_eq!(notes(&sample), serde_json::json!([]));
    sample.outcome(0).depths = None;
    let note = notes(&sample)[0].as_str().unwrap().to_owned();
    assert!(note.starts_with("iodepth_level"), "{note}");
}

#[test]
fn jobs_that_were_not_reached_are_there_with_zeros() {
    let mut sample = Sample::new(&["a"]);
    sample.run.rows[0].trials.clear();
    let document = parsed(&json(&sample.report()));
    assert_eq!(document["jobs"][0]["read"]["total_ios"], 0);
    assert_eq!(document["jobs"][0]["usr_cpu"], 0.0);
}

#[test]
fn disks_are_listed_with_what_they_are_made_of() {
    let mut sample = Sample::new(&["a"]);
    let disk = |name: &str, busy| DiskUse {
        name: name.into(),
        ios: [10, 20],
        busy,
        elapsed: 2_000,
        ..DiskUse::default()
    };
    let parts = vec![disk("sda", 500), disk("sdb", 9_000)];
    sample.disks = vec![DiskUse {
        parts: parts.clone(),
        ..disk("md0", 1_000)
    }];
    let document = parsed(&json(&sample.report()));
    let md: &Map<String, Parsed> = document["disk_util"][0].as_object().unwrap();
    assert_eq!(md["util"], 50.0);
    assert_eq!(md["aggr_util"], 100.0);
    assert_eq!(md["aggr_write_ios"], 20);
    sample.session.jobs = vec![FioJob {
        reporting: FioReporting {
            disk_util: false,
            ..plain_job().reporting
        },
        ..plain_job()
    }];
    assert!(parsed(&json(&sample.report())).get("disk_util").is_none());
}

#[test]
fn a_job_without_options_has_no_block_of_them_and_a_group_has_those_of_its_last() {
    let mut sample = Sample::new(&["a", "b"]);
    sample.session.jobs[0].options.clear();
    sample.session.jobs[1].options = vec![("rw".into(), "write".into())];
    let document = parsed(&json(&sample.report()));
    assert!(document["jobs"][0].get("job options").is_none());
    for job in &mut sample.session.jobs {
        job.reporting.group_reporting = true;
        job.group = 0;
    }
    let document = parsed(&json(&sample.report()));
    let options = &document["jobs"][0]["job options"];
    assert_eq!(*options, serde_json::json!({"rw": "write"}));
}
