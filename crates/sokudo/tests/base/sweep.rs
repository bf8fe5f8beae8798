//! Block sizes against depths and threads.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sokudo::{Ended, codes, results, sokudo_on};

/// `sokudo sweep TARGET ARGUMENTS`.
fn sweep(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("sweep --quiet", target, arguments)
}

/// Its result.
fn swept(target: impl AsRef<Path>, arguments: &str) -> Value {
    sweep(target, &format!("{arguments} --format json")).json()
}

fn blocks(run: &Value) -> Vec<u64> {
    let block = |result: &Value| result["workload"]["blocks"][0]["bytes"].as_u64().unwrap();
    results(run).iter().map(block).collect()
}

#[test]
fn without_arguments_it_is_what_atto_does() {
    for arguments in ["", "--atto"] {
        let run = swept("sim:const", &format!("{arguments} --runs 1 --time 20ms"));
        let powers: Vec<u64> = (9..=26).map(|power| 1 << power).collect();
        assert_eq!(blocks(&run), [&powers[..], &powers[..]].concat());
        for result in results(&run) {
            assert_eq!(result["workload"]["depth"], 4);
            assert_eq!(result["workload"]["limits"]["bytes"], 256 << 20);
            assert_eq!(result["workload"]["order"]["kind"], "sequential");
        }
    }
    let run = swept("sim:const", "--minitool --runs 1 --time 20ms");
    let powers: Vec<u64> = (10..=21).map(|power| 1 << power).collect();
    assert_eq!(blocks(&run), [&powers[..], &powers[..]].concat());
    assert_eq!(results(&run)[0]["workload"]["depth"], 8);
}

#[test]
fn a_cell_ends_when_it_is_precise_enough() {
    let arguments = "--sizes 4K --random --read-only --runs 50";
    let run = swept("sim:ssd", arguments);
    let result = &results(&run)[0];
    // The simulated disk is steady: the fewest trials that give an interval are enough.
    assert_eq!(result["trials"].as_array().unwrap().len(), 6);
    assert_eq!(result["status"], "complete");
    assert_eq!(run["schedule"]["enough_half_width_permille"], 20);
    assert!(!codes(result).contains(&"precision-not-reached"));
    let all = swept(
        "sim:ssd",
        "--sizes 4K --random --read-only --runs 9 --precision 0",
    );
    assert_eq!(results(&all)[0]["trials"].as_array().unwrap().len(), 9);
}

#[test]
fn a_matrix_grows_with_the_depth() {
    let arguments = "--sizes 4K --random --read-only --depths 1..32 --time 50ms";
    let run = swept("sim:ssd", arguments);
    let medians: Vec<f64> = results(&run).iter().map(median).collect();
    assert_eq!(medians.len(), 6);
    assert!(
        medians.is_sorted_by(|less, more| less * 1.3 < *more),
        "{medians:?}"
    );
    let table = sweep("sim:ssd", arguments).printed;
    let heading = table.lines().find(|line| line.contains("Block")).unwrap();
    assert!(
        heading.contains("Q1T1") && heading.contains("Q32T1"),
        "{table}"
    );
    sweep("sim:ssd", &format!("{arguments} --unit iops")).prints(&["read, IOPS"]);
}

#[test]
fn bad_arguments_are_told_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("data");
    fs::write(&file, vec![7u8; 64 << 10]).unwrap();
    let file = file.to_str().unwrap();
    for (target, arguments, words) in [
        ("sim:const", "--from 8K --to 4K", &["backwards"][..]),
        ("sim:const", "--from 0", &["no block size"]),
        ("sim:const", "--from 3K", &["not a power of two", "--sizes"]),
        ("sim:const", "--sizes 128M", &["to 64 MiB"]),
        ("sim:const", "--sizes 4K --to 8K", &["--to"]),
        ("sim:const", "--depths 0", &["1 to 1024"]),
        ("sim:const", "--depths 3..8", &["power of two"]),
        ("sim:const", "--threads 512", &["1 to 256"]),
        (
            "sim:const",
            "--depths 1,2 --threads 1,2",
            &["varies only one of them"],
        ),
        (
            "sim:const",
            "--from 4K --length 1K",
            &["no room for a block"],
        ),
        ("sim:const", "--length 0", &["--length is 0"]),
        ("sim:const", "--time 0s", &["--time is 0"]),
        ("sim:const", "--precision x", &["0.1%"]),
        ("sim:const", "--data 0xf", &["0xdeadbeef"]),
        ("sim:const", "--atto --minitool", &["--minitool"]),
        (file, "--sizes 4K,1M", &["64 KiB", "1 MiB"]),
        (file, "--length 1M", &["has only 64 KiB"]),
        (
            file,
            "--sizes 512 --direct loud",
            &["use one of on, off, auto"],
        ),
    ] {
        sweep(target, &format!("--read-only {arguments}")).refused(2, words);
    }
    let list: Vec<String> = (1..=128).map(|size| (512 * size).to_string()).collect();
    let counts: Vec<String> = (1..=64).map(|count: u32| count.to_string()).collect();
    sweep(
        "sim:const",
        &format!("--sizes {} --depths {}", list.join(","), counts.join(",")),
    )
    .refused(2, &["16384 cells", "at most 2048"]);
}

fn median(result: &Value) -> f64 {
    result["bandwidth_bytes_per_s"]["median"].as_f64().unwrap()
}
