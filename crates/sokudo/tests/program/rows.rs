//! Which rows are measured, in which direction and order.

use std::ffi::OsStr;

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::sokudo::{codes, end, has, mark, measured, program, results, shell, skip};

#[test]
fn depth_and_threads_replace_those_of_every_row() {
    let run = measured("sim:const", "--depth 2 --threads 3 --read-only");
    assert_eq!(
        names(&run),
        [("SEQ1M Q2T3", "read"), ("RND4K Q2T3", "read")]
    );
    for result in results(&run) {
        let depth = result["depth_achieved"].as_f64().unwrap();
        assert!((5.9..6.01).contains(&depth), "{depth}");
    }
}

#[test]
fn crystals_schedule_warms_up_and_shows_the_best() {
    let crystal = "--schedule crystal --interval 10ms --time 20ms";
    let directory = tempfile::tempdir().unwrap();
    let run = measured(directory.path(), &format!("{crystal} --runs 2"));
    assert_eq!(run["schedule"]["warm_up"], true);
    for result in results(&run) {
        let trials = &result["bandwidth_bytes_per_s"]["trials"];
        assert_eq!(
            trials.as_array().unwrap().len(),
            2,
            "the warm-up counts not"
        );
    }
    let table = mark("sim:hdd", crystal).printed;
    assert!(table.contains("best"), "{table}");
}

