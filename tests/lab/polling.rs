//! Completions that are asked for.

use crate::guest::{Guest, assert_is_proven};

const ROW: [&str; 8] = [
    "--row",
    "RND4K,Q4,read",
    "--runs",
    "2",
    "--time",
    "300ms",
    "--format",
    "json",
];

#[test]
fn a_drive_with_queues_for_it_is_polled_and_the_run_says_so() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let node = guest.disk("nvme-a");
    let told = |more: &[&str]| {
        let run = guest.json(&[&["mark", &node, "--quiet"], &ROW[..], more].concat());
        run["figures"][0].clone()
    };
    let (polled, plain) = (told(&["--polled"]), told(&["--engine", "io_uring"]));
    let features = polled["backend"]["features"].as_array().unwrap();
    assert!(features.contains(&"polled".into()), "{polled}");
    assert_is_proven(&polled);
    assert!(
        polled["device"]["read_bytes"].as_u64() > Some(1 << 20),
        "{polled}"
    );
    assert_ne!(polled["fingerprint"], plain["fingerprint"]);
}

#[test]
fn fastest_takes_what_goes_around_more_where_that_is_faster_and_a_check_repeats_it() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let node = guest.disk("nvme-a");
    let store = tempfile::tempdir().unwrap();
    let store = store.path().join("runs.db");
    let store = store.to_str().unwrap();
    let rows = ["--row", "RND4K,Q1,read", "--row", "RND4K,Q4,read"];
    let how = ["--engine", "fastest", "--runs", "5", "--time", "500ms"];
    let kept = ["--store", store, "--format", "json", "--quiet"];
    let run = guest.json(&[&["mark", &node][..], &rows, &how, &kept].concat());
    let taken = |run: &serde_json::Value| {
        let results = run["figures"].as_array().unwrap().clone();
        let of_row = |result: &serde_json::Value| {
            let backend = &result["backend"];
            let is_polled = backend["features"].to_string().contains("\"polled\"");
            (backend["kind"].as_str().unwrap().to_owned(), is_polled)
        };
        results.iter().map(of_row).collect::<Vec<_>>()
    };
    for (result, (kind, is_polled)) in run["figures"].as_array().unwrap().iter().zip(taken(&run)) {
        let goes_around = is_polled || kind == "io_uring_cmd";
        let said = result["findings"].to_string();
        // What is taken although nothing showed it to be faster would be another engine than auto's.
        assert!(
            !goes_around || said.contains("times as fast as"),
            "{result}"
        );
        assert_eq!(result["workload"]["polled"] == true, is_polled, "{result}");
    }
    let set = guest.end(&["baseline", "set", "last", "--anyway", "--store", store]);
    assert_eq!(set.code, Some(0), "{set:?}");
    let check = guest.end(&[
        "check", &node, "--anyway", "--store", store, "--format", "json", "--quiet",
    ]);
    // Whether the rows of a virtual machine are steady enough to judge (4: not) is not the question.
    assert!(matches!(check.code, Some(0 | 1 | 4)), "{check:?}");
    let again = guest.json(&["show", "last", "--store", store, "--format", "json"]);
    assert_eq!(taken(&again), taken(&run), "{check:?}");
}

#[test]
fn what_is_written_by_a_polled_job_is_flushed_and_read_back() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let node = guest.disk("nvme-a");
    let job = [
        "fio",
        "--name=a",
        "--ioengine=io_uring",
        "--hipri",
        "--direct=1",
        "--rw=randwrite",
        "--iodepth=4",
        "--fdatasync=8",
        "--io_size=1m",
        "--size=8m",
        "--verify=crc32c",
        "--output-format=json",
    ];
    let filename = format!("--filename={node}");
    let destroy = format!("--destroy={node}");
    let run = guest.json(&[&job[..], &[&filename, &destroy, "--allow_mounted_write=1"]].concat());
    let job = &run["jobs"][0];
    assert_eq!(job["error"], 0, "{job}");
    assert_eq!(job["write"]["total_ios"], 256, "{job}");
}

#[test]
fn a_drive_without_such_queues_is_refused_in_one_line() {
    let Some(guest) = Guest::enter(&["scsi-a"]) else {
        return;
    };
    let node = guest.disk("scsi-a");
    let ended = guest.end(&[&["mark", &node, "--polled"], &ROW[..]].concat());
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let told = ended.told.lines().find(|line| line.contains("polled"));
    assert!(
        told.is_some_and(|line| line.contains("nvme.poll_queues")),
        "{ended:?}"
    );
}
