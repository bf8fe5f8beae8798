//! Which rows are measured, in which direction and order.

use serde_json::Value;

use crate::sokudo::{codes, mark, measured, results, sokudo};

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
    // A trial may end while the last write waits for its flush, on a busy disk also the first.
    let count = |name: &str| etcd[name]["count"].as_u64().unwrap_or(0);
    let trials = etcd["trials"].as_array().unwrap().len() as u64;
    let (writes, flushes) = (count("latency_ns"), count("flush_latency_ns"));
    assert!(flushes + trials >= writes, "{etcd}");
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

#[test]
fn crystals_schedule_warms_up_and_shows_the_best() {
    let crystal = "--schedule crystal --pause 10ms --time 20ms";
    let run = measured("sim:ssd", &format!("{crystal} --runs 2"));
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
fn a_simulated_disk_makes_no_pauses_and_none_are_announced() {
    let crystal = "--schedule crystal --runs 2 --time 10ms";
    let dry = |pause: &str| mark("sim:ssd", &format!("{crystal} --pause {pause} --dry-run"));
    assert_eq!(dry("0s").ok().printed, dry("60s").ok().printed);
    let shown = mark("sim:ssd", &format!("{crystal} --pause 60s --why")).printed;
    assert!(shown.contains("no pauses"), "{shown}");
}

/// Neither a row's own last trial nor the rows beside it leave what it reads in the drive's memory.
#[test]
fn the_figure_of_a_row_does_not_depend_on_the_rows_beside_it() {
    let disk = "sim:hdd?cache=256MiB";
    let rate = |arguments: &str| {
        let run = sokudo(&format!("mark {disk} --format json --quiet {arguments}")).json();
        let mut rows = results(&run).iter();
        let row = rows.find(|row| row["name"] == "SEQ128K Q1T1").unwrap();
        row["bandwidth_bytes_per_s"]["median"].as_f64().unwrap()
    };
    let lasts = rate("--row SEQ128K,Q1,read --time 10s --runs 6");
    for beside in [
        "",
        "--row RND4K,Q1,read",
        "--row SEQ128K,Q4,read --row SEQ1M,Q1,read",
        "--row SEQ1M,Q8,write --row SEQ1M,Q1,read,mix70",
    ] {
        let found = rate(&format!("{beside} --row SEQ128K,Q1,read"));
        let off = found / lasts - 1.0;
        assert!(off.abs() < 0.01, "{beside}: {found} instead of {lasts}");
    }
}