#[test]
fn a_real_directory_yields_every_row_and_keeps_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let run = measured(directory.path(), "--profile nvme --mix");
    assert_eq!(results(&run).len(), 12);
    for result in results(&run) {
        assert!(
            result["latency_ns"]["count"].as_u64().unwrap() > 0,
            "{result}"
        );
        for code in codes(result) {
            assert!(!code.starts_with("breach"), "{code}: {result}");
        }
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn durable_rows_are_written_and_tell_how_long_a_sync_takes() {
    let rows = "--row RND4K,Q1,T1,dsync --row SEQ4K,fdatasync --row SEQ1M";
    let run = measured("sim:ssd", rows);
    let expected = [
        ("SEQ1M Q1T1", "read"),
        ("RND4K Q1T1 dsync", "write"),
        ("SEQ4K Q1T1 fdatasync", "write"),
        ("SEQ1M Q1T1", "write"),
    ];
    assert_eq!(names(&run), expected);
    let [_, dsync, fdatasync, plain] = results(&run) else {
        panic!("{run}");
    };
    assert_eq!(dsync["workload"]["durability"]["write_through"], true);
    assert_eq!(dsync["flush_latency_ns"], Value::Null);
    let sync = fdatasync["flush_latency_ns"]["p50"].as_f64().unwrap();
    let whole = dsync["latency_ns"]["p50"].as_f64().unwrap();
    assert!(sync > 100_000.0 && whole > 100_000.0, "{sync}, {whole}");
    assert!(plain["fingerprint"] != dsync["fingerprint"]);
    let table = mark("sim:ssd", rows).printed;
    assert!(table.contains(" sync "), "{table}");
    assert!(!mark("sim:ssd", "--row RND4K").printed.contains(" sync "));
}

#[test]
fn the_logs_of_databases_are_a_profile() {
    let run = measured("sim:ssd", "--profile durable");
    let rows = [
        "SEQ4K Q1T1 dsync",
        "SEQ8K Q1T1 fdatasync",
        "SEQ1M Q1T1 fsync=16",
    ];
    assert_eq!(names(&run), rows.map(|row| (row, "write")));
    let directory = tempfile::tempdir().unwrap();
    let run = measured(directory.path(), "--profile durable");
    let etcd = &results(&run)[1];
    assert_eq!(etcd["name"], "SEQ2300B Q1T1 fdatasync");
    assert_eq!(etcd["direct"], false);
    assert!(!codes(etcd).contains(&"buffered-writes"), "{etcd}");
    assert!(etcd["flush_latency_ns"]["count"].as_u64().unwrap() > 0);
}

#[test]
fn what_is_durable_is_not_only_read() {
    for (written, said) in [
        ("--row RND4K,dsync", "row RND4K Q1T1 dsync writes"),
        ("--row SEQ1M --row RND4K,Q1,write", "row RND4K Q1T1 writes"),
        ("--row RND4K,Q1,read,mix70", "row RND4K Q1T1 writes"),
        ("--profile durable", " writes"),
        ("--mix R70/W30", "--mix R70/W30 writes"),
    ] {
        let ended = mark("sim:ssd", &format!("--read-only {written}"));
        ended.refused(2, &[said, "--read-only", "leave one of them out"]);
    }
    mark(
        "sim:ssd",
        "--read-only --row RND4K,Q1,read --time 10ms --runs 2",
    )
    .ok();
    let odd = "goes through the page cache";
    mark("sim:ssd", "--row SEQ2300,fdatasync").refused(2, &[odd]);
    let directory = tempfile::tempdir().unwrap();
    mark(directory.path(), "--row SEQ2300,fsync --direct on").refused(2, &[odd]);
    let file = directory.path().join("data");
    std::fs::write(&file, vec![1; 1 << 20]).unwrap();
    mark(&file, "--row RND4K,dsync").refused(3, &["--overwrite"]);
}

#[test]
fn every_engine_can_be_asked_for_and_is_the_one_that_is_used() {
    let directory = tempfile::tempdir().unwrap();
    for engine in ["libaio", "psync"] {
        let run = measured(directory.path(), &format!("--engine {engine}"));
        for result in results(&run) {
            assert_eq!(result["backend"]["kind"], engine);
            let mut codes = codes(result).into_iter();
            assert!(!codes.any(|code| code.starts_with("breach")), "{result}");
        }
    }
    let ended = mark(directory.path(), "--engine io_uring --row RND4K,read --why");
    if ended.code() == Some(0) {
        assert!(ended.printed.contains("io_uring"), "{ended:?}");
    } else {
        ended.refused(1, &["io_uring", "--engine auto"]);
    }
}

#[test]
fn fio_runs_the_printed_job() {
    if !has("fio") {
        return skip("fio is not installed");
    }
    let directory = tempfile::tempdir().unwrap();
    let spaced = directory.path().join("a place with spaces");
    std::fs::create_dir(&spaced).unwrap();
    let script = "\"$SOKUDO\" mark . --size 16MiB --time 1s --engine psync --print-job \
                  --row RND4K,Q1,T1,mix70 > job.fio && fio --output-format=json job.fio";
    let ended = end(shell(script).current_dir(&spaced)).ok();
    let start = ended.printed.find('{').unwrap();
    let report: Value = serde_json::from_str(&ended.printed[start..]).unwrap();
    assert!(report["jobs"][0]["read"]["total_ios"].as_u64().unwrap() > 0);
    assert!(report["jobs"][0]["write"]["total_ios"].as_u64().unwrap() > 0);
}

#[test]
fn the_printed_job_of_a_device_writes_where_the_device_may_be_destroyed() {
    let Some(device) = LoopDevice::new(16 << 20, true) else {
        return;
    };
    let printed = |more: &[&OsStr]| {
        let mut command = program();
        command.arg("mark").arg(&device.path).args(more);
        command.args(["--print-job", "--row", "RND4K"]);
        let ended = end(&mut command);
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        ended.printed.matches("rw=randwrite").count()
    };
    assert_eq!(printed(&[]), 0);
    let destroy = ["--destroy".as_ref(), device.path.as_os_str()];
    assert_eq!(printed(&destroy), 1);
}

/// Name and direction of each result, in order.
fn names(run: &Value) -> Vec<(&str, &str)> {
    results(run)
        .iter()
        .map(|result| {
            let name = result["name"].as_str().unwrap();
            (name, result["direction"].as_str().unwrap())
        })
        .collect()
}
